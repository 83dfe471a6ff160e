"""Random games and random answers to post-games."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial

from hypothesis import strategies as st

from campaigns.engine import answers as engine_answers
from campaigns.engine import rolls
from campaigns.engine.report import TAKEN_OUT, Answers, GameReport, Report, tallies
from campaigns.engine.script_state import Playthrough, StepState
from gangs.engine.roster import Roster
from rules.book.model import Book
from rules.book.vocabulary import Settings

GAMES = itertools.count()
Answered = Callable[[], Answers]


@st.composite
def reports(
    draw: st.DrawFn, book: Book, chosen: Settings, able: Sequence[int], most: int = 5
) -> Report:
    """Draw a report on a gang whose ``able`` members may have played."""
    fielded = draw(st.lists(st.sampled_from(able), min_size=1, unique=True)) if able else []
    who = st.sampled_from(fielded or [0])
    known = sorted(book.under(chosen).mark)
    marked = {}
    if fielded and known:
        marked = draw(st.dictionaries(who, st.sampled_from(known), max_size=3))
    rows = tallies(book.under(chosen), "member")
    counted = [row.key for row in rows if row.takes_out] or [TAKEN_OUT]
    counted += [row.key for row in rows if row.key not in counted]
    counts: dict[str, dict[int, int]] = {key: {} for key in counted}
    if fielded:
        for key in counted:
            counts[key] = draw(st.dictionaries(who, st.integers(1, most), max_size=2))
    if TAKEN_OUT not in counts:
        sorts = [counts[row.key] for row in rows if row.takes_out]
        sums = {key: sum(sort.get(key, 0) for sort in sorts) for key in fielded}
        counts[TAKEN_OUT] = {key: count for key, count in sums.items() if count}
    return Report(
        fielded=tuple(fielded),
        marks=marked,
        counts=counts,
        tallies={
            row.key: draw(st.integers(0, min(most, row.maximum)))
            for row in tallies(book.under(chosen), "gang")
        },
        money=draw(st.integers(0, 9)),
    )


@st.composite
def game_reports(draw: st.DrawFn, book: Book, roster: Roster) -> GameReport:
    """Draw any game that the gang may have played."""
    able = [member.id for member in roster.members]
    result = draw(st.sampled_from(list(book.under(roster.settings).results)))
    decided = result.kind == "decided"
    return GameReport(
        game=f"game-{next(GAMES)}",
        title="t",
        result=result.key,
        side=draw(st.sampled_from(["winner", "loser"])) if decided else "level",
        report=draw(reports(book, roster.settings, able)),
        rating=draw(st.integers(0, 300)),
        opponents=(draw(st.integers(0, 300)),),
        opponent_names=("Those over there",),
    )


def answer_something(
    draw: st.DrawFn, through: Playthrough, state: StepState, answers: Answers
) -> Answers:
    """Draw a legal answer to a waiting step."""
    demanded = list(_demanded(draw, through, state, answers))
    if demanded:
        return demanded[0]()
    possible = list(_possible(draw, through, state, answers))
    if possible and (state.must_promote or draw(st.booleans())):
        return draw(st.sampled_from(possible))()
    return engine_answers.finish(through, answers, state.step.key)


def _demanded(draw: st.DrawFn, through: Playthrough, state: StepState, answers: Answers):
    """Draw an answer that the step requires."""
    for asked in state.waiting:
        yield lambda key=asked.key: engine_answers.roll(
            through,
            answers,
            partial(rolls.throw_one, key=key, by=lambda sides: draw(st.integers(1, sides))),
        )
    fine_too_dear = any(unmet.answer is None for unmet in state.refused)
    for question in state.questions:
        free = [choice.value for choice in question.choices if choice.refusal is None]
        if question.chosen is None:
            assert free, "a question has no possible answer"
            choice = draw(st.sampled_from(free))
            yield lambda key=question.key, to=choice: engine_answers.choose(
                through, answers, key, to
            )
        elif fine_too_dear:
            other = draw(
                st.sampled_from([value for value in free if value != question.chosen.value])
            )
            yield lambda key=question.key, to=other: engine_answers.choose(
                through, answers, key, to
            )


def _possible(draw: st.DrawFn, through: Playthrough, state: StepState, answers: Answers):
    """Draw an answer that the step allows."""
    for rise in state.promotions:
        if rise.refusal is None:
            ways = ["sent_away", *(["dice"] if rise.promotion.dice else [])]
            how = draw(st.sampled_from(ways)) if rise.rivals else ""
            for member in rise.candidates:
                yield lambda key=rise.promotion.key, who=member.id, how=how: engine_answers.promote(
                    through, answers, key, who, how
                )
    for offer in state.hiring.offers if state.hiring else ():
        if offer.refusal is None and len(answers.recruits) < 4:
            yield lambda key=offer.row.key: engine_answers.hire(through, answers, key, "New")
