"""The home of a signed-in player: the next night, their game, their duties, their gangs."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from campaigns.club.home import duties
from campaigns.club.home.evening import evening_of
from campaigns.club.nights import schedule
from campaigns.club.people import admission, joining
from campaigns.colours import colours_of
from campaigns.games import results
from campaigns.models import Bargain, Game, Participant, Table
from campaigns.table import storage, taps
from gangs.engine.entries import Renamed
from gangs.ledger import writer
from gangs.models import Gang
from tests.campaigns.table.test_storage import pushed
from tests.world.campaigns import (
    confirmed,
    make_campaign,
    make_game,
    make_night,
    make_player,
    reported,
)
from tests.world.gangs import make_gang

URL = "/tonight/"


def page(browser: Client, url: str = URL) -> str:
    """Return the main part of the home, or of another page, on one line."""
    text = browser.get(url).content.decode()
    return " ".join(text.partition("<main")[2].partition("</main>")[0].split())


def texts(user: User) -> list[str]:
    return [duty.text for duty in duties.overview(user).duties]


def game_on(night, actor, *gangs) -> Game:
    game = make_game(night.campaign, actor, *gangs, day=schedule.day_of(night))
    Game.objects.filter(pk=game.pk).update(night=night)
    return Game.objects.get(pk=game.pk)


class TestAccess:
    def test_signed_in_player_is_redirected_to_the_home(self, alice, as_user, client):
        assert reverse("tonight") == URL
        assert as_user(alice).get("/").headers["Location"] == URL
        assert client.get("/").status_code == 200
        assert client.get(URL).headers["Location"] == f"/accounts/login/?next={URL}"
        sent = {"login": "alice", "password": "correct horse battery"}
        assert client.post("/accounts/login/", sent).headers["Location"] == URL


class TestTheNight:
    def test_home_shows_the_next_night_of_all_campaigns(self, campaign, hers, alice, bob, as_user):
        other = make_campaign(bob)
        other.participants.create(user=alice, role=Participant.Role.SPECTATOR)
        soon = timezone.now() + timedelta(days=2)
        off = make_night(campaign, soon - timedelta(days=1))
        schedule.cancel(off, expected_version=0)
        ours, theirs = make_night(campaign, soon), make_night(other, soon + timedelta(days=1))
        over = make_night(campaign, timezone.now() - timedelta(days=2))
        evening = evening_of(alice, duties.standing_of(alice).nights)
        assert evening.asked.night == ours and not evening.is_today
        assert [asked.night for asked in evening.later] == [off, theirs]
        assert [asked.is_asked for asked in evening.later] == [False, False]
        text = page(as_user(alice))
        assert "<h1>Next night</h1>" in text and over.get_absolute_url() not in text
        joining.archive(campaign)
        assert duties.standing_of(alice).nights[0].night == theirs

    def test_home_folds_all_but_three_nights(self, campaign, hers, alice, as_user):
        soon = timezone.now() + timedelta(days=2)
        nights = [make_night(campaign, soon + timedelta(weeks=week)) for week in range(6)]
        evening = evening_of(alice, duties.standing_of(alice).nights)
        shown = [evening.asked, *evening.later, *evening.folded]
        assert [one.night for one in shown] == nights[: len(shown)]
        assert (len(evening.later), len(evening.folded)) == (2, len(shown) - 3)
        folded = page(as_user(alice)).split('<details class="mt-3" id="even-later">')[1]
        for one in evening.folded:
            assert one.night.get_absolute_url() in folded

    def test_night_can_be_answered_on_the_home(self, campaign, hers, alice, as_user):
        night, browser = make_night(campaign), as_user(alice)
        url = reverse("campaigns:night-answer", args=[night.pk])
        assert page(browser).count(f'action="{url}"') == 1
        sent = {"gang": hers.pk, "answer": "maybe", "place": "tonight"}
        assert browser.post(url, sent).headers["Location"] == URL
        text = page(browser)
        assert "Going 0 · Maybe 1" in text
        assert re.search(r'value="maybe" aria-pressed="true"', text)

    def test_home_says_tonight_for_a_night_that_is_today(
        self, campaign, hers, alice, as_user, monkeypatch
    ):
        now = timezone.localtime()
        make_night(campaign, now - timedelta(minutes=1))
        assert "<h1>Tonight</h1>" in page(as_user(alice))

    @pytest.mark.long
    def test_home_shows_only_my_game(self, campaign, hers, theirs, alice, dora, bob, as_user):
        third = make_player(campaign, User.objects.create_user("ed"))
        night = make_night(campaign, timezone.now() + timedelta(hours=1))
        mine, other = game_on(night, alice, hers, theirs), game_on(night, bob, theirs, third)
        text = page(as_user(alice))
        assert f'action="{reverse("campaigns:game-play", args=[mine.pk])}"' in text
        assert f'href="{reverse("campaigns:game-report", args=[mine.pk])}"' in text
        assert other.get_absolute_url() not in text
        # The players' names distinguish two gangs made from the same sample.
        assert f"{hers.name} (alice) – {theirs.name} (dora)" in text
        mine = confirmed(reported(mine, alice), dora)
        text = page(as_user(alice))
        assert reverse("campaigns:game-report", args=[mine.pk]) not in text
        assert "play your post-game" in text

    @pytest.mark.long
    def test_home_shows_my_games_of_every_night(self, campaign, hers, theirs, alice, as_user):
        """Two campaigns may meet on the same evening, and gangs may play twice."""
        soon = timezone.now() + timedelta(hours=1)
        second = make_campaign(alice)
        mine, rival = (
            make_player(second, alice),
            make_player(second, User.objects.create_user("ed")),
        )
        games = [
            game_on(make_night(campaign, soon), alice, hers, theirs),
            *(game_on(make_night(second, soon), alice, mine, rival) for _time in range(2)),
        ]
        text = page(as_user(alice))
        assert all(game.get_absolute_url() in text for game in games)

    def test_home_shows_a_running_game_first(self, campaign, hers, theirs, alice, as_user):
        """It is no duty, and is not repeated below its night; a spectator of the campaign can
        watch it."""
        night = make_night(campaign, timezone.now() + timedelta(hours=1))
        game = game_on(night, alice, hers, theirs)
        link = f'href="{reverse("campaigns:game-play", args=[game.pk])}"'
        table = storage.open_for(game, list(game.sides.all()))
        assert "Live now" not in page(as_user(alice))
        storage.push(table, alice, [pushed(taps.TurnEnded())])
        watcher = User.objects.create_user("zoe")
        campaign.participants.create(user=watcher, role=Participant.Role.SPECTATOR)
        for user, words in ((alice, "Go to the table"), (watcher, "Watch the game")):
            text = page(as_user(user))
            assert text.index("Live now") < text.index('class="panel tonight-night"')
            assert text.count("Being played") == text.count(link) == 1 and words in text
            assert "Played? Report the result" not in text
            assert (
                as_user(user).get(reverse("campaigns:game-play", args=[game.pk])).status_code == 302
            )
        here = as_user(alice).get(campaign.get_absolute_url()).content.decode()
        assert here.index("Live now") < here.index("Standings") and link in here
        storage.push(table, alice, [pushed(taps.GameEnded())])
        assert "Live now" not in page(as_user(alice))
        assert "Live now" not in page(as_user(alice), campaign.get_absolute_url())

    def test_every_table_is_live_for_players_and_for_holders_of_the_link(
        self, campaign, hers, theirs, alice, dora, as_user
    ):
        """The reader's own games come first, however many others are being played."""
        people = [User.objects.create_user(name) for name in ("ed", "fay")]
        others = [make_player(campaign, person) for person in people]
        games = [make_game(campaign, people[0], *others) for _table in range(9)]
        games.append(make_game(campaign, alice, hers, theirs))
        for game in games:
            table = storage.open_for(game, list(game.sides.all()))
            storage.push(table, alice, [pushed(taps.TurnEnded())])
        links = [f'href="{reverse("campaigns:game-play", args=[game.pk])}"' for game in games]
        watcher = Client()
        watcher.get(reverse("campaigns:watch", args=[campaign.watch_key]))
        at = campaign.get_absolute_url()
        for shown in (page(as_user(dora)), page(as_user(dora), at), page(watcher, at)):
            live = shown[shown.index("Live now") :]
            assert all(link in live for link in links)
        home = page(as_user(dora))
        assert home.index(links[-1]) == min(home.index(link) for link in links)
        assert "Your game" not in page(watcher, at)

    def test_home_does_not_show_a_table_that_was_left_as_live(
        self, campaign, hers, theirs, alice, as_user
    ):
        game = make_game(campaign, alice, hers, theirs)
        table = storage.open_for(game, list(game.sides.all()))
        storage.push(table, alice, [pushed(taps.TurnEnded())])
        Table.objects.update(changed_at=timezone.now() - timedelta(days=1))
        assert "Being played" not in page(as_user(alice))


class TestDuties:
    def test_unanswered_night_is_a_duty_when_it_is_near(self, campaign, hers, alice, as_user):
        """The home asks about the next night at its top, so it does not list that night again."""
        first = make_night(campaign, timezone.now() + timedelta(days=2))
        make_night(campaign, timezone.now() + timedelta(days=9))
        assert texts(alice) == ["Are you coming?"]
        assert duties.standing_of(alice).unanswered(but=[first.pk]) == []
        schedule.answer(first, hers, "no", actor=alice)
        assert texts(alice) == []
        schedule.delete(first, expected_version=0)
        assert texts(alice) == ["Are you coming?"]
        schedule.change(
            campaign.nights.get(),
            starts_at=timezone.now() + timedelta(days=40),
            place="",
            note="",
            expected_version=0,
        )
        assert texts(alice) == []

    def test_invitation_is_a_duty_until_the_player_joins_or_it_is_withdrawn(
        self, campaign, alice, bob, dora
    ):
        admission.invite(campaign, "alice", actor=bob)
        invitation = campaign.invitations.get()
        assert texts(alice) == ["bob invites you: join with a gang"] and texts(dora) == []
        (duty,) = duties.overview(alice).duties
        assert duty.url == reverse("campaigns:join", args=[invitation.key])
        seat = campaign.participants.create(user=alice)
        assert texts(alice) == []
        seat.delete()
        assert len(texts(alice)) == 1
        admission.withdraw(invitation)
        assert texts(alice) == []

    def test_captive_offer_is_a_duty_of_the_player_asked(self, campaign, hers, theirs, alice, dora):
        Bargain.objects.create(
            campaign=campaign,
            giver=hers,
            taker=theirs,
            giver_name=hers.name,
            taker_name=theirs.name,
            terms={},
        )
        assert texts(alice) == []
        (duty,) = duties.overview(dora).duties
        assert (duty.text, duty.gangs) == (
            "An offer about captives is waiting for an answer",
            (theirs.pk,),
        )

    def test_disputes_and_gangs_without_a_player_are_duties_of_organisers(
        self, campaign, hers, theirs, alice, bob, dora
    ):
        game = reported(make_game(campaign, alice, hers, theirs), alice)
        results.dispute(game, comment="No.", actor=dora, expected_version=game.version)
        assert texts(bob) == ["dora disagrees"]
        Gang.objects.filter(pk=hers.pk).update(owner=None, kept_at=timezone.now())
        assert texts(bob)[-1] == "Nobody plays this gang: hand it over"

    def test_duties_leave_out_an_invitation_when_its_notice_has_expired(self, campaign, alice, bob):
        admission.invite(campaign, "alice", actor=bob)
        alice.notices.update(at=timezone.now() - timedelta(days=31))
        assert texts(alice) == []


class TestGangs:
    def test_home_and_list_show_the_state_of_each_gang(self, campaign, hers, alice, as_user):
        make_night(campaign)
        text = page(as_user(alice))
        # The night at the top is not counted again below.
        assert "Legal" in text and campaign.name in text and "thing to do" not in text
        lonely = make_gang(alice, sample=None)
        text = page(as_user(alice))
        assert "Not legal yet" in text and lonely.get_absolute_url() in text
        listed = as_user(alice).get(reverse("gangs:list")).content.decode()
        for words in ("Not legal yet", "1 thing to do", campaign.name):
            assert words in listed
        # The thing to do comes before the praise.
        assert "chip-good" not in listed

    def test_renamed_gang_is_shown_immediately(self, alice, as_user):
        gang = make_gang(alice)
        browser = as_user(alice)
        assert "Legal" in page(browser)
        writer.append(gang, [Renamed(name="Others")], expected_version=gang.version, actor=alice)
        assert "Others" in page(browser)

    def test_gangs_have_their_colours_of_the_campaign(self, campaign, hers, theirs, alice, as_user):
        colours = colours_of(campaign)
        for url in (URL, "/gangs/"):
            assert as_user(alice).get(url).context["colours"] == colours


class TestEmpty:
    def test_home_without_gangs_offers_to_build_or_start(self, alice, as_user):
        text = page(as_user(alice))
        assert reverse("gangs:choose-book") in text and "Build a gang" in text
        assert reverse("campaigns:choose-book") in text and "Start a campaign" in text
        assert text.count('class="btn btn-primary"') == 2 and text.count("<svg class=") == 2

    def test_only_organisers_are_offered_to_create_a_night(
        self, campaign, hers, alice, bob, as_user
    ):
        assert reverse("campaigns:night-new", args=[campaign.pk]) in page(as_user(bob))
        text = page(as_user(alice))
        assert "your organiser creates the next one" in text and "night-new" not in text


@pytest.mark.long
def test_query_count_does_not_grow_with_campaigns_and_games(
    campaign, hers, theirs, alice, bob, dora, as_user
):
    browser = as_user(alice)
    night = make_night(campaign, timezone.now() + timedelta(hours=1))

    def fill():
        other = make_campaign(bob)
        mine, rival = make_player(other, alice), make_player(other, dora)
        make_night(other, timezone.now() + timedelta(days=1))
        make_game(other, bob, mine, rival)
        reported(make_game(other, dora, mine, rival), dora)
        game_on(night, bob, hers, theirs)
        Bargain.objects.create(
            campaign=other, giver=rival, taker=mine, giver_name="x", taker_name="y", terms={}
        )
        admission.invite(make_campaign(dora), "alice", actor=dora)
        make_campaign(alice)

    def queries() -> list[int]:
        counts = []
        for url in (URL, reverse("gangs:list"), reverse("campaigns:list")):
            with CaptureQueriesContext(
                connection,
            ) as captured:
                assert browser.get(url).status_code == 200
            counts.append(len(captured))
        return counts

    fill()
    queries()  # once to warm up
    before = queries()
    fill()
    fill()
    assert queries() == before
    # Of a user whom everything may wait for: as organiser, by invitation, in a league, and with an
    # offer about captives, whose gangs may have namesakes.
    assert max(before) <= 23


class TestCampaigns:
    """The list of campaigns shows the state of each."""

    def listed(self, browser: Client) -> list[tuple[str, bool, int]]:
        lines = browser.get(reverse("campaigns:list")).context["campaigns"]
        return [(line.state, line.night is not None, line.waits) for line in lines]

    def test_list_shows_state_next_night_and_number_of_duties(
        self, campaign, hers, theirs, alice, dora, as_user
    ):
        browser = as_user(alice)
        assert self.listed(browser) == [("building", False, 0)]
        make_night(campaign)
        assert self.listed(browser) == [("building", True, 1)]
        game = make_game(campaign, alice, hers, theirs, day=timezone.localdate())
        assert self.listed(browser) == [("building", True, 2)]
        reported(game, alice)
        assert self.listed(browser) == [("running", True, 1)]
        text = browser.get(reverse("campaigns:list")).content.decode()
        assert "Running" in text and "1 thing to do" in text
        joining.archive(campaign)
        assert self.listed(browser) == [("finished", False, 0)]

    def test_list_offers_to_start_a_campaign_when_there_is_none(self, alice, as_user):
        text = as_user(alice).get(reverse("campaigns:list")).content.decode()
        assert 'class="drawing"' in text and reverse("campaigns:choose-book") in text


@pytest.mark.parametrize("place", ["nowhere", "//evil.example", "night"])
def test_answer_does_not_redirect_to_another_site(campaign, hers, alice, as_user, place):
    night = make_night(campaign)
    url = reverse("campaigns:night-answer", args=[night.pk])
    sent = {"gang": hers.pk, "answer": "yes", "place": place}
    location = as_user(alice).post(url, sent).headers["Location"]
    assert location.partition("#")[0] == night.get_absolute_url()
