"""Everything that is stored, to be looked at: by administrators, without changing anything."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import NoReverseMatch, reverse

from accounts.models import User
from administration.data.hidden import LONG
from administration.data.site import browsing
from campaigns.models import Campaign
from gangs.models import Gang, StoredEntry
from tests.world.campaigns import make_campaign, make_player

pytestmark = pytest.mark.django_db


@pytest.fixture
def gang(alice: User, bob: User) -> Gang:
    return make_player(make_campaign(bob), alice)


def addresses() -> Iterator[tuple[str, str]]:
    """Each address of Django's admin that needs nothing but a table and a row, with its name."""
    yield "index", reverse("admin:index")
    for model in browsing._registry:
        label, name = model._meta.app_label, model._meta.model_name
        yield f"{label}.{name}", reverse(f"admin:{label}_{name}_changelist")
        yield f"{label}.{name} add", reverse(f"admin:{label}_{name}_add")
        row = model._default_manager.first()
        for what in ("change", "delete", "history") if row is not None else ():
            assert row is not None
            yield f"{label}.{name} {what}", reverse(f"admin:{label}_{name}_{what}", args=[row.pk])


@pytest.mark.long
def test_every_table_is_there_and_only_to_be_looked_at(as_root: Client, gang: Gang) -> None:
    before = {model: list(model._default_manager.values()) for model in browsing._registry}
    assert Gang in before and StoredEntry in before and Campaign in before
    for name, address in addresses():
        expected = 403 if name.endswith((" add", " delete")) else 200
        assert as_root.get(address).status_code == expected, name
        changed = as_root.post(address, {"name": "Changed", "_save": "1", "post": "yes"})
        if name.endswith((" add", " change", " delete")):
            assert changed.status_code in (403, 405), name
    after = {model: list(model._default_manager.values()) for model in browsing._registry}
    assert after == before
    assert not LogEntry.objects.exists()


@pytest.mark.long
def test_strangers_find_nothing_and_visitors_are_asked_who_they_are(
    client: Client, alice: User, gang: Gang
) -> None:
    listed = list(addresses())
    assert len(listed) > 40
    for name, address in listed:
        answer = client.get(address)
        assert answer.status_code == 302, name
        assert answer["Location"].startswith("/accounts/login/?next=/administration/data/"), name
    client.force_login(alice)
    for name, address in listed:
        assert client.get(address).status_code == 404, name
        assert client.post(address).status_code == 404, name


@pytest.mark.parametrize(
    "name", ["login", "logout", "password_change", "password_change_done", "view_on_site"]
)
def test_signing_in_and_passwords_are_the_sites_own(name: str) -> None:
    with pytest.raises(NoReverseMatch):
        reverse(f"admin:{name}")


@pytest.mark.long
def test_the_strict_content_policy_holds(as_root: Client, gang: Gang) -> None:
    """No script and no style inside a page, and nothing from elsewhere."""
    for name, address in addresses():
        page = as_root.get(address).content.decode()
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page), name
        for script in re.findall(r"<script\b([^>]*)>", page):
            assert "src=" in script or 'type="application/json"' in script, name
        for source in re.findall(r'(?:src|href)="([^"]+)"', page):
            assert source.startswith(("/", "#", "?", "..")) or ":" not in source, (name, source)


def test_it_leads_back_to_the_site_and_speaks_french(as_root: Client) -> None:
    page = as_root.get("/administration/data/").content.decode()
    assert 'href="/administration/"' in page and "Skirmish" in page
    french = as_root.get("/administration/data/", headers={"accept-language": "fr"})
    assert 'lang="fr"' in french.content.decode()


def test_a_ledger_is_found_by_its_gang(as_root: Client, gang: Gang) -> None:
    address = reverse("admin:gangs_storedentry_changelist")
    page = as_root.get(address, {"gang__id__exact": gang.pk})
    assert page.status_code == 200
    assert f"{gang.entries.count()} " in page.content.decode()


def test_lists_read_no_long_texts(as_root: Client, gang: Gang) -> None:
    """A rulebook beside each of fifty gangs is fifteen megabytes."""
    lists = [address for name, address in addresses() if "." in name and " " not in name]
    columns = re.compile("|".join(f'"{column}"' for column in sorted(LONG)))
    for address in lists:
        with CaptureQueriesContext(connection) as queries:
            assert as_root.get(address).status_code == 200
        assert [query["sql"] for query in queries if columns.search(query["sql"])] == [], address
