"""Pages to start a campaign, change its settings, archive it, reopen it and delete it."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts import quotas
from accounts.http import Request
from accounts.quotas import QuotaFull
from campaigns.access import organised_or_404
from campaigns.club.people import ending, joining
from campaigns.club.people.forms import CampaignSettingsForm, DeleteForm
from campaigns.models import Campaign
from campaigns.refusals import attempt, refusal_sentence
from campaigns.text import game_lines
from common.errors import Refusal, Stale
from common.forms import number, posted_version, require_safe_or_post
from gangs.access import own_gang_or_404
from rules.editor.store import find_offered
from rules.library import newest_books, offered_books


@require_safe
def choose_book(request: Request) -> HttpResponse:
    """Choose the campaign's game."""
    context = {"books": offered_books(), "own": find_offered(request.user)}
    return render(request, "campaigns/club/people/choose_book.html", context)


@require_safe_or_post
def new(request: Request, slug: str) -> HttpResponse:
    """Start a campaign with the newest version of a game, or with one of the user's variants."""
    digest = request.GET.get("version", "")
    books = find_offered(request.user) if digest else newest_books()
    books = [pair for pair in books if pair[0].slug == slug]
    found = next((pair for pair in books if digest in ("", pair[0].pk)), None)
    if found is None:
        raise Http404
    version, book = found
    form = CampaignSettingsForm(book, {}, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            token = form.cleaned_data["token"]
            campaign = joining.start(
                version=version, organiser=request.user, token=token, **_details(form)
            )
        except QuotaFull as full:
            form.add_error("name", quotas.describe(full))
        else:
            return redirect(campaign)
    context, status = {"book": book, "form": form}, 422 if form.is_bound else 200
    return render(request, "campaigns/club/people/new.html", context, status=status)


@require_POST
def play_alone(request: Request, gang: uuid.UUID) -> HttpResponse:
    """Start a campaign for one of the user's gangs alone, with one press. A second press leads to
    the campaign that the first one started."""
    own = own_gang_or_404(request, gang)
    if own.book.who_plays.fewest > 1:
        raise Http404
    try:
        return redirect(joining.play_alone(own, actor=request.user))
    except QuotaFull as full:
        messages.error(request, quotas.describe(full))
    except (Refusal, Stale) as refusal:
        playing = Campaign.objects.open().filter(
            memberships__gang=own, memberships__left_at=None, memberships__retired_at=None
        )
        if (known := playing.first()) is not None:
            return redirect(known)
        if isinstance(refusal, Refusal):
            messages.error(request, refusal_sentence(refusal))
    return redirect(own)


def _details(form: CampaignSettingsForm) -> joining.Details:
    data = form.cleaned_data
    return {
        "name": data["name"],
        "notes": data["notes"],
        "settings": form.chosen_settings(),
        "odds_at_table": not data["no_odds"],
        "dice_stand": data["dice_stand"],
        # A page of an earlier release has no such field.
        "joining": data["joining"] or form.initial.get("joining", Campaign.Joining.OPEN),
        "legal_only": data["legal_only"],
        "least_members": data["least_members"] or 0,
    }


@require_safe_or_post
def settings(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Change the campaign's name, notes and conditions for joining, and its options until a gang
    joins."""
    campaign = organised_or_404(request, campaign_id)
    form, fixed = _settings_form(request, campaign)
    error, status = "", 422 if form.is_bound else 200
    if form.is_valid():
        stale = _(
            "These settings were changed, or a gang joined, in the meantime. What you typed is"
            " not saved yet: compare it with the campaign’s page, then save again."
        )
        version, details = posted_version(request.POST, "seen"), _details(form)
        error, status = attempt(
            stale, joining.change, campaign, expected_version=version, **details
        )
        if not error:
            return redirect(campaign)
        campaign.refresh_from_db()
        form, fixed = _settings_form(request, campaign)
    context = {"campaign": campaign, "book": campaign.book, "form": form}
    context |= {"fixed": fixed, "error": error}
    context["has_results"] = ending.why_not_deleted(campaign) is not None
    return render(request, "campaigns/club/people/settings.html", context, status=status)


def _settings_form(request: Request, campaign: Campaign) -> tuple[CampaignSettingsForm, bool]:
    """The form, and whether the campaign's options are fixed."""
    fixed = campaign.memberships.exists()
    initial = {
        "name": campaign.name,
        "notes": campaign.notes,
        "no_odds": not campaign.odds_at_table,
        "dice_stand": campaign.dice_stand,
        "joining": campaign.joining,
        "legal_only": campaign.legal_only,
        "least_members": campaign.least_members or None,
    }
    data = request.POST if request.method == "POST" else None
    form = CampaignSettingsForm(
        campaign.book, campaign.settings, data, initial=initial, fixed=fixed
    )
    return form, fixed


@require_safe_or_post
def archive(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Archive the campaign, after a look at its open games and coming nights; or reopen it, if the
    button says so."""
    campaign = organised_or_404(request, campaign_id)
    if "back" in request.POST:
        return _reopen(request, campaign)
    if campaign.archived_at is not None:
        return redirect(campaign)
    error, status = "", 200
    if request.method == "POST":
        stale = _("Games have come or gone in the meantime. These are open now.")
        told = number(request.POST.get("told")) or 0
        error, status = attempt(stale, ending.archive, campaign, expected_open=told)
        if not error:
            messages.success(
                request, _("The campaign %(name)s is archived.") % {"name": campaign.name}
            )
            return redirect(campaign)
    context = {
        "campaign": campaign,
        "games": game_lines(ending.open_games(campaign), request.user, campaign),
        "nights": ending.coming_nights(campaign),
        "error": error,
    }
    return render(request, "campaigns/club/people/archive.html", context, status=status)


def _reopen(request: Request, campaign: Campaign) -> HttpResponse:
    try:
        joining.reopen(campaign)
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
        return redirect("campaigns:settings", campaign.pk)
    return redirect(campaign)


# The key in the session under which the campaigns are listed that the user has just deleted.
DELETED = "deleted_campaigns"


@require_safe_or_post
def delete(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Delete a campaign without results, once its name is typed. A form that arrives twice leads to
    the same page."""
    deleted = request.session.get(DELETED, [])
    if request.method == "POST" and str(campaign_id) in deleted:
        return redirect("campaigns:list")
    campaign = organised_or_404(request, campaign_id)
    refusal = ending.why_not_deleted(campaign)
    form = DeleteForm(campaign.name, request.POST if request.method == "POST" else None)
    status = 422 if form.is_bound else 200
    if form.is_valid() and refusal is None:
        error, status = attempt("", ending.delete, campaign, actor=request.user)
        if not error:
            request.session[DELETED] = [*deleted, str(campaign_id)][-10:]
            messages.success(
                request, _("The campaign %(name)s is deleted.") % {"name": campaign.name}
            )
            return redirect("campaigns:list")
        refusal = ending.why_not_deleted(campaign)
    context = {
        "campaign": campaign,
        "form": form,
        "refused": refusal_sentence(refusal) if refusal is not None else "",
        "gangs": campaign.memberships.count(),
        "games": campaign.games.count(),
    }
    return render(request, "campaigns/club/people/delete.html", context, status=status)
