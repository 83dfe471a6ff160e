"""Reads uploads: the files of a game system with its catalogues, or of a list."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence

from common.text import quote
from rules.catalogues.bounds import (
    BIGGEST_LIST,
    MOST_ELEMENTS,
    MOST_FILES,
    MOST_LIST_ELEMENTS,
)
from rules.catalogues.model import Catalogue, System
from rules.catalogues.paths import count_paths
from rules.catalogues.reading.catalogues import read_catalogue
from rules.catalogues.reading.elements import Counts, Element
from rules.catalogues.reading.lists import make_roster
from rules.catalogues.reading.markup import read_markup
from rules.catalogues.reading.objects import read_objects
from rules.catalogues.reading.uploads import File, Opened, open_files
from rules.catalogues.refusals import BadCatalogue
from rules.catalogues.rosters import Roster

# The start of a text in UTF-16, with and without its mark.
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"<\0", b"\0<")


def read_files(files: Sequence[File], progress: Callable[[str], None] | None = None) -> System:
    """Read a game system and its catalogues from uploaded files: names and contents.

    Files are plain or zipped (``.gst``, ``.cat``, ``.gstz``, ``.catz``, ``.bsr``, ``.zip``,
    New Recruit's ``.json``); contents decide, not names. ``progress`` gets the name of each file
    before it is read. Raises BadCatalogue.
    """
    if not files:
        raise BadCatalogue("no_file")
    counts = Counts(MOST_ELEMENTS)
    read: list[Catalogue] = []
    for opened in open_files(files):
        if progress:
            progress(quote(opened.name))
        root = _read(opened, counts)
        if root is None or (root.tag == "roster" and opened.is_zipped):
            continue
        if root.tag not in ("gameSystem", "catalogue"):
            raise BadCatalogue("not_ours", file=opened.name)
        if len(read) == MOST_FILES:
            raise BadCatalogue("too_many_files", limit=MOST_FILES)
        read.append(read_catalogue(root, quote(opened.name), counts))
    made = _joined(read, tuple(counts.unknown.most_common()))
    count_paths(made)
    return made


def read_roster(name: str, content: bytes) -> Roster:
    """Read a list from an uploaded file: ``.ros``, ``.rosz``, or New Recruit's ``.json``.

    Raises BadCatalogue.
    """
    counts = Counts(MOST_LIST_ELEMENTS)
    for opened in open_files([(name, content)], BIGGEST_LIST):
        root = _read(opened, counts, "no_list")
        if root is not None and root.tag == "roster":
            return make_roster(root, quote(opened.name), counts)
    raise BadCatalogue("no_list", file=name)


def _read(opened: Opened, counts: Counts, otherwise: str = "not_ours") -> Element | None:
    """The root of a file; None for JSON of something else in a zip. Raises BadCatalogue, with the
    code ``otherwise`` for another kind of file."""
    start = opened.content[:400].removeprefix(codecs.BOM_UTF8).lstrip()
    if start.startswith((b"<", *WIDE)):
        return read_markup(opened.name, opened.content, counts)
    if start.startswith((b"{", b"[")):
        root = read_objects(opened.name, opened.content, counts)
        if root is None and not opened.is_zipped:
            raise BadCatalogue(otherwise, file=opened.name)
        return root
    raise BadCatalogue(otherwise, file=opened.name)


def _joined(read: list[Catalogue], unknown: tuple[tuple[str, int], ...]) -> System:
    """The game system among files that were read, and its catalogues. Raises BadCatalogue."""
    systems = [one for one in read if not one.system_id]
    if not systems:
        raise BadCatalogue("no_system")
    system = systems[0]
    known: dict[str, Catalogue] = {}
    for one in read:
        if (other := known.setdefault(one.id, one)) is not one:
            raise BadCatalogue("twice", file=one.file, other=other.file)
    if len(systems) > 1:
        raise BadCatalogue("two_systems", name=system.name, other=systems[1].name)
    catalogues = tuple(one for one in read if one is not system)
    for one in catalogues:
        if one.system_id != system.id:
            raise BadCatalogue("other_system", file=one.file, name=system.name)
    return System(system, catalogues, unknown)
