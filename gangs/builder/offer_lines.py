"""What is on offer to a member or for the stash, in words."""

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
from gangs.text.formats import localize, refusal_sentence
from rules.book.model import Archetype, Book
from rules.book.schema import Item, Rank, Trait
from rules.engine.costing import Points
from rules.engine.fairness import typical_rank
from rules.odds.chances import Patience, against_typical, best_scores
from rules.odds.results import in_short

# Odds of a whole picker may take so long.
MOST_SECONDS = 0.2
# What is longer than this many letters is said in words instead of a column, of which a phone has
# room for this many.
NARROWEST = 7
MOST_COLUMNS = 6
NOTHING = "–"


@dataclass(frozen=True)
class OfferLine[L: (ItemLine, NamedText)]:
    """One thing on offer; ``refusal``: why it cannot be had, ``caution``: why perhaps it should
    not be, each "" if nothing is against it; ``dear``: that is all there is against it;
    ``odds``: what it does to a typical enemy, "" if that is not asked or it is no weapon;
    ``owned``: how many the member has already."""

    line: L
    price: Points
    refusal: str
    caution: str
    dear: bool = False
    odds: str = ""
    owned: int = 0


@dataclass(frozen=True)
class Family:
    """Traits on offer that are of one family."""

    name: str
    offers: tuple[OfferLine[NamedText], ...]

    @property
    def refusal(self) -> str:
        """What keeps all of them from the member, "" unless it is the same."""
        refusals = {offer.refusal for offer in self.offers}
        return refusals.pop() if len(refusals) == 1 else ""


@dataclass(frozen=True)
class Search:
    """What of a picker is looked at: whose name holds ``words``, or else the ``kind`` with this
    key, the first if it is none."""

    words: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Goods:
    """One line of a kind's table: what stands in its columns, and what is said in words."""

    offer: OfferLine[ItemLine]
    figures: tuple[str, ...]
    words: str


@dataclass(frozen=True)
class OfferKind:
    """One kind of items, as a table: the heads of its columns, each with what it is short for; what
    can be had, what is too ``dear``, and what is ``refused``. ``chosen``: it is the one that is
    looked at."""

    key: str
    name: str
    heads: tuple[tuple[str, str], ...]
    free: tuple[Goods, ...]
    dear: tuple[Goods, ...]
    refused: tuple[Goods, ...]
    chosen: bool

    @property
    def had(self) -> bool:
        """Whether any of them can be had."""
        return bool(self.free or self.dear)


@dataclass(frozen=True)
class Refused:
    """Items that cannot be had, by kind, and what stands against all of them."""

    reason: str
    kinds: tuple[tuple[str, tuple[Goods, ...]], ...]


@dataclass(frozen=True)
class Picker:
    """Items on offer: by kind, and those that cannot be had by what stands against them.
    ``house``: some are house values; ``odds``: what the odds beside weapons are, "" if there are
    none; ``odds_on``: whether they are wanted, ``has_odds``: whether there can be any."""

    kinds: tuple[OfferKind, ...]
    refused: tuple[Refused, ...]
    house: bool
    odds: str
    odds_on: bool
    has_odds: bool

    @property
    def had(self) -> list[OfferKind]:
        """The kinds of which something can be had."""
        return [kind for kind in self.kinds if kind.had]

    @property
    def refused_count(self) -> int:
        """How many cannot be had."""
        return sum(len(goods) for group in self.refused for _kind, goods in group.kinds)


@dataclass(frozen=True)
class ArchetypeLine:
    """A complete recruit on offer: of which rank, with what, and what they cost altogether."""

    key: str
    name: str
    rank_key: str
    rank: str
    has: str
    price: Points = 0
    caution: str = ""


def archetype_offers(
    computed: ComputedGang, on_offer: Iterable[Offer[Rank]]
) -> tuple[ArchetypeLine, ...]:
    """The complete recruits that the gang may have now; ``on_offer``: the ranks that are."""
    book = computed.book
    found = offers.archetypes(computed, on_offer)
    return tuple(
        replace(
            _archetype(book, offer.row),
            price=offer.price,
            caution=refusal_sentence(offer.caution) if offer.caution else "",
        )
        for offer in found
    )


def _archetype(book: Book, row: Archetype) -> ArchetypeLine:
    """One in words, which are the same for every gang."""
    has = [book.profession[row.profession].name] if row.profession else []
    has += [book.trait[key].name for key in row.traits]
    counted = Counter(localize(one) for one in (*has, *(book.item[key].name for key in row.items)))
    return ArchetypeLine(
        key=row.key,
        name=localize(row.name),
        rank_key=row.rank,
        rank=localize(book.rank[row.rank].name),
        has=", ".join(
            name if count == 1 else f"{count} × {name}" for name, count in counted.items()
        ),
    )


def trait_offers(computed: ComputedGang, member: Member) -> tuple[Family, ...]:
    """The traits on offer for a member, by family."""
    families: dict[str, list[OfferLine[NamedText]]] = {}
    for offer in offers.traits(computed, member):
        if offer.row.key not in member.traits:
            name = localize(offer.row.family) if offer.row.family else ""
            line = _line(named_text(offer.row, rules_language()), offer)
            families.setdefault(name, []).append(line)
    return tuple(Family(name, tuple(lines)) for name, lines in families.items())


def item_offers(
    computed: ComputedGang, member: Member | None, search: Search, *, odds: bool = False
) -> Picker:
    """The items on offer that are searched for; ``odds``: with what each weapon does to a typical
    enemy."""
    wanted, reader = search.words.casefold(), rules_language()
    owned = Counter(one.key for one in member.items) if member else Counter[str]()
    bearer = bearer_of(computed, member) if member else None
    listed = (
        (offer, item_line(computed, offer.row.key, reader, bearer=bearer))
        for offer in offers.items(computed, member)
    )
    found = [
        (offer, replace(_line(item, offer), owned=owned[item.key], refusal=_reason(offer)))
        for offer, item in listed
        if wanted in f"{item.name} {item.group}".casefold()
    ]
    what = ""
    if odds and member is not None:
        scores = _scores(computed, member, [offer.row.key for offer, _line in found])
        found = [
            (offer, replace(line, odds=scores.get(offer.row.key, ("", ""))[1]))
            for offer, line in found
        ]
        what = _odds_sentence(computed, scores)
    kinds = _kinds(computed.book, found, search)
    return Picker(
        kinds=kinds,
        refused=_refused(kinds),
        house=any(line.line.house for _offer, line in found),
        odds=what,
        odds_on=odds,
        has_odds=member is not None and typical_rank_of(computed) is not None,
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
    """A table of what is short enough for columns; the rest is said in words. A line reads the same
    whatever else can be had."""
    values = [dict(zip(line.line.columns, line.line.cells, strict=True)) for line in lines]
    narrow = [
        column
        for column in book.group[key].columns
        if all(len(cells[column.key][1]) <= NARROWEST for cells in values if column.key in cells)
        and any(cells[column.key][1] != NOTHING for cells in values if column.key in cells)
    ]
    # A kind's columns differ from game to game; level and hands are the site's own.
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
        goods.append(Goods(line, shown, words))
    heads = [head for _name, head in own]
    for column in narrow:
        full = localize(column.name)
        short = localize(column.short) if column.short else full
        heads.append((short, "" if short == full else full))
    return OfferKind(
        key=key,
        name=lines[0].line.group,
        heads=tuple(heads),
        free=tuple(one for one in goods if not one.offer.dear and not one.offer.refusal),
        dear=tuple(one for one in goods if one.offer.dear),
        refused=tuple(one for one in goods if one.offer.refusal),
        chosen=chosen,
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


def typical_rank_of(computed: ComputedGang) -> Rank | None:
    """The rank of the enemies that odds are shown against; None in a game without odds."""
    if not computed.book.rolls:
        return None
    return typical_rank(computed.rules)


def _scores(
    computed: ComputedGang, member: Member, keys: Iterable[str]
) -> dict[str, tuple[str, str]]:
    """What each of these items does to a typical enemy: what that is, and how much."""
    figure = computed.figures[member.id]
    attacks = {key: against_typical(computed.rules, figure, key) for key in keys}
    weapons = {key: questions for key, questions in attacks.items() if questions}
    # What was worked out is remembered: where time runs out, the next look goes on from there.
    best = best_scores(weapons, Patience(MOST_SECONDS))
    return {key: in_short(*found) if found else ("", "…") for key, found in best.items()}


def _odds_sentence(computed: ComputedGang, scores: Mapping[str, tuple[str, str]]) -> str:
    """What the numbers beside weapons are."""
    rank = typical_rank_of(computed)
    if rank is None:
        return ""
    what = ", ".join(dict.fromkeys(filter(None, (name for name, _score in scores.values()))))
    values = {"rank": localize(rank.name), "what": what}
    return _("One attack on a %(rank)s as recruited: %(what)s.") % values if what else ""


def _reason(offer: Offer[Item]) -> str:
    """What stands against an item, in words that many have in common: by how much each is too dear
    its price says."""
    if offer.refusal and offer.refusal.code == "too_dear":
        return _("Costs more than the treasury holds")
    return refusal_sentence(offer.refusal) if offer.refusal else ""


def _line[L: (ItemLine, NamedText)](line: L, offer: Offer[Item] | Offer[Trait]) -> OfferLine[L]:
    refusal, caution = (
        refusal_sentence(remark) if remark else "" for remark in (offer.refusal, offer.caution)
    )
    dear = offer.caution is not None and offer.caution.code == "over_budget"
    return OfferLine(line, offer.price, refusal, caution, dear)
