"""A campaign's page is kept as it was drawn: what it shows is what would be drawn anew, for every
reader, after everything that can happen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from campaigns import (
    access,
    front,
    glance,
    joining,
    nights,
    parting,
    people,
    recalling,
    results,
    striking,
)
from campaigns.models import Attendance, Bargain, Campaign, Game, Participant
from gangs import ledger
from gangs.entries import Renamed
from gangs.models import Gang, share_key
from tests.campaigns.making import (
    confirmed,
    make_campaign,
    make_game,
    make_night,
    make_player,
    reported,
    side_of,
)
from tests.campaigns.test_aftermath import committed
from tests.campaigns.test_bargains import AGREED, Prison

TOKEN = re.compile(r'"X-CSRFToken": "\w+"|name="csrfmiddlewaretoken" value="\w+"')


def read(browser: Client, campaign: Campaign) -> str:
    return TOKEN.sub("", browser.get(campaign.get_absolute_url()).content.decode())


def forget() -> None:
    front._kept.known.clear()
    recalling._remembered.known.clear()


class Watched:
    """A campaign before all its readers."""

    def __init__(self, campaign: Campaign, readers: Mapping[str, Client]) -> None:
        self.campaign = campaign
        self.readers = readers
        self.before = self.kept()

    def kept(self) -> dict[str, str]:
        """The page as each reader gets it."""
        return {who: read(browser, self.campaign) for who, browser in self.readers.items()}

    def changed(self) -> set[str]:
        """Whose page is another than before. Everybody's is as if it had never been drawn yet."""
        now = self.kept()
        forget()
        assert now == self.kept()
        changed = {who for who, page in now.items() if page != self.before[who]}
        self.before = now
        return changed


@pytest.fixture
def watched(campaign, hers, theirs, bob, alice, dora, as_user) -> Watched:
    onlooker = get_user_model().objects.create_user("onlooker")
    people.follow(campaign, onlooker)
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


def test_everybody_sees_his_own_page_and_it_is_drawn_once(watched, monkeypatch):
    pages = watched.before
    assert len(set(pages.values())) == len(pages)
    assert "Invitation" in pages["organiser"] and watched.campaign.invite_key in pages["organiser"]
    for who in ("player", "other", "onlooker", "visitor"):
        assert watched.campaign.invite_key not in pages[who]
    assert "Stop following" in pages["onlooker"] and "Classement" in pages["french"]
    monkeypatch.setattr(front, "_drawn", None)
    assert watched.kept() == pages


def test_a_game_from_its_plan_until_it_is_taken_back_and_restored(
    watched, campaign, hers, theirs, bob, alice, dora
):
    game = make_game(campaign, alice, hers, theirs)
    assert watched.changed() == everybody(watched)
    game = reported(game, alice)
    assert watched.changed() == everybody(watched)
    results.dispute(game, comment="No!", actor=dora, seen=game.version)
    assert watched.changed() == everybody(watched)
    game = Game.objects.get(pk=game.pk)
    results.decide(game, actor=bob, seen=game.version, why="So it was.")
    assert watched.changed() == everybody(watched)
    committed(side_of(game, hers), alice)
    assert watched.changed() == everybody(watched)
    game = Game.objects.get(pk=game.pk)
    versions = {gang.pk: gang.version for gang in Gang.objects.filter(sides__game=game)}
    striking.strike_game(
        game, actor=bob, reason="Wrong list", seen=game.version, versions=versions, also={}
    )
    assert watched.changed() == everybody(watched)
    game = Game.objects.get(pk=game.pk)
    striking.restore_game(game, actor=bob, reason="It was right", seen=game.version)
    assert watched.changed() == everybody(watched)


def test_nights(watched, campaign, hers, alice, bob):
    night = make_night(campaign, place="The cellar")
    assert watched.changed() == everybody(watched)
    nights.answer(night, hers, Attendance.Answer.YES, actor=alice)
    assert watched.changed() == everybody(watched)
    nights.answer(night, hers, Attendance.Answer.NO, actor=alice)
    assert watched.changed() == everybody(watched)
    later = night.starts_at + timedelta(days=1)
    nights.change(night, starts_at=later, place="The attic", note="", seen=night.version)
    assert watched.changed() == everybody(watched)
    night.refresh_from_db()
    nights.cancel(night, seen=night.version)
    assert watched.changed() == everybody(watched)
    night.refresh_from_db()
    nights.revive(night, seen=night.version)
    assert watched.changed() == everybody(watched)


def test_a_night_that_is_over_is_one_of_the_last_without_a_change(watched, campaign, monkeypatch):
    night = make_night(campaign, place="The cellar", starts_at=timezone.now() + timedelta(hours=1))
    page = watched.kept()["player"]
    assert "Next night" in page and "Last nights" not in page
    over = night.starts_at + nights.LASTS + timedelta(seconds=1)
    monkeypatch.setattr(timezone, "now", lambda: over)
    page = watched.kept()["player"]
    assert "Next night" not in page and "Last nights" in page


def test_people_and_gangs(watched, campaign, hers, theirs, bob, alice, dora, charlie, as_user):
    gang = make_player(campaign, charlie)
    assert watched.changed() == everybody(watched)
    joining.leave(campaign, gang, actor=charlie)
    assert watched.changed() == everybody(watched)
    ledger.append(hers, [Renamed(name="The Untold")], actor=alice, seen=hers.version)
    assert watched.changed() == everybody(watched)
    assert all("The Untold" in page for page in watched.before.values())
    before, hers.share_key = hers.share_key, share_key()
    hers.save(update_fields=["share_key"])
    assert before != hers.share_key
    assert watched.changed() == everybody(watched) - {"player", "french"}
    parting.hand_over(campaign, theirs, alice, seen=dora.pk, actor=bob)
    assert watched.changed() == everybody(watched)
    seat = campaign.participants.get(user=dora)
    organiser = Participant.Role.ORGANISER
    people.change_role(campaign, seat, organiser, seen=seat.role, actor=bob)
    assert watched.changed() == everybody(watched)
    assert campaign.invite_key in watched.before["other"]


def test_the_campaign_itself(watched, campaign, bob):
    campaign.refresh_from_db()
    joining.change(campaign, name="Short", notes="Bring dice", settings={}, seen=campaign.version)
    assert watched.changed() == everybody(watched)
    joining.renew_invitation(campaign)
    assert watched.changed() == {"organiser"}
    joining.archive(campaign)
    assert watched.changed() == everybody(watched)
    joining.reopen(campaign)
    assert watched.changed() == everybody(watched)


def test_a_game_can_end_for_a_deleted_gang(watched, campaign, hers, theirs, alice, dora):
    confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    watched.changed()
    Gang.objects.filter(pk=theirs.pk).delete()
    assert watched.changed() == everybody(watched)


def test_an_offer_waits_for_the_one_who_answers(bob, alice, dora, as_user):
    prison = Prison(AGREED, bob, alice, dora)
    readers = {"hers": as_user(alice), "theirs": as_user(dora), "organiser": as_user(bob)}
    watched = Watched(prison.campaign, readers)
    member = prison.capture("hers")
    watched.changed()
    offer = {"frees": [("giver", member)], "ransom": 12.5, "payer": "giver"}
    bargain = prison.offer("hers", offer)
    assert "theirs" in watched.changed()
    assert "awaits an answer" in watched.before["theirs"]
    prison.agree(bargain, dora)
    assert watched.changed() == set(readers)
    assert Bargain.objects.get().status == Bargain.Status.AGREED
    assert "awaits an answer" not in watched.before["theirs"]


def test_who_may_read_no_longer_gets_nothing(watched, campaign):
    people.renew_watch_link(campaign)
    answer = watched.readers["visitor"].get(campaign.get_absolute_url())
    assert answer.status_code == 302 and reverse("account_login") in answer["Location"]
    seat = campaign.participants.get(user__username="onlooker")
    people.stop_following(campaign, seat.user)
    assert watched.readers["onlooker"].get(campaign.get_absolute_url()).status_code == 404
    assert watched.readers["player"].get(campaign.get_absolute_url()).status_code == 200


def test_the_glance_knows_readers_as_every_other_page_does(
    watched, campaign, bob, alice, charlie, rf
):
    """The page asks a glance who may read it; the others ask ``readable``."""
    seen = glance.glance(campaign.pk)
    assert seen is not None
    other = make_campaign(charlie)
    users: list[User] = [*get_user_model().objects.all()]
    found = []
    for user in users:
        for keys in ([], [other.watch_key], [other.watch_key, campaign.watch_key]):
            request = rf.get("/")
            request.user, request.session = user, {access.WATCHED: keys}
            expected = access.readable(request).filter(pk=campaign.pk).exists()
            assert access.may_look_on(request, seen) == expected, (user, keys)
            found.append(expected)
    assert set(found) == {True, False}


def test_a_page_that_changes_while_it_is_drawn_is_drawn_again(
    watched, campaign, alice, hers, theirs, monkeypatch
):
    drawn = front._drawn

    def slowly(*args, **kwargs):
        page = drawn(*args, **kwargs)
        make_game(campaign, alice, hers, theirs)
        return page

    make_night(campaign)
    monkeypatch.setattr(front, "_drawn", slowly)
    assert "<strong>" + hers.name not in read(watched.readers["player"], campaign)
    monkeypatch.setattr(front, "_drawn", drawn)
    assert Game.objects.count() == 1
    assert str(Game.objects.get().pk) in read(watched.readers["player"], campaign)


def test_no_page_is_kept_for_long(watched, monkeypatch):
    drawn = []
    real = front._drawn
    monkeypatch.setattr(
        front, "_drawn", lambda *args, **kwargs: drawn.append(args) or real(*args, **kwargs)
    )
    watched.kept()
    assert not drawn
    later = timezone.now() + front.KEPT_FOR
    monkeypatch.setattr(timezone, "now", lambda: later)
    watched.kept()
    assert len(drawn) == len(watched.readers)


def test_there_is_no_such_campaign(bob, as_user, campaign):
    url = campaign.get_absolute_url()
    Campaign.objects.filter(pk=campaign.pk).delete()
    assert as_user(bob).get(url).status_code == 404
