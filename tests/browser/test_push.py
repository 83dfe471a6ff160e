"""Notices on a device: the page's button, and the worker that shows a message."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urljoin

import pytest
from playwright.sync_api import expect

from outbound.push.models import PushDevice
from tests.browser.conftest import Invite
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
# The worker, asked for by its handlers: it shows the message of an event, and opens its page.
SHOWN = """async (message) => {
    const handlers = {}, shown = [], opened = [];
    const self = {
        addEventListener: (kind, handler) => (handlers[kind] = handler),
        registration: { showNotification: async (...said) => shown.push(said) },
    };
    const clients = { matchAll: async () => [], openWindow: async (url) => opened.push(url) };
    ((self, clients) => { WORKER })(self, clients);
    const carryOut = async (kind, event) => {
        await new Promise((done) => handlers[kind]({ ...event, waitUntil: (work) => done(work) }));
    };
    await carryOut("push", { data: { json: () => message } });
    const notification = { close: () => {}, data: shown[0][1].data };
    await carryOut("notificationclick", { notification });
    return { shown, opened };
}"""


def test_button_adds_this_device_and_its_worker_shows_a_message(invite: Invite) -> None:
    alice = invite()
    alice.open("/accounts/signup/")
    alice.sign_up("alice")
    page, phone = alice.page, Phone()
    keys = {name: phone.subscription[name] for name in ("p256dh", "auth")}
    subscription = json.dumps({"endpoint": phone.subscription["endpoint"], "keys": keys})
    page.add_init_script(f"({SUBSCRIBED})({subscription})")
    alice.open("/notices/")
    page.get_by_role("button", name="Turn on for this device").click()
    expect(page.get_by_text("Notices arrive on this device from now on.")).to_be_visible()
    assert PushDevice.objects.get().endpoint == phone.subscription["endpoint"]
    alice.look("notices with a device")
    message = {"title": "Skirmish", "body": "Hello", "url": "/gangs/?a=1", "tag": "notice-1"}
    worker = (STATIC / "offline.js").read_text("utf-8")
    found: dict[str, Any] = page.evaluate(SHOWN.replace("WORKER", worker), message)
    assert found["shown"][0][0] == "Skirmish" and found["shown"][0][1]["body"] == "Hello"
    assert found["opened"] == [urljoin(page.url, "/gangs/?a=1")]
