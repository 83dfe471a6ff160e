"""Hands of dice as players type them: they choose which dice to keep."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from django.http import QueryDict
from django.template.loader import render_to_string

from campaigns.table.attempts.attempt import Attempt
from campaigns.table.attempts.dice_lines import DiceWords
from campaigns.table.attempts.roll import keep_dice, play_faces, replay
from campaigns.table.attempts.text import TypedDice, type_dice
from campaigns.table.people import Names
from rules.book.model import Book
from rules.engine.playing import Played
from rules.odds.chances import Question
from tests.world.attempts import Bout, figure, table

# A pair of kings: the application proposes to keep it.
HAND = "K K 9 J Q"


@pytest.fixture
def guts(zombstone: Book) -> tuple[Attempt, Question]:
    star = figure("vedette")
    bout = Bout(table(zombstone, [star], [figure("figurant")]))
    made = bout.attempt("guts", "1.1")
    return made, made.question(bout.start, bout.now)


def send(asked: Question, typed: TypedDice | None = None, **data: object) -> TypedDice | Played:
    """Send the form of the last page with this input."""
    if typed is not None:
        data |= {"lain": typed.lain, "decided": typed.decided}
        data |= {"choosing": 1} if typed.choice else {}
    query = QueryDict(urlencode(data, doseq=True))
    words = DiceWords(asked, Names(asked.book, {}, {}, {}), Attempt("1.1"))
    return type_dice(
        query,
        words,
        lambda faces, kept, watch: play_faces(asked, faces, kept=kept, asks=True, watch=watch),
    )


def asked_for(found: TypedDice | Played) -> TypedDice:
    assert isinstance(found, TypedDice)
    return found


def choice_of(typed: TypedDice) -> list[tuple[str, bool]]:
    assert typed.choice is not None
    return [(sign, is_kept) for _place, sign, is_kept in typed.choice.dice]


def test_player_chooses_dice_to_keep_with_the_proposal_ticked(
    guts: tuple[Attempt, Question],
) -> None:
    made, asked = guts
    first = asked_for(send(asked))
    choice = asked_for(send(asked, first, dice=HAND))
    assert choice_of(choice) == [
        ("K", True), ("K", True), ("9", False), ("J", False), ("Q", False)
    ]  # fmt: skip
    # Keep K, J and Q instead.
    played = send(asked, choice, keep=[0, 3, 4], dice="J Q")
    assert isinstance(played, Played)
    assert played.names["nerve.rank"] == 2 and played.outcome == "holds"
    # The log keeps the choice, and gives the same result.
    rolled = keep_dice(made, played, thrown=False, is_open=False)
    assert len(rolled.kept) == len(played.choices) and rolled.faces[1] == (3, 4)
    assert replay(asked, rolled).outcome == "holds"


def test_proposed_choice_is_not_logged(guts: tuple[Attempt, Question]) -> None:
    made, asked = guts
    choice = asked_for(send(asked, asked_for(send(asked)), dice=HAND))
    played = send(asked, choice, keep=[0, 1], dice="9 9 A")
    assert isinstance(played, Played) and played.outcome == "holds"
    rolled = keep_dice(made, played, thrown=False, is_open=False)
    assert rolled.kept == () and replay(asked, rolled).throws == played.throws


def test_all_dice_can_be_kept(guts: tuple[Attempt, Question]) -> None:
    _made, asked = guts
    choice = asked_for(send(asked, asked_for(send(asked)), dice=HAND))
    played = send(asked, choice, keep=range(5))
    assert isinstance(played, Played) and played.outcome == "runs"


def test_impossible_place_of_a_kept_die_counts_for_nothing(guts: tuple[Attempt, Question]) -> None:
    _made, asked = guts
    choice = asked_for(send(asked, asked_for(send(asked)), dice=HAND))
    played = send(asked, choice, keep=[*range(5), "9" * 5000])
    assert isinstance(played, Played) and played.outcome == "runs"


def test_dice_thrown_again_one_by_one_are_chosen_one_by_one(zombstone: Book) -> None:
    star = figure("vedette")
    bout = Bout(table(zombstone, [star], [figure("figurant")], rerolls="several"))
    asked = bout.attempt("guts", "1.1").question(bout.start, bout.now)
    choice = asked_for(send(asked, asked_for(send(asked)), dice=HAND))
    assert choice.choice is not None and choice.choice.most == 1
    second = asked_for(send(asked, choice, keep=[0, 1, 3, 4], dice="A"))
    assert [sign for sign, _is_kept in choice_of(second)] == ["K", "K", "J", "Q", "A"]
    # A player who keeps all of them throws no more.
    played = send(asked, second, keep=range(5))
    assert isinstance(played, Played) and played.outcome == "runs"


@pytest.mark.parametrize(
    ("keep", "dice", "too_few"),
    [([0, 1], "9 9", False), ([0], "9 9 9 9", True), ([0, 1], "", False)],
)
def test_wrong_choice_is_asked_for_again(
    guts: tuple[Attempt, Question], keep: list[int], dice: str, too_few: bool
) -> None:
    _made, asked = guts
    choice = asked_for(send(asked, asked_for(send(asked)), dice=HAND))
    again = asked_for(send(asked, choice, keep=keep, dice=dice))
    assert [is_kept for _sign, is_kept in choice_of(again)] == [place in keep for place in range(5)]
    assert (again.lain, again.decided) == (choice.lain, choice.decided)
    assert again.choice is not None
    assert (again.choice.too_few, bool(again.wrong)) == (too_few, not too_few)
    assert [box.value for box in again.boxes if box.value] == dice.split()[: again.choice.most]
    page = render_to_string("campaigns/table/attempts/_typed_dice.html", {"typed": again})
    assert page.count('name="keep"') == 5 and page.count(" checked") == len(keep)
    assert 'role="alert"' in page
