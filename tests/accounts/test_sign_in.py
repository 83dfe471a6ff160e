"""Signing up, signing in, and resetting a password."""

import pytest
from django.core import mail
from django.test import Client

from accounts.models import User

PASSWORD = "correct horse battery"


def signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("email", ["", "dora@example.org"])
def test_sign_up_needs_only_a_name_and_a_password(client: Client, email: str) -> None:
    data = {"username": "dora", "email": email, "password1": PASSWORD, "password2": PASSWORD}
    response = client.post("/accounts/signup/", data)
    assert response.status_code == 302
    assert User.objects.get(username="dora").email == email
    assert signed_in(client)
    assert len(mail.outbox) == (1 if email else 0)


def test_a_weak_password_is_explained_beside_its_field(client: Client, db: None) -> None:
    data = {"username": "dora", "password1": "1234", "password2": "1234"}
    response = client.post("/accounts/signup/", data)
    page = response.content.decode()
    assert 'value="dora"' in page
    assert "invalid-feedback" in page
    assert not User.objects.exists()


@pytest.mark.parametrize("login", ["alice", "alice@example.org", "Alice@Example.org"])
def test_signing_in_by_name_or_address(client: Client, alice: User, login: str) -> None:
    client.post("/accounts/login/", {"login": login, "password": PASSWORD})
    assert signed_in(client)


def test_too_many_wrong_passwords_are_slowed_down(client: Client, alice: User) -> None:
    for _ in range(5):
        client.post("/accounts/login/", {"login": "alice", "password": "wrong"})
    client.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    assert not signed_in(client)


def test_signing_out_asks_first(client: Client, alice: User) -> None:
    client.force_login(alice)
    assert client.get("/accounts/logout/").status_code == 200
    assert signed_in(client)
    client.post("/accounts/logout/")
    assert not signed_in(client)


@pytest.mark.django_db(transaction=True)
def test_a_forgotten_password_is_reset_by_mail(client: Client, alice: User) -> None:
    client.post("/accounts/password/reset/", {"email": alice.email})
    [message] = mail.outbox
    assert message.to == [alice.email]
    assert message.subject.startswith("[Skirmish] ")
    [link] = [word for word in message.body.split() if "/password/reset/key/" in word]
    page = client.get(link, follow=True)
    new = "a wholly different phrase"
    client.post(page.request["PATH_INFO"], {"password1": new, "password2": new})
    alice.refresh_from_db()
    assert alice.check_password(new)


@pytest.mark.django_db(transaction=True)
def test_reset_sends_no_mail_to_an_unknown_address(client: Client) -> None:
    client.post("/accounts/password/reset/", {"email": "nobody@example.org"})
    assert mail.outbox == []


def test_pages_need_an_account_by_default(client: Client, db: None) -> None:
    response = client.get("/accounts/email/")
    assert response.status_code == 302
    assert response.headers["Location"] == "/accounts/login/?next=/accounts/email/"


@pytest.mark.parametrize(
    "path",
    ["login/", "signup/", "password/reset/", "password/reset/done/", "inactive/", "confirm-email/"],
)
def test_account_pages_use_the_sites_templates(client: Client, db: None, path: str) -> None:
    page = client.get(f"/accounts/{path}").content.decode()
    assert 'class="band"' in page


@pytest.mark.parametrize("path", ["email/", "password/change/", "logout/", "reauthenticate/"])
def test_account_pages_for_users_use_the_sites_templates(
    client: Client, alice: User, path: str
) -> None:
    client.force_login(alice)
    page = client.get(f"/accounts/{path}").content.decode()
    assert 'class="band"' in page
