"""A stage's table on its pages: tie-breaks that the organiser chooses, and what decided a place."""

from __future__ import annotations

import json
import uuid

import pytest
from django.utils import timezone

from campaigns.engine.how import ClubResults, ResultRules
from campaigns.files import exporting, importing, reading
from campaigns.league import rounds
from campaigns.league.loading import load_stage
from campaigns.league.pages import standing_lines
from campaigns.league.rounds import FixturePlan, RoundPlan
from campaigns.league.settling import settle_absence
from campaigns.models import Adjustment, Campaign, Fixture, Stage
from campaigns.season.loading import load_season
from campaigns.season.standings.text import rank_gangs
from tests.campaigns.league.test_stages import url
from tests.world.campaigns import confirmed, make_game, make_stage, reported


@pytest.fixture
def stage(campaign, gangs) -> Stage:
    """A Swiss whose first round has been played: gangs 0 and 2 won."""
    stage = make_stage(campaign, *gangs[:4])
    for one, other in (gangs[0:2], gangs[2:4]):
        game = make_game(campaign, one.owner, one, other)
        confirmed(reported(game, one.owner), other.owner)
    return Stage.objects.get(pk=stage.pk)


def settings(browser, stage, **changed) -> dict[str, object]:
    """The data of the settings' form as it is shown, with changes."""
    form = browser.get(url("stage-change", stage.pk)).context["form"]
    shown = {field.name: field.value() for field in form}
    data = {
        name: value for name, value in shown.items() if value is not None and value is not False
    }
    return {**data, "seen": stage.version, **changed}


def test_stage_ranks_by_points_before_its_first_tie_break(stage, bob, as_user):
    form = as_user(bob).get(url("stage-change", stage.pk)).context["form"]
    assert [form[f"by_{number}"].label for number in (1, 2)] == ["Tie-break 1", "Tie-break 2"]


def test_stage_shows_the_opponents_results_only_if_they_break_ties(stage, bob, as_user):
    browser = as_user(bob)
    page = browser.get(stage.get_absolute_url())
    assert "Opponents" in [name for name, _meaning in page.context["columns"]]
    data = settings(browser, stage, by_1="wins", by_2="head_to_head")
    assert browser.post(url("stage-change", stage.pk), data).status_code == 302
    page = browser.get(stage.get_absolute_url())
    assert "Opponents" not in [name for name, _meaning in page.context["columns"]]
    assert "share of the points" not in page.content.decode()


def test_organiser_chooses_the_tie_breaks(stage, bob, as_user):
    browser = as_user(bob)
    data = settings(browser, stage)
    assert [data["by_1"], data["by_2"], data["by_3"]] == ["strength", "wins", ""]
    data |= {"by_1": "taken_out", "by_2": "head_to_head", "by_3": "lots"}
    assert browser.post(url("stage-change", stage.pk), data).status_code == 302
    stage.refresh_from_db()
    assert stage.rules.ranking == ("taken_out", "head_to_head", "lots")
    seed = stage.rules.seed
    assert len(seed) == 32
    page = browser.get(stage.get_absolute_url())
    assert [one.line.place for one in page.context["standings"]] == [1, 2, 3, 4]
    text = page.content.decode()
    assert "Ranked by: points, enemies taken out, games against each other, drawing lots" in text
    assert ": drawing lots" in page.context["standings"][0].decision
    # Lots that were drawn stay drawn.
    data = settings(browser, stage, name="Winter")
    assert browser.post(url("stage-change", stage.pk), data).status_code == 302
    assert Stage.objects.get().rules.seed == seed


def test_tie_break_chosen_twice_is_refused_beside_its_field(stage, bob, as_user):
    browser = as_user(bob)
    data = settings(browser, stage, by_1="wins", by_2="wins")
    answer = browser.post(url("stage-change", stage.pk), data)
    assert answer.status_code == 422 and "This is in the list already." in answer.content.decode()
    assert Stage.objects.get().rules == stage.rules


def test_form_without_tie_breaks_changes_none(stage, bob, as_user):
    browser = as_user(bob)
    data = settings(browser, stage)
    kept = {name: value for name, value in data.items() if not name.startswith("by_")}
    assert browser.post(url("stage-change", stage.pk), kept).status_code == 302
    assert Stage.objects.get().rules == stage.rules


def test_round_robin_begins_with_games_against_each_other(campaign, gangs, bob, as_user):
    form = as_user(bob).get(url("stage-new", campaign.pk, "round-robin")).context["form"]
    assert form["by_1"].value() == "head_to_head"


def test_place_says_what_decided_it_with_numbers_that_differ(campaign, stage, gangs, bob):
    """Gang 4 joins for a second round; its opponents differ from gang 0's by a little."""
    (first, second, *_others) = standing_lines(load_stage(stage), bob)
    assert (first.line.place, second.line.place) == (1, 1) and first.line.shared
    plan = RoundPlan(
        2, timezone.localdate(), None, [FixturePlan(gangs[0], gangs[3]), FixturePlan(gangs[2])]
    )
    rounds.make_rounds(stage, [plan], expected_version=stage.version)
    game = make_game(campaign, gangs[3].owner, gangs[3], gangs[0])
    confirmed(reported(game, gangs[3].owner), gangs[0].owner)
    Stage.objects.update(options={**stage.options, "bye": 0})
    lines = standing_lines(load_stage(Stage.objects.get()), bob)
    deciding = [line.decision for line in lines if line.line.points == 3]
    assert "the opponents’ results, " in deciding[0] and "%" in deciding[0]
    assert all(line.seam.more != line.seam.less for line in (one.line for one in lines))


def test_absent_gang_gets_what_the_club_gives_without_a_battle(campaign, gangs, bob):
    stage = make_stage(campaign, *gangs[:2])
    Stage.objects.update(options={**stage.options, "loss": 1})
    settle_absence(Fixture.objects.get(), gangs[0], actor=bob)
    table = load_stage(Stage.objects.get()).table
    assert [(line.points, line.played) for line in table] == [(3, 1), (0, 0)]
    terms = ClubResults(results={"no-show": ResultRules(winner_points=2, loser_points=-1)})
    Campaign.objects.update(special_results=terms.model_dump(mode="json"))
    table = load_stage(Stage.objects.get()).table
    assert [line.points for line in table] == [2, -1]


def test_both_tables_name_the_same_opponents(campaign, stage, bob):
    rows = {row.gang: row.strength for row in rank_gangs(load_season(campaign.pk).season)}
    lines = load_stage(stage).table
    assert len(lines) == 4
    assert all(rows[line.gang] == line.strength for line in lines)


def test_bonus_counts_in_the_stage_if_the_organiser_says_so(stage, campaign, gangs, bob, as_user):
    Adjustment.objects.create(campaign=campaign, gang=gangs[1], name="Gang 1", points=7, reason="x")
    assert load_stage(stage).table[0].gang != str(gangs[1].pk)
    browser = as_user(bob)
    data = settings(browser, stage, bonus="on")
    assert browser.post(url("stage-change", stage.pk), data).status_code == 302
    page = browser.get(stage.get_absolute_url())
    assert ("Bonus", "Bonuses and penalties, part of the points") in page.context["columns"]
    first = page.context["standings"][0]
    assert (first.gang, first.line.points) == (gangs[1], 7)


def test_stage_of_an_earlier_release_says_so_and_can_be_changed(stage, bob, as_user):
    browser = as_user(bob)
    assert "edition" not in settings(browser, stage)
    Stage.objects.update(options={**stage.options, "edition": 1})
    text = browser.get(stage.get_absolute_url()).content.decode()
    assert "This stage began by earlier rules" in text
    data = settings(browser, stage)
    assert data["edition"] == 1
    assert browser.post(url("stage-change", stage.pk), data).status_code == 302
    stage.refresh_from_db()
    assert stage.rules.edition == 1
    data = settings(browser, stage, edition=2)
    assert browser.post(url("stage-change", stage.pk), data).status_code == 302
    assert Stage.objects.get().rules.edition == 2


def import_file(data: dict[str, object], bob) -> Campaign:
    file = reading.read_file(json.dumps(data).encode())
    place = file.names.index("bob")
    return importing.write_campaign(file, importer=bob, own_place=place, token=uuid.uuid4())


def test_file_keeps_the_tie_breaks(campaign, stage, bob):
    options = {**stage.options, "ranking": ["lots"], "seed": "a" * 32, "bonus": True}
    Stage.objects.update(options={**options, "first": "lots"})
    before = load_stage(Stage.objects.get())
    copy = import_file(json.loads(exporting.export_campaign(campaign)), bob)
    after = load_stage(copy.stages.get())
    assert after.stage.rules == before.stage.rules
    seeds = [line.seed for line in before.table]
    assert len(seeds) == stage.entrants.count() > 0
    assert [line.seed for line in after.table] == seeds


def test_file_of_an_earlier_release_keeps_its_places(campaign, stage, bob):
    Campaign.objects.update(table={"ranking": ["strength"]}, archived_at=timezone.now(), version=5)
    campaign.refresh_from_db()
    data = json.loads(exporting.export_campaign(campaign))
    [one] = data["stages"]
    for name in ("edition", "ranking", "seed", "bonus", "first"):
        del one["options"][name]
    del data["table"]["edition"]
    copy = import_file(data, bob)
    assert copy.stages.get().rules.edition == 1
    assert copy.standings_rules.edition == 1


def test_game_to_which_nobody_came_counts_the_same_in_both_tables(campaign, gangs, bob):
    terms = ResultRules(loser_points=-1, each_points=5, counts_loss=True)
    club = ClubResults(results={"no-show": terms})
    Campaign.objects.filter(pk=campaign.pk).update(special_results=club.model_dump(mode="json"))
    stage = make_stage(campaign, *gangs[:2])
    settle_absence(Fixture.objects.get(), None, actor=bob)
    here = load_stage(Stage.objects.get(pk=stage.pk)).table
    whole = {row.gang: row for row in rank_gangs(load_season(campaign.pk).season)}
    for line in here:
        assert (line.points, line.lost) == (-1, 1)
        assert (whole[line.gang].points, whole[line.gang].lost) == (-1, 1)
