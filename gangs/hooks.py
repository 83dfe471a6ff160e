"""Hooks by which apps above this one take part in decisions about gangs.

This app does not know campaigns. The app that does installs an ``Oversight`` when Django starts;
without one, only its owner has a say in a gang.
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
from gangs.engine.replaying import LaterPostgame, Replayed
from gangs.engine.roster import Roster
from gangs.models import Gang, Strike

# The most duties on a page, the oldest first.
MOST_DUTIES = 6


@dataclass(frozen=True)
class Duty:
    """Something that the reader has to do, and the address of its page. ``gangs``: the keys of the
    reader's gangs concerned; ``campaign``: the key of its campaign."""

    url: str
    text: str
    about: str
    gangs: tuple[uuid.UUID, ...] = ()
    campaign: uuid.UUID | None = None


@dataclass(frozen=True)
class Place:
    """The campaign of a gang, and its next night."""

    campaign: str
    url: str
    night: datetime | None = None


@dataclass(frozen=True)
class Overview:
    """A user's duties, and by key the places of their gangs and their colours there."""

    duties: tuple[Duty, ...] = ()
    places: Mapping[uuid.UUID, Place] = field(default_factory=dict, hash=False)
    colours: Mapping[str, int] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Playing:
    """A campaign in which a gang plays now. ``games``: its open games there, each with its title
    and address."""

    campaign: str
    url: str
    games: tuple[tuple[str, str], ...] = ()


class Oversight:
    """The hooks of an app above. A hook that may return a Refusal returns None to allow something.

    This class is the default: only its owner has a say in a gang.
    """

    def why_locked(self, gang: Gang) -> Refusal | None:
        """Why the gang's members and goods may not change now, since something is unsettled."""
        return None

    def why_bound(self, gang: Gang, batches: Collection[uuid.UUID]) -> Refusal | None:
        """Why some of these batches cannot be undone or restored in this gang only: half of a
        bargain would create money."""
        return None

    def lock_holders(self, gang: Gang) -> None:
        """Lock whatever ``check_holders`` reads, before the gang is locked, in its transaction."""

    def lock_postgames(self, gangs: Collection[uuid.UUID]) -> None:
        """Lock the post-games of the gangs with these keys, before the gangs, in their
        transaction."""

    def later_postgames(
        self, gang: Gang, batches: Collection[uuid.UUID]
    ) -> Mapping[uuid.UUID, LaterPostgame]:
        """The gang's post-games with these batches that can be worked out again, by batch."""
        return {}

    def postgames_replayed(
        self, gang: Gang, replayed: Sequence[Replayed], actor: User | None
    ) -> None:
        """Reopen or close the post-games that a correction has changed, in its transaction."""

    def check_holders(self, gang: Gang, before: Roster, after: Roster) -> None:
        """Raise Refusal if the gang would get a holding that only one gang can have, and that
        another gang has."""

    def why_rules_fixed(self, gang: Gang) -> Refusal | None:
        """Why the owner may not choose the version of the gang's rules."""
        return None

    def may_read(self, user: User, gang: Gang) -> bool:
        """Whether the user may read the history of somebody else's gang, without changing it."""
        return False

    def may_see(self, request: HttpRequest, gang: Gang) -> bool:
        """Whether the reader, perhaps a visitor, may see the gang in lists: its badge and its
        members' portraits."""
        return False

    def may_correct(self, user: User, gang: Gang) -> bool:
        """Whether the user may correct the history of somebody else's gang."""
        return False

    def neighbours(self, gang: Gang) -> tuple[tuple[str, str], ...]:
        """The keys and names of the other gangs in the gang's campaigns."""
        return ()

    def names_near(self, request: HttpRequest) -> tuple[str, ...]:
        """The names of the gangs that a new gang of the reader's would play with."""
        return ()

    def must_stay(self, gang: Gang, *, owner_goes: bool) -> bool:
        """Whether a gang cannot be deleted, only left without an owner, because others need it.

        ``owner_goes``: its owner's whole account is deleted.
        """
        return False

    def leave(self, gang: Gang, actor: User | None) -> bool:
        """Prepare the deletion of the gang in this transaction; returns whether it must be kept."""
        return False

    def plays_in(self, gang: Gang) -> tuple[Playing, ...]:
        """The campaigns in which the gang plays now."""
        return ()

    def retire(self, gang: Gang, actor: User) -> None:
        """Let the gang stop playing in its campaigns, in this transaction, since its owner archives
        it."""

    def corrected(self, gang: Gang, strike: Strike) -> None:
        """React to an organiser's correction of somebody's gang, in its transaction."""

    def uses_rules(self, request: HttpRequest, digest: str) -> bool:
        """Whether the reader may see something that plays by this version of a rulebook."""
        return False

    def adopt(self, user: User, guest: str) -> None:
        """Give the user everything else of the visitor with this key, in this transaction."""

    def page_of_postgame(self, batch: uuid.UUID) -> str:
        """The address of the post-game that wrote this batch; "" if it no longer exists."""
        return ""

    def page_of_code(self, code: str) -> str:
        """The address of something else than a gang that has this short code now; "" if nothing
        has."""
        return ""

    def trophies(self, gang: Gang) -> tuple[str, ...]:
        """The trophies that the gang and its members hold, each with its campaign."""
        return ()

    def overview(self, user: User) -> Overview:
        """The user's duties and the places of their gangs, to show with the gangs."""
        return Overview()


oversight = Oversight()


def install(found: Oversight) -> None:
    """Use these hooks from now on."""
    global oversight
    oversight = found


def check_unlocked(gang: Gang, entries: Sequence[Entry]) -> None:
    """Raise Refusal if the gang is locked and ``entries`` are not all harmless."""
    if not all(entry.harmless for entry in entries):
        _raise(oversight.why_locked(gang))


def check_unbound(gang: Gang, batches: Collection[uuid.UUID]) -> None:
    """Raise Refusal if one of ``batches`` cannot be undone or restored in this gang only."""
    _raise(oversight.why_bound(gang, batches))


def why_rules_fixed(gang: Gang) -> Refusal | None:
    """Why the owner may not choose the version of the gang's rules; None if they may."""
    return Refusal("archived") if gang.archived_at is not None else oversight.why_rules_fixed(gang)


def check_rules_free(gang: Gang) -> None:
    """Raise Refusal if the owner may not choose the version of the gang's rules."""
    _raise(why_rules_fixed(gang))


def _raise(refusal: Refusal | None) -> None:
    if refusal is not None:
        raise refusal
