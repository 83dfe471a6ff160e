"""Pages of a game: the game itself, its report, the verdicts, the tales, and deleting it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.db.models import prefetch_related_objects
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import Request
from accounts.language import rules_language
from accounts.models import User
from campaigns import fixtures as campaign_fixtures
from campaigns import text as campaign_text
from campaigns.access import game_or_404, may_complete, open_to_spectators
from campaigns.club.planning import plans
from campaigns.club.planning import sides as planning_sides
from campaigns.colours import colours_of
from campaigns.engine.claims import OPEN
from campaigns.forms import DisputeForm
from campaigns.games import game_story, photos, report_text, results
from campaigns.games.captives.text import captives_between
from campaigns.games.game_story import TaleForm
from campaigns.games.report_forms import ReportForms
from campaigns.games.unfought_form import UnfoughtForm
from campaigns.models import Game, Side, Throw
from campaigns.notices import read_about_game
from campaigns.refusals import attempt
from campaigns.round_names import title_fixtures
from campaigns.table.crews.text import versus
from campaigns.table.pages import story
from campaigns.table.people import name_nonplayers
from campaigns.table.report import table_account
from campaigns.text import may_report, throw_lines
from common import waiting
from common.forms import CONFLICT, number, posted_version, require_safe_or_post
from rules.reference_pages.play import starting_places
from rules.reference_pages.words import BookWording


@open_to_spectators
@require_safe
def game(request: Request, game_id: uuid.UUID) -> HttpResponse:
    """A game: its scenario, its result, and the steps still open."""
    game, sides = game_or_404(request, game_id)
    return waiting.nothing_new(request, _state(game, sides)) or _game_page(request, game, sides)


def _state(game: Game, sides: list[Side]) -> str:
    """The state of everything on a game's page that others may change meanwhile."""
    shown = [
        (side.pk, side.verdict, side.comment, side.draft_version, side.batch) for side in sides
    ]
    return waiting.state(game.version, game.status, shown)


def _game_page(
    request: Request,
    game: Game,
    sides: list[Side],
    *,
    dispute_form: DisputeForm | None = None,
    tale_form: TaleForm | None = None,
    unfought: UnfoughtForm | None = None,
    status: int = 200,
) -> HttpResponse:
    book, user = game.campaign.book, request.user
    scenario, table = book.scenario.get(game.scenario), getattr(game, "table", None)
    throws = list(game.throws.select_related("actor").order_by("pk"))
    prefetch_related_objects([game], "claims")
    may_settle = may_report(game, user, sides)
    fixture = campaign_fixtures.find_fixture(game)
    context = {
        "game": game,
        "campaign": game.campaign,
        "book": book,
        "title": campaign_text.game_title(book, campaign_text.side_names(sides).values()),
        "scenario": scenario,
        "scenario_name": campaign_text.scenario_name(book, game),
        "scenario_row": campaign_text.find_rolled_row(book, game),
        "result": campaign_text.headline(book, game, sides),
        "awaits": list(campaign_text.list_awaited(game, sides, user, game.get_absolute_url())),
        "may_report": may_settle,
        "may_complete": may_complete(game, user, sides),
        "unfought": (unfought or UnfoughtForm(game, sides)) if may_settle else None,
        "organises": game.campaign.is_run_by(user),
        "takes_part": bool(game.campaign.role_of(user)),
        "throws": throw_lines(book, throws, sides),
        "is_incomplete": _is_left_out(game, sides, throws),
        "roles": planning_sides.roles_of(game, sides, user),
        "state": _state(game, sides) if game.is_pending else "",
        "may_replan": plans.may_replan(game, user, sides),
        "table": table,
        "turns": story.brief(table) if table is not None and table.seq else [],
        "colours": colours_of(game.campaign),
        "fixture": fixture,
        "round_title": title_fixtures([fixture])[fixture.pk] if fixture is not None else "",
        "outdated": campaign_fixtures.find_outdated_near(fixture),
        "photos": photos.lines_of(game, user),
        "is_alone": all(side.is_of(user) for side in sides),
        "may_add_photo": photos.may_add(game, sides, user),
    }
    if game.status == Game.Status.PLANNED:
        context["versus"] = versus(game, sides, user)
        if scenario is not None:
            words = BookWording(book, rules_language())
            context["places"] = starting_places(words, game.campaign.rules, scenario, len(sides))
        context["captives"] = captives_between(game.campaign, sides)
    context |= _claims_context(game, sides, user, dispute_form, tale_form)
    return render(request, "campaigns/games/game.html", context, status=status)


def _is_left_out(game: Game, sides: list[Side], throws: list[Throw]) -> bool:
    """Whether some stored part of the game cannot be read, and so is not on its page."""
    return (
        (game.scenario_roll is not None and game.roll is None)
        or any(side.sound_report is None for side in sides)
        or any(throw.sound_roll is None for throw in throws)
        or any(claim.sound_data is None for claim in game.claims.all())
    )


def _claims_context(
    game: Game,
    sides: list[Side],
    user: User,
    dispute_form: DisputeForm | None,
    tale_form: TaleForm | None,
) -> dict[str, Any]:
    """The claims about the game, and the reader's possible answers."""
    claims = results.claims_of(game, sides)
    context: dict[str, Any] = {"may_withdraw": results.may_withdraw(game, user, sides, claims)}
    if game.status == Game.Status.PLANNED:
        return context
    namer, names = _namer(game, sides), campaign_text.side_names(sides)
    is_open = game.status in OPEN
    mine = [side for side in sides if side.is_of(user)]
    agrees = bool(mine) and all(side.verdict == Side.Verdict.CONFIRMED for side in mine)
    accounts = [claim.data.account for claim in claims]
    behind = {side for claim in claims for side in claim.data.behind}
    return context | {
        "sides": [
            report_text.describe_side(
                namer, side, user, _tale_form(side, names[side.pk], user, tale_form)
            )
            for side in sides
        ],
        "claims": report_text.claim_lines(namer, game, claims, sides, user) if is_open else [],
        "differences": report_text.differences(namer, sides, accounts) if is_open else [],
        "decision": report_text.decision_on(game, claims),
        "agrees": agrees,
        "is_player": bool(mine),
        "may_dispute": is_open and any(side.pk not in behind for side in mine) and not agrees,
        "several": is_open and len(claims) > 1,
        "dispute_form": dispute_form or DisputeForm(),
    }


def _namer(game: Game, sides: list[Side]) -> report_text.Namer:
    nonplayers = name_nonplayers(game)
    return report_text.Namer(game.campaign.book, sides, nonplayers)


def _tale_form(side: Side, name: str, user: User, sent: TaleForm | None) -> TaleForm | None:
    """The form for a side's own report, or None if the user may not write it."""
    if sent is not None and sent.side.pk == side.pk:
        return sent
    return TaleForm(side, name) if game_story.may_write_tale(side, user) else None


@require_safe_or_post
def report(request: Request, game_id: uuid.UUID) -> HttpResponse:
    """Report a game: as the first report, a player's own claim, or an organiser's decision.

    A doubtful report is questioned once, and taken when it is sent again. The buttons that work out
    the counts and tick everybody only show the form again. The form is filled in from the game's
    table before the first report, or on request (``?table``).
    """
    game, sides = game_or_404(request, game_id)
    completes = may_complete(game, request.user, sides)
    if not completes and not may_report(game, request.user, sides):
        messages.info(request, _("The result is already in, or you cannot report it."))
        return redirect(game)
    corrects = game.status == Game.Status.CONFIRMED
    account = results.account_of(game, sides) if game.has_result and game.is_fought else None
    status, error, version, filled = 200, "", game.version, None
    doubts: list[str] = []
    told = table_account(game, sides)
    by_table = told is not None and (account is None or "table" in request.GET)
    own = [side.pk for side in sides if side.is_of(request.user)]
    completed = own if completes else None
    make_forms = partial(ReportForms, game, sides, table=told, completed=completed)
    if request.method != "POST":
        forms = make_forms(told if by_table else account)
    elif "fill" in request.POST or "all" in request.POST:
        forms = make_forms(account, typed=request.POST)
        version = posted_version(request.POST, "seen")
        if "all" in request.POST:
            forms.all_took_part(request.POST["all"])
        else:
            filled = forms.fill_in()
    else:
        forms = make_forms(account, data=request.POST)
        status, version = 422, posted_version(request.POST, "seen")
        if forms.is_valid():
            doubts = [] if "sure" in request.POST else forms.doubts()
        if forms.is_valid() and not doubts:
            words = _(
                "Somebody else has sent a report in the meantime. What you typed is still here: "
                "if it went differently, send it as your own report."
            )
            act = _complete if completes else _report
            error, status = attempt(words, act, request, game, sides, forms)
            if not error:
                read_about_game(game, request.user)
                if completes:
                    messages.success(request, _("Added. Your post-game knows it."))
                elif corrects:
                    messages.success(
                        request, _("The result is corrected; the post-games follow it.")
                    )
                return redirect(game)
            if status == CONFLICT:
                version = Game.objects.values_list("version", flat=True).get(pk=game.pk)
    plays, is_alone = bool(own), len(own) == len(sides)
    summary = None
    if told is not None and by_table and request.method != "POST":
        summary = report_text.summarize(_namer(game, sides), told)
    fixture = campaign_fixtures.find_fixture(game)
    context = {
        "game": game,
        "campaign": game.campaign,
        "fixture": fixture,
        "outdated": campaign_fixtures.find_outdated_near(fixture),
        "forms": forms,
        "summary": summary,
        "colours": forms.result.colours,
        "pictured": {str(side.gang_id): side.gang for side in sides},
        "error": error,
        "doubts": doubts,
        "has_table": told is not None,
        "by_table": by_table,
        "filled": filled,
        "seen": version,
        "is_alone": is_alone,
        "claims": plays or game.status == Game.Status.PLANNED,
        # A report without another player counts as it is sent.
        "decides": game.campaign.is_run_by(request.user) and not is_alone,
        "completes": completes,
        "scenario_name": campaign_text.scenario_name(game.campaign.book, game),
    }
    return render(request, "campaigns/games/report.html", context, status=status)


@require_POST
def settle(request: Request, game_id: uuid.UUID) -> HttpResponse:
    """Say how a game ended that nobody fought: an organiser settles it, a player claims it."""
    game, sides = game_or_404(request, game_id)
    user = request.user
    if not may_report(game, user, sides):
        messages.info(request, _("The result is already in, or you cannot report it."))
        return redirect(game)
    form = UnfoughtForm(game, sides, request.POST)
    if not form.is_valid():
        return _game_page(request, game, sides, unfought=form, status=422)
    account, version = form.account(), posted_version(request.POST, "seen")
    if game.campaign.is_run_by(user):
        act = partial(results.decide, game, account=account, why=form.cleaned_data.get("why", ""))
    else:
        act = partial(results.report, game, account)
    act = partial(act, actor=user, expected_version=version)
    return _try_act(request, game, act) or redirect(game)


def _report(request: Request, game: Game, sides: list[Side], forms: ReportForms) -> None:
    results.submit(
        game,
        sides,
        forms.account(),
        actor=request.user,
        expected_version=posted_version(request.POST, "seen"),
        decides="decide" in request.POST,
        why=forms.result.cleaned_data.get("why", ""),
    )


def _complete(request: Request, game: Game, sides: list[Side], forms: ReportForms) -> None:
    results.complete(
        game,
        {form.side.pk: form.report() for form in forms.asked_sides},
        actor=request.user,
        expected_version=posted_version(request.POST, "seen"),
    )


@require_POST
def verdict(request: Request, game_id: uuid.UUID) -> HttpResponse:
    """Confirm a claim, dispute the one that counts or, as an organiser, decide."""
    game, sides = game_or_404(request, game_id)
    version, user = posted_version(request.POST, "seen"), request.user
    if "dispute" in request.POST:
        form = DisputeForm(request.POST)
        if not form.is_valid():
            return _game_page(request, game, sides, dispute_form=form, status=422)
        act = partial(results.dispute, comment=form.cleaned_data["comment"])
    elif "decide" in request.POST:
        act = partial(results.decide, claim=number(request.POST["decide"]))
    else:
        act = partial(results.confirm, claim=number(request.POST.get("claim")))
    act = partial(act, game, actor=user, expected_version=version)
    return _try_act(request, game, act) or redirect(game)


@require_POST
def tale(request: Request, game_id: uuid.UUID, side_id: int) -> HttpResponse:
    """Write a side's own short report."""
    game, sides = game_or_404(request, game_id)
    side = next((side for side in sides if side.pk == side_id), None)
    if side is None or not game_story.may_write_tale(side, request.user):
        raise Http404
    form = TaleForm(side, campaign_text.side_names(sides)[side.pk], request.POST)
    if not form.is_valid():
        return _game_page(request, game, sides, tale_form=form, status=422)
    tale, version = form.cleaned_data["tale"], request.POST.get("seen", "")
    stale = _stale_sentence()
    error, status = attempt(stale, game_story.save_tale, side, tale, expected_version=version)
    if not error:
        return redirect(f"{game.get_absolute_url()}#tale-{side.pk}")
    messages.error(request, error)
    game, sides = game_or_404(request, game_id)
    return _game_page(request, game, sides, tale_form=form.rebase(sides), status=status)


@require_POST
def withdraw(request: Request, game_id: uuid.UUID) -> HttpResponse:
    """Delete a game."""
    game, _sides = game_or_404(request, game_id)
    version = posted_version(request.POST, "seen")
    act = partial(results.withdraw, game, actor=request.user, expected_version=version)
    campaign, refused = game.campaign, _try_act(request, game, act)
    if refused is None:
        messages.success(request, _("Game deleted."))
    return refused or redirect(campaign)


def _try_act(request: Request, game: Game, act: Callable[[], None]) -> HttpResponse | None:
    """Do the act. Returns the game's present page with the reason if it is refused, else None."""
    error, status = attempt(_stale_sentence(), act)
    if not error:
        # A withdrawn game is deleted.
        if game.pk is not None:
            read_about_game(game, request.user)
        return None
    messages.error(request, error)
    return _game_page(request, *game_or_404(request, game.pk), status=status)


def _stale_sentence() -> str:
    return _("Somebody changed this game in the meantime. Here is the latest version.")
