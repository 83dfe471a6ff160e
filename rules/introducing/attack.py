"""The odds of an attack between two members of a ready-made gang, for people who do not know the
game."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from urllib.parse import urlencode

from accounts.language import rules_language
from rules.book.model import Book, Sample
from rules.bounds.limits import ROLL_WORK
from rules.bounds.work import Exhausted, limit_work
from rules.engine.duels import Arena, Attack
from rules.engine.figure import Figure
from rules.engine.odds import HOPELESS
from rules.engine.situations import Side
from rules.odds.chances import Question
from rules.odds.fighters import figure_of_sample
from rules.odds.player_items import with_items
from rules.odds.results import Bar, list_bars, list_leads

# Units of work for all attacks that are compared.
ATTACK_WORK = 2 * ROLL_WORK


@dataclass(frozen=True)
class SampleAttack:
    """An attack in words, in the reader's language: the names of the two members, of the roll and
    of the weapon ("" for none); ``places``: of the two members in their gang; ``leads``: its main
    results, each with its chance; ``bars``: its outcomes; ``query``: the fields with which the odds
    page shows the same attack."""

    attacker: str
    target: str
    places: tuple[int, int]
    roll: str
    weapon: str
    leads: tuple[tuple[str, str], ...]
    bars: tuple[Bar, ...]
    query: str


@dataclass(frozen=True)
class _Pair:
    """The places of two members in their gang, with the attack of the first on the second."""

    by: int
    at: int
    question: Question


def describe_attack(book: Book, sample: Sample) -> SampleAttack | None:
    """Describe an attack between a member of the highest and one of the lowest rank: the plainest
    of either, whichever is less certain. None if there is none, or it takes too much work."""
    with suppress(Exhausted, *HOPELESS), limit_work(ATTACK_WORK, Exhausted):
        pairs = list(_find_attacks(book, sample))
        if not pairs:
            return None
        pair = min(pairs, key=lambda one: max(one.question.odds.outcomes.values(), default=0))
        question = pair.question
        use, language = question.use, rules_language()
        return SampleAttack(
            attacker=sample.members[pair.by].name,
            target=sample.members[pair.at].name,
            places=(pair.by, pair.at),
            roll=question.roll.name.translated(language),
            weapon=use.name.translated(language) if use else "",
            leads=list_leads(question),
            bars=list_bars(question, only_possible=True),
            query=_write_query(book, sample, pair),
        )
    return None


def _find_attacks(book: Book, sample: Sample) -> Iterator[_Pair]:
    """Yield the first attack of the rulebook that the member of the highest rank can make on the
    one of the lowest, and the other way round."""
    rules = book.under({**book.default_settings(), **sample.settings})
    order = [row.key for row in book.ranks]
    places = sorted(
        range(len(sample.members)),
        key=lambda place: (order.index(sample.members[place].rank), place),
    )
    pairs = dict.fromkeys([(places[0], places[-1]), (places[-1], places[0])] if places else [])
    for by, at in pairs:
        (figure, items), (target, others) = (
            figure_of_sample(book, sample, place) for place in (by, at)
        )
        assembled = {item.key: item for item in (*items, *others)}
        known = with_items(book, assembled.values()).under(rules.settings) if assembled else rules
        arena = Arena(known, Random(0))
        attack = next(arena.attacks(arena.enter(figure), arena.enter(target)), None)
        if attack is not None:
            yield _Pair(by, at, _ask(arena, attack, figure, target))


def _ask(arena: Arena, attack: Attack, figure: Figure, target: Figure) -> Question:
    roll = arena.rules.book.roll[attack.roll]
    return Question(arena.rules, roll, Side(figure, attack.item, attack.mode), Side(target))


def _write_query(book: Book, sample: Sample, pair: _Pair) -> str:
    """The fields of the odds page for an attack: only the roll, for a gang that the page does not
    have."""
    asked = {"roll-key": pair.question.roll.key}
    if sample in book.samples:
        asked |= {
            "by-who": f"sample.{sample.key}.{pair.by}",
            "at-who": f"sample.{sample.key}.{pair.at}",
        }
        if pair.question.use:
            asked["by-item"] = pair.question.use.key
    return urlencode(asked)
