"""A whole campaign in from a file.

People are names in the file. Each becomes an account that nobody can sign in with and that only
stands for him: what he did keeps his name, and an organiser can hand his gangs on. Whoever brings
the file may say that one of them is himself.
"""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from campaigns.claiming import Claimed
from campaigns.exchange import (
    BargainRecord,
    CampaignFile,
    GameRecord,
    GangRecord,
    NightRecord,
    SideRecord,
    UpgradeRecord,
)
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
from gangs import arriving
from gangs.arriving import Company
from gangs.exchange import BadFile
from gangs.models import Gang
from rules.admitting import BadVersion, admit
from rules.models import BookVersion

Users = Sequence[User]


def imported(
    file: CampaignFile, *, importer: User, himself: int | None, token: uuid.UUID
) -> Campaign:
    """The campaign in ``file``, run by whoever brought it too; the same form twice makes one.

    ``himself``: which of the file's people the importer is, if one. Raises BadFile if the file
    contradicts itself.
    """
    if himself is not None and himself not in range(len(file.people)):
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
        people = _people(file, importer, himself)
        campaign = _campaign(file, version, token)
        _seats(campaign, file, people, importer)
        gangs = {record.id: _gang(campaign, record, file, people) for record in file.gangs}
        nights = {record.id: _night(campaign, record, gangs, people) for record in file.nights}
        for record in file.games:
            _game(campaign, record, gangs, nights, people)
        for bargain in file.bargains:
            _bargain(campaign, bargain, gangs, people)
        for upgrade in file.upgrades:
            _upgrade(campaign, upgrade, people)
    return campaign


def _people(file: CampaignFile, importer: User, himself: int | None) -> list[User]:
    """An account for each person of the file, in its order."""
    people = []
    for place, person in enumerate(file.people):
        if place == himself:
            people.append(importer)
            continue
        # A name that nobody can choose, so that it is in nobody's way.
        stand_in = User(username=f"~{uuid.uuid4().hex}", stands_for=person.name, is_active=False)
        stand_in.set_unusable_password()
        stand_in.save()
        people.append(stand_in)
    return people


def _who(people: Users, place: int | None) -> User | None:
    return None if place is None else people[place]


def _campaign(file: CampaignFile, version: BookVersion, token: uuid.UUID) -> Campaign:
    return Campaign.objects.create(
        pk=uuid.UUID(file.id),
        name=file.name,
        notes=file.notes,
        settings=file.settings,
        book_version=version,
        token=token,
        created_at=file.created_at,
        archived_at=file.archived_at,
        imported_at=timezone.now(),
    )


def _seats(campaign: Campaign, file: CampaignFile, people: Users, importer: User) -> None:
    roles: dict[User, str] = {
        user: person.role for user, person in zip(people, file.people, strict=True) if person.role
    }
    roles[importer] = Participant.Role.ORGANISER
    for user, role in roles.items():
        Participant.objects.create(campaign=campaign, user=user, role=role)


def _gang(campaign: Campaign, record: GangRecord, file: CampaignFile, people: Users) -> Gang:
    """A gang with its whole ledger. Raises BadFile if that does not fold, or goes by other rules
    than the campaign while it is in it."""
    company = Company(
        key=uuid.UUID(record.id),
        campaign=file.id,
        batches=[uuid.UUID(batch) for batch in record.batches],
        writers=[_who(people, place) for place in record.writers],
        correctors=[_who(people, place) for place in record.correctors],
    )
    version = BookVersion.objects.get(pk=record.ledger.digest)
    owner = _who(people, record.owner)
    gang = arriving.imported(version, record.ledger, owner=owner, company=company)
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
    return gang


def _night(
    campaign: Campaign, record: NightRecord, gangs: Mapping[str, Gang], people: Users
) -> Night:
    night = Night.objects.create(
        pk=uuid.UUID(record.id),
        campaign=campaign,
        starts_at=record.starts_at,
        place=record.place,
        note=record.note,
        version=record.version,
        cancelled_at=record.cancelled_at,
    )
    for said in record.attendances:
        row = Attendance.objects.create(
            night=night, gang=gangs[said.gang], answer=said.answer, by=_who(people, said.by)
        )
        Attendance.objects.filter(pk=row.pk).update(at=said.at)
    return night


def _game(
    campaign: Campaign,
    record: GameRecord,
    gangs: Mapping[str, Gang],
    nights: Mapping[str, Night],
    people: Users,
) -> None:
    try:
        played_on = datetime.date.fromisoformat(record.played_on)
    except ValueError:
        raise BadFile("impossible", "played_on") from None
    roll = record.scenario_roll
    game = Game.objects.create(
        pk=uuid.UUID(record.id),
        campaign=campaign,
        night=nights[record.night] if record.night else None,
        played_on=played_on,
        scenario=record.scenario,
        scenario_roll=roll.model_dump(mode="json") if roll else None,
        result=record.result,
        status=record.status,
        note=record.note,
        reported_by=_who(people, record.reported_by),
        struck_by=_who(people, record.struck_by),
        struck_why=record.struck_why,
        version=record.version,
        created_at=record.created_at,
    )
    sides = [_side(game, side, gangs, people) for side in record.sides]
    places = {place: side.pk for place, side in enumerate(sides)}
    claims: list[Claim] = []
    for told in record.claims:
        said = _renumbered(told.said, places, [claim.pk for claim in claims])
        claim = Claim.objects.create(
            game=game, actor=_who(people, told.by), data=said.model_dump(mode="json"), at=told.at
        )
        claims.append(claim)
    Throw.objects.bulk_create(
        Throw(
            game=game,
            side=None if thrown.side is None else sides[thrown.side],
            key=thrown.key,
            about=thrown.about,
            roll=thrown.roll.model_dump(mode="json"),
            actor=_who(people, thrown.by),
            at=thrown.at,
            taken_back_at=thrown.taken_back_at,
        )
        for thrown in record.throws
    )
    if record.claim is not None:
        game.claim = claims[record.claim]
        game.save(update_fields=["claim"])


def _renumbered(said: Claimed, sides: Mapping[int, int], claims: Sequence[int]) -> Claimed:
    """A claim that knows sides and claims by their keys here. A claim that was taken over is
    always one told before."""
    account = said.account
    told = {sides[side]: what for side, what in account.sides.items()}
    if said.taken is not None and said.taken >= len(claims):
        raise BadFile("impossible", "claims")
    return said.model_copy(
        update={
            "account": account.model_copy(update={"sides": told}),
            "behind": tuple(sides[side] for side in said.behind),
            "taken": None if said.taken is None else claims[said.taken],
        }
    )


def _side(game: Game, record: SideRecord, gangs: Mapping[str, Gang], people: Users) -> Side:
    kept = record.kept_draft
    return Side.objects.create(
        game=game,
        gang=gangs[record.gang] if record.gang else None,
        name=record.name,
        role=record.role,
        crew=None if record.crew is None else list(record.crew),
        before=record.before.model_dump(mode="json"),
        side=record.side,
        report=record.report.model_dump(mode="json"),
        rating=record.rating,
        verdict=record.verdict,
        verdict_by=_who(people, record.verdict_by),
        comment=record.comment,
        draft=record.draft.model_dump(mode="json"),
        draft_version=record.draft_version,
        batch=record.batch and uuid.UUID(record.batch),
        correcting=record.correcting,
        kept_draft=None if kept is None else kept.model_dump(mode="json"),
        tale=record.tale,
    )


def _bargain(
    campaign: Campaign, record: BargainRecord, gangs: Mapping[str, Gang], people: Users
) -> None:
    Bargain.objects.create(
        campaign=campaign,
        giver=gangs[record.giver] if record.giver else None,
        taker=gangs[record.taker] if record.taker else None,
        giver_name=record.giver_name,
        taker_name=record.taker_name,
        terms=record.terms.model_dump(mode="json"),
        note=record.note,
        status=record.status,
        proposed_by=_who(people, record.proposed_by),
        decided_by=_who(people, record.decided_by),
        batch=record.batch and uuid.UUID(record.batch),
        at=record.at,
        decided_at=record.decided_at,
    )


def _upgrade(campaign: Campaign, record: UpgradeRecord, people: Users) -> None:
    CampaignUpgrade.objects.create(
        campaign=campaign,
        before_id=record.before,
        after_id=record.after,
        settings_before=record.settings_before,
        batch=uuid.UUID(record.batch),
        actor=_who(people, record.by),
        at=record.at,
        undone_at=record.undone_at,
    )
