"""Permission to sign up: for everybody, for people with an invitation, or for nobody (``SIGNUP``).

Administrators make invitations, which are links, on a page and hand them over. Other apps may
register further links that invite (``register``), such as those into campaigns.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta

from django import forms
from django.conf import settings
from django.contrib import messages
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from accounts.http import Request
from accounts.models import SiteInvitation, User
from common.forms import INVALID, OK, CrispyForm, NameField, require_safe_or_post

OPEN, INVITED, CLOSED = settings.SIGNUP_MODES
# The name of the field and parameter with an invitation's key on the sign-up page.
FIELD = "invitation"
MOST_PLACES = 500
LONGEST_DAYS = 365
# The page shows only this many of the latest invitations.
MOST_SHOWN = 100

Admits = Callable[[HttpRequest], bool]
LetsIn = Callable[[HttpRequest, User], bool]
_doors: list[tuple[Admits, LetsIn]] = []


class UsedUp(Exception):
    """Raised when an invitation has no place left."""


def register(admits: Admits, lets_in: LetsIn) -> None:
    """Let people sign up by another link. ``admits``: whether it admits a visitor; ``lets_in``: the
    same for the account that they make, in its transaction, which uses a link up that admits only
    one."""
    if (admits, lets_in) not in _doors:
        _doors.append((admits, lets_in))


def key_of(request: HttpRequest) -> str:
    """The key of the invitation with which a sign-up page was opened; "" without one."""
    key = request.POST.get(FIELD) or request.GET.get(FIELD) or ""
    # PostgreSQL rejects some characters that an address can contain.
    return key if key.isprintable() else ""


def may_sign_up(request: HttpRequest) -> bool:
    """Whether this visitor may sign up."""
    if settings.SIGNUP != INVITED:
        return bool(settings.SIGNUP == OPEN)
    if any(admits(request) for admits, _lets_in in _doors):
        return True
    return SiteInvitation.objects.usable().filter(key=key_of(request)).exists()


def take_place(request: HttpRequest, user: User) -> None:
    """Use up one place of the visitor's invitation, in the transaction that has just created their
    account.

    Raises UsedUp if it has no place left.
    """
    if settings.SIGNUP != INVITED or any(lets_in(request, user) for _admits, lets_in in _doors):
        return
    mine = SiteInvitation.objects.usable().filter(key=key_of(request))
    if not mine.update(used=F("used") + 1):
        raise UsedUp


def invite(*, note: str, places: int, days: int, token: str, actor: User) -> SiteInvitation:
    """Make an invitation for ``places`` people, valid for ``days``. ``token``: of the form, so that
    submitting it twice makes one invitation."""
    values = {"note": note, "places": places, "made_by": actor}
    values["ends_at"] = timezone.now() + timedelta(days=days)
    return SiteInvitation.objects.get_or_create(token=token, defaults=values)[0]


class InvitationForm(CrispyForm):
    """A new invitation: the number of people, and the number of days."""

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
    """List the invitations, with a form for a new one. 404 for users who are not staff."""
    _check_staff(request)
    form = InvitationForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        invite(**form.cleaned_data, actor=request.user)
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
    """Delete an invitation, so that its link stops working."""
    _check_staff(request)
    get_object_or_404(SiteInvitation, pk=invitation).delete()
    messages.success(request, _("The link no longer works."))
    return redirect("site-invitations")


def _check_staff(request: Request) -> None:
    if not request.user.is_staff:
        raise Http404
