"""Cells of an item read the numbers and traits of its bearer."""

from rules.engine.cells import work_out
from rules.engine.profiles import profile
from rules.engine.situations import bearer_names
from tests.rules.small import Data, figure, row, small, text

COLUMN: Data = {"key": "cost", "name": text("Cost"), "kind": "number"}


def test_a_cell_can_read_a_trait_of_its_bearer() -> None:
    column = {**COLUMN, "names": {"2": "2 - by.has_trait('quick')"}}
    arms = [row("arms", columns=[column]), row("goods")]
    book = small(groups=arms)
    for traits, cost in (((), 2), (("quick",), 1), (("lucky",), 2)):
        somebody = figure(traits=traits)
        known = profile(book.usual, somebody)
        worked = work_out(book.group["arms"].columns[0], "2", bearer_names(book, somebody, known))
        assert worked is not None and worked.number == cost
