"""The time machine: a gang's sheet as of any game or day, and changes between two moments."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.language import rules_language
from common.forms import INVALID, OK, number
from gangs.access import own_gang, readable_gang
from gangs.cards import sheet as cards_sheet
from gangs.cards.cache import computed_gang
from gangs.engine.differences import between as changes_between
from gangs.models import Gang
from gangs.snapshots.career import Career
from gangs.snapshots.career import career as career_of
from gangs.snapshots.forms import BetweenForm, DayForm
from gangs.snapshots.moments import Gap, Stop, gap, place_on, stops, view_at
from gangs.snapshots.text import describe
from gangs.text.formats import money_unit


@readable_gang(require_safe)
def then(request: HttpRequest, gang: Gang, mine: bool) -> HttpResponse:
    """Choose a game, type a day, or compare two moments."""
    form = DayForm(request.GET) if "on" in request.GET else DayForm()
    if form.is_bound and form.is_valid():
        place = place_on(gang, form.cleaned_data["on"])
        if place is not None:
            return redirect("gangs:then-sheet", gang.pk, place)
        form.add_error("on", _("The gang did not exist yet."))
    named = stops(gang)
    context = {
        "gang": gang,
        "mine": mine,
        "form": form,
        "stops": list(reversed(named)),
        "compare": BetweenForm(named, _usual(named), others=[]),
    }
    status = INVALID if form.is_bound else OK
    return render(request, "gangs/snapshots/moments.html", context, status=status)


def _usual(named: list[Stop]) -> dict[str, str]:
    """The moments to compare by default: before the last game, and now."""
    after = [place for place, stop in enumerate(named) if stop.kind == "after" and place]
    before = named[after[-1] - 1] if after else named[0]
    return {"from": str(before.place), "to": str(named[-1].place)}


@readable_gang(require_safe)
def then_sheet(request: HttpRequest, gang: Gang, mine: bool, place: int) -> HttpResponse:
    """Show the sheet as of a moment."""
    here = gap_or_404(gang, place)
    at_the_time = view_at(gang, place)
    context = {
        "subject": gang,
        "gang": at_the_time,
        "parts": cards_sheet.sheet_parts(at_the_time, rules_language()),
        "mine": False,
        "owned": mine,
        "gap": here,
        "last": gang.last_seq,
        "pdf": reverse("gangs:then-pdf", args=[gang.pk, place]),
    }
    return render(request, "gangs/snapshots/moment.html", context)


def gap_or_404(gang: Gang, place: int) -> Gap:
    """Return the moment at this place of a gang's history. Raises Http404."""
    here = gap(gang, place, stops(gang))
    if here is None:
        raise Http404
    return here


@readable_gang(require_safe)
def between(request: HttpRequest, gang: Gang, mine: bool) -> HttpResponse:
    """Compare two moments, member by member."""
    named = stops(gang)
    asked = {number(request.GET.get(name)) for name in ("from", "to")}
    unnamed = asked - {None} - {stop.place for stop in named}
    others = [here for place in unnamed if place and (here := gap(gang, place, named))]
    data = request.GET if {"from", "to"} & set(request.GET) else _usual(named)
    form = BetweenForm(named, data, others=others)
    context = {"gang": gang, "mine": mine, "form": form}
    if not form.is_valid():
        return render(request, "gangs/snapshots/between.html", context, status=INVALID)
    then_, now = (view_at(gang, place) for place in form.places)
    changes = changes_between(computed_gang(then_), computed_gang(now))
    context |= {
        "changes": describe(changes, now.book),
        "from": form.places[0],
        "to": form.places[1],
    }
    return render(request, "gangs/snapshots/between.html", context)


@own_gang(require_safe)
def career(request: HttpRequest, gang: Gang, member: int) -> HttpResponse:
    """Show the career of a member."""
    found = career_or_404(gang, member)
    context = career_context(gang, found)
    context["lines"] = [(chapter, "", ()) for chapter in found.chapters]
    return render(request, "gangs/snapshots/career.html", context)


def career_or_404(gang: Gang, member: int) -> Career:
    """The career of a member, past or present; 404 if there never was one."""
    found = career_of(gang, member)
    if found is None:
        raise Http404
    return found


def career_context(gang: Gang, career: Career) -> dict[str, Any]:
    """The context of every page of a career, except ``lines``: chapters with the address of their
    game and more about it."""
    card, (name, unit) = career.card, career.worth
    return {
        "gang": gang,
        "career": career,
        "card": card,
        "page": {
            "rating_name": name,
            "rating_unit": unit,
            "money_unit": money_unit(gang.book),
            "playing": True,
        },
        "items": cards_sheet.item_rows(card.usable),
        "amounts": cards_sheet.sum_up(card.receipt, card.rating, unit),
    }
