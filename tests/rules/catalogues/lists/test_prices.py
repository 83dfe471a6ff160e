"""Prices are the promise: a gang of the imported game costs what the list costs.

Every game in every format is read and mapped, and lists are compared: those worked out by hand,
random ones, and random ones with one thing more or less. A difference must be in a note that names
something in the member that has it, and most lists must have none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import pytest

from rules.book.model import Book
from rules.catalogues.results import Answers, Imported
from tests.random_cases import SEED, cases, one_soon
from tests.rules.catalogues.lists.building import Game
from tests.rules.catalogues.lists.by_hand import lists
from tests.rules.catalogues.lists.compare import (
    Compared,
    book_of,
    compare,
    every_option,
    names_in,
    names_of,
    role_of,
    row_of,
)
from tests.rules.catalogues.lists.evaluator import Data, Evaluated, Pick
from tests.rules.catalogues.lists.games import GAMES, every_form, files_of
from tests.rules.catalogues.lists.random_lists import Drawing, recorded

reading = pytest.importorskip("rules.catalogues.reading")
mapping = pytest.importorskip("rules.catalogues.mapping")

FORMS = list(every_form())
# Random lists of each catalogue in the newest format, half of them spoilt; fewer in the others.
LISTS = cases(24, 2_500)
FEWER = max(24, LISTS // 10)
# The part of legal lists, in percent, that cost the same and are allowed. The others depend on
# numbers in the whole list, such as a discount from the fifth member, or on what somebody else has.
ENOUGH = {"lamplighters": 90, "smugglers": 55, "phalenes": 75, "kites": 100}
# The lists worked out by hand were chosen for such numbers.
ENOUGH_BY_HAND = 50


@cache
def data_of(key: str) -> Data:
    """Return the game as the evaluator reads it."""
    return Data.read(files_of(GAMES[key]))


def answers_of(game: Game, system: object) -> Answers:
    """Return the answers that the importer guesses, with those that the game is meant to have."""
    guessed: Answers = mapping.guess_answers(system)
    given = {
        "catalogues": tuple(data_of(game.key).playable),
        "money": game.money,
        "worth": game.worth,
        "member": game.member,
        "life": game.life,
        "roles": dict(game.roles),
    }
    return guessed.model_copy(update=given)


@cache
def import_game(key: str, form: str) -> tuple[Imported, Book, Answers]:
    """Read and map a game in one format."""
    game = GAMES[key]
    system = reading.read_files(files_of(game, form))
    answers = answers_of(game, system)
    imported = mapping.make_game(system, answers)
    return imported, book_of(imported), answers


def compare_all(
    key: str, form: str, catalogue: str, all_picks: Sequence[tuple[Pick, ...]], enough: int
) -> None:
    """Compare lists; fail with all that differ and are in no note, or if fewer than ``enough`` per
    cent of the legal ones are exact."""
    imported, book, answers = import_game(key, form)
    found = [
        (picks, compare(imported, book, answers, Evaluated(data_of(key), catalogue, picks)))
        for picks in all_picks
    ]
    wrong = [f"{_written(picks)}\n{_why(one)}" for picks, one in found if _is_wrong(one)]
    assert not wrong, f"{len(wrong)} of {len(found)} lists of {catalogue}\n" + "\n".join(wrong[:3])
    legal = [one for _picks, one in found if not one.broken]
    exact = sum(one.costs_the_same and not one.refused for one in legal)
    share = f"{exact} of {len(legal)} lists of {catalogue} cost the same and are allowed"
    assert exact * 100 >= enough * len(legal), share


def _is_wrong(one: Compared) -> bool:
    if one.has_another_way or (one.broken and one.refused):
        return False
    has_cost = one.costs_the_same or one.covers_costs
    return not (has_cost and (one.is_allowed_alike or one.covers_limits))


def _why(one: Compared) -> str:
    unequal = [share for share in one.shares if not share.is_equal]
    lines = [f"costs {one.price[0]}, not {one.price[1]}", *map(str, unequal)]
    lines += [f"breaks {one.broken}", f"refused {one.refused}", f"without a row {one.left}"]
    return "\n".join(lines)


def _written(picks: Sequence[Pick], depth: int = 0) -> str:
    lines = []
    for pick in picks:
        lines.append(f"{'  ' * depth}{pick.id} x{pick.count}")
        lines += [_written(pick.picks, depth + 1)] if pick.picks else []
    return "\n".join(lines)


def random_picks(key: str, catalogue: str, count: int) -> Iterator[tuple[Pick, ...]]:
    """Draw lists, every other one spoilt, without records of a campaign."""
    drawing = Drawing(data_of(key), catalogue, int(SEED), recorded(GAMES[key]))
    for number in range(count):
        yield drawing.draw_spoilt() if number % 2 else drawing.draw()


def _has_records(key: str, catalogue: str, picks: Sequence[Pick]) -> bool:
    found = Evaluated(data_of(key), catalogue, picks)
    return any(recorded(GAMES[key]) & one.option.ids for one in found.all)


@pytest.mark.parametrize(("key", "form"), FORMS)
def test_every_entry_has_a_row_a_note_or_a_role(key: str, form: str) -> None:
    imported, _book, answers = import_game(key, form)
    noted = names_in(imported)
    options = [
        one for catalogue in data_of(key).playable for one in every_option(data_of(key), catalogue)
    ]
    assert len(options) > 5
    forgotten = [
        one.id
        for one in options
        if row_of(imported, one) is None and not names_of(one) & noted and not role_of(answers, one)
    ]
    assert not forgotten


@pytest.mark.parametrize(("key", "form"), FORMS)
def test_lists_worked_out_by_hand_cost_the_same(key: str, form: str) -> None:
    for catalogue in data_of(key).playable:
        worked = [one.picks for one in lists() if one.of == catalogue]
        picks = [one for one in worked if not _has_records(key, catalogue, one)]
        assert picks
        compare_all(key, form, catalogue, picks, ENOUGH_BY_HAND)


@pytest.mark.random(cases=LISTS)
@pytest.mark.parametrize(("key", "form"), one_soon(FORMS))
def test_random_lists_cost_the_same_and_are_refused_alike(key: str, form: str) -> None:
    count = LISTS if form == GAMES[key].formats[0] else FEWER
    for catalogue in data_of(key).playable:
        compare_all(key, form, catalogue, list(random_picks(key, catalogue, count)), ENOUGH[key])
