"""Drafts of games: list, start, overview, names, languages, look, publish, share, delete."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import Request
from common.errors import Refusal
from common.forms import CONFLICT, INVALID, OK
from rules.book.vocabulary import Frozen
from rules.drafts import store
from rules.drafts.data import (
    languages_of,
    name_game,
    name_of,
    start_empty,
    start_from,
    take_apart_data,
)
from rules.drafts.forms import LOOK, LOOK_MODEL, Basics, LanguagesForm, ShareForm, StartForm
from rules.drafts.guide import FIRST, GROUPS, find_hint
from rules.drafts.page import attempt, find_posted, open_draft, own_draft, show, version_seen
from rules.drafts.refusals import describe
from rules.drafts.text import name_table
from rules.editor.places import SINGLES, Data, Written
from rules.editor.row_form import RowForm
from rules.editor.store import find_offered
from rules.editor.text import text_of
from rules.library import book_of, newest_books
from rules.models import BookDraft

read_or_post = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
def list_drafts(request: Request) -> HttpResponse:
    """List the games that the user writes, alone or with others."""
    drafts = list(BookDraft.objects.open_to(request.user).order_by("-changed_at")[:100])
    newest, listed = store.newest_numbers(drafts), store.listed_numbers(drafts)
    rows = [
        {
            "draft": draft,
            "name": text_of(name_of(store.data_of(draft))),
            "newest": newest.get(draft.pk),
            "listed": listed.get(draft.pk),
            "is_owner": draft.owner_id == request.user.pk,
        }
        for draft in drafts
    ]
    return render(request, "rules/drafts/list.html", {"rows": rows})


@read_or_post
def new(request: Request) -> HttpResponse:
    """Start a game, from an empty rulebook or as a copy of another."""
    offered = [*newest_books(), *find_offered(request.user)]
    books = [(version.pk, text_of(book.title.model_dump())) for version, book in offered]
    form = StartForm(find_posted(request), author=str(request.user), books=books)
    if form.is_valid():
        given = form.cleaned_data
        data = start_from(book_of(given["start"])) if given["start"] else start_empty()
        languages = given["languages"].split()
        data = name_game(data, given["slug"], given["name"], languages, given["author"])
        try:
            return redirect(store.start(request.user, data, token=given["token"]))
        except Refusal as refused:
            field = "slug" if "slug" in refused.code else "name"
            form.add_error(field, describe(refused))
    status = INVALID if form.is_bound else OK
    return render(request, "rules/drafts/new.html", {"form": form}, status=status)


@dataclass(frozen=True)
class TableLink:
    """A table of the draft. ``hint``: what it is for; ``count``: its rows; for a single value 1 if
    the game has it, or 0."""

    table: str
    label: str
    hint: str
    count: int
    is_single: bool = False


@dataclass(frozen=True)
class TableGroup:
    """Tables that answer one question. ``links``: those that the game uses, ``unused``: others."""

    question: str
    links: list[TableLink]
    unused: list[TableLink]


def _link(written: Written, table: str) -> TableLink:
    is_single = table in SINGLES
    count = int(table in written.singles) if is_single else len(written.rows(table))
    return TableLink(table, name_table(written, table), find_hint(table), count, is_single)


def _groups(written: Written) -> list[TableGroup]:
    """Return all tables in the order in which authors fill them. Those under FIRST stand with the
    used ones."""
    found = []
    for question, tables in GROUPS:
        links = [_link(written, table) for table in tables]
        used = [link for link in links if link.count or link.table in FIRST]
        unused = [link for link in links if link not in used]
        found.append(TableGroup(str(question), used, unused))
    return found


@require_safe
@open_draft
def edit(request: Request, draft: BookDraft) -> HttpResponse:
    """Show the parts of the game, and what is missing."""
    checked = store.check(draft)
    state = store.newest_state(draft)
    return show(
        request,
        draft,
        "page",
        groups=_groups(checked.written),
        state=state,
        listed=store.listed_numbers([draft]).get(draft.pk) if state else None,
        published=store.is_published(state, checked),
        sound=checked.is_sound,
    )


def _edit_part(
    request: Request,
    draft: BookDraft,
    title: str,
    model: type[Frozen],
    row: Data,
    put: Callable[[Data, Data], Data],
) -> HttpResponse:
    """Show or store a form for a part of the draft. ``put``: puts the answers into the data."""
    data, written = store.data_of(draft), take_apart_data(store.data_of(draft))
    form = RowForm("", model, written, row, find_posted(request), languages=languages_of(data))
    status, error = form.status, ""
    if form.is_valid():
        changed, seen = put(data, form.answered()), version_seen(request)
        status, error = attempt(draft, lambda: store.save(draft, changed, expected_version=seen))
        if status == OK:
            return redirect(draft)
    return show(request, draft, "part", status, form=form, title=title, error=error)


@read_or_post
@open_draft
def basics(request: Request, draft: BookDraft) -> HttpResponse:
    """Change the game's name, summary, author and words."""
    data = store.data_of(draft)
    row = {name: data.get(name) for name in Basics.model_fields}

    def put(data: Data, answered: Data) -> Data:
        kept = {name: value for name, value in answered.items() if value is not None}
        return {name: value for name, value in data.items() if name not in answered} | kept

    return _edit_part(request, draft, _("Name and words"), Basics, row, put)


@read_or_post
@open_draft
def look(request: Request, draft: BookDraft) -> HttpResponse:
    """Change the colours and drawings of the game's pages and prints."""
    given = store.data_of(draft).get("look")
    row = {**LOOK, **(given if isinstance(given, dict) else {})}

    def put(data: Data, answered: Data) -> Data:
        return {**data, "look": answered}

    return _edit_part(request, draft, _("Look"), LOOK_MODEL, row, put)


@read_or_post
@open_draft
def languages(request: Request, draft: BookDraft) -> HttpResponse:
    """Choose the languages of the game's texts."""
    data = store.data_of(draft)
    initial = {"languages": " ".join(sorted(languages_of(data)))}
    form = LanguagesForm(find_posted(request), initial=initial)
    status, error = INVALID if form.is_bound else OK, ""
    if form.is_valid():
        changed = {**data, "languages": form.cleaned_data["languages"].split()}
        seen = version_seen(request)
        status, error = attempt(draft, lambda: store.save(draft, changed, expected_version=seen))
        if status == OK:
            return redirect(draft)
    return show(request, draft, "simple", status, form=form, title=_("Languages"), error=error)


@read_or_post
@own_draft
def publish(request: Request, draft: BookDraft) -> HttpResponse:
    """Publish the draft as a numbered version."""
    status, error = OK, ""
    if request.method == "POST":
        seen = version_seen(request)
        status, error = attempt(draft, lambda: store.publish(draft, expected_version=seen))
    state = store.newest_state(draft)
    if request.method == "POST" and state is not None and status == OK:
        sentence = _("Version %(number)s is published. Choose it when you create a gang.")
        messages.success(request, sentence % {"number": state.number})
        return redirect(draft)
    checked = store.check(draft)
    published = store.is_published(state, checked)
    if status == CONFLICT and published:
        return redirect(draft)
    return show(
        request,
        draft,
        "publish",
        status,
        error=error,
        number=store.next_number(draft),
        can=checked.is_sound and not published,
    )


@read_or_post
@own_draft
def share(request: Request, draft: BookDraft) -> HttpResponse:
    """Let named people edit the draft, or take that right from them."""
    removed = request.POST.get("remove", "")
    if request.method == "POST" and removed.isdecimal() and len(removed) < 10:
        store.unshare(draft, int(removed))
        return redirect("drafts:share", draft.pk)
    form = ShareForm(find_posted(request))
    status, error = INVALID if form.is_bound else OK, ""
    if form.is_valid():
        name = form.cleaned_data["person"]
        status, error = attempt(draft, lambda: store.share(draft, name))
        if status == OK:
            return redirect("drafts:share", draft.pk)
    people = list(draft.editors.order_by("name"))
    return show(request, draft, "share", status, form=form, error=error, people=people)


@read_or_post
@own_draft
def delete(request: Request, draft: BookDraft) -> HttpResponse:
    """Delete the draft. Published versions stay for the gangs that use them."""
    if request.method == "POST":
        draft.delete()
        return redirect("drafts:list")
    return show(request, draft, "delete")
