"""Trying every roll of a rulebook: its odds are worked out for figures drawn from the book.

This takes too long for every read of a book, and is for authors.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from random import Random

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say, sentence_of
from rules.book.model import Book, Rules
from rules.book.rolls import Circumstance, Roll
from rules.bounds.work import TooMuch
from rules.engine.cells import item_answers
from rules.engine.compiling import BadRoll, Ready, ready
from rules.engine.expressions import BadExpression, Unknown, Value, parse
from rules.engine.figure import Figure
from rules.engine.odds import odds
from rules.engine.playing import play
from rules.engine.situations import TABLE_NAMES, Side, Situation, names_in, side_names
from rules.loading.check_rolls import choices
from rules.loading.checks import RowPath, Wrong

# For one roll under some options: the situations to work out and to look at. Each roll gets the
# fewest in any case (another number where an option is changed), and then more under each option in
# turn, until all its outcomes have happened.
MOST_TRIED, MOST_LOOKED_AT = 800, 4000
FEWEST_TRIED, FEWEST_OTHERWISE, MORE = 30, 10, 50
# Of the situations beyond the fewest, the share that is worked out, and the throws in the others.
EXACT, THROWS = 1 / 20, 3
# Items of one kind, for which a roll could not be used so often, are not looked at again.
ENOUGH = 60

# The situations kept in which other outcomes happened, and the shares of their names that change.
LATEST, CHANGED = 4, (0.05, 0.15, 0.4)

Names = dict[str, Value]
# Names and values of sides that were drawn before, under the same options.
Known = dict[tuple[object, ...], Names]


def try_rolls(book: Book) -> Wrong:
    """Mistakes that show when rolls are worked out: names that nothing binds, sums out of bounds,
    and outcomes that never happen."""
    options: list[tuple[Rules, Known]] = [(rules, {}) for rules in choices(book)]
    for index, roll in enumerate(book.rolls):
        path: RowPath = ("rolls", index)
        happened: set[str] = set()
        said: set[str] = set()
        draw = Random(roll.key)
        # The last situations in which an outcome happened for the first time, under each option.
        found: list[deque[Names]] = [deque(maxlen=LATEST) for _ in options]
        for place, made, situation, in_any_case in _in_turn(options, roll, found):
            if not in_any_case and happened.issuperset(row.key for row in roll.outcomes):
                break
            try:
                outcomes = _happen(
                    made, situation, draw, exact=in_any_case or draw.random() < EXACT
                )
            except (BadRoll, BadExpression, TooMuch) as error:
                words = sentence_of(error)
            except Unknown as error:
                words = say(_("“%(name)s” is used before a step sets its value"), name=str(error))
            else:
                newly = outcomes - happened
                if newly:
                    found[place].append(situation)
                happened |= newly
                continue
            if words not in said:
                yield path, words
            said.add(words)
        for place, outcome in enumerate(() if said else roll.outcomes):
            if outcome.key not in happened:
                words = say(
                    _("the outcome “%(key)s” cannot happen with any rank, item or circumstance"),
                    key=outcome.key,
                )
                yield (*path, "outcomes", place), words


def _happen(made: Ready, situation: Names, draw: Random, *, exact: bool) -> set[str]:
    """The outcomes that can happen in a situation: all of them or, for a tenth of the work, those
    of a few throws."""
    if exact:
        return {key for key, chance in odds(made, situation).outcomes.items() if chance}
    thrown = (play(made, situation, lambda sides: draw.randint(1, sides)) for _ in range(THROWS))
    return {one.outcome for one in thrown}


def _in_turn(
    options: Sequence[tuple[Rules, Known]], roll: Roll, found: Sequence[Sequence[Names]]
) -> Iterator[tuple[int, Ready, Names, bool]]:
    """Situations, each with the place of its options: the fewest under each (True), then more
    under each in turn (False), so that an outcome that needs one option does not wait for the
    others. Half of these are like those in which other outcomes ``found`` happened."""
    draw, usable = Random(roll.key), parse(roll.usable or 1)
    drawn = [
        (place, ready(rules, roll.key), situations(rules, roll, known))
        for place, (rules, known) in enumerate(options)
    ]
    for place, made, ahead in drawn:
        for situation in islice(ahead, FEWEST_OTHERWISE if place else FEWEST_TRIED):
            yield place, made, situation, True
    while drawn:
        for place, made, ahead in [*drawn]:
            some = [*islice(ahead, MORE)]
            for situation in some:
                yield place, made, situation, False
                for share in CHANGED if found[place] else ():
                    mixed = _mix(draw, draw.choice(found[place]), situation, share)
                    if usable.holds(mixed):
                        yield place, made, mixed, False
            if len(some) < MORE:
                drawn.remove((place, made, ahead))


def _mix(draw: Random, names: Names, others: Names, share: float) -> Names:
    """A situation with a share of the circumstances and answers of another."""
    mixed = dict(names)
    for name in names | others:
        if ("." not in name or (":" in name and _may_be(name))) and draw.random() < share:
            mixed.pop(name, None)
            if name in others:
                mixed[name] = others[name]
    return mixed


def situations(rules: Rules, roll: Roll, known: Known | None = None) -> Iterator[Names]:
    """Situations in which a roll may be thrown, as names and their values; always the same ones.

    They combine figures of each rank (new, or with every point that can be bought), lost life,
    items that can be used, every circumstance, and questions answered yes or as usual. ``known``:
    names of sides that earlier calls under the same options have worked out.
    """
    known = {} if known is None else known
    book = rules.book
    usable = parse(roll.usable or 1)
    reads = sorted(ready(rules, roll.key).reads | usable.names)
    asked = [row for row in rules.circumstances if row.key in reads]
    questions = [name for name in reads if ":" in name and _may_be(name)]
    of_item = {name for name in usable.names if ":" in name and not _may_be(name)}
    of_enemy = any(name.startswith("at_item.") for name in reads)
    draw = Random(roll.key)
    usual = names_in(rules, Situation())
    # How often items with these answers to questions about them were looked at.
    failed: Counter[frozenset[str]] = Counter()
    worked: set[frozenset[str]] = set()

    def names_of(side: Side, subject: str) -> Names:
        key = (subject, side.figure.rank, *side.figure.points.items(), side.item, side.mode)
        if key not in known:
            known[key] = side_names(rules, side, subject)
        return known[key]

    yielded = 0
    for _look in range(MOST_LOOKED_AT):
        more: dict[str, Value] = {row.key: draw.choice(_values(row)) for row in asked}
        for name, start in TABLE_NAMES.items():
            if name in reads:
                more[name] = draw.choice((start, 1, 3, 9))
        # A few of the questions, or many of them.
        likely = draw.choice((0, 1 / 3, 2 / 3))
        more |= {name: 1 for name in questions if draw.random() < likely}
        by, at = _draw_figure(book, draw), _draw_figure(book, draw)
        sides = []
        if roll.by == "member":
            sides.append((_draw_side(book, draw, by, roll.using == "item"), "by"))
        if roll.at == "member":
            sides.append((_draw_side(book, draw, at, of_enemy), "at"))
        answers = frozenset(of_item.intersection(_answers(book, sides)))
        if worked and failed[answers] >= ENOUGH and answers not in worked:
            continue
        names = dict(usual)
        for side, subject in sides:
            names |= names_of(side, subject)
        names |= more
        for name in ("by.life", "at.life"):
            life = names.get(name)
            if isinstance(life, int):
                names[name] = draw.choice((life, life, 1, draw.randint(min(0, life), life)))
        if usable.holds(names):
            worked.add(answers)
            yield names
            yielded += 1
        else:
            failed[answers] += 1
        if yielded == MOST_TRIED:
            return


def _answers(book: Book, sides: Sequence[tuple[Side, str]]) -> Iterator[str]:
    """The questions about items in hand that are answered yes, for either figure's items."""
    for side, subject in sides:
        item = book.item.get(side.item or "")
        if item is not None:
            mode = next((mode for mode in item.modes if mode.key == side.mode), None)
            yield from item_answers(item, mode, "item" if subject == "by" else "at_item")


def _may_be(question: str) -> bool:
    """Whether yes may be tried as the answer for any figure. Questions about an item, except about
    its states, have a fixed answer."""
    return not question.startswith(("item.", "at_item.")) or ".in_state:" in question


def _values(row: Circumstance) -> Sequence[Value]:
    """The values of a circumstance to try, each once: its ends, its middle and its default."""
    if row.kind == "choice":
        return [choice.key for choice in row.choices]
    values = (row.minimum, row.start, (row.minimum + row.maximum) // 2, row.maximum)
    return tuple(dict.fromkeys(values))


def _draw_figure(book: Book, draw: Random) -> Figure:
    """A figure of some rank, new or with every point that can be bought."""
    rank = draw.choice(book.ranks).key
    points = {
        row.key: row.maximum - (row.start or 0)
        for row in book.characteristics
        if row.kind == "number" and row.bought_with_points and draw.random() < 1 / 2
    }
    return Figure(rank=rank, worth_rank=rank, points=points)


def _draw_side(book: Book, draw: Random, figure: Figure, armed: bool) -> Side:
    """A figure, with an item in hand if it is ``armed``."""
    if not armed or not book.items:
        return Side(figure)
    item = draw.choice(book.items)
    mode = draw.choice((None, *item.modes))
    return Side(replace(figure, items=(item.key,)), item.key, mode.key if mode else None)
