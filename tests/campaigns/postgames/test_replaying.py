"""Later post-games are worked out again after a correction, and the preview says so."""

from __future__ import annotations

import uuid
from datetime import timedelta
from functools import partial

import pytest
from django.urls import reverse

from accounts.models import Notice, User
from campaigns.club.upgrades import whole_campaign
from campaigns.engine import answers as engine_answers
from campaigns.engine.report import Report
from campaigns.files import exporting, importing, reading
from campaigns.games.corrections import strikes
from campaigns.models import Campaign, Game, Side
from campaigns.postgames import correction, drafts
from common.errors import Refusal
from gangs.engine import entries as kinds
from gangs.engine.roster import Member
from gangs.ledger import writer
from gangs.ledger.replay import difference
from gangs.ledger.revision import Insertion, instead, weigh
from gangs.models import Gang
from rules.library import load
from tests.campaigns.postgames.test_correction import FIRST, commit, facts, finished, fresh, typed
from tests.gangs.other_rules import other
from tests.world.campaigns import (
    confirmed,
    make_campaign,
    make_game,
    make_player,
    reported,
    side_of,
)
from tests.world.gangs import shipped

PEOPLE = "au-un-pour-un"


class Evening:
    """Two gangs whose games are all reported before the first post-game is played."""

    def __init__(self, organiser: User, alice: User, dora: User) -> None:
        self.organiser, self.alice, self.dora = organiser, alice, dora
        self.campaign = make_campaign(organiser, PEOPLE)
        self.hers, self.theirs = (make_player(self.campaign, who) for who in (alice, dora))
        self.ids = [member.id for member in self.hers.roster.members]
        self.games: list[Game] = []

    def report(self, marks: dict[int, str] | None = None, **told: object) -> Game:
        """Report a game that alice won with everybody; ``marks``: by the place of the member."""
        ended = {self.ids[place]: mark for place, mark in (marks or {}).items()}
        report = Report.model_validate({"fielded": self.ids, "marks": ended} | told)
        day = FIRST + timedelta(days=7 * len(self.games))
        game = make_game(self.campaign, self.alice, fresh(self.hers), fresh(self.theirs), day=day)
        reports = {str(self.hers.pk): report}
        game = reported(game, self.alice, result="victory", reports=reports)
        self.games.append(confirmed(game, self.dora))
        return self.games[-1]

    def settle(self, faces: str = "") -> None:
        """Play all post-games in order; ``faces``: of alice's first roll in the first of them."""
        for game in self.games:
            if faces and game == self.games[0]:
                typed(side_of(game, self.hers), self.alice, faces)
            for gang, player in ((self.hers, self.alice), (self.theirs, self.dora)):
                commit(finished(side_of(game, gang)), player)

    def member(self, place: int) -> Member:
        """Return a member as they are now."""
        return fresh(self.hers).roster.member(self.ids[place])

    def fresh(self, game: Game) -> Game:
        """Return a game as it is now."""
        return Game.objects.select_related("campaign").get(pk=game.pk)

    def weigh(self, game: Game) -> strikes.Stroke:
        """Preview striking a game in alice's gang."""
        game = Game.objects.select_related("campaign").get(pk=game.pk)
        return next(one for one in strikes.weigh_game(game) if one.gang == self.hers)

    def strike(self, game: Game) -> None:
        """Strike a game that leaves nothing to decide."""
        game = Game.objects.select_related("campaign").get(pk=game.pk)
        strikes.strike_game(
            game,
            actor=self.organiser,
            reason="Wrong.",
            expected_version=game.version,
            versions={one.gang.pk: one.gang.version for one in strikes.weigh_game(game)},
            also={},
        )

    def restore(self, game: Game) -> None:
        """Restore a struck game."""
        game = Game.objects.select_related("campaign").get(pk=game.pk)
        strikes.restore_game(game, actor=self.organiser, reason="", expected_version=game.version)

    def side(self, game: Game) -> Side:
        """Return alice's side of a game."""
        return side_of(game, self.hers)


@pytest.fixture
def evening(bob, alice, dora) -> Evening:
    return Evening(bob, alice, dora)


def kinds_of(rows: list) -> list[str]:
    return [row.entry.kind for row in rows]


@pytest.mark.long
def test_member_who_is_back_has_learned_in_the_later_games(evening):
    first, later = evening.report({3: "killed"}), evening.report()
    evening.settle()
    whole = facts(evening.hers)
    died = evening.ids[3]
    [gone] = fresh(evening.hers).roster.departed
    assert (gone.member.id, gone.member.experience) == (died, 0)
    [outcome] = evening.weigh(first).weighed.replayed
    assert (outcome.postgame.batch, outcome.again) == (evening.side(later).batch, False)
    assert {row.entry.member for _roster, row in outcome.added} == {died}
    assert set(kinds_of([row for _roster, row in outcome.added])) == {"learned"}
    evening.strike(first)
    others = [evening.member(place).experience for place in (0, 1, 2)]
    assert evening.member(3).experience in others and evening.member(3).experience > 0
    gang = fresh(evening.hers)
    shown = {one.gang: one for one in strikes.weigh_restore(evening.fresh(first))}[gang]
    [outcome] = shown.weighed.replayed
    assert {row.entry.member for row in outcome.removed} == {died}
    assert outcome.added == []
    evening.restore(first)
    assert facts(evening.hers) == whole
    assert difference(fresh(evening.hers)) == ""


@pytest.mark.long
def test_later_death_is_void_when_the_member_had_died_before(evening):
    """Somebody enters by hand that a member died in a game before the one that killed them."""
    evening.report()
    evening.report({3: "killed"})
    evening.settle()
    before = facts(evening.hers)
    side = evening.side(evening.games[0])
    gang = fresh(evening.hers)
    last = gang.entries.live().filter(batch=side.batch).last()
    died = kinds.Died(member=evening.ids[3])
    insert = [Insertion(last.place, died, at=last.at, batch=last.batch)]
    weighed = weigh(gang, insert=insert)
    [outcome] = weighed.replayed
    assert "died" in kinds_of(outcome.removed) and not weighed.misfits
    act = writer.revise(gang, insert=insert, expected_version=gang.version)
    assert facts(gang)[0] == weighed.roster
    writer.revise(gang, undoes=act, expected_version=gang.version)
    assert facts(gang) == before


def test_new_dice_make_a_duty_that_undoing_the_correction_takes_away(evening, alice):
    """A member who had died before is now out of action in a later game: an injury is due."""
    first, later = evening.report({3: "killed"}), evening.report({3: "out"})
    evening.settle()
    whole = facts(evening.hers)
    [outcome] = evening.weigh(first).weighed.replayed
    assert outcome.again and not outcome.added
    Notice.objects.all().delete()
    evening.strike(first)
    side = evening.side(later)
    assert side.correcting and side.kept_answers == side.answers
    told = Notice.objects.get(kind="postgame_reopened")
    assert (told.user, told.url.endswith(f"/postgame/{side.pk}/")) == (alice, True)
    assert evening.member(3).experience == 0, "until then it stays as it was"
    with pytest.raises(Refusal, match="must_play_again"):
        correction.cancel_correction(side, expected_version=side.draft_version, actor=alice)
    evening.restore(first)
    side = evening.side(later)
    assert not side.correcting and facts(evening.hers) == whole


def test_duty_takes_only_the_dice_that_are_missing(evening, alice):
    first, later = evening.report({3: "killed"}), evening.report({3: "out", 2: "out"})
    evening.settle()
    kept = evening.side(later).answers.rolls
    evening.strike(first)
    missing = drafts.load(evening.side(later)).playthrough.current.waiting
    assert kept and {request.member.id for request in missing} == {evening.ids[3]}
    commit(finished(evening.side(later)), alice)
    side = evening.side(later)
    assert not side.correcting and kept.items() <= side.answers.rolls.items()
    assert evening.member(3).experience > 0


def test_replay_keeps_entries_that_somebody_has_corrected(evening):
    """Alice's leader got more experience by hand; striking another game leaves that alone."""
    first, later = evening.report({3: "killed"}), evening.report()
    evening.settle()
    gang = fresh(evening.hers)
    row = (
        gang.entries.live()
        .filter(batch=evening.side(later).batch, kind="learned", data__member=evening.ids[0])
        .first()
    )
    more = kinds.Learned(member=evening.ids[0], amount=row.data["amount"] + 4)
    place, insert = instead(gang, row, more)
    writer.revise(gang, strike=place, insert=insert, expected_version=gang.version, batch=row.batch)
    before = evening.member(0).experience
    whole = facts(gang)
    of_first = gang.entries.live().filter(
        batch=evening.side(first).batch, kind="learned", data__member=evening.ids[0]
    )
    in_first = sum(row.data["amount"] for row in of_first)
    evening.strike(first)
    assert evening.member(0).experience == before - in_first
    assert evening.member(3).experience > 0
    evening.restore(first)
    assert facts(gang) == whole


@pytest.mark.long
def test_games_struck_in_turn_are_restored_in_any_order(evening):
    """Each restored post-game is worked out on the gang without the game that is still struck."""
    games = [evening.report({3: "killed"}), evening.report({2: "killed"}), evening.report()]
    evening.settle()
    whole = facts(evening.hers)
    evening.strike(games[0])
    without_first = facts(evening.hers)
    evening.strike(games[1])
    assert evening.member(2).experience > 0
    evening.restore(games[0])
    assert evening.ids[3] not in {one.id for one in fresh(evening.hers).roster.members}
    assert evening.member(2).experience > 0
    evening.restore(games[1])
    assert facts(evening.hers) == whole
    evening.strike(games[0])
    assert facts(evening.hers) == without_first


@pytest.mark.long
def test_later_post_game_that_is_not_played_yet_is_no_matter(evening, alice):
    first = evening.report({3: "killed"})
    evening.settle()
    later = evening.report()
    evening.strike(first)
    commit(finished(evening.side(later)), alice)
    assert evening.member(3).experience > 0


@pytest.mark.long
def test_archived_gang_and_one_that_left_are_worked_out_too(evening):
    first = evening.report({3: "killed"})
    evening.report()
    evening.settle()
    evening.campaign.memberships.filter(gang=evening.hers).update(left_at=first.created_at)
    Gang.objects.filter(pk=evening.hers.pk).update(archived_at=first.created_at)
    evening.strike(first)
    assert evening.member(3).experience > 0


@pytest.mark.long
def test_deleted_game_or_other_site_leaves_the_entries_alone(evening):
    """Without the side's answers nothing can be worked out."""
    first, later = evening.report({3: "killed"}), evening.report()
    evening.settle()
    Side.objects.filter(game=later).delete()
    assert evening.weigh(first).weighed.replayed == []
    evening.strike(first)
    assert evening.member(3).experience == 0


@pytest.mark.long
def test_post_game_recommitted_in_its_place_replays_the_later_ones(evening, alice):
    """A fatal mark is corrected in the result, and the post-game is played again."""
    evening.report({3: "killed"})
    evening.report()
    evening.settle()
    side = evening.side(evening.games[0])
    correction.begin_correction(side, expected_version=side.draft_version)
    report = side.parsed_report.model_copy(update={"marks": {}})
    Side.objects.filter(pk=side.pk).update(report=report.model_dump(mode="json"))
    commit(finished(evening.side(evening.games[0])), alice)
    assert evening.member(3).experience == evening.member(2).experience > 0


@pytest.mark.long
def test_recruit_who_cannot_be_paid_any_more_is_a_duty_in_words(evening, as_user, bob):
    """The later post-game names the recruit and the money that is missing."""
    first, later = evening.report(tallies={"chiefs_killed": 2}), evening.report()
    for gang, player in ((evening.hers, evening.alice), (evening.theirs, evening.dora)):
        commit(finished(side_of(first, gang)), player)
    side = finished(evening.side(later))
    for change in (
        partial(engine_answers.reopen, step="recruits"),
        partial(engine_answers.hire, rank="sous_fifre", name="Ada"),
        partial(engine_answers.finish, step="recruits"),
    ):
        drafts.answer(drafts.load(side), change, expected_version=side.draft_version)
    commit(side, evening.alice)
    page = as_user(bob).get(reverse("campaigns:game-strike", args=[first.pk])).content.decode()
    assert "Later post-games" in page and "It has to be played again" in page
    assert "Ada, " in page
    evening.strike(first)
    assert evening.side(later).correcting
    assert evening.side(later).gang.roster.treasury < 0


@pytest.mark.long
def test_file_keeps_what_a_correction_replayed(evening, bob):
    first = evening.report({3: "killed"})
    evening.report()
    evening.settle()
    whole = fresh(evening.hers).roster
    evening.strike(first)
    [act] = fresh(evening.hers).strikes.all()
    assert act.replayed
    file = reading.read_file(
        exporting.export_campaign(Campaign.objects.get(pk=evening.campaign.pk))
    )
    place = file.names.index("bob")
    there = importing.write_campaign(file, importer=bob, own_place=place, token=uuid.uuid4())
    gang = there.memberships.order_by("joined_at").first().gang
    assert gang.strikes.get().replayed == act.replayed
    [struck] = there.games.filter(status="struck")
    struck = Game.objects.select_related("campaign").get(pk=struck.pk)
    strikes.restore_game(struck, actor=bob, reason="", expected_version=struck.version)
    assert Gang.objects.get(pk=gang.pk).roster.members == whole.members


@pytest.mark.long
def test_later_post_game_is_played_by_the_rules_of_its_time(evening):
    """The campaign moved to rules with a larger award in between."""
    first = evening.report({3: "killed"})
    evening.settle()
    data = shipped(PEOPLE).model_dump(mode="json")["campaign"]
    data["awards"][0]["amount"] = 2
    evening.campaign.refresh_from_db()
    whole_campaign.upgrade(
        evening.campaign,
        load(other(shipped(PEOPLE), campaign=data))[0],
        actor=evening.organiser,
        expected_version=evening.campaign.version,
        token=uuid.uuid4(),
    )
    evening.campaign.refresh_from_db()
    evening.games = []
    evening.report()
    evening.settle()
    whole = facts(evening.hers)
    evening.strike(first)
    assert evening.member(3).experience == 2 + 1
    evening.restore(first)
    assert facts(evening.hers) == whole


@pytest.mark.long
def test_fate_of_a_captive_is_void_without_the_capture(evening, alice):
    """Her chief was captured, and given up for lost after the next game."""
    first, later = evening.report({0: "out"}), evening.report()
    typed(evening.side(first), alice, "6 2")
    for gang, player in ((evening.hers, evening.alice), (evening.theirs, evening.dora)):
        commit(finished(side_of(first, gang)), player)
    side = evening.side(later)
    [question] = drafts.load(side).playthrough.current.questions
    lost = partial(engine_answers.choose, key=question.key, value="lost")
    drafts.answer(drafts.load(side), lost, expected_version=side.draft_version)
    commit(finished(side), alice)
    [outcome] = evening.weigh(first).weighed.replayed
    assert "died" in kinds_of(outcome.removed)
    evening.strike(first)
    assert evening.member(0).afflictions == ()


class TestPages:
    def test_strike_page_lists_what_later_post_games_bring(self, evening, bob, as_user):
        first, later = evening.report({3: "killed"}), evening.report()
        evening.settle()
        url = reverse("campaigns:game-strike", args=[first.pk])
        page = as_user(bob).get(url).content.decode()
        name = evening.ids and fresh(evening.hers).roster.departed[0].member.name
        assert "Later post-games" in page and "<strong>New:</strong>" in page
        assert f"/postgame/{evening.side(later).pk}/" in page
        assert f'<th scope="row">{name}</th>' in page and "dead" in page

    @pytest.mark.long
    def test_history_previews_a_correction_that_changes_later_games(self, evening, alice, as_user):
        first = evening.report({3: "killed"})
        evening.report()
        evening.settle()
        gang = fresh(evening.hers)
        died = gang.entries.live().get(kind="died")
        address = reverse("gangs:correct", args=[gang.pk]) + f"?strike={died.seq}"
        page = as_user(alice).get(address).content.decode()
        assert "Later post-games" in page and "<strong>New:</strong>" in page
        assert first.status == "confirmed"
