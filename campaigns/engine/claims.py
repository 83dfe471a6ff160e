"""What players and organisers say of a game: which claims stand, and what follows from them.

Every claim weighs the same, whoever was first. Nothing counts before all agree on one, or an
organiser decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from campaigns.engine.report import Report, SideKind
from common.errors import Refusal, Stale
from gangs.engine.entries import LINES, ONE_LINE
from rules.book.vocabulary import Frozen, Key


@dataclass(frozen=True)
class SideAccount:
    """What a claim says about one side."""

    side: SideKind
    report: Report


class Account(Frozen):
    """The whole of what happened, as somebody tells it; ``sides`` by their primary keys."""

    result: Key
    played_on: date
    note: Annotated[str, Field(max_length=2000), LINES] = ""
    sides: Annotated[dict[int, SideAccount], Field(max_length=100)]


class ClaimData(Frozen):
    """A claim as it is kept. ``behind``: the sides whose players say so.

    ``decided``: an organiser's decision, which needs nobody behind it; ``taken``: the claim whose
    word they took, if they did not tell it themselves; ``why``: the reason that they gave.
    """

    account: Account
    behind: Annotated[tuple[int, ...], Field(max_length=100)] = ()
    decided: bool = False
    taken: int | None = None
    why: Annotated[str, Field(max_length=300), ONE_LINE] = ""


@dataclass(frozen=True)
class ClaimRow:
    """A claim with its number and who made it (None: their account is gone)."""

    pk: int
    actor: int | None
    data: ClaimData

    def backed(self, sides: Iterable[int]) -> ClaimRow:
        """The claim with these sides behind it too."""
        behind = tuple(sorted({*self.data.behind, *sides}))
        return replace(self, data=self.data.model_copy(update={"behind": behind}))

    def left(self, sides: Iterable[int]) -> ClaimRow:
        """The claim without these sides."""
        gone = set(sides)
        behind = tuple(side for side in self.data.behind if side not in gone)
        return replace(self, data=self.data.model_copy(update={"behind": behind}))


def standing(claims: Sequence[ClaimRow], players: Iterable[int | None]) -> list[ClaimRow]:
    """The claims that still count, oldest first: each person's last, if anybody is behind it.

    ``players``: whose gangs take part. Somebody else who tells what happened (an organiser) has no
    side that could be behind their claim, and it stands all the same.
    """
    latest = {claim.actor: claim.pk for claim in claims}
    playing = {None, *players}
    return [
        claim
        for claim in claims
        if claim.data.behind or claim.actor not in playing
        if claim.actor is None or latest[claim.actor] == claim.pk
    ]


def find_agreed(claims: Sequence[ClaimRow], sides: Iterable[int]) -> ClaimRow | None:
    """The claim that all these sides are behind, if there is one."""
    needed = set(sides)
    return next((claim for claim in claims if needed <= set(claim.data.behind)), None)


Outcome = Literal["reported", "disputed", "confirmed"]
Status = Outcome | Literal["planned", "struck"]
Verdict = Literal["", "confirmed", "disputed"]
OPEN = ("reported", "disputed")
# The number of a claim that is not written yet.
NEW = 0


@dataclass(frozen=True)
class Seat:
    """A side, as far as claims are about it. ``plays``: its gang is still there; ``owner``: whose
    it is; ``by``: who gave the verdict."""

    pk: int
    owner: int | None = None
    plays: bool = True
    verdict: Verdict = ""
    by: int | None = None
    comment: str = ""


@dataclass(frozen=True)
class Contest:
    """A game and what is said of it so far. ``claim``: the one that it goes by; ``account``: what
    that says, None before the first; ``claims``: those that stand, the oldest first."""

    version: int
    status: Status
    claim: int | None
    reported_by: int | None
    account: Account | None
    seats: tuple[Seat, ...]
    claims: tuple[ClaimRow, ...]

    def sides_of(self, actor: int | None) -> frozenset[int]:
        """The sides that are somebody's."""
        return frozenset(seat.pk for seat in self.seats if actor and seat.owner == actor)

    def pick(self, claim: int | None) -> ClaimRow:
        """The claim named, or that which the game goes by. Raises Stale if it does not stand."""
        wanted = self.claim if claim is None else claim
        for claim_row in self.claims:
            if claim_row.pk == wanted:
                return claim_row
        raise Stale

    def has_claimed(self, actor: int, account: Account) -> bool:
        """Whether this is what somebody says already."""
        return any(claim.actor == actor and claim.data.account == account for claim in self.claims)


@dataclass(frozen=True)
class Speaker:
    """Who says something of a game. ``organises``: they run its campaign; ``expected_version``: of
    the game as they saw it."""

    actor: int
    organises: bool
    expected_version: int


@dataclass(frozen=True)
class Settlement:
    """Where a game stands once somebody has spoken.

    ``claim``: the claim that it goes by, ``NEW`` for the ``new_claim``, which is still to be
    written; ``account``: what game and sides say from now on, None if that is what they say;
    ``changed``: claims that somebody else is behind now, by number; ``news``: of what the players
    are notified; ``reopened``: the sides whose post-games went by something else so far.
    """

    status: Outcome
    claim: int | None
    reported_by: int | None
    seats: tuple[Seat, ...]
    news: Outcome | Literal["", "decided"] = ""
    account: Account | None = None
    new_claim: ClaimData | None = None
    changed: Mapping[int, ClaimData] = field(default_factory=dict)
    reopened: tuple[int, ...] = ()


# What somebody says, and where the game stands then; None if they have said it before. Each raises
# Refusal if it is not theirs to say, or not now, and Stale if the game, or the claim that they
# mean, is no longer as they saw it.


def report(game: Contest, by: Speaker, account: Account) -> Settlement | None:
    """This is what happened."""
    own = game.sides_of(by.actor)
    if game.has_claimed(by.actor, account):
        return None
    _check_version(game, by)
    if game.status == "struck":
        raise Refusal("game_struck")
    if game.status == "confirmed":
        raise Refusal("confirmed_already")
    if not (by.organises or own):
        raise Refusal("not_your_game")
    new_claim = ClaimData(account=account, behind=tuple(sorted(own)))
    before = [claim.left(own) for claim in game.claims]
    settlement = _settled(game, by.actor, [*before, ClaimRow(NEW, by.actor, new_claim)])
    return replace(settlement, news=settlement.status)


def agree(game: Contest, by: Speaker, claim: int | None = None) -> Settlement | None:
    """It went as this claim says; None: as the one says that the game goes by."""
    own = game.sides_of(by.actor)
    agreeing = [seat.verdict == "confirmed" for seat in game.seats if seat.pk in own]
    if claim is not None and claim == game.claim and own and all(agreeing):
        return None
    if game.status not in OPEN:
        raise Refusal("nothing_to_confirm")
    if claim is None or all(row.pk != claim for row in game.claims):
        _check_version(game, by)
    if not (own or by.organises):
        raise Refusal("not_your_game")
    picked = game.pick(claim)
    if own:
        claims = [row.backed(own) if row is picked else row.left(own) for row in game.claims]
        settlement = _settled(game, by.actor, claims)
    else:
        settlement = _taken(game, picked, by.actor)
    return replace(settlement, news="confirmed" if settlement.status == "confirmed" else "")


def object_to(game: Contest, by: Speaker, comment: str) -> Settlement:
    """It did not go as the claim says that the game goes by."""
    if game.status not in OPEN:
        raise Refusal("nothing_to_confirm")
    _check_version(game, by)
    own = game.sides_of(by.actor)
    if not own:
        raise Refusal("not_your_game")
    claims = [row.left(own) if row.pk == game.claim else row for row in game.claims]
    settlement = _settled(game, by.actor, claims, objection=comment)
    return replace(settlement, news="disputed")


def decide(
    game: Contest,
    by: Speaker,
    claim: int | None = None,
    account: Account | None = None,
    why: str = "",
) -> Settlement | None:
    """An organiser's word: a claim as it is, or an account of their own; ``why``: the reason."""
    if not by.organises:
        raise Refusal("not_organiser")
    if account is not None and game.has_claimed(by.actor, account):
        return None
    _check_version(game, by)
    if game.status == "struck":
        raise Refusal("game_struck")
    if game.status == "planned":
        raise Refusal("nothing_to_confirm")
    corrects = game.status == "confirmed"
    if corrects and not why:
        raise Refusal("reason_missing")
    if account is None:
        settlement = _taken(game, game.pick(claim), by.actor, why)
    else:
        data = ClaimData(account=account, decided=True, why=why)
        settlement = _decided(game, ClaimRow(NEW, by.actor, data))
    before, now = game.account, settlement.account
    reopened: list[int] = []
    if corrects and before and now:
        players = (seat.pk for seat in game.seats if seat.plays)
        reopened = [pk for pk in players if _facts(before, pk) != _facts(now, pk)]
    return replace(settlement, news="decided", reopened=tuple(reopened))


def _taken(game: Contest, claim: ClaimRow, actor: int, why: str = "") -> Settlement:
    """An organiser takes this claim as it is."""
    data = claim.data.model_copy(update={"decided": True, "taken": claim.pk, "why": why})
    settlement = _decided(game, ClaimRow(NEW, actor, data))
    return settlement if claim.data.decided else replace(settlement, reported_by=claim.actor)


def _decided(game: Contest, decision: ClaimRow) -> Settlement:
    return _settled(game, decision.actor, [*game.claims, decision], decision)


def _settled(
    game: Contest,
    actor: int | None,
    claims: Sequence[ClaimRow],
    decision: ClaimRow | None = None,
    objection: str = "",
) -> Settlement:
    """Where the game stands with these claims, those that nobody is behind any more among them:
    nobody can be taken at a word that they took back. ``actor``: who has spoken."""
    players = [seat for seat in game.seats if seat.plays]
    valid = standing(claims, [seat.owner for seat in players])
    valid = [claim for claim in valid if claim is not decision]
    agreed = find_agreed(valid, [seat.pk for seat in players])
    # While nobody decides, what the game went by, as long as that stands.
    kept = [claim for claim in valid if claim.pk == game.claim] or valid
    current = decision or agreed or next(iter(kept), None)
    turned = current if game.status == "planned" or (current and current.pk != game.claim) else None
    own, behind = game.sides_of(actor), current.data.behind if current else ()
    elsewhere = {side for claim in valid for side in claim.data.behind}
    if decision and not decision.data.taken:
        elsewhere = set()
    judged = []
    for seat in game.seats:
        comment = objection if objection and seat.pk in own else seat.comment
        by = actor if seat.pk in own else seat.by
        if not seat.plays or seat.pk in behind:
            judged.append(replace(seat, verdict="confirmed", by=by, comment=""))
        elif (comment := "" if turned and not decision else comment) or seat.pk in elsewhere:
            judged.append(replace(seat, verdict="disputed", by=by, comment=comment))
        else:
            judged.append(replace(seat, verdict="", by=None, comment=""))
    status: Outcome = "reported"
    if decision or agreed:
        status = "confirmed"
    elif any(seat.verdict == "disputed" for seat in judged):
        status = "disputed"
    before = {claim.pk: claim.data for claim in game.claims}
    return Settlement(
        status=status,
        claim=turned.pk if turned else game.claim,
        reported_by=turned.actor if turned and not turned.data.decided else game.reported_by,
        seats=tuple(judged),
        account=turned.data.account if turned else None,
        new_claim=next((row.data for row in claims if row.pk == NEW), None),
        changed={row.pk: row.data for row in claims if row.data != before.get(row.pk, row.data)},
    )


def _facts(account: Account, side: int) -> tuple[object, ...]:
    """What a side's post-game goes by. Who put somebody out, and when, is a story, and changes
    none; nor does in which order a form names those who took part."""
    side_account = account.sides[side]
    fielded = tuple(sorted(side_account.report.fielded))
    report = side_account.report.model_copy(update={"credits": {}, "turns": {}, "fielded": fielded})
    return account.result, side_account.side, report


def _check_version(game: Contest, by: Speaker) -> None:
    if game.version != by.expected_version:
        raise Stale
