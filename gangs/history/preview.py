"""What a correction would bring about, in the reader's language, and what has to be decided."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Literal

from django.http import QueryDict
from django.utils.translation import gettext as _

from accounts.language import language
from common.forms import number
from gangs.engine.entries import KINDS
from gangs.engine.fold import in_force
from gangs.engine.roster import Roster
from gangs.engine.validation import findings
from gangs.engine.valuation import gang_rating
from gangs.history.log import sentences_of
from gangs.ledger import writer
from gangs.ledger.revision import Insertion, Weighed, weigh
from gangs.ledger.storage import stored_book
from gangs.models import Gang, StoredEntry
from gangs.text.formats import doubt_sentence, money_unit, spoken, with_unit
from gangs.text.refusals import MISFITS
from rules.book.model import Book

Fate = Literal["keep", "strike"]
PREFIX = "entry-"


@dataclass(frozen=True)
class Choice:
    """A later entry, and what is wrong with it. ``must``: it cannot stay as it is; ``fate``: what
    is to become of it."""

    row: StoredEntry
    sentence: str
    why: str
    must: bool
    fate: Fate

    @property
    def may_be_edited(self) -> bool:
        """Whether another entry may be put in its place."""
        return KINDS[self.row.kind].editable


@dataclass(frozen=True)
class Consequences:
    """What a correction would bring about.

    ``numbers``: what the gang is worth, has and how many it counts, before and after; ``broken``:
    what the rules would say against it then, and did not before; ``remarks``: what is to be doubted
    about new entries; ``open``: entries whose fate nobody has decided yet.
    """

    choices: list[Choice]
    numbers: list[tuple[str, str, str]]
    broken: list[str]
    remarks: list[str]
    open: list[int]


@dataclass(frozen=True)
class Wish:
    """What somebody wants to correct: entries to be struck and put back, by ``seq``, and new ones.

    ``fates``: what they have decided about other entries.
    """

    strike: tuple[int, ...] = ()
    restore: tuple[int, ...] = ()
    insert: tuple[Insertion, ...] = ()
    fates: Mapping[int, Fate] = field(default_factory=dict)

    @property
    def also(self) -> set[int]:
        """The other entries that are to be struck, too."""
        return {seq for seq, fate in self.fates.items() if fate == "strike"}


def fates(data: QueryDict) -> dict[int, Fate]:
    """What a form says is to become of entries."""
    decided: dict[int, Fate] = {}
    for key, value in data.items():
        seq = number(key.removeprefix(PREFIX)) if key.startswith(PREFIX) else None
        if seq is not None and value in ("keep", "strike"):
            decided[seq] = "strike" if value == "strike" else "keep"
    return decided


def weighed(gang: Gang, wish: Wish, also: Collection[int] = ()) -> Weighed:
    """What ``wish`` would bring about. Raises as ``gangs.ledger.revision.weigh``, and Refusal
    where a history's entries are not to be touched."""
    struck = {*wish.strike, *also}
    writer.check_correction(gang, struck.union(wish.restore))
    return weigh(gang, strike=struck, insert=wish.insert, restore=wish.restore)


def consequences(gang: Gang, wish: Wish) -> Consequences:
    """What ``wish`` would bring about, in words. Raises as ``weighed``."""
    found = weighed(gang, wish)
    later = weighed(gang, wish, wish.also) if wish.also else found
    sentences = sentences_of(gang)
    still = _choices(later, wish, sentences)
    # Some things are wrong only because of what else is struck.
    choices = still | _choices(found, wish, sentences)
    after_book = in_force(gang.first_book, later.roster, stored_book)
    errors = _errors(gang.book, gang.roster)
    return Consequences(
        choices=sorted(choices.values(), key=lambda choice: choice.row.place),
        numbers=_numbers(gang.book, gang.roster, after_book, later.roster),
        broken=[error for error in _errors(after_book, later.roster) if error not in errors],
        remarks=list(map(doubt_sentence, later.own_doubts)),
        open=[seq for seq, choice in still.items() if choice.must or seq not in wish.fates],
    )


def _choices(found: Weighed, wish: Wish, sentences: Mapping[int, str]) -> dict[int, Choice]:
    return {
        row.seq: Choice(
            row,
            sentences[row.seq],
            why,
            must,
            wish.fates.get(row.seq, "strike" if must else "keep"),
        )
        for row, why, must in wrong_entries(found)
    }


def wrong_entries(found: Weighed) -> list[tuple[StoredEntry, str, bool]]:
    """What no longer fits, and what is in doubt: the entry, why, and whether it cannot stay."""
    wrong = [(row, str(MISFITS[misfit.code]), True) for row, misfit in found.misfits]
    for row, doubts in groupby(found.implausible, key=itemgetter(0)):
        wrong.append((row, "; ".join(doubt_sentence(doubt) for _row, doubt in doubts), False))
    return wrong


def _numbers(was: Book, before: Roster, is_now: Book, after: Roster) -> list[tuple[str, str, str]]:
    """What two states of a gang differ in, in numbers."""
    rows = [(_("Members"), str(len(before.members)), str(len(after.members)))]
    if is_now.rating:
        worth = (gang_rating(was, before).total, gang_rating(is_now, after).total)
        first, second = (with_unit(amount, spoken(is_now.rating.unit)) for amount in worth)
        rows.insert(0, (spoken(is_now.rating.name), first, second))
    if is_now.money and (before.playing or after.playing):
        first, second = (with_unit(one.treasury, money_unit(is_now)) for one in (before, after))
        rows.append((spoken(is_now.money.name), first, second))
    return rows


def _errors(book: Book, roster: Roster) -> dict[str, None]:
    """What the rules say against a gang, each thing once."""
    found = (finding for finding in findings(book, roster) if finding.severity == "error")
    return dict.fromkeys(finding.said(language()) for finding in found)
