"""My gangs: search, order, stars, the archive, and pages."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from gangs.engine import entries as kinds
from gangs.ledger import writer
from gangs.models import Gang
from gangs.pages.my_gangs import ON_A_PAGE
from tests.world.gangs import make_gang

pytestmark = pytest.mark.django_db


def name_gang(gang: Gang, name: str) -> Gang:
    entries = [kinds.Renamed(name=name)]
    writer.append(gang, entries, expected_version=gang.version, actor=None)
    return gang


@pytest.fixture
def three(client: Client, alice: User) -> list[Gang]:
    """Three gangs of alice, the first one changed last."""
    client.force_login(alice)
    made = [make_gang(alice, sample=None, name=name) for name in ("Crows", "Ânes", "Bears")]
    for age, gang in enumerate(made):
        Gang.objects.filter(pk=gang.pk).update(
            changed_at=timezone.now() - timedelta(days=age), rating=age
        )
    return made


def listed(client: Client, query: str = "") -> list[str]:
    page = client.get(f"/gangs/{query}").content.decode()
    return re.findall(r'<a class="tile-link" href="[^"]+">([^<]+)</a>', page)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["Crows", "Ânes", "Bears"]),
        ("?sort=name", ["Ânes", "Bears", "Crows"]),
        ("?sort=rating", ["Bears", "Ânes", "Crows"]),
        ("?sort=nonsense", ["Crows", "Ânes", "Bears"]),
        ("?q=anes", ["Ânes"]),
        ("?q=BLACKWATER+crow", ["Crows"]),
        ("?q=nobody", []),
        (f"?q={'x' * 200}", ["Crows", "Ânes", "Bears"]),
        ("?page=nonsense", ["Crows", "Ânes", "Bears"]),
    ],
)
def test_list_is_searched_and_sorted_by_its_address(
    client: Client, three: list[Gang], query: str, names: list[str]
) -> None:
    assert listed(client, query) == names


def test_search_finds_members_and_no_keys_of_the_stored_form(client: Client, alice: User) -> None:
    client.force_login(alice)
    gang = make_gang(alice)
    member = gang.roster.members[0]
    name = kinds.Named(member=member.id, name='Zoé "Zed" Ünal')
    writer.append(gang, [name], expected_version=gang.version, actor=None)
    assert listed(client, "?q=unal") == [gang.name]
    assert listed(client, "?q=zed+zoe") == [gang.name]
    assert listed(client, "?q=worth_rank") == []


def test_search_counts_what_it_finds_in_the_archive(client: Client, three: list[Gang]) -> None:
    Gang.objects.filter(name="Bears").update(archived_at=timezone.now())
    page = client.get("/gangs/?q=bears").content.decode()
    assert "1 more in the archive" in page
    assert listed(client, "?archived=&q=bears") == ["Bears"]
    page = client.get("/gangs/?archived=&q=crows").content.decode()
    assert "1 more among my gangs" in page


def test_star_puts_a_gang_first_and_returns_to_the_same_list(
    client: Client, three: list[Gang]
) -> None:
    bears = three[2]
    version, changed = bears.version, Gang.objects.get(pk=bears.pk).changed_at
    address = f"/gangs/{bears.pk}/marks/"
    answer = client.post(address, {"star": "on", "list": "sort=name&page=1"})
    assert answer["Location"] == f"/gangs/?sort=name&page=1#gang-{bears.pk}"
    assert listed(client, "?sort=name") == ["Bears", "Ânes", "Crows"]
    stored = Gang.objects.get(pk=bears.pk)
    assert (stored.version, stored.changed_at) == (version, changed)
    # A list from elsewhere leads nowhere else.
    answer = client.post(address, {"star": "off", "list": "//evil.example/?x"})
    assert answer["Location"].startswith("/gangs/?")
    assert listed(client) == ["Crows", "Ânes", "Bears"]
    client.post(address, {"star": "nonsense"})
    assert not Gang.objects.get(pk=bears.pk).is_starred


def test_page_never_lists_more_gangs_than_one_page_holds(client: Client, alice: User) -> None:
    client.force_login(alice)
    gang = make_gang(alice, sample=None, name="Gang 000")
    same = {"owner": alice, "book_version": gang.book_version, "founded_with": gang.founded_with}
    Gang.objects.bulk_create(
        Gang(name=f"Gang {number:03}", snapshot=gang.snapshot, **same)
        for number in range(1, 2 * ON_A_PAGE + 1)
    )
    names = [
        name for page in (1, 2, 3) for name in listed(client, f"?sort=name&q=gang&page={page}")
    ]
    assert names == [f"Gang {number:03}" for number in range(2 * ON_A_PAGE + 1)]
    assert len(listed(client, "?sort=name&page=3")) == 1
    page = client.get("/gangs/?sort=name&q=gang&page=2").content.decode()
    assert 'href="?sort=name&amp;q=gang&amp;page=3"' in page


def test_short_list_asks_for_no_words(client: Client, three: list[Gang]) -> None:
    assert 'role="search"' not in client.get("/gangs/").content.decode()
    assert "Build a gang" not in client.get("/gangs/?archived").content.decode()
