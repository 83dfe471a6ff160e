"""Variants: mine, a new one, its desk, publishing it, and moving it to a newer rulebook."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.db.models import Max
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import Request
from rules.followers import followers
from rules.library import book_of, newest_books
from rules.models import BookVersion, Variant
from rules.variants import store
from rules.variants.desk import (
    INVALID,
    STALE,
    base_of,
    change,
    own_variant_or_404,
    seen,
    stale_words,
)
from rules.variants.differences import between, differences
from rules.variants.files import BadVariant
from rules.variants.forms import NameForm
from rules.variants.overlay import Outcome, Wrong
from rules.variants.places import LISTS, SINGLES, Written, is_dice_rows, reached, spread
from rules.variants.store import Refused, Stale
from rules.variants.wording import grouped, misfit_told, table_label, wrong_told
from rules.variants.words import REFUSALS


@require_safe
def listed(request: Request) -> HttpResponse:
    """My variants; ``?archived`` shows those put away."""
    archived = "archived" in request.GET
    mine = Variant.objects.owned_by(request.user)
    mine = mine.exclude(archived_at=None) if archived else mine.active()
    states = BookVersion.objects.filter(variant__in=mine).values_list("variant")
    numbers = dict(states.annotate(newest=Max("number")))
    rows = [
        {
            "variant": variant,
            "book": base_of(variant),
            "number": numbers.get(variant.pk),
            "changes": len(store.overlay_of(variant).changes),
        }
        for variant in mine.order_by("-changed_at")[:100]
    ]
    return render(request, "variants/list.html", {"rows": rows, "archived": archived})


@require_safe
def choose_book(request: Request) -> HttpResponse:
    """A variant of which game?"""
    return render(request, "variants/choose_book.html", {"books": newest_books()})


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: Request, slug: str) -> HttpResponse:
    """Start a variant of the newest version of a game."""
    found = next((pair for pair in newest_books() if pair[1].slug == slug), None)
    if found is None:
        raise Http404
    version, book = found
    form = NameForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        data = form.cleaned_data
        try:
            variant = store.start(request.user, version, data["name"], token=data["token"])
        except Refused as refused:
            form.add_error(None, refusal_told(refused))
        else:
            return redirect(variant)
    context = {"book": book, "form": form}
    return render(request, "variants/new.html", context, status=INVALID if form.is_bound else 200)


def refusal_told(refused: Refused) -> str:
    """Why it cannot be done."""
    return str(REFUSALS[refused.code]) % {"most": store.MOST_VARIANTS}


@require_safe
def desk(request: Request, variant: uuid.UUID) -> HttpResponse:
    """Everything that the variant changes, and the ways to change more."""
    found = own_variant_or_404(request, variant)
    outcome = store.outcome_of(found)
    base = base_of(found)
    told = differences(spread(base), outcome.written)
    state = store.newest_state(found)
    used, unused = _tables(outcome.written, {one.table for one in told})
    context = {
        "variant": found,
        "book": base,
        "groups": grouped(outcome.written, told),
        "count": len(told),
        **_mistakes(found, outcome),
        "tables": used,
        "unused": unused,
        "state": state,
        "is_published": state is not None and _is_published(state, outcome),
        "newer": store.newer_base(found),
        "states": found.states.only("number", "loaded_at").order_by("-number")[:10],
    }
    return render(request, "variants/desk.html", context)


def _is_published(state: BookVersion, outcome: Outcome) -> bool:
    return outcome.book is not None and store.is_same(book_of(state.pk), outcome.book)


def _mistakes(variant: Variant, outcome: Outcome) -> dict[str, object]:
    """What has to be put right before publishing, and where."""
    misfits = [(one.change, misfit_told(outcome.written, one)) for one in outcome.misfits]
    wrong = [
        (wrong_told(outcome.written, one), _where(variant, outcome.written, one))
        for one in outcome.wrong
    ]
    return {"misfits": misfits, "wrong": wrong}


def _where(variant: Variant, written: Written, wrong: Wrong) -> str:
    """The page on which a mistake can be put right; "" if there is none."""
    if wrong.table in SINGLES:
        return reverse("variants:single", args=[variant.pk, wrong.table])
    inner = f"tables.{wrong.row}.rows"
    if wrong.table == "tables" and inner in written.names:
        return reverse("variants:table", args=[variant.pk, inner])
    if wrong.table not in written.names:
        return ""
    if wrong.row:
        return reverse("variants:row", args=[variant.pk, wrong.table, wrong.row])
    return reverse("variants:table", args=[variant.pk, wrong.table])


def _tables(
    written: Written, changed: set[str]
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """The tables that the rulebook uses, with their numbers of rows, and those that are empty."""
    rows: list[dict[str, object]] = []
    for table in LISTS:
        inner = {name for name in changed if table == "tables" and is_dice_rows(name)}
        rows.append(
            {
                "table": table,
                "label": table_label(written, table),
                "count": len(written.names[table]),
                "changed": table in changed or bool(inner),
            }
        )
    singles = [
        {"table": table, "label": table_label(written, table), "changed": table in changed}
        for table in SINGLES
        if isinstance(reached(written.data, table), dict)
    ]
    return [row for row in rows if row["count"]] + singles, [
        row for row in rows if not row["count"]
    ]


@require_http_methods(["GET", "HEAD", "POST"])
def name(request: Request, variant: uuid.UUID) -> HttpResponse:
    """Call it something else."""
    found = own_variant_or_404(request, variant)
    form = NameForm(
        request.POST if request.method == "POST" else None, initial={"name": found.name}
    )
    status, error = (INVALID, "") if form.is_bound else (200, "")
    if form.is_valid():
        try:
            store.rename(found, form.cleaned_data["name"], seen=seen(request))
        except Stale:
            found.refresh_from_db()
            status, error = STALE, stale_words()
        else:
            return redirect(found)
    context = {"variant": found, "form": form, "error": error}
    return render(request, "variants/name.html", context, status=status)


@require_POST
def undo(request: Request, variant: uuid.UUID) -> HttpResponse:
    """Take back what was done to a row, or to one field of it."""
    found = own_variant_or_404(request, variant)
    table, row = request.POST.get("table", ""), request.POST.get("row", "")
    field = [part for part in request.POST.get("field", "").split(".") if part]
    target = found.get_absolute_url()
    if request.POST.get("back") and table in store.outcome_of(found).written.names:
        target = reverse("variants:table", args=[found.pk, table])
    return change(request, found, lambda overlay: overlay.without(table, row, field), target)


@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: Request, variant: uuid.UUID) -> HttpResponse:
    """What changes for whom, and then the deed."""
    found = own_variant_or_404(request, variant)
    status, error = 200, ""
    if request.method == "POST":
        try:
            state = store.publish(found, seen=seen(request))
        except Refused as refused:
            found.refresh_from_db()
            status, error = INVALID, refusal_told(refused)
        except Stale:
            found.refresh_from_db()
            last = store.newest_state(found)
            if last is not None and _is_published(last, store.outcome_of(found)):
                return redirect(found)
            status, error = STALE, stale_words()
        else:
            values = {"name": found.name, "number": state.number}
            messages.success(
                request,
                _(
                    "%(name)s is published as state %(number)s. Choose it when you found a gang or"
                    " start a campaign."
                )
                % values,
            )
            return redirect(found)
    return render(request, "variants/publish.html", _preview(request, found, error), status=status)


def _preview(request: Request, variant: Variant, error: str) -> dict[str, object]:
    """What a new state would differ in from the last one, and who would feel it."""
    outcome = store.outcome_of(variant)
    state = store.newest_state(variant)
    base = book_of(state.pk) if state is not None else base_of(variant)
    told, touched = differences(spread(base), outcome.written), []
    if outcome.book is not None:
        digests = {variant.base_id, *variant.states.values_list("digest", flat=True)}
        told = between(base, outcome.book)
        touched = followers(frozenset(digests), outcome.book, request.user)
    return {
        "variant": variant,
        "book": base,
        "state": state,
        "groups": grouped(outcome.written, told),
        "followers": touched,
        "number": store.next_number(variant),
        "error": error,
        "can": outcome.book is not None and not (state and _is_published(state, outcome)),
        **_mistakes(variant, outcome),
    }


@require_http_methods(["GET", "HEAD", "POST"])
def version(request: Request, variant: uuid.UUID) -> HttpResponse:
    """Move the draft to the newest version of its rulebook: what still fits, and what does not."""
    found = own_variant_or_404(request, variant)
    newer = store.newer_base(found)
    if newer is None:
        return redirect(found)
    status, error = 200, ""
    if request.method == "POST":
        try:
            if request.POST.get("version") != newer.pk:
                raise Stale
            store.move(found, newer, seen=seen(request))
        except Stale:
            found.refresh_from_db()
            status, error = STALE, stale_words()
        except BadVariant:
            status, error = INVALID, refusal_told(Refused("mistakes"))
        else:
            return redirect(found)
    move = store.moved(found, newer)
    written = move.outcome.written
    # What is lost has its name in the version that still had it.
    known = store.outcome_of(found).written
    context = {
        "variant": found,
        "newer": newer,
        "error": error,
        "lost": [misfit_told(known, one) for one in move.lost],
        "wrong": [wrong_told(written, one) for one in move.outcome.wrong],
        "news": grouped(spread(book_of(newer.pk)), between(base_of(found), book_of(newer.pk))),
        "groups": grouped(written, differences(spread(book_of(newer.pk)), written)),
    }
    return render(request, "variants/version.html", context, status=status)


@require_POST
def restore(request: Request, variant: uuid.UUID, number: int) -> HttpResponse:
    """Take the draft back to a published state."""
    found = own_variant_or_404(request, variant)
    state = get_object_or_404(found.states.defer("canonical"), number=number)
    try:
        store.restore(found, state, seen=seen(request))
    except Stale:
        messages.error(request, stale_words())
    else:
        messages.success(request, _("The draft is what state %(number)s was.") % {"number": number})
    return redirect(found)


@require_POST
def archive(request: Request, variant: uuid.UUID) -> HttpResponse:
    """Put a variant away, or take it out again."""
    found = own_variant_or_404(request, variant)
    store.archive(found, back="back" in request.POST)
    return redirect("variants:list")
