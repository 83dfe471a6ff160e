"""Advancement: advances that experience earned, promotions, and posts that must be filled."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from campaigns.engine.outcomes import find_rise, roll_on
from campaigns.engine.report import PromotionAnswer
from campaigns.engine.script_state import (
    Choice,
    PromotionOffer,
    Question,
    RollRequest,
    ScriptRun,
    StepState,
    Unanswered,
    Unmet,
)
from common.errors import Refusal
from gangs.engine import entries as kinds
from gangs.engine import offers
from gangs.engine.groups import is_together
from gangs.engine.roster import Member
from gangs.engine.validation import may_have_again
from rules.book.advancement import AnyAdvancement
from rules.book.season import AdvancesStep, Promotion, PromotionsStep, Succession, SuccessionStep
from rules.engine.dice import parse
from rules.engine.figure import advancement_of

MOST_ADVANCES = 60


# Advances


def play_advances(run: ScriptRun, step: AdvancesStep) -> StepState:
    """Let every member take the advances that they have earned, one after the other."""
    kept: list[Member] = []
    # Members whose group takes an advance together, for which an answer is missing.
    waiting: set[int] = set()
    for known in run.roster.members:
        if known.id in waiting:
            continue
        with suppress(Unanswered):
            advancement = _advancement_of(run, known)
            for _ in range(MOST_ADVANCES if advancement else 0):
                member = run.find(known.id)
                if member is None:
                    break
                # A promotion may lead to other thresholds, or to a rank without advances.
                advancement = _advancement_of(run, member) or advancement
                assert advancement is not None
                if advancement.count(member.experience_at_rank) <= member.advances:
                    break
                mates = _find_mates(run, member, advancement)
                waiting |= {mate.id for mate in mates}
                _advance_together(run, step, member, mates, advancement)
                waiting -= {mate.id for mate in mates}
                if run.find(known.id) == member:
                    kept.append(member)
                    break
    return run.finish(step, kept=kept)


def _find_mates(run: ScriptRun, member: Member, advancement: AnyAdvancement) -> list[Member]:
    """The other members of a group who take the member's next advance with them."""
    if not (advancement.group and is_together(run.book, member)):
        return []

    def place(one: Member) -> tuple[object, ...]:
        return one.rank, one.squad, one.experience_at_rank, one.advances

    return [
        one for one in run.roster.members if one.id != member.id and place(one) == place(member)
    ]


def _advance_together(
    run: ScriptRun,
    step: AdvancesStep,
    member: Member,
    mates: Sequence[Member],
    advancement: AnyAdvancement,
) -> None:
    """Take the member's next advance, and give their ``mates`` what it brings. If it makes the
    member leave the rank, the others have an advance of their own."""
    began = len(run.played)
    run.mates = tuple(mates)
    try:
        _advance(run, step, member, advancement)
    finally:
        run.mates = ()
    after = run.find(member.id)
    if after is None or after.rank != member.rank:
        return
    brought = [played.entry for played in run.played[began:]]
    for mate in mates:
        for entry in brought:
            if getattr(entry, "member", None) == member.id:
                _share(run, entry, mate.id)


def _share(run: ScriptRun, entry: kinds.Entry, mate: int) -> None:
    """Give a member what an advance brought somebody else in the group."""
    member = run.roster.member(mate)
    match entry:
        case kinds.Rolled(advance=True) | kinds.Learned() | kinds.Suffered():
            run.add(entry.model_copy(update={"member": mate}))
        case kinds.TraitTaken(trait=trait):
            figure = run.roster.figure(run.book, member)
            if may_have_again(run.book, figure, run.book.trait[trait]):
                run.add(entry.model_copy(update={"member": mate}))
        case kinds.Rose(characteristic=characteristic, amount=amount):
            if amount := find_rise(run, member, characteristic, amount):
                run.add(entry.model_copy(update={"member": mate, "amount": amount}))


def _advancement_of(run: ScriptRun, member: Member) -> AnyAdvancement | None:
    return advancement_of(run.rules, run.roster.figure(run.book, member))


def _advance(
    run: ScriptRun, step: AdvancesStep, member: Member, advancement: AnyAdvancement
) -> None:
    """Take the member's next advance: a roll, a promotion, or a trait if there is one to choose."""
    key = f"{step.key}:{member.id}:{member.experience_before}:{member.advances}"
    if advancement.table is not None:
        table = run.book.table[advancement.table]
        roll_on(run, table, member, key, is_advance=True)
        return
    if advancement.cycle[member.advances % len(advancement.cycle)] == "rank":
        for promotion in _promotions(run, "advance"):
            if _is_eligible(run, promotion, member) and _cannot_promote(run, promotion) is None:
                _promote(run, promotion, member)
                return
    on_offer = offers.advances(run.computed(), member)
    if any(offer.refusal is None for offer in on_offer):
        choices = tuple(map(Choice.of_trait, on_offer))
        chosen = run.choose(Question(key, "advance", member, choices))
        run.add(chosen.trait_taken(member, advance=True))


# Promotions


def play_promotions(run: ScriptRun, step: PromotionsStep) -> StepState:
    """Carry out the mandatory promotions, then the player's decisions as far as they fit."""
    rows = {row.key: row for row in _promotions(run, "choice", "experience", "full")}
    chosen: dict[str, list[tuple[int, Member]]] = {key: [] for key in rows}
    promoted: set[int] = set()
    for promotion in rows.values():
        if promotion.required:
            _promote_all(run, promotion, promoted)
    for place, answer in enumerate(run.answers.promotions):
        refusal = _why_not(run, rows.get(answer.promotion), answer, promoted)
        if refusal is not None:
            run.refused.append(Unmet(refusal, place, answer))
            continue
        member = run.roster.member(answer.member)
        chosen[answer.promotion].append((place, member))
        promoted.add(member.id)
        with suppress(Unanswered):
            _promote_chosen(run, step, rows[answer.promotion], member, answer)
    found = [_offer(run, row, chosen[key], promoted) for key, row in rows.items()]
    must = any(offer.required and offer.is_open for offer in found)
    possible = any(offer.chosen or offer.is_open for offer in found)
    waits = must or (possible and step.key not in run.answers.done)
    return run.finish(step, waits=waits, promotions=found)


def _promotions(run: ScriptRun, *triggers: str) -> list[Promotion]:
    return [row for row in run.rules.promotions if row.trigger in triggers]


def _is_eligible(run: ScriptRun, promotion: Promotion, member: Member) -> bool:
    """Whether the member has the right rank and fulfils the promotion's trigger."""
    if member.rank != promotion.start or not run.picks(promotion.of, member):
        return False
    if promotion.trigger == "experience":
        return member.experience_at_rank >= promotion.experience
    if promotion.trigger == "full":
        most = run.book.rank[member.rank].experience
        return most is not None and member.experience_at_rank >= most
    return True


def _candidates(run: ScriptRun, promotion: Promotion, promoted: set[int]) -> list[Member]:
    """Members who can be promoted: in the gang before this post-game, not yet promoted in it."""
    return [
        member
        for member in run.roster.members
        if member.id in run.members_before - promoted and _is_eligible(run, promotion, member)
    ]


def _holders(run: ScriptRun, promotion: Promotion) -> list[Member]:
    return [member for member in run.roster.members if member.rank == promotion.to]


def _is_full(run: ScriptRun, promotion: Promotion) -> bool:
    return promotion.to is not None and len(_holders(run, promotion)) >= promotion.below


def _holder(run: ScriptRun, promotion: Promotion) -> Member:
    """The member who makes room when all places are taken: the longest-serving holder."""
    return min(_holders(run, promotion), key=lambda member: member.id)


def _cannot_promote(run: ScriptRun, promotion: Promotion) -> Refusal | None:
    if promotion.to is not None and _is_full(run, promotion) and not promotion.displaces:
        rank = run.book.rank[promotion.to].name
        return Refusal("promotion_full", rank=rank, maximum=promotion.below)
    return run.too_dear(promotion.price)


def _why_not(
    run: ScriptRun, promotion: Promotion | None, answer: PromotionAnswer, promoted: set[int]
) -> Refusal | None:
    """Why the player's decision cannot be carried out; None if it can."""
    offer = _offer(run, promotion, (), promoted) if promotion else None
    if offer is None or all(member.id != answer.member for member in offer.candidates):
        return Refusal("gone")
    decided = ("sent_away", "dice") if offer.promotion.dice else ("sent_away",)
    if offer.refusal is None and offer.rivals and answer.how not in decided:
        holder = _holder(run, offer.promotion)
        return Refusal("place_taken", who=holder.name_or_rank(run.book))
    return offer.refusal


def _offer(
    run: ScriptRun,
    promotion: Promotion,
    chosen: Sequence[tuple[int, Member]],
    promoted: set[int],
) -> PromotionOffer:
    is_taken = promotion.displaces and _is_full(run, promotion)
    return PromotionOffer(
        promotion,
        tuple(_candidates(run, promotion, promoted)),
        tuple(chosen),
        _cannot_promote(run, promotion),
        tuple(_holders(run, promotion)) if is_taken else (),
    )


def _promote_all(run: ScriptRun, promotion: Promotion, promoted: set[int]) -> None:
    """Carry out a mandatory promotion, unless there are more candidates than places."""
    candidates = _candidates(run, promotion, promoted)
    room = promotion.below - len(_holders(run, promotion)) if promotion.to else len(candidates)
    if len(candidates) <= room and run.too_dear(promotion.price * len(candidates)) is None:
        for member in candidates:
            _promote(run, promotion, member)
            promoted.add(member.id)


def _promote_chosen(
    run: ScriptRun,
    step: PromotionsStep,
    promotion: Promotion,
    member: Member,
    answer: PromotionAnswer,
) -> None:
    """Carry out the player's decision. If all places are taken, somebody leaves."""
    if _is_full(run, promotion):
        leaves = _holder(run, promotion)
        if answer.how == "dice" and promotion.dice is not None:
            key = f"{step.key}:{promotion.key}:{member.id}"
            roll = run.roll(RollRequest(key, member, promotion.dice, "rivals"))
            count, sides = parse(promotion.dice)
            if 2 * roll.total > count * (sides + 1):
                leaves = member
        _depart(run, promotion, leaves)
        if leaves is member:
            return
    _promote(run, promotion, member)


def _depart(run: ScriptRun, promotion: Promotion, member: Member) -> None:
    assert promotion.departure is not None
    run.add(kinds.Left(member=member.id, departure=promotion.departure))


def _promote(run: ScriptRun, row: Promotion | Succession, member: Member) -> None:
    """Give a member the row's rank; a promotion to no rank makes them leave."""
    promotion = row if isinstance(row, Promotion) else None
    if promotion and promotion.to is None:
        _depart(run, promotion, member)
        return
    assert row.to is not None
    run.add(
        kinds.Promoted(
            member=member.id,
            rank=row.to,
            paid=promotion.price if promotion else 0,
            keeps_price=row.keeps_price,
            profile=row.profile,
            restarts=row.restarts,
            advance=promotion is not None and promotion.trigger == "advance",
        )
    )


# Successions


def play_succession(run: ScriptRun, step: SuccessionStep) -> StepState:
    """Fill every vacant post, if the gang has an heir for it."""
    for succession in run.rules.successions:
        if not any(run.picks(succession.post, member) for member in run.roster.members):
            with suppress(Unanswered):
                _succeed(run, succession)
    return run.finish(step)


def _succeed(run: ScriptRun, succession: Succession) -> None:
    """Fill a post; the player chooses among several equal heirs."""
    heirs = {str(member.id): member for member in _heirs(run, succession)}
    if not heirs:
        return
    member = next(iter(heirs.values()))
    if len(heirs) > 1:
        choices = tuple(Choice(key, heir) for key, heir in heirs.items())
        question = Question(succession.key, "succession", None, choices, about=succession)
        member = heirs[run.choose(question).value]
    if succession.trait is not None:
        run.add(kinds.TraitTaken(member=member.id, trait=succession.trait))
    else:
        _promote(run, succession, member)


def _heirs(run: ScriptRun, succession: Succession) -> list[Member]:
    """The members who tie for first place in the succession."""
    order = [rank.key for rank in run.book.ranks]

    def merit(member: Member) -> tuple[int, ...]:
        merits = {"rank": -order.index(member.rank), "experience": member.experience}
        return tuple(merits[name] for name in succession.by)

    among = [member for member in run.roster.members if run.picks(succession.among, member)]
    most = max(map(merit, among), default=())
    return [member for member in among if merit(member) == most]
