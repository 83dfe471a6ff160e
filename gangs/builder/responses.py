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
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.http import actor
from common import errors
from common.errors import Refusal
from common.forms import CONFLICT, INVALID, OK, form_token, number, version_seen
from gangs import hooks
from gangs.access import INVITATION
from gangs.builder import confirmations, density, parts
from gangs.builder.forms import RecruitForm
from gangs.builder.offer_lines import Search
from gangs.builder.panels import ChangeForm, open_card, panel, recruiting
from gangs.cards.cache import computed_gang, page_of
from gangs.cards.values import Card, Page
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.ledger import writer
from gangs.models import Gang, place
from gangs.text.formats import refusal_sentence

# What ``parts.ANEW`` stands for where a form begins anew.
BEGINS_ANEW = " data-anew"
Decision = Callable[[ComputedGang], list[Entry]]


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
    context = part_context(request, gang, page)
    context["opened"] = None
    if opened:
        context["opened"] = open_card(
            request, context, computed, opened, form=form, search=search, error=error
        )
    typed = form if isinstance(form, RecruitForm) else None
    looked_at = opened, context["rows"]
    return context | {
        "error": error,
        "recruit": recruiting(context, computed, request.GET.get("rank", ""), typed),
        "summary": panel("gangs/builder/_summary.html", context, (opened,)),
        "findings": panel("gangs/builder/_findings.html", context, looked_at),
        "stash": panel("gangs/builder/_stash.html", context),
        "invitation": None if computed.roster.campaigns else INVITATION.read(request),
        "campaigns": computed.roster.campaigns,
    }


def part_context(request: HttpRequest, gang: Gang, page: Page | None = None) -> dict[str, Any]:
    """What every part of the builder page needs; ``page``: another than the gang's of now."""
    page, token = page or page_of(gang), uuid.uuid4().hex
    state = _state(request, gang, token)
    return {
        "gang": gang,
        "book": gang.book,
        "base": gang.get_absolute_url(),
        "page": page,
        "rows": density.in_rows(request, len(page.cards)),
        "signs": {parts.STATE: state, parts.TOKEN: token, parts.ANEW: "", parts.DONE: ""},
        "state": state,
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
        # Nobody knows what was done before: its sign stays, so that what is done now is said in any
        # case, and nothing, too.
        context |= {"changed": Difference((), cards), "parted": True}
        context["signs"] = {parts.ANEW: ""}
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
    # What is kept of the gang as it was makes room for what it is.
    was = before.shown() if before and before.shown and outcome.status == OK else ""
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
    signs, state = context["signs"], context["state"]
    changed = difference(before.page, context["page"], opened)
    said = {"done": outcome.message, "new": next(iter(changed.added), None)}
    done = render_to_string("gangs/builder/_done.html", context | said)
    signs |= {parts.STATE: parts.STATE, parts.DONE: done, parts.ANEW: BEGINS_ANEW if anew else ""}
    context |= {"changed": changed, "parted": True, "state": parts.STATE}
    html: str = render_to_string("gangs/builder/changed.html", context, request)
    if was:
        html = parts.difference(was, html)
    html = parts.without_marks(html).replace(parts.STATE, state)
    return HttpResponse(html, status=outcome.status)


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
