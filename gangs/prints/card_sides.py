"""The sides of member cards: what is on each, how large, and what a member needs another card for.

The press only sets what is worked out here: every height is known before it is laid out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import batched
from typing import Literal

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gangs.cards.item_tables import NOTHING, marked
from gangs.cards.sheet import life_label, looked_up, named_kits
from gangs.cards.values import Ailment, Card, NamedText, Page
from gangs.engine.computed import ComputedGang
from gangs.prints import drawings, ticks
from gangs.prints.drawings import BOXES_A_ROW, NO_TRACK, Track
from gangs.prints.ladder import Ladder, ladder_of
from gangs.prints.ticks import Ticked
from printing.fitting import LEADING, Passage, Room
from printing.measuring import MILLIMETRES, Face, Run, fitting_name, width, wrapped
from printing.press import picture_address

CardSize = Literal["poker", "large"]
# A characteristic on a card: its label and its value.
Cell = tuple[str, str]
# Millimetres: from the cut to the frame, from the frame to what stands in it.
EDGE = 1.5
INSIDE = 2.0
INDENT = EDGE + INSIDE
# A line of writing is so high; what is drawn of life that is higher has room for two beside it.
WRITING = 5.0
NEXT = 3.5
HIGH = 9.0
BETWEEN = 1.0
# Above and below what stands in the head, and in a cell of the characteristics.
HEAD = 1.0
CELL = 0.9
# What a number is written into.
BLANK = 12.0
# Between a label and what follows it.
SPACE = 2.0
FOOT_SIZE = 6.0
LABEL_SIZE = 7.0
TITLE_LEADING = 1.1
BOUND = "\N{NO-BREAK SPACE}"
DOT = f"{BOUND}· "


@dataclass(frozen=True)
class Format:
    """A size of cards: how many are on a page, and the sizes of letters, in points.

    ``names``: from the largest to the floor; ``body`` likewise; ``notes``: how much room to write
    is left at least.
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
    notes: float
    portrait: float

    @property
    def room(self) -> float:
        """How wide a line is."""
        return self.width - 2 * INDENT

    @property
    def inner(self) -> float:
        """How high the frame is, inside."""
        return self.height - 2 * EDGE - INSIDE


FORMATS: Mapping[CardSize, Format] = {
    "poker": Format(
        63.5, 88.9, 3, 3, (13, 12, 11, 10, 9, 8, 7), 7, 6, 10, (8.5, 8, 7.5, 7, 6.5, 6), 8, 10
    ),
    "large": Format(
        100, 110, 2, 2, (18, 16, 14, 12, 10, 8), 9, 7, 14, (9.5, 9, 8.5, 8, 7.5, 7, 6.5, 6), 14, 16
    ),
}
# Letters of a name above this size stay on one line.
ONE_LINE = 10


@dataclass(frozen=True)
class Tail:
    """What is filled in at the table. ``life``: a drawing to tick, and ``life_high`` it is;
    ``ticks``: what else is ticked off, and ``ticks_high`` it is; ``experience``: what was earned so
    far, with the ``track`` to tick and what comes ``next``.

    ``beside``: life and experience share a line, and with ``inside`` the track does, too;
    ``high``: all of it together, in millimetres.
    """

    life: SafeString | str = ""
    life_high: str = ""
    ticks: SafeString | str = ""
    ticks_high: str = ""
    experience: str = ""
    track: SafeString | str = ""
    next: str = ""
    beside: bool = False
    inside: bool = False
    high: float = 0


@dataclass(frozen=True)
class Side:
    """One card to cut out. ``part``: "1/2" where a member takes more. Sizes and heights
    are CSS's."""

    name: str
    standing: str
    worth: str
    stats: Sequence[Sequence[Cell]]
    tail: Tail
    foot: str
    name_size: str
    notes: str
    part: str = ""
    portrait: str = ""
    passages: Sequence[tuple[str, SafeString]] = ()
    body_size: str = ""
    blank: bool = False


class Drawing:
    """Draws the cards of one gang. ``portraits``: pictures of its members."""

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
        self.learning = computed.book.experience_name.translated(language)
        self.learns = computed.book.teaches(computed.roster.settings)

    def sides(self, card: Card) -> Iterator[Side]:
        """The cards of one member, in order."""
        size = self.size
        worth = self.page.worth(card)
        portrait = self.portraits.get(card.id)
        corner = width(f"{worth}8/8", size.standing + 1, "bold") + SPACE
        beside = size.portrait + SPACE if portrait else 0
        name, lines = fitting_name(
            card.shown_name, size.names, size.room - corner - beside, ONE_LINE
        )
        standing = card.placed
        head = len(lines) * name * TITLE_LEADING * MILLIMETRES + HEAD
        head += self._high(standing, size.standing, size.room - corner - beside)
        if portrait:
            head = max(head, size.portrait + HEAD)
        plain = drawings.untracked(self.book, card)
        stats, high = self._rows([(stat.short, stat.value) for stat in plain])
        tail = self._tail(card)
        foot = self._foot(card)
        bottom = self._high(foot, FOOT_SIZE, size.room)
        # What is left: two millimetres part the head, the text and what is written in.
        free = size.inner - head - bottom - SPACE
        room = Room(size.room, free - high - tail.high - size.notes, free, size.body)
        body, dealt = room.deal(list(self._passages(card)))
        for number, passages in enumerate(dealt, start=1):
            first = number == 1
            left = free - room.height(passages, body) - (high + tail.high if first else 0)
            yield Side(
                name=card.shown_name,
                standing=standing,
                worth=worth,
                part=f"{number}/{len(dealt)}" if len(dealt) > 1 else "",
                portrait=picture_address(portrait) if portrait else "",
                stats=stats if first else (),
                passages=[(passage.kind, room.markup(passage, body)) for passage in passages],
                tail=tail if first else Tail(),
                foot=foot,
                name_size=f"{name:g}pt",
                body_size=f"{body:g}pt",
                notes=f"{left:.1f}mm" if first or left >= size.notes else "",
            )

    def blank(self) -> Side:
        """A card to fill in by hand."""
        size = self.size
        page = self.page
        most = max((len(card.life) for card in page.cards), default=BOXES_A_ROW // 2)
        # What is drawn as boxes is no number besides.
        plain = (
            row
            for row in self.book.characteristics
            if row.key != self.book.life or row.kind != "track"
        )
        stats, high = self._rows([(row.short.translated(self.language), BOUND) for row in plain])
        foot = self._foot(None)
        life = (False,) * min(most, BOXES_A_ROW) if self.life else ()
        everybody = ticks.of_everybody(self.book, self.language)
        tail = self._laid_out(life, BOUND if self.learns else "", None, everybody)
        bottom = self._high(foot, FOOT_SIZE, size.room)
        head = WRITING * 2 + HEAD
        left = size.inner - head - bottom - SPACE - high - tail.high
        return Side(
            name=_("Name"),
            standing=_("Rank"),
            worth=page.rating_unit if page.rating_name else "",
            stats=stats,
            tail=tail,
            foot=foot,
            name_size=f"{LABEL_SIZE:g}pt",
            notes=f"{left:.1f}mm",
            blank=True,
        )

    # The parts of a card ----------------------------------------------------------------------

    def _rows(self, cells: Sequence[Cell]) -> tuple[Sequence[Sequence[Cell]], float]:
        """Characteristics in rows of equal cells, and how high they are together."""
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

    def _tail(self, card: Card) -> Tail:
        learns = self.learns or bool(card.experience)
        member = self.computed.roster.member(card.id)
        ladder = ladder_of(self.computed, member, self.language) if learns else None
        other = ticks.ticked(self.computed, card.id, self.language)
        return self._laid_out(card.life, card.earned if learns else "", ladder, other)

    def _laid_out(
        self, life: Sequence[bool], earned: str, ladder: Ladder | None, other: Sequence[Ticked]
    ) -> Tail:
        """Life and experience, beside each other if they have room; above them what ``other``
        boxes there are."""
        life_track = self._life(life)
        life_high = life_track.high
        ahead = [rung for rung in ladder.rungs if rung.at > ladder.earned] if ladder else []
        then = f"{ahead[0].at}: {ahead[0].gain}" if ahead else ""
        # Life with its label, then experience: in words, or with a blank to write it into.
        experience = f"{self.learning} {earned}"
        labels = width(experience, LABEL_SIZE, "bold")
        labels = max(labels + (0 if ladder else BLANK), width(then, LABEL_SIZE))
        taken = life_track.across + width(f"{self.life} ", LABEL_SIZE) + 2 * SPACE if life else 0
        beside = bool(life and earned) and taken + labels <= self.size.room
        inside = beside and life_high >= HIGH
        room = self.size.room - (taken if inside else 0)
        track = drawings.experience(ladder, room, experience) if ladder else None
        track_high = track.high + BETWEEN if track else 0
        life_high += BETWEEN if life else 0
        words = (WRITING + (NEXT if then else 0)) if earned else 0
        if inside:
            high = max(life_high, words + track_high + BETWEEN)
        elif beside:
            high = max(life_high, words + BETWEEN) + track_high
        else:
            high = life_high + (words + BETWEEN if earned else 0) + track_high
        ticks_high = ticks.lines(other, LABEL_SIZE, self.size.room) * ticks.HIGH
        return Tail(
            life=life_track.drawing,
            life_high=f"{life_track.high:.1f}mm",
            ticks=ticks.markup(other),
            ticks_high=f"{ticks_high:.1f}mm",
            experience=earned,
            track=track.drawing if track else "",
            next=then,
            beside=beside,
            inside=inside,
            high=high + ticks_high,
        )

    def _life(self, life: Sequence[bool]) -> Track:
        """What is ticked off while playing, as the rulebook has it drawn; no lower than a line of
        writing."""
        if not life:
            return NO_TRACK
        track = drawings.life_track(self.book, life, self.life)
        track = track or Track(f"____ / {len(life)}", BLANK, WRITING)
        return replace(track, high=max(track.high, WRITING))

    def _foot(self, card: Card | None) -> str:
        parts = [self.page.name, self.book.title.translated(self.language)]
        innate = any(item.house for item in self.page.innate)
        if card is not None and (card.marks_house or innate):
            parts.append(_("† House value").replace(" ", BOUND))
        return " · ".join(filter(None, parts))

    def _passages(self, card: Card) -> Iterator[Passage]:
        carried = looked_up(self.book, card.items)
        innate = looked_up(self.book, self.page.innate)
        for kit in [*named_kits(carried), *named_kits(innate)]:
            for item, values in kit.rows:
                runs = [Run(marked(item.name, item.house), "title")]
                pairs = [
                    pair for pair in zip(kit.columns, values, strict=True) if pair[1] != NOTHING
                ]
                for place, (column, value) in enumerate(pairs):
                    # Neither is a value parted from its label nor does a line begin with a dot.
                    runs.append(Run(f"{DOT if place else ' '}{column}{BOUND}"))
                    runs.append(Run(value, "bold"))
                if item.text:
                    runs.append(Run(f"{DOT if pairs else ' '}{item.text}"))
                yield Passage("kit", tuple(runs))
        if card.rank_says:
            yield Passage("skill", _worded(card.rank_says))
        for ability in card.abilities:
            yield Passage("skill", _worded(ability))
        for ailment in card.afflictions:
            yield Passage("ill", _worded(ailment, _lasting(ailment)))
        if card.notes:
            text = " ".join(card.notes.split())
            yield Passage("note", (Run(_("Notes"), "title"), Run(f" {text}")))

    def _high(self, text: str, size: float, room: float, face: Face = "plain") -> float:
        return len(wrapped([Run(text, face)], size, room)) * size * LEADING * MILLIMETRES


def _worded(text: NamedText, more: str = "") -> tuple[Run, ...]:
    return Run(marked(text.name, text.house) + more, "title"), Run(f" {text.text}")


def _lasting(ailment: Ailment) -> str:
    """For how long a condition still lasts, and which gang it is from."""
    whose = _("held by %(gang)s") if ailment.held else _("against %(gang)s")
    parts = [whose % {"gang": ailment.against}] if ailment.against else []
    if games := ailment.games:
        more = ngettext("%(games)s more game", "%(games)s more games", games)
        parts.append(more % {"games": games})
    return f" ({', '.join(parts)})" if parts else ""
