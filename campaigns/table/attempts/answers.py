"""Choices about dice that do not count yet: whose they are, what they change, and who answers.

The open roll in the log is the question. Each side may spend something on it, or let it stand; it
counts once no side that could spend something is left. That a side spends nothing, on these dice
or in this turn, holds until it takes that back.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.models import Table, TableEntry
from campaigns.table import asking, storage
from campaigns.table.access import TableSeat
from campaigns.table.attempts.attempt import Attempt, side_of
from campaigns.table.attempts.effects import bring_dice
from campaigns.table.attempts.roll import (
    IMPOSSIBLE,
    Offer,
    PendingRoll,
    find_offers,
    find_roll,
    find_undecided,
    foresee,
    keep_dice,
    replay,
)
from campaigns.table.board import Board, load
from campaigns.table.pages.waiting import ChoiceLine, OpenRollLine
from campaigns.table.taps import AnyTap, Rolled
from common.errors import Refusal
from gangs.text.formats import localize
from rules.engine.playing import Missing, Played
from rules.odds.chances import Measure, Question, measures
from rules.odds.results import format_average, name_round
from rules.percent import percent


class Place(NamedTuple):
    """The place of new taps in the fold. ``after``: the last tap before them; ``at``: their time,
    by default now."""

    after: int
    turn: int
    at: int | None = None


# Seconds after which one player may answer for another.
PATIENCE = 30
# The most open rolls on a page.
MOST_OPEN = 6


@dataclass(frozen=True)
class OpenRoll:
    """A roll on which something may still be spent, as one reader sees it."""

    board: Board
    act: UUID
    pending: PendingRoll

    @cached_property
    def offers(self) -> list[Offer]:
        """The offers that matter for it, also of sides that let it stand."""
        if self.pending.is_settled:
            return []
        known = self.board.folded.worked_out
        key = "offers", self.act
        if key not in known:
            known[key] = tuple(find_offers(self.board.folded, self.pending))
        return [*known[key]]

    @cached_property
    def undecided(self) -> frozenset[int]:
        """The sides that can spend something that matters, and have not said that they spend
        nothing."""
        return find_undecided(self.board.folded, self.pending, self.offers)

    @property
    def own(self) -> frozenset[int]:
        """The undecided sides that the reader plays: all for readers without a gang here."""
        return self.undecided & (self.board.mine or self.undecided)

    @property
    def silent(self) -> frozenset[int]:
        """The reader's sides that could spend something, but have said that they spend nothing."""
        sides = frozenset(side_of(offer.payer) for offer in self.offers) - self.undecided
        return sides & (self.board.mine or sides)

    @property
    def question(self) -> str:
        """The id of the question to the reader: what somebody spends makes it another one. "" if
        nobody asks them."""
        if not self.own or not self.board.seat.taps:
            return ""
        return f"{self.act} {len(self.pending.rolled.spent)}"

    @property
    def others(self) -> frozenset[int]:
        """The undecided sides of other players."""
        return self.undecided - self.own

    @cached_property
    def wait(self) -> int:
        """The seconds until the reader may answer for the others; 0 from then on, and for a single
        phone that plays for everybody."""
        if not self.others or not asking.has_others(self.board.seat, self.board.log):
            return 0
        since = max(one.at for one in self.board.log if one.act == self.act)
        gone = timezone.now().timestamp() - since / 1000
        return max(0, min(PATIENCE, round(PATIENCE - gone)))

    def answerer(self, side: int) -> int:
        """Return the side that answers for ``side`` if the reader does."""
        mine = self.board.mine
        if not mine or side in mine:
            return side
        own = side_of(self.pending.attempt.by)
        return own if own in mine else min(mine)

    def asked_side(self) -> int | None:
        """Return the side to which an answer for all belongs: another player's, or the target's;
        None for the roller's own."""
        roller = side_of(self.pending.attempt.by)
        return next((side for side in sorted(self.undecided) if side != roller), None)


def sign_answer(roll: OpenRoll, taps: Sequence[AnyTap], side: int | None) -> list[AnyTap]:
    """Write into the dice who answered. ``side``: the side whose choice it was, None for nobody's;
    the roller's own choices need no name, unless somebody else answered."""
    answered_by = roll.pending.rolled.answered_by
    if side is not None:
        who = roll.answerer(side)
        if who != side or side != side_of(roll.pending.attempt.by):
            answered_by = who
    signed = {"answered_by": answered_by}
    return [tap.model_copy(update=signed) if isinstance(tap, Rolled) else tap for tap in taps]


def count_roll(board: Board, pending: PendingRoll, played: Played) -> list[AnyTap]:
    """Return the taps of dice that count now."""
    made, rolled = pending.attempt, pending.rolled
    last = keep_dice(
        made,
        played,
        thrown=rolled.thrown,
        spent=rolled.spent,
        spent_in=rolled.spent_in,
        is_open=False,
    )
    return [last, *bring_dice(board.start, pending.before, made, played)]


def answer_place(board: Board, act: UUID) -> Place:
    """Return the place of an answer to open dice: in the turn in which they fell, right after the
    last tap of their act, so that the end of that turn comes later. The page that answers may be of
    any turn."""
    ours = [one for one in board.log if one.act == act]
    return Place(ours[-1].seq, ours[0].turn, ours[-1].at)


def count_declined(seat: TableSeat, user: User | None) -> None:
    """Count the open dice that wait for nobody, because the sides that could spend something spend
    nothing in this turn. Reads the table again. ``user``: who sent the last tap."""
    declined = TableEntry.objects.filter(table=seat.table.pk, kind="declined")
    found = Table.objects.select_related("game__campaign").filter(pk=seat.table.pk).first()
    # At most tables there is nothing to fold.
    if found is None or not declined.exists():
        return
    board = load(replace(seat, table=found))
    for roll in find_open(board) if board.now.declined else ():
        if not roll.offers or roll.undecided:
            continue
        pending, place = roll.pending, answer_place(board, roll.act)
        asked = pending.attempt.question(board.start, pending.before)
        # Their own page counts what cannot be counted here, and says why.
        with suppress(*IMPOSSIBLE, Missing, Refusal):
            storage.say(
                found,
                user,
                seat.device,
                count_roll(board, pending, replay(asked, pending.rolled)),
                act=roll.act,
                after=place.after,
                turn=place.turn,
                at=place.at,
                seen=pending.seen,
            )


def find_open(board: Board) -> list[OpenRoll]:
    """Return the rolls of a table that do not count yet, the oldest first: the newest MOST_OPEN,
    without those that cannot be worked out."""
    last: dict[UUID, Rolled] = {}
    for one in board.log:
        if isinstance(one.tap, Rolled) and one.key not in board.folded.gone:
            last[one.act] = one.tap
    found = []
    for act in [act for act, tap in last.items() if tap.open][-MOST_OPEN:]:
        try:
            pending = find_roll(board.folded, act)
        except (*IMPOSSIBLE, LookupError):
            continue
        if pending is not None and not pending.is_settled:
            found.append(OpenRoll(board, act, pending))
    return found


def list_own(board: Board) -> list[tuple[str, str]]:
    """Describe the rolls that wait for the reader, who is at another page than the table: each with
    the id of its question."""
    found = []
    for one in find_open(board) if board.seat.taps else ():
        if one.question:
            made = one.pending.attempt
            found.append((one.question, f"{_who(board, made)} · {board.names.roll(made.roll)}"))
    return found


def open_roll_lines(board: Board) -> list[OpenRollLine]:
    """Describe the rolls that do not count yet for the top of the table, those that wait for the
    reader first."""
    lines = [_line(one) for one in find_open(board)]
    return sorted(lines, key=lambda line: not line.choices)


def _line(roll: OpenRoll) -> OpenRollLine:
    board, made = roll.board, roll.pending.attempt
    names = board.names
    outcome = roll.pending.rolled.outcome
    offers = [one for one in roll.offers if side_of(one.payer) in roll.own]
    waiting = [names.who(side) for side in sorted(roll.others)]
    return OpenRollLine(
        address=reverse("campaigns:table-dice", args=[board.table.pk, roll.act]),
        seen=roll.pending.seen,
        who=_who(board, made),
        roll=names.roll(made.roll),
        outcome=names.outcome(made.roll, outcome) if outcome else "",
        choices=tuple(describe_choice(roll, offer) for offer in offers) if board.seat.taps else (),
        own=join_sides(roll.own),
        silent=join_sides(roll.silent),
        silent_names=" · ".join(names.who(side) for side in sorted(roll.silent)),
        question=roll.question,
        waits_for=" · ".join(waiting),
    )


def join_sides(sides: Iterable[int]) -> str:
    """Return sides as a button sends them: "1 2"."""
    return " ".join(map(str, sorted(sides)))


def _who(board: Board, made: Attempt) -> str:
    who = board.names.who(made.by)
    if made.at is None:
        return who
    return _("%(by)s against %(at)s") % {"by": who, "at": board.names.who(made.at)}


def describe_choice(roll: OpenRoll, offer: Offer) -> ChoiceLine:
    """Describe something that can be spent, with the change that it would make."""
    asked = roll.pending.attempt.question(roll.board.start, roll.pending.before)
    return ChoiceLine(
        key=offer.value,
        name=localize(offer.spend.name),
        round=name_round(asked, offer.path),
        payer=roll.board.names.who(offer.payer),
        left=None if offer.spend.raises else offer.left,
        raises=_describe_price(roll.board, offer),
        change=describe_change(asked, roll.pending.rolled, offer),
    )


def _describe_price(board: Board, offer: Offer) -> str:
    """Describe the tracker that goes up as the price; "" if none does."""
    if offer.spend.track is None or not offer.spend.raises:
        return ""
    now = board.now.figures[offer.payer].tracks[offer.spend.track]
    values = {"name": board.names.track(offer.spend.track), "before": now, "after": now + 1}
    return _("%(name)s: %(before)s → %(after)s") % values


# The change that spending would make.


def describe_change(asked: Question, rolled: Rolled, offer: Offer) -> str:
    """Describe the change that spending would make, "Out: 100% → 41%"; "" if it is not known."""
    try:
        before, after = replay(asked, rolled), foresee(asked, rolled, offer)
    except (*IMPOSSIBLE, Missing):
        return ""
    # The last number is the result of the others: hits, saves, wounds.
    numbers = [Measure("average", (key,)) for key in reversed(asked.ready.numbers)]
    chances = [measure for measure in measures(asked.ready) if measure.kind == "chance"]
    reached = {played.outcome for played in (before, *(played for played, _share in after))}
    for measure in (*chances, *numbers):
        now = _score(measure, before)
        then = sum((share * _score(measure, played) for played, share in after), Fraction(0))
        if now != then:
            shown = [_format(measure, score) for score in (now, then)]
            values = {"name": _name(asked, measure, reached), "before": shown[0], "after": shown[1]}
            return _("%(name)s: %(before)s → %(after)s") % values
    return ""


def _score(measure: Measure, played: Played) -> Fraction:
    if measure.kind == "average":
        return Fraction(played.numbers[measure.keys[0]])
    return Fraction(int(played.outcome in measure.keys))


def _format(measure: Measure, score: Fraction) -> str:
    if measure.kind == "chance":
        return percent(score)
    return str(score) if score.denominator == 1 else format_average(score)


def _name(asked: Question, measure: Measure, reached: Container[str | None]) -> str:
    """Return the name of a measure: of its outcomes only those that the dice can still reach."""
    names: Mapping[str, str]
    if measure.kind == "average":
        names = {row.of: localize(row.name) for row in asked.roll.numbers}
    else:
        names = {one.key: localize(one.declared.name) for one in asked.ready.outcomes}
    keys = [key for key in measure.keys if measure.kind == "average" or key in reached]
    return " · ".join(names[key] for key in keys)
