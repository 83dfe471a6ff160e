"""Large print is as good as ordinary print, in every game.

No block that fits a page is split, no heading is broken inside a word or left at the foot of a
page, and the rest of a last page has room for notes.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.utils.translation import override

from printing.press import layout as press
from printing.press.jobs import Job
from printing.reference import job as reference
from printing.reference.job import ReferenceOrder
from printing.sheets import blank
from printing.sheets import roster as sheet
from printing.sheets.blank import BlankOrder
from printing.sheets.roster import SheetOrder
from tests.printing.crowds import crowd
from tests.printing.reading import (
    boxes_of,
    broken_words,
    fullness,
    pages_of,
    printed,
    split_boxes,
    stranded_headings,
)
from tests.printing.season.evenings import season
from tests.printing.season.test_pack import job as pack_job
from tests.printing.season.test_pack import meeting
from tests.printing.season.test_yearbook import job as yearbook_job
from tests.printing.sheets.test_sheet_games import seasoned_gang
from tests.world.campaigns import make_campaign
from tests.world.gangs import POINTS, SLUGS, shipped

pytestmark = [pytest.mark.papers, pytest.mark.long]
# Boxes that stay on one page if they fit. On a reference sheet only boxes of at most about a third
# of a page are ``short``: a table of thirty lines would leave an empty page before it.
WHOLE = ("fighter", "block", "game-strip", "side", "chart", "short", "notes")


def sheet_job(slug: str) -> Job:
    with override("en"):
        return Job(
            sheet.markup(seasoned_gang(slug), SheetOrder("en", style="accessible", sums=True))
        )


def faults(job: Job) -> list[str]:
    """A print's split blocks, broken words and stranded headings."""
    return [*split_boxes(job, *WHOLE), *broken_words(job), *stranded_headings(job)]


@pytest.mark.parametrize("slug", SLUGS)
def test_sheet_has_whole_blocks_and_room_for_notes(slug: str) -> None:
    job = sheet_job(slug)
    assert faults(job) == []
    assert fullness(job) >= 0.95


@pytest.mark.django_db
@pytest.mark.parametrize("slug", SLUGS)
def test_pack_has_whole_blocks_and_room_for_notes(slug: str, alice: Any, bob: Any) -> None:
    job = pack_job(meeting(make_campaign(bob, slug), alice, bob, scenario=True), "accessible")
    assert faults(job) == []
    assert fullness(job) >= 0.95


@pytest.mark.parametrize("slug", SLUGS)
def test_blank_forms_have_whole_blocks(slug: str) -> None:
    assert faults(blank.job(shipped(slug), BlankOrder("en", style="accessible"))) == []


@pytest.mark.parametrize("slug", SLUGS)
def test_reference_sheet_has_no_almost_empty_last_page(slug: str) -> None:
    job = reference.job(shipped(slug), ReferenceOrder("en", style="accessible"))
    assert faults(job) == []
    assert saves_nothing(job)


@pytest.mark.parametrize("slug", SLUGS)
def test_yearbook_has_no_almost_empty_last_page(slug: str) -> None:
    found = season(shipped(slug), ["The Crows", "The Otters", "The Herons"], 4)
    job = yearbook_job(found, "en", style="accessible")
    assert faults(job) == []
    assert saves_nothing(job)


def saves_nothing(job: Job) -> bool:
    """Whether a third of the last page is used, or tighter lines need as many pages."""
    tighter = Job(job.html, job.styles, tries=(job.tighter,))
    return fullness(job) >= press.SCRAP or len(pages_of(printed(tighter))) == len(
        pages_of(printed(job))
    )


@pytest.mark.parametrize("members", [4, 13])
def test_block_moves_to_the_next_page_only_when_it_does_not_fit(members: int) -> None:
    """The empty space at the foot of a page is lower than the next block."""
    order = SheetOrder("en", style="accessible")
    html = sheet.markup(crowd(shipped(POINTS), members, name="Jo"), order)
    pages = press.lay_out(Job(html)).pages
    blocks = [[box for box in boxes_of(page._page_box) if is_fighter(box)] for page in pages]
    for here, there, page in zip(blocks, blocks[1:], pages, strict=False):
        if here and there:
            paper = page._page_box
            bottom = here[-1].position_y + here[-1].margin_height()
            free = paper.content_box_y() + paper.height - bottom
            assert free < there[0].margin_height()


def is_fighter(box: Any) -> bool:
    element = box.element
    return element is not None and "fighter" in element.get("class", "").split()
