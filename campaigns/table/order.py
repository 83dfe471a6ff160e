"""Which taps count, and in what order: the same whenever they arrived."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from uuid import UUID

from campaigns.table.state import Asked
from campaigns.table.taps import Logged, Rolled, Struck, TapKey, UndoAnswered


def in_order(log: Iterable[Logged]) -> list[Logged]:
    """All taps in the order in which they are folded, each once."""
    known: dict[TapKey, Logged] = {}
    for tap in log:
        known.setdefault(tap.key, tap)
    return sorted(known.values(), key=lambda tap: tap.place)


def thrown_acts(taps: Iterable[Logged]) -> frozenset[UUID]:
    """The acts whose dice the application threw: nobody undoes a tap of these alone."""
    return frozenset(one.act for one in taps if isinstance(one.tap, Rolled) and one.tap.thrown)


def undone_by(strike: Logged, by_key: Mapping[TapKey, Logged]) -> Logged | None:
    """The tap that a strike is about in the end: behind strikes of strikes. None if there is no
    such tap."""
    seen = {strike.key}
    current: Logged | None = strike
    while current is not None and isinstance(current.tap, Struck):
        target = (current.tap.device, current.tap.device_seq)
        current = None if target in seen else by_key.get(target)
        seen.add(target)
    return current


def requests(taps: Sequence[Logged]) -> list[Asked]:
    """The strikes that ask somebody before they undo dice of the application, by act.

    The answer that arrived first counts, and is not undone; those who ask may withdraw, and agree
    to nothing. An answer says nothing about strikes that arrived after it.
    """
    asking = [one for one in taps if isinstance(one.tap, Struck) and one.tap.asked_by is not None]
    if not asking:
        return []
    thrown = thrown_acts(taps)
    by_key = {logged.key: logged for logged in taps}
    answers: dict[UUID, list[Logged]] = {}
    for logged in sorted(taps, key=lambda one: one.seq):
        if isinstance(logged.tap, UndoAnswered):
            answers.setdefault(logged.tap.asked, []).append(logged)
    found: dict[tuple[UUID, UUID, TapKey | None], Asked] = {}
    for logged in asking:
        assert isinstance(logged.tap, Struck) and logged.tap.asked_by is not None
        undone = undone_by(logged, by_key)
        if undone is None or undone.act not in thrown:
            continue
        answer = next((one for one in answers.get(logged.act, ()) if _answers(one, logged)), None)
        agreed = answer.tap.agreed if answer and isinstance(answer.tap, UndoAnswered) else None
        key = (logged.act, logged.tap.asked_by, answer.key if answer else None)
        before = found.get(key)
        found[key] = Asked(
            act=logged.act,
            strikes={
                **(before.strikes if before else {}),
                logged.key: (logged.tap.device, logged.tap.device_seq),
            },
            by=logged.tap.asked_by,
            actor=logged.actor,
            agreed=agreed,
            answered_by=answer.actor if answer else None,
        )
    return [*found.values()]


def _answers(answer: Logged, strike: Logged) -> bool:
    """Whether an answer is one to this strike."""
    told, asking = answer.tap, strike.tap
    return (
        isinstance(told, UndoAnswered)
        and isinstance(asking, Struck)
        and answer.seq > strike.seq
        and told.by is not None
        and (told.by != asking.asked_by or not told.agreed)
    )


def is_open(asked: Asked, gone: Container[TapKey]) -> bool:
    """Whether a request waits for an answer, and there is something left to undo."""
    return asked.agreed is None and any(one not in gone for one in asked.strikes.values())


def struck(taps: Sequence[Logged], asked: Iterable[Asked] | None = None) -> Mapping[TapKey, TapKey]:
    """The taps that do not count, each with one of the strikes that take it away.

    A strike that is struck itself takes nothing away, and so does one that asks and that nobody
    else has agreed to. One that strikes what strikes it, which only a forger could make, counts as
    none. ``asked``: the ``requests`` among the taps, if they are known already.
    """
    asked = requests(taps) if asked is None else asked
    waiting = {key for one in asked if not one.agreed for key in one.strikes}
    strikes: dict[TapKey, list[TapKey]] = {}
    for logged in taps:
        if isinstance(logged.tap, Struck) and logged.key not in waiting:
            target = (logged.tap.device, logged.tap.device_seq)
            strikes.setdefault(target, []).append(logged.key)
    settled: dict[TapKey, TapKey | None] = {}
    for logged in taps:
        _settle(logged.key, strikes, settled)
    return {key: by for key, by in settled.items() if by is not None}


def _settle(
    key: TapKey, strikes: Mapping[TapKey, list[TapKey]], settled: dict[TapKey, TapKey | None]
) -> None:
    """Say of a tap, and of all that strike it, whether they count. Chains of strikes may be long,
    so none of it is recursive."""
    ahead, entered = [key], set[TapKey]()
    while ahead:
        current = ahead[-1]
        if current in settled:
            ahead.pop()
            continue
        open_ones = [
            one for one in strikes.get(current, ()) if one not in settled and one not in entered
        ]
        if open_ones and current not in entered:
            entered.add(current)
            ahead.extend(open_ones)
            continue
        standing = [one for one in strikes.get(current, ()) if settled.get(one, one) is None]
        settled[current] = min(standing, default=None)
        ahead.pop()
