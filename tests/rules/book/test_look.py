"""The look of a game: legible, checked when it is read, and the default when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.recordingPen import RecordingPen
from fontTools.svgLib.path import parse_path
from hypothesis import given
from hypothesis import strategies as st

from rules.book.look import (
    ENOUGH,
    GROUNDS,
    HOUSE_LOOK,
    INK,
    ON_ACCENT,
    Look,
    Theme,
    contrast,
    deep,
    find_illegible,
    mix,
    soft,
)
from rules.book.model import Book
from rules.loading.reader import read_folder
from tests.rules.small import Data, mistakes, small
from tests.world.gangs import SLUGS, shipped

MOOR = Path(__file__).parents[2] / "sixth" / "moor-ghosts"
THEMES: tuple[Theme, ...] = ("light", "dark")
BLUE: Data = {
    "accent": {"light": "#1f4fa0", "dark": "#9dbdf7"},
    "second": {"light": "#8a4a00", "dark": "#f0b460"},
    "emblem": "M0 0h32v32H0z",
}
colours = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


def test_contrast_matches_the_accessibility_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#0000ff", "#ffffff") == pytest.approx(8.59, abs=0.005)


@given(one=colours, other=colours)
def test_contrast_is_symmetrical_and_bounded(one: str, other: str) -> None:
    assert contrast(one, other) == contrast(other, one)
    assert 1 <= contrast(one, other) <= 21
    assert contrast(one, one) == 1


@given(one=colours, other=colours)
def test_mix_goes_from_the_first_colour_to_the_second(one: str, other: str) -> None:
    assert (mix(one, other, 1), mix(one, other, 0)) == (one, other)


@pytest.mark.parametrize("slug", SLUGS)
def test_every_game_has_a_unique_look(slug: str) -> None:
    book = shipped(slug)
    others = [shipped(other).look for other in SLUGS if other != slug] + [HOUSE_LOOK]
    assert book.look not in others
    for field in ("accent", "second", "emblem"):
        assert getattr(book.look, field) not in [getattr(other, field) for other in others]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("slug", SLUGS)
def test_every_look_is_legible_in_both_themes(slug: str, theme: Theme) -> None:
    book = shipped(slug)
    accent = book.look.accent.by(theme)
    for ground in GROUNDS[theme]:
        assert contrast(accent, ground) >= ENOUGH
        assert contrast(book.look.second.by(theme), ground) >= ENOUGH
    assert contrast(INK[theme], soft(accent, theme)) >= ENOUGH
    assert contrast(accent, soft(accent, theme)) >= ENOUGH
    # Under the pointer the contrast only grows.
    assert contrast(deep(accent, theme), ON_ACCENT[theme]) >= contrast(accent, ON_ACCENT[theme])


def test_the_default_look_is_legible() -> None:
    assert not list(find_illegible(HOUSE_LOOK))


def test_a_rulebook_without_a_look_uses_the_default_without_storing_it() -> None:
    book = small()
    assert book.look == HOUSE_LOOK
    assert '"look"' not in book.canonical()


def test_a_book_version_stores_its_look() -> None:
    book = small(look=BLUE)
    assert Book.model_validate_json(book.canonical()).look == book.look
    assert book.look.accent.light == "#1f4fa0"
    assert book.digest != small().digest


@pytest.mark.parametrize(
    ("look", "path", "words"),
    [
        ({"accent": {"light": "#ffd700", "dark": "#9dbdf7"}}, "look.accent.light", "hard to read"),
        ({"accent": {"light": "#1f4fa0", "dark": "#1f4fa0"}}, "look.accent.dark", "hard to read"),
        ({"second": {"light": "#c0c0c0", "dark": "#f0b460"}}, "look.second.light", "hard to read"),
        ({"second": {"light": "#8a4a00", "dark": "#8a4a00"}}, "look.second.dark", "hard to read"),
        (
            {"accent": {"light": "teal", "dark": "#9dbdf7"}},
            "look.accent.light",
            "does not have the form",
        ),
        ({"accent": {"light": "#1f4fa0"}}, "look.accent.dark", "missing"),
        ({"emblem": "</style><script>"}, "look.emblem", "does not have the form"),
        ({"emblem": "M0 0" + "h1" * 1000}, "look.emblem", "must have at most 2000"),
        ({"ornament": "M0 0);}"}, "look.ornament", "does not have the form"),
        ({"ornament": "M0 0" + "h1" * 1000}, "look.ornament", "must have at most 2000"),
        ({"ground": "lava"}, "look.ground", "must be"),
        ({"corners": "bitten"}, "look.corners", "must be"),
        ({"font": "Comic Sans"}, "look.font", "unknown word"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_mistake_in_a_look_names_its_place(look: Data, path: str, words: str) -> None:
    found = mistakes(look={**BLUE, **look})
    assert [(place, words in said[0]) for place, said in found.items()] == [(path, True)]


def looks() -> list[Look]:
    return [*(shipped(slug).look for slug in SLUGS), read_folder(MOOR).look, HOUSE_LOOK]


@pytest.mark.parametrize("place", range(len(SLUGS) + 2))
def test_an_ornament_is_symmetrical_and_fits_its_box(place: int) -> None:
    look = looks()[place]
    outline = RecordingPen()
    parse_path(look.ornament, outline)
    points = {point for _verb, points in outline.value for point in points}
    bounds = BoundsPen(None)
    outline.replay(bounds)
    left, top, right, bottom = bounds.bounds
    assert left + right == pytest.approx(120, abs=0.1)
    assert left >= 0 and top >= 0 and bottom <= 12
    # It is nearly as wide as its box and fills most of its height.
    assert right - left > 112 and bottom - top > 9
    for x, y in points:
        assert any(abs(120 - x - a) < 0.1 and abs(y - b) < 0.1 for a, b in points), (x, y)
