"""Members from the units and models of a list: one for a single model, several for a group.

A unit of one model is one member. In a unit of several, each kind of model is a rank; what the unit
itself costs is paid with the one model that each unit has once. Where the unit costs something and
has no such model, the whole unit is one member, and its models are things that it has.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from rules.catalogues.mapping.taking import NONE, Group, Surcharge, Taken, WholeLimit
from rules.catalogues.mapping.verdicts import find_applied

# The largest group, where the catalogue has no maximum.
LARGEST = 30
MODELS = ("model", "unit")
# Options of one rank, and of all ranks together: further copies of what something always has are
# options with parts of their own, so that there may be more of them than of paths.
MOST_OPTIONS = 4_000
MOST_OPTIONS_TOGETHER = 300_000


@dataclass(slots=True)
class Room:
    """The number of options that may still be added to ranks."""

    left: int = MOST_OPTIONS_TOGETHER


@dataclass(slots=True, eq=False)
class Option:
    """Something that members of a rank have or may have.

    ``included``: copies that everybody has, whose cost is part of the rank's; ``most``: the most
    that a member may have, with those. ``host``: what it is part of, if that is not the member.
    ``extra``: what it costs more here, by cost type; ``beside``: what it costs more beside another
    option. ``settled``: the cost types that its own modifiers leave unsure, but whose prices are
    exact here. ``is_examined``: whether its doubts are looked at.
    """

    taken: Taken
    included: int
    most: int | None
    host: Option | None = None
    extra: dict[str, Decimal] = field(default_factory=dict)
    unsure: dict[str, str] = field(default_factory=dict)
    beside: list[tuple[Option, str, Decimal]] = field(default_factory=list)
    settled: set[str] = field(default_factory=set)
    is_examined: bool = False

    def doubts(self) -> dict[str, str]:
        """Return the cost types that are unsure, with the codes of notes."""
        own = {key: code for key, code in self.taken.unsure.items() if key not in self.settled}
        for one, _number in self.taken.fixed:
            own |= one.doubts()
        return self.unsure | own

    def cost(self, kind: str) -> Decimal:
        """Return what one more copy costs."""
        own = self.taken.totals.get(kind, NONE)
        return own + self.extra[kind] if kind in self.extra else own


@dataclass(slots=True, eq=False)
class Recruit:
    """A rank in the making, of one catalogue.

    ``main``: the entry that it is; ``parts``: the entries whose profiles are its own; ``shown``:
    others whose rules it has. ``members``: the smallest and the largest group, if it is one.
    ``groups``: each with what it is part of, and how many of it that has; ``bundled``: paths of
    entries that are part of an option, with their number;
    ``codes``: notes about its shape."""

    main: Taken
    name: str
    parts: list[Taken]
    catalogue: str
    costs: dict[str, Decimal] = field(default_factory=dict)
    unsure: dict[str, str] = field(default_factory=dict)
    options: list[Option] = field(default_factory=list)
    groups: list[tuple[Group, Option | None, int]] = field(default_factory=list)
    members: tuple[int, int] | None = None
    whole: tuple[WholeLimit, ...] = ()
    bundled: list[tuple[str, Option, int]] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    shown: list[Taken] = field(default_factory=list)
    room: Room = field(default_factory=Room)

    def has_room(self) -> bool:
        """Whether one more option may be added; otherwise a note says so."""
        self.room.left -= 1
        if self.room.left > 0 and len(self.options) + len(self.bundled) < MOST_OPTIONS:
            return True
        if "too_many" not in self.codes:
            self.codes.append("too_many")
        return False

    def cost(self, kind: str) -> Decimal:
        """Return what a member costs with all that they always have."""
        return self.costs.get(kind, NONE)

    @property
    def categories(self) -> frozenset[str]:
        """The ids of its categories."""
        return frozenset(one for part in self.parts for one in part.step.categories)


def make_recruits(root: Taken, catalogue: str, kinds: tuple[str, ...], room: Room) -> list[Recruit]:
    """Return the ranks that an entry of the list becomes. ``kinds``: the cost types that count."""
    models = [] if root.node.kind == "model" else _find_models(root)
    if not models:
        return [_one(root, catalogue, kinds, room)]
    single = [one for one, least, most in models if (least, most) == (1, 1)]
    if len(models) == 1 and single:
        return [_one(root, catalogue, kinds, room)]
    captain = single[0] if len(single) == 1 else None
    if captain is None and not _is_free(root, kinds):
        recruit = _one(root, catalogue, kinds, room, is_whole=True)
        recruit.codes.append("unit_as_one")
        return [recruit]
    recruits = []
    for one, least, most in models:
        if one is captain:
            continue
        recruit = _one(one, catalogue, kinds, room)
        size = LARGEST if most is None else max(most, 1)
        if size > 1:
            recruit.members = (min(max(least, 1), size), size)
        recruit.codes.append("unit_shape")
        recruit.shown.append(root)
        if captain is None:
            # It costs nothing, so that every member may have it.
            _add(recruit, root, is_whole=False, left={one.path for one, *_ in models})
        recruits.append(recruit)
    if captain is not None:
        leading = _one(
            root, catalogue, kinds, room, but=tuple(one for one, *_ in models), captain=captain
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
    room: Room,
    *,
    is_whole: bool = False,
    but: tuple[Taken, ...] = (),
    captain: Taken | None = None,
) -> Recruit:
    """Return a rank of an entry with all that it has.

    ``is_whole``: its models are things that it has; ``but``: models that are ranks of their own;
    ``captain``: the one among them that is not.
    """
    recruit = Recruit(root, root.name, [root], catalogue, whole=root.whole, room=room)
    left = {one.path for one in but if one is not captain}
    for kind in kinds:
        recruit.costs[kind] = root.total(kind) - sum(
            (one.total(kind) * number for one, number in root.fixed if one.path in left), NONE
        )
    recruit.unsure = dict(root.unsure)
    _add(recruit, root, is_whole=is_whole, left=left)
    _charge(recruit)
    return recruit


def _add(recruit: Recruit, taken: Taken, *, is_whole: bool, left: set[str]) -> None:
    """Add what is inside an entry to a rank: what members have, and what they may have."""
    recruit.groups += [(group, None, 1) for group in taken.groups]
    known: set[str] = set()
    for one, number in taken.fixed:
        if one.path in left:
            continue
        if _is_loose(recruit, one):
            # It must be bought, because its price depends on who is in the gang.
            for kind in recruit.costs:
                recruit.costs[kind] -= one.total(kind) * number
            group = Group(one.node.id, one.name, one.names, number, one.maximum, (one.path,))
            recruit.groups.append((group, None, 1))
            known.add(one.path)
            option = Option(one, 0, one.maximum)
            recruit.options.append(option)
            _add_inside(recruit, one, option, 1)
            continue
        is_model = one.node.kind in MODELS and not is_whole
        if is_model and number == 1 and one.maximum == 1:
            recruit.unsure |= one.unsure
            recruit.parts.append(one)
            _add(recruit, one, is_whole=is_whole, left=left)
            continue
        recruit.unsure |= one.doubts()
        known.add(one.path)
        option = Option(one, number, one.maximum)
        recruit.options.append(option)
        _add_inside(recruit, one, option, 1)
    for one in taken.options:
        if one.path not in left and one.path not in known:
            option = Option(one, 0, one.maximum)
            recruit.options.append(option)
            _add_inside(recruit, one, option, 1)


def _is_loose(recruit: Recruit, taken: Taken) -> bool:
    """Whether something that a single model always has changes its cost with who is in the gang."""
    if recruit.main.node.kind != "model" or not taken.unsure or taken.surcharges:
        return False
    rows = [*find_applied(taken.node.modifiers, taken.place)]
    rows = [one for one in rows if one.times is None and one.row.field in taken.unsure]
    return all(taken.place.asks_roots(one.row) for one in rows)


def _add_inside(recruit: Recruit, taken: Taken, host: Option, times: int) -> None:
    """Add what can be inside something that members have or may have.

    Its fixed parts are not listed. ``times``: the copies of ``taken`` in one ``host``.
    """
    if not recruit.has_room():
        return
    recruit.groups += [(group, host, times) for group in taken.groups]
    fixed: dict[str, int] = {}
    for one, number in taken.fixed:
        fixed[one.path] = number
        recruit.bundled.append((one.path, host, number * times))
        if one.surcharges:
            _doubt(recruit, host, one.surcharges)
        _add_inside(recruit, one, host, number * times)
    for one in taken.options:
        most = None
        if one.maximum is not None and host.most is not None:
            most = (one.maximum - fixed.get(one.path, 0)) * times * host.most
        option = Option(one, 0, most, host)
        recruit.options.append(option)
        _add_inside(recruit, one, option, 1)


def _doubt(recruit: Recruit, option: Option | None, rows: Iterable[Surcharge]) -> None:
    """Note that a price depends on what else is chosen: that of an option, or of the rank."""
    for row in rows:
        if option is not None:
            option.unsure[row.kind] = "price_depends"
        if option is None or option.included:
            recruit.unsure[row.kind] = "price_depends"


def _charge(recruit: Recruit) -> None:
    """Move what the rank costs more for something that it has into the price of that thing."""
    inside: dict[int, list[Option]] = {}
    for option in recruit.options:
        inside.setdefault(id(option.host), []).append(option)
    places = [(None, part) for part in recruit.parts]
    for place, taken in (*places, *((one, one.taken) for one in recruit.options)):
        for row in taken.surcharges:
            if not _charge_one(inside.get(id(place), []), place, row):
                _doubt(recruit, place, [row])


def _charge_one(inside: list[Option], place: Option | None, row: Surcharge) -> bool:
    """Whether the prices of the options ``inside`` an option or member can say a surcharge."""
    if place is not None and place.most != 1 and not row.is_each:
        return False
    found = [one for one in inside if one.taken.step.is_instance(row.child)]
    if not found or row.child in ("any", *MODELS, "upgrade"):
        return False
    if not row.is_each and (len(found) != 1 or found[0].most != 1):
        return False
    for one in found:
        one.extra[row.kind] = one.extra.get(row.kind, NONE) + row.amount
    return True
