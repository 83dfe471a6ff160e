"""A gang as a file: every entry that was ever written, and the digests of its rulebooks.

The file holds the ledger, not the roster: readers fold the entries, so a roster in it could not be
wrong.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, FailFast, Field, ValidationError

from common.measuring import BadData, Limits, Pieces, in_pieces
from common.text import quote
from gangs.engine import actions
from gangs.engine.entries import (
    KINDS,
    MOST_ENTRIES,
    ONE_LINE,
    AnyEntry,
    Bought,
    Entry,
    Founded,
    Hired,
    HoldingGained,
    ItemDeclared,
    Joined,
    Recruited,
    Rolled,
    Searched,
    SettingsChosen,
    Suffered,
    Upgraded,
)
from gangs.engine.errors import Misfit
from gangs.engine.fold import Books, apply, book_now
from gangs.engine.holdings import MOST_HOLDINGS
from gangs.engine.roster import Roster
from gangs.engine.valuation import gang_rating
from rules.book.model import Book
from rules.book.since import NEWEST, Vocabulary, is_too_new
from rules.book.vocabulary import Frozen, Key
from rules.engine.dice import may_roll, parse_amount

FORMAT = "skirmish-gang"
# Ten thousand entries take three megabytes in this format.
LIMITS = Limits(size=4_000_000, depth=20, values=180_000)
# For one entry, and for everything that is neither entry nor correction.
RECORD = Limits(size=200_000, depth=20, values=12_000)
REST = Limits(size=10_000, depth=2, values=100)
MOST_WORTH = 1_000_000_000
# Each takes as long as many other entries, and loads a rulebook.
MOST_UPGRADES = 200
MOST_BOOKS = 20
# The most that a gang may have: twice this site's limits, as other sites may differ.
MOST_MEMBERS = 2 * actions.MOST_MEMBERS
MOST_OWN_ITEMS = 2 * actions.MOST_OWN_ITEMS
MOST_OWNED = 1_000
MOST_HELD = 2 * MOST_HOLDINGS
# The key of a row.
ROW_KEY = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# The fields of entries with dice.
DICE = ("roll", "price_roll", "stock_roll")
GROWING = (Recruited, Bought, ItemDeclared, HoldingGained)
EARLIEST = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
LATEST = datetime.datetime(2200, 1, 1, tzinfo=datetime.UTC)


Seq = Annotated[int, Field(ge=1, le=1_000_000)]
Index = Annotated[int, Field(ge=0, le=1_000_000)]
# Reading a list ends at its first mistake.
MANY = Field(max_length=MOST_ENTRIES)
Moment = Annotated[AwareDatetime, Field(ge=EARLIEST, le=LATEST)]


class Record(Frozen):
    """One entry, in the order of writing. ``struck``, ``added_by``: the corrections that took it
    back or added it; ``place``, ``number``: its place in the replay, and the number of the member
    or item that it brought, if they differ from its ``seq``.
    """

    seq: Seq
    place: Seq | None = None
    number: Seq | None = None
    at: Moment
    batch: Index
    struck: Index | None = None
    added_by: Index | None = None
    entry: AnyEntry


class Correction(Frozen):
    """One act of correcting. ``undoes``: the earlier one that it takes back; ``restored``: the
    entries that it restored, by ``seq``; ``replayed``: those of later post-games that it struck,
    added or restored."""

    at: Moment
    reason: Annotated[str, Field(max_length=300), ONE_LINE] = ""
    by_organiser: bool = False
    undoes: Index | None = None
    restored: Annotated[tuple[Seq, ...], MANY, FailFast()] = ()
    # Left out where it says nothing: older sites do not know it.
    replayed: Annotated[
        tuple[Seq, ...],
        Field(max_length=MOST_ENTRIES, exclude_if=lambda seqs: not seqs),
        FailFast(),
    ] = ()


class GangFile(Frozen):
    """A gang, exported. ``digest``: the version of the rulebook that it was founded with.

    ``corrections``: in their order; older files only number them.
    """

    format: Literal["skirmish-gang"]
    format_version: Literal[1, 2, 3]
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


# The words of 1.0.0 for files of gangs, as ``rules.book.since`` has those for rulebooks.
FORMAT_2 = Vocabulary.read(Path(__file__).with_name("format_2.json"), spelled_out=True)
# The kinds of entry, the fields of others and the reasons for money that came after format 1, that
# of 0.9.0, and before format 3.
KINDS_OF_2 = {
    "rose",
    "holding_gained",
    "holding_lost",
    "upkeep_paid",
    "sold",
    "used",
    "searched",
    "profile_rolled",
}
FIELDS_OF_2: Mapping[str, tuple[str, ...]] = {
    "recruited": ("by_roll",),
    "trait_taken": ("experience",),
    "bought": ("by_roll", "included"),
    "item_declared": ("adds",),
    "rolled": ("advance",),
    "earned": ("roll",),
    "promoted": ("by_roll",),
}
REASONS_OF_2 = {"roll", "yield", "haul", "unfought"}


def format_needed(kind: str, data: Mapping[str, Any]) -> int:
    """The lowest format of a file for an entry in its stored form."""
    if not FORMAT_2.says([KINDS[kind]], data):
        return NEWEST
    is_newer = (
        kind in KINDS_OF_2
        or any(data.get(name) for name in FIELDS_OF_2.get(kind, ()))
        or data.get("why") in REASONS_OF_2
        # A gang pays, not one of its members; a game without a result of the rulebook's; an
        # organiser overruled a throw.
        or (kind == "fined" and data.get("member") is None)
        or (kind == "played" and not data.get("result"))
        or bool((data.get("roll") or {}).get("why"))
    )
    return 2 if is_newer else 1


# Lists that are read element by element.
PARTS: Mapping[str, type[Frozen]] = {"records": Record, "corrections": Correction}


class BadFile(Exception):
    """Raised for a file that is not a gang.

    ``code``: too_big, too_many, not_json, foreign, newer, damaged, impossible or unknown_book;
    ``detail``: where.
    """

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.detail = quote(detail)


def refusing(bad: BadData) -> BadFile:
    """The error for a file that was too large or broken to be measured."""
    codes = {"too_big": "too_big", "too_many": "too_many", "too_deep": "too_many"}
    return BadFile(codes.get(bad.code, "not_json"))


def of_format(data: Any, form: str) -> dict[str, Any]:
    """The data of a file in this ``form``. Raises BadFile if it is another, or a newer one."""
    if not isinstance(data, dict) or data.get("format") != form:
        raise BadFile("foreign")
    if is_too_new(data.get("format_version")):
        raise BadFile("newer")
    return data


def read_file(content: bytes) -> GangFile:
    """Read the gang in a file. Raises BadFile if the file has no gang."""
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
    """The elements of a list, up to the first mistake. Raises BadData and BadFile."""
    for place, data in enumerate(pieces.each(name)):
        try:
            yield kind.model_validate(data)
        except ValidationError as error:
            raise BadFile("damaged", f"{name}.{place}.{mistake_in(error)}"[:80]) from None


def mistake_in(error: ValidationError) -> str:
    """The place of the first mistake, as part of a sentence."""
    return ".".join(map(str, _place(error)))[:80]


def _place(error: ValidationError) -> tuple[int | str, ...]:
    """The place of the first mistake; in an entry, its field."""
    first = error.errors(include_url=False, include_input=False)[0]
    inner = first.get("ctx", {}).get("error")
    return first["loc"] + (_place(inner) if isinstance(inner, ValidationError) else ())


def roster_of(book: Book, file: GangFile, books: Books, here: str = "") -> Roster:
    """Fold the file's entries. Raises BadFile if they contradict each other.

    ``book``: the rulebook it was founded with; ``books`` finds later ones after upgrades; ``here``:
    the campaign that arrives with it.
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
    """Raise BadFile if the rules in force, or dice, make an entry impossible."""
    if isinstance(entry, Founded | SettingsChosen | Joined):
        for key, value in entry.settings.items():
            if key not in book.setting or not book.setting[key].accepts(value):
                raise BadFile("impossible", f"{seq}: {key}")
    if isinstance(entry, Joined) and not entry.elsewhere and entry.campaign != here:
        raise BadFile("impossible", f"{seq}: joined")
    # These are used to find gangs.
    keys = entry.captors if isinstance(entry, Suffered) else ()
    keys = (entry.gang, entry.game) if isinstance(entry, Hired) else keys
    if not all(map(ROW_KEY.fullmatch, keys)):
        raise BadFile("impossible", f"{seq}: keys")
    if (
        isinstance(entry, Rolled)
        and entry.table in book.table
        and not may_roll(book.table[entry.table], entry.roll)
    ):
        raise BadFile("impossible", f"{seq}: roll")
    if isinstance(entry, Searched) and (offer := book.offer.get(entry.offer)):
        rolls = [(entry.roll, offer.dice)]
        rolls += [(entry.price_roll, _dice_of(offer.price_dice))] if entry.price_roll else []
        rolls += [(entry.stock_roll, _dice_of(offer.stock))] if entry.stock_roll else []
        if any(roll.dice != dice or not roll.is_possible for roll, dice in rolls):
            raise BadFile("impossible", f"{seq}: roll")


def _dice_of(amount: str | None) -> str:
    """The dice of an amount; "" if it has none."""
    return (parse_amount(amount).dice or "") if amount is not None else ""


def _check_size(seq: int, roster: Roster) -> None:
    """Raise BadFile if the gang has become too large."""
    owned = len(roster.stash) + sum(len(member.items) for member in roster.members)
    if (
        len(roster.members) > MOST_MEMBERS
        or len(roster.own_items) > MOST_OWN_ITEMS
        or owned > MOST_OWNED
        or len(roster.holdings) > MOST_HELD
    ):
        raise BadFile("impossible", f"{seq}: size")


def _check_rolls(file: GangFile) -> None:
    """Raise BadFile if the dice of any entry, even a struck one, show impossible faces."""
    for record in file.records:
        rolls = (getattr(record.entry, name, None) for name in DICE)
        if any(roll is not None and not roll.is_possible for roll in rolls):
            raise BadFile("impossible", f"{record.seq}: roll")


def _live(file: GangFile) -> list[tuple[int, Entry]]:
    """The entries that are not struck, in order of replay, with their numbers. Raises BadFile if
    two have the same number."""
    standing = [record for record in file.records if record.struck is None]
    standing.sort(key=lambda record: (record.place or record.seq, record.seq))
    live = [(record.number or record.seq, record.entry) for record in standing]
    if len(dict(live)) < len(live):
        raise BadFile("impossible", "number")
    return live


def _check_corrections(file: GangFile) -> None:
    """Raise BadFile if something refers to an entry or a correction that is not there."""
    count = len(file.records)
    for record in file.records:
        if max(record.place or 1, record.number or 1) > record.seq:
            raise BadFile("impossible", f"{record.seq}: place")
        if not file.corrections and record.added_by is None:
            continue
        if max(record.struck or 0, record.added_by or 0) >= len(file.corrections):
            raise BadFile("impossible", f"{record.seq}: struck")
    for index, correction in enumerate(file.corrections):
        beyond = any(seq > count for seq in (*correction.restored, *correction.replayed))
        if beyond or (correction.undoes is not None and correction.undoes >= index):
            raise BadFile("impossible", f"corrections.{index}")
