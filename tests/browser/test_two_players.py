"""A game night on three phones: an organiser and two players, from the plan to a correction."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from django.utils import timezone
from playwright.sync_api import Locator, expect

from accounts.models import User
from campaigns.club.people import joining
from campaigns.models import Campaign
from gangs.models import Gang
from tests.browser.building import card, unfold
from tests.browser.conftest import Invite
from tests.browser.person import Person
from tests.browser.test_club_night import arrive, fell, row_of, step, won
from tests.browser.test_deep_postgame import type_roll
from tests.world.campaigns import make_campaign
from tests.world.gangs import make_gang

pytestmark = [pytest.mark.browser, pytest.mark.firefox]

WARDENS, KINGS = "The Wardens of Ashford", "The Scrapyard Kings"
PLACE = "The back room of the Anchor"


@dataclass(frozen=True)
class Table:
    """The people around the table: carol runs the campaign, alice and bob play in it."""

    carol: Person
    alice: Person
    bob: Person
    campaign: Campaign

    @property
    def page(self) -> str:
        """Open the campaign's page."""
        return self.campaign.get_absolute_url()

    def gang(self, name: str) -> Gang:
        """Return a gang in its current state."""
        return Gang.objects.get(name=name)


def sit_down(invite: Invite, slug: str, samples: tuple[int, int]) -> Table:
    """Seat three people, each with a phone, and a campaign with two ready-made gangs."""
    carol, alice, bob = (arrive(invite, name) for name in ("carol", "alice", "bob"))
    campaign = make_campaign(User.objects.get(username="carol"), slug)
    for name, sample in zip(("alice", "bob"), samples, strict=True):
        player = User.objects.get(username=name)
        gang = make_gang(player, slug, sample)
        joining.join(campaign, gang, actor=player, expected_version=gang.version)
    return Table(carol, alice, bob, campaign)


def notice(person: Person, said: str) -> Locator:
    """Return the newest notice with this text, on the page of notices."""
    person.open("/")
    bell = person.page.get_by_role("link", name=re.compile(r"^Notices: \d+ new"))
    expect(bell).to_be_visible()
    bell.click()
    found = person.page.locator(".notice-new").filter(has_text=said).first
    expect(found).to_be_visible()
    return found


def obey(person: Person, said: str) -> None:
    """Read a notice and follow its link."""
    person.press("View", notice(person, said), exact=False)
    expect(person.page).not_to_have_url(re.compile("/notices/"))


@pytest.mark.long
def test_two_players_and_an_organiser_go_through_a_night(invite: Invite) -> None:
    table = sit_down(invite, "au-un-pour-un", (0, 1))
    arrange(table)
    pair(table)
    plan(table)
    game = table.alice.page.url.partition("#")[0]
    pick_crews(table)
    tell_and_agree(table, game)
    both_post_games(table, game)
    read_chronicle(table)
    ransom(table)
    correct_and_take_back(table)


def arrange(table: Table) -> None:
    """Arrange a night as the organiser; both players are notified, and answer that they come."""
    carol = table.carol
    carol.open(table.page)
    carol.follow("Nights")
    carol.follow("New night")
    carol.fill("Day", timezone.localdate().isoformat())
    carol.fill("Time", "23:30")
    carol.fill("Where", PLACE)
    carol.look("two-night-new")
    carol.press("Create game night")
    expect(carol.page.locator("h1")).to_contain_text("23:30")
    for person in (table.alice, table.bob):
        obey(person, PLACE)
        person.look("two-night")
        person.press("I’m in")
        expect(person.page.get_by_role("button", name="I’m in")).to_have_attribute(
            "aria-pressed", "true"
        )


def pair(table: Table) -> None:
    """Have pairs proposed, read the reasons, and accept them: pressing twice counts once."""
    page = table.carol.page
    page.reload()
    expect(page.locator(".coming-counts")).to_contain_text("Going\u00a02")
    table.carol.follow("Propose pairings")
    proposed = page.locator("form").filter(has=page.locator("[name=pair]"))
    expect(proposed).to_contain_text(re.compile(r"ratings [\d.]+ and [\d.]+, [\d.]+ apart"))
    expect(proposed).to_contain_text("never met before")
    table.carol.look("two-pairings")
    page.get_by_role("button", name="Schedule selected games").dblclick()
    expect(page.locator("#messages")).to_contain_text("1 game scheduled.")
    game = page.locator("section").filter(has=page.get_by_role("heading", name="Games"))
    expect(game.locator("ol > li")).to_have_count(1)


def plan(table: Table) -> None:
    """Plan as one player, who chooses the scenario; the dice decide who may choose a role."""
    alice, page = table.alice, table.alice.page
    obey(alice, "has planned a game")
    alice.follow("Choose or roll the scenario")
    page.get_by_label("Scenario").select_option(label="Rescue")
    alice.press("Save")
    roles = page.locator("#roles")
    alice.press("Roll: the highest chooses", roles)
    expect(roles).to_contain_text("rolled highest and chooses")
    roles.get_by_label(WARDENS).select_option(label="Guards")
    alice.look("two-roles")
    alice.press("Save the roles", roles)
    facts = roles.locator("dl").inner_text()
    assert facts.split("\n") in (
        [WARDENS, "Guards", KINGS, "Rescuers"],
        [KINGS, "Rescuers", WARDENS, "Guards"],
    )


def pick_crews(table: Table) -> None:
    """Pick both crews; each player sees both crews and ratings side by side."""
    alice, bob = table.alice, table.bob
    alice.follow(f"Prepare {WARDENS}")
    alice.page.get_by_label("Maud Fletcher").uncheck()
    alice.look("two-prepare")
    alice.press("Save crew")
    expect(alice.page.locator("#crew")).to_contain_text("picked")
    alice.follow("View game")
    obey(bob, "has planned a game")
    bob.follow(f"Prepare {KINGS}")
    bob.press("Save crew")
    bob.follow("View game")
    versus = bob.page.locator("#versus")
    for name in (WARDENS, KINGS):
        rating = table.gang(name).rating
        side = versus.locator(".versus > div").filter(has_text=name)
        expect(side).to_contain_text(f"{rating:g}" if isinstance(rating, float) else str(rating))
        expect(side).not_to_contain_text("not picked yet")
    bob.look("two-versus")


def tell_and_agree(table: Table, game: str) -> None:
    """Report the game as one player, report it differently as the other, and let the first
    agree.
    """
    alice, bob = table.alice, table.bob
    alice.open(game)
    alice.follow("Report the result")
    won(alice, WARDENS)
    fell(alice, "Snikk", "Out of action", "Captain Ysolde Marr")
    fell(alice, "Grub", "Killed", "Wat Thistle")
    fell(alice, "Brother Anselm", "Out of action", "Boss Gorrak")
    fell(alice, "Perrin the Cooper", "Out of action", "Nettle")
    alice.press("Work out the counts")
    expect(alice.page.get_by_text("numbers are filled in")).to_be_in_viewport()
    wat = row_of(alice, "Captain Ysolde Marr").get_by_role("spinbutton", name="Lieutenants")
    expect(wat).to_have_value("1")
    alice.look("two-report")
    alice.press("Send the report", alice.page.locator(".form-actions"))
    expect(alice.page.locator(".page-head")).to_contain_text("Waiting for confirmation")

    obey(bob, "Is that right?")
    bob.follow("Enter my version")
    fell(bob, "Grub", "Out of action")
    heading = bob.page.get_by_role("heading", name=WARDENS)
    wardens = bob.page.locator(".report-side").filter(has=heading)
    bob.press("Enemy underlings killed: less", wardens)
    bob.press("Enemy underlings out of action: more", wardens)
    bob.page.get_by_text("The day, and what is worth remembering").click()
    bob.page.get_by_label("Anything worth remembering?").fill("Grub was still breathing.")
    bob.press("Send the report", bob.page.locator(".form-actions"))
    bob.look("two-claims")

    obey(alice, "differently")
    claims = alice.page.locator("#claims")
    expect(claims).to_contain_text("All versions weigh the same")
    alice.look("two-claims-alice")
    alice.press("I agree with this one", claims)
    expect(alice.page.locator(".page-head")).to_contain_text("Confirmed")


def both_post_games(table: Table, game: str) -> None:
    """Play both post-games at different speeds: one is done before the other has rolled for
    everybody.
    """
    alice, bob = table.alice, table.bob
    place = begin(alice, game)
    perrin = step(alice, "Underlings out of action")
    perrin.get_by_role("button", name="Roll for me").dblclick()
    expect(perrin).to_contain_text("rolled here")
    thrown = perrin.locator(".roll").inner_text()
    for _ in range(2):
        alice.page.reload()
        expect(perrin.locator(".roll")).to_have_text(thrown, use_inner_text=True)
    alice.page.close()

    begin(bob, game)
    grub = step(bob, "Underlings out of action")
    bob.press("Roll for me", grub)
    expect(grub).to_contain_text("rolled here")
    snikk = step(bob, "Serious injuries")
    type_roll(bob, snikk, "62")
    expect(snikk).to_contain_text("Captured")
    expect(step(bob, "Prisoners")).to_contain_text("taken in this game")
    bob.press("Nobody this time", step(bob, "Recruits and gear"))
    bob.look("two-bob-answered")
    commit_twice(bob, KINGS, "two-bob-preview")

    alice.page = alice.context.new_page()
    alice.open(place)
    perrin = step(alice, "Underlings out of action")
    expect(perrin.locator(".roll")).to_have_text(thrown, use_inner_text=True)
    anselm = step(alice, "Serious injuries")
    type_roll(alice, anselm, "22")
    expect(anselm).to_contain_text("Leg injury")
    recruits = step(alice, "Recruits and gear")
    alice.fill("Name", "Hob", recruits)
    alice.press("Recruit", recruits)
    expect(recruits.get_by_role("button", name="Undo")).to_be_visible()
    alice.press("Done", recruits)
    alice.look("two-alice-answered")
    commit_twice(alice, WARDENS, "two-alice-preview")
    alice.open(game)
    dice = alice.page.locator("#dice")
    dice.locator("summary").click()
    expect(dice.locator("li").filter(has_text="Perrin the Cooper")).to_have_count(1)
    alice.look("two-game-dice")


def begin(person: Person, game: str) -> str:
    """Begin the post-game of the player's gang; return its address."""
    person.open(game)
    person.page.locator("main a[href*=postgame]").first.click()
    expect(person.page.locator("h1")).to_contain_text("Post-game of")
    return person.page.url


def commit_twice(person: Person, gang: str, picture: str) -> None:
    """Commit the post-game with a double tap: it is in the history once."""
    person.follow("See what changes")
    expect(person.page.locator("h1")).to_contain_text(f"What changes for {gang}")
    person.look(picture)
    person.page.get_by_role("button", name="Apply it to the gang").dblclick()
    expect(person.page.locator("main")).to_contain_text("is in the gang’s history")
    person.follow("History")
    told = person.page.locator("#history > li").filter(has_text="Game played")
    expect(told).to_have_count(1)


def read_chronicle(table: Table) -> None:
    """Check that the chronicle describes the night."""
    bob = table.bob
    bob.open(table.page)
    bob.look("two-campaign")
    bob.follow("The whole chronicle")
    told = bob.page.locator("main section")
    expect(told).to_contain_text(PLACE)
    for sentence in (
        f"{WARDENS} beat {KINGS} in “Rescue”.",
        f"Brother Anselm ({WARDENS}) will long remember Boss Gorrak ({KINGS}): Leg injury.",
        f"Snikk ({KINGS}) fell into the hands of {WARDENS}.",
    ):
        expect(told).to_contain_text(sentence)
    bob.look("two-chronicle")


def ransom(table: Table) -> None:
    """Offer a ransom as the captive's player and accept it as the captor: both gangs change at the
    same time.
    """
    alice, bob = table.alice, table.bob
    bob.open(table.page)
    bob.follow("Captives")
    bob.follow("Make an offer", exact=False)
    bob.page.get_by_label("Snikk").check()
    bob.page.get_by_label(KINGS, exact=True).check()
    bob.page.get_by_role("textbox", name="Ransom").fill("5")
    bob.look("two-offer")
    bob.press("Make the offer")
    obey(alice, "an offer about a captive")
    alice.look("two-offers")
    alice.page.get_by_role("button", name="Agree").dblclick()
    expect(alice.page.locator("main")).to_contain_text("No captives")
    obey(bob, "has agreed to the offer")
    bob.open(table.gang(KINGS).get_absolute_url())
    expect(card(bob, "Snikk")).not_to_contain_text("Captured")
    expect(bob.page.locator("#left")).to_have_text("8 pts")


def correct_and_take_back(table: Table) -> None:
    """Undo, as the organiser, a recruit whom the owner has armed since: the page first shows the
    entries that no longer fit, the owner learns who did it and why, and the correction can be
    undone.
    """
    alice, carol = table.alice, table.carol
    wardens = table.gang(WARDENS).get_absolute_url()
    alice.open(wardens)
    hob = unfold(alice, "Hob")
    alice.follow("Add gear", hob)
    hob.locator("button[name=buy]:enabled").first.click()
    expect(hob.locator(".lines").first.locator("li")).to_have_count(1)
    worth = alice.page.locator("#summary dl").inner_text()

    carol.open(table.page)
    carol.follow("People")
    carol.look("two-people")
    carol.follow(f"History · {WARDENS}")
    expect(carol.page.locator("main")).to_contain_text("its owner sees who did it and why")
    batch = carol.page.locator("#history > li").filter(has_text="Game played")
    batch.get_by_text("Correct something here").click()
    batch.get_by_role("link", name=re.compile("^Undo ?: .*Hob")).click()
    expect(carol.page.locator("h1")).to_have_text("These would no longer fit")
    carol.look("two-correct")
    for choice in carol.page.get_by_label("Undo it, too").all():
        choice.check()
    carol.press("Undo all of it")
    expect(carol.page.locator("input:invalid")).to_have_count(1)
    # Only one of several windows of Firefox has the focus.
    carol.page.bring_to_front()
    expect(carol.page.get_by_label("Why?")).to_be_focused()
    carol.fill("Why?", "Hob was recruited without a chief’s word.")
    carol.press("Undo all of it")
    expect(carol.page.locator("#messages")).to_contain_text("Undone")
    carol.look("two-corrected")

    obey(alice, "Hob was recruited without a chief’s word.")
    struck = alice.page.locator("#history > li.is-struck")
    expect(struck.first).to_contain_text("Hob got")
    expect(struck.first).to_contain_text("Undone by carol as an organiser")
    alice.look("two-owner-told")
    alice.open(wardens)
    expect(card(alice, "Hob")).to_have_count(0)

    carol.page.locator(".corrections summary").click()
    carol.press("Undo the correction")
    carol.look("two-take-back")
    carol.fill("Why?", "He had the word, after all.")
    carol.press("Undo the correction")
    expect(carol.page.locator("#messages")).to_contain_text("Restored.")
    obey(alice, "He had the word, after all.")
    alice.open(wardens)
    expect(card(alice, "Hob")).to_be_visible()
    expect(alice.page.locator("#summary dl")).to_have_text(worth, use_inner_text=True)


@pytest.mark.long
def test_weaker_gang_sees_its_bonus_before_the_game(invite: Invite) -> None:
    """In a game that helps underdogs, both players see the value of the difference before the
    game.
    """
    table = sit_down(invite, "cran", (0, 1))
    alice, bob = table.alice, table.bob
    alice.open(table.page)
    alice.follow("New game")
    for box in alice.page.get_by_role("checkbox").all():
        box.check()
    alice.press("Set the game up")
    bob.open(alice.page.url)
    for person in (alice, bob):
        weaker, stronger = (
            person.page.locator(".versus > div").filter(has_text=name)
            for name in ("The Dry Creek Six", "The Black Lantern")
        )
        versus = person.page.locator("#versus")
        expect(versus).to_contain_text("The Black Lantern is worth 2 infamy more")
        expect(weaker).to_contain_text(re.compile(r"Underdog bonus.*Underdogs: \$1", re.S))
        expect(stronger).to_contain_text(re.compile("Underdog bonus.*nothing", re.S))
        person.look("two-dues")
