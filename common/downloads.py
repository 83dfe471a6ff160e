"""Files for people to keep: their names, their text, and the response that carries one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from django.http import HttpResponse
from django.utils.text import slugify


def plain_name(name: str, otherwise: str) -> str:
    """Make a file name without extension that every file system accepts, or ``otherwise``."""
    return slugify(name) or otherwise


def json_file(content: str | bytes, name: str, *, otherwise: str) -> HttpResponse:
    """Make a JSON download named after ``name``, or ``otherwise`` if that is empty."""
    response = HttpResponse(content, content_type="application/json")
    file_name = f"{plain_name(name, otherwise)}.json"
    response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return response


def json_pieces(items: Iterable[tuple[str, object]]) -> Iterator[str]:
    """Yield the JSON text of an object with these ``items``, indented by one space, in pieces.

    An iterator among the values becomes a list; only one of its elements is in memory at a time.
    """
    before = "{"
    for key, value in items:
        yield f"{before}\n {json.dumps(key)}: "
        before = ","
        if not isinstance(value, Iterator):
            yield _indented(value, 1)
            continue
        opening = "["
        for element in value:
            yield f"{opening}\n  {_indented(element, 2)}"
            opening = ","
        yield "[]" if opening == "[" else "\n ]"
    yield "\n}"


def _indented(value: object, depth: int) -> str:
    # JSON strings contain no line breaks, so each one here separates two lines.
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    return text.replace("\n", "\n" + " " * depth)
