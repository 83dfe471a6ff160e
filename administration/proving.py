"""Proving that what is stored is whole: every gang is what its entries fold to, and every rulebook
is the one whose digest it bears."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from django.db import DEFAULT_DB_ALIAS

from administration import runs
from administration.models import Run
from gangs.ledger.replay import Proof, prove
from rules.models import BookVersion


class Different(Exception):
    """Something is not what it is stored as. ``lines``: what, and how, each."""

    def __init__(self, proof: Proof, lines: Sequence[str]) -> None:
        super().__init__(f"{len(lines)} of {proof.gangs} gangs differ from their replay")
        self.lines = tuple(lines)


def replay_all(*, mend: bool = False) -> int:
    """Replay every gang, and remember how that went; returns how many. Raises Different, whether
    they were mended or not."""
    with runs.remembered(Run.Kind.REPLAY) as values:
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
