"""Translated rulebooks: readers get the words of their languages, and nothing else changes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from django.utils.translation import override

from accounts.language import reading, reading_as, rules_language
from accounts.models import User
from common.errors import Stale
from common.wording.texts import Text, read_languages_of, tag_reader, text_keys
from rules.book.model import Book
from rules.library import book_of, load
from rules.models import BookTranslation, BookVersion
from rules.templatetags.looks import lang_of
from rules.words import store
from rules.words.table import Word, find_words
from tests.world.gangs import GOLD, make_gang, make_version, shipped

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def new_process() -> Iterator[None]:
    """Begin and end as a process that knows no translation."""
    store.forget()
    yield
    store.forget()


def in_german(book: Book) -> dict[Word, str]:
    """Return a translation of all words of a rulebook."""
    return {word: f"{word.text} (deutsch)" for word in find_words(book)}


def translate(user: User, slug: str = GOLD) -> BookTranslation:
    """Send a translation of the whole rulebook, and show it."""
    row = store.propose(user, slug, "de", in_german(shipped(slug)))
    store.show(row)
    store.look_for_changes()
    return row


def test_reader_tag_has_pages_and_rulebooks() -> None:
    assert tag_reader("de", ()) == tag_reader("de", ["de"]) == "de"
    tag = tag_reader("de", ["fr", "en"], "1a2b")
    assert read_languages_of(tag) == ("fr", "en")
    assert text_keys(tag + "-x-own") == ("fr_own", "fr", "en_own", "en", "de_own", "de")
    assert text_keys("fr-ch") == ("fr-ch", "fr")


def test_text_takes_the_first_language_that_it_has() -> None:
    text = Text({"en": "gun", "fr": "arme"})
    text.set_added({"de": "Waffe"})
    read = [text.translated(tag) for tag in ("de", "de-x-fr+en", "es-x-it+de", "es", "fr")]
    assert read == ["Waffe", "arme", "Waffe", "gun", "arme"]


def test_translation_changes_neither_equality_nor_canonical_form() -> None:
    plain, translated = Text({"en": "gun"}), Text({"en": "gun"})
    translated.set_added({"de": "Waffe"})
    assert plain == translated and hash(plain) == hash(translated)
    assert translated.model_dump() == {"en": "gun"}


def test_show_of_a_deleted_translation_keeps_the_one_that_readers_see(
    alice: User, bob: User
) -> None:
    make_version(GOLD)
    shown = translate(alice)
    deleted = store.propose(bob, GOLD, "de", in_german(shipped(GOLD)))
    BookTranslation.objects.filter(pk=deleted.pk).delete()
    with pytest.raises(Stale):
        store.show(deleted)
    assert BookTranslation.objects.shown().get() == shown


def test_shown_translation_reaches_every_version_and_no_digest(alice: User) -> None:
    first = book_of(make_version(GOLD).digest)
    other = book_of(load(first.changed(edition="second")).version.digest)
    digests = [first.digest, other.digest]
    translate(alice)
    for book in (first, other):
        assert book.name.translated("de") == f"{book.name.first} (deutsch)"
        assert book.name.translated("fr") == book.name["fr"]
        assert book.translated_into == ("de",)
        # Computed once more, from a copy without kept values.
        assert Book.model_validate_json(book.canonical()).digest == book.digest
    assert [first.digest, other.digest] == digests
    assert BookVersion.objects.get(pk=first.digest).canonical == first.canonical()


def test_proposal_is_seen_by_nobody_until_it_is_shown(alice: User) -> None:
    book = book_of(make_version(GOLD).digest)
    row = store.propose(alice, GOLD, "de", in_german(book))
    store.look_for_changes()
    assert book.name.translated("de") == book.name.first and not store.find_state(["de"])
    store.show(row)
    store.look_for_changes()
    assert book.name.translated("de") != book.name.first
    store.hide(row)
    store.look_for_changes()
    assert book.name.translated("de") == book.name.first and not book.translated_into


def test_newer_file_of_the_same_author_waits_beside_the_shown_one(alice: User, bob: User) -> None:
    book = book_of(make_version(GOLD).digest)
    row = translate(alice)
    again = store.propose(alice, GOLD, "de", {})
    assert store.propose(alice, GOLD, "de", in_german(book)).pk == again.pk != row.pk
    row.refresh_from_db()
    assert row.is_shown
    store.show(again)
    other = store.propose(bob, GOLD, "de", in_german(book))
    store.show(other)
    assert list(BookTranslation.objects.shown()) == [other]
    assert {one.pk for one in BookTranslation.objects.all()} == {again.pk, other.pk}


def test_filler_words_do_not_hide_a_translation() -> None:
    text = Text({"en": "gun", "fr": "gun"})
    text.set_added({"de": "Waffe"}, {"fr"})
    assert [text.translated(tag) for tag in ("de-x-fr+de", "fr", "de")] == ["Waffe", "gun", "Waffe"]


def test_copy_of_a_book_knows_its_translations(alice: User) -> None:
    book = book_of(make_version(GOLD).digest)
    copied = book.changed(edition="mine")
    translate(alice)
    assert copied.translated_into == book.translated_into == ("de",)


def test_state_is_in_the_tag_of_its_readers_only(alice: User) -> None:
    make_version(GOLD)
    with override("de"):
        before = rules_language()
        translate(alice)
        assert rules_language() != before
        with reading(reads=("fr", "en")):
            # Texts may fall back to the language of the page.
            assert rules_language().startswith("de-x-fr+en@")
    with override("en"):
        assert rules_language() == "en"


def test_tag_says_how_to_read_again() -> None:
    with override("de"), reading(reads=("fr", "en"), own=False):
        tag = rules_language()
    with reading_as(tag):
        assert rules_language() == tag


def test_texts_in_another_language_carry_lang(alice: User) -> None:
    book = book_of(make_version(GOLD).digest)
    with override("de"):
        assert lang_of(book) == ' lang="en"'
        with reading(reads=("fr", "en")):
            assert lang_of(book) == ' lang="fr"'
        translate(alice)
        assert lang_of(book) == ""
    with override("fr"):
        assert lang_of(book) == ""
        with reading(reads=("de",)):
            assert lang_of(book) == ' lang="de"'


def test_shipped_words_are_shown_until_the_site_chooses_others(alice: User) -> None:
    book = book_of(make_version(GOLD).digest)
    store.store_shipped(GOLD, "de", in_german(book))
    ours = BookTranslation.objects.get()
    assert ours.is_shown
    store.hide(ours)
    store.store_shipped(GOLD, "de", {})
    ours.refresh_from_db()
    assert not ours.is_shown and ours.words == "[]"
    store.show(store.propose(alice, GOLD, "de", in_german(book)))
    store.store_shipped(GOLD, "de", in_german(book))
    assert BookTranslation.objects.shown().get().author == alice


def test_deleted_account_leaves_only_what_readers_see(alice: User, bob: User) -> None:
    make_version(GOLD)
    shown = translate(alice)
    store.propose(bob, GOLD, "de", {})
    for user in (alice, bob):
        store.leave(user)
        user.delete()
    row = BookTranslation.objects.get()
    assert row.pk == shown.pk and row.author is None


def test_pages_and_sheets_follow_the_readers_choice(alice: User) -> None:
    gang = make_gang(alice, GOLD)
    client = Client()
    client.force_login(alice)
    translate(alice)
    address = gang.get_absolute_url()
    rank = gang.book.rank[gang.roster.members[0].rank].name
    english = client.get(address).text
    client.post("/rulebook-languages/", {"reads": ["de", "fr"], "next": "/"})
    german = client.get(address).text
    assert rank.added["de"] not in english and rank.added["de"] in german
    assert 'lang="de"' in german
    client.post("/rulebook-languages/", {"reads": ["", "de"], "next": "/"})
    alice.refresh_from_db()
    assert alice.rulebook_languages == "en de"
    client.post("/rulebook-languages/", {"reads": ["", "x" * 99], "next": "/"})
    alice.refresh_from_db()
    assert alice.rulebook_languages == ""
