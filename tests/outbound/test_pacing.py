"""The one rule of waiting: for hosts without an answer, and for channels and devices that fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.notices import default_push_topics
from common import background
from common.models import Job
from outbound import client as client_module
from outbound import pacing
from outbound.client import Answer, Sending
from outbound.hooks import sending as hooks_sending
from outbound.models import Delivery, PushDevice
from outbound.push import sending
from outbound.push.devices import digest_of, mark_of
from outbound.recipients import Host
from tests.outbound.hooks.conftest import SIGNED_URL, AddHook, add_hook, campaign, hers, theirs
from tests.outbound.push.conftest import HOST, Phone, _data_folder
from tests.outbound.servers import Internet, Server, answer, let_pauses_pass, serving

__all__ = ["_data_folder", "add_hook", "campaign", "hers", "theirs"]

pytestmark = pytest.mark.django_db
# The IP address behind a host that accepts no connection.
DEAD = "93.184.215.15"
CLUB = "club.example"
type Serve = Callable[[str], Server]


@pytest.fixture
def serve(internet: Internet, tmp_path: Path, request: pytest.FixtureRequest) -> Serve:
    """Return a function that runs a server for a host, at an IP address of its own."""

    def run(host: str) -> Server:
        address = f"93.184.216.{len(internet.ports) + 1}"
        running = serving(internet, tmp_path, host, address)
        request.addfinalizer(lambda: running.__exit__(None, None, None))
        return running.__enter__()

    return run


def device_of(user: User, name: str, host: str = HOST) -> PushDevice:
    """Store a device."""
    fields = Phone(name, host).subscription
    return PushDevice.objects.create(
        user=user,
        digest=digest_of(fields["endpoint"]),
        topics=default_push_topics(),
        session_mark=mark_of(user),
        **fields,
    )


def send(*devices: PushDevice) -> None:
    for device in devices:
        sending.send_test(device)


def carry_out() -> None:
    background.carry_out(sending.LANE)


def let_pass() -> None:
    """Carry out everything that waits, once."""
    let_pauses_pass()
    carry_out()


def pushes() -> int:
    return Job.objects.filter(kind=sending.PUSH).count()


def pause_of(row: Host | PushDevice) -> int:
    """The minutes for which a host or a device waits."""
    row.refresh_from_db()
    return round((row.not_before - timezone.now()) / timedelta(minutes=1))


def trust(host: str) -> None:
    """Let a host have answered quickly for long."""
    since = timezone.now() - 2 * pacing.STEADY_AFTER
    Host.objects.update_or_create(name=host, defaults={"steady_since": since})


def test_hanging_push_service_delays_no_message_of_another(
    alice: User, bob: User, internet: Internet, serve: Serve
) -> None:
    server = serve(HOST)
    internet.names["dead.example"] = [[DEAD]]
    send(*(device_of(alice, f"a{number}", "dead.example") for number in range(20)))
    bobs = device_of(bob, "bob")
    send(bobs)
    carry_out()
    assert internet.dialled.count(DEAD) == 1
    assert [request.path for request in server.requests] == ["/bob"] and pushes() == 20
    # At the next try, one message finds out that the host is still silent, after the new message.
    send(bobs)
    internet.dialled.clear()
    let_pass()
    assert internet.dialled[1:] == [DEAD] and len(server.requests) == 2


def test_pauses_of_a_silent_host_grow_and_end(
    alice: User, internet: Internet, serve: Serve
) -> None:
    internet.names[HOST] = [[DEAD]]
    send(device_of(alice, "one"), device_of(alice, "two"), device_of(alice, "three"))
    pauses = []
    for _try in range(8):
        let_pass()
        pauses.append(pause_of(Host.objects.get()))
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60] and len(internet.dialled) == 8
    carry_out()
    assert len(internet.dialled) == 8
    del internet.names[HOST]
    server = serve(HOST)
    let_pass()
    assert sorted(request.path for request in server.requests) == ["/one", "/three", "/two"]
    host = Host.objects.get()
    assert (host.failures, host.failing_since, pushes()) == (0, None, 0)
    assert not PushDevice.objects.exclude(failing_since=None, failures=0).exists()


def test_one_process_tries_a_silent_host(
    alice: User, internet: Internet, monkeypatch: pytest.MonkeyPatch
) -> None:
    internet.names[HOST] = [[DEAD]]
    send(device_of(alice, "one"), device_of(alice, "two"))
    carry_out()
    let_pauses_pass()
    real, tries = client_module.send, []

    def meanwhile(request: Sending) -> Answer:
        tries.append(request.url)
        # Another process looks for jobs while this request is on its way.
        carry_out()
        return real(request)

    monkeypatch.setattr(client_module, "send", meanwhile)
    carry_out()
    assert len(tries) == 1


@pytest.mark.parametrize("status", [400, 403, 429, 500])
def test_refusal_lets_only_its_device_wait(
    alice: User, bob: User, serve: Serve, status: int
) -> None:
    server = serve(HOST)
    server.respond = lambda request: answer(status if request.path == "/bogus" else 201)
    bogus, good = device_of(bob, "bogus"), device_of(alice, "good")
    send(bogus, bogus, good)
    carry_out()
    assert [request.path for request in server.requests] == ["/bogus", "/good"]
    pauses = [pause_of(bogus)]
    for _try in range(3):
        let_pass()
        pauses.append(pause_of(bogus))
    assert pauses == [1, 2, 4, 8]
    send(good)
    carry_out()
    assert server.requests[-1].path == "/good" and Host.objects.get().failures == 0
    server.respond = lambda request: answer(201)
    let_pass()
    bogus.refresh_from_db()
    assert (pushes(), bogus.failures, bogus.failing_since) == (0, 0, None)


def test_refusing_device_waits_as_long_as_its_server_says(alice: User, serve: Serve) -> None:
    serve(HOST).respond = lambda request: answer(503, Retry_After="1800")
    device = device_of(alice, "one")
    send(device)
    carry_out()
    assert pause_of(device) == 30


def test_address_that_hangs_at_a_working_host_holds_up_only_itself(
    alice: User, bob: User, serve: Serve
) -> None:
    server = serve(HOST)
    server.respond = lambda request: b"" if request.path == "/hangs" else answer(201)
    bad, good = device_of(bob, "hangs"), device_of(alice, "good")
    send(bad, good)
    carry_out()
    let_pass()
    # From now on it is known that the host works and this address does not.
    server.requests.clear()
    for _try in range(3):
        send(good)
        let_pass()
        send(good)
        carry_out()
    assert [request.path for request in server.requests].count("/good") == 6
    assert Host.objects.get().failures == 0 and pause_of(bad) > 1


def test_channels_and_devices_wait_for_the_same_host(
    alice: User, internet: Internet, serve: Serve, add_hook: AddHook, client: Client
) -> None:
    internet.names[CLUB] = [[DEAD]]
    device = device_of(alice, "phone", CLUB)
    send(device)
    carry_out()
    hook = add_hook(SIGNED_URL)
    background.carry_out(hooks_sending.LANE)
    assert len(internet.dialled) == 1
    hook.refresh_from_db()
    assert hook.failing_since is not None and hook.not_before <= timezone.now()
    until = Host.objects.get().not_before
    assert pacing.next_tries([hook, device]) == {hook.pk: until, device.pk: until}
    # The channel finds the host dead, so the device waits for longer, too.
    let_pauses_pass()
    background.carry_out(hooks_sending.LANE)
    carry_out()
    assert len(internet.dialled) == 2 and pause_of(Host.objects.get()) == 2
    del internet.names[CLUB]
    server = serve(CLUB)
    let_pauses_pass()
    background.carry_out(hooks_sending.LANE)
    carry_out()
    assert {request.path for request in server.requests} == {"/hooks/a-secret-path", "/phone"}
    hook.refresh_from_db()
    assert hook.failing_since is None


def test_channel_and_device_that_refuse_wait_alike(
    alice: User, serve: Serve, add_hook: AddHook
) -> None:
    serve(CLUB).respond = lambda request: answer(500)
    device, hook = device_of(alice, "phone", CLUB), add_hook(SIGNED_URL)
    send(device)
    for _try in range(3):
        let_pauses_pass()
        background.carry_out(hooks_sending.LANE)
        carry_out()
    hook.refresh_from_db()
    device.refresh_from_db()
    assert (hook.failures, device.failures, Host.objects.get().failures) == (3, 3, 0)
    assert abs(hook.not_before - device.not_before) < timedelta(minutes=1)


def test_messages_of_a_channel_arrive_in_order_after_a_failure(
    internet: Internet, serve: Serve, add_hook: AddHook
) -> None:
    def write(key: str) -> None:
        row = Delivery.objects.create(hook=hook, kind="results", key=key, content={"text": key})
        hooks_sending.enqueue([row])

    internet.names[CLUB] = [[DEAD]]
    hook = add_hook(SIGNED_URL)
    Delivery.objects.all().delete()
    for number in range(4):
        write(f"message {number}")
        let_pauses_pass()
        background.carry_out(hooks_sending.LANE)
    del internet.names[CLUB]
    server = serve(CLUB)
    let_pauses_pass()
    background.carry_out(hooks_sending.LANE)
    keys = [json.loads(request.body)["data"]["key"] for request in server.requests]
    assert keys == [f"message {number}" for number in range(4)]


@pytest.fixture(params=["silent", "slow"])
def bad_hosts(
    request: pytest.FixtureRequest,
    internet: Internet,
    serve: Serve,
    monkeypatch: pytest.MonkeyPatch,
) -> list[str]:
    """Return hosts that do not answer, or only slowly."""
    hosts = [f"bad{number}.example" for number in range(8)]
    if request.param == "silent":
        internet.names |= {host: [[DEAD]] for host in hosts}
    else:
        for host in hosts:
            serve(host)
        monkeypatch.setattr(pacing, "SLOW", 0.0)
    return hosts


def test_one_round_meets_only_a_few_slow_hosts(
    alice: User, bob: User, internet: Internet, serve: Serve, bad_hosts: list[str]
) -> None:
    server = serve(HOST)
    trust(HOST)
    send(*(device_of(bob, "phone", host) for host in bad_hosts))
    send(device_of(alice, "good"))
    carry_out()
    assert len(server.requests) == 1
    assert len(internet.looked_up) == pacing.MOST_SLOW + 1
    # All of them get their turn, and nobody waits for ever.
    for _round in range(2):
        let_pass()
    assert set(bad_hosts) <= set(internet.looked_up)


def test_host_that_has_answered_slowly_is_not_trusted_soon(alice: User, serve: Serve) -> None:
    serve(HOST)
    device = device_of(alice, "phone")
    for _time in range(2):
        send(device)
        carry_out()
    since = Host.objects.get().steady_since
    assert since is not None and timezone.now() - since < pacing.STEADY_AFTER


def test_device_that_waits_for_its_host_is_not_forgotten_before_it_was_tried(
    alice: User, internet: Internet, serve: Serve
) -> None:
    internet.names[HOST] = [[DEAD]]
    one = device_of(alice, "one")
    send(one, device_of(alice, "two"))
    carry_out()
    since = timezone.now() - timedelta(days=8)
    PushDevice.objects.update(failing_since=since)
    # One waited for the host; the other was tried itself, again and again.
    PushDevice.objects.filter(pk=one.pk).update(failures=8)
    PushDevice.objects.exclude(pk=one.pk).update(failures=9)
    carry_out()
    assert PushDevice.objects.count() == 2
    let_pass()
    # The one that has failed least was tried.
    assert list(PushDevice.objects.all()) == [one]


def test_pages_say_when_the_next_message_is_tried(
    client: Client, alice: User, bob: User, internet: Internet, add_hook: AddHook
) -> None:
    internet.names[CLUB] = [[DEAD]]
    hook = add_hook(SIGNED_URL)
    background.carry_out(hooks_sending.LANE)
    send(device_of(alice, "phone", CLUB))
    carry_out()
    Host.objects.update(not_before=timezone.make_aware(datetime(2031, 7, 9, 10, 11)))
    client.force_login(alice)
    assert "The next one is tried on 9 July, 10:11" in client.get("/notices/").content.decode()
    client.force_login(bob)
    page = client.get(f"/campaigns/{hook.campaign_id}/channels/{hook.pk}/").content.decode()
    assert "The next try is on 9 July, 10:11" in page


def test_unused_hosts_are_forgotten(alice: User, serve: Serve) -> None:
    serve(HOST)
    long_ago = timezone.now() - pacing.KEPT - timedelta(days=1)
    Host.objects.create(name="old.example", used_at=long_ago)
    Host.objects.create(name=HOST, used_at=long_ago)
    send(device_of(alice, "phone"))
    carry_out()
    assert pacing.forget_hosts() == 1
    assert [host.name for host in Host.objects.all()] == [HOST]
