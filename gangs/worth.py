"""What a gang is worth: every member's rating, and what lies in the stash."""

from __future__ import annotations

from gangs.own_items import extended
from gangs.roster import Member, Roster
from rules.book import Book
from rules.costing import Points, Receipt, ReceiptLine, price, rating, whole
from rules.vocabulary import Text

STASH = Text(en="Stash", fr="Réserve")


def member_rating(book: Book, roster: Roster, member: Member) -> Receipt:
    """What a member is worth now, line by line."""
    figure = roster.figure(book, member)
    return rating(extended(book, roster), roster.settings, figure, playing=roster.playing)


def gang_price(book: Book, roster: Roster) -> Points:
    """What the gang would cost to recruit as it is, stash included, those not counted left out."""
    book = extended(book, roster)
    members = sum(
        price(book, roster.settings, roster.figure(book, member), playing=roster.playing).total
        for member in roster.counted(book)
    )
    return whole(members + sum(book.item[owned.key].price for owned in roster.stash))


def gang_rating(book: Book, roster: Roster) -> Receipt:
    """What the gang is worth now: a line for every member who counts, and one for the stash."""
    weighing = book.rating
    if weighing is None:
        return Receipt(())
    book = extended(book, roster)
    lines = [
        ReceiptLine(
            Text(en=member.name, fr=member.name) if member.name else book.rank[member.rank].name,
            member_rating(book, roster, member).total,
        )
        for member in roster.counted(book)
    ]
    by_price = weighing.counts == "price"
    rows = [book.item[owned.key] for owned in roster.stash]
    stash = sum(row.price if by_price else row.worth for row in rows)
    if stash:
        lines.append(ReceiptLine(STASH, stash))
    return Receipt(tuple(lines))
