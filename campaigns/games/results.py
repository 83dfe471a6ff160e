"""A game's result: claimed, confirmed, disputed, decided. Of gangs this only says which post-game
is to be played again.

What follows from what somebody says is worked out by ``campaigns.engine.claims``; here the game is
locked, the outcome written, and the players notified. The claim that the game goes by meanwhile
(``Game.claim``) is copied to the sides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

from django.db import transaction

from accounts.models import User
from campaigns import notices as campaigns_notices
from campaigns import seeds
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
from campaigns.models import Claim, Game, Side, Table
from campaigns.postgames import drafts
from campaigns.table.crews import hiring
from common.errors import Refusal, Stale


def report(game: Game, account: Account, *, actor: User, expected_version: int) -> None:
    """Claim that this is what happened; the one who says so agrees with themselves.

    A claim of their own that they made before no longer stands, and whoever agreed with that one is
    asked again; claims of others stand beside this one. The same claim twice is one. Raises Stale
    if the game has changed since it was seen, and Refusal if it is settled or not theirs.
    """
    _speak(game, partial(claims.report, account=account), actor, expected_version)


def confirm(game: Game, *, actor: User, expected_version: int, claim: int | None = None) -> None:
    """Agree with a claim, that which the game goes by if none is named: for one's own gangs. An
    organiser who plays no gang in it confirms for everybody.

    Claims never change, so with a named one it does not matter who else has spoken meanwhile.
    Raises Stale if it no longer stands, and Refusal if there is nothing to confirm.
    """
    _speak(game, partial(claims.agree, claim=claim), actor, expected_version)


def dispute(game: Game, *, comment: str, actor: User, expected_version: int) -> None:
    """Disagree with what the game goes by, and say why. Raises Stale and Refusal."""
    _speak(game, partial(claims.object_to, comment=comment), actor, expected_version)


def decide(
    game: Game,
    *,
    actor: User,
    expected_version: int,
    claim: int | None = None,
    account: Account | None = None,
    why: str = "",
) -> None:
    """An organiser decides: takes a claim as it is, or says what happened (``account``).

    A result that is confirmed already is corrected in the same way, with a reason; sides whose
    post-game stands and whom it concerns play that again, in its place. Raises Stale and Refusal.
    """
    say = partial(claims.decide, claim=claim, account=account, why=why)
    _speak(game, say, actor, expected_version)


def _speak(
    game: Game,
    say: Callable[[Contest, Speaker], Settlement | None],
    actor: User,
    expected_version: int,
) -> None:
    """Lock the game and its sides, write what follows from what is said, and notify the players."""
    with transaction.atomic():
        campaign = game.campaign
        game.refresh_from_db(from_queryset=Game.objects.select_for_update(no_key=True))
        game.campaign = campaign
        locked = game.sides.select_for_update(of=("self",), no_key=True)
        sides = list(locked.select_related("gang"))
        for side in sides:
            side.game = game
        by = Speaker(actor.pk, campaign.is_run_by(actor), expected_version)
        settlement = say(_contest(game, sides), by)
        if settlement is None:
            return
        _write(game, sides, settlement, actor)
        match settlement.news:
            case "reported":
                campaigns_notices.game_reported(game, actor=actor)
            case "disputed":
                campaigns_notices.game_disputed(game, actor=actor)
            case "confirmed":
                campaigns_notices.game_confirmed(game, actor=actor)
            case "decided":
                reopened = [side for side in sides if side.pk in settlement.reopened]
                again = [side for side in reopened if _play_again(side)]
                campaigns_notices.game_decided(game, again, actor=actor)


def _contest(game: Game, sides: Sequence[Side]) -> Contest:
    """The game as claims are about it."""
    return Contest(
        version=game.version,
        status=cast(claims.Status, game.status),
        claim=game.claim_id,
        reported_by=game.reported_by_id,
        account=account_of(game, sides) if game.result else None,
        seats=tuple(
            Seat(
                pk=side.pk,
                owner=side.gang.owner_id if side.gang else None,
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
    """Write where the game stands now. Ratings are those of the first report."""
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
        side.verdict, side.verdict_by_id, side.comment = seat.verdict, seat.by, seat.comment
        side.save(update_fields=["side", "report", "rating", "verdict", "verdict_by", "comment"])
    if account is not None:
        game.result, game.played_on, game.note = account.result, account.played_on, account.note
    game.status, game.claim_id = settlement.status, claim
    game.reported_by_id = settlement.reported_by
    game.version += 1
    game.luck_at = None
    game.save()
    if settlement.status == "confirmed":
        # Nobody taps at its table any more.
        seeds.show(Table.objects.filter(game=game))


def withdraw(game: Game, *, actor: User, expected_version: int) -> None:
    """Take a game off the list: by its reporter while nobody else has spoken, by the organiser as
    long as no gang has ever played its post-game: one that was taken back may be put back. Asked
    twice at once, it does so once."""
    organises = game.campaign.is_run_by(actor)
    if game.status == Game.Status.CONFIRMED and not organises:
        raise Refusal("confirmed_already")
    if game.status == Game.Status.STRUCK:
        raise Refusal("game_struck")
    if not organises and game.reported_by_id != actor.pk:
        raise Refusal("not_your_game")
    with transaction.atomic():
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


def may_withdraw(game: Game, user: User, sides: Sequence[Side], claims: Sequence[ClaimRow]) -> bool:
    """Whether the user may take the game off the list now."""
    if game.status == Game.Status.STRUCK or any(side.batch is not None for side in sides):
        return False
    alone = all(claim.actor == user.pk for claim in claims)
    reporter = user.is_authenticated and game.reported_by_id == user.pk
    open_ = game.status != Game.Status.CONFIRMED
    return game.campaign.is_run_by(user) or (reporter and open_ and alone)


def claims_of(game: Game, sides: Sequence[Side]) -> list[ClaimRow]:
    """The claims that stand, oldest first; if none does, since whoever said it took it back, that
    which the game goes by. One query; sides with their gangs."""
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
    """What the game goes by, as one value."""
    return Account(
        result=game.result,
        played_on=game.played_on,
        note=game.note,
        sides={side.pk: SideAccount(side.kind, side.parsed_report) for side in sides},
    )


def _play_again(side: Side) -> bool:
    """The side's post-game goes by something else now: what was seen so far is out of date. One
    that stands is opened to be played again in its own place; whether it was is the answer."""
    side.draft_version += 1
    if not side.correcting and drafts.is_done(side):
        side.correcting, side.kept_draft = True, side.draft
    side.save(update_fields=["draft_version", "correcting", "kept_draft"])
    return side.correcting
