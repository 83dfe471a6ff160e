"""Stages of a league with their entrants, rounds and fixtures. Nights stay beside them."""

from __future__ import annotations

import uuid
from datetime import date
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy

from campaigns.engine.league.options import StageOptions
from campaigns.models.campaign import Campaign
from campaigns.models.games import Game
from campaigns.stored import sound
from gangs.models import Gang

if TYPE_CHECKING:
    from accounts.models import User


class Stage(models.Model):
    """A part of a league in one format, such as a Swiss with the knock-out after it.

    ``number``: its place among the campaign's stages; ``options``: as ``StageOptions``;
    ``source``: the stage whose best gangs play here; ``version`` counts changes of the stage and of
    its rounds and fixtures; ``ended_at``: when an organiser closed it.
    """

    class Format(models.TextChoices):
        """The way in which gangs meet."""

        LADDER = "ladder", gettext_lazy("Ladder")
        ROUND_ROBIN = "round-robin", gettext_lazy("Round robin")
        SWISS = "swiss", gettext_lazy("Swiss")
        KNOCK_OUT = "knock-out", gettext_lazy("Knock-out")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="stages")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=80)
    format = models.CharField(max_length=12, choices=Format.choices)
    options = models.JSONField(default=dict)
    source = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="+")
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    version = models.IntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["number", "created_at"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="stage_number_once"),
            models.CheckConstraint(
                condition=Q(format__in=["ladder", "round-robin", "swiss", "knock-out"]),
                name="stage_format",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The stage's page."""
        return reverse("campaigns:stage", args=[self.pk])

    @property
    def rules(self) -> StageOptions:
        """The options as a value; the default ones if the stored ones are unreadable."""
        return sound(StageOptions, self, "options") or StageOptions()


class Entrant(models.Model):
    """A gang in a stage. ``name`` outlives the gang; ``seed``: its place at the start, from 1;
    ``left_at``: when it stopped playing in this stage; ``is_annulled``: its results here count for
    nobody since then."""

    stage = models.ForeignKey(Stage, models.CASCADE, related_name="entrants")
    gang = models.ForeignKey(Gang, models.SET_NULL, null=True, related_name="+")
    name = models.CharField(max_length=80)
    seed = models.PositiveSmallIntegerField()
    joined_at = models.DateTimeField(default=timezone.now)
    left_at = models.DateTimeField(null=True, blank=True)
    is_annulled = models.BooleanField(default=False)

    class Meta:
        ordering = ["seed", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["stage", "gang"], name="entrant_once"),
        ]

    def __str__(self) -> str:
        return self.name


class Round(models.Model):
    """A round of a stage: the day it opens, the last day to play it, and its fixtures.

    ``announced_at``: when its players got the notice that it is open.
    """

    stage = models.ForeignKey(Stage, models.CASCADE, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    opens = models.DateField(default=timezone.localdate)
    due = models.DateField(null=True, blank=True)
    announced_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["number"]
        indexes = [
            models.Index(
                fields=["opens"], name="round_unannounced", condition=Q(announced_at=None)
            ),
            models.Index(fields=["due"], name="round_due", condition=Q(due__isnull=False)),
        ]
        constraints = [
            models.UniqueConstraint(fields=["stage", "number"], name="round_number_once"),
        ]

    def __str__(self) -> str:
        return f"round {self.number}"

    @property
    def is_open(self) -> bool:
        """Whether its games may be played."""
        return self.opens <= timezone.localdate()


class FixtureQuerySet(models.QuerySet["Fixture"]):
    """Queries for fixtures."""

    def unplayed(self) -> FixtureQuerySet:
        """Fixtures between two gangs whose game is still to be played or to be planned."""
        return self.filter(
            Q(game=None) | Q(game__status__in=["planned", "struck"]),
            called_off_at=None,
            home__isnull=False,
            away__isnull=False,
        )

    def of_open_rounds(self) -> FixtureQuerySet:
        """Fixtures of rounds that have begun, in stages and campaigns that have not ended."""
        return self.filter(
            round__opens__lte=timezone.localdate(),
            round__stage__ended_at=None,
            round__stage__campaign__archived_at=None,
        )


class Fixture(models.Model):
    """Two gangs that are to meet in a round, or one gang and nobody: a bye.

    ``home_name``, ``away_name`` outlive the gangs. ``home_from``, ``away_from``: the earlier
    fixture whose winner plays here, or whose loser does (``losers``), until it is known who that
    is. ``game``: the game that decides it. ``advances``: the gang that goes on, where an organiser
    decides that without a winner. ``due``: its own last day, if that was extended; ``reminded_at``:
    when its players were reminded of that day.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="fixtures")
    number = models.PositiveSmallIntegerField()
    home = models.ForeignKey(Gang, models.SET_NULL, null=True, related_name="+")
    away = models.ForeignKey(Gang, models.SET_NULL, null=True, related_name="+")
    home_name = models.CharField(max_length=80, blank=True)
    away_name = models.CharField(max_length=80, blank=True)
    home_from = models.ForeignKey("self", models.SET_NULL, null=True, related_name="+")
    away_from = models.ForeignKey("self", models.SET_NULL, null=True, related_name="+")
    losers = models.BooleanField(default=False)
    game = models.OneToOneField(Game, models.SET_NULL, null=True, related_name="fixture")
    advances = models.ForeignKey(Gang, models.SET_NULL, null=True, related_name="+")
    due = models.DateField(null=True, blank=True)
    reminded_at = models.DateTimeField(null=True, blank=True)
    called_off_at = models.DateTimeField(null=True, blank=True)

    objects = FixtureQuerySet.as_manager()

    class Meta:
        ordering = ["number", "pk"]
        indexes = [
            models.Index(fields=["due"], name="fixture_due", condition=Q(due__isnull=False)),
        ]
        constraints = [
            models.UniqueConstraint(fields=["round", "number"], name="fixture_number_once"),
        ]

    def __str__(self) -> str:
        return f"{self.home_name} – {self.away_name}" if self.away_name else self.home_name

    def get_absolute_url(self) -> str:
        """The fixture's page."""
        return reverse("campaigns:fixture", args=[self.pk])

    @property
    def table_number(self) -> int | None:
        """The number of the table at which it is played, in a stage whose rounds have no days of
        their own, as in a tournament of one day; None elsewhere.

        Rounds of a knock-out overlap: there a game is played at the first of the tables from which
        its gangs come, and the game for the third place at that of the second semi-final."""
        stage = self.round.stage
        if self.is_bye or stage.format == Stage.Format.LADDER or stage.rules.days:
            return None
        if stage.format != Stage.Format.KNOCK_OUT:
            return self.number
        rounds_before = max(self.round.number - 1 - self.losers, 0)
        return ((self.number - 1) << rounds_before) + 1

    @property
    def last_day(self) -> date | None:
        """The last day to play it; None if there is none."""
        return self.due or self.round.due

    @property
    def is_bye(self) -> bool:
        """Whether only one gang was ever meant to be in it."""
        return not self.away_name

    def is_of(self, user: User) -> bool:
        """Whether one of its gangs is the user's. Reads both gangs: select them."""
        return any(gang is not None and gang.is_owned_by(user) for gang in (self.home, self.away))
