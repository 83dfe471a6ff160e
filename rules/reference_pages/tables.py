"""Dice tables with their chances, the outcomes of their rows, and lasting conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rules.book.fates import Condition, DiceTable, Outcome, RollsOn, TableRow
from rules.book.model import Book
from rules.book.season import FatesStep
from rules.engine.table_odds import (
    Reach,
    alike,
    find_reach,
    find_reach_of_roll,
    nothing_happens,
    rolls_again,
)
from rules.percent import chance, percent
from rules.reference_pages.pieces import (
    ColumnHead,
    Link,
    PageCell,
    PageLine,
    PageTable,
    Piece,
    Section,
    fact,
    section,
)
from rules.reference_pages.words import BookWording


def tables(words: BookWording) -> Iterator[Section]:
    """Dice tables with their chances, and the conditions that they bring."""
    book = words.book
    yield from section("tables", _("Tables"), (_table(words, row) for row in book.tables))
    conditions = (_condition(words, row) for row in book.conditions)
    yield from section("conditions", _("Conditions"), conditions, brief=True)


def _table(words: BookWording, row: DiceTable) -> Piece:
    # Equal rows together, with their chance, and the chance that they take a member away for good.
    listed = [(rows, share, find_reach(words.book, rows[0].outcomes)) for rows, share in alike(row)]
    shows_gone = any(reach.most for _rows, _share, reach in listed)
    heads = [_("Chance"), _("Result"), *([_("Lost for good")] if shows_gone else [])]
    lines = []
    for rows, share, reach in listed:
        # A row that is rolled again is never the result.
        counts, first = not rolls_again(rows[0]), rows[0]
        cells = [PageCell(chance(share) if counts else "–"), _result(words, first)]
        if shows_gone:
            cells.append(PageCell(reach_in_words(reach) if counts and reach.most else "–"))
        source = None if first.source == row.source else words.cited(first.source)
        anchor = f"table-{row.key}-{first.low}"
        lines.append(PageLine(rolls(words, row, rows), tuple(cells), anchor, source=source))
    name, columns = words.translated(row.name), tuple(map(ColumnHead, heads))
    grid = PageTable(_("Roll"), columns, tuple(lines), name, rolled=True)
    return words.piece("table", row, [row.dice.upper(), *table_chips(words.book, row)], grid=grid)


def _result(words: BookWording, row: TableRow) -> PageCell:
    more = outcomes(words, row.outcomes)
    if row.scenario is not None:
        scenario = words.book.scenario[row.scenario]
        name = _("Scenario: %(name)s") % {"name": words.translated(scenario.name)}
        more += (words.link("scenario", scenario, name),)
    return PageCell(words.translated(row.text), strong=words.translated(row.name), more=more)


def rolls(words: BookWording, table: DiceTable, rows: Sequence[TableRow]) -> str:
    """The totals of these rows of a table: "1, 3, 5–6", or the names of the faces."""
    if table.faces:
        faces = [face for row in rows for face in table.faces[row.low - 1 : row.high]]
        return ", ".join(words.translated(face) for face in faces)
    spans: list[list[int]] = []
    for row in rows:
        if spans and row.low == spans[-1][1] + 1:
            spans[-1][1] = row.high
        else:
            spans.append([row.low, row.high])
    return ", ".join(f"{low}" if low == high else f"{low}–{high}" for low, high in spans)


def _condition(words: BookWording, row: Condition) -> Piece:
    facts = [
        *fact(_("Changes"), *words.effects(row.effects)),
        *fact(_("Games it lasts"), row.games),
        *fact(_("Times at most"), row.most),
        *fact(_("Once more instead"), *outcomes(words, row.beyond)),
    ]
    if row.before is not None:
        totals = ", ".join(map(str, row.before.absent))
        sentence = _("%(dice)s: cannot play on %(totals)s")
        values = {"dice": row.before.dice.upper(), "totals": totals}
        facts += fact(_("Before each game"), sentence % values)
    chips = [
        _("cannot play") if row.absent else "",
        _("not counted") if row.uncounted else "",
        _("against one gang") if row.against else "",
    ]
    return words.piece("condition", row, chips, facts)


def outcomes(words: BookWording, listed: Iterable[Outcome]) -> tuple[Link, ...]:
    """Each outcome in words, with a link to the row that it names."""
    return tuple(outcome_in_words(words, outcome) for outcome in listed)


def outcome_in_words(words: BookWording, outcome: Outcome) -> Link:
    """One outcome in words, with a link to the row that it names (a condition, a table...)."""
    book = words.book
    match outcome.kind:
        case "dies":
            if outcome.gear == "stash":
                return Link(_("Dies; their gear goes to the stash."))
            return Link(_("Dies; their gear is lost."))
        case "leaves":
            departure = book.campaign.departure[outcome.departure]
            gear = {
                "lost": _("their gear is lost"),
                "stash": _("their gear goes to the stash"),
                "kept": _("their gear goes with them"),
            }[outcome.gear]
            names = {"departure": words.translated(departure.name), "gear": gear}
            return words.link("departure", departure, _("Leaves: %(departure)s; %(gear)s.") % names)
        case "suffers":
            condition = book.condition[outcome.condition]
            sentence = _("Gets: %(condition)s.")
            if outcome.games is not None:
                sentence = _("Gets: %(condition)s, for games to come: %(games)s.")
            games = (outcome.games or "").upper()
            names = {"condition": words.translated(condition.name), "games": games}
            return words.link("condition", condition, sentence % names)
        case "loses_item":
            sentence = _("Loses one item, by a die, of: %(groups)s.")
            if outcome.every:
                sentence = _("Loses every item of: %(groups)s.")
            return Link(sentence % {"groups": words.named(book.group, outcome.groups)})
        case "learns":
            return Link(_("Experience: +%(amount)s.") % {"amount": outcome.amount.upper()})
        case "gains":
            trait = book.trait[outcome.trait]
            sentence = _("Gains the trait: %(trait)s.") % {"trait": words.translated(trait.name)}
            return words.link("trait", trait, sentence)
        case "pays":
            amount = words.money(outcome.amount.upper())
            return Link(_("The gang pays %(amount)s, or all it has.") % {"amount": amount})
        case "rolls_on":
            return _rolls_on(words, outcome)
        case "takes":
            holding = book.holding[outcome.holding]
            sentence = _("The gang gets: %(holding)s, unless another gang holds it.")
            if holding.shared:
                sentence = _("The gang gets: %(holding)s.")
            names = {"holding": words.translated(holding.name)}
            return words.link("holding", holding, sentence % names)
        case "again":
            return Link(_("Roll again on this table."))
        case "chooses":
            options = []
            for option in outcome.options:
                texts = [link.text for link in outcomes(words, option.outcomes)]
                options.append(" ".join([f"{words.translated(option.name)}.", *texts]))
            return Link(_("Choose: %(options)s") % {"options": _(" Or: ").join(options)})


def _rolls_on(words: BookWording, outcome: RollsOn) -> Link:
    table, times = words.book.table[outcome.table], outcome.times
    sentence = _("Roll on: %(table)s.")
    if times.isdigit() and times != "1":
        sentence = ngettext(
            "Roll %(times)s time on: %(table)s.", "Roll %(times)s times on: %(table)s.", int(times)
        )
    elif times != "1":
        sentence = _("Roll on: %(table)s. Times: %(times)s.")
    sentence %= {"times": times.upper(), "table": words.translated(table.name)}
    if outcome.rerolling:
        again = words.tagged(table.rows, outcome.rerolling)
        sentence += " " + _("Roll again for: %(rows)s.") % {"rows": again}
    return words.link("table", table, sentence)


def reach_in_words(reach: Reach) -> str:
    """The chance that a member leaves for good, by the best choice and by the worst."""
    if reach.certain:
        return percent(reach.least)
    values = {"least": percent(reach.least), "most": percent(reach.most)}
    return _("%(least)s to %(most)s, by choice") % values


def table_chips(book: Book, table: DiceTable) -> Iterator[str]:
    """The chances of a whole roll on a table with outcomes: that nothing happens, and that a member
    leaves for good."""
    if not any(row.outcomes for row in table.rows):
        return
    if nothing := nothing_happens(book, table):
        yield _("nothing happens: %(chance)s") % {"chance": percent(nothing)}
    if (reach := find_reach_of_roll(book, table)).most:
        yield say_gone_for_good(reach)


def say_gone_for_good(reach: Reach) -> str:
    """The chance that a member leaves for good, as a sentence."""
    return _("lost for good: %(chance)s") % {"chance": reach_in_words(reach)}


def only_table(step: FatesStep) -> str | None:
    """The table that all members roll on in a step; None if there are several, or none."""
    tables = {key for key in (step.table, *(fate.table for fate in step.fates)) if key}
    return tables.pop() if len(tables) == 1 else None


def step_chips(book: Book, step: FatesStep) -> tuple[str, ...]:
    """The chances of a roll in a step of the post-game; empty unless all roll on one table."""
    key = only_table(step)
    return tuple(table_chips(book, book.table[key])) if key else ()
