"""The next season carries gangs over with their open post-games, which are played there by the old
season's rules: by hand, or all at once with the site's dice."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from datetime import date
from functools import partial

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Notice, User
from campaigns.club.home import duties
from campaigns.club.people import joining
from campaigns.engine import answers, rolls
from campaigns.models import Campaign, Side
from campaigns.postgames import drafts, playing_all
from campaigns.postgames.correction import begin_correction
from campaigns.seeds import dice_of
from gangs.engine.entries import Learned, Suffered
from gangs.ledger import writer
from gangs.ledger.storage import read_entry, replay_roster
from gangs.models import Gang
from tests.campaigns.club.next_season.test_next_season import start
from tests.campaigns.postgames.test_drafts import committed
from tests.campaigns.racing import PEOPLE
from tests.world.campaigns import (
    confirmed,
    make_campaign,
    make_game,
    make_player,
    reported,
    side_of,
)
from tests.world.gangs import POINTS

SignIn = Callable[[User], Client]


def make_open(campaign: Campaign, players: list[User], day: int = 1) -> list[Side]:
    """Return the sides of confirmed games, one between each two gangs, with open post-games."""
    gangs = [make_player(campaign, player) for player in players]
    sides = []
    for home, away in zip(range(0, len(gangs), 2), range(1, len(gangs), 2), strict=True):
        game = make_game(campaign, players[home], gangs[home], gangs[away], day=date(2026, 5, day))
        game = confirmed(reported(game, players[home]), players[away])
        sides += [side_of(game, gangs[home]), side_of(game, gangs[away])]
    return sides


def make_players(number: int) -> list[User]:
    """Return players."""
    return [User.objects.create_user(f"player{i}", f"p{i}@example.org") for i in range(number)]


def written(side: Side) -> list[object]:
    """Return the entries of the side's post-game, as they are now."""
    side = Side.objects.get(pk=side.pk)
    return [read_entry(row) for row in side.gang.entries.live().filter(batch=side.batch)]  # type: ignore[union-attr]


def current(side: Side) -> Gang:
    """Return the side's gang, fresh from the database."""
    return Gang.objects.get(pk=side.gang_id)


def test_season_of_sixteen_gangs_is_carried_whole(bob: User, as_user: SignIn) -> None:
    season = make_campaign(bob)
    sides = make_open(season, make_players(16))
    committed(sides[0], sides[0].gang.owner)  # type: ignore[union-attr]
    assert playing_all.find_open(season, bob).count() == 15
    new = start(as_user(bob), season, *(side.gang for side in sides if side.gang))
    assert new is not None
    assert new.memberships.count() == 16
    # The open post-games wait in the new season, and one press plays them there.
    page = as_user(bob).get(new.get_absolute_url()).content.decode()
    said = page.partition("15 post-games of the last season are open")[2]
    assert season.name != new.name and season.name in said[:200] and new.name not in said[:200]
    assert playing_all.find_open(new, bob).count() == 15
    browser = as_user(bob)
    page = browser.get(reverse("campaigns:open-postgames", args=[new.pk])).content.decode()
    assert "player7" in page
    data = {"side": [side.pk for side in sides]}
    browser.post(reverse("campaigns:open-postgames", args=[new.pk]), data)
    assert playing_all.find_open(new, bob).count() == 0
    for side in sides:
        gang = current(side)
        assert gang.roster.games == 1
        assert gang.roster == replay_roster(gang)


def test_post_game_has_the_same_result_after_the_gang_moved_on(
    bob: User, alice: User, dora: User, as_user: SignIn
) -> None:
    played = make_open(make_campaign(bob, POINTS), [alice, dora])[0]
    carried = make_open(season := make_campaign(bob, POINTS), [alice, dora], day=2)[0]
    committed(played, alice)
    new = joining.start(
        name="Next",
        version=season.book_version,
        settings=season.settings,
        notes="",
        organiser=bob,
        token=uuid.uuid4(),
    )
    joining.archive(season)
    gang = current(carried)
    joining.join(new, gang, actor=alice, expected_version=gang.version, plays_on=True)
    committed(carried, alice)
    first, second = written(played), written(carried)
    assert [entry.kind for entry in first] == [entry.kind for entry in second]  # type: ignore[attr-defined]
    assert current(played).roster.members == current(carried).roster.members
    assert current(played).roster.treasury == current(carried).roster.treasury
    gang = current(carried)
    kinds = [row.kind for row in gang.entries.live().order_by("place", "seq")]
    assert kinds.index("played") < len(kinds) - 1 - kinds[::-1].index("joined")
    assert gang.roster == replay_roster(gang)
    assert "Next" in as_user(alice).get(reverse("gangs:history", args=[gang.pk])).content.decode()


@pytest.fixture
def moved(bob: User, alice: User, dora: User, as_user: SignIn) -> tuple[Campaign, list[Side]]:
    """A new season whose two gangs have two open post-games each of the old one."""
    season = make_campaign(bob)
    sides = make_open(season, [alice, dora])
    hers, theirs = current(sides[0]), current(sides[1])
    game = make_game(season, alice, hers, theirs, day=date(2026, 5, 9))
    game = confirmed(reported(game, alice), dora)
    sides += [side_of(game, hers), side_of(game, theirs)]
    new = start(as_user(bob), season, hers, theirs)
    assert new is not None
    return new, sides


def test_two_post_games_keep_their_order_when_the_first_is_corrected(
    moved: tuple[Campaign, list[Side]], alice: User
) -> None:
    _new, sides = moved
    first, second = sides[0], sides[2]
    committed(first, alice)
    committed(side_of(second.game, current(second)), alice)
    side = side_of(first.game, current(first))
    begin_correction(side, expected_version=side.draft_version)
    side = side_of(first.game, current(first))
    drafts.commit(side, seen_draft=side.draft_version, seen_gang=current(side).version, actor=alice)
    gang = current(first)
    rows = gang.entries.live().filter(kind="played").order_by("place", "seq")
    assert [row.data["game"] for row in rows] == [str(first.game_id), str(second.game_id)]
    assert gang.roster == replay_roster(gang)


def test_open_post_game_is_played_by_the_rules_of_its_own_season(
    moved: tuple[Campaign, list[Side]],
) -> None:
    _new, sides = moved
    side = side_of(sides[0].game, current(sides[0]))
    roster = drafts.base_of(side).roster
    assert roster.campaigns == (str(sides[0].game.campaign_id),)
    assert len(current(sides[0]).roster.campaigns) == 2


def test_open_post_game_is_a_duty_in_the_new_season(
    moved: tuple[Campaign, list[Side]], alice: User, as_user: SignIn
) -> None:
    new, sides = moved
    found = duties.standing_of(alice).duties
    address = reverse("campaigns:postgame", args=[sides[0].game_id, sides[0].pk])
    assert [duty.campaign for duty in found if duty.url == address] == [new.pk]
    page = as_user(alice).get(new.get_absolute_url()).content.decode()
    assert page.count(f'href="{address}"') == 1


def test_all_at_once_equals_each_step_by_hand(bob: User) -> None:
    sides = make_open(make_campaign(bob, POINTS), make_players(4))
    for side in sides[:2]:
        # By hand: the site's dice, then "nothing more" at each step.
        while (state := drafts.load(side).playthrough.current) is not None:
            dice = dice_of(side)
            change: drafts.Change = partial(answers.finish, step=state.step.key)
            if state.waiting:
                change = partial(answers.roll, change=partial(rolls.throw_all, by=dice))
            seen = side.draft_version
            drafts.answer(drafts.load(side), change, expected_version=seen, actor=bob, dice=dice)
    by_hand = [Side.objects.get(pk=side.pk).draft for side in sides[:2]]
    # The same seeds, without the answers.
    Side.objects.filter(pk__in=[side.pk for side in sides[:2]]).update(draft={}, draws=0)
    for side in sides[:2]:
        side.throws.all().delete()
        assert playing_all.play_out(side.pk, actor=bob) == "played"
    assert [Side.objects.get(pk=side.pk).draft for side in sides[:2]] == by_hand


def test_second_press_plays_nothing_twice(
    moved: tuple[Campaign, list[Side]], bob: User, as_user: SignIn
) -> None:
    new, sides = moved
    browser, address = as_user(bob), reverse("campaigns:open-postgames", args=[new.pk])
    data = {"side": [side.pk for side in sides]}
    browser.post(address, data)
    versions = set(Gang.objects.values_list("pk", "version"))
    browser.post(address, data)
    assert playing_all.play_out(sides[0].pk, actor=bob) == "changed"
    assert set(Gang.objects.values_list("pk", "version")) == versions
    assert {current(side).roster.games for side in sides} == {2}
    told = Notice.objects.filter(kind="postgame_played")
    assert sorted(told.values_list("user__username", flat=True)) == ["alice"] * 2 + ["dora"] * 2


def test_only_post_games_that_the_page_showed_are_played(
    moved: tuple[Campaign, list[Side]], bob: User, as_user: SignIn
) -> None:
    new, sides = moved
    address = reverse("campaigns:open-postgames", args=[new.pk])
    as_user(bob).post(address, {"side": [sides[0].pk]})
    left = set(playing_all.find_open(new, bob).values_list("pk", flat=True))
    assert left == {side.pk for side in sides[1:]}


def test_next_press_plays_the_rest_when_the_oldest_wait_for_their_players(
    bob: User, as_user: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = make_campaign(bob)
    sides = make_open(season, make_players(6))
    # Undone ones are played again by hand.
    Side.objects.filter(pk__in=[side.pk for side in sides[:4]]).update(batch=uuid.uuid4())
    monkeypatch.setattr(playing_all, "MOST", 2)
    browser, page = as_user(bob), reverse("campaigns:open-postgames", args=[season.pk])
    for _press in range(3):
        shown = re.findall(r'name="side" value="(\d+)"', browser.get(page).content.decode())
        page = browser.post(page, {"side": shown}).headers["Location"]
    left = set(playing_all.find_open(season, bob).values_list("pk", flat=True))
    assert left == {side.pk for side in sides[:4]}


def test_later_post_game_waits_for_the_earlier(
    moved: tuple[Campaign, list[Side]], bob: User
) -> None:
    assert playing_all.play_out(moved[1][2].pk, actor=bob) == "waits"


def test_player_who_plays_theirs_first_keeps_it(
    moved: tuple[Campaign, list[Side]], alice: User, bob: User
) -> None:
    side = moved[1][0]
    committed(side, alice)
    before = written(side)
    assert playing_all.play_out(side.pk, actor=bob) == "changed"
    assert written(side) == before


def test_organiser_of_the_new_season_only_plays_what_they_may(
    moved: tuple[Campaign, list[Side]], charlie: User
) -> None:
    new, _sides = moved
    new.participants.create(user=charlie, role="organiser")
    assert not playing_all.find_open(new, charlie).exists()


def test_gang_that_no_longer_meets_the_conditions_is_carried_over(
    bob: User, alice: User, dora: User, as_user: SignIn
) -> None:
    season = make_campaign(bob)
    sides = make_open(season, [alice, dora])
    Campaign.objects.filter(pk=season.pk).update(least_members=8)
    gangs = [side.gang for side in sides if side.gang]
    assert start(as_user(bob), season, *gangs, least_members=20) is not None
    assert Campaign.objects.get(previous=season).memberships.count() == 2


def test_page_names_gangs_that_stay_with_their_players(
    bob: User, alice: User, dora: User, as_user: SignIn
) -> None:
    season = make_campaign(bob)
    sides = make_open(season, [alice, dora])
    joining.retire(season, current(sides[0]), actor=alice)
    browser = as_user(bob)
    address = reverse("campaigns:next-season", args=[season.pk])
    page = browser.get(address).content.decode()
    assert "It has retired from this campaign." in page and "(alice)" in page
    # Every gang that can play on is ticked.
    ticked = re.findall(r'<input[^>]* name="carried"[^>]*>', page)
    assert len(ticked) == 1 and "checked" in ticked[0]
    assert start(browser, season, current(sides[1])) is not None


def test_page_of_open_post_games_makes_as_many_queries_for_many(bob: User, as_user: SignIn) -> None:
    season, browser = make_campaign(bob), as_user(bob)
    address, counts = reverse("campaigns:open-postgames", args=[season.pk]), []
    players = make_players(8)
    for part in (players[:2], players[2:]):
        make_open(season, part)
        with CaptureQueriesContext(connection) as seen:
            assert browser.get(address).status_code == 200
        counts.append(len(seen))
    assert counts[0] == counts[1]


def test_choice_of_a_player_waits_for_them(
    bob: User, alice: User, dora: User, as_user: SignIn
) -> None:
    season = make_campaign(bob, PEOPLE)
    hers, theirs = make_player(season, alice), make_player(season, dora)
    learned = [Learned(member=hers.roster.members[0].id, amount=5)]
    writer.append(hers, learned, expected_version=hers.version, actor=alice)
    game = make_game(season, alice, hers, theirs)
    side = side_of(confirmed(reported(game, alice, result="victory"), dora), hers)
    address = reverse("campaigns:open-postgames", args=[season.pk])
    keys = {"side": [side.pk]}
    page = as_user(bob).post(address, keys, follow=True).content.decode()
    assert "1 waits for its player" in page
    side = Side.objects.select_related("game__campaign", "gang").get(pk=side.pk)
    state = drafts.load(side).playthrough.current
    assert state is not None and [one.kind for one in state.questions] == ["advance"]
    assert not drafts.is_done(side)
    assert not Notice.objects.filter(user=alice, kind="postgame_played").exists()
    # A second press changes nothing.
    as_user(bob).post(address, keys)
    assert Side.objects.get(pk=side.pk).draft == side.draft


def test_captive_is_still_held_in_the_new_season(
    bob: User, alice: User, dora: User, as_user: SignIn
) -> None:
    season = make_campaign(bob, POINTS)
    hers, theirs = make_player(season, alice), make_player(season, dora)
    member = hers.roster.members[1]
    taken = [Suffered(member=member.id, condition="captured", captors=(str(theirs.pk),))]
    writer.append(hers, taken, expected_version=hers.version, actor=alice)
    game = make_game(season, alice, Gang.objects.get(pk=hers.pk), theirs)
    side = side_of(confirmed(reported(game, alice, result="victory"), dora), hers)
    new = start(as_user(bob), season, hers, theirs)
    assert new is not None
    assert playing_all.play_out(side.pk, actor=bob) == "played"
    held = current(side).roster.member(member.id).afflictions
    assert [ailment.condition for ailment in held] == ["captured"]
    page = as_user(alice).get(reverse("campaigns:captives", args=[new.pk])).content.decode()
    assert member.name in page


def test_pages_speak_french(bob: User, alice: User, dora: User) -> None:
    season = make_campaign(bob)
    make_open(season, [alice, dora])
    browser = Client(headers={"accept-language": "fr"})
    browser.force_login(bob)
    for name in ("open-postgames", "next-season"):
        page = browser.get(reverse(f"campaigns:{name}", args=[season.pk])).content.decode()
        assert "après-parties en attente avec les dés du site" in page
