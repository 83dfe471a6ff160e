"""A campaign with a channel, and the server behind it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from accounts.models import User
from campaigns.models import Campaign
from common import background
from outbound.hooks import sending, storage, watching
from outbound.hooks.addresses import read_address
from outbound.models import Hook, Kind
from tests.campaigns.conftest import campaign, dora, hers, theirs
from tests.outbound.fake_discord import URL, FakeDiscord
from tests.outbound.servers import Internet, let_pauses_pass, serving

__all__ = ["campaign", "dora", "hers", "theirs"]

SIGNED_URL = "https://club.example/hooks/a-secret-path"
type AddHook = Callable[..., Hook]


@pytest.fixture
def discord(internet: Internet, tmp_path: Path) -> Iterator[FakeDiscord]:
    """Run a Discord with one channel."""
    channel = FakeDiscord()
    with serving(internet, tmp_path, "discord.com") as server:
        server.respond = channel.respond
        yield channel


@pytest.fixture
def add_hook(campaign: Campaign, bob: User) -> AddHook:
    """Return a function that adds a channel to the campaign."""

    def add(url: str = URL, *, kinds: list[str] | None = None, language: str = "en") -> Hook:
        hook, _is_new = storage.add(
            campaign,
            read_address(url),
            by=bob,
            kinds=list(Kind.values) if kinds is None else kinds,
            language=language,
            thread="",
            token=uuid.uuid4(),
        )
        return hook

    return add


@pytest.fixture
def hook(add_hook: AddHook, discord: FakeDiscord) -> Hook:
    """Return a channel of Discord whose first message has arrived."""
    found = add_hook()
    run()
    discord.messages.clear()
    return found


def run() -> None:
    """Do all jobs of the channels that are due."""
    for _ in range(3):
        background.carry_out(sending.LANE)


def look() -> None:
    """Look for news, and send it."""
    watching.look_everywhere()
    run()


def wait() -> None:
    """Let the pauses of all channels and jobs pass."""
    let_pauses_pass()
    run()
