"""Figures for which a roll of the odds page is possible, and the things that it depends on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice, product

from accounts.language import rules_language
from rules.book.model import Book, Rules
from rules.book.rolls import Roll
from rules.book.vocabulary import Row
from rules.engine.expressions import parse
from rules.engine.figure import Figure
from rules.engine.situations import ROWS_ASKED, Side, spell
from rules.odds.chances import Question, can_use
from rules.odds.fighters import figure_of_sample, starts

# The most pairs of figures to try.
MOST_TRIED = 1500
# The list of a question's keys in the form.
LISTS = {"has_trait": "trait", "has_condition": "condition", "in_state": "state"}
SINGLE = {"has_profession": "profession", "has_origin": "origin"}


@dataclass(frozen=True)
class Suggestion:
    """A figure, and the fields of the form that ask for it."""

    side: Side
    fields: Mapping[str, list[str]] = field(default_factory=dict)


def suggest(rules: Rules, roll: Roll) -> dict[str, list[str]]:
    """The fields of the form with which a roll is possible; empty if it is possible without any, or
    with none that were tried.

    These are figures of each rank with one trait, condition, state, profession or origin that the
    roll asks for, or with little life left, and the members of ready-made gangs.
    """
    if roll.usable is None:
        return {}
    usual = starts(rules, roll)
    start = {side: Suggestion(Side(usual[side].figure)) for side in ("by", "at")}
    reads = parse(roll.usable).names
    tried = [
        [start[side], *_candidates(rules, reads, side)] if _reads(reads, side) else [start[side]]
        for side in ("by", "at")
    ]
    # Pairs near the beginning of both lists come first.
    for by, at in islice(product(*tried), MOST_TRIED):
        target = at.side if roll.at == "member" else None
        thrower = by.side if roll.by == "member" else None
        if _is_possible(Question(rules, roll, thrower, target)):
            found = {"by": by.fields, "at": at.fields}
            return {
                f"{side}-{name}": values
                for side, fields in found.items()
                for name, values in fields.items()
            }
    return {}


def _is_possible(question: Question) -> bool:
    if question.roll.using != "item" or question.by is None:
        return question.usable
    return can_use(question, [item.key for item in question.book.items])


def _reads(reads: frozenset[str], side: str) -> bool:
    return any(name.startswith(f"{side}.") for name in reads)


def _candidates(rules: Rules, reads: frozenset[str], side: str) -> Iterator[Suggestion]:
    """Yield figures that a roll with these names may be possible for, on one side of it."""
    ranks = [rank.key for rank in reversed(rules.ranks)]
    asked = [*_asked(rules.book, reads, side)]
    for rank in ranks:
        plain = Side(Figure(rank, rank))
        yield Suggestion(plain, {"rank": [rank]})
        for question, key in asked:
            if _is_for(rules.book, rank, question, key):
                yield _with(plain, rank, question, key)
        if f"{side}.life" in reads:
            yield Suggestion(replace(plain, life=1), {"rank": [rank], "life": ["1"]})
    for sample in rules.book.samples:
        for place in range(len(sample.members)):
            figure, _items = figure_of_sample(rules.book, sample, place)
            yield Suggestion(Side(figure), {"who": [f"sample.{sample.key}.{place}"]})


def _asked(book: Book, reads: frozenset[str], side: str) -> Iterator[tuple[str, str]]:
    """Yield the questions about a figure that have a field in the form, each with a key."""
    for name in sorted(reads):
        subject, _dot, rest = name.partition(".")
        question, _colon, key = rest.partition(":")
        known = question in LISTS or question in SINGLE
        if subject == side and known and key in getattr(book, ROWS_ASKED[question]):
            yield question, key


def _is_for(book: Book, rank: str, question: str, key: str) -> bool:
    """Whether members of a rank may have this trait or profession."""
    if question == "has_profession":
        if book.rank[rank].profession == "none":
            return False
        return not book.profession[key].ranks or rank in book.profession[key].ranks
    if question == "has_trait":
        return not book.trait[key].ranks or rank in book.trait[key].ranks
    return True


def _with(plain: Side, rank: str, question: str, key: str) -> Suggestion:
    """A figure of a rank with one more trait, condition, state, profession or origin."""
    fields = {"rank": [rank], LISTS.get(question) or SINGLE[question]: [key]}
    figure = plain.figure
    match question:
        case "has_trait":
            figure = replace(figure, traits=(key,))
        case "has_condition":
            figure = replace(figure, conditions=(key,))
        case "has_profession":
            figure = replace(figure, profession=key)
        case "has_origin":
            figure = replace(figure, origin=key)
        case _:
            return Suggestion(replace(plain, states=(key,)), fields)
    return Suggestion(replace(plain, figure=figure), fields)


def name_needs(rules: Rules, roll: Roll) -> list[str]:
    """The names, in the reader's language, of everything that decides whether a roll is possible:
    traits, ranks, items, states, characteristics."""
    if roll.usable is None:
        return []
    book = rules.book
    characteristics = {spell(row.key): row for row in book.characteristics}
    tags = {row.key: row for row in book.tags}
    named: list[Row] = []
    for name in sorted(parse(roll.usable).names):
        _subject, _dot, rest = name.partition(".")
        question, _colon, key = rest.partition(":")
        rows: Mapping[str, Row] = {}
        if question in ROWS_ASKED:
            rows = getattr(book, ROWS_ASKED[question])
        elif question in ("tagged", "carries_tagged"):
            rows = tags
        elif name in book.circumstance:
            rows, key = book.circumstance, name
        elif not key:
            rows, key = characteristics, rest.partition(".")[0]
            key = spell(book.life) if key == "life" and book.life else key
        if key in rows:
            named.append(rows[key])
    language = rules_language()
    return list(dict.fromkeys(row.name.translated(language) for row in named))
