"""Scripts of games in a few words: actors, targets, effects, and expected states.

A line describes an act, ``Thorne shot Crane: hp-1 out .``: the actor, the roll (or ``-``), the
target, and the effects: ``hp-1`` a number, ``+burning`` and ``-burning`` a state, ``out`` and with
a mark ``out:hs``, ``left`` unhurt, ``back``, ``did:action``, ``weapon:item`` and ``weapon!:item``
lost for the game or for good, ``tally:tally+1`` for their side, ``count:tally+1`` for the actor,
and ``dealt:alarm``.
An effect is on the target, unless ``self:`` or ``side:`` is before it; ``.`` ends the activation.

Also: ``turn``, ``phase end``, ``over victory``, ``phone b`` (who taps from now on), ``asleep b``
and ``awake b``, ``strike`` (what the line before said was wrong), and ``check Thorne hp 2``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from campaigns.engine.credits import Losses, deeds
from campaigns.table.fold import fold
from campaigns.table.order import find_struck, in_order
from campaigns.table.report import report_sides
from campaigns.table.state import TableFighter, begin
from campaigns.table.taps import Logged
from gangs.engine.roster import Roster
from rules.book.model import Book
from tests.gangs import rosters
from tests.world.tables import Evening

LINE = re.compile(r"(?P<by>\S+?)(?: (?P<roll>[a-z_]+|-))?(?: (?P<at>[^\s:]+))?(?:: (?P<what>.*))?$")
WORD = re.compile(
    r"(?:(?P<whom>self|side):)?"
    r"(?:(?P<sign>[+-])(?P<state>[a-z_]+)(?:/(?P<item>\w+))?"
    r"|(?P<verb>out|left|back|did|weapon!?|count|tally|dealt)(?::(?P<key>[a-z_]+)(?P<more>[+-]\d+)?)?"
    r"|(?P<track>[a-z_]+)(?P<by>[+-]\d+))$"
)


class Words:
    """The words of scripts at a table: the names of its figures, and the taps of each line."""

    book: Book
    evening: Evening
    names: dict[str, str]
    phone: str = "a"

    def key(self, word: str) -> str | int:
        """The key of the figure with this name, or the number of a side."""
        if word.isdigit():
            return int(word)
        found = [key for key, name in self.names.items() if word in re.split(r"[ \-’]", name)]
        assert len(found) == 1, f"{word}: {found}"
        return found[0]

    def called(self, who: str | int) -> str:
        """The name of a figure or side in scripts."""
        return str(who) if isinstance(who, int) else self.names[who]

    def play(self, text: str) -> None:
        """Play the script, line by line."""
        for number, line in enumerate(text.strip().splitlines()):
            line = line.partition("#")[0].strip()
            if line:
                self.line(line, f"act {number}")

    def line(self, line: str, act: str) -> None:
        """Play a line."""
        match line.split():
            case ["turn"]:
                self.tap(act, "turn")
            case ["phase", phase]:
                self.tap(act, "phase", phase=phase)
            case ["over", *result]:
                self.tap(act, "over", **({"result": result[0]} if result else {}))
            case ["phone", phone]:
                self.phone = phone
            case ["asleep", phone]:
                self.evening.asleep(phone)
            case ["awake", phone]:
                self.evening.awake(phone)
            case ["strike"]:
                last = self.evening.log[-1].act
                for logged in [one for one in self.evening.log if one.act == last]:
                    self.evening.strike(logged, self.phone)
            case ["check", word, track, number]:
                who, now = self.key(word), self.evening.now
                tracks = now.sides[who] if isinstance(who, int) else now.figures[who]
                assert (line, tracks.tracks[track]) == (line, int(number))
            case _:
                self._did(line, act)

    def _did(self, line: str, act: str) -> None:
        line, acted = (line[:-2], True) if line.endswith(" .") else (line, False)
        matched = LINE.match(line)
        assert matched, line
        by = self.key(matched["by"])
        at = self.key(matched["at"]) if matched["at"] else by
        if matched["roll"] not in (None, "-"):
            assert matched["roll"] in self.book.roll, line
            told = {"at": at} if matched["at"] else {}
            self.tap(act, "rolled", roll=matched["roll"], by=by, **told)
        for word in (matched["what"] or "").split():
            self._word(act, word, by, at)
        if acted:
            self.tap(act, "acted", figure=by)

    def _word(self, act: str, word: str, by: str | int, at: str | int) -> None:
        said = WORD.match(word)
        assert said, word
        whom: str | int = {"self": by, "side": side_of(by)}.get(said["whom"] or "", at)
        about: dict[str, Any] = {"side": whom} if isinstance(whom, int) else {"figure": whom}
        hand = {"by": by} if by != whom else {}
        amount = int(said["more"] or 0)
        match said["verb"]:
            case "out":
                self.tap(act, "out", **about, **hand, mark=said["key"])
            case "left":
                self.tap(act, "out", **about, unhurt=True)
            case "back":
                self.tap(act, "back", **about)
            case "did":
                self.tap(act, "did", figure=whom, action=said["key"])
            case "weapon" | "weapon!":
                lasting = said["verb"] == "weapon!"
                self.tap(act, "lost_weapon", **about, item=said["key"], lasting=lasting)
            case "count":
                self.tap(act, "tallied", figure=by, tally=said["key"], by=amount)
            case "tally":
                self.tap(act, "tallied", side=side_of(by), tally=said["key"], by=amount)
            case "dealt":
                self.tap(act, "dealt", alarm=said["key"], who=whom)
            case None if said["state"]:
                item = {"item": said["item"]} if said["item"] else {}
                kind = "began" if said["sign"] == "+" else "ended"
                self.tap(act, kind, **about, **item, state=said["state"])
            case None:
                self.tap(act, "counted", **about, track=said["track"], by=int(said["by"]))

    def tap(self, act: str, kind: str, **data: Any) -> Logged:
        """Make a tap of a line."""
        return self.evening.tap(kind, self.phone, act=f"{self.phone} {act}", **data)


@dataclass
class Script(Words):
    """A game in progress: two or more gangs, the log, and the alarms that have fallen due."""

    book: Book
    gangs: list[str]
    conditions: Mapping[str, list[str]] = field(default_factory=dict)
    phone: str = "a"

    def __post_init__(self) -> None:
        samples = {sample.key: sample for sample in self.book.samples}
        self.settings = self.book.default_settings()
        self.names: dict[str, str] = {}
        self.rosters: dict[int, Roster] = {}
        fighters = []
        for number, key in enumerate(self.gangs, start=1):
            sample = samples[key]
            self.settings |= sample.settings
            self.rosters[number] = rosters.ready_made(self.book, sample)
            for member in self.rosters[number].members:
                figure = self.rosters[number].figure(self.book, member)
                extra = self.conditions.get(member.name.split()[-1], ())
                figure = replace(figure, conditions=(*figure.conditions, *extra))
                one = TableFighter(
                    self.book, number, str(member.id), key, member.id, figure, member.squad
                )
                fighters.append(one)
                self.names[one.key] = member.name
        start = begin(self.book.under(self.settings), range(1, len(self.gangs) + 1), fighters)
        self.evening = Evening(start)

    @property
    def due(self) -> set[tuple[int, str, str]]:
        """The alarms that fell due and their turns, as seen after each act that counts."""
        taps = in_order(self.evening.log)
        gone = find_struck(taps)
        taps = [one for one in taps if one.key not in gone and one.tap.kind != "struck"]
        ends = [
            0,
            *(
                n
                for n, one in enumerate(taps, start=1)
                if taps[n : n + 1] == [] or taps[n].act != one.act
            ),
        ]
        found = set()
        for end in ends:
            now = fold(self.evening.start, taps[:end])
            assert not now.unknown, now.unknown
            found |= {(due.turn, due.alarm, self.called(due.who)) for due in now.due}
        return found

    # Results, in the words of the scripts.

    def marks(self) -> set[str]:
        """Figures that ended with a mark, with their attackers."""
        found = set()
        for number, report in self._reports().items():
            for member, mark in report.marks.items():
                said = f"{self._member(number, member)} {mark}"
                credit = report.credits.get(member)
                if credit is not None:
                    other = self.gangs.index(credit.gang) + 1
                    said += f" {self._member(other, credit.member)}"
                found.add(said)
        return found

    def counted(self) -> set[str]:
        """The counts of members and gangs, including enemies taken out of action."""
        found = set()
        losses = []
        for number, report in self._reports().items():
            gang, roster = self.gangs[number - 1], self.rosters[number]
            losses.append(Losses(gang, roster, roster.members, report.marks, report.credits))
            for tally, amount in report.tallies.items():
                found.add(f"{tally} {number} {amount}")
            for tally, by_member in report.counts.items():
                for member, amount in by_member.items():
                    found.add(f"{tally} {self._member(number, member)} {amount}")
        for gang, done in deeds(self.book.under(self.settings), losses).items():
            number = self.gangs.index(gang) + 1
            found |= {f"{tally} {number} {amount}" for tally, amount in done.tallies.items()}
            for tally, counted in done.counts.items():
                for member, amount in counted.items():
                    found.add(f"{tally} {self._member(number, member)} {amount}")
        return found

    def _member(self, number: int, member: int) -> str:
        return self.names[f"{number}.{member}"]

    def _reports(self) -> Any:
        gangs = dict(enumerate(self.gangs, start=1))
        return report_sides(self.evening.start, self.evening.now, gangs)

    def as_named(self, words: str) -> str:
        """An expectation, with full names in place of short names."""
        return " ".join(self._whole(word) for word in words.split())

    def _whole(self, word: str) -> str:
        return self.called(self.key(word)) if word[0].isupper() else word


def side_of(who: str | int) -> int:
    """The side of a figure, or the side itself."""
    return who if isinstance(who, int) else int(who.partition(".")[0])
