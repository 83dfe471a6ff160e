"""Exporting a whole campaign: its people by name, everything else as it is stored."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from io import BytesIO
from tempfile import TemporaryFile
from typing import IO, Any, Literal, cast

from django.conf import settings
from django.db.models import Model

from accounts.models import User
from campaigns.engine.how import ClubResults
from campaigns.engine.league.standings_rules import BY_THE_BOOK
from campaigns.files import format as files_format
from campaigns.files.format import (
    FORMAT_2,
    AdjustmentRecord,
    AttendanceRecord,
    BargainRecord,
    CampaignFile,
    ClaimRecord,
    EntrantRecord,
    FixtureRecord,
    GameRecord,
    GangRecord,
    NightRecord,
    PersonRecord,
    ResultsImportRecord,
    RoundRecord,
    SideRecord,
    StageRecord,
    TableRecord,
    TableSideRecord,
    TapRecord,
    ThrowRecord,
    TrophyAwardRecord,
    TrophyRecord,
    UpgradeRecord,
    renumber,
)
from campaigns.models import (
    Campaign,
    CampaignUpgrade,
    Fixture,
    Game,
    Membership,
    Night,
    Side,
    Stage,
    Table,
)
from campaigns.table.crews.preparing import before_of, crew_of
from campaigns.table.people import read_crew, settings_of
from campaigns.table.storage import log_of
from gangs.files.exporting import as_file
from rules.book.since import NEWEST, format_needed
from rules.book.vocabulary import Frozen
from rules.models import BookVersion

# Games that are read together.
GAMES_AT_ONCE = 20
DATED = ("at", "pk")

Role = Literal["organiser", "player", "spectator"]


class Export:
    """People, keys and rulebooks that a campaign's file refers to. People are numbered in the order
    of their records, participants first; ``keys``: the keys of this site's rows, written as
    numbers; ``digests``: the versions of the rulebook that it needs; ``imports``: the places of the
    imports of old results, by their keys.
    """

    def __init__(self, campaign: Campaign) -> None:
        self.people = [
            PersonRecord(name=str(s.user), role=cast(Role, s.role)) for s in campaign.seats
        ]
        self.keys: set[str] = set()
        self.digests = {campaign.book_version_id}
        # Older sites do not know conditions for joining.
        conditions = campaign.legal_only or campaign.least_members
        self.formats = {2 if conditions or campaign.joining != Campaign.Joining.OPEN else 1}
        self._places = {seat.user_id: place for place, seat in enumerate(campaign.seats)}
        imports = campaign.results_imports.order_by(*DATED).values_list("pk", flat=True)
        self.imports = {key: place for place, key in enumerate(imports)}

    def place(self, user: int | None) -> int | None:
        """The place of a user among the people. One query for each who has no seat."""
        if user is None:
            return None
        if user not in self._places:
            self._places[user] = len(self.people)
            self.people.append(PersonRecord(name=str(User.objects.get(pk=user))))
        return self._places[user]

    def note_words(self, record: Frozen) -> dict[str, Any]:
        """Return a record as JSON. If 1.0 has no words for it, the file needs the newest format."""
        data = record.model_dump(mode="json")
        if not FORMAT_2.says([type(record)], data):
            self.formats.add(NEWEST)
        return data

    def line(self, record: Frozen) -> bytes:
        """Return a record as a line of JSON."""
        return json.dumps(self.note_words(record)).encode() + b"\n"

    def record[R: Frozen](self, kind: type[R], row: Model, **values: Any) -> R:
        """A row as a record of the file: the columns that both have, and the other ``values``."""
        columns: dict[str, Any] = {}
        for field in row._meta.concrete_fields:
            if field.name not in kind.model_fields or field.name in values:
                continue
            value = field.value_from_object(row)
            if field.related_model is User:
                value = self.place(value)
            elif isinstance(value, uuid.UUID):
                value = str(value)
                self.keys.add(value)
            columns[field.name] = value
        return kind.model_validate({**columns, **values})


def export_campaign(campaign: Campaign) -> bytes:
    """The whole campaign as a file: gangs with their ledgers, nights, games, dice, and every
    version of the rules that it takes. It names people, and says nothing else about them.

    Only one gang or game is in memory at a time: the numbers of people and keys are known only when
    all of them were read, so they wait on disk, as lines of JSON. Raises OSError if that is full.
    """
    export = Export(campaign)
    settings.DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ExitStack() as stack:
        waiting: dict[str, IO[bytes]] = {}
        for name, records in _lists(campaign, export).items():
            lines = waiting[name] = stack.enter_context(TemporaryFile(dir=settings.DATA_DIR))
            lines.writelines(export.line(record) for record in records)
            lines.seek(0)
        if campaign.club_results != ClubResults():
            export.formats.add(2)
        books = BookVersion.objects.filter(pk__in=export.digests)
        texts = dict(sorted(books.values_list("pk", "canonical")))
        export.formats |= {format_needed(json.loads(text)) for text in texts.values()}
        if campaign.standings_rules != BY_THE_BOOK or _has_standings(campaign):
            export.formats.add(2)
        links = _season_links(campaign)
        if links != (None, None):
            export.formats.add(2)
        head = export.record(
            CampaignFile,
            campaign,
            season_key=links[0],
            previous_key=links[1],
            format=files_format.FORMAT,
            format_version=1,
            book=campaign.book_version_id,
            table=campaign.standings_rules,
            special_results=campaign.club_results,
            versions=texts,
            people=export.people,
        )
        export.note_words(head)
        head = head.model_copy(update={"format_version": max(export.formats)})
        lists = {name: map(json.loads, lines) for name, lines in waiting.items()}
        # Older sites do not know these lists.
        newer = ("adjustments", "trophies", "trophy_awards", "results_imports")
        used = {name for name in newer if getattr(campaign, name).exists()}
        for name in {*newer} - used:
            del lists[name]
        file = BytesIO()
        for piece in files_format.write_pieces(
            {**head.model_dump(mode="json"), **lists}, export.keys
        ):
            file.write(piece.encode())
        return file.getvalue()


def _lists(campaign: Campaign, export: Export) -> dict[str, Iterable[Frozen]]:
    """The long lists of the file, in the order in which they name people. A campaign without
    stages has no list of them, so that earlier releases can read its file."""
    members = campaign.memberships.select_related("gang").order_by("joined_at", "pk")
    nights = campaign.nights.prefetch_related("attendances").order_by("starts_at", "token")
    games = campaign.games.prefetch_related("sides", "claims", "throws")
    games = games.order_by("created_at", "token")
    stages = list(campaign.stages.all())
    lists: dict[str, Iterable[Frozen]] = {
        "gangs": (_gang(export, row) for row in members),
        "nights": (_night(export, night) for night in nights),
        "games": (_game(export, game) for game in games.iterator(GAMES_AT_ONCE)),
        "bargains": (
            export.record(BargainRecord, bargain, terms=terms)
            for bargain in campaign.bargains.order_by("at", "pk")
            if (terms := bargain.sound_terms) is not None
        ),
        "upgrades": (_upgrade(export, row) for row in campaign.upgrades.order_by("at", "pk")),
        "trophies": (
            export.record(TrophyRecord, row) for row in campaign.trophies.order_by(*DATED)
        ),
        "trophy_awards": _awards(export, campaign),
        "results_imports": (
            export.record(ResultsImportRecord, row)
            for row in campaign.results_imports.order_by(*DATED)
        ),
        "adjustments": (
            export.record(AdjustmentRecord, row)
            for row in campaign.adjustments.order_by("at", "pk")
        ),
    }
    if stages:
        places = {stage.pk: place for place, stage in enumerate(stages)}
        lists["stages"] = (_stage(export, stage, places) for stage in stages)
    return lists


def _season_links(campaign: Campaign) -> tuple[uuid.UUID | None, uuid.UUID | None]:
    """The keys of the season and of the one before it; None for a season that is alone. Two queries
    at most."""
    before = campaign.previous
    previous = campaign.previous_key if before is None else before.season_key_of
    if previous is None and not campaign.next_seasons.exists():
        return campaign.season_key, None
    return campaign.season_key_of, previous


def _has_standings(campaign: Campaign) -> bool:
    """Whether organisers gave bonuses, penalties or trophies."""
    kinds = (campaign.adjustments, campaign.trophies, campaign.trophy_awards)
    return any(rows.exists() for rows in kinds)


def _awards(export: Export, campaign: Campaign) -> Iterator[TrophyAwardRecord]:
    places = {row.pk: place for place, row in enumerate(campaign.trophies.order_by(*DATED))}
    for row in campaign.trophy_awards.order_by(*DATED):
        place = None if row.trophy_id is None else places[row.trophy_id]
        yield export.record(TrophyAwardRecord, row, trophy=place)


def _gang(export: Export, row: Membership) -> GangRecord:
    gang = row.gang
    file, batches = as_file(gang, here=str(row.campaign_id))
    writers = gang.entries.order_by("seq").values_list("actor_id", flat=True)
    strikes = list(gang.strikes.order_by("pk"))
    occasions = [str(strike.occasion) if strike.occasion else None for strike in strikes]
    export.digests |= file.digests
    player = None if row.player_id == gang.owner_id else row.player_id
    is_new = row.retired_at is not None or player is not None
    export.formats.add(max(file.format_version, 2 if is_new else 1))
    export.keys.update(map(str, batches), filter(None, occasions))
    return export.record(
        GangRecord,
        gang,
        joined_at=row.joined_at,
        left_at=row.left_at,
        retired_at=row.retired_at,
        player=export.place(player),
        ledger=file,
        writers=[export.place(writer) for writer in writers],
        correctors=[export.place(strike.actor_id) for strike in strikes],
        occasions=occasions,
        batches=list(map(str, batches)),
    )


def _stage(export: Export, stage: Stage, places: Mapping[uuid.UUID, int]) -> StageRecord:
    rounds = list(stage.rounds.prefetch_related("fixtures"))
    fixtures = [fixture for one in rounds for fixture in one.fixtures.all()]
    numbers = {fixture.pk: number for number, fixture in enumerate(fixtures)}

    def fixture_record(fixture: Fixture) -> FixtureRecord:
        return export.record(
            FixtureRecord,
            fixture,
            home_from=numbers.get(fixture.home_from_id or 0),
            away_from=numbers.get(fixture.away_from_id or 0),
        )

    return export.record(
        StageRecord,
        stage,
        options=stage.rules,
        source=places.get(stage.source_id) if stage.source_id else None,
        entrants=[export.record(EntrantRecord, row) for row in stage.entrants.all()],
        rounds=[
            export.record(
                RoundRecord, one, fixtures=[fixture_record(row) for row in one.fixtures.all()]
            )
            for one in rounds
        ],
    )


def _upgrade(export: Export, upgrade: CampaignUpgrade) -> UpgradeRecord:
    export.digests |= {upgrade.before_id, upgrade.after_id}
    return export.record(UpgradeRecord, upgrade)


def _night(export: Export, night: Night) -> NightRecord:
    answers = sorted(night.attendances.all(), key=lambda answer: answer.pk)
    coming = [export.record(AttendanceRecord, answer) for answer in answers]
    return export.record(NightRecord, night, attendances=coming)


def _game(export: Export, game: Game) -> GameRecord:
    """A game, without values of it that cannot be read: files are read strictly."""
    sides: dict[int | None, int] = {side.pk: n for n, side in enumerate(game.sides.all())}
    told = [(row, data) for row in game.claims.all() if (data := row.sound_data) is not None]
    claims: dict[int | None, int] = {row.pk: n for n, (row, _data) in enumerate(told)}
    accounts = [data.account for _row, data in told]
    for account in accounts:
        for part in account.sides.values():
            export.note_words(part.report)
    places = [side.finish for side in game.sides.all()]
    places += [part.place for account in accounts for part in account.sides.values()]
    hows = {game.how, *(account.how for account in accounts)}
    if hows != {"played"} or any(places):
        export.formats.add(2)
    return export.record(
        GameRecord,
        game,
        scenario_roll=game.roll,
        claim=claims.get(game.claim_id),
        brought_by=None if game.brought_by_id is None else export.imports[game.brought_by_id],
        sides=[_side(export, side) for side in game.sides.all()],
        claims=[
            export.record(ClaimRecord, row, data=renumber(data, sides, claims))
            for row, data in told
        ],
        table=_table(export, game),
        throws=[
            export.record(
                ThrowRecord,
                throw,
                side=sides.get(throw.side_id),
                about=throw.sound_about,
                roll=roll,
            )
            for throw in game.throws.all()
            if (roll := throw.sound_roll) is not None
        ],
    )


def _table(export: Export, game: Game) -> TableRecord | None:
    table = Table.objects.filter(game=game).first()
    if table is None:
        return None
    sides = table.sides.defer("snapshot", "homes")
    return export.record(
        TableRecord,
        table,
        settings=settings_of(table),
        sides=[export.record(TableSideRecord, side, crew=read_crew(side)) for side in sides],
        taps=[
            TapRecord(
                seq=told.seq,
                device=told.device,
                device_seq=told.device_seq,
                after=told.after,
                at=told.at,
                turn=told.turn,
                act=told.act,
                actor=export.place(told.actor),
                tap=told.tap,
            )
            for told in log_of(table)
        ],
    )


def _side(export: Export, side: Side) -> SideRecord:
    return export.record(
        SideRecord,
        side,
        crew=crew_of(side),
        before=before_of(side),
        report=side.parsed_report,
        draft=side.answers,
        kept_draft=None if side.kept_draft is None else side.kept_answers,
    )
