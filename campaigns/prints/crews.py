"""A crew on paper: everybody who plays tonight, with what is looked up and ticked off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from campaigns.crews.preparing import Preparation, prepared
from campaigns.crews.text import VersusLine
from campaigns.engine.crew import Candidate
from campaigns.models import Game, Side
from gangs.cards.item_tables import Kit
from gangs.cards.render import innate_lines, render_member
from gangs.cards.sheet import life_label
from gangs.cards.values import Card, Stat
from gangs.engine.computed import ComputedGang
from gangs.models import Gang
from gangs.prints import ticks
from gangs.prints.card_sides import words_of
from gangs.prints.card_tables import Tables, short_kits
from gangs.prints.drawings import Track, life_track, untracked
from gangs.prints.stamps import stamp
from gangs.prints.ticks import Ticked
from gangs.text.formats import localized
from printing.fitting import Block, Room
from printing.legibility import LARGE, SMALLEST, SMALLEST_LABEL
from printing.measuring import MILLIMETRES, Run, wrapped
from printing.orders import Order, Paper
from rules.book.model import Book
from rules.book.reference import Counted
from rules.book.vocabulary import applies

# Points: the letters of a crew are as large as one page allows, and never smaller than the last.
SIZES = (11.0, 10.5, 10.0, 9.5, 9.0, 8.5, 8.0, SMALLEST)
# Millimetres: how high the two columns of fighters are if nothing stands above them, and what is
# never filled of each since nobody is broken in two.
HIGH: dict[Paper, float] = {"a4": 236, "letter": 218}
SPARE = 6.0
# What stands above each of two crews that share a page, and the smallest letters that is worth it.
BAND, SHARED = 39.0, 9.0
# Millimetres: a column, over the whole width in large print; a characteristic in it at least, and
# what parts them from what is ticked.
COLUMN, A_STAT, APART = 92.0, 6.5, 3.0
WHOLE = 186.0
# Of a fighter, in ems: the name and what is around it, labels and values, and what is around all.
NAME, STATS, AROUND = 1.35, 2.6, 1.3
# What stands above the crew: letters to a line of it, and millimetres a line and a row of turns.
BROAD, A_LINE, A_TURN = 105, 4.0, 6.4


def label(size: float) -> float:
    """How large labels are beside letters of ``size`` points."""
    return max(SMALLEST_LABEL, round(size * 0.85, 1))


@dataclass(frozen=True)
class Fighter:
    """Somebody who plays. ``stats``: those set as values; ``kits``: what they have, and what
    everybody has, worked out for them; ``track``: the life to tick off, drawn, unless that would be
    too large; ``ticks``: what else is ticked off; ``hired``: for this game only."""

    card: Card
    stats: tuple[Stat, ...]
    kits: tuple[Kit, ...]
    track: Track | None
    ticks: tuple[Ticked, ...]
    hired: bool

    @property
    def ticked(self) -> SafeString:
        """What is ticked off besides the life, drawn."""
        return ticks.markup(self.ticks)

    @property
    def stamp(self) -> str:
        """Why they could not play, if they are listed all the same."""
        return stamp(self.card)

    @property
    def beside(self) -> str:
        """How broad a column beside the characteristics the life takes; "" if it has no room."""
        if self.track is None:
            return ""
        needed = self.track.across + APART
        return f"{needed:.1f}mm" if needed + len(self.stats) * A_STAT <= COLUMN else ""

    @property
    def standing(self) -> str:
        """What they are, beside their name."""
        hired = _("hired for this game") if self.hired else ""
        return " · ".join(filter(None, (self.card.placed, hired)))

    def high(self, text: float, size: float, room: float) -> float:
        """How high they are in letters of ``size`` points, of which their ``text`` is so much, in
        a column of ``room`` millimetres."""
        em = size * MILLIMETRES
        name = wrapped([Run(self.card.shown_name, "title"), Run(f" {self.standing}  000000")],
                       size * NAME, room)  # fmt: skip
        high = text + em * (AROUND + STATS + len(name) * NAME * 1.1)
        high += ticks.lines(self.ticks, label(size), room) * ticks.HIGH
        tall = self.track.high if self.track else em
        if self.beside:
            return high + max(0.0, tall - em * STATS / 2)
        return high + (tall + 2 if self.card.life else 0)


@dataclass(frozen=True)
class Laid:
    """A fighter with what they have and can, in lines as they were measured."""

    fighter: Fighter
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class TurnTrack:
    """The turns, from the first, and what is counted in them."""

    turns: range
    counted: tuple[Counted, ...]

    @property
    def rows(self) -> int:
        """How many rows it takes, its head among them, and the texts below it."""
        return 1 + (2 * len(self.counted) or 1)


@dataclass(frozen=True)
class CrewPage:
    """A gang before its game. ``role``: what it is by the scenario; ``size``: of its letters;
    ``turn``: who stands at the top of the second column; ``pages``: about how many it takes;
    ``track``: the turns of the game, to tick off; ``victory``: what it is about."""

    rival: str
    line: VersusLine
    role: str
    fighters: tuple[Laid, ...]
    now: Preparation
    life: str
    size: float
    turn: int
    pages: int
    track: TurnTrack | None
    victory: str

    @property
    def key(self) -> int:
        """What tells it from all others of a night."""
        return self.line.side.pk

    @property
    def house(self) -> bool:
        """Whether any value on it is a house value."""
        kits = (kit for laid in self.fighters for kit in laid.fighter.kits)
        return any(laid.fighter.card.marks_house for laid in self.fighters) or any(
            item.house for kit in kits for item, _values in kit.rows
        )

    @property
    def label(self) -> float:
        """How large its labels are, in points."""
        return label(self.size)


def crew_page(
    side: Side,
    sides: Sequence[Side],
    line: VersusLine,
    homes: Mapping[str, Gang],
    order: Order,
    *,
    half: bool = False,
) -> CrewPage:
    """The page of one side, or the ``half`` that it has of one. ``homes``: the gangs that hired
    hands come from, by key."""
    assert side.gang is not None
    book = side.gang.book
    now = prepared(side, {key: gang.roster for key, gang in homes.items()})
    computed = ComputedGang.of(book, side.gang.roster)
    life = life_label(book, order.language)
    fighters = tuple(
        _fighter(computed, candidate, homes, life, order.language)
        for candidate in _playing(side, now)
    )
    track = turn_track(book, side.game)
    scenario = book.scenario.get(side.game.scenario)
    victory = scenario.victory.translated(order.language) if scenario else ""
    free = HIGH[order.paper]
    if half:
        free = (free + BAND) / 2 - BAND
    free -= SPARE + _above(track, victory)
    free -= (len(now.chances) + len(now.away)) * A_LINE
    layout = _layout(fighters, order, free)
    return CrewPage(
        rival=" – ".join(other.name for other in sides if other.pk != side.pk),
        line=line,
        role=_role(book, side),
        fighters=layout.laid,
        now=now,
        life=life,
        size=layout.size,
        turn=layout.turn,
        pages=layout.pages,
        track=track,
        victory=victory,
    )


def crew_pages(
    sides: Sequence[Side],
    lines: Mapping[int, VersusLine],
    homes: Mapping[str, Gang],
    order: Order,
) -> list[tuple[CrewPage, ...]]:
    """The crews of all ``sides`` page by page: two of them on one if they are small, so that one
    sheet of paper holds both."""
    ours = [side for side in sides if side.pk in lines]
    if len(ours) == 2 and not order.plain:
        halves = [crew_page(one, sides, lines[one.pk], homes, order, half=True) for one in ours]
        if all(crew.pages == 1 and crew.size >= SHARED for crew in halves):
            return [tuple(halves)]
    return [(crew_page(side, sides, lines[side.pk], homes, order),) for side in ours]


def turn_track(book: Book, game: Game) -> TurnTrack | None:
    """The turns of a game, if its rulebook or its scenario counts them."""
    scenario = book.scenario.get(game.scenario)
    usual = book.pace.turns if book.pace else 0
    turns = usual if scenario is None or scenario.turns is None else scenario.turns
    if not turns:
        return None
    counted = tuple(
        row
        for row in (book.pace.counted if book.pace else ())
        if applies(row.when, game.campaign.settings)
    )
    return TurnTrack(range(1, turns + 1), counted)


def _above(track: TurnTrack | None, victory: str) -> float:
    """Millimetres that the turns and the victory take above the crew."""
    high = ceil(len(victory) / BROAD) * A_LINE * 1.2
    if track is not None:
        high += track.rows * A_TURN + 2
    return high


def _playing(side: Side, now: Preparation) -> tuple[Candidate, ...]:
    """Those who play: as picked before the game, or as reported of it."""
    if side.game.status == Game.Status.PLANNED or not side.report:
        return now.crew
    fielded = set(side.parsed_report.fielded)
    return tuple(row for row in now.candidates if row.hired or row.member.id in fielded)


def _fighter(
    computed: ComputedGang,
    candidate: Candidate,
    homes: Mapping[str, Gang],
    life: str,
    language: str,
) -> Fighter:
    if candidate.hired is not None:
        home = homes[candidate.hired.gang]
        computed = ComputedGang.of(computed.book, home.roster, candidate.member)
    card = render_member(computed, candidate.member, language)
    innate = innate_lines(computed, candidate.member, language)
    return Fighter(
        card,
        untracked(computed.book, card),
        tuple(short_kits(computed.book, [*card.items, *innate], language)),
        life_track(computed.book, card.life, life),
        ticks.ticked(computed, card.id, language),
        hired=candidate.hired is not None,
    )


def _role(book: Book, side: Side) -> str:
    scenario = book.scenario.get(side.game.scenario)
    roles = scenario.roles if scenario else ()
    return next((localized(role.name) for role in roles if role.key == side.role), "")


@dataclass(frozen=True)
class _Layout:
    """A crew in letters of ``size`` points. ``turn``: who stands at the top of the second column,
    so that both are about as long; 0 where there is more than a page of them."""

    size: float
    laid: tuple[Laid, ...]
    turn: int
    pages: int


def _layout(fighters: Sequence[Fighter], order: Order, free: float) -> _Layout:
    """The largest letters with which a crew takes no more pages than with the smallest; ``free``:
    how high a column is, in millimetres."""
    if order.plain:
        return _Layout(LARGE, _laid(fighters, LARGE, WHOLE)[0], 0, 2)
    columns: list[tuple[float, tuple[Laid, ...], list[float], int]] = []
    for size in SIZES:
        laid, highs = _laid(fighters, size, COLUMN)
        columns.append((size, laid, highs, _columns(highs, free)))
    fewest = ceil(columns[-1][-1] / 2)
    size, laid, highs, _needed = next(row for row in columns if ceil(row[-1] / 2) <= fewest)
    turn = 0
    if fewest <= 1:
        halves = ((max(sum(highs[:at]), sum(highs[at:])), at) for at in range(1, len(highs)))
        turn = min(halves, default=(0, 0))[1]
    return _Layout(size, laid, turn, fewest)


def _columns(highs: Sequence[float], free: float) -> int:
    """How many columns fighters of these heights fill, none of them broken in two."""
    columns, left = 1, free
    for high in highs:
        if high > left:
            columns, left = columns + 1, free
        left -= high
    return columns


def _laid(
    fighters: Sequence[Fighter], size: float, room: float
) -> tuple[tuple[Laid, ...], list[float]]:
    """All of them in letters of ``size`` points, and how high each is."""
    every = [kit for fighter in fighters for kit in fighter.kits]
    tables = Tables(every, room, size, label(size))
    column = Room(room, 0, 0)
    laid, highs = [], []
    for fighter in fighters:
        passages = [row for kit in fighter.kits for row in tables.passages(kit)]
        passages += words_of(fighter.card)
        laid.append(Laid(fighter, tuple(column.blocks(passages, size))))
        highs.append(fighter.high(column.height(passages, size), size, room))
    return tuple(laid), highs
