"""Stored bargains about captives: one gang offers, the other agrees, and both ledgers record it.

Both ledgers change in one transaction, under one batch, so that no money is made or lost. The
gangs' rows are taken in the order of their keys.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.models import User
from campaigns import notices as campaigns_notices
from campaigns.engine import captives
from campaigns.engine.captives import Captive, Party, Terms
from campaigns.holds import find_unsettled
from campaigns.locking import lock
from campaigns.models import Bargain, Campaign, Game, Side
from campaigns.text import name_here
from common.errors import Refusal, Stale
from gangs.engine.entries import Recovered
from gangs.ledger import writer
from gangs.models import Gang, StoredEntry


@dataclass(frozen=True)
class Prisoner:
    """A member who is held, with their gang, the game in which they were taken, and the gangs that
    may hold them."""

    gang: Gang
    captive: Captive
    game: Game | None
    captors: tuple[Gang, ...]


def prisoners(campaign: Campaign) -> list[Prisoner]:
    """The campaign's captives, gang by gang. The number of queries does not grow with them."""
    playing = Gang.objects.filter(
        memberships__campaign=campaign,
        memberships__left_at=None,
        memberships__retired_at=None,
    )
    gangs = list(playing.select_related("owner").order_by("memberships__joined_at"))
    found = [
        (gang, captive) for gang in gangs for captive in captives.find_held(gang.book, gang.roster)
    ]
    games = _games(found)
    return [
        Prisoner(
            gang,
            captive,
            games.get((gang.pk, captive.member.id)),
            tuple(
                other
                for other in gangs
                if other != gang and str(other.pk) in captive.affliction.captors
            ),
        )
        for gang, captive in found
    ]


def _games(found: Sequence[tuple[Gang, Captive]]) -> dict[tuple[uuid.UUID, int], Game]:
    """The game in which each captive was taken, by gang and member."""
    entries = StoredEntry.objects.live().filter(
        gang__in={gang.pk for gang, _captive in found}, kind="suffered"
    )
    conditions = {(gang.pk, held.member.id): held.affliction.condition for gang, held in found}
    batches = {
        (gang, data["member"]): batch
        for gang, batch, data in entries.values_list("gang", "batch", "data")
        if conditions.get((gang, data["member"])) == data["condition"]
    }
    sides = Side.objects.filter(batch__in=batches.values()).select_related("game")
    games = {(side.gang_id, side.batch): side.game for side in sides}
    return {key: games[key[0], batch] for key, batch in batches.items() if (key[0], batch) in games}


def between(found: Sequence[Prisoner], first: Gang, second: Gang) -> list[Prisoner]:
    """The captives of two gangs that the other of the two may hold."""
    pair = {first, second}
    return [who for who in found if who.gang in pair and (pair - {who.gang}) & set(who.captors)]


def offer(
    campaign: Campaign,
    giver: Gang,
    taker: Gang,
    terms: Terms,
    *,
    note: str,
    actor: User,
    token: uuid.UUID,
) -> Bargain:
    """Offer a bargain in the name of ``giver``. A form that arrives twice makes one offer. Raises
    Refusal if the bargain could not be carried out now."""
    open_to = {
        (who.gang.pk, who.captive.member.id) for who in between(prisoners(campaign), giver, taker)
    }
    gangs: dict[Party, Gang] = {"giver": giver, "taker": taker}
    for party, member in terms.frees:
        if (gangs[party].pk, member) not in open_to:
            raise Refusal("not_held")
    for party, gang in gangs.items():
        captives.entries_for(terms, party, gang.book, gang.roster)
    with transaction.atomic():
        lock(campaign)
        bargain, created = Bargain.objects.get_or_create(
            token=token,
            defaults={
                "campaign": campaign,
                "giver": giver,
                "taker": taker,
                "giver_name": giver.name,
                "taker_name": taker.name,
                "terms": terms.model_dump(mode="json"),
                "note": note,
                "proposed_by": actor,
            },
        )
        if created:
            campaigns_notices.bargain_offered(bargain, actor=actor)
    return bargain


def may_answer(bargain: Bargain, user: User) -> bool:
    """Whether the user may agree to an offer or decline it: the owner of the gang that receives it,
    or an organiser in their place, except for an organiser's own offer."""
    if bargain.taker is not None and bargain.taker.is_owned_by(user):
        return True
    deserted = bargain.taker is None or bargain.taker.owner_id is None
    own = bargain.giver is not None and bargain.giver.is_owned_by(user)
    return bargain.campaign.is_run_by(user) and (deserted or not own)


def may_withdraw(bargain: Bargain, user: User) -> bool:
    """Whether the user may take an offer back: they made it, own the gang that makes it, or run the
    campaign."""
    own = bargain.giver is not None and bargain.giver.is_owned_by(user)
    return own or bargain.proposed_by_id == user.pk or bargain.campaign.is_run_by(user)


def agree(bargain: Bargain, *, actor: User, expected_version: tuple[int, int]) -> None:
    """Agree to an offer, and write it into the ledgers of both gangs.

    ``expected_version``: the versions of giver and taker that the user saw. Raises Stale if the
    offer was answered or a gang has changed meanwhile, and Refusal if it cannot be carried out.
    """
    with transaction.atomic():
        batch = uuid.uuid4()
        lock(bargain.campaign)
        _close(bargain, Bargain.Status.AGREED, actor, batch=batch)
        gangs = _lock_gangs(bargain)
        if (gangs["giver"].version, gangs["taker"].version) != expected_version:
            raise Stale
        terms = bargain.sound_terms
        if terms is None:
            raise Refusal("not_held")
        for party, gang in gangs.items():
            entries = captives.entries_for(terms, party, gang.book, gang.roster)
            writer.append(gang, entries, expected_version=gang.version, actor=actor, batch=batch)
        campaigns_notices.bargain_answered(bargain, agreed=True, actor=actor)


def decline(bargain: Bargain, *, actor: User) -> None:
    """Decline an offer. Raises Stale if it was answered meanwhile."""
    with transaction.atomic():
        _close(bargain, Bargain.Status.DECLINED, actor)
        campaigns_notices.bargain_answered(bargain, agreed=False, actor=actor)


def withdraw(bargain: Bargain, *, actor: User) -> None:
    """Take an offer back. Raises Stale if it was answered meanwhile."""
    _close(bargain, Bargain.Status.WITHDRAWN, actor)


def release(
    campaign: Campaign, gang: Gang, member: int, *, actor: User, expected_version: int
) -> None:
    """Free a member without a ransom, after their captors have left the campaign. Raises Refusal if
    there is a captor to bargain with, and Stale as ``ledger.append``.
    """
    held = {who.captive.member.id: who for who in prisoners(campaign) if who.gang == gang}
    if member not in held:
        raise Refusal("not_held")
    if held[member].captors:
        raise Refusal("captors_there")
    _check_settled(campaign, gang)
    condition = held[member].captive.affliction.condition
    freed = Recovered(member=member, condition=condition)
    with transaction.atomic():
        lock(campaign)
        writer.append(gang, [freed], expected_version=expected_version, actor=actor)


def standing(campaign: Campaign) -> list[Bargain]:
    """The bargains of a campaign, newest first, each with ``stands``: whether its entries are still
    in a ledger."""
    entries = StoredEntry.objects.filter(batch=OuterRef("batch"), struck=None)
    bargains = campaign.bargains.select_related("giver__owner", "taker__owner")
    return list(
        bargains.select_related("proposed_by", "decided_by").annotate(stands=Exists(entries))
    )


def _close(bargain: Bargain, status: str, actor: User, *, batch: uuid.UUID | None = None) -> None:
    """Answer an open offer. The update is the lock. Raises Stale if it is answered already."""
    waiting = Bargain.objects.filter(pk=bargain.pk, status=Bargain.Status.OPEN)
    answered = waiting.update(
        status=status, decided_by=actor, decided_at=timezone.now(), batch=batch
    )
    if not answered:
        raise Stale


def _lock_gangs(bargain: Bargain) -> dict[Party, Gang]:
    """Both gangs as they are now, locked until the transaction ends. Raises Refusal if one has left
    or cannot be changed now."""
    pair = [key for key in (bargain.giver_id, bargain.taker_id) if key is not None]
    held = Gang.objects.select_for_update(of=("self",), no_key=True).filter(
        pk__in=pair,
        memberships__campaign=bargain.campaign_id,
        memberships__left_at=None,
        memberships__retired_at=None,
    )
    gangs = {gang.pk: gang for gang in held.order_by("pk")}
    if bargain.giver_id not in gangs or bargain.taker_id not in gangs:
        raise Refusal("gone")
    for gang in gangs.values():
        _check_settled(bargain.campaign, gang)
    return {"giver": gangs[bargain.giver_id], "taker": gangs[bargain.taker_id]}


def _check_settled(campaign: Campaign, gang: Gang) -> None:
    if find_unsettled(gang) is not None:
        raise Refusal("games_unsettled", gangs=name_here(campaign, gang))
