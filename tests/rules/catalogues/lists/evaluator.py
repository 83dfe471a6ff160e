"""A second reading of catalogues: costs and limits of a list, straight from the files.

It is written from the format's documentation alone and shares no code with the importer, so that a
mistake there is not repeated here. It trusts its files, which are the tests' own.

The documentation (WarHub/wham: the schema; WarHub/battlescribe-spec: the programs' behaviour) says:

- A list's cost is the sum over its selections of cost × number. A selection's number counts all of
  them: three rowers with an oar each have oars with number 3.
- A link's modifiers, constraints, categories and choices follow its target's. A link's cost
  replaces the target's of the same type, as in New Recruit's editor; of BattleScribe, the
  documentation says only that a link's properties are merged.
- ``parent`` is the selection around an element, or the force. Groups are not selections.
- ``self`` counts the selections inside an element. A count includes selections inside others only
  with ``includeChildSelections``.
- ``instanceOf`` asks the element itself, its parent, any ancestor, its primary category or its
  list's catalogue; within a force or roster it is false.
- A modifier is repeated once for each full ``value`` counted (or started, with ``roundUp``), times
  ``repeats``; several repeats add up; a ``value`` of 0 never repeats.
- A percentage is of everything counted in the same scope. (For constraints, BattleScribe ignores
  the word; New Recruit and this module do not.)
- A maximum below zero is no limit. Hidden elements have no constraints, and cannot be selected.
- A collective entry's limit within its parent is for each of the parents.
- A query for costs adds up the own costs of the selections that it counts.
- New Recruit adds words: limits that say ``exactly``, modifiers that ``multiply`` and ``divide``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any
from xml.etree import ElementTree

Costs = dict[str, Decimal]


class Misread(ValueError):
    """Raised for a list that the catalogue cannot have, or for words this module does not know."""


# Files ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Part:
    """An element of a file: attributes as text, and lists of elements by their name."""

    given: Mapping[str, str]
    lists: Mapping[str, tuple[Part, ...]]

    def __getitem__(self, name: str) -> str:
        return self.given[name]

    def get(self, name: str, default: str = "") -> str:
        """Return an attribute."""
        return self.given.get(name, default)

    def is_(self, name: str, *, default: bool = False) -> bool:
        """Whether a flag is set."""
        return self.given.get(name, str(default)).lower() == "true"

    def all(self, name: str) -> tuple[Part, ...]:
        """Return the elements of a list."""
        return self.lists.get(name, ())

    @cached_property
    def fields(self) -> set[str]:
        """The fields that its modifiers change, those in groups among them."""
        own = {one["field"] for one in self.all("modifiers")}
        return own.union(*(one.fields for one in self.all("modifierGroups")))


def read(content: bytes) -> tuple[str, Part]:
    """Return the kind of a file, "gameSystem" or "catalogue", and its root."""
    if content.lstrip().startswith(b"{"):
        (kind, data), *_others = json.loads(content).items()
        return kind, _from_json(data)
    root = ElementTree.fromstring(content)
    return _local(root), _from_xml(root)


def _read(file: tuple[str, bytes]) -> tuple[str, Part]:
    return read(file[1])


def _local(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _from_xml(element: ElementTree.Element) -> Part:
    lists: dict[str, tuple[Part, ...]] = {}
    given = dict(element.attrib)
    if words := (element.text or "").strip():
        given["$text"] = words
    for child in element:
        if len(child):
            lists[_local(child)] = tuple(_from_xml(row) for row in child)
        else:
            given[_local(child)] = child.text or ""
    return Part(given, lists)


def _from_json(data: Mapping[str, Any]) -> Part:
    lists: dict[str, tuple[Part, ...]] = {}
    given: dict[str, str] = {}
    for name, value in data.items():
        if isinstance(value, list):
            lists[name] = tuple(_from_json(row) for row in value)
        else:
            given[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return Part(given, lists)


# Options -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Option:
    """An entry or a group, with the link that leads to it and the groups around it.

    ``parts``: the target, then its link. ``links``: ids of all links on the way, outermost first.
    """

    data: Data
    parts: tuple[Part, ...]
    links: tuple[str, ...]
    groups: tuple[Option, ...] = ()

    @property
    def target(self) -> Part:
        """The entry or group."""
        return self.parts[0]

    @cached_property
    def id(self) -> str:
        """The id as rosters write it: the ids of links and entry, joined."""
        return "::".join((*self.links, self.target["id"]))

    @property
    def name(self) -> str:
        """The name as written."""
        return self.target.get("name")

    @cached_property
    def is_group(self) -> bool:
        """Whether it is a group of entries."""
        return not self.target.get("type")

    @cached_property
    def is_collective(self) -> bool:
        """Whether all of its parents have it alike."""
        return any(part.is_("collective") for part in self.parts)

    @property
    def own_ids(self) -> set[str]:
        """Ids of the target and of the link that leads straight to it."""
        return {part["id"] for part in self.parts}

    @cached_property
    def ids(self) -> set[str]:
        """Everything that a query can call it, but for categories."""
        around = set().union(*(group.own_ids | {group.id} for group in self.groups))
        return {"any", self.target.get("type"), self.id} | self.own_ids | around

    @property
    def costs(self) -> Costs:
        """Costs as written, by type."""
        rows = (row for part in self.parts for row in part.all("costs"))
        return {row["typeId"]: Decimal(row["value"]) for row in rows}

    @property
    def is_hidden(self) -> bool:
        """Whether it is hidden as written."""
        return any(part.is_("hidden") for part in self.parts)

    @property
    def categories(self) -> set[str]:
        """Categories as written, those of the groups around it among them."""
        own = {row["targetId"] for part in self.parts for row in part.all("categoryLinks")}
        return own.union(*(group.categories for group in self.groups))

    @property
    def primary(self) -> str:
        """Its primary category as written; a link's comes first."""
        for part in reversed(self.parts):
            for row in part.all("categoryLinks"):
                if row.is_("primary"):
                    return row["targetId"]
        return ""

    @cached_property
    def children(self) -> tuple[Option, ...]:
        """The entries that can be selected inside, those of groups among them."""
        return tuple(child for child in self.inside if not child.is_group)

    @cached_property
    def inside(self) -> tuple[Option, ...]:
        """Entries and groups inside, at any depth of groups."""
        return tuple(self._find_inside(()))

    def _find_inside(self, groups: tuple[Option, ...]) -> Iterator[Option]:
        for part in self.parts:
            for one in self.data.options(part, self.links, groups):
                yield one
                if one.is_group:
                    yield from one._find_inside((*groups, one))

    @cached_property
    def is_instanced(self) -> bool:
        """Whether each selection stands for itself, because something inside is not collective."""
        return any(not one.is_collective or one.is_instanced for one in self.children)


@dataclass(frozen=True, eq=False)
class Data:
    """All files of a game."""

    system: Part
    catalogues: Mapping[str, Part]

    @classmethod
    def read(
        cls,
        files: Iterable[tuple[str, bytes]],
        renew: Callable[[str, Part], Part] = lambda _kind, part: part,
    ) -> Data:
        """Read the files. ``renew``: brings older formats into the terms of the newest."""
        parts = [(kind, renew(kind, part)) for kind, part in map(_read, files)]
        (system,) = (part for kind, part in parts if kind == "gameSystem")
        return cls(system, {part["id"]: part for kind, part in parts if kind == "catalogue"})

    @cached_property
    def shared(self) -> Mapping[str, Part]:
        """Everything that a link can lead to, by id."""
        lists = ("sharedSelectionEntries", "sharedSelectionEntryGroups", "selectionEntries")
        roots = (self.system, *self.catalogues.values())
        return {row["id"]: row for root in roots for name in lists for row in root.all(name)}

    def options(
        self, part: Part, links: tuple[str, ...] = (), groups: tuple[Option, ...] = ()
    ) -> Iterator[Option]:
        """Yield the entries and groups right inside a part of a file."""
        for name in ("selectionEntries", "selectionEntryGroups"):
            for row in part.all(name):
                yield Option(self, (row,), links, groups)
        for row in part.all("entryLinks"):
            yield Option(self, (self.shared[row["targetId"]], row), (*links, row["id"]), groups)

    def roots(self, catalogue: str) -> tuple[Option, ...]:
        """Everything that a list of a catalogue selects from."""
        found: list[Option] = []
        for part in (self.catalogues[catalogue], *self._imported(catalogue, set())):
            is_own = part["id"] == catalogue
            rows = self.options(part)
            found.extend(one for one in rows if is_own or one.parts[-1].is_("import"))
        found.extend(self.options(self.system))
        inside = (one for root in found if root.is_group for one in root._find_inside((root,)))
        return (*found, *inside)

    def _imported(self, catalogue: str, seen: set[str]) -> Iterator[Part]:
        for row in self.catalogues[catalogue].all("catalogueLinks"):
            target = row["targetId"]
            if row.is_("importRootEntries") and target not in seen:
                seen.add(target)
                yield self.catalogues[target]
                yield from self._imported(target, seen)

    @property
    def playable(self) -> list[str]:
        """Ids of the catalogues that a list can be of."""
        return [key for key, part in self.catalogues.items() if not part.is_("library")]

    @property
    def cost_types(self) -> Mapping[str, Part]:
        """The kinds of cost, by id."""
        roots = (self.system, *self.catalogues.values())
        return {row["id"]: row for root in roots for row in root.all("costTypes")}


# Lists ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pick:
    """A choice of a list: an entry's id, or the entry's or its link's own id where that is clear;
    how many for each parent; the choices inside."""

    id: str
    count: int = 1
    picks: tuple[Pick, ...] = ()


@dataclass(eq=False)
class Selection:
    """A selected entry. ``count``: for each parent."""

    option: Option
    count: int
    parent: Selection | None
    inside: list[Selection] = field(default_factory=list)

    @property
    def number(self) -> int:
        """How many there are of it, in all of its parents."""
        return self.count * (self.parent.number if self.parent else 1)

    def ancestors(self) -> Iterator[Selection]:
        """Yield the selections around it, innermost first."""
        if self.parent is not None:
            yield self.parent
            yield from self.parent.ancestors()

    def everything(self) -> Iterator[Selection]:
        """Yield the selection and all inside."""
        yield self
        for one in self.inside:
            yield from one.everything()


@dataclass(frozen=True)
class Violation:
    """A limit that a list breaks: the constraint's id, or "hidden", "category" or "limit"; the id
    and name of the element that has it."""

    id: str
    element: str
    name: str


@dataclass(frozen=True, eq=False)
class Spot:
    """An element where it is, selected or not. ``option`` is None for a category of a force."""

    parts: tuple[Part, ...]
    option: Option | None
    parent: Selection | None
    selection: Selection | None = None

    def around(self) -> Iterator[Selection]:
        """Yield the selections around it, innermost first."""
        if self.parent is not None:
            yield self.parent
            yield from self.parent.ancestors()


class Evaluated:
    """A list of a catalogue, with its costs and the limits that it breaks."""

    def __init__(self, data: Data, catalogue: str, picks: Iterable[Pick], force: str = "") -> None:
        self.data, self.catalogue = data, catalogue
        forces = [
            row
            for root in (data.system, data.catalogues[catalogue])
            for row in root.all("forceEntries")
        ]
        self.force = next(row for row in forces if force in ("", row["id"]))
        self.offered = data.roots(catalogue)
        self.selections = self._place(picks, self.offered, None)
        self._categories: dict[Selection, tuple[set[str], str]] = {}
        self._costs: dict[Selection, Costs | None] = {}
        self.all = [one for root in self.selections for one in root.everything()]
        # Selections by what a constraint calls them: of entries, and of the groups around them.
        self._known: dict[str, set[Selection]] = {}
        for selected in self.all:
            for named in (selected.option, *selected.option.groups):
                for key in {named.id, named.target["id"]}:
                    self._known.setdefault(key, set()).add(selected)

    def _place(
        self, picks: Iterable[Pick], offered: Sequence[Option], parent: Selection | None
    ) -> list[Selection]:
        placed: list[Selection] = []
        for pick in picks:
            option = _find(offered, pick.id)
            alone = parent is None or option.is_instanced
            if pick.count < 1:
                raise Misread(f"{pick.id}: {pick.count}")
            if not alone and any(one.option is option for one in placed):
                raise Misread(f"{pick.id} twice")
            for _ in range(pick.count if alone else 1):
                one = Selection(option, 1 if alone else pick.count, parent)
                one.inside = self._place(pick.picks, option.children, one)
                placed.append(one)
        return placed

    # Counting -----------------------------------------------------------------------------------

    def categories(self, one: Selection) -> tuple[set[str], str]:
        """Return a selection's categories, and the primary one."""
        if one in self._categories:
            return self._categories[one]
        found, primary = set(one.option.categories), one.option.primary
        # Conditions on categories see those that are written, while they are being worked out.
        self._categories[one] = found, primary
        changed, spot = set(found), self._spot(one)
        for modifier, times in self._modifiers(spot, "category"):
            target = modifier["value"]
            if not times:
                continue
            match modifier["type"]:
                case "add":
                    changed.add(target)
                case "remove":
                    changed.discard(target)
                case "set-primary":
                    changed.add(target)
                    primary = target
                case "unset-primary":
                    primary = "" if primary == target else primary
                case other:
                    raise Misread(other)
        self._categories[one] = changed, primary
        return self._categories[one]

    def matches(self, one: Selection, child: str) -> bool:
        """Whether a query for ``child`` counts a selection."""
        return child in one.option.ids or child in self.categories(one)[0]

    def _scope(self, query: Part, spot: Spot) -> list[Selection]:
        """Return the selections right inside a query's scope."""
        scope = query["scope"]
        if scope == "self":
            return spot.selection.inside if spot.selection else []
        if scope == "parent":
            return spot.parent.inside if spot.parent else self.selections
        if scope in ("force", "roster", "primary-catalogue", self.force["id"], self.catalogue):
            return self.selections
        if scope == "primary-category":
            primary = self._primary(spot)
            return [one for one in self.selections if self.categories(one)[1] == primary]
        if scope in {row["targetId"] for row in self.force.all("categoryLinks")}:
            return [one for one in self.selections if scope in self.categories(one)[0]]
        own = [spot.selection] if spot.selection else []
        for one in (*own, *spot.around()):
            if scope in one.option.ids:
                return one.inside
        return []

    def _primary(self, spot: Spot) -> str:
        if spot.selection is not None:
            return self.categories(spot.selection)[1]
        return spot.option.primary if spot.option is not None else ""

    def _counted(self, query: Part, spot: Spot) -> Iterator[Selection]:
        for one in self._scope(query, spot):
            if query.is_("includeChildSelections"):
                yield from one.everything()
            else:
                yield one

    def count(self, query: Part, spot: Spot, counted: Iterable[Selection]) -> Decimal:
        """Return the number that a query's field has for these selections."""
        of = query.get("field", "selections")
        if of == "selections":
            return Decimal(sum(one.number for one in counted))
        if of == "forces":
            return Decimal(1)
        if of.startswith("limit::"):
            return Decimal(self.data.cost_types[of[7:]].get("defaultCostLimit", "-1"))
        if of not in self.data.cost_types:
            raise Misread(of)
        return sum((self.costs(one).get(of, Decimal(0)) for one in counted), Decimal(0))

    def _ask(self, query: Part, spot: Spot) -> tuple[Decimal, Decimal]:
        """Return what a condition or a repeat counts, and the value to compare it with."""
        child, value = query["childId"], Decimal(query["value"])
        everything = list(self._counted(query, spot))
        found = self.count(query, spot, (one for one in everything if self.matches(one, child)))
        if query.is_("percentValue"):
            value *= self.count(query, spot, everything) / 100
        return found, value

    # Conditions and modifiers -------------------------------------------------------------------

    def _holds(self, one: Part, spot: Spot) -> bool:
        """Whether a condition is true."""
        kind = one["type"]
        if kind in ("instanceOf", "notInstanceOf"):
            return self._is_instance(one, spot) == (kind == "instanceOf")
        found, value = self._ask(one, spot)
        match kind:
            case "atLeast":
                return found >= value
            case "greaterThan":
                return found > value
            case "atMost":
                return found <= value
            case "lessThan":
                return found < value
            case "equalTo":
                return found == value
            case "notEqualTo":
                return found != value
        raise Misread(kind)

    def _is_instance(self, one: Part, spot: Spot) -> bool:
        scope, child = one["scope"], one["childId"]
        around = list(spot.around())
        if scope == "self":
            if spot.selection is not None:
                return self.matches(spot.selection, child)
            return spot.option is not None and child in spot.option.ids | spot.option.categories
        if scope == "parent":
            return any(self.matches(other, child) for other in around[:1])
        if scope == "ancestor":
            return any(self.matches(other, child) for other in around)
        if scope == "primary-category":
            return self._primary(spot) == child
        if scope == "primary-catalogue":
            return self.catalogue == child
        if scope in ("force", "roster"):
            return False
        own = [spot.selection] if spot.selection else []
        named = [other for other in (*own, *around) if scope in other.option.ids]
        return any(self.matches(other, child) for other in named[:1])

    def _all_hold(self, of: Part, spot: Spot) -> bool:
        return all(self._holds(one, spot) for one in of.all("conditions")) and all(
            self._group_holds(one, spot) for one in of.all("conditionGroups")
        )

    def _group_holds(self, one: Part, spot: Spot) -> bool:
        if one["type"] == "and":
            return self._all_hold(one, spot)
        rows, groups = one.all("conditions"), one.all("conditionGroups")
        if not rows and not groups:
            return True
        return any(self._holds(row, spot) for row in rows) or any(
            self._group_holds(row, spot) for row in groups
        )

    def _times(self, of: Part, spot: Spot) -> int:
        """Return how often a modifier, or a group of them, is repeated."""
        repeats = of.all("repeats")
        if not repeats:
            return 1
        total = 0
        for row in repeats:
            found, value = self._ask(row, spot)
            if value:
                full = math.ceil(found / value) if row.is_("roundUp") else found // value
                total += int(full) * int(row["repeats"])
        return total

    def _modifiers(self, spot: Spot, of: str) -> Iterator[tuple[Part, int]]:
        """Yield the modifiers of a field that apply, with the number of times."""
        for part in spot.parts:
            if of in part.fields:
                yield from self._modifiers_in(part, spot, of, 1)

    def _modifiers_in(
        self, part: Part, spot: Spot, of: str, times: int
    ) -> Iterator[tuple[Part, int]]:
        for one in part.all("modifiers"):
            if one["field"] == of and self._all_hold(one, spot):
                yield one, times * self._times(one, spot)
        for one in part.all("modifierGroups"):
            if self._all_hold(one, spot):
                yield from self._modifiers_in(one, spot, of, times * self._times(one, spot))

    def _number(self, spot: Spot, of: str, start: Decimal) -> Decimal:
        """Return a number after its modifiers."""
        for modifier, times in self._modifiers(spot, of):
            value = Decimal(modifier["value"])
            match modifier["type"]:
                case "set":
                    start = value if times else start
                case "increment":
                    start += value * times
                case "decrement":
                    start -= value * times
                case "multiply":
                    start *= value**times
                case "divide":
                    start /= value**times
                case other:
                    raise Misread(other)
        return start

    # Answers ------------------------------------------------------------------------------------

    def _spot(self, one: Selection) -> Spot:
        return Spot(one.option.parts, one.option, one.parent, one)

    def _offered(self, option: Option, parent: Selection | None) -> Spot:
        """Return the spot of an option that may not be selected."""
        inside = parent.inside if parent else self.selections
        found = next((one for one in inside if one.option is option), None)
        return Spot(option.parts, option, parent, found)

    def costs(self, one: Selection) -> Costs:
        """Return a selection's own costs, for all of its number."""
        if one in self._costs:
            known = self._costs[one]
            if known is None:
                raise Misread(f"The cost of {one.option.id} depends on itself.")
            return known
        self._costs[one] = None
        written, spot = one.option.costs, self._spot(one)
        found = {
            key: self._number(spot, key, written.get(key, Decimal(0))) * one.number
            for key in self.data.cost_types
        }
        self._costs[one] = found
        return found

    def total(self, cost_type: str) -> Decimal:
        """Return the cost of the list."""
        return sum((self.costs(one)[cost_type] for one in self.all), Decimal(0))

    def name(self, one: Selection) -> str:
        """Return a selection's name after its modifiers."""
        name, spot = one.option.name, self._spot(one)
        for modifier, times in self._modifiers(spot, "name"):
            value = modifier["value"]
            match modifier["type"]:
                case "set":
                    name = value if times else name
                case "append":
                    name += f" {value}" * times
                case "prepend":
                    name = f"{value} " * times + name
                case other:
                    raise Misread(other)
        return name

    def is_hidden(self, option: Option, parent: Selection | None) -> bool:
        """Whether an option is hidden, itself or with a group around it."""
        hidden = option.is_hidden
        if any("hidden" in part.fields for part in option.parts):
            for modifier, times in self._modifiers(self._offered(option, parent), "hidden"):
                hidden = modifier["value"] == "true" if times else hidden
        return hidden or any(self.is_hidden(group, parent) for group in option.groups[-1:])

    def violations(self) -> set[Violation]:
        """Return every limit that the list breaks."""
        return {*self._beyond_limits(), *self._in_categories(), *self._in_containers()}

    def _beyond_limits(self) -> Iterator[Violation]:
        for key, row in self.data.cost_types.items():
            most = Decimal(row.get("defaultCostLimit", "-1"))
            if 0 <= most < self.total(key):
                yield Violation("limit", key, row["name"])

    def _in_categories(self) -> Iterator[Violation]:
        entries = {row["id"]: row for row in self.data.system.all("categoryEntries")}
        for row in self.force.all("categoryLinks"):
            target = row["targetId"]
            spot = Spot((entries[target], row), None, None)
            members = {one for one in self.all if target in self.categories(one)[0]}
            for part in spot.parts:
                for one in part.all("constraints"):
                    if self._breaks(one, spot, members):
                        yield Violation(one["id"], target, entries[target]["name"])
        known = {row["targetId"] for row in self.force.all("categoryLinks")}
        for selected in self.selections:
            if (primary := self.categories(selected)[1]) and primary not in known:
                yield Violation("category", selected.option.id, selected.option.name)

    def _in_containers(self) -> Iterator[Violation]:
        yield from self._inside(None, self.offered)
        for one in self.all:
            yield from self._inside(one, one.option.inside)

    def _inside(self, parent: Selection | None, options: Iterable[Option]) -> Iterator[Violation]:
        """Yield what is broken by the options of a selection, or of the force."""
        selected = parent.inside if parent else self.selections
        for option in options:
            if self.is_hidden(option, parent):
                if any(one.option is option for one in selected):
                    yield Violation("hidden", option.id, option.name)
                continue
            spot = self._offered(option, parent)
            for part in option.parts:
                for one in part.all("constraints"):
                    if self._breaks(one, spot, self._members(one, option)):
                        yield Violation(one["id"], option.id, option.name)

    def _members(self, constraint: Part, option: Option) -> set[Selection]:
        """Return the selections that a constraint of an option is about: those of its target by any
        link, or if it is not shared, those by the same links."""
        is_shared = constraint.is_("shared", default=True)
        return self._known.get(option.target["id"] if is_shared else option.id, set())

    def _breaks(self, one: Part, spot: Spot, members: set[Selection]) -> bool:
        """Whether a constraint is broken. ``members``: the selections that it is about."""
        is_percent = one.is_("percentValue")
        everything = list(self._counted(one, spot)) if members or is_percent else []
        found = self.count(one, spot, (each for each in everything if each in members))
        value = self._number(spot, one["id"], Decimal(one["value"]))
        if is_percent:
            value *= self.count(one, spot, everything) / 100
        if one["scope"] == "parent" and spot.parent is not None and self._is_for_each(spot):
            found /= spot.parent.number
        if one["type"] == "exactly":
            return found != value
        if one["type"] == "min":
            return found < value
        return 0 <= value < found

    def _is_for_each(self, spot: Spot) -> bool:
        option = spot.option
        if option is None:
            return False
        if option.is_group:
            return all(child.is_collective for child in option.children)
        return option.is_collective


def _find(offered: Sequence[Option], id: str) -> Option:
    """Return the option of an id, whole or only its last part."""
    entries = [one for one in offered if not one.is_group]
    found = [one for one in entries if one.id == id]
    found = found or [one for one in entries if one.target["id"] == id]
    found = found or [one for one in entries if one.parts[-1]["id"] == id]
    if len(found) != 1:
        raise Misread(f"{id}: {[one.id for one in offered]}")
    return found[0]
