"""Pairings: the best total, no pair of one owner's gangs, and true reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.engine.pairing import By, Candidate, Odd, Past, propose, small_difference
from tests.work import calls

OWNERS = ("alice", "bob", "charlie", "dora", None)


@st.composite
def tables(draw: st.DrawFn, most: int = 8) -> tuple[list[Candidate], Past]:
    """Draw some gangs that attend, the number of their meetings, and the pairs of the last
    night."""
    count = draw(st.integers(0, most))
    candidates = [
        Candidate(
            gang=f"gang {number}",
            rating=draw(st.integers(0, 60)) / 2,
            owner=draw(st.sampled_from(OWNERS)),
            played=draw(st.integers(0, 3)),
            rested=draw(st.sampled_from([None, date(2026, 1, 5), date(2026, 2, 5)])),
            joined=draw(st.sampled_from([date(2026, 1, 1), date(2026, 1, 20)])),
        )
        for number in range(count)
    ]
    meetings = {
        frozenset((one.gang, other.gang)): draw(st.integers(0, 3))
        for one, other in combinations(candidates, 2)
    }
    pairs = sorted(meetings, key=sorted)
    last = draw(st.sets(st.sampled_from(pairs), max_size=2)) if pairs else set()
    due = draw(st.sets(st.sampled_from(pairs), max_size=2)) if pairs else set()
    return candidates, Past(meetings, last, due)


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


def cost(
    pairs: Sequence[Sequence[Candidate]], past: Past, by: By, small: float = 0, fewest: int = 0
) -> tuple[float, ...]:
    """Fixtures that wait although one of the gangs plays, then the criteria of all pairs."""
    keys = [frozenset((one.gang, other.gang)) for one, other in pairs]
    apart = float(sum(abs(one.rating - other.rating) for one, other in pairs))
    met = sum(past.meetings[key] for key in keys)
    for key in keys if by == "rating" else ():
        often = max(0, past.meetings[key] - fewest - 1)
        apart += small * (2 * (key in past.last) + often * (often + 1))
    waits = sum(key not in past.due and any(key & due for due in past.due) for key in keys)
    return (waits, apart, met) if by == "rating" else (waits, met, apart)


def break_order(player: Candidate) -> tuple[date, int]:
    return max(player.rested or date.min, player.joined), -player.played


@pytest.mark.long
@given(tables(), st.sampled_from(["rating", "meetings"]), st.sampled_from(["rests", "joins"]))
def test_each_gang_has_a_single_place(table, by: By, odd: Odd) -> None:
    candidates, past = table
    found = propose(candidates, past, by, odd)
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
    """Compares clashes of owners first, then the turn to rest, fixtures that wait, then the chosen
    criterion."""
    candidates, past = table
    found = propose(candidates, past, by, "rests")
    known = {one.gang: one for one in candidates}
    small, fewest = small_difference(candidates), min(past.meetings.values(), default=0)

    def worth(pairs, resting):
        rests = break_order(resting) if resting else ()
        return clashes(pairs), rests, cost(pairs, past, by, small, fewest)

    everything = [
        worth(pairs, resting)
        for resting in (candidates if len(candidates) % 2 else [None])
        for pairs in matchings([one for one in candidates if one is not resting])
    ]
    got = [tuple(known[gang] for gang in pair.gangs) for pair in found.pairs]
    assert worth(got, found.left_over) == min(everything)


@given(tables(), st.sampled_from(["rating", "meetings"]), st.sampled_from(["rests", "joins"]))
def test_reasons_of_a_pair_are_true(table, by: By, odd: Odd) -> None:
    candidates, past = table
    known = {one.gang: one for one in candidates}
    for pair in propose(candidates, past, by, odd).pairs:
        gangs = [known[gang] for gang in pair.gangs]
        assert list(pair.ratings) == [one.rating for one in gangs]
        among = list(combinations(gangs, 2))
        assert pair.apart == max(abs(one.rating - other.rating) for one, other in among)
        keys = {frozenset((one.gang, other.gang)) for one, other in among}
        assert pair.met == sum(past.meetings[key] for key in keys)
        assert pair.met_last == bool(keys & set(past.last))
        assert pair.is_due == bool(keys & set(past.due))
        assert pair.same_owner == bool(clashes(among))


@pytest.mark.long
@given(tables(7), st.sampled_from(["rating", "meetings"]), st.sampled_from(["rests", "joins"]))
def test_owner_meets_their_own_gang_only_when_unavoidable(table, by: By, odd: Odd) -> None:
    candidates, past = table
    found = propose(candidates, past, by, odd)
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
    pairs = propose(candidates, Past()).pairs
    assert [pair.gangs for pair in pairs] == [("40", "21"), ("20", "10")]


def test_longest_without_a_break_rests() -> None:
    tired = Candidate("tired", 10, played=5)
    rested = Candidate("rested", 10, played=9, rested=date(2026, 3, 1))
    fresh = Candidate("fresh", 10, played=1)
    assert propose([tired, rested, fresh], Past()).left_over == tired
    assert propose([rested, fresh, fresh], Past()).left_over == fresh


def test_season_by_rating_rests_everybody_in_turn_and_varies_its_games() -> None:
    """Twelve nights of five gangs whose ratings suggest the same two games every night. A sixth
    gang joins in the middle; a seventh makes the number odd again."""
    ratings = {"a": 100, "b": 98, "c": 80, "d": 78, "e": 60, "late": 61, "last": 99}
    start = date(2026, 1, 1)
    joined = dict.fromkeys("abcde", start) | {
        "late": start + timedelta(weeks=4),
        "last": start + timedelta(weeks=6),
    }
    meetings: Counter[frozenset[str]] = Counter()
    played: Counter[str] = Counter()
    rested: dict[str, date] = {}
    rests: list[str] = []
    nights: list[frozenset[frozenset[str]]] = []
    for week in range(12):
        night = start + timedelta(weeks=week)
        candidates = [
            Candidate(gang, ratings[gang], gang, played[gang], rested.get(gang), joined[gang])
            for gang in ratings
            if joined[gang] <= night
        ]
        found = propose(candidates, Past(meetings, nights[-1] if nights else ()))
        games = frozenset(frozenset(pair.gangs) for pair in found.pairs)
        nights.append(games)
        meetings.update(games)
        played.update(gang for pair in games for gang in pair)
        if found.left_over is not None:
            rested[found.left_over.gang] = night
            rests.append(found.left_over.gang)
    # Everybody who was there from the beginning rests once before anybody rests again, and a
    # newcomer waits as long as the others did.
    assert sorted(rests[:5]) == list("abcde")
    assert len(rests) == 10 and sorted(set(rests[5:9])) == sorted(rests[:4])
    assert all(one != other for one, other in pairwise(nights))
    assert len(set(nights)) >= 10 and max(meetings.values()) <= 3


def test_four_gangs_do_not_play_the_same_two_games_every_night() -> None:
    """Two strong and two weak gangs: close games most nights, and the others now and then."""
    candidates = [
        Candidate(name, value) for name, value in zip("abcd", (100, 99, 60, 59), strict=True)
    ]
    meetings: Counter[frozenset[str]] = Counter()
    nights: list[frozenset[frozenset[str]]] = []
    for _night in range(12):
        found = propose(candidates, Past(meetings, nights[-1] if nights else ()))
        nights.append(frozenset(frozenset(pair.gangs) for pair in found.pairs))
        meetings.update(nights[-1])
    assert len(set(nights)) == 3
    close = frozenset({frozenset("ab"), frozenset("cd")})
    assert nights[0] == close and 4 <= nights.count(close) <= 8


def test_gangs_with_a_fixture_to_play_meet() -> None:
    candidates = [Candidate(str(rating), rating) for rating in (10, 11, 40, 41)]
    found = propose(candidates, Past(due={frozenset(("10", "41"))}))
    assert {pair.gangs for pair in found.pairs} == {("41", "10"), ("40", "11")}


def test_odd_gang_joins_the_closest_pair() -> None:
    candidates = [Candidate(str(rating), rating) for rating in (10, 11, 40, 41, 43)]
    found = propose(candidates, Past(), odd="joins")
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
    assert calls(lambda: propose(candidates, Past(meetings), "meetings", odd)) < 400_000
