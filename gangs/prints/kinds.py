"""What can be printed of a gang, and how its owner wanted it the last time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from gangs.models import Gang
from gangs.prints.forms import CardsForm, PostersForm
from printing.forms import PaperForm


@dataclass(frozen=True)
class Kind:
    """A kind of print. ``form``: asks of a gang how it is wanted; ``address``: the name of the
    PDF's URL, which takes the gang's key."""

    key: str
    title: Promise
    about: Promise
    icon: str
    address: str
    form: Callable[..., PaperForm]


SHEET = Kind(
    "sheet",
    gettext_lazy("Roster sheet"),
    gettext_lazy("The whole gang on a page or two: what everybody can do, carries and suffers."),
    "printer",
    "gangs:sheet-pdf",
    lambda _gang, data, **options: PaperForm(data, **options),
)
CARDS = Kind(
    "cards",
    gettext_lazy("Member cards"),
    gettext_lazy("One card a member, to cut out and tick: two where he carries much."),
    "people",
    "gangs:cards-pdf",
    CardsForm,
)
REFERENCE = Kind(
    "reference",
    gettext_lazy("Reference sheet"),
    gettext_lazy("What is looked up while playing, on one page: by the options of this gang."),
    "book",
    "gangs:reference-pdf",
    lambda _gang, data, **options: PaperForm(data, **options),
)
POSTERS = Kind(
    "posters",
    gettext_lazy("Wanted posters"),
    gettext_lazy("A page a member for the wall of the club: his name, his price and his deeds."),
    "image",
    "gangs:posters-pdf",
    PostersForm,
)
# Where a gang remembers what was chosen for all its prints.
SHARED = "paper"
KINDS: Mapping[str, Kind] = {kind.key: kind for kind in (SHEET, REFERENCE, CARDS, POSTERS)}


def form(kind: Kind, gang: Gang, query: QueryDict) -> PaperForm:
    """How a print is wanted: as a query says, or if it is silent as the owner had it last. One
    that says something says of whom, too; of paper and style only what shall be otherwise."""
    last = remembered(gang, kind)
    if not any(name in query for name in last.fields):
        return last
    asked = query.copy()
    for name in ("paper", "style"):
        if name not in asked and name in last.wanted():
            asked[name] = last.wanted()[name]
    return kind.form(gang, asked)


def remembered(gang: Gang, kind: Kind) -> PaperForm:
    """The form as the owner filled it in the last time; the usual if they never did. Paper is that
    of whatever they printed last; so is the style, but for kinds whose usual style is their own."""
    blank = kind.form(gang, None)
    query = QueryDict(mutable=True)
    for name, value in blank.initial.items():
        query[name] = str(value)
    kept = gang.print_options
    chosen = {**kept.get(kind.key, {}), **_suiting(blank, kept.get(SHARED, {}))}
    for name, values in chosen.items():
        if name in blank.fields:
            query.setlist(name, values)
    return kind.form(gang, query)


def _suiting(form: PaperForm, shared: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Of what was chosen for all prints what suits this kind."""
    own = form.usual["style"] != PaperForm.usual["style"]
    return {
        name: values
        for name, values in shared.items()
        if name != "style" or (not own and values[:1] and values[0] in form.styles)
    }


def shared(gang: Gang) -> PaperForm:
    """Paper and style, asked once for every kind of print, as the owner had them last."""
    query = QueryDict(mutable=True)
    for name, value in PaperForm.usual.items():
        query.setlist(name, gang.print_options.get(SHARED, {}).get(name) or [value])
    form = PaperForm(query)
    return form if form.is_valid() else PaperForm()


def asked(gang: Gang, kind: Kind, data: QueryDict) -> PaperForm:
    """A kind's form as the page sent it: its own fields begin with its key. A style that it does
    not have is the usual one."""
    own = QueryDict(mutable=True)
    for name, values in data.lists():
        if name in ("paper", "style") or "-" not in name:
            own.setlist(name, values)
    for name, values in data.lists():
        if name.startswith(f"{kind.key}-"):
            own.setlist(name.removeprefix(f"{kind.key}-"), values)
    styles = kind.form(gang, None).styles
    if own.get("style") in PaperForm.styles and own.get("style") not in styles:
        own["style"] = PaperForm.usual["style"]
    return kind.form(gang, own)


def on_page(gang: Gang, kind: Kind, filled: PaperForm) -> PaperForm:
    """A kind's form with its own fields alone, which begin with its key on the page."""
    data = QueryDict(mutable=True)
    for name, values in cast(QueryDict, filled.data).lists():
        data.setlist(f"{kind.key}-{name}", values)
    form = kind.form(gang, data, prefix=kind.key)
    for name in PaperForm.base_fields:
        form.fields.pop(name)
    return form


def remember(gang: Gang, kind: Kind, filled: PaperForm, paper: PaperForm) -> str:
    """Remember valid forms for the next time, the kind's own and that of all prints; the query
    that prints it."""
    chosen = {name: value for name, value in filled.cleaned_data.items() if value not in (None, "")}
    kept = {
        name: [str(one) for one in value] if isinstance(value, list) else [str(value)]
        for name, value in chosen.items()
    }
    # Not a change of the gang: neither its version nor the time of its last change moves.
    every = {name: [str(value)] for name, value in paper.cleaned_data.items()}
    options = {**gang.print_options, kind.key: kept, SHARED: every}
    Gang.objects.filter(pk=gang.pk).update(print_options=options)
    query = QueryDict(mutable=True)
    for name, values in kept.items():
        query.setlist(name, values)
    return query.urlencode()
