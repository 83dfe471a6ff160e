"""The page “Is it fair?” of a variant: what simulated fights say of its prices."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.http import Request
from rules.book.model import Book
from rules.fights.progress import Clock, Place, Progress, progress
from rules.fights.results import FOUGHT, results
from rules.library import book_of
from rules.models import Variant
from rules.variants import store
from rules.variants.differences import between
from rules.variants.page import mistakes, own_variant
from rules.variants.text import row_label

# A page that asks for more by itself stops at last, wherever what is found cannot be kept.
MOST_ROUNDS = 120
LONGEST_ROUND = 3


@require_safe
@own_variant
def fair(request: Request, variant: Variant) -> HttpResponse:
    """How the fights of the draft's rows end, as far as they are; each time there are some more.

    ``?round``: how often the page has asked by itself.
    """
    outcome = store.outcome_of(variant)
    context: dict[str, object] = {"variant": variant, "book": book_of(variant.base_id)}
    if outcome.book is None:
        context |= mistakes(variant, outcome)
    else:
        context |= _fought(request, book_of(variant.base_id), outcome.book)
    part = "#fights" if getattr(request, "htmx", False) else ""
    return render(request, f"rules/variants/fair.html{part}", context)


def _fought(request: Request, base: Book, book: Book) -> dict[str, object]:
    """What fights say of a rulebook and of what differs in it from its base, for a template."""
    before = progress(base)
    found = progress(book, before.trials if before is not None else None)
    if found is None:
        return {}
    changed = _changed(base, book)
    _fight_on(found, before, changed)
    said = request.GET.get("round", "")
    number = int(said) if said.isdecimal() and len(said) <= LONGEST_ROUND else 0
    return {
        "result": results(found, before, changed),
        "round": number + 1 if number < MOST_ROUNDS else None,
    }


def _changed(base: Book, book: Book) -> dict[Place, str]:
    """The rows of what fights that differ, with their names."""
    kinds = {table: kind for kind, table in FOUGHT.items()}
    return {
        (kinds[line.table], line.row): row_label(line.table, line.data, line.row)
        for line in between(base, book)
        if line.table in kinds
    }


def _fight_on(found: Progress, before: Progress | None, changed: dict[Place, str]) -> None:
    """What was changed comes first, as it is and as it was, and then all the rest."""
    clock = Clock()
    found.go_on(changed, clock)
    if before is not None:
        before.go_on(changed, clock)
    found.go_on(found.rows, clock)
