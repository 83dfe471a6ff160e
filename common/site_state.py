"""The state of the site, for whoever runs it: each part of the site says how it is.

An app registers a panel when Django starts; the administrators' first page shows all of them, and
first of all what is wrong and what to do about it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext as _

logger = logging.getLogger(__name__)


class Level(StrEnum):
    """How a fact is: ``WARNING`` and ``ERROR`` ask for something to be done."""

    GOOD = "good"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Fact:
    """One thing that a panel tells: what it is called, and how it is now, in the reader's language.

    ``advice``: what to do, of one that is not good; ``url``: where that is done, or more is told.
    """

    name: str
    value: str
    level: Level = Level.GOOD
    advice: str = ""
    url: str = ""


@dataclass(frozen=True)
class Panel:
    """What one part of the site tells of itself."""

    title: str
    facts: tuple[Fact, ...]


type Facts = Callable[[], Iterable[Fact]]

_panels: list[tuple[Promise, Facts]] = []


def register(title: Promise, facts: Facts) -> None:
    """Show a panel from now on; ``facts`` is asked whenever somebody looks."""
    if (title, facts) not in _panels:
        _panels.append((title, facts))


def panels() -> list[Panel]:
    """Every panel as it is now. One that cannot be told says so, and the others are told."""
    return [Panel(str(title), _told(facts)) for title, facts in _panels]


def _told(facts: Facts) -> tuple[Fact, ...]:
    try:
        return tuple(facts())
    except Exception as error:
        # Whatever is wrong with a part of the site, its administrator wants to see the others.
        logger.exception("A panel of the administrators' page cannot be told")
        advice = _("The site’s log says more.")
        return (Fact(_("Unreadable"), type(error).__name__, Level.ERROR, advice),)
