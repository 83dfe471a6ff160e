"""A browser's connection to the site: kept between requests, and opened again after it broke."""

from __future__ import annotations

import gzip
import http.client
import threading
from collections import Counter
from dataclasses import dataclass, field

# static/table/sync.js gives up on an answer after this many seconds.
PATIENCE = 8.0


class Unanswered(Exception):
    """Raised when no answer came: nobody knows whether the site did what was requested."""


@dataclass
class Counts:
    """The counts of all phones together."""

    numbers: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, name: str, number: int = 1) -> None:
        """Count something."""
        with self.lock:
            self.numbers[name] += number

    def fault(self, words: str) -> None:
        """Note an answer that the site must not give."""
        with self.lock:
            self.faults.append(words)


class Connection:
    """One browser, signed in by the key of a session."""

    def __init__(self, port: int, session: str, counts: Counts) -> None:
        self.port = port
        self.counts = counts
        self.cookies = {"sessionid": session}
        self.http: http.client.HTTPConnection | None = None

    def ask(self, path: str, body: str | None = None, token: str = "") -> tuple[int, bytes]:
        """Return the status and content of an answer. Raises Unanswered.

        Like a browser, it sends the request a second time if an open connection turns out to be
        broken: the site may have closed it before the request came, or may have been killed while
        it worked.
        """
        self.counts.add("requests")
        was_open = self.http is not None
        try:
            return self._ask(path, body, token)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            if not was_open or isinstance(error, TimeoutError):
                self.counts.add("unanswered")
                raise Unanswered(path) from error
        self.counts.add("sent again by the browser itself")
        try:
            return self._ask(path, body, token)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            self.counts.add("unanswered")
            raise Unanswered(path) from error

    def _ask(self, path: str, body: str | None, token: str) -> tuple[int, bytes]:
        if self.http is None:
            self.http = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {"Accept-Language": "en", "Accept-Encoding": "gzip"}
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if body is not None:
            headers |= {"Content-Type": "application/json", "X-CSRFToken": token}
        method = "GET" if body is None else "POST"
        self.http.request(method, path, None if body is None else body.encode(), headers)
        answer = self.http.getresponse()
        content = answer.read()
        if answer.getheader("Content-Encoding") == "gzip":
            content = gzip.decompress(content)
        for line in answer.headers.get_all("Set-Cookie", []):
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        if answer.will_close:
            self.close()
        return answer.status, content

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self.http is not None:
            self.http.close()
            self.http = None
