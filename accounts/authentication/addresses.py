"""The address of a visitor's device, also behind proxies."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from ipaddress import ip_address

from allauth.core.internal.httpkit import clean_client_ip
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from django.utils import timezone

logger = logging.getLogger(__name__)

# All visitors without a known address count as one.
UNKNOWN = "unknown"

_KEY = "accounts.unannounced-proxy"
_REMEMBERED = timedelta(days=7)
_has_warned = False


def client_address(request: HttpRequest) -> str:
    """The address of the visitor's device: from the outermost trusted proxy, or else from the
    connection. ``UNKNOWN`` if neither has one, as on a Unix socket without a proxy."""
    proxies = settings.TRUSTED_PROXIES
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    from_proxy = forwarded[-proxies] if 0 < proxies <= len(forwarded) else ""
    for address in (from_proxy, request.META.get("REMOTE_ADDR", "")):
        clean: str | None = clean_client_ip(address) if address else None
        if clean:
            return clean
    return UNKNOWN


def watch_for_proxies(request: HttpRequest) -> None:
    """Detect a proxy that the settings do not mention: all visitors then have its address and share
    their limits. Logs a warning once per process."""
    global _has_warned
    if settings.TRUSTED_PROXIES or _has_warned or "HTTP_X_FORWARDED_FOR" not in request.META:
        return
    connection = clean_client_ip(request.META.get("REMOTE_ADDR", ""))
    if connection and ip_address(connection).is_global:
        # Anybody may send that header; the site's own proxy has a local address.
        return
    _has_warned = True
    cache.set(_KEY, timezone.now(), int(_REMEMBERED.total_seconds()))
    logger.warning(
        "Requests come through a proxy (X-Forwarded-For), but TRUSTED_PROXIES is not set: "
        "all visitors count as one, and share the limits on sign-in attempts."
    )


def unannounced_proxy() -> datetime | None:
    """The time at which the site last detected a proxy missing in ``TRUSTED_PROXIES``; None if that
    was over a week ago, or if the setting has been added."""
    seen: datetime | None = None if settings.TRUSTED_PROXIES else cache.get(_KEY)
    return seen
