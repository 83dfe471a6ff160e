"""Pages of the rules: every row is shown, search finds it, and links have targets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import get_args
from urllib.parse import urldefrag, urljoin

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import translation
from django.utils.translation import override

from accounts.models import User
from common.text import fold_letters
from rules import views
from rules.book.amounts import Each, ItemSelector
from rules.book.fates import (
    Chooses,
    ChoosesTrait,
    Dies,
    Earns,
    FallsTo,
    Finds,
    Gains,
    Joins,
    Learns,
    Leaves,
    LosesItem,
    Option,
    Outcome,
    Pays,
    Promotes,
    Rises,
    RollAgain,
    RollsOn,
    Suffers,
    Takes,
)
from rules.book.holdings import Holding
from rules.book.model import Book
from rules.book.reference import Deployment, Zone
from rules.book.vocabulary import Selector, Text
from rules.library import load, shipped_folders
from rules.reference_pages.chapters import render
from rules.reference_pages.pieces import PageCell, Piece, RulebookPages, Section
from rules.reference_pages.play import diagram
from rules.reference_pages.search import LONGEST_QUERY, entries, find, mark_words
from rules.reference_pages.tables import outcome_in_words
from rules.reference_pages.words import BookWording
from tests.random_cases import one_soon
from tests.world.gangs import GOLD, POINTS, make_gang, shipped

SLUGS = [folder.name for folder in shipped_folders()]
LANGUAGES = ("en", "fr")
HTMX = {"HX-Request": "true"}
LARGEST_PAGE = 150_000
# The chapter of each kind of row, and the prefix of its anchor.
ROWS = {
    "characteristics": ("characters", "characteristic"),
    "ranks": ("characters", "rank"),
    "origins": ("characters", "origin"),
    "traits": ("characters", "trait"),
    "professions": ("characters", "profession"),
    "groups": ("items", "group"),
    "items": ("items", "item"),
    "adjustments": ("building", "price"),
    "offers": ("building", "offer"),
    "conditions": ("tables", "condition"),
    "tables": ("tables", "table"),
    "scenarios": ("scenarios", "scenario"),
    "deployments": ("scenarios", "deployment"),
    "references": ("play", "reference"),
    "phases": ("play", "phase"),
    "tracks": ("play", "track"),
    "alarms": ("play", "alarm"),
    "states": ("play", "state"),
    "glossary": ("glossary", "term"),
    "tags": ("glossary", "tag"),
}
CAMPAIGN_ROWS = {
    "steps": "step",
    "results": "result",
    "marks": "mark",
    "tallies": "tally",
    "awards": "award",
    "underdog": "underdog",
    "promotions": "promotion",
    "successions": "succession",
    "departures": "departure",
}


@pytest.fixture(scope="module", autouse=True)
def _drawn_anew() -> Iterator[None]:
    """Clear the cached pages: other modules' tests may use another catalogue of texts."""
    views._drawn.kept.clear()
    yield
    views._drawn.kept.clear()


@pytest.fixture
def stored(db: None) -> None:
    """Load every shipped rulebook."""
    for slug in SLUGS:
        load(shipped(slug))


class Page(HTMLParser):
    """Anchors, links and elements of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record the element."""
        values = dict(attrs)
        self.seen.append((tag, values))
        if values.get("id"):
            self.ids.append(str(values["id"]))
        if tag == "a" and values.get("href"):
            self.links.append(str(values["href"]))


def read(client: Client, address: str, language: str = "en") -> str:
    """Return the page at ``address``, which must exist."""
    answer = client.get(address, headers={"accept-language": language})
    assert answer.status_code == 200, address
    return str(answer.content.decode())


def addresses(slug: str) -> list[str]:
    """Return the addresses of all pages of a game's rules."""
    drawn = render(shipped(slug), "en")
    return [f"/rules/{slug}/", *(f"/rules/{slug}/{one.key}/" for one in drawn.chapters)]


def pieces(drawn: RulebookPages) -> Iterator[tuple[str, Section, Piece]]:
    """Yield every piece of every chapter."""
    for chapter in drawn.chapters:
        for section in chapter.sections:
            for piece in section.pieces:
                yield chapter.key, section, piece


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slug", SLUGS)
def test_every_link_within_the_rules_has_a_target(
    client: Client, stored: None, slug: str, language: str
) -> None:
    others = ("odds", "translations", "introduction")
    there = [*addresses(slug), *(f"/rules/{slug}/{name}/" for name in others)]
    pages = {address: Page(read(client, address, language)) for address in there}
    for address, page in pages.items():
        assert len(set(page.ids)) == len(page.ids), address
        for link in page.links:
            target, anchor = urldefrag(urljoin(address, link))
            # Links to the odds have their inputs in the address.
            target = target.partition("?")[0]
            if target.endswith(".zip"):
                assert client.get(target).status_code == 200
            elif target.startswith(f"/rules/{slug}/"):
                assert target in pages, (address, link)
                assert not anchor or anchor in pages[target].ids, (address, link)


@pytest.mark.long
@pytest.mark.parametrize("slug", one_soon(SLUGS))
def test_every_row_has_its_anchor(client: Client, stored: None, slug: str) -> None:
    book = shipped(slug)
    for table, (chapter, prefix) in ROWS.items():
        rows = getattr(book, table)
        if rows:
            ids = Page(read(client, f"/rules/{slug}/{chapter}/")).ids
            assert {f"{prefix}-{row.key}" for row in rows} <= set(ids), table
    ids = Page(read(client, f"/rules/{slug}/campaign/")).ids
    for table, prefix in CAMPAIGN_ROWS.items():
        assert {f"{prefix}-{row.key}" for row in getattr(book.campaign, table)} <= set(ids), table
    overview = Page(read(client, f"/rules/{slug}/"))
    assert {f"setting-{row.key}" for row in book.settings} <= set(overview.ids)
    assert {f"source-{n}" for n in range(1, len(book.sources) + 1)} <= set(overview.ids)


@pytest.mark.long
@pytest.mark.parametrize("slug", one_soon(SLUGS))
def test_pages_are_small_and_follow_the_content_security_policy(
    client: Client, stored: None, slug: str
) -> None:
    """No inline scripts or styles; tables scroll in their own box."""
    for address in addresses(slug):
        page = read(client, address)
        assert len(page.encode()) <= LARGEST_PAGE, address
        seen = Page(page).seen
        assert not [tag for tag, values in seen if "style" in values]
        assert not [key for _, values in seen for key in values if key.startswith("on")]
        assert page.count("<table") == page.count('<div class="rule-scroll"')
        assert not re.search(r"\{\w+\}", page)


def test_a_wrong_address_is_not_found(client: Client, stored: None) -> None:
    digest = shipped(GOLD).digest
    for address in (
        "/rules/nowhere/",
        "/rules/nowhere/play/",
        "/rules/nowhere/search/",
        f"/rules/{GOLD}/nowhere/",
        f"/rules/version/{'0' * 64}/",
        f"/rules/version/{'0' * 64}/play/",
        f"/rules/version/{'0' * 64}/search/?q=a",
        f"/rules/version/{digest}/nowhere/",
    ):
        assert client.get(address).status_code == 404, address
    assert client.post(f"/rules/{GOLD}/play/").status_code == 405


@pytest.mark.long
def test_a_stored_version_stays_readable(client: Client, stored: None) -> None:
    """A gang of an earlier version shows that version."""
    earlier = shipped(GOLD)
    rank = earlier.ranks[0]
    dearer = rank.model_copy(update={"price": 77})
    newer = Book.model_validate(
        earlier.model_copy(update={"ranks": (dearer, *earlier.ranks[1:])}).model_dump()
    )
    address = f"/rules/version/{earlier.digest}/characters/"
    assert "An earlier version of these rules" not in read(client, address)
    load(newer)
    assert "77" in read(client, f"/rules/{GOLD}/characters/")
    page = read(client, address)
    assert "An earlier version of these rules" in page
    assert f"77{'\u00a0'}Po" not in page
    base = f"/rules/version/{earlier.digest}/"
    inner = [link for link in Page(page).links if link.startswith(base)]
    assert f"{base}play/" in inner
    found = Page(read(client, f"{base}search/?q=leader")).links
    assert any(link.startswith(f"{base}characters/#") for link in found)


@pytest.mark.long
def test_a_page_takes_one_query_and_renders_its_rulebook_once(
    client: Client, stored: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"/rules/{POINTS}/play/"
    read(client, address)
    monkeypatch.setattr(views.chapters, "render", None)
    with CaptureQueriesContext(connection) as queries:
        read(client, address)
        read(client, f"/rules/{POINTS}/search/?q=horse")
    assert len(queries) == 2


# Content


def grids(slug: str, language: str, key: str, anchor: str) -> dict[str, list[PageCell]]:
    """Return the lines of one section's table."""
    chapter = render(shipped(slug), language).chapter(key)
    assert chapter
    section = next(one for one in chapter.sections if one.anchor == anchor)
    assert section.grid
    return {line.name: list(line.cells) for line in section.grid.lines}


def test_the_profile_table_shows_the_values_of_each_rank(client: Client, stored: None) -> None:
    gold = grids(GOLD, "en", "characters", "ranks")
    assert [cell.text for cell in gold["Leader"]] == [
        "4\u00a0Po",
        "4k2",
        "4k2",
        "4k2",
        '6"',
        "2",
    ]
    points = grids(POINTS, "fr", "characters", "ranks")
    assert [cell.text for cell in points["Homme de main"]][:3] == ["50\u00a0or", "1", "1"]


def test_the_profile_table_marks_house_values() -> None:
    """In a printed rank, only house values are marked; in a house rank, all values are."""
    lines = grids("zombstone", "fr", "characters", "ranks")
    house = {name: [cell.house for cell in cells] for name, cells in lines.items()}
    assert house == {
        "Vedette": [False, False, False, True],
        "Second rôle": [False, False, False, True],
        "Figurant": [True, True, False, True],
        "Zombie": [True, True, False, True],
    }


def test_boxes_are_drawn_and_have_a_text_alternative() -> None:
    """Boxes show their letters, marked boxes look different, and a text describes them."""
    slug = next(slug for slug in SLUGS if _has(slug, "track"))
    book = shipped(slug)
    row = next(row for row in book.characteristics if row.kind == "track")
    assert row.kind == "track"
    written = next(str(rank.values[row.key]) for rank in book.ranks if row.key in rank.values)
    lines = grids(slug, "en", "characters", "ranks")
    cell = next(cell for cells in lines.values() for cell in cells if cell.squares)
    assert "".join(square.letter for square in cell.squares) == written
    marked = {box.letter for box in row.boxes if box.marked}
    assert {square.letter for square in cell.squares if square.marked} == marked & set(written)
    assert all(box.name["en"] in cell.text for box in row.boxes if box.letter in written)


def _has(slug: str, kind: str) -> bool:
    return any(row.kind == kind for row in shipped(slug).characteristics)


@pytest.mark.long
def test_origins_show_the_profile_of_each_rank() -> None:
    slug = next(slug for slug in SLUGS if shipped(slug).origins)
    book = shipped(slug)
    origins = [
        piece for _, section, piece in pieces(render(book, "en")) if section.anchor == "origins"
    ]
    assert len(origins) == len(book.origins)
    plain = [tuple(line.cells) for line in _ranks(book)]
    shown = [tuple(line.cells) for piece in origins if piece.grid for line in piece.grid.lines]
    assert len(shown) == len(book.origins) * len(book.ranks)
    assert set(shown) - set(plain)


def _ranks(book: Book) -> tuple[object, ...]:
    chapter = render(book, "en").chapter("characters")
    assert chapter
    section = next(one for one in chapter.sections if one.anchor == "ranks")
    assert section.grid
    return section.grid.lines


@pytest.mark.long
def test_the_play_chapter_starts_with_the_turn() -> None:
    for slug in SLUGS:
        chapter = render(shipped(slug), "en").chapter("play")
        assert chapter and chapter.sections[0].anchor == "chapter-turn"
        assert chapter.sections[0].pieces[0].numbered


@pytest.mark.long
def test_a_table_shows_the_chance_of_each_row(client: Client, stored: None) -> None:
    page = read(client, f"/rules/{POINTS}/tables/")
    assert "1/36\u00a0· 2.8%" in page
    assert "2,8\u00a0%" in read(client, f"/rules/{POINTS}/tables/", "fr")
    assert "1/6\u00a0· 17%" in page


@pytest.mark.long
def test_a_step_shows_the_chances_of_its_rolls() -> None:
    """The chances are beside the step's name for one table, beside each table for several."""
    chapter = render(shipped("au-un-pour-un"), "en").chapter("campaign")
    assert chapter
    steps = {piece.anchor: piece.chips for piece in chapter.sections[0].pieces}
    assert steps["step-underlings"] == ("nothing happens: 67%", "lost for good: 33%")
    assert steps["step-injuries"] == (
        "nothing happens: 36%",
        "lost for good: 14% to 15%, by choice",
    )
    assert steps["step-advances"] == ()
    several = render(shipped("zombstone"), "en").chapter("campaign")
    assert several
    [piece] = [one for one in several.sections[0].pieces if one.anchor == "step-fates"]
    told = {fact.label: [link.text for link in fact.values] for fact in piece.facts}
    assert piece.chips == ()
    assert told["Table"][1:] == ["nothing happens: 17%", "lost for good: 17%"]


@pytest.mark.parametrize("slug", SLUGS)
def test_chances_of_a_table_add_up_to_one(slug: str) -> None:
    chapter = render(shipped(slug), "en").chapter("tables")
    for section in chapter.sections if chapter else ():
        for piece in section.pieces:
            if piece.grid:
                shares = [line.cells[0].text.split("\u00a0")[0] for line in piece.grid.lines]
                # A row that is thrown again has no share.
                ends = [share for share in shares if share != "–"]
                assert sum(_fraction(share) for share in ends) == pytest.approx(1)


def test_equal_rows_of_a_table_share_a_line() -> None:
    """The line shows all their numbers and the sum of their chances."""
    piece = next(
        piece
        for _, _, piece in pieces(render(shipped("cran"), "en"))
        if piece.anchor == "table-maimed"
    )
    assert piece.grid
    told = [(line.name, line.cells[0].text.split("\u00a0")[0]) for line in piece.grid.lines]
    assert told == [("1, 3, 5, 7, 9", "1/2"), ("2, 4, 6, 8, 10", "1/2")]


def _fraction(text: str) -> float:
    number, _, by = text.partition("/")
    return int(number) / int(by or 1)


def test_a_table_shows_the_faces_of_a_die_without_numbers() -> None:
    slug = next(slug for slug in SLUGS if any(table.faces for table in shipped(slug).tables))
    table = next(table for table in shipped(slug).tables if table.faces)
    piece = next(
        piece
        for _, _, piece in pieces(render(shipped(slug), "fr"))
        if piece.anchor == f"table-{table.key}"
    )
    assert piece.grid
    shown = ", ".join(line.name for line in piece.grid.lines)
    assert shown == ", ".join(face["fr"] for face in table.faces)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slug", SLUGS)
def test_limits_are_sentences_with_their_own_numbers(slug: str, language: str) -> None:
    book = shipped(slug)
    lines = [
        line
        for chapter in render(book, language).chapters
        for section in chapter.sections
        if section.anchor == "limits" and section.grid
        for line in section.grid.lines
    ]
    assert [line.detail for line in lines] == [limit.code for limit in book.limits]
    for line, limit in zip(lines, book.limits, strict=True):
        told = line.name
        assert "{" not in told and told[0] == told[0].upper()
        if limit.kind == "count" and limit.maximum and "{maximum}" in limit.text["en"]:
            assert str(limit.maximum) in told


@pytest.mark.parametrize("slug", SLUGS)
def test_house_values_are_marked(slug: str) -> None:
    book = shipped(slug)
    shown = {piece.anchor: piece for _, _, piece in pieces(render(book, "en"))}
    for rank in book.ranks:
        source = shown[f"rank-{rank.key}"].source
        assert source and source.any_house == book.cites_house(rank)
        assert source.house == rank.is_house or "+ house" in rank.source


def test_a_row_shows_its_source_and_page() -> None:
    book = shipped(POINTS)
    words = BookWording(book, "en")
    seed = list(book.sources).index("seed") + 1
    [citation] = words.source(book.item["winchester"]).citations
    assert (citation.number, citation.page) == (seed, "p. 12")
    assert citation.title == book.sources["seed"].title
    assert words.source(book.item["winchester"]).cells == "Short range, Long range, Str"
    assert words.source(book.item["knife"]).house


def test_hidden_and_banned_items_are_marked() -> None:
    base = shipped(GOLD)
    hidden = base.items[0].model_copy(update={"status": "hidden"})
    banned = base.items[1].model_copy(update={"status": "banned"})
    book = base.changed(items=(hidden, banned, *base.items[2:]))
    chapter = render(book, "en").chapter("items")
    assert chapter and chapter.sections[0].grid
    first, second, *others = chapter.sections[0].grid.lines
    assert first.terms.startswith("No longer offered") and second.terms == "Not allowed"
    assert not any(line.terms for line in others)


def test_a_row_names_the_settings_it_needs() -> None:
    shown = {piece.anchor: piece for _, _, piece in pieces(render(shipped(GOLD), "en"))}
    assert shown["rank-henchman"].terms == "Only with: Figures: Single figures"
    assert shown["rank-green"].terms.endswith("Units of five or Green units for henchmen")
    assert not shown["trait-lucky"].terms


def _number() -> str:
    return next(row.key for row in shipped(POINTS).characteristics if row.kind == "number")


OUTCOMES: dict[type, list[Outcome]] = {
    Dies: [Dies(kind="dies"), Dies(kind="dies", gear="stash")],
    Leaves: [Leaves(kind="leaves", departure="gone")],
    Suffers: [
        Suffers(kind="suffers", condition="captured"),
        Suffers(kind="suffers", condition="captured", games="1d3"),
    ],
    LosesItem: [
        LosesItem(kind="loses_item", groups=("pistol",)),
        LosesItem(kind="loses_item", groups=("pistol",), every=True),
    ],
    Learns: [Learns(kind="learns", amount="1d3")],
    Gains: [Gains(kind="gains", trait="hearty")],
    ChoosesTrait: [ChoosesTrait(kind="chooses_trait")],
    Rises: [
        Rises(kind="rises", characteristic=_number()),
        Rises(kind="rises", characteristic=_number(), amount=-1),
    ],
    Promotes: [Promotes(kind="promotes", rank="henchman")],
    Earns: [
        Earns(kind="earns", amount="2d6x10"),
        Earns(kind="earns", amount="2", each=Each(members=Selector(), fielded=True, most=3)),
        Earns(kind="earns", amount="2", each=Each(items=ItemSelector(groups=("pistol",)))),
    ],
    Finds: [
        Finds(kind="finds", item="knife"),
        Finds(kind="finds", item="knife", to="member", times="1d3"),
    ],
    Joins: [Joins(kind="joins", rank="henchman"), Joins(kind="joins", rank="henchman", times="2")],
    FallsTo: [
        FallsTo(kind="falls_to", by=by, outcomes=(Learns(kind="learns", amount="1"),))
        for by in ("choice", "die", "all")
    ],
    Pays: [Pays(kind="pays", amount="1d6")],
    RollsOn: [
        RollsOn(kind="rolls_on", table="injury"),
        RollsOn(kind="rolls_on", table="injury", times="2"),
        RollsOn(kind="rolls_on", table="injury", times="1d6"),
    ],
    RollAgain: [RollAgain(kind="again")],
    Takes: [Takes(kind="takes", holding="mill"), Takes(kind="takes", holding="ship")],
    Chooses: [
        Chooses(
            kind="chooses",
            options=(
                Option(name=Text(en="Rest", fr="Repos")),
                Option(name=Text(en="Pay", fr="Payer"), outcomes=(Pays(kind="pays", amount="3"),)),
            ),
        )
    ],
}


def test_the_cases_cover_every_kind_of_outcome() -> None:
    union = get_args(get_args(Outcome)[0])
    assert set(OUTCOMES) == set(union)


@pytest.mark.parametrize("kind", OUTCOMES, ids=lambda kind: kind.__name__)
def test_each_kind_of_outcome_has_words(kind: type) -> None:
    base = shipped(POINTS)
    departure = shipped(_with_departures()).campaign.departures[0]
    gone = departure.model_copy(update={"key": "gone", "when": {}})
    mill = Holding(key="mill", name=Text(en="Mill", fr="Moulin"), source="house")
    ship = mill.model_copy(update={"key": "ship", "shared": True})
    book = base.changed(
        campaign=base.campaign.model_copy(update={"departures": (gone,)}),
        holdings=(mill, ship),
        variant=None,
    )
    told = set()
    for outcome in OUTCOMES[kind]:
        with translation.override("en"):
            link = outcome_in_words(BookWording(book, "en"), outcome)
        assert link.text and "{" not in link.text and "%" not in link.text
        told.add(link.text)
    assert len(told) == len(OUTCOMES[kind])


def _with_departures() -> str:
    return next(slug for slug in SLUGS if shipped(slug).campaign.departures)


def test_outcomes_link_to_the_rows_they_name() -> None:
    words = BookWording(shipped(POINTS), "en")
    captured = outcome_in_words(words, OUTCOMES[Suffers][1])
    assert (captured.text, captured.to) == (
        "Gets: Captured, for games to come: 1D3.",
        "tables/#condition-captured",
    )
    assert outcome_in_words(words, OUTCOMES[RollsOn][1]).text == "Roll 2 times on: Injury."
    chosen = outcome_in_words(words, OUTCOMES[Chooses][0]).text
    assert chosen == "Choose: Rest. Or: Pay. The gang pays 3\u00a0gold, or all it has."


# Diagrams


def test_diagrams_tell_sides_apart_by_letter_and_pattern(client: Client, stored: None) -> None:
    page = read(client, f"/rules/{POINTS}/scenarios/", "fr")
    assert page.count("<svg viewBox") == 4
    assert page.count("<title id=") == page.count("<desc id=") == 4
    assert 'fill="url(#deployment-trapped-first)"' in page
    assert 'id="deployment-trapped-first"' in page
    numbers = re.findall(r'\s(?:x|y|width|height|cx|cy|r)="([^"]*)"', page.split("<svg viewBox")[1])
    assert numbers and all(re.fullmatch(r"\d+(\.\d+)?", number) for number in numbers)


def test_letters_of_a_diagram_do_not_overlap() -> None:
    zones = (
        Zone(shape="box", side="first", x=0, y=0, width=100, height=100),
        Zone(shape="circle", side="second", x=50, y=50, width=40),
        Zone(shape="cross", side="objective", x=50, y=50),
    )
    name = Text(en="All in one", fr="Tout en un")
    row = Deployment(key="all", name=name, source="house", text=name, zones=zones, broad=1.5)
    drawn = diagram(BookWording(shipped(POINTS), "en"), row)
    assert (drawn.width, drawn.height) == (150, 100)
    places = [(shape.letter_x, shape.letter_y) for shape in drawn.shapes]
    assert len(set(places)) == 3
    assert places[2] == (75, 50)
    assert {shape.letter for shape in drawn.shapes} == {"A", "B", "★"}
    assert all(letter in drawn.description for letter in ("A, ", "B, ", "★, "))


def test_a_triangle_is_drawn_in_its_corner(client: Client, stored: None) -> None:
    """Its right angle is at the corner of the table, and its letter is inside."""
    name = Text(en="Corners", fr="Coins")
    zones = (
        Zone(shape="triangle", side="first", x=0, y=0, width=20, height=30),
        Zone(shape="triangle", side="second", x=100, y=0, width=20, height=30),
        Zone(shape="triangle", side="third", x=0, y=100, width=20, height=30),
        Zone(shape="triangle", side="fourth", x=100, y=100, width=20, height=30),
    )
    row = Deployment(key="all", name=name, source="house", text=name, zones=zones, broad=1.5)
    with override("en"):
        drawn = diagram(BookWording(shipped(POINTS), "en"), row)
    assert [shape.points for shape in drawn.shapes] == [
        "0,0 30,0 0,30",
        "150,0 120,0 150,30",
        "0,100 30,100 0,70",
        "150,100 120,100 150,70",
    ]
    assert [(shape.letter_x, shape.letter_y) for shape in drawn.shapes] == [
        (10, 10),
        (140, 10),
        (10, 90),
        (140, 90),
    ]
    assert (
        "B, second side: a triangle in the upper right corner, 20 along the width"
        in drawn.description
    )
    page = read(client, f"/rules/{POINTS}/scenarios/")
    assert page.count("<polygon") == 3
    assert 'points="100,100 75,100 100,75"' in page


def test_every_diagram_fits_its_table() -> None:
    for slug in SLUGS:
        for row in shipped(slug).deployments:
            for shape in diagram(BookWording(shipped(slug), "en"), row).shapes:
                if shape.kind == "box":
                    assert shape.x + shape.width <= 100.1 * row.broad
                    assert shape.y + shape.height <= 100.1


# Search


@pytest.mark.parametrize("language", one_soon(reversed(LANGUAGES)))
@pytest.mark.parametrize("slug", one_soon(SLUGS))
def test_search_finds_every_entry_by_its_name(slug: str, language: str) -> None:
    drawn = render(shipped(slug), language)
    listed = entries(drawn)
    for entry in listed:
        if len(fold_letters(entry.name)) < 2 or len(entry.name) > LONGEST_QUERY:
            continue
        found = find(listed, entry.name.upper())
        assert any(fold_letters(one.name) == fold_letters(entry.name) for one in found), entry.name
    book = shipped(slug)
    targets = {entry.to for entry in listed}
    for table, (chapter, prefix) in ROWS.items():
        for row in getattr(book, table):
            assert f"{chapter}/#{prefix}-{row.key}" in targets


def test_search_results_link_to_their_place(client: Client, stored: None) -> None:
    page = Page(read(client, f"/rules/{GOLD}/search/?q=epee", "fr"))
    hits = [link for link in page.links if "#item-" in link]
    assert f"/rules/{GOLD}/items/#item-sword" in hits
    for link in {urldefrag(link) for link in hits}:
        assert link.fragment in Page(read(client, link.url, "fr")).ids


@pytest.mark.parametrize("query", ["épée", "EPEE", "epée", "  Épée  "])
def test_search_ignores_capitals_and_accents(query: str) -> None:
    found = find(entries(render(shipped(GOLD), "fr")), query)
    assert found[0].name == "Épée"


def test_search_requires_all_words_and_ranks_names_first() -> None:
    listed = entries(render(shipped(POINTS), "en"))
    assert find(listed, "morale")[0].name == "Morale"
    both = find(listed, "hunter bounty")
    assert "Bounty Hunter" in [one.name for one in both[:2]]
    assert not find(listed, "bounty zebra")


def test_search_finds_words_by_their_beginning_only() -> None:
    listed = entries(render(shipped(POINTS), "en"))
    assert "revolver" in find(listed, "revol")[0].name.casefold()
    assert "revolver" not in " ".join(one.name for one in find(listed, "ver")).casefold()
    assert list(mark_words("Revolver, volley", ["vol"])) == [
        ("Revolver, ", False),
        ("vol", True),
        ("ley", False),
    ]


@pytest.mark.parametrize("query", ["revolvr", "revolverr", "revolwer", "Revovler", "revover"])
def test_search_forgives_one_letter(query: str) -> None:
    listed = entries(render(shipped(POINTS), "en"))
    found = find(listed, query)
    assert found and found[0].name == find(listed, "revolver")[0].name
    assert any(is_marked for _part, is_marked in found[0].marked_name)


def test_search_does_not_forgive_two_letters() -> None:
    assert not find(entries(render(shipped(POINTS), "en")), "rwvolwer")


def test_search_results_separate_the_cells_of_a_row() -> None:
    """Cells are apart, and a number says of what, but no search finds every row by that word."""
    listed = entries(render(shipped(POINTS), "en"))
    (revolver,) = (one for one in listed if one.to == "items/#item-pocket_revolver")
    assert ' · Short 6" · Long 12"' in revolver.text
    assert 'short 6"' not in revolver.folded


@pytest.mark.parametrize(
    "query", one_soon(["", " ", "a", "%", "zzzz", "<script>", "(", "\\", "a" * 5000])
)
def test_search_answers_odd_queries(client: Client, stored: None, query: str) -> None:
    for headers in ({}, HTMX):
        answer = client.get(f"/rules/{GOLD}/search/", {"q": query}, headers=headers)
        assert answer.status_code == 200
        assert "<script>alert" not in answer.content.decode()
        assert ("<html" in answer.content.decode()) == (not headers)


def test_search_escapes_the_query(client: Client, stored: None) -> None:
    page = read(client, f"/rules/{GOLD}/search/?q=%3Cb%3Ehe")
    assert "&lt;b&gt;he" in page and "<b>he" not in page


def test_live_search_results_match_the_search_page(client: Client, stored: None) -> None:
    address = f"/rules/{POINTS}/search/"
    part = client.get(address, {"q": "horse"}, headers=HTMX).content.decode().strip()
    assert part.startswith('<p id="found-count"') and '<div id="found"' in part
    assert len(part) < 20_000
    # The count is in a part of the page that stays, so that screen readers announce it.
    lines = [line.strip() for line in part.splitlines()[1:] if line.strip()]
    page = read(client, f"{address}?q=horse")
    assert all(line in page for line in lines)


def test_a_search_is_kept_in_the_address_of_its_page(client: Client, stored: None) -> None:
    """Reloading that page shows the search again."""
    typed_on = f"http://testserver/rules/{POINTS}/items/?q=ho#item-x"
    for here, kept in (
        (typed_on, f"/rules/{POINTS}/items/"),
        ("http://testserver/elsewhere/", f"/rules/{POINTS}/search/"),
        ("http://[", f"/rules/{POINTS}/search/"),
    ):
        headers = {**HTMX, "HX-Current-URL": here}
        for asked, query in (("horse", "?q=horse"), ("", "")):
            answer = client.get(f"/rules/{POINTS}/search/", {"q": asked}, headers=headers)
            assert answer.headers["HX-Replace-Url"] == f"{kept}{query}"
    page = read(client, f"/rules/{POINTS}/items/?q=horse")
    assert 'value="horse"' in page and "<mark>" in page


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        ("Épée longue", "epee", [("Épée", True), (" longue", False)]),
        ("Cœur de bœuf", "coeur", [("Cœur", True), (" de bœuf", False)]),
        ("a & <b>", "<b", [("a & ", False), ("<b", True), (">", False)]),
        ("Knife", "nothing", [("Knife", False)]),
        ("", "any", []),
    ],
)
def test_mark_words_marks_the_query_in_a_text(
    text: str, query: str, shown: list[tuple[str, bool]]
) -> None:
    assert list(mark_words(text, [fold_letters(query)])) == shown


@pytest.mark.long
def test_the_rules_of_a_gang_show_only_relevant_rows(
    client: Client, stored: None, alice: User
) -> None:
    """The rules of the gang's rows, of common rows, and of rows for no gang in particular."""
    gang = make_gang(alice, POINTS)
    book = shipped(POINTS)
    address = f"/rules/{POINTS}"
    everything = Page(read(client, f"{address}/items/")).ids
    used = Page(read(client, f"{address}/items/?gang={gang.pk}")).ids
    # A stranger cannot read the gang and sees all rules.
    assert used == everything
    client.force_login(alice)
    innate = {f"item-{item.key}" for item in book.items if item.innate}
    owned = {f"item-{item.key}" for member in gang.roster.members for item in member.items} | innate
    page = read(client, f"{address}/items/?gang={gang.pk}")
    assert {one for one in Page(page).ids if one.startswith("item-")} == owned
    assert f'value="{gang.pk}" selected' in page
    assert f"{address}/tables/?gang={gang.pk}" in Page(page).links
    characters = Page(read(client, f"{address}/characters/?gang={gang.pk}")).ids
    ranks = {f"rank-{member.rank}" for member in gang.roster.members}
    assert {one for one in characters if one.startswith("rank-")} == ranks
    assert "characteristics" in characters
    nonsense = Page(read(client, f"{address}/items/?gang=nonsense")).ids
    assert set(everything) <= set(nonsense)


# Games with few rules


def test_pages_work_when_a_rulebook_has_hardly_any_rows(client: Client, stored: None) -> None:
    base = shipped(GOLD)
    campaign = base.campaign.model_copy(
        update={
            "results": base.campaign.results[:1],
            **dict.fromkeys(("marks", "tallies", "awards", "promotions", "steps"), ()),
            "scenario_table": None,
            "standings": ("wins",),
            "recruiting": None,
        }
    )
    bare = base.changed(
        slug="bare",
        rating=None,
        money=None,
        life=None,
        campaign=campaign,
        **dict.fromkeys(
            ("traits", "groups", "items", "budgets", "limits", "tables", "scenarios"), ()
        ),
        **dict.fromkeys(("deployments", "references", "glossary", "tags", "samples"), ()),
        activation=None,
        **dict.fromkeys(("phases", "tracks", "alarms", "states"), ()),
    )
    load(bare)
    drawn = render(bare, "en")
    assert [chapter.key for chapter in drawn.chapters] == ["characters", "campaign"]
    for key in ("", "characters/", "campaign/", "search/?q=leader"):
        page = read(client, f"/rules/bare/{key}")
        assert "None" not in page
    assert client.get("/rules/bare/play/").status_code == 404


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slug", SLUGS)
def test_no_section_or_fact_is_empty(slug: str, language: str) -> None:
    drawn = render(shipped(slug), language)
    for key, section, piece in pieces(drawn):
        assert section.title, (key, section.anchor)
        assert piece.name or not piece.anchor
        assert all(fact.label and all(link.text for link in fact.values) for fact in piece.facts)
