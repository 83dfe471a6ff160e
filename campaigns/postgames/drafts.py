"""The post-game of a side: its draft, and committing it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial

from django.db import transaction
from django.db.models import Q

from accounts.models import User
from campaigns import throws
from campaigns.engine.report import About, Answers, GameReport
from campaigns.engine.script import play
from campaigns.engine.script_state import Playthrough
from campaigns.models import Game, Side
from campaigns.postgames.base import PostgameBase, base_of, gang_of
from campaigns.seeds import Dice, count_dice, show
from common.errors import Refusal, Stale
from common.locking import update_if
from gangs.ledger import writer

Change = Callable[[Playthrough, Answers], Answers]


def game_report_of(side: Side) -> GameReport:
    """What the post-game has to know of the game. Reads all its sides."""
    game, sides = side.game, list(side.game.sides.all())
    others = [other for other in sides if other.pk != side.pk]
    return GameReport(
        game=str(game.pk),
        title=" – ".join(other.name for other in sides)[:80],
        scenario=game.scenario or None,
        result=game.result,
        side=side.kind,
        report=side.parsed_report,
        rating=side.rating,
        opponents=tuple(other.rating for other in others),
        opponent_names=tuple(other.name for other in others),
        opponent_gangs=tuple(str(other.gang_id) for other in others if other.gang_id),
    )


@dataclass(frozen=True)
class Postgame:
    """The post-game of a side, played as far as its draft reaches."""

    side: Side
    base: PostgameBase
    game_report: GameReport
    playthrough: Playthrough


def load(side: Side) -> Postgame:
    """The side's post-game as it stands: the script is played once. Raises Refusal if its result
    is not confirmed, or its gang was deleted."""
    if side.game.status != Game.Status.CONFIRMED:
        raise Refusal("not_confirmed")
    base, game_report = base_of(side), game_report_of(side)
    return Postgame(side, base, game_report, _play(base, game_report, side.answers))


def _play(base: PostgameBase, game_report: GameReport, answers: Answers) -> Playthrough:
    first = base.gang.last_seq + 1
    return play(base.book, base.roster, first, game_report, answers, base.numbers)


def is_done(side: Side) -> bool:
    """Whether the side's post-game stands in the gang's ledger."""
    return Side.objects.done().filter(pk=side.pk).exists()


def is_closed(side: Side) -> bool:
    """Whether the side's post-game stands and is not being played again."""
    return not side.correcting and is_done(side)


def earlier(side: Side) -> Side | None:
    """A game that the gang played before this one and whose post-game is still to be done."""
    sides = Side.objects.undone().select_related("game")
    confirmed = sides.filter(gang=side.gang, game__status=Game.Status.CONFIRMED)
    day, made = side.game.played_on, side.game.created_at
    before = confirmed.filter(
        Q(game__played_on__lt=day) | Q(game__played_on=day, game__created_at__lt=made)
    )
    return before.order_by("game__played_on", "game__created_at").first()


def answer(
    postgame: Postgame,
    change: Change,
    *,
    expected_version: int,
    actor: User | None = None,
    dice: Dice | None = None,
) -> Postgame:
    """Change the draft by one answer and keep it, and every throw with it; the post-game with it,
    played once more.

    ``change`` gets the post-game as it stands and its answers; ``actor``: who answers; ``dice``:
    the side's, if ``change`` throws them. Raises Refusal if the post-game is not open or what is
    decided cannot be carried out, Stale if the draft is no longer as it was seen.
    """
    side, before = postgame.side, postgame.playthrough
    _check_open(side)
    if side.draft_version != expected_version:
        raise Stale
    known = side.answers
    answers = change(before, known)
    after = _play(postgame.base, postgame.game_report, answers)
    refused = [unmet for state in after.steps for unmet in state.refused]
    # Dice show what they show: if something decided before does not go with it, its step says so.
    decided = answers.rolls == known.rolls
    if decided and len(refused) > sum(len(state.refused) for state in before.steps):
        raise refused[-1].refusal
    draft = answers.model_dump(mode="json")
    with transaction.atomic():
        # Whoever drew from the side's seed meanwhile has changed what the next dice show.
        rows, columns = Side.objects.filter(draws=side.draws), count_dice(side, dice)
        update_if(rows, side.pk, expected_version, counter="draft_version", draft=draft, **columns)
        throws.keep_changes(side, known.rolls, answers.rolls, partial(_about, before), actor, dice)
    side.draft, side.draft_version = draft, expected_version + 1
    side.draws = columns.get("draws", side.draws)
    return replace(postgame, playthrough=after)


def _about(playthrough: Playthrough, key: str) -> About:
    """What a throw was for."""
    request = playthrough.requests[key]
    who = request.member.name or request.member.rank
    if request.table is not None:
        return About(member=who, table=request.table.key)
    return About(member=who, asked=request.what)


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
        update_if(
            Side.objects.filter(batch=side.batch, correcting=side.correcting),
            side.pk,
            seen_draft,
            counter="draft_version",
            batch=batch,
            correcting=False,
            kept_draft=None,
        )
        if gang.version != seen_gang:
            raise Stale
        postgame = load(side)
        base, playthrough = postgame.base, postgame.playthrough
        if not playthrough.complete:
            raise Refusal("postgame_open")
        if base.place is None:
            writer.append(
                gang, playthrough.entries, expected_version=seen_gang, actor=actor, batch=batch
            )
        else:
            writer.revise(
                gang,
                strike={*base.standing, *also},
                insert=base.insertions(playthrough),
                expected_version=seen_gang,
                actor=actor,
                batch=batch,
                reason=reason,
                by_organiser=gang.owner_id != actor.pk,
            )
        # Nothing is thrown any more, and how lucky everybody was is to be worked out again.
        show(Side.objects.filter(pk=side.pk))
        Game.objects.filter(pk=side.game_id).update(luck_at=None)
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
    if is_closed(side):
        raise Refusal("postgame_done")
