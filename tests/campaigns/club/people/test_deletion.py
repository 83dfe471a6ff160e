"""Deleting gangs and accounts: a campaign's results survive."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts import deletion
from accounts.models import Notice, User
from campaigns.access import gangs_of, playing
from campaigns.club.people import joining, roles
from campaigns.models import Campaign, Game, Membership, Participant, Side
from campaigns.postgames import drafts
from common.errors import Stale
from gangs.models import Gang, StoredEntry
from gangs.pages import deleting
from rules.models import Variant
from tests.world.campaigns import (
    answered,
    confirmed,
    make_campaign,
    make_game,
    make_player,
    reported,
    side_of,
)
from tests.world.gangs import POINTS, make_gang, make_version

ROLE = Participant.Role
PASSWORD = "correct horse battery"


def snapshot_of(campaign: Campaign) -> dict[str, object]:
    """Return everything of a campaign that must outlive a player."""
    games = Game.objects.filter(campaign=campaign)
    sides = Side.objects.filter(game__campaign=campaign).order_by("pk")
    gangs = sorted(gangs_of(campaign), key=lambda gang: gang.pk)
    return {
        "gangs": [(gang.name, gang.rating, gang.size, gang.left_at) for gang in gangs],
        "rosters": [Gang.objects.get(pk=gang.pk).roster for gang in gangs],
        "games": list(games.values_list("pk", "status", "result", "note")),
        "sides": list(sides.values_list("pk", "gang", "name", "side", "report", "rating", "batch")),
        "entries": list(
            StoredEntry.objects.filter(gang__in=gangs)
            .order_by("gang", "seq")
            .values_list("gang", "seq", "kind", "data", "struck")
        ),
    }


@pytest.fixture
def season(campaign, hers, theirs, alice, dora):
    """A campaign with a settled game and one that awaits confirmation."""
    game = confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    for gang, player in ((hers, alice), (theirs, dora)):
        side = answered(side_of(game, gang))
        drafts.commit(
            side, seen_draft=side.draft_version, seen_gang=side.gang.version, actor=player
        )
    reported(make_game(campaign, alice, hers, theirs), alice)
    return campaign


def standings_shown(campaign, user, as_user):
    page = as_user(user).get(campaign.get_absolute_url())
    assert page.status_code == 200
    return page.content.decode()


# A gang


def test_gang_without_games_is_deleted_for_good(alice, as_user):
    gang = make_gang(alice)
    url = reverse("gangs:delete", args=[gang.pk])
    browser = as_user(alice)
    page = browser.get(url).content.decode()
    assert 'value="gone"' in page and "cannot be undone" in page
    assert browser.post(url).status_code == 422
    for _twice in range(2):
        assert browser.post(url, {"told": "gone"}).headers["Location"] == reverse("gangs:list")
    assert not Gang.objects.exists() and not StoredEntry.objects.exists()
    assert browser.get(url).status_code == 404
    assert as_user(alice).post(url, {"told": "gone"}).status_code == 404


def test_visitor_can_delete_the_gang_they_built(client, db):
    make_version()
    client.post(reverse("gangs:new", args=[POINTS]), {"name": "Guests", "token": "t"})
    gang = Gang.objects.get()
    answer = client.post(reverse("gangs:delete", args=[gang.pk]), {"told": "gone"})
    assert answer.headers["Location"] == "/"
    assert not Gang.objects.exists()


@pytest.mark.long
def test_gang_that_has_played_stays_in_its_campaign(season, hers, alice, dora, bob, as_user):
    before, shown = snapshot_of(season), standings_shown(season, dora, as_user)
    url = reverse("gangs:delete", args=[hers.pk])
    browser = as_user(alice)
    assert 'value="kept"' in browser.get(url).content.decode()
    for _twice in range(2):
        assert browser.post(url, {"told": "kept"}).status_code == 302
    assert snapshot_of(season) == before
    after = standings_shown(season, dora, as_user)
    assert after.count(hers.name) >= 2 and shown.count(hers.name) >= 2
    gang = Gang.objects.get(pk=hers.pk)
    assert gang.owner is None and gang.kept_at is not None and gang.share_key is None
    assert Client().get(reverse("gangs:shared", args=[hers.share_key])).status_code == 404
    assert browser.get(hers.get_absolute_url()).status_code == 404
    joining.hand_over(season, gang, dora, expected_owner=None, actor=bob)
    assert as_user(dora).get(hers.get_absolute_url()).status_code == 200


def test_deletion_from_a_stale_page_is_refused(campaign, hers, theirs, alice, as_user):
    url = reverse("gangs:delete", args=[hers.pk])
    browser = as_user(alice)
    assert 'value="gone"' in browser.get(url).content.decode()
    make_game(campaign, alice, hers, theirs)
    answer = browser.post(url, {"told": "gone"})
    assert answer.status_code == 409 and 'value="kept"' in answer.content.decode()
    assert Gang.objects.get(pk=hers.pk).owner == alice
    with pytest.raises(Stale):
        deleting.delete(hers, actor=alice, expected=False)


def test_gang_that_only_joined_is_deleted_with_its_membership(campaign, hers, alice):
    assert deleting.delete(hers, actor=alice) is False
    assert not Membership.objects.exists() and not Gang.objects.exists()


def test_kept_gang_is_not_tidied_as_a_visitors(season, hers, alice):
    deleting.delete(hers, actor=alice)
    Gang.objects.update(changed_at="2020-01-01T00:00Z")
    deleting.tidy_guests()
    assert Gang.objects.filter(pk=hers.pk).exists()


# An account


def test_deleting_an_account_asks_for_the_password(season, alice, hers, as_user):
    url, browser = reverse("farewell"), as_user(alice)
    page = browser.get(url).content.decode()
    kept = f"with their names, their notes, their pictures and their history: {hers.name}"
    assert f"stay there without you, {kept}" in page
    answer = browser.post(url, {"password": "wrong"})
    assert answer.status_code == 422 and "not your password" in answer.content.decode()
    assert User.objects.filter(pk=alice.pk).exists()
    answer = browser.post(url, {"password": PASSWORD}, follow=True)
    assert "Your account is deleted" in answer.content.decode()
    assert not User.objects.filter(pk=alice.pk).exists()
    assert browser.post(url, {"password": PASSWORD}).status_code == 302


@pytest.mark.long
def test_results_outlive_a_deleted_account(season, hers, theirs, alice, dora, bob, as_user):
    make_gang(alice, name="Never played")
    before = snapshot_of(season)
    deletion.delete(alice)
    assert snapshot_of(season) == before
    assert not Gang.objects.filter(name="Never played").exists()
    assert not season.participants.filter(user=alice.pk).exists()
    assert hers.name in standings_shown(season, dora, as_user)
    for game in Game.objects.all():
        assert as_user(dora).get(game.get_absolute_url()).status_code == 200
    assert as_user(bob).get(reverse("campaigns:people", args=[season.pk])).status_code == 200
    assert hers in playing(season)
    call_command("replay")


def test_longest_serving_player_becomes_the_organiser(season, hers, alice, dora, bob, charlie):
    Participant.objects.filter(user=bob).update(joined_at="2020-01-02T00:00Z")
    roles.follow(season, charlie)
    Participant.objects.filter(user=charlie).update(joined_at="2020-01-01T00:00Z")
    assert any("alice runs the campaign" in told for told in deletion.consequences(bob))
    before = snapshot_of(season)
    deletion.delete(bob)
    season = Campaign.objects.get()
    assert season.organisers == [alice]
    assert snapshot_of(season) == before
    assert Notice.objects.filter(user=alice, kind="organises_now").count() == 1


def test_second_organiser_stays_the_organiser(season, alice, bob):
    seat = season.participants.get(user=alice)
    roles.change_role(season, seat, ROLE.ORGANISER, expected_role="player", actor=bob)
    assert not any("runs the campaign" in told for told in deletion.consequences(bob))
    deletion.delete(bob)
    assert Campaign.objects.get().organisers == [alice]


def test_campaign_with_no_other_player_is_deleted(bob, alice):
    campaign = make_campaign(bob)
    mine, other = make_player(campaign, bob), make_player(campaign, bob)
    left = make_player(campaign, alice)
    game = confirmed(reported(make_game(campaign, bob, mine, other, left), bob), alice)
    assert game.status == "confirmed"
    joining.part(campaign, left, behind=True, actor=alice)
    roles.depart(campaign, alice, behind=())
    foretold = deletion.consequences(bob)
    assert any("is deleted: nobody else takes part" in told for told in foretold)
    assert any(told.startswith("These gangs are deleted") for told in foretold)
    deletion.delete(bob)
    assert not Campaign.objects.exists() and not Game.objects.exists()
    assert not Gang.objects.exists()


def test_placeholder_account_does_not_inherit_a_campaign(bob):
    campaign = make_campaign(bob)
    ghost = User.objects.create_user("ghost", stands_for="Ghost")
    campaign.participants.create(user=ghost)
    deletion.delete(bob)
    assert not Campaign.objects.exists()


def test_account_with_campaigns_gangs_and_variants_is_deleted(season, alice, bob, hers):
    other = make_campaign(alice)
    fresh = make_gang(alice, other.book.slug)
    joining.join(other, fresh, actor=alice, expected_version=fresh.version)
    Variant.objects.create(owner=alice, name="Ours", base=fresh.book_version)
    assert any("Your variants are deleted" in told for told in deletion.consequences(alice))
    deletion.delete(alice)
    assert Campaign.objects.get() == season
    assert Gang.objects.count() == 2


def test_failed_deletion_is_rolled_back(season, alice, monkeypatch):
    def breaks(user):
        raise RuntimeError

    monkeypatch.setattr(deletion, "_handlers", [*deletion._handlers, (breaks, lambda user: [])])
    with pytest.raises(RuntimeError):
        deletion.delete(alice)
    assert Gang.objects.filter(owner=alice).count() == 1
    assert season.participants.filter(user=alice).exists()
