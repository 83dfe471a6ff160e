"""Sites without a mail server: no page claims that a mail was sent."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.models import User
from administration import panels
from common.site_state import Level

SENT = ("have sent", "email sent", "on its way", "get a mail", "send you an email")


@pytest.fixture
def pages(alice: User, settings: Any) -> Any:
    """Return a function that asks for mails everywhere, and returns the texts of all pages."""

    def ask(*, server: bool) -> list[str]:
        settings.MAIL_SERVER = server
        visitor, user = Client(), Client()
        user.force_login(alice)
        reset = reverse("account_reset_password")
        form = {"email": "new@example.org", "action_add": "1"}
        answers = [
            visitor.get(reset),
            visitor.post(reset, {"email": alice.email}, follow=True),
            user.post(reverse("account_email"), form, follow=True),
            user.get(reverse("notices")),
            visitor.get(reverse("account_email_verification_sent")),
        ]
        return [answer.content.decode() for answer in answers]

    return ask


@pytest.mark.django_db(transaction=True)
def test_no_page_says_that_a_mail_was_sent_without_a_mail_server(pages: Any) -> None:
    for page in pages(server=False):
        assert not [words for words in SENT if words in page.casefold()]
        assert "This site sends no mail" in page
    # The links are in the log instead: the console's backend prints these mails.
    assert len(mail.outbox) == 2


@pytest.mark.django_db(transaction=True)
def test_pages_say_that_a_mail_was_sent_with_a_mail_server(pages: Any) -> None:
    reset, done, added, _notices, confirm = pages(server=True)
    assert "you get a mail" in reset
    assert all("on its way" in page for page in (done, added, confirm))


@pytest.mark.django_db
@pytest.mark.parametrize("server", [False, True])
def test_account_promises_a_reset_by_mail_only_with_a_mail_server(
    alice: User, settings: Any, server: bool
) -> None:
    settings.MAIL_SERVER = server
    user = Client()
    user.force_login(alice)
    page = user.get(reverse("account")).content.decode()
    assert ("you can reset" in page) is server
    assert ("This site sends no mail" in page) is not server


@pytest.mark.django_db
@pytest.mark.parametrize("server", [False, True])
def test_administrators_see_that_no_mail_server_is_set_up(settings: Any, server: bool) -> None:
    settings.MAIL_SERVER = server
    facts = [fact for fact in panels.mails() if "EMAIL_HOST" in str(fact.advice)]
    assert [fact.level for fact in facts] == ([] if server else [Level.WARNING])
