"""Cookies of this site: every one says what it is for; what nobody may make up is signed.

Whoever sets a cookie declares it where it is named; the page about privacy lists them all.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import Promise

DAY = 24 * 3600


@dataclass(frozen=True)
class Cookie:
    """What a visitor is told of a cookie. ``max_age``: seconds that a browser keeps it, 0 for as
    long as it is open."""

    name: str
    purpose: str | Promise
    max_age: int

    @property
    def days(self) -> int:
        """The days that a browser keeps it."""
        return self.max_age // DAY


_declared: dict[str, Cookie] = {}


def declare(name: str, purpose: str | Promise, max_age: int) -> None:
    """Let the page about privacy name this cookie."""
    _declared[name] = Cookie(name, purpose, max_age)


def declared_cookies() -> list[Cookie]:
    """Every cookie that this site sets, by name."""
    return [cookie for _name, cookie in sorted(_declared.items())]


def remember_choice(response: HttpResponseBase, name: str, value: str) -> None:
    """Let the browser remember what a reader chose of how pages look, as long as their language."""
    response.set_cookie(
        name,
        value,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


@dataclass(frozen=True)
class SignedCookie:
    """What a browser remembers in place of a session: nobody can make up its value, and nothing is
    stored here.

    What a visitor was given stays theirs when they sign in. What somebody was given while signed in
    is theirs until they sign out: whoever uses the browser next does not have it.
    """

    name: str
    purpose: str | Promise = field(compare=False)
    max_age: int

    def __post_init__(self) -> None:
        declare(self.name, self.purpose, self.max_age)

    def read(self, request: HttpRequest) -> str:
        """The value; "" if there is none, it is too old, forged, or somebody else's."""
        text = request.get_signed_cookie(self.name, "", salt=self.name, max_age=self.max_age)
        whose, _, value = str(text).partition(":")
        return value if whose in ("", _sign_in(request)) else ""

    def write(self, request: HttpRequest, response: HttpResponseBase, value: str) -> None:
        """Let the browser that gets ``response`` remember ``value``, from now on."""
        response.set_signed_cookie(
            self.name,
            f"{_sign_in(request)}:{value}",
            salt=self.name,
            max_age=self.max_age,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )

    def clear(self, response: HttpResponseBase) -> None:
        """Let the browser forget it."""
        response.delete_cookie(self.name, samesite="Lax")


def _sign_in(request: HttpRequest) -> str:
    """What tells one sign-in from another; "" for visitors."""
    if not request.user.is_authenticated:
        return ""
    return hashlib.sha256(str(request.session.session_key).encode()).hexdigest()[:16]
