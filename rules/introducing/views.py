"""The introduction to a game: a legal gang, the odds of an attack, and the shape of a campaign."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from accounts.language import rules_language
from rules import hooks
from rules.bounds.kept import keep_within
from rules.introducing.attack import describe_attack
from rules.introducing.shape import describe_shape
from rules.library import book_of
from rules.views import find_place

# Letters of introductions that a process keeps.
MOST_LETTERS_DRAWN = 2_000_000
# Cards that are seen without a press.
SHOWN = 2


@dataclass(frozen=True)
class Introduction:
    """A game for people who do not know it. ``sample``: its key, "" without a gang; ``body``: the
    page below its head, which is the same for every reader of this language."""

    sample: str
    body: str


@keep_within(MOST_LETTERS_DRAWN, lambda one: len(one.body))
def _introduce(digest: str, language: str, base: str) -> Introduction:
    """The introduction to a rulebook in one language, drawn once, since a version never changes."""
    book = book_of(digest)
    gang = hooks.gangs.first_gang(book, language)
    attack = describe_attack(book, gang.sample) if gang else None
    cards = gang.cards if gang else ()
    # The two of the attack come first.
    fighting = set(attack.places if attack else ())
    ordered = sorted(cards, key=lambda card: not card[0] & fighting)
    parts = {
        "book": book,
        "base": base,
        "gang": gang,
        "first": [card for _places, card in ordered[:SHOWN]],
        "others": [card for _places, card in ordered[SHOWN:]],
        "attack": attack,
        "shape": describe_shape(book, language),
    }
    body = render_to_string("rules/_introduction.html", parts)
    return Introduction(gang.sample.key if gang else "", body)


@login_not_required
@require_safe
def page(request: HttpRequest, **where: str) -> HttpResponse:
    """Show a game to people who do not know it: a legal gang on its cards, the odds of an attack,
    and the shape of a campaign; a press makes the gang the reader's."""
    place = find_place(request, **where)
    shown = _introduce(place.digest, rules_language(), place.base)
    version = "" if place.newest else f"?version={place.digest}"
    context = {
        "place": place,
        "book": place.book,
        "base": place.base,
        "shown": shown,
        "version": version,
        # An earlier version is only for gangs that use it already.
        "is_open": not place.earlier or bool(place.book.variant),
        # Only their author can start a campaign with the rules of a player.
        "may_start": place.newest or (place.author is not None and place.author == request.user.pk),
        "token": uuid.uuid4().hex,
    }
    return render(request, "rules/introduction.html", context)
