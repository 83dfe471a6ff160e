"""The script of a season: the games of each night, their results, and the faces of the dice.

Words decide everything: night and gangs decide a game's outcome; the game, the gang, the member's
name and the purpose decide a throw. So a game goes the same way after any other games, and a season
without one of its games is otherwise the same season.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from campaigns.engine.report import TAKEN_OUT, Report, tallies
from gangs.engine.roster import Roster
from rules.book.model import Book
from rules.book.vocabulary import Settings
from rules.engine.dice import Thrower

# Four gangs; each meets every other gang twice: six nights of two games.
ROUNDS = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
NIGHTS = 2 * len(ROUNDS)


@dataclass(frozen=True)
class Match:
    """One game of the script: its night, from 0, and its gangs, by number; the first may win.

    ``luck``: a word that changes all dice and results.
    """

    night: int
    gangs: tuple[int, int]
    luck: str = ""

    def __str__(self) -> str:
        first, second = self.gangs
        return f"{self.luck}night {self.night}: {first} against {second}"


def season(luck: str = "") -> list[Match]:
    """Return all games in order."""
    return [
        Match(night, pair, luck) for night in range(NIGHTS) for pair in ROUNDS[night % len(ROUNDS)]
    ]


def dice(*words: object) -> random.Random:
    """Return dice that always show the same faces for the same words."""
    return random.Random(" / ".join(map(str, words)))


def thrower(*words: object) -> Thrower:
    """Return such dice as a function of the number of sides."""
    hand = dice(*words)
    return lambda sides: hand.randint(1, sides)


def outcome(book: Book, settings: Settings, match: Match) -> tuple[str, int | None]:
    """Return the result of a game and its winner, if it has one."""
    fate = dice(match, "outcome")
    rows = [row for row in book.under(settings).results if row.kind != "open"]
    row = fate.choice(sorted(rows, key=lambda row: (row.kind != "decided", row.key)))
    return row.key, fate.choice([0, 1]) if row.kind == "decided" else None


def report(book: Book, roster: Roster, match: Match, number: int) -> Report:
    """Return the report on a gang: all available members play, some fall, some put enemies out."""
    fate = dice(match, number, "report")
    able = [member for member in roster.members if not member.absences(book)]
    known = sorted(book.under(roster.settings).mark)
    fell = {}
    put_out: dict[str, dict[int, int]] = {}
    rows = tallies(book.under(roster.settings), "member")
    sorts = [row.key for row in rows if row.takes_out] or [TAKEN_OUT]
    others = [row.key for row in rows if row.key not in {*sorts, TAKEN_OUT}]
    for member in able:
        luck = dice(match, number, member.name)
        if known and luck.random() < 0.25:
            fell[member.id] = luck.choice(known)
        if luck.random() < 0.3:
            put_out.setdefault(luck.choice(sorts), {})[member.id] = 1
        for key in others:
            if luck.random() < 0.2:
                put_out.setdefault(key, {})[member.id] = 1
    sums: dict[int, int] = {}
    for key in sorts:
        for who, times in put_out.get(key, {}).items():
            sums[who] = sums.get(who, 0) + times
    return Report(
        fielded=tuple(member.id for member in able),
        marks=fell,
        counts={**put_out, TAKEN_OUT: sums},
        tallies={
            row.key: fate.randint(0, min(2, row.maximum))
            for row in tallies(book.under(roster.settings), "gang")
        },
    )


def recruit_name(match: Match, number: int) -> str:
    """Return the name of a recruit after a game: all members of the script have names."""
    return f"Newcomer of night {match.night + 1} in gang {number + 1}"
