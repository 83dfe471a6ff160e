"""My campaigns, and starting another."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import Request
from campaigns.forms import CampaignForm
from campaigns.models import Campaign
from campaigns.people import joining
from rules.library import newest_books
from rules.variants.store import offered_to


@require_safe
def campaigns(request: Request) -> HttpResponse:
    """My campaigns: those I run, those my gangs play in and those I follow."""
    visible = Campaign.objects.visible_to(request.user).with_seats()
    rows = [
        {
            "campaign": campaign,
            "book": campaign.book,
            "roles": [seat.role for seat in campaign.seats if seat.user_id == request.user.pk],
        }
        for campaign in visible.order_by("archived_at", "-created_at")[:200]
    ]
    return render(request, "campaigns/people/campaigns.html", {"rows": rows})


@require_safe
def choose_book(request: Request) -> HttpResponse:
    """Which game is the campaign for?"""
    context = {"books": newest_books(), "own": offered_to(request.user)}
    return render(request, "campaigns/people/choose_book.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: Request, slug: str) -> HttpResponse:
    """Start a campaign: with the newest version of a game, or with a variant of one's own."""
    digest = request.GET.get("version", "")
    books = offered_to(request.user) if digest else newest_books()
    books = [pair for pair in books if pair[0].slug == slug]
    found = next((pair for pair in books if digest in ("", pair[0].pk)), None)
    if found is None:
        raise Http404
    version, book = found
    form = CampaignForm(book, {}, request.POST if request.method == "POST" else None)
    if form.is_valid():
        campaign = joining.start(
            name=form.cleaned_data["name"],
            version=version,
            settings=form.chosen_settings(),
            notes=form.cleaned_data["notes"],
            organiser=request.user,
            token=form.cleaned_data["token"],
        )
        return redirect(campaign)
    context = {"book": book, "form": form}
    return render(
        request, "campaigns/people/new.html", context, status=422 if form.is_bound else 200
    )
