"""Importing a whole campaign.

People are only names in the file. Each becomes an account that nobody can sign in with: their deeds
keep their name, and an organiser can hand their gangs on. The importer may be one of them.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import Model
from django.utils import timezone

from accounts import quotas
from accounts.models import User
from accounts.quotas import QuotaFull
from campaigns.club.next_season.storage import set_previous
from campaigns.files.format import (
    CampaignFile,
    GameRecord,
    GangRecord,
    NightRecord,
    StageRecord,
    TableRecord,
    TableSideRecord,
    renumber,
    require,
)
from campaigns.files.reading import CampaignReader
from campaigns.models import (
    Adjustment,
    Attendance,
    Bargain,
    Campaign,
    CampaignUpgrade,
    Claim,
    Entrant,
    Fixture,
    Game,
    Membership,
    Night,
    Participant,
    ResultsImport,
    Round,
    Side,
    Stage,
    Table,
    TableEntry,
    TableSide,
    Throw,
    Trophy,
    TrophyAward,
)
from campaigns.postgames.drafts import base_of
from campaigns.table.fold import fold
from campaigns.table.people import keep_departed, start_of, unreadable
from campaigns.table.storage import log_of
from gangs.engine.version_change import fit_settings
from gangs.files import importing as files_importing
from gangs.files.format import BadFile
from gangs.files.importing import Company, delete_rows, write_rows, write_unseen
from gangs.models import Gang
from rules.book.vocabulary import Frozen
from rules.library import book_of
from rules.models import BookVersion
from rules.untrusted import BadVersion, admit, read_versions

Users = Sequence[User]


def write_campaign(
    file: CampaignReader, *, importer: User, own_place: int | None, token: uuid.UUID
) -> Campaign:
    """The campaign in ``file``, organised by the importer too; the same form twice makes one.

    ``own_place``: the importer's place among the file's people, if they are one. It counts as one
    of the importer's imports. Raises QuotaFull, and BadFile if the file contradicts itself; then
    nothing stays. One gang and one game is in memory at a time, and each is written in
    transactions of its own; nobody sees the campaign before the last one.
    """
    head = file.head
    if own_place is not None and own_place not in range(len(head.people)):
        raise BadFile("impossible", "people")
    try:
        versions = read_versions(head.versions)
    except BadVersion as bad:
        raise BadFile("bad_version", bad.detail) from None
    known = Campaign.objects.filter(token=token).first()
    if known is not None:
        return known
    quotas.check(importer, "campaigns")
    admit(versions)
    version = BookVersion.objects.get(pk=head.book)
    _check_rules(head, version)
    now = timezone.now()
    given = {"book_version": version, "token": uuid.uuid4(), "imported_at": now, "arriving_at": now}
    campaign = _row(Campaign, head, (), **given)
    campaign.save(force_insert=True)
    gangs: list[Gang] = []
    try:
        people = _people(campaign, head, importer, own_place)
        for record in file.gangs():
            gangs.append(_gang(campaign, record, head, people))
        for night in file.nights():
            _night(campaign, night, people)
        imports = [
            _row(ResultsImport, row, people, campaign=campaign) for row in head.results_imports
        ]
        write_rows(ResultsImport, imports)
        for game in file.games():
            _game(campaign, game, people, imports)
        write_rows(
            Bargain, (_row(Bargain, row, people, campaign=campaign) for row in file.bargains())
        )
        _stages(campaign, file.stages(), people)
        upgrades = (_row(CampaignUpgrade, row, people, campaign=campaign) for row in head.upgrades)
        write_rows(CampaignUpgrade, upgrades)
        adjustments = (_row(Adjustment, row, people, campaign=campaign) for row in head.adjustments)
        write_rows(Adjustment, adjustments)
        _trophies(campaign, head, people)
        known = _show(campaign, gangs, head, people, importer, token)
    except (BadFile, QuotaFull):
        _discard(campaign)
        raise
    if known is not None:
        _discard(campaign)
        return known
    campaign.token, campaign.arriving_at = token, None
    return campaign


def _show(
    campaign: Campaign,
    gangs: Sequence[Gang],
    file: CampaignFile,
    people: Users,
    importer: User,
    token: uuid.UUID,
) -> Campaign | None:
    """Make the campaign visible, or return the campaign that the same form made meanwhile. Raises
    QuotaFull.
    """
    with quotas.turn(importer):
        known = Campaign.objects.filter(token=token).first()
        if known is not None:
            return known
        quotas.check(importer, "campaigns")
        quotas.check(importer, "gangs", sum(gang.owner_id == importer.pk for gang in gangs))
        quotas.use(importer, "imports")
        _seats(campaign, file, people, importer)
        keys = [gang.pk for gang in gangs]
        Gang.everything.filter(pk__in=keys).update(arriving_at=None)
        Campaign.everything.filter(pk=campaign.pk).update(token=token, arriving_at=None)
        _link_seasons(campaign, importer)
    return None


def _link_seasons(campaign: Campaign, importer: User) -> None:
    """Link the campaign with the seasons before and after it that the importer brought as files,
    in any order."""
    imported = Campaign.objects.organised_by(importer).exclude(imported_at=None)
    others = imported.exclude(pk=campaign.pk).order_by("-imported_at")
    if campaign.previous_key is not None:
        before = others.filter(season_key=campaign.previous_key, next_seasons=None).first()
        if before is not None:
            set_previous(campaign, before)
    if campaign.season_key is not None:
        waiting = others.filter(previous=None, previous_key=campaign.season_key)
        if (after := waiting.first()) is not None:
            set_previous(after, campaign)


def _discard(campaign: Campaign) -> None:
    """Delete a campaign that did not arrive, some rows at a time."""
    for gang in Gang.everything.filter(memberships__campaign=campaign):
        files_importing.discard(gang)
    delete_rows(TableEntry.objects.filter(table__game__campaign=campaign))
    delete_rows(Throw.objects.filter(game__campaign=campaign))
    for game in Game.objects.filter(campaign=campaign):
        game.delete()
    delete_rows(User.objects.filter(username__startswith=_stand_in(campaign)))
    campaign.delete()


def tidy() -> int:
    """Delete the campaigns of imports that were killed; return their number."""
    late = timezone.now() - files_importing.LONGEST
    campaigns = list(Campaign.everything.filter(arriving_at__lt=late))
    for campaign in campaigns:
        _discard(campaign)
    return len(campaigns)


def _trophies(campaign: Campaign, head: CampaignFile, people: Users) -> None:
    own = [_row(Trophy, row, people, campaign=campaign) for row in head.trophies]
    write_rows(Trophy, own)
    awards = (
        _row(
            TrophyAward,
            row,
            people,
            campaign=campaign,
            trophy_id=None if row.trophy is None else own[row.trophy].pk,
        )
        for row in head.trophy_awards
    )
    write_rows(TrophyAward, awards)


def _check_rules(file: CampaignFile, version: BookVersion) -> None:
    """Raise BadFile if the rulebooks belong to several games, or do not accept the campaign's
    options."""
    slugs = BookVersion.objects.filter(pk__in=file.versions).values_list("slug", flat=True)
    require(set(slugs) == {version.slug}, "versions")
    chosen = [(file.book, file.settings)]
    chosen += [(upgrade.before, upgrade.settings_before) for upgrade in file.upgrades]
    for digest, settings in chosen:
        known = book_of(digest).setting
        for key, value in settings.items():
            require(key in known and known[key].accepts(value), "settings")


def _row[M: Model](model: type[M], record: Frozen, people: Users, **given: Any) -> M:
    """The row for a record of the file, not yet written: the columns that both have, and the
    ``given`` ones."""
    fields = {field.name: field for field in model._meta.concrete_fields}
    columns: dict[str, Any] = {}
    for name, value in record.model_dump(mode="json", include=set(fields)).items():
        field = fields[name]
        if field.related_model is User and value is not None:
            value = people[value].pk
        columns[field.attname] = field.to_python(value)
    return model(**columns | given)


def _people(
    campaign: Campaign, file: CampaignFile, importer: User, own_place: int | None
) -> list[User]:
    """An account for each person of the file, in its order."""
    people = [
        importer
        if place == own_place
        else User(
            username=f"{_stand_in(campaign)}{place}",
            stands_for=person.name,
            is_active=False,
            password=make_password(None),
        )
        for place, person in enumerate(file.people)
    ]
    write_rows(User, [user for user in people if user is not importer])
    return people


def _stand_in(campaign: Campaign) -> str:
    """The beginning of the user names that stand for the campaign's people. Nobody can choose
    such a name."""
    return f"~{campaign.pk.hex}-"


def _seats(campaign: Campaign, file: CampaignFile, people: Users, importer: User) -> None:
    roles: dict[User, str] = {
        user: person.role for user, person in zip(people, file.people, strict=True) if person.role
    }
    roles[importer] = Participant.Role.ORGANISER
    Participant.objects.bulk_create(
        Participant(campaign=campaign, user=user, role=role) for user, role in roles.items()
    )


def _gang(campaign: Campaign, record: GangRecord, file: CampaignFile, people: Users) -> Gang:
    """A gang with its whole ledger. Raises BadFile if that does not fold, or uses other rules
    than the campaign while it is in it."""
    known: dict[int | None, User | None] = {None: None, **dict(enumerate(people))}
    company = Company(
        key=uuid.UUID(record.id),
        campaign=file.id,
        batches=dict(enumerate(map(uuid.UUID, record.batches))),
        writers=[known[place] for place in record.writers],
        correctors=[known[place] for place in record.correctors],
        occasions=[uuid.UUID(key) if key else None for key in record.occasions],
    )
    version = BookVersion.objects.get(pk=record.ledger.digest)
    require(record.ledger.book == version.slug, "book")
    gang = write_unseen(version, record.ledger, company, owner=known[record.owner])
    Membership.objects.create(
        campaign=campaign,
        gang=gang,
        joined_at=record.joined_at,
        left_at=record.left_at,
        # Files of earlier releases: an archived gang does not play.
        retired_at=record.retired_at or (record.archived_at if record.left_at is None else None),
        player=known[record.player],
    )
    Gang.everything.filter(pk=gang.pk).update(
        archived_at=record.archived_at,
        kept_at=record.kept_at or (timezone.now() if record.owner is None else None),
    )
    if record.left_at is None:
        require(gang.book_version_id == campaign.book_version_id, "book")
        require(str(campaign.pk) in gang.roster.campaigns, "joined")
    return gang


@transaction.atomic
def _night(campaign: Campaign, record: NightRecord, people: Users) -> None:
    night = _row(Night, record, people, campaign=campaign)
    night.save(force_insert=True)
    for answer in record.attendances:
        row = _row(Attendance, answer, people, night=night)
        row.save()
        # Saving sets the present time.
        Attendance.objects.filter(pk=row.pk).update(at=answer.at)


def _game(
    campaign: Campaign, record: GameRecord, people: Users, imports: Sequence[ResultsImport]
) -> None:
    brought_by = None if record.brought_by is None else imports[record.brought_by].pk
    game = _row(Game, record, people, campaign=campaign, claim_id=None, brought_by_id=brought_by)
    keys: dict[int | None, int] = {}
    with transaction.atomic():
        game.save(force_insert=True)
        rows = [_row(Side, side, people, game=game) for side in record.sides]
        Side.objects.bulk_create(rows)
        sides: dict[int | None, int] = {place: side.pk for place, side in enumerate(rows)}
        for place, claim in enumerate(record.claims):
            data = renumber(claim.data, sides, keys).model_dump(mode="json")
            row = _row(Claim, claim, people, game=game, data=data)
            row.save()
            keys[place] = row.pk
        if record.claim is not None:
            Game.objects.filter(pk=game.pk).update(claim=keys[record.claim])
    throws = (
        _row(Throw, throw, people, game=game, side_id=sides.get(throw.side))
        for throw in record.throws
    )
    write_rows(Throw, throws)
    if record.table is not None:
        _table(game, record.table, people, rows)


def _stages(campaign: Campaign, records: Iterable[StageRecord], people: Users) -> None:
    """Write the stages of the league, with their entrants, rounds and fixtures."""
    stages: list[Stage] = []
    for record in records:
        source = None if record.source is None else stages[record.source].pk
        stage = _row(Stage, record, people, campaign=campaign, source_id=source)
        stage.save(force_insert=True)
        stages.append(stage)
        write_rows(Entrant, (_row(Entrant, one, people, stage=stage) for one in record.entrants))
        made: list[Fixture] = []
        for one in record.rounds:
            row = _row(Round, one, people, stage=stage)
            row.save(force_insert=True)
            for fixture in one.fixtures:
                sources = {
                    f"{name}_id": None if place is None else made[place].pk
                    for name in ("home_from", "away_from")
                    for place in [getattr(fixture, name)]
                }
                made.append(_row(Fixture, fixture, people, round=row, **sources))
                made[-1].save(force_insert=True)


def _table(game: Game, record: TableRecord, people: Users, sides: Sequence[Side]) -> None:
    """Write the table of a game. Raises BadFile if its taps do not fold."""
    version = game.campaign.book_version_id
    last = max((tap.seq for tap in record.taps), default=0)
    given = {"game": game, "book_version_id": version, "scenario": game.scenario, "seq": last}
    # Options of an older version are fitted to this one.
    known = fit_settings(game.campaign.book, record.settings)
    settings = {key: value for key, value in known.items() if key in record.settings}
    table = _row(Table, record, people, settings=settings, **given)
    table.save(force_insert=True)
    by_gang = {str(side.gang_id): side for side in sides if side.gang_id is not None}
    for seat in record.sides:
        _table_side(table, seat, people, by_gang.get(seat.gang or ""))
    write_rows(
        TableEntry,
        (
            _row(
                TableEntry,
                tap,
                people,
                table=table,
                kind=tap.tap.kind,
                data=tap.tap.model_dump(mode="json", exclude={"kind"}, exclude_defaults=True),
            )
            for tap in record.taps
        ),
    )
    try:
        fold(start_of(table), log_of(table))
    except (LookupError, ValueError, ArithmeticError):
        raise BadFile("impossible", "tables") from None
    if unreadable(table):
        raise BadFile("impossible", "tables")


def _table_side(table: Table, seat: TableSideRecord, people: Users, side: Side | None) -> None:
    """Write a gang at a table as it was before the game, or without members if it was deleted."""
    row = _row(TableSide, seat, people, table=table, book_version_id=table.book_version_id)
    if side is not None:
        base = base_of(side)
        row.book_version_id, row.snapshot = base.book.digest, base.roster.model_dump_json()
        hired = [whom for whom in seat.crew if not isinstance(whom, int)]
        homes = Gang.everything.filter(pk__in={gang for gang, _member in hired})
        row.homes = {
            str(home.pk): keep_departed(
                home.roster, {who for gang, who in hired if gang == str(home.pk)}
            ).model_dump(mode="json")
            for home in homes
        }
    row.save(force_insert=True)
