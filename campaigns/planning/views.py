"""Planning a game, changing the plan, and deciding who is what."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.http import Request
from campaigns import nights, planning, roles
from campaigns.access import campaign_or_404, playing
from campaigns.models import Campaign, Game, Night, Side
from campaigns.plan_forms import GameForm, ReplanForm, RolesForm
from campaigns.telling import side_names
from campaigns.views.games import game_or_404
from campaigns.wording import refusal_sentence
from gangs.forms import seen
from gangs.ledger import Stale
from gangs.refusal import Refusal


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """Plan a game: the dice for its scenario fall once, when the form is sent.

    ``?night=`` fills in the night that it is for, and tells who comes; without it, that of today.
    """
    shown = campaign_or_404(request, campaign)
    gangs = playing(shown)
    asked = _night(shown, request.GET.get("night", ""))
    on_offer = _on_offer(shown, asked)
    night = asked or nights.tonight(on_offer)
    guests = nights.guests(night, gangs) if night else []
    form = GameForm(
        shown,
        gangs,
        on_offer,
        request.POST if request.method == "POST" else None,
        initial={"night": str(night.pk), "played_on": nights.day_of(night)} if night else {},
        coming={guest.gang.pk: guest.told for guest in guests},
    )
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
                night=form.cleaned_data["night"],
            )
        except Refusal as refusal:
            form.add_error("gangs", refusal_sentence(refusal))
        else:
            return redirect(game)
    context = {"campaign": shown, "form": form, "enough": len(gangs) > 1, "night": night}
    return render(request, "campaigns/game_new.html", context, status=422 if form.is_bound else 200)


def _night(campaign: Campaign, key: str) -> Night | None:
    """The night that a page is about, if it is one of the campaign's and not called off."""
    try:
        return campaign.nights.filter(pk=key, cancelled_at=None).first() if key else None
    except ValidationError:
        return None


def _on_offer(campaign: Campaign, night: Night | None) -> list[Night]:
    """The nights to choose from: those to come, and the one that it is about."""
    to_come = [one for one in nights.next_nights(campaign) if one.cancelled_at is None]
    return to_come if night is None or night in to_come else [night, *to_come]


@require_http_methods(["GET", "HEAD", "POST"])
def change(request: Request, game: uuid.UUID) -> HttpResponse:
    """Change when a game is played and what it is about, until it is reported."""
    shown, sides = game_or_404(request, game)
    if not planning.may_replan(shown, request.user, sides):
        messages.info(request, _("This plan cannot be changed any more, or it is not yours."))
        return redirect(shown)
    status, error = 200, ""
    form = _replan_form(request, shown)
    if form.is_bound:
        status = 422
        if form.is_valid():
            try:
                _replan(request, shown, form)
                return redirect(shown)
            except Refusal as refusal:
                error = refusal_sentence(refusal)
            except Stale:
                status, error = 409, changed_meanwhile()
                shown.refresh_from_db()
    context = {
        "game": shown,
        "campaign": shown.campaign,
        "title": " – ".join(side_names(sides).values()),
        "form": form,
        "error": error,
    }
    return render(request, "campaigns/game_plan.html", context, status=status)


def _replan_form(request: Request, game: Game) -> ReplanForm:
    night = game.campaign.nights.filter(pk=game.night_id).first() if game.night_id else None
    return ReplanForm(
        game,
        _on_offer(game.campaign, night),
        request.POST if request.method == "POST" else None,
        organises=game.campaign.is_run_by(request.user),
    )


def _replan(request: Request, game: Game, form: ReplanForm) -> None:
    scenario, roll = form.chosen_scenario()
    planning.replan(
        game,
        played_on=form.cleaned_data["played_on"],
        night=form.cleaned_data["night"],
        scenario=scenario,
        roll=roll,
        actor=request.user,
        seen=seen(request.POST, "seen"),
    )


@require_POST
def decide_roles(request: Request, game: uuid.UUID) -> HttpResponse:
    """Say who is what, or let the dice say who may choose."""
    shown, sides = game_or_404(request, game)
    if not planning.may_replan(shown, request.user, sides):
        return _roles_page(request, shown, sides, _("Only those who play can decide that."), 422)
    scenario = planning.scenario_of(shown)
    version = seen(request.POST, "seen")
    try:
        if "roll" in request.POST or scenario is None:
            roles.roll(shown, actor=request.user, seen=version)
        else:
            form = RolesForm(scenario, sides, request.POST)
            if not form.is_valid():
                return _roles_page(request, shown, sides, "", 422, form)
            roles.choose(shown, form.chosen(), seen=version)
    except Refusal as refusal:
        return _roles_page(request, shown, sides, refusal_sentence(refusal), 422)
    except Stale:
        shown, sides = game_or_404(request, game)
        return _roles_page(request, shown, sides, changed_meanwhile(), 409)
    return redirect(f"{shown.get_absolute_url()}#roles")


def _roles_page(
    request: Request,
    game: Game,
    sides: Sequence[Side],
    error: str,
    status: int,
    form: RolesForm | None = None,
) -> HttpResponse:
    """The roles alone, with what is wrong."""
    context = {
        "game": game,
        "campaign": game.campaign,
        "title": " – ".join(side_names(sides).values()),
        "roles": roles.shown(game, sides, request.user, form),
        "error": error,
    }
    return render(request, "campaigns/game_roles.html", context, status=status)


def changed_meanwhile() -> str:
    """What a page that came too late says."""
    return _(
        "Somebody changed this game in the meantime. Nothing of yours is saved yet: compare it with"
        " the game’s page, then save again."
    )
