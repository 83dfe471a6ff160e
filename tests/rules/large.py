"""A rulebook as large as a stranger's may be, like a game that is made from catalogues."""

from __future__ import annotations

import copy
from typing import Any

from tests.rules.small import SMALL, Data, limit, row, text, told

RANKS, OFFERS, ITEMS, LIMITS, TAGS, TRAITS = 300, 300, 600, 400, 400, 300
COLUMNS = ("range", "strength", "save", "damage", "notes")
GROUPS = ("pistols", "rifles", "blades", "clubs", "shields", "tools")
RULE = "Its bearer may use it once a turn, unless a friend stands within two lengths. "


def large(**changes: Any) -> Data:
    """Return the data of a rulebook with as many ranks, offers, items, limits, tags and traits as
    may be, in almost 800 KB. A third of the ranks is in force under each of three options.

    ``changes``: other values for some tables.
    """
    data = copy.deepcopy(SMALL)
    ranks = [*data["ranks"], *map(_rank, range(RANKS - len(data["ranks"])))]
    tags = [f"tag-{number}" for number in range(TAGS)]
    traits = [
        told(f"trait-{number}", tags=[tags[number]], price=number % 9)
        | {"text": text(f"{number}: {RULE * 2}")}
        for number in range(TRAITS - len(data["traits"]))
    ]
    groups = [
        row(key, columns=[{"key": one, "name": text(one.capitalize())} for one in COLUMNS])
        for key in GROUPS
    ]
    items = [_item(number, tags) for number in range(ITEMS - len(data["items"]))]
    data |= {
        "slug": "large",
        "name": text("Large"),
        "ranks": ranks,
        "traits": [*data["traits"], *traits],
        "groups": [*data["groups"], *groups],
        "items": [*data["items"], *items],
        "tags": [told(key) for key in tags],
        "offers": [_offer(number, ranks, items) for number in range(OFFERS)],
        "limits": [_limit(number, ranks, tags) for number in range(LIMITS)],
        "settings": [
            {**one, "default": 5_000} if one["key"] == "purse" else one for one in data["settings"]
        ],
    }
    for one in data["settings"]:
        if one["key"] == "purse":
            one["maximum"] = 9_000
    return data | changes


def _rank(number: int) -> Data:
    """Return a rank; two of three are in force only for one people."""
    people = ("hill", "river")[number % 3] if number % 3 < 2 else ""
    return row(
        f"rank-{number}",
        price=5 + number % 40,
        worth=1,
        values={"might": 1 + number % 6, "aim": 2 + number % 5, "grit": "d8"},
        text=text(f"Fighter number {number}."),
    ) | ({"when": {"people": [people]}} if people else {})


def _item(number: int, tags: list[str]) -> Data:
    return row(
        f"item-{number}",
        group=GROUPS[number % len(GROUPS)],
        price=1 + number % 30,
        hands=1 + number % 2,
        columns=dict.fromkeys(COLUMNS, f"{number % 7}+"),
        tags=[tags[number % TAGS], tags[(7 * number + 3) % TAGS]],
        text=text(f"{number}: {RULE}"),
    )


def _offer(number: int, ranks: list[Data], items: list[Data]) -> Data:
    """Return what one rank can buy: some twenty items; each tenth offer is for all ranks."""
    of = [ranks[number % len(ranks)]["key"]] if number % 10 else [one["key"] for one in ranks]
    some = [items[(13 * number + place) % len(items)]["key"] for place in range(21)]
    return row(f"offer-{number}", of={"ranks": of}, items=some, only=bool(number % 10)) | (
        {"price": number % 20} if number % 5 == 0 else {}
    )


def _limit(number: int, ranks: list[Data], tags: list[str]) -> Data:
    words = "{count} are too many: at most {maximum}."
    of = {"ranks": [ranks[number % len(ranks)]["key"]]}
    code = f"limit-{number}"
    if number % 4 == 0:
        return limit("count", words, code=code, of=of, maximum=3)
    if number % 4 == 1:
        per, tag = ("member", "gang", "copies")[number % 3], [tags[number % TAGS]]
        return limit("items", words, code=code, item_tags=tag, per=per, maximum=4)
    if number % 4 == 2:
        tag = [tags[number % (TRAITS // 2)]]
        return limit("trait_count", words, code=code, trait_tags=tag, of=of, maximum=2)
    return limit("items", words, code=code, of=of, per="member", maximum=6)
