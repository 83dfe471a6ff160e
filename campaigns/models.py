"""Campaigns, who plays in them, their games, and what each side said and did about a game."""

from __future__ import annotations

import secrets
import uuid
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from campaigns.situation import Answers, Report, SideKind
from gangs.models import Gang, PointsField, StoredEntry, newest_version
from rules.book import Book
from rules.dice import Roll
from rules.library import book_of
from rules.models import BookVersion

if TYPE_CHECKING:
    from accounts.models import User


def invite_key() -> str:
    """A key that nobody guesses, for the link that invites players."""
    return secrets.token_urlsafe(16)


class CampaignQuerySet(models.QuerySet["Campaign"]):
    """Finding campaigns, by who may see and who may run them."""

    def visible_to(self, user: User) -> CampaignQuerySet:
        """Campaigns that the user runs, or that one of his gangs is in."""
        playing = Membership.objects.filter(campaign=OuterRef("pk"), gang__owner=user)
        return self.filter(Q(organiser=user) | Exists(playing))

    def organised_by(self, user: User) -> CampaignQuerySet:
        """Campaigns that the user runs."""
        return self.filter(organiser=user)

    def open(self) -> CampaignQuerySet:
        """Campaigns that are not archived."""
        return self.filter(archived_at=None)

    def with_newest(self) -> CampaignQuerySet:
        """Each ready for ``Campaign.newer``."""
        return self.annotate(newest=newest_version())


class Campaign(models.Model):
    """A campaign: a rulebook with its options chosen, and an organiser.

    ``version`` counts changes of what its settings page shows, so that a stale page is noticed.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=80)
    organiser = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="campaigns"
    )
    book_version = models.ForeignKey(BookVersion, models.PROTECT, related_name="campaigns")
    settings = models.JSONField(default=dict)
    invite_key = models.CharField(max_length=32, unique=True, default=invite_key)
    notes = models.TextField(max_length=4000, blank=True)
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    version = models.IntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, blank=True)

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

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
    def newer(self) -> str:
        """The newest version of the rules that the campaign goes by; "" if that is the one it is
        pinned to. Only after ``with_newest``."""
        newest = getattr(self, "newest", None)
        return newest if newest and newest != self.book_version_id else ""


class Membership(models.Model):
    """A gang in a campaign. The gang's own ledger says the same with an entry."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="memberships")
    gang = models.ForeignKey(Gang, models.CASCADE, related_name="memberships")
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["joined_at"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "gang"], name="membership_once"),
        ]

    def __str__(self) -> str:
        return f"{self.gang} in {self.campaign}"


class CampaignUpgrade(models.Model):
    """The organiser put a campaign and all its gangs on another version of the rules.

    ``settings_before``: the campaign's options then; ``batch``: the ledger's batch, the
    same in every gang; ``undone_at``: when it was taken back, if it was.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="upgrades")
    before = models.ForeignKey(BookVersion, models.PROTECT, related_name="+")
    after = models.ForeignKey(BookVersion, models.PROTECT, related_name="+")
    settings_before = models.JSONField(default=dict)
    batch = models.UUIDField(default=uuid.uuid4, editable=False)
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"upgrade of {self.at:%Y-%m-%d %H:%M}"


class GameQuerySet(models.QuerySet["Game"]):
    """Finding games."""

    def visible_to(self, user: User) -> GameQuerySet:
        """The games of campaigns that the user may see."""
        return self.filter(campaign__in=Campaign.objects.visible_to(user))


class Game(models.Model):
    """A game: planned, then reported by one player, then agreed on by the others.

    ``scenario_roll``: the dice that chose the scenario, if dice did. ``version`` counts changes,
    so that nobody confirms what he has not seen.
    """

    class Status(models.TextChoices):
        """How far the game's result has come."""

        PLANNED = "planned", _("To be played")
        REPORTED = "reported", _("Waiting for confirmation")
        DISPUTED = "disputed", _("Disputed")
        CONFIRMED = "confirmed", _("Confirmed")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="games")
    played_on = models.DateField()
    scenario = models.CharField(max_length=40, blank=True)
    scenario_roll = models.JSONField(null=True, blank=True)
    result = models.CharField(max_length=40, blank=True)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PLANNED)
    note = models.TextField(max_length=2000, blank=True)
    reported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    version = models.IntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = GameQuerySet.as_manager()

    class Meta:
        ordering = ["-played_on", "-created_at"]
        indexes = [models.Index(fields=["campaign", "-played_on", "-created_at"])]
        constraints = [
            models.CheckConstraint(
                condition=Q(status="planned") | ~Q(result=""), name="game_reported_has_result"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["planned", "reported", "disputed", "confirmed"]),
                name="game_status",
            ),
        ]

    def __str__(self) -> str:
        return f"game of {self.played_on:%Y-%m-%d}"

    def get_absolute_url(self) -> str:
        """The game's page."""
        return reverse("campaigns:game", args=[self.pk])

    @property
    def roll(self) -> Roll | None:
        """The roll for the scenario."""
        return Roll.model_validate(self.scenario_roll) if self.scenario_roll else None


def _standing() -> Exists:
    return Exists(
        StoredEntry.objects.filter(gang=OuterRef("gang"), batch=OuterRef("batch"), struck=None)
    )


class SideQuerySet(models.QuerySet["Side"]):
    """Finding sides."""

    def with_standing(self) -> SideQuerySet:
        """Each ready for ``Side.done``."""
        return self.annotate(standing=_standing())

    def done(self) -> SideQuerySet:
        """Sides whose post-game stands in the gang's ledger."""
        return self.filter(_standing())

    def undone(self) -> SideQuerySet:
        """Sides whose post-game is still to be done, or was taken back."""
        return self.filter(~_standing())


class Side(models.Model):
    """One gang in a game: what was reported of it, its player's verdict, its post-game.

    ``name`` outlives the gang. ``rating``: on the day of the report. ``draft``: the answers of the
    post-game so far, counted by ``draft_version``. ``batch``: the ledger's batch that committed
    it; striking that batch in the gang's history opens the post-game again.
    """

    class Kind(models.TextChoices):
        """How the side came out of the game."""

        WINNER = "winner", _("won")
        LOSER = "loser", _("lost")
        LEVEL = "level", _("level")

    class Verdict(models.TextChoices):
        """What the side's player says about the report."""

        CONFIRMED = "confirmed", _("confirmed")
        DISPUTED = "disputed", _("disputed")

    game = models.ForeignKey(Game, models.CASCADE, related_name="sides")
    gang = models.ForeignKey(Gang, models.SET_NULL, null=True, related_name="sides")
    name = models.CharField(max_length=80)
    side = models.CharField(max_length=6, choices=Kind.choices, default=Kind.LEVEL)
    report = models.JSONField(default=dict)
    rating = PointsField(default=0)
    verdict = models.CharField(max_length=10, choices=Verdict.choices, blank=True)
    verdict_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    comment = models.CharField(max_length=500, blank=True)
    draft = models.JSONField(default=dict)
    draft_version = models.IntegerField(default=0)
    batch = models.UUIDField(null=True, blank=True)

    objects = SideQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["game", "gang"], name="side_gang_once"),
            models.CheckConstraint(
                condition=Q(side__in=["winner", "loser", "level"]), name="side_kind"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def done(self) -> bool:
        """Whether the post-game stands in the gang's ledger. Only after ``with_standing``."""
        return bool(getattr(self, "standing"))  # noqa: B009 (no field, so mypy knows none)

    @property
    def kind(self) -> SideKind:
        """How the side came out of the game, as the post-game knows it."""
        match self.side:
            case "winner":
                return "winner"
            case "loser":
                return "loser"
        return "level"

    @property
    def told(self) -> Report:
        """The report as a value."""
        return Report.model_validate(self.report)

    @property
    def answers(self) -> Answers:
        """The draft as a value."""
        return Answers.model_validate(self.draft)

    def is_of(self, user: User) -> bool:
        """Whether the side is this user's. Reads ``gang``: select it."""
        return self.gang is not None and self.gang.owner_id == user.pk
