"""The single values of a game that are no tables, with their labels."""

from __future__ import annotations

from typing import Annotated

from common.wording.sentences import gettext_noop as _
from rules.book.vocabulary import CharacteristicKey, Frozen, Line, SettingKey, Text


class Basics(Frozen):
    """The name of a game, its author and its words."""

    name: Annotated[Text, _("Name of the game")]
    summary: Annotated[Text, _("What it is, in a sentence or two")]
    edition: Annotated[Line, _("Edition")]
    author: Annotated[Line, _("Author")]
    life: Annotated[CharacteristicKey | None, _("Characteristic that is ticked off")] = None
    origin_setting: Annotated[SettingKey | None, _("Option for the gang’s origin")] = None
    profession_name: Annotated[Text | None, _("Word for a profession")] = None
    squad_name: Annotated[Text | None, _("Word for a squad")] = None
    experience_name: Annotated[Text | None, _("Word for experience")] = None
    traits_name: Annotated[Text | None, _("Word for traits")] = None
