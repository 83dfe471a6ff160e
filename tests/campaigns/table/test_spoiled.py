"""Tables with unreadable rows: their pages show the rest, with a warning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.files import exporting
from campaigns.models import Campaign, Table, TableEntry, TableSide
from campaigns.table import storage, taps
from gangs.models import Gang
from tests.campaigns.table.test_storage import opened, pushed

AsUser = Callable[[User], Client]
SAYS_SO = "cannot be read and is left out here"
SPOILED: dict[str, tuple[type[Any], dict[str, Any]]] = {
    "a gang that is none": (TableSide, {"snapshot": "[]"}),
    "a gang as no text": (TableSide, {"snapshot": "no"}),
    "somebody of no rank": (
        TableSide,
        {"snapshot": '{"members": [{"id": 1, "rank": "ghost"}]}', "crew": [1]},
    ),
    "a crew of texts": (TableSide, {"crew": ["x"]}),
    "a crew of nothing": (TableSide, {"crew": {"a": 1}}),
    "homes as a list": (TableSide, {"homes": [1]}),
    "homes of nobody": (TableSide, {"homes": {"x": {"members": 3}}}),
    "options as a list": (Table, {"settings": [1]}),
    "a tap of nothing": (TableEntry, {"data": []}),
    "a tap of no kind": (TableEntry, {"kind": "juggled"}),
}


@pytest.fixture
def table(campaign: Campaign, alice: User, hers: Gang, theirs: Gang) -> Table:
    found = opened(campaign, alice, hers, theirs)
    first = hers.roster.members[0].id
    storage.push(found, alice, [pushed(taps.Out(figure=f"1.{first}")), pushed(taps.TurnEnded())])
    return found


def addresses(table: Table) -> list[str]:
    assert table.game is not None
    return [
        table.get_absolute_url(),
        reverse("campaigns:table-story", args=[table.pk]),
        reverse("campaigns:table-since", args=[table.pk, 0]),
        reverse("campaigns:game-report", args=[table.game.pk]),
        table.game.get_absolute_url(),
    ]


@pytest.mark.long
@pytest.mark.parametrize("name", SPOILED)
def test_spoiled_table_shows_its_readable_part(
    name: str, table: Table, alice: User, as_user: AsUser
) -> None:
    model, values = SPOILED[name]
    rows = model.objects.filter(number=1) if model is TableSide else model.objects.all()
    rows.update(**values)
    client = as_user(alice)
    pages = {address: client.get(address) for address in addresses(table)}
    assert {page.status_code for page in pages.values()} == {200}
    for address in addresses(table)[:2]:
        assert SAYS_SO in pages[address].content.decode()
    # An export of the campaign includes the readable part.
    assert exporting.export_campaign(table.game.campaign)  # type: ignore[union-attr]


def test_sound_table_shows_no_warning(table: Table, alice: User, as_user: AsUser) -> None:
    for address in addresses(table)[:2]:
        assert SAYS_SO not in as_user(alice).get(address).content.decode()


def test_report_of_an_unreadable_side_begins_without_the_table(
    table: Table, alice: User, as_user: AsUser
) -> None:
    TableSide.objects.filter(number=1).update(snapshot="no")
    forms = as_user(alice).get(addresses(table)[3]).context["forms"]
    fielded = [
        [member.id for member in form.members if form[f"in-{member.id}"].value()]
        for form in forms.side_forms
    ]
    assert all(fielded)
