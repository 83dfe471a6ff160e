"""Upgrade like the owner of a site, in a separate process: migrate, load the rulebooks, replay
every gang, and open the pages to which people, visitors and spectators are led.

``python -m tests.upgrades.opening`` with DATABASE_URL prints its findings as JSON, and fails with
the first page that does not answer.
"""

from __future__ import annotations

import html
import json
import os
import re
import sys
from collections import Counter, deque
from urllib.parse import urldefrag, urljoin, urlsplit

import django
from django.urls import resolve

LINK = re.compile(r'<a\b[^>]*\shref="([^"]+)"')
# Files, prints and the help have other tests; other languages show the same pages.
LEFT_OUT = re.compile(
    r"\.(pdf|ics|atom|svg|json|zip|jpg)$|^/static/|^/help/|/print|/export|/pictures/"
)
# Everybody opens only one page of each kind, such as the page of a gang, so that a few pages lead
# far; with PROOFS set (script/prove), they open more.
MOST_OF_A_KIND, MOST_PAGES = (4, 120) if os.environ.get("PROOFS") else (1, 30)


def opened(client: object, starts: list[str]) -> int:
    """Follow all links from these pages, breadth first; return how many pages answered."""
    waiting, known, kinds = deque(starts), set(starts), Counter[str]()
    pages = 0
    while waiting and pages < MOST_PAGES:
        address = waiting.popleft()
        answer = client.get(address, headers={"host": "localhost"})  # type: ignore[attr-defined]
        assert answer.status_code in (200, 202, 302), (address, answer.status_code)
        pages += 1
        if "text/html" not in answer.get("Content-Type", ""):
            continue
        for link in LINK.findall(answer.content.decode()):
            found = urldefrag(urljoin(address, html.unescape(link))).url
            parts = urlsplit(found)
            if parts.netloc or found in known or LEFT_OUT.search(parts.path):
                continue
            known.add(found)
            kind = resolve(parts.path).view_name
            kinds[kind] += 1
            if kinds[kind] <= MOST_OF_A_KIND:
                waiting.append(found)
    return pages


def main() -> None:
    """Upgrade the database that DATABASE_URL names, and open its pages."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    from django.core.management import call_command
    from django.test import Client

    from accounts.models import User
    from campaigns.models import Campaign, Stage
    from gangs.models import Gang, StoredEntry
    from rules.library import book_of
    from rules.models import BookVersion

    call_command("migrate", verbosity=0)
    books = [book_of(version.pk) for version in BookVersion.objects.all()]
    before = [Gang.objects.count(), StoredEntry.objects.count(), Campaign.objects.count()]
    call_command("books", "load", stdout=sys.stderr)
    call_command("replay", stdout=sys.stderr)
    visitor = ["/", "/rules/"]
    visitor += [f"/campaigns/watch/{campaign.watch_key}/" for campaign in Campaign.objects.all()]
    pages = {"": opened(Client(), visitor)}
    for user in User.objects.filter(is_active=True, stands_for="").order_by("pk"):
        client = Client()
        client.force_login(user)
        pages[user.username] = opened(client, ["/gangs/", "/campaigns/", "/notices/"])
    gangs, entries, campaigns = before
    found = {
        "books": len(books),
        "gangs": gangs,
        "entries": entries,
        "campaigns": campaigns,
        "stages": {stage.name: stage.rules.edition for stage in Stage.objects.all()},
        "pages": pages,
    }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
