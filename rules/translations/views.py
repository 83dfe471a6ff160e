"""The pages of a rulebook's translations: everybody sees them, sends one and downloads one; the
game's owner, or an administrator, chooses those that readers see."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from accounts import notices, quotas
from accounts.language import name_language, rules_language
from common.errors import Stale
from common.forms import INVALID, OK, number, require_safe_or_post
from common.wording.texts import text_keys
from rules.book.model import Book
from rules.models import BookTranslation
from rules.translations.forms import TranslationForm, language_choices
from rules.translations.notices import PROPOSED, SHOWN
from rules.views import Place, find_place, page_context
from rules.words import store
from rules.words.po import write_translation
from rules.words.table import Word, find_words


@dataclass(frozen=True)
class Line:
    """A translation in a list. ``share``: of the game's words, in percent; ``by``: its author's
    name, "" for one that came with the game or whose author is gone."""

    row: BookTranslation
    name: str
    share: int
    by: str
    is_mine: bool


@login_not_required
@require_safe_or_post
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """The translations of a game; sending one."""
    place = find_place(request, slug=slug)
    if request.method == "POST" and not request.user.is_authenticated:
        raise Http404
    form = TranslationForm(
        *((request.POST, request.FILES) if request.method == "POST" else ()), book=place.book
    )
    if form.is_bound and form.is_valid():
        assert request.user.is_authenticated
        try:
            row = store.propose(request.user, slug, form.language, form.table)
        except quotas.QuotaFull as full:
            form.add_error("file", quotas.describe(full))
        else:
            notices.notify(
                store.deciders(slug),
                PROPOSED,
                {"game": place.book.name.first, "language": form.language},
                row.get_absolute_url(),
                except_for=request.user,
            )
            messages.success(request, _say_read(form))
            return redirect(row)
    is_deciding = _is_deciding(request, slug)
    context = {
        **page_context(place),
        "form": form,
        "lines": _lines(request, place, is_deciding=is_deciding),
        "choices": language_choices(place.book),
        "own_languages": ", ".join(map(name_language, place.book.languages)),
        "is_deciding": is_deciding,
    }
    status = INVALID if form.errors else OK
    return render(request, "rules/translations/page.html", context, status=status)


def _is_deciding(request: HttpRequest, slug: str) -> bool:
    return request.user.is_authenticated and store.may_decide(request.user, slug)


def _say_read(form: TranslationForm) -> str:
    """The sentence about a file that was read."""
    count = len(form.table)
    words = ngettext("%(count)s text was read.", "%(count)s texts were read.", count)
    said = words % {"count": count}
    if form.unknown:
        left = ngettext(
            "%(count)s is not in this game, and was left out.",
            "%(count)s are not in this game, and were left out.",
            form.unknown,
        )
        said = f"{said} {left % {'count': form.unknown}}"
    return said


def _lines(request: HttpRequest, place: Place, *, is_deciding: bool) -> list[Line]:
    words = find_words(place.book)
    rows = _visible(request, place.book.slug, is_deciding=is_deciding).select_related("author")
    return [
        Line(
            row,
            name_language(row.language),
            100 * sum(word in words for word in store.table_of(row)) // max(1, len(words)),
            str(row.author or ""),
            row.author_id == request.user.pk and row.author_id is not None,
        )
        for row in rows
    ]


def _visible(request: HttpRequest, slug: str, *, is_deciding: bool) -> QuerySet[BookTranslation]:
    """The translations that the reader may see: those shown, their own, and all if they decide."""
    rows = BookTranslation.objects.filter(rulebook=slug)
    if is_deciding:
        return rows
    if not request.user.is_authenticated:
        return rows.filter(is_shown=True)
    return rows.filter(Q(is_shown=True) | Q(author=request.user))


@login_not_required
@require_safe_or_post
def translation(request: HttpRequest, slug: str, translation_id: int) -> HttpResponse:
    """The words of a translation beside those of the game; showing, hiding or deleting it."""
    place = find_place(request, slug=slug)
    is_deciding = _is_deciding(request, slug)
    rows = _visible(request, slug, is_deciding=is_deciding).select_related("author")
    row = get_object_or_404(rows, pk=translation_id)
    is_mine = row.author_id is not None and row.author_id == request.user.pk
    if request.method == "POST":
        return _decide(request, place, row, is_deciding=is_deciding, is_mine=is_mine)
    table = store.table_of(row)
    found = find_words(place.book)
    reader = original_language(place.book)
    context = {
        **page_context(place),
        "row": row,
        "language": name_language(row.language),
        "pairs": [
            (one.text.root.get(reader, one.text.first), table.get(word, ""))
            for word, one in found.items()
        ],
        "original": reader,
        "count": sum(word in table for word in found),
        "total": len(found),
        "is_deciding": is_deciding,
        "may_delete": (is_mine and not row.is_shown) or (is_deciding and not row.is_shipped),
    }
    return render(request, "rules/translations/translation.html", context)


def original_language(book: Book) -> str:
    """The language of a rulebook itself, without translations, that this reader reads best."""
    found = (key for key in text_keys(rules_language()) if key in book.languages)
    return next(found, book.languages[0])


def _decide(
    request: HttpRequest, place: Place, row: BookTranslation, *, is_deciding: bool, is_mine: bool
) -> HttpResponse:
    """Show, hide or delete a translation, as the pressed button says. Raises Http404."""
    match request.POST.get("action"):
        case "show" if is_deciding:
            try:
                store.show(row)
            except Stale:
                raise Http404 from None
            notices.notify(
                [row.author],
                SHOWN,
                {"game": place.book.name.first, "language": row.language},
                row.get_absolute_url(),
                except_for=request.user if request.user.is_authenticated else None,
            )
            messages.success(request, _("Readers now see this translation."))
        case "hide" if is_deciding:
            store.hide(row)
            messages.success(request, _("Readers no longer see this translation."))
            return redirect("rules:translations", place.book.slug)
        case "delete" if (is_deciding and not row.is_shipped) or (is_mine and not row.is_shown):
            store.remove(row)
            messages.success(request, _("The translation is deleted."))
            return redirect("rules:translations", place.book.slug)
        case _:
            raise Http404
    return redirect(row)


@login_not_required
@require_safe
def download(request: HttpRequest, slug: str, language: str) -> HttpResponse:
    """Send the words of a game as a ``.po`` file, with the translation that readers see, or, with
    ``?of=`` and its number, with another that this reader may see. Raises Http404."""
    place = find_place(request, slug=slug)
    if language not in dict(language_choices(place.book)):
        raise Http404
    rows = _visible(request, slug, is_deciding=_is_deciding(request, slug))
    rows = rows.filter(language=language)
    wanted = number(request.GET.get("of"))
    row = rows.filter(is_shown=True) if wanted is None else rows.filter(pk=wanted)
    return _send(place.book, language, store.table_of(one) if (one := row.first()) else {})


@login_not_required
@require_safe
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Lead from the choice of a language to its file."""
    code = request.GET.get("language", "")[:12] or "xx"
    if not re.fullmatch(r"[a-zA-Z-]+", code):
        raise Http404
    return redirect("rules:words", slug, code)


def _send(book: Book, language: str, table: Mapping[Word, str]) -> HttpResponse:
    content = write_translation(book, language, table)
    response = HttpResponse(content, content_type="text/x-gettext-translation; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{book.slug}.{language}.po"'
    return response
