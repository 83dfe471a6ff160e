"""Reading a campaign from a file: games and gangs one by one, every row with a new key.

Somebody may have written the file by hand. So everything in it is bounded, every reference must
lead to something in it, and dice must be possible.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import ValidationError

from campaigns.engine.how import FOUGHT
from campaigns.engine.league.options import MOST_ENTRANTS
from campaigns.engine.report import Answers
from campaigns.files.format import (
    FORMAT,
    HIRED_ABROAD,
    MOST_BARGAINS,
    MOST_GAMES,
    MOST_GANGS,
    MOST_NIGHTS,
    MOST_STAGES,
    REFERENCE,
    BargainRecord,
    CampaignFile,
    GameRecord,
    GangRecord,
    NightRecord,
    StageRecord,
    TableRecord,
    require,
    throws_renamed,
)
from campaigns.throws import ROLES_KEY
from common.measuring import BadData, Limits, Pieces, in_pieces
from gangs.engine.entries import Played
from gangs.files import format as gang_format
from gangs.files.format import ROW_KEY, BadFile, mistake_in, of_format, refusing
from rules.book.vocabulary import Frozen

# A club that meets every week takes years to fill this. One piece is parsed at a time.
LIMITS = Limits(size=16_000_000, depth=40, values=1_500_000)
PIECE = gang_format.LIMITS
# People, upgrades, and rulebooks, each of which is one text.
REST = Limits(size=16_000_000, depth=20, values=20_000)
IN_PIECES = ("gangs", "nights", "games", "bargains", "stages")
MOST_REFERENCES = 1_000_000
# Places in the first round of a knock-out: those of gangs that have left count, too.
MOST_PLACES = 2 * MOST_ENTRANTS


class PlayedBatches(NamedTuple):
    """The batches in a gang's ledger that are not struck, the batch of each game it played, and
    the batches that paid for a game without a battle."""

    standing: frozenset[str]
    games: Mapping[str, str]
    paid: frozenset[str]


@dataclass
class CampaignReader:
    """A campaign in a file. ``head``: all of it except gangs, nights, games, bargains and stages.
    Read them in this order: later ones refer to earlier ones.

    Reading raises BadFile at the first mistake.
    """

    head: CampaignFile
    pieces: Pieces
    home: Home
    _gangs: dict[str, PlayedBatches] = field(default_factory=dict)
    _nights: set[str] = field(default_factory=set)
    _games: set[str] = field(default_factory=set)

    @property
    def names(self) -> list[str]:
        """The names of the people in the file."""
        return [person.name for person in self.head.people]

    def check(self) -> None:
        """Read all of it once, before anything is written."""
        for part in (self.gangs, self.nights, self.games, self.bargains, self.stages):
            for _record in part():
                pass
        given = {row.gang for row in self.head.adjustments}
        given |= {row.gang for row in self.head.trophy_awards}
        require(given <= {None, *self._gangs}, "adjustments")
        own = {None, *range(len(self.head.trophies))}
        for award in self.head.trophy_awards:
            require(award.trophy in own, "trophies")
            require((award.trophy is None) == bool(award.book_trophy), "trophies")

    def gangs(self) -> Iterator[GangRecord]:
        """The gangs."""
        self._gangs.clear()
        for gang in self._each("gangs", GangRecord, MOST_GANGS):
            _check_gang(gang, self.head)
            require(gang.id not in self._gangs, "gangs")
            self._gangs[gang.id] = _played(gang)
            yield gang

    def nights(self) -> Iterator[NightRecord]:
        """The nights."""
        self._nights.clear()
        for night in self._each("nights", NightRecord, MOST_NIGHTS):
            coming = [answer.gang for answer in night.attendances]
            require(self._gangs.keys() >= set(coming), "attendances")
            require(len(set(coming)) == len(coming), "attendances")
            require(night.id not in self._nights, "nights")
            self._nights.add(night.id)
            yield night

    def games(self) -> Iterator[GameRecord]:
        """The games."""
        self._games.clear()
        for game in self._each("games", GameRecord, MOST_GAMES):
            _check_game(game, self._gangs, self._nights)
            imports = range(len(self.head.results_imports))
            require(game.brought_by is None or game.brought_by in imports, "results_imports")
            require(game.id not in self._games, "games")
            self._games.add(game.id)
            yield game

    def bargains(self) -> Iterator[BargainRecord]:
        """The bargains."""
        for bargain in self._each("bargains", BargainRecord, MOST_BARGAINS):
            require({bargain.giver, bargain.taker} <= {None, *self._gangs}, "bargains")
            yield bargain

    def stages(self) -> Iterator[StageRecord]:
        """The stages of the league."""
        decided: set[str] = set()
        numbers: set[int] = set()
        for place, stage in enumerate(self._each("stages", StageRecord, MOST_STAGES)):
            require(stage.number not in numbers, "stages")
            numbers.add(stage.number)
            # A stage can only take the best gangs of an earlier one.
            require(stage.source is None or stage.source < place, "stages")
            _check_stage(stage, self._gangs, self._games, decided)
            yield stage

    def _each[R: Frozen](self, name: str, kind: type[R], most: int) -> Iterator[R]:
        require(len(self.pieces.places.get(name, ())) <= most, name)
        try:
            for place, data in enumerate(self.pieces.each(name)):
                yield _modelled(kind, data, self.home, f"{name}.{place}.")
        except BadData as bad:
            raise refusing(bad) from None


def read_file(content: bytes) -> CampaignReader:
    """Read the campaign in a file. Raises BadFile if there is none, or if it is damaged."""
    try:
        pieces = in_pieces(content, LIMITS, IN_PIECES, PIECE, REST)
    except BadData as bad:
        raise refusing(bad) from None
    data = of_format(pieces.head, FORMAT)
    people = data.get("people")
    home = Home(len(people) if isinstance(people, list) else 0)
    head = _modelled(CampaignFile, data, home)
    # An escaped name (\u0067angs) would be overlooked as a piece.
    require(not any(getattr(head, name) for name in IN_PIECES), "pieces")
    require(head.book in head.versions, "book")
    for upgrade in head.upgrades:
        require({upgrade.before, upgrade.after} <= set(head.versions), "upgrades")
    reader = CampaignReader(head, pieces, home)
    reader.check()
    return reader


@dataclass
class Home:
    """New keys for a file: the number of ``people`` in it, the new ``keys`` of rows by their
    numbers in the file, and all new keys (``made``)."""

    people: int
    keys: dict[int, str] = field(default_factory=dict)
    made: set[str] = field(default_factory=set)

    def key_of(self, number: int) -> str:
        """The new key of a row."""
        if number not in self.keys:
            self.keys[number] = key = str(uuid.uuid4())
            self.made.add(key)
        return self.keys[number]

    def moved(self, value: Any) -> Any:
        """The data, changed in place, with a new key for each reference. Their depth was measured
        before."""
        if isinstance(value, list):
            for place, inner in enumerate(value):
                value[place] = self.moved(inner)
        if not isinstance(value, dict):
            return value
        number = value.get(REFERENCE)
        if len(value) == 1 and type(number) is int and 0 <= number <= MOST_REFERENCES:
            return self.key_of(number)
        for key, inner in value.items():
            value[key] = self.moved(inner)
        return throws_renamed(value, HIRED_ABROAD, lambda match: self.key_of(int(match[0][1:])))


def _modelled[R: Frozen](kind: type[R], data: Any, home: Home, place: str = "") -> R:
    moved = home.moved(data)
    try:
        context = {"people": home.people, "keys": home.made}
        return kind.model_validate(moved, context=context)
    except ValidationError as error:
        raise BadFile("damaged", f"{place}{mistake_in(error)}"[:80]) from None


def _played(gang: GangRecord) -> PlayedBatches:
    """The batches that are not struck in the ledger of a gang."""
    standing = [record for record in gang.ledger.records if record.struck is None]
    games = {
        record.entry.game: gang.batches[record.batch]
        for record in standing
        if isinstance(record.entry, Played)
    }
    paid = [record for record in standing if getattr(record.entry, "why", "") == "unfought"]
    return PlayedBatches(
        frozenset(gang.batches[record.batch] for record in standing),
        games,
        frozenset(gang.batches[record.batch] for record in paid),
    )


def _check_gang(gang: GangRecord, head: CampaignFile) -> None:
    """Raise BadFile if the parallel lists of a gang differ in length."""
    ledger = gang.ledger
    used = max(record.batch for record in ledger.records)
    require(ledger.digests <= set(head.versions), "versions")
    require(used < len(gang.batches), "batches")
    require(len(gang.writers) == len(ledger.records), "writers")
    require(len(gang.correctors) == len(ledger.corrections), "correctors")
    require(len(gang.occasions) == len(gang.correctors), "occasions")


def _check_game(game: GameRecord, gangs: Mapping[str, PlayedBatches], nights: set[str]) -> None:
    """Raise BadFile if a game refers to something missing, or its dice are impossible."""
    sides = [side.gang for side in game.sides if side.gang is not None]
    places = set(range(len(game.sides)))
    require(gangs.keys() >= set(sides) and len(set(sides)) == len(sides), "sides")
    require(game.night is None or game.night in nights, "nights")
    require(game.claim is None or game.claim < len(game.claims), "claims")
    has_result = game.status in ("reported", "disputed", "confirmed")
    require(bool(game.result) or game.how != "played" or not has_result, "result")
    require(not game.result or game.how == "played", "result")
    if game.table is not None:
        _check_table(game.table, gangs, set(sides))
    for number, claim in enumerate(game.claims):
        data = claim.data
        require({*data.account.sides, *data.behind} <= places, "claims")
        # A claim can only take over an earlier one.
        require(data.taken is None or data.taken < number, "claims")
    for throw in game.throws:
        require(throw.side is None or throw.side in places, "throws")
        require((throw.key == ROLES_KEY) <= (throw.about.round is not None), "throws")
    for side in game.sides:
        if side.gang is not None:
            # The ledger has this post-game for the game, or none. Without a battle, the batch has
            # paid what the game brought.
            played = gangs[side.gang]
            found = played.games.get(game.id)
            standing = side.batch if side.batch in played.standing else None
            require(found == (standing if game.how in FOUGHT else None), "batch")
            if game.how not in FOUGHT:
                require(standing is None or standing in played.paid, "batch")
        hired = [whom[0] for whom in side.crew or () if isinstance(whom, tuple)]
        require(all(map(ROW_KEY.fullmatch, hired)), "crew")
        kept = side.kept_draft or Answers()
        rolls = [*side.before.rolls.values(), *side.draft.rolls.values(), *kept.rolls.values()]
        require(all(roll.is_possible for roll in rolls), "rolls")


def _check_stage(
    stage: StageRecord, gangs: Collection[str], games: Collection[str], decided: set[str]
) -> None:
    """Raise BadFile if a stage refers to something missing, or has something twice. ``decided``:
    the games of the fixtures so far, which takes up those of this stage."""
    entered = [one.gang for one in stage.entrants if one.gang is not None]
    require(len(set(entered)) == len(entered), "entrants")
    numbers = [one.number for one in stage.rounds]
    require(len(set(numbers)) == len(numbers), "rounds")
    fixtures = [fixture for one in stage.rounds for fixture in one.fixtures]
    if stage.format == "knock-out":
        # Its places double with each round, so their number follows from the last one.
        require(max(numbers, default=0) <= MOST_PLACES.bit_length(), "rounds")
        require(all(fixture.number <= MOST_PLACES for fixture in fixtures), "fixtures")
    named = {
        gang for one in fixtures for gang in (one.home, one.away, one.advances) if gang is not None
    }
    require({*gangs} >= {*entered, *named}, "fixtures")
    for one in stage.rounds:
        places = [fixture.number for fixture in one.fixtures]
        require(len(set(places)) == len(places), "fixtures")
    for place, fixture in enumerate(fixtures):
        for source in (fixture.home_from, fixture.away_from):
            require(source is None or source < place, "fixtures")
        if fixture.game is not None:
            require(fixture.game in games and fixture.game not in decided, "fixtures")
            decided.add(fixture.game)


def _check_table(table: TableRecord, gangs: Mapping[str, PlayedBatches], playing: set[str]) -> None:
    """Raise BadFile if a table refers to something missing, or has a tap twice."""
    numbers = [side.number for side in table.sides]
    require(len(set(numbers)) == len(numbers), "tables")
    for side in table.sides:
        require(side.gang is None or side.gang in playing, "tables")
        hired = {whom[0] for whom in side.crew if not isinstance(whom, int)}
        require(gangs.keys() >= hired, "tables")
    keys = {(tap.device, tap.device_seq) for tap in table.taps}
    seqs = [tap.seq for tap in table.taps]
    require(len(keys) == len(table.taps), "taps")
    require(seqs == sorted(set(seqs)), "taps")
