"""Sheets: access to read and to print them, and when nothing is printed again."""

from __future__ import annotations

import gzip
import time
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from accounts.language import rules_language
from gangs.cards import cache as cards_cache
from gangs.cards.render import render
from gangs.engine import entries as kinds
from gangs.ledger import writer
from gangs.models import Gang
from printing import cache as printing_cache
from printing.sheets import roster as papers
from tests.world.gangs import become_guest, make_big_gang, make_gang, scene_of


@pytest.fixture(autouse=True)
def _own_shelf(settings: Any, tmp_path: Path) -> None:
    """Every test starts with an empty cache of prints."""
    settings.DATA_DIR = tmp_path


def squeezed(text: object) -> str:
    return "".join(str(text).split())


# The cache ------------------------------------------------------------------------------------


def no_printing(*args: object, **kwargs: object) -> bytes:
    raise AssertionError("printed again")


def test_an_unchanged_gang_is_not_printed_again(
    client: Client, alice: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(alice)
    url = f"/gangs/{make_gang(alice).pk}/sheet.pdf"
    first = client.get(url)
    monkeypatch.setattr(papers, "job", no_printing)
    second = client.get(url)
    assert second.content == first.content
    assert second["ETag"] == first["ETag"]
    third = client.get(url, headers={"if-none-match": first["ETag"]})
    assert third.status_code == 304
    assert third.content == b""


def test_unchanged_sheet_makes_three_queries(client: Client, alice: Any) -> None:
    """The session, the user and the gang."""
    client.force_login(alice)
    url = f"/gangs/{make_gang(alice).pk}/sheet.pdf"
    etag = client.get(url)["ETag"]
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url, headers={"if-none-match": etag}).status_code == 304
    assert len(queries) == 3


@pytest.mark.long
def test_every_combination_of_options_has_its_own_etag(client: Client, alice: Any) -> None:
    client.force_login(alice)
    gang = make_gang(alice)
    url = f"/gangs/{gang.pk}/sheet.pdf"
    tags = {
        client.get(url + query, headers={"accept-language": language})["ETag"]
        for query in ("", "?paper=letter", "?style=accessible", "?style=illustrated&paper=letter")
        for language in ("en", "fr")
    }
    assert len(tags) == 8
    renamed = kinds.Renamed(name="Other")
    writer.append(gang, [renamed], expected_version=gang.version, actor=alice)
    tags.add(client.get(url)["ETag"])
    Gang.objects.filter(pk=gang.pk).update(share_key=None)
    tags.add(client.get(url)["ETag"])
    assert len(tags) == 10


def test_shelf_size_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing_cache, "MOST_KEPT", 3)
    monkeypatch.setattr(printing_cache, "BETWEEN_TIDYING", 1)
    for number in range(5):
        printing_cache.store(f"{number:064x}", b"%d" % number)
    assert [number for number in range(5) if printing_cache.read_print(f"{number:064x}")] == [
        2,
        3,
        4,
    ]


def test_print_is_kept_for_a_month(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may name people who have deleted their account since."""
    for number in range(2):
        printing_cache.store(f"{number:064x}", b"%d" % number)
    assert printing_cache.tidy() == 0
    later = time.time() + 31 * 24 * 3600
    monkeypatch.setattr(printing_cache.time, "time", lambda: later)
    printing_cache.tidy()
    assert printing_cache.read_print("0" * 64) is None


def test_file_name_is_made_from_the_gangs_name(client: Client, alice: Any) -> None:
    client.force_login(alice)
    gang = make_gang(alice, sample=None, name='Les "Écumeurs"/../ X: y')
    disposition = client.get(f"/gangs/{gang.pk}/sheet.pdf")["Content-Disposition"]
    assert disposition == "inline; filename*=utf-8''les-%C3%A9cumeurs-x-y.pdf"


# Access ---------------------------------------------------------------------------------------

PAGES = ("sheet/", "sheet.pdf")
SHARED = ("", "sheet.pdf")


@pytest.mark.parametrize("page", PAGES)
def test_only_the_owner_opens_a_sheet(client: Client, alice: Any, charlie: Any, page: str) -> None:
    url = f"/gangs/{make_gang(alice).pk}/{page}"
    assert client.get(url).status_code == 404
    client.force_login(charlie)
    assert client.get(url).status_code == 404
    client.force_login(alice)
    assert client.get(url).status_code == 200
    assert client.post(url).status_code == 405


@pytest.mark.parametrize("page", PAGES)
def test_visitor_opens_their_own_sheet(client: Client, db: None, page: str) -> None:
    gang = make_gang(None)
    url = f"/gangs/{gang.pk}/{page}"
    assert client.get(url).status_code == 404
    become_guest(client, gang)
    assert client.get(url).status_code == 200


@pytest.mark.parametrize("page", SHARED)
def test_share_link_opens_the_sheet_until_it_is_withdrawn(
    client: Client, alice: Any, page: str
) -> None:
    gang = make_gang(alice)
    url = f"/s/{gang.share_key}/{page}"
    response = client.get(url)
    assert response.status_code == 200
    assert response["X-Robots-Tag"] == "noindex"
    Gang.objects.filter(pk=gang.pk).update(share_key=None)
    assert client.get(url).status_code == 404


def test_shared_page_offers_no_changes(client: Client, alice: Any) -> None:
    gang = make_gang(alice)
    page = client.get(f"/s/{gang.share_key}/").content.decode()
    assert '<meta name="robots" content="noindex">' in page
    assert str(gang.pk) not in page
    assert "alice" not in page


# The sheet as a page --------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "fr"])
def test_sheet_page_shows_every_card_and_item(client: Client, alice: Any, language: str) -> None:
    client.force_login(alice)
    gang = make_gang(alice)
    response = client.get(f"/gangs/{gang.pk}/sheet/", headers={"accept-language": language})
    text = squeezed(response.content.decode())
    with override(language):
        page = render(scene_of(gang), rules_language())
    for card in page.cards:
        for wanted in [card.name, card.rank, *(line.name for line in card.items)]:
            assert squeezed(wanted) in text
        for stat in card.stats:
            assert f"<dt>{stat.short}</dt><dd>{stat.value}</dd>" in text
    assert f"/s/{gang.share_key}/" in text


@pytest.mark.parametrize("who", ["owner", "visitor"])
def test_sheet_page_queries_do_not_grow(client: Client, alice: Any, who: str) -> None:
    """For its owner the session, the user and the gang; for a visitor only the gang."""
    if who == "owner":
        client.force_login(alice)
    gangs = [make_big_gang(alice, members) for members in (1, 10, 30)]
    for gang in gangs:
        url = f"/gangs/{gang.pk}/sheet/" if who == "owner" else f"/s/{gang.share_key}/"
        with CaptureQueriesContext(connection) as queries:
            assert client.get(url).status_code == 200
        assert len(queries) == (3 if who == "owner" else 1)


def test_sheet_page_stays_small(client: Client, alice: Any) -> None:
    client.force_login(alice)
    gang = make_big_gang(alice, 10)
    for url in (f"/gangs/{gang.pk}/sheet/", f"/s/{gang.share_key}/"):
        assert len(gzip.compress(client.get(url).content)) < 7_000


def test_unchanged_gang_is_not_computed_again(
    client: Client, alice: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    gang = make_gang(alice)
    url = f"/s/{gang.share_key}/"
    first = client.get(url).content.decode()
    monkeypatch.setattr(cards_cache, "render", no_printing)
    assert gang.name in client.get(url).content.decode()
    monkeypatch.undo()
    writer.append(gang, [kinds.Renamed(name="Other")], expected_version=gang.version, actor=alice)
    named = [kinds.Named(member=2, name="Newcomer")]
    writer.append(gang, named, expected_version=gang.version, actor=alice)
    changed = client.get(url).content.decode()
    assert "Newcomer" in changed
    assert "Newcomer" not in first
