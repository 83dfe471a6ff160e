"""Reporting bugs to a Sentry server, without personal data."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from common.origin import origin
from skirmish.logs import mask


def start(dsn: str) -> None:
    """Send unhandled errors to the server at this DSN.

    Raises ImproperlyConfigured if sentry-sdk is not installed or the DSN is invalid.
    """
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
            # Send neither users' input nor their identity.
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
            before_breadcrumb=clean_breadcrumb,
        )
    except sentry_sdk.utils.BadDsn as error:
        raise ImproperlyConfigured(
            f"SENTRY_DSN is not the address of a Sentry server: {error}"
        ) from None


def clean_event(event: Any, hint: Any) -> Any:
    """Remove keys, cookies, addresses and queries from an event; add the request id of the log."""
    request = event.get("request", {})
    for name in ("cookies", "headers", "env", "data", "query_string"):
        request.pop(name, None)
    event.pop("user", None)
    if origin.get():
        event.setdefault("tags", {})["request"] = origin.get()
    return _masked(event)


def clean_breadcrumb(crumb: Any, hint: Any) -> Any:
    """Mask keys in a breadcrumb; drop requests to other servers, because the whole address of a
    channel or a device is a secret."""
    return None if crumb.get("category") == "httplib" else _masked(crumb)


def _masked(value: Any) -> Any:
    """Mask secret keys in all strings of a value."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {name: _masked(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(part) for part in value]
    return value
