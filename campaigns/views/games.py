"""Games: a game's page, reporting, confirming, disputing, withdrawing."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import Request
from campaigns import results, roles, telling
from campaigns.forms import DisputeForm
from campaigns.models import Game, Side
from campaigns.report_forms import ReportForms
from campaigns.telling_crew import versus
from campaigns.wording import refusal_sentence
from gangs.forms import seen
from gangs.ledger import Stale
from gangs.refusal import Refusal


def game_or_404(request: Request, game: uuid.UUID) -> tuple[Game, list[Side]]:
    """The game with its sides and their rosters, if the user may see its campaign."""
    visible = Game.objects.visible_to(request.user).select_related("campaign", "reported_by")
    found = get_object_or_404(visible, pk=game)
    sides = found.sides.with_standing().select_related("gang__owner", "verdict_by")
    for side in (shown := list(sides)):
        side.game = found
    return found, shown


@require_safe
def game(request: Request, game: uuid.UUID) -> HttpResponse:
    """A game: its scenario, its result, and what it waits for."""
    return _game_page(request, *game_or_404(request, game))


def _game_page(
    request: Request,
    shown: Game,
    sides: list[Side],
    *,
    dispute_form: DisputeForm | None = None,
    status: int = 200,
) -> HttpResponse:
    book, user = shown.campaign.book, request.user
    organises = shown.campaign.is_run_by(user)
    open_ = shown.status in (Game.Status.REPORTED, Game.Status.DISPUTED)
    mine = [side for side in sides if side.is_of(user)]
    context = {
        "game": shown,
        "campaign": shown.campaign,
        "book": book,
        "title": " – ".join(side.name for side in sides),
        "scenario": book.scenario.get(shown.scenario),
        "scenario_name": telling.scenario_name(book, shown),
        "scenario_row": telling.rolled_row(book, shown),
        "result": telling.result_name(book, shown),
        "sides": [telling.told_side(book, side) for side in sides],
        "awaits": list(telling.awaited(shown, sides, user, shown.get_absolute_url())),
        "may_report": results.may_report(shown, user, sides),
        "may_confirm": open_ and (organises or any(side.verdict != "confirmed" for side in mine)),
        "may_dispute": open_ and bool(mine) and shown.reported_by_id != user.pk,
        "may_withdraw": results.may_withdraw(shown, user, sides, results.claims_of(shown, sides)),
        "organises": organises,
        "dispute_form": dispute_form or DisputeForm(),
        **roles.context(shown, sides, user),
    }
    if shown.status == Game.Status.PLANNED:
        context["versus"] = versus(shown, sides, user)
    return render(request, "campaigns/game.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def report(request: Request, game: uuid.UUID) -> HttpResponse:
    """Report the result of a game, or correct the report."""
    shown, sides = game_or_404(request, game)
    if not results.may_report(shown, request.user, sides):
        messages.info(request, _("The result is in, or it is not yours to report."))
        return redirect(shown)
    forms = ReportForms(shown, sides, request.POST if request.method == "POST" else None)
    status, error = 200, ""
    if request.method == "POST":
        status = 422
        if forms.is_valid():
            status, error = _try(lambda: _report(request, shown, forms))
            if not error:
                return redirect(shown)
    context = {
        "game": shown,
        "campaign": shown.campaign,
        "forms": forms,
        "error": error,
        "scenario_name": telling.scenario_name(shown.campaign.book, shown),
    }
    return render(request, "campaigns/game_report.html", context, status=status)


def _report(request: Request, game: Game, forms: ReportForms) -> None:
    result = forms.result.cleaned_data
    results.report(
        game,
        forms.told(),
        result=result["result"],
        played_on=result["played_on"],
        note=result["note"],
        actor=request.user,
        seen=seen(request.POST, "seen"),
    )


@require_POST
def verdict(request: Request, game: uuid.UUID) -> HttpResponse:
    """Confirm the report, or dispute it and say why."""
    shown, sides = game_or_404(request, game)
    version = seen(request.POST, "seen")
    if "dispute" not in request.POST:
        status, error = _try(lambda: results.confirm(shown, actor=request.user, seen=version))
    else:
        form = DisputeForm(request.POST)
        if not form.is_valid():
            return _game_page(request, shown, sides, dispute_form=form, status=422)
        comment = form.cleaned_data["comment"]
        status, error = _try(
            lambda: results.dispute(shown, comment=comment, actor=request.user, seen=version)
        )
    if not error:
        return redirect(shown)
    messages.error(request, error)
    return _game_page(request, *game_or_404(request, game), status=status)


@require_POST
def withdraw(request: Request, game: uuid.UUID) -> HttpResponse:
    """Take a game off the list."""
    shown, sides = game_or_404(request, game)
    campaign = shown.campaign
    version = seen(request.POST, "seen")
    status, error = _try(lambda: results.withdraw(shown, actor=request.user, seen=version))
    if error:
        messages.error(request, error)
        return _game_page(request, *game_or_404(request, game), status=status)
    messages.success(request, _("The game is off the list."))
    return redirect(campaign)


def _try(act: Callable[[], object]) -> tuple[int, str]:
    """Try an act: the status and the words for its refusal, or (200, "")."""
    try:
        act()
    except Refusal as refusal:
        return 422, refusal_sentence(refusal)
    except Stale:
        words = _("Somebody changed this game in the meantime. Here it is as it stands now.")
        return 409, words
    return 200, ""
