"""Notices on a device: the page's button, and the worker that shows a message."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urljoin

import pytest
from playwright.sync_api import expect

from outbound.push.models import PushDevice
from tests.browser.conftest import Invite
from tests.browser.person import Person
from tests.outbound.push.conftest import Phone
from tests.test_scripts import STATIC

pytestmark = pytest.mark.browser

# A browser whose push service answers, which that of a test does not.
SUBSCRIBED = """(subscription) => {
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
        if (applicationServerKey.length !== 65) throw new Error("not a key");
        return { toJSON: () => subscription };
    };
    Notification.requestPermission = async () => "granted";
}"""
# The worker, asked for by its handlers: it shows the message of an event, opens its page, and
# renews the subscription. ``now``: the browser's subscription; ``next``: the one that it would get.
WORKER = """async ({ steps, now = null, next = null }) => {
    const handlers = {}, shown = [], opened = [], keys = [];
    const subscribe = async ({ applicationServerKey }) => {
        keys.push(applicationServerKey);
        return { toJSON: () => next };
    };
    const pushManager = { getSubscription: async () => now && { toJSON: () => now }, subscribe };
    const self = {
        addEventListener: (kind, handler) => (handlers[kind] = handler),
        registration: { showNotification: async (...said) => shown.push(said), pushManager },
    };
    const clients = { matchAll: async () => [], openWindow: async (url) => opened.push(url) };
    ((self, clients) => { SCRIPT })(self, clients);
    for (const [kind, step] of steps) {
        const event = { ...step, notification: { close: () => {}, data: shown[0]?.[1].data } };
        if (step.message) event.data = { json: () => step.message };
        await new Promise((done) => handlers[kind]({ ...event, waitUntil: (work) => done(work) }));
    }
    return { shown, opened, keys };
}"""
# A browser that allows notices, and the worker's messages.
ALLOWED = """(permission) => {
    Object.defineProperty(Notification, "permission", { get: () => permission });
    window.wanted = [];
    const post = ServiceWorker.prototype.postMessage;
    ServiceWorker.prototype.postMessage = function (message) {
        window.wanted.push(Object.keys(message)[0]);
        post.call(this, message);
    };
}"""


def run_worker(person: Person, *steps: tuple[str, Any], **browser: Any) -> dict[str, Any]:
    """Run the worker's handlers for these events, in the person's browser."""
    script = (STATIC / "offline.js").read_text("utf-8")
    found: dict[str, Any] = person.page.evaluate(
        WORKER.replace("SCRIPT", script), {"steps": steps, **browser}
    )
    return found


def subscription_of(phone: Phone) -> dict[str, Any]:
    """The subscription as the browser tells it."""
    keys = {name: phone.subscription[name] for name in ("p256dh", "auth")}
    return {"endpoint": phone.subscription["endpoint"], "keys": keys}


def turn_on(person: Person, phone: Phone) -> None:
    """Turn on notices in the person's browser."""
    person.page.add_init_script(f"({SUBSCRIBED})({json.dumps(subscription_of(phone))})")
    person.open("/notices/")
    person.page.get_by_role("button", name="Turn on for this device").click()
    expect(person.page.get_by_text("Notices arrive on this device from now on.")).to_be_visible()


@pytest.fixture
def alice(invite: Invite) -> Person:
    """A player who is signed in."""
    person = invite()
    person.open("/accounts/signup/")
    person.sign_up("alice")
    return person


def test_button_adds_this_device_and_its_worker_shows_a_message(alice: Person) -> None:
    phone = Phone()
    turn_on(alice, phone)
    assert PushDevice.objects.get().endpoint == phone.subscription["endpoint"]
    alice.look("notices with a device")
    message = {"title": "Skirmish", "body": "Hello", "url": "/gangs/?a=1", "tag": "notice-1"}
    found = run_worker(alice, ("push", {"message": message}), ("notificationclick", {}))
    assert found["shown"][0][0] == "Skirmish" and found["shown"][0][1]["body"] == "Hello"
    assert found["opened"] == [urljoin(alice.page.url, "/gangs/?a=1")]


@pytest.mark.parametrize("event", ["pushsubscriptionchange", "message"])
@pytest.mark.parametrize("has_next", [True, False], ids=["renewed", "lost"])
def test_worker_tells_the_site_of_a_renewed_subscription(
    alice: Person, event: str, has_next: bool
) -> None:
    turn_on(alice, Phone())
    PushDevice.objects.update(topics=["night"])
    new = Phone("new")
    here = {"now" if has_next else "next": subscription_of(new)}
    found = run_worker(alice, (event, {"data": {"compare": True}}), **here)
    device = PushDevice.objects.get()
    assert device.endpoint == new.subscription["endpoint"] and device.topics == ["night"]
    assert device.p256dh == new.subscription["p256dh"]
    assert len(found["keys"]) == (not has_next)
    # The second comparison finds nothing to do.
    PushDevice.objects.update(p256dh="as before")
    run_worker(alice, (event, {"data": {"compare": True}}), now=subscription_of(new))
    assert PushDevice.objects.get().p256dh == "as before"


def test_worker_turns_nothing_on_that_its_reader_has_removed(alice: Person) -> None:
    turn_on(alice, Phone())
    PushDevice.objects.all().delete()
    for step in ("pushsubscriptionchange", "message"):
        found = run_worker(
            alice, (step, {"data": {"compare": True}}), next=subscription_of(Phone())
        )
        assert found["keys"] == [] and not PushDevice.objects.exists()


def test_page_has_the_subscription_compared_once_a_day(alice: Person) -> None:
    def wanted() -> int:
        alice.open("/gangs/")
        alice.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        found: list[str] = alice.page.evaluate("window.wanted")
        return found.count("compare")

    alice.page.add_init_script(f"({ALLOWED})('granted')")
    assert [wanted() for _page in range(3)] == [1, 0, 0]
    alice.page.evaluate("localStorage.setItem('push-compared', 'yesterday')")
    assert wanted() == 1
    alice.page.evaluate("localStorage.clear()")
    alice.page.add_init_script(f"({ALLOWED})('default')")
    assert wanted() == 0
