"""A person at a browser without scripts, each of whose requests goes to any of the sites."""

from __future__ import annotations

import http.client
import random
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.cookies import SimpleCookie
from urllib.parse import urlencode, urljoin, urlsplit

PATIENCE = 120


class Unanswered(Exception):
    """Raised when the connection broke: nobody knows whether the site did what was requested."""


@dataclass
class Form:
    """A form of a page: the values it sends if nobody touches it, and its buttons. ``is_answered``:
    one of its buttons is pressed, because it shows an answer that was given.
    """

    action: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    buttons: list[tuple[str, str]] = field(default_factory=list)
    choices: dict[str, list[str]] = field(default_factory=dict)
    is_answered: bool = False

    def filled(self, **values: str | Sequence[str]) -> list[tuple[str, str]]:
        """Return the values that the form sends with some fields filled in."""
        sent = [(name, value) for name, value in self.fields if name not in values]
        for name, value in values.items():
            sent += [(name, one) for one in ([value] if isinstance(value, str) else value)]
        return sent


class Page(HTMLParser):
    """The forms and links of a page."""

    def __init__(self, address: str, text: str) -> None:
        super().__init__()
        self.address, self.text = address, text
        self.forms: list[Form] = []
        self.links: list[str] = []
        self._form: Form | None = None
        self._select, self._area = "", ""
        self._chosen: str | None = None
        self._first: str | None = None
        self.feed(text)

    def form(self, part: str, choice: str = "") -> Form:
        """Return the first form whose address contains this part, and that offers this choice."""
        found = (form for form in self.forms if part in form.action)
        return next(form for form in found if not choice or choice in form.choices)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See HTMLParser."""
        given = {name: value or "" for name, value in attrs}
        name, value = given.get("name", ""), given.get("value", "")
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "form" and given.get("method", "").lower() == "post":
            self._form = Form(urljoin(self.address, given.get("action") or self.address))
            self.forms.append(self._form)
        form = self._form
        if form is None or (("disabled" in given) and tag != "option"):
            return
        if tag == "button" and given.get("type") != "button" and "formnovalidate" not in given:
            form.buttons.append((name, value))
            form.is_answered |= given.get("aria-pressed") == "true"
        elif tag == "input" and name:
            kind = given.get("type", "text")
            if kind in {"radio", "checkbox"}:
                # Without a value it is "on"; the chosen option may be empty.
                value = given.get("value", "on")
                form.choices.setdefault(name, []).append(value)
                if "checked" in given:
                    form.fields.append((name, value))
            elif kind == "submit":
                form.buttons.append((name, value))
            elif kind != "file":
                form.fields.append((name, value))
        elif tag == "select":
            self._select, self._chosen, self._first = name, None, None
        elif tag == "option" and self._select:
            if "disabled" not in given and value:
                form.choices.setdefault(self._select, []).append(value)
            if self._first is None:
                self._first = value
            if "selected" in given:
                self._chosen = value
        elif tag == "textarea":
            self._area = name
            form.fields.append((name, ""))

    def handle_data(self, data: str) -> None:
        """See HTMLParser."""
        if self._area and self._form is not None:
            name, value = self._form.fields[-1]
            self._form.fields[-1] = name, value + data

    def handle_endtag(self, tag: str) -> None:
        """See HTMLParser."""
        if tag == "select" and self._form is not None:
            chosen = self._first if self._chosen is None else self._chosen
            self._form.fields.append((self._select, chosen or ""))
            self._select = ""
        elif tag == "textarea":
            if self._area and self._form is not None:
                name, value = self._form.fields[-1]
                self._form.fields[-1] = name, value.removeprefix("\n")
            self._area = ""
        elif tag == "form":
            self._form = None


@dataclass(frozen=True)
class Answer:
    """An answer of a site."""

    status: int
    location: str
    content: bytes
    headers: Mapping[str, str]


class Browser:
    """One person's browser. ``ports``: the ports of the sites; ``dice`` choose the site for each
    request.
    """

    def __init__(self, ports: Sequence[int], dice: random.Random) -> None:
        self.ports = ports
        self.dice = dice
        self.cookies: dict[str, str] = {}

    def ask(
        self,
        path: str,
        body: bytes | None = None,
        content_type: str = "application/x-www-form-urlencoded",
        port: int | None = None,
        accept: str = "text/html",
    ) -> Answer:
        """Send one request without following a redirect. Raises Unanswered."""
        site = port or self.dice.choice(self.ports)
        connection = http.client.HTTPConnection("127.0.0.1", site, timeout=PATIENCE)
        headers = {"Accept": accept, "Accept-Language": "en"}
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if body is not None:
            headers["Content-Type"] = content_type
        try:
            connection.request("GET" if body is None else "POST", path, body, headers)
            response = connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise Unanswered(path) from error
        finally:
            connection.close()
        for line in response.headers.get_all("Set-Cookie", []):
            for name, morsel in SimpleCookie(line).items():
                self.cookies[name] = morsel.value
        place = urlsplit(response.headers.get("Location", ""))
        location = place.path + (f"?{place.query}" if place.query else "")
        return Answer(response.status, location, content, dict(response.headers))

    def get(self, path: str, port: int | None = None) -> Page:
        """Return a page, following redirects. Raises Unanswered, and AssertionError if the answer
        is not a page.
        """
        for _hop in range(5):
            answer = self.ask(path, port=port)
            if answer.status not in (301, 302):
                break
            path = answer.location
        assert answer.status == 200, f"{answer.status} from {path}"
        return Page(path, answer.content.decode())

    def send(self, form: Form, *, port: int | None = None, **values: str | Sequence[str]) -> Answer:
        """Send a form."""
        path = urlsplit(form.action).path
        query = urlsplit(form.action).query
        body = urlencode(form.filled(**values)).encode()
        return self.ask(path + (f"?{query}" if query else ""), body, port=port)

    def upload(self, form: Form, name: str, content: bytes) -> Answer:
        """Send a form with a file."""
        mark = uuid.uuid4().hex
        start = f"--{mark}\r\nContent-Disposition: form-data; name="
        parts = [f'{start}"{field}"\r\n\r\n{value}\r\n'.encode() for field, value in form.fields]
        head = f'{start}"{name}"; filename="a.jpg"'
        parts.append(f"{head}\r\nContent-Type: image/jpeg\r\n\r\n".encode() + content + b"\r\n")
        parts.append(f"--{mark}--\r\n".encode())
        return self.ask(
            urlsplit(form.action).path, b"".join(parts), f"multipart/form-data; boundary={mark}"
        )
