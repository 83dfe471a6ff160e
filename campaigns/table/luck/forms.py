"""The word that a side adds to the application's dice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crispy_forms.layout import Field, Layout
from django import forms
from django.utils.translation import gettext as _

from campaigns.models import LONGEST_WORD
from common.forms import NameField, helper


class WordForm(forms.Form):
    """A word, or none. ``side``: whose, as the page calls it, which is called ``name``."""

    word = NameField(max_length=LONGEST_WORD, required=False)

    def __init__(
        self, side: int, name: str, word: str, data: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(data, initial={"word": word}, auto_id=f"id_{side}_%s")
        self.fields["word"].label = _("Word of %(name)s") % {"name": name}
        self.helper = helper()
        self.helper.layout = Layout(Field("word", wrapper_class="mb-0 flex-grow-1"))
