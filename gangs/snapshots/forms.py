"""Forms of the time machine: a day, and two moments to compare."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from common.forms import CrispyForm
from gangs.snapshots.moments import Gap, Stop


class DayForm(CrispyForm):
    """A day; the gang is shown as of its end."""

    on = forms.DateField(
        label=gettext_lazy("On which day?"),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )


class BetweenForm(CrispyForm):
    """Two moments of a gang: named moments, and ``others`` from the address."""

    def __init__(self, named: list[Stop], *args: Any, others: list[Gap], **options: Any) -> None:
        super().__init__(*args, **options)
        names = {stop.place: f"{stop} · {stop.day}" for stop in named}
        names |= {other.place: str(other) for other in others if other.place not in names}
        choices = [(str(place), names[place]) for place in sorted(names)]
        labels = {"from": gettext_lazy("From"), "to": gettext_lazy("To")}
        for name, label in labels.items():
            self.fields[name] = forms.ChoiceField(label=label, choices=choices)

    @property
    def places(self) -> tuple[int, int]:
        """The two places, the earlier first."""
        first, second = sorted(int(self.cleaned_data[name]) for name in ("from", "to"))
        return first, second
