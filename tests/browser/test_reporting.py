"""Reporting a game in the order of play: the number of taps, with scripts and without."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from accounts.models import User
from campaigns.models import Game
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD, Person
from tests.random_cases import one_soon, two
from tests.world.campaigns import make_campaign, make_game, make_player
from tests.world.gangs import SLUGS

pytestmark = [pytest.mark.browser, pytest.mark.firefox]


class Reporter:
    """A player on the page of a game that was just played; their taps are counted."""

    def __init__(self, invite: Invite, slug: str, *, scripts: bool) -> None:
        users = [User.objects.create_user(name, password=PASSWORD) for name in ("alice", "bob")]
        campaign = make_campaign(users[0], slug)
        self.gangs = [make_player(campaign, user) for user in users]
        self.game = make_game(campaign, users[0], *self.gangs)
        self.person: Person = invite(scripts=scripts)
        self.person.sign_in("alice")
        self.person.open(self.game.get_absolute_url())
        self.page = self.person.page
        self.taps = 0

    def tap(self, what: Locator) -> None:
        """Press something, and count the tap."""
        what.click()
        self.taps += 1

    def send(self) -> Game:
        """Send the report; return the game as it is then."""
        self.tap(self.page.locator(".act-bar").get_by_role("button", name="Send the report"))
        expect(self.page.locator(".page-head")).to_contain_text("Waiting for confirmation")
        return Game.objects.get(pk=self.game.pk)


@pytest.mark.long
@pytest.mark.parametrize("slug", two(SLUGS))
def test_report_without_casualties_takes_three_taps(invite: Invite, slug: str) -> None:
    reporter = Reporter(invite, slug, scripts=True)
    reporter.tap(reporter.page.get_by_role("link", name="Report the result", exact=True))
    reporter.person.look(f"reporting-{slug}")
    reporter.tap(reporter.page.locator(".ending").nth(1))
    game = reporter.send()
    assert reporter.taps == 3
    assert [side.kind for side in game.sides.all()] == ["loser", "winner"]
    assert [len(side.parsed_report.fielded) for side in game.sides.all()] == [
        len(gang.roster.members) for gang in reporter.gangs
    ]
    assert not any(side.parsed_report.marks for side in game.sides.all())


@pytest.mark.parametrize("scripts", one_soon([True, False]), ids=["scripts", "no-scripts"])
def test_report_with_two_casualties_takes_seven_taps(invite: Invite, scripts: bool) -> None:
    reporter = Reporter(invite, "au-un-pour-un", scripts=scripts)
    page, (mine, theirs) = reporter.page, reporter.game.sides.all()
    killer, victims = (gang.roster.members for gang in reporter.gangs)
    reporter.tap(page.get_by_role("link", name="Report the result", exact=True))
    reporter.tap(page.locator(".ending").first)
    for victim in victims[:2]:
        row = page.locator(f"#side{theirs.pk}-fallen-{victim.id}")
        expect(row.locator(".fallen-more")).to_be_hidden()
        reporter.tap(row.locator(".fallen-name"))
        reporter.tap(row.locator(".choice").filter(has_text=killer[0].name))
    reporter.person.look(f"reporting-fallen-{'scripts' if scripts else 'bare'}")
    game = reporter.send()
    assert reporter.taps == 7
    told = {side.pk: side.parsed_report for side in game.sides.all()}
    assert told[theirs.pk].marks == {victim.id: "out" for victim in victims[:2]}
    assert [credit.member for credit in told[theirs.pk].credits.values()] == [killer[0].id] * 2
    assert told[mine.pk].taken_out() == 2


@pytest.mark.long
def test_second_tap_corrects_a_mistake(invite: Invite) -> None:
    """A member tapped by mistake, and killed by mistake, is fit again; a draw is one tap."""
    reporter = Reporter(invite, "au-un-pour-un", scripts=False)
    page, (_mine, theirs) = reporter.page, reporter.game.sides.all()
    first, second = reporter.gangs[1].roster.members[:2]
    reporter.tap(page.get_by_role("link", name="Report the result", exact=True))
    for member in (first, second):
        row = page.locator(f"#side{theirs.pk}-fallen-{member.id}")
        reporter.tap(row.locator(".fallen-name"))
        reporter.tap(row.locator(".choice").filter(has_text="Killed"))
    reporter.tap(page.locator(f"#side{theirs.pk}-fallen-{first.id} .fallen-name"))
    reporter.tap(page.locator(".ending").filter(has_text="Draw"))
    game = reporter.send()
    assert game.result == "draw"
    assert [side.kind for side in game.sides.all()] == ["level", "level"]
    assert game.sides.get(pk=theirs.pk).parsed_report.marks == {second.id: "killed"}
