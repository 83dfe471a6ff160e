"""What a visitor built becomes theirs when they sign up or in."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import ngettext

from accounts.adapter import AccountAdapter
from accounts.models import User
from gangs.access import INVITATION, claim_guest_gangs


class ClaimingAdapter(AccountAdapter):
    """Hands the gangs of the session to the user at every sign-in, and leads them on."""

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        """After a sign-in (a sign-up ends with one)."""
        response: HttpResponse = super().post_login(request, user, **kwargs)
        claimed = claim_guest_gangs(request)
        if claimed:
            sentence = ngettext(
                "Your gang is safe: it is yours now.", "Your gangs are safe.", claimed
            )
            messages.success(request, sentence)
        return response

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Whoever came by an invitation goes back to it."""
        return request.session.get(INVITATION) or str(super().get_login_redirect_url(request))

    def get_signup_redirect_url(self, request: HttpRequest) -> str:
        """As after a sign-in."""
        return self.get_login_redirect_url(request)
