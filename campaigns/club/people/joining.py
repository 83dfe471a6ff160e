"""A campaign's settings, and joining and leaving it. Joining is an entry in the gang's ledger.

A gang joins and leaves under two locks: the campaign's row is taken first, then the gang's. The
results of a gang that has played stay when it leaves.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NotRequired, TypedDict, Unpack

from django.db import transaction
from django.utils import timezone

from accounts import quotas
from accounts.language import rules_language
from accounts.models import User
from campaigns import fixtures as campaign_fixtures
from campaigns import notices as campaigns_notices
from campaigns.locking import count_change, lock
from campaigns.models import (
    PENDING,
    Campaign,
    Game,
    JoinRequest,
    Membership,
    Participant,
    Side,
    SideQuerySet,
)
from campaigns.text import name_here, names_here
from common.errors import Refusal, Stale
from common.locking import update_if
from gangs.engine.entries import Joined
from gangs.engine.fold import apply
from gangs.engine.validation import Finding, findings
from gangs.ledger import writer
from gangs.models import NOT_SHARED, UNMARKED, Gang
from rules.book.vocabulary import Settings
from rules.library import book_of
from rules.models import BookVersion


class Details(TypedDict):
    """A campaign's name, notes and options; whether players see odds at the table, whether nobody
    may undo dice, who may join, and with which gangs."""

    name: str
    notes: str
    settings: Settings
    odds_at_table: NotRequired[bool]
    dice_stand: NotRequired[bool]
    joining: NotRequired[str]
    legal_only: NotRequired[bool]
    least_members: NotRequired[int]


def start(
    *, version: BookVersion, organiser: User, token: uuid.UUID, **details: Unpack[Details]
) -> Campaign:
    """Start a campaign. A form that arrives twice starts it once. Raises QuotaFull."""
    book = book_of(version.pk)
    settings = book.campaign_settings(book.default_settings() | details["settings"])
    with quotas.turn(organiser):
        if not Campaign.objects.filter(token=token).exists():
            quotas.check(organiser, "campaigns")
        campaign, created = Campaign.objects.get_or_create(
            token=token, defaults={**details, "book_version": version, "settings": settings}
        )
        if created:
            campaign.participants.create(user=organiser, role=Participant.Role.ORGANISER)
    return campaign


def may_play_alone(gang: Gang) -> bool:
    """Whether the gang's player may start a campaign for it alone: its game has gangs that play
    alone, and it plays in no campaign. At most one query."""
    if gang.book.who_plays.fewest > 1 or gang.archived_at is not None:
        return False
    return not Membership.objects.playing().filter(gang=gang, campaign__archived_at=None).exists()


def play_alone(gang: Gang, *, actor: User) -> Campaign:
    """Start a campaign for a gang alone, which its player runs, by the gang's rules and options. A
    press that arrives twice starts one. Raises Refusal, QuotaFull, and Stale."""
    with transaction.atomic():
        campaign = start(
            name=gang.name,
            version=gang.book_version,
            settings=dict(gang.roster.settings),
            notes="",
            organiser=actor,
            token=uuid.uuid5(gang.pk, f"alone {gang.last_seq}"),
        )
        join(campaign, gang, actor=actor, expected_version=gang.version)
    return campaign


def change(campaign: Campaign, *, expected_version: int, **details: Unpack[Details]) -> None:
    """Change the campaign's details. Its options cannot change once a gang has joined.

    Raises Stale if the campaign has changed, or a gang has joined, since it was seen.
    """
    with transaction.atomic():
        update_if(Campaign, campaign.pk, expected_version)
        if campaign.memberships.exists():
            details["settings"] = campaign.settings
        for name, value in details.items():
            setattr(campaign, name, value)
        campaign.save(update_fields=details.keys())


def archive(campaign: Campaign) -> None:
    """Close the campaign. Its gangs may then join others."""
    with transaction.atomic():
        if Campaign.objects.open().filter(pk=campaign.pk).update(archived_at=timezone.now()):
            campaign.memberships.filter(left_at=None).keep_players()


def reopen(campaign: Campaign) -> None:
    """Reopen the campaign. Raises Refusal if one of its gangs has joined another campaign, or
    changed its rules, since it was closed."""
    with transaction.atomic():
        Campaign.objects.filter(pk=campaign.pk).update(archived_at=None)
        # Gangs archived meanwhile, since the campaign was over.
        stopped = campaign.memberships.playing().exclude(gang__archived_at=None)
        for row in stopped.select_related("gang"):
            campaign_fixtures.leave_stages(campaign, row.gang)
        stopped.update(retired_at=timezone.now())
        own = Gang.objects.select_for_update(of=("self",), no_key=True).filter(
            memberships__campaign=campaign, memberships__left_at=None
        )
        keys = list(own.values_list("pk", flat=True))
        others = Membership.objects.filter(gang__in=keys, campaign__archived_at=None, left_at=None)
        moved = set(others.exclude(campaign=campaign).values_list("gang", flat=True))
        if moved:
            raise Refusal("gangs_moved_on", gangs=_named(campaign, moved))
        changed = own.exclude(book_version=campaign.book_version_id).values_list("pk", flat=True)
        if changed:
            raise Refusal("other_rules_since", gangs=_named(campaign, changed))


def _named(campaign: Campaign, keys: Iterable[uuid.UUID]) -> str:
    """Return the names of these gangs of the campaign for a sentence."""
    names = names_here(campaign)
    return ", ".join(sorted(names[key] for key in keys))


def why_not(
    campaign: Campaign, gang: Gang, memberships: Iterable[Membership] | None = None
) -> Refusal | None:
    """The reason why a gang cannot join, or None. Reads its book version and, unless they are given
    as ``memberships``, its memberships with their campaigns. ``check_conditions`` has the
    organisers' own conditions.

    A gang plays in one campaign at a time: it may join another once it has left, or the campaign
    is archived. It may join the same campaign again after leaving, or after its owner took the
    entry back in its history.
    """
    if campaign.archived_at is not None:
        return Refusal("campaign_archived")
    if gang.archived_at is not None:
        return Refusal("gang_archived")
    if gang.book_version.slug != campaign.book_version.slug:
        return Refusal("other_game")
    if gang.book_version_id != campaign.book_version_id:
        return Refusal("other_version")
    if memberships is None:
        memberships = gang.memberships.all()
    joined = {membership.campaign for membership in memberships if membership.left_at is None}
    if any(other.archived_at is None for other in joined - {campaign}):
        return Refusal("in_another_campaign")
    if campaign in joined and str(campaign.pk) in gang.roster.campaigns:
        return Refusal("joined_already")
    return None


def entry_of(campaign: Campaign) -> Joined:
    """The ledger entry of a gang that joins: the campaign and its options."""
    shared = campaign.book.campaign_settings(campaign.settings)
    return Joined(campaign=str(campaign.pk), name=campaign.name, settings=shared)


def mistakes(campaign: Campaign, gang: Gang) -> list[Finding]:
    """The errors that the gang would have under the campaign's options."""
    joined = apply(campaign.book, gang.roster, gang.last_seq + 1, entry_of(campaign))
    return [finding for finding in findings(campaign.book, joined) if finding.severity == "error"]


def describe_mistakes(found: Iterable[Finding]) -> list[str]:
    """The sentences of a gang's ``mistakes``."""
    return [finding.translated(rules_language()) for finding in found]


def check_conditions(
    campaign: Campaign, gang: Gang, found: Sequence[Finding] | None = None
) -> Refusal | None:
    """The reason why the organisers' conditions keep a gang out, or None. ``found``: the gang's
    ``mistakes``, if they are known."""
    if gang.size < campaign.least_members:
        return Refusal("too_few_members", minimum=campaign.least_members)
    if campaign.legal_only and (mistakes(campaign, gang) if found is None else found):
        return Refusal("gang_breaks_rules")
    return None


def has_played_elsewhere(gang: Gang) -> bool:
    """Whether the gang came as a file and has played before, so that nobody here saw its games."""
    return gang.imported_at is not None and gang.roster.playing


def lock_newcomer(campaign: Campaign, gang: Gang, *, plays_on: bool = False) -> None:
    """Lock the campaign and the gang, in this order, and read them. Raises Refusal if the gang
    cannot join. ``plays_on``: an organiser carries it over from the last season, so that the
    conditions for newcomers do not count."""
    count_change(campaign)
    settings = ("name", "settings", "book_version", "archived_at")
    campaign.refresh_from_db(fields=[*settings, "joining", "legal_only", "least_members"])
    try:
        gang.refresh_from_db(
            fields=["version", "last_seq", "snapshot", "size", "book_version", "archived_at"],
            from_queryset=Gang.objects.select_for_update(no_key=True),
        )
    except Gang.DoesNotExist:
        raise Refusal("gone") from None
    memberships = Membership.objects.filter(gang=gang).select_related("campaign")
    refusal = why_not(campaign, gang, memberships)
    if refusal is None and not plays_on:
        refusal = check_conditions(campaign, gang)
    if refusal is not None:
        raise refusal


def join(
    campaign: Campaign, gang: Gang, *, actor: User, expected_version: int, plays_on: bool = False
) -> None:
    """Let a gang join, and notify the organisers. The caller knows that ``actor`` may let it in.
    ``plays_on``: as in ``lock_newcomer``. Raises Refusal, and Stale if the gang has changed
    meanwhile."""
    with transaction.atomic():
        lock_newcomer(campaign, gang, plays_on=plays_on)
        writer.append(gang, [entry_of(campaign)], expected_version=expected_version, actor=actor)
        fresh = {"left_at": None, "retired_at": None, "joined_at": timezone.now()}
        Membership.objects.update_or_create(campaign=campaign, gang=gang, defaults=fresh)
        JoinRequest.objects.filter(campaign=campaign, gang=gang).delete()
        if gang.owner is not None:
            campaign.take_part(gang.owner)
        campaigns_notices.gang_joined(gang, campaign, actor=actor)


def has_games(campaign: Campaign, gang: Gang) -> bool:
    """Whether the gang has a game in the campaign. Planned games count."""
    return Side.objects.filter(game__campaign=campaign, gang=gang).exists()


def leave(campaign: Campaign, gang: Gang, *, actor: User) -> None:
    """Take a gang out of the campaign, and strike its entry. Raises Refusal if the gang has a game
    here."""
    with transaction.atomic():
        count_change(campaign)
        if has_games(campaign, gang):
            raise Refusal("has_games")
        campaign_fixtures.leave_stages(campaign, gang)
        Membership.objects.filter(campaign=campaign, gang=gang).delete()
        joined = gang.entries.live().filter(kind="joined", data__campaign=str(campaign.pk)).last()
        if joined is not None:
            writer.strike(
                gang,
                joined.batch,
                expected_version=gang.version,
                actor=actor,
                with_misfits=True,
                leaving=True,
            )


def open_sides(gang: Gang) -> SideQuerySet:
    """The gang's sides in games that are not settled, post-games included."""
    return Side.objects.undone().filter(gang=gang).exclude(game__status=Game.Status.STRUCK)


def part(
    campaign: Campaign,
    gang: Gang,
    *,
    behind: bool,
    despite_postgames: bool = False,
    actor: User,
) -> None:
    """Let the gang leave with its owner, free for another campaign: its results and its line in the
    standings stay. Or leave it ``behind`` without an owner: an organiser may hand it over. A gang
    without games here simply leaves, as with ``leave``.

    Raises Refusal if the gang cannot leave, since one of its games here is not settled.
    ``despite_postgames``: it may leave with a post-game to be played, which stays open for it.
    """
    with transaction.atomic():
        count_change(campaign)
        if not has_games(campaign, gang):
            leave(campaign, gang, actor=actor)
        elif behind:
            keep(gang)
            campaigns_notices.gang_left_behind(gang, campaign, actor=actor)
        elif _is_kept(campaign, gang, despite_postgames=despite_postgames):
            raise Refusal("games_open", gang=name_here(campaign, gang))
        else:
            campaign_fixtures.leave_stages(campaign, gang)
            staying = Membership.objects.filter(campaign=campaign, gang=gang, left_at=None)
            staying.keep_players()
            staying.update(left_at=timezone.now())


def _is_kept(campaign: Campaign, gang: Gang, *, despite_postgames: bool) -> bool:
    """Whether a game that is not settled keeps the gang in the campaign."""
    sides = open_sides(gang).filter(game__campaign=campaign)
    return (sides.filter(game__status__in=PENDING) if despite_postgames else sides).exists()


def open_games_of(campaign: Campaign) -> Counter[int]:
    """The number of games that each player has still to finish, post-games included, by the
    player's primary key. One query."""
    sides = Side.objects.undone().filter(game__campaign=campaign, gang__owner__isnull=False)
    rows = sides.exclude(game__status=Game.Status.STRUCK).order_by()
    return Counter(owner for owner, _game in set(rows.values_list("gang__owner", "game")))


def retire(campaign: Campaign, gang: Gang, *, actor: User) -> None:
    """Let a gang stop playing: its history stays, and it is neither paired nor asked about nights.
    A second press changes nothing. Raises Refusal if the campaign is over."""
    with transaction.atomic():
        lock(campaign)
        playing = campaign.memberships.playing().filter(gang=gang)
        if playing.update(retired_at=timezone.now()):
            count_change(campaign)
            campaign_fixtures.leave_stages(campaign, gang)
            games = open_sides(gang).filter(game__campaign=campaign).count()
            campaigns_notices.gang_retired(gang, campaign, games, actor=actor)


def bring_back(campaign: Campaign, gang: Gang, *, actor: User) -> None:
    """Let a retired gang play again. A second press changes nothing. Raises Refusal if the campaign
    is over, or the gang is archived or deleted."""
    with transaction.atomic():
        lock(campaign)
        if _lock_gang(gang).archived_at is not None:
            raise Refusal("gang_archived")
        retired = campaign.memberships.filter(gang=gang, left_at=None).exclude(retired_at=None)
        if retired.update(retired_at=None):
            count_change(campaign)
            campaigns_notices.gang_returned(gang, campaign, actor=actor)


def _lock_gang(gang: Gang) -> Gang:
    """Lock the gang's row, and return it with its owner. Raises Refusal if it is deleted."""
    locked = Gang.objects.select_for_update(of=("self",), no_key=True)
    found = locked.select_related("owner").filter(pk=gang.pk).first()
    if found is None:
        raise Refusal("gone")
    return found


def keep(gang: Gang) -> None:
    """Take the gang from its owner, and keep it for the campaigns that it has played in. Its sheet
    is no longer shared, and it no longer asks to join others."""
    JoinRequest.objects.filter(gang=gang).delete()
    Membership.objects.filter(gang=gang, left_at=None, campaign__archived_at=None).keep_players()
    left = {**NOT_SHARED, **UNMARKED}
    Gang.objects.filter(pk=gang.pk).update(owner=None, kept_at=timezone.now(), **left)


def hand_over(
    campaign: Campaign, gang: Gang, to: User, *, expected_owner: int | None, actor: User
) -> None:
    """Give the gang to another owner.

    ``expected_owner``: the primary key of the owner that the organiser saw, None for no owner. A
    form that arrives twice changes nothing more. Raises Stale if the gang has another owner by now,
    Refusal if the gang is deleted or does not play here, or the new owner does not take part.
    """
    with transaction.atomic():
        count_change(campaign)
        if not campaign.memberships.filter(gang=gang, left_at=None).exists():
            raise Refusal("gang_not_here")
        if not campaign.participants.filter(user=to).exists():
            raise Refusal("not_taking_part")
        held = _lock_gang(gang)
        before = held.owner
        if before == to:
            return
        if held.owner_id != expected_owner:
            raise Stale
        owned = {"owner": to, "kept_at": None, "archived_at": None, **UNMARKED}
        Gang.objects.filter(pk=gang.pk).update(**owned)
        campaign.memberships.filter(gang=gang).update(retired_at=None)
        campaign.take_part(to)
        campaigns_notices.gang_handed_over(held, campaign, before=before, after=to, actor=actor)


def played_gangs(campaign: Campaign, user: User) -> tuple[list[Gang], list[Gang]]:
    """The user's gangs in the campaign, as two lists: gangs with games there, and gangs without."""
    here = Gang.objects.filter(memberships__campaign=campaign, memberships__left_at=None)
    gangs = here.filter(owner=user).order_by("pk")
    played = set(Side.objects.filter(game__campaign=campaign).values_list("gang", flat=True))
    with_games = [gang for gang in gangs if gang.pk in played]
    return with_games, [gang for gang in gangs if gang.pk not in played]
