"""What all processes of the site, on all its machines, must agree about."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class JobQuerySet(models.QuerySet["Job"]):
    """Jobs that are carried out once, by how they stand."""

    def waiting(self) -> JobQuerySet:
        """Those that are still to be done, the oldest first."""
        return self.filter(periodic=False).exclude(next_at=None).order_by("created_at", "pk")

    def given_up(self) -> JobQuerySet:
        """Those that failed for too long, the newest first."""
        lost = self.filter(periodic=False, next_at=None, finished_at=None)
        return lost.order_by("-created_at", "-pk")


class Job(models.Model):
    """Something to do that no visitor waits for (``common.background``): a mail or another task,
    once; or a periodic job, again in every period.

    ``kind``: which function does it; ``body``: what that needs to know, deleted once it is done or
    given up; ``title``: what administrators read of it; ``origin``: the request that asked for it.
    ``next_at``: when it is done, or tried again; the process that moves it on has taken the job.
    None: done or given up. ``failed_at``, ``error``: the last try, unless it went well.
    """

    kind = models.CharField(max_length=60)
    title = models.CharField(max_length=500, blank=True)
    periodic = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    next_at = models.DateTimeField(default=timezone.now, null=True)
    tries = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)
    origin = models.CharField(max_length=128, blank=True)
    body = models.JSONField(default=dict)

    objects = JobQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["next_at"], name="job_next_at")]
        constraints = [
            models.UniqueConstraint(
                fields=["kind"], condition=models.Q(periodic=True), name="periodic_job_once"
            )
        ]

    def __str__(self) -> str:
        return self.title or self.kind


class CacheEntry(models.Model):
    """A row of the shared cache, as Django's DatabaseCache writes it (``common.shared_cache``)."""

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "common_cache"

    def __str__(self) -> str:
        return self.cache_key
