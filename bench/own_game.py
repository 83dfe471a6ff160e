"""The cost of writing a game without TOML: presses, pages and seconds.

The author starts on the page of their rulebooks and knows no address: they follow links and press
buttons by their words, and fill fields by their labels. A field that is typed into, pasted into or
chosen in counts as one press. The game has four ranks, twelve items, six traits, dice tables, the
steps after a game and a roll; at the end it is published.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from playwright.sync_api import Locator, Page

CHARACTERISTICS = """Name\tAbbreviation\tText\tAt the start
Skill\tSk\tHow well a member fights and shoots.\t3
Might\tMi\tHow hard a member hits.\t3
Guard\tGu\tHow hard a member is to hurt.\t3
Nerve\tNe\tHow long a member stands their ground.\t7
Life\tLi\tThe wounds that a member can take.\t1"""
RANKS = """Name\tPrice\tMove\tSkill\tMight\tGuard\tNerve\tLife
Leader\t60\t4\t5\t4\t4\t9\t2
Champion\t45\t4\t4\t4\t3\t8\t1
Fighter\t30\t4\t3\t3\t3\t7\t1
Runner\t20\t5\t2\t3\t3\t6\t1"""
TRAITS = """Name\tPrice\tWhat it does
Nimble\t10\tClimbs as fast as they walk.
Stubborn\t10\tNever flees before the third turn.
Sharp-eyed\t15\tSees through smoke.
Heavy-handed\t15\tBreaks doors without a roll.
Fearless\t20\tIgnores terror.
Quick\t20\tActs first in a fight."""
GROUPS = """Name\tColumns
Blades\tReach, Power
Guns\tRange, Power
Gear\tUse"""
ITEMS = """Name\tKind\tPrice\tReach\tRange\tPower\tUse
Knife\tBlades\t5\t0\t\t0
Sabre\tBlades\t10\t1\t\t1
Spear\tBlades\t10\t2\t\t0
Axe\tBlades\t12\t1\t\t2
Pistol\tGuns\t15\t\t10\t1
Musket\tGuns\t25\t\t24\t2
Bow\tGuns\t15\t\t18\t0
Blunderbuss\tGuns\t20\t\t8\t2
Rope\tGear\t5\t\t\t\tClimb down any wall.
Lantern\tGear\t5\t\t\t\tSee in the dark.
Bandages\tGear\t10\t\t\t\tHeal a wound after the game.
Whistle\tGear\t5\t\t\t\tCall a friend."""
WEATHER = """1\tStorm\tNobody shoots beyond 12.
2-3\tRain\tGuns misfire on a 1.
4-6\tClear\tNothing happens."""


@dataclass
class Author:
    """A person who writes a game, and the cost of their way."""

    page: Page
    presses: int = 0
    pages: int = 0
    began: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(20_000)
        self.page.on("domcontentloaded", self._count)

    def _count(self, _page: Page) -> None:
        self.pages += 1

    def begin(self) -> None:
        """Count from here."""
        self.presses, self.pages, self.began = 0, 0, time.perf_counter()

    def follow(self, words: str) -> None:
        """Follow a link that the page shows."""
        self._press(self.page.get_by_role("link", name=words, exact=True))

    def press(self, words: str) -> None:
        """Press a button that the page shows."""
        self._press(self.page.locator("main").get_by_role("button", name=words, exact=True))

    def unfold(self, words: str) -> None:
        """Open a folded part."""
        self._press(self.page.locator("summary").filter(has_text=words))

    def _press(self, what: Locator) -> None:
        what.first.click()
        self.presses += 1
        self.page.wait_for_load_state("networkidle")

    def enter(self, label: str, text: str, place: int = 0) -> None:
        """Type or paste into the field with this label; ``place``: which one of several."""
        self._fields(label).nth(place).fill(text)
        self.presses += 1

    def _fields(self, label: str) -> Locator:
        """Return the fields with this label that the page shows."""
        return self.page.get_by_label(label, exact=True).locator("visible=true")

    def choose(self, label: str, words: str, place: int = 0) -> None:
        """Choose in the list with this label; ``place``: which one of several."""
        self._fields(label).nth(place).select_option(label=words)
        self.presses += 1

    def tick(self, label: str) -> None:
        """Tick a box."""
        self._fields(label).check()
        self.presses += 1

    def paste(self, text: str, *, update: bool = False) -> None:
        """Paste rows into the table that is shown, and add them."""
        self.follow("From a spreadsheet")
        self.enter("The list*", text)
        if update:
            self.tick("Change rows that have the same name, instead of adding a second one")
        self.press("Add all")

    @property
    def minutes(self) -> float:
        """Return the minutes since the beginning."""
        return (time.perf_counter() - self.began) / 60


def write_game(author: Author, name: str) -> None:
    """Write and publish a game, from the page of the author's rulebooks."""
    author.follow("New rulebook")
    author.enter("Name of the game*", name)
    author.press("Start")
    author.follow("Characteristics")
    author.paste(CHARACTERISTICS)
    author.follow("Next: Ranks")
    author.paste(RANKS, update=True)
    author.follow("Next: Traits and skills")
    author.paste(TRAITS)
    author.follow("Next: Kinds of items")
    author.paste(GROUPS)
    author.follow("Next: Weapons and items")
    author.paste(ITEMS)
    author.follow(name)
    author.follow("Choose a campaign")
    author.follow("Experience and injuries")
    author.press("Take this campaign")
    author.follow("Back to the game")
    author.follow("Dice tables")
    author.follow("Add a dice table")
    author.enter("Name*", "Weather")
    author.enter("Dice*", "1d6")
    author.enter("Rows*", WEATHER)
    author.press("Add it")
    author.follow(name)
    author.follow("Rolls")
    author.follow("Add an attack")
    author.enter("Name of the attack*", "Attack")
    author.tick("Blades")
    author.tick("Guns")
    author.choose("A die hits by", "a number of the attacker or the weapon")
    author.choose("Number of the attacker or the weapon", "Skill")
    author.choose("A die succeeds with", "this number or less")
    author.choose("A hit wounds by", "one number compared with another: each point counts")
    author.choose("Number of the attacker or the weapon", "Might", 1)
    author.choose("Number of the target", "Guard")
    author.press("Add it")
    author.follow(name)
    author.follow("Publish…")
    author.press("Publish")
