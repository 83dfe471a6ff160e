"""Starting, joining and leaving a campaign."""

from __future__ import annotations

import uuid

import pytest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from campaigns.club.people import joining
from campaigns.models import Campaign, Membership
from common.errors import Refusal
from gangs.engine.validation import findings
from gangs.ledger import writer
from gangs.models import Gang
from rules.book.model import Book
from rules.library import load
from tests.world.campaigns import make_campaign, make_game, make_player
from tests.world.gangs import GOLD, POINTS, make_gang


def join_url(campaign: Campaign) -> str:
    return reverse("campaigns:join", args=[campaign.invite_key])


def test_starting_a_campaign_twice_creates_a_single_campaign(bob, as_user, gold):
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
    assert campaign.organisers == [bob]


def test_rejected_form_keeps_the_typed_text(bob, as_user, gold):
    load(gold)
    url = reverse("campaigns:new", args=[GOLD])
    answer = as_user(bob).post(url, {"name": "", "notes": "On Fridays"})
    assert answer.status_code == 422
    assert "On Fridays" in answer.content.decode()


def test_joining_adds_an_entry_and_copies_no_gang(bob, alice, as_user, gold):
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
    assert browser.post(join_url(campaign), data).status_code == 302
    assert gang.entries.live().filter(kind="joined").count() == 1
    assert Membership.objects.count() == 1


def test_joining_from_a_stale_page_is_refused(bob, alice, as_user):
    campaign = make_campaign(bob)
    gang = make_gang(alice, GOLD)
    answer = as_user(alice).post(
        join_url(campaign), {"gang": str(gang.pk), f"seen-{gang.pk}": gang.version - 1}
    )
    assert answer.status_code == 409
    assert not Membership.objects.exists()


def test_join_page_offers_only_gangs_of_the_same_game(bob, alice, as_user):
    campaign = make_campaign(bob)
    make_gang(alice, POINTS)
    page = as_user(alice).get(join_url(campaign))
    assert page.context["fit"] == [] and page.context["unfit"] == []
    assert "First you need a gang" in page.content.decode()


def test_join_page_explains_a_gang_of_another_edition(bob, alice, as_user, gold):
    gang = make_gang(alice, GOLD)
    newer = load(Book.model_validate({**gold.model_dump(), "edition": "another"}))[0]
    campaign = joining.start(
        name="New", version=newer, settings={}, notes="", organiser=bob, token=uuid.uuid4()
    )
    page = as_user(alice).get(join_url(campaign)).content.decode()
    assert "a different edition" in page
    with pytest.raises(Refusal, match="other_version"):
        joining.join(campaign, gang, actor=alice, expected_version=gang.version)


def test_gang_plays_in_a_single_campaign_at_a_time(bob, alice):
    gang = make_player(make_campaign(bob), alice)
    with pytest.raises(Refusal, match="in_another_campaign"):
        joining.join(make_campaign(bob), gang, actor=alice, expected_version=gang.version)


def test_gang_can_join_another_campaign_after_the_first_is_archived(bob, alice, as_user):
    over = make_campaign(bob)
    gang = make_player(over, alice)
    as_user(bob).post(reverse("campaigns:archive", args=[over.pk]))
    gang = Gang.objects.get(pk=gang.pk)
    joining.join(make_campaign(bob), gang, actor=alice, expected_version=gang.version)
    assert len(Gang.objects.get().roster.campaigns) == 2


def test_renewed_link_replaces_the_old_link(bob, alice, as_user):
    campaign = make_campaign(bob)
    old = join_url(campaign)
    as_user(bob).post(reverse("campaigns:renew-invitation", args=[campaign.pk]))
    campaign.refresh_from_db()
    browser = as_user(alice)
    assert browser.get(old).status_code == 404
    assert browser.get(join_url(campaign)).status_code == 200


def test_leaving_strikes_the_entry_of_joining(campaign, hers, alice, as_user):
    url = reverse("campaigns:leave", args=[campaign.pk, hers.pk])
    assert as_user(alice).post(url).status_code == 302
    hers.refresh_from_db()
    assert hers.roster.campaigns == ()
    assert not Membership.objects.exists()
    joining.join(campaign, Gang.objects.get(pk=hers.pk), actor=alice, expected_version=hers.version)


def test_gang_with_a_game_cannot_simply_leave(campaign, hers, theirs, alice, as_user):
    make_game(campaign, alice, hers, theirs)
    url = reverse("campaigns:leave", args=[campaign.pk, hers.pk])
    assert as_user(alice).post(url).status_code == 422
    with pytest.raises(Refusal, match="has_games"):
        joining.leave(campaign, hers, actor=alice)
    assert Membership.objects.filter(gang=hers, left_at=None).exists()


def test_organiser_cannot_remove_a_gang_with_a_game(campaign, hers, theirs, bob, alice, as_user):
    make_game(campaign, alice, hers, theirs)
    answer = as_user(bob).post(reverse("campaigns:leave", args=[campaign.pk, hers.pk]))
    assert answer.status_code == 422
    assert "already has a game" in answer.content.decode()


def test_entry_of_joining_cannot_be_undone_from_the_history(campaign, hers, alice):
    batch = hers.entries.live().get(kind="joined").batch
    with pytest.raises(Refusal, match="joined_stays"):
        writer.strike(hers, batch, expected_version=hers.version, actor=alice)
    joining.leave(campaign, hers, actor=alice)
    hers = Gang.objects.get(pk=hers.pk)
    assert hers.roster.campaigns == () and not Membership.objects.exists()
    with pytest.raises(Refusal, match="joined_stays"):
        writer.revise(hers, undoes=hers.strikes.get(), expected_version=hers.version)
    joining.join(campaign, hers, actor=alice, expected_version=hers.version)
    assert Gang.objects.get(pk=hers.pk).roster.campaigns == (str(campaign.pk),)
    assert Membership.objects.count() == 1


def test_options_are_fixed_when_a_gang_has_joined(campaign, hers, bob, as_user):
    url = reverse("campaigns:settings", args=[campaign.pk])
    browser = as_user(bob)
    assert browser.get(url).status_code == 200
    answer = browser.post(
        url,
        settings_data(browser, campaign, name="Renamed") | {"option-recruit_cap": "total"},
    )
    assert answer.status_code == 302
    campaign.refresh_from_db()
    assert campaign.name == "Renamed"
    assert campaign.settings["recruit_cap"] == "session"


def test_archived_campaign_cannot_be_joined(campaign, bob, alice, as_user):
    browser = as_user(bob)
    url = reverse("campaigns:archive", args=[campaign.pk])
    browser.post(url)
    campaign.refresh_from_db()
    gang = make_gang(alice, GOLD)
    with pytest.raises(Refusal, match="campaign_archived"):
        joining.join(campaign, gang, actor=alice, expected_version=gang.version)
    page = as_user(alice).get(join_url(campaign)).content.decode()
    assert "is over" in page
    browser.post(url, {"back": "1"})
    campaign.refresh_from_db()
    assert campaign.archived_at is None


def test_archiving_and_reopening_twice_change_nothing_more(campaign, bob, as_user):
    browser = as_user(bob)
    url = reverse("campaigns:archive", args=[campaign.pk])
    browser.post(url)
    campaign.refresh_from_db()
    archived = campaign.archived_at
    browser.post(url)
    campaign.refresh_from_db()
    assert campaign.archived_at == archived is not None
    for _ in range(2):
        browser.post(url, {"back": "1"})
        campaign.refresh_from_db()
        assert campaign.archived_at is None


def test_campaign_cannot_reopen_while_its_gang_plays_elsewhere(campaign, hers, bob, alice, as_user):
    joining.archive(campaign)
    other = make_campaign(bob)
    joining.join(other, hers, actor=alice, expected_version=hers.version)
    browser = as_user(bob)
    url = reverse("campaigns:archive", args=[campaign.pk])
    answer = browser.post(url, {"back": "1"}, follow=True)
    assert f"{hers.name} now plays in another campaign" in answer.content.decode()
    campaign.refresh_from_db()
    assert campaign.archived_at is not None
    joining.archive(other)
    browser.post(url, {"back": "1"})
    campaign.refresh_from_db()
    assert campaign.archived_at is None


def settings_data(browser, campaign, **values):
    """Return the form's data as a browser sends it when only ``values`` change."""
    form = browser.get(reverse("campaigns:settings", args=[campaign.pk])).context["form"]
    data = {field.html_name: str(field.value() or "") for field in form}
    return data | {"seen": Campaign.objects.get(pk=campaign.pk).version} | values


def test_stale_settings_page_overwrites_nothing(campaign, bob, as_user):
    browser = as_user(bob)
    url = reverse("campaigns:settings", args=[campaign.pk])
    old = settings_data(browser, campaign, name="The other tab")
    assert f'name="seen" value="{campaign.version}"' in browser.get(url).content.decode()
    new = settings_data(browser, campaign, notes="Fridays") | {"option-recruit_cap": "total"}
    assert browser.post(url, new).status_code == 302
    answer = browser.post(url, old)
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "in the meantime" in page and 'value="The other tab"' in page
    campaign.refresh_from_db()
    assert (campaign.name, campaign.notes) == ("The long winter", "Fridays")
    assert campaign.settings["recruit_cap"] == "total"
    assert browser.post(url, old | {"seen": campaign.version}).status_code == 302


def test_options_are_kept_when_a_gang_joins_while_they_are_edited(campaign, bob, alice, as_user):
    browser = as_user(bob)
    url = reverse("campaigns:settings", args=[campaign.pk])
    old = settings_data(browser, campaign) | {"option-recruit_cap": "total"}
    gang = make_player(campaign, alice)
    assert browser.post(url, old).status_code == 409
    campaign.refresh_from_db()
    assert campaign.settings["recruit_cap"] == "session" == gang.roster.settings["recruit_cap"]


def test_page_without_options_does_not_reset_them(bob, alice, as_user):
    """The page was opened while the options were fixed; the gang has left since."""
    campaign = make_campaign(bob, settings={"recruit_cap": "total"})
    gang = make_player(campaign, alice)
    browser = as_user(bob)
    url = reverse("campaigns:settings", args=[campaign.pk])
    old = {
        key: value
        for key, value in settings_data(browser, campaign, name="New").items()
        if not key.startswith("option-")
    }
    joining.leave(campaign, gang, actor=alice)
    assert browser.post(url, old).status_code == 409
    campaign.refresh_from_db()
    assert campaign.settings["recruit_cap"] == "total"


def test_joining_gang_gets_the_current_options(campaign, bob, alice, as_user):
    """The campaign object was loaded before its options were changed."""
    read_before = Campaign.objects.get(pk=campaign.pk)
    joining.change(
        campaign,
        name="N",
        notes="",
        settings=campaign.settings | {"recruit_cap": "total"},
        expected_version=0,
    )
    gang = make_player(read_before, alice)
    assert gang.roster.settings["recruit_cap"] == "total"


def test_join_page_lists_errors_that_a_gang_would_have(bob, alice, as_user):
    """A gang that was built under other options may join all the same."""
    campaign = make_campaign(bob, "au-un-pour-un", settings={"budget": 60})
    gang = make_gang(alice, "au-un-pour-un")
    assert all(found.severity != "error" for found in findings(gang.book, gang.roster))
    wrong = joining.mistakes(campaign, gang)
    assert wrong
    page = as_user(alice).get(join_url(campaign)).content.decode()
    assert f"{gang.name} – {len(wrong)} error" in page
    assert escape(wrong[0].translated("en")) in page
    joining.join(campaign, gang, actor=alice, expected_version=gang.version)
    gang = Gang.objects.get(pk=gang.pk)
    now = findings(gang.book, gang.roster)
    assert [found for found in now if found.severity == "error"] == wrong
    easy = as_user(alice).get(join_url(make_campaign(bob, "au-un-pour-un"))).content.decode()
    assert "mistake" not in easy


def test_organiser_is_not_invited_by_themselves(bob, alice, as_user):
    campaign = make_campaign(bob)
    assert "bob invites you" in as_user(alice).get(join_url(campaign)).content.decode()
    page = as_user(bob).get(join_url(campaign)).content.decode()
    assert "invites you" not in page and "You run this campaign" in page
    # The campaign's page shows the complete address, to be copied.
    page = as_user(bob).get(campaign.get_absolute_url()).content.decode()
    whole = f'id="invitation">http://testserver{join_url(campaign)}</p>'
    assert whole in page and 'data-copy="invitation" hidden' in page


def test_captives_tab_is_shown_only_for_games_with_captives(bob, as_user):
    for slug, link in (("blackwater-gulch", True), ("cran", False)):
        campaign = make_campaign(bob, slug)
        page = as_user(bob).get(campaign.get_absolute_url()).content.decode()
        assert (reverse("campaigns:captives", args=[campaign.pk]) in page) is link


def test_player_brings_another_gang_without_an_invitation(campaign, hers, alice, charlie, as_user):
    """The campaign's page offers it when the player has no gang there any more."""
    browser, url = as_user(alice), reverse("campaigns:join-again", args=[campaign.pk])
    front, people = campaign.get_absolute_url(), reverse("campaigns:people", args=[campaign.pk])
    assert url not in browser.get(front).content.decode()
    assert url in browser.get(people).content.decode()
    campaign.memberships.filter(gang=hers).update(left_at=timezone.now())
    assert url in browser.get(front).content.decode()
    other = make_gang(alice, campaign.book.slug, name="The second")
    page = browser.get(url).content.decode()
    assert "bring another gang" in page and campaign.invite_key not in page
    browser.post(url, {"gang": str(other.pk), f"seen-{other.pk}": other.version})
    assert campaign.memberships.filter(gang=other, left_at=None).exists()
    assert as_user(charlie).get(url).status_code == 404
