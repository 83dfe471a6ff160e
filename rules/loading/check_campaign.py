"""Checks whether a rulebook's campaign makes sense: dice tables, outcomes, the post-game."""

from __future__ import annotations

from collections.abc import Iterable

from rules.book import season
from rules.book.fates import Before, DiceTable, Outcome, RollsOn
from rules.book.model import Book
from rules.book.reference import Scenario
from rules.book.vocabulary import Row, Selector
from rules.bounds.work import spend
from rules.engine.dice import chances, find_uncovered, parse
from rules.loading.check_holdings import check_captures
from rules.loading.checks import Checks, Path, Wrong, check_known, check_unique, reach, tags

MOST_DICE = 20
CAPS = {"none", "session", "size", "total"}
# A table to roll on, and the tags of its rows that are rolled again.
Ahead = tuple[str, frozenset[str]]


def _table(book: Book, path: Path, table: DiceTable) -> Wrong:
    start: Ahead = (table.key, frozenset())
    if start in reach(start, lambda ahead: _next_tables(book, *ahead)):
        yield path, "leads back to itself"
    if parse(table.dice)[0] > MOST_DICE:
        yield (*path, "dice"), f"are more than {MOST_DICE}"
        return
    for sentence in find_uncovered(table):
        yield path, sentence
    if table.faces and parse(table.dice) != (1, len(table.faces)):
        message = f"names {len(table.faces)} faces, but {table.dice} is another die"
        yield (*path, "faces"), message


def _before(book: Book, path: Path, before: Before) -> Wrong:
    """Check that the dice can show each of the ``absent`` totals, and others."""
    if parse(before.dice)[0] > MOST_DICE:
        yield (*path, "dice"), f"are more than {MOST_DICE}"
        return
    totals = set(chances(before.dice))
    for total in sorted(set(before.absent) - totals):
        yield (*path, "absent"), f"{before.dice} cannot show {total}"
    if totals <= set(before.absent):
        yield (*path, "absent"), "is whatever the dice show: say “absent” of the condition instead"


def _rolls_on(book: Book, path: Path, outcome: RollsOn) -> Wrong:
    here = (*path, "rerolling")
    if table := book.table.get(outcome.table):
        what = "tag of a row of that table"
        yield from check_known(here, outcome.rerolling, tags(table.rows), what)
        if all(row.tags.intersection(outcome.rerolling) for row in table.rows):
            yield here, "leaves no row that counts"


def _next_tables(book: Book, key: str, rerolling: frozenset[str]) -> Iterable[Ahead]:
    """The tables that a table's rows lead to, without the rows that are rolled again."""
    for row in book.table[key].rows if key in book.table else ():
        if row.tags.isdisjoint(rerolling):
            for outcome in _flatten(book, row.outcomes):
                if outcome.kind == "rolls_on":
                    yield outcome.table, frozenset(outcome.rerolling)


def _flatten(book: Book, outcomes: Iterable[Outcome], *, beyond: bool = True) -> Iterable[Outcome]:
    """Every outcome that ``outcomes`` may bring, including outcomes inside choices.

    ``beyond``: also the outcomes that replace a condition beyond its limit.
    """
    ahead, suffered = [*outcomes], set[str]()
    while ahead:
        outcome = ahead.pop()
        spend(1)
        yield outcome
        if outcome.kind == "chooses":
            ahead += (inner for option in outcome.options for inner in option.outcomes)
        elif beyond and outcome.kind == "suffers" and outcome.condition not in suffered:
            suffered.add(outcome.condition)
            if condition := book.condition.get(outcome.condition):
                ahead += (step for step in condition.beyond if step.kind != "suffers")


def brings_itself(book: Book) -> Wrong:
    """Check that no condition leads back to itself through its ``beyond`` outcomes."""

    def beyond(key: str) -> Iterable[str]:
        listed = book.condition[key].beyond if key in book.condition else ()
        found = _flatten(book, listed, beyond=False)
        return (outcome.condition for outcome in found if outcome.kind == "suffers")

    for index, condition in enumerate(book.conditions):
        if condition.key in reach(condition.key, beyond):
            yield ("conditions", index, "beyond"), "brings itself in the end"


def _campaign(book: Book, path: Path, campaign: season.Campaign) -> Wrong:
    yield from check_unique(path, campaign)
    if "points" in campaign.standings and campaign.points_name is None:
        yield (*path, "points_name"), "is missing: gangs are ranked by points"
    if book.money is None and "money" in campaign.standings:
        yield (*path, "standings"), "there is no money to rank gangs by"
    if book.rating is None and "rating" in campaign.standings:
        yield (*path, "standings"), "there is no rating to rank gangs by"
    for index, step in enumerate(campaign.steps):
        here = (*path, "steps", index)
        if step.kind == "advances" and campaign.advancement is None:
            yield here, "there is no campaign.advancement that says what is earned"
        if step.kind == "income" and book.money is None:
            yield here, "there is no money to come in"


def _shared(book: Book, path: Path, row: Row) -> Wrong:
    """Check that a row that both sides of a game report depends only on options that they share."""
    for key in row.when:
        if key in book.setting and book.setting[key].gang_only:
            yield (*path, "when", key), "is chosen by each gang; a game has several"


def _result(book: Book, path: Path, result: season.ResultType) -> Wrong:
    yield from _shared(book, path, result)
    yield from check_captures(book, path, result)


def _tally(book: Book, path: Path, tally: season.Tally) -> Wrong:
    yield from _shared(book, path, tally)
    if tally.takes_out and tally.per != "member":
        yield (*path, "takes_out"), "is for what members did"
    if tally.whose != Selector() and tally.per != "member":
        yield (*path, "whose"), "is about members, and this is counted of the gang"
    if tally.of != Selector() and tally.per == "gang" and not tally.marks:
        yield (*path, "of"), "is about enemies: name the marks that they end with"


def _underdog(book: Book, path: Path, row: season.Award | season.UnderdogMoney) -> Wrong:
    """Check that awards and money that compare ratings are in a game with ratings."""
    compares = isinstance(row, season.UnderdogMoney) or {row.underdog, row.underdog_by} != {None}
    if book.rating is None and compares:
        yield path, "there are no ratings to compare"


def _promotion(book: Book, path: Path, promotion: season.Promotion) -> Wrong:
    leaves = promotion.to is None or promotion.displaces
    if leaves != (promotion.departure is not None):
        yield (*path, "departure"), "goes with somebody who leaves: no “to”, or “displaces”"
    start = book.rank.get(promotion.start)
    if promotion.trigger == "full" and start is not None and start.experience is None:
        yield (*path, "trigger"), f"“{start.key}” has no most experience to be full"
    if promotion.trigger == "experience" and not promotion.experience:
        yield (*path, "experience"), "is missing"
    if promotion.dice is not None and not promotion.displaces:
        yield (*path, "dice"), "decides who of two leaves: it goes with “displaces”"


def _succession(book: Book, path: Path, succession: season.Succession) -> Wrong:
    if (succession.to is None) == (succession.trait is None):
        yield path, "needs a rank or a trait to give, and not both"


def _advancement(book: Book, path: Path, advancement: season.Advancement) -> Wrong:
    triggers = {promotion.trigger for promotion in book.campaign.promotions}
    if "rank" in advancement.cycle and "advance" not in triggers:
        yield (*path, "cycle"), "has ranks, but no promotion has the trigger “advance”"


def _recruiting(book: Book, path: Path, recruiting: season.Recruiting) -> Wrong:
    setting = book.setting.get(recruiting.cap or "")
    choices = setting.choices if setting and setting.kind == "choice" else ()
    if recruiting.cap and (not choices or not {choice.key for choice in choices} <= CAPS):
        listed = ", ".join(sorted(CAPS))
        yield (*path, "cap"), f"must be a setting with choices among {listed}"


CAMPAIGN_CHECKS: Checks = {
    DiceTable: _table,
    Before: _before,
    RollsOn: _rolls_on,
    season.Campaign: _campaign,
    Scenario: _shared,
    season.ResultType: _result,
    season.Mark: _shared,
    season.Tally: _tally,
    season.Award: _underdog,
    season.UnderdogMoney: _underdog,
    season.Promotion: _promotion,
    season.Succession: _succession,
    season.Advancement: _advancement,
    season.Recruiting: _recruiting,
}
