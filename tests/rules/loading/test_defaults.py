"""The reference lists the default of every optional field.

``python -m tests.rules.loading.test_defaults`` prints the table as it should be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pydantic_core import PydanticUndefined

from rules.book import advancement, fates, holdings, limits, model, reference, schema, season
from rules.book.vocabulary import Frozen, Text
from rules.loading.json_schema import is_nothing

PAGE = Path(__file__).parents[3] / "docs" / "writing-a-rulebook.md"
HEADING = "Defaults"
# The authors' names of rows, by the models whose fields have defaults worth listing.
WHERE: dict[str, tuple[type[Frozen], ...]] = {
    "rating": (model.Rating,),
    "settings": (schema.SettingRow,),
    "characteristics": (schema.Number, schema.Pair, schema.TrackCharacteristic, schema.Box),
    "ranks": (schema.Rank,),
    "traits": (schema.Trait,),
    "professions": (schema.Profession,),
    "groups": (schema.ItemGroup,),
    "items": (schema.Item,),
    "ticks": (schema.Tick,),
    "adjustments": (schema.Adjustment,),
    "budgets": (schema.Budget,),
    "holdings": (holdings.Holding,),
    "limits": (limits.CountLimit, limits.ItemsLimit),
    "conditions": (fates.Condition,),
    "dies": (fates.Dies,),
    "leaves": (fates.Leaves,),
    "loses_item": (fates.LosesItem,),
    "rises": (fates.Rises,),
    "promotes": (fates.Promotes,),
    "finds": (fates.Finds,),
    "joins": (fates.Joins,),
    "falls_to": (fates.FallsTo,),
    "rolls_on": (fates.RollsOn,),
    "campaign": (season.Campaign,),
    "campaign.results": (season.ResultType,),
    "campaign.marks": (season.Mark,),
    "campaign.tallies": (season.Tally,),
    "campaign.awards": (season.Award,),
    "campaign.advancement": (advancement.Advancement,),
    "campaign.advancements": (advancement.AdvancementRow,),
    "campaign.promotions": (season.Promotion,),
    "campaign.successions": (season.Succession,),
    "campaign.departures": (season.Departure,),
    "campaign.steps": (season.CaptivesStep, season.RollsStep),
    "deployments": (reference.Deployment, reference.Zone),
    "references": (reference.Reference,),
}


def table() -> str:
    """Return the defaults of every table, one line each."""
    lines = ["| table | defaults |", "| --- | --- |"]
    for where, models in WHERE.items():
        told = dict.fromkeys(words for one in models for words in _defaults(one))
        lines.append(f"| `{where}` | {' · '.join(told)} |")
    return "\n".join(lines)


def _defaults(kind: type[Frozen]) -> Iterator[str]:
    for name, field in kind.model_fields.items():
        default = field.default
        if default is PydanticUndefined or name == "status" or _says_nothing(default):
            continue
        yield f"`{name}` {_written(default)}"


def _says_nothing(default: object) -> bool:
    whole = isinstance(default, Frozen) and not isinstance(default, Text)
    return whole or default in ((), "", frozenset(), {}) or is_nothing(default)


def _written(default: object) -> str:
    match default:
        case Text():
            return f"“{default['en']}”"
        case bool():
            return str(default).lower()
        case tuple():
            return (
                "`["
                + ", ".join(f'"{one}"' if isinstance(one, str) else str(one) for one in default)
                + "]`"
            )
        case str():
            return f'`"{default}"`'
    return str(default)


def test_the_reference_lists_every_default() -> None:
    section = re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.M)
    [told] = [part for part in section if part.startswith(HEADING)]
    written = "\n".join(line for line in told.splitlines() if line.startswith("|"))
    assert written == table(), f"write this into the reference:\n{table()}"


def test_no_line_of_the_defaults_is_empty() -> None:
    assert not [line for line in table().splitlines() if line.endswith("|  |")]


if __name__ == "__main__":
    print(table())  # noqa: T201
