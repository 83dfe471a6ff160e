"""Forms of a league: a stage, the draw of a round, its days, and the gangs of a fixture."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaigns.club.planning.forms import PlanForm
from campaigns.engine.league.facts import Pair
from campaigns.engine.league.options import StageOptions
from campaigns.engine.league.standings_rules import NOW, possible_criteria
from campaigns.engine.league.swiss import Wishes
from campaigns.forms import PlannedDayField, TokenField, offer_gangs
from campaigns.league.draws import Draw, DrawnLine, RoundDraw
from campaigns.league.loading import LoadedStage
from campaigns.models import Campaign, Night, Stage
from campaigns.season.standings.forms import (
    check_ranking,
    chosen_ranking,
    offer_ranking,
    ranking_fields,
)
from common.forms import NameField, helper, set_choices
from gangs.models import Gang
from rules.book.model import Book

# The options of a table of points, and those that each format asks for.
OF_TABLE = ("win", "draw", "loss", "bye", "bonus", "edition")
ASKED: Mapping[str, Sequence[str]] = {
    Stage.Format.ROUND_ROBIN: ("legs", "days", *OF_TABLE),
    Stage.Format.SWISS: ("days", "first", *OF_TABLE),
    Stage.Format.KNOCK_OUT: ("third", "days"),
    Stage.Format.LADDER: ("reach", "climb", "days"),
}
POINTS = ("win", "draw", "loss", "bye")
MOST_WISHES = 3
TICKED = "ticked"


class DropOutForm(forms.Form):
    """The results of a gang that drops out of a round robin."""

    results = forms.ChoiceField(
        label=gettext_lazy("Its results in this stage"),
        choices=[
            ("stand", gettext_lazy("stand: they count as before")),
            ("annul", gettext_lazy("are annulled: they count for nobody in the stage’s table")),
        ],
        widget=forms.RadioSelect,
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.helper = helper()


class OptionsForm(forms.Form):
    """A stage's name and the options of its format."""

    name = NameField(label=gettext_lazy("Name"))
    legs = forms.TypedChoiceField(
        label=gettext_lazy("How often does each pair meet?"),
        choices=[(1, gettext_lazy("Once")), (2, gettext_lazy("Twice"))],
        coerce=int,
        widget=forms.RadioSelect,
    )
    reach = forms.IntegerField(
        label=gettext_lazy("Places up that a gang may challenge"), min_value=1, max_value=64
    )
    climb = forms.ChoiceField(
        label=gettext_lazy("A challenger who wins"),
        choices=[
            ("place", gettext_lazy("takes the place; everybody between moves down by one")),
            ("swap", gettext_lazy("changes places with the loser")),
        ],
        widget=forms.RadioSelect,
    )
    third = forms.BooleanField(
        label=gettext_lazy("The losers of the semi-finals play for the third place"),
        required=False,
    )
    days = forms.IntegerField(
        label=gettext_lazy("Days for each round"),
        min_value=0,
        max_value=365,
        help_text=gettext_lazy(
            "0 for rounds without a last day, as in a tournament of one day: every game has a"
            " table. You can change each round."
        ),
    )
    win = forms.IntegerField(label=gettext_lazy("A win"), min_value=-100, max_value=100)
    draw = forms.IntegerField(label=gettext_lazy("A draw"), min_value=-100, max_value=100)
    loss = forms.IntegerField(label=gettext_lazy("A defeat"), min_value=-100, max_value=100)
    bye = forms.IntegerField(label=gettext_lazy("A bye"), min_value=-100, max_value=100)
    first = forms.ChoiceField(
        label=gettext_lazy("In the first round"),
        choices=[
            ("halves", gettext_lazy("the top half of the seeds meets the bottom half")),
            ("neighbours", gettext_lazy("neighbours in the order of the seeds meet")),
            ("lots", gettext_lazy("lots decide who meets")),
        ],
        widget=forms.RadioSelect,
        required=False,
    )
    bonus = forms.BooleanField(
        label=gettext_lazy("Bonuses and penalties of the campaign count in the table"),
        required=False,
    )
    edition = forms.TypedChoiceField(
        label=gettext_lazy("Games without a battle, byes and opponents"),
        choices=[
            (1, gettext_lazy("count as when this stage began")),
            (2, gettext_lazy("count by the rules of today; places may change")),
        ],
        coerce=int,
        empty_value=None,
        widget=forms.RadioSelect,
        required=False,
    )

    def __init__(
        self,
        stage_format: str,
        known: StageOptions,
        data: Mapping[str, Any] | None = None,
        *,
        name: str,
        book: Book,
    ) -> None:
        """``known``: the options so far; ``name``: the name so far; ``book``: the campaign's."""
        self.known = known
        super().__init__(data, initial={**known.model_dump(), "name": name})
        asks_edition = known.edition != NOW
        self.asked = [name for name in ASKED[stage_format] if name != "edition" or asks_edition]
        for name in OptionsForm.base_fields:
            if name != "name" and name not in self.asked:
                del self.fields[name]
        if "win" in self.asked:
            possible = [key for key in possible_criteria(book) if key != "points"]
            offer_ranking(self, book, possible, known.ranking, first=1)
        if stage_format == Stage.Format.LADDER:
            self.fields["days"].label = _("Days to play a challenge")
            self.fields["days"].help_text = _("0 for challenges without a last day.")
        self.helper = helper()

    @property
    def plain_fields(self) -> list[forms.BoundField]:
        """The fields that are neither points nor tie-breaks, nor hidden."""
        apart = {*POINTS, *(field.name for field in self.criteria)}
        return [field for field in self.visible_fields() if field.name not in apart]

    @property
    def criteria(self) -> list[forms.BoundField]:
        """The fields for the order of the tie-breaks."""
        return ranking_fields(self)

    @property
    def has_more_criteria(self) -> bool:
        """Whether the fields after the first two are shown at once: one has a value or an error."""
        return any(field.value() or field.errors for field in self.criteria[2:])

    @property
    def point_fields(self) -> list[forms.BoundField]:
        """The fields of the points in the table."""
        return [self[name] for name in POINTS if name in self.fields]

    def clean(self) -> dict[str, Any]:
        """Check that no criterion breaks ties twice."""
        check_ranking(self)
        return self.cleaned_data

    def options(self) -> StageOptions:
        """The options, once the form is valid. Options without a field stay; lots that were drawn
        once stay drawn."""
        given = {name: self.cleaned_data[name] for name in self.asked}
        chosen = {name: value for name, value in given.items() if value not in ("", None)}
        if "by_1" in self.data:
            chosen["ranking"] = chosen_ranking(self)
        found = {**self.known.model_dump(), **chosen}
        if "lots" in found["ranking"] or found["first"] == "lots":
            found["seed"] = self.known.seed or secrets.token_hex(16)
        return StageOptions.model_validate(found)


class StageForm(OptionsForm):
    """A new stage: also its gangs, and the order of their seeds."""

    who = forms.ChoiceField(label=gettext_lazy("Who plays?"))
    best = forms.IntegerField(
        label=gettext_lazy("How many of that table?"),
        min_value=2,
        max_value=64,
        required=False,
        help_text=gettext_lazy("Only for the best of a table."),
    )
    gangs = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Gangs"), widget=forms.CheckboxSelectMultiple, required=False
    )
    order = forms.ChoiceField(
        label=gettext_lazy("Seeds"),
        help_text=gettext_lazy("The order at the start: it decides who meets first."),
    )
    token = TokenField()
    field_order = ["name", "who", "best", "gangs", "order"]

    def __init__(
        self,
        stage_format: str,
        labels: Mapping[Gang, str],
        tables: Sequence[tuple[str, str]],
        data: Mapping[str, Any] | None = None,
        *,
        book: Book,
    ) -> None:
        """``labels``: the gangs to choose from; ``tables``: the tables whose best may play."""
        name = str(Stage.Format(stage_format).label)
        super().__init__(stage_format, usual_options(stage_format), data, name=name, book=book)
        # An empty field: browsers send no form with a number below its least one.
        self.initial.pop("best", None)
        offer_gangs(self, "gangs", labels)
        self.fields["gangs"].initial = [str(gang.pk) for gang in labels]
        best = [(key, _("The best of: %(table)s") % {"table": name}) for key, name in tables]
        set_choices(self, "who", [(TICKED, _("The gangs ticked below")), *best])
        if tables:
            self.fields["gangs"].help_text = _("Not for the best of a table.")
            self.fields["order"].help_text = _(
                "The order at the start: it decides who meets first."
                " The best of a table are seeded by their places."
            )
        else:
            del self.fields["who"], self.fields["best"]
        order = [("lots", _("Drawn at random")), ("standings", _("The campaign’s standings"))]
        if book.rating is not None:
            order.append(("rating", _("The highest rating first")))
        order.append(("joined", _("The order in which they joined")))
        set_choices(self, "order", order)

    def clean(self) -> dict[str, Any]:
        """Check that at least two gangs play."""
        cleaned = super().clean()
        if cleaned.get("who", TICKED) != TICKED:
            if not cleaned.get("best") and not self.has_error("best"):
                self.add_error("best", _("How many?"))
        elif len(cleaned.get("gangs", ())) < 2 and not self.has_error("gangs"):
            self.add_error("gangs", _("Choose at least two gangs."))
        return cleaned


def usual_options(stage_format: str) -> StageOptions:
    """The options that a new stage begins with. In a round robin a bye brings nothing, since
    everybody has as many, and opponents break no tie, since everybody has the same."""
    if stage_format == Stage.Format.ROUND_ROBIN:
        return StageOptions(bye=0, ranking=("head_to_head", "wins"))
    return StageOptions()


class DaysForm(forms.Form):
    """The days of a round."""

    opens = PlannedDayField(label=gettext_lazy("Opens"))
    due = PlannedDayField(label=gettext_lazy("Last day"), required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.helper = helper()

    def clean(self) -> dict[str, Any]:
        """Check that a round does not end before it opens."""
        cleaned: dict[str, Any] = self.cleaned_data
        opens, due = cleaned.get("opens"), cleaned.get("due")
        if opens and due and due < opens:
            self.add_error("due", _("That is before the round opens."))
        return cleaned


class DueForm(forms.Form):
    """The last day of one fixture."""

    due = PlannedDayField(label=gettext_lazy("Last day"))

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.helper = helper()

    def clean_due(self) -> date:
        """Check that the day is not over."""
        due: date = self.cleaned_data["due"]
        if due < timezone.localdate():
            raise ValidationError(_("That day is over."), "past")
        return due


@dataclass(frozen=True)
class DrawRow:
    """A row of the draw's form: its two fields, and the proposed fixture, if it has one."""

    home: forms.BoundField
    away: forms.BoundField
    line: DrawnLine | None


class DrawForm(DaysForm):
    """The fixtures of a round, as proposed or changed: two choices in each row."""

    def __init__(
        self,
        one: RoundDraw,
        labels: Mapping[str, str],
        *args: Any,
        rows: int | None = None,
        **options: Any,
    ) -> None:
        """``labels``: the gangs to choose from, by key; ``rows``: the number of rows on the page,
        of which no more count than there are gangs."""
        lines = list(one.lines)
        count = max(len(lines), min(rows or 0, len(labels)))
        self.lines: list[DrawnLine | None] = [*lines, *[None] * (count - len(lines))]
        initial: dict[str, Any] = {"opens": one.opens, "due": one.due}
        for number, line in enumerate(lines):
            initial |= {f"home{number}": line.home, f"away{number}": line.away}
        super().__init__(*args, initial=initial, **options)
        if not one.is_new:
            del self.fields["opens"], self.fields["due"]
        self.labels = labels
        for number in range(count):
            for side, empty in (("home", _("Nobody")), ("away", _("Bye"))):
                self.fields[f"{side}{number}"] = forms.ChoiceField(
                    label=_("Game %(number)s") % {"number": number + 1},
                    choices=[("", empty), *labels.items()],
                    required=False,
                    widget=_select(),
                )

    @property
    def rows(self) -> list[DrawRow]:
        """The rows, in order."""
        return [
            DrawRow(self[f"home{number}"], self[f"away{number}"], line)
            for number, line in enumerate(self.lines)
        ]

    @property
    def day_fields(self) -> list[forms.BoundField]:
        """The fields of the round's days."""
        return [self[name] for name in ("opens", "due") if name in self.fields]

    def clean(self) -> dict[str, Any]:
        """Check that no gang is in two games."""
        cleaned = super().clean()
        seen: set[str] = set()
        twice: set[str] = set()
        for home, away in self._pairs():
            for gang in filter(None, (home, away)):
                (twice if gang in seen else seen).add(gang)
        if twice:
            names = ", ".join(sorted(self.labels[gang] for gang in twice))
            raise ValidationError(_("In two games: %(names)s.") % {"names": names}, "twice")
        if not seen:
            raise ValidationError(_("Choose the gangs of at least one game."), "none")
        return cleaned

    def _pairs(self) -> list[tuple[str, str]]:
        data = self.cleaned_data
        return [
            (data.get(f"home{number}", ""), data.get(f"away{number}", ""))
            for number in range(len(self.lines))
        ]

    def drawn(self) -> list[tuple[int, str, str, DrawnLine | None]]:
        """The fixtures to make, once the form is valid: the place of each, its gangs ("" for a
        bye), and the proposal that it follows unchanged, if it does."""
        found = []
        for number, ((home, away), line) in enumerate(
            zip(self._pairs(), self.lines, strict=True), start=1
        ):
            if not home and away:
                home, away = away, ""
            if home:
                same = line is not None and (line.home, line.away) == (home, away)
                found.append((number, home, away, line if same else None))
        return found

    def left_out(self, free: Collection[str]) -> list[str]:
        """The names of the ``free`` gangs that are in no game, once the form is valid."""
        drawn = {gang for _number, *pair, _line in self.drawn() for gang in pair}
        return [name for key, name in self.labels.items() if key in free and key not in drawn]


def _select() -> forms.Select:
    """A list of choices that a template draws itself."""
    return forms.Select(attrs={"class": "form-select"})


class WishesForm(forms.Form):
    """Pairs that an organiser wants, or wants to avoid. It is sent by GET and changes nothing."""

    def __init__(self, labels: Mapping[str, str], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        kinds = [("meet", _("should meet")), ("avoid", _("should not meet"))]
        for number in range(MOST_WISHES):
            choices = [("", "–"), *labels.items()]
            words = {"number": number + 1}
            self.fields[f"one{number}"] = forms.ChoiceField(
                label=_("Wish %(number)s: gang") % words,
                choices=choices,
                required=False,
                widget=_select(),
            )
            self.fields[f"kind{number}"] = forms.ChoiceField(
                label=_("Wish %(number)s: what") % words,
                choices=kinds,
                required=False,
                widget=_select(),
            )
            self.fields[f"two{number}"] = forms.ChoiceField(
                label=_("Wish %(number)s: other gang") % words,
                choices=choices,
                required=False,
                widget=_select(),
            )
        self.helper = helper()

    @property
    def rows(self) -> list[tuple[forms.BoundField, forms.BoundField, forms.BoundField]]:
        """The fields of each wish."""
        return [
            (self[f"one{number}"], self[f"kind{number}"], self[f"two{number}"])
            for number in range(MOST_WISHES)
        ]

    def wishes(self) -> Wishes:
        """The wishes; those that are not complete or not valid are left out."""
        found: dict[str, set[Pair]] = {"meet": set(), "avoid": set()}
        if self.is_bound:
            self.full_clean()
            for number in range(MOST_WISHES):
                one, two = (self.cleaned_data.get(f"{side}{number}") for side in ("one", "two"))
                kind = self.cleaned_data.get(f"kind{number}") or "meet"
                if one and two and one != two:
                    found[kind].add(frozenset((one, two)))
        return Wishes(frozenset(found["meet"]), frozenset(found["avoid"]))


class FixtureForm(forms.Form):
    """The gangs of a fixture."""

    home = forms.TypedChoiceField(label=gettext_lazy("Gang"))
    away = forms.TypedChoiceField(label=gettext_lazy("Against"), required=False, empty_value=None)

    def __init__(self, labels: Mapping[Gang, str], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in ("home", "away"):
            offer_gangs(self, name, labels)
        set_choices(self, "away", [("", _("Bye")), *((str(g.pk), n) for g, n in labels.items())])
        self.helper = helper()

    def clean(self) -> dict[str, Any]:
        """Check that the gang does not meet itself."""
        cleaned: dict[str, Any] = self.cleaned_data
        if cleaned.get("home") and cleaned.get("home") == cleaned.get("away"):
            self.add_error("away", _("A gang cannot meet itself."))
        return cleaned


class ArrangeForm(PlanForm):
    """The day of a fixture's game: a night, or another day."""

    token = TokenField()
    field_order = ["night", "played_on", "scenario", "faces", "token"]

    def __init__(
        self, campaign: Campaign, to_come: Sequence[Night], *args: Any, **options: Any
    ) -> None:
        super().__init__(campaign, to_come, *args, **options)

    def gangs_playing(self) -> int:
        """Two gangs meet in a fixture."""
        return 2


def describe_draw(draw: Draw) -> str:
    """The number of fixtures and rounds in a proposal."""
    games = sum(bool(line.away) for one in draw.rounds for line in one.lines)
    rounds = len(draw.rounds)
    parts = [
        ngettext("%(count)s game", "%(count)s games", games) % {"count": games},
        ngettext("%(count)s round", "%(count)s rounds", rounds) % {"count": rounds},
    ]
    return " · ".join(parts)


def labels_of(loaded: LoadedStage) -> dict[str, str]:
    """The names of the gangs that play on, by key."""
    return {str(gang.pk): loaded.names[str(gang.pk)] for gang in loaded.playing}
