"""A server that answers like Discord's webhooks, as far as the site uses them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.outbound.servers import Request, answer

NUMBER, TOKEN = "123456789012345678", "a-secret-token-of-a-channel-0123456789abcdefghij"
URL = f"https://discord.com/api/webhooks/{NUMBER}/{TOKEN}"
PATH = re.compile(r"/api/v10/webhooks/(\d+)/([\w-]+)(?:/messages/(\d+))?")
FIRST_ID = 1000


@dataclass
class FakeDiscord:
    """A channel. ``messages``: by id, as they are now; ``is_forum``: it consists of threads;
    ``threads``: the ids of those that exist, with their names; ``left``: the messages that may be
    sent before the next answer 429; ``answers``: are given first, in place of its own."""

    messages: dict[str, dict[str, Any]] = field(default_factory=dict)
    pictures: list[bytes] = field(default_factory=list)
    exists: bool = True
    is_forum: bool = False
    threads: dict[str, str] = field(default_factory=dict)
    left: int = 1000
    retry_after: float = 7.5
    answers: list[bytes] = field(default_factory=list)

    def respond(self, request: Request) -> bytes:
        """Answer a request."""
        if self.answers:
            return self.answers.pop(0)
        parts = urlsplit(request.path)
        found = PATH.fullmatch(parts.path)
        if found is None or found.group(1, 2) != (NUMBER, TOKEN) or not self.exists:
            return _problem(404, 10015, "Unknown Webhook")
        if not self.left:
            body = {"message": "You are being rate limited.", "retry_after": self.retry_after}
            return _json(429, {**body, "global": False}, Retry_After="8")
        self.left -= 1
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        return self._act(request, found.group(3), asked)

    def _act(self, request: Request, message: str | None, asked: dict[str, str]) -> bytes:
        thread = asked.get("thread_id", "")
        if thread and thread not in self.threads:
            return _problem(404, 10003, "Unknown Channel")
        if message is None and request.method == "POST":
            return self._create(request, asked, thread)
        if message not in self.messages or self.messages[message]["thread"] != thread:
            return _problem(404, 10008, "Unknown Message")
        if request.method == "DELETE":
            del self.messages[message]
            return answer(204)
        data = self._read(request)
        if problem := _check(data):
            return problem
        self.messages[message] |= data
        return _json(200, {"id": message, **data})

    def _create(self, request: Request, asked: dict[str, str], thread: str) -> bytes:
        data = self._read(request)
        if problem := _check(data):
            return problem
        if self.is_forum and not thread:
            if "thread_name" not in data:
                words = "Webhooks posted to forum channels must have a thread_name or thread_id"
                return _problem(400, 220001, words)
            thread = str(FIRST_ID * 1000 + len(self.threads))
            self.threads[thread] = data["thread_name"]
        number = str(FIRST_ID + len(self.messages))
        self.messages[number] = {**data, "thread": thread}
        if asked.get("wait") != "true":
            return answer(204)
        return _json(200, {"id": number, "channel_id": thread or "55555", **data})

    def _read(self, request: Request) -> dict[str, Any]:
        kind = request.headers["content-type"]
        if kind == "application/json":
            return dict(json.loads(request.body))
        boundary = kind.partition("boundary=")[2].encode()
        parts = request.body.split(b"--" + boundary)
        named = {}
        for part in parts[1:-1]:
            head, _blank, content = part.strip(b"\r\n").partition(b"\r\n\r\n")
            name = re.search(rb'name="([^"]+)"', head)
            assert name is not None
            named[name.group(1).decode()] = content
        self.pictures.append(named["files[0]"])
        return dict(json.loads(named["payload_json"]))


def _check(data: dict[str, Any]) -> bytes:
    """Return the answer for a message that Discord does not take; b"" if it does."""
    content = data.get("content")
    if not content or len(content) > 2000:
        return _problem(400, 50035, "Invalid Form Body")
    # The site must never let a text decide who is mentioned.
    assert data["allowed_mentions"] == {"parse": []}
    return b""


def _problem(status: int, code: int, words: str) -> bytes:
    return _json(status, {"message": words, "code": code})


def _json(status: int, data: object, **headers: str) -> bytes:
    return answer(status, json.dumps(data).encode(), Content_Type="application/json", **headers)
