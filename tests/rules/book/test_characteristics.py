"""Values of every kind of characteristic: reading, adding, bounds and comparisons."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.book.characteristics import (
    MOST_BOXES,
    Boxes,
    DicePool,
    DieSize,
    TwoNumbers,
    Value,
    add,
    ascending,
    best,
    clamp,
    difference,
    parse_value,
)
from rules.book.schema import Characteristic
from tests.rules.small import BOXES, measured, small, text

BOOK = small()
ROWS = BOOK.characteristic
MIGHT, AIM, QUALITY = ROWS["might"], ROWS["aim"], ROWS["quality"]
NERVE, AMMO, GRIT = ROWS["nerve"], ROWS["ammo"], ROWS["grit"]
KINDS = st.sampled_from(sorted(ROWS))
AMOUNTS = st.integers(-9, 9)


def falling() -> Characteristic:
    """A pair whose second number is never above its first."""
    row = measured("pair", "nerve", parts=[text("a"), text("b")], maximum=5, falling=True)
    return small(characteristics=[row], ranks=[]).characteristic["nerve"]


@st.composite
def values(draw: st.DrawFn, row: Characteristic) -> Value:
    """Any value that a rank could give this characteristic."""
    match row.kind:
        case "number":
            return draw(st.integers(-3, 12))
        case "pool":
            kept = draw(st.integers(1, 5))
            return DicePool(draw(st.integers(kept, 9)), kept)
        case "pair":
            return TwoNumbers(draw(st.integers(0, 9)), draw(st.integers(0, 9)))
        case "track":
            return Boxes(draw(st.text("WR", min_size=1, max_size=9)))
        case "die":
            return DieSize(draw(st.integers(0, len(row.sizes) - 1)), row.sizes)


# Reading


@pytest.mark.parametrize(
    ("row", "written", "value"),
    [
        (NERVE, "3/1", TwoNumbers(3, 1)),
        (NERVE, "0/0", TwoNumbers(0, 0)),
        (NERVE, "12/7", TwoNumbers(12, 7)),
        (AMMO, "WWR", Boxes("WWR")),
        (AMMO, "W" * MOST_BOXES, Boxes("W" * MOST_BOXES)),
        (GRIT, "d6", DieSize(0, ("d6", "d8", "d10"))),
        (GRIT, "d10", DieSize(2, ("d6", "d8", "d10"))),
    ],
)
def test_parse_value_reads_a_written_value(row: Characteristic, written: str, value: Value) -> None:
    assert parse_value(row, written) == value


@pytest.mark.parametrize(
    ("row", "written", "words"),
    [
        (NERVE, "3", "“3” is not a pair of numbers such as 3/1"),
        (NERVE, 3, "not a pair"),
        (NERVE, "3/", "not a pair"),
        (NERVE, "3/1/1", "not a pair"),
        (NERVE, "-3/1", "not a pair"),
        (NERVE, "300/1", "not a pair"),
        (AMMO, "", "“” must be a row of 1 to 30 boxes with the letters R, W"),
        (AMMO, "WWX", "“WWX” must be a row of 1 to 30 boxes with the letters R, W"),
        (AMMO, "wr", "must be a row of 1 to 30 boxes"),
        (AMMO, 3, "must be a row of 1 to 30 boxes"),
        (AMMO, "W" * (MOST_BOXES + 1), "must be a row of 1 to 30 boxes"),
        (GRIT, "d12", "“d12” is not a size of this die (known: d6, d8, d10)"),
        (GRIT, 6, "“6” is not a size"),
        (GRIT, "D6", "not a size"),
    ],
)
def test_parse_value_refuses_a_text_that_is_not_a_value(
    row: Characteristic, written: int | str, words: str
) -> None:
    with pytest.raises(ValueError) as caught:
        parse_value(row, written)
    assert words in str(caught.value)


@pytest.mark.parametrize("key", sorted(ROWS))
@given(data=st.data())
def test_a_written_value_parses_back_to_itself(key: str, data: st.DataObject) -> None:
    row = ROWS[key]
    value = data.draw(values(row))
    shown = str(value)
    if row.kind == "number":
        assert parse_value(row, int(shown)) == value
    else:
        assert parse_value(row, shown.lower() if row.kind == "die" else shown) == value


# Adding


@pytest.mark.parametrize(
    ("amount", "part", "after"),
    [
        (1, None, "4/2"),
        (1, "first", "4/1"),
        (1, "second", "3/2"),
        (-1, None, "2/0"),
        (-1, "first", "2/1"),
        (-2, "second", "3/-1"),
    ],
)
def test_add_changes_the_chosen_numbers_of_a_pair(amount: int, part: object, after: str) -> None:
    assert str(add(NERVE, parse_value(NERVE, "3/1"), amount, part)) == after  # type: ignore[arg-type]


def test_a_limit_bounds_each_number_of_a_pair() -> None:
    assert add(NERVE, TwoNumbers(3, 1), 3, None, 4) == TwoNumbers(4, 4)
    assert add(NERVE, TwoNumbers(5, 1), 3, None, 4) == TwoNumbers(5, 4), "a higher value stays"


@pytest.mark.parametrize(
    ("amount", "limit", "after"),
    [
        (1, None, "WWWR"),
        (3, None, "WWWWWR"),
        (3, 4, "WWWR"),
        (3, 2, "WWR"),
        (-1, None, "WR"),
        (-2, None, "R"),
        (-9, None, "R"),
        (-9, 2, "WR"),
    ],
)
def test_add_changes_boxes_at_the_start_of_a_track(
    amount: int, limit: int | None, after: str
) -> None:
    assert str(add(AMMO, Boxes("WWR"), amount, None, limit)) == after


@pytest.mark.parametrize(
    ("start", "amount", "limit", "after"),
    [
        ("d6", 1, None, "D8"),
        ("d6", 2, None, "D10"),
        ("d6", 2, 1, "D8"),
        ("d10", -1, None, "D8"),
        ("d10", -5, None, "D6"),
        ("d6", 5, None, "D10"),
    ],
)
def test_add_changes_a_die_by_whole_sizes(
    start: str, amount: int, limit: int | None, after: str
) -> None:
    assert str(add(GRIT, parse_value(GRIT, start), amount, None, limit)) == after


def test_clamp_brings_a_die_back_within_its_sizes() -> None:
    beyond = add(GRIT, parse_value(GRIT, "d10"), 2)
    assert isinstance(beyond, DieSize) and beyond.step == 4
    assert clamp(GRIT, beyond) == parse_value(GRIT, "d10")
    assert difference(parse_value(GRIT, "d10"), beyond) == 2


@pytest.mark.parametrize(
    ("value", "amount", "limit", "after"),
    [
        (5, 2, 6, 6),
        (5, 1, 6, 6),
        (7, 1, 6, 7),
        (5, -2, 4, 4),
        (3, -1, 4, 3),
        (5, 0, 2, 5),
        (5, 2, None, 7),
    ],
)
def test_add_stops_at_its_limit(value: int, amount: int, limit: int | None, after: int) -> None:
    assert add(MIGHT, value, amount, None, limit) == after


def test_add_stops_at_its_limit_when_the_value_is_a_pool() -> None:
    assert add(QUALITY, DicePool(3, 2), 3, None, 4) == DicePool(4, 2)
    assert add(QUALITY, DicePool(3, 2), -3, None, 3) == DicePool(3, 2)


@given(value=st.integers(-20, 20), amount=AMOUNTS, limit=st.integers(-20, 20))
def test_a_limit_never_moves_a_value_back_or_further(value: int, amount: int, limit: int) -> None:
    after = add(MIGHT, value, amount, None, limit)
    free = add(MIGHT, value, amount)
    assert isinstance(after, int) and isinstance(free, int)
    assert min(value, free) <= after <= max(value, free)
    if amount > 0:
        assert after == free or after == max(value, limit)
    elif amount < 0:
        assert after == free or after == min(value, limit)


@given(data=st.data(), key=KINDS, amount=st.integers(0, 9), part=st.sampled_from(["first", None]))
def test_difference_returns_the_added_amount(
    data: st.DataObject, key: str, amount: int, part: str | None
) -> None:
    row = ROWS[key]
    value = data.draw(values(row))
    after = add(row, value, amount, part)  # type: ignore[arg-type]
    both = 2 if row.kind == "pair" and part is None else 1
    assert difference(value, after) == both * amount
    assert difference(after, value) == -both * amount


@given(data=st.data(), key=KINDS, amount=AMOUNTS)
def test_operations_keep_the_kind_of_a_value(data: st.DataObject, key: str, amount: int) -> None:
    row = ROWS[key]
    value = data.draw(values(row))
    for after in (add(row, value, amount), clamp(row, value), best(row, value, value)):
        assert type(after) is type(value)
        assert str(after)


# Bounds


@pytest.mark.parametrize(
    ("value", "held"),
    [
        (TwoNumbers(6, 1), TwoNumbers(5, 1)),
        (TwoNumbers(-1, -1), TwoNumbers(0, 0)),
        (TwoNumbers(2, 9), TwoNumbers(2, 5)),
        (TwoNumbers(3, 1), TwoNumbers(3, 1)),
    ],
)
def test_clamp_bounds_each_number_of_a_pair(value: TwoNumbers, held: TwoNumbers) -> None:
    assert clamp(NERVE, value) == held


def test_the_second_of_a_falling_pair_is_never_above_the_first() -> None:
    row = falling()
    assert clamp(row, TwoNumbers(2, 4)) == TwoNumbers(2, 2)
    assert clamp(row, TwoNumbers(-2, 4)) == TwoNumbers(0, 0)
    assert clamp(NERVE, TwoNumbers(2, 4)) == TwoNumbers(2, 4), "other pairs may rise"


@given(data=st.data(), key=KINDS, suffering=st.booleans())
def test_clamp_keeps_a_value_within_bounds(data: st.DataObject, key: str, suffering: bool) -> None:
    row = ROWS[key]
    held = clamp(row, data.draw(values(row)), suffering=suffering)
    assert clamp(row, held, suffering=suffering) == held


# The better of two


@pytest.mark.parametrize(
    ("row", "one", "other", "better"),
    [
        (MIGHT, 3, 5, 5),
        (AIM, 3, 5, 3),
        (NERVE, TwoNumbers(3, 1), TwoNumbers(2, 2), TwoNumbers(3, 2)),
        (QUALITY, DicePool(4, 2), DicePool(3, 2), DicePool(4, 2)),
        (QUALITY, DicePool(5, 2), DicePool(3, 3), DicePool(3, 3)),
        (AMMO, Boxes("WWR"), Boxes("RRRR"), Boxes("RRRR")),
        (GRIT, DieSize(0, ("d6", "d8")), DieSize(1, ("d6", "d8")), DieSize(1, ("d6", "d8"))),
    ],
)
def test_best_returns_the_better_value(
    row: Characteristic, one: Value, other: Value, better: Value
) -> None:
    assert best(row, one, other) == best(row, other, one) == better


@given(data=st.data(), key=KINDS)
def test_best_is_never_worse_than_either_value(data: st.DataObject, key: str) -> None:
    row = ROWS[key]
    one, other = data.draw(values(row)), data.draw(values(row))
    better = best(row, one, other)
    assert best(row, better, one) == better
    assert best(row, better, other) == better


@pytest.mark.parametrize("compare", [lambda a, b: best(MIGHT, a, b), difference])
def test_comparing_values_of_two_kinds_raises_a_type_error(compare: object) -> None:
    with pytest.raises(TypeError, match="differ in kind"):
        compare(3, Boxes("WW"))  # type: ignore[operator]


# Sizes of a die


@pytest.mark.parametrize(
    ("sizes", "fine"),
    [
        (("d6", "d8", "d10"), True),
        (("d4", "d20"), True),
        (("d8", "d6"), False),
        (("d6", "d6"), False),
        (("d6", "big"), False),
        (("6", "8"), False),
    ],
)
def test_ascending_accepts_only_dice_in_order(sizes: tuple[str, ...], fine: bool) -> None:
    assert ascending(sizes) is fine


def test_a_track_has_the_boxes_of_its_rulebook() -> None:
    assert AMMO.kind == "track"
    assert [(box.letter, box.marked) for box in AMMO.boxes] == [("W", False), ("R", True)]
    assert len(BOXES) == len(AMMO.boxes)
