"""The catalogues: faithful to the placeholders of the English texts, and to the typography of their
languages. French is complete, and used on a French visitor's pages.
"""

from __future__ import annotations

import ast
import datetime
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings as site
from django.test import Client
from django.utils import timezone, translation
from django.utils.formats import date_format as plain_date
from django.utils.translation import ngettext
from pytest_django import Settings

from accounts.dates import date_format
from common.wording.catalogues import Message, read_messages
from gangs.models import Gang
from tests.world.gangs import GOLD, POINTS, make_version, shipped

CATALOGUE = Path(site.BASE_DIR) / "locale/fr/LC_MESSAGES/django.po"
OURS = (
    "accounts",
    "administration",
    "api",
    "campaigns",
    "gangs",
    "guide",
    "outbound",
    "rules",
    "skirmish",
)
PLACEHOLDER = re.compile(r"%(?:\((\w+)\))?[sd]")
NO_BREAK = "\u00a0"


def read(path: Path) -> Iterator[Message]:
    """Return the messages of a catalogue, its header first."""
    return read_messages(path.read_text(encoding="utf-8"))


HEADER, *MESSAGES = read(CATALOGUE)


def names(text: str) -> set[str]:
    """Return the placeholders of a text."""
    return {match[0] for match in PLACEHOLDER.finditer(text)}


@dataclass(frozen=True)
class Catalogue:
    """A catalogue with its header and its messages."""

    language: str
    header: Message
    messages: list[Message]

    @property
    def plural_forms(self) -> int:
        """The number of forms of a plural."""
        found = re.search(r"nplurals=(\d+);", self.header.translations[0])
        assert found is not None
        return int(found[1])


def open_catalogue(language: str) -> Catalogue:
    """Return the catalogue of a language."""
    header, *messages = read(
        Path(site.BASE_DIR) / f"locale/{translation.to_locale(language)}/LC_MESSAGES/django.po"
    )
    return Catalogue(language, header, messages)


TRANSLATIONS = [code for code, _name in site.LANGUAGES if code != site.LANGUAGE_CODE]


@pytest.fixture(params=TRANSLATIONS)
def catalogue(request: pytest.FixtureRequest) -> Catalogue:
    """Return each catalogue in turn."""
    return open_catalogue(request.param)


def test_french_catalogue_translates_every_message() -> None:
    assert MESSAGES
    missing = [message.english for message in MESSAGES if not all(message.translations)]
    assert not missing


def test_catalogue_has_no_fuzzy_message(catalogue: Catalogue) -> None:
    assert not [message.english for message in catalogue.messages if "fuzzy" in message.flags]


def test_every_plural_has_all_forms(catalogue: Catalogue) -> None:
    plurals = [message for message in catalogue.messages if message.plural is not None]
    assert plurals
    assert {len(message.translations) for message in plurals} == {catalogue.plural_forms}


def test_translations_keep_the_placeholders_of_the_source(catalogue: Catalogue) -> None:
    for message in catalogue.messages:
        if not any(message.translations):
            continue  # English takes its place.
        if message.plural is None:
            assert names(message.translations[0]) == names(message.english), message.english
            continue
        several = names(message.plural)
        one, *more = message.translations
        assert {frozenset(names(text)) for text in more} == {frozenset(several)}, message.english
        # The singular may say “a figure” without a number where the English does.
        assert names(one) in (several, names(message.english)), message.english


def test_the_typography_is_french() -> None:
    for message in MESSAGES:
        for text in message.translations:
            plain = PLACEHOLDER.sub("x", text)
            assert "'" not in plain, text
            assert not re.search(rf"[^{NO_BREAK}\d][;!?»](\s|$)", plain), text
            assert not re.search(rf"[^{NO_BREAK}]:(\s|$)", plain), text
            assert not re.search(rf"«[^{NO_BREAK}]", plain), text


def test_french_has_one_word_for_a_level_game() -> None:
    """“Égalité”, as in rulebooks. Words of exported tables stay, so that old files can be read."""
    exported, other = {"drawn", "Drawn"}, re.compile(r"\b[nN]ul(le)?s?\b(?! et non avenue)")
    shown = [one for one in MESSAGES if one.english not in exported]
    wrong = [text for one in shown for text in one.translations if other.search(text)]
    assert wrong == []


def test_french_puts_no_de_before_the_name_of_a_person() -> None:
    """It would be "d’" before a vowel: "selon Agathe", but not "de la main de Agathe"."""
    person = re.compile(r"\bde %\((?:who|whose|hand|by)\)s|\bde la main de ")
    wrong = [text for message in MESSAGES for text in message.translations if person.search(text)]
    assert not wrong, wrong


def test_the_typography_is_german() -> None:
    for message in open_catalogue("de").messages:
        for text in message.translations:
            plain = PLACEHOLDER.sub("x", text)
            assert "'" not in plain and "”" not in plain, text
            assert plain.count("„") == plain.count("“"), text
            assert not re.search(r"\w [;!?:](\s|$)", plain), text


@pytest.mark.parametrize("language", ["fr", "de"])
def test_number_stays_on_the_line_of_its_label_on_a_sheet(language: str) -> None:
    """A longer label than the English one may fill the line of a member’s box."""
    with translation.override(language):
        record = translation.gettext("Games %(games)s · Took out %(taken_out)s")
    assert record.count(f"{NO_BREAK}%(") == 2, record


def test_header_names_no_person_and_no_machine(catalogue: Catalogue) -> None:
    head = catalogue.header.translations[0]
    assert "@" not in head
    assert "/" not in head.replace("text/plain", "")
    assert f"Language: {translation.to_locale(catalogue.language)}\n" in head


@pytest.mark.long
def test_gettext_finds_every_text() -> None:
    """makemessages knows gettext's functions by name, and `_`: any other name hides its texts."""
    hidden = []
    for folder in OURS:
        for path in (Path(site.BASE_DIR) / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation":
                    hidden += [
                        f"{path}: {alias.name} as {alias.asname}"
                        for alias in node.names
                        if alias.asname not in (None, "_")
                    ]
    assert not hidden


# Pages of a visitor ---------------------------------------------------------------------------


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the catalogue as it is now, compiled, ignoring any compiled file beside it."""
    folder = tmp_path_factory.mktemp("locale")
    target = folder / "fr/LC_MESSAGES/django.mo"
    target.parent.mkdir(parents=True)
    subprocess.run(["msgfmt", "--check", "-o", target, CATALOGUE], check=True, timeout=120)
    return folder


@pytest.fixture
def french(compiled: Path, settings: Settings, db: None) -> Client:
    """Return a French visitor's browser."""
    settings.LOCALE_PATHS = [compiled]
    return Client(headers={"accept-language": "fr"})


class Words(HTMLParser):
    """Collects a page's texts, and the attributes that are read out or shown."""

    SAID = ("title", "aria-label", "placeholder", "alt", "data-offline", "data-error")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self.links: set[str] = set()
        self._silent = 0
        self._foreign = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the attributes that are read out or shown."""
        values = dict(attrs)
        self._silent += tag in ("script", "style")
        if values.get("lang") == "en":  # the switch to English
            self._foreign = 1
            return
        if tag == "a":
            self.links.add((values.get("href") or "").partition("#")[0])
        for name in self.SAID:
            self._say(values.get(name) or "")

    def handle_endtag(self, tag: str) -> None:
        """Listen again after a script."""
        self._silent -= tag in ("script", "style")
        self._foreign = 0

    def handle_data(self, data: str) -> None:
        """Note a text."""
        if not self._silent and not self._foreign:
            self._say(data)

    def _say(self, text: str) -> None:
        text = re.sub(r"[ \t\r\n]+", " ", text).strip(" ")
        if text:
            self.said.append(text)


Pattern = tuple[re.Pattern[str], list[re.Pattern[str]]]


def pattern(text: str) -> re.Pattern[str]:
    """Return a pattern that matches ``text`` with any values in its placeholders."""
    return re.compile(".+".join(map(re.escape, PLACEHOLDER.split(text)[::2])))


@cache
def english_only() -> tuple[set[str], list[str], list[Pattern]]:
    """Return the texts that no French page contains: whole texts, sentences that may be part of
    others, and patterns with those of their translations.
    """
    exact: set[str] = set()
    inside: list[str] = []
    patterns: list[Pattern] = []
    for message in MESSAGES:
        for english in filter(None, [message.english, message.plural]):
            if english in message.translations or english in FRENCH_TOO:
                continue
            if not names(english):
                exact.add(english)
                if english.strip().count(" ") > 1:
                    inside.append(english)
            elif (words := PLACEHOLDER.sub("", english).strip()) not in FRENCH_TOO and re.search(
                r"[A-Za-z]{2}", words
            ):
                patterns.append((pattern(english), list(map(pattern, message.translations))))
    return exact, inside, patterns


# English words that mean something else in French, such as an abbreviation of “Force”.
FRENCH_TOO = {"or", "change", "For"}


@cache
def is_left_over(text: str) -> bool:
    """Whether a text is English although a different translation exists. Pages repeat many texts,
    so the result is cached.
    """
    exact, inside, patterns = english_only()
    return (
        text in exact
        or any(english in text for english in inside)
        or any(
            english.fullmatch(text) and not any(one.fullmatch(text) for one in french)
            for english, french in patterns
        )
    )


def leftovers(said: list[str]) -> list[str]:
    """Return the English texts that have a different translation."""
    return [text for text in said if is_left_over(text)]


def check(client: Client, address: str, status: int = 200) -> Words:
    """Check that one page is French."""
    answer = client.get(address)
    assert answer.status_code == status, address
    page = answer.content.decode()
    assert '<html lang="fr" ' in page, address
    words = Words(page)
    assert words.said
    assert not leftovers(words.said), address
    return words


def test_leftovers_finds_english_texts() -> None:
    assert leftovers(["My gangs", "3 figures", "Bande", "x: Everything is in order."]) == [
        "My gangs",
        "3 figures",
        "x: Everything is in order.",
    ]


@pytest.mark.long
def test_public_pages_are_french(french: Client) -> None:
    make_version(GOLD)
    make_version(POINTS)
    ahead, seen = ["/"], set[str]()
    while ahead:
        address = ahead.pop()
        seen.add(address)
        asked = french.get(address)
        if asked.status_code != 302:  # redirected to sign in
            found = check(french, address).links
            # A download of a rulebook is no page.
            pages = {link for link in found if not link.endswith(".zip")}
            ahead += [link for link in pages - seen - set(ahead) if link.startswith("/")]
    assert {
        "/rules/",
        f"/rules/{GOLD}/",
        f"/gangs/new/{POINTS}/",
        "/accounts/signup/",
    } <= seen


@pytest.mark.parametrize("address", ["login", "signup", "password/reset", "password/reset/done"])
def test_account_pages_are_french(french: Client, address: str) -> None:
    check(french, f"/accounts/{address}/")


def test_page_not_found_is_french(french: Client) -> None:
    words = check(french, "/nowhere/", status=404)
    assert "Page introuvable" in words.said


@pytest.mark.long
@pytest.mark.parametrize("slug", [GOLD, POINTS])
def test_visitor_builds_a_gang_in_french(french: Client, slug: str) -> None:
    make_version(slug)
    sample = shipped(slug).samples[0].key
    founded = french.post(f"/gangs/new/{slug}/", {"sample": sample, "token": "a"})
    assert founded.status_code == 302
    base = founded.headers["Location"]
    words = check(french, base)
    opened = sorted(link for link in words.links if "?open=" in link)
    assert opened
    for address in opened:
        check(french, address)
        member = address.partition("?open=")[2]
        check(french, f"{base}members/{member}/items/")
    for page in ("stash/", "history/", "sheet/", "about/"):
        check(french, base + page)


def test_a_refusal_is_french(french: Client) -> None:
    make_version(GOLD)
    base = french.post(f"/gangs/new/{GOLD}/", {"name": "Les Uns", "token": "a"}).headers["Location"]
    answer = french.post(f"{base}undo/", {"version": "1", "token": "b"}, follow=True)
    said = Words(answer.content.decode()).said
    assert "Il n’y a plus rien à annuler ici." in said
    assert not leftovers(said)


def test_dates_in_the_history_are_french(french: Client) -> None:
    make_version(GOLD)
    base = french.post(f"/gangs/new/{GOLD}/", {"name": "Les Uns", "token": "a"}).headers["Location"]
    said = check(french, f"{base}history/").said
    with translation.override("fr"):
        day = date_format(timezone.localtime(Gang.objects.get().created_at), "j N Y")
    assert any(text.startswith(day) for text in said), said
    assert "Création de la bande\u00a0: Les Uns." in said


@pytest.mark.parametrize(
    ("count", "expected"), [(0, "0 figurine"), (1, "1 figurine"), (2, "2 figurines")]
)
def test_zero_is_singular_in_french(french: Client, count: int, expected: str) -> None:
    with translation.override("fr"):
        said = ngettext("%(count)s figure", "%(count)s figures", count) % {"count": count}
    assert said == expected


def test_django_s_own_texts_keep_their_plurals(french: Client) -> None:
    """Django's French has three plural forms where ours has two: neither may use the other's."""
    answer = french.post("/accounts/signup/", {"username": "a", "password1": "b", "password2": "b"})
    said = " ".join(Words(answer.content.decode()).said)
    assert "au moins 2 caractères" in said
    with translation.override("fr"):
        assert plain_date(datetime.date(2026, 8, 1), "j N Y") == "1 août 2026"
