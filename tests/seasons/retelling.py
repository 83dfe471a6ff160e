"""Reports and decisions of a season, by names, so that another season can repeat them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from campaigns.engine.report import Report
from gangs.engine.roster import Roster
from rules.engine.costing import Points
from tests.seasons.script import Match

# One side of a game: the match, and the gang's number.
Here = tuple[Match, int]


@dataclass(frozen=True)
class Named:
    """A report with the names of members instead of their ids."""

    fielded: tuple[str, ...]
    marks: dict[str, str]
    counts: dict[str, dict[str, int]]
    tallies: dict[str, int]


@dataclass(frozen=True)
class Told:
    """A season in words.

    ``reports`` and ``ratings``: each side of a game, on its day; ``hired``: rank and name of the
    recruit after it; ``risen``: promoted members, their promotion and its way; ``advances``: a
    member's advances and their games; ``ransoms``: the amount for a captive and the game of the
    capture.
    """

    reports: dict[Here, Named] = field(default_factory=dict)
    hired: dict[Here, tuple[str, str]] = field(default_factory=dict)
    risen: dict[Here, list[tuple[str, str, str]]] = field(default_factory=dict)
    ratings: dict[Here, Points] = field(default_factory=dict)
    advances: dict[str, list[tuple[Match, str]]] = field(default_factory=dict)
    ransoms: dict[tuple[Match, str], Points] = field(default_factory=dict)


def with_names(report: Report, roster: Roster) -> Named:
    """Return a report on a gang by names."""
    names = {member.id: member.name for member in roster.members}
    return Named(
        fielded=tuple(names[key] for key in report.fielded),
        marks=_translated(report.marks, names),
        counts={tally: _translated(each, names) for tally, each in report.counts.items()},
        tallies=dict(report.tallies),
    )


def with_ids(told: Named, roster: Roster) -> Report:
    """Return the report by ids, for the members that are in the gang."""
    numbers = {member.name: member.id for member in roster.members}
    return Report(
        fielded=tuple(numbers[name] for name in told.fielded if name in numbers),
        marks=_translated(told.marks, numbers),
        counts={tally: _translated(each, numbers) for tally, each in told.counts.items()},
        tallies=told.tallies,
    )


def _translated[Old, New, Value](
    told: Mapping[Old, Value], known: Mapping[Old, New]
) -> dict[New, Value]:
    return {known[who]: what for who, what in told.items() if who in known}
