"""The builder's page of a gang, and the answers to its owner's changes.

A change answers with what it changed: with htmx only the cards that differ and the summary bar,
otherwise the whole page.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from accounts.http import actor
from common import errors
from common.errors import Refusal
from common.forms import CONFLICT, INVALID, OK, form_token, number, version_seen
from gangs import hooks
from gangs.access import INVITATION
from gangs.builder import confirmations, density, parts
from gangs.builder.fields import fields_html
from gangs.builder.forms import MemberForm, PointsForm, RecruitForm
from gangs.builder.offer_lines import (
    Family,
    Picker,
    Search,
    archetype_offers,
    item_offers,
    trait_offers,
)
from gangs.cards.cache import computed_gang, page_of
from gangs.cards.values import Card, Page
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.ledger import writer
from gangs.models import Gang, place
from gangs.text.formats import refusal_sentence

Decision = Callable[[ComputedGang], list[Entry]]
ChangeForm = RecruitForm | MemberForm | PointsForm
# Where a session says that pickers show odds.
ODDS = "picker_odds"
# Stands for what every form of a page carries until the page's parts have been compared: it would
# make a difference to all of them.
STATE = mark_safe("<!--state-->")
# So many traits on offer are shown without being asked for.
FEW_TRAITS = 12


def page_context(
    request: HttpRequest,
    gang: Gang,
    *,
    opened: int | None = None,
    error: str = "",
    form: ChangeForm | None = None,
    search: Search | None = None,
    state: tuple[ComputedGang, Page] | None = None,
) -> dict[str, Any]:
    """Everything the builder page needs. ``opened``: the member whose card is open, and ``search``:
    what is looked at in their picker, which is open then; ``error``: why the last change was
    refused, shown where it was tried; ``form``: one to show again with what was typed; ``state``:
    another than the gang's of now."""
    computed, page = state or (computed_gang(gang), page_of(gang))
    recruit_form = form if isinstance(form, RecruitForm) else RecruitForm(computed)
    recruit_form.propose(request.GET.get("rank", ""))
    return part_context(request, gang, page) | {
        "opened": open_card(computed, page, opened, form, search, odds=shows_odds(request))
        if opened
        else None,
        "error": error,
        "recruit_fields": fields_html(recruit_form),
        "archetypes": archetype_offers(computed, recruit_form.on_offer),
        "invitation": None if computed.roster.campaigns else INVITATION.read(request),
        "campaigns": computed.roster.campaigns,
    }


def part_context(request: HttpRequest, gang: Gang, page: Page | None = None) -> dict[str, Any]:
    """What every part of the builder page needs; ``page``: another than the gang's of now."""
    page, token = page or page_of(gang), uuid.uuid4().hex
    return {
        "gang": gang,
        "book": gang.book,
        "base": gang.get_absolute_url(),
        "page": page,
        "rows": density.in_rows(request, len(page.cards)),
        "state": _state(request, gang, token),
        "fresh_token": token,
    }


def form_state(request: HttpRequest, gang: Gang) -> SafeString:
    """What every form of a page carries: the page's tokens, and the gang's version it shows."""
    return _state(request, gang, uuid.uuid4().hex)


def _state(request: HttpRequest, gang: Gang, token: str) -> SafeString:
    return format_html(
        '<input type="hidden" name="csrfmiddlewaretoken" value="{}">'
        '<input type="hidden" name="version" value="{}">'
        '<input type="hidden" name="token" value="{}">',
        get_token(request),
        gang.version,
        token,
    )


@dataclass(frozen=True)
class OpenCard:
    """What an open card needs beyond the card itself.

    ``points``: those to spread, if there are any; ``takers``: to whom things can be handed;
    ``search``: what is looked at in the picker, and ``offers`` what is in it, both None while
    it is closed.
    """

    id: int
    fields: SafeString
    points: PointsForm | None
    has_trait: bool
    traits: tuple[Family, ...]
    takers: tuple[tuple[int, str], ...]
    first: bool
    last: bool
    search: Search | None
    offers: Picker | None

    @property
    def trait_to_choose(self) -> bool:
        """Whether the traits are shown without being asked for: the first of a few."""
        lines = [line for family in self.traits for line in family.offers]
        free = any(not line.refusal for line in lines)
        return not self.has_trait and len(lines) <= FEW_TRAITS and free

    @property
    def no_trait(self) -> str:
        """Why none of the traits can be had, if that is the same for all: said before the list."""
        refusals = {family.refusal for family in self.traits}
        return refusals.pop() if len(refusals) == 1 else ""


def open_card(
    computed: ComputedGang,
    page: Page,
    member: int,
    form: ChangeForm | None = None,
    search: Search | None = None,
    *,
    odds: bool = False,
) -> OpenCard | None:
    """The open card of a member, None if they are gone. ``form``: what was typed into it; ``odds``:
    whether the picker shows them."""
    card = page.card(member)
    if card is None:
        return None
    typed = form if isinstance(form, MemberForm) else None
    spread = form if isinstance(form, PointsForm) else None
    subject = computed.roster.member(member)
    return OpenCard(
        id=member,
        fields=fields_html(typed or MemberForm(computed, subject)),
        points=(spread or PointsForm(card, computed.book)) if card.spreads_points else None,
        has_trait=bool(subject.traits),
        traits=trait_offers(computed, subject),
        takers=tuple((other.id, other.shown_name) for other in page.cards if other.id != member),
        first=page.cards[0].id == member,
        last=page.cards[-1].id == member,
        search=search,
        offers=None if search is None else item_offers(computed, subject, search, odds=odds),
    )


def change(
    request: HttpRequest,
    gang: Gang,
    decide: Decision,
    *,
    opened: int | None = None,
    form: ChangeForm | None = None,
) -> HttpResponse:
    """Carry out a decision about ``gang`` and answer with what changed, and with a word about it.

     ``decide`` gets the gang worked out; a Refusal of its is shown in words.
    ``form``: the one that decides, where what was typed stays if it is refused.
    """
    before = page_before(request, gang, opened)
    if form is not None and not form.is_valid():
        outcome = Outcome(status=INVALID)
    else:
        outcome = attempt(request, gang, decide)
    if isinstance(form, RecruitForm) and outcome.status != OK:
        form.offer(computed_gang(gang))
        if outcome.error:
            form.add_error(None, outcome.error)
    kept = None if outcome.status == OK else form
    anew = isinstance(form, RecruitForm)
    return answer(request, gang, before, outcome, opened=opened, form=kept, anew=anew)


@dataclass(frozen=True)
class Before:
    """The page as it is before a change; ``shown`` gives those parts of it that an answer may
    change, with their marks, None unless the reader has them before their eyes just like that."""

    page: Page
    shown: Callable[[], str] | None = None


def page_before(request: HttpRequest, gang: Gang, opened: int | None) -> Before | None:
    """The page before a change: only an answer that tells the difference needs it."""
    if not getattr(request, "htmx", False):
        return None
    page = page_of(gang)
    # Their page may be older, and the card that the change opens may be closed yet.
    known = [gang.version] if opened is None else [gang.version, opened]
    told = [version_seen(request)]
    if opened is not None:
        if number(request.POST.get("seen")) != gang.version:
            return Before(page)
        told.append(number(request.POST.get("opened")) or 0)
    if told != known:
        return Before(page)
    state = computed_gang(gang), page
    gang = copy(gang)

    def shown() -> str:
        search = _search(request)
        context = page_context(request, gang, opened=opened, search=search, state=state)
        card = page.card(opened) if opened is not None else None
        cards = (card,) if card is not None else ()
        context |= {"changed": Difference((), cards), "parted": True, "state": STATE}
        # Nobody knows what was done before: what is done now is said in any case, and nothing, too.
        context["done"] = "?"
        return render_to_string("gangs/builder/changed.html", context, request)

    return Before(page, shown)


def _search(request: HttpRequest) -> Search | None:
    """What is looked at in the picker, None while it is closed."""
    return searched(request.POST) if {"q", "buy"} & request.POST.keys() else None


@dataclass(frozen=True)
class Outcome:
    """What came of a change. ``error``: the words of a refusal; ``message``: what was done."""

    error: str = ""
    status: int = OK
    message: str = ""


def attempt(request: HttpRequest, gang: Gang, decide: Decision) -> Outcome:
    """Try to append what ``decide`` says."""
    try:
        computed = computed_gang(gang)
        entries = decide(computed)
        hooks.check_unlocked(gang, entries)
        message = confirmations.done(gang.book, computed.roster, entries)
        writer.append(
            gang,
            entries,
            expected_version=version_seen(request),
            actor=actor(request),
            token=form_token(request.POST, request.path),
        )
    except Refusal as refusal:
        # A second click finds the thing already done, and may be refused for that very reason.
        if writer.was_written(gang, form_token(request.POST, request.path)):
            return Outcome()
        return Outcome(refusal_sentence(refusal), INVALID)
    except errors.Stale:
        gang.refresh_from_db()
        return Outcome(stale_sentence(), CONFLICT)
    return Outcome(message=message)


def stale_sentence() -> str:
    """Why a change on an old page was not made."""
    return _(
        "This gang was changed elsewhere in the meantime. Nothing was overwritten: here is the "
        "latest version. Check it and try again."
    )


def answer(
    request: HttpRequest,
    gang: Gang,
    before: Before | None,
    outcome: Outcome,
    *,
    opened: int | None = None,
    form: ChangeForm | None = None,
    anew: bool = False,
) -> HttpResponse:
    """The page after a change, or with htmx what differs from the page ``before``, needed there.

    ``form``: one to show again with what was typed; ``anew``: the form for recruits begins anew.
    An open picker stays open.
    """
    htmx = getattr(request, "htmx", False)
    if outcome.status == OK and not htmx:
        if outcome.message:
            messages.success(request, outcome.message)
        return redirect(place(gang, opened))
    context = page_context(
        request,
        gang,
        opened=opened,
        error=outcome.error,
        form=form,
        search=_search(request),
    )
    if not htmx:
        return render(request, "gangs/builder/page.html", context, status=outcome.status)
    assert before is not None
    token = uuid.uuid4().hex
    context |= {
        "changed": difference(before.page, context["page"], opened),
        "done": outcome.message,
        "fresh_token": token,
        "parted": True,
        "anew": anew,
        "state": STATE,
    }
    html: str = render_to_string("gangs/builder/changed.html", context, request)
    if before.shown and outcome.status == OK:
        html = parts.difference(before.shown(), html)
    html = parts.without_marks(html).replace(STATE, _state(request, gang, token))
    return HttpResponse(html, status=outcome.status)


def shows_odds(request: HttpRequest) -> bool:
    """Whether the reader wants odds in pickers."""
    return bool(request.session.get(ODDS))


def searched(data: QueryDict) -> Search:
    """What is looked at in the picker."""
    return Search(data.get("q", "").strip()[:80], data.get("kind", ""))


@dataclass(frozen=True)
class Difference:
    """What of a page to send again. ``cards``: those that changed; ``added`` and ``removed``: who
    came and who left; ``stash``: whether that is another; ``all``: every card, in a new order."""

    added: tuple[Card, ...]
    cards: tuple[Card, ...] = ()
    removed: tuple[int, ...] = ()
    stash: bool = True
    all: bool = False


def difference(before: Page, after: Page, opened: int | None) -> Difference:
    """Which cards to send again. A new order of the same members means all of them."""
    old = {card.id: card for card in before.cards}
    names = [(card.id, card.shown_name) for card in after.cards]
    ids = [card.id for card in after.cards]
    stayed = [member for member in old if member in ids]
    added = tuple(card for card in after.cards if card.id not in old)
    # Whoever is new comes last, in a list that is there already.
    if not old or not ids or ids[: len(stayed)] != stayed:
        return Difference(added, all=True)
    return Difference(
        added,
        tuple(
            card
            for card in after.cards
            if card.id in old and (card != old[card.id] or card.id == opened)
        ),
        tuple(member for member in old if member not in ids),
        # What is in the stash can be handed to everybody by name.
        before.stash != after.stash
        or (bool(after.stash) and names != [(card.id, card.shown_name) for card in before.cards]),
    )
