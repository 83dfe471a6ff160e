"""A gang that drops out of a round robin: its results stand, or count for nobody."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable

import pytest
from django.db import connection
from django.db.models import Q
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from campaigns.files.exporting import export_campaign
from campaigns.league import stages
from campaigns.league.loading import load_stage
from campaigns.models import Campaign, Entrant, Fixture, Stage
from gangs.models import Gang
from tests.campaigns.league.test_league_files import import_file
from tests.campaigns.league.test_one_day import enter_results
from tests.world.campaigns import make_stage

AsUser = Callable[[User], Client]


@pytest.fixture
def stage(make_round_robin: Callable[[int], Stage]) -> Stage:
    """Return a round robin of four gangs with all its rounds."""
    return make_round_robin(0)


def brute_force(gangs: list[Gang], without: Gang | None) -> dict[str, int]:
    """Count three points for each win among the decided games, in which the first of two won."""
    found = {str(gang.pk): 0 for gang in gangs}
    order = [gang.pk for gang in gangs]
    decided = Fixture.objects.filter(game__status="confirmed")
    for home, away in decided.values_list("home", "away"):
        if without is None or without.pk not in (home, away):
            found[str(min(home, away, key=order.index))] += 3
    return found


def table(stage: Stage) -> dict[str, int]:
    return {line.gang: line.points for line in load_stage(Stage.objects.get(pk=stage.pk)).table}


@pytest.mark.parametrize(("played", "choice"), [*itertools.product((1, 2), ("stand", "annul"))])
def test_organiser_decides_about_the_results_and_again_later(
    stage: Stage, gangs: list[Gang], bob: User, as_user: AsUser, played: int, choice: str
) -> None:
    client, four = as_user(bob), gangs[:4]
    for number in range(1, played + 1):
        enter_results(client, stage, number, four)
    leaver = four[0]
    where = reverse("campaigns:stage-drop-out", args=[stage.pk, leaver.pk])
    assert where in client.get(reverse("campaigns:stage-change", args=[stage.pk])).content.decode()
    page = client.get(where).content.decode()
    # One game of three is less than half.
    proposed = "annul" if played == 1 else "stand"
    assert f'value="{proposed}" ' in page.partition("checked")[0].rpartition("<input")[2]
    before = brute_force(four, None)
    assert table(stage) == before
    for chosen in (choice, "stand", "annul", choice):
        assert client.post(where, {"results": chosen}).status_code == 302
        expected = brute_force(four, leaver) if chosen == "annul" else before
        assert table(stage) == expected
    decided = Fixture.objects.filter(Q(home=leaver) | Q(away=leaver), game__status="confirmed")
    french = Client(headers={"accept-language": "fr"})
    french.force_login(bob)
    for page in (stage, decided[0]):
        for browser, words in ((client, "result annulled"), (french, "résultat annulé")):
            shown = browser.get(page.get_absolute_url()).content.decode()
            assert (words in shown) == (choice == "annul")
    words = client.get(stage.get_absolute_url()).content.decode()
    note = f"Results annulled, in this stage only: {leaver.name}."
    assert (note in words) == (choice == "annul")
    shown = client.get(decided[0].get_absolute_url()).content.decode()
    assert shown.count("Place ") == (1 if choice == "annul" else 2)
    text = export_campaign(stage.campaign).decode()
    assert text.count('"is_annulled": true') == (choice == "annul")
    arrived = import_file(json.loads(text), bob)
    assert [line.points for line in load_stage(arrived.stages.get()).table] == [
        line.points for line in load_stage(stage).table
    ]
    # Coming back, it has its results again.
    stages.enter(stage, leaver)
    assert not Entrant.objects.get(gang=leaver).is_annulled and table(stage) == before


def test_only_organisers_decide(
    stage: Stage, gangs: list[Gang], bob: User, dora: User, as_user: AsUser, client: Client
) -> None:
    where = reverse("campaigns:stage-drop-out", args=[stage.pk, gangs[0].pk])
    player = gangs[0].owner
    assert player is not None
    for user in (player, dora):
        browser = as_user(user)
        assert browser.get(where).status_code == 404
        assert browser.post(where, {"results": "annul"}).status_code == 404
    assert "/login/" in client.post(where, {"results": "annul"}).headers["Location"]
    assert not Entrant.objects.exclude(left_at=None).exists()
    organiser = as_user(bob)
    assert organiser.get(where).status_code == 200
    assert organiser.post(where, {"results": "x"}).status_code == 422


def test_places_of_a_closed_stage_stay(
    stage: Stage, gangs: list[Gang], bob: User, as_user: AsUser
) -> None:
    client, where = as_user(bob), reverse("campaigns:stage-drop-out", args=[stage.pk, gangs[0].pk])
    enter_results(client, stage, 1, gangs[:4])
    stages.close(stage, expected_version=Stage.objects.get(pk=stage.pk).version)
    before = table(stage)
    change = client.get(reverse("campaigns:stage-change", args=[stage.pk])).content.decode()
    assert where not in change
    answer = client.post(where, {"results": "annul"})
    assert answer.status_code == 422 and "This stage is closed." in answer.content.decode()
    assert table(stage) == before and not Entrant.objects.exclude(left_at=None).exists()
    stages.reopen(stage, expected_version=Stage.objects.get(pk=stage.pk).version)
    assert client.post(where, {"results": "annul"}).status_code == 302
    assert table(stage) != before


def test_pages_ask_as_many_questions_for_more_results(
    stage: Stage, gangs: list[Gang], bob: User, as_user: AsUser
) -> None:
    """The pages of the stage and of the drop-out make the same queries after three rounds as
    after one."""
    client, counts = as_user(bob), []
    where = reverse("campaigns:stage-drop-out", args=[stage.pk, gangs[0].pk])
    for number in (1, 2, 3):
        enter_results(client, stage, number, gangs[:4])
        client.post(where, {"results": "annul"})
        stages.enter(stage, gangs[0])
        if number == 1:
            client.get(stage.get_absolute_url())
        with CaptureQueriesContext(connection) as captured:
            for address in (stage.get_absolute_url(), where):
                assert client.get(address).status_code == 200
        counts.append(len(captured))
    assert len(set(counts)) == 1, counts


def test_other_formats_have_no_such_choice(
    campaign: Campaign, gangs: list[Gang], bob: User, as_user: AsUser
) -> None:
    swiss = make_stage(campaign, *gangs[:4])
    where = reverse("campaigns:stage-drop-out", args=[swiss.pk, gangs[0].pk])
    assert as_user(bob).get(where).status_code == 404


def test_annulled_gang_takes_no_place(
    stage: Stage, gangs: list[Gang], bob: User, as_user: AsUser
) -> None:
    """Where defeats cost points, a gang without results would be ahead of those that have lost."""
    client, four = as_user(bob), gangs[:4]
    Stage.objects.filter(pk=stage.pk).update(options={**stage.options, "loss": -1})
    enter_results(client, stage, 1, four)
    leaver = four[0]
    where = reverse("campaigns:stage-drop-out", args=[stage.pk, leaver.pk])
    assert client.post(where, {"results": "annul"}).status_code == 302
    lines = load_stage(Stage.objects.get(pk=stage.pk)).table
    assert [(line.place, line.points) for line in lines] == [(1, 3), (2, 0), (3, -1), (4, 0)]
    assert lines[-1].gang == str(leaver.pk)


def test_stage_counts_the_gangs_that_began_and_says_how_many_dropped_out(
    stage: Stage, gangs: list[Gang], bob: User, as_user: AsUser
) -> None:
    """The table still has the gang, and a closed stage was one of four gangs."""
    client = as_user(bob)
    assert "Round robin · 4 gangs · 3 rounds" in page_of(client, stage)
    enter_results(client, stage, 1, gangs[:4])
    stages.drop_out(stage, gangs[0])
    assert "Round robin · 4 gangs, 1 of them dropped out · 3 rounds" in page_of(client, stage)
    french = Client(headers={"accept-language": "fr"})
    french.force_login(bob)
    assert "4 bandes, dont 1 a abandonné" in page_of(french, stage)


def page_of(client: Client, stage: Stage) -> str:
    return client.get(stage.get_absolute_url()).content.decode()
