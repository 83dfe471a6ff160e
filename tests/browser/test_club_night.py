"""A club night: a campaign, a game, a report that is disputed, two post-games, the standings."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from accounts.models import User
from tests.browser.building import take_sample
from tests.browser.conftest import Invite
from tests.browser.eyes import TABLET
from tests.browser.person import PASSWORD, Person

pytestmark = [pytest.mark.browser, pytest.mark.long]

BLOOD, GULCH = "du-sang-sur-la-lame", "blackwater-gulch"


def arrive(invite: Invite, name: str) -> Person:
    """Sign in as a new user."""
    User.objects.create_user(name, password=PASSWORD)
    person = invite()
    person.sign_in(name)
    return person


def start_campaign(organiser: Person, slug: str, name: str) -> str:
    """Start a campaign and join it; return the link to send to the others."""
    page = organiser.page
    organiser.open("/campaigns/")
    organiser.look("campaigns-none")
    organiser.open(f"/campaigns/new/{slug}/")
    organiser.fill("Name of the campaign", name)
    organiser.look("campaign-new")
    organiser.press("Start the campaign")
    expect(page.locator("h1")).to_have_text(name)
    organiser.look("campaign-empty")
    return page.locator("#invitation").inner_text()


def join(person: Person, link: str) -> None:
    """Join with the player's only gang."""
    person.open(link)
    person.look("join")
    person.press("Join with this gang")
    expect(person.page.locator(".standings")).to_be_visible()


def come_new(person: Person, link: str) -> None:
    """Follow an invitation to its end as a visitor without an account or a gang."""
    page = person.page
    person.open(link)
    page.locator("main").get_by_role("link", name="Sign up").click()
    person.sign_up("bob", then="/campaigns/join/")
    person.look("join-without-gang")
    person.follow("New gang for this game")
    page.locator("button[name=sample]").nth(1).click()
    expect(page.locator("#summary")).to_be_visible()
    person.follow("Join it when the gang is ready.")
    person.look("join")
    person.press("Join with this gang")
    expect(page.locator(".standings")).to_be_visible()


def set_up(person: Person, scenario: str) -> None:
    """Set up a game, from the campaign's page."""
    page = person.page
    person.follow("New game")
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_label("Scenario").select_option(label=scenario)
    person.look("game-new")
    person.press("Set the game up")
    expect(page.get_by_role("link", name="Report the result", exact=True)).to_be_visible()
    person.look("game-planned")


def row_of(person: Person, member: str, side: Locator | None = None) -> Locator:
    """Return the member's row in the report, unfolded."""
    box = person.page.get_by_role("checkbox", name=member, include_hidden=True)
    row = (side or person.page.locator("form")).locator(".report-row").filter(has=box)
    if not row.is_visible():
        row.locator("xpath=ancestor::details[1]/summary").click()
    if row.locator("details:not([open])").count():
        row.get_by_text("What this member did").click()
    return row


def won(person: Person, gang: str) -> None:
    """Choose the winner."""
    person.page.locator(".ending").filter(has_text=gang).click()


def fell(person: Person, member: str, mark: str = "", by: str = "") -> None:
    """Record that a member went down, how and by which opponent."""
    name = person.page.locator(".fallen-name", has_text=member)
    fallen = person.page.locator(".fallen").filter(has=name)
    if not fallen.locator(".fallen-name input").is_checked():
        fallen.locator(".fallen-name").click()
    for said in filter(None, (mark, by)):
        fallen.locator(".choice").filter(has_text=said).click()


def post_game(person: Person) -> None:
    """Go to the player's own post-game, from the game's page."""
    person.page.reload()
    person.page.locator("main a[href*=postgame]").first.click()
    expect(person.page.locator("h1")).to_contain_text("Post-game of")


def step(person: Person, name: str) -> Locator:
    """Return a step of the post-game, when its turn has come."""
    # A link to the rules, or the mark of house values, may follow in the heading.
    said = re.compile(f"^{re.escape(name)}( look up| house value|$)")
    heading = person.page.get_by_role("heading", name=said, level=2)
    section = person.page.locator("section").filter(has=heading)
    expect(section).to_be_visible()
    return section


def commit(person: Person, picture: str) -> None:
    """Review the changes and commit them."""
    person.follow("See what changes")
    expect(person.page.locator("h1")).to_contain_text("What changes for")
    person.look(picture)
    person.press("Apply it to the gang")
    expect(person.page.locator("#messages")).to_contain_text("saved")


def standing(person: Person, gang: str) -> list[str]:
    """Return the gang's row in the standings, without its place and name."""
    row = person.page.locator(".standings tbody tr").filter(has_text=gang)
    expect(row).to_have_count(1)
    return row.locator("td").all_inner_texts()[1:]


def test_club_plays_a_night_of_blood_on_the_blade(invite: Invite) -> None:
    alice, bob = arrive(invite, "alice"), invite()
    link = start_campaign(alice, BLOOD, "The long winter")
    take_sample(alice, BLOOD, 0)
    join(alice, link)
    come_new(bob, link)

    alice.page.reload()
    set_up(alice, "The convoy")
    alice.follow("Report the result")
    alice.look("report")
    won(alice, "Marée Rouge")
    alice.page.get_by_label("Crushing victory").check()
    fell(alice, "Petit-Jean")
    row_of(alice, "Le Borgne").get_by_role("spinbutton", name="Took out").fill("2")
    alice.press("Send the report")
    # Some of the members were still fit: the page asks for a confirmation once.
    expect(alice.page.get_by_role("alert")).to_contain_text("still fit?")
    alice.press("Send the report")
    expect(alice.page.locator("h2").filter(has_text="Crushing victory")).to_be_visible()
    game = alice.page.url

    bob.open(game)
    bob.look("game-to-confirm")
    bob.fill("What is wrong?", "My sergeant was still standing.")
    bob.press("Dispute the report")
    expect(bob.page.get_by_text("disputed", exact=True)).to_be_visible()
    alice.open(game)
    expect(alice.page.locator("main")).to_contain_text("My sergeant was still standing.")
    alice.look("game-disputed")
    alice.follow("Correct what you said")
    alice.page.get_by_label("Inglorious victory").check()
    alice.press("Send the report")
    bob.open(game)
    bob.press("Yes, confirm")
    expect(bob.page.locator(".page-head")).to_contain_text("Confirmed")

    alice.open(game)
    grow(alice)
    bob.open(game)
    post_game(bob)
    answer_the_rest(bob)
    commit(bob, "preview-loser")

    alice.open("/campaigns/")
    alice.follow("The long winter")
    assert standing(alice, "Marée Rouge")[:2] == ["2", "1–0–0"]
    assert standing(alice, "Lanterne")[:2] == ["1", "0–0–1"]
    alice.look("campaign")


def grow(person: Person) -> None:
    """Play the winner's post-game: the draft survives a closed browser, then a member is
    recruited.
    """
    page = person.page
    post_game(person)
    expect(step(person, "Losses")).to_contain_text("Petit-Jean")
    person.mark_page()
    promotions = step(person, "Promotions")
    person.look("postgame-promotions")
    person.press("Mathurin", promotions)
    expect(promotions.get_by_role("button", name="Undo")).to_be_visible()
    assert person.is_same_page()

    place = page.url
    page.close()
    person.page = page = person.context.new_page()
    person.open(place)
    promotions = step(person, "Promotions")
    expect(promotions.get_by_role("button", name="Undo")).to_be_visible()
    person.press("Done", promotions)
    recruits = step(person, "Recruits")
    recruits.get_by_label("Rank").select_option(label="Henchman · 1 Po")
    person.fill("Name", "Fanchon", recruits)
    person.look("postgame-recruits")
    person.press("Recruit", recruits)
    expect(recruits.get_by_role("button", name="Undo")).to_be_visible()
    person.press("Done", recruits)
    expect(page.get_by_role("link", name="See what changes")).to_be_visible()
    person.look("postgame-answered")
    commit(person, "preview")
    person.look("postgame-done")
    person.follow("View gang")
    for name in ("Mathurin", "Fanchon"):
        expect(page.get_by_role("heading", name=name)).to_be_visible()
    expect(page.locator("#left")).to_have_text("0 Po")
    expect(page.locator("main")).to_contain_text("dead")


@pytest.mark.parametrize("size", [TABLET], ids=["tablet"])
def test_club_plays_a_night_of_blackwater_gulch(invite: Invite) -> None:
    alice, bob = arrive(invite, "alice"), arrive(invite, "bob")
    take_sample(alice, GULCH, 0)
    take_sample(bob, GULCH, 1)
    link = start_campaign(alice, GULCH, "Gold and dust")
    join(alice, link)
    join(bob, link)
    alice.page.reload()
    set_up(alice, "Gold Rush")
    game = alice.page.url
    alice.follow("Report the result")
    won(alice, "The Dry Fork Regulators")
    for name in ("Pike Dolan", "Little Mose"):
        fell(alice, name)
    row_of(alice, "Cassius Thorne").get_by_role("spinbutton", name="Enemies taken").fill("3")
    alice.look("report-gulch")
    alice.press("Send the report")
    bob.open(game)
    bob.press("Yes, confirm")

    alice.open(game)
    post_game(alice)
    injuries = step(alice, "Injuries")
    alice.look("postgame-injuries")
    injuries.get_by_role("textbox").first.fill("9 9")
    alice.press("I rolled this", injuries)
    expect(injuries.locator(".invalid-feedback")).to_be_visible()
    alice.look("postgame-bad-roll")
    injuries.get_by_role("textbox").first.fill("4 4")
    alice.press("I rolled this", injuries)
    expect(injuries).to_contain_text("rolled at the table")
    alice.press("Roll for me", injuries)
    expect(injuries).to_contain_text("rolled here")
    thrown = injuries.get_by_text("rolled here")
    while (more := injuries.get_by_role("button", name="Roll for me")).count():
        before = thrown.count()
        more.first.click()
        # A result may cause another throw.
        expect(thrown).not_to_have_count(before)
    alice.look("postgame-experience")
    answer_the_rest(alice)
    commit(alice, "preview-gulch")
    alice.follow("View gang")
    cassius = alice.page.locator("article").filter(has_text="Cassius Thorne")
    expect(cassius).to_contain_text("1 point to spend")
    alice.look("builder-after-game")
    alice.follow("History")
    expect(alice.page.locator("#history")).to_contain_text("Game played")
    alice.look("history-after-game")
    alice.open("/campaigns/")
    alice.follow("Gold and dust")
    assert standing(alice, "Dry Fork")[0] == "1–0–0"
    alice.look("campaign-gulch")


def answer_the_rest(person: Person) -> None:
    """Answer the remaining steps in a hurry."""
    hurried = re.compile("^(Wait|Nobody this time|Done|Roll for me)$")
    for _ in range(9):
        if person.page.get_by_role("link", name="See what changes").count():
            return
        person.page.locator("#play").get_by_role("button", name=hurried).last.click()
        person.page.wait_for_load_state("networkidle")
    raise AssertionError("the post-game does not end")
