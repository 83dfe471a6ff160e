"""Elements of a catalogue or a list, as both XML and JSON have them.

Readers of either build ``Element`` and count while they do; nothing else is built before the
limits have been checked. Elements and attributes that catalogues do not have are dropped and
counted by their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from common.text import clean_text, one_line
from rules.catalogues.bounds import DEEPEST, LONGEST_LINE, LONGEST_TEXT, MOST_NAMED
from rules.catalogues.refusals import BadCatalogue

# Each list of elements → its elements. Some lists have another name in format 1.15.
LISTS = {
    "catalogueLinks": "catalogueLink",
    "categories": "category",
    "categoryEntries": "categoryEntry",
    "categoryLinks": "categoryLink",
    "characteristicTypes": "characteristicType",
    "characteristics": "characteristic",
    "conditionGroups": "conditionGroup",
    "conditions": "condition",
    "constraints": "constraint",
    "costLimits": "costLimit",
    "costTypes": "costType",
    "costs": "cost",
    "entries": "entry",
    "entryGroups": "entryGroup",
    "entryLinks": "entryLink",
    "forceEntries": "forceEntry",
    "forceTypes": "forceType",
    "forces": "force",
    "infoGroups": "infoGroup",
    "infoLinks": "infoLink",
    "links": "link",
    "localConditionGroups": "localConditionGroup",
    "modifierGroups": "modifierGroup",
    "modifiers": "modifier",
    "profileTypes": "profileType",
    "profiles": "profile",
    "publications": "publication",
    "repeats": "repeat",
    "rules": "rule",
    "selectionEntries": "selectionEntry",
    "selectionEntryGroups": "selectionEntryGroup",
    "selections": "selection",
    "sharedEntries": "entry",
    "sharedEntryGroups": "entryGroup",
    "sharedInfoGroups": "infoGroup",
    "sharedProfiles": "profile",
    "sharedRules": "rule",
    "sharedSelectionEntries": "selectionEntry",
    "sharedSelectionEntryGroups": "selectionEntryGroup",
}
ROOTS = ("catalogue", "gameSystem", "roster")
# Elements that consist of a text.
TEXTS = frozenset(("comment", "customDescription", "customNotes", "description", "readme"))
TAGS = frozenset((*ROOTS, *LISTS, *LISTS.values(), *TEXTS))
ATTRIBUTES = frozenset(
    """
    affects authorName battleScribeVersion book books catalogueId catalogueLinkId catalogueName
    categoryEntryId categoryId characteristicId characteristicTypeId childId collective costTypeId
    customName defaultCostLimit defaultEntryId defaultSelectionEntryId description entryGroupId
    entryId field flatten forceTypeId forceTypeName gameSystemId gameSystemName hidden id import
    importRootEntries includeChildForces includeChildSelections incrementChildId incrementField
    incrementParentId incrementValue library linkType maxInForce maxInRoster maxPercentage
    maxPoints maxSelections minInForce minInRoster minPercentage minPoints minSelections name
    numRepeats number page parentId percentValue points pointsLimit primary profileTypeId
    profileTypeName publicationId repeat repeats revision roundUp scope shared shortName sortIndex
    targetId type typeId typeName value
    """.split()  # noqa: SIM905 - One word a line would hide them.
)
# Attributes that do not matter for a rulebook, and are not named.
IGNORED = frozenset(
    """
    authorContact authorUrl catalogueRevision collapsible countTowardsParentMaxPercentage
    countTowardsParentMaxPoints countTowardsParentMaxSelections countTowardsParentMinPercentage
    countTowardsParentMinPoints countTowardsParentMinSelections from gameSystemRevision
    generatedBy group publicationDate publisher publisherUrl xmlns
    """.split()  # noqa: SIM905 - One word a line would hide them.
)


class Element:
    """An element with its known attributes, its known children and its text."""

    __slots__ = ("attributes", "children", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[Element] = []
        self.text = ""

    def get(self, name: str, otherwise: str = "") -> str:
        """Return an attribute as written."""
        return self.attributes.get(name, otherwise)

    def all(self) -> Iterator[Element]:
        """Yield the element and everything in it, parents first. Children that an element gets
        while it is visited are visited, too."""
        ahead = [self]
        while ahead:
            element = ahead.pop()
            yield element
            ahead.extend(reversed(element.children))

    def child(self, tag: str) -> Element | None:
        """Return the first child with a tag."""
        return next((one for one in self.children if one.tag == tag), None)

    def each(self, *lists: str) -> Sequence[Element]:
        """Return the elements in the child lists with these names."""
        if not self.children:
            return ()
        found: list[Element] = []
        for child in self.children:
            if child.tag in lists:
                wanted = LISTS[child.tag]
                found += [one for one in child.children if one.tag == wanted]
        return found

    def words(self, tag: str) -> str:
        """Return the text of a child, or of an attribute with its name."""
        found = self.child(tag)
        return found.text if found else self.get(tag)


class Counts:
    """Counts while files are read: elements in all, and what is not understood by its name."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.elements = 0
        self.unknown: Counter[str] = Counter()
        # Short texts, each kept once: most attributes are ids, numbers and yes or no.
        self._same: dict[str, str] = {}

    def count(self, file: str, depth: int) -> None:
        """Count an element at a depth. Raises BadCatalogue."""
        self.elements += 1
        if self.elements > self.most:
            raise BadCatalogue("too_many_elements", file=file, limit=self.most)
        if depth > DEEPEST:
            raise BadCatalogue("too_deep", file=file, limit=DEEPEST)

    def name(self, *path: str) -> None:
        """Count a thing that is not understood, such as an attribute of an element."""
        found = "/".join(one_line(part[:80])[:40] for part in path)
        if found not in self.unknown and len(self.unknown) >= MOST_NAMED:
            found = "…"
        self.unknown[found] += 1

    def same(self, text: str) -> str:
        """Return an equal text, the same object each time if it is short."""
        return self._same.setdefault(text, text) if len(text) < 40 else text

    def attributes(self, tag: str, written: dict[str, str]) -> dict[str, str]:
        """Return the known attributes of an element; count the others."""
        found = {}
        for name, value in written.items():
            if name in ATTRIBUTES:
                found[name] = self.same(value)
            elif name not in IGNORED and ":" not in name:
                self.name(tag, f"@{name}")
        return found

    def line(self, text: str, place: str, most: int = LONGEST_LINE) -> str:
        """Return a text as one clean line. A text that is cut is counted."""
        if len(text) < 40 and text.isascii() and text.isprintable():
            return self.same(" ".join(text.split()))
        found = one_line(text[: 2 * most])
        if len(found) > most or len(text) > 2 * most:
            self.name(place, "…")
            found = found[:most].rstrip()
        return found

    def lines(self, text: str, place: str, *, stripped: bool = True) -> str:
        """Return a text of several clean lines. A text with a line that is cut is counted."""
        found = clean_text(text[: 2 * LONGEST_TEXT])
        found = found.strip() if stripped else found
        written = found[:LONGEST_TEXT].split("\n")
        kept = "\n".join(line[:LONGEST_LINE] for line in written)
        is_long = len(text) > 2 * LONGEST_TEXT or len(found) > LONGEST_TEXT
        if is_long or any(len(line) > LONGEST_LINE for line in written):
            self.name(place, "…")
        return kept
