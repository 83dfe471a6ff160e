"""The panels of a builder page, for different readers."""

from __future__ import annotations

import re
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from gangs.builder.panels import Filling, recruiting
from gangs.cards.cache import page_of
from gangs.models import Gang
from tests.gangs.builder.test_names import unnamed_gang
from tests.gangs.pictures.test_pictures import photograph, upload
from tests.world.gangs import SLUGS, become_guest, make_gang, make_version

UNLIKE = re.compile(r'(?:name="(?:csrfmiddlewaretoken|token)" value=|Token": )"\w+"')


@pytest.fixture
def gang(client: Client, alice: User) -> Gang:
    client.force_login(alice)
    return make_gang(alice)


@pytest.fixture
def look(client: Client, gang: Gang) -> Callable[..., str]:
    """Return the gang's page without the values that are new on every page."""

    def looking(after: str = "", **headers: str) -> str:
        page = client.get(gang.get_absolute_url() + after, headers=headers).content.decode()
        return UNLIKE.sub("", page)

    return looking


@pytest.mark.parametrize("member", ["0", "-1", "999", "x"])
def test_unknown_member_in_the_address_opens_no_card(look: Callable[..., str], member: str) -> None:
    assert look(f"?open={member}").count("is-open") == 0


def test_page_is_in_its_reader_s_language(look: Callable[..., str]) -> None:
    both = [look(**{"Accept-Language": language}) for language in ("en", "fr", "en")]
    assert both[0] == both[2] != both[1]
    assert "Recruter" in both[1] and "Recruter" not in both[0]


def test_preselected_rank_is_not_kept_for_the_next_page(look: Callable[..., str]) -> None:
    asked = [look(after) for after in ("", "?rank=leader", "")]
    chosen = [re.findall(r'name="rank" value="(\w+)"[^>]* checked', page) for page in asked]
    assert chosen[0] == chosen[2] != chosen[1] == ["leader"]


@pytest.mark.long
def test_open_picker_shows_the_chosen_odds(client: Client, gang: Gang) -> None:
    address = f"{gang.get_absolute_url()}members/{gang.roster.members[0].id}/items/"
    for odds in ("on", "off"):
        client.post(address, {"odds": odds})
        shown = [client.get(address).content.decode() for _ in range(2)]
        assert ['name="odds" value="off"' in text for text in shown] == [odds == "on"] * 2


def test_portrait_is_shown_immediately(
    client: Client, look: Callable[..., str], gang: Gang, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    member = gang.roster.members[0].id
    before = look(f"?open={member}")
    client.post(reverse("gangs:portrait", args=[gang.pk, member]), upload(photograph()))
    after = look(f"?open={member}")
    assert [after.count("<img"), after.count("Portrait of")] == [before.count("<img") + 1, 1]


def test_visitors_get_no_button_that_needs_an_account(
    client: Client, look: Callable[..., str], gang: Gang
) -> None:
    member = gang.roster.members[0].id
    portrait = reverse("gangs:portrait", args=[gang.pk, member])
    assert portrait in look(f"?open={member}")
    client.logout()
    become_guest(client, gang)
    Gang.objects.update(owner=None)
    page = look(f"?open={member}")
    assert f'id="describe-{member}"' in page and portrait not in page


def test_list_of_takers_tells_unnamed_members_of_a_rank_apart(client: Client, alice: User) -> None:
    player = unnamed_gang(client, alice)
    one, *others = player.roster().members
    page = client.get(f"{player.gang.get_absolute_url()}?open={one.id}").content.decode()
    options = dict(re.findall(r'<option value="(\d+)">→ ([^<]+)</option>', page))
    assert {int(key) for key in options} == {other.id for other in others}
    rifle, _rifle, pick = (options[str(other.id)] for other in others[1:])
    assert rifle != pick


@pytest.mark.parametrize("slug", SLUGS)
def test_all_that_a_new_gang_still_needs_are_recruited_at_once(
    slug: str, alice: User, client: Client
) -> None:
    """With the leader there, one press makes the gang complete, and one Undo takes it back."""
    make_version(slug)
    gang = make_gang(alice, slug, sample=None)
    client.force_login(alice)
    address = reverse("gangs:members", args=[gang.pk])

    def press(archetype: str, count: object) -> int:
        found = Gang.objects.get(pk=gang.pk)
        form = {"archetype": archetype, "count": count, "version": found.version}
        return client.post(address, form).status_code

    def filling() -> Filling | None:
        return recruiting(Gang.objects.get(pk=gang.pk), "", None).filling

    offered = recruiting(gang, "", None).archetypes
    assert press(offered[0].key, 1) == HTTPStatus.FOUND
    found, before = filling(), Gang.objects.get(pk=gang.pk)
    missing = [
        task.need - task.have
        for task in page_of(before).tasks
        if task.kind == "recruit" and not task.done
    ]
    assert (found is not None) == (missing[0] > 1)
    if found is None:
        return
    assert found.count == missing[0]
    for count in (0, -1, 11, 10**9, "many", ""):
        assert press(found.line.key, count) == HTTPStatus.UNPROCESSABLE_ENTITY
    assert Gang.objects.get(pk=gang.pk).last_seq == before.last_seq
    assert press(found.line.key, found.count) == HTTPStatus.FOUND
    after = Gang.objects.get(pk=gang.pk)
    assert len(after.roster.members) == len(before.roster.members) + found.count
    assert filling() is None
    tasks = [task for task in page_of(after).tasks if task.kind == "recruit"]
    assert tasks and all(task.done for task in tasks)
    client.post(reverse("gangs:undo", args=[gang.pk]), {"version": after.version, "token": "t"})
    undone = Gang.objects.get(pk=gang.pk)
    assert len(undone.roster.members) == len(before.roster.members)
