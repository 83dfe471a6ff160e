"""Mistakes found with the sixth rulebook, which the checker now refuses."""

from __future__ import annotations

import pytest

from gangs.engine import offers
from gangs.engine.computed import ComputedGang
from gangs.engine.validation import findings
from tests.gangs import rosters
from tests.rules.small import SMALL, Data, choice, limit, measured, mistakes, row, small, told

ARMS = [row("arms", slots=1, level_against="load"), row("goods")]
SWORD = {**SMALL["items"][0], "level": 2}
WINS = {"start": "fighter", "to": "chief", "departure": "home", "displaces": True, "below": 1}


@pytest.mark.parametrize(
    "changes, path",
    [
        ({"groups": [row("arms", level_against="nerve"), row("goods")]}, "groups.0.level_against"),
        ({"limits": [limit("carried", characteristic="grit")]}, "limits.0.characteristic"),
        (
            {"traits": [told("x", gained_at={"characteristic": "ammo", "value": 2})]},
            "traits.0.gained_at.characteristic",
        ),
        ({"life": "nerve"}, "life"),
        (
            {"characteristics": [measured("number", "might", minimum=6, maximum=1)]},
            "characteristics.0.maximum",
        ),
        ({"samples": [{"key": "a", "name": "A", "text": SMALL["name"], "members": []}] * 2}, ""),
        (
            {
                "campaign__promotions": [row("up", dice="a coin", **WINS)],
                "campaign__departures": [told("home")],
            },
            "campaign.promotions.0.dice",
        ),
    ],
    ids=str,
)
def test_a_rule_that_would_fail_later_is_a_mistake(changes: Data, path: str) -> None:
    assert (path or "samples.1.key") in mistakes(**changes)


def test_the_campaign_cannot_depend_on_a_setting_of_one_gang() -> None:
    mark = told("fell", when={"people": ["hill"]})
    people = choice("people", "nobody", "hill", gang_only=True)
    assert list(mistakes(settings=[people, *SMALL["settings"][1:]], campaign__marks=[mark])) == [
        "campaign.marks.0.when.people"
    ]


def test_comparing_ratings_is_a_mistake_when_there_are_none() -> None:
    campaign = {
        "campaign__standings": ["wins", "rating"],
        "campaign__awards": [row("brave", underdog_by=3), row("there")],
        "campaign__underdog": [row("alms", step=2, most=4)],
    }
    found = mistakes(rating=None, **campaign)
    places = {"campaign.standings", "campaign.awards.0", "campaign.underdog.0"}
    assert set(found) == places


def test_ranking_by_money_is_a_mistake_when_there_is_none() -> None:
    without = {"money": None, "budgets": [], "campaign__steps": []}
    assert list(mistakes(**without, campaign__standings=["money"])) == ["campaign.standings"]


def test_a_missing_characteristic_counts_as_zero_for_carrying() -> None:
    """A characteristic without a value for some rank, or not in force, counts as nothing."""
    for more in ({}, {"start": 3, "when": {"people": ["hill"]}}):
        book = small(
            settings=[*SMALL["settings"], choice("x", "a", "b")],
            characteristics=[*SMALL["characteristics"], measured("number", "load", **more)],
            groups=ARMS,
            items=[SWORD, *SMALL["items"][1:]],
            limits=[limit("carried", "{count}/{maximum}", characteristic="load"), limit("level")],
        )
        gang = rosters.roster(book, rosters.member("chief", items=["sword"]))
        said = [finding.translated("en") for finding in findings(book, gang)]
        assert said == ["1/0", "No."]
        first, *_ = offers.items(ComputedGang.of(book, gang), gang.members[0])
        assert first.row.group == "goods"
