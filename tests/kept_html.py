"""Keeps the HTML that tests have seen for the Nu HTML checker: each answer as the server sent
it, each page as a browser had it. Without a folder named by KEPT_HTML nothing is kept.

    KEPT_HTML=var/html .venv/bin/python -m pytest tests/campaigns
    .venv/bin/python bench/nu.py vnu.jar var/html
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path

from django.http import HttpRequest, HttpResponse

# Values that differ between answers that are otherwise the same.
PASSING = re.compile(
    r'(?<=name="csrfmiddlewaretoken" value=")\w+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
    r"|(?<=/)[\w-]{16,}(?=/)|\d+"
)


def keep(html: str, title: str) -> None:
    """Write the page to the folder, once for all that differ only in numbers and keys. ``title``:
    the page's origin, shown with the checker's complaints.
    """
    folder = os.environ.get("KEPT_HTML")
    if not folder or not html.strip():
        return
    # A value that is on a page twice is twice on a similar page too.
    order: dict[str, str] = {}
    shape = PASSING.sub(lambda passing: order.setdefault(passing[0], f"#{len(order)}"), html)
    digest = hashlib.sha1(shape.encode(), usedforsecurity=False).hexdigest()
    name = re.sub(r"[^\w.-]+", "-", title).strip("-")
    path = Path(folder) / f"{name[:80]}.{digest[:10]}.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(html, encoding="utf-8")


def recorder(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that keeps every answer in HTML."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.get("Content-Type", "").startswith("text/html") and not response.streaming:
            match = request.resolver_match
            name = match.view_name if match else request.path
            part = "part" if request.headers.get("HX-Request") else "page"
            keep(
                response.content.decode(), f"{name} {request.method} {response.status_code} {part}"
            )
        return response

    return answer
