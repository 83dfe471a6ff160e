"""The site's rulebooks and their versions, which gangs and campaigns are pinned to, and players'
variants."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models.functions import Coalesce
from django.urls import reverse

if TYPE_CHECKING:
    from accounts.models import User


class BookVersionQuerySet(models.QuerySet["BookVersion"]):
    """Queries for versions."""

    def rulebooks(self) -> BookVersionQuerySet:
        """Versions of the site's rulebooks, not of players' variants and unoffered games."""
        return self.filter(models.Q(number=None) | models.Q(offered=True))

    def of_game(self, slug: str) -> BookVersionQuerySet:
        """Versions of one of the site's rulebooks, and published states of a player's own game."""
        known = models.Q(number=None) | models.Q(offered=True) | ~models.Q(draft=None)
        return self.filter(known, slug=slug)

    def newest(self) -> BookVersionQuerySet:
        """The newest version of each rulebook, by slug: the pinned one, or the one loaded last."""
        return self.filter(pk=newest_of(models.OuterRef("slug"))).order_by("slug")

    def offered(self) -> BookVersionQuerySet:
        """The newest version of each rulebook that the site does not hide, by slug."""
        return self.newest().exclude(slug__in=Rulebook.objects.filter(is_hidden=True).values("pk"))

    def newest_digest(self, slug: str) -> str:
        """The digest of a game's newest version; "" if there is no such game. One query."""
        digests = self.newest().filter(slug=slug).values_list("digest", flat=True)
        return digests.first() or ""


class BookVersion(models.Model):
    """One state of a rulebook, with the SHA-256 of its canonical JSON as key. It never changes.

    A gang that is pinned to a version has the digest without a query. A published state of a
    variant is a version too: ``variant`` is None once its owner is deleted, ``number`` counts the
    states, and ``overlay`` has its changes, as a file. So is a published state of a player's own
    game, with its ``draft``; it is one of the site's rulebooks once an administrator has
    ``offered`` it.
    """

    digest = models.CharField(max_length=64, primary_key=True)
    slug = models.SlugField(max_length=40)
    canonical = models.TextField()
    loaded_at = models.DateTimeField()
    variant = models.ForeignKey(
        "Variant", models.SET_NULL, null=True, related_name="states", editable=False
    )
    number = models.PositiveIntegerField(null=True)
    overlay = models.TextField(default="")
    draft = models.ForeignKey(
        "BookDraft", models.SET_NULL, null=True, related_name="states", editable=False
    )
    offered = models.BooleanField(default=False)

    objects = BookVersionQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["slug", "-loaded_at"])]
        constraints = [
            models.UniqueConstraint(fields=["variant", "number"], name="variant_number"),
            models.UniqueConstraint(fields=["draft", "number"], name="draft_number"),
        ]

    def __str__(self) -> str:
        return f"{self.slug} {self.digest[:8]}"

    @property
    def is_listed(self) -> bool:
        """Whether it is one of the site's rulebooks, as ``rulebooks`` finds them."""
        return self.number is None or self.offered

    def is_replaced(self, newest: str) -> bool:
        """Whether there is a later version: of a player's own game, the next that its author has
        published, listed or not; of any other, the site's ``newest``."""
        if self.draft_id is None:
            return newest not in ("", self.pk)
        states = BookVersion.objects.filter(draft=self.draft_id)
        return states.filter(number__gt=self.number).exists()


class Rulebook(models.Model):
    """A rulebook as this site offers it; there is a row for each slug that has versions.

    A player's own game has a row as soon as it is published, offered or not.

    ``is_hidden``: no page lists it, but its address works. ``pinned``: the version that stays the
    newest when a release brings another.
    """

    slug = models.SlugField(max_length=40, primary_key=True)
    is_hidden = models.BooleanField(default=False)
    pinned = models.ForeignKey(
        BookVersion, models.SET_NULL, null=True, related_name="+", editable=False
    )

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.slug

    def versions(self) -> BookVersionQuerySet:
        """Its versions, the one loaded last first, without their texts, and with published states
        of a player's own game that are not offered."""
        found = BookVersion.objects.of_game(self.slug)
        return found.defer("canonical", "overlay").order_by("-loaded_at", "-pk")


class RemovedVersion(models.Model):
    """A version of a rulebook that was removed, so that no start of the site stores it again."""

    digest = models.CharField(max_length=64, primary_key=True)
    slug = models.SlugField(max_length=40)
    removed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.slug} {self.digest[:8]}"


def newest_of(slug: models.OuterRef) -> Coalesce:
    """A query's expression for the newest version of the rulebook with this slug: its digest."""
    versions = BookVersion.objects.rulebooks().filter(slug=slug).order_by("-loaded_at", "-pk")
    pinned = Rulebook.objects.filter(slug=slug).values("pinned")
    return Coalesce(
        models.Subquery(pinned[:1]),
        models.Subquery(versions.values("pk")[:1]),
        output_field=models.CharField(),
    )


class VariantQuerySet(models.QuerySet["Variant"]):
    """Queries for variants."""

    def owned_by(self, user: User) -> VariantQuerySet:
        """The user's own variants: nobody else sees or changes them."""
        return self.filter(owner=user)

    def active(self) -> VariantQuerySet:
        """Variants that are not archived."""
        return self.filter(archived_at=None)


class Variant(models.Model):
    """A player's own variant of a rulebook: changes on a pinned version of it.

    ``draft`` is the overlay that its owner edits; ``draft_version`` counts its changes, so that a
    stale page is noticed. ``token``: the token of the form that created the variant.
    ``hidden_why``: the reason why administrators hide its states from everybody who does not play
    by one of them.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="variants")
    name = models.CharField(max_length=80)
    base = models.ForeignKey(BookVersion, models.PROTECT, related_name="variants")
    draft = models.TextField(default='{"changes": []}')
    draft_version = models.IntegerField(default=0)
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)
    archived_at = models.DateTimeField(null=True)
    hidden_why = models.CharField(max_length=300, blank=True)

    objects = VariantQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["owner", "-changed_at"])]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The address of its editor."""
        return reverse("editor:edit", args=[self.pk])


class BookDraftQuerySet(models.QuerySet["BookDraft"]):
    """Queries for drafts of games."""

    def owned_by(self, user: User) -> BookDraftQuerySet:
        """The user's own drafts: only they publish, share and delete them."""
        return self.filter(owner=user)

    def open_to(self, user: User) -> BookDraftQuerySet:
        """The drafts that the user may see and edit."""
        shared = BookEditor.objects.filter(user=user).values("draft")
        return self.filter(models.Q(owner=user) | models.Q(pk__in=shared))


class BookDraft(models.Model):
    """A player's own game while it is written: a whole rulebook as JSON, valid or not.

    Only its ``owner`` and its editors see it. ``version`` counts its changes, so that a stale
    page is noticed. ``slug``: the game's, which is in ``data`` too. ``token``: the token of the
    form that created it. ``hidden_why``: as in ``Variant``.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="book_drafts")
    slug = models.SlugField(max_length=40, unique=True)
    data = models.TextField()
    version = models.IntegerField(default=0)
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)
    hidden_why = models.CharField(max_length=300, blank=True)

    objects = BookDraftQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["owner", "-changed_at"])]

    def __str__(self) -> str:
        return self.slug

    def get_absolute_url(self) -> str:
        """The address of its editor."""
        return reverse("editor:edit", args=[self.pk])


class PastState(models.Model):
    """A state of a document, of a variant or of a draft, to which undo or redo returns.

    ``text``: a variant's as a file, a draft's as its data; ``is_undone``: an undo has left it, so
    that redo returns to it. The newest of each kind comes first. ``rules.editor.store`` bounds
    their number and size. ``origin``: the import that a draft came from in this state; None if it
    came from none, and for states of earlier releases, which did not store it.
    """

    variant = models.ForeignKey(Variant, models.CASCADE, null=True, related_name="past")
    draft = models.ForeignKey(BookDraft, models.CASCADE, null=True, related_name="past")
    text = models.TextField()
    is_undone = models.BooleanField(default=False)
    origin = models.ForeignKey(
        "CatalogueImport", models.SET_NULL, null=True, related_name="past_states"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(variant=None) ^ models.Q(draft=None),
                name="past_state_has_one_document",
            )
        ]

    def __str__(self) -> str:
        return str(self.pk)


class BookEditor(models.Model):
    """A person who may edit another's draft.

    ``name`` is as the draft's owner typed it, and all that they see: ``user`` is None if there is
    no such account, which nothing shows.
    """

    draft = models.ForeignKey(BookDraft, models.CASCADE, related_name="editors")
    name = models.CharField(max_length=150)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="shared_drafts"
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["draft", "name"], name="draft_editor")]

    def __str__(self) -> str:
        return self.name


class ImportQuerySet(models.QuerySet["CatalogueImport"]):
    """Queries for imports of catalogues."""

    def taken_by(self, draft: BookDraft) -> ImportQuerySet:
        """The imports that the game's content comes from, the newest first, without the files."""
        taken = self.filter(draft=draft).exclude(taken_at=None)
        return taken.defer("files", "examined").order_by("-taken_at")

    def known(self, draft: BookDraft) -> ImportQuerySet:
        """The same with what was read from the files."""
        return self.taken_by(draft).defer(None).defer("files")

    def open_to(self, user: User) -> ImportQuerySet:
        """Imports for games that the user may edit."""
        return self.filter(draft__in=BookDraft.objects.open_to(user))

    def owned_by(self, user: User) -> ImportQuerySet:
        """The user's own imports, except those for games that they may no longer edit."""
        games = BookDraft.objects.open_to(user)
        return self.filter(models.Q(draft=None) | models.Q(draft__in=games), owner=user)

    def count_for(self, user: User) -> int:
        """Return the number of the user's imports that count against the quota: unfinished ones,
        and one for each game, which keeps earlier ones for undo. Two queries."""
        own = self.filter(owner=user)
        return (
            own.filter(taken_at=None).count()
            + own.exclude(taken_at=None).order_by().values("draft").distinct().count()
        )

    def newer_for(self, draft: BookDraft) -> ImportQuerySet:
        """Newer catalogues for the game that are not part of it yet, the newest first."""
        found = self.filter(draft=draft, taken_at=None)
        return found.defer("files", "examined").order_by("-changed_at")

    def unfinished(self, user: User) -> ImportQuerySet:
        """The user's imports that did not become part of a game, the newest first."""
        found = self.owned_by(user).filter(taken_at=None)
        return found.defer("files", "examined").order_by("-changed_at")


class CatalogueImport(models.Model):
    """Catalogues of an army builder that a player uploaded, and the game that they lead to.

    ``files``: a zip of them; emptied once the game is made. ``state``: "reading" while a job works,
    "ready", or "failed" with the ``error`` as JSON (its code and values). ``examined``: the
    questions, answers and result (``rules.catalogues.results.Examined``) as JSON; ``answers``: the
    answers that the job reads with, "" for guesses. ``version`` counts the requests to read, so
    that a stale page or job is noticed. ``draft``: the game that it became, or that a newer
    catalogue is for; ``taken_at``: when it did. ``done``: the numbers of the notes that the
    author ticked off, as JSON; ``note_count``: the number of all.
    """

    class State(models.TextChoices):
        READING = "reading"
        READY = "ready"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="catalogue_imports"
    )
    draft = models.ForeignKey(BookDraft, models.CASCADE, null=True, related_name="imports")
    token = models.UUIDField(unique=True, editable=False)
    files = models.BinaryField()
    state = models.CharField(max_length=7, choices=State, default=State.READING)
    error = models.TextField(blank=True)
    answers = models.TextField(blank=True)
    examined = models.TextField(blank=True)
    version = models.IntegerField(default=0)
    done = models.TextField(default="[]")
    note_count = models.IntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)
    taken_at = models.DateTimeField(null=True)

    objects = ImportQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["owner", "-changed_at"])]

    def __str__(self) -> str:
        return str(self.pk)

    def get_absolute_url(self) -> str:
        """The address of the page with its questions and preview."""
        return reverse("importing:show", args=[self.pk])

    @property
    def done_notes(self) -> frozenset[int]:
        """The numbers of the notes that are done."""
        return frozenset(json.loads(self.done))

    @property
    def notes_left(self) -> int:
        """The number of notes that are not done."""
        return self.note_count - len(self.done_notes)


class EntryIds(models.Model):
    """Which rows of a published version the ids of its catalogues mean, for lists of army builders.

    ``system_id``: the id of the game system; ``ids``: the map (``rules.catalogues.entry_map``) as
    JSON. It stays with its version when the draft and its imports are deleted. ``origin``: the
    import that the version came from, while it is kept.
    """

    version = models.OneToOneField(
        BookVersion, models.CASCADE, primary_key=True, related_name="entry_ids"
    )
    system_id = models.CharField(max_length=200)
    ids = models.TextField()
    origin = models.ForeignKey(CatalogueImport, models.SET_NULL, null=True, related_name="+")

    def __str__(self) -> str:
        return f"ids of {self.version_id}"


class TranslationQuerySet(models.QuerySet["BookTranslation"]):
    """Queries for translations of rulebooks."""

    def shown(self) -> TranslationQuerySet:
        """The translations that readers see, at most one of each game and language."""
        return self.filter(is_shown=True)

    def proposed_by(self, user: User) -> TranslationQuerySet:
        """The translations that the user has sent."""
        return self.filter(author=user)


class BookTranslation(models.Model):
    """A table of words that translates every version of a rulebook into one more language.

    ``words``: a JSON list of place, text and translation (``rules.words.table``). The
    game's owner, or an administrator, chooses the one that ``is_shown``. ``author``: the person who
    sent it; None if it came with the game's files (``is_shipped``), or if their account is deleted.
    """

    rulebook = models.ForeignKey(Rulebook, models.CASCADE, related_name="translations")
    language = models.CharField(max_length=12)
    words = models.TextField(default="[]")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="book_translations"
    )
    is_shown = models.BooleanField(default=False)
    is_shipped = models.BooleanField(default=False)
    changed_at = models.DateTimeField()

    objects = TranslationQuerySet.as_manager()

    class Meta:
        ordering = ["language", "-is_shown", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["rulebook", "language"],
                condition=models.Q(is_shown=True),
                name="one_shown_translation",
            ),
            models.UniqueConstraint(
                fields=["rulebook", "language", "author"],
                condition=models.Q(is_shown=False),
                name="one_waiting_translation",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rulebook_id} {self.language}"

    def get_absolute_url(self) -> str:
        """The address of its words."""
        return reverse("rules:translation", args=[self.rulebook_id, self.pk])


class SharedQuerySet(models.QuerySet["SharedGame"]):
    """Queries for the games on the shelf."""

    def visible(self) -> SharedQuerySet:
        """The games that everybody finds on the shelf: none that administrators hide."""
        return self.filter(rulebook__is_hidden=False).exclude(draft__hidden_why__gt="")


class SharedGame(models.Model):
    """A game on the site's shelf, which people of other sites may take.

    ``version``: the one that is shared; ``draft``: the game of the player who shares it, None if
    administrators share one of the site's; ``entry``: the game in the shelf's list, as JSON
    (``rules.shelf.index.ShelfGame``), since a version never changes.
    """

    rulebook = models.OneToOneField(
        Rulebook, models.CASCADE, primary_key=True, related_name="shared"
    )
    version = models.ForeignKey(BookVersion, models.CASCADE, related_name="+", editable=False)
    draft = models.OneToOneField(BookDraft, models.CASCADE, null=True, related_name="shared")
    licence = models.CharField(max_length=200)
    entry = models.TextField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="shared_games"
    )
    shared_at = models.DateTimeField()

    objects = SharedQuerySet.as_manager()

    class Meta:
        ordering = ["rulebook"]

    def __str__(self) -> str:
        return self.rulebook_id


class ForeignShelf(models.Model):
    """The shelf of another site that a person looks at.

    ``url``: the address of its list; ``name``: the site's; ``listed``: its games as it was read
    last, as JSON; ``read_at``: when. ``next_at``: no daily look before; ``failures``: the looks
    that have failed since; ``error``: the reason of the last one.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="foreign_shelves"
    )
    url = models.CharField(max_length=2000)
    name = models.CharField(max_length=200)
    listed = models.TextField(default="[]")
    read_at = models.DateTimeField()
    next_at = models.DateTimeField(db_index=True)
    failures = models.PositiveIntegerField(default=0)
    error = models.CharField(max_length=30, blank=True)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [models.UniqueConstraint(fields=["owner", "url"], name="shelf_once")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The address of its page."""
        return reverse("shelves:shelf", args=[self.pk])

    @property
    def host(self) -> str:
        """The name of its server."""
        return self.url.removeprefix("https://").partition("/")[0]


class ForeignQuerySet(models.QuerySet["ForeignGame"]):
    """Queries for games from other sites."""

    def taken(self) -> ForeignQuerySet:
        """The games that their owners have taken in and still keep, the latest first."""
        return self.exclude(version=None).order_by("-taken_at", "pk")


class ForeignGame(models.Model):
    """A version of a game from another site that a person looks at, or has taken in.

    ``canonical``: the rulebook until it is taken in as ``version``, then ""; ``licence``: the one
    that its shelf states; ``size``: bytes of the package that came. ``news``: the digest of another
    edition that the shelf has since, ``news_edition`` its name. ``token``: of the form that took it
    into the owner's own games.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="foreign_games"
    )
    shelf = models.ForeignKey(ForeignShelf, models.CASCADE, related_name="games")
    slug = models.SlugField(max_length=40)
    digest = models.CharField(max_length=64)
    canonical = models.TextField()
    licence = models.CharField(max_length=200)
    size = models.PositiveIntegerField()
    token = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    taken_at = models.DateTimeField(null=True)
    version = models.ForeignKey(
        BookVersion, models.SET_NULL, null=True, related_name="taken_by", editable=False
    )
    news = models.CharField(max_length=64, blank=True)
    news_edition = models.CharField(max_length=200, blank=True)

    objects = ForeignQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["owner", "digest"], name="foreign_version_once")
        ]

    def __str__(self) -> str:
        return f"{self.slug} {self.digest[:8]}"

    def get_absolute_url(self) -> str:
        """The address of its page."""
        return reverse("shelves:game", args=[self.pk])
