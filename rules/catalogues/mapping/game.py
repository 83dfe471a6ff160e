"""Makes a game of catalogues: one rulebook in which the catalogues are an option.

Exact: what members and options cost, and most limits. Where a number depends on what else is in a
list, the rulebook has the number without that, and a note names the place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from common.wording.texts import needed
from rules.catalogues.mapping import bounding, limiting
from rules.catalogues.mapping.characteristics import (
    Scores,
    Tables,
    describe_profile,
    find_column_types,
    make_scores,
    make_tables,
)
from rules.catalogues.mapping.describing import Describer, Shown
from rules.catalogues.mapping.goods import (
    Good,
    Stock,
    collect,
    decide_traits,
    to_price,
)
from rules.catalogues.mapping.library import Library, Node, has_limit
from rules.catalogues.mapping.limiting import Bound, Tags
from rules.catalogues.mapping.log import Log
from rules.catalogues.mapping.naming import (
    NOTHING,
    give_keys,
    short_name,
    whole_text,
)
from rules.catalogues.mapping.offers import ListPrice, Sale, find_list_price, make_offers
from rules.catalogues.mapping.phrases import phrases_in
from rules.catalogues.mapping.taking import LEFT_ROLES, MOST_PATHS, WHOLE_LIST, Taken, Walker
from rules.catalogues.mapping.units import Recruit, make_recruits
from rules.catalogues.mapping.verdicts import Place
from rules.catalogues.model import Catalogue, CategoryLink, Constraint, Modifier, Source, System
from rules.catalogues.results import Answers, Imported, Note

SOURCE = "catalogues"
FACTION, FORCE = "faction", "force"
MOST_FORCES = 20
MOST_IDS = 100_000
MOST_TEXT = 4_000


@dataclass(slots=True, eq=False)
class Rank:
    """A rank: recruits of one or more catalogues that are the same."""

    recruits: list[Recruit]
    catalogues: list[str]
    leads: bool = False
    key: str = ""

    @property
    def first(self) -> Recruit:
        """The recruit that its row is written from."""
        return self.recruits[0]


@dataclass(slots=True, eq=False)
class Holding:
    """Something that the gang as a whole has: an upgrade at the root of a list."""

    taken: Taken
    name: str
    catalogues: list[str]
    key: str = ""


@dataclass(slots=True)
class Game:
    """A game in the making."""

    system: System
    answers: Answers
    library: Library
    log: Log
    walker: Walker
    describer: Describer
    catalogues: list[Catalogue]
    kinds: tuple[str, ...]
    phrases: Mapping[str, str]
    ranks: list[Rank] = field(default_factory=list)
    holdings: list[Holding] = field(default_factory=list)
    stock: Stock = field(default_factory=Stock)
    scores: Scores = field(default_factory=Scores)
    tables: Tables = field(default_factory=Tables)
    columns: set[str] = field(default_factory=set)
    sources: dict[str, str] = field(default_factory=dict)
    cited: set[str] = field(default_factory=set)
    factions: dict[str, str] = field(default_factory=dict)
    forces: dict[str, str] = field(default_factory=dict)
    currencies: dict[str, str] = field(default_factory=dict)
    rank_of: dict[int, Rank] = field(default_factory=dict)

    def text(self, words: str) -> dict[str, str]:
        """Return a text in the languages that the rulebook needs."""
        return dict.fromkeys(needed((self.answers.language,)), whole_text(words) or NOTHING)

    def say(self, phrase: str) -> dict[str, str]:
        """Return one of the importer's own texts."""
        return self.text(self.phrases[phrase])

    def name(self, words: str, place: tuple[str, ...] = (), about: str = "") -> dict[str, str]:
        """Return a name, with a note if it had to be cut."""
        short = short_name(words)
        if short.endswith("…") and not words.strip().endswith("…"):
            self.log.note("name_cut", about or words[:40], place or (words,))
        return self.text(short)

    def cite(self, source: Source) -> str:
        """Return where something is described, as rows say it."""
        key = self.sources.get(source.publication, SOURCE)
        self.cited.add(key)
        page = short_name(source.page, 20) if source.page.strip() else ""
        return f"{key} p.{page}" if page and page != NOTHING else key

    def when(self, catalogues: Iterable[str]) -> dict[str, list[str]]:
        """Return the condition for some of the catalogues."""
        wanted = {*catalogues}
        keys = [key for own_id, key in self.factions.items() if own_id in wanted]
        return {FACTION: keys} if 0 < len(keys) < len(self.factions) else {}


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
    rows, ids = _find_rows(game, data)
    _count_profiles(game)
    for role, count in sorted(game.log.left.items()):
        game.log.note(f"role_{role}", role, (), count=count)
    if game.log.left_out:
        game.log.rows["notes_cut", ""] = _note_cut(game.log.left_out)
    return Imported(data, game.log.notes(rows), ids, game.log.counts())


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
    log = Log()
    game = Game(
        system=system,
        answers=answers.model_copy(update={"money": money, "worth": worth}),
        library=library,
        log=log,
        walker=Walker(library, log, answers.roles, frozenset(types)),
        describer=Describer(library, log),
        catalogues=chosen_catalogues(system, answers),
        kinds=tuple(dict.fromkeys(one for one in (money, worth, *others) if one)),
        phrases=phrases_in(answers.language),
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
    forces = _find_forces(game)
    if len(forces) > 1:
        keys = give_keys(forces.items(), "force")
        game.forces = {one: keys[one] for one in forces}
    return game


def _find_forces(game: Game) -> dict[str, str]:
    """Return the shapes of lists that are not inside others, by id."""
    rows = [row for one in game.library.catalogues.values() for row in one.forces]
    shown = [row for row in rows if not row.is_hidden]
    return {row.id: row.name for row in shown[:MOST_FORCES]}


def _place(game: Game, catalogue: Catalogue, possible: frozenset[str], force: str = "") -> Place:
    forces = _find_forces(game)
    return Place(
        catalogue=catalogue.id,
        catalogues=frozenset(game.library.catalogues),
        force=force or (next(iter(forces)) if len(forces) == 1 else ""),
        forces=frozenset(forces),
        possible=possible,
    )


def _take_all(game: Game) -> None:
    """Take the roots of all catalogues: members become recruits, all else things of the gang."""
    recruits: list[Recruit] = []
    holdings: dict[tuple[object, ...], Holding] = {}
    for catalogue in game.catalogues:
        roots = game.library.roots(catalogue)
        possible = frozenset().union(*(game.library.below(*root) for root in roots))
        place = _place(game, catalogue, possible)
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
            for recruit in make_recruits(taken, catalogue.id, game.kinds):
                recruits.append(recruit)
    game.holdings = [*holdings.values()]
    most = bounding.most_rows("holdings")
    if len(game.holdings) > most:
        game.log.note("rows_cut", "holdings", (), count=len(game.holdings) - most, table="holdings")
        game.holdings = game.holdings[:most]
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
        types.get(member), dict.fromkeys(own), game.text, game.phrases["characteristic_text"]
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
        _own_profile(game, recruit),
        tuple((group.id, group.minimum, group.maximum) for group, _host in recruit.groups),
    )


def _own_profile(game: Game, recruit: Recruit) -> Shown | None:
    """Return the profile of a member; where several are theirs, the first."""
    for part in (*reversed(recruit.parts), *recruit.shown):
        for one in game.describer.describe(part):
            if one.type_id == game.answers.member:
                return one
    # A unit that is one member may have it inside.
    for one in game.describer.describe_all(recruit.main):
        if one.type_id == game.answers.member:
            return one
    return None


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
    holding_keys = give_keys(
        ((f"{one.taken.path} {n}", one.name) for n, one in enumerate(game.holdings)), "holding"
    )
    for n, holding in enumerate(game.holdings):
        holding.key = holding_keys[f"{holding.taken.path} {n}"]


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
        unit = _cost_name(game, answers.money)
        data["money"] = {"name": game.text(unit), "unit": game.text(unit)}
    if answers.worth:
        unit = _cost_name(game, answers.worth)
        data["rating"] = {"name": game.say("rating"), "unit": game.text(unit)}
        if answers.worth != answers.money:
            data["rating"]["counts"] = "worth"
    budget = _limit_of(game, answers.money)
    if answers.money and budget:
        data["budgets"] = [{"amount": budget, "kept": True}]
    data["currencies"] = [
        {
            "key": key,
            "name": game.text(_cost_name(game, kind)),
            "unit": game.text(_cost_name(game, kind)),
            "start": _limit_of(game, kind),
            "source": SOURCE,
        }
        for kind, key in game.currencies.items()
    ]
    data["settings"] = _write_settings(game)
    data["characteristics"] = game.scores.rows
    if answers.life in game.scores.keys and game.scores.keys[answers.life] in game.scores.numbers:
        data["life"] = game.scores.keys[answers.life]
    bounds = _find_bounds(game)
    names = {rank.key: short_name(rank.first.name) for rank in game.ranks}
    names |= {one.key: short_name(one.name) for one in game.holdings}
    usual = _usual_limits(game, has_budget=bool(budget))
    bounds = limiting.cut_bounds(bounds, bounding.most_rows("limits") - len(usual), game.log)
    tags = Tags()
    for one in bounds:
        if one.kind in ("items", "traits"):
            tags.want(one.kind, one.counted, one.name)
    tags.give()
    given: dict[tuple[str, str], list[str]] = {}
    for (table, rows), tag in tags.keys.items():
        for key in rows:
            given.setdefault((table, key), []).append(tag)
    data["groups"], data["items"] = _write_items(game, given)
    data["traits"] = _write_traits(game, given)
    data["ranks"] = _write_ranks(game)
    data["offers"], empty = _write_offers(game, data)
    every = frozenset(rank.key for rank in game.ranks)
    limits = limiting.write_bounds(bounds, tags, names, game.phrases, game.text, every)
    if empty and data["groups"]:
        limits.insert(0, _nothing(game, empty))
    data["limits"] = [*usual, *limits][: bounding.most_rows("limits")]
    data["tags"] = bounding.cut_rows(
        [
            {"key": tag, "name": game.text(short_name(tags.names[pair])), "source": SOURCE}
            for pair, tag in tags.keys.items()
        ],
        "tags",
        game.log,
    )
    data["holdings"] = _write_holdings(game)
    data["glossary"] = _write_glossary(game)
    data["campaign"] = _write_campaign(game)
    data["sources"] = _write_sources(game)
    return data


def _cost_name(game: Game, kind: str) -> str:
    rows = (row for one in game.library.catalogues.values() for row in one.cost_types)
    name = next((row.name for row in rows if row.id == kind), "")
    return short_name(name.strip() or game.phrases["money"], 40)


def _limit_of(game: Game, kind: str) -> int:
    rows = (row for one in game.library.catalogues.values() for row in one.cost_types)
    limit = next((row.limit for row in rows if row.id == kind), None)
    if limit is None or not limit.is_finite() or limit <= 0:
        return 0
    return to_price(min(limit, Decimal(100_000)), game.log, f"limit {kind}", ())


def _write_settings(game: Game) -> list[dict[str, Any]]:
    rows = []
    names = {one.id: one.name for one in game.catalogues}
    for key, choices, shown in (
        (FACTION, game.factions, names),
        (FORCE, game.forces, _find_forces(game)),
    ):
        if len(choices) < 2:
            continue
        part = dict([*choices.items()][: bounding.MOST_INSIDE])
        rows.append(
            {
                "kind": "choice",
                "key": key,
                "name": game.say(key),
                "text": game.say(f"{key}_text"),
                "default": next(iter(part.values())),
                "choices": [
                    {"key": one, "name": game.text(short_name(shown[own_id]))}
                    for own_id, one in part.items()
                ],
                "gang_only": True,
                "source": SOURCE,
            }
        )
    return rows


def _costs(game: Game, costs: Mapping[str, Decimal], about: str, place: Any) -> dict[str, int]:
    found = {
        key: to_price(costs.get(kind, Decimal(0)), game.log, about, place, kind)
        for kind, key in game.currencies.items()
    }
    return {key: amount for key, amount in found.items() if amount}


def _note_unsure(game: Game, unsure: Mapping[str, str], about: str, place: Any) -> None:
    for kind, code in unsure.items():
        if kind in game.kinds:
            game.log.note(code, about, place)
            game.log.mark("costs", f"{about} {kind}", "noted")


def _write_ranks(game: Game) -> list[dict[str, Any]]:
    rows = []
    money, worth = game.answers.money, game.answers.worth
    for rank in game.ranks:
        recruit = rank.first
        about, place = recruit.main.node.id, recruit.main.names
        row: dict[str, Any] = {
            "key": rank.key,
            "name": game.name(recruit.name, place, about),
            "price": to_price(recruit.costs.get(money, Decimal(0)), game.log, about, place, money),
            "source": game.cite(recruit.main.node.source),
        }
        if worth and worth != money:
            amount = recruit.costs.get(worth, Decimal(0))
            row["worth"] = to_price(amount, game.log, about, place, worth)
        if costs := _costs(game, recruit.costs, about, place):
            row["costs"] = costs
        _note_unsure(game, recruit.unsure, about, place)
        for code in recruit.codes:
            game.log.note(code, about, place)
        profile = _own_profile(game, recruit)
        if profile is not None:
            row["values"] = game.scores.values(profile)
        if rank.leads:
            row["leads"] = True
        if recruit.members:
            least, most = recruit.members
            row["squad"] = {"minimum": least, "maximum": most, "together": True}
        traits = [
            good.key
            for good in game.stock.goods.values()
            if good.is_trait and good.key and id(recruit) in good.uses
            for _copy in range(min(good.uses[id(recruit)].included, 20))
        ]
        if traits:
            row["traits"] = traits[: bounding.MOST_INSIDE]
        if when := game.when(rank.catalogues):
            row["when"] = when
        rows.append(row)
    if not rows:
        game.log.note("no_ranks", "ranks", ())
        row = {"key": "member", "name": game.say("member"), "price": 0, "source": SOURCE}
        rows.append(row)
    return rows


def _words_of(game: Game, good: Good) -> str:
    """Return the text of an item or trait: its rules, and profiles that are no columns."""
    types, parts = game.library.profile_types(), []
    for one in good.shown:
        if one.type_id in game.tables.keys and not good.is_trait:
            continue
        if one.type_id and one.type_id in {*game.columns, game.answers.member}:
            words = describe_profile(one, types)
        else:
            words = describe_profile(one, types) if one.type_id else one.text
            words = words if game.answers.with_texts else ""
        name = "" if one.name.strip() == good.name.strip() else one.name.strip()
        line = f"{name}: {words}" if name and words.strip() else name or words
        if line.strip() and line not in parts:
            parts.append(line)
    return whole_text("\n".join(parts), MOST_TEXT)


def _source_of(game: Game, good: Good) -> str:
    sources = [option.taken.node.source for option in good.options]
    sources += [one.source for one in good.shown]
    return game.cite(next((one for one in sources if one.page.strip()), Source()))


def _write_items(
    game: Game, given: Mapping[tuple[str, str], list[str]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the kinds of items, and the items; prices come with the offers."""
    rows: list[dict[str, Any]] = []
    goods = [one for one in game.stock.goods.values() if not one.is_trait and one.key]
    hosts = _find_hosts(game, goods)
    for good in goods:
        profiles = [one for one in good.shown if one.type_id in game.tables.keys]
        group = "models" if good.is_model else "options"
        place = next((one.taken.names for one in good.options), (good.name,))
        row: dict[str, Any] = {
            "key": good.key,
            "name": game.name(good.name, place, good.own_id),
            "group": game.tables.keys[profiles[0].type_id] if profiles else group,
            "source": _source_of(game, good),
        }
        if profiles:
            cells = game.tables.cells(profiles[0], with_texts=game.answers.with_texts)
            if cells:
                row["columns"] = cells
            row |= _modes(game, profiles)
        if words := _words_of(game, good):
            row["text"] = game.text(words)
        if tags := given.get(("items", good.key)):
            row["tags"] = sorted(tags)
        if effects := _effects(game, good):
            row["effects"] = effects
        if good.key in hosts:
            named, most = hosts[good.key]
            row["fits"] = {"items": sorted(named)[: bounding.MOST_INSIDE], "most": most}
        rows.append(row)
    used = {row["group"] for row in rows}
    groups = [row for row in game.tables.rows if row["key"] in used]
    groups += [
        {"key": key, "name": game.say(key), "source": SOURCE}
        for key in ("options", "models")
        if key in used
    ]
    modes = {mode["group"] for row in rows for mode in row.get("modes", ()) if "group" in mode}
    groups += [row for row in game.tables.rows if row["key"] in modes - used]
    return groups, rows


def _modes(game: Game, profiles: list[Shown]) -> dict[str, Any]:
    """Return an item's further profiles as other ways to use it."""
    others = profiles[1:13]
    if not others:
        return {}
    wanted = [(str(number), one.name) for number, one in enumerate(others)]
    keys = give_keys(wanted, "mode")
    modes = []
    for number, one in enumerate(others):
        mode: dict[str, Any] = {"key": keys[str(number)], "name": game.text(short_name(one.name))}
        if one.type_id != profiles[0].type_id:
            mode["group"] = game.tables.keys[one.type_id]
        if cells := game.tables.cells(one, with_texts=game.answers.with_texts):
            mode["columns"] = cells
        modes.append(mode)
    return {"modes": modes}


def _find_hosts(game: Game, goods: list[Good]) -> dict[str, tuple[set[str], int]]:
    """Return the items to which others are fitted, with the number that one can have: of items that
    are always part of others, and only of items that are not fitted themselves."""
    found: dict[str, tuple[set[str], int]] = {}
    for good in goods:
        options = [*good.options]
        hosts = {game.stock.of_option[id(one.host)] if one.host else None for one in options}
        if not options or None in hosts or any(one.included for one in options):
            continue
        named = {one.key for one in hosts if one and one.key and not (one.is_trait or one.is_model)}
        if len(named) == len(hosts) and good.key not in named:
            most = [one.taken.maximum for one in options]
            number = 9 if None in most else max(one or 1 for one in most)
            found[good.key] = (named, max(1, min(9, number)))
    return {key: one for key, one in found.items() if one[0].isdisjoint(found)}


def _effects(game: Game, good: Good) -> list[dict[str, Any]]:
    """Return what a thing adds to the characteristics of those who have it."""
    found: dict[tuple[str, int], set[str]] = {}
    for use in good.uses.values():
        rank = game.rank_of.get(id(use.recruit))
        profile = _own_profile(game, use.recruit)
        if rank is None or profile is None:
            continue
        for change in game.describer.changes.get(profile.id, ()):
            key = game.scores.keys.get(change.characteristic, "")
            if key not in game.scores.numbers or abs(change.amount) > 99:
                continue
            if any(change.child in one.taken.node.ids for one in use.options):
                found.setdefault((key, change.amount), set()).add(rank.key)
    every = {rank.key for rank in game.ranks}
    rows = []
    for (key, amount), ranks in sorted(found.items()):
        row: dict[str, Any] = {"kind": "add", "characteristic": key, "amount": amount}
        if ranks != every:
            row["ranks"] = sorted(ranks)[: bounding.MOST_INSIDE]
        rows.append(row)
    return rows[:20]


def _write_traits(game: Game, given: Mapping[tuple[str, str], list[str]]) -> list[dict[str, Any]]:
    rows = []
    every = {rank.key for rank in game.ranks}
    for good in game.stock.goods.values():
        if not good.is_trait or not good.key:
            continue
        uses = [*good.uses.values()]
        place = next((one.taken.names for one in good.options), (good.name,))
        row: dict[str, Any] = {
            "key": good.key,
            "name": game.name(good.name, place, good.own_id),
            "text": game.text(_words_of(game, good) or NOTHING),
            "source": _source_of(game, good),
        }
        bought = [use for use in uses if use.is_bought]
        if not bought:
            row["sold"] = False
        else:
            option = next(one for one in bought[0].options)
            row |= _prices(game, option.cost, good.own_id, place)
        most = max(max(use.included, use.most or 1) for use in uses)
        if most > 1:
            row["most"] = min(most, 20)
        ranks = {game.rank_of[id(use.recruit)].key for use in uses}
        if ranks != every and len(ranks) <= bounding.MOST_INSIDE and not good.is_rule:
            row["ranks"] = sorted(ranks)
        if tags := given.get(("traits", good.key)):
            row["tags"] = sorted(tags)
        if effects := _effects(game, good):
            row["effects"] = effects
        rows.append(row)
    return rows


def _prices(game: Game, cost: Any, about: str, place: tuple[str, ...]) -> dict[str, Any]:
    """Return what something costs, as fields of its row."""
    money, worth = game.answers.money, game.answers.worth
    row: dict[str, Any] = {}
    if money and (price := to_price(cost(money), game.log, about, place, money)):
        row["price"] = price
    if (
        worth
        and worth != money
        and (amount := to_price(cost(worth), game.log, about, place, worth))
    ):
        row["worth"] = amount
    if costs := _costs(game, {kind: cost(kind) for kind in game.currencies}, about, place):
        row["costs"] = costs
    return row


def _write_offers(game: Game, data: dict[str, Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the offers, and the ranks that can buy nothing; give the items their list prices."""
    money = game.answers.money
    items = {row["key"]: row for row in data["items"]}
    sales: dict[str, list[Sale]] = {key: [] for key in items}
    for good in game.stock.goods.values():
        if good.is_trait or good.key not in items:
            continue
        seen: set[str] = set()
        shown: list[tuple[tuple[str, int], ...]] = []
        for use in good.uses.values():
            rank = game.rank_of[id(use.recruit)]
            if rank.key in seen:
                continue
            seen.add(rank.key)
            price = None
            if use.is_bought:
                option = next(
                    one for one in use.options if one.most is None or one.most > one.included
                )
                place = option.taken.names
                cost = option.cost(money) if money else Decimal(0)
                price = to_price(cost, game.log, good.own_id, place, money)
                _note_unsure(game, option.unsure | option.taken.doubts(), good.own_id, place)
                rest = _prices(game, option.cost, good.own_id, place)
                rest.pop("price", None)
                shown.append(tuple(sorted((key, repr(one)) for key, one in rest.items())))  # type: ignore[misc]
                if len({*shown}) == 1:
                    items[good.key] |= rest
                elif len({*shown}) == 2:
                    game.log.note("worth_differs", good.own_id, place)
            sales[good.key].append(Sale(rank.key, good.key, use.included, use.most, price))
    lists = {key: find_list_price(rows) for key, rows in sales.items()}
    for good in game.stock.goods.values():
        if good.key in lists and not any(use.is_bought for use in good.uses.values()):
            options = [*good.options]
            if options and money:
                # Everybody who has it has paid it with their rank, but it has a price.
                cost, place = options[0].cost(money), options[0].taken.names
                price = to_price(cost, game.log, good.own_id, place, money)
                lists[good.key] = ListPrice(price, None)
    for key, one in lists.items():
        if one.price:
            items[key]["price"] = one.price
        if one.most is not None:
            items[key]["most_per_member"] = one.most
    order = [rank.key for rank in game.ranks]
    every = [row for rows in sales.values() for row in rows]
    buyers = {row.rank for row in every if row.price is not None}
    for row in every:
        if row.rank not in buyers and row.included:
            # An offer of what they have already keeps them from everything else.
            buyers.add(row.rank)
            price = lists[row.item].price
            every = [*every, Sale(row.rank, row.item, 0, row.included, price)]
    offers = make_offers(every, lists, order, game.text, lambda *keys: _offer_name(game, *keys))
    cut = offers[bounding.most_rows("offers") :]
    for row in cut:
        for key in row["items"] if "price" in row else ():
            game.log.note("price_cut", key, (key,), price=row["price"])
    return offers[: bounding.most_rows("offers")], [one for one in order if one not in buyers]


def _offer_name(game: Game, ranks: list[str], items: list[str]) -> str:
    names = {rank.key: rank.first.name for rank in game.ranks}
    first = short_name(names.get(ranks[0], NOTHING), 60)
    return first if len(ranks) == 1 else f"{first} + {len(ranks) - 1}"


def _nothing(game: Game, empty: list[str]) -> dict[str, Any]:
    """Return the limit on ranks that have nothing: offers only say what somebody can buy."""
    return {
        "kind": "items",
        "code": "nothing",
        "severity": "error",
        "of": {"ranks": empty[: bounding.MOST_INSIDE]},
        "per": "member",
        "maximum": 0,
        "text": game.say("nothing"),
        "source": SOURCE,
    }


def _usual_limits(game: Game, *, has_budget: bool) -> list[dict[str, Any]]:
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


def _find_bounds(game: Game) -> list[Bound]:
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


def _find_good_bounds(game: Game) -> list[Bound]:
    """Return the limits on items in the whole gang. Several that allow the same number of copies of
    each of their items become one."""
    rows: dict[tuple[str, int, int | None], tuple[set[str], set[str], str]] = {}
    for rank in game.ranks:
        for recruit in rank.recruits:
            for option in recruit.options:
                good = game.stock.of_option[id(option)]
                if not good.key or good.is_trait:
                    continue
                for one in option.taken.whole:
                    known = rows.setdefault(
                        (one.owner, one.minimum, one.maximum), (set(), set(), good.name)
                    )
                    known[0].add(good.key)
                    known[1].add(recruit.catalogue)
    found: list[Bound] = []
    copies: dict[int, set[str]] = {}
    for (owner, least, most), (keys, catalogues, name) in rows.items():
        if len(keys) == 1 and not least and most:
            copies.setdefault(most, set()).update(keys)
            continue
        when = _when(game, catalogues)
        found.append(
            Bound(
                "items",
                name,
                frozenset(keys),
                minimum=least,
                maximum=most,
                when=when,
                about=f"{owner} whole",
            )
        )
    for most, keys in sorted(copies.items()):
        name = game.phrases["copies"].replace("{number}", str(most))
        found.append(Bound("items", name, frozenset(keys), per="copies", maximum=most))
    return found


def _find_category_bounds(game: Game) -> list[Bound]:
    """Return the limits on categories, by catalogue and by the shape of the list."""
    found: list[Bound] = []
    rows: dict[tuple[object, ...], tuple[set[str], set[str]]] = {}
    names = game.library.category_names()
    forces = [row for one in game.library.catalogues.values() for row in one.forces]
    shown = _find_forces(game)
    for catalogue in game.catalogues:
        place = _place(game, catalogue, frozenset(names))
        for one in game.library.catalogues.values():
            for category in one.categories:
                if category.constraints:
                    node = _as_node(category.id, names, category.constraints, category.modifiers)
                    _add_category(game, node, place, catalogue, "", rows)
        for force in forces:
            if force.id not in shown:
                continue
            there = _place(game, catalogue, frozenset(names), force.id)
            for link in force.categories:
                if link.constraints:
                    node = _as_node(link.target, names, link.constraints, link.modifiers)
                    _add_category(game, node, there, catalogue, force.id, rows)
    for (target, force, least, most), (keys, catalogues) in rows.items():
        when = _when(game, catalogues)
        if force and game.forces:
            when[FORCE] = (game.forces[str(force)],)
        found.append(
            Bound(
                "count",
                names.get(str(target), ""),
                frozenset(keys),
                minimum=int(str(least)),
                maximum=None if most is None else int(str(most)),
                when=when,
                about=f"{target} whole",
                place=(names.get(str(target), ""),),
            )
        )
    return found


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


def _add_category(
    game: Game,
    node: Node,
    place: Place,
    catalogue: Catalogue,
    force: str,
    rows: dict[tuple[object, ...], tuple[set[str], set[str]]],
) -> None:
    keys = {
        rank.key
        for rank in game.ranks
        for recruit in rank.recruits
        if node.id in recruit.categories and recruit.catalogue == catalogue.id
    }
    if not keys:
        return
    effect = game.walker.apply(node, place, (node.name,))
    for row in node.constraints:
        value, about = effect.values.get(row.id, row.query.value), f"{node.id} {row.id}"
        is_plain = row.query.field == "selections" and not row.query.is_percent
        if value is None or not is_plain or row.query.scope not in (*WHOLE_LIST, "parent"):
            code = "limit_percent" if row.query.is_percent else "limit_depends"
            game.log.note(code, about, (node.name,), value=row.query.value)
            game.log.mark("limits", about, "noted")
            if not is_plain or row.query.scope not in (*WHOLE_LIST, "parent"):
                continue
            value = row.query.value if value is None else value
        else:
            game.log.mark("limits", about, "exact")
        if not value.is_finite() or value < 0 or (row.kind == "min" and not value):
            continue
        number = int(min(value, 10_000))
        pair = (number, None) if row.kind == "min" else (0, number)
        known = rows.setdefault((node.id, force, *pair), (set(), set()))
        known[0].update(keys)
        known[1].add(catalogue.id)


def _write_holdings(game: Game) -> list[dict[str, Any]]:
    rows = []
    for one in game.holdings:
        about, place = one.taken.node.id, one.taken.names
        row: dict[str, Any] = {
            "key": one.key,
            "name": game.name(one.name, place, about),
            "price": 0,
            "shared": True,
            "captured": False,
            "source": game.cite(one.taken.node.source),
        } | _prices(game, one.taken.total, about, place)
        row.pop("worth", None)
        _note_unsure(game, one.taken.doubts(), about, place)
        if game.answers.with_texts:
            shown = game.describer.describe_all(one.taken)
            words = "\n".join(row.text or row.name for row in shown if not row.type_id)
            if words.strip():
                row["text"] = game.text(whole_text(words, MOST_TEXT))
        if when := game.when(one.catalogues):
            row["when"] = when
        rows.append(row)
    return rows


def _write_glossary(game: Game) -> list[dict[str, Any]]:
    """Return the rules of the system, its categories and the catalogues, if texts are wanted."""
    found: dict[str, Shown] = {}
    for one in game.library.catalogues.values() if game.answers.with_texts else ():
        infos = [one.info, *(row.info for row in one.categories), *(row.info for row in one.forces)]
        for info in infos:
            for shown in game.describer.read_info(info, one.id):
                if not shown.type_id and shown.text.strip() and shown.name.strip():
                    found.setdefault(shown.name.strip().lower(), shown)
    keys = give_keys(((one.id + name, one.name) for name, one in found.items()), "term")
    rows = [
        {
            "key": keys[one.id + name],
            "name": game.text(short_name(one.name)),
            "text": game.text(whole_text(one.text, MOST_TEXT)),
            "source": game.cite(one.source),
        }
        for name, one in found.items()
    ]
    return bounding.cut_rows(rows, "glossary", game.log)


def _write_campaign(game: Game) -> dict[str, Any]:
    """Return the least campaign: results, and new members."""
    money = bool(game.answers.money)
    won: dict[str, Any] = {"kind": "decided", "key": "won", "name": game.say("won")}
    draw: dict[str, Any] = {"kind": "level", "key": "draw", "name": game.say("draw")}
    steps = [{"kind": "income"}] if money else []
    steps.append({"kind": "recruits"})
    return {
        "text": game.say("campaign"),
        "standings": ["wins"],
        "results": [
            won | {"text": game.say("won_text"), "source": SOURCE},
            draw | {"text": game.say("draw_text"), "source": SOURCE},
        ],
        "steps": [
            row
            | {
                "key": row["kind"],
                "name": game.say(row["kind"]),
                "text": game.say(f"{row['kind']}_text"),
                "source": SOURCE,
            }
            for row in steps
        ],
    }


def _write_sources(game: Game) -> dict[str, Any]:
    title = short_name(game.system.system.name)
    found = {SOURCE: {"title": title, "text": game.say("source_text")}}
    for own_id, row in game.library.publications().items():
        key = game.sources[own_id]
        if key in game.cited:
            name = short_name(row.name or row.short)
            found[key] = {"title": name, "text": game.say("book_text")}
    return found


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
) -> tuple[dict[str, tuple[str, str]], dict[str, tuple[str, str]]]:
    """Return the row of each element that has one, by its id; and the row of each entry by its path,
    and by its id alone where no path is that."""
    tables = ("ranks", "items", "traits", "holdings")
    kept = {table: {row["key"] for row in data.get(table, ())} for table in tables}
    ids: dict[str, tuple[str, str]] = {}

    def add(path: str, table: str, key: str) -> None:
        if key in kept[table] and len(ids) < MOST_IDS:
            ids.setdefault(path, (table, key))

    for rank in game.ranks:
        for recruit in rank.recruits:
            for part in recruit.parts:
                add(part.path, "ranks", rank.key)
            for option in recruit.options:
                good = game.stock.of_option[id(option)]
                add(option.taken.path, good.table, good.key)
            for path, host in recruit.bundled:
                good = game.stock.of_option[id(host)]
                add(path, good.table, good.key)
    for rank in game.ranks:
        for recruit in rank.recruits:
            for part in recruit.shown:
                add(part.path, "ranks", rank.key)
    for holding in game.holdings:
        add(holding.taken.path, "holdings", holding.key)
    rows = dict(ids)
    for path, row in ids.items():
        rows.setdefault(path.rpartition("::")[2], row)
    return rows, rows


def _count_profiles(game: Game) -> None:
    """Count the profiles of members and items as they came over."""
    for good in game.stock.goods.values():
        for one in good.shown:
            game.log.mark("profiles", one.id, "exact")
