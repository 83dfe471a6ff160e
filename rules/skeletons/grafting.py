"""Gives a game without a campaign the campaign of another rulebook, the donor.

The campaign's own rows come over whole: steps, results, awards, dice tables, conditions. Their
references to characteristics, ranks and lists of traits are replaced by those of the game
(``Matches``), other references by rows of the same key or name. An effect without a counterpart is
left out, and a note says so.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from common.errors import Refusal
from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from common.wording.texts import in_languages, read_languages
from rules.book.season import USUAL_PLAY
from rules.skeletons.carrying import Carrier, Note
from rules.skeletons.data import Data, name_of, rows_of, tags_of
from rules.skeletons.matching import ALONG, Matches, Needs, guess
from rules.skeletons.shipped import start_campaign

# The fields of a rank that belong to its campaign: experience boxes, and the first of them ticked.
RANK_FIELDS = ("starts_with", "experience")


# Against whom gangs play, if a game does not say it.
USUAL = USUAL_PLAY.against


class Ungraftable(Refusal):
    """Raised if a game cannot take a campaign. Its codes: ``has_campaign``, ``other_play``."""


@dataclass(frozen=True)
class Grafted:
    """A game's data with a campaign, and notes on the parts that did not come over."""

    data: Data
    notes: tuple[Note, ...]


def has_campaign(game: Mapping[str, Any]) -> bool:
    """Whether an author has written anything in the campaign of a game, or changed it from the one
    that every new game has."""
    campaign = game.get("campaign")
    starts = (start_campaign(has_money=has_money)["campaign"] for has_money in (True, False))
    return bool(campaign) and not any(_is_like(campaign, start) for start in starts)


def _is_like(value: Any, start: Any) -> bool:
    """Whether a value is as in the start of a game: texts may lack languages or repeat one, and
    empty fields may be left out or written."""
    if isinstance(value, dict) and isinstance(start, dict):
        if "en" in start:
            return {*map(str, value.values())} <= {*start.values()}
        # Each row cites the source of its own game.
        names = (value.keys() | start.keys()) - {"source"}
        return all(_is_like(value.get(name), start.get(name)) for name in names)
    if isinstance(value, list) and isinstance(start, list):
        return len(value) == len(start) and all(map(_is_like, value, start))
    if start is None:
        return any(value == one and type(value) is type(one) for one in _UNSET)
    return bool(value == start)


# The defaults of the fields that the campaign of a new game leaves out.
_UNSET: tuple[Any, ...] = (None, False, 0, 1, [], {}, "", [0, 0, 0], "offered")


def find_needs(donor: Data) -> Needs:
    """Return the characteristics, ranks and lists of traits that the donor's campaign touches, in
    the donor's order."""
    measured, ranks = rows_of(donor, "characteristics"), rows_of(donor, "ranks")
    tags = tags_of(donor, "traits")
    itself = Matches(
        dict.fromkeys(measured, ALONG), {key: key for key in ranks}, dict.fromkeys(tags, ALONG)
    )
    carrier = Carrier({}, donor, itself, has_all=True)
    carrier.carry()

    def asked(table: str, keys: Iterable[str]) -> tuple[str, ...]:
        return tuple(key for key in keys if (table, key) in carrier.asked)

    lists = asked("tag:traits", tags)
    learned = tuple(tag for tag in lists if tag in carrier.learned)
    return Needs(asked("characteristics", measured), asked("ranks", ranks), lists, learned)


def guess_matches(game: Data, donor: Data) -> Matches:
    """Return the likely matches between a game and the donor of a campaign."""
    return guess(game, donor, find_needs(donor), bare=len(rows_of(game, "characteristics")) < 2)


def graft(game: Data, donor: Data, matches: Matches) -> Grafted:
    """Return a game's data with the campaign of another rulebook. Neither of the two is changed.

    ``game``: data that nothing has checked; its own rows stay as they are, except ranks that start
    with experience now. ``donor``: the data of a sound rulebook. Raises Ungraftable.
    """
    if has_campaign(game):
        raise Ungraftable("has_campaign")
    play, theirs = game.get("play"), donor.get("play") or {}
    if isinstance(play, dict) and play.get("against", USUAL) != theirs.get("against", USUAL):
        raise Ungraftable("other_play")
    languages = read_languages(game.get("languages"))
    words = in_languages(donor, languages, read_languages(donor.get("languages")))
    carrier = Carrier(game, words, matches)
    carried = carrier.carry()
    data = copy.deepcopy(game)
    data["campaign"] = carried.campaign
    for table, rows in carried.rows.items():
        data[table] = [*_list(data, table), *rows]
    data["sources"] = {**_table(data, "sources"), **carried.sources}
    for name in ("play", "experience_name"):
        if data.get(name) is None and words.get(name) is not None:
            data[name] = copy.deepcopy(words[name])
    notes = [*carried.notes, *_fill_ranks(data, words, matches)]
    return Grafted(data, tuple(dict.fromkeys(notes)))


def _list(data: Data, table: str) -> list[Any]:
    found = data.get(table)
    return found if isinstance(found, list) else []


def _table(data: Data, table: str) -> dict[str, Any]:
    found = data.get(table)
    return found if isinstance(found, dict) else {}


def _fill_ranks(data: Data, donor: Data, matches: Matches) -> Iterator[Note]:
    """Give ranks that say nothing about experience that of the donor's; yield notes on others."""
    theirs, ours = rows_of(donor, "ranks"), rows_of(data, "ranks")
    for key, other in matches.ranks.items():
        for field in RANK_FIELDS if key in ours and other in theirs else ():
            wanted, had = theirs[other].get(field), ours[key].get(field)
            if not wanted or had == wanted:
                continue
            if had:
                name = name_of(ours[key], key)
                yield Note("ranks", key, say(_KEPT, row=name, had=had, wanted=wanted))
            else:
                ours[key][field] = wanted


_KEPT = _("“%(row)s” keeps its experience of %(had)s, although the campaign has %(wanted)s")
