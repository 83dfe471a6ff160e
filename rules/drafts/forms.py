"""The forms of a draft that are no rows of its tables: start, names, look, sources, sharing."""

from __future__ import annotations

import uuid
from typing import Annotated, Any

from django import forms
from django.utils.translation import get_language, gettext_lazy

from common.forms import CrispyForm, NameField
from common.wording.sentences import gettext_noop as _
from rules.book.look import HOUSE_LOOK, Look
from rules.book.vocabulary import CharacteristicKey, Frozen, Line, SettingKey, Text
from rules.drafts.slugs import FORM
from rules.editor.forms import key_for

LANGUAGE_CHOICES = [
    ("en", gettext_lazy("English")),
    ("fr", gettext_lazy("French")),
    ("en fr", gettext_lazy("English and French")),
]


class StartForm(CrispyForm):
    """The start of a game: its name, slug, author, languages, and the book that it is a copy of."""

    name = NameField(label=gettext_lazy("Name of the game"))
    slug = NameField(
        label=gettext_lazy("Its name in addresses"),
        max_length=40,
        required=False,
        help_text=gettext_lazy(
            "Small letters, digits and hyphens, such as “harbour-wars”. Empty: made from its name."
        ),
    )
    author = NameField(
        label=gettext_lazy("Author"),
        max_length=150,
        required=False,
        help_text=gettext_lazy(
            "Published versions keep this name, even after your account is deleted. Empty: nobody"
            " is named."
        ),
    )
    languages = forms.ChoiceField(
        label=gettext_lazy("Language of its texts"),
        choices=LANGUAGE_CHOICES,
        help_text=gettext_lazy("One is enough. Both: every text has a field for each."),
    )
    start = forms.ChoiceField(label=gettext_lazy("Start from"))
    token = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)

    def __init__(
        self, *args: Any, author: str, books: list[tuple[str, str]], **options: Any
    ) -> None:
        """``author``: the name to propose; ``books``: the digest and name of each book that may be
        copied."""
        super().__init__(*args, **options)
        self.fields["author"].initial = author
        field = self.fields["start"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", gettext_lazy("an empty rulebook")), *books]
        field.required = False
        language = get_language() or ""
        self.fields["languages"].initial = "fr" if language.startswith("fr") else "en"

    def clean_slug(self) -> str:
        """Accept capitals and blanks, and require the form of a slug; make one from the name if
        none is typed."""
        typed = str(self.cleaned_data["slug"]).strip().lower().replace(" ", "-")
        slug = typed or key_for(self.cleaned_data.get("name", ""), ())
        if not FORM.fullmatch(slug):
            raise forms.ValidationError(
                gettext_lazy("Use small letters, digits and hyphens only, a letter first."), "slug"
            )
        return slug


class LanguagesForm(CrispyForm):
    """The languages of a game's texts."""

    languages = forms.ChoiceField(
        label=gettext_lazy("Language of its texts"), choices=LANGUAGE_CHOICES
    )


class ShareForm(CrispyForm):
    """A person who may edit the draft, too."""

    person = NameField(label=gettext_lazy("User name"), max_length=150)


class Basics(Frozen):
    """The single values of a rulebook that are no tables, with their labels."""

    name: Annotated[Text, _("Name of the game")]
    summary: Annotated[Text, _("What it is, in a sentence or two")]
    edition: Annotated[Line, _("Edition")]
    author: Annotated[Line, _("Author")]
    life: Annotated[CharacteristicKey | None, _("Characteristic that is ticked off")] = None
    origin_setting: Annotated[SettingKey | None, _("Option for the gang’s origin")] = None
    profession_name: Annotated[Text | None, _("Word for a profession")] = None
    squad_name: Annotated[Text | None, _("Word for a squad")] = None
    experience_name: Annotated[Text | None, _("Word for experience")] = None
    traits_name: Annotated[Text | None, _("Word for traits")] = None


LOOK = HOUSE_LOOK.model_dump(mode="json")
LOOK_MODEL = Look
