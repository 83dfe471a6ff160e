"""The end of a campaign: archiving it, and deleting it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import deletion
from accounts.models import Notice
from campaigns.club.nights import schedule
from campaigns.club.people import ending, joining, roles
from campaigns.models import Campaign, Game, Night, Participant, Stage
from common.errors import Refusal
from gangs.ledger.replay import prove
from gangs.models import Gang
from tests.world.campaigns import confirmed, make_game, make_night, make_player, reported


def url(name, campaign, *more):
    return reverse(f"campaigns:{name}", args=[campaign.pk, *more])


def archived(campaign: Campaign) -> bool:
    return Campaign.objects.get(pk=campaign.pk).archived_at is not None


# Archiving


def test_archiving_asks_about_open_games_first(campaign, hers, theirs, alice, bob, as_user):
    game = make_game(campaign, alice, hers, theirs)
    browser, page = as_user(bob), url("archive", campaign)
    shown = browser.get(page).content.decode()
    assert game.get_absolute_url() in shown and "Still open" in shown
    answer = browser.post(page)
    assert answer.status_code == 409 and game.get_absolute_url() in answer.content.decode()
    assert not archived(campaign)
    assert browser.post(page, {"told": "1"}).status_code == 302
    assert archived(campaign)


@pytest.mark.parametrize("stage", ["reported", "confirmed"])
def test_open_games_include_reports_and_post_games(campaign, hers, theirs, alice, dora, stage):
    game = reported(make_game(campaign, alice, hers, theirs), alice)
    if stage == "confirmed":
        confirmed(game, dora)
    assert list(ending.open_games(campaign)) == [game]


def test_archiving_calls_off_coming_nights_on_pages_and_in_calendars(campaign, hers, bob, as_user):
    night = make_night(campaign)
    past = make_night(campaign, timezone.now() - timedelta(days=20))
    browser = as_user(bob)
    assert "1 coming night is called off" in browser.get(url("archive", campaign)).content.decode()
    browser.post(url("archive", campaign))
    assert "so this night is called off" in browser.get(night.get_absolute_url()).content.decode()
    assert "called off" not in browser.get(past.get_absolute_url()).content.decode()
    shown = browser.get(url("nights", campaign)).content.decode()
    assert shown.count("Called off") == 1
    file = calendar_of(campaign)
    assert file.count("STATUS:CANCELLED") == 1 and file.count("STATUS:CONFIRMED") == 1
    browser.post(url("archive", campaign), {"back": "1"})
    assert "STATUS:CANCELLED" not in calendar_of(campaign)
    assert not Night.objects.get(pk=night.pk).is_called_off


def calendar_of(campaign):
    return Client().get(reverse("campaigns:night-feed", args=[campaign.watch_key])).content.decode()


def test_archived_campaign_notifies_nobody(campaign, hers, theirs, alice, bob):
    joining.archive(campaign)
    Notice.objects.all().delete()
    campaign.refresh_from_db()
    seat = campaign.participants.get(user=alice)
    roles.change_role(campaign, seat, Participant.Role.ORGANISER, expected_role="player", actor=bob)
    joining.hand_over(campaign, theirs, alice, expected_owner=theirs.owner_id, actor=bob)
    roles.remove(campaign, campaign.participants.get(user=theirs.owner_id), actor=bob)
    deletion.delete(bob)
    assert not Notice.objects.exists()


# Deleting


def test_deleting_needs_the_campaigns_name(campaign, hers, bob, as_user):
    browser, page = as_user(bob), url("delete", campaign)
    shown = browser.get(page).content.decode()
    assert url("export", campaign) in shown
    answer = browser.post(page, {"name": "The short winter"})
    assert answer.status_code == 422
    text = answer.content.decode()
    assert "not the campaign’s name" in text and 'value="The short winter"' in text
    assert Campaign.objects.exists()
    for _twice in range(2):
        answer = browser.post(page, {"name": "the long winter "})
        assert answer.headers["Location"] == reverse("campaigns:list")
    assert not Campaign.objects.exists()


def test_deleting_strikes_the_entries_with_which_gangs_joined(
    campaign, hers, theirs, alice, dora, bob
):
    reported(make_game(campaign, alice, hers, theirs), alice)
    make_night(campaign)
    ending.delete(campaign, actor=bob)
    for gang in (hers, theirs):
        gang = Gang.objects.get(pk=gang.pk)
        assert gang.owner is not None and gang.roster.campaigns == ()
        assert not gang.entries.live().filter(kind="joined").exists()
    assert not Game.objects.exists() and not Night.objects.exists()
    assert not prove().different
    notices = Notice.objects.filter(user=alice)
    assert notices.get(kind="campaign_deleted").url == ""
    assert not notices.exclude(url="").exists(), "no notice leads to a page that is gone"


def test_campaign_with_a_confirmed_game_is_not_deleted(
    campaign, hers, theirs, alice, dora, bob, as_user
):
    confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    answer = as_user(bob).post(url("delete", campaign), {"name": campaign.name})
    assert answer.status_code == 422
    assert "Archive it instead" in answer.content.decode()
    with pytest.raises(Refusal, match="campaign_has_results"):
        ending.delete(campaign, actor=bob)
    assert (
        url("delete", campaign) not in as_user(bob).get(url("settings", campaign)).content.decode()
    )


def test_only_organisers_delete_a_campaign(campaign, hers, alice, as_user):
    assert as_user(alice).post(url("delete", campaign), {"name": campaign.name}).status_code == 404
    assert Campaign.objects.exists()


def test_gang_without_a_player_is_deleted_with_its_campaign(campaign, hers, theirs, alice, bob):
    make_game(campaign, alice, hers, theirs)
    joining.part(campaign, hers, behind=True, actor=alice)
    ending.delete(campaign, actor=bob)
    assert not Gang.objects.filter(pk=hers.pk).exists()
    assert Gang.objects.filter(pk=theirs.pk).exists()


def test_last_organiser_leaves_by_deleting(campaign, bob, as_user):
    browser = as_user(bob)
    page = browser.get(url("depart", campaign)).content.decode()
    assert url("delete", campaign) in page and url("people", campaign) in page
    browser.post(url("delete", campaign), {"name": campaign.name})
    assert not Campaign.objects.exists()


def test_last_organiser_with_results_is_not_offered_to_delete(
    campaign, hers, theirs, alice, dora, bob, as_user
):
    confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    page = as_user(bob).get(url("depart", campaign)).content.decode()
    assert url("delete", campaign) not in page and "Make somebody else an organiser" in page


def test_deleted_campaign_frees_a_gang_for_another(campaign, alice, bob):
    gang = make_player(campaign, alice)
    night = make_night(campaign)
    schedule.answer(night, gang, "yes", actor=alice)
    ending.delete(campaign, actor=bob)
    assert not gang.memberships.exists() and not gang.attendances.exists()


def test_archiving_calls_off_the_last_days_of_rounds_in_calendars(campaign, hers, theirs):
    today = timezone.localdate()
    stage = Stage.objects.create(campaign=campaign, number=1, name="League", format="round-robin")
    for number, days in ((1, -9), (2, 9)):
        opens = today + timedelta(days=days - 5)
        stage.rounds.create(number=number, opens=opens, due=today + timedelta(days=days))
    assert calendar_of(campaign).count("STATUS:CANCELLED") == 0
    joining.archive(campaign)
    file = calendar_of(campaign)
    assert file.count("STATUS:CANCELLED") == 1 and file.count("STATUS:CONFIRMED") == 1
