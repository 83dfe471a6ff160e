"""Correcting a post-game that is in a gang's history: it is played anew where it stands.

The answers that it stands by are the draft to begin with. Nothing changes until it is committed
(``campaigns.aftermath``); until then it can be left as it was.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts.models import User
from campaigns import aftermath
from campaigns.ground import Ground
from campaigns.models import Game, Side
from campaigns.situation import Answers
from campaigns.steps import Playthrough
from gangs import ledger
from gangs.correcting import Weighed
from gangs.ledger import Stale
from gangs.refusal import Refusal
from gangs.roster import Roster
from rules.dice import Roll


@dataclass(frozen=True)
class Consequences:
    """What a post-game in its old place would bring about: the gang now, and how it would be."""

    now: Roster
    weighed: Weighed


def may_play(side: Side, user: User) -> bool:
    """Whether the user may play and correct the side's post-game: its gang's owner, and whoever
    runs the campaign in his stead."""
    return side.gang is not None and (side.is_of(user) or side.game.campaign.is_run_by(user))


def begin_correction(side: Side, *, seen: int) -> None:
    """Open a post-game that is in the gang's history. Raises Refusal if it is not, and Stale if
    its draft is no longer as it was seen."""
    if side.game.status != Game.Status.CONFIRMED:
        raise Refusal("not_confirmed")
    if not aftermath.is_done(side):
        raise Refusal("gone")
    begun = Side.objects.filter(pk=side.pk, draft_version=seen, correcting=False).update(
        correcting=True, kept_draft=F("draft"), draft_version=F("draft_version") + 1
    )
    if not begun:
        raise Stale


def cancel_correction(side: Side, *, seen: int) -> None:
    """Leave the post-game as it was; what was thrown meanwhile is kept as taken back."""
    with transaction.atomic():
        kept = Answers.model_validate(side.kept_draft or {})
        left = Side.objects.filter(pk=side.pk, draft_version=seen, correcting=True).update(
            correcting=False,
            draft=kept.model_dump(mode="json"),
            kept_draft=None,
            draft_version=F("draft_version") + 1,
        )
        if not left:
            raise Stale
        _throws_as_before(side, side.answers, kept)


def _throws_as_before(side: Side, draft: Answers, kept: Answers) -> None:
    """The throws that the post-game stands by count again, others do not."""
    gone = [key for key, roll in draft.rolls.items() if kept.rolls.get(key) != roll]
    again = {key: roll for key, roll in kept.rolls.items() if draft.rolls.get(key) != roll}
    throws = side.throws.filter(key__in=gone, taken_back_at=None)
    throws.update(taken_back_at=timezone.now())
    found = {
        throw.key: throw.pk
        for throw in side.throws.filter(key__in=again)
        if Roll.model_validate(throw.roll) == again[throw.key]
    }
    side.throws.filter(pk__in=found.values()).update(taken_back_at=None)


def consequences(
    ground: Ground, through: Playthrough, also: Collection[int] = ()
) -> Consequences | None:
    """What a post-game would bring about where it stood before, if later entries were ``also``
    struck; None if it goes to the end."""
    if ground.place is None:
        return None
    insert = ground.insertions(through)
    weighed = ledger.weigh(ground.gang, strike={*ground.standing, *also}, insert=insert)
    return Consequences(ground.gang.roster, weighed)
