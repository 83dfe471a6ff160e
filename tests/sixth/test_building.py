"""Crews of the sixth rulebook: profiles, prices, every finding."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from common.wording.sentences import words_of
from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Affliction, Member, Roster
from gangs.engine.validation import findings
from gangs.engine.valuation import gang_rating, member_rating
from rules.book.model import Book
from rules.engine.costing import price
from rules.engine.dice import row_chance
from rules.engine.profiles import profile
from tests.gangs import rosters
from tests.rules.small import figure
from tests.world.gangs import SLUGS

ROOT = Path(__file__).parents[2]


def crew(**changes: dict[str, Any]) -> list[Member]:
    """Return the fen folk's legal sample, with other values for some of its members."""
    everybody: dict[str, dict[str, Any]] = {
        "odile": {
            "rank": "warden",
            "profession": "guide",
            "points": {"legs": 1},
            "traits": ["keeper", "old_hand"],
            "items": ["storm_lamp", "peat_knife"],
        },
        "bran": {"rank": "bearer", "points": {"legs": 1}, "items": ["rushlight", "peat_knife"]},
        "pip": {"rank": "wisp", "squad": "Sparks", "items": ["peat_knife"]},
        "nib": {"rank": "wisp", "squad": "Sparks", "items": ["bog_spear"]},
        "tam": {"rank": "wisp", "squad": "Sparks"},
    }
    for name, values in changes.items():
        everybody[name] = {**everybody.get(name, {}), **values}
    return [rosters.member(**{"name": name, **values}) for name, values in everybody.items()]


def gang(
    book: Book, members: list[Member], settings: dict[str, str | int] | None = None, **more: Any
) -> Roster:
    # Seven candles less than usual, so that none are left.
    return rosters.roster(
        book, *members, settings={"folk": "fen", "purse": 53, **(settings or {})}, **more
    )


def test_the_rulebook_is_read_and_checked(moor: Book) -> None:
    assert re.fullmatch(r"[0-9a-f]{64}", moor.digest)
    assert moor.slug not in SLUGS


def test_no_code_names_the_sixth_rulebook(moor: Book) -> None:
    for app in ("accounts", "campaigns", "gangs", "rules", "skirmish", "templates"):
        for path in (ROOT / app).rglob("*.*"):
            if path.suffix in (".py", ".html", ".toml"):
                text = path.read_text("utf-8").casefold()
                assert moor.slug not in text and moor.name["en"].casefold() not in text, path


def values(moor: Book, rank: str, **others: Any) -> dict[str, str]:
    settings = moor.default_settings() | others.pop("settings", {})
    scores = profile(moor.under(settings), figure(rank, **others)).scores
    return {key: str(score.value) for key, score in scores.items()}


def test_a_profile_has_every_kind_of_value(moor: Book) -> None:
    usual = {"legs": "4", "aim": "5", "calls": "3", "nerve": "5/3"}
    usual |= {"eye": "D8", "wick": "LLLLG", "luck": "4k2"}
    assert values(moor, "warden") == usual
    raised = {"legs": "5", "aim": "4", "nerve": "6/4", "eye": "D10", "wick": "LLLLLG"}
    assert values(moor, "warden", traits=("old_hand",)) == {**usual, **raised, "luck": "5k2"}
    # A folk's changes come first: an effect's limit does not lower a value already above it.
    tor = {"legs": "3", "aim": "3", "eye": "D6", "luck": "5k2"}
    assert values(moor, "warden", origin="tor") == {**usual, **tor}
    assert values(moor, "warden", origin="tor", traits=("old_hand",))["aim"] == "3"


def test_conditions_change_every_kind_of_value(moor: Book) -> None:
    found = values(moor, "wisp", conditions=("soaked",))
    assert (found["eye"], found["wick"]) == ("D4", "G")
    found = values(moor, "wisp", conditions=("soaked", "soaked", "fever", "haunted"))
    # The last box stays, the smallest die stays, legs fall to their minimum.
    assert (found["eye"], found["wick"]) == ("D4", "G")
    assert (found["nerve"], found["legs"]) == ("1/0", "0")


def test_only_the_first_guide_is_faster(moor: Book) -> None:
    assert values(moor, "warden", profession="guide", first=True)["legs"] == "5"
    assert values(moor, "warden", profession="guide", first=False)["legs"] == "4"


def test_fog_changes_the_effect_of_a_lamp(moor: Book) -> None:
    assert values(moor, "bearer", items=("great_lamp",))["aim"] == "5"
    assert values(moor, "bearer", items=("great_lamp",), settings={"weather": "fog"})["aim"] == "6"


@pytest.mark.parametrize(
    "folk, playing, due",
    [
        *[("fen", False, 30), ("fen", True, 25)],
        *[("tor", False, 22.5), ("tor", True, 25)],
        *[(None, False, 25), (None, True, 25)],
    ],
)
def test_a_lamp_has_its_special_price_at_founding_only(
    moor: Book, folk: str | None, playing: bool, due: float
) -> None:
    bearer = figure("warden", origin=folk, items=("storm_lamp", "peat_knife", "bog_spear"))
    assert price(moor.usual, bearer, playing=playing).total == due


def test_the_dearest_blade_of_a_wisp_is_free(moor: Book) -> None:
    wisp = figure("wisp", items=("peat_knife", "bog_spear", "peat_knife"))
    assert [line.amount for line in price(moor.under({}), wisp).lines] == [3, 3, 0, 3]


def test_glow_adds_up_rank_traits_items_and_experience(moor: Book) -> None:
    roster = gang(moor, crew(bran={"experience": 5}))
    assert [line.amount for line in gang_rating(moor, roster).lines] == [9, 7, 2, 3, 1]
    lines = member_rating(moor, roster, roster.member(2)).lines
    assert [(words_of(line.name, "en"), line.amount) for line in lines] == [
        *[("Bearer", 3), ("Rushlight", 1), ("Peat knife", 1), ("Experience earned", 2)]
    ]


def test_members_astray_do_not_count(moor: Book) -> None:
    members = crew(bran={"conditions": ["astray"], "experience": 5})
    roster = gang(moor, members, games=1)
    assert gang_rating(moor, roster).total == 15
    astray = [one for one in findings(moor, roster) if one.members == (2,)]
    assert not astray


def test_a_table_of_two_dice_has_its_chances(moor: Book) -> None:
    chances = [row_chance(moor.table["moor"], row) for row in moor.table["moor"].rows]
    ways = [6, 15, 24, 19, 21, 9, 3, 2, 1]
    assert chances == [Fraction(number, 100) for number in ways]
    errands = moor.table["errands"]
    assert [row_chance(errands, row) for row in errands.rows] == [Fraction(1, 2)] * 2


# Each of its findings, once --------------------------------------------------------------------


def test_the_sample_crew_has_no_findings(moor: Book) -> None:
    assert not findings(moor, gang(moor, crew()))


WISPS = {f"wisp{number}": {"rank": "wisp", "squad": "More"} for number in range(3)}
BEARER = {"rank": "bearer", "points": {"legs": 1}, "items": ["rushlight"]}
LEADER = {"rank": "warden", "profession": "fiddler", "points": {"legs": 1}, "items": ["rushlight"]}
WRONG: dict[str, dict[str, Any]] = {
    "M-01": {"noll": LEADER},
    "M-02": {**WISPS, "a": BEARER, "b": {**WISPS["wisp0"], "squad": ""}, "c": {"rank": "wisp"}},
    "M-03": {"a": BEARER, "b": BEARER},
    "M-04": {"a": BEARER, "b": BEARER, "c": BEARER, "d": LEADER, "e": LEADER},
    "M-05": {"odile": {"traits": ["old_hand"]}, "bran": {"traits": ["keeper"]}},
    "M-06": {"odile": {"traits": ["old_hand"]}},
    "M-07": {"bran": {"origin": "tor", "traits": ["eel_blood"]}},
    "M-08": {"bran": {"traits": ["stone_back"]}},
    "M-09": {"bran": {"items": ["peat_knife"]}},
    "M-10": {"odile": {"items": ["rushlight", "hare_foot"]}, "pip": {"items": ["hare_foot"]}},
    "M-11": {name: {"items": ["bog_spear"]} for name in ("pip", "nib", "tam")},
    "M-12": {"bran": {"items": ["rushlight", "bog_spear"]}},
    "M-13": {"pip": {"items": ["fog_horn", "fog_horn"]}},
    "M-14": {"wim": {"rank": "wisp", "squad": "Sparks"}},
    "M-15": {"bran": {"items": ["great_lamp"]}},
    "M-16": {"bran": {"points": {"legs": 2}}},
    "M-17": {"bran": {"points": {}}},
    "M-18": {"bran": {"traits": ["old_hand"], "points": {"legs": 4}}},
    "M-19": {"bran": {"traits": ["old_hand", "eel_blood", "fog_lore"]}},
    "M-20": {"bran": {"traits": ["eel_blood", "eel_blood"]}},
    "M-21": {"bran": {"profession": "fiddler"}},
    "M-22": {"tam": {"name": ""}},
    "M-23": {"odile": {"items": ["rushlight", "rushlight"]}},
    "M-24": {"bran": {"items": ["rushlight", "corpse_candle"]}},
    "M-25": {"bran": {"traits": ["second_sight"]}},
    "M-26": {"bran": {"items": ["rushlight", "peat_knife", "hare_foot"]}},
    "M-27": {"nib": {"items": []}, "bran": {"items": ["rushlight"]}},
}
# Mistakes that bring others: too many points bring legs out of bounds, and so on.
COMPANY = {"M-04": {"M-01", "M-03"}, "M-18": {"M-16"}}


@pytest.mark.parametrize("code", WRONG)
def test_each_mistake_brings_its_finding(moor: Book, code: str) -> None:
    settings: dict[str, str | int] = {"weather": "fog"} if code in ("M-13", "M-19") else {}
    if code not in ("M-26", "M-27"):
        # Spend exactly the purse, so that only the tested finding appears.
        settings["purse"] = cost(moor, gang(moor, crew(**WRONG[code]), settings))
    found = Counter(one.code for one in findings(moor, gang(moor, crew(**WRONG[code]), settings)))
    assert found.pop(code) == 1
    assert set(found) <= COMPANY.get(code, set())


def cost(book: Book, roster: Roster) -> int:
    due = ComputedGang.of(book, roster).price
    assert due == int(due)
    return int(due)


def test_a_debt_brings_a_finding(moor: Book) -> None:
    roster = gang(moor, crew(), games=1, earned=2, spent=4.5)
    (found,) = findings(moor, roster)
    assert (found.code, found.translated("en")) == ("M-28", "2.5 candles are owed.")


def test_every_code_has_a_test(moor: Book) -> None:
    assert {limit.code for limit in moor.limits} == {*WRONG, "M-28"}
    assert len(moor.limits) == len(WRONG) + 1


def test_limits_are_milder_after_the_first_night(moor: Book) -> None:
    alone = crew(pip={"squad": "Sparks", "rank": "bearer", "points": {"legs": 1}})
    codes = {one.code: one.severity for one in findings(moor, gang(moor, alone, games=1))}
    assert codes == {"M-09": "warning", "M-14": "note"}


def test_a_lasting_condition_changes_the_profile(moor: Book) -> None:
    """The profile and the selectors read the conditions of the roster."""
    members = crew()
    members[4] = members[4].model_copy(update={"afflictions": (Affliction(condition="fever"),)})
    computed = ComputedGang.of(moor, gang(moor, members, games=1))
    assert str(computed.profiles[5].scores["nerve"].value) == "1/1"
