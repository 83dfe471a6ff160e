"""A request and its answer as values, which can be kept in a file and sent again."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import time
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.hostile import measuring

BOUNDARY = "----skirmish7MA4YWxkTrZu0gW"
# Only ends a request that hangs, on any machine.
TIMEOUT = 120


@dataclass(frozen=True)
class Upload:
    """A file in a form."""

    field: str
    name: str
    kind: str
    content: bytes


@dataclass(frozen=True)
class Request:
    """A request: ``fields`` and ``uploads`` of a form, or any ``body``.

    ``page`` is the address of the form and ``kept`` are its fields that were left unchanged
    (tokens, versions): a replay takes them from the page as it is then. ``own``: the sender was
    shown this form and its tokens are valid, so the form's own checks must answer.
    """

    method: str
    path: str
    person: str = "visitor"
    fields: tuple[tuple[str, str], ...] = ()
    uploads: tuple[Upload, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    multipart: bool = False
    page: str = ""
    kept: tuple[str, ...] = ()
    own: bool = False
    what: str = ""

    def encoded(self) -> tuple[str, list[tuple[str, str]], bytes]:
        """Return path, headers and body in bytes."""
        path, headers, body = self.path, list(self.headers), self.body
        if body is None and self.method in ("GET", "HEAD"):
            if self.fields:
                path = urlsplit(path)._replace(query=_url_encoded(self.fields)).geturl()
            return path, headers, b""
        if body is None and (self.multipart or self.uploads):
            headers.append(("Content-Type", f"multipart/form-data; boundary={BOUNDARY}"))
            body = _multipart(self.fields, self.uploads)
        elif body is None:
            headers.append(("Content-Type", "application/x-www-form-urlencoded"))
            body = _url_encoded(self.fields).encode()
        return path, headers, body

    def __str__(self) -> str:
        """Return the request in words, shortened."""
        lines = [f"{self.method} {self.path[:300]} by {self.person}: {self.what}"]
        lines += [f"  {name}: {value[:100]}" for name, value in self.headers]
        lines += [f"  {name[:60]!r} = {shortened(value)}" for name, value in self.fields[:12]]
        lines += [
            f"  {each.field!r} = file {each.name!r} ({each.kind}), {len(each.content)} bytes:"
            f" {shortened(each.content)}"
            for each in self.uploads
        ]
        if self.body is not None:
            lines.append(f"  body of {len(self.body)} bytes: {shortened(self.body)}")
        return "\n".join(lines)

    def is_huge(self) -> bool:
        """Whether a server may hang up instead of reading the request."""
        path, headers, body = self.encoded()
        return len(path) > 4000 or len(body) > 2_000_000 or len(str(headers)) > 8000


def shortened(value: str | bytes) -> str:
    """Return a value, shortened for readers."""
    if len(value) <= 120:
        return ascii(value)
    return f"{ascii(value[:120])} and {len(value) - 120} more"


def _url_encoded(fields: tuple[tuple[str, str], ...]) -> str:
    # Lone surrogates are sent as their three bytes.
    return urlencode(fields, errors="surrogatepass")


def _multipart(fields: tuple[tuple[str, str], ...], uploads: tuple[Upload, ...]) -> bytes:
    parts = []
    for name, value in fields:
        label = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{label}"\r\n\r\n{value}\r\n'
        parts.append(head.encode("utf-8", "surrogatepass"))
    for each in uploads:
        head = (
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{each.field}";'
            f' filename="{each.name}"\r\nContent-Type: {each.kind}\r\n\r\n'
        )
        parts += [head.encode("utf-8", "surrogatepass"), each.content, b"\r\n"]
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


@dataclass(frozen=True)
class Answer:
    """An answer: ``seconds`` by the clock, of which the worker ``computed`` some and was
    ``delayed`` for some by want of a processor; ``failure``: the traceback, if one was logged.
    """

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    seconds: float = 0
    computed: float = 0
    delayed: float = 0
    failure: str = ""

    @property
    def text(self) -> str:
        """Return the page."""
        return self.body.decode("utf-8", "replace")

    @property
    def is_page(self) -> bool:
        """Whether the answer is HTML."""
        return self.headers.get("content-type", "").startswith("text/html")


def send(port: int, request: Request, cookies: dict[str, str], timeout: float = TIMEOUT) -> Answer:
    """Send a request over a connection of its own. Raises OSError or HTTPException if no complete
    answer comes back.
    """
    path, headers, body = request.encoded()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    begun = time.monotonic()
    try:
        connection.putrequest(request.method, path, skip_host=True, skip_accept_encoding=True)
        names = {name.lower() for name, _value in headers}
        if "host" not in names:
            connection.putheader("Host", f"127.0.0.1:{port}")
        if cookies and "cookie" not in names:
            connection.putheader("Cookie", "; ".join(f"{k}={v}" for k, v in cookies.items()))
        for name, value in headers:
            connection.putheader(name, value.encode("utf-8", "surrogateescape"))
        if body or request.method not in ("GET", "HEAD"):
            connection.putheader("Content-Length", str(len(body)))
        connection.putheader("Connection", "close")
        connection.endheaders()
        # A server that refuses a request for its size does not read it to its end.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sock.sendall(body)
        response = connection.getresponse()
        content = response.read()
    finally:
        connection.close()
    seconds = time.monotonic() - begun
    got = {name.lower(): value for name, value in response.getheaders()}
    set_cookies = {}
    for line in response.headers.get_all("Set-Cookie") or ():
        name, _, rest = line.partition("=")
        set_cookies[name.strip()] = rest.partition(";")[0].strip('"')
    return Answer(
        status=response.status,
        headers=got,
        cookies=set_cookies,
        body=content,
        seconds=seconds,
        computed=float(got.get(measuring.COMPUTED.lower(), 0)),
        delayed=float(got.get(measuring.DELAYED.lower(), 0)),
        failure=base64.b64decode(got.get(measuring.FAILED.lower(), "")).decode(),
    )


# Files of requests


def written(requests: list[Request], names: dict[str, str]) -> str:
    """Return requests as JSON. Values that differ in every world (ids, keys) are written by their
    name in ``names``, so that they can be replaced in another.
    """
    text = json.dumps([_plain(each) for each in requests], indent=1)
    for name, value in names.items():
        text = text.replace(value, f"{{{name}}}")
    return text


def read(text: str, names: dict[str, str]) -> list[Request]:
    """Return requests from JSON, with the ids of this world."""
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", value)
    return [_request(each) for each in json.loads(text)]


def _plain(request: Request) -> dict[str, Any]:
    plain = asdict(request)
    plain["body"] = None if request.body is None else _bytes_written(request.body)
    plain["uploads"] = [
        asdict(each) | {"content": _bytes_written(each.content)} for each in request.uploads
    ]
    return plain


def _request(plain: dict[str, Any]) -> Request:
    plain = plain | {
        "fields": tuple((name, value) for name, value in plain["fields"]),
        "headers": tuple((name, value) for name, value in plain["headers"]),
        "kept": tuple(plain["kept"]),
        "body": None if plain["body"] is None else _bytes_read(plain["body"]),
        "uploads": tuple(
            Upload(**(each | {"content": _bytes_read(each["content"])}))
            for each in plain["uploads"]
        ),
    }
    return Request(**plain)


def _bytes_written(content: bytes) -> dict[str, str]:
    """Return bytes as text if they are text, so that ids in them are found."""
    try:
        return {"text": content.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def _bytes_read(plain: dict[str, str]) -> bytes:
    if "text" in plain:
        return plain["text"].encode()
    return base64.b64decode(plain["base64"])


def again(request: Request, fields: list[tuple[str, str]]) -> Request:
    """Return the request with its kept values taken from ``fields``, the same form as it is now."""
    now = dict(fields)
    kept = set(request.kept)
    return replace(
        request,
        fields=tuple(
            (name, now.get(name, value) if name in kept else value)
            for name, value in request.fields
        ),
    )
