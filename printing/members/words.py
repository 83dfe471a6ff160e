"""The running text about a member: conditions, abilities and notes."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gangs.cards.values import Ailment, Card, NamedText, mark_house
from typesetting.measuring import Run
from typesetting.passages import Passage


def words_of(card: Card) -> Iterator[Passage]:
    """Yield a member's conditions, abilities and notes."""
    for ailment in card.afflictions:
        yield Passage("ill", worded(ailment, _lasting(ailment)))
    for ability in card.abilities:
        yield Passage("skill", worded(ability))
    if card.notes:
        text = " ".join(card.notes.split())
        yield Passage("note", (Run(_("Notes"), "title"), Run(f" {text}")))


def worded(text: NamedText, more: str = "") -> tuple[Run, ...]:
    """Return a row of the rulebook as a name, with something ``more`` beside it, and a text."""
    return Run(mark_house(text.name, text.house) + more, "title"), Run(f" {text.text}")


def _lasting(ailment: Ailment) -> str:
    """Return how long a condition still lasts, and which gang it is from."""
    whose = _("held by %(gang)s") if ailment.held else _("against %(gang)s")
    parts = [whose % {"gang": ailment.against}] if ailment.against else []
    if games := ailment.games:
        more = ngettext("%(games)s more game", "%(games)s more games", games)
        parts.append(more % {"games": games})
    return f" ({', '.join(parts)})" if parts else ""
