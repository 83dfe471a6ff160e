"""The preview of a correction in the reader's language: its effects, and the open decisions."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from operator import itemgetter
from typing import Literal
from urllib.parse import parse_qsl, urlencode

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.language import rules_language
from common.errors import Refusal
from common.forms import number
from gangs.engine.entries import KINDS
from gangs.engine.fold import book_now
from gangs.engine.purses import balance
from gangs.engine.roster import Roster
from gangs.engine.validation import findings
from gangs.engine.valuation import gang_rating
from gangs.history.log import sentences_of
from gangs.history.replayed import ReplayedLine, replayed_lines
from gangs.ledger import writer
from gangs.ledger.revision import Insertion, Weighed, weigh
from gangs.ledger.storage import stored_book
from gangs.models import Gang, StoredEntry, Strike
from gangs.text.formats import localize, money_unit, why_implausible, with_unit
from gangs.text.refusals import MISFITS
from rules.book.model import Book

Fate = Literal["keep", "strike"]
PREFIX = "entry-"


@dataclass(frozen=True)
class PreviewChoice:
    """A later entry, and why it is wrong. ``is_misfit``: it cannot stay unchanged; ``fate``: the
    decision about it.
    """

    row: StoredEntry
    sentence: str
    why: str
    is_misfit: bool
    fate: Fate

    @property
    def may_be_edited(self) -> bool:
        """Whether another entry may be put in its place."""
        return KINDS[self.row.kind].editable


@dataclass(frozen=True)
class Consequences:
    """The effects of a correction.

    ``struck`` and ``restored``: its own entries, in sentences; ``numbers``: the gang's rating,
    money and size, before and after; ``broken``: the rules that it would newly break; ``remarks``:
    doubts about new entries; ``replayed``: later post-games that it changes; ``open``: the ``seq``
    of entries whose fate nobody has decided yet.
    """

    struck: list[str]
    restored: list[str]
    choices: list[PreviewChoice]
    numbers: list[tuple[str, str, str]]
    broken: list[str]
    remarks: list[str]
    replayed: list[ReplayedLine]
    open: list[int]

    @property
    def misfits(self) -> bool:
        """Whether some later entries cannot stay unchanged."""
        return any(choice.is_misfit for choice in self.choices)


@dataclass(frozen=True)
class Plan:
    """A correction that somebody has begun: entries to strike and to restore, by ``seq``, and new
    ones.

    ``is_organiser``: an organiser corrects somebody else's gang, and has to say why. ``again``: the
    address that begins it again. ``fates``: decisions about other entries; ``undoes``: the
    correction that it takes back, as it was (``exact``) or worked out again; ``replayed``: the
    entries of later post-games among its own; ``added``: the new entry as a sentence; ``is_quick``:
    skip the preview where nothing has to be decided.
    """

    gang: Gang
    is_organiser: bool
    again: str
    strike: Sequence[int] = ()
    restore: Sequence[int] = ()
    insert: Sequence[Insertion] = ()
    fates: Mapping[int, Fate] = field(default_factory=dict)
    undoes: Strike | None = None
    exact: bool = False
    replayed: Collection[int] = ()
    batch: uuid.UUID | None = None
    added: str = ""
    is_quick: bool = False

    @property
    def also(self) -> set[int]:
        """The other entries to strike, too."""
        return {seq for seq, fate in self.fates.items() if fate == "strike"}

    @property
    def action(self) -> str:
        """The address that its form is posted to."""
        return self.again.partition("?")[0]

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """The hidden fields of its form."""
        query = parse_qsl(self.again.partition("?")[2], keep_blank_values=True)
        return [(name, value) for name, value in query if name != "next"]


def plan_to_strike(gang: Gang, organiser: bool, seqs: list[int], *, quick: bool = False) -> Plan:
    """Plan to strike these entries. Raises Refusal if they include a game but not everything that
    it brought."""
    address = reverse("gangs:correct", args=[gang.pk])
    games = gang.entries.live().filter(seq__in=seqs, kind="played").values("batch")
    if gang.entries.live().filter(batch__in=games).exclude(seq__in=seqs).exists():
        raise Refusal("game_goes_whole")
    return Plan(
        gang=gang,
        is_organiser=organiser,
        again=f"{address}?{urlencode([('strike', seq) for seq in seqs])}",
        strike=seqs,
        is_quick=quick,
    )


def fates(data: QueryDict) -> dict[int, Fate]:
    """The decisions about entries in a posted form."""
    decided: dict[int, Fate] = {}
    for key, value in data.items():
        seq = number(key.removeprefix(PREFIX)) if key.startswith(PREFIX) else None
        if seq is not None and value in ("keep", "strike"):
            decided[seq] = "strike" if value == "strike" else "keep"
    return decided


def _weighed(plan: Plan, also: Collection[int] = ()) -> Weighed:
    struck = {*plan.strike, *also}
    writer.check_correction(plan.gang, struck.union(plan.restore))
    return weigh(
        plan.gang, strike=struck, insert=plan.insert, restore=plan.restore, exact=plan.exact
    )


def is_harmless(plan: Plan) -> bool:
    """Whether ``plan`` leaves nothing to decide, and changes no later post-game. Raises as
    ``consequences``."""
    found = _weighed(plan, plan.also)
    return not found.misfits and not found.implausible and not found.replayed


def consequences(plan: Plan) -> Consequences:
    """The effects of ``plan``, in words. Raises as ``gangs.ledger.revision.weigh``, and Refusal for
    entries that a history may not change."""
    gang = plan.gang
    found = _weighed(plan)
    later = _weighed(plan, plan.also) if plan.also else found
    # Some things are wrong only because of other things that are struck.
    wrong = [wrong_entries(later), wrong_entries(found)]
    seqs = {row.seq for row, _why, _must in chain(*wrong)}
    sentences = sentences_of(gang, seqs.union(plan.strike, plan.restore))
    still, before = (_choices(entries, plan, sentences) for entries in wrong)
    choices = still | before
    after_book = book_now(gang.first_book, later.roster, stored_book)
    errors = _errors(gang.book, gang.roster)
    # Entries that only move behind a new one are not named as struck.
    moved = {insertion.number for insertion in plan.insert[1:]}
    numbers = dict(gang.entries.filter(seq__in=plan.strike).values_list("seq", "number"))
    own = [seq for seq in sorted(plan.strike) if seq not in plan.replayed]
    back = [seq for seq in sorted(plan.restore) if seq not in plan.replayed]
    return Consequences(
        struck=[sentences[seq] for seq in own if numbers[seq] not in moved],
        restored=[sentences[seq] for seq in back],
        choices=sorted(choices.values(), key=lambda choice: choice.row.place),
        numbers=_numbers(gang.book, gang.roster, after_book, later.roster),
        broken=[error for error in _errors(after_book, later.roster) if error not in errors],
        remarks=list(map(why_implausible, later.own_implausible)),
        replayed=replayed_lines(gang, later.replayed),
        open=[seq for seq, choice in still.items() if choice.is_misfit or seq not in plan.fates],
    )


def _choices(
    wrong: list[tuple[StoredEntry, str, bool]], plan: Plan, sentences: Mapping[int, str]
) -> dict[int, PreviewChoice]:
    return {
        row.seq: PreviewChoice(
            row,
            sentences[row.seq],
            why,
            must,
            plan.fates.get(row.seq, "strike" if must else "keep"),
        )
        for row, why, must in wrong
    }


def wrong_entries(found: Weighed) -> list[tuple[StoredEntry, str, bool]]:
    """Entries that no longer fit, then doubtful ones: row, reason, and whether it must go."""
    wrong = [(row, str(MISFITS[misfit.code]), True) for row, misfit in found.misfits]
    for row, reasons in groupby(found.implausible, key=itemgetter(0)):
        wrong.append((row, " · ".join(why_implausible(reason) for _row, reason in reasons), False))
    return wrong


def _numbers(old: Book, before: Roster, new: Book, after: Roster) -> list[tuple[str, str, str]]:
    """Size, rating and money of two states of a gang."""
    rows = [(_("Members"), str(len(before.members)), str(len(after.members)))]
    if new.rating:
        worth = (gang_rating(old, before).total, gang_rating(new, after).total)
        first, second = (with_unit(amount, localize(new.rating.unit)) for amount in worth)
        rows.insert(0, (localize(new.rating.name), first, second))
    if new.money and (before.playing or after.playing):
        first, second = (with_unit(roster.treasury, money_unit(new)) for roster in (before, after))
        rows.append((localize(new.money.name), first, second))
    had, has = (balance(*pair) for pair in ((old, before), (new, after)))
    for row in new.currencies:
        unit = localize(row.unit)
        first, second = (with_unit(one.get(row.key, 0), unit) for one in (had, has))
        rows.append((localize(row.name), first, second))
    return rows


def _errors(book: Book, roster: Roster) -> dict[str, None]:
    """The sentences of a gang's errors, each once."""
    found = (finding for finding in findings(book, roster) if finding.severity == "error")
    return dict.fromkeys(finding.translated(rules_language()) for finding in found)
