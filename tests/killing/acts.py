"""Acts of a process before it is killed, by the functions that a page calls.

Their arguments are those of the page whose button was pressed: keys, versions, the form's token. So
the same act twice is the same button pressed twice. ``say`` is how an act acknowledges something to
the process that waits for an answer.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Any

from django.conf import settings
from django.test import Client

from accounts.models import User
from campaigns.club.planning import plans
from campaigns.club.upgrades import whole_campaign
from campaigns.engine import answers as engine_answers
from campaigns.engine import rolls
from campaigns.engine.claims import Account, SideAccount
from campaigns.engine.report import Answers, Report
from campaigns.engine.script_state import Playthrough, StepState
from campaigns.files import importing as files_importing
from campaigns.files import reading
from campaigns.games import results
from campaigns.games.captives import bargains
from campaigns.games.corrections import strikes
from campaigns.models import Bargain, Campaign, Game, Side
from campaigns.postgames import drafts
from campaigns.postgames.drafts import gang_of
from gangs.engine import actions
from gangs.engine.computed import ComputedGang
from gangs.ledger import writer
from gangs.models import Gang, Strike
from rules.engine.dice import Thrower, fair
from rules.models import BookVersion
from tests.seasons import script
from tests.seasons.script import Match

Say = Callable[[dict[str, Any]], None]

MOST_ANSWERS = 200
NEWCOMER = "The newcomer"


def silent(said: dict[str, Any]) -> None:
    """Acknowledge nothing: nobody waits for an answer."""


# Stored objects


def game_of(key: str) -> Game:
    """Return a game as it is stored now."""
    return Game.objects.select_related("campaign").get(pk=key)


def side_of(key: int) -> Side:
    """Return a side as it is stored now."""
    return Side.objects.select_related("game__campaign", "gang").get(pk=key)


def person(key: int) -> User:
    """Return a user."""
    return User.objects.get(pk=key)


# The post-game


def answer(side: int, expected_version: int, actor: int, words: str, say: Say = silent) -> None:
    """Answer the next question of the post-game; ``words``: the seed of the dice."""
    row = side_of(side)
    change = partial(next_answer, by=script.thrower(words))
    drafts.answer(drafts.load(row), change, expected_version=expected_version, actor=person(actor))


def commit(
    side: int, seen_draft: int, seen_gang: int, actor: int, reason: str = "", say: Say = silent
) -> None:
    """Commit a post-game to the gang's history."""
    drafts.commit(
        side_of(side),
        seen_draft=seen_draft,
        seen_gang=seen_gang,
        actor=person(actor),
        reason=reason,
    )


def play(side: int, say: Say = silent) -> None:
    """Answer all of a post-game, with the application's dice, and commit it. Each answer is
    acknowledged as soon as it is given.
    """
    row = side_of(side)
    gang = gang_of(row)
    for _ in range(MOST_ANSWERS):
        if not is_open(row):
            break
        change = partial(next_answer, by=fair)
        drafts.answer(
            drafts.load(row), change, expected_version=row.draft_version, actor=gang.owner
        )
        answers = row.answers.model_dump(mode="json")
        say({"side": side, "answers": answers, "version": row.draft_version})
    assert gang.owner is not None
    drafts.commit(row, seen_draft=row.draft_version, seen_gang=gang.version, actor=gang.owner)
    say({"side": side, "committed": True})


def next_answer(through: Playthrough, answers: Answers, by: Thrower) -> Answers:
    """Return the answers after the next choice of a player in a hurry: the first option, or else
    the end of the step. At the end they recruit a member, if they can.
    """
    state = through.current
    if state is None:
        return one_more(through, answers, NEWCOMER)
    for asked in state.waiting:
        return engine_answers.roll(through, answers, partial(rolls.throw_one, key=asked.key, by=by))
    return _chosen(state, through, answers) or engine_answers.finish(
        through, answers, state.step.key
    )


def _chosen(state: StepState, through: Playthrough, answers: Answers) -> Answers | None:
    for question in state.questions:
        if question.chosen is None:
            free = [choice.value for choice in question.choices if choice.refusal is None]
            value = free[-1] if question.kind == "outcome" else free[0]
            return engine_answers.choose(through, answers, question.key, value)
    for rise in state.promotions:
        if rise.candidates and rise.refusal is None and (rise.required or not rise.rivals):
            how = "sent_away" if rise.rivals else ""
            key, who = rise.promotion.key, rise.candidates[0].id
            return engine_answers.promote(through, answers, key, who, how)
    return None


def is_open(side: Side) -> bool:
    """Whether a player in a hurry still has something to answer."""
    through = drafts.load(side).playthrough
    if through.current is not None:
        return True
    return not side.answers.recruits and bool(_to_be_had(through))


def one_more(through: Playthrough, answers: Answers, name: str) -> Answers:
    """Recruit the first member available."""
    return engine_answers.hire(through, answers, _to_be_had(through)[0], name)


def _to_be_had(through: Playthrough) -> list[str]:
    offers = [offer for state in through.steps if state.hiring for offer in state.hiring.offers]
    return [offer.row.key for offer in offers if offer.refusal is None]


# Games


def report(
    game: str,
    told: dict[str, dict[str, Any]],
    result: str,
    played_on: str,
    actor: int,
    expected_version: int,
    say: Say = silent,
) -> None:
    """Report the result of a game."""
    results.report(
        game_of(game),
        Account(result=result, played_on=date.fromisoformat(played_on), sides=_telling(told)),
        actor=person(actor),
        expected_version=expected_version,
    )


def confirm(game: str, claim: int, actor: int, expected_version: int, say: Say = silent) -> None:
    """Confirm a report."""
    results.confirm(
        game_of(game), actor=person(actor), expected_version=expected_version, claim=claim
    )


def strike_game(
    game: str, actor: int, expected_version: int, versions: dict[str, int], say: Say = silent
) -> None:
    """Undo a whole game."""
    strikes.strike_game(
        game_of(game),
        actor=person(actor),
        reason="It was never played.",
        expected_version=expected_version,
        versions={uuid.UUID(gang): version for gang, version in versions.items()},
        also={},
    )


def restore_game(game: str, actor: int, expected_version: int, say: Say = silent) -> None:
    """Restore a game."""
    strikes.restore_game(
        game_of(game), actor=person(actor), reason="It was.", expected_version=expected_version
    )


def _telling(told: dict[str, dict[str, Any]]) -> dict[int, SideAccount]:
    return {
        int(side): SideAccount(what["side"], Report.model_validate(what["report"]))
        for side, what in told.items()
    }


def told_by(script_of: Match, game: Game) -> dict[str, dict[str, Any]]:
    """Return the report of each side: as in the script of a season, with the first gang as the
    winner.
    """
    said = {}
    for number, side in enumerate(game.sides.select_related("gang").order_by("pk")):
        assert side.gang is not None
        what = script.report(side.gang.book, side.gang.roster, script_of, number)
        said[str(side.pk)] = {"side": "loser" if number else "winner", "report": what}
    return said


def season(campaign: str, result: str, say: Say = silent) -> None:
    """Play one game after the other: plan, report, confirm, both post-games. Unfinished games are
    finished first. It never ends by itself.
    """
    home = Campaign.objects.get(pk=campaign)
    while True:
        game = home.games.order_by("created_at").last()
        if game is None or not _one_step(game_of(str(game.pk)), result, say):
            gangs = list(Gang.objects.filter(memberships__campaign=home).order_by("pk"))
            actor = gangs[0].owner
            assert actor is not None
            planned = plans.plan(
                home,
                gangs,
                plans.Plan(date(2026, 5, 1)),
                actor=actor,
                token=uuid.uuid4(),
            )
            say({"game": str(planned.pk), "status": planned.status})


def _one_step(game: Game, result: str, say: Say) -> bool:
    """Move a game on by a step. Return False if there is nothing left to do."""
    sides = list(game.sides.select_related("gang__owner").order_by("pk"))
    first, second = (side.gang.owner for side in sides if side.gang)
    assert first is not None and second is not None
    if game.status == Game.Status.PLANNED:
        number = game.campaign.games.count()
        told = _telling(told_by(Match(number, (0, 1)), game))
        results.report(
            game,
            Account(result=result, played_on=game.played_on, sides=told),
            actor=first,
            expected_version=game.version,
        )
    elif game.status == Game.Status.REPORTED:
        results.confirm(game, actor=second, expected_version=game.version)
    else:
        waiting = [side for side in sides if not drafts.is_done(side)]
        for side in waiting:
            play(side.pk, say)
        return bool(waiting)
    say({"game": str(game.pk), "status": game.status})
    return True


# Gangs


def found(path: str, session: str, form: dict[str, str], say: Say = silent) -> None:
    """Found a gang on its page, where a second press of the button returns the same gang."""
    browser = Client(headers={"host": "localhost"})
    browser.cookies[settings.SESSION_COOKIE_NAME] = session
    answer = browser.post(path, form)
    assert answer.status_code == 302, answer.status_code


def copy_member(
    gang: str, member: int, expected_version: int, token: str, say: Say = silent
) -> None:
    """Recruit another member like this one, with all that they carry."""
    row = Gang.objects.get(pk=gang)
    made = actions.duplicate(ComputedGang.of(row.book, row.roster), member, row.last_seq + 1)
    writer.append(row, made, expected_version=expected_version, actor=row.owner, token=token)


def strike(gang: str, batch: str, expected_version: int, say: Say = silent) -> None:
    """Strike a batch of entries in a gang's history."""
    row = Gang.objects.get(pk=gang)
    writer.strike(row, uuid.UUID(batch), expected_version=expected_version, actor=row.owner)


def restore(gang: str, act: int, expected_version: int, say: Say = silent) -> None:
    """Undo a correction of a gang's history."""
    row = Gang.objects.get(pk=gang)
    writer.revise(
        row, undoes=Strike.objects.get(pk=act), expected_version=expected_version, actor=row.owner
    )


def agree(bargain: int, actor: int, expected_version: list[int], say: Say = silent) -> None:
    """Accept a bargain."""
    row = Bargain.objects.select_related("campaign").get(pk=bargain)
    giver, taker = expected_version
    bargains.agree(row, actor=person(actor), expected_version=(giver, taker))


# Campaigns


def upgrade(
    campaign: str, version: str, actor: int, expected_version: int, token: str, say: Say = silent
) -> None:
    """Move a campaign and all its gangs to another version of the rules."""
    whole_campaign.upgrade(
        Campaign.objects.get(pk=campaign),
        BookVersion.objects.get(pk=version),
        actor=person(actor),
        expected_version=expected_version,
        token=uuid.UUID(token),
    )


def bring(text: str, importer: int, token: str, say: Say = silent) -> None:
    """Import a campaign from a file's text."""
    file = reading.read_file(text.encode())
    files_importing.write_campaign(
        file, importer=person(importer), own_place=None, token=uuid.UUID(token)
    )


ACTS: dict[str, Callable[..., None]] = {
    act.__name__: act
    for act in (
        answer,
        commit,
        play,
        report,
        confirm,
        strike_game,
        restore_game,
        season,
        found,
        copy_member,
        strike,
        restore,
        agree,
        upgrade,
        bring,
    )
}
