"""Template tag for the choice of the languages in which a reader reads rulebooks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import template
from django.conf import settings
from django.template import Context

from accounts.language import chosen_reads, name_language
from rules.book.model import Book
from rules.words.store import translated_languages

register = template.Library()

# Languages that one form offers, the second for rulebooks without the first.
PLACES = 2


@register.inclusion_tag("_reads.html", takes_context=True)
def reading_form(context: Context, book: Book | None = None) -> dict[str, Any]:
    """The form for the languages of rulebooks: those of the site, of translations, of ``book``, and
    those that the reader chose before."""
    chosen = chosen_reads()
    own = book.languages if book else ()
    codes = dict.fromkeys([*dict(settings.LANGUAGES), *translated_languages(), *own, *chosen])
    places = [*chosen, *[""] * PLACES][: max(PLACES, len(chosen))]
    return {
        "request": context["request"],
        "csrf_token": context.get("csrf_token"),
        "chosen": list(enumerate(places, 1)),
        "options": [(code, name_language(code)) for code in codes],
    }


@register.filter
def language_names(codes: Iterable[str]) -> str:
    """The reader's names of languages, with commas between them."""
    return ", ".join(map(name_language, codes))
