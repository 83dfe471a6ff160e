"""Who may run the site: accounts whose ``is_staff`` is set. For others there are no such pages."""

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
    """For every view of this app: whoever is signed in and is no administrator gets 404; visitors
    are asked to sign in, as anywhere."""

    @wraps(view)
    def administrators_view(
        request: Request, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponseBase:
        if not request.user.is_staff:
            raise Http404
        return view(request, *args, **kwargs)

    return administrators_view


def may_act_on(administrator: User, account: User) -> bool:
    """Whether an administrator may block, delete or let into an account.

    Nobody acts so on themselves; on another administrator only who has all rights
    (``is_superuser``), for otherwise each could take over the rights of every other.
    """
    if administrator == account or account.stands_for:
        return False
    return administrator.is_superuser or not (account.is_staff or account.is_superuser)
