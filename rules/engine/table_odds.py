"""Chances of dice tables, including rows thrown again and tables that lead to other tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb

from rules.book.fates import DiceTable, Outcome, TableRow
from rules.book.model import Book
from rules.bounds.work import spend
from rules.engine.dice import amount_chances, gather_rows, matching_rows, parse, row_chance

# The conditions of a member that have a limit, each with its count.
State = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Reach:
    """The least and the greatest chance of something, where players make choices."""

    least: Fraction
    most: Fraction

    @property
    def certain(self) -> bool:
        """Whether no choice changes it."""
        return self.least == self.most


def rolls_again(row: TableRow, rerolling: Iterable[str] = ()) -> bool:
    """Whether a row is thrown again: it says so, or it has one of the tags in ``rerolling``."""
    again = any(outcome.kind == "again" for outcome in row.outcomes)
    return again or not row.tags.isdisjoint(rerolling)


def final_chances(table: DiceTable, rerolling: Iterable[str] = ()) -> dict[TableRow, Fraction]:
    """Return the chance of each row that counts, re-rolls included.

    Raises ZeroDivisionError if no row counts, which never happens in a checked book.
    """
    tags = tuple(rerolling)
    counting = {row: row_chance(table, row) for row in table.rows if not rolls_again(row, tags)}
    spend(20 * len(table.rows))
    total = sum(counting.values(), Fraction(0))
    return {row: chance / total for row, chance in counting.items()}


def final_chance(table: DiceTable, row: TableRow, rerolling: tuple[str, ...] = ()) -> Fraction:
    """Return the chance of ``row``, or of a row like it, re-rolls included.

    For a row that is thrown again: the chance that one throw shows it.
    """
    return next(chance for rows, chance in alike(table, rerolling) if row in rows)


def alike(
    table: DiceTable, rerolling: Iterable[str] = ()
) -> Iterator[tuple[tuple[TableRow, ...], Fraction]]:
    """Yield the rows of a table, grouped if they differ only in their numbers, with the
    ``final_chance`` of each group."""
    tags = tuple(rerolling)
    shares = {id(row): row_chance(table, row) for row in table.rows}
    counting = (shares[id(row)] for row in table.rows if not rolls_again(row, tags))
    total = sum(counting, Fraction(0))
    for rows in gather_rows(table):
        share = sum((shares[id(row)] for row in rows), Fraction(0))
        yield rows, share if rolls_again(rows[0], tags) else share / total


def nothing_happens(book: Book, table: DiceTable, rerolling: Iterable[str] = ()) -> Fraction:
    """Return the chance that a roll has no effect, with its re-rolls and rolls on other tables."""
    return _nothing_of(book, table, tuple(rerolling), {})


# Chances for tables, by their keys and the tags that are thrown again.
Found = dict[tuple[str, tuple[str, ...]], Fraction]


def _nothing_of(book: Book, table: DiceTable, rerolling: tuple[str, ...], known: Found) -> Fraction:
    key = (table.key, rerolling)
    if key not in known:
        rows = final_chances(table, rerolling).items()
        shares = (chance * _nothing(book, row, known) for row, chance in rows)
        known[key] = sum(shares, Fraction(0))
    return known[key]


def _nothing(book: Book, row: TableRow, known: Found) -> Fraction:
    """Return the chance that a row has no effect. An effect may be in its text only."""
    if row.text is not None and not row.outcomes or row.scenario is not None:
        return Fraction(0)
    left = Fraction(1)
    for outcome in row.outcomes:
        if outcome.kind != "rolls_on":
            return Fraction(0)
        once = _nothing_of(book, book.table[outcome.table], outcome.rerolling, known)
        numbers = amount_chances(outcome.times)
        # Numbers with thousands of digits take time.
        digits = once.denominator.bit_length() + left.denominator.bit_length()
        spend(sum(5 + (digits * number >> 5) for number in numbers))
        left *= sum((once**number * share for number, share in numbers.items()), Fraction(0))
    return left


def matching_chance(table: DiceTable, row: TableRow, count: int) -> Fraction:
    """Return the chance that ``count`` dice, rolled together on a table with matching dice, hit
    ``row`` with at least one face."""
    sides = parse(table.dice)[1]
    # The number of ways to have this many dice left for the faces to come, and no hit so far.
    ways = {count: 1}
    for face in range(1, sides + 1):
        spend(20 * len(ways) * count)
        missing: dict[int, int] = {}
        hits = [row in matching_rows(table, {face: shown}) for shown in range(count + 1)]
        for left, number in ways.items():
            for shown in range(left + 1):
                if not hits[shown]:
                    rest = left - shown
                    missing[rest] = missing.get(rest, 0) + number * comb(left, shown)
        ways = missing
    return 1 - Fraction(ways.get(0, 0), sides**count)


def find_reach(book: Book, outcomes: Iterable[Outcome], conditions: Sequence[str] = ()) -> Reach:
    """Return the chance that these ``outcomes`` remove a member for good, directly or later; not by
    falling to somebody.

    ``conditions``: the conditions that the member already has, with repetitions. The least chance
    is for the best choices, the greatest for the worst.
    """
    listed, state = tuple(outcomes), _state(book, conditions)
    best, worst = (_Ends(book, hoping).after(listed, state) for hoping in (True, False))
    return Reach(_gone_of(best), _gone_of(worst))


def find_reach_of_roll(
    book: Book, table: DiceTable, rerolling: Iterable[str] = (), conditions: Sequence[str] = ()
) -> Reach:
    """Return the chance that a roll on ``table`` removes a member for good, as ``find_reach``."""
    rows, start = final_chances(table, rerolling), {(False, _state(book, conditions)): Fraction(1)}
    best, worst = (_Ends(book, hoping).once_more(rows, start) for hoping in (True, False))
    return Reach(_gone_of(best), _gone_of(worst))


Ends = dict[tuple[bool, State], Fraction]


@dataclass(frozen=True)
class _Ends:
    """Works out where outcomes lead. ``hoping``: all choices are the best for the member."""

    book: Book
    hoping: bool
    # Results of rolls on tables; the conditions whose limit is being exceeded.
    rows: dict[object, dict[TableRow, Fraction]] = field(default_factory=dict)
    found: dict[object, Ends] = field(default_factory=dict)
    beyond: set[str] = field(default_factory=set)

    def after(self, outcomes: Iterable[Outcome], state: State) -> Ends:
        """Return the chances of each end after ``outcomes``: whether the member has left the gang,
        and the conditions.
        """
        ends: Ends = {(False, state): Fraction(1)}
        for outcome in outcomes:
            found: Ends = Counter()  # type: ignore[assignment]
            spend(5 * len(ends))
            for (is_gone, before), chance in ends.items():
                # A member who has left the gang suffers nothing more.
                following = {(True, before): Fraction(1)} if is_gone else self.one(outcome, before)
                for end, share in following.items():
                    found[end] = found.get(end, Fraction(0)) + chance * share
            ends = found
        return ends

    def one(self, outcome: Outcome, state: State) -> Ends:
        """Return the chances of each end after one outcome."""
        match outcome.kind:
            case "dies" | "leaves":
                return {(True, state): Fraction(1)}
            case "suffers":
                return self.suffers(outcome.condition, state)
            case "rolls_on":
                return self.rolled(outcome.table, outcome.times, outcome.rerolling, state)
            case "chooses":
                branches = [self.after(option.outcomes, state) for option in outcome.options]
                return (min if self.hoping else max)(branches, key=_gone_of)
        return {(False, state): Fraction(1)}

    def suffers(self, key: str, state: State) -> Ends:
        """Return the ends after one more condition, or after the outcomes that replace it beyond
        its limit."""
        condition = self.book.condition.get(key)
        if condition is None or condition.most is None:
            return {(False, state): Fraction(1)}
        counts = dict(state)
        if counts.get(key, 0) >= condition.most:
            if key in self.beyond:
                return {(False, state): Fraction(1)}
            self.beyond.add(key)
            ends = self.after(condition.beyond, state)
            self.beyond.discard(key)
            return ends
        counts[key] = counts.get(key, 0) + 1
        return {(False, tuple(sorted(counts.items()))): Fraction(1)}

    def rolled(self, key: str, times: str, rerolling: tuple[str, ...], state: State) -> Ends:
        """Return the ends after a number of rolls on another table."""
        wanted = (key, times, rerolling, state, *self.beyond)
        if wanted in self.found:
            return self.found[wanted]
        if (key, rerolling) not in self.rows:
            self.rows[key, rerolling] = final_chances(self.book.table[key], rerolling)
        rows = self.rows[key, rerolling]
        ends: Ends = {(False, state): Fraction(1)}
        found: Ends = {}
        numbers, left = amount_chances(times), Fraction(1)
        for number in range(max(numbers) + 1):
            share = numbers.get(number, Fraction(0))
            spend(5 * len(ends))
            for end, chance in ends.items():
                found[end] = found.get(end, Fraction(0)) + chance * share
            left -= share
            if not left:
                break
            ends = self.once_more(rows, ends)
        self.found[wanted] = found
        return found

    def once_more(self, rows: Mapping[TableRow, Fraction], ends: Ends) -> Ends:
        """Return the ends after another roll on a table, for members still in the gang."""
        found: Ends = {}
        for (is_gone, state), chance in ends.items():
            if is_gone:
                found[True, state] = found.get((True, state), Fraction(0)) + chance
                continue
            for row, share in rows.items():
                after = self.after(row.outcomes, state)
                digits = chance.denominator.bit_length()
                spend(len(after) * (3 + (digits >> 6)))
                for end, part in after.items():
                    found[end] = found.get(end, Fraction(0)) + chance * share * part
        return found


def _state(book: Book, conditions: Iterable[str]) -> State:
    """Conditions a member can have at most *n* times, each with its count."""
    counts = Counter(conditions)
    known = ((key, book.condition.get(key)) for key in sorted(counts))
    return tuple((key, counts[key]) for key, row in known if row and row.most is not None)


def _gone_of(ends: Ends) -> Fraction:
    return sum((chance for (is_gone, _), chance in ends.items() if is_gone), Fraction(0))
