"""List the kinds of print of a gang, and remember the owner's last options for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from gangs.models import Gang
from printing.paper.forms import PaperForm
from printing.sheets.forms import BlankFormsForm, CardsForm, GangPaperForm, PostersForm, SheetForm


@dataclass(frozen=True)
class PrintKind:
    """A kind of print. ``form``: asks for the options of a gang's print."""

    key: str
    title: Promise
    about: Promise
    icon: str
    form: type[GangPaperForm]

    @property
    def address(self) -> str:
        """The name of the PDF's URL, which takes the gang's key."""
        return f"gangs:{self.key}-pdf"


SHEET = PrintKind(
    "sheet",
    gettext_lazy("Roster sheet"),
    gettext_lazy("The whole gang on a page or two: what everybody can do, carries and suffers."),
    "printer",
    SheetForm,
)
CARDS = PrintKind(
    "cards",
    gettext_lazy("Member cards"),
    gettext_lazy("One card per member, to cut out and tick: two for those who carry a lot."),
    "people",
    CardsForm,
)
REFERENCE = PrintKind(
    "reference",
    gettext_lazy("Reference sheet"),
    gettext_lazy("Everything you look up while playing, under this gang’s options."),
    "book",
    GangPaperForm,
)
POSTERS = PrintKind(
    "posters",
    gettext_lazy("Wanted posters"),
    gettext_lazy(
        "One page per member for the club wall: their picture, their deeds, the price on their "
        "head."
    ),
    "image",
    PostersForm,
)
BLANK = PrintKind(
    "blank",
    gettext_lazy("Blank forms"),
    gettext_lazy("To fill in with a pencil: new gang, roster, games. Under this gang’s options."),
    "pencil",
    BlankFormsForm,
)
# The key under which a gang remembers the options that all its prints share.
SHARED = "paper"
KINDS: Mapping[str, PrintKind] = {
    kind.key: kind for kind in (SHEET, REFERENCE, CARDS, POSTERS, BLANK)
}


def form(kind: PrintKind, gang: Gang, query: QueryDict) -> GangPaperForm:
    """Return the options of a print, from the query or, if it has none, as the owner last chose
    them.

    A query with any option also decides which members are printed. Paper and style default to the
    owner's last ones.
    """
    last = restore_form(gang, kind)
    if not any(name in query for name in last.fields):
        return last
    asked = query.copy()
    for name in PaperForm.base_fields:
        asked.setdefault(name, last.data[name])
    return kind.form(gang, asked)


def restore_form(gang: Gang, kind: PrintKind, *, prefix: str | None = None) -> GangPaperForm:
    """Return the form as the owner last filled it in, or with the usual options.

    Paper and style come from the owner's last print of any kind. Kinds with a usual style keep it.
    """
    kept = gang.print_options
    chosen = _usual(kind.form) | kept.get(kind.key, {})
    chosen |= _suiting(kind.form, kept.get(SHARED, {}))
    data = QueryDict(mutable=True)
    form = kind.form(gang, data, prefix=prefix)
    for name, values in chosen.items():
        if name in form.fields:
            data.setlist(form.add_prefix(name), values)
    return form


def _usual(form: type[PaperForm]) -> dict[str, list[str]]:
    """Return the values that a form's fields send by default."""
    usual = asdict(form.usual)
    return {name: [str(usual[name])] for name in form.base_fields if usual[name] != ()}


def _suiting(form: type[PaperForm], shared: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return the shared options that suit this kind."""
    own = form.usual.style != PaperForm.usual.style
    return {
        name: values
        for name, values in shared.items()
        if name != "style" or (not own and values[:1] and values[0] in form.styles)
    }


def ask_paper(gang: Gang) -> PaperForm:
    """Return the form for paper and style, asked once for every kind of print, with the owner's
    last choice.
    """
    chosen = _usual(PaperForm) | gang.print_options.get(SHARED, {})
    form = PaperForm(QueryDict(urlencode(chosen, doseq=True)))
    return form if form.is_valid() else PaperForm()


def read_form(gang: Gang, kind: PrintKind, data: QueryDict) -> GangPaperForm:
    """Return a kind's form as it was sent. On the page, its own fields have its key as prefix. A
    style that it does not have becomes the usual one.
    """
    query = data.copy()
    for name in data.keys() & kind.form.base_fields.keys():
        query.setlistdefault(f"{kind.key}-{name}", data.getlist(name))
    if query.get("style") in PaperForm.styles and query["style"] not in kind.form.styles:
        query["style"] = PaperForm.usual.style
    return kind.form(gang, query, prefix=kind.key)


def remember(gang: Gang, kind: PrintKind, filled: PaperForm, paper: PaperForm) -> str:
    """Remember two valid forms for the next time, the kind's own and the one for all prints. Return
    the query for the print.
    """
    kept = {
        name: [str(part) for part in value] if isinstance(value, tuple) else [str(value)]
        for name, value in filled.cleaned_data.items()
        if value not in (None, "") and value is not False
    }
    # This is not a change of the gang: neither its version nor the time of its last change moves.
    every = {name: [str(value)] for name, value in paper.cleaned_data.items()}
    options = {**gang.print_options, kind.key: kept, SHARED: every}
    Gang.objects.filter(pk=gang.pk).update(print_options=options)
    return urlencode(kept, doseq=True)
