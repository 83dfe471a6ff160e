"""Dice that lie: what can still be spent on them, and what comes of them then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from campaigns.table.attempts.effects import Act, side_of
from campaigns.table.attempts.outcomes import Attempt
from campaigns.table.fold import fold
from campaigns.table.order import in_order, struck
from campaigns.table.state import Start, TableNow
from campaigns.table.taps import Logged, Rolled
from rules.book.rolls import Spend
from rules.engine.compiling import ready
from rules.engine.dice import BadFaces
from rules.engine.expressions import BadExpression, Unknown, Value, read
from rules.engine.odds import HOPELESS
from rules.engine.playing import Missing, Played, Wanted, retell, tell
from rules.odds.chances import Question, spends

MOST_SPENT = 20
# What cannot be thrown, told or worked out: a roll that nobody has thought of so, or dice that show
# what they cannot.
IMPOSSIBLE = (*HOPELESS, BadFaces)


@dataclass(frozen=True)
class Lying:
    """An act whose dice lie: what it was, the table before it, and what it came to so far.

    ``settled``: nothing can be spent on it any more; ``seen``: how many taps of it there are.
    """

    attempt: Attempt
    before: TableNow
    rolled: Rolled
    settled: bool
    seen: int

    def with_dice(self, rolled: Rolled) -> Lying:
        """The same with other dice."""
        return replace(self, rolled=rolled)


def find(start: Start, now: TableNow, log: Sequence[Logged], act: UUID) -> Lying | None:
    """An act of the log as it lies; None if there is none, or nothing that this table has was
    thrown in it."""
    gone = now.struck | now.unknown
    ours = [one for one in log if one.act == act]
    rolls = [one for one in ours if isinstance(one.tap, Rolled) and one.key not in gone]
    if not rolls:
        return None
    last, first = rolls[-1].tap, ours[0]
    assert isinstance(last, Rolled)
    before = fold(start, [one for one in log if one.seq < first.seq])
    acted = Act(last.by, last.at, last.item, last.mode, last.at_item, last.at_mode)
    attempt = Attempt(last.roll, acted, dict(last.facts))
    settled = not last.open or dice_of(attempt.asked(start, before), last) is None
    return Lying(attempt, before, last, settled, len(ours))


def spent(
    asked: Question, rolled: Rolled, key: str, more: Callable[[Wanted], tuple[int, ...]]
) -> Played:
    """An act once more with something spent on it; ``more``: dice that this needs.

    Raises what ``more`` raises, KeyError for nothing that can be spent.
    """
    lying = lying_dice(asked, rolled)
    made = ready(asked.rules, asked.roll.key, (*rolled.spent, key))
    return retell(made, asked.names, lying.throws, more)


def lying_dice(asked: Question, rolled: Rolled) -> Played:
    """What dice that lie come to, with all that was spent on them."""
    made = ready(asked.rules, asked.roll.key, rolled.spent)
    return tell(made, asked.names, rolled.faces)


def dice_of(asked: Question, rolled: Rolled) -> Played | None:
    """The same; None for faces that no such dice show."""
    try:
        return lying_dice(asked, rolled)
    except (*IMPOSSIBLE, Missing):
        return None


def more_faces(faces: Iterable[tuple[int, ...]]) -> Callable[[Wanted], tuple[int, ...]]:
    """Dice of the table for what is thrown besides, in order. What comes of it raises Missing when
    they run out, BadFaces for faces that the dice cannot show."""
    rest = iter(faces)

    def found(wanted: Wanted) -> tuple[int, ...]:
        thrown = next(rest, None)
        if thrown is None:
            raise Missing(wanted)
        if len(thrown) != wanted.dice or not all(1 <= face <= wanted.sides for face in thrown):
            raise BadFaces(wanted.dice, wanted.sides)
        return thrown

    return found


def thrown_by(thrower: Callable[[int], int]) -> Callable[[Wanted], tuple[int, ...]]:
    """Dice that the application throws besides."""
    return lambda wanted: tuple([thrower(wanted.sides) for _die in range(wanted.dice)])


@dataclass(frozen=True)
class Offer:
    """Something that can be spent on dice that lie. ``payer``: whose it is; ``left``: how much of
    it they have, None where it is no track."""

    spend: Spend
    payer: str
    left: int | None

    @property
    def purse(self) -> tuple[str, str | None]:
        """What it is paid from: whose, and which track."""
        return self.payer, self.spend.track


def offers(
    start: Start,
    now: TableNow,
    log: Sequence[Logged],
    lying: Lying,
    spending: Offer | None = None,
) -> list[Offer]:
    """What can still be spent on an act and would change it; ``spending``: what is being spent on
    it already."""
    rolled = lying.rolled
    if not rolled.faces or len(rolled.spent) >= MOST_SPENT:
        return []
    asked = lying.attempt.asked(start, lying.before)
    found = []
    for one in _open(start, now, log, asked, lying.attempt.act, rolled.spent):
        left = one.left
        if left and spending and one.purse == spending.purse:
            left -= 1
        if left != 0 and _matters(asked, rolled, one.spend):
            found.append(replace(one, left=left))
    return found


def possible(
    start: Start, now: TableNow, log: Sequence[Logged], attempt: Attempt
) -> Iterator[Offer]:
    """What can be spent on an attempt once its dice lie, whatever they show."""
    asked = attempt.asked(start, now)
    return (one for one in _open(start, now, log, asked, attempt.act, ()) if one.left != 0)


def _open(
    start: Start,
    now: TableNow,
    log: Sequence[Logged],
    asked: Question,
    act: Act,
    spent: Sequence[str],
) -> Iterator[Offer]:
    """What somebody could spend on a roll on which this much is ``spent`` already."""
    for row in spends(asked):
        payer = _payer(start, now, row, act)
        if payer is None or not _given(row, asked.names):
            continue
        left = now.figures[payer].tracks.get(row.track, 0) if row.track else None
        if left is not None or not _used(row, payer, spent, now.turn, log):
            yield Offer(row, payer, left)


def _given(row: Spend, names: Mapping[str, Value]) -> bool:
    try:
        return row.given is None or read(row.given).holds(names)
    except (BadExpression, Unknown):
        return False


def _payer(start: Start, now: TableNow, row: Spend, act: Act) -> str | None:
    """Who pays: those whose roll it is, or a leader of theirs who lends it."""
    who = act.by if row.whose == "own" else act.at
    if not isinstance(who, str):
        return None
    if row.track is None or row.track in now.figures[who].tracks:
        return who
    return next(
        (
            one.key
            for one in start.figures
            if one.side == side_of(who)
            and one.leads
            and row.track in now.figures[one.key].tracks
            and now.figures[one.key].out is None
        ),
        None,
    )


def _used(row: Spend, payer: str, spent: Sequence[str], turn: int, log: Sequence[Logged]) -> bool:
    """Whether what may be used once was."""
    if row.key in spent:
        return True
    if row.once == "roll":
        return False
    gone = struck(in_order(log))
    return any(
        row.key in one.tap.spent and payer == (one.tap.by if row.whose == "own" else one.tap.at)
        for one in log
        if isinstance(one.tap, Rolled) and one.key not in gone
        if row.once == "game" or one.turn == turn
    )


def _matters(asked: Question, rolled: Rolled, row: Spend) -> bool:
    """Whether spending would let dice be thrown, or change what came of those that lie."""
    try:
        before = lying_dice(asked, rolled)
        after = spent(asked, rolled, row.key, more_faces(()))
    except Missing:
        return True
    except IMPOSSIBLE:
        return False
    return (before.outcome, before.numbers) != (after.outcome, after.numbers)
