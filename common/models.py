"""What all processes of the site, on all its machines, must agree about."""

from django.db import models


class PeriodicJob(models.Model):
    """When a job that is done again and again is due, and what became of it the last time.

    Whoever moves ``next_at`` on has taken the job. ``error``: the last failure, in the words of its
    exception; it stays after the job has succeeded again, so compare the times.
    """

    name = models.CharField(max_length=60, primary_key=True)
    next_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)

    def __str__(self) -> str:
        return self.name

    @property
    def failing(self) -> bool:
        """Whether it failed when it was done last."""
        if self.failed_at is None:
            return False
        return self.finished_at is None or self.finished_at < self.failed_at


class CacheEntry(models.Model):
    """A row of the shared cache, as Django's DatabaseCache writes it (``common.shared_cache``)."""

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "common_cache"

    def __str__(self) -> str:
        return self.cache_key
