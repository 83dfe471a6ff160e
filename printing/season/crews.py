"""A crew on paper: everybody who plays tonight, with everything to look up and tick off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from campaigns.engine.crew import CrewCandidate
from campaigns.models import Game, Side
from campaigns.table.crews.preparing import Preparation, prepare_crew
from campaigns.table.crews.text import VersusLine
from campaigns.table.state import Start, TableFighter
from campaigns.text import rivals_of
from gangs.cards.groups import GroupCard
from gangs.cards.item_tables import short_kits
from gangs.cards.render import render_member
from gangs.cards.values import ItemLine
from gangs.engine.computed import ComputedGang
from gangs.models import Gang
from gangs.text.formats import localize
from printing.members.pack import (
    HIGH,
    LINE,
    SIZES,
    SPARE,
    Fighter,
    Layout,
    fighter_of,
    in_columns,
    in_large_print,
    over_pages,
)
from printing.members.stamps import stamp
from printing.members.values import PaperMember, paper_member
from printing.members.words import words_of
from printing.paper.drawings import MOST_BOXES
from printing.paper.orders import Order
from printing.season import counted
from printing.season.counted import TurnTrack
from rules.book.model import Book
from typesetting.measuring import MILLIMETRES, Run, about_lines, lines_height, wrap_text
from typesetting.passages import Passage

# The smallest letters for which two crews are put on one page, and millimetres between them.
SHARED, BETWEEN = 9.0, 6.0
# Millimetres above a crew, as in static/print/pack.css: the band, a fact, the least height of the
# title, the width beside the code; the sizes of the name and the line below it, in points; the full
# width, a row of turns, the size of the text below it (points), the space below both; the line
# about house values.
BAND, A_FACT, LOW, CODE = 5.9, 5.2, 19.0, 164.0
TITLE, ABOUT = 20.0, 8.5
BROAD, A_TURN, LEGEND, TURNS_BELOW = 190.0, 7.1, 7.5, 2.5
FOOT = 5.0
# In ems: around the lines on absent members, and below the victory conditions.
BEFORE, AIM_BELOW = 1.9, 0.5
# Underscores to write upon.
BLANK = "_" * 12


@dataclass(frozen=True)
class Crew:
    """A gang before its game. ``role``: its role in the scenario; ``everybody``: the items and
    counters that all ``fighters`` share; ``ranks``: the descriptions of their ranks; ``track``: the
    turns of the game, to tick off; ``victory``: the victory conditions; ``absent``: the members who
    cannot play, and why; ``house``: whether it shows any house value.
    """

    rival: str
    line: VersusLine
    role: str
    fighters: tuple[Fighter, ...]
    everybody: Fighter
    ranks: tuple[Passage, ...]
    now: Preparation
    track: TurnTrack | None
    victory: str
    absent: tuple[tuple[CrewCandidate, str], ...]
    house: bool

    @property
    def key(self) -> int:
        """The key of the side, unique in a night."""
        return self.line.side.pk

    def shown(self, *, ranks: bool = True) -> list[Fighter]:
        """Return the fighters, then the part for everybody, with or without the descriptions of
        ``ranks``.
        """
        words = (*(self.ranks if ranks else ()), *self.everybody.words)
        everybody = replace(self.everybody, words=words)
        there = self.fighters and (everybody.kits or words)
        return [*self.fighters, everybody] if there else [*self.fighters]

    def around(self, size: float) -> float:
        """Return the millimetres that everything but the fighters takes, with letters of ``size``
        points.
        """
        em = size * MILLIMETRES
        title = len(wrap_text([Run(self.line.name, "title")], TITLE, CODE))
        about = len(wrap_text([Run(self.rival + " " * 60)], ABOUT, CODE))
        facts = (1 + bool(self.line.due)) * A_FACT
        taken = BAND + max(
            LOW, lines_height(title, TITLE, 1.1) + lines_height(about, ABOUT, LINE) + facts
        )
        if rows := len(self.now.chances) + len(self.absent):
            taken += (rows * LINE + BEFORE) * em
        if self.victory:
            told = f"{_('Victory:')} {self.victory}"
            taken += (len(wrap_text([Run(told)], size, BROAD)) * LINE + AIM_BELOW) * em
        if self.track is not None:
            counts = self.track.counted
            texts = sum(about_lines(row.text, LEGEND, BROAD) for row in counts)
            taken += (1 + len(counts)) * A_TURN + lines_height(texts, LEGEND) + TURNS_BELOW
        return taken + (FOOT if self.house else 0)


@dataclass(frozen=True)
class CrewPage:
    """The layout of a crew."""

    crew: Crew
    layout: Layout


def crew_pages(
    sides: Sequence[Side],
    lines: Mapping[int, VersusLine],
    homes: Mapping[str, Gang],
    order: Order,
) -> list[tuple[CrewPage, ...]]:
    """Return the crews of all ``sides`` page by page. Two small ones share a page, so that one
    sheet of paper is enough. ``homes``: the gangs of hired hands, by key.
    """
    ours = [side for side in sides if side.pk in lines]
    drawn = [_drawn(side, homes, order.language) for side in ours]
    start = _start(drawn)
    crews = [
        _crew(one, number, sides, lines[one.side.pk], start, order.language)
        for number, one in enumerate(drawn)
    ]
    if order.plain:
        return [(CrewPage(crew, in_large_print(crew.shown())),) for crew in crews]
    room = HIGH[order.paper] - SPARE
    return _together(crews, room) or [(_alone(crew, room),) for crew in crews]


def _together(crews: Sequence[Crew], room: float) -> list[tuple[CrewPage, ...]]:
    """Put two small crews on one page ``room`` millimetres high; return nothing if they do
    not fit.
    """
    if len(crews) == 2:
        for size in (size for size in SIZES if size >= SHARED):
            if pages := _fitting(crews, size, room):
                return [pages]
    return []


def _alone(crew: Crew, room: float) -> CrewPage:
    """Give a crew separate pages, each ``room`` millimetres high."""
    for size in SIZES:
        if pages := _fitting([crew], size, room):
            return pages[0]
    first = room - crew.around(SIZES[0])
    return CrewPage(crew, over_pages(crew.shown(), first, room))


def _fitting(crews: Sequence[Crew], size: float, room: float) -> tuple[CrewPage, ...]:
    """Put the crews below each other in ``room`` millimetres, in letters of ``size`` points; return
    nothing if they do not fit. The descriptions of ranks are added if they fit, too.
    """
    room -= sum(crew.around(size) for crew in crews) + BETWEEN * (len(crews) - 1)
    found: tuple[CrewPage, ...] = ()
    for ranks in (False, True):
        pages = tuple(
            CrewPage(crew, in_columns(crew.shown(ranks=ranks), len(crew.fighters), size))
            for crew in crews
        )
        if sum(one.layout.high for one in pages) > room:
            break
        found = pages
    return found


@dataclass(frozen=True)
class _Combatant:
    """A fighter: the gang in which they are computed, and everything that paper shows of them."""

    candidate: CrewCandidate
    computed: ComputedGang
    member: PaperMember


@dataclass(frozen=True)
class _Drawn:
    """A side with its gang and its fighters."""

    side: Side
    now: Preparation
    computed: ComputedGang
    playing: tuple[_Combatant, ...]

    @property
    def book(self) -> Book:
        """The gang's rulebook."""
        return self.computed.book


def _drawn(side: Side, homes: Mapping[str, Gang], language: str) -> _Drawn:
    assert side.gang is not None
    now = prepare_crew(side, {key: gang.roster for key, gang in homes.items()})
    computed = ComputedGang.of(side.gang.book, side.gang.roster)
    playing = (_one(computed, candidate, homes, language) for candidate in _fielded(side, now))
    return _Drawn(side, now, computed, tuple(playing))


def _fielded(side: Side, now: Preparation) -> tuple[CrewCandidate, ...]:
    """Return the crew: as picked before the game, or as its report says."""
    if side.game.status == Game.Status.PLANNED or not side.report:
        return now.crew
    fielded = set(side.parsed_report.fielded)
    return tuple(row for row in now.candidates if row.hired or row.member.id in fielded)


def _one(
    computed: ComputedGang, candidate: CrewCandidate, homes: Mapping[str, Gang], language: str
) -> _Combatant:
    if candidate.hired is not None:
        home = homes[candidate.hired.gang]
        computed = ComputedGang.of(computed.book, home.roster, candidate.member)
    card = render_member(computed, candidate.member, language)
    group = GroupCard(card, candidate.member, (card.id,))
    return _Combatant(candidate, computed, paper_member(computed, group, language))


def _start(drawn: Sequence[_Drawn]) -> Start | None:
    """Return the table before the first turn; None if nobody plays at it."""
    if not drawn:
        return None
    fighters = [
        TableFighter(
            book=one.computed.book,
            side=number,
            called=one.candidate.key,
            gang=str(crew.side.gang_id),
            member=one.candidate.member.id,
            figure=one.computed.figures[one.candidate.member.id],
            squad=one.candidate.member.squad,
        )
        for number, crew in enumerate(drawn)
        for one in crew.playing
    ]
    return counted.start_of(drawn[0].book, drawn[0].side.game, fighters)


def _crew(
    drawn: _Drawn,
    number: int,
    sides: Sequence[Side],
    line: VersusLine,
    start: Start | None,
    language: str,
) -> Crew:
    book, side, game = drawn.book, drawn.side, drawn.side.game
    tracks = start.sides.get(number, {}) if start else {}
    track = counted.turn_track(book, game, language, tracks)
    scenario = book.scenario.get(game.scenario)
    shared = _shared(drawn.playing)
    kept = counted.find_counts(book, game, language, tracks, track)
    words = [
        Passage("note", (Run(row.name, "title"), Run(f" {_written(row.start)} {BLANK}")))
        for row in kept
    ]
    states = counted.states(game.campaign.rules, language)
    if states:
        runs = [run for state in states for run in (Run(f"{state} ", "title"), Run(f"{BLANK}  "))]
        words.append(Passage("note", tuple(runs)))
    everybody = Fighter(
        _("For everybody"), kits=tuple(short_kits(book, shared, language)), words=tuple(words)
    )
    fighters = tuple(_fighters(drawn, shared, start, game, language))
    kits = [kit for one in (*fighters, everybody) for kit in one.kits]
    return Crew(
        rival=rivals_of(book, side, sides),
        line=line,
        role=_role(book, side),
        fighters=fighters,
        everybody=everybody,
        ranks=_ranks(drawn.playing),
        now=drawn.now,
        track=track,
        victory=scenario.victory.translated(language) if scenario else "",
        absent=tuple(_absent(drawn, language)),
        house=any(one.member.card.marks_house for one in drawn.playing)
        or any(item.house for kit in kits for item, _values in kit.rows),
    )


def _written(start: int | None) -> str:
    return "" if start is None else f"{start}"


def _shared(playing: Sequence[_Combatant]) -> list[ItemLine]:
    """Return the items that all fighters share."""
    first = playing[0].member.innate if playing else ()
    return [item for item in first if all(item in one.member.innate for one in playing)]


def _ranks(playing: Sequence[_Combatant]) -> tuple[Passage, ...]:
    """Return the description of each rank among the fighters, once."""
    told = [one.member.card.rank_says for one in playing]
    said = {rank.name: rank for rank in told if rank}
    return tuple(
        Passage("skill", (Run(rank.name, "title"), Run(f" {rank.text}"))) for rank in said.values()
    )


def _fighters(
    drawn: _Drawn, shared: Sequence[ItemLine], start: Start | None, game: Game, language: str
) -> Iterator[Fighter]:
    figures = {figure.key.partition(".")[2]: figure for figure in start.figures} if start else {}
    for one in drawn.playing:
        member, book, card = one.member, one.member.book, one.member.card
        own = [item for item in member.innate if item not in shared]
        is_drawn = 0 < len(member.life) <= MOST_BOXES
        yield fighter_of(
            member,
            short_kits(book, [*card.usable, *own], language),
            words_of(card),
            standing=_standing(one),
            # The boxes already show the number.
            stats=tuple(stat for stat in member.stats if stat.key != book.life or not is_drawn),
            more_ticks=counted.of_member(book, game, figures[one.candidate.key], language),
        )


def _standing(one: _Combatant) -> str:
    """Return a fighter's rank and worth, to print next to their name."""
    hired = _("hired for this game") if one.candidate.hired else ""
    return " · ".join(filter(None, (one.member.card.placed, hired, one.member.rating)))


def _absent(drawn: _Drawn, language: str) -> Iterator[tuple[CrewCandidate, str]]:
    """Yield the members who cannot play, each with the reason."""
    for candidate in drawn.now.away:
        told = ""
        if candidate.hired is None:
            told = stamp(render_member(drawn.computed, candidate.member, language))
        yield candidate, told or _("by the dice")


def _role(book: Book, side: Side) -> str:
    scenario = book.scenario.get(side.game.scenario)
    roles = scenario.roles if scenario else ()
    return next((localize(role.name) for role in roles if role.key == side.role), "")
