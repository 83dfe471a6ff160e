"""Reads elements from New Recruit's JSON.

An object is an element: its texts, numbers and booleans are attributes, its lists are lists of
elements. Both ways of writing a list are known: ``"rules": [{}]`` and ``"rules": {"rule": [{}]}``.
"""

from __future__ import annotations

from typing import Any

from common.measuring import BadData, Limits, parse
from rules.catalogues.bounds import (
    BIGGEST_TOGETHER,
    DEEPEST,
    MOST_ELEMENTS,
    MOST_FIELDS,
    MOST_VALUES,
)
from rules.catalogues.reading.elements import LISTS, ROOTS, TAGS, TEXTS, Counts, Element
from rules.catalogues.refusals import BadCatalogue

# An element and its list are at most four levels of JSON.
LIMITS = Limits(BIGGEST_TOGETHER, 2 * DEEPEST + 2, MOST_VALUES, MOST_FIELDS)
MOST_BRACES = MOST_ELEMENTS + 20_000
# Keys of an element's own text.
TEXT_KEYS = ("$text", "#text", "_")


def read_objects(file: str, content: bytes, counts: Counts) -> Element | None:
    """Return the root of a JSON file; None for JSON of something else. Raises BadCatalogue."""
    # A brace in a text is rare, and counting them is quick.
    if counts.elements + content.count(b"{") > MOST_BRACES:
        raise BadCatalogue("too_many_elements", file=file, limit=counts.most)
    try:
        data = parse(content, LIMITS)
    except BadData as bad:
        raise _refusal(bad.code, file) from None
    except RecursionError:
        raise BadCatalogue("too_deep", file=file, limit=DEEPEST) from None
    if isinstance(data, dict):
        for root in ROOTS:
            if isinstance(data.get(root), dict):
                return _element(file, root, data[root], counts, 1)
    return None


def _refusal(code: str, file: str) -> BadCatalogue:
    if code == "too_many":
        return BadCatalogue("too_many_elements", file=file, limit=MOST_VALUES)
    if code == "too_big":
        return BadCatalogue("too_big", limit=BIGGEST_TOGETHER >> 20)
    if code == "too_deep":
        return BadCatalogue("too_deep", file=file, limit=DEEPEST)
    if code == "not_text":
        return BadCatalogue("encoding", file=file)
    return BadCatalogue(code, file=file)


def _element(file: str, tag: str, data: dict[str, Any], counts: Counts, depth: int) -> Element:
    counts.count(file, depth)
    written: dict[str, str] = {}
    children: list[Element] = []
    text = ""
    for name, value in data.items():
        if name in TEXT_KEYS:
            text = _text(value)
        elif name in TEXTS:
            child = Element(name, {})
            child.text = _text(value)
            children.append(child)
        elif isinstance(value, (dict, list)) and name in LISTS:
            children.append(_list(file, name, value, counts, depth + 1))
        elif isinstance(value, (dict, list)) or (name in TAGS and name not in LISTS):
            counts.name(tag, name)
        elif value is not None and value != "":
            written[name] = _text(value)
    element = Element(tag, counts.attributes(tag, written))
    element.children = children
    element.text = counts.same(text.strip())
    return element


def _list(
    file: str, name: str, value: dict[str, Any] | list[Any], counts: Counts, depth: int
) -> Element:
    found = Element(name, {})
    inner = LISTS[name]
    counts.count(file, depth)
    if isinstance(value, dict):
        value = value.get(inner, [value] if value else [])
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, dict):
            found.children.append(_element(file, inner, one, counts, depth + 1))
        else:
            counts.name(name, "?")
    return found


def _text(value: object) -> str:
    """Return a value as XML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return format(value, "f").rstrip("0").rstrip(".")
    if isinstance(value, list):
        return "\n".join(one for one in value if isinstance(one, str))
    return "" if isinstance(value, dict) or value is None else str(value)
