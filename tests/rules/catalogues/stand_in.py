"""A mapping for tests of the process that calls one."""

from __future__ import annotations

from rules.catalogues.model import System
from rules.catalogues.results import Answers, Imported, Note


def guess_answers(system: System) -> Answers:
    """Suggest all catalogues, and an elder as a leader."""
    return Answers(catalogues=tuple(one.id for one in system.catalogues), roles={"elder": "leader"})


def make_game(system: System, answers: Answers) -> Imported:
    """Make a game of the names of catalogues. Some names test what a job may not do."""
    if "spins" in answers.money:
        while True:
            pass
    if "eats" in answers.money:
        return Imported({"x": "x" * (1 << 30)})
    if "fails" in answers.money:
        raise ValueError
    names = [one.name for one in system.catalogues if one.id in answers.catalogues]
    note = Note("left_out", ("Herons", "Elder"), "items", "spear", {"name": "Spear"})
    counts = {"entries": {"exact": 3, "noted": 1}}
    return Imported(
        {"name": system.system.name, "origins": names},
        (note,),
        {"elder::spear": ("items", "spear")},
        counts,
    )
