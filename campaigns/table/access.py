"""Who may watch a table, and who may tap at it. For everybody else there is no such table.

A game's table is watched by whoever may see the game; its players and the organisers tap, for all
sides, until everybody has confirmed the result. One by itself is for whoever opened it, for the
owners of the gangs at it, and for whoever came by its link: a cookie of their browser remembers the
key.
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
from common.cache import Cache
from common.cookies import DAY, SignedCookie
from gangs.access import GUEST, own_gangs

# The keys of the tables that a browser was led to, the newest last, with dots between them.
TABLES = SignedCookie(
    "tables",
    gettext_lazy("Remembers the tables you joined by their link."),
    30 * DAY,
)
MOST_KEYS = 20
# Of the numbers under which forms tap: another salt would make other phones of them.
SALT = "campaigns.table.phones"


@dataclass(frozen=True)
class TableSeat:
    """Somebody at a table. ``taps``: they play, and do not only watch; ``device``: what their taps
    are known by where no script counts them."""

    table: Table
    taps: bool
    device: uuid.UUID
    user: int | None
    guest: str

    def owns(self, owner: int | None, guest: str | None) -> bool:
        """Whether a gang of this owner, or of this visitor, is theirs."""
        if self.user is not None:
            return owner == self.user
        return bool(self.guest) and guest == self.guest


def seat_or_404(request: HttpRequest, table_id: uuid.UUID) -> TableSeat:
    """The reader's place at a table, if they may see it. Three queries at most."""
    found = get_object_or_404(Table.objects.select_related("game__campaign"), pk=table_id)
    if found.game is None:
        taps = True
        seen = _is_theirs(request, found)
    else:
        campaign = found.game.campaign
        role = _role(request, campaign)
        taps = _plays(request, found.game, role)
        seen = bool(role) or campaign.watch_key in watched_keys(request)
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
    )


def device_of_forms(table: uuid.UUID, who: str) -> uuid.UUID:
    """The phone under which the server numbers taps that come from somebody's forms."""
    digest = salted_hmac(SALT, f"{table} {who}", algorithm="sha256").digest()
    return uuid.UUID(bytes=digest[:16], version=4)


def own_table_or_404(request: HttpRequest, table_id: uuid.UUID) -> Table:
    """The table, if it is the reader's: one by itself that they opened."""
    return get_object_or_404(own_tables(request), pk=table_id)


def own_tables(request: HttpRequest) -> QuerySet[Table]:
    """The tables without a campaign that the reader opened, the newest first."""
    user = actor(request)
    if user is not None:
        return Table.objects.filter(game=None, owner=user)
    guest = GUEST.read(request)
    return Table.objects.filter(game=None, guest=guest) if guest else Table.objects.none()


# Phones ask every two seconds whether there is anything new. Who was let in is not looked up again
# so soon, in seconds; whatever is new, they are told after another look only.
_GOOD_FOR = 20
_let_in: Cache[bool] = Cache(most=4096)


def watching_or_404(request: HttpRequest, table_id: uuid.UUID) -> None:
    """Let in whoever may see the table, or could a moment ago: good for saying that nothing is new.
    Their cookies are all that they are known by."""
    now = int(time.monotonic() / _GOOD_FOR)
    cookies = request.headers.get("Cookie", "")
    _let_in.get((table_id, cookies), now, lambda _before: bool(seat_or_404(request, table_id)))


def newest(table_id: uuid.UUID) -> int:
    """The number of the newest tap at a table; 0 if there is no such table any more. One query."""
    return Table.objects.filter(pk=table_id).values_list("seq", flat=True).first() or 0


def player_seat_or_404(request: HttpRequest, table_id: uuid.UUID) -> TableSeat:
    """The same, if they play."""
    seat = seat_or_404(request, table_id)
    if not seat.taps:
        raise Http404
    return seat


def _role(request: HttpRequest, campaign: Campaign) -> str:
    """What the reader does in a campaign; "" if they do not take part."""
    user = actor(request)
    if user is None:
        return ""
    return campaign.participants.filter(user=user).values_list("role", flat=True).first() or ""


def _plays(request: HttpRequest, game: Game, role: str) -> bool:
    """Whether the reader plays in a game, or runs its campaign; nobody does when it is over."""
    user = actor(request)
    if user is None or game.status not in PENDING:
        return False
    return role == Participant.Role.ORGANISER or game.sides.filter(gang__owner=user).exists()


def _is_theirs(request: HttpRequest, table: Table) -> bool:
    """Whether a table without a game is the reader's, by what it says or by a gang at it."""
    user, guest = actor(request), GUEST.read(request)
    opened = table.guest_id == guest if user is None else table.owner_id == user.pk
    if opened or table.key in _keys(request):
        return True
    return table.sides.filter(gang__in=own_gangs(request)).exists()


def _keys(request: HttpRequest) -> list[str]:
    text = TABLES.read(request)
    return text.split(".") if text else []


def remember(request: HttpRequest, response: HttpResponseBase, table: Table) -> None:
    """Let the browser that gets ``response`` play along at the table from now on."""
    known = [key for key in _keys(request) if key != table.key]
    TABLES.write(request, response, ".".join([*known, table.key][-MOST_KEYS:]))
