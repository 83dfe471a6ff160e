"""A rulebook in one language that uses every word of the vocabulary, made from its models."""

from __future__ import annotations

from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from pydantic import TypeAdapter, ValidationError

from rules.book.model import Book
from rules.book.vocabulary import Frozen, Text
from rules.loading.reader import BadBook, RawBook, parse

# A value for each form that a field may have: the first that its type accepts is used.
VALUES = (1, 2, 20, 100, "a", "A", "2d6", "1", "#123456", "a.b", "M0", "2d6 >= 9", "en")
# A model inside itself, such as a choice among choices, is used this often.
DEEPEST = 2
WORDS = "Words"


def _make_value(kind: Any, stack: tuple[type[Frozen], ...]) -> Any:
    """Return the data of a value of a type, with every alternative of the lists inside it."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Text:
        return WORDS
    if isinstance(kind, type) and issubclass(kind, Frozen):
        return _make_model(kind, (*stack, kind))
    if origin is Annotated:
        return _make_value(inner[0], stack) if _has_models(inner[0]) else _make_plain(kind)
    if origin in (Union, UnionType) and _has_models(kind):
        return next(_make_alternatives(kind, stack), None)
    if origin is tuple and _has_models(kind):
        rows = [row for part in inner if part is not ... for row in _make_alternatives(part, stack)]
        return rows * 2 if len(rows) == 1 else rows
    if origin is dict and _has_models(kind):
        return {_make_plain(inner[0]): _make_value(inner[1], stack)}
    return _make_plain(kind)


def _make_alternatives(kind: Any, stack: tuple[type[Frozen], ...]) -> Iterator[Any]:
    """Return the data of each alternative of a union that is not too deep inside itself."""
    if get_origin(kind) in (Union, UnionType, Annotated):
        parts = get_args(kind)
        for part in parts[:1] if get_origin(kind) is Annotated else parts:
            yield from _make_alternatives(part, stack)
    elif kind is not type(None) and not _is_too_deep(kind, stack):
        yield _make_value(kind, stack)


def _is_too_deep(kind: type[Frozen], stack: tuple[type[Frozen], ...]) -> bool:
    """Whether a model is inside itself, or an outcome with outcomes inside such, too often."""
    around = [model for model in stack if _has_outcomes(model)]
    return stack.count(kind) >= DEEPEST or (_has_outcomes(kind) and len(around) >= DEEPEST)


def _has_outcomes(model: type) -> bool:
    fields = getattr(model, "model_fields", {})
    return "kind" in fields and ("outcomes" in fields or "options" in fields)


def _make_model(model: type[Frozen], stack: tuple[type[Frozen], ...]) -> dict[str, Any]:
    made = {}
    for name, field in model.model_fields.items():
        annotation = field.annotation
        if _has_models(annotation):
            value = _make_value(annotation, stack)
        else:
            value = _make_plain(Annotated[annotation, field])
        if value not in (None, []):
            made[name] = value
    return made


def _has_models(kind: Any) -> bool:
    if isinstance(kind, type):
        return issubclass(kind, Frozen | Text)
    return any(_has_models(inner) for inner in get_args(kind))


def _make_plain(kind: Any) -> Any:
    """Return the first value that a type without models accepts, in the types of JSON."""
    choices: list[Any] = list(_find_literals(kind))
    single = [*choices, *VALUES]
    several = [[one] * count for count in (1, 2, 3) for one in single]
    accept = TypeAdapter(kind).validate_python
    for value in [
        *single,
        *several,
        [[1]],
        {"a": 1},
        {"a": "a"},
        {"a": ["a"]},
        {"a": "1d6"},
        {"en": ["a"]},
    ]:
        try:
            accept(value)
        except ValidationError:
            continue
        return value
    raise AssertionError(f"no value for {kind}")


def _find_literals(kind: Any) -> Iterator[Any]:
    for inner in get_args(kind):
        if get_origin(kind) is Literal:
            yield inner
        else:
            yield from _find_literals(inner)


def _find_texts(data: Any, path: tuple[int | str, ...] = ()) -> Iterator[tuple[int | str, ...]]:
    """Return the places of all texts."""
    if data == WORDS:
        yield path
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in () if isinstance(data, str) else items:
        if isinstance(value, (dict, list, str)):
            yield from _find_texts(value, (*path, key))


@pytest.fixture(scope="module")
def every_word() -> dict[str, Any]:
    """Return the data of a rulebook in English with every kind of row, step and outcome."""
    return {**_make_model(Book, (Book,)), "languages": ["en"]}


def test_book_has_every_outcome_in_every_step(every_word: dict[str, Any]) -> None:
    fates = [step for step in every_word["campaign"]["steps"] if step["kind"] == "fates"]
    kinds = {outcome["kind"] for outcome in fates[0]["fates"][0]["outcomes"]}
    assert {"dies", "suffers", "learns", "rolls_on", "chooses"} <= kinds
    assert len(every_word["campaign"]["steps"]) >= 8


def test_reader_completes_every_text_of_a_book_in_one_language(every_word: dict[str, Any]) -> None:
    with pytest.raises(BadBook) as caught:
        parse(RawBook(every_word, "book.toml"))
    # Its keys mean nothing, so that its sense is wrong; but the form is right.
    assert not caught.value.of_form, caught.value


@pytest.mark.parametrize("languages", [["en"], ["en", "fr"]])
def test_reader_names_the_place_of_every_wrong_text(
    every_word: dict[str, Any], languages: list[str]
) -> None:
    texts = sorted({".".join(map(str, path)) for path in _find_texts(every_word)})
    assert len(texts) > 200
    with pytest.raises(BadBook) as caught:
        parse(RawBook(_replace_texts({**every_word, "languages": languages}), "book.toml"))
    assert sorted(mistake.path for mistake in caught.value.mistakes) == texts


def _replace_texts(data: Any) -> Any:
    """Return the data with a number in the place of each text."""
    if isinstance(data, dict):
        return {key: _replace_texts(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_replace_texts(value) for value in data]
    return 7 if data == WORDS else data
