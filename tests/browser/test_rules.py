"""Rulebooks for their readers: chapters, diagrams, and a search that answers while they type."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from accounts.models import User
from gangs.engine.roster import Member
from rules.library import shipped_folders
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD, Person
from tests.random_cases import two
from tests.world.gangs import make_gang_of, shipped

pytestmark = [pytest.mark.browser, pytest.mark.firefox, pytest.mark.long]

SLUGS = [folder.name for folder in shipped_folders()]
# Diagrams and wide tables stay inside the page: a diagram shrinks, a line of a table becomes a
# block.
OUTSIDE = """() => [...document.querySelectorAll("main svg, main .rule-scroll")]
    .filter((e) => e.getBoundingClientRect().right > window.innerWidth + 1).length"""
NARROWEST = {"width": 320, "height": 640}
# Tables that would have to be scrolled sideways, and tables whose texts are squeezed.
CROWDED = """() => [...document.querySelectorAll("main .rule-scroll")].filter((box) => {
    const width = box.clientWidth;
    const texts = [...box.querySelectorAll("tbody tr > *")]
        .filter((cell) => cell.innerText.length > 60)
        .map((cell) => cell.getBoundingClientRect().width);
    return box.scrollWidth > width || texts.some((one) => one < width * .45);
}).map((box) => box.closest("[id]").id)"""
UNFOLD = "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })"
FOLDS = "[...document.querySelectorAll('details.rules-section')].map((fold) => fold.open)"
# Two entries with one name would send a reader to the wrong one.
TWICE = """() => {
    const all = [...document.querySelectorAll("main [id]")].map((e) => e.id);
    return all.filter((id, at) => all.indexOf(id) !== at);
}"""
NOWHERE = """() => [...document.querySelectorAll("main a[href^='#']")]
    .map((e) => e.getAttribute("href").slice(1))
    .filter((id) => id && !document.getElementById(id))"""


def chapters(reader: Person) -> list[str]:
    """Return the addresses of the chapters, from the tabs."""
    tabs = reader.page.get_by_role("navigation", name="Chapters").get_by_role("link").all()
    return [str(tab.get_attribute("href")) for tab in tabs]


@pytest.mark.parametrize("slug", two(SLUGS))
def test_every_chapter_fits_the_screen(visitor: Person, slug: str) -> None:
    visitor.open(f"/rules/{slug}/")
    places = chapters(visitor)
    assert len(places) > 3, "hardly a chapter"
    drawn = 0
    for place in places:
        visitor.open(place)
        visitor.look(place.strip("/").replace("/", "-"))
        for question in (OUTSIDE, TWICE, NOWHERE):
            assert not visitor.page.evaluate(question), f"{place}: {question}"
        visitor.page.evaluate(UNFOLD)
        own = visitor.page.viewport_size
        visitor.page.set_viewport_size(NARROWEST)
        assert visitor.page.evaluate(CROWDED) == [], place
        if own:
            visitor.page.set_viewport_size(own)
        drawn += visitor.page.locator("figure.diagram svg").count()
    assert drawn == sum(1 for one in shipped(slug).deployments if one.zones)


@pytest.mark.parametrize("slug", two(SLUGS))
def test_a_reader_finds_a_rule(visitor: Person, slug: str) -> None:
    page = visitor.page
    visitor.open("/rules/")
    visitor.open(f"/rules/{slug}/")
    visitor.mark_page()
    wanted = shipped(slug).items[-1].name["en"]
    page.get_by_role("searchbox").press_sequentially(wanted, delay=30)
    hits = page.locator("#found li")
    expect(hits.first).to_contain_text(wanted)
    assert visitor.is_same_page(), "the page was loaded anew"
    visitor.look(f"rules-found-{slug}")
    page.get_by_role("searchbox").fill("no such rule")
    expect(page.get_by_role("status")).to_contain_text("Nothing found")
    assert not hits.count()
    page.get_by_role("searchbox").fill(wanted)
    page.locator("#found").get_by_role("link", name=wanted).first.click()
    expect(page).to_have_url(re.compile("#"))
    expect(page.locator(":target")).to_contain_text(wanted)
    expect(page.locator(":target")).to_be_in_viewport()
    visitor.look(f"rules-target-{slug}")


def test_search_of_the_rules_survives_going_back(visitor: Person) -> None:
    page = visitor.page
    wanted = shipped(SLUGS[0]).items[-1].name["en"]
    visitor.open(f"/rules/{SLUGS[0]}/play/")
    page.get_by_role("searchbox").press_sequentially(wanted, delay=30)
    expect(page.locator("#found mark").first).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("result")
    expect(page).to_have_url(re.compile(re.escape(f"/play/?{urlencode({'q': wanted})}") + "$"))
    page.locator("#found").get_by_role("link", name=wanted).first.click()
    expect(page.locator(":target")).to_be_in_viewport()
    page.go_back()
    expect(page.get_by_role("searchbox")).to_have_value(wanted)
    expect(page.locator("#found").get_by_role("link", name=wanted).first).to_be_visible()


def test_chapters_are_folded_on_a_phone(visitor: Person) -> None:
    """All but the first section; a link into a section opens it; search and chapters stay
    visible.
    """
    page, book = visitor.page, shipped(SLUGS[0])
    home = f"/rules/{SLUGS[0]}"
    visitor.open(f"{home}/characters/")
    first, *others = page.evaluate(FOLDS)
    assert first and others and not any(others)
    last = book.traits[-1]
    visitor.open(f"{home}/characters/#trait-{last.key}")
    expect(page.locator(f"#trait-{last.key}")).to_be_in_viewport()
    expect(page.get_by_role("searchbox")).to_be_in_viewport()
    expect(page.get_by_role("navigation", name="Chapters")).to_be_in_viewport()
    page.set_viewport_size({"width": 1280, "height": 900})
    visitor.open(f"{home}/items/")
    assert all(page.evaluate(FOLDS))


def test_chip_shows_its_explanation_without_scripts(invite: Invite) -> None:
    """Pressed by keyboard; Escape closes the explanation."""
    owner = invite(scripts=False)
    alice = User.objects.create_user("alice", password=PASSWORD)
    book = shipped("zombstone")
    trait = next(trait for trait in book.traits if trait.text and not trait.requires)
    assert trait.text
    rank = book.ranks[0].key
    leader = Member(id=1, name="Ada", rank=rank, worth_rank=rank, traits=(trait.key,))
    gang = make_gang_of(alice, book.slug, leader)
    owner.sign_in("alice")
    page = owner.page
    owner.open(gang.get_absolute_url())
    chip = page.get_by_role("button", name=trait.name["en"], exact=True).first
    told = page.locator(".explained", has_text=trait.text["en"]).first
    expect(told).to_be_hidden()
    chip.focus()
    page.keyboard.press("Enter")
    expect(told).to_be_visible()
    page.keyboard.press("Escape")
    expect(told).to_be_hidden()


def test_chapters_are_not_folded_without_scripts(invite: Invite) -> None:
    reader = invite(scripts=False)
    reader.open(f"/rules/{SLUGS[0]}/items/")
    folds = reader.page.locator("details.rules-section")
    assert folds.count() == reader.page.locator("details.rules-section[open]").count() > 1


def test_rules_are_searched_without_scripts(invite: Invite) -> None:
    reader = invite(scripts=False)
    reader.open(f"/rules/{SLUGS[0]}/")
    wanted = shipped(SLUGS[0]).items[-1].name["en"]
    reader.page.get_by_role("searchbox").fill(wanted)
    reader.press("Search")
    reader.look("no-scripts-rules")
    reader.page.locator("#found").get_by_role("link", name=wanted).first.click()
    expect(reader.page.locator(":target")).to_be_in_viewport()
