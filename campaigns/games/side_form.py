"""The form that reports one gang in a game: the members that took part, how they ended, and their
counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
from campaigns.games.due_fates import DueFates
from campaigns.models import Side
from campaigns.table.crews.preparing import before_of, crew_of
from common.forms import helper, number
from gangs.engine.roster import Member, Roster
from gangs.models import StoredEntry
from gangs.text.formats import localize, money_unit, rank_name, shown_name
from rules.book.evening import Track
from rules.book.model import Book
from rules.book.season import Tally
from rules.book.vocabulary import Selector
from rules.engine.evening import played_in
from rules.engine.figure import picks


class MarkWidget(forms.Select):
    """How a member ended, in two answers: whether they went down and, if so, how (``-how``)."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        """The mark; nothing for a member who did not go down."""
        fell = super().value_from_datadict(data, files, name)
        return data.get(f"{name}-how", fell) if fell else fell


# The value of a non-player in the form begins with this.
NONPLAYER = "nonplayer-"


@dataclass(frozen=True)
class Hand:
    """A member or non-player who may have put another out. ``value``: their value in the form;
    ``gang``: "" for a non-player."""

    value: str
    name: str
    gang: str
    member: int


@dataclass(frozen=True)
class MemberRow:
    """One member's fields.

    ``anchor``, ``fallen_anchor``: the places on the page of their deeds, and of how they ended;
    ``about``: their rank or, for a member without a name, their items; ``ends``: the ways in which
    they can end, the usual way first; ``hands``: the members who may have put them out, by gang.
    """

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
        """Whether "took part" is ticked."""
        return bool(self.played.value())

    @property
    def down(self) -> str:
        """How they ended, "" if they did not go down."""
        return str(self.mark.value() or "") if self.mark else ""

    @property
    def usual_end(self) -> str:
        """The way in which a member usually ends who goes down."""
        return self.ends[0][0]

    @property
    def end(self) -> str:
        """The way to preselect: as it was reported, or the usual way."""
        return self.down or self.usual_end

    @property
    def by(self) -> str:
        """The member who put them out, "" if unknown."""
        return str(self.credit.value() or "") if self.credit else ""

    @property
    def wrong_anchor(self) -> str:
        """The place of their first error on the page, "" if there is none."""
        if any(field.errors for field in (self.mark, self.credit) if field is not None):
            return self.fallen_anchor
        return self.anchor if any(one.errors for one in (self.played, *self.counts)) else ""

    @property
    def is_counted(self) -> bool:
        """Whether a count is filled in, or has an error."""
        return any(field.value() or field.errors for field in self.counts)


class SideForm(forms.Form):
    """The report on one gang: the members that took part, how they ended, who put them out, and
    their counts. It gets its fields when it meets the other gangs (``meet``).

    ``name``: the gang's name in this game; ``base``: the report to begin with; ``members``: the
    members that could play, and members in the report that have left since; ``away``: the members
    that could not play; ``turns``: the turns in which members went out, from the game's table;
    ``due``: the members whose fate from another game is still open, who are not ticked.
    ``nonplayers``: the names of those of the scenario, by number.
    ``anchor``, ``gang_anchor``: the places of the gang and of its own counts on the page;
    ``gang_key``: the key of the gang's pictures.
    """

    def __init__(
        self,
        side: Side,
        name: str,
        base: Report | None,
        data: QueryDict | None,
        turns: Mapping[int, int],
        due: DueFates,
        nonplayers: Mapping[int, str],
    ) -> None:
        assert side.gang is not None
        super().__init__(data, prefix=f"side{side.pk}")
        campaign = side.game.campaign
        self.side, self.name, self.gang_key = side, name, str(side.gang_id)
        self.anchor, self.gang_anchor = f"side-{side.pk}", f"{self.prefix}-gang"
        self.book: Book = campaign.book
        self.rules = campaign.rules
        self.nonplayers = nonplayers
        self.roster: Roster = side.gang.roster
        self.members, self.away = _split_members(side, base)
        before, crew = before_of(side), crew_of(side)
        scenario = side.game.scenario
        self.expected = expect_fielded(self.book, self.roster, before, crew, scenario)
        self.due = due
        self.base = base or Report(fielded=tuple(who for who in self.expected if who not in due))
        self.turns = {**self.base.turns, **turns}
        self.marks = self.rules.mark
        rows = self._tallies("member")
        # Where each sort of enemy has its own count, the number taken out is their sum.
        self.taking_out = [row.key for row in rows if row.takes_out]
        self.counts = {} if self.taking_out else {TAKEN_OUT: _("Took out")}
        self.counts |= {row.key: localize(row.name) for row in rows}
        self.most = {row.key: row.maximum for row in self.book.campaign.tallies}
        self.lasting = [row for row in self.rules.tracks if row.lasts]
        self.ends: dict[int, tuple[tuple[str, str], ...]] = {}
        self.helper = helper()

    def meet(self, others: Iterable[SideForm]) -> None:
        """Add the fields: of the members, with the ``others`` who may have put them out, and of the
        gang."""
        hands = [(other.name, other._as_hands()) for other in others if other != self]
        if self.nonplayers:
            guards = ((f"{NONPLAYER}{n}", name, "", n) for n, name in self.nonplayers.items())
            hands.append((_("Non-players"), tuple(Hand(*guard) for guard in guards)))
        self.hands = tuple(hands)
        self.enemies = [
            (gang, [(hand.value, _("by %(name)s") % {"name": hand.name}) for hand in hands])
            for gang, hands in self.hands
        ]
        for member in self.members:
            self._add_member(member)
        self._add_gang()

    def _as_hands(self) -> tuple[Hand, ...]:
        """The members as possible hands: first the members that took part."""
        gang = self.gang_key
        members = sorted(self.members, key=lambda member: member.id not in self.base.fielded)
        return tuple(
            Hand(f"{gang}:{member.id}", self._distinct_name(member), gang, member.id)
            for member in members
        )

    def _distinct_name(self, member: Member) -> str:
        """A member's name; for a member without a name, their rank and items."""
        name, carried = shown_name(self.book, member), self._item_names(member)
        return f"{name} ({carried})" if carried and not member.name else name

    def _item_names(self, member: Member) -> str:
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
            about=rank_name(self.book, member) if member.name else self._item_names(member),
            played=self[f"in-{key}"],
            mark=self[f"mark-{key}"] if ends else None,
            credit=self[f"credit-{key}"] if ends else None,
            counts=tuple(
                self[name]
                for name in (*(f"{tally}-{key}" for tally in self.counts), *self._lasting(key))
                if name in self.fields
            ),
            ends=ends,
            hands=self.hands,
        )

    @property
    def fielded(self) -> int:
        """The number of members ticked as taking part."""
        return sum(bool(self[f"in-{member.id}"].value()) for member in self.members)

    def first_wrong(self) -> tuple[str, str] | None:
        """The place of the first error on the page, and the name there; None without errors."""
        if self.non_field_errors():
            return self.anchor, self.name
        for row, member in zip(self.rows(), self.members, strict=True):
            if row.wrong_anchor:
                name = shown_name(self.book, member)
                return row.wrong_anchor, _("%(gang)s: %(what)s") % {"gang": self.name, "what": name}
        return (self.gang_anchor, self.name) if self.errors else None

    def gang_fields(self) -> list[forms.BoundField]:
        """The fields of the gang as a whole."""
        return [field for field in self if field.name.startswith("tally-") or field.name == "money"]

    def _tallies(self, per: Per) -> list[Tally]:
        """The tallies of the game's scenario, and all that the report already has."""
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
            for row in sorted(self.marks.values(), key=lambda row: row.stands)
            if row.key == mark or self._picks(row.of, member)
        )
        if ends:
            self.ends[key] = ends
            credit, guard = report.credits.get(key), report.by_nonplayers.get(key)
            by = f"{credit.gang}:{credit.member}" if credit else f"{NONPLAYER}{guard or ''}"
            self.fields[f"mark-{key}"] = _choice_field([("", _("fit")), *ends], mark, MarkWidget)
            self.fields[f"credit-{key}"] = _choice_field(
                [("", _("by somebody")), *self.enemies],
                by if credit or guard in self.nonplayers else "",
            )
        for tally, words in self.counts.items():
            count = report.counts.get(tally, {}).get(key)
            row = self.book.campaign.tally.get(tally)
            if row is not None and not count and not self._picks(row.whose, member):
                continue
            self.fields[f"{tally}-{key}"] = _count_field(words, count, self.most.get(tally, 99))
        for track in played_in(self.side.game.scenario, self.lasting):
            number = report.tracks.get(track.key, {}).get(key)
            if number is not None or self._picks(track.whose, member):
                self.fields[f"track-{track.key}-{key}"] = _lasting_field(track, member, number)

    def _lasting(self, member: int) -> list[str]:
        """The names of a member's fields for trackers that last."""
        return [f"track-{row.key}-{member}" for row in self.lasting]

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
        """The gang's fields that only its players can fill in."""
        return [field for field in self.gang_fields() if not self._follows(field.name)]

    @property
    def following_fields(self) -> list[forms.BoundField]:
        """The gang's fields that can be worked out from the members taken out."""
        return [field for field in self.gang_fields() if self._follows(field.name)]

    def _follows(self, name: str) -> bool:
        row = self.book.campaign.tally.get(name.removeprefix("tally-"))
        return row is not None and bool(row.marks)

    def is_open(self) -> bool:
        """Whether the counts are unfolded: a count is filled in, or there is an error."""
        return (
            any(field.value() or field.errors for field in self.following_fields)
            or any(row.is_counted or row.played.errors for row in self.rows())
            or bool(self.non_field_errors())
        )

    def type_in(self, typed: QueryDict) -> None:
        """Begin with typed values, without validating them."""
        for name, field in self.fields.items():
            value = field.widget.value_from_datadict(typed, None, self.add_prefix(name)) or ""
            field.initial = bool(value) if isinstance(field, forms.BooleanField) else value

    def all_took_part(self) -> None:
        """Tick every member whose fate from another game is not still open."""
        for member in self.members:
            self.fields[f"in-{member.id}"].initial = member.id not in self.due

    def due_lines(self) -> list[str]:
        """Sentences about the members whose fate from another game is still open."""
        names = {member.id: shown_name(self.book, member) for member in self.members}
        by_game: dict[str, list[str]] = {}
        for member, others in self.due.items():
            if member in names:
                by_game.setdefault(others, []).append(names[member])
        return [
            _due_sentence(len(found), against=bool(others))
            % {"names": ", ".join(found), "others": others}
            for others, found in by_game.items()
        ]

    def due_doubts(self) -> list[str]:
        """Questions about those of them who took part according to a valid form."""
        against = _(
            "%(name)s went down against %(others)s, and the injury roll is still due."
            " Did they take part?"
        )
        alone = _(
            "%(name)s went down in an earlier game, and the injury roll is still due."
            " Did they take part?"
        )
        return [
            (against if self.due[member.id] else alone)
            % {"name": shown_name(self.book, member), "others": self.due[member.id]}
            for member in self.members
            if member.id in self.due and self.cleaned_data.get(f"in-{member.id}")
        ]

    def fill_in(self, deeds: Deeds) -> int:
        """Fill the deeds into empty fields. Return the number filled in."""
        filled = {
            name: count
            for name, count in (self._of_members(deeds) | self._of_gang(deeds)).items()
            if name in self.fields and self.fields[name].initial in (None, "")
        }
        for name, count in filled.items():
            self.fields[name].initial = count
        return len(filled)

    def complete(self, deeds: Deeds) -> None:
        """Fill the deeds into the valid values that were sent empty."""
        for name, count in (self._of_members(deeds) | self._of_gang(deeds)).items():
            if name in self.cleaned_data and self.cleaned_data[name] is None:
                self.cleaned_data[name] = count

    def keep_none(self, deeds: Deeds) -> None:
        """Write 0 where the report has none but the deeds have more, so that ``fill_in`` does not
        change it.
        """
        for name in self._of_gang(deeds):
            if name in self.fields and not self.fields[name].initial:
                self.fields[name].initial = 0

    def leave_to_deeds(self, deeds: Deeds) -> None:
        """Leave empty the members' counts that are what the deeds say, so that a correction of who
        fell corrects them, too."""
        for name, count in self._of_members(deeds).items():
            if name in self.fields and self.fields[name].initial == count:
                self.fields[name].initial = None

    def _of_members(self, deeds: Deeds) -> dict[str, int]:
        """The deeds of the members that took part, by field name."""
        return {
            f"{tally}-{member}": count
            for tally, counted in deeds.counts.items()
            for member, count in counted.items()
            if self._value(f"in-{member}")
        }

    def _of_gang(self, deeds: Deeds) -> dict[str, int]:
        """The deeds of the gang as a whole, by field name."""
        return {f"tally-{tally}": count for tally, count in deeds.tallies.items()}

    def _value(self, name: str) -> str:
        """A field's value, right or wrong; in a posted form, only if it is valid."""
        if name not in self.fields:
            return ""
        value = self.cleaned_data.get(name) if self.is_bound else self[name].value()
        return str(value or "")

    def losses(self) -> Losses:
        """The known fates of the members in this game, from the form."""
        return Losses(
            gang=self.gang_key,
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
        """Check that members with an end or a count also took part."""
        cleaned: dict[str, Any] = self.cleaned_data
        if not any(cleaned.get(f"in-{member.id}") for member in self.members):
            raise forms.ValidationError(_("Tick who took part for this gang."))
        for member in self.members:
            key = member.id
            mark = cleaned.get(f"mark-{key}")
            if not mark or (mark in self.marks and self.marks[mark].stands):
                cleaned.pop(f"credit-{key}", None)
            if cleaned.get(f"in-{key}"):
                continue
            counts = [f"{tally}-{key}" for tally in self.counts]
            for name in [f"mark-{key}", *counts, *self._lasting(key)]:
                if cleaned.get(name):
                    self.add_error(name, _("Tick above that this member took part."))
        return cleaned

    def compare(self, deeds: Deeds, others: Mapping[str, SideForm]) -> None:
        """Check that members who put others out took part, and that their counts are not lower than
        that."""
        for member in self.members:
            credit = credit_of(self.cleaned_data.get(f"credit-{member.id}") or "")
            if credit and not others[credit.gang].cleaned_data.get(f"in-{credit.member}"):
                self.add_error(
                    f"credit-{member.id}", _("According to this report, they did not take part.")
                )
        for name, count in self._of_members(deeds).items():
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
        """The number of members that took part and were fit at the end."""
        data, keys = self.cleaned_data, [member.id for member in self.members]
        return sum(bool(data.get(f"in-{key}") and not data.get(f"mark-{key}")) for key in keys)

    def report(self) -> Report:
        """The report on this gang."""
        data = self.cleaned_data
        members = [member.id for member in self.members]
        counts = {
            tally: {key: count for key in members if (count := data.get(f"{tally}-{key}"))}
            for tally in self.counts
        }
        tracks = {
            row.key: {
                key: number
                for key in members
                if data[f"in-{key}"] and (number := data.get(f"track-{row.key}-{key}")) is not None
            }
            for row in self.lasting
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
            by_nonplayers={
                key: guard
                for key in marked
                if (guard := _guard_of(data.get(f"credit-{key}") or ""))
            },
            counts=counts,
            tallies={row.key: data[f"tally-{row.key}"] or 0 for row in self._tallies("gang")},
            tracks={track: numbers for track, numbers in tracks.items() if numbers},
            money=data.get("money") or 0,
        )


def _due_sentence(count: int, *, against: bool) -> str:
    """The sentence about this number of members whose fate is still open."""
    if against:
        return ngettext(
            "%(names)s went down against %(others)s, and the injury roll is still due.",
            "%(names)s went down against %(others)s, and the injury rolls are still due.",
            count,
        )
    return ngettext(
        "%(names)s went down in an earlier game, and the injury roll is still due.",
        "%(names)s went down in an earlier game, and the injury rolls are still due.",
        count,
    )


def _split_members(side: Side, report: Report | None) -> tuple[list[Member], list[Member]]:
    """The members of a side's gang that could play the game, and the members that could not. Leaves
    out members that joined in its post-game or later. Makes one query if the post-game was ever
    written, else none."""
    assert side.gang is not None
    book, roster = side.game.campaign.book, side.gang.roster
    known = set(report.fielded) if report else set()
    members = [*roster.members, *(who.member for who in roster.departed if who.member.id in known)]
    if side.batch is not None:
        own = StoredEntry.objects.filter(gang=side.gang, batch=side.batch)
        first = own.aggregate(first=Min("seq"))["first"]
        members = [member for member in members if first is None or member.id < first]
    away = [
        member
        for member in members
        if member.id not in known and roster.absences(book, member, side.game.scenario)
    ]
    return [member for member in members if member not in away], away


def credit_of(value: str) -> Credit | None:
    """The credit for putting somebody out, from its value in the form."""
    gang, _colon, member = value.rpartition(":")
    key = number(member)
    return Credit(gang=gang, member=key) if key else None


def _guard_of(value: str) -> int | None:
    """The number of the non-player who put somebody out, from its value in the form."""
    return number(value.removeprefix(NONPLAYER)) if value.startswith(NONPLAYER) else None


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


def _lasting_field(track: Track, member: Member, number: int | None) -> forms.IntegerField:
    """The field for a member's number of a tracker that lasts, at the end of the game. Empty: as
    before it, which the field shows."""
    most = track.maximum if isinstance(track.maximum, int) else 999
    field = forms.IntegerField(
        label=_("%(track)s at the end") % {"track": localize(track.name)},
        min_value=track.minimum,
        max_value=most,
        required=False,
        initial=number,
    )
    before = member.tracks.get(track.key, "")
    field.widget.attrs.update({"inputmode": "numeric", "placeholder": before, "data-stepper": ""})
    return field
