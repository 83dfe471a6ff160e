"""Whole seasons by the script: six nights, four gangs, in every game."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from campaigns.games.corrections import strikes
from campaigns.models import Side
from gangs.models import StoredEntry
from tests.random_cases import one_soon
from tests.seasons.playing import Season, replays
from tests.seasons.script import season
from tests.world.gangs import SLUGS

EXPECTED = Path(__file__).parent / "expected"


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.parametrize("slug", one_soon(SLUGS))
def test_a_season_ends_as_expected_even_after_a_game_is_undone_and_redone(slug):
    played = Season(slug)
    played.play(season())
    state = played.state()
    for folded, stored in replays(played):
        assert folded == stored
    assert state == json.loads((EXPECTED / f"{slug}.json").read_text("utf-8"))
    # Every post-game is once in its gang's history.
    games = StoredEntry.objects.filter(kind="played", struck=None)
    assert games.count() == Side.objects.done().count() == 2 * len(season())

    undo_and_redo(played)


def undo_and_redo(played: Season) -> None:
    """Undo and redo a middle game with its later effects: the season changes, then is restored."""
    before = played.state()
    middle = season()[5]
    also: dict = {}
    for _ in range(20):
        strokes = strikes.weigh_game(played.game(middle), also)
        unfit = {s.gang.pk: {e.seq for e, _ in s.weighed.misfits} for s in strokes}
        if not any(unfit.values()):
            break
        for key, seqs in unfit.items():
            also[key] = {*also.get(key, ()), *seqs}
    game = played.game(middle)
    strikes.strike_game(
        game,
        actor=played.organiser,
        reason="It never took place.",
        expected_version=game.version,
        versions={stroke.gang.pk: stroke.gang.version for stroke in strokes},
        also=also,
    )
    without = played.state()
    assert without != before
    for number in middle.gangs:
        name = played.gang(number).name
        assert without[name]["games"] == before[name]["games"] - 1
    for folded, stored in replays(played):
        assert folded == stored
    game = played.game(middle)
    strikes.restore_game(
        game, actor=played.organiser, reason="It did.", expected_version=game.version
    )
    assert played.state() == before
    for folded, stored in replays(played):
        assert folded == stored
