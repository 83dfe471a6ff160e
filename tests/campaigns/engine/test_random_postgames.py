"""Random post-games: entries fold, nothing is overdrawn, nothing happens twice."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.engine.report import Answers
from campaigns.engine.script import play
from campaigns.engine.script_state import Playthrough
from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.entries import Entry
from gangs.engine.fold import fold
from gangs.engine.roster import Roster
from rules.book.model import Book
from tests.campaigns.strategies import answer_something, game_reports
from tests.random_cases import one_soon, random_cases
from tests.world.gangs import SLUGS, rostered, shipped

MOST_ANSWERS = 200


def play_to_the_end(draw: st.DrawFn, book: Book, roster: Roster, first: int) -> Playthrough:
    """Play a game and answer its post-game to the end."""
    game_report = draw(game_reports(book, roster))
    answers = Answers()
    for _ in range(MOST_ANSWERS):
        through = play(book, roster, first, game_report, answers)
        state = through.current
        if state is None:
            stored = Answers.model_validate_json(answers.model_dump_json())
            again = play(book, roster, first, game_report, stored)
            assert (again.entries, again.roster) == (through.entries, through.roster)
            return through
        # Only a fine can turn out too dear after it was accepted.
        assert all(unmet.answer is None for unmet in state.refused)
        answers = answer_something(draw, through, state, answers)
    raise AssertionError("the post-game does not end")


def check(book: Book, through: Playthrough) -> None:
    """Assert the properties of every post-game."""
    numbered = [(played.number, played.entry) for played in through.played]
    assert fold(book, numbered, through.before) == through.roster
    assert through.roster.treasury >= 0
    once = Counter(
        (entry.kind, getattr(entry, "member", None), getattr(entry, "award", entry))
        for entry in through.entries
        if isinstance(entry, kinds.Died | kinds.Left | kinds.Earned)
        or (isinstance(entry, kinds.Learned) and entry.award)
    )
    assert all(number == 1 for number in once.values())
    assert sum(isinstance(entry, kinds.Played) for entry in through.entries) == 1
    for member in through.roster.members:
        most = book.rank[member.rank].experience
        assert most is None or member.experience_at_rank <= most
        for suffered in member.afflictions:
            limit = book.condition[suffered.condition].most
            had = sum(other.condition == suffered.condition for other in member.afflictions)
            assert limit is None or had <= limit


@st.composite
def gangs_with_a_past(draw: st.DrawFn, book: Book) -> list[Entry]:
    """Draw the entries of a ready-made gang with some experience, conditions and money."""
    entries = actions.found_from_sample(book, draw(st.sampled_from(book.samples)))
    members = rostered(book, entries).members
    who = st.sampled_from([member.id for member in members])
    for member, amount in draw(st.dictionaries(who, st.integers(1, 30), max_size=4)).items():
        rank = next(one.rank for one in members if one.id == member)
        most = book.rank[rank].experience
        entries.append(kinds.Learned(member=member, amount=min(amount, most or amount)))
    known = [row.key for row in book.conditions]
    if known:
        hurt = draw(st.dictionaries(who, st.sampled_from(known), max_size=3))
        for member, condition in hurt.items():
            entries.append(kinds.Suffered(member=member, condition=condition))
    gift = draw(st.integers(0, 30))
    return [*entries, kinds.Earned(amount=gift, why="gift")] if gift else entries


@pytest.mark.long
@pytest.mark.parametrize("slug", one_soon(SLUGS))
@random_cases(20, 500)
@given(data=st.data())
def test_random_postgames_keep_their_properties(slug: str, data: st.DataObject) -> None:
    """One to three games in a row."""
    book = shipped(slug)
    entries = data.draw(gangs_with_a_past(book))
    roster, first = rostered(book, entries), len(entries) + 1
    for _ in range(data.draw(st.integers(1, 3))):
        if not roster.members:
            return
        through = play_to_the_end(data.draw, book, roster, first)
        check(book, through)
        roster, first = through.roster, first + len(through.entries)
