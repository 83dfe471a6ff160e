"""From a folder of TOML files to a ``Book``, or to the list of every mistake in them.

Each top-level name belongs to one file of the folder; which file is the author's choice.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from common.measuring import BIGGEST_NUMBER
from common.text import clean_data
from rules.book.model import Book
from rules.book.rolls import STEPS
from rules.book.vocabulary import LANGUAGES
from rules.loading.check_building import check
from rules.loading.lines import Place, lines_of

BIGGEST_FILE = 1_000_000
BIGGEST_FOLDER = 40
DEEPEST = 20
# Each is a sentence with its path: whoever has more has mistaken the form of the whole.
MOST_MISTAKES = 1_000


@dataclass(frozen=True)
class Mistake:
    """One thing wrong with a rulebook, in words, and where.

    ``file``, ``path`` inside it ("ranks.1.price"); ``row``: the key of the row that this is in;
    ``line`` of the file. Those that are not known are empty.
    """

    file: str
    path: str
    message: str
    row: str = ""
    line: int | None = None

    def __str__(self) -> str:
        path = f"{self.path} ({self.row})" if self.row else self.path
        file = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{path}, {file}: {self.message}" if path else f"{file}: {self.message}"


class BadBook(ValueError):
    """A rulebook that cannot be used. ``mistakes``: all of them, of form or else of sense."""

    def __init__(self, mistakes: list[Mistake], *, of_form: bool = True) -> None:
        super().__init__("\n".join(map(str, mistakes)))
        self.mistakes = mistakes
        self.of_form = of_form


@dataclass(frozen=True)
class Places:
    """What the parts of a rulebook's data are written as: to say where something is wrong.

    ``files`` names the file of each top-level key, ``fallback`` that of those that are missing;
    ``texts``: what stands in the files, whose lines are looked for only once something is wrong.
    """

    data: Mapping[str, object]
    files: Mapping[str, str]
    fallback: str
    texts: Mapping[str, str] = field(default_factory=dict)

    def mistake(self, path: Place, message: str) -> Mistake:
        """Something wrong at this place of the data."""
        file = self.files.get(str(path[0]), self.fallback) if path else self.fallback
        inner = [path[:length] for length in range(len(path), 0, -1)]
        line = next((self._lines[place] for place in inner if place in self._lines), None)
        return Mistake(file, ".".join(map(str, path)), message, self._row(path), line)

    def mistakes(self, found: Iterable[tuple[Place, str]]) -> list[Mistake]:
        """The same for several."""
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
                continue  # So deep that this is what is wrong.
        return found


@dataclass(frozen=True)
class Folder:
    """A folder of files, read but not understood. ``mistakes``: of files; ``whole``: all were
    readable."""

    data: Mapping[str, object]
    places: Places
    mistakes: list[Mistake]
    whole: bool


def read_folder(folder: Path, examined: Collection[str] = ()) -> Book:
    """Return the rulebook in ``folder``. Raises BadBook with every mistake.

    ``examined``: digests of books whose sense was checked before. An equal one is not checked
    again, which takes most of the time.
    """
    return understand(open_folder(folder), examined)


def open_folder(folder: Path) -> Folder:
    """The files of ``folder``. Raises BadBook if there are none that could be read at all."""
    for wrong, message in (
        (not folder.exists(), "there is no such folder"),
        (folder.is_file(), "is a file: name the folder that it lies in"),
        (not any(folder.glob("*.toml")), "there is no .toml file in this folder"),
    ):
        if wrong:
            raise BadBook([Mistake(str(folder), "", message)])
    paths = sorted(folder.glob("*.toml"))
    if len(paths) > BIGGEST_FOLDER:
        raise BadBook([Mistake(str(folder), "", f"more than {BIGGEST_FOLDER} files")])
    mistakes: list[Mistake] = []
    data: dict[str, object] = {}
    files: dict[str, str] = {}
    texts: dict[str, str] = {}
    twice: list[tuple[str, str]] = []
    for path in paths:
        read = _read_file(path, mistakes)
        if read is None:
            continue
        texts[path.name], content = read
        for key, value in content.items():
            if key in data:
                twice.append((path.name, key))
            else:
                data[key] = value
                files[key] = path.name
    places = Places(data, files, paths[0].name, texts)
    whole = not mistakes
    for file, key in twice:
        message = f"also in {files[key]}; it must be in one file only"
        mistakes.append(Mistake(file, key, message, line=lines_of(texts[file])[key,]))
    # What is named as "." is the folder one is in.
    name = folder.resolve().name
    if data.get("slug", name) != name:
        mistakes.append(places.mistake(("slug",), f"must be the folder's name, “{name}”"))
    return Folder(data, places, mistakes, whole)


def understand(folder: Folder, examined: Collection[str] = ()) -> Book:
    """The rulebook that the files of a folder make. Raises BadBook with every mistake.

    Where a file could not be read, what is missing because of that is not told besides.
    """
    try:
        book = _parsed(folder.data, folder.places, examined=examined)
    except BadBook as bad:
        mistakes = folder.mistakes + bad.mistakes
        if not folder.whole:
            read = {"", *folder.data}
            mistakes = folder.mistakes + [
                mistake
                for mistake in bad.mistakes
                if bad.of_form and mistake.path.partition(".")[0] in read
            ]
        raise BadBook(mistakes) from None
    if folder.mistakes:
        raise BadBook(folder.mistakes)
    return book


def parse(
    data: Mapping[str, object],
    files: Mapping[str, str],
    *,
    fallback: str,
    stored: bool = False,
) -> Book:
    """A checked Book from parsed data.

    ``files`` names the file of each top-level key for the mistakes; ``fallback`` serves for those
    that are missing; ``stored``: as for ``check``. Raises BadBook with every mistake of form, or of
    sense if the form is right.
    """
    return _parsed(data, Places(data, files, fallback), stored=stored)


def _parsed(
    data: Mapping[str, object],
    places: Places,
    *,
    stored: bool = False,
    examined: Collection[str] = (),
) -> Book:
    monstrous = places.mistakes(_monstrous(data))
    if monstrous:
        raise BadBook(monstrous)
    data = _in_all_languages(clean_data(data))
    try:
        book = Book.model_validate(data)
    except ValidationError as error:
        if error.error_count() > MOST_MISTAKES:
            words = f"has {error.error_count()} mistakes of form, too many to list"
            raise BadBook([places.mistake((), words)]) from None
        raise BadBook(places.mistakes(_form(error, data))) from None
    if examined and book.digest in examined:
        return book
    senseless = places.mistakes(check(book, stored=stored))
    if senseless:
        raise BadBook(senseless, of_form=False)
    return book


def _read_file(path: Path, mistakes: list[Mistake]) -> tuple[str, dict[str, object]] | None:
    """A file's text and data; None, with a mistake, if it cannot be read."""
    if path.stat().st_size > BIGGEST_FILE:
        mistakes.append(Mistake(path.name, "", f"larger than {BIGGEST_FILE} bytes"))
        return None
    try:
        text = path.read_text("utf-8")
        return text, tomllib.loads(text)
    except UnicodeDecodeError:
        mistakes.append(Mistake(path.name, "", "is not UTF-8 text"))
    except RecursionError:
        mistakes.append(Mistake(path.name, "", "is nested too deeply"))
    except ValueError as error:
        mistakes.append(Mistake(path.name, "", f"is not TOML: {error}"))
    return None


def _monstrous(data: Mapping[str, object]) -> Iterator[tuple[Place, str]]:
    """Values that no rulebook needs and that would break what handles them further on."""
    ahead: list[tuple[Place, object]] = [((), data)]
    while ahead:
        path, value = ahead.pop()
        if len(path) > DEEPEST:
            yield path[:2], f"is nested more than {DEEPEST} deep"
        elif isinstance(value, Mapping):
            ahead.extend(((*path, key), inner) for key, inner in value.items())
        elif isinstance(value, list):
            ahead.extend(((*path, index), inner) for index, inner in enumerate(value))
        elif isinstance(value, int) and abs(value) > BIGGEST_NUMBER:
            yield path, "is too large a number"


def _in_all_languages(data: dict[str, object]) -> dict[str, object]:
    """The data with texts for every language of the site, if the book is in one of them only.

    Where texts belong the vocabulary says: whatever is wrong because a text has one language, or is
    a plain one, is put right.
    """
    languages = data.get("languages")
    if not isinstance(languages, list) or len(languages) != 1:
        return data
    (language,) = languages
    if language not in LANGUAGES:
        return data
    data = copy.deepcopy(data)
    try:
        Book.model_validate(data)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            path = _written_path(detail["loc"], data, detail["type"])
            if path and detail["type"] == "missing" and path[-1] in LANGUAGES:
                text = _at(data, path[:-1])
                if isinstance(text, dict) and text.keys() == {language}:
                    text[path[-1]] = text[language]
            elif path and isinstance(detail["input"], str) and _is_text(detail):
                here = _at(data, path[:-1])
                here[path[-1]] = dict.fromkeys(LANGUAGES, detail["input"])
    return data


def _at(data: object, path: Place) -> Any:
    """What stands at a place that is there."""
    for part in path:
        data = data[part]  # type: ignore[index]
    return data


def _is_text(detail: ErrorDetails) -> bool:
    """Whether a text in the languages of the site was wanted here."""
    return detail["type"] == "model_type" and detail.get("ctx", {}).get("class_name") == "Text"


def _form(error: ValidationError, data: Mapping[str, object]) -> list[tuple[Place, str]]:
    """Every mistake of form; where one of several things would do, all of them in one sentence."""
    found: dict[Place, list[str]] = {}
    details = error.errors(include_url=False)
    for detail in details:
        path = _written_path(detail["loc"], data, detail["type"])
        words = _in_words(detail)
        if detail["type"] == "too_short" and any(_inside(one, detail) for one in details):
            continue  # What is in it is wrong, and was not counted.
        if words not in found.setdefault(path, []):
            found[path].append(words)
    return [(path, ", or ".join(words)) for path, words in found.items()]


def _inside(one: ErrorDetails, other: ErrorDetails) -> bool:
    """Whether a mistake is inside of what another is about."""
    depth = len(other["loc"])
    return len(one["loc"]) > depth and one["loc"][:depth] == other["loc"]


WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is not a word of the vocabulary here",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "finite_number": "must be a whole number",
    "int_parsing": "must be a whole number",
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "tuple_type": "must be a list",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "model_attributes_type": "must be a table",
    "frozen_set_type": "must be a list",
    "union_tag_not_found": "needs a “kind”",
    "string_too_short": "must not be empty",
    "union_tag_invalid": "unknown kind “{tag}”; known: {expected_tags}",
    "literal_error": "must be {expected}, not {given}",
    "string_pattern_mismatch": "{given} is not of the form {pattern}",
    "greater_than_equal": "must be at least {ge}, not {given}",
    "less_than_equal": "must be at most {le}, not {given}",
    "greater_than": "must be more than {gt}, not {given}",
    "string_too_long": "is longer than {max_length} characters",
    "too_short": "needs at least {min_length}",
}


def _in_words(detail: ErrorDetails) -> str:
    of_steps = detail["loc"][-2:-1] == ("steps",) and detail["loc"][0] != "campaign"
    if of_steps and detail["type"] == "union_tag_not_found":
        words = ", ".join(model.word for model in STEPS)
        return f"is no step: it needs one of the words {words}"
    if _is_text(detail):
        return "must be a text in both languages: { en = …, fr = … }"
    if detail["type"] not in WORDS:
        return detail["msg"]
    given = repr(detail.get("input"))[:60]
    return WORDS[detail["type"]].format(**{**detail.get("ctx", {}), "given": given})


def _written_path(path: Place, data: object, kind: str) -> Place:
    """The path as the author wrote it: without the labels that unions put into it.

    A part is a label if the data has no such place, unless that is just what is wrong; and so is
    the kind of a row just inside it, even where a field of the row is called the same.
    """
    written: list[int | str] = []
    here = data
    inside = True
    for number, part in enumerate(path, start=1):
        if isinstance(part, int):
            here = here[part] if isinstance(here, list) and part < len(here) else None
        elif path[number - 3 : number - 2] == ("steps",) and number > 2:
            continue  # Which step it is; a field of that name comes after it.
        elif isinstance(here, Mapping) and inside and part == here.get("kind"):
            inside = False
            continue
        elif isinstance(here, Mapping) and part in here:
            here = here[part]
        elif not (isinstance(here, Mapping) and kind == "missing" and number == len(path)):
            continue
        inside = True
        written.append(part)
    return tuple(written)
