"""Pages of a figure at the table, of an attempt and of its dice."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import Request, actor
from campaigns.access import open_to_spectators
from campaigns.models import Table, TableEntry, TableSide, TableThrow
from campaigns.refusals import refusal_sentence
from campaigns.seeds import Dice, count_dice, next_dice
from campaigns.table import storage
from campaigns.table.access import player_seat_or_404, seat_or_404
from campaigns.table.attempts.actions import begin_attempt, find_options, pay_action
from campaigns.table.attempts.attempt import Attempt
from campaigns.table.attempts.effects import bring_dice, say_outcome, sort_taps
from campaigns.table.attempts.forms import (
    ACTION,
    AT,
    BY,
    AttemptForm,
    NobodyHere,
    OutcomeForm,
    read_form,
)
from campaigns.table.attempts.offline import list_attempts
from campaigns.table.attempts.pages import (
    dice_context,
    figure_context,
    form_address,
    form_context,
)
from campaigns.table.attempts.roll import (
    IMPOSSIBLE,
    Offer,
    PendingRoll,
    find_offers,
    find_roll,
    keep_dice,
    play_faces,
    spend,
    take_faces,
    throw,
    throw_more,
)
from campaigns.table.attempts.text import TypedDice, type_dice
from campaigns.table.board import Board, load
from campaigns.table.storage import lock_row
from campaigns.table.taps import AnyTap, Counted
from common.errors import Refusal
from common.forms import INVALID, OK, number, require_safe_or_post
from rules.engine.playing import Played

# Shared by all views here.


def act_of(request: HttpRequest, board: Board) -> uuid.UUID:
    """Return the act of a form: the same form sent twice is one act."""
    return uuid.uuid5(board.table.pk, f"act {request.POST.get('token', '')}")


def say(
    request: HttpRequest, board: Board, taps: Sequence[AnyTap], act: uuid.UUID, seen: int = 0
) -> None:
    """Put taps into the log. ``seen``: the number of taps of the act that the form had seen. Raises
    Refusal."""
    if taps:
        storage.say(
            board.table,
            actor(request),
            board.seat.device,
            taps,
            act=act,
            after=number(request.POST.get("after")) or 0,
            turn=number(request.POST.get("turn")) or 1,
            seen=seen,
        )


def to_dice(board: Board, act: uuid.UUID) -> HttpResponse:
    """Redirect to the dice of an attempt."""
    return redirect("campaigns:table-dice", board.table.pk, act)


@contextmanager
def draw_dice(table: Table, act: uuid.UUID, seen: int) -> Iterator[Dice | None]:
    """Yield the dice for an act's next throw, None if the log has more taps of the act than
    ``seen``.

    Dice and taps are written in one transaction. Raises Refusal if the table is deleted.
    """
    with transaction.atomic():
        locked = lock_row(table)
        told = TableEntry.objects.filter(table=table.pk, act=act).count()
        if told > seen:
            yield None
            return
        sides = TableSide.objects.filter(table=table.pk).order_by("number")
        dice = next_dice(locked, sides.values_list("word", flat=True))
        yield dice
        if dice.fallen:
            TableThrow.objects.create(table=table, act=act, dice=dice.fallen, **dice.columns)
            Table.objects.filter(pk=table.pk).update(**count_dice(locked, dice))


# A figure.


@open_to_spectators
@require_safe_or_post
def figure(request: Request, table_id: uuid.UUID, figure: str) -> HttpResponse:
    """Show a figure with its items and options. POST does an action without dice."""
    if request.method == "POST":
        return _act(request, load(player_seat_or_404(request, table_id)), figure)
    board = load(seat_or_404(request, table_id))
    if figure not in board.now.figures:
        raise Http404
    return render(request, "campaigns/table/attempts/figure.html", figure_context(board, figure))


@login_not_required
@require_safe
def attempts_beforehand(request: HttpRequest, table_id: uuid.UUID, figure: str) -> HttpResponse:
    """Return a figure's attempts for a phone that goes offline."""
    board = load(player_seat_or_404(request, table_id))
    if figure not in board.now.figures:
        raise Http404
    return JsonResponse({"attempts": list_attempts(board, figure)})


def _act(request: HttpRequest, board: Board, figure: str) -> HttpResponse:
    action, _space, item = request.POST.get("do", "").partition(" ")
    known = figure in board.now.figures and action in board.book.action
    if not known:
        raise Http404
    deeds = find_options(board.start, board.now, figure).deeds
    if not any(deed.action.key == action for deed in deeds):
        messages.error(request, _("That is not possible now."))
        return redirect("campaigns:table-figure", board.table.pk, figure)
    taps = pay_action(board.start, board.now, Attempt(figure, item=item or None, action=action))
    try:
        say(request, board, taps, act_of(request, board))
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
    roll = request.GET.get("roll", "")
    if roll in board.book.roll:
        # The action was offered on an attempt, which goes on.
        chosen = {key: request.POST[key] for key in (AT, ACTION) if key in request.POST}
        address = reverse("campaigns:table-attempt", args=[board.table.pk, roll])
        return redirect(f"{address}?{urlencode({BY: figure, **chosen})}")
    return redirect("campaigns:table-figure", board.table.pk, figure)


# An attempt.


@login_not_required
@require_safe_or_post
def attempt(request: HttpRequest, table_id: uuid.UUID, roll: str) -> HttpResponse:
    """Show an attempt's form with its odds. POST throws its dice, or takes typed dice or an
    outcome."""
    board = load(player_seat_or_404(request, table_id))
    try:
        data = request.POST if request.method == "POST" else request.GET
        form = read_form(data, board.start, board.now, board.names, roll)
    except NobodyHere:
        raise Http404 from None
    if request.method != "POST":
        return _form_page(request, board, form)
    act = act_of(request, board)
    if any(one.act == act for one in board.log):
        return to_dice(board, act)
    if not form.valid or not form.usable:
        return _form_page(request, board, form)
    how = request.POST.get("how", "")
    try:
        match how:
            case "throw":
                with draw_dice(board.table, act, seen=0) as dice:
                    if dice is not None:
                        played = throw(form.asked, dice)
                        _keep(request, board, form, act, played, thrown=True)
                return to_dice(board, act)
            case "tell":
                return _tell(request, board, form, act)
            case "say":
                return _claim(request, board, form, act)
    except IMPOSSIBLE:
        # A roll in an unforeseen situation, or dice that the form did not ask for.
        messages.error(request, _("This roll cannot be made here: enter the result."))
        return _form_page(request, board, form)
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
        return _form_page(request, board, form)
    return redirect(f"{form_address(board, form)}?{urlencode(form.query)}")


def _tell(request: HttpRequest, board: Board, form: AttemptForm, act: uuid.UUID) -> HttpResponse:
    """Take one more typed throw; the last one goes into the log."""
    typed = type_dice(request.POST, form.asked, lambda faces: play_faces(form.asked, faces))
    if isinstance(typed, TypedDice):
        return _form_page(request, board, form, typed=typed)
    _keep(request, board, form, act, typed, thrown=False)
    return to_dice(board, act)


def _keep(
    request: HttpRequest,
    board: Board,
    form: AttemptForm,
    act: uuid.UUID,
    played: Played,
    *,
    thrown: bool,
) -> None:
    """Log dice before anybody sees them, with their effects if nothing can be spent on them."""
    made, now = form.attempt, board.now
    rolled = keep_dice(made, played, thrown=thrown, is_open=True)
    taps = begin_attempt(board.start, now, made)
    there = PendingRoll(made, now, rolled, settled=False, seen=0)
    if find_offers(board.folded, there):
        taps = [*taps, rolled]
    else:
        settled = keep_dice(made, played, thrown=thrown, is_open=False)
        taps = sort_taps([*taps, settled, *bring_dice(board.start, now, made, played)])
    say(request, board, taps, act)


def _claim(request: HttpRequest, board: Board, form: AttemptForm, act: uuid.UUID) -> HttpResponse:
    """Take an outcome without dice; show the form again if the outcome needs more."""
    claim = OutcomeForm(form.asked, request.POST)
    if not claim.complete:
        return _form_page(request, board, form, claim=claim)
    start, now, made = board.start, board.now, form.attempt
    said = say_outcome(start, now, made, claim.outcome, claim.numbers, claim.happened)
    say(request, board, sort_taps([*begin_attempt(start, now, made), *said]), act)
    return to_dice(board, act)


def _form_page(
    request: HttpRequest,
    board: Board,
    form: AttemptForm,
    *,
    typed: TypedDice | None = None,
    claim: OutcomeForm | None = None,
) -> HttpResponse:
    part = "#attempt" if getattr(request, "htmx", False) else ""
    template = f"campaigns/table/attempts/attempt.html{part}"
    status = OK if form.valid else INVALID
    return render(request, template, form_context(board, form, typed, claim), status=status)


# Its dice.


@open_to_spectators
@require_safe_or_post
def dice(request: Request, table_id: uuid.UUID, act: uuid.UUID) -> HttpResponse:
    """Show the dice of an attempt and their effects. POST spends something on them, or lets them
    count."""
    seat = (player_seat_or_404 if request.method == "POST" else seat_or_404)(request, table_id)
    board = load(seat)
    pending = find_roll(board.folded, act)
    if pending is None:
        raise Http404
    if request.method != "POST":
        return _dice_page(request, dice_context(board, act, pending))
    if pending.settled or number(request.POST.get("seen")) != pending.seen:
        # Somebody else was quicker: show the new state.
        return to_dice(board, act)
    try:
        return _go_on(request, board, act, pending)
    except IMPOSSIBLE:
        messages.error(request, _("These dice cannot be rolled here: count them as they are."))
        return to_dice(board, act)
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
        return to_dice(board, act)


def _dice_page(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    return render(request, "campaigns/table/attempts/dice.html", context)


def _go_on(
    request: HttpRequest, board: Board, act: uuid.UUID, pending: PendingRoll
) -> HttpResponse:
    """Let the dice count, or spend something on them. Raises Refusal."""
    key, rolled = request.POST.get("spend", ""), pending.rolled
    asked = pending.attempt.question(board.start, pending.before)
    if not key:
        played = play_faces(asked, rolled.faces, rolled.spent)
        say(request, board, _count(board, pending, played, rolled.spent), act, pending.seen)
        return to_dice(board, act)
    offered = find_offers(board.folded, pending)
    offer = next((one for one in offered if one.spend.key == key), None)
    if offer is None:
        return to_dice(board, act)
    if rolled.thrown:
        with draw_dice(board.table, act, pending.seen) as dice:
            if dice is not None:
                played = spend(asked, rolled, key, throw_more(dice))
                say(request, board, _spend(board, pending, offer, played), act, pending.seen)
        return to_dice(board, act)
    typed = type_dice(
        request.POST, asked, lambda faces: spend(asked, rolled, key, take_faces(faces))
    )
    if isinstance(typed, TypedDice):
        return _dice_page(request, dice_context(board, act, pending, offer, typed))
    say(request, board, _spend(board, pending, offer, typed), act, pending.seen)
    return to_dice(board, act)


def _count(
    board: Board, pending: PendingRoll, played: Played, spent: tuple[str, ...]
) -> list[AnyTap]:
    """Return the taps of dice that count now."""
    made, thrown = pending.attempt, pending.rolled.thrown
    last = keep_dice(made, played, thrown=thrown, spent=spent, is_open=False)
    return [last, *bring_dice(board.start, pending.before, made, played)]


def _spend(board: Board, pending: PendingRoll, offer: Offer, played: Played) -> list[AnyTap]:
    """Return the taps of spending something, with the dice's effects if nothing more can be
    spent."""
    costs: list[AnyTap] = []
    if offer.spend.track is not None:
        costs.append(Counted(figure=offer.payer, track=offer.spend.track, by=-1))
    spent, thrown = (*pending.rolled.spent, offer.spend.key), pending.rolled.thrown
    rolled = keep_dice(pending.attempt, played, thrown=thrown, spent=spent, is_open=True)
    if find_offers(board.folded, pending.with_dice(rolled), offer):
        return [*costs, rolled]
    return [*costs, *_count(board, pending, played, spent)]
