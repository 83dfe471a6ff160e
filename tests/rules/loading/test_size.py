"""Rulebooks that are small to read and huge to unfold are refused quickly."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from rules.book.model import Book
from rules.bounds.limits import MOST_STEPS, MOST_STEPS_TOGETHER
from rules.engine.compiling import BadRoll, make_ready
from rules.library import shipped_folders
from rules.loading.check_size import TOO_MANY_STEPS, too_large, too_many_steps
from rules.loading.examining import examine
from rules.loading.reader import read_folder
from tests.rules.small import changed, mistakes, row, small, text
from tests.world.gangs import shipped

LET = {"let": "n", "be": 1}
NUMBERS = [{"of": "n", "name": text("N")}]


def chain(length: int, uses: int, last: list[Any] | None = None) -> list[Any]:
    """Return procedures; each one uses the next ``uses`` times."""
    rows = [
        row(f"p{number}", steps=[{"use": f"p{number + 1}"}] * uses) for number in range(length - 1)
    ]
    return [*rows, row(f"p{length - 1}", steps=last or [LET])]


def rolled(procedures: list[Any], steps: list[Any] | None = None) -> dict[str, Any]:
    steps = [{"use": "p0"}] if steps is None else steps
    return {"procedures": procedures, "rolls": [row("r", steps=steps, numbers=NUMBERS)]}


@pytest.mark.parametrize(("length", "uses"), [(25, 6), (6, 8), (12, 2), (4000, 1)])
def test_procedures_that_unfold_too_far_are_refused_quickly(length: int, uses: int) -> None:
    start = time.process_time()
    found = mistakes(**rolled(chain(length, uses)))
    assert time.process_time() - start < 1
    assert [TOO_MANY_STEPS] in found.values()
    assert all(path.startswith(("procedures.", "rolls.0")) for path in found)


def test_the_innermost_procedure_that_is_too_large_is_named() -> None:
    rows = chain(8, 6)
    # 1, 12, 78, 474, 2850 steps and more, starting with the last procedure.
    assert mistakes(**rolled(rows)) == {
        "procedures.3.steps": [TOO_MANY_STEPS],
        "rolls.0.steps": [TOO_MANY_STEPS],
    }


@pytest.mark.long
def test_a_procedure_that_is_too_large_is_named_with_row_and_line(tmp_path: Path) -> None:
    book = read_folder(shipped_folders()[0])
    assert not [*too_many_steps(book)]
    folder = tmp_path / shipped_folders()[0].name
    folder.mkdir()
    for file in shipped_folders()[0].glob("*.toml"):
        (folder / file.name).write_text(file.read_text("utf-8"), "utf-8")
    several = "".join(
        f'\n[[procedures]]\nkey = "p{number}"\nname = {{ en = "P", fr = "P" }}\nsource = "house"\n'
        f"steps = [{', '.join([f"{{ use = 'p{number + 1}' }}"] * 8)}]\n"
        for number in range(5)
    )
    last = several + (
        '\n[[procedures]]\nkey = "p5"\nname = { en = "P", fr = "P" }\nsource = "house"\n'
        'steps = [{ let = "n", be = 1 }]\n'
    )
    found = next(file for file in folder.glob("*.toml") if "[[procedures]]" in file.read_text())
    found.write_text(found.read_text("utf-8") + last, "utf-8")
    (mistake,) = examine(folder).mistakes
    assert mistake.message == TOO_MANY_STEPS
    assert mistake.row == "p1"
    assert mistake.file == found.name
    assert mistake.line and "steps" in found.read_text("utf-8").splitlines()[mistake.line - 1]


def test_the_size_counts_steps_of_loops_and_values_of_uses() -> None:
    loop = {"again": "i", "times": 2, "steps": [LET] * 60}
    use = {"use": "p1", "values": {"a": 1, "b": 2}}
    rows = [row("p0", steps=[use] * 32), row("p1", steps=[loop])]
    # 32 times 1 + 2 + 61, and the use itself.
    assert MOST_STEPS < 32 * 64 + 1
    assert mistakes(**rolled(rows))["procedures.0.steps"] == [TOO_MANY_STEPS]


def test_rolls_that_are_too_large_together_are_refused() -> None:
    rows = [row("p0", steps=[LET] * 1500)]
    number = MOST_STEPS_TOGETHER // 1500 + 1
    rolls = [row(f"r{one}", steps=[{"use": "p0"}], numbers=NUMBERS) for one in range(number)]
    assert mistakes(procedures=rows, rolls=rolls) == {
        "rolls": [f"all rolls together must have at most {MOST_STEPS_TOGETHER} steps"]
    }


def test_a_procedure_that_leads_to_itself_ends_the_check_quickly() -> None:
    rows = [row("p0", steps=[*[{"use": "p1"}] * 6, LET]), row("p1", steps=[{"use": "p0"}] * 6)]
    start = time.process_time()
    found = mistakes(**rolled(rows))
    assert time.process_time() - start < 1
    assert "use themselves" in found["rolls.0.steps.0"][0]


def test_compiling_refuses_an_unchecked_roll_that_is_too_large() -> None:
    book = Book.model_validate(changed(**rolled(chain(8, 6))))
    start = time.process_time()
    with pytest.raises(BadRoll, match=f"at most {MOST_STEPS} steps"):
        make_ready(book.under({}), book.roll["r"])
    assert time.process_time() - start < 1


def test_uses_with_changing_conditions_cannot_double_the_work_endlessly() -> None:
    """The steps change the values that a condition reads: they are made ready twice."""
    rows = [
        row(f"p{number}", steps=[{"use": f"p{number + 1}", "given": "n < 1"}])
        for number in range(10)
    ]
    book = Book.model_validate(changed(**rolled([*rows, row("p10", steps=[LET] * 20)])))
    start = time.process_time()
    with pytest.raises(BadRoll, match=f"at most {MOST_STEPS} steps"):
        make_ready(book.under({}), book.roll["r"])
    assert time.process_time() - start < 2


def test_conditions_that_lead_to_themselves_are_refused() -> None:
    def suffered(key: str) -> dict[str, str]:
        return {"kind": "suffers", "condition": key}

    def condition(key: str, *beyond: Any) -> Any:
        return row(key, text=text("T"), most=1, beyond=list(beyond))

    option = {"name": text("O"), "outcomes": [suffered("one")]}
    choice = {"kind": "chooses", "options": [option, {"name": text("P"), "outcomes": []}]}
    found = mistakes(conditions=[condition("one", suffered("two")), condition("two", choice)])
    assert found["conditions.0.beyond"] == ["the condition ends up causing itself"]
    assert small(conditions=[condition("one", suffered("two")), condition("two")])


def test_too_large_measures_a_strangers_rulebook_before_reading() -> None:
    wide = {
        "alarms": [{}] * 41,
        "items": [{"innate": True}] * 21,
        "tables": [{"dice": "9d99", "rows": [{}] * 301}],
        "ranks": [{"points": 100_001}],
        "offers": [{}] * 301,
        "limits": [{}] * 401,
        "campaign": {"marks": [{}] * 101},
        "conditions": [{"beyond": [{"kind": "rolls_on", "times": "99d99"}] * 101}],
    }
    assert dict(too_large(wide)) == {
        ("alarms",): "must have at most 40 rows",
        ("campaign", "marks"): "must have at most 100 rows",
        ("offers",): "must have at most 300 rows",
        ("limits",): "must have at most 400 rows",
        ("items",): "at most 20 items may be “innate”",
        ("tables",): "at most 100 outcomes may roll on other tables",
        ("tables", 0, "dice"): "the dice must have at most 200 faces together",
        ("tables", 0, "rows"): "must have at most 300 entries",
        ("ranks", 0, "points"): "must be at most 100000",
        **{
            ("conditions", 0, "beyond", number, "times"): (
                "the dice must have at most 200 faces together"
            )
            for number in range(101)
        },
    }


@pytest.mark.parametrize("folder", shipped_folders(), ids=lambda folder: folder.name)
def test_shipped_rulebooks_stay_below_the_limits_for_strangers(folder: Path) -> None:
    data = json.loads(shipped(folder.name).canonical())
    assert [*too_large(data)] == []
    # Three of each row would still fit.
    tripled = {key: value * 3 if isinstance(value, list) else value for key, value in data.items()}
    assert [*too_large(tripled)] == []
