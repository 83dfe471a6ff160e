"""Translations of rulebooks as files: what is written is read again, and no file does harm."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.wording.texts import LONGEST_LINE
from rules.library import shipped_folders
from rules.loading.reader import read_folder
from rules.words.po import (
    LONGEST_FILE,
    MOST_WORDS,
    BadTranslation,
    read_shipped,
    read_translation,
    write_translation,
)
from rules.words.table import Word, find_words
from tests.hostile.files import translation
from tests.world.gangs import GOLD, SLUGS, shipped

HEAD = 'msgid ""\nmsgstr ""\n"Language: de\\n"\n\n'


@pytest.mark.parametrize("slug", SLUGS)
def test_written_file_is_read_again_with_every_word(slug: str) -> None:
    book = shipped(slug)
    table = {word: f"“{word.text}”\\ß" for word in find_words(book)}
    found = read_translation(write_translation(book, "pt-br", table))
    assert (found.language, found.table) == ("pt-br", table)
    assert not read_translation(write_translation(book, "de", {})).table


def test_written_file_satisfies_gettexts_own_program(tmp_path: Path) -> None:
    file = tmp_path / "words.po"
    file.write_bytes(write_translation(shipped(GOLD), "de", {}))
    done = subprocess.run(
        ["msgfmt", "--check-format", "-o", tmp_path / "words.mo", file], check=False, timeout=60
    )
    assert done.returncode == 0


def test_fuzzy_obsolete_and_plain_messages_are_left_out() -> None:
    text = (
        f'{HEAD}#, fuzzy\nmsgctxt "ranks.name"\nmsgid "Chief"\nmsgstr "Chef"\n\n'
        '#~ msgctxt "ranks.name"\n#~ msgid "Old"\n#~ msgstr "Alt"\n\n'
        'msgid "No place"\nmsgstr "Kein Ort"\n\n'
        'msgctxt "ranks.name"\nmsgid "Thug"\nmsgstr "Schl\u200b\u00e4ger "\n'
    )
    assert read_translation(text.encode()).table == {Word("ranks.name", "Thug"): "Schläger"}


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe",
        b"x" * (LONGEST_FILE + 1),
        f'{HEAD}msgctxt "a"\nmsgid "b"\nmsgstr "{"ä" * (LONGEST_LINE + 1)}"\n'.encode(),
        b'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=99999999; plural=0\\n"\n',
        b'msgid ""\nmsgstr ""\n"POT-Creation-Date: tomorrow\\n"\n',
        b'msgid ""\nmsgstr ""\n"Plural-Forms: nplurals=x;\\n"\n',
        b"[book]\nslug = 1\n",
        f'{HEAD}msgctxt "limits.text"\nmsgid "{{name}}!"\nmsgstr "{{nam}}!"\n'.encode(),
        f'{HEAD}msgctxt "limits.text"\nmsgid "{{name}}!"\nmsgstr "{{name:>9}}!"\n'.encode(),
        f'{HEAD}msgctxt "limits.text"\nmsgid "{{name}}!"\nmsgstr "{{name"\n'.encode(),
    ],
)
def test_other_files_are_refused(content: bytes) -> None:
    with pytest.raises(BadTranslation):
        read_translation(content)


LINES = st.sampled_from(
    ['msgid "a"', 'msgid ""', 'msgstr "b"', 'msgctxt "c"', '"more\\n"', "#~ msgid", "#, fuzzy"]
    + ['msgid_plural "d"', 'msgstr[1] "e"', '"Language: d\\n"', '"Content-Type: x; charset=y\\n"']
    + ["#: a:b", "#|", '"\\x', '"\\', "", 'msgstr[x] "f"', '"Plural-Forms: nplurals=3;\\n"']
)


@given(st.one_of(st.lists(LINES, max_size=12).map("\n".join), st.text(max_size=60)))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = read_translation(text.encode("utf-8", "surrogatepass"))
    except BadTranslation:
        return
    assert all(isinstance(words, str) and words for words in found.table.values())


def test_spoiled_files_are_read_or_refused() -> None:
    for seed in range(12):
        content, _words = translation(Random(seed))
        with suppress(BadTranslation):
            assert len(read_translation(content).table) <= MOST_WORDS


def test_shipped_translations_are_complete() -> None:
    found = {folder.name: read_shipped(folder) for folder in shipped_folders()}
    assert any(found.values())
    for slug, tables in found.items():
        book = read_folder(next(one for one in shipped_folders() if one.name == slug))
        for table in tables.values():
            assert set(table) == set(find_words(book))
