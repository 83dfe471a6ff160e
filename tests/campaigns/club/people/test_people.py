"""People of a campaign: roles, links, inviting, following, leaving, handing over."""

from __future__ import annotations

import threading

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import Notice, User
from accounts.notices import describe
from campaigns.access import gangs_of, playing
from campaigns.club.people import joining, roles
from campaigns.club.upgrades.whole_campaign import campaign_decides
from campaigns.locking import lock
from campaigns.models import Campaign, Membership, Participant
from campaigns.postgames import drafts
from common.errors import Refusal, Stale
from gangs.models import Gang
from tests.world.campaigns import (
    answered,
    confirmed,
    make_campaign,
    make_game,
    make_player,
    reported,
    side_of,
)

ROLE = Participant.Role


def seat_of(campaign, user):
    return campaign.participants.get(user=user)


def url(name, campaign, *more):
    return reverse(f"campaigns:{name}", args=[campaign.pk, *more])


def play_game(campaign, hers, theirs, alice, dora):
    """Play a game of both gangs, with both post-games, and return it."""
    game = confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    for gang, player in ((hers, alice), (theirs, dora)):
        side = answered(side_of(game, gang))
        drafts.commit(
            side, seen_draft=side.draft_version, seen_gang=side.gang.version, actor=player
        )
    return game


def sentences(user):
    return [describe(notice) for notice in Notice.objects.filter(user=user)]


# Watching


def test_watch_link_lets_anybody_read(campaign, hers, theirs, alice, client):
    page = url("campaign", campaign)
    assert "/accounts/login/" in client.get(page).headers["Location"]
    link = reverse("campaigns:watch", args=[campaign.watch_key])
    browser = {"Sec-Fetch-Mode": "navigate"}
    assert client.get(link, headers=browser).headers["Location"] == page
    shown = client.get(page).content.decode()
    assert campaign.name in shown
    assert campaign.invite_key not in shown
    assert "example.org" not in shown
    for closed in ("people", "settings", "depart", "game-new"):
        assert "/accounts/login/" in client.get(url(closed, campaign)).headers["Location"]
        assert url(closed, campaign) not in shown
    assert "/accounts/login/" in client.post(url("follow", campaign)).headers["Location"]


def test_renewed_watch_link_shuts_out_readers_of_the_old_link(
    campaign, bob, charlie, client, as_user
):
    link = reverse("campaigns:watch", args=[campaign.watch_key])
    client.get(link)
    signed_in = as_user(charlie)
    signed_in.get(link)
    page = url("campaign", campaign)
    assert client.get(page).status_code == signed_in.get(page).status_code == 200
    as_user(bob).post(url("renew-invitation", campaign), {"watch": "1"})
    assert client.get(page).status_code == 302
    assert signed_in.get(page).status_code == 404
    assert client.get(link).status_code == 404


def test_renewing_the_watch_link_keeps_the_invitation_link(campaign, bob, as_user):
    before = campaign.watch_key, campaign.invite_key
    as_user(bob).post(url("renew-invitation", campaign), {"watch": "1"})
    campaign.refresh_from_db()
    assert campaign.watch_key != before[0] and campaign.invite_key == before[1]


def test_following_adds_the_campaign_to_the_list(campaign, charlie, as_user):
    browser = as_user(charlie)
    assert browser.post(url("follow", campaign)).status_code == 404
    browser.get(reverse("campaigns:watch", args=[campaign.watch_key]))
    for _twice in range(2):
        assert browser.post(url("follow", campaign)).status_code == 302
    assert seat_of(campaign, charlie).role == ROLE.SPECTATOR
    assert campaign.name in browser.get(reverse("campaigns:list")).content.decode()
    roles.renew_link(campaign, "watch_key")
    assert browser.get(url("campaign", campaign)).status_code == 200
    assert browser.get(url("people", campaign)).status_code == 404
    for _twice in range(2):
        browser.post(url("follow", campaign), {"stop": "1"})
    assert browser.get(url("campaign", campaign)).status_code == 404


def test_player_stays_a_player_when_following(campaign, hers, alice, as_user):
    as_user(alice).post(url("follow", campaign))
    as_user(alice).post(url("follow", campaign), {"stop": "1"})
    assert seat_of(campaign, alice).role == ROLE.PLAYER


# Roles


def test_second_organiser_can_open_the_settings(campaign, hers, bob, alice, as_user):
    seat = seat_of(campaign, alice)
    form = {"role": "organiser", "seen": "player"}
    for _twice in range(2):
        answer = as_user(bob).post(url("role", campaign, seat.pk), form)
        assert answer.status_code == 302
    assert as_user(alice).get(url("settings", campaign)).status_code == 200
    assert sentences(alice) == ["bob has changed your role in The long winter: Organiser."]


def test_role_change_from_a_stale_page_is_refused(campaign, hers, bob, alice, as_user):
    roles.change_role(
        campaign, seat_of(campaign, alice), ROLE.ORGANISER, expected_role="player", actor=bob
    )
    seat = seat_of(campaign, alice)
    form = {"role": "spectator", "seen": "player"}
    answer = as_user(bob).post(url("role", campaign, seat.pk), form)
    assert answer.status_code == 409
    assert "Somebody else was faster" in answer.content.decode()
    assert seat_of(campaign, alice).role == ROLE.ORGANISER


def test_last_organiser_cannot_step_down_or_leave(campaign, hers, bob, alice, as_user):
    seat = seat_of(campaign, bob)
    browser = as_user(bob)
    form = {"role": "player", "seen": "organiser"}
    answer = browser.post(url("role", campaign, seat.pk), form)
    assert answer.status_code == 422
    assert "Make somebody else an organiser first" in answer.content.decode()
    assert browser.post(url("depart", campaign)).status_code == 422
    browser.post(url("remove", campaign, seat.pk))
    assert seat_of(campaign, bob).role == ROLE.ORGANISER
    roles.change_role(
        campaign, seat_of(campaign, alice), ROLE.ORGANISER, expected_role="player", actor=bob
    )
    answer = browser.post(url("role", campaign, seat.pk), form)
    assert answer.headers["Location"] == campaign.get_absolute_url()
    assert seat_of(campaign, bob).role == ROLE.PLAYER


def test_player_with_a_gang_cannot_become_a_spectator(campaign, hers, bob, alice):
    with pytest.raises(Refusal, match="has_gang_here"):
        roles.change_role(
            campaign, seat_of(campaign, alice), ROLE.SPECTATOR, expected_role="player", actor=bob
        )


def test_spectator_becomes_a_player_by_joining_with_a_gang(campaign, charlie):
    roles.follow(campaign, charlie)
    make_player(campaign, charlie)
    assert seat_of(campaign, charlie).role == ROLE.PLAYER


def test_organiser_who_became_the_last_meanwhile_is_not_removed(campaign, alice, bob):
    roles.follow(campaign, alice)
    read = seat_of(campaign, alice)
    campaign.participants.filter(user=alice).update(role=ROLE.ORGANISER)
    campaign.participants.filter(user=bob).update(role=ROLE.PLAYER)
    with pytest.raises(Refusal, match="last_organiser"):
        roles.remove(campaign, read, actor=bob)


def test_role_of_somebody_who_has_left_meanwhile_does_not_change(campaign, alice, bob):
    roles.follow(campaign, alice)
    read = seat_of(campaign, alice)
    roles.stop_following(campaign, alice)
    with pytest.raises(Stale):
        roles.change_role(campaign, read, ROLE.PLAYER, expected_role="spectator", actor=bob)


def test_deleted_campaign_is_refused_in_words(campaign):
    Campaign.objects.filter(pk=campaign.pk).delete()
    with pytest.raises(Refusal, match="gone"):
        lock(campaign)


@pytest.mark.django_db(transaction=True)
def test_two_organisers_cannot_both_step_down(campaign, bob, charlie):
    roles.follow(campaign, charlie)
    charlies = seat_of(campaign, charlie)
    roles.change_role(campaign, charlies, ROLE.ORGANISER, expected_role="spectator", actor=bob)
    barrier, refused = threading.Barrier(2), []

    def step_down(user):
        try:
            barrier.wait(120)
            mine = seat_of(campaign, user)
            roles.change_role(
                Campaign.objects.get(), mine, ROLE.PLAYER, expected_role="organiser", actor=user
            )
        except Refusal as refusal:
            refused.append(refusal.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=step_down, args=[user]) for user in (bob, charlie)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert refused == ["last_organiser"]
    assert campaign.participants.filter(role=ROLE.ORGANISER).count() == 1


# Inviting


def test_inviting_by_name_does_not_reveal_accounts(campaign, bob, charlie, as_user):
    browser = as_user(bob)
    answers = [
        browser.post(url("invite", campaign), {"whom": whom}, follow=True).content.decode()
        for whom in ("Charlie", "nobody-of-that-name")
    ]
    known, unknown = ["If that account exists" in answer for answer in answers]
    assert known and unknown
    assert sentences(charlie) == ["bob invites you to the campaign The long winter."]
    invitation = campaign.invitations.get(user=charlie)
    assert Notice.objects.get().url == reverse("campaigns:join", args=[invitation.key])
    assert campaign.invite_key not in Notice.objects.get().url


@pytest.mark.django_db(transaction=True)
def test_invitation_by_address_sends_a_single_mail(campaign, bob, charlie, as_user, settings):
    settings.SITE_URL = "https://gangs.example.org"
    EmailAddress.objects.create(user=charlie, email=charlie.email, verified=True, primary=True)
    charlie.language = "fr"
    charlie.save()
    browser = as_user(bob)
    for whom in (charlie.email, "somebody@example.org"):
        browser.post(url("invite", campaign), {"whom": whom})
    assert [message.to for message in mail.outbox] == [[charlie.email], ["somebody@example.org"]]
    for message in mail.outbox:
        key = campaign.invitations.get(whom=message.to[0]).key
        assert f"https://gangs.example.org/campaigns/join/{key}/" in message.body
    assert Notice.objects.get().user == charlie
    charlie.mail_notices = True
    charlie.save()
    browser.post(url("invite", campaign), {"whom": charlie.email})
    assert len(mail.outbox) == 3


def test_invalid_address_is_explained_beside_the_field(campaign, bob, as_user):
    answer = as_user(bob).post(url("invite", campaign), {"whom": "not @n address"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "invalid-feedback" in page and 'value="not @n address"' in page


def test_invitations_are_limited_to_twenty(campaign, bob, as_user):
    browser = as_user(bob)
    codes = [
        browser.post(url("invite", campaign), {"whom": "charlie"}).status_code for _ in range(21)
    ]
    assert codes == [302] * 20 + [429]


# Leaving


def test_player_can_take_their_gang_along_when_leaving(
    campaign, hers, theirs, alice, dora, bob, as_user
):
    play_game(campaign, hers, theirs, alice, dora)
    browser = as_user(alice)
    page = url("leave", campaign, hers.pk)
    assert "Take it with me" in browser.get(page).content.decode()
    assert browser.post(page).status_code == 422
    for _twice in range(2):
        assert browser.post(page, {f"gang-{hers.pk}": "take"}).status_code == 302
    membership = Membership.objects.get(gang=hers)
    assert membership.left_at is not None
    hers = Gang.objects.get(pk=hers.pk)
    assert hers.owner == alice
    assert [gang.pk for gang in playing(campaign)] == [theirs.pk]
    assert {gang.pk for gang in gangs_of(campaign)} == {hers.pk, theirs.pk}
    assert hers.name in browser.get(url("campaign", campaign)).content.decode()
    other = make_campaign(bob)
    joining.join(other, hers, actor=alice, expected_version=hers.version)
    assert {gang.left_at is None for gang in gangs_of(campaign)} == {True, False}
    assert [gang.pk for gang in playing(other)] == [hers.pk]
    with pytest.raises(Refusal, match="in_another_campaign"):
        joining.join(campaign, hers, actor=alice, expected_version=hers.version)


def test_gang_that_has_left_may_come_back(campaign, hers, theirs, alice, dora):
    play_game(campaign, hers, theirs, alice, dora)
    joining.part(campaign, hers, behind=False, actor=alice)
    hers = Gang.objects.get(pk=hers.pk)
    joining.join(campaign, hers, actor=alice, expected_version=hers.version)
    assert len(playing(campaign)) == 2
    with pytest.raises(Refusal, match="joined_already"):
        joining.join(campaign, hers, actor=alice, expected_version=hers.version)


def test_campaign_can_reopen_when_its_gang_has_left(campaign, hers, theirs, alice, dora, bob):
    play_game(campaign, hers, theirs, alice, dora)
    joining.part(campaign, hers, behind=False, actor=alice)
    hers = Gang.objects.get(pk=hers.pk)
    joining.join(make_campaign(bob), hers, actor=alice, expected_version=hers.version)
    joining.archive(campaign)
    joining.reopen(campaign)
    campaign.refresh_from_db()
    assert campaign.archived_at is None


def test_gang_cannot_leave_during_an_open_game(campaign, hers, theirs, alice, dora, as_user):
    game = make_game(campaign, alice, hers, theirs)
    page = url("leave", campaign, hers.pk)
    answer = as_user(alice).post(page, {f"gang-{hers.pk}": "take"})
    assert answer.status_code == 422
    assert "has a game here that is not settled" in answer.content.decode()
    confirmed(reported(game, alice), dora)
    with pytest.raises(Refusal, match="games_open"):
        joining.part(campaign, hers, behind=False, actor=alice)
    assert Membership.objects.get(gang=hers).left_at is None


def test_player_can_leave_their_gang_to_the_campaign(
    campaign, hers, theirs, alice, dora, bob, as_user
):
    make_game(campaign, alice, hers, theirs)
    answer = as_user(alice).post(url("leave", campaign, hers.pk), {f"gang-{hers.pk}": "behind"})
    assert answer.status_code == 302
    hers = Gang.objects.get(pk=hers.pk)
    assert hers.owner is None and hers.kept_at is not None and hers.share_key is None
    assert hers in playing(campaign)
    assert "has left the gang" in sentences(bob)[0]
    assert as_user(alice).get(hers.get_absolute_url()).status_code == 404
    assert Client().get(hers.get_absolute_url()).status_code == 404
    page = as_user(bob).get(url("people", campaign)).content.decode()
    assert "without a player" in page


def test_organiser_hands_over_a_gang_without_a_player(
    campaign, hers, theirs, alice, dora, charlie, bob, as_user
):
    joining.keep(hers)
    roles.follow(campaign, charlie)
    browser, form = as_user(bob), {"to": charlie.pk, "seen": ""}
    for _twice in range(2):
        answer = browser.post(url("hand-over", campaign, hers.pk), form)
        assert answer.headers["Location"] == url("people", campaign)
    hers = Gang.objects.get(pk=hers.pk)
    assert hers.owner == charlie and hers.kept_at is None
    assert seat_of(campaign, charlie).role == ROLE.PLAYER
    assert len(sentences(charlie)) == 1
    assert as_user(charlie).get(hers.get_absolute_url()).status_code == 200


def test_hand_over_notifies_both_players(campaign, hers, theirs, alice, dora, bob):
    version = hers.version
    joining.hand_over(campaign, hers, dora, expected_owner=alice.pk, actor=bob)
    assert "over to dora" in sentences(alice)[0]
    assert "over to you" in sentences(dora)[0]
    assert Gang.objects.get(pk=hers.pk).version == version
    assert seat_of(campaign, alice).role == ROLE.PLAYER
    with pytest.raises(Stale):
        joining.hand_over(campaign, hers, alice, expected_owner=bob.pk, actor=bob)


@pytest.mark.parametrize("to", ["-9223372036854775809", "9" * 30, "nobody", ""])
def test_hand_over_rejects_an_invalid_account_number(campaign, hers, bob, as_user, to):
    for form in ({"to": to, "seen": hers.owner_id}, {"to": bob.pk, "seen": to or "9" * 30}):
        assert as_user(bob).post(url("hand-over", campaign, hers.pk), form).status_code == 422
    assert Gang.objects.get(pk=hers.pk).owner == hers.owner


def test_hand_over_rejects_an_account_outside_the_campaign(campaign, hers, charlie, bob, as_user):
    answer = as_user(bob).post(
        url("hand-over", campaign, hers.pk), {"to": charlie.pk, "seen": hers.owner_id}
    )
    assert answer.status_code == 422
    assert Gang.objects.get(pk=hers.pk).owner == hers.owner


def test_hand_over_rejects_a_gang_of_another_campaign(campaign, hers, bob, alice, charlie, as_user):
    other = make_campaign(charlie)
    roles.follow(other, bob)
    form = {"to": bob.pk, "seen": alice.pk}
    answer = as_user(charlie).post(url("hand-over", other, hers.pk), form)
    assert answer.status_code == 404
    with pytest.raises(Refusal, match="gang_not_here"):
        joining.hand_over(other, hers, bob, expected_owner=alice.pk, actor=charlie)


@pytest.mark.long
def test_departing_player_decides_for_each_gang(campaign, hers, theirs, alice, dora, as_user):
    second = make_player(campaign, alice)
    fresh = make_player(campaign, alice)
    play_game(campaign, hers, theirs, alice, dora)
    third = make_game(campaign, dora, second, theirs)
    browser = as_user(alice)
    page = browser.get(url("depart", campaign)).content.decode()
    assert "simply goes with you" in page
    form = {f"gang-{hers.pk}": "take", f"gang-{second.pk}": "take"}
    answer = browser.post(url("depart", campaign), form)
    assert answer.status_code == 422
    assert Membership.objects.get(gang=hers).left_at is None, (
        "a refused form leaves every gang in place"
    )
    form[f"gang-{second.pk}"] = "behind"
    assert browser.post(url("depart", campaign), form).status_code == 302
    assert browser.post(url("depart", campaign), form).status_code == 404
    assert not campaign.participants.filter(user=alice).exists()
    assert Membership.objects.get(gang=hers).left_at is not None
    assert Gang.objects.get(pk=second.pk).owner is None
    assert not Membership.objects.filter(gang=fresh).exists()
    assert Gang.objects.get(pk=fresh.pk).roster.campaigns == ()
    assert third.sides.count() == 2
    assert browser.get(url("campaign", campaign)).status_code == 404


def test_organiser_removes_a_player(campaign, hers, theirs, alice, dora, bob, as_user):
    play_game(campaign, hers, theirs, alice, dora)
    browser, seat = as_user(bob), seat_of(campaign, alice)
    for _twice in range(2):
        assert browser.post(url("remove", campaign, seat.pk)).status_code == 302
    assert not campaign.participants.filter(user=alice).exists()
    assert Gang.objects.get(pk=hers.pk).owner == alice
    assert sentences(alice)[0] == "bob has removed you from The long winter."
    page = browser.get(url("people", campaign)).content.decode()
    assert hers.name in page and "left on" in page


def test_player_cannot_manage_other_people(campaign, hers, theirs, alice, dora, bob, as_user):
    browser, seat = as_user(alice), seat_of(campaign, dora)
    page = browser.get(url("people", campaign)).content.decode()
    assert campaign.invite_key not in page and campaign.watch_key not in page
    for name, more in (("role", seat.pk), ("remove", seat.pk), ("hand-over", theirs.pk)):
        assert browser.post(url(name, campaign, more)).status_code == 404
    assert browser.post(url("invite", campaign)).status_code == 404


@pytest.mark.parametrize("players", [1, 8])
def test_people_page_queries_do_not_grow_with_the_players(
    campaign, bob, as_user, players, django_assert_num_queries
):
    for number in range(players):
        user = User.objects.create_user(f"player{number}")
        make_player(campaign, user)
    browser = as_user(bob)
    browser.get(url("people", campaign))
    with django_assert_num_queries(9):
        browser.get(url("people", campaign))


def test_organiser_does_not_decide_for_a_gang_that_has_left(campaign, hers, theirs, alice, dora):
    play_game(campaign, hers, theirs, alice, dora)
    assert campaign_decides(Gang.objects.get(pk=hers.pk)) is not None
    joining.part(campaign, hers, behind=False, actor=alice)
    assert campaign_decides(Gang.objects.get(pk=hers.pk)) is None
