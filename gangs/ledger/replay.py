"""Check that the stored snapshot and timeline of each gang equal the fold of its entries."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import DEFAULT_DB_ALIAS

from gangs.engine.errors import Misfit
from gangs.engine.timeline import GangTimeline
from gangs.ledger import timelines, writer
from gangs.ledger.storage import columns, dump_stored
from gangs.models import Gang


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
    """How many gangs were replayed; ``different``: a line for each that differs."""

    gangs: int
    different: tuple[str, ...]


def prove(*, mend: bool = False, using: str = DEFAULT_DB_ALIAS) -> Proof:
    """Replay every gang of a database, and compare each with its snapshot and timeline.

    ``mend``: as for ``difference``. Rulebooks come from the site's own database: a version never
    changes. Three queries for each gang.
    """
    count, different = 0, []
    for gang in Gang.objects.using(using).select_related("timeline").iterator():
        count += 1
        if reason := difference(gang, mend=mend):
            different.append(f"{gang.pk} {gang.name}: {reason}")
    return Proof(count, tuple(different))
