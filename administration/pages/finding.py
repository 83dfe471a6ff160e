"""Finding accounts, gangs and campaigns: by name, by who they belong to, by a key or an address."""

from __future__ import annotations

import re
import uuid

from django.db.models import Q, QuerySet

from accounts.models import User
from campaigns.models import Campaign, Participant
from gangs import short_codes
from gangs.models import Gang

UUID = re.compile(r"[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", re.I)
# As in the addresses of shared sheets, invitations and links for spectators.
KEY = re.compile(r"[\w-]{20,32}")


def typed(text: str) -> str:
    """What was typed to be found, as the database can be asked for it."""
    return "".join(letter for letter in text if letter.isprintable()).strip()[:200]


def accounts(query: str, which: str = "") -> QuerySet[User]:
    """Accounts by name or address; ``which``: blocked, administrators, strangers (those who only
    stand for somebody from another site), or "" for all others."""
    found = User.objects.order_by("-date_joined", "-pk")
    match which:
        case "blocked":
            found = found.filter(is_active=False, stands_for="")
        case "administrators":
            found = found.filter(Q(is_staff=True) | Q(is_superuser=True))
        case "strangers":
            found = found.exclude(stands_for="")
        case _:
            found = found.filter(stands_for="")
    if query:
        named = Q(username__icontains=query) | Q(email__icontains=query)
        found = found.filter(named | Q(stands_for__icontains=query))
    return found


def gangs(query: str, which: str = "") -> QuerySet[Gang]:
    """Gangs by name, owner, key, short code or any of their addresses; ``which``: guests, or ""
    for all."""
    found = Gang.objects.select_related("owner").defer("snapshot").order_by("-changed_at", "-pk")
    if which == "guests":
        found = found.filter(owner=None, kept_at=None)
    if query:
        named = Q(name__icontains=query) | Q(owner__username__icontains=query)
        named |= Q(pk__in=_uuids(query)) | Q(share_key__in=KEY.findall(query))
        named |= Q(share_code=short_codes.read(query))
        found = found.filter(named)
    return found


def campaigns(query: str) -> QuerySet[Campaign]:
    """Campaigns by name, by who runs them, by key or any of their addresses."""
    found = Campaign.objects.with_seats().order_by("-created_at", "-pk")
    if query:
        keys = KEY.findall(query)
        organising = Participant.objects.filter(
            user__username__icontains=query, role=Participant.Role.ORGANISER
        )
        named = Q(name__icontains=query) | Q(pk__in=organising.values("campaign"))
        named |= Q(pk__in=_uuids(query)) | Q(watch_key__in=keys) | Q(invite_key__in=keys)
        found = found.filter(named)
    return found


def _uuids(query: str) -> list[uuid.UUID]:
    return [uuid.UUID(key) for key in UUID.findall(query)]
