"""The table of a stage: points, the values that break ties, and each gang's place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from campaigns.engine.how import DEFAULTS, FOUGHT, Manner, ResultRules, SidePay, pay_special
from campaigns.engine.league.facts import Entered, Match, standing_matches
from campaigns.engine.league.options import StageOptions
from campaigns.engine.league.ranking import (
    Meetings,
    Seam,
    Value,
    count_results,
    draw,
    rank,
    rate_opponents,
)
from campaigns.engine.league.standings_rules import Criterion
from rules.book.season import SideKind


@dataclass(frozen=True)
class Around:
    """The facts outside a stage that its table needs. ``special``: the club's rules for results
    without a battle; ``has_ended``: no more games follow; ``bonuses``: each gang's bonuses less
    its penalties; ``measures``: what its games here brought, for the criteria that need it."""

    special: Mapping[Manner, ResultRules] = field(default_factory=lambda: DEFAULTS)
    has_ended: bool = False
    bonuses: Mapping[str, int] = field(default_factory=dict)
    measures: Mapping[str, Mapping[Criterion, Value]] = field(default_factory=dict)


NOTHING_AROUND = Around()


@dataclass(frozen=True, kw_only=True)
class TableLine:
    """One gang's line. ``points``: includes the ``bonus``; ``strength``: its opponents, as
    ``rate_opponents``; in the first edition the sum of their points. Gangs that are equal in every
    criterion share their ``place``. ``seam``, ``ahead``: as in the standings' ``Row``; ``values``:
    what the criteria compare; ``is_annulled``: its results count for nobody, and it is placed after
    all others."""

    gang: str
    seed: int
    has_left: bool = False
    is_annulled: bool = False
    won: int = 0
    level: int = 0
    lost: int = 0
    byes: int = 0
    bonus: int = 0
    points: int = 0
    strength: Value = 0
    place: int = 0
    shared: bool = False
    seam: Seam | None = None
    ahead: bool = True
    values: Mapping[Criterion, Value] = field(default_factory=dict)

    @property
    def played(self) -> int:
        """The number of games."""
        return self.won + self.level + self.lost


def stage_table(
    entrants: Sequence[Entered],
    matches: Collection[Match],
    options: StageOptions,
    around: Around = NOTHING_AROUND,
) -> list[TableLine]:
    """The lines of all entrants, the best first. Among equals, the better seed comes first.
    Annulled results count for nobody."""
    matches = standing_matches(entrants, matches)
    lines = {
        one.gang: TableLine(
            gang=one.gang, seed=one.seed, has_left=one.has_left, is_annulled=one.is_annulled
        )
        for one in entrants
    }
    if options.bonus:
        for gang in lines.keys() & around.bonuses.keys():
            bonus = around.bonuses[gang]
            lines[gang] = replace(lines[gang], bonus=bonus, points=bonus)
    unfinished = _unfinished(matches, options, around)
    for match in matches:
        for gang in match.sides:
            if gang in lines and not (match.is_bye and match.round in unfinished):
                lines[gang] = _count(lines[gang], _brought(match, gang, options, around))
                lines[gang] = replace(lines[gang], byes=lines[gang].byes + match.is_bye)
    strengths = _rate(lines, matches, options)
    by_seed = sorted(lines.values(), key=lambda line: line.seed)
    strong = {line.gang: replace(line, strength=strengths[line.gang]) for line in by_seed}
    ratings = {one.gang: one.rating for one in entrants}
    values = {
        gang: {
            "rating": ratings[gang],
            "money": 0,
            "taken_out": 0,
            **around.measures.get(gang, {}),
            "points": line.points,
            "strength": line.strength,
            "wins": line.won,
            "lots": -draw(options.seed, str(line.seed)),
        }
        for gang, line in strong.items()
    }
    met = count_results(match.kinds for match in matches if match.is_decided)
    return _placed(strong, values, options, met)


def _placed(
    lines: Mapping[str, TableLine],
    values: Mapping[str, Mapping[Criterion, Value]],
    options: StageOptions,
    met: Meetings,
) -> list[TableLine]:
    ranking = {gang: values[gang] for gang, line in lines.items() if not line.is_annulled}
    groups, seams = rank(ranking, ("points", *options.ranking), met)
    ranked: list[TableLine] = []
    for number, group in enumerate(groups):
        ahead = number < len(seams)
        seam = seams[number if ahead else -1] if seams else None
        place, shared = len(ranked) + 1, len(group) > 1
        ranked += [
            replace(
                lines[gang],
                place=place,
                shared=shared,
                seam=seam,
                ahead=ahead,
                values=values[gang],
            )
            for gang in group
        ]
    annulled = [line for line in lines.values() if line.is_annulled]
    place, shared = len(ranked) + 1, len(annulled) > 1
    return ranked + [
        replace(line, place=place, shared=shared, values=values[line.gang]) for line in annulled
    ]


def _unfinished(matches: Collection[Match], options: StageOptions, around: Around) -> set[int]:
    """The rounds whose byes do not count yet: their games are still to be played."""
    if around.has_ended or options.edition == 1:
        return set()
    return {match.round for match in matches if match.outcome == "open" and match.away is not None}


def _brought(match: Match, gang: str, options: StageOptions, around: Around) -> SidePay:
    """The points that a fixture brings a gang, and whether it counts as a game."""
    if match.is_bye:
        return SidePay(None, options.bye)
    if match.outcome in ("open", "off"):
        return SidePay(None, 0)
    kind = dict(match.kinds)[gang]
    if match.how in FOUGHT or options.edition == 1:
        if not match.is_decided:
            return SidePay(None, 0)
        points = {"winner": options.win, "level": options.draw, "loser": options.loss}
        return SidePay(kind, points[kind])
    return pay_special(around.special.get(match.how, ResultRules()), kind, options.win)


def _count(line: TableLine, pay: SidePay) -> TableLine:
    return replace(
        line,
        won=line.won + (pay.counts == "winner"),
        level=line.level + (pay.counts == "level"),
        lost=line.lost + (pay.counts == "loser"),
        points=line.points + (pay.points or 0),
    )


def _fought(matches: Collection[Match]) -> list[list[tuple[str, SideKind]]]:
    return [match.kinds for match in matches if match.is_fought]


def _rate(
    lines: Mapping[str, TableLine], matches: Collection[Match], options: StageOptions
) -> Mapping[str, Value]:
    """Each gang's opponents, by the edition of the stage."""
    if options.edition != 1:
        return rate_opponents(lines, _fought(matches))
    met: dict[str, int] = dict.fromkeys(lines, 0)
    for match in matches:
        if match.is_decided and match.away is not None:
            for one, other in ((match.home, match.away), (match.away, match.home)):
                if one in met and other in lines:
                    met[one] += lines[other].points
    return met
