"""Default figures of the odds form, before the reader chooses any."""

from __future__ import annotations

import pytest

from rules.engine.expressions import parse
from rules.engine.situations import Side, Situation, names_in
from rules.odds.fighters import Start, starts
from tests.world.gangs import SLUGS, shipped

# Rolls for traits, conditions, states, gear and wounds that no new member has.
NOBODY = {
    "au-un-pour-un": ["madness", "climb", "will_to_live", "first_aid", "open_cell"],
    "blackwater-gulch": ["burning", "burning_on", "jump_from_horse", "fall_from_horse", "free"],
    "cran": ["recovery", "nerve", "ended_down"],
    "du-sang-sur-la-lame": ["disengage", "fly"],
    "zombstone": ["come_round", "patch_up"],
}


@pytest.mark.parametrize("slug", SLUGS)
def test_default_figures_can_use_each_roll(slug: str) -> None:
    book = shipped(slug)
    settings = book.default_settings()
    refused = []
    for roll in book.rolls:
        if roll.usable is None or roll.using == "item":
            continue
        found = starts(book.under(settings), roll)
        target = Side(found["at"].figure) if roll.at == "member" else None
        names = names_in(book.under(settings), Situation(Side(found["by"].figure), target))
        if not parse(roll.usable).holds(names):
            refused.append(roll.key)
    assert refused == NOBODY[slug]


@pytest.mark.parametrize(
    ("slug", "roll", "by", "at"),
    [
        ("blackwater-gulch", "shot", Start("henchman"), Start("henchman")),
        ("blackwater-gulch", "revive", Start("professional", "doctor"), Start("henchman")),
        ("au-un-pour-un", "sight_test", Start("sous_fifre"), Start("sous_chef")),
        ("au-un-pour-un", "climb", Start("sous_fifre"), Start("sous_fifre")),
        ("zombstone", "last_cartridge", Start("vedette", "jeune_premier"), Start("figurant")),
        ("zombstone", "steal_the_scene", Start("vedette", "antiheros"), Start("figurant")),
        ("zombstone", "stand_in", Start("second_role"), Start("figurant")),
    ],
)
def test_default_figures_have_the_typical_rank_or_a_rank_of_the_roll(
    slug: str, roll: str, by: Start, at: Start
) -> None:
    book = shipped(slug)
    assert starts(book.usual, book.roll[roll]) == {"by": by, "at": at}
