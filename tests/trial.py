"""The site in a made-up language with accented letters and longer words, which shows what breaks in
a language that nobody has tried yet.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.conf.locale import LANG_INFO
from django.core.management import call_command
from pytest_django import Settings

from common.wording.catalogues import TRIAL


@contextmanager
def collecting() -> Iterator[None]:
    """Wait until no other process of these tests collects messages, which leaves files beside the
    templates for a moment."""
    locked = os.open(configured.BASE_DIR / "locale", os.O_RDONLY)
    try:
        fcntl.flock(locked, fcntl.LOCK_EX)
        yield
    finally:
        os.close(locked)


@pytest.fixture(scope="session")
def trial_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the catalogue of the trial language, made once in a process."""
    folder = tmp_path_factory.mktemp("trial")
    with collecting():
        call_command("language", trial=str(folder), verbosity=0)
    return folder


@pytest.fixture
def trial(trial_folder: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Add the trial language to the site, and return its code."""
    known = {"bidi": False, "code": TRIAL, "name": TRIAL, "name_local": TRIAL}
    monkeypatch.setitem(LANG_INFO, TRIAL, known)
    settings.LOCALE_PATHS = [*settings.LOCALE_PATHS, trial_folder]
    settings.LANGUAGES = [*settings.LANGUAGES, (TRIAL, TRIAL)]
    yield TRIAL
