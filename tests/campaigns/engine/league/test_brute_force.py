"""Random seasons of every format, compared after each event with brute force.

``script/prove`` plays thousands of new ones; other runs play a few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import combinations
from random import Random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.engine.how import DEFAULTS, FORFEITS, Manner, ResultRules
from campaigns.engine.league.bracket import NOBODY, BracketState, take_over
from campaigns.engine.league.circle import complete, round_robin
from campaigns.engine.league.facts import Entered, Match, Outcome
from campaigns.engine.league.ladder import ladder_order, open_challenges
from campaigns.engine.league.options import StageOptions
from campaigns.engine.league.standings_rules import Criterion
from campaigns.engine.league.swiss import SwissDraw, draw_swiss, swiss_field
from campaigns.engine.league.tables import Around, stage_table
from tests.campaigns.engine.league import brute_force
from tests.campaigns.engine.league.test_bracket import KnockOut
from tests.random_cases import random_cases

DICE = st.integers(0, 2**32)
# All pairings of more gangs than this take too long.
MOST_PAIRED = 7


# Knock-outs


class Cup(KnockOut):
    """A knock-out that gangs also join late, and whose organiser lets wrong gangs count."""

    def happen(self) -> None:
        draw = self.chance.random()
        if draw < 0.04:
            self.come_late()
        elif draw < 0.07:
            for place in self.state.outdated[:1]:
                assert place.match is not None
                self.change(place.match.key, follows=False)
        elif draw < 0.1:
            off = [match for match in self.matches.values() if match.outcome == "off"]
            for match in off[:1]:
                self.change(match.key, outcome="open", advances="")
        elif draw < 0.13 and (open_matches := self.playable()):
            # One of the two does not come, or concedes.
            match = self.chance.choice(open_matches)
            self.play(match, self.chance.choice(["home", "away"]))
            self.change(match.key, how=self.chance.choice(FORFEITS))
        else:
            super().happen()

    def come_late(self) -> None:
        """Let a gang join: it may take the place of a bye of the first round."""
        late = f"g{len(self.entrants) + 1}"
        self.entrants.append(Entered(late, len(self.entrants) + 1))
        byes = [match for match in self.matches.values() if match.round == 1 and not match.away]
        if byes and self.chance.random() < 0.7:
            self.change(self.chance.choice(byes).key, away=late)

    def compare(self) -> BracketState:
        """Compare everything that the engine says with brute force."""
        state = self.state
        cup = self.cup(state)
        assert state.rounds == cup.last
        for place in state.places:
            spot = (place.round, place.number)
            assert place.match == cup.fixture(spot)
            if place.round > 1:
                assert [place.home, place.away] == cup.seats(spot, losers=place.losers), spot
                wrong = place.match is not None and cup.is_wrong(place.match)
                assert place.is_outdated == wrong, spot
        assert state.champion == cup.winner((cup.last, 1))
        has_third = cup.last > 1 and (self.third or cup.fixture((cup.last, 2)) is not None)
        third = cup.winner((cup.last, 2), losers=True) if has_third else NOBODY
        assert state.third == third
        made = {
            (place.round, place.number): frozenset(place.gangs)
            for place in state.to_make
            if not place.losers
        }
        if not state.openings:
            assert made == cup.to_make()
        return state

    def cup(self, state: BracketState) -> brute_force.Cup:
        matches = list(self.matches.values())
        first = 1
        while first < max(match.number for match in matches if match.round == 1):
            first *= 2
        if state.openings:
            first = 2 ** (state.rounds - 1)
        for match in matches:
            if match.losers:
                first = 2 ** (match.round - 1)
        return brute_force.Cup(self.entrants, matches, first, bool(state.openings))


@random_cases(15, 3000)
@given(st.integers(2, 33), st.integers(0, 80), st.booleans(), DICE)
def test_every_place_of_a_knock_out_equals_brute_force(
    count: int, events: int, third: bool, dice: int
) -> None:
    cup = Cup(count, Random(dice), third)
    for _event in range(events):
        cup.happen()
        cup.compare()
    state = cup.finish()
    assert cup.compare() == state
    assert state.champion in {one.gang for one in cup.entrants} | {NOBODY}


@random_cases(40, 3000)
@given(st.integers(2, 33), st.integers(1, 80), DICE)
def test_fixtures_without_a_result_get_the_gangs_of_brute_force(
    count: int, events: int, dice: int
) -> None:
    """One press takes over the right gangs everywhere, and changes no game."""
    stage = Cup(count, Random(dice), third=True)
    for _event in range(events):
        stage.happen()
    before = dict(stage.matches)
    stage.take_over()
    for key in stage.fought & before.keys():
        assert stage.matches[key] == before[key]
    cup = stage.cup(stage.state)
    for match in stage.matches.values():
        if not match.follows or match.key in stage.fought or match.outcome == "off":
            continue
        seats = cup.seats((match.round, match.number), losers=match.losers)
        others = [
            gang
            for other in stage.matches.values()
            if other.round == match.round and other.key != match.key and other.outcome != "off"
            for gang in other.sides
        ]
        waits = None in seats or not set(others).isdisjoint(filter(None, seats))
        assert waits or not cup.is_wrong(match)
    assert not take_over(
        stage.entrants, list(stage.matches.values()), third=True, fixed=stage.fought
    )


# Swiss and round robins


@dataclass
class League:
    """A Swiss or a round robin as a club plays it. ``fought``: the games that never change by
    themselves."""

    gangs: int
    chance: Random
    options: StageOptions
    club: dict[Manner, ResultRules]
    entrants: list[Entered] = field(init=False)
    matches: dict[int, Match] = field(default_factory=dict)
    bonuses: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.entrants = [
            Entered(f"g{number}", number, self.chance.randint(90, 110))
            for number in range(1, self.gangs + 1)
        ]
        self.bonuses = {
            one.gang: self.chance.randint(-3, 3)
            for one in self.entrants
            if self.chance.random() < 0.3
        }

    @property
    def around(self) -> Around:
        return Around(special=self.club, bonuses=self.bonuses)

    @property
    def playing(self) -> list[str]:
        return [one.gang for one in self.entrants if not one.has_left]

    @property
    def last(self) -> int:
        return max((match.round for match in self.matches.values()), default=0)

    def add(self, round_number: int, home: str, away: str | None) -> None:
        key = 1 + max(self.matches, default=0)
        self.matches[key] = Match(key, round_number, key, home, away)

    def change(self, key: int, **values: object) -> None:
        self.matches[key] = replace(self.matches[key], **values)  # type: ignore[arg-type]

    def open_matches(self) -> list[Match]:
        return [one for one in self.matches.values() if one.outcome == "open" and one.away]

    def report(self, match: Match) -> None:
        """Enter a result: of a game that was fought, or of one that somebody missed."""
        found: list[tuple[Outcome, Manner]] = [
            ("home", "played"),
            ("away", "played"),
            ("home", "played"),
            ("away", "played"),
            ("level", "recorded"),
            ("void", "void"),
            ("void", "abandoned"),
            # Nobody came.
            ("void", "no-show"),
            *((outcome, how) for outcome in ("home", "away") for how in FORFEITS),
        ]
        outcome, how = self.chance.choice(found)
        self.change(match.key, outcome=outcome, how=how)

    def leave(self, gang: str) -> None:
        """Let a gang drop out: its open fixtures are called off."""
        self.entrants = [
            replace(one, has_left=one.has_left or one.gang == gang) for one in self.entrants
        ]
        for match in self.open_matches():
            if gang in match.sides:
                self.change(match.key, outcome="off")

    def happen(self) -> None:
        """Let something happen that a club knows."""
        done = [one for one in self.matches.values() if one.outcome != "open" and one.away]
        draw = self.chance.random()
        if draw < 0.05 and len(self.playing) > 2:
            self.leave(self.chance.choice(self.playing))
        elif draw < 0.08:
            left = [one for one in self.entrants if one.has_left]
            if left:
                back = self.chance.choice(left)
                self.entrants[self.entrants.index(back)] = replace(back, has_left=False)
        elif draw < 0.1 and len(self.playing) < MOST_PAIRED:
            number = len(self.entrants) + 1
            self.entrants.append(Entered(f"g{number}", number, 100))
        elif draw < 0.2 and done:
            match = self.chance.choice(done)
            self.report(match)
        elif draw < 0.25 and done:
            self.change(self.chance.choice(done).key, outcome="open", how="played")
        elif draw < 0.3:
            self.clear()
        elif open_matches := self.open_matches():
            self.report(self.chance.choice(open_matches))
        else:
            self.open_round()
        self.compare()

    def clear(self) -> None:
        """Take the fixtures without a result out of the newest round, to draw it again."""
        newest = self.last
        for match in list(self.matches.values()):
            if match.round == newest and match.outcome == "open":
                del self.matches[match.key]

    def open_round(self) -> None:
        """Draw another Swiss round and compare it with all other draws."""
        if len(self.playing) < 2:
            return
        matches = list(self.matches.values())
        drawn = draw_swiss(swiss_field(self.entrants, matches, self.options, around=self.around))
        self.compare_draw(drawn, matches)
        number = self.last + 1
        for pair in drawn.pairs:
            self.add(number, pair.home.gang, pair.away.gang)
        if drawn.bye is not None:
            self.add(number, drawn.bye.gang, None)

    def compare_draw(self, drawn: SwissDraw, matches: Sequence[Match]) -> None:
        sides = [gang for one in drawn.pairs for gang in (one.home.gang, one.away.gang)]
        sides += [drawn.bye.gang] if drawn.bye is not None else []
        assert sorted(sides) == sorted(self.playing), "everybody plays once or has the bye"
        order = [gang for group in self.groups() for gang in group if gang in self.playing]
        points = self.points()
        seats = [(gang, points[gang]) for gang in order]
        place = {gang: number for number, gang in enumerate(order)}
        cost = brute_force.cost_of_draw(
            seats,
            matches,
            [(place[one.home.gang], place[one.away.gang]) for one in drawn.pairs],
            None if drawn.bye is None else place[drawn.bye.gang],
            first=not matches,
        )
        assert cost == brute_force.pair_swiss(seats, matches, first=not matches)

    def scores(self) -> dict[str, brute_force.Score]:
        return brute_force.score(
            [one.gang for one in self.entrants],
            list(self.matches.values()),
            self.options,
            {**self.club},
        )

    def points(self) -> dict[str, int]:
        bonus = self.bonuses if self.options.bonus else {}
        return {gang: line.points + bonus.get(gang, 0) for gang, line in self.scores().items()}

    def groups(self) -> list[list[str]]:
        """The gangs as brute force ranks them."""
        scores, points = self.scores(), self.points()
        strength = brute_force.strengths(scores)
        values = {
            one.gang: {
                "points": points[one.gang],
                "strength": strength[one.gang],
                "wins": scores[one.gang].won,
                "rating": one.rating,
            }
            for one in self.entrants
        }
        return brute_force.order(
            list(values), values, ["points", *self.options.ranking], list(self.matches.values())
        )

    def compare(self) -> None:
        """Compare the table with brute force."""
        lines = stage_table(self.entrants, list(self.matches.values()), self.options, self.around)
        scores, points = self.scores(), self.points()
        strength = brute_force.strengths(scores)
        for line in lines:
            own = scores[line.gang]
            assert (line.points, line.strength) == (points[line.gang], strength[line.gang])
            assert (line.won, line.level, line.lost) == (own.won, own.level, own.lost)
            assert line.byes == own.byes
        groups = self.groups()
        assert [line.gang for line in lines] == [gang for group in groups for gang in group]
        places = [1 + sum(map(len, groups[:number])) for number, _group in enumerate(groups)]
        assert [(line.place, line.shared) for line in lines] == [
            (place, len(group) > 1)
            for place, group in zip(places, groups, strict=True)
            for _gang in group
        ]


class RoundRobin(League):
    """A round robin: its first rounds by the circle, and whatever is missing later."""

    def open_round(self) -> None:
        matches = list(self.matches.values())
        if not matches:
            rounds = round_robin(self.playing, self.options.legs)
        else:
            found = complete(self.playing, matches, [], self.options.legs)
            rounds = [list(one) for one in found.rounds]
        for number, drawn in enumerate(rounds, start=self.last + 1):
            sides = [gang for pair in drawn for gang in pair if gang is not None]
            assert len(set(sides)) == len(sides), "nobody plays twice in a round"
            assert set(sides) <= set(self.playing)
            for home, away in drawn:
                self.add(number, home, away)

    def missing(self) -> int:
        """The number of games that are still to be played or drawn, by brute force."""
        count = 0
        for pair in combinations(self.playing, 2):
            games = [
                one
                for one in self.matches.values()
                if set(one.sides) == set(pair)
                if one.outcome in ("home", "away", "level")
                or (one.outcome == "void" and one.how == "no-show")
            ]
            count += max(0, self.options.legs - len(games))
        return count


@st.composite
def rules(draw: st.DrawFn) -> tuple[StageOptions, dict[Manner, ResultRules]]:
    """Options of a stage, and a club's rules for games without a battle."""
    some: list[Criterion] = ["head_to_head", "strength", "wins", "rating"]
    options = StageOptions(
        win=draw(st.integers(2, 4)),
        draw=draw(st.integers(0, 2)),
        loss=draw(st.integers(0, 1)),
        bye=draw(st.integers(0, 3)),
        legs=draw(st.sampled_from([1, 2])),
        ranking=tuple(draw(st.permutations(some))[: draw(st.integers(0, 4))]),
        bonus=draw(st.booleans()),
    )
    terms = st.builds(
        ResultRules,
        winner_points=st.sampled_from([None, 0, 2, 5]),
        loser_points=st.integers(-2, 1),
        each_points=st.integers(0, 2),
        counts_loss=st.booleans(),
        counts_draw=st.booleans(),
    )
    club = {how: draw(terms) for how in get_args(Manner)} if draw(st.booleans()) else {}
    return options, {**DEFAULTS, **club, "void": ResultRules()}


@random_cases(40, 3000)
@given(st.integers(2, MOST_PAIRED), st.integers(1, 50), rules(), DICE)
def test_table_and_every_draw_of_a_swiss_equal_brute_force(
    gangs: int,
    events: int,
    terms: tuple[StageOptions, dict[Manner, ResultRules]],
    dice: int,
) -> None:
    league = League(gangs, Random(dice), *terms)
    for _event in range(events):
        league.happen()
    for match in league.open_matches():
        league.report(match)
    league.compare()


@random_cases(40, 1000)
@given(st.integers(2, 12), st.integers(1, 50), rules(), DICE)
def test_round_robin_ends_when_every_pair_has_played(
    gangs: int,
    events: int,
    terms: tuple[StageOptions, dict[Manner, ResultRules]],
    dice: int,
) -> None:
    league = RoundRobin(gangs, Random(dice), *terms)
    for _event in range(events):
        league.happen()
    for _round in range(100):
        for match in league.open_matches():
            # Games that bring no result are played again, so they end only by chance.
            league.change(match.key, outcome=league.chance.choice(["home", "away", "level"]))
        league.compare()
        if not league.missing():
            break
        league.open_round()
        assert league.open_matches(), "the round robin stands still"
    assert not league.missing()
    assert complete(league.playing, list(league.matches.values()), [], league.options.legs).is_empty


# Ladders


@random_cases(40, 3000)
@given(st.integers(2, 33), st.integers(1, 60), st.sampled_from(["place", "swap"]), DICE)
def test_ladder_equals_brute_force(gangs: int, events: int, way: str, dice: int) -> None:
    """Challenges are reported, corrected and played in any order; gangs leave and come late."""
    chance = Random(dice)
    options = StageOptions.model_validate({"climb": way, "reach": chance.randint(1, 5)})
    entrants = [Entered(f"g{number}", number) for number in range(1, gangs + 1)]
    matches: list[Match] = []
    for _event in range(events):
        order = ladder_order(entrants, matches, options)
        draw = chance.random()
        if draw < 0.05:
            one = chance.choice(entrants)
            entrants[entrants.index(one)] = replace(one, has_left=not one.has_left)
        elif draw < 0.1:
            entrants.append(Entered(f"g{len(entrants) + 1}", len(entrants) + 1))
        elif draw < 0.5 and matches:
            place = chance.randrange(len(matches))
            outcome = chance.choice(["home", "away", "level", "void", "off", "open"])
            day = date(2026, 1, 1) + timedelta(days=chance.randint(0, 30))
            matches[place] = replace(
                matches[place], outcome=outcome, day=day if outcome != "open" else None
            )
        elif order:
            gang = chance.choice(order)
            offered = open_challenges(gang, order, matches, options.reach)
            busy = Counter(side for one in matches if one.outcome == "open" for side in one.sides)
            own = order.index(gang)
            assert offered == [
                other
                for other in reversed(order)
                if 0 < own - order.index(other) <= options.reach
                if not busy[other] and not busy[gang]
            ]
            if offered:
                key = len(matches) + 1
                matches.append(Match(key, 1, key, gang, chance.choice(offered)))
        assert ladder_order(entrants, matches, options) == brute_force.climb(
            entrants, matches, swaps=way == "swap"
        )


# The smallest cases of faults that these seasons have found


class TestNobodyCame:
    @pytest.mark.parametrize("how", FORFEITS)
    def test_each_gang_gets_what_an_absent_gang_gets(self, how: Manner) -> None:
        """The standings count such a game as lost by both."""
        terms = ResultRules(loser_points=-1, each_points=5, counts_loss=True, counts_draw=True)
        matches = [Match(1, 1, 1, "a", "b", "void", how=how)]
        entrants = [Entered("a", 1), Entered("b", 2)]
        lines = stage_table(entrants, matches, StageOptions(), Around(special={how: terms}))
        assert [(line.points, line.lost, line.level) for line in lines] == [(-1, 1, 0)] * 2
