"""Replaying gangs: whether what is stored of each is what its entries fold to."""

from __future__ import annotations

from gangs.engine.fold import Misfit, in_force
from gangs.engine.timeline import Timeline
from gangs.engine.valuation import gang_rating
from gangs.ledger import timelines, writer
from gangs.ledger.storage import stored_book
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
    rating = gang_rating(in_force(gang.first_book, roster, stored_book), roster).total
    version = roster.book or gang.founded_with_id
    facts = (writer.dumped(roster), roster.name, len(roster.members), rating, version)
    stored = (gang.snapshot, gang.name, gang.size, gang.rating, gang.book_version_id)
    row = getattr(gang, "timeline", None)
    kept = row.data if row is not None else timelines.dumped(Timeline())
    wrong = ["the snapshot"] * (facts != stored)
    wrong += ["the story"] * (kept != timelines.dumped(timeline))
    if wrong and mend:
        writer.mend(gang)
    return f"{' and '.join(wrong)} differs" if wrong else ""
