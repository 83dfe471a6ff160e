"""Template helpers: a rulebook's text in the reader's language, icons, forms that htmx sends."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from functools import cache

from django import template
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.language import rules_language
from gangs.engine.roster import Member
from gangs.engine.validation import Finding
from gangs.text import formats
from rules.book.model import Book
from rules.book.vocabulary import Text

# Of a word that is not the first.
CAPITAL = re.compile(r"(?<=\w[\s-])[A-Z](?=[a-z])")

register = template.Library()
register.filter("rules_name", formats.rules_name)
register.filter("with_unit", formats.with_unit)
register.filter("rating", formats.rating_with_unit)
register.filter("shown_name", lambda member, book: formats.shown_name(book, member))
register.filter("rank_name", lambda member, book: formats.rank_name(book, member))


@register.filter
def shown_names(members: Iterable[Member], book: Book) -> str:
    """What to call these members, one after the other."""
    return ", ".join(formats.shown_name(book, member) for member in members)


@register.filter
def translated(text: Text | Finding | str | None) -> str:
    """A rulebook's text, or a finding, in the reader's language; "" if there is none."""
    if isinstance(text, (Text, Finding)):
        return text.translated(rules_language())
    return text or ""


@register.filter
def sentence_case(title: str) -> str:
    """A title or a button of allauth's as ours are: an English one begins with its only capital,
    but for what is written in capitals altogether."""
    if "<" in title:
        return title
    title = " ".join(title.split())
    return CAPITAL.sub(lambda found: found[0].lower(), title) if get_language() == "en" else title


@register.filter
def of_what(name: object) -> str:
    """What comes behind a button's word for those who hear the page: whom or what it concerns."""
    return _(": %(name)s") % {"name": name}


@register.filter(expects_localtime=True)
def instant(at: datetime) -> str:
    """An instant for programs, to the second: HTML takes no finer ones."""
    return at.isoformat(timespec="seconds")


@register.simple_tag
@cache
def icon(name: str) -> SafeString:
    """An icon of the sprite, hidden from screen readers: words beside it say what it means.

    The sprite's address never changes while the process lives, so each icon is made once.
    """
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#{}"></use></svg>',
        static("icons.svg"),
        name,
    )


@register.simple_tag
def action_form(view: str, *args: object, target: str = "") -> SafeString:
    """The attributes of a form that htmx sends to ``view``, and the browser where there is none.

    The answer takes the place of the ``target``, or goes where a part of the page around the form
    says (``hx-target``, ``hx-swap``). What is pressed while one is under way waits for its turn
    (``changes.js``). The form's hidden fields (CSRF token, version) stay in its body.
    """
    swap = format_html(' hx-target="{}" hx-swap="outerHTML"', target) if target else ""
    return format_html(
        'method="post" action="{0}" hx-post="{0}"{1}', reverse(view, args=args), swap
    )
