"""The post-game: answering its steps one by one, looking at the outcome, committing it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection
from functools import partial, wraps
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from accounts.http import Request
from campaigns import aftermath, answering, correcting, telling
from campaigns.access import readable_games
from campaigns.aftermath import Change
from campaigns.forms import HireForm, RollForm
from campaigns.ground import ground_of
from campaigns.models import Game, Side
from campaigns.steps import Playthrough
from campaigns.telling_corrections import later_lines
from campaigns.telling_postgame import compared, step_lines
from campaigns.telling_postgame import preview as outcome
from campaigns.wording import refusal_sentence
from gangs.dice_words import bad_roll_sentence, face_names
from gangs.forms import numbers, seen
from gangs.ledger import Leftovers, Stale
from gangs.reason_form import ReasonForm
from gangs.refusal import Refusal
from gangs.scene import Scene
from gangs.wording import money_unit
from rules.book import Book
from rules.dice import BadRoll


def side_or_404(request: Request, game: uuid.UUID, side: int) -> Side:
    """A side of a game whose result is confirmed, if the user may play its post-game."""
    sides = Side.objects.select_related("game__campaign", "gang__owner")
    found = get_object_or_404(sides, pk=side, game=game)
    confirmed = found.game.status == found.game.Status.CONFIRMED
    if not confirmed or not correcting.may_play(found, request.user):
        raise Http404
    return found


View = Callable[[Request, uuid.UUID, int], HttpResponse]


def led_away_if_struck(view: View) -> View:
    """Whoever plays the post-game of a game that was taken back meanwhile is led to that, and told.

    Then ``view`` finds nothing (404).
    """

    @wraps(view)
    def led(request: Request, game: uuid.UUID, side: int) -> HttpResponse:
        try:
            return view(request, game, side)
        except Http404:
            struck = readable_games(request).filter(pk=game, status=Game.Status.STRUCK).first()
            if struck is None:
                raise
        messages.error(request, refusal_sentence(Refusal("game_struck")))
        if request.htmx:
            return HttpResponseClientRedirect(struck.get_absolute_url())
        return redirect(struck)

    return led


def _context(
    side: Side,
    *,
    error: str = "",
    roll_form: tuple[str, RollForm] | None = None,
) -> dict[str, Any]:
    ground = ground_of(side)
    book = ground.book
    through = aftermath.played(side, ground=ground)
    earlier = None if aftermath.is_done(side) else aftermath.earlier(side)
    return {
        **_done_context(side),
        "book": book,
        "outcome": telling.outcome_name(book, side),
        "through": through,
        "lines": step_lines(
            book, aftermath.situation_of(side), through, _roll_forms(through, roll_form)
        ),
        "hire_form": _hire_form(book, through),
        "through_done": side.answers.done,
        "treasury": through.roster.treasury,
        "unit": money_unit(book),
        "earlier": earlier,
        "error": error,
    }


def _roll_forms(through: Playthrough, bound: tuple[str, RollForm] | None) -> dict[str, RollForm]:
    forms = {
        asked.key: RollForm(asked.dice, faces=face_names(asked.table), auto_id=f"id_{number}_%s")
        for number, asked in enumerate(through.asked.values())
        if asked.roll is None
    }
    if bound is not None and bound[0] in forms:
        forms[bound[0]] = bound[1]
    return forms


def _hire_form(book: Book, through: Playthrough, data: QueryDict | None = None) -> HireForm | None:
    """Asks for the ranks that can be had now, each with its price; None if there are none."""
    for state in through.steps:
        if state.hiring is not None:
            free = [offer for offer in state.hiring.offers if offer.refusal is None]
            scene = Scene.of(book, through.roster)
            return HireForm(scene, free, data) if free else None
    return None


@require_safe
@led_away_if_struck
def postgame(request: Request, game: uuid.UUID, side: int) -> HttpResponse:
    """The post-game as far as it is answered."""
    shown = side_or_404(request, game, side)
    if aftermath.is_done(shown) and not shown.correcting:
        return render(request, "campaigns/postgame_done.html", _done_context(shown))
    return render(request, "campaigns/postgame.html", _context(shown))


def _done_context(side: Side) -> dict[str, Any]:
    return {"side": side, "gang": side.gang, "game": side.game, "campaign": side.game.campaign}


@require_POST
@led_away_if_struck
def correct(request: Request, game: uuid.UUID, side: int) -> HttpResponse:
    """Open a post-game that is in the history, to play it anew in its place; or leave it as it
    was."""
    shown = side_or_404(request, game, side)
    act = correcting.cancel_correction if "back" in request.POST else correcting.begin_correction
    try:
        act(shown, seen=seen(request.POST, "seen"))
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
    except Stale:
        messages.error(request, stale_sentence())
    else:
        if act is correcting.cancel_correction:
            messages.success(request, _("It stays as it was."))
    return redirect("campaigns:postgame", game, side)


@require_POST
@led_away_if_struck
def answer(request: Request, game: uuid.UUID, side: int) -> HttpResponse:
    """Answer one thing and keep it. With htmx only the steps come back."""
    shown = side_or_404(request, game, side)
    status = 200
    extra: dict[str, Any] = {}
    try:
        change = _change(request, shown)
        aftermath.answer(shown, change, seen=seen(request.POST, "seen"), actor=request.user)
    except BadRoll as bad:
        status, extra = 422, {"roll_form": _bound_roll(request, shown, bad)}
    except Refusal as refusal:
        status, extra = 422, {"error": refusal_sentence(refusal)}
    except Stale:
        shown = side_or_404(request, game, side)
        status, extra = 409, {"error": stale_sentence()}
    if request.htmx:
        context = _context(shown, **extra)
        return render(request, "campaigns/postgame.html#play", context, status=status)
    if status == 200:
        return redirect("campaigns:postgame", game, side)
    return render(request, "campaigns/postgame.html", _context(shown, **extra), status=status)


def _bound_roll(request: Request, side: Side, bad: BadRoll) -> tuple[str, RollForm]:
    """The form whose dice cannot be right, with what was typed."""
    key = request.POST.get("key", "")
    asked = aftermath.played(side).asked[key]
    form = RollForm(asked.dice, request.POST, faces=face_names(asked.table))
    form.add_error("faces", bad_roll_sentence(bad, asked.dice, asked.table))
    return key, form


def _change(request: Request, side: Side) -> Change:
    """What is to be changed about the answers. Raises Refusal if nobody can tell."""
    post = request.POST
    step, key, member = post.get("step", ""), post.get("key", ""), seen(post, "member")
    match post.get("act"):
        case "throw":
            return partial(answering.roll_for_me, key=key)
        case "throw-all":
            return partial(answering.roll_all, step=step)
        case "typed":
            return partial(answering.i_rolled, key=key, faces=post.get("faces", ""))
        case "correct":
            return partial(answering.correct, key=key)
        case "captive":
            return partial(
                answering.decide_captive,
                member=member,
                decision=post.get("decision", ""),
            )
        case "choose":
            return partial(answering.choose, key=key, option=seen(post, "option"))
        case "advance":
            return partial(answering.take_advance, key=key, trait=post.get("trait", ""))
        case "succeed":
            return partial(answering.succeed, succession=key, member=member)
        case "promote":
            how = post.get("how", "")
            return partial(answering.promote, promotion=key, member=member, how=how)
        case "unpromote":
            return partial(answering.unpromote, place=seen(post, "place"))
        case "hire":
            return _hire(request, side)
        case "unhire":
            return partial(answering.unhire, place=seen(post, "place"))
        case "finish":
            return partial(answering.finish, step=step)
        case "reopen":
            return partial(answering.reopen, step=step)
    raise Refusal("not_offered")


def _hire(request: Request, side: Side) -> Change:
    ground = ground_of(side)
    form = _hire_form(ground.book, aftermath.played(side, ground=ground), request.POST)
    if form is None or not form.is_valid():
        raise Refusal("not_offered")
    data = form.cleaned_data
    origin = data.get("origin") or None
    return partial(answering.hire, rank=data["rank"], name=data["name"], origin=origin)


@require_safe
@led_away_if_struck
def preview(request: Request, game: uuid.UUID, side: int) -> HttpResponse:
    """Before and after, before anything is committed."""
    shown = side_or_404(request, game, side)
    if aftermath.is_done(shown) and not shown.correcting:
        return redirect("campaigns:postgame", game, side)
    through = aftermath.played(shown)
    if not through.complete:
        return redirect("campaigns:postgame", game, side)
    return _preview_page(request, shown, through)


def _preview_page(
    request: Request,
    side: Side,
    through: Playthrough,
    *,
    form: ReasonForm | None = None,
    also: Collection[int] = (),
    error: str = "",
    status: int = 200,
) -> HttpResponse:
    ground = ground_of(side)
    later: correcting.Consequences | None = None
    try:
        later = correcting.consequences(ground, through, also)
    except Refusal as refusal:
        error = error or refusal_sentence(refusal)
    context = {
        **_done_context(side),
        **outcome(ground.book, aftermath.situation_of(side), through),
        "earlier": None if aftermath.is_done(side) else aftermath.earlier(side),
        "error": error,
        "unit": money_unit(ground.book),
        "reason_form": form or _reason_form(request, side),
    }
    if later is not None:
        context["today"] = compared(ground.gang.book, later.now, later.weighed.roster)
        context["later"] = later_lines(ground.gang, later.weighed, also)
    return render(request, "campaigns/postgame_preview.html", context, status=status)


def _reason_form(request: Request, side: Side, data: QueryDict | None = None) -> ReasonForm | None:
    """Asks why a post-game is corrected; None where it is played for the first time."""
    if side.batch is None:
        return None
    return ReasonForm(data, required=not side.is_of(request.user))


@require_POST
@led_away_if_struck
def commit(request: Request, game: uuid.UUID, side: int) -> HttpResponse:
    """Write the post-game into the gang's history, once."""
    shown = side_or_404(request, game, side)
    form = _reason_form(request, shown, request.POST)
    also = numbers(request.POST, "strike")
    if form is not None and not form.is_valid():
        through = aftermath.played(shown)
        return _preview_page(request, shown, through, form=form, also=also, status=422)
    try:
        aftermath.commit(
            shown,
            seen_draft=seen(request.POST, "seen"),
            seen_gang=seen(request.POST, "seen_gang"),
            actor=request.user,
            reason=form.cleaned_data["reason"] if form else "",
            also=also,
        )
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
        return redirect("campaigns:postgame", game, side)
    except Leftovers:
        words = _("Something later would no longer fit: say whether it is to be taken back, too.")
        through = aftermath.played(shown)
        return _preview_page(request, shown, through, form=form, also=also, error=words, status=422)
    except Stale:
        shown = side_or_404(request, game, side)
        if aftermath.is_done(shown) and not shown.correcting:
            context = {**_done_context(shown), "twice": True}
            return render(request, "campaigns/postgame_done.html", context, status=409)
        return render(
            request,
            "campaigns/postgame.html",
            _context(shown, error=stale_sentence()),
            status=409,
        )
    values = {"gang": shown.name}
    messages.success(request, _("The post-game of %(gang)s is in its history.") % values)
    return redirect("campaigns:postgame", game, side)


def stale_sentence() -> str:
    """Why an answer on an old page was not taken."""
    return _(
        "This post-game, or the gang, was changed in another window. Nothing was overwritten: here"
        " it is as it stands now."
    )
