"""Answering: each function changes the answers of a post-game by one thing, or refuses."""

from __future__ import annotations

from pydantic import ValidationError

from campaigns.situation import Answers
from campaigns.steps import Asked, Playthrough, StepState
from gangs.refusal import Refusal
from rules.dice import Roll, Thrower, fair, throw, typed


def roll_for_me(through: Playthrough, answers: Answers, key: str, by: Thrower = fair) -> Answers:
    """Let the application throw. What it has thrown stands, however often it is asked."""
    asked = _asked(through, key)
    if asked.roll is not None:
        raise Refusal("roll_final")
    return _with_roll(answers, key, throw(asked.dice, by))


def roll_all(through: Playthrough, answers: Answers, step: str, by: Thrower = fair) -> Answers:
    """Let the application throw all the dice that a step still waits for."""
    for asked in _step(through, step).waiting:
        answers = _with_roll(answers, asked.key, throw(asked.dice, by))
    return answers


def i_rolled(through: Playthrough, answers: Answers, key: str, faces: str) -> Answers:
    """Take over what was rolled at the table. Raises BadRoll if the dice cannot show that."""
    asked = _asked(through, key)
    if asked.roll is not None:
        raise Refusal("roll_final")
    return _with_roll(answers, key, typed(asked.dice, faces))


def correct(through: Playthrough, answers: Answers, key: str) -> Answers:
    """Forget a roll that was typed in; what the application threw stands."""
    if _asked(through, key).is_final:
        raise Refusal("roll_final")
    rolls = {name: roll for name, roll in answers.rolls.items() if name != key}
    return _changed(answers, rolls=rolls)


def decide_captive(through: Playthrough, answers: Answers, member: int, decision: str) -> Answers:
    """Buy a captive free, have him back unpaid, give him up, or let him stay where he is."""
    held = {captive.member.id for state in through.steps for captive in state.captives}
    if member not in held:
        raise Refusal("gone")
    return _changed(answers, captives={**answers.captives, member: decision})


def promote(through: Playthrough, answers: Answers, promotion: str, member: int) -> Answers:
    """Promote a member. Whether the promotion is to be had, the script says."""
    if promotion not in {rise.promotion.key for state in through.steps for rise in state.rises}:
        raise Refusal("not_offered")
    ascent = {"promotion": promotion, "member": member}
    return _changed(answers, promotions=(*answers.promotions, ascent))


def unpromote(through: Playthrough, answers: Answers, place: int) -> Answers:
    """Take the promotion at this place of the answers back."""
    kept = [ascent for number, ascent in enumerate(answers.promotions) if number != place]
    return _changed(answers, promotions=tuple(kept))


def hire(through: Playthrough, answers: Answers, rank: str, name: str) -> Answers:
    """Recruit somebody. Whether he can be had, the script says."""
    return _changed(answers, recruits=(*answers.recruits, {"rank": rank, "name": name}))


def unhire(through: Playthrough, answers: Answers, place: int) -> Answers:
    """Take the recruit at this place of the answers back."""
    kept = [hire for number, hire in enumerate(answers.recruits) if number != place]
    return _changed(answers, recruits=tuple(kept))


def finish(through: Playthrough, answers: Answers, step: str) -> Answers:
    """Declare a step finished."""
    key = _step(through, step).step.key
    return _changed(answers, done=tuple(dict.fromkeys((*answers.done, key))))


def reopen(through: Playthrough, answers: Answers, step: str) -> Answers:
    """Go back to a step that was declared finished."""
    return _changed(answers, done=tuple(key for key in answers.done if key != step))


def _asked(through: Playthrough, key: str) -> Asked:
    try:
        return through.asked[key]
    except KeyError:
        raise Refusal("gone") from None


def _step(through: Playthrough, key: str) -> StepState:
    try:
        return through.step(key)
    except KeyError:
        raise Refusal("gone") from None


def _with_roll(answers: Answers, key: str, roll: Roll) -> Answers:
    return _changed(answers, rolls={**answers.rolls, key: roll})


def _changed(answers: Answers, **values: object) -> Answers:
    """The answers with other values, checked as if they had just come in."""
    try:
        return Answers.model_validate({**dict(answers), **values})
    except ValidationError:
        raise Refusal("not_offered") from None
