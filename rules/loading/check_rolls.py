"""Checks whether a rulebook's rolls make sense: expressions, names, slots, grids, hands, outcomes.

These checks run whenever a book is read. ``rules.loading.try_rolls`` finds the mistakes that show
only when rolls are worked out for figures of the book.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from keyword import iskeyword

from common.wording.sentences import Sentence, say, sentence_of
from common.wording.sentences import gettext_noop as _
from rules.book import roll_effects
from rules.book import rolls as declared
from rules.book.model import Book, Rules
from rules.book.rolls import Roll, Step
from rules.book.schema import ChoiceSetting, Item, ItemGroup
from rules.book.suggesting import suggest
from rules.book.vocabulary import Formula, Frozen
from rules.bounds.work import TooMuch, spend
from rules.engine import expressions
from rules.engine.cells import BadCell, columns_of, work_out, written_cells
from rules.engine.compiling import BadRoll, Ready, ready
from rules.engine.expressions import SUBJECTS, BadExpression, Unknown, Value, parse
from rules.engine.playing import find_slot
from rules.engine.reference_odds import drawn_modifiers
from rules.engine.situations import TABLE_NAMES, keys_asked, known_names
from rules.loading.checks import Checks, RowPath, Wrong, check_known, parts

# By the word of a step: the slots that modifiers may change, and the suffixes of the names that it
# binds.
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
    "distance", "cost", "at_least", "at_most",
}  # fmt: skip


def formulas(part: Frozen, path: RowPath) -> Iterator[tuple[RowPath, Formula]]:
    """Every expression of a step, outcome or modifier and of all inside it, with its place."""
    for name, value in part:
        here = (*path, name)
        if isinstance(part, declared.Use) and name == "values":
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
            continue  # "again" of a loop is a name; "again" of a sum is a formula.
        elif isinstance(part, Roll) and name == "sides":
            continue  # The sides of a die are a formula; those of a roll's targets are not.
        elif name in FORMULAS and isinstance(value, int | str):
            yield here, value


def every_step(steps: Iterable[Step], book: Book) -> Iterator[Step]:
    """Every step, including steps inside others and in procedures (each procedure once)."""
    ahead: list[Iterable[Step]] = [steps]
    used: set[str] = set()
    while ahead:
        for step in ahead.pop():
            spend(1)
            yield step
            if isinstance(step, declared.Use):
                if step.use in book.procedure and step.use not in used:
                    used.add(step.use)
                    ahead.append(book.procedure[step.use].steps)
            elif isinstance(step, declared.Opposed | declared.Again):
                ahead.append(step.steps)


def binds(steps: Iterable[Step], book: Book) -> Iterator[tuple[str, str]]:
    """Every name that steps bind, procedures included, with the kind of step that binds it."""
    for step in every_step(steps, book):
        if isinstance(step, declared.Use):
            yield from ((name, "let") for name in step.values)
        # A loop without a fixed end does not count its rounds.
        elif not (isinstance(step, declared.Again) and step.times is None):
            yield step.binds, step.word


def names_bound(roll: Roll, book: Book) -> set[str]:
    """Every name that the steps of a roll bind for later expressions."""
    bound = [*binds(roll.steps, book)]
    parts_of = {f"{name}.{part}" for name, kind in bound for part in PARTS.get(kind, ())}
    return parts_of | {name for name, _kind in bound}


def _names_given(book: Book, subjects: Iterable[str]) -> set[str]:
    """The names that expressions about these subjects may read without a step that binds them."""
    found = {row.key for row in book.circumstances} | set(TABLE_NAMES)
    found = found.union(*(known_names(book, subject) for subject in subjects))
    spend(len(found) // 4)
    return found


def _names_read(book: Book, roll: Roll) -> set[str]:
    """Every name that the expressions of a roll may read."""
    return _names_given(book, _subjects(roll)) | names_bound(roll, book)


def _subjects(roll: Roll) -> set[str]:
    found = {"gang", "enemy", "table"}
    if roll.by == "member":
        found.add("by")
    if roll.at == "member":
        found |= {"at", "at_item"}
    if roll.using == "item":
        found.add("item")
    return found


def check_formula(
    book: Book,
    path: RowPath,
    formula: Formula,
    known: set[str],
    who: set[str],
    *,
    tapped: bool = False,
) -> Wrong:
    """Check that an expression can be parsed, and that every name in it may be read.

    ``known``: the names that can be read at this place; ``who``: the subjects that it may ask
    about; ``tapped``: it may ask questions that taps at a table answer.
    """
    try:
        expression = parse(formula)
    except BadExpression as error:
        yield path, sentence_of(error)
        return
    spend(10 * len(expression.names))
    for name in sorted(expression.names):
        subject, _dot, rest = name.partition(".")
        question, colon, key = rest.partition(":")
        if not colon:
            if name not in known:
                yield path, _unknown_name(name, known)
        elif subject not in who:
            yield path, say(_("“%(subject)s” is not available here"), subject=subject)
        elif question in expressions.OF_TABLES and not tapped:
            yield (
                path,
                say(
                    _(
                        "“%(subject)s.%(question)s” is only available where a game is followed "
                        "at the table"
                    ),
                    subject=subject,
                    question=question,
                ),
            )
        elif question in expressions.COUNTING:
            of_one = known_names(book, "by")
            yield from check_formula(book, path, key, of_one, {"by"}, tapped=True)
        elif question in expressions.QUESTIONS and key not in keys_asked(book, question):
            message = _("unknown key “%(key)s” in “%(subject)s.%(question)s(…)”")
            mistake = say(message, key=key, subject=subject, question=question)
            yield path, suggest(mistake, key, keys_asked(book, question))


def _unknown_name(name: str, known: Iterable[str]) -> Sentence:
    return suggest(say(_("unknown name “%(name)s”"), name=name), name, known)


def _check_formulas(
    book: Book, path: RowPath, row: Frozen, known: set[str], who: set[str]
) -> Wrong:
    for place, formula in formulas(row, path):
        yield from check_formula(book, place, formula, known, who)


def _roll(book: Book, path: RowPath, roll: Roll) -> Wrong:
    for name, usual in (("sides", "anyone"), ("fallen", "never")):
        if roll.at != "member" and getattr(roll, name) != usual:
            yield (*path, name), _("is only used for rolls at a member")
    if roll.sides != "anyone" and roll.friendly:
        yield (*path, "friendly"), _("is only used for rolls at anyone")
    if not roll.outcomes and not roll.numbers:
        yield path, _("has no result: give “outcomes” or “numbers”")
    if roll.effects and not roll.outcomes:
        yield (*path, "effects"), _("is only used with “outcomes”")
    bound, who = names_bound(roll, book), _subjects(roll)
    yield from _check_formulas(book, path, roll, _names_given(book, who) | bound, who)
    for name in sorted(bound & {*SUBJECTS, *expressions.FUNCTIONS}):
        yield (
            (*path, "steps"),
            say(
                _("“%(name)s” already means something else: choose another name for the step"),
                name=name,
            ),
        )
    keys = [outcome.key for outcome in roll.outcomes]
    if len(set(keys)) < len(keys):
        yield (*path, "outcomes"), _("each outcome must have a different key")
    if roll.outcomes and all(outcome.given for outcome in roll.outcomes):
        yield (
            (*path, "outcomes"),
            _("at least one must always apply: leave out “given” in the last row"),
        )
    readable = bound | _names_given(book, who)
    for index, outcome in enumerate(roll.outcomes):
        for name in outcome.numbers_in_text:
            if name not in readable:
                place = (*path, "outcomes", index, "text")
                yield place, _unknown_name(name, readable)
    for step in every_step(roll.steps, book):
        if isinstance(step, declared.ThrowStep) and step.whose == "at" and roll.at == "nobody":
            yield (
                (*path, "steps"),
                say(
                    _("“%(binds)s” throws the target’s dice, but this roll has no target"),
                    binds=step.binds,
                ),
            )
    numbers = [number.of for number in roll.numbers]
    if len(set(numbers)) < len(numbers):
        yield (*path, "numbers"), _("list each number only once")
    for index, number in enumerate(numbers):
        if number not in bound:
            mistake = say(_("no step has the name “%(number)s”"), number=number)
            yield (*path, "numbers", index, "of"), suggest(mistake, number, bound)


def choices(book: Book) -> Iterator[Rules]:
    """The rules under the usual options, then with each other choice of one option at a time, for
    the options that rolls depend on."""
    yield book.usual
    tables = (book.rolls, book.procedures, book.modifiers, book.circumstances, book.spends)
    inside = (part for rows in tables for row in rows for _path, part in parts((), row))
    asked = {key for part in inside for key in getattr(part, "when", ())}
    for setting in book.settings:
        if isinstance(setting, ChoiceSetting) and setting.key in asked:
            for choice in setting.choices:
                if choice.key != setting.default:
                    yield book.under({**book.usual.settings, setting.key: choice.key})


def _modifier(book: Book, path: RowPath, row: declared.Modifier) -> Wrong:
    if row.on == "cost":
        known, who = _names_given(book, SUBJECTS), set(SUBJECTS)
    else:
        if row.actions:
            yield (*path, "actions"), _("is only used for modifiers of a cost")
        at = [roll for roll in _rolls(book, row) if row.on in _slots(roll, book)]
        for key in row.rolls:
            if key in book.roll and book.roll[key] not in at:
                message = _("the roll “%(key)s” has no number “%(on)s” to change")
                mistake = say(message, on=row.on, key=key)
                yield (*path, "on"), suggest(mistake, row.on, _slots(book.roll[key], book))
        if not at:
            if not row.rolls:
                mistake = say(_("no roll has a number “%(on)s” to change"), on=row.on)
                known = set().union(*(_slots(roll, book) for roll in book.rolls))
                yield (*path, "on"), suggest(mistake, row.on, known)
            return
        tables = (drawn_modifiers(book, reference) for reference in book.references)
        said = row.shown is not None and declared.AMOUNT not in "".join(row.shown.root.values())
        formula = not isinstance(row.amount, int)
        if formula and not said and any(row in table for table in tables):
            yield (
                (*path, "shown"),
                _("is missing: a table shows this modifier, and its amount is a formula"),
            )
        known = set.intersection(*(_names_read(book, roll) for roll in at))
        who = set.intersection(*map(_subjects, at))
    yield from _check_formulas(book, path, row, known, who)


def _rolls(book: Book, row: declared.Modifier | declared.Spend) -> list[Roll]:
    """The rolls that a row names; all of them if it names none that exists."""
    return [book.roll[key] for key in row.rolls if key in book.roll] or [*book.rolls]


def _slots(roll: Roll, book: Book) -> set[str]:
    """The slots and names of a roll that modifiers may change."""
    bound = [*binds(roll.steps, book)]
    slots = {f"{name}.{slot}" for name, kind in bound for slot in SLOTS.get(kind, ())}
    return slots | {name for name, kind in bound if kind == "let"}


def _spend(book: Book, path: RowPath, row: declared.Spend) -> Wrong:
    rolls = _rolls(book, row)
    slots = set().union(*(_slots(roll, book) for roll in rolls))
    if row.on not in slots:
        mistake = say(_("these rolls have no number “%(on)s” to change"), on=row.on)
        yield (*path, "on"), suggest(mistake, row.on, slots)
    counted = {one.key for one in (*book.characteristics, *book.ticks, *book.tracks)}
    if row.track:
        yield from check_known((*path, "track"), [row.track], counted, _("tracker"))
    if row.raises:
        tracks = {one.key for one in book.tracks if one.per == "member"}
        if row.track is None:
            yield (*path, "raises"), _("is only used with “track”")
        elif row.track in counted - tracks:
            yield (*path, "track"), _("only a tracker of members can be raised")
    known = set().union(*(_names_read(book, roll) for roll in rolls))
    yield from _check_formulas(book, path, row, known, set(SUBJECTS))


def _procedure(book: Book, path: RowPath, row: declared.Procedure) -> Wrong:
    using = []
    for roll in book.rolls:
        steps = every_step(roll.steps, book)
        if row.key in (step.use for step in steps if isinstance(step, declared.Use)):
            using.append(roll)
    if not using:
        yield (*path, "key"), _("no roll uses these steps")
        return
    known = set().union(*(_names_read(book, roll) for roll in using))
    yield from _check_formulas(book, path, row, known, set().union(*map(_subjects, using)))


def _action(book: Book, path: RowPath, row: declared.Action) -> Wrong:
    yield from _check_formulas(book, path, row, _names_given(book, SUBJECTS), set(SUBJECTS))


def _counts(book: Book, path: RowPath, effect: roll_effects.Counts) -> Wrong:
    """Check that the effect is about a figure or a side, as its tally is, and that the report does
    not work the tally out from enemies who are out."""
    tally = book.campaign.tally.get(effect.tally)
    if tally is None:
        return
    if tally.takes_out or tally.marks:
        yield (
            (*path, "tally"),
            say(
                _("“%(key)s” already counts enemies taken out: choose another tally"), key=tally.key
            ),
        )
    if (tally.per == "gang") != effect.whom.endswith("_side"):
        one, other, per = ("by", "at", _("member"))
        if tally.per == "gang":
            one, other, per = ("by_side", "at_side", _("gang"))
        whom = say(_("%(one)s or %(other)s"), one=one, other=other)
        message = _("must be %(whom)s, because “%(key)s” is counted per %(per)s")
        yield (*path, "whom"), say(message, whom=whom, key=tally.key, per=per)


def _circumstance(book: Book, path: RowPath, row: declared.Circumstance) -> Wrong:
    if not row.key.isidentifier() or iskeyword(row.key):
        yield (
            (*path, "key"),
            _("must work as a name in expressions: use only letters, digits and _"),
        )
    if row.key in SUBJECTS or row.key in expressions.FUNCTIONS:
        yield (
            (*path, "key"),
            say(
                _("“%(key)s” already means something else in expressions: choose another key"),
                key=row.key,
            ),
        )
    if (row.kind == "choice") == (len(row.choices) < 2):
        yield (
            (*path, "choices"),
            _("the kind “choice” needs at least two choices; leave out “choices” for other kinds"),
        )
    if row.kind != "choice" and not row.minimum <= row.start <= row.maximum:
        yield (*path, "start"), _("must be between the minimum and the maximum")
    if row.kind == "tick" and (row.minimum, row.maximum) != (0, 1):
        yield path, _("the kind “tick” has no minimum or maximum: leave out both")
    if row.tapped is not None:
        here = (*path, "tapped")
        if not row.known:
            yield here, _("is only used with “known”")
        known = _names_given(book, SUBJECTS) | {"by.acted", "at.acted"}
        yield from check_formula(book, here, row.tapped, known, set(SUBJECTS), tapped=True)
    if row.given is not None:
        others = {one.key for one in book.circumstances} - {row.key}
        yield from check_formula(book, (*path, "given"), row.given, others, set())


def _grid(book: Book, path: RowPath, row: declared.Grid) -> Wrong:
    widths = {len(cells) for cells in row.cells}
    if len(widths) > 1:
        yield (*path, "cells"), _('all rows must have the same length: write "-" for an empty cell')
    if 0 in widths:
        yield (*path, "cells"), _("each row needs at least one cell")


def _hand(book: Book, path: RowPath, row: declared.HandOfDice) -> Wrong:
    if row.combinations[0].groups:
        yield (
            (*path, "combinations", 0),
            _("leave out “groups”: the first combination stands for all other hands"),
        )
    for index, combination in enumerate(row.combinations):
        place = (*path, "combinations", index, "groups")
        if list(combination.groups) != sorted(combination.groups, reverse=True):
            yield place, _("the largest group must come first")
        if sum(combination.groups) > row.size:
            yield (
                place,
                say(_("the groups must have at most %(size)s dice together"), size=row.size),
            )


def _group(book: Book, path: RowPath, group: ItemGroup) -> Wrong:
    for index, column in enumerate(group.columns):
        for word, formula in column.names.items():
            place = (*path, "columns", index, "names", word)
            yield from check_formula(book, place, formula, known_names(book, "by"), {"by"})
        if column.blank is None:
            continue
        here = (*path, "columns", index, "blank")
        if column.kind in ("text", "tick"):
            yield here, _("is only used for columns of numbers, lengths and dice")
        yield from check_formula(book, here, column.blank, known_names(book, "by"), {"by"})


def check_cells(book: Book, path: RowPath, item: Item) -> Wrong:
    """Check that the contents of typed columns can be worked out for a bearer."""
    names: dict[str, Value] = dict.fromkeys(known_names(book, "by"), 1)
    for number, mode in enumerate((None, *item.modes)):
        start = path if mode is None else (*path, "modes", number - 1)
        columns = columns_of(book, item, mode)
        for key, written in written_cells(item, mode).items():
            place = (*start, "columns", key)
            if mode is not None and key not in mode.columns:
                continue
            if key in columns:
                try:
                    work_out(columns[key], written, names)
                except (BadCell, BadExpression) as error:
                    yield place, sentence_of(error)
                except Unknown:
                    pass  # Reported at the column.
            elif mode is not None:
                yield place, unknown_column(key, columns)


def unknown_column(key: str, columns: Iterable[str]) -> Sentence:
    """Return the sentence for a key of no column. ``columns``: the columns of the item's group."""
    return suggest(say(_("unknown column “%(key)s” in this group"), key=key), key, columns)


def check_together(book: Book) -> Wrong:
    """Mistakes that show only when all rolls are checked together: rolls that cannot be made ready
    under the usual options or with one option changed, and circumstances that no expression
    reads."""
    options = [*choices(book)]
    for index, roll in enumerate(book.rolls):
        said = set()
        for rules in options:
            try:
                # Notes on the same book read the compiled rolls again.
                ready(rules, roll.key)
            except (BadRoll, TooMuch) as error:
                if str(error) not in said:
                    yield ("rolls", index, *getattr(error, "place", ())), sentence_of(error)
                said.add(str(error))
            except BadExpression:
                break  # Reported at the expression.
    names: set[str] = set()
    for rows in (book.rolls, book.modifiers, book.procedures, book.actions, book.spends):
        for _place, formula in (found for row in rows for found in formulas(row, ())):
            with suppress(BadExpression):
                names |= parse(formula).names
    for index, circumstance in enumerate(book.circumstances):
        if circumstance.key not in names:
            yield ("circumstances", index, "key"), _("no expression uses this circumstance")


def note_spends(book: Book) -> Wrong:
    """Spends that would count more than once: in a loop without a fixed end, where tables do not
    offer them, or in several steps of a roll."""
    found: dict[str, dict[str, None]] = {}
    for rules in choices(book):
        for roll in rules.rolls:
            for row in rules.spends:
                if not row.rolls or roll.key in row.rolls:
                    words = _note_spend(ready(rules, roll.key), row)
                    found.setdefault(row.key, {}).update(dict.fromkeys(words))
    for index, row in enumerate(book.spends):
        for message in found.get(row.key, ()):
            yield ("spends", index, "on"), message


def _note_spend(made: Ready, row: declared.Spend) -> Iterator[str]:
    places = find_slot(made, row.on)
    if None in places:
        yield (
            say(
                _(
                    "“%(on)s” is in a loop “until” of “%(key)s”, where players cannot choose a "
                    "round: this option is not offered there"
                ),
                on=row.on,
                key=made.roll.key,
            )
        )
    elif len(places) > 1:
        yield (
            say(
                _(
                    "“%(on)s” changes %(count)s steps of “%(key)s”: give these steps different "
                    "names if only one of them should change"
                ),
                on=row.on,
                count=len(places),
                key=made.roll.key,
            )
        )


ROLL_CHECKS: Checks = {
    Roll: _roll,
    declared.Modifier: _modifier,
    declared.Spend: _spend,
    declared.Procedure: _procedure,
    declared.Action: _action,
    roll_effects.Counts: _counts,
    declared.Circumstance: _circumstance,
    declared.Grid: _grid,
    declared.HandOfDice: _hand,
    ItemGroup: _group,
}
