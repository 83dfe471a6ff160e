"""Games: plans, claims, agreements, decisions; and their post-games."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import strategies as st

from accounts.models import User
from campaigns.engine import answers as engine_answers
from campaigns.engine.claims import Account, SideAccount
from campaigns.engine.report import Answers, Hire, PromotionAnswer, SideKind
from campaigns.engine.script_state import Playthrough, StepState
from campaigns.games import results
from campaigns.models import Game, Side
from campaigns.postgames import drafts
from campaigns.postgames.drafts import gang_of
from campaigns.text import may_report
from common.errors import Refusal
from gangs.ledger.writer import Leftovers
from gangs.models import Gang
from tests.campaigns.random_seasons.checks import facts
from tests.campaigns.random_seasons.season import FIRST_DAY, Season
from tests.campaigns.strategies import answer_something, reports
from tests.world.campaigns import make_game

OPEN = (Game.Status.REPORTED, Game.Status.DISPUTED)


def play(season: Season) -> None:
    """Play a game and usually agree on it."""
    before = season.all_facts()
    here = season.here()
    gangs = season.data.draw(st.permutations(here), "gangs")
    gangs = gangs[: season.data.draw(st.integers(2, len(gangs)), "sides")]
    day = FIRST_DAY + timedelta(days=season.data.draw(st.integers(0, 3), "day"))
    game = make_game(season.campaign, season.organiser, *gangs, day=day)
    run = season.one_of(["agreed", "agreed", "agreed", "reported", "planned"], "stage")
    if run != "planned":
        tell(season, game, season.organiser)
    if run == "agreed":
        game.refresh_from_db()
        results.confirm(game, actor=season.organiser, expected_version=game.version)
    assert season.all_facts() == before


def claim(season: Season) -> None:
    """Let a player report an open game freely; others may have reported it differently."""
    before = season.all_facts()
    game = season.one_of(season.games(Game.Status.PLANNED, *OPEN), "game")
    if game is None:
        return
    players = [side.gang.owner for side in sides_of(game) if side.gang and side.gang.owner]
    actor = season.one_of(players, "actor")
    if actor is not None:
        tell(season, game, actor)
        assert game.status in OPEN or game.status == Game.Status.CONFIRMED
    assert season.all_facts() == before


def agree(season: Season) -> None:
    """Let a player agree with a claim; only supported claims can be agreed with."""
    before = season.all_facts()
    game = season.one_of(season.games(*OPEN), "game")
    if game is None:
        return
    sides = sides_of(game)
    named = season.one_of(results.claims_of(game, sides), "claim")
    players = [side.gang.owner for side in sides if side.gang and side.gang.owner]
    actor = season.one_of(players, "actor")
    if named is None or actor is None:
        return
    results.confirm(game, actor=actor, expected_version=game.version, claim=named.pk)
    own = [side.pk for side in sides if side.is_of(actor)]
    assert game.status != Game.Status.CONFIRMED or game.claim_id == named.pk
    for other in results.claims_of(game, sides_of(game)):
        assert (other.pk == named.pk) == (set(own) <= set(other.data.behind))
    assert season.all_facts() == before


def decide(season: Season) -> None:
    """Let the organiser decide for a claim or with their own account, even of a confirmed game.

    No gang changes; a post-game played on other facts is opened again.
    """
    before = season.all_facts()
    game = season.one_of(season.games(*OPEN, Game.Status.CONFIRMED), "game")
    if game is None:
        return
    version, sides = game.version, sides_of(game)
    claims = results.claims_of(game, sides)
    if claims and season.perhaps("take a claim"):
        how: dict[str, Any] = {"claim": season.one_of(claims, "claim").pk}
    else:
        how = {"account": account(season, game)}
    results.decide(game, actor=season.organiser, expected_version=version, why="So it was.", **how)
    assert game.status == Game.Status.CONFIRMED
    assert season.all_facts() == before


def quarrel(season: Season) -> None:
    """Make a statement about a game: it changes no gang."""
    before = season.all_facts()
    game = season.one_of(season.games(*Game.Status.values), "game")
    actor = season.one_of([season.organiser, *season.players], "actor")
    deed = season.one_of(["confirm", "tell", "dispute", "withdraw"], "deed")
    if game is None:
        return
    played = any(str(game.pk) in gang.roster.played for gang in season.gangs())
    try:
        match deed:
            case "confirm":
                results.confirm(game, actor=actor, expected_version=game.version)
            case "tell" if may_report(game, actor, list(game.sides.all())):
                tell(season, game, actor)
            case "dispute":
                results.dispute(game, comment="No!", actor=actor, expected_version=game.version)
            case "withdraw":
                results.withdraw(game, actor=actor, expected_version=game.version)
                assert not played
    except Refusal:
        pass
    assert season.all_facts() == before


def answer(season: Season) -> None:
    """Answer one thing of a post-game; only the draft changes."""
    side = waiting_side(season)
    if side is not None:
        before = season.all_facts()
        answered(season, side)
        assert season.all_facts() == before


def settle(season: Season) -> None:
    """Answer a post-game to its end and commit it, unless another comes first."""
    side = waiting_side(season)
    if side is not None:
        answered_whole(season, side)
        commit(season, side)


# Parts of the actions


def sides_of(game: Game) -> list[Side]:
    """Return the sides of a game with their gangs and owners."""
    return list(game.sides.select_related("gang__owner"))


def waiting_side(season: Season) -> Side | None:
    """Return a side whose post-game can be answered: a due one, or one being corrected."""
    waiting = season.sides(done=False)
    corrected = [side for side in season.sides(done=True) if side.correcting]
    side: Side | None = season.one_of(waiting[:1] * 3 + waiting + corrected, "side")
    return side


def answered_whole(season: Season, side: Side) -> None:
    """Answer a post-game to its end."""
    for _ in range(150):
        if not answered(season, side):
            return
    raise AssertionError("the post-game does not end")


def answered(season: Season, side: Side) -> bool:
    """Answer one thing of a post-game; return False if nothing is left to answer."""
    state = drafts.load(side).playthrough.current
    if state is None:
        return False

    def change(through: Playthrough, answers: Answers) -> Answers:
        if any(unmet.answer is not None for unmet in state.refused):
            return taken_back(through, state, answers)
        return answer_something(season.data.draw, through, state, answers)

    drafts.answer(drafts.load(side), change, expected_version=side.draft_version)
    return True


def taken_back(through: Playthrough, state: StepState, answers: Answers) -> Answers:
    """Undo the answers of an older draft that are no longer possible."""
    unmet = next(unmet for unmet in state.refused if unmet.answer is not None)
    if isinstance(unmet.answer, PromotionAnswer):
        return engine_answers.take_back(through, answers, "promotions", unmet.place)
    assert isinstance(unmet.answer, Hire)
    return engine_answers.take_back(through, answers, "recruits", unmet.place)


def account(season: Season, game: Game) -> Account:
    """Return an account of the game, with its gangs as they are now."""
    rules = season.book.under(season.campaign.settings)
    result = season.one_of(rules.results, "result")
    sides = sides_of(game)
    winner = season.one_of(sides, "winner") if result.kind == "decided" else None
    told = {}
    for side in sides:
        came_out: SideKind = "level"
        if winner is not None:
            came_out = "winner" if side == winner else "loser"
        roster = gang_of(side).roster
        able = [member.id for member in roster.members if not member.absences(season.book)]
        report = season.data.draw(reports(season.book, rules.settings, able, 3), "report")
        told[side.pk] = SideAccount(came_out, report)
    return Account(result=result.key, played_on=game.played_on, sides=told)


def tell(season: Season, game: Game, actor: User) -> None:
    """Report a game, or report it differently than before."""
    timeline = account(season, game)
    results.report(
        game,
        Account(result=timeline.result, played_on=timeline.played_on, sides=timeline.sides),
        actor=actor,
        expected_version=game.version,
    )


def commit(season: Season, side: Side, *, actor: User | None = None) -> None:
    """Commit an answered post-game once, and only if no other comes first."""
    gang = gang_of(side)
    before, by = gang.roster.treasury, actor or gang.owner or season.organiser
    again = side.batch is not None

    def tried(also: Collection[int] = ()) -> None:
        drafts.commit(
            side, seen_draft=side.draft_version, seen_gang=gang.version, actor=by, also=also
        )

    if not drafts.is_done(side) and drafts.earlier(side):
        with pytest.raises(Refusal, match="earlier_postgame"):
            tried()
        return
    facts_before = facts(gang)
    also: set[int] = set()
    for _ in range(20):
        try:
            tried(also)
        except Leftovers as leftovers:
            # It takes its old place, so later entries may no longer fit.
            assert again and facts(Gang.objects.get(pk=gang.pk)) == facts_before
            also |= {entry.seq for entry, _why in leftovers.misfits}
        except Refusal as refusal:
            assert again and refusal.code in ("bound", "game_struck")
            assert facts(Gang.objects.get(pk=gang.pk)) == facts_before
            return
        else:
            break
    if side.batch is not None:
        season.touched.discard(side.batch)
    assert again or gang.roster.treasury >= min(before, 0), "overdrawn"
    with pytest.raises(Refusal, match="postgame_done"):
        tried()
