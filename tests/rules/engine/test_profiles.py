"""Profiles, and the causes of each value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.wording.sentences import words_of
from rules.book.characteristics import DicePool, add, clamp, difference, parse_value
from rules.book.model import Book
from rules.engine.figure import Figure
from rules.engine.profiles import excess_level, level_allowance, points_allowed, profile

ATTRIBUTES = ("str", "qui", "sta", "int", "rc", "mc")


def _figure(rank: str = "henchman", **others: object) -> Figure:
    return Figure(rank=rank, worth_rank=rank, **others)  # type: ignore[arg-type]


def test_every_change_has_a_cause(blackwater: Book) -> None:
    figure = _figure(
        "professional",
        profession="prospector",
        first=True,
        points={"sta": 4},
        conditions=("weak_sta",),
    )
    scores = profile(blackwater.usual, figure).scores
    sta = scores["sta"]
    assert (sta.base, sta.natural, sta.value) == (1, 6, 5)
    assert [(words_of(change.cause, "en"), change.amount) for change in sta.changes] == [
        ("Prospector", 1),
        ("points spread", 4),
        ("Stamina -1", -1),
    ]
    assert [(words_of(change.cause, "en"), change.amount) for change in scores["hp"].changes] == [
        ("Really Tough", 1)
    ]


def test_conditions_remove_no_trait(blackwater: Book) -> None:
    figure = _figure(points={"str": 3}, conditions=("weak_str",))
    known = profile(blackwater.usual, figure)
    assert known.number("str") == 3
    assert known.natural("str") == 4
    assert [trait.key for trait in known.gained] == ["brute_strength"]


def test_a_natural_value_can_exceed_its_bounds(blackwater: Book) -> None:
    """Limits check the natural value; the table uses the value within its bounds."""
    known = profile(blackwater.usual, _figure(points={"rc": 9}))
    assert (known.natural("rc"), known.number("rc")) == (10, 6)
    known = profile(blackwater.usual, _figure(points={"rc": -3}))
    assert (known.natural("rc"), known.number("rc")) == (-2, 1)


def test_a_repeated_condition_stops_at_the_lowest_value(blackwater: Book) -> None:
    figure = _figure(points={"rc": 1}, conditions=("weak_rc",) * 5)
    score = profile(blackwater.usual, figure).scores["rc"]
    assert score.value == 0
    assert sum(change.amount for change in score.changes) == 0 - 1
    without = blackwater.characteristic["hp"]
    assert clamp(without, -4, suffering=True) == 0


def test_number_raises_a_type_error_for_a_pool(du_sang: Book) -> None:
    known = profile(du_sang.usual, _figure("leader"))
    with pytest.raises(TypeError):
        known.number("quality")
    with pytest.raises(TypeError):
        known.natural("quality")


def test_a_profile_lists_the_dice_that_a_trait_adds(du_sang: Book) -> None:
    figure = _figure("second", traits=("weapon-master", "mounted"))
    scores = profile(du_sang.usual, figure).scores
    assert [(words_of(change.cause, "fr"), change.amount) for change in scores["duel"].changes] == [
        ("Maître d’arme", 1)
    ]
    assert [(words_of(change.cause, "en"), change.amount) for change in scores["move"].changes] == [
        ("Mounted", 2)
    ]


def test_a_profile_ignores_rows_that_the_book_lacks(blackwater: Book) -> None:
    figure = _figure(profession="poet", traits=("bald",), points={"wit": 3}, conditions=("love",))
    known = profile(blackwater.usual, figure)
    assert {known.number(key) for key in ATTRIBUTES} == {1}
    assert level_allowance(blackwater, figure, known) == 0


def test_points_allowed_is_zero_when_a_game_has_no_growth(du_sang: Book) -> None:
    assert points_allowed(du_sang, _figure("leader", experience=50)) == 0


def test_items_without_a_level_exceed_no_allowance(du_sang: Book) -> None:
    figure = _figure("henchman")
    known = profile(du_sang.usual, figure)
    assert all(not excess_level(du_sang, figure, known, item) for item in du_sang.items)


@given(
    st.dictionaries(st.sampled_from(ATTRIBUTES), st.integers(-3, 9)),
    st.lists(st.sampled_from([f"weak_{key}" for key in ATTRIBUTES]), max_size=4),
    st.sampled_from(["leader", "professional", "henchman"]),
)
def test_changes_add_up_to_the_value_within_bounds(
    blackwater: Book, points: dict[str, int], conditions: list[str], rank: str
) -> None:
    """Base plus changes is the value, unless the bounds limited it."""
    figure = _figure(rank, points=points, conditions=tuple(conditions))
    for key, score in profile(blackwater.usual, figure).scores.items():
        assert isinstance(score.base, int) and isinstance(score.natural, int)
        assert isinstance(score.value, int)
        row = score.characteristic
        assert row.kind == "number"
        lowest = row.minimum if row.worst is None else row.worst
        assert lowest <= score.value <= row.maximum
        total = score.base + sum(change.amount for change in score.changes)
        if row.minimum <= score.natural <= row.maximum:
            assert total == score.value, key


def test_parse_value_reads_pools_and_numbers(du_sang: Book, blackwater: Book) -> None:
    quality, hp = du_sang.characteristic["quality"], blackwater.characteristic["hp"]
    assert parse_value(quality, "4k2") == DicePool(4, 2)
    assert str(DicePool(4, 2)) == "4k2"
    assert parse_value(hp, 3) == 3
    for wrong in ("2k3", "0k0", "4", "4d2", "", 4):
        with pytest.raises(ValueError, match="not a pool of dice"):
            parse_value(quality, wrong)
    with pytest.raises(ValueError, match="not a whole number"):
        parse_value(hp, "three")


def test_add_changes_the_dice_of_a_pool(du_sang: Book, blackwater: Book) -> None:
    quality, hp = du_sang.characteristic["quality"], blackwater.characteristic["hp"]
    assert add(quality, DicePool(3, 2), 1) == DicePool(4, 2)
    assert add(quality, DicePool(3, 2), -5) == DicePool(2, 2), "never fewer dice than are kept"
    assert add(hp, 4, -1) == 3
    assert difference(DicePool(2, 2), DicePool(4, 2)) == 2
    assert difference(4, 1) == -3


def test_clamp_leaves_a_pool_unchanged(du_sang: Book) -> None:
    assert clamp(du_sang.characteristic["quality"], DicePool(9, 2)) == DicePool(9, 2)


def test_a_typed_value_replaces_a_characteristic_within_its_bounds(blackwater: Book) -> None:
    settings = blackwater.default_settings()
    known = profile(blackwater.under(settings), _figure(points={"rc": 2}, told={"rc": 5, "dp": 2}))
    assert (known.number("rc"), known.natural("rc"), known.number("dp")) == (5, 5, 2)
    assert known.number("str") == profile(blackwater.under(settings), _figure()).number("str")
    assert profile(blackwater.under(settings), _figure(told={"rc": 99})).number("rc") == 6
    assert profile(blackwater.under(settings), _figure(told={"nothing": 1})) == profile(
        blackwater.under(settings), _figure()
    )
    with pytest.raises(ValueError, match="“much” is not a whole number"):
        profile(blackwater.under(settings), _figure(told={"rc": "much"}))
