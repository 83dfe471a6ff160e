"""Invitations to sign up: made, handed over and withdrawn by whoever runs the site."""

from __future__ import annotations

import uuid

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from accounts.authentication import invitations
from accounts.http import Request
from accounts.models import SiteInvitation
from common.forms import INVALID, OK, CrispyForm, NameField, require_safe_or_post

MOST_PLACES = 500
LONGEST_DAYS = 365
# Of those that let nobody in any more, only the latest are shown.
MOST_SHOWN = 100


class InvitationForm(CrispyForm):
    """For how many people an invitation is, and for how long."""

    note = NameField(
        label=gettext_lazy("For whom?"),
        required=False,
        help_text=gettext_lazy("Only administrators of this site read it."),
    )
    places = forms.IntegerField(
        label=gettext_lazy("How many people may sign up with it?"),
        initial=1,
        min_value=1,
        max_value=MOST_PLACES,
    )
    days = forms.IntegerField(
        label=gettext_lazy("For how many days?"),
        initial=14,
        min_value=1,
        max_value=LONGEST_DAYS,
    )
    token = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)


@require_safe_or_post
def site_invitations(request: Request) -> HttpResponse:
    """The invitations there are, and a form for another. Others learn of no such page."""
    _check_staff(request)
    form = InvitationForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        invitations.invite(**form.cleaned_data, actor=request.user)
        messages.success(request, _("Here is the link. Anyone who has it can sign up."))
        return redirect("site-invitations")
    context = {
        "form": form,
        "mode": settings.SIGNUP,
        "invitations": SiteInvitation.objects.select_related("made_by")[:MOST_SHOWN],
    }
    status = INVALID if form.is_bound else OK
    return render(request, "accounts/site_invitations.html", context, status=status)


@require_POST
def withdraw(request: Request, invitation: int) -> HttpResponse:
    """A link leads nowhere from now on."""
    _check_staff(request)
    get_object_or_404(SiteInvitation, pk=invitation).delete()
    messages.success(request, _("The link no longer works."))
    return redirect("site-invitations")


def _check_staff(request: Request) -> None:
    if not request.user.is_staff:
        raise Http404
