"""Guesses which characteristics, ranks and traits of a game stand for those of another."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path

from rules.skeletons.data import Data, budget_of, rows_of, tags_of, words_of

SYNONYMS = Path(__file__).with_name("synonyms.toml")
# Instead of a key of the game: the row, or the traits of the list, come along from the donor.
ALONG = "+"
# Instead of a list of the game: any of its traits.
ANY = "*"
# Factors beyond these are slips in a budget.
MOST_TIMES = 1_000
# The kinds of ranks that are no likely match for others.
LOWLY = {"beast", "follower"}


@dataclass(frozen=True)
class Matches:
    """Which rows of a game stand for those of the donor of a campaign.

    ``characteristics``: keys of the game by those of the donor, ALONG for those that the game gets
    from it; ``ranks``: keys of the donor by those of the game; ``lists``: tags of the game's traits
    by those of the donor's, ANY for all of them, ALONG for those that the game gets. Keys that
    are missing, or "", have no counterpart. ``times``: the factor for sums of money.
    """

    characteristics: Mapping[str, str] = field(default_factory=dict)
    ranks: Mapping[str, str] = field(default_factory=dict)
    lists: Mapping[str, str] = field(default_factory=dict)
    times: Fraction = Fraction(1)


@dataclass(frozen=True)
class Needs:
    """The rows of a donor that its campaign touches: keys of its characteristics and ranks, and
    tags of its traits. ``learned``: those of the tags that members choose a trait from."""

    characteristics: tuple[str, ...] = ()
    ranks: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    learned: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Words:
    """The words of a row, plain: its key, its names, and its abbreviations."""

    key: str
    names: frozenset[str]
    shorts: frozenset[str]

    @staticmethod
    def of(key: str, row: Data) -> _Words:
        names = frozenset(map(_plain, words_of(row, "name")))
        return _Words(_plain(key), names, frozenset(map(_plain, words_of(row, "short"))))


def _plain(words: str) -> str:
    """Return words in small letters, without accents, with blanks between them."""
    letters = unicodedata.normalize("NFKD", words[:80].casefold())
    return re.sub(r"[\W_]+", " ", "".join(one for one in letters if not unicodedata.combining(one)))


@cache
def _synonyms(table: str) -> dict[str, str]:
    """Return the group of each word."""
    groups = tomllib.loads(SYNONYMS.read_text("utf-8"))[table]
    return {_plain(word): group for group, words in groups.items() for word in words}


@cache
def _instead() -> dict[str, list[str]]:
    found: dict[str, list[str]] = tomllib.loads(SYNONYMS.read_text("utf-8"))["instead"]
    return found


def guess(game: Data, donor: Data, needs: Needs, *, bare: bool) -> Matches:
    """Return the likely matches. ``bare``: the game has hardly any characteristics yet, so that it
    gets those of the donor."""
    theirs, ours = rows_of(donor, "characteristics"), rows_of(game, "characteristics")
    ours = {key: row for key, row in ours.items() if row.get("kind") != "word"}
    found = _pair({key: theirs[key] for key in needs.characteristics if key in theirs}, ours)
    missing = ALONG if bare else ""
    return Matches(
        {key: found.get(key, missing) for key in needs.characteristics},
        _guess_ranks(game, donor, needs.ranks),
        {tag: _guess_list(game, donor, tag, tag in needs.learned) for tag in needs.lists},
        _guess_times(game, donor),
    )


def _pair(theirs: Mapping[str, Data], ours: Mapping[str, Data]) -> dict[str, str]:
    """Return our rows for theirs, each at most once: the surest pairs first."""
    group = _synonyms("characteristics")
    found: dict[str, str] = {}
    free = {key: _Words.of(key, row) for key, row in ours.items()}
    wanted = {key: _Words.of(key, row) for key, row in theirs.items()}
    tests: tuple[Callable[[_Words, _Words], bool], ...] = (
        lambda one, other: one.key == other.key,
        lambda one, other: not one.names.isdisjoint(other.names),
        lambda one, other: _share(group, {one.key, *one.names}, {other.key, *other.names}),
        lambda one, other: not one.shorts.isdisjoint(other.shorts),
        lambda one, other: _share(group, {one.key, *one.names}, other.shorts),
    )
    for test in tests:
        for key, one in wanted.items():
            if key not in found:
                match = next((other for other in free if test(one, free[other])), None)
                if match is not None:
                    found[key] = match
                    del free[match]
    return found


def _share(group: Mapping[str, str], one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether words of both are synonyms."""
    groups = ({group[word] for word in words if word in group} for words in (one, other))
    return bool(set.intersection(*groups))


def _guess_ranks(game: Data, donor: Data, needed: Iterable[str]) -> dict[str, str]:
    theirs, group = rows_of(donor, "ranks"), _synonyms("ranks")
    wanted = {key: _Words.of(key, theirs[key]) for key in needed if key in theirs}
    others = {key: _Words.of(key, row) for key, row in theirs.items() if key not in wanted}
    lead = next((key for key in wanted if theirs[key].get("leads")), None)
    below = [key for key in wanted if key != lead]
    found, ours = {}, rows_of(game, "ranks")
    led = [key for key, row in ours.items() if not row.get("leads")]
    for key, row in ours.items():
        words = _Words.of(key, row)
        if row.get("leads") and lead is not None:
            found[key] = lead
        elif any(words.key == one.key or words.names & one.names for one in others.values()):
            # It is like one of theirs that the campaign leaves alone.
            found[key] = ""
        else:
            ranks = {one: wanted[one] for one in below}
            height = Fraction(led.index(key), len(led)) if key in led else Fraction(0)
            found[key] = _guess_rank(words, ranks, group, height)
    return found


def _guess_rank(
    words: _Words, below: Mapping[str, _Words], group: Mapping[str, str], height: Fraction
) -> str:
    """Return the donor's rank for one of the game's that does not lead: of the same name or kind,
    or else at the same height among those that learn (0: the highest)."""

    def kinds(one: _Words) -> set[str]:
        return {group[word] for word in {one.key, *one.names} if word in group}

    for key, one in below.items():
        if one.key == words.key or one.names & words.names:
            return key
    mine = kinds(words)
    ahead = [*mine, *(other for kind in sorted(mine) for other in _instead().get(kind, ()))]
    for kind in ahead:
        for key, one in below.items():
            if kind in kinds(one):
                return key
    likely = [key for key, one in below.items() if kinds(one).isdisjoint(LOWLY)]
    # Hounds and hirelings learn nothing, if the campaign says so by not naming them.
    return "" if mine & LOWLY or not likely else likely[int(height * len(likely))]


def _guess_list(game: Data, donor: Data, tag: str, is_learned: bool) -> str:
    tags, group = tags_of(game, "traits"), _synonyms("trait_lists")
    if tag in tags:
        return tag
    kind = group.get(_plain(tag))
    alike = [one for one in tags if kind is not None and group.get(_plain(one)) == kind]
    if alike:
        return alike[0]
    theirs = [row for row in rows_of(donor, "traits").values() if tag in (row.get("tags") or ())]
    if theirs and all(row.get("sold") is False for row in theirs):
        return ALONG
    return ANY if is_learned and rows_of(game, "traits") else ""


def _guess_times(game: Data, donor: Data) -> Fraction:
    """Return the factor for money: the ratio of the budgets as a round number, or 1 if they are
    nearly the same."""
    ours, theirs = budget_of(game), budget_of(donor)
    if ours is None or theirs is None:
        return Fraction(1)
    ratio = ours / theirs
    if Fraction(2, 3) < ratio < Fraction(3, 2):
        return Fraction(1)
    if ratio >= 1:
        return Fraction(min(round(ratio), MOST_TIMES))
    return Fraction(1, min(round(1 / ratio), MOST_TIMES))
