"""The first administrator's address is the account's, without a mail to confirm it."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.management import call_command
from django.test import Client

from accounts.mailing import confirmed_addresses
from accounts.models import User

pytestmark = pytest.mark.django_db(transaction=True)


def make(name: str, address: str, monkeypatch: Any) -> User:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "correct horse battery")
    call_command("createsuperuser", interactive=False, username=name, email=address, verbosity=0)
    return User.objects.get(username=name)


def test_address_given_to_createsuperuser_counts(monkeypatch: Any, settings: Any) -> None:
    settings.MAIL_SERVER = True
    root = make("root", "Root@example.org", monkeypatch)
    assert confirmed_addresses([root]) == {root.pk: "root@example.org"}
    client = Client()
    form = {"login": "root@example.org", "password": "correct horse battery"}
    assert client.post("/accounts/login/", form).status_code == 302
    Client().post("/accounts/password/reset/", {"email": "root@example.org"})
    assert [message.to for message in mail.outbox] == [["root@example.org"]]


def test_confirmed_address_of_another_account_is_not_taken(alice: User, monkeypatch: Any) -> None:
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    root = make("root", alice.email, monkeypatch)
    assert confirmed_addresses([alice, root]) == {alice.pk: alice.email}


def test_administrator_without_an_address_gets_none(monkeypatch: Any) -> None:
    root = make("root", "", monkeypatch)
    assert not EmailAddress.objects.filter(user=root).exists()
