"""Choosing what to print and how: remembered for the gang and each kind of print."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from pypdf import PdfReader

from gangs.engine import entries as kinds_of_entries
from gangs.ledger import writer
from gangs.models import Gang
from printing.sheets import kinds
from tests.world.gangs import make_gang
from typesetting import scripts

A4, LETTER = (595, 842), (612, 792)


def paper_of(pdf: bytes) -> tuple[int, int]:
    """The size of the first page in points."""
    box = PdfReader(io.BytesIO(pdf)).pages[0].mediabox
    return round(float(box.width)), round(float(box.height))


@pytest.fixture
def gang(client: Client, alice: Any) -> Gang:
    client.force_login(alice)
    return make_gang(alice)


@pytest.mark.long
def test_print_choices_are_remembered(client: Client, gang: Gang) -> None:
    sheet = f"/gangs/{gang.pk}/sheet.pdf"
    assert paper_of(client.get(sheet).content) == A4
    chosen = {"kind": "sheet", "paper": "letter", "style": "accessible"}
    response = client.post(f"/gangs/{gang.pk}/prints/", chosen)
    assert (response.status_code, response["Location"]) == (
        302,
        f"{sheet}?paper=letter&style=accessible",
    )
    assert paper_of(client.get(sheet).content) == LETTER
    assert paper_of(client.get(f"{sheet}?paper=a4").content) == A4
    assert paper_of(client.get(sheet).content) == LETTER
    response = client.post(f"/gangs/{gang.pk}/prints/", chosen | {"kind": "posters"})
    assert response["Location"].endswith("posters.pdf?paper=letter&style=ink")
    page = client.get(f"/gangs/{gang.pk}/prints/").content.decode()
    checked = [tag for tag in re.findall(r"<input[^>]*>", page) if "checked" in tag]
    assert any('value="letter"' in tag for tag in checked)
    assert not any('value="a4"' in tag for tag in checked)


def test_page_names_the_texts_that_no_font_can_set(
    client: Client, gang: Gang, alice: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scripts, "_installed", lambda file: {})
    address = f"/gangs/{gang.pk}/prints/"
    assert 'id="unset"' not in client.get(address).content.decode()
    named = kinds_of_entries.Named(member=gang.roster.members[0].id, name="漢字 Zoë")
    writer.append(gang, [named], expected_version=gang.version, actor=alice)
    page = client.get(address).content.decode()
    assert "<bdi>漢字 Zoë</bdi> (<bdi>漢字</bdi>)" in page


def test_print_choice_does_not_change_the_gang(client: Client, gang: Gang) -> None:
    chosen = {"kind": "sheet", "paper": "letter", "style": "ink"}
    client.post(f"/gangs/{gang.pk}/prints/", chosen)
    after = Gang.objects.get(pk=gang.pk)
    assert (after.version, after.changed_at) == (gang.version, gang.changed_at)


@pytest.mark.parametrize("wrong", [{"paper": "a0", "style": "ink"}, {"style": "ink"}, {}])
def test_invalid_choice_is_explained(client: Client, gang: Gang, wrong: dict[str, str]) -> None:
    response = client.post(f"/gangs/{gang.pk}/prints/", {"kind": "sheet", **wrong})
    assert response.status_code == 422
    assert "invalid-feedback" in response.content.decode()
    assert Gang.objects.get(pk=gang.pk).print_options == {}


def test_unknown_kind_of_print_is_not_found(client: Client, gang: Gang) -> None:
    assert client.post(f"/gangs/{gang.pk}/prints/", {"kind": "scroll"}).status_code == 404


@pytest.mark.parametrize("kind", kinds.KINDS.values(), ids=lambda kind: kind.key)
@pytest.mark.parametrize("kept", [{}, {"paper": ["a0"], "style": ["?"], "gone": ["1"]}])
def test_unknown_stored_options_do_not_prevent_printing(
    gang: Gang, kind: kinds.PrintKind, kept: Any
) -> None:
    """Options stored by an older or newer version of the program are ignored."""
    gang.print_options = {kind.key: kept}
    usual = kind.form.usual
    assert kinds.form(kind, gang, QueryDict()).order(type(usual)) == replace(usual, language="en")


def test_form_asks_for_paper_and_style_once(client: Client, gang: Gang) -> None:
    """The choice is remembered for every kind; a kind without that option uses its default."""
    page = client.get(f"/gangs/{gang.pk}/prints/").content.decode()
    assert page.count('value="a4"') == 1
    assert len(re.findall(r"<form[^>]*id=\"prints\"", page)) == 1
    assert re.findall(r'<button[^>]*name="kind" value="(\w+)"', page) == list(kinds.KINDS)
    chosen = {"kind": "cards", "paper": "letter", "style": "accessible", "cards-size": "large"}
    response = client.post(f"/gangs/{gang.pk}/prints/", chosen)
    assert response["Location"].endswith("cards.pdf?size=large&paper=letter&style=accessible")
    gang.refresh_from_db()
    wanted = {
        key: kinds.form(kind, gang, QueryDict()).order(type(kind.form.usual))
        for key, kind in kinds.KINDS.items()
    }
    assert {order.paper for order in wanted.values()} == {"letter"}
    styles = {key: order.style for key, order in wanted.items()}
    assert styles == {
        "sheet": "accessible",
        "reference": "accessible",
        "cards": "accessible",
        "posters": "illustrated",
        "blank": "accessible",
    }
    response = client.post(f"/gangs/{gang.pk}/prints/", chosen | {"kind": "posters"})
    assert response["Location"].endswith("posters.pdf?paper=letter&style=ink")
    page = client.get(f"/gangs/{gang.pk}/prints/").content.decode()
    checked = {tag for tag in re.findall(r"<input[^>]*>", page) if "checked" in tag}
    assert sum('value="letter"' in tag or 'value="accessible"' in tag for tag in checked) == 2


def test_values_typed_for_another_kind_are_kept(client: Client, gang: Gang) -> None:
    """An error is shown beside its field, under its kind, and other values are kept."""
    wrong = {"kind": "sheet", "paper": "a0", "style": "ink", "cards-spares": "3"}
    page = client.post(f"/gangs/{gang.pk}/prints/", wrong).content.decode()
    assert 'name="cards-spares" value="3"' in page
    wrong = {"kind": "cards", "paper": "a4", "style": "ink", "cards-size": "huge"}
    response = client.post(f"/gangs/{gang.pk}/prints/", wrong)
    page = response.content.decode()
    assert response.status_code == 422
    assert "invalid-feedback" in page.split('id="print-cards"')[1].split("</section>")[0]
    assert "invalid-feedback" not in page.split('id="print-sheet"')[1].split("</section>")[0]


def test_gang_and_sheet_pages_link_to_the_prints(client: Client, gang: Gang) -> None:
    for page in (f"/gangs/{gang.pk}/", f"/gangs/{gang.pk}/sheet/"):
        assert f'href="/gangs/{gang.pk}/prints/"' in client.get(page).content.decode(), page
