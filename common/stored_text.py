"""Cleaning texts stored before all input was cleaned; for migrations."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from django.db import models

from common.text import clean_data


def clean_rows(model: type[models.Model], *, json_texts: Collection[str] = ()) -> int:
    """Clean all texts in a model's rows; return the number of rows that changed.

    ``json_texts`` are text columns with JSON in the models' format. One query, and one more for
    each changed row.
    """
    names = [
        field.attname
        for field in model._meta.concrete_fields
        if isinstance(field, (models.CharField, models.TextField, models.JSONField))
        and not field.primary_key
    ]
    unclean: list[tuple[Any, dict[str, Any]]] = []
    rows = model._default_manager.order_by("pk").values_list("pk", *names)
    for pk, *values in rows.iterator(chunk_size=2_000):
        changed = {
            name: clean
            for name, value in zip(names, values, strict=True)
            if (clean := _clean(value, is_json=name in json_texts)) != value
        }
        if changed:
            unclean.append((pk, changed))
    for pk, changed in unclean:
        model._default_manager.filter(pk=pk).update(**changed)
    return len(unclean)


def _clean(value: Any, *, is_json: bool) -> Any:
    if not is_json:
        # Keep a text that is only blanks; remove only characters that no text may contain.
        return value if isinstance(value, str) and not value.strip() else clean_data(value)
    if value.isascii() and "\\u" not in value:
        return value
    data = json.loads(value)
    clean = clean_data(data)
    # Rewrite it only if it changes, to keep the spelling of its numbers.
    if clean == data:
        return value
    return json.dumps(clean, ensure_ascii=False, separators=(",", ":"))
