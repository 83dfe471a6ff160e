"""Answering: each function changes the answers of a post-game by one thing, or refuses."""

from __future__ import annotations

from typing import Literal

from pydantic import ValidationError

from campaigns.engine.report import Answers
from campaigns.engine.rolls import Change
from campaigns.engine.script_state import Playthrough
from common.errors import Refusal


def roll(playthrough: Playthrough, answers: Answers, change: Change) -> Answers:
    """Throw dice, take over what was rolled at the table, or forget it, as ``change`` does.

    Raises what that raises: Refusal, and BadFaces if dice cannot show what was typed in.
    """
    return _changed(answers, rolls=change(playthrough.requests, answers.rolls))


def choose(playthrough: Playthrough, answers: Answers, key: str, value: str) -> Answers:
    """Choose one of the things that a question offers; no ``value`` takes the answer back."""
    question = playthrough.questions.get(key)
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
    playthrough: Playthrough, answers: Answers, promotion: str, member: int, how: str = ""
) -> Answers:
    """Promote a member. Whether the promotion is to be had, the script says.

    ``how``: who makes room where the place is taken, as in ``PromotionAnswer``.
    """
    offered = {offer.promotion.key for state in playthrough.steps for offer in state.promotions}
    if promotion not in offered:
        raise Refusal("not_offered")
    answer = {"promotion": promotion, "member": member, "how": how}
    return _changed(answers, promotions=(*answers.promotions, answer))


def hire(
    playthrough: Playthrough,
    answers: Answers,
    rank: str,
    name: str,
    origin: str | None = None,
    profession: str | None = None,
) -> Answers:
    """Recruit somebody. Whether they can be had, the script says."""
    hired = {"rank": rank, "name": name, "origin": origin, "profession": profession}
    return _changed(answers, recruits=(*answers.recruits, hired))


def take_back(
    playthrough: Playthrough, answers: Answers, what: Literal["promotions", "recruits"], place: int
) -> Answers:
    """Take the promotion or the recruit at this place of the answers back."""
    decided = enumerate(getattr(answers, what))
    return _changed(
        answers, **{what: tuple(answer for number, answer in decided if number != place)}
    )


def finish(playthrough: Playthrough, answers: Answers, step: str) -> Answers:
    """Declare a step finished."""
    key = playthrough.step(step).step.key
    return _changed(answers, done=tuple(dict.fromkeys((*answers.done, key))))


def reopen(playthrough: Playthrough, answers: Answers, step: str) -> Answers:
    """Go back to a step that was declared finished."""
    return _changed(answers, done=tuple(key for key in answers.done if key != step))


def _changed(answers: Answers, **values: object) -> Answers:
    """The answers with other values, checked as if they had just come in."""
    try:
        return Answers.model_validate({**dict(answers), **values})
    except ValidationError:
        raise Refusal("not_offered") from None
