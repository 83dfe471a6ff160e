"""Stand-in."""

from __future__ import annotations

from common.wording.sentences import Label, Sentence, say
from common.wording.sentences import gettext_noop as _
from rules.catalogues.results import Note


def describe_note(note: Note) -> Label | Sentence:
    """Describe."""
    return say(_("Note"))
