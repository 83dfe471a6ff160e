"""The answers of the API: models of its own, so that stored data may change without breaking
programs."""

from __future__ import annotations

import uuid
from datetime import date, datetime
from typing import Any

from ninja import Schema
from pydantic import Field

from campaigns.access import playing
from campaigns.club.nights import schedule
from campaigns.games.results import claims_of
from campaigns.models import Campaign, Fixture, Game, Night, Round, Side, Stage
from gangs.models import Gang


class Mistake(Schema):
    """A mistake in what was sent. ``place``: where, such as "sides.0.fallen.3"."""

    place: str
    detail: str


class Problem(Schema):
    """An error (RFC 9457). ``detail``: what went wrong, in words; ``code``: the same for programs,
    where there is one."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str = ""
    errors: list[Mistake] = []


class Account(Schema):
    """The owner of the token."""

    name: str
    language: str


class Rulebook(Schema):
    """A rulebook that the site offers. ``digest`` identifies its version."""

    slug: str
    title: str
    edition: str
    digest: str


class GangLine(Schema):
    """A gang in a list. ``version`` grows with every change; ``shared``: the key of its shared
    sheet, "" if it has none."""

    id: uuid.UUID
    name: str
    rulebook: str
    rating: float | None
    figures: int
    version: int
    changed_at: datetime
    archived: bool
    shared: str

    @staticmethod
    def resolve_rulebook(gang: Gang) -> str:
        """The version of its rulebook."""
        return gang.book_version_id

    @staticmethod
    def resolve_figures(gang: Gang) -> int:
        """The number of its members."""
        return gang.size

    @staticmethod
    def resolve_archived(gang: Gang) -> bool:
        """Whether it is archived."""
        return gang.archived_at is not None

    @staticmethod
    def resolve_shared(gang: Gang) -> str:
        """The key of its shared sheet."""
        return gang.share_key or ""


class Value(Schema):
    """A characteristic of a member. ``label``: short; ``value``: as printed."""

    key: str
    label: str
    name: str
    value: str


class Row(Schema):
    """Something from the rulebook. ``key``: its key there, "" for a custom item."""

    key: str
    name: str
    text: str = ""


class Item(Row):
    """An item. ``columns``: its values for its bearer, as printed; ``price``: for its bearer."""

    price: float
    columns: dict[str, str]


class Purse(Schema):
    """An amount of a currency beside money: what a gang has left, or a price."""

    key: str
    name: str
    amount: int


class Member(Schema):
    """A member of a gang. ``id`` is unique within the gang and never changes; ``belongs_to``: the
    id of the member whom they belong to. ``costs``: their price in other currencies than money."""

    id: int
    name: str
    shown_name: str
    rank: str
    profession: str
    origin: str
    values: list[Value]
    abilities: list[Row]
    items: list[Item]
    conditions: list[Row]
    experience: int
    games: int
    taken_out: int
    rating: float
    price: float | None
    costs: list[Purse]
    belongs_to: int | None


class Finding(Schema):
    """A remark on the gang. ``severity``: "error" if a rule forbids it."""

    severity: str
    text: str


class Sheet(Schema):
    """A gang at one moment. ``left``: money to spend, None in a game without; ``purses``: the other
    currencies; ``at``: the day asked for, None for the present."""

    id: uuid.UUID
    name: str
    rulebook: str
    at: date | None = None
    origin: str
    rating: float | None
    left: float | None
    purses: list[Purse]
    members: list[Member]
    stash: list[Item]
    holdings: list[Row]
    findings: list[Finding]


class CampaignLine(Schema):
    """A campaign in a list."""

    id: uuid.UUID
    name: str
    rulebook: str
    created_at: datetime
    archived: bool

    @staticmethod
    def resolve_rulebook(campaign: Campaign) -> str:
        """The version of its rulebook."""
        return campaign.book_version_id

    @staticmethod
    def resolve_archived(campaign: Campaign) -> bool:
        """Whether it is archived."""
        return campaign.archived_at is not None


class Player(Schema):
    """Somebody who takes part. ``role``: "organiser", "player" or "spectator"."""

    name: str
    role: str


class CampaignGang(Schema):
    """A gang that plays in a campaign. ``player``: "" if nobody owns it."""

    id: uuid.UUID
    name: str
    player: str


class CampaignPage(CampaignLine):
    """A campaign with its people and gangs."""

    people: list[Player]
    gangs: list[CampaignGang]

    @staticmethod
    def resolve_people(campaign: Campaign) -> list[Player]:
        """Its people."""
        seats = campaign.participants.select_related("user")
        return [Player(name=str(seat.user), role=seat.role) for seat in seats]

    @staticmethod
    def resolve_gangs(campaign: Campaign) -> list[CampaignGang]:
        """The gangs that play now."""
        return [
            CampaignGang(id=gang.pk, name=gang.name, player=str(gang.owner or ""))
            for gang in playing(campaign)
        ]


class Place(Schema):
    """A line of the standings. ``place``: 0 if gangs are not ranked; ``gang``: its id, or "name:…"
    once it is deleted; ``values``: the measures of the ranking, by key."""

    place: int
    shared: bool
    gang: str
    name: str
    player: str
    won: int
    drawn: int
    lost: int
    values: dict[str, float]


class GameSide(Schema):
    """A side of a game. ``kind``: "winner", "loser", "level", or "" while there is no result."""

    gang: uuid.UUID | None
    name: str
    kind: str


def kind_of(side: Side, game: Game) -> str:
    """Whether a side won, lost or came out level; "" while there is no result."""
    return side.side or "" if game.has_result else ""


class GameLine(Schema):
    """A game. ``result``: the key of the rulebook's result, "" while there is none; ``how``: how it
    came about, such as "played" or "no-show"."""

    id: uuid.UUID
    campaign: uuid.UUID
    night: uuid.UUID | None
    day: date
    status: str
    scenario: str
    result: str
    how: str
    version: int
    sides: list[GameSide]

    @staticmethod
    def resolve_campaign(game: Game) -> uuid.UUID:
        """The campaign's id."""
        return game.campaign_id

    @staticmethod
    def resolve_night(game: Game) -> uuid.UUID | None:
        """The night's id."""
        return game.night_id

    @staticmethod
    def resolve_day(game: Game) -> date:
        """The day on which it is or was played."""
        return game.played_on

    @staticmethod
    def resolve_sides(game: Game) -> list[GameSide]:
        """Its sides, in order."""
        return [
            GameSide(gang=side.gang_id, name=side.name, kind=kind_of(side, game))
            for side in game.sides.all()
        ]


class Report(GameSide):
    """A side with its report: ids of members that took part; ``marks``: the state of each member
    that went down; ``counts``: what members did, by kind and member; ``tallies``: of the side;
    ``tracks``: the numbers of members at the end, by track that lasts and member."""

    fielded: list[int]
    marks: dict[int, str]
    counts: dict[str, dict[int, int]]
    tallies: dict[str, int]
    tracks: dict[str, dict[int, int]]


class GameClaim(Schema):
    """A claim about the result. ``counts``: whether it is the one that counts now; ``behind``:
    the gangs whose players agree with it."""

    id: int
    counts: bool
    result: str
    how: str
    behind: list[uuid.UUID]


class GamePage(GameLine):
    """A game with the reports of its sides. ``table``: the id of its table, None if nobody has
    opened one; ``claims``: what its players say about the result, while they do not agree."""

    table: uuid.UUID | None
    claims: list[GameClaim]
    sides: list[Report]  # type: ignore[assignment]

    @staticmethod
    def resolve_table(game: Game) -> uuid.UUID | None:
        """The table's id."""
        table = getattr(game, "table", None)
        return table.pk if table is not None else None

    @staticmethod
    def resolve_claims(game: Game) -> list[GameClaim]:
        """The claims in force."""
        sides = list(game.sides.select_related("gang"))
        gangs = {side.pk: side.gang_id for side in sides}
        return [
            GameClaim(
                id=claim.pk,
                counts=claim.pk == game.claim_id,
                result=claim.data.account.result,
                how=claim.data.account.how,
                behind=[key for side in claim.data.behind if (key := gangs.get(side))],
            )
            for claim in claims_of(game, sides)
        ]

    @staticmethod
    def resolve_sides(game: Game) -> list[Report]:  # type: ignore[override]
        """Its sides, in order, with their reports."""
        found = []
        for side in game.sides.all():
            report = side.parsed_report
            found.append(
                Report(
                    gang=side.gang_id,
                    name=side.name,
                    kind=kind_of(side, game),
                    fielded=list(report.fielded),
                    marks=dict(report.marks),
                    counts={key: dict(row) for key, row in report.counts.items()},
                    tallies=dict(report.tallies),
                    tracks={key: dict(row) for key, row in report.tracks.items()},
                )
            )
        return found


class NightAnswer(Schema):
    """A gang's answer: "yes", "maybe", "no", or "" without one."""

    gang: uuid.UUID
    name: str
    player: str
    answer: str


class NightLine(Schema):
    """A night. ``until``: its end, if it is known."""

    id: uuid.UUID
    campaign: uuid.UUID
    starts_at: datetime
    until: datetime | None
    place: str
    note: str
    cancelled: bool

    @staticmethod
    def resolve_campaign(night: Night) -> uuid.UUID:
        """The campaign's id."""
        return night.campaign_id

    @staticmethod
    def resolve_cancelled(night: Night) -> bool:
        """Whether it is called off."""
        return night.cancelled_at is not None


class NightPage(NightLine):
    """A night with its answers and its games, the first planned first."""

    answers: list[NightAnswer]
    games: list[GameLine]

    @staticmethod
    def resolve_answers(night: Night) -> list[NightAnswer]:
        """The answers of all gangs."""
        return [
            NightAnswer(
                gang=guest.gang.pk,
                name=guest.gang.name,
                player=str(guest.gang.owner or ""),
                answer=guest.answer,
            )
            for guest in schedule.guests(night, playing(night.campaign))
        ]

    @staticmethod
    def resolve_games(night: Night) -> list[Game]:
        """Its games."""
        return list(night.games.order_by("created_at").prefetch_related("sides"))


class Pairing(Schema):
    """A fixture of a round: two gangs, or one with a bye. ``game``: None until it is planned."""

    home: uuid.UUID | None
    home_name: str
    away: uuid.UUID | None
    away_name: str
    game: uuid.UUID | None

    @staticmethod
    def resolve_home(fixture: Fixture) -> uuid.UUID | None:
        """The first gang's id."""
        return fixture.home_id

    @staticmethod
    def resolve_away(fixture: Fixture) -> uuid.UUID | None:
        """The second gang's id."""
        return fixture.away_id

    @staticmethod
    def resolve_game(fixture: Fixture) -> uuid.UUID | None:
        """The game's id."""
        return fixture.game_id


class RoundLine(Schema):
    """A round of a stage. ``due``: the last day for its games, if it has one."""

    number: int
    opens: date
    due: date | None
    fixtures: list[Pairing]

    @staticmethod
    def resolve_fixtures(found: Round) -> list[Fixture]:
        """Its fixtures, in order."""
        return list(found.fixtures.all())


class StageLine(Schema):
    """A stage of a league with its rounds. ``format``: such as "swiss"."""

    number: int
    name: str
    format: str
    rounds: list[RoundLine]

    @staticmethod
    def resolve_rounds(stage: Stage) -> list[Round]:
        """Its rounds, in order."""
        return list(stage.rounds.all())


class ChronicleLine(Schema):
    """A line of the chronicle. ``key`` never changes; ``text``: the sentence; ``gang``, ``game``:
    the ids of its subjects, or ""."""

    key: str
    day: date
    kind: str
    text: str
    gang: str
    game: str


class Chronicle(Schema):
    """Lines of the chronicle, the newest first; ``next``: the key to ask for as ``before``, None at
    the end."""

    results: list[ChronicleLine]
    next: str | None


class Chance(Schema):
    """An outcome of a roll. ``fraction``: the exact chance, such as "7/36"."""

    key: str
    name: str
    chance: float
    fraction: str


class Odds(Schema):
    """The odds of a roll. ``query``: the shortest query that asks the same; ``averages``: of the
    roll's numbers, by key."""

    roll: str
    query: str
    outcomes: list[Chance]
    averages: dict[str, float]


class Logged(Schema):
    """The fate of taps that were sent. ``logged``: for each its number in the table's log, or 0;
    ``refused``: the reasons of refused ones, by place; ``taken``: the places of those that may be
    sent again under another number; ``now``: the site's clock, in milliseconds."""

    now: int
    logged: list[int]
    refused: dict[int, str]
    taken: list[int]


class Book(Schema):
    """A rulebook as data, as its file has it: see “Writing a rulebook”."""

    digest: str
    book: dict[str, Any] = Field(description="The canonical form of the rulebook.")
