"""The pages of translations: people send files, and the game's owner chooses."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import Notice, User
from rules.models import BookTranslation
from rules.packages.archive import unpack
from rules.translations.data_export import files_of
from rules.words import store
from rules.words.po import read_translation, write_translation
from rules.words.table import find_words
from tests.world.gangs import GOLD, make_version, shipped

pytestmark = pytest.mark.django_db
PAGE = f"/rules/{GOLD}/translations/"


@pytest.fixture(autouse=True)
def new_process() -> Iterator[None]:
    """Begin and end as a process that knows no translation."""
    store.forget()
    make_version(GOLD)
    yield
    store.forget()


@pytest.fixture
def staff(db: None) -> User:
    """An administrator."""
    return User.objects.create_user("anna", is_staff=True)


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def file_of(content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("de.po", content)


def german() -> bytes:
    book = shipped(GOLD)
    return write_translation(book, "de", {word: f"{word.text}!" for word in find_words(book)})


def test_translation_is_sent_chosen_and_read(alice: User, staff: User) -> None:
    sent = client_of(alice).post(PAGE, {"file": file_of(german())})
    row = BookTranslation.objects.get()
    assert sent.status_code == 302 and sent["Location"] == row.get_absolute_url()
    assert (row.author, row.is_shown) == (alice, False)
    assert Notice.objects.get(user=staff).url == row.get_absolute_url()
    # Only the people who decide may show it.
    assert client_of(alice).post(row.get_absolute_url(), {"action": "show"}).status_code == 404
    client_of(staff).post(row.get_absolute_url(), {"action": "show"})
    row.refresh_from_db()
    assert row.is_shown and Notice.objects.filter(user=alice).exists()
    # The author cannot take away what readers see.
    assert client_of(alice).post(row.get_absolute_url(), {"action": "delete"}).status_code == 404
    assert client_of(staff).get(PAGE).context["lines"][0].share == 100


def test_download_is_the_file_that_can_be_sent_again(alice: User) -> None:
    empty = client_of(alice).get(f"{PAGE}de.po")
    assert empty["Content-Disposition"] == f'attachment; filename="{GOLD}.de.po"'
    assert not read_translation(empty.content).table
    client_of(alice).post(PAGE, {"file": file_of(german())})
    row = BookTranslation.objects.get()
    mine = client_of(alice).get(f"{PAGE}de.po?of={row.pk}")
    assert read_translation(mine.content).table == read_translation(german()).table
    # Nobody else gets what waits.
    assert not read_translation(Client().get(f"{PAGE}de.po?of={row.pk}").content).table


@pytest.mark.parametrize(
    "content",
    [
        b"no file of words",
        german().replace(b"Language: de", b"Language: fr"),
        german().replace(b"Language: de", b"Language: zz"),
        b'msgid ""\nmsgstr ""\n"Language: de\\n"\n\nmsgctxt "a.b"\nmsgid "c"\nmsgstr "d"\n',
        b"",
    ],
)
def test_wrong_file_is_refused_beside_its_field(alice: User, content: bytes) -> None:
    answer = client_of(alice).post(PAGE, {"file": file_of(content)})
    assert answer.status_code == 422 and answer.context["form"].errors["file"]
    assert not BookTranslation.objects.exists()


def test_words_that_the_game_does_not_have_are_left_out(alice: User) -> None:
    more = german() + b'\nmsgctxt "ranks.name"\nmsgid "Nobody"\nmsgstr "Niemand"\n'
    client_of(alice).post(PAGE, {"file": file_of(more)})
    assert len(store.table_of(BookTranslation.objects.get())) == len(find_words(shipped(GOLD)))


def test_languages_of_the_game_itself_have_no_file() -> None:
    assert Client().get(f"{PAGE}fr.po").status_code == 404
    assert Client().get(f"{PAGE}start/?language=fr", follow=True).status_code == 404


def test_export_of_an_account_has_its_translations(alice: User) -> None:
    client_of(alice).post(PAGE, {"file": file_of(german())})
    (file,) = files_of(alice)
    assert file.path == f"translations/{GOLD}-de.json" and '"ranks.name"' in str(file.content)


def test_page_of_words_shows_both_texts(alice: User) -> None:
    client_of(alice).post(PAGE, {"file": file_of(german())})
    address = reverse("rules:translation", args=[GOLD, BookTranslation.objects.get().pk])
    pairs = client_of(alice).get(address).context["pairs"]
    assert pairs and all(translated == f"{text}!" for text, translated in pairs[:20])


def test_download_of_a_game_has_its_shown_translations(alice: User) -> None:
    row = store.propose(alice, GOLD, "de", read_translation(german()).table)
    assert "words" not in str(names_in(Client().get(f"/rules/{GOLD}/rulebook.zip").content))
    store.show(row)
    content = Client().get(f"/rules/{GOLD}/rulebook.zip").content
    assert f"{GOLD}/words/de.po" in names_in(content)
    # A site reads the same rulebook from it.
    assert unpack(content).digest == shipped(GOLD).digest


def names_in(content: bytes) -> list[str]:
    with ZipFile(BytesIO(content)) as packed:
        return packed.namelist()


@pytest.mark.parametrize("language", ["{}", "1.5", "1/2", "\U0001d7d9"])
def test_start_answers_404_for_an_impossible_language(language: str) -> None:
    assert Client().get(f"{PAGE}start/", {"language": language}).status_code == 404
