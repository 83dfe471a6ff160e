"""A stage as its page shows it: table, bracket or ladder, and the rounds with their fixtures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from campaigns import round_names
from campaigns.engine.league.bracket import NOBODY, count_rounds
from campaigns.engine.league.ladder import open_challenges
from campaigns.engine.league.standings_rules import Column, Criterion
from campaigns.engine.league.tables import TableLine
from campaigns.fixtures import FixtureLine, describe_days, fixture_line
from campaigns.league.draws import find_free
from campaigns.league.loading import OF_GAMES, LoadedStage, load_stages
from campaigns.models import Campaign, Round, Stage
from campaigns.season.standings.text import column_name, criterion_name, describe_seam, figure
from campaigns.text import gang_address
from gangs.models import Gang
from rules.book.season import Measure

# A column of a stage's table.
StageColumn = Column | Literal["byes"]


@dataclass(frozen=True)
class RoundBlock:
    """A round on a page. ``title``: its number, or its name in a knock-out; ``days``: when it is
    played; ``free``: the gangs without a fixture in it."""

    round: Round
    title: str
    days: str
    lines: Sequence[FixtureLine]
    free: Sequence[str] = ()

    @property
    def may_pair(self) -> bool:
        """Whether a free gang has an opponent: another free gang, or the gang with the bye."""
        has_bye = any(
            line.fixture.is_bye and line.fixture.called_off_at is None for line in self.lines
        )
        return len(self.free) + has_bye > 1

    @property
    def open_count(self) -> int:
        """The number of fixtures that are still to be played."""
        return sum(line.is_open for line in self.lines)


@dataclass(frozen=True)
class StageLine:
    """A stage of a league with its format, and the gangs in front of it, in words."""

    name: str
    format: str
    leaders: str


@dataclass(frozen=True)
class StandingLine:
    """A gang's line in the table of a stage. ``name``: without its player's, which stands below
    it; ``url``: its page, if the reader may open it; ``cells``: as ``table_columns``;
    ``decision``: what decided the place, "" if points did."""

    line: TableLine
    name: str
    gang: Gang | None
    is_mine: bool
    url: str
    cells: Sequence[str]
    decision: str


@dataclass(frozen=True)
class Rung:
    """A gang's place on a ladder. ``challenges``: the gangs that it may challenge now, by key and
    name, if the reader may do that for it; ``busy``: its open challenge."""

    place: int
    name: str
    gang: Gang | None
    is_mine: bool
    challenges: Sequence[tuple[str, str]] = ()
    busy: FixtureLine | None = None


def round_blocks(loaded: LoadedStage) -> list[RoundBlock]:
    """The rounds, the newest first; round robins in their own order."""
    blocks = [round_block(loaded, one) for one in loaded.rounds]
    return blocks if loaded.stage.format == Stage.Format.ROUND_ROBIN else blocks[::-1]


def round_block(loaded: LoadedStage, one: Round) -> RoundBlock:
    """A round with its fixtures."""
    free: list[str] = []
    if loaded.stage.format in (Stage.Format.SWISS, Stage.Format.ROUND_ROBIN):
        missing = find_free(loaded, one.number)
        free = [loaded.names[gang.gang] for gang in loaded.entered if gang.gang in missing]
    lines = [fixture_line(fixture) for fixture in loaded.of_round(one.number)]
    return RoundBlock(one, name_round(loaded, one.number), describe_days(one), lines, free)


def own_lines(loaded: LoadedStage, user: User) -> list[FixtureLine]:
    """The fixtures of the user's gangs that are to be played now."""
    mine = [one for one in loaded.fixtures if one.round.is_open and one.is_of(user)]
    return [line for line in map(fixture_line, mine) if line.is_open]


def enough_rounds(loaded: LoadedStage) -> int:
    """The number of rounds of a Swiss after which at most one gang has won all its games; 0 for
    other formats, and without gangs."""
    gangs = len(loaded.playing)
    is_swiss = loaded.stage.format == Stage.Format.SWISS
    return (gangs - 1).bit_length() if is_swiss and gangs else 0


def name_round(loaded: LoadedStage, number: int) -> str:
    """The name of a round, as ``round_names`` has it."""
    left = None
    if loaded.stage.format == Stage.Format.KNOCK_OUT:
        left = count_rounds(loaded.entered, loaded.matches) - number
    return round_names.name_round(loaded.stage.format, number, left)


def standing_lines(loaded: LoadedStage, user: User) -> list[StandingLine]:
    """The lines of the table. Gangs that have left are shown if they have played."""
    return [
        StandingLine(
            line,
            gang.name if gang is not None else loaded.names[line.gang],
            gang,
            gang is not None and gang.is_owned_by(user),
            gang_address(gang, user),
            _cells(loaded, line),
            _decision(loaded, line),
        )
        for line in loaded.table
        for gang in [loaded.gangs.get(line.gang)]
        if not line.has_left or line.played
    ]


def annulled_names(loaded: LoadedStage) -> list[str]:
    """The gangs whose results count for nobody in this stage."""
    return [loaded.names[one.gang] for one in loaded.entered if one.is_annulled]


def table_columns(loaded: LoadedStage) -> list[tuple[str, str]]:
    """The headings of the table, each with its full name if it is too short to understand."""
    return [_column_name(loaded, key) for key in _columns(loaded)]


def _columns(loaded: LoadedStage) -> list[StageColumn]:
    """The columns of the table. Every measure that breaks ties has one."""
    rules = loaded.stage.rules
    bonus: list[StageColumn] = ["bonus"] if rules.bonus else []
    strength: list[StageColumn] = ["strength"] if ranks_by_opponents(loaded) else []
    rating: list[Measure] = ["rating"]
    measures = [key for key in (*OF_GAMES, *rating) if key in rules.ranking]
    return ["points", *bonus, "wins", "byes", *strength, *measures]


def ranks_by_opponents(loaded: LoadedStage) -> bool:
    """Whether the opponents' results break ties. A table that does not rank by them leaves them
    out: in a round robin everybody has the same opponents in the end."""
    return "strength" in loaded.stage.rules.ranking


def _column_name(loaded: LoadedStage, key: StageColumn) -> tuple[str, str]:
    if key == "byes":
        return _("Byes"), ""
    if key == "points":
        return _("Points"), ""
    if key == "strength" and loaded.stage.rules.edition == 1:
        return _("Opponents"), _("Points of all opponents")
    return column_name(loaded.stage.campaign.book, key)


def _cells(loaded: LoadedStage, line: TableLine) -> list[str]:
    known = {
        "byes": number_format(line.byes),
        "wins": f"{line.won}–{line.level}–{line.lost}",
        "bonus": figure("bonus", line.bonus),
    }
    return [
        known[key]
        if key in known
        else figure(cast(Criterion, key), line.values[cast(Criterion, key)])
        for key in _columns(loaded)
    ]


def _decision(loaded: LoadedStage, line: TableLine) -> str:
    """The tie-break that decided the place of a gang, in words; "" if its points did."""
    seam = line.seam
    if seam is None or seam.by == "points" or not any(one.played for one in loaded.table):
        return ""
    other = loaded.names[seam.low if line.ahead else seam.high]
    return describe_seam(seam, other, _tie_break(loaded, seam.by), ahead=line.ahead)


def _tie_break(loaded: LoadedStage, criterion: Criterion) -> str:
    if criterion == "strength" and loaded.stage.rules.edition == 1:
        return _("points of all opponents")
    return criterion_name(loaded.stage.campaign.book, criterion)


def table_measures(loaded: LoadedStage) -> list[str]:
    """The criteria that rank gangs, the most important first."""
    return [_("points"), *(_tie_break(loaded, one) for one in loaded.stage.rules.ranking)]


def rungs(loaded: LoadedStage, user: User) -> list[Rung]:
    """The ladder from the top down."""
    organises, reach = loaded.stage.campaign.is_run_by(user), loaded.stage.rules.reach
    is_open = loaded.stage.ended_at is None and loaded.stage.campaign.archived_at is None
    busy = {
        gang: line
        for fixture, match in zip(loaded.fixtures, loaded.matches, strict=True)
        if match.outcome == "open"
        for line in [fixture_line(fixture)]
        for gang in match.sides
    }
    found = []
    for place, key in enumerate(loaded.ladder, start=1):
        gang = loaded.gangs.get(key)
        mine = gang is not None and gang.is_owned_by(user)
        challenges = []
        if is_open and (mine or organises):
            allowed = open_challenges(key, loaded.ladder, loaded.matches, reach)
            challenges = [(other, loaded.names[other]) for other in allowed]
        found.append(Rung(place, loaded.names[key], gang, mine, challenges, busy.get(key)))
    return found


def winner_name(loaded: LoadedStage) -> str:
    """The name of the gang that has won a knock-out; "" until there is one."""
    return loaded.names.get(loaded.bracket.champion or NOBODY, "")


def ends_without_winner(loaded: LoadedStage) -> bool:
    """Whether a knock-out is over, and nobody is left who could win it."""
    return loaded.bracket.champion == NOBODY


def describe_leaders(loaded: LoadedStage, most: int = 3) -> str:
    """The winner of a knock-out, or the first of a table or ladder with their places; "" as long as
    there are none."""
    if winner := winner_name(loaded):
        return _("Won by %(names)s") % {"names": winner}
    if ends_without_winner(loaded):
        return _("Nobody is left")
    first: list[tuple[int, str]] = []
    if loaded.stage.format == Stage.Format.LADDER:
        first = list(enumerate(loaded.ladder, start=1))
    elif loaded.stage.format != Stage.Format.KNOCK_OUT:
        first = [(line.place, line.gang) for line in loaded.table if line.played]
    return " · ".join(f"{place}. {loaded.names[gang]}" for place, gang in first[:most])


def stage_lines(campaign: Campaign) -> list[StageLine]:
    """The stages of a campaign that have leaders, for its yearbook."""
    loaded = load_stages(list(campaign.stages.all()))
    return [
        StageLine(one.stage.name, describe_stage(one), leaders)
        for one in loaded
        if (leaders := describe_leaders(one))
    ]


def describe_stage(loaded: LoadedStage) -> str:
    """The format, the number of gangs and the rounds of a stage, in one line. Gangs that have
    dropped out count: the table has them, too."""
    stage = loaded.stage
    parts = [str(Stage.Format(stage.format).label), _count_gangs(loaded)]
    if stage.format != Stage.Format.LADDER:
        rounds = len(loaded.rounds)
        parts.append(ngettext("%(count)s round", "%(count)s rounds", rounds) % {"count": rounds})
    if stage.ended_at is not None:
        parts.append(_("closed"))
    return " · ".join(parts)


def _count_gangs(loaded: LoadedStage) -> str:
    count, left = len(loaded.entered), sum(one.has_left for one in loaded.entered)
    gangs = ngettext("%(count)s gang", "%(count)s gangs", count) % {"count": count}
    if not left:
        return gangs
    words = ngettext(
        "%(gangs)s, %(count)s of them dropped out", "%(gangs)s, %(count)s of them dropped out", left
    )
    return words % {"gangs": gangs, "count": left}
