"""The bracket of a knock-out as a tree of table cells, and the table and list of a stage."""

from __future__ import annotations

from itertools import product

import pytest

from campaigns.league.brackets import Bracket, BracketGame, BracketRound, draw_tree, load_bracket
from campaigns.league.loading import load_stage
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
