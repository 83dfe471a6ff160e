"""Tokens: making and finding them, and the middleware that lets their programs in."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Iterator
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import quotas
from accounts.data_export import File, as_json
from accounts.models import User
from api.models import Token
from api.problems import KIND, problem

# Programs find secrets by this beginning that should not have been published.
PREFIX = "skirmish_"
# The beginning of a campaign's watch key where a token is expected.
WATCH = "watch_"
ROOT = "/api/"
# A last use is stored only this often, so that reading writes little.
NOTED_EVERY = timedelta(hours=1)

# Words for errors that no operation has answered itself.
WORDS = {
    404: gettext_lazy("There is nothing at this address."),
    405: gettext_lazy("This address does not take that method."),
    413: gettext_lazy("That is too large. Send less at a time."),
    503: gettext_lazy("The site is busy. Try again in a moment."),
}
OTHERWISE = gettext_lazy("That did not work, and nothing has changed.")

type GetResponse = Callable[[HttpRequest], HttpResponse]


def make(user: User, name: str, *, writes: bool = False) -> tuple[Token, str]:
    """Make a token and return it with its secret, which cannot be shown again. ``writes``: its
    programs may also write. Raises QuotaFull."""
    secret = PREFIX + secrets.token_urlsafe(32)
    with quotas.turn(user):
        quotas.check(user, "tokens")
        token = Token.objects.create(
            user=user, name=name, writes=writes, digest=_digest(secret), ending=secret[-4:]
        )
    return token, secret


def find(secret: str) -> Token | None:
    """Return the token with this secret, and note that it is used; None if there is none, or its
    user is blocked. One query, and one more each hour."""
    found = Token.objects.select_related("user").filter(digest=_digest(secret)).first()
    if found is None or not found.user.is_active:
        return None
    now = timezone.now()
    if found.used_at is None or now - found.used_at > NOTED_EVERY:
        Token.objects.filter(pk=found.pk).update(used_at=now)
    return found


def _digest(secret: str) -> str:
    # The secret is random: nobody can guess it, so a slow hash would protect nothing.
    return hashlib.sha256(secret.encode()).hexdigest()


def count_of(user: User) -> int:
    """Count a user's tokens."""
    return Token.objects.filter(user=user).count()


def files_of(user: User) -> Iterator[File]:
    """A user's tokens, without anything that lets somebody in."""
    found = Token.objects.filter(user=user).values(
        "name", "writes", "ending", "created_at", "used_at"
    )
    yield File("api-tokens.json", as_json(list(found)))


def without_cookies(get_response: GetResponse) -> GetResponse:
    """Middleware: below ``/api/`` cookies mean nothing, so no page can use a reader's session, and
    every error is one that programs can read."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(ROOT):
            return get_response(request)
        request.COOKIES.clear()
        response = get_response(request)
        if response.status_code < 400 or response.get("Content-Type") == KIND:
            return response
        readable = problem(response.status_code, str(WORDS.get(response.status_code, OTHERWISE)))
        for name in ("Allow", "Retry-After"):
            if name in response:
                readable[name] = response[name]
        return readable

    return middleware


def with_token(get_response: GetResponse) -> GetResponse:
    """Middleware: below ``/api/`` the user is the owner of the token in the header Authorization.

    ``request.client``: the id under which its requests are counted, "" without a valid token;
    ``request.writes``: whether the token may write. A campaign's watch key is a token for
    everything that its watch link shows. Known answers are not sent again (ETag, 304).
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(ROOT):
            return get_response(request)
        _let_in(request)
        response = _too_many(request) or get_response(request)
        if request.method in ("GET", "HEAD") and response.status_code == 200:
            etag = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
            response = get_conditional_response(request, etag=etag, response=response) or response
            response["ETag"] = etag
        response["Cache-Control"] = "private, no-cache"
        response["Vary"] = "Authorization, Accept-Language"
        return response

    return middleware


def _too_many(request: HttpRequest) -> HttpResponse | None:
    """Count a request of a client; the answer 429 if it has sent too many in this minute."""
    client = request.client  # type: ignore[attr-defined]
    if not client:
        return None
    minute, second = divmod(int(time.time()), 60)
    key = f"api:{client}:{minute}"
    cache.add(key, 0, timeout=120)
    try:
        sent = cache.incr(key)
    except ValueError:
        # Something else has pushed the count out of the cache.
        return None
    if sent <= settings.API_REQUESTS_A_MINUTE:
        return None
    words = _("Too many requests with this token. Wait a moment.")
    response = problem(429, words)
    response["Retry-After"] = str(60 - second)
    return response


def _let_in(request: HttpRequest) -> None:
    request.user = AnonymousUser()
    request.client = ""  # type: ignore[attr-defined]
    request.writes = False  # type: ignore[attr-defined]
    scheme, _space, secret = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secret.isascii():
        return
    if secret.startswith(WATCH):
        request.watch_key = secret.removeprefix(WATCH)  # type: ignore[attr-defined]
        request.client = _digest(secret)  # type: ignore[attr-defined]
    elif (token := find(secret)) is not None:
        request.user = token.user
        request.client = f"token-{token.pk}"  # type: ignore[attr-defined]
        request.writes = token.writes  # type: ignore[attr-defined]
