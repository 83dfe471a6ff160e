"""Mistakes in a rulebook's rolls, each with its place and sentence.

Trying the rolls finds the mistakes that no check of the text can find.
"""

from typing import Any

import pytest

from rules.engine.compiling import make_ready
from rules.engine.reference_odds import work_out_cells
from rules.loading.check_rolls import choices, note_spends
from rules.loading.try_rolls import situations, try_rolls
from tests.rules.small import Data, choice, mistakes, row, small, text, told, with_more

HIT: Data = {"count": "hits", "dice": 2, "target": 4}
LIGHT = [{"key": key, "name": text(key)} for key in ("day", "night")]
COLUMN: Data = {"key": "reach", "name": text("Reach")}
RISES = [{"key": "high", "name": text("High"), "groups": [2, 3]}]


def roll(*steps: Data, **fields: Any) -> Data:
    """Return a roll of these steps that gives one of two outcomes."""
    outcomes = [
        {"key": "hit", "name": text("Hit"), "given": "n > 0"},
        {"key": "miss", "name": text("Miss")},
    ]
    bound = {"let": "n", "be": 1}
    made = {"steps": [bound, *steps], "outcomes": outcomes, **fields}
    return row(fields.pop("key", "trial"), **{key: made[key] for key in made if key != "key"})


def rolled(*steps: Data, **fields: Any) -> Data:
    """Return a rulebook's table of one roll."""
    return {"rolls": [roll(*steps, **fields)]}


def modified(**fields: Any) -> Data:
    """Return the roll of a hit, and a modifier."""
    return {**rolled(HIT), "modifiers": [row("m", **{"amount": 1, "on": "hits.dice", **fields})]}


def asked(key: str = "fog", **fields: Any) -> Data:
    """Return a circumstance that the roll reads."""
    return {**rolled({"let": "n", "be": key}), "circumstances": [row(key, **fields)]}


def looked_up(**fields: Any) -> Data:
    """Return a reference table of one column."""
    made = {"chapter": "shooting", "columns": [text("C")], **fields}
    return {"references": [row("table", **made)]}


DRAWN = looked_up(modifiers={"rolls": ["trial"], "on": ["hits.dice"]})


def worked(**column: Any) -> Data:
    """Return a reference table of one computed line."""
    chances = {"roll": "trial", "columns": [column]}
    return looked_up(lines=[{"name": text("L")}], chances=chances)


def used(*steps: Data) -> Data:
    """Return a procedure that the roll uses."""
    return {**rolled({"use": "shared"}), "procedures": [row("shared", steps=list(steps))]}


def column(kind: str, cell: str, **fields: Any) -> Data:
    """Return an item with one typed cell."""
    columns = [{"key": "hit", "name": text("H"), "kind": kind, **fields}]
    item = row("gun", group="guns", price=1, columns={"hit": cell})
    return {
        "groups": [row("arms"), row("goods"), row("guns", columns=columns)],
        "items": [item],
    }


NAME = "unknown name “{}”".format
CASES: list[tuple[Data, str, str]] = [
    # Targets
    (rolled(sides="enemies"), "rolls.0.sides", "is only used for rolls at a member"),
    (rolled(sides="friends", at="side"), "rolls.0.sides", "is only used for rolls at a member"),
    (
        rolled(sides="friends", at="member", friendly=True),
        "rolls.0.friendly",
        "is only used for rolls at anyone",
    ),
    (rolled(fallen="also"), "rolls.0.fallen", "is only used for rolls at a member"),
    (rolled(scenarios=["raid"]), "rolls.0.scenarios", "unknown scenario “raid”"),
    # Names, questions, expressions
    (rolled({"let": "n", "be": "by.mihgt"}), "rolls.0.steps.1.be", NAME("by.mihgt")),
    (rolled({"let": "n", "be": "at.might"}), "rolls.0.steps.1.be", NAME("at.might")),
    (rolled({"let": "n", "be": "by.quality"}), "rolls.0.steps.1.be", NAME("by.quality")),
    (rolled({"let": "n", "be": "gang.luck"}), "rolls.0.steps.1.be", NAME("gang.luck")),
    (rolled({**HIT, "given": "n.max > 1"}), "rolls.0.steps.1.given", NAME("n.max")),
    (rolled({**HIT, "clamp": [1, "m"]}), "rolls.0.steps.1.clamp.1", NAME("m")),
    (rolled({"again": "k", "times": "m", "steps": [HIT]}), "rolls.0.steps.1.times", NAME("m")),
    (
        rolled({"again": "k", "times": 2, "steps": [{"let": "n", "be": "m"}]}),
        "rolls.0.steps.1.steps.0.be",
        NAME("m"),
    ),
    (
        rolled({"again": "k", "until": "k > 3", "steps": [HIT]}),
        "rolls.0.steps.1.until",
        NAME("k"),
    ),
    (
        rolled({"opposed": "d", "mine": ["m"], "theirs": ["n"]}),
        "rolls.0.steps.1.mine.0",
        NAME("m"),
    ),
    (
        rolled({"let": "n", "be": "by.has_trait('quik')"}),
        "rolls.0.steps.1.be",
        "unknown key “quik” in “by.has_trait(…)”",
    ),
    (
        rolled({"let": "n", "be": "item.tagged('blade')"}),
        "rolls.0.steps.1.be",
        "“item” is not available here",
    ),
    (
        rolled({"let": "n", "be": "item.tagged('bladder')"}, using="item"),
        "rolls.0.steps.1.be",
        "unknown key “bladder” in “item.tagged(…)”",
    ),
    (
        rolled({"let": "n", "be": "by.might()"}),
        "rolls.0.steps.1.be",
        "unknown question “by.might(…)”",
    ),
    (rolled({"let": "n", "be": "1 +"}), "rolls.0.steps.1.be", "“1 +” is not a valid"),
    (rolled({"let": "by", "be": 1}), "rolls.0.steps", "“by” already means something else"),
    (rolled({"let": "max", "be": 1}), "rolls.0.steps", "“max” already means something else"),
    # Steps
    (
        rolled({"count": "hits", "dice": 1}),
        "rolls.0.steps.1",
        "give either “target” or “band”, not both",
    ),
    (
        rolled({**HIT, "band": [1, 2]}),
        "rolls.0.steps.1",
        "give either “target” or “band”, not both",
    ),
    (rolled({"end": "gone"}), "rolls.0.steps.1", "unknown outcome “gone”"),
    (
        rolled({"again": "k", "until": "1", "steps": [{"end": "hit"}]}),
        "rolls.0.steps.1.steps",
        "the roll cannot end inside this step",
    ),
    (
        rolled({"again": "k", "steps": [HIT]}),
        "rolls.0.steps.1",
        "give either “times” or “until”, not both",
    ),
    (
        rolled({"opposed": "d", "mine": ["1"], "theirs": ["1", "2"]}),
        "rolls.0.steps.1",
        "“mine” and “theirs” must have the same number of values",
    ),
    (
        rolled({"use": "nothing"}),
        "rolls.0.steps.1.use",
        "unknown procedure “nothing”",
    ),
    (
        rolled({"look_up": "n", "grid": "none", "row": 1}),
        "rolls.0.steps.1.grid",
        "unknown grid “none”",
    ),
    (
        rolled({"throw_hand": "n", "of": "none", "dice": 1}),
        "rolls.0.steps.1.of",
        "unknown hand of dice “none”",
    ),
    # Outcomes and effects
    (
        rolled(outcomes=[]),
        "rolls.0",
        "has no result: give “outcomes” or “numbers”",
    ),
    (
        rolled(outcomes=[], numbers=[{"of": "n", "name": text("N")}], effects=[{"kind": "back"}]),
        "rolls.0.effects",
        "is only used with “outcomes”",
    ),
    (
        {"groups": [row("slings", columns=[{**COLUMN, "kind": "die", "blank": "by.wing"}])]},
        "groups.0.columns.0.blank",
        "unknown name “by.wing”",
    ),
    (
        {"groups": [row("slings", columns=[{**COLUMN, "blank": 1}])]},
        "groups.0.columns.0.blank",
        "is only used for columns of numbers, lengths and dice",
    ),
    (
        rolled(outcomes=[{"key": "hit", "name": text("Hit"), "given": "n > 0"}]),
        "rolls.0.outcomes",
        "at least one must always apply: leave out “given” in the last row",
    ),
    (
        rolled(outcomes=[{"key": "hit", "name": text("Hit")}] * 2),
        "rolls.0.outcomes",
        "each outcome must have a different key",
    ),
    (
        rolled(outcomes=[{"key": "hit", "name": text("Hit"), "given": "m > 0"}]),
        "rolls.0.outcomes.0.given",
        NAME("m"),
    ),
    (
        rolled(numbers=[{"of": "m", "name": text("M")}]),
        "rolls.0.numbers.0.of",
        "no step has the name “m”",
    ),
    (
        rolled(numbers=[{"of": "n", "name": text("N")}] * 2),
        "rolls.0.numbers",
        "list each number only once",
    ),
    # Procedures
    (
        {**rolled(), "procedures": [row("shared", steps=[HIT])]},
        "procedures.0.key",
        "no roll uses these steps",
    ),
    (used({"let": "n", "be": "m"}), "procedures.0.steps.0.be", NAME("m")),
    (used({"let": "n", "be": "m +"}), "procedures.0.steps.0.be", "“m +” is not a valid"),
    (
        used({"use": "shared"}),
        "rolls.0.steps.1",
        "“shared”, steps.0: the shared steps “shared” use themselves",
    ),
    (
        used({"end": "gone"}),
        "rolls.0.steps.1",
        "“shared”, steps.0: unknown outcome “gone”",
    ),
    # Modifiers, re-rolls, actions
    (modified(on="hits.luck"), "modifiers.0.on", "no roll has a number “hits.luck” to change"),
    (modified(on="hits"), "modifiers.0.on", "no roll has a number “hits” to change"),
    (
        modified(on="blows.dice", rolls=["trial"]),
        "modifiers.0.on",
        "the roll “trial” has no number “blows.dice” to change",
    ),
    (modified(amount="m"), "modifiers.0.amount", NAME("m")),
    # Drawn and computed tables
    (
        {**modified(amount="by.might"), **DRAWN},
        "modifiers.0.shown",
        "is missing: a table shows this modifier, and its amount is a formula",
    ),
    (
        {**modified(amount="by.might", shown=text("{amount} more")), **DRAWN},
        "modifiers.0.shown",
        "is missing: a table shows this modifier, and its amount is a formula",
    ),
    (
        {**modified(), **looked_up(modifiers={"rolls": ["trial"], "on": ["n"], "after": 1})},
        "references.0.modifiers.after",
        "must be at most 0, the number of lines in the table",
    ),
    (
        {**rolled(HIT), **worked(outcome="lost")},
        "references.0.chances",
        "“lost” has no value here",
    ),
    (
        {**modified(amount="by.might"), **worked(modifier="m")},
        "references.0.chances",
        "“by.might” has no value here",
    ),
    (
        {**modified(), **worked(modifier="n")},
        "references.0.chances.columns.0.modifier",
        "unknown modifier “n”",
    ),
    (modified(given="at.might"), "modifiers.0.given", NAME("at.might")),
    (modified(rolls=["tria"]), "modifiers.0.rolls", "unknown roll “tria”"),
    (
        {**modified(actions=["shoot"]), "actions": [row("shoot")]},
        "modifiers.0.actions",
        "is only used for modifiers of a cost",
    ),
    (
        {**rolled(HIT), "spends": [row("luck", on="hits.luck")]},
        "spends.0.on",
        "these rolls have no number “hits.luck” to change",
    ),
    (
        {**rolled(HIT), "spends": [row("luck", on="hits.dice", track="fortune")]},
        "spends.0.track",
        "unknown tracker “fortune”",
    ),
    ({"actions": [row("shoot", cost="m")]}, "actions.0.cost", NAME("m")),
    # Circumstances
    (
        {"circumstances": [row("fog")]},
        "circumstances.0.key",
        "no expression uses this circumstance",
    ),
    ({"circumstances": [row("in")]}, "circumstances.0.key", "must work as a name in expressions"),
    (
        {"circumstances": [row("fog", given="fog")]},
        "circumstances.0.given",
        "unknown name “fog”",
    ),
    (
        {"circumstances": [row("a-b")]},
        "circumstances.0.key",
        "must work as a name in expressions",
    ),
    (
        {"circumstances": [row("gang")]},
        "circumstances.0.key",
        "“gang” already means something else in expressions: choose another key",
    ),
    (
        asked(kind="choice"),
        "circumstances.0.choices",
        "the kind “choice” needs at least two choices",
    ),
    (
        asked(choices=LIGHT),
        "circumstances.0.choices",
        "the kind “choice” needs at least two choices",
    ),
    (
        asked(kind="number", start=7),
        "circumstances.0.start",
        "must be between the minimum and the maximum",
    ),
    (
        asked(maximum=3),
        "circumstances.0",
        "the kind “tick” has no minimum or maximum: leave out both",
    ),
    # Grids and hands
    (
        {"grids": [row("g", cells=[[1, 2], [3]])]},
        "grids.0.cells",
        'all rows must have the same length: write "-" for an empty cell',
    ),
    ({"grids": [row("g", cells=[[]])]}, "grids.0.cells", "each row needs at least one cell"),
    (
        {"hands": [row("h", faces=[text("a"), text("b")], combinations=RISES)]},
        "hands.0.combinations.0",
        "leave out “groups”: the first combination stands for all other hands",
    ),
    (
        {"hands": [row("h", faces=[text("a"), text("b")], combinations=RISES)]},
        "hands.0.combinations.0.groups",
        "the largest group must come first",
    ),
    (
        {"hands": [row("h", faces=[text("a"), text("b")], size=4, combinations=RISES)]},
        "hands.0.combinations.0.groups",
        "the groups must have at most 4 dice together",
    ),
    # Typed columns
    (column("number", "M+1"), "items.0.columns.hit", "unknown name “M” in this column"),
    (column("number", "much"), "items.0.columns.hit", "unknown name “much” in this"),
    (
        column("length", "3 4"),
        "items.0.columns.hit",
        "“3 4” must be a sum of numbers, names and dice, such as M+1D6",
    ),
    (column("die", "8"), "items.0.columns.hit", "“8” is not a die: write D8, for example"),
    (
        column("number", "M", names={"M": "by.mihgt"}),
        "groups.2.columns.0.names.M",
        NAME("by.mihgt"),
    ),
    (
        column("number", "M", names={"M": "at.might"}),
        "groups.2.columns.0.names.M",
        NAME("at.might"),
    ),
]


NO_NAME = "is not a valid key: use only small letters, digits and _, and begin with a letter"
STEP = "a step needs one of these words: let, count, sum, throw_hand, look_up, opposed, use,"
LOOP: Data = {"again": "k", "times": 2}
FORM: list[tuple[Data, dict[str, list[str]]]] = [
    ({"dice": 3}, {"": [f"{STEP} again, end"]}),
    ({"cuont": "hits", "dice": 3}, {"": [f"{STEP} again, end. Did you mean “count”?"]}),
    ({"count": "hits", "target": 1}, {".dice": ["is missing"]}),
    (HIT | {"dice": [3]}, {".dice": ["must be a whole number, or must be text"]}),
    (HIT | {"targt": 3}, {".targt": ["unknown word “targt”. Did you mean “target”?"]}),
    (HIT | {"count": "Hits"}, {".count": [f"'Hits' {NO_NAME}"]}),
    ({**LOOP, "steps": [{"dice": 1}]}, {".steps.0": [f"{STEP} again, end"]}),
    ({**LOOP, "steps": [{"count": "n"}]}, {".steps.0.dice": ["is missing"]}),
    ({**LOOP, "steps": []}, {".steps": ["needs at least 1"]}),
    ({"opposed": "d", "mine": [], "theirs": [1]}, {".mine": ["needs at least 1"]}),
    ({"sum": "n", "keep": []}, {".keep": ["must be a whole number, or must be text"]}),
]


@pytest.mark.parametrize(("step", "found"), FORM, ids=lambda part: str(part)[:60])
def test_a_step_of_the_wrong_form_names_the_missing_fields(
    step: Data, found: dict[str, list[str]]
) -> None:
    expected = {f"rolls.0.steps.1{place}": words for place, words in found.items()}
    assert mistakes(**rolled(step)) == expected


@pytest.mark.parametrize(("changes", "place", "words"), CASES, ids=lambda part: str(part)[:60])
def test_a_mistake_in_a_roll_is_named_at_its_place(changes: Data, place: str, words: str) -> None:
    found = mistakes(**changes)
    assert place in found, found
    assert any(sentence.startswith(words) for sentence in found[place]), found
    assert len(set(found[place])) == len(found[place])


def test_a_column_that_names_nothing_keeps_its_text() -> None:
    book = small(**rolled(HIT), **worked(names={"by.might": 3}, least=2))
    assert work_out_cells(book, book.references[0]) == [[None]]


def test_a_modifier_can_change_a_slot_of_every_step() -> None:
    slots = {
        "count.dice": HIT | {"count": "count"},
        "sum.sides": {"sum": "sum"},
        "look.row": {"look_up": "look", "grid": "g", "row": 1},
        "loop.times": {"again": "loop", "times": 1, "steps": [HIT]},
        "plain": {"let": "plain", "be": 1},
    }
    steps = [*slots.values()]
    rows = [row(f"m{place}", on=slot, amount=1) for place, slot in enumerate(slots)]
    book = small(**rolled(*steps), modifiers=rows, grids=[row("g", cells=[[1, "-"]])])
    ready = make_ready(book.usual, book.rolls[0])
    assert ready.modifiers == ("m0", "m1", "m2", "m3", "m4")


SAVE: Data = {"count": "saves", "dice": 1, "target": 4}


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([HIT], []),
        ([{"again": "k", "times": 2, "steps": [HIT]}], []),
        (
            [{"again": "k", "until": "hits > 0", "steps": [HIT]}],
            ["“hits.dice” is in a loop “until”"],
        ),
        ([HIT, {"sum": "hits", "given": "hits > 0"}], ["“hits.dice” changes 2 steps"]),
        ([HIT, SAVE], []),
    ],
)
def test_spends_that_would_count_more_than_once_are_noted(
    steps: list[Data], words: list[str]
) -> None:
    book = small(**rolled(*steps), spends=[row("luck", on="hits.dice")])
    found = [*note_spends(book)]
    assert [path for path, _message in found] == [("spends", 0, "on")] * len(words)
    assert all(one.startswith(part) for (_path, one), part in zip(found, words, strict=True))


def test_only_options_that_affect_rolls_are_tried() -> None:
    step = {"let": "n", "be": 2, "when": {"luck": ["kind"]}}
    book = with_more(
        settings=[choice("luck", "plain", "kind"), choice("moon", "new", "full")], **rolled(step)
    )
    assert [rules.settings["luck"] for rules in choices(book)] == ["plain", "kind"]
    assert {rules.settings["moon"] for rules in choices(book)} == {"new"}


TRIED: list[tuple[Data, tuple[int | str, ...], str]] = [
    (
        rolled({"let": "n", "be": 0}),
        ("outcomes", 0),
        "the outcome “hit” cannot happen with any rank, item or circumstance",
    ),
    (
        rolled({"let": "n", "be": "later"}, {"let": "later", "be": 1}),
        (),
        "“later” is used before a step sets its value",
    ),
    (
        rolled({"again": "k", "until": "0", "steps": [HIT]}),
        (),
        "the roll never ends",
    ),
    (
        rolled({"again": "k", "until": "n > 500", "steps": [{"let": "n", "be": "n + 1"}]}),
        (),
        "too complex: more than 200 states before the roll ends",
    ),
    (
        rolled({**HIT, "dice": "by.might * 30"}),
        (),
        "90 dice with 6 sides are not possible: the limit is 60 dice with 20 sides",
    ),
    (rolled({"let": "n", "be": "1 // (by.might - 3)"}), (), "division by 0"),
]


@pytest.mark.long
@pytest.mark.parametrize(("changes", "place", "words"), TRIED, ids=lambda part: str(part)[:60])
def test_trying_a_roll_finds_mistakes_of_its_evaluation(
    changes: Data, place: tuple[int | str, ...], words: str
) -> None:
    assert (("rolls", 0, *place), words) in list(try_rolls(small(**changes)))


def test_trying_a_roll_covers_rare_situations() -> None:
    """The mistake needs a trait, a state, a circumstance and one weapon at the same time."""
    step = {
        "let": "n",
        "be": "by.has_trait('quick') and at.in_state('down') and fog and item.is_item('bow')",
    }
    book = small(
        **rolled(step, at="member", using="item"),
        circumstances=[row("fog")],
        states=[told("down")],
    )
    assert list(try_rolls(book)) == []
    drawn = [*situations(book.usual, book.rolls[0])]
    assert drawn == [*situations(book.usual, book.rolls[0])]


def test_only_figures_that_can_use_a_roll_are_tried() -> None:
    book = small(**rolled({"let": "n", "be": "1 // (by.might - 3)"}, usable="by.might > 3"))
    assert {names["by.might"] for names in situations(book.under({}), book.rolls[0])} == {5, 6}
    assert "division by 0" not in {words for _place, words in try_rolls(book)}


def test_dice_of_a_target_need_a_target() -> None:
    theirs = {**HIT, "whose": "at", "purpose": text("to hit")}
    expected = {"rolls.0.steps": ["“hits” throws the target’s dice, but this roll has no target"]}
    assert mistakes(**rolled(theirs)) == expected
    small(**rolled(theirs, at="member"))
