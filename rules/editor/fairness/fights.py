"""Simulated fights, worked out bit by bit: each request adds some, and all processes share them.

The seed determines the fights of a row, so that every process gets the same results.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.core.cache import cache

from rules.book.model import Book
from rules.bounds.work import ignore_work
from rules.engine.duels import FEWEST_CLAIMED, Share, TooLong
from rules.engine.fairness import Fair, Kind, Trials, arena_of, fight_more, trials

SEED = 1
# The fights of each kind for each row: enough to prove something.
FIGHTS = FEWEST_CLAIMED
# Processor time, in seconds: the time after which no batch of fights starts, and the time after
# which a batch is hopeless.
ENOUGH, MOST = 0.5, 1.5
# Results are kept for a day, in seconds.
KEPT = 24 * 3600

# The tables of a rulebook whose rows fight.
FOUGHT: dict[Kind, str] = {"rank": "ranks", "item": "items", "trait": "traits"}
Place = tuple[Kind, str]


class Clock:
    """The processor time of one request, regardless of other requests."""

    def __init__(self) -> None:
        self.start = time.thread_time()

    @property
    def seconds(self) -> float:
        """The processor time so far."""
        return time.thread_time() - self.start

    def enough(self) -> bool:
        """Whether to start no more fights."""
        return self.seconds >= ENOUGH

    def late(self) -> bool:
        """Whether to give up a fight that was started."""
        return self.seconds >= MOST


@dataclass
class Progress:
    """The progress of the fights of one version of a rulebook. ``hopeless``: rows whose fights take
    too long."""

    trials: Trials
    rows: dict[Place, Fair]
    hopeless: set[Place] = field(default_factory=set)

    def waiting(self, places: Iterable[Place]) -> list[Place]:
        """The rows among ``places`` that still have to fight."""
        known = self.rows.keys() - self.hopeless
        return [place for place in places if place in known and not self.rows[place].done(FIGHTS)]

    def go_on(self, places: Iterable[Place], clock: Clock) -> None:
        """Let these rows fight, one after the other, while there is time, and keep the results."""
        waiting = self.waiting(places)
        for place in waiting:
            if clock.enough():
                break
            self._fight(place, clock)
        if waiting:
            cache.set(_key(self.trials), _stored(self), KEPT)

    def _fight(self, place: Place, clock: Clock) -> None:
        began, arena = clock.seconds, arena_of(self.trials, clock.late)
        while not self.rows[place].done(FIGHTS) and not clock.enough():
            try:
                with ignore_work():
                    row = fight_more(arena, self.trials, self.rows[place], FIGHTS, SEED)
                self.rows[place] = row
            except TooLong:
                # It had nearly all the time of a request.
                if began < ENOUGH / 2:
                    self.hopeless.add(place)
                return


def progress(book: Book, like: Trials | None = None) -> Progress | None:
    """Load the progress of a rulebook's fights; None if nothing in it can fight.

    ``like``: take the enemy from these trials of another book.
    """
    found = trials(book.usual, like)
    if found is None:
        return None
    rows: dict[Place, Fair] = {(trial.kind, trial.key): Fair(trial) for trial in found.rows}
    result = Progress(found, rows)
    for place, numbers in cache.get(_key(found), {}).items():
        if place in rows and numbers is None:
            result.hopeless.add(place)
        elif place in rows:
            duel, equal = Share(*numbers[:3]), Share(*numbers[3:])
            rows[place] = Fair(rows[place].trial, duel, equal)
    return result


def _key(found: Trials) -> str:
    enemy = (found.typical.rank, *found.typical.items)
    return f"fights:{found.rules.book.digest}:{SEED}:{':'.join(enemy)}"


def _stored(found: Progress) -> dict[Place, Any]:
    """The numbers to keep of each row that has fought; None for a hopeless row."""
    numbers = {
        place: (row.duel.fights, row.duel.wins, row.duel.draws,
                row.equal.fights, row.equal.wins, row.equal.draws)
        for place, row in found.rows.items() if row.duel.fights
    }  # fmt: skip
    return {**numbers, **dict.fromkeys(found.hopeless)}
