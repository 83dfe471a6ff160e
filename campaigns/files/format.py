"""A campaign as a file: its people by name, its gangs' ledgers, nights, games, dice and rulebooks.

Whoever and whatever is told of several times in it (people, sides, claims) is known by its place in
its list. What has a key of its own on a site (the campaign, gangs, games, nights, batches) is
written as a reference instead, numbered as they come up, and gets new keys where the file is read:
so the same campaign makes the same file wherever it is kept.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Collection
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from campaigns.bargaining import Terms
from campaigns.claiming import Claimed
from campaigns.crew import Before
from campaigns.situation import Answers, Report, SideKind
from gangs.entries import Id, Name, Note, Reference
from gangs.exchange import BadFile, GangFile, Index, Moment
from rules.costing import Points
from rules.dice import Roll
from rules.vocabulary import Frozen, Key, Settings

FORMAT = "skirmish-campaign"
BIGGEST_FILE = 30_000_000
DEEPEST = 60
REFERENCE = "ref"
# What was thrown for somebody hired: the gang that he came from is part of the throw's key.
HIRED_HERE = re.compile(r"(?<=^before:)[0-9a-f-]{36}(?=-\d+:)")
HIRED_ABROAD = re.compile(r"(?<=^before:)#\d{1,9}(?=-\d+:)")

Many = Field(max_length=20_000)
Word = Annotated[str, Field(max_length=40)]
Words = Annotated[Note, Field(max_length=4_000)]


class PersonRecord(Frozen):
    """Somebody who takes part (with a ``role``), or who did something once."""

    name: Annotated[Name, Field(min_length=1)]
    role: Literal["organiser", "player", "spectator"] | None = None


class GangRecord(Frozen):
    """A gang: its ledger, who wrote each entry and made each correction, and what batches are."""

    id: Reference
    owner: Index | None = None
    joined_at: Moment
    left_at: Moment | None = None
    archived_at: Moment | None = None
    kept_at: Moment | None = None
    ledger: GangFile
    writers: Annotated[tuple[Index | None, ...], Many]
    correctors: Annotated[tuple[Index | None, ...], Many] = ()
    batches: Annotated[tuple[Reference, ...], Many]


class AnswerRecord(Frozen):
    """Whether a gang comes to a night, and who said so."""

    gang: Reference
    answer: Literal["yes", "maybe", "no"]
    by: Index | None = None
    at: Moment


class NightRecord(Frozen):
    """A night, and who comes."""

    id: Reference
    starts_at: Moment
    place: Annotated[Name, Field(max_length=120)] = ""
    note: Words = ""
    version: Index = 0
    cancelled_at: Moment | None = None
    attendances: Annotated[tuple[AnswerRecord, ...], Many] = ()


class SideRecord(Frozen):
    """One gang in a game."""

    gang: Reference | None = None
    name: Name
    role: Word = ""
    crew: tuple[Id | tuple[Reference, Id], ...] | None = None
    before: Before = Before()
    side: SideKind
    report: Report
    rating: Points
    verdict: Literal["", "confirmed", "disputed"] = ""
    verdict_by: Index | None = None
    comment: Annotated[Words, Field(max_length=500)] = ""
    draft: Answers
    draft_version: Index
    batch: Reference | None = None
    correcting: bool = False
    kept_draft: Answers | None = None
    tale: Words = ""


class ClaimRecord(Frozen):
    """What somebody said happened. The sides in it are known by their places in the game."""

    by: Index | None = None
    at: Moment
    said: Claimed


class ThrowRecord(Frozen):
    """One throw of dice: for which side, what for, who, when, how."""

    side: Index | None = None
    key: Annotated[str, Field(max_length=400)]
    about: dict[str, Any] = {}
    roll: Roll
    by: Index | None = None
    at: Moment
    taken_back_at: Moment | None = None


class GameRecord(Frozen):
    """A game with its sides, everything that was claimed of it, and every throw."""

    id: Reference
    night: Reference | None = None
    played_on: Annotated[str, Field(pattern=r"^[12]\d{3}-\d\d-\d\d$")]
    scenario: Key | Literal[""] = ""
    scenario_roll: Roll | None = None
    result: Key | Literal[""] = ""
    status: Literal["planned", "reported", "disputed", "confirmed", "struck"]
    note: Words = ""
    reported_by: Index | None = None
    claim: Index | None = None
    struck_by: Index | None = None
    struck_why: Annotated[Words, Field(max_length=300)] = ""
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
    note: Annotated[Words, Field(max_length=300)] = ""
    status: Literal["open", "agreed", "declined", "withdrawn"]
    proposed_by: Index | None = None
    decided_by: Index | None = None
    batch: Reference | None = None
    at: Moment
    decided_at: Moment | None = None


class UpgradeRecord(Frozen):
    """The campaign went over to another version of the rules."""

    before: str
    after: str
    settings_before: Settings
    batch: Reference
    by: Index | None = None
    at: Moment
    undone_at: Moment | None = None


class CampaignFile(Frozen):
    """A whole campaign. ``book``: the digest of the version that it goes by; ``versions``: every
    version that it or one of its gangs ever went by, as canonical text, by digest."""

    format: Literal["skirmish-campaign"]
    format_version: Literal[1]
    id: Reference
    name: Annotated[Name, Field(min_length=1)]
    notes: Words = ""
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


def written(file: CampaignFile, keys: Collection[str]) -> str:
    """The file's text. ``keys``: those of this site, which are written as references."""
    data = file.model_dump(mode="json")
    numbers: dict[str, int] = {}

    def reference(key: str) -> int:
        return numbers.setdefault(key, len(numbers))

    def hired(found: re.Match[str]) -> str:
        return f"#{reference(found[0])}" if found[0] in keys else found[0]

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
    if len(content) > BIGGEST_FILE:
        raise BadFile("too_big")
    try:
        data: Any = json.loads(content)
    except (ValueError, RecursionError):
        raise BadFile("not_json") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadFile("foreign")
    try:
        file = CampaignFile.model_validate_json(json.dumps(_at_home(data)))
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
        renamed = _throws_renamed(value, HIRED_ABROAD, lambda found: key_of(int(found[0][1:])))
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


def _check_places(file: CampaignFile) -> None:
    """Raise BadFile if something is spoken of that is not there, or is there twice."""
    people = range(len(file.people))
    gangs = [gang.id for gang in file.gangs]
    nights = [night.id for night in file.nights]
    games = [game.id for game in file.games]
    for what, keys in (("gangs", gangs), ("nights", nights), ("games", games)):
        if len(set(keys)) != len(keys) or not all(map(_is_key, keys)):
            raise BadFile("impossible", what)
    if file.book not in file.versions or not _is_key(file.id):
        raise BadFile("impossible", "book")
    for person in _people_in(file):
        if person is not None and person not in people:
            raise BadFile("impossible", "people")
    for gang in file.gangs:
        if not gang.ledger.digests <= set(file.versions):
            raise BadFile("impossible", "versions")
        used = max((record.batch for record in gang.ledger.records), default=-1)
        if used >= len(gang.batches) or not all(map(_is_key, gang.batches)):
            raise BadFile("impossible", "batches")
        if len(gang.writers) != len(gang.ledger.records):
            raise BadFile("impossible", "writers")
        if len(gang.correctors) != len(gang.ledger.corrections):
            raise BadFile("impossible", "correctors")
    for night in file.nights:
        coming = [answer.gang for answer in night.attendances]
        if not set(coming) <= set(gangs) or len(set(coming)) != len(coming):
            raise BadFile("impossible", "attendances")
    for game in file.games:
        _check_game(game, set(gangs), set(nights))
    for bargain in file.bargains:
        if not {bargain.giver, bargain.taker} <= {None, *gangs}:
            raise BadFile("impossible", "bargains")
        if bargain.batch is not None and not _is_key(bargain.batch):
            raise BadFile("impossible", "bargains")
    for upgrade in file.upgrades:
        if not {upgrade.before, upgrade.after} <= set(file.versions) or not _is_key(upgrade.batch):
            raise BadFile("impossible", "upgrades")


def _check_game(game: GameRecord, gangs: set[str], nights: set[str]) -> None:
    sides = [side.gang for side in game.sides if side.gang is not None]
    places = set(range(len(game.sides)))
    if not set(sides) <= gangs or len(set(sides)) != len(sides):
        raise BadFile("impossible", "sides")
    if game.night is not None and game.night not in nights:
        raise BadFile("impossible", "nights")
    if game.claim is not None and game.claim >= len(game.claims):
        raise BadFile("impossible", "claims")
    if game.status in ("reported", "disputed", "confirmed") and not game.result:
        raise BadFile("impossible", "result")
    for claim in game.claims:
        said = claim.said
        if not {*said.account.sides, *said.behind} <= places:
            raise BadFile("impossible", "claims")
        if said.taken is not None and said.taken >= len(game.claims):
            raise BadFile("impossible", "claims")
    for throw in game.throws:
        if throw.side is not None and throw.side not in places:
            raise BadFile("impossible", "throws")
    for side in game.sides:
        if side.batch is not None and not _is_key(side.batch):
            raise BadFile("impossible", "sides")


def _people_in(file: CampaignFile) -> list[int | None]:
    """Everybody that the file speaks of by his place."""
    spoken: list[int | None] = []
    for gang in file.gangs:
        spoken += [gang.owner, *gang.writers, *gang.correctors]
    for night in file.nights:
        spoken += [answer.by for answer in night.attendances]
    for game in file.games:
        spoken += [game.reported_by, game.struck_by]
        spoken += [side.verdict_by for side in game.sides]
        spoken += [claim.by for claim in game.claims]
        spoken += [throw.by for throw in game.throws]
    for bargain in file.bargains:
        spoken += [bargain.proposed_by, bargain.decided_by]
    return spoken + [upgrade.by for upgrade in file.upgrades]


def _is_key(written: str) -> bool:
    try:
        uuid.UUID(written)
    except ValueError:
        return False
    return True
