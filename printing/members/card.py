"""Compose the sides of member cards: their content and sizes, and when a member needs a second
card.

Every height is known before the press lays out the cards. All cards of a print have letters of one
size, and their boxes to tick in the same place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import batched
from typing import Literal

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from gangs.cards.item_tables import short_kits
from gangs.cards.sheet import life_label
from gangs.cards.values import Card, Page
from gangs.engine.computed import ComputedGang
from printing.members import markup, ticks
from printing.members.drawings import draw_life, experience
from printing.members.ladder import Ladder
from printing.members.markup import Block
from printing.members.parts import blank_stats
from printing.members.ticks import Ticked
from printing.members.values import PaperMember
from printing.members.words import worded, words_of
from printing.paper.drawings import BOXES_A_ROW, NO_TRACK, DrawnTrack
from printing.paper.orders import Order
from printing.press.jobs import picture_address
from typesetting.letters import LARGE, LARGE_LABEL
from typesetting.measuring import Face, Run, fitting_name, lines_height, width, wrap_text
from typesetting.passages import LEADING, Passage, Room
from typesetting.tables import Tables

CardSize = Literal["poker", "large"]
# A characteristic on a card: its label and its value.
Cell = tuple[str, str]
# Millimetres: from the cut to the frame, from the frame to its content.
EDGE = 1.5
INSIDE = 2.0
INDENT = EDGE + INSIDE
# Millimetres: the least height of the strip of boxes to tick; the space above it, with its line,
# and around it; the space between its two halves.
STRIP = 12.0
ABOVE, AROUND = 0.9, 1.2
APART = 3.0
# Life takes one half of the strip if that leaves at least this much to the other.
OTHER_HALF = 26.0
BETWEEN = 1.0
# Above and below the text in the head, in a cell of the characteristics, and in a stamp.
HEAD = 1.0
CELL = 0.9
STAMP = 1.8
# The space to write a number in.
BLANK = 12.0
# Between a label and the text after it, and between the text and the space to write in.
SPACE = 2.0
# The least height that is worth offering for notes, and the greatest height of the game's emblem in
# it.
NOTES, EMBLEM = 8.0, 14.0
TITLE_LEADING = 1.1
BOUND = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True)
class Format:
    """A size of cards: how many are on a page, and the sizes of letters, in points.

    ``names`` and ``body``: from the largest size to the smallest.
    """

    width: float
    height: float
    across: int
    down: int
    names: tuple[float, ...]
    standing: float
    label: float
    value: float
    body: tuple[float, ...]
    portrait: float

    @property
    def room(self) -> float:
        """The width of a line."""
        return self.width - 2 * INDENT

    @property
    def inner(self) -> float:
        """The inner height of the frame."""
        return self.height - 2 * EDGE - INSIDE

    @property
    def line(self) -> float:
        """The height of a line of labels."""
        return lines_height(1, self.label, LEADING)


FORMATS: Mapping[CardSize, Format] = {
    "poker": Format(63.5, 88.9, 3, 3, (13, 12, 11, 10, 9, 8), 7.5, 7, 11, (9, 8.5, 8, 7.5), 10),
    "large": Format(
        100, 110, 2, 2, (18, 16, 14, 12, 10, 8), 9, 7.5, 14, (10.5, 10, 9.5, 9, 8.5, 8, 7.5), 16
    ),
}
# The size of cards in large print, whichever size was chosen.
LARGE_PRINT = Format(98, 132, 2, 2, (20, 18, 16, 14, 12), LARGE, LARGE_LABEL, 17, (LARGE,), 18)
# Names in letters above this size stay on one line.
ONE_LINE = 10


def format_of(order: Order, size: CardSize) -> Format:
    """Return the size of the cards of an order."""
    return LARGE_PRINT if order.plain else FORMATS[size]


@dataclass(frozen=True)
class Strip:
    """The strip at the foot of a card, filled in at the table. ``life``: a drawing to tick;
    ``ticks``: the other boxes; ``experience``: the experience earned so far, with the ``track`` to
    tick and the ``next`` gain.
    """

    life: SafeString | str = ""
    ticks: SafeString | str = ""
    experience: str = ""
    track: SafeString | str = ""
    next: str = ""


@dataclass(frozen=True)
class Side:
    """One card to cut out. ``part``: "1/2" where a member takes two. Sizes and heights are in CSS
    units.
    """

    name: str
    standing: str
    worth: str
    stats: Sequence[Sequence[Cell]]
    strip: Strip | None
    foot: str
    name_size: str
    notes: str
    part: str = ""
    portrait: str = ""
    stamp: str = ""
    blocks: Sequence[Block] = ()
    emblem: str = ""
    blank: bool = False


@dataclass(frozen=True)
class _Halves:
    """The place of the boxes other than life, the same on every card.

    Millimetres: ``aside``, to the right of life, or ``below`` it, ``room`` wide; ``high``: the
    height of the whole strip.
    """

    aside: float
    below: float
    room: float
    high: float


@dataclass(frozen=True)
class _Draft:
    """A member's card without its running text, and the heights of its head and values."""

    card: Card
    side: Side
    head: float
    stats: float


class Drawing:
    """Draw the cards of one gang. ``portraits``: pictures of its members."""

    def __init__(
        self,
        computed: ComputedGang,
        page: Page,
        language: str,
        size: Format,
        portraits: Mapping[int | None, str],
    ) -> None:
        self.computed, self.book, self.page, self.language = computed, computed.book, page, language
        self.size, self.portraits = size, portraits
        self.life = life_label(computed.book, language)
        self.learning = computed.book.experience_word.translated(language)
        self.learns = computed.rules.teaches
        self.body = size.body[0]
        self.halves = _Halves(0, 0, size.room, STRIP)
        self.foot_high = 0.0

    def sides(self, members: Sequence[PaperMember], spares: int) -> list[list[Side]]:
        """Return the cards of each member or group, then blank ones, in the largest letters that
        take no more cards than the smallest do.
        """
        size = self.size
        strips = [self._ticked(member) for member in members]
        empty = self._empty()
        self.halves = self._halved([*strips, *[empty] * bool(spares)])
        feet = [
            self._foot(card) for card in [*(one.card for one in members), *[None] * bool(spares)]
        ]
        self.foot_high = max((self._high(foot, size.label, size.room) for foot in feet), default=0)
        drafts = [
            self._draft(member, self._strip(*strip), foot)
            for member, strip, foot in zip(members, strips, feet, strict=False)
        ]
        kits = [
            short_kits(self.book, [*one.card.usable, *one.innate], self.language) for one in members
        ]
        every = [kit for one in kits for kit in one]

        def dealt(body: float) -> list[list[list[Passage]]]:
            tables = Tables(every, _("Item"), size.room, body, size.label)
            return [
                self._room(draft).deal(
                    [
                        *(row for kit in one for row in tables.passages(kit)),
                        *words_of(draft.card),
                    ],
                    body,
                )
                for draft, one in zip(drafts, kits, strict=True)
            ]

        chosen = dealt(size.body[-1])
        self.body, fewest = size.body[-1], sum(map(len, chosen))
        for body in size.body[:-1]:
            larger = dealt(body)
            if sum(map(len, larger)) <= fewest:
                self.body, chosen = body, larger
                break
        for draft, one in zip(drafts, chosen, strict=True):
            self._add_rank(draft, one)
        made = [list(self._parts(*one)) for one in zip(drafts, chosen, strict=True)]
        return made + [[self._blank(self._strip(*empty))] for _number in range(spares)]

    # The parts of a card ----------------------------------------------------------------------

    def _room(self, draft: _Draft) -> Room:
        free = self.size.inner - draft.head - self.foot_high - SPACE
        return Room(self.size.room, free - draft.stats - self._strip_high, free)

    @property
    def _strip_high(self) -> float:
        return self.halves.high + AROUND

    def _parts(self, draft: _Draft, dealt: Sequence[Sequence[Passage]]) -> Iterator[Side]:
        room = self._room(draft)
        for number, passages in enumerate(dealt, start=1):
            first = number == 1
            left = (room.first if first else room.others) - room.height(passages, self.body)
            yield replace(
                draft.side,
                part=f"{number}/{len(dealt)}" if len(dealt) > 1 else "",
                stats=draft.side.stats if first else (),
                blocks=list(markup.blocks(room, passages, self.body)),
                strip=draft.side.strip if first else None,
                notes=f"{left:.1f}mm" if left >= NOTES else "",
                emblem=f"{min(left - 1, EMBLEM):.1f}mm",
            )

    def _add_rank(self, draft: _Draft, dealt: list[list[Passage]]) -> None:
        """Add the text of a member's rank below all else if there is room for it. It is also on the
        sheets, and not worth another card.
        """
        if draft.card.rank_says is None:
            return
        room = self._room(draft)
        longer = [*dealt[-1], Passage("skill", worded(draft.card.rank_says))]
        if room.height(longer, self.body) <= (room.first if len(dealt) == 1 else room.others):
            dealt[-1] = longer

    def _draft(self, member: PaperMember, strip: Strip, foot: str) -> _Draft:
        size, card, worth, out = self.size, member.card, member.worth, member.stamp
        portrait = self.portraits.get(card.id)
        corner = width(f"{worth}8/8", size.standing + 1, "bold") + SPACE
        beside = size.portrait + SPACE if portrait else 0
        room = size.room - corner - beside
        name, lines = fitting_name(card.shown_name, size.names, room, ONE_LINE)
        head = lines_height(len(lines), name, TITLE_LEADING) + HEAD
        head += self._high(card.placed, size.standing, room)
        if portrait:
            head = max(head, size.portrait + HEAD)
        if out:
            head += self._high(out.upper(), size.standing + 1, size.room - SPACE, "bold") + STAMP
        stats, high = self._rows([(stat.short, stat.value) for stat in member.stats])
        side = Side(
            name=card.shown_name,
            standing=card.placed,
            worth=worth,
            stats=stats,
            strip=strip,
            foot=foot,
            name_size=f"{name:g}pt",
            notes="",
            portrait=picture_address(portrait) if portrait else "",
            stamp=out,
        )
        return _Draft(card, side, head, high)

    def _blank(self, strip: Strip) -> Side:
        """Return a card to fill in by hand."""
        size = self.size
        plain = blank_stats(self.computed.rules)
        stats, high = self._rows([(row.short.translated(self.language), BOUND) for row in plain])
        head = 2 * 5.0 + HEAD
        left = size.inner - head - self.foot_high - SPACE - high - self._strip_high
        return Side(
            name=_("Name"),
            standing=_("Rank"),
            worth=self.page.rating_unit if self.page.rating_name else "",
            stats=stats,
            strip=strip,
            foot=self._foot(None),
            name_size=f"{size.label:g}pt",
            notes=f"{left:.1f}mm",
            emblem=f"{EMBLEM}mm",
            blank=True,
        )

    def _rows(self, cells: Sequence[Cell]) -> tuple[Sequence[Sequence[Cell]], float]:
        """Return characteristics in rows of equal cells, and the height of all rows together."""
        if not cells:
            return (), 0
        size = self.size
        widest = max(
            max(width(label, size.label), width(value, size.value, "bold"))
            for label, value in cells
        )
        fit = min(len(cells), max(1, int(size.room / (widest + 1.2))))
        rows = list(batched(cells, -(-len(cells) // -(-len(cells) // fit))))
        high = 0.0
        for row in rows:
            room = size.room / len(row) - 1.2
            high += max(self._high(label, size.label, room) for label, _value in row)
            high += max(self._high(value, size.value, room, "bold") for _label, value in row)
            high += CELL + BETWEEN
        return rows, high

    def _foot(self, card: Card | None) -> str:
        parts = [self.page.name]
        innate = any(item.house for item in self.page.innate)
        if card is not None and (card.marks_house or innate):
            parts.append(_("† House value").replace(" ", BOUND))
        return " · ".join(filter(None, parts))

    def _high(self, text: str, size: float, room: float, face: Face = "plain") -> float:
        return lines_height(len(wrap_text([Run(text, face)], size, room)), size, LEADING)

    # The boxes to tick ------------------------------------------------------------------------

    def _ticked(self, member: PaperMember) -> _Ticked:
        life = draw_life(self.book, member.life, self.life, BLANK, self.size.line)
        return life, member.ticks, member.earned, member.ladder

    def _empty(self) -> _Ticked:
        """Return the boxes of a blank card."""
        most = max((len(card.life) for card in self.page.cards), default=BOXES_A_ROW // 2)
        life = (False,) * min(most, BOXES_A_ROW) if self.life else ()
        everybody = ticks.of_everybody(self.book, self.language)
        drawn = draw_life(self.book, life, self.life, BLANK, self.size.line)
        return drawn, everybody, BOUND if self.learns else "", None

    def _halved(self, strips: Sequence[_Ticked]) -> _Halves:
        """Return the place that the largest of all ``strips`` needs."""
        size = self.size
        lives = [life for life, *_rest in strips if life.drawing]
        across = max((life.across for life in lives), default=0)
        if across:
            across += width(f"{self.life} ", size.label) + APART
        life_high = max((max(life.high, size.line) for life in lives), default=0)
        beside = bool(across) and size.room - across >= OTHER_HALF
        rest = size.room - across if beside else size.room
        rests = max((self._rest_high(strip, rest) for strip in strips), default=0)
        below = 0.0 if beside or not across else life_high + BETWEEN
        high = max(life_high, below + rests, STRIP - AROUND)
        return _Halves(across if beside else 0, below, rest, high)

    def _rest_high(self, strip: _Ticked, room: float) -> float:
        """Return the height of a ``strip`` without its life."""
        _life, other, earned, ladder = strip
        high = ticks.lines(other, self.size.label, room) * ticks.HIGH
        if earned:
            words = " · ".join(filter(None, (f"{self.learning} {earned}", _next(ladder))))
            high += self._high(words, self.size.label, room, "bold")
        track = experience(ladder, room, self.learning) if ladder else NO_TRACK
        return high + (track.high + BETWEEN if ladder else 0)

    def _strip(
        self, life: DrawnTrack, other: Sequence[Ticked], earned: str, ladder: Ladder | None
    ) -> Strip:
        label = f"{self.learning} {earned}"
        track = experience(ladder, self.halves.room, label) if ladder else NO_TRACK
        return Strip(life.drawing, ticks.markup(other), earned, track.drawing, _next(ladder))


# Life, the other boxes, the experience earned, and the ladder to climb.
type _Ticked = tuple[DrawnTrack, Sequence[Ticked], str, Ladder | None]


def _next(ladder: Ladder | None) -> str:
    """Return the next gain by experience as "10: an advance", or ""."""
    ahead = [rung for rung in ladder.rungs if rung.at > ladder.earned] if ladder else []
    return f"{ahead[0].at}: {ahead[0].gain}" if ahead else ""
