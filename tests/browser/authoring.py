"""Writing a game on its pages, as an author does: by labels, without a word of JSON or TOML."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from playwright.sync_api import Locator, expect

from tests.browser.person import Person

# A field by its label: a text or number, the words of a choice, whether it is ticked, the labels of
# the boxes to tick, or the rows of a part, each with its kind ("" if it has none) and fields.
type Fields = Mapping[str, Any]


class Author:
    """Somebody who writes a game. ``game``: the address of its page; ``rows``: those added."""

    def __init__(self, person: Person) -> None:
        self.person, self.page = person, person.page
        self.game, self.rows = "", 0

    def begin(self, name: str) -> None:
        """Start an empty game."""
        self.person.open("/editor/")
        self.person.follow("New rulebook")
        self.page.get_by_label("Name of the game").fill(name)
        self.person.press("Start")
        expect(self.page.locator("h1")).to_have_text(name)
        self.game = self.page.url

    def open_table(self, table: str) -> None:
        """Open a table from the game's page, folded or not."""
        self.person.open(self.game)
        main = self.page.locator("main")
        link = main.get_by_role("link", name=table, exact=True, include_hidden=True)
        if not link.is_visible():
            link.locator("xpath=ancestor::details/summary").click()
        link.click()
        expect(self.page.locator("h1")).to_have_text(table)

    def add(self, table: str, button: str, *rows: Fields, kind: str = "") -> None:
        """Add rows to a table, one after the other; ``kind``: of all of them."""
        self.open_table(table)
        self.person.follow(button)
        if kind:
            self._choose_kind(kind)
        for place, row in enumerate(rows):
            self.fill(row)
            last = place == len(rows) - 1
            self.person.press("Add it" if last else "Add it, and another")
            self.is_kept()
            self.rows += 1

    def _choose_kind(self, kind: str) -> None:
        """Choose the kind of new rows; the page then comes with its fields."""
        choice = self.page.locator("#sort")
        if choice.locator("option:checked").inner_text() != kind:
            (chosen,) = choice.select_option(label=kind)
            expect(self.page.locator(f"form[action$='={chosen}']")).to_be_visible()

    def change(self, table: str, row: str, fields: Fields) -> None:
        """Change a row of a table."""
        self.open_table(table)
        self.person.follow(row)
        self.save(fields)

    def open_part(self, name: str) -> None:
        """Open a part of the game that is no table."""
        self.person.open(self.game)
        self.person.follow(name)
        expect(self.page.locator("h1")).to_have_text(name)

    def remove(self, table: str, row: str) -> None:
        """Remove a row of a table."""
        self.open_table(table)
        self.person.follow(row)
        self.page.locator("summary").get_by_text("Remove…").click()
        self.person.press("Remove it")
        listed = self.page.locator("main").get_by_role("link", name=row, exact=True)
        expect(listed).to_have_count(0)

    def change_dice_row(self, table: str, row: str, fields: Fields) -> None:
        """Change a row of a dice table, reached through the list of dice tables."""
        self.open_table("Dice tables")
        listed = self.page.locator("main li").filter(has_text=table)
        self.person.follow("Its rows", listed)
        self.person.follow(row)
        self.save(fields)

    def save(self, fields: Fields) -> None:
        """Fill in the form of the page, and save it."""
        self.fill(fields)
        self.person.press("Save", self.page.locator(".form-actions"))
        self.is_kept()

    def is_kept(self) -> None:
        """Expect that the form was stored: no field of the next page has a mistake."""
        self.page.wait_for_load_state()
        wrong = self.page.locator(".invalid-feedback, main .alert-danger")
        told = "element => element.closest('[id^=field-]')?.innerText ?? element.innerText"
        assert wrong.count() == 0, [one.evaluate(told) for one in wrong.all()]

    # Filling in

    def fill(self, fields: Fields, within: Locator | None = None) -> None:
        """Fill in fields by their labels."""
        for label, value in fields.items():
            place = within or self.page.locator("main form.panel")
            if isinstance(value, list) and value and isinstance(value[0], tuple):
                self._add_to_part(place, label, value)
            elif isinstance(value, list):
                self._tick(place, label, value)
            elif isinstance(value, Mapping):
                self.fill(value, self._unfolded(place, label))
            else:
                self._set(place, label, value)

    def _set(self, place: Locator, label: str, value: str | bool) -> None:
        field = place.get_by_label(re.compile(rf"^\s*{re.escape(label)}\s*\*?\s*$")).first
        if not field.is_visible():
            field.evaluate("field => { field.closest('details').open = true }")
        if isinstance(value, bool):
            field.set_checked(value)
        elif field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(label=value)
        else:
            field.fill(value)

    def _tick(self, place: Locator, label: str, boxes: Sequence[str]) -> None:
        group = place.locator("fieldset, details").filter(
            has=self.page.locator("legend, summary").get_by_text(label, exact=True)
        )
        group.last.evaluate("group => { if (group.tagName === 'DETAILS') group.open = true }")
        for box in boxes:
            group.last.get_by_label(box, exact=True).check()

    def _unfolded(self, place: Locator, label: str) -> Locator:
        """The fields of a part that is one value, unfolded."""
        part = place.locator("details.part").filter(
            has=self.page.locator("summary").filter(has_text=re.compile(rf"^{re.escape(label)}"))
        )
        part.first.evaluate("part => { part.open = true }")
        return part.first

    def _add_to_part(self, place: Locator, label: str, rows: Sequence[tuple[str, Fields]]) -> None:
        """Add rows to a list inside the form; the page comes again with each of them."""
        prefix = self._part(place, label).get_attribute("id")
        for kind, fields in rows:
            part = self.page.locator(f"#{prefix}")
            count = part.locator(":scope > .panel").count()
            if kind:
                chosen = part.locator(":scope > p > select")
                chosen.select_option(label=kind)
            part.locator(":scope > p > button[name=more]").click()
            expect(part.locator(":scope > .panel")).to_have_count(count + 1)
            self.fill(fields, part.locator(":scope > .panel").last)

    def _part(self, place: Locator, label: str) -> Locator:
        legend = self.page.locator("legend").get_by_text(label, exact=True)
        return place.locator("fieldset.part").filter(has=legend).last
