"""The line of print jobs, shared by all machines of the site."""

from __future__ import annotations

from django.db import models


class PrintJob(models.Model):
    """A job in line, from when it is rendered until its print is on the shelf; or one that failed
    recently.

    ``job``: its content (``printing.line`` packs it). ``press``: the press that has taken it, ""
    while it waits. ``beats``: moves on as long as that press is alive. ``pages``: the number of
    pages set. ``tries``: the number of presses that have taken it. ``for_visitor``: a reader
    without an account asked for it.
    """

    class Kind(models.TextChoices):
        """The lines: books have a separate press, and pictures are taken before sheets."""

        PICTURE = "picture"
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
