"""Starting, joining and leaving a campaign."""

from __future__ import annotations

import uuid

import pytest
from django.urls import reverse

from campaigns import joining
from campaigns.models import Campaign, Membership
from gangs import ledger
from gangs.models import Gang
from gangs.refusal import Refusal
from rules.book import Book
from rules.library import load
from tests.campaigns.making import make_campaign, make_game, make_player
from tests.make import GOLD, POINTS, make_gang


def join_url(campaign: Campaign) -> str:
    return reverse("campaigns:join", args=[campaign.invite_key])


def test_starting_a_campaign(bob, as_user, gold):
    load(gold)
    browser = as_user(bob)
    assert browser.get(reverse("campaigns:choose-book")).status_code == 200
    url = reverse("campaigns:new", args=[GOLD])
    form = browser.get(url).context["form"]
    data = {f"option-{setting.key}": setting.default for setting in gold.settings}
    data |= {"name": "Spring", "token": str(form["token"].value()), "option-recruit_cap": "total"}
    for _ in range(2):
        answer = browser.post(url, data)
        campaign = Campaign.objects.get()
        assert answer.status_code == 302 and answer.url == campaign.get_absolute_url()
    assert campaign.settings["recruit_cap"] == "total"
    assert campaign.organiser == bob


def test_what_was_typed_is_kept(bob, as_user, gold):
    load(gold)
    url = reverse("campaigns:new", args=[GOLD])
    answer = as_user(bob).post(url, {"name": "", "notes": "On Fridays"})
    assert answer.status_code == 422
    assert "On Fridays" in answer.content.decode()


def test_joining_is_an_entry_and_no_copy(bob, alice, as_user, gold):
    campaign = make_campaign(bob, settings={"recruit_cap": "size"})
    gang = make_gang(alice, GOLD)
    browser = as_user(alice)
    page = browser.get(join_url(campaign))
    assert gang.name in page.content.decode()
    data = {"gang": str(gang.pk), f"seen-{gang.pk}": gang.version}
    assert browser.post(join_url(campaign), data).status_code == 302
    gang = Gang.objects.get()
    assert gang.roster.campaigns == (str(campaign.pk),)
    assert gang.roster.settings["recruit_cap"] == "size"
    assert gang.entries.live().last().kind == "joined"
    assert browser.post(join_url(campaign), data).status_code == 422
    assert Membership.objects.count() == 1


def test_a_stale_page_does_not_join(bob, alice, as_user):
    campaign = make_campaign(bob)
    gang = make_gang(alice, GOLD)
    answer = as_user(alice).post(
        join_url(campaign), {"gang": str(gang.pk), f"seen-{gang.pk}": gang.version - 1}
    )
    assert answer.status_code == 409
    assert not Membership.objects.exists()


def test_only_gangs_of_this_game_are_asked_for(bob, alice, as_user):
    campaign = make_campaign(bob)
    make_gang(alice, POINTS)
    page = as_user(alice).get(join_url(campaign))
    assert page.context["fit"] == [] and page.context["unfit"] == []
    assert "First you need a gang" in page.content.decode()


def test_another_edition_is_explained(bob, alice, as_user, gold):
    gang = make_gang(alice, GOLD)
    newer = load(Book.model_validate({**gold.model_dump(), "edition": "another"}))[0]
    campaign = joining.start(
        name="New", version=newer, settings={}, notes="", organiser=bob, token=uuid.uuid4()
    )
    page = as_user(alice).get(join_url(campaign)).content.decode()
    assert "another edition" in page
    with pytest.raises(Refusal, match="other_version"):
        joining.join(campaign, gang, actor=alice, seen=gang.version)


def test_one_campaign_at_a_time(bob, alice):
    gang = make_player(make_campaign(bob), alice)
    with pytest.raises(Refusal, match="in_another_campaign"):
        joining.join(make_campaign(bob), gang, actor=alice, seen=gang.version)


def test_a_gang_moves_on_from_an_archived_campaign(bob, alice, as_user):
    over = make_campaign(bob)
    gang = make_player(over, alice)
    as_user(bob).post(reverse("campaigns:archive", args=[over.pk]))
    gang = Gang.objects.get(pk=gang.pk)
    joining.join(make_campaign(bob), gang, actor=alice, seen=gang.version)
    assert len(Gang.objects.get().roster.campaigns) == 2


def test_an_old_link_leads_nowhere(bob, alice, as_user):
    campaign = make_campaign(bob)
    old = join_url(campaign)
    as_user(bob).post(reverse("campaigns:renew-invitation", args=[campaign.pk]))
    campaign.refresh_from_db()
    browser = as_user(alice)
    assert browser.get(old).status_code == 404
    assert browser.get(join_url(campaign)).status_code == 200


def test_leaving_strikes_the_entry(campaign, hers, alice, as_user):
    url = reverse("campaigns:leave", args=[campaign.pk, hers.pk])
    assert as_user(alice).post(url).status_code == 302
    hers.refresh_from_db()
    assert hers.roster.campaigns == ()
    assert not Membership.objects.exists()
    joining.join(campaign, Gang.objects.get(pk=hers.pk), actor=alice, seen=hers.version)


def test_who_has_a_game_stays(campaign, hers, theirs, alice, as_user):
    make_game(campaign, alice, hers, theirs)
    url = reverse("campaigns:leave", args=[campaign.pk, hers.pk])
    answer = as_user(alice).post(url, follow=True)
    assert "already has a game" in answer.content.decode()
    assert Membership.objects.filter(gang=hers).exists()


def test_a_campaign_is_left_from_its_own_page_only(campaign, hers, alice):
    batch = hers.entries.live().get(kind="joined").batch
    with pytest.raises(Refusal, match="joined_stays"):
        ledger.strike(hers, batch, seen=hers.version, actor=alice)
    joining.leave(campaign, hers, actor=alice)
    hers = Gang.objects.get(pk=hers.pk)
    assert hers.roster.campaigns == () and not Membership.objects.exists()
    with pytest.raises(Refusal, match="joined_stays"):
        ledger.restore(hers, hers.strikes.get(), seen=hers.version)
    joining.join(campaign, hers, actor=alice, seen=hers.version)
    assert Gang.objects.get(pk=hers.pk).roster.campaigns == (str(campaign.pk),)
    assert Membership.objects.count() == 1


def test_settings_stand_once_somebody_joined(campaign, hers, bob, as_user):
    url = reverse("campaigns:settings", args=[campaign.pk])
    browser = as_user(bob)
    assert browser.get(url).status_code == 200
    answer = browser.post(
        url,
        {"name": "Renamed", "notes": "", "token": str(uuid.uuid4()), "option-recruit_cap": "total"},
    )
    assert answer.status_code == 302
    campaign.refresh_from_db()
    assert campaign.name == "Renamed"
    assert campaign.settings["recruit_cap"] == "session"


def test_an_archived_campaign_takes_nobody(campaign, bob, alice, as_user):
    browser = as_user(bob)
    url = reverse("campaigns:archive", args=[campaign.pk])
    browser.post(url)
    campaign.refresh_from_db()
    gang = make_gang(alice, GOLD)
    with pytest.raises(Refusal, match="campaign_archived"):
        joining.join(campaign, gang, actor=alice, seen=gang.version)
    page = as_user(alice).get(join_url(campaign)).content.decode()
    assert "is over" in page
    browser.post(url)
    campaign.refresh_from_db()
    assert campaign.archived_at is None
