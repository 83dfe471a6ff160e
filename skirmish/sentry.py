"""Mistakes of the program, told to a Sentry server: what was raised and where, of nobody."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from common.origin import origin
from skirmish.logs import mask


def start(dsn: str) -> None:
    """Send what goes wrong to the server that SENTRY_DSN names. Raises ImproperlyConfigured if the
    package for it is not installed, or if this is no address of such a server."""
    try:
        import sentry_sdk
    except ImportError as error:
        raise ImproperlyConfigured(
            "SENTRY_DSN is set, but the package sentry-sdk is not installed: "
            "pip install -r requirements-extras.txt"
        ) from error
    try:
        sentry_sdk.init(
            dsn=dsn,
            # What somebody typed is theirs, and who they are.
            data_collection={
                "user_info": False,
                "cookies": {"mode": "off"},
                "http_headers": {"request": {"mode": "off"}},
                "http_bodies": [],
                "url_query_params": {"mode": "off"},
                "database_query_data": False,
                "stack_frame_variables": False,
            },
            before_send=clean_event,
            before_breadcrumb=lambda crumb, hint: _masked(crumb),
        )
    except sentry_sdk.utils.BadDsn as error:
        raise ImproperlyConfigured(
            f"SENTRY_DSN is no address of a Sentry server: {error}"
        ) from None


def clean_event(event: Any, hint: Any) -> Any:
    """An event without keys, cookies, addresses of people, or what was asked for in a query; with
    the request's id, which the log has, too."""
    request = event.get("request", {})
    for name in ("cookies", "headers", "env", "data", "query_string"):
        request.pop(name, None)
    event.pop("user", None)
    if origin.get():
        event.setdefault("tags", {})["request"] = origin.get()
    return _masked(event)


def _masked(value: Any) -> Any:
    """The same value, with no key in any of its texts."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {name: _masked(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(part) for part in value]
    return value
