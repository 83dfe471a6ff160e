"""Exact ends of chains of states, for loops without a fixed end."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from common.wording.sentences import gettext_noop as _
from rules.bounds.work import TooMuch, spend
from rules.engine.expressions import Value

State = tuple[Value, ...]


def solve_chain(
    start: State,
    ends: Mapping[State, Mapping[State, Fraction]],
    moves: Mapping[State, Mapping[State, Fraction]],
) -> dict[State, Fraction]:
    """Return the chances of the ends of a chain that begins in ``start``.

    ``ends`` and ``moves``: the chances of each state to end, and to move to another one. Eliminates
    the states one by one. Raises TooMuch for a chain that never ends.
    """
    ended = {state: dict(found) for state, found in ends.items()}
    moved = {state: dict(found) for state, found in moves.items()}
    for state in [state for state in ended if state != start] + [start]:
        spend(len(moved) + 4 * (len(ended[state]) + len(moved[state])))
        stays = moved[state].pop(state, Fraction(0))
        if stays == 1:
            raise TooMuch(_("the roll never ends"))
        for table in (ended[state], moved[state]):
            for key in table:
                table[key] /= 1 - stays
        for other in moved:
            share = moved[other].pop(state, Fraction(0)) if other != state else Fraction(0)
            if share:
                digits = share.denominator.bit_length()
                spend((len(ended[state]) + len(moved[state])) * (4 + (digits >> 6)))
                for key, chance in ended[state].items():
                    ended[other][key] = ended[other].get(key, Fraction(0)) + share * chance
                for key, chance in moved[state].items():
                    moved[other][key] = moved[other].get(key, Fraction(0)) + share * chance
    return ended[start]
