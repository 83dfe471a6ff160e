"""A campaign as a file: its people by name, its gangs' ledgers, nights, games, dice and rulebooks.

What comes up several times in it (people, sides, claims) is known by its place in its list. What
has a key of its own on a site (the campaign, gangs, games, nights, batches) is written as a
reference instead, numbered as they come up, and gets new keys where the file is read: so the same
campaign makes the same file wherever it is kept.

A record's fields are called as the columns of the row that it stands for (``campaigns.models``): so
both directions copy whatever both have.
"""

from __future__ import annotations

import datetime
import json
import re
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError, ValidationInfo

from campaigns.engine.captives import Terms
from campaigns.engine.claims import ClaimData
from campaigns.engine.crew import PregameRolls
from campaigns.engine.report import Answers, Report, SideKind
from gangs.engine.entries import Id, Name, Note, Reference
from gangs.files.format import BadFile, GangFile, Index, Moment, parsed
from rules.book.vocabulary import Frozen, Key, Settings
from rules.engine.costing import Points
from rules.engine.dice import Roll

FORMAT = "skirmish-campaign"
BIGGEST_FILE = 30_000_000
DEEPEST = 60
REFERENCE = "ref"
# What was thrown for somebody hired: the gang that they came from is part of the throw's key.
HIRED_HERE = re.compile(r"(?<=^before:)[0-9a-f-]{36}(?=-\d+:)")
HIRED_ABROAD = re.compile(r"(?<=^before:)#\d{1,9}(?=-\d+:)")

FIRST_DAY, LAST_DAY = datetime.date(1000, 1, 1), datetime.date(2999, 12, 31)


def _checked_place(place: int, info: ValidationInfo) -> int:
    # Whoever reads a file knows how many people are in it.
    _require(info.context is None or place < info.context["people"], "people")
    return place


def _checked_key(written: str) -> str:
    try:
        uuid.UUID(written)
    except ValueError:
        raise BadFile("impossible", "keys") from None
    return written


def _require(holds: bool, what: str) -> None:
    """Raise BadFile if the file contradicts itself."""
    if not holds:
        raise BadFile("impossible", what)


# Somebody, by their place among the people; and the key of something on this site.
Person = Annotated[Index, AfterValidator(_checked_place)]
RowKey = Annotated[Reference, AfterValidator(_checked_key)]
Many = Field(max_length=20_000)
ShortText = Annotated[str, Field(max_length=40)]
LongText = Annotated[Note, Field(max_length=4_000)]


class PersonRecord(Frozen):
    """Somebody who takes part (with a ``role``), or who did something once."""

    name: Annotated[Name, Field(min_length=1)]
    role: Literal["organiser", "player", "spectator"] | None = None


class GangRecord(Frozen):
    """A gang: its ledger, who wrote each entry and made each correction on what occasion, and what
    batches are."""

    id: RowKey
    owner: Person | None = None
    joined_at: Moment
    left_at: Moment | None = None
    archived_at: Moment | None = None
    kept_at: Moment | None = None
    ledger: GangFile
    writers: Annotated[tuple[Person | None, ...], Many]
    correctors: Annotated[tuple[Person | None, ...], Many] = ()
    occasions: Annotated[tuple[RowKey | None, ...], Many] = ()
    batches: Annotated[tuple[RowKey, ...], Many]


class AttendanceRecord(Frozen):
    """Whether a gang comes to a night, and who said so."""

    gang: Reference
    answer: Literal["yes", "maybe", "no"]
    by: Person | None = None
    at: Moment


class NightRecord(Frozen):
    """A night, and who comes."""

    id: RowKey
    starts_at: Moment
    place: Annotated[Name, Field(max_length=120)] = ""
    note: LongText = ""
    version: Index = 0
    cancelled_at: Moment | None = None
    attendances: Annotated[tuple[AttendanceRecord, ...], Many] = ()


class SideRecord(Frozen):
    """One gang in a game."""

    gang: Reference | None = None
    name: Name
    role: ShortText = ""
    crew: tuple[Id | tuple[Reference, Id], ...] | None = None
    before: PregameRolls = PregameRolls()
    side: SideKind
    report: Report
    rating: Points
    verdict: Literal["", "confirmed", "disputed"] = ""
    verdict_by: Person | None = None
    comment: Annotated[LongText, Field(max_length=500)] = ""
    draft: Answers
    draft_version: Index
    batch: RowKey | None = None
    correcting: bool = False
    kept_draft: Answers | None = None
    tale: LongText = ""


class ClaimRecord(Frozen):
    """What somebody said happened. The sides in it are known by their places in the game."""

    actor: Person | None = None
    at: Moment
    data: ClaimData


class ThrowRecord(Frozen):
    """One throw of dice: for which side, what for, who, when, how."""

    side: Index | None = None
    key: Annotated[str, Field(max_length=400)]
    about: dict[str, Any] = {}
    roll: Roll
    actor: Person | None = None
    at: Moment
    taken_back_at: Moment | None = None


class GameRecord(Frozen):
    """A game with its sides, everything that was claimed of it, and every throw."""

    id: RowKey
    night: Reference | None = None
    played_on: Annotated[datetime.date, Field(ge=FIRST_DAY, le=LAST_DAY)]
    scenario: Key | Literal[""] = ""
    scenario_roll: Roll | None = None
    result: Key | Literal[""] = ""
    status: Literal["planned", "reported", "disputed", "confirmed", "struck"]
    note: LongText = ""
    reported_by: Person | None = None
    claim: Index | None = None
    struck_by: Person | None = None
    struck_why: Annotated[LongText, Field(max_length=300)] = ""
    occasion: RowKey | None = None
    version: Index
    created_at: Moment
    sides: Annotated[tuple[SideRecord, ...], Field(max_length=100)]
    claims: Annotated[tuple[ClaimRecord, ...], Many] = ()
    throws: Annotated[tuple[ThrowRecord, ...], Many] = ()


class BargainRecord(Frozen):
    """An offer about captives, and what became of it."""

    giver: Reference | None = None
    taker: Reference | None = None
    giver_name: Name
    taker_name: Name
    terms: Terms
    note: Annotated[LongText, Field(max_length=300)] = ""
    status: Literal["open", "agreed", "declined", "withdrawn"]
    proposed_by: Person | None = None
    decided_by: Person | None = None
    batch: RowKey | None = None
    at: Moment
    decided_at: Moment | None = None


class UpgradeRecord(Frozen):
    """The campaign went over to another version of the rules."""

    before: str
    after: str
    settings_before: Settings
    batch: RowKey
    actor: Person | None = None
    at: Moment
    undone_at: Moment | None = None


class CampaignFile(Frozen):
    """A whole campaign. ``book``: the digest of the version that it uses; ``versions``: every
    version that it or one of its gangs ever used, as canonical text, by digest."""

    format: Literal["skirmish-campaign"]
    format_version: Literal[1]
    id: RowKey
    name: Annotated[Name, Field(min_length=1)]
    notes: LongText = ""
    settings: Settings
    book: str
    versions: Annotated[dict[str, str], Field(max_length=100)]
    created_at: Moment
    archived_at: Moment | None = None
    people: Annotated[tuple[PersonRecord, ...], Field(max_length=2_000)]
    gangs: Annotated[tuple[GangRecord, ...], Field(max_length=200)] = ()
    nights: Annotated[tuple[NightRecord, ...], Field(max_length=2_000)] = ()
    games: Annotated[tuple[GameRecord, ...], Field(max_length=5_000)] = ()
    bargains: Annotated[tuple[BargainRecord, ...], Many] = ()
    upgrades: Annotated[tuple[UpgradeRecord, ...], Field(max_length=1_000)] = ()


def renumbered(claim: ClaimData, sides: Mapping[Any, int], claims: Mapping[Any, int]) -> ClaimData:
    """A claim that knows sides and claims by other numbers, as far as they have any."""
    account = claim.account
    accounts = {sides[pk]: part for pk, part in account.sides.items() if pk in sides}
    return claim.model_copy(
        update={
            "account": account.model_copy(update={"sides": accounts}),
            "behind": tuple(sides[side] for side in claim.behind if side in sides),
            "taken": claims.get(claim.taken),
        }
    )


def written(file: CampaignFile, keys: Collection[str]) -> str:
    """The file's text. ``keys``: those of this site, which are written as references."""
    data = file.model_dump(mode="json")
    numbers: dict[str, int] = {}

    def reference(key: str) -> int:
        return numbers.setdefault(key, len(numbers))

    def hired(match: re.Match[str]) -> str:
        return f"#{reference(match[0])}" if match[0] in keys else match[0]

    def abroad(value: Any) -> Any:
        if isinstance(value, dict):
            renamed = _throws_renamed(value, HIRED_HERE, hired)
            return {key: abroad(renamed[key]) for key in sorted(renamed)}
        if isinstance(value, list):
            return [abroad(inner) for inner in value]
        if isinstance(value, str) and value in keys:
            return {REFERENCE: reference(value)}
        return value

    return json.dumps(abroad(data), ensure_ascii=False, indent=1)


def read(content: bytes) -> CampaignFile:
    """The campaign in a file, with new keys. Raises BadFile if the content is none."""
    data = parsed(content, FORMAT, BIGGEST_FILE)
    try:
        file = CampaignFile.model_validate_json(json.dumps(_at_home(data)), context=_context(data))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise BadFile("damaged", ".".join(map(str, first["loc"]))[:80]) from None
    _check_places(file)
    return file


def _at_home(data: Any) -> Any:
    """The data with a new key for each reference. Raises BadFile if it is nested too deeply."""
    keys: dict[int, str] = {}

    def key_of(number: int) -> str:
        return keys.setdefault(number, str(uuid.uuid4()))

    def home(value: Any, depth: int) -> Any:
        if depth > DEEPEST:
            raise BadFile("damaged", "depth")
        if isinstance(value, list):
            return [home(inner, depth + 1) for inner in value]
        if not isinstance(value, dict):
            return value
        number = value.get(REFERENCE)
        if len(value) == 1 and isinstance(number, int):
            return key_of(number)
        renamed = _throws_renamed(value, HIRED_ABROAD, lambda match: key_of(int(match[0][1:])))
        return {key: home(inner, depth + 1) for key, inner in renamed.items()}

    return home(data, 0)


def _throws_renamed(
    data: dict[str, Any], gang: re.Pattern[str], rename: Callable[[re.Match[str]], str]
) -> dict[str, Any]:
    """The data with ``gang`` renamed in keys of throws: keys of the data, or its ``key``."""
    renamed = {gang.sub(rename, key): value for key, value in data.items()}
    if isinstance(key := renamed.get("key"), str):
        renamed["key"] = gang.sub(rename, key)
    return renamed


def _context(data: dict[str, Any]) -> dict[str, int]:
    people = data.get("people")
    return {"people": len(people) if isinstance(people, list) else 0}


def _check_places(file: CampaignFile) -> None:
    """Raise BadFile if something is spoken of that is not there, or is there twice."""
    gangs = _ids(file.gangs, "gangs")
    nights = _ids(file.nights, "nights")
    _ids(file.games, "games")
    _require(file.book in file.versions, "book")
    for gang in file.gangs:
        used = max((record.batch for record in gang.ledger.records), default=-1)
        _require(gang.ledger.digests <= set(file.versions), "versions")
        _require(used < len(gang.batches), "batches")
        _require(len(gang.writers) == len(gang.ledger.records), "writers")
        _require(len(gang.correctors) == len(gang.ledger.corrections), "correctors")
        _require(len(gang.occasions) == len(gang.correctors), "occasions")
    for night in file.nights:
        coming = [answer.gang for answer in night.attendances]
        _require(set(coming) <= gangs and len(set(coming)) == len(coming), "attendances")
    for game in file.games:
        _check_game(game, gangs, nights)
    for bargain in file.bargains:
        _require({bargain.giver, bargain.taker} <= {None, *gangs}, "bargains")
    for upgrade in file.upgrades:
        _require({upgrade.before, upgrade.after} <= set(file.versions), "upgrades")


def _ids(records: Iterable[GangRecord | NightRecord | GameRecord], what: str) -> set[str]:
    """The keys of these records. Raises BadFile if two have the same."""
    ids = [record.id for record in records]
    _require(len(set(ids)) == len(ids), what)
    return set(ids)


def _check_game(game: GameRecord, gangs: set[str], nights: set[str]) -> None:
    sides = [side.gang for side in game.sides if side.gang is not None]
    places = set(range(len(game.sides)))
    _require(set(sides) <= gangs and len(set(sides)) == len(sides), "sides")
    _require(game.night is None or game.night in nights, "nights")
    _require(game.claim is None or game.claim < len(game.claims), "claims")
    has_result = game.status in ("reported", "disputed", "confirmed")
    _require(bool(game.result) or not has_result, "result")
    for number, claim in enumerate(game.claims):
        data = claim.data
        _require({*data.account.sides, *data.behind} <= places, "claims")
        # A claim that was taken over is always one told before.
        _require(data.taken is None or data.taken < number, "claims")
    for throw in game.throws:
        _require(throw.side is None or throw.side in places, "throws")
