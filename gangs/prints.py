"""What can be printed of a gang, and how its owner wanted it the last time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from gangs.models import Gang
from gangs.print_forms import CardsForm, PaperForm, PostersForm


@dataclass(frozen=True)
class Kind:
    """A kind of print. ``form``: asks how it is wanted; ``address``: the name of the PDF's URL,
    which takes the gang's key."""

    key: str
    title: Promise
    about: Promise
    icon: str
    address: str
    form: Callable[[Gang, QueryDict | None], PaperForm]


SHEET = Kind(
    "sheet",
    gettext_lazy("Roster sheet"),
    gettext_lazy("The whole gang on a page or two: what everybody can do, carries and suffers."),
    "printer",
    "gangs:sheet-pdf",
    lambda _gang, data: PaperForm(data),
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
    lambda _gang, data: PaperForm(data),
)
POSTERS = Kind(
    "posters",
    gettext_lazy("Wanted posters"),
    gettext_lazy("A page a member for the wall of the club: his name, his price and his deeds."),
    "image",
    "gangs:posters-pdf",
    PostersForm,
)
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
    """The form as the owner filled it in the last time; the usual if he never did."""
    blank = kind.form(gang, None)
    query = QueryDict(mutable=True)
    for name, value in blank.initial.items():
        query[name] = str(value)
    for name, values in gang.print_options.get(kind.key, {}).items():
        if name in blank.fields:
            query.setlist(name, values)
    return kind.form(gang, query)


def remember(gang: Gang, kind: Kind, filled: PaperForm) -> str:
    """Remember a valid form for the next time; the query that prints it."""
    chosen = {name: value for name, value in filled.cleaned_data.items() if value not in (None, "")}
    kept = {
        name: [str(one) for one in value] if isinstance(value, list) else [str(value)]
        for name, value in chosen.items()
    }
    # Not a change of the gang: neither its version nor the time of its last change moves.
    options = {**gang.print_options, kind.key: kept}
    Gang.objects.filter(pk=gang.pk).update(print_options=options)
    query = QueryDict(mutable=True)
    for name, values in kept.items():
        query.setlist(name, values)
    return query.urlencode()
