"""Views for monitoring programs."""

from __future__ import annotations

from ipaddress import ip_address

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import Error
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from administration.monitoring import readiness

NOT_READY = 503
# Headers that a web server in front adds for requests from elsewhere.
FORWARDING = {"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-Ip"}
LOOPBACK_HOSTS = {"127.0.0.1", "localhost", "[::1]"}


@login_not_required
@require_safe
@never_cache
def ready(request: HttpRequest) -> HttpResponse:
    """Say whether the site is ready; give details to the host."""
    found = readiness.reports()
    well = all(report.ok for report in found if report.needed)
    lines = ["ready" if well else "not ready"]
    if has_token(request) or from_here(request) or is_staff(request):
        lines += [f"{_state(report)} {report.name}: {report.detail}" for report in found]
    text = "\n".join(lines) + "\n"
    return HttpResponse(text, content_type="text/plain", status=200 if well else NOT_READY)


@login_not_required
@require_safe
@never_cache
def figures(request: HttpRequest) -> HttpResponse:
    """Return the metrics, for holders of the token or, without a token, for this machine."""
    allowed = has_token(request) if settings.METRICS_TOKEN else from_here(request)
    if not settings.METRICS or not allowed:
        raise Http404
    # Imported late, since few sites need this library.
    from administration.monitoring import metrics

    return HttpResponse(metrics.write_figures(), content_type=metrics.CONTENT_TYPE)


def has_token(request: HttpRequest) -> bool:
    """Whether the request has METRICS_TOKEN."""
    sort, _, token = request.headers.get("Authorization", "").partition(" ")
    wanted: str = settings.METRICS_TOKEN
    return bool(wanted) and sort == "Bearer" and constant_time_compare(token, wanted)


def from_here(request: HttpRequest) -> bool:
    """Whether a program on this machine sent the request, not a web server on behalf of others."""
    try:
        near = ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
    host = request.headers.get("Host", "").rpartition(":")
    name = host[0] if host[2].isdigit() else request.headers.get("Host", "")
    return near and name in LOOPBACK_HOSTS and not FORWARDING & request.headers.keys()


def is_staff(request: HttpRequest) -> bool:
    """Whether an administrator sent the request; False if the database fails."""
    try:
        return request.user.is_staff
    except Error:
        return False


def _state(report: readiness.Report) -> str:
    if report.ok:
        return "good"
    return "FAILED" if report.needed else "LATE"
