"""Telling: what is claimed of a game, where claims differ, and its dice, ready to be shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.claiming import Account, Standing, Told
from campaigns.models import Game, Side, Throw
from campaigns.situation import TAKEN_OUT, Hand, Report
from campaigns.telling import side_names
from campaigns.telling_postgame import ROLLED_FOR
from gangs.roster import Roster
from gangs.wording import language, shown_name, spoken
from rules.book import Book
from rules.dice import Roll
from rules.vocabulary import Text


@dataclass(frozen=True)
class ClaimLine:
    """A claim on the page: who says so, who is behind it, and whether the reader is, with all of
    his gangs. ``pk``: 0 for a report from before claims were kept."""

    pk: int
    who: str
    behind: tuple[str, ...]
    agreed: bool


@dataclass(frozen=True)
class Difference:
    """Something that claims tell differently, with what each says."""

    what: str
    said: tuple[str, ...]


@dataclass(frozen=True)
class ThrowLine:
    """A throw of a game. ``taken_back``: it was mistyped, and typed again."""

    whose: str
    what: str
    dice: str
    faces: tuple[str, ...]
    total: int | None
    by_app: bool
    who: str
    at: datetime
    taken_back: bool


class Namer:
    """Names of everybody in a game, out of the sides' rosters, each read once."""

    def __init__(self, book: Book, sides: Sequence[Side]) -> None:
        self.book = book
        self.sides = side_names(sides)
        self.by_side = {side.pk: self._names(side) for side in sides}
        self.by_gang = {str(side.gang_id): self.by_side[side.pk] for side in sides if side.gang}

    def member(self, side: int, member: int) -> str:
        """A member of a side."""
        return self.by_side[side].get(member, _("somebody"))

    def hand(self, hand: Hand) -> str:
        """Whoever put somebody out."""
        return self.by_gang.get(hand.gang, {}).get(hand.member, _("somebody"))

    def _names(self, side: Side) -> dict[int, str]:
        roster = side.gang.roster if side.gang is not None else Roster()
        return {member.id: shown_name(self.book, member) for member in roster.everyone()}


def told_side(namer: Namer, side: Side) -> dict[str, Any]:
    """A side of a reported game in words."""
    report, book = side.told, namer.book

    def name(member: int) -> str:
        return namer.member(side.pk, member)

    def fallen(member: int) -> str:
        hand = report.hands.get(member)
        if hand is None:
            return name(member)
        return _("%(name)s (by %(hand)s)") % {"name": name(member), "hand": namer.hand(hand)}

    known, tallies = _mark_names(book), _tally_names(book)
    return {
        "side": side,
        "name": namer.sides[side.pk],
        "owner": str(side.gang.owner) if side.gang and side.gang.owner else "",
        "outcome": str(Side.Kind(side.side).label),
        "fielded": [name(member) for member in report.fielded],
        "marks": _by_what(
            (known.get(key, key), fallen(member)) for member, key in report.marks.items()
        ),
        "counts": _by_what(
            (
                _did(book, key, tallies.get(key, key)),
                f"{name(member)}\u00a0× {number}" if number > 1 else name(member),
            )
            for key, counted in report.counts.items()
            if key != TAKEN_OUT or not _are_told_apart(book, report)
            for member, number in counted.items()
        ),
        "tallies": [
            (tallies.get(key, key), count) for key, count in report.tallies.items() if count
        ],
        "money": report.money,
        "progress": _progress(side),
    }


def _progress(side: Side) -> str:
    """How far the side's post-game is; "" before there is any."""
    if side.game.status != Game.Status.CONFIRMED or side.gang is None:
        return ""
    if side.correcting:
        return _("The post-game is to be played again")
    return _("The post-game is played") if side.done else _("The post-game is still to be played")


def claim_lines(
    game: Game, claims: Sequence[Standing], sides: Sequence[Side], user: User
) -> list[ClaimLine]:
    """The claims that stand. Reads the campaign's people."""
    names, called = names_of(game), side_names(sides)
    mine = {side.pk for side in sides if side.is_of(user)}
    agreeing = {side.pk for side in sides if side.verdict == Side.Verdict.CONFIRMED}
    told = [(claim.pk, claim.actor, set(claim.said.behind)) for claim in claims]
    return [
        ClaimLine(
            pk=pk,
            who=names.get(actor or 0, _("somebody")),
            behind=tuple(name for side, name in called.items() if side in behind),
            agreed=bool(mine) and mine <= behind,
        )
        for pk, actor, behind in told or [(0, game.reported_by_id, agreeing)]
    ]


def names_of(game: Game) -> dict[int, str]:
    """The names of those who take part in the game's campaign."""
    return {seat.user_id: str(seat.user) for seat in game.campaign.seats}


def differences(
    namer: Namer, sides: Sequence[Side], accounts: Sequence[Account]
) -> list[Difference]:
    """Whatever the claims do not tell alike, in words."""
    found = []

    def compare(what: str, tell: Callable[[Account], str]) -> None:
        said = tuple(tell(account) or "–" for account in accounts)
        if len(set(said)) > 1:
            found.append(Difference(what, said))

    book = namer.book
    names = {row.key: spoken(row.name) for row in book.campaign.results}
    compare(_("Result"), lambda account: names.get(account.result, account.result))
    compare(_("Day"), lambda account: date_format(account.played_on, "j N Y"))
    for side in sides:
        told = [account.sides[side.pk] for account in accounts]
        for what, said in _side_differences(namer, side, told):
            values = {"gang": namer.sides[side.pk], "what": what}
            found.append(Difference(_("%(gang)s: %(what)s") % values, said))
    compare(_("What will be remembered"), lambda account: account.note)
    return found


def _side_differences(
    namer: Namer, side: Side, told: Sequence[Told]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    marks, tallies = _mark_names(namer.book), _tally_names(namer.book)
    reports = [one.report for one in told]

    def differ(what: str, said: Iterable[object]) -> Iterator[tuple[str, tuple[str, ...]]]:
        words = tuple(str(one) for one in said)
        if len(set(words)) > 1:
            yield what, words

    def ended(report: Report, member: int) -> str:
        if member not in report.fielded:
            return _("did not take part")
        mark = report.marks.get(member)
        hand = report.hands.get(member)
        how = marks.get(mark, mark) if mark else _("fit")
        if hand is None:
            return how
        return _("%(mark)s, by %(name)s") % {"mark": how, "name": namer.hand(hand)}

    yield from differ(_("how it came out"), (Side.Kind(one.side).label for one in told))
    for member in sorted({key for report in reports for key in (*report.fielded, *report.marks)}):
        name = namer.member(side.pk, member)
        yield from differ(name, (ended(report, member) for report in reports))
    apart = any(_are_told_apart(namer.book, report) for report in reports)
    for key in dict.fromkeys(key for report in reports for key in report.counts):
        if key == TAKEN_OUT and apart:
            continue
        for member in sorted({who for report in reports for who in report.counts.get(key, {})}):
            what = f"{namer.member(side.pk, member)}, {tallies.get(key, key)}"
            yield from differ(what, (one.counts.get(key, {}).get(member, 0) for one in reports))
    for key in dict.fromkeys(key for report in reports for key in report.tallies):
        what = tallies.get(key, key)
        yield from differ(what, (report.tallies.get(key, 0) for report in reports))
    yield from differ(_("money agreed on"), (report.money for report in reports))


def throw_lines(book: Book, throws: Iterable[Throw], sides: Sequence[Side]) -> list[ThrowLine]:
    """Every throw of a game, in the order in which they were made."""
    by_side = side_names(sides)
    lines = []
    for thrown in throws:
        roll = Roll.model_validate(thrown.roll)
        table = book.table.get(str(thrown.about.get("table", "")))
        names = [spoken(face) for face in table.faces] if table is not None else []
        lines.append(
            ThrowLine(
                whose=by_side.get(thrown.side_id or 0, ""),
                what=_what_for(book, thrown.about),
                dice=roll.dice.upper(),
                faces=tuple(names[face - 1] if names else str(face) for face in roll.faces),
                total=roll.total if len(roll.faces) > 1 else None,
                by_app=roll.thrown_by == "app",
                who=str(thrown.actor) if thrown.actor else "",
                at=thrown.at,
                taken_back=thrown.taken_back_at is not None,
            )
        )
    return lines


def _what_for(book: Book, about: Mapping[str, Any]) -> str:
    """What a throw was for, for the reader; whatever the rulebook no longer knows is left out."""
    parts = []
    if member := str(about.get("member", "")):
        rank = book.rank.get(member)
        parts.append(spoken(rank.name) if rank else member)
    for name in ("table", "scenario_table"):
        if (key := about.get(name)) in book.table:
            parts.append(spoken(book.table[key].name))
    if about.get("asked") in ROLLED_FOR:
        parts.append(str(ROLLED_FOR[about["asked"]]))
    if isinstance(about.get("what"), dict):
        parts.append(Text.model_validate(about["what"]).said(language()))
    if "roles" in about:
        parts.append(_("Who is what"))
    return " · ".join(parts)


def decision(game: Game, claims: Sequence[Standing]) -> dict[str, str]:
    """Who decided a game, whose word he took and why; empty if the players agreed."""
    current = next((one for one in claims if one.pk == game.claim_id), None)
    if current is None or not current.said.decided:
        return {}
    return {
        "who": names_of(game).get(current.actor or 0, _("an organiser")),
        "whose": str(game.reported_by or "") if current.said.taken else "",
        "why": current.said.why,
    }


def _mark_names(book: Book) -> dict[str, str]:
    return {row.key: spoken(row.name) for row in book.campaign.marks}


def _tally_names(book: Book) -> dict[str, str]:
    names = {row.key: spoken(row.name) for row in book.campaign.tallies}
    names.setdefault(TAKEN_OUT, _("Enemies put out of action"))
    return names


def _did(book: Book, key: str, name: str) -> str:
    """What stands before those who did it: never to be read as if it was done to them."""
    rows = {row.key: row for row in book.campaign.tallies}
    if key == TAKEN_OUT or (key in rows and rows[key].takes_out):
        return _("%(what)s, by") % {"what": name}
    return name


def _are_told_apart(book: Book, report: Report) -> bool:
    """Whether the enemies taken out are counted by sort, so that their sum says nothing more."""
    return any(row.takes_out and row.key in report.counts for row in book.campaign.tallies)


def _by_what(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Everybody of whom the same is told on one line."""
    lines: dict[str, list[str]] = {}
    for what, who in pairs:
        lines.setdefault(what, []).append(who)
    return [(what, ", ".join(names)) for what, names in lines.items()]
