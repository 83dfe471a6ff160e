"""Mistakes of form in a rulebook: all are listed with their places, in plain words."""

import copy
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.loading import reader
from rules.loading.reader import (
    BIGGEST_FILE,
    BIGGEST_FOLDER,
    BadBook,
    Mistake,
    RawBook,
    parse,
    read_folder,
)
from tests.random_cases import one_soon, random_cases
from tests.rules.conftest import BOOKS

SLUG = "blackwater-gulch"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of a shipped rulebook that tests can damage."""
    return Path(shutil.copytree(BOOKS / SLUG, tmp_path / SLUG))


def _mistakes(folder: Path) -> list[Mistake]:
    with pytest.raises(BadBook) as caught:
        read_folder(folder)
    return caught.value.mistakes


def _damage(folder: Path, file: str, old: str, new: str) -> None:
    path = folder / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def test_the_undamaged_copy_reads_without_mistakes(folder: Path) -> None:
    assert read_folder(folder).slug == SLUG


@pytest.mark.long
def test_reader_skips_the_checks_when_an_equal_book_was_checked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = read_folder(folder)
    checked = []
    monkeypatch.setattr(reader, "check", lambda book, **options: checked.append(book) or [])
    assert read_folder(folder, {book.digest}) == book and checked == []
    assert read_folder(folder, {"another"}) == book and checked == [book]


# The file, the damage, and the expected mistake: path and words.
FORM = [
    ("ranks.toml", "price = 100", "price = 100\nluck = 3", "ranks.0.luck", "unknown word “luck”"),
    ("ranks.toml", "price = 75", 'price = "much"', "ranks.1.price", "must be a whole number"),
    ("ranks.toml", "price = 50", "price = -50", "ranks.2.price", "must be at least 0, not -50"),
    (
        "ranks.toml",
        'profession = "required"',
        'profession = "maybe"',
        "ranks.0.profession",
        "must be 'none' or 'required', not 'maybe'",
    ),
    ("ranks.toml", "leads = true", "leads = 7", "ranks.0.leads", "must be true or false"),
    ("items.toml", 'key = "knife"', 'key = "Big Knife"', "items.1.key", "is not a valid key"),
    ("items.toml", 'group = "pistol"', "", "items.10.group", "is missing"),
    ("items.toml", "slots = 1", "slots = 1.5", "groups.0.slots", "whole number"),
    (
        "skills.toml",
        'kind = "add"',
        'kind = "double"',
        "traits.3.effects.0",
        "unknown kind “double”",
    ),
    (
        "professions.toml",
        'kind = "add", ',
        "",
        "professions.0.effects.0",
        "needs a “kind”",
    ),
    ("limits.toml", 'kind = "share"', 'kind = "sum"', "limits.2", "unknown kind “sum”"),
    ("limits.toml", "minimum = 5", 'minimum = "five"', "limits.1.minimum", "whole number"),
    ("settings.toml", 'kind = "number"\nkey', "key", "settings.1", "needs a “kind”"),
    ("settings.toml", "choices = [", "choices = 3\nothers = [", "settings.0.choices", "be a list"),
    ("injuries.toml", 'dice = "2d6"', 'dice = "2k6"', "tables.0.dice", "does not have the form"),
    (
        "campaign.toml",
        "experience = 5",
        "experience = 0",
        "campaign.growth.experience",
        "more than 0",
    ),
    ("campaign.toml", 'kind = "captives"', 'kind = "party"', "campaign.steps.3", "unknown kind"),
    ("book.toml", 'name = { en = "Fame", fr', "name = { fr", "rating.name.en", "is missing"),
    ("book.toml", 'author = "Tim', 'author = ""\nwriter = "Tim', "author", "must not be empty"),
    (
        "samples.toml",
        'items = ["sword"',
        'items = "sword" # ["sword"',
        "samples.1.members.1.items",
        "must be a list",
    ),
]


def test_mistakes_of_form_are_listed_together(folder: Path) -> None:
    for file, old, new, _, _ in FORM:
        _damage(folder, file, old, new)
    mistakes = _mistakes(folder)
    found = {(mistake.file, mistake.path): mistake.message for mistake in mistakes}
    for file, _, _, path, words in FORM:
        assert words in found.get((file, path), ""), (file, path, sorted(found))


@pytest.mark.parametrize(
    ("file", "old", "new", "path", "words"), one_soon(FORM), ids=lambda value: str(value)[:24]
)
def test_a_mistake_of_form_brings_no_other_mistake(
    folder: Path, file: str, old: str, new: str, path: str, words: str
) -> None:
    _damage(folder, file, old, new)
    found = [mistake for mistake in _mistakes(folder) if mistake.path == path]
    assert len(found) == 1
    assert found[0].file == file
    assert words in found[0].message
    line = found[0].line
    assert line is not None
    row = f" ({found[0].row})" if found[0].row else ""
    assert str(found[0]).startswith(f"{path}{row}, {file}:{line}: ")


def test_mistakes_are_in_plain_words(folder: Path) -> None:
    """Messages contain no jargon of the validation library."""
    for file, old, new, _, _ in FORM:
        _damage(folder, file, old, new)
    text = "\n".join(map(str, _mistakes(folder))).lower()
    for jargon in (
        "pydantic",
        "input",
        "validation",
        "tuple",
        "frozen",
        "dict",
        "nonetype",
        "model",
    ):
        assert jargon not in text


def test_a_table_in_place_of_a_text_is_a_mistake(folder: Path) -> None:
    _damage(folder, "book.toml", 'edition = "v1.1.2"', "edition = { number = 1 }")
    assert [(m.path, m.message) for m in _mistakes(folder)] == [("edition", "must be text")]


def test_a_number_in_place_of_a_text_names_both_kinds_of_text(folder: Path) -> None:
    _damage(folder, "items.toml", 'strength = "M+1"', "strength = 4")
    assert [(m.path, m.message) for m in _mistakes(folder)] == [
        (
            "items.3.columns.strength",
            "must be text, or must be a text in each language: { en = …, fr = … }",
        )
    ]


def test_a_mistake_names_the_row_and_the_line(folder: Path) -> None:
    _damage(folder, "ranks.toml", "price = 75", 'price = "much"')
    _damage(folder, "injuries.toml", 'condition = "', 'condition = "un')
    lines = (folder / "ranks.toml").read_text("utf-8").split("\n")
    line = lines.index('price = "much"') + 1
    assert [str(mistake) for mistake in _mistakes(folder)] == [
        f"ranks.1.price (professional), ranks.toml:{line}: must be a whole number"
    ]


def test_a_mistake_of_sense_names_the_row_and_the_line(folder: Path) -> None:
    _damage(folder, "items.toml", 'group = "pistol"', 'group = "pistols"')
    lines = (folder / "items.toml").read_text("utf-8").split("\n")
    line = lines.index('group = "pistols"') + 1
    assert str(_mistakes(folder)[0]) == (
        f"items.10.group (derringer), items.toml:{line}: unknown item group “pistols”. "
        "Did you mean “pistol”?"
    )


def test_a_plain_text_brings_the_form_of_a_bilingual_text(folder: Path) -> None:
    _damage(folder, "ranks.toml", '{ en = "Leader", fr = "Chef de bande" }', '"Leader"')
    assert [(m.path, m.message) for m in _mistakes(folder)] == [
        ("ranks.0.name", "must be a text in each language: { en = …, fr = … }")
    ]


def test_a_field_named_like_a_kind_keeps_its_place(folder: Path) -> None:
    """“group” is both a kind of limit and a cell of an item."""
    _damage(folder, "items.toml", 'group = "melee_one"', "group = 1")
    assert [m.path for m in _mistakes(folder)] == ["items.1.group"]


def test_a_missing_language_names_the_text(folder: Path) -> None:
    _damage(folder, "ranks.toml", 'en = "Leader", ', "")
    assert [m.path for m in _mistakes(folder)] == ["ranks.0.name.en"]


def test_a_missing_file_leaves_keys_missing(folder: Path) -> None:
    (folder / "characteristics.toml").unlink()
    (folder / "campaign.toml").unlink()
    messages = {mistake.path: mistake.message for mistake in _mistakes(folder)}
    assert messages["campaign"] == "is missing"


def test_a_key_in_two_files_is_a_mistake(folder: Path) -> None:
    (folder / "zz.toml").write_text('author = "Somebody else"\nranks = []\n')
    assert {(m.file, m.path, m.message) for m in _mistakes(folder)} == {
        ("zz.toml", "author", "is also in book.toml: keep it in one file only"),
        ("zz.toml", "ranks", "is also in ranks.toml: keep it in one file only"),
    }


def test_the_slug_must_be_the_name_of_the_folder(folder: Path) -> None:
    moved = folder.rename(folder.parent / "another-game")
    assert [str(m) for m in _mistakes(moved)] == [
        "slug, book.toml:5: must be the folder's name, “another-game”"
    ]


@pytest.mark.long
def test_a_file_that_is_not_toml_is_a_mistake(folder: Path) -> None:
    (folder / "skills.toml").write_text("[[traits]\nkey = ")
    assert any(
        m.file == "skills.toml" and m.message.startswith("is not TOML: ") for m in _mistakes(folder)
    )


def test_a_key_twice_in_a_file_is_a_mistake(folder: Path) -> None:
    _damage(folder, "ranks.toml", "price = 100", "price = 100\nprice = 90")
    assert any(m.file == "ranks.toml" and "is not TOML" in m.message for m in _mistakes(folder))


def test_a_file_that_is_not_utf_8_is_a_mistake(folder: Path) -> None:
    (folder / "skills.toml").write_bytes("# Épée".encode("latin-1"))
    assert Mistake("skills.toml", "", "is not UTF-8 text") in _mistakes(folder)


def test_unreadable_files_are_listed_with_the_mistakes_of_other_files(folder: Path) -> None:
    (folder / "skills.toml").write_bytes(b"\xff")
    (folder / "samples.toml").write_text("=")
    _damage(folder, "ranks.toml", "price = 100", "price = -1")
    assert {"skills.toml", "samples.toml", "ranks.toml"} <= {m.file for m in _mistakes(folder)}


def test_read_folder_names_an_empty_or_missing_folder_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "book.txt"
    file.touch()
    for folder, words in (
        (tmp_path, "this folder does not contain any .toml file"),
        (tmp_path / "nowhere", "this folder does not exist"),
        (file, "is a file: give its folder instead"),
    ):
        assert [str(mistake) for mistake in _mistakes(folder)] == [f"{folder}: {words}"]


def test_files_that_cannot_be_opened_are_mistakes(folder: Path) -> None:
    (folder / "skills.toml").unlink()
    (folder / "skills.toml").symlink_to(folder / "nowhere")
    (folder / "more.toml").mkdir()
    assert [str(mistake) for mistake in _mistakes(folder)] == [
        "more.toml: cannot be read: Is a directory",
        "skills.toml: cannot be read: No such file or directory",
    ]


def test_a_folder_that_cannot_be_opened_is_a_mistake(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert [mistake.message for mistake in _mistakes(folder)] == [
        "cannot be read: Permission denied"
    ]


def test_an_unreadable_file_brings_no_other_mistakes(folder: Path) -> None:
    """Its rows are not reported as missing, and neither are references to them."""
    for file in ("campaign.toml", "items.toml"):
        (folder / file).write_text("= nothing")
    assert [(m.file, m.message[:11]) for m in _mistakes(folder)] == [
        ("campaign.toml", "is not TOML"),
        ("items.toml", "is not TOML"),
    ]


def test_read_folder_reads_the_current_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert read_folder(Path()).slug == SLUG


def test_a_huge_file_is_not_read(folder: Path) -> None:
    (folder / "skills.toml").write_bytes(b"#" * (BIGGEST_FILE + 1))
    assert any(
        m.file == "skills.toml" and f"at most {BIGGEST_FILE}" in m.message
        for m in _mistakes(folder)
    )


def test_too_many_files_are_a_mistake(folder: Path) -> None:
    for number in range(BIGGEST_FOLDER):
        (folder / f"x{number}.toml").touch()
    assert [m.message for m in _mistakes(folder)] == [f"must have at most {BIGGEST_FOLDER} files"]


@pytest.mark.parametrize(
    ("monster", "words"),
    [
        ("life = " + "[" * 3000 + "]" * 3000, "levels of nesting"),
        (".".join(["life"] * 2000) + " = 1", "at most 20 levels of nesting"),
        ("life = " + "9" * 5000, "is not TOML"),
        ("life = 0x" + "f" * 5000, "the number is too large"),
        ("life = 9999999999999", "the number is too large"),
        ("life = nan", "must be text"),
        ("life = 1979-05-27", "must be text"),
    ],
    ids=["lists", "tables", "decimal", "hexadecimal", "large", "nan", "date"],
)
def test_a_monstrous_value_is_a_mistake(folder: Path, monster: str, words: str) -> None:
    _damage(folder, "book.toml", 'life = "hp"', monster)
    assert any(words in mistake.message for mistake in _mistakes(folder))


def _data(slug: str) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for path in (BOOKS / slug).glob("*.toml"):
        data |= tomllib.loads(path.read_text("utf-8"))
    return data


WHOLE = {folder.name: _data(folder.name) for folder in BOOKS.iterdir() if folder.is_dir()}
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**6), 10**6),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["hp", "leader", "2d6", "4k2", "9k1", "{", "}", "{x}", "", "house", "injury"]),
    st.sampled_from(["d66", "3/1", "WWR", "d8", "1/2", "banned", "playing", "exact", "advance"]),
    st.dates(),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.sampled_from(["en", "fr", "key", "kind"]), st.text(max_size=4), max_size=2),
)


def _places(value: object) -> list[tuple[Any, Any]]:
    """Return every place in nested data: its container and its key."""
    places: list[tuple[Any, Any]] = []
    if isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for key, content in list(inner):
            places.append((value, key))
            places.extend(_places(content))
    return places


def _place(data: dict[str, Any], draw: st.DataObject) -> tuple[Any, Any]:
    places = _places(data)
    return places[draw.draw(st.integers(0, len(places) - 1))]


@pytest.mark.long
@random_cases(30, 2000)
@given(st.sampled_from(sorted(WHOLE)), st.data())
def test_random_damage_raises_only_bad_book(slug: str, draw: st.DataObject) -> None:
    """Swap, drop or replace some values: the book is read, or its mistakes are listed."""
    data = copy.deepcopy(WHOLE[slug])
    for _ in range(draw.draw(st.integers(1, 3))):
        container, key = _place(data, draw)
        match draw.draw(st.sampled_from(["junk", "gone", "swapped"])):
            case "junk":
                container[key] = draw.draw(JUNK)
            case "gone":
                del container[key]
            case "swapped":
                other, there = _place(data, draw)
                container[key] = copy.deepcopy(other[there])
    try:
        book = parse(RawBook(data, "book.toml"))
    except BadBook as bad:
        assert bad.mistakes
        assert all(mistake.message and str(mistake) for mistake in bad.mistakes)
    else:
        assert book.digest
