"""Views of the table's page, of phones' taps and news, and of opening and deleting tables."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.db.models import Prefetch
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts import quotas
from accounts.http import Request, actor, site_url
from accounts.models import User
from accounts.quotas import QuotaFull
from campaigns.access import game_or_404, open_to_spectators
from campaigns.club.people.joining import may_play_alone
from campaigns.club.planning.plans import next_games
from campaigns.models import Table, TableSide
from campaigns.refusals import refusal_sentence
from campaigns.table import asking, storage
from campaigns.table.access import (
    TableSeat,
    newest,
    own_table_or_404,
    own_tables,
    player_seat_or_404,
    remember,
    seat_or_404,
    watching_or_404,
)
from campaigns.table.board import Board, load
from campaigns.table.calls import remember_calls
from campaigns.table.folded import fold_table
from campaigns.table.pages import opening, table_page, waiting
from campaigns.table.pages.lines import anchor
from campaigns.table.pages.opening import NoRoom, OpponentForm
from campaigns.table.pages.place import PlaceForm, place_context
from campaigns.table.pages.table_page import NoteForm
from campaigns.table.taps import AnyTap, GameEnded, Note
from campaigns.text import may_report
from common.errors import Refusal
from common.forms import INVALID, OK, form_token, number, require_safe_or_post
from gangs.access import own_gang, own_gangs
from gangs.models import Gang
from gangs.pages.sharing import draw_code

NO_CONTENT = HTTPStatus.NO_CONTENT
# Reasons why a visitor cannot open another table now.
NO_ROOM = {
    "guest": gettext_lazy(
        "Visitors can have no more tables. Delete one, or sign up: it takes a minute."
    ),
    "address": gettext_lazy("Too many tables were opened from your connection: try again later."),
}


@login_not_required
@require_safe
def table(request: HttpRequest, table_id: uuid.UUID) -> HttpResponseBase:
    """Show the table."""

    def context(board: Board) -> dict[str, Any]:
        return table_page.context(board) | place_context(request, board)

    return _read(request, table_id, "campaigns/table/board.html", context)


def _read(
    request: HttpRequest,
    table_id: uuid.UUID,
    template: str,
    context: Callable[[Board], dict[str, Any]],
) -> HttpResponseBase:
    try:
        seat = seat_or_404(request, table_id)
    except Http404:
        if request.user.is_authenticated:
            raise
        return redirect_to_login(request.get_full_path())
    return render(request, template, context(load(seat)))


@login_not_required
@require_safe
def table_story(request: HttpRequest, table_id: uuid.UUID) -> HttpResponseBase:
    """Show the story of a table, turn by turn, in parts."""
    part = request.GET.get("page")
    return _read(
        request,
        table_id,
        "campaigns/table/story.html",
        lambda board: table_page.story_context(board, part),
    )


@login_not_required
@require_POST
def taps(request: HttpRequest, table_id: uuid.UUID) -> HttpResponse:
    """Receive taps: a list from a script, or the taps of one button of a form."""
    seat = player_seat_or_404(request, table_id)
    if request.content_type == "application/json":
        return _push(request, seat)
    try:
        return redirect(_say(request, seat))
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
        return redirect(seat.table)


def _push(request: HttpRequest, seat: TableSeat) -> HttpResponse:
    """Log the taps of a script."""
    try:
        return JsonResponse(log_rows(seat, actor(request), request.body))
    except Refusal as refusal:
        return JsonResponse({"error": refusal_sentence(refusal)}, status=INVALID)


def log_rows(seat: TableSeat, user: User | None, body: bytes) -> dict[str, Any]:
    """Log the rows that a program sent as JSON.

    ``logged``: for each row its number in the log, or 0; ``refused``: the reasons of refused rows,
    by place; ``taken``: the places of those that may be sent again under another number; ``now``:
    the server's clock. Raises Refusal if the body is no list of rows, or too long.
    """
    rows, forbidden = asking.sign_rows(seat, storage.read_pushed(body))
    sound = {place: row for place, row in enumerate(rows) if row is not None}
    answers: list[int | Refusal] = [
        forbidden.get(place, Refusal("no_taps")) for place in range(len(rows))
    ]
    try:
        pushed = storage.push(seat.table, user, list(sound.values()))
    except Refusal as refusal:
        answers = [refusal] * len(rows)
    else:
        for place, answer in zip(sound, pushed, strict=True):
            answers[place] = answer
        waiting.count_declined(seat, user, (row.tap for row in sound.values()))
    refused = {place: why for place, why in enumerate(answers) if isinstance(why, Refusal)}
    return {
        "now": _clock(),
        "logged": [0 if isinstance(answer, Refusal) else answer for answer in answers],
        "refused": {place: refusal_sentence(why) for place, why in refused.items()},
        "taken": [place for place, why in refused.items() if why.code == storage.TAKEN],
    }


def _say(request: HttpRequest, seat: TableSeat) -> str:
    """Log the taps of a button of the page, or a typed note. Returns the next address. Raises
    Refusal."""
    post, note = request.POST, NoteForm(request.POST)
    if "text" in post and not note.is_valid():
        raise Refusal("no_taps")
    said = (Note(text=note.cleaned_data["text"]),) if "text" in post else ()
    told = said or storage.read_taps(post.get("taps", ""))
    turn = number(post.get("turn")) or 1
    page = _find_page(request, seat)
    if page and (notice := waiting.describe_new_turn(turn, fold_table(seat.table).standing.turn)):
        messages.warning(request, notice)
        return page
    token = post.get("token", "") + "\x1f" + "\x1f".join(tap.model_dump_json() for tap in told)
    storage.say(
        seat.table,
        actor(request),
        seat.device,
        asking.sign_taps(seat, told),
        # The same button of the same page counts once.
        act=uuid.uuid5(seat.table.pk, token),
        after=number(post.get("after")) or 0,
        turn=turn,
    )
    waiting.count_declined(seat, actor(request), told)
    return _next(request, seat, told)


def _find_page(request: HttpRequest, seat: TableSeat) -> str:
    """Return the address of the figure or the dice on whose page a button was pressed, "" for the
    table's own pages, which learn of a new turn."""
    try:
        if figure := request.GET.get("figure"):
            return reverse("campaigns:table-figure", args=[seat.table.pk, figure])
        if act := request.GET.get("act"):
            return reverse("campaigns:table-dice", args=[seat.table.pk, act])
    except NoReverseMatch:
        raise Http404 from None
    return ""


def _next(request: HttpRequest, seat: TableSeat, told: Sequence[AnyTap]) -> str:
    """Return the address after a form: the report at the end of play, else the same place."""
    game, home = seat.table.game, seat.table.get_absolute_url()
    if game is not None and any(isinstance(tap, GameEnded) for tap in told):
        return reverse("campaigns:game-report", args=[game.pk])
    if request.POST.get("back") == "story":
        part = number(request.POST.get("page"))
        story = reverse("campaigns:table-story", args=[seat.table.pk])
        return f"{story}?page={part}" if part else story
    figures = (figure for tap in told if (figure := getattr(tap, "figure", None)))
    figure = next(figures, None)
    return f"{home}#{anchor(figure)}" if figure else home


@login_not_required
@require_POST
def choose_calls(request: HttpRequest, table_id: uuid.UUID) -> HttpResponse:
    """Choose how this phone calls its player to a question, and return to the table."""
    seat = player_seat_or_404(request, table_id)
    response = redirect(seat.table)
    remember_calls(response, request.POST.get("calls", ""))
    return response


@login_not_required
@require_safe
def since(request: HttpRequest, table_id: uuid.UUID, seq: int) -> HttpResponse:
    """Return the news after the tap with this number, 204 if there are none."""
    watching_or_404(request, table_id)
    if newest(table_id) <= seq:
        return HttpResponse(status=NO_CONTENT)
    seat = seat_or_404(request, table_id)
    return JsonResponse(table_page.news(load(seat), seq) | {"now": _clock()})


def _clock() -> int:
    """Return the server's clock in milliseconds, by which phones correct theirs."""
    return int(timezone.now().timestamp() * 1000)


@open_to_spectators
@require_safe_or_post
def play_game(request: Request, game_id: uuid.UUID) -> HttpResponse:
    """Redirect to the table of a game. POST opens it, for its players and the organisers."""
    game, sides = game_or_404(request, game_id)
    found = Table.objects.filter(game=game).first()
    if found is not None:
        return redirect(found)
    if request.method != "POST":
        return redirect(game)
    if not may_report(game, request.user, sides):
        raise Http404
    try:
        return redirect(storage.open_for(game, sides, actor=request.user))
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
        return redirect(game)


@login_not_required
@require_safe
def join(request: HttpRequest, key: str) -> HttpResponseBase:
    """Let a browser with the link of a table without a campaign play there."""
    found = get_object_or_404(Table, key=key, game=None)
    response = redirect(found)
    remember(request, response, found)
    return response


@login_not_required
@require_safe
def join_code(request: HttpRequest, key: str) -> HttpResponse:
    """Draw the link of a table without a campaign as a QR code, for anybody who has the link."""
    found = get_object_or_404(Table, key=key, game=None)
    return draw_code(site_url(request) + reverse("campaigns:table-join", args=[found.key]))


@login_not_required
@require_POST
def take_place(request: HttpRequest, table_id: uuid.UUID) -> HttpResponse:
    """Seat one of the reader's own gangs at a table without a campaign where a place is free."""
    seat = player_seat_or_404(request, table_id)
    if seat.table.game is not None:
        raise Http404
    form = PlaceForm(request, seat, request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose one of your gangs of this game."))
        return redirect(seat.table)
    gang = form.chosen
    note = _("%(gang)s joins the game.") % {"gang": gang.name}
    user = actor(request)
    try:
        storage.seat_opponent(seat.table, gang, actor=user, device=seat.device, note=note)
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
    return redirect(seat.table)


@login_not_required
@require_POST
def throw_away(request: HttpRequest, table_id: uuid.UUID) -> HttpResponse:
    """Delete a table without a campaign, for the person who opened it."""
    own_table_or_404(request, table_id).delete()
    messages.success(request, _("Table deleted, with all its notes."))
    return redirect("gangs:list")


@own_gang(require_safe_or_post)
def play_gang(request: HttpRequest, gang: Gang) -> HttpResponse:
    """Show a gang's next game and its tables without a campaign. POST opens a new one."""
    others = own_gangs(request).active().filter(book_version__slug=gang.book.slug)
    others = others.exclude(pk=gang.pk).order_by("name")
    form = OpponentForm(request, gang, list(others))
    status, no_room = OK, ""
    if request.method == "POST":
        status = INVALID
        if form.is_valid():
            try:
                token = form_token(request.POST, request.path)
                scenario = form.cleaned_data.get("scenario", "")
                table = opening.open_once(request, form.gangs, scenario, token)
                # The place for a friend is below the board.
                place = "#table-place" if "invite" in request.POST else ""
                return redirect(f"{table.get_absolute_url()}{place}")
            except NoRoom as full:
                no_room = str(NO_ROOM[full.why])
            except QuotaFull as full:
                no_room = quotas.describe(full)
    context = {
        "gang": gang,
        "book": gang.book,
        "form": form,
        "no_room": no_room,
        "may_play_alone": request.user.is_authenticated and may_play_alone(gang),
        "coming": next_games(gang, user) if (user := actor(request)) else [],
        "tables": own_tables(request)
        .filter(sides__gang=gang)
        .prefetch_related(Prefetch("sides", TableSide.objects.defer("snapshot", "homes"))),
        "token": uuid.uuid4().hex,
        "invite_token": uuid.uuid4().hex,
    }
    return render(request, "campaigns/table/play.html", context, status=status)
