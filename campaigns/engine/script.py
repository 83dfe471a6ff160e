"""The post-game: the rulebook's script, played as far as the answers reach.

Nothing is thrown or stored here. What is still to be asked comes back with the steps; what the
steps bring about comes back as entries, ready to be appended to the gang's ledger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from campaigns import underdog
from campaigns.befalling import play_fates
from campaigns.income import income
from campaigns.rising import play_advances, play_promotions, play_succession
from campaigns.situation import TAKEN_OUT, Answers, Hire, Situation
from campaigns.stage import Stage, status
from campaigns.steps import Captive, Hiring, Playthrough, StepState, Unmet
from gangs import entries as kinds
from gangs import offers
from gangs.acts import recruit
from gangs.findings import places_left
from gangs.refusal import Refusal
from gangs.roster import Roster
from rules.book import Book
from rules.profiles import points_allowed
from rules.season import (
    AdvancesStep,
    AnyStep,
    Award,
    CaptivesStep,
    ExperienceStep,
    FatesStep,
    IncomeStep,
    PromotionsStep,
    RecruitsStep,
    SuccessionStep,
)


def play(
    book: Book,
    roster: Roster,
    next_id: int,
    situation: Situation,
    answers: Answers,
    recruits: Sequence[int] = (),
) -> Playthrough:
    """Play the script for a gang; ``next_id`` is the number its next entry will get.

    ``recruits``: the numbers that recruits had when this was played before; they keep them.
    """
    stage = Stage(book, roster, next_id, situation, answers, recruits)
    stage.add(_played(situation))
    states: list[StepState] = []
    for step in book.in_force(book.campaign.steps, roster.settings):
        if states and states[-1].status != "done":
            states.append(StepState(step, "later"))
        else:
            start = len(stage.entries)
            stage.begin()
            state = _run(stage, step)
            states.append(replace(state, entries=tuple(stage.entries[start:])))
    return Playthrough(
        tuple(states), tuple(stage.entries), tuple(stage.numbers), roster, stage.roster
    )


def points_earned(book: Book, before: Roster, after: Roster) -> dict[int, int]:
    """How many more points each member may spread than before, by member."""
    earned = {}
    for old in before.members:
        new = next((member for member in after.members if member.id == old.id), None)
        if new is not None:
            allowed = points_allowed(book, after.figure(book, new))
            more = allowed - points_allowed(book, before.figure(book, old))
            if more > 0:
                earned[new.id] = more
    return earned


def _played(situation: Situation) -> kinds.Played:
    report = situation.report
    return kinds.Played(
        game=situation.game,
        title=situation.title,
        scenario=situation.scenario,
        result=situation.result,
        side=situation.side,
        fielded=report.fielded,
        marks=report.marks,
        taken_out=report.counts.get(TAKEN_OUT, {}),
    )


def _run(stage: Stage, step: AnyStep) -> StepState:
    """Play one step as far as the answers reach."""
    match step:
        case FatesStep():
            return play_fates(stage, step)
        case ExperienceStep():
            return _experience(stage, step)
        case AdvancesStep():
            return play_advances(stage, step)
        case IncomeStep():
            for earned in income(stage.book, stage.roster.settings, stage.situation):
                stage.add(earned)
            return StepState(step, "done")
        case CaptivesStep():
            return _captives(stage, step)
        case PromotionsStep():
            return play_promotions(stage, step)
        case SuccessionStep():
            return play_succession(stage, step)
        case RecruitsStep():
            return _recruits(stage, step)


# Experience


def _experience(stage: Stage, step: ExperienceStep) -> StepState:
    report = stage.situation.report
    for award in stage.book.in_force(stage.book.campaign.awards, stage.roster.settings):
        if not _deserved(stage, award):
            continue
        for member in stage.roster.members:
            if not award.everyone and member.id not in report.fielded:
                continue
            if report.marks.get(member.id) in award.not_marks or not stage.picks(award.of, member):
                continue
            amount = award.amount * _times(stage, award, member.id)
            if award.most is not None:
                amount = min(amount, award.most)
            stage.learn(member, amount, award=award.key)
    return StepState(step, "done")


def _deserved(stage: Stage, award: Award) -> bool:
    situation = stage.situation
    if award.sides and situation.side not in award.sides:
        return False
    return underdog.is_due(award, situation.rating, situation.opponents)


def _times(stage: Stage, award: Award, member: int) -> int:
    """How often a member gets the award: once, or per point of its tally."""
    if award.each is None:
        return 1
    report = stage.situation.report
    if award.each in report.tallies:
        return report.tallies[award.each]
    return report.counts.get(award.each, {}).get(member, 0)


# Decisions


def _captives(stage: Stage, step: CaptivesStep) -> StepState:
    """What became of captives in the game. A ransom or an exchange takes two gangs, so it is no
    part of one gang's post-game: see ``campaigns.bargains``."""
    captives: list[Captive] = []
    for member in stage.roster.members:
        held = [one for one in member.afflictions if one.condition == step.condition]
        if not held:
            continue
        decided = stage.answers.captives.get(member.id)
        if decided == "ransom" or (decided == "freed" and not step.rescue):
            # Drafts of old may say that a ransom is paid: that is no answer any more.
            decided = None
        fresh = (member.id, step.condition) not in stage.ailing
        if fresh and decided != "lost":
            # Nobody can have been rescued from those who have taken him only now.
            decided = "stay"
        captive = Captive(member, held[0].against, decided, fresh)
        captives.append(captive)
        if captive.decided == "lost":
            stage.add(kinds.Died(member=member.id))
        elif captive.decided == "freed":
            stage.add(kinds.Recovered(member=member.id, condition=step.condition))
    waits = any(captive.decided is None for captive in captives)
    return StepState(step, status(waits), captives=tuple(captives))


def _recruits(stage: Stage, step: RecruitsStep) -> StepState:
    chosen: list[tuple[int, Hire]] = []
    for place, hire in enumerate(stage.answers.recruits):
        try:
            made = recruit(stage.scene(), hire.rank, hire.name, origin=hire.origin)
        except Refusal as refusal:
            stage.refused.append(Unmet(refusal, place, hire))
        else:
            chosen.append((place, hire))
            for entry in made:
                stage.add(entry)
    on_offer = tuple(offers.ranks(stage.scene()))
    hiring = Hiring(on_offer, tuple(chosen), places_left(stage.scene()))
    possible = chosen or any(offer.refusal is None for offer in on_offer)
    waits = bool(stage.refused) or (possible and step.key not in stage.answers.done)
    return StepState(step, status(waits), hiring=hiring, refused=tuple(stage.refused))
