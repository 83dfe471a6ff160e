"""Reads the annotations of the vocabulary's fields: labels, keys, and the models inside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, get_args, get_origin

from pydantic.fields import FieldInfo

from rules.book.vocabulary import Frozen


def marker[T](field: FieldInfo, kind: type[T]) -> T | None:
    """The last of a field's markers of this kind. The field's own markers override its type's."""
    return next((mark for mark in reversed(list(markers(field))) if isinstance(mark, kind)), None)


def markers(annotation: Any) -> Iterator[object]:
    """Every marker of a field, or inside a type such as ``tuple[RankKey, ...] | None``."""
    own: Iterable[object] = ()
    if isinstance(annotation, FieldInfo):
        annotation, own = annotation.annotation, annotation.metadata
    elif get_origin(annotation) is Annotated:
        annotation, own = annotation.__origin__, annotation.__metadata__
    for inner in get_args(annotation):
        yield from markers(inner)
    for mark in own:
        yield from markers(mark) if isinstance(mark, FieldInfo) else [mark]


def models_in(annotation: Any) -> list[type[Frozen]]:
    """The models inside a type such as ``tuple[Number | Pool, ...]``."""
    if isinstance(annotation, type) and issubclass(annotation, Frozen):
        return [annotation]
    return [model for inner in get_args(annotation) for model in models_in(inner)]
