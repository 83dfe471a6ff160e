"""Claims about a game by players and organisers: which of them are valid, and what they decide.

All claims have equal weight. None counts until all players agree on it or an organiser decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from campaigns.engine.how import FOUGHT, Manner
from campaigns.engine.report import Report, SideKind
from common.errors import Refusal, Stale
from gangs.engine.entries import LINES, ONE_LINE
from rules.book.vocabulary import Frozen, Key

# Values that are left out of stored data unless they are set: older sites do not know them.
Place = Annotated[int, Field(ge=1, le=100)]
MaybePlace = Annotated[Place | None, Field(exclude_if=lambda place: place is None)]
MarkedManner = Annotated[Manner, Field(exclude_if=lambda how: how == "played")]


@dataclass(frozen=True)
class SideAccount:
    """One side's part of a claim. ``place``: first, second … of three or more sides, None if nobody
    counted them; equal sides have the same place."""

    side: SideKind
    report: Report
    place: MaybePlace = None


class Account(Frozen):
    """One person's account of a whole game; ``sides`` by primary key.

    ``result``: a result of the rulebook if the game was played as it knows it, else "". Without a
    battle, the report of a side has only the money that the result brings it.
    """

    result: Key | Literal[""]
    how: MarkedManner = "played"
    played_on: date
    note: Annotated[str, Field(max_length=2000), LINES] = ""
    sides: Annotated[dict[int, SideAccount], Field(max_length=100)]

    @model_validator(mode="after")
    def _check_result(self) -> Self:
        """Check that the account has a result of the rulebook exactly if the game was played."""
        if bool(self.result) != (self.how == "played"):
            raise ValueError("a result of the rulebook belongs to a played game")
        return self

    @property
    def is_fought(self) -> bool:
        """Whether the gangs fought, so that a post-game follows."""
        return self.how in FOUGHT


class ClaimData(Frozen):
    """A claim as stored. ``behind``: the sides that agree with it, by their players.

    ``decided``: an organiser's decision, which needs no player's consent; ``taken``: the claim that
    the organiser adopted, None for an account of their own; ``why``: their reason.
    """

    account: Account
    behind: Annotated[tuple[int, ...], Field(max_length=100)] = ()
    decided: bool = False
    taken: int | None = None
    why: Annotated[str, Field(max_length=300), ONE_LINE] = ""

    @property
    def is_first_word(self) -> bool:
        """Whether an organiser decided before anybody else had reported: corrections have a
        reason."""
        return self.decided and not self.why


@dataclass(frozen=True)
class ClaimRow:
    """A claim with its primary key and its author (None: the account is deleted)."""

    pk: int
    actor: int | None
    data: ClaimData

    def backed(self, sides: Iterable[int]) -> ClaimRow:
        """Return the claim with these sides behind it, too."""
        return self._supported({*self.data.behind, *sides})

    def left(self, sides: Iterable[int]) -> ClaimRow:
        """Return the claim without these sides behind it."""
        return self._supported(set(self.data.behind).difference(sides))

    def _supported(self, sides: Iterable[int]) -> ClaimRow:
        behind = tuple(sorted(sides))
        return replace(self, data=self.data.model_copy(update={"behind": behind}))


def standing(claims: Sequence[ClaimRow], players: Iterable[int | None]) -> list[ClaimRow]:
    """The valid claims, oldest first: each person's latest, if any side is behind it.

    ``players``: the owners of the gangs that take part. Anybody else (an organiser) has no side
    that could be behind their claim; it counts without one.
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
# The primary key of a claim that is not saved yet.
NEW = 0


@dataclass(frozen=True)
class Seat:
    """A side of the game and its verdict. ``plays``: its gang still exists; ``owner``: the gang's
    player; ``gang``: its key; ``by``: the user who gave the verdict."""

    pk: int
    owner: int | None = None
    gang: str = ""
    plays: bool = True
    verdict: Verdict = ""
    by: int | None = None
    comment: str = ""


@dataclass(frozen=True)
class Contest:
    """A game with its claims so far. ``claim``: the one in force; ``account``: its content, None
    before the first claim; ``claims``: the valid ones, oldest first."""

    version: int
    status: Status
    claim: int | None
    reported_by: int | None
    account: Account | None
    seats: tuple[Seat, ...]
    claims: tuple[ClaimRow, ...]

    def sides_of(self, actor: int | None) -> frozenset[int]:
        """The sides played by this user's gangs."""
        return frozenset(seat.pk for seat in self.seats if actor and seat.owner == actor)

    def pick(self, claim: int | None) -> ClaimRow:
        """The claim named, or else the one in force. Raises Stale if it is no longer valid."""
        wanted = self.claim if claim is None else claim
        for claim_row in self.claims:
            if claim_row.pk == wanted:
                return claim_row
        raise Stale

    def has_claimed(self, actor: int, account: Account) -> bool:
        """Whether this user has already claimed exactly this."""
        return any(claim.actor == actor and claim.data.account == account for claim in self.claims)


@dataclass(frozen=True)
class Speaker:
    """A user who speaks about a game. ``organises``: they run its campaign; ``expected_version``:
    the version of the game that they saw."""

    actor: int
    organises: bool
    expected_version: int


@dataclass(frozen=True)
class Settlement:
    """The outcome for a game after somebody has spoken.

    ``claim``: the claim in force, ``NEW`` for the ``new_claim`` that is still to be saved;
    ``account``: the new content of game and sides, None if it is unchanged; ``changed``: claims
    with a new ``behind``, by primary key; ``news``: the notice that players get; ``reopened``: the
    sides whose post-games were based on other facts.
    """

    status: Outcome
    claim: int | None
    reported_by: int | None
    seats: tuple[Seat, ...]
    news: Outcome | Literal["", "decided", "completed"] = ""
    account: Account | None = None
    new_claim: ClaimData | None = None
    changed: Mapping[int, ClaimData] = field(default_factory=dict)
    reopened: tuple[int, ...] = ()


# Each function below takes one user's statement and returns the new settlement, or None if they
# have already said the same. Each raises Refusal if the user may not say this, or not now, and
# Stale if the game, or the claim that they mean, has changed since they saw it.


def report(game: Contest, by: Speaker, account: Account) -> Settlement | None:
    """Claim that the game went as ``account`` describes."""
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
    settlement = _settle(game, by.actor, [*before, ClaimRow(NEW, by.actor, new_claim)])
    return replace(settlement, news=settlement.status)


def agree(game: Contest, by: Speaker, claim: int | None = None) -> Settlement | None:
    """Agree with a claim; with None, agree with the claim in force."""
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
        settlement = _settle(game, by.actor, claims)
    else:
        settlement = _adopt(game, picked, by.actor)
    return replace(settlement, news="confirmed" if settlement.status == "confirmed" else "")


def object_to(game: Contest, by: Speaker, comment: str) -> Settlement:
    """Object to the claim in force."""
    if game.status not in OPEN:
        raise Refusal("nothing_to_confirm")
    _check_version(game, by)
    own = game.sides_of(by.actor)
    if not own:
        raise Refusal("not_your_game")
    claims = [row.left(own) if row.pk == game.claim else row for row in game.claims]
    settlement = _settle(game, by.actor, claims, objection=comment)
    return replace(settlement, news="disputed")


def decide(
    game: Contest,
    by: Speaker,
    claim: int | None = None,
    account: Account | None = None,
    why: str = "",
) -> Settlement | None:
    """Decide as an organiser: adopt a claim, or give an account of your own, even of a game that
    nobody has reported. ``why``: the reason, which a correction of a confirmed game needs."""
    if not by.organises:
        raise Refusal("not_organiser")
    if account is not None and game.has_claimed(by.actor, account):
        return None
    _check_version(game, by)
    if game.status == "struck":
        raise Refusal("game_struck")
    if game.status == "planned" and account is None:
        raise Refusal("nothing_to_confirm")
    corrects = game.status == "confirmed"
    if corrects and not why:
        raise Refusal("reason_missing")
    if account is None:
        settlement = _adopt(game, game.pick(claim), by.actor, why)
    else:
        data = ClaimData(account=account, decided=True, why=why)
        settlement = _decided(game, ClaimRow(NEW, by.actor, data))
    before, now = game.account, settlement.account
    reopened: list[int] = []
    if corrects and before and now:
        players = (seat for seat in game.seats if seat.plays)
        reopened = [seat.pk for seat in players if _facts(before, seat) != _facts(now, seat)]
    return replace(settlement, news="decided", reopened=tuple(reopened))


def complete(game: Contest, by: Speaker, reports: Mapping[int, Report]) -> Settlement | None:
    """Let a player add the ``reports`` of their own sides to a game that an organiser has decided.
    The result, and the reports of the others, stay."""
    before, own = game.account, game.sides_of(by.actor) & reports.keys()
    claim = next((row for row in game.claims if row.pk == game.claim), None)
    if (
        game.status != "confirmed"
        or before is None
        or claim is None
        or not claim.data.is_first_word
    ):
        raise Refusal("nothing_to_confirm")
    if not own:
        raise Refusal("not_your_game")
    parts = {pk: replace(before.sides[pk], report=reports[pk]) for pk in own}
    account = before.model_copy(update={"sides": {**before.sides, **parts}})
    if account == before:
        return None
    _check_version(game, by)
    data = claim.data.model_copy(update={"account": account, "taken": claim.pk})
    settlement = _decided(game, ClaimRow(NEW, by.actor, data))
    return replace(settlement, news="completed", reopened=tuple(sorted(own)))


def _adopt(game: Contest, claim: ClaimRow, actor: int, why: str = "") -> Settlement:
    """Adopt this claim as the organiser's decision."""
    data = claim.data.model_copy(update={"decided": True, "taken": claim.pk, "why": why})
    settlement = _decided(game, ClaimRow(NEW, actor, data))
    return settlement if claim.data.decided else replace(settlement, reported_by=claim.actor)


def _decided(game: Contest, decision: ClaimRow) -> Settlement:
    return _settle(game, decision.actor, [*game.claims, decision], decision)


def _settle(
    game: Contest,
    actor: int | None,
    claims: Sequence[ClaimRow],
    decision: ClaimRow | None = None,
    objection: str = "",
) -> Settlement:
    """Work out the settlement from these claims. Claims that nobody is behind any more may be
    among them; they are ignored, since their players have taken them back.

    ``actor``: the user who has spoken.
    """
    players = [seat for seat in game.seats if seat.plays]
    valid = standing(claims, [seat.owner for seat in players])
    valid = [claim for claim in valid if claim is not decision]
    agreed = find_agreed(valid, [seat.pk for seat in players])
    # Until somebody decides, the claim in force stays in force as long as it is valid.
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
    reports = turned and (not turned.data.decided or game.status == "planned")
    return Settlement(
        status=status,
        claim=turned.pk if turned else game.claim,
        reported_by=turned.actor if turned and reports else game.reported_by,
        seats=tuple(judged),
        account=turned.data.account if turned else None,
        new_claim=next((row.data for row in claims if row.pk == NEW), None),
        changed={row.pk: row.data for row in claims if row.data != before.get(row.pk, row.data)},
    )


def _facts(account: Account, seat: Seat) -> tuple[object, ...]:
    """The facts that a side's post-game is based on, with the holdings that others captured. The
    credits and turns of members put out of action change no post-game, nor does the order in which
    a form lists the participants."""
    side_account = account.sides[seat.pk]
    fielded = tuple(sorted(side_account.report.fielded))
    same = {"credits": {}, "turns": {}, "by_nonplayers": {}, "fielded": fielded}
    report = side_account.report.model_copy(update=same)
    lost = {
        capture
        for other in account.sides.values()
        for capture in other.report.captures
        if capture.gang == seat.gang
    }
    how = (account.how, account.result)
    return *how, side_account.side, side_account.place, report, lost


def _check_version(game: Contest, by: Speaker) -> None:
    if game.version != by.expected_version:
        raise Stale
