"""Readers: who, besides its owner, may see how a gang stood and what became of its people.

This app knows no campaign. Whoever does registers a function that says whether somebody may read a
gang; it changes nothing that only the owner may change it. Onlookers see less: what is shown of a
gang among others, its badge and its people's portraits.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from accounts.models import User
from gangs.access import own_gangs
from gangs.models import Gang

Reader = Callable[[User, Gang], bool]
Onlooker = Callable[[HttpRequest, Gang], bool]
_readers: list[Reader] = []
_onlookers: list[Onlooker] = []


def register_reader(reader: Reader) -> None:
    """Ask ``reader`` whether a user may read a gang that is not his."""
    if reader not in _readers:
        _readers.append(reader)


def readable_gang_or_404(request: HttpRequest, gang: uuid.UUID) -> tuple[Gang, bool]:
    """The gang, if whoever asks may read it, and whether it is his own; otherwise 404."""
    own = own_gangs(request).filter(pk=gang).first()
    if own is not None:
        return own, True
    user = request.user
    if user.is_authenticated:
        found = get_object_or_404(Gang.objects.select_related("owner"), pk=gang)
        if any(reader(user, found) for reader in _readers):
            return found, False
    raise Http404


def register_onlooker(onlooker: Onlooker) -> None:
    """Ask ``onlooker`` whether somebody, perhaps a visitor, sees a gang among others."""
    if onlooker not in _onlookers:
        _onlookers.append(onlooker)


def visible_gang_or_404(request: HttpRequest, gang: uuid.UUID) -> Gang:
    """The gang, if whoever asks may change it or sees it among others; otherwise 404."""
    own = own_gangs(request).filter(pk=gang).first()
    if own is not None:
        return own
    found = get_object_or_404(Gang, pk=gang)
    if any(onlooker(request, found) for onlooker in _onlookers):
        return found
    raise Http404
