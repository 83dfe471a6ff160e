"""An item in another mode belongs to the group of that mode, which decides its level."""

from rules.book.model import Book
from rules.engine.figure import Figure
from rules.engine.situations import Side, Situation, names_in


def test_a_mode_compares_levels_by_its_own_group(blackwater: Book) -> None:
    figure = Figure(rank="henchman", worth_rank="henchman", points={"mc": 5})
    excess = {}
    for mode in (None, "point_blank"):
        situation = Situation(Side(figure, "remington_army", mode))
        excess[mode] = names_in(blackwater.under({}), situation)["item.excess"]
    assert excess == {None: 3, "point_blank": 0}
