"""How backups, replays and tidying went, for the administrators' page; and the replay: every gang
is what its entries fold to, and every rulebook is the one whose digest it bears."""

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

# What is older is forgotten, but for the last of each kind.
KEPT = timedelta(days=180)


@contextmanager
def remember_run(kind: Run.Kind) -> Iterator[dict[str, Any]]:
    """Write down how something went, when it has ended: well, with the values that it puts into
    the dictionary; or not, with the exception, which is raised further."""
    started, values = timezone.now(), dict[str, Any]()
    try:
        yield values
    except Exception as error:
        words = quote(error, 2_000) or type(error).__name__
        Run.objects.create(kind=kind, started_at=started, values=values, error=words)
        raise
    Run.objects.create(kind=kind, started_at=started, values=values)


def find_last(kind: Run.Kind, *, good: bool = False) -> Run | None:
    """The last run of a kind; ``good``: the last that went well."""
    runs = Run.objects.filter(kind=kind)
    return (runs.filter(error="") if good else runs).first()


def clear_old() -> int:
    """Forget runs of long ago, but for the last ones of each kind; returns how many."""
    known = {
        run.pk
        for kind in Run.Kind
        for run in (find_last(kind), find_last(kind, good=True))
        if run is not None
    }
    old = Run.objects.filter(ended_at__lt=timezone.now() - KEPT).exclude(pk__in=known)
    return old.delete()[0]


class Different(Exception):
    """Something is not what it is stored as. ``lines``: what, and how, each."""

    def __init__(self, proof: Proof, lines: Sequence[str]) -> None:
        super().__init__(f"{len(lines)} of {proof.gangs} gangs differ from their replay")
        self.lines = tuple(lines)


def replay_all(*, mend: bool = False) -> int:
    """Replay every gang, and remember how that went; returns how many. Raises Different, whether
    they were mended or not."""
    with remember_run(Run.Kind.REPLAY) as values:
        proof = prove(mend=mend)
        values["gangs"] = proof.gangs
        check(proof)
    return proof.gangs


def check(proof: Proof) -> None:
    """Raise Different if some gangs are."""
    if proof.different:
        raise Different(proof, proof.different)


def spoiled_versions(using: str = DEFAULT_DB_ALIAS) -> list[str]:
    """The digests of those stored rulebooks that are not what they were when they got theirs."""
    rows = BookVersion.objects.using(using).values_list("digest", "canonical")
    return [
        digest
        for digest, canonical in rows.iterator(chunk_size=20)
        if hashlib.sha256(canonical.encode()).hexdigest() != digest
    ]
