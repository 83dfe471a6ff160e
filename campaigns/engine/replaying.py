"""Playing a post-game again from kept answers and dice, without a player."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from campaigns.engine.report import Answers, GameReport, PromotionAnswer
from campaigns.engine.script import play
from campaigns.engine.script_state import Playthrough, StepState, Unmet
from gangs.engine.corrections.replaying import Playback
from gangs.engine.roster import Roster
from rules.book.model import Book


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
