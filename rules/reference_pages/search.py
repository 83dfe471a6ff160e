"""Searches all chapters of a rulebook."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain, groupby, repeat
from operator import itemgetter

from common.text import fold_letters
from rules.reference_pages.pieces import PageLine, PageTable, Piece, RulebookPages, Section

MOST_FOUND = 40
LONGEST_QUERY = 80
SNIPPET = 160
# Shorter words have too many neighbours to forgive a wrong letter.
SHORTEST_FORGIVEN = 4
# The most spellings that may stand for a word with a wrong letter.
MOST_SPELLINGS = 3
# Between the facts and cells of a row in the list of results.
BETWEEN = " · "
WORD = re.compile(r"\w+")
SENTENCE = re.compile(r"(?<=[.;:!?])\s+")


@dataclass(frozen=True)
class Entry:
    """A row that can be found: its address, name and place, with all its text."""

    to: str
    name: str
    place: str
    text: str
    folded_name: str
    folded: str


# A text in pieces, each with whether it is part of the search.
Marked = tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class Hit:
    """An entry that was found. ``text``: a part of its text; ``words``: the words of the search,
    folded.
    """

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
        """The name, with the words of the search marked."""
        return mark_words(self.name, self.words)

    @property
    def marked_text(self) -> Marked:
        """The text, with the words of the search marked."""
        return mark_words(self.text, self.words)


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
            # A line of a dice table has the name of its result, not of its number.
            name = next((cell.strong for cell in line.cells if cell.strong), line.name)
            text = _join(_texts(line, grid))
            yield _indexed(f"{base}#{line.anchor}", name, place, text, _join(_texts(line)))


def _texts(line: PageLine, grid: PageTable | None = None) -> Iterator[str]:
    """The texts of a line's cells; a number comes after the name of its column, if its ``grid`` is
    given."""
    yield line.detail
    columns = chain((column.name for column in grid.columns) if grid else (), repeat(""))
    for cell, column in zip(line.cells, columns, strict=False):
        is_number = any(map(str.isdigit, cell.text)) and not _has_letters(cell.text)
        yield f"{column} {cell.text}" if is_number and column else cell.text
        yield from (link.text for link in cell.more)


def _entry(base: str, piece: Piece, place: str) -> Entry:
    texts = [" ".join(filter(None, [piece.text, *piece.steps]))]
    texts += [f"{fact.label} {link.text}" for fact in piece.facts for link in fact.values]
    for line in piece.grid.lines if piece.grid else ():
        if not line.anchor:
            texts += [line.name, *filter(_has_letters, _texts(line))]
    texts += piece.chips
    return _indexed(f"{base}#{piece.anchor}", piece.name, place, _join(texts))


def _join(texts: Iterable[str]) -> str:
    """The facts or cells of a row as one text, visibly apart."""
    return BETWEEN.join(filter(None, texts))


def _has_letters(text: str) -> bool:
    """Whether a text is more than a number: nobody searches for numbers."""
    return any(map(str.isalpha, text))


def _indexed(to: str, name: str, place: str, text: str, sought: str | None = None) -> Entry:
    """An entry. ``sought``: the text in which words are found, if it is not the one to show."""
    folded = fold_letters(f"{name} {text if sought is None else sought}")
    return Entry(to, name, place, text, fold_letters(name), folded)


def find(listed: Iterable[Entry], query: str) -> tuple[Hit, ...]:
    """The entries with every word of ``query``, best first: by name, by its beginning, by text.

    A word is found at the beginning of words only. If nothing begins with it, the words count
    that differ from it by one letter.
    """
    rows = tuple(listed)
    typed = fold_letters(query[:LONGEST_QUERY]).split()
    if len(" ".join(typed)) < 2:
        return ()
    spellings = [_spellings(rows, word) for word in typed]
    wanted = [_at_beginning(words) for words in spellings]
    whole = " ".join(words[0] for words in spellings)
    found = [entry for entry in rows if all(one.search(entry.folded) for one in wanted)]
    found.sort(key=lambda entry: _rank(entry, whole, wanted))
    marked = tuple(word for words in spellings for word in words)
    return tuple(
        Hit(entry.to, entry.name, entry.place, _snippet(entry.text, wanted), marked)
        for entry in found[:MOST_FOUND]
    )


def _at_beginning(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern for any of these folded words at the beginning of a word."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})")


def _spellings(listed: Sequence[Entry], word: str) -> tuple[str, ...]:
    """The word itself, or the words of the rulebook that differ from it by one letter, if no word
    begins with it."""
    begins = _at_beginning([word])
    if len(word) < SHORTEST_FORGIVEN or any(begins.search(entry.folded) for entry in listed):
        return (word,)
    known = {one for entry in listed for one in WORD.findall(entry.folded)}
    # One different letter of n makes the likeness 1 - 1/n; a missing or added letter makes it more.
    alike = 1 - 1 / len(word) - 1e-9
    return tuple(get_close_matches(word, known, MOST_SPELLINGS, alike)) or (word,)


def mark_words(text: str, words: Iterable[str]) -> Marked:
    """The text in pieces, marked where words begin with one of the folded ``words``."""
    plain = [fold_letters(letter) for letter in text]
    # The letter of the text that each folded letter is made from.
    places = [place for place, letters in enumerate(plain) for _letter in letters]
    whole = "".join(plain)
    found = [False] * len(text)
    for word in filter(None, words):
        for start in (match.start() for match in _at_beginning([word]).finditer(whole)):
            for place in places[start : start + len(word)]:
                found[place] = True
    groups = groupby(zip(text, found, strict=True), key=itemgetter(1))
    return tuple(("".join(letter for letter, _ in group), hit) for hit, group in groups)


def _rank(entry: Entry, whole: str, wanted: Iterable[re.Pattern[str]]) -> int:
    if entry.folded_name.startswith(whole):
        return 0 if entry.folded_name == whole else 1
    return 2 if all(one.search(entry.folded_name) for one in wanted) else 3


def _snippet(text: str, wanted: Sequence[re.Pattern[str]]) -> str:
    """A part of the text from the first sentence with one of the words, or from its beginning."""
    if len(text) <= SNIPPET:
        return text
    sentences = SENTENCE.split(text)
    hits = (any(one.search(fold_letters(row)) for one in wanted) for row in sentences)
    first = next((number for number, hit in enumerate(hits) if hit), 0)
    snippet = " ".join(sentences[first:])
    if len(snippet) > SNIPPET:
        snippet = snippet[:SNIPPET].rsplit(" ", 1)[0] + "…"
    return f"… {snippet}" if first else snippet
