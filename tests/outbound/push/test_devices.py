"""Devices: added by their browser, chosen for, and ended with the session."""

from __future__ import annotations

import io
import json
from datetime import timedelta
from typing import Any
from zipfile import ZipFile

import pytest
from django.test import Client
from django.utils import timezone

from accounts import data_export, deletion
from accounts.models import User
from administration.data.hidden import hidden_columns
from common import background
from common.models import Job
from outbound.push import devices, sending
from outbound.push.models import PushDevice
from tests.hostile import nasty
from tests.outbound.push.conftest import Phone
from tests.outbound.servers import Server

PAGE = "/notices/"


def subscribe(client: Client, phone: Phone, **changed: str) -> str:
    """Send a browser's form and return the page after it."""
    answer = client.post("/notices/devices/", phone.subscription | changed, follow=True)
    return str(answer.content.decode())


def test_new_device_shows_the_usual_topics(browser: Client, device: PushDevice) -> None:
    assert device.label == "Firefox · Android"
    assert set(device.topics) == {"paired", "live", "report", "postgame", "night_unanswered"}
    page = browser.get(PAGE).content.decode()
    assert "Firefox · Android" in page and "This device" in page


def test_second_press_adds_no_second_device(browser: Client, phone: Phone) -> None:
    PushDevice.objects.update(topics=["night"])
    subscribe(browser, phone)
    assert PushDevice.objects.get().topics == ["night"]


def test_device_that_waits_after_failures_gets_messages_once_it_is_added_again(
    browser: Client, device: PushDevice, phone: Phone, push_service: Server
) -> None:
    later = timezone.now() + timedelta(hours=1)
    PushDevice.objects.update(failing_since=timezone.now(), failures=6, not_before=later)
    subscribe(browser, phone)
    browser.post(f"/notices/devices/{device.pk}/test/")
    background.carry_out(sending.LANE)
    assert len(push_service.requests) == 1


def test_browser_belongs_to_the_user_who_signed_in_last(
    browser: Client, phone: Phone, bob: User
) -> None:
    other = Client()
    other.force_login(bob)
    subscribe(other, phone)
    assert PushDevice.objects.get().user == bob


def test_browser_of_another_user_is_not_taken_by_somebody_who_only_knows_its_address(
    device: PushDevice, phone: Phone, bob: User
) -> None:
    other = Client()
    other.force_login(bob)
    stranger = Phone().subscription
    for changed in ({"p256dh": stranger["p256dh"]}, {"auth": "A" * 22}):
        assert "key is invalid" in subscribe(other, phone, **changed)
    before = PushDevice.objects.values().get()
    assert before["user_id"] == device.user_id and before["auth"] == device.auth


RENEWAL = "/notices/devices/renew/"


def renew(client: Client, phone: Phone, **changed: str) -> int:
    """Send what a browser's worker sends, and return the status."""
    return int(client.post(RENEWAL, phone.subscription | changed).status_code)


def test_renewed_subscription_replaces_the_old_one_and_keeps_the_settings(
    browser: Client, device: PushDevice, push_service: Server
) -> None:
    failing = {"failing_since": timezone.now(), "failures": 4}
    PushDevice.objects.update(topics=["night"], **failing)
    new = Phone("new")
    assert browser.get(RENEWAL).json()["known"] == device.digest
    assert renew(browser, new) == 200
    changed = PushDevice.objects.get()
    assert (changed.pk, changed.topics, changed.label) == (device.pk, ["night"], device.label)
    assert (changed.failing_since, changed.failures) == (None, 0)
    assert browser.get(RENEWAL).json()["known"] == changed.digest != device.digest
    sending.send_test(changed)
    background.carry_out(sending.LANE)
    [request] = push_service.requests
    assert request.path == "/new" and "body" in new.read(request)


def test_second_report_of_a_renewed_subscription_changes_nothing(
    browser: Client, device: PushDevice
) -> None:
    new = Phone("new")
    assert [renew(browser, new), renew(browser, new)] == [200, 200]
    assert PushDevice.objects.get().endpoint == new.subscription["endpoint"]


def test_browser_that_signed_in_again_is_known_by_its_old_address(
    device: PushDevice, phone: Phone, alice: User
) -> None:
    again = Client()
    again.force_login(alice)
    assert again.get(RENEWAL).json()["known"] == ""
    assert renew(again, Phone("new")) == 404
    assert renew(again, Phone("new"), old=phone.subscription["endpoint"]) == 200
    device.refresh_from_db()
    assert device.endpoint.endswith("/new")
    # From now on, the session knows it, and its end is that of the device.
    assert again.get(RENEWAL).json()["known"] == device.digest
    again.post("/accounts/logout/")
    assert not PushDevice.objects.exists()


def test_address_of_another_users_browser_renews_nothing(
    device: PushDevice, phone: Phone, bob: User
) -> None:
    other = Client()
    other.force_login(bob)
    before = PushDevice.objects.values().get()
    old = phone.subscription["endpoint"]
    assert renew(other, Phone("new"), old=old) == 404
    # Nor does a device of one's own become another user's.
    computer = Phone("computer")
    subscribe(other, computer)
    assert renew(other, Phone(), old=old) == 422
    assert PushDevice.objects.values().get(pk=device.pk) == before
    assert PushDevice.objects.get(user=bob).endpoint.endswith("/computer")


def test_browser_that_changed_hands_is_renewed_with_its_keys(
    device: PushDevice, phone: Phone, bob: User
) -> None:
    other = Client()
    other.force_login(bob)
    subscribe(other, Phone("before"))
    assert renew(other, phone) == 200
    assert PushDevice.objects.get().user == bob


def test_renewal_ends_with_the_sessions_of_the_account(
    browser: Client, device: PushDevice, alice: User, phone: Phone
) -> None:
    PushDevice.objects.update(session_mark="of sessions that have ended")
    assert browser.get(RENEWAL).json()["known"] == ""
    assert renew(browser, Phone("new"), old=phone.subscription["endpoint"]) == 404


def test_renewal_needs_the_token_that_the_site_gives_to_its_own_worker(
    device: PushDevice, alice: User
) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    session = strict.session
    session[devices.SESSION_KEY] = device.pk
    session.save()
    new = Phone("new")
    assert renew(strict, new) == 403
    answer = strict.get(RENEWAL)
    assert answer["Cache-Control"].endswith("private") and "no-store" in answer["Cache-Control"]
    assert renew(strict, new, csrfmiddlewaretoken=answer.json()["token"]) == 200


@pytest.mark.parametrize("changed", [{"endpoint": "https://127.0.0.1/"}, {"auth": "AAAA"}], ids=str)
def test_renewed_subscription_that_cannot_be_used_is_refused(
    browser: Client, device: PushDevice, changed: dict[str, str]
) -> None:
    assert renew(browser, Phone("new"), **changed) == 422
    assert PushDevice.objects.get().endpoint == device.endpoint


@pytest.mark.parametrize("name", ["old", "endpoint", "p256dh", "auth"])
def test_renewal_with_nasty_texts_is_refused_without_an_error(
    browser: Client, device: PushDevice, settings: Any, name: str
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "push_subscribe": None}
    texts = [text for text in nasty.TEXTS if text.encode(errors="ignore").decode() == text]
    statuses = {renew(browser, Phone("new"), **{name: text}) for text in texts}
    assert len(texts) > 10 and statuses <= {200, 422}


def test_new_addresses_are_limited(browser: Client, device: PushDevice, settings: Any) -> None:
    limits = {**settings.ACCOUNT_RATE_LIMITS, "push_subscribe": "3/h/user"}
    settings.ACCOUNT_RATE_LIMITS = limits
    assert [renew(browser, Phone(f"new{number}")) for number in range(4)] == [200, 200, 200, 429]
    assert "tried several times" in subscribe(browser, Phone("another"))
    assert PushDevice.objects.get().endpoint.endswith("/new2")


@pytest.mark.parametrize(
    "changed",
    [
        {"endpoint": "http://push.example/phone"},
        {"endpoint": "https://127.0.0.1/"},
        {"endpoint": "https://push.example:8443/"},
        {"endpoint": ""},
        {"p256dh": "AAAA"},
        {"p256dh": "é"},
        {"auth": "AAAA"},
    ],
    ids=str,
)
def test_subscription_that_cannot_be_used_is_refused_in_words(
    client: Client, alice: User, phone: Phone, changed: dict[str, str]
) -> None:
    client.force_login(alice)
    page = subscribe(client, phone, **changed)
    assert "push service cannot be used" in page and not PushDevice.objects.exists()


def test_account_has_a_limit_of_devices(
    client: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "MOST_DEVICES", 2)
    client.force_login(alice)
    for number in range(2):
        subscribe(client, Phone(f"phone{number}"))
    assert "which is the limit" in subscribe(client, Phone("phone2"))
    assert PushDevice.objects.count() == 2
    subscribe(client, Phone("phone1"))
    assert PushDevice.objects.count() == 2


def test_topics_are_chosen_for_each_device(browser: Client, device: PushDevice) -> None:
    subscribe(browser, Phone("computer"))
    browser.post(f"/notices/devices/{device.pk}/topics/", {"topics": ["night", "other"]})
    other = PushDevice.objects.exclude(pk=device.pk).get()
    device.refresh_from_db()
    assert device.topics == ["night", "other"] and len(other.topics) == 5
    browser.post(f"/notices/devices/{device.pk}/topics/", {"topics": "no-such-topic"})
    device.refresh_from_db()
    assert device.topics == ["night", "other"]


@pytest.mark.parametrize("act", ["topics", "test"])
def test_device_of_another_user_is_not_found(device: PushDevice, bob: User, act: str) -> None:
    other = Client()
    other.force_login(bob)
    assert other.post(f"/notices/devices/{device.pk}/{act}/").status_code == 404
    assert not Job.objects.filter(kind=sending.PUSH).exists()


def test_only_its_user_removes_a_device(browser: Client, device: PushDevice, bob: User) -> None:
    other = Client()
    other.force_login(bob)
    other.post(f"/notices/devices/{device.pk}/remove/")
    assert PushDevice.objects.exists()
    browser.post(f"/notices/devices/{device.pk}/remove/")
    assert not PushDevice.objects.exists()


def test_signing_out_ends_the_messages_to_that_device_only(
    browser: Client, device: PushDevice, alice: User
) -> None:
    computer = Client()
    computer.force_login(alice)
    subscribe(computer, Phone("computer"))
    browser.post("/accounts/logout/")
    assert PushDevice.objects.get().endpoint.endswith("/computer")


def test_signing_out_everywhere_else_keeps_this_device(
    browser: Client, device: PushDevice, alice: User
) -> None:
    computer = Client()
    computer.force_login(alice)
    subscribe(computer, Phone("computer"))
    browser.post("/accounts/sessions/end/")
    kept = PushDevice.objects.select_related("user").get()
    assert kept == device and devices.is_signed_in(kept)


def test_new_password_ends_the_messages_to_other_devices(
    browser: Client, device: PushDevice, alice: User, client: Client
) -> None:
    computer = Client()
    computer.force_login(alice)
    subscribe(computer, Phone("computer"))
    new = "a horse that is correct, too"
    data = {"oldpassword": "correct horse battery", "password1": new, "password2": new}
    browser.post("/accounts/password/change/", data)
    kept = PushDevice.objects.select_related("user").get()
    assert kept == device and devices.is_signed_in(kept)


def test_device_whose_sessions_ended_gets_nothing_and_is_forgotten(
    browser: Client, device: PushDevice, alice: User, push_service: Server
) -> None:
    sending.send_test(device)
    alice.end_sessions()
    background.carry_out(sending.LANE)
    assert push_service.requests == [] and not PushDevice.objects.exists()


def test_deleting_the_account_deletes_its_devices(device: PushDevice, alice: User) -> None:
    deletion.delete(alice)
    assert not PushDevice.objects.exists()


def test_download_lists_devices_without_addresses_and_keys(device: PushDevice, alice: User) -> None:
    with data_export.archive(alice) as archive:
        text = ZipFile(io.BytesIO(archive.read())).read("devices.json").decode()
    (row,) = json.loads(text)
    assert row["label"] == device.label and row["topics"] == device.topics
    for secret in (device.endpoint, device.p256dh, device.auth, device.digest):
        assert secret not in text


def test_data_pages_hide_addresses_and_keys() -> None:
    hidden = hidden_columns(PushDevice)
    assert {"endpoint", "p256dh", "auth", "digest", "session_mark"} <= set(hidden)


def test_page_offers_the_button_with_the_sites_key(client: Client, alice: User) -> None:
    from outbound.push.keys import public_key

    client.force_login(alice)
    page = client.get(PAGE).content.decode()
    assert f'data-key="{public_key()}"' in page and "On an iPhone or iPad" in page


def test_tests_are_limited(browser: Client, device: PushDevice, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "push_test": "2/h/user"}
    for _time in range(3):
        browser.post(f"/notices/devices/{device.pk}/test/")
    assert Job.objects.filter(kind=sending.PUSH).count() == 2
