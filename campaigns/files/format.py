"""A campaign as a file: its people by name, its gangs' ledgers, nights, games, dice and rulebooks.

People, sides and claims are known by their places in their lists. Rows with keys of their own (the
campaign, gangs, games, nights, batches) are numbered references in the file, and get new keys where
it is read; so the same campaign makes the same file on every site.

The fields of a record have the names of its row's columns (``campaigns.models``), and both
directions copy the columns that both have.
"""

from __future__ import annotations

import datetime
import re
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, FailFast, Field, ValidationInfo, model_validator

from campaigns.engine.captives import Terms
from campaigns.engine.claims import ClaimData, MarkedManner, MaybePlace
from campaigns.engine.crew import PregameRolls
from campaigns.engine.how import ClubResults
from campaigns.engine.league.options import (
    MOST_ENTRANTS,
    MOST_FIXTURES,
    MOST_ROUNDS,
    StageOptions,
)
from campaigns.engine.league.standings_rules import BY_THE_BOOK, StandingsRules, Worth
from campaigns.engine.report import About, Answers, Report, SideKind, ThrowKey, Turn
from campaigns.table.taps import MOST_TAPS, AnyTap, Clock, DeviceSeq, SideNumber
from common.downloads import json_pieces
from gangs.engine.entries import LINES, ONE_LINE, SOME, Id, Name, Note, Reference
from gangs.files.format import MOST_WORTH, BadFile, GangFile, Index, Moment
from rules.book.season import TrophyCount
from rules.book.since import Vocabulary
from rules.book.vocabulary import Frozen, Key, Settings
from rules.bounds.limits import MOST_VERSIONS
from rules.engine.costing import Points
from rules.engine.dice import DiceRoll

FORMAT = "skirmish-campaign"
# The words of 1.0.0 for files of campaigns, as ``rules.book.since`` has those for rulebooks.
FORMAT_2 = Vocabulary.read(Path(__file__).with_name("format_2.json"), spelled_out=True)
MOST_GANGS = 200
MOST_NIGHTS = 2_000
MOST_GAMES = 5_000
MOST_BARGAINS = 5_000
MOST_ADJUSTMENTS = 500
MOST_TROPHIES, MOST_TROPHY_AWARDS = 50, 500
MOST_RESULTS_IMPORTS = 200
MOST_STAGES = 100
REFERENCE = "ref"
# The key of a throw for a hired member contains the gang that they came from.
HIRED_HERE = re.compile(r"(?<=^before:)[0-9a-f-]{36}(?=-\d+:)")
HIRED_ABROAD = re.compile(r"(?<=^before:)#\d{1,9}(?=-\d+:)")

FIRST_DAY, LAST_DAY = datetime.date(1000, 1, 1), datetime.date(2999, 12, 31)


def _checked_place(place: int, info: ValidationInfo) -> int:
    # The reader of a file knows how many people are in it.
    require(info.context is None or place < info.context["people"], "people")
    return place


def _checked_key(written: str, info: ValidationInfo) -> str:
    # The reader of a file gives every row a new key, so none collides with one of this site.
    require(info.context is None or written in info.context["keys"], "keys")
    return written


def _checked_roll(roll: DiceRoll, info: ValidationInfo) -> DiceRoll:
    require(info.context is None or roll.is_possible, "rolls")
    return roll


def require(holds: bool, what: str) -> None:
    """Raise BadFile if the file contradicts itself."""
    if not holds:
        raise BadFile("impossible", what)


# A person, by their place in the list; and the key of a row on this site.
Person = Annotated[Index, AfterValidator(_checked_place)]
RowKey = Annotated[Reference, AfterValidator(_checked_key)]
Thrown = Annotated[DiceRoll, AfterValidator(_checked_roll)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
# Ratings are worked out, never typed.
Rating = Annotated[Points, Field(ge=-MOST_WORTH, le=MOST_WORTH, allow_inf_nan=False)]
# A list ends at its first mistake.
Many = Field(max_length=10_000)
ShortText = Annotated[str, Field(max_length=40), ONE_LINE]
Reason = Annotated[str, Field(max_length=300), ONE_LINE]
Tale = Annotated[str, Field(max_length=2_000), LINES]
Day = Annotated[datetime.date, Field(ge=FIRST_DAY, le=LAST_DAY)]
SmallNumber = Annotated[int, Field(ge=1, le=10_000)]


class PersonRecord(Frozen):
    """A participant (with a ``role``), or somebody who once did something."""

    name: Annotated[Name, Field(min_length=1)]
    role: Literal["organiser", "player", "spectator"] | None = None


class GangRecord(Frozen):
    """A gang: its ledger, the writer of each entry, the author and occasion of each correction, and
    the keys of its batches."""

    id: RowKey
    owner: Person | None = None
    joined_at: Moment
    left_at: Moment | None = None
    retired_at: Annotated[Moment | None, Field(exclude_if=lambda at: at is None)] = None
    archived_at: Moment | None = None
    kept_at: Moment | None = None
    player: Annotated[Person | None, Field(exclude_if=lambda who: who is None)] = None
    ledger: GangFile
    writers: Annotated[tuple[Person | None, ...], Many, FailFast()]
    correctors: Annotated[tuple[Person | None, ...], Many, FailFast()] = ()
    occasions: Annotated[tuple[RowKey | None, ...], Many, FailFast()] = ()
    batches: Annotated[tuple[RowKey, ...], Many, FailFast()]


class AttendanceRecord(Frozen):
    """The answer for a gang about a night."""

    gang: Reference
    answer: Literal["yes", "maybe", "no"]
    by: Person | None = None
    at: Moment


class NightRecord(Frozen):
    """A night with its answers."""

    id: RowKey
    starts_at: Moment
    until: Moment | None = None
    place: Annotated[str, Field(max_length=120), ONE_LINE] = ""
    note: Annotated[str, Field(max_length=1_000), LINES] = ""
    version: Index = 0
    cancelled_at: Moment | None = None
    attendances: Annotated[tuple[AttendanceRecord, ...], Many, FailFast()] = ()


class SideRecord(Frozen):
    """One gang in a game."""

    gang: Reference | None = None
    name: Name
    role: ShortText = ""
    crew: Annotated[tuple[Id | tuple[Reference, Id], ...], SOME] | None = None
    before: PregameRolls = PregameRolls()
    side: SideKind
    finish: MaybePlace = None
    report: Report
    rating: Rating
    verdict: Literal["", "confirmed", "disputed"] = ""
    verdict_by: Person | None = None
    comment: Annotated[str, Field(max_length=500), LINES] = ""
    draft: Answers
    draft_version: Index
    batch: RowKey | None = None
    correcting: bool = False
    kept_draft: Answers | None = None
    tale: Tale = ""


class ClaimRecord(Frozen):
    """A claim about a game. The sides in it are known by their places in the game."""

    actor: Person | None = None
    at: Moment
    data: ClaimData


class ThrowRecord(Frozen):
    """One throw of dice: its side, key, subject, thrower, time and roll."""

    side: Index | None = None
    key: ThrowKey
    about: About = About()
    roll: Thrown
    actor: Person | None = None
    at: Moment
    taken_back_at: Moment | None = None
    taken_back_by: Person | None = None


class TapRecord(Frozen):
    """One tap of a table's log, as ``campaigns.table.taps.Logged`` has it."""

    seq: Annotated[int, Field(ge=1, le=MOST_TAPS)]
    device: uuid.UUID
    device_seq: DeviceSeq
    after: Annotated[int, Field(ge=0, le=MOST_TAPS)]
    at: Clock
    turn: Turn
    act: uuid.UUID
    actor: Person | None = None
    tap: AnyTap


class TableSideRecord(Frozen):
    """One gang at a table, and its members there. Their state then follows from its ledger."""

    number: SideNumber
    gang: Reference | None = None
    name: Name
    crew: Annotated[tuple[Id | tuple[Reference, Id], ...], SOME] = ()


class TableRecord(Frozen):
    """The table at which a game was played, and its taps."""

    settings: Settings
    created_at: Moment
    changed_at: Moment
    ended_at: Moment | None = None
    sides: Annotated[tuple[TableSideRecord, ...], Field(max_length=100), FailFast()]
    taps: Annotated[tuple[TapRecord, ...], Field(max_length=MOST_TAPS), FailFast()] = ()


class ResultsImportRecord(Frozen):
    """An import of old results, which some games name."""

    title: Annotated[str, Field(max_length=120), ONE_LINE] = ""
    digest: Digest
    by: Person | None = None
    at: Moment


class GameRecord(Frozen):
    """A game with its sides, claims and throws. ``brought_by``: the place of the import of old
    results that brought it."""

    id: RowKey
    night: Reference | None = None
    played_on: Day
    scenario: Key | Literal[""] = ""
    scenario_roll: Thrown | None = None
    result: Key | Literal[""] = ""
    how: MarkedManner = "played"
    status: Literal["planned", "reported", "disputed", "confirmed", "struck"]
    note: Tale = ""
    reported_by: Person | None = None
    claim: Index | None = None
    struck_by: Person | None = None
    struck_why: Reason = ""
    occasion: RowKey | None = None
    version: Index
    created_at: Moment
    brought_by: Annotated[Index | None, Field(exclude_if=lambda place: place is None)] = None
    sides: Annotated[tuple[SideRecord, ...], Field(max_length=100), FailFast()]
    claims: Annotated[tuple[ClaimRecord, ...], Many, FailFast()] = ()
    throws: Annotated[tuple[ThrowRecord, ...], Many, FailFast()] = ()
    table: TableRecord | None = None


class BargainRecord(Frozen):
    """An offer about captives, and its outcome."""

    giver: Reference | None = None
    taker: Reference | None = None
    giver_name: Name
    taker_name: Name
    terms: Terms
    note: Reason = ""
    status: Literal["open", "agreed", "declined", "withdrawn"]
    proposed_by: Person | None = None
    decided_by: Person | None = None
    batch: RowKey | None = None
    at: Moment
    decided_at: Moment | None = None


class EntrantRecord(Frozen):
    """A gang in a stage of a league."""

    gang: Reference | None = None
    name: Name
    seed: SmallNumber
    joined_at: Moment
    left_at: Moment | None = None
    is_annulled: bool = False


class FixtureRecord(Frozen):
    """A fixture. ``home_from``, ``away_from``: places in the list of all fixtures of the stage."""

    number: SmallNumber
    home: Reference | None = None
    away: Reference | None = None
    home_name: Name = ""
    away_name: Name = ""
    home_from: Index | None = None
    away_from: Index | None = None
    losers: bool = False
    game: Reference | None = None
    advances: Reference | None = None
    due: Day | None = None
    reminded_at: Moment | None = None
    called_off_at: Moment | None = None


class RoundRecord(Frozen):
    """A round of a stage with its fixtures."""

    number: SmallNumber
    opens: Day
    due: Day | None = None
    announced_at: Moment | None = None
    fixtures: Annotated[tuple[FixtureRecord, ...], Field(max_length=MOST_FIXTURES), FailFast()] = ()


class StageRecord(Frozen):
    """A stage of a league with its entrants and rounds. ``source``: the place of the stage whose
    best gangs play here."""

    number: SmallNumber
    name: Annotated[Name, Field(min_length=1)]
    format: Literal["ladder", "round-robin", "swiss", "knock-out"]
    options: StageOptions = StageOptions()
    source: Index | None = None
    version: Index = 0
    created_at: Moment
    ended_at: Moment | None = None
    entrants: Annotated[tuple[EntrantRecord, ...], Field(max_length=2 * MOST_ENTRANTS), FailFast()]
    rounds: Annotated[tuple[RoundRecord, ...], Field(max_length=MOST_ROUNDS), FailFast()] = ()

    @model_validator(mode="before")
    @classmethod
    def _keep_places(cls, data: Any) -> Any:
        """A stage that had begun on an earlier release keeps the rules of its places."""
        if isinstance(data, dict) and data.get("rounds"):
            return {**data, "options": _with_edition(data.get("options", {}))}
        return data


def _with_edition(rules: Any) -> Any:
    """Rules of a stage or of the standings, with their edition. Earlier releases wrote none."""
    return {"edition": 1, **rules} if isinstance(rules, dict) else rules


class UpgradeRecord(Frozen):
    """The campaign went over to another version of the rules."""

    before: Digest
    after: Digest
    settings_before: Settings
    batch: RowKey
    actor: Person | None = None
    at: Moment
    undone_at: Moment | None = None


class AdjustmentRecord(Frozen):
    """A bonus or penalty in the standings."""

    gang: Reference | None = None
    name: Name
    points: Worth
    reason: Reason
    by: Person | None = None
    at: Moment
    taken_back_at: Moment | None = None
    taken_back_by: Person | None = None


class TrophyRecord(Frozen):
    """A trophy of the club's own."""

    name: Annotated[Name, Field(min_length=1)]
    text: Reason = ""
    count: TrophyCount
    by: Person | None = None
    at: Moment


class TrophyAwardRecord(Frozen):
    """A trophy that an organiser awarded. ``trophy``: the place of the club's in the list."""

    trophy: Index | None = None
    book_trophy: Key | Literal[""] = ""
    gang: Reference | None = None
    gang_name: Name
    member: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    member_name: Name = ""
    reason: Reason = ""
    by: Person | None = None
    at: Moment


class CampaignFile(Frozen):
    """A whole campaign. ``table``: the club's rules for the standings; ``book``: the digest of the
    version that it uses; ``versions``: every version that it or one of its gangs ever used, as
    canonical text, by digest."""

    format: Literal["skirmish-campaign"]
    format_version: Literal[1, 2, 3]
    id: RowKey
    name: Annotated[Name, Field(min_length=1)]
    notes: Note = ""
    odds_at_table: bool = True
    dice_stand: bool = False
    joining: Annotated[
        Literal["open", "approval", "closed"], Field(exclude_if=lambda who: who == "open")
    ] = "open"
    legal_only: Annotated[bool, Field(exclude_if=lambda only: not only)] = False
    least_members: Annotated[int, Field(ge=0, le=1_000, exclude_if=lambda least: not least)] = 0
    special_results: Annotated[
        ClubResults, Field(exclude_if=lambda club: club == ClubResults())
    ] = ClubResults()
    # The keys of this season and of the one before it, if it is linked with others.
    season_key: Annotated[uuid.UUID | None, Field(exclude_if=lambda key: key is None)] = None
    previous_key: Annotated[uuid.UUID | None, Field(exclude_if=lambda key: key is None)] = None
    settings: Settings
    table: Annotated[StandingsRules, Field(exclude_if=lambda table: table == BY_THE_BOOK)] = (
        BY_THE_BOOK
    )
    book: Digest
    versions: Annotated[dict[Digest, str], Field(max_length=MOST_VERSIONS)]
    created_at: Moment
    archived_at: Moment | None = None
    people: Annotated[tuple[PersonRecord, ...], Field(max_length=2_000), FailFast()]
    gangs: Annotated[tuple[GangRecord, ...], Field(max_length=MOST_GANGS), FailFast()] = ()
    nights: Annotated[tuple[NightRecord, ...], Field(max_length=MOST_NIGHTS), FailFast()] = ()
    games: Annotated[tuple[GameRecord, ...], Field(max_length=MOST_GAMES), FailFast()] = ()
    bargains: Annotated[tuple[BargainRecord, ...], Field(max_length=MOST_BARGAINS), FailFast()] = ()
    # Left out where there are none: earlier releases do not know it.
    stages: Annotated[
        tuple[StageRecord, ...],
        Field(max_length=MOST_STAGES, exclude_if=lambda stages: not stages),
        FailFast(),
    ] = ()
    upgrades: Annotated[tuple[UpgradeRecord, ...], Field(max_length=1_000), FailFast()] = ()
    adjustments: Annotated[
        tuple[AdjustmentRecord, ...],
        Field(max_length=MOST_ADJUSTMENTS, exclude_if=lambda rows: not rows),
        FailFast(),
    ] = ()
    trophies: Annotated[
        tuple[TrophyRecord, ...],
        Field(max_length=MOST_TROPHIES, exclude_if=lambda rows: not rows),
        FailFast(),
    ] = ()
    trophy_awards: Annotated[
        tuple[TrophyAwardRecord, ...],
        Field(max_length=MOST_TROPHY_AWARDS, exclude_if=lambda rows: not rows),
        FailFast(),
    ] = ()
    results_imports: Annotated[
        tuple[ResultsImportRecord, ...],
        Field(max_length=MOST_RESULTS_IMPORTS, exclude_if=lambda rows: not rows),
        FailFast(),
    ] = ()

    @model_validator(mode="before")
    @classmethod
    def _keep_places(cls, data: Any) -> Any:
        """A season that had ended on an earlier release keeps the rules of its places."""
        if isinstance(data, dict) and data.get("archived_at") and data.get("table"):
            return {**data, "table": _with_edition(data["table"])}
        return data


def renumber(claim: ClaimData, sides: Mapping[Any, int], claims: Mapping[Any, int]) -> ClaimData:
    """The claim with other numbers for sides and claims, without sides and claims that have no
    number.
    """
    account = claim.account
    accounts = {sides[pk]: part for pk, part in account.sides.items() if pk in sides}
    return claim.model_copy(
        update={
            "account": account.model_copy(update={"sides": accounts}),
            "behind": tuple(sides[side] for side in claim.behind if side in sides),
            "taken": claims.get(claim.taken),
        }
    )


def write_pieces(data: Mapping[str, Any], keys: Collection[str]) -> Iterator[str]:
    """The text of a campaign's file, piece by piece. ``data``: as JSON, long lists as iterators;
    ``keys``: this site's keys, written as references.
    """
    numbers: dict[str, int] = {}

    def reference(key: str) -> int:
        return numbers.setdefault(key, len(numbers))

    def hired(match: re.Match[str]) -> str:
        return f"#{reference(match[0])}" if match[0] in keys else match[0]

    def abroad(value: Any) -> Any:
        if isinstance(value, dict):
            renamed = throws_renamed(value, HIRED_HERE, hired)
            return {key: abroad(renamed[key]) for key in sorted(renamed)}
        if isinstance(value, list):
            return [abroad(inner) for inner in value]
        if isinstance(value, str) and value in keys:
            return {REFERENCE: reference(value)}
        return map(abroad, value) if isinstance(value, Iterator) else value

    # Numbered in the order of the text, so that the same campaign always makes the same file.
    return json_pieces((key, abroad(data[key])) for key in sorted(data))


def throws_renamed(
    data: dict[str, Any], gang: re.Pattern[str], rename: Callable[[re.Match[str]], str]
) -> dict[str, Any]:
    """The data with gangs renamed in keys of throws: in keys of the data, and in its ``key``."""
    if any(gang.search(key) for key in data):
        data = {gang.sub(rename, key): value for key, value in data.items()}
    if isinstance(key := data.get("key"), str) and gang.search(key):
        data = {**data, "key": gang.sub(rename, key)}
    return data
