"""A league of five gangs of one name: wherever one of them is named, its player is named, too."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Notice, User
from accounts.notices import describe
from campaigns.club.people import joining
from campaigns.games.corrections import strikes
from campaigns.models import Bargain, Campaign, Game, JoinRequest, Participant
from campaigns.table import storage
from gangs.models import Gang
from tests.random_cases import one_soon
from tests.world.campaigns import (
    confirmed,
    make_game,
    make_night,
    make_player,
    make_stage,
    reported,
)
from tests.world.gangs import make_gang

AsUser = Callable[[User], Client]
NAME = "Iron Hounds"
NAMED = re.compile(rf"{NAME} \(")
# A name is read with its sentence, row, heading or field. A link is read in one of these.
TOGETHER = {
    "li",
    "tr",
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "option",
    "label",
    "legend",
    "summary",
    "figcaption",
    "title",
    "dd",
    "dt",
    "caption",
    "button",
}
EMPTY = {"img", "input", "br", "meta", "link", "use", "hr", "source"}
# Pages in other formats, and those of single gangs.
LEFT_OUT = re.compile(r"\.(pdf|png|csv|ics|zip|json|jpg)|/export/|calendar|/watch/|/save/|pictures")
# On these pages players see only their own gangs.
OWN = re.compile(r"^/tonight/$|/join/$")


class Reader(HTMLParser):
    """Collects the links of a page, and the texts of its parts that contain the name."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, list[str]]] = []
        self.links: list[str] = []
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))
        if tag not in EMPTY:
            self.open.append((tag, []))

    def handle_endtag(self, tag: str) -> None:
        while tag not in EMPTY and self.open:
            closed, parts = self.open.pop()
            text = "".join(parts)
            if closed in TOGETHER and NAME in text:
                self.found.append(" ".join(text.split()))
            elif self.open and closed not in ("script", "style"):
                self.open[-1][1].append(text)
            if closed == tag:
                break

    def handle_data(self, data: str) -> None:
        if self.open:
            self.open[-1][1].append(data)


@pytest.fixture
def league(campaign: Campaign, bob: User) -> list[Gang]:
    """Return five gangs of one name: two with a planned game and its table, two with a confirmed
    one, one taken back, and one reported, an offer about captives, a retired gang, and two stages
    of different formats."""
    gangs = [make_player(campaign, User.objects.create_user(f"player{n}")) for n in range(5)]
    Gang.objects.update(name=NAME)
    gangs = [Gang.objects.select_related("owner").get(pk=gang.pk) for gang in gangs]
    owners = [gang.owner for gang in gangs]
    planned = make_game(campaign, bob, gangs[0], gangs[1])
    Game.objects.filter(pk=planned.pk).update(night=make_night(campaign))
    played = make_game(campaign, bob, gangs[0], gangs[2])
    confirmed(reported(played, owners[0]), owners[2])
    taken_back = make_game(campaign, bob, gangs[1], gangs[2])
    confirmed(reported(taken_back, owners[1]), owners[2])
    strike(taken_back, actor=bob)
    reported(make_game(campaign, bob, gangs[2], gangs[3]), owners[2])
    planned_sides = list(planned.sides.with_standing().select_related("gang__owner"))
    storage.open_for(planned, planned_sides, actor=owners[0])
    Bargain.objects.create(
        campaign=campaign,
        giver=gangs[0],
        taker=gangs[1],
        giver_name=NAME,
        taker_name=NAME,
        terms={"frees": [["giver", 1]], "ransom": 5, "payer": "taker"},
    )
    campaign.participants.create(
        user=User.objects.create_user("watcher"), role=Participant.Role.SPECTATOR
    )
    make_stage(campaign, *gangs[:4])
    make_stage(campaign, *gangs[:4], stage_format="knock-out")
    joining.retire(campaign, gangs[4], actor=bob)
    return gangs


def strike(game: Game, *, actor: User) -> None:
    """Take a confirmed game back."""
    game.refresh_from_db()
    versions = {stroke.gang.pk: stroke.gang.version for stroke in strikes.weigh_game(game, {})}
    strikes.strike_game(
        game,
        actor=actor,
        reason="It never took place.",
        expected_version=game.version,
        versions=versions,
        also={},
    )


def read_pages(client: Client, start: str) -> dict[str, list[str]]:
    """Follow every link from here; return the texts without a player's name by page."""
    bare: dict[str, list[str]] = {}
    seen, ahead = set[str](), [start, "/tonight/"]
    while ahead:
        address = ahead.pop().partition("#")[0]
        if address in seen or LEFT_OUT.search(address):
            continue
        seen.add(address)
        page = client.get(address)
        if page.status_code != 200 or "html" not in page["Content-Type"]:
            assert page.status_code < 500, address
            continue
        reader = Reader()
        reader.feed(page.content.decode())
        ahead += [link for link in reader.links if link.startswith("/campaigns/")]
        own = OWN.search(address)
        bare[address] = [
            text
            for text in reader.found
            if not own and text.count(NAME) > len(re.findall(r"player\d", text))
        ]
    assert len(seen) > 40
    return {address: texts for address, texts in bare.items() if texts}


@pytest.mark.parametrize(
    ("reader", "language"), one_soon([("bob", "en"), ("player0", "fr"), ("watcher", "en")])
)
def test_every_page_names_the_player_of_a_namesake(
    campaign: Campaign, league: list[Gang], as_user: AsUser, reader: str, language: str
) -> None:
    User.objects.filter(username=reader).update(language=language)
    person = User.objects.get(username=reader)
    assert read_pages(as_user(person), campaign.get_absolute_url()) == {}


def test_every_notice_names_the_player_of_a_namesake(league: list[Gang]) -> None:
    notices = [describe(notice) for notice in Notice.objects.all()]
    named = [text for text in notices if NAME in text]
    assert len(named) >= 8
    assert [text for text in named if text.count(NAME) != len(NAMED.findall(text))] == []


def test_refusal_names_the_players_of_gangs(
    campaign: Campaign, league: list[Gang], bob: User, as_user: AsUser
) -> None:
    page = as_user(bob).get(reverse("campaigns:upgrade", args=[campaign.pk])).content.decode()
    [listed] = re.findall(r"including its post-game: (.*?)\.<", page)
    assert len(NAMED.findall(listed)) == 3


def test_requests_show_what_the_player_s_own_page_shows(
    campaign: Campaign, bob: User, dora: User, as_user: AsUser
) -> None:
    """A gang with errors, and one that fits."""
    unfinished = make_gang(dora, campaign.book.slug, sample=None)
    fits = make_gang(dora, campaign.book.slug)
    for gang in (unfinished, fits):
        JoinRequest.objects.create(campaign=campaign, gang=gang, by=dora)
    expected = joining.describe_mistakes(joining.mistakes(campaign, unfinished))
    assert expected and not joining.mistakes(campaign, fits)
    page = as_user(bob).get(reverse("campaigns:people", args=[campaign.pk])).content.decode()
    shown = re.findall(r'finding-error">.*?<span>(.*?)</span>', page, re.DOTALL)
    assert shown == expected
