"""The builder writes each format in that format's own words."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from tests.rules.catalogues.lists.building import CannotSay, as_1_15, as_2_01
from tests.rules.catalogues.lists.games import GAMES, every_form, files_of

CATALOGUE = "{http://www.battlescribe.net/schema/catalogueSchema}"
BIGGEST = 60_000


@pytest.mark.parametrize(("key", "form"), list(every_form()))
def test_files_are_small_and_say_their_format(key: str, form: str) -> None:
    files = files_of(GAMES[key], form)
    assert len(files) == len(GAMES[key].trees)
    for name, content in files:
        assert len(content) < BIGGEST
        if form == "json":
            (root,) = json.loads(content).values()
            assert name.endswith(".json") and root["battleScribeVersion"] == "2.03"
        else:
            root = ElementTree.fromstring(content)
            assert root.get("battleScribeVersion") == form
            assert name.endswith(".gst" if root.tag.endswith("gameSystem") else ".cat")


def test_every_file_has_the_same_entries_in_each_format() -> None:
    for game in (game for game in GAMES.values() if "2.03" in game.formats):
        wanted = [len(list(tree.iter("selectionEntry"))) for tree in game.trees]
        for form in set(game.formats) - {"json"}:
            tag = "entry" if form == "1.15" else "selectionEntry"
            roots = [ElementTree.fromstring(content) for _name, content in files_of(game, form)]
            found = [sum(one.tag.endswith(f"}}{tag}") for one in root.iter()) for root in roots]
            assert found == wanted


def test_2_01_has_books_and_its_own_names_of_types() -> None:
    (_system, written) = as_2_01(GAMES["smugglers"].trees)
    root = ElementTree.fromstring(written[1])
    cost = next(root.iter(f"{CATALOGUE}cost"))
    assert "typeId" not in cost.attrib and cost.get("costTypeId") == "silver"
    speed = next(root.iter(f"{CATALOGUE}characteristic"))
    assert (speed.get("characteristicTypeId"), speed.get("value")) == ("pt-sailor-speed", "6")
    musket = next(one for one in root.iter() if one.get("id") == "musket")
    assert [one.get("name") for one in musket.iter(f"{CATALOGUE}profile")] == ["Musket"]
    (rule,) = musket.iter(f"{CATALOGUE}rule")
    assert rule.get("page") == "8"
    assert not list(root.iter(f"{CATALOGUE}modifierGroup"))
    own = musket.findall(f"{CATALOGUE}modifiers/{CATALOGUE}modifier")
    assert [(one.get("field"), len(list(one.iter(f"{CATALOGUE}condition")))) for one in own] == [
        ("silver", 1),
        ("silver", 1),
        ("musket-force", 1),
    ]


def test_1_15_has_limits_as_attributes_and_its_own_conditions() -> None:
    (_system, written) = as_1_15(GAMES["phalenes"].trees)
    root = ElementTree.fromstring(written[1])
    found = {one.get("id"): one for one in root.iter() if one.get("id")}
    crossbow = found["arbalete"]
    assert (crossbow.get("points"), crossbow.get("maxInForce")) == ("9.0", "2")
    assert (crossbow.get("maxSelections"), crossbow.get("minSelections")) == ("1", "0")
    (modifier,) = crossbow.findall(f"{CATALOGUE}modifiers/{CATALOGUE}modifier")
    assert (modifier.get("type"), modifier.get("field")) == ("increment", "maxInForce")
    (condition,) = modifier.iter(f"{CATALOGUE}condition")
    assert (condition.get("type"), condition.get("parentId")) == ("at least", "force type")
    (repeated,) = found["chef"].findall(f"{CATALOGUE}modifiers/{CATALOGUE}modifier")
    assert (repeated.get("repeat"), repeated.get("incrementChildId")) == ("true", "chien")
    (shown,) = found["appat"].findall(f"{CATALOGUE}modifiers/{CATALOGUE}modifier")
    assert shown.get("type") == "show"
    assert found["chef"].get("categoryId") == "c-chef"
    assert found["chef-armes"].get("linkType") == "entry group"


def test_json_keeps_what_only_new_recruit_writes() -> None:
    ((_system, _written), (_name, written)) = files_of(GAMES["kites"])
    (flier, young) = json.loads(written)["catalogue"]["selectionEntries"]
    (gloves,) = flier["selectionEntryGroups"]
    assert gloves["flatten"] is True and gloves["selectionEntries"][0]["sortIndex"] == 2
    assert flier["selectionEntries"][0]["type"] == "mount"
    assert flier["profiles"][0]["characteristics"][0]["$text"] == "4"
    assert young["modifiers"][0]["type"] == "prepend"


@pytest.mark.parametrize("key", ["lamplighters", "smugglers"])
def test_1_15_refuses_what_it_cannot_say(key: str) -> None:
    with pytest.raises(CannotSay):
        as_1_15(GAMES[key].trees)
