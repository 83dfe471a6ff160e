"""The page “Is it fair?”: its readers, its claims, and its fights in several requests."""

from __future__ import annotations

import re
import uuid
from html import unescape

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from rules.editor import store
from rules.editor.fairness import fights as module
from rules.editor.fairness.fights import Clock, Place, progress
from rules.editor.overlay import Change, Overlay, SetField, SetStatus
from rules.engine.duels import Arena, TooLong
from rules.engine.fairness import fairness, trials
from rules.library import load
from rules.models import Variant
from tests.rules.small import row, small
from tests.world.gangs import make_version, shipped

pytestmark = pytest.mark.django_db
SLUG = "blackwater-gulch"
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate few fights, all in one request even on a slow machine, with an empty cache."""
    monkeypatch.setattr(module, "ENOUGH", 600)
    monkeypatch.setattr(module, "MOST", 600)
    cache.clear()


@pytest.fixture
def hers(client: Client, alice: User) -> Client:
    """Return a client with Alice signed in."""
    client.force_login(alice)
    return client


def variant_of(owner: User, slug: str, *changes: Change) -> Variant:
    return store.start_variant(
        owner,
        make_version(slug),
        "Club rules",
        token=uuid.uuid4(),
        overlay=Overlay(changes=changes),
    )


def priced(key: str, price: int, table: str = "items") -> SetField:
    return SetField(kind="set", table=table, row=key, field=("price",), value=price)


def page_at(client: Client, variant: Variant, query: str = "", language: str = "en") -> str:
    address = f"/editor/{variant.pk}/fair/{query}"
    response = client.get(address, headers={"Accept-Language": language})
    assert response.status_code == 200
    return re.sub(r"[ \n]+", " ", unescape(response.content.decode()))


def texts(part: str) -> list[str]:
    """Return the texts of the cells in a part of the page."""
    cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", part)
    return [" ".join(re.sub(r"<[^>]*>", " ", cell).split()) for cell in cells]


@pytest.mark.long
def test_the_page_matches_the_report_of_the_command(hers: Client, alice: User) -> None:
    book = shipped(SLUG)
    report = fairness(book.usual, 1000, 1)
    assert report is not None
    page = page_at(hers, variant_of(alice, SLUG))
    assert "fair-progress" not in page and "not yet" not in page
    for heading, rows in (("dear", report.overpriced), ("cheap", report.underpriced)):
        part = page.partition(f'<h2 id="fair-{heading}">')[2].partition("</ol>")[0]
        named = re.findall(r"<li> <span>(.*?) <small", part)
        assert named == [one.trial.name["en"] for one in rows]
        assert len(named) == 5
    for what in ("Movement, range and terrain", "Players: nobody", "1,000 simulated fights"):
        assert what in page
    assert f"Fights cannot measure:</strong> {book.trait['run_and_gun'].name['en']}." in page


@pytest.mark.long
def test_a_changed_price_is_shown_before_and_after(hers: Client, alice: User) -> None:
    book = shipped(SLUG)
    item = book.item["long_shotgun"]
    variant = variant_of(alice, SLUG, priced(item.key, item.price * 5))
    page = page_at(hers, variant)
    part = page.partition('id="fair-changes"')[2].partition("</table>")[0]
    cells = texts(part)
    assert cells[:4] == ["", "Before", "After", item.name["en"]]
    assert cells[4] == "Cost" and cells[5] != cells[6]
    # The enemy and the dice are the same: only the price differs.
    assert cells[7] == "One against one" and cells[8] == cells[9]
    assert cells[10] == "Equal sums"
    before, after = (int(cell.partition("%")[0]) for cell in cells[11:])
    assert after < before
    assert page.index('id="fair-changes"') < page.index('id="fair-dear"')


@pytest.mark.long
def test_hidden_items_and_changes_without_an_effect_are_marked(hers: Client, alice: User) -> None:
    hidden = SetStatus(kind="status", table="items", row="springfield", status="hidden")
    page = page_at(hers, variant_of(alice, SLUG, hidden, priced("run_and_gun", 9, "traits")))
    cells = texts(page.partition('id="fair-changes"')[2].partition("</table>")[0])
    assert [cells[6], cells[9], cells[12]] == ["–", "–", "–"]
    name = shipped(SLUG).trait["run_and_gun"].name["en"]
    assert f"fights cannot measure them: {name}." in page


@pytest.mark.long
def test_a_price_that_both_sides_pay_has_a_note(hers: Client, alice: User) -> None:
    note = "this is what the typical enemy has, too"
    found = trials(shipped(SLUG).under({}))
    assert found is not None and found.item is not None
    shared = found.item.key
    other = next(key for key in ("springfield", "long_shotgun") if key != shared)
    assert note in page_at(hers, variant_of(alice, SLUG, priced(shared, 1)))
    assert note not in page_at(hers, variant_of(alice, SLUG, priced(other, 1)))


def test_the_page_claims_nothing_until_enough_fights_are_simulated(
    hers: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ENOUGH", 0)
    variant = variant_of(alice, "zombstone")
    page = page_at(hers, variant)
    assert "0 of 11 simulated." in page
    assert texts(page).count("not yet") == 11
    assert f'hx-get="/editor/{variant.pk}/fair/?round=1"' in page
    # Without scripts, a link does the same.
    assert f'href="/editor/{variant.pk}/fair/">Continue</a>' in page


@pytest.mark.long
def test_each_request_continues_the_fights_of_the_last(
    hers: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = page_at(hers, variant_of(alice, "zombstone"))
    cache.clear()
    variant = variant_of(alice, "zombstone")
    done = [0]

    def enough(_clock: Clock) -> bool:
        done[0] += 1
        return done[0] % 35 == 0

    monkeypatch.setattr(Clock, "enough", enough)
    for _round in range(100):
        page = page_at(hers, variant)
        if "fair-progress" not in page:
            break
    assert texts(page) == texts(at_once)


def test_the_page_stops_reloading_after_its_last_round(
    hers: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ENOUGH", 0)
    variant = variant_of(alice, "zombstone")
    assert 'round=120"' in page_at(hers, variant, "?round=119")
    for said in ("120", "999", "99999999999999999999"):
        page = page_at(hers, variant, f"?round={said}")
        assert ("hx-get" in page, "Continue" in page) == (said[3:] != "", True)


@pytest.mark.long
def test_an_htmx_request_gets_only_the_fights(hers: Client, alice: User) -> None:
    variant = variant_of(alice, "zombstone")
    answer = hers.get(f"/editor/{variant.pk}/fair/?round=1", headers=HTMX)
    page = answer.content.decode().strip()
    assert page.startswith('<div id="fights"')
    assert "<html" not in page


@pytest.mark.long
def test_the_page_says_so_when_a_game_has_no_prices(hers: Client, alice: User) -> None:
    page = page_at(hers, variant_of(alice, "zombstone"))
    assert "This game sells nothing" in page
    assert "Equal sums" not in page and "Dear for what they do" not in page
    french = page_at(hers, variant_of(alice, "zombstone"), language="fr")
    assert "Ce jeu ne vend rien\u00a0: aucun prix" in french


def test_the_page_says_so_when_a_game_has_no_fights(hers: Client, alice: User) -> None:
    version, _new = load(small(rolls=[], ranks=[row("fighter", price=5)]))
    variant = store.start_variant(alice, version, "Peace", token=uuid.uuid4())
    assert "No fights are possible" in page_at(hers, variant)


def test_the_page_asks_for_mistakes_to_be_fixed_first(hers: Client, alice: User) -> None:
    variant = variant_of(alice, SLUG, priced("springfield", -5))
    page = page_at(hers, variant)
    assert "Once that is fixed" in page
    assert "Before publishing" in page


@pytest.mark.long
def test_fights_that_take_too_long_are_skipped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    book = shipped("zombstone")
    found = progress(book)
    assert found is not None

    def never(*_asked: object) -> object:
        raise TooLong

    slow: Place = next(iter(found.rows))
    with monkeypatch.context() as patch:
        patch.setattr(Arena, "repeat_fight", never)
        found.go_on([slow], Clock())
    assert found.hopeless == {slow}
    # The slow fight is remembered, and the others continue.
    again = progress(book)
    assert again is not None and again.hopeless == {slow}
    again.go_on(again.rows, Clock())
    assert again.waiting(again.rows) == []
    assert again.rows[slow].duel.fights == 0


@pytest.mark.long
def test_the_page_takes_five_queries_after_any_number_of_fights(hers: Client, alice: User) -> None:
    variant = variant_of(alice, SLUG, priced("springfield", 1))
    page_at(hers, variant)
    with CaptureQueriesContext(connection) as queries:
        page = page_at(hers, variant)
    assert len(queries) == 5
    assert len(page) < 60_000
