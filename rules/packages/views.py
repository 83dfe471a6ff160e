"""Downloads of rulebooks as packages, which are public like the rulebooks' pages."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from rules.book.model import Book
from rules.packages.archive import pack
from rules.views import find_place
from rules.words.po import write_translation
from rules.words.store import read_tables


@login_not_required
@require_safe
def download(request: HttpRequest, **where: str) -> HttpResponse:
    """Send a rulebook as a zip of TOML files."""
    return send_package(find_place(request, **where).book)


def send_package(book: Book) -> HttpResponse:
    """Make the download of a rulebook, with the translations that readers see."""
    tables = read_tables(book.slug)
    words = {code: write_translation(book, code, table) for code, table in tables.items()}
    response = HttpResponse(pack(book, words), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{book.slug}.zip"'
    return response
