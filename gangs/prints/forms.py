"""The forms that ask how something is wanted on paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from gangs.between_words import fate_sentence
from gangs.forms import helper
from gangs.models import Gang
from gangs.papers.cards import MOST_SPARES, CardsOrder
from gangs.papers.posters import PostersOrder
from gangs.printing.orders import Order, Style
from gangs.roster import Roster
from gangs.wording import language, shown_name
from rules.book import Book

PAPER_NAMES = [("a4", "A4"), ("letter", gettext_lazy("Letter"))]
STYLE_NAMES: dict[Style, Promise] = {
    "ink": gettext_lazy("Saves ink"),
    "illustrated": gettext_lazy("In colour, with drawings"),
    "accessible": gettext_lazy("Plain tables, for screen readers"),
}
CARD_SIZES = [
    ("poker", gettext_lazy("Playing cards, 63.5 × 88.9 mm: nine on a page")),
    ("large", gettext_lazy("Large cards, 100 × 110 mm: four on a page")),
]


class PaperForm(forms.Form):
    """Paper and style of a print. ``styles``: those that this kind of print has."""

    styles: ClassVar[tuple[Style, ...]] = ("ink", "illustrated", "accessible")
    usual: ClassVar[Mapping[str, Any]] = {"paper": "a4", "style": "ink"}

    paper = forms.ChoiceField(
        label=gettext_lazy("Paper"), choices=PAPER_NAMES, widget=forms.RadioSelect
    )
    style = forms.ChoiceField(label=gettext_lazy("Style"), widget=forms.RadioSelect)

    def __init__(self, data: QueryDict | None = None, **options: Any) -> None:
        super().__init__(data, initial=dict(self.usual), **options)
        self.fields["style"].choices = [  # type: ignore[attr-defined]
            (style, STYLE_NAMES[style]) for style in self.styles
        ]
        self.helper = helper()

    def wanted(self) -> dict[str, Any]:
        """What was chosen; the usual where nothing was, or nothing that makes sense."""
        self.full_clean()
        chosen = getattr(self, "cleaned_data", {})
        made = {name: value for name, value in chosen.items() if value not in ("", None, [])}
        return {**self.usual, **made}

    def order(self, link: str = "") -> Order:
        """The order for the press, in the reader's language."""
        wanted = self.wanted()
        return Order(language(), wanted["paper"], wanted["style"], link)


class PresentField(forms.TypedMultipleChoiceField):
    """Chooses some of those that there are. Who is gone by now is passed over."""

    def to_python(self, value: Any) -> list[str]:
        """What was chosen, of that which can be."""
        return [one for one in super().to_python(value) if self.valid_value(one)]


class MembersForm(PaperForm):
    """A print of some members, each by himself: all of them unless some are chosen."""

    styles = ("ink", "illustrated")

    members = PresentField(
        label=gettext_lazy("Members"),
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Nobody ticked: everybody."),
    )

    def __init__(self, gang: Gang, data: QueryDict | None = None, **options: Any) -> None:
        super().__init__(data, **options)
        roster, book = gang.roster, gang.book
        self.fields["members"].choices = list(self.listed(book, roster))  # type: ignore[attr-defined]

    def listed(self, book: Book, roster: Roster) -> Iterator[tuple[int, str]]:
        """Who can be chosen, each with what he is called."""
        for member in roster.members:
            yield member.id, shown_name(book, member)


class CardsForm(MembersForm):
    """Member cards: how large, and how many blank ones besides."""

    usual = {**MembersForm.usual, "size": "poker", "spares": 0}

    size = forms.ChoiceField(
        label=gettext_lazy("Size of the cards"), choices=CARD_SIZES, widget=forms.RadioSelect
    )
    spares = forms.IntegerField(
        label=gettext_lazy("Blank cards"),
        min_value=0,
        max_value=MOST_SPARES,
        required=False,
        help_text=gettext_lazy("For whoever joins at the table: to be filled in by hand."),
    )

    field_order = ("size", "paper", "style", "spares", "members")

    def order(self, link: str = "") -> CardsOrder:
        """The order for the press, in the reader's language."""
        wanted = self.wanted()
        return CardsOrder(
            language(),
            wanted["paper"],
            wanted["style"],
            link,
            wanted["size"],
            tuple(wanted.get("members", ())),
            wanted["spares"],
        )


class PostersForm(MembersForm):
    """Wanted posters: of those who are gone, too, for whoever wants theirs."""

    usual = {**MembersForm.usual, "style": "illustrated"}

    def __init__(self, gang: Gang, data: QueryDict | None = None, **options: Any) -> None:
        super().__init__(gang, data, **options)
        self.fields["members"].help_text = gettext_lazy("Nobody ticked: everybody who is there.")

    def listed(self, book: Book, roster: Roster) -> Iterator[tuple[int, str]]:
        """Who can be chosen: of those who are gone it is said what became of them."""
        yield from super().listed(book, roster)
        for departed in roster.departed:
            fate = fate_sentence(departed.fate, book)
            yield departed.member.id, f"{shown_name(book, departed.member)} ({fate.rstrip('.')})"

    def order(self, link: str = "") -> PostersOrder:
        """The order for the press, in the reader's language."""
        wanted = self.wanted()
        members = tuple(wanted.get("members", ()))
        return PostersOrder(language(), wanted["paper"], wanted["style"], link, members)
