"""Answering: each function changes the answers of a post-game by one thing, or refuses."""

from __future__ import annotations

from typing import Literal

from pydantic import ValidationError

from campaigns.engine import rolls
from campaigns.engine.report import Answers
from campaigns.engine.script_state import Playthrough, StepState
from common.errors import Refusal
from rules.engine.dice import Thrower, fair


def roll_for_me(through: Playthrough, answers: Answers, key: str, by: Thrower = fair) -> Answers:
    """Let the application throw. What it has thrown stands, however often it is asked."""
    return _changed(answers, rolls=rolls.throw_one(through.asked, answers.rolls, key, by))


def roll_all(through: Playthrough, answers: Answers, step: str, by: Thrower = fair) -> Answers:
    """Let the application throw all the dice that a step still waits for."""
    waiting = _step(through, step).waiting
    return _changed(answers, rolls=rolls.throw_all(waiting, answers.rolls, by))


def i_rolled(through: Playthrough, answers: Answers, key: str, faces: str) -> Answers:
    """Take over what was rolled at the table. Raises BadRoll if the dice cannot show that."""
    return _changed(answers, rolls=rolls.take_over(through.asked, answers.rolls, key, faces))


def correct(through: Playthrough, answers: Answers, key: str) -> Answers:
    """Forget a roll that was typed in; what the application threw stands."""
    return _changed(answers, rolls=rolls.forget(through.asked, answers.rolls, key))


def choose(through: Playthrough, answers: Answers, key: str, value: str) -> Answers:
    """Choose one of the things that a question offers; no ``value`` takes the answer back."""
    question = through.questions.get(key)
    if question is None:
        raise Refusal("gone")
    kept = {name: chosen for name, chosen in answers.choices.items() if name != key}
    if not value:
        return _changed(answers, choices=kept)
    choice = next((choice for choice in question.choices if choice.value == value), None)
    if choice is None:
        raise Refusal("not_offered")
    if choice.refusal is not None:
        raise choice.refusal
    return _changed(answers, choices={**kept, key: value})


def promote(
    through: Playthrough, answers: Answers, promotion: str, member: int, how: str = ""
) -> Answers:
    """Promote a member. Whether the promotion is to be had, the script says.

    ``how``: who makes room where the place is taken, as in ``PromotionAnswer``.
    """
    offered = {offer.promotion.key for state in through.steps for offer in state.promotions}
    if promotion not in offered:
        raise Refusal("not_offered")
    answer = {"promotion": promotion, "member": member, "how": how}
    return _changed(answers, promotions=(*answers.promotions, answer))


def hire(
    through: Playthrough, answers: Answers, rank: str, name: str, origin: str | None = None
) -> Answers:
    """Recruit somebody. Whether they can be had, the script says."""
    hired = {"rank": rank, "name": name, "origin": origin}
    return _changed(answers, recruits=(*answers.recruits, hired))


def take_back(
    through: Playthrough, answers: Answers, what: Literal["promotions", "recruits"], place: int
) -> Answers:
    """Take the promotion or the recruit at this place of the answers back."""
    decided = enumerate(getattr(answers, what))
    return _changed(answers, **{what: tuple(one for number, one in decided if number != place)})


def finish(through: Playthrough, answers: Answers, step: str) -> Answers:
    """Declare a step finished."""
    key = _step(through, step).step.key
    return _changed(answers, done=tuple(dict.fromkeys((*answers.done, key))))


def reopen(through: Playthrough, answers: Answers, step: str) -> Answers:
    """Go back to a step that was declared finished."""
    return _changed(answers, done=tuple(key for key in answers.done if key != step))


def _step(through: Playthrough, key: str) -> StepState:
    try:
        return through.step(key)
    except KeyError:
        raise Refusal("gone") from None


def _changed(answers: Answers, **values: object) -> Answers:
    """The answers with other values, checked as if they had just come in."""
    try:
        return Answers.model_validate({**dict(answers), **values})
    except ValidationError:
        raise Refusal("not_offered") from None
