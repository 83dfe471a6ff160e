"""Things that wait for players at a table: due alarms and rolls, questions, late taps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.table import asking
from campaigns.table import taps as kinds
from campaigns.table.board import Board, Button, actors
from campaigns.table.state import Double, Due, FollowUp
from campaigns.table.taps import Logged, TapKey
from campaigns.table.text import describe
from gangs.text.formats import localize
from rules.book.evening import Alarm

# The most questions on a page, and the most dependent taps in one question. Answers make room for
# the next questions.
MOST_SHOWN = 40
MOST_RESTING = 20


@dataclass(frozen=True)
class DueLine:
    """A due alarm of one figure or side."""

    due: Due
    who: str
    done: Button


@dataclass(frozen=True)
class DueGroup:
    """A due alarm of all its figures and sides. ``roll``: the roll that it asks for; ``all_done``:
    for several lines together."""

    name: str
    text: str
    phase: str
    roll: str | None
    lines: tuple[DueLine, ...]
    all_done: Button | None


@dataclass(frozen=True)
class FollowUpLine:
    """A roll that follows from another. ``query``: the parameters of its form's address."""

    roll: str
    name: str
    who: str
    at: str
    query: str
    done: Button


@dataclass(frozen=True)
class DecisionLine:
    """A question to the players, with buttons for its answers."""

    text: str
    answers: tuple[Button, ...]


@dataclass(frozen=True)
class ChoiceLine:
    """Something that a player may spend on dice. ``change``: the change that it would make, "" if
    it is not known; ``left``: how much there is, None for no track; ``round``: the name of the
    round in which it counts, "" outside a loop."""

    key: str
    name: str
    round: str
    payer: str
    left: int | None
    change: str


@dataclass(frozen=True)
class OpenRollLine:
    """A roll that does not count yet. ``choices``: those of the reader; ``stands``: the reader's
    side, which may let the dice stand; ``waits_for``: the other sides that must choose; ``seen``:
    the number of taps of its act."""

    address: str
    seen: int
    who: str
    roll: str
    outcome: str
    choices: tuple[ChoiceLine, ...]
    stands: int | None
    waits_for: str


# The room of attempts, which is above this one, finds the rolls that do not count yet.
_finders: list[Callable[[Board], list[OpenRollLine]]] = []


def register(find: Callable[[Board], list[OpenRollLine]]) -> None:
    """Let ``find`` describe the rolls of a table that do not count yet."""
    _finders.append(find)


def open_rolls(board: Board) -> list[OpenRollLine]:
    """Return the rolls of a table that do not count yet."""
    return [line for find in _finders for line in find(board)]


def dues(board: Board, some: Iterable[Due] | None = None) -> list[DueGroup]:
    """Return the due alarms, all or ``some``, in the order in which they first fell due."""
    groups: dict[str, list[DueLine]] = {}
    for due in board.now.due if some is None else some:
        done = Button.of(_("Done"), kinds.Dealt(alarm=due.alarm, who=due.who))
        line = DueLine(due, board.names.who(due.who), done)
        groups.setdefault(due.alarm, []).append(line)
    return [_group(board, board.book.alarm[key], lines) for key, lines in groups.items()]


def _group(board: Board, row: Alarm, lines: Sequence[DueLine]) -> DueGroup:
    dealt = [kinds.Dealt(alarm=row.key, who=line.due.who) for line in lines]
    return DueGroup(
        name=localize(row.name),
        text=localize(row.text) if row.text else "",
        phase=board.names.phase(row.phase) if row.phase else "",
        roll=row.roll,
        lines=tuple(lines),
        all_done=Button.of(_("All done"), *dealt) if len(dealt) > 1 else None,
    )


def follow_ups(board: Board, some: Iterable[FollowUp] | None = None) -> list[FollowUpLine]:
    """Return the rolls that follow from others, all or ``some``."""
    return [_follow_up(board, one) for one in (board.now.follow_ups if some is None else some)]


def _follow_up(board: Board, one: FollowUp) -> FollowUpLine:
    weapons = {"item": (one.item, one.mode), "at-item": (one.at_item, one.at_mode)}
    used = {name: ".".join(filter(None, parts)) for name, parts in weapons.items() if parts[0]}
    query = {"by": one.who} | ({} if one.at is None else {"at": one.at}) | used
    return FollowUpLine(
        roll=one.roll,
        name=board.names.roll(one.roll),
        who=board.names.who(one.who),
        at="" if one.at is None else board.names.who(one.at),
        query=urlencode(query),
        done=Button.of(_("Skip"), kinds.Dealt(roll=one.roll, who=one.who)),
    )


def questions(board: Board) -> list[DecisionLine]:
    """Return the questions about taps of two phones, and the requests to undo rolls."""
    now = board.now
    if not (now.asked or now.doubles or now.contested):
        return []
    by_key = {logged.key: logged for logged in board.log}
    shown = chain(_asked(board, by_key), _doubles(board), _contested(board, by_key))
    return list(islice(shown, MOST_SHOWN))


def _asked(board: Board, by_key: Mapping[TapKey, Logged]) -> Iterator[DecisionLine]:
    people = actors(one.actor for one in board.now.asked)
    here = asking.person_of(board.seat)
    for one in board.now.asked:
        values = {
            "who": people.get(one.actor or 0, _("Another player")),
            "what": _what(board, [by_key[key].tap for key in one.strikes.values()]),
        }
        refuse = kinds.UndoAnswered(asked=one.act, agreed=False)
        if one.by == here:
            words = _(
                "You ask to undo a roll of the site: %(what)s. It counts until somebody agrees."
            )
            yield DecisionLine(words % values, (Button.of(_("Leave the roll as it is"), refuse),))
            continue
        words = _("%(who)s asks to undo a roll of the site: %(what)s. It counts until you agree.")
        agree = kinds.UndoAnswered(asked=one.act, agreed=True)
        yield DecisionLine(
            words % values,
            (Button.of(_("Undo the roll"), agree), Button.of(_("Keep the roll"), refuse)),
        )


def _what(board: Board, taps: Sequence[kinds.Tap]) -> str:
    """Describe the dice among taps to undo, or all taps if there are no dice."""
    rolls = [tap for tap in taps if isinstance(tap, kinds.Rolled) and not tap.open]
    return " · ".join(describe(tap, board.names) for tap in rolls or taps)


def _doubles(board: Board) -> Iterator[DecisionLine]:
    for double in board.now.doubles:
        yield DecisionLine(
            _double_text(board, double),
            (
                Button.of(
                    _("It happened once"),
                    *map(board.strike, double.taps),
                ),
                Button.of(_("It happened twice"), kinds.Settled(acts=double.acts)),
            ),
        )


def _double_text(board: Board, double: Double) -> str:
    values = {"by": board.names.who(double.by), "turn": double.turn}
    if double.at is None:
        return _("Two phones noted %(by)s in turn %(turn)s. Once or twice?") % values
    words = _("Two phones noted %(by)s against %(at)s in turn %(turn)s. Once or twice?")
    return words % {**values, "at": board.names.who(double.at)}


def _contested(board: Board, by_key: Mapping[TapKey, Logged]) -> Iterator[DecisionLine]:
    for contested in board.now.contested:
        gone, strike = by_key[contested.struck], by_key[contested.by]
        resting = [by_key[key] for key in contested.resting[:MOST_RESTING]]
        more = ["…"] if len(resting) < len(contested.resting) else []
        values = {
            "gone": describe(gone.tap, board.names),
            "later": " · ".join([describe(one.tap, board.names) for one in resting] + more),
        }
        words = _("This was undone: %(gone)s. Meanwhile somebody else noted: %(later)s.")
        yield DecisionLine(
            words % values,
            (
                Button.of(_("Restore it"), board.strike(strike.key)),
                Button.of(_("Undo that, too"), *(board.strike(one.key) for one in resting)),
                Button.of(_("Leave both as they are"), kinds.Settled(acts=(strike.act, gone.act))),
            ),
        )


def late(board: Board) -> list[str]:
    """Return sentences about taps that arrived after the end of their turn."""
    people = actors(late.actor for late in board.now.late)
    return [
        ngettext(
            "%(number)s tap of %(who)s came in late, for turn %(turn)s.",
            "%(number)s taps of %(who)s came in late, for turn %(turn)s.",
            late.number,
        )
        % {
            "turn": late.turn,
            "number": late.number,
            "who": people.get(late.actor or 0, _("a phone")),
        }
        for late in board.now.late
    ]
