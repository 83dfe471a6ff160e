"""A member on paper: everything that prints show of them, worked out once for all layouts."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from gangs.cards.groups import GroupCard
from gangs.cards.render import innate_lines
from gangs.cards.sheet import life_label
from gangs.cards.values import Card, ItemLine, Stat
from gangs.engine.computed import ComputedGang
from gangs.text.formats import with_unit
from printing.members.drawings import find_untracked
from printing.members.ladder import Ladder, ladder_of
from printing.members.stamps import stamp
from printing.members.ticks import Ticked, find_group_ticks
from rules.book.model import Book


@dataclass(frozen=True)
class PaperMember:
    """A member, or the members of a group who are alike. ``card``: their name, abilities,
    conditions, items and notes; ``book``: their gang's.

    ``leads``: whether their rank leads the gang; ``stats``: the characteristics set as values;
    ``life``: whether each box of their life is marked, empty for a group, whose lives are among the
    ``ticks``; ``life_label``: its label; ``cost`` and ``rating``: their price and worth with their
    units, "" in games without; ``stamp``: why they cannot play; ``innate``: the items everybody
    has; ``earned``: their experience, "" for those who never earn any; ``ladder``: the gains that
    await them; ``record``: their experience, games and enemies in words.
    """

    book: Book
    card: Card
    leads: bool
    stats: tuple[Stat, ...]
    life: tuple[bool, ...]
    life_label: str
    cost: str
    rating: str
    stamp: str
    innate: tuple[ItemLine, ...]
    ticks: tuple[Ticked, ...]
    earned: str
    ladder: Ladder | None
    record: str

    @property
    def worth(self) -> str:
        """The price and the worth."""
        costs = [with_unit(one.amount, one.unit) for one in self.card.costs]
        return " · ".join(filter(None, (self.cost, *costs, self.rating)))


def paper_member(computed: ComputedGang, group: GroupCard, language: str) -> PaperMember:
    """Return everything that prints show of the members on a card, in ``language``."""
    book, card, member = computed.book, group.card, group.member
    earns = computed.earns(member)
    ladder = ladder_of(computed, member, language) if earns else None
    learns = earns if computed.rules.teaches else bool(card.experience)
    cost = ""
    if card.cost is not None and book.money:
        cost = with_unit(card.cost, book.money.unit.translated(language))
    return PaperMember(
        book=book,
        card=card,
        leads=book.rank[member.rank].leads,
        stats=find_untracked(book, card),
        life=() if group.names else card.life,
        life_label=life_label(book, language),
        cost=cost,
        rating=with_unit(card.rating, book.rating.unit.translated(language)) if book.rating else "",
        stamp=stamp(card),
        innate=tuple(innate_lines(computed, member, language)),
        ticks=find_group_ticks(computed, group, language),
        earned=card.earned if learns else "",
        ladder=ladder,
        record=_record(computed, group, ladder),
    )


def _record(computed: ComputedGang, group: GroupCard, ladder: Ladder | None) -> str:
    """Return the experience of a member, and their games unless they share a card."""
    card, playing = group.card, computed.roster.playing
    parts = []
    if card.learned and (ladder or card.experience or (playing and computed.earns(group.member))):
        parts.append(card.learned + (f" ({ladder.start} +)" if ladder and ladder.start else ""))
    if playing and not group.names:
        values = {"games": card.games, "taken_out": card.taken_out}
        parts.append(_("Games %(games)s · Took out %(taken_out)s") % values)
    return " · ".join(parts)
