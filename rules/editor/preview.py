"""The preview of a document: a ready-made gang on its sheet, built without storing anything."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from accounts.http import Request
from accounts.language import rules_language
from common.forms import OK
from common.wording.texts import FIRST
from rules import hooks
from rules.book.model import Book, Sample, SampleMember
from rules.book.vocabulary import Text
from rules.editor.documents import Document, check
from rules.editor.page import open_document, show


@require_safe
@open_document
def preview(request: Request, document: Document) -> HttpResponse:
    """Show a ready-made gang as its sheet would; ``?sample`` names it."""
    book = check(document).book
    if book is None:
        return redirect(document)
    samples = list(book.samples) or [one_of_each(book)]
    wanted = request.GET.get("sample", "")
    chosen = next((one for one in samples if one.key == wanted), samples[0])
    trial = hooks.gangs.try_out(book, chosen, rules_language())
    own = bool(book.samples)
    listed = samples if own else []
    return show(request, document, "preview", OK, trial=trial, samples=listed, chosen=chosen.key)


def one_of_each(book: Book) -> Sample:
    """Return a gang with one member of each rank that can be recruited, for a game that has no
    ready-made gangs."""
    members = [
        SampleMember(name=rank.name.first[:80], rank=rank.key) for rank in book.usual.recruited[:12]
    ]
    name, text = book.name.first[:80], Text({FIRST: "–"})
    return Sample(key="preview", name=name, text=text, members=tuple(members))
