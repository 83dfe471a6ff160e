"""Pinned versions of rulebooks: what a gang or campaign holds on to."""

from __future__ import annotations

from django.db import models


class BookVersionQuerySet(models.QuerySet["BookVersion"]):
    """Finding versions."""

    def newest(self) -> BookVersionQuerySet:
        """The version of each rulebook that was loaded last, by slug."""
        newest = (
            BookVersion.objects.filter(slug=models.OuterRef("slug"))
            .order_by("-loaded_at", "-pk")
            .values("pk")[:1]
        )
        return self.filter(pk=models.Subquery(newest)).order_by("slug")


class BookVersion(models.Model):
    """One state of a rulebook, known by the SHA-256 of its canonical JSON. It never changes.

    The digest is the key, so whoever is pinned to a version holds its digest without a query.
    """

    digest = models.CharField(max_length=64, primary_key=True)
    slug = models.SlugField(max_length=40)
    canonical = models.TextField()
    loaded_at = models.DateTimeField()

    objects = BookVersionQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["slug", "-loaded_at"])]

    def __str__(self) -> str:
        return f"{self.slug} {self.digest[:8]}"
