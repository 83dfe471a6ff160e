"""The table of a stage: points, the strength of a gang's opponents, and its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from campaigns.engine.league.facts import Entered, Match
from campaigns.engine.league.options import StageOptions


@dataclass(frozen=True, kw_only=True)
class TableLine:
    """One gang's line. ``strength``: the points of all opponents it has played; gangs that are
    equal in points, strength and wins share their ``place``."""

    gang: str
    seed: int
    has_left: bool = False
    won: int = 0
    level: int = 0
    lost: int = 0
    byes: int = 0
    points: int = 0
    strength: int = 0
    place: int = 0
    shared: bool = False

    @property
    def played(self) -> int:
        """The number of games."""
        return self.won + self.level + self.lost

    @property
    def merits(self) -> tuple[int, int, int]:
        """The values that rank it, the most important first."""
        return self.points, self.strength, self.won


def stage_table(
    entrants: Sequence[Entered], matches: Iterable[Match], options: StageOptions
) -> list[TableLine]:
    """The lines of all entrants, the best first. Among equals, the better seed comes first."""
    lines = {
        one.gang: TableLine(gang=one.gang, seed=one.seed, has_left=one.has_left) for one in entrants
    }
    met: dict[str, list[str]] = {gang: [] for gang in lines}
    for match in matches:
        for gang in match.sides:
            if gang in lines:
                lines[gang] = _count(lines[gang], match, options)
        if match.is_played and match.away is not None:
            met.setdefault(match.home, []).append(match.away)
            met.setdefault(match.away, []).append(match.home)
    points = {gang: line.points for gang, line in lines.items()}
    strong = [
        replace(line, strength=sum(points.get(other, 0) for other in met[gang]))
        for gang, line in lines.items()
    ]
    ranked = sorted(strong, key=lambda line: (*(-merit for merit in line.merits), line.seed))
    order = [line.merits for line in ranked]
    return [
        replace(line, place=order.index(own) + 1, shared=order.count(own) > 1)
        for line, own in zip(ranked, order, strict=True)
    ]


def _count(line: TableLine, match: Match, options: StageOptions) -> TableLine:
    """The line with this fixture of its gang."""
    if match.is_bye:
        return replace(line, byes=line.byes + 1, points=line.points + options.bye)
    if not match.is_played:
        return line
    if match.outcome == "level":
        return replace(line, level=line.level + 1, points=line.points + options.draw)
    if match.outcome == ("home" if match.home == line.gang else "away"):
        return replace(line, won=line.won + 1, points=line.points + options.win)
    return replace(line, lost=line.lost + 1, points=line.points + options.loss)
