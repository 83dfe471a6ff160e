"""Measuring JSON files before they are parsed.

A megabyte of JSON can become fifty of objects, and each invalid object can become an error with a
path. So a file from a stranger is first scanned as bytes, for its depth and its number of values,
without building anything. Files that pass can be parsed and validated within known memory; long
lists are parsed element by element.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

from common.text import is_fit

# Possessive quantifiers throughout, so that no input is scanned twice.
TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
# Everything up to the next bracket outside a string, or to an unterminated string.
TO_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|%s)*+(["\[\]{}]|\Z)' % TEXT.pattern, re.DOTALL)
# Everything up to the start of another value, or to the end.
TO_VALUE = re.compile(rb'(?:[^",\[{]++|%s)*+(?:[,\[{]|\Z)' % TEXT.pattern, re.DOTALL)
# A key before its list.
KEY = re.compile(rb'"([a-z_]{1,40})"\s*:\s*\[\Z')
# The end of a key; wrong only for a key that ends in a backslash. Inside a string, quotes are
# preceded by one.
KEY_END = re.compile(rb'(?<!\\)"\s*+:')
BETWEEN = re.compile(rb"\s*,\s*")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BIGGEST_NUMBER = 1_000_000_000
# The longest list that is read element by element.
MOST_PIECES = 10_000


class BadData(Exception):
    """Data that cannot be parsed or exceeds a limit.

    ``code``: too_big, not_text, not_json, too_deep, too_many, bad_number or bad_text.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Limits:
    """Limits: ``size`` in bytes, ``depth`` of nesting, ``values`` in all, ``keys`` per object."""

    size: int
    depth: int
    values: int
    keys: int = 1_000


@dataclass(frozen=True)
class Pieces:
    """A JSON file whose long lists are parsed element by element.

    ``head`` is the data with these lists empty; ``places`` has the start and end of each element in
    ``content``; ``limits`` apply to one element.
    """

    head: Any
    content: bytes
    places: Mapping[str, list[tuple[int, int]]]
    limits: Limits

    def each(self, name: str) -> Iterator[Any]:
        """Parse and yield the elements of one list, one at a time. Raises BadData."""
        for start, end in self.places.get(name, ()):
            yield _loaded(self.content[start:end], self.limits)


def parse(content: bytes, limits: Limits) -> Any:
    """Parse a JSON file after measuring it. Raises BadData."""
    if len(content) > limits.size:
        raise BadData("too_big")
    _places(content, limits, ())
    return _loaded(content, limits)


def in_pieces(
    content: bytes, limits: Limits, names: Collection[str], piece: Limits, rest: Limits
) -> Pieces:
    """Parse a JSON object except the elements of its lists called ``names``.

    ``limits`` apply to the whole file, ``piece`` to one element, ``rest`` to everything else
    together. Raises BadData; for an element only once it is parsed.
    """
    if len(content) > limits.size:
        raise BadData("too_big")
    places = {name: inner for name, inner in _places(content, limits, names).items() if inner}
    parts, end = [], 0
    for inner in sorted(places.values()):
        parts.append(content[end : inner[0][0]])
        end = inner[-1][1]
        for (_start, before), (after, _end) in pairwise(inner):
            if not BETWEEN.fullmatch(content, before, after):
                raise BadData("not_json")
    head = b"".join([*parts, content[end:]])
    return Pieces(_loaded(head, rest), content, places, piece)


def _loaded(content: bytes, limits: Limits) -> Any:
    """Parse content whose depth has been measured. Raises BadData."""
    if len(content) > limits.size:
        raise BadData("too_big")
    # One of these characters precedes each value except the first; the pattern also matches the
    # end.
    if sum(1 for _ in islice(TO_VALUE.finditer(content), limits.values)) == limits.values:
        raise BadData("too_many")

    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(pairs) > limits.keys:
            raise BadData("too_many")
        if len(found) < len(pairs):
            raise BadData("not_json")
        return found

    try:
        text = content.removeprefix(BYTE_ORDER_MARK).decode()
        return json.loads(text, parse_constant=_refused, object_pairs_hook=made)
    except UnicodeDecodeError:
        raise BadData("not_text") from None
    except ValueError:
        raise BadData("not_json") from None


def _refused(constant: str) -> float:
    raise BadData("bad_number")


def _places(
    content: bytes, limits: Limits, names: Collection[str]
) -> dict[str, list[tuple[int, int]]]:
    """Return the start and end of each element in the lists called ``names``.

    Raises BadData if brackets do not match, if there are too many or they are too deep, or if an
    object has too many keys.
    """
    places: dict[str, list[tuple[int, int]]] = {}
    closing: list[bytes] = []
    # The number of keys so far in each open object or list.
    keys: list[int] = []
    opened, start = 0, 0
    current: list[tuple[int, int]] | None = None
    for found in TO_BRACKET.finditer(content):
        sign, depth = found[1], len(closing)
        if keys:
            keys[-1] += len(KEY_END.findall(found[0]))
            if keys[-1] > limits.keys:
                raise BadData("too_many")
        if sign == b"[" or sign == b"{":
            opened += 1
            if depth >= limits.depth:
                raise BadData("too_deep")
            if opened > limits.values:
                raise BadData("too_many")
            closing.append(b"]" if sign == b"[" else b"}")
            keys.append(0)
            if depth == 1 and closing[0] == b"}" and (key := KEY.search(found[0][-100:])):
                name = key[1].decode()
                current = places.setdefault(name, []) if name in names else None
            elif depth == 2:
                start = found.start(1)
        elif sign == b'"':
            raise BadData("not_json")
        elif sign:
            if not closing or closing.pop() != sign:
                raise BadData("not_json")
            keys.pop()
            if depth == 3 and current is not None:
                current.append((start, found.end()))
                if len(current) > MOST_PIECES:
                    raise BadData("too_many")
            elif depth == 2:
                current = None
    if closing:
        raise BadData("not_json")
    return places


def measure(data: object, limits: Limits) -> None:
    """Check parsed ``data`` against the limits; also reject huge numbers and unfit strings.

    Raises BadData.
    """
    for count, (depth, value) in enumerate(values_of(data, limits.depth)):
        if depth > limits.depth:
            raise BadData("too_deep")
        if count >= limits.values:
            raise BadData("too_many")
        if isinstance(value, float) and not math.isfinite(value):
            raise BadData("bad_number")
        if isinstance(value, (int, float)) and abs(value) > BIGGEST_NUMBER:
            raise BadData("bad_number")
        if isinstance(value, str) and not is_fit(value):
            raise BadData("bad_text")


def values_of(data: object, deepest: int) -> Iterator[tuple[int, object]]:
    """Yield every value and key inside ``data`` with its depth, at most one below ``deepest``.

    Not recursive.
    """
    ahead = [(0, data)]
    while ahead:
        depth, value = ahead.pop()
        yield depth, value
        if depth > deepest:
            continue
        if isinstance(value, dict):
            for key, inner in value.items():
                yield depth + 1, key
                ahead.append((depth + 1, inner))
        elif isinstance(value, list):
            ahead.extend((depth + 1, inner) for inner in value)
