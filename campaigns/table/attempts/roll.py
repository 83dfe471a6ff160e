"""Dice that fall: thrown, typed or only claimed, and what can be spent on them then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from campaigns.table.attempts.attempt import Attempt, side_of
from campaigns.table.fold import Folded
from campaigns.table.state import Start, TableNow
from campaigns.table.taps import MOST_DICE, MOST_FACES, Rolled
from rules.book.rolls import Spend
from rules.bounds.work import TooMuch
from rules.engine.compiling import ready
from rules.engine.dice import BadFaces
from rules.engine.expressions import BadExpression, Unknown, Value, parse
from rules.engine.odds import HOPELESS
from rules.engine.playing import Missing, Played, Wanted, play, retell, tell
from rules.odds.chances import Question, spends

MOST_SPENT = 20
# What cannot be thrown, told or worked out: a roll that nobody has thought of so, or dice that show
# what they cannot.
IMPOSSIBLE = (*HOPELESS, BadFaces)

Faces = tuple[tuple[int, ...], ...]


def throw(asked: Question, thrower: Callable[[int], int]) -> Played:
    """The application throws. Raises TooMuch for more dice than anybody throws."""
    return play(asked.ready, asked.names, thrower)


def play_faces(asked: Question, faces: Faces, spent: Sequence[str] = ()) -> Played:
    """What dice that show these faces come to, with all that is ``spent`` on them. Raises Missing
    with what is wanted next, BadFaces for impossible faces."""
    made = ready(asked.rules, asked.roll.key, tuple(spent))
    return tell(made, asked.names, faces)


def try_faces(asked: Question, rolled: Rolled) -> Played | None:
    """What the dice of a tap come to; None for faces that no such dice show."""
    try:
        return play_faces(asked, rolled.faces, rolled.spent)
    except (*IMPOSSIBLE, Missing):
        return None


def keep_dice(
    attempt: Attempt,
    played: Played,
    *,
    thrown: bool,
    spent: tuple[str, ...] = (),
    is_open: bool,
) -> Rolled:
    """Dice that fell, as they are kept; ``is_open``: something may still be spent on them."""
    faces = tuple(one.faces for one in played.throws)
    if len(faces) > MOST_FACES or any(len(one) > MOST_DICE for one in faces):
        raise TooMuch("more dice than a log keeps")
    values = {key: max(-999, min(number, 999)) for key, number in played.numbers.items()}
    claim = claim_roll(attempt, played.outcome or None, values)
    return claim.model_copy(
        update={"faces": faces, "thrown": thrown, "spent": spent, "open": is_open}
    )


def claim_roll(attempt: Attempt, outcome: str | None, numbers: Mapping[str, int]) -> Rolled:
    """A roll without its dice: somebody says which outcome it had."""
    facts = {key: value for key, value in attempt.said.items() if isinstance(value, int | str)}
    return Rolled(
        roll=attempt.roll,
        by=attempt.by,
        at=attempt.at,
        item=attempt.item,
        mode=attempt.mode,
        at_item=attempt.at_item,
        at_mode=attempt.at_mode,
        facts=facts,
        outcome=outcome,
        numbers=dict(numbers),
    )


# A roll that waits.


@dataclass(frozen=True)
class PendingRoll:
    """A roll of the log, its dice on the table: what was attempted, the table before it, and what
    it came to so far.

    ``settled``: nothing can be spent on it any more; ``seen``: how many taps of it there are.
    """

    attempt: Attempt
    before: TableNow
    rolled: Rolled
    settled: bool
    seen: int

    def with_dice(self, rolled: Rolled) -> PendingRoll:
        """The same with other dice."""
        return replace(self, rolled=rolled)


def find_roll(folded: Folded, act: UUID) -> PendingRoll | None:
    """The roll of an act; None if there is none, or nothing that this table has was thrown in
    it."""
    ours = [one for one in folded.log if one.act == act]
    gone = folded.gone.keys() | folded.now.unknown
    taps = [one.tap for one in ours if isinstance(one.tap, Rolled) and one.key not in gone]
    rolls = [tap for tap in taps if isinstance(tap, Rolled)]
    if not rolls:
        return None
    last, before = rolls[-1], folded.go_back(ours[0].seq).standing
    attempt = Attempt.of(last)
    settled = not last.open or try_faces(attempt.question(folded.start, before), last) is None
    return PendingRoll(attempt, before, last, settled, len(ours))


# What can be spent on it.


def spend(
    asked: Question, rolled: Rolled, key: str, more: Callable[[Wanted], tuple[int, ...]]
) -> Played:
    """A roll once more with something spent on it; ``more``: dice that this needs.

    Raises what ``more`` raises, KeyError for nothing that can be spent.
    """
    before = play_faces(asked, rolled.faces, rolled.spent)
    made = ready(asked.rules, asked.roll.key, (*rolled.spent, key))
    return retell(made, asked.names, before.throws, more)


def take_faces(faces: Iterable[tuple[int, ...]]) -> Callable[[Wanted], tuple[int, ...]]:
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


def throw_more(thrower: Callable[[int], int]) -> Callable[[Wanted], tuple[int, ...]]:
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


def find_offers(folded: Folded, pending: PendingRoll, spending: Offer | None = None) -> list[Offer]:
    """What can still be spent on a roll and would change it; ``spending``: what is being spent on
    it already."""
    rolled = pending.rolled
    if not rolled.faces or len(rolled.spent) >= MOST_SPENT:
        return []
    asked = pending.attempt.question(folded.start, pending.before)
    found = []
    for one in _open(folded, asked, pending.attempt, rolled.spent):
        left = one.left
        if left and spending and one.purse == spending.purse:
            left -= 1
        if left != 0 and _matters(asked, rolled, one.spend):
            found.append(replace(one, left=left))
    return found


def foresee_offers(folded: Folded, attempt: Attempt) -> Iterator[Offer]:
    """What can be spent on an attempt once its dice lie, whatever they show."""
    asked = attempt.question(folded.start, folded.now)
    return (one for one in _open(folded, asked, attempt, ()) if one.left != 0)


def _open(
    folded: Folded, asked: Question, attempt: Attempt, spent: Sequence[str]
) -> Iterator[Offer]:
    """What somebody could spend on a roll on which this much is ``spent`` already."""
    figures = folded.now.figures
    for row in spends(asked):
        payer = _payer(folded.start, folded.now, row, attempt)
        if payer is None or not _given(row, asked.names):
            continue
        left = figures[payer].tracks.get(row.track, 0) if row.track else None
        if left is not None or not _is_used(folded, row, payer, spent):
            yield Offer(row, payer, left)


def _given(row: Spend, names: Mapping[str, Value]) -> bool:
    try:
        return row.given is None or parse(row.given).holds(names)
    except (BadExpression, Unknown):
        return False


def _payer(start: Start, now: TableNow, row: Spend, attempt: Attempt) -> str | None:
    """Who pays: those whose roll it is, or a leader of theirs who lends it."""
    who = attempt.by if row.whose == "own" else attempt.at
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


def _is_used(folded: Folded, row: Spend, payer: str, spent: Sequence[str]) -> bool:
    """Whether what may be used once was."""
    if row.key in spent:
        return True
    if row.once == "roll":
        return False
    return any(
        row.key in one.tap.spent and payer == (one.tap.by if row.whose == "own" else one.tap.at)
        for one in folded.log
        if isinstance(one.tap, Rolled) and one.key not in folded.gone
        if row.once == "game" or one.turn == folded.now.turn
    )


def _matters(asked: Question, rolled: Rolled, row: Spend) -> bool:
    """Whether spending would let dice be thrown, or change what came of those that lie."""
    try:
        before = play_faces(asked, rolled.faces, rolled.spent)
        after = spend(asked, rolled, row.key, take_faces(()))
    except Missing:
        return True
    except IMPOSSIBLE:
        return False
    return (before.outcome, before.numbers) != (after.outcome, after.numbers)
