"""Custom rules: an item of a gang, a variant, gangs and campaigns that move to it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from accounts.models import User
from tests.browser.building import take_sample, unfold
from tests.browser.conftest import Invite
from tests.browser.eyes import DESKTOP
from tests.browser.person import PASSWORD, Person
from tests.world.campaigns import make_campaign, make_player
from tests.world.gangs import make_gang, shipped

pytestmark = [pytest.mark.browser, pytest.mark.firefox, pytest.mark.long]

GULCH, BLOOD = "blackwater-gulch", "du-sang-sur-la-lame"


def arrive(invite: Invite, *, scripts: bool = True) -> tuple[Person, User]:
    """Sign in as a new user."""
    user = User.objects.create_user("alice", password=PASSWORD)
    person = invite(scripts=scripts)
    person.sign_in("alice")
    return person, user


def test_custom_item_is_added_and_bought(visitor: Person) -> None:
    """From the picker that lacks it to the member who carries it."""
    page = visitor.page
    take_sample(visitor, GULCH)
    opened = unfold(visitor, "Pike Dolan")
    visitor.follow("Add gear", opened)
    visitor.follow("Not in the list? Add a custom item.", opened)
    visitor.look("own-item-kinds")
    visitor.follow(shipped(GULCH).groups[0].name["en"])
    visitor.fill("Name", "Volcanic")
    visitor.fill("Price", "-1")
    # Browsers stop obvious mistakes; the server has to as well.
    page.locator("main form.panel").evaluate("form => { form.noValidate = true }")
    visitor.press("Add it")
    expect(page.locator(".invalid-feedback").first).to_be_visible()
    expect(page.get_by_label("Name")).to_have_value("Volcanic")
    visitor.look("own-item-wrong")
    visitor.fill("Price", "7")
    visitor.press("Add it and one more")
    expect(page.locator("main")).to_contain_text("Volcanic")
    expect(page.get_by_label("Name")).to_have_value("")
    visitor.fill("Name", "Le Mat")
    visitor.fill("Price", "9")
    visitor.look("own-item-more")
    visitor.press("Add it")
    expect(page.locator("#summary")).to_be_visible()
    opened = unfold(visitor, "Pike Dolan")
    visitor.follow("Add gear", opened)
    opened.get_by_label("Search").first.press_sequentially("le mat", delay=60)
    found = opened.locator(".goods tbody, .picker > li").locator("visible=true")
    expect(found.filter(has_text="Le Mat")).to_have_count(1)
    visitor.look("own-item-picker")


def new_variant(person: Person, slug: str, name: str) -> str:
    """Start a variant; return the address of its page."""
    person.open(f"/rules/{slug}/")
    person.follow("Make a variant")
    person.fill("Name of the variant", name)
    person.look("variant-new")
    person.press("Start")
    expect(person.page.locator("h1")).to_have_text(name)
    person.look("variant-empty")
    return person.page.url


def add_weapon(person: Person, name: str, price: str, button: str) -> None:
    """Fill in the form for a weapon and send it."""
    person.page.get_by_label("Name", exact=False).first.fill(name)
    person.page.get_by_label("Price").first.fill(price)
    person.press(button)


def change_price(person: Person, variant: str, weapon: str, price: str) -> None:
    """Find a weapon in the variant's table, mistype its price, then correct it."""
    page = person.page
    person.open(variant)
    person.follow("Weapons and items")
    person.fill("Search", weapon)
    person.press("Search")
    person.look("variant-table")
    page.locator("main").get_by_role("link", name=weapon, exact=True).first.click()
    expect(page.locator("h1")).to_have_text(weapon)
    person.look("variant-row")
    field = page.get_by_label("Price").first
    # Browsers stop obvious mistakes; the server has to as well.
    field.evaluate("field => { field.form.noValidate = true }")
    field.fill("-5")
    person.press("Save")
    expect(page.locator(".invalid-feedback").first).to_be_visible()
    person.look("variant-row-wrong")
    expect(page.get_by_label("Price").first).to_have_value("-5")
    page.get_by_label("Price").first.fill(price)
    person.press("Save")


def lines(person: Person, kind: str) -> Locator:
    """Return the listed differences with this text."""
    return person.page.locator("ul.lines li").filter(has_text=kind)


def publish(person: Person, variant: str, preview: str) -> None:
    """Review the effects of publishing, and publish."""
    person.open(variant)
    person.follow("Publish…")
    expect(person.page.locator("main")).to_contain_text(preview)
    person.look("variant-publish")
    person.press("Publish")
    expect(person.page.locator("main")).to_contain_text("is ready to play")


def look_at_fights(person: Person, variant: str, name: str, *, scripts: bool = True) -> None:
    """Wait until the simulated fights of a variant are over; without scripts, ask for more."""
    person.open(variant)
    person.follow("Is it fair?")
    expect(person.page.locator("h1")).to_have_text("Is it fair?")
    going_on = person.page.locator(".fair-progress")
    while not scripts and going_on.count():
        with person.page.expect_navigation():
            person.follow("Continue")
    expect(going_on).to_have_count(0, timeout=180_000)
    expect(person.page.locator("#fights")).to_contain_text(name)
    person.look(f"variant-fair-{'with' if scripts else 'without'}-scripts")


def test_variant_is_made_used_by_a_gang_and_left_again(invite: Invite) -> None:
    alice, user = arrive(invite)
    page = alice.page
    gang = make_gang(user, GULCH)
    carried = gang.roster.members[0].items[0].key
    weapon = shipped(GULCH).item[carried]
    price = int(weapon.price)

    variant = new_variant(alice, GULCH, "The club’s table")
    alice.follow("Add (Weapons and items)")
    alice.look("variant-add")
    add_weapon(alice, "Volcanic", "7", "Add it, and another")
    expect(page.locator("#messages")).to_contain_text("Volcanic")
    add_weapon(alice, "Le Mat", "9", "Add it")
    change_price(alice, variant, weapon.name["en"], str(price + 3))
    alice.open(variant)
    expect(lines(alice, "Volcanic")).to_contain_text("added")
    changed = lines(alice, weapon.name["en"])
    expect(changed.locator("del")).to_contain_text(str(price))
    expect(changed.locator("ins")).to_contain_text(str(price + 3))
    alice.look("variant-desk")
    look_at_fights(alice, variant, "Le Mat")
    publish(alice, variant, "1 gang or campaign could switch")
    alice.look("variant-published")

    alice.open(gang.get_absolute_url())
    before = page.locator("#rating").inner_text()
    page.locator(".band details.menu summary").click()
    alice.follow("Switch to other rules")
    expect(page.locator("main h2").first).to_contain_text("What changes with The club’s table")
    alice.look("gang-upgrade")
    alice.press("Switch to this version")
    expect(page.locator("#rating")).not_to_have_text(before)
    after = page.locator("#rating").inner_text()
    assert int(after.split()[0]) >= int(before.split()[0]) + 3
    alice.look("gang-upgraded")
    alice.follow("History")
    alice.look("gang-upgrade-history")
    page.locator(".history > li").first.get_by_role("button", name="Undo").click()
    expect(page.locator(".history > li.is-struck")).to_have_count(1)
    alice.open(gang.get_absolute_url())
    expect(page.locator("#rating")).to_have_text(before)


def test_variant_is_made_without_scripts(invite: Invite) -> None:
    alice, _user = arrive(invite, scripts=False)
    variant = new_variant(alice, BLOOD, "House rules")
    alice.follow("Add (Weapons and items)")
    alice.page.locator("#sort").select_option(index=1)
    alice.press("Choose")
    add_weapon(alice, "Billhook", "2", "Add it")
    look_at_fights(alice, variant, "Billhook", scripts=False)
    publish(alice, variant, "None of your gangs and campaigns would be different")
    alice.look("no-scripts-variant")
    alice.follow("create a gang with it")
    alice.page.locator("button[name=sample]").first.click()
    expect(alice.page.locator("#summary")).to_be_visible()


@pytest.mark.parametrize("size", [DESKTOP], ids=["desktop"])
def test_organiser_moves_a_campaign_to_a_variant_and_back(invite: Invite) -> None:
    """A variant made and published by the campaign's organiser; every gang moves to it, and
    back.
    """
    alice, user = arrive(invite)
    bob = User.objects.create_user("bob", password=PASSWORD)
    page = alice.page
    campaign = make_campaign(user, BLOOD)
    gangs = [make_player(campaign, owner) for owner in (user, bob)]
    weapon = shipped(BLOOD).item[gangs[0].roster.members[0].items[0].key]

    variant = new_variant(alice, BLOOD, "Dear steel")
    change_price(alice, variant, weapon.name["en"], str(int(weapon.price) + 1))
    publish(alice, variant, "could switch to this version")
    alice.open(campaign.get_absolute_url())
    alice.follow("Settings")
    alice.follow("Switch to other rules")
    expect(page.locator("main h2").first).to_contain_text("What changes with Dear steel")
    expect(page.locator("main")).to_contain_text("2 gangs change")
    page.locator("main details.panel summary").first.click()
    alice.look("campaign-upgrade")
    alice.press("Switch all gangs to this version")
    expect(page.locator("#messages")).to_be_visible()
    alice.look("campaign-upgraded")
    rating = [gang.rating for gang in gangs]
    for gang in gangs:
        gang.refresh_from_db()
    assert all(gang.rating > old for gang, old in zip(gangs, rating, strict=True))
    alice.open(f"{campaign.get_absolute_url()}upgrade/")
    alice.look("campaign-upgrade-back")
    alice.press("Undo that in all gangs")
    expect(page.locator("#messages")).to_be_visible()
    for gang in gangs:
        gang.refresh_from_db()
    assert [gang.rating for gang in gangs] == rating
