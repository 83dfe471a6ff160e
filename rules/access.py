"""Permission to read a version of a rulebook: everybody's, unless administrators hide it."""

from __future__ import annotations

from django.db.models import Q
from django.http import Http404, HttpRequest

from rules import hooks
from rules.models import BookVersion


def check_readable(request: HttpRequest, digest: str) -> None:
    """Raise Http404 for a version of a hidden variant, or of a player's hidden game.

    Its owner still reads it, and so do administrators and everybody who plays by it. Usually one
    query.
    """
    versions = BookVersion.objects.filter(
        Q(variant__hidden_why__gt="") | Q(draft__hidden_why__gt=""), pk=digest
    )
    owners = versions.values_list("variant__owner", "draft__owner").first()
    if owners is None or request.user.pk in {*owners} - {None}:
        return
    if request.user.is_authenticated and request.user.is_staff:
        return
    if not hooks.gangs.is_used_by(request, digest):
        raise Http404
