"""Fates of members after a game: the outcome of the mark with which each of them ended it."""

from __future__ import annotations

from contextlib import suppress

from campaigns.engine.outcomes import apply_outcomes, roll_on
from campaigns.engine.script_state import ScriptRun, StepState, Unanswered
from gangs.engine import entries as kinds
from gangs.engine.roster import Member
from rules.book.season import FatesStep, Mark


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
            # Somebody who stands has only a fate that names their mark.
            if (mark.key in fate.marks or not (fate.marks or mark.stands))
            and run.picks(fate.of, member)
        ),
        None,
    )
    table = fate.table if fate is not None else step.table
    if fate is not None and fate.table is None:
        apply_outcomes(run, fate.outcomes, member, path, 0)
    elif fate is None and mark.dies:
        run.add(kinds.Died(member=member.id))
    elif table is not None and (fate is not None or not mark.stands):
        roll_on(run, run.book.table[table], member, path)
