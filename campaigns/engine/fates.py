"""What befalls members after a game: fates, rolls on tables, and the outcomes of their rows."""

from __future__ import annotations

from dataclasses import replace

from campaigns.situation import marks
from campaigns.stage import Stage, status
from campaigns.steps import Asked, StepState, Unmet
from gangs import entries as kinds
from gangs.own_items import extended
from gangs.refusal import Refusal
from gangs.roster import Member
from rules.costing import Points
from rules.dice import Roll, look_up, parse
from rules.fates import (
    Again,
    Chooses,
    DiceTable,
    Dies,
    Fate,
    Gains,
    Learns,
    Leaves,
    LosesItem,
    Option,
    Outcome,
    Pays,
    RollsOn,
    Suffers,
)
from rules.season import FatesStep

DEEPEST = 8
MOST_AGAIN = 60


def play_fates(stage: Stage, step: FatesStep) -> StepState:
    """What became of each member that ended the game with a mark, as far as it is answered."""
    known = marks(stage.book, stage.roster.settings)
    waits = False
    for key, mark in sorted(stage.situation.report.marks.items()):
        member = stage.find(key)
        if member is None or mark not in known or not stage.picks(step.of, member):
            continue
        path = f"{step.key}:{member.id}"
        fate = _fate(stage, step, member, mark)
        if fate is not None and fate.table is None:
            settled = _all_happen(stage, fate.outcomes, member, path, 0)
        elif fate is None and known[mark].dies:
            stage.add(kinds.Died(member=member.id))
            settled = True
        else:
            table = fate.table if fate is not None else step.table
            settled = table is None or _roll_on(stage, stage.book.table[table], member, path)
        waits = waits or not settled
    return StepState(
        step,
        status(waits),
        rolls=tuple(stage.rolls),
        questions=tuple(stage.questions),
        refused=tuple(stage.refused),
    )


def _fate(stage: Stage, step: FatesStep, member: Member, mark: str) -> Fate | None:
    for fate in step.fates:
        if (not fate.marks or mark in fate.marks) and stage.picks(fate.of, member):
            return fate
    return None


def _roll_on(
    stage: Stage,
    table: DiceTable,
    member: Member,
    path: str,
    depth: int = 0,
    rerolling: tuple[str, ...] = (),
) -> bool:
    """Roll on a table and let the outcomes happen; False if something is still to be answered."""
    path = f"{path}:{table.key}"
    for attempt in range(MOST_AGAIN):
        key = f"{path}#{attempt}" if attempt else path
        roll = stage.ask(Asked(key, member, table.dice, "table", table=table))
        if roll is None:
            return False
        row = look_up(table, roll)
        again = not row.tags.isdisjoint(rerolling) or any(
            isinstance(outcome, Again) for outcome in row.outcomes
        )
        stage.rolls[-1] = replace(stage.rolls[-1], row=row, again=again)
        stage.add(kinds.Rolled(member=member.id, table=table.key, roll=roll))
        if not again:
            return _all_happen(stage, row.outcomes, member, key, depth)
    return True


def _all_happen(
    stage: Stage, outcomes: tuple[Outcome, ...], member: Member, path: str, depth: int
) -> bool:
    for number, outcome in enumerate(outcomes):
        current = stage.find(member.id)
        if current is None:
            break
        if not _happen(stage, outcome, current, f"{path}:{number}", depth):
            return False
    return True


def _happen(stage: Stage, outcome: Outcome, member: Member, path: str, depth: int) -> bool:
    """Let one outcome happen; False if something is still to be answered."""
    match outcome:
        case Dies():
            stage.add(kinds.Died(member=member.id, gear=outcome.gear))
        case Leaves():
            stage.add(kinds.Left(member=member.id, departure=outcome.departure, gear=outcome.gear))
        case Suffers():
            return _suffer(stage, outcome, member, path, depth)
        case LosesItem():
            return _lose_item(stage, outcome, member, path)
        case Learns():
            amount, roll = _amount(stage, outcome.amount, member, path, "experience")
            if amount is None:
                return False
            stage.learn(member, amount, roll=roll)
        case Gains():
            if outcome.trait not in member.traits:
                stage.add(kinds.TraitTaken(member=member.id, trait=outcome.trait))
        case Pays():
            return _pay(stage, outcome, member, path)
        case RollsOn() if depth < DEEPEST:
            return _roll_times(stage, outcome, member, path, depth + 1)
        case Chooses():
            refusals = _cannot_choose(stage, outcome.options)
            option = stage.choose(path, member, outcome.options, refusals)
            if option is None:
                return False
            place = outcome.options.index(option)
            return _all_happen(stage, option.outcomes, member, f"{path}:{place}", depth)
    return True


def _amount(
    stage: Stage, written: str, member: Member, path: str, what: str
) -> tuple[int | None, Roll | None]:
    """A number, or what the dice for it showed; None if they are still to be rolled."""
    if "d" not in written:
        return int(written), None
    roll = stage.ask(Asked(f"{path}:{written}", member, written, what))  # type: ignore[arg-type]
    return (None, None) if roll is None else (roll.total, roll)


def _suffer(stage: Stage, outcome: Suffers, member: Member, path: str, depth: int) -> bool:
    condition = stage.book.condition[outcome.condition]
    had = sum(suffered.condition == condition.key for suffered in member.afflictions)
    if condition.most is not None and had >= condition.most:
        if depth >= DEEPEST:
            return True
        return _all_happen(stage, condition.beyond, member, f"{path}:beyond", depth + 1)
    games, roll = condition.games, None
    if outcome.games is not None:
        rolled, roll = _amount(stage, outcome.games, member, path, "games")
        if rolled is None:
            return False
        games = rolled
    against = " / ".join(stage.situation.opponent_names)[:80] if condition.against else ""
    stage.add(
        kinds.Suffered(
            member=member.id, condition=condition.key, games=games, roll=roll, against=against
        )
    )
    return True


def _lose_item(stage: Stage, outcome: LosesItem, member: Member, path: str) -> bool:
    known = extended(stage.book, stage.roster).item
    items = tuple(owned for owned in member.items if known[owned.key].group in outcome.groups)
    if outcome.every or len(items) < 2:
        for owned in items:
            stage.add(kinds.ItemLost(member=member.id, item=owned.id))
        return True
    dice = f"1d{len(items)}"
    roll = stage.ask(Asked(f"{path}:{dice}", member, dice, "item", items=items))
    if roll is None:
        return False
    stage.add(kinds.ItemLost(member=member.id, item=items[roll.total - 1].id, roll=roll))
    return True


def _pay(stage: Stage, outcome: Pays, member: Member, path: str) -> bool:
    """Pay a fine. One that is too dear is refused if the player could have chosen something else;
    otherwise it takes what there is."""
    amount, roll = _amount(stage, outcome.amount, member, path, "fine")
    if amount is None:
        return False
    paid: Points = amount
    refusal = stage.too_dear(amount)
    if refusal is not None:
        asked = (one.options for one in stage.questions if path.startswith(f"{one.key}:"))
        if any(map(_has_way_out, asked)):
            stage.refused.append(Unmet(refusal))
            return False
        paid = max(0, stage.roster.treasury)
    stage.add(kinds.Fined(member=member.id, paid=paid, roll=roll))
    return True


def _cannot_choose(stage: Stage, options: tuple[Option, ...]) -> tuple[Refusal | None, ...]:
    """Why each option cannot be chosen: one whose payment is beyond the treasury whatever the dice
    show, unless paying is all there is to choose."""
    if not _has_way_out(options):
        return (None,) * len(options)
    least = [
        sum(parse(fine.amount)[0] if "d" in fine.amount else int(fine.amount) for fine in fines)
        for fines in map(_fines, options)
    ]
    return tuple(map(stage.too_dear, least))


def _fines(option: Option) -> list[Pays]:
    return [outcome for outcome in option.outcomes if isinstance(outcome, Pays)]


def _has_way_out(options: tuple[Option, ...]) -> bool:
    """Whether one of the options costs nothing."""
    return not all(map(_fines, options))


def _roll_times(stage: Stage, outcome: RollsOn, member: Member, path: str, depth: int) -> bool:
    table = stage.book.table[outcome.table]
    if outcome.times == "1":
        return _roll_on(stage, table, member, path, depth, outcome.rerolling)
    times, _roll = _amount(stage, outcome.times, member, f"{path}:times", "times")
    if times is None:
        return False
    for number in range(times):
        current = stage.find(member.id)
        if current is None:
            break
        if not _roll_on(stage, table, current, f"{path}:{number}", depth, outcome.rerolling):
            return False
    return True
