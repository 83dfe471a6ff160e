"""State that all processes of the site share, on all its machines."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class JobQuerySet(models.QuerySet["Job"]):
    """Queries for one-off jobs by state."""

    def waiting(self) -> JobQuerySet:
        """Return the jobs still to be done, oldest first."""
        return self.filter(periodic=False).exclude(next_at=None).order_by("created_at", "pk")

    def given_up(self) -> JobQuerySet:
        """Return the jobs abandoned after too many failures, newest first."""
        lost = self.filter(periodic=False, next_at=None, finished_at=None)
        return lost.order_by("-created_at", "-pk")


class Job(models.Model):
    """A background job (see ``common.background``): one-off, such as a mail, or periodic.

    ``kind`` selects the function; ``body`` is its input, emptied once the job is finished or
    abandoned; ``title`` is what administrators see; ``origin`` is the request that added the job.
    ``next_at`` is the time of the next try, None once the job is finished or abandoned; a process
    takes the job by moving ``next_at`` on. ``failed_at`` and ``error`` describe the last try if it
    failed. ``deaths``: the number of last tries of a one-off job during which the process ended.
    """

    kind = models.CharField(max_length=60)
    title = models.CharField(max_length=500, blank=True)
    periodic = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    next_at = models.DateTimeField(default=timezone.now, null=True)
    tries = models.PositiveIntegerField(default=0)
    deaths = models.PositiveIntegerField(default=0)
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
