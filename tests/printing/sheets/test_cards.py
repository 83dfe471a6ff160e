"""Member cards: they print everything that a member has, in the right size."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override
from weasyprint.formatting_structure import boxes

from common.wording.sentences import words_of
from gangs.cards.groups import gather_cards
from gangs.cards.render import bearer_of, item_line, render
from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.models import Gang
from gangs.pictures import storage as pictures_storage
from printing.members.card import AROUND, FORMATS, STRIP, CardSize, Drawing
from printing.members.ladder import ladder_of
from printing.members.values import paper_member
from printing.press import layout as press
from printing.press.jobs import Job
from printing.queue import shown_pictures
from printing.sheets import cards as prints_cards
from printing.sheets.cards import CardsOrder
from rules.book.look import contrast
from tests.printing.crowds import LONG, UNBROKEN, crowd
from tests.printing.kept_pages import same_picture
from tests.printing.portraits import photograph, pictures_of
from tests.printing.reading import (
    boxes_of,
    fonts_of,
    is_tagged,
    language_of,
    pages_of,
    printed,
    sizes_of,
    squeezed,
    text_of,
    title_of,
    too_small,
    troubles,
)
from tests.random_cases import one_soon
from tests.world.gangs import GOLD, POINTS, SLUGS, make_big_gang, make_gang, rostered, shipped
from typesetting.letters import LARGE, LARGE_LABEL, SMALLEST, SMALLEST_LABEL
from typesetting.measuring import Run, width, wrap_text
from typesetting.passages import Passage, Room

pytestmark = pytest.mark.papers

SIZES: list[CardSize] = ["poker", "large"]


def sample(slug: str, number: int = 0) -> ComputedGang:
    book = shipped(slug)
    entries = actions.found_from_sample(book, book.samples[number])
    return ComputedGang.of(book, rostered(book, entries))


def job(computed: ComputedGang, language: str = "en", **wanted: Any) -> Job:
    with override(language):
        html = prints_cards.markup(computed, CardsOrder(language, **wanted))
    return Job(html, styles=("fonts", "cards"))


def expected_texts(computed: ComputedGang, language: str) -> list[str]:
    """All texts that the cards must print, word for word, except for their tables."""
    page = render(computed, language)
    said: list[object] = [page.name]
    for card in page.cards:
        said += [card.shown_name, card.rank, card.profession, card.origin, card.notes]
        said += [f"{card.rating} {page.rating_unit}"] if page.rating_name else []
        said += [stat.short for stat in card.stats]
        said += [stat.value for stat in card.stats if not stat.boxes]
        for line in [*card.items, *page.innate]:
            said.append(line.own_text)
            # Each other way to use an item is a row below it.
            said += [text for way in line.ways for text in (way.name, way.more)]
        for words in [*card.calling, *card.traits, *card.gained, *card.afflictions]:
            said += [words.name, words.text]
    return [str(one) for one in said]


def rows_of(html: str) -> list[list[tuple[str, dict[str, str], str]]]:
    """The items on each card: their name, their values by column heading, and the text below. Items
    without columns are all text."""
    found = []
    for section in ElementTree.fromstring(html).iter("section"):
        rows: list[tuple[str, dict[str, str], str]] = []
        for part in section.iter():
            kind = part.get("class")
            if kind == "items":
                heads: list[str] = []
                for row in part.iter("tr"):
                    cells = [squeezed("".join(cell.itertext())) for cell in row]
                    if row.get("class") == "row":
                        rows.append((cells[0], dict(zip(heads[1:], cells[1:], strict=True)), ""))
                    elif row[0].get("class") == "words":
                        name, values, _words = rows[-1]
                        rows[-1] = (name, values, cells[0])
                    else:
                        heads = cells
            elif kind == "passage kit":
                name = squeezed("".join(part[0].itertext()))
                words = squeezed("".join(part.itertext())).removeprefix(name)
                rows.append((name, {}, words))
        found.append(rows)
    return found


def find_misplaced(computed: ComputedGang, html: str, language: str) -> list[str]:
    """Every value that is not in its place: a value of a carried or innate item belongs in its
    column, or in the text below with its column's heading."""
    book, page = computed.book, render(computed, language)
    rows = [row for side in rows_of(html) for row in side]
    wrong, expected_rows = [], 0
    for card in page.cards:
        bearer = bearer_of(computed, computed.roster.member(card.id))
        born_with = [computed.book.item[one.key] for one in page.innate]
        innate = [item_line(computed, item, language, bearer=bearer) for item in born_with]
        items = [*card.items, *innate]
        # Each other way to use an item is a row below it.
        expected_rows += sum(
            1 + len(item.ways) for item in {one.key: one for one in items}.values()
        )
        for item in items:
            count = sum(one.key == item.key for one in items)
            called = f"{count} × {item.name}" if count > 1 else item.name
            theirs = [row for row in rows if row[0] == squeezed(called + "†" * item.house)]
            columns = {row.key: row for row in book.group[book.item[item.key].group].columns}
            looked_up = [
                ((columns[key].short or columns[key].name).translated(language), value)
                for key, (_head, value) in zip(item.columns, item.cells, strict=True)
                if not columns[key].minor and value != "–"
            ]
            if not any(shows_columns(looked_up, values, words) for _name, values, words in theirs):
                wrong.append(f"{card.shown_name}: {called}: {looked_up}")
    assert expected_rows == len(rows)
    return wrong


def shows_columns(looked_up: list[tuple[str, str]], values: dict[str, str], words: str) -> bool:
    """Whether a row shows all of these columns."""
    return all(
        squeezed(value) in (values.get(squeezed(head)), *words.split("·"))
        or squeezed(head + value) in words
        for head, value in looked_up
    )


# Content -------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "style", "language", "legible"),
    [
        ("poker", "ink", "en", (SMALLEST, SMALLEST_LABEL)),
        ("poker", "illustrated", "fr", (SMALLEST, SMALLEST_LABEL)),
        ("large", "ink", "fr", (SMALLEST, SMALLEST_LABEL)),
        ("large", "accessible", "fr", (LARGE, LARGE_LABEL)),
    ],
)
@pytest.mark.parametrize("slug", SLUGS)
def test_cards_print_everything(
    slug: str, size: CardSize, style: str, language: str, legible: tuple[float, float]
) -> None:
    computed = sample(slug)
    wanted = job(computed, language, style=style, size=size)
    text = text_of(printed(wanted))
    assert [one for one in expected_texts(computed, language) if squeezed(one) not in text] == []
    assert find_misplaced(computed, wanted.html, language) == []
    assert troubles(wanted, within="paper") == []
    assert too_small(wanted, *legible) == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("slug", "name", "size", "paper"),
    [
        (POINTS, LONG, "poker", "a4"),
        (POINTS, UNBROKEN, "poker", "letter"),
        (POINTS, UNBROKEN, "large", "a4"),
        (GOLD, LONG, "large", "letter"),
        (GOLD, UNBROKEN, "poker", "a4"),
    ],
)
def test_card_of_a_heavily_loaded_member_loses_nothing(
    slug: str, name: str, size: CardSize, paper: str
) -> None:
    """A long name wraps, and text that does not fit continues: no word is missing."""
    computed = crowd(shipped(slug), 3, items=40, name=name)
    wanted = job(computed, "fr", size=size, paper=paper)
    assert troubles(wanted, within="paper") == []
    text = text_of(printed(wanted))
    words = [word for one in expected_texts(computed, "fr") for word in one.split()]
    assert [word for word in words if squeezed(word) not in text] == []
    assert find_misplaced(computed, wanted.html, "fr") == []
    assert too_small(wanted) == []
    assert squeezed(name) in text
    parts = sorted({int(part) for part in re.findall(r"\d/(\d)", text)})
    assert parts and parts[-1] > 1


@pytest.mark.long
def test_long_note_continues_on_more_parts() -> None:
    book = shipped(POINTS)
    note = " ".join(f"word{number}" for number in range(500))
    made: list[Entry] = [
        kinds.Founded(name="Writers", settings=book.default_settings()),
        kinds.Recruited(rank="henchman", name="Homer"),
        kinds.Noted(member=2, text=note),
    ]
    wanted = job(ComputedGang.of(book, rostered(book, made)))
    text = text_of(printed(wanted))
    places = [text.index(f"word{number}") for number in range(100, 500)]
    assert places == sorted(places)
    assert troubles(wanted, within="paper") == []


def test_every_part_names_its_member_and_number() -> None:
    computed = crowd(shipped(POINTS), 1, items=20, name="Big Bertha")
    html = job(computed).html
    parts = re.findall(r'class="part">(\d)/(\d)<', html)
    assert parts == [(str(number), str(len(parts))) for number in range(1, len(parts) + 1)]
    assert html.count("Big Bertha</h1>") == len(parts) > 1
    # Boxes to tick are only on the first part.
    assert html.count('class="life"') == 1


def test_equal_items_are_counted() -> None:
    book = shipped(POINTS)
    made: list[Entry] = [
        kinds.Founded(name="Twins", settings=book.default_settings()),
        kinds.Recruited(rank="henchman", name="Janus"),
        *[kinds.Bought(item="knife", member=2)] * 2,
    ]
    assert "2 × Knife" in job(ComputedGang.of(book, rostered(book, made))).html


@pytest.mark.parametrize("size", one_soon(SIZES))
@pytest.mark.parametrize("slug", SLUGS)
def test_life_and_experience_have_boxes_on_every_card(slug: str, size: CardSize) -> None:
    """For every rank, life and experience are beside or below each other, and overlap nothing."""
    book = shipped(slug)
    made: list[Entry] = [kinds.Founded(name="Veterans", settings=book.default_settings())]
    for rank in book.ranks:
        made.append(kinds.Recruited(rank=rank.key, name=f"Old {rank.key}"))
        made.append(kinds.Learned(member=len(made), amount=7))
    computed = ComputedGang.of(book, rostered(book, made))
    wanted = job(computed, "fr", size=size)
    assert troubles(wanted, within="paper") == []
    page = render(computed, "fr")
    drawn = wanted.html.count('class="life"')
    assert drawn == sum(bool(card.life) for card in page.cards)
    tracks = sum(ladder_of(computed, row, "fr") is not None for row in computed.roster.members)
    assert wanted.html.count('class="track"') == tracks
    assert wanted.html.count(f"{words_of(book.experience_word, 'fr')} <b>7") == len(page.cards)
    barrels = [row for row in book.characteristics if row.kind == "track" and row.drawn == "barrel"]
    assert ("a1.60 1.60" in wanted.html) == bool(barrels)


def test_conditions_show_their_duration_and_origin() -> None:
    book = shipped(POINTS)
    condition = book.conditions[1]
    made: list[Entry] = [
        kinds.Founded(name="Veterans", settings=book.default_settings()),
        kinds.Recruited(rank="henchman", name="Sore Sam"),
        kinds.Suffered(member=2, condition=condition.key, games=2, against="The Rats"),
    ]
    text = text_of(press.pdf(job(ComputedGang.of(book, rostered(book, made)))))
    assert squeezed("(against The Rats, 2 more games)") in text
    assert squeezed(condition.name["en"]) in text and squeezed(condition.text["en"]) in text


@pytest.mark.long
def test_house_values_are_marked() -> None:
    computed = sample(POINTS)
    assert "†Housevalue" in text_of(press.pdf(job(computed)))


@pytest.mark.long
def test_illustrated_cards_print_portraits(gang: Gang, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    first = gang.roster.members[0].id
    wanted = {style: CardsOrder("en", style=style) for style in ("ink", "illustrated")}
    before = {style: prints_cards.key(gang, order) for style, order in wanted.items()}
    pictures_storage.keep(gang, first, pictures_storage.decode(photograph(), "alice"))
    assert before["illustrated"] != prints_cards.key(gang, wanted["illustrated"])
    # A print without portraits is not printed again.
    assert before["ink"] == prints_cards.key(gang, wanted["ink"])
    jobs = {style: prints_cards.job(gang, order) for style, order in wanted.items()}
    shown = {style: press.pdf(job, shown_pictures(job)) for style, job in jobs.items()}
    assert (pictures_of(shown["ink"]), pictures_of(shown["illustrated"])) == (0, 1)
    assert troubles(prints_cards.job(gang, wanted["illustrated"]), within="paper") == []


# Choice of cards ------------------------------------------------------------------------------


def test_cards_are_printed_only_for_chosen_members() -> None:
    computed = sample(POINTS)
    first, *others = computed.roster.members
    html = job(computed, members=(first.id,)).html
    assert f"{first.name}</h1>" in html
    assert not any(f"{one.name}</h1>" in html for one in others)


@pytest.mark.parametrize("slug", SLUGS)
def test_blank_cards_are_printed_on_request(slug: str) -> None:
    computed = sample(slug)
    few, more = (job(computed, spares=spares).html for spares in (0, 2))
    assert "head blank" not in few
    assert more.count("head blank") == 2
    blank = more[more.index("head blank") :]
    for row in shipped(slug).characteristics:
        assert row.short["en"] in blank


@pytest.mark.long
def test_empty_gang_gets_a_page_of_blank_cards() -> None:
    book = shipped(POINTS)
    empty = ComputedGang.of(book, rostered(book, actions.found(book, "Nobody", {})))
    assert job(empty).html.count("head blank") == 9
    assert len(pages_of(press.pdf(job(empty)))) == 1


# Layout ---------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(("paper", "wide"), [("a4", (595, 842)), ("letter", (612, 792))])
@pytest.mark.parametrize(("size", "each"), [("poker", 9), ("large", 4)])
def test_cards_have_the_chosen_size(paper: str, wide: Any, size: CardSize, each: int) -> None:
    book = shipped(POINTS)
    empty = ComputedGang.of(book, rostered(book, actions.found(book, "Nobody", {})))
    wanted = job(empty, paper=paper, size=size, spares=9)
    pages = press.lay_out(wanted).pages
    assert len(pages) == -(-9 // each)
    assert set(sizes_of(press.pdf(wanted))) == {wide}
    found = [
        box
        for box in pages[0]._page_box.descendants()
        if box.element is not None and box.element.tag == "section"
    ]
    assert len(found) == each
    for box in found:
        millimetres = [side * 25.4 / 96 for side in (box.border_width(), box.border_height())]
        assert millimetres == pytest.approx([FORMATS[size].width, FORMATS[size].height])
        assert 3 < box.position_x * 25.4 / 96 < 160
    assert press.pdf(wanted) == press.pdf(wanted)


@pytest.mark.long
def test_letters_of_other_scripts_stay_on_their_cards() -> None:
    book = shipped(POINTS)
    note = "メモ 🐎🐎🐎🐎🐎🐎 заметка Ψυχή " * 12
    made: list[Entry] = [
        kinds.Founded(name="Банда 犬", settings=book.default_settings()),
        kinds.Recruited(rank="henchman", name="Иван Ψυχή 王小明 🤠"),
        kinds.Noted(member=2, text=note),
    ]
    wanted = job(ComputedGang.of(book, rostered(book, made)))
    assert troubles(wanted, within="paper") == []
    assert {"Иван", "Ψυχή", "王小明", "заметка"} <= set(re.findall(r"\w+", wanted.html))
    assert text_of(press.pdf(wanted)).count("заметка") == 12


@pytest.mark.long
def test_cards_embed_fonts_and_have_title_and_tags() -> None:
    pdf = press.pdf(job(sample(POINTS), "fr"))
    assert fonts_of(pdf) >= {"Fira-Sans", "Fira-Sans-Semi-Bold", "Zilla-Slab-Bold"}
    assert is_tagged(pdf)
    assert language_of(pdf) == "fr"
    assert sample(POINTS).roster.name in title_of(pdf)


@pytest.mark.parametrize("slug", SLUGS)
def test_coloured_text_has_enough_contrast(slug: str) -> None:
    look = shipped(slug).look
    assert contrast("#fffcf5", look.accent.light) >= 4.5
    assert contrast("#ffffff", look.accent.light) >= 4.5


@pytest.mark.long
@pytest.mark.parametrize(
    ("slug", "wanted"),
    [
        (SLUGS[0], {"spares": 1}),
        (SLUGS[-1], {"style": "illustrated", "size": "large", "paper": "letter"}),
    ],
)
def test_cards_look_like_their_kept_pictures(slug: str, wanted: Any) -> None:
    same_picture(press.pdf(job(sample(slug), "fr", **wanted)), f"cards-{slug}", pages=1)


# Measuring and dealing ------------------------------------------------------------------------


def test_measured_width_matches_the_set_line() -> None:
    text = "Winchester à répétition, Łódź: Niveau 5 · Portée 24" * 2
    style = "<style>@page { size: 500mm 50mm } p { font-size: 8pt }</style>"
    html = f"<html><head>{style}</head><body><p>{text}</p></body></html>"
    page = press.lay_out(Job(html, styles=("fonts", "sheet"))).pages[0]
    boxes = [box for box in page._page_box.descendants() if getattr(box, "text", "")]
    set_as = sum(box.width for box in boxes if "Winchester" in box.text) * 25.4 / 96
    assert set_as * 0.99 <= width(text, 8) <= set_as * 1.02


def test_word_that_is_too_wide_is_broken_without_loss() -> None:
    lines = wrap_text([Run("To ", "bold"), Run(UNBROKEN), Run(" end")], 8, 30)
    assert squeezed("".join(run.text for line in lines for run in line)) == f"To{UNBROKEN}end"
    assert all(sum(width(run.text, 8, run.face) for run in line) <= 30.01 for line in lines)


def test_no_card_is_overfull() -> None:
    room = Room(50, 20, 30)
    short = [Passage("kit", (Run("A knife"),))]
    assert room.deal(short, 8) == [short]
    words = Passage("skill", (Run("many words " * 30),))
    dealt = room.deal([words] * 4, 8)
    assert len(dealt) > 1
    assert all(room.height(card, 8) <= room.others for card in dealt)
    assert room.height(dealt[0], 8) <= room.first
    said = " ".join(run.text for card in dealt for passage in card for run in passage.runs)
    assert said.split() == words.runs[0].text.split() * 4


@pytest.mark.parametrize("slug", SLUGS)
def test_cards_have_the_largest_letters_that_fit(slug: str) -> None:
    """All cards of a print have letters of one size: the largest that needs no additional card."""
    computed = sample(slug)
    page = render(computed, "en")
    smallest = replace(FORMATS["poker"], body=(SMALLEST,))
    drawings = [Drawing(computed, page, "en", size, {}) for size in (FORMATS["poker"], smallest)]
    cards = [paper_member(computed, group, "en") for group in gather_cards(computed, page)]
    with override("en"):
        most, fewest = (sum(map(len, drawing.sides(cards, 0))) for drawing in drawings)
    assert most == fewest
    larger = [size for size in FORMATS["poker"].body if size > drawings[0].body]
    for body in larger:
        again = Drawing(computed, page, "en", replace(FORMATS["poker"], body=(body,)), {})
        with override("en"):
            assert sum(map(len, again.sides(cards, 0))) > fewest


def test_boxes_to_tick_have_the_same_place_on_every_card() -> None:
    wanted = job(sample(POINTS))
    found = list(boxes_of(press.lay_out(wanted).pages[0]._page_box))
    cards = [box.position_y for box in found if (box_class(box) or "").startswith("card")]
    strips = [box for box in found if box_class(box) == "strip"]
    ends = {
        round(strip.position_y - max(top for top in cards if top < strip.position_y), 1)
        for strip in strips
    }
    assert len(strips) == 5 and len(ends) == 1
    assert {round(strip.height * 25.4 / 96, 1) for strip in strips} == {STRIP - AROUND}


def box_class(box: Any) -> str | None:
    """The class of a block's element; None for lines."""
    block = isinstance(box, boxes.BlockBox) and box.element is not None
    return box.element.get("class") if block else None


@pytest.mark.parametrize(("across", "places"), [(3, "AABCCDEE"), (2, "AABDCCEE")])
def test_two_sides_of_a_card_are_side_by_side(across: int, places: str) -> None:
    """They are folded over, so a member with a single card may fill the row."""
    groups = [["A", "A"], ["B"], ["C", "C"], ["D"], ["E", "E"]]
    placed = list(prints_cards._placed(groups, across))  # type: ignore[arg-type]
    assert "".join("." if one is None else one[0] for one in placed) == places
    folded = [place for place, one in enumerate(placed) if one and one[1]]
    assert all(placed[place][0] == placed[place + 1][0] for place in folded)  # type: ignore[index]
    assert all(place % across < across - 1 for place in folded)
    assert len(folded) == 3


@pytest.mark.parametrize("paper", one_soon(["a4", "letter"]))
def test_cutting_marks_are_outside_the_cards(paper: str) -> None:
    wanted = job(sample(POINTS), paper=paper)
    frames: dict[str, list[Any]] = {"card": [], "cut": [], "ruler": []}
    for box in boxes_of(press.lay_out(wanted).pages[0]._page_box):
        name = (box_class(box) or "").split(" ")[0]
        if name in frames:
            frames[name].append(
                (box.position_x, box.position_y, box.border_width(), box.border_height())
            )
    assert len(frames["cut"]) == 16
    for left, top, wide, high in frames["cut"]:
        assert min(wide, high) * 25.4 / 96 == pytest.approx(0.2)
        for x, y, w, h in frames["card"]:
            assert left + wide <= x or x + w <= left or top + high <= y or y + h <= top
    assert frames["ruler"]
    drawing = re.search(r'<svg viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*><title>50 mm', wanted.html)
    assert drawing is not None
    assert sorted(map(float, drawing.groups())) == [1.6, 50.2]


def test_card_of_an_absent_member_is_stamped() -> None:
    book = shipped(POINTS)
    away = next(row for row in book.conditions if row.absent)
    made: list[Entry] = [
        kinds.Founded(name="Veterans", settings=book.default_settings()),
        kinds.Recruited(rank="henchman", name="Sore Sam"),
        kinds.Recruited(rank="henchman", name="Fit Fred"),
        kinds.Suffered(member=2, condition=away.key, games=2),
    ]
    html = job(ComputedGang.of(book, rostered(book, made))).html
    assert re.findall(r'class="stamp">(.*?)<', html) == [f"{away.name['en']}: out for 2 games"]


# Access ---------------------------------------------------------------------------------------


@pytest.fixture
def gang(client: Client, alice: Any) -> Gang:
    client.force_login(alice)
    return make_gang(alice)


def test_card_choices_are_remembered(client: Client, gang: Gang) -> None:
    first = gang.roster.members[0]
    chosen = {
        "kind": "cards",
        "size": "large",
        "paper": "letter",
        "style": "illustrated",
        "spares": "2",
        "members": [str(first.id)],
    }
    response = client.post(f"/gangs/{gang.pk}/prints/", chosen)
    assert response.status_code == 302
    asked = client.get(response["Location"])
    again = client.get(f"/gangs/{gang.pk}/cards.pdf")
    assert asked.content == again.content
    assert sizes_of(again.content) == [(612, 792)]
    page = client.get(f"/gangs/{gang.pk}/prints/").content.decode()
    box = re.search(rf'<input[^>]*name="cards-members"[^>]*value="{first.id}"[^>]*>', page)
    assert box is not None and "checked" in box[0]


@pytest.mark.parametrize("wrong", [{"spares": "10"}, {"spares": "-1"}, {"size": "huge"}])
def test_invalid_choice_is_explained(client: Client, gang: Gang, wrong: dict[str, str]) -> None:
    chosen = {"kind": "cards", "size": "poker", "paper": "a4", "style": "ink", "spares": "0"}
    response = client.post(f"/gangs/{gang.pk}/prints/", chosen | wrong)
    assert response.status_code == 422
    assert "invalid-feedback" in response.content.decode()


def test_unknown_members_are_skipped(client: Client, gang: Gang) -> None:
    first = gang.roster.members[0]
    alone = client.get(f"/gangs/{gang.pk}/cards.pdf?members={first.id}").content
    with_gone = client.get(f"/gangs/{gang.pk}/cards.pdf?members={first.id}&members=999").content
    assert alone == with_gone


def test_unchanged_cards_are_not_sent_again(client: Client, gang: Gang) -> None:
    first = client.get(f"/gangs/{gang.pk}/cards.pdf")
    headers = {"If-None-Match": first["ETag"]}
    assert client.get(f"/gangs/{gang.pk}/cards.pdf", headers=headers).status_code == 304
    asked = f"/gangs/{gang.pk}/cards.pdf?spares=1"
    assert client.get(asked, headers=headers).status_code == 200


@pytest.mark.parametrize("members", [1, 30])
def test_card_queries_do_not_grow(client: Client, alice: Any, members: int) -> None:
    client.force_login(alice)
    big = make_big_gang(alice, members)
    client.get(f"/gangs/{big.pk}/sheet.pdf")
    with CaptureQueriesContext(connection) as queries:
        assert client.get(f"/gangs/{big.pk}/cards.pdf").status_code in {200, 202}
    # The session, the user and the gang.
    assert len(queries) == 3
