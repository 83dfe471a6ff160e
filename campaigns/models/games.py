"""Nights and games, with their sides, claims, throws and bargains."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, cast

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from campaigns.engine.captives import Terms
from campaigns.engine.claims import ClaimData
from campaigns.engine.how import FOUGHT, Manner
from campaigns.engine.report import About, Answers, Report, SideKind
from campaigns.models.campaign import Campaign, Membership, somebody
from campaigns.models.seeds import LONGEST_WORD, Drawn, Seeded
from campaigns.stored import sound
from gangs.models import Gang, PointsField, StoredEntry
from rules.engine.dice import DiceRoll

if TYPE_CHECKING:
    from accounts.models import User


# The length of a night without an explicit end.
USUAL_LENGTH = timedelta(hours=3)


class Night(models.Model):
    """An evening on which gangs of a campaign meet. ``until``: its end, if an organiser set one;
    ``version`` counts changes."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="nights")
    starts_at = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True)
    place = models.CharField(max_length=120, blank=True)
    note = models.TextField(max_length=1000, blank=True)
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    version = models.IntegerField(default=0)
    cancelled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-starts_at"]
        indexes = [
            models.Index(fields=["campaign", "-starts_at"]),
            # The nights of the next days, on the whole site.
            models.Index(fields=["starts_at"], name="night_starts"),
        ]

    def __str__(self) -> str:
        return f"night of {self.starts_at:%Y-%m-%d}"

    def get_absolute_url(self) -> str:
        """The night's page."""
        return reverse("campaigns:night", args=[self.pk])

    @property
    def is_called_off(self) -> bool:
        """Whether the night does not take place: an organiser called it off, or archived the
        campaign before. Reads the campaign."""
        over = self.campaign.archived_at
        return self.cancelled_at is not None or (over is not None and over < self.starts_at)

    @property
    def ends_at(self) -> datetime:
        """The end set by an organiser, or else the usual one."""
        if self.until is not None and self.until > self.starts_at:
            return self.until
        return self.starts_at + USUAL_LENGTH


class Attendance(models.Model):
    """A gang's answer for a night, given by its player or an organiser (``by``)."""

    class Answer(models.TextChoices):
        """The possible answers."""

        YES = "yes", _("Going")
        MAYBE = "maybe", _("Maybe")
        NO = "no", _("Can’t")

    night = models.ForeignKey(Night, models.CASCADE, related_name="attendances")
    gang = models.ForeignKey(Gang, models.CASCADE, related_name="attendances")
    answer = models.CharField(max_length=5, choices=Answer.choices)
    by = somebody()
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["night", "gang"], name="attendance_once"),
        ]

    def __str__(self) -> str:
        return f"{self.gang}: {self.answer}"


# The ways in which a game comes to its result.
MANNERS = ["played", "walk-over", "no-show", "conceded", "void", "abandoned", "recorded"]
# A game whose table nobody has tapped for this long is no longer being played.
LIVE_FOR = timedelta(hours=12)


class GameQuerySet(models.QuerySet["Game"]):
    """Queries for games."""

    def visible_to(self, user: User) -> GameQuerySet:
        """Games of the campaigns that the user takes part in."""
        return self.filter(campaign__participants__user=user)

    def being_played(self) -> GameQuerySet:
        """Games with recent taps at their tables. ``Game.is_being_played`` is the same for one."""
        return self.filter(
            status=Game.Status.PLANNED,
            table__seq__gt=0,
            table__ended_at=None,
            table__changed_at__gte=timezone.now() - LIVE_FOR,
        )


class ResultsImport(models.Model):
    """An import of old results from a table. ``title``: the name of its file; ``digest``:
    identifies its content; ``gangs``: the keys of the gangs founded for it."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="results_imports")
    title = models.CharField(max_length=120, blank=True)
    digest = models.CharField(max_length=64)
    gangs = models.JSONField(default=list)
    by = somebody()
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"results of {self.at:%Y-%m-%d %H:%M}"


class Game(models.Model):
    """A game: planned, then reported by one player, then confirmed by the others.

    ``how``: whether it was played; ``result``: a result of the rulebook, "" if it has none for
    this. ``scenario_roll``: the dice that chose the scenario, if any. ``claim``: the claim in
    force; another side may have claimed something else. ``version`` counts changes, so that nobody
    confirms a report that they have not seen. ``struck_by``, ``struck_why``: who took the game
    back and why, with the post-games of all sides, as the ``occasion`` of its strikes. ``luck``:
    its ``GameLuck``, computed by ``campaigns.table.luck`` at ``luck_at``. ``brought_by``: the
    import that brought it as an old result: such a game has no post-game.
    """

    class Status(models.TextChoices):
        """The stages of a game's result."""

        PLANNED = "planned", _("To be played")
        REPORTED = "reported", _("Waiting for confirmation")
        DISPUTED = "disputed", _("Disputed")
        CONFIRMED = "confirmed", _("Confirmed")
        STRUCK = "struck", _("Undone")

    class How(models.TextChoices):
        """The ways in which a game comes to its result."""

        PLAYED = "played", _("Played as usual")
        WALK_OVER = "walk-over", _("Walk-over")
        NO_SHOW = "no-show", _("No-show")
        CONCEDED = "conceded", _("Conceded")
        VOID = "void", _("Void")
        ABANDONED = "abandoned", _("Abandoned")
        RECORDED = "recorded", _("Recorded result")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey("campaigns.Campaign", models.CASCADE, related_name="games")
    night = models.ForeignKey(
        "campaigns.Night", models.SET_NULL, null=True, blank=True, related_name="games"
    )
    played_on = models.DateField()
    scenario = models.CharField(max_length=40, blank=True)
    scenario_roll = models.JSONField(null=True, blank=True)
    result = models.CharField(max_length=40, blank=True)
    how = models.CharField(max_length=10, choices=How.choices, default=How.PLAYED)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PLANNED)
    note = models.TextField(max_length=2000, blank=True)
    reported_by = somebody()
    claim = models.ForeignKey(
        "campaigns.Claim", models.SET_NULL, null=True, blank=True, related_name="+"
    )
    struck_by = somebody(blank=True)
    struck_why = models.CharField(max_length=300, blank=True)
    occasion = models.UUIDField(null=True, blank=True)
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    version = models.IntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    luck = models.JSONField(default=dict)
    luck_at = models.DateTimeField(null=True, blank=True)
    brought_by = models.ForeignKey(
        "campaigns.ResultsImport", models.CASCADE, null=True, blank=True, related_name="games"
    )

    objects = GameQuerySet.as_manager()

    class Meta:
        ordering = ["-played_on", "-created_at"]
        indexes = [
            models.Index(fields=["campaign", "-played_on", "-created_at"]),
            # Games that still need their luck computed.
            models.Index(
                fields=["created_at"],
                name="game_luck_due",
                condition=Q(status="confirmed", luck_at=None),
            ),
            # Games whose day has passed without a report.
            models.Index(fields=["played_on"], name="game_planned", condition=Q(status="planned")),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status="planned") | ~Q(result="") | ~Q(how="played"),
                name="game_reported_has_result",
            ),
            models.CheckConstraint(condition=Q(how__in=MANNERS), name="game_how"),
            models.CheckConstraint(
                condition=Q(status__in=["planned", "reported", "disputed", "confirmed", "struck"]),
                name="game_status",
            ),
        ]

    def __str__(self) -> str:
        return f"game of {self.played_on:%Y-%m-%d}"

    def get_absolute_url(self) -> str:
        """The game's page."""
        return reverse("campaigns:game", args=[self.pk])

    @property
    def is_pending(self) -> bool:
        """Whether the game is still to be played or confirmed."""
        return self.status in PENDING

    @property
    def manner(self) -> Manner:
        """How the game came to its result, typed for the engine."""
        return cast(Manner, self.how)

    @property
    def has_result(self) -> bool:
        """Whether somebody has reported or decided how the game went."""
        return bool(self.result) or self.how != Game.How.PLAYED

    @property
    def is_fought(self) -> bool:
        """Whether the gangs fought, or are still to fight: only then a post-game follows."""
        return self.how in FOUGHT

    @property
    def has_postgame(self) -> bool:
        """Whether a post-game follows: the gangs fought, and not before the club came here."""
        return self.is_fought and self.brought_by_id is None

    @property
    def is_being_played(self) -> bool:
        """Whether the game's table has recent taps. Makes a query unless the table is loaded."""
        table = getattr(self, "table", None) if self.status == Game.Status.PLANNED else None
        if table is None or not table.seq or table.ended_at is not None:
            return False
        return bool(table.changed_at >= timezone.now() - LIVE_FOR)

    @property
    def roll(self) -> DiceRoll | None:
        """The roll for the scenario; None if there is none, or it is unreadable."""
        return sound(DiceRoll, self, "scenario_roll") if self.scenario_roll is not None else None


# The states of games that somebody has still to play or confirm.
PENDING = (Game.Status.PLANNED, Game.Status.REPORTED, Game.Status.DISPUTED)


def _namesake() -> Exists:
    """Whether another gang that is or was in the side's campaign has its name."""
    others = Membership.objects.filter(
        campaign=OuterRef("game__campaign"), gang__name=OuterRef("name")
    )
    return Exists(others.exclude(gang=OuterRef("gang")))


def _standing() -> Exists:
    return Exists(
        StoredEntry.objects.filter(gang=OuterRef("gang"), batch=OuterRef("batch"), struck=None)
    )


def _settled() -> Q:
    """Selects sides with nothing left to play: the post-game is done, or there is none."""
    return Q(_standing()) | ~_has_postgame()


def _has_postgame() -> Q:
    """Selects sides of games that a post-game follows, as ``Game.has_postgame``."""
    return Q(game__how__in=FOUGHT, game__brought_by=None)


class SideQuerySet(models.QuerySet["Side"]):
    """Queries for sides by the state of their post-games. A game without a battle has none."""

    def with_standing(self) -> SideQuerySet:
        """Annotate each for ``Side.done`` and ``Side.has_namesake``."""
        return self.with_namesakes().annotate(standing=_settled())

    def with_namesakes(self) -> SideQuerySet:
        """Annotate each for ``Side.has_namesake``, without reading the ledger."""
        return self.annotate(namesake=_namesake())

    def done(self) -> SideQuerySet:
        """Sides with their post-game in the gang's ledger."""
        return self.filter(_has_postgame(), _standing())

    def of_playing(self, owners: Collection[int]) -> SideQuerySet:
        """Sides of these players' gangs in open campaigns, or in one that is over if the gang plays
        on in another. ``owners``: the keys of their accounts."""
        going_on = Membership.objects.filter(
            gang=OuterRef("gang"),
            gang__owner__in=owners,
            left_at=None,
            campaign__archived_at=None,
        )
        found = self.filter(gang__owner__in=owners)
        return found.filter(Q(game__campaign__archived_at=None) | Q(Exists(going_on)))

    def undone(self) -> SideQuerySet:
        """Sides with a post-game that is still to be played, or was taken back."""
        return self.filter(_has_postgame(), ~_standing())

    def open(self, gangs: Collection[uuid.UUID]) -> SideQuerySet:
        """Sides of these gangs with a post-game that is open: those of confirmed games that are
        ``undone``, or are being corrected. Reads neither sides nor entries of post-games that are
        played, however many a gang has."""
        sides = Side.objects.filter(gang__in=gangs).order_by()
        unplayed = sides.filter(Q(batch=None) | Q(correcting=True))
        # Only what was struck can be taken back.
        struck = StoredEntry.objects.filter(gang=OuterRef("gang"), batch=OuterRef("batch"))
        struck = struck.filter(gang__in=gangs, struck__isnull=False)
        keys = unplayed.values("pk").union(sides.filter(Exists(struck)).values("pk"))
        is_open = Q(correcting=True) | _has_postgame() & ~Q(_standing())
        return self.filter(is_open, pk__in=keys, game__status=Game.Status.CONFIRMED)


class Side(Seeded):
    """One gang in a game: its crew, its report, its player's verdict and its post-game.

    ``finish``: its place among three or more sides, if these were counted; equal sides share it.
    ``name`` outlives the gang. ``role``: attacker, defender..., by the scenario's roles. ``crew``:
    the members picked to play (null: nobody has picked yet); ``before``: the ``PregameRolls``.
    ``rating``: on the day of the report. ``draft``: the answers of the post-game so far, with their
    version ``draft_version``. ``batch``: the ledger's batch that committed the post-game; striking
    it in the gang's history opens the post-game again. Without a battle, it paid what the result
    brought. ``correcting``: a committed post-game is being played again to be replaced;
    ``kept_draft``: its committed answers in the meantime.
    ``tale``: the player's own short report. ``word``: the player's contribution to the
    application's dice for this side.
    """

    class Kind(models.TextChoices):
        """The side's result."""

        WINNER = "winner", _("won")
        LOSER = "loser", _("lost")
        LEVEL = "level", _("level")

    class Verdict(models.TextChoices):
        """The player's opinion of the report."""

        CONFIRMED = "confirmed", _("confirmed")
        DISPUTED = "disputed", _("disputed")

    game = models.ForeignKey(Game, models.CASCADE, related_name="sides")
    gang = models.ForeignKey(Gang, models.SET_NULL, null=True, related_name="sides")
    name = models.CharField(max_length=80)
    role = models.CharField(max_length=40, blank=True)
    crew = models.JSONField(null=True, blank=True)
    before = models.JSONField(default=dict)
    side = models.CharField(max_length=6, choices=Kind.choices, default=Kind.LEVEL)
    finish = models.PositiveSmallIntegerField(null=True, blank=True)
    report = models.JSONField(default=dict)
    rating = PointsField(default=0)
    verdict = models.CharField(max_length=10, choices=Verdict.choices, blank=True)
    verdict_by = somebody()
    comment = models.CharField(max_length=500, blank=True)
    draft = models.JSONField(default=dict)
    draft_version = models.IntegerField(default=0)
    batch = models.UUIDField(null=True, blank=True)
    correcting = models.BooleanField(default=False)
    kept_draft = models.JSONField(null=True, blank=True)
    tale = models.TextField(max_length=2000, blank=True)
    word = models.CharField(max_length=LONGEST_WORD, blank=True)

    objects = SideQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [
            # Post-games that were never played, or are played again.
            models.Index(
                fields=["gang"], name="side_unplayed", condition=Q(batch=None) | Q(correcting=True)
            ),
        ]
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
        """Whether the post-game is in the gang's ledger, or there is none to play. Only after
        ``with_standing``."""
        return bool(getattr(self, "standing"))  # noqa: B009 (an annotation, unknown to mypy)

    @property
    def has_namesake(self) -> bool:
        """Whether another gang of the campaign has this name; False without ``with_standing``."""
        return bool(getattr(self, "namesake", False))

    @property
    def kind(self) -> SideKind:
        """The side's result, typed for the engine."""
        return cast(SideKind, self.side)

    @property
    def parsed_report(self) -> Report:
        """The report as a value; an empty one if the stored one is unreadable."""
        return self.sound_report or Report()

    @property
    def sound_report(self) -> Report | None:
        """The report as a value; None if it is unreadable."""
        return sound(Report, self, "report")

    @property
    def answers(self) -> Answers:
        """The draft as a value; an empty one if it is unreadable."""
        return sound(Answers, self, "draft") or Answers()

    @property
    def kept_answers(self) -> Answers:
        """The committed answers of a post-game while it is played again."""
        kept = None if self.kept_draft is None else sound(Answers, self, "kept_draft")
        return kept or Answers()

    def is_of(self, user: User) -> bool:
        """Whether the user owns the side's gang. Reads ``gang``: select it."""
        return self.gang is not None and self.gang.is_owned_by(user)


class Claim(models.Model):
    """One side's account of a game: the whole report, as ``data``.

    Every claim is kept. A side that disputes the report makes a separate claim; both have equal
    weight, and the organiser decides between them if the players cannot agree.
    """

    game = models.ForeignKey(Game, models.CASCADE, related_name="claims")
    actor = somebody()
    data = models.JSONField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"claim of {self.at:%Y-%m-%d %H:%M}"

    @property
    def sound_data(self) -> ClaimData | None:
        """The claim as a value; None if it is unreadable."""
        return sound(ClaimData, self, "data")


class Throw(Drawn):
    """One roll of dice for a game; ``roll`` includes whether the application threw it.

    ``key``: the key of the request, as in the post-game's answers; ``about``: its purpose, for
    sentences in any language; ``taken_back_at``, ``taken_back_by``: when and by whom it was taken
    back. The rolls of one press are one throw of the side's seed, in their order.
    """

    game = models.ForeignKey(Game, models.CASCADE, related_name="throws")
    side = models.ForeignKey(Side, models.CASCADE, null=True, related_name="throws")
    key = models.CharField(max_length=400)
    about = models.JSONField(default=dict)
    roll = models.JSONField()
    actor = somebody()
    at = models.DateTimeField(default=timezone.now)
    taken_back_at = models.DateTimeField(null=True, blank=True)
    taken_back_by = somebody()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"throw of {self.at:%Y-%m-%d %H:%M}"

    @property
    def sound_roll(self) -> DiceRoll | None:
        """The roll as a value; None if it is unreadable."""
        return sound(DiceRoll, self, "roll")

    @property
    def sound_about(self) -> About:
        """The purpose of the throw; an empty one if it is unreadable."""
        return sound(About, self, "about") or About()


class Bargain(models.Model):
    """An offer of one gang to another about captives: a ransom, an exchange, letting somebody go.

    ``terms``: as in ``campaigns.engine.captives``. Once the other side agrees, both gangs' ledgers
    get their entries in one transaction, as ``batch``. ``giver_name``, ``taker_name`` outlive the
    gangs.
    """

    class Status(models.TextChoices):
        """The stages of an offer."""

        OPEN = "open", _("Waiting for an answer")
        AGREED = "agreed", _("Agreed")
        DECLINED = "declined", _("Declined")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    campaign = models.ForeignKey("campaigns.Campaign", models.CASCADE, related_name="bargains")
    giver = models.ForeignKey(Gang, models.SET_NULL, null=True, related_name="+")
    taker = models.ForeignKey(Gang, models.SET_NULL, null=True, related_name="+")
    giver_name = models.CharField(max_length=80)
    taker_name = models.CharField(max_length=80)
    terms = models.JSONField()
    note = models.CharField(max_length=300, blank=True)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.OPEN)
    proposed_by = somebody()
    decided_by = somebody()
    batch = models.UUIDField(null=True, blank=True)
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    at = models.DateTimeField(default=timezone.now)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.giver_name} – {self.taker_name}"

    @property
    def sound_terms(self) -> Terms | None:
        """The offer as a value; None if it is unreadable."""
        return sound(Terms, self, "terms")


def sides_by_game(sides: Iterable[Side]) -> Mapping[uuid.UUID, list[Side]]:
    """Group sides by the keys of their games; games without any have an empty list."""
    found: dict[uuid.UUID, list[Side]] = defaultdict(list)
    for side in sides:
        found[side.game_id].append(side)
    return found
