"""Multiplies sums of money in a campaign, for a game whose prices are higher or lower."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from rules.book.fates import Earns, Pays
from rules.book.holdings import Haul, HaulRow, Holding, Upkeep, Yield
from rules.book.schema import Trait
from rules.book.season import Promotion, ResultType, Tally, UnderdogMoney, Unfought
from rules.book.vocabulary import Frozen

HIGHEST = 100_000
AMOUNT = re.compile(r"^(?P<dice>\d+d\d+)(?:x(?P<times>\d+))?(?P<plus>[+-]\d+)?$")
# The fields that contain sums, unless the row names another currency.
SUMS: dict[type[Frozen], tuple[str, ...]] = {
    ResultType: ("winner", "loser", "each"),
    Unfought: ("winner", "loser", "each"),
    Tally: ("money",),
    Yield: ("amount",),
    HaulRow: ("amounts",),
    Upkeep: ("amount",),
    UnderdogMoney: ("most",),
    Promotion: ("price",),
    Holding: ("price",),
    Trait: ("price",),
    Earns: ("amount",),
    Pays: ("amount",),
}
# Rows that are about money only, unless they name another currency.
ONLY_MONEY = (Yield, Haul, Upkeep, UnderdogMoney, Earns, Pays)


def leave_out_sums(model: type[Frozen], row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without its sums, for a game without money."""
    sums = SUMS.get(model, ()) if row.get("currency") is None else ()
    return {name: value for name, value in row.items() if name not in sums}


def multiply(model: type[Frozen], row: dict[str, Any], times: Fraction) -> dict[str, Any]:
    """Return a row with its sums multiplied and rounded. A sum above 0 stays above 0."""
    if times == 1 or row.get("currency") is not None:
        return row
    fields = [name for name in SUMS.get(model, ()) if name in row]
    return {**row, **{name: _multiplied(row[name], times) for name in fields}}


def _multiplied(value: Any, times: Fraction) -> Any:
    if isinstance(value, list):
        return [_multiplied(one, times) for one in value]
    if isinstance(value, int):
        return _number(value, times, HIGHEST)
    match = AMOUNT.match(value) if isinstance(value, str) else None
    if match is None:
        is_number = isinstance(value, str) and value.isdecimal()
        # An amount has four digits at most.
        return str(_number(int(value), times, 9999)) if is_number else value
    factor = _number(int(match["times"] or 1), times, 999)
    plus = int(match["plus"] or 0)
    more = _number(abs(plus), times, 999)
    sign = f"{'-' if plus < 0 else '+'}{more}" if more else ""
    return match["dice"] + (f"x{factor}" if factor > 1 else "") + sign


def _number(value: int, times: Fraction, highest: int) -> int:
    return min(max(round(value * times), 1), highest) if value > 0 else value
