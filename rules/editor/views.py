"""Variants: list, start, overview, publish, move to a newer version, undo, restore, archive."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.db.models import Max
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import Request
from accounts.quotas import QuotaFull
from common.errors import Stale
from common.forms import CONFLICT, INVALID, OK
from rules.editor import store
from rules.editor.forms import NameForm
from rules.editor.overlay import OverlayOutcome
from rules.editor.page import attempt, change, find_posted, mistakes, own_variant, version_seen
from rules.editor.places import (
    LISTS,
    SINGLES,
    Written,
    between,
    differences,
    is_dice_rows,
    take_apart,
)
from rules.editor.refusals import describe
from rules.editor.text import group_differences, misfit_text, table_label, wrong_text
from rules.hooks import find_affected
from rules.library import book_of, newest_books, offered_books
from rules.models import BookVersion, Variant

# The tables of things with a price, which most variants change.
QUICK = {"items", "ranks", "traits"}


@require_safe
def list_variants(request: Request) -> HttpResponse:
    """List the user's variants; ``?archived`` lists the archived ones."""
    archived = "archived" in request.GET
    mine = Variant.objects.owned_by(request.user)
    mine = mine.exclude(archived_at=None) if archived else mine.active()
    states = BookVersion.objects.filter(variant__in=mine).values_list("variant")
    numbers = dict(states.annotate(newest=Max("number")))
    rows = [
        {
            "variant": variant,
            "book": book_of(variant.base_id),
            "number": numbers.get(variant.pk),
            "changes": len(store.overlay_of(variant).changes),
        }
        for variant in mine.order_by("-changed_at")[:100]
    ]
    return render(request, "rules/editor/list.html", {"rows": rows, "archived": archived})


@require_safe
def choose_book(request: Request) -> HttpResponse:
    """Choose the game of a new variant."""
    return render(request, "rules/editor/choose_book.html", {"books": offered_books()})


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: Request, slug: str) -> HttpResponse:
    """Start a variant of the newest version of a game."""
    books = {book.slug: (version, book) for version, book in newest_books()}
    if slug not in books:
        raise Http404
    version, book = books[slug]
    form = NameForm(find_posted(request))
    if form.is_valid():
        data = form.cleaned_data
        try:
            return redirect(store.start(request.user, version, data["name"], token=data["token"]))
        except QuotaFull as full:
            form.add_error("name", describe(full))
    status = INVALID if form.is_bound else OK
    return render(request, "rules/editor/new.html", {"book": book, "form": form}, status=status)


@require_safe
@own_variant
def edit(request: Request, variant: Variant) -> HttpResponse:
    """Show all changes of the variant, and the tables to change."""
    outcome = store.outcome_of(variant)
    base = book_of(variant.base_id)
    lines = differences(take_apart(base), outcome.written)
    state = store.newest_state(variant)
    # A change of a dice table's rows counts as one of the table.
    changed = {"tables" if is_dice_rows(line.table) else line.table for line in lines}
    links = _links(outcome.written, changed)
    context = {
        "variant": variant,
        "book": base,
        "groups": group_differences(outcome.written, lines),
        "count": len(lines),
        **mistakes(variant, outcome),
        "tables": [link for link in links if link.count != 0],
        "quick": [link for link in links if link.table in QUICK and link.count],
        "unused": [link for link in links if link.count == 0],
        "state": state,
        "is_published": _is_published(state, outcome),
        "newer": store.newer_base(variant),
        "states": variant.states.only("number", "loaded_at").order_by("-number")[:10],
    }
    return render(request, "rules/editor/page.html", context)


def _is_published(state: BookVersion | None, outcome: OverlayOutcome) -> bool:
    if state is None or outcome.book is None:
        return False
    return store.is_same(book_of(state.pk), outcome.book)


@dataclass(frozen=True)
class TableLink:
    """A table of the rulebook. ``count``: its rows; None for a single value."""

    table: str
    label: str
    count: int | None
    changed: bool


def _links(written: Written, changed: set[str]) -> list[TableLink]:
    """Link every table, and the single values that the rulebook has."""
    counts: dict[str, int | None] = {table: len(written.tables[table]) for table in LISTS}
    counts |= {table: None for table in SINGLES if table in written.singles}
    return [
        TableLink(table, table_label(written, table), count, table in changed)
        for table, count in counts.items()
    ]


@require_http_methods(["GET", "HEAD", "POST"])
@own_variant
def name(request: Request, variant: Variant) -> HttpResponse:
    """Rename the variant."""
    form = NameForm(find_posted(request), initial={"name": variant.name})
    status, error = INVALID if form.is_bound else OK, ""
    if form.is_valid():
        name, version = form.cleaned_data["name"], version_seen(request)
        status, error = attempt(
            variant, lambda: store.rename(variant, name, expected_version=version)
        )
        if status == OK:
            return redirect(variant)
    context = {"variant": variant, "form": form, "error": error}
    return render(request, "rules/editor/name.html", context, status=status)


@require_POST
@own_variant
def undo(request: Request, variant: Variant) -> HttpResponse:
    """Undo the changes of a row, or of one field of it."""
    table, row = request.POST.get("table", ""), request.POST.get("row", "")
    field = [part for part in request.POST.get("field", "").split(".") if part]
    target = variant.get_absolute_url()
    if request.POST.get("back") and table in store.outcome_of(variant).written.tables:
        target = reverse("variants:table", args=[variant.pk, table])
    return change(request, variant, lambda overlay: overlay.without(table, row, field), target)


@require_http_methods(["GET", "HEAD", "POST"])
@own_variant
def publish(request: Request, variant: Variant) -> HttpResponse:
    """Show the changes and the gangs and campaigns that may want them, and publish."""
    status, error = OK, ""
    if request.method == "POST":
        version = version_seen(request)
        status, error = attempt(variant, lambda: store.publish(variant, expected_version=version))
    state = store.newest_state(variant)
    if request.method == "POST" and state is not None and status == OK:
        sentence = _(
            "%(name)s, version %(number)s, is published. Choose it when you create a gang or "
            "start a campaign."
        )
        messages.success(request, sentence % {"name": variant.name, "number": state.number})
        return redirect(variant)
    outcome = store.outcome_of(variant)
    is_published = _is_published(state, outcome)
    if status == CONFLICT and is_published:
        return redirect(variant)
    base = book_of(state.pk) if state is not None else book_of(variant.base_id)
    lines, touched = differences(take_apart(base), outcome.written), []
    if outcome.book is not None:
        digests = {variant.base_id, *variant.states.values_list("digest", flat=True)}
        lines = between(base, outcome.book)
        touched = find_affected(frozenset(digests), outcome.book, request.user)
    context = {
        "variant": variant,
        "book": base,
        "state": state,
        "groups": group_differences(outcome.written, lines),
        "affected": touched,
        "number": store.next_number(variant),
        "error": error,
        "can": outcome.book is not None and not is_published,
        **mistakes(variant, outcome),
    }
    return render(request, "rules/editor/publish.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@own_variant
def version(request: Request, variant: Variant) -> HttpResponse:
    """Show the changes that fit the newest version of the rulebook, and move the draft to it."""
    newer = store.newer_base(variant)
    if newer is None:
        return redirect(variant)

    def move() -> None:
        if request.POST.get("version") != newer.pk:
            raise Stale
        store.move(variant, newer, expected_version=version_seen(request))

    status, error = attempt(variant, move) if request.method == "POST" else (OK, "")
    if request.method == "POST" and status == OK:
        return redirect(variant)
    moved = store.try_move(variant, newer)
    written, newest = moved.outcome.written, book_of(newer.pk)
    # A lost change may concern a row that only the old version has.
    known = store.outcome_of(variant).written
    context = {
        "variant": variant,
        "newer": newer,
        "error": error,
        "lost": [misfit_text(known, misfit) for misfit in moved.lost],
        "wrong": [wrong_text(written, mistake) for mistake in moved.outcome.wrong],
        "news": group_differences(take_apart(newest), between(book_of(variant.base_id), newest)),
        "groups": group_differences(written, differences(take_apart(newest), written)),
    }
    return render(request, "rules/editor/version.html", context, status=status)


@require_POST
@own_variant
def restore(request: Request, variant: Variant, number: int) -> HttpResponse:
    """Restore the draft from a published state."""
    state = get_object_or_404(variant.states.defer("canonical"), number=number)
    version = version_seen(request)
    _status, error = attempt(
        variant, lambda: store.restore(variant, state, expected_version=version)
    )
    if error:
        messages.error(request, error)
    else:
        messages.success(request, _("The draft is version %(number)s again.") % {"number": number})
    return redirect(variant)


@require_POST
@own_variant
def archive(request: Request, variant: Variant) -> HttpResponse:
    """Archive a variant, or take it back."""
    store.archive(variant, back="back" in request.POST)
    return redirect("variants:list")
