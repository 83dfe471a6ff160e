"""Correcting a post-game that is in a gang's history: it is played again where it stands.

The answers that it stands by are the draft to begin with. Nothing changes until it is committed
(``campaigns.postgames.drafts``); until then it can be left as it was.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction
from django.db.models import F

from accounts.models import User
from campaigns import throws
from campaigns.engine.report import Answers
from campaigns.models import Game, Side
from campaigns.postgames import drafts
from campaigns.postgames.drafts import Postgame
from common.errors import Refusal
from common.locking import update_if
from gangs.ledger.revision import Weighed, weigh


def begin_correction(side: Side, *, expected_version: int) -> None:
    """Open a post-game that is in the gang's history. Raises Refusal if it is not, and Stale if
    its draft is no longer as it was seen."""
    if side.game.status != Game.Status.CONFIRMED:
        raise Refusal("not_confirmed")
    if not drafts.is_done(side):
        raise Refusal("gone")
    update_if(
        Side.objects.filter(correcting=False),
        side.pk,
        expected_version,
        counter="draft_version",
        correcting=True,
        kept_draft=F("draft"),
    )


def cancel_correction(side: Side, *, expected_version: int, actor: User | None = None) -> None:
    """Leave the post-game as it was; what was thrown meanwhile is kept as taken back."""
    with transaction.atomic():
        kept = side.kept_answers
        update_if(
            Side.objects.filter(correcting=True),
            side.pk,
            expected_version,
            counter="draft_version",
            correcting=False,
            draft=kept.model_dump(mode="json"),
            kept_draft=None,
        )
        _throws_as_before(side, side.answers, kept, actor)


def _throws_as_before(side: Side, draft: Answers, kept: Answers, actor: User | None) -> None:
    """The throws that the post-game stands by count again, others do not."""
    gone = [key for key, roll in draft.rolls.items() if kept.rolls.get(key) != roll]
    again = {key: roll for key, roll in kept.rolls.items() if draft.rolls.get(key) != roll}
    throws.take_back(side.throws.filter(key__in=gone), actor)
    found = {
        throw.key: throw.pk
        for throw in side.throws.filter(key__in=again)
        if throw.sound_roll == again[throw.key]
    }
    side.throws.filter(pk__in=found.values()).update(taken_back_at=None, taken_back_by=None)


def consequences(postgame: Postgame, also: Collection[int] = ()) -> Weighed | None:
    """What a post-game would bring about where it stood before, if later entries were ``also``
    struck; None if it goes to the end."""
    base = postgame.base
    if base.place is None:
        return None
    insert = base.insertions(postgame.playthrough)
    return weigh(base.gang, strike={*base.standing, *also}, insert=insert)
