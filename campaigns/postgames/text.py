"""A post-game in words: its steps, rolls and decisions, and their effects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from accounts.dates import date_format
from accounts.language import rules_language
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
from gangs.engine.purses import balance
from gangs.engine.roster import Member, OwnedItem, Roster
from gangs.engine.valuation import gang_rating
from gangs.text.dice import shown_faces
from gangs.text.entries import Describer
from gangs.text.formats import fate_name, localize, shown_name
from rules.book.fates import Option
from rules.book.model import Book
from rules.book.season import ExperienceStep, FatesStep, IncomeStep, RollsStep, UpkeepStep
from rules.book.vocabulary import HOUSE, Row
from rules.engine.costing import Points
from rules.engine.table_odds import final_chance, find_reach, find_reach_of_roll
from rules.percent import percent
from rules.reference_pages.tables import only_table, say_gone_for_good, step_chips


@dataclass(frozen=True)
class RollLine:
    """A roll of the post-game: its purpose, and its faces or the ``form`` that asks for them.

    ``who``: the member's name, or the gang's; ``dice``: with the calculation, if there is one.
    ``chance``: the chance of the row that it hit, also as ``per_cent``; ``chance_to_go``: the
    chance that it removes the member for good, where that is still open; ``numbered``: its items or
    members.
    """

    request: RollRequest
    who: str
    what: str
    dice: str
    faces: Sequence[str]
    chance: str
    per_cent: int
    chance_to_go: str
    numbered: tuple[str, ...]
    is_house: bool
    form: Any

    @property
    def total(self) -> str:
        """The total of the dice, or the amount that they bring; "" where the faces say it."""
        roll, amount = self.request.roll, self.request.amount
        if roll is None or self.request.matches:
            return ""
        worth = roll.total if amount is None else amount.worth(roll.total)
        return "" if len(roll.faces) == 1 and worth == roll.total else str(worth)


@dataclass(frozen=True)
class QuestionLine:
    """A question of the post-game: each choice with the chance that it removes the member for good,
    "" where no choice can. ``who``: the member's name, or the gang's; ``result``: the name of the
    row of a dice table that asks it, if one does; ``item``: that of the item that it is about."""

    question: Question
    who: str
    result: str
    choices: tuple[tuple[Choice, str], ...]
    item: str = ""


@dataclass(frozen=True)
class RefusedLine:
    """An answer that cannot be carried out, the reason, and the ``act`` that takes it back."""

    what: str
    reason: str
    place: int
    act: str


@dataclass(frozen=True)
class StepLine:
    """A step of a post-game, with its effects in words.

    ``chips``: the chances of its table, while rolls on it are still open; ``besides``: the effects
    that the shown answers do not make plain; ``promotions``: the promotions to show.
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
        """Whether one of its promotions costs something."""
        return any(offer.promotion.price for offer in self.promotions)

    @property
    def name(self) -> str:
        """The name of the step."""
        return localize(self.state.step.name)

    @property
    def is_open(self) -> bool:
        """Whether the step waits for the player."""
        return self.state.status == "open"

    @property
    def asked(self) -> QuestionLine | None:
        """The question to answer now. Questions about rolled dice come before the next dice."""
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
        """The open rolls after the present one."""
        now = self.rolling
        return [line for line in self.rolls if line.request.roll is None and line != now]

    @property
    def questions_to_come(self) -> list[QuestionLine]:
        """The open questions after the present one."""
        now = self.asked
        return [line for line in self.questions if line.question.chosen is None and line != now]

    @property
    def names_to_come(self) -> str:
        """The members (or the gang) of the rolls and questions to come, each once."""
        return _names_of(self.rolls_to_come, self.questions_to_come)

    @property
    def rolled(self) -> list[RollLine]:
        """The finished rolls."""
        return [line for line in self.rolls if line.request.roll is not None]

    @property
    def answered(self) -> list[QuestionLine]:
        """The answered questions."""
        return [line for line in self.questions if line.question.chosen is not None]

    @property
    def names(self) -> str:
        """The members (or the gang) of its finished rolls and answered questions, each once."""
        return _names_of(self.rolled, self.answered)

    @property
    def has_answers(self) -> bool:
        """Whether the player has rolled or decided something in the step."""
        decided = any(offer.chosen for offer in self.promotions)
        return bool(self.rolled or self.answered or self.hired or decided)


def _names_of(rolls: Sequence[RollLine], questions: Sequence[QuestionLine]) -> str:
    names = {_id(line.request.member): line.who for line in rolls}
    for line in questions:
        # A vacant post belongs to nobody.
        if line.question.kind != "succession":
            names[_id(line.question.member)] = line.who
    return ", ".join(names.values())


def _id(member: Member | None) -> int | None:
    return member.id if member is not None else None


@dataclass(frozen=True)
class EarlierLine:
    """An earlier game of the gang with a post-game to play first, and its distinct label."""

    side: Side
    label: str


def earlier_line(book: Book, side: Side) -> EarlierLine | None:
    """The earlier game of the gang whose post-game comes first; None if this one is next.

    Makes one query, and two more if there is an earlier game: for its sides, and for the other
    games of its day.
    """
    earlier = None if drafts.is_done(side) else drafts.earlier(side)
    if earlier is None:
        return None
    others = [one.name for one in earlier.game.sides.all() if one.pk != earlier.pk]
    opponents = [] if book.who_plays.is_together else others
    label = game_label(book, earlier.game, opponents)
    same_day = Side.objects.filter(gang=side.gang, game__played_on=earlier.game.played_on)
    games = list(same_day.order_by("game__created_at").values_list("pk", flat=True))
    if len(games) > 1:
        number = games.index(earlier.pk) + 1
        label = _("%(game)s (game %(number)s of that day)") % {"game": label, "number": number}
    return EarlierLine(earlier, label)


def game_label(book: Book, game: Game, opponents: Sequence[str]) -> str:
    """The label of a game: its day, the opponents and the scenario."""
    values = {"day": date_format(game.played_on, "j N Y"), "names": ", ".join(opponents)}
    label = _("%(day)s, against %(names)s") % values if opponents else values["day"]
    scenario = scenario_name(book, game)
    return f"{label} · {scenario}" if scenario else label


@dataclass(frozen=True)
class Progress:
    """The progress of a post-game. ``now``: the step that waits; ``number``: its number, from 1;
    ``so_far``: the finished steps in which something happened or was decided; ``skipped``: the
    names of the other finished steps; ``landed``: the rolls that were just made."""

    lines: tuple[StepLine, ...]
    now: StepLine | None
    number: int
    so_far: tuple[StepLine, ...]
    skipped: tuple[str, ...]
    landed: tuple[RollLine, ...]

    @property
    def asked(self) -> str:
        """Identifies the present question or roll, so that the page knows when it changes."""
        if self.now is None:
            return ""
        if self.now.asked is not None:
            return self.now.asked.question.key
        rolling = self.now.rolling
        return rolling.request.key if rolling is not None else self.now.state.step.key

    @property
    def shown(self) -> list[StepLine]:
        """The steps on the page."""
        return [*self.so_far, *([self.now] if self.now else [])]

    @property
    def quiet(self) -> list[str]:
        """The names of the steps without an effect."""
        return [line.name for line in self.lines if not (line.sentences or line.rolls)]


def progress(lines: Sequence[StepLine], done: Collection[str], landed: Collection[str]) -> Progress:
    """The progress of a post-game. ``done``: the keys of steps that the player declared finished;
    ``landed``: the keys of the rolls that were just made."""
    now = next((line for line in lines if line.is_open), None)
    finished = [line for line in lines if line.state.status == "done"]
    so_far = [
        line
        for line in finished
        if line.has_answers or line.sentences or line.state.step.key in done
    ]
    return Progress(
        lines=tuple(lines),
        now=now,
        number=lines.index(now) + 1 if now else len(lines),
        so_far=tuple(so_far),
        skipped=tuple(line.name for line in finished if line not in so_far),
        landed=tuple(roll for line in lines for roll in line.rolled if roll.request.key in landed),
    )


def step_lines(postgame: Postgame, forms: Mapping[str, Any] | None = None) -> tuple[StepLine, ...]:
    """The steps of a post-game in words. Rolls appear as dice, without a sentence. ``forms``: the
    forms for the open rolls, by the roll's key."""
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
    # Only the last played step can have answers that cannot be carried out.
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
        rolls=tuple(_roll_lines(book, before, state, chips, forms)),
        questions=tuple(_question_line(book, before, state, each) for each in state.questions),
        promotions=tuple(
            offer
            for offer in state.promotions
            if offer.chosen or (offer.candidates and state.status == "open")
        ),
        hired=tuple((place, _recruit(book, hire)) for place, hire in hired),
        refused=tuple(_refused_line(describer, unmet) for unmet in state.refused),
    )


def list_missing(line: StepLine) -> list[str]:
    """Everything that an open step waits for: dice, choices, and answers that cannot be carried
    out, with the reason."""
    found = [f"{roll.who} · {roll.what}" for roll in line.rolls if roll.request.roll is None]
    found += [
        f"{asked.who} · {asked.result or line.name}"
        for asked in line.questions
        if asked.question.chosen is None
    ]
    found += [
        f"{refused.what}: {refused.reason}" if refused.what else refused.reason
        for refused in line.refused
    ]
    return list(dict.fromkeys(found)) or [line.name]


def _is_plain(book: Book, state: StepState, entry: Entry) -> bool:
    """Whether the dice, the awards or the name of a table's row already show the entry."""
    match entry:
        case Rolled():
            return True
        case Learned():
            return entry.award is not None
        case Suffered(roll=None, against=""):
            name = book.condition[entry.condition].name
            rows = {
                row.name
                for request in state.rolls
                for row in request.rows
                if not request.again and request.member and request.member.id == entry.member
            }
            return name in rows
    return False


def _experience(book: Book, describer: Describer, state: StepState) -> list[str]:
    """The awards in words, with one sentence for all members with the same award."""
    names: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for entry in state.entries:
        if isinstance(entry, Learned) and entry.award:
            names[entry.award, entry.amount].append(describer.who(entry.member))
    awards = {row.key: localize(row.name) for row in book.campaign.awards}
    return [
        _("%(award)s, %(experience)s +%(amount)s: %(names)s")
        % {
            "award": awards[award],
            "experience": localize(book.experience_word),
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
    """Whether the effect of the step depends on house values."""
    rows: list[Row] = [state.step]
    if isinstance(state.step, ExperienceStep):
        rows += book.campaign.awards
    if isinstance(state.step, IncomeStep):
        rows += [row for row in book.campaign.results if row.key == game_report.result]
        rows += [*book.campaign.yields, *book.campaign.hauls]
    if isinstance(state.step, UpkeepStep):
        rows += book.campaign.upkeep
    return any(book.cites_house(row) for row in rows)


def _chips(book: Book, state: StepState) -> tuple[str, ...]:
    """The chances of a step's table, while rolls on it are still open."""
    if not isinstance(state.step, FatesStep | RollsStep):
        return ()
    key = only_table(state.step)
    waits = any(request.table and request.table.key == key for request in state.waiting)
    return step_chips(book, state.step) if waits else ()


def _who(book: Book, gang: Roster, asked: RollRequest | Question) -> str:
    """The name of a member, with others of the group whom it is for, too, or of the gang."""
    if asked.member is None:
        return gang.name
    return ", ".join(shown_name(book, one) for one in (asked.member, *asked.mates))


def _roll_lines(
    book: Book, gang: Roster, state: StepState, chips: Sequence[str], forms: Mapping[str, Any]
) -> Iterator[RollLine]:
    """The rolls of a step. The chance of losing a member for good is left out where the step's
    chips or the same member's previous roll already show it."""
    before: tuple[int | None, str] | None = None
    for request in state.rolls:
        risk = _chance_to_go(book, request) if state.status == "open" else ""
        now = (_id(request.member), risk)
        is_known = request.roll is None and (risk in chips or before == now)
        before = now
        yield _roll_line(book, gang, request, "" if is_known else risk, forms.get(request.key))


def _roll_line(book: Book, gang: Roster, request: RollRequest, risk: str, form: Any) -> RollLine:
    names = [localize(book.item[owned.key].name) for owned in request.items]
    names += [shown_name(book, member) for member in request.members]
    chance = _chance(request)
    return RollLine(
        request=request,
        who=_who(book, gang, request),
        dice=str(request.amount) if request.amount else request.dice.upper(),
        what=_purpose(book, request),
        faces=shown_faces(request.roll, request.table) if request.roll else (),
        chance=percent(chance) if chance is not None else "",
        per_cent=round(100 * chance) if chance is not None else 0,
        chance_to_go=risk,
        numbered=tuple(f"{number} {name}" for number, name in enumerate(names, start=1)),
        is_house=any(row.source.split()[0] == HOUSE for row in request.rows),
        form=form,
    )


def _purpose(book: Book, request: RollRequest) -> str:
    """The purpose of a roll: its table, its income, the characteristic rolled, or a question."""
    if request.table:
        return localize(request.table.name)
    rows = {row.key: row for row in book.campaign.yields}
    kind, key, *_rest = [*request.key.split(":"), ""]
    if request.what == "money" and kind == "yield" and key in rows:
        return localize(rows[key].name)
    if request.characteristic is not None:
        return localize(request.characteristic.name)
    return str(ROLLED_FOR[request.what])


def _chance(request: RollRequest) -> Fraction | None:
    """The chance of the row that the roll hit, whichever number hits it, re-rolls included."""
    if request.table is None or request.row is None:
        return None
    return final_chance(request.table, request.row, request.rerolling)


def _chance_to_go(book: Book, request: RollRequest) -> str:
    """The chance that an open roll, or the row that a roll hit, removes the member for good; ""
    where that is certain or impossible."""
    if request.table is None or request.again or request.member is None:
        return ""
    suffered = _conditions_of(request.member)
    if request.row is None:
        reach = find_reach_of_roll(book, request.table, request.rerolling, suffered)
    else:
        reach = find_reach(book, request.row.outcomes, suffered)
    return "" if reach.most == 0 or reach.least == 1 else say_gone_for_good(reach)


def _conditions_of(member: Member) -> list[str]:
    return [affliction.condition for affliction in member.afflictions]


def _result(state: StepState, question: Question) -> str:
    """The name of the row of a dice table that asks a question; "" if none does.

    The key of a question starts with that of the roll; where dice match, the row's place follows.
    """
    found = ""
    for request in state.rolls:
        rest = question.key.removeprefix(f"{request.key}:")
        if rest != question.key and request.rows:
            place = int(rest.split(":")[0]) if request.matches else 0
            found = localize(request.rows[place].name)
    return found


def _question_line(book: Book, gang: Roster, state: StepState, question: Question) -> QuestionLine:
    suffered = _conditions_of(question.member) if question.member else []
    reaches = [
        find_reach(book, choice.about.outcomes, suffered)
        if isinstance(choice.about, Option)
        else None
        for choice in question.choices
    ]
    # Outcomes for the gang remove nobody who could be named here.
    matters = bool(question.member) and any(reach and reach.most for reach in reaches)
    chances = (say_gone_for_good(reach) if reach and matters else "" for reach in reaches)
    who = _who(book, gang, question)
    about = question.about
    item = localize(book.item[about.key].name) if isinstance(about, OwnedItem) else ""
    answers = tuple(zip(question.choices, chances, strict=True))
    return QuestionLine(question, who, _result(state, question), answers, item)


def _purse(book: Book, roster: Roster) -> Points:
    """A gang's money: its treasury or, before its first game, the budget that it keeps."""
    if roster.playing or not book.under(roster.settings).keeps_budget:
        return roster.treasury
    return ComputedGang.of(book, roster).left or 0


def compare_states(
    book: Book, before: Roster, after: Roster
) -> list[tuple[str, Points | str, Points | str]]:
    """Compare two states of a gang: who leaves it or is back, its rating, money and size, and each
    member's experience and characteristics. Each row has a label and the two values."""
    # Departures come first: they are the news.
    rows: list[tuple[str, Points | str, Points | str]] = [*_fates(book, before, after)]
    if book.rating:
        was, will_be = gang_rating(book, before).total, gang_rating(book, after).total
        rows.append((localize(book.rating.name), was, will_be))
    if book.money:
        rows.append((localize(book.money.name), _purse(book, before), _purse(book, after)))
    had, has = balance(book, before), balance(book, after)
    rows += [(localize(row.name), had[row.key], has[row.key]) for row in book.currencies]
    rows.append((_("Members"), len(before.members), len(after.members)))
    known = {member.id: member.experience for member in before.everyone()}
    for member in after.members:
        if known.get(member.id, member.experience) != member.experience:
            who = f"{shown_name(book, member)} · {localize(book.experience_word)}"
            rows.append((who, known[member.id], member.experience))
    return [*rows, *_characteristics(book, before, after)]


def _fates(book: Book, before: Roster, after: Roster) -> Iterator[tuple[str, str, str]]:
    """The members of one state who have left the gang in the other, or were never in it there."""
    here = _("in the gang")
    for gang, other, is_before in ((before, after, True), (after, before, False)):
        gone = {who.member.id: fate_name(who.fate, book) for who in other.departed}
        others = {member.id for member in other.members}
        for member in gang.members:
            # A newcomer is not worth a line, but somebody who no longer ever joined is.
            if member.id not in others and (is_before or member.id in gone):
                fate = gone.get(member.id) or _("never joined")
                who = shown_name(book, member)
                yield (who, here, fate) if is_before else (who, fate, here)


def _characteristics(
    book: Book, before: Roster, after: Roster
) -> Iterator[tuple[str, Points | str, Points | str]]:
    """The changed characteristics of the members in both states."""
    old, new = (ComputedGang.of(book, roster).profiles for roster in (before, after))
    for member in after.members:
        if member.id not in old:
            continue
        scores = old[member.id].scores
        for key, score in new[member.id].scores.items():
            row = score.characteristic
            if key in scores and scores[key].value != score.value:
                who = f"{shown_name(book, member)} · {localize(row.name)}"
                reader = rules_language()
                former = value_text(row, scores[key].value, reader)
                yield who, former, value_text(row, score.value, reader)
