"""Gangs that are hard to print."""

from __future__ import annotations

from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from rules.book.model import Book
from tests.world.gangs import rostered

LINK = "https://skirmish.example/s/abcdefghijklmnopqrstuv/"
LONG = "Wolfgang-Maximilian Quetzalcoatl MacWhimsywick von Württemberg-Hohenzollern III"
UNBROKEN = "X" * 80


def crowd(book: Book, members: int, items: int = 12, name: str = LONG) -> ComputedGang:
    """Members with long names, many items, three traits each and notes."""
    made: list[Entry] = [kinds.Founded(name=name[::-1], settings=book.default_settings())]
    for number in range(members):
        made.append(kinds.Recruited(rank=book.ranks[number % len(book.ranks)].key, name=name))
        member = len(made)
        if book.professions:
            profession = book.professions[number % len(book.professions)].key
            made.append(kinds.ProfessionChosen(member=member, profession=profession))
        for index in range(3):
            trait = book.traits[(3 * number + index) % len(book.traits)].key
            made.append(kinds.TraitTaken(member=member, trait=trait))
        for index in range(items):
            item = book.items[(7 * number + index) % len(book.items)].key
            made.append(kinds.Bought(item=item, member=member))
        made.append(kinds.Noted(member=member, text="Une très longue note, naïve. " * 6))
    made.append(kinds.Bought(item=book.items[0].key))
    return ComputedGang.of(book, rostered(book, made))
