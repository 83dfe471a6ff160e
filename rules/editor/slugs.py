"""The slug of a player's own game: unique on the site, and in the way of no address."""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver, resolve, reverse

from rules.library import shipped_folders
from rules.models import BookDraft, BookVersion

# Copies of one game that find a slug by themselves.
MOST_ALIKE = 50
FORM = re.compile(r"[a-z][a-z0-9-]{1,39}")


def is_free(slug: str) -> bool:
    """Whether no game on this site has this slug, and no game comes with it. At most two
    queries."""
    if slug in {folder.name for folder in shipped_folders()}:
        return False
    games = BookVersion.objects.rulebooks().filter(slug=slug)
    return not games.exists() and not BookDraft.objects.filter(slug=slug).exists()


def find_free(slug: str) -> str:
    """Return the slug, or it with the first number that makes it free; as it is if none does."""
    numbered = (slug, *(f"{slug[:36]}-{number}" for number in range(2, MOST_ALIKE)))
    return next((one for one in numbered if is_reachable(one) and is_free(one)), slug)


def is_reachable(slug: str) -> bool:
    """Whether every page of a game with this slug would have its own address.

    A game named "version" would not: other pages of the rules begin with that word.
    """
    if not FORM.fullmatch(slug):
        return False
    for name, arguments in _names_of_games():
        given = {"slug": slug} | {key: "play" for key in arguments if key != "slug"}
        if resolve(reverse(name, kwargs=given)).view_name != name:
            return False
    return True


def _names_of_games() -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the name and arguments of every address with a game's slug."""
    found = _names(get_resolver(), "", frozenset())
    return ((name, keys) for name, keys in found if "slug" in keys and keys <= {"slug", "key"})


def _names(
    resolver: URLResolver, prefix: str, above: frozenset[str]
) -> Iterator[tuple[str, frozenset[str]]]:
    for entry in resolver.url_patterns:
        keys = above | frozenset(entry.pattern.converters)
        if isinstance(entry, URLResolver):
            space = f"{prefix}{entry.namespace}:" if entry.namespace else prefix
            yield from _names(entry, space, keys)
        elif isinstance(entry, URLPattern) and entry.name:
            yield f"{prefix}{entry.name}", keys
