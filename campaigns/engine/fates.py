"""Fates of members after a game: rolls on tables, and the outcomes of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from campaigns.engine.script_state import (
    Choice,
    Question,
    RolledFor,
    RollRequest,
    ScriptRun,
    StepState,
    Unanswered,
    Unmet,
)
from gangs.engine import entries as kinds
from gangs.engine.own_items import extend_book
from gangs.engine.roster import Member
from rules.book import fates
from rules.book.season import FatesStep, Mark
from rules.bounds.work import spend
from rules.engine.costing import Points
from rules.engine.dice import DiceRoll, look_up, parse
from rules.engine.table_odds import rolls_again

DEEPEST = 8
MOST_AGAIN = 60


def play_fates(run: ScriptRun, step: FatesStep) -> StepState:
    """Settle each member who ended the game with a mark, as far as the answers reach."""
    known = run.rules.mark
    for key, mark in sorted(run.game_report.report.marks.items()):
        member = run.find(key)
        if member is not None and mark in known and run.picks(step.of, member):
            with suppress(Unanswered):
                _fate_of(run, step, member, known[mark])
    return run.finish(step)


def _fate_of(run: ScriptRun, step: FatesStep, member: Member, mark: Mark) -> None:
    path = f"{step.key}:{member.id}"
    fate = next(
        (
            fate
            for fate in step.fates
            if (not fate.marks or mark.key in fate.marks) and run.picks(fate.of, member)
        ),
        None,
    )
    table = fate.table if fate is not None else step.table
    if fate is not None and fate.table is None:
        _all_happen(run, fate.outcomes, member, path, 0)
    elif fate is None and mark.dies:
        run.add(kinds.Died(member=member.id))
    elif table is not None:
        _roll_on(run, run.book.table[table], member, path)


def _roll_on(
    run: ScriptRun,
    table: fates.DiceTable,
    member: Member,
    path: str,
    depth: int = 0,
    rerolling: tuple[str, ...] = (),
) -> None:
    """Roll on a table and apply the outcomes of the row."""
    path = f"{path}:{table.key}"
    for attempt in range(MOST_AGAIN):
        key = f"{path}#{attempt}" if attempt else path
        request = RollRequest(key, member, table.dice, "table", table=table, rerolling=rerolling)
        roll = run.roll(request)
        row = look_up(table, roll)
        again = rolls_again(row, rerolling)
        run.rolls[-1] = replace(run.rolls[-1], row=row, again=again)
        run.add(kinds.Rolled(member=member.id, table=table.key, roll=roll))
        if not again:
            _all_happen(run, row.outcomes, member, key, depth)
            break


def _all_happen(
    run: ScriptRun, outcomes: tuple[fates.Outcome, ...], member: Member, path: str, depth: int
) -> None:
    for number, outcome in enumerate(outcomes):
        current = run.find(member.id)
        if current is None:
            break
        _happen(run, outcome, current, f"{path}:{number}", depth)


def _happen(run: ScriptRun, outcome: fates.Outcome, member: Member, path: str, depth: int) -> None:
    spend(20)
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
            amount, roll = _amount(run, outcome.amount, member, path, "experience")
            run.learn(member, amount, roll=roll)
        case fates.Gains():
            if outcome.trait not in member.traits:
                run.add(kinds.TraitTaken(member=member.id, trait=outcome.trait))
        case fates.Pays():
            _pay(run, outcome, member, path)
        case fates.RollsOn() if depth < DEEPEST:
            _roll_times(run, outcome, member, path, depth + 1)
        case fates.Chooses():
            place = _choose(run, outcome.options, member, path)
            outcomes = outcome.options[place].outcomes
            _all_happen(run, outcomes, member, f"{path}:{place}", depth)
        case fates.Takes():
            take(run, outcome)


def _amount(
    run: ScriptRun, written: str, member: Member | None, path: str, what: RolledFor
) -> tuple[int, DiceRoll | None]:
    """The ``written`` number and None, or the total of the ``written`` dice and their roll."""
    if "d" not in written:
        return int(written), None
    roll = run.roll(RollRequest(f"{path}:{written}", member, written, what))
    return roll.total, roll


def _suffer(run: ScriptRun, outcome: fates.Suffers, member: Member, path: str, depth: int) -> None:
    condition = run.book.condition[outcome.condition]
    had = sum(suffered.condition == condition.key for suffered in member.afflictions)
    if condition.most is not None and had >= condition.most:
        if depth < DEEPEST:
            _all_happen(run, condition.beyond, member, f"{path}:beyond", depth + 1)
        return
    games, roll = condition.games, None
    if outcome.games is not None:
        games, roll = _amount(run, outcome.games, member, path, "games")
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
        for owned in items:
            run.add(kinds.ItemLost(member=member.id, item=owned.id))
        return
    dice = f"1d{len(items)}"
    roll = run.roll(RollRequest(f"{path}:{dice}", member, dice, "item", items=items))
    run.add(kinds.ItemLost(member=member.id, item=items[roll.total - 1].id, roll=roll))


def _pay(run: ScriptRun, outcome: fates.Pays, member: Member, path: str) -> None:
    """Pay a fine. If it is too dear, it is refused when the player could have chosen otherwise;
    when they could not, it takes all that the gang has."""
    amount, roll = _amount(run, outcome.amount, member, path, "fine")
    paid: Points = amount
    refusal = run.too_dear(amount)
    if refusal is not None:
        asked = [question for question in run.questions if path.startswith(f"{question.key}:")]
        if any(_has_way_out([choice.about for choice in question.choices]) for question in asked):
            run.refused.append(Unmet(refusal))
            raise Unanswered
        paid = max(0, run.roster.treasury)
    run.add(kinds.Fined(member=member.id, paid=paid, roll=roll))


def _choose(run: ScriptRun, options: tuple[fates.Option, ...], member: Member, path: str) -> int:
    """The place of the chosen option among ``options``."""
    # The player cannot choose an option if its lowest payment exceeds the treasury, unless all
    # options cost something.
    may_refuse = _has_way_out(options)
    choices = tuple(
        Choice(str(place), option, run.too_dear(_least(option)) if may_refuse else None)
        for place, option in enumerate(options)
    )
    return int(run.choose(Question(path, "outcome", member, choices)).value)


def _least(option: fates.Option) -> int:
    """The lowest sum that an option can cost."""
    amounts = [fine.amount for fine in _fines(option)]
    return sum(parse(amount)[0] if "d" in amount else int(amount) for amount in amounts)


def _fines(option: object) -> list[fates.Pays]:
    outcomes = option.outcomes if isinstance(option, fates.Option) else ()
    return [outcome for outcome in outcomes if isinstance(outcome, fates.Pays)]


def _has_way_out(options: Sequence[object]) -> bool:
    """Whether one of the options costs nothing."""
    return not all(map(_fines, options))


def _roll_times(
    run: ScriptRun, outcome: fates.RollsOn, member: Member, path: str, depth: int
) -> None:
    table = run.book.table[outcome.table]
    if outcome.times == "1":
        _roll_on(run, table, member, path, depth, outcome.rerolling)
        return
    times, _roll = _amount(run, outcome.times, member, f"{path}:times", "times")
    for number in range(times):
        current = run.find(member.id)
        if current is None:
            break
        _roll_on(run, table, current, f"{path}:{number}", depth, outcome.rerolling)


def take(run: ScriptRun, outcome: fates.Takes) -> None:
    """Give the gang a holding. If there is only one of it and some gang has it, nothing happens."""
    had = {held.key for held in run.roster.holdings} | run.game_report.held_elsewhere
    if run.book.holding[outcome.holding].shared or outcome.holding not in had:
        run.add(kinds.HoldingGained(holding=outcome.holding))


def all_happen(
    run: ScriptRun, outcomes: tuple[fates.Outcome, ...], member: Member, path: str
) -> None:
    """Apply outcomes that no dice table brings. ``path``: the beginning of the keys of their rolls
    and questions. Raises Unanswered."""
    _all_happen(run, outcomes, member, path, 0)


def roll_amount(
    run: ScriptRun, written: str, member: Member | None, path: str, what: RolledFor
) -> tuple[int, DiceRoll | None]:
    """The ``written`` number and None, or the result of the ``written`` dice and their roll. Raises
    Unanswered."""
    return _amount(run, written, member, path, what)
