"""The form that tells of one gang in a game: who took part, how they ended, what was counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.db.models import Min
from django.http import QueryDict
from django.utils.html import escape
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.engine.credits import Deeds, Losses
from campaigns.engine.crew import expect_fielded
from campaigns.engine.report import TAKEN_OUT, Credit, Per, Report, tallies
from campaigns.models import Side
from campaigns.table.crews.preparing import before_of, crew_of
from common.forms import helper, number
from gangs.engine.roster import Member, Roster
from gangs.models import StoredEntry
from gangs.text.formats import localize, money_unit, rank_name, shown_name
from rules.book.model import Book
from rules.book.season import Tally
from rules.book.vocabulary import Selector
from rules.engine.figure import picks


class MarkWidget(forms.Select):
    """How a member ended, in two answers: that they went down (the first way that there is) and, if
    they did, ``-how`` exactly."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        """What they ended as; whoever did not go down ended in no other way."""
        fell = super().value_from_datadict(data, files, name)
        return data.get(f"{name}-how", fell) if fell else fell


@dataclass(frozen=True)
class Hand:
    """Somebody who may have put a member out. ``value``: what the form calls them."""

    value: str
    name: str
    gang: str
    member: int


@dataclass(frozen=True)
class MemberRow:
    """One member's fields. What is counted of them is folded away until there is something to see.
    ``about``: their rank; of somebody without a name, what they carry;
    ``anchor``, ``fallen_anchor``: where on the page it is told what they did, and whether they went
    down; ``ends``: how they may have ended, the usual way first;
    ``hands``: who may have put them out, by gang."""

    anchor: str
    fallen_anchor: str
    member: Member
    name: str
    about: str
    played: forms.BoundField
    mark: forms.BoundField | None
    credit: forms.BoundField | None
    counts: tuple[forms.BoundField, ...]
    ends: tuple[tuple[str, str], ...] = ()
    hands: tuple[tuple[str, tuple[Hand, ...]], ...] = ()

    @property
    def took_part(self) -> bool:
        """Whether they are said to have taken part."""
        return bool(self.played.value())

    @property
    def down(self) -> str:
        """As what they ended, if they went down."""
        return str(self.mark.value() or "") if self.mark else ""

    @property
    def usual_end(self) -> str:
        """What somebody who went down ended as, unless it is said otherwise."""
        return self.ends[0][0]

    @property
    def end(self) -> str:
        """What is marked of how they ended: as it was told, or the usual."""
        return self.down or self.usual_end

    @property
    def by(self) -> str:
        """Who put them out, "" for somebody."""
        return str(self.credit.value() or "") if self.credit else ""

    @property
    def wrong_anchor(self) -> str:
        """Where on the page something is wrong with what was typed, "" if nothing is."""
        if any(field.errors for field in (self.mark, self.credit) if field is not None):
            return self.fallen_anchor
        return self.anchor if any(one.errors for one in (self.played, *self.counts)) else ""

    @property
    def is_counted(self) -> bool:
        """Whether anything was counted of them, or typed wrongly."""
        return any(field.value() or field.errors for field in self.counts)


class SideForm(forms.Form):
    """What is told about one gang: who took part, how they ended and who put them out, what was
    counted. ``name``: what the gang is called in this game; ``base``: the report to begin with;
    ``members``: who could play (who is said to have played is among them though they have left
    since), ``away``: who could not; ``turns``: when the game's table says that they went out, which
    nobody is asked.

    Its fields are there once it has met (``meet``) the other gangs.
    """

    def __init__(
        self,
        side: Side,
        name: str,
        base: Report | None,
        data: QueryDict | None,
        turns: Mapping[int, int],
    ) -> None:
        assert side.gang is not None
        super().__init__(data, prefix=f"side{side.pk}")
        campaign = side.game.campaign
        self.side, self.name = side, name
        self.book: Book = campaign.book
        self.rules = campaign.rules
        self.roster: Roster = side.gang.roster
        self.members, self.away = _present(side, base)
        before, crew = before_of(side), crew_of(side)
        self.expected = expect_fielded(self.book, self.roster, before, crew)
        self.base = base or Report(fielded=tuple(self.expected))
        self.turns = {**self.base.turns, **turns}
        self.marks = self.rules.mark
        rows = self._tallies("member")
        # Where the sorts of enemies are told apart, how many they were is their sum.
        self.taking_out = [row.key for row in rows if row.takes_out]
        self.counts = {} if self.taking_out else {TAKEN_OUT: _("Took out")}
        self.counts |= {row.key: localize(row.name) for row in rows}
        self.most = {row.key: row.maximum for row in self.book.campaign.tallies}
        self.ends: dict[int, tuple[tuple[str, str], ...]] = {}
        self.helper = helper()

    def meet(self, others: Iterable[SideForm]) -> None:
        """Ask about the members, and which of the ``others`` put them out."""
        self.hands = tuple((other.name, other._as_hands()) for other in others if other != self)
        self.enemies = [
            (gang, [(hand.value, _("by %(name)s") % {"name": hand.name}) for hand in hands])
            for gang, hands in self.hands
        ]
        for member in self.members:
            self._add_member(member)
        self._add_gang()

    def _as_hands(self) -> tuple[Hand, ...]:
        """The members as those who may have put somebody out: who took part first."""
        gang = str(self.side.gang_id)
        members = sorted(self.members, key=lambda member: member.id not in self.base.fielded)
        return tuple(
            Hand(f"{gang}:{member.id}", self._told_apart(member), gang, member.id)
            for member in members
        )

    def _told_apart(self, member: Member) -> str:
        """Their name; of somebody without one, their rank and what they carry."""
        name, carried = shown_name(self.book, member), self._carried(member)
        return f"{name} ({carried})" if carried and not member.name else name

    def _carried(self, member: Member) -> str:
        known = (self.book.item.get(item.key) for item in member.items)
        return ", ".join(localize(item.name) for item in known if item)

    def rows(self) -> list[MemberRow]:
        """The members' fields, row by row."""
        return [self._row(member) for member in self.members]

    def _row(self, member: Member) -> MemberRow:
        key = member.id
        ends = self.ends.get(key, ())
        return MemberRow(
            anchor=f"{self.prefix}-row-{key}",
            fallen_anchor=f"{self.prefix}-fallen-{key}",
            member=member,
            name=shown_name(self.book, member),
            about=rank_name(self.book, member) if member.name else self._carried(member),
            played=self[f"in-{key}"],
            mark=self[f"mark-{key}"] if ends else None,
            credit=self[f"credit-{key}"] if ends else None,
            counts=tuple(
                self[name] for tally in self.counts if (name := f"{tally}-{key}") in self.fields
            ),
            ends=ends,
            hands=self.hands,
        )

    @property
    def anchor(self) -> str:
        """Where on the page the gang is."""
        return f"side-{self.side.pk}"

    @property
    def gang_key(self) -> str:
        """What the gang's pictures are found by."""
        return str(self.side.gang_id)

    @property
    def fielded(self) -> int:
        """How many are said to have taken part."""
        return sum(bool(self[f"in-{member.id}"].value()) for member in self.members)

    @property
    def gang_anchor(self) -> str:
        """Where on the page is what is told of the gang as a whole."""
        return f"{self.prefix}-gang"

    def first_wrong(self) -> tuple[str, str] | None:
        """The first place where something is wrong, and whose it is; None if nothing is."""
        if self.non_field_errors():
            return self.anchor, self.name
        for row, member in zip(self.rows(), self.members, strict=True):
            if row.wrong_anchor:
                name = shown_name(self.book, member)
                return row.wrong_anchor, _("%(gang)s: %(what)s") % {"gang": self.name, "what": name}
        return (self.gang_anchor, self.name) if self.errors else None

    def gang_fields(self) -> list[forms.BoundField]:
        """What is told of the gang as a whole."""
        return [field for field in self if field.name.startswith("tally-") or field.name == "money"]

    def _tallies(self, per: Per) -> list[Tally]:
        """What is counted after the game's scenario, and whatever was told already."""
        known = {**self.base.counts, **self.base.tallies}
        asked = tallies(self.rules, per, self.side.game.scenario)
        rows = tallies(self.rules, per)
        return [row for row in rows if row in asked or known.get(row.key)]

    def _add_member(self, member: Member) -> None:
        report, key = self.base, member.id
        rank, name = rank_name(self.book, member), shown_name(self.book, member)
        self.fields[f"in-{key}"] = forms.BooleanField(
            label=name if name == rank else f"{name}, {rank}",
            required=False,
            initial=key in report.fielded,
        )
        mark = report.marks.get(key, "")
        ends = tuple(
            (row.key, localize(row.name))
            for row in self.marks.values()
            if row.key == mark or self._picks(row.of, member)
        )
        if ends:
            self.ends[key] = ends
            credit = report.credits.get(key)
            self.fields[f"mark-{key}"] = _choice_field([("", _("fit")), *ends], mark, MarkWidget)
            self.fields[f"credit-{key}"] = _choice_field(
                [("", _("by somebody")), *self.enemies],
                f"{credit.gang}:{credit.member}" if credit else "",
            )
        for tally, words in self.counts.items():
            count = report.counts.get(tally, {}).get(key)
            row = self.book.campaign.tally.get(tally)
            if row is not None and not count and not self._picks(row.whose, member):
                continue
            self.fields[f"{tally}-{key}"] = _count_field(words, count, self.most.get(tally, 99))

    def _picks(self, selector: Selector, member: Member) -> bool:
        return picks(self.book, selector, self.roster.figure(self.book, member))

    def _add_gang(self) -> None:
        for row in self._tallies("gang"):
            field = _count_field(localize(row.name), self.base.tallies.get(row.key), row.maximum)
            field.help_text = escape(localize(row.text))
            self.fields[f"tally-{row.key}"] = field
        if any(row.kind == "open" for row in self.rules.results):
            label = _("Money agreed on (%(unit)s)") % {"unit": money_unit(self.book)}
            self.fields["money"] = _count_field(label, self.base.money, 10_000)

    @property
    def told_fields(self) -> list[forms.BoundField]:
        """Of the gang as a whole what only its players know."""
        return [field for field in self.gang_fields() if not self._follows(field.name)]

    @property
    def following_fields(self) -> list[forms.BoundField]:
        """Of the gang as a whole what follows from who put out whom, if nothing else is told."""
        return [field for field in self.gang_fields() if self._follows(field.name)]

    def _follows(self, name: str) -> bool:
        row = self.book.campaign.tally.get(name.removeprefix("tally-"))
        return row is not None and bool(row.marks)

    def is_open(self) -> bool:
        """Whether what is folded away is in sight: something in it was told, or is wrong."""
        told = any(field.value() for field in self.following_fields)
        wrong = any(field.errors for field in self.following_fields)
        rows = self.rows()
        counted = any(row.is_counted or row.played.errors for row in rows)
        return told or wrong or counted or bool(self.non_field_errors())

    def type_in(self, typed: QueryDict) -> None:
        """Begin with what was typed, right or wrong, without judging it yet."""
        for name, field in self.fields.items():
            value = field.widget.value_from_datadict(typed, None, self.add_prefix(name)) or ""
            field.initial = bool(value) if isinstance(field, forms.BooleanField) else value

    def all_took_part(self) -> None:
        """Tick everybody."""
        for member in self.members:
            self.fields[f"in-{member.id}"].initial = True

    def fill_in(self, deeds: Deeds) -> int:
        """Write what follows from who put out whom where nothing is typed; how many numbers."""
        filled = {
            name: count
            for name, count in (*self._of_members(deeds), *self._of_gang(deeds))
            if name in self.fields and self.fields[name].initial in (None, "")
        }
        for name, count in filled.items():
            self.fields[name].initial = count
        return len(filled)

    def complete(self, deeds: Deeds) -> None:
        """Whatever was sent empty is what follows from who put out whom."""
        for name, count in (*self._of_members(deeds), *self._of_gang(deeds)):
            if name in self.cleaned_data and self.cleaned_data[name] is None:
                self.cleaned_data[name] = count

    def keep_none(self, deeds: Deeds) -> None:
        """What was told to be none, though somebody fell, stays none: nothing is filled in."""
        for name, _count in self._of_gang(deeds):
            if name in self.fields and not self.fields[name].initial:
                self.fields[name].initial = 0

    def _of_members(self, deeds: Deeds) -> Iterator[tuple[str, int]]:
        """What follows for members who took part, by the names of the fields."""
        for tally, counted in deeds.counts.items():
            for member, count in counted.items():
                if self._value(f"in-{member}"):
                    yield f"{tally}-{member}", count

    def _of_gang(self, deeds: Deeds) -> Iterator[tuple[str, int]]:
        """What follows for the gang, by the names of the fields."""
        return ((f"tally-{tally}", count) for tally, count in deeds.tallies.items())

    def _value(self, name: str) -> str:
        """What the form says, right or wrong; of one that was sent, only what is right."""
        if name not in self.fields:
            return ""
        value = self.cleaned_data.get(name) if self.is_bound else self[name].value()
        return str(value or "")

    def losses(self) -> Losses:
        """How members ended, as far as it can be read from the form."""
        return Losses(
            gang=str(self.side.gang_id),
            roster=self.roster,
            members=self.members,
            marks={member.id: self._value(f"mark-{member.id}") for member in self.members},
            credits={
                member.id: credit
                for member in self.members
                if (credit := credit_of(self._value(f"credit-{member.id}")))
            },
        )

    def clean(self) -> dict[str, Any]:
        """Only those who took part can have ended somehow, or have done something."""
        cleaned: dict[str, Any] = self.cleaned_data
        if not any(cleaned.get(f"in-{member.id}") for member in self.members):
            raise forms.ValidationError(_("Tick who took part for this gang."))
        for member in self.members:
            key = member.id
            if not cleaned.get(f"mark-{key}"):
                cleaned.pop(f"credit-{key}", None)
            if cleaned.get(f"in-{key}"):
                continue
            for name in [f"mark-{key}", *(f"{tally}-{key}" for tally in self.counts)]:
                if cleaned.get(name):
                    self.add_error(name, _("Tick above that this member took part."))
        return cleaned

    def compare(self, deeds: Deeds, others: Mapping[str, SideForm]) -> None:
        """Whoever put somebody out took part, and has at least as many to their name."""
        for member in self.members:
            credit = credit_of(self.cleaned_data.get(f"credit-{member.id}") or "")
            if credit and not others[credit.gang].cleaned_data.get(f"in-{credit.member}"):
                self.add_error(
                    f"credit-{member.id}", _("According to this report, they did not take part.")
                )
        for name, count in self._of_members(deeds):
            if name in self.cleaned_data and (self.cleaned_data[name] or 0) < count:
                words = ngettext(
                    "According to this report, they took out %(count)s: the number cannot be "
                    "lower.",
                    "According to this report, they took out %(count)s: the number cannot be "
                    "lower.",
                    count,
                )
                self.add_error(name, words % {"count": count})

    def fit(self) -> int:
        """How many took part and were fit at the end."""
        keys = [member.id for member in self.members]
        played = [key for key in keys if self.cleaned_data.get(f"in-{key}")]
        return sum(not self.cleaned_data.get(f"mark-{key}") for key in played)

    def report(self) -> Report:
        """The report on this gang."""
        data = self.cleaned_data
        members = [member.id for member in self.members]
        counts = {
            tally: {key: count for key in members if (count := data.get(f"{tally}-{key}"))}
            for tally in self.counts
        }
        if self.taking_out:
            sorts = (Counter(counts[tally]) for tally in self.taking_out)
            counts[TAKEN_OUT] = sum(sorts, Counter())
        marked = {key: data[f"mark-{key}"] for key in members if data.get(f"mark-{key}")}
        return Report(
            fielded=tuple(key for key in members if data[f"in-{key}"]),
            marks=marked,
            credits=dict(self.losses().credits),
            turns={key: turn for key, turn in self.turns.items() if key in marked},
            counts=counts,
            tallies={row.key: data[f"tally-{row.key}"] or 0 for row in self._tallies("gang")},
            money=data.get("money") or 0,
        )


def _present(side: Side, report: Report | None) -> tuple[list[Member], list[Member]]:
    """Who of a side's gang could play the game, and who could not. Whoever has joined since its
    post-game is neither.

    One query for a side whose post-game was ever written, else none.
    """
    assert side.gang is not None
    book, roster = side.game.campaign.book, side.gang.roster
    known = set(report.fielded) if report else set()
    members = [*roster.members, *(who.member for who in roster.departed if who.member.id in known)]
    if side.batch is not None:
        own = StoredEntry.objects.filter(gang=side.gang, batch=side.batch)
        first = own.aggregate(first=Min("seq"))["first"]
        members = [member for member in members if first is None or member.id < first]
    away = [member for member in members if member.id not in known and member.absences(book)]
    return [member for member in members if member not in away], away


def credit_of(value: str) -> Credit | None:
    """Who put somebody out, by a value of the form."""
    gang, _colon, member = value.rpartition(":")
    key = number(member)
    return Credit(gang=gang, member=key) if key else None


def _choice_field(
    choices: Sequence[tuple[str, Any]], initial: str, widget: type[forms.Select] = forms.Select
) -> forms.ChoiceField:
    return forms.ChoiceField(choices=choices, required=False, initial=initial, widget=widget)


def _count_field(label: str, initial: int | None, most: int) -> forms.IntegerField:
    field = forms.IntegerField(
        label=label, min_value=0, max_value=most, required=False, initial=initial or None
    )
    field.widget.attrs.update({"inputmode": "numeric", "placeholder": "0", "data-stepper": ""})
    return field
