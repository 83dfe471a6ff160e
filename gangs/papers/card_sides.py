"""The sides of member cards: what is on each, how large, and what a member needs another card for.

The press only sets what is worked out here: every height is known before it is laid out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import batched
from pathlib import Path
from typing import Literal

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gangs.cards import Card, Page, Stat, Words
from gangs.columns import NOTHING, marked
from gangs.papers.dealing import LEADING, Passage, Room
from gangs.papers.drawings import BOXES_A_ROW, MOST_BOXES, boxes
from gangs.papers.measuring import MILLIMETRES, Face, Run, width, wrapped
from gangs.papers.tallies import tally
from gangs.sheets import life_label, named_kits
from rules.book import Book

CardSize = Literal["poker", "large"]
# Millimetres: from the cut to the frame, from the frame to what stands in it.
EDGE = 1.5
INSIDE = 2.0
INDENT = EDGE + INSIDE
# Boxes of life are so high, with what is between two rows; a line of writing needs as much.
BOX = 4.6
WRITING = 5.0
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
class Cell:
    """A characteristic on a card."""

    label: str
    value: str


@dataclass(frozen=True)
class Side:
    """One card to cut out. ``part``: "1/2" where a member takes more; ``beside``: life and
    experience share a line. Sizes and heights are CSS's."""

    name: str
    standing: str
    worth: str
    part: str
    portrait: str
    stats: Sequence[Sequence[Cell]]
    passages: Sequence[tuple[str, SafeString]]
    life: str
    boxes: SafeString | str
    experience: str
    tally: SafeString | str
    beside: bool
    foot: str
    name_size: str
    body_size: str
    notes: str
    blank: bool = False


class Drawing:
    """Draws the cards of one gang. ``portraits``: pictures of its members."""

    def __init__(
        self,
        book: Book,
        page: Page,
        language: str,
        size: Format,
        portraits: Mapping[int, Path],
    ) -> None:
        self.book, self.page, self.language = book, page, language
        self.size, self.portraits = size, portraits
        self.life = life_label(book, language)
        campaign = book.campaign
        self.learns = bool(campaign.awards or campaign.advancement or campaign.growth)
        self.step = campaign.advancement.experience if campaign.advancement else BOXES_A_ROW

    def sides(self, card: Card) -> Iterator[Side]:
        """The cards of one member, in order."""
        size = self.size
        worth = f"{card.rating} {self.page.rating_unit}" if self.page.rating_name else ""
        portrait = self.portraits.get(card.id)
        corner = width(f"{worth}8/8", size.standing + 1, "bold") + SPACE
        beside = size.portrait + SPACE if portrait else 0
        name, lines = self._name(card.shown_name, size.room - corner - beside)
        squad = f"{card.squad_name} {card.squad}" if card.squad else ""
        standing = " · ".join(filter(None, (card.standing, squad)))
        head = lines * name * TITLE_LEADING * MILLIMETRES + HEAD
        head += self._high(standing, size.standing, size.room - corner - beside)
        if portrait:
            head = max(head, size.portrait + HEAD)
        stats, high = self._stats(card)
        tail, beside_life = self._tail(card)
        foot = self._foot(card)
        bottom = self._high(foot, FOOT_SIZE, size.room)
        # What is left: two millimetres part the head, the text and what is written in.
        free = size.inner - head - bottom - SPACE
        room = Room(size.room, free - high - tail - size.notes, free, size.body)
        body, dealt = room.deal(list(self._passages(card)))
        for number, passages in enumerate(dealt, start=1):
            first = number == 1
            left = free - room.height(passages, body) - (high + tail if first else 0)
            yield Side(
                name=card.shown_name,
                standing=standing,
                worth=worth,
                part=f"{number}/{len(dealt)}" if len(dealt) > 1 else "",
                portrait=portrait.as_uri() if portrait else "",
                stats=stats if first else (),
                passages=[(one.kind, room.markup(one, body)) for one in passages],
                life=self.life if first else "",
                boxes=boxes(card.life, self.life) if first else "",
                experience=card.earned if first and self._learns(card) else "",
                tally=self._tally(card) if first else "",
                beside=first and beside_life,
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
        cells = [Cell(row.short.said(self.language), BOUND) for row in self.book.characteristics]
        stats, high = self._rows([cell for cell in cells if not self._ticked(cell.label)])
        life = (False,) * min(most, BOXES_A_ROW)
        foot = self._foot(None)
        parts = [WRITING + BETWEEN] * (bool(self.life) + self.learns)
        beside = len(parts) > 1 and self._beside(len(life), "", BLANK)
        tail = max(parts) if beside else sum(parts)
        bottom = self._high(foot, FOOT_SIZE, size.room)
        head = WRITING * 2 + HEAD
        left = size.inner - head - bottom - SPACE - high - tail
        return Side(
            name=_("Name"),
            standing=_("Rank"),
            worth=page.rating_unit if page.rating_name else "",
            part="",
            portrait="",
            stats=stats,
            passages=(),
            life=self.life,
            boxes=boxes(life, self.life) if self.life else "",
            experience=" " if self.learns else "",
            tally="",
            beside=beside,
            foot=foot,
            name_size=f"{LABEL_SIZE:g}pt",
            body_size=f"{LABEL_SIZE:g}pt",
            notes=f"{left:.1f}mm",
            blank=True,
        )

    # The parts of a card ----------------------------------------------------------------------

    def _name(self, name: str, room: float) -> tuple[float, int]:
        """The size of a name, and on how many lines it is set."""
        for size in self.size.names:
            lines = len(wrapped([Run(name, "title")], size, room))
            if lines <= (1 if size > ONE_LINE else 2):
                return size, lines
        return size, lines

    def _stats(self, card: Card) -> tuple[Sequence[Sequence[Cell]], float]:
        return self._rows([Cell(stat.short, stat.value) for stat in _valued(self.book, card)])

    def _rows(self, cells: Sequence[Cell]) -> tuple[Sequence[Sequence[Cell]], float]:
        """Characteristics in rows of equal cells, and how high they are together."""
        if not cells:
            return (), 0
        size = self.size
        widest = max(
            max(width(cell.label, size.label), width(cell.value, size.value, "bold"))
            for cell in cells
        )
        fit = min(len(cells), max(1, int(size.room / (widest + 1.2))))
        rows = list(batched(cells, -(-len(cells) // -(-len(cells) // fit))))
        high = 0.0
        for row in rows:
            room = size.room / len(row) - 1.2
            labels = max(self._high(cell.label, size.label, room) for cell in row)
            high += labels + max(self._high(cell.value, size.value, room, "bold") for cell in row)
            high += CELL + BETWEEN
        return rows, high

    def _ticked(self, label: str) -> bool:
        """Whether a characteristic is drawn as boxes, and is no number besides."""
        row = self.book.characteristic.get(self.book.life or "")
        return bool(row and row.kind == "track" and row.short.said(self.language) == label)

    def _learns(self, card: Card) -> bool:
        return self.learns or bool(card.experience)

    def _tally(self, card: Card) -> SafeString | str:
        return self._tallied(card)[0]

    def _tallied(self, card: Card) -> tuple[SafeString | str, float]:
        most = card.experience_most or 0
        return tally(card.experience, most, self.step, self.size.room, card.earned)

    def _tail(self, card: Card) -> tuple[float, bool]:
        """How high what is filled in at the table is, but for the notes, and whether life and
        experience stand side by side."""
        life = learns = 0.0
        high = self._tallied(card)[1]
        if card.life:
            rows = -(-len(card.life) // BOXES_A_ROW) if len(card.life) <= MOST_BOXES else 1
            life = rows * BOX + BETWEEN
        if self._learns(card):
            learns = WRITING + BETWEEN
        beside = bool(life and learns) and self._beside(
            len(card.life), card.earned, 0 if high else BLANK
        )
        lines = max(life, learns) if beside else life + learns
        return lines + (high + BETWEEN if high else 0), beside

    def _beside(self, boxes_of_life: int, earned: str, blank: float) -> bool:
        """Whether there is room for a number of experience beside the boxes of life."""
        labels = width(f"{self.life} {_('Experience')} {earned}", LABEL_SIZE, "bold")
        needed = labels + boxes_of_life * BOX + 2 * SPACE + blank
        return boxes_of_life <= BOXES_A_ROW and needed <= self.size.room

    def _foot(self, card: Card | None) -> str:
        parts = [self.page.name, self.book.title.said(self.language)]
        if card is not None and _has_house(card, self.page):
            parts.append(_("† House value").replace(" ", BOUND))
        return " · ".join(filter(None, parts))

    def _passages(self, card: Card) -> Iterator[Passage]:
        for kit in [*named_kits(card.items), *named_kits(self.page.innate)]:
            for item, values in kit.rows:
                runs = [Run(marked(item.name, item.house), "title")]
                told = [
                    pair for pair in zip(kit.columns, values, strict=True) if pair[1] != NOTHING
                ]
                for place, (column, value) in enumerate(told):
                    # Neither is a value parted from its label nor does a line begin with a dot.
                    runs.append(Run(f"{DOT if place else ' '}{column}{BOUND}"))
                    runs.append(Run(value, "bold"))
                if item.text:
                    runs.append(Run(f"{DOT if told else ' '}{item.text}"))
                yield Passage("kit", tuple(runs))
        for words in [*card.calling, *card.gained, *card.traits]:
            yield Passage("skill", _worded(words))
        for words in card.afflictions:
            lasting = _lasting(words.games, words.against)
            yield Passage("ill", _worded(words, lasting))
        if card.notes:
            text = " ".join(card.notes.split())
            yield Passage("note", (Run(_("Notes"), "title"), Run(f" {text}")))

    def _high(self, text: str, size: float, room: float, face: Face = "plain") -> float:
        return len(wrapped([Run(text, face)], size, room)) * size * LEADING * MILLIMETRES


def _worded(words: Words, more: str = "") -> tuple[Run, ...]:
    return Run(marked(words.name, words.house) + more, "title"), Run(f" {words.text}")


def _lasting(games: int, against: str) -> str:
    """For how long a condition still lasts, and which gang it is from."""
    told = [_("against %(gang)s") % {"gang": against}] if against else []
    if games:
        more = ngettext("%(games)s more game", "%(games)s more games", games)
        told.append(more % {"games": games})
    return f" ({', '.join(told)})" if told else ""


def _valued(book: Book, card: Card) -> Iterable[Stat]:
    """The characteristics that are set as values: not the track that is drawn as boxes."""
    drawn = 0 < len(card.life) <= MOST_BOXES
    return (stat for stat in card.stats if not (drawn and stat.boxes and stat.key == book.life))


def _has_house(card: Card, page: Page) -> bool:
    words = [*card.calling, *card.traits, *card.gained, *card.afflictions]
    return any(word.house for word in words) or any(
        item.house for item in [*card.items, *page.innate]
    )
