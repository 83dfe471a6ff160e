"""All stored data, in a form that can be compared: unchanged, or without values that differ in
every run.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.apps import apps
from django.db import models

Rows = dict[str, list[dict[str, Any]]]

APPS = ("accounts", "gangs", "campaigns")
UUIDS = re.compile(r"\b[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}\b")
MOMENTS = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+\d\d:\d\d)")
SECRETS = {"password", "share_key", "share_code", "invite_key", "watch_key"}
# Rows with random keys are in the order in which they were made.
MADE = ("created_at", "starts_at")


def rows() -> Rows:
    """Return every row of people, gangs and campaigns."""
    found = {}
    for model in apps.get_models():
        if model._meta.app_label in APPS:
            names = {field.name for field in model._meta.fields}
            order = [name for name in MADE if name in names]
            stored = model._base_manager.order_by(*order, "pk").values()
            found[model._meta.label] = list(stored)
    return found


def told(stored: Rows) -> Rows:
    """Return these rows with keys numbered by their appearance, and without times and secrets, so
    that the same acts give the same rows.
    """
    teller = _Teller()
    return {
        label: [teller.row(apps.get_model(label), row) for row in there]
        for label, there in stored.items()
    }


class _Teller:
    def __init__(self) -> None:
        self.numbers: dict[tuple[str, Any], str] = {}

    def row(self, model: type[models.Model], row: Mapping[str, Any]) -> dict[str, Any]:
        fields = {field.attname: field for field in model._meta.fields}
        return {name: self.value(fields[name], value) for name, value in row.items()}

    def value(self, field: models.Field, value: Any) -> Any:
        if value is None:
            return None
        if field.name in SECRETS:
            return "a secret"
        target = field.related_model if field.is_relation else field.model
        if (field.primary_key or field.is_relation) and isinstance(value, int):
            return self.number(target._meta.label, value)
        return self.plain(value)

    def plain(self, value: Any) -> Any:
        if isinstance(value, datetime):
            return "a moment"
        if isinstance(value, uuid.UUID):
            return self.number("key", value.hex)
        if isinstance(value, str):
            value = UUIDS.sub(lambda at: self.number("key", at[0].replace("-", "")), value)
            return MOMENTS.sub("a moment", value)
        if isinstance(value, dict):
            return {self.plain(key): self.plain(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.plain(inner) for inner in value]
        return value

    def number(self, kind: str, value: Any) -> str:
        return self.numbers.setdefault((kind, value), f"{kind} {len(self.numbers)}")
