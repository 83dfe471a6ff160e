"""Knock-outs: what follows from their results, whatever happens on the way."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.engine.league.bracket import (
    NOBODY,
    BracketState,
    Place,
    draw_first_round,
    follow_bracket,
    seat,
    take_over,
)
from campaigns.engine.league.facts import Entered, Match

# A knock-out of 33 gangs has 63 fixtures at most, and no press may lead back to an earlier state.
MOST_STEPS = 1_000


@dataclass
class KnockOut:
    """A knock-out as a club plays it. ``fought``: the fixtures whose games never change."""

    count: int
    chance: Random
    third: bool
    entrants: list[Entered] = field(init=False)
    matches: dict[int, Match] = field(default_factory=dict)
    fought: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.entrants = [Entered(f"g{number}", number) for number in range(1, self.count + 1)]
        drawn = draw_first_round([one.gang for one in self.entrants])
        for number, (home, away) in enumerate(drawn, start=1):
            self.add(Match(0, 1, number, home, away))

    @property
    def state(self) -> BracketState:
        return follow_bracket(self.entrants, list(self.matches.values()), third=self.third)

    def add(self, match: Match) -> None:
        key = 1 + max(self.matches, default=0)
        self.matches[key] = replace(match, key=key)

    def change(self, key: int, **values: object) -> None:
        self.matches[key] = replace(self.matches[key], **values)  # type: ignore[arg-type]

    def playable(self) -> list[Match]:
        """The fixtures between two gangs that wait for their game."""
        return [
            match
            for match in self.matches.values()
            if match.outcome == "open" and match.away is not None and not match.advances
        ]

    def make(self) -> bool:
        """Make the fixtures that can be made; returns whether there were any."""
        places = self.state.to_make
        for place in places:
            self.add(made(place))
        return bool(places)

    def play(self, match: Match, outcome: str) -> None:
        self.change(match.key, outcome=outcome)
        self.fought.add(match.key)

    def withdraw(self, gang: str) -> None:
        """Let a gang leave the stage: its opponents go on."""
        self.entrants = [
            replace(one, has_left=one.has_left or one.gang == gang) for one in self.entrants
        ]
        for match in self.playable():
            if gang in match.sides:
                other = match.away if match.home == gang else match.home
                self.change(match.key, outcome="off", advances=other)

    def take_over(self) -> bool:
        """Take over the right gangs wherever no game was fought; returns whether any changed."""
        found = take_over(
            self.entrants, list(self.matches.values()), third=self.third, fixed=self.fought
        )
        for one in found:
            assert one.key not in self.fought
            if one.gangs:
                self.matches[one.key] = seat(self.matches[one.key], one.gangs)
            else:
                del self.matches[one.key]
        return bool(found)

    def untie(self) -> bool:
        """Let the first fought game that no longer follows not count; whether there was one."""
        for place in self.state.outdated:
            if place.match is not None and place.match.key in self.fought and place.is_known:
                self.fought.discard(place.match.key)
                self.change(place.match.key, outcome="open", advances="")
                return True
        return False

    def call_off_blocked(self) -> bool:
        """Call off the first fixture whose right gangs have another one in its round, which counts
        all the same; whether there was one."""
        for place in self.state.outdated:
            busy = {
                gang
                for match in self.matches.values()
                if match.round == place.round and match != place.match and match.outcome != "off"
                for gang in match.sides
            }
            if place.match is not None and not busy.isdisjoint(place.gangs):
                self.change(place.match.key, outcome="off", advances="")
                return True
        return False

    def draw_again(self) -> None:
        """Take the fixtures without a game out of the newest round."""
        newest = max((match.round for match in self.matches.values()), default=0)
        for match in list(self.matches.values()):
            if match.round == newest and match.key not in self.fought:
                del self.matches[match.key]
        if not self.matches:
            self.__post_init__()

    def happen(self) -> None:
        """Let something happen that a club knows."""
        played = [match for match in self.matches.values() if match.key in self.fought]
        draw = self.chance.random()
        if draw < 0.1:
            self.withdraw(self.chance.choice(self.entrants).gang)
        elif draw < 0.15:
            chosen = self.chance.choice(self.entrants).gang
            self.entrants = [
                replace(one, has_left=one.has_left and one.gang != chosen) for one in self.entrants
            ]
        elif draw < 0.3 and played:
            match = self.chance.choice(played)
            self.change(match.key, outcome=self.chance.choice(["home", "away", "level", "void"]))
        elif draw < 0.35 and played:
            match = self.chance.choice(played)
            self.fought.discard(match.key)
            self.change(match.key, outcome="open")
        elif draw < 0.4:
            self.draw_again()
        elif draw < 0.5:
            self.take_over()
        elif draw < 0.6 and (off := self.playable()):
            self.change(self.chance.choice(off).key, outcome="off")
        elif draw < 0.8 and (open_matches := self.playable()):
            outcome = self.chance.choice(["home", "away", "home", "away", "level", "void"])
            self.play(self.chance.choice(open_matches), outcome)
        else:
            self.make()

    def finish(self) -> BracketState:
        """Press every button that waits until nothing is left to press."""
        for _step in range(MOST_STEPS):
            state = self.state
            if state.champion is not None and not state.outdated:
                return state
            if self.take_over() or self.untie():
                continue
            if state.undecided_keys:
                match = self.matches[state.undecided_keys[0]]
                self.change(match.key, advances=self.chance.choice(match.sides))
            elif open_matches := [
                match
                for match in self.playable()
                if (place := state.find(match.key)) and not place.is_outdated
            ]:
                self.play(open_matches[0], self.chance.choice(["home", "away", "level", "void"]))
            elif not self.make():
                assert self.call_off_blocked(), "the knock-out stands still"
        raise AssertionError("the knock-out never ends")


def made(place: Place) -> Match:
    """Return the fixture for a place that waits for one."""
    home, *others = place.gangs
    away = others[0] if others else None
    follows = place.round > 1
    return Match(0, place.round, place.number, home, away, follows=follows, losers=place.losers)


def played(*matches: Match) -> list[Match]:
    return [replace(match, key=key) for key, match in enumerate(matches, start=1)]


def entrants(count: int, *left: str) -> list[Entered]:
    return [
        Entered(f"g{number}", number, has_left=f"g{number}" in left)
        for number in range(1, count + 1)
    ]


@given(st.integers(2, 33), st.integers(0, 120), st.booleans(), st.integers(0, 2**32))
def test_knock_out_never_stands_still(count: int, events: int, third: bool, dice: int) -> None:
    """Withdrawals, absences, corrections, games taken back and re-draws always leave a champion, or
    nobody."""
    stage = KnockOut(count, Random(dice), third)
    for _event in range(events):
        stage.happen()
    state = stage.finish()
    gangs = {one.gang for one in stage.entrants}
    assert state.champion in gangs | {NOBODY}
    assert state.third is None or state.third in gangs | {NOBODY}
    if third and state.third:
        assert state.third != state.champion


@given(st.integers(2, 33), st.integers(1, 120), st.integers(0, 2**32))
def test_take_over_changes_no_fought_game_and_ends(count: int, events: int, dice: int) -> None:
    stage = KnockOut(count, Random(dice), third=True)
    for _event in range(events):
        stage.happen()
    before = {key: stage.matches[key] for key in stage.fought if key in stage.matches}
    stage.take_over()
    assert {key: stage.matches[key] for key in before} == before
    waiting = [place for place in stage.state.outdated if place.match is not None]
    assert not stage.take_over(), "a second press changes nothing"
    for place in waiting:
        assert place.match is not None
        others = [
            gang
            for match in stage.matches.values()
            if match.round == place.round and match.key != place.match.key
            for gang in match.sides
        ]
        is_busy = not set(place.gangs).isdisjoint(others)
        assert place.match.key in stage.fought or not place.is_known or is_busy


@given(st.integers(2, 33), st.integers(0, 2**32))
def test_winner_of_every_game_goes_on_when_nothing_happens(count: int, dice: int) -> None:
    stage = KnockOut(count, Random(dice), third=False)
    while stage.state.champion is None:
        stage.make()
        for match in stage.playable():
            better = int(match.home[1:]) < int((match.away or "")[1:])
            stage.play(match, "home" if better else "away")
    assert stage.state.champion == "g1" and not stage.state.outdated


class TestEmptyPlaces:
    def test_opponent_of_two_gangs_that_both_left_is_the_champion(self) -> None:
        matches = played(
            Match(0, 1, 1, "g1", "g4", "home"),
            Match(0, 1, 2, "g2", "g3", "off", advances="g2"),
        )
        assert follow_bracket(entrants(4, "g2", "g3"), matches, third=False).champion == "g1"

    def test_game_to_which_nobody_came_gives_a_bye(self) -> None:
        first = [("g1", "g8", "home"), ("g4", "g5", "void"), ("g2", "g7", "home")]
        matches = played(
            *(
                Match(0, 1, number, home, away, outcome)  # type: ignore[arg-type]
                for number, (home, away, outcome) in enumerate(first, start=1)
            ),
            Match(0, 1, 4, "g3", "g6"),
        )
        (bye,) = follow_bracket(entrants(8), matches, third=False).to_make
        assert (bye.round, bye.number, bye.gangs) == (2, 1, ["g1"])

    def test_nobody_is_left_when_every_gang_has_left(self) -> None:
        matches = played(Match(0, 1, 1, "g1", "g2", "void"))
        assert follow_bracket(entrants(2), matches, third=False).champion == NOBODY

    @pytest.mark.parametrize("third", [True, False])
    def test_loser_of_the_only_semi_final_is_third(self, third: bool) -> None:
        matches = played(Match(0, 1, 1, "g1"), Match(0, 1, 2, "g2", "g3", "home"))
        state = follow_bracket(entrants(3), matches, third=third)
        assert state.third == ("g3" if third else NOBODY)
        assert [place.gangs for place in state.to_make] == [["g1", "g2"]]

    def test_draw_goes_to_the_gang_that_has_not_left(self) -> None:
        matches = played(Match(0, 1, 1, "g1", "g2", "level"))
        assert follow_bracket(entrants(2), matches, third=False).champion is None
        assert follow_bracket(entrants(2, "g1"), matches, third=False).champion == "g2"


class TestCorrections:
    def corrected(self, *, final: str = "open") -> list[Match]:
        """Return a knock-out of four gangs, whose first semi-final was won by g4 after all."""
        return played(
            Match(0, 1, 1, "g1", "g4", "away"),
            Match(0, 1, 2, "g2", "g3", "home"),
            Match(0, 2, 1, "g1", "g2", final, follows=True),  # type: ignore[arg-type]
            Match(0, 2, 2, "g4", "g3", follows=True, losers=True),
        )

    def test_final_and_third_place_swap_their_gangs_together(self) -> None:
        matches = self.corrected()
        assert len(follow_bracket(entrants(4), matches, third=True).outdated) == 2
        found = take_over(entrants(4), matches, third=True)
        assert [(one.key, one.gangs) for one in found] == [(3, ["g4", "g2"]), (4, ["g1", "g3"])]

    def test_winner_of_an_outdated_final_is_no_champion(self) -> None:
        state = follow_bracket(entrants(4), self.corrected(final="home"), third=True)
        assert state.champion is None
        found = take_over(entrants(4), self.corrected(final="home"), third=True, fixed=[3])
        # One of the right gangs for the third place has fought the final.
        assert found == []

    def test_fixture_waits_for_a_result_that_was_taken_back(self) -> None:
        matches = self.corrected()
        matches[0] = replace(matches[0], outcome="open")
        state = follow_bracket(entrants(4), matches, third=True)
        assert len(state.outdated) == 2
        assert take_over(entrants(4), matches, third=True) == []

    def test_bye_becomes_a_game_when_its_opponent_goes_on_after_all(self) -> None:
        matches = played(
            *(Match(0, 1, n, f"g{n}", f"g{9 - n}", "home") for n in range(1, 5)),
            Match(0, 2, 1, "g1", follows=True),
        )
        (found,) = take_over(entrants(8), matches, third=False)
        assert (found.key, found.gangs) == (5, ["g1", "g2"])

    def test_fixture_that_an_organiser_added_never_is_outdated(self) -> None:
        matches = [replace(match, follows=False) for match in self.corrected()]
        assert not follow_bracket(entrants(4), matches, third=True).outdated

    def test_draw_of_a_fixture_that_counts_all_the_same_waits_for_a_decision(self) -> None:
        """An organiser lets a final of other gangs count; it was drawn."""
        matches = self.corrected(final="level")
        matches[0] = replace(matches[0], outcome="void")
        matches[2] = replace(matches[2], follows=False)
        assert follow_bracket(entrants(4), matches, third=True).undecided_keys == [3]
        matches[2] = replace(matches[2], advances="g2")
        assert follow_bracket(entrants(4), matches, third=True).champion == "g2"

    def test_gang_of_a_fixture_that_was_called_off_does_not_go_on_if_it_does_not_follow(
        self,
    ) -> None:
        matches = self.corrected()
        matches[2] = replace(matches[2], outcome="off", advances="g1")
        assert follow_bracket(entrants(4, "g2"), matches, third=True).champion is None
        found = take_over(entrants(4, "g2"), matches, third=True)
        assert (3, ["g4"]) in [(one.key, one.gangs) for one in found]


class TestOpenings:
    @given(st.integers(2, 33), st.data())
    def test_round_that_is_drawn_again_has_all_its_gangs(
        self, count: int, data: st.DataObject
    ) -> None:
        """Fixtures with a game stay where they are, and the bracket keeps its size."""
        stage = KnockOut(count, Random(0), third=False)
        rounds = stage.state.rounds
        games = [match for match in stage.matches.values() if match.away is not None]
        kept = data.draw(st.sets(st.sampled_from(games), min_size=1))
        stage.matches = {match.key: match for match in kept}
        assert stage.state.champion is None
        stage.make()
        assert stage.state.rounds == rounds and not stage.state.openings
        gangs = [gang for match in stage.matches.values() for gang in match.sides]
        assert sorted(gangs) == sorted(one.gang for one in stage.entrants)

    def test_gang_that_comes_late_changes_no_full_bracket(self) -> None:
        matches = played(Match(0, 1, 1, "g1", "g4"), Match(0, 1, 2, "g2", "g3"))
        assert not follow_bracket(entrants(5), matches, third=False).openings
