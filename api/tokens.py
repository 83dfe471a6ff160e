"""Tokens: making and finding them, and the middleware that lets their programs in."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from allauth.account.signals import password_reset
from allauth.core.internal.ratelimit import truncate_ip
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from ninja.security import HttpBearer

from accounts import notices, quotas
from accounts.authentication import programs
from accounts.authentication.addresses import client_address
from accounts.authentication.devices import ENDED
from accounts.data_export import File, as_json
from accounts.language import requested_language
from accounts.models import User
from api.models import Token
from api.problems import KIND, Problem, problem
from campaigns.access import is_watch_key

# Programs find secrets by this beginning that should not have been published.
PREFIX = "skirmish_"
# The beginning of a campaign's watch key where a token is expected.
WATCH = "watch_"
# Below this address programs are let in by tokens, and cookies mean nothing.
ROOT = "/api/v1/"
# The kind of the notice that a token was made that may write.
MADE = "token_made"
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
    programs may also write, so its owner gets a notice. Raises QuotaFull."""
    secret = PREFIX + secrets.token_urlsafe(32)
    with quotas.turn(user):
        quotas.check(user, "tokens")
        token = Token.objects.create(
            user=user, name=name, writes=writes, digest=_digest(secret), ending=secret[-4:]
        )
        if writes:
            notices.notify([user], MADE, {"name": name}, reverse("api-pages:tokens"))
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


def describe_made(values: dict[str, Any]) -> str:
    """The sentence of the notice that a token was made that may write."""
    return _("A new API token may write in your name: %(name)s.") % {"name": values["name"]}


def end(request: HttpRequest, user: User, **_signal: Any) -> None:
    """Delete a user's tokens with their sessions, unless they have unticked that."""
    if not programs.is_keeping(request):
        end_all(user)


def end_all(user: User) -> None:
    """Delete a user's tokens."""
    Token.objects.filter(user=user).delete()


def install() -> None:
    """End tokens when a password changes, and with all other sessions."""
    programs.register(lambda user: count_of(user) > 0)
    for signal in (*ENDED, password_reset):
        signal.connect(end)


def files_of(user: User) -> Iterator[File]:
    """A user's tokens, without anything that lets somebody in."""
    found = Token.objects.filter(user=user).values(
        "name", "writes", "ending", "created_at", "used_at"
    )
    yield File("api-tokens.json", as_json(list(found)))


class Bearer(HttpBearer):
    """The token that the middleware has found in a request. ``writes``: only one that may write,
    with a body of JSON."""

    def __init__(self, *, writes: bool = False) -> None:
        super().__init__()
        self.writes = writes

    def authenticate(self, request: HttpRequest, token: str) -> str:
        """The name of the request's client; "" without a valid token. Raises Problem if the token
        may only read, or the body is of another type."""
        client: str = request.client  # type: ignore[attr-defined]
        if not client or not self.writes:
            return client
        if not request.writes:  # type: ignore[attr-defined]
            raise Problem(403, _("This token may only read. Make one that may write."), "read_only")
        if request.content_type != "application/json":
            words = _("Send the body as JSON, of the type application/json.")
            raise Problem(415, words, "content_type")
        return client


def without_cookies(get_response: GetResponse) -> GetResponse:
    """Middleware: below ``ROOT`` cookies mean nothing, so no page can use a reader's session, and
    every error is one that programs can read."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(ROOT):
            return get_response(request)
        request.COOKIES.clear()
        response = get_response(request)
        if response.status_code < 400 or response.get("Content-Type") == KIND:
            return response
        with translation.override(_language_of(request)):
            words = str(WORDS.get(response.status_code, OTHERWISE))
        readable = problem(response.status_code, words)
        for name in ("Allow", "Retry-After"):
            if name in response:
                readable[name] = response[name]
        return readable

    return middleware


def with_token(get_response: GetResponse) -> GetResponse:
    """Middleware: below ``ROOT`` the user is the owner of the token in the header Authorization.

    ``request.client``: the name under which its requests are counted, "" without a valid token;
    ``request.writes``: whether the token may write. A campaign's watch key is a token for
    everything that its watch link shows. Known answers are not sent again (ETag, 304).
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(ROOT):
            return get_response(request)
        _let_in(request)
        method = request.method
        if method == "HEAD":
            # The server leaves the body of the answer out.
            request.method = "GET"
        response = _too_many(request) or get_response(request)
        if request.method == "GET" and response.status_code == 200:
            etag = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
            response = get_conditional_response(request, etag=etag, response=response) or response
            response["ETag"] = etag
        request.method = method
        if response.status_code == 405:
            response = _name_methods(request, response)
        response["Cache-Control"] = "private, no-cache"
        response["Vary"] = "Authorization, Accept-Language"
        return response

    return middleware


def _too_many(request: HttpRequest) -> HttpResponse | None:
    """Count a request; the answer 429 if its client has sent too many in this minute. Clients
    without a valid token count by their address, whatever they send as a token."""
    client = request.client or _at_address(request)  # type: ignore[attr-defined]
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
    # The middleware that activates the account's language comes later.
    with translation.override(_language_of(request)):
        response = problem(429, _("Too many requests. Wait a moment."))
    response["Retry-After"] = str(60 - second)
    return response


def _language_of(request: HttpRequest) -> str:
    """The language of the token's account, or else of the request."""
    chosen: str = getattr(getattr(request, "user", None), "language", "")
    return chosen or requested_language(request)


def _name_methods(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """An answer to a method that an operation does not have: OPTIONS asks for the methods."""
    allowed = {name for name in response.get("Allow", "").split(", ") if name} | {"OPTIONS"}
    if "GET" in allowed:
        allowed.add("HEAD")
    if request.method == "OPTIONS":
        response = HttpResponse(status=204)
    response["Allow"] = ", ".join(sorted(allowed))
    return response


def _let_in(request: HttpRequest) -> None:
    request.user = AnonymousUser()
    request.client = ""  # type: ignore[attr-defined]
    request.writes = False  # type: ignore[attr-defined]
    scheme, _space, secret = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secret.isascii():
        return
    if secret.startswith(WATCH):
        key = secret.removeprefix(WATCH)
        if is_watch_key(key):
            request.watch_key = key  # type: ignore[attr-defined]
            # Many readers share a key, so each counts for themselves.
            request.client = f"{_digest(secret)}-{_at_address(request)}"  # type: ignore[attr-defined]
    elif (token := find(secret)) is not None:
        request.user = token.user
        request.client = f"token-{token.pk}"  # type: ignore[attr-defined]
        request.writes = token.writes  # type: ignore[attr-defined]


def _at_address(request: HttpRequest) -> str:
    """The name under which everybody at the request's address is counted."""
    return f"at-{truncate_ip(client_address(request))}"
