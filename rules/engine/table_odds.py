"""Chances of dice tables with all that follows: rows thrown again, tables that lead to others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from rules.book.fates import DiceTable, Outcome, TableRow
from rules.book.model import Book
from rules.bounds.work import spend
from rules.engine.dice import chances, gather_rows, row_chance

# Conditions that a member has come to, as far as having one once more means something.
State = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Reach:
    """How likely something is at least and at most, where players choose what befalls them."""

    least: Fraction
    most: Fraction

    @property
    def certain(self) -> bool:
        """Whether nobody's choice changes it."""
        return self.least == self.most


def rolls_again(row: TableRow, rerolling: Iterable[str] = ()) -> bool:
    """Whether a row does not count: it says so, or it has a tag of those that are ``rerolling``."""
    again = any(outcome.kind == "again" for outcome in row.outcomes)
    return again or not row.tags.isdisjoint(rerolling)


def final_chances(table: DiceTable, rerolling: Iterable[str] = ()) -> dict[TableRow, Fraction]:
    """How likely each row is to be the one that counts; rows that are thrown again are left out.

    Raises ZeroDivisionError for a table with no row that counts, which a checked book never has.
    """
    tags = tuple(rerolling)
    counting = {row: row_chance(table, row) for row in table.rows if not rolls_again(row, tags)}
    spend(20 * len(table.rows))
    total = sum(counting.values(), Fraction(0))
    return {row: chance / total for row, chance in counting.items()}


def final_chance(table: DiceTable, row: TableRow, rerolling: tuple[str, ...] = ()) -> Fraction:
    """How likely what ``row`` says is to come of a roll, re-rolls included, by whichever number.

    Of a row that is thrown again: how likely one throw is to show it.
    """
    return next(chance for rows, chance in alike(table, rerolling) if row in rows)


def alike(
    table: DiceTable, rerolling: Iterable[str] = ()
) -> Iterator[tuple[tuple[TableRow, ...], Fraction]]:
    """The rows of a table, those together that differ in nothing but their numbers, each with the
    ``final_chance`` of what they say."""
    tags = tuple(rerolling)
    shares = {id(row): row_chance(table, row) for row in table.rows}
    counting = (shares[id(row)] for row in table.rows if not rolls_again(row, tags))
    total = sum(counting, Fraction(0))
    for rows in gather_rows(table):
        share = sum((shares[id(row)] for row in rows), Fraction(0))
        yield rows, share if rolls_again(rows[0], tags) else share / total


def nothing_happens(book: Book, table: DiceTable, rerolling: Iterable[str] = ()) -> Fraction:
    """How likely a roll is to bring nothing at all, re-rolls and rolls on other tables included."""
    return _nothing_of(book, table, tuple(rerolling), {})


# Results for tables, by their keys and the tags that are rolled again.
Found = dict[tuple[str, tuple[str, ...]], Fraction]


def _nothing_of(book: Book, table: DiceTable, rerolling: tuple[str, ...], known: Found) -> Fraction:
    key = (table.key, rerolling)
    if key not in known:
        rows = final_chances(table, rerolling).items()
        shares = (chance * _nothing(book, row, known) for row, chance in rows)
        known[key] = sum(shares, Fraction(0))
    return known[key]


def _nothing(book: Book, row: TableRow, known: Found) -> Fraction:
    """How likely a row brings nothing. What only its text says may be something."""
    if row.text is not None and not row.outcomes or row.scenario is not None:
        return Fraction(0)
    left = Fraction(1)
    for outcome in row.outcomes:
        if outcome.kind != "rolls_on":
            return Fraction(0)
        once = _nothing_of(book, book.table[outcome.table], outcome.rerolling, known)
        numbers = _numbers(outcome.times)
        # Whole numbers of thousands of digits take their time.
        digits = once.denominator.bit_length() + left.denominator.bit_length()
        spend(sum(5 + (digits * number >> 5) for number in numbers))
        left *= sum((once**number * share for number, share in numbers.items()), Fraction(0))
    return left


def _numbers(written: str) -> Mapping[int, Fraction]:
    """A number, or how likely dice show each."""
    return {int(written): Fraction(1)} if written.isdigit() else chances(written)


def find_reach(book: Book, outcomes: Iterable[Outcome], conditions: Sequence[str] = ()) -> Reach:
    """How likely a member whom these ``outcomes`` befall is to be gone for good, by whatever way.

    ``conditions``: those that they have already, each as often as they have it. Where they may
    choose, the best and the worst choice.
    """
    listed, state = tuple(outcomes), _state(book, conditions)
    return _reach(_Ends(book, hoping).after(listed, state) for hoping in (True, False))


def find_reach_of_roll(
    book: Book, table: DiceTable, rerolling: Iterable[str] = (), conditions: Sequence[str] = ()
) -> Reach:
    """How likely a member who rolls on ``table`` is to be gone for good, re-rolls included."""
    rows, start = final_chances(table, rerolling), {(False, _state(book, conditions)): Fraction(1)}
    return _reach(_Ends(book, hoping).once_more(rows, start) for hoping in (True, False))


Ends = dict[tuple[bool, State], Fraction]


@dataclass(frozen=True)
class _Ends:
    """What outcomes lead to. ``hoping``: whoever chooses chooses what is best for the member."""

    book: Book
    hoping: bool
    # Results of rolls on tables; the conditions that are being had once too often.
    rows: dict[object, dict[TableRow, Fraction]] = field(default_factory=dict)
    found: dict[object, Ends] = field(default_factory=dict)
    beyond: set[str] = field(default_factory=set)

    def after(self, outcomes: Iterable[Outcome], state: State) -> Ends:
        """Whether the member is gone after ``outcomes``, and what they have come to."""
        ends: Ends = {(False, state): Fraction(1)}
        for outcome in outcomes:
            found: Ends = Counter()  # type: ignore[assignment]
            spend(5 * len(ends))
            for (is_gone, before), chance in ends.items():
                # Whoever is gone suffers no more.
                following = {(True, before): Fraction(1)} if is_gone else self.one(outcome, before)
                for end, share in following.items():
                    found[end] = found.get(end, Fraction(0)) + chance * share
            ends = found
        return ends

    def one(self, outcome: Outcome, state: State) -> Ends:
        """What one outcome leads to."""
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
        """One condition more: what happens instead of once too often, if it was the last."""
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
        """So many rolls on another table, one after the other."""
        asked = (key, times, rerolling, state, *self.beyond)
        if asked not in self.found:
            self.found[asked] = self._rolled(key, times, rerolling, state)
        return self.found[asked]

    def _rolled(self, key: str, times: str, rerolling: tuple[str, ...], state: State) -> Ends:
        table = self.book.table[key]
        if (key, rerolling) not in self.rows:
            self.rows[key, rerolling] = final_chances(table, rerolling)
        rows = self.rows[key, rerolling]
        ends: Ends = {(False, state): Fraction(1)}
        found: Ends = {}
        numbers = _numbers(times)
        left = Fraction(1)
        for number in range(max(numbers) + 1):
            share = numbers.get(number, Fraction(0))
            spend(5 * len(ends))
            for end, chance in ends.items():
                found[end] = found.get(end, Fraction(0)) + chance * share
            left -= share
            if not left:
                break
            ends = self.once_more(rows, ends)
        return found

    def once_more(self, rows: Mapping[TableRow, Fraction], ends: Ends) -> Ends:
        """Another roll on a table for whoever is not gone."""
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
    """Those of the conditions that a member can have so often and no more."""
    counts = Counter(conditions)
    known = ((key, book.condition.get(key)) for key in sorted(counts))
    return tuple((key, counts[key]) for key, row in known if row and row.most is not None)


def _reach(ends: Iterable[Ends]) -> Reach:
    """The least and the most, of what is hoped for and what is feared."""
    return Reach(*map(_gone_of, ends))


def _gone_of(ends: Ends) -> Fraction:
    return sum((chance for (is_gone, _), chance in ends.items() if is_gone), Fraction(0))
