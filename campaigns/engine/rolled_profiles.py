"""Profiles that are rolled when somebody joins in a post-game."""

from __future__ import annotations

from contextlib import suppress

from campaigns.engine.script_state import RollRequest, ScriptRun, Unanswered
from gangs.engine import entries as kinds
from gangs.engine.roster import Member
from rules.engine.dice import split_sum


def roll_profile(run: ScriptRun, member: Member, path: str) -> None:
    """Roll the characteristics that their rank rolls for a new member, all at the same time.

    ``path``: the beginning of the keys of the rolls. It must not contain the member's number, which
    changes if the gang's history grows while the post-game is a draft.
    """
    rolled = run.book.rank[member.rank].rolled
    for row in run.rules.characteristics:
        if row.key in rolled:
            dice, more = split_sum(rolled[row.key])
            request = RollRequest(
                f"{path}:{row.key}", member, dice, "profile", characteristic=row, more=more
            )
            with suppress(Unanswered):
                roll = run.roll(request)
                run.add(
                    kinds.ProfileRolled(
                        member=member.id,
                        characteristic=row.key,
                        amount=roll.total + more,
                        roll=roll,
                    )
                )
