"""The roster sheet of every game: complete, legible, on one or two pages, like its kept picture."""

from __future__ import annotations

import io
import random
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.utils.translation import override
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from PIL import Image

from gangs.cards.item_tables import keep_looked_up
from gangs.cards.render import render
from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.models import Gang
from gangs.pictures.storage import BADGE
from printing.members.ladder import ladder_of
from printing.paper.orders import STYLES, Paper, Style
from printing.press import layout as press
from printing.press.jobs import Job
from printing.press.worker import Worker
from printing.sheets import roster as papers
from printing.sheets.roster import SheetOrder
from rules.book.model import Book
from tests.printing.crowds import LINK, LONG, crowd
from tests.printing.kept_pages import same_picture
from tests.printing.reading import (
    fonts_of,
    pages_of,
    pictures_of,
    printed,
    squeezed,
    text_of,
    troubles,
)
from tests.random_cases import in_pairs, one_soon
from tests.world.gangs import POINTS, SLUGS, make_gang, played, rostered, shipped
from typesetting.scripts import FONTS

pytestmark = pytest.mark.papers


def sample(slug: str, number: int = 0) -> ComputedGang:
    book = shipped(slug)
    return ComputedGang.of(
        book, rostered(book, actions.found_from_sample(book, book.samples[number]))
    )


def seasoned_gang(slug: str) -> ComputedGang:
    """A sample that has played: experience, a condition each, money, a departed member."""
    book = shipped(slug)
    made: list[Entry] = list(actions.found_from_sample(book, book.samples[0]))
    members = [place for place, entry in enumerate(made, start=1) if entry.kind == "recruited"]
    made.append(played(book, "g1", *members))
    draws = random.Random(7)
    for place, member in enumerate(members):
        made.append(kinds.Learned(member=member, amount=3 * place))
        if book.conditions:
            condition = draws.choice(book.conditions).key
            made.append(kinds.Suffered(member=member, condition=condition, games=1))
    made.append(kinds.Noted(member=members[0], text="Owes the smith two horses."))
    return ComputedGang.of(book, rostered(book, made))


def html(
    computed: ComputedGang,
    language: str = "en",
    style: Style = "ink",
    paper: Paper = "a4",
    pictures: dict[int | None, str] | None = None,
) -> str:
    with override(language):
        order = SheetOrder(language, paper, style, LINK)
        return papers.markup(computed, order, campaigns=["The Long Winter"], pictures=pictures)


@pytest.mark.long
@pytest.mark.parametrize(("slug", "style"), in_pairs(SLUGS, STYLES))
def test_usual_gang_takes_one_or_two_pages(slug: str, style: Style) -> None:
    computed = seasoned_gang(slug)
    language = "en" if style == "accessible" else "fr"
    job = Job(html(computed, language, style))
    assert troubles(job) == []
    pdf = printed(job)
    assert len(pages_of(pdf)) <= (4 if style == "accessible" else 2)
    text = text_of(pdf)
    page = render(computed, language)
    expected: list[object] = [page.name, "The Long Winter", LINK]
    for card in page.cards:
        expected += [card.name, card.rating, *(stat.value for stat in card.stats if not stat.boxes)]
        for line in keep_looked_up(computed.book, card.items):
            expected += [line.name, line.text, *(value for _, value in line.cells if value != "–")]
        for words in [*card.calling, *card.traits, *card.gained, *card.afflictions]:
            expected += [words.name, words.text]
    assert [wanted for wanted in expected if squeezed(wanted) not in text] == []


@pytest.mark.parametrize("slug", one_soon(SLUGS))
def test_a_new_gang_fits_one_page_of_letter_paper(slug: str) -> None:
    job = Job(html(sample(slug), paper="letter"))
    assert len(press.lay_out(job).pages) == 1


@pytest.mark.long
@pytest.mark.parametrize("style", STYLES)
def test_sheet_fits_forty_items(style: Style) -> None:
    computed = crowd(shipped(POINTS), 2, items=40)
    job = Job(html(computed, "fr", style))
    assert troubles(job) == []
    text = text_of(printed(job))
    for card in render(computed, "fr").cards:
        assert [line.name for line in card.items if squeezed(line.name) not in text] == []


@pytest.mark.long
def test_sheet_fits_sixty_members() -> None:
    computed = crowd(shipped(POINTS), 60, items=3, name="Jonathan")
    job = Job(html(computed))
    assert troubles(job) == []
    assert text_of(printed(job)).count("Jonathan") >= 60


@pytest.mark.parametrize("slug", SLUGS)
def test_sheet_of_an_empty_gang_is_printed(slug: str) -> None:
    book = shipped(slug)
    founded = kinds.Founded(name="Nobody yet", settings=book.default_settings())
    job = Job(html(ComputedGang.of(book, rostered(book, [founded]))))
    assert troubles(job) == []
    assert len(press.lay_out(job).pages) == 1


# Names in other letters -----------------------------------------------------------------------


def gang_named(book: Book, name: str) -> ComputedGang:
    rank = book.ranks[0].key
    founded = kinds.Founded(name=name, settings=book.default_settings())
    made: list[Entry] = [founded, kinds.Recruited(rank=rank, name=name)]
    return ComputedGang.of(book, rostered(book, made))


def test_european_letters_use_our_fonts() -> None:
    name = "Иван Ѳеодоръ Κωνσταντίνος Ἀχιλλεύς Nguyễn Thị Ạ Łukasz Żółć"
    pdf = press.pdf(Job(html(gang_named(shipped(POINTS), name))))
    assert text_of(pdf).count(squeezed(name)) >= 2
    ours = ("Fira-Sans", "Zilla-Slab", "Skirmish-Signs")
    assert [font for font in fonts_of(pdf) if not font.startswith(ours)] == []


def test_font_files_claim_exactly_their_own_letters() -> None:
    """A file has the letters it claims, and the file of plain letters has the unclaimed ones."""
    css = (press.STYLES / "fonts.css").read_text()
    faces = re.findall(r'fonts/(\S+)"\);\s+unicode-range: ([^}]+)}', css)
    assert len(faces) == 6
    for file, ranges in faces:
        claimed: set[int] = set()
        for first, last in re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?", ranges):
            claimed |= set(range(int(first, 16), int(last or first, 16) + 1))
        has = letters_of(file)
        assert claimed <= has, file
        plain = letters_of(f"fira-sans-latin-{'400' if '-400-' in file else '600'}-normal.woff2")
        assert has - claimed <= plain, file


def letters_of(file: str) -> set[int]:
    with TTFont(FONTS / file, lazy=True) as font:
        return set(font.getBestCmap())


@pytest.mark.long
def test_system_fonts_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for letters that our fonts lack, nor a system font with the same name as ours."""
    folder = tmp_path / "fonts"
    folder.mkdir()
    make_font(folder / "elsewhere.ttf", "Elsewhere", "\ue123")
    make_font(folder / "another.ttf", "Fira Sans", "\ue124abcdefghijklmnopqrstuvwxyz")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    worker = Worker()
    pdf = worker.print(Job(html(gang_named(shipped(POINTS), "Jo \ue123\ue124 Doe 🐎"))))
    worker.stop()
    # A missing letter is a box, which some versions of Pango write in digits.
    assert re.search("Jo(E123E124|\ue123\ue124)Doe🐎", text_of(pdf))
    ours = ("Fira-Sans", "Zilla-Slab", "Skirmish-Signs", "Noto-Emoji")
    assert [font for font in fonts_of(pdf) if not font.startswith(ours)] == []


def make_font(file: Path, family: str, letters: str) -> None:
    """A font whose letters are all the same square."""
    pen = TTGlyphPen(None)
    pen.moveTo((50, 0))
    for corner in ((50, 500), (550, 500), (550, 0)):
        pen.lineTo(corner)
    pen.closePath()
    font = FontBuilder(1000, isTTF=True)
    font.setupGlyphOrder([".notdef", "square"])
    font.setupCharacterMap({ord(letter): "square" for letter in letters})
    font.setupGlyf({".notdef": pen.glyph(), "square": pen.glyph()})
    font.setupHorizontalMetrics({".notdef": (600, 50), "square": (600, 50)})
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": family, "styleName": "Regular"})
    font.setupOS2(sTypoAscender=800, usWinAscent=800, usWinDescent=200)
    font.setupPost()
    font.save(file)


@pytest.mark.parametrize("style", one_soon(STYLES))
def test_no_letter_is_lost(style: Style) -> None:
    """The code of a letter is printed when no font has it."""
    letters = "漢字한국😀🐎🫨𓀀𓂀"
    job = Job(html(gang_named(shipped(POINTS), f"Jo {letters} Doe"), style=style))
    first = press.pdf(job)
    text = text_of(first)
    assert [one for one in letters if one not in text and f"{ord(one):04X}" not in text] == []
    assert troubles(job) == []
    assert press.pdf(job) == first


def test_letter_without_a_font_is_printed_as_a_code_in_a_box() -> None:
    text = text_of(press.pdf(Job(html(gang_named(shipped(POINTS), "Jo \ue123 Doe")))))
    assert "JoE123" in text


# Drawings -------------------------------------------------------------------------------------


def test_endless_experience_is_drawn_from_the_last_step() -> None:
    computed = seasoned_gang(POINTS)
    ways = [ladder_of(computed, member, "en") for member in computed.roster.members]
    assert [(way.start, way.end) for way in ways if way] == [
        (earned // 5 * 5, earned // 5 * 5 + 15) for earned in (0, 3, 6, 9, 12)
    ]
    assert "an advance" in html(seasoned_gang("zombstone"))


def test_sheet_has_no_experience_when_the_game_has_none() -> None:
    computed = seasoned_gang("du-sang-sur-la-lame")
    assert [ladder_of(computed, member, "en") for member in computed.roster.members] == [None] * 5


@pytest.mark.long
def test_illustrated_sheet_prints_pictures(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    (tmp_path / "pictures").mkdir()
    computed = sample(POINTS)
    member = computed.roster.members[1].id
    shown = {None: "badge.jpg", member: "face.jpg"}
    for name in shown.values():
        Image.new("RGB", (48, 48), "#884422").save(tmp_path / "pictures" / name)
    job = Job(html(computed, style="illustrated", pictures=shown), pictures=tuple(shown.values()))
    assert troubles(job) == []
    assert pictures_of(job) == 2


def test_portrait_covers_no_words(tmp_path: Path) -> None:
    Image.new("RGB", (48, 48), "#884422").save(face := io.BytesIO(), "JPEG")
    computed = sample(POINTS)
    leader = computed.roster.members[0]
    shown = {leader.id: "face.jpg"}
    job = Job(html(computed, style="illustrated", pictures=shown), pictures=("face.jpg",))
    pdf = press.pdf(job, {"face.jpg": face.getvalue()})
    (file := tmp_path / "sheet.pdf").write_bytes(pdf)
    found = subprocess.check_output(["pdftotext", "-bbox", file, "-"], text=True)
    tops: dict[str, float] = {}
    for top, word in re.findall(r'yMin="([\d.]+)"[^>]*>([^<]*)</word>', found):
        tops.setdefault(word, float(top))
    # The portrait is 11 mm high, and begins as high as the name.
    assert tops["Luck"] - tops[leader.name.split()[0]] > 10.5 * 72 / 25.4


def test_new_picture_changes_only_the_illustrated_print(alice: object) -> None:
    gang = make_gang(None)
    again = Gang.objects.get(pk=gang.pk)
    again.pictures = {BADGE: "0" * 32}
    ink, colour = SheetOrder("en"), SheetOrder("en", style="illustrated")
    assert papers.key(gang, ink) == papers.key(again, ink)
    assert papers.key(gang, colour) != papers.key(again, colour)


@pytest.mark.parametrize(
    ("slug", "style", "language"),
    one_soon(
        [
            ("blackwater-gulch", "ink", "en"),
            ("blackwater-gulch", "accessible", "fr"),
            ("zombstone", "ink", "fr"),
            ("au-un-pour-un", "illustrated", "fr"),
            ("cran", "illustrated", "en"),
            ("du-sang-sur-la-lame", "ink", "en"),
        ]
    ),
)
def test_sheet_looks_like_its_kept_picture(slug: str, style: Style, language: str) -> None:
    pdf = press.pdf(Job(html(seasoned_gang(slug), language, style)))
    same_picture(pdf, f"sheet-{slug}-{style}-{language}", pages=1)


def test_a_long_name_stays_in_its_block() -> None:
    assert troubles(Job(html(gang_named(shipped(POINTS), LONG)))) == []


def test_minor_values_have_no_column() -> None:
    """The jam die is next to the ranges; a weapon's class and tier are never printed."""
    told = html(sample("cran"))
    heads = re.findall(r'<span class="k">([^<]*)</span>', told)
    assert any("Med." in head and "Jam" in head for head in heads)
    assert "Tier" not in told and "Class" not in told
    assert [
        column.name["en"] for column in shipped("cran").group["ranged"].columns if column.minor
    ] == [
        "Class",
        "Tier",
    ]


@pytest.mark.parametrize("style", ["ink", "illustrated"])
def test_a_long_name_stays_in_the_table(style: Style) -> None:
    """Two equal items have a longer name: it takes two lines, beside the values."""
    book = shipped(POINTS)
    made: list[Entry] = [kinds.Founded(name="Twins", settings=book.default_settings())]
    for member in ("Janus", "Castor", "Pollux"):
        made.append(kinds.Recruited(rank="henchman", name=member))
        number = len(made)
        for item in ("remington_army", "remington_army", "knife"):
            made.append(kinds.Bought(item=item, member=number))
    told = html(ComputedGang.of(book, rostered(book, made)), style=style)
    assert "2 × Remington\nArmy Revolver\u00a0†\nKnife" in told
    assert "</b> Level 4" not in told
    assert troubles(Job(told)) == []


def test_experience_and_life_are_spaced_apart() -> None:
    told = html(sample(POINTS))
    assert re.search(r"XP\u00a0{4}HP <svg", told)
    assert "XP HP" not in told
