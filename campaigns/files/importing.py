"""A whole campaign in from a file.

People are names in the file. Each becomes an account that nobody can sign in with and that only
stands for them: what they did keeps their name, and an organiser can hand their gangs on. Whoever
brings the file may say which of them they are.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import Model
from django.utils import timezone

from accounts.models import User
from campaigns.files.format import CampaignFile, GameRecord, GangRecord, NightRecord, renumbered
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
    Throw,
)
from gangs.files import importing as files_importing
from gangs.files.format import BadFile
from gangs.files.importing import Company
from gangs.models import Gang
from rules.book.vocabulary import Frozen
from rules.models import BookVersion
from rules.untrusted import BadVersion, admit

Users = Sequence[User]


def imported(
    file: CampaignFile, *, importer: User, own_place: int | None, token: uuid.UUID
) -> Campaign:
    """The campaign in ``file``, run by whoever brought it too; the same form twice makes one.

    ``own_place``: which of the file's people the importer is, if one. Raises BadFile if the file
    contradicts itself.
    """
    if own_place is not None and own_place not in range(len(file.people)):
        raise BadFile("impossible", "people")
    with transaction.atomic():
        known = Campaign.objects.filter(token=token).first()
        if known is not None:
            return known
        try:
            admit(file.versions)
        except BadVersion as bad:
            raise BadFile("bad_version", bad.detail) from None
        version = BookVersion.objects.get(pk=file.book)
        people = _people(file, importer, own_place)
        campaign = Campaign.objects.create(
            **_columns(Campaign, file, people),
            book_version=version,
            token=token,
            imported_at=timezone.now(),
        )
        _seats(campaign, file, people, importer)
        for record in file.gangs:
            _gang(campaign, record, file, people)
        for night in file.nights:
            _night(campaign, night, people)
        for game in file.games:
            _game(campaign, game, people)
        for bargain in file.bargains:
            Bargain.objects.create(campaign=campaign, **_columns(Bargain, bargain, people))
        for upgrade in file.upgrades:
            values = _columns(CampaignUpgrade, upgrade, people)
            CampaignUpgrade.objects.create(campaign=campaign, **values)
    return campaign


def _columns(model: type[Model], record: Frozen, people: Users) -> dict[str, Any]:
    """What a record of the file says of the columns of the row that it stands for."""
    known = type(record).model_fields
    fields = [field for field in model._meta.concrete_fields if field.name in known]
    values = record.model_dump(mode="json", include={field.name for field in fields})
    return {
        field.attname: _who(people, values[field.name])
        if field.related_model is User
        else field.to_python(values[field.name])
        for field in fields
    }


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


def _who(people: Users, place: int | None) -> int | None:
    return None if place is None else people[place].pk


def _seats(campaign: Campaign, file: CampaignFile, people: Users, importer: User) -> None:
    roles: dict[User, str] = {
        user: person.role for user, person in zip(people, file.people, strict=True) if person.role
    }
    roles[importer] = Participant.Role.ORGANISER
    for user, role in roles.items():
        Participant.objects.create(campaign=campaign, user=user, role=role)


def _gang(campaign: Campaign, record: GangRecord, file: CampaignFile, people: Users) -> None:
    """A gang with its whole ledger. Raises BadFile if that does not fold, or uses other rules
    than the campaign while it is in it."""
    known: dict[int | None, User | None] = {None: None, **dict(enumerate(people))}
    company = Company(
        key=uuid.UUID(record.id),
        campaign=file.id,
        batches=[uuid.UUID(batch) for batch in record.batches],
        writers=[known[place] for place in record.writers],
        correctors=[known[place] for place in record.correctors],
        occasions=[uuid.UUID(key) if key else None for key in record.occasions],
    )
    version = BookVersion.objects.get(pk=record.ledger.digest)
    gang = files_importing.imported(
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
    night = Night.objects.create(campaign=campaign, **_columns(Night, record, people))
    for answer in record.attendances:
        row = Attendance.objects.create(night=night, **_columns(Attendance, answer, people))
        # The row says by itself when it was written.
        Attendance.objects.filter(pk=row.pk).update(at=answer.at)


def _game(campaign: Campaign, record: GameRecord, people: Users) -> None:
    values = _columns(Game, record, people) | {"claim_id": None}
    game = Game.objects.create(campaign=campaign, **values)
    sides = {
        place: Side.objects.create(game=game, **_columns(Side, side, people)).pk
        for place, side in enumerate(record.sides)
    }
    claims: dict[int, int] = {}
    for place, claim in enumerate(record.claims):
        data = renumbered(claim.data, sides, claims).model_dump(mode="json")
        row = _columns(Claim, claim, people) | {"data": data}
        claims[place] = Claim.objects.create(game=game, **row).pk
    Throw.objects.bulk_create(
        Throw(
            game=game,
            **_columns(Throw, throw, people)
            | {"side_id": None if throw.side is None else sides[throw.side]},
        )
        for throw in record.throws
    )
    if record.claim is not None:
        Game.objects.filter(pk=game.pk).update(claim=claims[record.claim])
