"""Tales: each side's own short report of a game, written whenever its player likes; and what all
who played it want to remember."""

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
    """What somebody wrote of a game. ``gang``: which of its gangs saw it so; "": what will be
    remembered of it, whoever played."""

    game: str
    gang: str
    text: str


def load_tales(games: QuerySet[Game]) -> list[Tale]:
    """All that is written of these games, of each first what will be remembered. One query."""
    something = ~Q(tale="") | ~Q(game__note="")
    rows = Side.objects.filter(something, game__in=games).order_by("pk")
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
    """A side's short report. ``seen``: what the page showed of it, so that no newer one is lost."""

    tale = NotesField(max_length=MOST)
    seen = NameField(widget=forms.HiddenInput, required=False)

    def __init__(self, side: Side, data: Mapping[str, Any] | None = None) -> None:
        initial = {"tale": side.tale, "seen": fingerprint(side.tale)}
        super().__init__(data, initial=initial, auto_id=f"id_{side.pk}_%s")
        self.side = side
        self.fields["tale"].label = _("The game as %(name)s saw it") % {"name": side.name}
        self.fields["tale"].widget.attrs |= {"rows": 5, "maxlength": MOST}
        self.helper = helper()

    def anew(self, sides: Sequence[Side]) -> TaleForm:
        """What was typed, to be sent again knowing what the side's report is by now."""
        side = next(side for side in sides if side.pk == self.side.pk)
        return TaleForm(side, {"tale": self.data.get("tale", ""), "seen": fingerprint(side.tale)})


def fingerprint(tale: str) -> str:
    """What tells one state of a tale from another."""
    return sha256(tale.encode()).hexdigest()[:16]


def may_write_tale(side: Side, user: User) -> bool:
    """Whether the user may write the side's report: it is theirs, or they run the campaign."""
    if side.game.status == Game.Status.PLANNED:
        return False
    return side.is_of(user) or side.game.campaign.is_run_by(user)


def save_tale(side: Side, tale: str, *, expected_version: str) -> None:
    """Keep a side's report; the same twice is one. Raises Stale if it is no longer as seen."""
    if side.tale == tale:
        return
    if fingerprint(side.tale) != expected_version:
        raise Stale
    if not Side.objects.filter(pk=side.pk, tale=side.tale).update(tale=tale):
        raise Stale
    side.tale = tale
