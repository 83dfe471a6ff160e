"""Draws of round robins, Swiss rounds, knock-outs and ladders; brute force on small fields."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.engine.league.bracket import draw_first_round, follow_bracket
from campaigns.engine.league.circle import complete, round_robin
from campaigns.engine.league.facts import Entered, Match, Outcome, count_byes
from campaigns.engine.league.ladder import ladder_order, open_challenges
from campaigns.engine.league.options import StageOptions
from campaigns.engine.league.swiss import Seat, SwissField, Wishes, draw_swiss, swiss_field
from campaigns.engine.league.tables import stage_table

RULES = StageOptions()
OUTCOMES = st.sampled_from(["home", "away", "level"])
# A round that a club might have played; the next one is drawn.
Rounds = list[Match]


def entrants(count: int) -> list[Entered]:
    return [Entered(f"g{number}", number, 100 + number) for number in range(1, count + 1)]


def played(field: SwissField, matches: Rounds, outcomes: Iterator[str]) -> Rounds:
    """The matches with one more round, drawn and played."""
    drawn = draw_swiss(field)
    number = 1 + max((match.round for match in matches), default=0)
    pairs: list[tuple[str, str | None]] = [(pair.home.gang, pair.away.gang) for pair in drawn.pairs]
    if drawn.bye is not None:
        pairs.append((drawn.bye.gang, None))
    made = [
        Match(
            key=1000 * number + place,
            round=number,
            number=place,
            home=home,
            away=away,
            outcome="open" if away is None else next(outcomes),  # type: ignore[arg-type]
        )
        for place, (home, away) in enumerate(pairs, start=1)
    ]
    return [*matches, *made]


class TestRoundRobin:
    @given(st.integers(2, 20), st.integers(1, 2))
    def test_circle_lets_every_pair_meet_in_the_fewest_rounds(self, count: int, legs: int) -> None:
        gangs = [one.gang for one in entrants(count)]
        rounds = round_robin(gangs, legs)
        met = Counter(frozenset((home, away)) for drawn in rounds for home, away in drawn if away)
        assert set(met.values()) == {legs}
        assert len(met) == count * (count - 1) // 2
        assert len(rounds) == legs * (count - 1 + count % 2)
        for drawn in rounds:
            placed = [gang for pair in drawn for gang in pair if gang is not None]
            assert sorted(placed) == sorted(gangs)

    @given(st.data())
    def test_completion_adds_exactly_the_missing_pairs(self, data: st.DataObject) -> None:
        """Some rounds are over, one gang has left, and others come late."""
        count, late = data.draw(st.integers(3, 9)), data.draw(st.integers(0, 3))
        over = data.draw(st.integers(0, count - 1))
        gangs = [one.gang for one in entrants(count + late)]
        rounds = round_robin(gangs[:count])
        matches = [
            Match(
                100 * number + place,
                number,
                place,
                home,
                away,
                "home" if number <= over else "open",
            )
            for number, drawn in enumerate(rounds, start=1)
            for place, (home, away) in enumerate(drawn, start=1)
            if away is not None or number <= over
        ]
        gone = data.draw(st.sampled_from([None, *gangs[:count]]))
        matches = [
            Match(m.key, m.round, m.number, m.home, m.away, "off")
            if gone in m.sides and m.outcome == "open"
            else m
            for m in matches
        ]
        playing = [gang for gang in gangs if gang != gone]
        to_come = [number for number in range(1, len(rounds) + 1) if number > over]
        found = complete(playing, matches, to_come)
        every = [*found.added.items(), *enumerate(found.rounds, start=len(rounds) + 1)]
        met = Counter(
            frozenset(match.sides)
            for match in matches
            if match.away is not None and match.outcome != "off"
        )
        for number, drawn in every:
            standing = [
                gang
                for match in matches
                if match.round == number and match.outcome != "off"
                for gang in match.sides
            ]
            placed = standing + [gang for pair in drawn for gang in pair if gang is not None]
            assert len(set(placed)) == len(placed)
            met.update(frozenset((home, away)) for home, away in drawn if away is not None)
        wanted = {frozenset(pair) for pair in combinations(playing, 2)}
        assert {pair: met[pair] for pair in wanted} == dict.fromkeys(wanted, 1)


class TestSwiss:
    @given(st.integers(2, 9), st.data())
    def test_everybody_is_paired_or_has_the_bye(self, count: int, data: st.DataObject) -> None:
        """Nobody has a second bye before everybody has had one."""
        field, matches = entrants(count), list[Match]()
        for number in range(1, 6):
            outcomes = iter(data.draw(st.lists(OUTCOMES, min_size=count, max_size=count)))
            matches = played(swiss_field(field, matches, RULES), matches, outcomes)
            placed = [gang for match in matches if match.round == number for gang in match.sides]
            assert sorted(placed) == sorted(one.gang for one in field)
            byes = count_byes(matches)
            assert max((byes[one.gang] for one in field), default=0) <= 1 + min(
                byes[one.gang] for one in field
            )

    @given(st.integers(2, 7), st.integers(0, 4), st.data())
    def test_draw_is_the_best_of_all_pairings(
        self, count: int, rounds: int, data: st.DataObject
    ) -> None:
        field, matches = entrants(count), list[Match]()
        for _round in range(rounds):
            outcomes = iter(data.draw(st.lists(OUTCOMES, min_size=count, max_size=count)))
            matches = played(swiss_field(field, matches, RULES), matches, outcomes)
        pairs = list(combinations([one.gang for one in field], 2))
        some = st.lists(st.sampled_from(pairs), max_size=2).map(
            lambda chosen: frozenset(map(frozenset, chosen))
        )
        seats = swiss_field(field, matches, RULES, Wishes(data.draw(some), data.draw(some)))
        drawn = draw_swiss(seats)
        got = worth(seats, [(pair.home, pair.away) for pair in drawn.pairs], drawn.bye)
        assert got == min(
            worth(seats, pairing, bye)
            for bye in (seats.may_rest() if count % 2 else [None])
            for pairing in pairings([seat for seat in seats.seats if seat != bye])
        )
        assert got <= worth(seats, *greedy(seats))

    def test_wished_pairs_meet_and_unwanted_pairs_do_not(self) -> None:
        wishes = Wishes(frozenset({frozenset(("g1", "g4"))}), frozenset({frozenset(("g2", "g3"))}))
        found = draw_swiss(swiss_field(entrants(6), [], RULES, wishes))
        met = {frozenset((pair.home.gang, pair.away.gang)) for pair in found.pairs}
        assert frozenset(("g1", "g4")) in met and frozenset(("g2", "g3")) not in met

    def test_bye_goes_to_the_lowest_gang_without_one(self) -> None:
        matches = [
            Match(1, 1, 1, "g1", "g2", "home"),
            Match(2, 1, 2, "g3", "g4", "home"),
            Match(3, 1, 3, "g5"),
        ]
        drawn = draw_swiss(swiss_field(entrants(5), matches, RULES))
        assert drawn.bye is not None and drawn.bye.gang == "g4"

    def test_gang_that_left_is_not_paired(self) -> None:
        field = [*entrants(3), Entered("g4", 4, has_left=True)]
        drawn = draw_swiss(swiss_field(field, [], RULES))
        assert len(drawn.pairs) == 1 and drawn.bye is not None

    @pytest.mark.parametrize("count", [63, 64])
    def test_64_gangs_are_paired_in_a_second_of_processor_time(self, count: int) -> None:
        field, matches = entrants(count), list[Match]()
        outcomes = iter(["home", "level", "away", "home", "away"] * 80)
        for _round in range(4):
            matches = played(swiss_field(field, matches, RULES), matches, outcomes)
        start = time.process_time()
        draw_swiss(swiss_field(field, matches, RULES))
        assert time.process_time() - start <= 1


def worth(
    field: SwissField, pairing: Sequence[tuple[Seat, Seat]], bye: Seat | None
) -> tuple[int, ...]:
    """The costs of a draw, the most important first: clashes, the place of the bye, floats."""
    costs = [field.cost(*pair) for pair in pairing]
    sums = [sum(column) for column in zip(*costs, strict=True)] or [0] * 6
    place = 0 if bye is None else len(field.seats) - 1 - list(field.seats).index(bye)
    return (*sums[:4], place, *sums[4:])


def pairings(seats: Sequence[Seat]) -> Iterator[list[tuple[Seat, Seat]]]:
    """Yield every way to pair an even number of gangs."""
    if not seats:
        yield []
        return
    first, *others = seats
    for other in others:
        for rest in pairings([seat for seat in others if seat != other]):
            yield [(first, other), *rest]


def greedy(field: SwissField) -> tuple[list[tuple[Seat, Seat]], Seat | None]:
    """Pair from the top: each gang meets the cheapest of those that are left."""
    left = list(field.seats)
    bye = field.may_rest()[-1] if len(left) % 2 else None
    if bye is not None:
        left.remove(bye)
    found = []
    while left:
        first = left.pop(0)
        other = min(left, key=lambda seat: field.cost(first, seat))
        left.remove(other)
        found.append((first, other))
    return found, bye


class TestKnockOut:
    @pytest.mark.parametrize("count", [2, 3, 5, 8, 11, 16])
    def test_best_seed_wins_if_the_better_always_does(self, count: int) -> None:
        gangs = [one.gang for one in entrants(count)]
        drawn = draw_first_round(gangs)
        byes = [home for home, away in drawn if away is None]
        assert sorted(byes, key=gangs.index) == gangs[: len(byes)]
        matches = [
            Match(place, 1, place, home, away, outcome(gangs, home, away))
            for place, (home, away) in enumerate(drawn, start=1)
        ]
        assert sorted(gang for match in matches for gang in match.sides) == sorted(gangs)
        field = entrants(count)
        while places := follow_bracket(field, matches, third=True).to_make:
            for place in places:
                home, away = place.gangs
                key = 100 * place.round + place.number
                result = outcome(gangs, home, away)
                matches.append(
                    Match(key, place.round, place.number, home, away, result, losers=place.losers)
                )
        state = follow_bracket(field, matches, third=True)
        assert state.champion == gangs[0]
        last = max(match.round for match in matches)
        final = {match.number: match.sides for match in matches if match.round == last}
        assert set(final[1]) == set(gangs[:2])
        if count > 4:
            assert set(final[2]) == set(gangs[2:4])
        if count > 2:
            assert state.third == gangs[2]

    def test_draw_needs_a_decision(self) -> None:
        field = [Entered(gang, seed) for seed, gang in enumerate("abcd", start=1)]
        matches = [Match(1, 1, 1, "a", "b", "level"), Match(2, 1, 2, "c", "d", "home")]
        state = follow_bracket(field, matches, third=False)
        assert not state.to_make and state.undecided_keys == [1]
        matches[0] = Match(1, 1, 1, "a", "b", "level", advances="b")
        (place,) = follow_bracket(field, matches, third=False).to_make
        assert place.gangs == ["b", "c"]


def outcome(gangs: list[str], home: str, away: str | None) -> Outcome:
    if away is None:
        return "open"
    return "home" if gangs.index(home) < gangs.index(away) else "away"


class TestLadder:
    def test_winning_challenger_takes_the_place(self) -> None:
        matches = [Match(1, 1, 1, "g4", "g2", "home", date(2026, 1, 2))]
        assert ladder_order(entrants(5), matches, RULES) == ["g1", "g4", "g2", "g3", "g5"]
        swap = StageOptions(climb="swap")
        assert ladder_order(entrants(5), matches, swap) == ["g1", "g4", "g3", "g2", "g5"]

    def test_lost_challenge_changes_nothing(self) -> None:
        matches = [Match(1, 1, 1, "g4", "g2", "away", date(2026, 1, 2))]
        assert ladder_order(entrants(5), matches, RULES) == [f"g{n}" for n in range(1, 6)]

    def test_gang_may_challenge_within_reach_and_while_both_are_free(self) -> None:
        order = [f"g{n}" for n in range(1, 7)]
        assert open_challenges("g5", order, [], 2) == ["g4", "g3"]
        assert open_challenges("g1", order, [], 2) == []
        busy = [Match(1, 1, 1, "g4", "g2")]
        assert open_challenges("g5", order, busy, 2) == ["g3"]
        assert open_challenges("g4", order, busy, 2) == []

    def test_gang_that_left_is_on_no_rung(self) -> None:
        field = [Entered("a", 1), Entered("b", 2, has_left=True), Entered("c", 3)]
        assert ladder_order(field, [], RULES) == ["a", "c"]


class TestTable:
    def test_points_then_strength_of_opponents_decide(self) -> None:
        matches = [
            Match(1, 1, 1, "g1", "g2", "home"),
            Match(2, 1, 2, "g3", "g4", "home"),
            Match(3, 2, 1, "g1", "g3", "home"),
            Match(4, 2, 2, "g2", "g4", "level"),
            Match(5, 3, 1, "g4"),
            Match(6, 3, 2, "g1", "g2", "off"),
        ]
        lines = stage_table(entrants(4), matches, RULES)
        # Shares of the points won by fighting: g1 6/6, g2 1/6, g3 3/6, g4 1/6; at least 1/3.
        assert [(one.gang, one.points, one.strength, one.place) for one in lines] == [
            ("g1", 6, Fraction(5, 12), 1),
            ("g4", 4, Fraction(5, 12), 2),
            ("g3", 3, Fraction(2, 3), 3),
            ("g2", 1, Fraction(2, 3), 4),
        ]

    def test_equal_gangs_share_a_place(self) -> None:
        lines = stage_table(entrants(2), [], RULES)
        assert [(one.place, one.shared) for one in lines] == [(1, True), (1, True)]
