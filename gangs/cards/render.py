"""Renders a gang as plain values in one language: its cards and the data around them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import pgettext, say, words_of
from gangs.cards import finding_lines, stats, task_lines
from gangs.cards.finding_lines import FindingLine
from gangs.cards.values import (
    Ailment,
    AmountLine,
    Card,
    DepartedLine,
    HoldingLine,
    ItemLine,
    NamedText,
    Page,
    PurseLine,
    Way,
)
from gangs.engine import reserve
from gangs.engine.checklist import tasks
from gangs.engine.computed import ComputedGang
from gangs.engine.fitting import assembled, hosts, in_order
from gangs.engine.groups import alike
from gangs.engine.offers import find_resale, find_uses_left
from gangs.engine.purses import balance, costs_of_members
from gangs.engine.roster import FOLLOWED, Departed, HeldPlace, Member, OwnedItem
from gangs.engine.validation import findings, places_taken
from gangs.engine.valuation import gang_rating, hire_price, member_rating, stashed_price
from rules.book.limits import CarriedLimit
from rules.book.model import Book
from rules.book.schema import Column, Item, Mode, Origin, Rank, Trait
from rules.book.vocabulary import Text, applies, name_of
from rules.engine.cells import columns_of, differing, for_bearer, written_cells
from rules.engine.costing import Points, Receipt, price
from rules.engine.expressions import Names
from rules.engine.figure import all_traits, find_given
from rules.engine.situations import bearer_names

SQUAD = _("Squad")
TO_SPEND = pgettext("points", "to spend")
USES = _("Uses: %(uses)s.")
USES_LEFT = _("Uses left: %(left)s of %(uses)s.")
LEFT_TOO = _("left with their owner")
BELONGS_TO = _("belongs to %(owner)s")
BELONGS_AWAY = _("belongs to %(owner)s, who is away")
WITH = pgettext("somebody who has animals", "with %(names)s")
WORKING = _("%(name)s %(value)s: %(working)s")
INSTEAD = _("%(name)s %(value)s instead of %(usual)s")


def render(
    computed: ComputedGang, language: str, previous: tuple[ComputedGang, Page] | None = None
) -> Page:
    """The whole gang in ``language``.

    ``previous``: another state of the gang with its page in this language, whose unchanged cards
    are reused.
    """
    book, roster = computed.book, computed.roster
    found = findings(book, roster, computed)
    by_member: dict[int, list[FindingLine]] = {}
    for finding in found:
        # Findings about several members or the whole gang are not repeated on cards.
        if finding.own is not None:
            line = finding_lines.line(finding, language, playing=roster.playing, on_card=True)
            by_member.setdefault(finding.own, []).append(line)
    checklist = task_lines.lines(tasks(computed), book, roster, language)
    unchanged = dict(_unchanged(computed, *previous)) if previous else {}
    mates = dict(_mates(computed, language))
    cards = tuple(
        replace(
            unchanged.get(member.id) or render_member(computed, member, language),
            findings=tuple(by_member.get(member.id, ())),
            open_tasks=task_lines.of_member(checklist, member.id, language),
            mates=mates.get(member.id, ()),
            # The names of others may have changed.
            bond=_bond(computed, member, language),
        )
        for member in roster.members
    )
    needs = reserve.needs(computed)
    rating = gang_rating(book, roster, {card.id: card.counted for card in cards})
    budget = None if roster.playing else computed.rules.budget
    return Page(
        name=roster.name,
        origin=_origin(computed, language),
        origin_name=_origin_name(computed, language),
        cards=cards,
        stash=tuple(
            owned_line(computed, roster.stash, owned, language, stashed_price(book, roster, owned))
            for owned in in_order(roster.stash)
        ),
        innate=tuple(item_line(computed, item, language) for item in computed.rules.innate),
        findings=finding_lines.lines(found, book, roster, language),
        rating=rating.total,
        rating_name=book.rating.name.translated(language) if book.rating else "",
        rating_unit=book.rating.unit.translated(language) if book.rating else "",
        money_name=book.money.name.translated(language) if book.money else "",
        money_unit=book.money.unit.translated(language) if book.money else "",
        receipt=_receipt(rating, language),
        left=computed.left,
        budget=budget,
        playing=roster.playing,
        treasury=roster.treasury,
        size=len(roster.members),
        notes=roster.notes,
        departed=tuple(_departed(computed, departed, language) for departed in roster.departed),
        tasks=checklist,
        kept=reserve.amount_to_keep(needs),
        kept_for=reserve.name_needs(needs).translated(language) if needs else "",
        holdings=tuple(_holding(book, held, language) for held in roster.holdings),
        purses=tuple(_purses(computed, language)),
    )


def _purses(computed: ComputedGang, language: str) -> Iterator[PurseLine]:
    """The amount left of each currency beside money, with its name."""
    rows = computed.rules.currencies
    left = balance(computed.book, computed.roster) if rows else {}
    for row in rows:
        unit = row.unit.translated(language)
        yield PurseLine(row.key, row.name.translated(language), left[row.key], unit)


def _holding(book: Book, held: HeldPlace, language: str) -> HoldingLine:
    row = book.holding.get(held.key)
    if row is None:
        return HoldingLine(held.id, held.name or held.key, "", "", house=False)
    kind, text = row.name.translated(language), row.text.translated(language) if row.text else ""
    return HoldingLine(
        held.id, held.name or kind, kind if held.name else "", text, house=row.is_house
    )


def _mates(computed: ComputedGang, language: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The names of the members of each group, by the id of each of them."""
    if not any(rank.squad and rank.squad.together for rank in computed.book.ranks):
        return
    for members in alike(computed.book, computed.roster):
        if len(members) > 1:
            shown = (member.name_or_rank(computed.book) for member in members)
            names = tuple(
                one if isinstance(one, str) else one.translated(language) for one in shown
            )
            yield from ((member.id, names) for member in members)


def _unchanged(
    computed: ComputedGang, before: ComputedGang, page: Page
) -> Iterator[tuple[int, Card]]:
    """The cards that have not changed, apart from findings, by the ids of their members."""
    roster = computed.roster
    if before.rules is computed.rules and before.roster.playing == roster.playing:
        members = {member.id: member for member in roster.members}
        for member, card in zip(before.roster.members, page.cards, strict=True):
            same_profile = before.profiles[member.id] is computed.profiles.get(member.id)
            if same_profile and member == members[member.id]:
                yield member.id, card


def render_member(computed: ComputedGang, member: Member, language: str) -> Card:
    """One member in ``language``, without findings."""
    book = computed.book
    profile = computed.profiles[member.id]
    rank = book.rank[member.rank]
    own = book.origin.get(member.origin or "")
    origin = own.name.translated(language) if own else ""
    learns = computed.rules.teaches or computed.rules.spends_experience
    points_left = computed.points_left(member)
    receipt = member_rating(book, computed.roster, member)
    bearer = bearer_of(computed, member)
    prices = _item_prices(computed, member)
    return Card(
        id=member.id,
        name=member.name,
        shown_name=member.name or rank.name.translated(language),
        rank=rank.name.translated(language),
        origin="" if origin == _origin(computed, language) else origin,
        squad=member.squad,
        squad_name=(book.squad_name or SQUAD).translated(language),
        profession=book.profession[member.profession].name.translated(language)
        if member.profession
        else "",
        rank_says=named_text(rank, language) if rank.text else None,
        calling=_calling(computed, member, language),
        stats=tuple(stats.stat(score, member, language) for score in profile.scores.values()),
        points_left=points_left,
        traits=_traits(computed, member, language),
        gained=_gained(computed, member, language),
        items=tuple(
            owned_line(computed, member.items, owned, language, prices[owned.id], bearer)
            for owned in in_order(member.items)
        ),
        powers=tuple(_power_lines(computed, member, language, bearer)),
        afflictions=_ailments(computed, member, language),
        places=_places(computed, member),
        rating=receipt.own,
        counted=receipt,
        cost=_cost(computed, member),
        costs=tuple(_costs(computed, member, language)),
        receipt=_receipt(receipt.of_member, language),
        experience=member.experience_at_rank,
        experience_name=book.experience_word.translated(language) if learns else "",
        experience_most=rank.experience,
        experience_left=f"{member.experience_left} {TO_SPEND.translated(language)}"
        if computed.rules.spends_experience
        else "",
        games=member.games,
        taken_out=member.taken_out,
        notes=member.notes,
        life=stats.boxes(profile.scores[book.life]) if book.life in profile.scores else (),
        findings=(),
        bond=_bond(computed, member, language),
        owner=member.owner,
    )


def _bond(computed: ComputedGang, member: Member, language: str) -> str:
    """The member whom this one belongs to, or those who belong to them, in words; "" for none."""
    book, roster = computed.book, computed.roster
    if (owner := roster.owner(member)) is not None:
        words = BELONGS_AWAY if owner.absences(book) else BELONGS_TO
        return say(words, owner=owner.name_or_rank(book)).translated(language)
    pets = [words_of(one.name_or_rank(book), language) for one in roster.belongings(member.id)]
    return say(WITH, names=", ".join(pets)).translated(language) if pets else ""


def _traits(computed: ComputedGang, member: Member, language: str) -> tuple[NamedText, ...]:
    """The traits that a member took, each once."""
    often = Counter(all_traits(computed.book, computed.figures[member.id]))
    return tuple(
        _trait(computed, member, computed.book.trait[key], language, often[key])
        for key in dict.fromkeys(member.traits)
    )


def _gained(computed: ComputedGang, member: Member, language: str) -> tuple[NamedText, ...]:
    """The traits that a member has without taking them, except those that they took further."""
    return tuple(
        _trait(computed, member, row, language)
        for row in computed.profiles[member.id].gained
        if row.key not in member.traits
    )


def _trait(
    computed: ComputedGang, member: Member, row: Trait, language: str, count: int = 1
) -> NamedText:
    """A trait: a power with its value, another with the number of times."""
    line, value = named_text(row, language), computed.profiles[member.id].values.get(row.key)
    if value is not None:
        return replace(line, name=f"{line.name} {value}")
    return replace(line, name=f"{line.name} ×\u00a0{count}") if count > 1 else line


def _power_lines(
    computed: ComputedGang, member: Member, language: str, bearer: Names
) -> Iterator[ItemLine]:
    """The items that come with the member's traits; that of a power has its value in its name."""
    values = computed.profiles[member.id].values
    for key in find_given(computed.book, computed.figures[member.id]):
        row, trait = computed.book.item[key], computed.book.given[key]
        line = item_line(computed, row, language, bearer=bearer)
        value = values.get(trait.key)
        yield line if value is None else replace(line, name=f"{line.name} {value}")


def _cost(computed: ComputedGang, member: Member) -> Points | None:
    """The member's price, if the game has money and ratings are not prices; else None."""
    book = computed.book
    if book.money is None or (book.rating is not None and book.rating.counts == "price"):
        return None
    return computed.cost(computed.figures[member.id])


def _costs(computed: ComputedGang, member: Member, language: str) -> Iterator[PurseLine]:
    """The member's price in other currencies than money."""
    rows = computed.book.currencies
    costs = costs_of_members(computed.book, [member]) if rows else {}
    for row in rows:
        if amount := costs.get(row.key):
            name, unit = row.name.translated(language), row.unit.translated(language)
            yield PurseLine(row.key, name, amount, unit)


def _origin(computed: ComputedGang, language: str) -> str:
    """The gang's own origin; "" if it has none."""
    key = computed.roster.settings.get(computed.book.origin_setting or "")
    row = computed.book.origin.get(str(key))
    return row.name.translated(language) if row else ""


def _origin_name(computed: ComputedGang, language: str) -> str:
    row = computed.book.setting.get(computed.book.origin_setting or "")
    return row.name.translated(language) if row else ""


def _departed(computed: ComputedGang, departed: Departed, language: str) -> DepartedLine:
    book, member = computed.book, departed.member
    row = name_of(book.rank, member.rank)
    rank = row.translated(language) if isinstance(row, Text) else row
    departure = book.campaign.departure.get(departed.fate)
    how = departure.name.translated(language) if departure else ""
    if departed.fate == FOLLOWED:
        how = LEFT_TOO.translated(language)
    hire = hire_price(book, computed.roster, departed)
    return DepartedLine(member.id, member.name or rank, rank, departed.fate, how, hire)


def _ailments(computed: ComputedGang, member: Member, language: str) -> tuple[Ailment, ...]:
    """The member's conditions, and their trackers that last, with their numbers."""
    rows = computed.book.condition
    conditions = (
        Ailment(
            suffered.condition,
            rows[suffered.condition].name.translated(language),
            rows[suffered.condition].text.translated(language),
            computed.book.cites_house(rows[suffered.condition]),
            games=suffered.games_left,
            against=suffered.against,
            held=rows[suffered.condition].holds,
            absent=rows[suffered.condition].absent,
        )
        for suffered in member.afflictions
    )
    return *conditions, *_lasting(computed, member, language)


def _lasting(computed: ComputedGang, member: Member, language: str) -> Iterator[Ailment]:
    """The member's trackers that last and are above their minimum."""
    for row in computed.book.tracks:
        number = member.tracks.get(row.key, row.minimum)
        if row.lasts and number > row.minimum:
            text = row.text.translated(language) if row.text else ""
            name = f"{row.name.translated(language)} {number}"
            yield Ailment(row.key, name, text, computed.book.cites_house(row), counted=True)


def _item_prices(computed: ComputedGang, member: Member) -> dict[int, Points]:
    """The price of each of the member's items, adjusted for them, by its number."""
    book, roster = computed.book, computed.roster
    if book.has_fixed_prices:
        return {owned.id: book.item[owned.key].price for owned in member.items}
    figure = computed.figures[member.id]
    lines = price(computed.rules, figure, playing=roster.playing).lines
    of_items = lines[1 + len(member.traits) :]
    return {owned.id: line.amount for owned, line in zip(member.items, of_items, strict=True)}


def bearer_of(computed: ComputedGang, member: Member) -> Names:
    """The values of a member that the cells of their items may refer to."""
    figure, profile = computed.figures[member.id], computed.profiles[member.id]
    return bearer_names(computed.book, figure, profile)


def innate_lines(computed: ComputedGang, member: Member, language: str) -> list[ItemLine]:
    """The items that everybody has for free, with the values for this member."""
    bearer, items = bearer_of(computed, member), computed.rules.innate
    return [item_line(computed, item, language, bearer=bearer) for item in items]


def owned_line(
    computed: ComputedGang,
    items: Sequence[OwnedItem],
    owned: OwnedItem,
    language: str,
    amount: Points,
    bearer: Names | None = None,
) -> ItemLine:
    """Render one of the ``items`` of a member or of the stash, with its remaining uses and as what
    is fitted to it makes of it; parameters as for ``item_line``."""
    row = assembled(computed.book, items, owned)
    line = item_line(computed, row, language, owned.id, amount, bearer, owned.used)
    left, sells = find_uses_left(computed, owned), find_resale(computed, owned)
    if left is None and sells is None and row.fits is None and not owned.included:
        return line
    return replace(
        line,
        left=left,
        sells=sells,
        included=owned.included,
        host=str(owned.on or ""),
        hosts=tuple(_hosts(computed, items, owned, language)),
    )


def _hosts(
    computed: ComputedGang, items: Sequence[OwnedItem], owned: OwnedItem, language: str
) -> Iterator[tuple[str, str]]:
    """The ids and names of those of ``items`` that an item can be fitted to; for one in the stash,
    also of the members' items."""
    book, stash = computed.book, computed.roster.stash
    for owner, host in hosts(book, computed.roster, owned):
        if items is stash or host in items:
            name = book.item[host.key].name.translated(language)
            called = words_of(owner.name_or_rank(book), language) if owner else ""
            yield str(host.id), f"{called}: {name}" if called and items is stash else name


def item_line(
    computed: ComputedGang,
    item: Item,
    language: str,
    owned: int = 0,
    amount: Points | None = None,
    bearer: Names | None = None,
    used: int = 0,
) -> ItemLine:
    """Render one item in ``language``; ``owned``: its number, if somebody has it; ``amount``: its
    price, if it differs from the list price; ``bearer``: the values of the member who has it;
    ``used``: how many of its uses are over."""
    group = computed.book.group[item.group]
    columns = computed.rules.columns(group)
    worked = {} if bearer is None else _worked(item, columns, bearer)
    ways = [way for mode in item.modes if (way := _way(computed, item, mode, language, bearer))]
    text = item.text.translated(language) if item.text else ""
    uses = _say_uses(item.uses, used, language) if item.uses else ""
    return ItemLine(
        id=owned,
        key=item.row_key,
        at_table=item.key,
        name=item.name.translated(language),
        group=group.name.translated(language),
        price=item.price if amount is None else amount,
        level=item.level,
        hands=item.hands,
        cells=tuple(
            (
                column.name.translated(language),
                worked[column.key][0]
                if column.key in worked
                else _cell(item, column.key, language),
            )
            for column in columns
        ),
        text=" ".join(filter(None, (uses, text, *(way.words for way in ways)))),
        house=computed.book.cites_house(item),
        columns=tuple(column.key for column in columns),
        how=" · ".join(
            _say_working(computed.book, column, worked[column.key], language)
            for column in columns
            if column.key in worked
        ),
        ways=tuple(ways),
        own_text=" ".join(filter(None, (uses, text))),
    )


def _say_uses(uses: int, used: int, language: str) -> str:
    """The number of uses of an item, or of those that are left."""
    return say(USES_LEFT if used else USES, uses=uses, left=uses - used).translated(language)


def _way(
    computed: ComputedGang, item: Item, mode: Mode, language: str, bearer: Names | None
) -> Way | None:
    """Another way to use an item, "Thrown (Range 3\")."; None if no column differs."""

    def said(column: Column, written: str | Text) -> str:
        worked = None if bearer is None else for_bearer(column, written, bearer)
        if worked is not None:
            return worked[0]
        return written.translated(language) if isinstance(written, Text) else written

    settings = computed.rules.settings
    there = {
        key: column
        for key, column in columns_of(computed.book, item, mode).items()
        if applies(column.when, settings)
    }
    changed = [
        (column.key, f"{column.name.translated(language)} {said(column, written)}")
        for column, written in differing(computed.book, item, mode)
        if column.key in there
    ]
    if not changed:
        return None
    name = mode.name.translated(language)
    name = f"{name[:1].upper()}{name[1:]}"
    own = columns_of(computed.book, item)
    return Way(
        name,
        {
            key: said(there[key], written)
            for key, written in written_cells(item, mode).items()
            if key in own and key in there
        },
        " · ".join(words for key, words in changed if key not in own),
        f"{name} ({' · '.join(words for _key, words in changed)}).",
    )


def _worked(item: Item, columns: Iterable[Column], bearer: Names) -> dict[str, tuple[str, str]]:
    """The cells that depend on the bearer, each with its value and its derivation."""
    found = {
        column.key: for_bearer(column, item.columns[column.key], bearer)
        for column in columns
        if column.names and column.key in item.columns
    }
    return {key: worked for key, worked in found.items() if worked is not None}


def _say_working(book: Book, column: Column, worked: tuple[str, str], language: str) -> str:
    """The value of a cell with its derivation, "Str 7: M+1, M = 6", or "Act. 1 instead of 2"."""
    value, working = worked
    # A plain number that is another for this bearer has no formula to show.
    if working.isdecimal():
        name = (column.short or column.name).translated(language)
        return say(INSTEAD, name=name, value=value, usual=working).translated(language)
    name = column.name.translated(language)
    working = _in_language(book, working, language)
    return say(WORKING, name=name, value=value, working=working).translated(language)


def _in_language(book: Book, how: str, language: str) -> str:
    """The derivation of a cell, "Str + 1D6, Str = 4", with abbreviations in ``language``."""
    short = {row.short.first: row.short.translated(language) for row in book.characteristics}
    return re.sub(r"\b[^\W\d]+\b", lambda word: short.get(word[0], word[0]), how)


def _cell(item: Item, column: str, language: str) -> str:
    value = item.columns.get(column, "–")
    return value.translated(language) if isinstance(value, Text) else value


def named_text(row: Trait | Rank | Origin, language: str) -> NamedText:
    """The name and text of a row in ``language``."""
    text = row.text.translated(language) if row.text else ""
    return NamedText(row.key, row.name.translated(language), text, row.is_house)


def _calling(computed: ComputedGang, member: Member, language: str) -> tuple[NamedText, ...]:
    """The texts of the member's profession: in general, and for a leader."""
    if member.profession is None:
        return ()
    profession = computed.book.profession[member.profession]
    name = profession.name.translated(language)
    house = computed.book.cites_house(profession)
    calling = [NamedText(profession.key, name, profession.text.translated(language), house)]
    if computed.book.rank[member.rank].leads and profession.leads_text is not None:
        rank = computed.book.rank[member.rank].name.translated(language)
        text = profession.leads_text.translated(language)
        calling.append(NamedText(profession.key, f"{name}, {rank}", text, house))
    return tuple(calling)


def _places(computed: ComputedGang, member: Member) -> tuple[int, int] | None:
    for limit in computed.book.limits:
        if isinstance(limit, CarriedLimit):
            allowed = computed.profiles[member.id].natural(limit.characteristic)
            return places_taken(computed.book, member), allowed
    return None


def _receipt(receipt: Receipt, language: str) -> tuple[AmountLine, ...]:
    return tuple(AmountLine(words_of(line.name, language), line.amount) for line in receipt.lines)
