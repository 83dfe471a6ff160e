"""Dice tables with their chances, the outcomes of their rows, and lasting conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rules.book.amounts import Each, ItemSelector
from rules.book.fates import (
    Condition,
    DiceTable,
    Earns,
    FallsTo,
    Outcome,
    Pays,
    RollsOn,
    TableRow,
)
from rules.book.model import Book
from rules.book.season import FatesStep, RollsStep
from rules.engine.dice import count_matching, parse_amount
from rules.engine.table_odds import (
    Reach,
    alike,
    find_reach,
    find_reach_of_roll,
    matching_chance,
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


# The numbers of dice for which a table with matching dice shows its chances.
DICE_SHOWN = (2, 3, 4, 5, 6)


def _table(words: BookWording, row: DiceTable) -> Piece:
    if row.matching is not None:
        return _matching_table(words, row)
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


def _matching_table(words: BookWording, table: DiceTable) -> Piece:
    """A table of which a result is a face that several dice show, with the chances for a few
    numbers of dice."""
    heads = [ngettext("%(count)s die", "%(count)s dice", count) for count in DICE_SHOWN]
    columns = [head % {"count": count} for head, count in zip(heads, DICE_SHOWN, strict=True)]
    lines = []
    for row in table.rows:
        shares = (matching_chance(table, row, count) for count in DICE_SHOWN)
        cells = (
            *(PageCell(percent(share) if share else "–") for share in shares),
            _result(words, row),
        )
        source = None if row.source == table.source else words.cited(row.source)
        head = rolls(words, table, [row])
        anchor = f"table-{table.key}-{row.low}-{count_matching(table, row)}"
        lines.append(PageLine(head, cells, anchor, source=source))
    name = words.translated(table.name)
    shown = tuple(map(ColumnHead, [*columns, _("Result")]))
    grid = PageTable(_("Roll"), shown, tuple(lines), name)
    together = _("%(count)s dice or more with the same face") % {"count": table.matching}
    return words.piece("table", table, [table.dice.upper(), together], grid=grid)


def _result(words: BookWording, row: TableRow) -> PageCell:
    more = outcomes(words, row.outcomes)
    if row.scenario is not None:
        scenario = words.book.scenario[row.scenario]
        name = _("Scenario: %(name)s") % {"name": words.translated(scenario.name)}
        more += (words.link("scenario", scenario, name),)
    return PageCell(words.translated(row.text), strong=words.translated(row.name), more=more)


def rolls(words: BookWording, table: DiceTable, rows: Sequence[TableRow]) -> str:
    """The totals of these rows of a table: "1, 3, 5–6", or the names of the faces; where dice
    match, with their number: "2 × 5–6"."""
    if table.faces:
        faces = [face for row in rows for face in table.faces[row.low - 1 : row.high]]
        return ", ".join(words.translated(face) for face in faces)
    spans: list[list[int]] = []
    for row in rows:
        if spans and row.low == spans[-1][1] + 1:
            spans[-1][1] = row.high
        else:
            spans.append([row.low, row.high])
    totals = ", ".join(f"{low}" if low == high else f"{low}–{high}" for low, high in spans)
    return f"{count_matching(table, rows[0])} × {totals}" if table.matching else totals


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
            games = amount_in_words(outcome.games) if outcome.games else ""
            names = {"condition": words.translated(condition.name), "games": games}
            return words.link("condition", condition, sentence % names)
        case "loses_item":
            sentence = _("Loses one item, by a die, of: %(groups)s.")
            if outcome.every:
                sentence = _("Loses every item of: %(groups)s.")
            return Link(sentence % {"groups": words.named(book.group, outcome.groups)})
        case "learns":
            amount = amount_in_words(outcome.amount, each_in_words(words, outcome.each))
            return Link(_("Experience: +%(amount)s.") % {"amount": amount})
        case "gains":
            trait = book.trait[outcome.trait]
            sentence = _("Gains the trait: %(trait)s.") % {"trait": words.translated(trait.name)}
            return words.link("trait", trait, sentence)
        case "chooses_trait":
            traits = words.tagged(book.traits, outcome.trait_tags) or words.traits_name
            sentence = _("Choose one of: %(traits)s.") % {"traits": traits}
            if outcome.teachers is not None:
                teachers = words.whom(outcome.teachers) or _("any other member")
                sentence = _("Learn one of: %(traits)s; from somebody who has it: %(teachers)s.")
                sentence %= {"traits": traits, "teachers": teachers}
            return Link(sentence, "characters/#traits")
        case "pays":
            amount = _money(words, outcome)
            return Link(_("The gang pays %(amount)s, or all it has.") % {"amount": amount})
        case "earns":
            return Link(_("The gang earns %(amount)s.") % {"amount": _money(words, outcome)})
        case "finds":
            item = book.item[outcome.item]
            sentence = _("Finds, for the stash: %(item)s%(times)s.")
            if outcome.to == "member":
                sentence = _("Finds and keeps: %(item)s%(times)s.")
            names = {"item": words.translated(item.name), "times": _how_often(outcome.times)}
            return words.link("item", item, sentence % names)
        case "joins":
            rank = book.rank[outcome.rank]
            names = {"rank": words.translated(rank.name), "times": _how_often(outcome.times)}
            return words.link("rank", rank, _("Joins for nothing: %(rank)s%(times)s.") % names)
        case "rises":
            row = book.characteristic[outcome.characteristic]
            amount = f"{outcome.amount:+d}".replace("-", "−")
            names = {"characteristic": words.translated(row.name), "amount": amount}
            sentence = _("%(characteristic)s %(amount)s for good.") % names
            return words.link("characteristic", row, sentence)
        case "promotes":
            rank = book.rank[outcome.rank]
            sentence = _("Becomes: %(rank)s.") % {"rank": words.translated(rank.name)}
            return words.link("rank", rank, sentence)
        case "falls_to":
            return _falls_to(words, outcome)
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


def amount_in_words(written: str, each: str = "") -> str:
    """An amount as players write it, "2D6 × 10"; with the things that it is for, once each."""
    amount = str(parse_amount(written))
    return _("%(amount)s for each: %(each)s") % {"amount": amount, "each": each} if each else amount


def each_in_words(words: BookWording, each: Each | None) -> str:
    """The things that something is rolled, paid or given for, once each; "" if once only."""
    if each is None:
        return ""
    book = words.book
    if each.tally is not None:
        what = words.counted(each.tally)
    elif each.members is not None:
        what = words.whom(each.members) or _("member")
        if each.fielded:
            what += ", " + _("those who took part")
        if marks := words.named(book.campaign.mark, each.not_marks):
            what += ", " + _("not those who ended the game as: %(marks)s") % {"marks": marks}
    elif each.holdings:
        what = words.named(book.holding, each.holdings)
    else:
        picked = each.items or ItemSelector()
        parts = [
            words.named(book.item, picked.items),
            words.named(book.group, picked.groups),
            words.tagged(book.items, picked.item_tags),
        ]
        what = " · ".join(filter(None, parts)) or _("item")
    if each.most is not None:
        most = _("%(count)s at most") % {"count": each.most}
        what += f" ({most})"
    return what


def _money(words: BookWording, outcome: Earns | Pays) -> str:
    each = each_in_words(words, outcome.each)
    money = words.money(amount_in_words(outcome.amount), outcome.currency)
    return _("%(amount)s for each: %(each)s") % {"amount": money, "each": each} if each else money


def _how_often(written: str) -> str:
    return "" if written == "1" else f" × ({amount_in_words(written)})"


def _falls_to(words: BookWording, outcome: FallsTo) -> Link:
    whom = words.whom(outcome.of)
    sentence = {
        "choice": _("Falls to one of your choice among %(whom)s: %(outcomes)s"),
        "die": _("Falls by a die to one among %(whom)s: %(outcomes)s"),
        "all": _("Falls to each of %(whom)s: %(outcomes)s"),
    }[outcome.by]
    if not whom and outcome.by == "all":
        sentence = _("Falls to %(whom)s: %(outcomes)s")
    texts = " ".join(link.text for link in outcomes(words, outcome.outcomes))
    return Link(sentence % {"whom": whom or _("all members"), "outcomes": texts})


def _rolls_on(words: BookWording, outcome: RollsOn) -> Link:
    table, times = words.book.table[outcome.table], outcome.times
    sentence = _("Roll on: %(table)s.")
    if times.isdigit() and times != "1":
        sentence = ngettext(
            "Roll %(times)s time on: %(table)s.", "Roll %(times)s times on: %(table)s.", int(times)
        )
    elif times != "1":
        sentence = _("Roll on: %(table)s. Times: %(times)s.")
    sentence %= {"times": amount_in_words(times), "table": words.translated(table.name)}
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
    # Where dice match, the chances depend on their number.
    if table.matching or not any(row.outcomes for row in table.rows):
        return
    if table.rerolls_wasted:
        yield _("rolled again if nothing would change")
    if nothing := nothing_happens(book, table):
        yield _("nothing happens: %(chance)s") % {"chance": percent(nothing)}
    if (reach := find_reach_of_roll(book, table)).most:
        yield say_gone_for_good(reach)


def say_gone_for_good(reach: Reach) -> str:
    """The chance that a member leaves for good, as a sentence."""
    return _("lost for good: %(chance)s") % {"chance": reach_in_words(reach)}


def only_table(step: FatesStep | RollsStep) -> str | None:
    """The table that everybody rolls on in a step; None if there are several, or none."""
    if isinstance(step, RollsStep):
        return step.table
    tables = {key for key in (step.table, *(fate.table for fate in step.fates)) if key}
    return tables.pop() if len(tables) == 1 else None


def step_chips(book: Book, step: FatesStep | RollsStep) -> tuple[str, ...]:
    """The chances of a roll in a step of the post-game; empty unless all roll on one table."""
    key = only_table(step)
    return tuple(table_chips(book, book.table[key])) if key else ()
