"""Which taps count, and in what order: the same whenever they arrived."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from campaigns.table.taps import Logged, Struck, TapKey


def in_order(log: Iterable[Logged]) -> list[Logged]:
    """All taps in the order in which they are folded, each once."""
    known: dict[TapKey, Logged] = {}
    for tap in log:
        known.setdefault(tap.key, tap)
    return sorted(known.values(), key=lambda tap: tap.place)


def struck(taps: Sequence[Logged]) -> Mapping[TapKey, TapKey]:
    """The taps that do not count, each with one of the strikes that take it away.

    A strike that is struck itself takes nothing away. One that strikes what strikes it, which only
    a forger could make, counts as none.
    """
    strikes: dict[TapKey, list[TapKey]] = {}
    for logged in taps:
        if isinstance(logged.tap, Struck):
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
