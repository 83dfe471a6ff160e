"""What stands in line to be printed, for every machine of the site."""

from __future__ import annotations

from django.db import models


class PrintJob(models.Model):
    """A job in line, from when it is rendered until its print lies on the shelf; or one that has
    failed of late.

    ``job``: what is printed (``printing.line`` packs it). ``press``: whose press has taken it, ""
    while it waits. ``beats``: moves on as long as that press is alive. ``pages``: how many are set.
    ``tries``: how many presses have taken it. ``for_visitor``: somebody without an account asked.
    """

    class Kind(models.TextChoices):
        """Books stand in a line of their own."""

        SHEET = "sheet"
        BOOK = "book"

    key = models.CharField(max_length=64, unique=True)
    kind = models.CharField(max_length=8, choices=Kind)
    job = models.BinaryField()
    for_visitor = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    press = models.CharField(max_length=32, default="", blank=True)
    beats = models.PositiveIntegerField(default=0)
    pages = models.PositiveIntegerField(default=0)
    tries = models.PositiveSmallIntegerField(default=0)
    failed_at = models.DateTimeField(null=True, blank=True)
    failure = models.TextField(default="", blank=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.key[:8]}"
