"""What is claimed of a game, where claims differ, and its dice, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.dates import date_format
from accounts.models import User
from campaigns.access import may_act_for
from campaigns.engine.claims import Account, ClaimRow, SideAccount
from campaigns.engine.report import TAKEN_OUT, Credit, Report
from campaigns.games.game_story import TaleForm
from campaigns.models import Game, Side
from campaigns.text import side_names
from gangs.engine.roster import Roster
from gangs.text.formats import localize, shown_name
from rules.book.model import Book


@dataclass(frozen=True)
class ClaimLine:
    """A claim on the page: who says so, who is behind it, and whether the reader is, with all of
    their gangs."""

    pk: int
    who: str
    behind: tuple[str, ...]
    agreed: bool


@dataclass(frozen=True)
class ReportedSide:
    """A side of a reported game in words. ``marks``, ``counts``: what is told, and of whom;
    ``tale_form``: for those who may write the side's own report; ``may_play``: whether the
    post-game is the reader's to play."""

    side: Side
    name: str
    fielded: list[str]
    marks: list[tuple[str, str]]
    counts: list[tuple[str, str]]
    tallies: list[tuple[str, int]]
    tale_form: TaleForm | None
    may_play: bool


@dataclass(frozen=True)
class Decision:
    """An organiser's decision: who took it, whose word they took ("": their own), and why."""

    who: str
    whose: str
    why: str


class Namer:
    """Names of everybody and everything in a game, out of its rulebook and the sides' rosters, each
    read once. ``takes_out``: tallies of those who put enemies out."""

    def __init__(self, book: Book, sides: Sequence[Side]) -> None:
        self.book = book
        self.sides = side_names(sides)
        self.by_side = {side.pk: self._names(side) for side in sides}
        self.by_gang = {str(side.gang_id): self.by_side[side.pk] for side in sides if side.gang}
        self.results = {row.key: localize(row.name) for row in book.campaign.results}
        self.marks = {row.key: localize(row.name) for row in book.campaign.marks}
        self.tallies = {TAKEN_OUT: _("Enemies taken out of action")}
        self.tallies |= {row.key: localize(row.name) for row in book.campaign.tallies}
        self.takes_out = {row.key for row in book.campaign.tallies if row.takes_out}

    def member(self, side: int, member: int) -> str:
        """A member of a side."""
        return self.by_side[side].get(member, _("somebody"))

    def credit(self, credit: Credit) -> str:
        """Whoever put somebody out."""
        return self.by_gang.get(credit.gang, {}).get(credit.member, _("somebody"))

    def _names(self, side: Side) -> dict[int, str]:
        roster = side.gang.roster if side.gang is not None else Roster()
        return {member.id: shown_name(self.book, member) for member in roster.everyone()}

    def counted(self, *reports: Report) -> list[str]:
        """What is counted of members in these reports. Where enemies taken out are told apart by
        sort, their sum says nothing more."""
        keys = dict.fromkeys(key for report in reports for key in report.counts)
        apart = not self.takes_out.isdisjoint(keys)
        return [key for key in keys if key != TAKEN_OUT or not apart]


def describe_side(namer: Namer, side: Side, user: User, tale_form: TaleForm | None) -> ReportedSide:
    """A side of a reported game in words."""
    report = side.parsed_report

    def name(member: int) -> str:
        return namer.member(side.pk, member)

    def fallen(member: int) -> str:
        credit, turn = report.credits.get(member), report.turns.get(member)
        values = {"name": name(member), "turn": turn}
        if credit is None:
            return _("%(name)s (turn %(turn)s)") % values if turn else name(member)
        values["hand"] = namer.credit(credit)
        if turn:
            return _("%(name)s (by %(hand)s, turn %(turn)s)") % values
        return _("%(name)s (by %(hand)s)") % values

    return ReportedSide(
        side=side,
        name=namer.sides[side.pk],
        fielded=[name(member) for member in report.fielded],
        marks=_by_what(
            (namer.marks.get(key, key), fallen(member)) for member, key in report.marks.items()
        ),
        counts=_by_what(
            (
                _done_by(namer, key),
                f"{name(member)}\u00a0× {number}" if number > 1 else name(member),
            )
            for key in namer.counted(report)
            for member, number in report.counts[key].items()
        ),
        tallies=[
            (namer.tallies.get(key, key), count) for key, count in report.tallies.items() if count
        ],
        tale_form=tale_form,
        may_play=may_act_for(side, user),
    )


def claim_lines(
    game: Game, claims: Sequence[ClaimRow], sides: Sequence[Side], user: User
) -> list[ClaimLine]:
    """The claims that stand. Reads the campaign's people."""
    names, labels = names_of(game), side_names(sides)
    mine = {side.pk for side in sides if side.is_of(user)}
    return [
        ClaimLine(
            pk=claim.pk,
            who=names.get(claim.actor or 0, _("somebody")),
            behind=tuple(name for side, name in labels.items() if side in claim.data.behind),
            agreed=bool(mine) and mine <= set(claim.data.behind),
        )
        for claim in claims
    ]


def names_of(game: Game) -> dict[int, str]:
    """The names of those who take part in the game's campaign."""
    return {seat.user_id: str(seat.user) for seat in game.campaign.seats}


def differences(
    namer: Namer, sides: Sequence[Side], accounts: Sequence[Account]
) -> list[tuple[str, list[str]]]:
    """Whatever the claims do not tell alike, in words, with what each of them says."""
    lines = [
        (_("Result"), [namer.results.get(account.result, account.result) for account in accounts]),
        (_("Day"), [date_format(account.played_on, "j N Y") for account in accounts]),
    ]
    for side in sides:
        gang = namer.sides[side.pk]
        side_accounts = [account.sides[side.pk] for account in accounts]
        lines += [
            (_("%(gang)s: %(what)s") % {"gang": gang, "what": what}, words)
            for what, words in _side_lines(namer, side, side_accounts)
        ]
    lines.append((_("Worth remembering"), [account.note for account in accounts]))
    return [(what, [word or "–" for word in words]) for what, words in lines if len(set(words)) > 1]


def _side_lines(
    namer: Namer, side: Side, side_accounts: Sequence[SideAccount]
) -> Iterator[tuple[str, list[str]]]:
    """All that claims tell of a side: what it is about, and what each of them says."""
    tallies, reports = namer.tallies, [account.report for account in side_accounts]

    def ended(report: Report, member: int) -> str:
        if member not in report.fielded:
            return _("did not take part")
        mark = report.marks.get(member)
        credit, turn = report.credits.get(member), report.turns.get(member)
        how = namer.marks.get(mark, mark) if mark else _("fit")
        if turn:
            how = _("%(mark)s, turn %(turn)s") % {"mark": how, "turn": turn}
        if credit is None:
            return how
        return _("%(mark)s, by %(name)s") % {"mark": how, "name": namer.credit(credit)}

    yield _("the outcome"), [str(Side.Kind(account.side).label) for account in side_accounts]
    for member in sorted({key for report in reports for key in (*report.fielded, *report.marks)}):
        yield namer.member(side.pk, member), [ended(report, member) for report in reports]
    for key in namer.counted(*reports):
        for member in sorted({who for report in reports for who in report.counts.get(key, {})}):
            what = f"{namer.member(side.pk, member)}, {tallies.get(key, key)}"
            yield what, [str(report.counts.get(key, {}).get(member, 0)) for report in reports]
    for key in dict.fromkeys(key for report in reports for key in report.tallies):
        yield tallies.get(key, key), [str(report.tallies.get(key, 0)) for report in reports]
    yield _("money agreed on"), [str(report.money) for report in reports]


def decision_on(game: Game, claims: Sequence[ClaimRow]) -> Decision | None:
    """Who decided a game, whose word they took and why; None if the players agreed."""
    current = next((claim for claim in claims if claim.pk == game.claim_id), None)
    if current is None or not current.data.decided:
        return None
    return Decision(
        who=names_of(game).get(current.actor or 0, _("an organiser")),
        whose=str(game.reported_by or "") if current.data.taken else "",
        why=current.data.why,
    )


def _done_by(namer: Namer, key: str) -> str:
    """What stands before those who did it: never to be read as if it was done to them."""
    name = namer.tallies.get(key, key)
    if key == TAKEN_OUT or key in namer.takes_out:
        return _("%(what)s, by") % {"what": name}
    return name


def _by_what(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Everybody of whom the same is told on one line."""
    lines: dict[str, list[str]] = {}
    for what, who in pairs:
        lines.setdefault(what, []).append(who)
    return [(what, ", ".join(names)) for what, names in lines.items()]
