"""A gang as a file: everything that was ever entered, and the versions of the rulebook it takes.

The file holds the ledger, not the roster: whoever reads it folds the entries themselves, so nothing
in it can contradict itself.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field, ValidationError

from gangs.engine.entries import AnyEntry, Entry, Founded, Joined, Name, SettingsChosen, Upgraded
from gangs.engine.errors import Misfit
from gangs.engine.fold import Books, apply, in_force
from gangs.engine.roster import Roster
from gangs.engine.valuation import gang_rating
from rules.book.model import Book
from rules.book.vocabulary import Frozen, Key

FORMAT = "skirmish-gang"
BIGGEST_FILE = 20_000_000
MOST_WORTH = 1_000_000_000
# Each is the work of many other entries.
MOST_UPGRADES = 1_000
EARLIEST = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
LATEST = datetime.datetime(2200, 1, 1, tzinfo=datetime.UTC)


Seq = Annotated[int, Field(ge=1, le=1_000_000)]
Index = Annotated[int, Field(ge=0, le=1_000_000)]
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
    reason: Annotated[Name, Field(max_length=300)] = ""
    by_organiser: bool = False
    undoes: Index | None = None
    restored: tuple[Seq, ...] = ()


class GangFile(Frozen):
    """A gang, exported. ``digest``: the version of the rulebook that it was founded with.

    ``corrections``: in their order; older files have none, and only number them.
    """

    format: Literal["skirmish-gang"]
    format_version: Literal[1]
    book: Key
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    records: Annotated[tuple[Record, ...], Field(min_length=1)]
    corrections: tuple[Correction, ...] = ()

    @property
    def digests(self) -> frozenset[str]:
        """All versions of the rulebook that the gang ever used, struck upgrades included."""
        entries = (record.entry for record in self.records)
        upgrades = (entry.digest for entry in entries if isinstance(entry, Upgraded))
        return frozenset((self.digest, *upgrades))


class BadFile(Exception):
    """A file that is no gang.

    ``code``: too_big, not_json, foreign, damaged, impossible or unknown_book; ``detail``: where.
    """

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail


def file_of(
    book: Book, records: Sequence[Record], corrections: Sequence[Correction] = (), here: str = ""
) -> GangFile:
    """The gang as a file. A campaign is one of the site it is on: in a file it is elsewhere, but
    for the one that comes along (``here``)."""
    abroad = [
        record.model_copy(update={"entry": record.entry.model_copy(update={"elsewhere": True})})
        if isinstance(record.entry, Joined) and record.entry.campaign != here
        else record
        for record in records
    ]
    return GangFile(
        format="skirmish-gang",
        format_version=1,
        book=book.slug,
        digest=book.digest,
        records=tuple(abroad),
        corrections=tuple(corrections),
    )


def written(file: GangFile) -> str:
    """The file's text."""
    return json.dumps(file.model_dump(mode="json"), ensure_ascii=False, indent=1, sort_keys=True)


def parsed(content: bytes, form: str, most: int) -> dict[str, Any]:
    """The data of a file of at most ``most`` bytes that says that it is of this ``form``. Raises
    BadFile if it is not."""
    if len(content) > most:
        raise BadFile("too_big")
    try:
        data: Any = json.loads(content)
    except (ValueError, RecursionError):
        raise BadFile("not_json") from None
    if not isinstance(data, dict) or data.get("format") != form:
        raise BadFile("foreign")
    return data


def read(content: bytes) -> GangFile:
    """The gang in a file. Raises BadFile if the content is none."""
    try:
        return GangFile.model_validate(parsed(content, FORMAT, BIGGEST_FILE))
    except ValidationError as error:
        raise BadFile("damaged", ".".join(map(str, _place(error)))) from None


def _place(error: ValidationError) -> tuple[int | str, ...]:
    """Where the first mistake is; in an entry, the field of it."""
    first = error.errors()[0]
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
    if sum(isinstance(record.entry, Upgraded) for record in file.records) > MOST_UPGRADES:
        raise BadFile("impossible", "upgraded")
    _check_corrections(file)
    live = _live(file)
    roster = Roster()
    for seq, entry in live:
        try:
            current = in_force(book, roster, books)
            if isinstance(entry, Founded | SettingsChosen | Joined):
                for key, value in entry.settings.items():
                    if key not in current.setting or not current.setting[key].accepts(value):
                        raise BadFile("impossible", f"{seq}: {key}")
            if isinstance(entry, Joined) and not entry.elsewhere and entry.campaign != here:
                raise BadFile("impossible", f"{seq}: joined")
            roster = apply(current, roster, seq, entry, books)
        except Misfit as misfit:
            raise BadFile("impossible", f"{seq}: {misfit.code}") from None
    if not live or live[0][1].kind != "founded" or not roster.name:
        raise BadFile("impossible", "founded")
    rating = gang_rating(in_force(book, roster, books), roster).total
    if max(rating, roster.earned, roster.spent) > MOST_WORTH:
        raise BadFile("impossible", "rating")
    return roster


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
