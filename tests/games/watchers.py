"""Clubs of the watchers' game, and the words that pages about games against the book lack."""

from __future__ import annotations

import html
import re

from accounts.models import User
from rules.book.model import Book
from tests.games.club import Club, buy, recruit

OF_OPPONENTS = re.compile(
    r"\b(opponents?|against|beat|who won|match-up|fight|the other (side|gang)|who met whom|won by|"
    r"pairings?|stage|league|underdog)\b",
    re.IGNORECASE,
)


def club_of_watchers(book: Book, organiser: User, players: list[User], *names: str) -> Club:
    """Return a campaign with gangs of a warden and a watcher with a lantern, one for each name."""
    club = Club(book, organiser, players)
    for name in names:
        warden, watcher = f"{name} warden", f"{name} watcher"
        club.found(name, recruit("warden", warden), recruit("watcher", watcher))
        club.change(name, buy(watcher, "lantern"))
    return club


def visible_text(page: str) -> str:
    """Return the visible words of a page's main part."""
    main = page.partition("<main")[2].partition("</main>")[0] or page
    main = re.sub(r"<(script|style)\b.*?</\1>", " ", main, flags=re.DOTALL)
    # Words of the rulebook may speak of whatever they like.
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", main)).split())
