"""Figures in the form: the reader's choices, and the figures at the start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from django.http import HttpRequest
from django.utils.translation import gettext as _

from accounts.language import rules_language
from rules import hooks
from rules.book.model import Book, Rules, Sample
from rules.book.rolls import Roll
from rules.book.schema import Item
from rules.engine.expressions import parse
from rules.engine.fairness import typical_rank
from rules.engine.figure import Figure
from rules.engine.fitting import arm, pair_up
from rules.engine.situations import Side, Situation, names_in
from rules.hooks import Fighter

HAND = "hand"
Choices = list[tuple[str, str | list[tuple[str, str]]]]


def choices(request: HttpRequest, book: Book, digest: str) -> Choices:
    """The choices of figures: first one made by hand, then by gang, the reader's gangs first."""
    found: Choices = [(HAND, _("Custom profile"))]
    found += [(name, [*members]) for name, members in hooks.gangs.listed(request, digest)]
    for sample in book.samples:
        members = []
        for place, member in enumerate(sample.members):
            rank = book.rank[member.rank].name.translated(rules_language())
            members.append((f"sample.{sample.key}.{place}", f"{member.name}, {rank}"))
        found.append((_("%(gang)s (ready-made)") % {"gang": sample.name}, members))
    return found


def find(request: HttpRequest, book: Book, digest: str, key: str) -> Fighter | None:
    """Find the figure with this key; None if it does not exist, or the reader may not see it."""
    if not key.startswith("sample."):
        return hooks.gangs.fighter(request, digest, key)
    for sample in book.samples:
        for place, member in enumerate(sample.members):
            if key == f"sample.{sample.key}.{place}":
                settings = {**book.default_settings(), **sample.settings}
                figure, items = figure_of_sample(book, sample, place)
                return Fighter(key, member.name, sample.name, figure, settings, items)
    return None


def figure_of_sample(book: Book, sample: Sample, place: int) -> tuple[Figure, tuple[Item, ...]]:
    """The member at this place of a ready-made gang, as the rules see them, and their items that
    have others fitted to them."""
    member = sample.members[place]
    origin = member.origin
    if origin is None and book.origin_setting is not None:
        origin = str({**book.default_settings(), **sample.settings}[book.origin_setting])
    # The first of a profession is a leader if there is one, else the first member.
    alike = [
        (not book.rank[other.rank].leads, number)
        for number, other in enumerate(sample.members)
        if other.profession is not None and other.profession == member.profession
    ]
    keys, items = arm(book, member.items, pair_up(book, member.items))
    figure = Figure(
        rank=member.rank,
        worth_rank=member.rank,
        origin=origin if origin in book.origin else None,
        profession=member.profession,
        first=bool(alike) and min(alike)[1] == place,
        points=member.points,
        traits=member.traits,
        items=keys,
    )
    return figure, items


@dataclass(frozen=True)
class Start:
    """The rank of a figure made by hand, and a profession if a roll needs one."""

    rank: str
    profession: str = ""

    @property
    def figure(self) -> Figure:
        """The figure that the form starts with."""
        return Figure(self.rank, self.rank, profession=self.profession or None)


def starts(rules: Rules, roll: Roll) -> dict[str, Start]:
    """Choose the figure that throws ``roll`` ("by") and its target ("at") to start with.

    Both have the typical rank if the roll allows it, and else the first ranks and professions that
    it allows. A roll with an item does not limit them: the form chooses the item to fit.
    """
    typical = (typical_rank(rules) or rules.book.ranks[0]).key
    usual = {"by": Start(typical), "at": Start(typical)}
    if roll.usable is None or roll.using == "item":
        return usual
    usable = parse(roll.usable)
    sides = [[*_candidates(rules, usable.names, side, typical)] for side in ("by", "at")]
    for by, at in product(*sides):
        target = Side(at.figure) if roll.at == "member" else None
        names = names_in(rules, Situation(Side(by.figure), target))
        if usable.holds(names):
            return {"by": by, "at": at}
    return usual


def _candidates(rules: Rules, reads: frozenset[str], side: str, typical: str) -> Iterator[Start]:
    """Yield ranks, the typical one first, then from the lowest; then ranks with each profession
    that the roll names."""
    rows = reversed(rules.ranks)
    ranks = sorted(rows, key=lambda row: row.key != typical)
    yield from (Start(rank.key) for rank in ranks)
    for row in rules.professions:
        if f"{side}.has_profession:{row.key}" not in reads:
            continue
        for rank in ranks:
            if rank.profession == "required" and (not row.ranks or rank.key in row.ranks):
                yield Start(rank.key, row.key)
