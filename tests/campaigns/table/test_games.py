"""Fifty scripted games: each gives the report and the alarms that the script expects."""

from __future__ import annotations

import tomllib
from pathlib import Path
from random import Random
from typing import Any

import pytest

from campaigns.table.fold import fold
from tests.campaigns.table.scripts import Script
from tests.rules.conftest import BOOKS
from tests.world.gangs import shipped

FOLDER = Path(__file__).parent / "games"
GAMES = [
    pytest.param(file.stem, game, id=f"{file.stem}: {game['name']}")
    for file in sorted(FOLDER.glob("*.toml"))
    for game in tomllib.loads(file.read_text("utf-8"))["games"]
]


def play_script(slug: str, game: dict[str, Any]) -> Script:
    script = Script(shipped(slug), game["sides"], game.get("conditions", {}))
    script.play(game["play"])
    return script


def test_every_game_has_ten_scripts() -> None:
    slugs = [param.values[0] for param in GAMES]
    assert {slug: slugs.count(slug) for slug in slugs} == {
        folder.name: 10 for folder in BOOKS.iterdir() if folder.is_dir()
    }


@pytest.mark.parametrize(("slug", "game"), GAMES)
def test_script_gives_the_expected_report_and_alarms(slug: str, game: dict[str, Any]) -> None:
    script = play_script(slug, game)
    assert script.marks() == {script.as_named(one) for one in game["marks"]}
    assert script.counted() == {script.as_named(one) for one in game["counted"]}
    due = {
        (int(turn), alarm, script.called(script.key(who)))
        for one in game["due"]
        for turn, alarm, *everybody in [one.split()]
        for who in everybody
    }
    assert script.due == due | initiative(script)


def initiative(script: Script) -> set[tuple[int, str, str]]:
    """Return the reminders of initiative: one in each turn of the games that have it, or one for
    each of many sides."""
    sides, turns = len(script.gangs), range(1, script.evening.now.turn + 1)
    if "initiative" not in script.book.alarm:
        return set()
    if sides > 2 and "initiative_of_many" in script.book.alarm:
        many = range(1, sides + 1)
        return {(turn, "initiative_of_many", str(side)) for turn in turns for side in many}
    return {(turn, "initiative", "1") for turn in turns}


@pytest.mark.parametrize(("slug", "game"), GAMES)
def test_script_folds_to_the_same_table_in_any_order(slug: str, game: dict[str, Any]) -> None:
    evening = play_script(slug, game).evening
    mixed = list(evening.log)
    Random(game["name"]).shuffle(mixed)
    assert fold(evening.start, mixed) == evening.now
