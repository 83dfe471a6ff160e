"""Telling a post-game: its steps, rolls and decisions in words, and what comes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.postgame import points_earned
from campaigns.situation import Ascent, Hire, Situation
from campaigns.steps import (
    Advance,
    Asked,
    Captive,
    Playthrough,
    Question,
    Rise,
    StepState,
    Unmet,
    Vacancy,
)
from campaigns.wording import refusal_sentence
from gangs.dice_words import face_names, faces_told
from gangs.entries import Entry, Learned, Rolled, Suffered, TraitTaken
from gangs.findings import findings
from gangs.fold import apply
from gangs.offers import Offer
from gangs.own_items import extended
from gangs.roster import Roster
from gangs.scene import Scene
from gangs.telling import Teller
from gangs.wording import language, shown_name, spoken
from gangs.worth import gang_rating
from rules.book import Book
from rules.costing import Points
from rules.dice import outcome_chance
from rules.schema import Rank
from rules.season import ExperienceStep, IncomeStep
from rules.vocabulary import HOUSE

ROLLED_FOR = {
    "item": gettext_lazy("Which item?"),
    "experience": gettext_lazy("Experience"),
    "games": gettext_lazy("For how many games?"),
    "fine": gettext_lazy("How much is to be paid?"),
    "times": gettext_lazy("How many rolls?"),
    "rivals": gettext_lazy("Who leaves? Low: who holds the place. High: who wants it."),
}


@dataclass(frozen=True)
class RollLine:
    """A roll that was asked for: for whom, on what, what it hit, or the form that asks for it.

    ``dice``: what is thrown; empty for a die that shows no numbers.
    """

    asked: Asked
    who: str
    what: str
    dice: str
    faces: tuple[str, ...]
    chance: str
    numbered: tuple[str, ...]
    hit: str
    text: str
    is_house: bool
    form: Any


@dataclass(frozen=True)
class StepLine:
    """A step of a post-game, with what it brought about in words.

    ``besides``: what is not plain from the answers that are shown; ``may_finish``: the player may
    declare it finished.
    """

    state: StepState
    is_house: bool
    sentences: tuple[str, ...]
    besides: tuple[str, ...]
    may_finish: bool
    rolls: tuple[RollLine, ...]
    questions: tuple[dict[str, Any], ...]
    advances: tuple[dict[str, Any], ...]
    vacancies: tuple[dict[str, Any], ...]
    captives: tuple[tuple[str, Captive], ...]
    rises: tuple[dict[str, Any], ...]
    hired: tuple[tuple[int, str], ...]
    offered: tuple[tuple[Offer[Rank], str], ...]
    refused: tuple[dict[str, Any], ...]

    @property
    def charges(self) -> bool:
        """Whether a promotion in it costs something."""
        return any(rise["promotion"].price for rise in self.rises)


def step_lines(
    book: Book, situation: Situation, through: Playthrough, forms: Mapping[str, Any] | None = None
) -> list[StepLine]:
    """The steps of a post-game in words. Rolls are shown as dice, so they have no sentence.

    ``forms``: those that ask for the rolls still to be made, by the roll's key.
    """
    book = extended(book, through.before)
    teller = Teller(book, through.before)
    numbers = iter(through.numbers)
    teller.roster = apply(book, teller.roster, next(numbers), through.entries[0])
    lines = []
    for state in through.steps:
        sentences = _experience(book, teller, state)
        besides = list(sentences)
        for entry in state.entries:
            if not _is_told_already(book, state, entry):
                sentences.append(teller.tell(entry))
                if not (isinstance(entry, TraitTaken) and entry.advance):
                    besides.append(sentences[-1])
            teller.roster = apply(book, teller.roster, next(numbers), entry)
        for member in state.kept:
            kept = _("%(name)s keeps an advance: there is none left to take.")
            besides.append(kept % {"name": shown_name(book, member)})
            sentences.append(besides[-1])
        refused = tuple(_refused_line(teller, unmet) for unmet in state.refused)
        line = _step_line(book, situation, state, forms or {}, refused)
        lines.append(replace(line, sentences=tuple(sentences), besides=tuple(besides)))
    return lines


def _is_told_already(book: Book, state: StepState, entry: Entry) -> bool:
    """Whether the dice, the awards or the name of a table’s row say the same."""
    match entry:
        case Rolled():
            return True
        case Learned():
            return entry.award is not None
        case Suffered(roll=None, against=""):
            name = book.condition[entry.condition].name
            rows = {
                asked.row.name
                for asked in state.rolls
                if asked.row and not asked.again and asked.member.id == entry.member
            }
            return name in rows
    return False


def _experience(book: Book, teller: Teller, state: StepState) -> list[str]:
    """The awards in words: one sentence for all who got the same."""
    names: dict[tuple[str, int], list[str]] = {}
    for entry in state.entries:
        if isinstance(entry, Learned) and entry.award:
            names.setdefault((entry.award, entry.amount), []).append(teller.who(entry.member))
    awards = {row.key: spoken(row.name) for row in book.campaign.awards}
    return [
        _("%(award)s, %(experience)s +%(amount)s: %(names)s")
        % {
            "award": awards[award],
            "experience": spoken(book.experience_name),
            "amount": amount,
            "names": ", ".join(earners),
        }
        for (award, amount), earners in names.items()
    ]


def _step_line(
    book: Book,
    situation: Situation,
    state: StepState,
    forms: Mapping[str, Any],
    refused: tuple[dict[str, Any], ...],
) -> StepLine:
    hiring = state.hiring
    return StepLine(
        state=state,
        is_house=_is_house(book, situation, state),
        sentences=(),
        besides=(),
        may_finish=state.status == "open" and not state.must_rise and not state.waiting,
        rolls=tuple(_roll_line(book, asked, forms.get(asked.key)) for asked in state.rolls),
        questions=tuple(_question_line(book, question) for question in state.questions),
        advances=_advance_lines(book, state.advances),
        vacancies=tuple(_vacancy_line(book, vacancy) for vacancy in state.vacancies),
        captives=tuple((shown_name(book, captive.member), captive) for captive in state.captives),
        rises=tuple(
            _rise_line(book, rise)
            for rise in state.rises
            if rise.chosen or (rise.candidates and state.status == "open")
        ),
        hired=tuple(
            (place, _hired(book, hire)) for place, hire in (hiring.chosen if hiring else ())
        ),
        offered=tuple(
            (offer, refusal_sentence(offer.refusal) if offer.refusal else "")
            for offer in (hiring.offers if hiring else ())
        ),
        refused=refused,
    )


def _hired(book: Book, hire: Hire) -> str:
    words = [hire.name] if hire.name else []
    words.append(spoken(book.rank[hire.rank].name) if hire.rank in book.rank else hire.rank)
    if hire.origin in book.origin:
        words.append(spoken(book.origin[hire.origin].name))
    return ", ".join(words)


def _refused_line(teller: Teller, unmet: Unmet) -> dict[str, Any]:
    """An answer that cannot be carried out: what it is, why, and how it is taken back."""
    line = {"reason": refusal_sentence(unmet.refusal), "place": unmet.place, "what": "", "act": ""}
    match unmet.answer:
        case Ascent(promotion=key, member=member):
            rows = {row.key: row for row in teller.book.campaign.promotions}
            line["what"] = f"{teller.row(rows, key)}, {teller.who(member)}"
            line["act"] = "unpromote"
        case Hire() as hire:
            line |= {"what": _hired(teller.book, hire), "act": "unhire"}
    return line


def _is_house(book: Book, situation: Situation, state: StepState) -> bool:
    """Whether house values play a part in what the step brings."""
    step = state.step
    if book.cites_house(step):
        return True
    if isinstance(step, ExperienceStep):
        return any(book.cites_house(award) for award in book.campaign.awards)
    if isinstance(step, IncomeStep):
        rows = [row for row in book.campaign.results if row.key == situation.result]
        return any(book.cites_house(row) for row in rows)
    return False


def _roll_line(book: Book, asked: Asked, form: Any) -> RollLine:
    what = spoken(asked.table.name) if asked.table is not None else str(ROLLED_FOR[asked.what])
    names = [spoken(book.item[owned.key].name) for owned in asked.items]
    hit, text = "", ""
    if asked.row is not None:
        hit = spoken(asked.row.name)
        if asked.again:
            hit = _("%(row)s: does not count, roll again") % {"row": hit}
        text = spoken(asked.row.text) if asked.row.text else ""
    return RollLine(
        asked=asked,
        who=shown_name(book, asked.member),
        what=what,
        dice="" if face_names(asked.table) else asked.dice.upper(),
        faces=_shown_faces(asked),
        chance=_chance(asked),
        numbered=tuple(f"{number} {name}" for number, name in enumerate(names, start=1)),
        hit=hit,
        text=text,
        is_house=asked.row is not None and asked.row.source.split()[0] == HOUSE,
        form=form,
    )


def _shown_faces(asked: Asked) -> tuple[str, ...]:
    if asked.roll is None:
        return ()
    return tuple(faces_told(asked.roll, asked.table))


def _chance(asked: Asked) -> str:
    """How likely what the roll brought was, by whichever number, "1 in 6" in per cent."""
    if asked.table is None or asked.row is None:
        return ""
    return f"{number_format(round(float(outcome_chance(asked.table, asked.row)) * 100))}\u00a0%"


def _question_line(book: Book, question: Question) -> dict[str, Any]:
    return {
        "key": question.key,
        "who": shown_name(book, question.member),
        "options": [
            {
                "place": place,
                "name": spoken(option.name),
                "reason": refusal_sentence(refusal) if refusal else "",
                "chosen": place == question.chosen,
            }
            for place, (option, refusal) in enumerate(
                zip(question.options, question.refusals, strict=True)
            )
        ],
    }


def _advance_lines(book: Book, advances: tuple[Advance, ...]) -> tuple[dict[str, Any], ...]:
    """The advances; of those that are still to be chosen the first lies open."""
    first = next((advance.key for advance in advances if advance.chosen is None), "")
    return tuple(
        {**_advance_line(book, advance), "open": advance.key == first} for advance in advances
    )


def _advance_line(book: Book, advance: Advance) -> dict[str, Any]:
    """An advance: what was chosen, or what there is to choose from and what cannot be had yet."""
    lines = [
        {
            "row": offer.row,
            "house": book.cites_house(offer.row),
            "reason": refusal_sentence(offer.refusal) if offer.refusal else "",
        }
        for offer in advance.offers
        if offer.refusal is None or offer.refusal.code != "has_it"
    ]
    return {
        "key": advance.key,
        "who": shown_name(book, advance.member),
        "rank": spoken(book.rank[advance.member.rank].name),
        "chosen": advance.chosen,
        "offers": [line for line in lines if not line["reason"]],
        "others": [line for line in lines if line["reason"]],
    }


def _vacancy_line(book: Book, vacancy: Vacancy) -> dict[str, Any]:
    return {
        "key": vacancy.succession.key,
        "name": spoken(vacancy.succession.name),
        "chosen": vacancy.chosen.id if vacancy.chosen else None,
        "heirs": [(heir.id, shown_name(book, heir)) for heir in vacancy.candidates],
    }


def _rise_line(book: Book, rise: Rise) -> dict[str, Any]:
    return {
        "promotion": rise.promotion,
        "chosen": [(place, shown_name(book, member)) for place, member in rise.chosen],
        "candidates": [(member.id, shown_name(book, member)) for member in rise.candidates],
        "refusal": refusal_sentence(rise.refusal) if rise.refusal else "",
        "rivals": ", ".join(shown_name(book, rival) for rival in rise.rivals),
        "must": rise.must,
    }


def preview(book: Book, situation: Situation, through: Playthrough) -> dict[str, Any]:
    """Before and after: what the gang will be once the post-game is committed."""
    before, after = through.before, through.roster
    names = {member.id: shown_name(book, member) for member in after.members}
    points = points_earned(book, before, after)
    return {
        "rows": compared(book, before, after),
        "points": [(names[member], count) for member, count in points.items()],
        "findings": [
            (finding.severity, finding.said(language())) for finding in findings(book, after)
        ],
        "lines": step_lines(book, situation, through),
    }


def _purse(book: Book, roster: Roster) -> Points:
    """What a gang has, and will still have in its first game."""
    if roster.playing or not book.keeps_budget(roster.settings):
        return roster.treasury
    return Scene.of(book, roster).left or 0


def compared(book: Book, before: Roster, after: Roster) -> list[tuple[str, Points, Points]]:
    """What two states of a gang differ in, in numbers: what it is worth and has, how many they are,
    and what each has learned."""
    rows: list[tuple[str, Points, Points]] = []
    if book.rating:
        was, will_be = gang_rating(book, before).total, gang_rating(book, after).total
        rows.append((spoken(book.rating.name), was, will_be))
    if book.money:
        rows.append((spoken(book.money.name), _purse(book, before), _purse(book, after)))
    rows.append((_("Members"), len(before.members), len(after.members)))
    known = {member.id: member.experience for member in before.members}
    for member in after.members:
        if known.get(member.id, member.experience) != member.experience:
            who = f"{shown_name(book, member)} · {spoken(book.experience_name)}"
            rows.append((who, known[member.id], member.experience))
    return rows
