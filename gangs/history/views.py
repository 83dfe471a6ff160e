"""The history of a gang, and corrections of it: striking entries, or putting others in their place.

A preview shows the effects of a correction first; then one form carries it out."""

from __future__ import annotations

import uuid
from dataclasses import replace
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import actor
from common.errors import Refusal, Stale
from common.forms import (
    CONFLICT,
    INVALID,
    OK,
    ReasonForm,
    form_token,
    number,
    numbers,
    require_safe_or_post,
    version_seen,
)
from gangs import hooks
from gangs.access import View, correctable_gang, own_gang
from gangs.builder import confirmations
from gangs.builder.responses import (
    Outcome,
    answer,
    form_state,
    members_of,
    stale_sentence,
)
from gangs.engine.entries import KINDS, Entry, Played
from gangs.engine.errors import Misfit
from gangs.history.entry_form import ADDED, EntryForm, EntryMoment
from gangs.history.log import history_of, sentences_of
from gangs.history.preview import (
    PREFIX,
    Consequences,
    Plan,
    consequences,
    fates,
    is_harmless,
    plan_to_strike,
)
from gangs.ledger import writer
from gangs.ledger.revision import Insertion, find_undone, find_undone_last, instead
from gangs.ledger.storage import entries_of, read_entry, stored_book
from gangs.models import Gang, StoredEntry, Strike
from gangs.text.entries import Describer
from gangs.text.formats import refusal_sentence
from gangs.text.refusals import MISFITS

# Never part of the address that leads back to a form.
PASSING = ("csrfmiddlewaretoken", "version", "token", "sure", "reason")


def history_page(
    request: HttpRequest, gang: Gang, organiser: bool, error: str = "", status: int = OK
) -> HttpResponse:
    """A page of what happened, newest first, and one of the corrections.

    The address may have page numbers (``page``, ``corrections``), or an ``entry`` to show.
    """
    asked = request.GET
    context = {
        "gang": gang,
        "base": gang.get_absolute_url(),
        "history": history_of(
            gang, asked.get("page"), asked.get("corrections"), number(asked.get("entry"))
        ),
        "corrections_open": "corrections" in asked,
        "organiser": organiser,
        "error": error,
    }
    return render(request, "gangs/history/log.html", context, status=status)


def correction(view: View) -> View:
    """Decorate a view for people who may correct the gang. Refusals and stale pages lead to the
    page of the gang's history, which shows the message."""

    @correctable_gang(require_safe_or_post)
    @wraps(view)
    def answer(request: HttpRequest, gang: Gang, organiser: bool, **named: Any) -> HttpResponseBase:
        try:
            return view(request, gang, organiser, **named)
        except Misfit as misfit:
            error, status = _no_longer_fits(misfit), INVALID
        except Refusal as refusal:
            error, status = refusal_sentence(refusal), INVALID
        except Stale:
            gang.refresh_from_db()
            error, status = stale_sentence(), CONFLICT
        return history_page(request, gang, organiser, error, status)

    return answer


def carry_out(request: HttpRequest, plan: Plan) -> HttpResponse:
    """Preview the correction; carry it out once everything is decided. Raises Misfit, Refusal and
    Stale as ``gangs.ledger.writer.revise``."""
    gang = plan.gang
    posted = request.method == "POST"
    token = form_token(request.POST, request.path) if posted and plan.insert else None
    if posted and version_seen(request) != gang.version:
        if token and writer.was_written(gang, token):
            return _done(request, plan)
        raise Stale
    sure = "sure" in request.POST
    plan = replace(plan, fates=fates(request.POST))
    form = ReasonForm(request.POST if sure else None, required=plan.is_organiser)
    at_once = posted and plan.is_quick and not sure and not plan.is_organiser and is_harmless(plan)
    if not at_once:
        found = consequences(plan)
        if not sure or found.open or not form.is_valid():
            return _preview(request, plan, found, form, INVALID if sure else OK)
    writer.revise(
        gang,
        strike={*plan.strike, *plan.also},
        insert=plan.insert,
        undoes=plan.undoes,
        expected_version=version_seen(request),
        actor=actor(request),
        token=token,
        batch=plan.batch,
        reason=form.cleaned_data["reason"] if sure else "",
        by_organiser=plan.is_organiser,
    )
    return _done(request, plan)


def _done(request: HttpRequest, plan: Plan) -> HttpResponse:
    if plan.undoes is not None and plan.restore:
        messages.success(request, _("Restored."))
    elif plan.insert:
        messages.success(request, _("Corrected. You can undo it here."))
    else:
        messages.success(request, _("Undone. You can restore it here."))
    onward, seqs = _onward(request, plan.gang), [*plan.strike, *plan.restore]
    if seqs and onward == reverse("gangs:history", args=[plan.gang.pk]):
        # On its page, the correction can be taken back again.
        onward += f"?entry={min(seqs)}#entry-{min(seqs)}"
    return redirect(onward)


def _onward(request: HttpRequest, gang: Gang) -> str:
    """The next address: another correction of this gang that had to wait, or the history."""
    history = reverse("gangs:history", args=[gang.pk])
    wanted = request.POST.get("next") or request.GET.get("next", "")
    ours = wanted.startswith(history) and url_has_allowed_host_and_scheme(wanted, None)
    return wanted if ours else history


def _preview(
    request: HttpRequest, plan: Plan, found: Consequences, form: ReasonForm, status: int
) -> HttpResponse:
    context = {
        "gang": plan.gang,
        "base": plan.gang.get_absolute_url(),
        "plan": plan,
        "found": found,
        "form": form,
        "state": form_state(request, plan.gang),
        "hidden": [*plan.hidden, ("next", _onward(request, plan.gang))],
        "is_undecided": bool(found.open) and status == INVALID,
        "again": urlencode({"next": plan.again}),
    }
    return render(request, "gangs/history/correct.html", context, status=status)


@correctable_gang(require_safe)
def history(request: HttpRequest, gang: Gang, organiser: bool) -> HttpResponse:
    """Show the history, newest entries first."""
    return history_page(request, gang, organiser)


@own_gang(require_POST)
def undo(request: HttpRequest, gang: Gang) -> HttpResponseBase:
    """Take back the newest batch of entries, unless it is a post-game."""
    opened = number(request.POST.get("opened"))
    before = members_of(gang)
    last = gang.entries.live().latest("at", "seq")
    rows = entries_of(gang, last.batch)
    taken = [read_entry(row) for row in rows]
    try:
        if last.kind == "founded":
            raise Refusal("nothing_to_strike")
        game = next((entry for entry in taken if isinstance(entry, Played)), None)
        if game is not None:
            outcome = Outcome(_postgame_stays(gang, game, last), INVALID)
            return answer(request, gang, before, outcome, opened=opened)
        # Something in the place of an earlier entry: later games may depend on it.
        if last.place != last.seq and version_seen(request) == gang.version:
            plan = plan_to_strike(gang, False, [row.seq for row in rows])
            if not is_harmless(plan):
                return strike(request, gang=gang.pk, batch=last.batch)
        writer.strike(
            gang, last.batch, expected_version=version_seen(request), actor=actor(request)
        )
    except Refusal as refusal:
        outcome = Outcome(refusal_sentence(refusal), INVALID)
    except writer.Leftovers:
        return strike(request, gang=gang.pk, batch=last.batch)
    except Stale:
        gang.refresh_from_db()
        outcome = Outcome(stale_sentence(), CONFLICT)
    else:
        outcome = Outcome(message=confirmations.describe_undone(gang.book, gang.roster, taken))
    return answer(request, gang, before, outcome, opened=opened)


def _postgame_stays(gang: Gang, game: Played, last: StoredEntry) -> SafeString:
    """Return the sentence that one press does not take back a whole post-game, with a link to the
    place where it can be corrected."""
    history = reverse("gangs:history", args=[gang.pk])
    found = hooks.oversight.page_of_postgame(last.batch)
    return format_html(
        '{} <a class="alert-link" href="{}">{}</a>',
        _("Your last change was the post-game of “%(game)s”, which is not undone from here.")
        % {"game": game.title},
        found or f"{history}?entry={last.seq}#entry-{last.seq}",
        _("Open the post-game") if found else _("Open the history"),
    )


@own_gang(require_POST)
def redo(request: HttpRequest, gang: Gang) -> HttpResponseBase:
    """Restore the entries that the last press of Undo took back, unless something else has changed
    since."""
    opened = number(request.POST.get("opened"))
    before = members_of(gang)
    act = find_undone_last(gang)
    try:
        if version_seen(request) != gang.version:
            raise Stale
        if act is None:
            raise Refusal("nothing_to_redo")
        plan = _plan_to_restore(gang, False, act)
        if not is_harmless(plan):
            return restore(request, gang=gang.pk, act=act.pk)
        rows = gang.entries.filter(seq__in=plan.restore).order_by("place", "seq")
        back = [read_entry(row) for row in rows]
        message = confirmations.describe_done(gang.book, gang.roster, back)
        writer.revise(
            gang,
            strike=plan.strike,
            undoes=act,
            expected_version=version_seen(request),
            actor=actor(request),
        )
    except Refusal as refusal:
        outcome = Outcome(refusal_sentence(refusal), INVALID)
    except Misfit as misfit:
        outcome = Outcome(_no_longer_fits(misfit), INVALID)
    except Stale:
        gang.refresh_from_db()
        outcome = Outcome(stale_sentence(), CONFLICT)
    else:
        outcome = Outcome(message=message or _("Redone."))
    return answer(request, gang, before, outcome, opened=opened)


def _no_longer_fits(misfit: Misfit) -> str:
    return _("This no longer fits: %(why)s.") % {"why": MISFITS[misfit.code]}


@correction
def strike(request: HttpRequest, gang: Gang, organiser: bool, batch: uuid.UUID) -> HttpResponse:
    """Take back one batch of entries; those that would no longer fit are listed first."""
    seqs = [entry.seq for entry in entries_of(gang, batch)]
    plan = plan_to_strike(gang, organiser, seqs, quick=True)
    return carry_out(request, plan) if request.method == "POST" else redirect(plan.again)


@correction
def restore(request: HttpRequest, gang: Gang, organiser: bool, act: int) -> HttpResponse:
    """Take a correction back: restore the entries that it struck, strike those that it added."""
    strike = get_object_or_404(Strike, pk=act, gang=gang)
    return carry_out(request, _plan_to_restore(gang, organiser, strike))


def _plan_to_restore(gang: Gang, organiser: bool, act: Strike) -> Plan:
    """Plan to take a correction back. Raises Refusal as ``find_undone``."""
    undone = find_undone(gang, act)
    return Plan(
        gang=gang,
        is_organiser=organiser,
        strike=undone.strike,
        restore=undone.restore,
        again=reverse("gangs:restore", args=[gang.pk, act.pk]),
        undoes=act,
        exact=undone.exact,
        replayed=undone.replayed,
        is_quick=True,
    )


@correction
def correct(request: HttpRequest, gang: Gang, organiser: bool) -> HttpResponse:
    """Take back the entries that the address names, from any batch."""
    data = request.POST if request.method == "POST" else request.GET
    named = gang.entries.live().filter(seq__in=numbers(data, "strike"))
    standing = set(named.values_list("seq", flat=True))
    if not standing and request.method != "POST":
        return redirect("gangs:history", gang.pk)
    return carry_out(request, plan_to_strike(gang, organiser, sorted(standing)))


@correction
def edit(request: HttpRequest, gang: Gang, organiser: bool, seq: int) -> HttpResponse:
    """Put another entry in the place of one."""
    row = get_object_or_404(gang.entries, seq=seq)
    if row.struck_id is not None:
        if writer.was_written(gang, form_token(request.POST, request.path)):
            return redirect(_onward(request, gang))
        raise Stale
    form = None
    if KINDS[row.kind].editable:
        form = _form(request, EntryMoment.of(gang, row), row.kind, read_entry(row))
    if form is None or form.new_entry is None:
        return _entry_page(request, gang, organiser, form, sentences_of(gang, [seq])[seq])
    plan = _plan_to_enter(request, gang, organiser, form)
    strike, insert = instead(gang, row, form.new_entry)
    return carry_out(request, replace(plan, strike=strike, insert=insert, batch=row.batch))


@correction
def add(request: HttpRequest, gang: Gang, organiser: bool) -> HttpResponse:
    """Add an entry to the present gang, to put something right."""
    kind = request.POST.get("kind") or request.GET.get("kind", "")
    form = _form(request, EntryMoment.of(gang), kind, None) if kind in ADDED else None
    if form is None or form.new_entry is None:
        return _entry_page(request, gang, organiser, form)
    plan = _plan_to_enter(request, gang, organiser, form)
    return carry_out(request, replace(plan, insert=[Insertion(gang.last_seq + 1, form.new_entry)]))


def _form(request: HttpRequest, moment: EntryMoment, kind: str, entry: Entry | None) -> EntryForm:
    """The form, filled in again on coming back to it; ``new_entry`` is set once it is valid."""
    if request.method == "POST" and "back" not in request.POST:
        form = EntryForm(moment, kind, entry, request.POST)
        form.is_valid()
        return form
    typed = request.POST if request.method == "POST" else request.GET
    several = {"captors": typed.getlist("captors")} if "captors" in typed else {}
    return EntryForm(moment, kind, entry, initial={**typed.dict(), **several})


def _plan_to_enter(request: HttpRequest, gang: Gang, organiser: bool, form: EntryForm) -> Plan:
    """Plan the correction that the form's new entry begins. Raises Refusal if the gang is
    locked."""
    moment, entry = form.moment, form.new_entry
    assert entry is not None
    hooks.check_unlocked(gang, [entry])
    typed = request.POST.copy()
    # Without fields that belong to only one submission.
    for key in request.POST:
        if key in PASSING or key.startswith(PREFIX):
            del typed[key]
    return Plan(
        gang=gang,
        is_organiser=organiser,
        again=f"{request.path}?{typed.urlencode()}",
        added=Describer(moment.rules, moment.roster, stored_book).describe(entry),
    )


def _entry_page(
    request: HttpRequest,
    gang: Gang,
    organiser: bool,
    form: EntryForm | None,
    sentence: str = "",
) -> HttpResponse:
    """Show the form of an entry; without one, the kinds to choose from, or why there is none."""
    context = {
        "gang": gang,
        "base": gang.get_absolute_url(),
        "organiser": organiser,
        "form": form,
        "heading": ADDED.get(form.kind, "") if form else "",
        "sentence": sentence,
        "kinds": ADDED.items(),
        "state": form_state(request, gang),
        "next": _onward(request, gang),
    }
    bad = request.method == "POST" and "back" not in request.POST
    return render(request, "gangs/history/entry.html", context, status=INVALID if bad else OK)
