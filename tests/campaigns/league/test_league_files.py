"""Stages in the file of a campaign: they come back whole, and forged ones are refused."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from campaigns.files import exporting, reading
from campaigns.files import importing as files_importing
from campaigns.league import rounds
from campaigns.league.loading import load_stage
from campaigns.league.rounds import FixturePlan, RoundPlan
from campaigns.models import Campaign, Fixture, Stage
from gangs.files.format import BadFile
from tests.random_cases import one_soon
from tests.world.campaigns import make_game, make_stage


def import_file(data: dict[str, Any], bob) -> Campaign:
    file = reading.read_file(json.dumps(data).encode())
    place = file.names.index("bob")
    return files_importing.write_campaign(file, importer=bob, own_place=place, token=uuid.uuid4())


@pytest.fixture
def stage(campaign, hers, theirs, alice) -> Stage:
    """A knock-out of two gangs with a planned game, and a final that came from it."""
    stage = make_stage(campaign, hers, theirs, stage_format="knock-out")
    make_game(campaign, alice, hers, theirs)
    stage.refresh_from_db()
    first = Fixture.objects.get()
    plan = FixturePlan(hers, None, home_from=first, losers=True, number=1)
    rounds.make_rounds(
        stage,
        [RoundPlan(2, stage.rounds.get().opens, None, [plan])],
        expected_version=stage.version,
    )
    Stage.objects.create(campaign=campaign, number=2, name="Cup", format="swiss", source=stage)
    return stage


def test_stages_come_back_whole(campaign, stage, bob):
    text = exporting.export_campaign(campaign).decode()
    arrived = import_file(json.loads(text), bob)
    own, cup = arrived.stages.all()
    assert cup.source == own
    loaded = load_stage(own)
    assert [one.name for one in loaded.entrants] == [one.name for one in stage.entrants.all()]
    first, second = loaded.fixtures
    assert first.game is not None and first.game.campaign == arrived
    assert (second.home_from, second.losers, second.away) == (first, True, None)
    assert second.home is not None and second.home == loaded.entrants[0].gang
    assert exporting.export_campaign(arrived).decode() == text


def test_file_without_stages_has_no_list_of_them(campaign):
    assert "stages" not in json.loads(exporting.export_campaign(campaign))


@pytest.mark.parametrize(
    ("place", "values"),
    one_soon(
        [
            ((), {"source": 0}),
            ((), {"number": 2}),
            (("entrants", 0), {"gang": {"ref": 99}}),
            (("rounds", 1), {"number": 1}),
            (("rounds", 1, "fixtures", 0), {"home_from": 7}),
            (("rounds", 0, "fixtures", 0), {"home": {"ref": 99}}),
            (("rounds", 0, "fixtures", 0), {"game": {"ref": 99}}),
            (("rounds", 0, "fixtures", 0), {"due": "0001-01-01"}),
            ((), {"options": {"days": 10**9}}),
        ]
    ),
)
def test_forged_stage_is_refused(campaign, stage, bob, place, values):
    data = json.loads(exporting.export_campaign(campaign))
    row = data["stages"][0]
    for step in place:
        row = row[step]
    row.update(values)
    before = Campaign.objects.count(), Stage.objects.count()
    with pytest.raises(BadFile):
        import_file(data, bob)
    assert (Campaign.objects.count(), Stage.objects.count()) == before


@pytest.mark.parametrize("place", [("rounds", -1), ("rounds", 0, "fixtures", 0)])
def test_knock_out_of_more_places_than_gangs_is_refused(campaign, stage, bob, place):
    """Its places double with each round."""
    data = json.loads(exporting.export_campaign(campaign))
    row = data["stages"][0]
    row["format"] = "knock-out"
    for step in place:
        row = row[step]
    row["number"] = 9_000
    with pytest.raises(BadFile):
        import_file(data, bob)


def test_game_of_two_fixtures_is_refused(campaign, stage, bob):
    data = json.loads(exporting.export_campaign(campaign))
    first, second = (one["fixtures"][0] for one in data["stages"][0]["rounds"])
    second["game"] = first["game"]
    with pytest.raises(BadFile):
        import_file(data, bob)
