"""The changes that publishing a variant would bring to its owner's gangs."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse

from accounts.models import User
from gangs.engine.differences import changes
from gangs.models import Gang
from gangs.versions.text import describe, summary
from rules.book.model import Book
from rules.hooks import Affected

# Working out a gang twice takes time, and nobody wants to read about more gangs than this.
MOST = 50


def affected_gangs(digests: frozenset[str], book: Book, user: User) -> Iterator[Affected]:
    """Yield each of the user's gangs that would change."""
    gangs = Gang.objects.owned_by(user).active().filter(book_version__in=digests)
    for gang in gangs.order_by("-changed_at")[:MOST]:
        what = describe(changes(gang.book, book, gang.roster), book)
        if what:
            url = reverse("gangs:upgrade", args=[gang.pk])
            yield Affected(gang.name, url, summary(what))
