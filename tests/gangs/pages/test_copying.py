"""Copies of gangs, and templates: the contents of a copy, and everything that stays behind."""

from __future__ import annotations

import io
import re

import pytest
from django.test import Client
from PIL import Image

from accounts import quotas
from accounts.models import User
from campaigns.postgames import drafts
from gangs.files import format as files_format
from gangs.files.exporting import export_gang
from gangs.files.format import read_file
from gangs.ledger.storage import replay_roster
from gangs.models import Gang
from gangs.pages.copying import free_name
from gangs.pictures import storage as pictures
from rules.library import load
from tests.gangs.other_rules import other
from tests.world.campaigns import (
    answered,
    confirmed,
    make_campaign,
    make_game,
    make_player,
    reported,
    side_of,
)
from tests.world.gangs import GOLD, POINTS, become_guest, make_gang, shipped

pytestmark = pytest.mark.django_db


def picture(red: int) -> pictures.Decoded:
    files = []
    for size in pictures.SIZES:
        with io.BytesIO() as file:
            Image.new("RGB", (size, size), (red, 0, 0)).save(file, "JPEG")
            files.append(file.getvalue())
    return pictures.Decoded(tuple(files))


def copy(client: Client, gang: Gang, **data: str) -> Gang:
    """Post the form twice, as a double click does; return the only new gang."""
    address = f"/gangs/{gang.pk}/copy/"
    before = set(Gang.objects.values_list("pk", flat=True))
    token = re.search(r'name="token" value="(\w+)"', client.get(address).content.decode())
    assert token is not None
    data = {"name": "The copy", "token": token[1], **data}
    answers = [client.post(address, data) for _ in range(2)]
    (new,) = Gang.objects.exclude(pk__in=before)
    assert [answer["Location"] for answer in answers] == [new.get_absolute_url()] * 2
    assert replay_roster(new) == new.roster
    return new


@pytest.fixture
def played(alice: User, bob: User) -> Gang:
    """A gang of alice's after a game in bob's campaign."""
    campaign = make_campaign(bob, GOLD)
    gang, other_gang = make_player(campaign, alice), make_player(campaign, bob)
    game = confirmed(reported(make_game(campaign, bob, gang, other_gang), bob), alice)
    side = answered(side_of(game, gang))
    seen = {"seen_draft": side.draft_version, "seen_gang": gang.version}
    drafts.commit(side, **seen, actor=alice)
    return Gang.objects.get(pk=gang.pk)


def test_copy_has_the_same_members_and_kit_but_its_own_link(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    page = client.get(f"/gangs/{gang.pk}/copy/").content.decode()
    assert f'value="{gang.name} 2"' in page and 'name="what"' not in page
    new = copy(client, gang)
    assert (new.owner, new.name, new.rating, new.size) == (
        alice,
        "The copy",
        gang.rating,
        gang.size,
    )
    assert new.share_key not in (None, gang.share_key) and new.share_code != gang.share_code
    kit = [[one.name, [owned.key for owned in one.items]] for one in gang.roster.members]
    assert [[one.name, [owned.key for owned in one.items]] for one in new.roster.members] == kit
    # The original has not changed.
    assert Gang.objects.get(pk=gang.pk).version == gang.version


def test_copy_of_a_gang_that_has_played_begins_before_its_first_game(
    client: Client, alice: User, played: Gang
) -> None:
    client.force_login(alice)
    page = client.get(f"/gangs/{played.pk}/copy/").content.decode()
    assert 'value="began"' in page and 'value="now"' in page
    new = copy(client, played, what="began")
    roster = new.roster
    assert (roster.campaigns, roster.played, roster.departed) == ((), (), ())
    assert len(roster.members) == len(played.roster.members)
    assert not new.memberships.exists()
    assert new.imported_at is None


def test_copy_as_it_is_now_brings_the_history_but_no_campaign(
    client: Client, alice: User, played: Gang
) -> None:
    client.force_login(alice)
    new = copy(client, played, what="now")
    before, roster = played.roster, new.roster
    assert (roster.played, roster.campaigns) == (before.played, ())
    assert roster.members == before.members and roster.treasury == before.treasury
    assert new.name == "The copy" and new.share_key != played.share_key
    # Organisers learn that nobody saw these games happen to this gang.
    assert new.imported_at is not None and not new.memberships.exists()
    assert quotas.count_used(alice, "imports") == 1
    read_file(export_gang(new).encode())


def test_pictures_of_a_copy_are_its_own(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    first, second = (member.id for member in gang.roster.members[:2])
    for red, place in enumerate((None, first, second)):
        pictures.keep(gang, place, picture(80 * red))
    pictures.hide(gang, [str(second)])
    client.force_login(alice)
    new = copy(client, gang)
    assert set(new.pictures) == {"badge", str(new.roster.members[0].id)}
    assert not set(new.pictures.values()) & set(gang.pictures.values())
    shown = pictures.content_of(new, new.pictures["badge"], pictures.SMALL)
    assert shown == pictures.content_of(gang, gang.pictures["badge"], pictures.SMALL)
    new.delete()
    assert pictures.content_of(gang, gang.pictures["badge"], pictures.SMALL) is not None


def test_copy_of_a_hidden_gang_is_hidden_too(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    Gang.objects.filter(pk=gang.pk).update(hidden_why="Rude")
    client.force_login(alice)
    assert copy(client, gang).hidden_why == "Rude"


def test_full_account_is_refused_in_words(client: Client, alice: User, played: Gang) -> None:
    quotas.grant(alice, "gangs", Gang.objects.owned_by(alice).count())
    client.force_login(alice)
    for what in ("began", "now"):
        data = {"name": "X", "token": "a", "what": what}
        answer = client.post(f"/gangs/{played.pk}/copy/", data)
        assert answer.status_code == 422
        assert 'value="X"' in answer.content.decode()
    assert Gang.everything.filter(owner=alice).count() == 1


def test_history_that_no_file_can_hold_is_refused_in_words(
    client: Client, alice: User, played: Gang, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_format, "MOST_WORTH", -1)
    client.force_login(alice)
    data = {"name": "X", "token": "a", "what": "now"}
    answer = client.post(f"/gangs/{played.pk}/copy/", data)
    assert answer.status_code == 422 and "too long to be copied" in answer.content.decode()
    assert Gang.everything.filter(owner=alice).count() == 1


def test_strangers_cannot_copy_a_gang_that_is_shared(
    client: Client, alice: User, bob: User
) -> None:
    gang = make_gang(alice)
    client.force_login(bob)
    assert client.post(f"/gangs/{gang.pk}/copy/", {"name": "X"}).status_code == 404


def test_visitor_copies_a_gang_until_there_is_no_room(client: Client, db: None) -> None:
    gang = make_gang(None)
    become_guest(client, gang)
    new = copy(client, gang)
    assert new.guest_id == Gang.objects.get(pk=gang.pk).guest_id
    for number in range(3):
        copy(client, gang, name=f"Copy {number}")
    answer = client.post(f"/gangs/{gang.pk}/copy/", {"name": "X", "token": "b"})
    assert answer.status_code == 302 and "signup" in answer["Location"]


def test_copy_uses_the_newest_rules_and_says_what_they_change(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    newer = load(other(shipped(POINTS), 1, edition="Newer"))[0]
    client.force_login(alice)
    page = client.get(f"/gangs/{gang.pk}/copy/").content.decode()
    assert "What changes with Newer" in page
    assert copy(client, gang).book_version_id == newer.pk
    # A campaign that plays by the old version invites with it.
    old = client.get(f"/gangs/{gang.pk}/copy/?version={gang.book_version_id}").content.decode()
    assert "What changes with" not in old
    assert client.get(f"/gangs/{gang.pk}/copy/?version=nonsense").status_code == 404
    foreign = make_gang(alice, GOLD).book_version_id
    assert client.get(f"/gangs/{gang.pk}/copy/?version={foreign}").status_code == 404


def test_template_is_offered_where_a_gang_is_founded(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    new = f"/gangs/new/{POINTS}/"
    assert "template of yours" not in client.get(new).content.decode()
    answer = client.post(f"/gangs/{gang.pk}/marks/", {"template": "on"})
    assert answer["Location"] == gang.get_absolute_url()
    page = client.get(new).content.decode()
    assert "template of yours" in page
    address = re.search(rf'href="(/gangs/{gang.pk}/copy/\?version=\w+)"', page)
    assert address is not None and client.get(address[1]).status_code == 200
    assert "No longer a template" in client.get(gang.get_absolute_url()).content.decode()
    assert "New gang from this template" in client.get("/gangs/").content.decode()
    client.post(f"/gangs/{gang.pk}/marks/", {"template": "off"})
    assert "template of yours" not in client.get(new).content.decode()


@pytest.mark.parametrize(
    ("name", "taken", "free"),
    [
        ("Crows", set(), "Crows 2"),
        ("Crows", {"Crows 2"}, "Crows 3"),
        ("Crows 2", {"Crows 2"}, "Crows 3"),
        ("x" * 80, set(), "x" * 75 + " 2"),
    ],
)
def test_free_name_has_the_next_number(name: str, taken: set[str], free: str) -> None:
    assert free_name(name, taken) == free
