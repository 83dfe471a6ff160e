"""Translations of rulebooks as ``.po`` files, which translators' programs edit."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from string import Formatter
from typing import NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.pofile import PoFileError, normalize, read_po, write_po

from common.text import lines, one_line
from common.wording.sentences import Label
from common.wording.sentences import gettext_noop as _
from common.wording.texts import CODE_PATTERN, LONGEST_LINE
from rules.book.model import Book
from rules.words.table import Word, WordTable, find_words

# Bytes and messages of a file. The largest shipped rulebook has 1,100 words in 230 KB.
LONGEST_FILE = 1_500_000
MOST_WORDS = 10_000
# The texts with values in their placeholders ("{name}").
FILLED = {"limits.text"}
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# A number of plural forms for which the reader would reserve memory. Rulebooks have no plurals.
MANY_FORMS = re.compile(r"nplurals\s*=\s*\d{2}")


class BadTranslation(Exception):
    """A file that is not a translation of a rulebook; its argument says why."""

    def __init__(self, why: Label) -> None:
        super().__init__(why)
        self.why = why


class ReadTranslation(NamedTuple):
    """A translation from a file. ``language``: "" if the file does not say."""

    language: str
    table: dict[Word, str]


def write_translation(book: Book, language: str, table: WordTable) -> bytes:
    """Return the words of a rulebook as a ``.po`` file, with those translations that there are.

    Each word has its place as context; comments show its row and its other languages.
    """
    catalog = Catalog(charset="utf-8")
    for word, found in find_words(book).items():
        catalog.add(
            word.text,
            table.get(word, ""),
            context=word.place,
            auto_comments=[f"{code}: {words}" for code, words in found.text if words != word.text],
            user_comments=[found.row] if found.row else [],
        )
    file = BytesIO()
    write_po(file, catalog, width=0, omit_header=True)
    headers = {
        "Project-Id-Version": f"{book.slug} {book.edition}",
        "Language": language,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
    }
    head = "".join(f"{normalize(f'{name}: {value}\n')}\n" for name, value in headers.items())
    return f'msgid ""\nmsgstr ""\n{head}\n'.encode() + file.getvalue()


def read_shipped(folder: Path) -> dict[str, WordTable]:
    """Return the translations in a rulebook's folder, by language. Raises BadTranslation."""
    files = sorted(folder.glob("words/*.po"))
    return {
        file.stem.lower().replace("_", "-"): read_translation(file.read_bytes()).table
        for file in files
    }


def read_translation(content: bytes) -> ReadTranslation:
    """Read a ``.po`` file from anybody: its language, and the words that it translates.

    Leaves out what is marked as fuzzy or obsolete. Raises BadTranslation.
    """
    if len(content) > LONGEST_FILE:
        raise BadTranslation(_("The file is too big."))
    try:
        text = content.removeprefix(BYTE_ORDER_MARK).decode()
    except UnicodeDecodeError:
        raise BadTranslation(_("The file is not in UTF-8.")) from None
    if MANY_FORMS.search(text) or text.count("\nmsgid ") > MOST_WORDS:
        raise BadTranslation(_("The file is too big."))
    try:
        catalog = read_po(text.splitlines(), ignore_obsolete=True, abort_invalid=True)
    except (PoFileError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        # Babel raises any of these for broken escapes, dates and headers.
        raise BadTranslation(_("This is not a .po file.")) from None
    table: dict[Word, str] = {}
    for message in catalog:
        place, original, translated = message.context, message.id, message.string
        if not place or not isinstance(original, str) or not isinstance(translated, str):
            continue
        words = lines(translated)
        if words and not message.fuzzy:
            if place in FILLED and not _keeps_placeholders(original, words):
                raise BadTranslation(
                    _("A translation has a placeholder in braces that the game’s text lacks.")
                )
            if len(words) > LONGEST_LINE:
                raise BadTranslation(_("A text has more than 4,000 letters."))
            table[Word(place, original)] = words
    return ReadTranslation(_language_of(catalog), table)


def _keeps_placeholders(original: str, words: str) -> bool:
    """Whether a translation is filled in with no other values than the text itself."""
    try:
        known, used = (
            {part[1:] for part in Formatter().parse(one) if part[1] is not None}
            for one in (original, words)
        )
    except ValueError:
        return False
    return used <= known


def _language_of(catalog: Catalog) -> str:
    code = one_line(catalog.locale_identifier or "").lower().replace("_", "-")
    return code if re.fullmatch(CODE_PATTERN, code) else ""
