"""Effects of outcomes and actions as taps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from campaigns.table import taps as kinds
from campaigns.table.attempts.attempt import Attempt, Who, side_of
from campaigns.table.state import Start, TableNow
from campaigns.table.taps import AnyTap
from rules.book import roll_effects
from rules.book.model import Book
from rules.book.rolls import RollOutcome
from rules.engine.evening import played_in
from rules.engine.expressions import BadExpression, Unknown, Value, parse
from rules.engine.playing import Played
from rules.odds.chances import reads_item

# All effects happen whose conditions are true.
EVERY: Mapping[int, bool] = {}


@dataclass(frozen=True)
class Follows:
    """Another roll that follows from an outcome. ``who`` throws it; ``many``: for several targets;
    ``elsewhere``: at somebody else."""

    roll: str
    who: Who
    many: bool = False
    elsewhere: bool = False


def apply_effects(
    start: Start,
    now: TableNow,
    effects: Sequence[roll_effects.RollEffect],
    attempt: Attempt,
    names: Mapping[str, Value],
    outcome: str | None = None,
    holds: Mapping[int, bool] = EVERY,
) -> tuple[list[AnyTap], list[Follows]]:
    """Return the taps of an ``outcome``'s effects, or an action's, and the rolls that follow.

    ``now``: the table before; ``names``: the values that the roll has bound; ``holds``: whether the
    effects at these places happen, in place of their conditions. Nobody loses more life than they
    have.
    """
    taps: list[AnyTap] = []
    follows: list[Follows] = []
    for place, effect in enumerate(effects):
        happens = holds.get(place)
        if happens is None:
            happens = effect.given is None or parse(effect.given).holds(names)
        who = _whom(effect.whom, attempt)
        if not happens or who is None:
            continue
        if effect.kind == "then":
            follows.append(Follows(effect.roll, who, effect.many, effect.elsewhere))
        elif effect.kind == "moves":
            taps += _order(effect, place, who, attempt, names, outcome)
        else:
            for tap in _taps(now, effect, attempt, names):
                taps += _limit_loss(start, now, tap, taps)
    return taps, follows


def _order(
    effect: roll_effects.Moves,
    place: int,
    who: Who,
    attempt: Attempt,
    names: Mapping[str, Value],
    outcome: str | None,
) -> Iterator[AnyTap]:
    """Yield the order to move, unless it is no way at all."""
    figure, side = (who, None) if isinstance(who, str) else (None, who)
    distance = None if effect.distance is None else parse(effect.distance).number(names)
    if distance is not None:
        distance = min(distance, kinds.MOST_CHANGE)
    if distance is None or distance > 0:
        of_roll = outcome is not None
        yield kinds.Ordered(
            figure=figure,
            side=side,
            roll=attempt.roll if of_roll else None,
            outcome=outcome,
            action=None if of_roll else attempt.action,
            place=place,
            distance=distance,
        )


def _limit_loss(
    start: Start, now: TableNow, tap: AnyTap, earlier: Sequence[AnyTap]
) -> Iterator[AnyTap]:
    """Yield a tap with no larger loss than what its figure has left of its life after the
    ``earlier`` taps; nothing if none is left."""
    if not isinstance(tap, kinds.Counted) or tap.by > 0 or tap.track != start.book.life:
        yield tap
        return
    left = now.figures[tap.figure].tracks.get(tap.track, 0) if tap.figure is not None else 0
    for one in earlier:
        if isinstance(one, kinds.Counted) and (one.figure, one.track) == (tap.figure, tap.track):
            left += one.by
    if left > 0:
        yield tap.model_copy(update={"by": max(tap.by, -left)})


def _taps(
    now: TableNow, effect: roll_effects.RollEffect, attempt: Attempt, names: Mapping[str, Value]
) -> Iterator[AnyTap]:
    who = _whom(effect.whom, attempt)
    if who is None:
        return
    figure, side = (who, None) if isinstance(who, str) else (None, who)
    item = attempt.item if effect.whom == "item" else None
    match effect:
        case roll_effects.Changes():
            amount = _bound(parse(effect.amount).number(names))
            if amount:
                yield kinds.Counted(
                    figure=figure, side=side, item=item, track=effect.track, by=amount
                )
        case roll_effects.Sets():
            to = _bound(parse(effect.to).number(names))
            yield kinds.SetTo(figure=figure, side=side, track=effect.track, to=to)
        case roll_effects.Begins():
            until = effect.until
            yield kinds.Began(figure=figure, side=side, item=item, state=effect.state, until=until)
        case roll_effects.Ends():
            yield kinds.Ended(figure=figure, side=side, item=item, state=effect.state)
        case roll_effects.Out() if figure is not None:
            # A figure that falls in its own attack is put out by its target.
            by = attempt.at if figure == attempt.by else attempt.by
            is_felled = isinstance(by, str) and by != figure and not effect.unhurt
            yield _leave(effect, figure, by if is_felled else None)
        case roll_effects.Out():
            # A whole side leaves: everybody of it who is still there, by nobody's hand.
            for key, there in now.figures.items():
                if there.side == side and there.out is None:
                    yield _leave(effect, key)
        case roll_effects.Back() if figure is not None:
            yield kinds.Back(figure=figure)
        case roll_effects.LosesWeapon() if figure is not None and attempt.item is not None:
            yield kinds.LostWeapon(figure=figure, item=attempt.item, lasting=effect.lasting)
        case roll_effects.Counts():
            by = _bound(parse(effect.amount).number(names))
            if by:
                yield kinds.Tallied(figure=figure, side=side, tally=effect.tally, by=by)
        case roll_effects.EndsActivation() if figure is not None:
            yield kinds.Acted(figure=figure)


def _bound(number: int) -> int:
    """Return a number that a tap can hold: dice that a phone sent may come with any distance."""
    return max(-kinds.MOST_CHANGE, min(number, kinds.MOST_CHANGE))


def _leave(effect: roll_effects.Out, figure: str, by: Who | None = None) -> kinds.Out:
    """Return the tap of a figure that goes out of the game, by the hand of another one."""
    hand = by if isinstance(by, str) else None
    return kinds.Out(figure=figure, by=hand, mark=effect.mark, unhurt=effect.unhurt)


def _whom(whom: str, attempt: Attempt) -> Who | None:
    """Return the figure or side that an effect is about."""
    match whom:
        case "by" | "item":
            return attempt.by
        case "at":
            return attempt.at
        case "by_side":
            return side_of(attempt.by)
        case "at_side":
            return None if attempt.at is None else side_of(attempt.at)
    raise ValueError(whom)


# Effects of an outcome.


def bring_dice(start: Start, now: TableNow, attempt: Attempt, played: Played) -> list[AnyTap]:
    """Return the taps of the outcome of dice."""
    rows = attempt.question(start, now).roll.outcomes
    outcome = next((one for one in rows if one.key == played.outcome), None)
    return bring_outcome(start, now, attempt, outcome, played.names)


def bring_outcome(
    start: Start,
    now: TableNow,
    attempt: Attempt,
    outcome: RollOutcome | None,
    numbers: Mapping[str, Value],
    holds: Mapping[int, bool] = EVERY,
) -> list[AnyTap]:
    """Return the taps of an outcome where the roll has bound these ``numbers``. ``holds``: as for
    ``apply_effects``."""
    if outcome is None:
        return []
    asked = attempt.question(start, now)
    effects = asked.roll.effects_of(outcome)
    taps, follows = apply_effects(
        start, now, effects, attempt, {**asked.names, **numbers}, outcome.key, holds
    )
    found = [tap for tap in taps if _has(now, tap)]
    next_rolls = (_follow(asked.book, attempt, one) for one in follows)
    return [*found, *(tap for tap in next_rolls if _may_follow(start, now, attempt, tap))]


def sort_taps(taps: Iterable[AnyTap]) -> list[AnyTap]:
    """Sort the taps of one act: ``Acted`` comes last, because it ends the states that last only as
    long as the activation."""
    return sorted(taps, key=lambda tap: isinstance(tap, kinds.Acted))


def _may_follow(start: Start, now: TableNow, attempt: Attempt, tap: kinds.Followed) -> bool:
    """Whether a following roll can be made under these options, by this figure: the one of the
    ``attempt`` is still doing its action."""
    row = start.book.roll[tap.roll]
    if not start.rules.has(row) or not played_in(start.scenario, [row]):
        return False
    if isinstance(tap.who, int) or row.using == "item" and tap.item is None:
        return True
    if tap.at_item is None and row.usable and reads_item(parse(row.usable).names, "at_item"):
        # The target's weapon is chosen later.
        return True
    weapons = (tap.item, tap.mode, tap.at_item, tap.at_mode)
    action = attempt.action if tap.who == attempt.by else None
    follower = Attempt(tap.who, tap.roll, tap.at, *weapons, action=action)
    try:
        return follower.question(start, now).usable
    except (BadExpression, Unknown):
        return True


def _has(now: TableNow, tap: AnyTap) -> bool:
    """Whether a figure or side has the track that a tap changes: a rule may change tracks that only
    some have."""
    if not isinstance(tap, kinds.Counted | kinds.SetTo):
        return True
    if tap.figure is not None:
        return tap.track in now.figures[tap.figure].tracks
    return tap.side is not None and tap.track in now.sides[tap.side].tracks


def _follow(book: Book, attempt: Attempt, follows: Follows) -> kinds.Followed:
    """Return the tap of a following roll: at the same target, or back at the attacker, or at others
    whom the players know."""
    row, who = book.roll[follows.roll], follows.who
    known: dict[str, Who | None] = {}
    if follows.elsewhere and row.at == "member":
        other = attempt.by if who == attempt.at else attempt.at
        known = {"but": other if isinstance(other, str) else None}
    elif follows.many:
        pass
    elif row.at == "member" and who == attempt.by:
        known = {"at": attempt.at, "at_item": attempt.at_item, "at_mode": attempt.at_mode}
    elif row.at == "member" and who == attempt.at:
        known = {"at": attempt.by, "at_item": attempt.item, "at_mode": attempt.mode}
    if row.using == "item" and who == attempt.by:
        known |= {"item": attempt.item, "mode": attempt.mode}
    told = {"roll": follows.roll, "who": who, "many": follows.many}
    return kinds.Followed.model_validate({**told, **known})
