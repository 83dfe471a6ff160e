"""Two-factor authentication and the account page."""

from __future__ import annotations

import base64
import re
import time
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.cache import cache
from django.test import Client

from accounts.authentication.two_factor import take_away
from accounts.models import User
from tests.campaigns.racing import race

PASSWORD = "correct horse battery"
HOME = "/accounts/two-factor/"
ACTIVATE, DEACTIVATE = f"{HOME}totp/activate/", f"{HOME}totp/deactivate/"
AUTHENTICATE, CODES = f"{HOME}authenticate/", f"{HOME}recovery-codes/"


def sign_in(client: Client) -> Any:
    return client.post("/accounts/login/", {"login": "alice", "password": PASSWORD})


def is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def code(secret: str) -> str:
    """Return the code that the app shows now."""
    # A code is valid once; the next one would take half a minute.
    cache.clear()
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // 30)))


def set_up(client: Client) -> str:
    """Turn it on for alice, who is signed in; return the secret."""
    page = client.get(ACTIVATE).content.decode()
    [secret] = re.findall(r"<code>(\w+)</code>", page)
    answer = client.post(ACTIVATE, {"code": code(secret)})
    assert answer.status_code == 302
    return secret


@pytest.fixture
def alices(client: Client, alice: User) -> Client:
    """Alice's browser, in which she has just confirmed her password."""
    sign_in(client)
    assert client.get(ACTIVATE)["Location"].startswith("/accounts/reauthenticate/")
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def test_sign_in_needs_password_and_code(alices: Client) -> None:
    secret = set_up(alices)
    other = Client()
    assert sign_in(other)["Location"].startswith(AUTHENTICATE)
    assert not is_in(other)
    page = other.get(AUTHENTICATE).content.decode()
    assert 'class="band"' in page and 'name="code"' in page
    wrong = other.post(AUTHENTICATE, {"code": "000000"})
    assert wrong.status_code == 422 and "invalid-feedback" in wrong.content.decode()
    assert not is_in(other)
    assert other.post(AUTHENTICATE, {"code": code(secret)}).status_code == 302
    assert is_in(other)


def test_page_shows_the_code_to_scan_and_loads_nothing(alices: Client) -> None:
    answer = alices.get(ACTIVATE)
    [data] = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', answer.content.decode())
    assert b"<svg" in base64.b64decode(data)
    assert "img-src 'self' data:" in answer["Content-Security-Policy"]
    for path in (HOME, ACTIVATE):
        scripts = re.findall(r"<script[^>]*>", alices.get(path).content.decode())
        assert all('src="/static/' in script for script in scripts)


def test_wrong_code_does_not_turn_it_on(alices: Client) -> None:
    alices.get(ACTIVATE)
    assert alices.post(ACTIVATE, {"code": "000000"}).status_code == 422
    assert not Authenticator.objects.exists()


def test_guessing_codes_is_slowed_down(alices: Client) -> None:
    secret = set_up(alices)
    other = Client()
    sign_in(other)
    for _again in range(5):
        other.post(AUTHENTICATE, {"code": "000000"})
    right = str(format_hotp_value(hotp_value(secret, int(time.time()) // 30)))
    assert other.post(AUTHENTICATE, {"code": right}).status_code != 302
    assert not is_in(other)


def test_recovery_code_is_valid_once(alices: Client) -> None:
    set_up(alices)
    page = alices.get(CODES).content.decode()
    codes = re.findall(r"<code>(\w+)</code>", page)
    assert len(codes) == 10
    assert codes[0] in alices.get(f"{CODES}download/").content.decode()
    for expected in (True, False):
        other = Client()
        sign_in(other)
        other.post(AUTHENTICATE, {"code": codes[0]})
        assert is_in(other) == expected
    assert "9 are left" in alices.get(HOME).content.decode()
    assert alices.post(f"{CODES}generate/").status_code == 302
    assert codes[1] not in alices.get(CODES).content.decode()


def test_code_of_the_app_is_valid_once_until_it_expires(alices: Client, alice: User) -> None:
    """allauth forgets after half a minute that a code was used, which is valid for longer."""
    right = code(set_up(alices))
    for expected in (True, False):
        other = Client()
        sign_in(other)
        other.post(AUTHENTICATE, {"code": f" {right[:3]} {right[3:]} "})
        assert is_in(other) == expected
        assert cache.delete(f"allauth.mfa.totp.used?user={alice.pk}&code={right}")


def test_turning_it_off_needs_the_password(alices: Client) -> None:
    set_up(alices)
    page = alices.get(DEACTIVATE)
    assert page.status_code == 200 and "invalid-feedback" not in page.content.decode()
    for wrong in ({}, {"password": "wrong"}):
        assert alices.post(DEACTIVATE, wrong).status_code == 422
    for _again in range(4):
        alices.post(DEACTIVATE, {"password": "wrong"})
    assert alices.post(DEACTIVATE, {"password": "wrong"}).status_code == 429
    assert Authenticator.objects.exists()


def test_password_is_enough_when_it_is_turned_off(alices: Client) -> None:
    set_up(alices)
    for _twice in range(2):
        answer = alices.post(DEACTIVATE, {"password": PASSWORD})
        assert answer.status_code == 302 and answer["Location"] == HOME
    assert not Authenticator.objects.exists()
    sign_in(other := Client())
    assert is_in(other)


@pytest.mark.django_db(transaction=True)
def test_turning_it_on_and_off_at_the_same_time_breaks_nothing(alices: Client) -> None:
    def posting(path: str, data: dict[str, str]) -> Any:
        browser = Client()
        browser.cookies.load({name: one.value for name, one in alices.cookies.items()})
        return lambda: browser.post(path, data)

    page = alices.get(ACTIVATE).content.decode()
    [secret] = re.findall(r"<code>(\w+)</code>", page)
    now = code(secret)
    answers = race(*(posting(ACTIVATE, {"code": now}) for _ in range(3)))
    assert {status for status, _page in answers} <= {302, 422}
    assert Authenticator.objects.filter(type="totp").count() == 1
    assert alices.post(ACTIVATE, {"code": now})["Location"] == HOME
    answers = race(*(posting(DEACTIVATE, {"password": PASSWORD}) for _ in range(3)))
    assert [status for status, _page in answers] == [302] * 3
    assert not Authenticator.objects.exists()


def test_administrator_can_remove_two_factor_authentication(alices: Client, alice: User) -> None:
    set_up(alices)
    assert take_away(alice) and not take_away(alice)
    sign_in(other := Client())
    assert is_in(other)


@pytest.mark.parametrize("path", ["", "totp/activate/", "totp/deactivate/", "recovery-codes/"])
def test_visitor_is_redirected_to_sign_in(client: Client, db: None, path: str) -> None:
    answer = client.get(f"{HOME}{path}")
    assert answer.status_code == 302 and answer["Location"].startswith("/accounts/login/")


def test_pages_are_in_french_for_french_readers(alices: Client) -> None:
    french = {"accept-language": "fr"}
    secret = set_up(alices)
    for path in (HOME, DEACTIVATE, CODES, f"{CODES}generate/", "/accounts/"):
        page = alices.get(path, headers=french).content.decode()
        assert re.search(r"deux facteurs|secours|Votre compte", page)
    other = Client(headers=french)
    sign_in(other)
    page = other.get(AUTHENTICATE).content.decode()
    assert "application" in page and "Type the code" not in page and secret not in page


def test_account_page_links_to_all_settings(alices: Client) -> None:
    page = alices.get("/accounts/").content.decode()
    for path in ("password/change/", "email/", "two-factor/", "farewell/"):
        assert f'href="/accounts/{path}"' in page
        assert alices.get(f"/accounts/{path}").status_code == 200
    assert 'href="/accounts/"' in alices.get("/gangs/").content.decode()


def test_signing_out_elsewhere_ends_other_sessions(alices: Client, alice: User) -> None:
    other = Client()
    sign_in(other)
    assert other.get("/gangs/").status_code == 200
    for _twice in range(2):
        assert alices.post("/accounts/sessions/end/").status_code == 302
        assert alices.get("/gangs/").status_code == 200
    assert other.get("/gangs/").status_code == 302
    sign_in(other)
    assert other.get("/gangs/").status_code == 200


def test_old_sessions_without_a_round_stay_valid(alice: User) -> None:
    from django.contrib.auth.base_user import AbstractBaseUser

    assert alice.get_session_auth_hash() == AbstractBaseUser.get_session_auth_hash(alice)
    before = alice.get_session_auth_hash()
    alice.end_sessions()
    assert alice.get_session_auth_hash() != before
