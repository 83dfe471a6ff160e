"""Text fields of the site, all found automatically: forms clean, and models accept what forms
accept.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import pytest
from annotated_types import MaxLen
from django import forms
from django.apps import apps
from django.core.exceptions import ValidationError as FieldError
from pydantic import BeforeValidator, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic.types import StringConstraints

import campaigns.files.format
import gangs.files.format
import rules.editor.files
from campaigns.engine import captives, claims, crew, report
from campaigns.table import storage, taps
from common.forms import NameField, NotesField, PlainField
from common.text import is_fit, one_line
from gangs.engine.entries import KINDS
from tests.common.nasty import NASTY

OURS = (
    "accounts",
    "administration",
    "api",
    "campaigns",
    "common",
    "gangs",
    "outbound",
    "printing",
    "rules",
)
# Texts in which every letter counts, and fields that only choose between options.
AS_TYPED = (forms.PasswordInput,)
CHOSEN = (forms.EmailField, forms.URLField, forms.SlugField, forms.UUIDField)


def our_modules() -> Iterator[Any]:
    for name in OURS:
        package = importlib.import_module(name)
        yield package
        for found in pkgutil.walk_packages(package.__path__, f"{name}."):
            # The bucket module imports packages that only some sites have; it has no form.
            if ".migrations" not in found.name and found.name != "common.bucket":
                yield importlib.import_module(found.name)


def our_forms() -> set[type[forms.BaseForm]]:
    return {
        value
        for module in our_modules()
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, forms.BaseForm)
        and value.__module__.startswith(OURS)
    }


def is_inherited(form: type[forms.BaseForm], name: str) -> bool:
    """Whether a field is django-allauth's: whole requests are cleaned before it sees them
    (``tests/test_incoming.py``)."""
    return any(
        name in getattr(base, "base_fields", {})
        for base in form.__mro__
        if not base.__module__.startswith(OURS)
    )


def text_fields() -> dict[str, forms.CharField]:
    return {
        f"{form.__module__}.{form.__name__}.{name}": field
        for form in our_forms()
        for name, field in getattr(form, "base_fields", {}).items()
        if isinstance(field, forms.CharField)
        and not isinstance(field, CHOSEN)
        and not is_inherited(form, name)
    }


def test_search_finds_the_text_fields() -> None:
    assert len(our_forms()) > 40
    assert len(text_fields()) > 20


def test_every_text_field_cleans_its_text() -> None:
    plain = [
        name
        for name, field in text_fields().items()
        if not isinstance(field, NameField | NotesField | PlainField)
        and not isinstance(field.widget, AS_TYPED)
    ]
    assert plain == []


def test_no_module_makes_a_field_that_does_not_clean() -> None:
    """Forms also make fields while they are made: all are of these kinds."""
    makers = []
    for module in our_modules():
        path = getattr(module, "__file__", None) or ""
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if "forms.CharField(" in text and module.__name__ != "common.forms":
            makers += [f"{module.__name__}: {text.count('forms.CharField(')}"]
    # Passwords, asked for before an account is deleted or two-factor authentication is turned off.
    assert sorted(makers) == ["accounts.authentication.two_factor: 1", "accounts.views: 1"]


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_text_that_a_form_accepts_is_fit(text: str) -> None:
    for name, field in text_fields().items():
        if isinstance(field.widget, AS_TYPED):
            continue
        try:
            value = field.clean(text)
        except FieldError:
            continue
        if isinstance(value, str):
            assert is_fit(value), name
            assert len(value) <= (field.max_length or 10**9), name


def _bare(annotation: Any) -> Iterator[Any]:
    """Return the types inside an annotation, with their metadata."""
    yield annotation
    if get_origin(annotation) in (Union, UnionType, Annotated, tuple, list, dict, frozenset):
        for inner in get_args(annotation):
            yield from _bare(inner)


MODELS = (
    gangs.files.format,
    campaigns.files.format,
    rules.editor.files,
    captives,
    claims,
    crew,
    report,
    storage,
    taps,
)


def model_fields() -> dict[str, FieldInfo]:
    """Return the fields of all models that are read from files or stored as JSON."""
    kinds: set[Any] = set(KINDS.values())
    kinds |= {
        value
        for module in MODELS
        for value in vars(module).values()
        if isinstance(value, type) and hasattr(value, "model_fields")
        if value.__module__ == module.__name__
    }
    return {
        f"{kind.__name__}.{name}": info
        for kind in kinds
        for name, info in kind.model_fields.items()
    }


def texts_of_models() -> dict[str, FieldInfo]:
    return {name: info for name, info in model_fields().items() if info.annotation is str}


def _longest(info: FieldInfo) -> int:
    return min(mark.max_length for mark in info.metadata if isinstance(mark, MaxLen))


def _is_of_letters(info: FieldInfo) -> bool:
    """Whether a pattern of plain letters limits the text, as for a key or a digest."""
    patterns = [getattr(mark, "pattern", None) for mark in info.metadata]
    return any(patterns) or any(
        isinstance(mark, StringConstraints) and mark.pattern for mark in info.metadata
    )


OPTIONS = {"settings", "settings_before"}


def _texts_inside(annotation: Any) -> Iterator[list[Any]]:
    """Return the metadata of every text inside an annotation: of lists, of keys, of unions."""
    if annotation is str:
        yield []
    elif get_origin(annotation) is Annotated:
        kind, *marks = get_args(annotation)
        if kind is str:
            yield [inner for mark in marks for inner in getattr(mark, "metadata", None) or [mark]]
        else:
            yield from _texts_inside(kind)
    else:
        for inner in get_args(annotation):
            yield from _texts_inside(inner)


def test_texts_inside_other_fields_are_cleaned_too() -> None:
    """Except for options, which an import looks up in the rulebook. Rulebooks in files are cleaned
    whole.
    """
    loose = {
        name
        for name, info in model_fields().items()
        if info.annotation is not str
        for marks in _texts_inside(info.annotation)
        if not any(isinstance(mark, BeforeValidator) for mark in marks)
        and not any(getattr(mark, "pattern", None) for mark in marks)
    }
    assert {name for name in loose if name.partition(".")[2] not in OPTIONS} == {
        "CampaignFile.versions"
    }


def test_every_text_of_a_model_is_bounded_and_cleaned() -> None:
    found = texts_of_models()
    assert len(found) > 30
    loose = [
        name
        for name, info in found.items()
        if not _is_of_letters(info)
        and not (
            any(isinstance(mark, BeforeValidator) for mark in info.metadata)
            and any(isinstance(mark, MaxLen) for mark in info.metadata)
        )
    ]
    # The slug of a game on this site, never read from a file; dice have their own check; a line of
    # a rulebook is cleaned with its rulebook.
    assert set(loose) <= {"GameReport.game", "VariantFile.book_name"}


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_form_and_model_accept_the_same_texts(text: str) -> None:
    for name, info in texts_of_models().items():
        if _is_of_letters(info) or not any(isinstance(mark, MaxLen) for mark in info.metadata):
            continue
        longest = _longest(info)
        field: forms.CharField = NameField(max_length=longest, required=False)
        if "\n" in TypeAdapter(info.rebuild_annotation()).validate_python("a\nb"):
            field = NotesField(max_length=longest)
        adapter = TypeAdapter(info.rebuild_annotation())
        try:
            typed = field.clean(text)
        except FieldError:
            # The model does not accept a text that is too long either.
            with pytest.raises(ValidationError):
                adapter.validate_python(text)
            continue
        if typed == "":
            typed = one_line(text)
        try:
            taken = adapter.validate_python(text)
        except ValidationError:
            assert typed == "", name
            continue
        assert taken == typed, name
        assert adapter.validate_python(taken) == taken, name


def test_columns_are_long_enough_for_their_form_fields() -> None:
    """Only fields of a form that fill a column: the same name, the same length or less."""
    room = {
        (model._meta.app_label, field.name): field.max_length
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if getattr(field, "max_length", None)
    }
    rows = {
        ("campaigns.forms", "CampaignForm", "name"): ("campaigns", "name"),
        ("campaigns.club.nights.forms", "NightForm", "place"): ("campaigns", "place"),
        ("campaigns.forms", "DisputeForm", "comment"): ("campaigns", "comment"),
    }
    fields = text_fields()
    for (module, form, name), column in rows.items():
        assert fields[f"{module}.{form}.{name}"].max_length <= room[column]  # type: ignore[operator]
