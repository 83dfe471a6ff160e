"""The story of a campaign: the scenarios that are open, and those that its games have led to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rules.book.model import Rules
from rules.book.reference import Lead, Scenario


@dataclass(frozen=True)
class StoryGame:
    """A confirmed game. ``winners``: the roles of the gangs that won, "" for a gang without one."""

    scenario: str
    result: str
    winners: tuple[str, ...]


@dataclass(frozen=True)
class Story:
    """The scenarios of a campaign by key. ``open``: they can be chosen; ``next``: games have led to
    them, and they have not been played since, the oldest first; ``played``: they were played."""

    open: frozenset[str]
    next: tuple[str, ...]
    played: frozenset[str]


@dataclass(frozen=True)
class Branch:
    """A scenario in the tree, with those that it leads to or opens. ``leads``: how it is reached;
    None for a root."""

    scenario: Scenario
    lead: Lead | None
    branches: tuple[Branch, ...]


def has_story(rules: Rules) -> bool:
    """Whether scenarios lead to others."""
    return any(row.leads for row in rules.scenarios)


def follow(rules: Rules, games: Iterable[StoryGame]) -> Story:
    """Return the story after these games, in the order in which they were played."""
    rows = {row.key: row for row in rules.scenarios}
    is_open = {row.key for row in rules.scenarios if not row.closed}
    ahead: dict[str, None] = {}
    played = set()
    for game in games:
        row = rows.get(game.scenario)
        if row is None:
            continue
        played.add(row.key)
        ahead.pop(row.key, None)
        for lead in row.leads:
            if not _holds(lead, game):
                continue
            is_open -= {*lead.closes}
            for key in lead.closes:
                ahead.pop(key, None)
            is_open |= {key for key in _targets(lead) if key in rows}
            if lead.leads_to in rows:
                ahead[lead.leads_to or ""] = None
    return Story(frozenset(is_open), tuple(ahead), frozenset(played))


def _holds(lead: Lead, game: StoryGame) -> bool:
    if lead.results and game.result not in lead.results:
        return False
    if lead.ended != "any" and bool(game.winners) != (lead.ended == "won"):
        return False
    return lead.winner is None or lead.winner in game.winners


def _targets(lead: Lead) -> Iterator[str]:
    """Yield the scenarios that a row opens, the next one first."""
    yield from dict.fromkeys([*filter(None, [lead.leads_to]), *lead.opens])


# A page draws each branch inside the one before it; deeper ones begin a tree of their own.
DEEPEST = 25


def draw(rules: Rules) -> tuple[Branch, ...]:
    """Return the tree of scenarios that lead to others, or that others lead to. A scenario has its
    branches where it is first reached."""
    rows = {row.key: row for row in rules.scenarios}
    reached = {key for row in rules.scenarios for lead in row.leads for key in _targets(lead)}
    drawn: set[str] = set()

    def branch(row: Scenario, lead: Lead | None, depth: int = 0) -> Branch:
        is_new = row.key not in drawn
        drawn.add(row.key)
        found = _branches(row, rows) if is_new and depth < DEEPEST else ()
        return Branch(row, lead, tuple(branch(inner, by, depth + 1) for inner, by in found))

    roots = [row for row in rules.scenarios if row.leads and row.key not in reached]
    tree = [branch(row, None) for row in roots]
    # Scenarios that lead in a circle have no root.
    for row in rules.scenarios:
        if row.leads and row.key not in drawn:
            tree.append(branch(row, None))
    return tuple(tree)


def _branches(row: Scenario, rows: dict[str, Scenario]) -> Sequence[tuple[Scenario, Lead]]:
    return [(rows[key], lead) for lead in row.leads for key in _targets(lead) if key in rows]
