"""Odd forms sent to the pages of a document: each is answered in words, never by an error."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from rules.editor import documents, store
from rules.models import BookDraft
from tests.random_cases import one_soon
from tests.rules.rolling.guns import make_guns
from tests.world.gangs import GOLD, make_version

pytestmark = pytest.mark.django_db

ANSWERS = (200, 302, 404, 409, 422)
ODD: list[dict[str, Any]] = [
    {},
    {"seen": "x" * 500, "rows": ["", "nothing", "\x00"]},
    {"all": "1", "rows": "a"},
    {"all": "1", "added": "1", "tags": ["%s", "\u202e", "x" * 300], "tags-new": ",,;\x00" * 60},
    {"all": "1", "price": "9" * 400, "name_en": "\x00", "values-move": "{}"},
    {"lines": "\x00", "column-0": "x" * 5_000, "column-99": "name", "asked": "1"},
    {"lines": "a;b|c:d|;|:|", "asked": "1", "headed": "1", "column-0": "kind"},
    {"lines": "|" * 4_000, "check": "1"},
    {"lines": "x;1d6;" + "1: a | " * 600, "update": "on"},
    {"lines": "x;" + "1 2 | " * 900},
    {"steps-count": "9999", "more": "steps", "move": "steps-0 down", "steps-new": "x"},
    {"steps-count": "2", "steps-0-is": "let", "steps-0-was": "-1", "steps-1-is": "\x00"},
]
GET = ["", "?sort=x", "?field=x", "?copy=%00", "?sort=%FF&field=price&q=%00"]
# Tables of the game, and one that no game has.
TABLES = ["items", "ranks", "traits", "tables", "grids", "rolls", "limits", "settings", "nothing"]


@pytest.fixture
def game(client: Client, alice: User) -> BookDraft:
    """Return Alice's game; the client is hers."""
    client.force_login(alice)
    data = {**make_guns(), "slug": "harbour", "languages": ["en", "fr"]}
    return store.start_game(alice, data, token=uuid.uuid4())


@pytest.mark.parametrize("page", ["several", "paste", "add", "table"])
@pytest.mark.parametrize("table", one_soon(TABLES))
def test_odd_form_is_answered(client: Client, game: BookDraft, page: str, table: str) -> None:
    address = reverse(f"editor:{page}", args=[game.pk, table])
    for query in GET:
        assert client.get(address + query).status_code in ANSWERS, query
    if page == "table":
        return
    for fields in ODD:
        game.refresh_from_db()
        seen = {"seen": documents.version_of(game), **fields}
        for query in GET[:3]:
            assert client.post(address + query, seen).status_code in ANSWERS, (query, fields)


def test_odd_form_about_dice_and_undo_is_answered(client: Client, game: BookDraft) -> None:
    for name in ("dice", "dice-new", "undo"):
        address = reverse(f"editor:{name}", args=[game.pk])
        for fields in (*ODD, {"redo": "\x00"}, {"groups": ["\x00"], "hit_cells": "|" * 9_000}):
            assert client.post(address, fields).status_code in ANSWERS, (name, fields)


@pytest.mark.parametrize("field", ["nope", "nope.x", "name.en", "price.x", "columns.x", "values.x"])
def test_field_that_a_row_does_not_have_is_not_put_back(
    client: Client, alice: User, field: str
) -> None:
    client.force_login(alice)
    variant = store.start_variant(alice, make_version(GOLD), "Ours", token=uuid.uuid4())
    before = variant.draft
    for table, row in (("items", "knife"), ("ranks", "leader"), ("money", "-")):
        seen = {"act": "put-back", "field": field, "seen": documents.version_of(variant)}
        address = reverse("editor:act", args=[variant.pk, table, row])
        assert client.post(address, seen).status_code in ANSWERS, (table, field)
        variant.refresh_from_db()
        assert variant.draft == before
