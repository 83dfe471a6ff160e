"""The helpers that examine prints detect faults."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image
from pypdf import PdfWriter
from pypdf.generic import DictionaryObject, NameObject

from printing.press import layout as press
from printing.press.jobs import Job
from tests.printing import kept_pages as pictures
from tests.printing.reading import (
    fonts_of,
    is_tagged,
    language_of,
    links_of,
    pages_of,
    sizes_of,
    squeezed,
    text_of,
    title_of,
    troubles,
)

pytestmark = pytest.mark.papers

PAGE = """<html lang="fr"><head><title>Une page</title></head><body><style>@page {{ size: A4 }}
div {{ height: 20mm }} {style}</style><h1>Grüß Gott</h1><div>{text}</div>
<p style="break-before: page"><a href="https://skirmish.example/">Second page</a></p></body></html>
"""


def job(style: str = "", text: str = "Some words") -> Job:
    return Job(PAGE.format(style=style, text=text))


def test_helpers_read_a_print() -> None:
    pdf = press.pdf(job())
    assert squeezed("Grüß Gott Some words") in text_of(pdf)
    assert ["Second page" in page for page in pages_of(pdf)] == [False, True]
    assert sizes_of(pdf) == [(595, 842)] * 2
    assert fonts_of(pdf) == {"Fira-Sans", "Zilla-Slab-Bold"}
    assert (title_of(pdf), language_of(pdf)) == ("Une page", "fr")
    assert links_of(pdf) == ["https://skirmish.example/"]
    assert is_tagged(pdf)


def test_is_tagged_detects_an_untagged_print() -> None:
    assert not is_tagged(press.lay_out(job()).write_pdf())


def test_fonts_of_detects_a_font_that_is_not_embedded() -> None:
    writer = PdfWriter()
    font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    named = {NameObject(name): NameObject(value) for name, value in font.items()}
    writer._add_object(DictionaryObject(named))
    made = io.BytesIO()
    writer.write(made)
    with pytest.raises(AssertionError, match="Helvetica is not embedded"):
        fonts_of(made.getvalue())


@pytest.mark.parametrize(
    ("style", "trouble"),
    [
        ("div { white-space: nowrap; padding-left: 180mm }", "leaves the margins"),
        ("div { position: absolute; top: 275mm }", "leaves the margins"),
        ("div { height: 3mm; overflow: hidden; padding: 0; line-height: 9mm }", "is cut off"),
        ("div { margin-top: -2mm }", " on "),
        ("div { columns: 4; white-space: nowrap; word-spacing: 35mm }", "leaves its column"),
        ("@page { @bottom-left { content: 'x'; padding-top: 30mm } }", "leaves the paper"),
    ],
)
def test_troubles_detects_every_fault_of_layout(style: str, trouble: str) -> None:
    assert troubles(job()) == []
    assert any(trouble in found for found in troubles(job(style)))


def test_troubles_allows_drawing_on_margins() -> None:
    aside = job("div { position: absolute; top: -5mm }")
    assert troubles(aside) and not troubles(aside, within="paper")


def test_same_picture_detects_a_moved_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(pictures, "DIFFERENCES", tmp_path / "differences")
    text = "Many words. " * 60
    now = press.pdf(job(text=text))
    with pytest.raises(AssertionError, match="page 1 is new; page 2 is new"):
        pictures.same_picture(now, "page")
    monkeypatch.setenv("RENEW_PICTURES", "1")
    pictures.same_picture(now, "page")
    monkeypatch.delenv("RENEW_PICTURES")
    pictures.same_picture(now, "page")
    with pytest.raises(AssertionError, match="page 1 differs in"):
        pictures.same_picture(press.pdf(job("div { padding-top: 1mm }", text)), "page")
    names = {file.name for file in (tmp_path / "differences").iterdir()}
    assert names == {"page-1-kept.png", "page-1-now.png", "page-1-differs.png"}
    with pytest.raises(AssertionError, match="page 2 is not printed"):
        pictures.same_picture(now, "page", pages=1)


def test_difference_tolerates_a_tiny_shift() -> None:
    pdf = press.pdf(job(text="Many words. " * 60))
    pdf_aside = press.pdf(job("div { padding-left: .02mm }", "Many words. " * 60))
    page, aside = (next(pictures.render_pages(one)) for one in (pdf, pdf_aside))
    assert 0 <= pictures.difference(page, aside) <= pictures.TOLERANCE
    assert pictures.difference(page, Image.new("L", page.size, 255)) > pictures.TOLERANCE
    assert pictures.difference(page, Image.new("L", (9, 9))) == 1
