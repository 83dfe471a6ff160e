"""Template variables that every page needs."""

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
    """Provide the site's name and address, the sign-up mode, whether mail is delivered, the theme,
    the home address, and the contact for questions about administrators' acts.

    ``who`` and ``was`` identify the reader for pages kept in the browser; both are lazy.
    """
    return {
        "who": SimpleLazyObject(partial(_who, request)),
        "was": SimpleLazyObject(partial(_was, request)),
        "site_name": settings.SITE_NAME,
        "site_url": site_url(request),
        "sign_up": settings.SIGNUP,
        "mail_server": settings.MAIL_SERVER,
        "contact": settings.CONTACT,
        "contact_url": f"mailto:{settings.CONTACT}"
        if "@" in settings.CONTACT
        else settings.CONTACT,
        "theme": theme_of(request),
        "home": _home(request),
    }


def _home(request: HttpRequest) -> str:
    """Return the address of the home page; for visitors, the front page."""
    known = hasattr(request, "user") and actor(request) is not None
    return reverse("tonight" if known else "gangs:front")


def _who(request: HttpRequest) -> str:
    """Identify the reader, so the service worker never shows a cached page to another account."""
    # Error pages may be rendered before the user is known.
    if not hasattr(request, "user"):
        return _known_as("")
    user = actor(request)
    return _known_as(f"user {user.pk}") if user is not None else _as_visitor(request)


def _was(request: HttpRequest) -> str:
    """Return the identity this browser had before the sign-in; "" if there was no visitor.

    That visitor's gangs and tables now belong to the account.
    """
    known = hasattr(request, "user") and actor(request) is not None and GUEST.read(request)
    return _as_visitor(request) if known else ""


def _as_visitor(request: HttpRequest) -> str:
    return _known_as(f"guest {GUEST.read(request)}")


def _known_as(name: str) -> str:
    return salted_hmac("kept pages", name, algorithm="sha256").hexdigest()[:16]
