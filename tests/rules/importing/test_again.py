"""A newer catalogue comes into a game that its author changed meanwhile."""

from __future__ import annotations

import copy
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from common import background
from rules.catalogues import apart
from rules.catalogues.examining import EXAMINED, Examined
from rules.catalogues.overview import Overview
from rules.catalogues.results import Answers, Imported, Note
from rules.editor import store as editor_store
from rules.editor.data import start_from
from rules.editor.documents import data_of
from rules.importing import newer_views, store
from rules.importing.comparing import compare
from rules.models import BookDraft, CatalogueImport
from tests.rules.small import row as make_row
from tests.rules.small import small, text

pytestmark = pytest.mark.django_db
START = "/editor/catalogues/"
DATA = start_from(small())
IDS = {one["key"]: ("items", one["key"]) for one in DATA["items"]}
NOTES = tuple(Note("odd", (place,), values={"name": "x"}) for place in ("One", "Two"))
OVERVIEW = Overview("s", "Lamps", (), (), (), ())


class Reader:
    """Stands in for the process that reads catalogues, and returns what a test puts here."""

    def __init__(self) -> None:
        self.found = Imported(copy.deepcopy(DATA), NOTES, IDS)
        self.answers: list[Answers | None] = []

    def examine(
        self, _files: Sequence[tuple[str, bytes]], answers: Answers | None = None
    ) -> Examined:
        self.answers.append(answers)
        return Examined(answers or Answers(worth="pts"), OVERVIEW, self.found)

    def change(self, **items: Any) -> None:
        """Let the next catalogue have other prices for items; None for an item that is deleted."""
        data = copy.deepcopy(self.found.data)
        set_prices(data, **items)
        self.found = Imported(data, self.found.notes, self.found.ids)


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    """Read nothing: the readers and the mapping have tests of their own."""
    found = Reader()
    monkeypatch.setattr(apart, "examine", found.examine)
    yield found


@pytest.fixture
def client(alice: User) -> Client:
    """Alice's browser."""
    found = Client()
    found.force_login(alice)
    return found


@pytest.fixture
def game(client: Client) -> BookDraft:
    """A game that was made from catalogues."""
    row = upload(client, START)
    client.post(f"{START}{row.pk}/make/", {"name": "Lamps", "slug": "lamps", "seen": row.version})
    return BookDraft.objects.get()


def set_prices(data: dict[str, Any], **items: int | None) -> None:
    for key, price in items.items():
        found = next((one for one in data["items"] if one["key"] == key), None)
        if found is None:
            data["items"].append(make_row(key, group="goods", price=price))
        elif price is None:
            data["items"].remove(found)
        else:
            found["price"] = price


def prices(game: BookDraft) -> dict[str, int]:
    game.refresh_from_db()
    return {one["key"]: one["price"] for one in data_of(game)["items"]}


def edit(game: BookDraft, **items: int | None) -> None:
    """Let the author change prices of items."""
    game.refresh_from_db()
    data = data_of(game)
    set_prices(data, **items)
    editor_store.save_data(game, data, expected_version=game.version)


def upload(client: Client, address: str) -> CatalogueImport:
    """Send a file, and let the job read it."""
    sent = {"catalogues": [SimpleUploadedFile("a.gst", b"<a/>")], "token": str(uuid.uuid4())}
    answer = client.post(address, sent)
    assert answer.status_code == 302
    background.carry_out(store.LANE)
    return CatalogueImport.objects.get(pk=answer["Location"].split("/")[-2])


def bring(client: Client, game: BookDraft) -> CatalogueImport:
    """Send a newer catalogue."""
    return upload(client, f"{START}newer/{game.pk}/")


def take(client: Client, row: CatalogueImport, **changed: Any) -> HttpResponse:
    """Send the page's form, with some other values."""
    address = f"{START}{row.pk}/merge/"
    page = client.get(address)
    sent = {"seen": page.context["seen"], "read": row.version}
    return client.post(address, sent | changed)


def test_newer_catalogue_comes_into_the_game(
    client: Client, game: BookDraft, reader: Reader
) -> None:
    assert client.get(game.get_absolute_url()).context["is_imported"]
    edit(game, bow=60)
    reader.change(axe=70, lamp=3, rope=None)
    row = bring(client, game)
    # The answers of the last time are asked with once more.
    assert reader.answers[-1] == Answers(worth="pts")
    page = client.get(row.get_absolute_url(), follow=True)
    assert page.redirect_chain == [(f"{START}{row.pk}/merge/", 302)]
    shown = page.context
    assert (shown["asked"], shown["taken_count"], shown["own_count"]) == (0, 3, 1)
    assert prices(game)["axe"] == 7
    answer = take(client, row)
    assert answer["Location"] == game.get_absolute_url()
    assert prices(game) == {"sword": 4, "axe": 70, "bow": 60, "lamp": 3}
    assert data_of(game)["name"] == text("Lamps") and game.slug == "lamps"
    row.refresh_from_db()
    assert row.taken_at is not None and bytes(row.files) == b""
    # A second press, and the old addresses, lead to the game.
    assert take_again(client, row)["Location"] == game.get_absolute_url()
    assert client.get(row.get_absolute_url())["Location"] == game.get_absolute_url()


def take_again(client: Client, row: CatalogueImport) -> HttpResponse:
    return client.post(f"{START}{row.pk}/merge/", {"seen": 1, "read": 0})


def test_change_of_both_is_asked_about(client: Client, game: BookDraft, reader: Reader) -> None:
    edit(game, axe=8, bow=9, sword=None, rope=5)
    reader.change(axe=70, bow=90, sword=40, rope=None)
    row = bring(client, game)
    page = client.get(f"{START}{row.pk}/merge/")
    asked = [one for _label, lines in page.context["groups"] for one in lines]
    assert {one.name for one in asked} == {
        "items/axe/price",
        "items/bow/price",
        "items/sword",
        "items/rope",
    }
    by_name = {one.row: one for one in asked}
    axe = by_name["Axe"]
    assert (axe.before, axe.mine, axe.theirs) == (
        "7",
        "Keep mine: 8",
        "Take the catalogue’s: 70",
    )
    assert "deleted" in by_name["Sword"].mine and "Delete" in by_name["Rope"].theirs
    assert [(one.old, one.new) for one in by_name["Sword"].changes] == [("4", "40")]
    assert [(one.old, one.new) for one in by_name["Rope"].changes] == [("1", "5")]
    take(client, row, **{f"at/{axe.name}": "theirs", f"at/{by_name['Sword'].name}": "theirs"})
    assert prices(game) == {"sword": 40, "axe": 70, "bow": 9, "rope": 5}


def test_all_answers_can_be_chosen_together(
    client: Client, game: BookDraft, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(game, axe=8, bow=9)
    reader.change(axe=70, bow=90)
    row = bring(client, game)
    address = f"{START}{row.pk}/merge/"
    assert not client.get(address).context["theirs"]
    assert len(client.get(f"{address}?all=theirs").context["theirs"]) == 2
    monkeypatch.setattr(newer_views, "MOST_ASKED", 1)
    page = client.get(address)
    assert page.context["more_asked"] == 1
    take(client, row, others="theirs", **{"at/items/axe/price": "mine"})
    assert (prices(game)["axe"], prices(game)["bow"]) == (8, 90)


def test_stale_page_writes_nothing(client: Client, game: BookDraft, reader: Reader) -> None:
    edit(game, axe=8)
    reader.change(axe=70, bow=90)
    row = bring(client, game)
    seen = client.get(f"{START}{row.pk}/merge/").context["seen"]
    edit(game, rope=9)
    answer = take(client, row, seen=seen, **{"at/items/axe/price": "theirs"})
    assert answer.status_code == 409 and answer.context["error"]
    # The answers are still chosen.
    assert answer.context["theirs"] == {"items/axe/price"}
    assert prices(game) == {"sword": 4, "axe": 8, "bow": 6, "rope": 9}
    # The same, when the files were read with other answers meanwhile.
    store.answer(row, Answers(), expected_version=row.version)
    background.carry_out(store.LANE)
    assert take(client, row).status_code == 409
    row.refresh_from_db()
    assert row.taken_at is None and prices(game)["bow"] == 6


def test_race_between_two_presses_writes_once(
    client: Client, game: BookDraft, reader: Reader
) -> None:
    reader.change(axe=70)
    row = bring(client, game)
    game.refresh_from_db()
    compared = compare(row, game)
    assert compared is not None
    data = data_of(game)
    store.take(row, game, data, compared, expected_version=row.version, seen=game.version)
    with pytest.raises(store.Stale):
        store.take(row, game, data, compared, expected_version=row.version, seen=game.version)
    other = bring(client, game)
    # The game has changed: its import is not taken, either.
    with pytest.raises(store.Stale):
        store.take(other, game, data, compared, expected_version=other.version, seen=0)
    other.refresh_from_db()
    assert other.taken_at is None


def test_undo_takes_the_catalogue_back_and_the_next_one_still_works(
    client: Client, game: BookDraft, reader: Reader
) -> None:
    edit(game, bow=60)
    reader.change(axe=70)
    undone = bring(client, game)
    take(client, undone)
    assert (prices(game)["axe"], prices(game)["bow"]) == (70, 60)
    editor_store.undo(game, expected_version=game.version)
    assert (prices(game)["axe"], prices(game)["bow"]) == (7, 60)
    # The game comes from the first import again: the price is news, and no change of the author.
    again = bring(client, game)
    page = client.get(f"{START}{again.pk}/merge/")
    assert (page.context["taken_count"], page.context["own_count"]) == (1, 1)
    reader.change(rope=9)
    row = bring(client, game)
    take(client, row)
    assert prices(game) == {"sword": 4, "axe": 70, "bow": 60, "rope": 9}
    # The game goes on from the newest import, and keeps those that undoing leads to.
    reader.change(rope=10)
    newest = bring(client, game)
    take(client, newest)
    assert prices(game)["rope"] == 10
    kept = {one.pk for one in CatalogueImport.objects.taken_by(game)}
    assert kept == {*game.past.values_list("origin", flat=True), newest.pk}
    assert len(kept) == 3 and row.pk in kept and undone.pk not in kept


def test_several_undos_lead_back_over_several_catalogues(
    client: Client, game: BookDraft, reader: Reader
) -> None:
    for change in ({"axe": 70}, {"bow": 80}):
        reader.change(**change)
        take(client, bring(client, game))
    for _time in range(2):
        game.refresh_from_db()
        editor_store.undo(game, expected_version=game.version)
    assert (prices(game)["axe"], prices(game)["bow"]) == (7, 6)
    # The third catalogue brings the values of both.
    row = bring(client, game)
    page = client.get(f"{START}{row.pk}/merge/")
    assert (page.context["taken_count"], page.context["own_count"]) == (2, 0)
    take(client, row)
    assert (prices(game)["axe"], prices(game)["bow"]) == (70, 80)


def test_undo_of_a_change_keeps_the_import_that_the_game_comes_from(
    client: Client, game: BookDraft, reader: Reader
) -> None:
    page = f"{START}notes/{game.pk}/"
    reader.change(axe=70)
    row = bring(client, game)
    take(client, row)
    # The author decides for the older price: the game now looks like the older catalogue.
    edit(game, axe=7)
    edit(game, bow=60)
    editor_store.undo(game, expected_version=game.version)
    assert client.get(page).context["key"] == row.pk
    again = bring(client, game)
    shown = client.get(f"{START}{again.pk}/merge/").context
    assert (shown["taken_count"], shown["own_count"]) == (0, 1)


def test_restored_version_comes_from_its_own_import(
    client: Client, game: BookDraft, reader: Reader
) -> None:
    page = f"{START}notes/{game.pk}/"
    game.refresh_from_db()
    state = editor_store.publish(game, expected_version=game.version)
    first = client.get(page).context["key"]
    reader.change(axe=70)
    row = bring(client, game)
    take(client, row)
    assert client.get(page).context["key"] == row.pk
    game.refresh_from_db()
    editor_store.restore(game, state, expected_version=game.version)
    assert prices(game)["axe"] == 7 and client.get(page).context["key"] == first
    editor_store.undo(game, expected_version=game.version)
    assert prices(game)["axe"] == 70 and client.get(page).context["key"] == row.pk
    # Without its import, a restored version is a change of the author.
    CatalogueImport.objects.filter(pk=first).delete()
    game.refresh_from_db()
    editor_store.restore(game, state, expected_version=game.version)
    assert prices(game)["axe"] == 7 and client.get(page).context["key"] == row.pk


def test_imports_kept_for_undo_do_not_use_up_the_quota(
    client: Client, game: BookDraft, reader: Reader, alice: User
) -> None:
    for price in range(10, 14):
        reader.change(axe=price)
        take(client, bring(client, game))
    assert CatalogueImport.objects.taken_by(game).count() == 5
    assert CatalogueImport.objects.count_for(alice) == 1
    bring(client, game)
    assert CatalogueImport.objects.count_for(alice) == 2


def test_undo_brings_the_notes_back_and_redo_the_newer_ones(
    client: Client, game: BookDraft, reader: Reader
) -> None:
    page = f"{START}notes/{game.pk}/"
    first = client.get(page).context["key"]
    reader.change(axe=70)
    row = bring(client, game)
    take(client, row)
    assert client.get(page).context["key"] == row.pk
    undo, redo = editor_store.undo, editor_store.redo
    for step, expected in ((undo, first), (redo, row.pk), (undo, first)):
        game.refresh_from_db()
        step(game, expected_version=game.version)
        assert client.get(page).context["key"] == expected
    # Another change, and undoing it, leave the notes alone.
    edit(game, bow=60)
    editor_store.undo(game, expected_version=game.version)
    assert client.get(page).context["key"] == first


def test_row_keeps_its_key_over_several_imports(
    client: Client, game: BookDraft, reader: Reader
) -> None:
    edit(game, axe=8)
    for price, key in ((10, "hatchet"), (11, "hatchet"), (12, "chopper")):
        data = copy.deepcopy(DATA)
        set_prices(data, bow=price)
        data["items"][1] |= {"key": key, "name": text(key)}
        reader.found = Imported(data, NOTES, {**IDS, "axe": ("items", key)})
        take(client, bring(client, game))
        assert prices(game) == {"sword": 4, "axe": 8, "bow": price, "rope": 1}
        assert next(one for one in data_of(game)["items"] if one["key"] == "axe")["name"] == text(
            key
        )
    row = CatalogueImport.objects.taken_by(game)[0]
    assert EXAMINED.validate_json(row.examined).imported.ids["axe"] == ("items", "axe")


def test_notes_that_are_equal_stay_ticked(client: Client, game: BookDraft, reader: Reader) -> None:
    page = f"{START}notes/{game.pk}/"
    shown = client.get(page).context["key"]
    client.post(page, {"shown": [0, 1], "done": [1], "import": str(shown)})
    new = Note("odd", ("Three",), values={"name": "x"})
    changed = Note("odd", ("Two",), values={"name": "y"})
    reader.found = Imported(DATA, (new, NOTES[1], changed, NOTES[0]), IDS)
    row = bring(client, game)
    take(client, row)
    row.refresh_from_db()
    assert (row.done_notes, row.notes_left) == ({1}, 3)
    assert client.get(game.get_absolute_url()).context["import_notes"] == 3


def test_answers_of_a_newer_catalogue_can_be_corrected(
    client: Client, game: BookDraft, reader: Reader
) -> None:
    row = bring(client, game)
    page = client.get(f"{row.get_absolute_url()}?answers")
    assert page.status_code == 200 and f"{row.pk}/merge/" in page.content.decode()
    # It makes no second game.
    made = client.post(f"{START}{row.pk}/make/", {"name": "Lamps", "seen": row.version})
    assert made["Location"].endswith("/merge/") and BookDraft.objects.count() == 1
    assert client.get(f"{START}newer/{game.pk}/").context["open"][0] == row
    gone = client.post(f"{START}{row.pk}/delete/")
    assert gone["Location"] == f"{START}newer/{game.pk}/"


def test_editor_of_a_game_may_bring_a_newer_catalogue(
    client: Client, game: BookDraft, reader: Reader, alice: User, bob: User
) -> None:
    other = Client()
    other.force_login(bob)
    row = bring(client, game)
    for address in (f"{START}newer/{game.pk}/", f"{START}{row.pk}/merge/"):
        assert other.get(address).status_code == other.post(address).status_code == 404
    editor_store.share(game, bob.username)
    reader.change(axe=70)
    brought = bring(other, game)
    take(other, brought)
    brought.refresh_from_db()
    # It is part of the owner's game: it stays when the editor's account is deleted.
    assert brought.owner == alice and prices(game)["axe"] == 70
    assert take_again(other, brought)["Location"] == game.get_absolute_url()
    # Their own upload is not theirs to see when they may not edit the game any more.
    last = bring(other, game)
    editor_store.unshare(game, game.editors.get().pk)
    for address in (last.get_absolute_url(), f"{START}{last.pk}/merge/"):
        assert other.get(address).status_code == 404
    assert not other.get(START).context["open"]


def test_copy_of_an_imported_game_has_no_newer_catalogue(client: Client, game: BookDraft) -> None:
    data = {**data_of(game), "slug": "copy"}
    copied = editor_store.start_game(game.owner, data, token=uuid.uuid4())
    assert not client.get(copied.get_absolute_url()).context["is_imported"]
    assert client.get(f"{START}newer/{copied.pk}/")["Location"] == copied.get_absolute_url()


def test_page_makes_the_same_queries_for_any_number_of_changes(
    client: Client, game: BookDraft, reader: Reader
) -> None:
    def count(address: str) -> int:
        with CaptureQueriesContext(
            connection,
        ) as found:
            assert client.get(address).status_code == 200
        return len(found)

    reader.change(axe=70)
    one = count(f"{START}{bring(client, game).pk}/merge/")
    edit(game, bow=8, rope=9)
    reader.change(axe=71, bow=80, rope=None, lamp=4)
    assert count(f"{START}{bring(client, game).pk}/merge/") == one <= 12


def large(price: int, moved: Callable[[int], str] = str) -> dict[str, Any]:
    """Return a game with 300 ranks and 600 items."""
    data = copy.deepcopy(DATA)
    ranks = [
        {**data["ranks"][1], "key": f"rank-{n}", "name": text(f"Rank {n}")} for n in range(300)
    ]
    items = [
        make_row(f"item-{moved(n)}", group="arms", price=price + n, tags=["blade"], columns={})
        for n in range(600)
    ]
    for one in ranks:
        one["values"] = {"might": 3, "aim": 4}
        one["items"] = [f"item-{moved(n)}" for n in range(20)]
    return {**data, "ranks": ranks, "items": items}


def test_two_large_games_are_compared_within_a_second(
    client: Client, game: BookDraft, reader: Reader
) -> None:
    ids = {f"id-{n}": ("items", f"item-{n}") for n in range(600)}
    others = {f"id-{n}": ("items", f"item-x{n}") for n in range(600)}
    old = Examined(Answers(), OVERVIEW, Imported(large(1), (), ids))
    CatalogueImport.objects.update(examined=EXAMINED.dump_json(old).decode())
    game.refresh_from_db()
    editor_store.save_data(game, large(2), expected_version=game.version)
    reader.found = Imported(large(3, "x{}".format), (), others)
    row = bring(client, game)
    game.refresh_from_db()
    row.refresh_from_db()
    start = time.process_time()
    compared = compare(row, game, lambda conflict: True)
    spent = time.process_time() - start
    assert compared is not None and len(compared.merged.conflicts) == 600
    assert spent < 1, spent
    page = client.get(f"{START}{row.pk}/merge/")
    assert page.context["more_asked"] == 300
    assert len(page.content) < 600_000
