"""The builder: recruit, name, equip. Every change answers with what it changed."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import wraps

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from common.errors import Refusal
from common.forms import INVALID, number
from gangs.access import own_gang_or_404
from gangs.builder.forms import AboutForm, MemberForm, RecruitForm
from gangs.builder.offer_lines import item_offers
from gangs.builder.responses import (
    attempt,
    change,
    form_state,
    open_card,
    page_context,
    searched,
)
from gangs.cards.cache import computed_gang, page_of
from gangs.engine import actions
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.models import Gang, place

Decide = Callable[[ComputedGang, int, QueryDict, int], list[Entry]]


@login_not_required
@require_safe
def builder(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """The gang's page for its owner."""
    found = own_gang_or_404(request, gang, with_newest=True)
    opened = number(request.GET.get("open"))
    return render(request, "gangs/builder/page.html", page_context(request, found, opened=opened))


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def about(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Name, notes and options of the gang."""
    found = own_gang_or_404(request, gang)
    roster = found.roster
    initial = {"name": roster.name, "notes": roster.notes}
    form = AboutForm(found.book, roster, request.POST or None, initial=initial)
    context: dict[str, object] = {"gang": found, "form": form, "state": form_state(request, found)}
    if request.method != "POST":
        return render(request, "gangs/builder/about.html", context)
    if not form.is_valid():
        return render(request, "gangs/builder/about.html", context, status=INVALID)
    settings = form.chosen_settings()
    name, notes = form.cleaned_data["name"], form.cleaned_data["notes"]

    def decide(computed: ComputedGang, next_id: int) -> list[Entry]:
        return actions.change_gang(computed, name=name, notes=notes, settings=settings)

    outcome = attempt(request, found, decide)
    if outcome.error:
        # The state as it is by now: who has read the message may send what they typed again.
        context |= {"error": outcome.error, "state": form_state(request, found)}
        return render(request, "gangs/builder/about.html", context, status=outcome.status)
    return redirect(found)


@login_not_required
@require_POST
def members(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Recruit."""
    found = own_gang_or_404(request, gang)
    form = RecruitForm(computed_gang(found), request.POST)
    return change(request, found, form.entries, form=form)


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def member(request: HttpRequest, gang: uuid.UUID, member: int) -> HttpResponseBase:
    """One member's card, open; or their name, profession and notes changed."""
    found = own_gang_or_404(request, gang)
    if request.method == "POST":
        return _describe(request, found, member)
    opened = None if "closed" in request.GET else member
    if not getattr(request, "htmx", False):
        return redirect(place(found, opened))
    computed, page = computed_gang(found), page_of(found)
    card = page.card(member)
    if card is None:
        return render(request, "gangs/builder/_gone.html")
    context = {
        "gang": found,
        "book": found.book,
        "base": found.get_absolute_url(),
        "page": page,
        "card": card,
        "opened": open_card(computed, page, member) if opened else None,
        "state": form_state(request, found),
    }
    return render(request, "gangs/builder/_member.html", context)


def _describe(request: HttpRequest, gang: Gang, member: int) -> HttpResponse:
    computed = computed_gang(gang)
    try:
        subject = computed.roster.member(member)
    except KeyError:
        return change(request, gang, _gone)
    form = MemberForm(computed, subject, request.POST)
    return change(request, gang, form.entries, opened=member, form=form)


def _gone(computed: ComputedGang, next_id: int) -> list[Entry]:
    raise Refusal("gone")


def _action(*, stays_open: bool) -> Callable[[Decide], Callable[..., HttpResponse]]:
    """A view that carries out what a function makes of the gang, one of its members, the form that
    was sent and the number of the next entry. ``stays_open``: the member's card does."""

    def decorate(decide: Decide) -> Callable[..., HttpResponse]:
        @login_not_required
        @require_POST
        @wraps(decide)
        def view(request: HttpRequest, gang: uuid.UUID, member: int) -> HttpResponse:
            return change(
                request,
                own_gang_or_404(request, gang),
                lambda computed, next_id: decide(computed, member, request.POST, next_id),
                opened=member if stays_open else None,
            )

        return view

    return decorate


@_action(stays_open=True)
def points(computed: ComputedGang, member: int, data: QueryDict, _next_id: int) -> list[Entry]:
    """Spread points: ``change`` is a characteristic and +1 or -1, as "str:1"."""
    key, _colon, amount = data.get("change", "").partition(":")
    return actions.spread_points(computed, member, key, {"1": 1, "-1": -1}.get(amount, 0))


@_action(stays_open=True)
def traits(computed: ComputedGang, member: int, data: QueryDict, _next_id: int) -> list[Entry]:
    """Take a trait, or drop one."""
    if "drop" in data:
        return actions.drop_trait(computed, member, data.get("drop", ""))
    return actions.take_trait(computed, member, data.get("take", ""))


@_action(stays_open=True)
def place_in_list(
    computed: ComputedGang, member: int, data: QueryDict, _next_id: int
) -> list[Entry]:
    """Move a member up or down in the list."""
    return actions.reorder(computed, member, -1 if data.get("to") == "up" else 1)


@_action(stays_open=False)
def dismissal(computed: ComputedGang, member: int, _data: QueryDict, _next_id: int) -> list[Entry]:
    """Send a member away."""
    return actions.dismiss(computed, member)


@_action(stays_open=False)
def double(computed: ComputedGang, member: int, _data: QueryDict, next_id: int) -> list[Entry]:
    """Recruit another like this member."""
    return actions.duplicate(computed, member, next_id)


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def items(request: HttpRequest, gang: uuid.UUID, member: int) -> HttpResponse:
    """The picker of a member; or buy for them."""
    return _picker(request, own_gang_or_404(request, gang), member)


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def stash(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """The picker for the stash; or buy for it."""
    return _picker(request, own_gang_or_404(request, gang), None)


def _picker(request: HttpRequest, gang: Gang, member: int | None) -> HttpResponse:
    if request.method == "POST":
        key = request.POST.get("buy", "")
        return change(
            request,
            gang,
            lambda computed, _: actions.buy(computed, member, key),
            opened=member,
        )
    computed, page = computed_gang(gang), page_of(gang)
    card = page.card(member) if member is not None else None
    if member is not None and card is None:
        return redirect(gang)
    holder = computed.roster.member(member) if member is not None else None
    wanted = searched(request.GET)
    context = {
        "gang": gang,
        "base": gang.get_absolute_url(),
        "page": page,
        "card": card,
        "wanted": wanted,
        "address": reverse("gangs:items", args=[gang.pk, member])
        if member
        else reverse("gangs:stash", args=[gang.pk]),
        "offers": item_offers(computed, holder, wanted),
        "state": form_state(request, gang),
    }
    part = "#offers" if getattr(request, "htmx", False) else ""
    return render(request, f"gangs/builder/picker.html{part}", context)


@login_not_required
@require_POST
def item(request: HttpRequest, gang: uuid.UUID, item: int) -> HttpResponse:
    """Hand an item to a member, put it in the stash, or give it away."""
    found = own_gang_or_404(request, gang)
    to = request.POST.get("to", "")

    def decide(computed: ComputedGang, next_id: int) -> list[Entry]:
        if to == "away":
            return actions.discard(computed, item)
        if to != "stash" and number(to) is None:
            raise Refusal("gone")
        return actions.move(computed, item, number(to))

    return change(request, found, decide, opened=number(request.POST.get("opened")))
