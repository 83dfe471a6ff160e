"""Messages on their way: tries, pauses, and channels that are switched off."""

from __future__ import annotations

import json
import logging
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from standardwebhooks.webhooks import Webhook

from accounts.models import Notice, User
from accounts.notices import describe
from campaigns.models import Campaign
from common import background
from common.models import Job
from outbound.client import Reason
from outbound.hooks import discord as discord_form
from outbound.hooks import sending, storage
from outbound.models import Delivery, Hook
from outbound.verdicts import read_pause
from tests.outbound.fake_discord import NUMBER, TOKEN, FakeDiscord
from tests.outbound.hooks.conftest import SIGNED_URL, AddHook, look, run, wait
from tests.outbound.servers import Internet, answer, serving

pytestmark = pytest.mark.django_db


def newest(hook: Hook) -> Delivery:
    found = hook.deliveries.first()
    assert found is not None
    return found


def send_test(hook: Hook) -> Delivery:
    hook.deliveries.filter(kind="test").delete()
    storage.test(hook)
    run()
    return newest(hook)


def test_a_new_channel_gets_a_first_message(
    add_hook: AddHook, discord: FakeDiscord, campaign: Campaign
) -> None:
    hook = add_hook()
    run()
    [message] = discord.messages.values()
    assert campaign.name in message["content"]
    assert "Results" in message["content"]
    row = newest(hook)
    assert (row.is_waiting, row.status, row.content) == (False, 200, {})
    assert row.message in discord.messages
    assert not Job.objects.waiting().exists()


def test_the_first_message_is_in_the_language_of_the_channel(
    add_hook: AddHook, discord: FakeDiscord
) -> None:
    add_hook(language="fr")
    run()
    [message] = discord.messages.values()
    assert "Résultats" in message["content"]


def test_a_limited_channel_waits_as_long_as_discord_says(hook: Hook, discord: FakeDiscord) -> None:
    discord.left = 0
    before = timezone.now()
    row = send_test(hook)
    hook.refresh_from_db()
    assert hook.not_before >= before + timedelta(seconds=discord.retry_after)
    assert (row.is_waiting, row.status, row.tries) == (True, 429, 1)
    assert hook.failing_since is None
    # Nothing is tried before.
    Job.objects.waiting().update(next_at=timezone.now())
    run()
    assert newest(hook).tries == 1
    discord.left = 10
    wait()
    assert len(discord.messages) == 1


def test_the_last_message_of_a_limit_lets_the_channel_wait(
    hook: Hook, discord: FakeDiscord
) -> None:
    headers = {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset_After": "30.5"}
    discord.answers = [answer(200, b'{"id": "77"}', **headers)]
    before = timezone.now()
    assert send_test(hook).message == "77"
    hook.refresh_from_db()
    assert hook.not_before >= before + timedelta(seconds=30.5)


def test_a_failed_message_is_tried_again(hook: Hook, discord: FakeDiscord) -> None:
    discord.answers = [answer(503)]
    row = send_test(hook)
    hook.refresh_from_db()
    assert (row.is_waiting, row.status) == (True, 503)
    assert hook.failing_since is not None
    wait()
    hook.refresh_from_db()
    assert (newest(hook).is_waiting, hook.failing_since) == (False, None)
    assert len(discord.messages) == 1


def test_an_unreachable_server_costs_one_try_for_all_messages(
    hook: Hook, discord: FakeDiscord, internet: Internet
) -> None:
    internet.ports.clear()
    internet.dialled.clear()
    send_test(hook)
    rows = [
        Delivery.objects.create(hook=hook, kind="nights", key=f"x{n}", content={"markdown": "x"})
        for n in range(3)
    ]
    sending.enqueue(rows)
    run()
    assert len(internet.dialled) == 1
    row = hook.deliveries.get(kind="test")
    assert (row.status, row.reason) == (None, Reason.NO_CONNECTION)


def test_a_channel_is_switched_off_after_five_days_of_failure(
    hook: Hook, discord: FakeDiscord, internet: Internet, bob: User
) -> None:
    internet.ports.clear()
    send_test(hook)
    for days, is_off in ((4.9, False), (5.1, True)):
        Hook.objects.update(failing_since=timezone.now() - timedelta(days=days), failures=9)
        wait()
        hook.refresh_from_db()
        assert (hook.off_at is not None) == is_off
    assert hook.off_why == Hook.Off.FAILING
    assert not Job.objects.waiting().exclude(kind="news for channels").exists()
    notice = Notice.objects.get(user=bob)
    assert "No message arrived for five days." in describe(notice)
    assert TOKEN not in json.dumps(notice.values) + notice.url


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_deleted_webhook_switches_its_channel_off(
    hook: Hook, discord: FakeDiscord, bob: User, status: int
) -> None:
    discord.exists = False
    if status != 404:
        discord.answers = [answer(status)]
    send_test(hook)
    hook.refresh_from_db()
    assert hook.off_why == Hook.Off.DELETED
    assert Notice.objects.filter(user=bob, kind=sending.NOTICE).count() == 1
    look()
    assert discord.messages == {}


def test_a_switched_on_channel_gets_messages_again(hook: Hook, discord: FakeDiscord) -> None:
    sending.switch_off(hook, Hook.Off.BY_HAND)
    assert not Notice.objects.exists()
    hook.refresh_from_db()
    storage.switch_on(hook)
    run()
    assert len(discord.messages) == 1
    hook.refresh_from_db()
    assert hook.off_at is None


def test_a_message_that_discord_refuses_is_not_tried_again(
    hook: Hook, discord: FakeDiscord
) -> None:
    discord.answers = [answer(400, b'{"code": 50035, "message": "Invalid\\nForm Body"}')]
    row = send_test(hook)
    assert (row.is_waiting, row.answer) == (False, "Invalid Form Body")
    hook.refresh_from_db()
    assert (hook.off_at, hook.failing_since) == (None, None)


def test_a_forum_gets_a_thread_of_the_campaign(
    add_hook: AddHook, discord: FakeDiscord, campaign: Campaign
) -> None:
    discord.is_forum = True
    hook = add_hook()
    run()
    assert list(discord.threads.values()) == [campaign.name]
    send_test(hook)
    [thread] = discord.threads
    assert [message["thread"] for message in discord.messages.values()] == [thread, thread]
    # Somebody deletes the thread.
    discord.threads.clear()
    send_test(hook)
    assert list(discord.threads.values()) == [campaign.name]


def test_a_deleted_thread_of_the_club_switches_the_channel_off(
    hook: Hook, discord: FakeDiscord
) -> None:
    Hook.objects.update(thread="424242")
    send_test(hook)
    hook.refresh_from_db()
    assert hook.off_why == Hook.Off.THREAD


def test_a_message_waits_while_its_campaign_is_hidden(
    hook: Hook, discord: FakeDiscord, campaign: Campaign
) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(hidden_why="Insults")
    assert send_test(hook).is_waiting
    assert discord.messages == {}
    Campaign.objects.filter(pk=campaign.pk).update(hidden_why="")
    wait()
    assert len(discord.messages) == 1


def test_two_processes_send_a_message_once(hook: Hook, discord: FakeDiscord) -> None:
    storage.test(hook)
    job = Job.objects.waiting().get(kind=sending.KIND)
    sending.deliver(job)
    sending.deliver(job)
    assert len(discord.messages) == 1


def test_a_dead_channel_does_not_stop_mails() -> None:
    from accounts import mailing

    lanes = {background._works[kind].lane.name for kind in (sending.KIND, "news for channels")}
    assert sending.LANE.name in lanes
    assert lanes.isdisjoint({mailing.LANE.name, background.WORK.name})


def test_a_signed_message_is_verified_with_the_secret(
    add_hook: AddHook, internet: Internet, tmp_path: Path, campaign: Campaign
) -> None:
    with serving(internet, tmp_path, "club.example") as server:
        hook = add_hook(SIGNED_URL)
        server.respond = lambda request: answer(500)
        run()
        server.respond = lambda request: answer(204)
        wait()
    first, second = server.requests
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    data = Webhook(hook.signing_secret).verify(second.body, second.headers)
    assert data["type"] == "hello.created"
    assert data["data"]["campaign"]["name"] == campaign.name
    assert data["data"]["url"].endswith(campaign.get_absolute_url())
    assert not newest(hook).is_waiting


def test_a_server_that_is_gone_switches_its_channel_off(
    add_hook: AddHook, internet: Internet, tmp_path: Path
) -> None:
    with serving(internet, tmp_path, "club.example") as server:
        server.respond = lambda request: answer(410)
        hook = add_hook(SIGNED_URL)
        run()
    hook.refresh_from_db()
    assert hook.off_why == Hook.Off.ENDED


def test_no_log_line_and_no_stored_row_but_its_own_contains_the_address(
    hook: Hook, discord: FakeDiscord, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    discord.answers = [answer(500), b"nonsense", answer(302, Location="https://x.example/")]
    send_test(hook)
    wait()
    wait()
    stored = json.dumps([*Job.objects.values(), *Delivery.objects.values()], default=str)
    for secret in (TOKEN, NUMBER):
        assert secret not in caplog.text + stored
    assert str(hook) == f"discord.com …{TOKEN[-4:]}"


@pytest.mark.parametrize(
    ("said", "headers", "seconds"),
    [
        (1.5, {}, 1.5),
        ("3", {}, 3.0),
        (None, {"retry-after": "20"}, 20.0),
        (None, {"retry-after": "soon"}, 60.0),
        (-5, {}, 0.0),
        (1e300, {}, 3600.0),
        (float("nan"), {"retry-after": "9"}, 9.0),
        (True, {}, 60.0),
        (None, {"retry-after": "Fri, 27 Nov 2099 06:00:00 GMT"}, 3600.0),
        (None, {"retry-after": "Fri, 27 Nov 1999 06:00:00 GMT"}, 0.0),
        (None, {"retry-after": f"Fri, 27 Nov {10**20} 06:00:00 GMT"}, 60.0),
    ],
)
def test_read_pause_understands_seconds_and_dates(
    said: object, headers: dict[str, str], seconds: float
) -> None:
    assert read_pause(said, headers) == seconds


def test_shorten_keeps_the_first_lines_and_the_address() -> None:
    text = "\n".join(["## Title", *("name " * 50 for _ in range(20)), "", "<https://x.example>"])
    short = discord_form.shorten(text + "\n")
    assert len(short) <= discord_form.LONGEST
    assert short.startswith("## Title\n")
    assert short.endswith("…\n<https://x.example>")
    assert discord_form.shorten("short\n") == "short\n"


def test_a_message_whose_job_is_given_up_does_not_wait_any_more(
    hook: Hook, discord: FakeDiscord, internet: Internet, bob: User
) -> None:
    internet.ports.clear()
    send_test(hook)
    address, organiser = reverse("hooks:channel", args=[hook.campaign_id, hook.pk]), Client()
    organiser.force_login(bob)
    assert "Not sent yet, after 1 try" in organiser.get(address).content.decode()
    Job.objects.waiting().update(created_at=timezone.now() - timedelta(days=8))
    wait()
    row = newest(hook)
    assert not row.is_waiting and row.content == {}
    page = organiser.get(address).content.decode()
    assert "Not sent yet" not in page and "Not sent" in page
    # Like others that are over, it is deleted when it is old.
    hook.deliveries.update(changed_at=timezone.now() - timedelta(days=61))
    assert storage.delete_old() >= 1 and not hook.deliveries.filter(pk=row.pk).exists()


def test_old_messages_are_deleted_and_lost_ones_given_up(hook: Hook) -> None:
    for key, kind, days, is_waiting in (
        ("old", "results", 61, False),
        ("new", "results", 59, False),
        ("night", "nights", 61, False),
        ("old night", "nights", 401, False),
        ("lost", "results", 8, True),
        ("waiting", "results", 6, True),
    ):
        at = timezone.now() - timedelta(days=days)
        Delivery.objects.create(hook=hook, kind=kind, key=key, is_waiting=is_waiting, changed_at=at)
    assert storage.delete_old() == 2
    left = hook.deliveries.exclude(kind="hello").values_list("key", "is_waiting")
    assert set(left) == {("new", False), ("night", False), ("lost", False), ("waiting", True)}
