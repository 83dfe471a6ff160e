"""My gangs: searched, sorted, starred ones first, a page at a time. All of it is in the address."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django import forms
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from accounts.language import rules_language
from common.forms import CrispyForm, NameField
from common.text import fold_letters
from gangs import hooks
from gangs.access import own_gang_or_404, own_gangs
from gangs.hooks import Overview
from gangs.models import Gang
from gangs.pages.lines import gang_lines
from rules.engine.costing import Points
from rules.library import book_of

ON_A_PAGE = 24
# A list as short as this needs no search.
FEW = 6
# The names of everybody and everything in a gang's snapshot.
NAMES = re.compile(r'"name":"((?:[^"\\]|\\.)*)"')
ROW = ("pk", "name", "rating", "changed_at", "is_starred", "archived_at", "book_version_id")


class FindForm(CrispyForm):
    """The search of the list, and its order."""

    q = NameField(label=_("Search my gangs"), required=False)
    sort = forms.ChoiceField(
        label=_("Order"),
        required=False,
        widget=forms.Select(attrs={"class": "form-select"}),
        choices=[
            ("changed", _("Last changed")),
            ("name", _("Name")),
            ("rating", _("Highest rating")),
        ],
    )


@dataclass(frozen=True)
class Found:
    """A gang of the reader's, as far as the list sorts it. ``text``: everything that a search
    finds, folded; "" if nobody searches."""

    pk: uuid.UUID
    name: str
    rating: Points
    changed_at: datetime
    is_starred: bool
    is_archived: bool
    text: str

    def has(self, words: Iterable[str]) -> bool:
        """Whether all ``words`` occur in its text."""
        return all(word in self.text for word in words)


@login_not_required
@require_safe
def gangs(request: HttpRequest) -> HttpResponse:
    """My gangs; ``?archived`` shows the archived ones. A visitor's are on the front page.

    ``?q=``: words that the gang's name, its game, its campaign or its members' names contain;
    ``?sort=``: "name", "rating", or the latest changes first; ``?page=``.
    """
    if not request.user.is_authenticated:
        if own_gangs(request).exists():
            return redirect("gangs:front")
        return redirect_to_login(request.get_full_path())
    form = FindForm(request.GET)
    form.is_valid()
    words = fold_letters(form.cleaned_data.get("q", "")).split()
    archived = "archived" in request.GET
    plain = archived and not words
    overview = Overview() if plain else hooks.oversight.overview(request.user)
    known = list(_find(request, overview, with_text=bool(words)))
    found = [one for one in known if one.has(words)]
    here = [one for one in found if one.is_archived == archived]
    _sort(here, form.cleaned_data.get("sort", ""))
    page = Paginator(here, ON_A_PAGE).get_page(request.GET.get("page"))
    gangs = own_gangs(request).in_bulk([one.pk for one in page])
    shown = [gangs[one.pk] for one in page if one.pk in gangs]
    context = {
        "lines": gang_lines(shown, overview),
        "colours": overview.colours,
        "archived": archived,
        "duties": () if archived or words else overview.duties[: hooks.MOST_DUTIES],
        "form": form,
        "page": page,
        "is_search": bool(words),
        "may_search": len(known) > FEW or words,
        "elsewhere": len(found) - len(here),
        "elsewhere_address": _elsewhere(request.GET, archived=archived),
        "query": request.GET.urlencode(),
    }
    return render(request, "gangs/pages/list.html", context)


def _find(request: HttpRequest, overview: Overview, *, with_text: bool) -> Iterator[Found]:
    """All gangs of the reader, archived ones included. One query."""
    columns = (*ROW, "snapshot") if with_text else ROW
    for row in own_gangs(request).values(*columns):
        text = ""
        if with_text:
            place = overview.places.get(row["pk"])
            game = book_of(row["book_version_id"]).title.translated(rules_language())
            names = NAMES.findall(row["snapshot"])
            parts = (row["name"], game, place.campaign if place else "", *names)
            text = fold_letters("\n".join(parts))
        yield Found(
            row["pk"],
            row["name"],
            row["rating"],
            row["changed_at"],
            row["is_starred"],
            row["archived_at"] is not None,
            text,
        )


def _sort(found: list[Found], order: str) -> None:
    """Sort the gangs: starred ones first, then by the order asked for; the latest changes first
    among equals."""
    found.sort(key=lambda one: one.changed_at, reverse=True)
    if order == "name":
        found.sort(key=lambda one: fold_letters(one.name))
    elif order == "rating":
        found.sort(key=lambda one: one.rating, reverse=True)
    found.sort(key=lambda one: not one.is_starred)


def _elsewhere(query: QueryDict, *, archived: bool) -> str:
    """The address of the same search among the gangs that this list leaves out."""
    other = query.copy()
    other.pop("page", None)
    if archived:
        del other["archived"]
    else:
        other["archived"] = ""
    return f"{reverse('gangs:list')}?{other.urlencode()}"


@require_POST
def marks(request: HttpRequest, gang: uuid.UUID) -> HttpResponse:
    """Set or remove a star (``star``) or the mark of a template (``template``): "on" or "off".

    ``list``: the query of the list on which the button is, to return to it.
    """
    found = own_gang_or_404(request, gang)
    for field, name in (("is_starred", "star"), ("is_template", "template")):
        if request.POST.get(name) in ("on", "off"):
            # No change of the gang, so its version and time of change stay.
            Gang.objects.filter(pk=found.pk).update(**{field: request.POST[name] == "on"})
    if "list" not in request.POST:
        return redirect(found)
    query = QueryDict(request.POST["list"]).urlencode()
    return redirect(f"{reverse('gangs:list')}{'?' if query else ''}{query}#gang-{found.pk}")
