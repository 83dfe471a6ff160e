"""Reads a folder of TOML files as a ``Book``, or lists every mistake in them.

Each top-level name is in one file of the folder; the author chooses which.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from common.measuring import BIGGEST_NUMBER
from common.text import clean_data
from common.wording.sentences import gettext_noop as _
from common.wording.sentences import pack, say, unpack
from common.wording.texts import Text, needed, read_languages
from rules.book.model import Book
from rules.loading.check_building import check
from rules.loading.check_size import values_inside
from rules.loading.library_words import explain_form, explain_toml, is_text
from rules.loading.lines import Place, lines_of

BIGGEST_FILE = 1_000_000
BIGGEST_FOLDER = 40
DEEPEST = 20
# An author with more mistakes has misunderstood the whole form: they are only counted.
MOST_MISTAKES = 1_000


@dataclass(frozen=True)
class Mistake:
    """One thing wrong with a rulebook, in words, and its place; empty parts are not known.

    ``path``: inside the file ("ranks.1.price"); ``row``: the key of the row around it.
    """

    file: str
    path: str
    message: str
    row: str = ""
    line: int | None = None

    def pack(self) -> list[object]:
        """Return it as JSON can carry it."""
        return [self.file, self.path, pack(self.message), self.row, self.line]

    @staticmethod
    def unpack(packed: list[Any]) -> Mistake:
        """Return the mistake that ``pack`` made ``packed`` of."""
        file, path, message, row, line = packed
        words = unpack(message)
        assert not isinstance(words, Text)
        return Mistake(file, path, words, row, line)

    def __str__(self) -> str:
        path = f"{self.path} ({self.row})" if self.row else self.path
        file = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{path}, {file}: {self.message}" if path else f"{file}: {self.message}"


class BadBook(ValueError):
    """Raised for a rulebook that cannot be used. ``mistakes``: all of them, of form or of sense."""

    def __init__(self, mistakes: list[Mistake], *, of_form: bool = True) -> None:
        super().__init__("\n".join(map(str, mistakes)))
        self.mistakes = mistakes
        self.of_form = of_form


@dataclass(frozen=True)
class RawBook:
    """A rulebook's data, not yet understood, and where each part of it is written.

    ``files`` names the file of each top-level key, ``fallback`` the file for missing keys;
    ``texts``: the contents of the files, whose lines are looked for only if something is wrong.
    ``wrong``: the mistakes of the files; ``whole``: all files could be read.
    """

    data: dict[str, object]
    fallback: str
    files: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    wrong: list[Mistake] = field(default_factory=list)
    whole: bool = True

    def mistake(self, path: Place, message: str) -> Mistake:
        """A mistake at this place of the data."""
        file = self.files.get(str(path[0]), self.fallback) if path else self.fallback
        inner = [path[:length] for length in range(len(path), 0, -1)]
        line = next((self._lines[place] for place in inner if place in self._lines), None)
        return Mistake(file, ".".join(map(str, path)), message, self._row(path), line)

    def mistakes(self, found: Iterable[tuple[Place, str]]) -> list[Mistake]:
        """Each of several mistakes."""
        return [self.mistake(path, message) for path, message in found]

    def _row(self, path: Place) -> str:
        """The key of the innermost row around a place."""
        key, here = "", self.data
        for part in path:
            try:
                here = here[part]  # type: ignore[index, assignment]
            except (KeyError, IndexError, TypeError):
                break
            if isinstance(here, Mapping):
                own = here.get("key", here.get("code"))
                key = own if isinstance(own, str) else key
        return key

    @cached_property
    def _lines(self) -> dict[Place, int]:
        found: dict[Place, int] = {}
        for text in self.texts.values():
            try:
                found |= lines_of(text)
            except RecursionError:
                continue  # Another check reports that the file is nested too deeply.
        return found


def read_folder(folder: Path, examined: Collection[str] = ()) -> Book:
    """The rulebook in ``folder``. Raises BadBook with every mistake.

    ``examined``: digests of books whose sense was checked before. An equal one is not checked
    again, which takes most of the time.
    """
    return parse(open_folder(folder), examined=examined)


def open_folder(folder: Path) -> RawBook:
    """The files of ``folder``. Raises BadBook if there are none, or too many, or if it cannot be
    read."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".toml")
    except (FileNotFoundError, NotADirectoryError):
        paths = []
    except OSError as error:
        raise BadBook([Mistake(str(folder), "", _unreadable(error))]) from None
    for wrong, message in (
        (not folder.exists(), "this folder does not exist"),
        (folder.is_file(), "is a file: give its folder instead"),
        (not paths, "this folder does not contain any .toml file"),
        (len(paths) > BIGGEST_FOLDER, f"must have at most {BIGGEST_FOLDER} files"),
    ):
        if wrong:
            raise BadBook([Mistake(str(folder), "", message)])
    raw = _open((path.name, _read_file(path)) for path in paths)
    # The folder may be given as ".": resolve it to get its name.
    name = folder.resolve().name
    if raw.data.get("slug", name) != name:
        raw.wrong.append(raw.mistake(("slug",), f"must be the folder's name, “{name}”"))
    return raw


def open_texts(texts: Mapping[str, str]) -> RawBook:
    """The files of a rulebook from their contents, by name; there must be at least one."""
    return _open(texts.items())


def _open(files: Iterable[tuple[str, str | Mistake]]) -> RawBook:
    """The data of files; of one that cannot be read, only the mistake is known."""
    raw = RawBook({}, "")
    twice: list[tuple[str, str]] = []
    for name, text in files:
        raw = raw if raw.fallback else replace(raw, fallback=name)
        for key, value in _parse_file(name, text, raw).items():
            if key in raw.data:
                twice.append((name, key))
            else:
                raw.data[key] = value
                raw.files[key] = name
    raw = replace(raw, whole=not raw.wrong)
    for file, key in twice:
        message = say(_("is also in %(file)s: keep it in one file only"), file=raw.files[key])
        raw.wrong.append(Mistake(file, key, message, line=lines_of(raw.texts[file])[key,]))
    return raw


def parse(raw: RawBook, *, stored: bool = False, examined: Collection[str] = ()) -> Book:
    """A checked Book. ``stored``: as for ``check``. ``examined``: as for ``read_folder``.

    Raises BadBook with every mistake of the files, and of form, or of sense if the form is right.
    If a file could not be read, mistakes that may come from its absence are left out.
    """
    try:
        book = _understand(raw, stored=stored, examined=examined)
    except BadBook as bad:
        found = bad.mistakes
        if not raw.whole:
            read = {"", *raw.data}
            found = [one for one in found if bad.of_form and one.path.partition(".")[0] in read]
        raise BadBook(raw.wrong + found, of_form=bad.of_form) from None
    if raw.wrong:
        raise BadBook(raw.wrong)
    return book


def _understand(raw: RawBook, *, stored: bool, examined: Collection[str]) -> Book:
    if monstrous := raw.mistakes(_monstrous(raw.data)):
        raise BadBook(monstrous)
    data = _in_all_languages(clean_data(raw.data))
    languages = read_languages(data.get("languages"))
    try:
        book = Book.model_validate(data, context={"languages": needed(languages)})
    except ValidationError as error:
        if error.error_count() > MOST_MISTAKES:
            words = say(
                _("has %(count)s mistakes of form: too many to list"), count=error.error_count()
            )
            raise BadBook([raw.mistake((), words)]) from None
        raise BadBook(raw.mistakes(_form(error, data))) from None
    if examined and book.digest in examined:
        return book
    if senseless := raw.mistakes(check(book, stored=stored)):
        raise BadBook(senseless, of_form=False)
    return book


def _read_file(path: Path) -> str | Mistake:
    """The text of a file, or a mistake, if it cannot be read."""
    try:
        if path.stat().st_size > BIGGEST_FILE:
            return Mistake(path.name, "", f"must have at most {BIGGEST_FILE} bytes")
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        return Mistake(path.name, "", "is not UTF-8 text")
    except OSError as error:
        return Mistake(path.name, "", _unreadable(error))


def _parse_file(name: str, text: str | Mistake, raw: RawBook) -> dict[str, object]:
    """The data of a file. Adds its text, or its mistake if it is not TOML, to ``raw``."""
    if isinstance(text, Mistake):
        raw.wrong.append(text)
        return {}
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raw.wrong.append(Mistake(name, "", _("too many levels of nesting")))
    except ValueError as error:
        raw.wrong.append(Mistake(name, "", explain_toml(error)))
    else:
        raw.texts[name] = text
        return data
    return {}


def _unreadable(error: OSError) -> str:
    return f"cannot be read: {error.strerror}"


def _monstrous(data: Mapping[str, object]) -> Iterator[tuple[Place, str]]:
    """Values that no rulebook needs and that would break the code that handles them later."""
    for path, value in values_inside(data, DEEPEST):
        if len(path) > DEEPEST:
            yield path[:2], say(_("at most %(most)s levels of nesting are allowed"), most=DEEPEST)
        elif isinstance(value, int) and abs(value) > BIGGEST_NUMBER:
            yield path, _("the number is too large")


def _in_all_languages(data: dict[str, object]) -> dict[str, object]:
    """The data with its texts in every language that they need, if the book is in only one.

    Validation says where texts belong: each text that is wrong because it has one language, or is a
    plain one, is completed.
    """
    languages = read_languages(data.get("languages"))
    if len(languages) != 1:
        return data
    (language,) = languages
    data = copy.deepcopy(data)
    try:
        Book.model_validate(data, context={"languages": needed(languages)})
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            path = _written_path(detail["loc"], data, detail["type"])
            if path and detail["type"] == "missing" and path[-1] in needed(languages):
                text = _at(data, path[:-1])
                if isinstance(text, dict) and text.keys() == {language}:
                    text[path[-1]] = text[language]
            elif path and isinstance(detail["input"], str) and is_text(detail):
                here = _at(data, path[:-1])
                here[path[-1]] = dict.fromkeys(needed(languages), detail["input"])
    return data


def _at(data: object, path: Place) -> Any:
    """The value at a place that exists."""
    for part in path:
        data = data[part]  # type: ignore[index]
    return data


def _form(error: ValidationError, data: Mapping[str, object]) -> list[tuple[Place, str]]:
    """Every mistake of form; alternatives at one place are joined in one sentence."""
    found: dict[Place, list[str]] = {}
    details = error.errors(include_url=False)
    for detail in details:
        path = _written_path(detail["loc"], data, detail["type"])
        words = explain_form(detail)
        if detail["type"] == "too_short" and any(_inside(one, detail) for one in details):
            continue  # Its parts are wrong, and were not counted.
        if words not in found.setdefault(path, []):
            found[path].append(words)
    return [(path, reduce(_either, words)) for path, words in found.items()]


def _either(one: str, other: str) -> str:
    return say(_("%(one)s, or %(other)s"), one=one, other=other)


def _inside(one: ErrorDetails, other: ErrorDetails) -> bool:
    """Whether the place of one mistake is inside the place of another."""
    depth = len(other["loc"])
    return len(one["loc"]) > depth and one["loc"][:depth] == other["loc"]


def _written_path(path: Place, data: object, kind: str) -> Place:
    """The path as the author wrote it, without the labels that pydantic's unions put into it.

    A part is a label if the data has no such place, unless the missing place is the mistake. The
    kind of a row is a label directly after the row's index, even if the row has a field of that
    name: "fates" in a step that decides fates.
    """
    written: list[int | str] = []
    here = data
    for number, part in enumerate(path):
        if isinstance(part, int):
            here = here[part] if isinstance(here, list) and part < len(here) else None
        elif _is_label(path, number, here):
            continue
        elif isinstance(here, Mapping) and part in here:
            here = here[part]
        elif not (isinstance(here, Mapping) and kind == "missing" and number == len(path) - 1):
            continue
        written.append(part)
    return tuple(written)


def _is_label(path: Place, number: int, row: object) -> bool:
    """Whether this part of a path is the kind of the row before it; steps of rolls have no
    ``kind``, but are labelled, too."""
    if number < 2 or not isinstance(path[number - 1], int):
        return False
    of_row = isinstance(row, Mapping) and path[number] == row.get("kind")
    return of_row or path[number - 2] == "steps"
