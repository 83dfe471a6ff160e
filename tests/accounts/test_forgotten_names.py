"""The name of a deleted account stays nowhere in what the site stored by itself.

Two accounts with names of one rare word take part in everything that stores text, and are deleted;
then every column and every file is searched for the word.
"""

from __future__ import annotations

import inspect
import json
import os
import uuid
import zlib
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts import deletion, mailing
from accounts.adapter import account_mail
from accounts.models import Notice, User
from accounts.notices import describe
from administration.acts.account_acts import ACCOUNT_ACTS
from administration.acts.texts import hide_texts
from administration.models import PageReport
from administration.reports.views import tell_administrators
from campaigns import notices
from campaigns.club.home import reminders
from campaigns.club.people import admission
from campaigns.models import Bargain, Fixture, Game, JoinRequest
from campaigns.season.standings import storage as standings
from campaigns.season.trophies import storage as trophies
from common import background
from common.files import unseal
from common.models import Job
from gangs.engine.entries import Noted, Renamed
from gangs.ledger import writer
from gangs.models import Gang, Strike
from outbound.hooks import watching
from outbound.models import Delivery, Hook
from tests.printing.reading import text_of
from tests.world.addresses import World, make_world
from tests.world.campaigns import make_game, reported
from tests.world.gangs import make_gang

pytestmark = pytest.mark.django_db
WORD = "zarquon"
PLAYER, ORGANISER = f"{WORD}.plays", f"{WORD}.runs"
ELSEWHERE = "elsewhere@example.org"
# Columns that may contain the name of a deleted account, and why. Nothing else may. Backups and
# the site's log are no columns; prints are kept for a month (tests/printing).
EXEMPT = {
    "administration.Act.by_name": "the record of administrators' acts is a log",
    "administration.Act.subject_name": "the record of administrators' acts is a log",
    "admin.LogEntry.object_repr": "Django's own log",
    "rules.BookVersion.canonical": "an author types the name that a published game is signed with",
    "rules.BookEditor.name": "typed by the author who lets somebody edit a game",
    "campaigns.Invitation.whom": "typed by the organiser who invites somebody",
    "accounts.SiteInvitation.note": "typed by an administrator",
    "accounts.User.stands_for": "from a file that somebody brought from another site",
}


@pytest.fixture
def world(settings: Any) -> World:
    """One of everything. The accounts to be deleted own a gang and run the campaign, and another
    gang has the same name, so that titles add the players' names."""
    settings.MAIL_SERVER = True
    found = make_world((PLAYER, ORGANISER, "dora", "charlie"))
    User.objects.update(mail_notices=True)
    EmailAddress.objects.update(verified=True)
    rival = found.game.sides.exclude(gang=found.gang).get().gang
    assert rival is not None
    gang = Gang.objects.get(pk=found.gang.pk)
    entries = [Renamed(name=rival.name), Noted(member=None, text="They came from the north.")]
    writer.append(gang, entries, expected_version=gang.version, actor=gang.owner)
    Hook.objects.update(off_at=None, off_why="")
    return found


def test_name_of_a_deleted_account_stays_nowhere(world: World) -> None:
    take_part(world)
    before = set(find_columns())
    # The search sees what it should see.
    assert {
        "accounts.User.username",
        "outbound.Delivery.title",
        "outbound.Delivery.content",
    } < before
    assert {"common.Job.body", "administration.Act.by_name"} < before
    assert not any(kind.startswith("accounts.Notice") for kind in before)
    for role in ("owner", "organiser"):
        deletion.delete(person(world, role))
    assert not find_columns().keys() - EXEMPT.keys()
    # Neither do the jobs that were waiting, which now write mails and messages, bring it back.
    waiting = Job.objects.filter(kind=mailing.MAIL).count()
    background.carry_out(mailing.LANE)
    watching.look_everywhere()
    assert waiting and not Job.objects.waiting().filter(kind=mailing.MAIL).exists()
    assert not find_columns().keys() - EXEMPT.keys()
    assert not find_files()
    for sentence in map(describe, Notice.objects.all()):
        assert WORD not in sentence


def test_exempt_columns_exist() -> None:
    assert EXEMPT.keys() <= {
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.concrete_fields
    }


def take_part(world: World) -> None:
    """Let both accounts do everything that stores a text."""
    player, organiser, other = (person(world, role) for role in ("owner", "organiser", "other"))
    campaign, gang = world.campaign, Gang.objects.get(pk=world.gang.pk)
    rival = world.game.sides.exclude(gang=gang).get().gang
    assert rival is not None
    game = reported(make_game(campaign, player, gang, rival), player)
    # An address that the account has not confirmed, so that it may belong to somebody else.
    EmailAddress.objects.create(user=player, email=ELSEWHERE)
    context = {"user": player, "activate_url": "https://example.org/", "key": "x"}
    mailing.post([account_mail("account/email/email_confirmation", ELSEWHERE, context)])
    admission.invite(campaign, "guest@example.org", actor=organiser)
    admission.invite(campaign, "charlie", actor=organiser)
    token = uuid.uuid4()
    standings.adjust(campaign, gang, points=1, reason="Paint", token=token, actor=organiser)
    to = trophies.Recipient(gang)
    trophies.award(campaign, "best", to, reason="Paint", token=token, actor=organiser)
    report = PageReport.objects.create(page="/", title="A page", why="other", reporter=player)
    tell_administrators(report)
    hide_texts(gang, [""], organiser, "Not here.")
    [quotas] = [kind for kind in ACCOUNT_ACTS.kinds if kind.key == "quotas"]
    for subject, by in ((player, other), (other, organiser)):
        ACCOUNT_ACTS.perform(quotas, subject, by, reason="Ok", token=uuid.uuid4(), data={})
    for actor in (player, organiser):
        send_every_notice(world, game, actor)
    for days in (0, 4, 8):
        noon = timezone.localtime().replace(hour=12) + timedelta(days=days)
        reminders.send_due(noon)
    watching.look_everywhere()
    assert Delivery.objects.exclude(content={}).exists()


def send_every_notice(world: World, game: Game, actor: User) -> None:
    """Call every function that sends notices about campaigns."""
    campaign, gang = world.campaign, Gang.objects.get(pk=world.gang.pk)
    side = game.sides.exclude(gang=gang).get()
    rival = side.gang
    assert rival is not None
    fixture = Fixture.objects.get(round__stage=world.stage)
    newcomer = make_gang(actor)
    given: dict[str, object] = {
        "campaign": campaign,
        "gang": gang,
        "gangs": [gang, rival],
        "was_planned": True,
        "game": game,
        "side": side,
        "again": [side],
        "why": "Wrong day.",
        "kind": "night_announced",
        "night": world.night,
        "nights": [world.night],
        "one": fixture.round,
        "fixture": fixture,
        "bargain": Bargain.objects.create(
            campaign=campaign,
            giver=gang,
            taker=rival,
            giver_name=gang.name,
            taker_name=rival.name,
            terms={},
            proposed_by=actor,
            token=uuid.uuid4(),
        ),
        "agreed": True,
        "strike": Strike.objects.create(gang=rival, actor=actor, reason="Wrong day."),
        "adjustment": campaign.adjustments.get(),
        "award": campaign.trophy_awards.get(),
        "before": campaign,
        "carried": [],
        "after": gang.owner,
        "request": JoinRequest.objects.create(campaign=campaign, gang=newcomer, by=actor),
        "games": 2,
        "user": person(world, "stranger"),
        "invitation": campaign.invitations.first(),
        "seat": campaign.participants.get(user__username="dora"),
        "actor": actor,
        "by": actor,
    }
    for name, function in inspect.getmembers(notices, inspect.isfunction):
        if function.__module__ != notices.__name__ or name.startswith("_"):
            continue
        wanted = [
            key
            for key, parameter in inspect.signature(function).parameters.items()
            if parameter.default is parameter.empty and parameter.kind != parameter.VAR_KEYWORD
        ]
        values = {key: given[key] for key in wanted}
        if name == "gang_handed_over":
            values |= {"before": person(world, "other")}
        function(**values)


def person(world: World, role: str) -> User:
    user = world.users[role]
    assert user is not None
    return User.objects.get(pk=user.pk)


def find_columns() -> dict[str, object]:
    """Return the columns that contain the word, each with such a value."""
    found = {}
    for model in apps.get_models(include_auto_created=True):
        fields = [field for field in model._meta.concrete_fields if not field.is_relation]
        for row in model._base_manager.all():
            for field in fields:
                value = getattr(row, field.attname)
                if isinstance(row, Session) and field.name == "session_data":
                    value = row.get_decoded()
                if WORD in readable(value):
                    found[f"{model._meta.label}.{field.name}"] = value
    return found


def readable(value: object) -> str:
    """Return a stored value as text in small letters."""
    if isinstance(value, bytes | memoryview):
        content = bytes(value)
        with suppress(zlib.error):
            content = zlib.decompress(content)
        return content.decode("utf-8", "replace").lower()
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False).lower()
    return str(value).lower()


def find_files() -> list[Path]:
    """Return the site's files that contain the word; the database is searched by columns."""
    return [
        Path(folder, name)
        for folder, _folders, names in os.walk(settings.DATA_DIR)
        for name in names
        if not name.startswith("test.sqlite3")
        for content in file_texts(Path(folder, name))
        if WORD in content or WORD in name
    ]


def file_texts(path: Path) -> Iterator[str]:
    if not path.is_file():
        return
    stored = path.read_bytes()
    yield readable(stored)
    content = unseal(stored)
    if content is not None and path.suffix == ".pdf":
        yield text_of(content).lower()
