"""A phone without scripts at a table: it opens pages and presses the buttons of their forms."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from django.test import Client

from tests.hostile.forms import Field, Form, forms_of, links_of

Values = dict[str, str | list[str]]
LINE = re.compile(r'<li id="tap-\d+" data-act="([0-9a-f-]+)">(.*?)</li>', re.S)
# Fields that a person does not fill in have their values from the page.
CHOSEN = ("checkbox", "radio")
NEVER_SENT = ("submit", "image", "file", "reset", "button")


@dataclass(frozen=True)
class Page:
    """A page as it was when it was opened: its forms have the hidden fields of that moment."""

    address: str
    html: str
    forms: list[Form]

    def form(self, name: str = "") -> Form | None:
        """Return the form with this id, or else the first with a button that this names."""
        for form in self.forms:
            if form.name == name or any(one.name == name for one in buttons_of(form)):
                return form
        return None

    def links(self, part: str) -> list[str]:
        """Return the links whose addresses contain this part."""
        return [link for link in links_of(self.html.encode()) if part in link]


@dataclass(frozen=True)
class Answer:
    """The answer to a press. ``page``: shown instead of a redirect."""

    location: str
    page: Page | None


class FormPhone:
    """A phone of a player or of a spectator."""

    def __init__(self, name: str, client: Client) -> None:
        self.name, self.client = name, client

    def open(self, address: str) -> Page:
        """Open a page."""
        answer = self.client.get(address, follow=True)
        assert answer.status_code == 200, (address, answer.status_code)
        return _page(answer.request["PATH_INFO"], answer)

    def press(self, page: Page, form: Form, button: Field, changes: Values | None = None) -> Answer:
        """Press a button of a page's form. ``changes``: what the player has filled in."""
        sent = values_of(form) | (changes or {})
        sent |= {button.name: button.value} if button.name else {}
        address = urljoin(form.action, button.attributes.get("formaction", ""))
        answer = self.client.post(address, sent)
        assert answer.status_code in (200, 302, 422), (address, answer.status_code)
        if answer.status_code == 302:
            return Answer(answer["Location"], None)
        return Answer("", _page(address, answer))


def _page(address: str, answer: Any) -> Page:
    return Page(address, answer.content.decode(), forms_of(address, answer.content))


def buttons_of(form: Form, name: str = "") -> list[Field]:
    """Return the buttons of a form, all or those of one name."""
    return [one for one in form.fields if one.kind == "submit" and name in ("", one.name)]


def taps_of(button: Field) -> list[dict[str, Any]]:
    """Return the taps that a button sends."""
    found: list[dict[str, Any]] = json.loads(button.value)
    return found


def values_of(form: Form) -> Values:
    """Return the values that a form sends if nobody changes anything."""
    found: Values = {}
    for one in form.fields:
        if one.kind in NEVER_SENT or (one.kind in CHOSEN and not one.checked):
            continue
        value = one.value
        if one.kind == "select":
            value = (one.chosen or one.options or [""])[0]
        there = found.get(one.name)
        if one.kind == "radio" or there is None:
            found[one.name] = value
        else:
            found[one.name] = [*([there] if isinstance(there, str) else there), value]
    return found


def number_of(form: Form, name: str) -> int:
    """Return the number in a hidden field."""
    value = values_of(form)[name]
    return int(value if isinstance(value, str) else value[0])


def story_lines(html: str) -> list[tuple[str, list[Field]]]:
    """Return the act of each line of the story, and the buttons of the line."""
    found = []
    for act, line in LINE.findall(html):
        forms = forms_of("", f"<form>{line}</form>".replace(' form="telling"', "").encode())
        found.append((act, buttons_of(forms[0], "taps")))
    return found
