"""Pages of a fixture: arranging its game, and what an organiser changes about it; challenges."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import Request
from accounts.models import User
from campaigns import fixtures as campaign_fixtures
from campaigns.access import open_to_spectators, readable
from campaigns.club.nights import schedule
from campaigns.club.planning import plans
from campaigns.colours import colours_of
from campaigns.engine.league.tables import TableLine
from campaigns.fixtures import (
    describe_days,
    find_outdated_near,
    fixture_line,
    fixture_names,
    outdated_near,
    with_games,
)
from campaigns.league import ladders, pages, rounds, settling
from campaigns.league.forms import ArrangeForm, DueForm, FixtureForm
from campaigns.league.loading import LoadedStage, load_stage
from campaigns.league.rounds import FixturePlan
from campaigns.league.views import changed_meanwhile, stage_or_404, stage_page
from campaigns.models import Campaign, Fixture, Game, Round, Stage
from campaigns.refusals import attempt, refusal_sentence
from campaigns.text import gang_address
from common.errors import Refusal
from common.forms import posted_version, require_safe_or_post
from gangs.models import Gang


def fixture_or_404(request: Request, fixture_id: int, *, organised: bool = False) -> Fixture:
    """The fixture, if the reader may see its campaign, or runs it where ``organised``."""
    campaigns = Campaign.objects.organised_by(request.user) if organised else readable(request)
    visible = Fixture.objects.filter(round__stage__campaign__in=campaigns)
    rows = with_games(visible).select_related("round__stage__campaign", "advances")
    return get_object_or_404(rows, pk=fixture_id)


@open_to_spectators
@require_safe
def fixture(request: Request, fixture_id: int) -> HttpResponse:
    """A fixture: its round, its game, and the steps still open."""
    return fixture_page(request, fixture_or_404(request, fixture_id))


def fixture_page(
    request: Request,
    found: Fixture,
    error: str = "",
    status: int = 200,
    *,
    due_form: DueForm | None = None,
    gangs_form: FixtureForm | None = None,
) -> HttpResponse:
    """The page of a fixture; ``error``: why a change failed."""
    stage, campaign, user = found.round.stage, found.round.stage.campaign, request.user
    organises = campaign.is_run_by(user)
    game = campaign_fixtures.standing_game(found)
    is_open = stage.ended_at is None and campaign.archived_at is None
    loaded = load_stage(stage)
    line = fixture_line(found)
    context = {
        "campaign": campaign,
        "stage": stage,
        "fixture": found,
        "line": line,
        "game": game,
        "sides": fixture_sides(found, loaded, user),
        "round_title": _("Third place")
        if found.losers
        else pages.name_round(loaded, found.round.number),
        "days": describe_days(found.round),
        "colours": colours_of(campaign),
        "is_open": is_open,
        "organises": organises and is_open,
        "may_arrange": may_arrange(found, user),
        "may_settle": game is None or game.status == Game.Status.PLANNED,
        "outdated": outdated_near(found, loaded.outdated),
        "decides": stage.format == Stage.Format.KNOCK_OUT and not found.is_bye,
        "error": error,
    }
    if organises and is_open:
        labels = {gang: loaded.names[str(gang.pk)] for gang in loaded.playing}
        context["due_form"] = due_form or DueForm(initial={"due": found.last_day})
        if game is None:
            initial = {"home": str(found.home_id or ""), "away": str(found.away_id or "")}
            context["gangs_form"] = gangs_form or FixtureForm(labels, initial=initial)
    return render(request, "campaigns/league/fixture.html", context, status=status)


@dataclass(frozen=True)
class FixtureSide:
    """A gang on the page of a fixture: its name with its player's among namesakes, its page if the
    reader may open it, and its line in the table of the stage."""

    gang: Gang
    name: str
    url: str
    line: TableLine | None


def fixture_sides(found: Fixture, loaded: LoadedStage, user: User) -> list[FixtureSide]:
    """The gangs of a fixture that still exist."""
    shows_table = found.round.stage.format in (Stage.Format.SWISS, Stage.Format.ROUND_ROBIN)
    # Before the first result everybody is first, with 0 points.
    has_places = shows_table and any(line.played or line.byes for line in loaded.table)
    # A gang that has left without a result that counts has no place, as in the table.
    shown = [line for line in loaded.table if not line.has_left or line.played]
    lines = {line.gang: line for line in shown} if has_places else {}
    return [
        FixtureSide(gang, name, gang_address(gang, user), lines.get(str(gang.pk)))
        for gang, name in zip((found.home, found.away), fixture_names(found), strict=True)
        if gang is not None
    ]


def may_arrange(found: Fixture, user: User) -> bool:
    """Whether the user may plan the game of a fixture now. Reads its gangs and its campaign."""
    stage = found.round.stage
    if found.called_off_at is not None or found.home is None or found.away is None:
        return False
    if stage.ended_at is not None or stage.campaign.archived_at is not None:
        return False
    if campaign_fixtures.standing_game(found) is not None:
        return False
    return found.is_of(user) or stage.campaign.is_run_by(user)


@require_safe_or_post
def arrange(request: Request, fixture_id: int) -> HttpResponse:
    """Plan the game of a fixture, on a night or on any other day."""
    found = fixture_or_404(request, fixture_id)
    if not may_arrange(found, request.user):
        messages.info(request, _("This game can no longer be arranged, or it is not yours."))
        return redirect(found.game or found)
    campaign = found.round.stage.campaign
    assert found.home is not None and found.away is not None
    gangs = [found.home, found.away]
    to_come = [night for night in schedule.next_nights(campaign) if night.cancelled_at is None]
    form = ArrangeForm(campaign, to_come, request.POST if request.method == "POST" else None)
    if form.is_valid():
        token = form.cleaned_data["token"]
        try:
            planned = form.plan()
            game = plans.plan(
                campaign, gangs, planned, actor=request.user, token=token, fixture=found
            )
        except Refusal as refusal:
            form.add_error(None, refusal_sentence(refusal))
        else:
            return redirect(game)
    context = {
        "campaign": campaign,
        "stage": found.round.stage,
        "fixture": found,
        "line": fixture_line(found),
        "form": form,
        "outdated": find_outdated_near(found),
    }
    status = 422 if form.is_bound else 200
    return render(request, "campaigns/league/arrange.html", context, status=status)


@require_POST
def change(request: Request, fixture_id: int) -> HttpResponse:
    """Change a fixture as an organiser: its last day, its gangs, whether it takes place, and who
    goes on. The button says which."""
    found = fixture_or_404(request, fixture_id, organised=True)
    version = posted_version(request.POST, "seen")
    act: Callable[..., object]
    match request.POST.get("act", ""):
        case "extend":
            due_form = DueForm(request.POST)
            if not due_form.is_valid():
                return fixture_page(request, found, status=422, due_form=due_form)
            act = partial(rounds.extend, found, due_form.cleaned_data["due"])
        case "gangs":
            loaded = load_stage(found.round.stage)
            labels = {gang: loaded.names[str(gang.pk)] for gang in loaded.playing}
            form = FixtureForm(labels, request.POST)
            if not form.is_valid():
                return fixture_page(request, found, status=422, gangs_form=form)
            act = partial(
                rounds.change_gangs, found, form.cleaned_data["home"], form.cleaned_data["away"]
            )
        case "off":
            act = partial(rounds.call_off, found)
        case "back":
            act = partial(rounds.put_back, found)
        case "keep":
            act = partial(rounds.keep_gangs, found)
        case "untie":
            act = partial(rounds.untie, found)
        case "settle":
            error, status = attempt(
                changed_meanwhile(),
                settling.settle_absence,
                found,
                _chosen(request, found),
                actor=request.user,
            )
            fresh = fixture_or_404(request, fixture_id)
            return fixture_page(request, fresh, error, status) if error else redirect(fresh)
        case "advance":
            act = partial(rounds.advance, found, _chosen(request, found))
        case _:
            return fixture_page(request, found, _("What should change?"), 422)
    error, status = attempt(changed_meanwhile(), act, expected_version=version)
    if error:
        return fixture_page(request, fixture_or_404(request, fixture_id), error, status)
    return redirect(found)


def _chosen(request: Request, found: Fixture) -> Gang | None:
    """The gang that is to go on, or that came; None: the game decides, or nobody came."""
    gangs = {str(gang.pk): gang for gang in (found.home, found.away) if gang is not None}
    return gangs.get(request.POST.get("gang", ""))


@require_POST
def add(request: Request, stage_id: uuid.UUID, round_number: int) -> HttpResponse:
    """Add a fixture to a round by hand."""
    found = stage_or_404(request, stage_id, organised=True)
    one = get_object_or_404(Round.objects.filter(stage=found), number=round_number)
    one.stage = found
    loaded = load_stage(found)
    form = FixtureForm({gang: loaded.names[str(gang.pk)] for gang in loaded.playing}, request.POST)
    if not form.is_valid():
        words = " ".join(str(error) for errors in form.errors.values() for error in errors)
        return stage_page(request, found, words, 422)
    plan = FixturePlan(form.cleaned_data["home"], form.cleaned_data["away"])
    version = posted_version(request.POST, "seen")
    error, status = attempt(
        changed_meanwhile(), rounds.add_fixture, one, plan, expected_version=version
    )
    if error:
        found = stage_or_404(request, stage_id, organised=True)
        return stage_page(request, found, error, status)
    return redirect(found)


@require_POST
def challenge(request: Request, stage_id: uuid.UUID) -> HttpResponse:
    """Challenge a gang further up a ladder."""
    found = stage_or_404(request, stage_id)
    gang, other = request.POST.get("gang", ""), request.POST.get("other", "")
    try:
        made = ladders.challenge(found, gang, other, actor=request.user)
    except Refusal as refusal:
        return stage_page(request, found, refusal_sentence(refusal), 422)
    return redirect(made)
