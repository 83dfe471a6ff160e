"""Offers to a member or for the stash as lines in the reader's language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.language import rules_language
from gangs.cards.render import bearer_of, item_line, named_text
from gangs.cards.values import ItemLine, NamedText
from gangs.engine import offers
from gangs.engine.computed import ComputedGang
from gangs.engine.offers import Offer
from gangs.engine.roster import Member
from gangs.engine.validation import may_have_again
from gangs.text.formats import count_names, localize, refusal_sentence, say_price
from rules.book.model import Archetype, Book
from rules.book.schema import Item, Rank, Trait
from rules.engine.costing import Points
from rules.engine.fairness import typical_rank
from rules.odds.chances import Patience, against_typical, best_scores
from rules.odds.results import in_short

# The longest time to spend on the odds of a whole picker.
MOST_SECONDS = 0.2
# Longer values than this many letters go into the text instead of a column. A phone has room for
# this many columns.
NARROWEST = 7
MOST_COLUMNS = 6
# The letters of all heads together for which the narrowest phone has room.
PHONE = 34
NOTHING = "–"
# Reasons against an offer that say that the gang cannot pay for it.
UNAFFORDABLE = frozenset({*offers.CANNOT_PAY, "over_budget"})


@dataclass(frozen=True)
class OfferLine[L: (ItemLine, NamedText)]:
    """One offer.

    ``refusal``: why the gang cannot have it, ``caution``: why perhaps it should not, each "" if
    there is no reason; ``is_dear``: the price is the only reason; ``odds``: its effect on a typical
    enemy, "" if odds are off or it is not a weapon; ``owned``: the number that the member has;
    ``experience``: what a member spends on it; ``says``: the price in words.
    """

    line: L
    price: Points
    refusal: str
    caution: str
    is_dear: bool = False
    odds: str = ""
    owned: int = 0
    experience: int = 0
    says: str = ""


@dataclass(frozen=True)
class Family:
    """The traits on offer in one family."""

    name: str
    offers: tuple[OfferLine[NamedText], ...]

    @property
    def refusal(self) -> str:
        """The reason that all these items are refused, if there is one common reason; else ""."""
        refusals = {offer.refusal for offer in self.offers}
        return refusals.pop() if len(refusals) == 1 else ""


@dataclass(frozen=True)
class Search:
    """A search in a picker: ``words`` in the names of items; ``kind``: the key of the kind shown,
    the first one if it is not known."""

    words: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Goods:
    """One line of a kind's table: its cells, and the rest as text. ``price``: "" in a game without
    money; ``act``: the words of its button."""

    offer: OfferLine[ItemLine]
    figures: tuple[str, ...]
    words: str
    price: str
    act: str

    @property
    def span(self) -> str:
        """The number of its cells, if there are several; else ""."""
        return str(len(self.figures)) if len(self.figures) > 1 else ""


@dataclass(frozen=True)
class OfferKind:
    """One kind of items, as a table.

    ``heads``: of its columns, each with its full name if it is abbreviated; ``free``: goods that
    the gang can have, apart from those that are too ``dear`` or ``refused``; ``is_chosen``: the
    kind is the one shown.
    """

    key: str
    name: str
    heads: tuple[tuple[str, str], ...]
    free: tuple[Goods, ...]
    dear: tuple[Goods, ...]
    refused: tuple[Goods, ...]
    is_chosen: bool

    @property
    def is_tight(self) -> bool:
        """Whether a phone has no room for the longest word of its heads above each column."""
        words = (word for short, _full in self.heads for word in short.split(" "))
        return max(map(len, words), default=0) * len(self.heads) > PHONE

    @property
    def had(self) -> bool:
        """Whether any of the goods is not refused."""
        return bool(self.free or self.dear)


@dataclass(frozen=True)
class Refused:
    """Items by kind that are refused for the same reason."""

    reason: str
    kinds: tuple[tuple[str, tuple[Goods, ...]], ...]


@dataclass(frozen=True)
class Picker:
    """Items on offer by kind, and the refused ones by reason.

    ``house``: some are house values; ``odds``: explains the odds beside weapons, "" if there are
    none; ``odds_on``: the reader has switched odds on; ``has_odds``: the game has odds.
    """

    kinds: tuple[OfferKind, ...]
    refused: tuple[Refused, ...]
    house: bool
    odds: str
    odds_on: bool
    has_odds: bool

    @property
    def had(self) -> list[OfferKind]:
        """The kinds with any goods that are not refused."""
        return [kind for kind in self.kinds if kind.had]

    @property
    def refused_count(self) -> int:
        """The number of refused items."""
        return sum(len(goods) for group in self.refused for _kind, goods in group.kinds)


@dataclass(frozen=True)
class ArchetypeLine:
    """A complete recruit on offer. ``has``: profession, traits and items; ``price``: for all of
    it; ``caution``: why the gang cannot or should not have them, "" without a reason; ``is_dear``:
    the price is that reason."""

    key: str
    name: str
    rank_key: str
    rank: str
    has: str
    price: Points
    caution: str
    is_dear: bool
    says: str


def archetype_offers(
    computed: ComputedGang, on_offer: Iterable[Offer[Rank]]
) -> tuple[ArchetypeLine, ...]:
    """The complete recruits that the gang may have now; ``on_offer``: the ranks on offer."""
    book = computed.book
    return tuple(
        ArchetypeLine(
            key=offer.row.key,
            name=localize(offer.row.name),
            rank_key=offer.row.rank,
            rank=localize(book.rank[offer.row.rank].name),
            has=_belongings(book, offer.row),
            price=offer.price,
            caution=refusal_sentence(against) if against else "",
            is_dear=against is not None and against.code in UNAFFORDABLE,
            says=say_price(book, offer.price, offer.costs),
        )
        for offer in offers.archetypes(computed, on_offer)
        for against in [offer.refusal or offer.caution]
    )


def _belongings(book: Book, row: Archetype) -> str:
    names = [book.profession[row.profession].name] if row.profession else []
    names += [book.trait[key].name for key in row.traits]
    names += [book.item[key].name for key in row.items]
    return ", ".join(count_names(map(localize, names)))


def trait_offers(computed: ComputedGang, member: Member) -> tuple[Family, ...]:
    """The traits on offer for a member, by family."""
    families: dict[str, list[OfferLine[NamedText]]] = {}
    figure = computed.figures[member.id]
    for offer in offers.traits(computed, member):
        if may_have_again(computed.book, figure, offer.row):
            name = localize(offer.row.family) if offer.row.family else ""
            line = _line(computed.book, named_text(offer.row, rules_language()), offer)
            families.setdefault(name, []).append(line)
    return tuple(Family(name, tuple(lines)) for name, lines in families.items())


def item_offers(
    computed: ComputedGang, member: Member | None, search: Search, *, odds: bool = False
) -> Picker:
    """The items on offer that match the search; ``odds``: with each weapon's effect on a typical
    enemy."""
    wanted, reader = search.words.casefold(), rules_language()
    owned = Counter(one.key for one in member.items) if member else Counter[str]()
    bearer = bearer_of(computed, member) if member else None
    listed = (
        (offer, item_line(computed, offer.row, reader, bearer=bearer))
        for offer in offers.items(computed, member)
    )
    found = [
        (offer, item) for offer, item in listed if wanted in f"{item.name} {item.group}".casefold()
    ]
    enemy = typical_rank(computed.rules) if member and computed.book.rolls else None
    scores: dict[str, tuple[str, str]] = {}
    if odds and member is not None:
        scores = _scores(computed, member, [item.key for _offer, item in found])
    lines = [
        (
            offer,
            replace(
                _line(computed.book, item, offer),
                refusal=_reason(offer),
                odds=scores.get(item.key, ("", ""))[1],
                owned=owned[item.key],
            ),
        )
        for offer, item in found
    ]
    kinds = _kinds(computed.book, lines, search)
    return Picker(
        kinds=kinds,
        refused=_refused(kinds),
        house=any(item.house for _offer, item in found),
        odds=_odds_sentence(enemy, scores) if enemy else "",
        odds_on=odds,
        has_odds=enemy is not None,
    )


def _kinds(
    book: Book, found: Iterable[tuple[Offer[Item], OfferLine[ItemLine]]], search: Search
) -> tuple[OfferKind, ...]:
    by_kind: dict[str, list[OfferLine[ItemLine]]] = {}
    for offer, line in found:
        by_kind.setdefault(offer.row.group, []).append(line)
    had = [key for key, lines in by_kind.items() if any(not line.refusal for line in lines)]
    chosen = search.kind if search.kind in had else next(iter(had), "")
    return tuple(_kind(book, key, lines, key == chosen) for key, lines in by_kind.items())


def _kind(book: Book, key: str, lines: list[OfferLine[ItemLine]], chosen: bool) -> OfferKind:
    """A table of the values that are short enough for columns; the rest becomes text. A line does
    not depend on the other lines being refused or not."""
    values = [dict(zip(line.line.columns, line.line.cells, strict=True)) for line in lines]
    narrow = [
        column
        for column in book.group[key].columns
        if all(len(cells[column.key][1]) <= NARROWEST for cells in values if column.key in cells)
        and any(cells[column.key][1] != NOTHING for cells in values if column.key in cells)
    ]
    # The rulebook defines a kind's columns; level and hands belong to every game.
    own = [
        (name, head)
        for name, head in (
            ("level", (pgettext("head of a narrow column: level", "Lv"), _("Level"))),
            ("hands", (_("Hands"), "")),
        )
        if any(getattr(line.line, name) is not None for line in lines)
    ]
    narrow = narrow[: MOST_COLUMNS - len(own)]
    names = [column.key for column in narrow]
    buy, take = _("Buy %(name)s, %(price)s"), _("Take %(name)s")
    goods = []
    for line, cells in zip(lines, values, strict=True):
        figures = [getattr(line.line, name) for name, _head in own]
        figures += [cells[name][1] if name in cells else None for name in names]
        rest = [
            f"{label} {value}"
            for name, (label, value) in cells.items()
            if name not in names and value != NOTHING
        ]
        words = ". ".join(filter(None, (" · ".join(rest), line.line.text)))
        shown = tuple(NOTHING if figure is None else str(figure) for figure in figures)
        price = line.says
        said = (buy if price else take) % {"name": line.line.name, "price": price}
        goods.append(Goods(line, shown, words, price, said))
    heads = [head for _name, head in own]
    for column in narrow:
        full = localize(column.name)
        short = localize(column.short) if column.short else full
        heads.append((short, "" if short == full else full))
    return OfferKind(
        key=key,
        name=lines[0].line.group,
        heads=tuple(heads),
        free=tuple(one for one in goods if not one.offer.is_dear and not one.offer.refusal),
        dear=tuple(one for one in goods if one.offer.is_dear),
        refused=tuple(one for one in goods if one.offer.refusal),
        is_chosen=chosen,
    )


def _refused(kinds: Iterable[OfferKind]) -> tuple[Refused, ...]:
    found: dict[str, dict[str, list[Goods]]] = {}
    for kind in kinds:
        for one in kind.refused:
            found.setdefault(one.offer.refusal, {}).setdefault(kind.name, []).append(one)
    return tuple(
        Refused(reason, tuple((kind, tuple(goods)) for kind, goods in listed.items()))
        for reason, listed in found.items()
    )


def _scores(
    computed: ComputedGang, member: Member, keys: Iterable[str]
) -> dict[str, tuple[str, str]]:
    """The effect of each of these items on a typical enemy: its name and its value, by key."""
    figure = computed.figures[member.id]
    attacks = {key: against_typical(computed.rules, figure, key) for key in keys}
    weapons = {key: questions for key, questions in attacks.items() if questions}
    # Results are remembered. If the time runs out, the next request continues from there.
    best = best_scores(weapons, Patience(MOST_SECONDS))
    return {key: in_short(*found) if found else ("", "…") for key, found in best.items()}


def _odds_sentence(enemy: Rank, scores: Mapping[str, tuple[str, str]]) -> str:
    """Explain the numbers beside weapons; "" if there are none."""
    what = ", ".join(dict.fromkeys(filter(None, (name for name, _score in scores.values()))))
    values = {"rank": localize(enemy.name), "what": what}
    return _("One attack on a %(rank)s as recruited: %(what)s.") % values if what else ""


def _reason(offer: Offer[Item]) -> str:
    """The reason why an item is refused; "" if it is not. All items that are too dear share one
    sentence, since the price shows the difference.
    """
    if offer.refusal and offer.refusal.code == "too_dear":
        return _("Costs more than the treasury holds")
    return refusal_sentence(offer.refusal) if offer.refusal else ""


def _line[L: (ItemLine, NamedText)](
    book: Book, line: L, offer: Offer[Item] | Offer[Trait]
) -> OfferLine[L]:
    refusal, caution = (
        refusal_sentence(remark) if remark else "" for remark in (offer.refusal, offer.caution)
    )
    dear = offer.caution is not None and offer.caution.code == "over_budget"
    says = say_price(book, offer.price, offer.costs)
    return OfferLine(
        line, offer.price, refusal, caution, dear, experience=offer.experience, says=says
    )
