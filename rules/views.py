"""Rulebooks, to be read: public, since they are the same for everybody."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from rules.book import Book
from rules.dice import row_chance
from rules.library import newest_books


@login_not_required
@require_safe
def books(request: HttpRequest) -> HttpResponse:
    """All games."""
    return render(request, "rules/books.html", {"books": newest_books()})


@login_not_required
@require_safe
def book(request: HttpRequest, slug: str) -> HttpResponse:
    """One game: what a player looks up while building and between games."""
    found = next((book for _, book in newest_books() if book.slug == slug), None)
    if found is None:
        raise Http404
    context = {"book": found, "shelves": _shelves(found), "tables": _tables(found)}
    return render(request, "rules/book.html", context)


def _shelves(book: Book) -> list[dict[str, object]]:
    """The items by group, each with the group's columns filled in."""
    return [
        {
            "group": group,
            "rows": [
                (item, [item.columns.get(column.key, "–") for column in group.columns])
                for item in book.items
                if item.group == group.key
            ],
        }
        for group in book.groups
    ]


def _tables(book: Book) -> list[dict[str, object]]:
    """The dice tables, with the chance of each row."""
    return [
        {"table": table, "rows": [(row, row_chance(table, row)) for row in table.rows]}
        for table in book.tables
    ]
