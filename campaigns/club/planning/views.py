"""Pages to plan games: one by one, with their roles, or as pairs proposed for a night."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.formats import number_format
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounts.dates import date_format
from accounts.http import Request
from campaigns.access import campaign_or_404, game_or_404, playing
from campaigns.club.nights import schedule
from campaigns.club.nights.schedule import Guest
from campaigns.club.nights.views import night_or_404
from campaigns.club.planning import plans
from campaigns.club.planning import sides as planning_sides
from campaigns.club.planning.forms import (
    GameForm,
    GroupsForm,
    PairsForm,
    ProposalForm,
    ReplanForm,
    RolesForm,
)
from campaigns.colours import colours_of
from campaigns.engine.pairing import Candidate, Pairing, Proposal, propose, propose_groups
from campaigns.models import Attendance, Campaign, Game, Night, Side
from campaigns.refusals import attempt, refusal_sentence
from campaigns.text import game_title, gang_names, side_names
from common.errors import Refusal
from common.forms import posted_version, require_safe_or_post
from gangs.models import Gang
from rules.book.model import Book

# The size of a group that plays together, unless an organiser wishes another.
USUAL_GROUP = 3


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
    context = {
        "campaign": campaign,
        "form": form,
        "fewest": campaign.book.who_plays.fewest,
        "has_enough_gangs": len(gangs) >= campaign.book.who_plays.fewest,
        "night": night,
    }
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
        "title": game_title(game.campaign.book, side_names(sides).values()),
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
    """The page with only the roles, and the error in them."""
    context = {
        "game": game,
        "campaign": game.campaign,
        "title": game_title(game.campaign.book, side_names(sides).values()),
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


@dataclass(frozen=True)
class ProposedPair:
    """A pair on the page, and why it is proposed."""

    pairing: Pairing
    gangs: Sequence[Gang]
    names: Sequence[str]
    why: str
    is_ticked: bool

    @property
    def value(self) -> str:
        """The value of the pair's box in the form."""
        return " ".join(self.pairing.gangs)

    @property
    def players(self) -> str:
        """The players whom ``names`` does not name already."""
        named = zip(self.gangs, self.names, strict=True)
        return ", ".join(
            str(gang.owner) for gang, name in named if gang.owner and name == gang.name
        )


@dataclass(frozen=True)
class ProposalPage:
    """The proposal: the form with the free gangs, the pairs among the chosen gangs, the gang that
    rests and why, the gangs that are ``busy`` with another game, and those that are ``empty``: they
    have no members. ``waiting``: the gangs that no group has room for."""

    form: ProposalForm | GroupsForm
    pairs: Sequence[ProposedPair]
    resting: str
    why_rests: str
    busy: Sequence[str]
    empty: Sequence[str]
    waiting: Sequence[str] = ()


@require_safe_or_post
def pairings(request: Request, night_id: uuid.UUID) -> HttpResponse:
    """Propose pairs among the gangs that come, and schedule the pairs that the organiser takes."""
    night = night_or_404(request, night_id, organised=True)
    status, error = 200, ""
    if request.method == "POST":
        error, status = _take(request, night)
        if not error:
            return redirect(night)
    context = {
        "night": night,
        "campaign": night.campaign,
        "colours": colours_of(night.campaign),
        "is_open": night.cancelled_at is None and night.campaign.archived_at is None,
        "play": night.campaign.book.who_plays,
        "in_groups": night.campaign.book.who_plays.is_in_groups,
        "token": PairsForm([])["token"].value(),
        "proposal": _proposal(request, night),
        "error": error,
    }
    return render(request, "campaigns/club/planning/pairings.html", context, status=status)


def _take(request: Request, night: Night) -> tuple[str, int]:
    """Schedule the ticked pairs: the error and the response's status, as ``attempt``."""
    form = PairsForm(playing(night.campaign), request.POST)
    if not form.is_valid():
        return " ".join(str(error) for errors in form.errors.values() for error in errors), 422
    pairs, token = form.cleaned_data["pair"], form.cleaned_data["token"]
    stale = _(
        "One of these gangs now has another game that night. Nothing was scheduled: here is a "
        "proposal for those still free."
    )
    error, status = attempt(stale, plans.plan_pairs, night, pairs, actor=request.user, token=token)
    if not error:
        done = ngettext("%(count)s game scheduled.", "%(count)s games scheduled.", len(pairs))
        messages.success(request, done % {"count": len(pairs)})
    return error, status


def _proposal(request: Request, night: Night) -> ProposalPage:
    campaign, book = night.campaign, night.campaign.book
    gangs = playing(campaign)
    planned = Side.objects.filter(game__night=night, game__status=Game.Status.PLANNED)
    busy = set(planned.values_list("gang_id", flat=True))
    guests = [guest for guest in schedule.guests(night, gangs) if not guest.left]
    empty = schedule.find_empty(guest.gang for guest in guests)
    free = [guest for guest in guests if guest.gang.pk not in busy | empty]
    form, proposal = _propose(request, night, free)
    by_key, names = {str(gang.pk): gang for gang in gangs}, gang_names(gangs)
    ticked = request.POST.getlist("pair")
    resting = proposal.left_over
    return ProposalPage(
        form=form,
        pairs=[
            ProposedPair(
                pairing=pair,
                gangs=[by_key[key] for key in pair.gangs],
                names=[names[by_key[key].pk] for key in pair.gangs],
                why=explain_proposal(book, pair),
                is_ticked=not ticked or " ".join(pair.gangs) in ticked,
            )
            for pair in proposal.pairs
        ],
        resting=names[by_key[resting.gang].pk] if resting else "",
        why_rests=why_rests(resting, alone=not proposal.pairs) if resting else "",
        busy=[names[gang.pk] for gang in gangs if gang.pk in busy],
        empty=[names[gang.pk] for gang in gangs if gang.pk in empty - busy],
        waiting=[names[by_key[one.gang].pk] for one in proposal.waiting],
    )


def _propose(
    request: Request, night: Night, free: Sequence[Guest]
) -> tuple[ProposalForm | GroupsForm, Proposal]:
    """The form with the free gangs, and the proposal for the chosen gangs: pairs, or
    groups."""
    book, play = night.campaign.book, night.campaign.book.who_plays
    coming = [guest.gang for guest in free if guest.answer == Attendance.Answer.YES]
    initial: dict[str, Any] = {"gangs": [str(gang.pk) for gang in coming]}
    data = request.GET if request.GET else None
    if play.is_in_groups:
        most = play.most or max(play.fewest, len(free))
        sizes = range(play.fewest, most + 1)
        initial["size"] = min(most, max(play.fewest, USUAL_GROUP))
        groups_form = GroupsForm(free, data, initial=initial, sizes=sizes)
        asked = groups_form.cleaned_data if groups_form.is_valid() else initial | {"gangs": coming}
        candidates = schedule.candidates(night, asked["gangs"])
        past = schedule.past_of(night)
        return groups_form, propose_groups(candidates, past, asked["size"], play.fewest, play.most)
    initial |= {"by": "rating" if book.rating else "meetings", "odd": "rests"}
    form = ProposalForm(free, data, initial=initial, has_rating=book.rating is not None)
    asked = form.cleaned_data if form.is_valid() else initial | {"gangs": coming}
    candidates = schedule.candidates(night, asked["gangs"])
    return form, propose(candidates, schedule.past_of(night), asked["by"], asked["odd"])


def explain_proposal(book: Book, pair: Pairing) -> str:
    """The reasons for a proposed pair or group."""
    if book.who_plays.is_in_groups:
        return why_together(pair)
    return why(pair, has_rating=book.rating is not None)


def why_together(group: Pairing) -> str:
    """The reason for a group: how often its gangs have played together."""
    if len(group.gangs) == 1:
        return _("plays alone")
    if group.met_last:
        return _("some played together on the last night")
    if not group.met:
        return _("have never played together")
    words = ngettext(
        "two of them have played together %(count)s time",
        "two of them have played together, %(count)s times in all",
        group.met,
    )
    return words % {"count": group.met}


def why(pair: Pairing, *, has_rating: bool) -> str:
    """The reasons for a pair: the ratings, and how often the gangs have met."""
    parts = []
    if has_rating:
        ratings = get_text_list([number_format(value) for value in pair.ratings], _("and"))
        if pair.apart:
            values = {"ratings": ratings, "apart": number_format(pair.apart)}
            parts.append(_("ratings %(ratings)s, %(apart)s apart") % values)
        else:
            parts.append(
                _("equal ratings of %(rating)s") % {"rating": number_format(pair.ratings[0])}
            )
    if pair.is_due:
        parts.append(_("they have a fixture to play"))
    if pair.met_last:
        parts.append(_("met on the last night"))
    elif pair.met:
        met = ngettext("met %(count)s time before", "met %(count)s times before", pair.met)
        parts.append(met % {"count": pair.met})
    else:
        parts.append(_("never met before"))
    return " · ".join(parts)


def why_rests(resting: Candidate, *, alone: bool) -> str:
    """The reason why this gang rests."""
    if alone:
        return _("nobody else is free")
    if resting.rested is not None:
        day = date_format(resting.rested, "j N Y")
        return _("it has gone longest without a break, since %(day)s") % {"day": day}
    if not resting.played:
        return _("no other gang has gone longer without a break or played more")
    words = ngettext(
        "it has not had a break yet, with %(count)s game so far",
        "it has not had a break yet, with %(count)s games so far",
        resting.played,
    )
    return words % {"count": resting.played}
