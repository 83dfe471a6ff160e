"""Pinned versions of rulebooks: what a gang or campaign holds on to. Players' variants of them."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.urls import reverse

if TYPE_CHECKING:
    from accounts.models import User


class BookVersionQuerySet(models.QuerySet["BookVersion"]):
    """Finding versions."""

    def rulebooks(self) -> BookVersionQuerySet:
        """Versions of rulebooks themselves, not of players' variants."""
        return self.filter(number=None)

    def newest(self) -> BookVersionQuerySet:
        """The version of each rulebook that was loaded last, by slug."""
        newest = (
            BookVersion.objects.rulebooks()
            .filter(slug=models.OuterRef("slug"))
            .order_by("-loaded_at", "-pk")
            .values("pk")[:1]
        )
        return self.filter(pk=models.Subquery(newest)).order_by("slug")

    def newest_digest(self, slug: str) -> str:
        """The digest of a game's newest version; "" if there is no such game. One query."""
        digests = self.newest().filter(slug=slug).values_list("digest", flat=True)
        return digests.first() or ""


class BookVersion(models.Model):
    """One state of a rulebook, known by the SHA-256 of its canonical JSON. It never changes.

    The digest is the key, so whoever is pinned to a version holds its digest without a query.
    A published state of a variant is such a version too: ``variant`` says of which (none once its
    owner is gone), ``number`` which state it is, ``overlay`` how it came about, as a file.
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

    objects = BookVersionQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["slug", "-loaded_at"])]
        constraints = [models.UniqueConstraint(fields=["variant", "number"], name="variant_number")]

    def __str__(self) -> str:
        return f"{self.slug} {self.digest[:8]}"


class VariantQuerySet(models.QuerySet["Variant"]):
    """Finding variants."""

    def owned_by(self, user: User) -> VariantQuerySet:
        """The user's own: nobody else sees or changes them."""
        return self.filter(owner=user)

    def active(self) -> VariantQuerySet:
        """Variants that are not archived."""
        return self.filter(archived_at=None)


class Variant(models.Model):
    """A player's own variant of a rulebook: changes on a pinned version of it.

    ``draft`` is the overlay as it is being worked on; ``draft_version`` counts its changes, so that
    a stale page is noticed. ``token``: that of the form which started it.
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

    objects = VariantQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["owner", "-changed_at"])]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The page on which it is changed."""
        return reverse("variants:edit", args=[self.pk])
