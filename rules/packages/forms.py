"""The form for a package: it reads the rulebook in it, or says why it cannot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.forms import CrispyForm
from common.measuring import BadData, parse
from common.wording.translating import translate
from rules.book.model import Book
from rules.loading.apart import TooLarge, read_files_apart
from rules.loading.reader import BIGGEST_FOLDER, BadBook, Mistake
from rules.packages.archive import (
    BIGGEST_TOGETHER,
    BIGGEST_ZIP,
    MOST_FILES,
    BadPackage,
    unpack,
)
from rules.untrusted import LIMITS

# Slugs that have another meaning in addresses of rulebooks' pages.
RESERVED = {"version"}
BAD_PACKAGES: dict[str, Promise] = {
    "too_big": gettext_lazy(
        "The file is too large: a zip can have %(zip)s MB, and its contents %(all)s MB."
    ),
    "no_zip": gettext_lazy("The file is not a zip, or is damaged."),
    "too_many": gettext_lazy(
        "The zip has too many files: a rulebook has at most %(toml)s .toml files, a "
        "zip %(files)s files."
    ),
    "path": gettext_lazy("A file in the zip has a path that leads out of its folder."),
    "locked": gettext_lazy("The zip has a password: make one without a password."),
    "no_toml": gettext_lazy("The zip does not contain any .toml file."),
    "folders": gettext_lazy(
        "The .toml files are in several folders: put only one rulebook into a zip."
    ),
    "twice": gettext_lazy("Two files in the zip have the same name."),
    "text": gettext_lazy("A file in the zip is not UTF-8 text."),
}
MEGABYTE = 1_000_000
SIZES = {
    "zip": BIGGEST_ZIP // MEGABYTE,
    "all": BIGGEST_TOGETHER // MEGABYTE,
    "toml": BIGGEST_FOLDER,
    "files": MOST_FILES,
}


def mistake_text(mistake: Mistake) -> str:
    """Describe a mistake or note with its place in the files."""
    where = mistake.file if mistake.line is None else f"{mistake.file}:{mistake.line}"
    path = f"{mistake.path} ({mistake.row})" if mistake.row else mistake.path
    place = ", ".join(filter(None, [path, where]))
    return _("%(place)s: %(what)s") % {"place": place, "what": translate(mistake.message)}


class NotRead(Exception):
    """Raised for a package without a sound rulebook: the ``words`` say why, and ``mistakes`` are
    the checker's, if there are any."""

    def __init__(self, words: str, mistakes: list[Mistake] | None = None) -> None:
        super().__init__(words)
        self.words = words
        self.mistakes = mistakes or []


@dataclass(frozen=True)
class Unpacked:
    """The rulebook in a package, and the checker's notes. ``is_changed``: somebody changed the
    files after they were packed."""

    book: Book
    notes: list[Mistake]
    is_changed: bool


def read_package(content: bytes) -> Unpacked:
    """Read the rulebook in a stranger's package. Raises NotRead, or ``apart.Busy``."""
    try:
        package = unpack(content)
    except BadPackage as bad:
        words = str(BAD_PACKAGES[bad.code] % SIZES)
        raise NotRead(f"{words} ({bad.detail})" if bad.detail else words) from None
    try:
        book, notes = read_files_apart(package.texts)
        # As strict as an import, so that files of gangs can carry this version elsewhere.
        parse(book.canonical().encode(), LIMITS)
    except BadBook as bad_book:
        words = _("The rulebook has mistakes: nothing was stored.")
        raise NotRead(words, bad_book.mistakes) from None
    except (TooLarge, BadData):
        raise NotRead(_("This rulebook is too large to work out.")) from None
    if book.slug in RESERVED:
        words = _("A rulebook cannot have the slug “%(slug)s”: choose another.")
        raise NotRead(words % {"slug": book.slug})
    if book.variant is not None:
        book = book.changed(variant=None)
    return Unpacked(book, notes, package.digest not in ("", book.digest))


class PackageForm(CrispyForm):
    """A zip of a rulebook's folder.

    When valid, ``book`` is the rulebook, ``notes`` are the checker's, and ``is_changed`` says that
    somebody changed the files after they were packed. ``mistakes``: the checker's, if there are
    any. Checking may raise ``apart.Busy``.
    """

    file = forms.FileField(
        label=gettext_lazy("Rulebook (.zip)"),
        help_text=gettext_lazy("A zip of the folder with its .toml files."),
        widget=forms.ClearableFileInput(attrs={"accept": ".zip,application/zip"}),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.book: Book | None = None
        self.notes: list[Mistake] = []
        self.mistakes: list[Mistake] = []
        self.is_changed = False

    def clean_file(self) -> UploadedFile[Any]:
        """Read the rulebook in the zip."""
        upload: UploadedFile[Any] = self.cleaned_data["file"]
        try:
            # A byte more than allowed shows that it is too large.
            found = read_package(upload.read(BIGGEST_ZIP + 1))
        except NotRead as bad:
            self.mistakes = bad.mistakes
            raise ValidationError(bad.words) from None
        self.book, self.notes, self.is_changed = found.book, found.notes, found.is_changed
        return upload
