"""A post-game in words: its steps, rolls and decisions, and what comes of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from campaigns.engine.report import GameReport, Hire, PromotionAnswer
from campaigns.engine.script_state import (
    Choice,
    PromotionOffer,
    Question,
    RollRequest,
    StepState,
    Unmet,
)
from campaigns.postgames.drafts import Postgame
from campaigns.refusals import refusal_sentence
from campaigns.text import ROLLED_FOR
from gangs.cards.stats import value_text
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry, Learned, Rolled, Suffered, TraitTaken
from gangs.engine.own_items import extended
from gangs.engine.roster import Member, Roster
from gangs.engine.valuation import gang_rating
from gangs.text.dice import shown_faces
from gangs.text.entries import Describer
from gangs.text.formats import localized, shown_name
from rules.book.fates import Option
from rules.book.model import Book
from rules.book.season import ExperienceStep, FatesStep, IncomeStep
from rules.book.vocabulary import HOUSE
from rules.engine.costing import Points
from rules.engine.table_odds import final_chance, gone, gone_by_roll
from rules.percent import percent
from rules.reference_pages.table_chances import gone_for_good, only_table, step_chips


@dataclass(frozen=True)
class RollLine:
    """A roll that was asked for: what it is for, what it showed, or the ``form`` that asks for it.

    ``chance``: of the row that it hit; ``gone``: how likely the member is to be gone for good by
    it, where that is still open; ``numbered``: the items that it is about.
    """

    request: RollRequest
    what: str
    faces: Sequence[str]
    chance: str
    gone: str
    numbered: tuple[str, ...]
    is_house: bool
    form: Any


@dataclass(frozen=True)
class QuestionLine:
    """Something to choose: each choice with how likely the member is to be gone for good by it, ""
    where no choice brings that."""

    question: Question
    choices: tuple[tuple[Choice, str], ...]


@dataclass(frozen=True)
class RefusedLine:
    """An answer that cannot be carried out: what it is, why, and the ``act`` that takes it back."""

    what: str
    reason: str
    place: int
    act: str


@dataclass(frozen=True)
class StepLine:
    """A step of a post-game, with what it brought about in words.

    ``chips``: what its rolls come to, while some are to be made; ``besides``: what is not plain
    from the answers that are shown; ``promotions``: those to show.
    """

    state: StepState
    is_house: bool
    chips: tuple[str, ...]
    sentences: tuple[str, ...]
    besides: tuple[str, ...]
    rolls: tuple[RollLine, ...]
    questions: tuple[QuestionLine, ...]
    promotions: tuple[PromotionOffer, ...]
    hired: tuple[tuple[int, str], ...]
    refused: tuple[RefusedLine, ...]

    @property
    def charges(self) -> bool:
        """Whether a promotion in it costs something."""
        return any(offer.promotion.price for offer in self.promotions)


def step_lines(postgame: Postgame, forms: Mapping[str, Any] | None = None) -> tuple[StepLine, ...]:
    """The steps of a post-game in words. Rolls are shown as dice, so they have no sentence.

    ``forms``: those that ask for the rolls still to be made, by the roll's key.
    """
    playthrough = postgame.playthrough
    book = extended(postgame.base.book, playthrough.before)
    return tuple(_step_line(book, postgame, state, forms or {}) for state in playthrough.steps)


def _step_line(
    book: Book, postgame: Postgame, state: StepState, forms: Mapping[str, Any]
) -> StepLine:
    before = state.played[0].before if state.played else postgame.playthrough.roster
    describer = Describer(book, before)
    sentences = _experience(book, describer, state)
    besides = list(sentences)
    for played in state.played:
        if not _is_plain(book, state, played.entry):
            describer.roster = played.before
            sentences.append(describer.describe(played.entry))
            if not (isinstance(played.entry, TraitTaken) and played.entry.advance):
                besides.append(sentences[-1])
    # Only the last step that was played can have answers which it cannot carry out.
    describer.roster = postgame.playthrough.roster
    for member in state.kept:
        kept = _("%(name)s keeps an advance: there is none left to take.")
        besides.append(kept % {"name": shown_name(book, member)})
        sentences.append(besides[-1])
    hired = state.hiring.chosen if state.hiring else ()
    chips = _chips(book, state)
    return StepLine(
        state=state,
        is_house=_is_house(book, postgame.game_report, state),
        chips=chips,
        sentences=tuple(sentences),
        besides=tuple(besides),
        rolls=tuple(_roll_lines(book, state, chips, forms)),
        questions=tuple(_question_line(book, question) for question in state.questions),
        promotions=tuple(
            offer
            for offer in state.promotions
            if offer.chosen or (offer.candidates and state.status == "open")
        ),
        hired=tuple((place, _recruit(book, hire)) for place, hire in hired),
        refused=tuple(_refused_line(describer, unmet) for unmet in state.refused),
    )


def _is_plain(book: Book, state: StepState, entry: Entry) -> bool:
    """Whether the dice, the awards or the name of a table’s row say the same."""
    match entry:
        case Rolled():
            return True
        case Learned():
            return entry.award is not None
        case Suffered(roll=None, against=""):
            name = book.condition[entry.condition].name
            rows = {
                request.row.name
                for request in state.rolls
                if request.row and not request.again and request.member.id == entry.member
            }
            return name in rows
    return False


def _experience(book: Book, describer: Describer, state: StepState) -> list[str]:
    """The awards in words: one sentence for all who got the same."""
    names: dict[tuple[str, int], list[str]] = {}
    for entry in state.entries:
        if isinstance(entry, Learned) and entry.award:
            names.setdefault((entry.award, entry.amount), []).append(describer.who(entry.member))
    awards = {row.key: localized(row.name) for row in book.campaign.awards}
    return [
        _("%(award)s, %(experience)s +%(amount)s: %(names)s")
        % {
            "award": awards[award],
            "experience": localized(book.experience_name),
            "amount": amount,
            "names": ", ".join(earners),
        }
        for (award, amount), earners in names.items()
    ]


def _recruit(book: Book, hire: Hire) -> str:
    words = [hire.name] if hire.name else []
    words.append(localized(book.rank[hire.rank].name) if hire.rank in book.rank else hire.rank)
    if hire.origin in book.origin:
        words.append(localized(book.origin[hire.origin].name))
    if hire.profession in book.profession:
        words.append(localized(book.profession[hire.profession].name))
    return ", ".join(words)


def _refused_line(describer: Describer, unmet: Unmet) -> RefusedLine:
    what, act = "", ""
    match unmet.answer:
        case PromotionAnswer(promotion=key, member=member):
            rows = {row.key: row for row in describer.book.campaign.promotions}
            what, act = f"{describer.row(rows, key)}, {describer.who(member)}", "unpromote"
        case Hire() as hire:
            what, act = _recruit(describer.book, hire), "unhire"
    return RefusedLine(what, refusal_sentence(unmet.refusal), unmet.place, act)


def _is_house(book: Book, game_report: GameReport, state: StepState) -> bool:
    """Whether house values play a part in what the step brings."""
    step = state.step
    if book.cites_house(step):
        return True
    if isinstance(step, ExperienceStep):
        return any(book.cites_house(award) for award in book.campaign.awards)
    if isinstance(step, IncomeStep):
        rows = [row for row in book.campaign.results if row.key == game_report.result]
        return any(book.cites_house(row) for row in rows)
    return False


def _chips(book: Book, state: StepState) -> tuple[str, ...]:
    """What the rolls of a step come to, while somebody is still to roll on its table."""
    if not isinstance(state.step, FatesStep):
        return ()
    key = only_table(state.step)
    waits = any(request.table and request.table.key == key for request in state.waiting)
    return step_chips(book, state.step) if waits else ()


def _roll_lines(
    book: Book, state: StepState, chips: Sequence[str], forms: Mapping[str, Any]
) -> Iterator[RollLine]:
    """The rolls of a step. Of whoever it was said just before, it is not said again how likely they
    are to be gone for good: of all by the step, of one by the row that leads to another roll."""
    before: tuple[int, str] | None = None
    for request in state.rolls:
        told = _gone(book, request) if state.status == "open" else ""
        known = request.roll is None and (told in chips or before == (request.member.id, told))
        before = request.member.id, told
        yield _roll_line(book, request, "" if known else told, forms.get(request.key))


def _roll_line(book: Book, request: RollRequest, gone_so: str, form: Any) -> RollLine:
    names = [localized(book.item[owned.key].name) for owned in request.items]
    return RollLine(
        request=request,
        what=localized(request.table.name) if request.table else str(ROLLED_FOR[request.what]),
        faces=shown_faces(request.roll, request.table) if request.roll else (),
        chance=_chance(request),
        gone=gone_so,
        numbered=tuple(f"{number} {name}" for number, name in enumerate(names, start=1)),
        is_house=request.row is not None and request.row.source.split()[0] == HOUSE,
        form=form,
    )


def _chance(request: RollRequest) -> str:
    """How likely what the roll brought was, by whichever number, re-rolls included."""
    if request.table is None or request.row is None:
        return ""
    return percent(final_chance(request.table, request.row, request.rerolling))


def _gone(book: Book, request: RollRequest) -> str:
    """How likely a member is to be gone for good by a roll that is still to be made, or by what
    follows from the row that it hit; "" where that is certain, or cannot be."""
    suffered = _suffered(request.member)
    if request.table is None or request.again:
        return ""
    if request.row is None:
        reach = gone_by_roll(book, request.table, request.rerolling, suffered)
    else:
        reach = gone(book, request.row.outcomes, suffered)
    return "" if reach.most == 0 or reach.least == 1 else gone_for_good(reach)


def _suffered(member: Member) -> list[str]:
    return [affliction.condition for affliction in member.afflictions]


def _question_line(book: Book, question: Question) -> QuestionLine:
    suffered = _suffered(question.member) if question.member else []
    reaches = [
        gone(book, choice.about.outcomes, suffered) if isinstance(choice.about, Option) else None
        for choice in question.choices
    ]
    matters = any(reach and reach.most for reach in reaches)
    told = (gone_for_good(reach) if reach and matters else "" for reach in reaches)
    return QuestionLine(question, tuple(zip(question.choices, told, strict=True)))


def _purse(book: Book, roster: Roster) -> Points:
    """What a gang has, and will still have in its first game."""
    if roster.playing or not book.keeps_budget(roster.settings):
        return roster.treasury
    return ComputedGang.of(book, roster).left or 0


def compared(
    book: Book, before: Roster, after: Roster
) -> list[tuple[str, Points | str, Points | str]]:
    """What two states of a gang differ in: what it is worth and has, how many they are, and what
    each has learned and has become."""
    rows: list[tuple[str, Points | str, Points | str]] = []
    if book.rating:
        was, will_be = gang_rating(book, before).total, gang_rating(book, after).total
        rows.append((localized(book.rating.name), was, will_be))
    if book.money:
        rows.append((localized(book.money.name), _purse(book, before), _purse(book, after)))
    rows.append((_("Members"), len(before.members), len(after.members)))
    known = {member.id: member.experience for member in before.members}
    for member in after.members:
        if known.get(member.id, member.experience) != member.experience:
            who = f"{shown_name(book, member)} · {localized(book.experience_name)}"
            rows.append((who, known[member.id], member.experience))
    return [*rows, *_characteristics(book, before, after)]


def _characteristics(
    book: Book, before: Roster, after: Roster
) -> Iterator[tuple[str, Points | str, Points | str]]:
    """The characteristics that are others afterwards, of those who are there before and after."""
    old, new = (ComputedGang.of(book, roster).profiles for roster in (before, after))
    for member in after.members:
        if member.id not in old:
            continue
        scores = old[member.id].scores
        for key, score in new[member.id].scores.items():
            row = score.characteristic
            if key in scores and scores[key].value != score.value:
                who = f"{shown_name(book, member)} · {localized(row.name)}"
                yield who, value_text(row, scores[key].value), value_text(row, score.value)
