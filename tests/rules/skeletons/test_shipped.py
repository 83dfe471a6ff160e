"""The campaigns that the site ships: sound, in three languages, fit for a small game."""

from __future__ import annotations

from typing import Any

import pytest

from rules.loading.examining import notes
from rules.skeletons.grafting import graft, guess_matches
from rules.skeletons.shipped import HERE, KEYS, find_skeletons
from tests.rules.skeletons.ferry import make_ferry, read


def _texts(value: Any) -> list[dict[str, str]]:
    """Return every text inside a value."""
    if isinstance(value, dict) and "en" in value:
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inside for text in _texts(one)]


def test_every_folder_is_offered() -> None:
    assert {one.name for one in HERE.iterdir() if (one / "campaign.toml").exists()} == {*KEYS}


@pytest.mark.parametrize("key", KEYS)
def test_skeleton_is_a_sound_rulebook_without_a_note(key: str) -> None:
    assert notes(read(find_skeletons()[key].data)) == []


@pytest.mark.parametrize("key", KEYS)
def test_skeleton_has_every_text_in_three_languages(key: str) -> None:
    found = _texts(find_skeletons()[key].data)
    assert len(found) > 10
    assert all(text.keys() == {"en", "fr", "de"} for text in found)
    same = [text["en"] for text in found if text["en"] == text["fr"] and len(text["en"]) > 12]
    assert same == []


@pytest.mark.parametrize("key", KEYS)
def test_skeleton_fits_a_small_game_without_a_warning(key: str) -> None:
    game, donor = make_ferry(), find_skeletons()[key].data
    grafted = graft(game, donor, guess_matches(game, donor))
    assert grafted.notes == ()
    assert notes(read(grafted.data)) == []


@pytest.mark.parametrize("key", KEYS)
def test_skeleton_brings_no_money_and_no_rating_to_a_game_without(key: str) -> None:
    game, donor = make_ferry(), find_skeletons()[key].data
    for table in ("money", "rating", "budgets"):
        del game[table]
    game["limits"] = [row for row in game["limits"] if row["kind"] == "count"]
    game["ranks"] = [{**row, "price": 0} for row in game["ranks"]]
    game["traits"] = [{**row, "price": 0} for row in game["traits"]]
    book = read(graft(game, donor, guess_matches(game, donor)).data)
    assert {step.kind for step in book.campaign.steps}.isdisjoint(("income", "upkeep"))
    assert book.campaign.standings[0] in ("wins", "points")


@pytest.mark.parametrize("language", ["fr", "de"])
def test_skeleton_comes_in_the_languages_of_the_game(language: str) -> None:
    donor = find_skeletons()["thresholds"].data
    game = {**make_ferry(), "languages": [language]}
    data = graft(game, donor, guess_matches(game, donor)).data
    words = {"fr": "Mort", "de": "Tot"}[language]
    first = data["tables"][0]["rows"][0]["name"]
    assert set(first.values()) == {words}
