"""Errors clean the text that they quote: odd texts are put at every place of every kind of file."""

from __future__ import annotations

import copy
import json
import logging
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from administration.archives.manifest import BadArchive
from campaigns.files import exporting as campaign_files
from campaigns.models import Campaign
from common.errors import Refusal
from common.text import is_fit, quote
from gangs.files.exporting import export_gang
from gangs.files.format import BadFile
from gangs.models import Gang
from rules.book.model import Book
from rules.editor.files import BadVariant
from rules.engine.expressions import BadExpression
from rules.untrusted import BadVersion, read_version
from skirmish.logs import JsonFormatter, LineFormatter
from tests.common.nasty import NASTY
from tests.random_cases import cases
from tests.world.campaigns import confirmed, make_campaign, make_game, make_player, reported
from tests.world.gangs import GOLD, shipped

# The worst of them, all together, and more text than anybody reads.
WORST = "\ud83d\x00\x1b[2J\u202e\r\n<b>%(detail)s{0}"
LONG = "\ud800" * 300 + "x" * 1_000_000
ODD = [WORST, LONG] if cases(0, 1) else [WORST]


@pytest.mark.parametrize("text", [*NASTY.values(), WORST, LONG])
def test_every_exception_cleans_the_text_that_it_quotes(text: str) -> None:
    errors: list[Exception] = [
        Refusal("code", name=text),
        BadFile("damaged", text),
        BadVersion(text),
        BadVariant("damaged", detail=text),
        BadArchive(text),
    ]
    for error in errors:
        told = [str(error), getattr(error, "detail", "")]
        told += [str(value) for value in getattr(error, "values", {}).values()]
        for words in told:
            assert is_fit(words) and words.encode() is not None and "\n" not in words
            assert len(words) <= 2_000


def test_quoting_keeps_readable_text() -> None:
    assert quote("settings.Zoé d’Œuvre") == "settings.Zoé d’Œuvre"
    assert quote("a\ud800b\x00c\u202ed") == "abcd"
    assert quote("x" * 1_000) == "x" * 80 and quote(12) == "12"


Place = tuple[str | int, ...]


def places(data: Any, place: Place = ()) -> Iterator[Place]:
    """Return the places of a file's texts and of its keys (a key's place ends with "")."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield (*place, key, "")
            yield from places(value, (*place, key))
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from places(value, (*place, number))
    elif isinstance(data, str):
        yield place


def kinds_of_places(data: Any) -> list[Place]:
    """Return one place of each kind: places that differ only in list positions are the same."""
    found: dict[Place, Place] = {}
    for place in places(data):
        found.setdefault(tuple("" if isinstance(part, int) else part for part in place), place)
    return sorted(found.values(), key=repr)


def spoil_file(data: Any, place: Place, odd: str) -> Any:
    """Return the file with an odd text there, or one more text under an odd key, or an odd key in
    its place.
    """
    changed = copy.deepcopy(data)
    *way, last = place
    if last == "":
        *way, key = way
        inside = changed
        for part in way:
            inside = inside[part]
        inside[odd] = inside.pop(key)
        return changed
    inside = changed
    for part in way:
        inside = inside[part]
    inside[last] = odd
    return changed


def send(client: Client, address: str, data: Any, **fields: Any) -> str:
    """Import a file and return the page that answers, with its messages."""
    # Halves of letters in JSON's notation.
    content = json.dumps(data).encode()
    file = SimpleUploadedFile("file.json", content)
    answer = client.post(address, {"file": file, "token": str(uuid.uuid4()), **fields})
    assert answer.status_code in (200, 302, 422), answer.status_code
    if answer.status_code == 302:
        # The page shows the stored texts.
        shown = client.get(answer["Location"])
        assert shown.status_code in (200, 302)
    return answer.content.decode()


@pytest.fixture
def _no_limits(settings: Any) -> None:
    settings.QUOTAS = dict.fromkeys(settings.QUOTAS, 100_000)


@pytest.fixture
def played(alice: User, bob: User) -> Gang:
    campaign = make_campaign(bob)
    gang, rival = make_player(campaign, alice), make_player(campaign, bob)
    confirmed(reported(make_game(campaign, bob, gang, rival), bob), alice)
    return gang


def each_kind(data: Any) -> Iterator[tuple[Place, Any]]:
    kinds = kinds_of_places(data)
    assert len(kinds) > 10
    for place in kinds:
        for odd in ODD:
            yield place, spoil_file(data, place, odd)


@pytest.mark.long
@pytest.mark.random
@pytest.mark.django_db
@pytest.mark.usefixtures("_no_limits")
def test_import_of_a_gang_survives_an_odd_text_anywhere(
    client: Client, alice: User, played: Gang
) -> None:
    client.force_login(alice)
    data = json.loads(export_gang(played))
    for _place, bad in each_kind(data):
        send(client, "/gangs/import/", bad)
    # The error that was found first quotes it.
    settings = next(one["entry"] for one in data["records"] if "settings" in one["entry"])
    settings["settings"] = {WORST: 1, "\ud800": "\ud800"}
    said = send(client, "/gangs/import/", data)
    assert "The file contradicts itself (at 1: [2J &lt;b&gt;%(detail)s{0})" in said


@pytest.mark.long
@pytest.mark.random
@pytest.mark.django_db
@pytest.mark.usefixtures("_no_limits")
def test_import_of_a_campaign_survives_an_odd_text_anywhere(
    client: Client, bob: User, played: Gang
) -> None:
    client.force_login(bob)
    data = json.loads(campaign_files.export_campaign(Campaign.objects.get()))
    for _place, bad in each_kind(data):
        send(client, "/campaigns/import/", bad, own_name="")
    said = send(client, "/campaigns/import/", data, own_name=WORST.replace("\ud83d", "?"))
    assert "Nobody in the file has this name" in said


@pytest.mark.long
@pytest.mark.random
@pytest.mark.django_db
@pytest.mark.usefixtures("_no_limits")
def test_import_of_a_variant_survives_an_odd_text_anywhere(
    client: Client, bob: User, played: Gang
) -> None:
    client.force_login(bob)
    book = played.book
    item = next(iter(book.items)).key
    changes = [
        {"kind": "set", "table": "items", "row": item, "field": ["name", "en"], "value": "Sword"},
        {"kind": "set", "table": "items", "row": item, "field": ["text"], "value": {"en": "a"}},
    ]
    data = {
        "format": "skirmish-variant",
        "format_version": 1,
        "name": "Ours",
        "book": book.slug,
        "book_name": "A game",
        "digest": book.digest,
        "overlay": {"changes": changes},
    }
    for _place, bad in each_kind(data):
        send(client, "/editor/import/", bad)
        # The confirmation page sends the same content again as text.
        client.post("/editor/import/", {"content": json.dumps(bad), "token": str(uuid.uuid4())})


def rulebook(book: Book) -> Any:
    return json.loads(book.canonical())


@pytest.mark.long
@pytest.mark.random
def test_reading_a_rulebook_survives_an_odd_text_anywhere() -> None:
    data = rulebook(shipped(GOLD))
    kinds = kinds_of_places(data)
    assert len(kinds) > 200
    for place in kinds[:: cases(40, 1)]:
        with pytest.raises(BadVersion) as bad:
            read_version("a" * 64, json.dumps(spoil_file(data, place, WORST)))
        assert is_fit(bad.value.detail), place


def test_log_keeps_odd_texts_on_one_line() -> None:
    try:
        raise BadExpression(f"{WORST}\n2026-01-01 ERROR forged")
    except BadExpression as error:
        record = logging.LogRecord(
            "x", logging.ERROR, __file__, 1, "%s", (WORST,), (BadExpression, error, None)
        )
    for formatter in (LineFormatter(), JsonFormatter()):
        written = formatter.format(record)
        written.encode()
        assert "\x1b" not in written and "\u202e" not in written and "\x00" not in written
        assert not [line for line in written.split("\n")[1:] if not line.startswith("  ")]
        assert written.startswith("{") or "\n2026" not in written
