"""A gang as a file: everything that was ever entered, and the versions of the rulebook it takes.

The file holds the ledger, not the roster: whoever reads it folds the entries themselves, so nothing
in it can contradict itself.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, FailFast, Field, ValidationError

from common.measuring import BadData, Limits, Pieces, in_pieces
from common.text import quote
from gangs.engine import actions
from gangs.engine.entries import (
    MOST_ENTRIES,
    ONE_LINE,
    AnyEntry,
    Bought,
    Entry,
    Founded,
    Hired,
    ItemDeclared,
    Joined,
    Recruited,
    Rolled,
    SettingsChosen,
    Suffered,
    Upgraded,
)
from gangs.engine.errors import Misfit
from gangs.engine.fold import Books, apply, book_now
from gangs.engine.roster import Roster
from gangs.engine.valuation import gang_rating
from rules.book.model import Book
from rules.book.vocabulary import Frozen, Key

FORMAT = "skirmish-gang"
# Ten thousand entries take three megabytes as they are written here.
LIMITS = Limits(size=4_000_000, depth=20, values=180_000)
# Of those, one entry; and what is neither entry nor correction.
RECORD = Limits(size=200_000, depth=20, values=12_000)
REST = Limits(size=10_000, depth=2, values=100)
MOST_WORTH = 1_000_000_000
# Each is the work of many other entries, and brings a rulebook into memory.
MOST_UPGRADES = 200
MOST_BOOKS = 20
# What a gang has at most at any time: twice what it can have here, as other sites may differ.
MOST_MEMBERS = 2 * actions.MOST_MEMBERS
MOST_OWN_ITEMS = 2 * actions.MOST_OWN_ITEMS
MOST_OWNED = 1_000
# What a row of a site is known by.
ROW_KEY = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
GROWING = (Recruited, Bought, ItemDeclared)
EARLIEST = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
LATEST = datetime.datetime(2200, 1, 1, tzinfo=datetime.UTC)


Seq = Annotated[int, Field(ge=1, le=1_000_000)]
Index = Annotated[int, Field(ge=0, le=1_000_000)]
# A list ends at its first mistake: nobody reads of ten thousand.
MANY = Field(max_length=MOST_ENTRIES)
Moment = Annotated[AwareDatetime, Field(ge=EARLIEST, le=LATEST)]


class Record(Frozen):
    """One entry, in the order of writing down. ``struck``, ``added_by``: which correction took it
    back, or put it in; ``place``, ``number``: where it is replayed and what it is known by, if
    that is not its ``seq``."""

    seq: Seq
    place: Seq | None = None
    number: Seq | None = None
    at: Moment
    batch: Index
    struck: Index | None = None
    added_by: Index | None = None
    entry: AnyEntry


class Correction(Frozen):
    """One act of correcting. ``undoes``: an earlier one that it takes back; ``restored``: what it
    put back, by ``seq``."""

    at: Moment
    reason: Annotated[str, Field(max_length=300), ONE_LINE] = ""
    by_organiser: bool = False
    undoes: Index | None = None
    restored: Annotated[tuple[Seq, ...], MANY, FailFast()] = ()


class GangFile(Frozen):
    """A gang, exported. ``digest``: the version of the rulebook that it was founded with.

    ``corrections``: in their order; older files have none, and only number them.
    """

    format: Literal["skirmish-gang"]
    format_version: Literal[1]
    book: Key
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    records: Annotated[tuple[Record, ...], Field(min_length=1), MANY, FailFast()]
    corrections: Annotated[tuple[Correction, ...], MANY, FailFast()] = ()

    @property
    def digests(self) -> frozenset[str]:
        """All versions of the rulebook that the gang ever used, struck upgrades included."""
        entries = (record.entry for record in self.records)
        upgrades = (entry.digest for entry in entries if isinstance(entry, Upgraded))
        return frozenset((self.digest, *upgrades))


# What is read element by element.
PARTS: Mapping[str, type[Frozen]] = {"records": Record, "corrections": Correction}


class BadFile(Exception):
    """A file that is no gang.

    ``code``: too_big, too_many, not_json, foreign, damaged, impossible or unknown_book;
    ``detail``: where.
    """

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.detail = quote(detail)


def refusing(bad: BadData) -> BadFile:
    """The refusal of a file that was not even measured to its end."""
    codes = {"too_big": "too_big", "too_many": "too_many", "too_deep": "too_many"}
    return BadFile(codes.get(bad.code, "not_json"))


def of_format(data: Any, form: str) -> dict[str, Any]:
    """The data of a file, if that says that it is of this ``form``. Raises BadFile if not."""
    if not isinstance(data, dict) or data.get("format") != form:
        raise BadFile("foreign")
    return data


def read_file(content: bytes) -> GangFile:
    """The gang in a file. Raises BadFile if the content is none."""
    try:
        pieces = in_pieces(content, LIMITS, PARTS, RECORD, REST)
        data = of_format(pieces.head, FORMAT)
        for name, kind in PARTS.items():
            if name in pieces.places:
                data[name] = tuple(_modelled(kind, pieces, name))
        return GangFile.model_validate(data)
    except BadData as bad:
        raise refusing(bad) from None
    except ValidationError as error:
        raise BadFile("damaged", mistake_in(error)) from None


def _modelled[R: Frozen](kind: type[R], pieces: Pieces, name: str) -> Iterator[R]:
    """The elements of a list, up to the first that is wrong. Raises BadData and BadFile."""
    for place, data in enumerate(pieces.each(name)):
        try:
            yield kind.model_validate(data)
        except ValidationError as error:
            raise BadFile("damaged", f"{name}.{place}.{mistake_in(error)}"[:80]) from None


def mistake_in(error: ValidationError) -> str:
    """Where the first mistake is, in words that fit a sentence."""
    return ".".join(map(str, _place(error)))[:80]


def _place(error: ValidationError) -> tuple[int | str, ...]:
    """Where the first mistake is; in an entry, the field of it."""
    first = error.errors(include_url=False, include_input=False)[0]
    inner = first.get("ctx", {}).get("error")
    return first["loc"] + (_place(inner) if isinstance(inner, ValidationError) else ())


def roster_of(book: Book, file: GangFile, books: Books, here: str = "") -> Roster:
    """What the file's entries fold to. Raises BadFile if they contradict each other.

    ``book``: the one it was founded with; ``books`` finds those of its upgrades; ``here``: the
    campaign that comes along with it.
    """
    seqs = [record.seq for record in file.records]
    if seqs != list(range(1, len(seqs) + 1)):
        raise BadFile("impossible", "seq")
    upgrades = sum(isinstance(record.entry, Upgraded) for record in file.records)
    if upgrades > MOST_UPGRADES or len(file.digests) > MOST_BOOKS:
        raise BadFile("impossible", "upgraded")
    _check_corrections(file)
    _check_rolls(file)
    live = _live(file)
    roster = Roster()
    for seq, entry in live:
        try:
            current = book_now(book, roster, books)
            _check(current, seq, entry, here)
            roster = apply(current, roster, seq, entry, books)
        except Misfit as misfit:
            raise BadFile("impossible", f"{seq}: {misfit.code}") from None
        if isinstance(entry, GROWING):
            _check_size(seq, roster)
    if not live or live[0][1].kind != "founded" or not roster.name:
        raise BadFile("impossible", "founded")
    rating = gang_rating(book_now(book, roster, books), roster).total
    if max(rating, roster.earned, roster.spent) > MOST_WORTH:
        raise BadFile("impossible", "rating")
    return roster


def _check(book: Book, seq: int, entry: Entry, here: str) -> None:
    """Raise BadFile if an entry says what the rules in force, or dice, cannot."""
    if isinstance(entry, Founded | SettingsChosen | Joined):
        for key, value in entry.settings.items():
            if key not in book.setting or not book.setting[key].accepts(value):
                raise BadFile("impossible", f"{seq}: {key}")
    if isinstance(entry, Joined) and not entry.elsewhere and entry.campaign != here:
        raise BadFile("impossible", f"{seq}: joined")
    # Gangs are looked for by these.
    keys = entry.captors if isinstance(entry, Suffered) else ()
    keys = (entry.gang, entry.game) if isinstance(entry, Hired) else keys
    if not all(map(ROW_KEY.fullmatch, keys)):
        raise BadFile("impossible", f"{seq}: keys")
    if isinstance(entry, Rolled) and entry.table in book.table:
        table = book.table[entry.table]
        if entry.roll.dice != table.dice or not entry.roll.is_possible:
            raise BadFile("impossible", f"{seq}: roll")


def _check_size(seq: int, roster: Roster) -> None:
    """Raise BadFile if a gang has become larger than any."""
    owned = len(roster.stash) + sum(len(member.items) for member in roster.members)
    if (
        len(roster.members) > MOST_MEMBERS
        or len(roster.own_items) > MOST_OWN_ITEMS
        or owned > MOST_OWNED
    ):
        raise BadFile("impossible", f"{seq}: size")


def _check_rolls(file: GangFile) -> None:
    """Raise BadFile if dice of any entry, a struck one too, show what they cannot."""
    for record in file.records:
        roll = getattr(record.entry, "roll", None)
        if roll is not None and not roll.is_possible:
            raise BadFile("impossible", f"{record.seq}: roll")


def _live(file: GangFile) -> list[tuple[int, Entry]]:
    """What stands, in order, each with its number. Raises BadFile if two have the same."""
    standing = [record for record in file.records if record.struck is None]
    standing.sort(key=lambda record: (record.place or record.seq, record.seq))
    live = [(record.number or record.seq, record.entry) for record in standing]
    if len(dict(live)) < len(live):
        raise BadFile("impossible", "number")
    return live


def _check_corrections(file: GangFile) -> None:
    """Raise BadFile if something speaks of an entry or a correction that is not there."""
    count = len(file.records)
    for record in file.records:
        if max(record.place or 1, record.number or 1) > record.seq:
            raise BadFile("impossible", f"{record.seq}: place")
        if not file.corrections and record.added_by is None:
            continue
        if max(record.struck or 0, record.added_by or 0) >= len(file.corrections):
            raise BadFile("impossible", f"{record.seq}: struck")
    for index, correction in enumerate(file.corrections):
        beyond = any(seq > count for seq in correction.restored)
        if beyond or (correction.undoes is not None and correction.undoes >= index):
            raise BadFile("impossible", f"corrections.{index}")
