"""The whole site in French: no English is left, from the front page to the end of a game."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from accounts.models import User
from tests.browser.building import take_sample
from tests.browser.conftest import Invite
from tests.browser.eyes import PHONE
from tests.browser.french import english_on, said
from tests.browser.person import HOME, PASSWORD, Person
from tests.browser.test_deep_postgame import Night
from tests.random_cases import two
from tests.world.gangs import GOLD, SLUGS

pytestmark = [pytest.mark.browser, pytest.mark.firefox, pytest.mark.long]


def reads_french(person: Person, name: str, *, looks: bool = False) -> None:
    """Check that the page is French to the last word."""
    expect(person.page.locator("html")).to_have_attribute("lang", "fr")
    found = english_on(person.page)
    assert not found, f"{name}: in English: {found}"
    if looks:
        person.look(f"french-{name}")


def test_check_finds_english_on_an_english_page(visitor: Person) -> None:
    """An English page contains many texts that the check looks for."""
    visitor.open("/gangs/new/blackwater-gulch/")
    found = english_on(visitor.page)
    assert {"From scratch", "Options of the rulebook"} <= set(found)
    assert any("frontier town" in text for text in found), "the rulebook's own words"


def test_visitor_builds_and_keeps_a_gang_in_french(invite: Invite) -> None:
    visitor = invite(locale="fr-FR")
    page = visitor.page
    visitor.open("/")
    reads_french(visitor, "front", looks=True)
    page.locator("a[href*='du-sang-sur-la-lame']").first.click()
    reads_french(visitor, "found")
    visitor.press(said("Create gang"))
    visitor.fill(said("Name of the gang"), "Les Corbeaux")
    visitor.press(said("Create gang"))
    reads_french(visitor, "builder-empty", looks=True)
    page.locator("#recruiting").get_by_label(said("Name")).fill("Aude")
    visitor.press(said("Recruit"), page.locator("#recruiting"))
    expect(page.locator("#done")).to_contain_text("Aude")
    page.locator("article.card-member a", has_text=said("Edit")).first.click()
    opened = page.locator("article.is-open")
    visitor.follow(said("Add gear"), opened)
    expect(opened.locator(".goods tbody:visible").first).to_be_visible()
    reads_french(visitor, "picker", looks=True)
    opened.locator("button[name=buy]:enabled").first.click()
    expect(opened.locator(".lines").first.locator("li")).to_have_count(1)
    visitor.follow(said("Sheet"))
    reads_french(visitor, "sheet")
    page.go_back()
    visitor.follow(said("History"))
    reads_french(visitor, "history", looks=True)
    visitor.open("/accounts/signup/")
    reads_french(visitor, "sign-up")
    page.locator("[name=username]").fill("aude")
    page.locator("[name=password1]").fill("court")
    page.locator("[name=password2]").fill("court")
    page.locator("main form button").first.click()
    reads_french(visitor, "sign-up-refused", looks=True)
    page.locator("[name=password1]").fill(PASSWORD)
    page.locator("[name=password2]").fill(PASSWORD)
    page.locator("main form button").first.click()
    expect(page).to_have_url(re.compile(HOME))
    reads_french(visitor, "signed-up")
    visitor.open("/tonight/")
    reads_french(visitor, "tonight")
    visitor.open("/gangs/")
    reads_french(visitor, "my-gangs")
    visitor.follow("Les Corbeaux")
    visitor.follow(said("Sheet"))
    page.locator("main a[href*='prints/']").first.click()
    reads_french(visitor, "prints", looks=True)
    with visitor.expecting_trouble():
        visitor.open("/no/such/page/")
        reads_french(visitor, "not-found")


def test_open_menu_fits_the_screen_in_french(invite: Invite) -> None:
    """On a gang’s page, and where a heading's buttons wrap: on a shared sheet."""
    visitor = invite(locale="fr-FR")
    take_sample(visitor, GOLD)
    on_screen(visitor, ".band")
    visitor.follow(said("Sheet"))
    visitor.open(visitor.page.locator("#share-link").inner_text())
    on_screen(visitor, ".page-head")


def on_screen(person: Person, part: str) -> None:
    """Open the menu of this part and check that its whole width is visible."""
    menu = person.page.locator(f"{part} details.menu")
    menu.locator("summary").click()
    box = menu.locator(".menu-body").bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= PHONE[0]
    menu.locator("summary").click()


@pytest.mark.parametrize("slug", two(SLUGS))
def test_every_game_is_played_in_french(invite: Invite, slug: str) -> None:
    """A ready-made gang, its sheet, and a game: planned, reported, and its consequences."""
    night = Night(slug)
    User.objects.filter(pk=night.alice.pk).update(language="fr")
    alice = invite(locale="fr-FR")
    page = alice.page
    alice.open("/accounts/login/")
    page.locator("[name=login]").fill("alice")
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("main form button").first.click()
    expect(page).to_have_url(re.compile(HOME))
    result = next(iter(night.campaign.book.campaign.results))
    place = night.play(result.key, {})
    base = night.gang.get_absolute_url()
    for name, path in {
        "new": f"/gangs/new/{slug}/",
        "builder": base,
        "open": f"{base}?open={night.gang.roster.members[0].id}",
        "sheet": f"{base}sheet/",
        "campaign": night.campaign.get_absolute_url(),
        "chronicle": f"{night.campaign.get_absolute_url()}chronicle/",
        "people": f"{night.campaign.get_absolute_url()}people/",
        "game": place.partition("postgame/")[0],
        "post-game": place,
        "rules": f"/rules/{slug}/",
    }.items():
        alice.open(path)
        reads_french(alice, f"{name} of {slug}")
    alice.open(place)
    hurry(alice)
    reads_french(alice, f"answered of {slug}")
    alice.follow(said("See what changes"))
    reads_french(alice, f"preview of {slug}")


def hurry(person: Person) -> None:
    """Answer the post-game: let the application roll, or else take the option that ends a step."""
    play = person.page.locator("#play")
    ways = [said("Roll for me"), said("Nobody this time"), said("Done")]
    for _ in range(25):
        if person.page.get_by_role("link", name=said("See what changes")).count():
            return
        buttons = [play.get_by_role("button", name=way) for way in ways]
        way = next((one for one in buttons if one.count()), play.get_by_role("button"))
        with person.page.expect_response(re.compile("/answer/$")):
            way.first.click()
        person.page.wait_for_load_state("networkidle")
        person.page.wait_for_timeout(100)
    raise AssertionError("the post-game does not end")
