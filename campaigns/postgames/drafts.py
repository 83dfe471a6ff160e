"""The aftermath of a game for one gang: the draft of its post-game, and committing it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Sequence
from functools import partial

from django.db import transaction
from django.db.models import F, UUIDField

from accounts.models import User
from accounts.statements import Statement
from campaigns import throws
from campaigns.games import SideQuerySet
from campaigns.ground import Ground, ground_of
from campaigns.ground import gang_of as gang_of
from campaigns.models import Game, Side
from campaigns.postgame import play
from campaigns.situation import Answers, Situation
from campaigns.steps import Playthrough
from campaigns.throws import About
from gangs import ledger
from gangs.ledger import Stale
from gangs.models import Gang
from gangs.refusal import Refusal

Change = Callable[[Playthrough, Answers], Answers]


def situation_of(side: Side, sides: Sequence[Side] | None = None) -> Situation:
    """What the post-game has to know of the game. Reads all its ``sides`` unless they are given."""
    game = side.game
    if sides is None:
        sides = list(game.sides.all())
    return Situation(
        game=str(game.pk),
        title=" – ".join(other.name for other in sides)[:80],
        scenario=game.scenario or None,
        result=game.result,
        side=side.kind,
        report=side.told,
        rating=side.rating,
        opponents=tuple(other.rating for other in sides if other.pk != side.pk),
        opponent_names=tuple(other.name for other in sides if other.pk != side.pk),
    )


def played(side: Side, answers: Answers | None = None, ground: Ground | None = None) -> Playthrough:
    """The post-game of a side as far as its draft reaches."""
    ground = ground or ground_of(side)
    return play(
        ground.book,
        ground.roster,
        ground.gang.last_seq + 1,
        situation_of(side),
        answers or side.answers,
        ground.numbers,
    )


def is_done(side: Side) -> bool:
    """Whether the side's post-game stands in the gang's ledger."""
    return Side.objects.done().filter(pk=side.pk).exists()


def unsettled(gang: Gang) -> Refusal | None:
    """Why the gang may not be changed now: a game is reported whose post-game is still to be done.

    A disputed game holds nobody: a quarrel may last. One query.
    """
    if gang.owner_id is None and gang.kept_at is None:
        return None
    return Refusal("postgame_waits") if WAITING.rows(gang.pk) else None


def _waiting(gang: uuid.UUID) -> SideQuerySet:
    waiting = (Game.Status.REPORTED, Game.Status.CONFIRMED)
    found = Side.objects.undone().filter(gang=gang, game__status__in=waiting)
    return found.order_by().only("pk")[:1]


# Asked before every change of a gang.
WAITING = Statement(_waiting, UUIDField(), uuid.UUID("5ca1ab1e-0000-4000-8000-000000000002"))


def earlier(side: Side) -> Side | None:
    """A game that the gang played before this one and whose post-game is still to be done."""
    sides = Side.objects.undone().select_related("game")
    before = sides.filter(gang=side.gang, game__status=Game.Status.CONFIRMED)
    when = (side.game.played_on, side.game.created_at)
    for other in before.exclude(pk=side.pk).order_by("game__played_on", "game__created_at"):
        if (other.game.played_on, other.game.created_at) < when:
            return other
    return None


def answer(side: Side, change: Change, *, seen: int, actor: User | None = None) -> Playthrough:
    """Change the draft by one answer and keep it, and every throw with it.

    ``change`` gets the post-game as it stands and its answers; ``actor``: who answers. Raises
    Refusal if the post-game is not open or what is decided cannot be carried out, Stale if the
    draft is no longer as it was seen.
    """
    _check_open(side)
    if side.draft_version != seen:
        raise Stale
    ground = ground_of(side)
    known = side.answers
    before = played(side, known, ground)
    answers = change(before, known)
    after = played(side, answers, ground)
    refused = [unmet for state in after.steps for unmet in state.refused]
    # Dice show what they show: if something decided before does not go with it, its step says so.
    decided = answers.rolls == known.rolls
    if decided and len(refused) > sum(len(state.refused) for state in before.steps):
        raise refused[-1].refusal
    draft = answers.model_dump(mode="json")
    with transaction.atomic():
        kept = Side.objects.filter(pk=side.pk, draft_version=seen).update(
            draft=draft, draft_version=F("draft_version") + 1
        )
        if not kept:
            raise Stale
        throws.keep_changes(side, known.rolls, answers.rolls, partial(_about, before), actor)
    side.draft, side.draft_version = draft, seen + 1
    return after


def _about(through: Playthrough, key: str) -> About:
    """What a throw was for."""
    asked = through.asked[key]
    who = asked.member.name or asked.member.rank
    if asked.table is not None:
        return {"member": who, "table": asked.table.key}
    return {"member": who, "asked": asked.what}


def commit(
    side: Side,
    *,
    seen_draft: int,
    seen_gang: int,
    actor: User,
    reason: str = "",
    also: Collection[int] = (),
) -> None:
    """Write the post-game into the gang's ledger, once: at its end or, if it was there before, in
    its old place.

    ``also``: later entries, by ``seq``, that are to be struck with it; ``reason``: why it is
    corrected. Raises Leftovers if others would no longer fit, Refusal if it is not open,
    not complete or not the next one; Stale if the draft or the gang is no longer as it was seen.
    """
    _check_open(side)
    if not is_done(side) and earlier(side) is not None:
        raise Refusal("earlier_postgame")
    gang = gang_of(side)
    with transaction.atomic():
        _hold_game(side)
        # The same each time, so that whichever commit is put back in the history is this side's.
        batch = side.batch or uuid.uuid4()
        claimed = Side.objects.filter(
            pk=side.pk, draft_version=seen_draft, batch=side.batch, correcting=side.correcting
        ).update(
            batch=batch, draft_version=F("draft_version") + 1, correcting=False, kept_draft=None
        )
        if not claimed or gang.version != seen_gang:
            raise Stale
        ground = ground_of(side)
        through = played(side, ground=ground)
        if not through.complete:
            raise Refusal("postgame_open")
        if ground.place is None:
            ledger.append(gang, through.entries, seen=seen_gang, actor=actor, batch=batch)
        else:
            ledger.revise(
                gang,
                strike={*ground.standing, *also},
                insert=ground.insertions(through),
                seen=seen_gang,
                actor=actor,
                batch=batch,
                reason=reason,
                by_organiser=gang.owner_id != actor.pk,
            )
        side.batch, side.draft_version = batch, seen_draft + 1
        side.correcting, side.kept_draft = False, None


def _hold_game(side: Side) -> None:
    """Lock the side's game until the transaction ends: nobody takes it back, or says that it went
    otherwise, meanwhile. Raises Refusal if that has happened since the side was read."""
    counts = Game.objects.filter(pk=side.game_id, status=Game.Status.CONFIRMED)
    if counts.select_for_update(no_key=True).first() is None:
        raise Refusal("not_confirmed")


def _check_open(side: Side) -> None:
    if side.game.status != Game.Status.CONFIRMED:
        raise Refusal("not_confirmed")
    if is_done(side) and not side.correcting:
        raise Refusal("postgame_done")
