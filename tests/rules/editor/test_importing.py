"""Games that authors bring as a zip: from another site, from a folder, or broken."""

from __future__ import annotations

import io
import uuid
import zipfile
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from rules.editor import documents
from rules.models import BookDraft
from rules.packages.archive import BIGGEST_ZIP, pack
from tests.rules.editor.test_games import start

pytestmark = pytest.mark.django_db


@pytest.fixture
def hers(client: Client, alice: User) -> Client:
    """Return a client with Alice signed in."""
    client.force_login(alice)
    return client


def upload(client: Client, content: bytes, token: str = "") -> Any:
    """Send a file to the page that imports games."""
    file = SimpleUploadedFile("harbour.zip", content, "application/zip")
    return client.post("/editor/import/", {"file": file, "token": token or str(uuid.uuid4())})


def test_zip_of_a_game_becomes_an_equal_game_of_somebody_else(hers: Client, bob: User) -> None:
    draft = start(bob, slug="harbour")
    book = documents.check(draft).book
    assert book is not None
    token = str(uuid.uuid4())
    answer = upload(hers, pack(book), token)
    copy = BookDraft.objects.exclude(pk=draft.pk).get()
    assert answer["Location"] == copy.get_absolute_url()
    assert copy.slug == "harbour-2"
    again = documents.check(copy).book
    assert again is not None and again.model_copy(update={"slug": "harbour"}) == book
    upload(hers, pack(book), token)
    assert BookDraft.objects.count() == 2


def test_zip_keeps_the_slug_that_is_free(hers: Client, bob: User) -> None:
    draft = start(bob, slug="harbour")
    book = documents.check(draft).book
    assert book is not None
    draft.delete()
    upload(hers, pack(book))
    assert BookDraft.objects.get().slug == "harbour"


def broken_zip() -> bytes:
    """Return a zip of a rulebook that has mistakes."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as packed:
        packed.writestr("harbour/book.toml", 'slug = "harbour"\nlanguages = ["en"]\n')
    return written.getvalue()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"no zip", "not a zip"),
        (b"x" * (BIGGEST_ZIP + 1), "too large"),
        (broken_zip(), "book.toml"),
    ],
    ids=["no zip", "too large", "mistakes"],
)
def test_import_says_what_is_wrong_with_a_file(hers: Client, content: bytes, words: str) -> None:
    answer = upload(hers, content)
    assert answer.status_code == 422 and words in answer.content.decode()
    assert not BookDraft.objects.exists()


def test_import_stops_at_the_quota_of_games(hers: Client, alice: User, settings: Any) -> None:
    book = documents.check(start(alice)).book
    assert book is not None
    settings.QUOTAS = {**settings.QUOTAS, "drafts": 1}
    answer = upload(hers, pack(book))
    assert answer.status_code == 422 and "limit" in answer.content.decode()
    assert BookDraft.objects.count() == 1
