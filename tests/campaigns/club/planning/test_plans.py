"""Planning: pairs taken from a proposal, changes of plan, and roles in a scenario."""

from __future__ import annotations

import uuid
from datetime import date, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from campaigns.club.nights import schedule
from campaigns.club.people import joining
from campaigns.club.planning import plans
from campaigns.club.planning import sides as planning_sides
from campaigns.club.planning.views import why_rests
from campaigns.engine.pairing import Candidate
from campaigns.models import Game, Throw
from common.errors import Refusal, Stale
from gangs.models import Gang
from rules.engine.dice import parse_roll
from tests.world.campaigns import (
    confirmed,
    make_campaign,
    make_game,
    make_night,
    make_player,
    reported,
)
from tests.world.gangs import SLUGS, shipped

SCENARIO = "spy"  # has two roles
NO_ROLES = "score"


@pytest.fixture
def night(campaign):
    return make_night(campaign)


@pytest.fixture
def game(campaign, hers, theirs, alice):
    return make_game(campaign, alice, hers, theirs)


def change_plan(game, actor, *, scenario=None, roll=None, day=None, night=None):
    plans.replan(
        game,
        plans.Plan(day or game.played_on, night, scenario, roll),
        actor=actor,
        expected_version=game.version,
    )
    return Game.objects.get(pk=game.pk)


class TestOnANight:
    def test_game_takes_its_day_from_its_night(self, campaign, night, hers, theirs, alice, as_user):
        schedule.answer(night, hers, "yes", actor=alice)
        browser = as_user(alice)
        url = reverse("campaigns:game-new", args=[campaign.pk]) + f"?night={night.pk}"
        page = browser.get(url)
        form = page.context["form"]
        assert form["night"].value() == str(night.pk)
        assert "(alice) – Is coming" in page.content.decode()
        data = {
            "night": str(night.pk),
            "played_on": "2026-01-01",
            "gangs": [str(hers.pk), str(theirs.pk)],
            "scenario": "",
            "token": str(form["token"].value()),
        }
        answer = browser.post(url, data)
        game = Game.objects.get()
        assert (game.night, game.played_on) == (night, schedule.day_of(night))
        assert night.get_absolute_url() in browser.get(answer.url).content.decode()
        assert game.get_absolute_url() in browser.get(night.get_absolute_url()).content.decode()

    def test_game_without_a_night_needs_a_day(self, campaign, hers, theirs, alice, as_user):
        browser = as_user(alice)
        url = reverse("campaigns:game-new", args=[campaign.pk])
        tomorrow = timezone.localdate() + timedelta(days=1)
        data = {
            "gangs": [str(hers.pk), str(theirs.pk)],
            "scenario": "",
            "token": str(uuid.uuid4()),
        }
        answer = browser.post(url, data)
        assert answer.status_code == 422 and "Which day?" in answer.content.decode()
        assert browser.post(url, data | {"played_on": str(tomorrow)}).status_code == 302
        assert Game.objects.get().played_on == tomorrow

    def test_cancelled_night_is_not_offered(self, campaign, night, hers, theirs, alice, as_user):
        schedule.cancel(night, expected_version=0)
        url = reverse("campaigns:game-new", args=[campaign.pk]) + f"?night={night.pk}"
        assert "night" not in as_user(alice).get(url).context["form"].fields
        with pytest.raises(Refusal, match="night_cancelled"):
            plans.plan(
                campaign,
                [hers, theirs],
                plans.Plan(date(2026, 5, 1), night),
                actor=alice,
                token=uuid.uuid4(),
            )
        assert not Game.objects.exists()

    def test_unknown_night_in_the_address_is_ignored(self, campaign, hers, theirs, alice, as_user):
        url = reverse("campaigns:game-new", args=[campaign.pk])
        for key in ("nonsense", uuid.uuid4()):
            assert as_user(alice).get(f"{url}?night={key}").status_code == 200

    def test_gang_that_has_left_cannot_be_planned(self, campaign, hers, theirs, alice):
        joining.leave(campaign, theirs, actor=alice)
        with pytest.raises(Refusal, match="gang_not_here"):
            make_game(campaign, alice, hers, theirs)

    def test_archived_campaign_refuses_a_game(self, campaign, hers, theirs, alice):
        joining.archive(campaign)
        with pytest.raises(Refusal, match="campaign_archived"):
            make_game(campaign, alice, hers, theirs)

    def test_scenario_dice_are_stored(self, campaign, hers, theirs, alice):
        plans.plan(
            campaign,
            [hers, theirs],
            plans.Plan(date(2026, 5, 1), scenario=SCENARIO, roll=parse_roll("2d6", "1 1")),
            actor=alice,
            token=uuid.uuid4(),
        )
        throw = Throw.objects.get()
        assert (throw.key, throw.side, throw.actor) == ("scenario", None, alice)
        assert throw.roll == {"dice": "2d6", "faces": [1, 1], "thrown_by": "table"}
        assert throw.about["scenario_table"] in campaign.book.table


class TestPairings:
    @pytest.fixture
    def gangs(self, campaign, night):
        """Four gangs that attend: two with high ratings, two with low ratings."""
        made = []
        for number, rating in enumerate((300, 110, 290, 100)):
            user = User.objects.create_user(f"player{number}", password="x")
            gang = make_player(campaign, user)
            Gang.objects.filter(pk=gang.pk).update(rating=rating, name=f"Gang {rating}")
            schedule.answer(night, gang, "yes", actor=user)
            made.append(Gang.objects.get(pk=gang.pk))
        return made

    def url(self, night):
        return reverse("campaigns:night-pairings", args=[night.pk])

    def data(self, page, *pairs):
        return {
            "token": str(page.context["token"]),
            "pair": pairs or [pair.value for pair in page.context["proposal"].pairs],
        }

    @pytest.mark.long
    def test_proposed_pairs_are_planned_once(self, night, gangs, bob, as_user):
        browser = as_user(bob)
        page = browser.get(self.url(night))
        words = page.content.decode()
        assert "Gang 300 – Gang 290" in words and "Gang 110 – Gang 100" in words
        assert "ratings 300 and 290, 10 apart · never met before" in words
        assert not Game.objects.exists()
        data = self.data(page)
        for _click in range(2):
            assert browser.post(self.url(night), data).url == night.get_absolute_url()
        found = {frozenset(side.name for side in game.sides.all()) for game in Game.objects.all()}
        assert found == {frozenset({"Gang 300", "Gang 290"}), frozenset({"Gang 110", "Gang 100"})}
        assert Game.objects.count() == 2
        assert {(game.night, game.played_on) for game in Game.objects.all()} == {
            (night, schedule.day_of(night))
        }
        again = browser.get(self.url(night))
        assert again.context["proposal"].pairs == []
        assert "Already have a game that night" in again.content.decode()

    def test_only_ticked_pairs_are_planned(self, night, gangs, bob, as_user):
        browser = as_user(bob)
        page = browser.get(self.url(night))
        browser.post(self.url(night), self.data(page, page.context["proposal"].pairs[1].value))
        (game,) = Game.objects.all()
        assert {side.name for side in game.sides.all()} == {"Gang 110", "Gang 100"}

    def test_outdated_proposal_plans_nothing(self, night, gangs, bob, as_user):
        browser = as_user(bob)
        first, second = browser.get(self.url(night)), browser.get(self.url(night))
        browser.post(self.url(night), self.data(first, first.context["proposal"].pairs[0].value))
        answer = browser.post(self.url(night), self.data(second))
        assert answer.status_code == 409
        assert "Nothing was scheduled" in " ".join(answer.content.decode().split())
        assert Game.objects.count() == 1
        (pair,) = answer.context["proposal"].pairs
        assert [gang.name for gang in pair.gangs] == ["Gang 110", "Gang 100"]

    @pytest.mark.parametrize(
        "pairs, words",
        [([], "Tick at least one"), (["nonsense"], "no longer here")],
    )
    def test_invalid_pairs_are_explained(self, night, gangs, bob, as_user, pairs, words):
        answer = as_user(bob).post(self.url(night), {"token": str(uuid.uuid4()), "pair": pairs})
        assert answer.status_code == 422
        assert words in answer.content.decode()

    def test_gang_in_two_pairs_is_refused(self, night, gangs, bob):
        with pytest.raises(Stale):
            plans.plan_pairs(night, [gangs[:2], gangs[1:3]], actor=bob, token=uuid.uuid4())
        assert not Game.objects.exists()

    def test_cancelled_night_refuses_pairs(self, night, gangs, bob, as_user):
        browser = as_user(bob)
        data = self.data(browser.get(self.url(night)))
        schedule.cancel(night, expected_version=0)
        answer = browser.post(self.url(night), data)
        assert answer.status_code == 422 and "called off" in answer.content.decode()
        assert not Game.objects.exists()

    @pytest.mark.long
    def test_proposal_by_meetings_avoids_repeated_pairs(self, campaign, night, gangs, bob, as_user):
        high, low, second, _lowest = gangs
        make_game(campaign, bob, high, second)
        make_game(campaign, bob, low, _lowest)
        query = "?by=meetings&odd=rests" + "".join(f"&gangs={gang.pk}" for gang in gangs)
        pairs = as_user(bob).get(self.url(night) + query).context["proposal"].pairs
        assert all("never met before" in pair.why for pair in pairs)
        by_rating = as_user(bob).get(self.url(night)).context["proposal"].pairs
        assert all("met 1 time before" in pair.why for pair in by_rating)

    @pytest.mark.long
    def test_odd_gang_rests_or_joins_a_pair(self, campaign, night, gangs, bob, as_user):
        query = "?by=rating&odd={}" + "".join(f"&gangs={gang.pk}" for gang in gangs[:3])
        resting = as_user(bob).get(self.url(night) + query.format("rests"))
        assert resting.context["proposal"].resting
        assert (
            "no other gang has gone longer without a break or played more"
            in resting.content.decode()
        )
        page = as_user(bob).get(self.url(night) + query.format("joins"))
        assert page.context["proposal"].resting == ""
        assert "ratings 300, 290 and 110, 190 apart" in page.content.decode()
        as_user(bob).post(self.url(night), self.data(page))
        assert Game.objects.get().sides.count() == 3

    def test_resting_gang_has_a_reason(self):
        def words(**values):
            return why_rests(Candidate("one", 10, **values), alone=False)

        assert words(played=2) == "it has not had a break yet, with 2 games so far"
        assert words(rested=date(2026, 5, 1), played=3).endswith(
            "without a break, since 1 May 2026"
        )
        assert why_rests(Candidate("one", 10), alone=True) == "nobody else is free"

    def test_proposal_explains_a_pair_of_the_same_player(
        self, campaign, night, hers, alice, bob, as_user
    ):
        own = make_player(campaign, alice)
        query = f"?by=rating&odd=rests&gangs={hers.pk}&gangs={own.pk}"
        page = as_user(bob).get(self.url(night) + query).content.decode()
        assert "it could not be avoided" in page

    def test_gang_that_came_without_a_game_counts_as_rested(self, campaign, gangs, bob):
        """A gang that stayed away has not rested."""
        earlier = make_night(campaign, timezone.now() - timedelta(days=7))
        first, second, third, away = gangs
        for gang, said in ((first, "yes"), (second, "yes"), (third, "yes"), (away, "no")):
            schedule.answer(earlier, gang, said, actor=bob)
        game = make_game(campaign, bob, first, second)
        Game.objects.filter(pk=game.pk).update(night=earlier)
        found = {one.gang: one for one in schedule.candidates(make_night(campaign), gangs)}
        assert [found[str(gang.pk)].rested for gang in gangs] == [
            None,
            None,
            schedule.day_of(earlier),
            None,
        ]
        assert [found[str(gang.pk)].played for gang in gangs] == [1, 1, 0, 0]

    def test_meetings_count_every_pair_but_no_struck_game(self, campaign, night, gangs, bob):
        first, second, third, _fourth = gangs
        make_game(campaign, bob, first, second, third)
        make_game(campaign, bob, first, second)
        struck = make_game(campaign, bob, first, third)
        Game.objects.filter(pk=struck.pk).update(status="struck", result="crushing")
        assert schedule.past_of(night).meetings == {
            frozenset({str(first.pk), str(second.pk)}): 2,
            frozenset({str(first.pk), str(third.pk)}): 1,
            frozenset({str(second.pk), str(third.pk)}): 1,
        }


class TestReplanning:
    def test_plan_is_changed_on_its_page(self, game, night, alice, as_user):
        browser = as_user(alice)
        url = reverse("campaigns:game-plan", args=[game.pk])
        assert url in browser.get(game.get_absolute_url()).content.decode()
        data = {
            "seen": "0",
            "night": str(night.pk),
            "played_on": "2026-05-01",
            "scenario": SCENARIO,
        }
        assert browser.post(url, data).url == game.get_absolute_url()
        game.refresh_from_db()
        assert (game.night, game.scenario) == (night, SCENARIO)
        assert game.played_on == schedule.day_of(night)
        late = browser.post(url, data | {"scenario": NO_ROLES})
        assert late.status_code == 409 and "in the meantime" in late.content.decode()
        game.refresh_from_db()
        assert game.scenario == SCENARIO

    def test_only_organisers_change_a_rolled_scenario(self, game, alice, bob, as_user):
        game = change_plan(game, alice, scenario=SCENARIO, roll=parse_roll("2d6", "1 1"))
        url = reverse("campaigns:game-plan", args=[game.pk])
        page = as_user(alice).get(url)
        assert [key for key, _name in page.context["form"].fields["scenario"].choices] == ["keep"]
        assert "only an organiser can change that" in page.content.decode()
        assert 'value="roll"' not in page.content.decode()
        with pytest.raises(Refusal, match="scenario_final"):
            change_plan(game, alice, scenario=NO_ROLES)
        moved = change_plan(game, alice, day=date(2026, 6, 1))
        assert (moved.scenario, str(moved.played_on)) == (SCENARIO, "2026-06-01")
        data = {"seen": moved.version, "played_on": "2026-06-01", "scenario": "roll"}
        assert as_user(bob).post(url, data).status_code == 302
        first, second = Throw.objects.filter(key="scenario")
        assert first.taken_back_at is not None and second.taken_back_at is None
        assert second.roll["thrown_by"] == "app" and second.actor == bob

    @pytest.mark.parametrize("slug", ["cran", "au-un-pour-un"])
    def test_scenario_is_rolled_evenly_when_there_is_no_table(
        self, slug, alice, bob, dora, as_user
    ):
        campaign = make_campaign(bob, slug)
        gangs = [make_player(campaign, user) for user in (alice, dora)]
        rows = [row.key for row in plans.fitting(campaign.rules, len(gangs))]
        assert campaign.book.campaign.scenario_table is None and len(rows) > 1
        game = make_game(campaign, alice, *gangs)
        url = reverse("campaigns:game-plan", args=[game.pk])
        answer = as_user(alice).get(url)
        choices = dict(answer.context["form"].fields["scenario"].choices)
        page = answer.content.decode()
        assert choices["roll"] == "Roll for us now, each equally likely"
        # The button's value is sent after the field's value, so it counts.
        assert '<button class="btn btn-outline-primary" name="scenario" value="roll">' in page
        data = {"seen": game.version, "played_on": "2026-05-01", "scenario": ["", "roll"]}
        assert as_user(alice).post(url, data).status_code == 302
        game.refresh_from_db()
        assert game.roll.dice == f"1d{len(rows)}" and game.roll.thrown_by == "app"
        assert game.scenario == rows[game.roll.total - 1]
        page = as_user(alice).get(game.get_absolute_url()).content.decode()
        assert "rolled here" in page and "Scenario" in page
        # The result is final, like the result of a scenario table.
        with pytest.raises(Refusal, match="scenario_final"):
            change_plan(game, alice, scenario=rows[0])

    def test_every_scenario_that_fits_can_be_rolled(self):
        book, settings = shipped("cran"), {}
        rows = {row.key for row in plans.fitting(book.under(settings), 2)}
        rolled = {plans.choose_scenario(book.under(settings), plans.ROLL)[0] for _ in range(200)}
        assert rolled == rows
        assert plans.choose_scenario(book.under(settings), plans.TYPED, "1") == ("", None)

    def test_plan_is_fixed_when_the_game_is_reported(self, game, alice, dora, as_user):
        stale = Game.objects.get(pk=game.pk)
        game = reported(game, alice)
        with pytest.raises(Refusal, match="played_already"):
            change_plan(stale, dora, scenario=SCENARIO)
        url = reverse("campaigns:game-plan", args=[game.pk])
        assert as_user(dora).get(url).url == game.get_absolute_url()
        confirmed(game, dora)
        assert url not in as_user(dora).get(game.get_absolute_url()).content.decode()

    def test_player_of_another_gang_cannot_change_the_plan(self, campaign, game, charlie, as_user):
        make_player(campaign, charlie)
        url = reverse("campaigns:game-plan", args=[game.pk])
        answer = as_user(charlie).post(url, {"seen": "0", "played_on": "2026-06-01"})
        assert answer.status_code == 302
        game.refresh_from_db()
        assert game.version == 0


class TestRoles:
    @pytest.fixture
    def game(self, game, alice):
        return change_plan(game, alice, scenario=SCENARIO)

    def url(self, game):
        return reverse("campaigns:game-roles", args=[game.pk])

    def chosen_roles(self, game):
        return [side.role for side in game.sides.all()]

    def test_choosing_a_role_assigns_the_other(self, game, alice, as_user):
        browser = as_user(alice)
        first, _second = game.sides.all()
        assert self.url(game) in browser.get(game.get_absolute_url()).content.decode()
        data = {"seen": game.version, f"role{first.pk}": "militia"}
        assert browser.post(self.url(game), data).status_code == 302
        assert self.chosen_roles(game) == ["militia", "renegades"]
        assert "<dd>Militia</dd>" in browser.get(game.get_absolute_url()).content.decode()
        stale = browser.post(self.url(game), data | {f"role{first.pk}": "renegades"})
        assert stale.status_code == 409
        assert self.chosen_roles(game) == ["militia", "renegades"]

    def test_same_role_for_both_sides_is_refused(self, game, alice, as_user):
        data = {f"role{side.pk}": "militia" for side in game.sides.all()}
        answer = as_user(alice).post(self.url(game), data | {"seen": game.version})
        assert answer.status_code == 422
        assert "Every role needs somebody" in answer.content.decode()
        assert self.chosen_roles(game) == ["", ""]

    def test_a_role_of_another_game_is_refused(self, game):
        first, second = game.sides.all()
        with pytest.raises(Refusal, match="no_such_role"):
            planning_sides.choose(
                game, {first.pk: "jester", second.pk: ""}, expected_version=game.version
            )

    def test_highest_die_chooses_and_ties_are_rolled_again(self, game, alice, as_user):
        dice = iter([4, 4, 2, 5])
        planning_sides.roll(
            game, actor=alice, expected_version=game.version, thrower=lambda sides: next(dice)
        )
        kept = Throw.objects.filter(key="roles")
        assert [row.roll["faces"] for row in kept] == [[4], [4], [2], [5]]
        assert [row.about["round"] for row in kept] == [1, 1, 2, 2]
        assert {row.roll["thrown_by"] for row in kept} == {"app"}
        second = list(game.sides.all())[1]
        page = as_user(alice).get(game.get_absolute_url()).content.decode()
        assert f"{second.name} (dora) rolled highest and chooses" in page
        assert "a tie: again" in page and "Roll: the highest chooses" not in page
        game.refresh_from_db()
        with pytest.raises(Refusal, match="roll_final"):
            planning_sides.roll(game, actor=alice, expected_version=game.version)
        assert Throw.objects.filter(key="roles").count() == 4

    def test_roles_can_be_rolled_once_from_the_page(self, game, dora, as_user):
        data = {"seen": game.version, "roll": "1"}
        assert as_user(dora).post(self.url(game), data).status_code == 302
        count = Throw.objects.count()
        assert count >= 2
        assert as_user(dora).post(self.url(game), data).status_code == 409
        assert Throw.objects.count() == count

    def test_another_scenario_clears_roles_and_dice(self, game, alice):
        dice = iter([3, 4])
        planning_sides.roll(
            game, actor=alice, expected_version=game.version, thrower=lambda sides: next(dice)
        )
        game.refresh_from_db()
        first, second = game.sides.all()
        chosen = {first.pk: "militia", second.pk: "renegades"}
        planning_sides.choose(game, chosen, expected_version=game.version)
        game.refresh_from_db()
        game = change_plan(game, alice, scenario=SCENARIO, day=date(2026, 6, 1))
        assert self.chosen_roles(game) == ["militia", "renegades"]
        game = change_plan(game, alice, scenario="convoy")
        assert self.chosen_roles(game) == ["", ""]
        assert not Throw.objects.filter(taken_back_at=None).exists()
        assert planning_sides.roles_of(game, list(game.sides.all()), alice).rounds == ()

    def test_other_players_can_only_see_the_roles(self, campaign, game, charlie, as_user):
        make_player(campaign, charlie)
        answer = as_user(charlie).post(self.url(game), {"seen": game.version, "roll": "1"})
        assert answer.status_code == 422 and not Throw.objects.exists()
        page = as_user(charlie).get(game.get_absolute_url()).content.decode()
        assert "Not decided yet" in page and self.url(game) not in page

    @pytest.mark.long
    def test_two_of_three_gangs_share_a_role(self, campaign, hers, theirs, alice, charlie, as_user):
        third = make_player(campaign, charlie)
        game = change_plan(
            make_game(campaign, alice, hers, theirs, third), alice, scenario=SCENARIO
        )
        one, two, three = game.sides.all()
        data = {"seen": game.version, f"role{one.pk}": "militia", f"role{two.pk}": "militia"}
        assert as_user(alice).post(self.url(game), data).status_code == 302
        assert self.chosen_roles(game) == ["militia", "militia", ""]
        last = data | {"seen": game.version + 1, f"role{three.pk}": "militia"}
        assert as_user(alice).post(self.url(game), last).status_code == 422
        last[f"role{three.pk}"] = "renegades"
        assert as_user(alice).post(self.url(game), last).status_code == 302
        assert self.chosen_roles(game) == ["militia", "militia", "renegades"]

    def test_scenario_without_roles_does_not_ask_for_them(self, game, alice, as_user):
        game = change_plan(game, alice, scenario=NO_ROLES)
        page = as_user(alice).get(game.get_absolute_url()).content.decode()
        assert "Roles" not in page
        assert as_user(alice).post(self.url(game), {"seen": game.version}).status_code == 422


@pytest.mark.long
def test_every_scenario_of_every_game_can_be_planned(alice, bob):
    for slug in SLUGS:
        campaign = make_campaign(bob, slug)
        hers, other = make_player(campaign, alice), make_player(campaign, bob)
        for scenario in campaign.book.scenarios:
            game = change_plan(
                make_game(campaign, alice, hers, other), alice, scenario=scenario.key
            )
            first, second = game.sides.all()
            if scenario.roles:
                planning_sides.roll(game, actor=bob, expected_version=game.version)
                game.refresh_from_db()
                planning_sides.choose(
                    game,
                    {first.pk: scenario.roles[0].key, second.pk: scenario.roles[-1].key},
                    expected_version=game.version,
                )
            shown = planning_sides.roles_of(game, list(game.sides.all()), bob)
            assert (shown is not None) == bool(scenario.roles)
            assert shown is None or shown.are_settled


def test_page_mentions_dice_only_with_a_scenario_table(alice, bob, as_user):
    for slug, spoken_of in (("du-sang-sur-la-lame", True), ("cran", False)):
        campaign = make_campaign(bob, slug)
        assert (campaign.book.campaign.scenario_table is not None) is spoken_of
        for user in (alice, bob):
            make_player(campaign, user)
        page = as_user(bob).get(reverse("campaigns:game-new", args=[campaign.pk]))
        assert ("Dice are rolled once" in page.content.decode()) is spoken_of


def test_new_game_belongs_to_tonights_night(campaign, hers, theirs, alice, as_user):
    url = reverse("campaigns:game-new", args=[campaign.pk])
    later = make_night(campaign)
    form = as_user(alice).get(url).context["form"]
    assert not form["night"].value()
    tonight = make_night(campaign, timezone.localtime().replace(hour=23, minute=59))
    schedule.answer(tonight, hers, "yes", actor=alice)
    page = as_user(alice).get(url)
    assert page.context["form"]["night"].value() == str(tonight.pk)
    assert f"{hers.name} (alice) – Is coming" in page.content.decode()
    # The link on another night's page selects that night.
    form = as_user(alice).get(f"{url}?night={later.pk}").context["form"]
    assert form["night"].value() == str(later.pk)


def test_games_of_the_same_day_and_gangs_are_numbered(
    campaign, night, hers, theirs, alice, as_user
):
    first, second = (make_game(campaign, alice, hers, theirs) for _ in range(2))
    make_game(campaign, alice, hers, theirs, day=first.played_on + timedelta(days=1))
    campaign.games.update(night=night)
    title = f"{hers.name} (alice) – {theirs.name} (dora)"
    for url in (campaign.get_absolute_url(), night.get_absolute_url()):
        page = as_user(alice).get(url).content.decode()
        for number, game in enumerate((first, second), start=1):
            link = f'<a href="{game.get_absolute_url()}"><strong>{title} ({number})</strong>'
            assert link in page
        assert page.count(f"<strong>{title}</strong>") == 1


def test_games_are_numbered_when_the_gangs_are_in_another_order(
    campaign, night, hers, theirs, alice, as_user
):
    make_game(campaign, alice, hers, theirs)
    make_game(campaign, alice, theirs, hers)
    page = as_user(alice).get(campaign.get_absolute_url()).content.decode()
    assert f"{hers.name} (alice) – {theirs.name} (dora) (1)</strong>" in page
    assert f"{theirs.name} (dora) – {hers.name} (alice) (2)</strong>" in page
