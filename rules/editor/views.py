"""Documents of the editor: list, start, overview, names, publishing, undo, moving, sharing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import Request
from common.errors import Refusal, Stale
from common.forms import CONFLICT, INVALID, OK, require_safe_or_post
from common.wording.texts import in_languages
from rules.book.look import HOUSE_LOOK, Look
from rules.book.vocabulary import Frozen
from rules.editor import store
from rules.editor.campaigns.views import list_books, list_donors
from rules.editor.data import (
    Basics,
    languages_of,
    name_game,
    start_empty,
    start_from,
    take_apart_data,
)
from rules.editor.documents import (
    Document,
    Refused,
    base_of,
    check,
    data_of,
    newest_state,
    next_number,
    overlay_of,
    title_of,
)
from rules.editor.guide import FIRST, GROUPS, find_hint
from rules.editor.languages import text_of
from rules.editor.moving import newer_base, try_move
from rules.editor.page import (
    attempt,
    find_posted,
    open_document,
    open_game,
    own_document,
    own_game,
    own_variant,
    show,
    version_seen,
)
from rules.editor.page_forms import GameForm, LanguagesForm, NameForm, ShareForm
from rules.editor.places import (
    SINGLES,
    Data,
    Difference,
    Written,
    between,
    differences,
    is_dice_rows,
    take_apart,
)
from rules.editor.refusals import describe
from rules.editor.row_form import RowForm
from rules.editor.text import group_differences, misfit_text, table_label, wrong_text
from rules.hooks import find_affected
from rules.library import book_of, newest_books, offered_books
from rules.models import BookDraft, BookVersion, CatalogueImport, Variant
from rules.skeletons.grafting import has_campaign

# The tables of things with a price, which most variants change.
QUICK = {"items", "ranks", "traits"}
MOST_LISTED = 100


@login_not_required
@require_safe
def moved(request: HttpRequest, rest: str) -> HttpResponse:
    """Redirect an address of the time when variants and games had an editor each."""
    if rest.endswith("/name/"):
        rest = f"{rest.removesuffix('name/')}names/"
    query = request.META["QUERY_STRING"]
    address = reverse("editor:list") + quote(rest)
    return HttpResponsePermanentRedirect(f"{address}?{query}" if query else address)


@require_safe
def list_documents(request: Request) -> HttpResponse:
    """List the variants and games that the user writes, alone or with others; ``?archived`` lists
    the archived variants."""
    archived = "archived" in request.GET
    variants = Variant.objects.owned_by(request.user).filter(archived_at__isnull=not archived)
    games = BookDraft.objects.none() if archived else BookDraft.objects.open_to(request.user)
    documents: list[Document] = [
        *variants.order_by("-changed_at")[:MOST_LISTED],
        *games.order_by("-changed_at")[:MOST_LISTED],
    ]
    documents.sort(key=lambda one: one.changed_at, reverse=True)
    newest, listed = store.newest_numbers(documents), store.listed_numbers(documents)
    rows = [
        {
            "document": document,
            "name": title_of(document),
            "base": base_of(document),
            "changes": len(overlay_of(document).changes) if isinstance(document, Variant) else 0,
            "newest": newest.get(document.pk),
            "listed": listed.get(document.pk),
            "is_owner": document.owner_id == request.user.pk,
        }
        for document in documents
    ]
    return render(request, "rules/editor/list.html", {"rows": rows, "archived": archived})


@require_safe_or_post
def new(request: Request) -> HttpResponse:
    """Choose the game of a new variant, or start a game: empty, or as a copy of another; and the
    campaign of a game that starts empty."""
    copied = list_books(request.user)
    choices = [(version.pk, text_of(book.title.model_dump())) for version, book in copied]
    campaigns = [(donor.key, donor.name) for donor in list_donors(copied)]
    author = str(request.user)
    form = GameForm(find_posted(request), author=author, books=choices, campaigns=campaigns)
    if form.is_valid():
        given = form.cleaned_data
        data = start_from(book_of(given["start"])) if given["start"] else start_empty()
        data = name_game(data, given["slug"], given["name"], given["languages"], given["author"])
        try:
            game = store.start_game(request.user, data, token=given["token"])
            if not given["campaign"]:
                return redirect(game)
            page = reverse("editor:campaign", args=[game.pk])
            return redirect(f"{page}?{urlencode({'from': given['campaign']})}")
        except Refusal as refused:
            form.add_refusal(refused)
    status = INVALID if form.is_bound else OK
    context = {"form": form, "books": offered_books()}
    return render(request, "rules/editor/new.html", context, status=status)


@require_safe_or_post
def new_variant(request: Request, slug: str) -> HttpResponse:
    """Start a variant of the newest version of a game."""
    books = {book.slug: (version, book) for version, book in newest_books()}
    if slug not in books:
        raise Http404
    version, book = books[slug]
    form = NameForm(find_posted(request))
    if form.is_valid():
        name, token = form.cleaned_data["name"], form.cleaned_data["token"]
        try:
            return redirect(store.start_variant(request.user, version, name, token=token))
        except Refusal as refused:
            form.add_error("name", describe(refused))
    status = INVALID if form.is_bound else OK
    context = {"base": book, "form": form}
    return render(request, "rules/editor/new_variant.html", context, status=status)


@dataclass(frozen=True)
class TableLink:
    """A table of the document. ``hint``: what it is for; ``count``: its rows; for a single value 1
    if there is one, or 0."""

    table: str
    label: str
    hint: str
    count: int
    is_single: bool
    is_changed: bool


@dataclass(frozen=True)
class TableGroup:
    """Tables that answer one question. ``links``: those in use, ``unused``: others."""

    question: str
    links: list[TableLink]
    unused: list[TableLink]


def _groups(written: Written, changed: set[str], *, is_whole: bool) -> list[TableGroup]:
    """Return all tables in the order in which authors fill them. Those under FIRST stand with the
    used ones. ``is_whole``: for a variant, which has only the single values of its base."""
    found = []
    for question, tables in GROUPS:
        links = [
            TableLink(
                table,
                table_label(written, table),
                find_hint(table),
                len(written.rows(table)),
                table in SINGLES,
                table in changed,
            )
            for table in tables
            if not is_whole or (table in written.singles or table in written.tables)
        ]
        used = [link for link in links if link.count or link.table in FIRST]
        found.append(TableGroup(str(question), used, [one for one in links if one not in used]))
    return found


@require_safe
@open_document
def edit(request: Request, document: Document) -> HttpResponse:
    """Show the changes of a variant, and the tables of the document."""
    checked, base = check(document), base_of(document)
    lines = differences(take_apart(base), checked.written) if base is not None else []
    # A change of a dice table's rows counts as one of the table.
    changed = {"tables" if is_dice_rows(line.table) else line.table for line in lines}
    groups = _groups(checked.written, changed, is_whole=base is not None)
    state = newest_state(document)
    imported = None
    if isinstance(document, BookDraft):
        imported = CatalogueImport.objects.taken_by(document).first()
    return show(
        request,
        document,
        "page",
        is_imported=imported is not None,
        import_notes=imported.notes_left if imported else 0,
        checked=checked,
        differences=group_differences(checked.written, lines),
        groups=groups,
        quick=[link for group in groups for link in group.links if link.table in QUICK],
        state=state,
        states=document.states.only("number", "loaded_at").order_by("-number")[:10],
        listed=store.listed_numbers([document]).get(document.pk) if state else None,
        published=store.is_published(state, checked),
        sound=checked.is_sound,
        newer=newer_base(document) if isinstance(document, Variant) else None,
        lacks_campaign=isinstance(document, BookDraft) and not has_campaign(data_of(document)),
    )


def _edit_part(
    request: Request,
    game: BookDraft,
    title: str,
    model: type[Frozen],
    row: Data,
    put: Callable[[Data, Data], Data],
) -> HttpResponse:
    """Show or store a form for a part of the game. ``put``: puts the answers into the data."""
    data, written = data_of(game), take_apart_data(data_of(game))
    form = RowForm("", model, written, row, find_posted(request), languages=languages_of(data))
    status, error = form.status, ""
    if form.is_valid():
        status, error = _save_data(request, game, put(data, form.answered()))
        if status == OK:
            return redirect(game)
    return show(request, game, "part", status, form=form, title=title, error=error)


def _save_data(request: Request, game: BookDraft, data: Data) -> tuple[int, str]:
    seen = version_seen(request)
    return attempt(game, lambda: store.save_data(game, data, expected_version=seen))


@require_safe_or_post
@open_document
def names(request: Request, document: Document) -> HttpResponse:
    """Rename a variant; or change a game's name, summary, author and words."""
    if isinstance(document, Variant):
        return _rename(request, document)
    data = data_of(document)
    row = {name: data.get(name) for name in Basics.model_fields}

    def put(data: Data, answered: Data) -> Data:
        kept = {name: value for name, value in answered.items() if value is not None}
        return {name: value for name, value in data.items() if name not in answered} | kept

    return _edit_part(request, document, _("Name and words"), Basics, row, put)


def _rename(request: Request, variant: Variant) -> HttpResponse:
    form = NameForm(find_posted(request), initial={"name": variant.name})
    status, error = INVALID if form.is_bound else OK, ""
    if form.is_valid():
        name, version = form.cleaned_data["name"], version_seen(request)
        status, error = attempt(
            variant, lambda: store.rename(variant, name, expected_version=version)
        )
        if status == OK:
            return redirect(variant)
    title = _("Rename or archive")
    return show(request, variant, "simple", status, form=form, title=title, error=error)


@require_safe_or_post
@open_game
def look(request: Request, game: BookDraft) -> HttpResponse:
    """Change the colours and drawings of the game's pages and prints."""
    given = data_of(game).get("look")
    row = {**HOUSE_LOOK.model_dump(mode="json"), **(given if isinstance(given, dict) else {})}

    def put(data: Data, answered: Data) -> Data:
        return {**data, "look": answered}

    return _edit_part(request, game, _("Look"), Look, row, put)


@require_safe_or_post
@open_game
def languages(request: Request, game: BookDraft) -> HttpResponse:
    """Choose the languages of the game's texts."""
    data = data_of(game)
    initial = {"languages": languages_of(data)}
    form = LanguagesForm(find_posted(request), initial=initial)
    status, error = INVALID if form.is_bound else OK, ""
    if form.is_valid():
        chosen = form.cleaned_data["languages"]
        changed = {**in_languages(data, chosen, languages_of(data)), "languages": chosen}
        status, error = _save_data(request, game, changed)
        if status == OK:
            return redirect(game)
    return show(request, game, "simple", status, form=form, title=_("Languages"), error=error)


@require_safe_or_post
@own_document
def publish(request: Request, document: Document) -> HttpResponse:
    """Show the changes and the gangs and campaigns that may want them, and publish."""
    status, error, unasked = OK, "", ""
    is_imported = isinstance(document, BookDraft) and document.imports.exists()
    if request.method == "POST" and is_imported and "may_share" not in request.POST:
        status, unasked = INVALID, describe(Refused("may_share"))
    elif request.method == "POST":
        seen = version_seen(request)
        status, error = attempt(document, lambda: store.publish(document, expected_version=seen))
    state = newest_state(document)
    if request.method == "POST" and state is not None and status == OK:
        sentence = _(
            "%(name)s, version %(number)s, is published. Choose it when you create a gang or "
            "start a campaign."
        )
        values = {"name": title_of(document), "number": state.number}
        messages.success(request, sentence % values)
        return redirect(document)
    checked = check(document)
    published = store.is_published(state, checked)
    if status == CONFLICT and published:
        return redirect(document)
    compared = book_of(state.pk) if state is not None else base_of(document)
    lines: list[Difference] = []
    if compared is not None:
        lines = differences(take_apart(compared), checked.written)
    touched = []
    if checked.book is not None:
        lines = between(compared, checked.book) if compared is not None else []
        digests = {*document.states.values_list("digest", flat=True)}
        digests |= {document.base_id} if isinstance(document, Variant) else set()
        touched = find_affected(frozenset(digests), checked.book, request.user)
    return show(
        request,
        document,
        "publish",
        status,
        checked=checked,
        state=state,
        compared=compared,
        differences=group_differences(checked.written, lines),
        affected=touched,
        number=next_number(document),
        error=error,
        is_imported=is_imported,
        unasked=unasked,
        can=checked.is_sound and not published,
    )


@require_POST
@open_document
def undo(request: Request, document: Document) -> HttpResponse:
    """Undo the last act on the document; with ``redo``, do again the act that was undone last."""
    seen, redoes = version_seen(request), "redo" in request.POST
    act = store.redo if redoes else store.undo
    _status, error = attempt(document, lambda: act(document, expected_version=seen))
    if error:
        messages.error(request, error)
    else:
        undone = _("The last change is undone. “Redo the undone change” brings it back.")
        redone = _("The change is back.")
        messages.success(request, redone if redoes else undone)
    return redirect(document)


@require_POST
@open_document
def restore(request: Request, document: Document, number: int) -> HttpResponse:
    """Return the document to a published state."""
    state: BookVersion = get_object_or_404(document.states.defer("canonical"), number=number)
    seen = version_seen(request)
    _status, error = attempt(
        document, lambda: store.restore(document, state, expected_version=seen)
    )
    if error:
        messages.error(request, error)
    else:
        messages.success(request, _("The draft is version %(number)s again.") % {"number": number})
    return redirect(document)


@require_safe_or_post
@own_variant
def version(request: Request, variant: Variant) -> HttpResponse:
    """Show the changes that fit the newest version of the base, and move the variant to it."""
    newer = newer_base(variant)
    if newer is None:
        return redirect(variant)

    def move() -> None:
        if request.POST.get("version") != newer.pk:
            raise Stale
        store.move(variant, newer, expected_version=version_seen(request))

    status, error = attempt(variant, move) if request.method == "POST" else (OK, "")
    if request.method == "POST" and status == OK:
        return redirect(variant)
    there = try_move(variant, newer)
    written, newest = there.checked.written, take_apart(book_of(newer.pk))
    # A lost change may concern a row that only the old version has.
    known = check(variant).written
    return show(
        request,
        variant,
        "version",
        status,
        newer=newer,
        error=error,
        lost=[misfit_text(known, misfit) for misfit in there.lost],
        unsound=[wrong_text(written, mistake) for mistake in there.checked.wrong],
        news=group_differences(newest, between(book_of(variant.base_id), book_of(newer.pk))),
        differences=group_differences(written, differences(newest, written)),
    )


@require_POST
@own_variant
def archive(request: Request, variant: Variant) -> HttpResponse:
    """Archive a variant, or take it back."""
    store.archive(variant, back="back" in request.POST)
    return redirect("editor:list")


@require_safe_or_post
@own_game
def share(request: Request, game: BookDraft) -> HttpResponse:
    """Let named people edit the game, or take that right from them."""
    removed = request.POST.get("remove", "")
    if request.method == "POST" and removed.isdecimal() and len(removed) < 10:
        store.unshare(game, int(removed))
        return redirect("editor:share", game.pk)
    form = ShareForm(find_posted(request))
    status, error = INVALID if form.is_bound else OK, ""
    if form.is_valid():
        name = form.cleaned_data["person"]
        status, error = attempt(game, lambda: store.share(game, name))
        if status == OK:
            return redirect("editor:share", game.pk)
    people = list(game.editors.order_by("name"))
    return show(request, game, "share", status, form=form, error=error, people=people)


@require_safe_or_post
@own_game
def delete(request: Request, game: BookDraft) -> HttpResponse:
    """Delete the game. Published versions stay for the gangs that use them."""
    if request.method == "POST":
        game.delete()
        return redirect("editor:list")
    return show(request, game, "delete")
