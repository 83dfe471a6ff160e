"""Tales: each side's own short report of a game, written whenever its player likes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from django import forms
from django.core.validators import MaxLengthValidator
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.models import Game, Side
from gangs.forms import NotesField, helper
from gangs.ledger import Stale

MOST = 2000


class TaleForm(forms.Form):
    """A side's short report. ``seen``: what the page showed of it, so that no newer one is lost."""

    tale = NotesField(validators=[MaxLengthValidator(MOST)])
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, side: Side, data: Mapping[str, Any] | None = None) -> None:
        initial = {"tale": side.tale, "seen": mark_of(side.tale)}
        super().__init__(data, initial=initial, auto_id=f"id_{side.pk}_%s")
        self.side = side
        self.fields["tale"].label = _("The game as %(name)s saw it") % {"name": side.name}
        self.fields["tale"].widget.attrs |= {"rows": 5, "maxlength": MOST}
        self.helper = helper()

    def anew(self, sides: Sequence[Side]) -> TaleForm:
        """What was typed, to be sent again knowing what the side's report is by now."""
        side = next(side for side in sides if side.pk == self.side.pk)
        return TaleForm(side, {"tale": self.data.get("tale", ""), "seen": mark_of(side.tale)})


def mark_of(tale: str) -> str:
    """What tells one state of a tale from another."""
    return sha256(tale.encode()).hexdigest()[:16]


def may_tell(side: Side, user: User) -> bool:
    """Whether the user may write the side's report: it is his, or he runs the campaign."""
    if side.game.status == Game.Status.PLANNED:
        return False
    return side.is_of(user) or side.game.campaign.is_run_by(user)


def tell(side: Side, tale: str, *, seen: str) -> None:
    """Keep a side's report; the same twice is one. Raises Stale if it is no longer as seen."""
    if side.tale == tale:
        return
    if mark_of(side.tale) != seen:
        raise Stale
    if not Side.objects.filter(pk=side.pk, tale=side.tale).update(tale=tale):
        raise Stale
    side.tale = tale
