"""A log that grows, folded on from where it was: a new tap costs no second fold of the evening."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from campaigns.table.fold import Folding, table_now, table_work
from campaigns.table.order import in_order, requests, struck
from campaigns.table.state import Asked, Start, TableNow
from campaigns.table.taps import Logged, Rolled, Struck, TapKey, UndoAnswered

# Where the table is kept to go back to, counted in taps: a phone that is a little behind, or an
# undo, changes what was folded already. Near the end more often.
FAR, NEAR, END = 256, 16, 64
# Up to this number, new taps are put in their places one by one.
FEW = 32


@dataclass(frozen=True)
class Progress:
    """A log as far as it is known.

    ``taps``: in the order in which they are folded; ``gone``: those that do not count, each with
    what strikes it; ``asked``: the requests to undo; ``kept``: the table after so many of the taps,
    from the first on. None of it is changed: going on makes another one.
    """

    start: Start
    taps: tuple[Logged, ...]
    by_key: Mapping[TapKey, Logged]
    targets: frozenset[TapKey]
    gone: Mapping[TapKey, TapKey]
    asked: tuple[Asked, ...]
    kept: tuple[tuple[int, Folding], ...]
    now: TableNow

    def go_on(self, log: Iterable[Logged]) -> Progress:
        """The same log with more taps, wherever in it they belong."""
        fresh = {one.key: one for one in log if one.key not in self.by_key}
        if not fresh:
            return self
        taps = _put_in(self.taps, list(fresh.values()))
        targets = self.targets | {
            (one.tap.device, one.tap.device_seq)
            for one in fresh.values()
            if isinstance(one.tap, Struck)
        }
        gone, asked = self.gone, self.asked
        if targets and any(_changes_strikes(one, targets) for one in fresh.values()):
            asked = tuple(requests(taps))
            gone = struck(taps, asked)
        same = _same(self.taps, taps, self.gone.keys() ^ gone.keys())
        by_key = {**self.by_key, **fresh}
        with table_work(len(taps)):
            kept = _fold(self.kept, taps, gone, same)
            now = table_now(kept[-1][1], taps, by_key, gone, asked)
        return Progress(self.start, tuple(taps), by_key, targets, gone, asked, kept, now)


def begin(start: Start) -> Progress:
    """A table before the first tap."""
    nothing = Folding(start)
    with table_work(0):
        now = table_now(nothing, (), {}, {}, ())
    return Progress(start, (), {}, frozenset(), {}, (), ((0, nothing),), now)


def _changes_strikes(one: Logged, targets: frozenset[TapKey]) -> bool:
    """Whether a new tap may change what is struck: it strikes, answers, is struck already, or makes
    the dice of its act the application's."""
    return (
        one.key in targets
        or isinstance(one.tap, Struck | UndoAnswered)
        or (isinstance(one.tap, Rolled) and one.tap.thrown)
    )


def _put_in(known: Sequence[Logged], fresh: Sequence[Logged]) -> list[Logged]:
    """Taps that are in order with new ones in their places."""
    if len(fresh) > FEW:
        return in_order([*known, *fresh])
    taps = list(known)
    for one in fresh:
        insort(taps, one, key=lambda logged: logged.place)
    return taps


def _same(known: Sequence[Logged], taps: Sequence[Logged], changed: set[TapKey]) -> int:
    """How many taps from the first on are as they were, and count or not as they did."""
    for place, (before, now) in enumerate(zip(known, taps, strict=False)):
        if before is not now or (changed and now.key in changed):
            return place
    return len(known)


def _fold(
    kept: Sequence[tuple[int, Folding]],
    taps: Sequence[Logged],
    gone: Mapping[TapKey, TapKey],
    same: int,
) -> tuple[tuple[int, Folding], ...]:
    """The states to keep after these taps, of which the first ``same`` ones are as before."""
    last = len(taps)
    good = kept[: bisect_right(kept, same, key=lambda one: one[0])]
    found = [one for one in good[:-1] if _is_kept(one[0], last)]
    place, folding = good[-1]
    if _is_kept(place, last):
        found.append((place, folding))
    folding = folding.copy()
    for number, logged in enumerate(taps[place:], start=place + 1):
        if logged.key not in gone:
            folding.take(logged)
        if number < last and _is_kept(number, last):
            found.append((number, folding))
            folding = folding.copy()
    return (*found, (last, folding))


def _is_kept(place: int, last: int) -> bool:
    return place % (NEAR if place > last - END else FAR) == 0
