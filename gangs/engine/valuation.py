"""The rating and the price of a gang, from its members and its stash."""

from __future__ import annotations

from collections.abc import Mapping

from common.wording.sentences import gettext_noop as _
from gangs.engine.own_items import extend_book, rules_for
from gangs.engine.roster import Departed, Member, OwnedItem, Roster
from rules.book.model import Book
from rules.book.vocabulary import is_now
from rules.engine.costing import Points, Receipt, ReceiptLine, item_price, price, rating, whole
from rules.engine.figure import Figure

STASH = _("Stash")


def member_rating(book: Book, roster: Roster, member: Member) -> Receipt:
    """A member's present rating, line by line."""
    figure = roster.figure(book, member)
    return rating(rules_for(book, roster), figure, playing=roster.playing)


def hire_price(book: Book, roster: Roster, departed: Departed) -> Points | None:
    """The price at which somebody who left this gang can be hired: their rating. None if they are
    not for hire."""
    fate = next((row for row in book.campaign.departures if row.key == departed.fate), None)
    # They may have been of a rank that a newer version of the rules no longer has.
    has_rank = departed.member.rank in book.rank
    if fate is None or not fate.for_hire or not has_rank or book.rating is None:
        return None
    return member_rating(book, roster, departed.member).own


def newcomer(book: Book, roster: Roster, rank: str, origin: str | None = None) -> Figure:
    """A member of this rank who has just joined, of the gang's origin or another."""
    member = Member(id=1, name="", rank=rank, worth_rank=rank, origin=origin)
    return roster.figure(book, member)


def stash_price(book: Book, roster: Roster, key: str) -> Points:
    """The price of an item for the stash: what the gang's lowest newcomer pays for their dearest
    copy, so that handing items over never saves money.
    """
    item = book.item[key]
    if book.has_fixed_prices:
        return item.price
    lowest = [rank for rank in book.ranks if rank.recruited][-1:] or book.ranks[-1:]
    figure = newcomer(book, roster, lowest[0].key)
    rules, playing = book.under(roster.settings), roster.playing
    copies = range(1 + len(item.next_prices))
    prices = [item_price(rules, figure, key, playing=playing, copy=copy) for copy in copies]
    # Others may have offers that are dearer.
    rows = (row for row in rules.offers_of(item) if is_now(row.phase, playing=playing))
    named = [row for row in rows if row.price is not None]
    if named and not any(row.of.picks_all for row in named):
        prices += [item.price, *(row.price for row in named if row.price is not None)]
    return max(prices)


def stashed_price(book: Book, roster: Roster, owned: OwnedItem) -> Points:
    """The price of an item in the stash; a kit that somebody left behind has none."""
    return 0 if owned.included else stash_price(book, roster, owned.key)


def gang_price(book: Book, roster: Roster, known: Mapping[int, Figure] | None = None) -> Points:
    """The price of recruiting the counted members as they are, stash and holdings included.

    ``known``: figures of members by number, which are not worked out again.
    """
    rules = rules_for(book, roster)
    book, known = rules.book, known or {}
    figures = (
        known.get(member.id) or roster.figure(book, member) for member in roster.counted(book)
    )
    members = sum(price(rules, figure, playing=roster.playing).total for figure in figures)
    stash = sum(stashed_price(book, roster, owned) for owned in roster.stash)
    rows = (book.holding.get(held.key) for held in roster.holdings)
    return whole(members + stash + sum(row.price or 0 for row in rows if row is not None))


def gang_rating(
    book: Book, roster: Roster, members: Mapping[int, Receipt] | None = None
) -> Receipt:
    """The gang's present rating: a line for every member who counts, one for each of their things
    that counts only for the gang (a horse), and one for the stash.

    ``members``: their ratings by number, if known already.
    """
    weighing = book.rating
    if weighing is None:
        return Receipt(())
    book = extend_book(book, roster)
    lines = []
    for member in roster.counted(book):
        one = members[member.id] if members else member_rating(book, roster, member)
        lines.append(ReceiptLine(member.name or book.rank[member.rank].name, one.own))
        lines += [line for line in one.lines if line.apart and line.amount]
    by_price = weighing.counts == "price"
    stash = sum(
        stashed_price(book, roster, owned) if by_price else book.item[owned.key].worth
        for owned in roster.stash
    )
    if stash:
        lines.append(ReceiptLine(STASH, stash))
    return Receipt(tuple(lines))
