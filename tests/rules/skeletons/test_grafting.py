"""Campaigns that come from another game: what stands for what, and what is left out."""

from __future__ import annotations

import copy
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rules.book.fates import Earns
from rules.book.season import ResultType
from rules.editor.data import (
    assemble,
    in_languages,
    name_game,
    start_empty,
    start_from,
    take_apart_data,
)
from rules.library import shipped_folders
from rules.loading.reader import read_folder
from rules.skeletons.grafting import Ungraftable, find_needs, graft, guess_matches, has_campaign
from rules.skeletons.matching import ALONG, ANY, Matches
from rules.skeletons.money import multiply
from rules.skeletons.shipped import find_skeletons
from tests.rules.skeletons.ferry import make_ferry, read, text

Data = dict[str, Any]
GAMES = Path(__file__).parents[2] / "games"


def thresholds() -> Data:
    """Return the skeleton with most words."""
    return find_skeletons()["thresholds"].data


def rows(data: Data, table: str) -> dict[str, Data]:
    """Return the rows of a table by key."""
    return {row["key"]: row for row in data[table]}


def words_of(notes: Any) -> list[str]:
    """Return the sentences of notes with their places."""
    return [f"{note.table} {note.row}: {note.words}" for note in notes]


# Guesses ----------------------------------------------------------------------------------------


def test_guess_finds_counterparts_by_synonyms() -> None:
    found = guess_matches(make_ferry(), thresholds())
    assert found.characteristics == {
        "speed": "pace",
        "fight": "brawl",
        "shoot": "aim",
        "strength": "might",
        "toughness": "resilience",
        "life": "health",
        "nerve": "courage",
    }
    assert found.ranks == {"captain": "leader", "rower": "member", "dog": ""}
    assert found.lists == {"skill": "talents"}
    assert found.times == 2


def test_guess_reads_names_in_other_languages_and_abbreviations() -> None:
    game = make_ferry()
    names = {"pace": "Bewegung", "brawl": "Kampfgeschick", "courage": "Moralwert"}
    game["characteristics"] = [
        {
            **row,
            "key": f"c{number}",
            "name": {"de": names.get(row["key"], "?")},
            "short": {"de": "?"},
        }
        for number, row in enumerate(game["characteristics"])
    ]
    game["characteristics"][2]["short"] = {"de": "FK"}
    found = guess_matches(game, thresholds()).characteristics
    assert found == {
        "speed": "c0",
        "fight": "c1",
        "shoot": "c2",
        "strength": "",
        "toughness": "",
        "life": "",
        "nerve": "c6",
    }


def test_guess_takes_characteristics_along_for_a_game_that_has_hardly_any() -> None:
    found = guess_matches(start_empty(), thresholds())
    assert found.characteristics["speed"] == "move" and found.characteristics["fight"] == ALONG
    assert found.ranks == {"leader": "leader", "fighter": "member"}


@pytest.mark.parametrize(("budget", "times"), [(1000, 10), (120, 1), (20, Fraction(1, 5))])
def test_guess_compares_budgets(budget: int, times: Fraction) -> None:
    game = {**make_ferry(), "budgets": [{"amount": budget}]}
    assert guess_matches(game, thresholds()).times == times


def test_needs_are_what_the_campaign_touches() -> None:
    needs = find_needs(find_skeletons()["levels"].data)
    assert needs.ranks == ("leader", "member")
    assert needs.lists == ("level", "skill")
    assert find_needs(find_skeletons()["league"].data).characteristics == ()


# Grafts -----------------------------------------------------------------------------------------


def test_graft_changes_neither_game_nor_donor() -> None:
    game, donor = make_ferry(), copy.deepcopy(thresholds())
    before = copy.deepcopy(game)
    graft(game, donor, guess_matches(game, donor))
    assert game == before and donor == thresholds()


def test_graft_keeps_every_row_of_the_game_first() -> None:
    game, donor = make_ferry(), thresholds()
    game["tables"] = [{"key": "injuries", "name": "Mine"}]
    game["conditions"] = [{"key": "leg", "name": "Mine"}]
    data = graft(game, donor, guess_matches(game, donor)).data
    for table in ("tables", "conditions", "traits", "characteristics", "limits"):
        assert data[table][: len(game[table])] == game[table]
    assert "injuries_2" in rows(data, "tables")
    assert data["campaign"]["steps"][0]["fates"][0]["table"] == "injuries_2"
    leg = [row for row in rows(data, "tables")["injuries_2"]["rows"] if row["low"] == 21]
    assert leg[0]["outcomes"] == [{"kind": "suffers", "condition": "leg_2"}]


def test_graft_turns_the_sign_where_a_low_number_is_better() -> None:
    game, donor = make_ferry(), thresholds()
    data = graft(game, donor, guess_matches(game, donor)).data
    hand = rows(data, "conditions")["hand"]["effects"]
    assert hand == [{"kind": "add", "characteristic": "aim", "amount": 1}]
    eight = next(row for row in rows(data, "tables")["advances"]["rows"] if row["low"] == 8)
    assert eight["outcomes"] == [{"kind": "rises", "characteristic": "aim", "amount": -1}]


def test_graft_ticks_the_first_boxes_of_ranks_that_say_nothing() -> None:
    game, donor = make_ferry(), thresholds()
    assert (
        rows(graft(game, donor, guess_matches(game, donor)).data, "ranks")["captain"]["starts_with"]
        == 10
    )
    game["ranks"][0]["starts_with"] = 4
    grafted = graft(game, donor, guess_matches(game, donor))
    assert rows(grafted.data, "ranks")["captain"]["starts_with"] == 4
    assert words_of(grafted.notes) == [
        "ranks captain: “Captain” keeps its experience of 4, although the campaign has 10"
    ]


def test_effect_without_a_counterpart_becomes_a_note() -> None:
    game, donor = make_ferry(), thresholds()
    matches = guess_matches(game, donor)
    matches = replace(matches, characteristics={**matches.characteristics, "shoot": ""})
    grafted = graft(game, donor, matches)
    assert words_of(grafted.notes) == [
        "tables.advances.rows 7-7: “Fight or shoot” comes without a part of it: the game has "
        "nothing for “Shoot”",
        "tables.advances.rows 8-8: “A better shot” comes without a part of it: the game has "
        "nothing for “Shoot”",
        "conditions hand: “Shaking hand” comes without a part of it: the game has nothing for "
        "“Shoot”",
    ]
    seven = next(row for row in rows(grafted.data, "tables")["advances"]["rows"] if row["low"] == 7)
    # Nothing is left to choose.
    assert seven["outcomes"] == [{"kind": "rises", "characteristic": "brawl"}]
    read(grafted.data)


def test_rank_without_a_counterpart_widens_nothing() -> None:
    game, donor = make_ferry(), thresholds()
    grafted = graft(game, donor, replace(guess_matches(game, donor), ranks={}))
    campaign = grafted.data["campaign"]
    assert campaign["awards"] == [] and campaign["advancements"] == []
    assert [step["kind"] for step in campaign["steps"]] == [
        "fates",
        "experience",
        "succession",
        "income",
        "upkeep",
        "recruits",
    ]
    assert campaign["steps"][0]["fates"] == []
    # Wages are for everybody but leaders: without leaders, for everybody.
    assert campaign["upkeep"][0]["of"] == {"not_ranks": []}
    read(grafted.data)


def test_list_may_be_any_trait_but_nothing_never_means_any() -> None:
    game, donor = make_ferry(), find_skeletons()["levels"].data
    matches = guess_matches(game, donor)

    def learned(skill: str, level: str) -> list[str]:
        chosen = replace(matches, lists={"skill": skill, "level": level})
        found = graft(game, donor, chosen).data["campaign"].get("advancement")
        return ["-"] if found is None else found["trait_tags"]

    assert learned("talents", ALONG) == ["level", "talents"]
    assert learned("", ALONG) == ["level"]
    assert learned("talents", "") == ["talents"]
    assert learned(ANY, "") == []
    assert learned("", "") == ["-"]


def test_one_rank_may_stand_for_several() -> None:
    game, donor = make_ferry(), start_from(read_folder(GAMES / "terraces"))
    donor["campaign"]["promotions"] = [
        {
            "key": "up",
            "name": {"en": "Up", "fr": "Plus haut"},
            "start": "picker",
            "to": "elder",
            "source": "wall",
        }
    ]
    ranks = {"captain": "elder", "rower": "picker", "dog": "picker"}
    campaign = graft(game, donor, Matches(ranks=ranks)).data["campaign"]
    assert [(row["key"], row["start"], row["to"]) for row in campaign["promotions"]] == [
        ("up", "rower", "captain"),
        ("up_2", "dog", "captain"),
    ]


@pytest.mark.parametrize(
    "folder", [*shipped_folders(), GAMES / "terraces", GAMES / "circle"], ids=lambda one: one.name
)
def test_every_campaign_of_a_game_fits_another_game(folder: Path) -> None:
    game, donor = make_ferry(), start_from(read_folder(folder))
    grafted = graft(game, donor, guess_matches(game, donor))
    book = read(grafted.data)
    assert [row.key for row in book.campaign.results] == [
        row["key"] for row in donor["campaign"]["results"]
    ]
    assert all(note.table for note in grafted.notes)


def _match_at_random(chance: Random, game: Data, donor: Data) -> Matches:
    """Return answers that nobody would give, all of which the page offers."""
    needs = find_needs(donor)
    known = ["", ALONG, *(row["key"] for row in game["characteristics"])]
    return Matches(
        {key: chance.choice(known) for key in needs.characteristics},
        {row["key"]: chance.choice(["", *needs.ranks]) for row in game["ranks"]},
        {tag: chance.choice(["", ALONG, "talents", ANY]) for tag in needs.lists},
        chance.choice([Fraction(1, 10), Fraction(1), Fraction(100)]),
    )


@pytest.mark.parametrize(
    "folder",
    [*shipped_folders(), GAMES / "terraces", GAMES / "circle", GAMES / "vigil"],
    ids=lambda one: one.name,
)
def test_graft_is_sound_whatever_its_author_answers(folder: Path) -> None:
    chance, donor = Random(folder.name), start_from(read_folder(folder))
    for _case in range(6):
        game = make_ferry()
        if chance.random() < 0.3:
            for table in ("money", "rating", "budgets"):
                del game[table]
            for table in ("ranks", "traits"):
                game[table] = [{**row, "price": 0} for row in game[table]]
        read(graft(game, donor, _match_at_random(chance, game, donor)).data)


def test_campaign_of_a_game_fits_that_game_whole() -> None:
    donor = start_from(read_folder(GAMES / "terraces"))
    game = {key: value for key, value in donor.items() if key not in ("tables", "holdings")}
    game |= {"campaign": start_empty()["campaign"], "currencies": []}
    grafted = graft(game, donor, guess_matches(game, donor))
    assert grafted.notes == ()
    assert read(grafted.data).campaign == read(donor).campaign


def test_dropped_rows_take_along_those_that_need_them() -> None:
    game, donor = make_ferry(), copy.deepcopy(thresholds())
    donor["scenarios"] = []
    donor["campaign"]["tallies"].append(
        {
            "key": "crates",
            "per": "gang",
            "name": {"en": "Crates", "fr": "Caisses", "de": "Kisten"},
            "text": {"en": "Crates.", "fr": "Caisses.", "de": "Kisten."},
            "scenarios": ["warehouse"],
            "source": "own",
        }
    )
    donor["campaign"]["awards"].insert(
        0,
        {
            "key": "carried",
            "name": {"en": "Carried", "fr": "A porté", "de": "Hat getragen"},
            "each": "crates",
            "source": "own",
        },
    )
    grafted = graft(game, donor, guess_matches(game, donor))
    assert words_of(grafted.notes) == [
        "campaign.tallies : “Crates” is left out: the game has nothing for “warehouse”",
        "campaign.awards : “Carried” is left out: the game has nothing for “Crates”",
    ]
    read(grafted.data)


def test_game_from_elsewhere_gets_all_that_a_campaign_needs() -> None:
    """Imported games have no campaign, no source of their own, and traits without properties."""
    game, donor = make_ferry(), thresholds()
    del game["campaign"]
    game["sources"] = {"list": {"title": "A list", "text": text("Imported.")}}
    for table in ("limits", "ranks", "characteristics", "traits"):
        rows_there = [{**row, "source": "list p.3"} for row in game[table]]
        game[table] = [{key: row[key] for key in row if key != "tags"} for row in rows_there]
    purse = {"kind": "number", "default": 1000, "minimum": 0, "maximum": 5000}
    game["settings"] = [
        {"key": "purse", "name": text("Purse"), "text": text("Money."), "source": "list", **purse}
    ]
    game["budgets"] = [{"setting": "purse"}]
    matches = guess_matches(game, donor)
    assert matches.lists == {"skill": ANY} and matches.times == 10
    grafted = graft(game, donor, matches)
    assert grafted.notes == () and grafted.data["sources"].keys() == {"list", "own"}
    book = read(grafted.data)
    assert (book.campaign.results[0].winner, book.campaign.upkeep[0].amount) == (200, 10)
    robbed = next(row for row in book.table["injuries"].rows if row.low == 31)
    assert [one.model_dump()["amount"] for one in robbed.outcomes] == ["1d6x10"]


# Money ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("amount", "times", "expected"),
    [
        ("5", Fraction(10), "50"),
        ("2d6", Fraction(10), "2d6x10"),
        ("2d6x5+10", Fraction(2), "2d6x10+20"),
        ("1d6x10-5", Fraction(1, 10), "1d6-1"),
        ("1", Fraction(1, 10), "1"),
        ("9000", Fraction(10), "9999"),
    ],
)
def test_sums_are_multiplied(amount: str, times: Fraction, expected: str) -> None:
    assert multiply(Earns, {"amount": amount}, times) == {"amount": expected}


def test_sums_of_other_currencies_stay() -> None:
    row = {"amount": "5", "currency": "esteem"}
    assert multiply(Earns, row, Fraction(10)) == row
    assert multiply(ResultType, {"winner": 5, "loser": 0}, Fraction(3)) == {
        "winner": 15,
        "loser": 0,
    }


def test_growth_without_a_characteristic_to_raise_becomes_a_note() -> None:
    game, donor = make_ferry(), copy.deepcopy(thresholds())
    donor["campaign"]["growth"] = {"experience": 5}
    note = "campaign.growth : Experience brings points, but no characteristic of the game can be "
    assert words_of(graft(game, donor, guess_matches(game, donor)).notes) == [
        note + "raised with them"
    ]
    game["characteristics"][0]["bought_with_points"] = True
    assert graft(game, donor, guess_matches(game, donor)).notes == ()


def test_trait_of_a_list_that_changes_nothing_is_left_out_with_one_note() -> None:
    game, donor = make_ferry(), find_skeletons()["levels"].data
    matches = guess_matches(game, donor)
    matches = replace(matches, characteristics={**matches.characteristics, "life": ""})
    grafted = graft(game, donor, matches)
    assert words_of(grafted.notes) == [
        "traits : “Hardier” is left out: the game has nothing for “Life”"
    ]
    assert "hardier" not in rows(grafted.data, "traits")


# A game that has a campaign ---------------------------------------------------------------------


def test_new_game_has_no_campaign_in_any_form_of_its_data() -> None:
    for languages in (["en"], ["fr"], ["en", "fr"], ["de"]):
        data = name_game(start_empty(), "river", "River", languages, "")
        assert not has_campaign(data)
        assert not has_campaign(assemble(take_apart_data(copy.deepcopy(data))))
    both = name_game(start_empty(), "river", "River", ["en", "fr"], "")
    assert not has_campaign(in_languages(both, ["de"], ["en", "fr"]))
    assert not has_campaign({})


@pytest.mark.parametrize(
    "change",
    [
        lambda campaign: campaign["results"][0].update(winner=11),
        lambda campaign: campaign["results"][0].update(none_left=True),
        lambda campaign: campaign["results"][0]["name"].update(en="Victory"),
        lambda campaign: campaign["steps"].pop(),
        lambda campaign: campaign.update(awards=[{"key": "took_part"}]),
        lambda campaign: campaign.update(hires=2),
        lambda campaign: campaign.update(steps="junk"),
    ],
)
def test_graft_refuses_a_campaign_that_its_author_changed(change: Any) -> None:
    game = make_ferry()
    change(game["campaign"])
    with pytest.raises(Ungraftable, match="has_campaign"):
        graft(game, thresholds(), Matches())


def test_graft_refuses_a_game_that_is_played_another_way() -> None:
    game = {**make_ferry(), "play": {"against": "book"}}
    with pytest.raises(Ungraftable, match="other_play"):
        graft(game, thresholds(), Matches())
    vigil = start_from(read_folder(GAMES / "vigil"))
    taken = graft(make_ferry(), vigil, guess_matches(make_ferry(), vigil)).data
    assert taken["play"]["against"] == "book"


JUNK = [None, 3, "x", [], {}, [None], [3], [{}], [{"key": 3}], [{"key": "a", "name": 3, "tags": 3}]]


@pytest.mark.parametrize("junk", JUNK)
@pytest.mark.parametrize("key", ["thresholds", "levels"])
def test_graft_survives_data_that_makes_no_sense(key: str, junk: Any) -> None:
    donor = find_skeletons()[key].data
    for table in [*make_ferry(), "tags", "tables", "conditions", "settings", "languages"]:
        if table not in ("campaign", "play"):
            game = {**make_ferry(), table: junk}
            graft(game, donor, guess_matches(game, donor))


def test_graft_is_fast_where_rows_depend_on_each_other_in_the_worst_order() -> None:
    donor = copy.deepcopy(find_skeletons()["levels"].data)
    names = [f"level{number}" for number in range(300)]
    donor["traits"] += [
        {**donor["traits"][0], "key": name, "tags": ["level"], "requires": [above], "ranks": []}
        for name, above in zip(names, [*names[1:], "gone"], strict=True)
    ]
    game = make_ferry()
    start = time.process_time()
    graft(game, donor, guess_matches(game, donor))
    assert time.process_time() - start < 2
