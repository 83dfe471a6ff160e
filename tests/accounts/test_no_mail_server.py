"""Sites without a mail server: no page claims that a mail was sent."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings as site_settings
from django.core import mail
from django.core.mail import EmailMessage
from django.test import Client
from django.test.signals import template_rendered
from django.urls import reverse

import skirmish.settings
from accounts import mailing
from accounts.models import User
from administration import panels
from common.models import Job
from common.site_state import Level
from tests.random_cases import one_soon
from tests.test_settings import manage
from tests.world.campaigns import make_campaign

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
    # The log names these mails (see below).
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


@pytest.mark.django_db(transaction=True)
def test_log_names_each_mail_that_was_not_sent_and_has_none_of_their_links(
    alice: User,
    bob: User,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    composed: list[EmailMessage] = []
    rendered: set[str] = set()

    def compose(
        job: Job, letter: mailing.Letter, message_of: Any = mailing.message_of
    ) -> EmailMessage:
        composed.append(message_of(job, letter))
        return composed[-1]

    def note(template: Any, **_signal: Any) -> None:
        rendered.add(template.name)

    monkeypatch.setattr(mailing, "message_of", compose)
    template_rendered.connect(note)
    settings.MAILERS = skirmish.settings.MAILERS
    settings.MAIL_SERVER = False
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    User.objects.filter(pk=alice.pk).update(mail_notices=True)
    visitor, user, organiser = Client(), Client(), Client()
    user.force_login(alice)
    organiser.force_login(bob)
    names = {"password1": "correct horse battery", "password2": "correct horse battery"}
    for name, address in (("dora", "dora@example.org"), ("erna", alice.email)):
        form = {"username": name, "email": address, **names}
        assert Client().post(reverse("account_signup"), form).status_code == 302
    visitor.post(reverse("account_reset_password"), {"email": alice.email})
    user.post(reverse("account_email"), {"email": "new@example.org", "action_add": "1"})
    campaign = make_campaign(bob)
    invite = reverse("campaigns:invite", args=[campaign.pk])
    for whom in ("fay@example.org", alice.username):
        organiser.post(invite, {"whom": whom})
    template_rendered.disconnect(note)
    folder = site_settings.BASE_DIR / "templates"
    ours = {str(path.relative_to(folder)) for path in folder.rglob("*.txt")}
    assert {name for name in ours if re.search("_mail|/email/", name)} <= rendered
    assert any("password_reset_key" in name for name in rendered)

    out, err = capfd.readouterr()
    said = f"{caplog.text}{out}{err}"
    links = {urlsplit(link).path for sent in composed for link in re.findall(r"http\S+", sent.body)}
    keys = {part for link in links for part in link.split("/") if len(part) > 15}
    assert len(composed) == 6 and len(keys) == 5
    assert not [key for key in keys if key in said]
    assert "http" not in said
    for sent in composed:
        assert f"“{sent.subject}” to {sent.to[0]}" in said
        # Only the subject, which a mail about a notice repeats.
        lines = [line for line in sent.body.splitlines() if len(line) > 20]
        assert not [line for line in lines if line in said and line not in sent.subject]


@pytest.mark.parametrize("debug", one_soon([False, True]))
def test_only_developers_see_whole_mails_on_the_console(debug: bool, tmp_path: Path) -> None:
    names = {"DATA_DIR": str(tmp_path), "SECRET_KEY": "x" * 50, "DEBUG": str(int(debug))}
    done = manage("sendtestemail", "dora@example.org", **names)
    assert done.returncode == 0
    assert ("successful" in done.stdout + done.stderr) is debug
    assert ("was not sent" in done.stderr and "to dora@example.org" in done.stderr) is not debug
