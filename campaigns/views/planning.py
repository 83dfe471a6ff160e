"""Planning a game."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.http import Request
from campaigns import planning
from campaigns.access import campaign_or_404, playing
from campaigns.forms import GameForm
from campaigns.wording import refusal_sentence
from gangs.refusal import Refusal


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """Plan a game: the dice for its scenario fall once, when the form is sent."""
    shown = campaign_or_404(request, campaign)
    gangs = playing(shown)
    form = GameForm(shown, gangs, request.POST if request.method == "POST" else None)
    if form.is_valid():
        scenario, roll = form.chosen_scenario()
        try:
            game = planning.plan(
                shown,
                form.cleaned_data["gangs"],
                played_on=form.cleaned_data["played_on"],
                scenario=scenario,
                roll=roll,
                actor=request.user,
                token=form.cleaned_data["token"],
            )
        except Refusal as refusal:
            form.add_error("gangs", refusal_sentence(refusal))
        else:
            return redirect(game)
    context = {"campaign": shown, "form": form, "enough": len(gangs) > 1}
    return render(request, "campaigns/game_new.html", context, status=422 if form.is_bound else 200)
