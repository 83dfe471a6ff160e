"""What two phones said without knowing of each other, and what came in late."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from uuid import UUID

from campaigns.table.state import Asked, Contested, Late, Question
from campaigns.table.taps import (
    Counted,
    Logged,
    Out,
    Rolled,
    Settled,
    Struck,
    TapKey,
    TurnEnded,
    UndoAnswered,
)

Who = str | int


def questions(taps: Sequence[Logged]) -> tuple[Question, ...]:
    """Attacks of the same on the same in one turn, told by two phones of which neither had seen
    the other's: once or twice? Those that are settled are not asked about."""
    told: dict[tuple[int, Who, Who | None], dict[UUID, list[Logged]]] = {}
    acts: dict[UUID, list[Logged]] = {}
    settled = _settled(taps)
    for logged in taps:
        acts.setdefault(logged.act, []).append(logged)
        attack = _attack(logged)
        if attack is not None:
            told.setdefault((logged.turn, *attack), {}).setdefault(logged.act, []).append(logged)
    found = []
    for (turn, by, at), attacks in told.items():
        for one, other in combinations(sorted(attacks, key=lambda act: _first(attacks[act])), 2):
            apart = _unseen(acts[one], acts[other])
            if apart and frozenset((one, other)) not in settled:
                rest = tuple(logged.key for logged in acts[other])
                found.append(Question((one, other), by, at, turn, rest))
    return tuple(found)


def _settled(taps: Sequence[Logged]) -> set[frozenset[UUID]]:
    return {frozenset(logged.tap.acts) for logged in taps if isinstance(logged.tap, Settled)}


def _attack(logged: Logged) -> tuple[Who, Who | None] | None:
    """Who did something to whom, if the tap says so."""
    match logged.tap:
        case Rolled(by=by, at=at) if at is not None:
            return by, at
        case Out(by=by, figure=figure) if by is not None:
            return by, figure
    return None


def _first(taps: Sequence[Logged]) -> tuple[int, int, int, str, int]:
    return min(logged.place for logged in taps)


def _unseen(one: Sequence[Logged], other: Sequence[Logged]) -> bool:
    """Whether neither phone had seen what the other told."""
    if {logged.device for logged in one} & {logged.device for logged in other}:
        return False
    return _before(one, other) and _before(other, one)


def _before(one: Sequence[Logged], other: Sequence[Logged]) -> bool:
    """Whether ``one`` was made without having seen anything of ``other``."""
    return max(logged.after for logged in one) < min(logged.seq for logged in other)


def contested(
    counting: Sequence[Logged],
    taps: Sequence[Logged],
    gone: Mapping[TapKey, TapKey],
    asked: Iterable[Asked],
) -> tuple[Contested, ...]:
    """Strikes of taps on which others' taps rest: those are shown, and stand until somebody says
    otherwise. Those that are settled, or ``asked`` and agreed to, are not shown. ``counting``: the
    ``taps`` that are not struck."""
    settled = _settled(counting)
    agreed = {key for one in asked if one.agreed for key in one.strikes}
    by_key = {logged.key: logged for logged in taps}
    found = []
    for key, strike in gone.items():
        logged = by_key[key]
        acts = frozenset((logged.act, by_key[strike].act))
        if isinstance(logged.tap, Struck) or acts in settled or strike in agreed:
            continue
        resting = tuple(
            other.key
            for other in taps
            if other.key not in gone
            and other.device != strike[0]
            and other.after >= logged.seq
            and other.seq > logged.seq
            and _rests(other, logged)
        )
        if resting:
            found.append(Contested(key, strike, resting))
    return tuple(found)


def _rests(other: Logged, logged: Logged) -> bool:
    """Whether a tap makes sense only with another: it is about the same figure's same thing."""
    ours, theirs = logged.tap, other.tap
    if isinstance(theirs, Struck | UndoAnswered | Settled):
        # An answer to a question is about that alone.
        return False
    if isinstance(ours, Out):
        return getattr(theirs, "figure", None) == ours.figure or (
            isinstance(theirs, Rolled) and ours.figure in (theirs.by, theirs.at)
        )
    if isinstance(theirs, Counted | Out) and isinstance(ours, Counted):
        return theirs.figure is not None and theirs.figure == ours.figure
    if isinstance(ours, TurnEnded):
        return other.turn == logged.turn + 1
    return other.act == logged.act


def late(taps: Sequence[Logged]) -> tuple[Late, ...]:
    """Taps of a turn that had been ended on the server before they came in, by phone and turn."""
    ended: dict[int, int] = {}
    for logged in taps:
        if isinstance(logged.tap, TurnEnded):
            before = ended.get(logged.turn, logged.seq)
            ended[logged.turn] = min(before, logged.seq)
    counted: dict[tuple[UUID, int | None, int], int] = {}
    for logged in taps:
        over = ended.get(logged.turn)
        silent = isinstance(logged.tap, TurnEnded | Struck | UndoAnswered | Settled)
        # Whoever had seen the turn end and still speaks of it corrects something.
        if over is not None and logged.seq > over > logged.after and not silent:
            key = (logged.device, logged.actor, logged.turn)
            counted[key] = counted.get(key, 0) + 1
    return tuple(Late(*key, number) for key, number in counted.items())
