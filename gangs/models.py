"""Stored gangs, their entries and corrections."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Case, Exists, OuterRef, Q, Subquery, When
from django.urls import reverse
from django.utils import timezone

from gangs.engine.roster import Roster
from gangs.short_codes import short_code, write_code
from rules.book.model import Book
from rules.engine.costing import Points, whole
from rules.library import book_of
from rules.models import BookVersion, newest_of

# The values of a gang whose sheet is not shared.
NOT_SHARED: Mapping[str, None] = {"share_key": None, "share_code": None}
# The marks of a gang whose owner has made none.
UNMARKED: Mapping[str, bool] = {"is_starred": False, "is_template": False}

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

    from accounts.models import User


def share_key() -> str:
    """Make an unguessable key for the address of a shared sheet."""
    return secrets.token_urlsafe(16)


def newest_version() -> Case:
    """A query's expression for the newest version of a row's rulebook, variant or player's game.

    The row must have a ``book_version``. Being part of the query for the row, it needs no query to
    tell readers about a newer version.
    """
    versions = BookVersion.objects.values("pk")
    states = versions.filter(variant=OuterRef("book_version__variant")).order_by("-number")
    own = versions.filter(draft=OuterRef("book_version__draft")).order_by("-number")
    return Case(
        When(book_version__number=None, then=newest_of(OuterRef("book_version__slug"))),
        When(book_version__draft__isnull=False, then=Subquery(own[:1])),
        default=Subquery(states[:1]),
    )


if TYPE_CHECKING:
    FloatField = models.FloatField[Points, Points]
else:
    FloatField = models.FloatField


class PointsField(FloatField):
    """Points: whole numbers are read as integers, and halves are exact."""

    def from_db_value(self, value: float | None, *_context: object) -> Points | None:
        """The stored points, as an integer if they are whole."""
        return None if value is None else whole(value)


@dataclass(frozen=True)
class GangView:
    """A read-only gang in its present or a past state.

    ``book_version_id``: the version of its rulebook; ``snapshot``: its roster, as stored;
    ``pictures``: as in ``Gang``.
    """

    pk: uuid.UUID
    name: str
    book_version_id: str
    snapshot: str
    pictures: Mapping[str, str] = field(hash=False)

    @property
    def book(self) -> Book:
        """The version of the gang's rulebook."""
        return book_of(self.book_version_id)

    @cached_property
    def roster(self) -> Roster:
        """The roster in the snapshot."""
        return Roster.model_validate_json(self.snapshot)


class Guest(models.Model):
    """A visitor who builds before they sign up; their browser has its key in a signed cookie.

    ``seen_at``: when they last founded a gang, or signed in.
    """

    key = models.CharField(max_length=32, primary_key=True)
    created_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"visitor of {self.created_at:%Y-%m-%d %H:%M}"


class ArrivedManager[M: models.Model](models.Manager[M]):
    """Excludes rows that an import is still writing."""

    def get_queryset(self) -> models.QuerySet[M]:
        """Return the rows of finished imports, and all others."""
        return super().get_queryset().filter(arriving_at=None)


class GangQuerySet(models.QuerySet["Gang"]):
    """Queries for gangs."""

    def owned_by(self, user: User) -> GangQuerySet:
        """The user's own gangs."""
        return self.filter(owner=user)

    def of_visitors(self) -> GangQuerySet:
        """Gangs of all visitors."""
        return self.filter(owner=None, kept_at=None)

    def active(self) -> GangQuerySet:
        """Gangs that are not archived."""
        return self.filter(archived_at=None)

    def shared(self) -> GangQuerySet:
        """Gangs whose sheet anybody with its link may read."""
        return self.filter(hidden_why="").exclude(share_key=None)

    def with_newest(self) -> GangQuerySet:
        """Annotate each for ``Gang.newer``."""
        return self.annotate(newest=newest_version())

    def with_undone(self) -> GangQuerySet:
        """Annotate each with ``undone``: whether its last change was pressing Undo, which can be
        taken back (``gangs.ledger.revision.find_undone_last``)."""
        entries = StoredEntry.objects.filter(gang=OuterRef(OuterRef("pk")))
        plain = Strike.objects.filter(
            gang=OuterRef("pk"), undoes=None, added=None, by_organiser=False, occasion=None
        )
        last = plain.filter(undone_by=None, at__gte=entries.order_by("-seq").values("at")[:1])
        return self.annotate(undone=Exists(last))


class Gang(models.Model):
    """A gang: the head of its ledger, and the snapshot to which the entries fold.

    ``founded_with``: the version of the rulebook at its first entry; ``book_version``: the one in
    use now, which follows from its entries. ``version`` counts changes, so that a stale page is
    noticed; ``last_seq``: the number of the newest entry; ``snapshot``: a cache of the fold, proven
    by ``manage.py replay``; ``name`` and ``rating``: copies from the snapshot for lists.
    ``imported_at``: it came as a file, or as a copy with its history, so nobody here has seen the
    games in that;
    ``arriving_at``: when an import that is still running began (only ``everything`` finds it).
    A gang without an owner belongs to a visitor, the ``guest``; with ``kept_at``, its owner has
    deleted their account, and its campaign keeps it. ``hidden_why``: the reason why administrators
    close its shared sheet; ``hidden_pictures``: those that administrators hide, as in ``pictures``.
    ``is_starred``, ``is_template``: its owner's marks: first in their list, and offered when they
    found a gang.
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
    # Both are set or neither.
    share_key = models.CharField(max_length=32, unique=True, null=True, default=share_key)  # noqa: DJ001
    share_code = models.CharField(max_length=8, unique=True, null=True, default=short_code)  # noqa: DJ001
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)
    archived_at = models.DateTimeField(null=True)
    imported_at = models.DateTimeField(null=True)
    arriving_at = models.DateTimeField(null=True)
    kept_at = models.DateTimeField(null=True)
    # The owner's last options for each kind of print, as parameters of a query.
    print_options = models.JSONField(default=dict)
    # The names of pictures, by member or "badge": see gangs/pictures/storage.py.
    pictures = models.JSONField(default=dict)
    hidden_pictures = models.JSONField(default=dict)
    hidden_why = models.CharField(max_length=300, blank=True)
    is_starred = models.BooleanField(default=False)
    is_template = models.BooleanField(default=False)

    objects = ArrivedManager.from_queryset(GangQuerySet)()
    everything = GangQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["owner", "-changed_at"]),
            # The administrators' list.
            models.Index(fields=["-changed_at", "-id"], name="gang_changed"),
        ]

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
    def is_shared(self) -> bool:
        """Whether anybody with its link may read its sheet."""
        return self.share_key is not None and not self.hidden_why

    @property
    def code_written(self) -> str:
        """The short code of the shared sheet, formatted for readers; "" if it is not shared."""
        return write_code(self.share_code) if self.share_code else ""

    @property
    def newer(self) -> str:
        """The newest version of the gang's rulebook; "" if the gang is pinned to it. Only after
        ``with_newest``."""
        newest = getattr(self, "newest", None)
        return newest if newest and newest != self.book_version_id else ""

    @property
    def roster(self) -> Roster:
        """The roster as of the last entry."""
        # Kept, since one request needs it several times.
        read: tuple[str, Roster] | None = self.__dict__.get("_read_roster")
        if read is None or read[0] != self.snapshot:
            read = self.snapshot, Roster.model_validate_json(self.snapshot)
            self.__dict__["_read_roster"] = read
        return read[1]

    @property
    def view(self) -> GangView:
        """The gang in its present state, read-only."""
        return GangView(
            self.pk, self.name, self.book_version_id, self.snapshot, dict(self.pictures)
        )

    def is_owned_by(self, user: User | AnonymousUser) -> bool:
        """Whether the user owns the gang. Nobody owns a gang without an owner, not even an
        anonymous user."""
        return user.pk is not None and self.owner_id == user.pk


class Strike(models.Model):
    """A correction: it strikes entries, and may add others in their place.

    ``reason``: in the words of the actor; ``by_organiser``: the actor is an organiser. Undoing a
    correction is another correction, which ``undoes`` the first: it strikes the added entries and
    restores the struck ones; ``restored``: the ``seq`` of those. ``replayed``: the ``seq`` of
    entries that it struck, added or restored because later post-games were worked out again.
    ``occasion``: common to the corrections of several gangs that belong together.
    """

    gang = models.ForeignKey(Gang, models.CASCADE, related_name="strikes")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    reason = models.CharField(max_length=300, blank=True)
    by_organiser = models.BooleanField(default=False)
    at = models.DateTimeField(default=timezone.now)
    undoes = models.ForeignKey("self", models.SET_NULL, null=True, related_name="undone_by")
    restored = models.JSONField(default=list)
    replayed = models.JSONField(default=list)
    occasion = models.UUIDField(null=True, db_index=True)

    def __str__(self) -> str:
        return f"strike of {self.at:%Y-%m-%d %H:%M}"


class Timeline(models.Model):
    """A cache of a gang's ``gangs.engine.timeline``, in a separate row, so that pages of the gang
    need not load it."""

    gang = models.OneToOneField(Gang, models.CASCADE, primary_key=True, related_name="timeline")
    data = models.TextField(default="{}")

    def __str__(self) -> str:
        return f"timeline of {self.gang_id}"


class EntryQuerySet(models.QuerySet["StoredEntry"]):
    """Queries for entries."""

    def live(self) -> EntryQuerySet:
        """Entries that are not struck, in order."""
        return self.filter(struck=None).order_by("place", "seq")


class StoredEntry(models.Model):
    """One entry of a gang's ledger. ``batch``: common to entries written together; ``token``: of
    the form; ``book``: the version that an upgrade leads to, referred to so that it cannot be
    deleted.

    ``seq``: the order in which entries were written. An entry that replaces another (``added_by`` a
    correction) is replayed at the other's ``place``, and the member or item that it brings has the
    other's ``number``. For all other entries, place and number equal ``seq``.
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
    token = models.CharField(max_length=64, null=True)  # noqa: DJ001 (null is not "")
    struck = models.ForeignKey(Strike, models.SET_NULL, null=True, related_name="entries")
    added_by = models.ForeignKey(Strike, models.SET_NULL, null=True, related_name="added")

    objects = EntryQuerySet.as_manager()

    class Meta:
        indexes = [
            # For the lookup whether a side's batch is in force: a gang has hundreds of entries.
            models.Index(fields=["batch", "gang"], name="entry_batch"),
            # For the few batches of a gang that were taken back.
            models.Index(
                fields=["gang", "batch"], name="entry_struck", condition=Q(struck__isnull=False)
            ),
        ]
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
