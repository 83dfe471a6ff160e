"""The heading of a proof's figures."""

from __future__ import annotations

import re

import pytest

from tests import heading


def test_heading_gives_date_command_and_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    what, machine, software = heading.heading("script/prove --all", 7).splitlines()
    assert re.fullmatch(
        r"\d{1,2} \w+ 20\d\d, \d\d:\d\d UTC, commit \w+( with changes)?,"
        r" `script/prove --all`, seed 7",
        what,
    )
    assert re.match(r"\d+ cores, .+, load before \d", machine)
    assert re.search(r"Python 3\.\d+\.\d+, Django 6\.\d+.*, SQLite 3\.\d+", software)


def test_heading_names_the_database_without_its_password() -> None:
    text = heading.heading("x", address="postgres://me:secret@127.0.0.1:1/nobody")
    assert text.endswith("PostgreSQL")
    assert "secret" not in text


def test_table_groups_thousands_and_leaves_words() -> None:
    assert heading.table({"taps": 12345, "p95": "7 ms"}).splitlines()[2:] == [
        "| taps | 12,345 |",
        "| p95 | 7 ms |",
    ]
