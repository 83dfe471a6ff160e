"""Reading values from a request."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from common.forms import number, posted_version


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0", 0), ("12", 12), ("999999999", 999_999_999)]
    + [(text, None) for text in (None, "", "-1", "+1", " 1", "1.0", "²", "٣", "1" * 10, "x")],
)
def test_number_reads_a_posted_number(text: str | None, expected: int | None) -> None:
    assert number(text) == expected
    data = QueryDict(mutable=True)
    if text is not None:
        data["seen"] = text
    assert posted_version(data, "seen") == (-1 if expected is None else expected)
