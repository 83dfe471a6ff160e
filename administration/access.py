"""Access to the administrators' pages: accounts with ``is_staff``. For others they do not exist."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate

from django.http import Http404, HttpResponseBase

from accounts.http import Request
from accounts.models import User


def administrators_only[**P](
    view: Callable[Concatenate[Request, P], HttpResponseBase],
) -> Callable[Concatenate[Request, P], HttpResponseBase]:
    """Decorate every view of this app: users who are not administrators get 404.

    Visitors are sent to the sign-in page, as everywhere.
    """

    @wraps(view)
    def administrators_view(
        request: Request, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponseBase:
        if not request.user.is_staff:
            raise Http404
        return view(request, *args, **kwargs)

    return administrators_view


def may_act_on(administrator: User, account: User) -> bool:
    """Whether an administrator may block, delete or open an account.

    Nobody may act on themselves. Only superusers may act on administrators; otherwise any
    administrator could take over the rights of another.
    """
    if administrator == account or account.stands_for:
        return False
    return administrator.is_superuser or not (account.is_staff or account.is_superuser)
