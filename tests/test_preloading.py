"""The data that gunicorn's master loads before it forks its workers."""

from __future__ import annotations

import gc

import pytest
from django.conf import settings

from guide import chapters
from skirmish import preloading


def test_preload_makes_the_guide_in_every_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preloading, "newest_books", list)
    monkeypatch.setattr(preloading, "disconnect", lambda: None)
    monkeypatch.setattr(gc, "freeze", lambda: None)
    chapters._guide.cache_clear()
    preloading.preload()
    assert chapters._guide.cache_info().currsize == len(settings.LANGUAGES)
