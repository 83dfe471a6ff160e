"""Answering: each function changes the answers of a post-game by one thing, or refuses."""

from __future__ import annotations

from pydantic import ValidationError

from campaigns.situation import Answers
from campaigns.steps import Asked, Playthrough, StepState
from gangs.refusal import Refusal
from rules.dice import Roll, Thrower, fair, throw, typed
from rules.season import CaptivesStep


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
    names = asked.table.spellings if asked.table else []
    return _with_roll(answers, key, typed(asked.dice, faces, names))


def correct(through: Playthrough, answers: Answers, key: str) -> Answers:
    """Forget a roll that was typed in; what the application threw stands."""
    if _asked(through, key).is_final:
        raise Refusal("roll_final")
    rolls = {name: roll for name, roll in answers.rolls.items() if name != key}
    return _changed(answers, rolls=rolls)


def choose(through: Playthrough, answers: Answers, key: str, option: int) -> Answers:
    """Choose one of the options of a question."""
    question = through.questions.get(key)
    if question is None or not 0 <= option < len(question.options):
        raise Refusal("gone")
    refusal = question.refusals[option]
    if refusal is not None:
        raise refusal
    return _changed(answers, choices={**answers.choices, key: option})


def take_advance(through: Playthrough, answers: Answers, key: str, trait: str) -> Answers:
    """Say which trait an advance is; an empty one takes the answer back."""
    advance = through.advances.get(key)
    if advance is None:
        raise Refusal("gone")
    kept = {name: value for name, value in answers.advances.items() if name != key}
    if not trait:
        return _changed(answers, advances=kept)
    for offer in advance.offers:
        if offer.row.key == trait:
            if offer.refusal is not None:
                raise offer.refusal
            return _changed(answers, advances={**kept, key: trait})
    raise Refusal("not_offered")


def succeed(through: Playthrough, answers: Answers, succession: str, member: int) -> Answers:
    """Say who of several equals takes over a post."""
    vacancy = through.vacancies.get(succession)
    if vacancy is None or member not in {heir.id for heir in vacancy.candidates}:
        raise Refusal("gone")
    return _changed(answers, successors={**answers.successors, succession: member})


def decide_captive(through: Playthrough, answers: Answers, member: int, decision: str) -> Answers:
    """Say that a captive was rescued in the game, give him up, or let him stay where he is."""
    held = {one.member.id: (one, state) for state in through.steps for one in state.captives}
    if member not in held:
        raise Refusal("gone")
    captive, state = held[member]
    rescue = isinstance(state.step, CaptivesStep) and state.step.rescue and not captive.fresh
    if decision == "ransom" or (decision == "freed" and not rescue):
        raise Refusal("not_offered")
    return _changed(answers, captives={**answers.captives, member: decision})


def promote(
    through: Playthrough, answers: Answers, promotion: str, member: int, how: str = ""
) -> Answers:
    """Promote a member. Whether the promotion is to be had, the script says.

    ``how``: who makes room where the place is taken, as in ``Ascent``.
    """
    if promotion not in {rise.promotion.key for state in through.steps for rise in state.rises}:
        raise Refusal("not_offered")
    ascent = {"promotion": promotion, "member": member, "how": how}
    return _changed(answers, promotions=(*answers.promotions, ascent))


def unpromote(through: Playthrough, answers: Answers, place: int) -> Answers:
    """Take the promotion at this place of the answers back."""
    kept = [ascent for number, ascent in enumerate(answers.promotions) if number != place]
    return _changed(answers, promotions=tuple(kept))


def hire(
    through: Playthrough, answers: Answers, rank: str, name: str, origin: str | None = None
) -> Answers:
    """Recruit somebody. Whether he can be had, the script says."""
    hired = {"rank": rank, "name": name, "origin": origin}
    return _changed(answers, recruits=(*answers.recruits, hired))


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
