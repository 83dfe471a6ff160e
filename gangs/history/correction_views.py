"""Correcting a gang's past: what would come of it is shown first; then one form does it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.http import actor
from common import errors
from common.errors import Refusal
from common.forms import CONFLICT, INVALID, OK, ReasonForm, form_token, numbers, version_seen
from gangs import hooks
from gangs.access import correctable_gang_or_404
from gangs.builder.responses import form_state, stale_sentence
from gangs.engine.entries import KINDS, Entry
from gangs.engine.fold import Misfit
from gangs.history.entry_form import ADDED, EntryForm, Moment
from gangs.history.log import history_of, sentences_of
from gangs.history.preview import PREFIX, Consequences, Wish, consequences, fates
from gangs.ledger import writer
from gangs.ledger.revision import Insertion, instead
from gangs.ledger.storage import read, stored_book
from gangs.models import Gang, Strike
from gangs.text.entries import Describer
from gangs.text.formats import MISFITS, refusal_sentence

# Never part of the address that leads back to a form.
PASSING = ("csrfmiddlewaretoken", "version", "token", "sure", "reason")


@dataclass(frozen=True)
class Plan:
    """A correction that somebody has begun.

    ``organiser``: of somebody else's gang, and so they say why. ``action``: where its form goes,
    with ``hidden`` fields; ``again``: the address that begins it again. ``undoes``: the correction
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
    history = history_of(gang)
    context = {
        "gang": gang,
        "base": gang.get_absolute_url(),
        "batches": history.batches,
        "acts": history.acts,
        "organiser": organiser,
        "error": error,
    }
    return render(request, "gangs/history/log.html", context, status=status)


def carry_out(request: HttpRequest, plan: Plan) -> HttpResponse:
    """Show what the correction would bring about; do it once everything is decided."""
    gang = plan.gang
    posted = request.method == "POST"
    token = form_token(request.POST, request.path) if posted and plan.wish.insert else None
    if posted and version_seen(request) != gang.version:
        if token and writer.was_written(gang, token):
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
    except errors.Stale:
        gang.refresh_from_db()
        return history_page(request, gang, plan.organiser, stale_sentence(), CONFLICT)
    return _preview(request, plan, found, form, INVALID if sure else OK)


def _write(request: HttpRequest, plan: Plan, reason: str, token: str | None) -> None:
    wish = plan.wish
    writer.revise(
        plan.gang,
        strike={*wish.strike, *wish.also},
        insert=wish.insert,
        undoes=plan.undoes,
        expected_version=version_seen(request),
        actor=actor(request),
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
    sentences = sentences_of(plan.gang)
    moved = {each.number for each in plan.wish.insert[1:]}
    numbers = dict(plan.gang.entries.values_list("seq", "number"))
    onward = _onward(request, plan.gang)
    context = {
        "gang": plan.gang,
        "base": plan.gang.get_absolute_url(),
        "plan": plan,
        "found": found,
        "struck": [sentences[seq] for seq in sorted(plan.wish.strike) if numbers[seq] not in moved],
        "restored": [sentences[seq] for seq in sorted(plan.wish.restore)],
        "form": form,
        "state": form_state(request, plan.gang),
        "hidden": [*plan.hidden, ("next", onward)],
        "misfits": any(choice.must for choice in found.choices),
        "undecided": bool(found.open) and status == INVALID,
        "again": urlencode({"next": plan.again}),
    }
    return render(request, "gangs/history/correct.html", context, status=status)


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
    if row.struck_id is not None:
        if writer.was_written(found, form_token(request.POST, request.path)):
            return redirect(_onward(request, found))
        return history_page(request, found, organiser, stale_sentence(), CONFLICT)
    if not KINDS[row.kind].editable:
        return _entry_page(request, found, organiser, None, sentences_of(found)[seq])
    form = _form(request, Moment.before(found, row), row.kind, read(row))
    if form.made is None:
        return _entry_page(request, found, organiser, form, sentences_of(found)[seq])
    strike, insert = instead(found, row, form.made)
    wish = Wish(strike=tuple(strike), insert=tuple(insert))
    return _carry_out_entry(request, found, organiser, form, wish, row.batch)


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Add an entry to the gang as it stands, to put something right."""
    found, organiser = correctable_gang_or_404(request, gang)
    kind = request.POST.get("kind") or request.GET.get("kind", "")
    if kind not in ADDED:
        return _entry_page(request, found, organiser, None)
    form = _form(request, Moment.now(found), kind, None)
    if form.made is None:
        return _entry_page(request, found, organiser, form)
    wish = Wish(insert=(Insertion(found.last_seq + 1, form.made),))
    return _carry_out_entry(request, found, organiser, form, wish)


def _form(request: HttpRequest, moment: Moment, kind: str, entry: Entry | None) -> EntryForm:
    """The form, with what was typed before if one comes back to it; ``made`` once it is right."""
    if request.method == "POST" and "back" not in request.POST:
        form = EntryForm(moment, kind, entry, request.POST)
        form.is_valid()
        return form
    typed = request.POST if request.method == "POST" else request.GET
    several = {"captors": typed.getlist("captors")} if "captors" in typed else {}
    return EntryForm(moment, kind, entry, initial={**typed.dict(), **several})


def _carry_out_entry(
    request: HttpRequest,
    gang: Gang,
    organiser: bool,
    form: EntryForm,
    wish: Wish,
    batch: uuid.UUID | None = None,
) -> HttpResponse:
    """Go on with the entry that was typed into the form, unless something holds the gang."""
    moment, made = form.moment, form.made
    assert made is not None
    try:
        hooks.check_unlocked(gang, [made])
    except Refusal as refusal:
        return history_page(request, gang, organiser, refusal_sentence(refusal), INVALID)
    typed = request.POST.copy()
    # Without what belongs to one sending of it.
    for key in request.POST:
        if key in PASSING or key.startswith(PREFIX):
            del typed[key]
    again = f"{request.path}?{typed.urlencode()}"
    typed.pop("next", None)
    plan = Plan(
        gang=gang,
        organiser=organiser,
        wish=wish,
        action=request.path,
        again=again,
        hidden=tuple((key, value) for key, values in typed.lists() for value in values),
        batch=batch,
        added=Describer(moment.rules, moment.roster, stored_book).describe(made),
    )
    return carry_out(request, plan)


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
    return render(request, "gangs/history/entry.html", context, status=INVALID if bad else OK)
