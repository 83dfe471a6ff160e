"""The description of the API as data (OpenAPI); ``docs/openapi.json`` is the same for programs."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from django.utils import translation

from api.problems import KIND
from api.service import make_api


@cache
def describe() -> dict[str, Any]:
    """Return the description, in English: programmers compare it between releases."""
    with translation.override("en"):
        schema: dict[str, Any] = make_api().get_openapi_schema(path_prefix="/api/v1/")
    for methods in schema["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    answer["content"] = {KIND: answer["content"]["application/json"]}
    return json.loads(json.dumps(schema))  # type: ignore[no-any-return]


def write() -> str:
    """Return the text of ``docs/openapi.json``."""
    return json.dumps(describe(), ensure_ascii=False, indent=1, sort_keys=True) + "\n"
