"""Blank forms to fill in by pencil, from the founding to the tenth game, for every rulebook."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from typing import Any

import pytest
from django.test import Client
from fontTools.ttLib import TTFont

from common.wording.sentences import words_of
from printing.paper.orders import HEIGHTS, Paper, Style
from printing.press import layout as press
from printing.press.jobs import Job
from printing.sheets import blank as prints_blank
from printing.sheets.blank import BlankOrder
from rules.blank_forms import Part
from rules.book.model import Book
from rules.engine.costing import item_price, price
from rules.engine.figure import Figure
from rules.loading.reader import read_folder
from tests.printing.kept_pages import same_picture
from tests.printing.reading import (
    boxes_of,
    fullness,
    is_tagged,
    language_of,
    printed,
    sizes_of,
    squeezed,
    text_of,
    title_of,
    too_small,
    troubles,
)
from tests.printing.structure import faults
from tests.random_cases import in_pairs, one_soon
from tests.sixth.conftest import FOLDER
from tests.world.gangs import GOLD, POINTS, SLUGS, make_gang, make_version, shipped
from typesetting.letters import LARGE, LARGE_LABEL, SMALLEST, SMALLEST_LABEL
from typesetting.scripts import FONTS

pytestmark = pytest.mark.papers
MOOR = "moor-ghosts"
EVERY = [*SLUGS, MOOR]
# Millimetres: the smallest line to write on, and the smallest box to tick.
LINE, BOX = 6.0, 4.0
PX = 96 / 25.4
# For every game: the characteristics of a block, the heads of its tables without names, levels
# and hands, and the tick boxes.
BLOCKS: dict[str, tuple[list[str], list[list[str]], list[str]]] = {
    "au-un-pour-un": (
        ["Mvt", "Cd", "Ct", "Ccc", "F", "R", "HP", "AP"],
        [
            ["Weapons and gear", "H", "Short", "Med.", "Long", "Str", "Tgts", "Special"],
            ["Armour, Shields", "H", "Res.", "Move"],
        ],
        ["HP", "Games to miss"],
    ),
    "blackwater-gulch": (
        ["HP", "DP", "Str", "Qui", "Sta", "Int", "RC", "MC"],
        [["Weapons and gear", "Lv", "H", "Short", "Long", "Str", "Special"]],
        ["HP", "Luck dice (Leader)", "Games to miss"],
    ),
    "cran": (
        ["Grit", "Move", "Shoot", "Fight"],
        [["Weapons and gear", "Short", "Med.", "Long", "Jam", "Special", "Jammed"]],
        ["Shaken", "Down", "Games to miss"],
    ),
    "du-sang-sur-la-lame": (
        ["Qual.", "Duel", "Throw", "Move", "W"],
        [["Weapons and gear", "Range", "Act."]],
        ["W"],
    ),
    "zombstone": (
        ["Pot.", "Hand", "Move"],
        [["Weapons and gear", "Dmg"]],
        ["Games to miss"],
    ),
    MOOR: (
        ["Leg", "Aim", "Cal", "Nrv", "Eye", "Lck"],
        [["Weapons and gear", "H", "Bite"], ["Lamps", "Lv", "H", "Reach", "Oil"]],
        ["Wick", "Games to miss"],
    ),
}


@cache
def book_of(slug: str) -> Book:
    return read_folder(FOLDER) if slug == MOOR else shipped(slug)


@cache
def made(
    slug: str,
    part: Part = "all",
    language: str = "en",
    paper: Paper = "a4",
    style: Style = "ink",
    settings: tuple[tuple[str, str], ...] = (),
) -> Job:
    order = BlankOrder(language, paper, style, part=part, settings=settings)
    return prints_blank.job(book_of(slug), order)


def texts(html: str) -> str:
    return " ".join(unescape(re.sub(r"<svg.*?</svg>|<[^>]+>", "", html, flags=re.S)).split())


def rows_of(table: str, cell: str = "t[hd]") -> list[list[str]]:
    """Return the rows of a table, each with the texts of its cells."""
    return [
        [texts(found) for found in re.findall(rf"<{cell}[^>]*>(.*?)</{cell}>", row, re.S)]
        for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)
    ]


def tables(html: str, kind: str) -> list[str]:
    return re.findall(rf'<table class="{kind}">(.*?)</table>', html, re.S)


# The roster sheet -----------------------------------------------------------------------------


@pytest.mark.parametrize("slug", EVERY)
def test_a_roster_block_has_the_fields_of_the_game(slug: str) -> None:
    html = made(slug, "roster").html
    blocks = html.split('<div class="block"')[1:]
    assert [texts(one.split("</h2>")[0].split("label")[1][2:]) for one in blocks] == [
        f"Member {number}" for number in range(1, 9)
    ]
    stats, kits, ticks = BLOCKS[slug]
    for block in blocks:
        block = block.split('<div class="stash"')[0]
        [found] = tables(block, "stats")
        assert rows_of(found)[0] == stats
        assert len(rows_of(found, "td")[1]) == len(stats)
        assert [rows_of(kit)[0] for kit in tables(block, "kit")] == kits
        assert [
            texts(tick) for tick in re.findall(r'<span class="tick">(.*?)</span>', block, re.S)
        ] == ticks


@pytest.mark.parametrize("slug", EVERY)
def test_a_roster_block_has_the_characteristics_of_the_rulebook(slug: str) -> None:
    """In French and in the rulebook's order, without those of items and without drawn life."""
    book = book_of(slug)
    wanted = [
        row.short["fr"]
        for row in book.usual.characteristics
        if (row.start is not None or any(row.key in rank.values for rank in book.ranks))
        and not (row.key == book.life and row.kind == "track")
    ]
    html = made(slug, "roster", "fr").html
    assert [rows_of(one)[0] for one in tables(html, "stats")] == [wanted] * 8


@pytest.mark.parametrize("slug", EVERY)
def test_every_item_column_is_in_a_table(slug: str) -> None:
    """The columns of each group of items are together in one table."""
    book = book_of(slug)
    heads = [set(rows_of(one)[0]) for one in tables(made(slug, "roster").html, "kit")]
    for group in book.groups:
        columns = [row for row in group.columns if not row.minor and not row.when]
        there = any(row.group == group.key and not row.innate for row in book.items)
        # The heads of a group's columns in a table that it shares with another group.
        if there and columns and group.key not in ("melee", "gear"):
            names = {(row.short or row.name)["en"] for row in columns}
            assert any(names <= found for found in heads), group.key


def test_items_of_the_gang_are_outside_the_member_blocks() -> None:
    html = made(POINTS, "roster").html.split('<div class="stash"')[1]
    [horses] = tables(html, "kit")
    assert rows_of(horses)[0] == ["Horses", "Spd", "Str", "Qui", "Sta", "Int", "HP", "DP"]


def test_options_change_the_roster_blocks() -> None:
    html = made("zombstone", "roster", settings=(("ranges", "house"),)).html
    assert rows_of(tables(html, "kit")[0])[0] == ["Weapons and gear", "Dmg", "Range"]
    assert "Ranges: House ranges" in texts(html)


@pytest.mark.parametrize(
    ("slug", "boxes", "heavy"),
    [("au-un-pour-un", 50, 10), (POINTS, 35, 7), ("cran", 36, 9), ("zombstone", 40, 8)],
)
def test_a_roster_block_has_the_experience_boxes_of_the_rulebook(
    slug: str, boxes: int, heavy: int
) -> None:
    """As many boxes as the rank with the most has, or a line of them.

    Boxes that bring an advance have a heavy outline.
    """
    drawn = re.findall(r'<p class="way label">(.*?)</p>', made(slug, "roster").html, re.S)
    assert len(drawn) == 8
    [name, thin, thick] = re.findall(r'<title>(.*?)</title>|d="([^"]*)"', drawn[0])
    assert name[0] == f"{words_of(book_of(slug).experience_word, 'en')} {boxes}"
    assert (thin[1].count("z"), thick[1].count("z")) == (boxes - heavy, heavy)


def test_a_roster_block_has_no_experience_boxes_when_members_do_not_learn() -> None:
    assert '<p class="way' not in made(GOLD, "roster").html


@pytest.mark.parametrize(
    ("slug", "life"),
    [(POINTS, "HP 4"), ("au-un-pour-un", "HP 5"), (GOLD, "W 2"), ("zombstone", "Barrel 7")],
)
def test_life_has_a_box_for_every_possible_point(slug: str, life: str) -> None:
    assert f"<title>{life}</title>" in made(slug, "roster").html


# Founding -------------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", EVERY)
def test_the_founding_form_lists_every_rank_with_price_and_profile(slug: str) -> None:
    book = book_of(slug)
    settings = book.default_settings()
    [found] = tables(made(slug, "founding").html, "ranks")
    heads, *rows = rows_of(found)
    ranks = [rank for rank in book.under(settings).ranks if rank.recruited]
    assert [row[0] for row in rows] == [rank.name["en"] for rank in ranks]
    if book.under(settings).budget is not None:
        figures = [Figure(rank.key, rank.key, rank.key) for rank in ranks]
        costs = [str(price(book.under(settings), one).total) for one in figures]
        assert [row[1] for row in rows] == costs
    shorts = [
        row.short["en"]
        for row in book.under(settings).characteristics
        if row.start is not None or any(row.key in rank.values for rank in book.ranks)
    ]
    assert heads[-len(shorts) :] == shorts
    assert {len(row) for row in rows} == {len(heads)}


@pytest.mark.parametrize(
    ("slug", "wanted"),
    [
        ("au-un-pour-un", ["1", "0–2", "1 or more"]),
        (POINTS, ["1", "–", "–"]),
        ("cran", ["none", "1", "–"]),
        (GOLD, ["1", "1–2", "1 or more"]),
        ("zombstone", ["1–2", "0–5", "0–10"]),
    ],
)
def test_the_founding_form_shows_the_limit_of_each_rank(slug: str, wanted: list[str]) -> None:
    [found] = tables(made(slug, "founding").html, "ranks")
    heads, *rows = rows_of(found)
    assert [row[heads.index("How many")] for row in rows] == wanted


@pytest.mark.parametrize("slug", EVERY)
def test_the_founding_form_shows_every_price(slug: str) -> None:
    book = book_of(slug)
    settings = book.default_settings()
    if book.under(settings).budget is None:
        return
    rank = [rank for rank in book.under(settings).ranks if rank.recruited][-1]
    figure = Figure(rank.key, rank.key, rank.key)
    text = f" {texts(made(slug, 'founding').html)} "
    for group in book.groups:
        items = [row for row in book.under(settings).items if row.group == group.key]
        costs = [item_price(book.under(settings), figure, row.key) for row in items]
        for row, cost in zip(items, costs, strict=True):
            level = "" if row.level is None else f" (level {row.level})"
            paid = f" {cost}" if any(costs) and not row.innate else ""
            assert f"{row.name['en']}{level}{paid} " in text, row.key


def test_the_founding_form_separates_purchases_after_the_first_game() -> None:
    """A gang can buy dearer ranks and special weapons with the first game's money."""
    html = made("cran", "founding").html
    [found] = tables(html, "ranks")
    assert [row[:3] for row in rows_of(found)] == [
        ["Rank", "$", "$, after the first game"],
        ["Hero", "0", "18"],
        ["Veteran", "0", "10"],
        ["Novice", "0", "4"],
    ]
    weapons = texts(html.split("<h2>Ranged weapons</h2>")[1].split("<h2>")[0])
    now, later = weapons.split("After the first game:")
    assert now.startswith("Revolver 2 · Carbine 3 · ")
    assert "LeMat revolver 4" in later and "LeMat" not in now


def rules_of(slug: str, settings: tuple[tuple[str, str], ...] = ()) -> list[str]:
    html = made(slug, "founding", settings=settings).html
    allowed = html.split("<h2>What is allowed</h2>")[1].split("</ul>")[0]
    return [texts(one).removeprefix("· ") for one in re.findall(r"<li>(.*?)</li>", allowed, re.S)]


def test_the_founding_form_lists_the_other_limits_as_rules() -> None:
    """Every limit on a new gang that the table of ranks does not show is a rule."""
    assert rules_of("zombstone") == [
        "Members: 3 or more (advised).",
        "A gang has one Young Lead at most.",
    ]
    assert rules_of(POINTS) == [
        "Members: 5 or more.",
        "At least half of those behind the leader are henchmen.",
        "Str, Qui, Sta, Int, RC, MC: 1–6",
        "One-handed melee weapons, Two-handed melee weapons, Pistols, Longarms, Shotguns, "
        "Repeaters, Thrown weapons: at most as many as Strength.",
    ]
    assert rules_of(GOLD)[0] == "Members: 3–7."
    assert "Gear: none in the whole gang." in rules_of("cran")
    one_off = rules_of("cran", (("play", "one_off"),))
    assert one_off[0] == "Members: 6–10."
    assert "Gear: none in the whole gang." not in one_off


def test_the_founding_form_follows_the_chosen_people() -> None:
    goblins = made("au-un-pour-un", "founding", settings=(("race", "gobelin_snotling"),)).html
    heads, *rows = rows_of(tables(goblins, "ranks")[0])
    assert [row[1] for row in rows] == ["25", "13", "5"]
    assert [row[heads.index("Cd")] for row in rows] == ["9", "7", "5"]
    assert "People: Goblins and snotlings" in texts(goblins)


@pytest.mark.parametrize(
    ("slug", "said"),
    [
        ("au-un-pour-un", "Budget: 150 pts. The rest is lost."),
        (POINTS, "Budget: 400 XP. It is a guideline: you can agree on another with your opponent."),
        ("cran", "Budget: $22. The rest goes into the treasury."),
        ("zombstone", "No budget: members and gear are free, within the rules below."),
    ],
)
def test_the_founding_form_shows_the_budget(slug: str, said: str) -> None:
    html = made(slug, "founding").html
    assert texts(html.split('<p class="budget">')[1].split("</p>")[0]) == said


@pytest.mark.parametrize("slug", EVERY)
def test_professions_and_origins_show_their_effects(slug: str) -> None:
    book = book_of(slug)
    text = texts(made(slug, "founding", "fr").html)
    rows = (
        *book.usual.professions,
        *book.usual.origins,
    )
    assert [row.key for row in rows if f"{row.name['fr']} " not in text] == []
    said = {row.key: " ".join(row.text["fr"].rstrip(".").split()) for row in rows}
    assert [key for key, told in said.items() if told not in text] == []


# The log --------------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", EVERY)
def test_the_log_has_ten_games_and_the_steps_after_each(slug: str) -> None:
    book = book_of(slug)
    html = made(slug, "log").html
    strips = html.split('<div class="game-strip"')[1:]
    assert [texts(one.split("</h2>")[0].split(">")[-1]) for one in strips] == [
        str(number) for number in range(1, 11)
    ]
    rows = book.usual.steps
    steps = texts(html.split('<p class="legend">')[1].split("</p>")[0])
    named = " · ".join(f"{number} {row.name['en']}" for number, row in enumerate(rows, start=1))
    assert steps == f"Steps after a game: {named}"
    assert [one.count(f"<title>Steps {len(rows)}</title>") for one in strips] == [1] * 10
    after = texts(html.split('<div class="after columns">')[1])
    assert [row.key for row in rows if " ".join(row.text["en"].split()) not in after] == []


def labels(strip: str) -> list[str]:
    return [texts(one) for one in re.findall(r'<p class="field label"[^>]*>(.*?)</p>', strip)]


def test_the_log_has_the_fields_of_each_game() -> None:
    """The log has money and experience for the games that count them."""
    begun = ["Date", "Opponent", "Scenario", "Result"]
    money = ["Treasury", "+ income", "− spent", "="]
    noted = {
        slug: labels(made(slug, "log").html.split('<div class="game-strip"')[1]) for slug in SLUGS
    }
    assert noted == {
        "au-un-pour-un": [
            *begun,
            "Out of action, Killed",
            "Experience",
            *money,
            "Worth",
            "Victory points",
        ],
        "blackwater-gulch": [*begun, "Out of action", "Experience", *money, "Fame"],
        "cran": [*begun, "Casualty, Ended down, Fled", "Experience", *money, "Infamy"],
        "du-sang-sur-la-lame": [*begun, "Removed", "Notes", *money, "Worth"],
        "zombstone": [*begun, "Out, Fled", "Glory", "Box-office", "Notes"],
    }


def test_the_log_shows_the_income_of_a_game() -> None:
    after = texts(made(GOLD, "log").html.split('<div class="after columns">')[1])
    won = next(row for row in shipped(GOLD).campaign.results if row.winner)
    assert f"Po: winner {won.winner}, loser {won.loser}." in after


# Layout ---------------------------------------------------------------------------------------

VARIATIONS: list[tuple[str, Paper, Style]] = [
    ("fr", "letter", "ink"),
    ("en", "a4", "illustrated"),
    ("fr", "a4", "accessible"),
]
PRINTED = [(slug, *how) for slug, how in in_pairs(EVERY, VARIATIONS)]


@pytest.mark.long
@pytest.mark.parametrize(("slug", "language", "paper", "style"), PRINTED)
def test_forms_fill_their_pages_and_cut_nothing_off(
    slug: str, language: str, paper: Paper, style: Style
) -> None:
    """On their paper, full, nothing cut off; in reading order; no letter too small."""
    job = made(slug, "all", language, paper, style)
    pdf = printed(job)
    large = style == "accessible"
    assert troubles(job) == []
    sizes = (LARGE, LARGE_LABEL) if large else (SMALLEST, SMALLEST_LABEL)
    assert too_small(job, *sizes) == []
    assert fullness(job) > 0.8
    assert is_tagged(pdf)
    assert language_of(pdf) == language
    assert title_of(pdf).startswith(book_of(slug).title.translated(language))
    pages = sizes_of(pdf)
    assert set(pages) == {{"a4": (595, 842), "letter": (612, 792)}[paper]}
    assert len(pages) in ((6, 7) if large else (5,))


@pytest.mark.long
@pytest.mark.parametrize("style", ["illustrated", "accessible"])
@pytest.mark.parametrize("slug", EVERY)
def test_forms_can_be_read_aloud(slug: str, style: Style) -> None:
    """Headings are in order, cells have their heads, drawings have descriptions."""
    parts: tuple[Part, ...] = ("founding", "roster", "log")
    assert [fault for part in parts for fault in faults(made(slug, part, style=style))] == []


@pytest.mark.long
@pytest.mark.parametrize(("slug", "language", "paper", "style"), PRINTED)
def test_lines_and_boxes_are_large_enough_for_a_pencil(
    slug: str, language: str, paper: Paper, style: Style
) -> None:
    html = made(slug, "all", language, paper, style).html
    lines = re.findall(r"line-height: ([\d.]+)mm", html)
    rows = re.findall(r'<td style="height: ([\d.]+)mm', html)
    assert lines and rows
    assert [high for high in {*lines, *rows} if float(high) < LINE] == []
    # Tick boxes of all drawings, in the units of their drawing.
    for box, wide, across in set(
        re.findall(r'viewBox="0 0 ([\d.]+) [\d.]+" width="([\d.]+)mm".*?h([\d.]+)v', html)
    ):
        assert float(across) * float(wide) / float(box) >= BOX - 0.01


@pytest.mark.long
@pytest.mark.parametrize(("slug", "language", "paper", "style"), PRINTED)
def test_the_parts_of_a_roster_block_do_not_overlap(
    slug: str, language: str, paper: Paper, style: Style
) -> None:
    """Tables end above the boxes, boxes above the block's edge, blocks on their page."""
    job = made(slug, "roster", language, paper, style)
    document = press.lay_out(job)
    assert len(document.pages) == 2
    for page in document.pages:
        found: dict[str, list[Any]] = {"block": [], "kit": [], "way": []}
        for box in boxes_of(page._page_box):
            element = getattr(box, "element", None)
            kinds = element.get("class", "").split() if element is not None else []
            for kind in found.keys() & set(kinds):
                if box.element_tag in ("div", "table", "p") and box.height != "auto":
                    found[kind].append(box)
        assert len(found["block"]) == (3 if style == "accessible" else 4)
        for block in found["block"]:
            top, bottom = block.position_y, block.position_y + block.border_height()
            assert bottom <= HEIGHTS[paper] * PX
            ways = [one for one in found["way"] if top < one.position_y < bottom]
            limit = min([bottom, *(one.position_y + one.margin_top for one in ways)])
            kits = [one for one in found["kit"] if top < one.position_y < bottom]
            assert kits
            assert max(one.position_y + one.margin_height() for one in kits) <= limit + 1


def laid_out(book: Book, paper: Paper, style: Style) -> int:
    """Print the forms of a made-up book; return the number of members on its roster sheet."""
    job = prints_blank.job(book, BlankOrder("en", paper, style))
    assert is_tagged(printed(job))
    assert troubles(job) == []
    lines = re.findall(r"(?:line-)?height: ([\d.]+)mm", job.html.split('class="block"', 1)[1])
    assert [high for high in lines if float(high) < LINE] == []
    return job.html.count('<div class="block"')


@pytest.mark.long
@pytest.mark.parametrize("style", ["ink", "accessible"])
def test_forms_work_when_a_rulebook_has_hardly_any_rows(style: Style) -> None:
    """Without items, tick boxes, traits and advances, there is still a sheet to write on."""
    book = shipped(POINTS)
    campaign = book.campaign.model_copy(update={"steps": (), "awards": (), "growth": None})
    none = {"items": (), "groups": (), "traits": (), "ticks": (), "professions": (), "limits": ()}
    bare = book.changed(**none, budgets=(), adjustments=(), campaign=campaign, life=None)
    assert laid_out(bare, "letter", style) == (6 if style == "accessible" else 8)


@pytest.mark.long
@pytest.mark.parametrize("style", ["ink", "accessible"])
def test_a_roster_page_has_fewer_blocks_when_they_are_large(style: Style) -> None:
    """Blocks too large for four on a page appear three or two on a page."""
    book = shipped("cran")
    shaken = book.ticks[0]
    ticks = [shaken.model_copy(update={"key": f"tick_{n}", "boxes": 6}) for n in range(8)]
    ranks = [rank.model_copy(update={"experience": 500}) for rank in book.ranks]
    crowded = book.changed(ticks=tuple(ticks), ranks=tuple(ranks))
    assert laid_out(crowded, "letter", style) == (4 if style == "accessible" else 6)


@pytest.mark.parametrize("part", one_soon(["founding", "roster", "log"]))
def test_each_form_can_be_printed_separately(part: Part) -> None:
    heads = {"founding": "Creating a gang", "roster": "Roster sheet", "log": "Campaign log"}
    pdf = printed(made(GOLD, part))
    text = text_of(pdf)
    assert [name for name, head in heads.items() if squeezed(head) in text] == [part]


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("slug", SLUGS)
def test_the_fonts_have_every_letter_of_the_forms(slug: str, language: str) -> None:
    ours: set[str] = set()
    for file in FONTS.glob("fira-sans-*-400-normal.woff2"):
        with TTFont(file, lazy=True) as font:
            ours |= set(map(chr, font.getBestCmap()))
    assert set(made(slug, "all", language).html) - ours == {"\n"}


@pytest.mark.long
def test_printing_a_form_twice_gives_the_same_bytes() -> None:
    order = BlankOrder("fr", "letter")
    first, again = (press.pdf(prints_blank.job(shipped(GOLD), order)) for _time in range(2))
    assert first == again


@pytest.mark.long
@pytest.mark.parametrize(
    ("slug", "language", "paper", "style"),
    [(POINTS, "fr", "letter", "ink"), ("zombstone", "en", "a4", "illustrated")],
)
def test_forms_match_their_reference_pictures(
    slug: str, language: str, paper: Paper, style: Style
) -> None:
    pdf = printed(made(slug, "all", language, paper, style))
    same_picture(pdf, f"blank-{slug}-{style}")


# The addresses --------------------------------------------------------------------------------


@pytest.fixture
def version(db: None) -> str:
    digest: str = make_version(GOLD).digest
    return digest


def test_a_visitor_can_print_the_forms(client: Client, version: str) -> None:
    for address in (f"/rules/{GOLD}/blank.pdf", f"/rules/version/{version}/blank.pdf"):
        chosen = f"{address}?paper=letter&part=log"
        response = client.get(chosen)
        assert (response.status_code, response["Content-Type"]) == (200, "application/pdf")
        assert sizes_of(response.content) == [(612, 792)] * 2
        again = client.get(chosen, headers={"If-None-Match": response["ETag"]})
        assert again.status_code == 304
        other = client.get(f"{address}?part=log")
        assert other["ETag"] != response["ETag"]


def test_unknown_parameters_print_all_forms(client: Client, version: str) -> None:
    response = client.get(f"/rules/{GOLD}/blank.pdf?part=scroll&paper=a0")
    assert response.status_code == 200
    assert sizes_of(response.content) == [(595, 842)] * 5


def test_an_unknown_game_is_not_found(client: Client, version: str) -> None:
    assert client.get("/rules/chess/blank.pdf").status_code == 404
    assert client.get(f"/rules/version/{'0' * 64}/blank.pdf").status_code == 404


def test_the_rules_link_to_the_forms(client: Client, version: str) -> None:
    for page in (f"/rules/{GOLD}/", f"/rules/{GOLD}/play/"):
        content = client.get(page).content.decode()
        form = content.split(f'action="/rules/{GOLD}/blank.pdf"')[1].split("</form>")[0]
        assert re.findall(r'<option value="(\w+)"', form) == [
            *("all", "founding", "roster", "log"),
            *("a4", "letter"),
            *("ink", "illustrated", "accessible"),
        ]
        names = re.findall(r' id="([\w-]+-(?:paper|style|part))"', content)
        assert len(names) == len(set(names)) == 5


def test_a_gang_prints_the_forms_with_its_own_options(client: Client, alice: Any) -> None:
    """The forms use the gang's options and the owner's last choices."""
    client.force_login(alice)
    gang = make_gang(alice, "zombstone")
    chosen = {"kind": "blank", "paper": "letter", "style": "ink", "blank-part": "log"}
    response = client.post(f"/gangs/{gang.pk}/prints/", chosen)
    assert response["Location"] == f"/gangs/{gang.pk}/blank.pdf?paper=letter&style=ink&part=log"
    forms = client.get(f"/gangs/{gang.pk}/blank.pdf")
    assert sizes_of(forms.content) == [(612, 792)] * 2
