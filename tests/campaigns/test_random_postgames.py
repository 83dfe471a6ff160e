"""Whatever is answered: the entries fold, nothing is overdrawn, nothing happens twice."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from campaigns import answering
from campaigns.postgame import play
from campaigns.situation import TAKEN_OUT, Answers, Report, Situation, marks, results
from campaigns.steps import Playthrough, StepState
from gangs import acts
from gangs import entries as kinds
from gangs.fold import fold
from gangs.roster import Roster
from rules.book import Book
from rules.library import shipped_folders
from tests.make import rostered, shipped

GAMES = itertools.count()


@st.composite
def situations(draw: st.DrawFn, book: Book, roster: Roster) -> Situation:
    ids = [member.id for member in roster.members]
    fielded = draw(st.lists(st.sampled_from(ids), min_size=1, unique=True)) if ids else []
    known = sorted(marks(book, roster.settings))
    marked = (
        draw(st.dictionaries(st.sampled_from(fielded), st.sampled_from(known))) if known else {}
    )
    result = draw(st.sampled_from(list(results(book, roster.settings).values())))
    decided = result.kind == "decided"
    report = Report(
        fielded=tuple(fielded),
        marks=marked,
        counts={TAKEN_OUT: draw(st.dictionaries(st.sampled_from(fielded), st.integers(0, 5)))},
        tallies={row.key: draw(st.integers(0, 9)) for row in book.campaign.tallies},
    )
    return Situation(
        game=f"game-{next(GAMES)}",
        title="t",
        result=result.key,
        side=draw(st.sampled_from(["winner", "loser"])) if decided else "level",
        report=report,
        rating=draw(st.integers(0, 300)),
        opponents=(draw(st.integers(0, 300)),),
    )


def answer_something(
    draw: st.DrawFn, through: Playthrough, state: StepState, answers: Answers
) -> Answers:
    """One legal answer to a step that waits."""
    if state.waiting:
        key = state.waiting[0].key
        return answering.roll_for_me(
            through, answers, key, lambda sides: draw(st.integers(1, sides))
        )
    for captive in state.captives:
        if captive.decided is None:
            decisions = ["stay", "lost", "freed", *([] if captive.refusal else ["ransom"])]
            decision = draw(st.sampled_from(decisions))
            return answering.decide_captive(through, answers, captive.member.id, decision)
    possible = []
    for rise in state.rises:
        if not rise.refusal:
            possible += [(rise.promotion.key, member.id) for member in rise.candidates]
    if possible and draw(st.booleans()):
        return answering.promote(through, answers, *draw(st.sampled_from(possible)))
    if state.hiring and draw(st.booleans()):
        ranks = [offer.row.key for offer in state.hiring.offers if offer.refusal is None]
        if ranks:
            return answering.hire(through, answers, draw(st.sampled_from(ranks)), "New")
    return answering.finish(through, answers, state.step.key)


def played_out(draw: st.DrawFn, book: Book, roster: Roster, first: int) -> Playthrough:
    situation = draw(situations(book, roster))
    answers = Answers()
    for _ in range(200):
        through = play(book, roster, first, situation, answers)
        assert not any(state.refused for state in through.steps)
        waiting = [state for state in through.steps if state.status == "open"]
        if not waiting:
            stored = Answers.model_validate_json(answers.model_dump_json())
            again = play(book, roster, first, situation, stored)
            assert (again.entries, again.roster) == (through.entries, through.roster)
            return through
        answers = answer_something(draw, through, waiting[0], answers)
    raise AssertionError("the post-game does not end")


def check(draw: st.DrawFn, book: Book) -> None:
    """One to three games in a row of a ready-made gang."""
    assume(book.samples)
    sample = draw(st.sampled_from(book.samples))
    entries = acts.found_from_sample(book, sample)
    roster = rostered(book, entries)
    first = len(entries) + 1
    for _ in range(draw(st.integers(1, 3))):
        if not roster.members:
            return
        through = played_out(draw, book, roster, first)
        assert fold(book, enumerate(through.entries, start=first), roster) == through.roster
        assert through.roster.treasury >= 0
        counted = Counter(
            (entry.kind, getattr(entry, "member", None), getattr(entry, "award", entry))
            for entry in through.entries
            if isinstance(entry, kinds.Died | kinds.Earned)
            or (isinstance(entry, kinds.Learned) and entry.award)
        )
        assert all(number == 1 for number in counted.values())
        assert sum(isinstance(entry, kinds.Played) for entry in through.entries) == 1
        roster, first = through.roster, first + len(through.entries)


@pytest.mark.parametrize("slug", [folder.name for folder in shipped_folders()])
@settings(deadline=None)
@given(data=st.data())
def test_any_game(slug: str, data: st.DataObject) -> None:
    check(data.draw, shipped(slug))
