"""What a form asks about a row of a rulebook: read off the vocabulary's own models."""

from __future__ import annotations

from dataclasses import dataclass
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

import annotated_types
from pydantic.fields import FieldInfo

from rules.variants.places import LISTS, SINGLES, Data, Written, fixed
from rules.vocabulary import Frozen, Text

Kind = Literal[
    "text", "line", "number", "yes", "choice", "choices", "key", "keys", "tags", "values",
    "columns", "expert",
]  # fmt: skip

# The table that a field with a key, or a list of keys, speaks of.
SPEAKS_OF = {
    "group": "groups",
    "groups": "groups",
    "level_against": "characteristics",
    "characteristic": "characteristics",
    "life": "characteristics",
    "setting": "settings",
    "times": "settings",
    "ceiling": "settings",
    "cap": "settings",
    "each": "campaign.tallies",
    "start": "ranks",
    "to": "ranks",
    "ranks": "ranks",
    "trait": "traits",
    "requires": "traits",
    "departure": "campaign.departures",
    "scenario": "scenarios",
    "scenarios": "scenarios",
    "deployments": "deployments",
    "table": "tables",
    "scenario_table": "tables",
    "condition": "conditions",
    "marks": "campaign.marks",
    "not_marks": "campaign.marks",
    "item_tags": "tag:items",
    "trait_tags": "tag:traits",
}
# Lists whose order says something: those are written, not ticked.
ORDERED = {"standings", "cycle", "by"}
LONG = {"text", "victory", "leads_text"}
MOST = 1_000_000


@dataclass(frozen=True)
class Asked:
    """One field of a row. ``speaks_of``: the table that its keys are from; ``values``: what it can
    be; ``needed``: whether a row must have it."""

    name: str
    kind: Kind
    needed: bool = False
    optional: bool = False
    minimum: int | None = None
    maximum: int | None = None
    values: tuple[str, ...] = ()
    speaks_of: str = ""
    long: bool = False


def asked(table: str, model: type[Frozen], *, adding: bool = False) -> list[Asked]:
    """What is asked about rows of this model, in the vocabulary's order, the name first.

    The rows of a dice table are asked for all at once only when it is added.
    """
    fields = [
        _asked(name, field)
        for name, field in model.model_fields.items()
        if name not in fixed(table)
        and f"{table}.{name}" not in (*LISTS, *SINGLES)
        and (adding or (table, name) != ("tables", "rows"))
    ]
    return sorted(fields, key=lambda one: one.name != "name")


def _asked(name: str, field: FieldInfo) -> Asked:
    annotation, metadata = field.annotation, list(field.metadata)
    optional = False
    inner = get_args(annotation)
    if NoneType in inner:
        optional = True
        rest = [part for part in inner if part is not NoneType]
        annotation = rest[0] if len(rest) == 1 else annotation
    if get_origin(annotation) is Annotated:
        annotation, *more = get_args(annotation)
        metadata += more
    low, high = _bounds(metadata)
    told: dict[str, Any] = {"needed": field.is_required(), "optional": optional}
    told["long"] = name in LONG
    told["minimum"], told["maximum"] = low, high
    speaks_of = SPEAKS_OF.get(name, "")
    origin, parts = get_origin(annotation), get_args(annotation)
    if annotation is Text:
        return Asked(name, "text", **told)
    if annotation is bool:
        return Asked(name, "yes", **told)
    if annotation is int:
        return Asked(name, "number", **told)
    if annotation is str:
        # Only a key has a pattern of its own; a characteristic's "start" is a value.
        is_key = bool(speaks_of) and any(_pattern(one).startswith("^[a-z]") for one in metadata)
        return Asked(name, "key" if is_key else "line", speaks_of=speaks_of, **told)
    if origin is Literal:
        return Asked(name, "choice", values=tuple(map(str, parts)), **told)
    if origin is frozenset:
        return Asked(name, "tags", **told)
    if origin is dict and name in ("values", "columns"):
        return Asked(name, "values" if name == "values" else "columns", **told)
    if origin is tuple and name not in ORDERED:
        if speaks_of and get_args(parts[0])[:1] == (str,):
            return Asked(name, "keys", speaks_of=speaks_of, **told)
        if get_origin(parts[0]) is Literal and parts[1:] == (...,):
            return Asked(name, "choices", values=tuple(map(str, get_args(parts[0]))), **told)
    return Asked(name, "expert", **told)


def _pattern(constraint: object) -> str:
    return str(getattr(constraint, "pattern", None) or "")


def _bounds(metadata: list[Any]) -> tuple[int, int]:
    low, high = -MOST, MOST
    for one in metadata:
        for bound in one.metadata if isinstance(one, FieldInfo) else [one]:
            if isinstance(bound, annotated_types.Ge):
                low = int(str(bound.ge))
            elif isinstance(bound, annotated_types.Gt):
                low = int(str(bound.gt)) + 1
            elif isinstance(bound, annotated_types.Le):
                high = int(str(bound.le))
    return low, high


def keys_of(written: Written, speaks_of: str) -> list[tuple[str, Data | None]]:
    """What a field may name: each key with its row (none for a tag)."""
    if speaks_of.startswith("tag:"):
        return [(tag, None) for tag in tags_of(written, speaks_of.removeprefix("tag:"))]
    names = written.names.get(speaks_of, [])
    return list(zip(names, written.rows(speaks_of) or [], strict=True))


def tags_of(written: Written, table: str) -> list[str]:
    """Every tag that rows of this table have."""
    return sorted({tag for row in written.rows(table) or [] for tag in row.get("tags", ())})


def columns_of(written: Written, group: str) -> list[Data]:
    """The columns that items of this group have."""
    row = written.row("groups", group)
    return list(row["columns"]) if row else []
