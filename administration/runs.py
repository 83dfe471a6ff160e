"""Remembering how backups, replays and tidying went, for the administrators' page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.utils import timezone

from administration.models import Run
from common.text import quoted

# What is older is forgotten, but for the last of each kind.
KEPT = timedelta(days=180)


@contextmanager
def remembered(kind: Run.Kind) -> Iterator[dict[str, Any]]:
    """Write down how something went, when it has ended: well, with the values that it puts into
    the dictionary; or not, with the exception, which is raised further."""
    started, values = timezone.now(), dict[str, Any]()
    try:
        yield values
    except Exception as error:
        words = quoted(error, 2_000) or type(error).__name__
        Run.objects.create(kind=kind, started_at=started, values=values, error=words)
        raise
    Run.objects.create(kind=kind, started_at=started, values=values)


def last(kind: Run.Kind, *, good: bool = False) -> Run | None:
    """The last run of a kind; ``good``: the last that went well."""
    runs = Run.objects.filter(kind=kind)
    return (runs.filter(error="") if good else runs).first()


def clear_old() -> int:
    """Forget runs of long ago, but for the last ones of each kind; returns how many."""
    known = {
        run.pk
        for kind in Run.Kind
        for run in (last(kind), last(kind, good=True))
        if run is not None
    }
    old = Run.objects.filter(ended_at__lt=timezone.now() - KEPT).exclude(pk__in=known)
    return old.delete()[0]
