"""Holdings after a game: captures, income for each thing that a gang has, and upkeep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from campaigns.engine.outcomes import apply_outcomes, roll_amount
from campaigns.engine.report import GameReport
from campaigns.engine.script_state import (
    Choice,
    Question,
    ScriptRun,
    StepState,
    Unanswered,
    UpkeepDue,
)
from gangs.engine import entries as kinds
from gangs.engine.own_items import extend_book
from gangs.engine.roster import HeldPlace, Member
from rules.book.holdings import Haul, PerHolder, Upkeep
from rules.book.model import Rules
from rules.book.season import HoldingsStep, UpkeepStep
from rules.bounds.work import spend


@dataclass(frozen=True)
class Thing:
    """Something that an income or an upkeep is counted for. ``member``: the member who it is or who
    has it; ``place``: the holding; ``number``: its number in the gang."""

    number: int
    member: Member | None = None
    place: HeldPlace | None = None


def play_holdings(run: ScriptRun, step: HoldingsStep) -> StepState:
    """Carry this side's half of the agreed captures out. A holding that the gang has lost since, or
    that the rulebook no longer has, stays where it is."""
    report = run.game_report
    had = {held.id for held in run.roster.holdings}
    for capture in report.lost_holdings:
        if capture.place in had:
            run.add(kinds.HoldingLost(place=capture.place, captured_by=capture.by))
    for taken in report.report.captures:
        if taken.holding in run.book.holding:
            name = report.name_of(taken.gang)
            run.add(kinds.HoldingGained(holding=taken.holding, name=taken.name, captured_from=name))
    return run.finish(step)


def add_yields(run: ScriptRun) -> None:
    """Bring in the money of every income per holder: a sum for all of them, or dice for each."""
    for row in run.rules.yields:
        if row.sides and run.game_report.side not in row.sides:
            continue
        things = list(_things(run, row))
        if "d" not in row.amount:
            if amount := int(row.amount) * len(things):
                run.add(
                    kinds.Earned(amount=amount, why="yield", key=row.key, currency=row.currency)
                )
            continue
        for place, thing in enumerate(things):
            path = f"yield:{row.key}:{thing.number}:{place}"
            with suppress(Unanswered):
                amount, roll = roll_amount(run, row.amount, thing.member, path, "money")
                run.add(
                    kinds.Earned(
                        amount=amount, why="yield", key=row.key, roll=roll, currency=row.currency
                    )
                )


def hauls(rules: Rules, game_report: GameReport, size: int) -> list[kinds.Earned]:
    """The money of every income by size. ``size``: the members that count."""
    earned = []
    for row in rules.hauls:
        if amount := haul_amount(row, _count(game_report, row.tally), size):
            earned.append(
                kinds.Earned(amount=amount, why="haul", key=row.key, currency=row.currency)
            )
    return earned


def haul_amount(haul: Haul, count: int, size: int) -> int:
    """The amount for this count and this size; a gang smaller than every size has the first."""
    column = max(0, sum(size >= least for least in haul.sizes) - 1)
    rows = [row for row in haul.rows if row.count <= count]
    return rows[-1].amounts[column] if rows else 0


def _count(game_report: GameReport, tally: str) -> int:
    report = game_report.report
    return report.tallies.get(tally, 0) or sum(report.counts.get(tally, {}).values())


def _things(run: ScriptRun, row: PerHolder) -> Iterator[Thing]:
    """Everything in the gang that ``row`` counts, in the order of the gang."""
    if row.holdings:
        for held in run.roster.holdings:
            if held.key in row.holdings:
                yield Thing(held.id, place=held)
        return
    known = extend_book(run.book, run.roster).item
    tags = set(row.item_tags)
    for member in run.roster.members:
        spend(20)
        if row.fielded and member.id not in run.game_report.report.fielded:
            continue
        if row.of is None or run.picks(row.of, member):
            if not tags:
                yield Thing(member.id, member)
            for owned in member.items:
                if not tags.isdisjoint(known[owned.key].tags):
                    yield Thing(owned.id, member)
    for owned in run.roster.stash if row.of is None else ():
        if not tags.isdisjoint(known[owned.key].tags):
            yield Thing(owned.id)


def play_upkeep(run: ScriptRun, step: UpkeepStep) -> StepState:
    """Pay what is due. If the gang can pay everything that is due in money, or in another currency,
    that is paid unless the player says otherwise; if it cannot, the player says what is paid."""
    due = [one for row in run.rules.upkeep for one in _dues(run, row)]
    total: Counter[str | None] = Counter()
    for one in due:
        total[one.row.currency] += one.amount
    default = {key: "" if run.cannot_pay(total[key], key) else "paid" for key in total}
    unpaid: list[tuple[UpkeepDue, str]] = []
    for row in run.rules.upkeep:
        paid: list[UpkeepDue] = []
        for one in due:
            if one.row.key == row.key:
                key = f"{step.key}:{row.key}:{one.number}"
                with suppress(Unanswered):
                    left = sum(other.amount for other in paid)
                    if _is_paid(run, one, key, default[row.currency], left):
                        paid.append(one)
                    else:
                        unpaid.append((one, key))
        if paid:
            sum_paid = sum(one.amount for one in paid)
            run.add(
                kinds.UpkeepPaid(
                    upkeep=row.key,
                    paid=sum_paid if row.currency is None else 0,
                    costs={} if row.currency is None else {row.currency: sum_paid},
                    members=tuple(one.member.id for one in paid if one.member),
                    places=tuple(one.place.id for one in paid if one.place),
                )
            )
    for one, key in unpaid:
        _suffer(run, one, key)
    return run.finish(step)


def _dues(run: ScriptRun, row: Upkeep) -> Iterator[UpkeepDue]:
    """The sum due by one row: a sum for each member, or each holding, that it counts."""
    members: dict[int, tuple[Member, int]] = {}
    for thing in _things(run, row):
        if thing.place is not None:
            yield UpkeepDue(row, row.amount, place=thing.place)
        elif thing.member is not None:
            number = members.get(thing.member.id, (thing.member, 0))[1]
            members[thing.member.id] = thing.member, number + 1
    for member, number in members.values():
        yield UpkeepDue(row, row.amount * number, member=member)


def _is_paid(run: ScriptRun, due: UpkeepDue, key: str, default: str, spent: int) -> bool:
    """Whether the player pays. ``spent``: what they pay already and what no entry has yet."""
    choices = (
        Choice("paid", refusal=run.cannot_pay(due.amount + spent, due.row.currency)),
        Choice("unpaid"),
    )
    question = Question(key, "upkeep", due.member, choices, about=due)
    return run.choose(question, default=default).value == "paid"


def _suffer(run: ScriptRun, due: UpkeepDue, key: str) -> None:
    if due.place is not None:
        run.add(kinds.HoldingLost(place=due.place.id, unpaid=True))
    elif due.member is not None and (member := run.find(due.member.id)) is not None:
        with suppress(Unanswered):
            apply_outcomes(run, due.row.unpaid, member, f"{key}:unpaid", 0)
