"""Check that the stored snapshot and timeline of each gang equal the fold of its entries."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Q, QuerySet

from gangs.engine.errors import Misfit
from gangs.engine.timeline import GangTimeline
from gangs.ledger import timelines, writer
from gangs.ledger.storage import columns, dump_stored
from gangs.models import Gang

# Shares of the gangs, of which a partial proof replays one.
SHARES = 14
# Gangs after which a proof says how far it is.
TOLD_EVERY = 500


def difference(gang: Gang, *, mend: bool = False) -> str:
    """How the stored snapshot and timeline of a gang differ from its entries; "" if they do not.

    ``mend``: store the fold of the entries, if they fold. Three queries, one of them only for a
    corrected gang. Raises Stale if somebody changes a gang that is being mended.
    """
    try:
        roster, timeline = timelines.replay_timeline(gang)
    except Misfit as misfit:
        return f"an entry does not fit ({misfit.code})"
    expected = columns(gang, roster, gang.last_seq)._replace(changed_at=gang.changed_at)._asdict()
    row = getattr(gang, "timeline", None)
    kept = row.data if row is not None else dump_stored(GangTimeline())
    wrong = ["the snapshot"] * any(getattr(gang, name) != expected[name] for name in expected)
    wrong += ["the timeline"] * (kept != dump_stored(timeline))
    if wrong and mend:
        writer.mend(gang)
    return f"{' and '.join(wrong)} differs" if wrong else ""


@dataclass(frozen=True)
class Proof:
    """How many gangs were replayed; ``different``: a line for each that differs, and ``keys``: the
    keys of these."""

    gangs: int
    different: tuple[str, ...]
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scope:
    """The gangs that a proof replays: those changed since a time, those of these ``keys``, and one
    of ``SHARES`` equal shares of all others, by number."""

    changed_since: datetime
    share: int
    keys: tuple[str, ...] = ()

    def find(self, gangs: QuerySet[Gang]) -> QuerySet[Gang]:
        """The gangs within the scope."""
        # Keys are random numbers of 128 bits.
        of_share = Q(pk__gte=uuid.UUID(int=(self.share << 128) // SHARES))
        if self.share < SHARES - 1:
            of_share &= Q(pk__lt=uuid.UUID(int=((self.share + 1) << 128) // SHARES))
        return gangs.filter(Q(changed_at__gte=self.changed_since) | of_share | Q(pk__in=self.keys))


def prove(
    *,
    mend: bool = False,
    using: str = DEFAULT_DB_ALIAS,
    scope: Scope | None = None,
    report: Callable[[int, int], object] | None = None,
) -> Proof:
    """Replay every gang of a database, and compare each with its snapshot and timeline.

    ``mend``: as for ``difference``; ``scope``: only these; ``report``: called with the numbers of
    gangs replayed so far and of all of them. Rulebooks come from the site's own database: a version
    never changes. Three queries for each gang.
    """
    count, different, keys = 0, [], []
    gangs: QuerySet[Gang] = Gang.objects.using(using).select_related("timeline")
    gangs = gangs if scope is None else scope.find(gangs)
    total = gangs.count() if report is not None else 0
    for gang in gangs.iterator():
        if report is not None and count % TOLD_EVERY == 0:
            report(count, total)
        count += 1
        if reason := difference(gang, mend=mend):
            different.append(f"{gang.pk} {gang.name}: {reason}")
            keys.append(str(gang.pk))
    return Proof(count, tuple(different), tuple(keys))
