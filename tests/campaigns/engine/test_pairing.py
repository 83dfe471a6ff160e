"""Pairings: the best total, no pair of one owner's gangs, and true reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.engine.pairing import By, Candidate, Meetings, Odd, propose
from tests.work import calls

OWNERS = ("alice", "bob", "charlie", "dora", None)


@st.composite
def tables(draw: st.DrawFn, most: int = 8) -> tuple[list[Candidate], Meetings]:
    """Draw some gangs that attend and the number of their meetings."""
    count = draw(st.integers(0, most))
    candidates = [
        Candidate(
            gang=f"gang {number}",
            rating=draw(st.integers(0, 60)) / 2,
            owner=draw(st.sampled_from(OWNERS)),
            played=draw(st.integers(0, 3)),
            rested=draw(st.sampled_from([None, date(2026, 1, 5), date(2026, 2, 5)])),
        )
        for number in range(count)
    ]
    meetings = {
        frozenset((one.gang, other.gang)): draw(st.integers(0, 3))
        for one, other in combinations(candidates, 2)
    }
    return candidates, meetings


def matchings(players: Sequence[Candidate]) -> Iterator[list[tuple[Candidate, Candidate]]]:
    """Yield every way to pair an even number of players."""
    if not players:
        yield []
        return
    first, *others = players
    for other in others:
        for rest in matchings([one for one in others if one is not other]):
            yield [(first, other), *rest]


def clashes(pairs: Sequence[Sequence[Candidate]]) -> int:
    return sum(one.owner is not None and one.owner == other.owner for one, other in pairs)


def cost(pairs: Sequence[Sequence[Candidate]], meetings: Meetings, by: By) -> tuple[float, ...]:
    apart = sum(abs(one.rating - other.rating) for one, other in pairs)
    met = sum(meetings[frozenset((one.gang, other.gang))] for one, other in pairs)
    return (apart, met) if by == "rating" else (met, apart)


def break_order(player: Candidate) -> tuple[date, int]:
    return player.rested or date.min, -player.played


@pytest.mark.long
@given(tables(), st.sampled_from(["rating", "meetings"]), st.sampled_from(["rests", "joins"]))
def test_each_gang_has_a_single_place(table, by: By, odd: Odd) -> None:
    candidates, meetings = table
    found = propose(candidates, meetings, by, odd)
    placed = [gang for pair in found.pairs for gang in pair.gangs]
    placed += [found.left_over.gang] if found.left_over else []
    assert sorted(placed) == sorted(one.gang for one in candidates)
    sizes = sorted(len(pair.gangs) for pair in found.pairs)
    threes = len(candidates) % 2 and odd == "joins" and len(candidates) > 1
    assert sizes == [2] * (len(candidates) // 2 - bool(threes)) + [3] * bool(threes)
    assert bool(found.left_over) == bool(len(candidates) % 2 and not threes)


@pytest.mark.long
@given(tables(), st.sampled_from(["rating", "meetings"]))
def test_proposal_is_the_best_of_all_pairings(table, by: By) -> None:
    """Compares clashes of owners first, then the turn to rest, then the chosen criterion."""
    candidates, meetings = table
    found = propose(candidates, meetings, by, "rests")
    known = {one.gang: one for one in candidates}

    def worth(pairs, resting):
        return clashes(pairs), break_order(resting) if resting else (), cost(pairs, meetings, by)

    everything = [
        worth(pairs, resting)
        for resting in (candidates if len(candidates) % 2 else [None])
        for pairs in matchings([one for one in candidates if one is not resting])
    ]
    got = [tuple(known[gang] for gang in pair.gangs) for pair in found.pairs]
    assert worth(got, found.left_over) == min(everything)


@given(tables(), st.sampled_from(["rating", "meetings"]), st.sampled_from(["rests", "joins"]))
def test_reasons_of_a_pair_are_true(table, by: By, odd: Odd) -> None:
    candidates, meetings = table
    known = {one.gang: one for one in candidates}
    for pair in propose(candidates, meetings, by, odd).pairs:
        gangs = [known[gang] for gang in pair.gangs]
        assert list(pair.ratings) == [one.rating for one in gangs]
        among = list(combinations(gangs, 2))
        assert pair.apart == max(abs(one.rating - other.rating) for one, other in among)
        assert pair.met == cost(among, meetings, "meetings")[0]
        assert pair.same_owner == bool(clashes(among))


@pytest.mark.long
@given(tables(7), st.sampled_from(["rating", "meetings"]), st.sampled_from(["rests", "joins"]))
def test_owner_meets_their_own_gang_only_when_unavoidable(table, by: By, odd: Odd) -> None:
    candidates, meetings = table
    found = propose(candidates, meetings, by, odd)
    if any(pair.same_owner for pair in found.pairs):
        assert not any(_groups(candidates, odd))


def _groups(candidates: Sequence[Candidate], odd: Odd) -> Iterator[bool]:
    """Yield True for every seating without clashes."""
    if len(candidates) % 2 == 0:
        sitting = [(pairs, ()) for pairs in matchings(candidates)]
    elif odd == "rests":
        sitting = [
            (pairs, ())
            for resting in candidates
            for pairs in matchings([one for one in candidates if one is not resting])
        ]
    else:
        sitting = [
            (pairs, three)
            for three in combinations(candidates, 3)
            for pairs in matchings([one for one in candidates if one not in three])
        ]
    for pairs, three in sitting:
        if not clashes([*pairs, *combinations(three, 2)]):
            yield True


def test_best_total_beats_the_closest_pair() -> None:
    """Pairing 20 with 21 first would leave 10 and 40 for each other."""
    candidates = [Candidate(str(rating), rating) for rating in (10, 20, 21, 40)]
    pairs = propose(candidates, {}).pairs
    assert [pair.gangs for pair in pairs] == [("40", "21"), ("20", "10")]


def test_longest_without_a_break_rests() -> None:
    tired = Candidate("tired", 10, played=5)
    rested = Candidate("rested", 10, played=9, rested=date(2026, 3, 1))
    fresh = Candidate("fresh", 10, played=1)
    assert propose([tired, rested, fresh], {}).left_over == tired
    assert propose([rested, fresh, fresh], {}).left_over == fresh


def test_odd_gang_joins_the_closest_pair() -> None:
    candidates = [Candidate(str(rating), rating) for rating in (10, 11, 40, 41, 43)]
    found = propose(candidates, {}, odd="joins")
    assert [set(pair.gangs) for pair in found.pairs] == [{"40", "41", "43"}, {"10", "11"}]
    assert found.pairs[0].apart == 3


@pytest.mark.parametrize("odd", ["rests", "joins"])
def test_pairing_forty_gangs_takes_few_calls(odd: Odd) -> None:
    """It takes 182,000 calls; trying all pairs of pairs would take millions."""
    candidates = [
        Candidate(str(number), (number * 7919) % 1000, str(number % 13), number % 5)
        for number in range(39)
    ]
    meetings = {
        frozenset((one.gang, other.gang)): (int(one.gang) * int(other.gang)) % 4
        for one, other in combinations(candidates, 2)
    }
    assert calls(lambda: propose(candidates, meetings, "meetings", odd)) < 400_000
