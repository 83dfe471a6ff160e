"""Errors as programs read them (RFC 9457)."""

from __future__ import annotations

import json
from http import HTTPStatus

from django.http import HttpResponse

KIND = "application/problem+json"


class Problem(Exception):
    """An operation that is refused with this status and these words; nothing has changed.

    ``code``: a word for programs, "" for none; ``errors``: the places of the body with their
    mistakes, in words.
    """

    def __init__(
        self, status: int, detail: str, code: str = "", errors: tuple[tuple[str, str], ...] = ()
    ) -> None:
        super().__init__(status, code)
        self.status = status
        self.detail = detail
        self.code = code
        self.errors = errors


def problem(
    status: int, detail: str, code: str = "", errors: tuple[tuple[str, str], ...] = ()
) -> HttpResponse:
    """An error as an answer; the arguments are those of ``Problem``."""
    title = HTTPStatus(status).phrase
    told: dict[str, object] = {"type": "about:blank", "title": title, "status": status}
    told["detail"] = detail
    if code:
        told["code"] = code
    if errors:
        told["errors"] = [{"place": place, "detail": words} for place, words in errors]
    text = json.dumps(told, ensure_ascii=False)
    return HttpResponse(text, status=status, content_type=KIND)
