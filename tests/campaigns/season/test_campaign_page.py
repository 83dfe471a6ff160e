"""A campaign's page is cached: after every kind of change, each reader sees the same page as if it
were drawn again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from campaigns import access
from campaigns.club.nights import schedule
from campaigns.club.people import joining, roles
from campaigns.games import results
from campaigns.games.corrections import strikes
from campaigns.models import Attendance, Bargain, Campaign, Game, Participant
from campaigns.postgames import correction
from campaigns.season import loading, views
from campaigns.season import page as season_page
from campaigns.season.freshness import may_look_on, state_of
from gangs.engine.entries import Renamed
from gangs.ledger import writer
from gangs.models import Gang, share_key
from tests.campaigns.games.captives.test_bargains import AGREED, Prison
from tests.campaigns.postgames.test_drafts import committed
from tests.world.campaigns import (
    confirmed,
    make_campaign,
    make_game,
    make_night,
    make_player,
    reported,
    side_of,
)

TOKEN = re.compile(r'"X-CSRFToken": "\w+"|name="csrfmiddlewaretoken" value="\w+"')


def read(browser: Client, campaign: Campaign) -> str:
    return TOKEN.sub("", browser.get(campaign.get_absolute_url()).content.decode())


def forget() -> None:
    for cache in (views._bodies, loading._seasons):
        cache.kept.clear()


class Watched:
    """A campaign with all its readers."""

    def __init__(self, campaign: Campaign, readers: Mapping[str, Client]) -> None:
        self.campaign = campaign
        self.readers = readers
        self.before = self.kept()

    def kept(self) -> dict[str, str]:
        """The page that each reader gets."""
        return {who: read(browser, self.campaign) for who, browser in self.readers.items()}

    def others(self) -> list[bytes]:
        """The other pages of the campaign and its feed, for an organiser."""
        names = ("chronicle", "charts", "records")
        urls = [reverse(f"campaigns:{name}", args=[self.campaign.pk]) for name in names]
        key = Campaign.objects.get(pk=self.campaign.pk).watch_key
        urls.append(reverse("campaigns:feed", args=[key]))
        browser = next(iter(self.readers.values()))
        return [TOKEN.sub("", browser.get(url).content.decode()).encode() for url in urls]

    def changed(self) -> set[str]:
        """The readers whose page has changed. Asserts that every page, also of the campaign's other
        pages, equals a freshly rendered page."""
        now, others = self.kept(), self.others()
        forget()
        assert now == self.kept()
        assert others == self.others()
        changed = {who for who, page in now.items() if page != self.before[who]}
        self.before = now
        return changed


@pytest.fixture
def watched(campaign, hers, theirs, bob, alice, dora, as_user) -> Watched:
    onlooker = get_user_model().objects.create_user("onlooker")
    roles.follow(campaign, onlooker)
    visitor = Client()
    visitor.get(reverse("campaigns:watch", args=[campaign.watch_key]))
    french = as_user(alice)
    french.cookies["django_language"] = "fr"
    readers = {
        "organiser": as_user(bob),
        "player": as_user(alice),
        "other": as_user(dora),
        "french": french,
        "onlooker": as_user(onlooker),
        "visitor": visitor,
    }
    return Watched(campaign, readers)


def everybody(watched: Watched) -> set[str]:
    return set(watched.readers)


def test_every_reader_sees_their_own_page(watched):
    pages = watched.before
    assert len(set(pages.values())) == len(pages)
    assert "Invitation" in pages["organiser"] and watched.campaign.invite_key in pages["organiser"]
    for who in ("player", "other", "onlooker", "visitor"):
        assert watched.campaign.invite_key not in pages[who]
    assert "Stop following" in pages["onlooker"] and "Classement" in pages["french"]


@pytest.mark.long
def test_page_follows_a_game_from_plan_to_undo_and_restore(
    watched, campaign, hers, theirs, bob, alice, dora
):
    game = make_game(campaign, alice, hers, theirs)
    assert watched.changed() == everybody(watched)
    game = reported(game, alice)
    assert watched.changed() == everybody(watched)
    results.dispute(game, comment="No!", actor=dora, expected_version=game.version)
    assert watched.changed() == everybody(watched)
    game = Game.objects.get(pk=game.pk)
    results.decide(game, actor=bob, expected_version=game.version, why="So it was.")
    assert watched.changed() == everybody(watched)
    committed(side_of(game, hers), alice)
    assert watched.changed() == everybody(watched)
    side = side_of(game, hers)
    correction.begin_correction(side, expected_version=side.draft_version)
    assert watched.changed() == everybody(watched)
    assert "play your post-game again" in watched.before["player"]
    side.refresh_from_db()
    correction.cancel_correction(side, expected_version=side.draft_version)
    assert watched.changed() == everybody(watched)
    game = Game.objects.get(pk=game.pk)
    versions = {gang.pk: gang.version for gang in Gang.objects.filter(sides__game=game)}
    strikes.strike_game(
        game,
        actor=bob,
        reason="Wrong list",
        expected_version=game.version,
        versions=versions,
        also={},
    )
    assert watched.changed() == everybody(watched)
    game = Game.objects.get(pk=game.pk)
    strikes.restore_game(game, actor=bob, reason="It was right", expected_version=game.version)
    assert watched.changed() == everybody(watched)


@pytest.mark.long
def test_page_follows_nights_and_answers(watched, campaign, hers, alice, bob):
    night = make_night(campaign, place="The cellar")
    assert watched.changed() == everybody(watched)
    schedule.answer(night, hers, Attendance.Answer.YES, actor=alice)
    assert watched.changed() == everybody(watched)
    schedule.answer(night, hers, Attendance.Answer.NO, actor=alice)
    assert watched.changed() == everybody(watched)
    later = night.starts_at + timedelta(days=1)
    schedule.change(
        night, starts_at=later, place="The attic", note="", expected_version=night.version
    )
    assert watched.changed() == everybody(watched)
    night.refresh_from_db()
    schedule.cancel(night, expected_version=night.version)
    assert watched.changed() == everybody(watched)
    night.refresh_from_db()
    schedule.revive(night, expected_version=night.version)
    assert watched.changed() == everybody(watched)


@pytest.mark.long
def test_night_becomes_past_without_a_change(watched, campaign, monkeypatch):
    night = make_night(campaign, place="The cellar", starts_at=timezone.now() + timedelta(hours=1))
    page = watched.kept()["player"]
    assert "Next night" in page and "Last nights" not in page
    over = night.starts_at + schedule.LASTS + timedelta(seconds=1)
    monkeypatch.setattr(timezone, "now", lambda: over)
    page = watched.kept()["player"]
    assert "Next night" not in page and "Last nights" in page


@pytest.mark.long
def test_page_follows_people_and_gangs(
    watched, campaign, hers, theirs, bob, alice, dora, charlie, as_user
):
    gang = make_player(campaign, charlie)
    assert watched.changed() == everybody(watched)
    joining.leave(campaign, gang, actor=charlie)
    assert watched.changed() == everybody(watched)
    writer.append(hers, [Renamed(name="The Untold")], actor=alice, expected_version=hers.version)
    assert watched.changed() == everybody(watched)
    assert all("The Untold" in page for page in watched.before.values())
    before, hers.share_key = hers.share_key, share_key()
    hers.save(update_fields=["share_key"])
    assert before != hers.share_key
    assert watched.changed() == everybody(watched) - {"player", "french"}
    joining.hand_over(campaign, theirs, alice, expected_owner=dora.pk, actor=bob)
    assert watched.changed() == everybody(watched)
    seat = campaign.participants.get(user=dora)
    organiser = Participant.Role.ORGANISER
    roles.change_role(campaign, seat, organiser, expected_role=seat.role, actor=bob)
    assert watched.changed() == everybody(watched)
    assert campaign.invite_key in watched.before["other"]


@pytest.mark.long
def test_page_follows_the_campaigns_settings_and_links(watched, campaign, bob):
    campaign.refresh_from_db()
    joining.change(
        campaign, name="Short", notes="Bring dice", settings={}, expected_version=campaign.version
    )
    assert watched.changed() == everybody(watched)
    roles.renew_link(campaign, "invite_key")
    assert watched.changed() == {"organiser"}
    joining.archive(campaign)
    assert watched.changed() == everybody(watched)
    joining.reopen(campaign)
    assert watched.changed() == everybody(watched)


@pytest.mark.long
def test_page_follows_the_deletion_of_a_gang(watched, campaign, hers, theirs, alice, dora):
    confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    watched.changed()
    Gang.objects.filter(pk=theirs.pk).delete()
    assert watched.changed() == everybody(watched)


@pytest.mark.long
def test_page_shows_an_offer_to_the_side_that_answers(bob, alice, dora, as_user):
    prison = Prison(AGREED, bob, alice, dora)
    readers = {"hers": as_user(alice), "theirs": as_user(dora), "organiser": as_user(bob)}
    watched = Watched(prison.campaign, readers)
    member = prison.capture("hers")
    watched.changed()
    offer = {"frees": [("giver", member)], "ransom": 12.5, "payer": "giver"}
    bargain = prison.offer("hers", offer)
    assert "theirs" in watched.changed()
    assert "is waiting for an answer" in watched.before["theirs"]
    prison.agree(bargain, dora)
    assert watched.changed() == set(readers)
    assert Bargain.objects.get().status == Bargain.Status.AGREED
    assert "is waiting for an answer" not in watched.before["theirs"]


def test_page_folds_all_but_the_oldest_duties(campaign, hers, theirs, alice, as_user):
    games = [make_game(campaign, alice, hers, theirs) for _ in range(6)]
    page = as_user(alice).get(campaign.get_absolute_url()).content.decode()
    shown, _, folded = page.partition('id="more-duties"')
    links = [reverse("campaigns:game-report", args=[game.pk]) for game in games]
    assert [link in shown for link in links] == [True] * 4 + [False] * 2
    assert all(link in folded for link in links[4:])


def test_archived_campaign_leads_to_its_seasons_and_asks_for_no_night(campaign, bob, as_user):
    make_night(campaign)
    link = f'href="{reverse("campaigns:seasons", args=[campaign.pk])}"'
    seasons = f'<p class="message">(?:(?!</p>).)*{link}'
    page = read(as_user(bob), campaign)
    assert 'id="next-night"' in page and not re.search(seasons, page, re.DOTALL)
    Campaign.objects.filter(pk=campaign.pk).update(archived_at=timezone.now())
    page = read(as_user(bob), campaign)
    assert 'id="next-night"' not in page and re.search(seasons, page, re.DOTALL)


def test_reader_without_access_gets_nothing(watched, campaign):
    roles.renew_link(campaign, "watch_key")
    answer = watched.readers["visitor"].get(campaign.get_absolute_url())
    assert answer.status_code == 302 and reverse("account_login") in answer["Location"]
    seat = campaign.participants.get(user__username="onlooker")
    roles.stop_following(campaign, seat.user)
    assert watched.readers["onlooker"].get(campaign.get_absolute_url()).status_code == 404
    assert watched.readers["player"].get(campaign.get_absolute_url()).status_code == 200


def test_state_allows_the_same_readers_as_other_pages(watched, campaign, bob, alice, charlie, rf):
    """This page takes its readers from the state; other pages query ``readable``."""
    state = state_of(campaign.pk)
    assert state is not None
    other = make_campaign(charlie)
    users: list[User] = [*get_user_model().objects.all()]
    found = []
    for user in users:
        for keys in ([], [other.watch_key], [other.watch_key, campaign.watch_key]):
            request, response = rf.get("/"), HttpResponse()
            request.user, request.session = user, SessionStore("somebody")
            access.WATCHED.write(request, response, ".".join(keys))
            request.COOKIES["watched"] = response.cookies["watched"].value
            expected = access.readable(request).filter(pk=campaign.pk).exists()
            assert may_look_on(request, state) == expected, (user, keys)
            found.append(expected)
    assert set(found) == {True, False}


@pytest.mark.long
def test_page_is_drawn_again_when_it_changes_meanwhile(
    watched, campaign, alice, hers, theirs, monkeypatch
):
    drawn = season_page._render

    def slowly(*args, **kwargs):
        page = drawn(*args, **kwargs)
        make_game(campaign, alice, hers, theirs)
        return page

    make_night(campaign)
    monkeypatch.setattr(season_page, "_render", slowly)
    assert "<strong>" + hers.name not in read(watched.readers["player"], campaign)
    monkeypatch.setattr(season_page, "_render", drawn)
    assert Game.objects.count() == 1
    assert str(Game.objects.get().pk) in read(watched.readers["player"], campaign)


def test_deleted_campaign_is_not_found(bob, as_user, campaign):
    url = campaign.get_absolute_url()
    Campaign.objects.filter(pk=campaign.pk).delete()
    assert as_user(bob).get(url).status_code == 404


@pytest.mark.long
def test_loading_reads_only_changed_games_and_gangs_again(
    watched, campaign, hers, theirs, alice, dora
):
    """Unchanged games and gangs are the identical objects."""
    for _ in range(3):
        confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    before = loading.load_season(campaign.pk).season
    gang = Gang.objects.get(pk=hers.pk)
    writer.append(gang, [Renamed(name="The Untold")], actor=alice, expected_version=gang.version)
    game = confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    after = loading.load_season(campaign.pk).season
    assert after.games[:3] == before.games and len(after.games) == 4
    assert after.games[3].id == str(game.pk)
    assert [after.gang[key] is before.gang[key] for key in (str(hers.pk), str(theirs.pk))] == [
        False,
        True,
    ]
    assert loading.load_season(campaign.pk).season is after


def test_options_exclude_choices_of_single_gangs(bob: User) -> None:
    """Choices of each gang, such as its people and their gifts, are not options of the campaign."""
    campaign = make_campaign(bob, "au-un-pour-un")
    told = dict(season_page.options(campaign))
    settings = campaign.book.settings
    assert [*told] == [row.name["en"] for row in settings if not row.gang_only]
    assert {row.key for row in settings if row.gang_only} == {"race", "alien_option", "alien_level"}
    assert told["Universe"] == "Any: all weapons"
