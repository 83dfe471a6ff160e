"""Members from the units and models of a list: one for a single model, several for a group.

A unit of one model is one member. In a unit of several, each kind of model is a rank; what the unit
itself costs is paid with the one model that each unit has once. Where the unit costs something and
has no such model, the whole unit is one member, and its models are things that it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from rules.catalogues.mapping.taking import NONE, Group, Surcharge, Taken, WholeLimit

# The largest group, where the catalogue has no maximum.
LARGEST = 30
MODELS = ("model", "unit")


@dataclass(slots=True, eq=False)
class Option:
    """Something that members of a rank have or may have.

    ``included``: copies that everybody has, whose cost is part of the rank's; ``most``: the most
    that a member may have, with those. ``host``: what it is part of, if that is not the member.
    ``extra``: what it costs more here, by cost type.
    """

    taken: Taken
    included: int
    most: int | None
    host: Option | None = None
    extra: dict[str, Decimal] = field(default_factory=dict)
    unsure: dict[str, str] = field(default_factory=dict)
    needed: int = 0

    def cost(self, kind: str) -> Decimal:
        """Return what one more copy costs."""
        own = self.taken.totals.get(kind, NONE)
        return own + self.extra[kind] if kind in self.extra else own


@dataclass(slots=True, eq=False)
class Recruit:
    """A rank in the making, of one catalogue.

    ``main``: the entry that it is; ``parts``: the entries whose profiles are its own; ``shown``:
    others whose rules it has. ``members``: the smallest and the largest group, if it is one.
    ``bundled``: paths of entries that are part of an option;
    ``codes``: notes about its shape."""

    main: Taken
    name: str
    parts: list[Taken]
    catalogue: str
    costs: dict[str, Decimal] = field(default_factory=dict)
    unsure: dict[str, str] = field(default_factory=dict)
    options: list[Option] = field(default_factory=list)
    groups: list[tuple[Group, Option | None]] = field(default_factory=list)
    members: tuple[int, int] | None = None
    whole: tuple[WholeLimit, ...] = ()
    bundled: list[tuple[str, Option]] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    shown: list[Taken] = field(default_factory=list)

    @property
    def categories(self) -> frozenset[str]:
        """The ids of its categories."""
        return frozenset(one for part in self.parts for one in part.step.categories)


def make_recruits(root: Taken, catalogue: str, kinds: tuple[str, ...]) -> list[Recruit]:
    """Return the ranks that an entry of the list becomes. ``kinds``: the cost types that count."""
    models = [] if root.node.kind == "model" else _find_models(root)
    if not models:
        return [_one(root, catalogue, kinds)]
    single = [one for one, least, most in models if (least, most) == (1, 1)]
    if len(models) == 1 and single:
        return [_one(root, catalogue, kinds)]
    captain = single[0] if len(single) == 1 else None
    if captain is None and not _is_free(root, kinds):
        recruit = _one(root, catalogue, kinds, is_whole=True)
        recruit.codes.append("unit_as_one")
        return [recruit]
    recruits = []
    for one, least, most in models:
        if one is captain:
            continue
        recruit = _one(one, catalogue, kinds)
        size = LARGEST if most is None else max(most, 1)
        if size > 1:
            recruit.members = (min(max(least, 1), size), size)
        recruit.codes.append("unit_shape")
        recruit.shown.append(root)
        if captain is None:
            # It costs nothing, so that every member may have it.
            _add(recruit, root, None, is_whole=False, left={one.path for one, *_ in models})
        recruits.append(recruit)
    if captain is not None:
        leading = _one(
            root, catalogue, kinds, but=tuple(one for one, *_ in models), captain=captain
        )
        leading.name = captain.name
        leading.codes.append("unit_shape")
        recruits.insert(0, leading)
    else:
        for recruit in recruits if root.whole else ():
            recruit.codes.append("limit_unit")
    return recruits


def _find_models(root: Taken) -> list[tuple[Taken, int, int | None]]:
    """Return the models directly inside a unit, with their numbers, each once."""
    found: dict[str, tuple[Taken, int, int | None]] = {}
    for one, number in root.fixed:
        if one.node.kind in MODELS:
            found[one.path] = (one, number, one.maximum)
    for one in root.options:
        if one.node.kind in MODELS and one.path not in found:
            found[one.path] = (one, 0, one.maximum)
    return [*found.values()]


def _is_free(root: Taken, kinds: tuple[str, ...]) -> bool:
    """Whether a unit costs nothing apart from its models, whatever it has."""
    inner = [one for one, _number in root.fixed if one.node.kind not in MODELS]
    inner += [one for one in root.options if one.node.kind not in MODELS]
    own = all(not root.costs.get(kind) for kind in kinds) and not root.unsure
    return own and not root.surcharges and all(_costs_nothing(one, kinds) for one in inner)


def _costs_nothing(taken: Taken, kinds: tuple[str, ...]) -> bool:
    inner = (*(one for one, _number in taken.fixed), *taken.options)
    own = all(not taken.costs.get(kind) for kind in kinds) and not taken.unsure
    return own and not taken.surcharges and all(_costs_nothing(one, kinds) for one in inner)


def _one(
    root: Taken,
    catalogue: str,
    kinds: tuple[str, ...],
    *,
    is_whole: bool = False,
    but: tuple[Taken, ...] = (),
    captain: Taken | None = None,
) -> Recruit:
    """Return a rank of an entry with all that it has.

    ``is_whole``: its models are things that it has; ``but``: models that are ranks of their own;
    ``captain``: the one among them that is not.
    """
    recruit = Recruit(root, root.name, [root], catalogue, whole=root.whole)
    left = {one.path for one in but if one is not captain}
    for kind in kinds:
        recruit.costs[kind] = root.total(kind) - sum(
            (one.total(kind) * number for one, number in root.fixed if one.path in left), NONE
        )
    recruit.unsure = dict(root.unsure)
    _add(recruit, root, None, is_whole=is_whole, left=left)
    _charge(recruit)
    return recruit


def _add(
    recruit: Recruit, taken: Taken, host: Option | None, *, is_whole: bool, left: set[str]
) -> None:
    """Add what is inside an entry to a rank: what members have, and what they may have."""
    recruit.groups += [(group, host) for group in taken.groups]
    known: set[str] = set()
    for one, number in taken.fixed:
        if one.path in left:
            continue
        recruit.unsure |= one.unsure
        is_model = one.node.kind in MODELS and host is None and not is_whole
        if is_model and number == 1 and one.maximum == 1:
            recruit.parts.append(one)
            _add(recruit, one, None, is_whole=is_whole, left=left)
            continue
        known.add(one.path)
        copies = number if host is None else number * host.included
        option = Option(one, copies, _times(one.maximum, host), host)
        recruit.options.append(option)
        _add(recruit, one, option, is_whole=is_whole, left=left)
    for one in taken.options:
        if one.path in left or one.path in known:
            continue
        option = Option(one, 0, _times(one.maximum, host), host, needed=one.minimum)
        recruit.options.append(option)
        _add_optional(recruit, one, option, is_whole=is_whole)


def _add_optional(recruit: Recruit, taken: Taken, host: Option, *, is_whole: bool) -> None:
    """Add what can be inside something that members may have. What it always has is part of it."""
    recruit.groups += [(group, host) for group in taken.groups]
    for one, number in taken.fixed:
        recruit.bundled.append((one.path, host))
        recruit.groups += [(group, host) for group in one.groups]
        for inner in one.options:
            most = _times(_times_number(inner.maximum, number), host)
            option = Option(inner, 0, most, host)
            recruit.options.append(option)
            _add_optional(recruit, inner, option, is_whole=is_whole)
        for inner, _number in one.fixed:
            recruit.bundled.append((inner.path, host))
    fixed = {one.path: number for one, number in taken.fixed}
    for one in taken.options:
        most = one.maximum
        if most is not None:
            most -= fixed.get(one.path, 0)
        option = Option(one, 0, _times(most, host), host)
        recruit.options.append(option)
        _add_optional(recruit, one, option, is_whole=is_whole)


def _times(most: int | None, host: Option | None) -> int | None:
    return most if host is None else _times_number(most, host.most)


def _times_number(most: int | None, number: int | None) -> int | None:
    return None if most is None or number is None else most * number


def _charge(recruit: Recruit) -> None:
    """Move what the rank costs more for something that it has into the price of that thing."""
    for part in (*recruit.parts, *(one.taken for one in recruit.options)):
        for row in part.surcharges:
            if not _charge_one(recruit, part, row):
                place = _option_of(recruit, part)
                (recruit.unsure if place is None else place.unsure)[row.kind] = "price_depends"


def _charge_one(recruit: Recruit, part: Taken, row: Surcharge) -> bool:
    place = _option_of(recruit, part)
    if place is not None and (place.most is None or place.most > 1):
        return False
    host = place
    found = [
        one for one in recruit.options if one.host is host and one.taken.step.is_instance(row.child)
    ]
    if not found or row.child in ("any", *MODELS, "upgrade"):
        return False
    if row.is_each:
        for one in found:
            one.extra[row.kind] = one.extra.get(row.kind, NONE) + row.amount
            recruit.costs[row.kind] = recruit.costs.get(row.kind, NONE) + (
                row.amount * one.included
            )
        return True
    if place is None and any(one.included for one in found):
        recruit.costs[row.kind] = recruit.costs.get(row.kind, NONE) + row.amount
        return True
    if len(found) != 1 or found[0].most != 1 or found[0].included:
        return False
    found[0].extra[row.kind] = found[0].extra.get(row.kind, NONE) + row.amount
    return True


def _option_of(recruit: Recruit, part: Taken) -> Option | None:
    return next((one for one in recruit.options if one.taken is part), None)


def walk_hosts(option: Option) -> Iterator[Option]:
    """Yield what an option is part of, from the inside out."""
    host = option.host
    while host is not None:
        yield host
        host = host.host
