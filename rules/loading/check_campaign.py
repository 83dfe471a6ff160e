"""Checks whether a rulebook's campaign makes sense: dice tables, outcomes, the post-game."""

from __future__ import annotations

from collections.abc import Iterable

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from rules.book import fates, season
from rules.book.amounts import Each
from rules.book.fates import Before, DiceTable, Outcome, RollsOn, inner_outcomes
from rules.book.labels import unknown
from rules.book.model import Book
from rules.book.reference import Scenario
from rules.book.vocabulary import Row, Selector
from rules.bounds.work import spend
from rules.engine.dice import NO_ROW, chances, find_uncovered, parse, parse_amount
from rules.loading.check_holdings import check_captures
from rules.loading.checks import (
    Checks,
    RowPath,
    Wrong,
    check_known,
    check_unique,
    reach,
    tags,
)

MOST_DICE = 20
# The most rolls, items or members that one step or outcome brings.
MOST_TIMES = 50
# Outcomes that need a member.
OF_MEMBERS = {
    "dies",
    "leaves",
    "suffers",
    "loses_item",
    "learns",
    "gains",
    "chooses_trait",
    "rises",
    "promotes",
}
CAPS = {"none", "session", "size", "total"}
# A table to roll on, and the tags of its rows that are rolled again.
Ahead = tuple[str, frozenset[str]]
# The mistake of adding to a characteristic that is no amount.
IN_WORDS = _("“%(key)s” is in words: only an effect of the kind “set” changes it")


def _table(book: Book, path: RowPath, table: DiceTable) -> Wrong:
    start: Ahead = (table.key, frozenset())
    if start in reach(start, lambda ahead: _next_tables(book, *ahead)):
        yield path, _("the table leads back to itself")
    if parse(table.dice)[0] > MOST_DICE:
        yield (*path, "dice"), say(_("at most %(most)s dice are allowed"), most=MOST_DICE)
        return
    yield from _matching(path, table)
    yield from _wasted(path, table)
    for level in sorted(
        {None, *(row.matching for row in table.rows)}, key=lambda level: level or 0
    ):
        rows = tuple(row for row in table.rows if row.matching == level)
        # Only the lowest number of matching dice must have a row for every face.
        for sentence in find_uncovered(table.model_copy(update={"rows": rows})):
            if level is None or sentence.message != NO_ROW:
                yield path, sentence
    if table.faces and parse(table.dice) != (1, len(table.faces)):
        message = say(
            _("“faces” has %(count)s names, but %(dice)s is not a single die with %(count)s faces"),
            count=len(table.faces),
            dice=table.dice,
        )
        yield (*path, "faces"), message


def _matching(path: RowPath, table: DiceTable) -> Wrong:
    """Check that dice can match: several dice of one kind, rolled together."""
    if table.matching is None:
        for index, row in enumerate(table.rows):
            if row.matching is not None:
                message = _("is only used in a table with “matching”")
                yield (*path, "rows", index, "matching"), message
        return
    if parse(table.dice)[0] != 1 or table.dice.startswith("d"):
        yield (*path, "dice"), _("must be a single die: the step decides how many are thrown")
    if table.faces:
        yield (*path, "faces"), _("leave out “faces”: this table is for several matching dice")
    for index, row in enumerate(table.rows):
        if row.matching is not None and row.matching <= table.matching:
            words = say(
                _("must be more than %(matching)s, the number for the whole table"),
                matching=table.matching,
            )
            yield (*path, "rows", index, "matching"), words
        if any(outcome.kind == "again" for outcome in row.outcomes):
            yield (*path, "rows", index), _("a table of matching dice cannot roll again")


def _wasted(path: RowPath, table: DiceTable) -> Wrong:
    """Check that a table that is rolled again for nothing has a row that can change nothing."""
    if not table.rerolls_wasted:
        return
    if table.matching is not None:
        yield (*path, "rerolls_wasted"), _("a table of matching dice cannot roll again")
    kinds = {outcome.kind for row in table.rows for outcome in fates.all_outcomes(row.outcomes)}
    if kinds.isdisjoint(("rises", "gains", "chooses_trait")):
        message = _("has no effect: no row raises a characteristic or brings a trait")
        yield (*path, "rerolls_wasted"), message


def _before(book: Book, path: RowPath, before: Before) -> Wrong:
    """Check that the dice can show each of the ``absent`` totals, and others."""
    if parse(before.dice)[0] > MOST_DICE:
        yield (*path, "dice"), say(_("at most %(most)s dice are allowed"), most=MOST_DICE)
        return
    totals = set(chances(before.dice))
    for total in sorted(set(before.absent) - totals):
        yield (
            (*path, "absent"),
            say(_("%(dice)s cannot show %(total)s"), dice=before.dice, total=total),
        )
    if totals <= set(before.absent):
        yield (
            (*path, "absent"),
            _("has all results of the dice: set “absent” of the condition instead"),
        )


def _rolls_on(book: Book, path: RowPath, outcome: RollsOn) -> Wrong:
    here = (*path, "rerolling")
    yield from _single(book, (*path, "table"), outcome.table)
    if table := book.table.get(outcome.table):
        what = _("tag")
        yield from check_known(here, outcome.rerolling, tags(table.rows), what)
        if all(row.tags.intersection(outcome.rerolling) for row in table.rows):
            yield here, _("at least one row must not be rolled again")


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
        ahead += inner_outcomes(outcome)
        if beyond and outcome.kind == "suffers" and outcome.condition not in suffered:
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
            yield ("conditions", index, "beyond"), _("the condition ends up causing itself")


def _play(_book: Book, path: RowPath, play: season.Play) -> Wrong:
    if play.sides is None:
        return
    here = (*path, "sides")
    if not play.is_together and play.fewest < 2:
        yield (*here, "minimum"), _("gangs that play against each other must be at least 2")
    if play.most is not None and play.most < play.fewest:
        words = say(_("must be at least %(minimum)s, the minimum"), minimum=play.fewest)
        yield (*here, "maximum"), words


def _campaign(book: Book, path: RowPath, campaign: season.Campaign) -> Wrong:
    yield from check_unique(path, campaign)
    if not campaign.standings and not book.who_plays.is_together:
        yield (
            (*path, "standings"),
            _("must not be empty: only gangs that play against the book can be without a ranking"),
        )
    if "points" in campaign.standings and campaign.points_name is None:
        yield (
            (*path, "points_name"),
            _("is missing: give the points a name, because they rank the gangs"),
        )
    if book.money is None and "money" in campaign.standings:
        yield (*path, "standings"), _("this needs money: add “money” to the rulebook")
    if book.rating is None and "rating" in campaign.standings:
        yield (*path, "standings"), _("this needs a rating: add “rating” to the rulebook")
    for index, step in enumerate(campaign.steps):
        here = (*path, "steps", index)
        if step.kind == "advances" and not (campaign.advancement or campaign.advancements):
            message = _(
                "this step needs “campaign.advancement” or a row of “campaign.advancements”"
            )
            yield here, message
        if step.kind == "income" and book.money is None and not book.currencies:
            yield here, _("this needs money: add “money” to the rulebook")
        if step.kind == "captives" and step.ransom != "none" and book.who_plays.is_together:
            yield (*here, "ransom"), _("must be “none”: against the book, no gang holds captives")
        if step.kind == "captives" and step.ransom == "none" and step.currency is not None:
            yield (*here, "currency"), _("is only used with a ransom")
    if campaign.scenario_table is not None:
        yield from _single(book, (*path, "scenario_table"), campaign.scenario_table)


def _shared(book: Book, path: RowPath, row: Row) -> Wrong:
    """Check that a row that both sides of a game report depends only on options that they share."""
    for key in row.when:
        if key in book.setting and book.setting[key].gang_only:
            yield (
                (*path, "when", key),
                _("each gang chooses this setting, so a game cannot depend on it"),
            )


def _scenario(book: Book, path: RowPath, scenario: Scenario) -> Wrong:
    """Check that the non-players have different keys, and that a side of the scenario runs them."""
    yield from _shared(book, path, scenario)
    roles, keys = {role.key for role in scenario.roles}, set[str]()
    for index, one in enumerate(scenario.nonplayers):
        here = (*path, "nonplayers", index)
        if one.key in keys:
            yield (
                (*here, "key"),
                say(_("the key “%(key)s” is used twice: choose another one"), key=one.key),
            )
        keys.add(one.key)
        if one.run_by is not None and one.run_by not in roles:
            yield (*here, "run_by"), unknown(one.run_by, _("side"), roles)
    yield from _leads(book, path, scenario, roles)


def _leads(book: Book, path: RowPath, scenario: Scenario, roles: set[str]) -> Wrong:
    """Check what a scenario leads to: a known role of the winner, and something at all."""
    for index, lead in enumerate(scenario.leads):
        here = (*path, "leads", index)
        if lead.winner is not None and lead.winner not in roles:
            yield (*here, "winner"), unknown(lead.winner, _("side"), roles)
        if lead.leads_to is None and not lead.opens and not lead.closes:
            yield here, _("needs “leads_to”, “opens” or “closes”")
        for key in sorted({*lead.opens, lead.leads_to} & {*lead.closes}, key=str):
            yield (*here, "closes"), say(_("“%(key)s” is opened by the same row"), key=key)
    opened = {
        key
        for row in book.scenarios
        for lead in row.leads
        for key in (*lead.opens, lead.leads_to)
        if key is not None
    }
    if scenario.closed and scenario.key not in opened:
        yield (*path, "closed"), _("no scenario leads to this one or opens it")


def _mark(book: Book, path: RowPath, mark: season.Mark) -> Wrong:
    yield from _shared(book, path, mark)
    if mark.stands and mark.dies:
        yield (*path, "stands"), _("give either “stands” or “dies”, not both")


# The fields of a result that are used by each kind for games against the book.
_USED = {"won": "winner", "lost": "loser", "level": "each"}


def _result(book: Book, path: RowPath, result: season.ResultType) -> Wrong:
    yield from _shared(book, path, result)
    is_together = book.who_plays.is_together
    if (result.kind in _USED) != is_together and result.kind != "level":
        yield (
            (*path, "kind"),
            _("must be “won”, “lost” or “level”: the gangs play against the book")
            if is_together
            else say(
                _("“%(kind)s” is for games against the book: set “against” of “play” to “book”"),
                kind=result.kind,
            ),
        )
    elif is_together:
        unused = {"winner", "loser", "each", "captures", "lost"} - {_USED[result.kind]}
        for name in sorted(name for name in unused if getattr(result, name)):
            yield (*path, name), _("is not used for a game against the book that ends like this")
        return
    yield from check_captures(book, path, result)
    for index, reward in enumerate(result.rewards):
        if not (reward.winner or reward.loser or reward.each):
            yield (*path, "rewards", index), _("brings nobody anything")


def _tally(book: Book, path: RowPath, tally: season.Tally) -> Wrong:
    yield from _shared(book, path, tally)
    if tally.by > max(1, tally.maximum):
        yield (
            (*path, "by"),
            say(_("must be at most %(maximum)s, the maximum"), maximum=tally.maximum),
        )
    if tally.takes_out and tally.per != "member":
        yield (*path, "takes_out"), _("is only used when counted per member")
    if tally.whose != Selector() and tally.per != "member":
        yield (*path, "whose"), _("is only used when counted per member")
    if tally.of != Selector() and tally.per == "gang" and not tally.marks:
        yield (*path, "of"), _("needs “marks”: choose how these enemies end the game")


def _unfought(book: Book, path: RowPath, row: season.Unfought) -> Wrong:
    """Check that a game without a battle only brings what its sides can get."""
    if book.who_plays.is_together and row.how != "abandoned":
        yield (*path, "how"), _("must be “abandoned”: no gang plays against another")
    others = {"abandoned": ("winner", "loser", "loss"), "recorded": ("winner", "loss")}
    for name in others.get(row.how, ("each", "draw")):
        if getattr(row, name):
            yield (*path, name), _("is not used for a game that ends like this")
        for index, reward in enumerate(row.rewards):
            if getattr(reward, name, 0):
                here = (*path, "rewards", index, name)
                yield here, _("is not used for a game that ends like this")
    if book.money is None and (row.winner or row.loser or row.each):
        yield path, _("this needs money: add “money” to the rulebook")


def _underdog(book: Book, path: RowPath, row: season.Award | season.UnderdogMoney) -> Wrong:
    """Check that awards and money that compare ratings are in a game with ratings."""
    compares = isinstance(row, season.UnderdogMoney) or {row.underdog, row.underdog_by} != {None}
    if book.rating is None and compares:
        yield path, _("this needs a rating: add “rating” to the rulebook")
    elif compares and book.who_plays.is_together:
        yield path, _("needs an opponent, but the gangs play against the book")


def _promotion(book: Book, path: RowPath, promotion: season.Promotion) -> Wrong:
    leaves = promotion.to is None or promotion.displaces
    if leaves != (promotion.departure is not None):
        yield (*path, "departure"), _("is needed without “to” or with “displaces”, and only then")
    start = book.rank.get(promotion.start)
    if promotion.trigger == "full" and start is not None and start.experience is None:
        yield (
            (*path, "trigger"),
            say(
                _("the rank “%(key)s” needs “experience”, the most that a member can have"),
                key=start.key,
            ),
        )
    if promotion.trigger == "experience" and not promotion.experience:
        yield (*path, "experience"), _("is missing")
    if promotion.dice is not None and not promotion.displaces:
        yield (*path, "dice"), _("is only used with “displaces”")


def _succession(book: Book, path: RowPath, succession: season.Succession) -> Wrong:
    if succession.to is None and succession.trait is None:
        yield path, _("give “to” or “trait”: choose what the successor becomes")
    elif succession.to is not None and succession.trait is not None:
        yield path, _("give either “to” or “trait”, not both")


def _recruiting(book: Book, path: RowPath, recruiting: season.Recruiting) -> Wrong:
    setting = book.setting.get(recruiting.cap or "")
    choices = setting.choices if setting and setting.kind == "choice" else ()
    if recruiting.cap and (not choices or not {choice.key for choice in choices} <= CAPS):
        listed = ", ".join(sorted(CAPS))
        yield (
            (*path, "cap"),
            say(_("must be a setting with only these choices: %(listed)s"), listed=listed),
        )


def _single(book: Book, path: RowPath, key: str | None) -> Wrong:
    """Check that dice do not match in a table that is rolled with its own dice."""
    table = book.table.get(key or "")
    if table is not None and table.matching is not None:
        yield (
            path,
            say(
                _("“%(key)s” needs several dice: only a step “rolls” can use this table"),
                key=table.key,
            ),
        )


def _fates(book: Book, path: RowPath, part: season.FatesStep | fates.Fate) -> Wrong:
    yield from _single(book, (*path, "table"), part.table)


def _rolls(book: Book, path: RowPath, step: season.RollsStep) -> Wrong:
    yield from _times(book, path, step)
    here, seen = (*path, "table"), set[str]()
    ahead = [step.table]
    while ahead:
        key = ahead.pop()
        if key in seen or key not in book.table:
            continue
        seen.add(key)
        for outcome in _of_gang(row.outcomes for row in book.table[key].rows):
            if outcome.kind == "rolls_on":
                ahead.append(outcome.table)
            elif outcome.kind in OF_MEMBERS or (outcome.kind, _to(outcome)) == ("finds", "member"):
                yield (
                    here,
                    say(
                        _(
                            "the gang rolls on “%(key)s”, but “%(kind)s” needs a member: "
                            "put this outcome into “falls_to”"
                        ),
                        key=key,
                        kind=outcome.kind,
                    ),
                )
                break


def _tracks(book: Book, path: RowPath, step: season.TracksStep) -> Wrong:
    row = book.track.get(step.track)
    if row is not None and not row.lasts:
        yield (
            (*path, "track"),
            say(_("“%(key)s” ends with the game: set “lasts” of this tracker"), key=row.key),
        )


def _of_gang(rows: Iterable[Iterable[Outcome]]) -> Iterable[Outcome]:
    """The outcomes of rows for a gang that rolls, those of options included; not those that fall to
    a member."""
    ahead = [outcome for row in rows for outcome in row]
    while ahead:
        outcome = ahead.pop()
        spend(1)
        yield outcome
        if outcome.kind == "chooses":
            ahead += inner_outcomes(outcome)


def _to(outcome: Outcome) -> str:
    return outcome.to if isinstance(outcome, fates.Finds) else ""


def _times(book: Book, path: RowPath, part: season.RollsStep | fates.Finds | fates.Joins) -> Wrong:
    if parse_amount(part.times).most > MOST_TIMES:
        yield (*path, "times"), say(_("must never exceed %(most)s"), most=MOST_TIMES)


def _finds(book: Book, path: RowPath, outcome: fates.Finds) -> Wrong:
    yield from _times(book, path, outcome)
    item = book.item.get(outcome.item)
    if item is not None and item.innate:
        yield (*path, "item"), say(_("everybody already has “%(item)s”"), item=item.key)


def _earns(book: Book, path: RowPath, outcome: fates.Earns) -> Wrong:
    if book.money is None and outcome.currency is None:
        yield path, _("this needs money: add “money” to the rulebook")
    elif all(step.kind != "income" for step in book.campaign.steps):
        yield path, _("gangs only earn money with a step “income”: add this step")


def _rises(book: Book, path: RowPath, outcome: fates.Rises) -> Wrong:
    if not outcome.amount:
        yield (*path, "amount"), _("must not be 0")
    row = book.characteristic.get(outcome.characteristic)
    if row is not None and row.kind == "word":
        yield path, say(IN_WORDS, key=row.key)


def _each(book: Book, path: RowPath, each: Each) -> Wrong:
    counted = ("tally", "members", "items")
    named = [name for name in counted if getattr(each, name) is not None]
    named += ["holdings"] if each.holdings else []
    if not named:
        yield path, _("give “tally”, “members”, “items” or “holdings”: choose what is counted")
    elif len(named) > 1:
        listed = ", ".join(f"“{name}”" for name in named)
        yield path, say(_("only one of these can be counted: %(listed)s"), listed=listed)
    if each.members is None and (each.fielded or each.not_marks):
        yield path, _("“fielded” and “not_marks” are only used with “members”")


CAMPAIGN_CHECKS: Checks = {
    Each: _each,
    fates.Earns: _earns,
    fates.Fate: _fates,
    fates.Finds: _finds,
    fates.Joins: _times,
    fates.Rises: _rises,
    season.FatesStep: _fates,
    season.RollsStep: _rolls,
    season.TracksStep: _tracks,
    DiceTable: _table,
    Before: _before,
    RollsOn: _rolls_on,
    season.Play: _play,
    season.Campaign: _campaign,
    Scenario: _scenario,
    season.ResultType: _result,
    season.Mark: _mark,
    season.Tally: _tally,
    season.Award: _underdog,
    season.UnderdogMoney: _underdog,
    season.Unfought: _unfought,
    season.Promotion: _promotion,
    season.Succession: _succession,
    season.Recruiting: _recruiting,
}
