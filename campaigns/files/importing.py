"""A whole campaign in from a file.

People are names in the file. Each becomes an account that nobody can sign in with and that only
stands for them: what they did keeps their name, and an organiser can hand their gangs on. Whoever
brings the file may say which of them they are.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from django.db.models import Model
from django.utils import timezone

from accounts import quotas
from accounts.models import User
from campaigns.files.format import (
    CampaignFile,
    GameRecord,
    GangRecord,
    NightRecord,
    TableRecord,
    TableSideRecord,
    renumber,
    require,
)
from campaigns.files.reading import CampaignReader
from campaigns.models import (
    Attendance,
    Bargain,
    Campaign,
    CampaignUpgrade,
    Claim,
    Game,
    Membership,
    Night,
    Participant,
    Side,
    Table,
    TableEntry,
    TableSide,
    Throw,
)
from campaigns.postgames.drafts import base_of
from campaigns.table.fold import fold
from campaigns.table.people import keep_departed, start_of, unreadable
from campaigns.table.storage import log_of
from gangs.engine.version_change import fit_settings
from gangs.files import importing as files_importing
from gangs.files.format import BadFile
from gangs.files.importing import Company
from gangs.models import Gang
from rules.book.vocabulary import Frozen
from rules.library import book_of
from rules.models import BookVersion
from rules.untrusted import BadVersion, admit, read_versions

Users = Sequence[User]


def write_campaign(
    file: CampaignReader, *, importer: User, own_place: int | None, token: uuid.UUID
) -> Campaign:
    """The campaign in ``file``, run by whoever brought it too; the same form twice makes one.

    ``own_place``: which of the file's people the importer is, if one. Raises BadFile if the file
    contradicts itself, and then nothing is written, and QuotaFull. One gang and one game is in
    memory at a time.
    """
    head = file.head
    if own_place is not None and own_place not in range(len(head.people)):
        raise BadFile("impossible", "people")
    try:
        versions = read_versions(head.versions)
    except BadVersion as bad:
        raise BadFile("bad_version", bad.detail) from None
    with quotas.turn(importer):
        known = Campaign.objects.filter(token=token).first()
        if known is not None:
            return known
        quotas.check(importer, "campaigns")
        admit(versions)
        version = BookVersion.objects.get(pk=head.book)
        _check_rules(head, version)
        people = _people(head, importer, own_place)
        given = {"book_version": version, "token": token, "imported_at": timezone.now()}
        campaign = _row(Campaign, head, people, **given)
        campaign.save(force_insert=True)
        _seats(campaign, head, people, importer)
        for record in file.gangs():
            if own_place is not None and record.owner == own_place:
                quotas.check(importer, "gangs")
            _gang(campaign, record, head, people)
        for night in file.nights():
            _night(campaign, night, people)
        for game in file.games():
            _game(campaign, game, people)
        for bargain in file.bargains():
            _row(Bargain, bargain, people, campaign=campaign).save()
        for upgrade in head.upgrades:
            _row(CampaignUpgrade, upgrade, people, campaign=campaign).save()
    return campaign


def _check_rules(file: CampaignFile, version: BookVersion) -> None:
    """Raise BadFile if the rulebooks are not all of one game, or do not know the campaign's
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
    """The row that a record of the file stands for, not yet written: the columns that both have,
    and what is ``given`` besides or instead."""
    fields = {field.name: field for field in model._meta.concrete_fields}
    columns: dict[str, Any] = {}
    for name, value in record.model_dump(mode="json", include=set(fields)).items():
        field = fields[name]
        if field.related_model is User and value is not None:
            value = people[value].pk
        columns[field.attname] = field.to_python(value)
    return model(**columns | given)


def _people(file: CampaignFile, importer: User, own_place: int | None) -> list[User]:
    """An account for each person of the file, in its order."""
    people = []
    for place, person in enumerate(file.people):
        if place == own_place:
            people.append(importer)
            continue
        # A name that nobody can choose, so that it is in nobody's way.
        stand_in = User(username=f"~{uuid.uuid4().hex}", stands_for=person.name, is_active=False)
        stand_in.set_unusable_password()
        stand_in.save()
        people.append(stand_in)
    return people


def _seats(campaign: Campaign, file: CampaignFile, people: Users, importer: User) -> None:
    roles: dict[User, str] = {
        user: person.role for user, person in zip(people, file.people, strict=True) if person.role
    }
    roles[importer] = Participant.Role.ORGANISER
    Participant.objects.bulk_create(
        Participant(campaign=campaign, user=user, role=role) for user, role in roles.items()
    )


def _gang(campaign: Campaign, record: GangRecord, file: CampaignFile, people: Users) -> None:
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
    gang = files_importing.write_gang(
        version, record.ledger, owner=known[record.owner], company=company
    )
    if record.left_at is None and gang.book_version_id != campaign.book_version_id:
        raise BadFile("impossible", "book")
    if record.left_at is None and str(campaign.pk) not in gang.roster.campaigns:
        raise BadFile("impossible", "joined")
    Gang.objects.filter(pk=gang.pk).update(
        archived_at=record.archived_at,
        kept_at=record.kept_at or (timezone.now() if record.owner is None else None),
        imported_at=None,
    )
    Membership.objects.create(
        campaign=campaign, gang=gang, joined_at=record.joined_at, left_at=record.left_at
    )


def _night(campaign: Campaign, record: NightRecord, people: Users) -> None:
    night = _row(Night, record, people, campaign=campaign)
    night.save(force_insert=True)
    for answer in record.attendances:
        row = _row(Attendance, answer, people, night=night)
        row.save()
        # The row says by itself when it was written.
        Attendance.objects.filter(pk=row.pk).update(at=answer.at)


def _game(campaign: Campaign, record: GameRecord, people: Users) -> None:
    game = _row(Game, record, people, campaign=campaign, claim_id=None)
    game.save(force_insert=True)
    rows = Side.objects.bulk_create(_row(Side, side, people, game=game) for side in record.sides)
    sides: dict[int | None, int] = {place: side.pk for place, side in enumerate(rows)}
    claims: dict[int, int] = {}
    for place, claim in enumerate(record.claims):
        data = renumber(claim.data, sides, claims).model_dump(mode="json")
        row = _row(Claim, claim, people, game=game, data=data)
        row.save()
        claims[place] = row.pk
    Throw.objects.bulk_create(
        _row(Throw, throw, people, game=game, side_id=sides.get(throw.side))
        for throw in record.throws
    )
    if record.table is not None:
        _table(game, record.table, people, rows)
    if record.claim is not None:
        Game.objects.filter(pk=game.pk).update(claim=claims[record.claim])


def _table(game: Game, record: TableRecord, people: Users, sides: Sequence[Side]) -> None:
    """The table of a game. Raises BadFile if nobody could have sat at it."""
    version = game.campaign.book_version_id
    last = max((tap.seq for tap in record.taps), default=0)
    given = {"game": game, "book_version_id": version, "scenario": game.scenario, "seq": last}
    # Played by the options of an older version, it is now played by those of this one.
    known = fit_settings(game.campaign.book, record.settings)
    settings = {key: value for key, value in known.items() if key in record.settings}
    table = _row(Table, record, people, settings=settings, **given)
    table.save(force_insert=True)
    by_gang = {str(side.gang_id): side for side in sides if side.gang_id is not None}
    for seat in record.sides:
        _table_side(table, seat, people, by_gang.get(seat.gang or ""))
    TableEntry.objects.bulk_create(
        _row(
            TableEntry,
            tap,
            people,
            table=table,
            kind=tap.tap.kind,
            data=tap.tap.model_dump(mode="json", exclude={"kind"}, exclude_defaults=True),
        )
        for tap in record.taps
    )
    try:
        fold(start_of(table), log_of(table))
    except (LookupError, ValueError, ArithmeticError):
        raise BadFile("impossible", "tables") from None
    if unreadable(table):
        raise BadFile("impossible", "tables")


def _table_side(table: Table, seat: TableSideRecord, people: Users, side: Side | None) -> None:
    """A gang at a table, as it stood before the game by its ledger; nobody, if it is gone."""
    row = _row(TableSide, seat, people, table=table, book_version_id=table.book_version_id)
    if side is not None:
        base = base_of(side)
        row.book_version_id, row.snapshot = base.book.digest, base.roster.model_dump_json()
        hired = [whom for whom in seat.crew if not isinstance(whom, int)]
        homes = Gang.objects.filter(pk__in={gang for gang, _member in hired})
        row.homes = {
            str(home.pk): keep_departed(
                home.roster, {who for gang, who in hired if gang == str(home.pk)}
            ).model_dump(mode="json")
            for home in homes
        }
    row.save(force_insert=True)
