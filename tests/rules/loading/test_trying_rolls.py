"""Trying rolls for figures of the book reports outcomes that never happen."""

from __future__ import annotations

from rules.loading.try_rolls import try_rolls
from tests.rules.small import Data, row, small, text


def _outcome(key: str, **fields: object) -> Data:
    return {"key": key, "name": text(key), **fields}


def test_states_and_traits_are_tried_singly_and_combined() -> None:
    steps = [{"let": "hard", "be": "by.in_state('shaken') + 2 * by.has_trait('keen')"}]
    outcomes = [
        _outcome("calm", given="hard == 0"),
        _outcome("shaken", given="hard == 1"),
        _outcome("keen", given="hard == 2"),
        _outcome("never", given="hard == 9"),
        _outcome("both"),
    ]
    book = small(
        states=[row("shaken")],
        traits=[{**row("keen"), "text": text("Keen.")}],
        rolls=[row("test", steps=steps, outcomes=outcomes)],
    )
    assert [words for _path, words in try_rolls(book)] == [
        "the outcome “never” cannot happen with any rank, item or circumstance",
    ]


def test_a_roll_is_tried_only_when_it_is_usable() -> None:
    """Elsewhere the roll would divide by zero."""
    steps = [{"let": "share", "be": "6 // near"}]
    near = row("near", kind="number", maximum=3)
    roll = row("test", steps=steps, usable="near", numbers=[{"of": "share", "name": text("n")}])
    assert [*try_rolls(small(circumstances=[near], rolls=[roll]))] == []


def test_an_effect_can_have_a_condition() -> None:
    effect = {"kind": "begins", "state": "jammed", "whom": "item", "given": "hits == 0 and dry"}
    roll = row(
        "test",
        steps=[{"count": "hits", "dice": 1, "target": 4}],
        outcomes=[_outcome("done", effects=[effect])],
    )
    book = small(circumstances=[row("dry")], states=[row("jammed", of="item")], rolls=[roll])
    assert book.roll["test"].outcomes[0].effects[0].given == "hits == 0 and dry"
    assert [*try_rolls(book)] == []


def test_targets_are_tried_with_items() -> None:
    steps = [{"let": "armed", "be": "at.carries_tagged('blade')"}]
    outcomes = [_outcome("parries", given="armed"), _outcome("struck")]
    roll = row("blow", at="member", using="item", steps=steps, outcomes=outcomes)
    assert [*try_rolls(small(rolls=[roll]))] == []
