"""Finding entries by their ids, and joining links with their targets.

A link finds its target in its own catalogue first, then in the game system, then in linked
catalogues.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from rules.catalogues.model import (
    Catalogue,
    CategoryLink,
    Choice,
    Constraint,
    CostType,
    Info,
    InfoGroup,
    Modifier,
    Profile,
    ProfileType,
    Publication,
    Rule,
    Source,
    System,
)

# Links that lead to links, one after the other; and choices inside each other.
MOST_LINKS = 8
DEEPEST = 40
# Larger costs are mistakes, which no rulebook could say.
MOST_COST = 1_000_000
LINKS = ("entry link", "group link")


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """An entry or group with the parts of the links that lead to it.

    ``id``: that of the entry itself; ``links``: ids of the links, the outermost first; ``ids``: all
    of these. ``home``: the catalogue whose links its parts follow. Modifiers of the entry come
    before those of links.
    """

    id: str
    links: tuple[str, ...]
    ids: frozenset[str]
    name: str
    kind: str
    home: str
    is_hidden: bool
    is_collective: bool
    costs: Mapping[str, Decimal]
    categories: tuple[CategoryLink, ...]
    constraints: tuple[Constraint, ...]
    modifiers: tuple[Modifier, ...]
    infos: tuple[tuple[Info, str], ...]
    children: tuple[tuple[Choice, str], ...]
    source: Source
    own: tuple[Choice, ...] = ()

    @property
    def category_ids(self) -> frozenset[str]:
        """The ids of its categories, before modifiers."""
        return frozenset(link.target for link in self.categories)


@dataclass(slots=True)
class Library:
    """The game system and its catalogues, by ids. ``skipped``: ids of entries and categories that
    are no part of a list."""

    system: System
    skipped: frozenset[str] = frozenset()
    catalogues: dict[str, Catalogue] = field(default_factory=dict)
    _choices: dict[str, dict[str, Choice]] = field(default_factory=dict)
    _infos: dict[str, dict[str, Profile | Rule | InfoGroup]] = field(default_factory=dict)
    _nodes: dict[tuple[int, str], Node | None] = field(default_factory=dict)
    _below: dict[tuple[int, str], frozenset[str]] = field(default_factory=dict)
    _kept: list[Choice] = field(default_factory=list)

    @classmethod
    def of(cls, system: System, skipped: frozenset[str] = frozenset()) -> Library:
        """Index a system. Of catalogues with the same id, the first counts."""
        library = cls(system, skipped)
        for one in (system.system, *system.catalogues):
            library.catalogues.setdefault(one.id, one)
        for key, one in library.catalogues.items():
            library._choices[key] = {}
            for choice in (*one.shared, *one.roots):
                library._choices[key].setdefault(choice.id, choice)
            library._infos[key] = dict(_infos_in(one.shared_info)) | dict(_infos_in(one.info))
        return library

    def searched(self, home: str) -> Iterator[str]:
        """Yield the ids of the catalogues in which links of ``home`` find their targets."""
        seen, ahead = set[str](), [home, self.system.system.id]
        while ahead:
            key = ahead.pop(0)
            if key in seen or key not in self.catalogues:
                continue
            seen.add(key)
            yield key
            ahead += [link.target for link in self.catalogues[key].links]

    def find_choice(self, target: str, home: str) -> tuple[Choice, str] | None:
        """Return the choice that a link of a catalogue leads to, and its catalogue."""
        for key in self.searched(home):
            if target in self._choices[key]:
                return self._choices[key][target], key
        return None

    def find_info(self, target: str, home: str) -> tuple[Profile | Rule | InfoGroup, str] | None:
        """Return the profile, rule or group that a link leads to, and its catalogue."""
        for key in self.searched(home):
            if target in self._infos[key]:
                return self._infos[key][target], key
        return None

    def join(self, choice: Choice, home: str) -> Node | None:
        """Return a choice with the parts of its target; None for a link to nothing."""
        key = (id(choice), home)
        if key not in self._nodes:
            self._nodes[key] = self._join(choice, home)
            # The choice lives as long as its place in the memory is a key.
            self._kept.append(choice)
        return self._nodes[key]

    def _join(self, choice: Choice, home: str) -> Node | None:
        chain, where = [(choice, home)], home
        while chain[-1][0].kind in LINKS:
            found = self.find_choice(chain[-1][0].target, where)
            if found is None or len(chain) > MOST_LINKS:
                return None
            where = found[1]
            chain.append(found)
        target = chain[-1][0]
        # The target's own parts come first.
        parts = [*reversed(chain)]
        costs: dict[str, Decimal] = {}
        for one, _home in parts:
            for kind, amount in one.costs:
                if amount.is_finite() and abs(amount) <= MOST_COST:
                    costs[kind] = amount
        links = tuple(one.id for one, _home in chain[:-1])
        return Node(
            id=target.id,
            links=links,
            ids=frozenset((*links, target.id)),
            name=target.name or choice.name,
            kind=target.kind,
            home=where,
            is_hidden=any(one.is_hidden for one, _home in parts),
            is_collective=any(one.is_collective for one, _home in parts),
            costs=costs,
            categories=tuple(link for one, _home in parts for link in one.categories),
            constraints=tuple(row for one, _home in parts for row in one.constraints),
            modifiers=tuple(row for one, _home in parts for row in one.modifiers),
            infos=tuple((one.info, place) for one, place in parts),
            children=tuple((child, place) for one, place in parts for child in one.choices),
            source=next((one.source for one, _home in parts if one.source.page), target.source),
            own=tuple(one for one, _home in parts),
        )

    def below(self, choice: Choice, home: str, depth: int = 0) -> frozenset[str]:
        """Return the ids of a choice and of everything that can be selected inside it: entries,
        groups, links and categories. Each shared entry is looked at once."""
        key = (id(choice), home)
        if key not in self._below:
            # Guards against entries that contain themselves.
            self._below[key] = frozenset()
            node = self.join(choice, home)
            found: set[str] = {choice.id}
            if node is not None and not self.skipped.isdisjoint(node.ids | node.category_ids):
                return self._below[key]
            if node is not None:
                found |= node.ids | node.category_ids
                found |= {row.value for row in node.modifiers if row.field == "category"}
                for child, place in node.children if depth < DEEPEST else ():
                    found |= self._below_shared(child, place, depth + 1)
            self._below[key] = frozenset(found)
        return self._below[key]

    def _below_shared(self, choice: Choice, home: str, depth: int) -> frozenset[str]:
        """Return ``below`` of a choice; of a link, with that of its target, which is kept."""
        if choice.kind in LINKS and not choice.choices:
            found = self.find_choice(choice.target, home)
            if choice.id in self.skipped:
                return frozenset()
            own = {choice.id, *(link.target for link in choice.categories)}
            return self.below(*found, depth) | own if found else frozenset(own)
        return self.below(choice, home, depth)

    def roots(self, catalogue: Catalogue) -> list[tuple[Choice, str]]:
        """Return what a list of this catalogue selects from: its own roots, those of the game
        system, and those of catalogues that it imports."""
        found, seen = list[tuple[Choice, str]](), set[str]()
        ahead = [(catalogue, True)]
        while ahead:
            one, is_own = ahead.pop(0)
            if one.id in seen:
                continue
            seen.add(one.id)
            found += [(row, one.id) for row in one.roots if is_own or row.is_imported]
            linked = (self.catalogues.get(link.target) for link in one.links if link.imports_roots)
            ahead += [(row, False) for row in linked if row is not None]
        if self.system.system.id not in seen:
            found += [(row, self.system.system.id) for row in self.system.system.roots]
        return found

    def everywhere(self) -> Iterator[tuple[Choice, str]]:
        """Yield every choice as written, with its catalogue, each before those inside it."""
        for key, one in self.catalogues.items():
            ahead = [*reversed((*one.roots, *one.shared))]
            while ahead:
                choice = ahead.pop()
                yield choice, key
                ahead += reversed(choice.choices)

    def profile_types(self) -> dict[str, ProfileType]:
        """Return the types of profiles by id."""
        rows = (row for one in self.catalogues.values() for row in one.profile_types)
        return {row.id: row for row in reversed([*rows])}

    def publications(self) -> dict[str, Publication]:
        """Return the publications by id."""
        return {row.id: row for one in self.catalogues.values() for row in one.publications}

    def category_names(self) -> dict[str, str]:
        """Return the names of categories by id."""
        return {row.id: row.name for one in self.catalogues.values() for row in one.categories}


def has_limit(row: CostType) -> bool:
    """Whether lists usually have a most of this cost."""
    return row.limit is not None and row.limit.is_finite() and row.limit > 0


def _infos_in(info: Info) -> Iterator[tuple[str, Profile | Rule | InfoGroup]]:
    """Yield everything in ``info`` by id, with what is inside its groups."""
    ahead = [info]
    while ahead:
        one = ahead.pop()
        rows: Iterable[Profile | Rule | InfoGroup] = (*one.profiles, *one.rules, *one.groups)
        for row in rows:
            yield row.id, row
        ahead += [group.info for group in one.groups]
