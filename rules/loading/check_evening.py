"""Checks whether a rulebook's evening makes sense: phases, tracks, alarms, cautions, states.

``rules.loading.checks`` already checks that each named row exists. This module checks which numbers
an expression may read at its place, and which rows can be counted.
"""

from __future__ import annotations

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from rules.book.evening import Activation, Alarm, Caution, Track
from rules.book.model import Book
from rules.book.outfits import NonPlayer
from rules.book.reference import Brought
from rules.book.roll_effects import Changes, Sets
from rules.book.rolls import State
from rules.book.suggesting import suggest
from rules.book.vocabulary import Formula
from rules.engine.evening import COMPANY, MOST_NONPLAYERS, TURN
from rules.engine.expressions import COUNTING, BadExpression, parse
from rules.engine.situations import known_names
from rules.loading.check_rolls import check_formula
from rules.loading.checks import Checks, RowPath, Wrong, check_known

SIDES = ("gang", "enemy", "table")


# Questions that need taps, and the places where they are allowed nevertheless: at an open table, in
# the numbers of a side's track, and in a state that begins by itself.
QUESTIONS = {"left", "in_state", "did", "did_before", "asked", "marked", "option", *COUNTING}
AT_TABLES = frozenset({"left", "in_state", "did", "did_before", "by.acted", "option", *COUNTING})
OF_TRACKS = frozenset(("option", *COUNTING))
OF_STATES = frozenset({"left"})
PER = {"member": _("member"), "side": _("side")}


def find_counted(book: Book, per: str) -> set[str]:
    """The keys of everything that is counted for a member (life, boxes to tick, tracks) or for a
    side."""
    found = {row.key for row in book.tracks if row.per == per}
    if per == "member":
        found |= {row.key for row in book.ticks} | ({book.life} if book.life else set())
    return found


def _reads(
    book: Book, path: RowPath, formula: Formula, who: set[str], also: frozenset[str] = frozenset()
) -> Wrong:
    """Check that an expression reads only these subjects. ``also``: the QUESTIONS that it may ask
    about them."""
    known = set().union(*(known_names(book, subject) for subject in who)) | (also & {"by.acted"})
    yield from check_formula(book, path, formula, known, who, tapped=True)
    try:
        names = sorted(parse(formula).names)
    except BadExpression:
        return
    for name in names:
        subject, _dot, rest = name.partition(".")
        question, colon, key = rest.partition(":")
        if not colon or subject not in who:
            continue
        if question in QUESTIONS - also:
            yield (
                path,
                say(
                    _("“%(subject)s.%(question)s” cannot be asked here"),
                    subject=subject,
                    question=question,
                ),
            )
        elif question == "left":
            per = "member" if subject == "by" else "side"
            if key not in find_counted(book, per):
                mistake = say(_("“%(key)s” is not counted per %(per)s"), key=key, per=PER[per])
                yield path, suggest(mistake, key, find_counted(book, per))


def _alarm(book: Book, path: RowPath, row: Alarm) -> Wrong:
    who = {*SIDES, "by"} if row.asks == "member" else {*SIDES}
    yield from _reads(book, (*path, "given"), row.given, who, AT_TABLES)
    roll = book.roll.get(row.roll or "")
    if row.told and row.roll:
        yield (*path, "told"), _("is not used with “roll”")
    if roll is not None and row.asks == "member" and roll.by == "side":
        yield (
            (*path, "roll"),
            say(_("a side rolls “%(key)s”, but this reminder goes to each member"), key=roll.key),
        )
    if roll is not None and row.asks == "table" and roll.by == "member":
        yield (
            (*path, "roll"),
            say(
                _("a member rolls “%(key)s”, but this reminder goes to one side for all"),
                key=roll.key,
            ),
        )


def _caution(book: Book, path: RowPath, row: Caution) -> Wrong:
    yield from _reads(book, (*path, "given"), row.given, {*SIDES, "by"}, AT_TABLES)


def _track(book: Book, path: RowPath, row: Track) -> Wrong:
    if row.per == "side" and not row.whose.picks_all:
        yield (*path, "whose"), _("is only used when counted per member")
    if row.per == "side" and row.when_out != "kept":
        yield (*path, "when_out"), _("is only used when counted per member")
    if row.per == "side" and row.lasts:
        yield (*path, "lasts"), _("is only used when counted per member")
    elif row.lasts and not any(
        step.kind == "tracks" and step.track == row.key for step in book.campaign.steps
    ):
        yield (
            (*path, "lasts"),
            say(_("needs a step “tracks” after a game, with track = “%(key)s”"), key=row.key),
        )
    if row.key in find_counted(book.changed(tracks=()), "member"):
        yield (
            (*path, "key"),
            say(_("“%(key)s” is already counted: choose another key"), key=row.key),
        )
    # Before the first tap a member's track can read nothing of the others on its side.
    who, also = ({"by"}, frozenset()) if row.per == "member" else ({*SIDES}, OF_TRACKS)
    for name in ("start", "maximum"):
        formula = getattr(row, name)
        if formula is not None:
            yield from _reads(book, (*path, name), formula, who, also)
    if isinstance(row.start, int) and row.start < row.minimum:
        yield (*path, "start"), _("must not be below the minimum")
    if isinstance(row.start, int) and isinstance(row.maximum, int) and row.start > row.maximum:
        yield (*path, "start"), _("must not be above the maximum")


def _activation(book: Book, path: RowPath, row: Activation) -> Wrong:
    yield from _reads(book, (*path, "times"), row.times, {"by"})
    if row.points is not None:
        yield from _reads(book, (*path, "points"), row.points, {"by"})
        if row.track is not None:
            yield (*path, "points"), _("give either “points” or “track”, not both")
    yield from _check_track(book, path, row)


def _state(book: Book, path: RowPath, row: State) -> Wrong:
    if row.given is not None:
        yield from _reads(book, (*path, "given"), row.given, {"by"}, OF_STATES)
    if row.usable is not None:
        yield from _reads(book, (*path, "usable"), row.usable, {"by"})
    for name in ("given", "usable", "mark"):
        if getattr(row, name) is not None and row.of != "figure":
            yield (*path, name), _("is only used for states of figures")


def _brought(book: Book, path: RowPath, row: Brought) -> Wrong:
    condition, state = book.condition.get(row.condition), book.state.get(row.state or "")
    if condition is not None and not condition.absent:
        yield (
            (*path, "condition"),
            say(
                _("“%(key)s” does not keep members away: choose a condition with “absent”"),
                key=condition.key,
            ),
        )
    if state is not None and state.of != "figure":
        yield (*path, "state"), _("must be a state of a figure")


def _nonplayer(book: Book, path: RowPath, row: NonPlayer) -> Wrong:
    if isinstance(row.number, int):
        if not 1 <= row.number <= MOST_NONPLAYERS:
            message = say(_("must be a number from 1 to %(most)s"), most=MOST_NONPLAYERS)
            yield (*path, "number"), message
    else:
        here = (*path, "number")
        known = {*COMPANY, TURN} if row.arrives is not None else {*COMPANY}
        yield from check_formula(book, here, row.number, known, {"table"}, tapped=True)
    if row.arrives is not None:
        yield from _reads(book, (*path, "arrives"), row.arrives, {*SIDES}, AT_TABLES)
    roll = book.roll.get(row.behaves or "")
    if roll is not None and roll.by == "side":
        yield (*path, "behaves"), say(_("a side rolls “%(key)s”, not a figure"), key=roll.key)


def _check_track(book: Book, path: RowPath, row: Changes | Sets | Activation) -> Wrong:
    counted = find_counted(book, "member") | find_counted(book, "side")
    if row.track is not None:
        yield from check_known((*path, "track"), [row.track], counted, _("tracker"))


def check_phases(book: Book) -> Wrong:
    """Check that figures act in at least one phase, if there are phases."""
    if book.phases and not any(row.acts for row in book.phases):
        yield ("phases",), _("figures must act in at least one phase: set “acts” there")


EVENING_CHECKS: Checks = {
    Alarm: _alarm,
    Caution: _caution,
    Track: _track,
    Activation: _activation,
    State: _state,
    Brought: _brought,
    NonPlayer: _nonplayer,
    Changes: _check_track,
    Sets: _check_track,
}
