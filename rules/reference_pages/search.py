"""Finding something in a rulebook: every row is looked at, whatever its chapter."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from rules.reference_pages.pieces import PageLine, PageTable, Piece, RulebookPages, Section

MOST_FOUND = 40
LONGEST_QUERY = 80
SNIPPET = 160
SENTENCE = re.compile(r"(?<=[.;:!?])\s+")
LIGATURES = str.maketrans({"œ": "oe", "æ": "ae", "’": "'", "\u00a0": " ", "\u202f": " "})


@dataclass(frozen=True)
class Entry:
    """One thing that can be found: where it is, what it is called, all that is said of it."""

    to: str
    name: str
    place: str
    text: str
    folded_name: str
    folded: str


# A text in pieces, each with whether it is what was looked for.
Marked = tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class Hit:
    """An entry that was found. ``text``: the beginning of what is said there; ``words``: what was
    looked for, folded."""

    to: str
    name: str
    place: str
    text: str
    words: tuple[str, ...]

    @property
    def chapter(self) -> str:
        """The address of the chapter that it is in."""
        return self.to.partition("#")[0]

    @property
    def anchor(self) -> str:
        """Its place in the chapter."""
        return f"#{self.to.partition('#')[2]}"

    @property
    def marked_name(self) -> Marked:
        """Its name, with what was looked for."""
        return mark_words(self.name, self.words)

    @property
    def marked_text(self) -> Marked:
        """Its text, with what was looked for."""
        return mark_words(self.text, self.words)


def fold_letters(text: str) -> str:
    """Without accents and capitals, so that "Épée" is found by "epee"."""
    plain = unicodedata.normalize("NFKD", text.casefold().translate(LIGATURES))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def entries(rules: RulebookPages) -> tuple[Entry, ...]:
    """Everything of a rulebook that can be found."""
    found = [_entry("", piece, "") for piece in rules.settings]
    for chapter in rules.chapters:
        for section in chapter.sections:
            found += _section(f"{chapter.key}/", section, chapter.title)
    return tuple(found)


def _section(base: str, section: Section, chapter: str) -> Iterator[Entry]:
    place = chapter if section.title == chapter else f"{chapter} › {section.title}"
    yield _indexed(f"{base}#{section.anchor}", section.title, chapter, section.text)
    yield from _lines(base, section.grid, place)
    for piece in section.pieces:
        if piece.anchor:
            yield _entry(base, piece, place)
            yield from _lines(base, piece.grid, f"{place} › {piece.name}")


def _lines(base: str, grid: PageTable | None, place: str) -> Iterator[Entry]:
    for line in grid.lines if grid else ():
        if line.anchor:
            # A line of a dice table is known by its result, not by its number.
            name = next((cell.strong for cell in line.cells if cell.strong), line.name)
            yield _indexed(f"{base}#{line.anchor}", name, place, " ".join(_texts(line)))


def _texts(line: PageLine) -> Iterator[str]:
    yield line.detail
    for cell in line.cells:
        yield cell.text
        yield from (link.text for link in cell.more)


def _entry(base: str, piece: Piece, place: str) -> Entry:
    texts = [piece.text, *piece.steps]
    texts += [f"{fact.label} {link.text}" for fact in piece.facts for link in fact.values]
    for line in piece.grid.lines if piece.grid else ():
        if not line.anchor:
            texts += [line.name, *filter(_has_letters, _texts(line))]
    texts += piece.chips
    return _indexed(f"{base}#{piece.anchor}", piece.name, place, " ".join(filter(None, texts)))


def _has_letters(text: str) -> bool:
    """Whether it is more than a number: nobody looks for those, and they say nothing alone."""
    return any(map(str.isalpha, text))


def _indexed(to: str, name: str, place: str, text: str) -> Entry:
    return Entry(to, name, place, text, fold_letters(name), fold_letters(f"{name} {text}"))


def find(listed: Iterable[Entry], query: str) -> tuple[Hit, ...]:
    """What holds every word of ``query``, best first: called so, beginning so, then anything."""
    words = fold_letters(query[:LONGEST_QUERY]).split()
    whole = " ".join(words)
    if len(whole) < 2:
        return ()
    found = [entry for entry in listed if all(word in entry.folded for word in words)]
    found.sort(key=lambda entry: _rank(entry, whole, words))
    return tuple(
        Hit(entry.to, entry.name, entry.place, _snippet(entry.text, words), tuple(words))
        for entry in found[:MOST_FOUND]
    )


def mark_words(text: str, words: Iterable[str]) -> Marked:
    """The text in pieces, those that are one of the folded ``words`` marked."""
    plain = [fold_letters(letter) for letter in text]
    # Which letter of the text each letter of the folded one comes from.
    places = [place for place, letters in enumerate(plain) for _letter in letters]
    whole = "".join(plain)
    found = [False] * len(text)
    for word in filter(None, words):
        for start in (match.start() for match in re.finditer(f"(?={re.escape(word)})", whole)):
            for place in places[start : start + len(word)]:
                found[place] = True
    groups = groupby(zip(text, found, strict=True), key=itemgetter(1))
    return tuple(("".join(letter for letter, _ in group), hit) for hit, group in groups)


def _rank(entry: Entry, whole: str, words: list[str]) -> int:
    if entry.folded_name == whole:
        return 0
    if entry.folded_name.startswith(whole):
        return 1
    if all(re.search(rf"\b{re.escape(word)}", entry.folded_name) for word in words):
        return 2
    if all(word in entry.folded_name for word in words):
        return 3
    if all(re.search(rf"\b{re.escape(word)}", entry.folded) for word in words):
        return 4
    return 5


def _snippet(text: str, words: list[str]) -> str:
    """The beginning, or what follows from the first sentence with one of the words."""
    if len(text) <= SNIPPET:
        return text
    sentences = SENTENCE.split(text)
    hits = [
        n for n, sentence in enumerate(sentences) if any(w in fold_letters(sentence) for w in words)
    ]
    first = hits[0] if hits else 0
    snippet = " ".join(sentences[first:])
    if len(snippet) > SNIPPET:
        snippet = snippet[:SNIPPET].rsplit(" ", 1)[0] + "…"
    return f"… {snippet}" if first else snippet
