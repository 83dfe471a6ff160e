"""Requests of programs: every operation of the API, with tokens, headers and bodies that fit or
nearly fit."""

from __future__ import annotations

import json
import uuid
from functools import cache
from random import Random
from typing import Any

from api.description import describe
from campaigns.models import Table
from gangs.files.exporting import export_gang
from tests.hostile import nasty
from tests.hostile.club import Club
from tests.hostile.requests import Request

VERSIONS = ("0", '"1"', "2", "3", "-1", "*", "x" * 300, "9" * 40)


@cache
def operations() -> tuple[tuple[str, str], ...]:
    """Every operation: method and path."""
    return tuple(
        (method.upper(), path)
        for path, methods in describe()["paths"].items()
        for method in methods
    )


def request(club: Club, person: str, dice: Random) -> Request:
    """Return a request of a person's program, "stranger" among them."""
    method, path = dice.choice(operations())
    given = ids_of(club)
    address = path
    for name in ("campaign", "game", "night", "gang", "table", "key", "digest"):
        if f"{{{name}}}" in address:
            # A key opens a sheet to everybody, so strangers must not have it.
            fits = dice.random() < 0.85 and (person, name) != ("stranger", "key")
            value = dice.choice(given[name]) if fits else dice.choice(_WRONG)
            address = address.replace(f"{{{name}}}", value)
    headers = [("Authorization", f"Bearer {_secret(club, person, dice)}")]
    if dice.random() < 0.3:
        headers.append(nasty.header(dice))
    if method == "GET":
        words = nasty.query(dice, ("page_size", "cursor", "before", "at", "archived", "roll-key"))
        fields = tuple(words) if dice.random() < 0.5 else ()
        return Request("GET", address, person, fields, headers=tuple(headers), what="a program")
    headers.append(("Content-Type", "application/json"))
    game = club.campaign.games.filter(pk=_part(address, "games")).first()
    version = str(game.version) if game and dice.random() < 0.6 else dice.choice(VERSIONS)
    headers += [("If-Match", version), ("Idempotency-Key", dice.choice(("a", "b", "x" * 500)))]
    plain = _body(club, path, address)
    body, what = json.dumps(plain).encode(), "a fitting body"
    if dice.random() < 0.7:
        body, what = nasty.json_spoiled(plain, dice, club.ids())
    return Request("POST", address, person, headers=tuple(headers), body=body, what=what)


_WRONG = ("0", "-1", str(uuid.UUID(int=0)), "x", "a" * 300, "%00", "%ED%A0%80", "..", "1e9")


def _secret(club: Club, person: str, dice: Random) -> str:
    if dice.random() < 0.9:
        return club.tokens.get(person, "skirmish_nobody")
    if person in club.people and person != "stranger":
        return f"watch_{club.campaign.watch_key}"
    return dice.choice(("", "watch_", "watch_x", "skirmish_" + "x" * 5000, "\u00e9"))


def ids_of(club: Club) -> dict[str, list[str]]:
    campaign = club.campaign
    tables = Table.objects.filter(game__campaign=campaign).values_list("pk", flat=True)
    return {
        "campaign": [str(campaign.pk)],
        "game": [str(key) for key in campaign.games.values_list("pk", flat=True)] or ["x"],
        "night": [str(key) for key in campaign.nights.values_list("pk", flat=True)] or ["x"],
        "gang": [str(gang.pk) for gang in club.gangs],
        "table": [str(key) for key in tables] or ["x"],
        "key": [gang.share_key or "x" for gang in club.gangs],
        "digest": [campaign.book_version_id],
    }


def _part(address: str, name: str) -> uuid.UUID | None:
    parts = address.split("/")
    try:
        return uuid.UUID(parts[parts.index(name) + 1])
    except (ValueError, IndexError):
        return None


def _body(club: Club, path: str, address: str) -> Any:
    """A body that fits."""
    own, other = (str(gang.pk) for gang in club.gangs[:2])
    if path.endswith("/answers"):
        return {"gang": own, "answer": "yes"}
    if path.endswith("/report"):
        sides = [
            {
                "gang": str(gang.pk),
                "fielded": [one.id for one in gang.roster.members][:4],
                "fallen": {},
                "counts": {},
            }
            for gang in club.gangs[:2]
        ]
        return {"winner": own, "result": "", "sides": sides, "sure": True, "note": "x"}
    if path.endswith("/confirm"):
        return {"claim": None}
    if path.endswith("/taps"):
        tap = {"kind": "said", "text": "x"}
        row = {"device": other, "n": 1, "after": 0, "at": 1, "turn": 1, "act": own, "tap": tap}
        return [row]
    return json.loads(export_gang(club.gangs[0]).replace(club.mark, "x"))
