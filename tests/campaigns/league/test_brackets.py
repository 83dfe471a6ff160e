"""The bracket of a knock-out as a tree of table cells, and the table and list of a stage."""

from __future__ import annotations

from itertools import product

import pytest
from django.urls import reverse

from accounts.models import Notice
from accounts.notices import describe
from campaigns.league import rounds, stages
from campaigns.league.brackets import Bracket, BracketGame, BracketRound, draw_tree, load_bracket
from campaigns.league.draws import propose_rounds
from campaigns.league.loading import load_stage
from campaigns.league.pages import name_round
from campaigns.league.settling import settle_absence
from campaigns.models import Fixture, Game, Side, Stage
from printing.paper.forms import PaperForm
from printing.paper.orders import Order
from printing.season import stage_sheet as stage_print
from tests.world.campaigns import make_stage


def empty_bracket(first: int) -> Bracket:
    """Return a bracket with this many games in its first round."""
    sizes = [first >> number for number in range(first.bit_length())]
    return Bracket(
        [BracketRound(f"round of {size}", [BracketGame() for _ in range(size)]) for size in sizes]
    )


@pytest.mark.parametrize("first", [1, 2, 4, 8, 32])
def test_tree_covers_its_table_exactly(first):
    bracket = empty_bracket(first)
    tree = draw_tree(bracket)
    shown = bracket.rounds[-4:]
    assert tree.titles == [column.title for column in shown]
    taken: dict[tuple[int, int], str] = {}
    for number, row in enumerate(tree.rows):
        column = 0
        for cell in row:
            while (number, column) in taken:
                column += 1
            for below in range(cell.rows):
                assert (number + below, column) not in taken
                taken[number + below, column] = cell.kind
    width = 3 * len(shown) - 2
    assert set(taken) == set(product(range(len(tree.rows)), range(width)))
    games = [cell.game for row in tree.rows for cell in row if cell.kind == "game"]
    assert {id(game) for game in games} == {id(game) for one in shown for game in one.games}


def test_lines_of_a_tree_join_two_games_to_the_next():
    tree = draw_tree(empty_bracket(2))
    kinds = [[cell.kind for cell in row] for row in tree.rows]
    assert kinds == [["game", "none", "into", "game"], ["down"], ["game", "up", "none"], ["none"]]


def test_bracket_shows_games_to_come(campaign, gangs):
    stage = make_stage(campaign, *gangs[:4], stage_format="knock-out")
    bracket = load_bracket(load_stage(stage))
    assert [len(column.games) for column in bracket.rounds] == [2, 1]
    semi, final = bracket.rounds[0].games[0], bracket.rounds[1].games[0]
    assert [side.name for side in semi.sides] == ["Gang 0", "Gang 1"] and semi.note
    assert final == BracketGame() and bracket.third is None


def test_leader_is_marked_only_when_alone_in_front(campaign, gangs, bob, as_user):
    stage = make_stage(campaign, *gangs[:4])
    page = as_user(bob).get(stage.get_absolute_url()).content.decode()
    assert "is-first" not in page
    assert "After 2 rounds" in page


class TestEmptyPlaces:
    @pytest.fixture
    def stage(self, campaign, gangs) -> Stage:
        return make_stage(campaign, *gangs[:4], stage_format="knock-out")

    def test_champion_is_named_when_both_others_drop_out(self, stage, gangs, bob, as_user):
        first = Fixture.objects.get(number=1)
        settle_absence(first, gangs[0], actor=bob)
        for gang in gangs[2:4]:
            stages.drop_out(stage, gang)
        page = as_user(bob).get(stage.get_absolute_url())
        assert page.context["winner"] == "Gang 0" and not page.context["may_draw"]
        (final,) = page.context["bracket"].rounds[1].games
        assert [side.name for side in final.sides] == ["Gang 0"]
        assert final.note == "no opponent is left"
        assert "no opponent is left" in page.content.decode()

    def test_stage_ends_without_winner_when_nobody_came(self, stage, gangs, bob, as_user):
        for fixture in Fixture.objects.all():
            settle_absence(fixture, None, actor=bob)
        page = as_user(bob).get(stage.get_absolute_url())
        words = "Nobody is left: this stage ends without a winner."
        assert words in page.content.decode() and not page.context["may_draw"]
        printed = stage_print.job(load_stage(stage), bob, PaperForm(None).order(Order))
        assert words in printed.html

    def test_draw_says_which_fixture_waits_for_a_decision(self, stage, gangs, bob):
        fixture = Fixture.objects.get(number=1)
        settle_absence(fixture, gangs[0], actor=bob)
        Game.objects.update(how="played", result="draw")
        Side.objects.update(side="level")
        loaded = load_stage(stage)
        assert "say on the fixture who goes on: Gang 0 – Gang 1." in propose_rounds(loaded).note

    def test_page_says_which_draw_the_bracket_waits_for(self, stage, gangs, bob, as_user):
        fixture = Fixture.objects.get(number=1)
        settle_absence(fixture, gangs[0], actor=bob)
        Game.objects.update(how="played", result="draw")
        Side.objects.update(side="level")
        words = "After a draw, say on the fixture who goes on: Gang 0 – Gang 1."
        url = stage.get_absolute_url()
        assert words in as_user(bob).get(url).content.decode()
        assert words not in as_user(gangs[0].owner).get(url).content.decode()
        stage.refresh_from_db()
        rounds.advance(fixture, gangs[1], expected_version=stage.version)
        assert words not in as_user(bob).get(url).content.decode()

    def test_first_round_is_drawn_again_beside_its_game(self, stage, gangs, bob, as_user):
        settle_absence(Fixture.objects.get(number=1), gangs[0], actor=bob)
        browser = as_user(bob)
        data = {"clear": "", "seen": Stage.objects.get().version}
        answer = browser.post(reverse("campaigns:round-change", args=[stage.pk, 1]), data)
        page = browser.get(answer.url)
        assert "drawn again by seeds" in page.content.decode()
        answer = browser.post(answer.url, {"seen": Stage.objects.get().version})
        assert answer.status_code == 302
        again = Fixture.objects.get(number=2)
        assert (again.home, again.away) == (gangs[2], gangs[3])


def test_rounds_of_a_knock_out_have_the_same_name_everywhere(campaign, gangs, bob, client, as_user):
    stage = make_stage(campaign, *gangs[:4], stage_format="knock-out")
    options = {**stage.options, "third": True}
    Stage.objects.filter(pk=stage.pk).update(options=options)
    player = gangs[0].owner
    browser = as_user(player)
    [notice] = player.notices.filter(kind="round_opened")
    assert describe(notice).startswith(f"Autumn ({campaign.name}), Semi-finals: you meet Gang 1")
    assert "Autumn · Semi-finals" in browser.get("/tonight/").content.decode()
    assert "Semi-finals · from" in browser.get(campaign.get_absolute_url()).content.decode()
    feed = client.get(reverse("campaigns:night-feed", args=[campaign.watch_key]))
    assert r"first day\, Semi-finals (Autumn)" in feed.content.decode().replace("\r\n ", "")
    for fixture in Fixture.objects.all():
        settle_absence(fixture, fixture.home, actor=bob)
    assert "Autumn · Semi-finals" in game_page(browser, Fixture.objects.get(number=1))
    as_user(bob).post(
        reverse("campaigns:stage-draw", args=[stage.pk]), {"seen": Stage.objects.get().version}
    )
    final, third = Fixture.objects.filter(round__number=2).order_by("number")
    for fixture in (final, third):
        settle_absence(fixture, fixture.home, actor=bob)
    assert "Autumn · Final" in game_page(browser, final)
    assert "Autumn · Third place" in game_page(browser, third)
    opened = [describe(one) for one in Notice.objects.filter(kind="round_opened")]
    assert any("Third place: you meet" in words for words in opened)


def game_page(browser, fixture: Fixture) -> str:
    fixture.refresh_from_db()
    return browser.get(fixture.game.get_absolute_url()).content.decode()


def test_first_round_is_proposed_by_the_name_that_it_gets(campaign, gangs):
    assert make_stage(campaign, *gangs[:4], stage_format="knock-out").rounds.get().delete()
    loaded = load_stage(Stage.objects.get())
    assert name_round(loaded, 1) == "Semi-finals"
