"""Notes on values that are allowed but probably slips: a rise with the wrong sign, a promotion that
nobody can take, a price that no gang can pay."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from rules.book.fates import Earns, Rises, all_outcomes
from rules.book.limits import CountLimit
from rules.book.model import Book
from rules.book.schema import Trait
from rules.book.vocabulary import Add, Selector
from rules.loading.check_advances import worsens
from rules.loading.checks import RowPath, Wrong, parts

# The power that an expression reads, in the text of a book.
POWER_READ = re.compile(r"power\(\s*(?:'|\\\")([a-z][a-z0-9_-]*)")
# A price this many times the founding budget is beyond the treasury of any gang.
BEYOND = 10


def find_doubts(book: Book) -> Wrong:
    """Every note of this module, each with its place and a sentence."""
    yield from _wrong_signs(book)
    yield from _wrong_rises(book)
    yield from _promotions(book)
    yield from _prices(book)
    yield from _powers(book)
    yield from _unpaid(book)
    yield from _strays(book)


def find_slips(book: Book, data: Mapping[str, object]) -> Wrong:
    """Values in the ``data`` of a book that were read as another kind of value: "-1" or true where
    a number belongs, "yes" or 1 where true does."""
    written: dict[RowPath, Any] = {(): data}
    for path, part in parts((), book):
        # A value comes before the values inside it.
        row = written.get(path)
        if not isinstance(row, Mapping):
            continue
        for name in type(part).model_fields:
            found, read = row.get(name), getattr(part, name)
            written[*path, name] = found
            if isinstance(found, list | tuple):
                written |= {(*path, name, index): one for index, one in enumerate(found)}
            if isinstance(read, int) and found is not None and type(found) is not type(read):
                value = str(read).lower()
                yield (*path, name), say(_("is read as %(value)s: write it like that"), value=value)


def _powers(book: Book) -> Wrong:
    """Powers without an item that no expression reads, in a game whose other powers have one."""
    powers = [(index, row) for index, row in enumerate(book.traits) if row.value is not None]
    useless = [(index, row) for index, row in powers if row.item is None]
    if not useless or len(useless) == len(powers):
        return
    read = set(POWER_READ.findall(book.canonical()))
    for index, row in useless:
        if row.key not in read:
            words = say(_("“%(key)s” has no “item”, unlike other powers"), key=row.key)
            yield ("traits", index, "value"), words


def _unpaid(book: Book) -> Wrong:
    """Upkeep that brings money if nobody pays it."""
    for index, row in enumerate(book.campaign.upkeep):
        if any(isinstance(outcome, Earns) for outcome in all_outcomes(row.unpaid)):
            words = _("brings the gang money if it does not pay: check these outcomes")
            yield ("campaign", "upkeep", index, "unpaid"), words


def find_unlimited_leaders(book: Book) -> Wrong:
    """The first rank of leaders, if a gang may have none of them, or any number."""
    leaders = {rank.key: n for n, rank in enumerate(book.ranks) if rank.leads and rank.recruited}
    for limit in book.limits:
        if isinstance(limit, CountLimit):
            others = book.rank.keys() - limit.of.not_ranks if limit.of.not_ranks else set()
            if leaders.keys() & {*(limit.of.ranks or others)}:
                return
    if leaders:
        first = next(iter(leaders.values()))
        yield ("ranks", first, "leads"), _("no limit says how many leaders a gang has")


def _strays(book: Book) -> Wrong:
    """The first rank whose members belong to others, if no limit finds those without an owner."""
    if any(limit.kind == "owner" for limit in book.limits):
        return
    for index, rank in enumerate(book.ranks):
        if rank.belongs_to is not None:
            message = _("“%(key)s”: no limit of the kind “owner” finds members without an owner")
            yield ("ranks", index, "belongs_to"), say(message, key=rank.key)
            return


def _wrong_signs(book: Book) -> Wrong:
    """Traits that members pay for, or take as an advance, and that only make them worse."""
    for index, trait in enumerate(book.traits):
        if trait.effects and (trait.price or _is_advance(book, trait)):
            adds = [effect for effect in trait.effects if isinstance(effect, Add)]
            worse = [one for one in adds if worsens(book, one)]
            if len(worse) == len(trait.effects):
                named = ", ".join(one.characteristic for one in worse)
                yield (
                    ("traits", index, "effects"),
                    say(
                        _("“%(key)s” only makes members worse (%(named)s): check the signs"),
                        key=trait.key,
                        named=named,
                    ),
                )


def _wrong_rises(book: Book) -> Wrong:
    """Outcomes that raise a characteristic and make it worse. Advances have a note of their own
    (``find_useless``)."""
    noted = {row.table for row in book.campaign.advancements}
    for path, part in parts((), book):
        if isinstance(part, Rises) and worsens(book, part):
            if path[0] == "tables" and book.tables[int(path[1])].key in noted:
                continue
            words = say(
                _("makes “%(characteristic)s” worse: check the sign"),
                characteristic=part.characteristic,
            )
            yield (*path, "amount"), words


def _is_advance(book: Book, trait: Trait) -> bool:
    advancement = book.campaign.advancement
    if advancement is None or "trait" not in advancement.cycle:
        return False
    return not advancement.trait_tags or not trait.tags.isdisjoint(advancement.trait_tags)


def _promotions(book: Book) -> Wrong:
    """Promotions from a rank that nobody has, or into one that nobody may have."""
    had = _ranks_had(book)
    for index, row in enumerate(book.campaign.promotions):
        path: RowPath = ("campaign", "promotions", index)
        if row.start in book.rank and row.start not in had:
            message = say(
                _(
                    "members cannot have the rank “%(start)s”: make it recruitable, or add a way "
                    "to reach this rank"
                ),
                start=row.start,
            )
            yield (*path, "start"), message
        if row.to in book.rank:
            if book.rank[row.to].status == "banned":
                yield (*path, "to"), say(_("the rank “%(to)s” is banned"), to=row.to)
            elif limit := _find_excluding(book, row.to):
                message = say(
                    _("the limit “%(code)s” allows no member of the rank “%(to)s”"),
                    code=limit.code,
                    to=row.to,
                )
                yield (*path, "to"), message
            if row.start == row.to:
                yield (*path, "to"), _("is the same rank as before the promotion")


def _ranks_had(book: Book) -> set[str]:
    """The ranks of members: recruited, in a ready-made gang, or reached from such a rank."""
    had = {rank.key for rank in book.ranks if rank.recruited and rank.status != "banned"}
    had |= {member.rank for sample in book.samples for member in sample.members}
    ahead = [row.to for row in book.campaign.successions]
    while True:
        ahead += [row.to for row in book.campaign.promotions if row.start in had]
        new = {key for key in ahead if key is not None} - had
        if not new:
            return had
        had |= new


def _find_excluding(book: Book, rank: str) -> CountLimit | None:
    """The limit by which a gang that plays can have no member of this rank, under any options."""
    for limit in book.limits:
        if (
            isinstance(limit, CountLimit)
            and limit.maximum == 0
            and (limit.later or limit.severity) == "error"
            and limit.phase != "founding"
            and not (limit.when or limit.maximum_by_size)
            and (limit.of.picks_all or limit.of == Selector(ranks=limit.of.ranks))
            and (limit.of.picks_all or rank in limit.of.ranks)
        ):
            return limit
    return None


def _prices(book: Book) -> Wrong:
    """Prices that are higher than all that a gang may spend: its budget, or many times that if
    gangs have income."""
    budget = max(_budgets(book), default=0)
    if not budget:
        return
    has_income = any(step.kind == "income" for step in book.campaign.steps)
    most = budget * BEYOND if has_income else budget
    if has_income:
        message = _(
            "“%(key)s” costs %(price)s, more than %(times)s times the founding budget of %(budget)s"
        )
    else:
        message = _("“%(key)s” costs %(price)s, more than the founding budget of %(budget)s")
    for path, key, price in _for_sale(book):
        if price > most:
            yield (
                (*path, "price"),
                say(message, key=key, price=price, times=BEYOND, budget=budget),
            )


def _budgets(book: Book) -> Iterator[int]:
    """The largest founding budget of each row."""
    for row in book.budgets:
        setting = book.setting.get(row.setting or "")
        if row.amount is not None:
            yield row.amount
        elif setting is not None and setting.kind == "number":
            yield setting.maximum


def _for_sale(book: Book) -> Iterator[tuple[RowPath, str, int]]:
    """The place, key and list price of everything that a gang can pay for."""
    for place, rank in enumerate(book.ranks):
        if rank.recruited and rank.status == "offered":
            yield ("ranks", place), rank.key, rank.price
    for place, trait in enumerate(book.traits):
        if trait.sold and trait.status == "offered":
            yield ("traits", place), trait.key, trait.price
    for place, item in enumerate(book.items):
        if not item.innate and item.status == "offered":
            yield ("items", place), item.key, item.price
    for place, promotion in enumerate(book.campaign.promotions):
        yield ("campaign", "promotions", place), promotion.key, promotion.price
