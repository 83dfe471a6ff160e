"""Downloads of rulebooks as packages, which are public like the rulebooks' pages."""

from __future__ import annotations

from hashlib import sha256

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from rules.book.model import Book
from rules.models import SharedGame
from rules.packages.archive import pack
from rules.views import find_place
from rules.words.po import write_translation
from rules.words.store import read_tables

# Seconds for which readers and proxies keep the package of a version: its rulebook never changes,
# but people may send better translations, and administrators may hide it.
KEPT = 3600


@login_not_required
@require_safe
def download(request: HttpRequest, **where: str) -> HttpResponse:
    """Send a rulebook as a zip of TOML files."""
    response = send_package(find_place(request, **where).book)
    response["ETag"] = quote_etag(sha256(response.content).hexdigest()[:32])
    known = get_conditional_response(request, etag=response["ETag"], response=response)
    answer = known if isinstance(known, HttpResponse) else response
    # Only a game on the shelf is the same for everybody: its author still reads a hidden one.
    if SharedGame.objects.visible().filter(version=where.get("digest")).exists():
        patch_cache_control(answer, public=True, max_age=KEPT)
    return answer


def send_package(book: Book) -> HttpResponse:
    """Make the download of a rulebook, with the translations that readers see."""
    response = HttpResponse(pack_translated(book), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{book.slug}.zip"'
    return response


def pack_translated(book: Book) -> bytes:
    """Return the package of a rulebook, with the translations that readers see."""
    tables = read_tables(book.slug)
    words = {code: write_translation(book, code, table) for code, table in tables.items()}
    return pack(book, words)
