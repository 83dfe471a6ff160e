"""Correcting a gang's past: what would come of it is shown first; then one form does it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.http import actor
from gangs import holds, ledger
from gangs.access import correctable_gang_or_404
from gangs.chronicle import NOT_EDITED, history_of, sentences_of
from gangs.consequences import Consequences, Wish, consequences, fates
from gangs.correcting import Insertion, instead
from gangs.desk import CONFLICT, INVALID, OK, form_state, stale_sentence
from gangs.editing import ADDED, EntryForm, Moment
from gangs.entries import Entry
from gangs.fold import Misfit, in_force
from gangs.forms import form_token, numbers, version_seen
from gangs.models import Gang, Strike
from gangs.reason_form import ReasonForm
from gangs.refusal import Refusal
from gangs.stored import read, stored_book
from gangs.telling import Teller
from gangs.wording import MISFITS, refusal_sentence

# Never part of the address that leads back to a form.
PASSING = ("csrfmiddlewaretoken", "version", "token", "sure", "reason")


@dataclass(frozen=True)
class Plan:
    """A correction that somebody has begun.

    ``organiser``: of somebody else's gang, and so he says why. ``action``: where its form goes,
    with ``hidden`` fields; ``again``: the address that begins it anew. ``undoes``: the correction
    that it takes back; ``added``: the new entry as a sentence; ``quick``: it is done at once where
    nothing has to be decided.
    """

    gang: Gang
    organiser: bool
    wish: Wish
    action: str
    again: str
    hidden: tuple[tuple[str, str], ...] = ()
    undoes: Strike | None = None
    batch: uuid.UUID | None = None
    added: str = ""
    quick: bool = False


def history_page(
    request: HttpRequest, gang: Gang, organiser: bool, error: str = "", status: int = OK
) -> HttpResponse:
    """Everything that happened, newest first, and all corrections."""
    told = history_of(gang)
    context = {
        "gang": gang,
        "base": gang.get_absolute_url(),
        "batches": told.batches,
        "acts": told.acts,
        "organiser": organiser,
        "error": error,
    }
    return render(request, "gangs/history.html", context, status=status)


def carry_out(request: HttpRequest, plan: Plan) -> HttpResponse:
    """Show what the correction would bring about; do it once everything is decided."""
    gang = plan.gang
    posted = request.method == "POST"
    token = form_token(request.POST, request.path) if posted and plan.wish.insert else None
    if posted and version_seen(request) != gang.version:
        if token and ledger.was_written(gang, token):
            return _done(request, plan)
        return history_page(request, gang, plan.organiser, stale_sentence(), CONFLICT)
    sure = "sure" in request.POST
    plan = replace(plan, wish=replace(plan.wish, fates=fates(request.POST)))
    form = ReasonForm(request.POST if sure else None, required=plan.organiser)
    try:
        found = consequences(gang, plan.wish)
        at_once = posted and plan.quick and not plan.organiser and not found.choices
        if form.is_valid() and not found.open if sure else at_once:
            _write(request, plan, form.cleaned_data["reason"] if sure else "", token)
            return _done(request, plan)
    except Misfit as misfit:
        sentence = _("This no longer fits: %(why)s.") % {"why": MISFITS[misfit.code]}
        return history_page(request, gang, plan.organiser, sentence, INVALID)
    except Refusal as refusal:
        return history_page(request, gang, plan.organiser, refusal_sentence(refusal), INVALID)
    except ledger.Stale:
        gang.refresh_from_db()
        return history_page(request, gang, plan.organiser, stale_sentence(), CONFLICT)
    return _preview(request, plan, found, form, INVALID if sure else OK)


def _write(request: HttpRequest, plan: Plan, reason: str, token: str | None) -> None:
    seen, by = version_seen(request), actor(request)
    wish = plan.wish
    if plan.undoes is not None:
        ledger.restore(
            plan.gang,
            plan.undoes,
            seen=seen,
            actor=by,
            reason=reason,
            by_organiser=plan.organiser,
            strike=wish.also,
        )
        return
    ledger.revise(
        plan.gang,
        strike={*wish.strike, *wish.also},
        insert=wish.insert,
        seen=seen,
        actor=by,
        token=token,
        batch=plan.batch,
        reason=reason,
        by_organiser=plan.organiser,
    )


def _done(request: HttpRequest, plan: Plan) -> HttpResponse:
    if plan.undoes is not None and plan.wish.restore:
        messages.success(request, _("It stands again."))
    elif plan.wish.insert:
        messages.success(request, _("Corrected. It can be taken back from here."))
    else:
        messages.success(request, _("Taken back. It can be put back from here."))
    return redirect(_onward(request, plan.gang))


def _onward(request: HttpRequest, gang: Gang) -> str:
    """Where it goes on: to another correction of this gang that had to wait, or to the history."""
    history = reverse("gangs:history", args=[gang.pk])
    wanted = request.POST.get("next") or request.GET.get("next", "")
    ours = wanted.startswith(history) and url_has_allowed_host_and_scheme(wanted, None)
    return wanted if ours else history


def _preview(
    request: HttpRequest, plan: Plan, found: Consequences, form: ReasonForm, status: int
) -> HttpResponse:
    told = sentences_of(plan.gang)
    moved = {each.number for each in plan.wish.insert[1:]}
    numbers = dict(plan.gang.entries.values_list("seq", "number"))
    onward = _onward(request, plan.gang)
    context = {
        "gang": plan.gang,
        "base": plan.gang.get_absolute_url(),
        "plan": plan,
        "found": found,
        "struck": [told[seq] for seq in sorted(plan.wish.strike) if numbers[seq] not in moved],
        "restored": [told[seq] for seq in sorted(plan.wish.restore)],
        "form": form,
        "state": form_state(request, plan.gang),
        "hidden": [*plan.hidden, ("next", onward)],
        "misfits": any(choice.must for choice in found.choices),
        "undecided": bool(found.open) and status == INVALID,
        "again": urlencode({"next": plan.again}),
    }
    return render(request, "gangs/correct.html", context, status=status)


def plan_to_strike(gang: Gang, organiser: bool, seqs: list[int], *, quick: bool = False) -> Plan:
    """The correction that strikes these entries. Raises Refusal if a game would lose its place
    without what it brought: that goes as a whole."""
    listed = [("strike", str(seq)) for seq in seqs]
    address = reverse("gangs:correct", args=[gang.pk])
    games = gang.entries.live().filter(seq__in=seqs, kind="played").values("batch")
    if gang.entries.live().filter(batch__in=games).exclude(seq__in=seqs).exists():
        raise Refusal("game_goes_whole")
    return Plan(
        gang=gang,
        organiser=organiser,
        wish=Wish(strike=tuple(seqs)),
        action=address,
        again=f"{address}?{urlencode(listed)}",
        hidden=tuple(listed),
        quick=quick,
    )


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def correct(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Take any entries back that the address names, whoever brought them."""
    found, organiser = correctable_gang_or_404(request, gang)
    data = request.POST if request.method == "POST" else request.GET
    named = found.entries.live().filter(seq__in=numbers(data, "strike"))
    standing = set(named.values_list("seq", flat=True))
    if not standing and request.method != "POST":
        return redirect("gangs:history", found.pk)
    try:
        plan = plan_to_strike(found, organiser, sorted(standing))
    except Refusal as refusal:
        return history_page(request, found, organiser, refusal_sentence(refusal), INVALID)
    return carry_out(request, plan)


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, gang: uuid.UUID, seq: int) -> HttpResponse:
    """Put another entry in the place of one that stands."""
    found, organiser = correctable_gang_or_404(request, gang)
    row = get_object_or_404(found.entries, seq=seq)
    address = reverse("gangs:edit-entry", args=[found.pk, seq])
    if row.struck_id is not None:
        if ledger.was_written(found, form_token(request.POST, request.path)):
            return redirect(_onward(request, found))
        return history_page(request, found, organiser, stale_sentence(), CONFLICT)
    if row.kind in NOT_EDITED:
        return _entry_page(request, found, organiser, None, sentences_of(found)[seq])
    moment = Moment.before(found, row)
    form = _form(request, moment, row.kind, read(row))
    if form.made is None:
        return _entry_page(request, found, organiser, form, sentences_of(found)[seq])
    strike, insert = instead(found, row, form.made)
    plan = Plan(
        gang=found,
        organiser=organiser,
        wish=Wish(strike=tuple(strike), insert=tuple(insert)),
        action=address,
        again=f"{address}?{_typed(request.POST).urlencode()}",
        hidden=_hidden(request.POST),
        batch=row.batch,
        added=_told(moment, form.made),
    )
    return _held_or(request, plan, form.made)


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Add an entry to the gang as it stands, to put something right."""
    found, organiser = correctable_gang_or_404(request, gang)
    kind = request.POST.get("kind") or request.GET.get("kind", "")
    if kind not in ADDED:
        return _entry_page(request, found, organiser, None)
    moment = Moment.now(found)
    form = _form(request, moment, kind, None)
    if form.made is None:
        return _entry_page(request, found, organiser, form)
    address = reverse("gangs:add-entry", args=[found.pk])
    plan = Plan(
        gang=found,
        organiser=organiser,
        wish=Wish(insert=(Insertion(found.last_seq + 1, form.made),)),
        action=address,
        again=f"{address}?{_typed(request.POST).urlencode()}",
        hidden=_hidden(request.POST),
        added=_told(moment, form.made),
    )
    return _held_or(request, plan, form.made)


def _form(request: HttpRequest, moment: Moment, kind: str, entry: Entry | None) -> EntryForm:
    """The form, with what was typed before if one comes back to it; ``made`` once it is right."""
    if request.method == "POST" and "back" not in request.POST:
        form = EntryForm(moment, kind, entry, request.POST)
        form.is_valid()
        return form
    typed = request.POST if request.method == "POST" else request.GET
    return EntryForm(moment, kind, entry, initial=typed.dict())


def _held_or(request: HttpRequest, plan: Plan, made: Entry) -> HttpResponse:
    """Go on, unless something holds the gang."""
    try:
        holds.check(plan.gang, [made])
    except Refusal as refusal:
        error = refusal_sentence(refusal)
        return history_page(request, plan.gang, plan.organiser, error, INVALID)
    return carry_out(request, plan)


def _typed(data: QueryDict) -> QueryDict:
    """What was typed into a form, without what belongs to one sending of it."""
    typed = data.copy()
    for key in list(typed):
        if key in PASSING or key.startswith("entry-"):
            del typed[key]
    return typed


def _hidden(data: QueryDict) -> tuple[tuple[str, str], ...]:
    typed = _typed(data)
    typed.pop("next", None)
    return tuple((key, value) for key, values in typed.lists() for value in values)


def _told(moment: Moment, entry: Entry) -> str:
    """The new entry as a sentence."""
    book = in_force(moment.first_book, moment.roster, stored_book)
    return Teller(book, moment.roster, stored_book).tell(entry)


def _entry_page(
    request: HttpRequest,
    gang: Gang,
    organiser: bool,
    form: EntryForm | None,
    sentence: str = "",
) -> HttpResponse:
    """The form of an entry; without one, the kinds to choose from, or why there is none."""
    context = {
        "gang": gang,
        "base": gang.get_absolute_url(),
        "organiser": organiser,
        "form": form,
        "kind": form.kind if form else "",
        "heading": ADDED.get(form.kind, "") if form else "",
        "sentence": sentence,
        "kinds": ADDED.items(),
        "state": form_state(request, gang),
        "next": _onward(request, gang),
    }
    bad = request.method == "POST" and "back" not in request.POST
    return render(request, "gangs/entry.html", context, status=INVALID if bad else OK)
