"""The state of the site as administrators see it; each part of the site reports its own.

An app registers a panel when Django starts. The administrators' first page shows all panels, and
above them every problem with its remedy.
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
    """The state of a fact; ``WARNING`` and ``ERROR`` call for action."""

    GOOD = "good"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Fact:
    """A line of a panel: its name and its current value, in the reader's language.

    ``advice`` tells how to solve a problem; ``url`` leads to the page where that is done, or to
    details.
    """

    name: str
    value: str
    level: Level = Level.GOOD
    advice: str = ""
    url: str = ""


@dataclass(frozen=True)
class Panel:
    """The facts that one part of the site reports about itself."""

    title: str
    facts: tuple[Fact, ...]


type Facts = Callable[[], Iterable[Fact]]

_panels: list[tuple[Promise, Facts]] = []


def register(title: Promise, facts: Facts) -> None:
    """Add a panel; ``facts`` is called whenever somebody looks."""
    if (title, facts) not in _panels:
        _panels.append((title, facts))


def panels() -> list[Panel]:
    """Return every panel with its current facts. A panel that fails shows its error instead."""
    return [Panel(str(title), _told(facts)) for title, facts in _panels]


def _told(facts: Facts) -> tuple[Fact, ...]:
    try:
        return tuple(facts())
    except Exception as error:
        # When one panel fails, the administrator still needs the others.
        logger.exception("Could not load a panel of the administrators' page")
        advice = _("The site’s log says more.")
        return (Fact(_("Unreadable"), type(error).__name__, Level.ERROR, advice),)
