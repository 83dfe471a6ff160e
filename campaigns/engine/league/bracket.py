"""Knock-outs: the first round by seeds, and the fixtures that follow from it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from campaigns.engine.league.facts import Match


def bracket_size(gangs: int) -> int:
    """The number of places in the bracket: the next power of two."""
    size = 2
    while size < gangs:
        size *= 2
    return size


def count_rounds(gangs: int) -> int:
    """The number of rounds until one gang is left."""
    return bracket_size(gangs).bit_length() - 1


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
class Slot:
    """A fixture of a later round: its place in the round, from 1, the fixtures whose winners (or
    ``losers``) play it, and those gangs as far as they are known."""

    round: int
    number: int
    sources: tuple[Match, Match]
    home: str | None
    away: str | None
    losers: bool = False

    @property
    def is_ready(self) -> bool:
        """Whether both gangs are known."""
        return self.home is not None and self.away is not None


def next_slots(matches: Collection[Match], *, third: bool) -> Iterator[Slot]:
    """The fixtures that can follow the present ones, also those for which a gang is still missing,
    and without those that exist."""
    rounds = {match.round for match in matches}
    first = [match for match in matches if match.round == 1]
    existing = {(match.round, match.number) for match in matches}
    for number in sorted(rounds):
        here = {match.number: match for match in matches if match.round == number}
        size = len(first) >> (number - 1)
        for place in range(1, size // 2 + 1):
            one, other = here.get(2 * place - 1), here.get(2 * place)
            if one is None or other is None:
                continue
            if (number + 1, place) not in existing:
                yield Slot(number + 1, place, (one, other), one.winner, other.winner)
            is_semi_final = size == 2
            if third and is_semi_final and (number + 1, 2) not in existing:
                yield Slot(number + 1, 2, (one, other), one.loser, other.loser, losers=True)


def champion(matches: Collection[Match]) -> str | None:
    """The winner of the final; None until there is one."""
    first = [match for match in matches if match.round == 1]
    last = max(1, len(first).bit_length())
    final = [match for match in matches if match.round == last and match.number == 1]
    return final[0].winner if final else None
