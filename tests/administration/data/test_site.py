"""Read-only pages of all stored data, for administrators."""

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
    """Yield each address of Django's admin that needs only a table and a row, with its name."""
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
def test_every_table_is_shown_read_only(as_root: Client, gang: Gang) -> None:
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
def test_strangers_get_not_found_and_visitors_the_sign_in_page(
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
def test_data_pages_have_no_sign_in_or_password_pages(name: str) -> None:
    with pytest.raises(NoReverseMatch):
        reverse(f"admin:{name}")


@pytest.mark.long
def test_data_pages_follow_the_content_policy(as_root: Client, gang: Gang) -> None:
    """Pages have no inline script or style and load nothing from other sites."""
    for name, address in addresses():
        page = as_root.get(address).content.decode()
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page), name
        for script in re.findall(r"<script\b([^>]*)>", page):
            assert "src=" in script or 'type="application/json"' in script, name
        for source in re.findall(r'(?:src|href)="([^"]+)"', page):
            assert source.startswith(("/", "#", "?", "..")) or ":" not in source, (name, source)


def test_data_pages_link_to_the_site_and_exist_in_french(as_root: Client) -> None:
    page = as_root.get("/administration/data/").content.decode()
    assert 'href="/administration/"' in page and "Skirmish" in page
    french = as_root.get("/administration/data/", headers={"accept-language": "fr"})
    assert 'lang="fr"' in french.content.decode()


def test_ledger_is_found_by_its_gang(as_root: Client, gang: Gang) -> None:
    address = reverse("admin:gangs_storedentry_changelist")
    page = as_root.get(address, {"gang__id__exact": gang.pk})
    assert page.status_code == 200
    assert f"{gang.entries.count()} " in page.content.decode()


@pytest.mark.long
def test_lists_do_not_load_long_texts(as_root: Client, gang: Gang) -> None:
    """Loading a rulebook for each of fifty gangs would take fifteen megabytes."""
    lists = [address for name, address in addresses() if "." in name and " " not in name]
    columns = re.compile("|".join(f'"{column}"' for column in sorted(LONG)))
    for address in lists:
        with CaptureQueriesContext(connection) as queries:
            assert as_root.get(address).status_code == 200
        assert [query["sql"] for query in queries if columns.search(query["sql"])] == [], address


def test_names_of_tables_have_english_plurals(as_root: Client) -> None:
    page = as_root.get("/administration/data/").content.decode()
    assert "Table entries" in page and "Trophies" in page
    assert not re.search(r">\w*[^aeiou\W]ys<", page)
