"""Messages in the form of Discord's webhooks, and what its answers mean.

https://docs.discord.com/developers/resources/webhook describes both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from urllib3.filepost import encode_multipart_formdata

from outbound.client import Answer, Sending
from outbound.models import Delivery, Hook
from outbound.verdicts import Limited, Verdict, read_pause

# Characters of a message, and of a thread's name.
LONGEST, LONGEST_NAME = 2000, 100
# Show no previews of the addresses in a message.
SUPPRESS_EMBEDS = 1 << 2
# Discord's own codes in its answers.
UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, UNKNOWN_WEBHOOK = 10003, 10008, 10015
THREAD_REQUIRED = 220001


def compose(hook: Hook, row: Delivery, picture: bytes | None) -> Sending:
    """Return the request that brings a message into the state that it should have."""
    asked = {"thread_id": hook.thread} if hook.thread else {}
    if not row.content:
        return Sending("DELETE", _address(hook, row, asked), {}, b"")
    data: dict[str, Any] = {
        "content": shorten(row.content["markdown"]),
        "flags": SUPPRESS_EMBEDS,
        "allowed_mentions": {"parse": []},
    }
    if row.message:
        method, url = "PATCH", _address(hook, row, asked)
    else:
        method, url = "POST", f"{hook.secret_url}?{urlencode({'wait': 'true', **asked})}"
        if hook.is_forum and not hook.thread:
            data["thread_name"] = hook.campaign.name[:LONGEST_NAME]
    if picture is None and row.message:
        data["attachments"] = []
    if picture is None:
        headers = {"Content-Type": "application/json"}
        return Sending(method, url, headers, json.dumps(data).encode())
    # A new picture replaces the old one.
    data["attachments"] = [{"id": 0, "filename": "result.png", "description": row.title}]
    body, kind = encode_multipart_formdata(
        {
            "payload_json": json.dumps(data),
            "files[0]": ("result.png", picture, "image/png"),
        }
    )
    return Sending(method, url, {"Content-Type": kind}, body)


def _address(hook: Hook, row: Delivery, asked: Mapping[str, str]) -> str:
    url = f"{hook.secret_url}/messages/{row.message}"
    return f"{url}?{urlencode(asked)}" if asked else url


def shorten(text: str, most: int = LONGEST) -> str:
    """Leave out lines before the last one, the address, until a message has room for the text."""
    if len(text) <= most:
        return text
    lines = text.rstrip("\n").split("\n")
    last = lines.pop()
    while lines and len("\n".join([*lines, "…", last])) > most:
        lines.pop()
    return "\n".join([*lines, "…", last])[:most]


def judge(hook: Hook, row: Delivery, answer: Answer) -> Verdict | Limited:
    """Decide what an answer means, and keep the ids in it, in ``hook`` and ``row``: not stored."""
    data = _read(answer)
    code = data.get("code")
    if 200 <= answer.status < 300:
        row.message = str(data.get("id") or row.message)[:30]
        if hook.is_forum and not hook.thread:
            hook.thread = str(data.get("channel_id") or "")[:30]
        return Verdict.SENT
    match answer.status:
        case 429:
            return Limited(read_pause(data.get("retry_after"), answer.headers))
        case 404 if code == UNKNOWN_MESSAGE:
            return Verdict.MISSING
        case 404 if code == UNKNOWN_CHANNEL and hook.thread and hook.is_forum:
            # The thread that the site opened was deleted: open another one.
            hook.thread, row.message = "", ""
            return Verdict.AGAIN
        case 404 if code == UNKNOWN_CHANNEL and hook.thread:
            return Verdict.NO_THREAD
        case 401 | 403 | 404:
            return Verdict.NO_CHANNEL
        case 400 if code == THREAD_REQUIRED and not hook.is_forum:
            hook.is_forum = True
            return Verdict.AGAIN
        case status if 400 <= status < 500:
            return Verdict.REFUSED
    return Verdict.LATER


def pause_after(answer: Answer) -> float:
    """Return the seconds to wait before the next message, as the headers of an answer say."""
    if answer.headers.get("x-ratelimit-remaining") != "0":
        return 0.0
    return read_pause(answer.headers.get("x-ratelimit-reset-after"), {}, usual=0.0)


def words_of(answer: Answer) -> str:
    """Return the sentence in an answer that says what is wrong; "" if it has none."""
    message = _read(answer).get("message")
    return message if isinstance(message, str) else ""


def _read(answer: Answer) -> dict[str, Any]:
    try:
        data = json.loads(answer.body)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}
