"""Whether a rulebook's rolls make sense: expressions, names, slots, grids, hands, outcomes.

What can be read off is checked whenever a book is read. ``tried`` throws nothing, but works every
roll out for figures of the book: what only shows then takes longer, and is for authors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from keyword import iskeyword
from random import Random

from rules.book.model import Book, Rules
from rules.book.rolls import (
    AMOUNT,
    Action,
    Again,
    Circumstance,
    Formula,
    Grid,
    HandOfDice,
    Modifier,
    Opposed,
    Procedure,
    Roll,
    Spend,
    Step,
    Use,
)
from rules.book.schema import ChoiceSetting, Column, Item, ItemGroup
from rules.book.vocabulary import Frozen
from rules.bounds.work import TooMuch, spend
from rules.engine.cells import BadCell, columns_of, work_out, written_cells
from rules.engine.compiling import BadRoll, make_ready
from rules.engine.expressions import (
    COUNTING,
    FUNCTIONS,
    OF_TABLES,
    QUESTIONS,
    SUBJECTS,
    BadExpression,
    Expression,
    Unknown,
    Value,
    parse,
)
from rules.engine.figure import Figure
from rules.engine.odds import odds
from rules.engine.reference_odds import drawn_modifiers
from rules.engine.situations import (
    TABLE_NAMES,
    Side,
    Situation,
    keys_asked,
    known_names,
    names_in,
    side_names,
)
from rules.loading.checks import Checks, Path, Wrong

SLOTS = {
    "count": {"dice", "sides", "target", "again_failed", "again_for_highest", "again_succeeded"},
    "sum": {"dice", "sides", "keep", "plus", "again"},
    "throw_hand": {"dice", "again"},
    "look_up": {"row", "column"},
    "again": {"times"},
}
PARTS = {
    "count": {"max", "min", "ones"},
    "sum": {"max", "min", "dice_total"},
    "throw_hand": {"rank"},
    "opposed": {"winner"},
}
# Fields that hold an expression or a number.
FORMULAS = {
    "be", "clamp", "dice", "sides", "target", "band", "again_succeeded", "again_failed",
    "again_for_highest", "keep", "plus", "again", "cards", "beats", "reaches", "row", "column",
    "mine", "theirs", "times", "until", "given", "again_given", "usable", "amount", "to",
    "distance", "cost",
}  # fmt: skip


def formulas(part: Frozen, path: Path) -> Iterator[tuple[Path, Formula]]:
    """Every expression of a step, outcome, modifier and whatever is inside it, with its place."""
    for name, value in part:
        here = (*path, name)
        if isinstance(part, Use) and name == "values":
            yield from (((*here, key), formula) for key, formula in value.items())
        elif isinstance(value, Frozen):
            yield from formulas(value, here)
        elif isinstance(value, tuple):
            for index, inner in enumerate(value):
                if isinstance(inner, Frozen):
                    yield from formulas(inner, (*here, index))
                elif name in FORMULAS and isinstance(inner, int | str):
                    yield (*here, index), inner
        elif isinstance(part, Step) and name == part.word:
            continue  # The word of a loop is a name, and that of a sum's re-roll is not.
        elif name in FORMULAS and isinstance(value, int | str):
            yield here, value


def every_step(steps: Iterable[Step], book: Book) -> Iterator[Step]:
    """Every step, those inside of others and of procedures too; of each procedure once, however
    often it is used."""
    ahead: list[Iterable[Step]] = [steps]
    used: set[str] = set()
    while ahead:
        for step in ahead.pop():
            spend(1)
            yield step
            if isinstance(step, Use):
                if step.use in book.procedure and step.use not in used:
                    used.add(step.use)
                    ahead.append(book.procedure[step.use].steps)
            elif isinstance(step, Opposed | Again):
                ahead.append(step.steps)


def binds(steps: Iterable[Step], book: Book) -> Iterator[tuple[str, str]]:
    """Every name that steps bind, procedures included, with the kind of step that binds it."""
    for step in every_step(steps, book):
        if isinstance(step, Use):
            yield from ((name, "let") for name in step.values)
        # How often a loop without a fixed end came round is not counted.
        elif not (isinstance(step, Again) and step.times is None):
            yield step.binds, step.word


def names_bound(steps: Iterable[Step], book: Book) -> set[str]:
    """Every name that later expressions may read."""
    found = set()
    for name, kind in binds(steps, book):
        found.add(name)
        found |= {f"{name}.{part}" for part in PARTS.get(kind, ())}
    return found


def _known(book: Book, roll: Roll | None) -> set[str]:
    """What expressions of a roll may read besides what it binds; of any roll, for None."""
    found = {row.key for row in book.circumstances} | set(TABLE_NAMES)
    for subject in _subjects(roll):
        found |= known_names(book, subject)
    spend(len(found) // 4)
    return found


def _subjects(roll: Roll | None) -> set[str]:
    if roll is None:
        return set(SUBJECTS)
    found = {"gang", "enemy", "table"}
    found |= {"by"} if roll.by == "member" else set()
    found |= {"at"} if roll.at == "member" else set()
    if roll.using == "item":
        found.add("item")
    return found | ({"at_item"} if roll.at == "member" else set())


def read_formula(path: Path, formula: Formula) -> tuple[Expression | None, list[tuple[Path, str]]]:
    """An expression as it was read, or what is wrong with it at its place."""
    try:
        return parse(formula), []
    except BadExpression as error:
        return None, [(path, str(error))]


def names_of(
    book: Book,
    path: Path,
    expression: Expression,
    known: set[str],
    who: set[str],
    tapped: bool = False,
) -> Wrong:
    """Every name of an expression is one that can be read where it stands; ``tapped``: a table
    can be asked."""
    spend(10 * len(expression.names))
    for name in sorted(expression.names):
        subject, _dot, rest = name.partition(".")
        question, colon, key = rest.partition(":")
        if colon:
            if subject not in who:
                yield path, f"there is no “{subject}” here to ask about"
            elif question in OF_TABLES and not tapped:
                yield path, f"“{subject}.{question}” can only be asked where taps are kept"
            elif question in COUNTING:
                inner, wrong = read_formula(path, key)
                yield from wrong
                if inner is not None:
                    known_of_one = known_names(book, "by")
                    yield from names_of(book, path, inner, known_of_one, {"by"}, tapped=True)
            elif question in QUESTIONS and key not in keys_asked(book, question):
                yield path, f"“{key}” is nothing that “{subject}.{question}” can ask for"
        elif name not in known:
            yield path, f"“{name}” is no name that can be read here"


def _roll(book: Book, path: Path, roll: Roll) -> Wrong:
    if not roll.outcomes and not roll.numbers:
        yield path, "brings nothing: it has neither outcomes nor numbers"
    bound = names_bound(roll.steps, book)
    known = _known(book, roll) | bound
    who = _subjects(roll)
    for place, formula in formulas(roll, path):
        expression, wrong = read_formula(place, formula)
        yield from wrong
        if expression is not None:
            yield from names_of(book, place, expression, known, who)
    for name in sorted(bound & {*SUBJECTS, *FUNCTIONS}):
        yield (*path, "steps"), f"“{name}” is bound by a step, and means something else already"
    keys = [outcome.key for outcome in roll.outcomes]
    if len(set(keys)) < len(keys):
        yield (*path, "outcomes"), "the same outcome is there twice"
    if roll.outcomes and all(outcome.given for outcome in roll.outcomes):
        yield (*path, "outcomes"), "none of them holds always: let the last have no “given”"
    numbers = [number.of for number in roll.numbers]
    if len(set(numbers)) < len(numbers):
        yield (*path, "numbers"), "the same number is there twice"
    for index, number in enumerate(numbers):
        if number not in bound:
            yield (*path, "numbers", index, "of"), f"no step binds “{number}”"


def choices(book: Book) -> Iterator[Rules]:
    """The rules under the usual options, and with each choice of each of them by itself: of those
    that rolls depend on."""
    yield book.usual
    tables = (book.rolls, book.procedures, book.modifiers, book.circumstances, book.spends)
    asked = {key for rows in tables for row in rows for key in _conditions(row)}
    for setting in book.settings:
        if isinstance(setting, ChoiceSetting) and setting.key in asked:
            for choice in setting.choices:
                if choice.key != setting.default:
                    yield book.under({**book.usual.settings, setting.key: choice.key})


def _conditions(part: Frozen) -> Iterator[str]:
    """The options that a row and what is inside it depend on."""
    for name, value in part:
        if name == "when":
            yield from value
        elif isinstance(value, tuple):
            for inner in value:
                if isinstance(inner, Frozen):
                    yield from _conditions(inner)


def _modifier(book: Book, path: Path, row: Modifier) -> Wrong:
    if row.on == "cost":
        known, who = _known(book, None), set(SUBJECTS)
    else:
        if row.actions:
            yield (*path, "actions"), "belong to modifiers of a cost only"
        rolls = [book.roll[key] for key in row.rolls if key in book.roll] or [*book.rolls]
        at = [roll for roll in rolls if row.on in _slots(roll, book)]
        for key in row.rolls:
            if key in book.roll and book.roll[key] not in at:
                yield (*path, "on"), f"“{row.on}” is no slot of “{key}”"
        if not at:
            if not row.rolls:
                yield (*path, "on"), f"“{row.on}” is a slot of no roll"
            return
        tables = (drawn_modifiers(book, reference) for reference in book.references)
        said = row.shown is not None and AMOUNT not in row.shown.en + row.shown.fr
        formula = not isinstance(row.amount, int)
        if formula and not said and any(row in table for table in tables):
            yield (*path, "shown"), "is needed: a table shows it, and its amount is no mere number"
        known = set.intersection(
            *(_known(book, roll) | names_bound(roll.steps, book) for roll in at)
        )
        who = set.intersection(*(_subjects(roll) for roll in at))
    yield from _row_formulas(book, path, row, known, who)


def _row_formulas(book: Book, path: Path, row: Frozen, known: set[str], who: set[str]) -> Wrong:
    for place, formula in formulas(row, path):
        expression, wrong = read_formula(place, formula)
        yield from wrong
        if expression is not None:
            yield from names_of(book, place, expression, known, who)


def _slots(roll: Roll, book: Book) -> set[str]:
    """What modifiers of a roll may change."""
    found = set()
    for name, kind in binds(roll.steps, book):
        found |= {f"{name}.{slot}" for slot in SLOTS.get(kind, ())}
        if kind == "let":
            found.add(name)
    return found


def _spend(book: Book, path: Path, row: Spend) -> Wrong:
    rolls = [book.roll[key] for key in row.rolls if key in book.roll] or [*book.rolls]
    if not any(row.on in _slots(roll, book) for roll in rolls):
        yield (*path, "on"), f"“{row.on}” is a slot of no such roll"
    if row.track and row.track not in {
        one.key for one in (*book.characteristics, *book.ticks, *book.tracks)
    }:
        yield (
            (*path, "track"),
            f"“{row.track}” is neither characteristic nor boxes to tick nor track",
        )
    known = set().union(*(_known(book, roll) | names_bound(roll.steps, book) for roll in rolls))
    yield from _row_formulas(book, path, row, known, set(SUBJECTS))


def _procedure(book: Book, path: Path, row: Procedure) -> Wrong:
    using = [
        roll
        for roll in book.rolls
        if any(isinstance(one, Use) and one.use == row.key for one in every_step(roll.steps, book))
    ]
    if not using:
        yield (*path, "key"), "is used by no roll"
        return
    known = set().union(*(_known(book, roll) | names_bound(roll.steps, book) for roll in using))
    who = set().union(*(_subjects(roll) for roll in using))
    yield from _row_formulas(book, path, row, known, who)


def _action(book: Book, path: Path, row: Action) -> Wrong:
    yield from _row_formulas(book, path, row, _known(book, None), set(SUBJECTS))


def _circumstance(book: Book, path: Path, row: Circumstance) -> Wrong:
    if not row.key.isidentifier() or iskeyword(row.key):
        yield (*path, "key"), "must be a name that expressions can read: letters, digits and _"
    if row.key in SUBJECTS or row.key in FUNCTIONS:
        yield (*path, "key"), f"“{row.key}” means something else in expressions"
    if (row.kind == "choice") == (len(row.choices) < 2):
        yield (*path, "choices"), "are for a choice, which needs two of them at least"
    if row.kind != "choice" and not row.minimum <= row.start <= row.maximum:
        yield (*path, "start"), "is outside minimum and maximum"
    if row.kind == "tick" and (row.minimum, row.maximum) != (0, 1):
        yield path, "is a tick: it has no minimum or maximum"
    if row.tapped is not None:
        here = (*path, "tapped")
        if not row.known:
            yield here, "is for what is known from what was tapped"
        expression, wrong = read_formula(here, row.tapped)
        yield from wrong
        if expression is not None:
            every = _known(book, None) | {"by.acted", "at.acted"}
            yield from names_of(book, here, expression, every, set(SUBJECTS), tapped=True)


def _grid(book: Book, path: Path, row: Grid) -> Wrong:
    widths = {len(cells) for cells in row.cells}
    if len(widths) > 1:
        yield (*path, "cells"), 'has rows of different lengths: a gap must be written as "-"'
    if 0 in widths:
        yield (*path, "cells"), "has an empty row"


def _hand(book: Book, path: Path, row: HandOfDice) -> Wrong:
    if row.combinations[0].groups:
        yield (*path, "combinations", 0), "must be nothing: the weakest is any other hand"
    for index, combination in enumerate(row.combinations):
        place = (*path, "combinations", index, "groups")
        if list(combination.groups) != sorted(combination.groups, reverse=True):
            yield place, "must have its largest group first"
        if sum(combination.groups) > row.size:
            yield place, f"needs more than {row.size} dice"


def _group(book: Book, path: Path, group: ItemGroup) -> Wrong:
    for index, column in enumerate(group.columns):
        for word, formula in column.names.items():
            place = (*path, "columns", index, "names", word)
            expression, wrong = read_formula(place, formula)
            yield from wrong
            if expression is not None:
                yield from names_of(book, place, expression, known_names(book, "by"), {"by"})


def cells(book: Book, path: Path, item: Item) -> Wrong:
    """What stands in typed columns can be worked out for somebody."""
    names: dict[str, Value] = dict.fromkeys(known_names(book, "by"), 1)
    for number, mode in enumerate((None, *item.modes)):
        columns = columns_of(book, item, mode)
        for key, written in written_cells(item, mode).items():
            column = columns.get(key)
            if column is None or (mode is not None and key not in mode.columns):
                if mode is not None and key in mode.columns:
                    place = (*path, "modes", number - 1, "columns", key)
                    yield place, f"“{key}” is no column of its group"
                continue
            place = (*path, "columns", key)
            if mode is not None:
                place = (*path, "modes", number - 1, "columns", key)
            yield from _cell(place, column, written, names)


def _cell(path: Path, column: Column, written: object, names: dict[str, Value]) -> Wrong:
    try:
        work_out(column, written, names)  # type: ignore[arg-type]
    except (BadCell, BadExpression) as error:
        yield path, str(error)
    except Unknown:
        pass  # It was said of the column.


def whole(book: Book) -> Wrong:
    """What only shows of all rolls together: whether each can be made ready, whatever the options
    are (each is changed by itself), and circumstances that no expression reads."""
    options = [*choices(book)]
    for index, roll in enumerate(book.rolls):
        said = set()
        for rules in options:
            try:
                make_ready(rules, roll)
            except (BadRoll, TooMuch) as error:
                if str(error) not in said:
                    yield ("rolls", index, *getattr(error, "place", ())), str(error)
                said.add(str(error))
            except BadExpression:
                break  # It was said where it stands.
    tables = (book.rolls, book.modifiers, book.procedures, book.actions, book.spends)
    names: set[str] = set()
    for row in (row for rows in tables for row in rows):
        for place, formula in formulas(row, ()):
            expression, _wrong = read_formula(place, formula)
            names |= expression.names if expression else set()
    for index, circumstance in enumerate(book.circumstances):
        if circumstance.key not in names:
            yield ("circumstances", index, "key"), "is asked for nothing: no expression reads it"


ROLL_CHECKS: Checks = {
    Roll: _roll,
    Modifier: _modifier,
    Spend: _spend,
    Procedure: _procedure,
    Action: _action,
    Circumstance: _circumstance,
    Grid: _grid,
    HandOfDice: _hand,
    ItemGroup: _group,
}


# Of one roll so many situations are worked out at most, of so many that are looked at: so many in
# any case, and fewer under another choice of options.
MOST_TRIED, MOST_LOOKED_AT = 400, 2000
FEWEST_TRIED, FEWEST_OTHERWISE = 100, 10


def try_rolls(book: Book) -> Iterator[tuple[Path, str]]:
    """What is wrong with rolls once they are worked out for figures of the book: names that nobody
    binds, sums out of bounds, and outcomes that never happen."""
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
        if not said:
            for place, outcome in enumerate(roll.outcomes):
                if outcome.key not in happened:
                    words = f"“{outcome.key}” cannot happen for any rank, item or circumstance"
                    yield (*path, "outcomes", place), words


def situations(rules: Rules, roll: Roll) -> Iterator[dict[str, Value]]:
    """Situations in which a roll may be thrown, drawn from all that there are: figures of each rank
    as they begin and as good as points can make them, life lost, everything they can use, every
    circumstance, every question answered yes or as it is. The same for the same roll."""
    book = rules.book
    ready = make_ready(rules, roll)
    usable = parse(roll.usable or 1)
    reads = sorted(ready.reads | usable.names)
    asked = [row for row in rules.circumstances if row.key in reads]
    questions = [name for name in reads if ":" in name and _may_be(name)]
    of_enemy = any(name.startswith("at_item.") for name in reads)
    draw = Random(roll.key)
    usual = names_in(rules, Situation())
    # Of each side that was drawn before: it is often drawn again.
    known: dict[tuple[object, ...], dict[str, Value]] = {}

    def names_of(side: Side, subject: str) -> dict[str, Value]:
        key = (subject, side.figure.rank, *side.figure.points.items(), side.item, side.mode)
        if key not in known:
            known[key] = side_names(rules, side, subject)
        return known[key]

    yielded = 0
    for _look in range(MOST_LOOKED_AT):
        more: dict[str, Value] = {row.key: draw.choice(_values(row)) for row in asked}
        for name in TABLE_NAMES:
            if name in reads:
                more[name] = draw.choice((TABLE_NAMES[name], 1, 3, 9))
        # Few of the questions, or many of them.
        likely = draw.choice((0, 1 / 3, 2 / 3))
        more |= {name: 1 for name in questions if draw.random() < likely}
        by, at = _drawn(book, draw), _drawn(book, draw)
        names = dict(usual)
        if roll.by == "member":
            names |= names_of(_side(book, draw, by, roll.using == "item"), "by")
        if roll.at == "member":
            names |= names_of(_side(book, draw, at, of_enemy), "at")
        names |= more
        for name in ("by.life", "at.life"):
            life = names.get(name, 0)
            if isinstance(life, int) and name in names:
                names[name] = draw.choice((life, life, 1, draw.randint(min(0, life), life)))
        if usable.holds(names):
            yield names
            yielded += 1
        if yielded == MOST_TRIED:
            return


def _may_be(question: str) -> bool:
    """Whether it may be answered yes of anybody: what an item is, it is."""
    return not question.startswith(("item.", "at_item.")) or ".in_state:" in question


def _values(row: Circumstance) -> Sequence[Value]:
    """What a circumstance is at its ends, in the middle, and unless it is said."""
    if row.kind == "choice":
        return [choice.key for choice in row.choices]
    return (row.minimum, row.start, (row.minimum + row.maximum) // 2, row.maximum)


def _drawn(book: Book, draw: Random) -> Figure:
    """A figure of some rank, as it begins or with every point that can be bought."""
    rank = draw.choice(book.ranks).key
    points = {
        row.key: row.maximum - (row.start or 0)
        for row in book.characteristics
        if row.kind == "number" and row.bought_with_points and draw.random() < 1 / 2
    }
    return Figure(rank=rank, worth_rank=rank, points=points)


def _side(book: Book, draw: Random, figure: Figure, armed: bool) -> Side:
    """A figure with something in hand, if it is armed."""
    if not armed or not book.items:
        return Side(figure)
    item = draw.choice(book.items)
    mode = draw.choice((None, *item.modes))
    return Side(replace(figure, items=(item.key,)), item.key, mode.key if mode else None)
