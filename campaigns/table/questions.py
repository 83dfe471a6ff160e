"""Questions about taps that two phones made without knowing of each other, and about undone acts on
which others depend; and late taps.

The results do not depend on the order of arrival.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from campaigns.table.order import UNDOING, Node, target_of
from campaigns.table.state import Asked, Contested, Double, Late
from campaigns.table.taps import (
    MOST_SEQ,
    Counted,
    Dealt,
    Logged,
    Out,
    Rolled,
    Settled,
    TapKey,
    TurnEnded,
    UndoAnswered,
    Undone,
)

Who = str | int
# The subject of a tap: one of these sorts, and the key of a figure, turn or act.
SORTS = ("figure", "number", "turn", "act", "other")
About = tuple[str, str | int | None]
ANSWERS, NUMBERS = (*UNDOING, Settled, UndoAnswered), (Counted, Out)
SILENT = (TurnEnded, *ANSWERS)


# The most questions of a kind at a time; answers make room for others.
MOST_ASKED = 40


def find_doubles(taps: Sequence[Logged]) -> tuple[Double, ...]:
    """Find attacks by the same figure on the same target in one turn, noted on two phones that had
    not seen each other's taps: did it happen once or twice? Settled ones are left out."""
    told: dict[tuple[int, Who, Who], dict[UUID, None]] = {}
    for logged in taps:
        if isinstance(logged.tap, Rolled | Out) and (attack := _attack(logged.tap)) is not None:
            told.setdefault((logged.turn, *attack), {}).setdefault(logged.act)
    several = {attack: acts for attack, acts in told.items() if len(acts) > 1}
    if not several:
        return ()
    settled = _settled(taps)
    acts: dict[UUID, list[Logged]] = {act: [] for some in several.values() for act in some}
    for logged in taps:
        if logged.act in acts:
            acts[logged.act].append(logged)
    found: list[Double] = []
    for (turn, by, at), attacks in several.items():
        # In the order of each act's first tap about the attack.
        spans = [_span(place, acts[act]) for place, act in enumerate(attacks)]
        for one, other in sorted(islice(_apart(spans, settled), MOST_ASKED - len(found))):
            first, second = spans[one].act, spans[other].act
            rest = tuple(logged.key for logged in acts[second])
            found.append(Double((first, second), by, at, turn, rest))
    return tuple(found)


def _open_dice(taps: Iterable[Logged]) -> dict[int, UUID]:
    """Return the acts of open dice, by the numbers of their taps."""
    return {one.seq: one.act for one in taps if isinstance(one.tap, Rolled) and one.tap.open}


def _is_answer(logged: Logged, dice: Mapping[int, UUID]) -> bool:
    """Whether a tap answers open dice: the server places answers after the dice, whatever their
    phones have seen."""
    return dice.get(logged.after) == logged.act


@dataclass(frozen=True)
class _Span:
    """An act. ``place``: its index; ``devices``: its phones; ``after``: the latest tap that these
    had seen before it, which answers to its dice do not tell; ``seq``: the number of its first
    tap."""

    place: int
    act: UUID
    devices: frozenset[UUID]
    after: int
    seq: int


def _span(place: int, taps: Sequence[Logged]) -> _Span:
    dice = _open_dice(taps)
    seen = [logged.after for logged in taps if not _is_answer(logged, dice)]
    return _Span(
        place=place,
        act=taps[0].act,
        devices=frozenset(logged.device for logged in taps),
        after=max(seen, default=0),
        seq=min(logged.seq for logged in taps),
    )


def _apart(spans: Sequence[_Span], settled: set[frozenset[UUID]]) -> Iterator[tuple[int, int]]:
    """Yield the places of two acts with overlapping spans from ``after`` to ``seq``: neither phone
    had seen the other's taps. Settled pairs are left out.

    Compares only acts of different phones that overlap: a log may be full of one attack.
    """
    ahead: dict[frozenset[UUID], list[_Span]] = {}
    for span in sorted(spans, key=lambda one: (one.after, one.place)):
        for devices, others in ahead.items():
            if not devices.isdisjoint(span.devices):
                continue
            others[:] = [one for one in others if one.seq > span.after]
            for one in others:
                if one.after < span.seq and frozenset((one.act, span.act)) not in settled:
                    yield min(one.place, span.place), max(one.place, span.place)
        ahead.setdefault(span.devices, []).append(span)


def _settled(taps: Sequence[Logged]) -> set[frozenset[UUID]]:
    return {frozenset(logged.tap.acts) for logged in taps if isinstance(logged.tap, Settled)}


def _attack(tap: Rolled | Out) -> tuple[Who, Who] | None:
    """The attacker and the target, if the tap names both."""
    by, at = tap.by, tap.at if isinstance(tap, Rolled) else tap.figure
    return None if by is None or at is None else (by, at)


def find_contested(
    counting: Sequence[Logged],
    by_key: Mapping[TapKey, Logged],
    gone: Mapping[TapKey, TapKey],
    asked: Iterable[Asked],
) -> tuple[Contested, ...]:
    """Find struck taps on which other phones' taps depend: players are asked about them, and the
    strikes count meanwhile. Settled ones are left out, and requests (``asked``) that were agreed
    to; taps of phones that had seen the tap as undone; and taps that an open request is about,
    since its answer says whether they count.

    ``by_key``: all taps; ``counting``: the taps that are not struck, in order.
    """
    if not gone:
        return ()
    settled = _settled(counting)
    asked = tuple(asked)
    since = _find_since(counting, asked)
    agreed = {key for one in asked if one.agreed for key in one.keys}
    waiting = {key for one in asked if one.agreed is None for key in one.taps}
    struck: dict[Node, list[tuple[TapKey, int, Logged]]] = {}
    for key, strike in gone.items():
        logged = by_key[key]
        if isinstance(logged.tap, UNDOING):
            continue
        if frozenset((logged.act, by_key[strike].act)) in settled:
            continue
        # One question for a whole undone act, one for each tap of an old strike.
        together = logged.act if isinstance(by_key[strike].tap, Undone) else key
        ends = [since[node] for node in (key, logged.act) if node in since]
        undone = min(ends, default=by_key[strike].seq)
        struck.setdefault(together, []).append((strike, undone, logged))
    about = {about for some in struck.values() for *_rest, one in some for about in _bears(one)}
    standing = _Counting(counting, about)
    followed = Following(counting if any(isinstance(one, UUID) for one in struck) else ())
    found: list[Contested] = []
    for together, some in struck.items():
        strike, undone, logged = some[0]
        act = logged.act
        resting: dict[TapKey, Logged] = {}
        if isinstance(together, UUID):
            resting |= {one.key: one for one in followed.of(together, undone)}
        if strike not in agreed:
            for _strike, undone, logged in some:
                later = standing.on(logged, by_key[strike], undone)
                resting |= {one.key: one for one in later}
        if isinstance(together, UUID):
            resting = {key: one for key, one in resting.items() if one.act != act}
        resting = {key: one for key, one in resting.items() if key not in waiting}
        if resting:
            first = min((one for *_rest, one in some), key=lambda one: one.place)
            keys = (one.key for one in sorted(resting.values(), key=lambda one: one.place))
            found.append(Contested(first.key, strike, tuple(keys)))
        if len(found) == MOST_ASKED:
            break
    return tuple(found)


def _find_since(counting: Iterable[Logged], asked: Iterable[Asked]) -> dict[Node, int]:
    """Return the number of the tap since which each tap or act is undone: of its first strike that
    counts, or of the answer that agreed to it."""
    answers = {key: one.answer if one.agreed else None for one in asked for key in one.keys}
    found: dict[Node, int] = {}
    for logged in counting:
        if isinstance(logged.tap, UNDOING):
            number = answers.get(logged.key, logged.seq)
            if number is not None:
                node = target_of(logged.tap)
                found[node] = min(number, found.get(node, number))
    return found


class Following:
    """Index of the acts that others led to: their rolls followed from them, or an alarm that they
    raised asked for them."""

    def __init__(self, taps: Sequence[Logged]) -> None:
        self.acts: dict[UUID, dict[UUID, None]] = {}
        self.taps: dict[UUID, list[Logged]] = {}
        for one in taps:
            if isinstance(one.tap, Dealt) and one.tap.act is not None:
                self.acts.setdefault(one.tap.act, {}).setdefault(one.act)
        followers = {act for some in self.acts.values() for act in some}
        for one in taps if followers else ():
            if one.act in followers:
                self.taps.setdefault(one.act, []).append(one)

    def of(self, act: UUID, undone: int = MOST_SEQ) -> Iterator[Logged]:
        """Yield the taps of all acts that followed from an act, directly or through others, before
        their phones had seen the tap that undid it (``undone``: its number). A roll that was only
        skipped is none."""
        ahead, seen = [act], {act}
        while ahead:
            for one in self.acts.get(ahead.pop(), ()):
                taps = [each for each in self.taps[one] if each.after < undone]
                if one not in seen and not all(isinstance(each.tap, Dealt) for each in taps):
                    seen.add(one)
                    ahead.append(one)
                    yield from taps


class _Counting:
    """Index of the taps that count by their subjects, limited to ``abouts``. Answers to questions
    depend on no tap.
    """

    def __init__(self, counting: Sequence[Logged], abouts: set[About]) -> None:
        # By subject and phone: pairs of ``after`` and place, sorted.
        self.about: dict[About, dict[UUID, list[tuple[int, int]]]] = {one: {} for one in abouts}
        self.counting = counting
        asked = {sort: {value for of, value in abouts if of == sort} for sort in SORTS}
        figures, turns, acts = asked["figure"], asked["turn"], asked["act"]
        numbers, others = asked["number"], asked["other"]
        # This runs for every tap of a long log, so only the wanted subjects are stored.
        for place, logged in enumerate(counting if abouts else ()):
            tap, act = logged.tap, logged.act.int
            if isinstance(tap, ANSWERS):
                continue
            figure = tap.__dict__.get("figure")
            if figure in figures:
                self._add("figure", figure, logged, place)
            if logged.turn in turns:
                self._add("turn", logged.turn, logged, place)
            if act in acts:
                self._add("act", act, logged, place)
            if isinstance(tap, NUMBERS):
                if figure in numbers:
                    self._add("number", figure, logged, place)
                continue
            if act in others:
                self._add("other", act, logged, place)
            if isinstance(tap, Rolled):
                for who in {tap.by, tap.at} & figures:
                    self._add("figure", who, logged, place)
        for by_phone in self.about.values():
            for places in by_phone.values():
                places.sort()

    def _add(self, sort: str, value: str | int | None, logged: Logged, place: int) -> None:
        self.about[sort, value].setdefault(logged.device, []).append((logged.after, place))

    def on(self, logged: Logged, strike: Logged, undone: int) -> list[Logged]:
        """Return the later taps that depend on a tap that their phones had seen, but not the tap
        since which it is ``undone``; except those of the phone, and of the account, that struck it.
        """
        places: set[int] = set()
        for about in _bears(logged):
            for device, seen in self.about.get(about, {}).items():
                if device != strike.device:
                    first = bisect_left(seen, (logged.seq, 0))
                    end = bisect_left(seen, (undone, 0), first)
                    places.update(place for _after, place in seen[first:end])
        found = (self.counting[place] for place in sorted(places))
        own = strike.actor
        return [
            other
            for other in found
            if other.seq > logged.seq and (own is None or other.actor != own)
        ]


def _bears(logged: Logged) -> Iterator[About]:
    """Yield the subjects of taps that depend on this one. Only other changes of the figure's
    numbers, departures, and the rest of its act depend on a changed number.
    """
    tap = logged.tap
    match tap:
        case Out():
            yield "figure", tap.figure
        case Counted():
            if tap.figure is not None:
                yield "number", tap.figure
            yield "other", logged.act.int
        case TurnEnded():
            yield "turn", logged.turn + 1
        case _:
            yield "act", logged.act.int


def find_late(taps: Sequence[Logged]) -> tuple[Late, ...]:
    """Count the taps that arrived after the end of their turn, by phone and turn; not the answers
    to open dice, which belong to the turn of their dice."""
    ended: dict[int, int] = {}
    for logged in taps:
        if isinstance(logged.tap, TurnEnded):
            before = ended.get(logged.turn, logged.seq)
            ended[logged.turn] = min(before, logged.seq)
    dice = _open_dice(taps) if ended else {}
    counted: dict[tuple[UUID, int | None, int], int] = {}
    for logged in taps if ended else ():
        over = ended.get(logged.turn)
        silent = isinstance(logged.tap, SILENT) or _is_answer(logged, dice)
        # A phone that had seen the turn end corrects something on purpose.
        if over is not None and logged.seq > over > logged.after and not silent:
            key = (logged.device, logged.actor, logged.turn)
            counted[key] = counted.get(key, 0) + 1
    return tuple(Late(*key, number) for key, number in counted.items())
