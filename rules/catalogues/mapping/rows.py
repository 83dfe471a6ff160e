"""Rows of the rulebook: options, ranks, items, traits, holdings, texts, the least campaign."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from common.wording.texts import USUAL, in_languages, needed
from rules.bounds.limits import MOST_INSIDE
from rules.catalogues.mapping import bounding
from rules.catalogues.mapping.characteristics import describe_profile
from rules.catalogues.mapping.describing import Shown
from rules.catalogues.mapping.goods import Good, to_price
from rules.catalogues.mapping.naming import NOTHING, give_keys, short_name, whole_text
from rules.catalogues.mapping.state import (
    FACTION,
    FORCE,
    MOST_TEXT,
    SOURCE,
    Game,
    Rank,
    find_forces,
    find_profile,
)
from rules.catalogues.model import Source
from rules.skeletons.shipped import start_campaign

# Further ways to use an item.
MOST_MODES = 12


def name_cost(game: Game, kind: str) -> str:
    rows = (row for one in game.library.catalogues.values() for row in one.cost_types)
    name = next((row.name for row in rows if row.id == kind), "")
    return short_name(name.strip() or game.phrases["money"], 40)


def find_limit(game: Game, kind: str) -> int:
    rows = (row for one in game.library.catalogues.values() for row in one.cost_types)
    limit = next((row.limit for row in rows if row.id == kind), None)
    if limit is None or not limit.is_finite() or limit <= 0:
        return 0
    return to_price(min(limit, Decimal(100_000)), game.log, f"limit {kind}", ())


def write_settings(game: Game) -> list[dict[str, Any]]:
    rows = []
    names = {one.id: one.name for one in game.catalogues}
    for key, choices, shown in (
        (FACTION, game.factions, names),
        (FORCE, game.forces, find_forces(game)),
    ):
        if len(choices) < 2:
            continue
        part = dict([*choices.items()][:MOST_INSIDE])
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


@dataclass(frozen=True, slots=True)
class Priced:
    """An element with a price: its id and place, and the table and key of its row."""

    about: str
    place: tuple[str, ...]
    row: tuple[str, str]

    def price(self, game: Game, amount: Decimal, kind: str) -> int:
        """Return a cost as the rulebook can say it."""
        return to_price(amount, game.log, self.about, self.place, kind, self.row)

    def note_unsure(self, game: Game, unsure: Mapping[str, str]) -> None:
        """Add a note for each cost that depends on the list."""
        for kind, code in unsure.items():
            if kind in game.kinds:
                game.log.note(code, self.about, self.place, self.row)
                game.log.mark("costs", f"{self.about} {kind}", "noted")

    def fields(self, game: Game, cost: Callable[[str], Decimal]) -> dict[str, Any]:
        """Return what something costs, as fields of its row. ``cost``: the amount of a type."""
        money, worth = game.answers.money, game.answers.worth
        row: dict[str, Any] = {}
        if money and (price := self.price(game, cost(money), money)):
            row["price"] = price
        if worth and worth != money and (amount := self.price(game, cost(worth), worth)):
            row["worth"] = amount
        costs = {key: self.price(game, cost(kind), kind) for kind, key in game.currencies.items()}
        if any(costs.values()):
            row["costs"] = {key: amount for key, amount in costs.items() if amount}
        return row


def _name_ranks(game: Game) -> dict[str, str]:
    """Return the names of the ranks by key. Categories distinguish ranks of one name, if
    they differ: the same model can be in a list as one of the crew and as a hired hand."""
    categories = game.library.category_names()
    alike: dict[str, list[Rank]] = {}
    for rank in game.ranks:
        alike.setdefault(rank.first.name.strip().lower(), []).append(rank)
    names = {rank.key: rank.first.name for rank in game.ranks}
    for some in alike.values():
        shown = [categories.get(rank.first.main.step.primary, "").strip() for rank in some]
        if len(some) > 1 and all(shown) and len(set(shown)) == len(some):
            for rank, category in zip(some, shown, strict=True):
                names[rank.key] = f"{rank.first.name} ({category})"
    return names


def write_ranks(game: Game) -> list[dict[str, Any]]:
    rows = []
    names = _name_ranks(game)
    for rank in game.ranks:
        recruit = rank.first
        about, place = recruit.main.node.id, recruit.main.names
        priced = Priced(about, place, ("ranks", rank.key))
        row: dict[str, Any] = {
            "key": rank.key,
            "name": game.name(names[rank.key], place, about),
            "price": 0,
            "source": game.cite(recruit.main.node.source),
        }
        row |= priced.fields(game, recruit.cost)
        priced.note_unsure(game, recruit.unsure)
        for code in recruit.codes:
            game.log.note(code, about, place, priced.row)
        profile = find_profile(game, recruit)
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
            row["traits"] = traits[:MOST_INSIDE]
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


def write_items(
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
            for one in profiles[1 + MOST_MODES :]:
                game.log.note("row_cut", one.id, (*place, one.name), ("items", good.key))
        if words := _words_of(game, good):
            row["text"] = game.text(words)
        if tags := given.get(("items", good.key)):
            row["tags"] = sorted(tags)
        if effects := _effects(game, good):
            row["effects"] = effects
        if good.key in hosts:
            named, most = hosts[good.key]
            row["fits"] = {"items": sorted(named)[:MOST_INSIDE], "most": most}
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
    others = profiles[1 : 1 + MOST_MODES]
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
        profile = find_profile(game, use.recruit)
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
            row["ranks"] = sorted(ranks)[:MOST_INSIDE]
        rows.append(row)
    return rows[:20]


def write_traits(game: Game, given: Mapping[tuple[str, str], list[str]]) -> list[dict[str, Any]]:
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
            row |= Priced(good.own_id, place, ("traits", good.key)).fields(game, option.cost)
        most = max(max(use.included, use.most or 1) for use in uses)
        if most > 1:
            row["most"] = min(most, 20)
        ranks = {game.rank_of[id(use.recruit)].key for use in uses}
        if ranks != every and len(ranks) <= MOST_INSIDE and not good.is_rule:
            row["ranks"] = sorted(ranks)
        if tags := given.get(("traits", good.key)):
            row["tags"] = sorted(tags)
        if effects := _effects(game, good):
            row["effects"] = effects
        rows.append(row)
    return rows


def write_holdings(game: Game) -> list[dict[str, Any]]:
    rows = []
    for one in game.holdings:
        about, place = one.taken.node.id, one.taken.names
        priced = Priced(about, place, ("holdings", one.key))
        row: dict[str, Any] = {
            "key": one.key,
            "name": game.name(one.name, place, about),
            "price": 0,
            "shared": True,
            "captured": False,
            "source": game.cite(one.taken.node.source),
        } | priced.fields(game, one.taken.total)
        row.pop("worth", None)
        priced.note_unsure(game, one.taken.doubts())
        if game.answers.with_texts:
            shown = game.describer.describe_all(one.taken)
            words = "\n".join(row.text or row.name for row in shown if not row.type_id)
            if words.strip():
                row["text"] = game.text(whole_text(words, MOST_TEXT))
        if when := game.when(one.catalogues):
            row["when"] = when
        rows.append(row)
    return rows


def write_glossary(game: Game) -> list[dict[str, Any]]:
    """Return the rules of the system, its categories and the catalogues, if texts are wanted.
    Catalogues may have different rules of one name."""
    found: dict[tuple[str, str], Shown] = {}
    for one in game.library.catalogues.values() if game.answers.with_texts else ():
        infos = [one.info, *(category.info for category in one.categories)]
        infos += [force.info for force in one.forces]
        for info in infos:
            for shown in game.describer.read_info(info, one.id):
                if not shown.type_id and shown.text.strip() and shown.name.strip():
                    words = shown.name.strip().lower(), shown.text.strip()
                    found.setdefault(words, shown)
    own_ids = {words: " ".join((one.id, *words)) for words, one in found.items()}
    keys = give_keys(((own_ids[words], one.name) for words, one in found.items()), "term")
    rows = [
        {
            "key": keys[own_ids[words]],
            "name": game.text(short_name(one.name)),
            "text": game.text(whole_text(one.text, MOST_TEXT)),
            "source": game.cite(one.source),
        }
        for words, one in found.items()
    ]
    return bounding.cut_rows(rows, "glossary", game.log)


def write_campaign(game: Game) -> dict[str, Any]:
    """Return the campaign of a game without one, so that its author can choose another."""
    spoken = (game.answers.language,)
    start = start_campaign(has_money=bool(game.answers.money))
    campaign: dict[str, Any] = in_languages(start, needed(spoken), USUAL)["campaign"]
    for row in (*campaign["results"], *campaign["steps"]):
        row["source"] = SOURCE
    return campaign


def write_sources(game: Game) -> dict[str, Any]:
    title = short_name(game.system.system.name)
    found = {SOURCE: {"title": title, "text": game.say("source_text")}}
    for own_id, row in game.library.publications().items():
        key = game.sources[own_id]
        if key in game.cited:
            name = short_name(row.name or row.short)
            found[key] = {"title": name, "text": game.say("book_text")}
    return found
