"""Rolls of the site that were taken back, with the people who did it and the rolls that
followed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from accounts.dates import date_format
from campaigns.models import Throw
from campaigns.table.board import Board, actors
from campaigns.table.state import Asked
from campaigns.table.taps import Logged, Rolled


@dataclass(frozen=True)
class TakenBack:
    """A roll of the site that somebody took back (``counts`` is false), or asked to take back.
    ``who``: that person's name; ``words``: all that is known about it, for the reader."""

    who: str
    words: str
    counts: bool


@dataclass(frozen=True)
class Summary:
    """The number of rolls that were taken back, in all and by person."""

    total: int
    by: tuple[tuple[str, int], ...]


def summary(some: Iterable[TakenBack | None]) -> Summary:
    """Sum up rolls that were taken back, by person, the largest number first."""
    counted = Counter(one.who for one in some if one is not None and not one.counts)
    return Summary(counted.total(), tuple(counted.most_common()))


def find_taken_back(board: Board) -> dict[UUID, TakenBack]:
    """Return the acts at a table whose dice the site rolled and somebody took back, or asked to. At
    most one query."""
    folded = board.folded
    taps, asked, gone, by_key = folded.taps, folded.asked, folded.gone, folded.by_key
    thrown = folded.thrown
    if not thrown:
        return {}
    people = actors(actor for one in taps for actor in (one.actor,) if actor is not None)
    found = {}
    rolls: dict[UUID, list[Logged]] = {}
    for one in taps:
        if isinstance(one.tap, Rolled) and one.act in thrown:
            rolls.setdefault(one.act, []).append(one)
    for act, rolled in rolls.items():
        strike = next((gone[one.key] for one in rolled if one.key in gone), None)
        if strike is not None:
            again = _is_made_again(rolled[0], by_key[strike], rolls)
            found[act] = _tell_strike(by_key[strike], asked, people, again=again)
            continue
        open_one = next((one for one in asked if _is_about(one, rolled)), None)
        if open_one is not None:
            who = _name(open_one.actor, people)
            words = _("%(who)s asked to undo it; nobody agreed, and it counts")
            found[act] = TakenBack(who, words % {"who": who}, counts=True)
    return found


def _is_about(asked: Asked, rolled: Iterable[Logged]) -> bool:
    return any(one.key in asked.taps for one in rolled)


def _is_made_again(first: Logged, strike: Logged, rolls: Mapping[UUID, Sequence[Logged]]) -> bool:
    """Whether the site made the same roll for the same figure or side after a strike."""
    assert isinstance(first.tap, Rolled)
    same = (first.tap.roll, first.tap.by)
    return any(
        act != first.act
        and one.seq > strike.seq
        and isinstance(one.tap, Rolled)
        and (one.tap.roll, one.tap.by) == same
        for act, some in rolls.items()
        for one in some[:1]
    )


def _tell_strike(
    strike: Logged, asked: Iterable[Asked], people: Mapping[int, str], *, again: bool
) -> TakenBack:
    who = _name(strike.actor, people)
    details = [_("turn %(turn)s") % {"turn": strike.turn}]
    answer = next((one for one in asked if strike.key in one.keys), None)
    if answer is not None:
        details.append(_("%(who)s agreed") % {"who": _name(answer.answered_by, people)})
    return TakenBack(who, _sentence(who, _("then rolled again") if again else "", details), False)


def _name(actor: int | None, people: Mapping[int, str]) -> str:
    return people.get(actor or 0) or _("a player without an account")


def _sentence(who: str, then: str, details: Sequence[str]) -> str:
    parts = [_("undone by %(who)s") % {"who": who}, *filter(None, [then])]
    return _("%(what)s (%(details)s)") % {
        "what": ", ".join(parts),
        "details": ", ".join(details),
    }


def find_throws(throws: Sequence[Throw]) -> dict[int, TakenBack]:
    """Return the site's throws before and after a game that were taken back, by primary key. Reads
    the people who did it."""
    found = {}
    for place, throw in enumerate(throws):
        roll = throw.sound_roll
        if throw.taken_back_at is None or roll is None or roll.thrown_by != "app":
            continue
        who = str(throw.taken_back_by) if throw.taken_back_by else _("somebody")
        at = date_format(localtime(throw.taken_back_at), "j F, H:i")
        then = next(_after(throw, throws[place + 1 :]), "")
        found[throw.pk] = TakenBack(who, _sentence(who, then, [at]), False)
    return found


def _after(throw: Throw, later: Iterable[Throw]) -> Iterator[str]:
    """Yield words for each roll that replaced a throw."""
    for one in later:
        roll = one.sound_roll
        if roll is None or (one.side_id, one.key) != (throw.side_id, throw.key):
            continue
        if roll.why:
            yield _("then overruled by an organiser")
        elif roll.thrown_by == "app":
            yield _("then rolled again")
        else:
            yield _("then typed in")
