"""Template tags for the look and sign of a game, and for the reader's abbreviations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.language import language, rules_language
from common.wording.texts import OWN
from rules.book.model import Book
from rules.library import newest_books
from rules.models import BookVersion
from rules.reference_pages.search import Marked
from rules.stylesheet import STYLE_VERSION

register = template.Library()

# Where the context of a page has the version of its rulebook.
DIGESTS = (
    ("place", "digest"),
    ("gang", "book_version_id"),
    ("campaign", "book_version_id"),
    ("book", "digest"),
)
# The media for the colours by night. Prints have the colours by day.
NIGHT = {"dark": "screen", "system": "screen and (prefers-color-scheme: dark)"}


@register.filter
def lang_of(book: Book | str) -> SafeString:
    """The attribute ``lang`` for texts of a rulebook in another language than the page's; "" for
    others. ``book``: "" where a page has none."""
    if isinstance(book, str):
        return SafeString("")
    read = book.language_for(rules_language())
    return SafeString("") if is_same(read, language()) else format_html(' lang="{}"', read)


def is_same(read: str, page: str) -> bool:
    """Whether a rulebook's language is that of the page, or the page's is a variety of it."""
    return read in (page, page.partition("-")[0])


@register.filter
def night_media(theme: str) -> str:
    """The media that get the colours by night; ``theme``: light, dark or system; "" for none."""
    return NIGHT.get(theme, "")


@register.filter
def marked(parts: Marked) -> SafeString:
    """A text in pieces, with the words of a search marked."""
    shown = (format_html("<mark>{}</mark>" if sought else "{}", part) for part, sought in parts)
    return format_html_join("", "{}", ((part,) for part in shown))


@register.simple_tag(takes_context=True)
def look_links(context: Context) -> SafeString:
    """Links to the stylesheets of the game that this page is about, if there is one."""
    found = (getattr(context.get(name), field, None) for name, field in DIGESTS)
    digest = next(filter(None, found), None)
    if not isinstance(digest, str):
        return SafeString()
    return _links(context, STYLE_VERSION, lambda theme: reverse("rules:look", args=[digest, theme]))


@register.simple_tag(takes_context=True)
def looks_links(context: Context, books: Iterable[tuple[BookVersion, Book]]) -> SafeString:
    """Links to the stylesheets of these games, for a page that shows them side by side."""
    digests = " ".join(version.digest for version, _book in books)
    if not digests:
        return SafeString()
    state = sha256(f"{STYLE_VERSION} {digests}".encode()).hexdigest()[:12]
    return _links(context, state, lambda theme: reverse("rules:looks", args=[theme]))


def _links(context: Context, state: str, address: Callable[[str], str]) -> SafeString:
    """Links to a stylesheet by day, and to that by night unless the reader chose the day."""
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
    """A game's emblem in its own colours, as an ornament beside the game's name."""
    return format_html(
        '<svg class="sign" viewBox="0 0 32 32" aria-hidden="true">'
        '<path class="by-day" fill="{0}" fill-rule="evenodd" d="{2}"/>'
        '<path class="by-night" fill="{1}" fill-rule="evenodd" d="{2}"/></svg>',
        book.look.accent.light,
        book.look.accent.dark,
        book.look.emblem,
    )


@register.simple_tag
def offers_abbreviations(book: Book | None = None) -> bool:
    """Whether a rulebook (or any rulebook, if None) has abbreviations in the reader's language in
    place of those that it prints."""
    books = [book] if book else [book for _version, book in newest_books()]
    reader = rules_language()
    return any(book.language_for(reader) in book.own_abbreviations for book in books)


@register.simple_tag
def has_own_abbreviations() -> bool:
    """Whether the reader chose these abbreviations."""
    return rules_language().endswith(OWN)
