"""Dice wait for a player only if something that they can spend may change what the dice write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from unittest.mock import Mock
from uuid import uuid4

import pytest

from campaigns.table.attempts import answers
from campaigns.table.attempts.attempt import Attempt, asking_much, side_of
from campaigns.table.attempts.effects import bring_dice
from campaigns.table.attempts.roll import (
    IMPOSSIBLE,
    Faces,
    Offer,
    PendingRoll,
    find_offers,
    foresee,
    keep_dice,
    play_faces,
    throw,
)
from campaigns.table.fold import Folded
from campaigns.table.state import TableNow
from campaigns.table.taps import Rolled
from rules.book.model import Book
from rules.book.rolls import Spend
from rules.bounds.work import TooMuch
from rules.engine.compiling import Rounds, ready
from rules.engine.expressions import Unknown, parse
from rules.engine.playing import Missing, Played, Wanted, retell
from rules.odds.chances import Question, loops_of
from tests.random_cases import cases, one_soon
from tests.world.attempts import Bout, figure, table
from tests.world.every_roll import make_start, situations
from tests.world.gangs import SLUGS, shipped

WESTERN = "blackwater-gulch"
# The most plays that the plain search makes for one side, and the most points that it spends.
MOST_PLAYS, MOST_POINTS = cases(400, 4_000), 2
# The numbers that no effect writes, and that no effect is worked out from, by game and roll. Every
# number of a roll without outcomes is for the players, too.
FOR_PLAYERS = {
    ("au-un-pour-un", "shot"): {"struck", "friend_struck"},
    ("au-un-pour-un", "burst"): {"friend_struck"},
    ("du-sang-sur-la-lame", "charge"): {"reach"},
    ("du-sang-sur-la-lame", "initiative"): {"place"},
    ("du-sang-sur-la-lame", "scenario"): {"sum"},
}


class TooLong(Exception):
    """The plain search has made too many plays."""


class Plain:
    """A plain search: everything that a side may spend, in every order, with every face of every
    die."""

    def __init__(self, folded: Folded, made: Attempt, before: TableNow) -> None:
        self.folded, self.made, self.before = folded, made, before
        self.asked: Question = made.question(folded.start, before)
        self.plays = 0

    def writes(self, played: Played) -> object:
        """Return the outcome, the numbers for the players, and the taps of dice."""
        book, roll = self.folded.start.book, self.asked.roll
        keys = FOR_PLAYERS.get((book.slug, roll.key), set())
        numbers = {
            key: value for key, value in played.numbers.items() if not roll.outcomes or key in keys
        }
        taps = bring_dice(self.folded.start, self.before, self.made, played)
        return played.outcome, numbers, taps

    def payer(self, row: Spend) -> str | None:
        who = self.made.by if row.whose == "own" else self.made.at
        if not isinstance(who, str):
            return None
        figures = self.folded.now.figures
        if row.track is None or row.track in figures[who].tracks:
            return who
        for one in self.folded.start.figures:
            mine = one.side == side_of(who) and one.leads and figures[one.key].out is None
            if mine and row.track in figures[one.key].tracks:
                return one.key
        return None

    def may_spend(self, side: int, spent: list[Spend]) -> Iterator[Spend]:
        for row in self.folded.start.rules.spends:
            payer = self.payer(row)
            if payer is None or side_of(payer) != side:
                continue
            if row.rolls and self.asked.roll.key not in row.rolls:
                continue
            try:
                if row.given is not None and not parse(row.given).holds(self.asked.names):
                    continue
            except Unknown:
                continue
            if row.track is None:
                if row not in spent:
                    yield row
                continue
            left = self.folded.now.figures[payer].tracks.get(row.track, 0)
            purse = payer, row.track
            if left > sum((self.payer(one), one.track) == purse for one in spent):
                yield row

    def rounds(self, row: Spend, before: Played) -> Iterator[Rounds]:
        """The rounds that were played of the loops around what a thing changes."""
        for loops in loops_of(self.asked, row):
            if not loops:
                yield ()
            for path in before.rounds:
                if loops and tuple(loop for loop, _number in path) == loops:
                    yield tuple(number for _loop, number in path)

    def every_way(
        self, before: Played, spent: list[Spend], rounds: list[Rounds]
    ) -> Iterator[tuple[Played, Fraction]]:
        """Every result after one more thing is spent, with its chance."""
        keys = tuple(row.key for row in spent)
        made = ready(self.asked.rules, self.asked.roll.key, keys, tuple(rounds))
        ahead: list[tuple[Faces, Fraction]] = [((), Fraction(1))]
        while ahead:
            faces, share = ahead.pop()
            rest = iter(faces)

            def more(wanted: Wanted, rest: Iterator[tuple[int, ...]] = rest) -> tuple[int, ...]:
                thrown = next(rest, None)
                if thrown is None:
                    raise Missing(wanted)
                return thrown

            self.plays += 1
            if self.plays > MOST_PLAYS:
                raise TooLong
            try:
                yield retell(made, self.asked.names, before, more), share
            except Missing as missing:
                wanted = missing.wanted
                sides = range(1, wanted.sides + 1)
                share /= wanted.sides**wanted.dice
                throws = product(sides, repeat=wanted.dice)
                ahead += [((*faces, thrown), share) for thrown in throws]

    def add_up(self, ways: Iterable[tuple[Played, Fraction]]) -> dict[str, Fraction]:
        """The chance of everything that dice may write."""
        found: dict[str, Fraction] = {}
        for played, share in ways:
            said = str(self.writes(played))
            found[said] = found.get(said, Fraction(0)) + share
        return found

    def spread(self, stands: Played, row: Spend, rounds: Rounds) -> dict[str, Fraction]:
        """The chance of everything that dice may write after one thing is spent on them."""
        self.plays = 0
        return self.add_up(self.every_way(stands, [row], [rounds]))

    def changes(self, side: int, stands: Played) -> bool:
        """Whether anything that a side spends, alone or one after the other, may change what the
        dice write."""
        self.plays = 0
        here = self.writes(stands)
        ahead: list[tuple[Played, list[Spend], list[Rounds]]] = [(stands, [], [])]
        while ahead:
            before, spent, rounds = ahead.pop(0)
            for row in self.may_spend(side, spent):
                for numbers in self.rounds(row, before):
                    more, some = [*spent, row], [*rounds, numbers]
                    with suppress(*IMPOSSIBLE):
                        for after, _share in self.every_way(before, more, some):
                            if self.writes(after) != here:
                                return True
                            ahead.append((after, more, some))
        return False


def limit_purses(bout: Bout, dice: Random) -> None:
    """Leave nobody more to spend than the plain search looks at."""
    tracks = {row.track for row in bout.start.rules.spends if row.track is not None}
    for track, (key, there) in product(sorted(tracks), bout.now.figures.items()):
        if track in there.tracks:
            left = min(there.tracks[track], dice.randint(0, MOST_POINTS))
            bout.tap("set", figure=key, track=track, to=left)


def check(plain: Plain, side: int, rolled: Rolled, played: Played, offers: list[Offer]) -> bool:
    """Assert that these offers of a side are right. Returns whether it can change something. Raises
    TooLong."""
    changes = plain.changes(side, played)
    assert bool(offers) == changes, (plain.made, side, rolled)
    for one in offers:
        with suppress(TooLong, TooMuch):
            chances = plain.spread(played, one.spend, one.rounds)
            assert chances == plain.add_up(foresee(plain.asked, rolled, one))
    return changes


@pytest.mark.random
@pytest.mark.parametrize("slug", one_soon([WESTERN, *sorted({*SLUGS} - {WESTERN})]))
def test_exactly_the_sides_that_can_change_something_are_asked(slug: str) -> None:
    book, dice = shipped(slug), Random(slug)
    given = " ".join(row.given or "" for row in book.spends)
    start = make_start(book, [row.key for row in book.traits if f"'{row.key}'" in given])
    some = [
        (before, made)
        for roll in start.rules.rolls
        if any(not row.rolls or roll.key in row.rolls for row in book.spends)
        for before, made in situations(start, roll)
    ]
    dice.shuffle(some)
    seen: Counter[bool] = Counter()
    for before, made in some[: cases(30, 2_000)]:
        bout = Bout(start)
        limit_purses(bout, dice)
        try:
            played = throw(made.question(start, before), lambda sides: dice.randint(1, sides))
        except IMPOSSIBLE:
            continue
        rolled = keep_dice(made, played, thrown=True, is_open=True)
        if not rolled.faces:
            continue
        offers = find_offers(
            bout.folded, PendingRoll(made, before, rolled, is_settled=False, seen=0)
        )
        with asking_much():
            for side in (1, 2):
                ours = [one for one in offers if side_of(one.payer) == side]
                with suppress(TooLong):
                    changes = check(Plain(bout.folded, made, before), side, rolled, played, ours)
                    seen[changes] += 1
    assert (seen[True] and seen[False]) or not book.spends


def leaders(book: Book, *, hp: int, luck: int, profession: str = "doctor") -> Bout:
    """Return a table with a henchman and a leader against a leader who has so much left."""
    mine = [figure("henchman", "winchester"), figure("leader", "navy_revolver", points={"rc": 3})]
    bout = Bout(table(book, mine, [figure("leader", "knife", profession=profession)]))
    bout.tap("set", figure="2.1", track="hp", to=hp)
    bout.tap("set", figure="2.1", track="luck", to=luck)
    return bout


def fallen(bout: Bout, made: Attempt, **good: int) -> PendingRoll:
    """Return a roll: this number of dice of each step show a six, the others a one."""
    asked, faces = made.question(bout.start, bout.now), list[tuple[int, ...]]()
    while True:
        try:
            played = play_faces(asked, tuple(faces))
            break
        except Missing as missing:
            wanted = missing.wanted
            number = min(wanted.dice, good.get(wanted.step, 0))
            faces.append((6,) * number + (1,) * (wanted.dice - number))
    rolled = keep_dice(made, played, thrown=True, is_open=True)
    return PendingRoll(made, bout.now, rolled, is_settled=False, seen=0)


def asks(bout: Bout, pending: PendingRoll) -> set[str]:
    return {one.spend.key for one in find_offers(bout.folded, pending)}


def shot(bout: Bout, by: str, hits: int, saves: int) -> PendingRoll:
    """Return a shot at the leader with at least one other die to hit."""
    made = bout.attempt("shot", by, "2.1", "winchester" if by == "1.1" else "navy_revolver")
    said = {"range": "short"}
    found = fallen(bout, replace(made, said=said), hits=hits, saves=saves)
    assert found.rolled.numbers["hits"] == hits and found.rolled.numbers["saves"] == saves
    return found


@pytest.mark.parametrize(("hits", "saves"), [(1, 3), (1, 1), (2, 2), (2, 3), (0, 0)])
def test_nobody_is_asked_about_a_shot_that_is_wholly_saved(
    blackwater: Book, hits: int, saves: int
) -> None:
    bout = leaders(blackwater, hp=3, luck=3, profession="gambler")
    assert asks(bout, shot(bout, "1.1", hits, saves)) == set()


def test_target_is_asked_about_a_shot_that_is_not_saved(blackwater: Book) -> None:
    bout = leaders(blackwater, hp=3, luck=1)
    assert asks(bout, shot(bout, "1.1", 2, 1)) == {"luck_die_save", "luck_again_save"}


def test_nobody_is_asked_about_one_wound_or_two_for_the_last_point(blackwater: Book) -> None:
    bout = leaders(blackwater, hp=1, luck=1)
    last = shot(bout, "1.1", 2, 0)
    assert last.rolled.outcome == "out" and asks(bout, last) == set()
    # The shooter's own luck has nothing left to take either.
    assert asks(bout, shot(bout, "1.2", 2, 0)) == set()
    assert asks(bout, shot(bout, "1.1", 1, 0)) == {"luck_die_save", "luck_again_save"}


def test_target_is_asked_if_two_saves_together_are_enough(blackwater: Book) -> None:
    bout = leaders(blackwater, hp=1, luck=2)
    assert asks(bout, shot(bout, "1.1", 2, 0)) == {"luck_die_save", "luck_again_save"}


def test_own_luck_waits_only_while_something_can_get_better(blackwater: Book) -> None:
    bout = leaders(blackwater, hp=1, luck=0)
    assert asks(bout, shot(bout, "1.2", 0, 0)) == {"luck_die_hit", "luck_again_hit"}
    assert asks(bout, shot(bout, "1.2", 1, 0)) == set()
    free = bout.attempt("free", "1.2", "1.1")
    freed = fallen(bout, free, passed=5)
    assert freed.rolled.outcome == "freed" and asks(bout, freed) == set()
    tied = fallen(bout, free)
    assert tied.rolled.outcome == "tied"
    assert asks(bout, tied) == {"luck_die_test", "luck_again_test"}


def test_inches_that_a_player_moves_still_matter(blackwater: Book) -> None:
    """No tap says them."""
    bout = leaders(blackwater, hp=3, luck=3)
    assert asks(bout, fallen(bout, bout.attempt("run", "1.2"))) == {"luck_die_run"}


def test_offers_are_worked_out_once_for_all_readers(
    blackwater: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    bout = leaders(blackwater, hp=3, luck=1)
    pending = shot(bout, "1.1", 2, 1)
    calls: list[PendingRoll] = []

    def counted(folded: Folded, found: PendingRoll) -> list[Offer]:
        calls.append(found)
        return find_offers(folded, found)

    monkeypatch.setattr(answers, "find_offers", counted)
    act, folded = uuid4(), bout.folded
    rolls = [answers.OpenRoll(Mock(folded=folded), act, pending) for _reader in range(3)]
    assert [one.undecided for one in rolls] == [{2}, {2}, {2}] and len(calls) == 1
