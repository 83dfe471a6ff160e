"""Pictures that go with messages."""

from __future__ import annotations

from outbound.models import Delivery


def picture_of(row: Delivery) -> bytes | None:
    """Return the picture of a message about a result; None for other messages."""
    return None
