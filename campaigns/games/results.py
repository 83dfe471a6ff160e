"""A game's result: players claim it, confirm it and dispute it, and organisers decide.

``campaigns.engine.claims`` works out the effect; this module locks the game, writes the outcome,
copies the claim that counts (``Game.claim``) to the sides, notifies the players, and opens the
post-games that must be replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import cast

from django.db import transaction

from accounts.models import User
from campaigns import holders, seeds
from campaigns import notices as campaigns_notices
from campaigns.engine import claims
from campaigns.engine.claims import (
    Account,
    ClaimRow,
    Contest,
    Seat,
    Settlement,
    SideAccount,
    Speaker,
)
from campaigns.engine.report import Report
from campaigns.fixtures import find_fixture, telling_outdated
from campaigns.games import unfought
from campaigns.models import Claim, Fixture, Game, Side, Table
from campaigns.postgames import correction, drafts
from campaigns.table.crews import hiring
from common.errors import Refusal, Stale
from gangs import hooks

# The columns of a side that a statement about its game writes.
SPOKEN = ["side", "finish", "report", "rating", "verdict", "verdict_by", "comment"]


def submit(
    game: Game,
    sides: Sequence[Side],
    account: Account,
    *,
    actor: User,
    expected_version: int,
    decides: bool = False,
    why: str = "",
) -> None:
    """Take an account as what its author may say: an organiser decides if they wish it
    (``decides``), correct a confirmed result, or do not play in a game that was reported before;
    everybody else claims. Raises Stale and Refusal."""
    plays = any(side.is_of(actor) for side in sides)
    corrects = game.status == Game.Status.CONFIRMED
    # The first report of a game that others play waits for their consent, unless it is pressed.
    settles = corrects or (game.status != Game.Status.PLANNED and not plays)
    if game.campaign.is_run_by(actor) and (decides or settles):
        decide(
            game,
            account=account,
            actor=actor,
            expected_version=expected_version,
            why=why,
            replays=True,
        )
    else:
        report(game, account, actor=actor, expected_version=expected_version)


def report(game: Game, account: Account, *, actor: User, expected_version: int) -> None:
    """Claim that the game went like this. The actor's own gangs agree with the claim.

    It replaces an earlier claim of the actor, and players who agreed with that one must answer
    again; claims of other players stay. A claim sent twice is one claim. Raises Stale if the game
    has changed since it was seen, and Refusal if it is settled or not the actor's.
    """
    _speak(game, partial(claims.report, account=account), actor, expected_version)


def confirm(game: Game, *, actor: User, expected_version: int, claim: int | None = None) -> None:
    """Agree with a claim for one's own gangs; without a ``claim``, with the one that counts now. An
    organiser without a gang in the game confirms for everybody.

    Claims never change, so a named claim can be confirmed even if others have spoken meanwhile.
    Raises Stale if the claim was replaced, and Refusal if there is nothing to confirm.
    """
    _speak(game, partial(claims.agree, claim=claim), actor, expected_version)


def dispute(game: Game, *, comment: str, actor: User, expected_version: int) -> None:
    """Dispute the claim that counts now, with a reason. Raises Stale and Refusal."""
    _speak(game, partial(claims.object_to, comment=comment), actor, expected_version)


def decide(
    game: Game,
    *,
    actor: User,
    expected_version: int,
    claim: int | None = None,
    account: Account | None = None,
    why: str = "",
    replays: bool = False,
    asks_who_fell: bool = False,
) -> None:
    """Decide as an organiser: adopt a claim unchanged, or the organiser's own ``account``.

    This also corrects a confirmed result, with a reason: sides whose post-game is affected play it
    again in its place. ``replays``: write those immediately for which the old dice and choices
    suffice; ``asks_who_fell``: the players are asked for the losses, which the account lacks.
    Raises Stale and Refusal.
    """
    say = partial(claims.decide, claim=claim, account=account, why=why)
    _speak(
        game, say, actor, expected_version, replays=replays, why=why, asks_who_fell=asks_who_fell
    )


def complete(
    game: Game, reports: Mapping[int, Report], *, actor: User, expected_version: int
) -> None:
    """Add, as a player, the reports of one's own sides, by their keys, to a result that an
    organiser has decided, until their post-game is written. Raises Stale and Refusal."""
    _speak(game, partial(claims.complete, reports=reports), actor, expected_version)


def _speak(
    game: Game,
    say: Callable[[Contest, Speaker], Settlement | None],
    actor: User,
    expected_version: int,
    *,
    replays: bool = False,
    why: str = "",
    asks_who_fell: bool = False,
) -> None:
    """Lock the game and its sides, write the effect of the statement, and notify the players.
    Raises Refusal if the game is deleted."""
    with transaction.atomic(), telling_outdated(_corrected_fixture(game)):
        campaign = game.campaign
        holders.lock(campaign)
        _lock_game(game)
        game.campaign = campaign
        if game.status == Game.Status.CONFIRMED:
            # Its entries may be taken back, which changes later post-games.
            hooks.oversight.lock_postgames(game.sides.values_list("gang", flat=True))
        locked = game.sides.select_for_update(of=("self",), no_key=True)
        sides = list(locked.select_related("gang"))
        for side in sides:
            side.game = game
        by = Speaker(actor.pk, campaign.is_run_by(actor), expected_version)
        settlement = say(_contest(game, sides), by)
        if settlement is None:
            return
        account = settlement.account or account_of(game, sides)
        if settlement.account or settlement.status == "confirmed":
            holders.check_captures(game, account)
        if game.is_fought and not account.is_fought and any(side.batch for side in sides):
            raise Refusal("fought_already")
        _write(game, sides, settlement, actor)
        match settlement.news:
            case "completed":
                completed = [side for side in sides if side.pk in settlement.reopened]
                if any(side.batch for side in completed):
                    raise Refusal("postgame_written")
                for side in completed:
                    _play_again(side)
            case "reported":
                campaigns_notices.game_reported(game, actor=actor)
            case "disputed":
                campaigns_notices.game_disputed(game, actor=actor)
            case "confirmed":
                campaigns_notices.game_confirmed(game, actor=actor)
            case "decided":
                reopened = [side for side in sides if side.pk in settlement.reopened]
                again = [side for side in reopened if game.is_fought and _play_again(side)]
                if replays:
                    # Gangs are locked in the order of their keys.
                    again.sort(key=lambda side: str(side.gang_id))
                    again = [side for side in again if not correction.replay_now(side, actor, why)]
                campaigns_notices.game_decided(
                    game, again, actor=actor, asks_who_fell=asks_who_fell
                )
        if settlement.status == "confirmed":
            unfought.settle(game, sides, actor=actor)


def _lock_game(game: Game) -> None:
    """Lock the game's row and read it. Raises Refusal if it is deleted."""
    try:
        game.refresh_from_db(from_queryset=Game.objects.select_for_update(no_key=True))
    except Game.DoesNotExist:
        raise Refusal("gone") from None


def _corrected_fixture(game: Game) -> Fixture | None:
    """The fixture of a game that has a result already; None for other games. At most one query."""
    return find_fixture(game) if game.status == Game.Status.CONFIRMED else None


def _contest(game: Game, sides: Sequence[Side]) -> Contest:
    """The game as ``campaigns.engine.claims`` knows it."""
    return Contest(
        version=game.version,
        status=cast(claims.Status, game.status),
        claim=game.claim_id,
        reported_by=game.reported_by_id,
        account=account_of(game, sides) if game.has_result else None,
        seats=tuple(
            Seat(
                pk=side.pk,
                owner=side.gang.owner_id if side.gang else None,
                gang=str(side.gang_id or ""),
                plays=side.gang is not None,
                verdict=cast(claims.Verdict, side.verdict),
                by=side.verdict_by_id,
                comment=side.comment,
            )
            for side in sides
        ),
        claims=tuple(claims_of(game, sides)),
    )


def _write(game: Game, sides: Sequence[Side], settlement: Settlement, actor: User) -> None:
    """Write the settlement to the game, its sides and claims. Ratings stay as first reported."""
    claim, account = settlement.claim, settlement.account
    if settlement.new_claim is not None:
        data = settlement.new_claim.model_dump(mode="json")
        claim_row = Claim.objects.create(game=game, actor=actor, data=data)
        claim = claim_row.pk if claim == claims.NEW else claim
    for pk, claim_data in settlement.changed.items():
        Claim.objects.filter(pk=pk).update(data=claim_data.model_dump(mode="json"))
    for side, seat in zip(sides, settlement.seats, strict=True):
        if game.status == Game.Status.PLANNED and side.gang is not None:
            side.rating = side.gang.rating
        if account is not None:
            side_account = account.sides[side.pk]
            side.side, side.report = side_account.side, side_account.report.model_dump(mode="json")
            side.finish = side_account.place
        side.verdict, side.verdict_by_id, side.comment = seat.verdict, seat.by, seat.comment
        side.save(update_fields=SPOKEN)
    if account is not None:
        game.result, game.how = account.result, account.how
        game.played_on, game.note = account.played_on, account.note
    game.status, game.claim_id = settlement.status, claim
    game.reported_by_id = settlement.reported_by
    game.version += 1
    game.luck_at = None
    game.save()
    if settlement.status == "confirmed":
        # The table is closed now, so its seeds may be shown.
        seeds.show(Table.objects.filter(game=game))


def withdraw(game: Game, *, actor: User, expected_version: int) -> None:
    """Delete a game: its reporter may until another player answers, an organiser until a gang plays
    its post-game (even one that was undone, since it may be restored). A second request at the
    same time changes nothing. Raises Refusal, and Stale."""
    organises = game.campaign.is_run_by(actor)
    if game.status == Game.Status.CONFIRMED and not organises:
        raise Refusal("confirmed_already")
    if game.status == Game.Status.STRUCK:
        raise Refusal("game_struck")
    if not organises and game.reported_by_id != actor.pk:
        raise Refusal("not_your_game")
    with transaction.atomic(), telling_outdated(_corrected_fixture(game)):
        locked = Game.objects.select_for_update(no_key=True).filter(pk=game.pk).first()
        if locked is None:
            return
        if locked.version != expected_version:
            raise Stale
        if any(side.batch is not None for side in game.sides.select_for_update(no_key=True)):
            raise Refusal("postgame_written")
        if not organises and game.claims.exclude(actor=actor).exists():
            raise Refusal("told_otherwise")
        hiring.give_back(game, actor=actor)
        game.delete()


def reopen(game: Game, *, expected_version: int, day: date, reported_by: int | None = None) -> None:
    """Take an organiser's decision back if it is the only claim about the game, which is planned
    again, for this ``day``, by ``reported_by``. Updates ``game``.

    Raises Stale if there are other claims or changes, and Refusal if a post-game was begun or the
    game is deleted.
    """
    with transaction.atomic(), telling_outdated(_corrected_fixture(game)):
        campaign = game.campaign
        holders.lock(campaign)
        _lock_game(game)
        game.campaign = campaign
        if game.version != expected_version or game.claims.count() != 1:
            raise Stale
        locked = game.sides.select_for_update(of=("self",), no_key=True)
        sides = list(locked.select_related("gang"))
        paid = unfought.find_paid(sides)
        if any(side.draft or (side.batch and side.pk not in paid) for side in sides):
            raise Refusal("postgame_written")
        game.status, game.result, game.how = Game.Status.PLANNED, "", Game.How.PLAYED
        game.claim, game.played_on, game.reported_by_id = None, day, reported_by
        game.version += 1
        game.save()
        unfought.settle(game, sides, actor=None)
        game.sides.update(
            side=Side.Kind.LEVEL, finish=None, report={}, verdict="", verdict_by=None, comment=""
        )
        game.claims.all().delete()


def may_withdraw(game: Game, user: User, sides: Sequence[Side], claims: Sequence[ClaimRow]) -> bool:
    """Whether the user may delete the game now."""
    if game.status == Game.Status.STRUCK or any(side.batch is not None for side in sides):
        return False
    if game.campaign.is_run_by(user):
        return True
    is_reporter = user.is_authenticated and game.reported_by_id == user.pk
    is_open = game.status != Game.Status.CONFIRMED
    return is_reporter and is_open and all(claim.actor == user.pk for claim in claims)


def claims_of(game: Game, sides: Sequence[Side]) -> list[ClaimRow]:
    """The claims in force, oldest first; if all were replaced, the claim that counts. Makes one
    query, and reads the sides' gangs."""
    rows = [
        ClaimRow(row.pk, row.actor_id, data)
        for row in game.claims.all()
        if (data := row.sound_data) is not None
    ]
    current = [row for row in rows if row.pk == game.claim_id]
    if game.status == Game.Status.CONFIRMED:
        return current
    return claims.standing(rows, [side.gang.owner_id for side in sides if side.gang]) or current


def account_of(game: Game, sides: Sequence[Side]) -> Account:
    """The account of the game that counts now."""
    return Account(
        result=game.result,
        how=game.manner,
        played_on=game.played_on,
        note=game.note,
        sides={side.pk: SideAccount(side.kind, side.parsed_report, side.finish) for side in sides},
    )


def _play_again(side: Side) -> bool:
    """Make the side's post-game out of date, since the result has changed, and open a finished one
    to be played again in its place. Returns whether it must be played again."""
    side.draft_version += 1
    if not side.correcting and drafts.is_done(side):
        side.correcting, side.kept_draft = True, side.draft
    side.save(update_fields=["draft_version", "correcting", "kept_draft"])
    return side.correcting
