"""Knock-outs: the first round by seeds, and everything that follows from the results so far."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from campaigns.engine.league.facts import Entered, Match

# In place of a gang: the place stays empty. (None: it is not known yet.)
NOBODY: Final = ""
# A place in the bracket: its round and its number in the round, both from 1.
Key = tuple[int, int]


def bracket_size(gangs: int) -> int:
    """The number of places in the bracket: the next power of two."""
    size = 2
    while size < gangs:
        size *= 2
    return size


def draw_first_round(gangs: Sequence[str]) -> list[tuple[str, str | None]]:
    """The first round, from top to bottom: the best seeds meet the worst, and meet each other as
    late as possible. Where gangs are missing, the best seeds have a bye. ``gangs``: best first."""
    order = [1]
    while len(order) < bracket_size(len(gangs)):
        double = 2 * len(order) + 1
        order = [seed for own in order for seed in (own, double - own)]
    found = [gangs[seed - 1] if seed <= len(gangs) else None for seed in order]
    pairs = []
    for one, other in zip(found[::2], found[1::2], strict=True):
        home, away = (one, other) if one is not None else (other, None)
        if home is not None:
            pairs.append((home, away))
    return pairs


@dataclass(frozen=True)
class Place:
    """A place in the bracket, with the fixture that has it, if there is one.

    ``home``, ``away``: the gangs that belong here by the results so far: NOBODY where the place
    stays empty, None where that is not known yet. ``sources``: the fixtures from which they come:
    the winners, or the ``losers`` in the game for the third place. ``is_outdated``: the gangs of
    the fixture no longer follow from those results; ``is_undecided``: its game was drawn, and
    nobody has said who goes on.
    """

    round: int
    number: int
    home: str | None
    away: str | None
    sources: tuple[Match | None, Match | None] = (None, None)
    match: Match | None = None
    losers: bool = False
    is_outdated: bool = False
    is_undecided: bool = False

    @property
    def gangs(self) -> list[str]:
        """The gangs that are known to belong here, home first."""
        return [gang for gang in (self.home, self.away) if gang]

    @property
    def is_known(self) -> bool:
        """Whether it is known who belongs here, or that nobody does."""
        return self.home is not None and self.away is not None


@dataclass(frozen=True)
class BracketState:
    """The consequences of the results of a knock-out so far.

    ``rounds``: the number of rounds until one gang is left; ``places``: all places, the first round
    first, the game for the third place last; ``champion``, ``third``: a gang; NOBODY if nobody is
    left for that; None if it is still open. ``openings``: the fixtures that the first round lacks
    since a part of it was taken out to be drawn again.
    """

    rounds: int = 0
    places: Sequence[Place] = ()
    champion: str | None = None
    third: str | None = None
    openings: Sequence[Place] = ()

    @property
    def outdated(self) -> list[Place]:
        """The places whose fixtures no longer follow from the results before them."""
        return [place for place in self.places if place.is_outdated]

    @property
    def to_make(self) -> list[Place]:
        """The places for which a fixture can be made now: a game, or the bye of a gang whose
        opponent will never come. Missing fixtures of the first round come before all others. No
        gang needs a bye to be the champion or the third."""
        if self.openings:
            return list(self.openings)
        return [
            place
            for place in self.places
            if place.round > 1 and place.match is None and place.is_known and place.gangs
            if len(place.gangs) == 2 or not (place.losers or place.round == self.rounds)
            if all(
                source is not None or not gang
                for source, gang in zip(place.sources, (place.home, place.away), strict=True)
            )
        ]

    @property
    def undecided_keys(self) -> list[int]:
        """The keys of the draws that wait for an organiser to say who goes on."""
        return [place.match.key for place in self.places if place.match and place.is_undecided]

    def find(self, key: int) -> Place | None:
        """The place of a fixture; None if it is in no place of the bracket."""
        return next((one for one in self.places if one.match and one.match.key == key), None)


def count_rounds(entrants: Sequence[Entered], matches: Collection[Match]) -> int:
    """The number of rounds until one gang is left; before the first is made, that of the gangs."""
    if not any(match.round == 1 for match in matches):
        return bracket_size(sum(not one.has_left for one in entrants)).bit_length() - 1
    return _count_places(entrants, matches, _find_openings(entrants, matches)).bit_length()


def follow_bracket(
    entrants: Sequence[Entered], matches: Collection[Match], *, third: bool
) -> BracketState:
    """Return everything that follows from the results of a knock-out.

    A fixture that nobody won sends nobody on, unless an organiser decided that a gang goes on, and
    neither does a fixture that was called off; a draw waits for that decision. A gang that has left
    the stage plays no more. The opponent of an empty place goes on. Nothing follows from a fixture
    that is outdated itself.
    """
    by_key = {(match.round, match.number): match for match in matches}
    if not any(match.round == 1 for match in matches):
        return BracketState()
    playing = {one.gang for one in entrants if not one.has_left}
    openings = _find_openings(entrants, matches)
    size = _count_places(entrants, matches, openings)
    rounds = size.bit_length()
    found = _Follower(by_key, playing, bool(openings))
    for number in range(1, size + 1):
        found.start(number)
    for round_number in range(2, rounds + 1):
        for number in range(1, (size >> (round_number - 1)) + 1):
            found.place((round_number, number))
    champion, _loser = found.results[rounds, 1]
    third_gang: str | None = NOBODY
    if rounds > 1:
        has_game = third or (rounds, 2) in by_key
        third_gang = found.place((rounds, 2), losers=True) if has_game else NOBODY
    return BracketState(rounds, found.places, champion, third_gang, openings)


@dataclass
class _Follower:
    """The places found so far, and the winner and loser of each."""

    matches: Mapping[Key, Match]
    playing: Collection[str]
    has_openings: bool
    places: list[Place] = field(default_factory=list)
    results: dict[Key, tuple[str | None, str | None]] = field(default_factory=dict)

    def start(self, number: int) -> None:
        """Add a place of the first round."""
        match = self.matches.get((1, number))
        if match is None:
            nothing = None if self.has_openings else NOBODY
            self.places.append(Place(1, number, nothing, nothing))
            self.results[1, number] = nothing, nothing
            return
        home, away = self._there(match.home), self._there(match.away or NOBODY)
        result = _result(match, self.playing)
        undecided = _is_undecided(match, result)
        self.places.append(Place(1, number, home, away, match=match, is_undecided=undecided))
        self.results[1, number] = result

    def place(self, key: Key, *, losers: bool = False) -> str | None:
        """Add a place of a later round, and return its winner."""
        number_before, place = key[0] - 1, (1 if losers else key[1])
        sources = (number_before, 2 * place - 1), (number_before, 2 * place)
        came = [self.results[source][losers] for source in sources]
        home, away = self._there(came[0]), self._there(came[1])
        match = self.matches.get(key)
        outdated = match is not None and _is_outdated(match, came, home, away)
        result: tuple[str | None, str | None]
        if outdated:
            result = None, None
        elif match is not None:
            result = _result(match, self.playing)
        elif home and away or home is None or away is None:
            result = None, None
        else:
            result = home or away, NOBODY
        self.places.append(
            Place(
                *key,
                home,
                away,
                (self.matches.get(sources[0]), self.matches.get(sources[1])),
                match,
                losers,
                outdated,
                match is not None and not outdated and _is_undecided(match, result),
            )
        )
        if not losers:
            self.results[key] = result
        return result[0]

    def _there(self, gang: str | None) -> str | None:
        """The gang, or NOBODY if it has left the stage or was deleted."""
        return gang if gang is None or gang in self.playing else NOBODY


def _result(match: Match, playing: Collection[str]) -> tuple[str | None, str | None]:
    """The winner and the loser of a fixture, each NOBODY if there will be none."""
    winner = match.winner
    if winner is None and match.outcome == "level":
        there = [gang for gang in match.sides if gang in playing]
        if len(there) == 2:
            return None, None
        winner = there[0] if there else None
        return winner or NOBODY, NOBODY
    if winner is not None:
        return winner, match.loser or NOBODY
    return (None, None) if match.outcome == "open" else (NOBODY, NOBODY)


def _is_undecided(match: Match, result: tuple[str | None, str | None]) -> bool:
    """Whether a fixture with this result waits for an organiser to say who goes on."""
    return match.outcome == "level" and result[0] is None


def _is_outdated(
    match: Match, came: Sequence[str | None], home: str | None, away: str | None
) -> bool:
    """Whether the gangs of a fixture no longer follow. ``came``: the winners (or losers) before it;
    ``home``, ``away``: those of them that play on. A fixture that was called off matters only if it
    sends a gang on, and one that an organiser added never does follow."""
    if not match.follows or (match.outcome == "off" and not match.advances):
        return False
    if not {gang for gang in came if gang}.issuperset(match.sides):
        return True
    if match.away is not None:
        return False
    seats = zip(came, (home, away), strict=True)
    return any(there != NOBODY for gang, there in seats if gang != match.home)


def _find_openings(entrants: Sequence[Entered], matches: Collection[Match]) -> list[Place]:
    """The fixtures that are missing in the first round, with their gangs: those that play on and
    are in none of its fixtures. The best seeds meet the worst, or nobody where gangs are missing.

    As long as there is no other round, a part of the first can be taken out to be drawn again. A
    gang that came late to a full bracket finds no place: it can take that of a bye.
    """
    taken = {match.number for match in matches}
    if any(match.round > 1 for match in matches):
        return []
    busy = {gang for match in matches for gang in match.sides}
    seeded = sorted(entrants, key=lambda one: one.seed)
    free = [one.gang for one in seeded if not one.has_left and one.gang not in busy]
    is_full = len(taken) == _power(max(taken))
    if not free or (is_full and len(free) < len(taken)):
        return []
    size = max(_power(max(taken)), bracket_size(len(free) + len(busy)) // 2)
    numbers = [number for number in range(1, size + 1) if number not in taken][: len(free)]
    most = 2 * len(numbers)
    return [
        Place(1, number, home, free[most - 1 - seed] if most - 1 - seed < len(free) else NOBODY)
        for seed, (number, home) in enumerate(zip(numbers, free, strict=False))
    ]


def _count_places(
    entrants: Sequence[Entered], matches: Collection[Match], openings: Sequence[Place]
) -> int:
    """The number of places in the first round."""
    numbers = [match.number for match in matches if match.round == 1]
    for match in matches:
        if match.losers:
            # The third place is played in the last round.
            return 1 << (match.round - 1)
    return _power(max([*numbers, *(opening.number for opening in openings)]))


def _power(number: int) -> int:
    """The smallest power of two that is at least ``number``."""
    return 1 << (number - 1).bit_length()


@dataclass(frozen=True)
class TakenOver:
    """A fixture that gets the gangs that belong there: two, one for a bye, or none: then it is
    taken out."""

    key: int
    gangs: Sequence[str]


def take_over(
    entrants: Sequence[Entered],
    matches: Collection[Match],
    *,
    third: bool,
    fixed: Collection[int] = (),
) -> list[TakenOver]:
    """Return the fixtures that no longer follow and get other gangs, in the order of their rounds.

    ``fixed``: the fixtures that never change, by key: their games were fought or reported. Those
    whose gangs are not known yet wait for the results before them, and those whose gangs have
    another fixture in the round, which stays, wait for that. A bye that is taken over sends its
    gang on, so that later fixtures can follow from it.
    """
    kept = set(fixed)
    while True:
        now, changed = _take_over(entrants, matches, third, kept)
        clash = next((key for key in changed if _plays_twice(now, key, changed)), None)
        if clash is None:
            return list(changed.values())
        kept.add(clash)


def _take_over(
    entrants: Sequence[Entered], matches: Collection[Match], third: bool, kept: Collection[int]
) -> tuple[dict[int, Match], dict[int, TakenOver]]:
    """Change all fixtures but those that are kept; returns the fixtures and the changes, by key."""
    now = {match.key: match for match in matches}
    changed: dict[int, TakenOver] = {}
    while True:
        state = follow_bracket(entrants, list(now.values()), third=third)
        found = next(
            (
                (place, place.match)
                for place in state.outdated
                if place.match is not None and place.is_known
                if place.match.key not in kept and place.match.key not in changed
            ),
            None,
        )
        if found is None:
            return now, changed
        place, match = found
        changed[match.key] = TakenOver(match.key, place.gangs)
        if place.gangs:
            now[match.key] = seat(match, place.gangs)
        else:
            del now[match.key]


def _plays_twice(now: Mapping[int, Match], key: int, changed: Collection[int]) -> bool:
    """Whether a gang of a changed fixture is also in one of its round that stays as it is."""
    match = now.get(key)
    return match is not None and any(
        not set(match.sides).isdisjoint(other.sides)
        for other in now.values()
        if other.round == match.round and other.key not in changed and other.outcome != "off"
    )


def seat(match: Match, gangs: Sequence[str]) -> Match:
    """The fixture with these gangs, two or one for a bye, and without a result."""
    away = gangs[1] if len(gangs) > 1 else None
    return replace(match, home=gangs[0], away=away, outcome="open", advances="")
