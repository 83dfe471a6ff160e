"""The bodies that programs send, as models."""

from __future__ import annotations

import uuid
from datetime import date
from typing import Annotated, Literal

from ninja import Schema
from pydantic import ConfigDict, Field

from campaigns.models import Attendance

# More members, kinds of counts or sides than any game has.
MOST = 200

# Only spelt out: an alias would get a name in the description that no file can have.
SOME = Field(max_length=MOST)
Member = Annotated[int, Field(ge=1, le=2**31)]
Count = Annotated[int, Field(ge=0, le=100_000)]
# A number at the end of a game, of a track that lasts.
Number = Annotated[int, Field(ge=-100_000, le=100_000)]
Word = Annotated[str, Field(max_length=60)]


class Body(Schema):
    """A body: a field that nobody knows is a mistake."""

    model_config = ConfigDict(extra="forbid")


class Coming(Body):
    """Whether a gang comes to a night."""

    gang: uuid.UUID
    answer: Literal["yes", "maybe", "no"]


assert set(Attendance.Answer.values) == {"yes", "maybe", "no"}


class Hand(Body):
    """A member of a gang."""

    gang: uuid.UUID
    member: Member


class Fallen(Body):
    """A member that went down. ``mark``: how, as a key of the rulebook; ``by``: who did it."""

    mark: Word
    by: Hand | None = None


class SideReport(Body):
    """A gang's part of a report.

    ``fielded``: the ids of the members that took part; ``fallen``: those that went down, by id;
    ``counts``: of members, by kind and id; the kinds are "taken_out" or, if the rulebook has
    tallies of members, their keys; ``tallies``: of the gang, by key; ``tracks``: numbers of members
    at the end of the game, by track that lasts and id; ``money``: agreed on; ``place``: of three or
    more sides.
    """

    gang: uuid.UUID
    fielded: Annotated[list[Member], Field(max_length=MOST)]
    fallen: Annotated[dict[Member, Fallen], SOME] = {}
    counts: Annotated[dict[Word, Annotated[dict[Member, Count], SOME]], SOME] = {}
    tallies: Annotated[dict[Word, Count], SOME] = {}
    tracks: Annotated[dict[Word, Annotated[dict[Member, Number], SOME]], SOME] = {}
    money: Count | None = None
    place: Annotated[int, Field(ge=1, le=100)] | None = None


class Captured(Body):
    """A holding that the winner captured, by the gang that had it and its id there."""

    gang: uuid.UUID
    holding: Member


class GameReport(Body):
    """A report of a game, as the form on its page takes it.

    ``winner``: a gang, None for a result without one, and for gangs that play together against the
    book; ``result``: a key of the rulebook, "" where the winner says enough, needed against the
    book; ``draw``: a draw that
    the rulebook does not have; ``played_on``: today if it is missing; ``sure``: send doubtful
    things anyway; ``decide``: as an organiser, for everybody; ``why``: the reason for correcting a
    confirmed result.
    """

    winner: uuid.UUID | None = None
    result: Word = ""
    draw: bool = False
    played_on: date | None = None
    note: Annotated[str, Field(max_length=2000)] = ""
    sides: Annotated[list[SideReport], Field(min_length=1, max_length=100)]
    captures: Annotated[list[Captured], Field(max_length=MOST)] = []
    sure: bool = False
    decide: bool = False
    why: Annotated[str, Field(max_length=300)] = ""


class Consent(Body):
    """Consent to a claim about a game; None for the one that counts now."""

    claim: Annotated[int, Field(ge=1, le=2**62)] | None = None
