"""Everything that a figure may do in each game, line by line beside its document.

``play/SLUG.toml`` has the lines. Each names the page of the document from which it was worked out.

``figures``: the figures, by the names that lines use. ``sides``: the figures of each side, unless a
line has its own; a scenario's non-players are other1, other2 and so on. A line may have a
``scenario`` and ``settings``, and what happened before (``given``, in the words of ``scripts``).
``by`` is the first figure of side 1 and ``at`` the first of side 2, unless the line says otherwise.

``presses``: an action, and the taps that its button writes; ``offered = false``: no page offers it;
``paid = true``: the figure is still doing it, and pays nothing more.
``rolls``: a roll, the figures that ``may`` make it, and the ``targets`` of the first of them.
``outcomes``: a roll's outcome, and the taps that it writes. ``alarms``: an alarm, and the figures
and sides for which it is ``due``. ``twins``: two rolls for the same deed, and everything in which
they differ, each with its reason.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.http import QueryDict

from campaigns.table import taps as kinds
from campaigns.table.attempts.actions import find_options, pay_action
from campaigns.table.attempts.attempt import Attempt
from campaigns.table.attempts.effects import sort_taps
from campaigns.table.attempts.entering import say_outcome
from campaigns.table.attempts.forms import AT, BY, ITEM, NobodyHere, read_form
from campaigns.table.people import Names, find_nonplayers
from campaigns.table.state import TableFighter, begin
from campaigns.table.taps import NONPLAYERS, AnyTap
from rules.book.model import Book
from rules.book.rolls import Roll
from rules.odds.chances import spends
from tests.campaigns.table.scripts import Words
from tests.rules.conftest import BOOKS
from tests.world.attempts import figure
from tests.world.gangs import shipped
from tests.world.tables import Evening

FOLDER = Path(__file__).parent / "play"
KINDS = ("presses", "rolls", "outcomes", "alarms", "twins")


class Scene(Words):
    """The table of one line, as it was before."""

    def __init__(self, book: Book, lines: Mapping[str, Any], line: Mapping[str, Any]) -> None:
        scenario = line.get("scenario", "")
        settings = {**book.default_settings(), **line.get("settings", {})}
        self.book, self.names, fighters = book, {}, []
        for number, side in enumerate(line.get("sides", lines["sides"]), start=1):
            for place, name in enumerate(side, start=1):
                one = _figure(lines["figures"][name])
                fighters.append(
                    TableFighter(book, number, str(place), f"gang-{number}", place, one)
                )
                self.names[fighters[-1].key] = name
        sides = sorted({one.side for one in fighters})
        others = find_nonplayers(book.under(settings), scenario, {})
        for number, (key, person) in enumerate(others.items(), start=1):
            fighters.append(person.fighter)
            self.names[key] = f"other{number}"
        sides += [NONPLAYERS] if others else []
        self.evening = Evening(begin(book.under(settings), sides, fighters, scenario))
        self.play(line.get("given", ""))
        assert not self.evening.now.unknown, line
        self.by = self.key(line["by"]) if "by" in line else "1.1"
        self.at = self.key(line["at"]) if "at" in line else "2.1"

    def key(self, word: str) -> str | int:
        """Return the key of the figure with exactly this name, or the number of a side."""
        if word.isdigit():
            return int(word)
        return next(key for key, name in self.names.items() if name == word)

    def attempt(self, line: Mapping[str, Any], roll: str = "") -> Attempt:
        """Return the attempt of a line: at its target, if its roll has one."""
        item, _dot, mode = line.get("item", "").partition(".")
        at_item, _dot, at_mode = line.get("at_item", "").partition(".")
        at: str | int | None = self.at
        row = self.book.roll.get(roll)
        if row is not None and row.at == "nobody" or row is None and "at" not in line:
            at = None
        return Attempt(
            self.by,
            roll,
            at,
            item or None,
            mode or None,
            at_item or None,
            at_mode or None,
            said=line.get("said", {}),
            action=line.get("action"),
        )

    def in_words(self, taps: Iterable[AnyTap]) -> list[str]:
        """Return taps in words, each with the figure or side that it is about; without dice."""
        return [self._in_words(tap) for tap in taps if not isinstance(tap, kinds.Rolled)]

    def _in_words(self, tap: AnyTap) -> str:
        match tap:
            case kinds.Counted():
                counter = f"{tap.track}/{tap.item}" if tap.item else tap.track
                return f"{self._whom(tap)} {counter}{tap.by:+}"
            case kinds.SetTo():
                return f"{self._whom(tap)} {tap.track}={tap.to}"
            case kinds.Began():
                until = f" until {tap.until}" if tap.until else ""
                return f"{self._whom(tap)} +{self._state(tap)}{until}"
            case kinds.Ended():
                return f"{self._whom(tap)} -{self._state(tap)}"
            case kinds.Out():
                how = "left" if tap.unhurt else "out"
                mark = f":{tap.mark}" if tap.mark else ""
                hand = f" by {self.called(tap.by)}" if tap.by else ""
                return f"{self.called(tap.figure)} {how}{mark}{hand}"
            case kinds.Back():
                return f"{self.called(tap.figure)} back"
            case kinds.Acted():
                action = f" {tap.action}" if tap.action else ""
                return f"{self.called(tap.figure)} acted{action}"
            case kinds.Did():
                return f"{self.called(tap.figure)} did {tap.action}"
            case kinds.LostWeapon():
                return f"{self.called(tap.figure)} weapon{'!' * tap.lasting}:{tap.item}"
            case kinds.Ordered():
                distance = "" if tap.distance is None else f" {tap.distance}"
                return f"{self._whom(tap)} moves{distance}"
            case kinds.Tallied():
                return f"{self._whom(tap)} tally {tap.tally}{tap.by:+}"
            case kinds.Followed():
                at = "" if tap.at is None else f" at {self.called(tap.at)}"
                return f"{self.called(tap.who)} then {tap.roll}{at}{' many' * tap.many}"
            case kinds.Dealt():
                return f"{self.called(tap.who)} dealt {tap.alarm or tap.roll}"
        raise AssertionError(tap)

    def _whom(self, tap: Any) -> str:
        return self.called(tap.figure if tap.figure is not None else tap.side)

    def _state(self, tap: kinds.Began | kinds.Ended) -> str:
        return f"{tap.state}/{tap.item}" if tap.item else tap.state

    def _offers(self, key: str) -> set[str]:
        """Return the rolls that pages offer a figure."""
        found = find_options(self.evening.start, self.evening.now, key)
        throws = [throw for deed in found.deeds for throw in deed.throws]
        offered = {throw.roll.key for throw in (*throws, *found.others)}
        alarms = self.book.alarm
        return offered | {roll for due in found.due if (roll := alarms[due.alarm].roll)}

    def may(self, roll: str) -> list[str]:
        """Return the figures of gangs that are offered a roll."""
        gangs = [key for key in self.names if not key.startswith(f"{NONPLAYERS}.")]
        return [self.names[key] for key in gangs if roll in self._offers(key)]

    def targets(self, line: Mapping[str, Any], by: str) -> list[str]:
        """Return the figures that the form of a roll offers as targets."""
        sides = {number: str(number) for number in self.evening.now.sides}
        chosen = {BY: by} | ({ITEM: line["item"]} if "item" in line else {})
        data = QueryDict(mutable=True)
        data.update(chosen)
        try:
            form = read_form(
                data,
                self.evening.start,
                self.evening.now,
                Names(self.book, {}, self.names, sides),
                line["roll"],
            )
        except NobodyHere:
            return []
        if not form.whom.has(AT):
            return []
        field: Any = form.whom.fields[AT]
        return [self.called(key) for _group, some in field.choices for key, _name in some]


@cache
def _lines(slug: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{slug}.toml").read_text("utf-8"))


def _figure(declared: Mapping[str, Any]) -> Any:
    more = {key: value for key, value in declared.items() if key not in ("rank", "items")}
    tuples = {
        key: tuple(value) if isinstance(value, list) else value for key, value in more.items()
    }
    return figure(declared["rank"], *declared.get("items", ()), **tuples)


SLUGS = sorted(folder.name for folder in BOOKS.iterdir() if folder.is_dir())


def _every(kind: str) -> list[Any]:
    return [
        pytest.param(slug, line, id=f"{slug}-{number}-{line.get('action') or line.get('roll')}")
        for slug in SLUGS
        for number, line in enumerate(_lines(slug).get(kind, ()), start=1)
    ]


@pytest.mark.parametrize(("slug", "line"), _every("presses"))
def test_a_press_writes_what_the_document_says(slug: str, line: dict[str, Any]) -> None:
    scene = Scene(shipped(slug), _lines(slug), line)
    assert isinstance(scene.by, str)
    start, now = scene.evening.start, scene.evening.now
    deeds = {deed.action.key: deed for deed in find_options(start, now, scene.by).deeds}
    deed = deeds.get(line["action"])
    if not line.get("offered", True):
        assert deed is None, line
        assert "writes" not in line
        return
    assert deed is not None, line
    assert line.get("affordable", True) == deed.affordable, line
    assert line.get("paid", False) == deed.repeated, line
    attempt = replace(scene.attempt(line), free=deed.repeated)
    assert scene.in_words(sort_taps(pay_action(start, now, attempt))) == line["writes"]


@pytest.mark.parametrize(("slug", "line"), _every("rolls"))
def test_a_roll_is_offered_to_those_whom_the_document_names(
    slug: str, line: dict[str, Any]
) -> None:
    scene = Scene(shipped(slug), _lines(slug), line)
    assert scene.may(line["roll"]) == line["may"], line
    if line["may"] and "targets" in line:
        found = scene.targets(line, str(scene.key(line["may"][0])))
        assert found == line["targets"], line


@pytest.mark.parametrize(("slug", "line"), _every("outcomes"))
def test_an_outcome_writes_what_the_document_says(slug: str, line: dict[str, Any]) -> None:
    scene = Scene(shipped(slug), _lines(slug), line)
    start, now = scene.evening.start, scene.evening.now
    attempt, happened = scene.attempt(line, line["roll"]), line.get("happened", ())
    outcome = line.get("outcome")
    said = say_outcome(start, now, attempt, outcome, line.get("numbers", {}), happened)
    assert scene.in_words(sort_taps(said)) == line["writes"]


@pytest.mark.parametrize(("slug", "line"), _every("alarms"))
def test_an_alarm_is_due_for_those_whom_the_document_names(slug: str, line: dict[str, Any]) -> None:
    scene = Scene(shipped(slug), _lines(slug), line)
    assert line["alarm"] in scene.book.alarm
    due = [scene.called(one.who) for one in scene.evening.now.due if one.alarm == line["alarm"]]
    assert due == line["due"], line


@pytest.mark.parametrize(("slug", "line"), _every("twins"))
def test_twins_differ_only_as_their_lines_explain(slug: str, line: dict[str, Any]) -> None:
    scene = Scene(shipped(slug), _lines(slug), line)
    plain, twin = (set(_traits(scene, scene.book.roll[line[key]])) for key in ("plain", "twin"))
    assert sorted(plain - twin) == sorted(line.get("only_plain", {}))
    assert sorted(twin - plain) == sorted(line.get("only_twin", {}))
    reasons = [*line.get("only_plain", {}).values(), *line.get("only_twin", {}).values()]
    assert all(reasons), line


def _traits(scene: Scene, roll: Roll) -> Iterator[str]:
    """Yield everything in which two rolls for the same deed may differ: their circumstances,
    modifiers, things to spend, numbers, and outcomes with their effects."""
    asked = replace(Attempt(scene.by), roll=roll.key).question(
        scene.evening.start, scene.evening.now
    )
    yield from (f"asks {row.key}" for row in asked.ready.asked)
    yield f"by {roll.by}, at {roll.at}, using {roll.using}"
    yield f"usable {roll.usable}"
    for modifier in scene.book.modifiers:
        if roll.key in modifier.rolls or not (modifier.rolls or modifier.actions):
            yield f"modified {modifier.on} by {modifier.amount} if {modifier.given}"
    yield from (f"spend {row.key}" for row in spends(asked))
    yield from (f"number {row.of}" for row in roll.numbers)
    for outcome in roll.outcomes:
        yield f"outcome {outcome.key}"
        for effect in roll.effects_of(outcome):
            told = effect.model_dump(exclude_defaults=True, exclude={"text", "unit"})
            words = " ".join(f"{key}={value}" for key, value in told.items() if key != "kind")
            yield f"outcome {outcome.key}: {effect.kind} {words}".strip()


@pytest.mark.parametrize("slug", SLUGS)
def test_every_part_of_a_rulebook_has_its_lines(slug: str) -> None:
    book, lines = shipped(slug), _lines(slug)
    some = {kind: lines.get(kind, []) for kind in KINDS}
    pressed = Counter((line["action"], line.get("offered", True)) for line in some["presses"])
    for action in book.actions:
        assert pressed[action.key, True], action.key
        if action.usable or action.scenarios:
            assert pressed[action.key, False], f"{action.key} is never refused"
    rolled = {line["roll"] for line in some["rolls"]}
    assert rolled == {row.key for row in book.rolls}
    had = {(line["roll"], line.get("outcome")) for line in some["outcomes"]}
    for roll in book.rolls:
        for outcome in roll.outcomes:
            if roll.effects_of(outcome):
                assert (roll.key, outcome.key) in had, f"{roll.key} {outcome.key}"
    assert {line["alarm"] for line in some["alarms"]} == {row.key for row in book.alarms}
    played = {line.get("scenario") for kind in KINDS for line in some[kind]}
    assert {row.key for row in book.scenarios} <= played
    assert all(line["source"] for kind in KINDS for line in some[kind])
