"""Addresses of channels."""

import pytest

from outbound.client import Refused
from outbound.hooks.addresses import NotAWebhook, read_address
from tests.hostile import nasty
from tests.outbound.fake_discord import NUMBER, TOKEN, URL

BASE = f"/api/v10/webhooks/{NUMBER}/{TOKEN}"


@pytest.mark.parametrize(
    "url",
    [
        URL,
        f"{URL}/",
        URL.replace("/api/", "/api/v9/"),
        f"https://DISCORD.com:443/api/webhooks/{NUMBER}/{TOKEN}?wait=true#x",
    ],
)
def test_read_address_recognises_a_webhook_of_discord(url: str) -> None:
    found = read_address(url)
    assert found.is_discord
    assert found.url == f"https://discord.com{BASE}"
    assert (found.host, found.ending, found.thread) == ("discord.com", TOKEN[-4:], "")


def test_read_address_keeps_another_host_of_discord_and_the_thread() -> None:
    found = read_address(f"https://canary.discord.com{BASE}?thread_id=998877665544")
    assert found.url == f"https://canary.discord.com{BASE}"
    assert found.thread == "998877665544"


@pytest.mark.parametrize(
    "url",
    [
        "https://discord.com/channels/123456/654321",
        "https://discord.com/",
        f"{URL}/slack",
        f"https://discord.com/api/webhooks/{NUMBER}",
    ],
)
def test_read_address_rejects_other_pages_of_discord(url: str) -> None:
    with pytest.raises(NotAWebhook):
        read_address(url)


def test_read_address_takes_any_other_public_address_as_it_is() -> None:
    url = "https://discord.com.club.example/api/x?y=z"
    found = read_address(url)
    assert (found.url, found.is_discord) == (url, False)


@pytest.mark.parametrize("url", ["http://discord.com/api", "https://127.0.0.1/", "hello"])
def test_read_address_refuses_addresses_to_which_nothing_is_sent(url: str) -> None:
    with pytest.raises(Refused):
        read_address(url)


@pytest.mark.parametrize("url", nasty.ADDRESSES)
def test_bad_address_is_refused_or_leads_to_the_public_server_that_it_names(url: str) -> None:
    try:
        found = read_address(url)
    except (Refused, NotAWebhook):
        return
    assert found.host == "club.example"
