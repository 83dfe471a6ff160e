"""Messages to devices: encrypted, signed, sent once, and never to people who are gone."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone, translation

from accounts import notices
from accounts.models import Notice, User
from common import background
from common.models import Job
from outbound.push import sending
from outbound.push.models import PushDevice
from tests.outbound.push.conftest import Phone, claims_of
from tests.outbound.servers import Server, answer, let_pauses_pass

CAT = "a_cat_sat"
PLACE = "/gangs/"


@pytest.fixture(autouse=True)
def _a_kind_of_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind of notices that a new device shows."""
    from django.utils.translation import gettext as _

    monkeypatch.setattr(notices, "_kinds", {**notices._kinds})
    notices.register(CAT, lambda values: f"{_('Password')}: {values['cat']}", topic="paired")


def tell(user: User, cat: str = "Tom") -> Notice:
    notices.notify([user], CAT, {"cat": cat}, PLACE)
    return Notice.objects.latest("pk")


def carry_out() -> None:
    let_pauses_pass()
    background.carry_out(sending.LANE)


def pushes() -> int:
    return Job.objects.filter(kind=sending.PUSH).count()


def test_notice_arrives_encrypted_and_signed(
    device: PushDevice, phone: Phone, push_service: Server, alice: User
) -> None:
    notice = tell(alice)
    carry_out()
    [request] = push_service.requests
    assert (request.method, request.path) == ("POST", "/phone")
    assert phone.read(request) == {
        "title": "Skirmish",
        "body": "Password: Tom",
        "url": PLACE,
        "tag": f"notice-{notice.pk}",
    }
    assert b"Tom" not in request.body and request.headers["ttl"] == "86400"
    claims = claims_of(request)
    assert claims["aud"] == "https://push.example"
    assert claims["sub"] == "https://gangs.example.org"
    assert 0 < claims["exp"] - timezone.now().timestamp() < 24 * 3600
    assert pushes() == 0
    device.refresh_from_db()
    assert device.sent_at is not None


@pytest.mark.parametrize(("own", "of_device"), [("fr", "en"), ("", "fr")])
def test_notice_arrives_in_the_readers_language(
    device: PushDevice, phone: Phone, push_service: Server, alice: User, own: str, of_device: str
) -> None:
    User.objects.filter(pk=alice.pk).update(language=own)
    PushDevice.objects.update(language=of_device)
    tell(alice)
    with translation.override("en"):
        carry_out()
    assert phone.read(push_service.requests[0])["body"] == "Mot de passe: Tom"


def test_long_notice_is_cut_to_fit_a_message(
    device: PushDevice, phone: Phone, push_service: Server, alice: User
) -> None:
    tell(alice, "🐈" * 2000)
    carry_out()
    [request] = push_service.requests
    assert len(request.body) <= 4096 and len(phone.read(request)["body"]) == sending.LONGEST


def test_device_gets_only_its_topics(device: PushDevice, alice: User, bob: User) -> None:
    PushDevice.objects.update(topics=["night"])
    notices.notify([alice, bob], CAT, {"cat": "Tom"}, PLACE)
    assert pushes() == 0


def read(notice: Notice) -> None:
    notices.mark_read(notice.user, notice)


def delete(notice: Notice) -> None:
    notice.delete()


def block(notice: Notice) -> None:
    User.objects.filter(pk=notice.user_id).update(is_active=False)


@pytest.mark.parametrize("happens", [read, delete, block])
def test_message_is_dropped_when_nobody_needs_it_any_more(
    device: PushDevice, push_service: Server, alice: User, happens: Any
) -> None:
    happens(tell(alice))
    carry_out()
    assert push_service.requests == [] and pushes() == 0


def test_duty_that_is_done_drops_its_message(
    device: PushDevice, push_service: Server, alice: User
) -> None:
    notices.register(CAT, lambda values: "A cat", topic="paired", is_due=lambda notice: False)
    tell(alice)
    carry_out()
    assert push_service.requests == [] and pushes() == 0


@pytest.mark.parametrize("status", [404, 410])
def test_device_that_its_push_service_does_not_know_is_forgotten(
    device: PushDevice, push_service: Server, alice: User, status: int
) -> None:
    push_service.respond = lambda request: answer(status)
    tell(alice)
    tell(alice)
    carry_out()
    assert len(push_service.requests) == 1
    assert not PushDevice.objects.exists() and pushes() == 0


@pytest.mark.parametrize("status", [302, 403, 429, 500])
def test_message_is_sent_again_after_a_failure(
    device: PushDevice, phone: Phone, push_service: Server, alice: User, status: int
) -> None:
    push_service.respond = lambda request: answer(status, location="https://other.example/")
    tell(alice)
    carry_out()
    device.refresh_from_db()
    assert device.failing_since is not None and pushes() == 1
    push_service.respond = lambda request: answer(201)
    carry_out()
    device.refresh_from_db()
    assert device.failing_since is None and pushes() == 0


def test_device_that_fails_for_a_week_is_forgotten(
    device: PushDevice, push_service: Server, alice: User
) -> None:
    push_service.respond = lambda request: answer(500)
    PushDevice.objects.update(failing_since=timezone.now() - timedelta(days=8), failures=9)
    tell(alice)
    carry_out()
    assert not PushDevice.objects.exists()


@pytest.mark.parametrize("failures", [0, 1])
def test_device_with_a_rare_failure_is_kept(
    device: PushDevice, push_service: Server, alice: User, failures: int
) -> None:
    # A message waited or failed last week, and was dropped because its notice was read.
    push_service.respond = lambda request: answer(500)
    since = timezone.now() - timedelta(days=8)
    PushDevice.objects.update(failing_since=since, failures=failures)
    tell(alice)
    carry_out()
    device.refresh_from_db()
    assert device.failures == failures + 1 and pushes() == 1


def test_address_of_another_network_gets_nothing(
    device: PushDevice, push_service: Server, internet: Any, alice: User
) -> None:
    internet.names["push.example"] = [["127.0.0.1"]]
    tell(alice)
    carry_out()
    assert push_service.requests == [] and internet.dialled == []
    device.refresh_from_db()
    assert device.failing_since is not None


def test_no_log_and_no_job_shows_an_address_or_a_key(
    device: PushDevice, push_service: Server, alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    push_service.respond = lambda request: answer(500, b"push.example/phone")
    tell(alice)
    carry_out()
    job = Job.objects.get()
    stored = f"{job.title} {job.body} {job.error}"
    for secret in (device.endpoint, "push.example", device.p256dh, device.auth):
        assert secret not in caplog.text and secret not in stored


def test_message_of_yesterday_is_dropped(
    device: PushDevice, push_service: Server, alice: User
) -> None:
    tell(alice)
    Job.objects.update(created_at=timezone.now() - timedelta(days=2))
    carry_out()
    assert push_service.requests == [] and pushes() == 0


def test_press_on_test_sends_a_message(
    browser: Client, device: PushDevice, phone: Phone, push_service: Server
) -> None:
    browser.post(f"/notices/devices/{device.pk}/test/")
    carry_out()
    assert phone.read(push_service.requests[0])["body"].startswith("It works")
