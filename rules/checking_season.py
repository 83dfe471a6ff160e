"""Whether what a rulebook says about playing on makes sense: tables, outcomes, the post-game."""

from __future__ import annotations

from collections.abc import Iterable

from rules.book import Book
from rules.complaints import Path, Wrong, known, number_setting, selector, source, trait_tags
from rules.dice import chances, parse, uncovered
from rules.fates import Before, DiceTable, Outcome, RollsOn
from rules.season import Advancement, FatesStep, Promotion
from rules.vocabulary import Row, Selector

MOST_DICE = 20
CAPS = {"none", "session", "size", "total"}
Ahead = tuple[str, frozenset[str]]


def check_season(book: Book) -> Wrong:
    """Every mistake of sense in the tables, conditions and the campaign."""
    yield from _tables(book)
    for index, condition in enumerate(book.conditions):
        yield from _outcomes(book, ("conditions", index, "beyond"), condition.beyond)
        if condition.before is not None:
            yield from _before(("conditions", index, "before"), condition.before)
    yield from _endless(book)
    yield from _report(book)
    yield from _shared(book)
    yield from _weighed(book)
    yield from _rises(book)
    yield from _steps(book)


def _tables(book: Book) -> Wrong:
    for index, table in enumerate(book.tables):
        if parse(table.dice)[0] > MOST_DICE:
            yield ("tables", index, "dice"), f"are more than {MOST_DICE}"
            continue
        for sentence in uncovered(table):
            yield ("tables", index), sentence
        yield from _faces(("tables", index, "faces"), table)
        for number, row in enumerate(table.rows):
            path: Path = ("tables", index, "rows", number)
            yield from source(book, (*path, "source"), row.source)
            yield from known((*path, "scenario"), row.scenario, book.scenario, "scenario")
            yield from _outcomes(book, (*path, "outcomes"), row.outcomes)


def _before(path: Path, before: Before) -> Wrong:
    """Dice that leave it open whether he plays."""
    if parse(before.dice)[0] > MOST_DICE:
        yield (*path, "dice"), f"are more than {MOST_DICE}"
        return
    totals = set(chances(before.dice))
    for total in sorted(set(before.absent) - totals):
        yield (*path, "absent"), f"{before.dice} cannot show {total}"
    if totals <= set(before.absent):
        yield (*path, "absent"), "is whatever the dice show: say “absent” of the condition instead"


def _faces(path: Path, table: DiceTable) -> Wrong:
    if table.faces and parse(table.dice) != (1, len(table.faces)):
        yield path, f"names {len(table.faces)} faces, but {table.dice} is another die"


def _outcomes(book: Book, path: Path, outcomes: Iterable[Outcome]) -> Wrong:
    for place, outcome in enumerate(outcomes):
        where: Path = (*path, place)
        match outcome.kind:
            case "suffers":
                yield from known(where, outcome.condition, book.condition, "condition")
            case "gains":
                yield from known(where, outcome.trait, book.trait, "trait")
            case "leaves":
                departures = {row.key for row in book.campaign.departures}
                yield from known(where, outcome.departure, departures, "departure")
            case "loses_item":
                for key in outcome.groups:
                    yield from known(where, key, book.group, "group of items")
            case "rolls_on":
                yield from known(where, outcome.table, book.table, "table")
                yield from _rerolling(book, where, outcome)
            case "chooses":
                for number, option in enumerate(outcome.options):
                    inner = (*where, "options", number, "outcomes")
                    yield from _outcomes(book, inner, option.outcomes)


def _rerolling(book: Book, path: Path, outcome: RollsOn) -> Wrong:
    table = book.table.get(outcome.table)
    if table is None:
        return
    tags = {tag for row in table.rows for tag in row.tags}
    for key in outcome.rerolling:
        yield from known((*path, "rerolling"), key, tags, "tag of a row of that table")
    if all(row.tags.intersection(outcome.rerolling) for row in table.rows):
        yield (*path, "rerolling"), "leaves no row that counts"


def _endless(book: Book) -> Wrong:
    """A table that sends the roller round in a circle would never end."""
    for index, table in enumerate(book.tables):
        start: Ahead = (table.key, frozenset())
        reached: set[Ahead] = set()
        ahead = [start]
        while ahead:
            for found in _next_tables(book, *ahead.pop()):
                if found not in reached:
                    reached.add(found)
                    ahead.append(found)
        if start in reached:
            yield ("tables", index), "leads back to itself"


def _next_tables(book: Book, key: str, rerolling: frozenset[str]) -> Iterable[Ahead]:
    """The tables that the rows of one table lead to, those that are rolled again left out."""
    for row in book.table[key].rows if key in book.table else ():
        if row.tags.isdisjoint(rerolling):
            for outcome in _flat(book, row.outcomes):
                yield outcome.table, frozenset(outcome.rerolling)


def _flat(book: Book, outcomes: Iterable[Outcome]) -> Iterable[RollsOn]:
    """Every roll on a table that ``outcomes`` may bring, through choices and conditions too."""
    for outcome in outcomes:
        if outcome.kind == "rolls_on":
            yield outcome
        elif outcome.kind == "chooses":
            for option in outcome.options:
                yield from _flat(book, option.outcomes)
        elif outcome.kind == "suffers" and outcome.condition in book.condition:
            beyond = book.condition[outcome.condition].beyond
            yield from _flat(book, (step for step in beyond if step.kind != "suffers"))


def _report(book: Book) -> Wrong:
    """What is told after a game, and what it earns."""
    campaign = book.campaign
    yield from known(("campaign", "scenario_table"), campaign.scenario_table, book.table, "table")
    tallies = {tally.key for tally in campaign.tallies}
    marks = {mark.key for mark in campaign.marks}
    for index, tally in enumerate(campaign.tallies):
        path: Path = ("campaign", "tallies", index)
        yield from number_setting(book, (*path, "times"), tally.times)
        if tally.takes_out and tally.per != "member":
            yield (*path, "takes_out"), "is for what members did"
        for key in tally.scenarios:
            yield from known((*path, "scenarios"), key, book.scenario, "scenario")
        yield from selector(book, (*path, "of"), tally.of)
        for key in tally.marks:
            yield from known((*path, "marks"), key, marks, "mark")
        if tally.of != Selector() and tally.per == "gang" and not tally.marks:
            yield (*path, "of"), "is about enemies: name the marks that they end with"
    for index, award in enumerate(campaign.awards):
        path = ("campaign", "awards", index)
        yield from known((*path, "each"), award.each, tallies, "tally")
        yield from selector(book, (*path, "of"), award.of)
        for key in award.not_marks:
            yield from known((*path, "not_marks"), key, marks, "mark")
    if campaign.growth:
        yield from number_setting(book, ("campaign", "growth", "ceiling"), campaign.growth.ceiling)
    if "points" in campaign.standings and campaign.points_name is None:
        yield ("campaign", "points_name"), "is missing: gangs are ranked by points"


def _shared(book: Book) -> Wrong:
    """What both sides of a game report about hangs on options that they share."""
    own = {setting.key for setting in book.settings if setting.gang_only}
    tables: list[tuple[Path, tuple[Row, ...]]] = [
        (("scenarios",), book.scenarios),
        (("campaign", "results"), book.campaign.results),
        (("campaign", "marks"), book.campaign.marks),
        (("campaign", "tallies"), book.campaign.tallies),
    ]
    for path, rows in tables:
        for index, row in enumerate(rows):
            for key in own.intersection(row.when):
                yield (*path, index, "when", key), "is chosen by each gang; a game has several"


def _weighed(book: Book) -> Wrong:
    """What compares ratings, or ranks gangs by something, needs a game that has it."""
    campaign = book.campaign
    if book.money is None and "money" in campaign.standings:
        yield ("campaign", "standings"), "there is no money to rank gangs by"
    if book.rating is not None:
        return
    if "rating" in campaign.standings:
        yield ("campaign", "standings"), "there is no rating to rank gangs by"
    for index, award in enumerate(campaign.awards):
        if award.underdog is not None or award.underdog_by is not None:
            yield ("campaign", "awards", index), "there are no ratings to compare"
    for index in range(len(campaign.underdog)):
        yield ("campaign", "underdog", index), "there are no ratings to compare"


def _rises(book: Book) -> Wrong:
    campaign = book.campaign
    departures = {row.key for row in campaign.departures}
    for index, promotion in enumerate(campaign.promotions):
        path: Path = ("campaign", "promotions", index)
        for key in (promotion.start, promotion.to):
            yield from known(path, key, book.rank, "rank")
        yield from selector(book, (*path, "of"), promotion.of)
        yield from known((*path, "departure"), promotion.departure, departures, "departure")
        yield from _promotion(book, path, promotion)
    for index, succession in enumerate(campaign.successions):
        path = ("campaign", "successions", index)
        yield from selector(book, (*path, "post"), succession.post)
        yield from selector(book, (*path, "among"), succession.among)
        yield from known((*path, "to"), succession.to, book.rank, "rank")
        yield from known((*path, "trait"), succession.trait, book.trait, "trait")
        if (succession.to is None) == (succession.trait is None):
            yield path, "needs a rank or a trait to give, and not both"


def _promotion(book: Book, path: Path, promotion: Promotion) -> Wrong:
    leaves = promotion.to is None or promotion.displaces
    if leaves != (promotion.departure is not None):
        yield (*path, "departure"), "goes with somebody who leaves: no “to”, or “displaces”"
    if promotion.trigger == "full":
        start = book.rank.get(promotion.start)
        if start is not None and start.experience is None:
            yield (*path, "trigger"), f"“{start.key}” has no most experience to be full"
    if promotion.trigger == "experience" and not promotion.experience:
        yield (*path, "experience"), "is missing"
    if promotion.dice is not None and not promotion.displaces:
        yield (*path, "dice"), "decides who of two leaves: it goes with “displaces”"


def _steps(book: Book) -> Wrong:
    campaign = book.campaign
    if campaign.advancement:
        yield from _advancement(book, ("campaign", "advancement"), campaign.advancement)
    if campaign.recruiting:
        yield from _recruiting(book)
    for index, step in enumerate(campaign.steps):
        path: Path = ("campaign", "steps", index)
        if step.kind == "fates":
            yield from _fates(book, path, step)
        elif step.kind == "captives":
            yield from known((*path, "condition"), step.condition, book.condition, "condition")
        elif step.kind == "advances" and campaign.advancement is None:
            yield path, "there is no campaign.advancement that says what is earned"
        elif step.kind == "income" and book.money is None:
            yield path, "there is no money to come in"


def _advancement(book: Book, path: Path, advancement: Advancement) -> Wrong:
    yield from selector(book, (*path, "of"), advancement.of)
    for key in advancement.trait_tags:
        yield from known((*path, "trait_tags"), key, trait_tags(book), "tag of a trait")
    triggers = {promotion.trigger for promotion in book.campaign.promotions}
    if "rank" in advancement.cycle and "advance" not in triggers:
        yield (*path, "cycle"), "has ranks, but no promotion has the trigger “advance”"


def _recruiting(book: Book) -> Wrong:
    recruiting = book.campaign.recruiting
    assert recruiting is not None
    for index, quota in enumerate(recruiting.quotas):
        for key in quota.ranks:
            yield from known(("campaign", "recruiting", "quotas", index), key, book.rank, "rank")
    if recruiting.cap is None:
        return
    setting = book.setting.get(recruiting.cap)
    choices = (
        {choice.key for choice in setting.choices}
        if setting and setting.kind == "choice"
        else set()
    )
    if not choices or not choices <= CAPS:
        listed = ", ".join(sorted(CAPS))
        yield ("campaign", "recruiting", "cap"), f"must be a setting with choices among {listed}"


def _fates(book: Book, path: Path, step: FatesStep) -> Wrong:
    marks = {mark.key for mark in book.campaign.marks}
    yield from known((*path, "table"), step.table, book.table, "table")
    yield from selector(book, (*path, "of"), step.of)
    for index, fate in enumerate(step.fates):
        where: Path = (*path, "fates", index)
        yield from selector(book, (*where, "of"), fate.of)
        yield from known((*where, "table"), fate.table, book.table, "table")
        for key in fate.marks:
            yield from known((*where, "marks"), key, marks, "mark")
        yield from _outcomes(book, (*where, "outcomes"), fate.outcomes)
