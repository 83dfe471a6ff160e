"""The vocabulary for dice: rolls as lists of steps, their modifiers, outcomes and effects.

One declaration has three uses: the application enumerates it for exact odds, throws it, and asks
step by step for dice that were thrown at the table. ``rules.engine.expressions`` reads expressions;
``docs/writing-a-rulebook.md`` lists the names that they may use.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field
from pydantic import Tag as UnionTag

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import pgettext
from rules.book.labels import Table, Values
from rules.book.roll_effects import Lasting, RollEffect
from rules.book.vocabulary import (
    ActionKey,
    Effect,
    Expression,
    Formula,
    Frozen,
    GridKey,
    HandKey,
    Key,
    MarkKey,
    Name,
    ProcedureKey,
    RollKey,
    Row,
    ScenarioKey,
    Text,
    When,
)


class Named(Frozen):
    """One of several values, with its name."""

    key: Name
    name: Text


class Circumstance(Row):
    """A question about a roll: a tick, one of several choices, or a number.

    ``key`` is the name that expressions read: 0 or 1 for a tick, the key of a choice as text
    (``cover == 'heavy'``), a number from ``minimum`` to ``maximum``. ``start``: its value without
    an answer (for choices, the first choice). ``known``: at a table players are not asked, because
    ``tapped`` works it out from their taps. ``given``: the form folds it away while this is not
    true of the other answers; the dice do not depend on it.
    """

    editing = Table(_("Circumstances"), _("Add a circumstance"))
    kind: Annotated[
        Literal["tick", "choice", "number"],
        _("Kind of answer"),
        Values(tick=_("yes or no"), choice=_("a choice"), number=_("a number")),
    ] = "tick"
    choices: Annotated[tuple[Named, ...], _("Choices")] = ()
    minimum: Annotated[int, Field(ge=-99), _("Minimum")] = 0
    maximum: Annotated[int, Field(le=99), _("Maximum")] = 1
    start: Annotated[int, _("By default")] = 0
    known: Annotated[bool, _("Filled in from the taps at the table")] = False
    tapped: Annotated[Expression | None, _("Its value from the taps")] = None
    given: Annotated[Expression | None, _("Folded away unless")] = None
    text: Annotated[Text | None, _("Text")] = None


# A name in braces in the text of an outcome: the number stands there.
IN_BRACES = re.compile(r"\{([a-z][a-z0-9_]{0,39})\}")
# The placeholder for a modifier's number in ``Modifier.shown``.
AMOUNT = "{amount}"


class Modifier(Row):
    """Changes a number of some rolls, or the cost of an action.

    ``on``: a slot of a step ("hits.target"), a name that a ``let`` binds, or "cost" for actions;
    ``rolls``: those it changes (every roll with such a slot if none are named), ``actions``
    likewise for costs. ``amount`` is added if ``given`` is true, before the slot is clamped.
    ``listed``: tables of modifiers show it, with ``shown`` if the amount is not just a number or
    needs words ("{amount}" in them is the number), ``who`` has it, and a ``note``.
    """

    editing = Table(_("Modifiers"), _("Add a modifier"), removable=True)
    rolls: Annotated[tuple[RollKey, ...], _("Rolls")] = ()
    actions: Annotated[tuple[ActionKey, ...], _("Actions")] = ()
    on: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*(\.[a-z_]+)?$"), _("What it changes")]
    amount: Annotated[Formula, _("Amount")]
    given: Annotated[Expression | None, _("Counts only if")] = None
    listed: Annotated[bool, _("In tables of modifiers")] = True
    shown: Annotated[Text | None, _("Amount in tables")] = None
    who: Annotated[Text | None, _("Who has it, in tables")] = None
    note: Annotated[Text | None, _("Note")] = None


class Step(Frozen):
    """The fields of every step: it is taken if ``given`` is true, under the options of ``when``.

    If it is not taken, the name that it binds keeps its value, or is 0 if nothing has bound it yet.
    ``word``: the field that only this kind of step has; its value is the name that the step binds.
    """

    word: ClassVar[str] = ""
    given: Annotated[Expression | None, _("Take this step only if")] = None
    when: When = {}

    @property
    def binds(self) -> str:
        """The name that it binds; for an end the outcome, for a use the procedure."""
        return str(getattr(self, self.word))


class Natural(Frozen):
    """Faces that succeed or fail whatever the target."""

    fails: Annotated[tuple[int, ...], _("Faces that always fail")] = ()
    succeeds: Annotated[tuple[int, ...], _("Faces that always succeed")] = ()


class AgainFaces(Frozen):
    """Dice that show one of these ``faces`` are thrown again, once each, if ``given`` is true."""

    faces: Annotated[tuple[int, ...], Field(min_length=1), _("Faces that are thrown again")]
    given: Annotated[Expression | None, _("Thrown again only if")] = None


class Let(Step):
    """Binds a number. ``clamp``: its lowest and highest value, modifiers included."""

    word = "let"
    let: Annotated[Name, _("Name of the number")]
    be: Annotated[Formula, _("Number or formula")]
    clamp: Annotated[tuple[Formula, Formula] | None, _("Lowest and highest value, one a line")] = (
        None
    )


class ThrowStep(Step):
    """The fields of every step that throws dice.

    ``purpose``: words that follow "rolls 3D6" on the pages of a table ("to hit"); ``whose``: the
    dice belong to the figure or side that rolls ("by"), or to its target ("at").
    """

    purpose: Annotated[Text | None, _("What for, as in “to hit”")] = None
    whose: Annotated[
        Literal["by", "at"],
        _("Whose dice"),
        Values(by=_("the figure that rolls"), at=_("the target")),
    ] = "by"


class Count(ThrowStep):
    """Throws ``dice`` with this number of ``sides`` and counts those that succeed.

    A die succeeds with ``target`` or more, or within ``band`` (both ends included). Binds the
    number of successes, and ``.max``, ``.min`` and ``.ones`` of the final dice. Before that, dice
    are thrown again, each at most once: first ``again_succeeded`` successes must be, then
    ``again_failed`` failures may be, the lowest first, with ``again_for_highest`` more for each die
    that shows its highest face by then.

    Slots: ``.dice``, ``.sides``, ``.target``, ``.again_failed``, ``.again_for_highest``,
    ``.again_succeeded``.
    """

    word = "count"
    count: Annotated[Name, _("Name of the number of successes")]
    of: Annotated[HandKey | None, _("With the faces of this hand of dice")] = None
    dice: Annotated[Formula, _("How many dice")]
    sides: Annotated[Formula, _("Sides of a die")] = 6
    target: Annotated[Formula | None, _("Succeeds with this or more")] = None
    band: Annotated[tuple[Formula, Formula] | None, _("Or between two numbers, one a line")] = None
    clamp: Annotated[tuple[Formula, Formula] | None, _("Lowest and highest target, one a line")] = (
        None
    )
    natural: Annotated[Natural, _("Whatever the target")] = Natural()
    again_faces: Annotated[AgainFaces | None, _("Dice thrown again")] = None
    again_succeeded: Annotated[Formula, _("Successes that must be thrown again")] = 0
    again_failed: Annotated[Formula, _("Failures that may be thrown again")] = 0
    again_for_highest: Annotated[Formula, _("More of them for each highest face")] = 0


class Sum(ThrowStep):
    """Throws dice and adds up the best (or ``lowest``) ``keep`` of them (all if None).

    Binds the total with ``plus``, ``.dice_total`` without, and ``.max`` and ``.min`` of the dice
    that are kept. ``again``: the most times that all are thrown again, while ``again_given`` is
    true of the total; the last throw counts. ``at_least`` or ``at_most``: the total that is hoped
    for; pages show it with the dice, and it decides nothing.

    Slots: ``.dice``, ``.sides``, ``.keep``, ``.plus``, ``.again``.
    """

    word = "sum"
    sum: Annotated[Name, _("Name of the total")]
    of: Annotated[HandKey | None, _("With the faces of this hand of dice")] = None
    dice: Annotated[Formula, _("How many dice")] = 1
    sides: Annotated[Formula, _("Sides of a die")] = 6
    keep: Annotated[Formula | None, _("How many of them count")] = None
    lowest: Annotated[bool, _("The lowest count")] = False
    plus: Annotated[Formula, _("Added to the total")] = 0
    again: Annotated[Formula, _("Thrown again at most this often")] = 0
    again_given: Annotated[Expression | None, _("As long as")] = None
    at_least: Annotated[Formula | None, _("Hoped for, at least")] = None
    at_most: Annotated[Formula | None, _("Hoped for, at most")] = None


class ThrowHand(ThrowStep):
    """Throws dice whose faces make a combination of a ``hand``, and throws some of them again once.

    ``cards``: faces that are added without a throw (0: none); the best combination of the hand's
    number of dice counts. Binds a number that is larger for the better of two hands (equal for a
    draw), and ``.rank``: the index of the combination, 0 for nothing. ``again``: the number of dice
    that may be thrown again. These are the dice that are not part of the combination; or, with
    ``beats`` (a hand to beat) or ``reaches`` (a rank to reach), those that make success likeliest.
    They are thrown again together, once; ``singly``: one after the other, any number of times.

    Slots: ``.dice``, ``.again``.
    """

    word = "throw_hand"
    throw_hand: Annotated[Name, _("Name of the hand")]
    of: Annotated[HandKey, _("Which hand of dice")]
    dice: Annotated[Formula, _("How many dice")]
    again: Annotated[Formula, _("Dice that may be thrown again")] = 0
    singly: Annotated[bool, _("One after the other")] = False
    cards: Annotated[tuple[Formula, ...], _("Faces added without a throw, one a line")] = ()
    beats: Annotated[Expression | None, _("To beat this hand")] = None
    reaches: Annotated[Expression | None, _("To reach this combination")] = None


class LookUp(Step):
    """Reads a cell of a grid; a row or column beyond the grid is the nearest one.

    A blank cell gives ``blank`` (0 if it is None). Slots: ``.row``, ``.column``.
    """

    word = "look_up"
    look_up: Annotated[Name, _("Name of the number")]
    grid: Annotated[GridKey, _("Which grid")]
    row: Annotated[Formula, _("Row")]
    column: Annotated[Formula, _("Column")] = 1
    blank: int | None = None


class Opposed(Step):
    """Compares two sides after the ``steps`` that throw for both; these cannot end the roll.

    ``mine`` and ``theirs`` are compared pair by pair until one differs. Binds the margin: the
    difference of the first pair, 1 or -1 if a later pair decides, 0 for a draw; and ``.winner``: 1,
    -1 or 0. ``tied``: whether a draw counts, or everything is thrown again.
    """

    word = "opposed"
    opposed: Annotated[Name, _("Name of the difference")]
    steps: Annotated[tuple[AnyStep, ...], _("Steps for both sides")] = ()
    mine: Annotated[tuple[Formula, ...], Field(min_length=1), _("My numbers, one a line")]
    theirs: Annotated[tuple[Formula, ...], Field(min_length=1), _("Their numbers, one a line")]
    tied: Annotated[
        Literal["draw", "again"],
        _("If they are equal"),
        Values(draw=pgettext("two numbers", "a draw"), again=_("all is thrown again")),
    ] = "draw"


class Use(Step):
    """Takes the steps of a procedure, after binding the ``values`` that it reads, one by one.

    ``given`` is evaluated first; the steps cannot change it.
    """

    word = "use"
    use: Annotated[ProcedureKey, _("Which shared steps")]
    values: Annotated[dict[Name, Formula], _("Numbers that they read")] = {}


class Again(Step):
    """Repeats ``steps`` a number of ``times``, or ``until`` an expression is true.

    Inside, the name counts the rounds from 1; after a number of ``times`` it is the number of
    rounds. Names keep their values from one round to the next, so each round must bind those that
    it needs fresh. An end inside a number of times ends the roll; a loop ``until`` cannot end the
    roll, because it is solved as a whole. ``name``: a round for players, such as "Shot": pages show
    "Shot 2".

    Slots: ``.times``.
    """

    word = "again"
    again: Annotated[Name, _("Name of the round’s number")]
    name: Annotated[Text | None, _("Word for a round, as in “Shot”")] = None
    times: Annotated[Formula | None, _("How many times")] = None
    until: Annotated[Expression | None, _("Or until")] = None
    steps: Annotated[tuple[AnyStep, ...], Field(min_length=1), _("Steps of a round")]


class End(Step):
    """Ends the roll with one of its outcomes, if ``given`` is true."""

    word = "end"
    end: Annotated[Name, _("Ends with the outcome")]


STEPS: tuple[type[Step], ...] = (
    Let, Count, Sum, ThrowHand, LookUp, Opposed, Use, Again, End
)  # fmt: skip


def _word_of_step(data: Any) -> str | None:
    """The kind of a step: the first word that it has, since a sum may have "again", too."""
    if isinstance(data, Step):
        return data.word
    words = (model.word for model in STEPS)
    return next((word for word in words if word in data), None) if isinstance(data, dict) else None


AnyStep = Annotated[
    Annotated[Let, UnionTag("let")]
    | Annotated[Count, UnionTag("count")]
    | Annotated[Sum, UnionTag("sum")]
    | Annotated[ThrowHand, UnionTag("throw_hand")]
    | Annotated[LookUp, UnionTag("look_up")]
    | Annotated[Opposed, UnionTag("opposed")]
    | Annotated[Use, UnionTag("use")]
    | Annotated[Again, UnionTag("again")]
    | Annotated[End, UnionTag("end")],
    Discriminator(_word_of_step),
]
Opposed.model_rebuild()
Again.model_rebuild()


class RollOutcome(Frozen):
    """A possible result of a roll: the first whose ``given`` is true, or that an ``end`` names.

    ``grave``: the aim or the danger of the roll; pages show its chance first. ``hoped``: the player
    who throws hopes for it; it is counted to measure their luck. ``free``: if the roll ends so
    before any die is thrown, the attempt is impossible: pages offer no dice, and it costs nothing.
    ``text``: the reason, with numbers that the steps bind in braces ("{need}+ needed"). ``early``:
    the roll ends before its own ``effects``, which do not happen.
    """

    key: Name
    name: Text
    given: Annotated[Expression | None, _("This is the outcome if")] = None
    when: When = {}
    grave: bool = False
    hoped: bool = False
    free: bool = False
    text: Text | None = None
    early: bool = False

    @property
    def numbers_in_text(self) -> list[str]:
        """The names in braces in its text."""
        texts = () if self.text is None else self.text.root.values()
        return [name for text in texts for name in IN_BRACES.findall(text)]

    effects: tuple[RollEffect, ...] = ()


class RollNumber(Frozen):
    """A number that a roll gives, with its unit: inches run, hits, points lost."""

    of: Name
    name: Text
    unit: Text | None = None


class Roll(Row):
    """One roll of the game.

    ``by``: who throws it; ``at``: at whom; ``sides``: for a member as target, the sides whose
    figures are possible targets (non-players are enemies of every gang); ``friendly``: where
    anyone is, usually at a friend, whom pages offer first; ``fallen``: whether figures that are
    out of action are possible targets (only they are if an outcome brings its target back);
    ``using``: with what. ``usable``: an
    expression about the weapon and the two figures that says whether they throw it at all. A roll
    has outcomes, or numbers, or both. ``when_out``: if it follows from another roll, and the figure
    that throws it is out by then, it is still thrown, or dropped, or waits until the figure is back
    in the game. ``scenarios``: it is offered only in these (in all if none is named).
    ``effects``: they happen with each outcome, after its own.
    """

    editing = Table(_("Rolls"), _("Add a roll"))
    text: Annotated[Text | None, _("Text")] = None
    by: Annotated[
        Literal["member", "side"],
        _("Who rolls"),
        Values(member=_("a member"), side=_("a side")),
    ] = "member"
    at: Annotated[
        Literal["member", "side", "nobody"],
        _("Against whom"),
        Values(member=_("a member"), side=_("a side"), nobody=_("nobody")),
    ] = "nobody"
    fallen: Annotated[
        Literal["never", "also", "only"],
        _("Figures that are out, as targets"),
        Values(never=_("never"), also=_("after those in play"), only=_("only they")),
    ] = "never"
    sides: Annotated[
        Literal["anyone", "enemies", "friends"],
        _("Possible targets"),
        Values(anyone=_("anyone"), enemies=_("enemies only"), friends=_("their own side only")),
    ] = "anyone"
    friendly: Annotated[bool, _("Usually at a friend")] = False
    using: Annotated[
        Literal["item", "nothing"],
        _("With what"),
        Values(item=_("a weapon or item"), nothing=_("nothing")),
    ] = "nothing"
    usable: Annotated[Expression | None, _("Can be rolled only if")] = None
    when_out: Annotated[
        Literal["waits", "kept", "dropped"],
        _("If it is due and the figure is out, the roll"),
        Values(
            waits=_("waits until the figure is back"),
            kept=_("is still rolled"),
            dropped=_("is dropped"),
        ),
    ] = "waits"
    scenarios: Annotated[tuple[ScenarioKey, ...], _("Only in these scenarios")] = ()
    steps: Annotated[tuple[AnyStep, ...], Field(min_length=1), _("Steps")]
    outcomes: Annotated[tuple[RollOutcome, ...], _("Outcomes")] = ()
    effects: Annotated[tuple[RollEffect, ...], _("Effects of every outcome")] = ()
    numbers: Annotated[tuple[RollNumber, ...], _("Numbers to show with the result")] = ()

    @property
    def targets_fallen(self) -> Literal["never", "also", "only"]:
        """Whether figures that are out of action are its targets."""
        effects = (effect for outcome in self.outcomes for effect in self.effects_of(outcome))
        brings_back = any(effect.kind == "back" and effect.whom == "at" for effect in effects)
        return "only" if self.fallen == "never" and brings_back else self.fallen

    @property
    def helps(self) -> bool:
        """Whether its target is usually, or always, a figure of the same side."""
        return self.friendly or self.sides == "friends"

    def effects_of(self, outcome: RollOutcome) -> tuple[RollEffect, ...]:
        """Return the effects of one of its outcomes, with those of every outcome."""
        return outcome.effects if outcome.early else (*outcome.effects, *self.effects)


class Procedure(Row):
    """A list of steps that rolls share. ``reads``: names that must be bound before."""

    editing = Table(_("Shared steps"), _("Add shared steps"))
    reads: Annotated[tuple[Name, ...], _("Names that earlier steps set")] = ()
    steps: Annotated[tuple[AnyStep, ...], Field(min_length=1), _("Steps")]


class Grid(Row):
    """A table of numbers by row and column, counted from ``first_row`` and ``first_column``.

    A cell without a number is written as "-".
    """

    editing = Table(_("Grids"), _("Add a grid"))
    first_row: Annotated[int, _("Number of the first row")] = 1
    first_column: Annotated[int, _("Number of the first column")] = 1
    cells: Annotated[tuple[tuple[int | Literal["-"], ...], ...], Field(min_length=1), _("Cells")]


class Combination(Frozen):
    """A combination, by the number of dice in each group of equal faces, largest first ([3, 2])."""

    key: Name
    name: Text
    groups: tuple[Annotated[int, Field(ge=2)], ...] = ()


class HandOfDice(Row):
    """Dice with faces that make combinations, the weakest first.

    ``faces``: those on the sides, the lowest first; ``size``: the number of dice that count. Of two
    equal combinations the one with the higher faces is better; faces of its groups count first.
    """

    editing = Table(_("Hands of dice"), _("Add a hand of dice"))
    faces: Annotated[tuple[Text, ...], Field(min_length=2, max_length=12), _("Faces")]
    size: Annotated[int, Field(ge=1, le=8), _("Dice that count")] = 5
    combinations: Annotated[tuple[Combination, ...], Field(min_length=1), _("Combinations")]


class State(Row):
    """A temporary state of a figure, a weapon or a side during a game.

    ``lasts``: when it ends, if nothing ends it before; ``given``: a figure is in it by itself as
    long as this is true; ``effects``: changes to a figure's characteristics; ``stops``: a figure in
    it is not activated, and may only make rolls that are due, and actions and rolls whose
    ``usable`` names the state; ``mark``: the mark of a figure that is in it at the end of the game.
    Players are offered it only for figures for which ``usable`` is true as they enter the game, and
    only in these ``scenarios`` (in all if none is named); rolls may begin it regardless.
    """

    editing = Table(_("States"), _("Add a state"))
    text: Annotated[Text | None, _("Text")] = None
    of: Annotated[
        Literal["figure", "item", "side"],
        _("Of what"),
        Values(figure=_("a figure"), item=_("a weapon or item"), side=_("a side")),
    ] = "figure"
    lasts: Annotated[
        Lasting,
        _("Until"),
        Values(
            activation=_("the activation ends"),
            turn=_("the turn ends"),
            next_upkeep=_("the next upkeep"),
            game=_("the game ends"),
            ended=_("something ends it"),
        ),
    ] = "ended"
    given: Annotated[Expression | None, _("Starts by itself when")] = None
    usable: Annotated[Expression | None, _("Offered only if")] = None
    scenarios: Annotated[tuple[ScenarioKey, ...], _("Only in these scenarios")] = ()
    effects: Annotated[tuple[Effect, ...], _("What it changes")] = ()
    stops: Annotated[bool, _("Does not act")] = False
    mark: Annotated[MarkKey | None, _("Marks figures that end the game in it")] = None


class Action(Row):
    """An action that a figure may take in its activation, with its cost and possible rolls.

    ``alternatives``: each of its rolls is another action with its own cost; otherwise they are
    parts of one action, which is paid once. ``effects``: they happen without a roll;
    ``scenarios``: the action is possible only in these (in all if none is named).
    """

    editing = Table(_("Actions"), _("Add an action"))
    text: Annotated[Text | None, _("Text")] = None
    cost: Annotated[Formula, _("Cost")] = 1
    rolls: Annotated[tuple[RollKey, ...], _("Rolls")] = ()
    alternatives: Annotated[bool, _("Each roll is paid for itself")] = False
    usable: Annotated[Expression | None, _("Can be taken only if")] = None
    scenarios: Annotated[tuple[ScenarioKey, ...], _("Only in these scenarios")] = ()
    effects: Annotated[tuple[RollEffect, ...], _("What it changes")] = ()


class Spend(Row):
    """A choice after the dice are thrown: a re-roll, or one more die.

    ``on``: the slot it raises by ``amount``, inside a loop in one round that the player chooses
    (never in a loop ``until``, of which nobody can choose a round); ``track``: the characteristic,
    the boxes to tick or the tracker that it is paid from; ``raises``: the tracker goes up instead,
    to its maximum at most; ``once``: how often it is possible without a track.
    ``whose``: the player's own roll, or the enemy's.
    """

    editing = Table(_("Re-rolls and dice to spend"), _("Add a re-roll"), removable=True)
    text: Annotated[Text | None, _("Text")] = None
    rolls: Annotated[tuple[RollKey, ...], _("Rolls")] = ()
    on: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*(\.[a-z_]+)?$"), _("What it changes")]
    amount: Annotated[Formula, _("Amount")] = 1
    given: Annotated[Expression | None, _("Offered only if")] = None
    track: Annotated[Key | None, _("Paid from")] = None
    raises: Annotated[bool, _("Raises the tracker instead")] = False
    once: Annotated[
        Literal["roll", "turn", "game"],
        _("Once in a"),
        Values(roll=_("roll"), turn=_("turn"), game=_("game")),
    ] = "game"
    whose: Annotated[
        Literal["own", "enemy"],
        _("Whose roll"),
        Values(own=_("your own"), enemy=_("the enemy’s")),
    ] = "own"
