"""Spoil files at random places, and crawl the pages that show the imported data."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

from django.test import Client

# Values that a careless or malicious editor of a file may write.
STRANGE: list[Any] = [
    None, True, False, 0, 1, -1, 3, 7, 10**6, 10**9, 10**30, 0.5, -0.5, 1e300,
    "", " ", "x", "0", "-1", "wounded", "1d6", "d66", "9d99", "none", "confirmed", "planned",
    "2026-01-01", "1000-01-01", "2026-01-01T10:00:00Z", "1999-01-01T10:00:00+00:00", "x" * 81,
    "x" * 5000, "\u202egnorts", "\ufffe", "\x00", "\ud800", "e\u0301", "\u200b",
    "6f1c2d34-0000-4000-8000-000000000000", "f" * 64, "before:#3-1:wounded:0",
    [], [[]], [0], [1, 1], [{}], {}, {"ref": 0}, {"ref": 10**9}, {"": 0}, {"1": "x"},
]  # fmt: skip
LINK = re.compile(r'(?:href|src|hx-get)="([^"]+)"')
# Addresses that change the reader, or belong to the site and not to the campaign.
ASIDE = re.compile(
    r"^/(accounts|static|language|theme|rules|variants|notices)/|^/offline|^/favicon"
)


def places(data: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Return the path of each value in the data."""
    inner = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in inner:
        yield (*place, key)
        if isinstance(value, dict | list):
            yield from places(value, (*place, key))


def spoiled(data: dict[str, Any], dice: random.Random) -> tuple[dict[str, Any], str]:
    """Return the data with one random change of a value, key or list, and its description."""
    bad = copy.deepcopy(data)
    # Each kind of place is equally likely, whatever the number of places of that kind.
    kinds: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for place in places({**bad, "versions": {}}):
        kind = tuple(0 if isinstance(part, int) else part for part in place)
        kinds.setdefault(kind, []).append(place)
    place = dice.choice(kinds[dice.choice(list(kinds))])
    outer: Any = bad
    for part in place[:-1]:
        outer = outer[part]
    last = place[-1]
    value = outer[last]
    how = dice.choice(["strange", "strange", "strange", "gone", "twice", "taken", "shifted"])
    if how == "shifted" and isinstance(value, int) and not isinstance(value, bool):
        outer[last] = value + dice.choice([-2, -1, 1, 2, 100])
    elif how == "gone":
        del outer[last]
    elif how == "twice" and isinstance(value, list) and value:
        value.append(copy.deepcopy(dice.choice(value)))
    elif how == "taken":
        other = dice.choice(kinds[dice.choice(list(kinds))])
        found: Any = data
        for part in other:
            found = found[part]
        outer[last] = copy.deepcopy(found)
    else:
        outer[last] = dice.choice(STRANGE)
    return bad, f"{how} at {'.'.join(map(str, place))}: {value!r:.60} → {outer_of(outer, last)}"


def outer_of(outer: Any, last: Any) -> str:
    """Return the current value at a place."""
    try:
        return f"{outer[last]!r:.80}"
    except (KeyError, IndexError):
        return "nothing"


def crawl(client: Client, *starts: str, most: int = 150) -> dict[str, int]:
    """Get these pages and all pages that they link to; return the status of each.

    Only the first three of the addresses that differ in their query are requested.
    """
    answers: dict[str, int] = {}
    asked: dict[str, int] = {}
    ahead = list(starts)
    while ahead and len(answers) < most:
        address = ahead.pop(0)
        path = urlsplit(address).path
        if address in answers or ASIDE.match(path) or asked.get(path, 0) == 3:
            continue
        asked[path] = asked.get(path, 0) + 1
        response = client.get(address)
        answers[address] = response.status_code
        if response.status_code == 302:
            ahead.append(urldefrag(urljoin(address, response["Location"]))[0])
        if response.status_code == 200 and response["Content-Type"].startswith("text/html"):
            links = LINK.findall(response.content.decode())
            there = [urldefrag(urljoin(address, unescape(link)))[0] for link in links]
            ahead += [link for link in there if link.startswith("/")]
    return answers
