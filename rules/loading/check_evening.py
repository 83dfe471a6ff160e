"""Whether what a rulebook says of the evening makes sense: phases, what is counted, what falls due.

That the rows which are named are there is checked wherever a field names one; here is what only the
evening asks: whose numbers an expression may read where it stands, and what can be counted at all.
"""

from __future__ import annotations

from rules.book.evening import Activation, Alarm, Track
from rules.book.model import Book
from rules.book.rolls import Changes, Formula, Sets, State
from rules.engine.expressions import COUNTING, Expression
from rules.engine.situations import known_names
from rules.loading.check_rolls import names_of, read_formula
from rules.loading.checks import Checks, Path, Wrong

SIDES = ("gang", "enemy", "table")


def find_counted(book: Book, per: str) -> set[str]:
    """What is counted of a member, or of a side: life, boxes to tick, tracks."""
    found = {row.key for row in book.tracks if row.per == per}
    if per == "member":
        found |= {row.key for row in book.ticks} | ({book.life} if book.life else set())
    return found


def _reads(
    book: Book, path: Path, formula: Formula, who: set[str], *, also: frozenset[str] = frozenset()
) -> Wrong:
    """An expression that may read of these subjects. ``also``: what it may ask besides what rolls
    ask of them."""
    expression, wrong = read_formula(path, formula)
    yield from wrong
    if expression is None:
        return
    known = set().union(*(known_names(book, subject) for subject in who)) | (also & {"by.acted"})
    yield from names_of(book, path, expression, known, who, tapped=True)
    yield from _asks(book, path, expression, who, also)


def _asks(
    book: Book, path: Path, expression: Expression, who: set[str], also: frozenset[str]
) -> Wrong:
    for name in sorted(expression.names):
        subject, _dot, rest = name.partition(".")
        question, colon, key = rest.partition(":")
        if not colon or subject not in who:
            continue
        asked = {"left", "in_state", "did", "did_before", "marked", "option", *COUNTING}
        if question in asked and question not in also:
            yield path, f"“{subject}.{question}” cannot be asked here"
        elif question == "left":
            per = "member" if subject == "by" else "side"
            if key not in find_counted(book, per):
                yield path, f"“{key}” is not counted of a {per}"


# What may be asked where a table stands open, in a track's numbers, and of a state by itself.
AT_TABLES = frozenset({"left", "in_state", "did", "did_before", "by.acted", "option", *COUNTING})
OF_TRACKS = frozenset(("option", *COUNTING))
OF_STATES = frozenset({"left"})


def _alarm(book: Book, path: Path, row: Alarm) -> Wrong:
    who = {*SIDES, "by"} if row.asks == "member" else {*SIDES}
    yield from _reads(book, (*path, "given"), row.given, who, also=AT_TABLES)
    roll = book.roll.get(row.roll or "")
    if roll is not None and row.asks == "member" and roll.by == "side":
        yield (*path, "roll"), f"“{roll.key}” is thrown by a side, and each member is asked"


def _track(book: Book, path: Path, row: Track) -> Wrong:
    if row.per == "side" and not row.whose.picks_all:
        yield (*path, "whose"), "picks members, and this is counted of a side"
    others = find_counted(book.changed(tracks=()), "member")
    if row.key in others:
        yield (*path, "key"), f"“{row.key}” is counted already"
    # Before the first tap nothing is known of the other members of a side.
    who, also = ({"by"}, frozenset()) if row.per == "member" else ({*SIDES}, OF_TRACKS)
    for name in ("start", "maximum"):
        formula = getattr(row, name)
        if formula is not None:
            yield from _reads(book, (*path, name), formula, who, also=also)
    if isinstance(row.start, int) and row.start < row.minimum:
        yield (*path, "start"), "is below the minimum"
    if isinstance(row.start, int) and isinstance(row.maximum, int) and row.start > row.maximum:
        yield (*path, "start"), "is beyond the maximum"


def _activation(book: Book, path: Path, row: Activation) -> Wrong:
    yield from _reads(book, (*path, "times"), row.times, {"by"})
    if row.points is not None:
        yield from _reads(book, (*path, "points"), row.points, {"by"})
        if row.track is not None:
            yield (*path, "points"), "are for where no track is paid from"
    if row.track is not None and row.track not in find_counted(book, "member") | find_counted(
        book, "side"
    ):
        yield (*path, "track"), f"“{row.track}” is nothing that is counted"


def _state(book: Book, path: Path, row: State) -> Wrong:
    if row.given is not None:
        yield from _reads(book, (*path, "given"), row.given, {"by"}, also=OF_STATES)
    for name in ("given", "mark"):
        if getattr(row, name) is not None and row.of != "figure":
            yield (*path, name), "is for states of figures"


def _effect(book: Book, path: Path, effect: Changes | Sets) -> Wrong:
    if effect.track not in find_counted(book, "member") | find_counted(book, "side"):
        yield (*path, "track"), f"“{effect.track}” is nothing that is counted"


def of_the_turn(book: Book) -> Wrong:
    """What only shows of all phases together."""
    if book.phases and not any(row.acts for row in book.phases):
        yield ("phases",), "nobody acts in any of them"


EVENING_CHECKS: Checks = {
    Alarm: _alarm,
    Track: _track,
    Activation: _activation,
    State: _state,
    Changes: _effect,
    Sets: _effect,
}
