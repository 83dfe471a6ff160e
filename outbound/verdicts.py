"""The meaning of an answer of a channel's server for a message."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum, auto

# Seconds to wait where a server only says that there were too many messages, and at most.
USUAL_PAUSE, LONGEST_PAUSE = 60.0, 3600.0


class Verdict(Enum):
    """The next step after an answer."""

    SENT = auto()
    # Send it a second time now, in another form.
    AGAIN = auto()
    LATER = auto()
    # The server does not take this message, but will take others.
    REFUSED = auto()
    # Somebody deleted the message there.
    MISSING = auto()
    NO_CHANNEL = auto()
    NO_THREAD = auto()
    ENDED = auto()


@dataclass(frozen=True)
class Limited:
    """Too many messages: wait this many seconds."""

    pause: float


def read_pause(said: object, headers: Mapping[str, str], usual: float = USUAL_PAUSE) -> float:
    """Return the seconds to wait: as the server said (a number, or its text), or as Retry-After
    says (seconds or a date), or else the usual ones; never more than an hour."""
    for value in (said, headers.get("retry-after")):
        seconds = _seconds(value)
        if seconds is not None:
            return min(max(seconds, 0.0), LONGEST_PAUSE)
    return usual


def _seconds(value: object) -> float | None:
    if not isinstance(value, int | float | str) or isinstance(value, bool):
        return None
    try:
        seconds = float(value)
    except (ValueError, OverflowError):
        pass
    else:
        return seconds if math.isfinite(seconds) else None
    try:
        at = parsedate_to_datetime(str(value))
    except (ValueError, OverflowError):
        return None
    aware = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return (aware - datetime.now(UTC)).total_seconds()
