"""Template tag for the address at which a page is reported."""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import reverse

from administration.reports.pages import REPORTABLE

register = template.Library()


@register.simple_tag(takes_context=True)
def report_address(context: dict[str, Any]) -> str:
    """Return the address for reporting this page; "" if it shows nothing made by players."""
    request = context.get("request")
    match = getattr(request, "resolver_match", None)
    if request is None or match is None or match.view_name not in REPORTABLE:
        return ""
    book = context.get("book")
    if match.app_name == "rules" and getattr(book, "variant", None) is None:
        return ""
    return reverse("report-page", args=[request.path.lstrip("/")])
