"""Bad values: texts, numbers, names of fields, headers, and any value in a file."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from tests.hostile import forms

# An answer that contains one of these unchanged has let it through.
MARKUP = '"><img src=x onerror=hostile>'
TEMPLATE = "{{ 11|add:313371337 }}{% now 'Y' %}${7*7}#{7*7}"
# So long that no key or token contains it by chance.
TEMPLATE_DONE = "313371348"
HEADER = "X-Injected"

# Every character that changes the direction of text.
DIRECTIONS = [
    chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F)
]
NOT_CHARACTERS = ["\ufffe", "\uffff", "\ufdd0", "\U0001fffe", "\U0010ffff"]
HALVES = ["\ud800", "\udfff", "a\ud83d", "\ude00\ud83d"]
INVISIBLE = ["\u200b", "\u200d", "\ufeff", "\u2028", "\u2029", "\u00ad", "\u115f", "\u3164", "\x85"]
CONTROLS = ["\x00", "a\x00b", "\x1b[31m", "\x08", "\x7f", "\x1f", "\x0b\x0c", "\r", "\n", "\r\n"]
SCRIPTS = [
    "مرحبا بالعالم",
    "שלום \u202eעולם",
    "ﷺ" * 20,
    "漢字",
    "ꙮ",
    "İıſß",
    "ﬁ",
    "Å" + "A\u030a",
    "🧌",
    "👩‍👩‍👧‍👦" * 10,
    "🇫🇷🇫",
    "Z" + "\u0301\u0489" * 300,
    "\u0301",
    "e\u0301" * 40,
]
# Names that look like others: a Cyrillic letter, full-width ones, a dotless i, an invisible one.
LOOK_ALIKES = ["\u0430lice", "\uff41\uff4c\uff49\uff43\uff45", "al\u0131ce", "aIice", "alice\u3164"]
INJECTIONS = [
    "' OR 1=1 --",
    "'; DROP TABLE gangs_gang; --",
    "\\' \\\" \\\\",
    "%",
    "%s%d%n",
    "_%",
    "$1",
    MARKUP,
    "<script>hostile()</script>",
    "</textarea></title><svg onload=hostile>",
    "&amp;&#0;",
    TEMPLATE,
    "{% load static %}",
    "{{",
    "%}",
    "{0}",
    "{gang}",
    "%(name)s",
    "%(missing)s",
    f"x\r\n{HEADER}: 1",
    f"x\n{HEADER}: 1",
    "BEGIN:VEVENT\r\nEND:VCALENDAR",
    "]]>",
    "<!--",
    "=1+1",
    "=cmd|' /C calc'!A0",
    "@SUM(1)",
    "+1",
    "-1",
    "\t=1",
    "../../etc/passwd",
    "/etc/passwd",
    "file:///etc/passwd",
    "C:\\x",
    "a/b",
    "..",
    "//evil.test",
    "javascript:hostile()",
    "data:text/html,x",
    "https://evil.test/",
    "http://[",
    "mailto:x",
]
LONG = [
    "x" * 81,
    "x" * 301,
    "x" * 5000,
    "x " * 3000,
    "\n" * 5000,
    "é" * 4001,
    "a@" + "b" * 300 + ".x",
]
SHORT = [
    "",
    " ",
    "\t",
    "x",
    ".",
    "None",
    "null",
    "true",
    "[]",
    "{}",
    "undefined",
    "NaN",
    "on",
    "off",
]
KINDS = (
    [f"A{mark}B" for mark in DIRECTIONS],
    [f"A{mark}" for mark in NOT_CHARACTERS],
    HALVES,
    INVISIBLE,
    CONTROLS,
    SCRIPTS,
    LOOK_ALIKES,
    INJECTIONS,
    LONG,
    SHORT,
)
TEXTS = [text for kind in KINDS for text in kind]
NUMBERS = [
    "-1",
    "0",
    "1",
    "2",
    "+1",
    " 1 ",
    "1_000",
    "1e3",
    "1e309",
    "-1e309",
    "0x10",
    "1.5",
    "1,5",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "Infinity",
    "1e-400",
    "-0",
    "00000000001",
    "1/2",
    "½",
    "\u0663",
    "１２",
    "²",
    "Ⅷ",
    "१२",
    "𝟙",
    "1\u202e2",
    "1\x00",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "9" * 40,
    "9" * 400,
    "9" * 5000,
    "1e999999",
    "1" + "0" * 308,
]
DATES = [
    "0000-00-00",
    "0001-01-01",
    "9999-12-31",
    "10000-01-01",
    "2026-02-30",
    "-2026-01-01",
    "today",
    "2026-05-01T25:00",
    "9999-12-31T23:59",
    "0001-01-01T00:00",
    "2026-03-29T02:30",
    "26/07/2026",
    "2026-05-01T19:30+99:99",
    "2026-05-01 19:30:61",
    "２０２６-05-01",
    "2026-W01",
    "99:99",
]
IDS = [
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "{}",
    "0",
    "00000000-0000-0000-0000-00000000000g",
    "-",
    "None",
    "9" * 30,
]
# Addresses that the site must not call, or cannot. None belongs to anybody but Discord.
ADDRESSES = [
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://localhost/",
    "https://10.0.0.1:443/x",
    "https://169.254.169.254/latest/meta-data/",
    "https://[::ffff:10.0.0.1]/",
    "https://0/",
    "https://[fe80::1%25eth0]/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "http://club.example/",
    "https://club.example:22/",
    "https://a:b@club.example/",
    "https://",
    "https://club.example./",
    "https://.example/",
    "https://a..example/",
    "https://-.example/",
    "https://caf\u00e9.example/",
    "https://xn--.example/",
    "https://\u2488.example/",
    "ftp://x",
    "https://club.example\\@10.0.0.1/",
    "https://club.example#@10.0.0.1/",
    "https://[",
    "//x",
    "https://discord.com/api/webhooks/1/x",
    "https://discord.com/channels/1/2",
    "https://%31/",
    "https://discord.com/api/webhooks/" + "1" * 20 + "/" + "x" * 60 + "?thread_id=\u0663",
    "https://club.example/" + "x" * 3000,
    "https://" + "a" * 300 + ".example/",
    "https://" + "a." * 200 + "example/",
]
# Kinds of fields for text.
WRITTEN = ("text", "textarea", "search", "email", "url", "password", "")
FIELD_NAMES = ["", "x" * 10_000, "name\x00", "__proto__", "a[b][]", "\u202e", "pk", "id", "owner"]
# Headers that another proxy, cache or script may send.
HEADERS: list[tuple[str, Sequence[str]]] = [
    ("Host", ("evil.example", "127.0.0.1:99999", "a" * 300, "[::1", "localhost@evil.example", "")),
    ("X-Forwarded-Host", ("evil.example",)),
    ("X-Forwarded-For", ("1.2.3.4, 5.6.7.8", "x" * 500, "::1", "' OR 1", "", ",,,", "unknown")),
    ("X-Forwarded-Proto", ("https", "javascript", "")),
    ("X-Forwarded-Port", ("0", "x")),
    ("X-Real-IP", ("not an address",)),
    ("Range", ("bytes=0-", "bytes=-1", "bytes=9-1", "bytes=0-0,1-1,2-2", "x")),
    ("If-None-Match", ("*", '"x"', 'W/"' + "x" * 2000 + '"', "garbage,,,", '"')),
    ("If-Modified-Since", ("yesterday", "Thu, 01 Jan 1970 00:00:00 GMT", "x" * 500)),
    ("If-Match", ('"x"', "*")),
    ("Accept-Language", ("fr;q=nan", "x" * 5000, "fr,en;q=9", "\u202e", "*", "fr-" * 400)),
    ("Accept", ("application/pdf", "*/*;q=x", "text/html" * 300, "")),
    ("Accept-Encoding", ("gzip;q=0, *;q=0", "br, x" * 200)),
    ("Cookie", ("sessionid=x", "sessionid=" + "x" * 4000, "=;;=", "\u202e=1", "csrftoken=\x01")),
    ("Cookie", ("sessionid=.eJw:1:x; django_language=../../etc", "theme=<script>", "messages=W10")),
    ("HX-Request", ("true", "false", "x")),
    ("HX-Target", ("main", "\u202e", "x" * 3000)),
    ("HX-Current-URL", ("http://evil.example/", "http://[", "x" * 3000, "%ff")),
    ("HX-Current-URL-URI-AutoEncoded", ("true",)),
    ("HX-Boosted", ("true",)),
    ("HX-History-Restore-Request", ("true",)),
    ("HX-Prompt", ("\u202e",)),
    ("Referer", ("http://evil.example/", "http://[", "x" * 3000)),
    ("Origin", ("http://evil.example", "null", "http://[")),
    ("Content-Encoding", ("gzip", "br")),
    ("Content-Type", ("application/json", "text/plain", "multipart/form-data", "x" * 300, "a/b;=")),
    ("X-HTTP-Method-Override", ("DELETE",)),
    ("User-Agent", ("", "\u202e", "x" * 3000)),
    ("Expect", ("100-continue", "x")),
    ("Upgrade", ("websocket", "h2c")),
    ("Authorization", ("Basic !!!", "Bearer x")),
]
HUGE = 1_000_000


def text(dice: Random) -> str:
    """Return a bad text: all kinds equally often, seldom a huge one."""
    act = dice.random()
    if act < 0.003:
        return dice.choice(("x", "\u202e", "é", "<b>", "9")) * HUGE
    if act < 0.15:
        return dice.choice((*NUMBERS, *DATES, *IDS))
    if act < 0.25:
        return "".join(dice.choice(TEXTS)[:30] for _ in range(3))
    return dice.choice(dice.choice(KINDS))


def value_for(field_kind: str, dice: Random, turn: int | None = None) -> str:
    """Return a bad value for a field: mostly of the kind that it reads, the kinds of text in
    turns.
    """
    if dice.random() < 0.6:
        if field_kind in ("number", "range"):
            return dice.choice(NUMBERS)
        if field_kind in ("date", "datetime-local", "time"):
            return dice.choice(DATES)
        if field_kind == "url":
            return dice.choice(ADDRESSES)
        if field_kind in ("select", "radio", "hidden", "checkbox"):
            return dice.choice((*NUMBERS, *IDS, *SHORT))
        if turn is not None:
            return dice.choice(KINDS[turn % len(KINDS)])
    return text(dice)


def query(dice: Random, known: Sequence[str]) -> list[tuple[str, str]]:
    """Return a bad query string; ``known``: names that pages use in it."""
    names = [dice.choice(known) if known else "q" for _ in range(dice.randint(1, 3))]
    return [(name, text(dice)[:6000]) for name in names]


def header(dice: Random) -> tuple[str, str]:
    """Return a bad header."""
    name, values = dice.choice(HEADERS)
    value = dice.choice(values)
    # Control characters are for the attacks on the connection itself.
    return name, re.sub(r"[\x00-\x1f\x7f]", "", value)


# Forms


def spoiled(
    form: forms.Form,
    sent: list[tuple[str, str]],
    dice: Random,
    turn: Callable[[str], int],
) -> tuple[list[tuple[str, str]], str, bool]:
    """Return a filled form with one to three mistakes; their description, and whether the form's
    tokens are still valid. ``turn``: how often a field was spoiled before.
    """
    kinds = {each.name: each.kind for each in form.fields}
    whole, words, sent = True, [], list(sent)
    for _ in range(dice.randint(1, 3)):
        ours = [place for place, (name, _) in enumerate(sent) if not forms.TOKENS.fullmatch(name)]
        act = dice.random()
        if act < 0.04 and sent:
            place = dice.randrange(len(sent))
            name = sent[place][0]
            sent[place] = (name, value_for("hidden", dice))
            whole = whole and not forms.TOKENS.fullmatch(name)
            words.append(f"{name}: {ascii(sent[place][1])[:60]}")
            continue
        if act < 0.08 or not ours:
            sent.append((dice.choice(FIELD_NAMES), text(dice)))
            words.append("a field that the form does not have")
            continue
        place = dice.choice(ours)
        name, value = sent[place]
        if act < 0.66:
            bad = value_for(kinds.get(name, "text"), dice, turn(name))
            sent[place] = (name, bad)
            words.append(f"{name}: {ascii(bad)[:80]}")
        elif act < 0.72:
            sent[place] = (name, value + dice.choice(TEXTS)[:200])
            words.append(f"{name} with something behind it")
        elif act < 0.82:
            del sent[place]
            words.append(f"no {name}")
        elif act < 0.90:
            sent.insert(dice.randrange(len(sent) + 1), (name, value_for("text", dice)))
            words.append(f"{name} twice")
        elif act < 0.93:
            sent += [(name, value)] * 300
            words.append(f"{name} 300 times")
        elif act < 0.94:
            sent += [(f"{name}-{number}", "x") for number in range(5000)]
            words.append("5,000 more fields")
        elif act < 0.97 and len(ours) > 1:
            other = dice.choice(ours)
            sent[place], sent[other] = (name, sent[other][1]), (sent[other][0], value)
            words.append(f"{name} and {sent[other][0]} changed for one another")
        else:
            sent[place] = (name, dice.choice(SHORT))
            words.append(f"{name}: {sent[place][1]!r}")
    return sent, "; ".join(words), whole


# Values of a file


def values(dice: Random, ids: Sequence[str]) -> Any:
    """Return any bad JSON value; ``ids`` are of objects that exist."""
    makers: tuple[Callable[[], Any], ...] = (
        lambda: None,
        lambda: dice.choice((True, False)),
        lambda: dice.choice((0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**30, 1.5, -0.0, 1e308)),
        lambda: dice.choice((float("nan"), float("inf"), float("-inf"))),
        lambda: text(dice),
        lambda: dice.choice(TEXTS),
        lambda: [],
        lambda: {},
        lambda: [text(dice)],
        lambda: {dice.choice(TEXTS): 1},
        lambda: [None] * dice.choice((1, 100, 3000)),
        lambda: [{}] * dice.choice((1, 100, 3000)),
        lambda: nested(dice.choice((5, 60, 200))),
        lambda: dice.choice(ids) if ids else "",
        lambda: "é" * dice.choice((100, 4001, 50_000)),
    )
    return dice.choice(makers)()


def nested(depth: int) -> Any:
    """Return lists in lists."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path to every value inside a JSON value."""
    found = [way] if way else []
    if isinstance(value, dict):
        for key in value:
            found += places(value[key], (*way, key))
    elif isinstance(value, list):
        for number in range(len(value)):
            found += places(value[number], (*way, number))
    return found


def at(value: Any, way: Sequence[Any]) -> Any:
    """Return the value at a path."""
    for step in way:
        value = value[step]
    return value


def json_spoiled(plain: Any, dice: Random, ids: Sequence[str]) -> tuple[bytes, str]:
    """Return a sound JSON value with one to three mistakes, as bytes; and their description."""
    plain, words = copy.deepcopy(plain), []
    for _ in range(dice.choice((1, 1, 2, 3))):
        ways = places(plain)
        if not ways:
            break
        way = _chosen_way(ways, dice)
        inside, last = at(plain, way[:-1]), way[-1]
        act = dice.random()
        name = ".".join(map(str, way))
        if act < 0.55:
            bad = other_value(inside[last], dice, ids)
            inside[last] = bad
            words.append(f"{name} = {ascii(bad)[:80]}")
        elif act < 0.68:
            del inside[last]
            words.append(f"no {name}")
        elif act < 0.78 and isinstance(inside, list):
            inside.insert(dice.randrange(len(inside) + 1), copy.deepcopy(inside[last]))
            words.append(f"{name} twice")
        elif act < 0.86:
            other = dice.choice(ways)
            try:
                inside[last] = copy.deepcopy(at(plain, other))
            except (KeyError, IndexError, TypeError):
                continue
            words.append(f"{name} = that of {'.'.join(map(str, other))}")
        elif isinstance(inside, dict):
            inside[dice.choice(FIELD_NAMES)] = values(dice, ids)
            words.append(f"something unknown beside {name}")
        elif inside:
            dice.shuffle(inside)
            words.append(f"{name} and those beside it in disorder")
    return json.dumps(plain).encode(), "; ".join(words)


def _chosen_way(ways: list[tuple[Any, ...]], dice: Random) -> tuple[Any, ...]:
    """Return a path: each kind of place equally often, however many places of it there are."""
    kinds: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for way in ways:
        kind = tuple("#" if isinstance(step, int) else step for step in way)
        kinds.setdefault(kind, []).append(way)
    return dice.choice(kinds[dice.choice(list(kinds))])


def other_value(value: Any, dice: Random, ids: Sequence[str]) -> Any:
    """Return a different value: often of the same type, so that only a close look finds it
    wrong.
    """
    if dice.random() < 0.5:
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return dice.choice((0, -1, value + 1, value - 1, 999, 2**31, 2**63, 10**30))
        if isinstance(value, str):
            return dice.choice((text(dice), *DIRECTIONS, *HALVES, "\x00", *(ids or ("x",))))
        if isinstance(value, list):
            return value * dice.choice((0, 2, 50)) if len(value) < 100 else []
    return values(dice, ids)


def bytes_spoiled(content: bytes, dice: Random) -> tuple[bytes, str]:
    """Return a file with its bytes flipped, cut, doubled or written otherwise; and its
    description.
    """
    data = bytearray(content)
    size = max(1, len(data))
    act = dice.randrange(9)
    if act == 0:
        for _ in range(dice.choice((1, 3, 50))):
            if data:
                data[dice.randrange(len(data))] = dice.randrange(256)
        return bytes(data), "bytes flipped"
    if act == 1:
        return bytes(data[: dice.randrange(size)]), "cut off"
    if act == 2:
        start = dice.randrange(size)
        end = start + dice.randrange(1, 200)
        return bytes(data[:end] + data[start:]), "a part doubled"
    if act == 3:
        start = dice.randrange(size)
        return bytes(data[:start] + data[start + dice.randrange(1, 100) :]), "a part lost"
    if act == 4:
        start = dice.randrange(size)
        rubbish = dice.choice(
            (b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\xf8\x88", b'"', b"}", b"\\u")
        )
        return bytes(data[:start] + rubbish + data[start:]), f"{rubbish!r} put in"
    if act == 5:
        return b"\xef\xbb\xbf" + content, "a byte order mark"
    if act == 6:
        return content.decode("utf-8", "replace").encode("utf-16"), "in UTF-16"
    if act == 7:
        return content + content, "twice"
    return b"", "empty"
