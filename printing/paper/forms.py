"""The form for the paper and style of a print."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, ClassVar

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from accounts.language import rules_language
from common.forms import helper, set_choices
from printing.paper.orders import STYLES, Order, Style

PAPER_NAMES = [("a4", "A4"), ("letter", gettext_lazy("Letter"))]


STYLE_NAMES: dict[Style, Promise] = {
    "ink": gettext_lazy("Saves ink"),
    "illustrated": gettext_lazy("In colour, with drawings"),
    "accessible": gettext_lazy("Large print, plain tables"),
}


class PaperForm(forms.Form):
    """Paper and style of a print. ``styles``: those that this kind of print has; ``usual``: the
    default order. Fields have the names of the order's attributes.
    """

    styles: ClassVar[tuple[Style, ...]] = STYLES
    usual: ClassVar[Order] = Order(language="")

    paper = forms.ChoiceField(
        label=gettext_lazy("Paper"), choices=PAPER_NAMES, widget=forms.RadioSelect
    )
    style = forms.ChoiceField(label=gettext_lazy("Style"), widget=forms.RadioSelect)

    def __init__(self, data: QueryDict | None = None, **options: Any) -> None:
        super().__init__(data, initial=asdict(self.usual), **options)
        set_choices(self, "style", [(style, STYLE_NAMES[style]) for style in self.styles])
        self.helper = helper()

    def order[O: Order](self, kind: type[O], **more: Any) -> O:
        """Return an order of this ``kind`` in the reader's language, with the chosen values;
        missing or invalid ones get the default. ``more``: values that are not in the form.
        """
        self.full_clean()
        chosen = getattr(self, "cleaned_data", {})
        values = {name: value for name, value in chosen.items() if value not in ("", None, ())}
        return kind(rules_language(), **values, **more)
