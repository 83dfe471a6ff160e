"""The form that matches a game with the donor of its campaign."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.forms import CrispyForm
from rules.editor.languages import text_of
from rules.editor.places import Data
from rules.skeletons.data import rows_of, tags_of
from rules.skeletons.matching import ALONG, ANY, Matches, Needs

Choices = list[tuple[str, str | Promise]]
# The factors for sums of money that the form offers.
TIMES: tuple[str, ...] = ("1/100", "1/50", "1/20", "1/10", "1/5", "1/4", "1/3", "1/2", "1")
TIMES += ("2", "3", "4", "5", "6", "8", "10", "12", "15", "20", "25", "50", "100")


@dataclass(frozen=True)
class Part:
    """A part of the form: its heading, what it is about, and its fields."""

    heading: str
    hint: str
    fields: list[forms.BoundField]


class MatchForm(CrispyForm):
    """A field for each characteristic, rank and list of traits that a campaign touches."""

    def __init__(
        self, *args: Any, game: Data, donor: Data, needs: Needs, guessed: Matches, **options: Any
    ) -> None:
        """``guessed``: the values to propose."""
        super().__init__(*args, **options)
        self.of_characteristics = self._ask_characteristics(game, donor, guessed.characteristics)
        self.of_ranks = self._ask_ranks(game, donor, needs, guessed.ranks)
        self.of_lists = self._ask_lists(game, donor, needs, guessed.lists)
        times = {str(Fraction(one)): one for one in (*TIMES, str(guessed.times))}
        self.fields["times"] = forms.ChoiceField(
            label=gettext_lazy("Sums of money are multiplied by"),
            choices=sorted(times.items(), key=lambda one: Fraction(one[0])),
            initial=str(guessed.times),
        )

    def _ask(self, name: str, label: str, choices: Choices, initial: str) -> None:
        self.fields[name] = forms.ChoiceField(
            label=label, choices=choices, initial=initial, required=False
        )

    def _ask_characteristics(
        self, game: Data, donor: Data, guessed: Mapping[str, str]
    ) -> dict[str, str]:
        theirs = rows_of(donor, "characteristics")
        rows = rows_of(game, "characteristics")
        own = [(key, _name(row, key)) for key, row in rows.items() if row.get("kind") != "word"]
        choices: Choices = [
            ("", gettext_lazy("nothing: leave its effects out")),
            (ALONG, gettext_lazy("add it as a new one")),
            *own,
        ]
        fields = {}
        for number, (key, match) in enumerate(guessed.items()):
            fields[f"characteristic{number}"] = key
            label = _("Their “%(name)s” is your …") % {"name": _name(theirs.get(key), key)}
            self._ask(f"characteristic{number}", label, choices, match)
        return fields

    def _ask_ranks(
        self, game: Data, donor: Data, needs: Needs, guessed: Mapping[str, str]
    ) -> dict[str, str]:
        theirs, ours = rows_of(donor, "ranks"), rows_of(game, "ranks")
        choices: Choices = [("", gettext_lazy("no rank of theirs"))]
        # Also those that the campaign leaves alone, so that the author sees which these are.
        touched = set(needs.ranks)
        choices += [(key, _name(row, key)) for key, row in theirs.items()]
        fields = {}
        for number, (key, match) in enumerate(guessed.items() if touched else ()):
            fields[f"rank{number}"] = key
            label = _("Your “%(name)s” is like their …") % {"name": _name(ours.get(key), key)}
            self._ask(f"rank{number}", label, choices, match)
        return fields

    def _ask_lists(
        self, game: Data, donor: Data, needs: Needs, guessed: Mapping[str, str]
    ) -> dict[str, str]:
        named, theirs = rows_of(game, "tags"), rows_of(donor, "tags")
        own = [(tag, _name(named.get(tag), tag)) for tag in tags_of(game, "traits")]
        choices: Choices = [
            ("", gettext_lazy("nothing: leave it out")),
            (ALONG, gettext_lazy("take its traits along")),
            *own,
        ]
        learned: Choices = [*choices, (ANY, gettext_lazy("any trait of the game"))]
        fields = {}
        for number, (tag, match) in enumerate(guessed.items()):
            fields[f"list{number}"] = tag
            label = _("Their traits “%(name)s” are your …") % {"name": _name(theirs.get(tag), tag)}
            self._ask(f"list{number}", label, learned if tag in needs.learned else choices, match)
        return fields

    def parts(self) -> Iterator[Part]:
        """Yield the parts that have fields."""
        listed = (
            (
                _("Characteristics"),
                _("Injuries and advances change them."),
                self.of_characteristics,
            ),
            (_("Ranks"), _("They decide who learns, leads and is paid."), self.of_ranks),
            (_("Traits to learn"), _("Advances choose from them."), self.of_lists),
            (_("Money"), _("Guessed from the budgets of both."), {"times": ""}),
        )
        for heading, hint, fields in listed:
            if fields:
                yield Part(heading, hint, [self[name] for name in fields])

    def find_matches(self) -> Matches:
        """Return the answers of a valid form."""
        given = self.cleaned_data
        return Matches(
            {key: given[name] for name, key in self.of_characteristics.items()},
            {key: given[name] for name, key in self.of_ranks.items()},
            {tag: given[name] for name, tag in self.of_lists.items()},
            Fraction(given["times"]),
        )


def _name(row: Data | None, key: str) -> str:
    """Return the name of a row in the reader's language; its key without one."""
    return text_of((row or {}).get("name") or key)
