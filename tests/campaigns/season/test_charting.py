"""Drawing charts: gangs are distinguished without colour, and keep their marks in any standings."""

from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from campaigns.season import chart_text
from campaigns.season.charting import Drawing, for_page, for_print, shorten, spread_apart
from campaigns.statistics.charts import Figures, Series
from campaigns.statistics.season_facts import Season
from campaigns.statistics.signs import DASHES, SHAPES, assign_signs, signs
from gangs.pictures.faces import COLOURS, colour_of
from printing.season import marks
from tests.world.gangs import shipped
from tests.world.pasts import FIRST, a_game, a_gang, a_past, a_side

SIZES = ("wide", "narrow")


def drawing(gangs: int, columns: int, name: str = "The <Iron> & Co") -> Drawing:
    days = tuple(FIRST.replace(year=1 + number) for number in range(columns))
    series = tuple(
        Series(str(number), f"{name} {number}", tuple(range(number, number + columns + 1)))
        for number in range(gangs)
    )
    return drawn_of(series, days)


def drawn_of(series: tuple[Series, ...], days: tuple[object, ...] = (FIRST,)) -> Drawing:
    made = Figures((None, *days), series)  # type: ignore[arg-type]
    labels = ("Start", *(f"day {number}" for number in range(len(days))))
    return Drawing("Rating & more", made, labels, *made.bounds, signs([row.who for row in series]))


def page(made: Drawing, size: str = "wide") -> Element:
    return ElementTree.fromstring(for_page(made, size))  # type: ignore[arg-type]


def texts(root: Element) -> list[str]:
    return [node.text or "" for node in root.iter("text")]


def lines(root: Element) -> list[Element]:
    """The drawn elements of each gang."""
    return [node for node in root.iter("g") if node.get("class", "").startswith("hue-")]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("gangs", "columns"), [(1, 1), (2, 3), (8, 12), (8, 400)])
def test_drawing_is_small_and_has_only_lines_and_text(size: str, gangs: int, columns: int) -> None:
    svg = for_page(drawing(gangs, columns), size)  # type: ignore[arg-type]
    root = ElementTree.fromstring(svg)
    assert len(svg) < 20_000
    assert {element.tag for element in root.iter()} == {"svg", "g", "path", "text"}
    names = {name for element in root.iter() for name in element.attrib}
    # The policy of the pages allows neither styles nor scripts in them.
    assert "style" not in names and not any(name.startswith("on") for name in names)
    assert (root.get("role"), root.get("aria-label")) == ("img", "Rating & more")


@pytest.mark.parametrize("size", SIZES)
def test_labels_and_lines_stay_inside_the_drawing(size: str) -> None:
    """This includes the longest name and the labels of the first and last columns."""
    root = page(drawing(8, 20, "The Honourable Company of the Old Mill by the River"), size)
    wide, high = map(float, root.get("viewBox", "").split()[2:])
    for path in root.iter("path"):
        for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path.get("d", "")):
            assert 0 <= float(x) <= wide and 0 <= float(y) <= high
    ends = [node for group in lines(root) for node in group.iter("text")]
    assert all("…" in (node.text or "") for node in ends)
    heights = sorted(float(node.get("y", "")) for node in ends)
    apart = [low - high for high, low in zip(heights, heights[1:], strict=False)]
    assert min(apart) >= float(root.get("font-size", "")) and heights[-1] < high


def test_lines_differ_in_dashes_and_marks_and_end_in_names() -> None:
    assert len(set(DASHES)) == len(set(SHAPES)) == 8
    found = lines(page(drawing(8, 6, "Iron")))
    dashes, marked, ends = set(), set(), []
    for group in found:
        line, mark, _leader = group.iter("path")
        dashes.add(line.get("stroke-dasharray", ""))
        shapes = {shape for shape in SHAPES if (mark.get("d") or "").count(shape) == 7}
        marked |= shapes
        ends += texts(group)
    assert dashes == set(DASHES) and marked == set(SHAPES)
    assert ends == [f"Iron {number}  {number + 6}" for number in range(8)]


def test_names_are_escaped() -> None:
    made = drawing(1, 2, name="<script>x</script>]]>")
    for svg in (for_page(made, "wide"), for_print(made, 15, marks.colours(ink=False))):
        assert "<script" not in svg
        ElementTree.fromstring(svg)


def test_same_figures_make_the_same_drawing() -> None:
    assert for_page(drawing(3, 9), "wide") == for_page(drawing(3, 9), "wide")


@pytest.mark.parametrize(
    ("lowest", "highest", "axis"),
    [
        (0, 1, ["0", "1"]),
        (10, 11, ["10", "11"]),
        (9.5, 10.5, ["10"]),
        (200, 200, ["200"]),
        (77, 120, ["80", "85", "90", "95", "100", "105", "110", "115", "120"]),
        (1830, 2404, ["1900", "2000", "2100", "2200", "2300", "2400"]),
    ],
)
def test_an_axis_counts_in_whole_steps(lowest: float, highest: float, axis: list[str]) -> None:
    root = page(drawn_of((Series("a", "A", (lowest, highest)),)))
    numbers = next(node for node in root.iter("g") if node.get("text-anchor") == "end")
    assert texts(numbers) == axis


def two_gangs(nights: int) -> Season:
    """The reds win the first night, the blues all others."""
    games = []
    for night in range(nights):
        winner = a_side("blues" if night else "reds")
        games.append(a_game(night, winner, a_side("greens", "loser"), day=night))
    gangs = tuple(a_gang(name) for name in ("reds", "blues", "greens"))
    return a_past(shipped("cran"), *games, gangs=gangs)


def test_marks_of_a_gang_do_not_change_with_the_standings() -> None:
    """They do not depend on other gangs either: a gang has its own colour on every page."""
    before, after = two_gangs(1), two_gangs(4)
    assert chart_text.groups(before)[0][0] == "reds"
    assert chart_text.groups(after)[0][0] == "blues"
    assert assign_signs(before) == assign_signs(after)
    for who, sign in assign_signs(after).items():
        assert sign.colour == colour_of(who)
    group = chart_text.groups(after)[0]
    shown = lines(page(chart_text.drawing(after, "wins", group)))
    assert [node.get("class") for node in shown] == [f"hue-{colour_of(who)}" for who in group]


def test_gangs_are_distinguished_without_colour() -> None:
    known = signs([f"gang{number}" for number in range(64)])
    assert len({(sign.dashes, sign.shape) for sign in known.values()}) == 64
    first = list(known.values())[:8]
    assert len({sign.shape for sign in first}) == len({sign.dashes for sign in first}) == 8


def test_printed_chart_has_the_pages_colours_or_none() -> None:
    made = drawing(3, 4)
    inked = for_print(made, 15, marks.colours(ink=True))
    assert set(re.findall(r"#[0-9a-f]{6}", inked)) == {"#000000", "#cccccc", "#ffffff"}
    coloured = for_print(made, 15, marks.colours(ink=False))
    for sign in made.known_by.values():
        assert f'<g fill="{COLOURS[sign.colour]}"' in coloured
    assert "<title>Rating &amp; more</title>" in inked


@pytest.mark.parametrize(
    ("wanted", "stand"),
    [
        ([10, 100], [10, 100]),
        ([50, 50], [45, 55]),
        ([50, 50, 52, 90], [40.7, 50.7, 60.7, 90]),
        ([98, 99], [90, 100]),
        ([85, 99, 100], [80, 90, 100]),
        ([6, 7, 8, 50], [5, 15, 25, 50]),
        ([50] * 11, [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]),
    ],
)
def test_labels_are_spread_apart(wanted: list[float], stand: list[float]) -> None:
    assert spread_apart(wanted, 10, (5, 100)) == pytest.approx(stand, abs=0.1)


def test_a_long_name_is_shortened_in_the_middle() -> None:
    """Namesakes differ at the end, where they have their player's name."""
    assert shorten("The Crows", 15, 200) == "The Crows"
    long = "The Crows of the Old Mill by the River"
    ada, bel = (shorten(f"{long} ({name})", 15, 140) for name in ("ada", "bel"))
    assert ada.startswith("The Crows") and ada.endswith("(ada)") and "…" in ada
    assert bel.endswith("(bel)") and ada != bel
    assert shorten("W" * 80, 15, 60).strip("W") == "…"
    assert shorten("W" * 80, 15, 1) == "…"
