"""What a visitor built becomes theirs when they sign up or in."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import ngettext

from accounts.adapter import AccountAdapter
from accounts.models import User
from gangs.access import INVITATION, claim_guest_gangs
from gangs.models import Gang


class ClaimingAdapter(AccountAdapter):
    """Hands the gangs of the guest to the user at every sign-in, and leads them on."""

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        """After a sign-in (a sign-up ends with one)."""
        claimed = claim_guest_gangs(request)
        if claimed:
            sentence = ngettext(
                "%(gang)s is saved to your account. Carry on where you were.",
                "Your %(count)s gangs are saved to your account. Carry on with %(gang)s.",
                len(claimed),
            ) % {"gang": claimed[0].name, "count": len(claimed)}
            messages.success(request, sentence)
            # Asked for where to lead them by allauth, which hands on no more than the request.
            request.claimed_gang = claimed[0]  # type: ignore[attr-defined]
        response: HttpResponse = super().post_login(request, user, **kwargs)
        return response

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Whoever came by an invitation goes back to it; whoever was building a gang, to that."""
        if invitation := INVITATION.read(request):
            return invitation
        claimed: Gang | None = getattr(request, "claimed_gang", None)
        if claimed is not None:
            return claimed.get_absolute_url()
        return str(super().get_login_redirect_url(request))

    def get_signup_redirect_url(self, request: HttpRequest) -> str:
        """As after a sign-in."""
        return self.get_login_redirect_url(request)
