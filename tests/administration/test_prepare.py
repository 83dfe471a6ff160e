"""The preparation that every start of the site does first, in one process."""

from __future__ import annotations

import os
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from accounts.models import User
from administration.archives.daily import site_name
from administration.management.commands.prepare import is_outdated
from administration.models import Run
from campaigns.demo import club
from rules.management.commands import books
from tests.test_settings import manage

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_rulebooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading all that come along takes a second, and other tests do it."""
    monkeypatch.setattr(books, "site_folders", list)


def prepare(*options: str) -> str:
    out = StringIO()
    call_command("prepare", *options, stdout=out, stderr=out)
    return out.getvalue()


def test_prepare_asks_for_an_administrator_until_there_is_one() -> None:
    assert "manage.py createsuperuser" in prepare()
    User.objects.create_superuser("root")
    assert prepare() == ""


@pytest.mark.long
def test_hint_names_a_data_folder_of_your_own(
    monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> None:
    """Without it, the typed command would change another site."""
    monkeypatch.delenv("DATA_DIR", raising=False)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    assert "DATA_DIR" not in prepare()
    monkeypatch.setenv("DATA_DIR", str(settings.BASE_DIR / "var"))
    assert "DATA_DIR" not in prepare()
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "our club"))
    assert f"DATA_DIR='{tmp_path}/our club' {sys.executable} manage.py create" in prepare()
    monkeypatch.setenv("DATABASE_URL", "postgres:///skirmish")
    assert "manage.py createsuperuser, with the variables of the site" in prepare()


def test_commands_that_are_started_without_the_address_name_backups_as_the_site_does(
    monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> None:
    settings.SITE_URL_FILE = tmp_path / "site_url"
    settings.SITE_URL = "https://gangs.example.org"
    code = "from administration.archives.daily import site_name; print(site_name())"

    def type_command(**names: str) -> str:
        names = {"DATA_DIR": str(tmp_path), "SECRET_KEY": "x" * 50, **names}
        said = manage("shell", "-v0", "-c", code, **names)
        assert said.returncode == 0, said.stderr
        return said.stdout.strip()

    monkeypatch.setenv("SITE_URL", settings.SITE_URL)
    prepare()
    assert type_command() == site_name() == "gangs.example.org"
    # A command of another start knows better, and a typed start changes nothing.
    assert type_command(SITE_URL="https://try.example.org") == "try.example.org"
    monkeypatch.delenv("SITE_URL")
    prepare()
    assert settings.SITE_URL_FILE.exists()
    monkeypatch.setenv("SITE_URL", "")
    prepare()
    assert not settings.SITE_URL_FILE.exists()


def test_prepare_goes_on_when_the_address_cannot_be_kept(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    settings: Any,
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()
    settings.SITE_URL_FILE = tmp_path / "file" / "site_url"
    monkeypatch.setenv("SITE_URL", "https://gangs.example.org")
    assert "createsuperuser" in prepare()
    assert "Continuing without keeping SITE_URL" in caplog.text


def test_prepare_tidies_the_site() -> None:
    prepare()
    assert [run.kind for run in Run.objects.all()] == [Run.Kind.TIDY]


def test_prepare_goes_on_when_a_rulebook_has_mistakes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "book.toml").write_text("odd = 1\n")
    monkeypatch.setattr(books, "site_folders", lambda: [tmp_path])
    said = prepare()
    assert "book.toml:1: unknown word" in said
    assert "Continuing: 1 of 1 rulebook has mistakes" in said
    assert "createsuperuser" in said


def test_prepare_goes_on_when_the_demo_fails(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    settings: Any,
    tmp_path: Path,
) -> None:
    def fail(password: str) -> None:
        raise RuntimeError("no demo today")

    monkeypatch.setattr(club, "play_in", fail)
    settings.DEMO_FILE = tmp_path / "demo_campaign"
    assert "createsuperuser" in prepare("--demo")
    assert "Continuing without: manage.py demo" in caplog.text
    caplog.clear()
    settings.DEMO_FILE.touch()
    prepare("--demo")
    assert caplog.text == "", "it is played in once"


def test_static_files_are_outdated_when_a_file_is_newer(settings: Any, tmp_path: Path) -> None:
    source, collected = tmp_path / "source", tmp_path / "collected"
    source.mkdir()
    collected.mkdir()
    (source / "style.css").touch()
    settings.STATICFILES_DIRS = [source]
    assert is_outdated(collected), "nothing is collected"
    (collected / "staticfiles.json").touch()
    assert not is_outdated(collected)
    later = (collected / "staticfiles.json").stat().st_mtime + 10
    os.utime(source / "style.css", (later, later))
    assert is_outdated(collected)
