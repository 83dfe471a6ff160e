"""The entries that found a gang like a list of an army builder, in a game made from its catalogues.

Every purchase is decided like a player's (``actions``), so nothing enters that the rulebook
refuses. A note names the place of everything that does not come over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, partial

from common.errors import Refusal
from common.wording.sentences import Sentence, say
from common.wording.sentences import gettext_noop as _
from gangs.engine import actions, holdings
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.errors import Misfit
from gangs.engine.fold import apply, fold
from gangs.engine.groups import LONGEST_NAME
from gangs.engine.roster import Member
from rules.book.model import Book
from rules.book.schema import ChoiceSetting
from rules.book.vocabulary import Settings, Text
from rules.catalogues.entry_map import EntryMap, RowKey, everything
from rules.catalogues.results import Role
from rules.catalogues.rosters import Roster, RosterForce, Selection
from rules.engine.costing import Points
from rules.engine.figure import all_traits

# Selections of a list that can become a gang, and decisions that they may take together.
MOST_SELECTIONS = 500
MOST_DECISIONS = 600
# Things of one member, or in the stash.
MOST_THINGS = 60
# Notes that are kept; more would not help anybody.
MOST_NOTES = 300
LONGEST = 80
LONGEST_TEXT = 4_000
MODELS = ("unit", "model")
NONE = Decimal(0)

UNKNOWN = _("The game has nothing for this.")
NO_FACTION = _("The game has no option with this name: its usual options apply.")
OTHER_FACTION = _("A gang has the options of one catalogue: those of the first force apply.")
NOBODY = _("Nobody in the list has this, so it is left out.")
NAMED = _("The only member of this unit already has a name.")
SHORTENED = _("This text is too long for a gang: it is shortened.")
TOO_MUCH = _("The list is too long for a gang: everything from here on is left out.")
FULL = _("Nobody has more than %(most)s things when a list becomes a gang.")
WITHOUT = _("Left out, because the one who has it is.")
# Sentences for records of a campaign: the gang's own history takes their place.
RECORDS: dict[Role, Sentence] = {
    "experience": say(_("Experience is not part of a list here. Add it in the gang’s history.")),
    "promotion": say(_("A promotion is not part of a list here. Add it in the gang’s history.")),
    "rise": say(_("An advance is not part of a list here. Add it in the gang’s history.")),
    "injury": say(_("An injury is not part of a list here. Add it in the gang’s history.")),
    "stash": say(_("The stash and its money are not part of a list here. Add them to the gang.")),
}


type Why = Sentence | Refusal


@dataclass(frozen=True)
class ListNote:
    """Something that did not come over as the list has it. ``place``: names from the force down to
    the selection; ``why``: a sentence, or the refusal of a purchase; ``count``: how many copies."""

    place: tuple[str, ...]
    why: Why
    count: int = 1


@dataclass(frozen=True)
class Translation:
    """A list as a gang. ``entries`` found it; ``costs``: each member's cost in the list, by their
    number; ``total``: the list's cost as it says itself, in money, or None if it is not known;
    ``unlisted``: how many more notes there are."""

    entries: tuple[Entry, ...]
    notes: tuple[ListNote, ...]
    gang: ComputedGang
    costs: dict[int, Decimal]
    total: Decimal | None
    unlisted: int = 0

    @property
    def price(self) -> Points:
        """The price of the whole gang."""
        return self.gang.price

    @property
    def costs_the_same(self) -> bool:
        """Whether the list and the gang have the same cost, as far as it is known."""
        return self.total is None or self.total == Decimal(str(self.price))


def is_too_long(roster: Roster) -> bool:
    """Whether a list has more selections than a gang can be made from."""
    return sum(1 for _selection in everything(roster)) > MOST_SELECTIONS


def found_from_roster(book: Book, ids: EntryMap, roster: Roster, name: str = "") -> Translation:
    """Translate a list of at most ``MOST_SELECTIONS`` selections. ``ids``: an empty map for names
    only; ``name``: the gang's, by default the list's. Never raises for a list that was read."""
    work = _Translating(book, ids, roster)
    work.begin(name)
    for force in _forces(roster.forces):
        place = (force.custom_name or force.name or force.catalogue_name,)
        work.catalogue = force.catalogue_id
        for selection in force.selections:
            work.place(selection, (), place)
    return Translation(
        tuple(work.entries),
        tuple(work.notes),
        work.gang,
        work.costs,
        find_total(roster, ids),
        work.unlisted,
    )


def find_total(roster: Roster, ids: EntryMap) -> Decimal | None:
    """The cost of a list in the game's money. Without a map it is known if there is only one
    cost."""
    costs = {kind: cost for kind, cost in roster.costs if cost}
    if ids.money:
        return costs.get(ids.money, NONE)
    return next(iter(costs.values())) if len(costs) == 1 else None


def _forces(forces: Iterable[RosterForce]) -> Iterator[RosterForce]:
    for force in forces:
        yield force
        yield from _forces(force.forces)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _words(text: Text) -> set[str]:
    return {_folded(words) for _language, words in text}


@dataclass
class _Translating:
    """A list on its way. ``gang``: the gang after ``entries``; ``spare``: things that members got
    with their rank, which the list has not named yet, by member; ``squads``: the names of groups,
    by rank and the unit in the list; ``catalogue``: the id of the present force's."""

    book: Book
    ids: EntryMap
    roster: Roster
    entries: list[Entry] = field(default_factory=list)
    notes: list[ListNote] = field(default_factory=list)
    costs: dict[int, Decimal] = field(default_factory=dict)
    spare: dict[int, list[str]] = field(default_factory=dict)
    squads: dict[tuple[str, int], str] = field(default_factory=dict)
    catalogue: str = ""
    decisions: int = 0
    unlisted: int = 0
    gang: ComputedGang = field(init=False)

    @cached_property
    def names(self) -> dict[str, dict[str, str]]:
        """Keys by name, by table: for selections whose ids the map does not have."""
        tables = ("ranks", "items", "traits", "professions", "holdings")
        return {
            table: {
                words: row.key
                for row in reversed(getattr(self.book, table))
                for words in _words(row.name)
            }
            for table in tables
        }

    def begin(self, name: str) -> None:
        """Found the gang, with the options that the list's first force chooses."""
        usual = self.roster.name or self.roster.system_name or self.roster.file
        called = self.shorten(name or usual, LONGEST, (usual,))
        settings = self.choose_settings()
        self.entries += actions.found(self.book, called, settings)
        self.gang = ComputedGang.of(self.book, fold(self.book, enumerate(self.entries, start=1)))
        if self.roster.notes:
            text = self.shorten(self.roster.notes, LONGEST_TEXT, (usual,))
            self.add([kinds.Noted(text=text)])

    def choose_settings(self) -> Settings:
        """Return the choices that have the name of the list's catalogue or force."""
        rows = [row for row in self.book.settings if isinstance(row, ChoiceSetting)]
        chosen: Settings = {}
        catalogues: dict[str, str] = {}
        for force in _forces(self.roster.forces):
            catalogues.setdefault(force.catalogue_id, force.catalogue_name)
            for name in (force.catalogue_name, force.name):
                if found := _find_choice(rows, name):
                    chosen.setdefault(*found)
        if any(row.gang_only for row in rows):
            first, *others = catalogues.values() or ("",)
            for name in others:
                self.note((name,), say(OTHER_FACTION))
            if first and not chosen:
                self.note((first,), say(NO_FACTION))
        return chosen

    def note(self, place: Sequence[str], why: Why, count: int = 1) -> None:
        """Note something that does not come over."""
        if len(self.notes) < MOST_NOTES:
            self.notes.append(ListNote(tuple(place), why, count))
        else:
            self.unlisted += 1

    def shorten(self, text: str, most: int, place: Sequence[str]) -> str:
        """Cut a text that is too long, with a note."""
        if len(text) <= most:
            return text
        self.note(place, say(SHORTENED))
        return text[:most]

    def find_row(self, selection: Selection, *, is_held: bool) -> RowKey | None:
        """Return a selection's row: by its id, else by its name. ``is_held``: a member has it."""
        if (row := self.ids.find_row(selection.entry_id, self.catalogue)) is not None:
            return row
        name, goods = _folded(selection.name), ("items", "traits", "professions")
        tables = [*goods, "ranks"] if is_held else ["ranks", "holdings", *goods]
        if selection.kind == "upgrade":
            tables.remove("ranks")
        return next(
            ((table, self.names[table][name]) for table in tables if name in self.names[table]),
            None,
        )

    def place(
        self, selection: Selection, members: Sequence[int], place: tuple[str, ...],
        unit: Selection | None = None, around: Selection | None = None,
    ) -> Sequence[int]:  # fmt: skip
        """Add a selection with everything inside to members who share it, or to the gang. Returns
        the members that it brought. ``unit``: the unit or model around it; ``around``: the
        selection that it is directly inside."""
        place = (*place, selection.custom_name or selection.name)
        if self.decisions >= MOST_DECISIONS:
            if not any(str(note.why) == TOO_MUCH for note in self.notes[-1:]):
                self.note(place, say(TOO_MUCH))
            return ()
        role = self.ids.find_role(selection)
        if role in RECORDS:
            self.note(place, RECORDS[role], selection.number)
            self.count_costs(selection, members)
            return ()
        row = self.find_row(selection, is_held=bool(members))
        table, key = row or ("", "")
        if table == "ranks" and (not members or selection.kind in MODELS):
            return self.recruit(selection, key, members, place, unit)
        self.count_costs(selection, members)
        bundled = self.ids.count_bundled(selection.entry_id, self.catalogue)
        count = max(0, selection.number - bundled * (around.number if around else 1))
        if table == "ranks" and all(self.member(one).rank == key for one in members):
            # A part of the model itself, whose profile and cost are the rank's.
            self.write_notes(selection, members, place)
        elif table == "holdings":
            self.hold(selection, key, place, count)
        elif table == "items" or (members and table in ("traits", "professions")):
            self.give(count, table, key, members, place)
        elif table in ("traits", "professions"):
            self.note(place, say(NOBODY), selection.number)
        else:
            self.note(place, say(UNKNOWN), selection.number)
        found: list[int] = []
        for one in selection.selections:
            found += self.place(one, members, place, unit, selection)
        return found

    def recruit(
        self, selection: Selection, rank: str, members: Sequence[int], place: tuple[str, ...],
        unit: Selection | None,
    ) -> Sequence[int]:  # fmt: skip
        """Recruit the members of a unit or model, with what they have."""
        if len(members) == 1 and selection.number == 1 and self.member(members[0]).rank == rank:
            # The only model of a unit that is a member itself.
            found = [*members]
            self.count_costs(selection, found)
            self.name(selection, found, place)
        elif models := self.models_of(selection, rank):
            return self.recruit_unit(selection, models, place)
        else:
            found = self.join(selection, rank, place, unit or selection)
            if not found:
                self.leave_out(selection.selections, place)
                return ()
        self.write_notes(selection, found, place)
        brought = [*found]
        for one in selection.selections:
            brought += self.place(one, found, place, selection, selection)
        return brought

    def models_of(self, selection: Selection, rank: str) -> list[Selection]:
        """Return the models that a unit consists of: those inside it of its own rank."""
        return [
            one
            for one in selection.selections
            if selection.kind == "unit"
            and one.kind in MODELS
            and self.find_row(one, is_held=False) == ("ranks", rank)
        ]

    def recruit_unit(
        self, unit: Selection, models: Sequence[Selection], place: tuple[str, ...]
    ) -> Sequence[int]:
        """Recruit the models of a unit. The first of its own rank has what the unit has."""
        brought: list[int] = []
        for one in models:
            brought += self.place(one, (), place, unit)
        if not brought:
            # Its models are noted already.
            self.leave_out([one for one in unit.selections if one not in models], place)
            return ()
        leading = brought[:1]
        self.count_costs(unit, leading)
        self.name(unit, leading, place)
        self.write_notes(unit, leading, place)
        for one in unit.selections:
            if one not in models:
                brought += self.place(one, leading, place, unit, unit)
        return brought

    def leave_out(self, selections: Iterable[Selection], place: tuple[str, ...]) -> None:
        """Note everything that is left out with the one who has it."""
        for one in selections:
            inner = (*place, one.custom_name or one.name)
            self.note(inner, say(WITHOUT), one.number)
            self.leave_out(one.selections, inner)

    def join(
        self, selection: Selection, rank: str, place: tuple[str, ...], unit: Selection
    ) -> list[int]:
        """Recruit as many members as a selection has; return their numbers."""
        name = self.shorten(selection.custom_name, LONGEST, place)
        squad = self.choose_squad(rank, unit)
        found: list[int] = []
        for number in range(selection.number):
            called = name if selection.number == 1 or not name else f"{name[:75]} {number + 1}"
            next_id = len(self.entries) + 1
            recruit = partial(actions.recruit, self.gang, rank, called, next_id=next_id)
            refused = self.decide(recruit)
            if refused is not None:
                self.note(place, refused, selection.number - number)
                break
            self.spare[next_id] = [owned.key for owned in self.member(next_id).items]
            found.append(next_id)
            if squad:
                self.add([kinds.SquadJoined(member=next_id, squad=squad)])
        self.count_costs(selection, found)
        return found

    def choose_squad(self, rank: str, unit: Selection) -> str:
        """Return the name of the group that members of a rank form in a unit; "" if they form
        none."""
        if self.book.rank[rank].squad is None:
            return ""
        place = rank, id(unit)
        if place not in self.squads:
            base = (unit.custom_name or unit.name)[: LONGEST_NAME - 4].strip() or "1"
            taken = {squad for (other, _unit), squad in self.squads.items() if other == rank}
            names = (f"{base} {number}" for number in range(2, len(taken) + 3))
            self.squads[place] = next(one for one in (base, *names) if one not in taken)
        return self.squads[place]

    def give(
        self, count: int, table: str, key: str, members: Sequence[int], place: tuple[str, ...]
    ) -> None:
        """Buy copies of an item for members, or for the stash, or let members have a trait or
        profession."""
        for member, copies in _share_out(count, members).items():
            # Nobody has more than MOST_THINGS, and things that are free are not counted.
            for copy in range(min(copies, MOST_THINGS + 1)):
                refused = self.give_one(table, key, member)
                if refused is not None:
                    who = self.member(member).name if member and len(members) > 1 else ""
                    self.note((*place, who) if who else place, refused, copies - copy)
                    break

    def give_one(self, table: str, key: str, member: int | None) -> Why | None:
        """Give one thing to a member, or to the stash. Returns the refusal if it is refused."""
        owned = self.gang.roster.stash if member is None else self.member(member).items
        if len(owned) >= MOST_THINGS:
            return say(FULL, most=MOST_THINGS)
        if member is None:
            if self.book.is_free(self.book.item[key]):
                return None
            return self.decide(partial(actions.buy, self.gang, None, key))
        subject = self.member(member)
        if table == "items":
            if key in self.spare[member]:
                self.spare[member].remove(key)
                return None
            if self.book.is_free(self.book.item[key]):
                return None
            return self.decide(partial(actions.buy, self.gang, member, key))
        if table == "traits":
            if key not in subject.traits and key in all_traits(
                self.book, self.gang.figures[member]
            ):
                # Everybody of the rank has it.
                return None
            return self.decide(partial(actions.take_trait, self.gang, member, key))
        return self.decide(
            partial(
                actions.describe, self.gang, member, name=subject.name, notes=subject.notes,
                profession=key, origin=subject.origin, squad=subject.squad,
            )
        )  # fmt: skip

    def hold(self, selection: Selection, key: str, place: tuple[str, ...], count: int) -> None:
        """Let the gang take copies of a holding."""
        name = self.shorten(selection.custom_name, LONGEST, place)
        for number in range(count):
            if refused := self.decide(partial(holdings.take, self.gang, key, name)):
                self.note(place, refused, count - number)
                return

    def decide(self, act: Callable[[], list[Entry]]) -> Why | None:
        """Add the entries of a decision. Returns the refusal if it is refused."""
        if self.decisions >= MOST_DECISIONS:
            return say(TOO_MUCH)
        self.decisions += 1
        try:
            self.add(act())
        except Refusal as refused:
            return refused
        except Misfit:
            return Refusal("not_offered")
        return None

    def add(self, entries: Sequence[Entry]) -> None:
        """Add entries to the gang. Raises Misfit if one does not fit; then none is added."""
        roster = self.gang.roster
        for number, entry in enumerate(entries, start=len(self.entries) + 1):
            roster = apply(self.book, roster, number, entry)
        self.entries += entries
        self.gang = ComputedGang.of(self.book, roster, previous=self.gang)

    def member(self, number: int) -> Member:
        """Return a member that the list has brought."""
        return self.gang.roster.member(number)

    @cached_property
    def money(self) -> str:
        """The id of the cost type that is the game's money; "" if that is not known."""
        kinds_of_cost = [kind for kind, cost in self.roster.costs if cost]
        return self.ids.money or (kinds_of_cost[0] if len(kinds_of_cost) == 1 else "")

    def count_costs(self, selection: Selection, members: Sequence[int]) -> None:
        """Add a selection's own cost to what the list says about members."""
        cost = sum((cost for kind, cost in selection.costs if kind == self.money), NONE)
        for member in members:
            self.costs[member] = self.costs.get(member, NONE) + cost / len(members)

    def name(self, selection: Selection, members: Sequence[int], place: tuple[str, ...]) -> None:
        """Give members without a name that of their unit."""
        name = self.shorten(selection.custom_name, LONGEST, place)
        for member in members if name else ():
            if not self.member(member).name:
                self.add([kinds.Named(member=member, name=name)])
            elif self.member(member).name != name and not self.member(member).squad:
                self.note(place, say(NAMED))

    def write_notes(
        self, selection: Selection, members: Sequence[int], place: tuple[str, ...]
    ) -> None:
        """Add the player's notes on a selection to those of its members."""
        for member in members if selection.notes else ():
            if self.decisions >= MOST_DECISIONS:
                self.note(place, say(TOO_MUCH))
                return
            if len(self.member(member).notes) >= LONGEST_TEXT:
                self.note(place, say(SHORTENED))
                continue
            self.decisions += 1
            text = "\n".join(filter(None, (self.member(member).notes, selection.notes)))
            self.add([kinds.Noted(member=member, text=self.shorten(text, LONGEST_TEXT, place))])


def _find_choice(rows: Iterable[ChoiceSetting], name: str) -> tuple[str, str] | None:
    """Return the option and the choice of a name, or of the longest end of it."""
    name = _folded(name)
    found = [
        (len(words), row.key, choice.key)
        for row in rows
        for choice in row.choices
        for words in _words(choice.name)
        if words and (name == words or name.endswith(f" {words}"))
    ]
    return max(found)[1:] if found else None


def _share_out(number: int, members: Sequence[int]) -> dict[int | None, int]:
    """Return how many of some things each member gets, the first ones one more; None: the stash."""
    if not members:
        return {None: number}
    each, more = divmod(number, len(members))
    return {member: each + (place < more) for place, member in enumerate(members)}
