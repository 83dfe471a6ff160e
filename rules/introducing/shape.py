"""The shape of a game's campaigns in five lines, for people who do not know the game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.utils.translation import gettext as _

from accounts.language import reading_as
from rules.book.model import Book
from rules.reference_pages.campaign import describe_ranking
from rules.reference_pages.pieces import Fact, Link, fact
from rules.reference_pages.words import BookWording

# The values of a line; the rest are behind one more link.
MOST = 6


def describe_shape(book: Book, language: str) -> tuple[Fact, ...]:
    """The results of a game, the steps after it, what members earn, what can happen to them, and
    how gangs are ranked; lines that a game does not have are left out."""
    with reading_as(language):
        return tuple(_lines(BookWording(book, language)))


def _lines(words: BookWording) -> Iterator[Fact]:
    campaign = words.book.campaign
    results = (words.link("result", row) for row in campaign.results)
    yield from _line(_("A game ends with"), results, "campaign/#results")
    steps = [
        words.link("step", row, f"{number}. {words.translated(row.name)}")
        for number, row in enumerate(campaign.steps, start=1)
    ]
    yield from fact(_("After it, in this order"), *steps)
    yield from _line(_("Members earn"), _earnings(words), "campaign/#experience")
    yield from _line(_("What can happen to them"), _happenings(words), "tables/")
    yield from fact(_("Gangs are ranked by"), describe_ranking(words))


def _line(label: str, links: Iterable[Link], rest: str) -> Iterator[Fact]:
    """A line with the first values, and the rest behind a link."""
    found = list({link.text: link for link in links}.values())
    if len(found) > MOST:
        more = _("%(count)s more") % {"count": len(found) - MOST + 1}
        found[MOST - 1 :] = [Link(more, rest)]
    yield from fact(label, *found)


def _earnings(words: BookWording) -> Iterator[Link]:
    """The awards of experience, then the tables of advances."""
    campaign = words.book.campaign
    for row in campaign.awards:
        amount = f"{row.amount:+d}".replace("-", "−")
        yield words.link("award", row, f"{amount} {words.translated(row.name)}")
    keys = dict.fromkeys(row.table for row in campaign.advancements if row.table)
    yield from (words.link("table", words.book.table[key]) for key in keys)


def _happenings(words: BookWording) -> Iterator[Link]:
    """The tables that members roll on, then ways to leave and to rise, and conditions."""
    book = words.book
    for step in book.campaign.steps:
        if step.kind == "fates":
            keys = [step.table, *(fate.table for fate in step.fates)]
            yield from (words.link("table", book.table[key]) for key in keys if key)
    yield from (words.link("departure", row) for row in book.campaign.departures)
    yield from (words.link("promotion", row) for row in book.campaign.promotions)
    yield from (words.link("condition", row) for row in book.conditions)
