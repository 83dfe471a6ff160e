"""The main journeys in Safari's engine, on a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.models import User
from campaigns.club.nights import schedule
from campaigns.models import Attendance, Game
from tests.browser.building import GOLD, WEST
from tests.browser.person import PASSWORD
from tests.webkit.reader import Reader
from tests.world.campaigns import make_campaign, make_game, make_night, make_player
from tests.world.gangs import POINTS, shipped

pytestmark = [
    pytest.mark.webkit,
    # Warnings of the driver itself.
    pytest.mark.filterwarnings("ignore:.*RemoteConnection:DeprecationWarning"),
]
Invite = Callable[..., Reader]
OPEN = "article.is-open"
# The button of the step that waits, in sight.
NEXT = """const buttons = [...document.querySelectorAll(".step-now button")]
    .filter((e) => e.checkVisibility() && !e.disabled);
const goes = /^(Roll for me|Stays captive|Nobody this time|Done)$|: Take$/;
const said = (e) => (e.ariaLabel || e.innerText).trim();
window.pressed = buttons.find((e) => goes.test(said(e))) ?? buttons[0];
window.pressed?.scrollIntoView({ block: "center", behavior: "instant" });
return window.pressed;"""
# Every answer takes 0.8 s from now on.
SLOW = """const { send } = XMLHttpRequest.prototype;
XMLHttpRequest.prototype.send = function (...sent) {
    setTimeout(() => send.apply(this, sent), 800);
};"""
# A name half typed, the cursor in it, a list folded and unfolded by hand.
MEANWHILE = """const field = document.querySelector("article.is-open [name=name]");
window.field = field;
field.focus();
field.value = "Aude la R";
field.setSelectionRange(5, 7);
const lists = [...document.querySelectorAll("article.is-open details[id]")];
for (const list of lists) list.open = !list.open;
window.lists = lists.map((list) => [list, list.open]);
return lists.length;"""
LEFT_ALONE = """return window.field.isConnected && document.activeElement === window.field
    && window.field.value === "Aude la R" && window.field.selectionStart === 5
    && window.field.selectionEnd === 7
    && window.lists.every(([list, open]) => list.isConnected && list.open === open);"""
# Whether the page has a dark background.
DARK = """const [red] = getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g);
return red < 80"""


def found(reader: Reader, game: str, name: str) -> None:
    """Found a gang from the front page."""
    reader.open("/")
    reader.press(game, "main")
    reader.fill("Name of the gang", name)
    reader.press("Create gang")
    reader.find("h1", name)


def recruit(reader: Reader, size: int, rank: str, name: str = "", count: int = 1) -> None:
    """Recruit through the panel, until the gang has this many members."""
    reader.tap("#recruiting input[type=radio]", rank, field=True)
    reader.fill("Name", name, "#recruiting")
    reader.fill("How many", str(count), "#recruiting")
    reader.press("Recruit", "#recruiting")
    # A narrow bar has no room for the number, which is counted nevertheless.
    said = "return document.querySelector('#size').textContent.trim()"
    reader.wait(lambda: reader.ask(said) == str(size), f"there are not {size} members")


def test_late_answer_keeps_changes_made_meanwhile(invite: Invite) -> None:
    """Two changes wait for each other, while the reader types, selects and unfolds."""
    reader = invite()
    found(reader, GOLD, "Les Corbeaux")
    recruit(reader, 1, "Leader", "Aude")
    reader.press("Edit Aude")
    reader.find(OPEN)
    reader.ask(SLOW)
    reader.press("Take Lucky", OPEN)
    reader.press("Take Shooter", OPEN)
    assert reader.ask(MEANWHILE)
    for name in ("Lucky", "Shooter"):
        reader.find(f"{OPEN} form > ul > li strong", name)
        assert reader.ask(LEFT_ALONE), name


def test_legal_gang_is_built_and_its_sheet_opened(invite: Invite) -> None:
    reader = invite()
    found(reader, GOLD, "Les Corbeaux")
    recruit(reader, 1, "Leader", "Aude")
    recruit(reader, 2, "Second", "Brice")
    recruit(reader, 6, "Henchman", "Gars", 4)
    reader.find("#summary #left", "2 / 12 Po")
    reader.press("Edit Aude")
    reader.press("Take Lucky", OPEN)
    reader.find("#summary #left", "1 / 12 Po")
    reader.press("Take Shooter", OPEN)
    reader.find("#summary #left", "0 / 12 Po")
    reader.find("#summary #count", "Legal")
    reader.looks()
    reader.press("Sheet", ".gang-tabs")
    reader.arrives("/sheet/$")
    reader.find("main :is(h2, h3)", "Aude")
    reader.looks()


def test_points_are_assigned_and_items_bought(invite: Invite) -> None:
    reader = invite()
    found(reader, WEST, "The Coyotes")
    recruit(reader, 1, "Leader", "Rosa")
    reader.press("Edit Rosa")
    reader.press("More Quickness", OPEN)
    reader.find(f"{OPEN} [data-left]", "19")
    reader.press("Assign evenly", OPEN)
    reader.find(f"{OPEN} [data-left]", "0")
    reader.press("Add gear", OPEN)
    reader.fill("Search", "bowie", OPEN)
    reader.press("Buy Bowie knife", OPEN)
    reader.find("#summary #rating", "103 XP")
    reader.press("Undo")
    reader.find("#summary #rating", "100 XP")


@pytest.fixture
def game(transactional_db: None) -> Game:
    """Return a game between alice and bob on a night in a week; alice runs the campaign."""
    alice, bob = (User.objects.create_user(name, password=PASSWORD) for name in ("alice", "bob"))
    campaign = make_campaign(alice, "au-un-pour-un")
    gangs = [make_player(campaign, user) for user in (alice, bob)]
    night = make_night(campaign, place="The back room")
    made = make_game(campaign, alice, *gangs, day=schedule.day_of(night))
    Game.objects.filter(pk=made.pk).update(night=night)
    return made


def test_night_is_answered_on_the_home_page(invite: Invite, game: Game) -> None:
    alice = invite("alice")
    alice.find("h1", "Next night")
    alice.press("I’m in")
    alice.find("[aria-pressed=true]", "I’m in")
    alice.find(".coming-counts", "Going 1")
    alice.press("Maybe")
    alice.find(".coming-counts", "Going 0 · Maybe 1")
    alice.looks()
    assert Attendance.objects.get().answer == "maybe"


def test_game_is_reported_confirmed_and_ended(invite: Invite, game: Game) -> None:
    alice, bob = invite("alice"), invite("bob")
    victim = game.sides.all()[1].gang.roster.members[1].name
    alice.open(game.get_absolute_url())
    alice.press("Report the result", "main")
    alice.tap(".ending")
    alice.tap(".fallen-name", victim)
    alice.looks()
    alice.press("Send the report", ".act-bar")
    alice.find(".page-head", "Waiting for confirmation")

    bob.open(game.get_absolute_url())
    bob.press("Yes, confirm")
    bob.find(".page-head", "Confirmed")
    bob.looks()
    bob.tap("main a[href*=postgame]")
    bob.find("h1", "Post-game of")
    for _step in range(20):
        if not (button := bob.ask(NEXT)):
            break
        button.click()
        bob.wait(lambda: bob.ask("return !window.pressed?.isConnected"), "nothing follows")
    bob.press("See what changes")
    bob.find("h1", "What changes for")
    bob.looks()
    bob.press("Apply it to the gang")
    bob.find("#messages", "saved")
    assert Game.objects.get(pk=game.pk).sides.all()[1].batch


def test_rules_are_shown_in_both_languages_and_in_the_dark_theme(invite: Invite) -> None:
    reader = invite()
    name = shipped(POINTS).items[-1].name
    reader.open(f"/rules/{POINTS}/")
    reader.fill("Search", name["en"])
    reader.tap("#found a", name["en"])
    reader.find(":target", name["en"])
    reader.driver.back()
    reader.find("#found a", name["en"])
    reader.looks()
    reader.tap(".band details.menu summary")
    reader.press("Français", ".band")
    reader.find("html[lang=fr]")
    reader.fill("Chercher", name["fr"])
    reader.find("#found a", name["fr"])
    reader.tap(".band details.menu summary")
    reader.tap(".band [name=theme][value=dark]")
    reader.wait(lambda: reader.ask(DARK), "it does not get dark")
