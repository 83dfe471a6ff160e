"""Compose the end of a roster sheet: the foot below its blocks, and the letter size that leaves
room for it.

The foot never takes a page by itself. Where there is no room for it, the descriptions of ranks go
first, then the box for notes, then the meanings of labels: all of these are also on the gang's page
and on the reference sheet. A gang's errors stay, and so do the sums if they were ordered.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import strip_tags
from django.utils.safestring import SafeString

from printing.members.sheet import SIZES, Arrangement, BlockEntry, arrange
from typesetting.measuring import about_lines, lines_height

# Points, and millimetres: a line of errors, a line of the table of sums, the least and greatest
# height of the box for notes with the space around it. Since all of this is an estimate, some
# millimetres and a share of the page stay free.
FOOT_SIZE = 7.5
ERROR, SUM = 4.2, 5.2
LEAST_NOTES, MOST_NOTES, AROUND_NOTES = 12.0, 110.0, 5.0
SLACK, SHARE = 2.0, 0.02


@dataclass(frozen=True)
class Ending:
    """The blocks in the chosen letters, the ``foot`` as HTML, and the height of the box for
    ``notes`` in millimetres: 0 if there is none.
    """

    arrangement: Arrangement
    foot: SafeString
    notes: float


@dataclass(frozen=True)
class _Foot:
    """A foot with some or all of its parts, and its height without the box for notes."""

    html: SafeString
    high: float
    notes: bool

    @property
    def needed(self) -> float:
        """The least height of the foot."""
        return self.high + (LEAST_NOTES + AROUND_NOTES) * self.notes


def choose_ending(
    context: Mapping[str, Any],
    entries: Sequence[BlockEntry],
    room: float,
    gutter: float,
    height: float,
    head: float,
) -> Ending:
    """Choose the largest letters and the fullest foot on the smallest number of pages.

    ``room`` and ``gutter``: of the blocks, in millimetres; ``height``: of a page; ``head``: of the
    band on the first page.
    """
    height = height * (1 - SHARE) - SLACK

    @cache
    def arrangement(place: int) -> tuple[Arrangement, int, float]:
        laid = arrange(entries, room, gutter, SIZES[place])
        return laid, *laid.pages(height, head)

    def pages(one: _Foot, place: int) -> int:
        _laid, needed, left = arrangement(place)
        return needed + (one.needed > left)

    feet = [
        _foot(context, room, ranks=ranks, legend=legend, notes=notes)
        for legend, notes, ranks in ((1, 1, 1), (1, 1, 0), (1, 0, 0), (0, 0, 0))
    ]
    last = len(SIZES) - 1
    fewest = pages(feet[-1], last)
    found = next(one for one in feet if pages(one, last) <= fewest)
    place = bisect_left(range(last), True, key=lambda place: pages(found, place) <= fewest)
    chosen, _needed, left = arrangement(place)
    free = left if found.needed <= left else height
    notes = min(free - found.high - AROUND_NOTES, MOST_NOTES) if found.notes else 0
    return Ending(chosen, found.html, notes)


def foot(context: Mapping[str, Any]) -> SafeString:
    """Render the foot below the blocks, without the box for notes."""
    return render_to_string("printing/sheets/roster_foot.html", {**context})


def _foot(context: Mapping[str, Any], room: float, *, ranks: int, legend: int, notes: int) -> _Foot:
    """Return the foot, with or without the descriptions of ranks and the meanings of labels."""
    shown = {
        **context,
        "ranks": context["ranks"] if ranks else [],
        "legend": context["legend"] if legend else [],
    }
    html = foot(shown)
    taken = _height(html, room)
    taken += ERROR * (len(context["errors"]) + bool(context["more_errors"]))
    taken += SUM * (len(context["sums"]) + 1) if context["sums"] else 0
    return _Foot(html, taken, bool(notes))


def _height(foot: str, room: float) -> float:
    """Estimate the height of the paragraphs below the blocks."""
    paragraphs = [" ".join(strip_tags(part).split()) for part in foot.split("</p>")]
    lines = sum(about_lines(part, FOOT_SIZE, room) for part in paragraphs if part)
    return lines_height(lines, FOOT_SIZE) + len(paragraphs) * 0.8
