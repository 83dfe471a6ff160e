"""Gifts of a dice table: money, items, holdings, new members, rises and higher ranks."""

from __future__ import annotations

from campaigns.engine.rolled_profiles import roll_profile
from campaigns.engine.script_state import ScriptRun
from gangs.engine import entries as kinds
from gangs.engine.actions import MOST_MEMBERS
from gangs.engine.offers import cannot_take
from gangs.engine.roster import Member
from rules.book.characteristics import add, clamp, difference
from rules.book.fates import DiceTable, Promotes, Takes
from rules.engine.dice import DiceRoll

MOST_MONEY = 1_000_000


def earn(run: ScriptRun, amount: int, roll: DiceRoll | None, table: DiceTable | None) -> None:
    """Bring the gang money."""
    if amount or roll is not None:
        key = table.key if table is not None else None
        run.add(kinds.Earned(amount=min(amount, MOST_MONEY), why="roll", key=key, roll=roll))


def find_items(run: ScriptRun, item: str, times: int, member: Member | None) -> None:
    """Give an item to a member as often as they may carry one more, and else to the stash."""
    for _ in range(times):
        taker = member.id if member is not None else None
        if member is not None:
            computed = run.computed()
            current = run.roster.member(member.id)
            if cannot_take(computed, current, computed.book.item[item]) is not None:
                taker = None
        run.add(kinds.Bought(item=item, member=taker, by_roll=True))


def take(run: ScriptRun, outcome: Takes) -> None:
    """Give the gang a holding. If there is only one of it and some gang has it, nothing happens."""
    had = {held.key for held in run.roster.holdings} | run.game_report.held_elsewhere
    if run.book.holding[outcome.holding].shared or outcome.holding not in had:
        run.add(kinds.HoldingGained(holding=outcome.holding))


def join(run: ScriptRun, rank: str, times: int, path: str) -> None:
    """Bring members of a rank, as long as a gang may have one more, and roll their profiles.

    ``path``: the beginning of the keys of these rolls.
    """
    for number in range(times):
        if len(run.roster.members) < MOST_MEMBERS:
            run.add(kinds.Recruited(rank=rank, by_roll=True))
            roll_profile(run, run.roster.members[-1], f"{path}:{number}")


def rise(run: ScriptRun, member: Member, characteristic: str, amount: int) -> None:
    """Raise a characteristic within its bounds; one that the member does not have stays so."""
    score = run.computed().profiles[member.id].scores.get(characteristic)
    if score is None:
        return
    row = score.characteristic
    before = clamp(row, score.natural)
    moved = difference(before, clamp(row, add(row, before, amount)))
    if row.kind in ("number", "die"):
        amount = moved
    if moved:
        run.add(kinds.Rose(member=member.id, characteristic=characteristic, amount=amount))


def promote(run: ScriptRun, member: Member, outcome: Promotes) -> None:
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
