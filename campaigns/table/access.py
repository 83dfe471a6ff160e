"""Access to tables: watching and tapping. Everybody else gets a 404.

Everybody who may see a game may watch its table; its players and the organisers tap, for all sides,
until everybody has confirmed the result. A table without a game is open to the person who opened
it, to the owners of the gangs at it, and to everybody who came by its link: a cookie of their
browser remembers the key.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy

from accounts.http import actor
from campaigns.access import watched_keys
from campaigns.models import PENDING, Campaign, Game, Participant, Table
from campaigns.table.calls import USUAL, calls_of
from common.cache import Cache
from common.cookies import DAY, SignedCookie
from gangs.access import GUEST, own_gangs

# The keys of the tables that a browser joined by their link, the newest last, joined by dots.
TABLES = SignedCookie(
    "tables",
    gettext_lazy("Remembers the tables you joined by their link."),
    30 * DAY,
)
MOST_KEYS = 20
# For the ids under which forms tap: another salt would turn them into other phones.
SALT = "campaigns.table.phones"


@dataclass(frozen=True)
class TableSeat:
    """A reader at a table. ``taps``: they play, and do not only watch; ``device``: the phone id of
    the taps that they send by forms, without a script; ``runs``: they organise the table's
    campaign or, without one, opened the table; ``calls``: how their phone calls them to a question
    (``campaigns.table.calls``)."""

    table: Table
    taps: bool
    device: uuid.UUID
    user: int | None
    guest: str
    runs: bool = False
    calls: str = USUAL

    def owns(self, owner: int | None, guest: str | None) -> bool:
        """Whether a gang of this owner or visitor belongs to the reader."""
        if self.user is not None:
            return owner == self.user
        return bool(self.guest) and guest == self.guest


def seat_or_404(request: HttpRequest, table_id: uuid.UUID) -> TableSeat:
    """Return the reader's seat at a table. Raises Http404 if they may not see it. At most three
    queries."""
    found = get_object_or_404(Table.objects.select_related("game__campaign"), pk=table_id)
    if found.game is None:
        taps = True
        runs = _is_opener(request, found)
        seen = runs or _is_at(request, found)
    else:
        campaign = found.game.campaign
        role = _role(request, campaign)
        taps = _plays(request, found.game, role)
        runs = role == Participant.Role.ORGANISER
        watched = not campaign.hidden_why and campaign.watch_key in watched_keys(request)
        seen = bool(role) or watched
    if not seen:
        raise Http404
    user, guest = actor(request), GUEST.read(request)
    who = f"user {user.pk}" if user is not None else f"guest {guest}"
    return TableSeat(
        table=found,
        taps=taps,
        device=device_of_forms(found.pk, who),
        user=None if user is None else user.pk,
        guest=guest,
        runs=runs,
        calls=calls_of(request),
    )


def device_of_forms(table: uuid.UUID, who: str) -> uuid.UUID:
    """Return the phone id for the taps that a person sends by forms."""
    digest = salted_hmac(SALT, f"{table} {who}", algorithm="sha256").digest()
    return uuid.UUID(bytes=digest[:16], version=4)


def own_table_or_404(request: HttpRequest, table_id: uuid.UUID) -> Table:
    """Return a table without a campaign that the reader opened. Raises Http404."""
    return get_object_or_404(own_tables(request), pk=table_id)


def own_tables(request: HttpRequest) -> QuerySet[Table]:
    """Return the tables without a campaign that the reader opened, the newest first."""
    user = actor(request)
    if user is not None:
        return Table.objects.filter(game=None, owner=user)
    guest = GUEST.read(request)
    return Table.objects.filter(game=None, guest=guest) if guest else Table.objects.none()


# Phones poll every two seconds. For this many seconds a reader who was let in is not looked up
# again; before a phone gets anything new, they are.
_GOOD_FOR = 20
_let_in: Cache[bool] = Cache(most=4096)


def watching_or_404(request: HttpRequest, table_id: uuid.UUID) -> None:
    """Raise Http404 for readers who may not see the table. The check may be some seconds old, which
    is enough to answer that nothing is new. Cookies identify the reader.
    """
    now = int(time.monotonic() / _GOOD_FOR)
    cookies = request.headers.get("Cookie", "")
    _let_in.get((table_id, cookies), now, lambda _before: bool(seat_or_404(request, table_id)))


def newest(table_id: uuid.UUID) -> int:
    """Return the number of the newest tap at a table, 0 if the table is deleted. One query."""
    return Table.objects.filter(pk=table_id).values_list("seq", flat=True).first() or 0


def player_seat_or_404(request: HttpRequest, table_id: uuid.UUID) -> TableSeat:
    """Return the reader's seat if they play. Raises Http404."""
    seat = seat_or_404(request, table_id)
    if not seat.taps:
        raise Http404
    return seat


def _role(request: HttpRequest, campaign: Campaign) -> str:
    """Return the reader's role in a campaign, "" if they do not take part."""
    user = actor(request)
    if user is None:
        return ""
    return campaign.participants.filter(user=user).values_list("role", flat=True).first() or ""


def _plays(request: HttpRequest, game: Game, role: str) -> bool:
    """Whether the reader may tap in a game, as a player or organiser; nobody may when it is
    over."""
    user = actor(request)
    if user is None or game.status not in PENDING:
        return False
    return role == Participant.Role.ORGANISER or game.sides.filter(gang__owner=user).exists()


def _is_opener(request: HttpRequest, table: Table) -> bool:
    """Whether the reader opened a table without a game."""
    user, guest = actor(request), GUEST.read(request)
    return table.guest_id == guest if user is None else table.owner_id == user.pk


def _is_at(request: HttpRequest, table: Table) -> bool:
    """Whether the reader has the key of a table without a game, or owns a gang at it."""
    if table.key in _keys(request):
        return True
    return table.sides.filter(gang__in=own_gangs(request)).exists()


def _keys(request: HttpRequest) -> list[str]:
    text = TABLES.read(request)
    return text.split(".") if text else []


def remember(request: HttpRequest, response: HttpResponseBase, table: Table) -> None:
    """Set the cookie by which the browser may play at the table from now on."""
    known = [key for key in _keys(request) if key != table.key]
    TABLES.write(request, response, ".".join([*known, table.key][-MOST_KEYS:]))
