"""A legal gang for people who do not know the game: the first ready-made one of its rulebook that
breaks no limit or, without one, a gang that is put together step by step.

The steps are those of a player who follows the builder's list of things to do: recruit and choose
what the rulebook requires, then add a few members and give each a weapon, within the budget. The
same rulebook always gets the same gang.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from random import Random

from gangs.engine import checklist, offers
from gangs.engine.belonging import find_owners
from gangs.engine.checklist import Task
from gangs.engine.computed import ComputedGang
from gangs.engine.errors import Misfit
from gangs.engine.keyed import Keyed
from gangs.engine.purses import balance
from gangs.engine.ready_made import found_ready_made
from gangs.engine.roster import Member
from gangs.engine.validation import Finding, counts_item, counts_trait, findings
from rules.book.limits import ItemsLimit, TraitsLimit
from rules.book.model import Book, Sample, SampleMember
from rules.book.schema import Item, Rank
from rules.book.vocabulary import Text
from rules.engine.costing import Points
from rules.engine.duels import Arena
from rules.engine.fairness import typical_rank
from rules.engine.figure import Figure
from rules.engine.odds import HOPELESS
from rules.engine.profiles import evenly

# The key of a gang that is put together.
MADE = "first-gang"
# Members that a gang gets if the rulebook requires fewer, and the most that it may require.
USUAL, MOST = 5, 20
# Ready-made gangs that are looked at.
MOST_SAMPLES = 12
# Gangs that are tried before the search gives up, and ways to carry out one task.
MOST_TRIED, MOST_WAYS = 300, 12
# Checks of limits that count as one more trial, and checks of items that take as long as one of a
# member.
CHECKS, FIGURES = 50_000, 25
# Items for sale that are considered as a member's weapon, and weapons that they try.
MOST_WARES, MOST_TRIED_ON = 60, 3
# Letters of a rank in a member's name, which leave room for a number.
LONGEST = 60


def find_first_gang(book: Book) -> Sample | None:
    """Return a gang without errors; None if none was found. Remembers it for each version."""
    return _find(Keyed(book.digest, book))


@lru_cache(maxsize=64)
def _find(keyed: Keyed[Book]) -> Sample | None:
    book = keyed.value
    for sample in book.samples[:MOST_SAMPLES]:
        with suppress(Misfit, KeyError):
            if not any(_is_error(one) for one in _list_findings(found_ready_made(book, sample))):
                return sample
    return _Search(book).put_together()


def _list_findings(gang: ComputedGang) -> tuple[Finding, ...]:
    return findings(gang.book, gang.roster, gang)


def _is_error(finding: Finding) -> bool:
    return finding.severity == "error"


@dataclass(frozen=True)
class _Draft:
    """A gang that is being put together."""

    members: tuple[SampleMember, ...]
    gang: ComputedGang

    @cached_property
    def found(self) -> tuple[Finding, ...]:
        """Its findings, without remarks on money that is left."""
        return tuple(one for one in _list_findings(self.gang) if one.sort == "breach")

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """Everything that is left to do."""
        tasks = checklist.tasks(self.gang)
        return tuple(one for one in tasks if one.have < one.need)

    @cached_property
    def faults(self) -> tuple[Points, ...]:
        """Things that are forbidden, what is spent beyond the budget, what is missing by kind of
        task, and warnings: a step is right if it makes this less."""
        kinds = checklist.KINDS
        missing = [sum(t.need - t.have for t in self.tasks if t.kind == kind) for kind in kinds]
        wrong = [one.severity for one in self.found if not one.missing]
        return wrong.count("error"), self.owed, *missing, wrong.count("warning")

    @cached_property
    def owed(self) -> Points:
        """The money and other currencies that it has spent beyond what a new gang has."""
        left = (self.gang.left or 0, *balance(self.gang.book, self.gang.roster).values())
        return sum(max(0, -amount) for amount in left)

    @property
    def is_legal(self) -> bool:
        """Whether it breaks no limit that counts as an error, and is paid for."""
        return bool(self.members) and not self.owed and not any(map(_is_error, self.found))


class _Search:
    """The search for a gang of one rulebook under its usual options."""

    def __init__(self, book: Book) -> None:
        self.book, self.rules, self.tried = book, book.usual, 0
        self.weapons: dict[tuple[str, str], bool] = {}

    def put_together(self) -> Sample | None:
        """Return a legal gang; None if none was found."""
        draft = self.draft(())
        draft = draft and self.arm(self.carry_out(draft))
        while draft and len(draft.members) < USUAL:
            larger = next((one for one in self.enlarge(draft)), None)
            if larger is None:
                break
            draft = larger
        return self.sample(draft.members) if draft and draft.is_legal else None

    def has_time(self, things: int) -> bool:
        """Count the trial of a gang, or the look at what is for sale, by the number of things that
        each limit is checked for; False once it was enough."""
        self.tried += 1 + things * len(self.book.limits) // CHECKS
        return self.tried <= MOST_TRIED

    def sample(self, members: tuple[SampleMember, ...]) -> Sample:
        """These members as a ready-made gang, called after the game."""
        name = self.book.title.first[:LONGEST]
        return Sample(key=MADE, name=name, text=Text(self.book.title.root), members=members)

    def draft(self, members: tuple[SampleMember, ...]) -> _Draft | None:
        """Found a gang of these members; None if it cannot be, or enough have been tried."""
        if len(members) > MOST or not self.has_time(len(members) * FIGURES):
            return None
        with suppress(Misfit, KeyError):
            return _Draft(members, found_ready_made(self.book, self.sample(members)))
        return None

    def carry_out(self, draft: _Draft) -> _Draft:
        """Carry out the tasks of a gang, one step after the other, as far as possible."""
        while better := self.improve(draft):
            draft = better
        return draft

    def improve(self, draft: _Draft) -> _Draft | None:
        """Return the gang after the first step that carries out a part of a task."""
        for task in draft.tasks:
            for _number, members in zip(range(MOST_WAYS), self.ways(draft, task), strict=False):
                after = self.draft(members)
                if after and after.faults < draft.faults:
                    return after
        return None

    def enlarge(self, draft: _Draft) -> Iterator[_Draft]:
        """Yield the gang with one more member, armed, if it has no more faults than before."""
        for rank in self.wanted(draft)[:MOST_WAYS]:
            for members in self.recruit(draft, rank):
                after = self.draft(members)
                after = after and self.arm(self.carry_out(after), len(draft.members))
                if after and after.faults <= draft.faults and after.is_legal >= draft.is_legal:
                    yield after

    def wanted(self, draft: _Draft) -> list[Rank]:
        """The ranks that a gang should have more of, the best first: a leader if it has none, then
        the most common rank; those who belong to others come last."""
        usual, rank_of = typical_rank(self.rules), self.book.rank
        is_led = any(rank_of[one.rank].leads for one in draft.members)
        return sorted(
            self.rules.recruited,
            key=lambda row: (row.belongs_to is not None, is_led == row.leads, row != usual),
        )

    def ways(self, draft: _Draft, task: Task) -> Iterator[tuple[SampleMember, ...]]:
        """Yield the gang after each way to carry out a part of a task."""
        gang, places = draft.gang, self.places(draft, task)
        match task.kind:
            case "recruit":
                priced = offers.rank_prices(gang)
                ranks = [row for row in self.rules.recruited if row.key in (task.ranks or priced)]
                for rank in sorted(ranks, key=lambda row: priced[row.key]):
                    yield from self.recruit(draft, rank)
            case "trait" | "learn" | "skills":
                for place, member in places:
                    for offer in offers.traits(gang, member):
                        limit = task.limit
                        wanted = not isinstance(limit, TraitsLimit) or counts_trait(
                            limit, offer.row
                        )
                        if not offer.refusal and wanted and task.trait in (None, offer.row.key):
                            traits = (*draft.members[place].traits, offer.row.key)
                            yield _changed(draft, place, traits=traits)
            case "profession":
                for place, member in places:
                    for calling in offers.professions(gang, member):
                        if not calling.refusal:
                            yield _changed(draft, place, profession=calling.row.key)
            case "points":
                for place, member in places:
                    yield _changed(draft, place, points=self.spread(gang, member))
            case "items" | "gear" if isinstance(task.limit, ItemsLimit):
                for place, member in places:
                    for row in self.for_sale(gang, member):
                        if counts_item(task.limit, row):
                            yield _changed(
                                draft, place, items=(*draft.members[place].items, row.key)
                            )

    def places(self, draft: _Draft, task: Task) -> list[tuple[int, Member]]:
        """The members whom a task is about, each with their place in the gang."""
        members = enumerate(draft.gang.roster.members)
        return [(place, one) for place, one in members if one.id in task.members]

    def recruit(self, draft: _Draft, rank: Rank) -> Iterator[tuple[SampleMember, ...]]:
        """Yield the gang with one more member of a rank, or a squad: as each complete recruit of
        the rulebook, then with nothing."""
        outfits = [row for row in self.rules.archetypes if row.rank == rank.key]
        count = rank.squad.minimum if rank.squad else 1
        squad = f"{len({one.squad for one in draft.members} - {''}) + 1}" if rank.squad else ""
        for outfit in (*outfits[:MOST_WAYS], SampleMember(name="-", rank=rank.key)):
            members = draft.members
            for _number in range(min(count, MOST)):
                recruit = SampleMember(
                    **{key: getattr(outfit, key) for key in _CHOICES},
                    name=self.name(members, rank),
                    rank=rank.key,
                    squad=squad,
                    owner=self.owner(draft, rank) if rank.belongs_to else "",
                )
                members = (*members, recruit)
            yield members

    def owner(self, draft: _Draft, rank: Rank) -> str:
        """The name of a member who can own one more of a rank; "" if nobody can."""
        able = {one.id for one in find_owners(draft.gang, rank)}
        members = zip(draft.members, draft.gang.roster.members, strict=True)
        return next((one.name for one, member in members if member.id in able), "")

    def name(self, members: tuple[SampleMember, ...], rank: Rank) -> str:
        """A name that nobody has yet: the next of the rulebook's names, or the rank's, with a
        number from the second on."""
        taken = {one.name for one in members}
        names = next(iter(self.book.names.root.values()), ())
        first = rank.name.first[:LONGEST]
        numbered = (f"{first} {number}" for number in range(2, 2 * MOST + 2))
        return next(name for name in (*names, first, *numbered) if name not in taken)

    def spread(self, gang: ComputedGang, member: Member) -> dict[str, int]:
        """The points of a member, with those that are left spread as evenly as the maximums
        allow."""
        scores = gang.profiles[member.id].scores
        room = {
            row.key: max(0, scores[row.key].room_to_rise)
            for row in self.book.characteristics
            if row.kind == "number" and row.bought_with_points and row.key in scores
        }
        more = evenly(room, max(0, gang.points_left(member)))
        keys = {**member.points, **more}
        points = {key: member.points.get(key, 0) + more.get(key, 0) for key in keys}
        return {key: amount for key, amount in points.items() if amount}

    def for_sale(self, gang: ComputedGang, member: Member) -> list[Item]:
        """The items that a member may buy without harm to the rest of the gang, the cheapest
        first."""
        if not self.has_time(len(self.book.items)):
            return []
        found = [
            offer
            for offer in offers.items(gang, member)
            if not offer.refusal and not offer.caution and not offer.costs
        ]
        return [offer.row for offer in sorted(found, key=lambda offer: offer.price)]

    def arm(self, draft: _Draft, first: int = 0) -> _Draft:
        """Give each member from a place on who has no weapon one that costs at most a fair share of
        the money left."""
        if not Arena(self.rules, Random(0)).attacking:
            return draft
        for place, member in enumerate(draft.gang.roster.members):
            if place < first or any(
                self.is_weapon(member.rank, owned.key) for owned in member.items
            ):
                continue
            gang, items = draft.gang, draft.members[place].items
            wares = self.for_sale(gang, gang.roster.members[place])[:MOST_WARES]
            rows = [row for row in wares if self.is_weapon(member.rank, row.key)]
            for row in _choose(rows, gang.left, place):
                after = self.draft(_changed(draft, place, items=(*items, row.key)))
                if after and after.faults <= draft.faults:
                    draft = after
                    break
        return draft

    def is_weapon(self, rank: str, item: str) -> bool:
        """Whether a member of a rank can attack another with an item."""
        if (rank, item) not in self.weapons:
            arena = Arena(self.rules, Random(0))
            armed = arena.enter(Figure(rank, rank, items=(item,)))
            found = arena.attacks(armed, arena.enter(Figure(rank, rank)))
            with suppress(*HOPELESS):
                self.weapons[rank, item] = any(attack.item == item for attack in found)
        return self.weapons.setdefault((rank, item), False)


def _choose(rows: list[Item], left: Points | None, place: int) -> list[Item]:
    """The weapons to try for the member at a place, of those for sale, the cheapest first: without
    a budget, each member's is another; else the dearest that leaves as much for those behind
    them."""
    if left is None:
        start = place % len(rows) if rows else 0
        return rows[start:][:MOST_TRIED_ON]
    fair = [row for row in rows if row.price * max(1, USUAL - place) <= left]
    return [*fair[::-1][: MOST_TRIED_ON - 1], *rows[:1]]


# The fields of a complete recruit that a new member takes over.
_CHOICES = ("origin", "profession", "points", "traits", "items")


def _changed(draft: _Draft, place: int, **changes: object) -> tuple[SampleMember, ...]:
    """The members of a gang with something about one of them changed."""
    members = list(draft.members)
    members[place] = members[place].model_copy(update=changes)
    return tuple(members)
