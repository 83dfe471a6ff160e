"""Every address of the site, as the URL conf lists it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from random import Random
from urllib.parse import quote, unquote, urlsplit

from django.urls import Resolver404, URLResolver, get_resolver, resolve
from django.urls.converters import IntConverter, UUIDConverter

from tests.hostile import nasty

# The address contains a key, so its owner may see the page.
KEYS = re.compile(r"^/(report/)?(s|campaigns/(join|watch|feeds)|rules/version)/|version=")
# Prints take their time, and have an answer for readers who do not want to wait.
PRINTED = ".pdf"


@cache
def routes() -> dict[str, tuple[tuple[str, dict[str, str]], ...]]:
    """Return, for every named address, each way to write it, with the patterns of its arguments."""
    found: dict[str, list[tuple[str, dict[str, str]]]] = {}
    for name, route, arguments in _routes(get_resolver(), "", ""):
        found.setdefault(name, []).append((route, arguments))
    return {name: tuple(ways) for name, ways in found.items()}


def _routes(
    resolver: URLResolver, space: str, prefix: str
) -> Iterator[tuple[str, str, dict[str, str]]]:
    for name in resolver.reverse_dict:
        if isinstance(name, str):
            for ways, _pattern, _defaults, converters in resolver.reverse_dict.getlist(name):
                for route, arguments in ways:
                    kinds = {each: _kind(converters.get(each)) for each in arguments}
                    yield space + name, prefix + route, kinds
    for inner, (more, nested) in resolver.namespace_dict.items():
        yield from _routes(nested, f"{space}{inner}:", prefix + more)


def _kind(converter: object) -> str:
    if isinstance(converter, UUIDConverter):
        return "uuid"
    return "int" if isinstance(converter, IntConverter) else "text"


@cache
def name_of(path: str) -> str:
    """Return the address's name; "" if it has none."""
    try:
        return resolve(unquote(urlsplit(path).path)).view_name or ""
    except (Resolver404, ValueError):
        return ""


def invented(name: str, dice: Random) -> str:
    """Return the address with arguments that match its pattern and name nothing."""
    route, kinds = dice.choice(routes()[name])
    return "/" + route % {each: argument_of(kind, dice) for each, kind in kinds.items()}


def is_key(path: str) -> bool:
    """Whether strangers who have the address may see the page."""
    return KEYS.search(path) is not None


def argument_of(kind: str, dice: Random) -> str:
    """Return a part of an address that the URL conf may accept, and that names nothing."""
    if kind == "uuid":
        return _uuid(dice)
    if kind == "int":
        return dice.choice(("0", "1", "999", "2147483648", "9223372036854775808", "9" * 25))
    # One is the name of an app, which some addresses require.
    text = dice.choice(("x", "nothing", "gangs", "-1", "9" * 30, dice.choice(nasty.TEXTS)[:300]))
    return quote(text, safe="", errors="surrogatepass") or "x"


def _uuid(dice: Random) -> str:
    text = f"{dice.getrandbits(128):032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def misled(path: str, dice: Random) -> str:
    """Return a real address with one of its parts replaced by another."""
    parts = urlsplit(path).path.split("/")
    place = dice.randrange(1, len(parts)) if len(parts) > 1 else 0
    part = parts[place]
    kind = "int" if part.isdigit() else "uuid" if len(part) == 36 else "text"
    parts[place] = argument_of(kind, dice)
    return "/".join(parts) or "/"
