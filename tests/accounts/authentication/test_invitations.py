"""Signing up on open, invitation-only and closed sites."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import uuid
from datetime import timedelta
from functools import partial
from html import unescape
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.test import Client
from django.utils import timezone

from accounts.authentication import invitations
from accounts.models import SiteInvitation, User
from tests.campaigns.racing import race
from tests.world.campaigns import make_campaign

PASSWORD = "correct horse battery"
SIGNUP = "/accounts/signup/"
LIST = "/accounts/invitations/"


def invited(actor: User, places: int = 1) -> SiteInvitation:
    return invitations.invite(
        note="The club", places=places, days=14, token=str(uuid.uuid4()), actor=actor
    )


def sign_up(client: Client, name: str = "dora", **data: str) -> Any:
    form = {"username": name, "password1": PASSWORD, "password2": PASSWORD, **data}
    return client.post(SIGNUP, form)


def is_there(name: str) -> bool:
    return User.objects.filter(username=name).exists()


@pytest.fixture
def by_invitation(settings: Any, db: None) -> None:
    settings.SIGNUP = "invitation"


def test_closed_site_refuses_to_sign_up_but_lets_visitors_build(
    client: Client, settings: Any, bob: User
) -> None:
    settings.SIGNUP = "closed"
    campaign, mine = make_campaign(bob), invited(bob)
    for query in ("", f"?invitation={mine.key}", f"?next=/campaigns/join/{campaign.invite_key}/"):
        page = client.get(f"{SIGNUP}{query}").content.decode()
        assert "takes no new members" in page and 'class="band"' in page
    assert sign_up(client, invitation=mine.key).status_code == 200
    assert not is_there("dora")
    for path in ("/", "/accounts/login/", f"/campaigns/join/{campaign.invite_key}/"):
        assert SIGNUP not in client.get(path).content.decode()
    assert client.get("/gangs/new/").status_code == 200
    # Existing accounts can still sign in.
    client.post("/accounts/login/", {"login": "bob", "password": PASSWORD})
    assert "_auth_user_id" in client.session


@pytest.mark.parametrize("query", ["", "?invitation=", "?invitation=x", "?invitation=%00%ff"])
@pytest.mark.parametrize(
    "more", ["", "next=/", "next=/campaigns/join/x/", "next=%00", "next=/campaigns/join/%00/"]
)
def test_sign_up_is_refused_without_an_invitation(
    client: Client, by_invitation: None, query: str, more: str
) -> None:
    address = f"{SIGNUP}{query}{'&' if query else '?'}{more}"
    assert "invitation" in client.get(address).content.decode()
    form = {"username": "dora", "password1": PASSWORD, "password2": PASSWORD}
    assert client.post(address, form).status_code == 200
    assert not is_there("dora")


def test_invitation_admits_as_many_accounts_as_its_places(
    client: Client, by_invitation: None, bob: User
) -> None:
    mine = invited(bob, places=2)
    page = client.get(f"{SIGNUP}?invitation={mine.key}").content.decode()
    [key] = re.findall(r'name="invitation" value="([^"]+)"', page)
    # A form with mistakes takes no place and keeps its invitation.
    wrong = sign_up(client, invitation=key, password2="another one")
    assert wrong.status_code == 422 and f'value="{key}"' in wrong.content.decode()
    for name in ("dora", "emil"):
        assert sign_up(Client(), name, invitation=key).status_code == 302
    late = sign_up(Client(), "fritz", invitation=key)
    assert "has been used" in late.content.decode()
    assert is_there("dora") and is_there("emil") and not is_there("fritz")
    mine.refresh_from_db()
    assert mine.used == 2 and not mine.is_usable


@pytest.mark.parametrize("spoil", [{"ends_at": timezone.now() - timedelta(days=1)}, None])
def test_expired_or_withdrawn_invitation_admits_nobody(
    by_invitation: None, bob: User, spoil: dict[str, Any] | None
) -> None:
    mine = invited(bob)
    rows = SiteInvitation.objects.all()
    rows.update(**spoil) if spoil else rows.delete()
    sign_up(Client(), invitation=mine.key)
    assert not is_there("dora")


@pytest.mark.django_db(transaction=True)
def test_last_place_is_taken_once(by_invitation: None, bob: User) -> None:
    for number in range(3):
        key = invited(bob).key
        acts = [
            partial(sign_up, Client(), f"{name}{number}", invitation=key) for name in ("ada", "ben")
        ]
        assert sorted(status for status, _page in race(*acts)) == [200, 302]
        assert is_there(f"ada{number}") != is_there(f"ben{number}")


@pytest.mark.django_db(transaction=True)
def test_double_click_takes_a_single_place(by_invitation: None, bob: User) -> None:
    key = invited(bob).key
    acts = [partial(sign_up, Client(), invitation=key) for _ in range(2)]
    assert [status for status, _page in race(*acts)] == [302, 302]
    assert sign_up(Client(), invitation=key).status_code == 302
    assert SiteInvitation.objects.get().used == 1


def test_campaign_link_allows_to_sign_up(client: Client, by_invitation: None, bob: User) -> None:
    campaign = make_campaign(bob)
    page = client.get(f"/campaigns/join/{campaign.invite_key}/").content.decode()
    [address] = {unescape(link) for link in re.findall(r'href="(/accounts/signup/[^"]*)"', page)}
    [back] = re.findall(
        r'name="next" value="(/campaigns/[^"]+)"', client.get(address).content.decode()
    )
    answer = sign_up(client, next=back)
    assert answer.status_code == 302 and campaign.invite_key in answer["Location"]
    assert is_there("dora")
    campaign.archived_at = timezone.now()
    campaign.save()
    sign_up(Client(), "emil", next=back)
    assert not is_there("emil")


def test_administrator_creates_and_withdraws_invitations(client: Client, bob: User) -> None:
    bob.is_staff = True
    bob.save()
    client.force_login(bob)
    form = {"note": "Anna’s friends", "places": "3", "days": "7", "token": str(uuid.uuid4())}
    for _twice in range(2):
        assert client.post(LIST, form).status_code == 302
    [made] = SiteInvitation.objects.all()
    assert (made.note, made.places, made.made_by) == ("Anna’s friends", 3, bob)
    assert timedelta(days=6) < made.ends_at - timezone.now() <= timedelta(days=7)
    page = unescape(client.get(LIST).content.decode())
    assert f"http://testserver/accounts/signup/?invitation={made.key}" in page
    assert "0 of 3 have signed up" in page and "Anna’s friends" in page
    for _twice in (302, 404):
        assert client.post(f"{LIST}{made.pk}/withdraw/").status_code == _twice
    assert not SiteInvitation.objects.exists()


@pytest.mark.parametrize(
    "wrong", [{"places": "0"}, {"places": "x"}, {"days": "9999"}, {"token": "1"}]
)
def test_mistakes_are_explained_and_typed_values_kept(
    client: Client, bob: User, wrong: dict[str, str]
) -> None:
    bob.is_staff = True
    bob.save()
    client.force_login(bob)
    form = {"note": "Anna", "places": "3", "days": "7", "token": str(uuid.uuid4()), **wrong}
    answer = client.post(LIST, form)
    assert answer.status_code == 422 and 'value="Anna"' in answer.content.decode()
    assert not SiteInvitation.objects.exists()


def test_invitations_are_hidden_from_other_users(client: Client, alice: User, bob: User) -> None:
    mine = invited(bob)
    client.force_login(alice)
    assert client.get(LIST).status_code == client.post(LIST).status_code == 404
    assert client.post(f"{LIST}{mine.pk}/withdraw/").status_code == 404
    assert SiteInvitation.objects.exists()


def test_invalid_mode_stops_the_start() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", "import skirmish.settings"],
        cwd=site_settings.BASE_DIR,
        env={**os.environ, "SIGNUP": "perhaps"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode and "SIGNUP must be one of" in ran.stderr
