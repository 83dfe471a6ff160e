"""Names that expressions read from figures: every kind of characteristic, questions, states."""

from typing import Any

import pytest

from rules.book.characteristics import Boxes, DicePool, DieSize, TwoNumbers, Value
from rules.book.model import Book
from rules.engine.situations import (
    TABLE_NAMES,
    Side,
    Situation,
    known_names,
    names_in,
    score_names,
)
from tests.rules.small import add, choice, figure, row, text, told, with_more


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (4, {"by.x": 4}),
        (DicePool(3, 2), {"by.x.rolled": 3, "by.x.kept": 2}),
        (TwoNumbers(3, 1), {"by.x.first": 3, "by.x.second": 1}),
        (Boxes("WWR"), {"by.x": 3, "by.x.w": 2, "by.x.r": 1}),
    ],
)
def test_score_names_cover_every_kind_of_value(value: Value, names: dict[str, int]) -> None:
    assert score_names("by.x", value) == names


def test_score_names_of_a_die_are_its_sides_and_step() -> None:
    sizes = ("d6", "d8", "d10")
    found = [score_names("by.x", DieSize(step, sizes)) for step in (0, 2)]
    assert found == [{"by.x.step": 1, "by.x.sides": 6}, {"by.x.step": 3, "by.x.sides": 10}]


@pytest.fixture(scope="module")
def book() -> Book:
    """The small rulebook with states and circumstances."""
    return with_more(
        states=[row("down", effects=[add("might", -2)]), row("calm")],
        circumstances=[
            row("fog"),
            row(
                "light",
                kind="choice",
                choices=[{"key": key, "name": text(key)} for key in ("day", "night")],
            ),
            row("near", kind="number", maximum=9, start=2),
            row("rain", when={"people": ["river"]}),
        ],
        rolls=[
            {
                **row("trial"),
                "steps": [{"let": "n", "be": "fog + near + rain + (light == 'day')"}],
                "numbers": [{"of": "n", "name": text("n")}],
            }
        ],
    )


def names(book: Book, *states: str, **fields: Any) -> dict[str, object]:
    side = Side(figure(fields.pop("rank", "fighter"), **fields), states=states)
    return dict(names_in(book.usual, Situation(by=side)))


def test_names_answer_every_question_about_a_figure(book: Book) -> None:
    found = names(
        book,
        "calm",
        rank="chief",
        traits=("quick",),
        profession="smith",
        origin="hill",
        conditions=("lame",),
        items=("sword", "sword", "rope"),
    )
    assert {name: value for name, value in found.items() if ":" in name} == {
        "by.has_trait:quick": 1,
        "by.has_profession:smith": 1,
        "by.has_origin:hill": 1,
        "by.has_condition:lame": 1,
        "by.is_rank:chief": 1,
        "by.leads:": 1,
        "by.in_state:calm": 1,
        "by.carries:sword": 2,
        "by.carries:rope": 1,
        "by.carries_group:arms": 2,
        "by.carries_group:goods": 1,
        "by.carries_tagged:blade": 2,
    }


def test_names_give_the_numbers_of_a_figure(book: Book) -> None:
    found = names(book, rank="chief", experience=7)
    assert (found["by.might"], found["by.rank"], found["by.experience"]) == (5, 1, 7)
    assert (found["by.ammo"], found["by.ammo.w"], found["by.ammo.r"]) == (3, 2, 1)
    assert (found["by.grit.sides"], found["by.grit.step"]) == (10, 3)
    assert set(known_names(book, "by")) == {name for name in found if _of_figure(name)}


def _of_figure(name: str) -> bool:
    return name.startswith("by.") and ":" not in name


def test_states_change_the_numbers_of_a_figure(book: Book) -> None:
    assert names(book)["by.might"] == 3
    assert names(book, "down")["by.might"] == 1


def test_circumstances_have_their_defaults_unless_given(book: Book) -> None:
    usual = names_in(book.usual, Situation())
    assert usual == {**TABLE_NAMES, "fog": 0, "light": "day", "near": 2}
    said = Situation(circumstances={"fog": 1, "light": "night", "table.turn": 4})
    found = names_in(book.under({**book.default_settings(), "people": "river"}), said)
    changed = {"fog": 1, "light": "night", "near": 2, "rain": 0, "table.turn": 4}
    assert found == {**TABLE_NAMES, **changed}


def test_life_is_the_remaining_or_the_full_value(book: Book) -> None:
    alive = book.changed(life="might")
    for life, left in ((None, 3), (1, 1), (0, 0)):
        side = Side(figure(), life=life)
        assert names_in(alive.under({}), Situation(at=side))["at.life"] == left


def test_the_weapon_of_each_side_uses_the_numbers_of_its_bearer() -> None:
    columns = [{"key": "hit", "name": text("H"), "kind": "number", "names": {"M": "by.might"}}]
    book = with_more(
        groups=row("guns", columns=columns),
        items=row("club", group="guns", price=1, columns={"hit": "M+1"}),
        traits=told("huge", effects=[add("might", 2)]),
        settings=choice("luck", "plain", "kind"),
    )
    by, at = Side(figure("chief"), "club"), Side(figure(traits=("huge",)), "club")
    found = names_in(book.usual, Situation(by, at))
    assert (found["item.hit"], found["at_item.hit"]) == (6, 6)
    found = names_in(book.usual, Situation(Side(figure(), "club"), at))
    assert (found["item.hit"], found["at_item.hit"]) == (4, 6)
