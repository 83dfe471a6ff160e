"""Hands a visitor's gangs over to their account when they sign up or in."""

from __future__ import annotations

from typing import Any

from allauth.account.utils import get_next_redirect_url
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import ngettext

from accounts.adapter import AccountAdapter
from accounts.models import User
from gangs.access import INVITATION, adopt_guest_gangs
from gangs.models import Gang


class AdoptingAdapter(AccountAdapter):
    """Hands the guest's gangs over at every sign-in, and leads the user back to them."""

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        """Hand the gangs over after a sign-in, with which a sign-up ends, too."""
        # The gang that the visitor came from is first.
        came_from = get_next_redirect_url(request) or ""
        adopted = sorted(
            adopt_guest_gangs(request), key=lambda gang: gang.get_absolute_url() != came_from
        )
        if adopted:
            sentence = ngettext(
                "%(gang)s is saved to your account. Carry on where you were.",
                "Your %(count)s gangs are saved to your account. Carry on with %(gang)s.",
                len(adopted),
            ) % {"gang": adopted[0].name, "count": len(adopted)}
            messages.success(request, sentence)
            # For ``get_login_redirect_url``, which gets nothing but the request.
            request.adopted_gang = adopted[0]  # type: ignore[attr-defined]
        response: HttpResponse = super().post_login(request, user, **kwargs)
        return response

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Lead a user back to their invitation, or else to the gang that they were building."""
        if invitation := INVITATION.read(request):
            return invitation
        adopted: Gang | None = getattr(request, "adopted_gang", None)
        if adopted is not None:
            return adopted.get_absolute_url()
        return str(super().get_login_redirect_url(request))

    def get_signup_redirect_url(self, request: HttpRequest) -> str:
        """As after a sign-in."""
        return self.get_login_redirect_url(request)
