"""The page on writing a rulebook describes the whole vocabulary, and its examples work."""

from __future__ import annotations

import inspect
import re
import tomllib
import types
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import fastjsonschema
import pytest
from django.core.management import call_command

from gangs.engine.computed import ComputedGang
from rules.book import (
    advancement,
    holdings,
    limits,
    outfits,
    schema,
    season,
    vocabulary,
)
from rules.book import (
    amounts as book_amounts,
)
from rules.book import (
    evening as book_evening,
)
from rules.book import (
    fates as book_fates,
)
from rules.book import (
    model as book_model,
)
from rules.book import (
    reference as book_reference,
)
from rules.book import (
    roll_effects as book_effects,
)
from rules.book import (
    rolls as book_rolls,
)
from rules.book.roll_effects import AnyEffect
from rules.book.vocabulary import Frozen
from rules.engine.compiling import make_ready
from rules.engine.expressions import FUNCTIONS, QUESTIONS, SUBJECTS
from rules.engine.figure import Figure
from rules.engine.odds import odds
from rules.engine.situations import TABLE_NAMES, Side, Situation, names_in
from rules.loading.check_building import PLACEHOLDERS
from rules.loading.check_rolls import SLOTS
from rules.loading.json_schema import file_schema
from rules.loading.reader import read_folder
from rules.loading.try_rolls import try_rolls
from tests.gangs import rosters

PAGE = (Path(__file__).parents[3] / "docs" / "writing-a-rulebook.md").read_text("utf-8")
MODULES = (
    vocabulary, schema, limits, book_amounts, book_fates, season, book_reference, book_effects,
    book_rolls, book_evening, book_model, advancement, holdings, outfits,
)  # fmt: skip
MODELS = [
    model
    for module in MODULES
    for _, model in inspect.getmembers(module, inspect.isclass)
    if issubclass(model, Frozen) and model.__module__ == module.__name__ and model.model_fields
]
# The heading under which each model is described.
PLACES = {
    "Text": "Words used everywhere",
    "Row": "Rows",
    "Add": "Effects",
    "Set": "Effects",
    "AddValue": "Effects",
    "Selector": "Selectors",
    "ItemSelector": "Each",
    "Each": "Each",
    "Between": "Selectors",
    "Book": "The book itself",
    "Source": "`sources`, `rating`, `money`",
    "Play": "`play`",
    "Sides": "`play`",
    "Pace": "`pace`",
    "Counted": "`pace`",
    "Rating": "`sources`, `rating`, `money`",
    "Money": "`sources`, `rating`, `money`",
    "Variation": "",
    "SettingRow": "`settings`",
    "ChoiceSetting": "`settings`",
    "NumberSetting": "`settings`",
    "Choice": "`settings`",
    "Measured": "`characteristics`",
    "Number": "`characteristics`",
    "Maximum": "`characteristics`",
    "Pool": "`characteristics`",
    "Pair": "`characteristics`",
    "TrackCharacteristic": "`characteristics`",
    "Box": "`characteristics`",
    "Die": "`characteristics`",
    "Worded": "`characteristics`",
    "Rank": "`ranks`",
    "Reward": "`campaign.results`",
    "SquadSize": "`ranks`",
    "Belonging": "`ranks`",
    "Origin": "`origins`",
    "Trait": "`traits`",
    "Threshold": "`traits`",
    "Profession": "`professions`",
    "ItemGroup": "`groups`",
    "Column": "`groups`",
    "Item": "`items`",
    "Mode": "`items`",
    "Fitting": "`items`",
    "Currency": "`currencies`",
    "Tag": "`tags`",
    "Tick": "`ticks`",
    "Adjustment": "`adjustments`",
    "Rounding": "`roundings`",
    "Budget": "`budgets`",
    "Outfit": "`archetypes`",
    "Archetype": "`archetypes`",
    "Names": "`names`",
    "Sample": "`samples`",
    "SampleMember": "`samples`",
    "LimitRow": "`limits`",
    "SizeStep": "`limits`",
    "Before": "`conditions`",
    "Condition": "`conditions`",
    "DiceTable": "`tables`",
    "TableRow": "`tables`",
    "Fate": "Fates",
    "Campaign": "`campaign`",
    "ResultType": "`campaign.results`",
    "Unfought": "`campaign.unfought`",
    "Mark": "`campaign.marks`",
    "Tally": "`campaign.tallies`",
    "Award": "`campaign.awards`",
    "Growth": "`campaign.growth`",
    "Advancement": "`campaign.advancement`",
    "AdvancementRow": "`campaign.advancements`",
    "UnderdogMoney": "`campaign.underdog`",
    "Holding": "`holdings`",
    "PerHolder": "`campaign.yields`",
    "Yield": "`campaign.yields`",
    "Haul": "`campaign.hauls`",
    "HaulRow": "`campaign.hauls`",
    "Upkeep": "`campaign.upkeep`",
    "Trophy": "`campaign.trophies`",
    "Promotion": "`campaign.promotions`",
    "Succession": "`campaign.successions`",
    "Departure": "`campaign.departures`",
    "Recruiting": "`campaign.recruiting`",
    "Quota": "`campaign.recruiting`",
    "SearchBonus": "`campaign.steps`",
    "Scenario": "`scenarios`",
    "Brought": "`scenarios`",
    "Lead": "`scenarios`",
    "NonPlayer": "`scenarios`",
    "Deployment": "`deployments`",
    "Zone": "`deployments`",
    "Reference": "`references`",
    "ReferenceLine": "`references`",
    "ChanceColumn": "`references`",
    "Chances": "`references`",
    "DrawnModifiers": "`references`",
    "Term": "`glossary`",
}
# Models of rolls: steps and effects are described under their base.
ROLL_PLACES = {
    "Circumstance": "`circumstances`",
    "Named": "`circumstances`",
    "Modifier": "`modifiers`",
    "Natural": "Steps",
    "AgainFaces": "Steps",
    "RollOutcome": "`rolls`",
    "RollNumber": "`rolls`",
    "Roll": "`rolls`",
    "Procedure": "`procedures`",
    "Grid": "`grids`",
    "Combination": "`hands`",
    "HandOfDice": "`hands`",
    "State": "`states`",
    "Action": "`actions`",
    "Spend": "`spends`",
}
EVENING_PLACES = {
    "Phase": "`phases`",
    "Track": "`tracks`",
    "Alarm": "`alarms`",
    "Caution": "`cautions`",
    "Activation": "`activation`",
}
# Base classes, whose fields are described once, above.
BASES = ("Row", "LimitRow", "Step", "PostgameStep", "Measured")
# Columns of another table too, where they are required.
EVERYWHERE = {"when"}


def sections() -> dict[str, str]:
    found: dict[str, str] = {}
    for part in re.split(r"^(?=###? )", PAGE, flags=re.M)[1:]:
        heading, _, body = part.partition("\n")
        found[heading.lstrip("# ")] = body
    return found


SECTIONS = sections()


def place(model: type[Frozen]) -> str:
    if issubclass(model, book_rolls.Step):
        return "Steps"
    if issubclass(model, AnyEffect):
        return "Effects of an outcome"
    if model.__module__ == book_rolls.__name__:
        return ROLL_PLACES[model.__name__]
    if model.__module__ == book_evening.__name__:
        return EVENING_PLACES[model.__name__]
    if issubclass(model, season.PostgameStep):
        return "`campaign.steps`"
    if issubclass(model, limits.LimitRow):
        return "`limits`"
    if model.__name__ not in PLACES and model.__module__ == "rules.book.fates":
        return "Outcomes"
    return PLACES[model.__name__]


def own_fields(model: type[Frozen]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a model that no base describes."""
    inherited = {
        name
        for base in model.__mro__[1:]
        if base.__name__ in BASES
        for name in getattr(base, "model_fields", {})
    }
    for name, field in model.model_fields.items():
        if name not in inherited | EVERYWHERE:
            yield name, field


def test_every_field_is_described() -> None:
    # Authors do not write a variation: the site does.
    assert "`variant`" in PAGE
    for model in (one for one in MODELS if one.__name__ != "Variation"):
        words = SECTIONS[place(model)] if place(model) else PAGE
        for name, field in own_fields(model):
            if name == "kind" and len(values(field.annotation)) == 1:
                assert f"`{field.annotation.__args__[0]}`" in words, model
                continue
            alone = name in ("en", "fr") and '{ en = "' in words
            assert alone or f"`{name}`" in words, (model, name)
            # Bold: required. (A field that is optional for one kind may be required for another.)
            if field.is_required():
                assert alone or f"**`{name}`**" in words, (model, name)


def test_optional_fields_are_not_bold() -> None:
    for heading in {place(model) for model in MODELS}:
        needed = {
            name
            for model in MODELS
            if place(model) == heading
            for name, field in model.model_fields.items()
            if field.is_required()
        }
        bold = set(re.findall(r"\*\*`(\w+)`\*\*", SECTIONS.get(heading, "")))
        assert bold <= needed | {"ranks", "campaign"}, heading


def values(annotation: object) -> list[object]:
    """Return every word that a value of this type may be."""
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    if isinstance(annotation, types.UnionType) or get_args(annotation):
        return [value for inner in get_args(annotation) for value in values(inner)]
    return []


def test_every_word_of_a_field_is_described() -> None:
    for model in MODELS:
        for name, field in model.model_fields.items():
            for value in values(field.annotation):
                words = PAGE if name in ("status", "phase", "gear") else SECTIONS[place(model)]
                assert f"`{value}`" in words, (model, name, value)


def test_every_placeholder_is_listed_beside_its_kind() -> None:
    # A limit on items has one more, which depends on whether it counts members or copies.
    all_names = {**PLACEHOLDERS, "items": PLACEHOLDERS["items"] | {"name", "item"}}
    for kind, names in all_names.items():
        (line,) = re.findall(rf"^\| `{kind}` \|.*$", SECTIONS["`limits`"], re.M)
        assert set(re.findall(r"`\{(\w+)\}`", line)) == names, kind


def test_every_table_is_listed_under_its_heading() -> None:
    for name in book_model.Book.model_fields:
        assert f"`{name}`" in SECTIONS["The book itself"], name
    for name in season.Campaign.model_fields:
        assert f"`{name}`" in SECTIONS["`campaign`"], name


def test_every_name_and_question_of_expressions_is_described() -> None:
    words = SECTIONS["Expressions"]
    for question in QUESTIONS:
        assert re.search(rf"`(\w+\.)?{question}(\(|`)", words), question
    for name in (*FUNCTIONS, *SUBJECTS, *TABLE_NAMES):
        assert f"`{name}`" in words or f"`{name}." in words, name


def test_every_slot_of_a_step_is_listed() -> None:
    for step, slots in SLOTS.items():
        (line,) = re.findall(rf"^\| \*\*`{step}`\*\* \|.*$", SECTIONS["Steps"], re.M)
        said = set(re.findall(r"`\.(\w+)`", line.rpartition("| `.")[2].join(["`.", ""])))
        assert said == slots, step


def test_the_example_of_a_roll_works(tmp_path: Path) -> None:
    """The sergeant of the five-minute game throws the same with and without a gale."""
    folder = tmp_path / "tin-duel"
    folder.mkdir()
    for example in examples():
        if named := re.match(r"# (tin-duel|storm)/(\S+)", example):
            (folder / named[2]).write_text(example, "utf-8")
    made = read_folder(folder)
    assert [*try_rolls(made)] == []
    ready = make_ready(made.under({}), made.roll["throw"])
    found = {}
    for rank in ("sergeant", "private"):
        figure = Figure(rank=rank, worth_rank=rank)
        situation = Situation(Side(figure), Side(figure), {"gale": 1})
        found[rank] = odds(ready, names_in(made.under({}), situation)).outcomes["missed"]
    assert found == {"sergeant": Fraction(1, 8), "private": Fraction(4, 9)}


def examples() -> list[str]:
    return re.findall(r"^```toml\n(.*?)^```$", PAGE, flags=re.M | re.S)


@pytest.mark.long
def test_examples_follow_the_schema() -> None:
    data = file_schema()
    # An example shows one row of the campaign, not all of it.
    del data["$defs"]["Campaign"]["required"]
    validate = fastjsonschema.compile(data, use_default=False)
    assert len(examples()) > 8
    for example in examples():
        validate(tomllib.loads(example))


def test_the_five_minute_game_works(tmp_path: Path) -> None:
    folder = tmp_path / "tin-duel"
    folder.mkdir()
    for example in examples():
        if named := re.match(r"# tin-duel/(\S+)", example):
            (folder / named[1]).write_text(example, "utf-8")
    assert len(list(folder.iterdir())) == 3
    made = read_folder(folder)
    gang = rosters.roster(made, rosters.member("sergeant", items=["popgun"]))
    assert ComputedGang.of(made, gang).left == 10
    call_command("books", "check", folder)


def test_the_links_of_the_page_lead_to_headings() -> None:
    def anchor(heading: str) -> str:
        return re.sub(r"[^\w -]", "", heading.casefold()).replace(" ", "-")

    anchors = {anchor(heading) for heading in SECTIONS}
    links = re.findall(r"\]\(#([^)]+)\)", PAGE)
    assert links and set(links) <= anchors
