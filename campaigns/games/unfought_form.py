"""The buttons that settle a game without a battle, each with one press."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.engine.claims import Account
from campaigns.engine.how import (
    CALLED_OFF,
    DEFAULTS,
    FORFEITS,
    Manner,
    find_rewards,
    points_for_a_win,
    result_rules,
)
from campaigns.engine.league.standings_rules import SIDES
from campaigns.games.results import account_of
from campaigns.games.unfought import account_without_battle
from campaigns.models import Game, Side
from campaigns.refusals import refusal_sentence
from campaigns.text import owner_name, side_names
from common.errors import Refusal
from common.forms import NameField, helper, set_choices
from gangs.text.formats import localize
from rules.reference_pages.campaign import describe_shares

PRESS = {
    "no-show": gettext_lazy("%(name)s did not come"),
    "walk-over": gettext_lazy("%(name)s cannot play"),
    "conceded": gettext_lazy("%(name)s concedes"),
    "void": gettext_lazy("The game is void"),
    "abandoned": gettext_lazy("The game was abandoned"),
}
HEADINGS = {
    "no-show": gettext_lazy("Did not come"),
    "walk-over": gettext_lazy("Walk-over"),
    "conceded": gettext_lazy("Conceded"),
    "void": gettext_lazy("Nobody wins"),
}


@dataclass(frozen=True)
class PressGroup:
    """Buttons with a common heading: the value and the label of each. ``brings``: the points and
    the money that such a result brings, if it is more than a win."""

    heading: str
    presses: list[tuple[str, str]]
    brings: str = ""


class UnfoughtForm(forms.Form):
    """How a game ended that nobody fought. Correcting a confirmed result takes a reason; saying the
    same twice, as a double click does, takes none.

    The value of a press: how it ended, a colon, and the sides that did not come or conceded.
    """

    settle = forms.ChoiceField(required=True)
    why = NameField(
        label=gettext_lazy("Why is the result corrected?"),
        help_text=gettext_lazy("All players see it."),
        max_length=300,
        required=False,
    )

    def __init__(self, game: Game, sides: Sequence[Side], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.game, self.sides = game, sides
        self.groups = list(self._groups())
        set_choices(self, "settle", [press for group in self.groups for press in group.presses])
        if game.status != Game.Status.CONFIRMED:
            del self.fields["why"]
        self.helper = helper()

    def _groups(self) -> list[PressGroup]:
        gangs, players = side_names(self.sides), [owner_name(side) for side in self.sides]
        # A player with several gangs here, or a gang without a player, is known by the gang.
        names = {
            side.pk: player if players.count(player) == 1 else gangs[side.pk]
            for side, player in zip(self.sides, players, strict=True)
        }
        groups = []
        # On one side, nobody wins because another did not come.
        is_together = self.game.campaign.book.who_plays.is_together
        for how in () if is_together else FORFEITS:
            presses = [(f"{how}:{pk}", PRESS[how] % {"name": name}) for pk, name in names.items()]
            if how == "no-show":
                presses += self._absences(names)
            groups.append(PressGroup(str(HEADINGS[how]), presses, self._brings(how)))
        called_off = [(f"{how}:", str(PRESS[how])) for how in CALLED_OFF]
        return [*groups, PressGroup(str(HEADINGS["void"]), called_off, self._brings("abandoned"))]

    def _brings(self, how: Manner) -> str:
        """The gains of a result of one kind, in words; "" for those by default."""
        campaign = self.game.campaign
        rules, book = campaign.rules, campaign.book
        found = result_rules(rules, campaign.club_results, how)
        rewards = {side: find_rewards(rules, how, side) for side in SIDES} if rules.pays else {}
        if found == DEFAULTS[how] and not any(rewards.values()):
            return ""
        kind = "decided" if how in FORFEITS else "level"
        points_won = found.winner_points
        points = (
            points_for_a_win(rules) if points_won is None else points_won,
            found.loser_points,
            found.each_points,
        )
        money = (found.winner_money, found.loser_money, found.each_money)
        named = [(book.campaign.points_name, points)]
        named += [(book.money.name, money)] if book.money and rules.pays else []
        for row in book.currencies:
            won, lost, each = (rewards.get(side, {}).get(row.key, 0) for side in SIDES)
            named.append((row.name, (won, lost, each)))
        parts = [
            _("%(name)s: %(value)s") % {"name": localize(name), "value": words}
            for name, values in named
            if name is not None and any(values[2:] if kind == "level" else values[:2])
            if (words := describe_shares(kind, *values))
        ]
        parts += [_("a defeat for the side that did not come")] if found.counts_loss else []
        parts += [_("a draw")] if found.counts_draw else []
        words = " · ".join(parts)
        if words and how == "abandoned":
            return _("%(name)s: %(value)s") % {"name": Game.How.ABANDONED.label, "value": words}
        return words

    def _absences(self, names: dict[int, str]) -> list[tuple[str, str]]:
        """Presses for several sides that did not come."""
        found = []
        if len(names) > 2:
            for pk, name in names.items():
                absent = ",".join(str(other) for other in names if other != pk)
                found.append((f"no-show:{absent}", _("Only %(name)s came") % {"name": name}))
        everybody = ",".join(map(str, names))
        return [*found, (f"no-show:{everybody}", _("Nobody came"))]

    def clean(self) -> dict[str, Any]:
        """Check that a correction has a reason."""
        cleaned: dict[str, Any] = self.cleaned_data
        lacks_reason = "why" in self.fields and "settle" in cleaned and not cleaned.get("why")
        if lacks_reason and self.account() != account_of(self.game, self.sides):
            self.add_error("why", refusal_sentence(Refusal("reason_missing")))
        return cleaned

    def account(self) -> Account:
        """The account that a valid press gives."""
        how, _colon, absent = self.cleaned_data["settle"].partition(":")
        manner: Manner = next(known for known in (*FORFEITS, *CALLED_OFF) if known == how)
        sides = [int(key) for key in absent.split(",") if key]
        return account_without_battle(self.game, self.sides, manner, sides)
