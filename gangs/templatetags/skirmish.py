"""Template helpers: texts of the rulebook in the reader's language, icons, forms for htmx."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from pathlib import Path

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.language import rules_language
from common.units import add_unit
from common.wording.sentences import words_of
from gangs.engine.roster import HeldPlace, Member
from gangs.engine.validation import Finding
from gangs.text import formats
from rules.book.model import Book
from rules.book.vocabulary import Text
from rules.engine.costing import Points

# The capital of any word but the first.
CAPITAL = re.compile(r"(?<=\w[\s-])[A-Z](?=[a-z])")

STATIC = settings.BASE_DIR / "static"

register = template.Library()
register.filter("rules_name", formats.rules_name)
register.filter("with_unit", formats.with_unit)
register.filter("add_unit", add_unit)
register.filter("rating", formats.rating_with_unit)
register.filter("rank_name", lambda member, book: formats.rank_name(book, member))


@register.filter
def with_small_unit(amount: Points, unit: str) -> SafeString:
    """An amount with its unit in small letters."""
    before, found, after = formats.with_unit(amount, unit).partition(unit or "\n")
    return format_html("{}<small>{}</small>{}" if found else "{}", before, found, after)


@register.filter
def shown_name(member: Member | None, book: Book) -> str:
    """A member's name, or their rank if they have none; without a member, the gang."""
    return formats.shown_name(book, member) if member else _("The gang")


@register.filter
def place_name(place: HeldPlace, book: Book) -> str:
    """The players' own name for a holding, or the rulebook's."""
    return formats.localize(place.own_name(book))


@register.filter
def shown_names(members: Iterable[Member], book: Book) -> str:
    """The names or ranks of these members, separated by commas."""
    return ", ".join(formats.shown_name(book, member) for member in members)


@register.filter
def translated(text: Text | Finding | str | None) -> str:
    """A text, label or finding in the reader's language; "" if there is none."""
    return words_of(text, rules_language()) if text else ""


@register.filter
def illustrated(language: str, picture: str) -> str:
    """The path, without its ending, of a picture of the front page: in ``language``, or else in the
    site's first."""
    paths = (f"front/{picture}-{code}" for code in (language, settings.LANGUAGE_CODE))
    return next(path for path in paths if any((STATIC / path).parent.glob(f"{Path(path).name}.*")))


@register.filter
def sentence_case(title: str) -> str:
    """Change an English title of allauth's from title case to sentence case, like ours; words in
    all capitals stay."""
    if "<" in title:
        return title
    title = " ".join(title.split())
    return CAPITAL.sub(lambda found: found[0].lower(), title) if get_language() == "en" else title


@register.filter
def of_what(name: object) -> str:
    """The object of a button, after its label, for screen readers."""
    return _(": %(name)s") % {"name": name}


@register.filter(expects_localtime=True)
def instant(at: datetime) -> str:
    """A machine-readable time, to the second, which is the finest that HTML allows."""
    return at.isoformat(timespec="seconds")


@register.simple_tag
@cache
def icon(name: str) -> SafeString:
    """An icon of the sprite, hidden from screen readers, since there are words beside it.

    The sprite's address is constant within a process, so each icon is made once.
    """
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#{}"></use></svg>',
        static("icons.svg"),
        name,
    )


@register.simple_tag
def action_form(view: str, *args: object, target: str = "") -> SafeString:
    """The attributes of a form that htmx submits to ``view``, or the browser without htmx.

    The answer replaces the ``target``, or goes where an element around the form says
    (``hx-target``, ``hx-swap``). Further clicks wait for the answer (``changes.js``). The form's
    hidden fields (CSRF token, version) stay in its body.
    """
    swap = format_html(' hx-target="{}" hx-swap="outerHTML"', target) if target else ""
    return format_html(
        'method="post" action="{0}" hx-post="{0}"{1}', reverse(view, args=args), swap
    )
