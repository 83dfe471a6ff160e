"""Every print can be read aloud: its structure meets PDF/UA.

No validator of PDF/UA can be installed from the registries that this project uses; these tests
check the structure tree as a validator would.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.utils.translation import override

from gangs.engine.computed import ComputedGang
from printing.paper.orders import STYLES, Style
from printing.press.jobs import Job
from printing.reference import job as reference
from printing.reference.job import ReferenceOrder
from printing.sheets import cards, posters
from printing.sheets import roster as sheet
from printing.sheets.cards import CardsOrder
from printing.sheets.deeds import Season
from printing.sheets.posters import PostersOrder
from printing.sheets.roster import SheetOrder
from tests.printing.season.evenings import season
from tests.printing.season.test_pack import job as pack_job
from tests.printing.season.test_pack import meeting
from tests.printing.season.test_yearbook import job as yearbook_job
from tests.printing.sheets.test_sheet_games import seasoned_gang
from tests.printing.structure import faults
from tests.random_cases import in_pairs
from tests.world.campaigns import make_campaign
from tests.world.gangs import SLUGS, shipped

pytestmark = [pytest.mark.papers, pytest.mark.long]


def sheet_job(computed: ComputedGang, style: Style) -> Job:
    return Job(sheet.markup(computed, SheetOrder("fr", style=style, sums=True)))


def cards_job(computed: ComputedGang, style: Style) -> Job:
    return Job(cards.markup(computed, CardsOrder("fr", style=style, spares=1)), ("fonts", "cards"))


def posters_job(computed: ComputedGang, style: Style) -> Job:
    book = computed.book
    order = PostersOrder("fr", style=style)
    html = posters.markup(book, computed.roster, order, Season(book))
    return Job(html, ("fonts", "posters"))


@pytest.mark.parametrize("make", [sheet_job, cards_job, posters_job])
@pytest.mark.parametrize(("slug", "style"), in_pairs(SLUGS, STYLES))
def test_prints_of_a_gang_have_a_sound_structure(slug: str, make: Any, style: Style) -> None:
    with override("fr"):
        wanted = make(seasoned_gang(slug), style)
    assert faults(wanted) == []


@pytest.mark.parametrize(("slug", "style"), in_pairs(SLUGS, STYLES))
def test_reference_sheets_have_a_sound_structure(slug: str, style: Style) -> None:
    assert faults(reference.job(shipped(slug), ReferenceOrder("fr", style=style))) == []


@pytest.mark.django_db
@pytest.mark.parametrize(("slug", "style"), in_pairs(SLUGS, STYLES))
def test_packs_have_a_sound_structure(slug: str, style: Style, alice: Any, bob: Any) -> None:
    game = meeting(make_campaign(bob, slug), alice, bob)
    assert faults(pack_job(game, style)) == []


@pytest.mark.parametrize(("slug", "style"), in_pairs(SLUGS, STYLES))
def test_yearbooks_have_a_sound_structure(slug: str, style: Style) -> None:
    found = season(shipped(slug), ["The Crows", "The Otters", "The Herons"], 4)
    assert faults(yearbook_job(found, "fr", style=style)) == []


def test_faults_are_listed() -> None:
    html = (
        "<html><head><title>A</title></head><body><h2>B</h2><h1>C</h1><h3>D</h3>"
        '<svg viewBox="0 0 1 1" width="1mm" height="1mm"><path d="M0 0h1"/></svg>'
        "<table><tr><td>x</td></tr></table></body></html>"
    )
    told = faults(Job(html))
    assert told[0] == "the first heading is [2]"
    assert "3 follows on 1" in told
    assert "a cell has the heads []" in told
    assert len(told) >= 3
