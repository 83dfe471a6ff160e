"""Signing up does not reveal accounts; only the mail informs the owner of the address."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import connection
from django.forms import Form
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from accounts.authentication.passwords import LinkPasswordForm, NewPasswordForm
from accounts.authentication.sign_in import SignInForm
from accounts.authentication.sign_up import SignUpForm
from accounts.models import User

PASSWORD, OWN = "a wholly different phrase", "correct horse battery"
TAKEN, FREE = "alice@example.org", "other@example.org"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _mails_arrive(settings: Any) -> None:
    settings.MAIL_SERVER = True
    settings.ACCOUNT_RATE_LIMITS = False


def confirm(user: User) -> User:
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def sign_up(client: Client, name: str, address: str) -> Any:
    passwords = {"password1": PASSWORD, "password2": PASSWORD}
    return client.post("/accounts/signup/", {"username": name, "email": address, **passwords})


def seen(client: Client, name: str, address: str) -> list[tuple[int, str]]:
    """Return everything that a user sees of their account except its name and address."""
    answers = [sign_up(client, name, address)]
    pages = (answers[0]["Location"], "/accounts/", "/accounts/email/")
    answers += [client.get(page) for page in pages]
    for login in (name, address):
        typed = {"login": login, "password": PASSWORD}
        answers.append(Client().post("/accounts/login/", typed))
    shown = []
    for answer in answers:
        text = answer.content.decode().replace(name, "NAME").replace(address, "ADDRESS")
        # Random values, and the reader's name.
        own = r'(csrfmiddlewaretoken" value=|nonce=|data-who=|"X-CSRFToken": )"[^"]*"'
        text = re.sub(own, "", text)
        shown.append((answer.status_code, text))
    return shown


@pytest.mark.long
def test_sign_up_shows_the_same_for_a_used_and_an_unused_address(
    alice: User,
) -> None:
    confirm(alice)
    taken, free = seen(Client(), "dora", TAKEN), seen(Client(), "mallory", FREE)
    assert [status for status, _text in taken] == [302, 200, 200, 200, 302, 422]
    for known, unknown in zip(taken, free, strict=True):
        assert known == unknown
    assert User.objects.filter(username__in=("dora", "mallory")).count() == 2


def test_sign_up_does_the_same_work_for_a_used_and_an_unused_address(
    alice: User,
) -> None:
    confirm(alice)
    asked = []
    for name, address in (("dora", TAKEN), ("mallory", FREE)):
        with CaptureQueriesContext(connection) as queries:
            assert sign_up(Client(), name, address).status_code == 302
        asked.append([query["sql"][:30] for query in queries])
    assert asked[0] == asked[1]


def test_owner_of_an_address_gets_a_mail_about_its_use(alice: User) -> None:
    confirm(alice)
    sign_up(Client(), "dora", TAKEN)
    [message] = mail.outbox
    assert message.to == [TAKEN] and "You already have an account" in message.subject
    assert "account there: alice." in message.body
    assert "/accounts/login/" in message.body and "/accounts/password/reset/" in message.body
    assert "confirm-email" not in message.body and "dora" not in message.body
    # The mail is in the language of the owner, not of the person who signed up.
    User.objects.update(language="fr")
    with translation.override("en"):
        sign_up(Client(), "mallory", TAKEN)
    assert "Vous avez déjà un compte" in mail.outbox[1].subject
    assert "compte\N{NO-BREAK SPACE}: alice." in mail.outbox[1].body


def test_unconfirmed_address_goes_to_the_account_that_confirms_it(alice: User) -> None:
    """An earlier sign-up with the address does not block it."""
    EmailAddress.objects.create(user=alice, email=TAKEN, primary=True)
    client = Client()
    sign_up(client, "dora", TAKEN)
    [message] = mail.outbox
    link = re.search(r"/accounts/confirm-email/\S+", message.body)
    assert link and client.post(link[0]).status_code == 302
    assert EmailAddress.objects.get(verified=True).user.username == "dora"


def test_confirmed_address_stays_with_its_owner(alice: User) -> None:
    confirm(alice)
    sign_up(Client(), "dora", TAKEN)
    mail.outbox.clear()
    Client().post("/accounts/password/reset/", {"email": TAKEN})
    [message] = mail.outbox
    assert "alice" in message.body and "dora" not in message.body
    client = Client()
    client.post("/accounts/login/", {"login": TAKEN, "password": OWN})
    assert client.session["_auth_user_id"] == str(alice.pk)


@pytest.mark.parametrize(("mail_server", "status"), [(True, 422), (False, 302)])
def test_unconfirmed_address_signs_in_only_when_the_site_sends_no_mail(
    settings: Any, mail_server: bool, status: int
) -> None:
    settings.MAIL_SERVER = mail_server
    sign_up(Client(), "dora", FREE)
    answer = Client().post("/accounts/login/", {"login": FREE, "password": PASSWORD})
    assert answer.status_code == status
    if mail_server:
        assert "your user name always works" in answer.content.decode()


def test_sign_up_with_a_used_address_works_when_the_site_sends_no_mail(
    alice: User, settings: Any
) -> None:
    settings.MAIL_SERVER = False
    assert sign_up(Client(), "dora", TAKEN).status_code == 302
    assert User.objects.get(username="dora").email == TAKEN


@pytest.mark.parametrize("make", [SignUpForm, NewPasswordForm, LinkPasswordForm, SignInForm])
def test_forms_with_a_password_say_each_thing_once(make: type[Form]) -> None:
    form = make().as_div()
    assert 'type="password"' in form and "placeholder=" not in form
    # A list of rules fills a phone's screen before the second password.
    assert "<li>" not in form


@pytest.mark.parametrize("sends", [True, False])
def test_address_is_for_a_new_password_only_where_mail_is_sent(sends: bool, settings: Any) -> None:
    settings.MAIL_SERVER = sends
    assert bool(SignUpForm().fields["email"].help_text) == sends
