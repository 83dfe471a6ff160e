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
from gangs.cards.render import render_member
from gangs.cards.sheet import item_rows, life_label, looked_up
from gangs.cards.values import Card, ItemLine, Stat
from gangs.engine.computed import ComputedGang
from gangs.models import Gang
from gangs.prints import ticks
from gangs.prints.drawings import Track, life_track, untracked
from gangs.prints.ticks import Ticked
from gangs.text.formats import localized
from printing.orders import Order, Paper
from rules.book.model import Book
from rules.book.reference import Counted
from rules.book.vocabulary import applies

# Points: the letters of a crew are as large as one page allows, and never smaller than the last.
SIZES = (11.0, 10.5, 10.0, 9.5, 9.0, 8.5, 8.0, 7.5, 7.0, 6.5)
# Letters of nine points to the line of one of two columns, and lines to both columns, which are
# never quite full since nobody is broken in two.
USUAL, LETTERS = 9.0, 56
LINES: dict[Paper, int] = {"a4": 118, "letter": 105}
# Lines that a fighter takes besides the texts: the name, the characteristics, what is around them.
AROUND = 5.0
# What is ticked off takes lines, too, and more the higher it is drawn; beside the characteristics
# only what is higher than they are.
TICKED, A_MILLIMETRE = 0.8, 0.2
TICKED_TOO, STATLINE = 1.3, 4.0
# Millimetres: a column, a characteristic in it at least, and what parts them from what is ticked.
COLUMN, A_STAT, APART = 88.0, 6.5, 3.0
# What stands above the crew: letters to a line of it, and lines to a row of the turns.
BROAD, A_TURN = 105, 1.6


@dataclass(frozen=True)
class Fighter:
    """Somebody who plays. ``stats``: those set as values; ``track``: the life to tick off, drawn,
    unless that would be too large; ``ticks``: what else is ticked off; ``hired``: for this game
    only."""

    card: Card
    stats: tuple[Stat, ...]
    items: Sequence[tuple[ItemLine, str]]
    track: Track | None
    ticks: tuple[Ticked, ...]
    hired: bool

    @property
    def ticked(self) -> SafeString:
        """What is ticked off besides the life, drawn."""
        return ticks.markup(self.ticks)

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

    def lines(self, letters: int) -> float:
        """About how many lines they take in a column of so many letters."""
        card = self.card
        kit = sum(ceil((len(item.name) + len(values) + 3) / letters) for item, values in self.items)
        more = sum(ceil(len(item.text) / letters) for item, _values in self.items)
        can = ceil(sum(len(word.name) + len(word.text) + 2 for word in card.abilities) / letters)
        ails = sum(ceil((len(row.name) + len(row.text) + 12) / letters) for row in card.afflictions)
        head = ceil((len(card.shown_name) * 1.6 + len(self.standing) * 1.2) / letters)
        high = self.track.high if self.track else 0
        if self.beside:
            life = A_MILLIMETRE * max(0, high - STATLINE)
        else:
            life = TICKED + A_MILLIMETRE * high if card.life else 0
        ticked = sum(len(tick.label) + 2 * tick.boxes + 3 for tick in self.ticks)
        life += ceil(ticked / letters) * TICKED_TOO
        return AROUND + head + life + kit + more + can + ails - 1


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
    ``turn``: who stands at the top of the second column; ``track``: the turns of the game, to tick
    off; ``victory``: what it is about."""

    rival: str
    line: VersusLine
    role: str
    fighters: tuple[Fighter, ...]
    now: Preparation
    life: str
    size: float
    turn: int
    track: TurnTrack | None
    victory: str

    @property
    def house(self) -> bool:
        """Whether any value on it is a house value."""
        return any(fighter.card.marks_house for fighter in self.fighters)


def crew_page(
    side: Side,
    sides: Sequence[Side],
    line: VersusLine,
    homes: Mapping[str, Gang],
    order: Order,
) -> CrewPage:
    """The page of one side. ``homes``: the gangs that hired hands come from, by key."""
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
    room = LINES[order.paper] - 2 * (len(now.chances) + len(now.away)) - _above(track, victory)
    size = _size(fighters, room)
    return CrewPage(
        rival=" – ".join(other.name for other in sides if other.pk != side.pk),
        line=line,
        role=_role(book, side),
        fighters=fighters,
        now=now,
        life=life,
        size=size,
        turn=_turn(fighters, size, room),
        track=track,
        victory=victory,
    )


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


def _above(track: TurnTrack | None, victory: str) -> int:
    """Lines of both columns that the turns and the victory take above the crew."""
    lines = ceil(len(victory) / BROAD) * 1.2
    if track is not None:
        lines += track.rows * A_TURN + 0.5
    return 2 * ceil(lines)


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
    items = item_rows(looked_up(computed.book, card.items))
    return Fighter(
        card,
        untracked(computed.book, card),
        items,
        life_track(computed.book, card.life, life),
        ticks.ticked(computed, card.id, language),
        hired=candidate.hired is not None,
    )


def _role(book: Book, side: Side) -> str:
    scenario = book.scenario.get(side.game.scenario)
    roles = scenario.roles if scenario else ()
    return next((localized(role.name) for role in roles if role.key == side.role), "")


def _size(fighters: Sequence[Fighter], room: float) -> float:
    """The largest letters with which a crew is on one page, as far as that can be foreseen."""
    for size in SIZES:
        if sum(fighter.lines(_letters(size)) for fighter in fighters) <= room * USUAL / size:
            return size
    return SIZES[-1]


def _letters(size: float) -> int:
    return int(LETTERS * USUAL / size)


def _turn(fighters: Sequence[Fighter], size: float, room: float) -> int:
    """Who stands at the top of the second column, so that both are about as long; 0 where there is
    more than a page of them, each of whose columns is filled to its end."""
    lines = [fighter.lines(_letters(size)) for fighter in fighters]
    if sum(lines) > room * USUAL / size:
        return 0
    return min(
        range(1, len(lines)), key=lambda at: max(sum(lines[:at]), sum(lines[at:])), default=0
    )
