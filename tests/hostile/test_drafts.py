"""Drafts under attack: every form of every table, stale pages, other people's drafts, quotas."""

from __future__ import annotations

import uuid
from random import Random
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from accounts import quotas
from accounts.models import User
from rules.editor import documents, store
from rules.editor.data import start_empty, take_apart_data
from rules.editor.places import GAME_TABLES, LISTS, SINGLES
from rules.editor.row_form import RowForm
from rules.editor.urls import urlpatterns
from rules.loading.reader import open_folder
from rules.models import BookDraft
from tests.games.conftest import FOLDER
from tests.hostile import nasty
from tests.rules.editor.test_row_form import sent

pytestmark = pytest.mark.django_db
# The answers of a draft's pages: shown, stored, gone, out of date, refused.
ANSWERS = {200, 302, 404, 409, 422}
TABLES = (*LISTS, *GAME_TABLES)


@pytest.fixture
def draft(alice: User) -> BookDraft:
    """Return Alice's draft with rows in many tables."""
    data = {**open_folder(FOLDER / "circle").data, "slug": "circle"}
    return store.start_game(alice, data, token=uuid.uuid4())


@pytest.fixture
def hers(client: Client, alice: User) -> Client:
    """Return a client with Alice signed in."""
    client.force_login(alice)
    return client


def attack(client: Client, draft: BookDraft, address: str, dice: Random) -> None:
    """Send a page's form several times, each time with other bad values."""
    page = client.get(address)
    assert page.status_code in ANSWERS, address
    form = (page.context or {}).get("form")
    if not isinstance(form, RowForm):
        return
    plain = sent(form)
    for _ in range(3):
        typed = plain.copy()
        names = [*typed]
        for name in dice.sample(names, min(len(names), 4)):
            bad = nasty.value_for(dice.choice(("number", "text", "select")), dice)[:20_000]
            # The test client cannot send half a character.
            typed[name] = bad.encode("utf-8", "replace").decode()
        spoiled(typed, form, dice)
        draft.refresh_from_db()
        typed["seen"] = str(draft.version)
        answer = client.post(address, typed)
        assert answer.status_code in ANSWERS, (address, typed)


def spoiled(typed: QueryDict, form: RowForm, dice: Random) -> None:
    """Spoil the parts that no field shows: counts, kinds, orders, rows to add and to move."""
    for part in form.parts.values():
        act = dice.randrange(6)
        if act == 0:
            typed[f"{part.prefix}-count"] = dice.choice(("-1", "999", "1e9", "x", "9" * 40, "²"))
        elif act == 1:
            typed[f"{part.prefix}-0-is"] = dice.choice(("", "nothing", "let", "\x00"))
            typed[f"{part.prefix}-0-was"] = dice.choice(("", "7", "-1", "x"))
        elif act == 2:
            typed["more"] = part.prefix
            typed[f"{part.prefix}-new"] = dice.choice([*part.spec.models, "nothing"])
        elif act == 3:
            typed["move"] = f"{part.prefix}-{dice.choice((0, 1, 99))} {dice.choice(('up', 'x'))}"
            typed[f"{part.prefix}-0-order"] = dice.choice(("9", "-1", "x", "9" * 40))


@pytest.mark.long
@pytest.mark.parametrize("table", TABLES)
def test_forms_of_a_table_withstand_bad_values(hers: Client, draft: BookDraft, table: str) -> None:
    dice = Random(f"drafts {table}")
    attack(hers, draft, reverse("editor:add", args=[draft.pk, table]), dice)
    rows = [*take_apart_data(documents.data_of(draft)).rows(table)]
    for row in dice.sample(rows, min(len(rows), 4)):
        attack(hers, draft, reverse("editor:row", args=[draft.pk, table, row]), dice)
    assert hers.get(reverse("editor:table", args=[draft.pk, table])).status_code == 200
    assert hers.get(draft.get_absolute_url()).status_code == 200


@pytest.mark.long
def test_forms_of_single_values_withstand_bad_values(hers: Client, draft: BookDraft) -> None:
    dice = Random("single values")
    pages = [reverse("editor:single", args=[draft.pk, table]) for table in SINGLES]
    for address in (*pages, *(reverse(f"editor:{n}", args=[draft.pk]) for n in ("names", "look"))):
        attack(hers, draft, address, dice)
    assert hers.get(draft.get_absolute_url()).status_code == 200


def test_acts_on_rows_that_do_not_exist_change_nothing(hers: Client, draft: BookDraft) -> None:
    before = draft.data
    for table, row in (("ranks", "nobody"), ("nothing", "x"), ("tables.x.rows", "1"), ("-", "-")):
        for act in ("remove", "up", "down", "", "\x00"):
            address = reverse("editor:act", args=[draft.pk, table, row])
            answer = hers.post(address, {"act": act, "seen": draft.version})
            assert answer.status_code == 404
    draft.refresh_from_db()
    assert draft.data == before


@pytest.mark.parametrize("seen", ["", "-1", "0", "7", "9" * 30, "x", "²"])
def test_stale_or_odd_version_changes_nothing(hers: Client, draft: BookDraft, seen: str) -> None:
    store.save_data(draft, {**documents.data_of(draft), "edition": "2"}, expected_version=0)
    before = draft.data
    address = reverse("editor:row", args=[draft.pk, "ranks", "sitter"])
    typed = sent(hers.get(address).context["form"], name_en="Changed", seen=seen)
    assert hers.post(address, typed).status_code == 409
    for page, fields in (("publish", {}), ("languages", {"languages": "fr"})):
        answer = hers.post(reverse(f"editor:{page}", args=[draft.pk]), {**fields, "seen": seen})
        assert answer.status_code == 409
    draft.refresh_from_db()
    assert draft.data == before and not draft.states.exists()


def test_no_page_of_a_draft_opens_for_others(client: Client, draft: BookDraft, bob: User) -> None:
    before = (draft.version, draft.data)
    given: dict[str, Any] = {"document": draft.pk, "table": "ranks", "row": "sitter"}
    given |= {"number": 1, "group": "cards"}
    client.force_login(bob)
    for pattern in urlpatterns:
        names = pattern.pattern.converters
        if "document" not in names:
            continue
        address = reverse(f"editor:{pattern.name}", kwargs={name: given[name] for name in names})
        assert client.get(address).status_code in (404, 405), address
        answer = client.post(address, {"seen": draft.version, "act": "remove", "person": "bob"})
        assert answer.status_code in (404, 405), address
    draft.refresh_from_db()
    assert (draft.version, draft.data) == before and not draft.editors.exists()


def test_drafts_have_a_quota(hers: Client, alice: User, draft: BookDraft) -> None:
    alice.quotas.create(kind="drafts", most=1)
    form = {"name": "Second", "slug": "second", "languages": "en", "start": ""}
    answer = hers.post("/editor/new/", {**form, "token": str(uuid.uuid4())})
    assert answer.status_code == 422
    assert not BookDraft.objects.filter(slug="second").exists()
    with pytest.raises(quotas.QuotaFull):
        store.start_game(alice, {**start_empty(), "slug": "third"}, token=uuid.uuid4())
