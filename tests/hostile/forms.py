"""The forms of a page, as a browser understands them, and how a person fills them in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, timedelta
from html import unescape
from html.parser import HTMLParser
from random import Random
from urllib.parse import urljoin, urlsplit

# Fields that identify the page that was seen. They are left alone, unless they are the target.
TOKENS = re.compile(r"csrfmiddlewaretoken|token|.*version.*|seen.*|draft|gang_seen")
CSRF = "csrfmiddlewaretoken"
PARTS = re.compile(rb"<form\b.*?</form>", re.S | re.I)
# Buttons and fields may be outside the form that they name.
OUTSIDE = re.compile(rb"<(?:input|button|select|textarea)\b[^>]*\sform=[^>]*>", re.I)
LINKS = re.compile(rb'\s(?:href|src|hx-get)="(/[^"#]*)')
PASSWORD = "correct horse battery"


@dataclass
class Field:
    """An element with a name and a value that the form sends."""

    name: str
    kind: str
    value: str = ""
    checked: bool = False
    required: bool = False
    options: list[str] = field(default_factory=list)
    chosen: list[str] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass
class Form:
    """A form: its address, method and fields."""

    method: str
    action: str
    multipart: bool = False
    name: str = ""
    fields: list[Field] = field(default_factory=list)

    @property
    def signature(self) -> tuple[str, str, tuple[str, ...]]:
        """Return a key that is equal for forms that differ only in numbers in names and
        addresses.
        """
        names = {re.sub(r"\d+", "#", each.name) for each in self.fields}
        return self.method, re.sub(r"[0-9a-f-]{36}|\d+", "#", self.action), tuple(sorted(names))


class _Reader(HTMLParser):
    """Collects forms and their fields."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.page = page
        self.forms: list[Form] = []
        self.loose: list[tuple[str, Field]] = []
        self.open: Form | None = None
        self.select: Field | None = None
        self.area: Field | None = None
        # Whether the open option is chosen, if its words are its value.
        self.option: bool | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            method = "POST" if "hx-post" in given else given.get("method", "get").upper()
            action = given.get("hx-post") or given.get("action") or self.page
            action = urlsplit(urljoin(self.page, action))._replace(fragment="").geturl()
            multipart = given.get("enctype", "").startswith("multipart")
            self.open = Form(method, action, multipart, given.get("id", ""))
            self.forms.append(self.open)
        elif tag == "option" and self.select is not None:
            self.option = "selected" in given
            if "value" in given:
                self._choose(given["value"])
        elif tag in ("input", "button", "select", "textarea") and given.get("name"):
            kind = {"input": given.get("type", "text"), "button": "submit"}.get(tag, tag)
            found = Field(
                given["name"],
                kind,
                given.get("value", "on" if kind in ("checkbox", "radio") else ""),
                "checked" in given,
                "required" in given,
                attributes=given,
            )
            if "disabled" in given or (tag == "button" and given.get("type") == "button"):
                return
            if given.get("form"):
                self.loose.append((given["form"], found))
            elif self.open is not None:
                self.open.fields.append(found)
            self.select = found if tag == "select" else self.select
            self.area = found if tag == "textarea" else None

    def _choose(self, value: str) -> None:
        """Add the open option to its list."""
        if self.select is None or self.option is None:
            return
        self.select.options.append(value)
        if self.option:
            self.select.chosen.append(value)
        self.option = None

    def handle_data(self, data: str) -> None:
        self._choose(data.strip())
        if self.area is not None:
            self.area.value += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.open = None
        elif tag == "select":
            self.select = None
        elif tag == "textarea":
            self.area = None


def forms_of(page: str, body: bytes) -> list[Form]:
    """Return the forms of a page. Only the parts inside a form, or naming one, are parsed."""
    reader = _Reader(page)
    parts = [*PARTS.findall(body), *OUTSIDE.findall(body)]
    reader.feed(b"\n".join(parts).decode("utf-8", "replace"))
    reader.close()
    by_name = {form.name: form for form in reader.forms if form.name}
    for name, found in reader.loose:
        if name in by_name and found not in by_name[name].fields:
            by_name[name].fields.append(found)
    return reader.forms


def links_of(body: bytes) -> list[str]:
    """Return the addresses on this site to which a page links, and those that it shows: each once,
    in the page's order, so that the same dice choose the same link.
    """
    return list(
        dict.fromkeys(unescape(link.decode("utf-8", "replace")) for link in LINKS.findall(body))
    )


def filled(form: Form, dice: Random, password: str = PASSWORD) -> list[tuple[str, str]]:
    """Return the form's values as a careful person sends them, without files."""
    sent = []
    buttons = [each for each in form.fields if each.kind in ("submit", "image")]
    radios: dict[str, list[Field]] = {}
    for each in form.fields:
        if each.kind == "radio":
            radios.setdefault(each.name, []).append(each)
        elif each.kind == "checkbox":
            if each.required or dice.random() < (0.7 if each.checked else 0.3):
                sent.append((each.name, each.value))
        elif each.kind == "select":
            sent += [(each.name, value) for value in _selected(each, dice)]
        elif each.kind not in ("submit", "image", "file", "reset", "button"):
            sent.append((each.name, _value(each, dice, password)))
    for name, choices in radios.items():
        checked = [each for each in choices if each.checked]
        chosen = checked[0] if checked and dice.random() < 0.5 else dice.choice(choices)
        sent.append((name, chosen.value))
    if buttons:
        pressed = dice.choice(buttons)
        sent.append((pressed.name, pressed.value))
    return sent


def _selected(select: Field, dice: Random) -> list[str]:
    if not select.options:
        return []
    if "multiple" in select.attributes:
        return dice.sample(select.options, min(len(select.options), dice.randint(0, 3)))
    if select.chosen and dice.random() < 0.5:
        return select.chosen[:1]
    some = [value for value in select.options if value] if select.required else select.options
    return [dice.choice(some or select.options)]


def _value(each: Field, dice: Random, password: str) -> str:
    """Return the value that is there already, or a value that such a field accepts."""
    if each.kind == "hidden" or (each.value and dice.random() < 0.7):
        return each.value
    if each.kind == "number":
        low = int(float(each.attributes.get("min") or 0))
        high = int(float(each.attributes.get("max") or low + 20))
        return str(dice.randint(low, max(low, high)))
    if each.kind == "password":
        return password
    day = date.today() + timedelta(days=dice.randint(-30, 30))
    samples = {
        "date": day.isoformat(),
        "datetime-local": f"{day.isoformat()}T19:30",
        "time": "19:30",
        "email": f"somebody{dice.randrange(10**6)}@example.org",
        # Nothing answers there: the site may connect to it.
        "url": "https://club.example/",
        "color": "#aabbcc",
    }
    if each.kind in samples:
        return samples[each.kind]
    words = dice.choice(("Ada", "The Crows", "Émile & fils", "Old Tom", "3", "x"))
    return f"{words} {dice.randrange(10**4)}" if each.required or dice.random() < 0.6 else ""
