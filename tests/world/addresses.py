"""One object for each kind of address argument, and every kind of reader."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

from allauth.account.models import EmailAddress
from django.conf import settings
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from accounts import notices
from accounts.models import Notice, User
from campaigns.games.photos import SMALL, keep
from campaigns.models import Campaign, Fixture, Game, Night, Stage, Table
from campaigns.table.storage import open_for
from gangs.models import Gang
from gangs.pictures import storage as pictures_storage
from outbound.models import Hook
from rules.catalogues.examining import EXAMINED, Examined
from rules.catalogues.overview import Overview
from rules.catalogues.results import Answers, Imported
from rules.editor.data import start_empty
from rules.editor.documents import write_game
from rules.models import (
    BookDraft,
    BookTranslation,
    BookVersion,
    CatalogueImport,
    ForeignGame,
    ForeignShelf,
    Variant,
)
from tests.world.campaigns import (
    confirmed,
    make_campaign,
    make_game,
    make_night,
    make_player,
    make_stage,
    reported,
)
from tests.world.gangs import GOLD

# Further addresses under the key that lets people watch a campaign.
PHOTOS = ("campaigns:game-photo", "campaigns:game-photo-remove", "administration:photo")
# Pages of the editor that only games have, and those that only variants have.
OF_GAMES = {"editor:campaign", "editor:languages", "editor:look", "editor:share", "editor:delete"}
OF_VARIANTS = {"editor:version", "editor:archive"}
FEEDS = ("campaigns:night-feed", "campaigns:feed", "campaigns:csv")


@dataclass
class World:
    """One object for each kind of address argument."""

    gang: Gang
    variant: Variant
    draft: BookDraft
    brought: CatalogueImport
    campaign: Campaign
    game: Game
    night: Night
    table: Table
    stage: Stage
    hook: Hook
    users: dict[str, User | None]
    sessions: dict[str, str] = field(default_factory=dict)

    def sign_in(self) -> None:
        """Keep a session for everybody who has an account, for ``client_of``: signing in each time
        takes longer than most pages."""
        for person, user in self.users.items():
            if user is not None:
                client = Client()
                client.force_login(user)
                self.sessions[person] = client.cookies[settings.SESSION_COOKIE_NAME].value

    def client_of(self, person: str, *, csrf: bool = False) -> Client:
        """Return a new browser of a person, who is signed in if they have a session.

        ``csrf``: its forms need a token, as outside tests.
        """
        client = Client(enforce_csrf_checks=csrf)
        if person in self.sessions:
            client.cookies[settings.SESSION_COOKIE_NAME] = self.sessions[person]
        return client

    @property
    def book(self) -> str:
        """Return the address to order the campaign's yearbook."""
        return reverse("campaigns:yearbook-pdf", args=[self.campaign.pk])

    @property
    def following(self) -> str:
        """Return the address to follow the campaign."""
        return reverse("campaigns:follow", args=[self.campaign.pk])

    def address_of(self, name: str, *, game: bool | None = None) -> str:
        """Return the address of a page of this world. ``game``: a page of the editor, of the game
        or the variant."""
        given = self.arguments(name)
        if game is not None:
            given |= self.arguments_of_editor(name, game=game)
        return reverse(name, kwargs={key: given[key] for key in arguments_of(name)})

    @cached_property
    def _known(self) -> dict[str, object]:
        """Return the arguments that are the same for most addresses, queried once."""
        side = self.game.sides.get(gang=self.gang)
        known: dict[str, object] = {
            "slug": GOLD,
            "chapter": "report",
            "gang": self.gang.pk,
            "member": self.gang.roster.members[0].id,
            "item": 999,
            "act": 1,
            "invitation": 1,
            "request_id": 1,
            "bar_id": 1,
            "invitation_id": 1,
            "seq": self.gang.entries.get(number=self.gang.roster.members[0].id).seq,
            "campaign": self.campaign.pk,
            "game": self.game.pk,
            "night": self.night.pk,
            "stage": self.stage.pk,
            "stage_format": "swiss",
            "shape": "wide",
            "round_number": 1,
            "fixture": Fixture.objects.get(round__stage=self.stage).pk,
            "table_id": self.table.pk,
            "figure": f"{self.table.sides.get(gang=self.gang).number}"
            f".{self.gang.roster.members[0].id}",
            "roll": self.gang.book.rolls[0].key,
            "alarm": self.gang.book.alarms[0].key,
            "side": side.pk,
            "key": self.gang.share_key,
            "code": self.gang.share_code,
            "digest": self.gang.book_version_id,
            "theme": "light",
            "upgrade": 1,
            "adjustment": 1,
            "trophy": 1,
            "award": 1,
            "user": self.gang.owner_id,
            "place": 1,
            "variant": self.variant.pk,
            "draft": self.draft.pk,
            "table": "items",
            "row": self.gang.book.items[0].key,
            "group": self.gang.book.groups[0].key,
            "number": 1,
            "captor": self.game.sides.exclude(gang=self.gang).get().gang_id,
            "bargain": 1,
            "notice": Notice.objects.filter(user=self.users["owner"]).latest("pk").pk,
            "rest": "new/",
            "name": pictures_storage.name_of(self.gang, None),
            "size": pictures_storage.SMALL,
            # Objects of other people: their pages are requested and not found.
            "uidb36": "1",
            "object_id": 1,
            "token_id": 1,
            "device": 1,
            "hook_id": self.hook.pk,
            "app_label": "accounts",
            "content_type_id": 1,
            "url": "nowhere",
            "language": "de",
            "shelf": ForeignShelf.objects.get().pk,
            "foreign": ForeignGame.objects.get().pk,
            "document": self.draft.pk,
            "translation_id": self.gang.owner.book_translations.get().pk,
            "seat": self.campaign.participants.get(user=self.users["owner"]).pk,
            "page": f"s/{self.gang.share_key}/",
        }
        rows = ("campaign", "game", "night", "side", "gang", "seat", "bargain", "upgrade")
        rows += ("stage", "fixture", "adjustment", "user", "trophy", "award")
        return known | {f"{row}_id": known[row] for row in rows}

    def arguments_of_editor(self, name: str, *, game: bool) -> dict[str, object]:
        """Return the arguments of a page of the editor, for a game or a variant."""
        known: dict[str, object] = {"document": self.draft.pk if game else self.variant.pk}
        if game:
            known |= {"table": "ranks", "row": "leader"}
        if name == "editor:single":
            known["table"] = "campaign"
        elif name == "editor:try":
            known |= {"table": "rolls", "row": "-"}
        return known

    def arguments(self, name: str) -> dict[str, object]:
        """Return the arguments of an address."""
        known = self._known | {"batch": uuid.uuid4()}
        if name.startswith("administration:"):
            subject = {"account": self.gang.owner_id, "campaign": self.campaign.pk}
            subject |= {"report": 1, "job": 1, "rulebook": GOLD}
            known |= {"account": self.gang.owner_id, "report": 1, "job": 1, "kind": "block"}
            known["rulebook"] = GOLD
            known["key"] = subject.get(name.partition(":")[2].partition("-")[0], self.gang.pk)
        if name in PHOTOS:
            photo = self.game.photos.get()
            known |= {"photo_id": photo.pk, "photo": photo.pk, "name": photo.name, "size": SMALL}
        if name == "campaigns:join":
            known["key"] = self.campaign.invite_key
        elif name == "campaigns:table-dice":
            known["act"] = uuid.uuid4()
        elif name.startswith("campaigns:watch") or name in FEEDS:
            known |= {"key": self.campaign.watch_key, "name": "standings"}
        elif name.startswith("rules:"):
            known["key"] = "play"
        elif name.startswith("editor:"):
            known |= self.arguments_of_editor(name, game=name in OF_GAMES)
        elif name.startswith("importing:"):
            known |= {"upload": self.brought.pk, "document": self.draft.pk}
        elif name == "hooks:act":
            # It is switched off.
            known["name"] = "test"
        elif name == "edit-site-page":
            known["key"] = "privacy"
        return known


def make_channel(campaign: Campaign, user: User) -> Hook:
    """Return a channel of a campaign that is switched off, so that nothing is sent."""
    return Hook.objects.create(
        campaign=campaign,
        by=user,
        service=Hook.Service.SIGNED,
        secret_url="https://hooks.example.org/a-secret-path",
        host="hooks.example.org",
        ending="path",
        signing_secret="whsec_c2VjcmV0LW9mLXRoaXMtY2hhbm5lbA==",
        language="en",
        token=uuid.uuid4(),
        off_at=timezone.now(),
        off_why=Hook.Off.BY_HAND,
    )


def make_foreign_game(user: User, version: BookVersion) -> ForeignGame:
    """Return a game that came from another site's shelf, and is not taken in."""
    now = timezone.now()
    shelf = ForeignShelf.objects.create(
        owner=user,
        url="https://club.example/games/index.json",
        name="The other club",
        read_at=now,
        next_at=now,
    )
    return ForeignGame.objects.create(
        owner=user,
        shelf=shelf,
        slug=version.slug,
        digest=version.pk,
        canonical=version.canonical,
        licence="CC0 1.0",
        size=1000,
    )


def make_world(names: Sequence[str] = ("alice", "bob", "dora", "charlie")) -> World:
    """Return a world with a gang's owner, their organiser, another player and a stranger, who get
    these ``names``."""
    alice, bob, dora, charlie = (
        User.objects.create_user(name, f"{name}@example.org") for name in names
    )
    for user in (alice, bob, dora, charlie):
        # The same state as after signing up.
        EmailAddress.objects.create(user=user, email=user.email, primary=True)
    campaign = make_campaign(bob)
    gang, rival = make_player(campaign, alice), make_player(campaign, dora)
    game = make_game(campaign, alice, gang, rival)
    table = open_for(game, list(game.sides.select_related("gang__owner")))
    game = confirmed(reported(game, alice), dora)
    pictures_storage.keep(
        gang, None, pictures_storage.Decoded((b"a small badge", b"a large badge"))
    )
    keep(game, alice, pictures_storage.Decoded((b"small", b"large")), "The bridge falls")
    values = {"actor": notices.person(bob), "campaign": campaign.name}
    Notice.objects.create(user=alice, kind="invited", values=values)
    people = {"owner": alice, "organiser": bob, "other": dora, "stranger": charlie}
    variant = Variant.objects.create(owner=alice, name="Ours", base=gang.book_version)
    draft = BookDraft.objects.create(
        owner=alice, slug="harbour", data=write_game({**start_empty(), "slug": "harbour"})
    )
    examined = Examined(
        Answers(), Overview("h", "Harbour", (), (), (), ()), Imported(start_empty())
    )
    brought = CatalogueImport.objects.create(
        owner=alice,
        token=uuid.uuid4(),
        files=b"",
        state="ready",
        examined=EXAMINED.dump_json(examined).decode(),
    )
    BookTranslation.objects.create(
        rulebook_id=GOLD, language="de", author=alice, changed_at=timezone.now()
    )
    make_foreign_game(alice, gang.book_version)
    night, stage = make_night(campaign), make_stage(campaign, gang, rival)
    users, hook = {**people, "visitor": None}, make_channel(campaign, bob)
    return World(gang, variant, draft, brought, campaign, game, night, table, stage, hook, users)


def patterns(
    resolver: URLResolver, prefix: str = "", space: str = ""
) -> Iterator[tuple[str, URLPattern]]:
    """Yield every named pattern of the site as (namespace:name, pattern)."""
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else space
            yield from patterns(pattern, prefix, inner)
        elif pattern.name or space != "admin:":
            # Patterns without a name are not pages of this site.
            yield f"{space}{pattern.name}", pattern


@cache
def arguments_of(name: str) -> tuple[str, ...]:
    """Return the arguments of an address, including those of the lists that include it."""
    resolver = get_resolver()
    space, _, local = name.rpartition(":")
    inner = resolver if not space else resolver.namespace_dict[space][1]
    found = inner.reverse_dict.getlist(local)
    return tuple(found[0][0][0][1]) if found else ()
