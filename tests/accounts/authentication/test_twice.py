"""The same form twice, in sequence or at the same time: nothing breaks or is doubled."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.models import User
from tests.campaigns.racing import race
from tests.world.campaigns import make_campaign
from tests.world.gangs import make_gang

PASSWORD, NEW = "correct horse battery", "a wholly different phrase"
ROUNDS = 3

pytestmark = pytest.mark.django_db(transaction=True)


def same_browser(client: Client) -> Client:
    """Return another client of the same browser, with its current cookies."""
    other = Client()
    other.cookies.load({name: morsel.value for name, morsel in client.cookies.items()})
    return other


def posting(client: Client, path: str, data: dict[str, str]) -> Callable[[], Any]:
    browser = same_browser(client)
    return lambda: browser.post(path, data)


def signed_in(client: Client) -> Client:
    assert client.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    return client


def form(name: str, **data: str) -> dict[str, str]:
    passwords = {"password1": PASSWORD, "password2": PASSWORD}
    return {"username": name, "email": f"{name}@example.org", **passwords, **data}


@pytest.mark.long
@pytest.mark.parametrize("at_once", [2, 4])
def test_sign_ups_at_the_same_time_make_one_account_and_sign_in(
    client: Client, at_once: int
) -> None:
    for number in range(ROUNDS):
        name = f"dora{number}"
        browsers = [same_browser(client) for _ in range(at_once)]
        acts = [partial(browser.post, "/accounts/signup/", form(name)) for browser in browsers]
        assert [status for status, _page in race(*acts)] == [302] * at_once
        user = User.objects.get(username=name)
        assert EmailAddress.objects.filter(user=user).count() == 1
        for browser in browsers:
            assert browser.session["_auth_user_id"] == str(user.pk)


def test_second_sign_up_with_the_same_form_signs_in(client: Client) -> None:
    first, second = same_browser(client), same_browser(client)
    answers = [browser.post("/accounts/signup/", form("dora")) for browser in (first, second)]
    assert answers[0]["Location"] == answers[1]["Location"]
    assert "_auth_user_id" in second.session
    assert User.objects.count() == 1


@pytest.mark.parametrize("change", [{"password1": NEW, "password2": NEW}, {"password1": ""}])
def test_different_sign_up_with_a_taken_name_is_refused(
    client: Client, change: dict[str, str]
) -> None:
    client.post("/accounts/signup/", form("dora"))
    other = Client()
    answer = other.post("/accounts/signup/", form("dora", email="else@example.org", **change))
    assert answer.status_code == 422 and 'value="dora"' in answer.content.decode()
    assert "_auth_user_id" not in other.session


def test_sign_up_cannot_guess_the_password_of_a_taken_name(client: Client, alice: User) -> None:
    """The limits on attempts apply here, too."""
    for _again in range(5):
        Client().post("/accounts/signup/", form("alice", password1="x", password2="x"))
    assert client.post("/accounts/signup/", form("alice")).status_code == 422
    assert "_auth_user_id" not in client.session


@pytest.mark.long
def test_sign_ins_at_the_same_time_all_succeed(client: Client, alice: User) -> None:
    data = {"login": "alice", "password": PASSWORD}
    for _again in range(ROUNDS):
        browsers = [same_browser(client) for _ in range(3)]
        acts = [partial(browser.post, "/accounts/login/", data) for browser in browsers]
        assert [status for status, _page in race(*acts)] == [302] * 3
        assert all("_auth_user_id" in browser.session for browser in browsers)


@pytest.mark.parametrize(
    "path,data,allowed",
    [
        (
            "/accounts/password/change/",
            {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW},
            {302, 422},
        ),
        ("/accounts/email/", {"email": "new@example.org", "action_add": ""}, {302, 422}),
        ("/accounts/email/", {"email": "alice@example.org", "action_send": ""}, {302}),
        ("/accounts/email/", {"email": "alice@example.org", "action_remove": ""}, {302}),
        ("/accounts/email/", {"email": "alice@example.org", "action_primary": ""}, {302}),
        ("/accounts/reauthenticate/", {"password": PASSWORD}, {302}),
        ("/notices/mail/", {"mail_notices": "other"}, {302}),
        ("/language/", {"language": "fr"}, {302}),
        ("/accounts/logout/", {}, {302}),
        ("/accounts/farewell/", {"password": PASSWORD}, {302, 422}),
    ],
)
def test_account_forms_at_the_same_time_break_nothing(
    client: Client, alice: User, path: str, data: dict[str, str], allowed: set[int]
) -> None:
    signed_in(client)
    answers = race(*(posting(client, path, data) for _ in range(3)))
    statuses = {status for status, _page in answers}
    assert statuses <= allowed and 302 in statuses
    # A repetition shortly afterwards also works.
    assert posting(client, path, data)().status_code in {302, 422}
    assert EmailAddress.objects.filter(email="new@example.org").count() <= 1
    assert User.objects.filter(username="alice").exists() == ("farewell" not in path)


def link(client: Client, word: str) -> str:
    """Return the newest link with this word in a mail."""
    words = " ".join(message.body for message in mail.outbox).split()
    return [found for found in words if word in found][-1].removeprefix("http://testserver")


def test_address_can_be_confirmed_twice(client: Client) -> None:
    client.post("/accounts/signup/", form("dora"))
    path = link(client, "/confirm-email/")
    answers = race(*(posting(client, path, {}) for _ in range(3)))
    assert [status for status, _page in answers] == [302] * 3
    assert posting(client, path, {})().status_code == 302
    assert EmailAddress.objects.get().verified
    assert client.post(path.replace("/confirm-email/", "/confirm-email/x")).status_code == 404


def test_password_reset_can_be_sent_twice(client: Client, alice: User) -> None:
    client.post("/accounts/password/reset/", {"email": alice.email})
    page = client.get(link(client, "/password/reset/key/"), follow=True)
    path = page.request["PATH_INFO"]
    data = {"password1": NEW, "password2": NEW}
    answers = race(*(posting(client, path, data) for _ in range(3)))
    assert [status for status, _page in answers] == [302] * 3
    again = posting(client, path, data)()
    assert again.status_code == 302 and again["Location"] == "/accounts/password/reset/key/done/"
    # The link cannot be used again.
    other = {"password1": PASSWORD, "password2": PASSWORD}
    assert posting(client, path, other)().status_code == 200
    alice.refresh_from_db()
    assert alice.check_password(NEW)


@pytest.mark.long
def test_second_join_says_that_the_gang_has_joined(client: Client, alice: User, bob: User) -> None:
    campaign = make_campaign(bob)
    path = reverse("campaigns:join", args=[campaign.invite_key])
    client.force_login(alice)
    for _again in range(ROUNDS):
        gang = make_gang(alice, campaign.book_version.slug)
        data = {"gang": str(gang.pk), f"seen-{gang.pk}": str(gang.version)}
        answers = race(*(posting(client, path, data) for _ in range(2)))
        assert [status for status, _page in answers] == [302, 302]
        assert all("is in." in page for _status, page in answers)
        assert posting(client, path, data)().status_code == 302
        assert campaign.memberships.filter(gang=gang).count() == 1
