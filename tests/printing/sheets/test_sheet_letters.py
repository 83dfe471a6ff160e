"""Roster sheets are legible: their letters are as large as possible, their pages full."""

from __future__ import annotations

from typing import Any

import pypdfium2
import pytest
from django.utils.translation import override
from weasyprint.formatting_structure import boxes

from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from printing.members.sheet import LEAST_NAME, SIZES
from printing.paper.orders import STYLES, Paper, Style
from printing.press import layout as press
from printing.press.jobs import Job
from printing.sheets import endings
from printing.sheets import roster as papers
from printing.sheets.roster import SheetOrder
from rules.book.model import Book
from tests.printing.crowds import LONG, crowd
from tests.printing.reading import (
    boxes_of,
    fullness,
    pages_of,
    printed,
    text_of,
    too_small,
    troubles,
)
from tests.random_cases import in_pairs, one_soon
from tests.world.gangs import POINTS, SLUGS, rostered, shipped
from typesetting.letters import LARGE, LARGE_LABEL, SMALLEST

pytestmark = pytest.mark.papers
# A page with less text looks like a mistake.
LEAST = 0.15


def difficult_gang(book: Book) -> ComputedGang:
    """Long names, names in other letters, twenty items and every condition."""
    names = [LONG, "Анастасия Щукина-Жаворонкова", "🐎🐎 Ψυχή 🤠"]
    made: list[Entry] = [kinds.Founded(name="Банда 🐎", settings=book.default_settings())]
    for number, name in enumerate(names):
        made.append(kinds.Recruited(rank=book.ranks[number % len(book.ranks)].key, name=name))
        member = len(made)
        for index in range(20):
            item = book.items[(3 * number + index) % len(book.items)].key
            made.append(kinds.Bought(item=item, member=member))
        for condition in book.conditions:
            made.append(kinds.Suffered(member=member, condition=condition.key, games=2))
        made.append(kinds.Noted(member=member, text="Une note naïve, заметка. " * 5))
    return ComputedGang.of(book, rostered(book, made))


def job(computed: ComputedGang, language: str = "fr", **wanted: Any) -> Job:
    with override(language):
        return Job(papers.markup(computed, SheetOrder(language, **wanted)))


@pytest.mark.long
@pytest.mark.parametrize("members", [1, 6, 15, 30])
@pytest.mark.parametrize("slug", SLUGS)
def test_no_letter_is_too_small(slug: str, members: int) -> None:
    wanted = job(crowd(shipped(slug), members, items=4))
    assert too_small(wanted) == []
    assert troubles(wanted) == []


@pytest.mark.parametrize(("slug", "style"), one_soon(in_pairs(SLUGS, STYLES)))
def test_sheet_of_a_difficult_gang_loses_nothing(slug: str, style: Style) -> None:
    wanted = job(difficult_gang(shipped(slug)), style=style)
    assert too_small(wanted, *((LARGE, LARGE_LABEL) if style == "accessible" else ())) == []
    assert troubles(wanted) == []


@pytest.mark.long
@pytest.mark.parametrize(("paper", "language"), [("a4", "fr"), ("letter", "en")])
@pytest.mark.parametrize(("slug", "style"), in_pairs(SLUGS, STYLES))
def test_no_page_is_almost_empty(slug: str, style: Style, paper: Paper, language: str) -> None:
    """Checks the gangs that come with the game; ``-s`` shows how full each last page is."""
    book = shipped(slug)
    for ready in book.samples:
        computed = ComputedGang.of(book, rostered(book, actions.found_from_sample(book, ready)))
        wanted = job(computed, language, style=style, paper=paper)
        full = fullness(wanted)
        print(f"{slug} {ready.key}, {style}, {paper}, {language}: {full:.0%}")
        assert full >= LEAST
        assert too_small(wanted, *((LARGE, LARGE_LABEL) if style == "accessible" else ())) == []


@pytest.mark.long
@pytest.mark.parametrize("members", [1, 3, 6, 9, 13])
def test_sheet_has_the_largest_letters_that_fit(
    members: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next larger size takes another page, or the space of the text below the blocks."""
    computed = crowd(shipped(POINTS), members, items=3, name="Jo")
    with monkeypatch.context() as patched:
        patched.setattr(endings, "SIZES", SIZES[-1:])
        fewest = len(press.lay_out(job(computed)).pages)
    chosen = job(computed)
    pages = press.lay_out(chosen).pages
    assert len(pages) == fewest
    size = next(size for size in SIZES if f"--body: {size}pt" in chosen.html)
    assert size >= SMALLEST
    for larger in SIZES[: SIZES.index(size)]:
        monkeypatch.setattr(endings, "SIZES", (larger,))
        again = job(computed)
        assert len(press.lay_out(again).pages) > fewest or below(again) < below(chosen)


def below(wanted: Job) -> int:
    """The number of texts below the blocks."""
    return wanted.html.count('class="foot"') + wanted.html.count('class="notes"')


@pytest.mark.long
def test_text_below_the_blocks_is_never_alone_on_a_page() -> None:
    """Texts about ranks are left out first, then the notes, then the labels."""
    seen = set()
    for members in range(1, 25, 3):
        wanted = job(crowd(shipped(POINTS), members, items=2, name="Jo"), "en")
        last = pages_of(printed(wanted))[-1]
        assert "Jo" in last.replace("Labels", "")
        seen.add(("Labels" in wanted.html, 'class="notes"' in wanted.html))
    assert seen >= {(True, True)}


@pytest.mark.long
def test_sums_are_on_the_last_page_on_request() -> None:
    computed = crowd(shipped(POINTS), 6, items=3, name="Jo")
    assert "What they are worth" not in job(computed, "en").html
    wanted = job(computed, "en", sums=True)
    assert text_of(printed(wanted)).count("=") >= 6
    assert troubles(wanted) == []


def test_a_long_name_is_made_smaller_before_it_takes_a_third_line() -> None:
    name = "Maximilian Quetzalcoatl von Württemberg-Hohenzollern the Third"
    page = press.lay_out(job(crowd(shipped(POINTS), 1, items=1, name=name))).pages[0]
    lines = [
        box
        for box in boxes_of(page._page_box)
        if isinstance(box, boxes.TextBox) and box.element_tag == "h2" and box.text.strip() in name
    ]
    assert " ".join(line.text.strip() for line in lines).split() == name.split()
    assert len(lines) == 3
    assert lines[0].style["font_size"] * 0.75 == pytest.approx(LEAST_NAME)


def test_values_stay_in_their_columns_after_an_inch_sign() -> None:
    """Chrome's viewer draws the distance after a sign of another font."""
    html = '<pre style="tab-size: 15mm; white-space: pre">A\tB\n8″\t6</pre>'
    document = pypdfium2.PdfDocument(press.pdf(Job(f"<html><body>{html}</body></html>")))
    page = document[0].get_textpage()
    found = page.get_text_range()
    left = {letter: page.get_charbox(found.index(letter))[0] for letter in "AB86"}
    assert left["B"] - left["A"] == pytest.approx(left["6"] - left["8"], abs=2)
