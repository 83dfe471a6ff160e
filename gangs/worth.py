"""What a gang is worth: every member's rating, and what lies in the stash."""

from __future__ import annotations

from gangs.own_items import extended
from gangs.roster import Member, Roster
from rules.book import Book
from rules.costing import Receipt, ReceiptLine, item_line, price, rating
from rules.vocabulary import Text

STASH = Text(en="Stash", fr="Réserve")


def member_rating(book: Book, roster: Roster, member: Member) -> Receipt:
    """What a member is worth now, line by line."""
    return rating(extended(book, roster), roster.figure(book, member))


def gang_price(book: Book, roster: Roster) -> int:
    """What the whole gang would cost to recruit as it is, stash included."""
    book = extended(book, roster)
    members = sum(price(book, roster.figure(book, member)).total for member in roster.members)
    return members + sum(book.item[owned.key].price for owned in roster.stash)


def gang_rating(book: Book, roster: Roster) -> Receipt:
    """What the gang is worth now: a line for every member, and one for the stash if it counts."""
    book = extended(book, roster)
    lines = [
        ReceiptLine(
            Text(en=member.name, fr=member.name) if member.name else book.rank[member.rank].name,
            member_rating(book, roster, member).total,
        )
        for member in roster.members
    ]
    stash = sum(item_line(book, owned.key).amount for owned in roster.stash)
    if stash:
        lines.append(ReceiptLine(STASH, stash))
    return Receipt(tuple(lines))
