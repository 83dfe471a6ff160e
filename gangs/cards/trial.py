"""Builds a ready-made gang of a rulebook that is still being written, without storing anything."""

from __future__ import annotations

import uuid

from django.template.loader import render_to_string

from gangs.cards.groups import gather_cards
from gangs.cards.render import render
from gangs.cards.sheet import item_rows, legend, ranks, shows_house
from gangs.engine import actions
from gangs.engine.computed import ComputedGang
from gangs.engine.errors import Misfit
from gangs.engine.fold import fold
from gangs.models import GangView
from gangs.text.formats import with_unit
from rules.book.model import Book, Sample
from rules.hooks import TrialGang

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
    below = {
        "book": book,
        "legend": legend(book, language),
        "ranks": ranks(computed, language),
        "house": shows_house(book, page),
    }
    context = {
        "book": book,
        "gang": GangView(NOWHERE, roster.name, "", "", {}),
        "shared_by": "",
        "page": page,
        "groups": gather_cards(computed, page),
        "stash": item_rows(page.stash),
        "innate": item_rows(page.innate),
        "notes": render_to_string("gangs/cards/_sheet_legend.html", below),
    }
    rating = f"{page.rating_name} {with_unit(page.rating, page.rating_unit)}"
    findings = tuple((line.severity, line.text) for line in page.findings)
    sheet = render_to_string("gangs/cards/_sheet_members.html", context)
    return TrialGang(roster.name, sheet, rating if page.rating_name else "", findings)
