"""The page on which an organiser enters the results of a round or of a night: all of them in one
press, after a preview, with one undo."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.http import Request
from campaigns.club.nights import schedule
from campaigns.club.nights.views import night_or_404
from campaigns.forms import DayField, TokenField
from campaigns.league.entering import writing
from campaigns.league.entering.lines import Line, LineForm, lines_of_night, lines_of_round
from campaigns.league.entering.writing import BadLines, Written
from campaigns.league.loading import load_stage
from campaigns.league.pages import name_round
from campaigns.league.views import stage_or_404
from campaigns.models import Campaign, Round
from campaigns.refusals import refusal_sentence
from common.errors import Refusal
from common.forms import helper, require_safe_or_post

# The results that the reader entered last, by the address of the page, until they take them back.
KEPT = "entered-results"
# The most pages of which a session keeps results.
MOST_KEPT = 5


@dataclass(frozen=True)
class Place:
    """The round or night of the results. ``title``: of the page; ``back``: its page, with a name;
    ``day``: of games that nobody has planned."""

    campaign: Campaign
    title: str
    back: str
    back_name: str
    day: date


@dataclass(frozen=True)
class Shown:
    """A line on the page. ``form``: None if its result cannot be entered here; ``seen``: the
    version of its game on the page; ``written``: its result in the preview."""

    line: Line
    form: LineForm | None
    seen: int | None
    written: Written | None = None


class SheetForm(forms.Form):
    """The fields beside the lines."""

    day = DayField(label=gettext_lazy("Day of the games that are not planned"))
    token = TokenField()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.helper = helper()


@require_safe_or_post
def night_entering(request: Request, night_id: uuid.UUID) -> HttpResponse:
    """Enter the results of a night."""
    night = night_or_404(request, night_id, organised=True)
    back = night.get_absolute_url()
    day = writing.usual_day(schedule.day_of(night))
    title = _("Results of the night")
    name = _("The night")
    place = Place(night.campaign, title, back, name, day)
    return _page(request, place, lines_of_night(night))


@require_safe_or_post
def round_entering(request: Request, stage_id: uuid.UUID, round_number: int) -> HttpResponse:
    """Enter the results of a round."""
    stage = stage_or_404(request, stage_id, organised=True)
    one = get_object_or_404(Round.objects.filter(stage=stage), number=round_number)
    one.stage = stage
    title = _("Results: %(round)s") % {"round": name_round(load_stage(stage), one.number)}
    day = writing.usual_day(one.due)
    place = Place(stage.campaign, title, stage.get_absolute_url(), stage.name, day)
    return _page(request, place, lines_of_round(one))


def _page(request: Request, place: Place, lines: Sequence[Line]) -> HttpResponse:
    posted = request.POST if request.method == "POST" else None
    if posted is not None and "undo" in posted:
        return _undo(request, place)
    line_forms = {
        line.key: LineForm(line, place.campaign, posted) for line in lines if line.is_open
    }
    sheet = SheetForm(posted, initial={"day": place.day})
    is_refused = False
    written: list[Written] = []
    filled: list[LineForm] = []
    error, status = "", 200
    if posted is not None:
        status = 422
        valid = [form for form in line_forms.values() if form.is_valid()]
        filled = [form for form in valid if form.is_filled]
        if len(valid) == len(line_forms) and sheet.is_valid():
            if filled:
                try:
                    written = _write(request, place, filled, sheet, dry="enter" not in posted)
                    status = 200
                except BadLines as bad:
                    is_refused = True
                    for key, words in bad.errors.items():
                        line_forms[key].add_error("result", words)
                except Refusal as refusal:
                    error = refusal_sentence(refusal)
            else:
                error = _("Enter at least one result.")
    if written and "enter" in request.POST:
        kept = dict(request.session.get(KEPT, {}))
        kept.pop(request.path, None)
        newest = [*kept.items(), (request.path, writing.as_kept(written))][-MOST_KEPT:]
        request.session[KEPT] = dict(newest)
        count = len(written)
        words = ngettext("%(count)s result entered.", "%(count)s results entered.", count)
        messages.success(request, words % {"count": count})
        return redirect(request.path)
    of_lines = dict(zip((form.line.key for form in filled), written, strict=False))
    context = {
        "place": place,
        "campaign": place.campaign,
        "sheet": sheet,
        "shown": [
            Shown(line, line_forms.get(line.key), _version(line), of_lines.get(line.key))
            for line in lines
        ],
        "asks_day": any(line.is_open and line.game is None for line in lines),
        "results": written,
        "entered": len(request.session.get(KEPT, {}).get(request.path, [])),
        "has_open": bool(line_forms),
        "is_refused": is_refused,
        "error": error,
    }
    return render(request, "campaigns/league/entering/page.html", context, status=status)


def _version(line: Line) -> int | None:
    """The version of a line's game. A page that comes back with an error shows the newest."""
    return line.game.version if line.game is not None else None


def _write(
    request: Request, place: Place, filled: list[LineForm], sheet: SheetForm, *, dry: bool
) -> list[Written]:
    token, day = sheet.cleaned_data["token"], sheet.cleaned_data["day"]
    return writing.write(place.campaign, filled, day, actor=request.user, token=token, dry=dry)


def _undo(request: Request, place: Place) -> HttpResponse:
    """Take back the results that the reader has entered here last."""
    kept = dict(request.session.get(KEPT, {}))
    rows = kept.pop(request.path, [])
    try:
        stay = writing.take_back(place.campaign, rows, actor=request.user)
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
        return redirect(request.path)
    request.session[KEPT] = kept
    count = len(rows) - len(stay)
    if count:
        words = ngettext("%(count)s result undone.", "%(count)s results undone.", count)
        messages.success(request, words % {"count": count})
    if stay:
        words = _("Not undone, since something has followed: %(games)s. Correct them one by one.")
        messages.warning(request, words % {"games": ", ".join(stay)})
    return redirect(request.path)
