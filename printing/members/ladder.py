"""Work out the ladder of a member's experience: the steps at which they gain something."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Member
from printing.members.parts import USUAL_STEP
from rules.book.advancement import Advancement, AdvancementRow, AnyAdvancement
from rules.book.season import Promotion
from rules.engine.figure import advancement_of, picks

# Steps drawn where a rank has no last box.
STEPS = 3
# The most boxes drawn beyond those, for a promotion that is close.
FURTHER = 10
MOST = 120


@dataclass(frozen=True)
class Rung:
    """An amount of experience that brings a gain. ``rises``: the gain is a promotion."""

    at: int
    gain: str
    rises: bool


@dataclass(frozen=True)
class Ladder:
    """A member's way up: boxes after ``start`` up to ``end``, in groups of ``step``; the first
    ``earned`` boxes are full.
    """

    start: int
    end: int
    earned: int
    step: int
    rungs: tuple[Rung, ...]


def ladder_of(computed: ComputedGang, member: Member, language: str) -> Ladder | None:
    """Return the gains that await the member, or None if they never earn experience, or have too
    many gains to draw."""
    book = computed.book
    rank = book.rank[member.rank]
    earned = member.experience_at_rank
    if not computed.rules.teaches or not (rank.experience or computed.roster.playing or earned):
        return None
    figure = computed.figures[member.id]
    if not earned and not any(picks(book, row.of, figure) for row in computed.rules.awards):
        return None
    advancement = advancement_of(computed.rules, figure) or book.campaign.advancement
    step = _step(advancement)
    if rank.experience is not None:
        start, end = 0, rank.experience
    else:
        start = earned // step * step
        end = start + STEPS * step
    if end - start > MOST:
        return None
    if isinstance(advancement, AdvancementRow):
        # Show the next few thresholds, however far apart they are.
        coming = advancement.threshold(advancement.count(start) + STEPS - 1)
        end = min(coming, start + MOST) if coming is not None and coming > end else end
    promotions = _promotions(computed, member)
    ahead = [row.experience for row in promotions if row.trigger == "experience"]
    end = max([end, *(at for at in ahead if end < at <= end + FURTHER)])
    rungs = sorted(_rungs(computed, member, promotions, language), key=lambda rung: rung.at)
    kept = {rung.at: rung for rung in rungs if start < rung.at <= end}
    return Ladder(start, end, earned, step, tuple(kept.values()))


def _step(advancement: AnyAdvancement | None) -> int:
    """Return how many boxes make a group."""
    return advancement.experience if isinstance(advancement, Advancement) else USUAL_STEP


def _promotions(computed: ComputedGang, member: Member) -> list[Promotion]:
    book = computed.book
    return [
        row
        for row in computed.rules.promotions
        if row.start == member.rank and picks(book, row.of, computed.figures[member.id])
    ]


def _rungs(
    computed: ComputedGang, member: Member, promotions: list[Promotion], language: str
) -> Iterator[Rung]:
    """Yield every rung; where two are at the same place, the promotion comes last."""
    book = computed.book
    advancement = advancement_of(computed.rules, computed.figures[member.id])
    if advancement is not None:
        by_advance = [row for row in promotions if row.trigger == "advance"]
        for place in range(advancement.count(MOST * 9)):
            rises = advancement.cycle[place % len(advancement.cycle)] == "rank" and by_advance
            gain = by_advance[0].name.translated(language) if rises else _("an advance")
            at = advancement.threshold(place)
            assert at is not None
            yield Rung(at, gain, bool(rises))
    for row in promotions:
        if row.trigger == "experience":
            yield Rung(row.experience, row.name.translated(language), True)
        elif row.trigger == "full" and (full := book.rank[member.rank].experience):
            yield Rung(full, row.name.translated(language), True)
