"""The way from an invitation to a new gang and back to the campaign."""

from __future__ import annotations

from django.test import Client

from accounts.models import User
from gangs.models import Gang
from rules.library import load
from tests.world.campaigns import make_campaign
from tests.world.gangs import GOLD, shipped


def test_invited_player_without_a_gang_builds_one_and_returns_to_join(
    client: Client, alice: User, bob: User
) -> None:
    campaign = make_campaign(bob)
    load(shipped(GOLD).changed(edition="a newer one"))
    client.force_login(alice)
    address = f"/campaigns/join/{campaign.invite_key}/"
    page = client.get(address).content.decode()
    link = page.split('href="/gangs/new/')[1].split('"')[0]
    answer = client.post("/gangs/new/" + link, {"name": "Late comers", "token": "t"})
    gang = Gang.objects.get(owner=alice)
    assert answer["Location"] == gang.get_absolute_url()
    assert gang.book_version_id == campaign.book_version_id
    assert address in client.get(gang.get_absolute_url()).content.decode()
    client.post(address, {"gang": str(gang.pk), f"seen-{gang.pk}": str(gang.version)})
    page = client.get(gang.get_absolute_url()).content.decode()
    assert address not in page and campaign.get_absolute_url() in page


def test_new_gang_page_rejects_a_version_of_another_game(
    client: Client, alice: User, bob: User
) -> None:
    campaign = make_campaign(bob)
    client.force_login(alice)
    answer = client.get(f"/gangs/new/no-such-game/?version={campaign.book_version_id}")
    assert answer.status_code == 404


def test_visitor_sees_the_invitation_and_returns_to_it_after_sign_up(
    client: Client, bob: User
) -> None:
    campaign = make_campaign(bob)
    address = f"/campaigns/join/{campaign.invite_key}/"
    page = client.get(address).content.decode()
    assert campaign.name in page and "bob invites you" in page
    phrase = "a long enough phrase"
    answer = client.post(
        f"/accounts/signup/?next={address}",
        {"username": "newcomer", "password1": phrase, "password2": phrase, "next": address},
    )
    assert answer["Location"] == address
    assert client.get(address).status_code == 200


def test_visitor_with_a_new_gang_returns_to_the_invitation_after_sign_up(
    client: Client, bob: User
) -> None:
    """The form to join has the visitor's gang selected."""
    campaign = make_campaign(bob)
    address = f"/campaigns/join/{campaign.invite_key}/"
    page = client.get(address).content.decode()
    link = page.split('href="/gangs/new/')[1].split('"')[0]
    client.post("/gangs/new/" + link, {"name": "Late comers", "token": "t"})
    gang = Gang.objects.get()
    phrase = "a long enough phrase"
    answer = client.post(
        "/accounts/signup/", {"username": "newcomer", "password1": phrase, "password2": phrase}
    )
    assert answer["Location"] == address
    form = client.get(address).context["form"]
    assert form["gang"].value() == str(gang.pk)
    client.post("/accounts/logout/")
    answer = client.post("/accounts/login/", {"login": "newcomer", "password": phrase})
    assert answer["Location"] == "/tonight/"
