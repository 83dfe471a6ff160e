"""The rule of waiting for channels and devices, so that no failure delays anybody else's messages.

- *No answer*: all messages for that host wait. After the pause one message is tried, to the
  recipient that has failed least; if there is no answer again, the pause is twice as long, up to
  an hour.
- *A refusal*, which is any answer that is not a success: only that recipient waits. The server
  works, so its other recipients lose nothing by somebody's wrong address.
- *No answer for a recipient that failed before, from a host that answers others*: only that
  recipient waits, since its address is to blame.
- *Too many slow hosts*: one round of jobs meets only a few. Then hosts that have not answered
  quickly for a while wait for the next round, and all others get their messages.

``Host`` and the recipients are rows, so all processes of the site wait together.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NoReturn

from django.utils import timezone

from common.background import LOOKS_EVERY, Lane, TryLater
from outbound import client
from outbound.client import Answer, NotSent, Sending
from outbound.recipients import Host, Recipient
from outbound.verdicts import read_pause

# Hosts in one round of jobs that may be slow or silent before others like them wait.
MOST_SLOW = 3
# An answer that takes longer than these seconds is slow.
SLOW = 2.0
# A host counts as quick once it has answered quickly for this long.
STEADY_AFTER = timedelta(hours=1)
# Nobody else tries a failing host while a request to it is on its way.
PROBE = timedelta(seconds=15)
# A recipient is not given up before it has failed so often, one try after the other.
FEWEST_FAILURES = 5
# A host is forgotten that nobody has used for this long.
KEPT = timedelta(days=30)


class Waits(Exception):
    """The reason of a job that was not tried; it names no address."""


class NotAccepted(Exception):
    """The reason of a job whose message a server does not accept; the text is its status."""


class FailedForLong(Exception):
    """Raised ``from`` the last failure when a recipient should get no more messages."""


@dataclass
class _Round:
    """One look of a process for due jobs. ``slow``: the slow or missing answers so far."""

    slow: int = 0


_round: ContextVar[_Round] = ContextVar("round")


@contextmanager
def _begin_round() -> Iterator[None]:
    token = _round.set(_Round())
    try:
        yield
    finally:
        _round.reset(token)


_PACE = Lane("outbound", session=_begin_round)


def make_lane(name: str, **more: Any) -> Lane:
    """Make a lane for messages to other servers. ``more``: other values of its fields."""
    return replace(_PACE, name=name, **more)


def send(recipient: Recipient, compose: Callable[[], Sending]) -> Answer:
    """Send a request to a recipient and return the answer, whatever it is.

    ``compose`` is called only if the request can be sent now. Raises TryLater if the recipient or
    its host waits, and NotSent if there is no answer: then call ``fail``.
    """
    host = _find(recipient)
    _check(recipient, host)
    sending, began = compose(), time.monotonic()
    try:
        answer = client.send(sending)
    except NotSent:
        _count_slow()
        raise
    _note_answer(host, is_quick=time.monotonic() - began < SLOW)
    return answer


def succeed(recipient: Recipient, *, pause: float = 0.0, **columns: object) -> None:
    """Store that a recipient took a message. ``pause``: seconds until the next one; ``columns``:
    further values to store."""
    not_before = timezone.now() + timedelta(seconds=pause)
    _update(recipient, failing_since=None, failures=0, not_before=not_before, **columns)


def limit(recipient: Recipient, pause: float) -> NoReturn:
    """Let a recipient wait for this number of seconds, as its server asks. Raises TryLater."""
    after = timedelta(seconds=pause)
    _update(recipient, not_before=timezone.now() + after)
    raise TryLater(blocked=False, after=after, tries=recipient.failures)


def fail(recipient: Recipient, outcome: Answer | NotSent) -> NoReturn:
    """Let the host wait if there is no answer, and otherwise the recipient, for longer at each
    failure and as long as the answer says. Raises TryLater, and FailedForLong if the recipient has
    failed for too long, and not only once or twice."""
    answer = outcome if isinstance(outcome, Answer) else None
    cause = NotAccepted(outcome.status) if isinstance(outcome, Answer) else outcome
    now, host = timezone.now(), _find(recipient)
    failures = recipient.failures + 1
    # A message that only waited for its host may have been dropped long ago: that is no failure.
    since = recipient.failing_since if recipient.failing_since and recipient.failures else now
    columns: dict[str, Any] = {"failing_since": since, "failures": failures}
    # A recipient that fails where others get their answers is alone to blame.
    if answer is None and (host.failures or not recipient.failures):
        after = _PACE.pause(host.failures + 1)
        _update(
            host,
            failures=host.failures + 1,
            failing_since=host.failing_since or now,
            not_before=now + after,
            steady_since=None,
            used_at=now,
        )
    else:
        asked = read_pause(None, answer.headers, usual=0.0) if answer is not None else 0.0
        after = max(_PACE.pause(failures), timedelta(seconds=asked))
        columns["not_before"] = now + after
    _update(recipient, **columns)
    if failures >= FEWEST_FAILURES and now - since >= recipient.GIVEN_UP_AFTER:
        raise FailedForLong from cause
    raise TryLater(blocked=False, after=after, tries=_rank(recipient, host)) from cause


def next_tries(recipients: Iterable[Recipient]) -> dict[int, datetime]:
    """Return the time before which nothing is sent to recipients, by primary key. One query."""
    by_host: dict[str, list[Recipient]] = {}
    for recipient in recipients:
        by_host.setdefault(str(recipient.server), []).append(recipient)
    rows = Host.objects.filter(name__in=by_host).values_list("name", "not_before")
    waits = dict(rows) if by_host else {}
    return {
        one.pk: max(one.not_before, waits.get(host, one.not_before))
        for host, ones in by_host.items()
        for one in ones
    }


def forget_hosts() -> int:
    """Delete hosts that nobody uses any more; return their number."""
    return Host.objects.filter(used_at__lt=timezone.now() - KEPT).delete()[0]


def _find(recipient: Recipient) -> Host:
    return Host.objects.get_or_create(name=recipient.server)[0]


def _rank(recipient: Recipient, host: Host) -> int:
    """Return the tries that count for the jobs of a recipient: all of its messages keep their
    order, and those to addresses that hang do not come first at each try of their host."""
    return host.failures + recipient.failures


def _check(recipient: Recipient, host: Host) -> None:
    """Raise TryLater if nothing may be sent now; take the try of a failing host."""
    now = timezone.now()
    tries = _rank(recipient, host)
    if host.not_before > now and recipient.failing_since is None:
        # A message waits, so the recipient's page says that none arrives.
        _update(recipient, failing_since=now)
    until = max(recipient.not_before, host.not_before)
    if until > now:
        reason = Waits("The server has not answered or has refused a message before.")
        raise TryLater(blocked=False, after=until - now, tries=tries) from reason
    is_quick = host.steady_since is not None and now - host.steady_since >= STEADY_AFTER
    if not is_quick and _slow_so_far() >= MOST_SLOW:
        reason = Waits("Other servers are slow, and this one may be, too.")
        after = timedelta(seconds=LOOKS_EVERY)
        raise TryLater(blocked=False, after=after, tries=tries) from reason
    if host.failures:
        # The update is the lock: of all processes and lanes, one tries the host.
        same = Host.objects.filter(pk=host.pk, not_before=host.not_before)
        if not same.update(not_before=now + PROBE):
            reason = Waits("Another message is being tried at the same server.")
            raise TryLater(blocked=False, after=PROBE, tries=tries) from reason


def _note_answer(host: Host, *, is_quick: bool) -> None:
    """Store that a host has answered. Writes only what changes, and once a day."""
    now = timezone.now()
    columns: dict[str, Any] = {}
    if host.failures:
        columns = {"failures": 0, "failing_since": None, "not_before": now}
    if is_quick != (host.steady_since is not None):
        columns["steady_since"] = now if is_quick else None
    if columns or now - host.used_at > timedelta(days=1):
        _update(host, **columns, used_at=now)
    if not is_quick:
        _count_slow()


def _slow_so_far() -> int:
    found = _round.get(None)
    return found.slow if found is not None else 0


def _count_slow() -> None:
    found = _round.get(None)
    if found is not None:
        found.slow += 1


def _update(row: Host | Recipient, **columns: object) -> None:
    """Store columns of a row, also in ``row``."""
    type(row)._default_manager.filter(pk=row.pk).update(**columns)
    for name, value in columns.items():
        setattr(row, name, value)
