"""Catalogues: read as they were written, and in a trial language that gettext accepts."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import translation
from django.utils.translation import ngettext

from common.wording.catalogues import (
    TRIAL,
    Message,
    lengthen,
    read_messages,
    translate_for_trial,
    write_messages,
)
from tests.trial import collecting

HEADER = Message("", translations=("Language: qps\nPlural-Forms: nplurals=3; plural=(n > 1);\n",))
FORMAT = Message("H:i", context="time of day", notes=("Django's format of a time of day.",))


def test_catalogue_is_read_as_it_was_written() -> None:
    messages = [
        HEADER,
        Message('Say “so”: "x" \\ y\n', translations=("\tÀ «\u00a0x\u00a0»\n",)),
        Message("Out", context="tick", translations=("Hors jeu",), flags=frozenset({"fuzzy"})),
        Message("one", plural="%(n)s", translations=("un", "%(n)s", "")),
    ]
    assert list(read_messages(write_messages(messages))) == messages
    assert [message.is_translated for message in messages] == [True, True, False, False]


def test_reading_leaves_out_obsolete_messages_and_keeps_places_and_notes() -> None:
    text = '#. A note.\n#: a.py b.html\n#, python-format\nmsgid "a"\nmsgstr ""\n\n#~ msgid "b"\n'
    (message,) = read_messages(text)
    assert message.english == "a" and not message.is_translated
    assert (message.notes, message.places) == (("A note.",), ("a.py", "b.html"))


@pytest.mark.parametrize(
    "kept",
    [
        "%(gang)s", "%s", "100%%", "{key}", '<a href="%(url)s">', "&nbsp;", "“given”",
        "https://a.example/b", "docs/playing.md",
    ],
)  # fmt: skip
def test_trial_language_keeps_parts_that_are_no_words(kept: str) -> None:
    assert lengthen(f"Look at {kept} now") == f"Löökëð åtë {kept} ñöwë"


def test_trial_language_is_two_fifths_longer() -> None:
    english = "Everybody may read the history of this gang"
    assert 1.3 < len(lengthen(english)) / len(english) < 1.5


def test_trial_language_keeps_formats() -> None:
    assert translate_for_trial(FORMAT).translations == ("H:i",)
    assert translate_for_trial(Message("en_GB")).translations == ("en_GB",)


@pytest.mark.long
@pytest.mark.django_db
def test_site_is_shown_in_the_trial_language(trial: str, client: Client) -> None:
    page = client.get("/accounts/login/", headers={"accept-language": TRIAL}).text
    assert f'<html lang="{TRIAL}"' in page and lengthen("Sign in") in page
    with translation.override(trial):
        figures = ngettext("%(count)s figure", "%(count)s figures", 2)
    assert figures == lengthen("%(count)s figures")


@pytest.mark.parametrize("code", ["", "Spanish", "../es", "es_ES"])
def test_command_refuses_a_code_that_names_no_language(code: str) -> None:
    with pytest.raises(CommandError, match="no code of a language"):
        call_command("language", code)


@pytest.mark.long
def test_command_makes_a_catalogue_and_says_what_is_left(tmp_path: Path) -> None:
    """Of a language that neither gettext nor Django knows, and once more after some work."""
    out = StringIO()
    with collecting():
        call_command("language", "nap", home=tmp_path, stdout=out, stderr=out)
    made = tmp_path / "nap/LC_MESSAGES/django.po"
    header, *messages = read_messages(made.read_text("utf-8"))
    assert "Language: nap\n" in header.translations[0] and len(messages) > 5000
    assert f"0 of {len(messages)} texts" in out.getvalue()
    assert "6 left: formats of dates and clocks" in out.getvalue()
    assert "set Plural-Forms" in out.getvalue()
    filled = [header, *(translate_for_trial(m) if m.is_format else m for m in messages)]
    made.write_text(write_messages(filled), "utf-8")
    out = StringIO()
    with collecting():
        call_command("language", "nap", home=tmp_path, stdout=out)
    assert f"6 of {len(messages)} texts" in out.getvalue() and "formats" not in out.getvalue()
    assert made.with_suffix(".mo").exists()
