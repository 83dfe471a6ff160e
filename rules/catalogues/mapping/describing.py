"""The profiles and rules of an entry: those of its own, and those that links lead to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal

from rules.catalogues.mapping.library import DEEPEST, Library
from rules.catalogues.mapping.log import Log
from rules.catalogues.mapping.taking import Taken
from rules.catalogues.mapping.verdicts import Place, change_text, find_applied, read_number
from rules.catalogues.model import Info, InfoGroup, InfoLink, Modifier, Profile, Rule, Source

# Profiles and rules of one entry, and groups of them, which may lead to each other.
MOST_ROWS = 200
MOST_GROUPS = 300


@dataclass(frozen=True, slots=True)
class Shown:
    """A profile (``cells``: by the id of a characteristic type) or, with the type "", a rule. Two
    are equal if they say the same, wherever they are written."""

    id: str = field(compare=False)
    name: str
    type_id: str = ""
    cells: tuple[tuple[str, str], ...] = ()
    text: str = ""
    source: Source = field(default=Source(), compare=False)


@dataclass(frozen=True, slots=True)
class Change:
    """An amount that a selected ``child`` adds to a characteristic of what it is inside."""

    child: str
    characteristic: str
    amount: int


@dataclass(slots=True)
class Describer:
    """Reads the profiles and rules of entries; those without modifiers only once."""

    library: Library
    log: Log
    changes: dict[str, list[Change]] = field(default_factory=dict)
    _known: dict[int, tuple[tuple[Shown, ...], bool]] = field(default_factory=dict)
    _here: dict[int, tuple[tuple[Shown, ...], Taken]] = field(default_factory=dict)
    _groups: int = 0

    def describe(self, taken: Taken) -> tuple[Shown, ...]:
        """Return everything that is shown for an entry, without what is inside it."""
        key = id(taken.node)
        if key in self._known and self._known[key][1]:
            return self._known[key][0]
        if id(taken) in self._here:
            return self._here[id(taken)][0]
        found: list[Shown] = []
        is_fixed = True
        self._groups = 0
        for info, home in taken.node.infos:
            ahead = [*self._read(info, home, 0)]
            for row, modifiers in ahead[:MOST_ROWS]:
                is_fixed = is_fixed and not modifiers
                shown = self._change(row, modifiers, taken)
                if shown is not None:
                    found.append(shown)
        # The node lives as long as the library, which keeps it.
        self._known[key] = (tuple(dict.fromkeys(found)), is_fixed)
        if not is_fixed:
            self._here[id(taken)] = (self._known[key][0], taken)
        return self._known[key][0]

    def describe_all(self, taken: Taken) -> tuple[Shown, ...]:
        """Return everything that is shown for an entry and what it always has."""
        found = [*self.describe(taken)]
        for one, _number in taken.fixed:
            found += self.describe_all(one)
        return tuple(dict.fromkeys(found))

    def read_info(self, info: Info, home: str) -> list[Shown]:
        """Return the profiles and rules of a category, force or catalogue."""
        self._groups = 0
        rows = [row for row, _modifiers in self._read(info, home, 0)]
        return [_show(row) for row in rows[:MOST_ROWS] if not row.is_hidden]

    def _read(
        self, info: Info, home: str, depth: int
    ) -> Iterator[tuple[Profile | Rule, tuple[Modifier, ...]]]:
        """Yield profiles and rules with all modifiers that concern them."""
        for profile in info.profiles:
            yield profile, profile.modifiers
        for rule in info.rules:
            yield rule, rule.modifiers
        for group in info.groups:
            yield from self._read_group(group, home, depth, ())
        for link in info.links:
            yield from self._follow(link, home, depth)

    def _read_group(
        self, group: InfoGroup, home: str, depth: int, modifiers: tuple[Modifier, ...]
    ) -> Iterator[tuple[Profile | Rule, tuple[Modifier, ...]]]:
        self._groups += 1
        if group.is_hidden and not group.modifiers:
            return
        if depth > DEEPEST or self._groups > MOST_GROUPS:
            self.log.note("too_many", group.id, (group.name,))
            return
        hiding = tuple(row for row in group.modifiers if row.field == "hidden")
        for row, own in self._read(group.info, home, depth + 1):
            yield _hide(row, group.is_hidden), (*own, *hiding, *modifiers)

    def _follow(
        self, link: InfoLink, home: str, depth: int
    ) -> Iterator[tuple[Profile | Rule, tuple[Modifier, ...]]]:
        found = self.library.find_info(link.target, home)
        if found is None:
            self.log.note("broken_link", link.id, (link.name,), target=link.target)
            self.log.mark("profiles", link.id, "left")
            return
        row, where = found
        if isinstance(row, InfoGroup):
            if depth <= DEEPEST:
                group = replace(row, is_hidden=row.is_hidden or link.is_hidden)
                yield from self._read_group(group, where, depth + 1, link.modifiers)
            return
        row = _hide(row, link.is_hidden)
        if not row.source.page:
            row = replace(row, source=link.source)
        yield row, (*row.modifiers, *link.modifiers)

    def _change(
        self, row: Profile | Rule, modifiers: tuple[Modifier, ...], taken: Taken
    ) -> Shown | None:
        shown, hidden = _show(row), row.is_hidden
        if not shown.cells and not shown.text and not shown.name:
            return None
        cells = dict(shown.cells)
        is_exact = True
        for one in find_applied(modifiers, taken.place):
            name = one.row.field
            if name == "hidden":
                hides = one.row.value.strip().lower() == "true"
                hidden = hides if one.times is not None else False
                is_exact = is_exact and one.times is not None
            elif one.times is None and name in cells:
                if not self._add_change(one.row, taken.place, row.id):
                    is_exact = False
            elif one.times is None:
                is_exact = False
            elif name == "name":
                shown = replace(shown, name=change_text(shown.name, one.row, 1) or shown.name)
            elif name in cells:
                changed = change_text(cells[name], one.row, one.times)
                cells[name] = cells[name] if changed is None else changed
                is_exact = is_exact and changed is not None
        if hidden:
            return None
        if not is_exact:
            self.log.note("profile_depends", row.id, (*taken.names, row.name))
        self.log.mark("profiles", row.id, "exact" if is_exact else "noted")
        return replace(shown, cells=tuple(cells.items()))

    def _add_change(self, row: Modifier, place: Place, about: str) -> bool:
        """Keep what a selected entry adds to a characteristic; whether it is no more than that."""
        value = read_number(row.value)
        if value is None or value != value.to_integral_value() or row.repeats or row.when.groups:
            return False
        if row.kind not in ("increment", "decrement") or len(row.when.conditions) != 1:
            return False
        condition = row.when.conditions[0]
        query = condition.query
        if (condition.kind, query.value) not in (
            ("atLeast", Decimal(1)),
            ("greaterThan", Decimal(0)),
            ("equalTo", Decimal(1)),
        ):
            return False
        if query.field != "selections" or query.child not in place.inside:
            return False
        amount = int(value) if row.kind == "increment" else -int(value)
        change = Change(query.child, row.field, amount)
        known = self.changes.setdefault(about, [])
        if change not in known:
            known.append(change)
        return True


def _hide(row: Profile | Rule, is_hidden: bool) -> Profile | Rule:
    return replace(row, is_hidden=True) if is_hidden and not row.is_hidden else row


def _show(row: Profile | Rule) -> Shown:
    if isinstance(row, Rule):
        return Shown(row.id, row.name, text=row.text, source=row.source)
    cells = tuple((one.type_id, one.value) for one in row.characteristics)
    return Shown(row.id, row.name, row.type_id, cells, source=row.source)
