"""Shows ready-made gangs without storing anything: one of a rulebook that is still being written,
and a legal one for people who do not know the game."""

from __future__ import annotations

import uuid
from typing import Any

from django.template.loader import render_to_string

from gangs.cards.groups import gather_cards
from gangs.cards.render import render
from gangs.cards.sheet import item_rows, legend, ranks, shows_house
from gangs.cards.values import Page
from gangs.engine import actions
from gangs.engine.computed import ComputedGang
from gangs.engine.errors import Misfit
from gangs.engine.first_gangs import find_first_gang
from gangs.engine.fold import fold
from gangs.engine.ready_made import found_ready_made
from gangs.models import GangView
from gangs.text.formats import with_unit
from rules.book.model import Book, Sample
from rules.hooks import FirstGang, TrialGang

# A gang without a row, and so without pictures.
NOWHERE = uuid.UUID(int=0)


def try_out(book: Book, sample: Sample, language: str) -> TrialGang | None:
    """Build the gang and render its sheet; None if its entries do not fit the rulebook."""
    try:
        roster = fold(book, enumerate(actions.found_from_sample(book, sample), start=1))
    except (Misfit, KeyError):
        return None
    computed = ComputedGang.of(book, roster)
    page = render(computed, language)
    context = {**_sheet(computed, page, language), "groups": gather_cards(computed, page)}
    findings = tuple((line.severity, line.text) for line in page.findings)
    sheet = render_to_string("gangs/cards/_sheet_members.html", context)
    return TrialGang(roster.name, sheet, _describe_rating(page), findings)


def show_first_gang(book: Book, language: str) -> FirstGang | None:
    """Render a legal gang, card by card; None if the rulebook has none and none can be put
    together."""
    sample = find_first_gang(book)
    if sample is None:
        return None
    computed = found_ready_made(book, sample)
    page = render(computed, language)
    context = _sheet(computed, page, language)
    places = {member.id: place for place, member in enumerate(computed.roster.members)}
    cards = tuple(
        (
            frozenset(places[member] for member in group.members),
            render_to_string("gangs/cards/_sheet_card.html", {**context, "group": group}),
        )
        for group in gather_cards(computed, page)
    )
    return FirstGang(sample, cards, len(page.cards), _describe_rating(page), context["notes"])


def _sheet(computed: ComputedGang, page: Page, language: str) -> dict[str, Any]:
    """The context of a sheet, without its groups."""
    book, name = computed.book, computed.roster.name
    below = {
        "book": book,
        "legend": legend(book, language),
        "ranks": ranks(computed, language),
        "house": shows_house(book, page),
    }
    return {
        "book": book,
        "gang": GangView(NOWHERE, name, "", "", {}),
        "shared_by": "",
        "page": page,
        "stash": item_rows(page.stash),
        "innate": item_rows(page.innate),
        "notes": render_to_string("gangs/cards/_sheet_legend.html", below),
    }


def _describe_rating(page: Page) -> str:
    """The worth of a gang in words; "" in a game without one."""
    rating = f"{page.rating_name} {with_unit(page.rating, page.unit_beside)}"
    return rating if page.rating_name else ""
