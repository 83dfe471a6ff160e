"""Narrow phones: a game's characteristics fit in one line, and so do both ways to throw."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import User
from campaigns.table import storage
from campaigns.table.taps import Out, PhaseBegan, TurnEnded
from gangs.ledger import writer
from gangs.models import Gang
from rules.library import load
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD, Person
from tests.browser.test_table import DUEL, DUELS, Evening, sit_down
from tests.campaigns.table.test_storage import pushed
from tests.gangs.rosters import member
from tests.random_cases import one_soon
from tests.rules.small import SMALL, Data, measured, row, small, text
from tests.world.gangs import SLUGS, entries_of, make_gang, shipped

pytestmark = [pytest.mark.browser, pytest.mark.long]


# The right edge of the summary's numbers, and the left edge of the buttons beside them.
EDGES = """() => {
  const right = (element) => {
    const words = document.createRange();
    words.selectNodeContents(element);
    return words.getBoundingClientRect().right;
  };
  const all = (selector) => [...document.querySelectorAll(selector)];
  const { top } = document.getElementById("counts").getBoundingClientRect();
  const buttons = all("#summary .btn").map((button) => button.getBoundingClientRect());
  const beside = buttons.filter(({ width, bottom }) => width && bottom > top);
  const values = all("#counts :is(dd, dt)").map(right);
  return [Math.max(...values), Math.min(...beside.map(({ left }) => left))];
}"""


# The words in the heads of a gang's cards that begin in one line and end in the next one.
BROKEN = """() => {
  const broken = [];
  for (const element of document.querySelectorAll(".card-member > header :is(h3, p > span)")) {
    const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    for (const node of texts) for (const word of node.data.matchAll(/\\p{L}{2,11}/gu)) {
      const letters = document.createRange();
      letters.setStart(node, word.index);
      letters.setEnd(node, word.index + word[0].length);
      const lines = new Set([...letters.getClientRects()].map(({ top }) => top));
      if (lines.size > 1) broken.push(word[0]);
    }
  }
  return broken;
}"""


def told_as(short: str, kind: str, key: str, **fields: Any) -> Data:
    return {**measured(kind, key, **fields), "short": text(short)}


# In the notations of different games: inches, modifiers, pools, two numbers.
NINE = [
    told_as("Mv", "number", "move", start=6, unit="″"),
    told_as("Ft", "number", "fight", start=2, signed=True),
    told_as("Sh", "number", "shoot", start=0, signed=True),
    told_as("Ar", "number", "armour", start=10),
    told_as("Wi", "number", "will", start=4, signed=True),
    told_as("He", "number", "health", start=14),
    told_as("Ne", "pool", "nerve", start="4k2"),
    told_as("Ai", "pair", "aim", start="3/1", parts=[text("fit"), text("hurt")]),
    told_as("Lu", "die", "luck", start="d10", sizes=["d6", "d8", "d10"]),
]


def test_nine_characteristics_fit_in_one_line(invite: Invite) -> None:
    owner = User.objects.create_user("alice", password=PASSWORD)
    book = small(characteristics=NINE, ranks=[row("rat", price=1)], money=SMALL["money"])
    gang = writer.found(load(book)[0], entries_of(book, member("rat", name="Wick")), owner=owner)
    alice = invite()
    alice.page.set_viewport_size({"width": 360, "height": 640})
    alice.sign_in("alice")
    for address in (gang.get_absolute_url(), f"{gang.get_absolute_url()}sheet/"):
        alice.open(address)
        tops = alice.page.locator(".statline").first.evaluate(
            "line => [...line.children].map(cell => cell.offsetTop)"
        )
        assert len(tops) == 9 and len(set(tops)) == 1
        assert alice.page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("language", ["en", "fr"])
def test_both_ways_to_throw_fit_in_one_line(invite: Invite, language: str) -> None:
    evening = sit_down(invite, DUELS)
    page = evening.alice.person.page
    User.objects.update(language=language)
    page.set_viewport_size({"width": 320, "height": 640})
    attempt = reverse("campaigns:table-attempt", args=[evening.table.pk, DUEL])
    page.goto(f"{attempt}?by={evening.of(1)[0]}")
    throw, tell = (page.locator(f".attempt-go button[value={how}]") for how in ("throw", "tell"))
    assert page.locator("html").get_attribute("lang") == language
    tops = [round((button.bounding_box() or {"y": -1})["y"]) for button in (throw, tell)]
    assert len(set(tops)) == 1


def found_samples(alice: Person, slug: str) -> list[Gang]:
    """Found every ready gang of a game for a reader of French, who signs in."""
    owner = User.objects.create_user("alice", password=PASSWORD, language="fr")
    alice.sign_in("alice")
    return [
        make_gang(owner, slug, number, f"The {number}")
        for number in range(len(shipped(slug).samples))
    ]


@pytest.mark.parametrize("slug", SLUGS)
def test_summary_of_a_gang_does_not_cover_its_buttons(invite: Invite, slug: str) -> None:
    """For every ready gang, in French, whose words are longer, on common phones."""
    alice = invite()
    for gang in found_samples(alice, slug):
        alice.open(gang.get_absolute_url())
        for width in (320, 345, 360, 375):
            alice.page.set_viewport_size({"width": width, "height": 640})
            values, buttons = alice.page.evaluate(EDGES)
            assert values <= buttons, (gang.name, width)


@pytest.mark.parametrize("slug", SLUGS)
def test_names_of_members_break_between_words(invite: Invite, slug: str) -> None:
    """In rows, cards and on the sheet of every ready gang, in French, on the narrowest phones."""
    alice = invite()
    for gang in found_samples(alice, slug):
        here = gang.get_absolute_url()
        for address in (f"{here}?roster=rows", f"{here}?roster=cards", f"{here}sheet/"):
            alice.open(address)
            for width in (320, 375):
                alice.page.set_viewport_size({"width": width, "height": 640})
                assert alice.page.evaluate(BROKEN) == [], (gang.name, address, width)


# The buttons of the bar whose words do not fit into them.
CUT = """() => [...document.querySelectorAll(".table-steps .btn, .table-steps .table-now")]
    .filter((button) => button.checkVisibility())
    .filter((button) => button.scrollWidth > button.clientWidth + 1
        || button.scrollHeight > button.clientHeight + 1
        || getComputedStyle(button).webkitLineClamp !== "none")
    .map((button) => button.textContent.trim())"""
# The places, from the top, of the first and the last button of the bar.
ENDS = """() => [".table-undo", "[popovertarget=table-more]"]
    .map((end) => document.querySelector(`.table-steps ${end}`).getBoundingClientRect().y)
    .map(Math.round)"""


def lose_most(evening: Evening) -> None:
    """Put most of side 2 and the leader of side 1 out of action, so that much falls due."""
    out = [*evening.of(2)[1:], evening.of(1)[0]]
    storage.push(evening.table, None, [pushed(Out(figure=key)) for key in out])


@pytest.mark.parametrize("slug", one_soon(SLUGS))
def test_due_takes_at_most_a_third_of_the_screen(invite: Invite, slug: str) -> None:
    """However much is due: what does not fit scrolls, and is within reach."""
    evening = sit_down(invite, slug)
    lose_most(evening)
    page = evening.alice.person.page
    page.goto(evening.table.get_absolute_url())
    for width, height in ((320, 568), (375, 667)):
        page.set_viewport_size({"width": width, "height": height})
        box = page.locator("#table-due").bounding_box()
        assert box and 0 < box["height"] <= height / 3
    last = page.locator("#table-due :is(a, button)").last
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport(ratio=1)


def test_due_does_not_move_the_figure_that_a_player_looks_at(invite: Invite) -> None:
    """Neither when they have scrolled down nor at the top of the page."""
    evening = sit_down(invite, "zombstone")
    page = evening.bob.person.page
    for key in evening.of(1)[:2]:
        figure = page.locator(f"[data-figure='{evening.of(2)[0]}']")
        before = figure.bounding_box()
        with evening.bob.hears():
            storage.push(evening.table, None, [pushed(Out(figure=key, mark="hs"))])
        expect(page.locator("#table-due")).to_contain_text("a star has fallen")
        after = figure.bounding_box()
        assert before and after and abs(before["y"] - after["y"]) <= 2
        page.mouse.wheel(0, 200)


@pytest.mark.parametrize("slug", one_soon(SLUGS))
def test_next_step_is_never_cut(invite: Invite, slug: str) -> None:
    """In both languages, at each step of a turn in which much is due."""
    evening = sit_down(invite, slug)
    lose_most(evening)
    page = evening.alice.person.page
    for phase in (None, *(one.key for one in evening.table.book.phases)):
        storage.push(evening.table, None, [pushed(PhaseBegan(phase=phase))] if phase else [])
        for language in ("en", "fr"):
            User.objects.update(language=language)
            page.goto(evening.table.get_absolute_url())
            expect(page.locator("#table.is-live")).to_be_visible()
            for width in (320, 375):
                page.set_viewport_size({"width": width, "height": 640})
                assert page.evaluate(CUT) == [], (language, width, phase)
            # The narrowest phones have a row for the next step alone; all others have one row.
            assert len({*page.evaluate(ENDS)}) == 1, (language, phase)


# The words that have room for a few letters on a line, and the controls beside the screen.
CRAMPED = """() => {
    const texts = "main :is(span, strong, b, small, p, li, a, button)";
    const words = [...document.querySelectorAll(texts)]
        .filter((e) => e.checkVisibility() && !e.closest(".visually-hidden, .chip, h1, h2"))
        .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim().length > 4));
    const em = (e) => parseFloat(getComputedStyle(e).fontSize);
    return words.filter((e) => {
        const { width, height } = e.getBoundingClientRect();
        return width > 1 && width < 2.5 * em(e) && height > 3 * em(e);
    }).map((e) => e.textContent.trim());
}"""
SEEN = "header :is(a, summary), .table-bar .btn, .attempt :is(.btn, select, dt, dd)"
BESIDE = """(seen) => [...document.querySelectorAll(seen)]
    .filter((e) => e.checkVisibility() && !e.closest("[popover], .visually-hidden, .skip-link"))
    .filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
    .map((e) => e.outerHTML)"""


def enlarge(page: Page, size: str) -> None:
    page.evaluate("(size) => { document.documentElement.style.fontSize = size; }", size)


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("slug", one_soon(SLUGS))
def test_table_is_usable_with_large_text(invite: Invite, slug: str, language: str) -> None:
    """Nothing is beside the screen, and no word stands with a letter on each line: at the table and
    on the page of a roll, whose box does not cover its fields."""
    evening = sit_down(invite, slug)
    User.objects.update(language=language)
    lose_most(evening)
    storage.push(evening.table, None, [pushed(TurnEnded())])
    page = evening.alice.person.page
    attack = next(row.key for row in evening.table.book.rolls if row.at == "member")
    attacking = reverse("campaigns:table-attempt", args=[evening.table.pk, attack])
    for address in (evening.table.get_absolute_url(), f"{attacking}?by={evening.of(1)[1]}"):
        page.goto(address)
        assert page.locator("html").get_attribute("lang") == language
        if address == evening.table.get_absolute_url():
            expect(page.locator("#table.is-live")).to_be_visible()
        for width, size in product((320, 375), ("150%", "200%")):
            page.set_viewport_size({"width": width, "height": 640})
            enlarge(page, size)
            about = (address, width, size)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, about
            assert page.evaluate(BESIDE, SEEN) == [], about
            assert page.evaluate(CRAMPED) == [], about
            go = page.locator(".attempt-go")
            if size == "200%" and go.count():
                expect(go).to_have_css("position", "static")
