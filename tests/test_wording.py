"""Wording: every refusal has its words, and no text says what a native speaker would not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from campaigns.files.views import BAD_FILES as BAD_CAMPAIGN_FILES
from campaigns.refusals import REFUSALS as CAMPAIGN_REFUSALS
from common.measuring import BadData
from gangs.files.format import refusing
from gangs.files.views import BAD_FILES
from gangs.text.refusals import MISFITS, REFUSALS
from rules.book.model import Book
from rules.book.vocabulary import Text
from rules.editor.refusals import BAD_VARIANTS, UNGRAFTABLE
from rules.editor.refusals import REFUSALS as EDITOR_REFUSALS
from rules.importing.refusals import REFUSALS as IMPORT_REFUSALS
from rules.library import shipped_folders
from tests.test_documents import DOCUMENTS
from tests.test_house import ROOT, SOURCES, values
from tests.test_translations import MESSAGES
from tests.world.gangs import shipped

SAID = {
    "Refusal": {**REFUSALS, **CAMPAIGN_REFUSALS},
    "Misfit": MISFITS,
    "BadFile": {**BAD_FILES, **BAD_CAMPAIGN_FILES},
    "BadVariant": BAD_VARIANTS,
    "Refused": EDITOR_REFUSALS,
    "Ungraftable": UNGRAFTABLE,
    "NotNow": IMPORT_REFUSALS,
}
# Codes of ``common.measuring.BadData``, for which the refusals of files have the words.
BAD_DATA = {
    "too_big",
    "not_text",
    "not_json",
    "too_deep",
    "too_many",
    "bad_number",
    "bad_text",
}
MEASURED = {
    "BadFile": {refusing(BadData(code)).code for code in BAD_DATA},
    "BadVariant": BAD_DATA,
}


def test_every_code_of_measuring_is_listed() -> None:
    raised = re.findall(r'BadData\("(\w+)"', (ROOT / "common/measuring.py").read_text("utf-8"))
    assert set(raised) == BAD_DATA


@pytest.mark.parametrize("name", SAID)
def test_every_code_has_a_sentence_and_every_sentence_a_code(name: str) -> None:
    # An entry's class also gives a code for the reason why it stays.
    way = {"Refusal": r"(?:\bRefusal\(\s*|\bstays=)"}.get(name, rf"\b{name}\(\s*")
    code = re.compile(rf'{way}"(\w+)"')
    used = {match for path in SOURCES for match in code.findall(path.read_text("utf-8"))}
    used |= MEASURED.get(name, set())
    assert used and used == set(SAID[name])


# Refused words

# Patterns that are refused, each with better words. Readers notice translated English immediately.
ENGLISH = {
    r"\btaken? (?:it |this |that |them |all of it |all of this )?back\b": "undo, undone; withdrawn",
    r"\bgo(?:es)? by (?:the|another|other|this|that|it|one|%)": "uses, follows",
    r"\banew\b": "again",
    r"\bwhom?ever\b": "anyone who, those who, the player who",
    r"\btells? it\b": "reports, says",
    r"\barrange it\b": "Create game night",
    r"\bdo you come\b": "Are you coming?",
    r"\bof somebody\b": "another player’s, a member’s",
    r"\bbesides such\b": "except for",
    r"\bwho organises\b": "an organiser",
    r"\bnobody is called so\b": "nobody has that name",
    r"\bhas the say\b": "decides",
    r"\bit as it stands\b": "Here is the latest version",
    r"\bpoints? (?:to|left to) spread\b": "to assign",
    r"\bput (?:who|whom)\b|\bwho put out\b|\benem(?:y|ies) put out\b": "taken out",
    r"\btake it along\b|\bcomes along\b": "take it with me; is kept",
    r"\bthrown so\b|\bended the game so\b": "like this; as",
    r"\b(?:look at|not yours to) (?:it|see|report)$": "View; you cannot",
    r"^to the (?:gang|game|campaign|sheet|report|table|front page)$": "View, Go to",
    r"\ball that is (?:mine|yours)\b": "my data, your data",
    r"\bbands? (?:has|have|of)\b": "gang",
}
FRENCH = {
    r"\bgangs?\b(?!\u00a0:)": "bande",
    r"\bavis\b(?! de recherche)(?! vierges?)": "notification",
    r"\btir(?:er|ez|e|és?) (?:une|les|des|aux?|pour|sur) (?:dés?|blessure|table|tous)": "lancer",
    r"\bse tire\b|\btirez? (?:ou|le) scénario\b": "lancer",
    r"\be-mails?\b": "courriel",
    r"\w'\w": "’, the apostrophe of a typesetter",
    r"(?<=[^\s\u00a0\u202f?!])[?!»](?!\w)|(?<=\w) [:;?!»]": "a no-break space before : ; ? ! »",
    r"« (?! )": "a no-break space after «",
}
# File names, addresses, code and placeholders are not words.
NO_WORDS = re.compile(
    r"%\(\w+\)s|`[^`]*`|\]\([^)]*\)|https?:\S+|\"anew\"|^    .*$|^\| --- .*$", re.M
)


def find_refused(text: str, words: dict[str, str]) -> list[str]:
    """Return the refused expressions in a text, each with better words."""
    text = NO_WORDS.sub("…", text)
    return [
        f"…{text[max(found.start() - 30, 0) : found.end() + 30]}…: say {better}"
        for pattern, better in words.items()
        for found in re.finditer(pattern, text, re.I)
    ]


def texts_of(book: Book) -> Iterator[Text]:
    """Return every text of a rulebook that players read."""
    for name in type(book).model_fields:
        yield from (value for value in values(getattr(book, name)) if isinstance(value, Text))


def test_pages_mails_and_prints_use_no_refused_words() -> None:
    said = {text for each in MESSAGES for text in (each.english, each.plural or "")}
    assert [line for text in sorted(said) for line in find_refused(text, ENGLISH)] == []
    french = {text for message in MESSAGES for text in message.translations}
    assert [line for text in sorted(french) for line in find_refused(text, FRENCH)] == []


@pytest.mark.parametrize("folder", shipped_folders(), ids=lambda folder: folder.name)
def test_rulebooks_use_no_refused_words(folder: Path) -> None:
    texts = list(texts_of(shipped(folder.name)))
    assert len(texts) > 100
    assert [line for text in texts for line in find_refused(text["en"] or "", ENGLISH)] == []
    assert [line for text in texts for line in find_refused(text["fr"] or "", FRENCH)] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_documents_use_no_refused_words(document: Path) -> None:
    # Published release notes stay as they are.
    if document.name != "CHANGELOG.md":
        words = FRENCH if document.name.endswith(".fr.md") else ENGLISH
        assert find_refused(document.read_text("utf-8"), words) == []


# Signs that languages set differently

SAID_IN_ONE = re.compile(
    r"\{% blocktrans.*?endblocktrans\w* %\}|\{#.*?#\}|<style.*?</style>", re.DOTALL
)
COLON = re.compile(r"(?:\}\}|%\}|>) ?: ?(?:\{\{|\{%|<[^!]|$)", re.MULTILINE)


@pytest.mark.parametrize("before, after", [("%} ", "{{"), ("}}", "<b>"), (">", "{{"), ("}}", "\n")])
def test_colon_pattern_finds_a_colon(before: str, after: str) -> None:
    assert COLON.search(f"<p>{before}: {after}")


def test_no_template_sets_a_colon_itself() -> None:
    """French colons have a space before them that does not break: use gettext or ``of_what``."""
    assert not [
        (str(path.relative_to(ROOT)), found[0])
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for found in COLON.finditer(SAID_IN_ONE.sub("", path.read_text("utf-8")))
    ]
