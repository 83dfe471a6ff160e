"""Tables without a campaign: choosing an opponent, opening, deleting old ones."""

from __future__ import annotations

import re
import uuid
from datetime import timedelta
from typing import Literal

from allauth.core.ratelimit import consume
from django import forms
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import quotas
from accounts.http import actor
from accounts.models import User
from campaigns.models import LIVE_FOR, Table
from campaigns.table import storage
from common.forms import CrispyForm, NameField, set_choices
from gangs.access import GUEST, TooManyGuesses, gang_of_code
from gangs.models import Gang, Guest
from gangs.pages.sharing import TOO_MANY_GUESSES
from gangs.text.formats import localize

MOST_GUEST_TABLES = 3
# A table without taps for this long is deleted; visitors' tables are deleted with their gangs.
KEPT = timedelta(days=90)
# Tables deleted in one transaction, so that nobody waits for long.
BATCH = 20
# The end of the address under which a gang's sheet is shared.
SHARED = re.compile(r"(?:^|/)([0-9A-Za-z_-]{16,32})/?$")


class OpponentForm(CrispyForm):
    """The opponent of a table without a campaign, one of the player's gangs or a shared one, if it
    is on this site; and the scenario."""

    own = forms.ChoiceField(label=gettext_lazy("Another of your gangs"), required=False)
    link = NameField(
        label=gettext_lazy("Or the code or link of another player’s gang"),
        help_text=gettext_lazy("They find both on the gang’s page, under “Sharing”."),
        max_length=300,
        required=False,
    )
    scenario = forms.ChoiceField(label=gettext_lazy("Scenario"), required=False)

    def __init__(self, request: HttpRequest, gang: Gang, others: list[Gang]) -> None:
        super().__init__(request.POST if request.method == "POST" else None)
        self.request = request
        self.gang = gang
        self.others = {str(other.pk): other for other in others}
        names = [(key, other.name) for key, other in self.others.items()]
        set_choices(self, "own", [("", _("None: track this gang only")), *names])
        if not others:
            del self.fields["own"]
            self.fields["link"].label = _("The code or link of another player’s gang")
        rows = gang.book.under(gang.roster.settings).scenarios
        scenarios = [(row.key, localize(row.name)) for row in rows]
        set_choices(self, "scenario", [("", _("None of the rulebook’s")), *scenarios])
        if not scenarios:
            del self.fields["scenario"]

    def clean_link(self) -> Gang | None:
        """Return the gang of the code or link."""
        text = self.cleaned_data["link"]
        if not text:
            return None
        try:
            gang = self._shared(text)
        except TooManyGuesses:
            raise forms.ValidationError(str(TOO_MANY_GUESSES)) from None
        if gang is None:
            raise forms.ValidationError(_("No gang is shared under that code or link."))
        if gang.book.slug != self.gang.book.slug:
            raise forms.ValidationError(_("That gang plays another game."))
        if gang.pk == self.gang.pk:
            raise forms.ValidationError(_("That is this gang itself."))
        return gang

    def _shared(self, text: str) -> Gang | None:
        if key := SHARED.search(text):
            return Gang.objects.shared().filter(share_key=key[1]).first()
        return gang_of_code(self.request, text)

    @property
    def gangs(self) -> list[Gang]:
        """The gangs that play, this one first."""
        own = self.others.get(self.cleaned_data.get("own", ""))
        other = self.cleaned_data["link"] or own
        return [self.gang, other] if other is not None else [self.gang]


class NoRoom(Exception):
    """Raised when a visitor may open no other table now. ``why``: this visitor has the most that a
    visitor may have (``guest``), or too many came from their address lately (``address``)."""

    def __init__(self, why: Literal["guest", "address"]) -> None:
        super().__init__(why)
        self.why = why


def open_once(request: HttpRequest, gangs: list[Gang], scenario: str, token: str) -> Table:
    """Open a table for these gangs, or return the one that the same form opened before.

    Raises NoRoom, to visitors only, and QuotaFull, to users.
    """
    found = Table.objects.filter(token=token).first()
    if found is not None:
        return found
    user = actor(request)
    # Counted before the transaction, because a refusal rolls that back.
    if user is None and not consume(request, action="open_table"):
        raise NoRoom("address")
    with quotas.turn(user):
        guest = None
        if user is None:
            guest = Guest.objects.select_for_update().filter(key=GUEST.read(request)).first()
            if guest is None:
                raise NoRoom("guest")
        found = Table.objects.filter(token=token).first()
        if found is not None:
            return found
        if guest is not None and guest.tables.count() >= MOST_GUEST_TABLES:
            raise NoRoom("guest")
        quotas.check(user, "tables")
        return storage.open_alone(gangs, owner=user, guest=guest, token=token, scenario=scenario)


def page_of_code(code: str) -> str:
    """Return the address by which a table without a campaign is joined, "" if no game with this
    code is going on."""
    since = timezone.now() - LIVE_FOR
    tables = Table.objects.filter(code=code, game=None, ended_at=None, changed_at__gte=since)
    found = tables.only("key").first()
    return reverse("campaigns:table-join", args=[found.key]) if found else ""


def adopt_tables(user: User, guest: str) -> None:
    """Give a visitor's tables to their new account."""
    if guest:
        Table.objects.filter(guest=guest).update(owner=user, guest=None)


def tidy() -> int:
    """Delete tables without a campaign that nobody uses any more, in batches. Returns the
    number."""
    now = timezone.now()
    old = Q(changed_at__lt=now - KEPT)
    of_visitors = Q(owner=None, changed_at__lt=now - timedelta(days=settings.GUEST_DAYS))
    rows = Table.objects.filter(old | of_visitors, game=None)
    gone = 0
    while keys := _some(rows):
        gone += len(keys)
    return gone


def _some(rows: QuerySet[Table]) -> list[uuid.UUID]:
    with transaction.atomic():
        locked = rows.select_for_update(skip_locked=True)
        keys = list(locked.order_by("pk").values_list("pk", flat=True)[:BATCH])
        Table.objects.filter(pk__in=keys).delete()
    return keys
