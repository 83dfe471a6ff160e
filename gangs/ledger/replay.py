"""Replaying gangs: whether what is stored of each is what its entries fold to."""

from __future__ import annotations

from gangs.engine.errors import Misfit
from gangs.engine.timeline import Timeline
from gangs.ledger import timelines, writer
from gangs.ledger.storage import columns, dumped
from gangs.models import Gang


def difference(gang: Gang, *, mend: bool = False) -> str:
    """How what is stored of a gang, snapshot and timeline, differs from its entries; "" if it does
    not.

    ``mend``: what they fold to is written there, if they fold. Three queries, one of them only for
    a gang that was corrected. Raises Stale if it is to be mended and somebody changes it meanwhile.
    """
    try:
        roster, timeline = timelines.replayed(gang)
    except Misfit as misfit:
        return f"an entry does not fit ({misfit.code})"
    expected = columns(gang, roster, gang.last_seq)._replace(changed_at=gang.changed_at)._asdict()
    row = getattr(gang, "timeline", None)
    kept = row.data if row is not None else dumped(Timeline())
    wrong = ["the snapshot"] * any(getattr(gang, name) != expected[name] for name in expected)
    wrong += ["the timeline"] * (kept != dumped(timeline))
    if wrong and mend:
        writer.mend(gang)
    return f"{' and '.join(wrong)} differs" if wrong else ""
