"""Where a request comes from, and whether the site can know."""

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

# All whose address nobody told count as one.
UNKNOWN = "unknown"

_KEY = "accounts.unannounced-proxy"
_REMEMBERED = timedelta(days=7)
_told = False


def client_address(request: HttpRequest) -> str:
    """The address of the visitor's device: as the outermost announced proxy says, or the
    connection's. ``UNKNOWN`` where neither says an address, as on a socket file without a proxy."""
    proxies = settings.TRUSTED_PROXIES
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    told = forwarded[-proxies] if 0 < proxies <= len(forwarded) else ""
    for address in (told, request.META.get("REMOTE_ADDR", "")):
        clean: str | None = clean_client_ip(address) if address else None
        if clean:
            return clean
    return UNKNOWN


def watch_for_proxies(request: HttpRequest) -> None:
    """Notice when a proxy speaks up though none is announced: all visitors have its address then,
    and share their limits. It is logged once a process."""
    global _told
    if settings.TRUSTED_PROXIES or _told or "HTTP_X_FORWARDED_FOR" not in request.META:
        return
    connection = clean_client_ip(request.META.get("REMOTE_ADDR", ""))
    if connection and ip_address(connection).is_global:
        # Anybody may send that header; a proxy of the site's own stands near.
        return
    _told = True
    cache.set(_KEY, timezone.now(), int(_REMEMBERED.total_seconds()))
    logger.warning(
        "Requests come through a proxy (X-Forwarded-For), but TRUSTED_PROXIES is not set: "
        "all visitors count as one, and share the limits on sign-in attempts."
    )


def unannounced_proxy() -> datetime | None:
    """When a process of the site last noticed a proxy that is not announced; None if there has been
    none for a week, or if ``TRUSTED_PROXIES`` says so by now."""
    seen: datetime | None = None if settings.TRUSTED_PROXIES else cache.get(_KEY)
    return seen
