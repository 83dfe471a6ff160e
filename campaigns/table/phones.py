"""Phones at a table: the ids of their taps, and the aliases under which others see them.

Anybody with the id of a phone can number a tap as if that phone had made it. So pages and answers
show an alias in its place: it points at the phone's taps, and numbers none of them.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence

from django.utils.crypto import salted_hmac

from campaigns.table.taps import AnyTap, Struck, TapKey

SALT = "campaigns.table.phones"


def alias(table: uuid.UUID, device: uuid.UUID) -> uuid.UUID:
    """The name of a phone for everybody else: a digest, which leads to no id.

    Needs no secret of the site, so that a strike that waits in a phone outlives a change of it.
    """
    return uuid.uuid5(table, f"phone {device}")


def strike(table: uuid.UUID, key: TapKey) -> Struck:
    """The tap that strikes another one, as pages show it."""
    return Struck(device=alias(table, key[0]), device_seq=key[1])


def resolve(table: uuid.UUID, taps: Sequence[AnyTap], devices: Iterable[uuid.UUID]) -> list[AnyTap]:
    """The same taps, strikes by the id of the phone that they mean. ``devices``: all phones that
    the log knows; a strike of any other keeps what it says."""
    known = {alias(table, device): device for device in devices}
    return [
        tap.model_copy(update={"device": known.get(tap.device, tap.device)})
        if isinstance(tap, Struck)
        else tap
        for tap in taps
    ]


def device_of_forms(table: uuid.UUID, who: str) -> uuid.UUID:
    """The phone under which the server numbers taps that come from somebody's forms."""
    digest = salted_hmac(SALT, f"{table} {who}", algorithm="sha256").digest()
    return uuid.UUID(bytes=digest[:16], version=4)
