"""The guide for players: the list of chapters, and each chapter."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.language import language
from guide.chapters import guide


@login_not_required
@require_safe
def contents(request: HttpRequest) -> HttpResponse:
    """List all chapters with their summaries."""
    return render(request, "guide/contents.html", {"guide": guide(language())})


@login_not_required
@require_safe
def chapter(request: HttpRequest, chapter: str) -> HttpResponse:
    """One chapter, in the reader's language."""
    whole = guide(language())
    shown = whole.chapter(chapter)
    if shown is None:
        raise Http404
    at = whole.chapters.index(shown)
    context = {
        "guide": whole,
        "chapter": shown,
        "previous": whole.chapters[at - 1] if at else None,
        "next": whole.chapters[at + 1] if at + 1 < len(whole.chapters) else None,
    }
    return render(request, "guide/chapter.html", context)
