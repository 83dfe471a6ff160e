"""Preloading: the pages that the master answers before it makes workers."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from skirmish import preloading
from skirmish.wsgi import application


@pytest.mark.django_db
def test_preloaded_pages_are_answered_without_starting_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer, statuses = application.get_response, []

    def remember(request: Any) -> Any:
        response = answer(request)
        statuses.append(response.status_code)
        return response

    monkeypatch.setattr(application, "get_response", remember)
    threads = threading.active_count()
    preloading.answer_pages()
    assert statuses == [200] * len(preloading.PAGES)
    assert threading.active_count() == threads
