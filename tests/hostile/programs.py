"""Requests of programs: every operation of the API as every kind of reader, with parameters,
headers and bodies that fit or nearly fit."""

from __future__ import annotations

import base64
import json
import secrets
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

from api.description import describe
from campaigns.models import Table
from gangs.files.exporting import export_gang
from tests.hostile import nasty
from tests.hostile.club import Club
from tests.hostile.requests import BOUNDARY, Request

VERSIONS = ("0", '"1"', "2", "3", "-1", "*", "x" * 300, "9" * 40)
# The people whose tokens read nothing of the club, or who have none.
OUTSIDERS = ("stranger", "nobody", "inventor")
# Everybody with a key of their own: "watcher" has the campaign's watch key, "reader" a token that
# only reads, "inventor" an invented key, and "nobody" none at all.
READERS = ("owner", "organiser", "other", "staff", "reader", "watcher", *OUTSIDERS)


@dataclass(frozen=True)
class Operation:
    """An operation of the API. ``parameters``: the names in its query."""

    method: str
    path: str
    parameters: tuple[str, ...]


@cache
def operations() -> tuple[Operation, ...]:
    """Every operation of the description."""
    return tuple(
        Operation(
            method.upper(),
            path,
            tuple(row["name"] for row in found.get("parameters", ()) if row["in"] == "query"),
        )
        for path, methods in describe()["paths"].items()
        for method, found in methods.items()
    )


def request(club: Club, person: str, dice: Random) -> Request:
    """Return a random request of a person's program: any operation, with any mistake."""
    return _spoiled(_fitting(club, dice.choice(operations()), person, dice), club, dice)


def every(club: Club, dice: Random, times: int) -> Iterator[Request]:
    """Yield each operation as each reader: fitting, and with each kind of mistake, each ``times``
    times with other values."""
    for operation in operations():
        for person in READERS:
            for _time in range(times):
                fitting = _fitting(club, operation, person, dice)
                yield fitting
                for spoil in SPOILS:
                    if changed := spoil(fitting, club, dice):
                        yield changed


def _fitting(club: Club, operation: Operation, person: str, dice: Random) -> Request:
    """A request that fits, but for the person who sends it."""
    address, given = operation.path, ids_of(club)
    for name, keys in given.items():
        if f"{{{name}}}" in address:
            # A key opens a sheet to everybody, so outsiders must not have it.
            value = "x" if person in OUTSIDERS and name == "key" else dice.choice(keys)
            address = address.replace(f"{{{name}}}", value)
    headers: tuple[tuple[str, str], ...] = ()
    if (secret := _secret(club, person, dice)) is not None:
        headers = (("Authorization", f"Bearer {secret}"),)
    if operation.method == "GET":
        fields = (("page_size", "2"),) if "page_size" in operation.parameters else ()
        return Request("GET", address, person, fields, headers=headers, what="a program")
    game = club.campaign.games.filter(pk=_part(address, "games")).first()
    headers += (
        ("Content-Type", "application/json"),
        ("If-Match", str(game.version) if game else "0"),
        ("Idempotency-Key", secrets.token_hex(8)),
    )
    body = json.dumps(_body(club, operation.path, dice)).encode()
    return Request("POST", address, person, headers=headers, body=body, what="a fitting body")


def _spoiled(fitting: Request, club: Club, dice: Random) -> Request:
    """The request with one mistake, or with none if the mistake does not apply to it."""
    spoiled = dice.choice(SPOILS)(fitting, club, dice) or fitting
    if dice.random() < 0.3:
        spoiled = replace(spoiled, headers=(*spoiled.headers, nasty.header(dice)))
    return spoiled


# Mistakes: each returns None where the request has nothing to spoil.


def _bad_place(sent: Request, _club: Club, dice: Random) -> Request | None:
    """Another id in the address."""
    parts = sent.path.split("/")
    if len(parts) < 5:
        return None
    parts[4] = dice.choice(_WRONG)
    return replace(sent, path="/".join(parts), what="a wrong id")


def _bad_cursor(sent: Request, _club: Club, dice: Random) -> Request | None:
    """Another place to go on from."""
    if ("page_size", "2") not in sent.fields:
        return None
    cursor = dice.choice((*map(_encoded, _PLACES), *_PLACES, nasty.text(dice)[:6000]))
    return replace(sent, fields=(("cursor", cursor),), what=f"cursor {ascii(cursor)[:80]}")


def _bad_query(sent: Request, _club: Club, dice: Random) -> Request | None:
    """Values that no parameter has, and parameters that the operation does not know."""
    if sent.method != "GET":
        return None
    known = ("page_size", "cursor", "before", "at", "archived", "roll-key")
    name = dice.choice(known)
    number = dice.choice((*nasty.NUMBERS, *nasty.DATES, *nasty.SHORT))
    fields = ((name, number), *nasty.query(dice, known))
    return replace(sent, fields=fields, what="a bad query")


def _bad_method(sent: Request, _club: Club, dice: Random) -> Request | None:
    """Another method."""
    method = dice.choice(("HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "GET", "POST", "X"))
    return replace(sent, method=method, what=f"method {method}")


def _bad_kind(sent: Request, _club: Club, dice: Random) -> Request | None:
    """Another type of the body, which may fit that type."""
    if sent.method == "GET":
        return None
    kind, body = dice.choice(
        (
            ("", sent.body),
            ("text/plain", sent.body),
            ("application/x-www-form-urlencoded", b"gang=x&answer=yes"),
            ("application/xml", b"<gang/>"),
            (f"multipart/form-data; boundary={BOUNDARY}", _PART),
            ("multipart/form-data", sent.body),
            (f"multipart/form-data; boundary={BOUNDARY}", b""),
            ("application/json; charset=utf-16", sent.body),
            ("application/json; charset=nonsense", sent.body),
            ("application/jsonp", sent.body),
        )
    )
    headers = _with(sent, "Content-Type", kind)
    return replace(sent, headers=headers, body=body, what=f"a body of type {kind!r}")


def _bad_headers(sent: Request, _club: Club, dice: Random) -> Request | None:
    """Versions and keys that do not fit."""
    if sent.method == "GET":
        return None
    headers = _with(sent, "If-Match", dice.choice(VERSIONS))
    # "a" is used again and again, with other bodies.
    key = dice.choice(("a", "a", "", "x" * 500, "é", "'"))
    headers = _with(replace(sent, headers=headers), "Idempotency-Key", key)
    return replace(sent, headers=headers, what=f"key {key[:20]!r}")


def _bad_body(sent: Request, club: Club, dice: Random) -> Request | None:
    """A body of the right type with one to three wrong values."""
    if not sent.body or sent.method == "GET":
        return None
    body, words = nasty.json_spoiled(json.loads(sent.body), dice, club.ids())
    return replace(sent, body=body, what=words)


def _empty_values(sent: Request, _club: Club, dice: Random) -> Request | None:
    """A body in which one value is null, or a number beyond its column."""
    if not sent.body or sent.method == "GET":
        return None
    plain = json.loads(sent.body)
    ways = nasty.places(plain)
    if not ways:
        return None
    way = dice.choice(ways)
    value = dice.choice((None, None, 2**31, 2**63, -(2**63) - 1, 10**30, 1e308))
    nasty.at(plain, way[:-1])[way[-1]] = value
    words = f"{'.'.join(map(str, way))} = {value}"
    return replace(sent, body=json.dumps(plain).encode(), what=words)


def _bad_bytes(sent: Request, _club: Club, dice: Random) -> Request | None:
    """A body that is no JSON, is nested, or is long."""
    if sent.method == "GET":
        return None
    body, words = dice.choice(
        (
            (b"", "no body"),
            (b"null", "null"),
            (b"[" * 5000, "lists in lists, without an end"),
            (b'{"a":' * 5000 + b"1" + b"}" * 5000, "objects in objects"),
            (b'{"claim": ' + b"9" * 5000 + b"}", "a number of 5,000 digits"),
            (b'{"gang": "\\ud800", "answer": "yes"}', "half a character"),
            (b"[" + b"{}," * 100_000 + b"{}]", "100,001 objects"),
            (b'"' + b"x" * 3_000_000 + b'"', "3 MB of text"),
            nasty.bytes_spoiled(sent.body or b"", dice),
        )
    )
    return replace(sent, body=body, what=words)


SPOILS = (
    _bad_place,
    _bad_cursor,
    _bad_query,
    _bad_method,
    _bad_kind,
    _bad_headers,
    _bad_body,
    _empty_values,
    _bad_bytes,
)


def _with(sent: Request, name: str, value: str) -> tuple[tuple[str, str], ...]:
    """The request's headers with one of them changed; "" leaves it out."""
    others = tuple(row for row in sent.headers if row[0] != name)
    return (*others, (name, value)) if value else others


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


_WRONG = ("0", "-1", str(uuid.UUID(int=0)), "x", "a" * 300, "%00", "%ED%A0%80", "..", "1e9")
_MOMENT, _KEY = "2026-05-01T19:30:00+00:00", str(uuid.UUID(int=1))
# Positions in a list: as the API writes them, as it wrote them before 1.1, and neither.
_PLACES = (
    "",
    "p=",
    "p=x",
    "p=2024",
    "p=%00",
    "p=9999-99-99",
    "o=101",
    "o=-1",
    "o=x",
    "r=x",
    "r=1&p=x",
    "p=2026-05-01",
    "p=2026-05-01+19:30:00%2B00:00&o=99",
    "q=1",
    "p=1&p=2",
    "\x00",
    "é",
    "=" * 9,
    f"after {_MOMENT} {_KEY}",
    f"before {_MOMENT} {_KEY}",
    f"beside {_MOMENT} {_KEY}",
    f"after 0001-01-01T00:00:00+14:00 {_KEY}",
    f"before 9999-12-31T23:59:59-14:00 {_KEY}",
    f"after 10000-01-01T00:00:00Z {_KEY}",
    f"after {_MOMENT} x",
    f"after {_MOMENT}",
    "after",
    f"after 2026-05-01 {_KEY}",
    f"after 1e400 {_KEY}",
    f"after {_MOMENT} {_KEY} x",
)
_PART = (
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="gang"\r\n\r\nx\r\n--{BOUNDARY}--\r\n'
).encode()


def _secret(club: Club, person: str, dice: Random) -> str | None:
    """The key that a person's program sends; None for none."""
    if person == "nobody":
        return None
    if person == "watcher":
        return f"watch_{club.campaign.watch_key}"
    if person == "inventor":
        invented = ("", "watch_", "skirmish_" + "x" * 5000, "\u00e9", "skirmish_nobody")
        return dice.choice((*invented, f"watch_{secrets.token_hex(9)}"))
    return club.tokens[person]


def ids_of(club: Club) -> dict[str, list[str]]:
    """Return the ids of the club's things, by the name of the parameter."""
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


def _body(club: Club, path: str, dice: Random) -> Any:
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
                "counts": {name: {"1": 1} for name in dice.choice(_COUNTED)},
            }
            for gang in club.gangs[:2]
        ]
        return {"winner": own, "result": "", "sides": sides, "sure": True, "note": "x"}
    if path.endswith("/confirm"):
        return {"claim": None}
    if path.endswith("/taps"):
        tap = dice.choice(_TAPS)
        row = {"device": other, "n": 1, "after": 0, "at": 1, "turn": 1, "act": own, "tap": tap}
        return [row]
    return json.loads(export_gang(club.gangs[0]).replace(club.mark, "x"))


# Taps with the fields that name other things: alarms, rolls and the acts that led to them.
_TAPS: tuple[dict[str, Any], ...] = (
    {"kind": "said", "text": "x"},
    {"kind": "rolled", "roll": "shot", "by": "1.1", "at": "2.1", "alarm": "initiative"},
    {"kind": "follows", "roll": "shot", "who": "1.1", "many": True},
    {"kind": "declined", "side": 2, "holds": False},
    {"kind": "dealt", "roll": "shot", "who": "1.1", "act": str(uuid.UUID(int=1)), "stays": True},
)
# Names that a report's counts have, and names of the form's other fields.
_COUNTED: tuple[tuple[str, ...], ...] = ((), ("taken_out",), ("mark", "credit"), ("in", "tally"))
