"""Dice in words and signs: whose roll it is, for what, what it needs and why, and how it fell."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import Literal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from campaigns.table.attempts.attempt import Attempt
from campaigns.table.people import Names
from gangs.text.formats import localize
from rules.book.rolls import Again, Count, HandOfDice, Sum, ThrowHand, ThrowStep
from rules.book.vocabulary import Text
from rules.engine.cells import columns_of
from rules.engine.compiling import CompiledHand, CompiledSum
from rules.engine.playing import Path, Thrown, Wanted, find_steps
from rules.engine.situations import ROWS_ASKED, spell
from rules.odds.chances import Question
from rules.odds.explaining import Part, Receipt, ThrowReason, Watch
from rules.odds.forms import COUNTS
from rules.odds.results import name_round

Fate = Literal["plain", "good", "bad", "again"]
# Words that a screen reader says after the face of a die, by its fate.
COUNTED = {"good": gettext_noop("success"), "bad": gettext_noop("failure")}
KEPT = {"good": gettext_noop("it counts"), "bad": gettext_noop("it does not count")}


@dataclass(frozen=True)
class Die:
    """A die as it fell. ``fate``: it succeeded, failed, was thrown again, or none of these;
    ``words``: the fate in words, "" for none."""

    face: str
    fate: Fate = "plain"
    words: str = ""


@dataclass(frozen=True)
class NumberLine:
    """A number with its name, and the parts that it adds up."""

    name: str
    value: str
    parts: tuple[str, ...]


@dataclass(frozen=True)
class DiceLine:
    """Dice that are thrown together. ``words``: their number and kind; ``sentence``: whose roll it
    is, and for what; ``target``: what it needs, and what is added to it, and why; ``dice``: the
    dice, if they have fallen; ``result``: what they give; ``again``: they are thrown again, next to
    the ``kept`` dice;
    ``signs``: the names of all faces, if they are not numbers; ``numbers``: the receipts of the
    numbers in the line; ``round``: the name of their round in a loop; ``tied``: after a tie."""

    words: str
    sentence: str = ""
    target: str = ""
    dice: tuple[Die, ...] = ()
    result: str = ""
    again: bool = False
    kept: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    numbers: tuple[NumberLine, ...] = ()
    round: str = ""
    tied: bool = False


@dataclass(frozen=True)
class DiceWords:
    """The words for the dice of one attempt at a table."""

    asked: Question
    names: Names
    attempt: Attempt

    def lines(self, watch: Watch, throws: Sequence[Thrown]) -> list[DiceLine]:
        """Return the dice as they fell, with the notes taken meanwhile."""
        lines: list[DiceLine] = []
        before: list[Thrown] = []
        for reason, thrown in zip(watch.throws, throws, strict=False):
            if not thrown.wanted.again:
                before = []
            if before:
                lines[-1] = self._strike(lines[-1], before[-1], thrown)
            before.append(thrown)
            lines.append(self._fallen(reason, thrown))
        paths = [thrown.wanted.rounds for thrown in throws]
        named = self._find_named(paths)
        return [
            replace(line, round=self._name_round(path, named))
            for line, path in zip(lines, paths, strict=False)
        ]

    def wanted(self, watch: Watch, wanted: Wanted) -> DiceLine:
        """Return the dice to throw next. ``watch``: its last note is about them."""
        named = self._find_named([reason.wanted.rounds for reason in watch.throws])
        line = self._line(watch.throws[-1] if watch.throws else None, wanted)
        return replace(line, round=self._name_round(wanted.rounds, named))

    def _find_named(self, paths: Sequence[Path]) -> set[str]:
        """Return the loops with rounds to name, given the ``paths`` of all dice: those with dice in
        several rounds. Where the rulebook has no word for a round, no dice may lie outside either:
        a heading in the middle would leave the first dice without one."""
        rounds: defaultdict[str, set[int]] = defaultdict(set)
        for loop, number in chain.from_iterable(paths):
            rounds[loop].add(number)
        steps = (step.declared for step, _loops in find_steps(self.asked.ready.steps))
        worded = {step.again for step in steps if isinstance(step, Again) and step.name}
        return {
            loop
            for loop, numbers in rounds.items()
            if len(numbers) > 1
            if loop in worded or all(loop in dict(path) for path in paths)
        }

    def _name_round(self, path: Path, named: Collection[str]) -> str:
        return name_round(self.asked, tuple(step for step in path if step[0] in named))

    def receipt(self, watch: Watch, key: str, value: int) -> tuple[str, ...]:
        """Return the parts of a number that the roll gives; empty if there is nothing to add up."""
        receipt = watch.numbers.get(key)
        if receipt is None or receipt.number != value:
            return ()
        return self._parts(receipt)

    def _line(self, reason: ThrowReason | None, wanted: Wanted) -> DiceLine:
        signs = self.signs(wanted.step)
        words = self.kind(wanted)
        line = DiceLine(words, again=wanted.again, kept=_shown(signs, wanted.kept), signs=signs)
        line = replace(line, tied=wanted.tied)
        if reason is None:
            return line
        return replace(
            line,
            sentence=self._sentence(reason, words, again=wanted.again),
            target=self._target(reason, wanted.sides),
            numbers=() if wanted.again else (*self._numbers(reason, words),),
        )

    def kind(self, wanted: Wanted) -> str:
        """Return the number and kind of dice: "3D6", or the name of other dice and "(3)"."""
        of = self._hand(wanted.step)
        if of is None:
            return _("%(dice)sD%(sides)s") % {"dice": wanted.dice, "sides": wanted.sides}
        return f"{localize(of.name)} ({wanted.dice})"

    def _hand(self, step: str) -> HandOfDice | None:
        """Return the hand of dice whose faces a step's dice have, None for numbers."""
        steps = (one for one, _loops in find_steps(self.asked.ready.steps) if one.name == step)
        thrown = (one.declared for one in steps if isinstance(one.declared, ThrowStep))
        key = next((one.of for one in thrown if isinstance(one, Count | Sum | ThrowHand)), None)
        return self.asked.book.hand[key] if key is not None else None

    def signs(self, step: str) -> tuple[str, ...]:
        """Return the names of the faces of a step's dice, the lowest first."""
        of = self._hand(step)
        return tuple(localize(face) for face in of.faces) if of is not None else ()

    def show(self, step: str, faces: Iterable[int]) -> tuple[str, ...]:
        """Return the signs of these faces of a step's dice."""
        return _shown(self.signs(step), faces)

    # Before the dice.

    def _sentence(self, reason: ThrowReason, dice: str, *, again: bool) -> str:
        step = reason.step.declared
        assert isinstance(step, ThrowStep)
        at = self.attempt.at
        who = self.attempt.by if step.whose == "by" or at is None else at
        purpose = localize(step.purpose) if step.purpose else ""
        values = {"who": self.names.who(who), "dice": dice, "purpose": purpose}
        if again:
            return _("%(who)s rolls %(dice)s again") % values
        if purpose:
            return _("%(who)s rolls %(dice)s %(purpose)s") % values
        return _("%(who)s rolls %(dice)s") % values

    def _target(self, reason: ThrowReason, sides: int) -> str:
        words, target = [], reason.target
        if reason.good is not None:
            words = [describe_faces(reason.good, sides, self.signs(reason.wanted.step))]
        elif target is not None:
            number = {"number": target.number}
            words = [_("at most %(number)s") % number if reason.at_most else f"{target.number}+"]
        if target is not None and (parts := self._parts(target)):
            words = [f"{words[0]} ({', '.join(parts)})"]
        if reason.keep is not None and reason.keep < reason.wanted.dice:
            kept = _("the lowest %(number)s") if reason.lowest else _("the best %(number)s")
            words.append(kept % {"number": reason.keep})
        if reason.plus is not None and (parts := self._parts(reason.plus, added=True)):
            words.append(", ".join(parts))
        return " · ".join(words)

    def _numbers(self, reason: ThrowReason, words: str) -> Iterable[NumberLine]:
        if reason.dice is not None and (parts := self._parts(reason.dice)):
            yield NumberLine(_("Dice"), words, parts)

    def _parts(self, receipt: Receipt, *, added: bool = False) -> tuple[str, ...]:
        """Return the parts of a number in words; empty if they say no more than the number.
        ``added``: it is added to dice, so each part has its sign."""
        words = [
            self._part(part, first=not added and not place)
            for place, part in enumerate(receipt.parts)
        ]
        plain = _signed(receipt.number) if added else str(receipt.number)
        return () if words in ([], [plain]) else tuple(words)

    def _part(self, part: Part, *, first: bool) -> str:
        amount = part.amount
        if part.kind == "least":
            return _("at least %(number)s") % {"number": amount}
        if part.kind == "most":
            return _("at most %(number)s") % {"number": amount}
        name = self._name(part)
        number = str(amount) if first and amount >= 0 else _signed(amount)
        if not name:
            return number
        return f"{name} {number}" if first and part.kind == "name" else f"{number} {name}"

    def _name(self, part: Part) -> str:
        if not part.key:
            return ""
        book = self.asked.book
        if part.kind == "raise":
            row = book.modifier.get(part.key) or book.spend.get(part.key)
            return localize(row.name) if row else ""
        if part.key in COUNTS:
            return str(COUNTS[part.key])
        circumstance = next((row for row in book.circumstances if row.key == part.key), None)
        if circumstance is not None:
            value = str(self.asked.names.get(part.key, ""))
            choice = next((one.name for one in circumstance.choices if one.key == value), None)
            return localize(choice or circumstance.name)
        number = next((row for row in self.asked.roll.numbers if row.of == part.key), None)
        if number is not None:
            return localize(number.name)
        return self._subject_name(part.key)

    def _subject_name(self, key: str) -> str:
        """Return the name of a characteristic, column or row that an expression asks about."""
        book = self.asked.book
        subject, _dot, rest = key.partition(".")
        question, colon, asked = rest.partition(":")
        name: Text | None = None
        if colon:
            row = getattr(book, ROWS_ASKED[question]).get(asked) if question in ROWS_ASKED else None
            name = row and row.name
        elif subject in ("by", "at"):
            spelled = spell(book.life or "") if rest == "life" else rest.partition(".")[0]
            rows = (row for row in book.characteristics if spell(row.key) == spelled)
            name = next((row.short for row in rows), None)
        elif subject in ("item", "at_item"):
            side = self.asked.by if subject == "item" else self.asked.at
            own = (side and side.own_book) or book
            item = own.item.get((side and side.item) or "")
            columns = columns_of(own, item).values() if item else ()
            spelled = rest.partition(".")[0]
            found = (row for row in columns if spell(row.key) == spelled)
            name = next((row.short or row.name for row in found), None)
        return localize(name) if name else ""

    # After the dice.

    def _fallen(self, reason: ThrowReason, thrown: Thrown) -> DiceLine:
        line = self._line(reason, thrown.wanted)
        faces = _shown(line.signs, thrown.faces)
        fates = _fates(reason, thrown.faces)
        words = KEPT if reason.keep and reason.keep < len(fates) else COUNTED
        dice = tuple(
            Die(face, fate, _(words[fate]) if fate in words else "")
            for face, fate in zip(faces, fates, strict=True)
        )
        return replace(line, dice=dice, result=self._result(reason, thrown))

    def _result(self, reason: ThrowReason, thrown: Thrown) -> str:
        everything = (*thrown.wanted.kept, *thrown.faces)
        match reason.step:
            case CompiledSum() if reason.plus is not None:
                kept = sorted(everything, reverse=not reason.lowest)[: reason.keep]
                total, plus = sum(kept), reason.plus.number
                if plus:
                    return f"= {total} {_signed(plus)} = {total + plus}"
                return f"= {total}" if len(everything) > 1 else ""
            case CompiledHand(hand=hand):
                rank = hand.rank(hand.strength((*everything, *reason.cards)))
                row = self.asked.book.hand[reason.step.declared.of]  # type: ignore[attr-defined]
                return f"= {localize(row.combinations[rank].name)}"
        return ""

    def _strike(self, line: DiceLine, before: Thrown, after: Thrown) -> DiceLine:
        """Strike the dice of a line through that are thrown again."""
        there = Counter((*before.wanted.kept, *before.faces))
        taken = there - Counter(after.wanted.kept)
        dice = []
        for face, die in zip(before.faces, line.dice, strict=True):
            if taken[face] > 0:
                taken[face] -= 1
                die = replace(die, fate="again", words=_("rolled again"))
            dice.append(die)
        return replace(line, dice=tuple(dice), result="")


def describe_faces(good: Iterable[int], sides: int, signs: tuple[str, ...] = ()) -> str:
    """Describe the faces that succeed: "4+", "2–4", or a list; by their ``signs``, if they are no
    numbers."""
    faces = sorted(good)
    if not faces:
        return _("no face succeeds")
    shown = _shown(signs, faces)
    if faces[-1] - faces[0] + 1 != len(faces):
        return ", ".join(shown)
    if faces[-1] == sides:
        return f"{shown[0]}+"
    return f"{shown[0]}–{shown[-1]}" if len(faces) > 1 else shown[0]


def _fates(reason: ThrowReason, faces: Sequence[int]) -> list[Fate]:
    if reason.good is not None:
        return ["good" if face in reason.good else "bad" for face in faces]
    if reason.keep is None or reason.keep >= len(faces):
        if len(faces) == 1 and reason.target is not None and reason.plus is not None:
            total, hoped = faces[0] + reason.plus.number, reason.target.number
            return ["good" if (total <= hoped if reason.at_most else total >= hoped) else "bad"]
        return ["plain"] * len(faces)
    order = sorted(range(len(faces)), key=lambda place: faces[place], reverse=not reason.lowest)
    kept = set(order[: reason.keep])
    return ["good" if place in kept else "bad" for place in range(len(faces))]


def _shown(signs: tuple[str, ...], faces: Iterable[int]) -> tuple[str, ...]:
    return tuple(signs[face - 1] if signs else str(face) for face in faces)


def _signed(number: int | Fraction) -> str:
    return f"−{abs(number)}" if number < 0 else f"+{number}"
