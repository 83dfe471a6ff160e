"""The builder's page of a gang, and the answers to its owner's changes.

The answer to every change is the updated page. htmx gets only the region that changes can affect,
from the same template.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from accounts.http import actor
from common import errors
from common.errors import Refusal
from common.forms import CONFLICT, INVALID, OK, form_token, version_seen
from gangs import hooks
from gangs.access import INVITATION
from gangs.builder import confirmations, density
from gangs.builder.forms import RecruitForm
from gangs.builder.panels import (
    ChangeForm,
    holding_offers,
    open_card,
    read_open_cards,
    recruiting,
)
from gangs.cards.cache import computed_gang, page_of
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.ledger import writer
from gangs.ledger.revision import find_undone_last
from gangs.models import Gang, place
from gangs.text.formats import refusal_sentence

# The id of the region that every answer replaces.
REGION = "builder"
Decision = Callable[[ComputedGang], list[Entry]]


def page_context(
    request: HttpRequest,
    gang: Gang,
    *,
    opened: int | None = None,
    error: str = "",
    form: ChangeForm | None = None,
    done: str = "",
    recruit: int | None = None,
    may_redo: bool | None = None,
) -> dict[str, Any]:
    """The template context of the builder page.

    ``opened``: the member whose card is open; ``error``: why the last change was refused, shown
    beside its place; ``form``: one to show again with the user's input; ``done``: the confirmation
    of the last change; ``recruit``: the member whom it added; ``may_redo``: whether it was an
    undoing that can be taken back (None: one query finds out).
    """
    context = part_context(request, gang)
    cards = {card.id: card for card in context["page"].cards}
    open_cards = {
        member: open_card(
            request,
            gang,
            cards[member],
            search,
            form=form if member == opened else None,
            error=error if member == opened else "",
        )
        for member, search in read_open_cards(request, opened).items()
        if member in cards
    }
    typed = form if isinstance(form, RecruitForm) else None
    campaigns = gang.roster.campaigns
    return context | {
        "opened": opened if opened in cards else None,
        "open_cards": open_cards,
        "error": "" if opened in cards else error,
        "done": done,
        "recruit": recruit,
        "may_redo": find_undone_last(gang) is not None if may_redo is None else may_redo,
        "recruiting": recruiting(gang, request.GET.get("rank", ""), typed),
        "invitation": None if campaigns else INVITATION.read(request),
        "campaigns": campaigns,
        "page_menu": "gangs/builder/_menu.html",
        # For visitors, who sign in to keep this gang.
        "back_to": f"?next={gang.get_absolute_url()}",
        "holding_offers": holding_offers(gang),
    }


def part_context(request: HttpRequest, gang: Gang) -> dict[str, Any]:
    """The context for parts of the builder page, without open cards and without a change."""
    page = page_of(gang)
    return {
        "gang": gang,
        "book": gang.book,
        "base": gang.get_absolute_url(),
        "page": page,
        "rows": density.in_rows(request, len(page.cards)),
        "state": form_state(request, gang),
        "open_cards": {},
    }


def form_state(request: HttpRequest, gang: Gang) -> SafeString:
    """The hidden fields of every form: the page's tokens and the version of the gang."""
    return format_html(
        '<input type="hidden" name="csrfmiddlewaretoken" value="{}">'
        '<input type="hidden" name="version" value="{}">'
        '<input type="hidden" name="token" value="{}">',
        get_token(request),
        gang.version,
        uuid.uuid4().hex,
    )


def change(
    request: HttpRequest,
    gang: Gang,
    decide: Decision,
    *,
    opened: int | None = None,
    form: ChangeForm | None = None,
    called: str = "",
) -> HttpResponse:
    """Carry out a decision about ``gang`` and answer with the updated page.

    ``decide``: makes the entries, or raises a Refusal that the page shows; ``form``: the form that
    decides, shown again with the user's input if it is refused; ``called``: as in
    ``confirmations.describe_done``.
    """
    before = members_of(gang)
    if form is not None and not form.is_valid():
        outcome = Outcome(status=INVALID)
    else:
        outcome = attempt(request, gang, decide, called)
    if isinstance(form, RecruitForm) and outcome.status != OK:
        form.offer(computed_gang(gang))
        if outcome.error:
            form.add_error(None, outcome.error)
    kept = None if outcome.status == OK else form
    return answer(request, gang, before, outcome, opened=opened, form=kept)


def members_of(gang: Gang) -> frozenset[int]:
    """The ids of the gang's members."""
    return frozenset(member.id for member in gang.roster.members)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a change. ``error``: the sentence of a refusal; ``message``: of a success;
    ``may_redo``: as ``page_context`` takes it."""

    error: str = ""
    status: int = OK
    message: str = ""
    may_redo: bool | None = None


def attempt(request: HttpRequest, gang: Gang, decide: Decision, called: str = "") -> Outcome:
    """Try to append the entries that ``decide`` returns. ``called``: as in
    ``confirmations.describe_done``."""
    try:
        computed = computed_gang(gang)
        entries = decide(computed)
        hooks.check_unlocked(gang, entries)
        message = confirmations.describe_done(gang.book, computed.roster, entries, called)
        writer.append(
            gang,
            entries,
            expected_version=version_seen(request),
            actor=actor(request),
            token=form_token(request.POST, request.path),
        )
    except Refusal as refusal:
        # The second of two clicks may be refused because the first one has succeeded.
        if writer.was_written(gang, form_token(request.POST, request.path)):
            return Outcome()
        return Outcome(refusal_sentence(refusal), INVALID)
    except errors.Stale:
        gang.refresh_from_db()
        return Outcome(stale_sentence(), CONFLICT)
    return Outcome(message=message, may_redo=False if entries else None)


def stale_sentence() -> str:
    """The sentence for a change on an outdated page."""
    return _(
        "This gang was changed elsewhere in the meantime. Nothing was overwritten: here is the "
        "latest version. Check it and try again."
    )


def answer(
    request: HttpRequest,
    gang: Gang,
    before: Container[int],
    outcome: Outcome,
    *,
    opened: int | None = None,
    form: ChangeForm | None = None,
) -> HttpResponse:
    """The page after a change; htmx gets its region, which is morphed into the reader's page
    (``morph.js``).

    ``before``: the ids of the members before the change; ``form``: one to show again with the
    user's input. Open cards and pickers stay open.
    """
    htmx: HtmxDetails | None = getattr(request, "htmx", None)
    # A picker on a separate page has no region, so its changes are shown on the gang's page.
    if htmx and htmx.target not in (None, REGION):
        messages.add_message(
            request,
            messages.ERROR if outcome.error else messages.SUCCESS,
            outcome.error or outcome.message,
        )
        return HttpResponseClientRedirect(place(gang, opened))
    if outcome.status == OK and not htmx:
        if outcome.message:
            messages.success(request, outcome.message)
        return redirect(place(gang, opened))
    added = (member.id for member in gang.roster.members if member.id not in before)
    context = page_context(
        request,
        gang,
        opened=opened,
        error=outcome.error,
        form=form,
        done=outcome.message,
        recruit=next(added, None),
        may_redo=outcome.may_redo,
    )
    part = "#region" if htmx else ""
    return render(request, f"gangs/builder/page.html{part}", context, status=outcome.status)
