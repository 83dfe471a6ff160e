"""The addresses of channels: telling Discord's from others, and taking them apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from outbound.client import check_address

DISCORD_HOSTS = {"discord.com", "discordapp.com", "canary.discord.com", "ptb.discord.com"}
DISCORD_PATH = re.compile(r"/api/(?:v\d+/)?webhooks/(\d{5,25})/([\w-]{20,200})/?", re.ASCII)
THREAD = re.compile(r"\d{5,25}", re.ASCII)


class NotAWebhook(Exception):
    """Raised for an address of Discord that is not a webhook's."""


@dataclass(frozen=True)
class Address:
    """A channel's address, ready to be stored. ``thread``: the Discord thread named in it."""

    url: str
    host: str
    is_discord: bool
    thread: str = ""

    @property
    def ending(self) -> str:
        """The last signs, by which an organiser recognises it."""
        return self.url[-4:]


def read_address(url: str) -> Address:
    """Take an address apart. Raises Refused for one to which the site sends nothing, and
    NotAWebhook for another page of Discord."""
    host = check_address(url)
    if host not in DISCORD_HOSTS:
        return Address(url, host, is_discord=False)
    parts = urlsplit(url)
    found = DISCORD_PATH.fullmatch(parts.path)
    if found is None:
        raise NotAWebhook
    asked = parse_qs(parts.query).get("thread_id", [""])[0]
    thread = asked if THREAD.fullmatch(asked) else ""
    number, token = found.groups()
    # Without a version the path means one that Discord no longer keeps up.
    return Address(f"https://{host}/api/v10/webhooks/{number}/{token}", host, True, thread)
