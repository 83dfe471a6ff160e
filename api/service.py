"""The API as a whole: its operations, who is let in, and the words of its errors."""

from __future__ import annotations

from typing import Any, cast

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from accounts import quotas
from accounts.quotas import QuotaFull
from api.problems import Problem, problem
from api.tokens import Bearer
from api.writing import router
from campaigns.refusals import refusal_sentence
from common.errors import Refusal, Stale
from common.turns import BUSY, Busy
from gangs.files.format import BadFile
from gangs.files.views import describe_bad

VERSION = "1.2.0"


def make_api() -> NinjaAPI:
    """Return the API with its operations and its errors."""
    api = NinjaAPI(
        title="Skirmish",
        version=VERSION,
        description=(
            "Read what you may read: rulebooks, gangs, campaigns, games and nights. With a token "
            "that may write, answer nights, tap at tables, report and confirm games, and import "
            "gangs."
        ),
        docs_url=None,
        openapi_url=None,
        auth=[Bearer()],
        urls_namespace="api",
    )
    api.add_router("", router)
    for kind, handler in _HANDLERS.items():
        api.add_exception_handler(kind, handler)
    return api


def addresses() -> list[URLPattern | URLResolver]:
    """The addresses of all operations, open to requests without a session."""
    found = [pattern for pattern in make_api().urls[0] if cast(Any, pattern).name != "api-root"]
    for pattern in found:
        # A token lets programs in; a redirect to the page for signing in would not help them.
        cast(Any, pattern).callback.login_required = False
    return found


def _not_found(_request: HttpRequest, _error: object) -> HttpResponse:
    return problem(404, _("There is nothing here that your token may read."))


def _not_let_in(_request: HttpRequest, _error: object) -> HttpResponse:
    words = _("Send a valid token in the header Authorization, as “Bearer TOKEN”.")
    response = problem(401, words)
    response["WWW-Authenticate"] = "Bearer"
    return response


def _invalid(_request: HttpRequest, error: Any) -> HttpResponse:
    places = [".".join(map(str, row.get("loc", row))) for row in error.errors]
    words = _("Not understood: %(names)s") % {"names": ", ".join(places[:20])}
    return problem(422, words, "invalid")


def _unreadable(_request: HttpRequest, _error: object) -> HttpResponse:
    return problem(400, _("The body cannot be read as JSON."), "not_json")


def _problem(_request: HttpRequest, error: Any) -> HttpResponse:
    return problem(error.status, error.detail, error.code, error.errors)


def _refused(_request: HttpRequest, error: Any) -> HttpResponse:
    return problem(422, refusal_sentence(error), error.code)


def _stale(_request: HttpRequest, _error: object) -> HttpResponse:
    words = _("Somebody changed this in the meantime. Read it again.")
    return problem(409, words, "stale")


def _busy(_request: HttpRequest, _error: object) -> HttpResponse:
    response = problem(503, str(BUSY), "busy")
    response["Retry-After"] = "60"
    return response


def _bad_file(_request: HttpRequest, error: Any) -> HttpResponse:
    return problem(422, describe_bad(error), error.code)


def _full(_request: HttpRequest, error: Any) -> HttpResponse:
    return problem(422, quotas.describe(error), "quota")


_HANDLERS: dict[type[Exception], Any] = {
    Http404: _not_found,
    AuthenticationError: _not_let_in,
    ValidationError: _invalid,
    HttpError: _unreadable,
    Problem: _problem,
    Refusal: _refused,
    QuotaFull: _full,
    Stale: _stale,
    Busy: _busy,
    BadFile: _bad_file,
}
