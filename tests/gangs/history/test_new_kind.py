"""A new kind of entry needs only a class and two registrations."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from gangs.engine.entries import KINDS, Entry, Id, Name
from gangs.engine.fold import State, apply_entry
from gangs.engine.mutations import change
from gangs.engine.roster import Roster
from gangs.files.exporting import export_gang
from gangs.files.format import read_file
from gangs.files.importing import write_gang
from gangs.history.log import history_of
from gangs.ledger import writer
from gangs.models import Gang
from gangs.text.entries import Describer, sentence
from tests.gangs.history.test_corrections import send, text
from tests.world.gangs import make_gang


@pytest.fixture
def tattooed() -> Iterator[type[Entry]]:
    """A new kind of entry: a member gets a tattoo, which is recorded in their notes."""

    class Tattooed(Entry, kind="tattooed", harmless=True):
        member: Id
        name: Name
        size: Id = 1

    @apply_entry.register(Tattooed)
    def _applied(entry: Tattooed, to: State) -> Roster:
        return change(to.roster, entry.member, notes=f"{entry.name} {entry.size}")

    @sentence.register(Tattooed)
    def _described(entry: Tattooed, describer: Describer) -> str:
        return f"{describer.who(entry.member)} bears {entry.name}."

    yield Tattooed
    del KINDS["tattooed"]


@pytest.fixture
def gang(alice: User, tattooed: type[Entry]) -> Gang:
    """A gang whose entry 2 recruits a member and entry 3 tattoos them."""
    gang = make_gang(alice, sample=None)
    recruited = KINDS["recruited"].model_validate({"rank": "henchman", "name": "Bill"})
    tattoo = tattooed.model_validate({"member": 2, "name": "a rose"})
    writer.append(gang, [recruited, tattoo], expected_version=gang.version, actor=alice)
    return gang


def notes(gang: Gang) -> str:
    gang = Gang.objects.get(pk=gang.pk)
    assert writer.replay_roster(gang) == gang.roster
    return gang.roster.member(2).notes


def test_new_kind_is_applied_stored_replayed_and_described(gang: Gang) -> None:
    row = gang.entries.get(seq=3)
    data = {"member": 2, "name": "a rose", "size": 1}
    assert (row.kind, row.data, notes(gang)) == ("tattooed", data, "a rose 1")
    out = StringIO()
    call_command("replay", stdout=out)
    assert "1 gangs replayed, all equal" in out.getvalue()
    newest = history_of(gang).batches[0].lines[-1]
    assert newest.sentence == "Bill bears a rose."
    assert newest.may_be_struck and newest.may_be_edited


def test_new_kind_is_exported_and_imported(gang: Gang) -> None:
    copy = write_gang(gang.founded_with, read_file(export_gang(gang).encode()), owner=None)
    assert copy.roster == gang.roster
    assert export_gang(copy) == export_gang(gang)


def test_new_kind_is_struck_and_restored(gang: Gang) -> None:
    gang.refresh_from_db()
    batch = gang.entries.get(seq=3).batch
    act = writer.revise(gang, strike=[3], expected_version=gang.version, actor=None)
    assert notes(gang) == ""
    writer.revise(gang, undoes=act, expected_version=gang.version)
    assert notes(gang) == "a rose 1"
    writer.strike(gang, batch, expected_version=gang.version, actor=None)
    assert not Gang.objects.get(pk=gang.pk).roster.members


def test_new_kind_is_edited_by_a_form_of_its_fields(client: Client, gang: Gang) -> None:
    assert gang.owner is not None
    client.force_login(gang.owner)
    address = reverse("gangs:edit-entry", args=[gang.pk, 3])
    page = client.get(address)
    assert "Bill bears a rose." in text(page)
    page = send(client, page, address, name="a ship", size="7")
    assert page.status_code == 200 and "Bill bears a ship." in text(page)
    assert send(client, page).status_code == 302
    assert notes(gang) == "a ship 7"
    page = client.get(address)
    assert page.status_code == 409
