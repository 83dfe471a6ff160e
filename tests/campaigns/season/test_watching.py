"""Watching a campaign: its pages and feed, and their cost."""

from __future__ import annotations

import re
import uuid
from datetime import date, timedelta
from xml.etree import ElementTree

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from campaigns.club.nights import schedule
from campaigns.games.corrections import strikes
from campaigns.models import Campaign, Game, Membership
from campaigns.season.views import GRAVES
from gangs.engine.entries import Died, Entry, Recruited, Renamed
from gangs.ledger import writer
from gangs.models import Gang, Strike
from gangs.pictures.faces import colour_of
from gangs.text.formats import localize
from printing.paper.orders import Order
from printing.season.material import material
from printing.season.yearbook import html
from tests.campaigns.postgames.test_drafts import committed
from tests.world.campaigns import (
    confirmed,
    make_campaign,
    make_game,
    make_player,
    report_on,
    reported,
    side_of,
)

ATOM = "{http://www.w3.org/2005/Atom}"
PAGES = ("campaign", "chronicle", "charts", "records")


def address(name: str, campaign: Campaign) -> str:
    key = campaign.watch_key if name == "feed" else campaign.pk
    return reverse(f"campaigns:{name}", args=[key])


def queries(browser: Client, url: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert browser.get(url).status_code == 200
    return len(captured)


def season(organiser: User, gangs: int, evenings: int) -> Campaign:
    """A campaign of this many gangs, which all played on this many nights; the first two also
    finished their post-games."""
    campaign = make_campaign(organiser)
    names = [f"player{gangs}-{number}" for number in range(gangs)]
    users = [get_user_model().objects.create_user(name) for name in names]
    playing = [make_player(campaign, user) for user in users]
    for evening in range(evenings):
        when = timezone.now() - timedelta(days=7 * (evening + 1))
        night = schedule.arrange(campaign, starts_at=when, place="", note="", token=uuid.uuid4())
        for one in range(0, gangs, 2):
            day = date(2026, 1, 1) + timedelta(days=evening)
            game = make_game(campaign, users[one], *playing[one : one + 2], day=day)
            game = confirmed(reported(game, users[one]), users[one + 1])
            Game.objects.filter(pk=game.pk).update(night=night)
            if one == 0:
                for gang, user in zip(playing[:2], users[:2], strict=True):
                    committed(side_of(game, gang), user)
    for _ in range(2 + gangs // 4):
        ahead = timezone.now() + timedelta(days=7)
        schedule.arrange(campaign, starts_at=ahead, place="Club", note="", token=uuid.uuid4())
    return campaign


@pytest.fixture(scope="module")
def sizes() -> tuple[tuple[int, int], ...]:
    """The smallest and largest numbers of gangs and nights."""
    return ((4, 1), (40, 3))


@pytest.mark.long
def test_pages_make_the_same_queries_for_four_gangs_and_for_forty(bob, as_user, sizes) -> None:
    browser = as_user(bob)
    most = {"campaign": 15, "chronicle": 14, "charts": 11, "records": 11, "feed": 10}
    found: dict[str, list[tuple[int, int]]] = {name: [] for name in most}
    # Data that a process reads once, such as rulebooks, is not counted.
    browser.get(make_campaign(bob).get_absolute_url())
    for gangs, evenings in sizes:
        campaign = season(bob, gangs, evenings)
        for name, counts in found.items():
            # After a change the past has to be read again.
            Campaign.objects.filter(pk=campaign.pk).update(version=campaign.version + len(found))
            campaign.refresh_from_db()
            cold = queries(browser, address(name, campaign))
            counts.append((cold, queries(browser, address(name, campaign))))
    for name, (few, many) in found.items():
        assert few == many, name
        assert few[0] <= most[name], name
        assert few[1] <= few[0], name


@pytest.mark.long
def test_pages_stay_small(bob, as_user) -> None:
    campaign = season(bob, 40, 1)
    browser = as_user(bob)
    bounds = {"campaign": 60_000, "chronicle": 60_000, "charts": 32_000, "records": 90_000}
    for name, most in bounds.items():
        assert len(browser.get(address(name, campaign)).content) <= most, name


def test_chronicle_lists_the_events_of_a_season(
    campaign, hers, theirs, alice, dora, as_user
) -> None:
    game = confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    committed(side_of(game, hers), alice)
    browser = as_user(dora)
    told = browser.get(address("chronicle", campaign)).content.decode()
    assert f"{hers.name} (alice) beat {theirs.name} (dora): Crushing victory." in told
    assert f'href="{game.get_absolute_url()}"' in told
    assert "joined the campaign." in told
    page = browser.get(address("campaign", campaign)).content.decode()
    assert f"{hers.name} (alice) beat {theirs.name} (dora): Crushing victory." in page
    assert re.search(r'rel="alternate" type="application/atom\+xml"', page)
    records = browser.get(address("records", campaign)).content.decode()
    assert "1–0–0" in records
    assert "0–0–1" in records


@pytest.mark.long
def test_chronicle_names_members_out_of_action_before_the_post_game(
    campaign, hers, theirs, alice, dora, as_user
) -> None:
    """Also in the very first game, which is not yet in any gang's past."""
    mine, other = (gang.roster.members[1] for gang in (hers, theirs))
    mark = campaign.book.campaign.marks[0].key
    lost = report_on(
        theirs.roster,
        marks={other.id: mark},
        credits={other.id: {"gang": str(hers.pk), "member": mine.id}},
        turns={other.id: 3},
    )
    told = {str(hers.pk): report_on(hers.roster), str(theirs.pk): lost}
    game = confirmed(reported(make_game(campaign, alice, hers, theirs), alice, reports=told), dora)
    hand, fallen = (localize(one.name_or_rank(campaign.book)) for one in (mine, other))
    sentence = f"{hand} ({hers.name} (alice)) takes out {fallen} ({theirs.name} (dora))."
    browser = as_user(alice)
    assert sentence in browser.get(address("chronicle", campaign)).content.decode()
    for gang, player in ((hers, alice), (theirs, dora)):
        committed(side_of(game, gang), player)
    assert sentence in browser.get(address("chronicle", campaign)).content.decode()


@pytest.mark.long
def test_chronicle_lists_deaths_but_no_struck_entries(
    campaign, hers, theirs, alice, dora, as_user
) -> None:
    game = confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    committed(side_of(game, hers), alice)
    gang = Gang.objects.get(pk=hers.pk)
    member = gang.roster.members[-1]
    batch = uuid.uuid4()
    writer.append(
        gang, [Died(member=member.id)], expected_version=gang.version, actor=alice, batch=batch
    )
    browser = as_user(alice)

    def texts() -> str:
        pages = (address("chronicle", campaign), address("records", campaign))
        return "".join(browser.get(page).content.decode() for page in pages)

    career = reverse("campaigns:career", args=[campaign.pk, gang.pk, member.id])
    assert texts().count(career) >= 2
    assert f"({gang.name} (alice)) died." in texts()
    assert "Nobody has died yet." not in texts()
    gang.refresh_from_db()
    writer.strike(gang, batch, expected_version=gang.version, actor=alice)
    assert "died." not in texts()
    assert "Nobody has died yet." in texts()


def test_chronicle_lists_corrections_by_an_organiser(campaign, hers, bob, alice, as_user) -> None:
    Strike.objects.create(gang=hers, actor=bob, reason="Two dice too many", by_organiser=True)
    Strike.objects.create(gang=hers, actor=alice, reason="Mine alone")
    told = as_user(alice).get(address("chronicle", campaign)).content.decode()
    assert f"bob corrected the history of {hers.name}: “Two dice too many”" in told
    assert "Mine alone" not in told


@pytest.mark.long
def test_chronicle_lists_an_undone_game_once(
    campaign, hers, theirs, alice, dora, bob, as_user
) -> None:
    game = confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    committed(side_of(game, hers), alice)
    browser = as_user(alice)
    assert (
        f"{hers.name} (alice) beat" in browser.get(address("chronicle", campaign)).content.decode()
    )
    strokes = strikes.weigh_game(game)
    versions = {stroke.gang.pk: stroke.gang.version for stroke in strokes}
    game.refresh_from_db()
    strikes.strike_game(
        game,
        actor=bob,
        reason="Wrong dice",
        expected_version=game.version,
        versions=versions,
        also={},
    )
    told = browser.get(address("chronicle", campaign)).content.decode()
    assert f"bob undid the game {hers.name} (alice) – {theirs.name} (dora): “Wrong dice”" in told
    assert told.count("Wrong dice") == 1
    assert f"{hers.name} (alice) beat" not in told
    game.refresh_from_db()
    strikes.restore_game(game, actor=bob, reason="Right after all", expected_version=game.version)
    told = browser.get(address("chronicle", campaign)).content.decode()
    assert f"{hers.name} (alice) beat" in told
    assert "Wrong dice" not in told
    assert "Right after all" not in told


def test_deleted_gangs_keep_their_results(
    campaign, hers, theirs, alice, dora, bob, as_user
) -> None:
    confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    Membership.objects.filter(gang=theirs).update(left_at=timezone.now())
    writer.append(hers, [Renamed(name="The Vanished")], expected_version=hers.version, actor=alice)
    page = as_user(bob).get(address("campaign", campaign)).content.decode()
    assert page.count("no longer plays here") == 1
    name = hers.name
    Gang.objects.filter(pk=hers.pk).delete()
    for part in PAGES:
        text = as_user(bob).get(address(part, campaign)).content.decode()
        assert theirs.name in text, part
    page = as_user(bob).get(address("campaign", campaign)).content.decode()
    assert page.count("no longer plays here") == 2
    # Its name in its games: a deleted gang has no other name.
    assert name in page or "Les Flibustiers" in page


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("name", PAGES)
def test_pages_of_a_new_campaign_open(campaign, bob, as_user, name, language) -> None:
    browser = as_user(bob)
    browser.cookies["django_language"] = language
    assert browser.get(address(name, campaign)).status_code == 200


@pytest.mark.long
def test_long_chronicle_has_pages(campaign, hers, theirs, alice, dora, as_user) -> None:
    for number in range(70):
        day = date(2026, 1, 1) + timedelta(days=number)
        confirmed(reported(make_game(campaign, alice, hers, theirs, day=day), alice), dora)
    browser = as_user(alice)
    url = address("chronicle", campaign)
    first = browser.get(url).content.decode()
    assert first.count(" beat ") == 60 - 2  # two gangs have joined, later than the games' days
    assert 'rel="next" href="?page=2"' in first
    second = browser.get(f"{url}?page=2").content.decode()
    assert second.count(" beat ") == 12
    assert browser.get(f"{url}?page=99").content.decode().count(" beat ") == 12
    there = browser.get(f"{url}?day=2026-01-01").content.decode()
    assert 'id="day-2026-01-01"' in there
    assert 'rel="next" href="?page=2"' in browser.get(f"{url}?day=2026-99-99").content.decode()


def test_charts_are_drawn_and_given_in_numbers(
    campaign, hers, theirs, alice, dora, as_user
) -> None:
    """They are drawn within the page, so that they have its colours and fonts."""
    browser = as_user(alice)
    empty = browser.get(address("charts", campaign)).content.decode()
    assert "empty-state" in empty and "chart-wide" not in empty
    confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    page = browser.get(address("charts", campaign)).content.decode()
    titles = re.findall(r"<h2>([^<]+)</h2>", page)
    assert titles == ["Worth", "Money from games", "Games won"]
    drawn = re.findall(r'class="chart chart-(\w+)" role="img" aria-label="([^"]+)"', page)
    assert [size for size, _words in drawn] == ["wide", "narrow"] * 3
    assert [words.partition(" at the end: ")[0] for _size, words in drawn[::2]] == titles
    # A game won, and a coin for its loser.
    assert page.count("<td>1</td>") == 2
    for gang in (hers, theirs):
        assert page.count(f'<g class="hue-{colour_of(str(gang.pk))}">') in (6, 12)


@pytest.mark.long
def test_many_gangs_have_several_charts(bob, as_user) -> None:
    campaign = season(bob, 12, 1)
    browser = as_user(bob)
    best = browser.get(address("charts", campaign)).content.decode()
    rest = browser.get(address("charts", campaign) + "?group=2").content.decode()
    assert "Places 1–8" in best
    assert "Places 9–12" in best
    charts = best.count('<svg viewBox="0 0 860')
    assert charts and [page.count('<g class="hue-') for page in (best, rest)] == [
        charts * 2 * 8,
        charts * 2 * 4,
    ]
    for group in ("77", "x"):
        other = browser.get(address("charts", campaign) + f"?group={group}").content.decode()
        assert re.findall("<svg viewBox.*</svg>", other) == re.findall("<svg viewBox.*</svg>", best)


def entries(response) -> list[dict[str, str]]:
    """The entries of a feed, parsed."""
    root = ElementTree.fromstring(response.content)
    return [
        {
            "id": entry.findtext(f"{ATOM}id", ""),
            "title": entry.findtext(f"{ATOM}title", ""),
            "link": entry.find(f"{ATOM}link").attrib["href"],
            "author": entry.findtext(f"{ATOM}author/{ATOM}name", ""),
            "content": entry.findtext(f"{ATOM}content", ""),
        }
        for entry in root.iter(f"{ATOM}entry")
    ]


def test_feed_lists_events(campaign, hers, theirs, alice, dora, settings) -> None:
    settings.SITE_URL = "https://club.example.org"
    game = confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    reader = Client()
    url = address("feed", campaign)
    response = reader.get(url)
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    found = entries(response)
    assert [row["title"] for row in found if " beat " in row["title"]] == [
        f"{hers.name} (alice) beat {theirs.name} (dora): Crushing victory."
    ]
    assert f"https://club.example.org{game.get_absolute_url()}" in {row["link"] for row in found}
    assert all(row["link"].startswith("https://club.example.org/") for row in found)
    assert all(row["id"].startswith("urn:uuid:") for row in found)
    assert len({row["id"] for row in found}) == len(found) == 3
    # RFC 4287 requires both.
    assert {row["author"] for row in found} == {campaign.name}
    assert all(row["content"] == row["title"] for row in found)
    known = reader.get(url, headers={"If-None-Match": response["ETag"]})
    assert known.status_code == 304
    in_french = reader.get(f"{url}?lang=fr")
    assert [row["id"] for row in entries(in_french)] == [row["id"] for row in found]
    assert b'xml:lang="fr"' in in_french.content
    assert reader.get(f"{url}?lang=xx").content == response.content
    assert reader.get(reverse("campaigns:feed", args=["nobody-knows-it"])).status_code == 404


@pytest.mark.long
def test_feed_has_a_limited_number_of_entries(campaign, hers, theirs, alice, dora) -> None:
    for number in range(55):
        day = date(2026, 1, 1) + timedelta(days=number)
        confirmed(reported(make_game(campaign, alice, hers, theirs, day=day), alice), dora)
    found = entries(Client().get(address("feed", campaign)))
    assert len(found) == 50


def test_unchanged_feed_makes_one_query(campaign, hers, theirs, alice, dora) -> None:
    """The length of the season does not matter."""
    url, reader = address("feed", campaign), Client()
    for number in range(3):
        tag = reader.get(url)["ETag"]
        with CaptureQueriesContext(connection) as captured:
            again = reader.get(url, headers={"If-None-Match": tag})
        assert (again.status_code, again.content, len(captured)) == (304, b"", 1)
        day = date(2026, 1, 1) + timedelta(days=number)
        confirmed(reported(make_game(campaign, alice, hers, theirs, day=day), alice), dora)
        assert reader.get(url, headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.long
def test_large_graveyard_has_pages(campaign, hers, theirs, alice, dora, as_user) -> None:
    game = confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    committed(side_of(game, hers), alice)
    gang = Gang.objects.get(pk=hers.pk)
    rank = gang.roster.members[-1].rank
    fallen: list[Entry] = []
    for number in range(GRAVES + 5):
        member = gang.last_seq + len(fallen) + 1
        fallen += [Recruited(rank=rank, name=f"Fallen {number}."), Died(member=member)]
    writer.append(gang, fallen, expected_version=gang.version, actor=alice)
    browser, url = as_user(dora), address("records", campaign)
    pages = [browser.get(f"{url}?page={number}").content.decode() for number in (1, 2)]
    assert browser.get(url).content.decode().count("Fallen ") == GRAVES
    assert [page.count("Fallen ") for page in pages] == [GRAVES, 5]
    assert 'rel="next" href="?page=2#graveyard"' in pages[0]
    assert 'rel="prev" href="?page=1#graveyard"' in pages[1]


def test_watch_link_opens_pages_that_offer_no_changes(campaign, hers, theirs, alice, dora) -> None:
    """A reader with the link needs no account; the pages offer only what they may do."""
    confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    visitor = Client()
    assert visitor.get(address("campaign", campaign)).status_code == 302
    visitor.get(reverse("campaigns:watch", args=[campaign.watch_key]))
    for name in PAGES:
        assert visitor.get(address(name, campaign)).status_code == 200, name
    page = visitor.get(address("campaign", campaign)).content.decode()
    for name in ("game-new", "captives", "people", "settings"):
        assert reverse(f"campaigns:{name}", args=[campaign.pk]) not in page
    assert "play your post-game" not in page


def test_visitor_does_not_own_gangs_without_an_owner(campaign, hers, theirs, alice, dora) -> None:
    """A gang whose owner was deleted belongs to nobody, and not to visitors either."""
    game = confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    Gang.objects.filter(pk=hers.pk).update(owner=None, kept_at=timezone.now())
    visitor = Client()
    visitor.get(reverse("campaigns:watch", args=[campaign.watch_key]))
    page = visitor.get(address("campaign", campaign)).content.decode()
    assert "is-mine" not in page
    args = [game.pk, side_of(game, hers).pk]
    assert reverse("campaigns:postgame", args=args) not in page


def test_future_game_is_not_a_duty_before_its_day(
    campaign, hers, theirs, alice, as_user, monkeypatch
) -> None:
    game = make_game(campaign, alice, hers, theirs)
    Game.objects.update(played_on=timezone.localdate() + timedelta(days=1))
    page = as_user(alice).get(address("campaign", campaign)).content.decode()
    assert "Still to be played" in page
    assert "Played? Report the result" not in page
    # Players who play it early report it on its own page.
    assert "Report the result" in as_user(alice).get(game.get_absolute_url()).content.decode()
    tomorrow = timezone.now() + timedelta(days=1)
    monkeypatch.setattr(timezone, "now", lambda: tomorrow)
    page = as_user(alice).get(address("campaign", campaign)).content.decode()
    # On its day the game leads to its page, which has the table, and afterwards to its report.
    assert f'<a href="{game.get_absolute_url()}">Play today' in page
    monkeypatch.setattr(timezone, "now", lambda: tomorrow + timedelta(days=1))
    page = as_user(alice).get(address("campaign", campaign)).content.decode()
    assert "Played? Report the result" in page


def test_duties_come_first(campaign, hers, theirs, alice, dora, as_user) -> None:
    make_game(campaign, alice, hers, theirs)
    ahead = timezone.now() + timedelta(days=2)
    schedule.arrange(campaign, starts_at=ahead, place="The cellar", note="", token=uuid.uuid4())
    page = as_user(dora).get(address("campaign", campaign)).content.decode()
    order = ["Played? Report the result", "The cellar", "Standings", "What’s new"]
    places = [page.index(words) for words in order]
    assert places == sorted(places)


@pytest.mark.long
def test_chronicle_and_yearbook_print_the_tales_of_a_game(
    campaign, hers, theirs, alice, dora, as_user
) -> None:
    """The game's highlights and the gangs' own tales are in both."""
    game = confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    open_yet = reported(make_game(campaign, alice, hers, theirs), alice)
    Game.objects.filter(pk=game.pk).update(note="The bell tower fell.\n\nNobody knew why.")
    Game.objects.filter(pk=open_yet.pk).update(note="Not settled.")
    game.sides.filter(gang=hers).update(tale="We <b>ran</b>.")
    page = as_user(dora).get(address("chronicle", campaign)).content.decode()
    beat, fell, ran = (
        page.index(words)
        for words in ("Crushing victory.", "<p>The bell tower fell.</p>", "We &lt;b&gt;ran")
    )
    assert beat < fell < ran
    assert f"The game as {hers.name} saw it" in page and "Not settled." not in page
    book = html(material(campaign), Order("en"))
    assert book.index("Worth remembering") < book.index("The bell tower fell.")
    assert "Not settled." not in book
