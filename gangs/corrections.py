"""Corrections by an organiser: whoever wants to tell the gang's owner registers here.

This app knows no campaign and no notices.
"""

from __future__ import annotations

from collections.abc import Callable

from gangs.models import Gang, Strike

Listener = Callable[[Gang, Strike], None]
_listeners: list[Listener] = []


def register_listener(listener: Listener) -> None:
    """Call ``listener`` with the gang and the correction, in the transaction that writes it."""
    if listener not in _listeners:
        _listeners.append(listener)


def tell(gang: Gang, act: Strike) -> None:
    """Let all listeners know what an organiser has corrected."""
    if act.by_organiser:
        for listener in _listeners:
            listener(gang, act)
