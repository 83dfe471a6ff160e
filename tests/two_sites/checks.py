"""Checks that every act reported to people is in the database, once; runs beside the sites.

    python -m tests.two_sites.checks < NOTES

NOTES: acts as JSON, each a list of kind, marker and outcome. Faults are printed, a line each.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator

import django


def wrong(acts: list[tuple[str, str, str]]) -> Iterator[str]:
    """Return acts that were lost, or done twice, or done although they were refused."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for kind, marker, outcome in acts:
        counts.setdefault((kind, marker), Counter())[outcome] += 1
    there = facts()
    for (kind, marker), told in sorted(counts.items()):
        if kind not in there:
            continue
        found = there[kind][marker]
        if kind in {"sign up", "join", "report", "confirm", "commit"}:
            # A person who got no answer asked again: the act is there once, if anybody was ever
            # shown its success.
            least, most = min(1, told["done"]), min(1, told["done"] + told["unanswered"])
        else:
            least, most = told["done"], told["done"] + told["unanswered"]
        if not least <= found <= most:
            yield f"{kind} {marker}: {found} in the database, of {dict(told)}"


def facts() -> dict[str, Counter[str]]:
    """Return how often each act of a kind is in the database, by its marker."""
    from accounts.models import User
    from campaigns.models import Campaign, Game, Membership
    from gangs.models import Gang, StoredEntry

    entries = StoredEntry.objects.all()
    games = list(Game.objects.select_related("campaign"))
    told = (Game.Status.REPORTED, Game.Status.CONFIRMED)
    found = {
        "sign up": Counter(User.objects.values_list("username", flat=True)),
        "found": Counter(Gang.objects.values_list("owner__username", flat=True)),
        "recruit": Counter(
            data["name"] for data in entries.filter(kind="recruited").values_list("data", flat=True)
        ),
        "rename": Counter(
            data["name"] for data in entries.filter(kind="renamed").values_list("data", flat=True)
        ),
        "campaign": Counter(
            name.removeprefix("Table of ")
            for name in Campaign.objects.values_list("name", flat=True)
        ),
        "join": Counter(Membership.objects.values_list("gang__owner__username", flat=True)),
        "plan": Counter(game.campaign.get_absolute_url() for game in games),
        "report": Counter(game.get_absolute_url() for game in games if game.status in told),
        "confirm": Counter(
            game.get_absolute_url() for game in games if game.status == Game.Status.CONFIRMED
        ),
        "commit": Counter(),
    }
    for gang, data in entries.filter(kind="played").values_list("gang", "data"):
        game = f"/campaigns/games/{data['game']}/"
        found["commit"][f"{game} /gangs/{gang}/"] += 1
    return found


def spoiled_pictures() -> Iterator[str]:
    """Return gangs whose row names a picture of which a file is missing."""
    from gangs.models import Gang
    from gangs.pictures import storage as pictures_storage
    from gangs.pictures.decoder import SIZES

    for gang in Gang.objects.exclude(pictures={}):
        for name in gang.pictures.values():
            for size in SIZES:
                if pictures_storage.content_of(gang, name, size) is None:
                    yield f"the picture {name} of {gang.pk} is missing or spoiled"


def main() -> None:
    """Read the notes, and print the faults."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "skirmish.settings"
    django.setup()
    from printing import line

    for found in (*wrong(json.load(sys.stdin)), *spoiled_pictures()):
        print(found)
    for kind in ("picture", "sheet", "book"):
        if not line.is_empty((kind,)):
            print(f"a {kind} is still in line")


if __name__ == "__main__":
    main()
