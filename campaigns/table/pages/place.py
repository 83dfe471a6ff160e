"""The place for an opponent at a table without a campaign, and the ways for others to get there."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.translation import gettext_lazy

from accounts.http import site_url
from campaigns.table.access import TableSeat
from campaigns.table.board import Board
from common.forms import CrispyForm, set_choices
from gangs.access import own_gangs
from gangs.models import Gang


class PlaceForm(CrispyForm):
    """The gang that takes the free place at a table: one of the reader's own of the same game. It
    offers those that are not there yet. Makes two queries."""

    gang = forms.ChoiceField(label=gettext_lazy("Your gang"))

    def __init__(
        self, request: HttpRequest, seat: TableSeat, data: QueryDict | None = None
    ) -> None:
        super().__init__(data)
        gangs = own_gangs(request).active().filter(book_version__slug=seat.table.book.slug)
        if data is None:
            # A form that comes twice names a gang that is there already.
            gangs = gangs.exclude(table_sides__table=seat.table)
        self.gangs = {str(gang.pk): gang for gang in gangs.order_by("name")}
        set_choices(self, "gang", [(key, gang.name) for key, gang in self.gangs.items()])

    @property
    def chosen(self) -> Gang:
        """The gang of a valid form."""
        return self.gangs[self.cleaned_data["gang"]]


def place_context(request: HttpRequest, board: Board) -> dict[str, Any]:
    """Return the ways to a table without a campaign, for its page: a link and a short code.
    ``free``: a second gang may still take its place, with ``place_form`` if the reader has one;
    ``plays``: a gang of the reader's is at the table already."""
    table = board.table
    if table.game is not None:
        return {}
    is_free = not table.seq and len(board.names.sides) == 1
    context: dict[str, Any] = {
        "link": site_url(request) + reverse("campaigns:table-join", args=[table.key]),
        "code_url": site_url(request) + reverse("gangs:enter-code"),
        "free": is_free,
        "is_player": bool(board.mine),
    }
    if is_free:
        form = PlaceForm(request, board.seat)
        context["place_form"] = form if form.gangs else None
    return context
