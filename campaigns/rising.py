"""Rising: advances that experience earned, promotions, and posts that must be filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from campaigns.situation import Ascent
from campaigns.stage import Stage, status
from campaigns.steps import Advance, Asked, Rise, StepState, Unmet, Vacancy
from gangs import entries as kinds
from gangs import offers
from gangs.refusal import Refusal
from gangs.roster import Member
from rules.dice import parse
from rules.season import AdvancesStep, Promotion, PromotionsStep, Succession, SuccessionStep

MOST_ADVANCES = 60


def play_advances(stage: Stage, step: AdvancesStep) -> StepState:
    """Who has earned advances takes them, one after the other."""
    advancement = stage.book.campaign.advancement
    assert advancement is not None
    listed: list[Advance] = []
    kept: list[Member] = []
    for known in stage.roster.members:
        if not stage.picks(advancement.of, known):
            continue
        for _ in range(MOST_ADVANCES):
            member = stage.roster.member(known.id)
            if member.experience_at_rank // advancement.experience <= member.advances:
                break
            advance = _advance(stage, step, member)
            if advance is not None:
                listed.append(advance)
            if stage.roster.member(known.id).advances == member.advances:
                if advance is None:
                    kept.append(member)
                break
    waits = any(advance.chosen is None for advance in listed)
    return StepState(step, status(waits), advances=tuple(listed), kept=tuple(kept))


def _advance(stage: Stage, step: AdvancesStep, member: Member) -> Advance | None:
    """Take the member's next advance, or ask which trait it is to be; None: there is no choice."""
    advancement = stage.book.campaign.advancement
    assert advancement is not None
    if advancement.cycle[member.advances % len(advancement.cycle)] == "rank":
        for promotion in _in_force(stage, "advance"):
            if _may_rise(stage, promotion, member) and _cannot_rise(stage, promotion) is None:
                _promote(stage, promotion, member)
                return None
    on_offer = offers.advances(stage.scene(), member)
    if all(offer.refusal is not None for offer in on_offer):
        return None
    key = f"{step.key}:{member.id}:{member.experience_before}:{member.advances}"
    answer = stage.answers.advances.get(key)
    for offer in on_offer:
        if offer.row.key == answer and offer.refusal is None:
            taken = kinds.TraitTaken(member=member.id, trait=offer.row.key, advance=True)
            stage.add(taken)
            return Advance(key, member, tuple(on_offer), offer.row)
    return Advance(key, member, tuple(on_offer), None)


def play_promotions(stage: Stage, step: PromotionsStep) -> StepState:
    """The promotions that are no choice, then those that were decided, as far as they fit."""
    rows = _in_force(stage, "choice", "experience", "full")
    by_key = {row.key: row for row in rows}
    chosen: dict[str, list[tuple[int, Member]]] = {row.key: [] for row in rows}
    risen: set[int] = set()
    for promotion in rows:
        if promotion.required:
            _promote_all(stage, promotion, risen)
    for place, ascent in enumerate(stage.answers.promotions):
        row = by_key.get(ascent.promotion)
        if row is None or ascent.member not in _ids(_candidates(stage, row, risen)):
            stage.refused.append(Unmet(Refusal("gone"), place, ascent))
            continue
        member = stage.roster.member(ascent.member)
        refusal = _ascend(stage, step, row, member, ascent)
        if refusal is not None:
            stage.refused.append(Unmet(refusal, place, ascent))
            continue
        chosen[row.key].append((place, member))
        risen.add(ascent.member)
    rises = [_rise(stage, row, tuple(chosen[row.key]), risen) for row in rows]
    open_rises = [rise for rise in rises if rise.candidates and not rise.refusal]
    possible = any(rise.chosen for rise in rises) or bool(open_rises)
    state = StepState(
        step,
        "done",
        rolls=tuple(stage.rolls),
        rises=tuple(rises),
        refused=tuple(stage.refused),
    )
    waits = (
        bool(state.refused or state.waiting)
        or state.must_rise
        or (possible and step.key not in stage.answers.done)
    )
    return replace(state, status=status(waits))


def _in_force(stage: Stage, *triggers: str) -> list[Promotion]:
    rows = stage.book.in_force(stage.book.campaign.promotions, stage.roster.settings)
    return [row for row in rows if row.trigger in triggers]


def _ids(members: Sequence[Member]) -> set[int]:
    return {member.id for member in members}


def _may_rise(stage: Stage, promotion: Promotion, member: Member) -> bool:
    """Whether the member is of the right rank and has what the promotion's trigger asks for."""
    if member.rank != promotion.start or not stage.picks(promotion.of, member):
        return False
    if promotion.trigger == "experience":
        return member.experience_at_rank >= promotion.experience
    if promotion.trigger == "full":
        most = stage.book.rank[member.rank].experience
        return most is not None and member.experience_at_rank >= most
    return True


def _candidates(stage: Stage, promotion: Promotion, risen: set[int]) -> list[Member]:
    """Those who can be promoted: in the gang before this post-game, not promoted in it already."""
    return [
        member
        for member in stage.roster.members
        if member.id in stage.there
        and member.id not in risen
        and _may_rise(stage, promotion, member)
    ]


def _holders(stage: Stage, promotion: Promotion) -> list[Member]:
    return [member for member in stage.roster.members if member.rank == promotion.to]


def _is_full(stage: Stage, promotion: Promotion) -> bool:
    return promotion.to is not None and len(_holders(stage, promotion)) >= promotion.below


def _cannot_rise(stage: Stage, promotion: Promotion) -> Refusal | None:
    if promotion.to is not None and _is_full(stage, promotion) and not promotion.displaces:
        rank = stage.book.rank[promotion.to].name
        return Refusal("promotion_full", rank=rank, maximum=promotion.below)
    return stage.too_dear(promotion.price)


def _rise(
    stage: Stage, promotion: Promotion, chosen: tuple[tuple[int, Member], ...], risen: set[int]
) -> Rise:
    rivals = _holders(stage, promotion) if _is_full(stage, promotion) else []
    return Rise(
        promotion,
        tuple(_candidates(stage, promotion, risen)),
        chosen,
        _cannot_rise(stage, promotion),
        tuple(rivals) if promotion.displaces else (),
        promotion.required,
    )


def _promote_all(stage: Stage, promotion: Promotion, risen: set[int]) -> None:
    """Carry out a promotion that is no choice, unless there are more candidates than places."""
    candidates = _candidates(stage, promotion, risen)
    room = promotion.below - len(_holders(stage, promotion)) if promotion.to else len(candidates)
    if len(candidates) <= room and stage.too_dear(promotion.price * len(candidates)) is None:
        for member in candidates:
            _promote(stage, promotion, member)
            risen.add(member.id)


def _ascend(
    stage: Stage, step: PromotionsStep, promotion: Promotion, member: Member, ascent: Ascent
) -> Refusal | None:
    """Carry out what was decided; says why not if it cannot be."""
    refusal = _cannot_rise(stage, promotion)
    if refusal is not None:
        return refusal
    if _is_full(stage, promotion):
        holder = min(_holders(stage, promotion), key=lambda other: other.id)
        if ascent.how == "dice" and promotion.dice is not None:
            key = f"{step.key}:{promotion.key}:{member.id}"
            roll = stage.ask(Asked(key, member, promotion.dice, "rivals"))
            if roll is None:
                return None
            count, sides = parse(promotion.dice)
            if 2 * roll.total > count * (sides + 1):
                _depart(stage, promotion, member)
                return None
        elif ascent.how != "sent_away":
            return Refusal("place_taken", who=holder.name or stage.book.rank[holder.rank].name)
        _depart(stage, promotion, holder)
    _promote(stage, promotion, member)
    return None


def _depart(stage: Stage, promotion: Promotion, member: Member) -> None:
    assert promotion.departure is not None
    stage.add(kinds.Left(member=member.id, departure=promotion.departure))


def _promote(stage: Stage, promotion: Promotion, member: Member) -> None:
    if promotion.to is None:
        _depart(stage, promotion, member)
        return
    stage.add(
        kinds.Promoted(
            member=member.id,
            rank=promotion.to,
            paid=promotion.price,
            keeps_price=promotion.keeps_price,
            profile=promotion.profile,
            restarts=promotion.restarts,
            advance=promotion.trigger == "advance",
        )
    )


def play_succession(stage: Stage, step: SuccessionStep) -> StepState:
    """Every post that nobody holds gets somebody, if there is anybody."""
    vacancies: list[Vacancy] = []
    rows = stage.book.in_force(stage.book.campaign.successions, stage.roster.settings)
    for succession in rows:
        if any(stage.picks(succession.post, member) for member in stage.roster.members):
            continue
        heirs = _heirs(stage, succession)
        if not heirs:
            continue
        chosen = heirs[0]
        if len(heirs) > 1:
            answer = stage.answers.successors.get(succession.key)
            found = next((heir for heir in heirs if heir.id == answer), None)
            vacancies.append(Vacancy(succession, tuple(heirs), found))
            if found is None:
                continue
            chosen = found
        _succeed(stage, succession, chosen)
    waits = any(vacancy.chosen is None for vacancy in vacancies)
    return StepState(step, status(waits), vacancies=tuple(vacancies))


def _heirs(stage: Stage, succession: Succession) -> list[Member]:
    """Those who come first; several are equals, of whom the player chooses."""
    order = [rank.key for rank in stage.book.ranks]

    def merit(member: Member) -> tuple[int, ...]:
        merits = {"rank": -order.index(member.rank), "experience": member.experience}
        return tuple(merits[name] for name in succession.by)

    among = [member for member in stage.roster.members if stage.picks(succession.among, member)]
    most = max(map(merit, among), default=())
    return [member for member in among if merit(member) == most]


def _succeed(stage: Stage, succession: Succession, member: Member) -> None:
    if succession.trait is not None:
        stage.add(kinds.TraitTaken(member=member.id, trait=succession.trait))
        return
    assert succession.to is not None
    stage.add(
        kinds.Promoted(
            member=member.id,
            rank=succession.to,
            keeps_price=succession.keeps_price,
            profile=succession.profile,
            restarts=succession.restarts,
        )
    )
