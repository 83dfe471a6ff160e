"""The campaign's page: its content and its number of queries."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaigns.games import results
from campaigns.models import Campaign, Game, Side
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


def make_filled_campaign(organiser, size: int) -> Campaign:
    """Return a campaign with ``size`` gangs, players and confirmed games."""
    campaign = make_campaign(organiser)
    users = [
        get_user_model().objects.create_user(f"player{size}-{number}") for number in range(size)
    ]
    gangs = [make_player(campaign, user) for user in users]
    for number in range(size):
        one, two = number, (number + 1) % size
        game = reported(make_game(campaign, users[one], gangs[one], gangs[two]), users[one])
        if number % 3:
            confirmed(game, users[two])
    return campaign


def queries(browser, url: str) -> int:
    browser.get(url)
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert browser.get(url).status_code == 200
    return len(captured)


@pytest.mark.long
def test_query_count_does_not_grow_with_the_campaign(bob, as_user):
    browser = as_user(bob)
    counts = [
        queries(browser, make_filled_campaign(bob, size).get_absolute_url()) for size in (2, 12)
    ]
    assert counts[0] == counts[1] <= 12
    # The next nights and the duties take a few queries, whatever the number of campaigns.
    assert queries(browser, reverse("campaigns:list")) <= 13


def test_game_page_makes_few_queries(campaign, hers, theirs, alice, dora, as_user):
    game = confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    browser = as_user(alice)
    assert queries(browser, game.get_absolute_url()) <= 9
    side = side_of(game, hers)
    url = reverse("campaigns:postgame", args=[game.pk, side.pk])
    assert queries(browser, url) <= 10


@pytest.mark.long
def test_page_shows_the_readers_duties(campaign, hers, theirs, alice, dora, as_user):
    def page(user) -> str:
        return as_user(user).get(campaign.get_absolute_url()).content.decode()

    game = make_game(campaign, alice, hers, theirs)
    assert "Report the result" in page(dora)
    game = reported(game, alice)
    assert "Waiting for dora to confirm" in page(alice)
    assert "Confirm or dispute" in page(dora)
    assert "<td>1–0–0</td>" not in page(alice)
    confirmed(game, dora)
    assert "play your post-game" in page(alice)
    assert "Waiting for dora’s post-game" in page(alice)
    assert "<td>1–0–0</td>" in page(alice)
    committed(side_of(game, hers), alice)
    assert "play your post-game" not in page(alice)
    assert "Waiting for alice’s post-game" not in page(dora)


def test_invitation_link_is_shown_only_to_organisers(campaign, hers, bob, alice, as_user):
    assert campaign.invite_key in as_user(bob).get(campaign.get_absolute_url()).content.decode()
    assert (
        campaign.invite_key not in as_user(alice).get(campaign.get_absolute_url()).content.decode()
    )


def test_names_are_escaped(campaign, bob, alice, dora, as_user):
    from gangs.engine.entries import Named, Renamed
    from gangs.ledger import writer

    evil = "{% now 'Y' %}<script>alert(1)</script>"
    gangs = [make_player(campaign, user) for user in (alice, dora)]
    entries = [Renamed(name=evil), Named(member=gangs[0].roster.members[0].id, name=evil)]
    writer.append(gangs[0], entries, expected_version=gangs[0].version, actor=alice)
    game = make_game(campaign, alice, *gangs)
    browser = as_user(alice)
    pages = [campaign.get_absolute_url(), reverse("campaigns:game-report", args=[game.pk])]
    pages.append(reverse("campaigns:game-new", args=[campaign.pk]))
    for url in pages:
        text = browser.get(url).content.decode()
        assert "<script>alert" not in text
        assert "{% now" in text


@pytest.mark.parametrize("name", ["list", "choose-book"])
def test_pages_open_in_french(bob, as_user, name):
    browser = as_user(bob)
    browser.cookies["django_language"] = "fr"
    assert browser.get(reverse(f"campaigns:{name}")).status_code == 200


@pytest.mark.long
def test_page_shows_the_newest_games_and_every_duty(campaign, hers, theirs, alice, dora, as_user):
    """Duties of old games are shown too."""
    first = date(2026, 1, 1)
    games = []
    for number in range(25):
        game = make_game(campaign, alice, hers, theirs, day=first + timedelta(number))
        if number:
            game = confirmed(reported(game, alice), dora)
        games.append(game)
    browser = as_user(alice)
    url = campaign.get_absolute_url()
    page = browser.get(url).content.decode()
    shown = [game for game in games if f'href="{game.get_absolute_url()}"' in page]
    assert shown == games[15:]
    assert 'rel="next" href="?page=2#games"' in page
    assert "Page 1 of 3" in page and 'rel="prev"' not in page
    assert "<td>24–0–0</td>" in page  # the standings count them all
    assert f'href="{reverse("campaigns:game-report", args=[games[0].pk])}"' in page
    for game in games[1:]:
        args = [game.pk, side_of(game, hers).pk]
        assert f'href="{reverse("campaigns:postgame", args=args)}"' in page
    for number, there in (("2", games[5:15]), ("3", games[:5]), ("99", games[:5])):
        page = browser.get(f"{url}?page={number}").content.decode()
        listed = page.split('id="games"')[1].split("</section>")[0]
        assert [game for game in games if f'href="{game.get_absolute_url()}"' in listed] == there
        assert f'href="{reverse("campaigns:game-report", args=[games[0].pk])}"' in page
    assert 'rel="next"' not in page and 'rel="prev" href="?page=2#games"' in page
    # The season is already loaded: the page queries its reader, its state and the nights.
    assert queries(browser, url) <= 8
    assert queries(browser, f"{url}?page=2") <= 10


@pytest.mark.long
def test_campaign_with_one_gang_asks_for_a_second(alice, bob, as_user):
    """With two gangs the form of a new game has both ticked."""
    campaign = make_campaign(alice)
    make_player(campaign, alice)
    page = campaign.get_absolute_url()
    told = as_user(alice).get(page).content.decode()
    assert "as soon as two gangs are here" in told and 'href="#invite"' in told
    assert 'id="invite"' in told
    make_player(campaign, bob)
    assert "as soon as two gangs are here" not in as_user(alice).get(page).content.decode()
    assert "as soon as two gangs are here" not in as_user(bob).get(page).content.decode()
    planning = reverse("campaigns:game-new", args=[campaign.pk])
    assert ticked(as_user(alice), planning) == 2
    make_player(campaign, get_user_model().objects.create_user("third"))
    assert ticked(as_user(alice), planning) == 0


def ticked(browser, url: str) -> int:
    form = browser.get(url).context["form"]
    return len(form["gangs"].value() or [])


def test_house_value_is_explained_once(campaign, hers, theirs, alice, dora, as_user):
    fallen = report_on(hers.roster, marks={hers.roster.members[1].id: "dead"})
    game = make_game(campaign, alice, hers, theirs)
    game = confirmed(reported(game, alice, reports={str(hers.pk): fallen}), dora)
    url = reverse("campaigns:postgame", args=[game.pk, side_of(game, hers).pk])
    page = as_user(alice).get(url).content.decode()
    assert page.count(">house value<") > 1
    assert page.count("published rules are silent or lost") == 1


@pytest.mark.long
def test_duty_links_to_the_answer_on_the_game_page(campaign, hers, theirs, alice, dora, as_user):
    """Report and verdict come before scenario and roles."""
    game = make_game(campaign, alice, hers, theirs)
    scenario = next(row.key for row in campaign.book.scenarios if row.roles)
    Game.objects.filter(pk=game.pk).update(scenario=scenario)
    game = Game.objects.get(pk=game.pk)
    url = game.get_absolute_url()
    before = as_user(dora).get(url).content.decode()
    # The next action comes first, then the scenario.
    [report] = re.finditer(r">Report the result</a>", before)
    assert report.start() < before.index("Victory:")
    assert 'id="verdict"' not in before

    roles = {side: role.key for side, role in zip(game.sides.all(), _roles(game), strict=True)}
    for side, role in roles.items():
        Side.objects.filter(pk=side.pk).update(role=role)
    game = reported(game, alice)
    page = as_user(dora).get(url).content.decode()
    assert f'<a href="{url}#verdict">Is that right? Confirm or dispute</a>' in page
    told, verdict = page.index("Reported by alice"), page.index('<div id="verdict" tabindex="-1">')
    confirm, about, roles_told = (
        page.index(words) for words in ('name="confirm"', "Victory:", 'id="roles"')
    )
    assert told < verdict < confirm < about < roles_told

    results.dispute(game, comment="No.", actor=dora, expected_version=game.version)
    link = f'<a href="{url}#verdict">dora disagrees</a>'
    assert link in as_user(alice).get(url).content.decode()
    assert f'<a href="{url}#verdict">You disagree</a>' in (as_user(dora).get(url).content.decode())


def _roles(game):
    return game.campaign.book.scenario[game.scenario].roles


def test_playing_organiser_sees_confirm_before_decide(campaign, hers, bob, alice, as_user):
    """The buttons to answer for oneself and to decide for others are distinct."""
    game = make_game(campaign, alice, hers, make_player(campaign, bob))
    url = reported(game, alice).get_absolute_url()
    page = as_user(bob).get(url).content.decode()
    assert '<button class="btn btn-primary" name="confirm"' in page
    assert '<button class="btn btn-outline-secondary" name="decide"' in page
    assert "This only answers for your own gangs." in page
    assert "This only answers for" not in as_user(alice).get(url).content.decode()
