"""Abbreviations of rulebooks: as the book prints them, or in the reader's own language. Two readers
of the same page each see their own choice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import override
from pydantic import BaseModel

from accounts.language import reading, rules_language
from accounts.models import User
from common.wording.texts import page_language
from gangs.cards.render import render
from gangs.engine.computed import ComputedGang
from printing.sheets import roster as papers
from printing.sheets.roster import SheetOrder
from rules.book.model import Book
from rules.book.vocabulary import Text
from tests.world.gangs import GOLD, POINTS, SLUGS, make_gang, make_version, scene_of, shipped

PRINTED = ["HP", "DP", "Str", "Qui", "Sta", "Int", "RC", "MC"]
FRENCH = ["PS", "PD", "For", "Rap", "End", "Int", "CD", "CC"]


def reader(language: str = "fr", chosen: str = "") -> Client:
    """A visitor who reads this language and chose these abbreviations."""
    client = Client(headers={"accept-language": language})
    if chosen:
        client.post(reverse("set_abbreviations"), {"abbreviations": chosen, "next": "/"})
    return client


def texts_of(value: object) -> Iterator[Text]:
    """Every text of a part of a rulebook."""
    if isinstance(value, Text):
        yield value
    elif isinstance(value, BaseModel):
        for _name, part in value:
            yield from texts_of(part)
    elif isinstance(value, dict):
        yield from texts_of(list(value.values()))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts_of(part)


def test_abbreviations_use_one_language_code() -> None:
    text = Text(en="HP", fr="HP", fr_own="PS")
    told = [text.translated(language) for language in ("en", "fr", "fr-ch", "fr-x-own", "en-x-own")]
    assert told == ["HP", "HP", "HP", "PS", "HP"]
    assert Text(en="Int", fr="Int").translated("fr-x-own") == "Int"
    with override("fr"):
        assert rules_language() == "fr-x-own" and page_language(rules_language()) == "fr"
        with reading(own=False):
            assert rules_language() == "fr"
        assert rules_language() == "fr-x-own"
    with override("en"):
        assert rules_language() == "en"


def test_text_without_own_abbreviation_is_stored_unchanged() -> None:
    assert Text(en="Gun", fr="Arme").model_dump() == {"en": "Gun", "fr": "Arme"}
    written = {"en": "HP", "fr": "HP", "fr_own": "PS"}
    assert Text(**written).model_dump() == written


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("language", ["en", "fr", "fr-x-own"])
def test_every_characteristic_has_a_different_abbreviation(slug: str, language: str) -> None:
    short = [row.short.translated(language) for row in shipped(slug).characteristics]
    assert len(set(short)) == len(short)


@pytest.mark.parametrize("slug", SLUGS)
def test_own_abbreviations_replace_printed_ones_everywhere(slug: str) -> None:
    """Except for "Qui", which is also an ordinary word: a page does not show the difference."""
    book: Book = shipped(slug)
    other = [row.short for row in book.characteristics if "fr_own" in row.short.root]
    printed = "|".join({short["fr"] for short in other} - {"Qui"})
    if not printed:
        assert "fr" not in book.own_abbreviations
        assert not any("fr_own" in text.root for text in texts_of(book))
        return
    left = [
        text["fr"]
        for text in texts_of(book)
        if re.search(rf"\b({printed})\b", text.translated("fr-x-own"))
    ]
    assert left == []


def shorts(page: str) -> list[str]:
    """The abbreviations above a page's first values."""
    found = re.findall(r"<dt>(?:<abbr[^>]*>)?([^<]+)(?:</abbr>)?</dt>", page)
    return found[: len(PRINTED)]


def test_cards_show_each_readers_abbreviations(alice: User) -> None:
    gang = make_gang(alice)
    sheet = reverse("gangs:shared", args=[gang.share_key])
    as_printed, own, english = reader(chosen="book"), reader(), reader("en", "own")
    for _round in range(2):
        for client, labels in ((as_printed, PRINTED), (own, FRENCH), (english, PRINTED)):
            page = client.get(sheet).content.decode()
            assert shorts(page) == labels
            lang = "en" if client is english else "fr"
            assert f'<html lang="{lang}"' in page and "x-own" not in page


def test_builder_legend_and_picker_use_own_abbreviations(alice: User) -> None:
    gang = make_gang(alice)
    client = Client(headers={"accept-language": "fr"})
    client.force_login(alice)
    member = gang.roster.members[0].id
    pages = (
        f"{gang.get_absolute_url()}?open={member}",
        reverse("gangs:items", args=[gang.pk, member]),
    )
    for chosen, there, gone in (("book", "Str", "For"), ("own", "For", "Str")) * 2:
        client.post(reverse("set_abbreviations"), {"abbreviations": chosen, "next": "/"})
        for address in pages:
            page = client.get(address).content.decode()
            assert re.search(rf">\s*{there}\b", page), (chosen, address)
            assert not re.search(rf">\s*{gone}\s*<", page), (chosen, address)


@pytest.mark.long
@pytest.mark.parametrize(
    "address",
    [
        reverse("rules:chapter", args=[POINTS, "characters"]),
        reverse("rules:chapter", args=[POINTS, "items"]),
        f"{reverse('rules:odds', args=[POINTS])}?roll=shot",
    ],
)
def test_rules_and_odds_show_each_readers_abbreviations(db: None, address: str) -> None:
    make_version()
    as_printed, own = reader(chosen="book"), reader()
    for _round in range(2):
        for client, there, gone in ((as_printed, "RC|Str", "CD|For"), (own, "CD|For", "RC|Str")):
            page = client.get(address).content.decode()
            assert re.search(rf"\b({there})\b", page)
            assert not re.search(rf">[^<]*\b({gone})\b[^<]*<", page)


def test_print_uses_the_abbreviations_of_the_reader_who_orders_it(alice: User) -> None:
    gang = make_gang(alice)
    computed = ComputedGang.of(gang.book, gang.roster)
    drawn = {}
    for language in ("fr", "fr-x-own"):
        with override(page_language(language)):
            drawn[language] = papers.markup(computed, SheetOrder(language))
    assert all('<html lang="fr">' in markup for markup in drawn.values())
    told = re.compile(r"\b(HP|DP|Str|RC|MC|PS|PD|For|Rap|End|CD|CC)\b")
    words = {language: set(told.findall(markup)) for language, markup in drawn.items()}
    assert words["fr"] == {"HP", "DP", "Str", "RC", "MC"}
    assert words["fr-x-own"] == {*FRENCH} - {"Int"}


def test_order_records_the_readers_abbreviations(alice: User, monkeypatch: Any) -> None:
    ordered: list[str] = []
    from printing.sheets import roster_views as sheet_views

    real: Callable[..., Any] = sheet_views.SheetOrder
    monkeypatch.setattr(
        sheet_views,
        "SheetOrder",
        lambda *args, **more: ordered.append(args[0]) or real(*args, **more),
    )
    gang = make_gang(alice)
    for client in (reader(chosen="book"), reader(), reader("en")):
        client.get(reverse("gangs:shared-pdf", args=[gang.share_key]))
    assert ordered == ["fr", "fr-x-own", "en"]


def test_rendered_cards_follow_the_language(alice: User) -> None:
    gang = make_gang(alice)
    for language, labels in (("fr", PRINTED), ("fr-x-own", FRENCH), ("en", PRINTED)):
        card = render(scene_of(gang), language).cards[0]
        assert [stat.short for stat in card.stats] == labels


# The choice -----------------------------------------------------------------------------------


def test_account_remembers_the_choice_on_every_device(client: Client, alice: User) -> None:
    client.force_login(alice)
    answer = client.post(reverse("set_abbreviations"), {"abbreviations": "book", "next": "/gangs/"})
    assert (answer.status_code, answer["Location"]) == (302, "/gangs/")
    alice.refresh_from_db()
    assert alice.abbreviations == "book"
    sheet = reverse("gangs:shared", args=[make_gang(alice).share_key])
    phone = reader(chosen="own")
    assert shorts(phone.get(sheet).content.decode()) == FRENCH
    phone.force_login(alice)
    assert shorts(phone.get(sheet).content.decode()) == PRINTED
    assert shorts(reader().get(sheet).content.decode()) == FRENCH


@pytest.mark.parametrize("chosen", ["", "nonsense"])
def test_invalid_choice_changes_nothing(client: Client, alice: User, chosen: str) -> None:
    client.force_login(alice)
    answer = client.post(
        reverse("set_abbreviations"),
        {"abbreviations": chosen, "next": "https://elsewhere.example/"},
    )
    assert answer["Location"] == "/" and "abbreviated" not in answer.cookies
    alice.refresh_from_db()
    assert alice.abbreviations == ""


@pytest.mark.long
def test_choice_is_offered_only_when_the_book_has_own_abbreviations(alice: User) -> None:
    make_version(GOLD)
    make_version(POINTS)
    offer = 'action="/abbreviations/"'
    for language, slug, offered in (
        ("fr", POINTS, True),
        ("fr", GOLD, False),
        ("en", POINTS, False),
    ):
        page = reader(language).get(reverse("rules:book", args=[slug])).content.decode()
        assert (offer in page) is offered, (language, slug)
    for language in ("fr", "en"):
        client = reader(language)
        client.force_login(alice)
        page = client.get(reverse("account")).content.decode()
        assert (offer in page) is (language == "fr")
