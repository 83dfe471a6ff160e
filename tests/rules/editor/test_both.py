"""Acts and pages that variants and games have alike."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from gangs.engine import actions
from gangs.ledger import writer
from rules.book.model import Book
from rules.editor import documents, store
from rules.editor.data import start_from
from rules.editor.documents import Document
from rules.models import BookDraft, Variant
from rules.packages.archive import unpack
from tests.rules.editor.test_row_form import sent
from tests.world.gangs import POINTS, make_version, shipped

pytestmark = pytest.mark.django_db


def start_variant(owner: User) -> Document:
    """Return a new variant of a shipped game."""
    return store.start_variant(owner, make_version(), "Ours", token=uuid.uuid4())


def start_game(owner: User) -> Document:
    """Return a game that begins as a copy of the same one."""
    data = {**start_from(shipped(POINTS)), "slug": "ours"}
    return store.start_game(owner, data, token=uuid.uuid4())


@pytest.fixture(params=[start_variant, start_game], ids=["variant", "game"])
def document(request: Any, client: Client, alice: User) -> Document:
    """Return Alice's document; the client is hers."""
    client.force_login(alice)
    start: Callable[[User], Document] = request.param
    return start(alice)


def address(document: Document, page: str, *place: object) -> str:
    """Return the address of a page of the document."""
    return reverse(f"editor:{page}", args=[document.pk, *place])


def send(client: Client, document: Document, page: str, *place: object, **fields: object) -> Any:
    """Send a form of the document at its current version."""
    document.refresh_from_db()
    seen = documents.version_of(document)
    return client.post(address(document, page, *place), {"seen": seen, **fields})


def fill(client: Client, document: Document, page: str, **fields: str) -> Any:
    """Send the form of a page as it is drawn, with other ``fields``."""
    document.refresh_from_db()
    form = sent(client.get(page).context["form"], **fields)
    form["seen"] = str(documents.version_of(document))
    return client.post(page, form)


def book_of(document: Document) -> Book:
    """Return the rulebook of the document, which must have no mistakes."""
    document.refresh_from_db()
    checked = documents.check(document)
    assert checked.book is not None, (checked.wrong, checked.misfits)
    return checked.book


UNDO, REDO = "Undo the last change", "Redo the undone change"


def offers(client: Client, document: Document) -> tuple[bool, bool]:
    """Return whether the document's page offers undo, and redo."""
    page = client.get(document.get_absolute_url()).content.decode()
    return UNDO in page, REDO in page


def test_acts_are_undone_one_after_the_other_and_done_again(
    client: Client, document: Document
) -> None:
    item = shipped(POINTS).items[0]
    assert offers(client, document) == (False, False)
    assert send(client, document, "undo").status_code == 302
    price, status = item.price, item.status
    fill(client, document, address(document, "row", "items", item.key), price="77")
    send(client, document, "act", "items", item.key, act="banned")
    assert offers(client, document) == (True, False)
    states = [(price, status), (77, status), (77, "banned")]
    for way, expected in (
        ({}, states[1]),
        ({}, states[0]),
        ({"redo": "1"}, states[1]),
        ({"redo": "1"}, states[2]),
        ({}, states[1]),
    ):
        assert send(client, document, "undo", **way).status_code == 302
        found = book_of(document).item[item.key]
        assert (found.price, found.status) == expected
        assert offers(client, document) == (expected != states[0], expected != states[2])
    stale = client.post(address(document, "undo"), {"seen": 0})
    assert stale.status_code == 302 and book_of(document).item[item.key].price == 77


def test_kept_steps_of_undo_are_bounded(
    client: Client, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = shipped(POINTS).items[0].key
    monkeypatch.setattr(store, "MOST_PAST", 3)
    for status in ("banned", "hidden") * 3:
        send(client, document, "act", "items", item, act=status)
    assert document.past.count() == 3
    for _time in range(5):
        send(client, document, "undo")
    assert document.past.filter(is_undone=True).count() == 3
    assert book_of(document).item[item].status == "banned"
    # However large a state is, the last act can be undone.
    monkeypatch.setattr(store, "MOST_PAST_LETTERS", 1)
    for status in ("hidden", "offered"):
        send(client, document, "act", "items", item, act=status)
    assert document.past.count() == 1
    send(client, document, "undo")
    assert book_of(document).item[item].status == "hidden"


def test_redo_leads_back_to_the_newest_state_of_a_growing_document(
    client: Client, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        page = address(document, "add", "traits")
        text = "Something long. " * (number + 1)
        assert fill(client, document, page, name_en="New", text_en=text).status_code == 302
    document.refresh_from_db()
    # All states have room, but not the newest in place of the first.
    sizes = [len(text) for text in document.past.values_list("text", flat=True)]
    monkeypatch.setattr(store, "MOST_PAST_LETTERS", sum(sizes))
    newest = documents.text_stored(document)
    ways: tuple[dict[str, str], ...] = ({}, {"redo": "1"})
    for way in ways:
        for _step in sizes:
            send(client, document, "undo", **way)
    document.refresh_from_db()
    assert documents.text_stored(document) == newest


@pytest.mark.parametrize("table", ["items", "ranks", "limits", "rolls"])
def test_copy_of_a_row_is_added_with_all_that_it_says(
    client: Client, document: Document, table: str
) -> None:
    before = getattr(book_of(document), table)
    name = next(iter(documents.read(document).tables[table]))
    page = f"{address(document, 'add', table)}?copy={name}"
    assert fill(client, document, page, name_en="A twin").status_code == 302
    after = getattr(book_of(document), table)
    assert len(after) == len(before) + 1
    new = next(row for row in after if row not in before)
    own = {"key": "", "code": "", "source": "", "name": None, "house": ()}
    own = {part: value for part, value in own.items() if part in type(new).model_fields}
    assert new.model_copy(update=own) == before[0].model_copy(update=own)


def test_copy_of_a_dice_table_keeps_what_its_rows_bring(client: Client, document: Document) -> None:
    old = next(one for one in book_of(document).tables if any(row.outcomes for row in one.rows))
    page = f"{address(document, 'add', 'tables')}?copy={old.key}"
    answer = fill(client, document, page, name_en="A twin")
    assert answer.status_code == 302
    new = book_of(document).tables[-1]
    assert new.key == "a-twin" and [row.outcomes for row in new.rows] == [
        row.outcomes for row in old.rows
    ]


def test_change_after_an_undo_can_be_undone_itself(client: Client, document: Document) -> None:
    item = shipped(POINTS).items[0]
    for price in ("71", "72"):
        fill(client, document, address(document, "row", "items", item.key), price=price)
    send(client, document, "undo")
    fill(client, document, address(document, "row", "items", item.key), price="73")
    assert offers(client, document) == (True, False)
    send(client, document, "undo")
    assert book_of(document).item[item.key].price == 71


def test_rows_are_hidden_and_banned(client: Client, document: Document) -> None:
    item = shipped(POINTS).items[0].key
    for status in ("hidden", "banned", "offered"):
        send(client, document, "act", "items", item, act=status)
        assert book_of(document).item[item].status == status


def test_items_are_pasted_once(client: Client, document: Document) -> None:
    group = shipped(POINTS).groups[0].key
    fields = {"seen": 0, "lines": "Long knife; 4\nSabre; 5"}
    for _ in range(2):
        page = f"{address(document, 'paste', 'items')}?sort={group}"
        assert client.post(page, fields).status_code == 302
    book = book_of(document)
    assert len(book.items) == len(shipped(POINTS).items) + 2
    assert (book.item["long-knife"].price, book.item["sabre"].price) == (4, 5)


def test_form_that_arrives_twice_adds_one_row(client: Client, document: Document) -> None:
    page = address(document, "add", "items")
    before = len(book_of(document).items)
    form = sent(client.get(page).context["form"], name_en="Bone saw", price="3", seen="0")
    assert [client.post(page, form).status_code for _ in range(2)] == [302, 302]
    assert len(book_of(document).items) == before + 1


def test_document_has_a_preview_and_fights(client: Client, document: Document) -> None:
    sample = shipped(POINTS).samples[0].name
    assert str(sample) in client.get(address(document, "preview")).content.decode()
    assert client.get(address(document, "fair")).context["result"].all > 0


def test_roll_is_tried_as_it_is_typed(client: Client, document: Document) -> None:
    roll = shipped(POINTS).rolls[0].key
    form = sent(client.get(address(document, "row", "rolls", roll)).context["form"])
    answer = client.post(address(document, "try", "rolls", roll), form)
    assert "no mistake in this row" in answer.content.decode() and answer.context["odds"]


def test_document_returns_to_a_published_version(client: Client, document: Document) -> None:
    item = shipped(POINTS).items[0].key
    prices = ("71", "72")
    for price in prices:
        fill(client, document, address(document, "row", "items", item), price=price)
        assert send(client, document, "publish").status_code == 302
    page = client.get(document.get_absolute_url()).content.decode()
    assert "Return the draft to it" in page and "Version 2 is ready to play" in page
    send(client, document, "restore", 1)
    assert book_of(document).item[item].price == 71
    send(client, document, "undo")
    assert book_of(document).item[item].price == 72


def test_publishing_shows_what_is_new(client: Client, document: Document) -> None:
    item = shipped(POINTS).items[0]
    send(client, document, "publish")
    fill(client, document, address(document, "row", "items", item.key), price="77")
    page = client.get(address(document, "publish"))
    assert "What is new since version 1" in page.content.decode()
    ((_table, (line,)),) = page.context["differences"]
    assert [(one.old, one.new) for one in line.changes] == [(str(item.price), "77")]


def test_publishing_lists_the_gangs_that_could_switch(client: Client, document: Document) -> None:
    send(client, document, "publish")
    state = document.states.get()
    entries = actions.found_from_sample(book_of(document), shipped(POINTS).samples[0])
    gang = writer.found(state, entries, owner=document.owner)
    carried = next(item.key for member in gang.roster.members for item in member.items)
    fill(client, document, address(document, "row", "items", carried), price="77")
    page = client.get(address(document, "publish"))
    (affected,) = page.context["affected"]
    assert affected.url == f"{gang.get_absolute_url()}upgrade/"


def test_exported_document_can_be_imported(client: Client, document: Document) -> None:
    item = shipped(POINTS).items[0]
    fill(client, document, address(document, "row", "items", item.key), price="77")
    answer = client.get(address(document, "export"))
    name = answer["Content-Disposition"].split('"')[1]
    if isinstance(document, BookDraft):
        assert unpack(answer.content).digest == book_of(document).digest
    else:
        assert json.loads(answer.content)["name"] == "Ours"
    upload = SimpleUploadedFile(name, answer.content)
    sent_ = client.post(reverse("editor:import"), {"file": upload, "token": uuid.uuid4()})
    assert sent_.status_code == 302
    copy = type(document).objects.exclude(pk=document.pk).get()
    assert book_of(copy).item[item.key].price == 77


def test_list_shows_variants_and_games(client: Client, alice: User) -> None:
    client.force_login(alice)
    documents_ = start_variant(alice), start_game(alice)
    page = client.get(reverse("editor:list")).content.decode()
    assert all(one.get_absolute_url() in page for one in documents_)
    assert "A variant of" in page and "A game of your own" in page


def test_only_a_game_moves_and_removes_its_own_rows(client: Client, document: Document) -> None:
    first, second = (row.key for row in shipped(POINTS).ranks[:2])
    is_game = isinstance(document, BookDraft)
    expected = 302 if is_game else 404
    assert send(client, document, "act", "ranks", first, act="down").status_code == expected
    order = [row.key for row in book_of(document).ranks[:2]]
    assert order == ([second, first] if is_game else [first, second])
    item = shipped(POINTS).items[0].key
    assert send(client, document, "act", "items", item, act="remove").status_code == expected
    document.refresh_from_db()
    assert (item in documents.read(document).tables["items"]) is not is_game


def test_only_a_variant_puts_rows_back(client: Client, document: Document) -> None:
    item = shipped(POINTS).items[0]
    fill(client, document, address(document, "row", "items", item.key), price="77")
    answer = send(client, document, "act", "items", item.key, act="put-back")
    is_variant = isinstance(document, Variant)
    assert answer.status_code == (302 if is_variant else 404)
    assert book_of(document).item[item.key].price == (item.price if is_variant else 77)


@pytest.mark.parametrize("old", ["variants", "drafts"])
def test_old_addresses_lead_to_the_editor(client: Client, document: Document, old: str) -> None:
    for rest, there in (
        ("", ""),
        ("new/", "new/"),
        (f"{document.pk}/tables/items/?q=a%20b", f"{document.pk}/tables/items/?q=a%20b"),
        (f"{document.pk}/name/", f"{document.pk}/names/"),
        (f"{document.pk}/tables/tables.x~2.rows/", f"{document.pk}/tables/tables.x~2.rows/"),
    ):
        answer = client.get(f"/{old}/{rest}")
        assert (answer.status_code, answer["Location"]) == (301, f"/editor/{there}")
    assert client.post(f"/{old}/new/").status_code == 405
