"""A whole campaign out into a file: its people by name, everything else as it stands."""

from __future__ import annotations

import uuid
from typing import Any, Literal, cast

from django.db.models import Model

from accounts.models import User
from campaigns.files import format as files_format
from campaigns.files.format import (
    AttendanceRecord,
    BargainRecord,
    CampaignFile,
    ClaimRecord,
    GameRecord,
    GangRecord,
    NightRecord,
    PersonRecord,
    SideRecord,
    TableRecord,
    TableSideRecord,
    TapRecord,
    ThrowRecord,
    UpgradeRecord,
    renumber,
)
from campaigns.models import Campaign, Game, Membership, Night, Side, Table
from campaigns.table.crews.preparing import before_of, crew_of
from campaigns.table.people import read_crew, settings_of
from campaigns.table.storage import log_of
from gangs.files.exporting import as_file
from gangs.models import StoredEntry
from rules.book.vocabulary import Frozen
from rules.models import BookVersion

Role = Literal["organiser", "player", "spectator"]


class Export:
    """What goes into the file of a campaign. Everybody the file speaks of is numbered as they come
    up, those who take part first; ``keys``: those of this site's rows, which get numbers, too."""

    def __init__(self, campaign: Campaign) -> None:
        self.roles = {seat.user_id: seat.role for seat in campaign.seats}
        self.names = {seat.user_id: str(seat.user) for seat in campaign.seats}
        self.keys: set[str] = set()

    def place(self, user: User | None) -> int | None:
        """Somebody's place in the list."""
        if user is None:
            return None
        self.names.setdefault(user.pk, str(user))
        return list(self.names).index(user.pk)

    @property
    def people(self) -> list[PersonRecord]:
        """The list."""
        return [
            PersonRecord(name=name, role=cast("Role | None", self.roles.get(key)))
            for key, name in self.names.items()
        ]

    def record[R: Frozen](self, kind: type[R], row: Model, **values: Any) -> R:
        """A row as a record of the file: the columns that both have, and the other ``values``."""
        columns: dict[str, Any] = {}
        for field in row._meta.concrete_fields:
            if field.name not in kind.model_fields or field.name in values:
                continue
            if field.related_model is User:
                columns[field.name] = self.place(getattr(row, field.name))
            elif isinstance(value := field.value_from_object(row), uuid.UUID):
                columns[field.name] = str(value)
                self.keys.add(str(value))
            else:
                columns[field.name] = value
        return kind.model_validate({**columns, **values})


def export_campaign(campaign: Campaign) -> str:
    """The whole campaign as a file's text: gangs with their ledgers, nights, games, dice, and every
    version of the rules that it takes. People are in it by name, and in no other way."""
    export = Export(campaign)
    members = campaign.memberships.select_related("gang__owner").order_by("joined_at", "pk")
    nights = campaign.nights.prefetch_related("attendances__by").order_by("starts_at", "token")
    parts = ("sides__verdict_by", "claims__actor", "throws__actor")
    games = campaign.games.select_related("reported_by", "struck_by").prefetch_related(*parts)
    bargains = campaign.bargains.select_related("proposed_by", "decided_by").order_by("at", "pk")
    upgrades = campaign.upgrades.select_related("actor").order_by("at", "pk")
    lists: dict[str, list[Any]] = {
        "gangs": [_gang(export, row) for row in members],
        "nights": [_night(export, night) for night in nights],
        "games": [_game(export, game) for game in games.order_by("created_at", "token")],
        "bargains": [
            export.record(BargainRecord, bargain, terms=terms)
            for bargain in bargains
            if (terms := bargain.sound_terms) is not None
        ],
        "upgrades": [export.record(UpgradeRecord, upgrade) for upgrade in upgrades],
    }
    digests = {campaign.book_version_id}
    digests.update(*(gang.ledger.digests for gang in lists["gangs"]))
    digests.update(*((upgrade.before, upgrade.after) for upgrade in lists["upgrades"]))
    texts = BookVersion.objects.filter(pk__in=digests).values_list("pk", "canonical")
    file = export.record(
        CampaignFile,
        campaign,
        format=files_format.FORMAT,
        format_version=1,
        book=campaign.book_version_id,
        versions=dict(sorted(texts)),
        people=export.people,
        **lists,
    )
    return files_format.write_file(file, export.keys)


def _gang(export: Export, row: Membership) -> GangRecord:
    gang = row.gang
    file, batches = as_file(gang, here=str(row.campaign_id))
    export.keys.update(map(str, batches))
    writers = StoredEntry.objects.filter(gang=gang).select_related("actor").order_by("seq")
    strikes = list(gang.strikes.select_related("actor").order_by("pk"))
    occasions = [str(strike.occasion) if strike.occasion else None for strike in strikes]
    export.keys.update(filter(None, occasions))
    return export.record(
        GangRecord,
        gang,
        joined_at=row.joined_at,
        left_at=row.left_at,
        ledger=file,
        writers=[export.place(entry.actor) for entry in writers.only("actor", "seq")],
        correctors=[export.place(strike.actor) for strike in strikes],
        occasions=occasions,
        batches=list(map(str, batches)),
    )


def _night(export: Export, night: Night) -> NightRecord:
    answers = sorted(night.attendances.all(), key=lambda answer: answer.pk)
    coming = [export.record(AttendanceRecord, answer) for answer in answers]
    return export.record(NightRecord, night, attendances=coming)


def _game(export: Export, game: Game) -> GameRecord:
    """A game, without what of it cannot be read: a file is read strictly."""
    sides: dict[int | None, int] = {side.pk: n for n, side in enumerate(game.sides.all())}
    told = [(row, data) for row in game.claims.all() if (data := row.sound_data) is not None]
    claims: dict[int | None, int] = {row.pk: n for n, (row, _data) in enumerate(told)}
    return export.record(
        GameRecord,
        game,
        scenario_roll=game.roll,
        claim=claims.get(game.claim_id),
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
    users = User.objects.in_bulk(set(table.entries.values_list("actor", flat=True)) - {None})
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
                actor=export.place(users.get(told.actor or 0)),
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
