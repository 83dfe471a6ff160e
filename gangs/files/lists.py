"""Lists of army builders: which game they are for, and what a page shows before a gang is made.

A list is read from its file once. The page keeps it in a signed field until the gang is made, so
that the site stores nothing of a file that somebody only looks at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.core import signing
from pydantic import ValidationError

from accounts.models import User
from common.wording.translating import translate
from gangs.engine.from_roster import ListNote, Translation, is_too_long
from gangs.files.format import FORMAT
from gangs.text.formats import count_names, localize, rank_name, refusal_sentence, rules_name
from rules.book.model import Book
from rules.catalogues import apart
from rules.catalogues.entry_map import EntryMap
from rules.catalogues.examining import ROSTER
from rules.catalogues.refusals import BadCatalogue
from rules.catalogues.rosters import Roster
from rules.editor.store import find_offered
from rules.engine.costing import Points
from rules.entry_ids import find_maps, find_systems
from rules.library import offered_books
from rules.models import BookVersion

# Letters of the field in which a page keeps a list, and seconds for which it may.
BIGGEST = 500_000
LASTS = 24 * 60 * 60
# XML in UTF-8 or UTF-16, and zips.
STARTS = (b"<", b"PK\x03\x04", b"\xff\xfe", b"\xfe\xff")
ROOT = re.compile(rb'"roster"\s*:\s*\{')


@dataclass(frozen=True)
class Game:
    """A game that a list may become a gang of."""

    version: BookVersion
    book: Book

    @property
    def name(self) -> str:
        """Its title, with its edition or variant."""
        return f"{localize(self.book.title)} · {rules_name(self.book)}"


def is_list(content: bytes) -> bool:
    """Whether a file may be a list of an army builder: XML, a zip, or New Recruit's JSON. Anything
    else can only be a gang's file."""
    start = content[:100].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(STARTS):
        return True
    return ROOT.search(content) is not None and FORMAT.encode() not in content


def read_list(name: str, content: bytes) -> Roster:
    """Read the file of a list. Raises BadCatalogue, also if it is too long for a gang, and
    ``rules.loading.apart.Busy``."""
    roster = apart.read_list(name, content)
    if is_too_long(roster):
        raise BadCatalogue("list_too_long")
    return roster


def pack_list(roster: Roster, owner: User) -> str:
    """Return a list as signed text for a form of this user. Raises BadCatalogue if that is too
    long."""
    text = signing.dumps(ROSTER.dump_python(roster, mode="json"), salt=_salt(owner), compress=True)
    if len(text) > BIGGEST:
        raise BadCatalogue("list_too_long")
    return text


def unpack_list(text: str, owner: User) -> Roster | None:
    """Return the list that ``pack_list`` packed for this user; None if it did not, or long ago."""
    try:
        data = signing.loads(text, salt=_salt(owner), max_age=LASTS)
        return ROSTER.validate_python(data)
    except (signing.BadSignature, ValidationError):
        # An update of the site may have changed what it keeps.
        return None


def _salt(owner: User) -> str:
    return f"gangs.files.lists:{owner.pk}"


def find_games(user: User) -> list[Game]:
    """Return the games that the user may found a gang of: those on offer, and their own."""
    found = {version.pk: Game(version, book) for version, book in offered_books()}
    found |= {version.pk: Game(version, book) for version, book in find_offered(user)}
    return [*found.values()]


def choose_game(games: Iterable[Game], roster: Roster) -> Game | None:
    """Return the game that knows most entries of a list; None if none does, or several alike."""
    systems = find_systems({game.book.slug for game in games})
    known = [game for game in games if roster.system_id in systems.get(game.book.slug, ())]
    maps = find_maps({game.version.pk: game.book for game in known})
    ranked = sorted(
        (
            (maps[game.version.pk].count_known(roster), game.book.variant is None, place)
            for place, game in enumerate(known)
            if game.version.pk in maps
        ),
        reverse=True,
    )
    if not ranked or not ranked[0][0] or (len(ranked) > 1 and ranked[0][:2] == ranked[1][:2]):
        return None
    return known[ranked[0][2]]


def find_map(game: Game) -> EntryMap:
    """Return the ids of a game; an empty map if there are none, so that names count."""
    return find_maps({game.version.pk: game.book}).get(game.version.pk, EntryMap())


@dataclass(frozen=True)
class MemberLine:
    """A member of the gang to be. ``there``: their cost in the list; ``here``: in the gang."""

    name: str
    rank: str
    things: str
    there: Points
    here: Points


@dataclass(frozen=True)
class NoteLine:
    """A note in the reader's language. ``count``: of how many copies."""

    place: str
    words: str
    count: int


def describe_members(made: Translation) -> list[MemberLine]:
    """Return a line for each member, with their traits and items."""
    gang = made.gang
    return [
        MemberLine(
            member.name,
            rank_name(gang.book, member),
            _join(
                [gang.book.trait[key].name for key in member.traits]
                + [gang.book.item[owned.key].name for owned in member.items]
            ),
            as_points(made.costs.get(member.id, Decimal(0))),
            gang.cost(gang.figures[member.id]),
        )
        for member in gang.roster.members
    ]


def describe_rest(made: Translation) -> str:
    """Return the things in the stash, and the holdings, as one line."""
    book, roster = made.gang.book, made.gang.roster
    rows = [book.item[owned.key].name for owned in roster.stash]
    return _join([*rows, *(book.holding[held.key].name for held in roster.holdings)])


def _join(names: Sequence[object]) -> str:
    return ", ".join(count_names(map(localize, names)))


def as_points(cost: Decimal) -> Points:
    """Return a cost of a list as the pages show prices: whole, or with two decimals."""
    return int(cost) if cost == int(cost) else float(round(cost, 2))


def describe_notes(notes: Iterable[ListNote]) -> list[NoteLine]:
    """Return the notes in the reader's language."""
    return [
        NoteLine(
            " › ".join(filter(None, note.place)),
            translate(note.why) if isinstance(note.why, str) else refusal_sentence(note.why),
            note.count,
        )
        for note in notes
    ]
