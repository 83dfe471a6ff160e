"""The post-game: the rulebook's script, played as far as the answers reach.

Nothing is thrown or stored here. The steps return the questions that are still open and the entries
that they bring, ready to be appended to the gang's ledger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from campaigns.engine import underdog
from campaigns.engine.advancement import play_advances, play_promotions, play_succession
from campaigns.engine.fates import play_fates
from campaigns.engine.gang_rolls import play_rolls
from campaigns.engine.holdings import add_yields, hauls, play_holdings, play_upkeep
from campaigns.engine.income import income
from campaigns.engine.report import TAKEN_OUT, Answers, GameReport, Hire, PromotionAnswer
from campaigns.engine.rolled_profiles import roll_profile
from campaigns.engine.script_state import (
    Captivity,
    Choice,
    Hiring,
    Playthrough,
    Question,
    ScriptRun,
    StepState,
    Unanswered,
    Unmet,
)
from campaigns.engine.supplies import play_search, play_supplies
from campaigns.engine.tracks import play_tracks
from common.errors import Refusal
from gangs.engine import entries as kinds
from gangs.engine import offers
from gangs.engine.actions import recruit
from gangs.engine.replaying import Playback
from gangs.engine.roster import Member, Roster
from gangs.engine.shelf import kit
from gangs.engine.validation import places_left
from rules.book import season
from rules.book.model import Book
from rules.engine.profiles import points_allowed


def play(
    book: Book,
    roster: Roster,
    next_id: int,
    game_report: GameReport,
    answers: Answers,
    numbers: Sequence[tuple[str, int]] = (),
) -> Playthrough:
    """Play the script for a gang; ``next_id``: the number of its next entry.

    ``numbers``: those that members and items got when this was played before, by ``brought_key``;
    they keep them.
    """
    run = ScriptRun(book, roster, next_id, game_report, answers, numbers)
    run.add(played_entry(game_report))
    states: list[StepState] = []
    for step in run.rules.steps:
        if states and states[-1].status != "done":
            states.append(StepState(step, "later"))
        else:
            run.begin()
            states.append(_play_step(run, step))
    return Playthrough(tuple(states), tuple(run.played), roster, run.roster)


def points_earned(book: Book, before: Roster, after: Roster) -> list[tuple[Member, int]]:
    """The members who may spread more points than before, each with the number of new points."""
    had = {
        member.id: points_allowed(book, before.figure(book, member)) for member in before.members
    }
    earned = [
        (member, points_allowed(book, after.figure(book, member)) - had[member.id])
        for member in after.members
        if member.id in had
    ]
    return [(member, points) for member, points in earned if points > 0]


def played_entry(game_report: GameReport) -> kinds.Played:
    """The entry that records a game in a gang's history."""
    report = game_report.report
    return kinds.Played(
        game=game_report.game,
        title=game_report.title,
        scenario=game_report.scenario,
        result=game_report.result,
        side=game_report.side,
        fielded=report.fielded,
        marks=report.marks,
        taken_out=report.counts.get(TAKEN_OUT, {}),
    )


def _play_step(run: ScriptRun, step: season.AnyStep) -> StepState:
    """Play one step as far as the answers reach."""
    match step:
        case season.FatesStep():
            return play_fates(run, step)
        case season.RollsStep():
            return play_rolls(run, step)
        case season.ExperienceStep():
            return _experience(run, step)
        case season.SuppliesStep():
            return play_supplies(run, step)
        case season.TracksStep():
            return play_tracks(run, step)
        case season.SearchStep():
            return play_search(run, step)
        case season.AdvancesStep():
            return play_advances(run, step)
        case season.IncomeStep():
            size = len(run.roster.counted(run.book))
            for earned in income(run.rules, run.game_report):
                run.add(earned)
            for earned in hauls(run.rules, run.game_report, size):
                run.add(earned)
            add_yields(run)
            return run.finish(step)
        case season.CaptivesStep():
            return _captives(run, step)
        case season.PromotionsStep():
            return play_promotions(run, step)
        case season.SuccessionStep():
            return play_succession(run, step)
        case season.RecruitsStep():
            return _recruits(run, step)
        case season.HoldingsStep():
            return play_holdings(run, step)
        case season.UpkeepStep():
            return play_upkeep(run, step)


# Experience


def _experience(run: ScriptRun, step: season.ExperienceStep) -> StepState:
    report = run.game_report.report
    learned: Counter[int] = Counter()
    for award in run.rules.awards:
        if not _deserved(run, award):
            continue
        for member in run.roster.members:
            if not award.everyone and member.id not in report.fielded:
                continue
            if report.marks.get(member.id) in award.not_marks or not run.picks(award.of, member):
                continue
            amount = award.amount * _times(run, award, member.id)
            if award.most is not None:
                amount = min(amount, award.most)
            if step.most is not None:
                amount = min(amount, step.most - learned[member.id])
                learned[member.id] += max(0, amount)
            run.learn(member, amount, award=award.key)
    return run.finish(step)


def _deserved(run: ScriptRun, award: season.Award) -> bool:
    game_report = run.game_report
    if award.sides and game_report.side not in award.sides:
        return False
    return underdog.is_due(award, game_report.rating, game_report.opponents)


def _times(run: ScriptRun, award: season.Award, member: int) -> int:
    """How many times a member gets the award: once, or once per point of its tally."""
    if award.each is None:
        return 1
    report = run.game_report.report
    if award.each in report.tallies:
        return report.tallies[award.each]
    return report.counts.get(award.each, {}).get(member, 0)


# Decisions


def _captives(run: ScriptRun, step: season.CaptivesStep) -> StepState:
    """Ask what happened to captives in the game. A ransom or an exchange takes two gangs, so it is
    not part of one gang's post-game: see ``campaigns.games.captives.bargains``."""
    for member in run.roster.members:
        held = [ailment for ailment in member.afflictions if ailment.condition == step.condition]
        if held:
            with suppress(Unanswered):
                _captive(run, step, member, held[0].against)
    return run.finish(step)


def _captive(run: ScriptRun, step: season.CaptivesStep, member: Member, against: str) -> None:
    # A member captured in this very game cannot have been rescued in it.
    fresh = (member.id, step.condition) not in run.conditions_before
    fates = ["stay", "freed", "lost"] if step.rescue and not fresh else ["stay", "lost"]
    question = Question(
        f"{step.key}:{member.id}",
        "captive",
        member,
        tuple(Choice(fate) for fate in fates),
        about=Captivity(against, fresh),
    )
    match run.choose(question, default="stay" if fresh else "").value:
        case "lost":
            run.add(kinds.Died(member=member.id))
        case "freed":
            run.add(kinds.Recovered(member=member.id, condition=step.condition))


def _recruits(run: ScriptRun, step: season.RecruitsStep) -> StepState:
    chosen: list[tuple[int, Hire]] = []
    for place, hire in enumerate(run.answers.recruits):
        try:
            computed = run.computed()
            entries = recruit(computed, hire.rank, hire.name, origin=hire.origin, owner=hire.owner)
            if hire.profession is not None:
                of_rank = {offer.row.key for offer in offers.professions_of(computed, hire.rank)}
                if hire.profession not in of_rank:
                    raise Refusal("not_for_rank")
        except Refusal as refusal:
            run.refused.append(Unmet(refusal, place, hire))
        else:
            chosen.append((place, hire))
            for entry in entries:
                run.add(entry)
            who = run.played[-1].number
            member = run.roster.member(who)
            figure = run.roster.figure(run.book, member)
            _add_kit(run, kit(run.rules, figure, who, playing=run.roster.playing), who)
            roll_profile(run, member, f"{step.key}:{place}")
            if hire.profession is not None:
                run.add(kinds.ProfessionChosen(member=who, profession=hire.profession))
    on_offer = tuple(offers.ranks(run.computed()))
    of_others = tuple(offers.ranks_of_others(run.computed()))
    possible = chosen or of_others or any(offer.refusal is None for offer in on_offer)
    return run.finish(
        step,
        waits=bool(possible) and step.key not in run.answers.done,
        hiring=Hiring(on_offer, of_others, tuple(chosen), places_left(run.computed())),
    )


def _add_kit(run: ScriptRun, items: Sequence[kinds.Bought], member: int) -> None:
    """Add the kit of a new member. Items fitted to others name their numbers in this play, which an
    earlier play may have given away."""
    numbers: dict[int | None, int] = {}
    for usual, item in enumerate(items, start=member + 1):
        run.add(item.model_copy(update={"on": numbers.get(item.on)}))
        numbers[usual] = run.played[-1].number


# Playing it again from kept answers, without a player


@dataclass(frozen=True)
class PostgamePlayback(Playback):
    """The result of playing a post-game again, with its steps."""

    playthrough: Playthrough | None = None


def replay(
    book: Book,
    roster: Roster,
    next_number: int,
    game_report: GameReport,
    answers: Answers,
    numbers: Sequence[tuple[str, int]] = (),
) -> PostgamePlayback:
    """Play the script with these answers. Parameters as for ``play``.

    Promotions of members who can no longer have them are left out, and nobody is asked whether to
    recruit: the gang's page can do that later. Raises Misfit if the answers do not fit the gang.
    """
    while True:
        playthrough = play(book, roster, next_number, game_report, answers, numbers)
        void = {unmet.place for state in playthrough.steps for unmet in _void(state)}
        current = playthrough.current
        if void:
            kept = tuple(
                answer for place, answer in enumerate(answers.promotions) if place not in void
            )
            answers = answers.model_copy(update={"promotions": kept})
        elif current is not None and _may_pass(current):
            answers = answers.model_copy(update={"done": (*answers.done, current.step.key)})
        else:
            entries = tuple((played.number, played.entry) for played in playthrough.played)
            waits = frozenset(_missing(current)) if current is not None else frozenset[str]()
            return PostgamePlayback(entries, waits, playthrough)


def _void(state: StepState) -> Iterator[Unmet]:
    """Promotions of members who are not candidates."""
    for unmet in state.refused:
        if isinstance(unmet.answer, PromotionAnswer) and unmet.refusal.code == "gone":
            yield unmet


def _may_pass(state: StepState) -> bool:
    """Whether an open step only asks whether to recruit."""
    asks = state.refused or state.waiting or state.next_question is not None
    return state.hiring is not None and not asks


def _missing(state: StepState) -> Collection[str]:
    """The keys of everything that an open step waits for."""
    rolls = {request.key for request in state.waiting}
    questions = {question.key for question in state.questions if question.chosen is None}
    refused = {f"{state.step.key}:refused:{unmet.place}" for unmet in state.refused}
    return rolls | questions | refused or {state.step.key}
