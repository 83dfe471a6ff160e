"""The order of taps, the taps that count, and the questions that taps of two phones raise.

The results do not depend on the order of arrival.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from uuid import UUID

from campaigns.table.state import Asked, Contested, Double, Late
from campaigns.table.taps import (
    Counted,
    Dealt,
    Logged,
    Out,
    Rolled,
    Settled,
    Struck,
    TapKey,
    TurnEnded,
    UndoAnswered,
    Undone,
)

# The taps by which others do not count, and their targets: a tap, or an act with all its taps.
UNDOING = (Struck, Undone)
Node = TapKey | UUID


def in_order(log: Iterable[Logged]) -> list[Logged]:
    """Return all taps in the order in which they are folded, each once."""
    known: dict[TapKey, Logged] = {}
    for tap in log:
        known.setdefault(tap.key, tap)
    return sorted(known.values(), key=lambda tap: tap.place)


def acts_by_site(taps: Iterable[Logged]) -> frozenset[UUID]:
    """Return the acts with dice thrown by the application: their taps are only undone together."""
    return frozenset(one.act for one in taps if isinstance(one.tap, Rolled) and one.tap.thrown)


def find_target(strike: Logged, by_key: Mapping[TapKey, Logged]) -> Logged | None:
    """Return the tap that a strike is about, behind strikes of strikes; None if there is none."""
    seen = {strike.key}
    current: Logged | None = strike
    while current is not None and isinstance(current.tap, Struck):
        target = (current.tap.device, current.tap.device_seq)
        current = None if target in seen else by_key.get(target)
        seen.add(target)
    return current


def find_act(logged: Logged, by_key: Mapping[TapKey, Logged]) -> UUID | None:
    """Return the act of a tap, or the act that a strike is about."""
    found = find_target(logged, by_key)
    if found is None:
        return None
    return found.tap.act if isinstance(found.tap, Undone) else found.act


@dataclass(frozen=True)
class AboutDice:
    """The strikes and undos that are about dice of the application, directly or through other
    strikes. ``acts``: the acts with such dice or such strikes."""

    strikes: frozenset[TapKey]
    acts: frozenset[UUID]

    def has(self, tap: Struck | Undone, by_key: Mapping[TapKey, Logged]) -> bool:
        """Whether a new tap would be one of them. ``by_key``: the taps that are there."""
        if isinstance(tap, Undone):
            return tap.act in self.acts
        target = by_key.get((tap.device, tap.device_seq))
        if target is None:
            return False
        if isinstance(target.tap, UNDOING):
            return target.key in self.strikes
        return target.act in self.acts


def find_about_dice(taps: Sequence[Logged], thrown: frozenset[UUID]) -> AboutDice:
    """Find the strikes and undos that are about dice of these acts. One pass over the taps."""
    by_target: dict[Node, list[Logged]] = {}
    undoing: dict[TapKey, Logged] = {}
    for one in taps:
        if isinstance(one.tap, UNDOING):
            undoing[one.key] = one
            by_target.setdefault(target_of(one.tap), []).append(one)
    if not undoing:
        return AboutDice(frozenset(), thrown)
    ahead = [strike for act in thrown for strike in by_target.get(act, ())]
    for one in taps if thrown else ():
        if one.act in thrown and one.key in by_target and one.key not in undoing:
            ahead += by_target[one.key]
    found: set[TapKey] = set()
    acts = set(thrown)
    while ahead:
        strike = ahead.pop()
        if strike.key in found:
            continue
        found.add(strike.key)
        ahead += by_target.get(strike.key, ())
        if strike.act not in acts:
            acts.add(strike.act)
            ahead += by_target.get(strike.act, ())
    return AboutDice(frozenset(found), frozenset(acts))


def target_of(tap: Struck | Undone) -> Node:
    """Return the tap that a strike names, or the act that an undo names."""
    return tap.act if isinstance(tap, Undone) else (tap.device, tap.device_seq)


def find_requests(taps: Sequence[Logged]) -> list[Asked]:
    """Return the requests to undo dice of the application, by act.

    The answer that arrived first counts and cannot be undone; people who ask may withdraw, but not
    agree. An answer is not about strikes that arrived after it.
    """
    asking = [one for one in taps if isinstance(one.tap, UNDOING) and one.tap.asked_by is not None]
    if not asking:
        return []
    about = find_about_dice(taps, acts_by_site(taps))
    answers: dict[UUID, list[Logged]] = {}
    for logged in sorted(taps, key=lambda one: one.seq):
        if isinstance(logged.tap, UndoAnswered):
            answers.setdefault(logged.tap.asked, []).append(logged)
    found: dict[tuple[UUID, UUID, TapKey | None], Asked] = {}
    strikes = defaultdict[tuple[UUID, UUID, TapKey | None], dict[TapKey, Node]](dict)
    for logged in asking:
        assert isinstance(logged.tap, UNDOING) and logged.tap.asked_by is not None
        if logged.key not in about.strikes:
            continue
        answer = next((one for one in answers.get(logged.act, ()) if _answers(one, logged)), None)
        agreed = answer.tap.agreed if answer and isinstance(answer.tap, UndoAnswered) else None
        key = (logged.act, logged.tap.asked_by, answer.key if answer else None)
        strikes[key][logged.key] = target_of(logged.tap)
        found[key] = Asked(
            act=logged.act,
            strikes={},
            by=logged.tap.asked_by,
            actor=logged.actor,
            agreed=agreed,
            answered_by=answer.actor if answer else None,
        )
    wanted = {one for each in strikes.values() for one in each.values() if isinstance(one, UUID)}
    of_acts: dict[UUID, list[TapKey]] = {act: [] for act in wanted}
    for logged in taps:
        if logged.act in wanted and not isinstance(logged.tap, UndoAnswered):
            of_acts[logged.act].append(logged.key)
    return [_with_strikes(one, strikes[key], of_acts) for key, one in found.items()]


def _with_strikes(
    asked: Asked, strikes: Mapping[TapKey, Node], of_acts: Mapping[UUID, Sequence[TapKey]]
) -> Asked:
    acts = {key: target for key, target in strikes.items() if isinstance(target, UUID)}
    single = {key: target for key, target in strikes.items() if not isinstance(target, UUID)}
    taps = [*single.values(), *(key for act in acts.values() for key in of_acts[act])]
    return replace(asked, strikes=single, acts=acts, taps=tuple(dict.fromkeys(taps)))


def _answers(answer: Logged, strike: Logged) -> bool:
    """Whether an answer is about this strike."""
    told, asking = answer.tap, strike.tap
    return (
        isinstance(told, UndoAnswered)
        and isinstance(asking, UNDOING)
        and answer.seq > strike.seq
        and told.by is not None
        and (told.by != asking.asked_by or not told.agreed)
    )


def is_open(asked: Asked, gone: Container[TapKey]) -> bool:
    """Whether a request waits for an answer and something is left to undo."""
    return asked.agreed is None and any(one not in gone for one in asked.taps)


def find_struck(
    taps: Sequence[Logged], asked: Iterable[Asked] | None = None
) -> Mapping[TapKey, TapKey]:
    """Return the taps that do not count, each with one of its strikes.

    A strike has no effect if it is itself struck, or is a request that nobody else has agreed to.
    Strikes that strike each other, which only a forger can make, have none either. ``asked``: the
    ``find_requests`` among the taps, if the caller knows them.
    """
    asked = find_requests(taps) if asked is None else asked
    waiting = {key for one in asked if not one.agreed for key in one.keys}
    strikes: dict[Node, list[TapKey]] = {}
    for logged in taps:
        if isinstance(logged.tap, UNDOING) and logged.key not in waiting:
            strikes.setdefault(target_of(logged.tap), []).append(logged.key)
    if not strikes:
        return {}
    acts = {
        logged.key: logged.act
        for logged in taps
        if logged.act in strikes and not _stands_alone(logged)
    }
    settled: dict[Node, TapKey | None] = {}
    for logged in taps:
        if logged.key in strikes or logged.key in acts:
            _settle(logged.key, strikes, acts, settled)
    return {key: by for key, by in settled.items() if by is not None and isinstance(key, tuple)}


def _stands_alone(logged: Logged) -> bool:
    """Whether undoing its act leaves a tap: an answer, which always counts, or the undo itself."""
    tap = logged.tap
    return isinstance(tap, UndoAnswered) or (isinstance(tap, Undone) and tap.act == logged.act)


def _settle(
    node: Node,
    strikes: Mapping[Node, list[TapKey]],
    acts: Mapping[TapKey, UUID],
    settled: dict[Node, TapKey | None],
) -> None:
    """Decide whether a tap and all its strikes count. An act is decided once for all its taps.
    Chains of strikes may be long, so nothing is recursive."""
    ahead, entered = [node], set[Node]()
    while ahead:
        current = ahead[-1]
        if current in settled:
            ahead.pop()
            continue
        act = acts.get(current) if isinstance(current, tuple) else None
        below: list[Node] = [*strikes.get(current, ()), *([act] if act else [])]
        open_ones = [one for one in below if one not in settled and one not in entered]
        if open_ones and current not in entered:
            entered.add(current)
            ahead.extend(open_ones)
            continue
        standing = [one for one in strikes.get(current, ()) if settled.get(one, one) is None]
        if act and (undone := settled.get(act)) is not None:
            standing.append(undone)
        settled[current] = min(standing, default=None)
        ahead.pop()


# Questions about taps that two phones made without knowing of each other, and late taps.

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


@dataclass(frozen=True)
class _Span:
    """An act. ``place``: its index; ``devices``: its phones; ``after``: the latest tap that these
    had seen; ``seq``: the number of its first tap."""

    place: int
    act: UUID
    devices: frozenset[UUID]
    after: int
    seq: int


def _span(place: int, taps: Sequence[Logged]) -> _Span:
    return _Span(
        place=place,
        act=taps[0].act,
        devices=frozenset(logged.device for logged in taps),
        after=max(logged.after for logged in taps),
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
    to.

    ``by_key``: all taps; ``counting``: the taps that are not struck, in order.
    """
    if not gone:
        return ()
    settled = _settled(counting)
    agreed = {key for one in asked if one.agreed for key in one.keys}
    struck: dict[Node, list[tuple[TapKey, Logged]]] = {}
    for key, strike in gone.items():
        logged = by_key[key]
        if isinstance(logged.tap, UNDOING):
            continue
        if frozenset((logged.act, by_key[strike].act)) in settled:
            continue
        # One question for a whole undone act, one for each tap of an old strike.
        together = logged.act if isinstance(by_key[strike].tap, Undone) else key
        struck.setdefault(together, []).append((strike, logged))
    about = {about for some in struck.values() for _strike, one in some for about in _bears(one)}
    standing = _Counting(counting, about)
    followed = _Followed(counting, {one for one in struck if isinstance(one, UUID)})
    found: list[Contested] = []
    for together, some in struck.items():
        strike, act = some[0][0], some[0][1].act
        resting: dict[TapKey, Logged] = {}
        if isinstance(together, UUID):
            resting |= {one.key: one for one in followed.of(together)}
        if strike not in agreed:
            for _strike, logged in some:
                later = standing.on(logged, by_key[strike])
                resting |= {one.key: one for one in later}
        if isinstance(together, UUID):
            resting = {key: one for key, one in resting.items() if one.act != act}
        if resting:
            first = min((one for _strike, one in some), key=lambda one: one.place)
            keys = (one.key for one in sorted(resting.values(), key=lambda one: one.place))
            found.append(Contested(first.key, strike, tuple(keys)))
        if len(found) == MOST_ASKED:
            break
    return tuple(found)


class _Followed:
    """Index of the acts whose rolls followed from others. ``wanted``: the acts that are asked
    about; the log is only read if there are any."""

    def __init__(self, counting: Sequence[Logged], wanted: set[UUID]) -> None:
        self.acts: dict[UUID, set[UUID]] = {}
        self.taps: dict[UUID, list[Logged]] = {}
        for one in counting if wanted else ():
            if isinstance(one.tap, Dealt) and one.tap.act is not None:
                self.acts.setdefault(one.tap.act, set()).add(one.act)
        followers = {act for some in self.acts.values() for act in some}
        for one in counting if followers else ():
            if one.act in followers:
                self.taps.setdefault(one.act, []).append(one)

    def of(self, act: UUID) -> Iterator[Logged]:
        """Yield the taps of all acts that followed from an act, directly or through others. A roll
        that was only skipped is none."""
        ahead, seen = [act], {act}
        while ahead:
            for one in self.acts.get(ahead.pop(), ()):
                taps = self.taps[one]
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

    def on(self, logged: Logged, strike: Logged) -> list[Logged]:
        """Return the later taps that depend on a tap that their phones had seen, except those of
        the phone, and of the account, that struck it.
        """
        places: set[int] = set()
        for about in _bears(logged):
            for device, seen in self.about.get(about, {}).items():
                if device != strike.device:
                    first = bisect_left(seen, (logged.seq, 0))
                    places.update(place for _after, place in seen[first:])
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
    """Count the taps that arrived after the end of their turn, by phone and turn."""
    ended: dict[int, int] = {}
    for logged in taps:
        if isinstance(logged.tap, TurnEnded):
            before = ended.get(logged.turn, logged.seq)
            ended[logged.turn] = min(before, logged.seq)
    counted: dict[tuple[UUID, int | None, int], int] = {}
    for logged in taps if ended else ():
        over = ended.get(logged.turn)
        silent = isinstance(logged.tap, SILENT)
        # A phone that had seen the turn end corrects something on purpose.
        if over is not None and logged.seq > over > logged.after and not silent:
            key = (logged.device, logged.actor, logged.turn)
            counted[key] = counted.get(key, 0) + 1
    return tuple(Late(*key, number) for key, number in counted.items())
