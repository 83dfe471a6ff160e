"""The reference sheet: every reference, in letters that are readable at a table."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from django.test import Client
from fontTools.ttLib import TTFont

from printing.paper.orders import Paper, Style
from printing.press import layout as press
from printing.reference import job as prints_reference
from printing.reference import parts as reference_parts
from printing.reference.job import ReferenceOrder
from rules.book.model import Book
from rules.book.vocabulary import applies
from rules.engine.reference_odds import WORKED_OUT
from rules.reference_pages.pieces import ColumnHead, PageCell, PageLine, PageTable
from tests.printing.kept_pages import same_picture
from tests.printing.reading import (
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
from tests.world.gangs import GOLD, POINTS, SLUGS, make_gang, make_version, shipped
from typesetting.scripts import FONTS

pytestmark = pytest.mark.papers
# One sheet of paper, rarely a second one.
MOST_PAGES = 3


def looked_up(book: Book, language: str) -> list[str]:
    """Return everything that has to be on the sheet under the default options."""
    told = []
    for row in book.usual.references:
        if row.on_sheet:
            told += [
                row.name.translated(language),
                row.text.translated(language) if row.text else "",
            ]
            for line in row.lines:
                told.append(line.name.translated(language))
                told += [
                    cell if isinstance(cell, str) else cell.translated(language)
                    for cell in line.cells
                ]
    # Tables set as text leave out empty cells; other tests cover computed cells.
    return [text for text in told if text not in ("", "–", WORKED_OUT)]


@cache
def laid(slug: str, language: str, paper: Paper, style: Style) -> Any:
    """Return a sheet as pages, which is the slow part."""
    order = ReferenceOrder(language, paper, style)
    return press.lay_out(prints_reference.job(shipped(slug), order))


def played_with(book: Book, language: str) -> list[str]:
    """Return the other texts of the sheet: weapons, traits, injuries, conditions."""
    settings = book.default_settings()
    told = []
    for item in book.under(settings).items:
        columns = {column.key: column for column in book.group[item.group].columns}
        told += [item.name, item.text]
        told += [
            cell
            for key, cell in item.columns.items()
            if key in columns and not columns[key].minor and applies(columns[key].when, settings)
        ]
    for row in (*book.under(settings).traits, *book.under(settings).conditions):
        told += [row.name, row.text]
    for table in book.under(settings).tables:
        told += [table.name, *(text for row in table.rows for text in (row.name, row.text))]
    said = [one if isinstance(one, str) else one.translated(language) for one in told if one]
    return [text for text in said if text not in ("", "–")]


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "paper", "style"), [("fr", "letter", "ink"), ("en", "a4", "illustrated")]
)
@pytest.mark.parametrize("slug", SLUGS)
def test_the_sheet_has_every_reference(
    slug: str, language: str, paper: Paper, style: Style
) -> None:
    pdf = laid(slug, language, paper, style).write_pdf(pdf_variant="pdf/ua-1")
    assert is_tagged(pdf)
    pages = sizes_of(pdf)
    assert len(pages) <= MOST_PAGES
    assert set(pages) == {{"a4": (595, 842), "letter": (612, 792)}[paper]}
    text, book = text_of(pdf).replace("-", "").replace("\u00ad", ""), shipped(slug)
    wanted = [*looked_up(book, language), *played_with(book, language)]
    assert [said for said in wanted if bare(said) not in text] == []


def bare(said: str) -> str:
    """Return a text as tests compare it: a line may end after a hyphen."""
    return squeezed(said).replace("-", "")


@pytest.mark.long
@pytest.mark.parametrize("slug", one_soon(SLUGS))
def test_the_sheet_cuts_nothing_off_and_has_readable_letters(
    slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No letter is smaller than eight points in any game."""
    document = laid(slug, "fr", "letter", "ink")
    monkeypatch.setattr(press, "lay_out", lambda *_job: document)
    assert troubles(prints_reference.job(shipped(slug), ReferenceOrder("fr", "letter"))) == []
    sizes = {
        round(box.style["font_size"] * 72 / 96, 2)
        for page in document.pages
        for box in page._page_box.descendants()
        if getattr(box, "text", "").strip()
    }
    assert min(sizes) >= reference_parts.SMALLEST


@pytest.mark.long
@pytest.mark.parametrize("slug", [GOLD, "zombstone"])
def test_the_sheet_can_be_read_aloud(slug: str) -> None:
    book = shipped(slug)
    pdf = press.pdf(prints_reference.job(book, ReferenceOrder("fr", style="accessible")))
    assert is_tagged(pdf)
    assert language_of(pdf) == "fr"
    assert len(pages_of(pdf)) > 1
    assert title_of(pdf).startswith(book.title.translated("fr"))
    assert {"Fira-Sans", "Zilla-Slab-Bold"} <= fonts_of(pdf)
    text = text_of(pdf).replace("-", "")
    assert [said for said in looked_up(book, "fr") if bare(said) not in text] == []


@pytest.mark.long
def test_letters_are_as_large_as_the_number_of_pages_allows() -> None:
    """The next larger size would take another page, unless this is the largest size."""
    for slug in SLUGS:
        made = prints_reference.job(shipped(slug), ReferenceOrder("fr", "letter"))
        each = [replace(made, tries=(one,), lengths=()) for one in made.tries]
        pages = [len(press.lay_out(one).pages) for one in each]
        best = next(place for place, number in enumerate(pages) if number == pages[-1])
        chosen = press.lay_out(made)
        assert len(chosen.pages) == pages[-1]
        [size] = {
            round(box.style["font_size"] * 72 / 96, 2)
            for box in chosen.pages[0]._page_box.descendants()
            if box.element_tag == "li"
        }
        assert size == reference_parts.SIZES[best]


@pytest.mark.long
def test_first_sheet_is_laid_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The estimate finds the size of its letters, for every shipped rulebook."""
    laid: list[str] = []
    rules = press._press().rules

    def count(text: str) -> Any:
        laid.append(text)
        return rules(text)

    monkeypatch.setattr(press._press(), "rules", count)
    orders = [ReferenceOrder("en"), ReferenceOrder("fr")]
    for slug in SLUGS:
        for order in orders:
            press.lay_out(prints_reference.job(shipped(slug), order))
    assert len(laid) == len(SLUGS) * len(orders)


def test_the_sheet_leaves_out_minor_columns() -> None:
    heads = [
        column.name["en"] for column in shipped("cran").group["ranged"].columns if column.minor
    ]
    sheet = prints_reference.job(shipped("cran"), ReferenceOrder("en")).html
    weapons = sheet.split("<h3>Ranged weapons")[1]
    assert heads and "Jam" in weapons
    assert [head for head in heads if head in weapons] == []


@pytest.mark.long
def test_options_decide_which_rules_are_on_the_sheet() -> None:
    """The sheet shows the chosen one of two readings of a rule, and names it."""
    book = shipped("zombstone")
    usual = book.default_settings()
    other = usual | {"rerolls": "several" if usual["rerolls"] == "once" else "once"}
    sheets = [
        text_of(
            press.pdf(
                prints_reference.job(
                    book, ReferenceOrder("en", settings=tuple(sorted(one.items())))
                )
            )
        )
        for one in (usual, other)
    ]
    once = squeezed("re-roll that many dice once").replace("-", "")
    assert [once in sheet.replace("-", "") for sheet in sheets] == [True, False]
    setting = book.setting["rerolls"]
    assert setting.kind == "choice"
    names = {choice.key: choice.name.translated("en") for choice in setting.choices}
    assert squeezed(names[str(other["rerolls"])]) in sheets[1]


@pytest.mark.long
def test_equal_rows_of_a_table_share_a_line() -> None:
    text = text_of(laid("cran", "en", "a4", "illustrated").write_pdf())
    assert squeezed("1, 3, 5, 7, 9 Shooting, -1 die.") in text
    assert text.count(squeezed("Shooting, -1 die.")) == 1


def test_a_table_that_would_be_too_wide_is_not_transposed() -> None:
    """Transposed, the long words would not fit a column of the page."""
    sheet = prints_reference.job(shipped("cran"), ReferenceOrder("fr")).html
    infamy = next(row for row in shipped("cran").references if row.key == "infamy")
    lying = sheet.split(f"<h3>{infamy.name['fr']}<")[1].split("</table>")[0]
    assert lying.count("<tr>") == 2
    for names, lies in (("abcdefghi", True), ("ab", False), (["Unaussprechlich"] * 9, False)):
        lines = tuple(PageLine(name, (PageCell("1"),)) for name in names)
        assert reference_parts._lies_better(PageTable("", (ColumnHead("x"),), lines)) == lies


@pytest.mark.long
def test_the_sheet_marks_house_values() -> None:
    text = text_of(laid(GOLD, "en", "a4", "illustrated").write_pdf())
    watch = next(row for row in shipped(GOLD).references if row.key == "watch")
    assert squeezed(f"{watch.name['en']} †") in text
    assert squeezed("† House value:") in text


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("slug", SLUGS)
def test_the_fonts_have_every_letter_of_the_sheet(slug: str, language: str) -> None:
    ours: set[str] = set()
    for file in FONTS.glob("fira-sans-*-400-normal.woff2"):
        with TTFont(file, lazy=True) as font:
            ours |= set(map(chr, font.getBestCmap()))
    html = prints_reference.job(shipped(slug), ReferenceOrder(language, "a4")).html
    assert set(html) - ours == {"\n"}


@pytest.mark.long
def test_printing_a_sheet_twice_gives_the_same_bytes() -> None:
    """The sizes that were tried leave no trace in the file."""
    order = ReferenceOrder("fr", "letter")
    again = press.pdf(prints_reference.job(shipped("zombstone"), order))
    first = laid("zombstone", "fr", "letter", "ink").write_pdf(pdf_variant="pdf/ua-1")
    assert again == first


@pytest.mark.parametrize(
    ("slug", "language", "paper", "style"),
    one_soon([(POINTS, "fr", "letter", "ink"), ("cran", "en", "a4", "illustrated")]),
)
def test_the_sheet_matches_its_reference_picture(
    slug: str, language: str, paper: Paper, style: Style
) -> None:
    pdf = laid(slug, language, paper, style).write_pdf(pdf_variant="pdf/ua-1")
    same_picture(pdf, f"reference-{slug}-{style}")


# The addresses


@pytest.fixture
def version(db: None, at_once: None) -> str:
    digest: str = make_version(GOLD).digest
    return digest


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lay sheets out once, without trying several letter sizes."""
    monkeypatch.setattr(prints_reference, "_tries", lambda _limits: ())


def test_a_visitor_can_print_the_sheet(client: Client, version: str) -> None:
    for address in (f"/rules/{GOLD}/reference.pdf", f"/rules/version/{version}/reference.pdf"):
        response = client.get(f"{address}?paper=letter")
        assert (response.status_code, response["Content-Type"]) == (200, "application/pdf")
        assert set(sizes_of(response.content)) == {(612, 792)}
        again = client.get(f"{address}?paper=letter", headers={"If-None-Match": response["ETag"]})
        assert again.status_code == 304


def test_an_unknown_game_is_not_found(client: Client, version: str) -> None:
    assert client.get("/rules/chess/reference.pdf").status_code == 404
    assert client.get(f"/rules/version/{'0' * 64}/reference.pdf").status_code == 404


def test_the_rules_link_to_the_sheet(client: Client, version: str) -> None:
    for page, sheet in [
        (f"/rules/{GOLD}/", f"/rules/{GOLD}/reference.pdf"),
        (f"/rules/{GOLD}/play/", f"/rules/{GOLD}/reference.pdf"),
    ]:
        assert f'action="{sheet}"' in client.get(page).content.decode()


def test_a_gang_prints_the_sheet_with_its_own_options(
    client: Client, alice: Any, at_once: None
) -> None:
    """The sheet uses the gang's options and the owner's last choices."""
    client.force_login(alice)
    gang = make_gang(alice, "zombstone")
    chosen = {"kind": "reference", "paper": "letter", "style": "ink"}
    response = client.post(f"/gangs/{gang.pk}/prints/", chosen)
    assert response["Location"] == f"/gangs/{gang.pk}/reference.pdf?paper=letter&style=ink"
    sheet = client.get(f"/gangs/{gang.pk}/reference.pdf")
    assert set(sizes_of(sheet.content)) == {(612, 792)}
