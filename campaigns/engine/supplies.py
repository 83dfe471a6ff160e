"""Supplies: the items that members used in a game, by what their player says."""

from __future__ import annotations

from contextlib import suppress

from campaigns.engine.script_state import Choice, Question, ScriptRun, StepState, Unanswered
from gangs.engine import entries as kinds
from gangs.engine.offers import find_uses_left
from gangs.engine.roster import Member, OwnedItem
from rules.book.season import SuppliesStep


def play_supplies(run: ScriptRun, step: SuppliesStep) -> StepState:
    """Ask how often each item was used that has a number of uses, and whose bearer took part.

    The items of members who have left are not in question: they left with them, or are in the
    stash.
    """
    computed = run.computed()
    for member in run.roster.members:
        if member.id not in run.game_report.report.fielded:
            continue
        for owned in member.items:
            left = find_uses_left(computed, owned)
            if left is not None:
                with suppress(Unanswered):
                    _ask(run, step, member, owned, left)
    return run.finish(step)


def _ask(run: ScriptRun, step: SuppliesStep, member: Member, owned: OwnedItem, left: int) -> None:
    choices = tuple(Choice(str(count)) for count in range(left + 1))
    question = Question(f"{step.key}:{owned.id}", "supply", member, choices, about=owned)
    used = int(run.choose(question).value)
    if used:
        run.add(kinds.Used(item=owned.id, uses=used))
