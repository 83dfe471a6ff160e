"""Trying every roll of a rulebook: its odds are worked out for figures drawn from the book.

This takes too long for every read of a book, and is for authors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from rules.book.model import Book, Rules
from rules.book.rolls import Circumstance, Roll
from rules.bounds.work import TooMuch
from rules.engine.compiling import BadRoll, make_ready
from rules.engine.expressions import BadExpression, Unknown, Value, parse
from rules.engine.figure import Figure
from rules.engine.odds import odds
from rules.engine.situations import TABLE_NAMES, Side, Situation, names_in, side_names
from rules.loading.check_rolls import choices
from rules.loading.checks import Path, Wrong

# For one roll: the situations to work out and to look at. Each roll gets the fewest in any case
# (another number where an option is changed), and more until all its outcomes have happened.
MOST_TRIED, MOST_LOOKED_AT = 800, 4000
FEWEST_TRIED, FEWEST_OTHERWISE = 100, 10


def try_rolls(book: Book) -> Wrong:
    """Mistakes that show when rolls are worked out: names that nothing binds, sums out of bounds,
    and outcomes that never happen."""
    options = [*choices(book)]
    for index, roll in enumerate(book.rolls):
        path: Path = ("rolls", index)
        happened: set[str] = set()
        said: set[str] = set()
        for rules in options:
            made = make_ready(rules, roll)
            possible = {one.key for one in made.outcomes}
            least = FEWEST_TRIED if rules is options[0] else FEWEST_OTHERWISE
            for number, situation in enumerate(situations(rules, roll)):
                if number >= least and happened >= possible:
                    break
                try:
                    found = odds(made, situation)
                except (BadRoll, BadExpression, TooMuch) as error:
                    words = str(error)
                except Unknown as error:
                    words = f"“{error}” is read before anything binds it"
                else:
                    happened |= {key for key, chance in found.outcomes.items() if chance}
                    continue
                if words not in said:
                    yield path, words
                said.add(words)
        for place, outcome in enumerate(() if said else roll.outcomes):
            if outcome.key not in happened:
                words = f"“{outcome.key}” cannot happen for any rank, item or circumstance"
                yield (*path, "outcomes", place), words


def situations(rules: Rules, roll: Roll) -> Iterator[dict[str, Value]]:
    """Situations in which a roll may be thrown, as names and their values; always the same ones.

    They combine figures of each rank (new, or with every point that can be bought), lost life,
    items that can be used, every circumstance, and questions answered yes or as usual.
    """
    book = rules.book
    usable = parse(roll.usable or 1)
    reads = sorted(make_ready(rules, roll).reads | usable.names)
    asked = [row for row in rules.circumstances if row.key in reads]
    questions = [name for name in reads if ":" in name and _may_be(name)]
    of_enemy = any(name.startswith("at_item.") for name in reads)
    draw = Random(roll.key)
    usual = names_in(rules, Situation())
    # The same side is often drawn again.
    known: dict[tuple[object, ...], dict[str, Value]] = {}

    def names_of(figure: Figure, armed: bool, subject: str) -> dict[str, Value]:
        side = _draw_side(book, draw, figure, armed)
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
        names = dict(usual)
        if roll.by == "member":
            names |= names_of(by, roll.using == "item", "by")
        if roll.at == "member":
            names |= names_of(at, of_enemy, "at")
        names |= more
        for name in ("by.life", "at.life"):
            life = names.get(name)
            if isinstance(life, int):
                names[name] = draw.choice((life, life, 1, draw.randint(min(0, life), life)))
        if usable.holds(names):
            yield names
            yielded += 1
        if yielded == MOST_TRIED:
            return


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
