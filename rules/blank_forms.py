"""The blank forms of a game, which its pages offer and the press prints."""

from __future__ import annotations

from typing import Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

Part = Literal["all", "founding", "roster", "log"]
PART_NAMES: dict[Part, Promise] = {
    "all": gettext_lazy("All of them"),
    "founding": gettext_lazy("Creating a gang"),
    "roster": gettext_lazy("Roster sheet"),
    "log": gettext_lazy("Campaign log"),
}
