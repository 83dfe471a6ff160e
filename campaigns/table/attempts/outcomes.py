"""What comes of an attempt, as taps: of dice that were thrown or told, or only said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from campaigns.table import taps as kinds
from campaigns.table.attempts.effects import Act, Follows, Who, brought, side_of
from campaigns.table.attempts.options import paid
from campaigns.table.attempts.situation import question
from campaigns.table.state import Start, TableNow
from campaigns.table.taps import MOST_DICE, MOST_FACES, AnyTap, Rolled
from rules.book.model import Book
from rules.book.rolls import RollOutcome
from rules.bounds.work import TooMuch
from rules.engine.expressions import BadExpression, Unknown, Value, read
from rules.engine.playing import Played, play, tell
from rules.odds.chances import Question

Faces = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Attempt:
    """What somebody means to do: the roll, who at whom with what, what they ``said`` about it, and
    the action that it is part of. ``free``: that was paid before."""

    roll: str
    act: Act
    said: Mapping[str, Value] = field(default_factory=dict)
    action: str | None = None
    free: bool = False

    def asked(self, start: Start, now: TableNow) -> Question:
        """It as a question about odds. Raises KeyError for what this table does not have."""
        return question(start, now, self.roll, self.act, self.said)


# Dice.


def throw(asked: Question, thrower: Callable[[int], int]) -> Played:
    """The application throws. Raises TooMuch for more dice than anybody throws."""
    return play(asked.ready, asked.names, thrower)


def told(asked: Question, faces: Faces) -> Played:
    """Dice of the table. Raises Missing with what is wanted next, BadFaces for impossible faces."""
    return tell(asked.ready, asked.names, faces)


def rolled_tap(
    attempt: Attempt, played: Played, *, thrown: bool, spent: tuple[str, ...] = (), lies: bool
) -> Rolled:
    """Dice that fell, as they are kept; ``lies``: something may still be spent on them."""
    faces = tuple(one.faces for one in played.throws)
    if len(faces) > MOST_FACES or any(len(one) > MOST_DICE for one in faces):
        raise TooMuch("more dice than a log keeps")
    values = {key: max(-999, min(number, 999)) for key, number in played.numbers.items()}
    return _rolled(attempt).model_copy(
        update={
            "faces": faces,
            "thrown": thrown,
            "outcome": played.outcome or None,
            "numbers": values,
            "spent": spent,
            "open": lies,
        }
    )


def _rolled(attempt: Attempt) -> Rolled:
    act = attempt.act
    facts = {key: value for key, value in attempt.said.items() if isinstance(value, int | str)}
    return Rolled(
        roll=attempt.roll,
        by=act.by,
        at=act.at,
        item=act.item,
        mode=act.mode,
        at_item=act.at_item,
        at_mode=act.at_mode,
        facts=facts,
    )


def begun(start: Start, now: TableNow, attempt: Attempt) -> list[AnyTap]:
    """What it costs to make the attempt, whatever comes of it, and what was due that it deals
    with."""
    found: list[AnyTap] = []
    if attempt.action is not None and isinstance(attempt.act.by, str):
        found += paid(start, now, attempt.act, attempt.action, free=attempt.free)
    return [*found, *_dealt(start, now, attempt)]


def in_turn(taps: Iterable[AnyTap]) -> list[AnyTap]:
    """The taps of one act in the order in which they are told: that somebody has acted comes
    last, for it ends what lasts only while they act."""
    return sorted(taps, key=lambda tap: isinstance(tap, kinds.Acted))


def _dealt(start: Start, now: TableNow, attempt: Attempt) -> Iterator[AnyTap]:
    by = attempt.act.by
    for due in now.due:
        if start.book.alarm[due.alarm].roll == attempt.roll and due.who == by:
            yield kinds.Dealt(alarm=due.alarm, who=due.who)
            break
    for follow_up in now.follow_ups:
        if follow_up.roll == attempt.roll and follow_up.who in (by, side_of(by)):
            yield kinds.Dealt(roll=follow_up.roll, who=follow_up.who)
            break


def comes_of(start: Start, now: TableNow, attempt: Attempt, played: Played) -> list[AnyTap]:
    """The taps that the outcome of dice comes to."""
    asked = attempt.asked(start, now)
    outcome = next((one for one in asked.roll.outcomes if one.key == played.outcome), None)
    return _brought(start, now, asked.book, attempt, outcome, {**asked.names, **played.names})


def _brought(
    start: Start,
    now: TableNow,
    book: Book,
    attempt: Attempt,
    outcome: RollOutcome | None,
    names: Mapping[str, Value],
) -> list[AnyTap]:
    if outcome is None:
        return []
    taps, follows = brought(now, outcome.effects, attempt.act, names)
    found = [tap for tap in taps if _has(now, tap)]
    next_rolls = (_followed(book, attempt.act, one) for one in follows)
    return [*found, *(tap for tap in next_rolls if _may_follow(start, now, tap))]


def _may_follow(start: Start, now: TableNow, tap: kinds.Followed) -> bool:
    """Whether a roll that would follow is thrown at all: under these options, by this figure."""
    row = start.book.roll[tap.roll]
    if not start.rules.has(row):
        return False
    if isinstance(tap.who, int) or row.using == "item" and tap.item is None:
        return True
    act = Act(tap.who, tap.at, tap.item, tap.mode, tap.at_item, tap.at_mode)
    try:
        return question(start, now, tap.roll, act).usable
    except (BadExpression, Unknown):
        return True


def _has(now: TableNow, tap: AnyTap) -> bool:
    """Whether whom a tap is about has what it changes: a rule may empty what only some have."""
    if not isinstance(tap, kinds.Counted | kinds.SetTo):
        return True
    if tap.figure is not None:
        return tap.track in now.figures[tap.figure].tracks
    return tap.side is not None and tap.track in now.sides[tap.side].tracks


def _followed(book: Book, act: Act, follows: Follows) -> kinds.Followed:
    """A roll that follows: at the same target, or at whoever attacked, as far as the act says."""
    row, who = book.roll[follows.roll], follows.who
    known: dict[str, Who | None] = {}
    if row.at == "member" and who == act.by:
        known = {"at": act.at, "at_item": act.at_item, "at_mode": act.at_mode}
    elif row.at == "member" and who == act.at:
        known = {"at": act.by, "at_item": act.item, "at_mode": act.mode}
    if row.using == "item" and who == act.by:
        known |= {"item": act.item, "mode": act.mode}
    return kinds.Followed.model_validate({"roll": follows.roll, "who": who, **known})


# An act that is only said.


def needed(asked: Question, outcome: RollOutcome) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """What must be said of an outcome besides: the numbers that its effects read, and the places of
    those effects of which nobody can tell without dice whether they happen."""
    numbers = {row.of for row in asked.roll.numbers}
    wanted: dict[str, None] = {}
    unsure = []
    for place, effect in enumerate(outcome.effects):
        if effect.kind == "moves":
            continue
        amounts = [getattr(effect, name, None) for name in ("amount", "to")]
        read_names = {name for one in amounts if one is not None for name in read(one).names}
        given = read(effect.given).names if effect.given else frozenset()
        unknown = {name for name in given if ":" not in name and name not in asked.names}
        found = {name for name in read_names if name not in asked.names} | unknown & numbers
        wanted |= dict.fromkeys(sorted(found))
        if unknown - numbers:
            unsure.append(place)
    return tuple(wanted), tuple(unsure)


def said(
    start: Start,
    now: TableNow,
    attempt: Attempt,
    outcome: str | None,
    numbers: Mapping[str, int],
    happened: Iterable[int] = (),
) -> list[AnyTap]:
    """The taps of an act whose outcome was only said; ``happened``: the places of those effects of
    which nobody could tell. Raises KeyError for no outcome of the roll."""
    asked = attempt.asked(start, now)
    row = next((one for one in asked.roll.outcomes if one.key == outcome), None)
    if row is None and outcome is not None:
        raise KeyError(outcome)
    told = claimed(attempt, outcome, numbers)
    if row is not None:
        _numbers, unsure = needed(asked, row)
        sure = set(happened) & set(unsure)
        effects = [
            effect.model_copy(update={"given": None}) if place in sure else effect
            for place, effect in enumerate(row.effects)
            if place in sure or place not in unsure
        ]
        row = row.model_copy(update={"effects": tuple(effects)})
    return [*begun(start, now, attempt), told, *brought_by(start, now, attempt, row, numbers)]


def claimed(attempt: Attempt, outcome: str | None, numbers: Mapping[str, int]) -> Rolled:
    """A roll of which somebody said what came of it."""
    return _rolled(attempt).model_copy(update={"outcome": outcome, "numbers": dict(numbers)})


def brought_by(
    start: Start,
    now: TableNow,
    attempt: Attempt,
    outcome: RollOutcome | None,
    numbers: Mapping[str, Value],
) -> list[AnyTap]:
    """The taps that an outcome comes to where a roll has bound these ``numbers``."""
    asked = attempt.asked(start, now)
    return _brought(start, now, asked.book, attempt, outcome, {**asked.names, **numbers})
