"""Makes a game of catalogues: one rulebook in which the catalogues are an option.

Exact: what members and options cost, and most limits. Where a number depends on what else is in a
list, the rulebook has the number without that, and a note names the place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from common.wording.texts import CODE_PATTERN, FIRST
from rules.catalogues.mapping import bounding, limiting
from rules.catalogues.mapping.characteristics import (
    find_column_types,
    make_scores,
    make_tables,
)
from rules.catalogues.mapping.counting import find_bounds, forbid_items, write_usual_limits
from rules.catalogues.mapping.depending import find_specials
from rules.catalogues.mapping.describing import Describer, Shown
from rules.catalogues.mapping.goods import (
    collect,
    decide_traits,
)
from rules.catalogues.mapping.library import Library, has_limit
from rules.catalogues.mapping.limiting import Tags
from rules.catalogues.mapping.log import Log
from rules.catalogues.mapping.moving import move_prices
from rules.catalogues.mapping.naming import (
    NOTHING,
    give_keys,
    short_name,
)
from rules.catalogues.mapping.phrases import phrases_in
from rules.catalogues.mapping.rows import (
    find_limit,
    name_cost,
    write_campaign,
    write_glossary,
    write_holdings,
    write_items,
    write_ranks,
    write_settings,
    write_sources,
    write_traits,
)
from rules.catalogues.mapping.selling import settle_worths, write_offers
from rules.catalogues.mapping.state import (
    MOST_IDS,
    SOURCE,
    Game,
    Holding,
    Rank,
    find_forces,
    find_profile,
    make_place,
)
from rules.catalogues.mapping.taking import (
    LEFT_ROLES,
    MOST_PATHS,
    Taken,
    Walker,
)
from rules.catalogues.mapping.units import Recruit, Room, make_recruits
from rules.catalogues.model import Catalogue, System
from rules.catalogues.results import Answers, Imported, Note


def make_game(system: System, answers: Answers) -> Imported:
    """Make a game of a system's catalogues by an author's answers. It always passes the checker;
    what could not be read exactly has a note."""
    game = _start(system, answers)
    _take_all(game)
    _sort_out(game)
    data = _write(game)
    bounding.mend(data)
    bounding.fit(data, game.log)
    bounding.mend(data)
    _drop_unused(data)
    ids, bundled = _find_rows(game, data)
    _count_profiles(game)
    for role, count in sorted(game.log.left.items()):
        game.log.note(f"role_{role}", role, (), count=count)
    if game.log.left_out:
        game.log.rows["notes_cut", ""] = _note_cut(game.log.left_out)
    return Imported(data, game.log.notes(ids), ids, game.log.counts(), bundled)


def _note_cut(count: int) -> Note:
    return Note("notes_cut", (), values={"count": str(count)})


def chosen_catalogues(system: System, answers: Answers) -> list[Catalogue]:
    """Return the catalogues to import, each once; the system itself if there are no others."""
    known: dict[str, Catalogue] = {}
    for one in (system.system, *system.catalogues):
        known.setdefault(one.id, one)
    named = [known[key] for key in dict.fromkeys(answers.catalogues) if key in known]
    usual = [one for key, one in known.items() if key != system.system.id and not one.is_library]
    return named or usual or [*known.values()]


def _start(system: System, answers: Answers) -> Game:
    left = frozenset(key for key, role in answers.roles.items() if role in LEFT_ROLES)
    library = Library.of(system, left)
    types = {row.id: row for one in library.catalogues.values() for row in one.cost_types}
    money = answers.money if answers.money in types else ""
    worth = answers.worth if answers.worth in types else ""
    others = [
        key
        for key, row in types.items()
        if key not in (money, worth) and has_limit(row) and not row.is_hidden
    ][:20]
    is_code = re.fullmatch(CODE_PATTERN, answers.language)
    language = answers.language if is_code else FIRST
    log = Log()
    game = Game(
        system=system,
        answers=answers.model_copy(update={"money": money, "worth": worth, "language": language}),
        library=library,
        log=log,
        walker=Walker(library, log, answers.roles, frozenset(types)),
        describer=Describer(library, log),
        catalogues=chosen_catalogues(system, answers),
        kinds=tuple(dict.fromkeys(one for one in (money, worth, *others) if one)),
        phrases=phrases_in(language),
    )
    for key, row in types.items():
        if key not in game.kinds and not row.is_hidden:
            log.note("cost_left", key, (row.name,), name=row.name)
    game.currencies = give_keys(((key, types[key].name) for key in others), "currency")
    if len(game.catalogues) > 1:
        keys = give_keys(((one.id, one.name) for one in game.catalogues), "faction")
        game.factions = {one.id: keys[one.id] for one in game.catalogues}
    publications = library.publications()
    game.sources = give_keys(
        ((one.id, one.short or one.name) for one in publications.values()),
        "book",
        (SOURCE, "house"),
    )
    forces = find_forces(game)
    if len(forces) > 1:
        keys = give_keys(forces.items(), "force")
        game.forces = {one: keys[one] for one in forces}
    return game


def _take_all(game: Game) -> None:
    """Take the roots of all catalogues: members become recruits, all else things of the gang."""
    recruits: list[Recruit] = []
    room = Room()
    holdings: dict[tuple[object, ...], Holding] = {}
    for catalogue in game.catalogues:
        roots = game.library.roots(catalogue)
        possible = frozenset().union(*(game.library.below(*root) for root in roots))
        game.possible[catalogue.id] = possible
        place = make_place(game, catalogue)
        for choice, home in roots:
            if game.walker.paths > MOST_PATHS:
                game.log.note("too_many", "paths", (catalogue.name,))
                break
            taken = game.walker.take_root(choice, home, place)
            if taken is None:
                continue
            if taken.node.kind == "upgrade" and not _is_member(game, taken):
                _add_holdings(game, taken, catalogue.id, holdings, taken.name)
                continue
            for recruit in make_recruits(taken, catalogue.id, game.kinds, room):
                recruits.append(recruit)
    game.holdings = [*holdings.values()]
    most = bounding.most_rows("holdings")
    game.log.note_cut("holdings", len(game.holdings) - most)
    game.holdings = game.holdings[:most]
    move_prices(recruits, game.log)
    _merge_recruits(game, recruits)


def _is_member(game: Game, taken: Taken) -> bool:
    """Whether an upgrade at the root of a list is a member, by its profile."""
    member = game.answers.member
    return bool(member) and any(one.type_id == member for one in game.describer.describe_all(taken))


def _add_holdings(
    game: Game,
    taken: Taken,
    catalogue: str,
    found: dict[tuple[object, ...], Holding],
    name: str,
    depth: int = 0,
) -> None:
    prices = tuple(taken.total(kind) for kind in game.kinds)
    key = (taken.path, name, prices)
    if key not in found:
        found[key] = Holding(taken, name, [])
    if catalogue not in found[key].catalogues:
        found[key].catalogues.append(catalogue)
    inner = [one for one in taken.options if depth < 3]
    for one in inner:
        _add_holdings(game, one, catalogue, found, f"{name}: {one.name}", depth + 1)


def _merge_recruits(game: Game, recruits: list[Recruit]) -> None:
    """Make ranks of recruits; those that are the same in several catalogues are one rank."""
    member = game.answers.member
    types = game.library.profile_types()
    shown: list[Shown] = []
    own: list[Shown] = []
    for recruit in recruits:
        for part in (*recruit.parts, *recruit.shown):
            found = game.describer.describe(part)
            shown += found
            own += [one for one in found if one.type_id == member]
        for option in recruit.options:
            shown += game.describer.describe_all(option.taken)
    shown = list(dict.fromkeys(shown))
    game.columns = find_column_types(types, member, shown) if member or types else set()
    game.scores = make_scores(
        types.get(member),
        dict.fromkeys(own),
        game.text,
        game.phrases["characteristic_text"],
        game.log,
    )
    game.stock = collect(recruits, game.describer, game.kinds, game.columns, member)
    found_ranks: dict[tuple[object, ...], Rank] = {}
    for recruit in recruits:
        rank = found_ranks.setdefault(_signature(game, recruit), Rank([], []))
        rank.recruits.append(recruit)
        if recruit.catalogue not in rank.catalogues:
            rank.catalogues.append(recruit.catalogue)
        rank.leads = rank.leads or _leads(game, recruit)
    ranks = sorted(found_ranks.values(), key=lambda one: not one.leads)
    most = bounding.most_rows("ranks")
    if len(ranks) > most:
        for rank in ranks[most:]:
            game.log.note("rank_cut", rank.first.main.node.id, rank.first.main.names)
            game.log.mark("entries", rank.first.main.node.id, "noted")
    game.ranks = ranks[:most]
    kept = {id(recruit) for rank in game.ranks for recruit in rank.recruits}
    for good in game.stock.goods.values():
        good.uses = {key: use for key, use in good.uses.items() if key in kept}
    game.stock.goods = {key: one for key, one in game.stock.goods.items() if one.uses}


def _signature(game: Game, recruit: Recruit) -> tuple[object, ...]:
    options = tuple(
        (
            id(game.stock.of_option[id(one)]),
            one.included,
            one.most,
            tuple(one.cost(kind) for kind in game.kinds),
            id(game.stock.of_option[id(one.host)]) if one.host else 0,
        )
        for one in recruit.options
    )
    rules = tuple(id(good) for good in game.stock.rules.get(id(recruit), ()))
    return (
        recruit.main.node.id,
        recruit.name,
        tuple(sorted(recruit.costs.items())),
        options,
        rules,
        recruit.members,
        recruit.whole,
        recruit.categories,
        find_profile(game, recruit),
        tuple((group.id, group.minimum, group.maximum) for group, _host, _times in recruit.groups),
    )


def _leads(game: Game, recruit: Recruit) -> bool:
    return any(
        game.walker.find_role(part.node.ids, part.step.categories) == "leader"
        for part in recruit.parts
    )


def _sort_out(game: Game) -> None:
    """Decide about traits, give keys, and make the kinds of items."""
    types = game.library.profile_types()
    limited = {
        id(game.stock.of_option[id(option)])
        for rank in game.ranks
        for recruit in rank.recruits
        for option in recruit.options
        if option.taken.whole
    }
    names = {key: row.name for key, row in types.items()}
    decide_traits(game.stock, game.kinds, game.columns, names, limited)
    firsts = [rank.first for rank in game.ranks]
    limiting.join_mixed(firsts, game.stock)
    goods = game.stock.goods.values()
    for table in ("traits", "items"):
        rows = [one for one in goods if one.table == table]
        rows.sort(key=lambda one: -len(one.uses))
        most = bounding.most_rows(table)
        for one in rows[most:]:
            game.log.note("row_cut", one.own_id, (one.name,), table=table)
            game.log.mark("entries", one.own_id, "noted")
        kept = rows[:most]
        wanted = ((f"{one.own_id} {number}", one.name) for number, one in enumerate(kept))
        keys = give_keys(wanted, table.removesuffix("s"))
        for number, one in enumerate(kept):
            one.key = keys[f"{one.own_id} {number}"]
    used = {
        one.type_id
        for good in goods
        if good.key and not good.is_trait
        for one in good.shown
        if one.type_id in game.columns
    }
    room = sorted(used, key=lambda one: names[one])[: bounding.most_rows("groups") - 2]
    game.tables = make_tables(types, room, game.text)
    seen: dict[str, int] = {}
    for rank in game.ranks:
        seen[rank.first.name.lower()] = seen.get(rank.first.name.lower(), 0) + 1
    catalogue_names = {one.id: one.name for one in game.catalogues}
    wanted_ranks = []
    for number, rank in enumerate(game.ranks):
        name = rank.first.name
        if seen[name.lower()] > 1 and len(rank.catalogues) == 1 and len(game.catalogues) > 1:
            name = f"{name} {catalogue_names[rank.catalogues[0]]}"
        wanted_ranks.append((f"{rank.first.main.path} {number:04}", name))
    rank_keys = give_keys(wanted_ranks, "rank")
    for (own_id, _name), rank in zip(wanted_ranks, game.ranks, strict=True):
        rank.key = rank_keys[own_id]
        for recruit in rank.recruits:
            game.rank_of[id(recruit)] = rank
    _note_parts(game)
    holding_keys = give_keys(
        ((f"{one.taken.path} {n}", one.name) for n, one in enumerate(game.holdings)), "holding"
    )
    for n, holding in enumerate(game.holdings):
        holding.key = holding_keys[f"{holding.taken.path} {n}"]


def _note_parts(game: Game) -> None:
    """Add notes on limits for each of several things, which count together here."""
    for good in game.stock.goods.values():
        for one in good.options:
            is_several = one.host is not None and one.host.most != 1
            if is_several and one.taken.maximum is not None and good.key:
                place, row = one.taken.names, (good.table, good.key)
                about, value = f"{one.taken.node.id} parts", one.taken.maximum
                game.log.note("limit_parts", about, place, row, value=value)


def _write(game: Game) -> dict[str, Any]:
    """Return the data of the game."""
    answers, system = game.answers, game.system.system
    data: dict[str, Any] = {
        "slug": next(iter(give_keys([(system.id, system.name)], "game").values())),
        "name": game.name(system.name or NOTHING),
        "summary": game.say("summary"),
        "edition": f"v{system.revision or 1}",
        "author": short_name(system.author),
        "languages": [answers.language],
    }
    if answers.money:
        unit = name_cost(game, answers.money)
        data["money"] = {"name": game.text(unit), "unit": game.text(unit)}
    if answers.worth:
        unit = name_cost(game, answers.worth)
        data["rating"] = {"name": game.say("rating"), "unit": game.text(unit)}
        if answers.worth != answers.money:
            data["rating"]["counts"] = "worth"
    budget = find_limit(game, answers.money)
    if answers.money and budget:
        data["budgets"] = [{"amount": budget, "kept": True}]
    data["currencies"] = [
        {
            "key": key,
            "name": game.text(name_cost(game, kind)),
            "unit": game.text(name_cost(game, kind)),
            "start": find_limit(game, kind),
            "source": SOURCE,
        }
        for kind, key in game.currencies.items()
    ]
    data["settings"] = write_settings(game)
    data["characteristics"] = game.scores.rows
    if answers.life in game.scores.keys and game.scores.keys[answers.life] in game.scores.numbers:
        data["life"] = game.scores.keys[answers.life]
    bounds = find_bounds(game)
    names = {rank.key: short_name(rank.first.name) for rank in game.ranks}
    names |= {one.key: short_name(one.name) for one in game.holdings}
    usual = write_usual_limits(game, has_budget=bool(budget))
    bounds = limiting.cut_bounds(bounds, bounding.most_rows("limits") - len(usual), game.log)
    tags = Tags()
    for one in bounds:
        if one.kind in ("items", "traits"):
            tags.want(one.kind, one.counted, one.name)
    find_specials(game, tags)
    _want_categories(game, tags)
    tags.give()
    given: dict[tuple[str, str], list[str]] = {}
    for (table, rows), tag in tags.keys.items():
        for key in rows:
            given.setdefault((table, key), []).append(tag)
    data["groups"], data["items"] = write_items(game, given)
    data["traits"] = write_traits(game, given)
    data["ranks"] = write_ranks(game)
    data["offers"], empty = write_offers(game, data, tags)
    settle_worths(game, data)
    every = frozenset(rank.key for rank in game.ranks)
    limits = limiting.write_bounds(bounds, tags, names, game.phrases, game.text, every)
    if empty and data["groups"]:
        limits.insert(0, forbid_items(game, empty))
    data["limits"] = bounding.cut_rows([*usual, *limits], "limits", game.log)
    data["tags"] = bounding.cut_rows(
        [
            {"key": tag, "name": game.text(short_name(tags.names[pair])), "source": SOURCE}
            for pair, tag in tags.keys.items()
        ],
        "tags",
        game.log,
    )
    data["holdings"] = write_holdings(game)
    data["glossary"] = write_glossary(game)
    data["campaign"] = write_campaign(game)
    data["sources"] = write_sources(game)
    return data


def _want_categories(game: Game, tags: Tags) -> None:
    """Make tags of the categories of items, as far as there is room."""
    names = game.library.category_names()
    goods: dict[str, set[str]] = {}
    for good in game.stock.goods.values():
        for category in good.categories if good.key and not good.is_trait else ():
            if names.get(category, "").strip():
                goods.setdefault(category, set()).add(good.key)
    for category, keys in sorted(goods.items(), key=lambda one: -len(one[1])):
        if len(tags.names) < bounding.most_rows("tags"):
            tags.want("items", frozenset(keys), names[category])


def _drop_unused(data: dict[str, Any]) -> None:
    """Remove tables without rows, and kinds of items without items."""
    used = {row["group"] for row in data["items"]}
    used |= {
        one["group"] for row in data["items"] for one in row.get("modes", ()) if "group" in one
    }
    data["groups"] = [row for row in data["groups"] if row["key"] in used]
    given = {tag for row in (*data["items"], *data["traits"]) for tag in row.get("tags", ())}
    data["tags"] = [row for row in data["tags"] if row["key"] in given]
    if not data["groups"]:
        data["limits"] = [row for row in data["limits"] if row["kind"] != "items"]
    for table in [key for key, rows in data.items() if rows == [] and key != "ranks"]:
        del data[table]


def _find_rows(
    game: Game, data: Mapping[str, Any]
) -> tuple[dict[str, tuple[str, str]], dict[str, int]]:
    """Return the row of each entry that has one, by its path, and by its id alone where no path is
    that; and the number of each entry that is part of another, by its path."""
    tables = ("ranks", "items", "traits", "holdings")
    kept = {table: {row["key"] for row in data.get(table, ())} for table in tables}
    ids: dict[str, tuple[str, str]] = {}
    bundled: dict[str, int] = {}
    # Rows by catalogue and path: the first one of a catalogue counts.
    known: dict[tuple[str, str], tuple[str, str]] = {}

    def add(catalogue: str, path: str, table: str, key: str) -> None:
        if key in kept[table] and len(ids) < MOST_IDS:
            row = known.setdefault((catalogue, path), (table, key))
            if ids.setdefault(path, row) != row:
                ids[f"{catalogue}::{path}"] = row

    def bundle(catalogue: str, path: str, number: int) -> None:
        if path in ids and bundled.setdefault(path, number) != number:
            bundled.setdefault(f"{catalogue}::{path}", number)

    recruits = [(rank, recruit) for rank in game.ranks for recruit in rank.recruits]
    for rank, recruit in recruits:
        for part in recruit.parts:
            add(recruit.catalogue, part.path, "ranks", rank.key)
        for option in recruit.options:
            good = game.stock.of_option[id(option)]
            add(recruit.catalogue, option.taken.path, good.table, good.key)
        for path, host, _number in recruit.bundled:
            good = game.stock.of_option[id(host)]
            add(recruit.catalogue, path, good.table, good.key)
    for rank, recruit in recruits:
        for part in recruit.shown:
            add(recruit.catalogue, part.path, "ranks", rank.key)
    for _rank, recruit in recruits:
        fixed = {path for path, _host, _number in recruit.bundled}
        for taken in _walk([option.taken for option in recruit.options]):
            own = {one.path: number for one, number in taken.fixed}
            for one in (*taken.options, *(one for one, _number in taken.fixed)):
                number = own.get(one.path, 0)
                if number or one.path in fixed or one.path in bundled:
                    bundle(recruit.catalogue, one.path, number)
    for holding in game.holdings:
        for catalogue in holding.catalogues:
            add(catalogue, holding.taken.path, "holdings", holding.key)
    for path, row in [*ids.items()]:
        ids.setdefault(path.rpartition("::")[2], row)
    return ids, bundled


def _walk(ahead: list[Taken]) -> Iterator[Taken]:
    """Yield entries with all that they always have, each once."""
    seen: set[int] = set()
    while ahead:
        taken = ahead.pop()
        if id(taken) not in seen:
            seen.add(id(taken))
            yield taken
            ahead += [one for one, _number in taken.fixed]


def _count_profiles(game: Game) -> None:
    """Count the profiles of members and items as they came over."""
    for good in game.stock.goods.values():
        for one in good.shown:
            game.log.mark("profiles", one.id, "exact")
