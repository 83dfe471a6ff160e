"""Gangs that stop playing: retired by their player, by an organiser, or by being archived."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.urls import reverse
from django.utils import timezone

from accounts.models import Notice
from accounts.notices import describe
from campaigns.access import playing
from campaigns.club.nights import questions, schedule
from campaigns.club.people import joining
from campaigns.club.planning import plans
from campaigns.files import importing
from campaigns.files.exporting import export_campaign
from campaigns.files.reading import read_file
from campaigns.games.captives import bargains
from campaigns.models import Campaign, Membership
from campaigns.season.loading import load_season
from campaigns.statistics.standings import season_rows
from common.errors import Refusal
from gangs import hooks
from gangs.models import Gang
from tests.world.campaigns import confirmed, make_game, make_night, reported
from tests.world.gangs import make_gang


def url(name, campaign, *more):
    return reverse(f"campaigns:{name}", args=[campaign.pk, *more])


def sentences(user):
    return [describe(notice) for notice in Notice.objects.filter(user=user)]


def kinds(user):
    return [notice.kind for notice in Notice.objects.filter(user=user)]


def test_retired_gang_is_no_longer_paired_or_asked(campaign, hers, theirs, alice, bob, as_user):
    night = make_night(campaign)
    browser = as_user(alice)
    for _twice in range(2):
        assert browser.post(url("retire", campaign, hers.pk)).status_code == 302
    assert [gang.pk for gang in playing(campaign)] == [theirs.pk]
    with pytest.raises(Refusal, match="gang_not_here"):
        make_game(campaign, bob, hers, theirs)
    with pytest.raises(Refusal, match="gang_not_here"):
        schedule.answer(night, hers, "yes", actor=alice)
    assert not questions.memberships_of(alice)
    page = as_user(bob).get(reverse("campaigns:night-pairings", args=[night.pk]))
    assert f'value="{hers.pk}"' not in page.content.decode()
    assert kinds(bob).count("gang_retired") == 1
    assert "retired on" in as_user(bob).get(url("people", campaign)).content.decode()


def test_history_of_a_retired_gang_stays(campaign, hers, theirs, alice, dora):
    confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    joining.retire(campaign, hers, actor=alice)
    season = load_season(campaign.pk).season
    rows = {row.gang: row for row in season_rows(season)}
    assert rows[str(hers.pk)].gone and not rows[str(theirs.pk)].gone
    assert rows[str(hers.pk)].won == 1
    gang = Gang.objects.get(pk=hers.pk)
    assert gang.owner == alice and str(campaign.pk) in gang.roster.campaigns


def test_chronicle_says_that_a_gang_stopped_playing(campaign, hers, alice, as_user):
    joining.retire(campaign, hers, actor=alice)
    page = as_user(alice).get(url("chronicle", campaign)).content.decode()
    assert f"{hers.name} stopped playing." in page


def test_retired_gang_comes_back(campaign, hers, alice, bob, as_user):
    joining.retire(campaign, hers, actor=alice)
    browser = as_user(bob)
    for _twice in range(2):
        assert browser.post(url("retire", campaign, hers.pk), {"back": "1"}).status_code == 302
    assert [gang.pk for gang in playing(campaign)] == [hers.pk]
    assert kinds(alice).count("gang_returned") == 1


def test_only_its_player_and_organisers_retire_a_gang(campaign, hers, theirs, dora, as_user):
    assert as_user(dora).post(url("retire", campaign, hers.pk)).status_code == 404
    assert not Membership.objects.exclude(retired_at=None).exists()


def test_organisers_read_how_many_games_are_left_open(campaign, hers, theirs, alice, bob):
    make_game(campaign, alice, hers, theirs)
    joining.retire(campaign, hers, actor=alice)
    assert "open games (1)" in sentences(bob)[0]


def test_answers_before_retiring_still_count(campaign, hers, theirs, alice):
    night = make_night(campaign)
    schedule.answer(night, hers, "yes", actor=alice)
    # The night has been since.
    night.starts_at = timezone.now() - timedelta(days=1)
    night.save()
    joining.retire(campaign, hers, actor=alice)
    came = {guest.gang.pk: guest.answer for guest in schedule.guests(night, playing(campaign))}
    assert came[hers.pk] == "yes"


def test_hand_over_lets_a_retired_gang_play_again(campaign, hers, theirs, alice, dora, bob):
    joining.retire(campaign, hers, actor=alice)
    joining.hand_over(campaign, hers, dora, expected_owner=alice.pk, actor=bob)
    assert hers in playing(campaign)


# Archiving


def archive(browser, gang, **data):
    return browser.post(reverse("gangs:archive", args=[gang.pk]), data)


def test_archiving_a_gang_that_plays_asks_first(campaign, hers, theirs, alice, bob, as_user):
    game = make_game(campaign, alice, hers, theirs)
    answer = archive(as_user(alice), hers)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert campaign.name in page and game.get_absolute_url() in page
    assert Gang.objects.get(pk=hers.pk).archived_at is None
    assert hers in playing(campaign)


def test_archived_gang_retires_and_the_organiser_gets_a_notice(campaign, hers, alice, bob, as_user):
    assert archive(as_user(alice), hers, sure="1").status_code == 302
    assert Gang.objects.get(pk=hers.pk).archived_at is not None
    assert playing(campaign) == []
    assert sentences(bob)[0].startswith("alice has retired")
    assert archive(as_user(alice), hers, back="1").status_code == 302
    assert playing(campaign) == [], "it stays retired until somebody lets it play again"


def test_gang_that_joins_while_its_owner_archives_it_is_not_archived_unasked(
    campaign, alice, as_user, monkeypatch
):
    gang = make_gang(alice, campaign.book.slug)
    plays_in = hooks.oversight.plays_in

    def join_after_the_look(looked_at):
        found = plays_in(looked_at)
        if not campaign.memberships.filter(gang=gang).exists():
            joining.join(campaign, gang, actor=alice, expected_version=gang.version)
        return found

    monkeypatch.setattr(hooks.oversight, "plays_in", join_after_the_look)
    answer = archive(as_user(alice), gang)
    assert answer.status_code == 422 and campaign.name in answer.content.decode()
    assert Gang.objects.get(pk=gang.pk).archived_at is None
    assert gang in playing(campaign)


def test_archived_gang_cannot_come_back_before_it_leaves_the_archive(
    campaign, hers, alice, as_user
):
    archive(as_user(alice), hers, sure="1")
    with pytest.raises(Refusal, match="gang_archived"):
        joining.bring_back(campaign, hers, actor=alice)


def test_gang_that_does_not_play_is_archived_without_a_question(campaign, hers, alice, as_user):
    joining.archive(campaign)
    assert archive(as_user(alice), hers).status_code == 302
    joining.reopen(campaign)
    assert playing(campaign) == []


def test_archiving_means_the_same_for_captives_and_for_pairing(
    campaign, hers, theirs, alice, as_user
):
    """Both leave out retired gangs, archived or not."""
    joining.retire(campaign, hers, actor=alice)
    found = bargains.prisoners(campaign)
    assert hers.pk not in {prisoner.gang.pk for prisoner in found}
    assert not Membership.objects.playing().filter(gang=hers).exists()
    with pytest.raises(Refusal):
        plans.plan(
            campaign,
            [hers, theirs],
            plans.Plan(timezone.localdate()),
            actor=alice,
            token=uuid.uuid4(),
        )


# Files


def test_file_of_a_campaign_keeps_retired_gangs_and_conditions(campaign, hers, theirs, bob, alice):
    joining.retire(campaign, hers, actor=alice)
    Campaign.objects.filter(pk=campaign.pk).update(
        joining="approval", legal_only=True, least_members=3
    )
    copy = imported(export_campaign(Campaign.objects.get()), bob)
    assert (copy.joining, copy.legal_only, copy.least_members) == ("approval", True, 3)
    retired = copy.memberships.exclude(retired_at=None).get()
    assert retired.retired_at == Membership.objects.get(gang=hers).retired_at


def test_file_of_an_open_campaign_stays_readable_for_older_sites(campaign, hers):
    text = export_campaign(campaign)
    assert b"retired_at" not in text and b"joining" not in text
    joining.retire(campaign, hers, actor=hers.owner)
    assert json.loads(export_campaign(campaign))["format_version"] > 1


def test_archived_gang_of_an_older_file_is_retired(campaign, hers, bob):
    Gang.objects.filter(pk=hers.pk).update(archived_at=timezone.now())
    copy = imported(export_campaign(campaign), bob)
    assert copy.memberships.get().retired_at is not None


def imported(content, user):
    """Read a campaign's file as another campaign."""
    return importing.write_campaign(
        read_file(content), importer=user, own_place=None, token=uuid.uuid4()
    )


def test_migration_retires_gangs_that_were_archived_without_leaving(campaign, hers, theirs, bob):
    archived_at = timezone.now() - timedelta(days=3)
    Gang.objects.filter(pk=hers.pk).update(archived_at=archived_at)
    migration = import_module("campaigns.migrations.0016_admission")
    migration.retire_archived(apps, None)
    assert Membership.objects.get(gang=hers).retired_at == archived_at
    assert Membership.objects.get(gang=theirs).retired_at is None
