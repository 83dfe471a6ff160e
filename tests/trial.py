"""The site in a made-up language with accented letters and longer words, which shows what breaks in
a language that nobody has tried yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf.locale import LANG_INFO
from django.core.management import call_command
from pytest_django import Settings

from common.wording.catalogues import TRIAL


@pytest.fixture(scope="session")
def trial_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the catalogue of the trial language, made once in a process."""
    folder = tmp_path_factory.mktemp("trial")
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
