"""Requests: the type that views receive, the acting user, and the site's address."""

from django.conf import settings
from django.http import HttpRequest, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.middleware import HtmxDetails

from accounts.models import User


class Request(HttpRequest):
    """A signed-in request. On public pages ``user`` may be anonymous: check
    ``is_authenticated``."""

    user: User
    htmx: HtmxDetails


def actor(request: HttpRequest) -> User | None:
    """The acting user; None for a visitor."""
    return request.user if request.user.is_authenticated else None


def back(request: HttpRequest) -> HttpResponseRedirect:
    """Redirect to the page of a form (its field ``next``), if it is on this site."""
    wanted = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return HttpResponseRedirect(wanted if ours else "/")


def site_url(request: HttpRequest) -> str:
    """The site's address, for links outside its pages.

    SITE_URL has priority over the request's host, so that printed codes and shared links are right
    even if the page was opened under another name of the server.
    """
    return settings.SITE_URL or f"{request.scheme}://{request.get_host()}"


def public_url() -> str:
    """The site's address without a request, as in mails: SITE_URL, or the first allowed host."""
    if settings.SITE_URL:
        return settings.SITE_URL
    return f"{settings.ACCOUNT_DEFAULT_HTTP_PROTOCOL}://{settings.ALLOWED_HOSTS[0].lstrip('.')}"
