"""The throws of a table and of a game's sides, with everything that is needed to check them."""

from __future__ import annotations

import logging
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pydantic import TypeAdapter, ValidationError

from campaigns.engine.seeds import text_of
from campaigns.models import Seeded, Side, TableThrow, Throw
from campaigns.table.board import Board
from campaigns.table.luck.undone import TakenBack, find_taken_back
from campaigns.table.taps import Rolled
from campaigns.table.text import describe
from rules.engine.dice import parse

logger = logging.getLogger(__name__)

Die = tuple[int, int]
_DICE: TypeAdapter[tuple[Die, ...]] = TypeAdapter(tuple[Die, ...])
_WORDS: TypeAdapter[tuple[str, ...]] = TypeAdapter(tuple[str, ...])


@dataclass(frozen=True)
class CheckedThrow:
    """A throw: its number, the words it was drawn with, each die with its sides and its face.
    ``what``: its purpose and result in words; ``told``: the faces that other pages show;
    ``undone``: its rolls that were taken back, or that somebody asked to take back."""

    number: int
    words: tuple[str, ...]
    dice: tuple[Die, ...]
    what: str
    told: tuple[int, ...]
    undone: tuple[TakenBack, ...] = ()

    @property
    def taken_back(self) -> int:
        """The number of its rolls that were taken back."""
        return sum(not one.counts for one in self.undone)


@dataclass(frozen=True)
class SeedThrows:
    """A seed and its throws. ``seed``: "" until it is shown."""

    place: str
    number: int
    fingerprint: str
    seed: str
    throws: tuple[CheckedThrow, ...]

    @property
    def key(self) -> str:
        """Identifies the seed, also on a page that was seen before."""
        return f"{self.place} {self.number}"

    @property
    def for_script(self) -> dict[str, Any]:
        """The seed and throws for the browser's check, once the seed is shown."""
        return {
            "key": self.key,
            "place": self.place,
            "fingerprint": self.fingerprint,
            "seed": self.seed,
            "throws": [
                {
                    "number": throw.number,
                    "words": throw.words,
                    "dice": throw.dice,
                    "told": throw.told,
                    "taken_back": throw.taken_back,
                }
                for throw in self.throws
            ],
        }

    @property
    def by_hand(self) -> str:
        """A shell command that computes the first throw."""
        first = self.throws[0]
        text = shlex.quote(text_of(self.place, first.number, 1, first.words))
        return f"printf %s {text} | openssl dgst -sha256 -hmac {self.seed}"


@dataclass(frozen=True)
class PlaceThrows:
    """A table, or a side before and after the game, with its seeds, the one in force last.
    ``name``: the side's, "" for the table; ``others``: the number of throws without a seed;
    ``others_undone``: the number of these that were taken back.
    """

    name: str
    seeds: tuple[SeedThrows, ...]
    others: int
    others_undone: tuple[TakenBack, ...] = ()

    @property
    def undone(self) -> Iterator[TakenBack]:
        """Every roll that was taken back, or that somebody asked to take back."""
        for seed in self.seeds:
            for throw in seed.throws:
                yield from throw.undone
        yield from self.others_undone


def check_table(board: Board) -> PlaceThrows:
    """Return the throws at a table. At most two queries."""
    table, told, faces = board.table, _last_rolls(board), _faces_told(board)
    undone = find_taken_back(board)
    throws: dict[int, list[CheckedThrow]] = {}
    acts = set()
    for row in TableThrow.objects.filter(table=table.pk).order_by("seed", "number"):
        found = _sound(row)
        if found is None:
            continue
        acts.add(row.act)
        dice, words = found
        tap = told.get(row.act)
        throws.setdefault(row.seed or 0, []).append(
            CheckedThrow(
                number=row.number or 0,
                words=words,
                dice=dice,
                what=_words(board, tap) if tap else "",
                told=faces.get(row.act, ()),
                undone=(undone[row.act],) if row.act in undone else (),
            )
        )
    others = [act for act, tap in told.items() if tap.thrown and act not in acts]
    others_undone = tuple(undone[act] for act in others if act in undone)
    return PlaceThrows("", tuple(_seeds(table, throws)), len(others), others_undone)


def _sound(row: TableThrow) -> tuple[tuple[Die, ...], tuple[str, ...]] | None:
    """Return the dice and words of a stored throw, None if they cannot be read."""
    try:
        return _DICE.validate_python(row.dice), _WORDS.validate_python(row.words)
    except ValidationError:
        logger.warning("%s %s: the throw cannot be read", row._meta.label, row.pk)
        return None


def _read_words(words: object) -> tuple[str, ...]:
    """Return stored words, none if they cannot be read."""
    try:
        return _WORDS.validate_python(words)
    except ValidationError:
        return ()


def _words(board: Board, tap: Rolled) -> str:
    """Return the purpose and result of a throw; the page shows its dice next to it."""
    return describe(tap.model_copy(update={"faces": ()}), board.names)


def _last_rolls(board: Board) -> dict[Any, Rolled]:
    """Return the last ``Rolled`` of each act."""
    return {one.act: one.tap for one in board.log if isinstance(one.tap, Rolled)}


def _faces_told(board: Board) -> dict[Any, tuple[int, ...]]:
    """Return the faces that each act shows: those of its last ``Rolled``, then those that only an
    earlier one shows, since something spent may end a round before its dice."""
    found: dict[Any, tuple[int, ...]] = {}
    for one in board.log:
        if isinstance(one.tap, Rolled):
            told = tuple(face for faces in one.tap.faces for face in faces)
            left_out = list(found.get(one.act, ()))
            for face in told:
                if face in left_out:
                    left_out.remove(face)
            found[one.act] = (*told, *left_out)
    return found


def check_side(
    side: Side,
    name: str,
    lines: Iterable[tuple[Throw, str]],
    undone: Mapping[int, TakenBack],
) -> PlaceThrows:
    """Return the throws of a side before and after its game. ``lines``: all throws of the game,
    each with its purpose; ``undone``: those that were taken back."""
    throws: dict[int, list[CheckedThrow]] = {}
    kept = [(throw, what) for throw, what in lines if throw.side_id == side.pk]
    drawn = [pair for pair in kept if pair[0].seed is not None]
    for (seed, number), rows in groupby(drawn, key=lambda pair: (pair[0].seed, pair[0].number)):
        some = list(rows)
        dice = [die for throw, _what in some for die in _dice(throw)]
        throws.setdefault(seed or 0, []).append(
            CheckedThrow(
                number=number or 0,
                words=_read_words(some[0][0].words),
                dice=tuple(dice),
                what=", ".join(dict.fromkeys(what for _throw, what in some if what)),
                told=tuple(face for _sides, face in dice),
                undone=tuple(undone[throw.pk] for throw, _what in some if throw.pk in undone),
            )
        )
    others = [throw.pk for throw, _what in kept if throw.seed is None and _is_of_site(throw)]
    others_undone = tuple(undone[pk] for pk in others if pk in undone)
    return PlaceThrows(name, tuple(_seeds(side, throws)), len(others), others_undone)


def _is_of_site(throw: Throw) -> bool:
    roll = throw.sound_roll
    return roll is not None and roll.thrown_by == "app"


@dataclass(frozen=True)
class PlannedThrow:
    """Dice for the scenario while the game was planned, without a seed. ``by_site``: the site
    rolled them."""

    what: str
    faces: tuple[int, ...]
    by_site: bool
    undone: TakenBack | None


def list_planned(
    lines: Iterable[tuple[Throw, str]], undone: Mapping[int, TakenBack]
) -> list[PlannedThrow]:
    """Return the throws of a game that belong to no side."""
    return [
        PlannedThrow(what, roll.faces, _is_of_site(throw), undone.get(throw.pk))
        for throw, what in lines
        if throw.side_id is None and (roll := throw.sound_roll) is not None
    ]


def _dice(throw: Throw) -> list[Die]:
    roll = throw.sound_roll
    return [(parse(roll.dice)[1], face) for face in roll.faces] if roll is not None else []


def _seeds(place: Seeded, throws: dict[int, list[CheckedThrow]]) -> Iterator[SeedThrows]:
    for number in range(1, place.seed_in_force + 1):
        yield SeedThrows(
            place=place.place,
            number=number,
            fingerprint=place.fingerprint(number),
            seed=place.seed(number) if number <= place.seeds_shown else "",
            throws=tuple(throws.get(number, ())),
        )


def for_script(places: Sequence[PlaceThrows]) -> list[dict[str, Any]]:
    """Return all seeds that were shown, with their throws, for the browser's check."""
    return [seed.for_script for place in places for seed in place.seeds if seed.seed]
