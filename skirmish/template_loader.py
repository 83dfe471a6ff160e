"""Template loader that drops indentation, which only the source's readers need."""

from __future__ import annotations

import re

from django.template import Origin
from django.template.loaders import filesystem

BETWEEN_LINES = re.compile(r"\s*\n\s*")


class Loader(filesystem.Loader):
    """Load page templates without indentation: a tenth less to send and to render.

    Line breaks stay, so words stay apart. Mails are not changed: their spaces matter.
    """

    def get_contents(self, origin: Origin) -> str:
        """Return the template's source. Raises TemplateDoesNotExist."""
        source = super().get_contents(origin)
        return BETWEEN_LINES.sub("\n", source) if origin.name.endswith(".html") else source
