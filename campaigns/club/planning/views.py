"""Pages to plan a game, change its plan, and decide on its roles."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from functools import partial

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.http import Request
from campaigns.access import campaign_or_404, game_or_404, playing
from campaigns.club.nights import schedule
from campaigns.club.nights.schedule import Guest
from campaigns.club.planning import plans
from campaigns.club.planning import sides as planning_sides
from campaigns.club.planning.forms import GameForm, ReplanForm, RolesForm
from campaigns.models import Campaign, Game, Night, Side
from campaigns.refusals import attempt, refusal_sentence
from campaigns.text import side_names
from common.errors import Refusal
from common.forms import posted_version, require_safe_or_post


@require_safe_or_post
def new(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Plan a game. The dice for its scenario are rolled once, when the form is sent.

    ``?night=`` fills in the game's night and its guests; without it, the page takes today's night.
    """
    campaign = campaign_or_404(request, campaign_id)
    gangs = playing(campaign)
    asked = _night(campaign, request.GET.get("night", ""))
    on_offer = _on_offer(campaign, asked)
    night = asked or schedule.tonight(on_offer)
    answers = schedule.guests(night, gangs) if night else map(Guest, gangs)
    form = GameForm(
        campaign,
        [guest for guest in answers if not guest.left],
        on_offer,
        request.POST if request.method == "POST" else None,
        initial={"night": str(night.pk), "played_on": schedule.day_of(night)} if night else {},
    )
    if form.is_valid():
        data = form.cleaned_data
        try:
            game = plans.plan(
                campaign, data["gangs"], form.plan(), actor=request.user, token=data["token"]
            )
        except Refusal as refusal:
            form.add_error("gangs", refusal_sentence(refusal))
        else:
            return redirect(game)
    context = {"campaign": campaign, "form": form, "enough": len(gangs) > 1, "night": night}
    return render(
        request, "campaigns/club/planning/new.html", context, status=422 if form.is_bound else 200
    )


def _night(campaign: Campaign, key: str) -> Night | None:
    """The night with this key, if it belongs to the campaign and is not called off."""
    try:
        return campaign.nights.filter(pk=key, cancelled_at=None).first() if key else None
    except ValidationError:
        return None


def _on_offer(campaign: Campaign, night: Night | None) -> list[Night]:
    """The nights to choose from: all that are to come, and the game's own ``night``."""
    to_come = [coming for coming in schedule.next_nights(campaign) if coming.cancelled_at is None]
    return to_come if night is None or night in to_come else [night, *to_come]


@require_safe_or_post
def change(request: Request, game_id: uuid.UUID) -> HttpResponse:
    """Change the plan of a game, until the game is reported."""
    game, sides = game_or_404(request, game_id)
    if not plans.may_replan(game, request.user, sides):
        messages.info(request, _("This game can no longer be changed, or it is not yours."))
        return redirect(game)
    night = game.campaign.nights.filter(pk=game.night_id).first() if game.night_id else None
    form = ReplanForm(
        game,
        _on_offer(game.campaign, night),
        request.POST if request.method == "POST" else None,
        organises=game.campaign.is_run_by(request.user),
    )
    error, status = "", 422 if form.is_bound else 200
    if form.is_valid():
        error, status = attempt(
            changed_meanwhile(),
            plans.replan,
            game,
            form.plan(),
            actor=request.user,
            expected_version=posted_version(request.POST, "seen"),
        )
        if not error:
            return redirect(game)
        game.refresh_from_db()
    context = {
        "game": game,
        "campaign": game.campaign,
        "title": " – ".join(side_names(sides).values()),
        "form": form,
        "error": error,
    }
    return render(request, "campaigns/club/planning/plan.html", context, status=status)


@require_POST
def decide_roles(request: Request, game_id: uuid.UUID) -> HttpResponse:
    """Set the roles, or roll for the side that may choose."""
    game, sides = game_or_404(request, game_id)
    if not plans.may_replan(game, request.user, sides):
        return _roles_page(request, game, sides, _("Only those who play can decide that."), 422)
    scenario = plans.scenario_of(game)
    version = posted_version(request.POST, "seen")
    if "roll" in request.POST or scenario is None:
        decide = partial(planning_sides.roll, game, actor=request.user)
    else:
        form = RolesForm(scenario, sides, request.POST)
        if not form.is_valid():
            return _roles_page(request, game, sides, "", 422, form)
        decide = partial(planning_sides.choose, game, form.chosen())
    error, status = attempt(changed_meanwhile(), decide, expected_version=version)
    if error:
        return _roles_page(request, *game_or_404(request, game_id), error, status)
    return redirect(f"{game.get_absolute_url()}#roles")


def _roles_page(
    request: Request,
    game: Game,
    sides: Sequence[Side],
    error: str,
    status: int,
    form: RolesForm | None = None,
) -> HttpResponse:
    """The page with only the roles, and what is wrong with them."""
    context = {
        "game": game,
        "campaign": game.campaign,
        "title": " – ".join(side_names(sides).values()),
        "roles": planning_sides.roles_of(game, sides, request.user, form),
        "error": error,
    }
    return render(request, "campaigns/club/planning/roles.html", context, status=status)


def changed_meanwhile() -> str:
    """The sentence for a form that came too late."""
    return _(
        "Somebody changed this game in the meantime. Your changes are not saved yet: compare "
        "them with the game’s page, then save again."
    )
