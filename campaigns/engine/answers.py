"""Answering: each function changes the answers of a post-game by one thing, or refuses."""

from __future__ import annotations

from typing import Literal

from pydantic import ValidationError

from campaigns.engine.report import Answers
from campaigns.engine.rolls import Change
from campaigns.engine.script_state import Playthrough
from common.errors import Refusal


def roll(playthrough: Playthrough, answers: Answers, change: Change) -> Answers:
    """Throw dice, enter a roll made at the table, or forget one, as ``change`` does.

    Raises the errors of ``change``: Refusal, and BadFaces for faces that the dice cannot show.
    """
    return _change(answers, rolls=change(playthrough.requests, answers.rolls))


def choose(playthrough: Playthrough, answers: Answers, key: str, value: str) -> Answers:
    """Choose one of a question's options; an empty ``value`` takes the answer back."""
    question = playthrough.questions.get(key)
    if question is None:
        raise Refusal("gone")
    kept = {name: chosen for name, chosen in answers.choices.items() if name != key}
    if not value:
        return _change(answers, choices=kept)
    choice = next((choice for choice in question.choices if choice.value == value), None)
    if choice is None:
        raise Refusal("not_offered")
    if choice.refusal is not None:
        raise choice.refusal
    return _change(answers, choices={**kept, key: value})


def promote(
    playthrough: Playthrough, answers: Answers, promotion: str, member: int, how: str = ""
) -> Answers:
    """Promote a member. The script decides later whether they can have the promotion.

    ``how``: who makes room if all places are taken, as in ``PromotionAnswer``.
    """
    offered = {offer.promotion.key for state in playthrough.steps for offer in state.promotions}
    if promotion not in offered:
        raise Refusal("not_offered")
    answer = {"promotion": promotion, "member": member, "how": how}
    return _change(answers, promotions=(*answers.promotions, answer))


def hire(
    playthrough: Playthrough,
    answers: Answers,
    rank: str,
    name: str,
    origin: str | None = None,
    profession: str | None = None,
    owner: int | None = None,
) -> Answers:
    """Recruit somebody. The script decides later whether the gang can have them."""
    hired = {
        "rank": rank,
        "name": name,
        "origin": origin,
        "profession": profession,
        "owner": owner,
    }
    return _change(answers, recruits=(*answers.recruits, hired))


def take_back(
    playthrough: Playthrough, answers: Answers, what: Literal["promotions", "recruits"], place: int
) -> Answers:
    """Take back the promotion or the recruit at this place of the answers."""
    decided = enumerate(getattr(answers, what))
    kept = tuple(answer for number, answer in decided if number != place)
    return _change(answers, **{what: kept})


def finish(playthrough: Playthrough, answers: Answers, step: str) -> Answers:
    """Declare a step finished."""
    key = playthrough.step(step).step.key
    return _change(answers, done=tuple(dict.fromkeys((*answers.done, key))))


def reopen(playthrough: Playthrough, answers: Answers, step: str) -> Answers:
    """Go back to a step that was declared finished."""
    return _change(answers, done=tuple(key for key in answers.done if key != step))


def _change(answers: Answers, **values: object) -> Answers:
    """Return the answers with other values, validated like new input."""
    try:
        return Answers.model_validate({**dict(answers), **values})
    except ValidationError:
        raise Refusal("not_offered") from None
