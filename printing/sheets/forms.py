"""Forms for the options of a gang's prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy

from common.forms import set_choices
from gangs.engine.roster import Roster
from gangs.models import Gang
from gangs.text.formats import fate_sentence, shown_name
from printing.paper.forms import PaperForm
from printing.paper.orders import STYLES, Style
from printing.sheets.blank_form import BlankForm
from printing.sheets.cards import MOST_SPARES, CardsOrder
from printing.sheets.posters import MOST_BLANKS, PostersOrder
from printing.sheets.roster import SheetOrder
from rules.book.model import Book

CARD_SIZES = [
    ("poker", gettext_lazy("Playing cards, 63.5 × 88.9 mm: nine on a page")),
    ("large", gettext_lazy("Large cards, 100 × 110 mm: four on a page")),
]


class PresentField(forms.TypedMultipleChoiceField):
    """A choice among members who are still there; keys of deleted ones are ignored."""

    def to_python(self, value: Any) -> list[str]:
        """Return the chosen keys that are valid."""
        return [key for key in super().to_python(value) if self.valid_value(key)]

    def clean(self, value: Any) -> tuple[Any, ...]:
        """Return the choice as the tuple that an order keeps."""
        return tuple(super().clean(value))


class GangPaperForm(PaperForm):
    """Options of a gang's print. Paper and style have no ``prefix``: the page asks for them once,
    for all kinds of print.
    """

    def __init__(self, gang: Gang, data: QueryDict | None = None, **options: Any) -> None:
        super().__init__(data, **options)

    def add_prefix(self, field_name: str) -> str:
        """Return the name of a field on the page."""
        shared = field_name in PaperForm.base_fields
        return field_name if shared else super().add_prefix(field_name)

    @property
    def own_fields(self) -> list[forms.BoundField]:
        """The fields of this kind of print only."""
        return [field for field in self if field.name not in PaperForm.base_fields]


class SheetForm(GangPaperForm):
    """Options of the roster sheet: with or without the sums of everybody's worth."""

    usual = SheetOrder(language="")

    sums = forms.BooleanField(
        label=gettext_lazy("With the sums"),
        required=False,
        help_text=gettext_lazy("At the end: what everybody is worth, and why."),
    )


class BlankFormsForm(GangPaperForm, BlankForm):
    """Options of blank forms, under the gang's options."""


class MembersForm(GangPaperForm):
    """Options of a print with a part for each member: all of them unless some are chosen."""

    styles: ClassVar[tuple[Style, ...]] = ("ink", "illustrated")

    members = PresentField(
        label=gettext_lazy("Members"),
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Tick nobody to print everybody."),
    )

    def __init__(self, gang: Gang, data: QueryDict | None = None, **options: Any) -> None:
        super().__init__(gang, data, **options)
        set_choices(self, "members", self.listed(gang.book, gang.roster))

    def listed(self, book: Book, roster: Roster) -> Iterator[tuple[int, str]]:
        """Yield the members to choose from, each with their name."""
        for member in roster.members:
            yield member.id, shown_name(book, member)


class CardsForm(MembersForm):
    """Options of member cards: their size, and how many blank ones to add."""

    usual = CardsOrder(language="")
    styles = STYLES

    size = forms.ChoiceField(
        label=gettext_lazy("Size of the cards"),
        choices=CARD_SIZES,
        widget=forms.RadioSelect,
        help_text=gettext_lazy("Large print has a size of its own: four cards to a page."),
    )
    spares = forms.IntegerField(
        label=gettext_lazy("Blank cards"),
        min_value=0,
        max_value=MOST_SPARES,
        required=False,
        help_text=gettext_lazy("For members who join at the table: fill them in by hand."),
    )

    field_order = ("size", "paper", "style", "spares", "members")


class PostersForm(MembersForm):
    """Options of wanted posters. Former members can be chosen, too."""

    usual = PostersOrder(language="")

    blanks = forms.IntegerField(
        label=gettext_lazy("Blank posters"),
        min_value=0,
        max_value=MOST_BLANKS,
        required=False,
        help_text=gettext_lazy("To fill in by hand. Tick nobody below to print only these."),
    )

    field_order = ("paper", "style", "blanks", "members")

    def __init__(self, gang: Gang, data: QueryDict | None = None, **options: Any) -> None:
        super().__init__(gang, data, **options)
        self.fields["members"].help_text = gettext_lazy(
            "Tick nobody to print everybody who is there."
        )

    def listed(self, book: Book, roster: Roster) -> Iterator[tuple[int, str]]:
        """Yield the members to choose from; former ones with their fate."""
        yield from super().listed(book, roster)
        for departed in roster.departed:
            fate = fate_sentence(departed.fate, book)
            yield departed.member.id, f"{shown_name(book, departed.member)} ({fate.rstrip('.')})"
