"""The odds page of a game."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from common.forms import INVALID, OK
from rules.engine.odds import HOPELESS
from rules.odds.asking import Asked, Reader
from rules.odds.chances import Patience, Question
from rules.odds.results import Result, result
from rules.odds.suggesting import name_needs
from rules.views import find_place, page_context

# The time for comparisons in a request that nobody waits for, in seconds.
MORE_PATIENCE = 1.0


@login_not_required
@require_safe
def page(request: HttpRequest, **where: str) -> HttpResponse:
    """Show the odds that the address asks for, and the form to ask for others."""
    place = find_place(request, **where)
    book = place.book
    context = {**page_context(place), "chapter": {"key": "odds"}}
    if not book.usual.rolls:
        return render(request, "rules/odds/page.html", context)
    asked = Reader(request, book, place.digest).read()
    # An incomplete page requests its result once more by itself, with more patience.
    more = request.headers.get("HX-Target") == "odds-result"
    found, problem = _answer(asked, Patience(MORE_PATIENCE) if more else Patience())
    address = f"{place.base}odds/"
    share = f"{address}?{asked.query}" if asked.query else address
    context |= {
        "asked": asked,
        "result": found,
        "problem": problem,
        "more": more,
        "address": address,
        "share": share,
    }
    htmx = getattr(request, "htmx", False)
    part = "#odds" if htmx else ""
    status = OK if asked.valid else INVALID
    response = render(request, f"rules/odds/page.html{part}", context, status=status)
    # The completed result may arrive after the reader has changed the form.
    if htmx and asked.valid and not more:
        response["HX-Replace-Url"] = share
    return response


def _answer(asked: Asked, patience: Patience) -> tuple[Result | None, str]:
    """Return the result, or the reason why there is none."""
    question = asked.question
    if question is None or (obstacle := find_obstacle(question)):
        return None, obstacle if question else say_mistyped()
    weapons = next((party.compared for party in asked.parties if party.prefix == "by"), {})
    return result(question, weapons.values(), patience), ""


def say_mistyped() -> str:
    """The sentence for a question with mistakes."""
    return _("Correct the marked fields to see the odds.")


def find_obstacle(question: Question) -> str:
    """The reason why a roll has no odds, "" if it has some. Works them out."""
    if not question.usable:
        impossible = _(
            "This roll is not possible like this: choose another weapon, figure or state."
        )
        needs = ", ".join(name_needs(question.rules, question.roll))
        depends = _("It depends on: %(what)s.") % {"what": needs}
        return f"{impossible} {depends}" if needs else impossible
    try:
        question.odds  # noqa: B018
    except HOPELESS:
        return _("These odds cannot be worked out.")
    return ""
