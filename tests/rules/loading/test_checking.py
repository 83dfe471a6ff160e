"""Mistakes of sense in a well-formed rulebook: all are listed, each with its place."""

import copy
import tomllib
from typing import Any

import pytest

from rules.loading.reader import BadBook, RawBook, parse
from tests.random_cases import one_soon
from tests.rules.conftest import BOOKS

SLUG = "blackwater-gulch"
Path = tuple[int | str, ...]


def _read() -> tuple[dict[str, Any], dict[str, str]]:
    data: dict[str, Any] = {}
    files: dict[str, str] = {}
    for path in (BOOKS / SLUG).glob("*.toml"):
        part = tomllib.loads(path.read_text("utf-8"))
        data |= part
        files |= dict.fromkeys(part, path.name)
    return data, files


WHOLE, FILES = _read()


def _set(data: Any, path: Path, value: object) -> None:
    for part in path[:-1]:
        data = data[part]
    data[path[-1]] = value


def _mistakes(*changes: tuple[Path, object]) -> dict[tuple[str, str], list[str]]:
    data = copy.deepcopy(WHOLE)
    for path, value in changes:
        _set(data, path, value)
    with pytest.raises(BadBook) as caught:
        parse(RawBook(data, "book.toml", FILES))
    found: dict[tuple[str, str], list[str]] = {}
    for mistake in caught.value.mistakes:
        found.setdefault((mistake.file, mistake.path), []).append(mistake.message)
    return found


POOL = {
    "kind": "pool",
    "key": "nerve",
    "name": {"en": "Nerve", "fr": "Cran"},
    "short": {"en": "N", "fr": "C"},
    "text": {"en": "Nerve.", "fr": "Cran."},
    "source": "house",
    "start": "2k3",
}
WEAK = {"en": "Weak", "fr": "Faible"}
ADD = {"kind": "add", "characteristic": "beauty", "amount": 1}
SET = {"kind": "set", "characteristic": "str", "value": "4k2"}
LIMIT = {"severity": "error", "text": {"en": "No.", "fr": "Non."}, "source": "house"}


# Place and new value, the path of the mistake, and its words.
SENSE: list[tuple[Path, object, str, str]] = [
    (
        ("ranks", 1, "key"),
        "leader",
        "ranks.1.key",
        "the key “leader” is used twice: choose another one",
    ),
    (("ranks", 0, "source"), "rumour p.3", "ranks.0.source", "unknown source"),
    (("ranks", 0, "values", "hp"), "3k2", "ranks.0.values.hp", "“3k2” is not a whole number"),
    (("ranks", 0, "values", "luck"), 3, "ranks.0.values.luck", "unknown characteristic “luck”"),
    (("ranks", 2, "when"), {"moon": ["full"]}, "ranks.2.when.moon", "unknown setting “moon”"),
    (("ranks", 2, "when"), {"money": ["maybe"]}, "ranks.2.when.money", "unknown choice “maybe”"),
    (
        ("ranks", 2, "when"),
        {"fame_level": ["400"]},
        "ranks.2.when.fame_level",
        "not a setting with",
    ),
    (("ranks", 2, "house"), ["cost"], "ranks.2.house", "unknown cell “cost”"),
    (("characteristics", 0), POOL, "characteristics.0.start", "not a pool of dice"),
    (("life",), "soul", "life", "unknown characteristic “soul”"),
    (
        ("traits", 0, "gained_at", "characteristic"),
        "wit",
        "traits.0.gained_at.characteristic",
        "unknown characteristic “wit”",
    ),
    (
        ("traits", 1, "effects"),
        [ADD],
        "traits.1.effects.0.characteristic",
        "unknown characteristic “beauty”",
    ),
    (("traits", 1, "effects"), [SET], "traits.1.effects.0.value", "“4k2” is not a whole number"),
    (
        ("groups", 0, "level_against"),
        "wit",
        "groups.0.level_against",
        "unknown characteristic “wit”",
    ),
    (("items", 1, "group"), "spoons", "items.1.group", "unknown item group “spoons”"),
    (("items", 2, "columns"), {"smell": "bad"}, "items.2.columns.smell", "unknown column"),
    (("items", 3, "house"), ["smell"], "items.3.house", "unknown cell “smell”"),
    (("settings", 0, "default"), "none", "settings.0.default", "unknown choice"),
    (
        ("settings", 1, "default"),
        5,
        "settings.1.default",
        "must be between the minimum and the maximum",
    ),
    (("budgets", 0), {"amount": 3, "setting": "fame_level"}, "budgets.0", "not both"),
    (("budgets", 0), {}, "budgets.0", "give either “amount” or “setting”"),
    (("budgets", 0), {"setting": "money"}, "budgets.0.setting", "is not a number setting"),
    (("limits", 0, "of"), {"ranks": ["pope"]}, "limits.0.of", "unknown rank “pope”"),
    (("limits", 0, "of"), {"item_tags": ["hot"]}, "limits.0.of", "unknown item tag “hot”"),
    (("limits", 0, "of"), {"trait_tags": ["hot"]}, "limits.0.of", "unknown trait tag “hot”"),
    (("limits", 0, "of"), {"traits": ["hot"]}, "limits.0.of", "unknown trait “hot”"),
    (
        ("limits", 0, "of"),
        {"numbers": [{"characteristic": "wit", "minimum": 1}]},
        "limits.0.of.numbers.0.characteristic",
        "unknown characteristic “wit”",
    ),
    (
        ("limits", 0, "of"),
        {"numbers": [{"characteristic": "hp"}]},
        "limits.0.of.numbers.0",
        "give a minimum or a maximum",
    ),
    (
        ("limits", 0, "of"),
        {"numbers": [{"characteristic": "hp", "minimum": 3, "maximum": 2}]},
        "limits.0.of.numbers.0.maximum",
        "must not be below the minimum",
    ),
    (("ranks", 0, "lacks"), ["luck"], "ranks.0.lacks", "unknown characteristic “luck”"),
    (
        ("ranks", 0, "lacks"),
        ["hp"],
        "ranks.0.lacks",
        "this rank has a value for “hp”: leave out one of the two",
    ),
    (
        ("ranks", 0, "rolled"),
        {"luck": "1d3"},
        "ranks.0.rolled.luck",
        "unknown characteristic “luck”",
    ),
    (("ranks", 0, "rolled"), {"hp": "21d2"}, "ranks.0.rolled.hp", "at most 20 dice are allowed"),
    (("ranks", 0, "rolled"), {"hp": "9d99"}, "ranks.0.rolled.hp", "is outside the range of “hp”"),
    (("limits", 0, "maximum"), 0, "limits.0.maximum", "must not be below the minimum"),
    (
        ("limits", 0),
        LIMIT | {"kind": "count", "code": "x"},
        "limits.0",
        "give a minimum or a maximum",
    ),
    (("limits", 2, "part"), 3, "limits.2.part", "at most “whole”"),
    (("limits", 2, "text", "fr"), "Il en faut {plus}.", "limits.2.text.fr", "placeholder {plus}"),
    (("limits", 2, "text", "en"), "{count:999}", "limits.2.text.en", "placeholder {count}"),
    (("limits", 2, "text", "en"), "{count", "limits.2.text.en", "each { needs a }"),
    (("limits", 2, "text", "en"), "count}", "limits.2.text.en", "each { needs a }"),
    (
        ("limits", 7, "characteristic"),
        "wit",
        "limits.7.characteristic",
        "unknown characteristic “wit”",
    ),
    (("limits", 3, "source"), "nowhere", "limits.3.source", "unknown source"),
    (
        ("conditions", 1, "effects", 0, "characteristic"),
        "wit",
        "conditions.1.effects.0.characteristic",
        "unknown characteristic “wit”",
    ),
    (("tables", 0, "rows", 2, "high"), 4, "tables.0", "5 has no row"),
    (("tables", 0, "rows", 0, "low"), 1, "tables.0", "row 1-2 goes beyond 2d6, which shows 2-12"),
    (
        ("tables", 0, "rows", 6, "high"),
        13,
        "tables.0",
        "row 12-13 goes beyond 2d6, which shows 2-12",
    ),
    (("tables", 0, "rows", 4, "high"), 5, "tables.0", "row 7-5 ends before it starts"),
    (("tables", 0, "dice"), "3d6", "tables.0", "3d6 cannot show any number of the row 2-2"),
    (
        ("tables", 0, "rows", 2, "outcomes"),
        [{"kind": "rolls_on", "table": "fate"}],
        "tables.0.rows.2.outcomes.0",
        "unknown table “fate”",
    ),
    (
        ("tables", 0, "rows", 2, "outcomes"),
        [{"kind": "suffers", "condition": "love"}],
        "tables.0.rows.2.outcomes.0",
        "unknown condition “love”",
    ),
    (
        ("tables", 0, "rows", 2, "outcomes"),
        [{"kind": "loses_item", "groups": ["soul"]}],
        "tables.0.rows.2.outcomes.0",
        "unknown item group “soul”",
    ),
    (
        ("tables", 0, "rows", 2, "scenario"),
        "war",
        "tables.0.rows.2.scenario",
        "unknown scenario “war”",
    ),
    (
        ("tables", 1, "rows", 0, "outcomes"),
        [{"kind": "rolls_on", "table": "injury"}],
        "tables.1",
        "the table leads back to itself",
    ),
    (("campaign", "scenario_table"), "fate", "campaign.scenario_table", "unknown table “fate”"),
    (
        ("campaign", "tallies", 0, "by"),
        500,
        "campaign.tallies.0.by",
        "must be at most 30, the maximum",
    ),
    (
        ("campaign", "awards", 1, "each"),
        "kisses",
        "campaign.awards.1.each",
        "unknown tally “kisses”",
    ),
    (
        ("campaign", "promotions", 0, "to"),
        "pope",
        "campaign.promotions.0.to",
        "unknown rank “pope”",
    ),
    (
        ("campaign", "growth", "ceiling"),
        "sky",
        "campaign.growth.ceiling",
        "“sky” is not a number setting",
    ),
    (
        ("campaign", "recruiting"),
        {"cap": "money"},
        "campaign.recruiting.cap",
        "only these choices: none",
    ),
    (("campaign", "steps", 0, "table"), "fate", "campaign.steps.0.table", "unknown table “fate”"),
    (
        ("campaign", "steps", 3, "condition"),
        "love",
        "campaign.steps.3.condition",
        "unknown condition “love”",
    ),
    (("campaign", "steps", 1, "key"), "injuries", "campaign.steps.1.key", "is used twice"),
    (
        ("samples", 0, "settings"),
        {"moon": "full"},
        "samples.0.settings.moon",
        "unknown setting “moon”",
    ),
    (
        ("samples", 0, "settings"),
        {"fame_level": 3},
        "samples.0.settings.fame_level",
        "not allow “3”",
    ),
    (
        ("samples", 0, "members", 0, "rank"),
        "pope",
        "samples.0.members.0.rank",
        "unknown rank “pope”",
    ),
    (
        ("samples", 0, "members", 0, "profession"),
        "poet",
        "samples.0.members.0.profession",
        "“poet”",
    ),
    (("samples", 0, "members", 0, "points"), {"wit": 1}, "samples.0.members.0.points", "“wit”"),
    (("samples", 0, "members", 0, "traits"), ["bald"], "samples.0.members.0.traits", "“bald”"),
    (("samples", 0, "members", 0, "items"), ["spoon"], "samples.0.members.0.items", "“spoon”"),
]


def _named(value: object) -> str:
    return ".".join(map(str, value)) if isinstance(value, tuple) else ""


@pytest.mark.parametrize(("where", "value", "path", "words"), one_soon(SENSE), ids=_named)
def test_a_mistake_of_sense_is_found_at_its_place(
    where: Path, value: object, path: str, words: str
) -> None:
    found = _mistakes((where, value))
    file = FILES.get(str(where[0]), "book.toml")
    assert any(words in message for message in found.get((file, path), [])), found


# Changes that would hide another change: they replace a whole row, its dice, or break a circle.
HIDING: set[Path] = {
    ("characteristics", 0),
    ("limits", 0),
    ("tables", 0, "dice"),
    ("tables", 0, "rows", 2, "outcomes"),
}


def test_mistakes_of_sense_are_listed_together() -> None:
    """Make one change at each place where the changes do not hide each other."""
    side_by_side: dict[Path, tuple[object, str, str]] = {}
    for where, value, path, words in SENSE:
        if where not in HIDING:
            side_by_side.setdefault(where, (value, path, words))
    found = _mistakes(*((where, value) for where, (value, _, _) in side_by_side.items()))
    missed = [
        (path, words)
        for where, (_, path, words) in side_by_side.items()
        if not any(
            words in message
            for message in found.get((FILES.get(str(where[0]), "book.toml"), path), [])
        )
    ]
    assert len(side_by_side) > 40
    assert not missed


def test_a_whole_book_has_no_mistake() -> None:
    assert parse(RawBook(copy.deepcopy(WHOLE), "book.toml", FILES)).slug == SLUG


def test_a_table_that_leads_to_itself_is_a_mistake() -> None:
    row = ("tables", 1, "rows", 5, "outcomes")
    found = _mistakes((row, [{"kind": "rolls_on", "table": "critical_injury"}]))
    assert found == {("injuries.toml", "tables.1"): ["the table leads back to itself"]}


def test_a_doubled_brace_is_accepted_as_a_brace() -> None:
    data = copy.deepcopy(WHOLE)
    data["limits"][2]["text"]["en"] = "{{{count}}}"
    assert parse(RawBook(data, "book.toml", FILES))
