"""The limits of a game in the making, from the constraints of its entries and categories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rules.bounds.limits import MOST_INSIDE
from rules.catalogues.mapping import limiting
from rules.catalogues.mapping.library import Node
from rules.catalogues.mapping.limiting import Bound
from rules.catalogues.mapping.state import FORCE, SOURCE, Game, find_forces, make_place
from rules.catalogues.mapping.taking import MOST_LIMIT
from rules.catalogues.mapping.verdicts import WHOLE_LIST, Place
from rules.catalogues.model import Catalogue, CategoryLink, Constraint, Modifier, Source


def find_bounds(game: Game) -> list[Bound]:
    """Return all limits of the game, each once."""
    found = [*_find_rank_bounds(game), *_find_category_bounds(game), *_find_good_bounds(game)]
    key_of = {one: rank.key for one, rank in game.rank_of.items()}
    firsts = [rank.first for rank in game.ranks]
    groups = limiting.find_group_bounds(firsts, game.stock, key_of, game.log)
    found += [one for one in groups if all(one.counted)]
    leaders = frozenset(rank.key for rank in game.ranks if rank.leads)
    if leaders and not any(one.kind == "count" and one.counted & leaders for one in found):
        found.append(Bound("count", "", leaders, maximum=1, about="leaders"))
        game.log.note("leader_limit", "leaders", ())
    every = {rank.key for rank in game.ranks}
    merged = limiting.merge(found)
    for one in merged:
        if one.ranks == every:
            one.ranks = set()
    return merged


def _find_rank_bounds(game: Game) -> list[Bound]:
    rows: dict[tuple[str, int, int | None], tuple[set[str], set[str], str, tuple[str, ...]]] = {}
    for rank in game.ranks:
        for recruit in rank.recruits:
            for one in recruit.whole:
                known = rows.setdefault(
                    (one.owner, one.minimum, one.maximum),
                    (set(), set(), recruit.name, recruit.main.names),
                )
                known[0].add(rank.key)
                known[1].add(recruit.catalogue)
    found = [
        Bound(
            "count",
            name,
            frozenset(keys),
            minimum=least,
            maximum=most,
            when=_when(game, catalogues),
            about=f"{owner} whole",
            place=place,
        )
        for (owner, least, most), (keys, catalogues, name, place) in rows.items()
    ]
    for holding in game.holdings:
        for one in holding.taken.whole:
            found.append(
                Bound(
                    "holdings",
                    holding.name,
                    frozenset({holding.key}),
                    minimum=one.minimum,
                    maximum=one.maximum,
                    when=_when(game, holding.catalogues),
                    about=f"{one.owner} whole",
                    place=holding.taken.names,
                )
            )
    return found


def _when(game: Game, catalogues: Iterable[str]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(keys) for key, keys in game.when(catalogues).items()}


@dataclass(slots=True)
class _Counted:
    """The things that an owner's limits count in lists of one catalogue: the keys of items, the
    options that became these, each with the most that it allows, and the place of the first."""

    name: str
    place: tuple[str, ...]
    keys: set[str] = field(default_factory=set)
    options: dict[int, int] = field(default_factory=dict)

    @property
    def most(self) -> int:
        """The most of all together. Where it depends on who has them, the largest."""
        return max(self.options.values())


def _find_good_bounds(game: Game) -> list[Bound]:
    """Return the limits on items in the whole gang. Several that allow the same number of copies of
    each of their items become one.

    Each applies where lists of a catalogue have it. If items can be had in another way, too, a
    most counts that, or is left out: every list that is legal there is legal here.
    """
    ways: dict[tuple[str, str], set[int]] = {}
    owners: dict[tuple[str, str], _Counted] = {}
    leasts: dict[tuple[str, int], tuple[set[str], set[str], str]] = {}
    for recruit in (one for rank in game.ranks for one in rank.recruits):
        for option in recruit.options:
            good = game.stock.of_option[id(option)]
            if not good.key or good.is_trait:
                continue
            ways.setdefault((recruit.catalogue, good.key), set()).add(id(option))
            for one in option.taken.whole:
                if one.minimum:
                    least = leasts.setdefault((one.owner, one.minimum), (set(), set(), good.name))
                    least[0].add(good.key)
                    least[1].add(recruit.catalogue)
                if one.maximum is None:
                    continue
                known = owners.setdefault(
                    (recruit.catalogue, one.owner), _Counted(good.name, option.taken.names)
                )
                known.keys.add(good.key)
                most = known.options.get(id(option), one.maximum)
                known.options[id(option)] = min(most, one.maximum)
    found = [
        _bound_items(game, name, keys, catalogues, owner, minimum=least)
        for (owner, least), (keys, catalogues, name) in leasts.items()
    ]
    # By keys and number: the catalogues, a name and an owner.
    rows: dict[tuple[frozenset[str], int], tuple[set[str], str, str]] = {}
    for keys, number, catalogue, name, owner in _add_up(game, owners, ways):
        rows.setdefault((keys, number), (set(), name, owner))[0].add(catalogue)
    sold: dict[str, set[str]] = {}
    for catalogue, key in ways:
        sold.setdefault(key, set()).add(catalogue)
    copies: dict[int, set[str]] = {}
    for (keys, number), (catalogues, name, owner) in rows.items():
        if len(keys) == 1 and number and sold[min(keys)] <= catalogues:
            copies.setdefault(number, set()).update(keys)
        else:
            found.append(_bound_items(game, name, keys, catalogues, owner, maximum=number))
    for most, some in sorted(copies.items()):
        name = game.phrases["copies"].replace("{number}", str(most))
        found.append(Bound("items", name, frozenset(some), per="copies", maximum=most))
    return found


def _add_up(
    game: Game, owners: Mapping[tuple[str, str], _Counted], ways: Mapping[tuple[str, str], set[int]]
) -> Iterator[tuple[frozenset[str], int, str, str, str]]:
    """Yield keys of items, the most of them in a list, its catalogue, a name and an owner. The
    limits of several owners on parts of the same items add up."""
    alike: dict[tuple[str, frozenset[str]], list[tuple[str, _Counted]]] = {}
    for (catalogue, owner), one in owners.items():
        alike.setdefault((catalogue, frozenset(one.keys)), []).append((owner, one))
    for (catalogue, keys), rows in alike.items():
        every = frozenset[int]().union(*(ways[catalogue, key] for key in keys))
        # Of limits on the same options, the strictest counts.
        parts: dict[frozenset[int], int] = {}
        for owner, one in rows:
            same = frozenset(one.options)
            parts[same] = min(one.most, parts.get(same, one.most))
            if same != every or min(one.options.values()) < one.most:
                game.log.note("limit_shared", f"{owner} whole", one.place)
                game.log.mark("limits", f"{owner} whole", "noted")
        numbers = [parts.pop(every)] if every in parts else []
        if parts and every <= frozenset[int]().union(*parts):
            numbers.append(sum(parts.values()))
        if numbers:
            owner, one = rows[0]
            yield keys, min(numbers), catalogue, one.name, owner


def _bound_items(
    game: Game,
    name: str,
    keys: Iterable[str],
    catalogues: Iterable[str],
    owner: str,
    minimum: int = 0,
    maximum: int | None = None,
) -> Bound:
    return Bound(
        "items",
        name,
        frozenset(keys),
        minimum=minimum,
        maximum=maximum,
        when=_when(game, catalogues),
        about=f"{owner} whole",
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """A limit on a category: what it counts, its bounds, and the catalogue where it applies."""

    target: str
    kind: str
    keys: frozenset[str]
    minimum: int
    maximum: int | None
    catalogue: str


def _find_category_bounds(game: Game) -> list[Bound]:
    """Return the limits on categories, by catalogue and by the shape of the list."""
    names = game.library.category_names()
    shapes = find_forces(game)
    rows: dict[_Found, set[str]] = {}
    for catalogue in game.catalogues:
        place = make_place(game, catalogue)
        for one in game.library.catalogues.values():
            for category in one.categories:
                if category.constraints:
                    node = _as_node(category.id, names, category.constraints, category.modifiers)
                    for found in _read_category(game, node, place, catalogue):
                        rows.setdefault(found, set()).update(shapes)
            for force in one.forces:
                there = make_place(game, catalogue, force.id)
                for link in force.categories if force.id in shapes else ():
                    if link.constraints:
                        node = _as_node(link.target, names, link.constraints, link.modifiers)
                        for found in _read_category(game, node, there, catalogue):
                            rows.setdefault(found, set()).add(force.id)
    by_place: dict[tuple[str, str, int, int | None, frozenset[str]], list[_Found]] = {}
    for found, forces in rows.items():
        same = (found.target, found.kind, found.minimum, found.maximum, frozenset(forces))
        by_place.setdefault(same, []).append(found)
    bounds = []
    for (target, kind, least, most, among), group in by_place.items():
        when = _when(game, [one.catalogue for one in group])
        if len(among & game.forces.keys()) < len(game.forces):
            when[FORCE] = tuple(key for own_id, key in game.forces.items() if own_id in among)
        keys = frozenset(key for one in group for key in one.keys)
        name = names.get(target, "")
        bound = Bound(kind, name, keys, minimum=least, maximum=most, when=when, place=(name,))
        bound.about = f"{target} whole"
        bounds.append(bound)
    return bounds


def _as_node(
    target: str,
    names: Mapping[str, str],
    constraints: tuple[Constraint, ...],
    modifiers: tuple[Modifier, ...],
) -> Node:
    return Node(
        id=target,
        links=(),
        ids=frozenset((target,)),
        name=names.get(target, ""),
        kind="category",
        home="",
        is_hidden=False,
        is_collective=False,
        costs={},
        categories=(CategoryLink("", "", target),),
        constraints=constraints,
        modifiers=modifiers,
        infos=(),
        children=(),
        source=Source(),
    )


def _read_category(game: Game, node: Node, place: Place, catalogue: Catalogue) -> Iterator[_Found]:
    """Yield the limits on a category in lists of one catalogue: on its ranks or, if it has none, on
    its items."""
    kind = "count"
    keys = {
        rank.key
        for rank in game.ranks
        for recruit in rank.recruits
        if node.id in recruit.categories and recruit.catalogue == catalogue.id
    }
    if not keys:
        kind = "items"
        keys = {
            good.key
            for good in game.stock.goods.values()
            if good.key and not good.is_trait and node.id in good.categories
        }
    if not keys:
        return
    effect = game.walker.apply(node, place, (node.name,))
    for row in node.constraints:
        value, about = effect.values.get(row.id, row.query.value), f"{node.id} {row.id}"
        is_whole = row.query.scope in (*WHOLE_LIST, "parent")
        is_plain = is_whole and row.query.field == "selections" and not row.query.is_percent
        if value is None or not is_plain:
            code = "limit_percent" if row.query.is_percent else "limit_depends"
            game.log.note(code, about, (node.name,), value=row.query.value)
            game.log.mark("limits", about, "noted")
        else:
            game.log.mark("limits", about, "exact")
        number = row.query.value if value is None else value
        if value is None and row.id in effect.between:
            # Every list that is legal there is legal here.
            number = effect.between[row.id][0 if row.kind == "min" else 1]
        is_bound = number.is_finite() and number >= (1 if row.kind == "min" else 0)
        if is_plain and is_bound:
            most = int(min(number, MOST_LIMIT))
            least, greatest = (most, None) if row.kind == "min" else (0, most)
            yield _Found(node.id, kind, frozenset(keys), least, greatest, catalogue.id)


def forbid_items(game: Game, empty: list[str]) -> dict[str, Any]:
    """Return the limit on ranks that have nothing: offers only say what somebody can buy."""
    return {
        "kind": "items",
        "code": "nothing",
        "severity": "error",
        "of": {"ranks": empty[:MOST_INSIDE]},
        "per": "member",
        "maximum": 0,
        "text": game.say("nothing"),
        "source": SOURCE,
    }


def write_usual_limits(game: Game, *, has_budget: bool) -> list[dict[str, Any]]:
    """Return the limits that every imported game has."""
    kinds = ["group", "unlisted", "unavailable", "unfit", "repeated"]
    if any(recruit.members for rank in game.ranks for recruit in rank.recruits):
        kinds.append("squad")
    if game.answers.money:
        kinds = [*(["overspent"] if has_budget else []), "debt", *kinds]
    return [
        {
            "kind": kind,
            "code": kind,
            "severity": "error",
            "text": game.say(kind),
            "source": SOURCE,
        }
        for kind in kinds
    ]
