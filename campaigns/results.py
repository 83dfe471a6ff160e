"""A game's result: reported, confirmed or disputed. None of this touches a gang."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.db import transaction
from django.db.models import F

from accounts.models import User
from campaigns.models import Game, Side
from campaigns.situation import Report, SideKind
from gangs.ledger import Stale
from gangs.refusal import Refusal


@dataclass(frozen=True)
class Told:
    """What the report says about one side."""

    side: SideKind
    report: Report


def report(
    game: Game,
    told: Mapping[int, Told],
    *,
    result: str,
    played_on: date,
    note: str,
    actor: User,
    seen: int,
) -> None:
    """Report the result, or correct a report that nobody has agreed to in full yet.

    ``told``: by the side's primary key. The reporter agrees with himself. Raises Stale if the game
    has changed since it was seen.
    """
    if game.status == Game.Status.CONFIRMED:
        raise Refusal("confirmed_already")
    with transaction.atomic():
        _claim(
            game,
            seen,
            result=result,
            played_on=played_on,
            note=note,
            status=Game.Status.REPORTED,
            reported_by=actor,
        )
        for side in game.sides.select_related("gang"):
            told_here = told[side.pk]
            side.side = told_here.side
            side.report = told_here.report.model_dump(mode="json")
            side.rating = side.gang.rating if side.gang else side.rating
            agrees = side.gang is None or side.is_of(actor)
            side.verdict = Side.Verdict.CONFIRMED if agrees else ""
            side.verdict_by = actor if agrees else None
            side.comment = ""
            side.save()
        _settle(game)


def confirm(game: Game, *, actor: User, seen: int) -> None:
    """Agree with the report: for one's own gangs, or as the organiser for everybody."""
    if game.status not in (Game.Status.REPORTED, Game.Status.DISPUTED):
        raise Refusal("nothing_to_confirm")
    with transaction.atomic():
        _claim(game, seen)
        sides = _sides_of(game, actor)
        for side in sides:
            side.verdict = Side.Verdict.CONFIRMED
            side.verdict_by = actor
            side.comment = ""
            side.save(update_fields=["verdict", "verdict_by", "comment"])
        _settle(game)


def dispute(game: Game, *, comment: str, actor: User, seen: int) -> None:
    """Disagree with the report, and say why: it can be corrected then."""
    if game.status not in (Game.Status.REPORTED, Game.Status.DISPUTED):
        raise Refusal("nothing_to_confirm")
    own = [side for side in game.sides.select_related("gang") if side.is_of(actor)]
    if not own:
        raise Refusal("not_your_game")
    with transaction.atomic():
        _claim(game, seen, status=Game.Status.DISPUTED)
        for side in own:
            side.verdict = Side.Verdict.DISPUTED
            side.verdict_by = actor
            side.comment = comment
            side.save(update_fields=["verdict", "verdict_by", "comment"])


def withdraw(game: Game, *, actor: User, seen: int) -> None:
    """Take a game off the list: by its reporter while it is unconfirmed, by the organiser as long
    as no gang has ever played its post-game: one that was taken back may be put back."""
    organises = game.campaign.is_run_by(actor)
    if game.status == Game.Status.CONFIRMED and not organises:
        raise Refusal("confirmed_already")
    if not organises and game.reported_by_id != actor.pk:
        raise Refusal("not_your_game")
    with transaction.atomic():
        _claim(game, seen)
        if any(side.batch is not None for side in game.sides.select_for_update()):
            raise Refusal("postgame_written")
        game.delete()


def may_report(game: Game, user: User, sides: Sequence[Side]) -> bool:
    """Whether the user may report, or correct, the result now."""
    takes_part = game.campaign.is_run_by(user) or any(side.is_of(user) for side in sides)
    if game.status == Game.Status.PLANNED:
        return takes_part
    if game.status == Game.Status.CONFIRMED:
        return False
    return game.reported_by_id == user.pk or game.campaign.is_run_by(user)


def may_withdraw(game: Game, user: User, sides: Sequence[Side]) -> bool:
    """Whether the user may take the game off the list now."""
    if any(side.batch is not None for side in sides):
        return False
    reporter = game.reported_by_id == user.pk and game.status != Game.Status.CONFIRMED
    return game.campaign.is_run_by(user) or reporter


def _sides_of(game: Game, actor: User) -> list[Side]:
    """The sides the actor may speak for. Raises Refusal if there is none."""
    sides = list(game.sides.select_related("gang"))
    if not game.campaign.is_run_by(actor):
        sides = [side for side in sides if side.is_of(actor)]
    if not sides:
        raise Refusal("not_your_game")
    return sides


def _claim(game: Game, seen: int, **values: object) -> None:
    """Change the game if it is still as it was seen; the update is the lock."""
    changes = {"version": F("version") + 1, **values}
    if not Game.objects.filter(pk=game.pk, version=seen).update(**changes):
        raise Stale
    game.refresh_from_db(fields=["version", *values])


def _settle(game: Game) -> None:
    """A game is confirmed once every side agrees."""
    verdicts = set(game.sides.values_list("verdict", flat=True))
    if verdicts == {Side.Verdict.CONFIRMED}:
        game.status = Game.Status.CONFIRMED
    elif Side.Verdict.DISPUTED in verdicts:
        game.status = Game.Status.DISPUTED
    else:
        game.status = Game.Status.REPORTED
    game.save(update_fields=["status"])
