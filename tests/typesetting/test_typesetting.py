"""Text on paper: printers' signs, measured names and lines, filled last pages."""

from __future__ import annotations

from typing import Any

import pytest

from printing.press import layout as press
from printing.press.jobs import Job
from printing.press.layout import parse_markup
from tests.printing.reading import fullness
from typesetting.columns import Block, pages_taken, row_lines, text_lines
from typesetting.letters import typeset
from typesetting.measuring import (
    Run,
    about_lines,
    even_out,
    fitting_name,
    join_lines,
    narrowest,
    width,
    wrap_text,
)


@pytest.mark.parametrize(
    ("typed", "set_as"),
    [
        ('6"', "6″"),
        ('up to 12" away', "up to 12″ away"),
        ("-1 at range", "−1 at range"),
        ("TN -1, MC +2", "TN −1, MC +2"),
        ("(-2)", "(−2)"),
        ("5-6", "5-6"),
        ("2009-04", "2009-04"),
        ("1-2-3", "1-2-3"),
        ('a "quoted" word', 'a "quoted" word'),
        ("well-known", "well-known"),
        ("𝔊uild Ⓐ, Ａ", "Guild A, A"),
        ("Ⓜ ™ № ½", "Ⓜ ™ № ½"),
        ("", ""),
    ],
)
def test_typeset_uses_printers_signs_and_is_stable(typed: str, set_as: str) -> None:
    assert typeset(typed) == set_as
    assert typeset(set_as) == set_as


def test_parse_markup_changes_only_text() -> None:
    html = '<p style="margin: -1mm" class="a1">-1 <b>6"</b> to 7" <i>-2</i></p>'
    root = parse_markup(html)
    assert "".join(root.itertext()) == "−1 6″ to 7″ −2"
    assert root.get("style") == "margin: -1mm"


@pytest.mark.parametrize("name", ["Wolfgangmaximilian", "Quetzalcoatl von Wolfgangmaximilian"])
def test_fitting_name_takes_smaller_letters_before_it_breaks_a_word(name: str) -> None:
    size, lines = fitting_name(name, (40, 30, 20, 10), room=60, one_line=0)
    assert size < 40
    assert join_lines(lines).split() == name.split()
    assert narrowest(name, size, "title") <= 60


def test_about_lines_never_underestimates_usual_text() -> None:
    text = "Without moving (turning is allowed), TN -1 on ranged attacks. " * 5
    for room in (60, 92, 186):
        taken = len(wrap_text([Run(text)], 8, room))
        assert taken <= about_lines(text, 8, room) <= taken + 1


def test_evened_lines_have_the_same_number_and_similar_lengths() -> None:
    text = "He took two enemies out of action, more than anybody else in the gang did."
    lines = even_out(text, 12, 100)
    assert len(lines) == len(wrap_text([Run(text)], 12, 100)) > 1
    widths = [width(line, 12) for line in join_lines(lines).split("\n")]
    assert min(widths) > max(widths) * 0.7


def page(body: str, **more: Any) -> Job:
    """A print of little pages."""
    style = "@page { size: 100mm 100mm; margin: 10mm } p { height: 10mm; margin: 0 }"
    head = f"<head><title>A</title><style>{style}</style></head>"
    return Job(f"<html lang='en'>{head}<body>{body}</body></html>", ("fonts",), **more)


@pytest.mark.papers
def test_box_to_fill_in_reaches_the_foot_of_its_page() -> None:
    border = "style='border: 1px solid'"
    assert fullness(page(f"<p>A</p><div {border} class='fill'>B</div>")) > 0.98
    assert fullness(page(f"<p>A</p><div {border}>B</div>")) < 0.5
    # A box that is not the last on its page leaves room for the rest.
    assert fullness(page(f"<div {border} class='fill'>B</div><p>A</p>")) < 0.5


@pytest.mark.papers
@pytest.mark.parametrize(("lines", "tighter", "pages"), [(9, 8, 1), (9, 9.9, 2), (14, 5, 2)])
def test_tighter_rules_are_used_when_they_save_an_almost_empty_page(
    lines: int, tighter: float, pages: int
) -> None:
    job = page("<p>A</p>" * lines, tighter=f"p {{ height: {tighter}mm !important }}")
    document = press.lay_out(job)
    assert len(document.pages) == pages


# Choice of rules ------------------------------------------------------------------------------

TRIES = tuple(f"p {{ height: {height}mm !important }}" for height in (12, 10, 8, 6))


@pytest.mark.papers
@pytest.mark.parametrize(
    ("lengths", "tried"),
    [
        # Certain and right: no other rules are laid out.
        ((1.5, 1.25, 0.8, 0.75), [2]),
        # Uncertain about the next larger rules.
        ((1.5, 1.05, 0.8, 0.75), [1, 2]),
        # Wrong: all rules needed to be certain are laid out.
        ((1.5, 0.9, 0.8, 0.75), [1, 3, 2]),
        ((), [3, 1, 2]),
    ],
)
def test_only_rules_in_doubt_are_tried(
    lengths: tuple[float, ...], tried: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With any estimate, the roomiest rules without an additional page are chosen."""
    used: list[str] = []
    shared = press._press()
    rules = shared.rules
    monkeypatch.setattr(shared, "rules", lambda text: used.append(text) or rules(text))
    job = page("<p>A</p>" * 10, tries=TRIES, lengths=lengths)
    document = press.lay_out(job)
    assert [TRIES.index(text) for text in used] == tried
    assert len(document.pages) == 1
    boxes = [box for box in document.pages[0]._page_box.descendants() if box.element_tag == "p"]
    assert round(boxes[0].height * 25.4 / 96) == 8


def test_estimated_pages_fill_one_column_after_the_other() -> None:
    half, whole = Block(50, is_whole=False), Block(60, is_whole=True)
    assert pages_taken([half] * 3, room=100, head=0, columns=2) == 0.75
    assert pages_taken([half] * 3, room=100, head=20, columns=1) == pytest.approx(1.7)
    # The second row does not fit below the first, and is not broken.
    assert pages_taken([whole, whole], room=100, head=0, columns=2) == pytest.approx(0.8)
    # A row that is higher than a column is broken.
    assert pages_taken([Block(250, is_whole=True)], room=100, head=0, columns=2) == 1.25


def test_estimated_rows_break_where_their_table_is_too_wide() -> None:
    rows = [["Name", "Text"], ["Sabre", "a few words"], ["Axe", "so many words that they break"]]
    roomy = sum(
        max(width(text, 8, "bold") for text in column) for column in zip(*rows, strict=True)
    )
    assert row_lines(rows, 8, roomy + 5, 1) == [1, 1, 1]
    assert row_lines(rows, 8, roomy * 0.7, 1)[2] == 2
    assert text_lines("", 8, 50) == 0
