"""Where things stand in a rulebook: its tables, and a name for each of their rows.

A variant says what it changes by table, row and field. Rows with a key are known by it; limits by
their code, rows of dice tables by their numbers, others by their place. So a name means the same
row in another version of the rulebook, as far as that has it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from rules.book import Book
from rules.fates import DiceTable
from rules.season import Campaign
from rules.vocabulary import Frozen

# The lists of rows that can be changed, in the order in which players look for them.
LISTS = (
    "items",
    "ranks",
    "traits",
    "characteristics",
    "limits",
    "settings",
    "budgets",
    "professions",
    "origins",
    "groups",
    "tags",
    "ticks",
    "adjustments",
    "roundings",
    "conditions",
    "tables",
    "campaign.awards",
    "campaign.results",
    "campaign.tallies",
    "campaign.marks",
    "campaign.underdog",
    "campaign.promotions",
    "campaign.successions",
    "campaign.departures",
    "campaign.steps",
    "scenarios",
    "deployments",
    "references",
    "glossary",
)
# Single values with fields of their own.
SINGLES = (
    "rating",
    "money",
    "pace",
    "campaign",
    "campaign.growth",
    "campaign.advancement",
    "campaign.recruiting",
)
# What is offered to members and gangs, and so can be hidden or banned.
OFFERED = {"items", "ranks", "traits", "professions", "origins", "scenarios"}
# What no gang's history names, and so can be taken out.
REMOVABLE = {
    "limits",
    "budgets",
    "tags",
    "ticks",
    "adjustments",
    "roundings",
    "references",
    "glossary",
    "campaign.awards",
    "campaign.underdog",
    "campaign.promotions",
    "campaign.successions",
    "campaign.steps",
}
# Where the order of the rows says something: who is higher, what comes first.
ORDERED = {"ranks", "budgets", "roundings", "characteristics", "campaign.steps"}
# What is never set by hand: who a row is, and what follows from its being changed.
FIXED = {"key", "code", "status", "house", "source"}

Data = dict[str, Any]


@dataclass(frozen=True)
class Written:
    """A rulebook's data, with the name of every row, in order, by table."""

    data: Data
    names: dict[str, list[str]]

    def rows(self, table: str) -> list[Data] | None:
        """The rows of a table; None if there is no such table."""
        return rows_of(self.data, table) if table in self.names else None

    def row(self, table: str, name: str) -> Data | None:
        """One row, or a single value; None if there is none."""
        if table in SINGLES:
            found = reached(self.data, table)
            return found if not name and isinstance(found, dict) else None
        names = self.names.get(table, [])
        if name not in names:
            return None
        found = (self.rows(table) or [])[names.index(name)]
        return found if isinstance(found, dict) else None


def spread(book: Book) -> Written:
    """The data of ``book``, with its rows named."""
    data: Data = book.model_dump(mode="json")
    _in_order(data)
    names = {table: named(table, rows_of(data, table)) for table in LISTS}
    for key in names["tables"]:
        table = f"tables.{key}.rows"
        names[table] = named(table, rows_of(data, table))
    return Written(data, names)


def rows_of(data: Data, table: str) -> list[Any]:
    """The list of a table's rows itself. Raises KeyError if the data has none."""
    if is_dice_rows(table):
        key = table.removeprefix("tables.").removesuffix(".rows")
        for row in data["tables"]:
            if isinstance(row, dict) and row.get("key") == key:
                found = row.get("rows")
                if isinstance(found, list):
                    return found
        raise KeyError(table)
    found = reached(data, table)
    if not isinstance(found, list):
        raise KeyError(table)
    return found


def is_dice_rows(table: str) -> bool:
    """Whether these are the rows of a dice table."""
    return table.startswith("tables.") and table.endswith(".rows")


def reached(data: Data, path: str) -> Any:
    """What stands at a dotted path; None if nothing does."""
    here: Any = data
    for part in path.split("."):
        here = here.get(part) if isinstance(here, dict) else None
    return here


def named(table: str, rows: list[Any]) -> list[str]:
    """A name for each row; the second of the same name has ``~2`` behind it."""
    seen: Counter[str] = Counter()
    names = []
    for number, row in enumerate(rows, start=1):
        name = _name(table, row, number)
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}~{seen[name]}")
    return names


def _name(table: str, row: Any, number: int) -> str:
    if isinstance(row, dict):
        if isinstance(row.get("key"), str):
            return str(row["key"])
        if isinstance(row.get("code"), str):
            return re.sub(r"[^A-Za-z0-9_.-]+", "-", row["code"])[:60]
        if is_dice_rows(table):
            return f"{row.get('low')}-{row.get('high')}"
    return str(number)


def model_of(table: str, data: Data) -> type[Frozen] | None:
    """The model of a row with this data: where there are several kinds, by its kind."""
    models = models_of(table)
    if len(models) > 1:
        return models.get(str(data.get("kind")))
    return next(iter(models.values()), None)


def models_of(table: str) -> dict[str, type[Frozen]]:
    """The models that a table's rows may have, by kind ("" if there is one only)."""
    field = _field(table)
    if field is None:
        return {}
    models: dict[str, type[Frozen]] = {}
    for model in _models(field.annotation):
        kinds = get_args(model.model_fields["kind"].annotation) if _has_kind(model) else ("",)
        models.update(dict.fromkeys(kinds, model))
    if len(set(models.values())) == 1 and table not in ("limits", "campaign.steps"):
        return {"": next(iter(models.values()))}
    return models


def fixed(table: str) -> set[str]:
    """The fields that are not set by hand. Where rows are of several kinds, a row keeps its own."""
    return FIXED | {"kind"} if len(models_of(table)) > 1 else FIXED


def _field(table: str) -> FieldInfo | None:
    if is_dice_rows(table):
        return DiceTable.model_fields["rows"]
    if table not in LISTS and table not in SINGLES:
        return None
    head, _, rest = table.partition(".")
    return Campaign.model_fields[rest] if rest else Book.model_fields[head]


def _has_kind(model: type[Frozen]) -> bool:
    return "kind" in model.model_fields


def _models(annotation: Any) -> list[type[Frozen]]:
    """The models inside a type such as ``tuple[Number | Pool, ...]``."""
    if isinstance(annotation, type) and issubclass(annotation, Frozen):
        return [annotation]
    if get_origin(annotation) is Annotated:
        return _models(get_args(annotation)[0])
    inner = get_args(annotation)
    if get_origin(annotation) is tuple or get_origin(annotation) is Union or inner:
        return [model for part in inner for model in _models(part)]
    return []


def filled(model: type[Frozen], data: Data) -> Data:
    """``data`` with the defaults that it leaves out, as a rulebook's own data has them."""
    full = {
        name: to_jsonable_python(field.get_default(call_default_factory=True))
        for name, field in model.model_fields.items()
        if not field.is_required()
    }
    return {**full, **data}


def removable(table: str) -> bool:
    """Whether rows of the rulebook itself can be taken out of this table."""
    return table in REMOVABLE or is_dice_rows(table)


def _are_words(value: object) -> bool:
    """Whether these are the tags of a row, not the rulebook's own rows of that name."""
    return isinstance(value, list) and all(isinstance(tag, str) for tag in value)


def _in_order(data: object) -> None:
    """Sets come out in no fixed order; sorted, equal rows have equal data."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key == "tags" and _are_words(value):
                value.sort()
            else:
                _in_order(value)
    elif isinstance(data, list):
        for value in data:
            _in_order(value)
