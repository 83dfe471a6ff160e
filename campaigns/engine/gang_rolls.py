"""Rolls of the gang as a whole after a game: exploring, finds, a harvest, a bad week."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace

from campaigns.engine.outcomes import MOST_TIMES, apply_outcomes, roll_amount, roll_on
from campaigns.engine.script_state import RollRequest, ScriptRun, StepState, Unanswered
from gangs.engine import entries as kinds
from rules.book.fates import DiceTable
from rules.book.season import RollsStep
from rules.engine.dice import matching_rows, parse


def play_rolls(run: ScriptRun, step: RollsStep) -> StepState:
    """Roll on the step's table for the gang, as far as the answers reach."""
    if not step.sides or run.game_report.side in step.sides:
        with suppress(Unanswered):
            _roll(run, step)
    return run.finish(step)


def _roll(run: ScriptRun, step: RollsStep) -> None:
    table = run.book.table[step.table]
    times, _dice = roll_amount(run, step.times, None, f"{step.key}:times", "times", step.each)
    times = min(times, MOST_TIMES)
    if table.matching is not None:
        _roll_matching(run, table, times, step.key)
        return
    for number in range(times):
        # One roll that waits for an answer does not keep the others waiting.
        with suppress(Unanswered):
            roll_on(run, table, None, f"{step.key}:{number}")


def _roll_matching(run: ScriptRun, table: DiceTable, count: int, path: str) -> None:
    """Roll all dice together, and apply the row of each face that enough of them show."""
    if not count:
        return
    dice = f"{count}d{parse(table.dice)[1]}"
    key = f"{path}:{table.key}:{dice}"
    roll = run.roll(RollRequest(key, None, dice, "table", table=table))
    rows = matching_rows(table, Counter(roll.faces))
    run.rolls[-1] = replace(run.rolls[-1], rows=rows)
    run.add(kinds.Rolled(table=table.key, roll=roll))
    for number, row in enumerate(rows):
        with suppress(Unanswered):
            apply_outcomes(run, row.outcomes, None, f"{key}:{number}", 0, table)
