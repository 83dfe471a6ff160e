"""A post-game in words: its steps, rolls and decisions, and what comes of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from accounts.dates import date_format
from campaigns.engine.report import GameReport, Hire, PromotionAnswer
from campaigns.engine.script_state import (
    Choice,
    PromotionOffer,
    Question,
    RollRequest,
    StepState,
    Unmet,
)
from campaigns.models import Game, Side
from campaigns.postgames import drafts
from campaigns.postgames.drafts import Postgame
from campaigns.refusals import refusal_sentence
from campaigns.text import ROLLED_FOR, scenario_name
from gangs.cards.stats import value_text
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry, Learned, Rolled, Suffered, TraitTaken
from gangs.engine.own_items import extend_book
from gangs.engine.roster import Member, Roster
from gangs.engine.valuation import gang_rating
from gangs.text.dice import shown_faces
from gangs.text.entries import Describer
from gangs.text.formats import localize, shown_name
from rules.book.fates import Option
from rules.book.model import Book
from rules.book.season import ExperienceStep, FatesStep, IncomeStep
from rules.book.vocabulary import HOUSE
from rules.engine.costing import Points
from rules.engine.table_odds import final_chance, find_reach, find_reach_of_roll
from rules.percent import percent
from rules.reference_pages.tables import only_table, say_gone_for_good, step_chips


@dataclass(frozen=True)
class RollLine:
    """A roll that was asked for: what it is for, what it showed, or the ``form`` that asks for it.

    ``chance``: of the row that it hit, and as ``per_cent``; ``gone``: how likely the member is to
    be gone for good by it, where that is still open; ``numbered``: the items that it is about.
    """

    request: RollRequest
    what: str
    faces: Sequence[str]
    chance: str
    per_cent: int
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

    @property
    def name(self) -> str:
        """What the step is called."""
        return localize(self.state.step.name)

    @property
    def is_open(self) -> bool:
        """Whether it waits for the player."""
        return self.state.status == "open"

    @property
    def asked(self) -> QuestionLine | None:
        """The question to answer now: what follows from the dice before the next dice."""
        open_ = (line for line in self.questions if line.question.chosen is None)
        return next(open_, None) if self.is_open else None

    @property
    def rolling(self) -> RollLine | None:
        """The roll to make now."""
        if self.asked is not None or not self.is_open:
            return None
        return next((line for line in self.rolls if line.request.roll is None), None)

    @property
    def rolls_to_come(self) -> list[RollLine]:
        """The other rolls that wait."""
        waiting = [line for line in self.rolls if line.request.roll is None]
        return [line for line in waiting if line != self.rolling]

    @property
    def questions_to_come(self) -> list[QuestionLine]:
        """The other questions that wait."""
        waiting = [line for line in self.questions if line.question.chosen is None]
        return [line for line in waiting if line != self.asked]

    @property
    def members_to_come(self) -> list[Member]:
        """Who is still to roll or to choose afterwards, each once."""
        asking = [line.request.member for line in self.rolls_to_come]
        asking += [one.question.member for one in self.questions_to_come if one.question.member]
        return list({member.id: member for member in asking}.values())

    @property
    def rolled(self) -> list[RollLine]:
        """The rolls that are made."""
        return [line for line in self.rolls if line.request.roll is not None]

    @property
    def answered(self) -> list[QuestionLine]:
        """The questions that are answered."""
        return [line for line in self.questions if line.question.chosen is not None]

    @property
    def members(self) -> list[Member]:
        """Whom its rolls and answers are about, each once."""
        about = [line.request.member for line in self.rolled]
        about += [one.question.member for one in self.answered if one.question.member]
        return list({member.id: member for member in about}.values())

    @property
    def has_answers(self) -> bool:
        """Whether the player has rolled or decided something in it."""
        decided = any(offer.chosen for offer in self.promotions)
        return bool(self.rolled or self.answered or self.hired or decided)


@dataclass(frozen=True)
class EarlierLine:
    """An earlier game of the gang whose post-game comes first, told from others of its day."""

    side: Side
    label: str


def earlier_line(book: Book, side: Side) -> EarlierLine | None:
    """The earlier game of the gang whose post-game comes first; None if this is the next.

    One query; of one that there is two more, for who played and for other games of its day.
    """
    earlier = None if drafts.is_done(side) else drafts.earlier(side)
    if earlier is None:
        return None
    opponents = [one.name for one in earlier.game.sides.all() if one.pk != earlier.pk]
    label = game_label(book, earlier.game, opponents)
    same_day = Side.objects.filter(gang=side.gang, game__played_on=earlier.game.played_on)
    games = list(same_day.order_by("game__created_at").values_list("pk", flat=True))
    if len(games) > 1:
        number = games.index(earlier.pk) + 1
        label = _("%(game)s (game %(number)s of that day)") % {"game": label, "number": number}
    return EarlierLine(earlier, label)


def game_label(book: Book, game: Game, opponents: Sequence[str]) -> str:
    """A game by its day, who it was against, and its scenario."""
    values = {"day": date_format(game.played_on, "j N Y"), "names": ", ".join(opponents)}
    label = _("%(day)s, against %(names)s") % values if opponents else values["day"]
    scenario = scenario_name(book, game)
    return f"{label} · {scenario}" if scenario else label


@dataclass(frozen=True)
class Progress:
    """How far a post-game is. ``now``: the step that waits; ``number`` of it, from 1; ``so_far``:
    the steps in which something happened or was decided; ``skipped``: names of those where there
    was nothing to do; ``landed``: the rolls that were just made."""

    lines: tuple[StepLine, ...]
    now: StepLine | None
    number: int
    so_far: tuple[StepLine, ...]
    skipped: tuple[str, ...]
    landed: tuple[RollLine, ...]

    @property
    def asked(self) -> str:
        """What tells what is asked now from what was asked before and will be asked next."""
        if self.now is None:
            return ""
        if self.now.asked is not None:
            return self.now.asked.question.key
        rolling = self.now.rolling
        return rolling.request.key if rolling is not None else self.now.state.step.key

    @property
    def shown(self) -> list[StepLine]:
        """The steps that are on the page."""
        return [*self.so_far, *([self.now] if self.now else [])]

    @property
    def quiet(self) -> list[str]:
        """Names of the steps that bring nothing."""
        return [line.name for line in self.lines if not (line.sentences or line.rolls)]


def progress(lines: Sequence[StepLine], done: Collection[str], landed: Collection[str]) -> Progress:
    """How far a post-game is. ``done``: steps that were declared finished; ``landed``: the keys of
    the rolls that were just made."""
    now = next((line for line in lines if line.is_open), None)
    finished = [line for line in lines if line.state.status == "done"]
    told = [
        line
        for line in finished
        if line.has_answers or line.sentences or line.state.step.key in done
    ]
    return Progress(
        lines=tuple(lines),
        now=now,
        number=lines.index(now) + 1 if now else len(lines),
        so_far=tuple(told),
        skipped=tuple(line.name for line in finished if line not in told),
        landed=tuple(roll for line in lines for roll in line.rolled if roll.request.key in landed),
    )


def step_lines(postgame: Postgame, forms: Mapping[str, Any] | None = None) -> tuple[StepLine, ...]:
    """The steps of a post-game in words. Rolls are shown as dice, so they have no sentence.

    ``forms``: those that ask for the rolls still to be made, by the roll's key.
    """
    playthrough = postgame.playthrough
    book = extend_book(postgame.base.book, playthrough.before)
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
    awards = {row.key: localize(row.name) for row in book.campaign.awards}
    return [
        _("%(award)s, %(experience)s +%(amount)s: %(names)s")
        % {
            "award": awards[award],
            "experience": localize(book.experience_name),
            "amount": amount,
            "names": ", ".join(earners),
        }
        for (award, amount), earners in names.items()
    ]


def _recruit(book: Book, hire: Hire) -> str:
    words = [hire.name] if hire.name else []
    words.append(localize(book.rank[hire.rank].name) if hire.rank in book.rank else hire.rank)
    if hire.origin in book.origin:
        words.append(localize(book.origin[hire.origin].name))
    if hire.profession in book.profession:
        words.append(localize(book.profession[hire.profession].name))
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
    names = [localize(book.item[owned.key].name) for owned in request.items]
    chance = _chance(request)
    return RollLine(
        request=request,
        what=localize(request.table.name) if request.table else str(ROLLED_FOR[request.what]),
        faces=shown_faces(request.roll, request.table) if request.roll else (),
        chance=percent(chance) if chance is not None else "",
        per_cent=round(100 * chance) if chance is not None else 0,
        gone=gone_so,
        numbered=tuple(f"{number} {name}" for number, name in enumerate(names, start=1)),
        is_house=request.row is not None and request.row.source.split()[0] == HOUSE,
        form=form,
    )


def _chance(request: RollRequest) -> Fraction | None:
    """How likely what the roll brought was, by whichever number, re-rolls included."""
    if request.table is None or request.row is None:
        return None
    return final_chance(request.table, request.row, request.rerolling)


def _gone(book: Book, request: RollRequest) -> str:
    """How likely a member is to be gone for good by a roll that is still to be made, or by what
    follows from the row that it hit; "" where that is certain, or cannot be."""
    suffered = _suffered(request.member)
    if request.table is None or request.again:
        return ""
    if request.row is None:
        reach = find_reach_of_roll(book, request.table, request.rerolling, suffered)
    else:
        reach = find_reach(book, request.row.outcomes, suffered)
    return "" if reach.most == 0 or reach.least == 1 else say_gone_for_good(reach)


def _suffered(member: Member) -> list[str]:
    return [affliction.condition for affliction in member.afflictions]


def _question_line(book: Book, question: Question) -> QuestionLine:
    suffered = _suffered(question.member) if question.member else []
    reaches = [
        find_reach(book, choice.about.outcomes, suffered)
        if isinstance(choice.about, Option)
        else None
        for choice in question.choices
    ]
    matters = any(reach and reach.most for reach in reaches)
    told = (say_gone_for_good(reach) if reach and matters else "" for reach in reaches)
    return QuestionLine(question, tuple(zip(question.choices, told, strict=True)))


def _purse(book: Book, roster: Roster) -> Points:
    """What a gang has, and will still have in its first game."""
    if roster.playing or not book.under(roster.settings).keeps_budget:
        return roster.treasury
    return ComputedGang.of(book, roster).left or 0


def compare_states(
    book: Book, before: Roster, after: Roster
) -> list[tuple[str, Points | str, Points | str]]:
    """What two states of a gang differ in: what it is worth and has, how many they are, and what
    each has learned and has become."""
    rows: list[tuple[str, Points | str, Points | str]] = []
    if book.rating:
        was, will_be = gang_rating(book, before).total, gang_rating(book, after).total
        rows.append((localize(book.rating.name), was, will_be))
    if book.money:
        rows.append((localize(book.money.name), _purse(book, before), _purse(book, after)))
    rows.append((_("Members"), len(before.members), len(after.members)))
    known = {member.id: member.experience for member in before.members}
    for member in after.members:
        if known.get(member.id, member.experience) != member.experience:
            who = f"{shown_name(book, member)} · {localize(book.experience_name)}"
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
                who = f"{shown_name(book, member)} · {localize(row.name)}"
                yield who, value_text(row, scores[key].value), value_text(row, score.value)
