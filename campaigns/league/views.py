"""Pages of a league: its stages, their rounds, and the draw of the next one."""

from __future__ import annotations

import random
import uuid
from collections.abc import Sequence
from functools import partial

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.http import Request, site_url
from campaigns.access import (
    open_to_spectators,
    organised_or_404,
    playing,
    readable,
    reader_campaign_or_404,
)
from campaigns.colours import colours_of
from campaigns.engine.league.facts import key_of
from campaigns.engine.league.tables import TableLine
from campaigns.fixtures import describe_days, fixture_line
from campaigns.league import following, pages, rounds, stages
from campaigns.league.brackets import load_bracket
from campaigns.league.draws import (
    Draw,
    RoundDraw,
    drawn_note,
    find_byes,
    find_free,
    has_next,
    propose_rounds,
)
from campaigns.league.forms import (
    ASKED,
    TICKED,
    DaysForm,
    DrawForm,
    DropOutForm,
    FixtureForm,
    OptionsForm,
    StageForm,
    WishesForm,
    describe_draw,
    labels_of,
)
from campaigns.league.loading import LoadedStage, load_stage, load_stages
from campaigns.league.rounds import FixturePlan, RoundPlan
from campaigns.models import Campaign, Entrant, Participant, Round, Stage
from campaigns.refusals import attempt, refusal_sentence
from campaigns.season.loading import load_season
from campaigns.season.standings.text import rank_gangs
from campaigns.text import gang_names, name_here
from common.errors import Refusal
from common.forms import number, posted_version, require_safe_or_post
from gangs.models import Gang

# The roles that may share the campaign's link for spectators.
PLAYING = (Participant.Role.ORGANISER, Participant.Role.PLAYER)


def stage_or_404(request: Request, stage_id: uuid.UUID, *, organised: bool = False) -> Stage:
    """The stage, if the reader may see its campaign, or runs it where ``organised``."""
    campaigns = Campaign.objects.organised_by(request.user) if organised else readable(request)
    visible = Stage.objects.filter(campaign__in=campaigns).select_related("campaign", "source")
    return get_object_or_404(visible, pk=stage_id)


def changed_meanwhile() -> str:
    """The sentence for a form that came too late."""
    return _("Somebody changed this stage in the meantime. Here is the latest version.")


def _with_stages(campaign: Campaign) -> Campaign:
    """The campaign. Raises Http404 if its games are made by groups: then it has no stages."""
    if campaign.book.who_plays.is_in_groups:
        raise Http404
    return campaign


@open_to_spectators
@require_safe
def league(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """The stages of a campaign."""
    campaign = _with_stages(reader_campaign_or_404(request, campaign_id))
    loaded = load_stages(list(campaign.stages.all()))
    for one in loaded:
        one.stage.campaign = campaign
    context = {
        "campaign": campaign,
        "colours": colours_of(campaign),
        "stages": [
            (
                one.stage,
                pages.describe_stage(one),
                pages.describe_leaders(one),
                _current_block(one),
            )
            for one in reversed(loaded)
        ],
        "organises": campaign.is_run_by(request.user),
    }
    return render(request, "campaigns/league/overview.html", context)


def _current_block(loaded: LoadedStage) -> pages.RoundBlock | None:
    current = loaded.current
    return pages.round_block(loaded, current) if current is not None else None


@require_safe
def choose_format(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Choose the format of a new stage."""
    campaign = _with_stages(organised_or_404(request, campaign_id))
    return render(request, "campaigns/league/formats.html", {"campaign": campaign})


@require_safe_or_post
def new(request: Request, campaign_id: uuid.UUID, stage_format: str) -> HttpResponse:
    """Start a stage of a format."""
    campaign = _with_stages(organised_or_404(request, campaign_id))
    if stage_format not in ASKED:
        raise Http404
    gangs = playing(campaign)
    names = gang_names(gangs)
    tables = [("campaign", _("The campaign’s standings"))]
    tables += [(str(stage.pk), stage.name) for stage in campaign.stages.all()]
    form = StageForm(
        stage_format,
        {gang: names[gang.pk] for gang in gangs},
        tables,
        request.POST if request.method == "POST" else None,
        book=campaign.book,
    )
    if form.is_valid():
        data, options = form.cleaned_data, form.options()
        try:
            source, field = _field(campaign, gangs, form)
            if data.get("who", TICKED) != TICKED:
                options = options.model_copy(update={"best": len(field)})
            details: stages.Details = {"name": data["name"], "options": options}
            stage = stages.start(
                campaign, stage_format, field, details, token=data["token"], source=source
            )
        except Refusal as refusal:
            form.add_error(None, refusal_sentence(refusal))
        else:
            return redirect(stage)
    context = {
        "campaign": campaign,
        "form": form,
        "format_name": Stage.Format(stage_format).label,
        "has_enough_gangs": len(gangs) > 1,
    }
    status = 422 if form.is_bound else 200
    return render(request, "campaigns/league/new.html", context, status=status)


def _field(
    campaign: Campaign, gangs: Sequence[Gang], form: StageForm
) -> tuple[Stage | None, list[Gang]]:
    """The stage whose table decides who plays, if one does, and the gangs in the order of their
    seeds. Raises Refusal if that stage is deleted."""
    data = form.cleaned_data
    who, here = data.get("who", TICKED), {str(gang.pk): gang for gang in gangs}
    if who != TICKED:
        source = None if who == "campaign" else campaign.stages.filter(pk=who).first()
        if source is None and who != "campaign":
            raise Refusal("gone")
        order = _ranked(campaign) if source is None else [line.gang for line in _table(source)]
        return source, [here[key] for key in order if key in here][: data["best"]]
    chosen: list[Gang] = data["gangs"]
    match data["order"]:
        case "lots":
            random.SystemRandom().shuffle(chosen)
        case "rating":
            chosen.sort(key=lambda gang: -gang.rating)
        case "standings":
            place = {key: number for number, key in enumerate(_ranked(campaign))}
            chosen.sort(key=lambda gang: place.get(str(gang.pk), len(place)))
        case "joined":
            chosen.sort(key=gangs.index)
    return None, chosen


def _ranked(campaign: Campaign) -> list[str]:
    """The gangs in the order of the campaign's standings, by key."""
    return [row.gang for row in rank_gangs(load_season(campaign.pk).season)]


def _table(stage: Stage) -> Sequence[TableLine]:
    """The table of a stage; the order of a ladder as lines."""
    loaded = load_stage(stage)
    if stage.format != Stage.Format.LADDER:
        return loaded.table
    lines = {line.gang: line for line in loaded.table}
    return [lines[key] for key in loaded.ladder]


@open_to_spectators
@require_safe
def stage(request: Request, stage_id: uuid.UUID) -> HttpResponse:
    """A stage: its table, bracket or ladder, and its rounds."""
    return stage_page(request, stage_or_404(request, stage_id))


def stage_page(request: Request, found: Stage, error: str = "", status: int = 200) -> HttpResponse:
    """The page of a stage; ``error``: why a change failed."""
    loaded, campaign = load_stage(found), found.campaign
    organises = campaign.is_run_by(request.user)
    is_open = found.ended_at is None and campaign.archived_at is None
    blocks = pages.round_blocks(loaded)
    current = loaded.current
    is_ladder = found.format == Stage.Format.LADDER
    is_knock_out = found.format == Stage.Format.KNOCK_OUT
    winner = pages.winner_name(loaded)
    nobody_left = pages.ends_without_winner(loaded)
    is_over = bool(winner) or nobody_left
    may_draw = organises and is_open and not is_ladder and not is_over and has_next(loaded)
    context = {
        "campaign": campaign,
        "stage": found,
        "description": pages.describe_stage(loaded),
        "colours": colours_of(campaign),
        "organises": organises,
        "is_player": campaign.role_of(request.user) in PLAYING,
        "site_url": site_url(request),
        "is_open": is_open,
        "current": next((one for one in blocks if one.round == current), None),
        "others": [one for one in blocks if one.round != current],
        "standings": []
        if is_ladder or is_knock_out
        else pages.standing_lines(loaded, request.user),
        "annulled": pages.annulled_names(loaded),
        "columns": pages.table_columns(loaded),
        "measures": pages.table_measures(loaded),
        "has_opponents": pages.ranks_by_opponents(loaded),
        "rungs": pages.rungs(loaded, request.user) if is_ladder else [],
        "bracket": load_bracket(loaded) if is_knock_out else None,
        "winner": winner,
        "nobody_left": nobody_left,
        "may_draw": may_draw,
        "follows_at_once": may_draw and bool(loaded.rounds) and not loaded.open_rounds,
        "to_open": _round_to_open(loaded) if organises and is_open else None,
        "has_no_rounds": not loaded.rounds,
        "mine": pages.own_lines(loaded, request.user) if is_open else [],
        "absent": _absent_names(loaded) if organises and is_open else [],
        "enough_rounds": pages.enough_rounds(loaded) if organises and is_open else 0,
        "outdated": [fixture_line(one) for one in loaded.outdated],
        "undecided": drawn_note(loaded) if organises and is_open else "",
        "entrants": loaded.entrants if organises else [],
        "error": error,
    }
    return render(request, "campaigns/league/stage.html", context, status=status)


def _round_to_open(loaded: LoadedStage) -> pages.RoundBlock | None:
    """The round that may begin earlier than planned, since the rounds before it are decided."""
    found = loaded.next_to_open
    return pages.round_block(loaded, found) if found is not None else None


def _absent_names(loaded: LoadedStage) -> list[str]:
    """The gangs of the campaign that were never in a stage that takes late joiners."""
    found = loaded.stage
    if found.source_id is not None or found.format == Stage.Format.KNOCK_OUT:
        return []
    known = {one.gang_id for one in loaded.entrants}
    gangs = playing(found.campaign)
    names = gang_names(gangs)
    return [names[gang.pk] for gang in gangs if gang.pk not in known]


@require_safe_or_post
def change(request: Request, stage_id: uuid.UUID) -> HttpResponse:
    """Change a stage's name and options, its gangs, or close it."""
    found = stage_or_404(request, stage_id, organised=True)
    data = request.POST if request.method == "POST" else None
    form = OptionsForm(found.format, found.rules, data, name=found.name, book=found.campaign.book)
    error, status = "", 422 if form.is_bound else 200
    if form.is_valid():
        details: stages.Details = {"name": form.cleaned_data["name"], "options": form.options()}
        version = posted_version(request.POST, "seen")
        error, status = attempt(
            changed_meanwhile(), stages.change, found, details, expected_version=version
        )
        if not error:
            return redirect(found)
        found.refresh_from_db()
    loaded = load_stage(found)
    here = {one.gang_id for one in loaded.entrants if one.left_at is None}
    gangs = [gang for gang in playing(found.campaign) if gang.pk not in here]
    names = gang_names(gangs)
    context = {
        "campaign": found.campaign,
        "stage": found,
        "form": form,
        "error": error,
        "colours": colours_of(found.campaign),
        "entrants": [named for named in _named(loaded) if named[0].left_at is None],
        "dropped_out": [named for named in _named(loaded) if named[0].left_at and named[0].gang],
        "asks_about_results": found.format == Stage.Format.ROUND_ROBIN,
        "names": loaded.names,
        "absent": [(gang, names[gang.pk]) for gang in gangs],
        "has_games": any(fixture.game_id for fixture in loaded.fixtures),
    }
    return render(request, "campaigns/league/change.html", context, status=status)


def _named(loaded: LoadedStage) -> list[tuple[Entrant, str]]:
    """The entrants, each with its name, and its player's among namesakes."""
    return [(one, loaded.names[key_of(one.gang_id, one.name)]) for one in loaded.entrants]


@require_POST
def gangs_of_stage(request: Request, stage_id: uuid.UUID) -> HttpResponse:
    """Let a gang join a stage late, or drop out of it."""
    found = stage_or_404(request, stage_id, organised=True)
    gangs = {str(gang.pk): gang for gang in playing(found.campaign)}
    gang = gangs.get(request.POST.get("gang", ""))
    if gang is None:
        return stage_page(request, found, _("This gang no longer plays here."), 422)
    act = stages.drop_out if "out" in request.POST else stages.enter
    error, status = attempt(changed_meanwhile(), act, found, gang)
    if error:
        return stage_page(request, found, error, status)
    words = (
        _("%(gang)s plays no more rounds here.")
        if "out" in request.POST
        else _("%(gang)s plays from the next round on.")
    )
    messages.success(request, words % {"gang": name_here(found.campaign, gang)})
    return redirect("campaigns:stage-change", found.pk)


@require_safe_or_post
def drop_out(request: Request, stage_id: uuid.UUID, gang_id: uuid.UUID) -> HttpResponse:
    """Let a gang drop out of a round robin, and decide what becomes of its results; after that,
    decide again."""
    found = stage_or_404(request, stage_id, organised=True)
    entrants = found.entrants.select_related("gang__owner").filter(gang__isnull=False)
    entrant = get_object_or_404(entrants, gang=gang_id)
    if found.format != Stage.Format.ROUND_ROBIN:
        raise Http404
    loaded, gang = load_stage(found), entrant.gang
    played, of_all = _count_games(loaded, str(gang_id))
    annuls = entrant.is_annulled if entrant.left_at else 2 * played < of_all
    data = request.POST if request.method == "POST" else None
    form = DropOutForm(data, initial={"results": "annul" if annuls else "stand"})
    error, status = "", 422 if form.is_bound else 200
    if form.is_valid() and gang is not None:
        annuls = form.cleaned_data["results"] == "annul"
        error, status = attempt(
            changed_meanwhile(), partial(stages.drop_out, annuls=annuls), found, gang
        )
        if not error:
            return redirect("campaigns:stage-change", found.pk)
    context = {
        "campaign": found.campaign,
        "stage": found,
        "entrant": entrant,
        "name": loaded.names[str(gang_id)],
        "played": played,
        "of_all": of_all,
        "form": form,
        "error": error,
    }
    return render(request, "campaigns/league/drop_out.html", context, status=status)


def _count_games(loaded: LoadedStage, gang: str) -> tuple[int, int]:
    """The number of games that a gang has played in a round robin, and of all that it was to
    play."""
    decided = sum(match.is_decided and gang in match.sides for match in loaded.matches)
    return decided, (len(loaded.entered) - 1) * loaded.stage.rules.legs


@require_POST
def end(request: Request, stage_id: uuid.UUID) -> HttpResponse:
    """Close a stage, reopen it, or delete it: the button says which."""
    found = stage_or_404(request, stage_id, organised=True)
    acts = {"back": stages.reopen, "delete": stages.delete}
    act = next((act for key, act in acts.items() if key in request.POST), stages.close)
    version, campaign = posted_version(request.POST, "seen"), found.campaign_id
    error, status = attempt(changed_meanwhile(), act, found, expected_version=version)
    if error:
        found = stage_or_404(request, stage_id, organised=True)
        return stage_page(request, found, error, status)
    if act is stages.delete:
        messages.success(request, _("The stage is deleted."))
        return redirect("campaigns:league", campaign)
    return redirect("campaigns:stage", stage_id)


@require_safe_or_post
def draw(request: Request, stage_id: uuid.UUID) -> HttpResponse:
    """Propose the next rounds, and make them as they are or as the organiser changed them.

    ``?round=``: an existing round whose free gangs are to be paired; the other parameters are
    wishes.
    """
    found = stage_or_404(request, stage_id, organised=True)
    loaded = load_stage(found)
    labels = labels_of(loaded)
    wishes = WishesForm(labels, request.GET or None)
    proposal = propose_rounds(loaded, wishes.wishes(), number(request.GET.get("round")))
    form = None
    data = request.POST if request.method == "POST" else None
    at_once = "as_proposed" in request.POST
    if proposal.may_change and proposal.rounds and not at_once:
        form = DrawForm(proposal.rounds[0], labels, data, rows=number(request.POST.get("rows")))
    error, status = "", 200
    if at_once and loaded.open_rounds:
        error, status = _("Results of the last round are still missing."), 422
    elif data is not None:
        error, status = _make(request, loaded, proposal, form)
        if not error and status == 200:
            return redirect(found)
        found.refresh_from_db()
    context = {
        "campaign": found.campaign,
        "stage": found,
        "proposal": proposal,
        "description": describe_draw(proposal),
        "form": form,
        "wishes": wishes if found.format == Stage.Format.SWISS else None,
        "names": loaded.names,
        "blocks": _plain_rounds(loaded, proposal),
        "error": error,
        "is_open": found.ended_at is None and found.campaign.archived_at is None,
    }
    return render(request, "campaigns/league/draw.html", context, status=status)


@require_safe_or_post
def follow(request: Request, stage_id: uuid.UUID) -> HttpResponse:
    """Preview the fixtures of a knock-out that no longer follow, then let the right gangs meet."""
    found = stage_or_404(request, stage_id, organised=True)
    error, status = "", 200
    if request.method == "POST":
        changed: list[int] = []
        error, status = attempt(
            changed_meanwhile(),
            lambda **values: changed.append(following.take_over_gangs(found, **values)),
            actor=request.user,
            expected_version=posted_version(request.POST, "seen"),
        )
        if not error:
            count = sum(changed)
            words = ngettext("%(count)s fixture changed.", "%(count)s fixtures changed.", count)
            messages.success(request, words % {"count": count})
            return redirect(found)
        found = stage_or_404(request, stage_id, organised=True)
    context = {
        "campaign": found.campaign,
        "stage": found,
        "following": following.preview(load_stage(found)),
        "error": error,
        "is_open": found.ended_at is None and found.campaign.archived_at is None,
    }
    return render(request, "campaigns/league/follow.html", context, status=status)


def _plain_rounds(
    loaded: LoadedStage, proposal: Draw
) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """The proposed rounds as text: the title, the days, and each fixture with its reason."""
    found = []
    for one in proposal.rounds:
        shell = Round(stage=loaded.stage, number=one.number, opens=one.opens, due=one.due)
        lines = [
            (
                f"{loaded.names[line.home]} – {loaded.names[line.away] if line.away else _('Bye')}",
                line.why,
            )
            for line in one.lines
        ]
        title = pages.name_round(loaded, one.number)
        found.append((title, describe_days(shell), lines))
    return found


def _make(
    request: Request, loaded: LoadedStage, proposal: Draw, form: DrawForm | None
) -> tuple[str, int]:
    """Make the proposed rounds, or the round of the form: the error and the status."""
    found = loaded.stage
    if form is not None:
        if not form.is_valid():
            return " ".join(str(error) for error in form.non_field_errors()), 422
        plans = [_plan_of(loaded, proposal.rounds[0], form)]
    else:
        plans = [plan_as_proposed(loaded, one) for one in proposal.rounds if one.lines]
    if not plans:
        return _("There is nothing to make now."), 422
    version = posted_version(request.POST, "seen")
    make = partial(rounds.make_rounds, replaces_byes=proposal.replaces_byes)
    error, status = attempt(changed_meanwhile(), make, found, plans, expected_version=version)
    if not error:
        # Byes are no games, and the page before left them out of its count.
        count = sum(one.away is not None for plan in plans for one in plan.fixtures)
        words = ngettext("%(count)s fixture made.", "%(count)s fixtures made.", count)
        messages.success(request, words % {"count": count})
        # A gang that has another game in the round is missing in the form, but not in the round.
        number_made = proposal.rounds[0].number
        free = find_free(loaded, number_made)
        if proposal.replaces_byes:
            free |= {match.home for match in find_byes(loaded, number_made)}
        left_out = form.left_out(free) if form is not None else []
        if left_out:
            names = ", ".join(left_out)
            messages.info(request, _("Without a game in this round: %(names)s.") % {"names": names})
    return error, status


def _plan_of(loaded: LoadedStage, one: RoundDraw, form: DrawForm) -> RoundPlan:
    """The round as the organiser's form has it."""
    data = form.cleaned_data
    keeps_places = loaded.stage.format == Stage.Format.KNOCK_OUT
    fixtures = [
        FixturePlan(
            loaded.gangs[home],
            loaded.gangs[away] if away else None,
            number=place if keeps_places else None,
        )
        for place, home, away, _line in form.drawn()
    ]
    opens, due = data.get("opens", one.opens), data.get("due", one.due)
    return RoundPlan(one.number, opens, due, fixtures)


def plan_as_proposed(loaded: LoadedStage, one: RoundDraw) -> RoundPlan:
    """The round to make from a proposal that nobody has changed."""
    fixtures = [
        FixturePlan(
            loaded.gangs[line.home],
            loaded.gangs[line.away] if line.away else None,
            home_from=line.sources[0],
            away_from=line.sources[1],
            losers=line.losers,
            number=line.number,
        )
        for line in one.lines
    ]
    return RoundPlan(one.number, one.opens, one.due, fixtures)


@require_safe_or_post
def change_round(request: Request, stage_id: uuid.UUID, round_number: int) -> HttpResponse:
    """Change the days of a round, or take its open fixtures out so that it is drawn again."""
    found = stage_or_404(request, stage_id, organised=True)
    one = get_object_or_404(found.rounds, number=round_number)
    one.stage = found
    clearing, opening = "clear" in request.POST, "now" in request.POST
    data = request.POST if request.method == "POST" and not (clearing or opening) else None
    form = DaysForm(data, initial={"opens": one.opens, "due": one.due})
    version = posted_version(request.POST, "seen")
    error, status = "", 200
    if opening:
        error, status = attempt(changed_meanwhile(), rounds.open_now, one, expected_version=version)
        if not error:
            return redirect(found)
    elif clearing:
        error, status = attempt(changed_meanwhile(), rounds.clear, one, expected_version=version)
        if not error:
            url = reverse("campaigns:stage-draw", args=[found.pk])
            still_there = found.rounds.filter(number=round_number).exists()
            return redirect(f"{url}?round={round_number}" if still_there else url)
    elif form.is_valid():
        opens, due = form.cleaned_data["opens"], form.cleaned_data["due"]
        error, status = attempt(
            changed_meanwhile(), rounds.change_days, one, opens, due, expected_version=version
        )
        if not error:
            return redirect(found)
    elif form.is_bound:
        status = 422
    found.refresh_from_db()
    loaded = load_stage(found)
    context = {
        "campaign": found.campaign,
        "stage": found,
        # Inside a block, templates call the block itself "block".
        "shown": pages.round_block(loaded, one),
        "form": form,
        "fixture_form": FixtureForm({gang: loaded.names[str(gang.pk)] for gang in loaded.playing}),
        "error": error,
    }
    return render(request, "campaigns/league/round.html", context, status=status)
