"""Spends on a roll change its odds, each in one round of a loop; dice never change hands."""

from collections import defaultdict
from fractions import Fraction
from functools import partial
from random import Random

import pytest

from rules.book.model import Book
from rules.engine.compiling import Ready, ready
from rules.engine.odds import odds
from rules.engine.playing import Path, Played, Thrown, Wanted, find_slot, play, retell, tell
from tests.rules.proofs.ways import every_way
from tests.rules.small import Data, row, small

HIT = {"key": "hit", "name": {"en": "Hit", "fr": "Touché"}, "given": "hits"}
MISSED = {"key": "missed", "name": {"en": "Missed", "fr": "Manqué"}}
ROLLS: Data = {
    "rolls": [
        row(
            "test",
            steps=[{"count": "hits", "dice": "1", "target": "4"}],
            outcomes=[HIT, MISSED],
        )
    ],
    "spends": [
        row("luck", on="hits.again_failed"),
        row("more", on="hits.dice", given="2 > 3"),
    ],
}


def test_a_spend_raises_its_slot_each_time_within_its_limit() -> None:
    book = small(**ROLLS)
    settings = book.default_settings()
    half, rest = Fraction(1, 2), Fraction(3, 4)
    for spends, chance in (((), half), (("luck",), rest), (("more",), half), (("luck",) * 2, rest)):
        assert odds(ready(book.under(settings), "test", spends), {}).outcomes["hit"] == chance


# Rounds.

# The step of a throw, its round, and the reason for it.
type Place = tuple[str, Path, int]
SHOT: list[Data] = [
    {"count": "hits", "dice": 2, "target": 4},
    {"count": "saves", "given": "hits > 0", "dice": 1, "target": 3},
    {"let": "lost", "be": "lost + max(0, hits - saves)"},
]

# The same with coins, for which every way of playing can be counted.
COINS = [
    {"count": "hits", "dice": 1, "sides": 2, "target": 2},
    {"count": "saves", "given": "hits > 0", "dice": 1, "sides": 2, "target": 2},
    SHOT[2],
]


def looping(*steps: Data) -> Book:
    """Return a book with a roll of these steps, and spends on its dice."""
    test = row(
        "test",
        steps=[{"let": "lost", "be": 0}, *steps],
        numbers=[{"of": "lost", "name": {"en": "Lost", "fr": "Perdus"}}],
    )
    spends = [
        row("die", on="hits.dice"),
        row("again", on="hits.again_failed"),
        row("save", on="saves.dice"),
    ]
    return small(rolls=[test], spends=spends)


TWICE = {"again": "shots", "times": 2, "steps": SHOT}
IN_PAIRS = {"again": "pair", "times": 2, "steps": [TWICE]}


def compiled(book: Book, *spends: tuple[str, tuple[int, ...]]) -> Ready:
    """Return the roll with these spends, each in its round."""
    keys, rounds = zip(*spends, strict=True) if spends else ((), ())
    return ready(book.usual, "test", keys, rounds)


def shots(*spends: tuple[str, tuple[int, ...]]) -> Ready:
    return compiled(looping(TWICE), *spends)


def dice_in(played: Played, step: str) -> list[int]:
    """Return the dice of each first throw of a step."""
    return [
        len(one.faces) for one in played.throws if (one.wanted.step, one.wanted.time) == (step, 0)
    ]


def test_a_spend_counts_in_its_round_of_a_loop() -> None:
    for spends, dice in (
        ([("die", (1,))], [3, 2]),
        ([("die", (2,))], [2, 3]),
        ([("die", (1,)), ("die", (2,))], [3, 3]),
        ([("die", (2,)), ("die", (2,))], [2, 4]),
        ([("die", (3,))], [2, 2]),
    ):
        made = shots(*spends)
        assert dice_in(play(made, {}, lambda sides: 1), "hits") == dice
        coins = compiled(looping({**TWICE, "steps": COINS}), *spends)
        assert odds(coins, {}).numbers == every_way(coins, {}).numbers


def test_spends_of_both_players_count_in_their_own_rounds() -> None:
    spends = [("die", (1,)), ("save", (2,)), ("again", (2,))]
    made, coins = shots(*spends), compiled(looping({**TWICE, "steps": COINS}), *spends)
    played = play(made, {}, lambda sides: sides)
    assert (dice_in(played, "hits"), dice_in(played, "saves")) == ([3, 2], [1, 2])
    assert odds(coins, {}).numbers == every_way(coins, {}).numbers


def test_a_spend_counts_in_one_round_of_nested_loops() -> None:
    made = compiled(looping(IN_PAIRS), ("die", (2, 1)))
    assert dice_in(play(made, {}, lambda sides: 1), "hits") == [2, 2, 3, 2]
    assert find_slot(made, "hits.dice") == [("pair", "shots")]


def test_a_spend_without_a_round_counts_in_every_round() -> None:
    """Logs of older tables have no rounds."""
    without = ready(looping(TWICE).usual, "test", ("die",))
    assert dice_in(play(without, {}, lambda sides: 1), "hits") == [3, 3]


def test_rounds_of_a_loop_without_a_number_of_times_cannot_be_chosen() -> None:
    endless = {"again": "shots", "until": "hits > 0", "steps": SHOT}
    made = compiled(looping(endless), ("die", (1,)))
    assert find_slot(made, "hits.dice") == [None]
    assert dice_in(play(made, {}, lambda sides: 6), "hits") == [2]


# Dice that lie.

MISS_TWICE = ((1, 2), (5, 1), (2,))


def told(*spends: tuple[str, tuple[int, ...]]) -> Played:
    """Play two shots: the first misses, the second is saved by no die."""
    return tell(shots(*spends), {}, MISS_TWICE)


def test_dice_stay_in_their_round_when_an_earlier_round_gets_more() -> None:
    """The save of the second shot does not become the save of the first."""
    wanted: list[Wanted] = []

    def throw(want: Wanted) -> tuple[int, ...]:
        wanted.append(want)
        return (6,) * want.dice

    after = retell(shots(("die", (1,))), {}, told(), throw)
    assert [one.faces for one in after.throws] == [(1, 2, 6), (6,), (5, 1), (2,)]
    assert [(want.step, want.dice, want.rounds) for want in wanted] == [
        ("hits", 1, (("shots", 1),)),
        ("saves", 1, (("shots", 1),)),
    ]
    assert (told().numbers, after.numbers) == ({"lost": 1}, {"lost": 1})


def test_a_die_thrown_again_for_another_reason_is_a_new_die() -> None:
    """A success that must be thrown again does not get the face of a failure thrown again."""
    step = {"count": "hits", "dice": 1, "target": 4, "again_succeeded": 1}
    book = looping(step, {**SHOT[1], "dice": 0})
    before = tell(compiled(book, ("again", ())), {}, [(1,), (2,)])
    after = retell(compiled(book, ("again", ()), ("die", ())), {}, before, lambda want: (5,))
    assert [one.faces for one in after.throws] == [(1, 5), (5,), (2,)]


@pytest.mark.parametrize("seed", range(60))
def test_no_face_moves_to_another_round_when_something_is_spent(seed: int) -> None:
    random = Random(f"retell {seed}")
    loop: Data = {"again": "shots", "times": random.randint(1, 4), "steps": SHOT}
    if random.random() < 0.5:
        loop = {"again": "pair", "times": random.randint(1, 3), "steps": [loop]}
    book, spends = looping(loop), list[tuple[str, tuple[int, ...]]]()

    def throw(fresh: dict[Place, list[int]], want: Wanted) -> tuple[int, ...]:
        faces = tuple(random.randint(1, want.sides) for _die in range(want.dice))
        fresh[want.step, want.rounds, want.time] += faces
        return faces

    played = play(compiled(book), {}, lambda sides: random.randint(1, sides))
    for _spend in range(4):
        paths = [path for path in played.rounds if path[-1][0] == "shots"]
        chosen = tuple(number for _loop, number in random.choice(paths))
        spends.append((random.choice(["die", "again", "save"]), chosen))
        fresh: dict[Place, list[int]] = defaultdict(list)
        after = retell(compiled(book, *spends), {}, played, partial(throw, fresh))
        before = {place(one): list(one.faces) for one in played.throws}
        for one in after.throws:
            lay = before.get(place(one), [])
            assert list(one.faces) == (lay + fresh[place(one)])[: len(one.faces)]
            # New dice fall only where all dice that lay there are used.
            assert not fresh[place(one)] or len(one.faces) == len(lay) + len(fresh[place(one)])
        assert tell(compiled(book, *spends), {}, [one.faces for one in after.throws]) == after
        played = after


def place(thrown: Thrown) -> Place:
    """Return the step and round of a throw."""
    return thrown.wanted.step, thrown.wanted.rounds, thrown.wanted.time
