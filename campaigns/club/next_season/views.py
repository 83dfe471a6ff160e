"""The page to start the next season."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import quotas
from accounts.http import Request
from accounts.models import User
from accounts.quotas import QuotaFull
from campaigns.access import organised_or_404, readable
from campaigns.club.next_season import storage
from campaigns.club.next_season.forms import NextSeasonForm, propose_name
from campaigns.club.nights import repeating
from campaigns.club.nights.forms import NightForm
from campaigns.club.people.ending import open_games
from campaigns.models import Campaign
from campaigns.refusals import refusal_sentence
from campaigns.text import game_lines, gang_names
from common.errors import Refusal, Stale
from common.forms import CONFLICT, INVALID, OK, posted_version, require_safe_or_post


@require_safe_or_post
def start(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Start the season after a campaign."""
    campaign = organised_or_404(request, campaign_id)
    data = request.POST if request.method == "POST" else None
    ready, staying = storage.sort_gangs(campaign)
    names = gang_names(ready)
    all_names = gang_names([*ready, *(gang for gang, _refusal in staying)])
    initial = {
        "name": propose_name(campaign.name),
        "notes": campaign.notes,
        "no_odds": not campaign.odds_at_table,
        "dice_stand": campaign.dice_stand,
        "joining": campaign.joining,
        "legal_only": campaign.legal_only,
        "least_members": campaign.least_members or None,
    }
    form = NextSeasonForm(campaign, {gang: names[gang.pk] for gang in ready}, data, initial=initial)
    nights = _night_form(campaign, data)
    error, status = "", 422 if form.is_bound else 200
    if form.is_valid() and (not form.cleaned_data["plan_nights"] or nights.is_valid()):
        chosen = storage.NextSeason(
            details={
                "name": form.cleaned_data["name"],
                "notes": form.cleaned_data["notes"],
                "settings": form.chosen_settings(),
                "odds_at_table": not form.cleaned_data["no_odds"],
                "dice_stand": form.cleaned_data["dice_stand"],
                "joining": form.cleaned_data["joining"] or campaign.joining,
                "legal_only": form.cleaned_data["legal_only"],
                "least_members": form.cleaned_data["least_members"] or 0,
            },
            seats=form.cleaned_data["seats"],
            carried={
                gang.pk: posted_version(request.POST, f"seen-{gang.pk}")
                for gang in form.cleaned_data["carried"]
            },
            nights=nights.nights if form.cleaned_data["plan_nights"] else (),
        )
        error, status, new = _start(campaign, chosen, form.cleaned_data["token"], request.user)
        if new is not None:
            carried = len(chosen.carried)
            words = ngettext(
                "The season has started. %(count)s gang plays on; the other players choose theirs.",
                "The season has started. %(count)s gangs play on; the other players choose theirs.",
                carried,
            )
            messages.success(request, words % {"count": carried})
            return redirect(new)
    context = {
        "campaign": campaign,
        "form": form,
        "nights": nights,
        "error": error,
        "versions": [(gang.pk, gang.version) for gang in ready],
        "staying": [
            (gang, all_names[gang.pk], refusal_sentence(refusal)) for gang, refusal in staying
        ],
        "games": game_lines(open_games(campaign), request.user, campaign),
        "started": campaign.next_seasons.filter(pk__in=readable(request)).first(),
    }
    return render(request, "campaigns/club/next_season/start.html", context, status=status)


def _start(
    campaign: Campaign, chosen: storage.NextSeason, token: uuid.UUID, actor: User
) -> tuple[str, int, Campaign | None]:
    """The reason why the season cannot start, its status, and the new season if it has started."""
    try:
        return "", OK, storage.start_next(campaign, chosen, token=token, actor=actor)
    except QuotaFull as full:
        return quotas.describe(full), INVALID, None
    except Refusal as refusal:
        return refusal_sentence(refusal), INVALID, None
    except Stale:
        return _("A gang has just changed elsewhere. Check and try again."), CONFLICT, None


def _night_form(campaign: Campaign, data: QueryDict | None) -> NightForm:
    """The form for the new season's nights, which begins with the rhythm of the last one's."""
    held = list(campaign.nights.filter(cancelled_at=None).order_by("starts_at"))
    wanted = data is not None and "plan_nights" in data
    form = NightForm(
        None, data if wanted else None, last=held[-1] if held else None, prefix="night"
    )
    form.use_required_attribute = False
    days = [timezone.localtime(night.starts_at).date() for night in held]
    form.fields["every"].initial = repeating.find_rhythm(days) or ""
    form.fields["times"].initial = max(2, min(len(held), repeating.MOST))
    return form
