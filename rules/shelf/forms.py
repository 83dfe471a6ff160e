"""The form that puts a game on the shelf: its licence, and that its author may share it."""

from __future__ import annotations

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.forms import CrispyForm, NameField
from rules.shelf.index import LONGEST

# The choice of a licence that is none of the list.
OTHER = "other"
LICENCES = ("CC0 1.0", "CC BY 4.0", "CC BY-SA 4.0", "CC BY-NC 4.0", "CC BY-NC-SA 4.0")


def licence_fields() -> dict[str, forms.Field]:
    """Make the fields of a licence: one of the list, or in words of its own."""
    return {
        "licence": forms.ChoiceField(
            label=gettext_lazy("Licence"),
            choices=[
                ("", gettext_lazy("Choose one")),
                *((one, one) for one in LICENCES),
                (OTHER, gettext_lazy("Another licence")),
            ],
            help_text=gettext_lazy("It says what others may do with the game."),
        ),
        "other": NameField(
            label=gettext_lazy("Another licence, in words"),
            max_length=LONGEST,
            required=False,
        ),
        "may_share": forms.BooleanField(
            label=gettext_lazy("I may share the texts and numbers in it"),
            error_messages={
                "required": gettext_lazy(
                    "Tick the box if you may share these texts, or leave them out first."
                )
            },
        ),
    }


def fill_licence(licence: str) -> dict[str, str]:
    """Return the initial values of the fields for a licence; "" for none."""
    if not licence:
        return {}
    if licence in LICENCES:
        return {"licence": licence}
    return {"licence": OTHER, "other": licence[:LONGEST]}


def read_licence(cleaned: dict[str, object]) -> str:
    """Return the licence that valid fields state. Raises ValidationError if it has no words."""
    chosen = str(cleaned.get("licence", ""))
    if chosen != OTHER:
        return chosen
    if words := str(cleaned.get("other", "")):
        return words
    raise ValidationError({"other": _("Write the licence, or choose one of the list.")})


class ShelfForm(CrispyForm):
    """A licence for a game on the shelf, and that its author may share it."""

    def __init__(self, data: object = None, *, licence: str = "") -> None:
        super().__init__(data, initial=fill_licence(licence))  # type: ignore[arg-type]
        self.fields.update(licence_fields())

    def clean(self) -> dict[str, object]:
        """Put the licence in words into ``licence``."""
        cleaned = super().clean() or self.cleaned_data
        if "licence" in cleaned:
            cleaned["licence"] = read_licence(cleaned)
        return cleaned
