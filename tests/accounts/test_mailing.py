"""Mails leave after their data is stored; a failing mail server stops nobody."""

from __future__ import annotations

import logging
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from statistics import median
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from accounts import mailing
from accounts.models import User
from common import background
from common.models import Job
from tests.accounts.mail_servers import Health, mail_server
from tests.jobs import wait_for_jobs
from tests.work import calls

PASSWORD = "correct horse battery"
ILL: list[Health] = ["refusing", "hanging", "half-dead", "closing"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def senders(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Return the threads that send mails."""
    found: set[int] = set()

    def noted(mail: Job) -> None:
        found.add(threading.get_ident())
        mailing.send(mail)

    work = replace(background._works[mailing.MAIL], function=noted)
    monkeypatch.setitem(background._works, mailing.MAIL, work)
    return found


def tried() -> list[Job]:
    """Return the site's mails once each has been tried."""
    wait_for_jobs()
    return list(mailing.stored_mails().order_by("pk"))


def send_due() -> None:
    background.carry_out(mailing.LANE)


def sign_up(client: Client, name: str = "dora") -> Any:
    data = {"username": name, "email": f"{name}@example.org"}
    return client.post("/accounts/signup/", {**data, "password1": PASSWORD, "password2": PASSWORD})


def some(count: int = 1) -> list[Job]:
    return [mailing.compose(f"No. {at}", "Read this.", f"p{at}@example.org") for at in range(count)]


def ill_and_due(**values: Any) -> None:
    Job.objects.update(next_at=timezone.now(), **values)


@pytest.mark.parametrize("health", ILL)
def test_sign_up_works_with_a_failing_mail_server(
    client: Client, settings: Any, in_threads: None, health: Health, senders: set[int]
) -> None:
    with mail_server(health) as server:
        settings.MAILERS = server.mailers
        response = sign_up(client)
        assert response.status_code == 302 and "_auth_user_id" in client.session
        assert client.get(response["Location"]).status_code == 200
        [waiting] = tried()
    assert waiting.body["to"] == "dora@example.org" and "/confirm-email/" in waiting.body["text"]
    # Signing up did not wait for the mail server: another thread connected to it.
    assert senders and threading.get_ident() not in senders
    assert waiting.finished_at is None and waiting.tries == 1 and waiting.error
    assert waiting.next_at and waiting.next_at > timezone.now()


def test_sign_up_works_without_a_mail_server(
    client: Client, settings: Any, in_threads: None
) -> None:
    with mail_server() as server:
        settings.MAILERS = server.mailers
    assert sign_up(client).status_code == 302
    [waiting] = tried()
    assert "ConnectionRefusedError" in waiting.error


def test_failed_mail_is_sent_when_the_server_works_again(settings: Any) -> None:
    with mail_server("refusing") as server:
        settings.MAILERS = server.mailers
        mailing.post(some())
        [waiting] = Job.objects.waiting()
        assert "nobody of that name" in waiting.error
        server.health = "well"
        send_due()
        assert server.received == []
        ill_and_due()
        send_due()
        assert len(server.received) == 1
    [sent] = Job.objects.all()
    assert sent.finished_at and sent.next_at is None and sent.tries == 2
    assert sent.body == {} and sent.error == "" and sent.failed_at is None


def test_refused_mail_does_not_hold_back_others(settings: Any) -> None:
    with mail_server() as server:
        settings.MAILERS = server.mailers
        bad, *good = some(3)
        bad.body["to"] = "nöbody@example.org"
        mailing.post([bad, *good])
        assert [message["To"] for message in server.received] == [one.body["to"] for one in good]
    assert list(Job.objects.waiting()) == [bad]


@pytest.mark.parametrize("health", ["hanging", "half-dead"])
def test_hanging_server_is_tried_once_for_all_mails(settings: Any, health: Health) -> None:
    with mail_server(health) as server:
        settings.MAILERS = server.mailers
        mailing.post(some(20))
        assert server.asked == 1
    assert list(Job.objects.order_by("pk").values_list("tries", flat=True)) == [1] + [0] * 19


def test_retries_become_rarer_until_a_mail_is_given_up(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR, "common.background")
    with mail_server("refusing") as server:
        settings.MAILERS = server.mailers
        mailing.post(some())
        pauses = []
        for _again in range(9):
            [waiting] = Job.objects.waiting()
            assert waiting.next_at
            pauses.append(round((waiting.next_at - timezone.now()).total_seconds() / 60))
            ill_and_due()
            send_due()
        assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]
        ill_and_due(created_at=timezone.now() - timedelta(days=4))
        send_due()
    assert not Job.objects.waiting()
    [given_up] = Job.objects.given_up()
    assert given_up.body == {} and given_up.error
    assert "given up" in caplog.text


@pytest.mark.long
def test_each_mail_is_sent_by_one_of_many_processes(settings: Any) -> None:
    with mail_server() as server:
        settings.MAILERS = server.mailers
        Job.objects.bulk_create(some(30))
        start = threading.Barrier(4)

        def run() -> None:
            try:
                start.wait(120)
                send_due()
            finally:
                connection.close()

        with ThreadPoolExecutor(4) as pool:
            for ended in [pool.submit(run) for _ in range(4)]:
                ended.result()
        got = [message["Subject"] for message in server.received]
        ids = {message["Message-ID"] for message in server.received}
    assert len(got) == len(set(got)) == len(ids) == 30
    assert Job.objects.filter(finished_at=None).count() == 0


def test_mail_of_a_dead_process_is_sent_by_another_with_the_same_id(
    settings: Any,
) -> None:
    with mail_server() as server:
        settings.MAILERS = server.mailers
        Job.objects.bulk_create(some())
        [number] = Job.objects.values_list("pk", flat=True)
        taken = background._take(number, background._works[mailing.MAIL])
        assert taken is not None
        send_due()
        assert server.received == []
        ill_and_due()
        send_due()
        [message] = server.received
        letter = mailing.letter_of(taken)
        assert letter is not None
        made = mailing.message_of(taken, letter)
        assert message["Message-ID"] == made.extra_headers["Message-ID"]
        assert message["Auto-Submitted"] == "auto-generated"


def test_rolled_back_transaction_sends_no_mail() -> None:
    with pytest.raises(RuntimeError), transaction.atomic():
        mailing.post(some())
        raise RuntimeError
    assert mail.outbox == [] and not Job.objects.exists()


def test_mail_sent_a_week_ago_is_deleted() -> None:
    mailing.post(some(2))
    old = timezone.now() - timedelta(days=8)
    Job.objects.filter(title__contains="No. 0").update(created_at=old)
    Job.objects.bulk_create(some())
    Job.objects.waiting().update(created_at=old)
    assert background.forget_done() == 1
    assert Job.objects.waiting().count() == 1 and Job.objects.count() == 2


def reset(client: Client, address: str) -> tuple[int, Any]:
    """Return the amount of work of a password reset and its answer."""
    answers = []

    def ask() -> None:
        answers.append(client.post("/accounts/password/reset/", {"email": address}))

    return calls(ask), answers[0]


@pytest.mark.long
def test_password_reset_does_not_reveal_accounts(
    alice: User, settings: Any, in_threads: None, senders: set[int]
) -> None:
    """The amount of work is the same, too: another thread sends the mail."""
    settings.ACCOUNT_RATE_LIMITS = False
    with mail_server("hanging") as server:
        settings.MAILERS = server.mailers
        works: dict[str, list[int]] = {alice.email: [], "nobody@example.org": []}
        answers = set()
        for _again in range(5):
            for address, took in works.items():
                work, response = reset(Client(), address)
                took.append(work)
                answers.add((response.status_code, response["Location"]))
        assert len(answers) == 1
        known, unknown = (median(took) for took in works.values())
        assert abs(known - unknown) < known / 20
        server.stopped.set()
        tried()
    assert threading.get_ident() not in senders


def test_reset_link_uses_the_readers_address_of_the_site(
    alice: User, client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A real machine's name may be short enough to be found in a token by chance.
    monkeypatch.setattr(socket, "gethostname", lambda: "machine-in-the-cellar")
    client.post(
        "/accounts/password/reset/", {"email": "Alice@example.org"}, headers={"host": "localhost"}
    )
    assert "http://localhost/accounts/password/reset/key/" in mail.outbox[0].body
    settings.SITE_URL = "https://gangs.example.org"
    client.cookies["django_language"] = "fr"
    client.post("/accounts/password/reset/", {"email": alice.email})
    body = mail.outbox[1].body
    assert "https://gangs.example.org/accounts/password/reset/key/" in body
    assert "mot de passe" in body and "Skirmish" in body
    assert socket.gethostname() not in body


def test_mails_of_accounts_are_signed_with_the_sites_name(
    alice: User, client: Client, settings: Any
) -> None:
    """allauth would sign the mail about a changed password with the address of the request."""
    settings.SITE_NAME = "Club of the Old Mill"
    settings.ACCOUNT_EMAIL_NOTIFICATIONS = True
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    client.force_login(alice)
    new = "another long phrase"
    form = {"oldpassword": "correct horse battery", "password1": new, "password2": new}
    assert client.post("/accounts/password/change/", form).status_code == 302
    client.post("/accounts/password/reset/", {"email": alice.email})
    assert len(mail.outbox) == 2
    for message in mail.outbox:
        assert "Thank you for using Club of the Old Mill!" in message.body
        assert "Hello from Club of the Old Mill!" in message.body
