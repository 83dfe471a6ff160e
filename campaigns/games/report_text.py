"""Reported games in words: the sides, the claims, and where claims differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.dates import date_format
from accounts.models import User
from campaigns.access import may_act_for
from campaigns.engine.claims import Account, ClaimData, ClaimRow, SideAccount
from campaigns.engine.report import MOST_TURNS, TAKEN_OUT, Report
from campaigns.games.game_story import TaleForm
from campaigns.models import Game, Side
from campaigns.table.report import TableAccount
from campaigns.text import SideEnd, outcome_parts, side_label, side_names
from gangs.engine.roster import HeldPlace, Roster
from gangs.text.formats import localize, shown_name
from rules.book.model import Book
from rules.book.vocabulary import name_of


@dataclass(frozen=True)
class ClaimLine:
    """A claim on the page: its author, the result and the winners in one line (``outcome``), the
    gangs that agree, and whether all of the reader's gangs agree."""

    pk: int
    who: str
    outcome: str
    behind: tuple[str, ...]
    is_agreed: bool


@dataclass(frozen=True)
class ReportedSide:
    """A side of a reported game in words. ``ended``: whether it won; ``marks``, ``counts``: each
    with the members' names; ``tale_form``: for readers who may write the side's own report;
    ``may_play``: whether the reader may play the post-game."""

    side: Side
    name: str
    ended: str
    fielded: list[str]
    marks: list[tuple[str, str]]
    counts: list[tuple[str, str]]
    tallies: list[tuple[str, int]]
    rewards: list[tuple[str, int]]
    captured: str
    tale_form: TaleForm | None
    may_play: bool


@dataclass(frozen=True)
class Decision:
    """An organiser's decision: their name, the player whose version they chose ("": their own), and
    the reason."""

    who: str
    whose: str
    why: str


class Namer:
    """The names in a game, from its rulebook and the sides' rosters, each read once. ``takes_out``:
    the tallies that count enemies taken out; ``nonplayers``: of its scenario, by number."""

    def __init__(
        self, book: Book, sides: Sequence[Side], nonplayers: Mapping[int, str] | None = None
    ) -> None:
        self.book, self.nonplayers = book, nonplayers or {}
        self.sides = side_names(sides)
        self.by_side = {side.pk: self._names(side) for side in sides}
        self.by_gang = {str(side.gang_id): self.by_side[side.pk] for side in sides if side.gang}
        self.results = {row.key: localize(row.name) for row in book.campaign.results}
        self.marks = {row.key: localize(row.name) for row in book.campaign.marks}
        self.tallies = {TAKEN_OUT: _("Enemies taken out of action")}
        self.tallies |= {row.key: localize(row.name) for row in book.campaign.tallies}
        self.takes_out = {row.key for row in book.campaign.tallies if row.takes_out}
        self.tracks = {row.key: localize(row.name) for row in book.tracks}

    def member(self, side: int, member: int) -> str:
        """The name of a side's member."""
        return self.by_side[side].get(member, _("somebody"))

    def currency(self, key: str) -> str:
        """The name of a currency; its key if the rulebook no longer has it."""
        return localize(name_of(self.book.currency, key))

    def hand(self, report: Report, member: int) -> str:
        """The name of the member or non-player who put a member out; "" if the report has none."""
        if (credit := report.credits.get(member)) is not None:
            return self.by_gang.get(credit.gang, {}).get(credit.member, _("somebody"))
        if (number := report.by_nonplayers.get(member)) is not None:
            return self.nonplayers.get(number, _("somebody"))
        return ""

    def captured(self, report: Report) -> str:
        """The holdings that a side captured; "" if there are none."""
        names = (
            HeldPlace(id=one.place, key=one.holding, name=one.name).own_name(self.book)
            for one in report.captures
        )
        return ", ".join(map(localize, names))

    def _names(self, side: Side) -> dict[int, str]:
        roster = side.gang.roster if side.gang is not None else Roster()
        return {member.id: shown_name(self.book, member) for member in roster.everyone()}

    def counted(self, *reports: Report) -> list[str]:
        """The keys of the counts that a member has in these reports. Leaves out the sum of enemies
        taken out, where each sort of enemy has its own count."""
        keys = dict.fromkeys(
            key for report in reports for key, numbers in report.counts.items() if numbers
        )
        apart = not self.takes_out.isdisjoint(keys)
        return [key for key in keys if key != TAKEN_OUT or not apart]


def describe_side(namer: Namer, side: Side, user: User, tale_form: TaleForm | None) -> ReportedSide:
    """A side of a reported game in words."""
    report = side.parsed_report

    def name(member: int) -> str:
        return namer.member(side.pk, member)

    return ReportedSide(
        side=side,
        name=namer.sides[side.pk],
        ended=side_label(side),
        fielded=[name(member) for member in report.fielded],
        marks=_marks(namer, side.pk, report),
        counts=[
            *_counts(namer, side.pk, report),
            *(_lasting(namer, key, side.pk, found) for key, found in report.tracks.items()),
        ],
        tallies=_tallies(namer, report),
        rewards=[(namer.currency(key), amount) for key, amount in report.rewards.items()],
        captured=namer.captured(report),
        tale_form=tale_form,
        may_play=may_act_for(side, user),
    )


def _marks(namer: Namer, side: int, report: Report) -> list[tuple[str, str]]:
    """The marks of a side's members, each with their names, by whom and in which turn. Members who
    left in earlier turns come first."""

    def describe_fallen(member: int) -> str:
        hand, turn = namer.hand(report, member), report.turns.get(member)
        name = namer.member(side, member)
        values = {"name": name, "turn": turn, "hand": hand}
        if not hand:
            return _("%(name)s (turn %(turn)s)") % values if turn else name
        if turn:
            return _("%(name)s (by %(hand)s, turn %(turn)s)") % values
        return _("%(name)s (by %(hand)s)") % values

    last = MOST_TURNS + 1
    marks = sorted(report.marks.items(), key=lambda mark: report.turns.get(mark[0], last))
    return _group_by_label(
        (namer.marks.get(key, key), describe_fallen(member)) for member, key in marks
    )


def _tallies(namer: Namer, report: Report) -> list[tuple[str, int]]:
    return [(namer.tallies.get(key, key), count) for key, count in report.tallies.items() if count]


@dataclass(frozen=True)
class Summary:
    """A report before it is sent, in short: its outcome, and for each side the members that went
    down, its tallies and, against the book, what its members counted."""

    outcome: str
    sides: list[tuple[str, list[tuple[str, str]]]]


def summarize(namer: Namer, account: TableAccount) -> Summary | None:
    """A summary of a table's account; None if the table does not know who won, or how."""
    row = namer.book.campaign.result.get(account.result)
    has_winner = any(told.side == "winner" for told in account.sides.values())
    if row is None or row.kind == "decided" and not has_winner:
        return None
    sides = []
    for side, told in account.sides.items():
        report = told.report
        # Against the book no other side shows whom the members took out.
        counts = _counts(namer, side, report) if namer.book.who_plays.is_together else ()
        lines = [
            *_marks(namer, side, report),
            *counts,
            *((what, str(count)) for what, count in _tallies(namer, report)),
        ]
        sides.append((namer.sides[side], lines))
    return Summary(_outcome(namer, account), sides)


def claim_lines(
    namer: Namer, game: Game, claims: Sequence[ClaimRow], sides: Sequence[Side], user: User
) -> list[ClaimLine]:
    """The claims in words. Reads the campaign's people."""
    names, labels = names_of(game), side_names(sides)
    mine = {side.pk for side in sides if side.is_of(user)}
    return [
        ClaimLine(
            pk=claim.pk,
            who=names.get(claim.actor or 0, _("somebody")),
            outcome=_outcome(namer, claim.data.account),
            behind=tuple(name for side, name in labels.items() if side in claim.data.behind),
            is_agreed=bool(mine) and mine <= set(claim.data.behind),
        )
        for claim in claims
    ]


def _outcome(namer: Namer, account: Account | TableAccount) -> str:
    ends = [
        SideEnd(namer.sides[side], told.side, told.place)
        for side, told in account.sides.items()
        if side in namer.sides
    ]
    how = account.how if isinstance(account, Account) else "played"
    return " · ".join(outcome_parts(namer.book, account.result, how, ends))


def names_of(game: Game) -> dict[int, str]:
    """The names of the people of the game's campaign, by primary key."""
    return {seat.user_id: str(seat.user) for seat in game.campaign.seats}


def differences(
    namer: Namer, sides: Sequence[Side], accounts: Sequence[Account]
) -> list[tuple[str, list[str]]]:
    """The points in which the claims differ, with the words of each claim."""
    lines = [
        (_("Result"), [_result(namer, account) for account in accounts]),
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


def _result(namer: Namer, account: Account) -> str:
    """The result that a claim names, or how it says that the game ended without one."""
    if account.result:
        return namer.results.get(account.result, account.result)
    return str(Game.How(account.how).label)


def _side_lines(
    namer: Namer, side: Side, side_accounts: Sequence[SideAccount]
) -> Iterator[tuple[str, list[str]]]:
    """Every point that the claims make about a side, with the words of each claim."""
    tallies, reports = namer.tallies, [account.report for account in side_accounts]

    def describe_end(report: Report, member: int) -> str:
        if member not in report.fielded:
            return _("did not take part")
        mark = report.marks.get(member)
        hand, turn = namer.hand(report, member), report.turns.get(member)
        how = namer.marks.get(mark, mark) if mark else _("fit")
        if turn:
            how = _("%(mark)s, turn %(turn)s") % {"mark": how, "turn": turn}
        return _("%(mark)s, by %(name)s") % {"mark": how, "name": hand} if hand else how

    yield _("the outcome"), [str(Side.Kind(account.side).label) for account in side_accounts]
    yield _("the place"), [str(account.place or "") for account in side_accounts]
    for member in sorted({key for report in reports for key in (*report.fielded, *report.marks)}):
        yield namer.member(side.pk, member), [describe_end(report, member) for report in reports]
    for key in namer.counted(*reports):
        for member in sorted({who for report in reports for who in report.counts.get(key, {})}):
            what = f"{namer.member(side.pk, member)}, {tallies.get(key, key)}"
            yield what, [str(report.counts.get(key, {}).get(member, 0)) for report in reports]
    for key in dict.fromkeys(key for report in reports for key in report.tracks):
        for member in sorted({who for report in reports for who in report.tracks.get(key, {})}):
            what = f"{namer.member(side.pk, member)}, {namer.tracks.get(key, key)}"
            yield what, [str(report.tracks.get(key, {}).get(member, "")) for report in reports]
    for key in dict.fromkeys(key for report in reports for key in report.tallies):
        yield tallies.get(key, key), [str(report.tallies.get(key, 0)) for report in reports]
    yield _("money agreed on"), [str(report.money) for report in reports]
    for key in dict.fromkeys(key for report in reports for key in report.rewards):
        yield namer.currency(key), [str(report.rewards.get(key, 0)) for report in reports]
    yield _("captured"), [namer.captured(report) for report in reports]


def decision_on(game: Game, claims: Sequence[ClaimRow]) -> Decision | None:
    """The organiser's decision on a game; None if the players agreed."""
    current = next((claim for claim in claims if claim.pk == game.claim_id), None)
    if current is None or not current.data.decided:
        return None
    actor, data = _find_decision(game, current)
    return Decision(
        who=names_of(game).get(actor or 0, _("an organiser")),
        whose=str(game.reported_by or "") if data.taken else "",
        why=data.why,
    )


def _counts(namer: Namer, side: int, report: Report) -> Iterator[tuple[str, str]]:
    """Yield the counts of a report in which somebody has a number."""
    for key in namer.counted(report):
        if numbers := report.counts[key]:
            yield _count(namer, key, side, numbers)


def _find_decision(game: Game, current: ClaimRow) -> tuple[int | None, ClaimData]:
    """The organiser and the decision that players have added their casualties to. At most one
    query."""
    actor, data = current.actor, current.data
    rows = {row.pk: row for row in game.claims.all()} if data.taken is not None else {}
    while (row := rows.pop(data.taken or 0, None)) is not None:
        earlier = row.sound_data
        if earlier is None or not earlier.decided:
            break
        actor, data = row.actor_id, earlier
    return actor, data


def _count(namer: Namer, key: str, side: int, numbers: Mapping[int, int]) -> tuple[str, str]:
    """A count and its members, worded so that they are not read as the victims."""
    names = ((namer.member(side, member), number) for member, number in numbers.items())
    who = ", ".join(f"{name}\u00a0× {number}" if number > 1 else name for name, number in names)
    if key == TAKEN_OUT or key in namer.takes_out:
        who = _("by %(names)s") % {"names": who}
    return namer.tallies.get(key, key), who


def _lasting(namer: Namer, key: str, side: int, numbers: Mapping[int, int]) -> tuple[str, str]:
    """A tracker that lasts, and each member with their number."""
    names = (f"{namer.member(side, member)}\u00a0{number}" for member, number in numbers.items())
    return namer.tracks.get(key, key), ", ".join(names)


def _group_by_label(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pairs of label and name, grouped by label."""
    lines: defaultdict[str, list[str]] = defaultdict(list)
    for what, who in pairs:
        lines[what].append(who)
    return [(what, ", ".join(names)) for what, names in lines.items()]
