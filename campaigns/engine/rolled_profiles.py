"""Profiles that are rolled when somebody joins in a post-game."""

from __future__ import annotations

from contextlib import suppress

from campaigns.engine.script_state import RollRequest, ScriptRun, Unanswered
from gangs.engine import entries as kinds
from gangs.engine.roster import Member
from rules.engine.dice import parse_amount


def roll_profile(run: ScriptRun, member: Member, path: str) -> None:
    """Roll the characteristics that their rank rolls for a new member, all at the same time.

    ``path``: the beginning of the keys of the rolls. It must not contain the member's number, which
    changes if the gang's history grows while the post-game is a draft.
    """
    rolled = run.book.rank[member.rank].rolled
    for row in run.rules.characteristics:
        if row.key not in rolled:
            continue
        amount = parse_amount(rolled[row.key])
        if amount.dice is None:
            continue
        key = f"{path}:{row.key}"
        request = RollRequest(
            key, member, amount.dice, "profile", amount=amount, characteristic=row
        )
        with suppress(Unanswered):
            roll = run.roll(request)
            run.add(
                kinds.ProfileRolled(
                    member=member.id,
                    characteristic=row.key,
                    amount=amount.worth(roll.total),
                    roll=roll,
                )
            )
