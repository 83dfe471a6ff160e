"""Pages of the post-game: its steps to answer, its preview, and its commit."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Collection
from functools import partial, wraps
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from accounts.http import Request
from campaigns import text as campaign_text
from campaigns.access import may_act_for, may_complete, readable_games
from campaigns.engine import answers, rolls
from campaigns.engine.script import points_earned
from campaigns.forms import (
    HireForm,
    OverruleForm,
    RollForm,
    bad_faces_form,
    posted_roll,
    roll_forms,
)
from campaigns.models import Game, Side
from campaigns.notices import read_about_game
from campaigns.postgames import correction, drafts, text
from campaigns.postgames.drafts import Change, Postgame
from campaigns.postgames.news import find_news
from campaigns.refusals import attempt, refusal_sentence
from campaigns.seeds import Dice, dice_of
from common.errors import Refusal, Stale
from common.forms import ReasonForm, numbers, posted_version
from gangs.engine.computed import ComputedGang
from gangs.engine.errors import Misfit
from gangs.engine.validation import findings
from gangs.history.replayed import replayed_lines
from gangs.ledger.revision import Weighed
from gangs.ledger.writer import Leftovers
from gangs.text.dice import bad_faces_sentence
from gangs.text.formats import money_unit
from rules.engine.dice import BadFaces

logger = logging.getLogger(__name__)


def side_or_404(request: Request, game_id: uuid.UUID, side_id: int) -> Side:
    """A side of a confirmed game, if the user may play its post-game."""
    sides = Side.objects.select_related("game__campaign", "gang__owner")
    side = get_object_or_404(sides, pk=side_id, game=game_id)
    confirmed = side.game.status == side.game.Status.CONFIRMED and side.game.has_postgame
    if not confirmed or not may_act_for(side, request.user):
        raise Http404
    return side


def of_side(
    view: Callable[[Request, Side], HttpResponse],
) -> Callable[[Request, uuid.UUID, int], HttpResponse]:
    """Decorate a view of a side's post-game, whose address names the game and the side.

    The view redirects to the game, with a message, if the game was taken back meanwhile, or if the
    post-game no longer fits the gang's history.
    """

    @wraps(view)
    def found(request: Request, game_id: uuid.UUID, side_id: int) -> HttpResponse:
        try:
            return view(request, side_or_404(request, game_id, side_id))
        except Http404:
            struck = readable_games(request).filter(pk=game_id, status=Game.Status.STRUCK).first()
            if struck is None:
                raise
            return _redirect_to_game(request, struck, Refusal("game_struck"))
        except Misfit as misfit:
            logger.warning("post-game of side %s does not fit the gang (%s)", side_id, misfit.code)
            game = readable_games(request).get(pk=game_id)
            return _redirect_to_game(request, game, Refusal("unfit_history"))

    return found


def _redirect_to_game(request: Request, game: Game, why: Refusal) -> HttpResponse:
    """Redirect to the game's page, with the reason."""
    messages.error(request, refusal_sentence(why))
    if request.htmx:
        return HttpResponseClientRedirect(game.get_absolute_url())
    return redirect(game)


def _steps(side: Side, landed: Collection[str] = ()) -> HttpResponse:
    query = {"rolled": list(landed)} if landed else None
    return redirect(reverse("campaigns:postgame", args=[side.game_id, side.pk], query=query))


def _hire_form(postgame: Postgame, data: QueryDict | None = None) -> HireForm | None:
    """The form with the ranks that can be hired now, each with its price; None if there are
    none."""
    for state in postgame.playthrough.steps:
        if state.hiring is not None:
            free = [offer for offer in state.hiring.offers if offer.refusal is None]
            free += state.hiring.of_others
            computed = ComputedGang.of(postgame.base.book, postgame.playthrough.roster)
            return HireForm(computed, data, free) if free else None
    return None


@require_safe
@of_side
def postgame(request: Request, side: Side) -> HttpResponse:
    """The post-game as far as it is answered. ``?rolled``: the keys of the rolls just made."""
    if drafts.is_closed(side):
        return _done_page(request, side)
    return _page(request, drafts.load(side), landed=request.GET.getlist("rolled"))


def _page(
    request: Request,
    postgame: Postgame,
    *,
    error: str = "",
    bad_roll: tuple[str, RollForm] | None = None,
    landed: Collection[str] = (),
    status: int = 200,
) -> HttpResponse:
    """The step that waits, and the answered steps; with htmx without the page around them."""
    is_part = request.htmx and request.method == "POST"
    template = "campaigns/postgames/postgame.html" + ("#play" if is_part else "")
    side, book, playthrough = postgame.side, postgame.base.book, postgame.playthrough
    forms = roll_forms(playthrough.requests.values(), bad_roll)
    refused = request.POST if error else QueryDict()
    context = {
        **_done_context(side),
        "is_due": correction.is_due(side),
        "book": book,
        "outcome": campaign_text.outcome_for(book, side),
        "playthrough": playthrough,
        "progress": text.progress(text.step_lines(postgame, forms), side.answers.done, landed),
        "hire_form": _hire_form(postgame, refused if refused.get("act") == "hire" else None),
        "unit": money_unit(book),
        "organises": side.game.campaign.is_run_by(request.user),
        "overruling": refused if refused.get("act") == "overrule" else None,
        "earlier": text.earlier_line(book, side),
        "may_complete": _may_complete(request, side),
        "error": error,
    }
    return render(request, template, context, status=status)


def _may_complete(request: Request, side: Side) -> bool:
    """Whether the player may still add who fell, which the result of an organiser leaves out."""
    return (
        not side.parsed_report.marks
        and side.is_of(request.user)
        and may_complete(side.game, request.user, [side])
    )


def _done_page(request: Request, side: Side, *, twice: bool = False) -> HttpResponse:
    """A post-game in the history of its gang, with its news. ``twice``: it was sent again."""
    context = _done_context(side)
    context["news"] = find_news(side, context["sides"])
    context["is_own"] = side.gang is not None and side.gang.is_owned_by(request.user)
    context["twice"] = twice
    status = HTTPStatus.CONFLICT if twice else HTTPStatus.OK
    return render(request, "campaigns/postgames/done.html", context, status=status)


def _done_context(side: Side) -> dict[str, Any]:
    sides = list(side.game.sides.with_standing().select_related("gang__owner").order_by("pk"))
    names = campaign_text.side_names(sides)
    return {
        "side": side,
        "sides": sides,
        "gang": side.gang,
        "name": names[side.pk],
        "label": text.game_label(
            side.game.campaign.book,
            side.game,
            [name for pk, name in names.items() if pk != side.pk],
        ),
        "game": side.game,
        "campaign": side.game.campaign,
    }


@require_POST
@of_side
def correct(request: Request, side: Side) -> HttpResponse:
    """Open a post-game that is in the history, to play it again in its place, or cancel that."""
    act: Callable[..., None] = correction.begin_correction
    if "back" in request.POST:
        act = partial(correction.cancel_correction, actor=request.user)
    version = posted_version(request.POST, "seen")
    error, _status = attempt(stale_sentence(), act, side, expected_version=version)
    if error:
        messages.error(request, error)
    elif "back" in request.POST:
        messages.success(request, _("Nothing has changed."))
    return _steps(side)


@require_POST
@of_side
def answer(request: Request, side: Side) -> HttpResponse:
    """Save one answer. With htmx only the steps come back."""
    postgame, dice = drafts.load(side), dice_of(side)
    known = side.answers.rolls
    try:
        postgame = drafts.answer(
            postgame,
            _change(request, postgame, dice),
            expected_version=posted_version(request.POST, "seen"),
            actor=request.user,
            dice=dice,
        )
    except BadFaces as bad:
        roll_request = postgame.playthrough.requests[request.POST["key"]]
        if request.POST["act"] == "overrule":
            words = bad_faces_sentence(bad, roll_request.dice, roll_request.table)
            return _page(request, postgame, error=words, status=422)
        bad_roll = roll_request.key, bad_faces_form(request.POST, roll_request, bad)
        return _page(request, postgame, bad_roll=bad_roll, status=422)
    except Refusal as refusal:
        return _page(request, postgame, error=refusal_sentence(refusal), status=422)
    except Stale:
        postgame = drafts.load(side_or_404(request, side.game_id, side.pk))
        return _page(request, postgame, error=stale_sentence(), status=409)
    landed = [key for key, roll in side.answers.rolls.items() if known.get(key) != roll]
    if request.htmx:
        return _page(request, postgame, landed=landed)
    return _steps(side, landed)


def _change(request: Request, postgame: Postgame, dice: Dice) -> Change:
    """The posted change of the answers; ``dice``: the dice that it may throw. Raises Refusal if the
    form asks for nothing known."""
    post = request.POST
    step, key, place = post.get("step", ""), post.get("key", ""), posted_version(post, "place")
    if post.get("act") == "overrule":
        return _overrule(request, postgame, key)
    rolled = posted_roll(post, dice)
    if rolled is not None:
        return partial(answers.roll, change=rolled)
    match post.get("act"):
        case "choose":
            return partial(answers.choose, key=key, value=post.get("option", ""))
        case "promote":
            member, how = posted_version(post, "member"), post.get("how", "")
            return partial(answers.promote, promotion=key, member=member, how=how)
        case "unpromote":
            return partial(answers.take_back, what="promotions", place=place)
        case "hire":
            return _hire(postgame, post)
        case "unhire":
            return partial(answers.take_back, what="recruits", place=place)
        case "finish":
            return partial(answers.finish, step=step)
        case "reopen":
            return partial(answers.reopen, step=step)
    raise Refusal("not_offered")


def _overrule(request: Request, postgame: Postgame, key: str) -> Change:
    """Overrule a roll that the site made with other faces, as an organiser with a reason."""
    if not postgame.side.game.campaign.is_run_by(request.user):
        raise Refusal("not_organiser")
    form = OverruleForm(request.POST)
    if not form.is_valid():
        raise Refusal("overruled_why")
    faces, why = form.cleaned_data["faces"], form.cleaned_data["why"]
    return partial(answers.roll, change=partial(rolls.overrule, key=key, faces=faces, why=why))


def _hire(postgame: Postgame, post: QueryDict) -> Change:
    form = _hire_form(postgame, post)
    if form is None or not form.is_valid():
        raise Refusal("not_offered")
    data = form.cleaned_data
    hire = partial(answers.hire, rank=data["rank"], name=data["name"])
    return partial(
        hire,
        origin=data.get("origin") or None,
        profession=data.get("profession") or None,
        owner=data.get("owner"),
    )


@require_safe
@of_side
def preview(request: Request, side: Side) -> HttpResponse:
    """Preview the gang before and after, before anything is committed."""
    postgame = None if drafts.is_closed(side) else drafts.load(side)
    if postgame is None or not postgame.playthrough.complete:
        return _steps(side)
    return _preview_page(request, postgame)


def _preview_page(
    request: Request,
    postgame: Postgame,
    *,
    form: ReasonForm | None = None,
    also: Collection[int] = (),
    error: str = "",
    status: int = 200,
) -> HttpResponse:
    side, base, after = postgame.side, postgame.base, postgame.playthrough.roster
    weighed: Weighed | None = None
    try:
        weighed = correction.consequences(postgame, also)
    except Refusal as refusal:
        error = error or refusal_sentence(refusal)
    context = {
        **_done_context(side),
        "book": base.book,
        "rows": text.compare_states(base.book, base.roster, after),
        "progress": text.progress(text.step_lines(postgame), side.answers.done, ()),
        "points": points_earned(base.book, base.roster, after),
        "findings": findings(base.book, after),
        "earlier": text.earlier_line(base.book, side),
        "error": error,
        "unit": money_unit(base.book),
        "reason_form": form or _reason_form(request, side),
    }
    if weighed is not None:
        context["today"] = text.compare_states(base.gang.book, base.gang.roster, weighed.roster)
        context["replayed"] = replayed_lines(base.gang, weighed.replayed)
        context["later"] = correction.later_lines(base.gang, weighed, also)
    return render(request, "campaigns/postgames/preview.html", context, status=status)


def _reason_form(request: Request, side: Side, data: QueryDict | None = None) -> ReasonForm | None:
    """The form for the reason of a correction; None where the post-game is played for the first
    time."""
    if side.batch is None:
        return None
    return ReasonForm(data, required=not side.is_of(request.user))


@require_POST
@of_side
def commit(request: Request, side: Side) -> HttpResponse:
    """Write the post-game into the gang's history, once."""
    form = _reason_form(request, side, request.POST)
    also = numbers(request.POST, "strike")
    if form is not None and not form.is_valid():
        return _preview_page(request, drafts.load(side), form=form, also=also, status=422)
    try:
        drafts.commit(
            side,
            seen_draft=posted_version(request.POST, "seen"),
            seen_gang=posted_version(request.POST, "seen_gang"),
            actor=request.user,
            reason=form.cleaned_data["reason"] if form else "",
            also=also,
        )
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
        return _steps(side)
    except Leftovers:
        error = _("Something later would no longer fit: say whether to undo it, too.")
        fresh = drafts.load(side)
        return _preview_page(request, fresh, form=form, also=also, error=error, status=422)
    except Stale:
        side = side_or_404(request, side.game_id, side.pk)
        if drafts.is_closed(side):
            return _done_page(request, side, twice=True)
        return _page(request, drafts.load(side), error=stale_sentence(), status=409)
    read_about_game(side.game, request.user)
    name = campaign_text.name_here(side.game.campaign, side.gang) if side.gang else side.name
    messages.success(request, _("Post-game of %(gang)s saved.") % {"gang": name})
    return _steps(side)


def stale_sentence() -> str:
    """The sentence for a page that came too late."""
    return _(
        "This post-game, or the gang, was changed in another window. Nothing was "
        "overwritten: here is the latest version."
    )
