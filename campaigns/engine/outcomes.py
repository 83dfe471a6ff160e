"""Outcomes: rolls on dice tables, and what their rows bring a member or the whole gang.

The subject of an outcome is a member, or None for the gang. Outcomes about a member do nothing to
a gang; the checker refuses such rulebooks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from campaigns.engine.report import Report
from campaigns.engine.rolled_profiles import roll_profile
from campaigns.engine.script_state import (
    Choice,
    Question,
    RolledFor,
    RollRequest,
    ScriptRun,
    Unanswered,
    Unmet,
)
from common.errors import Refusal
from gangs.engine import entries as kinds
from gangs.engine.actions import MOST_MEMBERS
from gangs.engine.belonging import find_owners
from gangs.engine.offers import cannot_take, tagged_traits
from gangs.engine.own_items import extend_book
from gangs.engine.purses import balance, cannot_pay
from gangs.engine.roster import Member
from gangs.engine.validation import may_have_again
from rules.book import fates
from rules.book.amounts import Each, ItemSelector
from rules.book.characteristics import add, clamp, difference
from rules.book.schema import Item
from rules.bounds.work import spend
from rules.engine.costing import Points
from rules.engine.dice import DiceRoll, look_up, parse_amount
from rules.engine.table_odds import rolls_again

DEEPEST = 8
MOST_AGAIN = 60
# The most rolls, items or members that one outcome or step brings.
MOST_TIMES = 50
MOST_MONEY = 1_000_000


def roll_on(
    run: ScriptRun,
    table: fates.DiceTable,
    member: Member | None,
    path: str,
    depth: int = 0,
    rerolling: tuple[str, ...] = (),
    *,
    is_advance: bool = False,
) -> None:
    """Roll on a table and apply the outcomes of the row. ``is_advance``: the roll is an advance of
    the member."""
    path = f"{path}:{table.key}"
    for attempt in range(MOST_AGAIN):
        key = f"{path}#{attempt}" if attempt else path
        request = RollRequest(key, member, table.dice, "table", table=table, rerolling=rerolling)
        roll = run.roll(request)
        row = look_up(table, roll)
        again = rolls_again(row, rerolling) or _rerolls(run, table, row, member, rerolling)
        run.rolls[-1] = replace(run.rolls[-1], rows=(row,), again=again)
        rolled = kinds.Rolled(
            member=member.id if member else None,
            table=table.key,
            roll=roll,
            advance=is_advance and not again,
        )
        run.add(rolled)
        if not again:
            apply_outcomes(run, row.outcomes, member, key, depth, table)
            break


def roll_amount(
    run: ScriptRun,
    written: str,
    member: Member | None,
    path: str,
    what: RolledFor,
    each: Each | None = None,
) -> tuple[int, DiceRoll | None]:
    """Return the ``written`` number and None, or the amount that ``written`` dice bring, and their
    roll; added up for each thing that ``each`` counts."""
    amount = parse_amount(written)
    if each is not None:
        amount = amount.repeated(_count_each(run, each, member))
    if amount.dice is None:
        return amount.worth(0), None
    request = RollRequest(f"{path}:{amount.dice}", member, amount.dice, what, amount=amount)
    roll = run.roll(request)
    return amount.worth(roll.total), roll


def apply_outcomes(
    run: ScriptRun,
    outcomes: tuple[fates.Outcome, ...],
    member: Member | None,
    path: str,
    depth: int,
    table: fates.DiceTable | None = None,
) -> None:
    """Apply outcomes one after the other, as long as the ``member`` is in the gang.

    ``path``: the beginning of the keys of their rolls and questions; ``table``: the dice table that
    brought them.
    """
    for number, outcome in enumerate(outcomes):
        current = run.find(member.id) if member is not None else None
        if member is not None and current is None:
            break
        place = f"{path}:{number}"
        _apply(run, outcome, current, place, depth, table)
        if current is not None:
            _apply_to_member(run, outcome, current, place, depth)


def _apply(
    run: ScriptRun,
    outcome: fates.Outcome,
    member: Member | None,
    path: str,
    depth: int,
    table: fates.DiceTable | None,
) -> None:
    """Apply an outcome that needs no member."""
    spend(20)
    match outcome:
        case fates.Pays():
            _pay(run, outcome, member, path)
        case fates.Earns() if run.rules.pays:
            amount, roll = roll_amount(run, outcome.amount, member, path, "money", outcome.each)
            _earn(run, amount, roll, table, outcome.currency)
        case fates.Finds():
            times = _times(run, outcome.times, member, path)
            _find_items(run, outcome.item, times, member if outcome.to == "member" else None)
        case fates.Joins():
            times = _times(run, outcome.times, member, path)
            _join(run, outcome.rank, times, member, path)
        case fates.FallsTo() if depth < DEEPEST:
            for whom in _choose_members(run, outcome, path):
                apply_outcomes(run, outcome.outcomes, whom, f"{path}:{whom.id}", depth + 1, table)
        case fates.Takes():
            _take(run, outcome)
        case fates.RollsOn() if depth < DEEPEST:
            _roll_times(run, outcome, member, path, depth + 1)
        case fates.Chooses():
            place = _choose(run, outcome.options, member, path, table)
            outcomes = outcome.options[place].outcomes
            apply_outcomes(run, outcomes, member, f"{path}:{place}", depth, table)


def _apply_to_member(
    run: ScriptRun, outcome: fates.Outcome, member: Member, path: str, depth: int
) -> None:
    """Apply an outcome that is about a member."""
    match outcome:
        case fates.Dies():
            run.add(kinds.Died(member=member.id, gear=outcome.gear))
        case fates.Leaves():
            run.add(kinds.Left(member=member.id, departure=outcome.departure, gear=outcome.gear))
        case fates.Suffers():
            _suffer(run, outcome, member, path, depth)
        case fates.LosesItem():
            _lose_item(run, outcome, member, path)
        case fates.Learns():
            amount, roll = roll_amount(
                run, outcome.amount, member, path, "experience", outcome.each
            )
            run.learn(member, amount, roll=roll)
        case fates.Gains():
            figure = run.roster.figure(run.book, member)
            if may_have_again(run.book, figure, run.book.trait[outcome.trait]):
                run.add(kinds.TraitTaken(member=member.id, trait=outcome.trait))
        case fates.ChoosesTrait():
            _choose_trait(run, outcome, member, path)
        case fates.Rises():
            _rise(run, member, outcome.characteristic, outcome.amount)
        case fates.Promotes():
            _promote(run, member, outcome)


def _times(run: ScriptRun, written: str, member: Member | None, path: str) -> int:
    """The number of times that something comes, at most MOST_TIMES."""
    times, _roll = roll_amount(run, written, member, f"{path}:times", "number")
    return min(times, MOST_TIMES)


def _choose_trait(run: ScriptRun, outcome: fates.ChoosesTrait, member: Member, path: str) -> None:
    """Let the player choose a trait for a member; nothing happens if there is none to choose."""
    on_offer = tagged_traits(run.computed(), member, outcome.trait_tags, outcome.teachers)
    if any(offer.refusal is None for offer in on_offer):
        choices = tuple(map(Choice.of_trait, on_offer))
        chosen = run.choose(Question(path, "advance", member, choices))
        run.add(chosen.trait_taken(member))


def _choose_members(run: ScriptRun, outcome: fates.FallsTo, path: str) -> list[Member]:
    """The members to whom the outcomes fall."""
    members = [one for one in run.roster.members if run.picks(outcome.of, one)]
    if outcome.by == "all" or len(members) < 2:
        return members
    if outcome.by == "die":
        dice = f"1d{len(members)}"
        request = RollRequest(f"{path}:{dice}", None, dice, "member", members=tuple(members))
        return [members[run.roll(request).total - 1]]
    choices = tuple(Choice(str(one.id), one) for one in members)
    chosen = run.choose(Question(path, "member", None, choices))
    return [one for one in members if str(one.id) == chosen.value]


def _suffer(run: ScriptRun, outcome: fates.Suffers, member: Member, path: str, depth: int) -> None:
    condition = run.book.condition[outcome.condition]
    had = sum(suffered.condition == condition.key for suffered in member.afflictions)
    if condition.most is not None and had >= condition.most:
        if depth < DEEPEST:
            apply_outcomes(run, condition.beyond, member, f"{path}:beyond", depth + 1)
        return
    games, roll = condition.games, None
    if outcome.games is not None:
        games, roll = roll_amount(run, outcome.games, member, path, "games")
    game = run.game_report
    run.add(
        kinds.Suffered(
            member=member.id,
            condition=condition.key,
            games=games,
            roll=roll,
            against=" / ".join(game.opponent_names)[:80] if condition.against else "",
            captors=game.opponent_gangs if condition.holds else (),
        )
    )


def _lose_item(run: ScriptRun, outcome: fates.LosesItem, member: Member, path: str) -> None:
    known = extend_book(run.book, run.roster).item
    items = tuple(owned for owned in member.items if known[owned.key].group in outcome.groups)
    if outcome.every or len(items) < 2:
        lost = {owned.id for owned in items}
        for owned in items:
            # Items fitted to another are lost with it.
            if owned.on not in lost:
                run.add(kinds.ItemLost(member=member.id, item=owned.id))
        return
    dice = f"1d{len(items)}"
    roll = run.roll(RollRequest(f"{path}:{dice}", member, dice, "item", items=items))
    run.add(kinds.ItemLost(member=member.id, item=items[roll.total - 1].id, roll=roll))


def _pay(run: ScriptRun, outcome: fates.Pays, member: Member | None, path: str) -> None:
    """Pay a fine. If it is too dear, it is refused when the player could have chosen otherwise;
    when they could not, it takes all that the gang has."""
    amount, roll = roll_amount(run, outcome.amount, member, path, "fine", outcome.each)
    paid: Points = amount
    if outcome.currency is not None:
        has: Points = balance(run.book, run.roster).get(outcome.currency, 0)
    else:
        has = run.roster.treasury
    refusal = run.cannot_pay(amount, outcome.currency)
    if refusal is not None:
        asked = [question for question in run.questions if path.startswith(f"{question.key}:")]
        if any(_has_way_out([choice.about for choice in question.choices]) for question in asked):
            run.refused.append(Unmet(refusal))
            raise Unanswered
        paid = max(0, has)
    costs = {outcome.currency: int(paid)} if outcome.currency is not None else {}
    run.add(
        kinds.Fined(
            member=member.id if member else None,
            paid=0 if costs else paid,
            roll=roll,
            costs=costs,
        )
    )


def _choose(
    run: ScriptRun,
    options: tuple[fates.Option, ...],
    member: Member | None,
    path: str,
    table: fates.DiceTable | None,
) -> int:
    """The place of the chosen option among ``options``."""
    # The player cannot choose an option if its lowest payment exceeds the treasury, unless all
    # options cost something.
    may_refuse = _has_way_out(options)
    refusals = [_cannot_afford(run, option, member) if may_refuse else None for option in options]
    if table is not None and table.rerolls_wasted:
        wasted = [is_wasted(run, option.outcomes, member) for option in options]
        if not all(wasted):
            refusals = [
                Refusal("no_effect") if nothing else refusal
                for nothing, refusal in zip(wasted, refusals, strict=True)
            ]
    choices = tuple(
        Choice(str(place), option, refusal)
        for place, (option, refusal) in enumerate(zip(options, refusals, strict=True))
    )
    return int(run.choose(Question(path, "outcome", member, choices)).value)


def _cannot_afford(run: ScriptRun, option: fates.Option, member: Member | None) -> Refusal | None:
    """Why the gang cannot pay what an option costs at least, in money and other currencies."""
    currencies = {fine.currency for fine in _fines(option)} - {None}
    costs = {key: _least(run, option, member, key) for key in currencies if key is not None}
    return run.too_dear(_least(run, option, member)) or cannot_pay(run.book, run.roster, costs)


def _least(
    run: ScriptRun, option: fates.Option, member: Member | None, currency: str | None = None
) -> int:
    """The lowest sum that an option can cost in a currency; None: in money."""
    total = 0
    for fine in _fines(option):
        if fine.currency != currency:
            continue
        amount = parse_amount(fine.amount)
        if fine.each is not None:
            amount = amount.repeated(_count_each(run, fine.each, member))
        total += amount.least
    return total


def _fines(option: object) -> list[fates.Pays]:
    outcomes = option.outcomes if isinstance(option, fates.Option) else ()
    return [outcome for outcome in outcomes if isinstance(outcome, fates.Pays)]


def _has_way_out(options: Sequence[object]) -> bool:
    """Whether one of the options costs nothing."""
    return not all(map(_fines, options))


def _roll_times(
    run: ScriptRun, outcome: fates.RollsOn, member: Member | None, path: str, depth: int
) -> None:
    table = run.book.table[outcome.table]
    if outcome.times == "1":
        roll_on(run, table, member, path, depth, outcome.rerolling)
        return
    times, _roll = roll_amount(run, outcome.times, member, f"{path}:times", "times")
    for number in range(times):
        current = run.find(member.id) if member is not None else None
        if member is not None and current is None:
            break
        roll_on(run, table, current, f"{path}:{number}", depth, outcome.rerolling)


def _count_each(run: ScriptRun, each: Each, member: Member | None) -> int:
    """How many things ``each`` counts in the gang as it is now.

    A tally per member is the ``member``'s own, or the sum of all if it is about the gang.
    """
    report = run.game_report.report
    if each.tally is not None:
        count = _tally(report, each.tally, member)
    elif each.members is not None:
        selector = each.members
        count = sum(
            (not each.fielded or one.id in report.fielded)
            and report.marks.get(one.id) not in each.not_marks
            and run.picks(selector, one)
            for one in run.roster.members
        )
    elif each.holdings:
        count = sum(held.key in each.holdings for held in run.roster.holdings)
    else:
        count = _count_items(run, each.items or ItemSelector())
    return count if each.most is None else min(count, each.most)


def _tally(report: Report, key: str, member: Member | None) -> int:
    if key in report.tallies:
        return report.tallies[key]
    counts = report.counts.get(key, {})
    return sum(counts.values()) if member is None else counts.get(member.id, 0)


def _count_items(run: ScriptRun, selector: ItemSelector) -> int:
    """The number of items that the selector picks, in the stash and with members."""
    known = extend_book(run.book, run.roster).item
    owned = [*run.roster.stash, *(item for who in run.roster.members for item in who.items)]
    spend(len(owned))
    return sum(_is_counted(selector, known[one.key]) for one in owned)


def _is_counted(selector: ItemSelector, item: Item) -> bool:
    return (
        (not selector.items or item.key in selector.items)
        and (not selector.groups or item.group in selector.groups)
        and (not selector.item_tags or not item.tags.isdisjoint(selector.item_tags))
    )


def _earn(
    run: ScriptRun,
    amount: int,
    roll: DiceRoll | None,
    table: fates.DiceTable | None,
    currency: str | None,
) -> None:
    """Bring the gang money, or another currency."""
    if amount or roll is not None:
        key = table.key if table is not None else None
        run.add(
            kinds.Earned(
                amount=min(amount, MOST_MONEY), why="roll", key=key, roll=roll, currency=currency
            )
        )


def _find_items(run: ScriptRun, item: str, times: int, member: Member | None) -> None:
    """Give an item to a member as often as they may carry one more, and else to the stash."""
    for _ in range(times):
        taker = member.id if member is not None else None
        if member is not None:
            computed = run.computed()
            current = run.roster.member(member.id)
            if cannot_take(computed, current, computed.book.item[item]) is not None:
                taker = None
        run.add(kinds.Bought(item=item, member=taker, by_roll=True))


def _take(run: ScriptRun, outcome: fates.Takes) -> None:
    """Give the gang a holding. If there is only one of it and some gang has it, nothing happens."""
    had = {held.key for held in run.roster.holdings} | run.game_report.held_elsewhere
    if run.book.holding[outcome.holding].shared or outcome.holding not in had:
        run.add(kinds.HoldingGained(holding=outcome.holding))


def _join(run: ScriptRun, rank: str, times: int, member: Member | None, path: str) -> None:
    """Bring members of a rank, as long as a gang may have one more, and roll their profiles.

    ``member``: the one who rolled, to whom they belong if they can; ``path``: the beginning of the
    keys of these rolls.
    """
    for number in range(times):
        if len(run.roster.members) < MOST_MEMBERS:
            owner = _find_owner(run, rank, member)
            run.add(kinds.Recruited(rank=rank, by_roll=True, owner=owner))
            joined = run.roster.member(run.played[-1].number)
            roll_profile(run, joined, f"{path}:{number}")


def _find_owner(run: ScriptRun, rank: str, member: Member | None) -> int | None:
    """The owner of a newcomer: the member who rolled, or else the first who can have them; None if
    there is none, so that the player has to find one later."""
    row = run.book.rank[rank]
    if row.belongs_to is None:
        return None
    able = [one.id for one in find_owners(run.computed(), row)]
    if member is not None and member.id in able:
        return member.id
    return next(iter(able), None)


def _rise(run: ScriptRun, member: Member, characteristic: str, amount: int) -> None:
    """Raise a characteristic within its bounds; one that the member does not have stays so."""
    if amount := find_rise(run, member, characteristic, amount):
        run.add(kinds.Rose(member=member.id, characteristic=characteristic, amount=amount))


def find_rise(run: ScriptRun, member: Member, characteristic: str, amount: int) -> int:
    """How far a characteristic can rise now, by ``amount`` at most."""
    score = run.computed().profiles[member.id].scores.get(characteristic)
    if score is None:
        return 0
    row = score.characteristic
    if score.room is not None:
        amount = min(amount, score.room)
    before = clamp(row, score.natural)
    moved = difference(before, clamp(row, add(row, before, amount)))
    return moved if row.kind in ("number", "die") or not moved else amount


def _rerolls(
    run: ScriptRun,
    table: fates.DiceTable,
    row: fates.TableRow,
    member: Member | None,
    rerolling: tuple[str, ...],
) -> bool:
    """Whether a row is rolled again because it would change nothing, and another one would."""
    current = run.find(member.id) if member is not None and table.rerolls_wasted else None
    if current is None or not is_wasted(run, row.outcomes, current):
        return False
    others = (other for other in table.rows if not rolls_again(other, rerolling))
    return any(not is_wasted(run, other.outcomes, current) for other in others)


def is_wasted(run: ScriptRun, outcomes: tuple[fates.Outcome, ...], member: Member | None) -> bool:
    """Whether none of these outcomes would change the member: rises beyond the maximum, and traits
    that they have. A row without outcomes, which players carry out themselves, is never wasted."""
    spend(20)
    return (
        member is not None
        and bool(outcomes)
        and all(_is_wasted(run, outcome, member) for outcome in outcomes)
    )


def _is_wasted(run: ScriptRun, outcome: fates.Outcome, member: Member) -> bool:
    match outcome:
        case fates.Rises():
            return not find_rise(run, member, outcome.characteristic, outcome.amount)
        case fates.Gains():
            figure = run.roster.figure(run.book, member)
            return not may_have_again(run.book, figure, run.book.trait[outcome.trait])
        case fates.ChoosesTrait():
            teachers = outcome.teachers
            on_offer = tagged_traits(run.computed(), member, outcome.trait_tags, teachers)
            return all(offer.refusal is not None for offer in on_offer)
        case fates.Chooses():
            return all(is_wasted(run, option.outcomes, member) for option in outcome.options)
    return False


def _promote(run: ScriptRun, member: Member, outcome: fates.Promotes) -> None:
    """Give a member another rank, unless they have it."""
    if member.rank != outcome.rank:
        run.add(
            kinds.Promoted(
                member=member.id,
                rank=outcome.rank,
                keeps_price=outcome.keeps_price,
                profile=outcome.profile,
                restarts=outcome.restarts,
                by_roll=True,
            )
        )
