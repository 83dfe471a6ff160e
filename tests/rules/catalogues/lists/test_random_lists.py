"""Random lists are legal, reach every option, and are the same from the same seed."""

from __future__ import annotations

import pytest

from tests.random_cases import SEED, cases
from tests.rules.catalogues.lists.evaluator import Data, Evaluated
from tests.rules.catalogues.lists.games import GAMES, files_of
from tests.rules.catalogues.lists.random_lists import Drawing, recorded

DATA = {key: Data.read(files_of(game)) for key, game in GAMES.items()}
PLAYABLE = [(key, catalogue) for key, data in DATA.items() for catalogue in data.playable]
LISTS = cases(10, 1_000)
# Options that no legal list has: whale oil is sold at the docks only.
NEVER = {"ves-north": {"n-keeper::k-lantern::whale", "n-lighter::l-lantern::whale"}}


@pytest.mark.parametrize(("key", "catalogue"), PLAYABLE)
def test_lists_are_legal_and_have_every_option(key: str, catalogue: str) -> None:
    drawing = Drawing(DATA[key], catalogue, 1, recorded(GAMES[key]))
    lists = [drawing.draw() for _ in range(60)]
    assert len(set(lists)) > 20
    assert not any(Evaluated(DATA[key], catalogue, one).violations() for one in lists[:10])
    assert drawing.options() - drawing.drawn.keys() == NEVER.get(catalogue, set())


def test_list_is_the_same_from_the_same_seed() -> None:
    data = DATA["smugglers"]
    first, same, other = (Drawing(data, "slt-marsh", seed) for seed in (1, 1, 2))
    assert [first.draw() for _ in range(5)] == [same.draw() for _ in range(5)]
    assert first.draw() != other.draw()


@pytest.mark.parametrize(("key", "catalogue"), PLAYABLE)
def test_spoilt_lists_break_many_limits(key: str, catalogue: str) -> None:
    drawing = Drawing(DATA[key], catalogue, 1, recorded(GAMES[key]))
    lists = [Evaluated(DATA[key], catalogue, drawing.draw_spoilt()) for _ in range(40)]
    broken = {one.id for found in lists for one in found.violations()}
    assert len(broken) >= 4
    assert sum(not found.violations() for found in lists) >= 5


@pytest.mark.random(cases=LISTS)
@pytest.mark.parametrize(("key", "catalogue"), PLAYABLE)
def test_json_gives_the_same_answers(key: str, catalogue: str) -> None:
    drawing = Drawing(DATA[key], catalogue, int(SEED))
    other = Data.read(files_of(GAMES[key], "json"))
    for _ in range(LISTS):
        picks = drawing.draw_spoilt()
        one, same = (Evaluated(data, catalogue, picks) for data in (DATA[key], other))
        assert one.violations() == same.violations()
        assert {key: one.total(key) for key in DATA[key].cost_types} == {
            key: same.total(key) for key in other.cost_types
        }
