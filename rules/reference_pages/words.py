"""Words for a rulebook's data: sources, conditions, selected members, effects, amounts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from common.units import add_unit
from common.wording.sentences import words_of
from rules.book.characteristics import Boxes, Value, parse_value, show_value
from rules.book.fates import TableRow
from rules.book.limits import Limit
from rules.book.model import Book
from rules.book.schema import Characteristic, Item, Rank, Trait, find_excluded
from rules.book.vocabulary import (
    HOUSE,
    TAKEN_OUT,
    Add,
    AddValue,
    Between,
    Effect,
    Row,
    Selector,
    Status,
    Text,
    When,
)
from rules.engine.costing import Points
from rules.reference_pages.pieces import Citation, Fact, Link, PageCell, PageLine, Piece, SourceNote

MOST_NAMES = 6
ELLIPSIS = "…"
# The names of cells that may be house values.
CELLS: dict[str, Promise] = {
    "amount": gettext_lazy("amount"),
    "among": gettext_lazy("among whom"),
    "captures": gettext_lazy("captures"),
    "before": gettext_lazy("dice before each game"),
    "below": gettext_lazy("how many at most"),
    "beyond": gettext_lazy("what comes instead"),
    "boxes": gettext_lazy("boxes"),
    "by": gettext_lazy("order of precedence"),
    "choices": gettext_lazy("choices"),
    "default": gettext_lazy("default"),
    "dice": gettext_lazy("dice"),
    "effects": gettext_lazy("effects"),
    "experience": gettext_lazy("experience"),
    "fates": gettext_lazy("fates"),
    "group": gettext_lazy("kind"),
    "hands": gettext_lazy("hands"),
    "keeps_price": gettext_lazy("worth"),
    "lasts": gettext_lazy("until when"),
    "level": pgettext_lazy("a number", "level"),
    "level_allowance": gettext_lazy("levels allowed above their own"),
    "lines": gettext_lazy("lines"),
    "maximum": gettext_lazy("maximum"),
    "maximum_traits": gettext_lazy("number of traits"),
    "minimum": gettext_lazy("minimum"),
    "most": gettext_lazy("how many at most"),
    "most_per_member": gettext_lazy("how many at most"),
    "name": gettext_lazy("name"),
    "of": gettext_lazy("applies to"),
    "phase": gettext_lazy("when"),
    "price": gettext_lazy("price"),
    "profile": gettext_lazy("profile"),
    "rows": gettext_lazy("rows"),
    "start": gettext_lazy("at the start"),
    "table": gettext_lazy("table"),
    "text": gettext_lazy("text"),
    "victory": gettext_lazy("victory"),
    "zones": gettext_lazy("diagram"),
}
# The chapters with the pieces of rows that other rows link to.
CHAPTERS = {
    "award": "campaign",
    "characteristic": "characters",
    "condition": "tables",
    "currency": "building",
    "offer": "building",
    "departure": "campaign",
    "promotion": "campaign",
    "result": "campaign",
    "step": "campaign",
    "holding": "campaign",
    "deployment": "scenarios",
    "item": "items",
    "rank": "characters",
    "scenario": "scenarios",
    "table": "tables",
    "trait": "characters",
}
STATUS: dict[str, Promise] = {
    "hidden": gettext_lazy("No longer offered; those who have it keep it"),
    "banned": gettext_lazy("Not allowed"),
}
# The words for placeholders of a limit’s sentence that is about no gang in particular.
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


class BookWording:
    """Words about one rulebook in one language, which must be active for gettext."""

    def __init__(self, book: Book, language: str) -> None:
        self.book = book
        self.language = language
        self._numbers = {key: number for number, key in enumerate(book.sources, start=1)}

    @property
    def traits_name(self) -> str:
        """The game's name for its traits."""
        return self.translated(self.book.traits_name) or _("Traits")

    def translated(self, text: Text | str | None) -> str:
        """A text in the reader's language; "" for none."""
        return words_of(text, self.language) if text else ""

    def named(self, rows: Mapping[str, Row], keys: Iterable[str]) -> str:
        """The names of the rows with these keys, in a list; unknown keys are left out."""
        return ", ".join(self.translated(rows[key].name) for key in keys if key in rows)

    def counted(self, tally: str | None) -> str:
        """The name of a tally; "" for none."""
        if tally == TAKEN_OUT and tally not in self.book.campaign.tally:
            return _("Enemies taken out of action")
        return self.named(self.book.campaign.tally, [tally or ""])

    def cited(self, source: str) -> SourceNote:
        """The parts of a source such as "seed p.10 + house"."""
        citations = []
        for part in source.split(" + "):
            key, _sep, page = part.strip().partition(" ")
            if key in self._numbers:
                title = self.book.sources[key].title
                citations.append(Citation(self._numbers[key], title, page.replace("p.", "p. ")))
        return SourceNote(tuple(citations), house=HOUSE in source.split())

    def source(self, row: Row) -> SourceNote:
        """The source of a row, with the names of its cells that are house values, each once."""
        names = {key: str(name) for key, name in CELLS.items()}
        if isinstance(row, Item):
            columns = self.book.group[row.group].columns
            names |= {column.key: self.translated(column.name) for column in columns}
        if isinstance(row, Rank):
            characteristics = self.book.characteristics
            names |= {one.key: self.translated(one.name) for one in characteristics}
        cells = dict.fromkeys(names.get(key, key.replace("_", " ")) for key in row.house)
        return replace(self.cited(row.source), cells=", ".join(cells))

    def piece(
        self,
        kind: str,
        row: Row,
        chips: Iterable[str] = (),
        facts: Iterable[Fact] = (),
        **parts: Any,
    ) -> Piece:
        """A row as a piece of a page. ``kind``: the start of its anchor, "rank"; empty chips are
        left out; ``parts``: other parts of the piece, or replacements for the usual ones."""
        usual = {
            "anchor": f"{kind}-{row.key}",
            "name": self.translated(row.name),
            "text": self.translated(getattr(row, "text", None)),
            "chips": tuple(filter(None, chips)),
            "terms": self.terms(row.when, row.status),
            "facts": tuple(facts),
            "source": self.source(row),
        }
        return Piece(**{**usual, **parts})

    def link(self, kind: str, row: Row, text: str = "") -> Link:
        """A link from a row's name, or from a ``text``, to its piece of this ``kind``."""
        return Link(text or self.translated(row.name), f"{CHAPTERS[kind]}/#{kind}-{row.key}")

    def only_when(self, when: When) -> str:
        """The settings under which a row is in force; "" for always."""
        conditions = []
        for key, values in when.items():
            setting = self.book.setting[key]
            if setting.kind == "choice":
                chosen = (choice for choice in setting.choices if choice.key in values)
                names = _(" or ").join(self.translated(choice.name) for choice in chosen)
                named = {"setting": self.translated(setting.name), "choice": names}
                conditions.append(_("%(setting)s: %(choice)s") % named)
        return " · ".join(conditions)

    def terms(self, when: When, status: Status = "offered") -> str:
        """A sentence on when a row is in force and on offer; "" for always."""
        terms = [str(STATUS[status])] if status != "offered" else []
        if when:
            terms.append(_("Only with: %(settings)s") % {"settings": self.only_when(when)})
        return " · ".join(terms)

    def whom(self, selector: Selector) -> str:
        """The members that a selector picks, in words; "" for all."""
        book = self.book
        wanted = [
            self.named(book.rank, selector.ranks),
            self.named(book.origin, selector.origins),
            self.named(book.profession, selector.professions),
            self.tagged(book.items, selector.item_tags),
            self.tagged(book.traits, selector.trait_tags),
            self.named(book.trait, selector.traits),
            self.named(book.condition, selector.conditions),
            self.named(book.holding, selector.holdings),
            self._gang_has(selector.gang_ranks),
            *(self._between(row) for row in selector.numbers),
        ]
        unwanted = [
            self.named(book.rank, selector.not_ranks),
            self.named(book.origin, selector.not_origins),
            self.named(book.profession, selector.not_professions),
            self.tagged(book.items, selector.not_item_tags),
            self.tagged(book.traits, selector.not_trait_tags),
            self.named(book.trait, selector.not_traits),
            self.named(book.condition, selector.not_conditions),
            self.named(book.holding, selector.not_holdings),
            self._gang_has(selector.not_gang_ranks),
        ]
        wanted += [_("not %(whom)s") % {"whom": part} for part in unwanted if part]
        return " · ".join(filter(None, wanted))

    def _gang_has(self, ranks: Collection[str]) -> str:
        named = self.named(self.book.rank, ranks)
        return _("%(ranks)s in the gang") % {"ranks": named} if named else ""

    def _between(self, row: Between) -> str:
        """A number and its bounds, in words."""
        name = self.translated(self.book.characteristic[row.characteristic].name)
        values = {"name": name, "minimum": row.minimum, "maximum": row.maximum}
        if row.maximum is None:
            return _("%(name)s %(minimum)s or more") % values
        if row.minimum is None:
            return _("%(name)s %(maximum)s or less") % values
        if row.minimum == row.maximum:
            return f"{name} {row.minimum}"
        return _("%(name)s %(minimum)s to %(maximum)s") % values

    def tagged(self, rows: Iterable[Item | Trait | TableRow], tags: Collection[str]) -> str:
        """Tagged rows in words: the names of the tags, if they have any, and of a few rows."""
        having = [self.translated(row.name) for row in rows if not row.tags.isdisjoint(tags)]
        more = [ELLIPSIS] if len(having) > MOST_NAMES else []
        found = ", ".join(having[:MOST_NAMES] + more)
        names = self.named(self.book.tag, tags)
        return f"{names} ({found})" if found and names and names != found else names or found

    def excluded[R: (Item, Trait)](self, rows: Iterable[R], row: R) -> list[str]:
        """The keys of the rows that nobody may have together with ``row``."""
        return [one.key for one in rows if find_excluded(row, [one]) is not None]

    def costs(self, costs: Mapping[str, int]) -> str:
        """Prices in other currencies than money: "3 favours + 1 fame"."""
        return " + ".join(self.money(amount, key) for key, amount in costs.items())

    def money(self, amount: Points | str, currency: str | None = None) -> str:
        """An amount with the unit of money, if the game has one, or of another ``currency``."""
        if isinstance(amount, float):
            amount = number_format(amount)
        if currency is not None:
            unit = self.book.currency[currency].unit
            return add_unit(str(amount), self.translated(unit), "\u00a0")
        if self.book.money is None:
            return str(amount)
        return add_unit(str(amount), self.translated(self.book.money.unit), "\u00a0")

    def value(self, characteristic: Characteristic, value: Value) -> PageCell:
        """A value of a characteristic, as a cell."""
        if not (isinstance(value, Boxes) and characteristic.kind == "track"):
            return PageCell(show_value(characteristic, value, self.language))
        counts = [(value.letters.count(box.letter), box) for box in characteristic.boxes]
        texts = [f"{count} × {self.translated(box.name)}" for count, box in counts if count]
        boxes = {box.letter: box for box in characteristic.boxes}
        return PageCell(", ".join(texts), squares=tuple(map(boxes.__getitem__, value.letters)))

    def effects(self, effects: Iterable[Effect]) -> tuple[str, ...]:
        """Each effect in a few words."""
        return tuple(self._effect(effect) for effect in effects)

    def _effect(self, effect: Effect) -> str:
        if effect.kind == "value":
            return self._value_effect(effect)
        row = self.book.characteristic[effect.characteristic]
        conditions = [self.named(self.book.rank, effect.ranks), self.only_when(effect.when)]
        if effect.kind == "set":
            value = self.value(row, parse_value(row, effect.value))
            change = f"{self.translated(row.name)} = {value.text}"
        else:
            change = self._added(row, effect)
            if effect.first_only:
                conditions.insert(0, _("only the first of that profession"))
            if effect.limit is not None:
                conditions.insert(0, _("no further than %(limit)s") % {"limit": effect.limit})
        bracket = " · ".join(filter(None, conditions))
        return f"{change} ({bracket})" if bracket else change

    def _value_effect(self, effect: AddValue) -> str:
        book = self.book
        named = [
            self.named(book.trait, effect.traits),
            self.tagged(book.traits, effect.trait_tags),
        ]
        which = ", ".join(filter(None, named)) or _("every power")
        change = f"{which} {effect.amount:+d}".replace("-", "−")
        conditions = [self.named(book.rank, effect.ranks), self.only_when(effect.when)]
        bracket = " · ".join(filter(None, conditions))
        return f"{change} ({bracket})" if bracket else change

    def _added(self, row: Characteristic, effect: Add) -> str:
        name, amount, count = self.translated(row.name), f"{effect.amount:+d}", abs(effect.amount)
        if row.kind == "pool":
            amount += " " + ngettext("die", "dice", count)
        elif row.kind == "track":
            amount += " " + ngettext("box", "boxes", count)
        elif row.kind == "die":
            amount += " " + ngettext("size of die", "sizes of die", count)
        elif row.kind == "pair" and effect.part:
            name += f" ({self.translated(row.parts[effect.part == 'second'])})"
        return f"{name} {amount}"

    def power(self, row: Trait) -> str:
        """The value of a power, and its change each further time; "" for other traits."""
        if row.value is None:
            return ""
        if row.most == 1:
            return str(row.value)
        step = f"{row.step:+d}".replace("-", "−")
        return _("%(value)s, then %(step)s each time") % {"value": row.value, "step": step}

    def limit(self, limit: Limit) -> str:
        """A limit's sentence with its own numbers, and an ellipsis in place of a gang's numbers."""
        anybody = {key: str(word) for key, word in ANYBODY.items()}
        known = defaultdict(lambda: ELLIPSIS, anybody)
        if limit.kind in ("count", "items", "trait_count", "holdings"):
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
        sentence = limit.text.translated(self.language).format_map(known).replace("….", ELLIPSIS)
        return sentence[0].upper() + sentence[1:]

    def line(self, row: Row, *cells: PageCell, anchor: str, detail: str = "") -> PageLine:
        """A line of a table about a row of the rulebook."""
        return PageLine(
            name=self.translated(row.name),
            cells=cells,
            anchor=anchor,
            detail=detail,
            terms=self.terms(row.when, row.status),
            source=self.source(row),
        )
