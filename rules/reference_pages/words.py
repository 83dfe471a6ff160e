"""Words for what a rulebook says in data: sources, conditions, members picked, effects, amounts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from rules.book.characteristics import Boxes, Value, read
from rules.book.fates import TableRow
from rules.book.limits import Limit
from rules.book.model import Book
from rules.book.schema import Box, Characteristic, Item, Trait
from rules.book.vocabulary import HOUSE, Add, Effect, Row, Selector, Set, Status, Text, When
from rules.engine.costing import Points
from rules.reference_pages.pieces import Cell, Citation, Fact, Line, Piece, Source, Square

MOST_NAMES = 6
ELLIPSIS = "…"
# What the cells of a row are called, where they may be house values.
CELLS: dict[str, Promise] = {
    "amount": gettext_lazy("amount"),
    "among": gettext_lazy("among whom"),
    "before": gettext_lazy("dice before each game"),
    "below": gettext_lazy("how many at most"),
    "beyond": gettext_lazy("what comes instead"),
    "by": gettext_lazy("who comes first"),
    "choices": gettext_lazy("choices"),
    "default": gettext_lazy("default"),
    "dice": gettext_lazy("dice"),
    "effects": gettext_lazy("effects"),
    "experience": gettext_lazy("experience"),
    "fates": gettext_lazy("fates"),
    "keeps_price": gettext_lazy("worth"),
    "level": pgettext_lazy("a number", "level"),
    "lines": gettext_lazy("lines"),
    "maximum": gettext_lazy("maximum"),
    "maximum_traits": gettext_lazy("number of traits"),
    "minimum": gettext_lazy("minimum"),
    "most": gettext_lazy("how many at most"),
    "most_per_member": gettext_lazy("how many at most"),
    "name": gettext_lazy("name"),
    "of": gettext_lazy("whom it is about"),
    "price": gettext_lazy("price"),
    "profile": gettext_lazy("profile"),
    "rows": gettext_lazy("rows"),
    "table": gettext_lazy("table"),
    "text": gettext_lazy("text"),
    "victory": gettext_lazy("victory"),
    "zones": gettext_lazy("diagram"),
}
STATUS: dict[str, Promise] = {
    "hidden": gettext_lazy("No longer offered; whoever has it keeps it"),
    "banned": gettext_lazy("Not allowed"),
}
# Whom and what a limit’s sentence is about, while no gang is looked at.
ANYBODY: dict[str, Promise] = {
    "name": gettext_lazy("a member"),
    "item": gettext_lazy("an item"),
    "trait": gettext_lazy("a trait"),
    "rank": gettext_lazy("a rank"),
    "squad": gettext_lazy("a squad"),
    "group": gettext_lazy("a kind of item"),
    "what": gettext_lazy("something"),
    "characteristic": gettext_lazy("a characteristic"),
}


class Words:
    """Words about one rulebook in one language, which must be the active one."""

    def __init__(self, book: Book, language: str) -> None:
        self.book = book
        self.language = language
        self._numbers = {key: number for number, key in enumerate(book.sources, start=1)}

    def said(self, text: Text | str | None) -> str:
        """A text in the reader's language; "" for none."""
        return text.said(self.language) if isinstance(text, Text) else text or ""

    def named(self, rows: Mapping[str, Row], keys: Iterable[str]) -> str:
        """The names of some rows, in a list."""
        return ", ".join(self.said(rows[key].name) for key in keys if key in rows)

    def cited(self, source: str) -> Source:
        """Where something comes from: "seed p.10 + house"."""
        citations = []
        house = False
        for part in source.split(" + "):
            key, _sep, page = part.strip().partition(" ")
            if key == HOUSE:
                house = True
            elif key in self._numbers:
                title = self.book.sources[key].title
                citations.append(Citation(self._numbers[key], title, page.replace("p.", "p. ")))
        return Source(tuple(citations), house)

    def source(self, row: Row) -> Source:
        """Where a row comes from, and which of its cells are house values."""
        cited = self.cited(row.source)
        return Source(cited.citations, cited.house, ", ".join(self._cells(row)))

    def piece(
        self,
        kind: str,
        row: Row,
        chips: Iterable[str] = (),
        facts: Iterable[Fact] = (),
        **parts: Any,
    ) -> Piece:
        """A row as a piece of a page. ``kind``: what its anchor begins with, as "rank-"; empty
        chips are left out; ``parts``: other parts of the piece, or some in place of the usual."""
        usual = {
            "anchor": f"{kind}-{row.key}",
            "name": self.said(row.name),
            "text": self.said(getattr(row, "text", None)),
            "chips": tuple(filter(None, chips)),
            "terms": self.terms(row.when, row.status),
            "facts": tuple(facts),
            "source": self.source(row),
        }
        return Piece(**{**usual, **parts})

    def _cells(self, row: Row) -> Iterable[str]:
        columns: dict[str, str] = {}
        if isinstance(row, Item):
            group = self.book.group[row.group]
            columns = {column.key: self.said(column.name) for column in group.columns}
        seen = set()
        for key in row.house:
            word = columns.get(key) or str(CELLS.get(key, key.replace("_", " ")))
            if word not in seen:
                yield word
            seen.add(word)

    def only_when(self, when: When) -> str:
        """Under which settings a row is in force; "" for always."""
        told = []
        for key, values in when.items():
            setting = self.book.setting[key]
            if setting.kind == "choice":
                names = [
                    self.said(choice.name) for choice in setting.choices if choice.key in values
                ]
                told.append(
                    _("%(setting)s: %(choice)s")
                    % {"setting": self.said(setting.name), "choice": _(" or ").join(names)}
                )
        return " · ".join(told)

    def terms(self, when: When, status: Status = "offered") -> str:
        """A sentence on when a row holds; "" if it always does."""
        told = [str(STATUS[status])] if status != "offered" else []
        if when:
            told.append(_("Only with: %(settings)s") % {"settings": self.only_when(when)})
        return " · ".join(told)

    def whom(self, selector: Selector) -> str:
        """Whom a selector picks; "" for everybody."""
        book = self.book
        told = [
            self.named(book.rank, selector.ranks),
            self.named(book.origin, selector.origins),
            self.named(book.profession, selector.professions),
            self.tagged(book.items, selector.item_tags),
            self.tagged(book.traits, selector.trait_tags),
            self.named(book.condition, selector.conditions),
        ]
        refused = [
            self.named(book.rank, selector.not_ranks),
            self.named(book.origin, selector.not_origins),
            self.named(book.profession, selector.not_professions),
            self.tagged(book.items, selector.not_item_tags),
            self.tagged(book.traits, selector.not_trait_tags),
        ]
        parts = [part for part in told if part]
        parts += [_("not %(whom)s") % {"whom": part} for part in refused if part]
        return " · ".join(parts)

    def tagged(self, rows: Iterable[Item | Trait | TableRow], tags: Collection[str]) -> str:
        """What is so tagged: the names of the tags, if they have some, and a few of those rows."""
        found = self.few([self.said(row.name) for row in rows if not row.tags.isdisjoint(tags)])
        names = self.named(self.book.tag, tags)
        return f"{names} ({found})" if found and names and names != found else names or found

    def few(self, names: list[str]) -> str:
        """Names in a list, cut short where there are many."""
        more = [ELLIPSIS] if len(names) > MOST_NAMES else []
        return ", ".join(names[:MOST_NAMES] + more)

    def money(self, amount: Points | str) -> str:
        """An amount with the unit of money, if the game has one."""
        if isinstance(amount, float):
            amount = number_format(amount)
        if self.book.money is None:
            return str(amount)
        return f"{amount}\u00a0{self.said(self.book.money.unit)}"

    def value(self, characteristic: Characteristic, value: Value) -> Cell:
        """A value of a characteristic, as a cell."""
        if isinstance(value, Boxes) and characteristic.kind == "track":
            marked = {box.letter for box in characteristic.boxes if box.marked}
            return Cell(
                text=self._counted(characteristic.boxes, value.letters),
                squares=tuple(Square(letter, letter in marked) for letter in value.letters),
            )
        unit = characteristic.unit if characteristic.kind == "number" else ""
        return Cell(f"{value}{unit}")

    def _counted(self, boxes: Iterable[Box], letters: str) -> str:
        return ", ".join(
            f"{letters.count(box.letter)} × {self.said(box.name)}"
            for box in boxes
            if box.letter in letters
        )

    def effects(self, effects: Iterable[Effect]) -> tuple[str, ...]:
        """What some effects do, each in a few words."""
        return tuple(self._effect(effect) for effect in effects)

    def _effect(self, effect: Effect) -> str:
        row = self.book.characteristic[effect.characteristic]
        what = self.said(row.name)
        if isinstance(effect, Set):
            cell = self.value(row, read(row, effect.value))
            told = f"{what} = {cell.text}"
        else:
            told = self._added(row, what, effect)
        conditions = [self.named(self.book.rank, effect.ranks), self.only_when(effect.when)]
        if isinstance(effect, Add) and effect.first_only:
            conditions.insert(0, _("only the first of his profession"))
        if isinstance(effect, Add) and effect.limit is not None:
            conditions.insert(0, _("no further than %(limit)s") % {"limit": effect.limit})
        bracket = " · ".join(filter(None, conditions))
        return f"{told} ({bracket})" if bracket else told

    def _added(self, row: Characteristic, what: str, effect: Add) -> str:
        amount = f"{effect.amount:+d}"
        count = abs(effect.amount)
        if row.kind == "pool":
            amount += " " + ngettext("die", "dice", count)
        elif row.kind == "track":
            amount += " " + ngettext("box", "boxes", count)
        elif row.kind == "die":
            amount += " " + ngettext("size of die", "sizes of die", count)
        elif row.kind == "pair" and effect.part:
            what = f"{what} ({self.said(row.parts[effect.part == 'second'])})"
        return f"{what} {amount}"

    def limit(self, limit: Limit) -> str:
        """What a limit says, with its own numbers; what a gang decides is an ellipsis."""
        known: defaultdict[str, str] = defaultdict(lambda: ELLIPSIS)
        known.update({key: str(word) for key, word in ANYBODY.items()})
        if limit.kind in ("count", "items"):
            known["minimum"] = str(limit.minimum)
            if limit.maximum is not None:
                known["maximum"] = str(limit.maximum)
        if limit.kind == "count" and limit.maximum_by_size:
            steps = [f"{step.maximum} (≤ {step.size})" for step in limit.maximum_by_size]
            known["maximum"] = ", ".join([*steps, *filter(None, [known.get("maximum")])])
        if limit.kind == "squad":
            squads = [rank.squad for rank in self.book.ranks if rank.squad]
            known["minimum"] = "/".join(str(squad.minimum) for squad in squads)
            known["maximum"] = "/".join(str(squad.maximum) for squad in squads)
        told = limit.text.said(self.language).format_map(known).replace("….", ELLIPSIS)
        return told[0].upper() + told[1:]

    def line(self, row: Row, *cells: Cell, anchor: str, detail: str = "") -> Line:
        """A line of a table about a row of the rulebook."""
        return Line(
            name=self.said(row.name),
            cells=cells,
            anchor=anchor,
            detail=detail,
            terms=self.terms(row.when, row.status),
            source=self.source(row),
        )
