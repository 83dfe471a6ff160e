"""Fights worked out bit by bit: each request adds some, and all processes share what was found.

A row's fights follow from the seed, so that whoever works them out comes to the same.
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
# So many fights of each sort for each row: enough to claim something.
FIGHTS = FEWEST_CLAIMED
# Processor time, in seconds: no more fights are begun after the first, and what has not come to an
# end after the second never will.
ENOUGH, MOST = 0.5, 1.5
# How long what was found is kept, in seconds.
KEPT = 24 * 3600

Place = tuple[Kind, str]


class Clock:
    """The processor time of one request, which other requests do not lengthen."""

    def __init__(self) -> None:
        self.start = time.thread_time()

    @property
    def seconds(self) -> float:
        """How much there has been."""
        return time.thread_time() - self.start

    def enough(self) -> bool:
        """Whether no more fights are begun."""
        return self.seconds >= ENOUGH

    def late(self) -> bool:
        """Whether a fight that was begun is given up."""
        return self.seconds >= MOST


@dataclass
class Progress:
    """How far the fights of one version of a rulebook are. ``hopeless``: rows whose fights take so
    long that nobody waits for them."""

    trials: Trials
    rows: dict[Place, Fair]
    hopeless: set[Place] = field(default_factory=set)

    def waiting(self, places: Iterable[Place]) -> list[Place]:
        """Those of the rows that have to fight on."""
        known = (place for place in places if place in self.rows and place not in self.hopeless)
        return [place for place in known if not self.rows[place].done(FIGHTS)]

    def go_on(self, places: Iterable[Place], clock: Clock) -> None:
        """Let these rows fight on, one after the other, while there is time; keep what is found."""
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
                # With all the time of a request it has not come to an end.
                if began < ENOUGH / 2:
                    self.hopeless.add(place)
                return


def progress(book: Book, like: Trials | None = None) -> Progress | None:
    """How far the fights of a rulebook are, perhaps against the same enemy as those of another;
    None if nothing in it can be fought with."""
    found = trials(book.usual, like)
    if found is None:
        return None
    rows: dict[Place, Fair] = {(trial.kind, trial.key): Fair(trial) for trial in found.rows}
    result = Progress(found, rows)
    stored = cache.get(_key(found), {})
    for place, numbers in stored.items():
        if place not in rows:
            continue
        if numbers is None:
            result.hopeless.add(place)
        else:
            duel, equal = Share(*numbers[:3]), Share(*numbers[3:])
            rows[place] = Fair(rows[place].trial, duel, equal)
    return result


def _key(found: Trials) -> str:
    enemy = (found.typical.rank, *found.typical.items)
    return f"fights:{found.rules.book.digest}:{SEED}:{':'.join(enemy)}"


def _stored(found: Progress) -> dict[Place, Any]:
    """What is kept of it: the numbers of each row that has fought, none of a hopeless one."""
    numbers = {
        place: (row.duel.fights, row.duel.wins, row.duel.draws,
                row.equal.fights, row.equal.wins, row.equal.draws)
        for place, row in found.rows.items() if row.duel.fights
    }  # fmt: skip
    return {**numbers, **dict.fromkeys(found.hopeless)}
