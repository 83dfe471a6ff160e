"""A figure at the table and what it may do; the form of an attempt."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import Request
from campaigns.access import open_to_spectators
from campaigns.refusals import refusal_sentence
from campaigns.table.access import player_seat_or_404, seat_or_404
from campaigns.table.attempts import beforehand, figure_page, outcomes, spending
from campaigns.table.attempts.effects import Act
from campaigns.table.attempts.forms import AttemptForm, NobodyHere, read_form
from campaigns.table.attempts.options import options, paid
from campaigns.table.attempts.outcome_form import OutcomeForm
from campaigns.table.attempts.responses import act_of, common, home, say, to_dice
from campaigns.table.attempts.spending import Lying
from campaigns.table.attempts.telling import Telling, tell
from campaigns.table.board import Board, load
from campaigns.table.drawing import drawing
from campaigns.table.taps import AnyTap
from common.errors import Refusal
from common.forms import INVALID, OK, require_safe_or_post
from gangs.text.formats import localized
from rules.engine.odds import HOPELESS
from rules.engine.playing import Played
from rules.odds.chances import Patience
from rules.odds.results import Result, ScoreDifference, result, with_spends

# A figure.


@open_to_spectators
@require_safe_or_post
def figure(request: Request, table_id: uuid.UUID, figure: str) -> HttpResponse:
    """A figure: what it is, what it carries, and what it may do. POST does an action that needs no
    dice, or of which the dice are nobody's business here."""
    if request.method == "POST":
        return _do(request, load(player_seat_or_404(request, table_id)), figure)
    board = load(seat_or_404(request, table_id))
    if figure not in board.now.figures:
        raise Http404
    return render(
        request, "campaigns/table/attempts/figure.html", figure_page.context(board, figure)
    )


@login_not_required
@require_safe
def attempts_beforehand(request: HttpRequest, table_id: uuid.UUID, figure: str) -> HttpResponse:
    """What a phone that will be without a network takes along of a figure."""
    board = load(player_seat_or_404(request, table_id))
    if figure not in board.now.figures:
        raise Http404
    return JsonResponse({"attempts": beforehand.attempts(board, figure)})


def _do(request: HttpRequest, board: Board, figure: str) -> HttpResponse:
    action, _space, item = request.POST.get("do", "").partition(" ")
    known = figure in board.now.figures and action in board.book.action
    if not known:
        raise Http404
    deeds = options(board.start, board.now, figure).deeds
    if not any(deed.action.key == action for deed in deeds):
        messages.error(request, _("That is not possible now."))
        return redirect("campaigns:table-figure", board.table.pk, figure)
    taps = paid(board.start, board.now, Act(figure, item=item or None), action)
    try:
        say(request, board, taps, act_of(request, board))
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
    return redirect("campaigns:table-figure", board.table.pk, figure)


# An attempt.


@login_not_required
@require_safe_or_post
def attempt(request: HttpRequest, table_id: uuid.UUID, roll: str) -> HttpResponse:
    """An attempt's form with its odds. POST throws its dice, takes those of the table, or what
    somebody says came of it."""
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
                with drawing(board.table, act, seen=0) as dice:
                    if dice is not None:
                        played = outcomes.throw(form.asked, dice)
                        _keep(request, board, form, act, played, thrown=True)
                return to_dice(board, act)
            case "tell":
                return _tell(request, board, form, act)
            case "say":
                return _claim(request, board, form, act)
    except spending.IMPOSSIBLE:
        # A roll that nobody has thought of so, or dice that the form never asked for.
        messages.error(request, _("This roll cannot be made here: say what happened."))
        return _form_page(request, board, form)
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
        return _form_page(request, board, form)
    return redirect(f"{_address(board, form)}?{urlencode(form.query)}")


def _address(board: Board, form: AttemptForm) -> str:
    return reverse("campaigns:table-attempt", args=[board.table.pk, form.roll.key])


def _tell(request: HttpRequest, board: Board, form: AttemptForm, act: uuid.UUID) -> HttpResponse:
    """One more throw of the table's dice; the last one is kept."""
    telling = tell(request.POST, form.asked, lambda faces: outcomes.told(form.asked, faces))
    if isinstance(telling, Telling):
        return _form_page(request, board, form, telling=telling)
    _keep(request, board, form, act, telling, thrown=False)
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
    """Keep dice before anybody sees them; what they bring, too, if nothing can be spent on them."""
    made, now = form.attempt, board.now
    lying = outcomes.rolled_tap(made, played, thrown=thrown, lies=True)
    begun = outcomes.begun(board.start, now, made)
    there = Lying(made, now, lying, settled=False, seen=0)
    if spending.offers(board.start, now, board.log, there):
        taps: Sequence[AnyTap] = [*begun, lying]
    else:
        settled = outcomes.rolled_tap(made, played, thrown=thrown, lies=False)
        brought = outcomes.comes_of(board.start, now, made, played)
        taps = outcomes.in_turn([*begun, settled, *brought])
    say(request, board, taps, act)


def _claim(request: HttpRequest, board: Board, form: AttemptForm, act: uuid.UUID) -> HttpResponse:
    """What somebody says came of it; asked again for what an outcome needs besides."""
    claim = OutcomeForm(form.asked, request.POST)
    if not claim.complete:
        return _form_page(request, board, form, claim=claim)
    taps = outcomes.said(
        board.start, board.now, form.attempt, claim.outcome, claim.numbers, claim.happened
    )
    say(request, board, outcomes.in_turn(taps), act)
    return to_dice(board, act)


def _form_page(
    request: HttpRequest,
    board: Board,
    form: AttemptForm,
    *,
    telling: Telling | None = None,
    claim: OutcomeForm | None = None,
) -> HttpResponse:
    found, spends, problem = _odds(board, form)
    by = form.attempt.act.by
    context = {
        **common(board),
        "form": form,
        "who": board.names.who(by),
        "home": home(board, by),
        "address": _address(board, form),
        "odds": found,
        "spends": spends,
        "problem": problem,
        "shows_odds": shows_odds(board),
        "action": localized(form.action.name) if form.action else "",
        "telling": telling or Telling(),
        "claim": claim or OutcomeForm(form.asked, None),
        # Instead of a throw: dice that are wanted next, or what an outcome needs besides.
        "asks_more": telling is not None or claim is not None,
    }
    part = "#attempt" if getattr(request, "htmx", False) else ""
    status = OK if form.valid else INVALID
    template = f"campaigns/table/attempts/attempt.html{part}"
    return render(request, template, context, status=status)


def _odds(board: Board, form: AttemptForm) -> tuple[Result | None, list[ScoreDifference], str]:
    """The odds, what they are with something spent on the dice, or why there are none."""
    if not form.valid:
        return None, [], _("Correct the marked fields.")
    if not form.usable:
        return (
            None,
            [],
            _("This roll is not possible like this: choose another weapon, target or state."),
        )
    if not shows_odds(board):
        return None, [], ""
    rows = [
        offer.spend for offer in spending.possible(board.start, board.now, board.log, form.attempt)
    ]
    try:
        spends = [*with_spends(form.asked, rows)]
        return result(form.asked, form.compared, Patience()), spends, ""
    except HOPELESS:
        return None, [], _("These odds cannot be worked out.")


def shows_odds(board: Board) -> bool:
    """Whether a campaign lets odds be seen at its tables."""
    game = board.table.game
    return game is None or game.campaign.odds_at_table
