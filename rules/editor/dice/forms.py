"""The form “How dice are thrown”: the parts of a roll, without formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.forms import CrispyForm, NameField
from rules.editor.forms import GridField
from rules.editor.places import Data, Written
from rules.editor.text import row_label
from rules.rolling.parts import (
    MOST_ATTACKS,
    SIDES,
    DiceTest,
    Quantity,
    Reach,
    RollParts,
    Save,
    find_lacking,
    find_values,
)

type Choices = list[tuple[str, Any]]

# The table to start with: rows for the attacker's number, columns for the target's.
USUAL_TABLE = [
    [
        2 if own >= 2 * theirs else 3 if own > theirs else 4 if own == theirs
        else 6 if theirs >= 2 * own else 5
        for theirs in range(1, 11)
    ]
    for own in range(1, 11)
]  # fmt: skip
MOST_CELLS = 20
HOW: Choices = [
    ("fixed", gettext_lazy("always the same number")),
    ("own", gettext_lazy("a number of the attacker or the weapon")),
    ("theirs", gettext_lazy("a number of the target")),
    ("difference", gettext_lazy("one number compared with another: each point counts")),
    ("table", gettext_lazy("a table of two numbers")),
    ("none", gettext_lazy("no dice: it always succeeds")),
]
REACH: Choices = [
    ("none", gettext_lazy("not asked: in contact, or as far as it can see")),
    ("fixed", gettext_lazy("at most this number of inches")),
    ("value", gettext_lazy("at most a number of the weapon")),
]
QUANTITY: Choices = [
    ("fixed", gettext_lazy("always the same number")),
    ("value", gettext_lazy("a number of the weapon or the attacker")),
]
SAVE: Choices = [
    ("none", gettext_lazy("no save")),
    ("theirs", gettext_lazy("a number of the target")),
    ("fixed", gettext_lazy("always the same number")),
]
HARM: Choices = [
    ("life", gettext_lazy("it loses life, and is out without any left")),
    ("out", gettext_lazy("it is out of action right away")),
    ("state", gettext_lazy("it only gets a state")),
]
LOW: Choices = [
    ("", gettext_lazy("this number or more")),
    ("1", gettext_lazy("this number or less")),
]
SIGNED: Choices = [
    ("", gettext_lazy("1 makes the save worse by one")),
    ("1", gettext_lazy("-1 makes the save worse by one")),
]
# The fields behind the word of a part, by the way that needs them.
OF_TEST = {
    "number": ("fixed", "difference"),
    "own": ("own", "difference", "table"),
    "theirs": ("theirs", "difference", "table"),
    "grid": ("table",),
    "cells": ("table",),
    "low": ("fixed", "own", "theirs", "difference", "table"),
}
OF_SAVE = {
    "number": ("fixed",),
    "theirs": ("theirs",),
    "low": ("fixed", "theirs"),
    "worse": ("fixed", "theirs"),
    "signed": ("fixed", "theirs"),
}
OF_QUANTITY = {"number": ("fixed", "dice"), "value": ("value",), "sides": ("dice",)}
EVERY_DAMAGE = ("fixed", "value", "dice")


@dataclass(frozen=True)
class PartField:
    """A field of a part. ``shown_for``: the answers that need it; "" for all."""

    field: forms.BoundField
    shown_for: str = ""
    is_how: bool = False


@dataclass(frozen=True)
class FormPart:
    """A part of the form: its heading, a hint, and its fields."""

    heading: str
    hint: str
    fields: list[PartField]


class DiceForm(CrispyForm):
    """The parts of a roll, its name, and whether its tables are new ones."""

    name = NameField(label=gettext_lazy("Name of the attack"))
    groups = forms.MultipleChoiceField(
        label=gettext_lazy("Made with"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=gettext_lazy("Tick nothing for an attack without a weapon."),
    )
    reach_how = forms.ChoiceField(label=gettext_lazy("How far the target may be"), choices=REACH)
    reach_number = forms.IntegerField(label=gettext_lazy("Inches"), min_value=1, max_value=99)
    reach_value = forms.ChoiceField(label=gettext_lazy("Range of the weapon"))
    attacks_how = forms.ChoiceField(label=gettext_lazy("Attacks of one action"), choices=QUANTITY)
    attacks_number = forms.IntegerField(
        label=gettext_lazy("Number"), min_value=1, max_value=MOST_ATTACKS
    )
    attacks_value = forms.ChoiceField(label=gettext_lazy("Number of the weapon or the attacker"))
    sides = forms.TypedChoiceField(
        label=gettext_lazy("Dice"),
        coerce=int,
        choices=[(str(one), f"D{one}") for one in SIDES],
    )
    ones_fail = forms.BooleanField(
        label=gettext_lazy("The worst face always fails"), required=False
    )
    best_succeeds = forms.BooleanField(
        label=gettext_lazy("The best face always hits and wounds"), required=False
    )
    save_how = forms.ChoiceField(label=gettext_lazy("The target saves against"), choices=SAVE)
    save_number = forms.IntegerField(label=gettext_lazy("Number"), min_value=1, max_value=20)
    save_theirs = forms.ChoiceField(label=gettext_lazy("Number of the target"))
    save_low = forms.ChoiceField(label=gettext_lazy("A die saves with"), choices=LOW)
    save_worse = forms.ChoiceField(label=gettext_lazy("The weapon makes it worse by"))
    save_signed = forms.ChoiceField(label=gettext_lazy("In this column"), choices=SIGNED)
    harm = forms.ChoiceField(label=gettext_lazy("What happens to the target"), choices=HARM)
    damage_how = forms.ChoiceField(
        label=gettext_lazy("Life lost for each"),
        choices=[*QUANTITY, ("dice", gettext_lazy("dice"))],
    )
    damage_number = forms.IntegerField(label=gettext_lazy("Number"), min_value=1, max_value=9)
    damage_sides = forms.TypedChoiceField(
        label=gettext_lazy("Dice for the damage"),
        coerce=int,
        choices=[(str(one), f"D{one}") for one in (3, *SIDES)],
    )
    damage_value = forms.ChoiceField(label=gettext_lazy("Damage in"))
    mark = forms.ChoiceField(label=gettext_lazy("Mark of one that is out"))
    hurt_state = forms.ChoiceField(label=gettext_lazy("State of one that is hurt"))
    hit_state = forms.ChoiceField(label=gettext_lazy("State of one that is hit without harm"))

    def __init__(
        self, *args: Any, written: Written, parts: RollParts, name: str, **options: Any
    ) -> None:
        """``parts``: those that the fields show at first."""
        super().__init__(*args, **options)
        self.tables = written.tables
        self.life = str(written.data.get("life") or "")
        self._add_test("hit", _("A die hits by"), parts.hit)
        self._add_test("wound", _("A hit wounds by"), parts.wound)
        self._set_choices(written)
        self._set_initial(parts, name)
        for field in self.fields.values():
            if not isinstance(field, forms.BooleanField):
                field.required = False
        for field_name in ("name", "harm", "sides"):
            self.fields[field_name].required = True

    def _add_test(self, name: str, label: str, test: DiceTest) -> None:
        more: dict[str, forms.Field] = {
            "how": forms.ChoiceField(label=label, choices=HOW),
            "number": forms.IntegerField(
                label=_("Number needed (if numbers are compared: between equals)"),
                min_value=1,
                max_value=20,
            ),
            "own": forms.ChoiceField(label=_("Number of the attacker or the weapon")),
            "theirs": forms.ChoiceField(label=_("Number of the target")),
            "grid": forms.ChoiceField(label=_("Table")),
            "cells": GridField(label=_("New table: a row for each number of the attacker, from 1")),
            "low": forms.ChoiceField(label=_("A die succeeds with"), choices=LOW),
        }
        self.fields |= {f"{name}_{key}": field for key, field in more.items()}
        for key in ("how", "number", "own", "theirs", "grid"):
            self.fields[f"{name}_{key}"].initial = getattr(test, key)
        self.fields[f"{name}_low"].initial = "1" if test.is_under else ""
        self.fields[f"{name}_cells"].initial = USUAL_TABLE

    def _set_choices(self, written: Written) -> None:
        def rows(table: str) -> Choices:
            found = written.tables.get(table, {})
            return [(key, row_label(table, row, key)) for key, row in found.items()]

        by, item, at = (find_values(self.tables, one) for one in ("by", "item", "at"))
        none: Choices = [("", "–")]
        weapon = (_("Weapon"), _name_all(item))
        own: Choices = [*none, (_("Attacker"), _name_all(by)), weapon]
        choices: dict[str, Choices] = {
            "groups": rows("groups"),
            "reach_value": [*none, *_name_all(item)],
            "attacks_value": own,
            "hit_own": own,
            "wound_own": own,
            "hit_theirs": [*none, *_name_all(at)],
            "wound_theirs": [*none, *_name_all(at)],
            "save_theirs": [*none, *_name_all(at)],
            "save_worse": [("", gettext_lazy("nothing")), *_name_all(item)],
            "damage_value": own,
            "hit_grid": [("", gettext_lazy("a new table")), *rows("grids")],
            "wound_grid": [("", gettext_lazy("a new table")), *rows("grids")],
            "hurt_state": [("", gettext_lazy("no state")), *rows("states")],
            "hit_state": [("", gettext_lazy("no state")), *rows("states")],
            "mark": [("", gettext_lazy("no mark")), *rows("campaign.marks")],
        }
        for name, found in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = found
        if not self.life:
            harm = self.fields["harm"]
            assert isinstance(harm, forms.ChoiceField)
            harm.choices = HARM[1:]
            harm.help_text = _(
                "To let targets lose life, choose under “Name and words” which characteristic is "
                "ticked off."
            )

    def _set_initial(self, parts: RollParts, name: str) -> None:
        save = parts.save
        initial: dict[str, object] = {
            "name": name,
            "groups": list(parts.groups),
            "sides": parts.sides,
            "ones_fail": parts.ones_fail,
            "best_succeeds": parts.best_succeeds,
            "harm": parts.harm,
            "save_low": "1" if save.is_under else "",
            "save_signed": "1" if save.is_signed else "",
            "mark": parts.mark,
            "hurt_state": parts.hurt_state,
            "hit_state": parts.hit_state,
        }
        of_parts: Mapping[str, tuple[object, Sequence[str]]] = {
            "reach": (parts.reach, ("how", "number", "value")),
            "attacks": (parts.attacks, ("how", "number", "value")),
            "save": (save, ("how", "number", "theirs", "worse")),
            "damage": (parts.damage, ("how", "number", "value", "sides")),
        }
        for part, (value, keys) in of_parts.items():
            initial |= {f"{part}_{key}": getattr(value, key) for key in keys}
        for field, value in initial.items():
            self.fields[field].initial = value

    def clean(self) -> dict[str, Any]:
        """Check that each answer comes with the fields that it needs."""
        given = super().clean() or {}
        for part, needs in self._list_needs(given):
            for key in needs:
                name = f"{part}_{key}" if part else key
                if given.get(name) in (None, "") and name not in self.errors:
                    self.add_error(name, _("Please choose or enter something here."))
        for part in ("hit", "wound"):
            self._check_test(part, given)
        if given.get("harm") == "life":
            most, fixed = self._find_most_life(), given.get("damage_how") in ("fixed", "dice")
            if most is not None and most <= (fixed and given.get("damage_number") or 1):
                sentence = _("Nobody has more life than a wound takes: choose “out of action”.")
                self.add_error("harm", sentence)
        if not self.errors:
            self._check_columns()
        return given

    def _list_needs(self, given: Data) -> Iterator[tuple[str, list[str]]]:
        """Yield each part with the fields that it cannot do without."""
        for part in ("hit", "wound"):
            how = given.get(f"{part}_how")
            needs = [key for key in ("number", "own", "theirs") if how in OF_TEST[key]]
            if how == "table" and not given.get(f"{part}_grid"):
                needs.append("cells")
            yield part, needs
        how = given.get("save_how")
        yield "save", [key for key in ("number", "theirs") if how in OF_SAVE[key]]
        parts = ["reach", "attacks"]
        if given.get("harm") == "life":
            parts.append("damage")
        for part in parts:
            how = given.get(f"{part}_how")
            yield part, [key for key, hows in OF_QUANTITY.items() if how in hows]
        if given.get("harm") == "state":
            yield "", ["hurt_state"]

    def _check_test(self, part: str, given: Data) -> None:
        """Check a fixed number against the faces of the dice, and the size of a new table."""
        sides, number = given.get("sides") or 6, given.get(f"{part}_number")
        if given.get(f"{part}_how") == "fixed" and number is not None:
            low, high = (1, sides - 1) if given.get(f"{part}_low") else (2, sides)
            if not low <= number <= high:
                sentence = _("With these dice, a number from %(low)s to %(high)s, please.")
                self.add_error(f"{part}_number", sentence % {"low": low, "high": high})
        cells = given.get(f"{part}_cells")
        if given.get(f"{part}_how") == "table" and not given.get(f"{part}_grid") and cells:
            widths = {len(row) for row in cells}
            if len(widths) > 1 or max(len(cells), *widths) > MOST_CELLS:
                sentence = _("All rows need the same number of cells, %(most)s at most.")
                self.add_error(f"{part}_cells", sentence % {"most": MOST_CELLS})

    def _find_most_life(self) -> int | None:
        """Return the most life of any rank; None if it is no number."""
        row = self.tables["characteristics"].get(self.life)
        if not isinstance(row, dict) or row.get("kind") != "number":
            return None
        found = [row.get("start")]
        for rank in self.tables["ranks"].values():
            values = rank.get("values") if isinstance(rank, dict) else None
            if isinstance(values, dict) and self.life in values:
                found.append(values[self.life])
        numbers = [one for one in found if isinstance(one, int)]
        return max(numbers, default=None)

    def _check_columns(self) -> None:
        """Check that every kind of weapon has the columns that the parts name."""
        fields = ("reach_value", "attacks_value", "hit_own", "wound_own", "save_worse")
        for name, groups in find_lacking(self.find_parts(), self.tables).items():
            field = next(
                one for one in (*fields, "damage_value") if self.cleaned_data.get(one) == name
            )
            if not groups:
                self.add_error("groups", _("Tick the weapons: another answer reads their columns."))
                return
            labels = [row_label("groups", self.tables["groups"].get(key), key) for key in groups]
            sentence = _("These weapons have no such number: %(names)s.")
            self.add_error(field, sentence % {"names": ", ".join(labels)})

    def find_parts(self) -> RollParts:
        """Return the answers of a valid form. A new table has no key yet."""
        given = self.cleaned_data
        harm = given["harm"]
        return RollParts(
            groups=tuple(given["groups"]),
            reach=Reach(given["reach_how"], *self._pick("reach", number=12, value="")),
            attacks=Quantity(given["attacks_how"], *self._pick("attacks", number=1, value="")),
            sides=given["sides"],
            ones_fail=given["ones_fail"],
            best_succeeds=given["best_succeeds"],
            hit=self._find_test("hit"),
            wound=self._find_test("wound"),
            save=self._find_save(),
            damage=Quantity(given["damage_how"], *self._pick("damage", number=1, value="", sides=6))
            if harm == "life"
            else Quantity(),
            harm=harm,
            hurt_state=given["hurt_state"] if harm != "out" else "",
            hit_state=given["hit_state"],
            mark=given["mark"] if harm != "state" else "",
        )

    def _pick(self, part: str, **usual: Any) -> Iterator[Any]:
        """Yield the answers of a part that its way needs, and the usual value of others."""
        how = self.cleaned_data[f"{part}_how"]
        for key, value in usual.items():
            yield self.cleaned_data[f"{part}_{key}"] if how in OF_QUANTITY[key] else value

    def _find_test(self, part: str) -> DiceTest:
        given = self.cleaned_data
        how = given[f"{part}_how"]

        def pick(key: str, usual: Any) -> Any:
            return given[f"{part}_{key}"] if how in OF_TEST[key] else usual

        return DiceTest(
            how,
            pick("number", DiceTest().number),
            pick("own", ""),
            pick("theirs", ""),
            pick("grid", ""),
            is_under=bool(pick("low", "")),
        )

    def _find_save(self) -> Save:
        given = self.cleaned_data
        how = given["save_how"]
        if how == "none":
            return Save()
        return Save(
            how,
            given["save_number"] if how == "fixed" else Save().number,
            given["save_theirs"] if how == "theirs" else "",
            is_under=bool(given["save_low"]),
            worse=given["save_worse"],
            is_signed=bool(given["save_worse"] and given["save_signed"]),
        )

    def parts(self) -> Iterator[FormPart]:
        """Yield the parts of the form in the order of the game."""
        yield self._part(_("The attack"), "", {"name": (), "groups": ()})
        needs = {"number": ("fixed",), "value": ("value",)}
        yield self._part(_("Distance"), "", self._behind("reach", needs))
        yield self._part(_("Number of attacks"), "", self._behind("attacks", needs))
        yield self._part(_("Dice"), "", {"sides": (), "ones_fail": (), "best_succeeds": ()})
        hint = _("One die for each attack.")
        yield self._part(_("To hit"), hint, self._behind("hit", OF_TEST))
        hint = _("One die for each hit.")
        yield self._part(_("To wound"), hint, self._behind("wound", OF_TEST))
        hint = _("The target throws one die for each wound.")
        yield self._part(_("Saving throw"), hint, self._behind("save", OF_SAVE))
        life: dict[str, tuple[str, ...]] = {}
        if self.life:
            life["damage_how"] = ("life", *EVERY_DAMAGE)
            life |= {f"damage_{key}": ("life", *hows) for key, hows in OF_QUANTITY.items()}
        hint = _("For each wound that was not saved.")
        yield self._part(
            _("Damage and its effects"),
            hint,
            {
                "harm": (),
                **life,
                "mark": ("life", "out", *EVERY_DAMAGE),
                "hurt_state": ("life", "state", *EVERY_DAMAGE),
                "hit_state": (),
            },
        )

    def _behind(
        self, part: str, needs: Mapping[str, tuple[str, ...]]
    ) -> dict[str, tuple[str, ...]]:
        return {f"{part}_how": (), **{f"{part}_{key}": hows for key, hows in needs.items()}}

    def _part(self, heading: str, hint: str, fields: Mapping[str, tuple[str, ...]]) -> FormPart:
        found = [
            PartField(self[name], " ".join(hows), name == "harm" or name.endswith("_how"))
            for name, hows in fields.items()
        ]
        return FormPart(heading, hint, found)


def _name_all(rows: Mapping[str, Data]) -> Choices:
    """Return values with the names of their rows, in the reader's language."""
    return [(name, row_label("characteristics", row, name)) for name, row in rows.items()]
