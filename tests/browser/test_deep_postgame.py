"""Post-games with more to decide: two dice for one number, questions, advances, dice with faces."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from accounts.models import User
from campaigns.engine.report import Report
from gangs.engine.entries import Learned
from gangs.ledger import writer
from gangs.models import Gang
from tests.browser.conftest import Invite
from tests.browser.eyes import DESKTOP, PHONE
from tests.browser.person import PASSWORD, Person
from tests.browser.test_club_night import commit, step
from tests.world.campaigns import (
    confirmed,
    make_campaign,
    make_game,
    make_player,
    reported,
    side_of,
)

pytestmark = [pytest.mark.browser, pytest.mark.long]


class Night:
    """A game that is played and confirmed; its post-game is played in a browser."""

    def __init__(self, slug: str) -> None:
        self.alice = User.objects.create_user("alice", password=PASSWORD)
        self.bob = User.objects.create_user("bob", password=PASSWORD)
        self.campaign = make_campaign(self.alice, slug)
        self.gang, self.others = (
            make_player(self.campaign, user) for user in (self.alice, self.bob)
        )

    def first(self, rank: str) -> int:
        """Return the first member of this rank."""
        return next(one.id for one in self.gang.roster.members if one.rank == rank)

    def learn(self, member: int, amount: int) -> None:
        """Let a member learn a skill before the game."""
        entry = Learned(member=member, amount=amount)
        writer.append(self.gang, [entry], expected_version=self.gang.version, actor=self.alice)
        self.gang = Gang.objects.get(pk=self.gang.pk)

    def play(self, result: str, marks: dict[int, str]) -> str:
        """Play, report and confirm the game; return the address of the post-game."""
        everybody = tuple(one.id for one in self.gang.roster.members)
        report = Report(fielded=everybody, marks=marks)
        game = make_game(self.campaign, self.alice, self.gang, self.others)
        told = {str(self.gang.pk): report}
        game = confirmed(reported(game, self.alice, result=result, reports=told), self.bob)
        return f"/campaigns/games/{game.pk}/postgame/{side_of(game, self.gang).pk}/"


def type_roll(person: Person, within: Locator, faces: str) -> None:
    """Type the dice of the first roll that waits."""
    within.get_by_role("textbox").first.fill(faces)
    person.press("I rolled this", within)


def hurry(person: Person) -> None:
    """Answer the rest in a hurry: the first option, or else nobody."""
    play = person.page.locator("#play")
    take = play.get_by_role("button", name=re.compile("^Take"))
    none = play.get_by_role("button", name=re.compile("^(Nobody this time|Done)"))
    for _ in range(12):
        if person.page.get_by_role("link", name="See what changes").count():
            return
        with person.page.expect_response(re.compile("/answer/$")):
            (take if take.count() else none).first.click()
        person.page.wait_for_load_state("networkidle")
        person.page.wait_for_timeout(100)
    raise AssertionError("the post-game does not end")


def test_postgame_asks_a_lieutenant_for_two_dice_and_an_advance(invite: Invite) -> None:
    """Two dice that make one number, a table that leads to another, a question, an advance."""
    night = Night("au-un-pour-un")
    second = night.first("sous_chef")
    night.learn(second, 4)
    place = night.play("victory", {second: "out"})
    name = night.gang.roster.member(second).name
    alice = invite()
    alice.sign_in("alice")
    alice.open(place)
    alice.mark_page()
    injuries = step(alice, "Serious injuries")
    alice.look("deep-injuries")
    type_roll(alice, injuries, "67")
    expect(injuries.locator(".invalid-feedback")).to_be_visible()
    expect(injuries.get_by_role("textbox").first).to_have_value("67")
    alice.look("deep-wrong")
    type_roll(alice, injuries, "65")
    expect(injuries).to_contain_text("Judged")
    type_roll(alice, injuries, "3")
    expect(injuries).to_contain_text("What do you choose?")
    alice.look("deep-question")
    expect(injuries.get_by_role("button", name="Pay D6 points")).to_be_disabled()
    alice.press("Miss D3 games", injuries)
    expect(injuries.locator("[aria-pressed=true]")).to_have_count(1)
    type_roll(alice, injuries, "2")
    advances = step(alice, "Advances")
    expect(advances).to_contain_text("An advance: which one?")
    alice.look("deep-advance")
    advances.get_by_role("button", name=re.compile("^Take\\b")).first.click()
    alice.page.locator("#done-advances > details > summary").click()
    expect(advances.get_by_role("button", name="Undo")).to_be_visible()
    assert alice.is_same_page(), "the page was loaded anew"
    hurry(alice)
    alice.look("deep-answered")
    commit(alice, "deep-preview")
    alice.follow("View gang")
    expect(alice.page.get_by_role("heading", name=name)).to_be_visible()
    alice.look("deep-builder")
    alice.follow("History")
    alice.look("deep-history")


@pytest.mark.parametrize(
    ("size", "scripts"), [(PHONE, False), (DESKTOP, True)], ids=["phone-no-scripts", "desktop"]
)
def test_postgame_accepts_dice_with_faces(invite: Invite, scripts: bool) -> None:
    """No money, dice that show cards; a face that does not exist is refused beside the field."""
    night = Night("zombstone")
    star = night.first("vedette")
    night.learn(star, 3)
    place = night.play("win", {star: "hs"})
    alice = invite(scripts=scripts)
    alice.sign_in("alice")
    alice.open(place)
    play = alice.page.locator("#play")
    type_roll(alice, play, "joker")
    expect(play.locator(".invalid-feedback")).to_contain_text("one of these: 9, 10, J, Q, K, A")
    expect(play.get_by_role("textbox").first).to_have_value("joker")
    alice.look("faces-wrong")
    type_roll(alice, play, "k")
    expect(play.locator(".die").first).to_have_text("K")
    alice.look("faces")
    hurry(alice)
    assert "treasury" not in play.inner_text().lower()
    commit(alice, "faces-preview")
    alice.follow("View gang")
    expect(alice.page.locator("#summary")).to_be_visible()
    alice.look("faces-builder")
