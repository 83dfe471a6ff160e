"""Trackers that last after a game: their numbers at its end, and how they sink afterwards."""

from __future__ import annotations

from contextlib import suppress

from campaigns.engine.outcomes import roll_amount
from campaigns.engine.script_state import ScriptRun, StepState, Unanswered
from gangs.engine import entries as kinds
from gangs.engine.roster import Member
from rules.book.season import TracksStep


def play_tracks(run: ScriptRun, step: TracksStep) -> StepState:
    """Keep the numbers that the report names, then let those of the step's members sink."""
    report = run.game_report.report
    ended = report.tracks.get(step.track, {})
    # An earlier step for the same tracker has kept them, and may have let them sink.
    done = {
        one.entry.member
        for one in run.played
        if isinstance(one.entry, kinds.Tracked) and one.entry.track == step.track
    }
    for member in run.roster.members:
        if member.id in ended and member.id not in done:
            _set(run, member, step.track, ended[member.id])
    for member in run.roster.members:
        fielded = member.id in report.fielded
        if step.who != "everybody" and fielded != (step.who == "fielded"):
            continue
        if run.picks(step.of, member):
            with suppress(Unanswered):
                _sink(run, step, member)
    return run.finish(step)


def _sink(run: ScriptRun, step: TracksStep, member: Member) -> None:
    """Lower a member's number down to the tracker's minimum. Dice are only thrown for a number that
    can sink."""
    least = run.book.track[step.track].minimum
    number = member.tracks.get(step.track, least)
    if number > least:
        key = f"{step.key}:{member.id}"
        less, _roll = roll_amount(run, step.less, member, key, "track")
        _set(run, member, step.track, max(least, number - less))


def _set(run: ScriptRun, member: Member, track: str, number: int) -> None:
    row = run.book.track[track]
    # Nobody needs to read that a number is what it is without an entry, which counts as the least.
    usual = row.start if row.start == row.minimum else None
    if member.tracks.get(track, usual) != number:
        run.add(kinds.Tracked(member=member.id, track=track, to=number))
