"""Tales: each side's own short report of a game, and the note that all its players share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.models import Game, Side
from common.errors import Stale
from common.forms import NameField, NotesField, helper

MOST = 2000


@dataclass(frozen=True)
class Tale:
    """A text about a game. ``gang``: the gang whose report it is; "" for the players' shared
    note."""

    game: str
    gang: str
    text: str


def load_tales(games: QuerySet[Game]) -> list[Tale]:
    """All tales of these games, for each game the shared note first. Makes one query."""
    rows = Side.objects.filter(~Q(tale="") | ~Q(game__note=""), game__in=games).order_by("pk")
    found: list[Tale] = []
    noted: set[object] = set()
    for game, name, tale, note in rows.values_list("game", "name", "tale", "game__note"):
        if note and game not in noted:
            noted.add(game)
            found.append(Tale(str(game), "", note))
        if tale:
            found.append(Tale(str(game), name, tale))
    return found


class TaleForm(forms.Form):
    """A side's short report. ``seen``: the fingerprint of the report that the page showed, so that
    no newer report is lost; ``name``: of the side in its game."""

    tale = NotesField(max_length=MOST)
    seen = NameField(widget=forms.HiddenInput, required=False)

    def __init__(self, side: Side, name: str, data: Mapping[str, Any] | None = None) -> None:
        initial = {"tale": side.tale, "seen": fingerprint(side.tale)}
        super().__init__(data, initial=initial, auto_id=f"id_{side.pk}_%s")
        self.side, self.name = side, name
        self.fields["tale"].label = _("The game as %(name)s saw it") % {"name": name}
        self.fields["tale"].widget.attrs |= {"rows": 5, "maxlength": MOST}
        self.helper = helper()

    def rebase(self, sides: Sequence[Side]) -> TaleForm:
        """The typed text in a new form, which replaces the side's present report when sent."""
        side = next(side for side in sides if side.pk == self.side.pk)
        return TaleForm(
            side, self.name, {"tale": self.data.get("tale", ""), "seen": fingerprint(side.tale)}
        )


def fingerprint(tale: str) -> str:
    """Identifies the text of a tale."""
    return sha256(tale.encode()).hexdigest()[:16]


def may_write_tale(side: Side, user: User) -> bool:
    """Whether the user may write the side's report: the game was fought, and they own the gang or
    run the campaign."""
    if side.game.status == Game.Status.PLANNED or not side.game.is_fought:
        return False
    return side.is_of(user) or side.game.campaign.is_run_by(user)


def save_tale(side: Side, tale: str, *, expected_version: str) -> None:
    """Save a side's report. Raises Stale if the report has changed since it was seen."""
    if side.tale == tale:
        return
    unchanged = Side.objects.filter(pk=side.pk, tale=side.tale)
    if fingerprint(side.tale) != expected_version or not unchanged.update(tale=tale):
        raise Stale
    side.tale = tale
