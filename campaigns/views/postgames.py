"""The post-game: answering its steps one by one, looking at the outcome, committing it."""

from __future__ import annotations

import uuid
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import Request
from campaigns import aftermath, answering, telling
from campaigns.aftermath import Change
from campaigns.forms import HireForm, RollForm, bad_roll_sentence
from campaigns.models import Side
from campaigns.steps import Playthrough
from campaigns.telling_postgame import face_names, step_lines
from campaigns.telling_postgame import preview as outcome
from campaigns.wording import refusal_sentence
from gangs.forms import seen
from gangs.ledger import Stale
from gangs.refusal import Refusal
from gangs.scene import Scene
from gangs.wording import money_unit, spoken, with_unit
from rules.dice import BadRoll


def side_or_404(request: Request, game: uuid.UUID, side: int) -> Side:
    """The user's own side of a game whose result is confirmed."""
    sides = Side.objects.select_related("game__campaign", "gang")
    found = get_object_or_404(sides, pk=side, game=game, gang__owner=request.user)
    if found.game.status != found.game.Status.CONFIRMED:
        raise Http404
    return found


def _context(
    side: Side,
    *,
    error: str = "",
    roll_form: tuple[str, RollForm] | None = None,
    typed_ransom: tuple[int, str] = (0, ""),
) -> dict[str, Any]:
    gang = aftermath.gang_of(side)
    through = aftermath.played(side)
    earlier = aftermath.earlier(side)
    return {
        "side": side,
        "gang": gang,
        "game": side.game,
        "campaign": side.game.campaign,
        "book": gang.book,
        "result": telling.result_name(gang.book, side.game),
        "through": through,
        "lines": step_lines(
            gang.book, aftermath.situation_of(side), through, _roll_forms(through, roll_form)
        ),
        "hire_form": _hire_form(side, through),
        "through_done": side.answers.done,
        "typed_ransom": typed_ransom,
        "treasury": through.roster.treasury,
        "unit": money_unit(gang.book),
        "earlier": earlier,
        "error": error,
    }


def _roll_forms(through: Playthrough, bound: tuple[str, RollForm] | None) -> dict[str, RollForm]:
    forms = {
        asked.key: RollForm(asked.dice, faces=face_names(asked), auto_id=f"id_{number}_%s")
        for number, asked in enumerate(through.asked.values())
        if asked.roll is None
    }
    if bound is not None and bound[0] in forms:
        forms[bound[0]] = bound[1]
    return forms


def _hire_form(side: Side, through: Playthrough, data: QueryDict | None = None) -> HireForm | None:
    """Asks for the ranks that can be had now, each with its price; None if there are none."""
    book = aftermath.gang_of(side).book
    unit = money_unit(book)
    for state in through.steps:
        if state.hiring is not None:
            free = [offer for offer in state.hiring.offers if offer.refusal is None]
            choices = [
                (
                    offer.row.key,
                    f"{spoken(offer.row.name)}, {with_unit(offer.price, unit)}"
                    if unit
                    else spoken(offer.row.name),
                )
                for offer in free
            ]
            return HireForm(Scene.of(book, through.roster), choices, data) if choices else None
    return None


@require_safe
def postgame(request: Request, game: uuid.UUID, side: int) -> HttpResponse:
    """The post-game as far as it is answered."""
    shown = side_or_404(request, game, side)
    if aftermath.is_done(shown):
        return render(request, "campaigns/postgame_done.html", _done_context(shown))
    return render(request, "campaigns/postgame.html", _context(shown))


def _done_context(side: Side) -> dict[str, Any]:
    return {"side": side, "gang": side.gang, "game": side.game, "campaign": side.game.campaign}


@require_POST
def answer(request: Request, game: uuid.UUID, side: int) -> HttpResponse:
    """Answer one thing and keep it. With htmx only the steps come back."""
    shown = side_or_404(request, game, side)
    status = 200
    extra: dict[str, Any] = {}
    try:
        aftermath.answer(shown, _change(request, shown), seen=seen(request.POST, "seen"))
    except BadRoll as bad:
        status, extra = 422, {"roll_form": _bound_roll(request, shown, bad)}
    except Refusal as refusal:
        typed = (seen(request.POST, "member"), request.POST.get("ransom", "")[:20])
        status, extra = 422, {"error": refusal_sentence(refusal), "typed_ransom": typed}
    except Stale:
        shown.refresh_from_db(fields=["draft", "draft_version", "batch"])
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
    faces = face_names(asked)
    form = RollForm(asked.dice, request.POST, faces=faces)
    if faces:
        values = {"faces": ", ".join(faces)}
        form.add_error("faces", _("Type what the die shows, one of these: %(faces)s.") % values)
    else:
        form.add_error("faces", bad_roll_sentence(bad, asked.dice))
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
                ransom=_ransom(post.get("ransom", "")),
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


def _ransom(typed: str) -> float | None:
    """The sum that was typed, in whole or in halves; None if it is none."""
    try:
        sum_ = float(typed.strip().replace(",", "."))
    except ValueError:
        return None
    return sum_ if sum_ >= 0 and (2 * sum_).is_integer() else None


def _hire(request: Request, side: Side) -> Change:
    form = _hire_form(side, aftermath.played(side), request.POST)
    if form is None or not form.is_valid():
        raise Refusal("not_offered")
    data = form.cleaned_data
    origin = data.get("origin") or None
    return partial(answering.hire, rank=data["rank"], name=data["name"], origin=origin)


@require_safe
def preview(request: Request, game: uuid.UUID, side: int) -> HttpResponse:
    """Before and after, before anything is committed."""
    shown = side_or_404(request, game, side)
    through = aftermath.played(shown)
    if aftermath.is_done(shown) or not through.complete:
        return redirect("campaigns:postgame", game, side)
    return _preview_page(request, shown, through)


def _preview_page(
    request: Request, side: Side, through: Playthrough, *, error: str = "", status: int = 200
) -> HttpResponse:
    gang = aftermath.gang_of(side)
    context = {
        **_done_context(side),
        **outcome(gang.book, aftermath.situation_of(side), through),
        "earlier": aftermath.earlier(side),
        "error": error,
        "unit": money_unit(gang.book),
    }
    return render(request, "campaigns/postgame_preview.html", context, status=status)


@require_POST
def commit(request: Request, game: uuid.UUID, side: int) -> HttpResponse:
    """Write the post-game into the gang's history, once."""
    shown = side_or_404(request, game, side)
    drafted, drawn = seen(request.POST, "seen"), seen(request.POST, "seen_gang")
    try:
        aftermath.commit(shown, seen_draft=drafted, seen_gang=drawn, actor=request.user)
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
        return redirect("campaigns:postgame", game, side)
    except Stale:
        shown = side_or_404(request, game, side)
        if aftermath.is_done(shown):
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
