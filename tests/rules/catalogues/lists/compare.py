"""A list as a gang of the imported game: does it cost the same, and is it allowed alike?

``compare`` founds the gang through the pure engine, with the map of ids that came with the imported
game. Each difference must be in a note that names the element; ``Compared`` shows whether it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from gangs.engine import entries as kinds
from gangs.engine import offers
from gangs.engine.computed import ComputedGang
from gangs.engine.fitting import find_host
from gangs.engine.fold import fold
from gangs.engine.roster import Member, OwnedItem, Roster
from gangs.engine.shelf import kit
from gangs.engine.validation import findings
from gangs.engine.valuation import member_rating, newcomer, stashed_price
from rules.book.model import Book
from rules.catalogues.results import Answers, Imported
from rules.loading.reader import RawBook, parse
from tests.rules.catalogues.lists.evaluator import Data, Evaluated, Option, Selection, Violation


def book_of(imported: Imported) -> Book:
    """Return the imported rulebook, checked like any other. Raises BadBook."""
    return parse(RawBook({"slug": "imported", **imported.data}, "imported"))


def find[T](rows: Mapping[str, T], option: Option, catalogue: str = "") -> T | None:
    """Return what an import has for an option, in lists of a catalogue; None if it has nothing.

    Of an option inside a link's target, the ids of the outer links may be left out.
    """
    parts = option.id.split("::")
    for start in range(len(parts)):
        path = "::".join(parts[start:])
        for key in (f"{catalogue}::{path}", path):
            if key in rows:
                return rows[key]
    return None


def row_of(imported: Imported, option: Option, catalogue: str = "") -> tuple[str, str] | None:
    """Return the table and key of an option's row in lists of a catalogue; None if it has none."""
    return find(imported.ids, option, catalogue)


def role_of(answers: Answers, option: Option) -> str:
    """Return the role of an option, or of a group or category that it is in; "" if it has none."""
    keys = option.ids | option.categories
    return next((role for key, role in answers.roles.items() if key in keys), "")


def names_in(imported: Imported) -> set[str]:
    """Return all names that notes give as their places."""
    return {name for note in imported.notes for name in note.place}


def names_of(option: Option) -> set[str]:
    """Return the names of an option, its link, and the groups around it."""
    parts = [*option.parts, *(part for group in option.groups for part in group.parts)]
    return {name for part in parts if (name := part.get("name"))}


def settings_of(imported: Imported, book: Book, found: Evaluated) -> dict[str, str | int]:
    """Return the options that choose a list's catalogue: the choice that has its name."""
    name = found.data.catalogues[found.catalogue]["name"]
    keys = {found.catalogue}
    if (row := imported.ids.get(found.catalogue)) is not None:
        keys.add(row[1].rpartition(".")[2])
    chosen: dict[str, str | int] = {}
    for setting in book.settings:
        for choice in getattr(setting, "choices", ()):
            if choice.key in keys or name.endswith(choice.name.first):
                chosen[setting.key] = choice.key
    return chosen


@dataclass
class Translation:
    """The entries that found a list as a gang. ``left``: selections without a row."""

    imported: Imported
    book: Book
    entries: list[kinds.Entry]
    catalogue: str = ""
    left: list[Selection] = field(default_factory=list)
    # Each member's rank, items, and what they joined with and the list has not named yet.
    ranks: dict[int, str] = field(default_factory=dict)
    # The number of the selection that each member is, which all numbers inside contain.
    numbers: dict[int | None, int] = field(default_factory=dict)
    owned: dict[int | None, list[OwnedItem]] = field(default_factory=dict)
    spare: dict[int, list[str]] = field(default_factory=dict)

    def place(self, one: Selection, member: int | None) -> None:
        """Add a selection and everything inside."""
        row = row_of(self.imported, one.option, self.catalogue)
        # Copies that are part of the selection around are in its price.
        bundled = find(self.imported.bundled, one.option, self.catalogue) or 0
        of_each = (one.count - bundled) * (one.parent.number if one.parent else 1)
        count = max(0, of_each // self.numbers.get(member, 1))
        match row:
            case ("ranks", key) if member is None or self.ranks[member] != key:
                for _ in range(one.count):
                    recruited = self.recruit(key)
                    self.numbers[recruited] = one.number
                    self.place_all(one.inside, recruited)
                return
            case ("ranks", _):
                # It belongs to everybody of the rank, and its cost to the rank's.
                pass
            case ("items", key):
                for _ in range(count):
                    self.buy(key, member)
            case ("traits", key) if member is not None:
                for _ in range(count):
                    self.learn(key, member)
            case ("professions", key) if member is not None:
                self.entries.append(kinds.ProfessionChosen(member=member, profession=key))
            case ("holdings", key):
                for _ in range(count):
                    self.entries.append(kinds.HoldingGained(holding=key))
            case _:
                self.left.append(one)
        self.place_all(one.inside, member)

    def place_all(self, selections: Iterable[Selection], member: int | None) -> None:
        """Add several selections; what is fitted to others comes after them."""
        for one in selections:
            self.place(one, member)

    def recruit(self, rank: str) -> int:
        """Recruit a member with their kit and return their number."""
        self.entries.append(kinds.Recruited(rank=rank, name=f"Number {len(self.entries)}"))
        member = len(self.entries)
        roster = fold(self.book, enumerate(self.entries, 1))
        figure = newcomer(self.book, roster, rank)
        given = kit(self.book.under(roster.settings), figure, member, playing=False)
        self.ranks[member] = rank
        self.spare[member] = [bought.item for bought in given] + [*self.book.rank[rank].traits]
        self.owned[member] = []
        for bought in given:
            self.entries.append(bought)
            item = OwnedItem(id=len(self.entries), key=bought.item, on=bought.on)
            self.owned[member].append(item)
        return member

    def learn(self, key: str, member: int) -> None:
        """Take a trait, unless everybody of the rank has it."""
        if key in self.spare[member]:
            self.spare[member].remove(key)
            return
        self.entries.append(kinds.TraitTaken(member=member, trait=key))

    def buy(self, key: str, member: int | None) -> None:
        """Buy an item, unless it is in the member's kit."""
        if member is not None and key in self.spare[member]:
            self.spare[member].remove(key)
            return
        owned = self.owned.setdefault(member, [])
        host = find_host(self.book, owned, key) if member is not None else None
        self.entries.append(kinds.Bought(item=key, member=member, on=host))
        owned.append(OwnedItem(id=len(self.entries), key=key, on=host))


@dataclass(frozen=True)
class Share:
    """A root selection's part in the list: its cost and worth there and here.

    ``is_noted``: whether a note names it or anything inside.
    """

    name: str
    price: tuple[Decimal, Decimal]
    worth: tuple[Decimal, Decimal]
    is_noted: bool

    @property
    def is_equal(self) -> bool:
        """Whether it costs and is worth the same."""
        return self.price[0] == self.price[1] and self.worth[0] == self.worth[1]


@dataclass(frozen=True)
class Compared:
    """The cost of a list and whether it is allowed, by the catalogue and in the imported game.

    ``price``: the whole list's, there and here. ``left``: selections without a row. ``broken`` and
    ``refused``: why it is not allowed, there and here. ``covers_limits``: whether notes name an
    element whose limit is broken there, or a selection that is refused here. ``has_another_way``:
    the limits broken there are those of one way to have things, of which members may have more in
    another way; here, both ways are the same.
    """

    price: tuple[Decimal, Decimal]
    shares: tuple[Share, ...]
    left: tuple[str, ...]
    broken: tuple[str, ...]
    refused: tuple[str, ...]
    covers_limits: bool
    has_another_way: bool = False

    @property
    def costs_the_same(self) -> bool:
        """Whether the gang costs and is worth what the list says.

        A member may cost what the catalogue adds to another for them, if the sum is the same.
        """
        worth = [sum(share.worth[side] for share in self.shares) for side in (0, 1)]
        return self.price[0] == self.price[1] and worth[0] == worth[1]

    @property
    def covers_costs(self) -> bool:
        """Whether notes name something in each root selection that costs otherwise."""
        return all(share.is_equal or share.is_noted for share in self.shares)

    @property
    def is_allowed_alike(self) -> bool:
        """Whether both allow it, or neither does."""
        return bool(self.broken) == bool(self.refused)


def compare(imported: Imported, book: Book, answers: Answers, found: Evaluated) -> Compared:
    """Translate a list and compare. Raises Misfit if the engine cannot fold the gang."""
    settings = {**book.default_settings(), **settings_of(imported, book, found)}
    founded = kinds.Founded(name="A list", settings=settings)
    translation = Translation(imported, book, [founded], found.catalogue)
    brought: list[tuple[Selection, set[int], int]] = []
    for root in found.selections:
        members, stash = set(translation.ranks), len(translation.owned.get(None, []))
        translation.place(root, None)
        brought.append((root, set(translation.ranks) - members, stash))
    roster = fold(book, enumerate(translation.entries, 1))
    gang = ComputedGang.of(book, roster)
    noted = names_in(imported)
    shares = []
    for number, (root, members, start) in enumerate(brought):
        end = brought[number + 1][2] if number + 1 < len(brought) else None
        shares.append(_share(gang, answers, found, root, members, roster.stash[start:end], noted))
    broken = found.violations()
    refused = tuple(sorted({*_errors(book, roster), *_not_offered(gang)}))
    selected = {name for one in found.all for name in names_of(one.option)}
    concerned = {one.name for one in broken} if broken else selected
    if any(one.id == "limit" for one in broken):
        # A sum that differs, with notes on its parts, may be within the limit here.
        concerned |= {share.name for share in shares if not share.is_equal}
    return Compared(
        price=(found.total(answers.money), Decimal(str(gang.price))),
        shares=tuple(shares),
        left=tuple(sorted({one.option.name for one in translation.left})),
        broken=tuple(sorted(f"{one.id} of {one.name}" for one in broken)),
        refused=refused,
        covers_limits=bool(concerned & noted),
        has_another_way=bool(broken)
        and all(_may_be_elsewhere(imported, found, one) for one in broken),
    )


def _may_be_elsewhere(imported: Imported, found: Evaluated, broken: Violation) -> bool:
    """Whether a limit is about an option, and each member with it can have its thing otherwise."""
    holders = {one.parent for one in found.all if one.option.id == broken.element and one.parent}
    return bool(holders) and all(
        sum(
            row_of(imported, option, found.catalogue)
            == row_of(imported, broken_option, found.catalogue)
            for option in holder.option.children
        )
        > 1
        for holder in holders
        for broken_option in holder.option.children
        if broken_option.id == broken.element
    )


def _share(
    gang: ComputedGang, answers: Answers, found: Evaluated, root: Selection,
    members: Iterable[int], stash: Iterable[OwnedItem], noted: set[str],
) -> Share:  # fmt: skip
    """Compare one root selection with the members and the stash that it became."""
    own = [member for member in gang.roster.members if member.id in members]
    stash = list(stash)
    price = sum(Decimal(str(gang.cost(gang.figures[member.id]))) for member in own)
    price += sum(Decimal(str(stashed_price(gang.book, gang.roster, item))) for item in stash)
    costs = [found.costs(one) for one in root.everything()]
    wanted = sum((cost[answers.money] for cost in costs), Decimal(0))
    worth = (Decimal(0), Decimal(0))
    if answers.worth and gang.book.rating is not None and not stash:
        ratings = (member_rating(gang.book, gang.roster, member).total for member in own)
        there = sum((cost[answers.worth] for cost in costs), Decimal(0))
        worth = (there, sum((Decimal(str(one)) for one in ratings), Decimal(0)))
    names = {name for one in root.everything() for name in names_of(one.option)}
    return Share(root.option.name, (wanted, Decimal(price)), worth, bool(names & noted))


def _errors(book: Book, roster: Roster) -> Iterator[str]:
    """Yield the limits that a gang breaks. Mere warnings are left out."""
    for finding in findings(book, roster):
        if finding.severity == "error":
            yield f"limit {finding.code}"


def _not_offered(gang: ComputedGang) -> Iterator[str]:
    """Yield everything that the gang has and could not get, were it the last to come."""
    book, roster = gang.book, gang.roster
    recruited = {rank.key for rank in gang.rules.recruited}
    for member in roster.members:
        if member.rank not in recruited:
            yield f"rank {member.rank}"
        for owned in member.items:
            if not owned.included:
                kept = tuple(one for one in member.items if one is not owned)
                yield from _cannot_buy(book, roster, member, owned, kept)
        for trait in member.traits:
            kept_traits = tuple(one for one in member.traits if one != trait)
            before = _with(roster, member.changed(traits=kept_traits))
            computed = ComputedGang.of(book, before)
            holder = next(one for one in before.members if one.id == member.id)
            rows = {offer.row.key: offer for offer in offers.traits(computed, holder)}
            if trait not in rows or rows[trait].refusal is not None:
                yield f"trait {trait}"


def _cannot_buy(
    book: Book, roster: Roster, member: Member, owned: OwnedItem, kept: tuple[OwnedItem, ...]
) -> Iterator[str]:
    before = _with(roster, member.changed(items=kept))
    computed = ComputedGang.of(book, before)
    holder = next(one for one in before.members if one.id == member.id)
    rows = {offer.row.key: offer for offer in offers.items(computed, holder)}
    offer = rows.get(owned.key)
    if offer is None or offer.refusal is not None:
        why = offer.refusal.code if offer is not None and offer.refusal is not None else "never"
        yield f"item {owned.key}: {why}"


def _with(roster: Roster, member: Member) -> Roster:
    members = tuple(member if one.id == member.id else one for one in roster.members)
    return roster.changed(members=members)


def every_option(data: Data, catalogue: str) -> Iterator[Option]:
    """Yield all entries that a catalogue's lists can select, at any depth."""
    for root in data.roots(catalogue):
        if not root.is_group:
            yield from _and_inside(root)


def _and_inside(option: Option) -> Iterator[Option]:
    yield option
    for one in option.children:
        yield from _and_inside(one)
