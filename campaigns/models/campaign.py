"""Campaigns, their participants and their gangs."""

from __future__ import annotations

import secrets
import uuid
from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Subquery
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from campaigns.engine.how import ClubResults
from campaigns.engine.league.standings_rules import BY_THE_BOOK, StandingsRules
from campaigns.stored import sound
from gangs.models import ArrivedManager, Gang, newest_version
from rules.book.model import Book, Rules
from rules.library import book_of
from rules.models import BookVersion

if TYPE_CHECKING:
    from accounts.models import User


def invite_key() -> str:
    """Make an unguessable key for the links that invite players and spectators."""
    return secrets.token_urlsafe(16)


def somebody(**options: Any) -> models.ForeignKey[User | None, User | None]:
    """A field for the user who did something; null after their account is deleted."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", **options
    )


def has_seat(user: User, *roles: str) -> Exists:
    """A condition for a query of campaigns: the user takes part, in one of ``roles`` if given."""
    seats = Participant.objects.filter(campaign=OuterRef("pk"), user=user)
    return Exists(seats.filter(role__in=roles) if roles else seats)


def has_seat_of_campaign(user: User) -> Exists:
    """A condition for a query of a campaign's rows: the user takes part in that campaign."""
    return Exists(Participant.objects.filter(campaign=OuterRef("campaign"), user=user))


class CampaignQuerySet(models.QuerySet["Campaign"]):
    """Queries for the campaigns that a user may see or run."""

    def visible_to(self, user: User) -> CampaignQuerySet:
        """Campaigns that the user takes part in, in any role."""
        return self.filter(has_seat(user))

    def organised_by(self, user: User) -> CampaignQuerySet:
        """Campaigns that the user runs."""
        return self.filter(has_seat(user, Participant.Role.ORGANISER))

    def with_seats(self) -> CampaignQuerySet:
        """Prefetch ``Campaign.seats``."""
        return self.prefetch_related("participants")

    def open(self) -> CampaignQuerySet:
        """Campaigns that are not archived."""
        return self.filter(archived_at=None)

    def shown(self) -> CampaignQuerySet:
        """Campaigns that their links open: administrators do not hide them."""
        return self.filter(hidden_why="")

    def with_newest(self) -> CampaignQuerySet:
        """Annotate each for ``Campaign.newer``."""
        return self.annotate(newest=newest_version())


class Campaign(models.Model):
    """A campaign: a rulebook with its options chosen, and the people who take part.

    ``invite_key`` lets players join, as far as ``joining`` allows; ``legal_only``: only gangs that
    keep to the rules, with at least ``least_members``. ``watch_key`` lets anybody watch and is in
    the addresses of the feeds. ``odds_at_table``: players see odds while they play; ``dice_stand``:
    nobody undoes dice that the application threw at a table. ``previous``: the season before;
    ``season_key``: stays with a season through files (null: as ``season_key_of``), and
    ``previous_key`` is that of the season before it in the file it came from;
    ``table``: the club's ``StandingsRules``; ``special_results``: its ``ClubResults``; both are
    empty for the defaults.
    ``version`` counts changes to the contents of its settings page, so that a stale page is
    noticed. ``hidden_why``: the reason why administrators hide it from everybody who does not take
    part. ``imported_at``: when it was imported as a file; ``arriving_at``: when an import that is
    still running began (only ``everything`` finds it).
    """

    class Joining(models.TextChoices):
        """The people who may join by the link for players."""

        OPEN = "open", _("Anyone who has the link")
        APPROVAL = "approval", _("Anyone who has the link, once an organiser agrees")
        CLOSED = "closed", _("Only people invited by name or address")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=80)
    book_version = models.ForeignKey(BookVersion, models.PROTECT, related_name="campaigns")
    settings = models.JSONField(default=dict)
    table = models.JSONField(default=dict)
    # Before the field ``invite_key``, which hides the function of the same name.
    watch_key = models.CharField(max_length=32, unique=True, default=invite_key)
    invite_key = models.CharField(max_length=32, unique=True, default=invite_key)
    notes = models.TextField(max_length=4000, blank=True)
    previous = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="next_seasons"
    )
    season_key = models.UUIDField(null=True, blank=True, editable=False)
    previous_key = models.UUIDField(null=True, blank=True, editable=False)
    joining = models.CharField(max_length=10, choices=Joining.choices, default=Joining.OPEN)
    legal_only = models.BooleanField(default=False)
    least_members = models.PositiveSmallIntegerField(default=0)
    odds_at_table = models.BooleanField(default=True)
    dice_stand = models.BooleanField(default=False)
    special_results = models.JSONField(default=dict, blank=True)
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    version = models.IntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    archived_at = models.DateTimeField(null=True, blank=True)
    hidden_why = models.CharField(max_length=300, blank=True)
    imported_at = models.DateTimeField(null=True, blank=True)
    arriving_at = models.DateTimeField(null=True, blank=True)

    objects = ArrivedManager.from_queryset(CampaignQuerySet)()
    everything = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        # The order of the administrators' list.
        indexes = [models.Index(fields=["-created_at", "-id"], name="campaign_created")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The campaign's page."""
        return reverse("campaigns:campaign", args=[self.pk])

    @property
    def book(self) -> Book:
        """The version of the rulebook that the campaign is pinned to."""
        return book_of(self.book_version_id)

    @property
    def rules(self) -> Rules:
        """The rules in force under the campaign's options."""
        return self.book.under(self.settings)

    @property
    def standings_rules(self) -> StandingsRules:
        """The club's rules for the standings; the rulebook's if the stored ones are unreadable."""
        return sound(StandingsRules, self, "table") or BY_THE_BOOK

    @property
    def club_results(self) -> ClubResults:
        """The club's rules for results that the rulebook does not have."""
        return sound(ClubResults, self, "special_results") or ClubResults()

    @property
    def season_key_of(self) -> uuid.UUID:
        """The key of the season in files. It does not reveal the campaign's own key."""
        return self.season_key or uuid.uuid5(self.pk, "season")

    @property
    def newer(self) -> str:
        """The newest version of the campaign's rulebook; "" if the campaign is pinned to it. Only
        after ``with_newest``."""
        newest = getattr(self, "newest", None)
        return newest if newest and newest != self.book_version_id else ""

    @cached_property
    def seats(self) -> list[Participant]:
        """All participants with their users. One query, made once."""
        return list(self.participants.all())

    @property
    def organisers(self) -> list[User]:
        """The users who run the campaign."""
        organising = Participant.Role.ORGANISER
        return [seat.user for seat in self.seats if seat.role == organising]

    @property
    def run_by(self) -> str:
        """The names of the organisers."""
        return ", ".join(map(str, self.organisers))

    def is_run_by(self, user: User) -> bool:
        """Whether the user is one of the organisers."""
        return user in self.organisers

    def role_of(self, user: User) -> str:
        """The user's role in the campaign; "" if they do not take part."""
        return next((seat.role for seat in self.seats if seat.user_id == user.pk), "")

    def take_part(self, user: User) -> None:
        """Make the user a player. An organiser stays one; a spectator becomes a player."""
        seat, _created = self.participants.get_or_create(
            user=user, defaults={"role": Participant.Role.PLAYER}
        )
        if seat.role == Participant.Role.SPECTATOR:
            seat.role = Participant.Role.PLAYER
            seat.save(update_fields=["role"])
        self.__dict__.pop("seats", None)


class SeatManager(models.Manager["Participant"]):
    """Reads participants together with their users."""

    def get_queryset(self) -> models.QuerySet[Participant]:
        """Participants with their users."""
        return super().get_queryset().select_related("user")


class Participant(models.Model):
    """A user who takes part in a campaign. Players own its gangs, or will get one."""

    class Role(models.TextChoices):
        """A participant's role. An organiser may play, too."""

        ORGANISER = "organiser", _("Organiser")
        PLAYER = "player", _("Player")
        SPECTATOR = "spectator", _("Spectator")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="participants")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="participations"
    )
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.PLAYER)
    joined_at = models.DateTimeField(default=timezone.now)

    objects = SeatManager()

    class Meta:
        ordering = ["joined_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "user"], name="participant_once"),
        ]

    def __str__(self) -> str:
        return str(self.user)


class MembershipQuerySet(models.QuerySet["Membership"]):
    """Queries for the gangs of campaigns."""

    def playing(self) -> MembershipQuerySet:
        """Gangs that have neither left their campaign nor retired."""
        return self.filter(left_at=None, retired_at=None)

    def keep_players(self) -> None:
        """Remember who owns these gangs now, except accounts that stand for people of another site:
        an organiser may hand their gangs to those people's accounts later. One query."""
        owners = Gang.objects.filter(pk=OuterRef("gang")).values("owner")[:1]
        owned = self.filter(gang__owner__isnull=False, gang__owner__stands_for="")
        owned.update(player=Subquery(owners))


class Membership(models.Model):
    """A gang in a campaign; an entry in the gang's own ledger records the same.

    ``left_at``: when the gang left after playing; its games and this row stay. ``retired_at``: when
    it stopped playing without leaving: it is no longer paired, and may come back. ``player``: its
    owner when the campaign ended, or when the gang left it or lost its owner: the past of a gang
    that changes hands later stays theirs.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="memberships")
    gang = models.ForeignKey(Gang, models.CASCADE, related_name="memberships")
    joined_at = models.DateTimeField(default=timezone.now)
    left_at = models.DateTimeField(null=True, blank=True)
    retired_at = models.DateTimeField(null=True, blank=True)
    player = somebody(blank=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        ordering = ["joined_at"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "gang"], name="membership_once"),
        ]

    def __str__(self) -> str:
        return f"{self.gang} in {self.campaign}"

    @property
    def played_by(self) -> int | None:
        """The primary key of the user whose result this is; None if nobody knows. Reads the gang
        and the campaign."""
        if self.campaign.archived_at is None and self.left_at is None:
            return self.gang.owner_id or self.player_id
        return self.player_id or self.gang.owner_id


class CampaignUpgrade(models.Model):
    """A change of a campaign and all its gangs to another version of the rules.

    ``settings_before``: the campaign's options before it; ``batch``: the batch in every gang's
    ledger; ``undone_at``: when it was taken back.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="upgrades")
    before = models.ForeignKey(BookVersion, models.PROTECT, related_name="+")
    after = models.ForeignKey(BookVersion, models.PROTECT, related_name="+")
    settings_before = models.JSONField(default=dict)
    batch = models.UUIDField(default=uuid.uuid4, editable=False)
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    actor = somebody()
    at = models.DateTimeField(default=timezone.now)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"upgrade of {self.at:%Y-%m-%d %H:%M}"
