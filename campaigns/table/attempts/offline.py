"""All attempts of a figure with their possible results, for a phone without a network."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product, takewhile
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from campaigns.table.attempts.actions import (
    Options,
    RollOption,
    attacks_first,
    begin_attempt,
    find_asking,
    find_options,
    find_targets,
)
from campaigns.table.attempts.attempt import Attempt, asking_much, side_of
from campaigns.table.attempts.effects import bring_outcome, sort_taps
from campaigns.table.attempts.entering import names_of_ends
from campaigns.table.attempts.forms import (
    ACTION,
    ALARM,
    AT,
    BY,
    ITEM,
    AttemptForm,
    NobodyHere,
    read_form,
)
from campaigns.table.attempts.roll import settle_roll
from campaigns.table.attempts.text import is_news
from campaigns.table.board import Board
from campaigns.table.state import are_friends
from campaigns.table.taps import TAPS_LIST, Rolled
from campaigns.table.text import describe
from gangs.text.formats import localize
from rules.book.rolls import Roll
from rules.engine.expressions import Value
from rules.engine.odds import HOPELESS, endings
from rules.odds.chances import Patience, Question
from rules.percent import percent

# The time limit in seconds; attempts beyond it are left out.
LONGEST = 1.0
# A phone gets no attempt with more different results than this.
MOST_ENDINGS = 60


def list_attempts(board: Board, figure: str) -> list[dict[str, Any]]:
    """List every roll that a figure may make now at every target, as JSON: its names, and each
    result with its chance, from 0 to 1, and its taps; ``asks``: what speaks against it.

    The situation is the one in which the attempt's form would open. Attempts whose odds cannot be
    computed, or not in time, are left out. Raises KeyError for no figure of this table.
    """
    patience = Patience(LONGEST)
    with asking_much():
        return [*takewhile(lambda _row: not patience.over(), _rows(board, figure))]


def _rows(board: Board, figure: str) -> Iterator[dict[str, Any]]:
    """Yield the attempts of each action, attacks first, and then those of no action. The action is
    named where another one has the same roll."""
    found = find_options(board.start, board.now, figure)
    often = Counter(one.roll.key for deed in found.deeds for one in deed.throws)
    for deed in attacks_first(found.deeds):
        asks = {"asks": localize(deed.caution.text)} if deed.caution else {}
        for one in deed.throws:
            for row in _with_all(board, figure, found, deed.action.key, one):
                if often[one.roll.key] > 1:
                    row["roll"] = f"{localize(deed.action.name)} \u00b7 {row['roll']}"
                yield row | asks
    for one in found.others:
        yield from _with_all(board, figure, found, "", one)


def _with_all(
    board: Board, by: str, found: Options, action: str, throw: RollOption
) -> Iterator[dict[str, Any]]:
    """Yield a roll with each weapon at each target, and for each due alarm that asks for it."""
    due = find_asking(board.start, board.now, Attempt(by, throw.roll.key))
    alarms = [*dict.fromkeys(one.alarm for one in due)] or [""]
    items = [use.key for use in throw.uses] or [""]
    for alarm, item in product(alarms, items):
        for at in _targets(board, by, throw.roll):
            says = {BY: by, ITEM: item, AT: at, ACTION: action, ALARM: alarm}
            query = QueryDict(urlencode({key: value for key, value in says.items() if value}))
            try:
                form = read_form(query, board.start, board.now, board.names, throw.roll.key, found)
                row = _row(board, form) if form.usable else None
            except (NobodyHere, *HOPELESS):
                continue
            if row is None:
                continue
            if len(alarms) > 1:
                row["roll"] = localize(board.book.alarm[alarm].name)
            yield row


def _targets(board: Board, by: str, roll: Roll) -> list[str]:
    if roll.at != "member":
        return [""]
    others, own = find_targets(board.start, board.now, roll, by), side_of(by)
    return [key for key in others if are_friends(board.book, side_of(key), own) == roll.helps]


def _row(board: Board, form: AttemptForm) -> dict[str, Any] | None:
    attempt, use = form.attempt, form.asked.use
    ends = _endings(board, form)
    if len(ends) > MOST_ENDINGS:
        return None
    return {
        "roll": localize(form.roll.name),
        "item": localize(use.name) if use else "",
        "at": "" if attempt.at is None else board.names.who(attempt.at),
        "ends": ends,
    }


def _endings(board: Board, form: AttemptForm) -> list[dict[str, Any]]:
    """Return the results of an attempt, the likeliest first, joining results with equal taps."""
    asked, start, now = form.asked, board.start, board.now
    names = names_of_ends(form.roll, asked.names)
    found, total = endings(asked.ready, asked.names, names)
    declared = {outcome.key: outcome.declared for outcome in asked.ready.outcomes}
    begun = begin_attempt(start, now, form.attempt)
    ways: Counter[str] = Counter()
    words: dict[str, tuple[str, str]] = {}
    for (key, values), number in found.items():
        known = {name: value for name, value in zip(names, values, strict=True) if value != ""}
        row = declared.get(key)
        rolled = settle_roll(form.attempt, key or None, _numbers(asked, key, known))
        brought = bring_outcome(start, now, form.attempt, row, known)
        text = TAPS_LIST.dump_json(
            tuple(sort_taps([*begun, rolled, *brought])), exclude_none=True
        ).decode()
        ways[text] += number
        news = [describe(tap, board.names) for tap in brought if is_news(tap, now)]
        words[text] = " \u00b7 ".join(_words(board, form.roll, rolled)), ", ".join(news)
    return [
        {
            "words": words[text][0],
            "brings": words[text][1],
            "chance": number / total,
            "percent": percent(Fraction(number, total)),
            "taps": json.loads(text),
        }
        for text, number in ways.most_common()
    ]


def _numbers(asked: Question, outcome: str, known: Mapping[str, Value]) -> dict[str, int]:
    values = {row.of: int(known.get(row.of, 0)) for row in asked.roll.numbers}
    found = {
        key: asked.ready.limit_loss(outcome, key, value, asked.names)
        for key, value in values.items()
    }
    return {key: max(-999, min(value, 999)) for key, value in found.items()}


def _words(board: Board, roll: Roll, rolled: Rolled) -> Iterator[str]:
    if rolled.outcome is not None:
        yield board.names.outcome(roll.key, rolled.outcome)
    named = {row.of: row for row in roll.numbers}
    for key, value in rolled.numbers.items():
        if value:
            yield _("%(name)s: %(value)s") % {"name": localize(named[key].name), "value": value}
