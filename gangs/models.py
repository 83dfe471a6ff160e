"""Gangs and their entries, as stored."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Case, OuterRef, Q, Subquery, When
from django.urls import reverse
from django.utils import timezone

from gangs.engine.roster import Roster
from gangs.short_codes import short_code, write_code
from rules.book.model import Book
from rules.engine.costing import Points, whole
from rules.library import book_of
from rules.models import BookVersion

# What a gang is whose sheet nobody else sees: to be written.
NOT_SHARED: Mapping[str, None] = {"share_key": None, "share_code": None}

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

    from accounts.models import User


def share_key() -> str:
    """A key that nobody guesses, for the address of a shared sheet."""
    return secrets.token_urlsafe(16)


def newest_version() -> Case:
    """For a query: the newest version of the rules that a row with a ``book_version`` uses.

    That of the rulebook as it is loaded, or of one variant. A part of the query that reads the row,
    so that a page can say that something newer is out without asking for it.
    """
    versions = BookVersion.objects.values("pk")
    shipped = versions.filter(number=None, slug=OuterRef("book_version__slug"))
    shipped = shipped.order_by("-loaded_at", "-pk")
    states = versions.filter(variant=OuterRef("book_version__variant")).order_by("-number")
    return Case(
        When(book_version__number=None, then=Subquery(shipped[:1])),
        default=Subquery(states[:1]),
    )


if TYPE_CHECKING:
    FloatField = models.FloatField[Points, Points]
else:
    FloatField = models.FloatField


class PointsField(FloatField):
    """Points: whole numbers stay whole when they come back, and halves are exact."""

    def from_db_value(self, value: float | None, *_context: object) -> Points | None:
        """The points stored, as whole as they are."""
        return None if value is None else whole(value)


@dataclass(frozen=True)
class GangView:
    """A gang to be looked at, as it stands or as it stood; nothing of it can be saved.

    ``book_version_id``: the version of the rulebook that it uses; ``snapshot``: its roster, as
    stored; ``pictures``: as of a ``Gang``.
    """

    pk: uuid.UUID
    name: str
    book_version_id: str
    snapshot: str
    pictures: Mapping[str, str] = field(hash=False)

    @property
    def book(self) -> Book:
        """The version of the rulebook that the gang uses."""
        return book_of(self.book_version_id)

    @cached_property
    def roster(self) -> Roster:
        """The roster."""
        return Roster.model_validate_json(self.snapshot)


class Guest(models.Model):
    """A visitor who builds before they sign up: whoever has its key, in a signed cookie.

    ``seen_at``: when they last founded a gang, or signed in.
    """

    key = models.CharField(max_length=32, primary_key=True)
    created_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"visitor of {self.created_at:%Y-%m-%d %H:%M}"


class ArrivedManager[M: models.Model](models.Manager[M]):
    """Leaves out rows that an import is still writing."""

    def get_queryset(self) -> models.QuerySet[M]:
        """The rows that anybody may see."""
        return super().get_queryset().filter(arriving_at=None)


class GangQuerySet(models.QuerySet["Gang"]):
    """Finding gangs, by who may do what."""

    def owned_by(self, user: User) -> GangQuerySet:
        """The user's own gangs."""
        return self.filter(owner=user)

    def of_visitors(self) -> GangQuerySet:
        """Gangs of visitors, whoever they are."""
        return self.filter(owner=None, kept_at=None)

    def active(self) -> GangQuerySet:
        """Gangs that are not archived."""
        return self.filter(archived_at=None)

    def with_newest(self) -> GangQuerySet:
        """Each ready for ``Gang.newer``."""
        return self.annotate(newest=newest_version())


class Gang(models.Model):
    """A gang: its ledger's head, and the snapshot that the entries fold to.

    ``founded_with``: the version of the rulebook that its first entry was made with;
    ``book_version``: the one that it uses now, which follows from its entries.
    ``version`` counts changes, so that a stale page is noticed; ``last_seq`` is the number of the
    newest entry; ``snapshot`` is a cache of the fold, proven by ``manage.py replay``. ``name`` and
    ``rating`` repeat the snapshot for lists. ``imported_at``: it came as a file, so nobody here has
    seen the games it speaks of; ``arriving_at``: it is coming in just now (only ``everything``
    finds it). A gang without an owner is a visitor's, the ``guest``; with
    ``kept_at`` it was somebody's who is gone, and is kept for the campaign that it plays in.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="gangs"
    )
    guest = models.ForeignKey(Guest, models.CASCADE, null=True, related_name="gangs")
    book_version = models.ForeignKey(BookVersion, models.PROTECT, related_name="gangs")
    founded_with = models.ForeignKey(BookVersion, models.PROTECT, related_name="+")
    name = models.CharField(max_length=80)
    rating = PointsField(default=0)
    size = models.IntegerField(default=0)
    version = models.IntegerField(default=0)
    last_seq = models.IntegerField(default=0)
    snapshot = models.TextField(default="{}")
    # Made and dropped together.
    share_key = models.CharField(max_length=32, unique=True, null=True, default=share_key)  # noqa: DJ001
    share_code = models.CharField(max_length=8, unique=True, null=True, default=short_code)  # noqa: DJ001
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)
    archived_at = models.DateTimeField(null=True)
    imported_at = models.DateTimeField(null=True)
    arriving_at = models.DateTimeField(null=True)
    kept_at = models.DateTimeField(null=True)
    # How its owner wanted each kind of print the last time: by kind, a query's names and values.
    print_options = models.JSONField(default=dict)
    # Portraits and badge, see gangs/pictures/storage.py: by number, or "badge", the picture's name.
    pictures = models.JSONField(default=dict)

    objects = ArrivedManager.from_queryset(GangQuerySet)()
    everything = GangQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["owner", "-changed_at"])]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The gang's builder page."""
        return reverse("gangs:builder", args=[self.pk])

    @property
    def book(self) -> Book:
        """The version of the rulebook that the gang is pinned to."""
        return book_of(self.book_version_id)

    @property
    def first_book(self) -> Book:
        """The version of the rulebook that the gang was founded with."""
        return book_of(self.founded_with_id)

    @property
    def code_written(self) -> str:
        """The short code of its shared sheet, as people read it; "" if it has none."""
        return write_code(self.share_code) if self.share_code else ""

    @property
    def newer(self) -> str:
        """The newest version of the rules that the gang uses; "" if that is the one it is
        pinned to. Only after ``with_newest``."""
        newest = getattr(self, "newest", None)
        return newest if newest and newest != self.book_version_id else ""

    @property
    def roster(self) -> Roster:
        """The roster as of the last entry."""
        # A change asks for it several times, and a roster never changes.
        read: tuple[str, Roster] | None = self.__dict__.get("_read_roster")
        if read is None or read[0] != self.snapshot:
            read = self.snapshot, Roster.model_validate_json(self.snapshot)
            self.__dict__["_read_roster"] = read
        return read[1]

    @property
    def view(self) -> GangView:
        """The gang as it stands, to be looked at."""
        return GangView(
            self.pk, self.name, self.book_version_id, self.snapshot, dict(self.pictures)
        )

    def is_owned_by(self, user: User | AnonymousUser) -> bool:
        """Whether the user owns the gang. One without an owner is nobody's, a visitor's neither."""
        return user.pk is not None and self.owner_id == user.pk


class Strike(models.Model):
    """One act of correcting: entries are taken back, and others may stand in their place.

    ``reason``: why, in the words of whoever did it; ``by_organiser``: they did it as one. Taking a
    correction back is another one, which ``undoes`` it: what it added is struck, and what it had
    struck stands again, which ``restored`` remembers by the entries' ``seq``. ``occasion``: what is
    struck in several gangs at once has the same in all of them.
    """

    gang = models.ForeignKey(Gang, models.CASCADE, related_name="strikes")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    reason = models.CharField(max_length=300, blank=True)
    by_organiser = models.BooleanField(default=False)
    at = models.DateTimeField(default=timezone.now)
    undoes = models.ForeignKey("self", models.SET_NULL, null=True, related_name="undone_by")
    restored = models.JSONField(default=list)
    occasion = models.UUIDField(null=True, db_index=True)

    def __str__(self) -> str:
        return f"strike of {self.at:%Y-%m-%d %H:%M}"


class Timeline(models.Model):
    """What a gang's entries tell of its people and games: a cache of ``gangs.engine.timeline``,
    in a row of its own, so that no page of the gang carries it along."""

    gang = models.OneToOneField(Gang, models.CASCADE, primary_key=True, related_name="timeline")
    data = models.TextField(default="{}")

    def __str__(self) -> str:
        return f"timeline of {self.gang_id}"


class EntryQuerySet(models.QuerySet["StoredEntry"]):
    """Finding entries."""

    def live(self) -> EntryQuerySet:
        """Entries that are not struck, in order."""
        return self.filter(struck=None).order_by("place", "seq")


class StoredEntry(models.Model):
    """One entry of a gang's ledger. ``batch``: what was done at once; ``token``: the form's;
    ``book``: the version that an upgrade leads to, which so cannot be deleted.

    ``seq``: the order in which entries were written down. Entries that stand in the place of others
    (``added_by`` a correction) are replayed at that ``place``; ``number`` is what a member or an
    item that the entry brought is known by, which one in its place keeps. Of all others, place and
    number are the ``seq``.
    """

    gang = models.ForeignKey(Gang, models.CASCADE, related_name="entries")
    seq = models.IntegerField()
    place = models.IntegerField()
    number = models.IntegerField()
    kind = models.CharField(max_length=20)
    data = models.JSONField()
    book = models.ForeignKey(BookVersion, models.PROTECT, null=True, related_name="+")
    batch = models.UUIDField()
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    at = models.DateTimeField()
    token = models.CharField(max_length=64, null=True)  # noqa: DJ001 (none is not "")
    struck = models.ForeignKey(Strike, models.SET_NULL, null=True, related_name="entries")
    added_by = models.ForeignKey(Strike, models.SET_NULL, null=True, related_name="added")

    objects = EntryQuerySet.as_manager()

    class Meta:
        # Whether a batch stands is asked of every side of every game: by both columns at once, as
        # a gang has hundreds of entries.
        indexes = [models.Index(fields=["batch", "gang"], name="entry_batch")]
        constraints = [
            models.UniqueConstraint(fields=["gang", "seq"], name="entry_seq"),
            models.UniqueConstraint(fields=["gang", "token"], name="entry_token"),
            models.UniqueConstraint(
                fields=["gang", "number"], condition=Q(struck=None), name="entry_number"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.kind}"


def place(gang: Gang, opened: int | None) -> str:
    """The address of the builder with a card open."""
    base = gang.get_absolute_url()
    return f"{base}?open={opened}#member-{opened}" if opened else base
