"""What a claim says happened in a game, and which of several claims stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from campaigns.situation import Report, SideKind
from rules.vocabulary import Frozen, Key


@dataclass(frozen=True)
class Told:
    """What a claim says about one side."""

    side: SideKind
    report: Report


class Account(Frozen):
    """The whole of what happened, as somebody tells it; ``sides`` by their primary keys."""

    result: Key
    played_on: date
    note: str = ""
    sides: dict[int, Told]


class Claimed(Frozen):
    """A claim as it is kept. ``behind``: the sides whose players say so.

    ``decided``: an organiser's decision, which needs nobody behind it; ``taken``: the claim whose
    word he took, if he did not tell it himself; ``why``: the reason that he gave.
    """

    account: Account
    behind: tuple[int, ...] = ()
    decided: bool = False
    taken: int | None = None
    why: str = ""


@dataclass(frozen=True)
class Standing:
    """A claim with its number and who made it (None: his account is gone)."""

    pk: int
    actor: int | None
    said: Claimed

    def backed(self, sides: Iterable[int]) -> Standing:
        """The claim with these sides behind it too."""
        behind = tuple(sorted({*self.said.behind, *sides}))
        return replace(self, said=self.said.model_copy(update={"behind": behind}))

    def left(self, sides: Iterable[int]) -> Standing:
        """The claim without these sides."""
        gone = set(sides)
        behind = tuple(side for side in self.said.behind if side not in gone)
        return replace(self, said=self.said.model_copy(update={"behind": behind}))


def standing(claims: Sequence[Standing], players: Iterable[int | None]) -> list[Standing]:
    """The claims that still count, oldest first: of each person his last, if anybody is behind it.

    ``players``: whose gangs take part. Somebody else who tells what happened (an organiser) has no
    side that could be behind his claim, and it stands all the same.
    """
    latest = {claim.actor: claim.pk for claim in claims}
    playing = {None, *players}
    return [
        claim
        for claim in claims
        if claim.said.behind or claim.actor not in playing
        if claim.actor is None or latest[claim.actor] == claim.pk
    ]


def agreed_on(claims: Sequence[Standing], sides: Iterable[int]) -> Standing | None:
    """The claim that all these sides are behind, if there is one."""
    needed = set(sides)
    return next((claim for claim in claims if needed <= set(claim.said.behind)), None)
