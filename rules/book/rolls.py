"""How a rulebook declares its dice: rolls as steps, what modifies them, what they bring.

One declaration has three uses: it is enumerated for exact odds, thrown by the application, and told
step by step for dice that were thrown at the table. The expressions are those of
``rules.engine.expressions``; ``docs/writing-a-rulebook.md`` lists the names that they may use.
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
    Text,
    When,
)

# A name that a step binds, and that later expressions read.
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Expression = Annotated[str, StringConstraints(min_length=1, max_length=500, strip_whitespace=True)]
# A number, or an expression that gives one.
Formula = int | Expression
# What holds for a row or step to count: an expression that is true or false.
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
    """What is asked about a roll: a tick, one of several choices, or a number.

    ``key`` is the name that expressions read: 0 or 1 for a tick, the key of a choice as text
    (``cover == 'heavy'``), a number from ``minimum`` to ``maximum``. ``start``: what it is unless
    somebody says otherwise (the first choice, for choices). ``known``: whoever plays at the table
    is not asked, for what was tapped there says it: ``tapped`` works it out of that. Without a
    table it is asked all the same.
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


# Where a modifier's number stands in what tables show of its amount.
AMOUNT = "{amount}"


class Modifier(Row):
    """Changes a number of some rolls, or what an action costs.

    ``on``: a slot of a step ("hits.target"), a name that a ``let`` binds, or "cost" for actions;
    ``rolls``: those it changes (every roll with such a slot if none are named), ``actions``
    likewise for costs. ``amount`` is added where ``given`` holds, before the slot is clamped.
    ``listed``: tables of modifiers show it, with ``shown`` where the amount is no mere number or
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
    """What every step has: it is taken only where ``given`` holds, under the options of ``when``.

    What a step that is not taken would bind stays as it is, or is 0 if nothing has bound it yet.
    ``word``: the word that says which step it is, and whose value is what it binds.
    """

    word: ClassVar[str] = ""
    given: Given = None
    when: When = {}

    @property
    def binds(self) -> str:
        """The name that it binds; for an end, the outcome, for a use, the procedure."""
        return str(getattr(self, self.word))


class Natural(Frozen):
    """Faces that succeed or fail whatever the target."""

    fails: tuple[int, ...] = ()
    succeeds: tuple[int, ...] = ()


class AgainFaces(Frozen):
    """Dice that show one of these ``faces`` are thrown again, where ``given`` holds, once each."""

    faces: Annotated[tuple[int, ...], Field(min_length=1)]
    given: Given = None


class Let(Step):
    """Binds a number. ``clamp``: it is brought back between the two, modifiers included."""

    word = "let"
    let: Name
    be: Formula
    clamp: tuple[Formula, Formula] | None = None


class Count(Step):
    """Throws ``dice`` of so many ``sides`` and counts those that succeed.

    A die succeeds with ``target`` or more, or within ``band`` (both ends included). Binds the
    successes, and ``.max``, ``.min`` and ``.ones`` of the dice as they lie in the end.
    ``again_succeeded``: so many successes must be thrown again, then ``again_failed``: so many
    failures may be, the lowest first, and ``again_for_highest``: so many more for each die that
    shows its highest face by then; a die is never thrown twice again.

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
    """Throws dice and adds up the best (or ``lowest``) ``keep`` of them, all if none is said.

    Binds the total with ``plus``, ``.dice_total`` without, and ``.max`` and ``.min`` of the dice
    that are kept. ``again``: where ``again_given`` holds of the total, all are thrown again, so
    often at most; the last throw counts.

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

    ``cards``: faces that are added without a throw (0: none); the best combination of as many dice
    as a hand has counts. Binds a number that is larger for the better of two hands (equal ones
    draw), and ``.rank``: which combination it is, 0 for nothing. ``again``: how many dice may be
    thrown again: all but those that make the combination, or, where ``beats`` or ``reaches`` says
    what the hand must beat or which rank it must reach, those that make it likeliest. They are
    thrown again together, each once; ``singly``: one after the other, each as often as one likes.

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
    """Reads a cell of a grid; a row or column beyond its ends is that at the end.

    A blank cell gives ``blank``. Slots: ``.row``, ``.column``.
    """

    word = "look_up"
    look_up: Name
    grid: GridKey
    row: Formula
    column: Formula = 1
    blank: int = 0


class Opposed(Step):
    """Compares two sides after the ``steps`` that throw for both.

    ``mine`` and ``theirs`` are compared pair by pair until one differs. Its steps cannot end the
    roll. Binds the margin: the
    difference of the first pair, 1 or -1 if a later one decides, 0 for a draw; and ``.winner``: 1,
    -1 or 0. ``tied``: what a full draw is: left as it is, or everything thrown again.
    """

    word = "opposed"
    opposed: Name
    steps: tuple[AnyStep, ...] = ()
    mine: Annotated[tuple[Formula, ...], Field(min_length=1)]
    theirs: Annotated[tuple[Formula, ...], Field(min_length=1)]
    tied: Literal["draw", "again"] = "draw"


class Use(Step):
    """Takes the steps of a procedure, after binding the ``values`` that it reads, one by one.

    Whether ``given`` holds is settled before, whatever these steps change.
    """

    word = "use"
    use: ProcedureKey
    values: dict[Name, Formula] = {}


class Again(Step):
    """Repeats ``steps``: so many ``times``, or ``until`` an expression holds.

    Within them the name counts from 1, and after so many ``times`` it is how often they were taken.
    What they bind stays from one time to the next, as names do: what each time needs anew it must
    bind anew. An end inside of so many times ends the roll; a loop ``until`` something holds cannot
    end it, for it is solved as a whole.

    Slots: ``.times``.
    """

    word = "again"
    again: Name
    times: Formula | None = None
    until: Expression | None = None
    steps: Annotated[tuple[AnyStep, ...], Field(min_length=1)]


class End(Step):
    """The roll ends here with one of its outcomes, where ``given`` holds."""

    word = "end"
    end: Name


STEPS: tuple[type[Step], ...] = (
    Let, Count, Sum, ThrowHand, LookUp, Opposed, Use, Again, End
)  # fmt: skip


def _word_of_step(data: Any) -> str | None:
    """Which step this is. The first word counts: a sum says "again", too, how often it may be."""
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

# Whom an effect is about: who throws or at whom, as a figure, a side, or the weapon in use.
Whom = Literal["by", "at", "item", "by_side", "at_side"]
Lasting = Literal["activation", "turn", "next_upkeep", "game", "ended"]


class AnyEffect(Frozen):
    """What every effect of an outcome has: it happens only where ``given`` holds."""

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
    """A state begins, and lasts as long as the state says, unless this says otherwise."""

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
    """The figure is out of the game, with a mark of the campaign's if it has one for it."""

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
    """The weapon in use is lost: for this game, or beyond it."""

    kind: Literal["loses_weapon"]
    whom: Literal["by", "at"] = "by"
    lasting: bool = False


class Then(AnyEffect):
    """Another roll follows, and ``whom`` it is about throws it."""

    kind: Literal["then"]
    roll: RollKey
    whom: Whom = "at"


class Moves(AnyEffect):
    """A figure moves, by so many units of length."""

    kind: Literal["moves"]
    whom: Whom = "at"
    distance: Formula | None = None
    text: Text | None = None


RollEffect = Annotated[
    Changes | Sets | Begins | Ends | Out | Back | EndsActivation | LosesWeapon | Then | Moves,
    Field(discriminator="kind"),
]


class RollOutcome(Frozen):
    """One thing that a roll may bring: the first whose ``given`` holds, or that an ``end`` names.

    ``grave``: it is what the roll is thrown for, or feared for; pages lead with its chance.
    ``hoped``: whoever throws hopes for it: how lucky they were is counted by how often it came.
    """

    key: Name
    name: Text
    given: Given = None
    when: When = {}
    grave: bool = False
    hoped: bool = False
    effects: tuple[RollEffect, ...] = ()


class RollNumber(Frozen):
    """A number that the roll gives, with its unit: inches run, hits, points lost."""

    of: Name
    name: Text
    unit: Text | None = None


class Roll(Row):
    """One roll of the game.

    ``by``: who throws it, ``at``: at whom, ``using``: with what. ``usable``: an expression about
    the weapon and the two figures that says whether they throw it at all. ``outcomes``: what it may
    bring, ``numbers``: what it gives; at least one of both.
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
    """A list of steps that several rolls take. ``reads``: names that must be bound before."""

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
    """One combination: how many dice show the same face, the largest group first ([3, 2])."""

    key: Name
    name: Text
    groups: tuple[Annotated[int, Field(ge=2)], ...] = ()


class HandOfDice(Row):
    """Dice with faces that make combinations, the weakest first.

    ``faces``: what is on the sides, the lowest first; ``size``: how many dice count. Of two equal
    combinations the one with the higher faces is better, those of its groups first.
    """

    editing = Table(_("Hands of dice"), _("Add a hand of dice"))
    faces: Annotated[tuple[Text, ...], Field(min_length=2, max_length=12), _("Faces")]
    size: Annotated[int, Field(ge=1, le=8), _("Dice that count")] = 5
    combinations: Annotated[tuple[Combination, ...], Field(min_length=1), _("Combinations")]


class State(Row):
    """Something passing that a figure, a weapon or a side is in during a game.

    ``lasts``: until when, if nothing ends it before; ``given``: a figure is in it by itself as long
    as this holds; ``effects``: what it changes of a figure's characteristics; ``stops``: a figure
    in it is not activated; ``mark``: how a figure that is in it at the end has ended the game.
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
    """What a figure may do in its activation, what it costs, and the rolls that it may make.

    ``effects``: what it brings by itself, whatever dice show; ``scenarios``: it is done only in one
    of these, if any is named.
    """

    editing = Table(_("Actions"), _("Add an action"))
    text: Annotated[Text | None, _("Text")] = None
    cost: Annotated[Formula, _("Cost")] = 1
    rolls: Annotated[tuple[RollKey, ...], _("Rolls")] = ()
    usable: Annotated[Expression | None, _("Only if")] = None
    scenarios: Annotated[tuple[ScenarioKey, ...], _("Only in these scenarios")] = ()
    effects: Annotated[tuple[RollEffect, ...], _("What it changes")] = ()


class Spend(Row):
    """What may be done after the dice have fallen: a re-roll, or one die more.

    ``on``: the slot it raises by ``amount``; ``track``: the characteristic or the boxes to tick
    that it is paid from; ``once``: how often without one. ``whose``: one's own roll, or the
    enemy's.
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
