"""The look of the game that a page is about, a game's sign, and which abbreviations one reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from hashlib import sha256

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.language import language, rules_language
from rules.book.model import Book
from rules.library import newest_books
from rules.models import BookVersion
from rules.reference_pages.search import Marked
from rules.stylesheet import STYLE_VERSION

register = template.Library()

# Where a page holds on to the version of a rulebook that it is about.
HELD = (
    ("place", "digest"),
    ("gang", "book_version_id"),
    ("campaign", "book_version_id"),
    ("book", "digest"),
)
# When the colours by night are wanted. Prints are by day.
NIGHT = {"dark": "screen", "system": "screen and (prefers-color-scheme: dark)"}


@register.filter
def night_media(theme: str) -> str:
    """The media in which it is night under ``theme``: light, dark or system; "" in none."""
    return NIGHT.get(theme, "")


@register.filter
def marked(parts: Marked) -> SafeString:
    """A text in pieces, with what was looked for marked."""
    shown = (format_html("<mark>{}</mark>" if sought else "{}", part) for part, sought in parts)
    return format_html_join("", "{}", ((part,) for part in shown))


@register.simple_tag(takes_context=True)
def look_links(context: Context) -> SafeString:
    """Links to the stylesheets of the game that this page is about; nothing on a page of none."""
    found = (getattr(context.get(name), field, None) for name, field in HELD)
    digest = next(filter(None, found), None)
    if not isinstance(digest, str):
        return SafeString()
    return _linked(context, STYLE_VERSION, partial(_look_address, digest))


@register.simple_tag(takes_context=True)
def looks_links(context: Context, books: Iterable[tuple[BookVersion, Book]]) -> SafeString:
    """Links to the stylesheets of all these games, for a page that shows them beside each other."""
    digests = " ".join(version.digest for version, _book in books)
    if not digests:
        return SafeString()
    state = sha256(f"{STYLE_VERSION} {digests}".encode()).hexdigest()[:12]
    return _linked(context, state, lambda theme: reverse("rules:looks", args=[theme]))


def _look_address(digest: str, theme: str) -> str:
    return reverse("rules:look", args=[digest, theme])


def _linked(context: Context, state: str, address: Callable[[str], str]) -> SafeString:
    """Links to a stylesheet by day, and to the one by night where night may be wanted."""
    sheets = [("light", SafeString())]
    if night := night_media(str(context.get("theme", "system"))):
        sheets.append(("dark", format_html(' media="{}"', night)))
    return format_html_join(
        "\n  ",
        '<link rel="stylesheet" href="{}?{}"{}>',
        ((address(theme), state, media) for theme, media in sheets),
    )


@register.simple_tag
def sign(book: Book) -> SafeString:
    """A game's emblem in its own colours, on a page that may show several games; only an ornament,
    beside the game's name."""
    look = book.look
    return format_html(
        '<svg class="sign" viewBox="0 0 32 32" aria-hidden="true">'
        '<path class="by-day" fill="{}" fill-rule="evenodd" d="{}"/>'
        '<path class="by-night" fill="{}" fill-rule="evenodd" d="{}"/></svg>',
        look.accent.light,
        look.emblem,
        look.accent.dark,
        look.emblem,
    )


@register.simple_tag
def offers_abbreviations(book: Book | None = None) -> bool:
    """Whether a rulebook, or any that is here, can be had with abbreviations of the reader's own
    language in place of those it prints."""
    books = [book] if book else [book for _version, book in newest_books()]
    return any(language() in book.own_abbreviations for book in books)


@register.simple_tag
def has_own_abbreviations() -> bool:
    """Whether the reader has them."""
    return rules_language() != language()
