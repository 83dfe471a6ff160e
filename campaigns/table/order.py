"""The order of taps, the taps that count, and the requests to undo dice of the application.

The results do not depend on the order of arrival.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from campaigns.table.state import Asked
from campaigns.table.taps import (
    Logged,
    Rolled,
    Struck,
    TapKey,
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
            answer=answer.seq if answer else None,
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
