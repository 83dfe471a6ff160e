"""Upgrading a campaign with all its gangs to other rules, and back."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client

from accounts.models import User
from campaigns.club.people import joining
from campaigns.club.upgrades import whole_campaign
from campaigns.club.upgrades.whole_campaign import affected_campaigns
from campaigns.models import Campaign, CampaignUpgrade
from campaigns.postgames import drafts
from common.errors import Refusal, Stale
from gangs.engine import entries as kinds
from gangs.ledger import writer
from gangs.models import Gang
from rules.library import load
from rules.models import BookVersion
from tests.gangs.other_rules import other
from tests.gangs.versions.test_upgrade_pages import go_over, last_batch, newer
from tests.world.campaigns import (
    answered,
    confirmed,
    make_campaign,
    make_game,
    make_player,
    reported,
    side_of,
)
from tests.world.gangs import GOLD, POINTS, make_gang, make_version, shipped

AsUser = Callable[[User], Client]


@pytest.fixture
def out(campaign: Campaign, hers: Gang, theirs: Gang) -> BookVersion:
    """A newer version, loaded after both gangs had joined."""
    campaign.refresh_from_db()
    return load(newer(shipped(GOLD)))[0]


def upgrade(campaign: Campaign, version: BookVersion) -> CampaignUpgrade:
    campaign.refresh_from_db()
    whole_campaign.upgrade(
        campaign,
        version,
        actor=campaign.organisers[0],
        expected_version=campaign.version,
        token=uuid.uuid4(),
    )
    campaign.refresh_from_db()
    return campaign.upgrades.all()[0]


def take_back(done: CampaignUpgrade) -> None:
    campaign = Campaign.objects.get(pk=done.campaign_id)
    whole_campaign.take_back(done, actor=campaign.organisers[0], expected_version=campaign.version)


def fresh(*gangs: Gang) -> list[Gang]:
    return [Gang.objects.get(pk=gang.pk) for gang in gangs]


def test_upgrade_switches_all_gangs_and_can_be_undone(
    campaign: Campaign, hers: Gang, theirs: Gang, out: BookVersion
) -> None:
    before = campaign.book_version_id
    done = upgrade(campaign, out)
    assert campaign.book_version_id == out.pk
    for gang in fresh(hers, theirs):
        assert gang.book_version_id == out.pk and last_batch(gang) == done.batch
        assert gang.entries.latest("seq").actor == campaign.organisers[0]
        assert {**gang.roster.settings, **campaign.settings} == gang.roster.settings
    take_back(done)
    campaign.refresh_from_db()
    assert campaign.book_version_id == before
    assert [gang.roster for gang in fresh(hers, theirs)] == [hers.roster, theirs.roster]
    assert [gang.book_version_id for gang in fresh(hers, theirs)] == [before, before]
    call_command("replay")


def test_upgrade_adds_new_options_and_undo_removes_them(
    campaign: Campaign, hers: Gang, theirs: Gang
) -> None:
    book = shipped(GOLD)
    data = book.model_dump(mode="json")
    extra = {
        **next(row for row in data["settings"] if row["kind"] == "choice"),
        "key": "weather",
    }
    version = load(other(book, settings=[*data["settings"], extra]))[0]
    agreed = dict(campaign.settings)
    done = upgrade(campaign, version)
    assert campaign.settings == {**agreed, "weather": extra["default"]}
    assert all(gang.roster.settings == campaign.settings for gang in fresh(hers, theirs))
    take_back(done)
    campaign.refresh_from_db()
    assert campaign.settings == agreed
    assert all(gang.roster.settings == agreed for gang in fresh(hers, theirs))


def test_only_the_last_upgrade_can_be_undone(campaign: Campaign, out: BookVersion) -> None:
    first = upgrade(campaign, out)
    second = upgrade(campaign, load(other(shipped(GOLD), 2))[0])
    with pytest.raises(Refusal, match="later_upgrade"):
        take_back(first)
    take_back(second)
    with pytest.raises(Refusal, match="later_upgrade"):
        take_back(second)
    take_back(first)
    assert Campaign.objects.get().book_version == make_version(GOLD)


def test_player_cannot_upgrade_or_undo_a_gang_in_a_campaign(
    campaign: Campaign, hers: Gang, out: BookVersion, as_user: AsUser
) -> None:
    alices = as_user(hers.owner)
    base = hers.get_absolute_url()
    assert "its organiser switches all gangs" in alices.get(base + "upgrade/").content.decode()
    data = {"version": hers.version, "token": "one", "book": out.pk}
    assert alices.post(base + "upgrade/", data).status_code == 422
    done = upgrade(campaign, out)
    [gang] = fresh(hers)
    page = alices.get(base + "history/").content.decode()
    assert str(done.batch) not in page
    answer = alices.post(f"{base}history/{done.batch}/", {"version": gang.version})
    assert answer.status_code == 422 and fresh(hers)[0].book_version_id == out.pk
    answer = alices.post(base + "undo/", {"version": gang.version})
    assert answer.status_code == 422 and fresh(hers)[0].book_version_id == out.pk


def test_player_cannot_undo_an_upgrade_from_before_joining(
    campaign: Campaign, alice: User, out: BookVersion
) -> None:
    upgrade(campaign, out)
    gang = Gang.objects.get(pk=make_gang(alice, GOLD).pk)
    assert gang.book_version_id == make_version(GOLD).pk
    with pytest.raises(Refusal, match="other_version"):
        joining.join(campaign, gang, actor=alice, expected_version=gang.version)
    go_over(gang, out)
    batch = last_batch(gang)
    joining.join(campaign, gang, actor=alice, expected_version=gang.version)
    with pytest.raises(Refusal, match="campaign_decides"):
        writer.strike(gang, batch, expected_version=gang.version, actor=alice)


def test_owner_can_undo_the_upgrade_when_the_campaign_is_archived(
    campaign: Campaign, hers: Gang, out: BookVersion, alice: User
) -> None:
    done = upgrade(campaign, out)
    joining.archive(campaign)
    [gang] = fresh(hers)
    writer.strike(gang, done.batch, expected_version=gang.version, actor=alice)
    assert gang.book_version_id == gang.founded_with_id
    # The campaign cannot reopen until the gang has its rules again.
    campaign.refresh_from_db()
    with pytest.raises(Refusal, match="other_rules_since"):
        joining.reopen(campaign)
    campaign.refresh_from_db()
    assert campaign.archived_at is not None


def test_upgrade_waits_until_all_games_are_settled(
    campaign: Campaign, hers: Gang, theirs: Gang, out: BookVersion, alice: User, dora: User
) -> None:
    game = make_game(campaign, alice, hers, theirs)
    first = upgrade(campaign, out)
    game = reported(game, alice)
    with pytest.raises(Refusal, match="games_unsettled"):
        take_back(first)
    confirmed(game, dora)
    for gang, user in ((hers, alice), (theirs, dora)):
        with pytest.raises(Refusal, match="games_unsettled"):
            upgrade(campaign, make_version(GOLD))
        side = answered(side_of(game, gang))
        drafts.commit(side, seen_draft=side.draft_version, seen_gang=side.gang.version, actor=user)
    campaign.refresh_from_db()
    second = upgrade(campaign, make_version(GOLD))
    take_back(second)
    call_command("replay")


def test_archived_campaign_cannot_be_upgraded(campaign: Campaign, out: BookVersion) -> None:
    joining.archive(campaign)
    campaign.refresh_from_db()
    with pytest.raises(Refusal, match="campaign_archived"):
        upgrade(campaign, out)


def test_upgrade_refuses_another_game_and_the_same_rules(campaign: Campaign) -> None:
    with pytest.raises(Refusal, match="other_game"):
        upgrade(campaign, make_version(POINTS))
    campaign.refresh_from_db()
    with pytest.raises(Refusal, match="same_rules"):
        upgrade(campaign, campaign.book_version)


def test_upgrade_cannot_be_undone_when_a_gang_has_joined_since(
    campaign: Campaign, out: BookVersion, charlie: User
) -> None:
    done = upgrade(campaign, out)
    gang = make_gang(charlie, GOLD)
    go_over(gang, out)
    joining.join(campaign, gang, actor=charlie, expected_version=gang.version)
    with pytest.raises(Refusal, match="joined_since"):
        take_back(done)
    # Switching back to the older rules is another upgrade and includes every gang.
    campaign.refresh_from_db()
    upgrade(campaign, make_version(GOLD))
    assert {gang.book_version_id for gang in Gang.objects.all()} == {campaign.book_version_id}


# Pages


def page_of(campaign: Campaign) -> str:
    return f"{campaign.get_absolute_url()}upgrade/"


@pytest.mark.long
def test_upgrade_page_lists_changes_and_upgrades_once(
    campaign: Campaign, hers: Gang, theirs: Gang, out: BookVersion, bob: User, as_user: AsUser
) -> None:
    bobs = as_user(bob)
    assert page_of(campaign) in bobs.get(campaign.get_absolute_url()).content.decode()
    assert (
        page_of(campaign)
        not in as_user(hers.owner).get(campaign.get_absolute_url()).content.decode()
    )
    page = bobs.get(page_of(campaign)).content.decode()
    assert "2 gangs change" in page and hers.name in page
    data = {"version": campaign.version, "token": uuid.uuid4().hex, "book": out.pk}
    assert bobs.post(page_of(campaign), data).status_code == 302
    # Sending the same form again makes no second upgrade.
    assert bobs.post(page_of(campaign), data).status_code == 302
    assert CampaignUpgrade.objects.count() == 1
    assert {gang.book_version_id for gang in fresh(hers, theirs)} == {out.pk}
    # A stale page changes nothing.
    data["token"] = uuid.uuid4().hex
    data["book"] = make_version(GOLD).pk
    assert bobs.post(page_of(campaign), data).status_code == 409
    # The campaign's page still opens, and the upgrade can be undone.
    assert bobs.get(campaign.get_absolute_url()).status_code == 200
    assert "Undo that in all gangs" in bobs.get(page_of(campaign)).content.decode()
    done = CampaignUpgrade.objects.get()
    campaign.refresh_from_db()
    back = f"{page_of(campaign)}{done.pk}/back/"
    assert bobs.post(back, {"version": campaign.version - 1}).status_code == 409
    assert bobs.post(back, {"version": campaign.version}).status_code == 302
    campaign.refresh_from_db()
    assert campaign.book_version_id == make_version(GOLD).pk


def test_undo_lists_entries_that_would_no_longer_fit(
    campaign: Campaign, hers: Gang, out: BookVersion, bob: User, alice: User, as_user: AsUser
) -> None:
    done = upgrade(campaign, out)
    [gang] = fresh(hers)
    entry = kinds.Bought(item="new-sabre", paid=0)
    writer.append(gang, [entry], expected_version=gang.version, actor=alice)
    back = f"{page_of(campaign)}{done.pk}/back/"
    answer = as_user(bob).post(back, {"version": campaign.version})
    assert answer.status_code == 422
    assert "Sabre" in answer.content.decode() and gang.name in answer.content.decode()
    assert {gang.book_version_id for gang in Gang.objects.all()} == {out.pk}
    campaign.refresh_from_db()
    assert campaign.book_version_id == out.pk


def test_upgrade_page_is_hidden_from_everybody_but_organisers(
    campaign: Campaign, hers: Gang, out: BookVersion, alice: User, charlie: User, as_user: AsUser
) -> None:
    done = upgrade(campaign, out)
    back = f"{page_of(campaign)}{done.pk}/back/"
    for user in (alice, charlie):
        assert as_user(user).get(page_of(campaign)).status_code == 404
        assert as_user(user).post(page_of(campaign)).status_code == 404
        assert as_user(user).post(back).status_code == 404
    assert Client().get(page_of(campaign)).status_code == 302


def test_join_page_offers_the_upgrade(
    campaign: Campaign, out: BookVersion, charlie: User, as_user: AsUser
) -> None:
    upgrade(campaign, out)
    gang = make_gang(charlie, GOLD)
    charlies = as_user(charlie)
    page = charlies.get(f"/campaigns/join/{campaign.invite_key}/").content.decode()
    link = f"{gang.get_absolute_url()}upgrade/?version={out.pk}"
    assert link in page
    assert "Switch to this version" in charlies.get(link).content.decode()


def test_publisher_sees_changes_only_in_their_own_campaigns(
    campaign: Campaign, hers: Gang, theirs: Gang, bob: User, alice: User
) -> None:
    digests = frozenset([campaign.book_version_id])
    [one] = affected_campaigns(digests, other(shipped(GOLD), 2), bob)
    assert one.name == campaign.name and one.changes[0].startswith("2 gangs change")
    assert not list(affected_campaigns(digests, shipped(GOLD), bob))
    assert not list(affected_campaigns(digests, other(shipped(GOLD), 2), alice))


@pytest.mark.django_db(transaction=True)
def test_only_one_of_several_upgrades_at_the_same_time_succeeds() -> None:
    user = User.objects.create_user("racer")
    campaign = make_campaign(user)
    gang = make_player(campaign, user)
    versions = [load(other(shipped(GOLD), dearer))[0] for dearer in (1, 2, 3)]
    expected_version = Campaign.objects.get(pk=campaign.pk).version
    outcomes: list[str] = []
    start = threading.Barrier(3)

    def race(version: BookVersion) -> None:
        try:
            mine = Campaign.objects.get(pk=campaign.pk)
            start.wait()
            whole_campaign.upgrade(
                mine, version, actor=user, expected_version=expected_version, token=uuid.uuid4()
            )
            outcomes.append("won")
        except Stale:
            outcomes.append("stale")
        finally:
            connection.close()

    threads = [threading.Thread(target=race, args=(version,)) for version in versions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["stale", "stale", "won"]
    campaign.refresh_from_db()
    assert Gang.objects.get(pk=gang.pk).book_version_id == campaign.book_version_id
