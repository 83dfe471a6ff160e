"""What this floor asks the one above it about a gang.

This app knows no campaign. Whoever does installs an ``Oversight`` when Django starts; until then,
and where there is none, a gang is its owner's alone.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.http import HttpRequest

from accounts.models import User
from common.errors import Refusal
from gangs.engine.entries import Entry
from gangs.models import Gang, Strike

# How many duties a page tells; the oldest come first, and make room for the next.
MOST_DUTIES = 6


@dataclass(frozen=True)
class Duty:
    """Something that waits for the reader, and where it is done. ``gangs``: those of the reader's
    that it concerns, by key; ``campaign``: the key of the campaign that it belongs to."""

    url: str
    text: str
    about: str
    gangs: tuple[uuid.UUID, ...] = ()
    campaign: uuid.UUID | None = None


@dataclass(frozen=True)
class Place:
    """Where a gang plays now, and when it does next."""

    campaign: str
    url: str
    night: datetime | None = None


@dataclass(frozen=True)
class Overview:
    """What waits for somebody, and where their gangs play, by key."""

    duties: tuple[Duty, ...] = ()
    places: Mapping[uuid.UUID, Place] = field(default_factory=dict, hash=False)


class Oversight:
    """What a floor above knows of gangs. Refusals say why something may not be done.

    By itself it knows nothing: a gang is its owner's alone.
    """

    def why_locked(self, gang: Gang) -> Refusal | None:
        """Why the gang's members and goods may not be changed now: something has to be settled."""
        return None

    def why_bound(self, gang: Gang, batches: Collection[uuid.UUID]) -> Refusal | None:
        """Why some of these batches are not this gang's alone to take back or put back: half of a
        bargain would make money out of nothing."""
        return None

    def why_rules_fixed(self, gang: Gang) -> Refusal | None:
        """Why the owner may not say by which version of its rules the gang goes."""
        return None

    def may_read(self, user: User, gang: Gang) -> bool:
        """Whether the user may see how a gang of somebody else's stood, and what became of its
        people. It changes nothing that only the owner may change it."""
        return False

    def may_see(self, request: HttpRequest, gang: Gang) -> bool:
        """Whether somebody, perhaps a visitor, sees the gang among others: its badge and its
        people's portraits."""
        return False

    def may_correct(self, user: User, gang: Gang) -> bool:
        """Whether the user may correct the history of a gang that is somebody else's."""
        return False

    def neighbours(self, gang: Gang) -> tuple[tuple[str, str], ...]:
        """The other gangs that play with this one, by key, each with its name."""
        return ()

    def names_near(self, request: HttpRequest) -> tuple[str, ...]:
        """What the gangs are called that one founded now is about to play with."""
        return ()

    def must_stay(self, gang: Gang, *, owner_goes: bool) -> bool:
        """Whether a gang that is deleted has to stay, without its owner, for what it did to others.

        ``owner_goes``: its owner's whole account is deleted.
        """
        return False

    def leave(self, gang: Gang, actor: User | None) -> bool:
        """The gang is about to be deleted, in this transaction; returns whether it was kept."""
        return False

    def corrected(self, gang: Gang, strike: Strike) -> None:
        """An organiser has corrected somebody's gang, in this transaction."""

    def claim(self, user: User, guest: str) -> None:
        """What a visitor, whose key this is, gathered besides gangs becomes the user's, in this
        transaction."""

    def overview(self, user: User) -> Overview:
        """What waits for the user, and where their gangs play: shown with their gangs."""
        return Overview()


oversight = Oversight()


def install(found: Oversight) -> None:
    """Ask ``found`` from now on."""
    global oversight
    oversight = found


def check_unlocked(gang: Gang, entries: Sequence[Entry]) -> None:
    """Raise Refusal if the gang is locked and ``entries`` are more than words."""
    if not all(entry.harmless for entry in entries):
        _raise(oversight.why_locked(gang))


def check_unbound(gang: Gang, batches: Collection[uuid.UUID]) -> None:
    """Raise Refusal if one of ``batches`` is not this gang's alone to take back or put back."""
    _raise(oversight.why_bound(gang, batches))


def why_rules_fixed(gang: Gang) -> Refusal | None:
    """Why the gang's owner may not say by which rules it goes, if they may not."""
    return Refusal("archived") if gang.archived_at is not None else oversight.why_rules_fixed(gang)


def check_rules_free(gang: Gang) -> None:
    """Raise Refusal if the gang's owner may not say by which rules it goes."""
    _raise(why_rules_fixed(gang))


def _raise(refusal: Refusal | None) -> None:
    if refusal is not None:
        raise refusal
