"""Copies the rows of a campaign from one rulebook into another, through the fields of their models:
each field with the key of a row gets the key of its counterpart.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from common.wording.sentences import Label, Sentence, say
from common.wording.sentences import gettext_noop as _
from common.wording.texts import Text
from rules.book.advancement import Advancement, AdvancementRow
from rules.book.annotations import marker, models_in
from rules.book.fates import Chooses, ChoosesTrait, DiceTable, FallsTo, Option, Rises, TableRow
from rules.book.holdings import Holding
from rules.book.labels import KeyOf
from rules.book.model import Book
from rules.book.schema import Trait
from rules.book.season import (
    Award,
    Campaign,
    CaptivesStep,
    IncomeStep,
    Promotion,
    UnderdogMoney,
    UpkeepStep,
)
from rules.book.vocabulary import HOUSE, Add, Between, Frozen, Set
from rules.skeletons.data import Data, name_of, rows_of, tags_of
from rules.skeletons.matching import ALONG, ANY, Matches
from rules.skeletons.money import ONLY_MONEY, leave_out_sums, multiply

# Rows that a campaign brings along when it names them; a game's own rows stand for all others.
TAKEN = ("tables", "conditions", "currencies", "holdings", "settings", "traits", "characteristics")
# A row that is left out may leave out others, in a further round. After the last of these rounds
# the checker names the references to missing rows.
MOST_ROUNDS = 12
# The fields that say under which options a row is in force.
WHEN = ("when", "sold_when")
# Models in which a list of traits is one to choose from.
LEARNING = (Advancement, AdvancementRow, ChoosesTrait)
# Models whose optional parts are left out one by one.
LENIENT = (Campaign, TableRow)


@dataclass(frozen=True)
class Note:
    """Something that did not come over. ``table``, ``row``: the row of the game that it is about,
    as the editor names them; ``row`` is "" if the row itself is missing."""

    table: str
    row: str
    words: Sentence


@dataclass(frozen=True)
class Carried:
    """The parts for the game: its campaign, more rows of its tables, more sources."""

    campaign: Data
    rows: dict[str, list[Data]]
    sources: Data
    notes: tuple[Note, ...]


class _Unmatched(Exception):
    """Raised for a reference without a counterpart; ``name``: what it refers to; ``is_noted``: a
    note says so already."""

    def __init__(self, name: Text | str, *, is_noted: bool = False) -> None:
        super().__init__(str(name))
        self.name, self.is_noted = name, is_noted


@dataclass(frozen=True)
class _Place:
    """The row that is being copied: its table, its key or numbers, and its name."""

    table: str
    row: str
    name: Text | str


_CAMPAIGN = _Place("campaign", "", _("The campaign"))
_ROW = _("“%(row)s” is left out: the game has nothing for “%(missing)s”")
_PART = _("“%(row)s” comes without a part of it: the game has nothing for “%(missing)s”")
_SAME = _("“%(row)s” is left out: it would lead from a rank to the same rank")
_ALONE = _("“%(row)s”: each member advances alone, because no rank of the game has groups")
_SEVERAL = _("“%(row)s”: several of the game’s ranks would do, and the first was taken")
_POINTS = _("Experience brings points, but no characteristic of the game can be raised with them")
_RANKED = _("The game has nothing to rank gangs by, so that victories decide")


class Carrier:
    """Copies the campaign of ``donor`` for ``game``. ``has_all``: the game is the donor itself, so
    that only this is of interest: ``asked``, the tables and keys that the campaign refers to, and
    ``learned``, the lists of traits that members choose from."""

    def __init__(
        self, game: Mapping[str, Any], donor: Data, matches: Matches, *, has_all: bool = False
    ) -> None:
        self.game, self.donor, self.matches = game, donor, matches
        self.has_all = has_all
        owner = donor if has_all else game
        self.has_money = isinstance(owner.get("money"), dict)
        self.has_rating = isinstance(owner.get("rating"), dict)
        self.asked: set[tuple[str, str]] = set()
        self.learned: set[str] = set()
        self.missing: dict[tuple[str, str], Text | str] = {}
        self.notes: dict[Note, None] = {}
        self.their_rows = {table: rows_of(donor, table) for table in (*TAKEN, "ranks")}
        self.our_rows = {table: rows_of(owner, table) for table in (*TAKEN, "ranks")}
        self._start()

    def _start(self) -> None:
        """Forget the rows of a round."""
        self.keys: dict[tuple[str, str], str] = {}
        self.ahead: deque[tuple[str, str]] = deque()
        self.sources: dict[str, str] = {}
        self.tags: set[str] = set()

    def carry(self) -> Carried:
        """Copy the campaign and the rows that it names, until no copy names a row that is left
        out."""
        for _round in range(MOST_ROUNDS):
            self._start()
            before = len(self.missing)
            campaign = self._model(Campaign, self.donor["campaign"], _CAMPAIGN)
            self._mend(campaign)
            rows = self._rows()
            self._check_lists(rows)
            if len(self.missing) == before:
                break
        if not campaign.get("standings") and self.donor["campaign"].get("standings"):
            campaign["standings"] = ["wins"]
            self.notes[Note("campaign", "", say(_RANKED))] = None
        self._name_tags(rows)
        return Carried(campaign, rows, self._find_sources(), tuple(self.notes))

    def _check_lists(self, rows: dict[str, list[Data]]) -> None:
        """Treat a list of traits as missing if none of its traits came over."""
        taken = {tag for row in rows.get("traits", ()) for tag in row.get("tags", ())}
        for table, tag in self.asked:
            is_along = table == "tag:traits" and self.matches.lists.get(tag) == ALONG
            if is_along and tag not in taken and not self.has_all:
                self.missing.setdefault((table, tag), tag)

    def _mend(self, campaign: Data) -> None:
        """Leave out the advances by rank, by group, and the step for advances, if the rows that
        they need did not come over. Take all places that a result captures."""
        triggers = {row.get("trigger") for row in campaign.get("promotions", ())}
        advances = [campaign.get("advancement"), *campaign.get("advancements", ())]
        for row in advances if "advance" not in triggers else ():
            if row is not None and "rank" in row.get("cycle", ()):
                cycle = [one for one in row["cycle"] if one != "rank"]
                row["cycle"] = cycle or ["trait"]
        has_groups = any(
            isinstance(row.get("squad"), dict) and row["squad"].get("together")
            for row in self.our_rows["ranks"].values()
        )
        for row in campaign.get("advancements", ()) if not has_groups else ():
            if row.pop("group", False):
                self._note("campaign.advancements", row["key"], _ALONE, name_of(row, row["key"]))
        for row in campaign["results"]:
            if row.get("captures") and not self._take_captured():
                del row["captures"]
        can_grow = any(row.get("bought_with_points") for row in self._measured())
        if campaign.get("growth") and not can_grow:
            self.notes[Note("campaign.growth", "", say(_POINTS))] = None
        if not any(advances):
            kept = [step for step in campaign["steps"] if step["kind"] != "advances"]
            for step in campaign["steps"]:
                if step not in kept:
                    missing = AdvancementRow.editing.name
                    self._note("campaign.steps", "", _ROW, name_of(step, step["key"]), missing)
            campaign["steps"] = kept

    def _measured(self) -> Iterator[Data]:
        """Yield the characteristics of the game, and those that it gets."""
        yield from self.our_rows["characteristics"].values()
        for table, key in self.keys:
            if table == "characteristics":
                yield self.their_rows[table][key]

    def _take_captured(self) -> bool:
        """Take the places that can be captured; return whether there are any."""
        rows = self.their_rows["holdings"].items()
        found = [self._take("holdings", key) for key, row in rows if row.get("captured", True)]
        return any(found)

    def _rows(self) -> dict[str, list[Data]]:
        """Copy the rows that were named, and those that these name."""
        found: dict[str, dict[str, Data]] = {}
        while self.ahead:
            table, key = self.ahead.popleft()
            row, new = self.their_rows[table][key], self.keys[table, key]
            place = _Place(table, new, name_of(row, key))
            model = _choose_model(_find_shape(Book, table)[0], row)
            try:
                copied = {**self._model(model, row, place), "key": new}
            except _Unmatched as unmatched:
                self._leave_out(place, key, unmatched)
                continue
            if table == "characteristics" and copied.get("start") is None:
                copied |= self._find_start(key)
            found.setdefault(table, {})[key] = copied
        # In the donor's order.
        return {
            table: [rows[key] for key in self.their_rows[table] if key in rows]
            for table, rows in found.items()
        }

    def _find_start(self, key: str) -> Data:
        """Return the last rank’s value as the start of a characteristic that has none."""
        ranks = self.their_rows["ranks"].values()
        values = [row["values"][key] for row in ranks if key in row.get("values", {})]
        return {"start": values[-1]} if values else {}

    def _leave_out(self, place: _Place, key: str, unmatched: _Unmatched) -> None:
        self.missing[place.table, key] = place.name
        # Nobody needs to know which of its parts is missing, too.
        parts = (place.table, place.row)
        self.notes = {
            note: None for note in self.notes if not note.row or (note.table, note.row) != parts
        }
        self._note(place.table, "", _ROW, place.name, unmatched.name)

    def _note(
        self, table: str, row: str, message: Label, name: Text | str, missing: Text | str = ""
    ) -> None:
        self.notes[Note(table, row, say(message, row=name, missing=missing))] = None

    # Models and fields --------------------------------------------------------------------------

    def _model(self, model: type[Frozen], data: Data, place: _Place) -> Data:
        """Copy a value of a model. Raises _Unmatched."""
        self._check(model, data)
        copied: Data = {}
        for name, value in data.items():
            if value is None or name not in model.model_fields:
                continue
            try:
                copied[name] = self._field(model, name, value, place)
            except _Unmatched as unmatched:
                if not issubclass(model, LENIENT) or model.model_fields[name].is_required():
                    raise
                if not unmatched.is_noted:
                    self._note(place.table, place.row, _PART, place.name, unmatched.name)
        copied = multiply(model, copied, self.matches.times)
        return self._finish(model, data, copied)

    def _field(self, model: type[Frozen], name: str, value: Any, place: _Place) -> Any:
        models, mark = _find_shape(model, name)
        if name in WHEN:
            return self._when(value)
        if name == "source":
            return self._cite(value)
        if model is Campaign and name == "standings":
            lacks = {
                *([] if self.has_money else ["money"]),
                *([] if self.has_rating else ["rating"]),
            }
            return [one for one in value if one not in lacks]
        if model is Campaign and name == "scenario_table":
            self._check_scenarios(value)
        if models:
            if isinstance(value, dict):
                return self._model(_choose_model(models, value), value, place)
            return self._list(model, name, value, place)
        if mark is not None:
            return self._keys(model, name, value, mark)
        return copy.deepcopy(value)

    def _list(self, model: type[Frozen], name: str, rows: list[Data], place: _Place) -> list[Data]:
        """Copy a list of models without the elements that have no counterpart."""
        found: list[Data] = []
        models, _mark = _find_shape(model, name)
        for row in rows:
            inner = _choose_model(models, row)
            here = place
            table = _table_of(model, name, place)
            if table:
                key = row.get("key", f"{row.get('low')}-{row.get('high')}")
                if (table, key) in self.missing:
                    continue
                here = _Place(table, key, name_of(row, key))
            try:
                found += self._elements(inner, row, here)
            except _Unmatched as unmatched:
                if inner is TableRow:
                    raise
                if table:
                    self._leave_out(here, row["key"], unmatched)
                elif not unmatched.is_noted:
                    self._note(place.table, place.row, _PART, place.name, unmatched.name)
        if rows and not found and (model in (FallsTo, Chooses) or name == "quotas"):
            raise _Unmatched(place.name, is_noted=True)
        return found

    def _elements(self, inner: type[Frozen], row: Data, here: _Place) -> Iterator[Data]:
        """Yield the copies of an element: a promotion for each rank that it may start from."""
        copied = self._model(inner, row, here)
        if inner is Promotion:
            yield from self._promotions(row, copied, here)
            return
        if inner is Option and row.get("outcomes") and not copied["outcomes"]:
            raise _Unmatched(here.name, is_noted=True)
        if inner is Chooses and len(copied["options"]) == 1:
            # Nothing is left to choose.
            yield from copied["options"][0].get("outcomes", ())
            return
        yield copied

    def _promotions(self, row: Data, copied: Data, here: _Place) -> Iterator[Data]:
        starts = self._ranks(row["start"])
        number = 0
        for start in starts:
            if start == copied.get("to"):
                self._note(here.table, "", _SAME, here.name)
                continue
            number += 1
            key = row["key"] if number == 1 else f"{row['key'][:37]}_{number}"
            yield {**copied, "key": key, "start": start}

    def _check(self, model: type[Frozen], data: Data) -> None:
        """Raise _Unmatched for a row about money or a rating in a game without."""
        needs_money = model in (UpkeepStep,) or (model is IncomeStep and not self._has_currencies())
        needs_money |= issubclass(model, ONLY_MONEY) and data.get("currency") is None
        needs_money |= model is CaptivesStep and data.get("ransom", "worth") != "none"
        if needs_money and not self.has_money:
            raise _Unmatched(_("Money"))
        compares = model is UnderdogMoney or (
            model is Award and (data.get("underdog") or data.get("underdog_by"))
        )
        if compares and not self.has_rating:
            raise _Unmatched(_("Rating"))

    def _has_currencies(self) -> bool:
        return bool(self.our_rows["currencies"]) or any(
            table == "currencies" for table, _key in self.keys
        )

    def _finish(self, model: type[Frozen], data: Data, copied: Data) -> Data:
        """Adapt numbers to the game's characteristic, which may be better when it is lower."""
        key = data.get("characteristic")
        if isinstance(key, str) and "characteristic" in copied:
            copied = self._adapt(model, key, copied)
        if model is Trait and data.get("effects") and not copied["effects"]:
            raise _Unmatched(self._name("characteristics", _first_of(data["effects"])))
        if model is Holding and not copied.get("effects"):
            copied.pop("of", None)
        if model is TableRow:
            self.tags |= {*copied.get("tags", ())}
        if not self.has_money:
            copied = leave_out_sums(model, copied)
        if model is DiceTable and copied.get("rerolls_wasted"):
            kinds = {one.get("kind") for row in copied["rows"] for one in _outcomes(row)}
            if kinds.isdisjoint(("rises", "gains", "chooses_trait")):
                del copied["rerolls_wasted"]
        return copied

    def _adapt(self, model: type[Frozen], key: str, copied: Data) -> Data:
        theirs = self.their_rows["characteristics"].get(key, {})
        ours = self.our_rows["characteristics"].get(copied["characteristic"], theirs)
        is_turned = theirs.get("better", "high") != ours.get("better", "high")
        is_other = is_turned or theirs.get("kind") != ours.get("kind")
        if model in (Add, Rises):
            if is_turned:
                copied = {**copied, "amount": -copied.get("amount", 1)}
            if ours.get("kind") != "pair":
                copied.pop("part", None)
            if is_other:
                copied.pop("limit", None)
        elif is_other and (model in (Set, Between) or "value" in copied):
            raise _Unmatched(name_of(theirs, key))
        return copied

    # References ---------------------------------------------------------------------------------

    def _keys(self, model: type[Frozen], name: str, value: Any, mark: KeyOf) -> Any:
        """Return the counterparts of a key, of several, or of the keys of a table of values."""
        harmless = name.startswith("not_") or name == "excludes"
        if isinstance(value, str):
            found = self._find(mark, value, model, harmless=harmless)
            if mark.table == "ranks" and len(found) > 1 and name != "start":
                self._note("campaign", "", _SEVERAL, self._name("ranks", value))
            return found[0]
        if isinstance(value, dict):
            return {self._find(mark, key, model)[0]: one for key, one in value.items()}
        keys: dict[str, None] = {}
        lost: _Unmatched | None = None
        for key in value:
            try:
                keys |= dict.fromkeys(self._find(mark, key, model, harmless=harmless))
            except _Unmatched as unmatched:
                lost = unmatched
        if ANY in keys:
            if model not in LEARNING:
                raise _Unmatched(self._name(mark.table, value[0]))
            return []
        if lost is not None and not harmless and (not keys or name == "requires"):
            raise lost
        return list(keys)

    def _find(
        self, mark: KeyOf, key: str, model: type[Frozen], *, harmless: bool = False
    ) -> list[str]:
        """Return the counterparts of a row of the donor, at least one. Raises _Unmatched.

        ``harmless``: the reference only leaves members out, so that nothing is taken for it.
        """
        table = mark.table
        self.asked.add((table, key))
        if table == "tag:traits" and model in LEARNING:
            self.learned.add(key)
        if table.startswith("campaign."):
            known = key in rows_of(self.donor, table) or key in mark.also
            found = [key] if known and (table, key) not in self.missing else []
        elif table == "ranks":
            found = self._ranks(key)
        elif table == "tag:traits":
            found = self._tag(key)
        elif table == "characteristics":
            found = self._characteristic(key, is_number=bool(mark.number))
        elif table in TAKEN:
            found = self._taken(table, key, harmless=harmless)
        else:
            found = self._alike(table, key)
        if not found:
            raise _Unmatched(self._name(table, key))
        return found

    def _name(self, table: str, key: str) -> Text | str:
        place = table.removeprefix("tag:")
        rows = rows_of(self.donor, "tags" if place != table else place)
        return name_of(rows.get(key), key)

    def _ranks(self, key: str) -> list[str]:
        ours = self.our_rows["ranks"]
        return [own for own, other in self.matches.ranks.items() if other == key and own in ours]

    def _tag(self, key: str) -> list[str]:
        match = self.matches.lists.get(key, "") if ("tag:traits", key) not in self.missing else ""
        if match != ALONG:
            return [match] if match else []
        for trait, row in self.their_rows["traits"].items():
            if key in row.get("tags", ()):
                self._take("traits", trait)
        self.tags.add(key)
        return [key]

    def _characteristic(self, key: str, *, is_number: bool) -> list[str]:
        match = self.matches.characteristics.get(key, "")
        if match == ALONG:
            return self._take("characteristics", key)
        kind = self.our_rows["characteristics"].get(match, {}).get("kind")
        usable = kind == "number" if is_number else kind not in (None, "word")
        return [match] if usable else []

    def _taken(self, table: str, key: str, *, harmless: bool) -> list[str]:
        if self.has_all:
            return self._take(table, key)
        ours = self.our_rows[table]
        if table == "traits":
            own = _find_alike(ours, key, self.their_rows[table].get(key))
            if own is not None:
                return [own]
            return [] if harmless and (table, key) not in self.keys else self._take(table, key)
        if table == "settings":
            if _accepts(ours.get(key), self.their_rows[table].get(key)):
                return [key]
            if key == self.donor.get("origin_setting"):
                return []
        return self._take(table, key)

    def _take(self, table: str, key: str) -> list[str]:
        """Take a row along, under a key that the game does not have yet."""
        if key not in self.their_rows[table] or (table, key) in self.missing:
            return []
        if (table, key) not in self.keys:
            taken = {*self.keys.values()} if not self.has_all else set()
            known = {*self.our_rows[table], *taken} if not self.has_all else set()
            self.keys[table, key] = _free_key(key, known)
            self.ahead.append((table, key))
        return [self.keys[table, key]]

    def _alike(self, table: str, key: str) -> list[str]:
        """Return the game's row, or tag, of the same key or name."""
        if self.has_all:
            return [key]
        if table.startswith("tag:"):
            return [key] if key in tags_of(self.game, table.removeprefix("tag:")) else []
        row = rows_of(self.donor, table).get(key)
        own = _find_alike(rows_of(self.game, table), key, row)
        return [own] if own is not None else []

    def _when(self, when: Mapping[str, list[str]]) -> Data:
        copied = {}
        for key, values in when.items():
            self.asked.add(("settings", key))
            found = self._taken("settings", key, harmless=False)
            if not found:
                raise _Unmatched(self._name("settings", key))
            copied[found[0]] = list(values)
        return copied

    def _check_scenarios(self, key: str) -> None:
        """Raise _Unmatched for a table of scenarios of which the game has none."""
        rows = self.their_rows["tables"].get(key, {}).get("rows", [])
        scenarios = [row["scenario"] for row in rows if row.get("scenario")]
        if not any(self._alike("scenarios", one) for one in scenarios):
            raise _Unmatched(self._name("tables", key))

    def _cite(self, source: str) -> str:
        """Return the source of a row, by the game's key for it."""
        key, *rest = source.split(" ", 1)
        if key == HOUSE or key not in self.donor.get("sources", {}):
            return source
        if key not in self.sources:
            ours = self.game.get("sources")
            known = ours if isinstance(ours, dict) else {}
            # "own" always means the rules of the game itself.
            same = key == OWN_SOURCE or known.get(key) == self.donor["sources"][key]
            free = _free_key(key, {*known, *self.sources.values()})
            self.sources[key] = key if same else free
        return " ".join([self.sources[key], *rest])

    def _find_sources(self) -> Data:
        ours = self.game.get("sources")
        known = ours if isinstance(ours, dict) else {}
        return {
            new: copy.deepcopy(self.donor["sources"][key])
            for key, new in self.sources.items()
            if new not in known
        }

    def _name_tags(self, rows: dict[str, list[Data]]) -> None:
        """Take the names of the properties that copied rows have along, unless the game names
        them."""
        named = rows_of(self.game, "tags")
        for trait in rows.get("traits", ()):
            self.tags |= {*trait.get("tags", ())}
        found = [
            {**copy.deepcopy(row), "source": self._cite(row["source"])}
            for key, row in rows_of(self.donor, "tags").items()
            if key in self.tags and key not in named
        ]
        if found:
            rows["tags"] = found


# The source of the rows that a game's author writes.
OWN_SOURCE = "own"


@cache
def _find_shape(model: type[Frozen], name: str) -> tuple[list[type[Frozen]], KeyOf | None]:
    """Return the models inside a field, and the mark of a field with keys."""
    field = model.model_fields[name]
    return models_in(field.annotation), marker(field, KeyOf)


def _choose_model(models: list[type[Frozen]], row: Data) -> type[Frozen]:
    """Return the model of a row, by its kind if there are several."""
    for model in models if len(models) > 1 else ():
        kind = model.model_fields["kind"].annotation
        if row.get("kind") in getattr(kind, "__args__", ()):
            return model
    return models[0]


def _table_of(model: type[Frozen], name: str, place: _Place) -> str:
    """Return the table of the rows in a field, as the editor names it; "" if they are parts of a
    row."""
    if model is Campaign:
        return f"campaign.{name}"
    return f"tables.{place.row}.rows" if (place.table, name) == ("tables", "rows") else ""


def _first_of(effects: list[Data]) -> str:
    """Return the characteristic, or the trait, that the first of some effects changes."""
    return str(
        next(
            (
                effects[0][name]
                for name in ("characteristic", "traits", "trait_tags")
                if effects[0].get(name)
            ),
            "",
        )
    )


def _outcomes(part: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for outcome in part.get("outcomes", ()):
        yield outcome
        yield from _outcomes(outcome)
        for option in outcome.get("options", ()):
            yield from _outcomes(option)


def _find_alike(rows: Mapping[str, Data], key: str, row: Data | None) -> str | None:
    """Return the key of the row of the same key, or else of the same name."""
    if key in rows:
        return key
    names = set(_folded(row)) if row else set()
    return next((own for own, one in rows.items() if not names.isdisjoint(_folded(one))), None)


def _folded(row: Data) -> list[str]:
    name = row.get("name")
    words = name.values() if isinstance(name, dict) else [name]
    return [one.casefold() for one in words if isinstance(one, str)]


def _accepts(ours: Data | None, theirs: Data | None) -> bool:
    """Whether an option of the game has every value of one of the donor's."""
    if ours is None or theirs is None or ours.get("kind") != theirs.get("kind"):
        return False
    if ours.get("kind") != "choice":
        return True
    return rows_of(theirs, "choices").keys() <= rows_of(ours, "choices").keys()


def _free_key(key: str, known: set[str]) -> str:
    """Return a key that is not known yet: the same, or one with a number."""
    if key not in known:
        return key
    number = 2
    while f"{key[:36]}_{number}" in known:
        number += 1
    return f"{key[:36]}_{number}"
