"""Before a game: the dice that say who can play, the crew, mercenaries."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.http import Request
from campaigns import hiring, preparing
from campaigns.crew_forms import CrewForm
from campaigns.forms import RollForm
from campaigns.models import Game, Side
from campaigns.preparing import Preparation
from campaigns.telling import scenario_name
from campaigns.telling_crew import side_context
from campaigns.wording import refusal_sentence
from gangs.dice_words import bad_roll_sentence
from gangs.forms import form_token, seen
from gangs.ledger import Stale
from gangs.refusal import Refusal
from rules.dice import BadRoll


def _sides_or_404(request: Request, game: uuid.UUID, side: int) -> tuple[Side, list[Side]]:
    """The side, if it is the user's or he runs the campaign, and all sides of the game."""
    visible = Game.objects.visible_to(request.user).select_related("campaign")
    found = get_object_or_404(visible, pk=game)
    sides = list(found.sides.select_related("gang__owner"))
    for one in sides:
        one.game = found
    shown = next((one for one in sides if one.pk == side), None)
    if shown is None or shown.gang is None:
        raise Http404
    if not shown.is_of(request.user) and not found.campaign.is_run_by(request.user):
        raise Http404
    return shown, sides


@require_http_methods(["GET", "HEAD", "POST"])
def prepare(request: Request, game: uuid.UUID, side: int) -> HttpResponse:
    """Everything that is settled before a game, for one side. Each button does one thing."""
    shown, sides = _sides_or_404(request, game, side)
    if shown.game.status != Game.Status.PLANNED:
        messages.info(request, _("This game has been reported: its crew stands as it is."))
        return redirect(shown.game)
    if request.method != "POST":
        return _page(request, shown, sides)
    now = preparing.prepared(shown, preparing.homes_of([shown], shown.game))
    crew = CrewForm(now, request.POST) if request.POST.get("act") == "pick" else None
    try:
        if crew is not None and _is_as_seen(request, shown) and not crew.is_valid():
            return _page(request, shown, sides, crew_form=crew, status=422)
        part = _act(request, shown, crew)
    except BadRoll as bad:
        key = request.POST.get("key", "")
        return _page(
            request, shown, sides, bad=(key, _bound_roll(request, now, key, bad)), status=422
        )
    except Refusal as refusal:
        return _page(request, shown, sides, error=refusal_sentence(refusal), status=422)
    except Stale:
        shown, sides = _sides_or_404(request, game, side)
        error = _(
            "This was changed in another window. Nothing was overwritten: here it is as it stands"
            " now."
        )
        return _page(request, shown, sides, error=error, status=409)
    return redirect(f"{reverse('campaigns:prepare', args=[game, side])}#{part}")


def _is_as_seen(request: Request, side: Side) -> bool:
    """Whether the page that was sent showed the side and its gang as they stand."""
    drawn = seen(request.POST, "seen"), seen(request.POST, "seen_gang")
    return side.gang is not None and drawn == (side.draft_version, side.gang.version)


def _act(request: Request, side: Side, crew: CrewForm | None) -> str:
    """Do what was asked for; the part of the page that it is about. Raises Refusal."""
    post, actor = request.POST, request.user
    drawn, drawn_gang = seen(post, "seen"), seen(post, "seen_gang")
    key = post.get("key", "")
    match post.get("act"):
        case "throw":
            preparing.roll_for_me(side, key, seen=drawn, actor=actor)
            return "dice"
        case "throw-all":
            preparing.roll_all(side, seen=drawn, actor=actor)
            return "dice"
        case "typed":
            preparing.i_rolled(side, key, post.get("faces", ""), seen=drawn, actor=actor)
            return "dice"
        case "correct":
            preparing.correct(side, key, seen=drawn, actor=actor)
            return "dice"
        case "pick" if crew is not None:
            if not _is_as_seen(request, side):
                raise Stale
            chosen = crew.chosen()
            preparing.pick(side, lambda _now: chosen, seen=drawn, seen_gang=drawn_gang)
            return "crew"
        case "all":
            preparing.pick(side, preparing.everybody, seen=drawn, seen_gang=drawn_gang)
            return "crew"
        case "none":
            preparing.pick(side, lambda _now: (), seen=drawn, seen_gang=drawn_gang)
            return "crew"
        case "hire":
            token = form_token(post, request.path)
            hiring.hire(side, key, seen=drawn_gang, actor=actor, token=token)
            return "hire"
        case "send-back":
            hiring.send_back(side, key, seen=drawn_gang, actor=actor)
            return "hire"
    raise Refusal("not_offered")


def _bound_roll(request: Request, now: Preparation, key: str, bad: BadRoll) -> RollForm:
    dice = now.chance(key).dice
    form = RollForm(dice, request.POST)
    form.add_error("faces", bad_roll_sentence(bad, dice))
    return form


def _page(
    request: Request,
    side: Side,
    sides: list[Side],
    *,
    crew_form: CrewForm | None = None,
    bad: tuple[str, RollForm] | None = None,
    error: str = "",
    status: int = 200,
) -> HttpResponse:
    now = preparing.prepared(side, preparing.homes_of([side], side.game))
    context: dict[str, Any] = side_context(side, sides, now)
    forms = [
        RollForm(line.chance.dice, auto_id=f"id_{number}_%s")
        if bad is None or bad[0] != line.chance.key
        else bad[1]
        for number, line in enumerate(context["chances"])
    ]
    context |= {
        "chances": list(zip(context["chances"], forms, strict=True)),
        "crew_form": crew_form or CrewForm(now),
        "scenario_name": scenario_name(side.game.campaign.book, side.game),
        "token": uuid.uuid4(),
        "error": error,
    }
    return render(request, "campaigns/prepare.html", context, status=status)
