"""Files that somebody takes away: what they are called, and the answer that carries one."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.text import slugify


def plain_name(name: str, otherwise: str) -> str:
    """A name that every file system takes, without an ending; ``otherwise`` if nothing is left."""
    return slugify(name) or otherwise


def json_file(text: str, name: str, *, otherwise: str) -> HttpResponse:
    """JSON as a file to keep, called after ``name``, or else ``otherwise``."""
    response = HttpResponse(text, content_type="application/json")
    file_name = f"{plain_name(name, otherwise)}.json"
    response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return response
