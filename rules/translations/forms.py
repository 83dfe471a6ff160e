"""The form for a translation of a rulebook, as a file."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.conf.locale import LANG_INFO
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.language import name_language
from common.forms import CrispyForm
from common.text import fold_letters
from common.wording.translating import translate
from rules.book.model import Book
from rules.words.po import LONGEST_FILE, BadTranslation, read_translation
from rules.words.table import Word, find_words


def language_choices(book: Book) -> list[tuple[str, str]]:
    """The languages into which a rulebook can be translated, those of the site first, each group in
    the order of the reader's names for them."""
    known = {code for code in LANG_INFO if "name" in LANG_INFO[code]} | {*dict(settings.LANGUAGES)}
    ours = {*dict(settings.LANGUAGES)}
    named = [(code, name_language(code)) for code in known - {*book.languages}]
    return sorted(named, key=lambda one: (one[0] not in ours, fold_letters(one[1])))


class TranslationForm(CrispyForm):
    """A ``.po`` file with translated words of a rulebook.

    When valid, ``table`` has the words that the rulebook knows, and ``unknown`` counts the others.
    """

    file = forms.FileField(
        label=gettext_lazy("Translation (.po)"),
        help_text=gettext_lazy("A file from here, filled in with Poedit or another editor."),
        widget=forms.ClearableFileInput(attrs={"accept": ".po,text/x-gettext-translation"}),
    )

    def __init__(self, *args: Any, book: Book, **options: Any) -> None:
        """``book``: the rulebook whose words count."""
        super().__init__(*args, **options)
        self.book = book
        self.language = ""
        self.table: dict[Word, str] = {}
        self.unknown = 0

    def clean_file(self) -> UploadedFile[Any]:
        """Read the words in the file."""
        upload: UploadedFile[Any] = self.cleaned_data["file"]
        try:
            # A byte more than allowed shows that it is too large.
            found = read_translation(upload.read(LONGEST_FILE + 1))
        except BadTranslation as bad:
            raise ValidationError(translate(bad.why)) from None
        if found.language not in dict(language_choices(self.book)):
            raise ValidationError(
                _(
                    "The file’s header names no language into which this game can be translated: "
                    "“Language: %(code)s”."
                )
                % {"code": found.language}
            )
        words = find_words(self.book)
        self.language = found.language
        self.table = {word: text for word, text in found.table.items() if word in words}
        self.unknown = len(found.table) - len(self.table)
        if not self.table:
            raise ValidationError(_("The file translates no words of this game."))
        return upload
