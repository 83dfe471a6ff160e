"""Recorded runs of backups, replays and tidying, and the replay itself.

The replay proves that every gang equals the fold of its entries, and that every rulebook has the
digest it is stored under.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.db import DEFAULT_DB_ALIAS
from django.utils import timezone

from administration.models import Run
from common.text import quote
from gangs.ledger.replay import Proof, prove
from rules.models import BookVersion

# Older runs are deleted, except the last of each kind.
KEPT = timedelta(days=180)


@contextmanager
def remember_run(kind: Run.Kind) -> Iterator[dict[str, Any]]:
    """Record a run when the context ends.

    The caller puts the figures of a success into the yielded dictionary. An exception is recorded
    as a failure and raised again.
    """
    started, values = timezone.now(), dict[str, Any]()
    try:
        yield values
    except Exception as error:
        words = quote(error, 2_000) or type(error).__name__
        Run.objects.create(kind=kind, started_at=started, values=values, error=words)
        raise
    Run.objects.create(kind=kind, started_at=started, values=values)


def find_last(kind: Run.Kind, *, good: bool = False) -> Run | None:
    """Return the last run of a kind; with ``good``, the last successful one."""
    runs = Run.objects.filter(kind=kind)
    return (runs.filter(error="") if good else runs).first()


def clear_old() -> int:
    """Delete old runs, except the last ones of each kind; return their number."""
    known = {
        run.pk
        for kind in Run.Kind
        for run in (find_last(kind), find_last(kind, good=True))
        if run is not None
    }
    old = Run.objects.filter(ended_at__lt=timezone.now() - KEPT).exclude(pk__in=known)
    return old.delete()[0]


class Different(Exception):
    """Stored data differ from their replay; ``lines`` has one sentence for each difference."""

    def __init__(self, proof: Proof, lines: Sequence[str]) -> None:
        super().__init__(f"{len(lines)} of {proof.gangs} gangs differ from their replay")
        self.lines = tuple(lines)


def replay_all(*, mend: bool = False) -> int:
    """Replay every gang and record the run; return the number of gangs.

    Raises Different if gangs differ, whether they were mended or not.
    """
    with remember_run(Run.Kind.REPLAY) as values:
        proof = prove(mend=mend)
        values["gangs"] = proof.gangs
        check(proof)
    return proof.gangs


def check(proof: Proof) -> None:
    """Raise Different if some gangs differ from their replay."""
    if proof.different:
        raise Different(proof, proof.different)


def spoiled_versions(using: str = DEFAULT_DB_ALIAS) -> list[str]:
    """Return the digests of stored rulebooks with content that no longer matches."""
    rows = BookVersion.objects.using(using).values_list("digest", "canonical")
    return [
        digest
        for digest, canonical in rows.iterator(chunk_size=20)
        if hashlib.sha256(canonical.encode()).hexdigest() != digest
    ]
