"""From a folder of TOML files to a ``Book``, or to the list of every mistake in them.

Each top-level name belongs to one file of the folder; which file is the author's choice.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from common.measuring import BIGGEST_NUMBER
from common.text import cleaned_data
from rules.book.model import Book
from rules.book.rolls import STEPS
from rules.loading.check_building import check
from rules.loading.check_rolls import tried

BIGGEST_FILE = 1_000_000
BIGGEST_FOLDER = 40
DEEPEST = 20
# Each is a sentence with its path: whoever has more has mistaken the form of the whole.
MOST_MISTAKES = 1_000
Place = tuple[int | str, ...]


@dataclass(frozen=True)
class Mistake:
    """One thing wrong with a rulebook: the file, the path inside it ("ranks.1.price"), in words."""

    file: str
    path: str
    message: str

    def __str__(self) -> str:
        return (
            f"{self.file}: {self.path}: {self.message}"
            if self.path
            else f"{self.file}: {self.message}"
        )


class BadBook(ValueError):
    """A rulebook that cannot be used. ``mistakes``: all of them."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        super().__init__("\n".join(map(str, mistakes)))
        self.mistakes = mistakes


def read_folder(folder: Path, *, trying: bool = False) -> Book:
    """The rulebook in ``folder``. Raises BadBook with every mistake.

    ``trying``: its rolls are worked out for figures of it, too, which takes some seconds.
    """
    mistakes: list[Mistake] = []
    data: dict[str, object] = {}
    files: dict[str, str] = {}
    paths = sorted(folder.glob("*.toml")) if folder.is_dir() else []
    if not paths:
        raise BadBook([Mistake(str(folder), "", "there is no .toml file here")])
    if len(paths) > BIGGEST_FOLDER:
        raise BadBook([Mistake(str(folder), "", f"more than {BIGGEST_FOLDER} files")])
    for path in paths:
        for key, value in _read_file(path, mistakes).items():
            if key in data:
                message = f"also in {files[key]}; it must be in one file only"
                mistakes.append(Mistake(path.name, key, message))
            else:
                data[key] = value
                files[key] = path.name
    if data.get("slug", folder.name) != folder.name:
        mistakes.append(
            Mistake(files["slug"], "slug", f"must be the folder's name, “{folder.name}”")
        )
    try:
        book = parse(data, files, fallback=paths[0].name, trying=trying)
    except BadBook as bad:
        raise BadBook(mistakes + bad.mistakes) from None
    if mistakes:
        raise BadBook(mistakes)
    return book


def parse(
    data: Mapping[str, object], files: Mapping[str, str], *, fallback: str, trying: bool = False
) -> Book:
    """A checked Book from parsed data.

    ``files`` names the file of each top-level key for the mistakes; ``fallback`` serves for those
    that are missing; ``trying``: rolls are worked out, too. Raises BadBook with every mistake of
    form, or of sense if the form is right, or of rolls if the sense is.
    """

    def mistake(path: Place, message: str) -> Mistake:
        file = files.get(str(path[0]), fallback) if path else fallback
        return Mistake(file, ".".join(map(str, path)), message)

    monstrous = [mistake(path, message) for path, message in _monstrous(data)]
    if monstrous:
        raise BadBook(monstrous)
    data = cleaned_data(data)
    try:
        book = Book.model_validate(data)
    except ValidationError as error:
        if error.error_count() > MOST_MISTAKES:
            words = f"has {error.error_count()} mistakes of form, too many to list"
            raise BadBook([mistake((), words)]) from None
        raise BadBook([mistake(path, words) for path, words in _form(error, data)]) from None
    senseless = [mistake(path, message) for path, message in check(book)]
    if trying and not senseless:
        senseless = [mistake(path, message) for path, message in tried(book)]
    if senseless:
        raise BadBook(senseless)
    return book


def _read_file(path: Path, mistakes: list[Mistake]) -> dict[str, object]:
    if path.stat().st_size > BIGGEST_FILE:
        mistakes.append(Mistake(path.name, "", f"larger than {BIGGEST_FILE} bytes"))
        return {}
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except UnicodeDecodeError:
        mistakes.append(Mistake(path.name, "", "is not UTF-8 text"))
    except RecursionError:
        mistakes.append(Mistake(path.name, "", "is nested too deeply"))
    except ValueError as error:
        mistakes.append(Mistake(path.name, "", f"is not TOML: {error}"))
    return {}


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
    if detail["type"] not in WORDS:
        return detail["msg"]
    given = repr(detail.get("input"))[:60]
    return WORDS[detail["type"]].format(**{**detail.get("ctx", {}), "given": given})


def _written_path(path: Place, data: object, kind: str) -> Place:
    """The path as the author wrote it: without the labels that unions put into it.

    A part is a label if the data has no such place, unless that is just what is wrong.
    """
    written: list[int | str] = []
    here = data
    for number, part in enumerate(path, start=1):
        if isinstance(part, int):
            here = here[part] if isinstance(here, list) and part < len(here) else None
        elif path[number - 3 : number - 2] == ("steps",) and number > 2:
            continue  # Which step it is; a field of that name comes after it.
        elif isinstance(here, Mapping) and part in here:
            here = here[part]
        elif not (isinstance(here, Mapping) and kind == "missing" and number == len(path)):
            continue
        written.append(part)
    return tuple(written)
