"""The odds of a sample attack."""

from __future__ import annotations

from rules.loading.sample_odds import MOST_WEAPONS, Attack, sample_odds
from tests.rules.small import row, small, text


def test_sample_attack_finds_the_weapons_of_its_group_behind_a_long_list() -> None:
    groups = [row("gear"), row("blades")]
    gear = [row(f"gear-{number}", group="gear", price=1) for number in range(2 * MOST_WEAPONS)]
    sword = row("sword", group="blades", price=1)
    roll = row(
        "strike",
        using="item",
        usable="item.in_group('blades')",
        steps=[{"count": "hits", "dice": 1, "target": 4}],
        outcomes=[
            {"key": "hit", "name": text("Hit"), "given": "hits > 0"},
            {"key": "missed", "name": text("Missed")},
        ],
    )
    book = small(groups=groups, items=[*gear, sword], rolls=[roll])
    found = sample_odds(book, Attack("strike"))
    assert found is not None and found.attack.item == "sword"
    assert [chance for _name, chance in found.lines] == [50, 50]
