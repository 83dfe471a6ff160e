"""The form that says on what paper and in which style something is printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from accounts.language import language
from common.forms import helper
from printing.orders import Order, Style

PAPER_NAMES = [("a4", "A4"), ("letter", gettext_lazy("Letter"))]


STYLE_NAMES: dict[Style, Promise] = {
    "ink": gettext_lazy("Saves ink"),
    "illustrated": gettext_lazy("In colour, with drawings"),
    "accessible": gettext_lazy("Plain tables, for screen readers"),
}


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
