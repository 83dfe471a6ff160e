"""Errors as programs read them (RFC 9457)."""

from __future__ import annotations

import json

from django.http import HttpResponse


def problem(status: int, title: str, detail: str) -> HttpResponse:
    """An error. ``title``: the status in words; ``detail``: what went wrong, for the reader."""
    told = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    text = json.dumps(told, ensure_ascii=False)
    return HttpResponse(text, status=status, content_type="application/problem+json")
