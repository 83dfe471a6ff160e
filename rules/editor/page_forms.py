"""The forms of the editor that are no rows of a table: start, names, languages, files, sharing."""

from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy

from accounts.language import language
from common.errors import Refusal
from common.forms import CrispyForm, NameField, PlainField
from rules.editor.forms import key_for
from rules.editor.pasted.spreadsheets import LONGEST_PASTE
from rules.editor.refusals import describe
from rules.editor.slugs import FORM


def language_field() -> forms.MultipleChoiceField:
    """Return the field for the languages of a game's texts: any of the site's."""
    return forms.MultipleChoiceField(
        label=gettext_lazy("Languages of its texts"),
        choices=settings.LANGUAGES,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("One is enough. With several, every text has a field for each."),
    )


class StartForm(CrispyForm):
    """The name, slug and author of a new game."""

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

    def add_refusal(self, refused: Refusal) -> None:
        """Show a refusal beside the field that it is about."""
        self.add_error("slug" if "slug" in refused.code else "name", describe(refused))


class GameForm(StartForm):
    """The start of a game: also its languages, and the book that it is a copy of, or the campaign
    that it takes."""

    languages = language_field()
    start = forms.ChoiceField(label=gettext_lazy("Start from"))
    campaign = forms.ChoiceField(
        label=gettext_lazy("Its campaign"),
        help_text=gettext_lazy(
            "Injuries, experience and income between games. The next page asks which of its "
            "characteristics and ranks are which of yours. You can also choose one later."
        ),
    )
    token = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)

    def __init__(
        self,
        *args: Any,
        author: str,
        books: list[tuple[str, str]],
        campaigns: list[tuple[str, str]],
        **options: Any,
    ) -> None:
        """``author``: the name to propose; ``books``: the digest and name of each book that may be
        copied; ``campaigns``: the key and name of each campaign that may be taken."""
        super().__init__(*args, **options)
        self.fields["author"].initial = author
        field = self.fields["start"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", gettext_lazy("an empty rulebook")), *books]
        field.required = False
        field = self.fields["campaign"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", gettext_lazy("one game after another")), *campaigns]
        field.required = False
        self.fields["languages"].initial = [language()]

    def clean_campaign(self) -> str:
        """Require that a copy of a book keeps its own campaign."""
        campaign = str(self.cleaned_data["campaign"])
        if campaign and self.cleaned_data.get("start"):
            raise forms.ValidationError(
                gettext_lazy("A copy has a campaign already: start from an empty rulebook."), "copy"
            )
        return campaign


class LanguagesForm(CrispyForm):
    """The languages of a game's texts."""

    languages = language_field()


class ShareForm(CrispyForm):
    """A person who may edit the draft, too."""

    person = NameField(label=gettext_lazy("User name"), max_length=150)


class NameForm(CrispyForm):
    """A variant's name."""

    name = NameField(label=gettext_lazy("Name of the variant"))
    token = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)


class PasteForm(CrispyForm):
    """The rows of a table, one a line."""

    lines = PlainField(
        label=gettext_lazy("The list"),
        max_length=LONGEST_PASTE,
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 12, "class": "font-monospace unwrapped", "autofocus": True}
        ),
    )
    update = forms.BooleanField(
        label=gettext_lazy("Change rows that have the same name, instead of adding a second one"),
        required=False,
    )


class FileForm(CrispyForm):
    """A file of a variant or a game; ``content``: that of a variant, on the page that asks whether
    to continue."""

    file = forms.FileField(
        label=gettext_lazy("Variant (.json) or game (.zip)"),
        help_text=gettext_lazy(
            "A file that was exported from this site or another, or a zip of a folder with .toml "
            "files."
        ),
        required=False,
        widget=forms.ClearableFileInput(attrs={"accept": "application/json,.json,.zip"}),
    )
    content = PlainField(widget=forms.HiddenInput, required=False, strip=False)
    token = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)
