"""The printed sheet: its content, and that nothing is clipped."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import segno
from django.utils.translation import override

from gangs.cards import sheet as cards_sheet
from gangs.cards.item_tables import keep_looked_up
from gangs.cards.render import render
from gangs.cards.sheet import life_label
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.ledger import writer
from printing.paper.orders import STYLES, Style
from printing.press import layout as press
from printing.press.jobs import Job
from printing.sheets import roster as papers
from printing.sheets.roster import SheetOrder
from tests.printing.crowds import LINK, LONG, UNBROKEN, crowd
from tests.printing.reading import (
    boxes_of,
    fonts_of,
    is_tagged,
    language_of,
    pages_of,
    sizes_of,
    squeezed,
    text_of,
    title_of,
    troubles,
)
from tests.random_cases import one_soon
from tests.world.gangs import GOLD, POINTS, make_gang, rostered, scene_of, shipped

pytestmark = pytest.mark.papers


def make_html(computed: ComputedGang, language: str = "en", **wanted: Any) -> str:
    with override(language):
        return papers.markup(computed, SheetOrder(language, **wanted))


def print_sheet(computed: ComputedGang, language: str = "en", **wanted: Any) -> bytes:
    return press.pdf(Job(make_html(computed, language, **wanted)))


# Content -------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("slug", [POINTS, GOLD])
def test_sheet_prints_everything(slug: str, language: str, style: Style) -> None:
    computed = crowd(shipped(slug), 4, items=5)
    page = render(computed, language)
    text = text_of(print_sheet(computed, language, style=style, link=LINK, sums=True))
    expected: list[object] = [page.name, page.rating, page.rating_name, LINK]
    expected += [f"{line.name}{line.amount}" for line in page.receipt if line.amount]
    for line in [*page.stash, *page.innate]:
        expected += [line.name, line.text]
    for card in page.cards:
        expected += [card.name, card.rank, card.rating, card.notes, card.profession]
        for stat in card.stats:
            expected += [stat.short, stat.value, stat.name]
        for line in keep_looked_up(computed.book, card.items, short_in=language):
            # Other ways to use an item are rows of their own.
            expected += [line.name, line.own_text, *(way.name for way in line.ways)]
            expected += [value for _, value in line.cells]
            expected += [column for column, value in line.cells if value != "–"]
        for words in [*card.calling, *card.traits, *card.gained, *card.afflictions]:
            expected += [words.name, words.text]
    missing = [wanted for wanted in expected if squeezed(wanted) not in text]
    assert not missing
    assert ("†" in text) == cards_sheet.shows_house(computed.book, page)


@pytest.mark.long
def test_sums_are_printed_only_on_request() -> None:
    """At the end, for every member and the gang."""
    computed = crowd(shipped(POINTS), 3)
    page = render(computed, "en")
    worth = [
        cards_sheet.sum_up(one.receipt, one.rating, page.rating_unit) for one in (*page.cards, page)
    ]
    assert all(worth)
    without, text = (text_of(print_sheet(computed, sums=wanted)) for wanted in (False, True))
    assert [squeezed(one) for one in worth if squeezed(one) in without] == []
    places = [text.index(squeezed(one)) for one in worth]
    assert places == sorted(places) and places[0] > text.index(squeezed("Notes"))


def test_findings_are_not_at_the_top_of_the_sheet() -> None:
    """Findings come after all members."""
    computed = crowd(shipped(POINTS), 3, items=9)
    page = render(computed, "en")
    [first, *_more] = [line.text for line in page.findings if line.severity == "error"]
    text = text_of(print_sheet(computed))
    assert text.index(squeezed(page.cards[-1].name)) < text.index(squeezed(first))


def test_characteristics_are_in_order() -> None:
    """Labels and values are in two lines, each in the book's order."""
    computed = crowd(shipped(POINTS), 1)
    card = render(computed, "en").cards[0]
    lines = pages_of(print_sheet(computed))[0].splitlines()
    labels = next(i for i, line in enumerate(lines) if line.split()[:2] == ["HP", "DP"])
    assert lines[labels].split() == [stat.short for stat in card.stats]
    assert lines[labels + 1].split() == [stat.value for stat in card.stats]


def test_sheet_has_a_box_for_every_point_of_life() -> None:
    computed = crowd(shipped(POINTS), 1)
    life = render(computed, "en").cards[0].life
    assert len(life) > 1 and not any(life)
    label = life_label(computed.book, "en")
    (path,) = re.findall(rf'<title>{label} \d+</title><path d="([^"]*)"', make_html(computed))
    assert path.count("h40v40h-40z") == len(life)


def test_equal_items_are_counted() -> None:
    book = shipped(POINTS)
    made: list[Entry] = [
        kinds.Founded(name="Twins", settings=book.default_settings()),
        kinds.Recruited(rank="henchman", name="Janus"),
        *[kinds.Bought(item="knife", member=2)] * 2,
    ]
    assert "2×Knife" in text_of(print_sheet(ComputedGang.of(book, rostered(book, made))))


def test_sheet_prints_experience_and_conditions() -> None:
    book = shipped(POINTS)
    condition = book.conditions[1]
    made: list[Entry] = [
        kinds.Founded(name="Veterans", settings=book.default_settings()),
        kinds.Recruited(rank="henchman", name="Sore Sam"),
        kinds.Learned(member=2, amount=7),
        kinds.Suffered(member=2, condition=condition.key, games=1),
    ]
    text = text_of(print_sheet(ComputedGang.of(book, rostered(book, made))))
    assert "Experience7" in text
    assert squeezed(condition.name["en"]) in text
    assert squeezed(condition.text["en"]) in text


def test_sheet_has_code_and_address_only_when_shared() -> None:
    computed = crowd(shipped(POINTS), 1)
    path = re.search(r' d="[^"]+"', segno.make(LINK, error="m", micro=False).svg_inline(border=0))
    assert path is not None
    assert path[0] in make_html(computed, link=LINK)
    assert path[0] not in make_html(computed)
    assert "https" not in text_of(print_sheet(computed))


def test_campaign_is_named(alice: Any) -> None:
    gang = make_gang(alice)
    joined = kinds.Joined(campaign="c1", name="The Long Winter", settings={})
    writer.append(gang, [joined], expected_version=gang.version, actor=alice)
    gang.refresh_from_db()
    assert "The Long Winter" in papers.job(gang.view, SheetOrder("en")).html
    assert cards_sheet.sheet_parts(gang, "en").campaigns == "The Long Winter"


# Layout ---------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    ("members", "name"), [(1, LONG), (1, UNBROKEN), (10, LONG), (10, UNBROKEN), (30, LONG)]
)
def test_sheet_clips_nothing(members: int, name: str, style: Style) -> None:
    computed = crowd(shipped(POINTS), members, name=name)
    assert troubles(Job(make_html(computed, "fr", style=style, link=LINK))) == []


@pytest.mark.parametrize("language", one_soon(["en", "fr"]))
@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize("style", STYLES)
def test_sheet_clips_nothing_in_another_game(style: Style, paper: str, language: str) -> None:
    computed = crowd(shipped(GOLD), 6)
    assert troubles(Job(make_html(computed, language, paper=paper, style=style))) == []


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("name", [LONG, UNBROKEN])
@pytest.mark.parametrize("slug", [POINTS, GOLD])
def test_names_and_values_share_their_lines(slug: str, name: str, language: str) -> None:
    """Names and values are two blocks of lines: if a line wraps, values no longer match names."""
    from weasyprint.formatting_structure import boxes

    html = make_html(crowd(shipped(slug), 12, name=name), language)
    names, values = [], []
    for page in press.lay_out(Job(html)).pages:
        for box in boxes_of(page._page_box):
            kind = box.element.get("class", "").split() if box.element is not None else []
            if isinstance(box, boxes.BlockBox) and box.element_tag == "p" and kind:
                heights = [round(line.position_y, 1) for line in box.children]
                if kind[0] == "n":
                    heads = int(kind[1].removeprefix("h")) if len(kind) > 1 else 0
                    names.append((heads, heights))
                elif kind[0] == "v":
                    values.append(heights)
    assert names
    # Headings are above the values; text without a name may follow below the last value.
    for (heads, beside), lines in zip(names, values, strict=True):
        assert beside == lines[heads : heads + len(beside)]
        assert len(lines) - heads - len(beside) <= 1


def test_the_check_for_clipping_can_fail() -> None:
    computed = crowd(shipped(POINTS), 1, name=UNBROKEN)
    rigid = make_html(computed).replace("<style>", "<style>h1, h2 { white-space: nowrap } ")
    assert any("leaves the margins" in trouble for trouble in troubles(Job(rigid)))
    piled = make_html(computed).replace(
        "<style>", "<style>.block p { margin-top: -3mm !important } "
    )
    assert any(" on " in trouble for trouble in troubles(Job(piled)))


@pytest.mark.long
def test_words_stay_on_the_printed_page(tmp_path: Path) -> None:
    file = tmp_path / "sheet.pdf"
    file.write_bytes(print_sheet(crowd(shipped(POINTS), 10), "fr", link=LINK))
    command = ["pdftotext", "-bbox", str(file), "-"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    words = re.findall(r'xMin="(.+?)" yMin="(.+?)" xMax="(.+?)" yMax="(.+?)">(.*?)<', told)
    assert len(words) > 1000
    for left, top, right, bottom, word in words:
        assert float(left) > 31 and float(right) < 565, word
        assert float(top) > 28 and float(bottom) < 836, word


@pytest.mark.parametrize(("paper", "size"), [("a4", (595, 842)), ("letter", (612, 792))])
def test_sheet_has_the_chosen_paper_size(paper: str, size: tuple[int, int]) -> None:
    assert set(sizes_of(print_sheet(crowd(shipped(POINTS), 2), paper=paper))) == {size}


def test_sheet_numbers_its_pages(alice: Any) -> None:
    """Five members fit one page; footers count them."""
    pages = pages_of(print_sheet(scene_of(make_gang(alice))))
    assert len(pages) == 1
    assert "1 / 1" in pages[0]


def test_fonts_are_embedded() -> None:
    assert fonts_of(print_sheet(crowd(shipped(POINTS), 2), "fr")) == {
        "Fira-Sans",
        "Fira-Sans-Semi-Bold",
        "Zilla-Slab-Bold",
        "Fira-Sans-More-Semi-Bold",
        "Skirmish-Signs",
    }


def test_sheet_prints_accents() -> None:
    letters = "àâçéèêëîïôùûüÿœæÀÇÉÈŒ«»’…–€łşőŽ"
    text = text_of(print_sheet(crowd(shipped(POINTS), 1, name=letters), "fr"))
    assert letters in text


@pytest.mark.parametrize("style", one_soon(STYLES))
def test_sheet_can_be_read_aloud(style: Style) -> None:
    computed = crowd(shipped(POINTS), 1)
    pdf = print_sheet(computed, "fr", style=style)
    assert is_tagged(pdf)
    assert (title_of(pdf), language_of(pdf)) == (computed.roster.name, "fr")


def test_same_gang_prints_equal_bytes() -> None:
    computed = crowd(shipped(POINTS), 2)
    assert print_sheet(computed, link=LINK) == print_sheet(computed, link=LINK)


def test_printing_fetches_nothing(caplog: pytest.LogCaptureFixture) -> None:
    shown = "<img src='file:///etc/passwd'/><img src='http://127.0.0.1:9/x.png'/>"
    html = f"<html><body><p>before{shown}after</p></body></html>"
    assert text_of(press.pdf(Job(html))).startswith("beforeafter")
    assert caplog.text.count("Not a file of ours") == 2
