"""Notes on ready-made gangs and archetypes that break the rulebook's own rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gangs.engine.ready_made import examine_ready_made
from rules import hooks
from tests.rules.conftest import BOOKS
from tests.rules.small import SMALL, Data, limit, row, small, text, told
from tests.world.gangs import shipped


def find(**changes: Any) -> dict[str, str]:
    """Return the notes on the small rulebook with these changes, by place."""
    found: dict[str, str] = {}
    for path, words in examine_ready_made(small(**changes)):
        assert found.setdefault(".".join(map(str, path)), words) == words
    return found


def sample(*members: Data, **settings: Any) -> Data:
    named = [{"name": f"M{place}", **member} for place, member in enumerate(members)]
    return {
        "key": "crew",
        "name": "Crew",
        "text": text("Ready."),
        "settings": settings,
        "members": named,
    }


ONE_CHIEF = limit(
    "count", "{count} chiefs, at most one.", code="chiefs", of={"ranks": ["chief"]}, maximum=1
)
HILL = {"people": ["hill"]}
NO_BOWS = limit(
    "items", "Hill people have no bows.", code="bows", item_tags=["ranged"], per="gang", maximum=0
)


def test_a_sample_with_two_leaders_is_noted() -> None:
    two = sample({"rank": "chief"}, {"rank": "chief"})
    assert find(samples=[two], limits=[ONE_CHIEF]) == {
        "samples.0": "“Crew” breaks “chiefs”: 2 chiefs, at most one."
    }
    one = sample({"rank": "chief"}, {"rank": "fighter"})
    assert not find(samples=[one], limits=[ONE_CHIEF])
    assert not find(samples=[two], limits=[{**ONE_CHIEF, "severity": "warning"}])


def test_a_sample_with_items_of_another_people_is_noted_at_the_member() -> None:
    armed = sample({"rank": "chief"}, {"rank": "fighter", "items": ["bow"]}, people="hill")
    limits = [{**NO_BOWS, "when": HILL, "per": "member"}]
    assert find(samples=[armed], limits=limits) == {
        "samples.0.members.1": "“Crew” breaks “bows”: Hill people have no bows."
    }
    assert not find(samples=[{**armed, "settings": {"people": "river"}}], limits=limits)


def test_a_sample_with_something_that_is_not_for_sale_is_noted() -> None:
    only_hill = [{**one, "when": HILL} if one["key"] == "axe" else one for one in SMALL["items"]]
    armed = sample({"rank": "fighter", "items": ["axe"]})
    expected = "“M0” of “Crew”: the item “axe” is not for sale under these options"
    assert find(samples=[armed], items=only_hill) == {"samples.0.members.0": expected}
    assert not find(samples=[{**armed, "settings": {"people": "hill"}}], items=only_hill)


@pytest.mark.parametrize(
    ("outfit", "words"),
    [
        ({"rank": "ghost"}, "the rank “ghost” cannot be recruited under these options"),
        (
            {"rank": "fighter", "traits": ["old"]},
            "the trait “old” is not for sale under these options",
        ),
        (
            {"rank": "fighter", "profession": "smith"},
            "the profession “smith” is not on offer to them",
        ),
        (
            {"rank": "fighter", "items": ["fists"]},
            "the item “fists” is not for sale under these options",
        ),
        (
            {"rank": "fighter", "origin": "sea"},
            "the origin “sea” is not on offer under these options",
        ),
    ],
)
def test_an_outfit_that_players_cannot_choose_is_noted(outfit: Data, words: str) -> None:
    changes: Data = {
        "ranks": [*SMALL["ranks"], row("ghost", price=1, recruited=False)],
        "traits": [*SMALL["traits"], told("old", sold=False)],
        "items": [*SMALL["items"], row("fists", group="arms", innate=True)],
        "origins": [
            {**one, "status": "hidden"} if one["key"] == "sea" else one for one in SMALL["origins"]
        ],
    }
    found = find(samples=[sample(outfit)], archetypes=[row("pick", **outfit)], **changes)
    assert found == {
        "samples.0.members.0": f"“M0” of “Crew”: {words}",
        "archetypes.0": f"“pick” is never on offer: {words}",
    }


def test_an_archetype_that_a_limit_always_rules_out_is_noted() -> None:
    archer = row("archer", rank="fighter", items=["bow"])
    assert find(archetypes=[archer], limits=[NO_BOWS]) == {
        "archetypes.0": "“archer” is never on offer: Hill people have no bows."
    }
    assert not find(archetypes=[archer], limits=[{**NO_BOWS, "when": HILL}]), "others may"
    only_hill = {**archer, "when": HILL}
    assert list(find(archetypes=[only_hill], limits=[{**NO_BOWS, "when": HILL}])) == [
        "archetypes.0"
    ]


def test_an_archetype_need_not_be_a_whole_gang() -> None:
    minimum = limit("count", "Three at least.", minimum=3)
    assert not find(archetypes=[row("lone", rank="scout")], limits=[minimum])


@pytest.mark.parametrize("folder", sorted(p for p in BOOKS.iterdir() if p.is_dir()), ids=str)
def test_ready_made_gangs_of_shipped_rulebooks_keep_the_rules(folder: Path) -> None:
    assert not hooks.find_notes(shipped(folder.name))
