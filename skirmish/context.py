"""What every page needs besides its own content."""

from functools import partial

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.functional import SimpleLazyObject

from accounts.http import actor, site_url
from accounts.theme import theme_of
from gangs.access import GUEST


def site(request: HttpRequest) -> dict[str, object]:
    """Give templates the site's name, the address to put into links that leave the site, who may
    sign up, whether it is day or night, and where one begins."""
    return {
        "who": SimpleLazyObject(partial(_who, request)),
        "was": SimpleLazyObject(partial(_was, request)),
        "site_name": settings.SITE_NAME,
        "site_url": site_url(request),
        "sign_up": settings.SIGNUP,
        "theme": theme_of(request),
        "home": _home(request),
    }


def _home(request: HttpRequest) -> str:
    """The address at which somebody begins: for a visitor, the front page."""
    known = hasattr(request, "user") and actor(request) is not None
    return reverse("tonight" if known else "gangs:front")


def _who(request: HttpRequest) -> str:
    """By what a browser knows for whom a page was made, so that it shows what it kept of it to
    nobody else."""
    # Pages of mistakes are drawn where nobody has looked who asks.
    if not hasattr(request, "user"):
        return _known_as("")
    user = actor(request)
    return _known_as(f"user {user.pk}") if user is not None else _as_visitor(request)


def _was(request: HttpRequest) -> str:
    """The same of the visitor whom somebody signed in was in this browser, whose gangs and tables
    are theirs now; "" if they were none."""
    known = hasattr(request, "user") and actor(request) is not None and GUEST.read(request)
    return _as_visitor(request) if known else ""


def _as_visitor(request: HttpRequest) -> str:
    return _known_as(f"guest {GUEST.read(request)}")


def _known_as(name: str) -> str:
    return salted_hmac("kept pages", name, algorithm="sha256").hexdigest()[:16]
