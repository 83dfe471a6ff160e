"""The builder: recruit, name, equip. The answer to every change is the updated page.

Also custom items of a gang: from a printed table that the rulebook lacks, or invented.
"""

from __future__ import annotations

import random
import uuid
from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.language import rules_language
from common.errors import Refusal
from common.forms import INVALID, OK, number, require_safe_or_post
from common.text import one_line
from gangs import hooks
from gangs.access import own_gang, own_gang_or_404
from gangs.builder import density
from gangs.builder.forms import (
    AboutForm,
    MemberForm,
    NamesForm,
    OwnItemForm,
    PasteForm,
    PointsForm,
    RecruitForm,
    as_typed,
)
from gangs.builder.panels import ODDS, open_card, open_picker, read_search
from gangs.builder.responses import (
    attempt,
    change,
    form_state,
    page_context,
    part_context,
)
from gangs.cards.cache import computed_gang, page_of
from gangs.engine import actions
from gangs.engine import holdings as places
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.errors import Misfit
from gangs.engine.groups import discard_together, do_together, join_squad
from gangs.engine.own_items import extend_book
from gangs.models import Gang, place
from gangs.text.formats import localize, money_unit


@login_not_required
@require_safe
def builder(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """The gang's page for its owner. In the address, ``open`` names the member whose card is open,
    ``rank`` the rank preselected for a recruit, and ``roster`` stores the choice of rows or
    cards; a page that a browser shows again has its version (``since``), and gets 204 if that is
    still the gang's."""
    found = own_gang_or_404(request, gang, whole_page=True)
    if request.GET.get("since") == str(found.version):
        return HttpResponse(status=204)
    if "roster" in request.GET:
        response = redirect(found)
        density.remember(response, request.GET["roster"])
        return response
    opened = number(request.GET.get("open"))
    context = page_context(request, found, opened=opened, may_redo=getattr(found, "undone", None))
    return render(request, "gangs/builder/page.html", context)


@own_gang(require_safe_or_post)
def about(request: HttpRequest, gang: Gang) -> HttpResponse:
    """Name, notes and options of the gang."""
    form = AboutForm(gang.book, gang.roster, request.POST or None)
    error, status = "", INVALID if request.method == "POST" else OK
    if form.is_valid():
        outcome = attempt(request, gang, form.entries)
        if not outcome.error:
            return redirect(gang)
        error, status = outcome.error, outcome.status
    # The current state, so that users who have read the error can submit their input again.
    context = {"gang": gang, "form": form, "error": error, "state": form_state(request, gang)}
    context["trophies"] = hooks.oversight.trophies(gang)
    return render(request, "gangs/builder/about.html", context, status=status)


@own_gang(require_safe_or_post)
def names(request: HttpRequest, gang: Gang) -> HttpResponse:
    """Name the members, or get a name for each of those who have none (``all``).

    ``die``: throw another name into this field; ``paste``: fill a pasted list into the fields. Both
    store nothing yet.
    """
    on_list = list(gang.book.names.translated(rules_language()))
    random.shuffle(on_list)
    if "all" in request.POST:
        return change(request, gang, partial(actions.name_everybody, names=on_list))
    computed = computed_gang(gang)
    data = request.POST.copy() if request.method == "POST" else None
    form = NamesForm(computed, data)
    error, status = "", INVALID if request.method == "POST" else OK
    die = request.POST.get("die", "")
    pasting = data is not None and "paste" in data
    paste = PasteForm(data if pasting else None)
    filled: tuple[int, list[str]] | None = None
    if data is not None and pasting:
        for field, subject in form.members.items():
            data.setdefault(field, subject.name)
        if paste.is_valid():
            filled, status = paste.fill(form.fields, data), OK
    elif data is not None and die in form.fields:
        taken = {text.casefold() for name in form.fields for text in data.getlist(name)}
        free = (name for name in on_list if name.casefold() not in taken)
        data[die] = next(free, request.POST.get(die, ""))
        status = OK
    elif form.is_bound and form.is_valid():
        outcome = attempt(request, gang, form.entries)
        if not outcome.error:
            messages.success(request, outcome.message or _("Saved."))
            return redirect(gang)
        error, status = outcome.error, outcome.status
    context = {
        "gang": gang,
        "form": form,
        "names": on_list,
        "paste": paste,
        "filled": filled,
        "has_unnamed_members": any(not one.name for one in computed.roster.members),
        "error": error,
        "state": form_state(request, gang),
    }
    return render(request, "gangs/builder/names.html", context, status=status)


@own_gang(require_POST)
def members(request: HttpRequest, gang: Gang) -> HttpResponse:
    """Recruit: a complete recruit (``archetype``), or as the form says."""
    if "archetype" in request.POST:
        key, count = request.POST["archetype"], number(request.POST.get("count", "1")) or 0
        decide = partial(
            actions.recruit_alike, archetype=key, count=count, next_id=gang.last_seq + 1
        )
        names = (localize(row.name) for row in gang.book.archetypes if row.key == key)
        return change(request, gang, decide, called=next(names, ""))
    form = RecruitForm(computed_gang(gang), request.POST)

    def recruit(computed: ComputedGang) -> list[Entry]:
        next_id = gang.last_seq + 1
        entries = form.entries(computed, next_id=next_id)
        return join_squad(computed, entries, form.cleaned_data["name"], next_id)

    return change(request, gang, recruit, form=form)


@own_gang(require_safe_or_post)
def member(request: HttpRequest, gang: Gang, member: int) -> HttpResponseBase:
    """Show one member's card, or change their name, profession and notes."""
    computed = computed_gang(gang)
    if request.method == "POST":
        try:
            form = MemberForm(computed, computed.roster.member(member), request.POST)
        except Misfit:
            return change(request, gang, _gone)
        return change(request, gang, form.entries, opened=member, form=form)
    opened = None if "closed" in request.GET else member
    if not getattr(request, "htmx", False):
        return redirect(place(gang, opened))
    card = page_of(gang).card(member)
    if card is None:
        return render(request, "gangs/builder/_gone.html")
    context = part_context(request, gang) | {"card": card}
    if opened:
        context["open_cards"] = {member: open_card(request, gang, card)}
    return render(request, "gangs/builder/_member.html", context)


def _gone(computed: ComputedGang) -> list[Entry]:
    raise Refusal("gone")


@own_gang(require_POST)
def points(request: HttpRequest, gang: Gang, member: int) -> HttpResponse:
    """Spread points: one up or down (``change``, as "str:1"), the rest evenly (``evenly``), or set
    every characteristic to the value typed."""
    if "evenly" in request.POST:
        return change(request, gang, partial(actions.spread_evenly, member=member), opened=member)
    if "change" in request.POST:
        decide = partial(_one_point, member=member, step=request.POST["change"])
        return change(request, gang, decide, opened=member)
    card = page_of(gang).card(member)
    if card is None:
        return change(request, gang, _gone)
    form = PointsForm(card, gang.book, request.POST)
    return change(request, gang, form.entries, opened=member, form=form)


@own_gang(require_POST)
def spread_all(request: HttpRequest, gang: Gang) -> HttpResponse:
    """Spread the remaining points of all members evenly."""
    opened = number(request.POST.get("opened"))
    return change(request, gang, actions.spread_all_evenly, opened=opened)


def _one_point(computed: ComputedGang, member: int, step: str) -> list[Entry]:
    key, _colon, sign = step.partition(":")
    amount = {"1": 1, "-1": -1}.get(sign)
    if amount is None:
        raise Refusal("not_offered")
    return actions.spread_points(computed, member, {key: amount})


@own_gang(require_POST)
def traits(request: HttpRequest, gang: Gang, member: int) -> HttpResponse:
    """Take a trait, or drop one; a group does so together."""

    def decide(computed: ComputedGang, mate: int) -> list[Entry]:
        if "drop" in request.POST:
            return actions.drop_trait(computed, mate, request.POST["drop"])
        return actions.take_trait(computed, mate, request.POST.get("take", ""))

    together = partial(do_together, member=member, decide=decide)
    return change(request, gang, together, opened=member)


@own_gang(require_POST)
def place_in_list(request: HttpRequest, gang: Gang, member: int) -> HttpResponse:
    """Move a member up or down in the list."""
    by = -1 if request.POST.get("to") == "up" else 1
    return change(request, gang, partial(actions.reorder, member=member, by=by), opened=member)


@own_gang(require_POST)
def order(request: HttpRequest, gang: Gang) -> HttpResponse:
    """Move a member to a place in the list, counted from the top."""
    member, to = number(request.POST.get("member")), number(request.POST.get("to"))

    def decide(computed: ComputedGang) -> list[Entry]:
        places = {other.id: place for place, other in enumerate(computed.roster.members)}
        if member is None or to is None or member not in places:
            raise Refusal("gone")
        return actions.reorder(computed, member, by=to - places[member])

    return change(request, gang, decide, opened=number(request.POST.get("opened")))


@own_gang(require_POST)
def dismissal(request: HttpRequest, gang: Gang, member: int) -> HttpResponse:
    """Send a member away."""
    return change(request, gang, partial(actions.dismiss, member=member))


@own_gang(require_POST)
def double(request: HttpRequest, gang: Gang, member: int) -> HttpResponse:
    """Recruit another like this member."""
    next_id = gang.last_seq + 1
    return change(request, gang, partial(actions.duplicate, member=member, next_id=next_id))


@own_gang(require_safe_or_post)
def items(request: HttpRequest, gang: Gang, member: int | None = None) -> HttpResponse:
    """Show the picker of a member or of the stash, buy from it, or switch its odds on or off."""
    if "odds" in request.POST:
        request.session[ODDS] = request.POST["odds"] == "on"
        if not getattr(request, "htmx", False):
            return redirect(request.path)
    elif request.method == "POST":
        buy = partial(actions.buy, item=request.POST.get("buy", ""))
        if member is None:
            return change(request, gang, partial(buy, member=None))
        together = partial(do_together, member=member, decide=buy)
        return change(request, gang, together, opened=member)
    card = page_of(gang).card(member) if member is not None else None
    if member is not None and card is None:
        return redirect(gang)
    search = read_search(request.POST if request.method == "POST" else request.GET)
    context = part_context(request, gang) | {"card": card}
    context["picker"] = open_picker(request, gang, member, search)
    part = "#offers" if getattr(request, "htmx", False) else ""
    return render(request, f"gangs/builder/picker.html{part}", context)


@own_gang(require_POST)
def item(request: HttpRequest, gang: Gang, item: int) -> HttpResponse:
    """Hand an item to a member, put it in the stash, fit it to another ("on-7"), sell it, use it,
    or give it away.

    A group gives its items away together.
    """
    to = request.POST.get("to", "")

    def decide(computed: ComputedGang) -> list[Entry]:
        if to == "away":
            return discard_together(computed, item, actions.discard)
        if to == "sold":
            return actions.sell(computed, item)
        if to == "used":
            return actions.use_item(computed, item)
        if (host := number(to.removeprefix("on-"))) and to.startswith("on-"):
            return actions.fit(computed, item, host)
        if to != "stash" and number(to) is None:
            raise Refusal("gone")
        return actions.move(computed, item, number(to))

    return change(request, gang, decide, opened=number(request.POST.get("opened")))


@own_gang(require_POST)
def holdings(request: HttpRequest, gang: Gang) -> HttpResponse:
    """Take a holding, perhaps with the players' own name for it, or give one up."""
    place = number(request.POST.get("give_up"))
    if place is not None:
        return change(request, gang, partial(places.give_up, place=place))
    key, name = request.POST.get("claim", ""), one_line(request.POST.get("name", ""))[:80]
    return change(request, gang, partial(places.take, holding=key, name=name))


@own_gang(require_safe_or_post)
def own_items(request: HttpRequest, gang: Gang) -> HttpResponse:
    """Choose the kind of a custom item, then define it; from then on the gang can buy it."""
    book = gang.book
    groups = book.under(gang.roster.settings).groups
    group = next((group for group in groups if group.key == request.GET.get("group")), None)
    models = [
        item for item in extend_book(book, gang.roster).items if group and item.group == group.key
    ]
    like = next((item for item in models if item.key == request.GET.get("like")), None)
    context = {
        "gang": gang,
        "base": gang.get_absolute_url(),
        "groups": groups,
        "group": group,
        "models": models,
        "like": like,
        "own": [item for item in gang.roster.own_items if group is None or item.group == group.key],
        "unit": money_unit(book),
        "state": form_state(request, gang),
    }
    status = OK
    if group is not None:
        data = request.POST if request.method == "POST" else None
        form = OwnItemForm(book, group, data, initial=as_typed(like) if like else None)
        error, status = "", INVALID if form.is_bound else OK
        if form.is_valid():
            outcome = attempt(request, gang, form.entries)
            error, status = outcome.error, outcome.status
            if not error:
                values = {"name": form.cleaned_data["name"]}
                messages.success(
                    request, _("%(name)s can be bought now, like any other item.") % values
                )
                # A user who copies a printed table goes on with its next line.
                return redirect(request.get_full_path() if "more" in request.POST else gang)
        context |= {"form": form, "error": error}
    return render(request, "gangs/builder/own_items.html", context, status=status)
