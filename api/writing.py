"""The operations that write: they act as the pages do, and refuse the same."""

import uuid
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from ninja import Status

from accounts.http import Request
from api import answers, once
from api.bodies import Coming, Consent, GameReport
from api.operations import PROBLEMS
from api.operations import router as router
from api.problems import Problem
from api.reports import read_report
from api.tokens import Bearer
from campaigns.access import game_or_404, playing, readable_games
from campaigns.club.nights import schedule
from campaigns.club.nights.views import night_or_404
from campaigns.games import results
from campaigns.models import Game, Night
from campaigns.table.access import player_seat_or_404
from campaigns.table.pages.views import log_rows
from campaigns.text import may_report
from common.errors import Refusal
from common.turns import importing
from gangs.files.format import LIMITS
from gangs.models import Gang

WRITING = dict.fromkeys((400, 403, 409, 413, 415, 428, 503), answers.Problem)
# The headers of operations, as the description names them.
VERSION = {"name": "If-Match", "in": "header", "required": True, "schema": {"type": "string"}}
ONCE = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "maxLength": once.LONGEST_KEY},
}


def writes[**P, R](
    path: str,
    answer: Any,
    status: int = 200,
    *,
    body: dict[str, Any] | None = None,
    header: dict[str, Any] | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate an operation that writes. ``answer``: the model of its answer; ``body``: the schema
    of a body that the operation reads itself; ``header``: the header that it reads."""
    extra: dict[str, Any] = {"parameters": [header]} if header else {}
    if body:
        content = {"application/json": {"schema": body}}
        extra["requestBody"] = {"required": True, "content": content}
    made: Callable[[Callable[P, R]], Callable[P, R]] = router.post(
        path,
        auth=[Bearer(writes=True)],
        response={status: answer, **PROBLEMS, **WRITING},
        openapi_extra=extra or None,
    )
    return made


@writes("/nights/{night}/answers", answers.NightPage)
def answer_night(request: Request, night: uuid.UUID, coming: Coming) -> Night:
    """Say whether a gang of yours comes to a night; an organiser may answer for every gang."""
    found = night_or_404(request, night)
    gang = next((gang for gang in playing(found.campaign) if gang.pk == coming.gang), None)
    if gang is None:
        raise Refusal("gang_not_here")
    schedule.answer(found, gang, coming.answer, actor=request.user)
    return night_or_404(request, night)


@writes("/games/{game}/report", answers.GamePage, header=VERSION)
def report_game(request: Request, game: uuid.UUID, report: GameReport) -> Game:
    """Report a game, as its page does. The header If-Match names the version that you have seen.
    A report sent twice is one report."""
    version = _expected_version(request)
    found, sides = game_or_404(request, game)
    if not may_report(found, request.user, sides):
        words = _("The result is already in, or you cannot report it.")
        raise Problem(403, words, "not_reportable")
    forms = read_report(found, sides, report)
    results.submit(
        found,
        sides,
        forms.account(),
        actor=request.user,
        expected_version=version,
        decides=report.decide,
        why=forms.result.cleaned_data.get("why", ""),
    )
    return _game(request, game)


@writes("/games/{game}/confirm", answers.GamePage, header=VERSION)
def confirm_game(request: Request, game: uuid.UUID, consent: Consent) -> Game:
    """Agree with a claim about a game. The header If-Match names the version that you have seen."""
    version = _expected_version(request)
    found, _sides = game_or_404(request, game)
    results.confirm(found, actor=request.user, expected_version=version, claim=consent.claim)
    return _game(request, game)


@writes(
    "/tables/{table}/taps",
    answers.Logged,
    body={"type": "array", "items": {"type": "object"}, "maxItems": 500},
)
def tap(request: Request, table: uuid.UUID) -> answers.Logged:
    """Send taps to a table at which you play, as a phone does. Each has the id of your program as
    ``device`` and a number ``n`` of its own there, so a tap sent twice counts once."""
    seat = player_seat_or_404(request, table)
    return answers.Logged(**log_rows(seat, request.user, request.body))


@writes("/gangs", answers.GangLine, 201, body={"type": "object"}, header=ONCE)
def found_gang(request: Request) -> Status[Gang]:
    """Make a gang of a file that this site or another one exported. With the header
    Idempotency-Key, a file sent twice makes one gang, and another file with the same key is
    refused."""
    key = once.read_key(request.headers.get("Idempotency-Key", ""))
    with importing.one(request.user.pk):
        # ``request.body`` would refuse what a form's file may have.
        text = request.read(LIMITS.size + 1)
        return Status(201, once.import_once(text, request.user, key))


def _expected_version(request: HttpRequest) -> int:
    """The version in the header If-Match. Raises Problem if there is none."""
    version = request.headers.get("If-Match", "").strip().strip('"')
    if not (version.isascii() and version.isdigit() and len(version) < 10):
        words = _("Send the game’s version in the header If-Match.")
        raise Problem(428, words, "version_missing")
    return int(version)


def _game(request: Request, game: uuid.UUID) -> Game:
    return get_object_or_404(readable_games(request).prefetch_related("sides"), pk=game)
