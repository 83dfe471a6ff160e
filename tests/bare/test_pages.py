"""Missing parts of the smallest game: no heading, no link, no empty list mentions them."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from urllib.parse import urldefrag

import pytest

from tests.bare.conftest import Bare

pytestmark = pytest.mark.django_db
HEADINGS = {"h1", "h2", "h3", "h4", "summary", "legend"}
LISTS = {"ul", "ol", "dl", "select", "tbody"}


def addresses(bare: Bare) -> list[str]:
    gang, campaign, game = bare.gangs[0], bare.campaign, bare.game
    home, evening, play = (row.get_absolute_url() for row in (gang, campaign, game))
    member = gang.roster.members[0].id
    return [
        "/gangs/new/",
        "/gangs/new/bare/",
        home,
        f"{home}?open={member}",
        f"{home}sheet/",
        f"{home}history/",
        "/rules/",
        "/rules/bare/",
        *(f"/rules/bare/{chapter}/" for chapter in CHAPTERS),
        "/campaigns/new/bare/",
        evening,
        f"{evening}settings/",
        f"{evening}games/new/",
        play,
        f"{play}plan/",
        f"{play}report/",
    ]


CHAPTERS = ("introduction", "characters", "campaign")


class Shape(HTMLParser):
    """The headings of a page's main part, its links, and its empty lists."""

    def __init__(self) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.links: list[str] = []
        self.empty: list[str] = []
        self._open: list[tuple[str, str, int]] = []
        self._words: list[str] | None = None
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._inside |= tag == "main"
        if not self._inside:
            return
        if self._open:
            kind, about, count = self._open.pop()
            self._open.append((kind, about, count + 1))
        if tag in LISTS:
            self._open.append((tag, given.get("class", "") or given.get("name", ""), 0))
        if tag in HEADINGS:
            self._words = []
        if tag == "a":
            self.links.append(given.get("href", ""))

    def handle_data(self, data: str) -> None:
        if self._words is not None:
            self._words.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "main":
            self._inside = False
        if self._open and self._open[-1][0] == tag:
            kind, about, count = self._open.pop()
            if not count:
                self.empty.append(f"{kind} {about}")
        if tag in HEADINGS and self._words is not None:
            self.headings.append(" ".join("".join(self._words).split()))
            self._words = None


def shape_of(bare: Bare, address: str) -> Shape:
    answer = bare.client.get(address, follow=True)
    assert answer.status_code == 200, address
    shape = Shape()
    shape.feed(answer.content.decode())
    return shape


@pytest.mark.long
def test_no_page_has_an_empty_list_or_a_broken_link(bare: Bare) -> None:
    links = set()
    for address in addresses(bare):
        shape = shape_of(bare, address)
        assert shape.empty == [], address
        links |= {urldefrag(link).url for link in shape.links if link.startswith("/")}
    assert len(links) > 30
    for link in sorted(links):
        if not link.endswith(".pdf") and "sheet.pdf" not in link:
            assert bare.client.get(link, follow=True).status_code == 200, link


# Parts that the game lacks, by the words of the heading or button that would offer them.
ABSENT = (
    "Or take a ready-made gang",
    "Options of the rulebook",
    "House options",
    "Gear",
    "Stash",
    "Custom item",
    "Traits and skills",
    "Scenario",
    "After the game, step by step",
    "the options stay as they were",
)


def test_no_page_offers_parts_that_the_game_lacks(bare: Bare) -> None:
    for address in addresses(bare):
        page = bare.client.get(address, follow=True).content.decode()
        main = page.split("<main", 1)[1].split("</main>")[0]
        words = html.unescape(re.sub(r"<[^>]+>", " ", main))
        assert [phrase for phrase in ABSENT if phrase in words] == [], address


def test_rules_have_no_empty_chapter(bare: Bare) -> None:
    found = {
        link.removeprefix("/rules/bare/").rstrip("/")
        for link in shape_of(bare, "/rules/bare/").links
        if link.startswith("/rules/bare/") and link.endswith("/")
    }
    assert found - {"translations"} == {*CHAPTERS}
    assert shape_of(bare, "/rules/bare/campaign/").headings[1] == "From game to game"


def test_game_can_be_planned_without_scenarios(bare: Bare) -> None:
    address = f"{bare.campaign.get_absolute_url()}games/new/"
    page = bare.client.get(address)
    fields = page.context["form"].fields
    assert list(fields) == ["played_on", "gangs", "token"]
    sent = {
        "played_on": "2026-06-01",
        "gangs": [str(gang.pk) for gang in bare.gangs],
        "token": page.context["form"]["token"].value(),
    }
    assert bare.client.post(address, sent).status_code == 302
    assert bare.campaign.games.count() == 2
    again = {"played_on": "2026-07-01", "seen": str(bare.game.version)}
    answer = bare.client.post(f"{bare.game.get_absolute_url()}plan/", again)
    assert answer.status_code == 302
    assert bare.campaign.games.get(pk=bare.game.pk).played_on.month == 7
