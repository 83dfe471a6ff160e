"""Choosing what to print and how: remembered for the gang, whatever else is asked for."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from pypdf import PdfReader

from gangs import prints
from gangs.models import Gang
from tests.make import make_gang

A4, LETTER = (595, 842), (612, 792)


def paper_of(pdf: bytes) -> tuple[int, int]:
    """The size of the first page in points."""
    box = PdfReader(io.BytesIO(pdf)).pages[0].mediabox
    return round(float(box.width)), round(float(box.height))


@pytest.fixture
def gang(client: Client, alice: Any) -> Gang:
    client.force_login(alice)
    return make_gang(alice)


def test_a_choice_is_remembered(client: Client, gang: Gang) -> None:
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
    page = client.get(f"/gangs/{gang.pk}/prints/").content.decode()
    form = page[page.index('id="print-sheet"') :].split("</form>")[0]
    checked = [tag for tag in re.findall(r"<input[^>]*>", form) if "checked" in tag]
    assert any('value="letter"' in tag for tag in checked)
    assert not any('value="a4"' in tag for tag in checked)


def test_it_is_no_change_of_the_gang(client: Client, gang: Gang) -> None:
    chosen = {"kind": "sheet", "paper": "letter", "style": "ink"}
    client.post(f"/gangs/{gang.pk}/prints/", chosen)
    after = Gang.objects.get(pk=gang.pk)
    assert (after.version, after.changed_at) == (gang.version, gang.changed_at)


@pytest.mark.parametrize("wrong", [{"paper": "a0", "style": "ink"}, {"style": "ink"}, {}])
def test_what_makes_no_sense_is_said(client: Client, gang: Gang, wrong: dict[str, str]) -> None:
    response = client.post(f"/gangs/{gang.pk}/prints/", {"kind": "sheet", **wrong})
    assert response.status_code == 422
    assert "invalid-feedback" in response.content.decode()
    assert Gang.objects.get(pk=gang.pk).print_options == {}


def test_an_unknown_kind(client: Client, gang: Gang) -> None:
    assert client.post(f"/gangs/{gang.pk}/prints/", {"kind": "scroll"}).status_code == 404


@pytest.mark.parametrize("kind", prints.KINDS.values(), ids=lambda kind: kind.key)
@pytest.mark.parametrize("kept", [{}, {"paper": ["a0"], "style": ["?"], "gone": ["1"]}])
def test_whatever_was_kept_prints(gang: Gang, kind: prints.Kind, kept: Any) -> None:
    """Options of an older or newer version of the program stop nothing."""
    gang.print_options = {kind.key: kept}
    wanted = prints.form(kind, gang, QueryDict()).wanted()
    usual = kind.form(gang, None).usual
    assert (wanted["paper"], wanted["style"]) == (usual["paper"], usual["style"])
