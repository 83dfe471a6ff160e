"""Follows links between selections, and counts the ways that they make.

Eleven groups of eight links, each of which leads to the next group, are a few kilobytes and 8^11
selections. So the ways are counted before anybody walks them, each element once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from rules.catalogues.bounds import DEEPEST_PATH, MOST_PATHS
from rules.catalogues.model import (
    Catalogue,
    Choice,
    Info,
    InfoGroup,
    InfoLink,
    Profile,
    Rule,
    System,
)
from rules.catalogues.refusals import BadCatalogue

type Described = Profile | Rule | InfoGroup


class Targets:
    """Finds the elements that links lead to: in the same catalogue, else in the game system, else
    in the catalogues that it links to, and those that these link to."""

    def __init__(self, system: System) -> None:
        self.system = system.system
        self.files = {one.id: one for one in (system.system, *system.catalogues)}
        self._choices = {key: _choices_by_id(one) for key, one in self.files.items()}
        self._infos = {key: _infos_by_id(one) for key, one in self.files.items()}
        self._reach: dict[str, tuple[Catalogue, ...]] = {}

    def choice(self, home: Catalogue, target: str) -> tuple[Choice, Catalogue] | None:
        """Return the entry or group that a link of ``home`` leads to, and its catalogue."""
        for file in self.reach(home):
            if (found := self._choices[file.id].get(target)) is not None:
                return found, file
        return None

    def info(self, home: Catalogue, target: str) -> tuple[Described, Catalogue] | None:
        """Return the profile, rule or group that a link of ``home`` leads to, and its catalogue."""
        for file in self.reach(home):
            if (found := self._infos[file.id].get(target)) is not None:
                return found, file
        return None

    def reach(self, home: Catalogue) -> tuple[Catalogue, ...]:
        """Return the catalogues that links of ``home`` can lead to, in the order of search."""
        if home.id not in self._reach:
            found = {home.id: home, self.system.id: self.system}
            ahead = [home]
            for file in ahead:
                for link in file.links:
                    linked = self.files.get(link.target)
                    if linked is not None and linked.id not in found:
                        found[linked.id] = linked
                        ahead.append(linked)
            self._reach[home.id] = tuple(found.values())
        return self._reach[home.id]

    def roots(self, home: Catalogue) -> Iterator[tuple[Choice, Catalogue]]:
        """Yield the entries that a list of ``home`` selects from, and their catalogues: its own,
        those of the game system, and those that it imports."""
        found = {home.id, self.system.id}
        ahead = [home] if home is self.system else [home, self.system]
        for file in ahead:
            for choice in file.roots:
                if choice.is_imported or file is home or file is self.system:
                    yield choice, file
            for link in file.links:
                linked = self.files.get(link.target)
                if link.imports_roots and linked is not None and linked.id not in found:
                    found.add(linked.id)
                    ahead.append(linked)


def count_paths(system: System, catalogues: Collection[str] = ()) -> int:
    """Return how many selections the roots of these catalogues have by all ways through links,
    with their profiles and rules; of all catalogues, unless their ids are given.

    Raises BadCatalogue if links lead in a circle, or if an element or all of these catalogues have
    too many ways. Each catalogue counts by itself unless ids are given.
    """
    targets = Targets(system)
    counter = _Counter(targets)
    for file in targets.files.values():
        counter.check(file)
    total = 0
    for file in system.catalogues or (system.system,):
        if catalogues and file.id not in catalogues:
            continue
        ways = sum(counter.choice(one, home)[0] for one, home in targets.roots(file))
        total += ways
        if ways > MOST_PATHS or (catalogues and total > MOST_PATHS):
            raise BadCatalogue("too_many_paths", name=file.name, limit=MOST_PATHS)
    return total


class _Counter:
    """Counts ways: of each element once, as a number of ways and the length of the longest."""

    def __init__(self, targets: Targets) -> None:
        self.targets = targets
        # By the identity of an element, which the system keeps: None while it is being counted.
        self.known: dict[int, tuple[int, int] | None] = {}

    def check(self, file: Catalogue) -> None:
        """Count all elements of a catalogue, whether links lead to them or not."""
        for choice in (*file.roots, *file.shared):
            self.choice(choice, file)
        self._info(file.info, file, 0)
        self._info(file.shared_info, file, 0)
        for category in file.categories:
            self._info(category.info, file, 0)
        ahead = [*file.forces]
        while ahead:
            force = ahead.pop()
            self._info(force.info, file, 0)
            ahead += force.forces

    def choice(self, choice: Choice, home: Catalogue, depth: int = 0) -> tuple[int, int]:
        """The ways that start with an entry, a group or a link. Raises BadCatalogue."""
        if id(choice) in self.known:
            return self._again(choice)
        self._open(choice, depth)
        parts = [self._info(choice.info, home, depth + 1)]
        parts += [self.choice(one, home, depth + 1) for one in choice.choices]
        if choice.target and (found := self.targets.choice(home, choice.target)) is not None:
            parts.append(self.choice(*found, depth + 1))
        return self._close(choice, parts)

    def _info(self, info: Info, home: Catalogue, depth: int) -> tuple[int, int]:
        parts = [self._group(one, home, depth) for one in info.groups]
        parts += [self._link(one, home, depth) for one in info.links]
        return _together(len(info.profiles) + len(info.rules), parts)

    def _group(self, group: InfoGroup, home: Catalogue, depth: int) -> tuple[int, int]:
        if id(group) in self.known:
            return self._again(group)
        self._open(group, depth)
        return self._close(group, [self._info(group.info, home, depth + 1)])

    def _link(self, link: InfoLink, home: Catalogue, depth: int) -> tuple[int, int]:
        found = self.targets.info(home, link.target)
        if found is None or not isinstance(found[0], InfoGroup):
            return 1, 1
        return self._group(found[0], found[1], depth + 1)

    def _open(self, element: Choice | InfoGroup, depth: int) -> None:
        if depth > DEEPEST_PATH:
            raise BadCatalogue("too_long_path", name=element.name, limit=DEEPEST_PATH)
        self.known[id(element)] = None

    def _close(
        self, element: Choice | InfoGroup, parts: Iterable[tuple[int, int]]
    ) -> tuple[int, int]:
        ways, longest = _together(1, parts)
        if ways > MOST_PATHS:
            raise BadCatalogue("too_many_paths", name=element.name, limit=MOST_PATHS)
        if longest > DEEPEST_PATH:
            raise BadCatalogue("too_long_path", name=element.name, limit=DEEPEST_PATH)
        self.known[id(element)] = ways, longest
        return ways, longest

    def _again(self, element: Choice | InfoGroup) -> tuple[int, int]:
        found = self.known[id(element)]
        if found is None:
            raise BadCatalogue("loop", name=element.name)
        return found


def _together(own: int, parts: Iterable[tuple[int, int]]) -> tuple[int, int]:
    ways, longest = own, 0
    for more, length in parts:
        ways += more
        longest = max(longest, length)
    return ways, longest + 1


def _choices_by_id(file: Catalogue) -> dict[str, Choice]:
    """All entries and groups of a catalogue; shared ones come before others with the same id."""
    found: dict[str, Choice] = {}
    ahead = [*reversed(file.roots), *reversed(file.shared)]
    while ahead:
        choice = ahead.pop()
        if not choice.target:
            found.setdefault(choice.id, choice)
        ahead.extend(reversed(choice.choices))
    return found


def _infos_by_id(file: Catalogue) -> dict[str, Described]:
    """The shared profiles, rules and groups of them."""
    found: dict[str, Described] = {}
    ahead = [file.info, file.shared_info]
    while ahead:
        info = ahead.pop()
        everything: tuple[Described, ...] = (*info.profiles, *info.rules, *info.groups)
        for one in everything:
            found.setdefault(one.id, one)
        ahead += [group.info for group in info.groups]
    return found
