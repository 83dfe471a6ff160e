"""The people of one attacker and everything they own: gangs, a campaign in the middle of its
season, a variant, two games of their own. Strangers know none of its keys.
"""

from __future__ import annotations

import itertools
import secrets
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.apps import apps
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.backends.db import SessionStore
from django.db import models
from django.urls import reverse
from django.utils import timezone
from py_vapid.utils import b64urlencode

from accounts.models import Notice, User
from accounts.notices import default_push_topics
from api import tokens
from campaigns.club.people import admission
from campaigns.models import Campaign, Fixture, Stage
from campaigns.postgames import drafts
from campaigns.table.storage import open_for
from gangs.engine.entries import Earned, Entry, Named, Renamed, Suffered
from gangs.ledger import writer
from gangs.models import Gang
from gangs.pictures import storage as pictures_storage
from outbound.push.devices import mark_of
from outbound.push.models import PushDevice
from rules.book.model import Book
from rules.editor import store as own_games
from rules.editor.data import start_empty
from rules.loading.reader import open_folder
from rules.models import BookDraft, Variant
from tests.games.conftest import FOLDER as GAMES
from tests.hostile import files, forms
from tests.world import campaigns as making
from tests.world.addresses import make_channel
from tests.world.gangs import SLUGS

MARK = "zqxprivate"
NUMBERS = itertools.count(1)
MEMBERS = ("owner", "organiser", "other")
# Changes to other people's data that strangers' requests may make. A reported page is a notice for
# every administrator; messages to channels follow from the campaign; a periodic job reminds people;
# servers fail.
OPEN_TABLES = {
    "sessions.session",
    "accounts.notice",
    "accounts.reminder",
    "outbound.delivery",
    "outbound.host",
}
# Columns that a job of the site may write at any moment.
PACED = {"not_before", "failing_since", "failures"}
OF_JOBS = {
    "rules.catalogueimport": {
        "state",
        "error",
        "examined",
        "note_count",
        "version",
        "changed_at",
    },
    "campaigns.game": {"luck", "luck_at"},
    "outbound.pushdevice": {"sent_at", *PACED},
    "outbound.hook": {"seen", "off_at", "off_why", "is_forum", *PACED},
}


@cache
def _password() -> str:
    return make_password(forms.PASSWORD)


@dataclass
class Club:
    """The club's people by their roles; every private text contains ``mark``.

    Except the variant's name, and the texts of the first draft: everybody who knows the digest of a
    published one may read it. The second draft can never be published.
    """

    mark: str
    people: dict[str, User]
    campaign: Campaign
    gangs: list[Gang]
    variant: Variant
    drafts: list[BookDraft]
    starts: dict[str, list[str]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    # The secrets of the people's programs, which may write; that of "reader" is the owner's, and
    # only reads.
    tokens: dict[str, str] = field(default_factory=dict)

    def ids(self) -> list[str]:
        """Return the keys of objects that exist."""
        games = [str(key) for key in self.campaign.games.values_list("pk", flat=True)]
        return [str(self.campaign.pk), *(str(gang.pk) for gang in self.gangs), *games]


def make(slug: str) -> Club:
    """Make a club that plays the game of this rulebook: one game reported and played through, one
    with open post-games, one claimed, one planned; a night to come; a captive if the rules have
    captives; a variant; and two drafts of a game, which the third person may edit, too.
    """
    mark = f"{MARK}{next(NUMBERS)}{secrets.token_hex(3)}"
    people = {name: _person(f"{name}-{mark}") for name in (*MEMBERS, "staff")}
    people["stranger"] = _person(f"stranger-{secrets.token_hex(5)}")
    User.objects.filter(pk=people["staff"].pk).update(is_staff=True, is_superuser=True)
    campaign = making.make_campaign(people["organiser"], slug)
    Campaign.objects.filter(pk=campaign.pk).update(name=f"League {mark}", notes=f"Notes {mark}")
    campaign = Campaign.objects.get(pk=campaign.pk)
    gangs = [making.make_player(campaign, people[name]) for name in ("owner", "other")]
    _name(gangs[0], f"Gang {mark}")
    result = next(row.key for row in campaign.book.campaign.results if row.kind == "decided")
    night = making.make_night(campaign, place=f"Place {mark}")
    for state in ("played", "open", "claimed", "planned"):
        _game(campaign, people, state, result)
    for game in campaign.games.filter(status="planned"):
        open_for(game, list(game.sides.select_related("gang")))
    gangs = [Gang.objects.get(pk=gang.pk) for gang in gangs]
    _captive(campaign.book, gangs)
    pages = _league(campaign, people, gangs)
    variant = Variant.objects.create(
        owner=people["owner"], name="House rules", base=campaign.book_version
    )
    picture = files.pictures()["JPEG"]
    pictures_storage.keep(gangs[0], None, pictures_storage.Decoded((picture, picture)))
    making.make_gang(people["owner"], slug, name=f"Spare {mark}")
    channel = make_channel(campaign, people["organiser"])
    written = _drafts(people, mark)
    for name in MEMBERS:
        _device(people[name], mark)
    club = Club(mark, people, campaign, gangs, variant, written)
    for name, user in people.items():
        club.tokens[name] = tokens.make(user, "script", writes=True)[1]
        Notice.objects.create(
            user=user, kind="invited", values={"actor": "bob", "campaign": "Another league"}
        )
        club.starts[name] = ["/"]
    club.tokens["reader"] = tokens.make(people["owner"], "display")[1]
    own = [f"/gangs/{gang.pk}/" for gang in Gang.objects.filter(owner=people["owner"])]
    games = [draft.get_absolute_url() for draft in written]
    shared = [campaign.get_absolute_url(), night.get_absolute_url(), *pages]
    shared += [game.get_absolute_url() for game in campaign.games.all()]
    club.starts["owner"] += [*own, *shared, reverse("editor:edit", args=[variant.pk]), *games]
    channels = reverse("hooks:channels", args=[campaign.pk])
    club.starts["organiser"] += [*shared, channels, f"{channels}{channel.pk}/"]
    club.starts["other"] += [f"/gangs/{gangs[1].pk}/", *shared, *games]
    club.starts["staff"] += ["/administration/upload/", "/administration/rulebooks/"]
    club.names = {f"club.{number}": key for number, key in enumerate(_keys(club))}
    return club


def _league(campaign: Campaign, people: dict[str, User], gangs: list[Gang]) -> list[str]:
    """Give the campaign a season before it, a stage in each format with an open fixture, a bonus, a
    trophy that was awarded, an invitation and a gang that asks to join. Return the addresses of
    their pages."""
    organiser = people["organiser"]
    earlier = making.make_campaign(organiser, campaign.book_version.slug)
    Campaign.objects.filter(pk=earlier.pk).update(archived_at=timezone.now())
    asks = {"previous": earlier, "joining": Campaign.Joining.APPROVAL}
    Campaign.objects.filter(pk=campaign.pk).update(**asks)
    campaign.refresh_from_db()
    stages = [
        making.make_stage(campaign, *gangs, stage_format=stage_format)
        for stage_format in Stage.Format.values
    ]
    campaign.adjustments.create(
        gang=gangs[0], name=gangs[0].name, points=2, by=organiser, reason="The hall"
    )
    trophy = campaign.trophies.create(name="Fair play", count="hand")
    campaign.trophy_awards.create(
        trophy=trophy, gang=gangs[1], gang_name=gangs[1].name, by=organiser, reason="Always fair"
    )
    # A name that nobody has, so that no mail is sent.
    admission.invite(campaign, f"nobody-{secrets.token_hex(4)}", actor=organiser)
    gang = making.make_gang(people["other"], campaign.book_version.slug, name="Asks to join")
    campaign.join_requests.create(gang=gang, by=people["other"])
    named = ("people", "standings", "standings-rules", "adjust", "trophies", "trophy-new")
    named += ("trophy-award", "seasons", "next-season", "league", "stage-formats", "result-rules")
    named += ("open-postgames",)
    pages = [reverse(f"campaigns:{name}", args=[campaign.pk]) for name in named]
    pages += [stage.get_absolute_url() for stage in stages]
    fixtures = Fixture.objects.filter(round__stage__in=stages)
    return [*pages, *(fixture.get_absolute_url() for fixture in fixtures)]


def _drafts(people: dict[str, User], mark: str) -> list[BookDraft]:
    """Write two games: a sound one with rows in many tables, and one with the mark as a word that
    no rulebook has, so that every page of it shows the mark and nobody can publish it."""
    circle = dict(open_folder(GAMES / "circle").data)
    found = []
    for data in (circle, {**start_empty(), mark: 1}):
        data = {**data, "slug": f"own-{secrets.token_hex(5)}"}
        draft = own_games.start_game(people["owner"], data, token=uuid.uuid4())
        own_games.share(draft, people["other"].username)
        found.append(draft)
    return found


def _person(name: str) -> User:
    return User.objects.create(
        username=name, email=f"{name}@example.org", password=_password(), mail_notices=True
    )


def _device(user: User, mark: str) -> None:
    """Let a phone show the person's notices; no network has its push service."""
    point = ec.generate_private_key(ec.SECP256R1()).public_key()
    PushDevice.objects.create(
        user=user,
        endpoint="https://push.invalid/phone",
        p256dh=b64urlencode(point.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)),
        auth=b64urlencode(bytes(16)),
        digest=secrets.token_hex(32),
        label=f"Phone {mark}",
        topics=default_push_topics(),
        session_mark=mark_of(user),
    )


def _game(campaign: Campaign, people: dict[str, User], state: str, result: str) -> None:
    owner, other = people["owner"], people["other"]
    gangs = list(Gang.objects.filter(memberships__campaign=campaign).order_by("name"))
    game = making.make_game(campaign, owner, *gangs)
    if state == "planned":
        return
    game = making.reported(game, owner, result=result)
    if state == "claimed":
        return
    game = making.confirmed(game, other)
    if state == "played":
        for side in game.sides.all():
            assert side.gang is not None
            done = making.answered(making.side_of(game, side.gang))
            drafts.commit(
                done,
                seen_draft=done.draft_version,
                seen_gang=done.gang.version,
                actor=done.gang.owner,
            )


def _name(gang: Gang, name: str) -> None:
    """Put the mark into the names of a gang and its members."""
    named: list[Entry] = [Renamed(name=name)]
    for member in gang.roster.members:
        named.append(Named(member=member.id, name=f"{member.id} of {name}"))
    writer.append(gang, named, expected_version=gang.version, actor=gang.owner)


def _captive(book: Book, gangs: list[Gang]) -> None:
    """Let the second gang hold a member of the first captive."""
    holding = next((row.key for row in book.conditions if row.holds), None)
    if holding is not None and gangs[0].roster.members:
        member = gangs[0].roster.members[-1].id
        held = Suffered(member=member, condition=holding, captors=(str(gangs[1].pk),))
        gift = Earned(amount=300, why="gift")
        gang = gangs[0]
        writer.append(gang, [gift, held], expected_version=gang.version, actor=gang.owner)


def _keys(club: Club) -> Iterator[str]:
    """Return the keys that differ in every world."""
    yield club.mark
    yield str(club.campaign.pk)
    yield str(club.variant.pk)
    for draft in club.drafts:
        yield str(draft.pk)
        yield draft.slug
    for person in club.people.values():
        for gang in Gang.objects.filter(owner=person).order_by("created_at"):
            yield str(gang.pk)
    for game in club.campaign.games.order_by("created_at"):
        yield str(game.pk)
    for night in club.campaign.nights.order_by("pk"):
        yield str(night.pk)
    for stage in club.campaign.stages.order_by("number"):
        yield str(stage.pk)


def signed_in(user: User) -> str:
    """Return the key of a session of a person."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    assert session.session_key is not None
    return session.session_key


# Data that strangers must not touch

Row = tuple[str, object]


def rows_of(club: Club) -> dict[Row, int]:
    """Return a hash of each database row that belongs to the club, directly or through foreign
    keys, in all tables.
    """
    users = [club.people[name] for name in (*MEMBERS, "staff")]
    known: dict[type[models.Model], set[object]] = {
        User: {user.pk for user in users},
        Campaign: {club.campaign.pk},
    }
    found: dict[Row, int] = {}
    fresh = {model: set(keys) for model, keys in known.items()}
    while fresh:
        more: dict[type[models.Model], set[object]] = {}
        for model, relation, target in _relations():
            keys = fresh.get(target)
            if not keys:
                continue
            hanging = model._base_manager.filter(**{f"{relation}__in": keys})
            new = set(hanging.values_list("pk", flat=True)) - known.get(model, set())
            if new:
                known.setdefault(model, set()).update(new)
                more.setdefault(model, set()).update(new)
        fresh = more
    for model, keys in known.items():
        left_out = OF_JOBS.get(model._meta.label_lower, set())
        names = [each.attname for each in model._meta.concrete_fields if each.name not in left_out]
        for row in model._base_manager.filter(pk__in=keys).values("pk", *names):
            found[model._meta.label_lower, row["pk"]] = hash(repr(sorted(row.items(), key=str)))
    return found


@cache
def _relations() -> tuple[tuple[type[models.Model], str, type[models.Model]], ...]:
    """Return every foreign key of the site: its model, its name, and the model it refers to."""
    return tuple(
        (model, each.name, each.related_model)
        for model in apps.get_models(include_auto_created=True)
        if model._meta.label_lower not in OPEN_TABLES and not model._meta.proxy
        for each in model._meta.concrete_fields
        if isinstance(each, models.ForeignKey) and isinstance(each.related_model, type)
    )


def slug_of(number: int) -> str:
    """Return the game that the club with this number plays."""
    return SLUGS[number % len(SLUGS)]
