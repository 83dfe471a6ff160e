"""Every kind of print in the languages whose words are longest: German, and the trial language, in
which also each word of the rulebook is longer. Nothing is clipped, leaves its place or lies on
something else, no letter is too small, and heads stay whole.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest
from django.utils.translation import override

from accounts.models import User
from campaigns.league.loading import load_stage
from common.wording.catalogues import TRIAL, lengthen
from common.wording.texts import Text
from printing.paper.orders import STYLES, Order, Style
from printing.press.jobs import Job
from printing.reference import job as reference
from printing.reference.job import ReferenceOrder
from printing.season import pack, stage_sheet
from printing.season.pack import PackOrder
from printing.season.pack_views import tables_of
from printing.sheets import blank, roster
from printing.sheets.blank import BlankOrder
from printing.sheets.roster import SheetOrder
from tests.printing.crowds import crowd
from tests.printing.reading import LABELS, broken_words, too_small, troubles
from tests.printing.season.evenings import season
from tests.printing.season.test_pack import meeting
from tests.printing.season.test_yearbook import job as yearbook_job
from tests.printing.sheets.test_cards import job as cards_job
from tests.printing.sheets.test_posters import found_gang
from tests.printing.sheets.test_posters import job as posters_job
from tests.printing.sheets.test_sheet_games import seasoned_gang
from tests.random_cases import in_pairs
from tests.world.campaigns import make_campaign, make_stage
from tests.world.gangs import SLUGS, shipped
from typesetting.letters import LARGE, LARGE_LABEL, SMALLEST, SMALLEST_LABEL

pytestmark = [pytest.mark.papers, pytest.mark.long]


@pytest.fixture(params=["de", TRIAL])
def language(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the language of a print."""
    code: str = request.param
    if code == TRIAL:
        request.getfixturevalue("trial")
        translated = Text.translated

        def longer(self: Text, language: str) -> str:
            text = translated(self, language)
            return lengthen(text) if language.startswith(TRIAL) else text

        monkeypatch.setattr(Text, "translated", longer)
    return code


def faults(
    job: Job,
    style: Style,
    within: Any = "margins",
    large: float = LARGE,
    labels: Collection[str] = LABELS,
) -> list[str]:
    """Return a print's faults in words. ``large``: the smallest text in large print; ``labels``:
    the classes of its labels."""
    sizes = (large, LARGE_LABEL) if style == "accessible" else (SMALLEST, SMALLEST_LABEL)
    return [*troubles(job, within), *too_small(job, *sizes, labels), *broken_words(job)]


CASES = in_pairs(SLUGS, STYLES)


@pytest.mark.parametrize(("slug", "style"), CASES)
def test_sheet_fits_in_any_language(language: str, slug: str, style: Style) -> None:
    for computed in (seasoned_gang(slug), crowd(shipped(slug), 6, items=6, name="Jo Ashdown")):
        with override(language):
            job = Job(roster.markup(computed, SheetOrder(language, style=style, sums=True)))
        assert faults(job, style) == []


@pytest.mark.parametrize("size", ["poker", "large"])
@pytest.mark.parametrize(("slug", "style"), CASES)
def test_cards_fit_in_any_language(language: str, slug: str, style: Style, size: Any) -> None:
    wanted = cards_job(seasoned_gang(slug), language, style=style, size=size)
    assert faults(wanted, style, "paper") == []


@pytest.mark.parametrize(("slug", "style"), CASES)
def test_forms_fit_in_any_language(language: str, slug: str, style: Style) -> None:
    job = blank.job(shipped(slug), BlankOrder(language, "a4", style))
    assert faults(job, style) == []


@pytest.mark.parametrize(("slug", "style"), CASES)
def test_reference_fits_in_any_language(language: str, slug: str, style: Style) -> None:
    job = reference.job(shipped(slug), ReferenceOrder(language, "a4", style))
    labels = {*LABELS, "about", "foot"}
    assert faults(job, style, large=reference.LARGE_TIGHTER, labels=labels) == []


@pytest.mark.parametrize(("slug", "style"), CASES)
def test_posters_fit_in_any_language(language: str, slug: str, style: Style) -> None:
    book = shipped(slug)
    wanted = posters_job(book, found_gang(book), language, style=style, blanks=1)
    assert faults(wanted, style) == [], faults(wanted, style)


@pytest.mark.parametrize(("slug", "style"), CASES)
def test_yearbook_fits_in_any_language(language: str, slug: str, style: Style) -> None:
    found = season(shipped(slug), ["The Crows", "The Otters", "The Herons"], 4)
    assert faults(yearbook_job(found, language, "a4", style), style, "paper") == []


@pytest.mark.django_db
@pytest.mark.parametrize(("slug", "style"), CASES)
def test_pack_and_stage_fit_in_any_language(
    language: str, slug: str, style: Style, bob: User, alice: User
) -> None:
    game = meeting(make_campaign(bob, slug), alice, bob, scenario=True)
    gangs = [side.gang for side in game.sides.select_related("gang") if side.gang]
    order = PackOrder(language, "a4", style, site="https://skirmish.example")
    assert faults(pack.job(game.campaign, tables_of([game]), order), style) == []
    stage = make_stage(game.campaign, *gangs)
    printed = stage_sheet.job(load_stage(stage), bob, Order(language, style=style))
    assert faults(printed, style) == []
