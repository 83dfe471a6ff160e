"""Tables: a game as it is played, tap by tap."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from campaigns.models.campaign import invite_key, somebody
from campaigns.models.games import Game
from campaigns.models.seeds import LONGEST_WORD, Drawn, Seeded
from gangs.models import Gang, GangView, Guest
from gangs.short_codes import write_code
from rules.book.model import Book
from rules.library import book_of
from rules.models import BookVersion


class Table(Seeded):
    """A game while it is played: a campaign's (``game``), or an independent one.

    An independent table belongs to the user or visitor who opened it, and anybody with the ``key``
    can play; the short ``code`` leads there for a while. ``seq``: the number of the newest tap,
    assigned while this row is locked. ``token``: of the form that opened the table. ``changed_at``:
    the time of the last tap; ``ended_at``: the end of play.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    game = models.OneToOneField(Game, models.CASCADE, null=True, related_name="table")
    book_version = models.ForeignKey(BookVersion, models.PROTECT, related_name="tables")
    # Before the field ``settings``, which hides the site's settings.
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="tables"
    )
    settings = models.JSONField(default=dict)
    scenario = models.CharField(max_length=40, blank=True)
    guest = models.ForeignKey(Guest, models.CASCADE, null=True, related_name="tables")
    key = models.CharField(max_length=32, unique=True, default=invite_key)
    code = models.CharField(max_length=8, unique=True, null=True)  # noqa: DJ001 (null is not "")
    token = models.CharField(max_length=64, unique=True, null=True)  # noqa: DJ001 (null is not "")
    seq = models.IntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"table of {self.created_at:%Y-%m-%d %H:%M}"

    def get_absolute_url(self) -> str:
        """The table's page."""
        return reverse("campaigns:table", args=[self.pk])

    @property
    def code_written(self) -> str:
        """The code in two halves, "" if there is none."""
        return write_code(self.code) if self.code else ""

    @property
    def book(self) -> Book:
        """The version of the rulebook in use."""
        return book_of(self.book_version_id)

    @property
    def title(self) -> str:
        """The names of its sides."""
        return self.book.who_plays.title(side.name for side in self.sides.all())


class TableSide(models.Model):
    """One gang at a table, frozen when it took its place; only ``word`` may change.

    ``number``: the side's name in taps; ``crew``: as in ``Side.crew``; ``homes``: the necessary
    parts of the gangs that hired hands come from, by key; ``word``: the side's contribution to the
    application's dice.
    """

    table = models.ForeignKey(Table, models.CASCADE, related_name="sides")
    number = models.IntegerField()
    gang = models.ForeignKey(Gang, models.SET_NULL, null=True, related_name="table_sides")
    name = models.CharField(max_length=80)
    book_version = models.ForeignKey(BookVersion, models.PROTECT, related_name="+")
    snapshot = models.TextField(default="{}")
    crew = models.JSONField(default=list)
    homes = models.JSONField(default=dict)
    word = models.CharField(max_length=LONGEST_WORD, blank=True)

    class Meta:
        ordering = ["table", "number"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="table_side_once"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def view(self) -> GangView:
        """The gang as it was when the table was opened."""
        key = self.gang_id or uuid.UUID(int=0)
        return GangView(key, self.name, self.book_version_id, self.snapshot, {})


class TableEntry(models.Model):
    """One tap, stored like ``campaigns.table.taps.Logged``. Rows never change: a correction is
    another row."""

    table = models.ForeignKey(Table, models.CASCADE, related_name="entries")
    seq = models.IntegerField()
    device = models.UUIDField()
    device_seq = models.IntegerField()
    after = models.IntegerField()
    at = models.BigIntegerField()
    turn = models.IntegerField()
    act = models.UUIDField()
    actor = somebody()
    kind = models.CharField(max_length=20)
    data = models.JSONField(default=dict)

    class Meta:
        ordering = ["seq"]
        constraints = [
            models.UniqueConstraint(fields=["table", "seq"], name="table_entry_seq"),
            models.UniqueConstraint(
                fields=["table", "device", "device_seq"], name="table_entry_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.kind}"


class TableThrow(Drawn):
    """A throw of the application at a table, for an ``act``. ``dice``: pairs of a die's sides and
    its face, in the order of the throw. Rows never change."""

    table = models.ForeignKey(Table, models.CASCADE, related_name="throws")
    act = models.UUIDField()
    dice = models.JSONField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["table", "seed", "number"], name="table_throw_once"),
        ]

    def __str__(self) -> str:
        return f"throw {self.seed}.{self.number}"
