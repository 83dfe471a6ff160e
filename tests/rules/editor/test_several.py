"""One value for several rows, and rows that move to a place."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.models import User
from rules.editor import documents, edits
from rules.editor.documents import Document
from rules.editor.places import LISTS, take_apart
from tests.rules.editor.test_both import address, book_of, document, send, start_game
from tests.world.gangs import POINTS, shipped

__all__ = ["document"]
pytestmark = pytest.mark.django_db


def test_price_is_set_for_ticked_rows_only(client: Client, document: Document) -> None:
    group = shipped(POINTS).groups[0].key
    first, second, third, *_ = [one for one in shipped(POINTS).items if one.group == group]
    page = f"{address(document, 'several', 'items')}?sort={group}&field=price"
    assert client.get(page).status_code == 200
    fields = {"seen": 0, "price": "77", "rows": [first.key, third.key, "nothing"]}
    assert client.post(page, fields).status_code == 302
    book = book_of(document)
    prices = [book.item[one.key].price for one in (first, second, third)]
    assert prices == [77, second.price, 77]
    assert client.post(page, fields).status_code == 302
    assert client.post(page, {**fields, "price": "78"}).status_code == 409
    assert client.post(page, {"seen": 1, "price": "79", "all": "1"}).status_code == 302
    assert {one.price for one in book_of(document).items if one.group == group} == {79}


def test_properties_are_added_to_those_that_rows_have(client: Client, document: Document) -> None:
    book = shipped(POINTS)
    item = next(one for one in book.items if one.tags)
    page = f"{address(document, 'several', 'items')}?sort={item.group}&field=tags"
    fields = {"rows": [item.key], "tags-new": "Very odd"}
    assert client.post(page, {"seen": 0, **fields, "added": "1"}).status_code == 302
    assert set(book_of(document).item[item.key].tags) == {*item.tags, "very_odd"}
    assert client.post(page, {"seen": 1, **fields}).status_code == 302
    assert set(book_of(document).item[item.key].tags) == {"very_odd"}


def test_a_cell_of_a_profile_leaves_the_others(client: Client, document: Document) -> None:
    rank = next(one for one in shipped(POINTS).ranks if len(one.values) > 1)
    key = next(key for key, value in rank.values.items() if isinstance(value, int))
    page = f"{address(document, 'several', 'ranks')}?field=values-{key}"
    value = {f"values-{key}": "3"}
    assert client.post(page, {"seen": 0, **value, "rows": [rank.key]}).status_code == 302
    assert book_of(document).rank[rank.key].values == {**rank.values, key: 3}


def test_mistakes_are_shown_and_nothing_is_stored(client: Client, document: Document) -> None:
    item = shipped(POINTS).items[0]
    page = f"{address(document, 'several', 'items')}?sort={item.group}&field=price"
    none = client.post(page, {"seen": 0, "price": "5"})
    assert none.status_code == 422 and none.context["error"] == "Tick the rows first."
    bad = client.post(page, {"seen": 0, "price": "cheap", "rows": [item.key]})
    assert bad.status_code == 422 and "Enter a whole number." in bad.content.decode()
    assert [name for name, _words, ticked in bad.context["rows"] if ticked] == [item.key]
    assert documents.version_of(document) == 0


@pytest.mark.long
def test_every_table_has_a_page_or_none(client: Client, alice: User) -> None:
    client.force_login(alice)
    document = start_game(alice)
    for table in (*LISTS, "nothing", "money"):
        page = address(document, "several", table)
        assert client.post(page, {"seen": 0}).status_code in (302, 404, 422), table


def test_row_moves_to_a_place_and_stays_within_the_table(client: Client, alice: User) -> None:
    client.force_login(alice)
    game = start_game(alice)
    names = [one.key for one in shipped(POINTS).traits]
    send(client, game, "act", "traits", names[3], act="place", to="1")
    assert [one.key for one in book_of(game).traits][:4] == [names[3], *names[:3]]
    for to in ("0", "999", "x", ""):
        assert send(client, game, "act", "traits", names[0], act="place", to=to).status_code == 302
    assert [one.key for one in book_of(game).traits][:4] == [names[3], *names[:3]]


def test_item_moves_among_those_of_its_kind() -> None:
    written = take_apart(shipped(POINTS))
    rows = written.tables["items"]
    groups = [row["group"] for row in rows.values()]
    kind = next(group for group in groups if groups.count(group) > 2)
    mine = [name for name, row in rows.items() if row["group"] == kind]
    assert edits.move_to(written, "items", mine[0], 2)
    after = written.tables["items"]
    assert [name for name, row in after.items() if row["group"] == kind][:3] == [
        mine[1],
        mine[2],
        mine[0],
    ]
    assert [row["group"] for row in after.values()] == groups
