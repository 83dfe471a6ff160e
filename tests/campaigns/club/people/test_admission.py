"""Admission to a campaign: conditions, approval, invitations, barred accounts, notices."""

from __future__ import annotations

import json

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from accounts import deletion, mailing
from accounts.models import Notice, User
from accounts.notices import describe
from campaigns.club.home import duties
from campaigns.club.people import admission, joining, roles
from campaigns.club.people.admission import Entrance
from campaigns.files.data_export import files_of
from campaigns.models import Barred, Campaign, Invitation, JoinRequest, Membership, Participant
from common import background
from common.errors import Refusal, Stale
from gangs.models import Gang
from tests.world.campaigns import make_campaign, make_player
from tests.world.gangs import GOLD, make_gang

JOINING = Campaign.Joining


def url(name, campaign, *more):
    return reverse(f"campaigns:{name}", args=[campaign.pk, *more])


def join_url(key):
    return reverse("campaigns:join", args=[key])


def sentences(user):
    return [describe(notice) for notice in Notice.objects.filter(user=user)]


def send(browser, address, gang):
    """Send the form to join with a gang."""
    return browser.post(address, {"gang": str(gang.pk), f"seen-{gang.pk}": str(gang.version)})


def only(campaign, **values):
    """Change the campaign's conditions."""
    Campaign.objects.filter(pk=campaign.pk).update(**values)
    campaign.refresh_from_db()


# Notices


def test_organisers_get_a_notice_of_each_joining(campaign, bob, alice, as_user):
    gang = make_gang(alice, GOLD)
    send(as_user(alice), join_url(campaign.invite_key), gang)
    assert sentences(bob) == [f"alice has joined The long winter with {gang.name}."]
    make_player(campaign, bob)
    assert len(sentences(bob)) == 1, "the actor gets no notice"


def test_joining_again_sends_no_second_notice_while_the_first_is_unread(campaign, bob, alice):
    gang = make_player(campaign, alice)
    for _ in range(2):
        joining.leave(campaign, gang, actor=alice)
        gang = Gang.objects.get(pk=gang.pk)
        joining.join(campaign, gang, actor=alice, expected_version=gang.version)
        gang = Gang.objects.get(pk=gang.pk)
    assert len(sentences(bob)) == 1


def test_empty_gang_says_that_it_cannot_be_paired(campaign, bob, alice, as_user):
    gang = make_gang(alice, GOLD, sample=None)
    browser, address = as_user(alice), join_url(campaign.invite_key)
    assert "no members yet: it cannot be paired" in browser.get(address).content.decode()
    answer = browser.post(
        address, {"gang": str(gang.pk), f"seen-{gang.pk}": str(gang.version)}, follow=True
    )
    assert "it cannot be paired until it has" in answer.content.decode()
    assert "no members yet, so it cannot be paired" in sentences(bob)[0]
    assert "cannot be paired" in as_user(bob).get(url("people", campaign)).content.decode()


# Conditions


def test_settings_page_saves_the_conditions(campaign, bob, as_user):
    browser = as_user(bob)
    form = browser.get(url("settings", campaign)).context["form"]
    data = {field.html_name: str(field.value() or "") for field in form}
    data |= {"seen": campaign.version, "joining": "approval", "least_members": "4"}
    assert browser.post(url("settings", campaign), data | {"legal_only": "on"}).status_code == 302
    campaign.refresh_from_db()
    assert (campaign.joining, campaign.least_members) == ("approval", 4)
    assert campaign.legal_only


def test_closed_campaign_lets_nobody_in_by_its_link(campaign, bob, alice, as_user):
    only(campaign, joining=JOINING.CLOSED)
    gang, address = make_gang(alice, GOLD), join_url(campaign.invite_key)
    answer = send(as_user(alice), address, gang)
    assert answer.status_code == 422 and "organisers invite" in answer.content.decode()
    assert not campaign.memberships.exists()
    assert "organisers invite" in Client().get(address).content.decode()
    own = make_gang(bob, GOLD)
    assert send(as_user(bob), url("join-again", campaign), own).status_code == 302
    assert campaign.memberships.get().gang == own


def test_campaign_takes_only_gangs_with_enough_members(campaign, alice, as_user):
    gang = make_gang(alice, GOLD)
    only(campaign, least_members=gang.size + 1)
    page = as_user(alice).get(join_url(campaign.invite_key))
    assert page.context["fit"] == [] and "at least" in page.context["unfit"][0][1]
    with pytest.raises(Refusal, match="too_few_members"):
        joining.join(campaign, gang, actor=alice, expected_version=gang.version)
    only(campaign, least_members=gang.size)
    joining.join(campaign, gang, actor=alice, expected_version=gang.version)


def test_campaign_takes_only_legal_gangs_when_it_says_so(campaign, alice, as_user):
    gang = make_gang(alice, GOLD, sample=None)
    assert joining.mistakes(campaign, gang)
    only(campaign, legal_only=True)
    assert (
        "keep to the rules"
        in send(as_user(alice), join_url(campaign.invite_key), gang).content.decode()
    )
    with pytest.raises(Refusal, match="gang_breaks_rules"):
        joining.join(campaign, gang, actor=alice, expected_version=gang.version)
    only(campaign, legal_only=False)
    joining.join(campaign, gang, actor=alice, expected_version=gang.version)


def test_join_page_lists_the_errors_that_keep_a_gang_out(campaign, alice, as_user):
    gang = make_gang(alice, GOLD, sample=None)
    only(campaign, legal_only=True)
    page = as_user(alice).get(join_url(campaign.invite_key))
    ((listed, _reason, errors),) = page.context["unfit"]
    assert listed == gang
    assert errors == joining.describe_mistakes(joining.mistakes(campaign, gang))
    text = page.content.decode()
    assert f'href="{gang.get_absolute_url()}"' in text and escape(errors[0]) in text


# Approval


@pytest.fixture
def asking(campaign: Campaign, alice: User, as_user) -> JoinRequest:
    """Alice's request to join a campaign whose organiser decides."""
    only(campaign, joining=JOINING.APPROVAL)
    gang, address = make_gang(alice, GOLD), join_url(campaign.invite_key)
    for _twice in range(2):
        assert send(as_user(alice), address, gang).headers["Location"] == address
    return JoinRequest.objects.get()


def test_organiser_accepts_a_request(asking, campaign, alice, bob, as_user):
    assert not campaign.memberships.exists() and not campaign.role_of(alice)
    assert sentences(bob) == [
        f"alice would like to join The long winter with {asking.gang.name}. Accept or decline."
    ]
    assert any("would like to join" in duty.text for duty in duties.standing_of(bob).duties)
    browser = as_user(bob)
    assert "asks to join" in browser.get(campaign.get_absolute_url()).content.decode()
    assert browser.get(reverse("gangs:then", args=[asking.gang_id])).status_code == 200
    for _twice in range(2):
        answer = browser.post(url("decide-request", campaign, asking.pk))
        assert answer.headers["Location"] == url("people", campaign)
    assert campaign.memberships.get().gang == asking.gang
    assert Campaign.objects.get().role_of(alice) == "player"
    assert not JoinRequest.objects.exists()
    assert sentences(alice) == [f"bob has let {asking.gang.name} join The long winter."]


def test_organiser_accepts_all_requests_at_once(asking, campaign, alice, bob, charlie, as_user):
    second = make_gang(charlie, GOLD)
    send(as_user(charlie), join_url(campaign.invite_key), second)
    assert [duty.text for duty in duties.standing_of(bob).duties] == ["2 gangs ask to join"]
    browser = as_user(bob)
    page = browser.get(url("people", campaign)).content.decode()
    assert "Let all 2 gangs join" in page
    # A request that the page did not show waits for the organiser's eyes.
    late = make_gang(alice, GOLD)
    send(as_user(alice), join_url(campaign.invite_key), late)
    shown = [str(row.pk) for row in JoinRequest.objects.exclude(gang=late)]
    for _twice in range(2):
        sent = {"request": [*shown, "x", "9" * 5000]}
        assert browser.post(url("accept-requests", campaign), sent).status_code == 302
    assert {row.gang for row in campaign.memberships.all()} == {asking.gang, second}
    assert JoinRequest.objects.get().gang == late


def test_answered_request_leaves_no_unread_notice(asking, campaign, bob, as_user):
    assert Notice.objects.filter(user=bob, read_at=None).count() == 1
    as_user(bob).post(url("decide-request", campaign, asking.pk), {"decline": "1"})
    assert not Notice.objects.filter(user=bob, read_at=None).exists()


def test_player_sees_that_an_organiser_has_to_agree(campaign, alice, as_user):
    only(campaign, joining=JOINING.APPROVAL)
    browser, address = as_user(alice), join_url(campaign.invite_key)
    assert "An organiser decides" in browser.get(address).content.decode()
    gang = make_gang(alice, GOLD)
    assert "Ask to join with this gang" in browser.get(address).content.decode()
    send(browser, address, gang)
    for name in ("campaigns:list", "gangs:front"):
        page = browser.get(reverse(name), follow=True).content.decode()
        assert "Waiting for an organiser" in page and campaign.name in page
    # The gang's page does not invite it again.
    assert "You are invited" not in browser.get(gang.get_absolute_url()).content.decode()


def test_organiser_declines_a_request(asking, campaign, alice, bob, as_user):
    as_user(bob).post(url("decide-request", campaign, asking.pk), {"decline": "1"})
    assert not campaign.memberships.exists() and not JoinRequest.objects.exists()
    assert "has not let" in sentences(alice)[0]
    assert as_user(bob).get(reverse("gangs:then", args=[asking.gang_id])).status_code == 404


def test_player_withdraws_a_request(asking, campaign, alice, charlie, as_user):
    address = reverse("campaigns:withdraw-request", args=[asking.pk])
    assert as_user(charlie).post(address).status_code == 404
    page = as_user(alice).get(join_url(campaign.invite_key)).content.decode()
    assert "Waiting for an organiser" in page and address in page
    back = join_url(campaign.invite_key)
    assert as_user(alice).post(address, {"back": back}).headers["Location"] == back
    elsewhere = as_user(alice).post(address, {"back": "https://example.org/"})
    assert elsewhere.status_code == 404 and not JoinRequest.objects.exists()


def test_request_that_no_longer_fits_is_refused(asking, campaign, bob, as_user):
    other = make_campaign(bob)
    gang = Gang.objects.get(pk=asking.gang_id)
    joining.join(other, gang, actor=asking.by, expected_version=gang.version)
    answer = as_user(bob).post(url("decide-request", campaign, asking.pk))
    assert answer.status_code == 422
    assert "plays in another campaign" in answer.content.decode()


def test_request_that_was_answered_meanwhile_is_not_taken_back(asking, bob):
    admission.accept(JoinRequest.objects.get(pk=asking.pk), actor=bob)
    with pytest.raises(Stale):
        admission.take_back(asking)


def test_requests_of_one_account_are_limited(campaign, alice):
    only(campaign, joining=JOINING.APPROVAL)
    for _ in range(admission.MOST_REQUESTS):
        gang = make_gang(alice, GOLD)
        admission.enter(Entrance(campaign), gang, actor=alice, expected_version=gang.version)
    gang = make_gang(alice, GOLD)
    with pytest.raises(Refusal, match="requests_full"):
        admission.enter(Entrance(campaign), gang, actor=alice, expected_version=gang.version)


# Invitations


def test_invited_person_joins_a_closed_campaign(campaign, bob, alice, as_user):
    only(campaign, joining=JOINING.CLOSED)
    admission.invite(campaign, "alice", actor=bob)
    invitation = Invitation.objects.get()
    assert [duty.url for duty in duties.standing_of(alice).duties] == [join_url(invitation.key)]
    gang = make_gang(alice, GOLD)
    for _twice in range(2):
        answer = send(as_user(alice), join_url(invitation.key), gang)
        assert answer.headers["Location"] == campaign.get_absolute_url()
    assert campaign.memberships.get().gang == gang
    invitation.refresh_from_db()
    assert invitation.accepted_by == alice
    assert duties.standing_of(alice).duties == ()


def test_accepted_invitation_lets_nobody_else_in(campaign, bob, alice, charlie, as_user):
    admission.invite(campaign, "alice", actor=bob)
    address = join_url(Invitation.objects.get().key)
    send(as_user(alice), address, make_gang(alice, GOLD))
    assert as_user(charlie).get(address).status_code == 404
    assert Client().get(address).status_code == 404
    Invitation.objects.update(accepted_at="2020-01-01T00:00Z")
    assert admission.tidy() == 1


def test_form_for_a_used_invitation_is_refused_in_words(campaign, bob, alice, charlie, as_user):
    admission.invite(campaign, "alice", actor=bob)
    address, gang = join_url(Invitation.objects.get().key), make_gang(charlie, GOLD)
    send(as_user(alice), address, make_gang(alice, GOLD))
    answer = send(as_user(charlie), address, gang)
    page = answer.content.decode()
    assert answer.status_code == 422 and "has already used this invitation" in page
    assert f'value="{gang.pk}"' in page, "the form is kept"


def test_link_that_was_replaced_meanwhile_lets_nobody_in(campaign, alice):
    entrance, gang = admission.find_entrance(campaign.invite_key), make_gang(alice, GOLD)
    roles.renew_link(Campaign.objects.get(pk=campaign.pk), "invite_key")
    with pytest.raises(Refusal, match="link_replaced"):
        admission.enter(entrance, gang, actor=alice, expected_version=gang.version)


def test_account_that_signed_up_by_an_invitation_sees_it_until_it_joins(
    campaign, bob, alice, charlie, as_user
):
    admission.invite(campaign, "alice", actor=bob)
    address = join_url(Invitation.objects.get().key)
    entrance = admission.find_entrance(Invitation.objects.get().key)
    assert admission.keep_for(entrance, charlie) and not admission.keep_for(entrance, alice)
    assert Client().get(address).status_code == 200, "its owner may sign in"
    assert as_user(alice).get(address).status_code == 404
    assert duties.standing_of(alice).duties == ()
    assert as_user(charlie).get(address).status_code == 200


def test_gang_that_is_deleted_meanwhile_does_not_join(campaign, alice):
    gang, entrance = make_gang(alice, GOLD), Entrance(campaign)
    Gang.objects.get(pk=gang.pk).delete()
    with pytest.raises(Refusal, match="gone"):
        admission.enter(entrance, gang, actor=alice, expected_version=gang.version)


def test_list_of_invitations_withdraws_each(campaign, bob, alice, as_user):
    browser = as_user(bob)
    for whom in ("alice", "nobody-of-that-name"):
        browser.post(url("invite", campaign), {"whom": whom})
    page = browser.get(url("people", campaign)).content.decode()
    assert "nobody-of-that-name" in page
    invitation = campaign.invitations.get(whom="alice")
    for _twice in range(2):
        answer = browser.post(url("withdraw-invitation", campaign, invitation.pk))
        assert answer.headers["Location"] == url("people", campaign)
    assert as_user(alice).get(join_url(invitation.key)).status_code == 404
    assert duties.standing_of(alice).duties == ()
    assert Notice.objects.get(user=alice).url == ""
    assert [one.whom for one in campaign.invitations.all()] == ["nobody-of-that-name"]


def test_inviting_the_same_person_again_renews_the_invitation(campaign, bob, alice):
    for whom in ("alice", "Alice"):
        admission.invite(campaign, whom, actor=bob)
    assert Invitation.objects.count() == 1
    assert len(sentences(alice)) == 2


def test_invitation_of_an_earlier_release_still_leads_to_the_campaign(campaign, alice):
    address = join_url(campaign.invite_key)
    Notice.objects.create(user=alice, kind="invited", values={"actor": "bob"}, url=address)
    assert [duty.url for duty in duties.standing_of(alice).duties] == [address]


def test_open_invitations_are_limited(campaign, bob, as_user, monkeypatch):
    monkeypatch.setattr(admission, "MOST_INVITATIONS", 1)
    browser = as_user(bob)
    assert browser.post(url("invite", campaign), {"whom": "one"}).status_code == 302
    answer = browser.post(url("invite", campaign), {"whom": "two"})
    assert answer.status_code == 422 and "Too many invitations" in answer.content.decode()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("server", [False, True])
def test_invitation_says_whether_mail_is_sent(campaign, bob, as_user, settings, server):
    settings.MAIL_SERVER = server
    answer = as_user(bob).post(url("invite", campaign), {"whom": "dora@example.org"}, follow=True)
    page = answer.content.decode()
    assert ("This site sends no mail" in page) is not server
    assert ("E-mail addresses get a mail" in page) is server
    assert join_url(Invitation.objects.get().key) in page
    assert len(mail.outbox) == 1


def test_invitation_finds_a_name_before_an_address(campaign, bob, alice, charlie):
    """Names of earlier releases may contain an @."""
    User.objects.filter(pk=charlie.pk).update(username="alice@example.org")
    EmailAddress.objects.create(user=alice, email="alice@example.org", verified=True, primary=True)
    admission.invite(campaign, "Alice@example.org", actor=bob)
    assert Invitation.objects.get().user == charlie
    assert sentences(charlie) and not sentences(alice)
    assert not mailing.stored_mails().exists()


def test_mail_of_an_invitation_names_nobody_who_has_left(campaign, bob, alice, mailoutbox):
    admission.invite(campaign, "guest@example.org", actor=bob)
    admission.invite(campaign, "other@example.org", actor=bob)
    admission.withdraw(Invitation.objects.get(whom="other@example.org"))
    Participant.objects.create(campaign=campaign, user=alice)
    deletion.delete(bob)
    [job, _withdrawn] = mailing.stored_mails().order_by("pk")
    assert "bob" not in f"{job.title} {job.body}"
    background.carry_out(mailing.LANE)
    [sent] = mailoutbox
    assert sent.to == ["guest@example.org"]
    assert "You are invited to the campaign The long winter." in sent.subject
    assert "bob" not in sent.body and join_url(Invitation.objects.get().key) in sent.body


# Barred accounts


@pytest.fixture
def barred(campaign: Campaign, hers: Gang, alice: User, bob: User, as_user) -> Barred:
    """Alice, removed and barred by bob."""
    admission.invite(campaign, "alice", actor=bob)
    seat = campaign.participants.get(user=alice)
    as_user(bob).post(url("remove", campaign, seat.pk), {"bar": "1"})
    return Barred.objects.get()


def test_barred_account_does_not_come_back_by_any_link(barred, campaign, alice, as_user):
    gang = Gang.objects.get(owner=alice)
    answer = send(as_user(alice), join_url(campaign.invite_key), gang)
    assert answer.status_code == 422 and "for good" in answer.content.decode()
    assert not Membership.objects.exists() and not Invitation.objects.exists()
    browser = as_user(alice)
    browser.get(reverse("campaigns:watch", args=[campaign.watch_key]))
    answer = browser.post(url("follow", campaign), follow=True)
    assert "for good" in answer.content.decode()
    assert not campaign.participants.filter(user=alice).exists()


def test_account_that_is_barred_meanwhile_does_not_follow(campaign, alice, bob, monkeypatch):
    """The bar came after the page was read, and before the campaign was locked."""
    monkeypatch.setattr(roles, "count_change", lambda row: row.barred.create(user=alice, by=bob))
    with pytest.raises(Refusal, match="barred_account"):
        roles.follow(campaign, alice)


def test_barred_account_cannot_be_invited_by_name(barred, campaign, alice, bob, as_user):
    answer = as_user(bob).post(url("invite", campaign), {"whom": "alice"})
    assert answer.status_code == 422 and "let them back in" in answer.content.decode()
    assert not Invitation.objects.exists()


def test_organiser_lets_a_barred_account_back_in(barred, campaign, alice, bob, as_user):
    browser = as_user(bob)
    address = url("unbar", campaign, barred.pk)
    assert address in browser.get(url("people", campaign)).content.decode()
    assert as_user(alice).post(address).status_code == 404
    assert browser.post(address).headers["Location"] == url("people", campaign)
    gang = Gang.objects.get(owner=alice)
    assert send(as_user(alice), join_url(campaign.invite_key), gang).status_code == 302
    assert campaign.memberships.get().gang == gang


def test_removing_without_barring_lets_a_player_come_back(campaign, hers, alice, bob):
    roles.remove(campaign, campaign.participants.get(user=alice), actor=bob)
    assert not Barred.objects.exists()
    gang = Gang.objects.get(pk=hers.pk)
    assert admission.enter(Entrance(campaign), gang, actor=alice, expected_version=gang.version)


# Own data


def own_rows(user):
    """Return the user's rows in campaigns, as the download has them."""
    files = {file.path: file.content for file in files_of(user)}
    return json.loads(files["campaigns/of-others.json"])


def test_data_export_has_invitations_requests_and_bars(barred, campaign, alice, bob, dora):
    only(campaign, joining=JOINING.APPROVAL)
    admission.invite(campaign, "charlie@example.org", actor=bob)
    gang = make_gang(dora, GOLD)
    admission.enter(Entrance(campaign), gang, actor=dora, expected_version=gang.version)
    [of_bob] = own_rows(bob)
    assert [row["whom"] for row in of_bob["invitations"]] == ["charlie@example.org"]
    assert [row["user__username"] for row in of_bob["barred"]] == ["alice"]
    assert [row["gang__name"] for row in own_rows(dora)[0]["asked_to_join"]] == [gang.name]
    assert [row["user__username"] for row in own_rows(alice)[0]["barred"]] == ["alice"]


def test_deleted_account_leaves_no_row_of_admission(barred, campaign, alice, bob, dora):
    only(campaign, joining=JOINING.APPROVAL)
    gang = make_gang(dora, GOLD)
    admission.enter(Entrance(campaign), gang, actor=dora, expected_version=gang.version)
    admission.invite(campaign, "charlie@example.org", actor=bob)
    deletion.delete(alice)
    deletion.delete(dora)
    assert not Barred.objects.exists() and not JoinRequest.objects.exists()
    assert Invitation.objects.get().by == bob


def test_gang_left_without_an_owner_no_longer_asks(asking, campaign):
    joining.keep(asking.gang)
    assert not JoinRequest.objects.exists()
