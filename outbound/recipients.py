"""The state of the servers and people's addresses that the site sends messages to."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.utils import timezone


class Waiting(models.Model):
    """Columns of anything that waits after a failure, as ``outbound.pacing`` decides.

    ``not_before``: nothing is sent until then; ``failing_since``: the first failure after the last
    success; ``failures``: the tries that have failed since then, one after the other.
    """

    not_before = models.DateTimeField(default=timezone.now)
    failing_since = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveIntegerField(default=0)

    class Meta:
        abstract = True


class Recipient(Waiting):
    """An address that somebody gave, on a host that others may use, too.

    ``GIVEN_UP_AFTER``: a recipient that takes no message for this long gets no more.
    """

    GIVEN_UP_AFTER: ClassVar[timedelta]

    class Meta:
        abstract = True

    @property
    def server(self) -> str:
        """The name of its host."""
        raise NotImplementedError


class Host(Waiting):
    """A server that the site sends messages to: it waits if there is no answer at all.

    ``steady_since``: since when it has answered quickly each time, None if it did not the last
    time; ``used_at``: the day of the last answer or failure.
    """

    name = models.CharField(max_length=253, unique=True)
    steady_since = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
