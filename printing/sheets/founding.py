"""The rules for founding a gang on paper: the budget, the ranks, the limits, and all prices.

With the reference sheet, this is all that a player needs to found a gang with a pencil.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from common.units import add_unit
from printing.members.parts import members_characteristics
from printing.paper import drawings
from printing.paper.orders import Order
from printing.sheets.written import Listed, NamedText, add_label
from rules.book.characteristics import Value
from rules.book.limits import CountLimit, ItemsLimit, Limit
from rules.book.model import Rules
from rules.book.schema import Item, ItemGroup, Rank, Trait
from rules.book.vocabulary import Effect, Selector, applies
from rules.engine.costing import Points, item_price, price
from rules.engine.figure import Figure
from rules.engine.profiles import profile
from rules.reference_pages.goods import ROUNDINGS, list_offered
from rules.reference_pages.words import ELLIPSIS, BookWording

NONE = "–"
# The rows of the plan, where no limit says how many members a new gang may have.
USUAL_SIZE = 10
MOST_SIZE = 12


@dataclass(frozen=True)
class Recruit:
    """A line of the table of ranks."""

    name: str
    cells: tuple[SafeString | str, ...]


@dataclass(frozen=True)
class Founding:
    """The contents of the pages on founding a gang."""

    budget: tuple[str, ...]
    heads: tuple[str, ...]
    ranks: tuple[Recruit, ...]
    rules: tuple[str, ...]
    lists: tuple[Listed, ...]
    sums: range
    unit: str
    large: bool


def founding(words: BookWording, rules: Rules, order: Order) -> Founding:
    """Return how a gang of this game is founded, under its options."""
    return _Founding(words, rules).page(order)


class _Founding:
    def __init__(self, words: BookWording, rules: Rules) -> None:
        self.words, self.book, self.rules = words, words.book, rules
        origin = rules.settings.get(self.book.origin_setting or "")
        self.origin = str(origin) if origin in self.book.origin else None
        self.ranks = rules.recruited
        self.limits = [row for row in rules.limits if row.phase != "playing"]

    def page(self, order: Order) -> Founding:
        heads, ranks = self._table()
        lists = [*self._prices(), *self._traits(), *self._callings()]
        return Founding(
            budget=tuple(self._budget()),
            heads=heads,
            ranks=ranks,
            rules=tuple(self._rules()),
            lists=tuple(one for one in lists if one.entries or one.later),
            sums=range(1, self._size() + 1),
            unit=self.unit if self._has_prices else "",
            large=order.plain,
        )

    # The budget -------------------------------------------------------------------------------

    @property
    def unit(self) -> str:
        """The unit of a new gang's prices."""
        book = self.book
        if book.rating is not None and book.rating.counts == "price":
            return self.words.translated(book.rating.unit)
        return self.words.translated(book.money.unit) if book.money is not None else ""

    @property
    def _has_prices(self) -> bool:
        return self.rules.budget is not None

    def _money(self, amount: Points | str) -> str:
        return add_unit(str(amount), self.unit, "\N{NO-BREAK SPACE}")

    def _budget(self) -> Iterator[str]:
        budget = self.rules.budget
        if budget is None:
            yield _("No budget: members and gear are free, within the rules below.")
            return
        yield _("Budget: %(amount)s.") % {"amount": self._money(budget)}
        if any(row.kind == "overspent" and row.severity != "error" for row in self.limits):
            if self.rules.book.who_plays.is_together:
                yield _("It is a guideline: you can choose another.")
            else:
                yield _("It is a guideline: you can agree on another with your opponent.")
        elif self.rules.keeps_budget:
            yield _("The rest goes into the treasury.")
        else:
            yield _("The rest is lost.")

    # The ranks --------------------------------------------------------------------------------

    def _table(self) -> tuple[tuple[str, ...], tuple[Recruit, ...]]:
        """Return the ranks as a table: their prices, their limits, their characteristics."""
        words, book = self.words, self.book
        columns: list[tuple[str, list[SafeString | str]]] = []

        def add(head: str, cells: Sequence[SafeString | str]) -> None:
            if any(cell not in ("", NONE) for cell in cells):
                columns.append((head, list(cells)))

        if self._has_prices:
            now = [str(self._price(rank)) for rank in self.ranks]
            later = [str(self._price(rank, playing=True)) for rank in self.ranks]
            add(self.unit, now)
            if later != now:
                add(_("%(unit)s, after the first game") % {"unit": self.unit}, later)
        add(_("How many"), [self._how_many(rank) for rank in self.ranks])
        if book.rating is not None and book.rating.counts == "worth":
            add(words.translated(book.rating.name), [str(rank.worth) for rank in self.ranks])
        add(_("Points to assign"), [str(rank.points or NONE) for rank in self.ranks])
        if book.traits:
            most = [rank.maximum_traits for rank in self.ranks]
            label = _("%(traits)s at most") % {"traits": words.traits_name}
            add(label, [NONE if one is None else str(one) for one in most])
        if book.professions:
            called = words.translated(book.profession_name) or _("Profession")
            wanted = [rank.profession == "required" for rank in self.ranks]
            add(called, ["1" if one else NONE for one in wanted])
        squads = [rank.squad for rank in self.ranks]
        called = words.translated(book.squad_name) or _("Squad")
        add(
            _("%(squad)s of") % {"squad": called},
            [_range(one.minimum, one.maximum) if one else NONE for one in squads],
        )
        if self.rules.teaches:
            most = [rank.experience for rank in self.ranks]
            label = _("%(traits)s at most") % {"traits": words.translated(book.experience_word)}
            add(label, [NONE if one is None else str(one) for one in most])
        profiles = [profile(self.rules, self._figure(rank)).scores for rank in self.ranks]
        for row in members_characteristics(self.rules):
            cells: list[SafeString | str] = []
            for scores in profiles:
                score = scores.get(row.key)
                cells.append(NONE if score is None else self._value(row.key, score.value))
            add(words.translated(row.short), cells)
        lines = tuple(
            Recruit(words.translated(rank.name), tuple(cells[place] for _head, cells in columns))
            for place, rank in enumerate(self.ranks)
        )
        return tuple(head for head, _cells in columns), lines

    def _value(self, key: str, value: Value) -> SafeString | str:
        row = self.book.characteristic[key]
        cell = self.words.value(row, value)
        if cell.squares and row.kind == "track":
            boxes = [box.marked for box in cell.squares]
            label = self.words.translated(row.short)
            drawn = drawings.barrel if row.drawn == "barrel" else drawings.boxes
            return drawn(boxes, label).drawing
        return cell.text

    def _figure(self, rank: Rank) -> Figure:
        return Figure(rank=rank.key, worth_rank=rank.key, base_rank=rank.key, origin=self.origin)

    def _price(self, rank: Rank, *, playing: bool = False) -> Points:
        return price(self.rules, self._figure(rank), playing=playing).total

    def _how_many(self, rank: Rank) -> str:
        bounds = [row for row in self.limits if self._only(row) == rank.key]
        least = max((row.minimum for row in bounds if isinstance(row, CountLimit)), default=0)
        most = [
            row.maximum for row in bounds if isinstance(row, CountLimit) and row.maximum is not None
        ]
        return _range(least, min(most, default=None))

    def _only(self, row: Limit) -> str:
        """Return the only rank that a limit counts, or "" if it does more than bound the number of
        one rank.
        """
        if row.kind != "count" or row.maximum_by_size:
            return ""
        if row.of != Selector(ranks=row.of.ranks):
            return ""
        there = [rank.key for rank in self.ranks if rank.key in row.of.ranks]
        return there[0] if len(there) == 1 else ""

    def _size(self) -> int:
        sizes = [
            row.maximum
            for row in self.limits
            if row.kind == "count" and row.of.picks_all and row.maximum is not None
        ]
        return min([*sizes, MOST_SIZE]) if sizes else USUAL_SIZE

    # The limits -------------------------------------------------------------------------------

    def _rules(self) -> Iterator[str]:
        """Yield the rules that are not in the table: each limit on the choices for a new gang."""
        yield from self._sizes()
        yield from dict.fromkeys(filter(None, map(self._rule, self.limits)))
        for rank in self.ranks:
            if traits := self.words.named(self.book.trait, dict.fromkeys(rank.traits)):
                yield add_label(self.words.translated(rank.name), traits)
        for row in self.rules.adjustments:
            partly = not row.of.picks_all or row.first is not None
            if partly and row.phase != "playing":
                yield f"{self.words.translated(row.name)}."

        for offer in self.rules.offers:
            if offer.phase == "playing":
                continue
            if offer.only or offer.included or offer.most_per_member is not None:
                listed = list_offered(self.words, offer)
                if offer.most_per_member is not None:
                    most = _("%(count)s per member") % {"count": offer.most_per_member}
                    listed = f"{listed} ({most})"
                yield add_label(self.words.translated(offer.name), listed)

    def _sizes(self) -> Iterator[str]:
        """Yield the size of a gang: the required number of members, then the advised number."""
        for severe in (True, False):
            rows = [
                row
                for row in self.limits
                if row.kind == "count" and row.of.picks_all and (row.severity == "error") is severe
            ]
            if rows:
                most = [row.maximum for row in rows if row.maximum is not None]
                least = max(row.minimum for row in rows)
                amount = _amount(least, min(most, default=None))
                yield _mark_advice(rows[0], add_label(_("Members"), amount))

    def _rule(self, row: Limit) -> str:
        words, book = self.words, self.book
        match row.kind:
            case "count" if not row.of.picks_all and not self._only(row):
                return _keep_general(words.limit(row), "; ")
            case "trait_count" | "holdings":
                return _mark_advice(row, _keep_general(words.limit(row), "; "))
            case "share":
                return _keep_general(words.limit(row), ": ")
            case "highest":
                sentence = _("Nobody is of a higher rank than: %(whom)s.")
                return sentence % {"whom": words.whom(row.of)}
            case "items" if not row.of.conditions:
                return _mark_advice(row, self._items(row))
            case "carried":
                groups = [group for group in book.groups if group.slots]
                characteristic = book.characteristic[row.characteristic]
                said = _("%(items)s: at most as many as %(characteristic)s") % {
                    "items": self._groups(groups),
                    "characteristic": words.translated(characteristic.name),
                }
                return _mark_advice(row, said)
            case "range":
                return self._bounds()
        return ""

    def _bounds(self) -> str:
        """Return the bounds of characteristics that points can raise."""
        names: dict[tuple[int, int], list[str]] = {}
        for row in self.rules.characteristics:
            if row.kind == "number" and row.bought_with_points:
                short = self.words.translated(row.short)
                names.setdefault((row.minimum, row.maximum), []).append(short)
        parts = [
            add_label(", ".join(shorts), f"{least}–{most}")
            for (least, most), shorts in names.items()
        ]
        return " · ".join(parts)

    def _items(self, row: ItemsLimit) -> str:
        words, book = self.words, self.book
        tagged = words.tagged(book.items, row.item_tags) if row.item_tags else ""
        groups = self._groups([book.group[key] for key in row.groups])
        what = " · ".join(filter(None, [groups, tagged])) or _("Items")
        if row.measure == "hands":
            what = _("%(items)s, counted in hands") % {"items": what}
        amount = _amount(row.minimum, row.maximum)
        whom = words.whom(row.of)
        if row.per == "copies":
            amount = _("%(amount)s of each sort") % {"amount": amount}
        elif row.per == "gang":
            amount = _("%(amount)s in the whole gang") % {"amount": amount}
        elif whom:
            values = {"amount": amount, "whom": whom}
            amount = _("%(amount)s per member (%(whom)s)") % values
        else:
            amount = _("%(amount)s per member") % {"amount": amount}
        return add_label(what, amount)

    def _groups(self, groups: Sequence[ItemGroup]) -> str:
        return ", ".join(self.words.translated(group.name) for group in groups)

    # The prices -------------------------------------------------------------------------------

    def _prices(self) -> Iterator[Listed]:
        """Yield the prices of items; those that a new gang may not have are listed separately."""
        if not self._has_prices or not self.ranks:
            return
        figure = self._figure(self.ranks[-1])
        limits = [row for row in self.limits if row.kind == "items"]
        banned = [row for row in limits if _forbids(row)]
        for group in self.rules.groups:
            entries: dict[bool, list[NamedText]] = {False: [], True: []}
            items = [row for row in self.rules.items if row.group == group.key]
            costs = [item_price(self.rules, figure, item.key) for item in items]
            for item, cost in zip(items, costs, strict=True):
                later = any(_meets(row, item) for row in banned)
                amount = str(cost) if any(costs) and not self.book.is_free(item) else ""
                # Also the prices of a member's further copies: "4 / 6 / 9".
                for copy in range(1, 1 + len(item.next_prices)):
                    amount += f" / {item_price(self.rules, figure, item.key, copy=copy)}"
                entries[later].append(NamedText(self._called(item), amount))
            title = self._about(group)
            if not any(costs):
                title = _("%(items)s (free)") % {"items": title}
            yield Listed(title, tuple(entries[False]), later=tuple(entries[True]))

    def _called(self, item: Item) -> str:
        name = self.words.translated(item.name)
        if item.level is not None:
            name = _("%(item)s (level %(level)s)") % {"item": name, "level": item.level}
        about = []
        if item.most_per_member is not None:
            about.append(_("%(count)s per member") % {"count": item.most_per_member})
        if excluded := self.words.excluded(self.book.items, item):
            others = self.words.named(self.book.item, excluded)
            about.append(_("not together with %(other)s") % {"other": others})
        return f"{name} ({', '.join(about)})" if about else name

    def _about(self, group: ItemGroup) -> str:
        about = []
        if group.most_per_member is not None:
            about.append(_("%(count)s per member") % {"count": group.most_per_member})
        if group.level_against is not None:
            short = self.words.translated(self.book.characteristic[group.level_against].short)
            about.append(_("level compared with %(characteristic)s") % {"characteristic": short})
        name = self.words.translated(group.name)
        return f"{name} ({', '.join(about)})" if about else name

    def _traits(self) -> Iterator[Listed]:
        """Yield the traits that a new gang can have, with their prices."""
        if not self.ranks:
            return
        figure = self._figure(self.ranks[-1])
        banned = [row for row in self.limits if row.kind == "count" and row.maximum == 0]
        entries = []
        for trait in self.rules.traits:
            forbidden = any(
                not trait.tags.isdisjoint(row.of.trait_tags)
                and row.of == Selector(trait_tags=row.of.trait_tags)
                for row in banned
            )
            if not self.rules.sells(trait) or forbidden:
                continue
            entries.append(self._trait(trait, replace(figure, traits=(trait.key,))))
        yield Listed(self.words.traits_name, tuple(entries))

    def _trait(self, trait: Trait, figure: Figure) -> NamedText:
        words, book = self.words, self.book
        if trait.gained_at is not None:
            row = book.characteristic[trait.gained_at.characteristic]
            value = f"{words.translated(row.short)} {trait.gained_at.value}"
            return NamedText(words.translated(trait.name), _("with %(value)s") % {"value": value})
        amount = str(price(self.rules, figure).lines[1].amount) if self._has_prices else ""
        needs = words.named(book.trait, trait.requires)
        only = words.named(book.rank, trait.ranks)
        others = words.named(book.trait, words.excluded(book.traits, trait))
        more = [
            _("needs %(traits)s") % {"traits": needs} if needs else "",
            _("not together with %(other)s") % {"other": others} if others else "",
            only,
        ]
        return NamedText(words.translated(trait.name), ", ".join(filter(None, [amount, *more])))

    def _callings(self) -> Iterator[Listed]:
        """Yield professions and origins, with their effects."""
        words, book = self.words, self.book
        professions = []
        for row in self.rules.professions:
            leads = words.translated(row.leads_text)
            told = [
                words.named(book.rank, row.ranks),
                self._changes(row.effects),
                words.translated(row.text),
                add_label(_("If they lead"), leads) if leads else "",
            ]
            professions.append(NamedText(words.translated(row.name), _join_sentences(told)))
        called = words.translated(book.profession_name) or _("Professions")
        yield Listed(called, tuple(professions), worded=True)
        origins = []
        for origin in self.rules.origins:
            told = [self._changes(origin.effects), words.translated(origin.text)]
            origins.append(NamedText(words.translated(origin.name), _join_sentences(told)))
        yield Listed(_("Origins"), tuple(origins), worded=True)
        halves = any("/2" in row.times + row.less for row in book.adjustments)
        for rounding in self.rules.roundings if halves else ():
            said = NamedText("", str(ROUNDINGS[rounding.mode]))
            yield Listed(_("Half points"), (said,), worded=True)

    def _changes(self, effects: Sequence[Effect]) -> str:
        """Describe the effects that apply under these options, without naming the options."""
        here = [effect for effect in effects if applies(effect.when, self.rules.settings)]
        plain = [effect.model_copy(update={"when": {}}) for effect in here]
        return ", ".join(self.words.effects(plain))


def _range(least: int, most: int | None) -> str:
    """Return a number or range for a cell."""
    if most == 0:
        return pgettext("how many", "none")
    if most is None:
        return _("%(least)s or more") % {"least": least} if least else NONE
    return str(most) if least == most else f"{least}–{most}"


def _amount(least: int, most: int | None) -> str:
    """Return a number or range for a sentence."""
    return _("%(count)s at most") % {"count": most} if most and not least else _range(least, most)


def _mark_advice(row: Limit, said: str) -> str:
    """Return a limit's sentence, and whether it is only advice."""
    return f"{said}." if row.severity == "error" else _("%(rule)s (advised).") % {"rule": said}


def _keep_general(sentence: str, separator: str) -> str:
    """Return a limit's sentence without its last part if that describes one particular gang."""
    # The fonts of prints lack the sign.
    sentence = sentence.replace("≤", _("up to"))
    before, found, after = sentence.partition(separator)
    if found and ELLIPSIS in after and ELLIPSIS not in before:
        return f"{before.strip()}."
    return sentence


def _join_sentences(parts: Sequence[str]) -> str:
    """Join sentences."""
    return " ".join(
        part if part.endswith((".", "!", "?")) else f"{part}." for part in parts if part
    )


def _forbids(row: ItemsLimit) -> bool:
    """Whether nobody may have any of these items."""
    return row.maximum == 0 and row.of.picks_all


def _meets(row: ItemsLimit, item: Item) -> bool:
    wanted = not row.groups or item.group in row.groups
    return wanted and (not row.item_tags or not item.tags.isdisjoint(row.item_tags))
