"""Rolls of attempts: thrown, typed or settled in words, and offers to spend something on them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import prod
from uuid import UUID

from campaigns.table.attempts.attempt import Attempt, asking_much, side_of
from campaigns.table.attempts.effects import bring_dice
from campaigns.table.fold import Folded
from campaigns.table.state import Start, TableNow, names_at_table
from campaigns.table.taps import MOST_DICE, MOST_FACES, AnyTap, Rolled
from rules.book.rolls import RollOutcome, Spend
from rules.bounds.work import TooMuch
from rules.engine.alike import WRITTEN, Sources
from rules.engine.compiling import CompiledStep, Rounds, names_of_effects, ready
from rules.engine.dice import BadFaces
from rules.engine.distributions import multisets
from rules.engine.expressions import BadExpression, Unknown, Value, parse
from rules.engine.odds import HOPELESS
from rules.engine.playing import (
    Keep,
    Missing,
    Path,
    Played,
    Wanted,
    Watch,
    keep_proposed,
    play,
    retell,
    tell,
)
from rules.odds.chances import Question, loops_of, spends

MOST_SPENT = 20
# The most ways in which new dice may fall that are looked at.
MOST_WAYS = 150
# The most results that are looked at for one offer and everything that may be spent after it.
MOST_AHEAD = 500
# Raised for a roll in a situation that its author did not foresee, and for impossible faces.
IMPOSSIBLE = (*HOPELESS, BadFaces)

Faces = tuple[tuple[int, ...], ...]


def throw(asked: Question, thrower: Callable[[int], int]) -> Played:
    """Let the application throw. Raises TooMuch for too many dice."""
    return play(asked.ready, asked.names, thrower)


def play_faces(
    asked: Question,
    faces: Faces,
    spent: Sequence[str] = (),
    spent_in: Sequence[Rounds] = (),
    kept: Faces = (),
    *,
    asks: bool = False,
    watch: Watch | None = None,
) -> Played:
    """Return the result of these faces, with everything that is ``spent`` on them in its round.

    ``kept``: the player's choices of dice to keep; then the application chooses, or ``asks``: it
    raises Undecided; ``watch`` takes notes. Raises Missing with the next dice, BadFaces for
    impossible faces.
    """
    made = ready(asked.rules, asked.roll.key, tuple(spent), tuple(spent_in))
    return tell(made, asked.names, faces, kept, asks=asks, watch=watch)


def replay(asked: Question, rolled: Rolled, watch: Watch | None = None) -> Played:
    """Return the result of a tap's dice; ``watch`` takes notes. Raises Missing or BadFaces for
    impossible dice."""
    return play_faces(asked, rolled.faces, rolled.spent, rolled.spent_in, rolled.kept, watch=watch)


@dataclass(frozen=True)
class FreeEnd:
    """The end of a roll before any die is thrown, which costs nothing. ``names``: the values that
    its steps have bound."""

    outcome: RollOutcome
    names: Mapping[str, Value]


def find_free_end(asked: Question) -> FreeEnd | None:
    """Return the free outcome with which a roll surely ends before any die, None if it has none."""
    free = {row.key: row for row in asked.roll.outcomes if row.free}
    if not free:
        return None
    try:
        played = play_faces(asked, ())
    except (*IMPOSSIBLE, Missing):
        return None
    row = free.get(played.outcome)
    return None if row is None else FreeEnd(row, played.names)


def try_faces(asked: Question, rolled: Rolled, watch: Watch | None = None) -> Played | None:
    """Return the result of a tap's dice, None for impossible faces; ``watch`` takes notes."""
    try:
        return replay(asked, rolled, watch)
    except (*IMPOSSIBLE, Missing):
        return None


def keep_dice(
    attempt: Attempt,
    played: Played,
    *,
    thrown: bool,
    spent: tuple[str, ...] = (),
    spent_in: tuple[Rounds, ...] = (),
    is_open: bool,
) -> Rolled:
    """Return the tap of dice that fell. ``is_open``: something may still be spent on them."""
    faces = tuple(one.faces for one in played.throws)
    if len(faces) > MOST_FACES or any(len(one) > MOST_DICE for one in faces):
        raise TooMuch("more dice than a log keeps")
    values = {key: max(-999, min(number, 999)) for key, number in played.numbers.items()}
    settled = settle_roll(attempt, played.outcome or None, values)
    return settled.model_copy(
        update={
            "faces": faces,
            "thrown": thrown,
            "spent": spent,
            "spent_in": spent_in if any(spent_in) else (),
            "kept": played.kept,
            "open": is_open,
        }
    )


def settle_roll(attempt: Attempt, outcome: str | None, numbers: Mapping[str, int]) -> Rolled:
    """Return the tap of a roll without dice: a player says which outcome it had."""
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
        alarm=attempt.alarm,
    )


# Rolls that wait.


@dataclass(frozen=True)
class PendingRoll:
    """A roll of the log with its attempt, the table before it, and its last dice.

    ``is_settled``: nothing can be spent on it any more; ``seen``: the number of taps of its act.
    """

    attempt: Attempt
    before: TableNow
    rolled: Rolled
    is_settled: bool
    seen: int

    def with_dice(self, rolled: Rolled) -> PendingRoll:
        """Return the roll with other dice."""
        return replace(self, rolled=rolled)


def find_roll(folded: Folded, act: UUID) -> PendingRoll | None:
    """Return the roll of an act, None if it has none that this table knows."""
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


def is_undone(folded: Folded, act: UUID) -> bool:
    """Whether an act has dice that were undone."""
    taps = folded.acts.get(act, ())
    return any(isinstance(one.tap, Rolled) and one.key in folded.gone for one in taps)


# Spending.


def spend(
    asked: Question,
    rolled: Rolled,
    key: str,
    more: Callable[[Wanted], tuple[int, ...]],
    rounds: Rounds = (),
    choose: Keep = keep_proposed,
    watch: Watch | None = None,
) -> Played:
    """Return the result of a roll with one more thing spent on it; ``watch`` takes notes.

    ``more``: returns the dice that this needs; ``rounds``: the round in which it counts;
    ``choose``: chooses the dice to keep. Raises the exceptions of these functions, and KeyError for
    nothing that can be spent.
    """
    return _spend(asked, rolled, replay(asked, rolled), key, more, rounds, choose, watch)


def _spend(
    asked: Question,
    rolled: Rolled,
    before: Played,
    key: str,
    more: Callable[[Wanted], tuple[int, ...]],
    rounds: Rounds,
    choose: Keep = keep_proposed,
    watch: Watch | None = None,
) -> Played:
    spent_in = spent_in_with(rolled, rounds)
    made = ready(asked.rules, asked.roll.key, (*rolled.spent, key), spent_in)
    return retell(made, asked.names, before, more, choose, watch)


def spent_in_with(rolled: Rolled, rounds: Rounds) -> tuple[Rounds, ...]:
    """Return the round of everything spent on a roll, with one more."""
    there = rolled.spent_in[: len(rolled.spent)]
    return (*there, *[()] * (len(rolled.spent) - len(there)), rounds)


def take_faces(faces: Iterable[tuple[int, ...]]) -> Callable[[Wanted], tuple[int, ...]]:
    """Return a function that takes typed dice in order. It raises Missing when they run out,
    BadFaces for impossible faces."""
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
    """Return a function that lets the application throw."""
    return lambda wanted: tuple([thrower(wanted.sides) for _die in range(wanted.dice)])


# The payer of an offer, and the offer in a form.
Choice = tuple[str, str]


@dataclass(frozen=True)
class Offer:
    """Something that can be spent on a roll. ``payer``: the figure that pays; ``left``: how much it
    has, None if no track is spent; ``path``: the round in which it would count."""

    spend: Spend
    payer: str
    left: int | None
    path: Path = ()

    @property
    def rounds(self) -> Rounds:
        """The number of its round in each loop."""
        return tuple(number for _loop, number in self.path)

    @property
    def value(self) -> str:
        """The offer in a form: "luck", or "luck 2" in round 2 of a loop."""
        return " ".join([self.spend.key, *map(str, self.rounds)])

    @property
    def choice(self) -> Choice:
        """The payer and the offer in a form."""
        return self.payer, self.value

    @property
    def purse(self) -> tuple[str, str | None, bool]:
        """The payer, the track, and whether it rises."""
        return self.payer, self.spend.track, self.spend.raises


def find_offers(folded: Folded, pending: PendingRoll, spending: Offer | None = None) -> list[Offer]:
    """Return the offers that matter for a roll, each in one round that was played. ``spending``: an
    offer that is already being used on it.

    An offer matters if the dice could fall so that the roll writes something else than it does as
    the dice lie: see ``_Outlook``.
    """
    rolled = pending.rolled
    if not rolled.faces:
        return []
    asked = pending.attempt.question(folded.start, pending.before)
    before = try_faces(asked, rolled)
    if before is None:
        return []
    paid = () if spending is None else (spending,)
    # All results are of one attempt at one state of the table.
    with asking_much():
        return _Outlook(folded, pending, asked, before).find(paid)


# An outcome, the numbers that are for the players, and the taps.
Result = tuple[str, tuple[tuple[str, int], ...], tuple[AnyTap, ...]]


class _Outlook:
    """The results that dice may still have after spending.

    A result is what an outcome writes: its key, its taps, and its numbers. Its taps have losses
    limited to what there is to lose. Two kinds of numbers are left out, since the taps say more
    about them: those that an effect of the outcome writes (three wounds are no more than two for
    the last point of life), and those from which others are worked out that an effect writes (hits
    and saves where wounds are lost). Any other number is for the players themselves: inches to run,
    wounds to deal out.
    """

    def __init__(
        self, folded: Folded, pending: PendingRoll, asked: Question, before: Played
    ) -> None:
        self.start, self.pending = folded.start, pending
        self.asked, self.before = asked, before
        spent, turn = pending.rolled.spent, pending.before.turn
        self.open = [*_open(folded, asked, pending.attempt, spent, turn)]
        self.sources = _sources(asked)
        self.results: dict[object, Result] = {}
        # Where nothing takes dice away again, their order does not matter.
        amounts = [one.spend.amount for one in self.open]
        self.only_adds = all(isinstance(one, int) and one > 0 for one in amounts)
        # For each outcome, the names of which its effects write the values, and all they read.
        roll, rows = asked.roll, asked.ready.outcomes
        self.written = {row.key: names_of_effects(roll, [row], WRITTEN) for row in rows}
        self.read = {
            row.key: tuple(names_of_effects(roll, [row], ("given", *WRITTEN))) for row in rows
        }

    def offers(self, rolled: Rolled, played: Played, paid: Sequence[Offer]) -> Iterator[Offer]:
        """Yield all offers for dice after everything in ``paid``."""
        if len(rolled.spent) >= MOST_SPENT:
            return
        for one in self.open:
            left = one.left
            if left is None:
                is_over = any(other.spend == one.spend for other in paid)
            else:
                left -= sum(other.purse == one.purse for other in paid)
                is_over = left <= 0
            if is_over:
                continue
            for path in _paths(self.asked, played, one.spend):
                yield replace(one, left=left, path=path)

    def find(self, paid: Sequence[Offer]) -> list[Offer]:
        """Return the offers that matter, alone or with further ones of their side."""
        offers = [*self.offers(self.pending.rolled, self.before, paid)]
        alone = {one.choice for one in offers if self._matters(one, paid)}
        done, found = set(alone), []
        for one in offers:
            if one.choice in alone or self._matters(one, paid, frozenset(done)):
                found.append(one)
            else:
                done.add(one.choice)
        return found

    def _matters(
        self, offer: Offer, paid: Sequence[Offer], done: frozenset[Choice] | None = None
    ) -> bool:
        """Whether new dice may fall so that there is another result: after this offer alone, or,
        unless ``done`` is None, after further ones of its side: where one save more is too few, a
        second one may be enough.

        The order of spending does not change which results are possible, so each combination is
        looked at in one order: ``done`` are the choices that nobody needs to spend after others,
        since they matter alone, or were looked at. Offers of other sides are left out: these are
        asked for themselves, and once they change something, everything is looked at again.

        If there are too many ways to look at, or the player chooses between dice, the offer
        matters: a needless question is better than a choice taken away.
        """
        side, ways, seen = side_of(offer.payer), 0, set[object]()
        ahead = deque([(self.pending.rolled, self.before, offer, paid, done or frozenset())])
        try:
            while ahead:
                rolled, before, one, paid, skip = ahead.popleft()
                spent, paid = _with_spent(rolled, one), (*paid, one)
                for played, _share in _foresee(self.asked, rolled, before, one, self.sources):
                    ways += 1
                    chosen = len(played.choices) > len(before.choices)
                    if ways > MOST_AHEAD or chosen or self._result(played) != self.stands:
                        return True
                    dice = skip, self._lying(spent, played)
                    if done is None or dice in seen:
                        continue
                    seen.add(dice)
                    there = skip
                    for further in self.offers(spent, played, paid):
                        if side_of(further.payer) == side and further.choice not in there:
                            ahead.append((spent, played, further, paid, there))
                            there |= {further.choice}
        except IMPOSSIBLE:
            return True
        return False

    @cached_property
    def stands(self) -> Result:
        """The result of the dice as they lie."""
        return self._result(self.before)

    def _result(self, played: Played) -> Result:
        key, names = played.outcome, played.names
        written = self.written.get(key, frozenset()) | self.sources.details
        numbers = tuple(pair for pair in played.numbers.items() if pair[0] not in written)
        # The taps depend on nothing else.
        known = key, numbers, tuple(names.get(name) for name in self.read.get(key, ()))
        if known not in self.results:
            now = self.pending.before
            taps = bring_dice(self.start, now, self.pending.attempt, played)
            self.results[known] = key, numbers, tuple(taps)
        return self.results[known]

    def _lying(self, rolled: Rolled, played: Played) -> object:
        """Return everything that decides what further spending may do to dice."""
        spent = sorted(zip(rolled.spent, rolled.spent_in, strict=True))
        order = sorted if self.only_adds else tuple
        dice = [(*one.wanted.place, *order(one.faces)) for one in played.throws]
        return tuple(spent), tuple(dice), tuple(kept for _choice, kept in played.choices)


def _sources(asked: Question) -> Sources:
    return Sources(asked.ready, spends(asked))


def _with_spent(rolled: Rolled, offer: Offer) -> Rolled:
    """Return a roll with one more thing spent on it, before its dice are known."""
    spent_in = spent_in_with(rolled, offer.rounds)
    update = {"spent": (*rolled.spent, offer.spend.key), "spent_in": spent_in}
    return rolled.model_copy(update=update)


def foresee(asked: Question, rolled: Rolled, offer: Offer) -> list[tuple[Played, Fraction]]:
    """Return the possible results of a roll after spending, each with its chance. Raises TooMuch if
    there are too many ways for new dice to fall, or other errors of IMPOSSIBLE."""
    return [*_foresee(asked, rolled, replay(asked, rolled), offer, _sources(asked))]


def _foresee(
    asked: Question, rolled: Rolled, before: Played, offer: Offer, sources: Sources
) -> Iterator[tuple[Played, Fraction]]:
    """Yield the possible results of a roll after spending, as ``foresee``; none if nothing can be
    spent like this. Of faces that count alike one stands for all."""
    ahead: list[tuple[Faces, Fraction]] = [((), Fraction(1))]
    ways = 0
    last: tuple[CompiledStep, Mapping[str, Value]] | None = None

    def watch(step: CompiledStep, names: Mapping[str, Value], _wanted: Wanted | None) -> None:
        nonlocal last
        last = step, names

    key, rounds = offer.spend.key, offer.rounds
    while ahead:
        faces, share = ahead.pop()
        try:
            played = _spend(asked, rolled, before, key, take_faces(faces), rounds, watch=watch)
        except Missing as missing:
            wanted = missing.wanted
            assert last is not None
            alike = dict(sources.find_alike(*last, wanted.sides))
            all_ways = wanted.sides**wanted.dice
            for thrown, number in multisets(wanted.dice, [*alike]):
                ways += 1
                if ways > MOST_WAYS:
                    raise TooMuch("too many ways for new dice to fall") from None
                number *= prod(alike[face] for face in thrown)
                ahead.append(((*faces, thrown), share * Fraction(number, all_ways)))
        except IMPOSSIBLE:
            if faces:
                raise
            return
        else:
            yield played, share


def find_undecided(folded: Folded, pending: PendingRoll, offers: Iterable[Offer]) -> frozenset[int]:
    """Return the sides of these offers that have not said that they spend nothing, on this roll or
    in this turn."""
    sides = {side_of(offer.payer) for offer in offers}
    return frozenset(sides.difference(pending.rolled.passed, folded.now.declined))


def _paths(asked: Question, played: Played, row: Spend) -> Iterator[Path]:
    """Yield the rounds of a roll in which something may be spent."""
    for loops in loops_of(asked, row):
        if loops:
            yield from (path for path in played.rounds if tuple(loop for loop, _n in path) == loops)
        else:
            yield ()


def foresee_offers(folded: Folded, attempt: Attempt) -> Iterator[Offer]:
    """Yield the offers that an attempt will have once its dice have fallen."""
    asked = attempt.question(folded.start, folded.now)
    there = _open(folded, asked, attempt, (), folded.now.turn)
    return (one for one in there if one.left != 0)


def _open(
    folded: Folded, asked: Question, attempt: Attempt, spent: Sequence[str], turn: int
) -> Iterator[Offer]:
    """Yield all offers for a roll of this turn on which this is ``spent``."""
    for row in spends(asked):
        payer = _payer(folded.start, folded.now, row, attempt)
        if payer is None or not _given(row, asked.names):
            continue
        left = _find_left(folded, row, payer)
        if left is not None or not _is_used(folded, row, payer, spent, turn):
            yield Offer(row, payer, left)


def _find_left(folded: Folded, row: Spend, payer: str) -> int | None:
    """Return how often a figure can still pay, None for something that costs nothing."""
    if row.track is None:
        return None
    start, now = folded.start, folded.now
    number = now.figures[payer].tracks.get(row.track, 0)
    if not row.raises:
        return number
    most = start.book.track[row.track].maximum
    if most is None:
        return MOST_SPENT
    figure = next(one for one in start.figures if one.key == payer)
    return max(0, parse(most).number(names_at_table(start, now, figure)) - number)


def _given(row: Spend, names: Mapping[str, Value]) -> bool:
    try:
        return row.given is None or parse(row.given).holds(names)
    except (BadExpression, Unknown):
        return False


def _payer(start: Start, now: TableNow, row: Spend, attempt: Attempt) -> str | None:
    """Return the figure that pays: the one whose roll it is, or a leader of its side."""
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


def _is_used(folded: Folded, row: Spend, payer: str, spent: Sequence[str], turn: int) -> bool:
    """Whether something that may be used once was used. ``turn``: in which the dice fell, which may
    be over when somebody chooses."""
    if row.key in spent:
        return True
    if row.once == "roll":
        return False
    return any(
        row.key in one.tap.spent and payer == (one.tap.by if row.whose == "own" else one.tap.at)
        for one in folded.log
        if isinstance(one.tap, Rolled) and one.key not in folded.gone
        if row.once == "game" or one.turn == turn
    )
