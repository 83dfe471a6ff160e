"""The player of the demo: their reports of games, and their answers in a post-game."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial

from campaigns.engine import answers as engine_answers
from campaigns.engine import rolls
from campaigns.engine.claims import SideAccount
from campaigns.engine.credits import Losses, deeds
from campaigns.engine.report import TAKEN_OUT, Answers, Credit, Report, tallies
from campaigns.engine.script_state import Playthrough, RollRequest, StepState
from campaigns.models import Side
from gangs.engine.roster import Member
from rules.book.fates import TableRow
from rules.book.model import Book, Rules
from rules.engine.dice import Thrower, look_up, throw

MOST_ANSWERS = 100
FIRST_NAMES = (
    "Agathe",
    "Bastien",
    "Clovis",
    "Delphine",
    "Ezra",
    "Flora",
    "Gaspard",
    "Hermine",
    "Ida",
    "Jonas",
    "Klara",
    "Lucius",
    "Mathilde",
    "Noah",
    "Odile",
    "Prosper",
    "Quentin",
    "Rosalie",
    "Silvan",
    "Thea",
    "Ursin",
    "Violette",
    "Wanda",
    "Xavier",
)
# Throw dice at most this many times until they show the wanted row.
MOST_THROWS = 500


def accounts(rules: Rules, sides: Sequence[Side]) -> dict[int, SideAccount]:
    """The winner's report: the first side won, and took two of the other side out; the other side
    took one out. Keyed by the side's primary key."""
    gangs = [
        _losses(rules, side, sides[1 - place], won=place == 0) for place, side in enumerate(sides)
    ]
    done = deeds(rules, gangs)
    found = {}
    for place, (side, gang) in enumerate(zip(sides, gangs, strict=True)):
        deeds_done = done[gang.gang]
        taken_out = sum(deeds_done.counts.values(), Counter[int]())
        counted = tallies(rules, "gang", side.game.scenario)
        extra = {row.key: 1 for row in counted[-1:] if not place}
        report = Report(
            fielded=tuple(member.id for member in gang.members),
            marks=dict(gang.marks),
            credits=dict(gang.credits),
            counts={**deeds_done.counts, TAKEN_OUT: taken_out},
            tallies={**deeds_done.tallies, **extra},
        )
        found[side.pk] = SideAccount("loser" if place else "winner", report)
    return found


def _losses(rules: Rules, side: Side, other: Side, *, won: bool) -> Losses:
    """A side's losses. All able members took part; the first member of the other side took out the
    last of them and, if they lost, the second."""
    assert side.gang is not None and other.gang is not None
    roster = side.gang.roster
    mark = rules.usual_mark
    there = _able_members(rules.book, side)
    fell = [*there[-1:], *(() if won else there[1:2])] if mark else []
    credit = Credit(gang=str(other.gang.pk), member=_able_members(rules.book, other)[0].id)
    return Losses(
        gang=str(side.gang.pk),
        roster=roster,
        members=there,
        marks={member.id: mark or "" for member in fell},
        credits={member.id: credit for member in fell},
    )


def _able_members(book: Book, side: Side) -> list[Member]:
    assert side.gang is not None
    roster = side.gang.roster
    return [member for member in roster.members if not roster.absences(book, member)]


def next_answer(
    state: StepState,
    dice: random.Random,
    captivity: Collection[str],
    playthrough: Playthrough,
    answers: Answers,
) -> Answers:
    """The answer of a player in a hurry: they roll everything, take the first choice, free nobody,
    and recruit one member if they can. ``captivity``: conditions that one of their members must
    get, if the dice can show it."""

    def fair(sides: int) -> int:
        return dice.randint(1, sides)

    if state.waiting:
        taken = any(_brings(request.row, captivity) for request in playthrough.requests.values())
        faces = "" if taken else _faces(state.waiting[0], captivity, fair)
        if faces:
            typed = partial(rolls.take_over, key=state.waiting[0].key, faces=faces)
            return engine_answers.roll(playthrough, answers, typed)
        return engine_answers.roll(playthrough, answers, partial(rolls.throw_all, by=fair))
    if (question := state.next_question) is not None:
        # The last outcome is the choice of a gang that cannot, or will not, pay.
        choice = question.available[-1 if question.kind == "outcome" else 0]
        return engine_answers.choose(playthrough, answers, question.key, choice.value)
    for offer in state.promotions:
        if offer.required and offer.is_open:
            how = "sent_away" if offer.rivals else ""
            key = offer.promotion.key
            return engine_answers.promote(playthrough, answers, key, offer.candidates[0].id, how)
    if state.hiring is not None and not state.hiring.chosen:
        for recruit in reversed(state.hiring.offers):
            if recruit.refusal is None:
                name = dice.choice(FIRST_NAMES)
                return engine_answers.hire(playthrough, answers, recruit.row.key, name)
    return engine_answers.finish(playthrough, answers, state.step.key)


def _brings(row: TableRow | None, conditions: Collection[str]) -> bool:
    """Whether the row of a table brings one of these conditions."""
    return row is not None and any(
        outcome.kind == "suffers" and outcome.condition in conditions for outcome in row.outcomes
    )


def _faces(request: RollRequest, conditions: Collection[str], by: Thrower) -> str:
    """Faces that bring one of these conditions, as a player types them; "" if none do."""
    if (
        request.table is None
        or request.matches
        or not any(_brings(row, conditions) for row in request.table.rows)
    ):
        return ""
    rolls = (throw(request.dice, by) for _ in range(MOST_THROWS))
    hit = next((roll for roll in rolls if _brings(look_up(request.table, roll), conditions)), None)
    return " ".join(map(str, hit.faces)) if hit else ""
