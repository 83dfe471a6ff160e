"""Things that wait for players at a table: due alarms and rolls, questions, late taps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from accounts.models import User
from campaigns.table import asking
from campaigns.table import taps as kinds
from campaigns.table.access import TableSeat
from campaigns.table.board import Board, Button, actors
from campaigns.table.order import UNDOING, find_act
from campaigns.table.pages.story import ActWords, Changes
from campaigns.table.people import company_of
from campaigns.table.state import NOT_HERE, Double, Due, FollowUp, holds, side_names
from campaigns.table.taps import AnyTap, Logged, TapKey
from gangs.text.formats import localize
from rules.book.evening import Alarm
from rules.book.outfits import NonPlayer
from rules.engine.compiling import ready
from rules.engine.evening import count_nonplayers, is_by_turn
from rules.odds.asking import circumstances

# The most questions on a page, and the most dependent acts that one question names and undoes.
# Answers make room for the next questions.
MOST_SHOWN = 40
MOST_RESTING = 20
MOST_UNDONE = 200
# The longest name on the button for the next step, in characters.
MOST_OF_A_NAME = 32


@dataclass(frozen=True)
class DueLine:
    """A due alarm of one figure or side. ``by``: the figure or side that rolls."""

    due: Due
    who: str
    done: Button
    by: str | int


@dataclass(frozen=True)
class DueGroup:
    """A due alarm of all its figures and sides. ``alarm``: its key; ``roll``: the roll that it asks
    for; ``all_done``: for several lines together; ``for_all``: the alarm's key, if one press can
    roll for all of them; ``asks``: their forms ask for the situation."""

    alarm: str
    name: str
    text: str
    phase: str
    roll: str | None
    lines: tuple[DueLine, ...]
    all_done: Button | None
    for_all: str = ""
    asks: bool = False


@dataclass(frozen=True)
class FollowUpLine:
    """A roll that follows from another. ``query``: the parameters of its form's address."""

    roll: str
    name: str
    by: str | int
    who: str
    at: str
    query: str
    done: Button


@dataclass(frozen=True)
class ArrivalLine:
    """Non-players who arrive now. ``one`` and ``all``: the buttons that bring one or all of them
    in; ``all`` is None for a single one."""

    name: str
    one: Button
    all: Button | None


@dataclass(frozen=True)
class FirstDue:
    """The due roll or reminder that comes next. ``words``: a verb and a short name, for a button
    that is never cut; ``who``: the figure or side that it is about, for screen readers; ``url``: of
    its form, or its place on the page."""

    words: str
    who: str
    url: str


@dataclass(frozen=True)
class DecisionLine:
    """A question to the players, with buttons for its answers."""

    text: str
    answers: tuple[Button, ...]


@dataclass(frozen=True)
class ChoiceLine:
    """Something that a player may spend on dice. ``change``: the change that it would make, "" if
    it is not known; ``left``: how much there is, None for no track; ``round``: the name of the
    round in which it counts, "" outside a loop; ``raises``: the tracker that goes up as its price,
    "" for none."""

    key: str
    name: str
    round: str
    payer: str
    left: int | None
    change: str
    raises: str = ""


@dataclass(frozen=True)
class OpenRollLine:
    """A roll that does not count yet. ``choices``: those of the reader; ``own``: the reader's sides
    that must choose, as a button sends them; ``silent``: those that spend nothing, and their names;
    ``question``: the id of the question to the reader, "" if nobody asks them; ``waits_for``: the
    other sides that must choose; ``seen``: the number of taps of its act."""

    address: str
    seen: int
    who: str
    roll: str
    outcome: str
    choices: tuple[ChoiceLine, ...]
    own: str
    silent: str
    silent_names: str
    question: str
    waits_for: str

    @property
    def answer(self) -> str:
        """The address for an answer of a player who stays at the table."""
        return f"{self.address}?seen={self.seen}&back=table"

    @property
    def has_several(self) -> bool:
        """Whether several sides of the reader must choose."""
        return " " in self.own


@dataclass(frozen=True)
class DecidedLine:
    """The outcome of a roll that decides something for all sides in this turn. ``who``: the side
    that the ``outcome`` is about."""

    who: str
    outcome: str


def decided(board: Board) -> list[DecidedLine]:
    """Return what this turn's rolls for the whole table, such as the initiative, decided."""
    asked = {row.roll for row in board.book.alarms if row.asks == "table"}
    found: dict[str, DecidedLine] = {}
    for one in board.log:
        tap = one.tap
        if (
            isinstance(tap, kinds.Rolled)
            and tap.roll in asked
            and tap.outcome is not None
            and not tap.open
            and one.turn == board.now.turn
            and one.key not in board.folded.gone
        ):
            who, outcome = _in_whose_favour(board, tap, tap.outcome)
            words = board.names.outcome(tap.roll, outcome)
            found[tap.roll] = DecidedLine(board.names.who(who), words)
    return list(found.values())


def _in_whose_favour(board: Board, tap: kinds.Rolled, outcome: str) -> tuple[str | int, str]:
    """Return the side and the outcome to name. Of two sides one wins: if the first one did not, its
    opponent has the better of two outcomes, so that readers learn who starts, not who does not."""
    row = board.book.roll.get(tap.roll)
    outcomes = row.outcomes if row is not None else ()
    hoped = [one.key for one in outcomes if one.hoped]
    if tap.at is None or len(board.gangs) != 2 or len(outcomes) != 2 or len(hoped) != 1:
        return tap.by, outcome
    return (tap.by if outcome == hoped[0] else tap.at), hoped[0]


# The room of attempts, which is above this one, finds the rolls that do not count yet.
Finder = Callable[[Board], list[OpenRollLine]]
Counter = Callable[[TableSeat, User | None], None]
_finders: list[Finder] = []
_counters: list[Counter] = []


def register(find: Finder, count: Counter) -> None:
    """Let ``find`` describe the rolls of a table that do not count yet, and ``count`` those that
    wait for nobody, because sides spend nothing in this turn."""
    _finders.append(find)
    _counters.append(count)


def open_rolls(board: Board) -> list[OpenRollLine]:
    """Return the rolls of a table that do not count yet."""
    return [line for find in _finders for line in find(board)]


def count_declined(seat: TableSeat, user: User | None, taps: Iterable[AnyTap]) -> None:
    """Count the dice that wait for nobody after these new taps: a side may spend nothing in this
    turn, or the undo of that may itself be undone."""
    if any(isinstance(tap, (kinds.Declined, *UNDOING)) for tap in taps):
        for count in _counters:
            count(seat, user)


def dues(board: Board, some: Iterable[Due] | None = None, by: str | None = None) -> list[DueGroup]:
    """Return the due alarms, all or ``some``, in the order in which they first fell due.

    ``by``: the figure that rolls for its side, if the page is about one.
    """
    groups: dict[str, list[DueLine]] = {}
    for due in _to_do(board, board.now.due if some is None else some):
        done = Button.of(pgettext("an action", "Done"), kinds.Dealt(alarm=due.alarm, who=due.who))
        line = DueLine(due, _who_is_asked(board, due), done, by or _who_rolls(board, due))
        groups.setdefault(due.alarm, []).append(line)
    return [_group(board, board.book.alarm[key], lines) for key, lines in groups.items()]


def _to_do(board: Board, some: Iterable[Due]) -> Iterator[Due]:
    """Yield the due alarms that are not only told in the story."""
    return (due for due in some if not board.book.alarm[due.alarm].told)


def _who_is_asked(board: Board, due: Due) -> str:
    """Return the name of the figure or side, or of all gangs if one of them deals with it."""
    if board.book.alarm[due.alarm].asks == "table":
        return " · ".join(board.names.sides[number] for number in sorted(board.gangs))
    return board.names.who(due.who)


def _who_rolls(board: Board, due: Due) -> str | int:
    """Return the figure or side whose dice an alarm asks for: the reader's own side, if any may
    throw them, so that “the enemy” in the result is the reader's enemy."""
    own = [number for number in sorted(board.gangs) if number in board.mine]
    return own[0] if own and board.book.alarm[due.alarm].asks == "table" else due.who


def rolls_for_all(board: Board, row: Alarm) -> bool:
    """Whether one press can throw the dice of an alarm for several figures: their forms have
    neither target nor weapon to choose."""
    roll = board.book.roll.get(row.roll or "")
    return (
        roll is not None
        and row.asks == "member"
        and (roll.by, roll.at, roll.using) == ("member", "nobody", "nothing")
    )


def _asks_situation(board: Board, key: str) -> bool:
    """Whether the form of a roll asks for circumstances that taps do not tell."""
    rows = circumstances(board.rules, board.book.roll[key], ready(board.rules, key))
    return any(row.tapped is None for row in rows)


def _group(board: Board, row: Alarm, lines: Sequence[DueLine]) -> DueGroup:
    for_all = len(lines) > 1 and rolls_for_all(board, row)
    dealt = [kinds.Dealt(alarm=row.key, who=line.due.who) for line in lines]
    return DueGroup(
        alarm=row.key,
        name=localize(row.name),
        text=localize(row.text) if row.text else "",
        phase=board.names.phase(row.phase) if row.phase else "",
        roll=row.roll,
        lines=tuple(lines),
        all_done=Button.of(_("All done"), *dealt) if len(dealt) > 1 else None,
        for_all=row.key if for_all else "",
        asks=for_all and row.roll is not None and _asks_situation(board, row.roll),
    )


def follow_ups(board: Board, some: Iterable[FollowUp] | None = None) -> list[FollowUpLine]:
    """Return the rolls that follow from others, all or ``some``."""
    return [_follow_up(board, one) for one in (board.now.follow_ups if some is None else some)]


def _follow_up(board: Board, one: FollowUp) -> FollowUpLine:
    weapons = {"item": (one.item, one.mode), "at-item": (one.at_item, one.at_mode)}
    used = {name: ".".join(filter(None, parts)) for name, parts in weapons.items() if parts[0]}
    query = {"by": one.who, "cause": str(one.act)} | used
    query |= {} if one.at is None else {"at": one.at}
    words = _("Nobody else") if one.many else _("Skip")
    return FollowUpLine(
        roll=one.roll,
        name=board.names.roll(one.roll),
        by=one.who,
        who=board.names.who(one.who),
        at="" if one.at is None else board.names.who(one.at),
        query=urlencode(query),
        done=Button.of(words, kinds.Dealt(roll=one.roll, who=one.who, act=one.act)),
    )


def arrivals(board: Board) -> list[ArrivalLine]:
    """Return the non-players whose arrival is due now."""
    absent: dict[str, list[kinds.Back]] = {}
    rows: dict[str, NonPlayer] = {}
    here: defaultdict[str, int] = defaultdict(int)
    for key, person in board.names.people.items():
        if person.row is None:
            continue
        if board.now.figures[key].out != NOT_HERE:
            here[person.row.key] += 1
        else:
            absent.setdefault(person.row.key, []).append(kinds.Back(figure=key))
            rows[person.row.key] = person.row
    if not absent:
        return []
    names = side_names(board.rules, board.now.sides, kinds.NONPLAYERS, board.now.turn)
    found = []
    for key, taps in absent.items():
        row = rows[key]
        if row.arrives is not None and holds(row.arrives, names):
            if is_by_turn(row):
                due = count_nonplayers(row, company_of(board.table), board.now.turn)
                taps = taps[: max(0, due - here[key])]
            if not taps:
                continue
            words = _("Bring all in (%(count)s)") % {"count": len(taps)}
            everybody = Button.of(words, *taps) if len(taps) > 1 else None
            found.append(
                ArrivalLine(localize(row.name), Button.of(_("Bring one in"), taps[0]), everybody)
            )
    return found


def first_due(board: Board) -> FirstDue | None:
    """Return the due roll or reminder that comes next, the reader's own first. Reminders for a
    phase that has not begun are left out."""

    def is_others(who: str | int) -> bool:
        side = who if isinstance(who, int) else board.figures[who].side
        return side not in board.mine

    rolls = sorted(follow_ups(board), key=lambda line: is_others(line.by))
    if rolls:
        return _first_roll(board, rolls[0].roll, rolls[0].name, rolls[0].who, rolls[0].query)
    places = {row.key: place for place, row in enumerate(board.rules.phases)}
    begun = places.get(board.now.phase or "", -1)
    rows = [
        due
        for due in _to_do(board, board.now.due)
        if places.get(board.book.alarm[due.alarm].phase or "", begun) <= begun
    ]
    if not rows:
        return None
    due = min(rows, key=lambda due: is_others(due.who))
    row, who = board.book.alarm[due.alarm], board.names.who(due.who)
    if row.roll:
        query = urlencode({"by": due.who, "alarm": row.key})
        return _first_roll(board, row.roll, localize(row.name), who, query)
    return FirstDue(_verb_and_name(_("See"), localize(row.name)), who, "#table-due")


def closing_phase(board: Board) -> str | None:
    """Return the last phase of a turn if nobody acts in it, None if somebody does. One press begins
    it and ends the turn, unless something is due in it."""
    last = board.rules.phases[-1] if board.rules.phases else None
    return None if last is None or last.acts else last.key


def closing_due(board: Board) -> bool:
    """Whether the closing phase comes next and something is due in it."""
    closing, keys = closing_phase(board), [None, *(row.key for row in board.rules.phases)]
    return (
        closing is not None
        and board.now.phase == keys[-2]
        and any(
            board.book.alarm[due.alarm].phase == closing for due in _to_do(board, board.now.due)
        )
    )


def _first_roll(board: Board, roll: str, name: str, who: str, query: str) -> FirstDue:
    url = reverse("campaigns:table-attempt", args=[board.table.pk, roll])
    return FirstDue(_verb_and_name(pgettext("verb", "Roll"), name), who, f"{url}?{query}")


def _verb_and_name(verb: str, name: str) -> str:
    """Return the words of a button on one or two lines: only the verb before a long name."""
    return (
        verb
        if len(name) > MOST_OF_A_NAME
        else _("%(verb)s: %(name)s") % {"verb": verb, "name": name}
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
            "what": _describe_acts(board, (find_act(by_key[key], by_key) for key in one.taps)),
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


def _describe_acts(board: Board, acts: Iterable[UUID | None]) -> str:
    """Describe acts, each once."""
    words, found = ActWords(board), board.folded.acts
    return " · ".join(
        words.in_short(found[act])
        for act in dict.fromkeys(acts)
        if act is not None and act in found
    )


def _doubles(board: Board) -> Iterator[DecisionLine]:
    changes = Changes(board)
    for double in board.now.doubles:
        undone = _with_following(changes, double.acts[1:])
        yield DecisionLine(
            _double_text(board, double),
            (
                Button.of(_("It happened once"), *map(_undo, undone)),
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
    changes = Changes(board)
    for contested in board.now.contested:
        gone, strike = by_key[contested.struck], by_key[contested.by]
        resting = [*dict.fromkeys(by_key[key].act for key in contested.resting)]
        more = " · …" if len(resting) > MOST_RESTING else ""
        values = {
            "gone": _describe_acts(board, [gone.act]),
            "later": _describe_acts(board, resting[:MOST_RESTING]) + more,
        }
        words = _("This was undone: %(gone)s. This depends on it: %(later)s.")
        yield DecisionLine(
            words % values,
            (
                Button.of(
                    _("Restore it"),
                    *map(board.strike, changes.find_strikes(gone.act, [strike.key])),
                ),
                Button.of(
                    _("Undo that, too"),
                    *map(_undo, _with_following(changes, resting)[:MOST_UNDONE]),
                ),
                Button.of(_("Leave both as they are"), kinds.Settled(acts=(strike.act, gone.act))),
            ),
        )


def _with_following(changes: Changes, acts: Iterable[UUID]) -> list[UUID]:
    """Return acts, each with those to which it led."""
    found = ((act, *changes.find_following(act)) for act in acts)
    return list(dict.fromkeys(chain.from_iterable(found)))


def _undo(act: UUID) -> kinds.Undone:
    return kinds.Undone(act=act)


def describe_new_turn(seen: int, now: int) -> str:
    """Return the sentence for a press of a page that had ``seen`` an ended turn, "" if the turn has
    not ended."""
    if seen >= now:
        return ""
    words = _("Turn %(turn)s has begun since this page was opened. Check it, then press again.")
    return words % {"turn": now}


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
