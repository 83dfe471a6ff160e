"""A game in one language with every outcome in a step that decides fates: checked, loaded, shown
and printed."""

from __future__ import annotations

import re
from typing import Any

import pytest
import tinyhtml5
from django.test import Client
from django.utils import translation

from accounts.models import User
from printing.press import layout as press
from printing.reference import job as reference
from printing.sheets import blank, cards
from printing.sheets import roster as sheet
from rules.book.model import Book
from rules.library import load
from rules.loading.examining import examine_data
from rules.loading.reader import RawBook, open_folder, parse
from rules.reference_pages import chapters
from tests.games.conftest import FOLDER
from tests.games.test_consumables import ANN
from tests.games.test_consumables_pages import make_circle
from tests.random_cases import one_soon

PLAIN: list[dict[str, Any]] = [
    {"kind": "dies", "gear": "stash"},
    {"kind": "leaves", "departure": "left"},
    {"kind": "suffers", "condition": "shaken", "games": "1d3"},
    {"kind": "loses_item", "groups": ["things"]},
    {"kind": "learns", "amount": "1d3"},
    {"kind": "gains", "trait": "sight"},
    {"kind": "pays", "amount": "2d6"},
    {"kind": "rolls_on", "table": "echoes"},
]
EVERY = [
    *PLAIN,
    {
        "kind": "chooses",
        "options": [
            {"name": "Run", "outcomes": PLAIN},
            {"name": "Stay", "outcomes": [{"kind": "suffers", "condition": "shaken"}]},
        ],
    },
]
ANSWER = [*PLAIN[1:7], {"kind": "chooses", "options": [{"name": "A"}, {"name": "B"}]}]
CONDITION = {
    "key": "shaken",
    "name": "Shaken",
    "text": "Hears the bell at night.",
    "most": 2,
    "beyond": [one for one in PLAIN if one["kind"] not in ("suffers", "rolls_on")],
    "source": "ledger",
}
TRAIT = {"key": "sight", "name": "Second sight", "text": "Sees the dead.", "source": "ledger"}
TABLE = {
    "key": "echoes",
    "name": "Echoes",
    "dice": "1d6",
    "rows": [
        {"low": 1, "high": 5, "name": "Silence", "source": "ledger"},
        {"low": 6, "high": 6, "name": "An answer", "outcomes": ANSWER, "source": "ledger"},
    ],
    "source": "ledger",
}


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    """Return the data of the game of circles, with every outcome in its step of fates."""
    data: dict[str, Any] = dict(open_folder(FOLDER / "circle").data)
    campaign = data["campaign"]
    steps = [
        {**step, "fates": [{"marks": ["out"], "outcomes": EVERY}]}
        if step["kind"] == "fates"
        else step
        for step in campaign["steps"]
    ]
    return {
        **data,
        "slug": "echoes",
        "campaign": {**campaign, "steps": steps},
        "conditions": [*data.get("conditions", ()), CONDITION],
        "traits": [*data.get("traits", ()), TRAIT],
        "tables": [*data["tables"], TABLE],
    }


@pytest.fixture(scope="module")
def echoes(data: dict[str, Any]) -> Book:
    """Return the game that the data describes."""
    return parse(RawBook(data, "book.toml"))


def test_checker_finds_no_mistake_in_outcomes_of_a_step_of_fates(data: dict[str, Any]) -> None:
    assert not examine_data("echoes", data).mistakes


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "fr"])
def test_pages_show_every_chapter(client: Client, echoes: Book, language: str) -> None:
    load(echoes)
    client.cookies["django_language"] = language
    pages = chapters.render(echoes, language)
    for address in ["", *(f"{chapter.key}/" for chapter in pages.chapters)]:
        page = client.get(f"/rules/echoes/{address}")
        assert page.status_code == 200
    assert "Stay" in client.get("/rules/echoes/campaign/").content.decode()


def test_reference_sheet_has_every_fate(echoes: Book) -> None:
    printed = reference.job(echoes, reference.ReferenceOrder("fr"))
    assert "An answer" in printed.html
    assert "Second sight" in printed.html


def words_in(language: str, page: str) -> str:
    """Return the text of a page inside elements with this ``lang``, without the page's own."""
    root = tinyhtml5.parse(page, namespace_html_elements=False)
    found = [one for one in root.iterfind(f".//*[@lang='{language}']") if one is not root]
    return " ".join(" ".join("".join(one.itertext()).split()) for one in found)


@pytest.mark.django_db
def test_builder_and_prints_say_the_language_of_the_game(
    client: Client, alice: User, circle: Book
) -> None:
    gang = make_circle(alice, circle, "g1")
    client.force_login(alice)
    client.cookies["django_language"] = "fr"
    built = client.get(f"{gang.get_absolute_url()}?open={ANN}").content.decode()
    picked = client.get(f"{gang.get_absolute_url()}members/{ANN}/items/").content.decode()
    shown = client.get(f"{gang.get_absolute_url()}sheet/").content.decode()
    rank = circle.rank[gang.roster.members[0].rank].name["en"]
    for page in (built, shown):
        english = words_in("en", page)
        assert "Incense" in english and rank in english
        assert "Équipement" not in english and "Réserve" not in english
    assert "Incense" in words_in("en", picked)
    orders = (sheet.SheetOrder("fr"), sheet.SheetOrder("fr", style="accessible"))
    with translation.override("fr"):
        prints = [sheet.job(gang, order).html for order in orders]
        prints.append(cards.job(gang, cards.CardsOrder("fr")).html)
    for printed in prints:
        english = words_in("en", printed)
        assert "Incense" in english and rank in english
    blanks = words_in("en", blank.job(circle, blank.BlankOrder("fr")).html)
    assert "Incense" in blanks and rank in blanks
    # Readers of the game's own language need no marks.
    with translation.override("en"):
        english_sheet = sheet.job(gang, sheet.SheetOrder("en")).html
    assert english_sheet.count("lang=") == 1


@pytest.mark.papers
@pytest.mark.parametrize("printed", one_soon(["reference", "blank"]))
def test_press_lays_out_a_game_in_one_language(echoes: Book, printed: str) -> None:
    if printed == "reference":
        job = reference.job(echoes, reference.ReferenceOrder("fr"))
    else:
        job = blank.job(echoes, blank.BlankOrder("fr"))
    assert press.lay_out(job).pages


@pytest.mark.django_db
@pytest.mark.parametrize(("language", "marks"), [("en", 0), ("fr", 1)])
def test_pages_mark_texts_in_another_language(
    client: Client, echoes: Book, language: str, marks: int
) -> None:
    load(echoes)
    headers = {"Accept-Language": language}
    home = client.get("/rules/echoes/", headers=headers).content.decode()
    assert home.count('<h1 lang="en">The Circle</h1>') == marks
    tables = client.get("/rules/echoes/tables/", headers=headers).content.decode()
    assert bool(re.search(r'<tbody lang="en">', tables)) == bool(marks)
    assert bool(re.search(r'<p lang="en">Hears the bell at night.', tables)) == bool(marks)
    listed = client.get("/rules/", headers=headers).content.decode()
    assert bool(re.search(r'lang="en">The Circle</a>', listed)) == bool(marks)


def test_reference_sheet_marks_texts_in_another_language(echoes: Book) -> None:
    french = reference.job(echoes, reference.ReferenceOrder("fr")).html
    assert re.search(r'<div class="part[^"]*" lang="en">', french)
    english = reference.job(echoes, reference.ReferenceOrder("en")).html
    assert 'class="part' in english and ' lang="en">' not in english.partition("<body")[2]
