"""The hand that plays the demo's games: what it reports, and how it answers a post-game."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence

from campaigns import answering
from campaigns.claiming import Told
from campaigns.hands import Fallen, deeds
from campaigns.models import Side
from campaigns.situation import TAKEN_OUT, Answers, Hand, Report, cannot_play, marks, tallies
from campaigns.steps import Asked, Playthrough, StepState
from gangs.roster import Member
from rules.book import Book
from rules.dice import Thrower, look_up, throw
from rules.fates import TableRow
from rules.vocabulary import Settings

MOST_ANSWERS = 100
FIRST_NAMES = (
    *("Agathe", "Bastien", "Clovis", "Delphine", "Ezra", "Flora", "Gaspard", "Hermine"),
    *("Ida", "Jonas", "Klara", "Lucius", "Mathilde", "Noah", "Odile", "Prosper"),
    *("Quentin", "Rosalie", "Silvan", "Thea", "Ursin", "Violette", "Wanda", "Xavier"),
)
# How often dice are thrown until they show what is wanted.
MOST_THROWS = 500


def told(book: Book, settings: Settings, sides: Sequence[Side]) -> dict[int, Told]:
    """What the winner's player tells: the first side won, and put out two of the other's; the
    first of the others put one of his out."""
    gangs = [
        _fallen(book, settings, side, sides[1 - place], won=place == 0)
        for place, side in enumerate(sides)
    ]
    done = deeds(book, settings, gangs)
    found = {}
    for place, (side, gang) in enumerate(zip(sides, gangs, strict=True)):
        counts = {key: dict(count) for key, count in done[gang.gang].counts.items()}
        sums: dict[int, int] = {}
        for count in counts.values():
            for member, times in count.items():
                sums[member] = sums.get(member, 0) + times
        counted = tallies(book, settings, "gang", side.game.scenario)
        extra = {row.key: 1 for row in counted[-1:] if not place}
        report = Report(
            fielded=tuple(member.id for member in gang.members),
            marks=dict(gang.marks),
            hands=dict(gang.hands),
            counts={**counts, TAKEN_OUT: sums},
            tallies={**done[gang.gang].tallies, **extra},
        )
        found[side.pk] = Told("loser" if place else "winner", report)
    return found


def _fallen(book: Book, settings: Settings, side: Side, other: Side, *, won: bool) -> Fallen:
    """All who can play were there. The last of them fell by the hand of the other side's first;
    if they lost, so did the second."""
    assert side.gang is not None and other.gang is not None
    roster = side.gang.roster
    mark = next(iter(marks(book, settings)), None)
    there = _able(book, side)
    fell = [*there[-1:], *(() if won else there[1:2])] if mark else []
    hand = Hand(gang=str(other.gang.pk), member=_able(book, other)[0].id)
    return Fallen(
        gang=str(side.gang.pk),
        roster=roster,
        members=there,
        marks={member.id: mark or "" for member in fell},
        hands={member.id: hand for member in fell},
    )


def _able(book: Book, side: Side) -> list[Member]:
    assert side.gang is not None
    return [
        member
        for member in side.gang.roster.members
        if not cannot_play(book, [one.condition for one in member.afflictions])
    ]


def next_answer(
    state: StepState,
    dice: random.Random,
    captivity: Collection[str],
    through: Playthrough,
    answers: Answers,
) -> Answers:
    """What a player in a hurry answers: he rolls everything, takes the first of what he may have,
    frees nobody, and recruits one if he can. ``captivity``: conditions of which the dice bring one
    to one of his, if they can."""

    def fair(sides: int) -> int:
        return dice.randint(1, sides)

    if state.waiting:
        taken = any(_brings(one.row, captivity) for one in through.asked.values())
        faces = "" if taken else _faces(state.waiting[0], captivity, fair)
        if faces:
            return answering.i_rolled(through, answers, state.waiting[0].key, faces)
        return answering.roll_all(through, answers, state.step.key, fair)
    for question in state.questions:
        if question.chosen is None:
            free = [place for place, refusal in enumerate(question.refusals) if refusal is None]
            # The last is what there is to choose if one cannot, or will not, pay.
            return answering.choose(through, answers, question.key, free[-1])
    for advance in state.advances:
        if advance.chosen is None:
            best = next(offer.row.key for offer in advance.offers if offer.refusal is None)
            return answering.take_advance(through, answers, advance.key, best)
    for vacancy in state.vacancies:
        if vacancy.chosen is None:
            heir = vacancy.candidates[0].id
            return answering.succeed(through, answers, vacancy.succession.key, heir)
    for prisoner in state.captives:
        if prisoner.decided is None:
            return answering.decide_captive(through, answers, prisoner.member.id, "stay")
    for rise in state.rises:
        if rise.must and rise.candidates and rise.refusal is None:
            how = "sent_away" if rise.rivals else ""
            key = rise.promotion.key
            return answering.promote(through, answers, key, rise.candidates[0].id, how)
    if state.hiring is not None and not state.hiring.chosen:
        for offer in reversed(state.hiring.offers):
            if offer.refusal is None:
                name = dice.choice(FIRST_NAMES)
                return answering.hire(through, answers, offer.row.key, name)
    return answering.finish(through, answers, state.step.key)


def _brings(row: TableRow | None, conditions: Collection[str]) -> bool:
    """Whether the row of a table brings one of these conditions."""
    return row is not None and any(
        outcome.kind == "suffers" and outcome.condition in conditions for outcome in row.outcomes
    )


def _faces(asked: Asked, conditions: Collection[str], by: Thrower) -> str:
    """Dice that bring one of these conditions, as they are typed in; "" if none do."""
    if asked.table is None or not any(_brings(row, conditions) for row in asked.table.rows):
        return ""
    rolls = (throw(asked.dice, by) for _ in range(MOST_THROWS))
    hit = next((roll for roll in rolls if _brings(look_up(asked.table, roll), conditions)), None)
    return " ".join(map(str, hit.faces)) if hit else ""
