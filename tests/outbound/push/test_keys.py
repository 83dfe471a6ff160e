"""The site's key for push messages."""

from __future__ import annotations

import stat
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from outbound.push import keys


def test_key_is_made_once_and_closed_to_others(settings: Any) -> None:
    first = keys.public_key()
    file = settings.DATA_DIR / keys.PUSH_KEY
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in settings.DATA_DIR.iterdir()] == [keys.PUSH_KEY]
    assert keys.public_key() == first and keys.is_key(file.read_text().strip())


def test_process_that_is_late_uses_the_key_of_the_first(settings: Any) -> None:
    first = keys.public_key()
    keys._make(settings.DATA_DIR / keys.PUSH_KEY)
    assert keys.public_key() == first


def test_key_of_the_environment_counts_first(settings: Any) -> None:
    settings.PUSH_KEY = keys.read_key()
    first = keys.public_key()
    (settings.DATA_DIR / keys.PUSH_KEY).unlink()
    assert keys.public_key() == first
    assert not (settings.DATA_DIR / keys.PUSH_KEY).exists()


@pytest.mark.parametrize("text", ["", "short", "é" * 43, "A" * 43, "_" * 43])
def test_damaged_key_is_named_in_words(settings: Any, text: str) -> None:
    settings.DATA_DIR.mkdir()
    (settings.DATA_DIR / keys.PUSH_KEY).write_text(text)
    with pytest.raises(ImproperlyConfigured, match="push_key"):
        keys.load_key()
    assert not keys.is_key(text)
