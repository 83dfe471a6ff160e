"""Invitations: where they lead, joining with a gang, and leaving again."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.http import Request
from campaigns import joining
from campaigns.access import campaign_or_404, organised_or_404
from campaigns.forms import JoinForm
from campaigns.models import Campaign, Membership
from campaigns.wording import refusal_sentence
from gangs.access import INVITATION
from gangs.forms import seen
from gangs.ledger import Stale
from gangs.models import Gang
from gangs.refusal import Refusal


@require_POST
def renew_invitation(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """Make another link; the old one stops working."""
    shown = organised_or_404(request, campaign)
    joining.renew_invitation(shown)
    messages.success(request, _("Here is a new link. The old one leads nowhere now."))
    return redirect(shown)


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: Request, key: str) -> HttpResponse:
    """What an invitation leads to: choose the gang that joins. A visitor is told what it is."""
    shown = get_object_or_404(Campaign, invite_key=key)
    request.session[INVITATION] = request.path
    if not request.user.is_authenticated:
        if request.method == "POST":
            return redirect_to_login(request.path)
        return render(request, "campaigns/invited.html", {"campaign": shown, "book": shown.book})
    fit, unfit = candidates(request, shown)
    form = JoinForm(fit, request.POST if request.method == "POST" else None)
    status = 422 if form.is_bound else 200
    if form.is_valid():
        gang = form.cleaned_data["gang"]
        try:
            seen_gang = seen(request.POST, f"seen-{gang.pk}")
            joining.join(shown, gang, actor=request.user, seen=seen_gang)
        except Refusal as refusal:
            form.add_error("gang", refusal_sentence(refusal))
        except Stale:
            fit, unfit = candidates(request, shown)
            form.add_error("gang", _("This gang has just changed elsewhere. Try again."))
            status = 409
        else:
            request.session.pop(INVITATION, None)
            messages.success(request, _("%(gang)s is in. Good luck!") % {"gang": gang.name})
            return redirect(shown)
    context = {"campaign": shown, "book": shown.book, "form": form, "fit": fit, "unfit": unfit}
    return render(request, "campaigns/join.html", context, status=status)


def candidates(
    request: Request, campaign: Campaign
) -> tuple[list[Gang], Sequence[tuple[Gang, str]]]:
    """The user's gangs of this game: those that can join, and the others, each with the reason."""
    same_game = Gang.objects.owned_by(request.user).active()
    same_game = same_game.filter(book_version__slug=campaign.book_version.slug)
    fit, unfit = [], []
    gangs = same_game.select_related("book_version").prefetch_related("memberships__campaign")
    for gang in gangs.defer("book_version__canonical").order_by("-changed_at")[:100]:
        refusal = joining.why_not(campaign, gang)
        if refusal is None:
            fit.append(gang)
        else:
            unfit.append((gang, refusal_sentence(refusal)))
    return fit, unfit


@require_POST
def leave(request: Request, campaign: uuid.UUID, gang: uuid.UUID) -> HttpResponse:
    """Take a gang that has not played out of the campaign: its owner's or the organiser's act."""
    shown = campaign_or_404(request, campaign)
    membership = get_object_or_404(
        Membership.objects.select_related("gang"), campaign=shown, gang=gang
    )
    if not shown.is_run_by(request.user) and membership.gang.owner_id != request.user.pk:
        raise Http404
    values: dict[str, Any] = {"gang": membership.gang.name}
    try:
        joining.leave(shown, membership.gang, actor=request.user)
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
    except Stale:
        messages.error(request, _("%(gang)s has just changed elsewhere. Try again.") % values)
    else:
        messages.success(request, _("%(gang)s has left the campaign.") % values)
    still = Campaign.objects.visible_to(request.user).filter(pk=shown.pk).exists()
    return redirect(shown) if still else redirect("campaigns:list")
