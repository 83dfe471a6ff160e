"""The vocabulary for dice: rolls as lists of steps, their modifiers, outcomes and effects.

One declaration has three uses: the application enumerates it for exact odds, throws it, and asks
step by step for dice that were thrown at the table. ``rules.engine.expressions`` reads expressions;
``docs/writing-a-rulebook.md`` lists the names that they may use.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, StringConstraints
from pydantic import Tag as UnionTag

from rules.book.labels import KeyOf, Table, Values
from rules.book.labels import gettext_noop as _
from rules.book.vocabulary import (
    Effect,
    Frozen,
    Key,
    MarkKey,
    Row,
    ScenarioKey,
    TallyKey,
    Text,
    When,
)

# A name that a step binds, and that later expressions read.
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Expression = Annotated[str, StringConstraints(min_length=1, max_length=500, strip_whitespace=True)]
# A number, or an expression that gives one.
Formula = int | Expression
# The condition of a row or step: an expression that is true or false.
Given = Annotated[Expression | None, _("Only if")]

ActionKey = Annotated[Key, KeyOf("actions", "action")]
GridKey = Annotated[Key, KeyOf("grids", "grid")]
HandKey = Annotated[Key, KeyOf("hands", "hand of dice")]
ModifierKey = Annotated[Key, KeyOf("modifiers", "modifier")]
ProcedureKey = Annotated[Key, KeyOf("procedures", "procedure")]
RollKey = Annotated[Key, KeyOf("rolls", "roll")]
StateKey = Annotated[Key, KeyOf("states", "state")]


class Named(Frozen):
    """One of several values, with its name."""

    key: Name
    name: Text


class Circumstance(Row):
    """A question about a roll: a tick, one of several choices, or a number.

    ``key`` is the name that expressions read: 0 or 1 for a tick, the key of a choice as text
    (``cover == 'heavy'``), a number from ``minimum`` to ``maximum``. ``start``: its value without
    an answer (for choices, the first choice). ``known``: at a table players are not asked, because
    ``tapped`` works it out from their taps.
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
    text: Annotated[Text | None, _("Text")] = None


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
    given: Given = None
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
    given: Given = None
    when: When = {}

    @property
    def binds(self) -> str:
        """The name that it binds; for an end the outcome, for a use the procedure."""
        return str(getattr(self, self.word))


class Natural(Frozen):
    """Faces that succeed or fail whatever the target."""

    fails: tuple[int, ...] = ()
    succeeds: tuple[int, ...] = ()


class AgainFaces(Frozen):
    """Dice that show one of these ``faces`` are thrown again, once each, if ``given`` is true."""

    faces: Annotated[tuple[int, ...], Field(min_length=1)]
    given: Given = None


class Let(Step):
    """Binds a number. ``clamp``: its lowest and highest value, modifiers included."""

    word = "let"
    let: Name
    be: Formula
    clamp: tuple[Formula, Formula] | None = None


class Count(Step):
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
    count: Name
    dice: Formula
    sides: Formula = 6
    target: Formula | None = None
    band: tuple[Formula, Formula] | None = None
    clamp: tuple[Formula, Formula] | None = None
    natural: Natural = Natural()
    again_faces: AgainFaces | None = None
    again_succeeded: Formula = 0
    again_failed: Formula = 0
    again_for_highest: Formula = 0


class Sum(Step):
    """Throws dice and adds up the best (or ``lowest``) ``keep`` of them (all if None).

    Binds the total with ``plus``, ``.dice_total`` without, and ``.max`` and ``.min`` of the dice
    that are kept. ``again``: the most times that all are thrown again, while ``again_given`` is
    true of the total; the last throw counts.

    Slots: ``.dice``, ``.sides``, ``.keep``, ``.plus``, ``.again``.
    """

    word = "sum"
    sum: Name
    dice: Formula = 1
    sides: Formula = 6
    keep: Formula | None = None
    lowest: bool = False
    plus: Formula = 0
    again: Formula = 0
    again_given: Expression | None = None


class ThrowHand(Step):
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
    throw_hand: Name
    of: HandKey
    dice: Formula
    again: Formula = 0
    singly: bool = False
    cards: tuple[Formula, ...] = ()
    beats: Expression | None = None
    reaches: Expression | None = None


class LookUp(Step):
    """Reads a cell of a grid; a row or column beyond the grid is the nearest one.

    A blank cell gives ``blank``. Slots: ``.row``, ``.column``.
    """

    word = "look_up"
    look_up: Name
    grid: GridKey
    row: Formula
    column: Formula = 1
    blank: int = 0


class Opposed(Step):
    """Compares two sides after the ``steps`` that throw for both; these cannot end the roll.

    ``mine`` and ``theirs`` are compared pair by pair until one differs. Binds the margin: the
    difference of the first pair, 1 or -1 if a later pair decides, 0 for a draw; and ``.winner``: 1,
    -1 or 0. ``tied``: whether a draw counts, or everything is thrown again.
    """

    word = "opposed"
    opposed: Name
    steps: tuple[AnyStep, ...] = ()
    mine: Annotated[tuple[Formula, ...], Field(min_length=1)]
    theirs: Annotated[tuple[Formula, ...], Field(min_length=1)]
    tied: Literal["draw", "again"] = "draw"


class Use(Step):
    """Takes the steps of a procedure, after binding the ``values`` that it reads, one by one.

    ``given`` is evaluated first; the steps cannot change it.
    """

    word = "use"
    use: ProcedureKey
    values: dict[Name, Formula] = {}


class Again(Step):
    """Repeats ``steps`` a number of ``times``, or ``until`` an expression is true.

    Inside, the name counts the rounds from 1; after a number of ``times`` it is the number of
    rounds. Names keep their values from one round to the next, so each round must bind those that
    it needs fresh. An end inside a number of times ends the roll; a loop ``until`` cannot end the
    roll, because it is solved as a whole.

    Slots: ``.times``.
    """

    word = "again"
    again: Name
    times: Formula | None = None
    until: Expression | None = None
    steps: Annotated[tuple[AnyStep, ...], Field(min_length=1)]


class End(Step):
    """Ends the roll with one of its outcomes, if ``given`` is true."""

    word = "end"
    end: Name


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

# The subject of an effect: the one who throws, or the target; a figure, a side, or the weapon used.
Whom = Literal["by", "at", "item", "by_side", "at_side"]
Lasting = Literal["activation", "turn", "next_upkeep", "game", "ended"]


class AnyEffect(Frozen):
    """The fields of every effect of an outcome: it happens only if ``given`` is true."""

    given: Given = None


class Changes(AnyEffect):
    """A track loses or gains (a negative ``amount`` loses): life, luck, ammunition."""

    kind: Literal["changes"]
    whom: Whom = "at"
    track: Key
    amount: Formula


class Sets(AnyEffect):
    """A track is set to a number."""

    kind: Literal["sets"]
    whom: Whom = "at"
    track: Key
    to: Formula


class Begins(AnyEffect):
    """A state begins. ``until``: if it does not last as long as the state says."""

    kind: Literal["begins"]
    whom: Whom = "at"
    state: StateKey
    until: Lasting | None = None


class Ends(AnyEffect):
    """A state ends."""

    kind: Literal["ends"]
    whom: Whom = "at"
    state: StateKey


class Out(AnyEffect):
    """The figure is out of the game. ``mark``: with this mark of the campaign, if it has it."""

    kind: Literal["out"]
    whom: Whom = "at"
    mark: Key | None = None


class Back(AnyEffect):
    """A figure that was out is in the game again."""

    kind: Literal["back"]
    whom: Whom = "at"


class EndsActivation(AnyEffect):
    """The figure's activation ends."""

    kind: Literal["ends_activation"]
    whom: Whom = "by"


class LosesWeapon(AnyEffect):
    """The weapon in use is lost for this game; with ``lasting``, for good."""

    kind: Literal["loses_weapon"]
    whom: Literal["by", "at"] = "by"
    lasting: bool = False


class Then(AnyEffect):
    """Another roll follows; ``whom`` throws it."""

    kind: Literal["then"]
    roll: RollKey
    whom: Whom = "at"


class Counts(AnyEffect):
    """A tally of the report changes by ``amount``: a figure's own, or a side's if it is counted per
    gang."""

    kind: Literal["counts"]
    whom: Literal["by", "at", "by_side", "at_side"] = "by"
    tally: TallyKey
    amount: Formula = 1


class Moves(AnyEffect):
    """A figure moves. ``distance``: in the rulebook's unit of length."""

    kind: Literal["moves"]
    whom: Whom = "at"
    distance: Formula | None = None
    text: Text | None = None


RollEffect = Annotated[
    Changes
    | Sets
    | Begins
    | Ends
    | Out
    | Back
    | EndsActivation
    | LosesWeapon
    | Then
    | Counts
    | Moves,
    Field(discriminator="kind"),
]


class RollOutcome(Frozen):
    """A possible result of a roll: the first whose ``given`` is true, or that an ``end`` names.

    ``grave``: the aim or the danger of the roll; pages show its chance first. ``hoped``: the player
    who throws hopes for it; it is counted to measure their luck.
    """

    key: Name
    name: Text
    given: Given = None
    when: When = {}
    grave: bool = False
    hoped: bool = False
    effects: tuple[RollEffect, ...] = ()


class RollNumber(Frozen):
    """A number that a roll gives, with its unit: inches run, hits, points lost."""

    of: Name
    name: Text
    unit: Text | None = None


class Roll(Row):
    """One roll of the game.

    ``by``: who throws it; ``at``: at whom; ``using``: with what. ``usable``: an expression about
    the weapon and the two figures that says whether they throw it at all. A roll has outcomes, or
    numbers, or both.
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
    using: Annotated[
        Literal["item", "nothing"],
        _("With what"),
        Values(item=_("a weapon or item"), nothing=_("nothing")),
    ] = "nothing"
    usable: Annotated[Expression | None, _("Only if")] = None
    steps: Annotated[tuple[AnyStep, ...], Field(min_length=1), _("Steps")]
    outcomes: Annotated[tuple[RollOutcome, ...], _("Outcomes")] = ()
    numbers: Annotated[tuple[RollNumber, ...], _("Numbers")] = ()


class Procedure(Row):
    """A list of steps that rolls share. ``reads``: names that must be bound before."""

    editing = Table(_("Shared steps"), _("Add shared steps"))
    reads: Annotated[tuple[Name, ...], _("Names used")] = ()
    steps: Annotated[tuple[AnyStep, ...], Field(min_length=1), _("Steps")]


class Grid(Row):
    """A table of numbers by row and column, counted from ``first_row`` and ``first_column``.

    A cell without a number is written as "-".
    """

    editing = Table(_("Grids"), _("Add a grid"))
    first_row: Annotated[int, _("First row")] = 1
    first_column: Annotated[int, _("First column")] = 1
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
    it is not activated; ``mark``: the mark of a figure that is in it at the end of the game.
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
    effects: Annotated[tuple[Effect, ...], _("What it changes")] = ()
    stops: Annotated[bool, _("Does not act")] = False
    mark: Annotated[MarkKey | None, _("Marks figures that end the game in it")] = None


class Action(Row):
    """An action that a figure may take in its activation, with its cost and possible rolls.

    ``effects``: they happen without a roll; ``scenarios``: the action is possible only in these (in
    all if none is named).
    """

    editing = Table(_("Actions"), _("Add an action"))
    text: Annotated[Text | None, _("Text")] = None
    cost: Annotated[Formula, _("Cost")] = 1
    rolls: Annotated[tuple[RollKey, ...], _("Rolls")] = ()
    usable: Annotated[Expression | None, _("Only if")] = None
    scenarios: Annotated[tuple[ScenarioKey, ...], _("Only in these scenarios")] = ()
    effects: Annotated[tuple[RollEffect, ...], _("What it changes")] = ()


class Spend(Row):
    """A choice after the dice are thrown: a re-roll, or one die more.

    ``on``: the slot it raises by ``amount``; ``track``: the characteristic or the boxes to tick
    that it is paid from; ``once``: how often it is possible without a track. ``whose``: the
    player's own roll, or the enemy's.
    """

    editing = Table(_("Re-rolls and dice to spend"), _("Add a re-roll"), removable=True)
    text: Annotated[Text | None, _("Text")] = None
    rolls: Annotated[tuple[RollKey, ...], _("Rolls")] = ()
    on: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*(\.[a-z_]+)?$"), _("What it changes")]
    amount: Annotated[Formula, _("Amount")] = 1
    given: Given = None
    track: Annotated[Key | None, _("Paid from")] = None
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
