"""An author’s way through a new game: what each table is for, and forms that help."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from rules.editor import documents
from rules.editor.guide import FIRST, GROUPS, HINTS
from rules.editor.places import GAME_TABLES, LISTS, SINGLES
from rules.models import BookDraft
from tests.rules.editor.test_games import start
from tests.rules.editor.test_row_form import sent

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(client: Client, alice: User) -> BookDraft:
    """Return Alice’s new game; the client is hers."""
    client.force_login(alice)
    return start(alice)


def add(client: Client, draft: BookDraft, table: str, sort: str = "", **fields: object) -> Any:
    """Send the form for a new row, as its page has it, with these answers."""
    address = reverse("editor:add", args=[draft.pk, table]) + (f"?sort={sort}" if sort else "")
    blank = sent(client.get(address).context["form"]).dict()
    draft.refresh_from_db()
    return client.post(address, {**blank, **fields, "seen": draft.version})


def rows(draft: BookDraft, table: str) -> list[dict[str, Any]]:
    """Return the rows of a table of the draft."""
    draft.refresh_from_db()
    found: list[dict[str, Any]] = documents.data_of(draft)[table]
    return found


def test_every_table_answers_one_question_and_says_what_it_is_for() -> None:
    listed = [table for _question, tables in GROUPS for table in tables]
    assert len(listed) == len({*listed})
    assert {*listed} == {*LISTS, *GAME_TABLES, *SINGLES}
    assert HINTS.keys() == {*listed} and {*listed} >= FIRST


def test_page_of_a_game_shows_each_table_with_its_hint(client: Client, draft: BookDraft) -> None:
    page = client.get(draft.get_absolute_url()).content.decode()
    assert "Who fights?" in page and "injuries, experience, advances" in page
    table = client.get(reverse("editor:table", args=[draft.pk, "conditions"])).content.decode()
    assert "that stay with a member" in table


@pytest.mark.parametrize(
    ("typed", "key"), [("", "hill"), ("Harbour", "harbour"), ("harbour", "harbour")]
)
def test_default_of_an_option_is_the_name_of_a_choice(
    client: Client, draft: BookDraft, typed: str, key: str
) -> None:
    names = {"choices-0-name_en": "Hill", "choices-1-name_en": "Harbour"}
    parts = {f"choices-{n}-{name}": "" for n in (0, 1) for name in ("is", "was", "order")}
    fields = {"name_en": "Crew", "text_en": "Where from.", "default": typed, "choices-count": 2}
    answer = add(client, draft, "settings", "choice", **parts, **fields, **names)
    assert answer.status_code == 302
    assert rows(draft, "settings")[0]["default"] == key


def test_dice_are_understood_as_people_type_them_and_a_table_leads_to_its_rows(
    client: Client, draft: BookDraft
) -> None:
    fields = {"name_en": "Injuries", "dice": "2D6", "rows": "2-6; Dead\n7-12; Scratched"}
    answer = add(client, draft, "tables", **fields)
    assert rows(draft, "tables")[0]["dice"] == "2d6"
    assert answer["Location"] == reverse("editor:table", args=[draft.pk, "tables.injuries.rows"])


def test_a_wrong_form_shows_an_example_and_no_pattern(client: Client, draft: BookDraft) -> None:
    answer = add(client, draft, "groups", name_en="Gear", resale="half")
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "does not have the form “1/2”" in page and "As in: 1/2" in page
    assert r"\d" not in page


def test_a_message_names_tables_and_fields_as_the_pages_do(
    client: Client, draft: BookDraft
) -> None:
    add(client, draft, "campaign.steps", "advances", name_en="Advances", text_en="They learn.")
    page = client.get(draft.get_absolute_url()).content.decode()
    assert "This step needs “Advances by experience”" in page
    assert "campaign.advancement”" not in page


def test_form_of_a_limit_lists_what_its_sentence_may_fill_in(
    client: Client, draft: BookDraft
) -> None:
    address = reverse("editor:add", args=[draft.pk, "limits"])
    page = client.get(f"{address}?sort=count").content.decode()
    assert "{count}, {maximum}, {minimum}" in page


def test_an_effect_that_puts_out_of_the_game_offers_the_marks(
    client: Client, draft: BookDraft
) -> None:
    add(client, draft, "campaign.marks", name_en="Out of action", text_en="Taken out.")
    address = reverse("editor:add", args=[draft.pk, "rolls"])
    blank = sent(client.get(address).context["form"]).dict()
    draft.refresh_from_db()
    more = {"more": "effects", "effects-new": "out", "seen": draft.version}
    page = client.post(address, {**blank, **more}).content.decode()
    assert '<option value="out-of-action">Out of action</option>' in page


def test_a_form_shows_the_value_that_an_empty_cell_stands_for(
    client: Client, draft: BookDraft
) -> None:
    address = reverse("editor:row", args=[draft.pk, "ranks", "leader"])
    assert 'placeholder="4"' in client.get(address).content.decode()


@pytest.mark.parametrize("address", ["/rules/", "/"])
def test_games_are_listed_with_the_way_to_write_one(client: Client, address: str) -> None:
    page = client.get(address).content.decode()
    assert f'href="{reverse("editor:new")}#own-game">Your game is not here?' in page
