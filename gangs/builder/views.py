"""The builder: recruit, name, equip. Every change answers with what it changed."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from gangs import acts
from gangs.access import own_gang_or_404
from gangs.desk import (
    INVALID,
    Outcome,
    answer,
    attempt,
    change,
    desk,
    form_state,
    item_lines,
    open_card,
    place,
    searched,
)
from gangs.drawn import page_of, scene_of
from gangs.entries import Entry
from gangs.forms import AboutForm, MemberForm, RecruitForm, number
from gangs.models import Gang
from gangs.refusal import Refusal
from gangs.scene import Scene


@login_not_required
@require_safe
def builder(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """The gang's page for its owner."""
    found = own_gang_or_404(request, gang, with_newest=True)
    opened = number(request.GET.get("open"))
    return render(request, "gangs/builder.html", desk(request, found, opened=opened))


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
        return render(request, "gangs/about.html", context)
    if not form.is_valid():
        return render(request, "gangs/about.html", context, status=INVALID)
    settings = form.chosen_settings()
    name, notes = form.cleaned_data["name"], form.cleaned_data["notes"]

    def decide(scene: Scene, next_id: int) -> list[Entry]:
        return acts.change_gang(scene, name=name, notes=notes, settings=settings)

    outcome = attempt(request, found, decide)
    if outcome.error:
        # The state as it is by now: who has read the message may send what he typed again.
        context |= {"error": outcome.error, "state": form_state(request, found)}
        return render(request, "gangs/about.html", context, status=outcome.status)
    return redirect(found)


@login_not_required
@require_POST
def members(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Recruit."""
    found = own_gang_or_404(request, gang)
    before = page_of(found)
    form = RecruitForm(scene_of(found), request.POST)
    if not form.is_valid():
        return answer(request, found, before, Outcome(status=INVALID), recruit_form=form)
    data = form.cleaned_data
    outcome = attempt(
        request,
        found,
        lambda scene, _: acts.recruit(
            scene, data["rank"], data["name"], data["count"], form.chosen_origin()
        ),
    )
    if not outcome.error:
        return answer(request, found, before, outcome)
    # What was typed stays, and the refusal beside it.
    kept = RecruitForm(scene_of(found), request.POST)
    kept.add_error(None, outcome.error)
    return answer(request, found, before, outcome, recruit_form=kept)


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def member(request: HttpRequest, gang: uuid.UUID, member: int) -> HttpResponseBase:
    """One member's card, open; or his name, profession and notes changed."""
    found = own_gang_or_404(request, gang)
    if request.method == "POST":
        return _describe(request, found, member)
    opened = None if "closed" in request.GET else member
    if not getattr(request, "htmx", False):
        return redirect(place(found, opened))
    scene = scene_of(found)
    page = page_of(found)
    card = page.card(member)
    if card is None:
        return render(request, "gangs/_gone.html")
    context = {
        "gang": found,
        "book": found.book,
        "base": found.get_absolute_url(),
        "page": page,
        "card": card,
        "opened": open_card(scene, page, member) if opened else None,
        "state": form_state(request, found),
    }
    return render(request, "gangs/_card.html", context)


def _describe(request: HttpRequest, gang: Gang, member: int) -> HttpResponse:
    scene = scene_of(gang)
    try:
        subject = scene.roster.member(member)
    except KeyError:
        return change(request, gang, _gone)
    form = MemberForm(scene, subject, request.POST)
    before = page_of(gang)
    if not form.is_valid():
        invalid = Outcome(status=INVALID)
        return answer(request, gang, before, invalid, opened=member, member_form=form)
    said = form.said(subject)
    outcome = attempt(request, gang, lambda scene, _: acts.describe(scene, member, said))
    # What was typed stays in the form when it could not be stored.
    kept = form if outcome.error else None
    return answer(request, gang, before, outcome, opened=member, member_form=kept)


def _gone(scene: Scene, next_id: int) -> list[Entry]:
    raise Refusal("gone")


@login_not_required
@require_POST
def points(request: HttpRequest, gang: uuid.UUID, member: int) -> HttpResponse:
    """Spread points: ``change`` is a characteristic and +1 or -1, as "str:1"."""
    found = own_gang_or_404(request, gang)
    key, _colon, amount = request.POST.get("change", "").partition(":")
    step = {"1": 1, "-1": -1}.get(amount, 0)
    return change(
        request,
        found,
        lambda scene, _: acts.spread_points(scene, member, key, step),
        opened=member,
    )


@login_not_required
@require_POST
def traits(request: HttpRequest, gang: uuid.UUID, member: int) -> HttpResponse:
    """Take a trait, or drop one."""
    found = own_gang_or_404(request, gang)

    def decide(scene: Scene, next_id: int) -> list[Entry]:
        if "drop" in request.POST:
            return acts.drop_trait(scene, member, request.POST["drop"])
        return acts.take_trait(scene, member, request.POST.get("take", ""))

    return change(request, found, decide, opened=member)


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def items(request: HttpRequest, gang: uuid.UUID, member: int) -> HttpResponse:
    """The picker of a member; or buy for him."""
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
            lambda scene, _: acts.buy(scene, member, key),
            opened=member,
            wanted=searched(request.POST),
        )
    scene = scene_of(gang)
    page = page_of(gang)
    card = page.card(member) if member is not None else None
    if member is not None and card is None:
        return redirect(gang)
    holder = scene.roster.member(member) if member is not None else None
    wanted = searched(request.GET)
    base = gang.get_absolute_url()
    context = {
        "gang": gang,
        "base": base,
        "page": page,
        "card": card,
        "wanted": wanted,
        "address": f"{base}members/{member}/items/" if member else f"{base}stash/",
        "offers": item_lines(scene, holder, wanted),
        "state": form_state(request, gang),
    }
    part = "#offers" if getattr(request, "htmx", False) else ""
    return render(request, f"gangs/picker.html{part}", context)


@login_not_required
@require_POST
def item(request: HttpRequest, gang: uuid.UUID, item: int) -> HttpResponse:
    """Hand an item to a member, put it in the stash, or give it away."""
    found = own_gang_or_404(request, gang)
    to = request.POST.get("to", "")

    def decide(scene: Scene, next_id: int) -> list[Entry]:
        if to == "away":
            return acts.discard(scene, item)
        if to != "stash" and number(to) is None:
            raise Refusal("gone")
        return acts.move(scene, item, number(to))

    return change(request, found, decide, opened=number(request.POST.get("opened")))


@login_not_required
@require_POST
def dismissal(request: HttpRequest, gang: uuid.UUID, member: int) -> HttpResponse:
    """Send a member away."""
    found = own_gang_or_404(request, gang)
    return change(request, found, lambda scene, _: acts.dismiss(scene, member))


@login_not_required
@require_POST
def double(request: HttpRequest, gang: uuid.UUID, member: int) -> HttpResponse:
    """Recruit another like this member."""
    found = own_gang_or_404(request, gang)
    return change(request, found, lambda scene, next_id: acts.duplicate(scene, member, next_id))


@login_not_required
@require_POST
def place_in_list(request: HttpRequest, gang: uuid.UUID, member: int) -> HttpResponse:
    """Move a member up or down in the list."""
    found = own_gang_or_404(request, gang)
    by = -1 if request.POST.get("to") == "up" else 1
    return change(request, found, lambda scene, _: acts.reorder(scene, member, by), opened=member)
