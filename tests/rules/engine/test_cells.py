"""Typed cells, computed for the bearer of the item."""

import pytest

from rules.book.schema import Column, Mode
from rules.engine.cells import BadCell, Cell, Worked, item_names, read_cell, work_out
from rules.engine.expressions import Unknown
from tests.rules.small import row, text, with_more

STRENGTH = Column.model_validate(
    {
        "key": "strength",
        "name": text("Strength"),
        "kind": "number",
        "names": {"M": "by.might", "as bearer": "by.might - 1"},
    }
)


@pytest.mark.parametrize(
    ("written", "cell"),
    [
        ("3", Cell(3)),
        ("+3", Cell(3)),
        ("-2", Cell(-2)),
        ("4+", Cell(4)),
        ('24"', Cell(24)),
        ("M+1", Cell(1, ((1, "M"),))),
        ("2 - M", Cell(2, ((-1, "M"),))),
        ('Str+1D6"', Cell(0, ((1, "Str"),), 1, 6)),
        ("2d10 + 4", Cell(4, (), 2, 10)),
        ("D6", Cell(0, (), 1, 6)),
        ("Pers.", Cell(0, ((1, "Pers."),))),
        ("-", None),
        ("–", None),
        ("", None),
        (' " ', None),
    ],
)
def test_read_cell_reads_a_sum_of_numbers_words_and_dice(written: str, cell: Cell | None) -> None:
    assert read_cell(written) == cell


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("3 4", "“3 4” must be a sum of numbers, names and dice, such as M+1D6"),
        ("2/4", "“2/4” must be a sum of numbers, names and dice, such as M+1D6"),
        ("1D6+1D8", "“1D6+1D8” may add only one kind of dice, and cannot subtract dice"),
        ("3-1D6", "“3-1D6” may add only one kind of dice, and cannot subtract dice"),
        ("+", "“+” must be a sum of numbers, names and dice, such as M+1D6"),
        ("1234", "“1234” must be a sum of numbers, names and dice, such as M+1D6"),
    ],
)
def test_read_cell_refuses_a_text_that_is_not_a_cell(written: str, words: str) -> None:
    with pytest.raises(BadCell) as refused:
        read_cell(written)
    assert str(refused.value) == words


def test_words_in_a_cell_have_the_value_of_their_column() -> None:
    names = {"by.might": 6}
    assert work_out(STRENGTH, "M+1", names) == Worked(7)
    assert work_out(STRENGTH, "as bearer", names) == Worked(5)
    assert work_out(STRENGTH, "3+2D6", names) == Worked(3, 2, 6)
    assert work_out(STRENGTH, "-", names) is None
    with pytest.raises(BadCell, match="unknown name “X” in this column"):
        work_out(STRENGTH, "X+1", names)
    with pytest.raises(Unknown, match=r"by\.might"):
        work_out(STRENGTH, "M", {})


def test_work_out_reads_dice_and_ticks() -> None:
    die = STRENGTH.model_copy(update={"kind": "die", "names": {}})
    assert [work_out(die, text, {}) for text in ("D8", "1d10", "-")] == [
        Worked(8),
        Worked(10),
        None,
    ]
    with pytest.raises(BadCell, match="“8” is not a die: write D8, for example"):
        work_out(die, "8", {})
    tick = STRENGTH.model_copy(update={"kind": "tick", "names": {}})
    assert [work_out(tick, text, {}) for text in ("x", "-")] == [Worked(1), None]


COLUMNS = [
    {"key": "strength", "name": text("S"), "kind": "number", "names": {"M": "by.might"}},
    {"key": "far-range", "name": text("R"), "kind": "length"},
    {"key": "size", "name": text("D"), "kind": "die"},
    {"key": "loud", "name": text("L"), "kind": "tick"},
]
CELLS = {"strength": "M+1", "far-range": '12+2D6"', "size": "D10", "loud": "x"}
THROWN = {"key": "thrown", "name": text("Thrown"), "columns": {"strength": "2"}, "tags": ["air"]}


def test_item_names_cover_everything_a_roll_can_read() -> None:
    book = with_more(
        groups=row("guns", columns=COLUMNS),
        items=row(
            "gun",
            group="guns",
            price=1,
            level=3,
            hands=2,
            tags=["hot"],
            columns=CELLS,
            modes=[THROWN],
        ),
    )
    item = book.item["gun"]
    assert item_names(book, item, None, {"by.might": 4}) == {
        "item.level": 3,
        "item.hands": 2,
        "item.is_item:gun": 1,
        "item.in_group:guns": 1,
        "item.tagged:hot": 1,
        "item.strength": 5,
        "item.strength.dice": 0,
        "item.strength.sides": 1,
        "item.far_range": 12,
        "item.far_range.dice": 2,
        "item.far_range.sides": 6,
        "item.size": 10,
        "item.loud": 1,
    }
    mode = item.modes[0]
    assert isinstance(mode, Mode)
    thrown = item_names(book, item, mode, {"by.might": 4}, "at_item")
    assert (thrown["at_item.strength"], thrown["at_item.in_mode:thrown"]) == (2, 1)
    assert {"at_item.tagged:air"} == {name for name in thrown if ".tagged:" in name}
