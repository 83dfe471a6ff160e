"""What publishing a variant would change for its owner's gangs."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse

from accounts.models import User
from gangs.models import Gang
from gangs.upgrade_changes import changes
from gangs.upgrade_words import summary, told
from rules.book import Book
from rules.followers import Follower

# Working a gang out twice takes time: of more than these nobody wants to read at once.
MOST = 50


def found(digests: frozenset[str], book: Book, user: User) -> Iterator[Follower]:
    """One follower for each of the user's gangs that would change."""
    gangs = Gang.objects.owned_by(user).active().filter(book_version__in=digests)
    for gang in gangs.order_by("-changed_at")[:MOST]:
        what = told(changes(gang.book, book, gang.roster), book)
        if what:
            url = reverse("gangs:upgrade", args=[gang.pk])
            yield Follower(gang.name, url, summary(what))
