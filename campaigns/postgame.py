"""The post-game: the rulebook's script, played as far as the answers reach.

Nothing is thrown or stored here. What is still to be asked comes back with the steps; what the
steps bring about comes back as entries, ready to be appended to the gang's ledger.
"""

from __future__ import annotations

from dataclasses import replace

from campaigns.income import income
from campaigns.situation import TAKEN_OUT, Answers, Hire, Situation, marks
from campaigns.steps import Asked, Captive, Hiring, Playthrough, Rise, Status, StepState, Unmet
from gangs import entries as kinds
from gangs import offers
from gangs.acts import recruit
from gangs.entries import Entry
from gangs.findings import recruits_left
from gangs.fold import apply
from gangs.own_items import extended
from gangs.refusal import Refusal
from gangs.roster import Member, Roster
from gangs.scene import Scene
from gangs.worth import member_rating
from rules.book import Book
from rules.dice import Roll, look_up
from rules.fates import DiceTable, Dies, Learns, LosesItem, Outcome, RollsOn, Suffers
from rules.profiles import points_allowed
from rules.season import (
    AnyStep,
    Award,
    CaptivesStep,
    ExperienceStep,
    FatesStep,
    IncomeStep,
    Promotion,
    PromotionsStep,
    RecruitsStep,
)

DEEPEST = 8


def play(
    book: Book, roster: Roster, next_id: int, situation: Situation, answers: Answers
) -> Playthrough:
    """Play the script for a gang; ``next_id`` is the number its next entry will get."""
    stage = _Stage(book, roster, next_id, situation, answers)
    stage.add(_played(situation))
    states: list[StepState] = []
    for step in book.in_force(book.campaign.steps, roster.settings):
        if states and states[-1].status != "done":
            states.append(StepState(step, "later"))
        else:
            states.append(stage.run(step))
    return Playthrough(tuple(states), tuple(stage.entries), next_id, roster, stage.roster)


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


class _Stage:
    """The gang while the script runs. Everything that happens goes through ``add``."""

    def __init__(
        self, book: Book, roster: Roster, next_id: int, situation: Situation, answers: Answers
    ) -> None:
        self.book = book
        self.roster = roster
        self.first_id = self.next_id = next_id
        self.situation = situation
        self.answers = answers
        self.entries: list[Entry] = []
        self.rolls: list[Asked] = []

    def add(self, entry: Entry) -> None:
        """Let an entry happen."""
        self.roster = apply(self.book, self.roster, self.next_id, entry)
        self.entries.append(entry)
        self.next_id += 1

    def find(self, member: int) -> Member | None:
        """A member of the gang, if he still is one."""
        return next((found for found in self.roster.members if found.id == member), None)

    def run(self, step: AnyStep) -> StepState:
        """Play one step as far as the answers reach."""
        start = len(self.entries)
        self.rolls = []
        match step:
            case FatesStep():
                state = self._fates(step)
            case ExperienceStep():
                state = self._experience(step)
            case IncomeStep():
                state = self._income(step)
            case CaptivesStep():
                state = self._captives(step)
            case PromotionsStep():
                state = self._promotions(step)
            case RecruitsStep():
                state = self._recruits(step)
        return replace(state, entries=tuple(self.entries[start:]))

    # Fates

    def _fates(self, step: FatesStep) -> StepState:
        known = marks(self.book, self.roster.settings)
        for key, name in sorted(self.situation.report.marks.items()):
            member = self.find(key)
            if member is None or name not in known:
                continue
            if known[name].dies:
                self.add(kinds.Died(member=member.id))
            elif step.table is not None:
                self._roll_on(self.book.table[step.table], member, f"{step.key}:{member.id}", 0)
        rolls = tuple(self.rolls)
        waits = any(asked.roll is None for asked in rolls)
        return StepState(step, _status(waits), rolls=rolls)

    def _roll_on(self, table: DiceTable, member: Member, path: str, depth: int) -> bool:
        """Roll on a table and let the outcomes happen; False if a roll is still to be made."""
        path = f"{path}:{table.key}"
        roll = self._ask(Asked(path, member, table.dice, table=table))
        if roll is None:
            return False
        row = look_up(table, roll)
        self.rolls[-1] = replace(self.rolls[-1], row=row)
        self.add(kinds.Rolled(member=member.id, table=table.key, roll=roll))
        for number, outcome in enumerate(row.outcomes):
            current = self.find(member.id)
            if current is None:
                break
            if not self._happen(outcome, current, f"{path}:{number}", depth):
                return False
        return True

    def _happen(self, outcome: Outcome, member: Member, path: str, depth: int) -> bool:
        match outcome:
            case Dies():
                self.add(kinds.Died(member=member.id))
            case Suffers():
                condition = self.book.condition[outcome.condition]
                self.add(
                    kinds.Suffered(member=member.id, condition=condition.key, games=condition.games)
                )
            case LosesItem():
                return self._lose_item(outcome, member, path)
            case Learns():
                return self._learn_from_fate(outcome, member, path)
            case RollsOn() if depth < DEEPEST:
                return self._roll_on(self.book.table[outcome.table], member, path, depth + 1)
        return True

    def _lose_item(self, outcome: LosesItem, member: Member, path: str) -> bool:
        known = extended(self.book, self.roster).item
        items = tuple(owned for owned in member.items if known[owned.key].group in outcome.groups)
        if not items:
            return True
        if len(items) == 1:
            self.add(kinds.ItemLost(member=member.id, item=items[0].id))
            return True
        dice = f"1d{len(items)}"
        roll = self._ask(Asked(f"{path}:{dice}", member, dice, items=items))
        if roll is None:
            return False
        self.add(kinds.ItemLost(member=member.id, item=items[roll.total - 1].id, roll=roll))
        return True

    def _learn_from_fate(self, outcome: Learns, member: Member, path: str) -> bool:
        if "d" not in outcome.amount:
            self._learn(member, int(outcome.amount))
            return True
        roll = self._ask(Asked(f"{path}:{outcome.amount}", member, outcome.amount))
        if roll is None:
            return False
        self._learn(member, roll.total, roll=roll)
        return True

    def _ask(self, asked: Asked) -> Roll | None:
        """The roll that was answered, if it is one of these dice; either way it is listed."""
        roll = self.answers.rolls.get(asked.key)
        if roll is not None and roll.dice != asked.dice:
            roll = None
        self.rolls.append(replace(asked, roll=roll))
        return roll

    # Experience and money

    def _learn(
        self, member: Member, amount: int, *, award: str | None = None, roll: Roll | None = None
    ) -> None:
        growth = self.book.campaign.growth
        ceiling = 0
        if growth and growth.ceiling:
            ceiling = int(self.roster.settings.get(growth.ceiling, 0))
        if ceiling:
            amount = min(amount, max(0, ceiling - member.experience))
        if amount:
            self.add(kinds.Learned(member=member.id, amount=amount, award=award, roll=roll))

    def _experience(self, step: ExperienceStep) -> StepState:
        fielded = self.situation.report.fielded
        for award in self.book.in_force(self.book.campaign.awards, self.roster.settings):
            if not self._deserved(award):
                continue
            for member in self.roster.members:
                if award.everyone or member.id in fielded:
                    times = self._times(award, member.id)
                    self._learn(member, award.amount * times, award=award.key)
        return StepState(step, "done")

    def _deserved(self, award: Award) -> bool:
        situation = self.situation
        if award.sides and situation.side not in award.sides:
            return False
        if award.underdog is None:
            return True
        least = situation.rating * award.underdog
        return any(rating * 100 >= least for rating in situation.opponents)

    def _times(self, award: Award, member: int) -> int:
        """How often a member gets the award: once, or per point of its tally."""
        if award.each is None:
            return 1
        report = self.situation.report
        if award.each in report.tallies:
            return report.tallies[award.each]
        return report.counts.get(award.each, {}).get(member, 0)

    def _income(self, step: IncomeStep) -> StepState:
        for earned in income(self.book, self.roster.settings, self.situation):
            self.add(earned)
        return StepState(step, "done")

    # Decisions

    def _captives(self, step: CaptivesStep) -> StepState:
        captives: list[Captive] = []
        refused: list[Unmet] = []
        for member in self.roster.members:
            held = [suffered.condition for suffered in member.afflictions]
            if step.condition not in held:
                continue
            price = member_rating(self.book, self.roster, member).own
            refusal = self._too_dear(price)
            decided = self.answers.captives.get(member.id)
            captives.append(Captive(member, price, refusal, decided))
            if decided == "lost":
                self.add(kinds.Died(member=member.id))
            elif decided == "ransom" and refusal is not None:
                refused.append(Unmet(refusal))
            elif decided in ("ransom", "freed"):
                paid = price if decided == "ransom" else 0
                self.add(kinds.Recovered(member=member.id, condition=step.condition, paid=paid))
        waits = bool(refused) or any(captive.decided is None for captive in captives)
        return StepState(step, _status(waits), captives=tuple(captives), refused=tuple(refused))

    def _promotions(self, step: PromotionsStep) -> StepState:
        rows = self.book.in_force(self.book.campaign.promotions, self.roster.settings)
        by_key = {row.key: row for row in rows}
        chosen: dict[str, list[tuple[int, Member]]] = {row.key: [] for row in rows}
        risen: set[int] = set()
        refused: list[Unmet] = []
        for place, ascent in enumerate(self.answers.promotions):
            promotion = by_key.get(ascent.promotion)
            if promotion is None or ascent.member not in self._candidates(promotion, risen):
                refused.append(Unmet(Refusal("gone"), place, ascent))
                continue
            refusal = self._cannot_rise(promotion)
            if refusal is not None:
                refused.append(Unmet(refusal, place, ascent))
                continue
            chosen[promotion.key].append((place, self.roster.member(ascent.member)))
            risen.add(ascent.member)
            self._promote(promotion, ascent.member)
        rises = [
            Rise(
                promotion,
                tuple(map(self.roster.member, self._candidates(promotion, risen))),
                tuple(chosen[promotion.key]),
                self._cannot_rise(promotion),
            )
            for promotion in rows
        ]
        possible = any(rise.chosen or (rise.candidates and not rise.refusal) for rise in rises)
        waits = bool(refused) or (possible and step.key not in self.answers.done)
        return StepState(step, _status(waits), rises=tuple(rises), refused=tuple(refused))

    def _candidates(self, promotion: Promotion, risen: set[int]) -> list[int]:
        """Those who can be promoted: of the right rank, in the gang before this post-game, and
        not promoted in it already."""
        return [
            member.id
            for member in self.roster.members
            if member.rank == promotion.start
            and member.id < self.first_id
            and member.id not in risen
        ]

    def _cannot_rise(self, promotion: Promotion) -> Refusal | None:
        count = sum(member.rank == promotion.to for member in self.roster.members)
        if count >= promotion.below:
            rank = self.book.rank[promotion.to].name
            return Refusal("promotion_full", rank=rank, maximum=promotion.below)
        return self._too_dear(promotion.price)

    def _promote(self, promotion: Promotion, member: int) -> None:
        self.add(
            kinds.Promoted(
                member=member,
                rank=promotion.to,
                paid=promotion.price,
                keeps_price=promotion.keeps_price,
            )
        )

    def _recruits(self, step: RecruitsStep) -> StepState:
        chosen: list[tuple[int, Hire]] = []
        refused: list[Unmet] = []
        for place, hire in enumerate(self.answers.recruits):
            try:
                made = recruit(Scene.of(self.book, self.roster), hire.rank, hire.name)
            except Refusal as refusal:
                refused.append(Unmet(refusal, place, hire))
            else:
                chosen.append((place, hire))
                for entry in made:
                    self.add(entry)
        on_offer = tuple(offers.ranks(Scene.of(self.book, self.roster)))
        hiring = Hiring(on_offer, tuple(chosen), recruits_left(self.book, self.roster))
        possible = chosen or any(offer.refusal is None for offer in on_offer)
        waits = bool(refused) or (possible and step.key not in self.answers.done)
        return StepState(step, _status(waits), hiring=hiring, refused=tuple(refused))

    def _too_dear(self, price: int) -> Refusal | None:
        missing = price - self.roster.treasury
        return Refusal("too_dear", missing=missing) if price and missing > 0 else None


def _status(waits: bool) -> Status:
    return "open" if waits else "done"
