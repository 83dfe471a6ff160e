"""Guessing passwords becomes slower and slower; nobody locks anybody else out."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.db import connection
from django.test import Client

from accounts.authentication import addresses, attempts
from accounts.models import FailedSignIns, User

PASSWORD = "correct horse battery"
HOME, ELSEWHERE = "192.0.2.1", "198.51.100.7"


def sign_in(client: Client, login: str, password: str = PASSWORD, at: str = ELSEWHERE) -> Any:
    data = {"login": login, "password": password}
    return client.post("/accounts/login/", data, REMOTE_ADDR=at)


def fail(times: int, login: str = "alice", at: str = ELSEWHERE) -> list[int]:
    return [sign_in(Client(), login, "wrong", at).status_code for _ in range(times)]


def is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


@pytest.fixture
def at_home(alice: User) -> Client:
    """A browser in which alice signed in before; she is signed out now."""
    client = Client()
    assert sign_in(client, "alice", at=HOME).status_code == 302
    client.post("/accounts/logout/")
    assert not is_in(client)
    return client


@pytest.mark.long
def test_waits_double_and_are_shown_in_seconds(
    alice: User, move_clock: Callable[[float], None]
) -> None:
    client = Client()
    assert fail(5) == [422] * 5
    for seconds in (1, 2, 4, 8):
        refused = sign_in(client, "alice")
        assert refused.status_code == 429
        assert refused["Retry-After"] == str(seconds)
        page = unescape(refused.content.decode())
        assert f"Wait {seconds} second" in page and 'value="alice"' in page
        # Trying too early does not prolong the wait.
        move_clock(seconds)
        assert fail(1) == [422]
    move_clock(16)
    assert sign_in(client, "alice").status_code == 302 and is_in(client)


@pytest.mark.long
def test_waits_are_limited_and_forgotten_after_an_hour(
    alice: User, move_clock: Callable[[float], None]
) -> None:
    fail(5)
    FailedSignIns.objects.update(count=1000)
    assert int(sign_in(Client(), "alice")["Retry-After"]) <= 300
    move_clock(3601)
    client = Client()
    sign_in(client, "alice")
    assert is_in(client)
    move_clock(3601)
    assert attempts.forget_old() == 3
    assert not FailedSignIns.objects.exists()


@pytest.mark.long
def test_right_password_is_never_slowed_down(alice: User) -> None:
    for _again in range(40):
        client = Client()
        sign_in(client, "alice")
        assert is_in(client)


def test_stranger_cannot_lock_a_player_out_of_their_device(at_home: Client, alice: User) -> None:
    assert 429 in fail(8)
    assert sign_in(Client(), "alice", at=HOME).status_code == 302
    # This is true even at the stranger's address: the device counts.
    assert sign_in(at_home, "alice").status_code == 302


def test_known_device_has_its_own_limits(at_home: Client, bob: User) -> None:
    assert [sign_in(at_home, "alice", "wrong").status_code for _ in range(7)] == [422] * 5 + [
        429
    ] * 2
    # Failures on it do not count elsewhere, and it is a strange device for other accounts.
    assert sign_in(Client(), "alice").status_code == 302
    fail(8, "bob")
    assert sign_in(at_home, "bob").status_code == 429


def test_device_cookie_is_for_the_server_only(at_home: Client) -> None:
    cookie = at_home.cookies["device"]
    assert cookie["httponly"] and cookie["samesite"] == "Lax" and cookie["max-age"] > 10**7


@pytest.mark.parametrize("value", ["", "x", "a:b:c", "W10:1wX0:abc"])
def test_forged_device_cookie_identifies_nobody(alice: User, value: str) -> None:
    fail(6)
    client = Client()
    client.cookies["device"] = value
    assert sign_in(client, "alice").status_code == 429


def test_password_change_makes_other_devices_unknown(at_home: Client, alice: User) -> None:
    other = Client()
    sign_in(other, "alice", at=HOME)
    new = "a wholly different phrase"
    data = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    assert other.post("/accounts/password/change/", data).status_code == 302
    other.post("/accounts/logout/")
    fail(8)
    assert sign_in(at_home, "alice", new).status_code == 429
    assert sign_in(other, "alice", new).status_code == 302


@pytest.mark.long
def test_guesses_of_one_name_from_everywhere_are_slowed_down(at_home: Client, alice: User) -> None:
    answers = [fail(1, at=f"203.0.113.{place}")[0] for place in range(30)]
    assert answers == [422] * 20 + [429] * 10
    refused = sign_in(Client(), "alice", at=HOME)
    assert refused.status_code == 429 and int(refused["Retry-After"]) <= 60
    assert sign_in(at_home, "alice").status_code == 302


@pytest.mark.long
def test_guesses_of_many_names_from_one_address_are_slowed_down(alice: User) -> None:
    answers = [fail(1, f"name{number}")[0] for number in range(35)]
    assert answers == [422] * 30 + [429] * 5
    assert sign_in(Client(), "alice", at=HOME).status_code == 302


@pytest.mark.long
def test_flood_of_other_names_keeps_the_counter(alice: User) -> None:
    fail(5)
    for number in range(120):
        fail(1, f"name{number}", at=f"203.0.113.{number}")
    assert sign_in(Client(), "alice").status_code == 429


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_guesses_at_the_same_time_are_all_counted(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[str] = []
    verify = MD5PasswordHasher.verify

    def counted(self: MD5PasswordHasher, password: str, encoded: str) -> bool:
        checked.append(password)
        return verify(self, password, encoded)

    monkeypatch.setattr(MD5PasswordHasher, "verify", counted)
    start = threading.Barrier(12)

    def guess(number: int) -> int:
        try:
            start.wait(120)
            return fail(1)[0]
        finally:
            connection.close()

    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(guess, range(12)))
    assert sorted(answers) == [422] * 5 + [429] * 7
    assert len(checked) == 5


@pytest.mark.parametrize("login", ["alice", "alice@example.org", "nobody", "nobody@example.org"])
def test_wrong_password_costs_the_same_for_known_and_unknown_names(
    alice: User, monkeypatch: pytest.MonkeyPatch, login: str
) -> None:
    hashed: list[str] = []
    encode = MD5PasswordHasher.encode

    def counted(self: MD5PasswordHasher, password: str, salt: str) -> str:
        hashed.append(password)
        return encode(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", counted)
    fail(1, login)
    assert hashed == ["wrong"]
    assert fail(6, login) == [422] * 4 + [429] * 2


@pytest.mark.parametrize(
    "path,status", [("/accounts/reauthenticate/", 302), ("/accounts/farewell/", 302)]
)
def test_guesses_in_a_signed_in_browser_are_slowed_down(
    alice: User, path: str, status: int, move_clock: Callable[[float], None]
) -> None:
    client = Client()
    client.force_login(alice)
    answers = [client.post(path, {"password": "wrong"}) for _ in range(7)]
    assert [answer.status_code for answer in answers] == [422] * 5 + [429] * 2
    assert "Wait" in answers[-1].content.decode() and answers[-1]["Retry-After"]
    move_clock(300)
    assert client.post(path, {"password": PASSWORD}).status_code == status


def test_wait_is_explained_in_french(alice: User) -> None:
    fail(5)
    client = Client(headers={"accept-language": "fr"})
    page = unescape(sign_in(client, "alice").content.decode())
    assert re.search(r"Attendez 1\sseconde", page)


@pytest.fixture
def fresh_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has not noticed a proxy yet."""
    monkeypatch.setattr(addresses, "_has_warned", False)


def test_unannounced_proxy_is_noticed_once(
    client: Client, fresh_process: None, caplog: pytest.LogCaptureFixture, settings: Any
) -> None:
    caplog.set_level(logging.WARNING, "accounts.authentication.addresses")
    client.get("/health/")
    client.get("/health/", headers={"x-forwarded-for": HOME}, REMOTE_ADDR="8.8.8.8")
    assert addresses.unannounced_proxy() is None
    for _again in range(3):
        client.get("/health/", headers={"x-forwarded-for": HOME}, REMOTE_ADDR="127.0.0.1")
    assert addresses.unannounced_proxy() is not None
    assert caplog.text.count("TRUSTED_PROXIES") == 1
    settings.TRUSTED_PROXIES = 1
    assert addresses.unannounced_proxy() is None


@pytest.mark.parametrize(
    "proxies,forwarded,connection,expected",
    [
        (0, "203.0.113.9", HOME, HOME),
        (1, "203.0.113.9", HOME, "203.0.113.9"),
        (1, "6.6.6.6, 203.0.113.9", HOME, "203.0.113.9"),
        (2, "6.6.6.6, 203.0.113.9, 10.0.0.1", HOME, "203.0.113.9"),
        (2, "203.0.113.9", HOME, HOME),
        (1, "nonsense", HOME, HOME),
        (1, "", "", addresses.UNKNOWN),
        (1, "[2001:db8::1]:443", HOME, "2001:db8::1"),
    ],
)
def test_address_of_the_client_is_found_behind_trusted_proxies(
    rf: Any, settings: Any, proxies: int, forwarded: str, connection: str, expected: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    request = rf.get("/", headers={"x-forwarded-for": forwarded}, REMOTE_ADDR=connection)
    assert addresses.client_address(request) == expected


def test_addresses_of_one_network_share_a_counter(alice: User) -> None:
    for number in range(5):
        fail(1, at=f"2001:db8:0:1::{number}")
    assert fail(1, at="2001:db8:0:1::ffff") == [429]
    assert fail(1, at="2001:db8:0:2::1") == [422]
