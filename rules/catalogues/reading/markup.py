"""Reads elements from XML.

Expat parses; it calls back for each element, so everything is counted before it is built. A
document type is refused where it starts, so no entity can be declared, and nothing outside the file
is ever opened.
"""

from __future__ import annotations

from xml.parsers import expat

from rules.catalogues.bounds import LONGEST_TAG, MOST_ATTRIBUTES
from rules.catalogues.reading.elements import TAGS, TEXTS, Counts, Element
from rules.catalogues.refusals import BadCatalogue

# Bytes that the parser gets in one step.
STEP = 64 << 10
ENCODINGS = ("utf-8", "utf8", "utf-16", "utf-16le", "utf-16be", "us-ascii", "ascii")
# The parser's errors about encodings: an unknown one, and another than the one declared.
WRONG_ENCODING = (18, 19)


class _Builder:
    """Builds the elements of a file from the parser's calls."""

    def __init__(self, file: str, counts: Counts) -> None:
        self.file = file
        self.counts = counts
        self.root: Element | None = None
        self.open: list[Element] = []
        # How many elements are open inside one that is not understood.
        self.skipped = 0
        self.letters: list[str] = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.XmlDeclHandler = self._declare
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._write

    def feed(self, content: bytes) -> None:
        """Parse a file. Raises BadCatalogue."""
        view = memoryview(content)
        try:
            for start in range(0, len(content), STEP):
                self.parser.Parse(view[start : start + STEP], False)
                read = min(start + STEP, len(content))
                if read - max(self.parser.CurrentByteIndex, 0) > LONGEST_TAG:
                    raise BadCatalogue("too_long_tag", file=self.file)
            self.parser.Parse(b"", True)
        except expat.ExpatError as error:
            if error.code in WRONG_ENCODING:
                raise BadCatalogue("encoding", file=self.file) from None
            raise BadCatalogue("broken", file=self.file, line=error.lineno) from None
        except (ValueError, LookupError):
            # Python's own codecs refuse an encoding that the parser does not know.
            raise BadCatalogue("encoding", file=self.file) from None

    def _declare(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and encoding.lower() not in ENCODINGS:
            raise BadCatalogue("encoding", file=self.file)

    def _refuse(self, *_declared: object) -> None:
        raise BadCatalogue("doctype", file=self.file)

    def _start(self, tag: str, written: dict[str, str]) -> None:
        self.counts.count(self.file, len(self.open) + self.skipped + 1)
        if len(written) > MOST_ATTRIBUTES:
            line = self.parser.CurrentLineNumber
            raise BadCatalogue("too_many_attributes", file=self.file, line=line)
        tag = tag.rpartition(":")[2]
        if self.skipped or (tag not in TAGS and self.open):
            if not self.skipped:
                self.counts.name(self.open[-1].tag, tag)
            self.skipped += 1
            return
        element = Element(tag, self.counts.attributes(tag, written) if written else {})
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)
        self.letters.clear()

    def _end(self, tag: str) -> None:
        if self.skipped:
            self.skipped -= 1
            return
        element = self.open.pop()
        if self.letters:
            element.text = self.counts.same("".join(self.letters).strip())
            self.letters.clear()

    def _write(self, text: str) -> None:
        if not self.skipped and self.open and self.open[-1].tag in WITH_TEXT:
            self.letters.append(text)


WITH_TEXT = TEXTS | {"characteristic"}


def read_markup(file: str, content: bytes, counts: Counts) -> Element:
    """Return the root of an XML file. Raises BadCatalogue."""
    builder = _Builder(file, counts)
    builder.feed(content)
    if builder.root is None:
        raise BadCatalogue("not_ours", file=file)
    return builder.root
