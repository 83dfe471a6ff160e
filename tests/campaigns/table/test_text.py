"""The story's sentence for every kind of tap; each changes the table, or is meant not to."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from campaigns.table.fold import fold
from campaigns.table.people import Names
from campaigns.table.taps import TAPS, AnyTap, Tap
from campaigns.table.text import describe, describe_about
from tests.rules.odds.games import MORALE
from tests.rules.small import row, text
from tests.world.tables import Evening, game, start

DEVICE, OTHER = "00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000b"
BOOK = game(
    rolls=[MORALE],
    actions=[
        row(
            "aim",
            effects=[
                {
                    "kind": "moves",
                    "whom": "by",
                    "distance": 6,
                    "unit": text("paces"),
                    "text": text("Behind the barn"),
                }
            ],
        )
    ],
)
NAMES = Names(BOOK, {}, {"1.2": "Nell", "2.1": "Boone"}, {1: "Gulch", 2: "Riders"})
TOLD: list[tuple[dict[str, Any], str]] = [
    ({"kind": "counted", "figure": "1.2", "track": "wounds", "by": -1}, "Nell: Wounds \u22121"),
    ({"kind": "counted", "side": 1, "track": "purse", "by": 2}, "Gulch: Purse +2"),
    ({"kind": "set", "figure": "1.2", "track": "wounds", "to": 1}, "Nell, Wounds: 1"),
    ({"kind": "began", "figure": "1.2", "state": "down"}, "Nell: Down"),
    ({"kind": "began", "figure": "1.2", "item": "axe", "state": "jammed"}, "Nell, Axe: Jammed"),
    ({"kind": "ended", "figure": "1.2", "state": "down"}, "Nell: no longer Down"),
    ({"kind": "out", "figure": "1.2"}, "Nell is out of action"),
    ({"kind": "out", "figure": "1.2", "by": "2.1"}, "Boone takes Nell out of action"),
    ({"kind": "out", "figure": "1.2", "mark": "fled"}, "Nell: Fled"),
    ({"kind": "back", "figure": "1.2"}, "Nell is back in the game"),
    ({"kind": "acted", "figure": "1.2"}, "Nell has acted"),
    ({"kind": "acted", "figure": "1.2", "action": "aim"}, "Nell: Aim"),
    ({"kind": "did", "figure": "1.2", "action": "aim"}, "Nell: Aim"),
    (
        {"kind": "lost_weapon", "figure": "1.2", "item": "axe"},
        "Nell cannot use this again in this game: Axe",
    ),
    (
        {"kind": "lost_weapon", "figure": "1.2", "item": "axe", "lasting": True},
        "Nell loses this for good: Axe",
    ),
    (
        {"kind": "ordered", "figure": "1.2", "action": "aim", "place": 0, "distance": 6},
        "Nell: moves 6 paces \u00b7 Behind the barn",
    ),
    ({"kind": "ordered", "side": 1, "roll": "morale", "outcome": "x", "place": 9}, "Gulch: moves"),
    ({"kind": "phase", "phase": "actions"}, "Phase: Actions"),
    ({"kind": "turn"}, "The turn is over"),
    ({"kind": "tallied", "side": 2, "tally": "gold", "by": 3}, "Riders: Gold +3"),
    (
        {
            "kind": "rolled",
            "roll": "morale",
            "by": 1,
            "at": "2.1",
            "faces": [[4, 2]],
            "outcome": "runs",
        },
        "Gulch \u2192 Boone: Morale \u00b7 4 2 \u00b7 Runs",
    ),
    ({"kind": "declined", "side": 1}, "Gulch: spending nothing this turn"),
    ({"kind": "declined", "side": 1, "holds": False}, "Gulch: to be asked again"),
    ({"kind": "runs", "side": 1}, "Gulch: running the non-players"),
    ({"kind": "runs", "side": 1, "holds": False}, "Gulch: no longer running the non-players"),
    ({"kind": "follows", "roll": "morale", "who": 2}, "Riders: next, Morale"),
    ({"kind": "dealt", "alarm": "half", "who": 1}, "Gulch: Half, done"),
    ({"kind": "dealt", "roll": "morale", "who": 1}, "Gulch: Morale, done"),
    ({"kind": "said", "text": "Charge!"}, "“Charge!”"),
    ({"kind": "over"}, "Play is over"),
    ({"kind": "over", "result": "won"}, "Play is over: Won"),
    ({"kind": "over", "result": "won", "winner": 1}, "Play is over: Won, Gulch won"),
    ({"kind": "struck", "device": DEVICE, "device_seq": 1}, "Something is undone"),
    ({"kind": "undone", "act": OTHER}, "Something is undone"),
    ({"kind": "undo_answered", "asked": OTHER, "agreed": True}, "Undo agreed"),
    (
        {"kind": "undo_answered", "asked": OTHER, "agreed": False},
        "Undo declined: the roll counts",
    ),
    (
        {"kind": "settled", "acts": [DEVICE, OTHER]},
        "A question is answered: both count",
    ),
]


@pytest.mark.parametrize(("data", "sentence"), TOLD)
def test_tap_is_described_as_a_sentence(data: dict[str, Any], sentence: str) -> None:
    assert describe(TAPS.validate_python(data), NAMES) == sentence


def test_every_kind_of_tap_is_described_and_applied() -> None:
    kinds = {type(TAPS.validate_python(data)) for data, _sentence in TOLD}
    assert kinds == set(Tap.__subclasses__()) == set(get_args(get_args(AnyTap)[0]))
    evening = Evening(start(BOOK))
    for data, _sentence in TOLD:
        evening.put(TAPS.validate_python(data))
    assert fold(evening.start, evening.log).over


@pytest.mark.parametrize(
    ("data", "words"),
    [({}, "out of action"), ({"unhurt": True}, "left the table"), ({"mark": "fled"}, "Fled")],
)
def test_departure_in_the_results_of_an_act_says_how(data: dict[str, Any], words: str) -> None:
    tap = TAPS.validate_python({"kind": "out", "figure": "1.2", **data})
    assert describe_about(tap, NAMES, "1.2") == words


def test_describe_refuses_an_unknown_kind_of_tap() -> None:
    with pytest.raises(TypeError):
        describe(Tap(), NAMES)
