"""A report that a program sends, as the form of the game's page: the same checks and words."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from api.bodies import GameReport, SideReport
from api.problems import Problem
from campaigns.games import results
from campaigns.games.report_forms import DRAW, ReportForms, place_name
from campaigns.games.side_form import SideForm
from campaigns.models import Game, Side
from campaigns.table.report import table_account


def read_report(game: Game, sides: Sequence[Side], sent: GameReport) -> ReportForms:
    """The checked forms of a report. Raises Problem for a mistake, with its places, and for a
    doubtful report (code "doubtful") that its author is not ``sure`` of."""
    account = results.account_of(game, sides) if game.has_result and game.is_fought else None
    posted = _Posted(sides, sent)
    forms = ReportForms(game, sides, account, table=table_account(game, sides), data=posted.data)
    known = {name for form in forms.side_forms for name in map(form.add_prefix, form.fields)}
    known |= forms.result.fields.keys()
    unknown = [place for name, place in posted.places.items() if name not in known]
    unknown += posted.unknown_counts(forms.side_forms)
    if unknown:
        words = _("Nothing in this game has that place.")
        raise Problem(422, words, "unknown", tuple((place, words) for place in unknown))
    if not forms.is_valid():
        mistakes = [
            (posted.place_of(form.add_prefix(name)), str(words))
            for form in (forms.result, *forms.side_forms)
            for name, found in form.errors.items()
            for words in found
        ]
        raise Problem(422, _("This report has mistakes."), "invalid", tuple(mistakes))
    doubts = [] if sent.sure else forms.doubts()
    if doubts:
        words = _("Is that right? If you are sure, send it again and say so.")
        raise Problem(422, words, "doubtful", tuple(("sure", doubt) for doubt in doubts))
    return forms


class _Posted:
    """The form's fields with the values that were sent.

    ``places``: for fields that some games do not have, the place in the body by name.
    """

    def __init__(self, sides: Sequence[Side], sent: GameReport) -> None:
        self.data = QueryDict(mutable=True)
        self.places: dict[str, str] = {}
        self._sides = {side.gang_id: side for side in sides}
        self._prefixes: dict[str, str] = {}
        self._sent = sent
        data = self.data
        data["result"], data["note"], data["why"] = sent.result, sent.note, sent.why
        if sides[0].game.campaign.book.who_plays.is_together:
            self._end_together(sent)
        elif sent.winner is not None:
            data["winner"] = str(self._side(sent.winner, "winner").pk)
        elif sent.draw:
            data["winner"] = DRAW
        data["played_on"] = (sent.played_on or timezone.localdate()).isoformat()
        for number, part in enumerate(sent.sides):
            self._add(self._side(part.gang, f"sides.{number}.gang"), part, f"sides.{number}")
        if sent.captures:
            values = [f"{one.gang}:{one.holding}" for one in sent.captures]
            data.setlist("captures", values)
            self.places["captures"] = "captures"

    def _end_together(self, sent: GameReport) -> None:
        """Fill in the result of gangs on one side: the form's only question, "How did it end?"."""
        for place, value in (("winner", sent.winner), ("draw", sent.draw or None)):
            if value is not None:
                words = _("These gangs play together: send only the result.")
                raise Problem(422, words, "unknown", ((place, words),))
        self.data["winner"], self.data["result"] = sent.result, ""
        self.places["winner"] = "result"

    def unknown_counts(self, side_forms: Sequence[SideForm]) -> list[str]:
        """The places of counts that the report does not have. Their names could be those of other
        fields of the form."""
        kinds = {form.side.gang_id: form.counts for form in side_forms}
        return [
            f"sides.{number}.counts.{kind}"
            for number, part in enumerate(self._sent.sides)
            for kind in part.counts
            if kind not in kinds[part.gang]
        ]

    def place_of(self, name: str) -> str:
        """The place in the body of a field of the form."""
        prefix, _dash, rest = name.partition("-")
        if name in self.places:
            return self.places[name]
        return f"{self._prefixes[prefix]}.{rest}" if prefix in self._prefixes else name

    def _side(self, gang: uuid.UUID, place: str) -> Side:
        side = self._sides.get(gang)
        if side is None:
            words = _("This gang does not play in the game.")
            raise Problem(422, words, "unknown", ((place, words),))
        return side

    def _add(self, side: Side, sent: SideReport, place: str) -> None:
        prefix = f"side{side.pk}"
        self._prefixes[prefix] = place
        for member in sent.fielded:
            self._set(f"{prefix}-in-{member}", "on", f"{place}.fielded")
        for member, fallen in sent.fallen.items():
            where = f"{place}.fallen.{member}"
            self._set(f"{prefix}-mark-{member}", fallen.mark, where)
            if fallen.by is not None:
                by = f"{fallen.by.gang}:{fallen.by.member}"
                self._set(f"{prefix}-credit-{member}", by, f"{where}.by")
        for kind, counts in sent.counts.items():
            self._set_counts(f"{prefix}-{kind}-", counts, f"{place}.counts.{kind}")
        for track, numbers in sent.tracks.items():
            self._set_counts(f"{prefix}-track-{track}-", numbers, f"{place}.tracks.{track}")
        self._set_counts(f"{prefix}-tally-", sent.tallies, f"{place}.tallies")
        if sent.money is not None:
            self._set(f"{prefix}-money", str(sent.money), f"{place}.money")
        if sent.place is not None:
            self._set(place_name(side), str(sent.place), f"{place}.place")

    def _set_counts(
        self, start: str, counts: Mapping[int, int] | Mapping[str, int], place: str
    ) -> None:
        for key, count in counts.items():
            self._set(f"{start}{key}", str(count), f"{place}.{key}")

    def _set(self, name: str, value: str, place: str) -> None:
        self.data[name], self.places[name] = value, place
