"""Powers: traits with values, learned and raised one by one, in the tests' own game."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import pytest

from campaigns.engine.report import Answers, Report
from campaigns.engine.script import play
from common.errors import Refusal
from gangs.cards.render import render_member
from gangs.engine import actions, offers
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.fold import fold
from gangs.engine.roster import Roster
from rules.book.model import Book
from rules.book.vocabulary import AddValue
from rules.engine.situations import Side
from rules.odds.chances import Question, find_carried, uses
from rules.reference_pages.words import BookWording
from tests.world.campaigns import make_situation

VERA, OTTO, BRACK = 2, 3, 4
FOUNDED: tuple[Entry, ...] = (
    kinds.Founded(name="The Ninth", settings={}),
    kinds.Recruited(rank="caller", name="Vera"),
    kinds.Recruited(rank="medium", name="Otto"),
    kinds.Recruited(rank="hound", name="Brack"),
    kinds.ProfessionChosen(member=OTTO, profession="seer"),
)


@pytest.fixture
def ninth(circle: Book) -> Roster:
    """Return a circle of a caller, a seer and a hound."""
    return fold(circle, enumerate(FOUNDED, start=1))


def learn(book: Book, roster: Roster, member: int, *traits: str) -> Roster:
    """Buy traits, one after the other."""
    for number, trait in enumerate(traits, start=50):
        bought = actions.take_trait(ComputedGang.of(book, roster), member, trait)
        roster = fold(book, [(number, one) for one in bought], roster)
    return roster


def values(book: Book, roster: Roster, member: int) -> dict[str, int]:
    return ComputedGang.of(book, roster).profiles[member].values


@pytest.mark.parametrize(
    ("member", "learned", "expected"),
    [
        (VERA, ["mist"], {"mist": 1}),
        (VERA, ["mist", "mist", "mist"], {"mist": 3}),
        (VERA, ["knocking", "mist", "knocking"], {"knocking": 4, "mist": 1}),
        (OTTO, ["mist", "knocking", "knocking"], {"mist": 2, "knocking": 5}),
        (BRACK, [], {}),
    ],
)
def test_a_power_is_learned_and_raised(
    circle: Book, ninth: Roster, member: int, learned: Iterable[str], expected: dict[str, int]
) -> None:
    assert values(circle, learn(circle, ninth, member, *learned), member) == expected


def test_a_profession_changes_the_power_that_it_names(circle: Book, ninth: Roster) -> None:
    listener = kinds.ProfessionChosen(member=OTTO, profession="listener")
    roster = learn(circle, fold(circle, [(40, listener)], ninth), OTTO, "mist", "knocking")
    assert values(circle, roster, OTTO) == {"mist": 1, "knocking": 4}


def test_a_power_is_raised_only_so_often(circle: Book, ninth: Roster) -> None:
    roster = learn(circle, ninth, VERA, "knocking", "knocking")
    with pytest.raises(Refusal) as caught:
        learn(circle, roster, VERA, "knocking")
    assert (caught.value.code, caught.value.values) == ("has_it_often", {"maximum": 2})


def test_each_raise_is_paid(circle: Book, ninth: Roster) -> None:
    roster = learn(circle, ninth, VERA, "mist", "mist")
    # 60 candles; a caller 15, a medium 9, a hound 4, twice the mist at 4.
    assert ComputedGang.of(circle, roster).left == 24


def question(book: Book, roster: Roster, member: int, item: str) -> Question:
    figure = roster.figure(book, roster.member(member))
    return Question(book.usual, book.roll["call"], Side(figure, item))


def test_a_roll_reads_the_value_of_the_power_in_use(circle: Book, ninth: Roster) -> None:
    roster = learn(circle, ninth, VERA, "mist", "mist", "knocking")
    mist, knocking = (question(circle, roster, VERA, key) for key in ("mist", "knocking"))
    # Will 4 and a value of 2: the mist comes on 6 or more, the knocking on 3 or more.
    assert mist.odds.outcomes["comes"] == Fraction(15, 20)
    assert knocking.odds.outcomes["comes"] == Fraction(18, 20)
    assert mist.names["by.power:knocking"] == 2


def test_a_roll_can_use_the_powers_of_the_figure_only(circle: Book, ninth: Roster) -> None:
    roster = learn(circle, ninth, VERA, "mist")
    figure = roster.figure(circle, roster.member(VERA))
    carried = find_carried(circle.usual, figure)
    assert carried == ("hands", "mist")
    found = uses(Question(circle.usual, circle.roll["call"], Side(figure)), carried)
    assert [key.partition(":")[0] for key in map(str, found)] == ["mist"]


def test_nobody_buys_the_item_of_a_power(circle: Book, ninth: Roster) -> None:
    computed = ComputedGang.of(circle, ninth)
    for member in (None, ninth.member(VERA)):
        assert {offer.row.key for offer in offers.items(computed, member)} == {
            "bell",
            "clapper",
            "incense",
            "ward",
            "planchette",
        }


def test_a_card_lists_powers_in_columns(circle: Book, ninth: Roster) -> None:
    roster = learn(circle, ninth, VERA, "mist", "mist")
    card = render_member(ComputedGang.of(circle, roster), roster.member(VERA), "en")
    assert [line.name for line in card.traits] == ["Call the mist 2"]
    assert [(line.name, line.cells) for line in card.powers] == [
        ("Mist 2", (("Target", "12"), ("Reach", "12″")))
    ]
    assert card.usable == card.powers


def test_an_advance_raises_a_power(circle: Book, ninth: Roster) -> None:
    roster = learn(circle, ninth, VERA, "mist", "knocking", "knocking")
    for number in range(4):
        report = Report(fielded=(VERA, BRACK))
        game = make_situation(roster, "won", "winner", report=report)
        answers = Answers(
            choices={f"insights:{VERA}:0:{have}": "mist" for have in (0, 1)}, done=("seats",)
        )
        found = play(circle, roster, 100 + 20 * number, game, answers)
        assert found.complete
        roster = found.roster
    # Four lessons are two advances; the hound learns nothing.
    assert roster.member(VERA).advances == 2
    assert values(circle, roster, VERA) == {"mist": 3, "knocking": 4}
    # 60 - 28 - 4 - 3 - 3 left at the founding, and 8 for each of four victories.
    assert roster.treasury == 54


def test_the_rules_describe_changes_of_powers(circle: Book) -> None:
    words = BookWording(circle, "en")
    listener, seer = circle.professions
    assert words.effects(listener.effects) == ("Call the knocking +2",)
    assert words.effects(seer.effects) == ("Call the mist, Call the knocking +1",)


def test_a_holding_strengthens_the_powers_of_those_it_is_for(circle: Book, ninth: Roster) -> None:
    stronger = AddValue(kind="value", amount=2, traits=("mist",))
    house = circle.holding["house"].model_copy(update={"effects": (stronger,)})
    book = circle.changed(holdings=(house,))
    roster = learn(book, learn(book, ninth, VERA, "mist"), OTTO, "mist")
    held = fold(book, [(90, kinds.HoldingGained(holding="house"))], roster)
    # The house is for callers; Otto is a seer.
    assert [values(book, held, member)["mist"] for member in (VERA, OTTO)] == [3, 2]
