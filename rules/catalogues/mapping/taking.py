"""Walks from an entry of a list down to all that it can have, for one catalogue.

Modifiers are worked out on the way. Entries that can never be selected there are left out, and
records of a campaign are only counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from rules.catalogues.mapping.library import DEEPEST, Library, Node
from rules.catalogues.mapping.log import Log
from rules.catalogues.mapping.verdicts import (
    WHOLE_LIST,
    Applied,
    Place,
    Step,
    change_number,
    change_text,
    find_applied,
    read_number,
)
from rules.catalogues.model import Choice, Modifier
from rules.catalogues.results import Role

# Paths from a root to an entry, in all; and ways to one entry inside one root.
MOST_PATHS = 300_000
MOST_WAYS = 64
# The largest number of a limit, and of copies that everybody has.
MOST_LIMIT = Decimal(10_000)
MOST_FIXED = 40
NONE = Decimal(0)
MISSING = object()
NOTHING: Mapping[str, Any] = MappingProxyType({})
LEFT_ROLES: tuple[Role, ...] = ("experience", "promotion", "rise", "injury", "stash")
# Fields of modifiers that change only words that rulebooks do not have.
WORDS_ONLY = ("page", "publication", "description", "annotation", "comment", "error", "warning")


@dataclass(frozen=True, slots=True)
class WholeLimit:
    """A limit on the number of an entry, or of a group's entries, in the whole list. ``owner``: the
    id of what is counted."""

    owner: str
    minimum: int
    maximum: int | None


@dataclass(frozen=True, slots=True)
class Surcharge:
    """An amount that an entry costs more if ``child`` is selected inside it, or for each."""

    child: str
    kind: str
    amount: Decimal
    is_each: bool


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Entries of which a selection has at least ``minimum`` and at most ``maximum`` together."""

    id: str
    name: str
    place: tuple[str, ...]
    minimum: int
    maximum: int | None
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """An entry as it is in one place of a list.

    ``path``: its id, after those of the links that lead to it, joined by "::"; ``names``: those
    from the root down. ``costs``: of one, without what is inside it; ``totals``: with all that it
    always has; ``unsure``: the cost types
    that depend on the rest of the list, with the code of a note. ``minimum``, ``maximum``: in what
    it is inside. ``fixed``: entries inside it that it always has, with their number; ``options``:
    the others, and further copies of those.
    """

    node: Node
    name: str
    path: str
    names: tuple[str, ...]
    costs: Mapping[str, Decimal]
    totals: Mapping[str, Decimal]
    unsure: Mapping[str, str]
    surcharges: tuple[Surcharge, ...]
    minimum: int
    maximum: int | None
    whole: tuple[WholeLimit, ...]
    place: Place
    fixed: tuple[tuple[Taken, int], ...] = ()
    options: tuple[Taken, ...] = ()
    groups: tuple[Group, ...] = ()

    @property
    def step(self) -> Step:
        """The selection as conditions see it."""
        return self.place.steps[-1]

    def total(self, kind: str) -> Decimal:
        """Return what one of it costs with all that it always has."""
        return self.totals.get(kind, NONE)

    def doubts(self) -> dict[str, str]:
        """Return the cost types that are unsure, of it or of what it always has."""
        if not self.unsure and not self.fixed:
            return {}
        found = dict(self.unsure)
        for one, _number in self.fixed:
            found |= one.doubts()
        return found


@dataclass(slots=True)
class _Entry:
    """An entry inside another, whose numbers its groups may change."""

    taken: Taken
    minimum: int
    maximum: int | None


@dataclass(slots=True)
class Effect:
    """An element after its modifiers. ``values``: those of constraints that modifiers change; None
    if they depend on the list, which then may have those ``between``."""

    name: str
    is_hidden: bool
    costs: Mapping[str, Decimal]
    categories: frozenset[str]
    primary: str
    values: Mapping[str, Decimal | None] = NOTHING
    unsure: Mapping[str, str] = NOTHING
    surcharges: tuple[Surcharge, ...] = ()
    perhaps: tuple[tuple[str, Modifier], ...] = ()
    between: Mapping[str, tuple[Decimal, Decimal]] = NOTHING


@dataclass(slots=True)
class Walker:
    """Takes entries of one system, within bounds."""

    library: Library
    log: Log
    roles: Mapping[str, Role]
    cost_types: frozenset[str]
    paths: int = 0
    ways: Counter[str] = field(default_factory=Counter)
    _steps: dict[int, Step] = field(default_factory=dict)
    _left: dict[int, Role] = field(default_factory=dict)

    def find_role(self, ids: Iterable[str], categories: Iterable[str]) -> Role:
        """Return the role of an element with these ids and categories."""
        for one in (*sorted(ids), *sorted(categories)):
            if one in self.roles:
                return self.roles[one]
        return "list"

    def take_root(self, choice: Choice, home: str, place: Place) -> Taken | None:
        """Take an entry of the list itself; None if this catalogue cannot select it."""
        self.ways.clear()
        inside = self.library.below(choice, home)
        taken = self._take(choice, home, replace(place, inside=inside), (), (), 0)
        return taken.taken if taken is not None else None

    def _count(self, node: Node, names: tuple[str, ...]) -> bool:
        """Whether there is room for one more path; otherwise add a note."""
        self.paths += 1
        self.ways[node.id] += 1
        if self.paths <= MOST_PATHS and self.ways[node.id] <= MOST_WAYS:
            return True
        self.log.note("too_many", "paths" if self.paths > MOST_PATHS else node.id, names)
        self.log.mark("entries", node.id, "noted")
        return False

    def _join(self, choice: Choice, home: str, names: tuple[str, ...]) -> Node | None:
        node = self.library.join(choice, home)
        if node is None:
            self.log.note("broken_link", choice.id, (*names, choice.name), target=choice.target)
            self.log.mark("entries", choice.id, "noted")
        return node

    def _is_left(self, node: Node) -> bool:
        # The node lives as long as the library, which keeps it.
        key = id(node)
        if key not in self._left:
            self._left[key] = self.find_role(node.ids, node.category_ids)
        role = self._left[key]
        if role not in LEFT_ROLES:
            return False
        about = ("entries", node.id)
        if node.id not in self.log.outcomes.get("entries", {}):
            self.log.left[role] += 1
        self.log.mark(*about, "left")
        return True

    def _take(
        self,
        choice: Choice,
        home: str,
        above: Place,
        prefix: tuple[str, ...],
        names: tuple[str, ...],
        depth: int,
    ) -> _Entry | None:
        node = self._join(choice, home, names)
        if node is None or self._is_left(node) or not self._count(node, names):
            return None
        if depth > DEEPEST or any(node.id in step.ids for step in above.steps):
            self.log.note("too_many", node.id, (*names, node.name))
            return None
        step = self._steps.get(id(node))
        if step is None:
            primary = next((one.target for one in node.categories if one.is_primary), "")
            step = self._steps[id(node)] = Step(node.ids, node.kind, node.category_ids, primary)
        place = above.inner(step)
        effect = self.apply(node, place, (*names, node.name))
        if effect.is_hidden:
            self.log.mark("entries", node.id, "left")
            return None
        changed = Step(node.ids, node.kind, effect.categories, effect.primary, effect.perhaps)
        if changed != step:
            step = changed
            place = above.inner(step)
        self.log.mark("entries", node.id, "exact")
        names = (*names, effect.name)
        minimum, maximum, whole = self._bounds(node, effect, above, names)
        prefix = (*prefix, *node.links) if node.links else prefix
        fixed: tuple[tuple[Taken, int], ...] = ()
        options: tuple[Taken, ...] = ()
        groups: tuple[Group, ...] = ()
        if node.children:
            fixed, options, groups = self._take_inside(node, place, prefix, names, depth)
        if effect.surcharges and fixed:
            _settle(effect, fixed, options)
        for kind in effect.unsure:
            self.log.mark("costs", f"{node.id} {kind}", "noted")
        for kind in effect.costs.keys() - effect.unsure.keys():
            self.log.mark("costs", f"{node.id} {kind}", "exact")
        taken = Taken(
            node=node,
            name=effect.name,
            path="::".join((*prefix, node.id)),
            names=names,
            costs=effect.costs,
            totals=_sum(effect.costs, fixed),
            unsure=effect.unsure,
            surcharges=effect.surcharges,
            minimum=minimum,
            maximum=maximum,
            whole=whole,
            place=place,
            fixed=fixed,
            options=options,
            groups=groups,
        )
        return _Entry(taken, minimum, maximum)

    def _take_inside(
        self, node: Node, place: Place, prefix: tuple[str, ...], names: tuple[str, ...], depth: int
    ) -> tuple[tuple[tuple[Taken, int], ...], tuple[Taken, ...], tuple[Group, ...]]:
        entries: list[_Entry] = []
        groups: list[Group] = []
        self._gather(node.children, place, prefix, names, depth + 1, entries, groups)
        fixed: list[tuple[Taken, int]] = []
        options: list[Taken] = []
        for one in entries:
            if one.maximum == 0:
                self.log.mark("entries", one.taken.node.id, "left")
                continue
            least = one.minimum if one.maximum is None else min(one.minimum, one.maximum)
            if least > MOST_FIXED:
                self.log.note("too_many", one.taken.node.id, one.taken.names)
                least = MOST_FIXED
            taken = one.taken
            if (one.minimum, one.maximum) != (taken.minimum, taken.maximum):
                taken = replace(taken, minimum=least, maximum=one.maximum)
            if least:
                fixed.append((taken, least))
            if one.maximum is None or one.maximum > least:
                options.append(taken)
        return tuple(fixed), tuple(options), tuple(groups)

    def _gather(
        self,
        children: Sequence[tuple[Choice, str]],
        place: Place,
        prefix: tuple[str, ...],
        names: tuple[str, ...],
        depth: int,
        entries: list[_Entry],
        groups: list[Group],
    ) -> None:
        """Add the entries of a selection, those of its groups among them."""
        for child, home in children:
            if child.kind in ("group", "group link"):
                self._gather_group(child, home, place, prefix, names, depth, entries, groups)
                continue
            taken = self._take(child, home, place, prefix, names, depth)
            if taken is not None:
                entries.append(taken)

    def _gather_group(
        self,
        child: Choice,
        home: str,
        place: Place,
        prefix: tuple[str, ...],
        names: tuple[str, ...],
        depth: int,
        entries: list[_Entry],
        groups: list[Group],
    ) -> None:
        node = self._join(child, home, names)
        if node is None or self._is_left(node) or not self._count(node, names):
            return
        if depth > DEEPEST:
            self.log.note("too_many", node.id, (*names, node.name))
            return
        effect = self.apply(node, place, (*names, node.name))
        if effect.is_hidden:
            return
        inner = (*names, effect.name)
        minimum, maximum, whole = self._bounds(node, effect, place, inner)
        own: list[_Entry] = []
        self._gather(node.children, place, (*prefix, *node.links), inner, depth + 1, own, groups)
        if whole:
            for one in own:
                one.taken = replace(one.taken, whole=(*one.taken.whole, *whole))
        if len(own) == 1:
            only = own[0]
            only.minimum = max(only.minimum, minimum)
            if maximum is not None:
                only.maximum = maximum if only.maximum is None else min(only.maximum, maximum)
        elif own and (minimum or (maximum is not None and not _is_loose(own, maximum))):
            members = tuple(one.taken.path for one in own)
            groups.append(Group(node.id, effect.name, inner, minimum, maximum, members))
        entries += own

    def _bounds(
        self, node: Node, effect: Effect, above: Place, names: tuple[str, ...]
    ) -> tuple[int, int | None, tuple[WholeLimit, ...]]:
        """Return the least and the most of an element in what it is inside, and its limits in the
        whole list."""
        minimum, maximum = 0, None
        whole: list[WholeLimit] = []
        for row in node.constraints:
            value, about = effect.values.get(row.id, row.query.value), f"{node.id} {row.id}"
            is_depending = value is None
            if value is None:
                # Every list that is legal there is legal here.
                low, high = effect.between.get(row.id, (row.query.value, row.query.value))
                is_least = row.kind == "min" or (low.is_finite() and low < 0)
                value = low if is_least else high
            if not value.is_finite() or value < 0 or (row.kind == "min" and value == 0):
                self.log.mark("limits", about, "noted" if is_depending else "exact")
                continue
            scope, number = row.query.scope, int(min(value, MOST_LIMIT))
            if is_depending or row.query.is_percent or row.query.field != "selections":
                code = "limit_percent" if row.query.is_percent else "limit_depends"
                self.log.note(code, about, names, value=_plain(value))
                self.log.mark("limits", about, "noted")
                if row.query.is_percent or row.query.field != "selections":
                    continue
            else:
                self.log.mark("limits", about, "exact")
            if scope in WHOLE_LIST or (scope == "parent" and not above.steps):
                owner = node.id if row.query.is_shared else "::".join((*node.links, node.id))
                limit = (number, None) if row.kind == "min" else (0, number)
                whole.append(WholeLimit(owner, *limit))
            elif above.steps and (
                scope in ("parent", "self")
                or scope == "ancestor"
                or any(scope in step.ids for step in above.steps)
            ):
                if row.kind == "max":
                    maximum = number if maximum is None else min(maximum, number)
                elif scope == "parent" or scope in above.steps[-1].ids:
                    minimum = max(minimum, number)
            else:
                self.log.note("limit_scope", about, names, value=_plain(value))
                self.log.mark("limits", about, "noted")
        return minimum, maximum, tuple(whole)

    def apply(self, node: Node, place: Place, names: tuple[str, ...]) -> Effect:
        """Return an element after its modifiers; those that depend on the list leave a note."""
        step = place.steps[-1] if place.steps else None
        is_own = step is not None and step.ids is node.ids
        primary = step.primary if step is not None and is_own else ""
        effect = Effect(node.name, node.is_hidden, node.costs, node.category_ids, primary)
        if not node.modifiers:
            return effect
        for number, _row in enumerate(node.modifiers):
            self.log.mark("modifiers", f"{node.id} {number}", "exact")
        for one in find_applied(node.modifiers, place):
            if not self._apply_one(effect, one, node, place, names):
                self.log.mark("modifiers", f"{node.id} {node.modifiers.index(one.row)}", "noted")
        return effect

    def _apply_one(
        self, effect: Effect, one: Applied, node: Node, place: Place, names: tuple[str, ...]
    ) -> bool:
        """Apply a modifier; whether it could be applied exactly."""
        row, times = one.row, one.times
        if row.affects:
            self.log.note("unknown_modifier", f"{node.id} affects", names, field=row.affects)
            return False
        if row.field == "hidden":
            hides = row.value.strip().lower() == "true"
            if times is None:
                # An entry that may be there is there.
                effect.is_hidden = False
                self.log.note("hidden_depends", node.id, names)
                return False
            effect.is_hidden = hides
        elif row.field == "name":
            changed = change_text(effect.name, row, 1) if times is not None else None
            effect.name = effect.name if changed is None else changed
            return changed is not None
        elif row.field == "category":
            return self._apply_category(effect, row, times)
        elif (known := _find_value(effect, node, row.field)) is not MISSING:
            changed_value = None
            if times is not None and isinstance(known, Decimal):
                changed_value = change_number(known, row, times)
            if changed_value is None:
                _widen(effect, node, row, times)
            effect.values = {**effect.values, row.field: changed_value}
            return changed_value is not None
        elif row.field in WORDS_ONLY:
            return False
        else:
            return self._apply_cost(effect, one, node, names)
        return True

    def _apply_category(self, effect: Effect, row: Modifier, times: int | None) -> bool:
        if times is None:
            effect.perhaps = (*effect.perhaps, (row.value, row))
            return False
        match row.kind:
            case "add":
                effect.categories |= {row.value}
            case "remove":
                effect.categories -= {row.value}
                effect.primary = "" if effect.primary == row.value else effect.primary
            case "set-primary":
                effect.categories |= {row.value}
                effect.primary = row.value
            case "unset-primary":
                effect.primary = "" if effect.primary == row.value else effect.primary
            case _:
                return False
        return True

    def _apply_cost(self, effect: Effect, one: Applied, node: Node, names: tuple[str, ...]) -> bool:
        row, kind = one.row, one.row.field
        if kind not in effect.costs and kind not in self.cost_types:
            self.log.note("unknown_modifier", f"{node.id} {kind}", names, field=row.field)
            return False
        before = effect.costs.get(kind, Decimal(0))
        if one.times is None:
            found = find_surcharge(one, kind)
            if found is not None:
                effect.surcharges = (*effect.surcharges, found)
                return True
            if one.is_certain and (after := change_number(before, row, one.least)) is not None:
                effect.costs = {**effect.costs, kind: after}
            code = "repeat_depends" if one.is_certain else "price_depends"
            effect.unsure = {**effect.unsure, kind: code}
            return False
        if row.kind == "set":
            # It replaces all that came before it.
            effect.surcharges = tuple(own for own in effect.surcharges if own.kind != kind)
            effect.unsure = {key: code for key, code in effect.unsure.items() if key != kind}
        result = change_number(before, row, one.times)
        is_scaled = row.kind in ("multiply", "divide")
        if result is None or (is_scaled and any(own.kind == kind for own in effect.surcharges)):
            effect.unsure = {**effect.unsure, kind: "price_depends"}
            return False
        effect.costs = {**effect.costs, kind: result}
        return True


def _sum(
    costs: Mapping[str, Decimal], fixed: tuple[tuple[Taken, int], ...]
) -> Mapping[str, Decimal]:
    """Return costs with those of what something always has."""
    if not fixed:
        return costs
    found = dict(costs)
    for one, number in fixed:
        for kind, amount in one.totals.items():
            found[kind] = found.get(kind, NONE) + amount * number
    return found


def _settle(
    effect: Effect, fixed: tuple[tuple[Taken, int], ...], options: tuple[Taken, ...]
) -> None:
    """Add what an entry costs more for things that it always has."""
    left = []
    for row in effect.surcharges:
        number = sum(count for one, count in fixed if one.step.is_instance(row.child))
        if number:
            amount = row.amount * (number if row.is_each else 1)
            effect.costs = {**effect.costs, row.kind: effect.costs.get(row.kind, NONE) + amount}
        is_open = any(one.step.is_instance(row.child) for one in options)
        if not number or (row.is_each and is_open):
            left.append(row)
    effect.surcharges = tuple(left)


def _find_value(effect: Effect, node: Node, own_id: str) -> Decimal | None | object:
    """Return the present value of a constraint; MISSING if the element has none with this id."""
    if own_id in effect.values:
        return effect.values[own_id]
    return next((row.query.value for row in node.constraints if row.id == own_id), MISSING)


def _widen(effect: Effect, node: Node, row: Modifier, times: int | None) -> None:
    """Keep the smallest and the largest value that a constraint may have, from now on."""
    known = _find_value(effect, node, row.field)
    start = known if isinstance(known, Decimal) else NONE
    found = [*effect.between.get(row.field, (start, start))]
    # A number that repeats change is not known; the usual one counts.
    if not row.repeats or times is not None:
        changed = [change_number(one, row, 1 if times is None else times) for one in found]
        sure = [one for one in changed if one is not None]
        found = sure if times is not None and len(sure) == len(changed) else [*found, *sure]
    if found and all(one.is_finite() for one in found):
        effect.between = {**effect.between, row.field: (min(found), max(found))}


def find_surcharge(one: Applied, kind: str) -> Surcharge | None:
    """Return the amount that an entry costs more for something inside it, if a modifier says no
    more than that."""
    row, value = one.row, read_number(one.row.value)
    if value is None or row.kind not in ("increment", "decrement"):
        return None
    amount = value if row.kind == "increment" else -value
    if one.is_certain and len(row.repeats) == 1:
        query = row.repeats[0].query
        if query.field == "selections" and query.scope == "self" and query.value == 1:
            return Surcharge(query.child, kind, amount * row.repeats[0].times, is_each=True)
    if not row.repeats and len(row.when.conditions) == 1 and not row.when.groups:
        condition = row.when.conditions[0]
        query = condition.query
        is_one = (condition.kind, query.value) in (
            ("atLeast", Decimal(1)),
            ("greaterThan", Decimal(0)),
            ("equalTo", Decimal(1)),
        )
        if is_one and query.field == "selections" and query.scope == "self":
            return Surcharge(query.child, kind, amount, is_each=False)
    return None


def _is_loose(entries: Sequence[_Entry], maximum: int) -> bool:
    """Whether entries together can never be more than ``maximum``."""
    most = [one.maximum for one in entries]
    return None not in most and sum(one or 0 for one in most) <= maximum


def _plain(value: Decimal) -> str:
    return f"{value.normalize():f}"
