"""Lists of army builders on the page of imports: shown first, then made into a gang once."""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from accounts.models import DailyUse, User
from gangs.engine.from_roster import MOST_SELECTIONS
from gangs.files import lists
from gangs.files.lists import is_list, pack_list, unpack_list
from gangs.ledger.replay import difference
from gangs.models import Gang
from rules import entry_ids
from rules.catalogues import apart
from rules.catalogues.entry_map import EntryMap
from rules.catalogues.examining import EXAMINED, Examined
from rules.catalogues.overview import Overview
from rules.catalogues.refusals import BadCatalogue
from rules.catalogues.results import Answers, Imported
from rules.catalogues.rosters import Roster
from rules.editor import store
from rules.editor.data import name_game, start_from
from rules.library import book_of
from rules.loading.apart import Busy
from rules.models import BookDraft, BookVersion, CatalogueImport, EntryIds
from tests.gangs.engine.lists import IDS, make_list, pick
from tests.rules.catalogues.reading.formats import ROSTER
from tests.world.gangs import GOLD, POINTS, make_version, shipped

pytestmark = pytest.mark.django_db
PAGE, LIST = "/gangs/import/", "/gangs/import/list/"
REDS = make_list(
    pick("boss", pick("blade", kind="upgrade"), pick("hat", kind="upgrade"), called="Ada", cost=4),
    total=4,
)


@pytest.fixture
def client(alice: User) -> Client:
    """Alice's browser."""
    found = Client()
    found.force_login(alice)
    return found


@pytest.fixture
def game(db: None) -> BookVersion:
    """A game on offer that knows the ids of lists, beside another."""
    make_version(POINTS)
    version = make_version(GOLD)
    entry_ids.keep(version, IDS)
    return version


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """Read ``found``, or raise it: the reader has tests of its own."""
    state: dict[str, Any] = {"found": REDS}

    def read(name: str, content: bytes) -> Roster:
        if isinstance(state["found"], Exception):
            raise state["found"]
        found: Roster = state["found"]
        return found

    monkeypatch.setattr(apart, "read_list", read)
    yield state


def upload(client: Client, content: bytes = b"<roster/>", name: str = "reds.ros") -> Any:
    return client.post(PAGE, {"file": SimpleUploadedFile(name, content)})


def fields_of(page: Any, **changed: str) -> dict[str, str]:
    """The fields that the page's form would send with "Make this gang"."""
    form = page.context["form"]
    game = page.context["game"]
    return {
        "token": page.context["token"],
        "list": page.context["list"],
        "shown": game.version.pk if game else "",
        "game": form["game"].value() or "",
        "name": form["name"].value(),
        "act": "make",
    } | changed


def test_list_is_shown_before_anything_is_stored(client: Client, game: BookVersion) -> None:
    page = upload(client)
    assert page.status_code == 200
    words = page.content.decode()
    assert "Ada" in words
    assert "Sword" in words
    assert "Warband › Ada › Hat" in words
    assert page.context["game"].version == game
    assert not Gang.objects.exists()
    assert not DailyUse.objects.exists()


def test_entries_are_known_by_the_ids_of_their_catalogue() -> None:
    of_reds = EntryMap("system", "gold", {"reds::boss": ("ranks", "leader")})
    of_blues = EntryMap("system", "gold", {"blues::boss": ("ranks", "leader")})
    assert (of_reds.count_known(REDS), of_blues.count_known(REDS)) == (1, 0)


def test_press_makes_the_gang_once(client: Client, game: BookVersion, alice: User) -> None:
    sent = fields_of(upload(client), name="The Blues")
    made = [client.post(LIST, sent), client.post(LIST, sent)]
    gang = Gang.objects.get()
    assert [answer["Location"] for answer in made] == [gang.get_absolute_url()] * 2
    assert (gang.name, gang.owner, gang.book_version) == ("The Blues", alice, game)
    assert [member.name for member in gang.roster.members] == ["Ada"]
    assert difference(gang) == ""
    assert DailyUse.objects.get(kind="imports").count == 1


def test_costs_are_shown_there_and_here(client: Client, game: BookVersion, reader: Any) -> None:
    page = upload(client)
    (member,) = page.context["members"]
    assert (member.there, page.context["total"]) == (4, 4)
    here = page.context["made"].price
    reader["found"] = make_list(pick("boss", cost="2.5"), total=here + 7)
    words = upload(client).content.decode()
    assert f"{here + 7}" in words
    assert "2.5" in words
    assert "in the list" in words


def test_game_is_asked_when_no_game_knows_the_list(client: Client, reader: Any) -> None:
    versions = [make_version(GOLD), make_version(POINTS)]
    reader["found"] = make_list(pick("q", name="Henchman"), name="Unknown")
    page = upload(client)
    assert page.status_code == 200
    assert page.context["made"] is None
    choices = [key for key, _name in page.context["form"].fields["game"].choices]
    assert set(choices) == {"", *(version.pk for version in versions)}
    refused = client.post(LIST, fields_of(page))
    assert refused.status_code == 422
    assert not Gang.objects.exists()
    # Names alone find the members; the gang is shown before it can be made.
    shown = client.post(LIST, fields_of(page, game=versions[0].pk))
    assert shown.status_code == 200
    assert not Gang.objects.exists()
    assert client.post(LIST, fields_of(shown)).status_code == 302
    assert [one.rank for one in Gang.objects.get().roster.members] == ["henchman"]


def test_another_game_is_shown_before_it_is_taken(client: Client, game: BookVersion) -> None:
    other = BookVersion.objects.exclude(pk=game.pk).get()
    page = client.post(LIST, fields_of(upload(client), game=other.pk))
    assert page.status_code == 200
    assert page.context["game"].version == other
    assert not Gang.objects.exists()


def test_game_that_the_reader_may_not_use_is_refused(client: Client, game: BookVersion) -> None:
    draft = BookDraft.objects.create(owner=User.objects.create(username="eve"), slug="eves")
    secret = BookVersion.objects.create(
        digest="e" * 64, slug="eves", canonical="{}", loaded_at=timezone.now(), draft=draft,
        number=1,
    )  # fmt: skip
    entry_ids.keep(secret, IDS)
    page = upload(client)
    assert page.context["game"].version == game
    answer = client.post(LIST, fields_of(page, game=secret.pk, shown=secret.pk))
    assert answer.status_code == 422
    assert not Gang.objects.exists()


def test_most_known_entries_choose_the_game(client: Client, game: BookVersion) -> None:
    few = BookVersion.objects.exclude(pk=game.pk).get()
    entry_ids.keep(few, EntryMap("system", "gold", {"boss": ("ranks", "leader")}))
    assert upload(client).context["game"].version == game
    EntryIds.objects.filter(pk=few.pk).delete()
    EntryIds.objects.filter(pk=game.pk).update(system_id="another")
    assert upload(client).context["game"] is None


def test_rows_that_a_version_no_longer_has_are_left_out(db: None) -> None:
    version, book = make_version(GOLD), shipped(GOLD)
    rows = {**IDS.rows, "x": ("items", "no-such-row"), "y": ("tables", "sword")}
    entry_ids.keep(version, dataclasses.replace(IDS, rows=rows))
    (found,) = entry_ids.find_maps({version.pk: book}).values()
    assert found == IDS


def test_list_of_another_user_or_another_day_is_refused(
    client: Client, game: BookVersion, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = fields_of(upload(client))
    for changed in (pack_list(REDS, bob), sent["list"][:-1], "", "x" * 1000):
        answer = client.post(LIST, sent | {"list": changed})
        assert (answer.status_code, answer["Location"]) == (302, PAGE)
    monkeypatch.setattr(lists, "LASTS", -1)
    assert client.post(LIST, sent)["Location"] == PAGE
    assert not Gang.objects.exists()


def test_packed_list_comes_back_whole(alice: User) -> None:
    assert unpack_list(pack_list(REDS, alice), alice) == REDS


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (BadCatalogue("no_list", file="reds.ros"), "not a list"),
        (BadCatalogue("broken", file="reds.ros", line=3), "line 3"),
        (Busy(), "minute"),
        (make_list(*[pick("boss")] * (MOST_SELECTIONS + 1)), "more selections"),
    ],
)
def test_refused_lists_say_why_beside_the_field(
    client: Client, game: BookVersion, reader: Any, found: object, words: str
) -> None:
    reader["found"] = found
    page = upload(client)
    assert page.status_code == 422
    assert words in str(page.context["form"].errors["file"])


def test_list_with_texts_that_no_form_takes_is_refused(alice: User) -> None:
    noise = "".join(str(uuid.uuid4()) for _ in range(25_000))
    with pytest.raises(BadCatalogue):
        pack_list(make_list(pick("boss", notes=noise)), alice)


def test_quota_of_imports_counts_for_lists(
    client: Client, game: BookVersion, settings: Any
) -> None:
    sent = fields_of(upload(client))
    settings.QUOTAS = {**settings.QUOTAS, "imports": 0}
    assert upload(client).status_code == 422
    assert client.post(LIST, sent).status_code == 422
    settings.QUOTAS = {**settings.QUOTAS, "imports": 5, "gangs": 0}
    assert client.post(LIST, sent).status_code == 422
    assert not DailyUse.objects.exists()


def test_visitors_sign_in_first(game: BookVersion) -> None:
    assert "/login/" in upload(Client())["Location"]
    assert "/login/" in Client().post(LIST)["Location"]


def test_page_of_a_list_leads_back_without_one(client: Client) -> None:
    assert client.get(LIST)["Location"] == PAGE


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"<?xml?><roster/>", True),
        (b"\xef\xbb\xbf\n <roster/>", True),
        (b"PK\x03\x04rest", True),
        ("<roster/>".encode("utf-16"), True),
        (b'{"generatedBy": "x", "roster": {"name": "y"}}', True),
        (b'{"format": "skirmish-gang", "records": []}', False),
        (b'{"format": "skirmish-gang", "name": {"roster": {}}}', False),
        (b"not json", False),
        (b"", False),
    ],
)
def test_lists_are_recognised_by_their_content(content: bytes, expected: bool) -> None:
    assert is_list(content) == expected


def test_file_of_a_list_is_read_apart(
    client: Client, game: BookVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    page = upload(client, ROSTER.encode(), "herons.ros")
    assert page.status_code == 200
    assert "Night herons" in page.content.decode()


def test_publishing_keeps_the_ids_of_taken_imports(alice: User) -> None:
    data = name_game(start_from(shipped(GOLD)), "reds", "Reds", ("en", "fr"), "")
    game = store.start_game(alice, data, token=uuid.uuid4())
    older = {"old": ("items", "sword"), "boss": ("ranks", "henchman"), "x": ("items", "never")}
    newer = {"boss": ("ranks", "leader"), "old": ("items", "never")}
    for rows in (older, newer):
        take(alice, game, rows)
    CatalogueImport.objects.create(owner=alice, draft=game, token=uuid.uuid4(), files=b"")
    version = store.publish(game, expected_version=game.version)
    found = entry_ids.find_maps({version.pk: book_of(version.pk)})[version.pk]
    assert found.rows == {"old": ("items", "sword"), "boss": ("ranks", "leader")}
    assert (found.system, found.money, found.roles) == ("sys", "gold", {"xp": "experience"})
    game.delete()
    assert EntryIds.objects.get().version == BookVersion.objects.get(pk=version.pk)


def test_publishing_without_catalogues_keeps_no_ids(alice: User) -> None:
    data = name_game(start_from(shipped(GOLD)), "reds", "Reds", ("en", "fr"), "")
    game = store.start_game(alice, data, token=uuid.uuid4())
    store.publish(game, expected_version=game.version)
    assert not EntryIds.objects.exists()


def take(owner: User, game: BookDraft, rows: dict[str, tuple[str, str]]) -> None:
    """Store an import that a game was made of."""
    overview = Overview("sys", "Reds", (), (), (), ())
    answers = Answers(money="gold", roles={"xp": "experience", "boss": "leader"})
    examined = Examined(answers, overview, Imported({}, (), rows, {}))
    CatalogueImport.objects.create(
        owner=owner, draft=game, token=uuid.uuid4(), files=b"", taken_at=timezone.now(),
        examined=EXAMINED.dump_json(examined).decode(),
    )  # fmt: skip
