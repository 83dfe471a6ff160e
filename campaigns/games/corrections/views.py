"""Pages on which an organiser takes back a whole game or a bargain, in all its gangs."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.http import Request
from campaigns import text as campaign_text
from campaigns.access import organised_or_404
from campaigns.games.captives.text import sentences
from campaigns.games.corrections import strikes
from campaigns.games.corrections.strikes import Stroke
from campaigns.models import Bargain, Game
from campaigns.postgames.correction import LaterLine, later_lines
from campaigns.postgames.text import compare_states
from campaigns.refusals import attempt
from common.errors import Refusal
from common.forms import ReasonForm, numbers, posted_version, require_safe_or_post
from gangs.engine.errors import Misfit
from gangs.history.log import misfit_sentences
from gangs.history.replayed import ReplayedLine, replayed_lines
from gangs.ledger.writer import Leftovers
from gangs.models import Gang
from gangs.text.refusals import MISFITS
from rules.engine.costing import Points

Seqs = dict[uuid.UUID, frozenset[int]]


class GangPreview(NamedTuple):
    """A gang before and after, and its later post-games that change. ``name``: of the fields for
    later entries to strike, too."""

    gang: Gang
    rows: list[tuple[str, Points | str, Points | str]]
    replayed: list[ReplayedLine]
    later: list[LaterLine]
    name: str


def game_or_404(request: Request, game_id: uuid.UUID) -> Game:
    """The game, if the user runs its campaign."""
    game = get_object_or_404(Game.objects.select_related("campaign", "struck_by"), pk=game_id)
    game.campaign = organised_or_404(request, game.campaign_id)
    return game


@require_safe_or_post
def strike_game(request: Request, game_id: uuid.UUID) -> HttpResponse:
    """Preview taking a whole game back in all its gangs, then do it."""
    game = game_or_404(request, game_id)
    if game.status != Game.Status.CONFIRMED:
        return redirect(game)
    sides = list(game.sides.select_related("gang__owner"))
    title = campaign_text.game_title(game.campaign.book, campaign_text.side_names(sides).values())
    context: dict[str, Any] = {
        "campaign": game.campaign,
        "back": game.get_absolute_url(),
        "heading": _("Undo this game"),
        "about": f"{title} · {campaign_text.headline(game.campaign.book, game, sides)}",
        "seen": game.version,
    }
    version = posted_version(request.POST, "seen")
    act = partial(strikes.strike_game, game, actor=request.user, expected_version=version)
    done = _("Game undone in all gangs. You can restore it from its page.")
    return _answer(request, context, partial(strikes.weigh_game, game), act, done)


@require_safe_or_post
def restore_game(request: Request, game_id: uuid.UUID) -> HttpResponse:
    """Restore a game that was taken back, in all its gangs."""
    game = game_or_404(request, game_id)
    if game.status != Game.Status.STRUCK:
        return redirect(game)
    form = ReasonForm(request.POST if request.method == "POST" else None, required=False)
    status, error, lost = 200, "", []
    if form.is_valid():
        try:
            error, status = attempt(
                stale_sentence(),
                strikes.restore_game,
                game,
                actor=request.user,
                reason=form.cleaned_data["reason"],
                expected_version=posted_version(request.POST, "seen"),
            )
        except Misfit as misfit:
            status, error = 422, _("It no longer fits: %(why)s.") % {"why": MISFITS[misfit.code]}
        except Leftovers as leftovers:
            gang = leftovers.misfits[0][0].gang
            status, lost = 422, misfit_sentences(gang, leftovers.misfits)
        if not error and not lost:
            messages.success(request, _("Game restored in all gangs."))
            return redirect(game)
        game = game_or_404(request, game_id)
    gangs: list[GangPreview] = []
    if not error and not lost:
        # If something stands in the way, the page says so when the user tries to restore the game.
        with suppress(Misfit, Refusal):
            gangs = [_preview(stroke) for stroke in strikes.weigh_restore(game)]
    context = {"game": game, "campaign": game.campaign, "form": form, "error": error}
    context |= {"gangs": gangs}
    sides = game.sides.with_standing().select_related("gang__owner")
    names = campaign_text.side_names(list(sides)).values()
    context |= {"lost": lost, "title": campaign_text.game_title(game.campaign.book, names)}
    return render(request, "campaigns/games/corrections/restore_game.html", context, status=status)


@require_safe_or_post
def strike_bargain(request: Request, campaign_id: uuid.UUID, bargain_id: int) -> HttpResponse:
    """Preview taking a bargain back in both gangs, then do it."""
    campaign = organised_or_404(request, campaign_id)
    bargain = get_object_or_404(
        Bargain.objects.select_related("giver", "taker"),
        pk=bargain_id,
        campaign=campaign,
        status=Bargain.Status.AGREED,
    )
    bargain.campaign = campaign
    context: dict[str, Any] = {
        "campaign": campaign,
        "back": reverse("campaigns:captives", args=[campaign.pk]),
        "heading": _("Undo this deal"),
        "about": " ".join(sentences(campaign.book, bargain, campaign_text.names_here(campaign))),
        "seen": 0,
    }
    act = partial(strikes.strike_bargain, bargain, actor=request.user)
    done = _("Deal undone in both gangs.")
    return _answer(request, context, partial(strikes.weigh_bargain, bargain), act, done)


def _answer(
    request: Request,
    context: dict[str, Any],
    weigh: Callable[[Seqs], list[Stroke]],
    act: Callable[..., None],
    done: str,
) -> HttpResponse:
    """Preview the act, or do it if the form asks for it."""
    posted = request.POST if request.method == "POST" else None
    form = ReasonForm(posted)
    ticked = _by_gang(request.POST, "strike-")
    also = {key: numbers(request.POST, name) for key, name in ticked.items()}
    status, error = (200 if posted is None else 422), ""
    if posted is not None and "weigh" in posted:
        status, form = 200, ReasonForm(initial={"reason": posted.get("reason", "")[:300]})
    elif form.is_valid():
        reason, seen = form.cleaned_data["reason"], _by_gang(request.POST, "seen-")
        versions = {key: posted_version(request.POST, name) for key, name in seen.items()}
        stale = stale_sentence()
        error, status = attempt(stale, act, reason=reason, versions=versions, also=also)
        if not error:
            messages.success(request, done)
            return redirect(context["back"])
    gangs = [_preview(stroke, also.get(stroke.gang.pk, ())) for stroke in weigh(also)]
    context |= {"form": form, "gangs": gangs, "error": error}
    context["has_later"] = any(one.later for one in gangs)
    return render(request, "campaigns/games/corrections/strike.html", context, status=status)


def _preview(stroke: Stroke, ticked: Collection[int] = ()) -> GangPreview:
    """A gang's part of the preview. ``ticked``: the later entries to strike, too."""
    gang, weighed = stroke.gang, stroke.weighed
    return GangPreview(
        gang=gang,
        rows=compare_states(gang.book, gang.roster, weighed.roster),
        replayed=replayed_lines(gang, weighed.replayed),
        later=later_lines(gang, weighed, ticked),
        name=f"strike-{gang.pk}",
    )


def _by_gang(data: QueryDict, prefix: str) -> dict[uuid.UUID, str]:
    """The posted fields named by the prefix and a gang's key, by that key."""
    names: dict[uuid.UUID, str] = {}
    for name in data:
        if name.startswith(prefix):
            with suppress(ValueError):
                names[uuid.UUID(name.removeprefix(prefix))] = name
    return names


def stale_sentence() -> str:
    """The sentence for a page that came too late: nothing was taken back."""
    return _("Something has changed in the meantime. Here is the latest version: check it again.")
