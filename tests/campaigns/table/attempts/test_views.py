"""The pages of figures, attempts and dice: their content, and the taps from their forms."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from html import unescape
from typing import Any
from urllib.parse import urlencode, urljoin

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.club.people import joining
from campaigns.models import Campaign, Table
from campaigns.table import people, storage, taps
from campaigns.table.attempts import offline, roll
from campaigns.table.attempts.attempt import Attempt
from campaigns.table.folded import fold_table
from gangs.models import Gang
from rules.engine.playing import Played
from rules.library import load
from tests.campaigns.table.test_alone import opened as opened_alone
from tests.campaigns.table.test_storage import opened, pushed
from tests.random_cases import one_soon
from tests.work import calls
from tests.world.campaigns import make_campaign, make_player
from tests.world.gangs import POINTS, make_gang, shipped

AsUser = Callable[[User], Client]


@pytest.fixture
def table(campaign: Campaign, alice: User, hers: Gang, theirs: Gang) -> Table:
    return opened(campaign, alice, hers, theirs)


def figures(table: Table, side: int) -> list[str]:
    return [one.key for one in people.start_of(table).figures if one.side == side]


def log(table: Table) -> list[taps.AnyTap]:
    return [one.tap for one in storage.log_of(table)]


def duel_address(table: Table, **more: Any) -> str:
    """The address of a duel of the first figure with the first of the other side."""
    query = urlencode({"by": figures(table, 1)[0], **more})
    return f"{reverse('campaigns:table-attempt', args=[table.pk, 'duel'])}?{query}"


# Two rounds of a duel, in which a figure may go out and wound the other one before.
TWO_ROUNDS = {"is-cohesion_near": "1"}


def fields(page: str) -> dict[str, str]:
    """The fields and values of the page's form."""
    found = dict(re.findall(r'<input type="hidden" name="(\w[\w-]*)" value="([^"]*)"', page))
    for name, options in re.findall(r'<select[^>]*name="([^"]+)"[^>]*>(.*?)</select>', page):
        chosen = re.search(r'value="([^"]*)" selected', options)
        found[name] = chosen[1] if chosen else ""
    found |= dict(re.findall(r'<input type="number" name="([^"]+)"[^>]*? value="(\d+)"', page))
    found.pop("csrfmiddlewaretoken", None)
    return found


def show_face(face: int) -> Callable[..., Played]:
    """Make the application's dice show this face, or their highest."""
    real = roll.play

    def thrown(ready: Any, names: Any, _thrower: Any) -> Played:
        return real(ready, names, lambda sides: min(face, sides))

    return thrown


def test_figure_page_shows_values_and_actions(as_user: AsUser, table: Table, alice: User) -> None:
    figure = figures(table, 1)[0]
    text = as_user(alice).get(reverse("campaigns:table-figure", args=[table.pk, figure]))
    page = text.content.decode()
    assert f"{reverse('campaigns:table-attempt', args=[table.pk, 'duel'])}?by={figure}" in page
    assert 'name="do" value="move"' in page and "12 left" in page


def test_figure_page_lists_attacks_first(as_user: AsUser, table: Table, alice: User) -> None:
    figure = figures(table, 1)[0]
    address = reverse("campaigns:table-figure", args=[table.pk, figure])
    deeds = as_user(alice).get(address).context["deeds"]
    keys = [deed.key for deed in deeds]
    assert keys.index("duel") < keys.index("move") < keys.index("turn_round")


def test_form_names_the_action_and_the_roll_once(
    as_user: AsUser, table: Table, alice: User
) -> None:
    """An action may be called like its only roll."""
    client, by = as_user(alice), figures(table, 1)[0]
    heads = []
    for key in ("run", "climb"):
        address = reverse("campaigns:table-attempt", args=[table.pk, key])
        page = client.get(f"{address}?{urlencode({'by': by, 'action': key})}").content.decode()
        heads += re.findall(r'<h1 class="h3">(.*?)</h1>', page)
    assert heads == ["Run, fly · Run", "Climb more than 1&quot;"]


def test_table_page_gets_the_attacks_of_a_figure(
    as_user: AsUser, table: Table, campaign: Campaign, alice: User
) -> None:
    """The attacks are one press from the opened figure; spectators get none."""
    figure = figures(table, 1)[0]
    address = f"{reverse('campaigns:table-figure', args=[table.pk, figure])}?part=attacks"
    page = as_user(alice).get(address).content.decode()
    links = re.findall(r'<a [^>]*href="([^"]+)"', page)
    assert links and all(f"by={figure}" in link for link in links)
    assert "/acts/duel/" in page and "/acts/move/" not in page
    assert as_user(alice).get(links[0].replace("&amp;", "&")).status_code == 200
    watcher = Client()
    watcher.get(reverse("campaigns:watch", args=[campaign.watch_key]))
    assert "<a " not in watcher.get(address).content.decode()


def test_action_without_dice_takes_one_press(as_user: AsUser, table: Table, alice: User) -> None:
    client, figure = as_user(alice), figures(table, 1)[0]
    address = reverse("campaigns:table-figure", args=[table.pk, figure])
    data = {"do": "move", "token": uuid.uuid4(), "turn": 1, "after": 0}
    for _time in range(2):
        assert client.post(address, data)["Location"] == address
    told = [taps.Did(figure=figure, action="move"), taps.Counted(side=1, track="purse", by=-1)]
    assert log(table) == told
    assert client.post(address, {**data, "token": uuid.uuid4(), "do": "dance"}).status_code == 404
    assert log(table) == told


def test_dice_are_stored_before_they_are_shown(
    as_user: AsUser, table: Table, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, address = as_user(alice), duel_address(table, action="duel")
    page = client.get(address).content.decode()
    data = fields(page) | {"how": "throw"}
    monkeypatch.setattr(roll, "play", show_face(6))
    answer = client.post(address.partition("?")[0], data)
    told = log(table)
    assert {type(tap) for tap in told} >= {taps.Did, taps.Rolled}
    [rolled] = [tap for tap in told if isinstance(tap, taps.Rolled)]
    assert rolled.thrown and not rolled.open and rolled.faces[0][0] == 6
    # The same form again shows the same dice.
    assert client.post(address.partition("?")[0], data)["Location"] == answer["Location"]
    assert log(table) == told
    shown = client.get(answer["Location"]).content.decode()
    assert shown.count('<b class="attempt-die') == sum(map(len, rolled.faces))


def test_dice_of_the_table_are_typed_throw_by_throw(
    as_user: AsUser, table: Table, alice: User
) -> None:
    client, address = as_user(alice), duel_address(table)
    data = fields(client.get(address).content.decode()) | {"how": "tell"}
    path = address.partition("?")[0]
    page = client.post(path, data).content.decode()
    assert 'name="dice"' in page and log(table) == []
    wrong = client.post(path, {**data, "dice": "99"}).content.decode()
    assert 'aria-invalid="true"' in wrong
    for _throw in range(6):
        count = int(re.search(r"Result of (\d+)D", page)[1])  # type: ignore[index]
        lain = fields(page)["lain"]
        answer = client.post(path, {**data, "lain": lain, "dice": "1 " * count})
        if answer.status_code == 302:
            break
        page = answer.content.decode()
    rolled = log(table)[0]
    assert isinstance(rolled, taps.Rolled)
    assert not rolled.thrown and {face for throw in rolled.faces for face in throw} == {1}


def test_outcome_can_be_entered_without_dice(as_user: AsUser, table: Table, alice: User) -> None:
    """One page asks for the outcome and for everything that each outcome leaves open."""
    client, address = as_user(alice), duel_address(table, **TWO_ROUNDS)
    page = client.get(address).content.decode()
    assert 'name="n-out-dealt"' not in page and 'name="n-out-taken"' in page
    said = {"how": "say", "outcome": "out", "n-out-taken": "0", **TWO_ROUNDS}
    answer = client.post(address.partition("?")[0], fields(page) | said)
    by, at = figures(table, 1)[0], figures(table, 2)[0]
    rolled, *brought = log(table)
    assert isinstance(rolled, taps.Rolled) and (rolled.outcome, rolled.faces) == ("out", ())
    assert brought[:2] == [
        taps.Counted(figure=at, track="wounds", by=-2),
        taps.Out(figure=at, by=by, mark="dead"),
    ]
    assert client.get(answer["Location"]).status_code == 200


@pytest.mark.long
def test_outcome_of_a_page_that_asks_twice_is_recorded_once(
    as_user: AsUser, table: Table, alice: User
) -> None:
    """A page from before first posts the outcome only, then what it needs."""
    client, address = as_user(alice), duel_address(table, **TWO_ROUNDS)
    data = fields(client.get(address).content.decode()) | TWO_ROUNDS
    data |= {"how": "say", "outcome": "out"}
    path = address.partition("?")[0]
    first = {name: value for name, value in data.items() if name != "said"}
    assert client.post(path, first).status_code == 200 and log(table) == []
    client.post(path, first | {"said": "out", "n-taken": "0"})
    rolled, brought, *_more = log(table)
    assert isinstance(rolled, taps.Rolled) and rolled.outcome == "out"
    assert brought == taps.Counted(figure=figures(table, 2)[0], track="wounds", by=-2)


def test_wrong_number_of_an_outcome_is_shown_beside_it(
    as_user: AsUser, table: Table, alice: User
) -> None:
    client, address = as_user(alice), duel_address(table, **TWO_ROUNDS)
    data = fields(client.get(address).content.decode()) | TWO_ROUNDS
    said = {"how": "say", "outcome": "out", "n-out-taken": "1000"}
    page = client.post(address.partition("?")[0], data | said).content.decode()
    assert 'value="1000"' in page and log(table) == []
    assert "invalid-feedback" in page and 'value="out" checked' in page


def test_outcome_is_required(as_user: AsUser, table: Table, alice: User) -> None:
    client, address = as_user(alice), duel_address(table)
    data = fields(client.get(address).content.decode()) | {"how": "say"}
    for outcome in ("", "triumph"):
        page = client.post(address.partition("?")[0], data | {"outcome": outcome})
        assert 'name="outcome"' in page.content.decode()
        assert "What happened? Choose one of these." in page.content.decode()
    assert log(table) == []


def test_address_contains_every_choice(as_user: AsUser, table: Table, alice: User) -> None:
    client, target = as_user(alice), figures(table, 2)[1]
    address = duel_address(table, at=target, **{"is-higher": "attacker"})
    data = fields(client.get(address).content.decode())
    assert data["at"] == target
    answer = client.post(address.partition("?")[0], data | {"how": "look", "is-from_behind": "1"})
    assert f"at={target}" in answer["Location"] and "is-from_behind=1" in answer["Location"]


def test_odds_are_shown_unless_the_campaign_hides_them(
    as_user: AsUser, table: Table, campaign: Campaign, alice: User
) -> None:
    client, address = as_user(alice), duel_address(table)
    assert 'class="odds-leads"' in client.get(address).content.decode()
    campaign.refresh_from_db()
    joining.change(
        campaign,
        name=campaign.name,
        notes="",
        settings=campaign.settings,
        odds_at_table=False,
        expected_version=campaign.version,
    )
    page = client.get(address).content.decode()
    assert "odds-leads" not in page and 'value="throw"' in page


@pytest.mark.parametrize(
    ("roll", "query"),
    one_soon(
        [
            ("duel", "by=9.9"),
            ("duel", ""),
            ("nothing", "by=1.1"),
            ("duel", "by=7"),
            # More digits than Python reads.
            ("duel", f"by={'9' * 5000}"),
        ]
    ),
)
def test_missing_figure_or_roll_is_not_found(
    as_user: AsUser, table: Table, alice: User, roll: str, query: str
) -> None:
    address = reverse("campaigns:table-attempt", args=[table.pk, roll])
    assert as_user(alice).get(f"{address}?{query}").status_code == 404


def test_second_attack_is_confirmed_before_the_dice(
    as_user: AsUser, table: Table, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nobody is put out by a duel of ones.
    monkeypatch.setattr(roll, "play", show_face(1))
    client, address = as_user(alice), duel_address(table, action="duel")
    path = address.partition("?")[0]
    first = fields(client.get(address).content.decode()) | {"how": "throw"}
    client.post(path, first)
    before = log(table)
    asked = client.get(address).content.decode()
    assert 'name="again" value="second_attack"' in asked and 'value="throw"' not in asked
    again = fields(asked)
    assert client.post(path, again | {"how": "throw"}).status_code == 200
    assert log(table) == before
    confirmed = client.post(path, again | {"again": "second_attack"})["Location"]
    page = client.get(confirmed).content.decode()
    client.post(path, fields(page) | {"how": "throw"})
    assert sum(isinstance(tap, taps.Did) for tap in log(table)) == 2


def test_third_action_without_dice_is_confirmed_by_its_button(
    as_user: AsUser, table: Table, alice: User
) -> None:
    client, figure = as_user(alice), figures(table, 1)[0]
    address = reverse("campaigns:table-figure", args=[table.pk, figure])

    def press(where: str) -> None:
        data = {"do": "turn_round", "token": uuid.uuid4(), "turn": 1, "after": 0}
        client.post(where, data)

    press(address)
    press(address)
    press(address)
    assert sum(isinstance(tap, taps.Did) for tap in log(table)) == 2
    page = client.get(address).content.decode()
    assert 'formaction="?again=third_action"' in page
    press(f"{address}?again=third_action")
    assert sum(isinstance(tap, taps.Did) for tap in log(table)) == 3


def test_impossible_shot_costs_nothing_and_offers_no_dice(as_user: AsUser, alice: User) -> None:
    client, gang = as_user(alice), make_gang(alice, "au-un-pour-un")
    table = opened_alone(client, gang)
    path = reverse("campaigns:table-attempt", args=[table.pk, "shot"])
    unseen = {"by": figures(table, 1)[0], "action": "shoot", "is-out_of_sight": "on"}
    page = client.get(f"{path}?{urlencode(unseen)}").content.decode()
    assert "No shot possible: the target is out of sight" in page
    assert 'value="throw"' not in page and 'value="say"' not in page
    for how in ({"how": "throw"}, {"how": "tell"}, {"how": "say", "outcome": "wounded"}):
        assert client.post(path, unseen | how | {"token": uuid.uuid4()}).status_code == 200
    assert log(table) == []
    seen = client.get(f"{path}?{urlencode(unseen | {'is-out_of_sight': ''})}").content.decode()
    assert 'value="throw"' in seen and 'value="impossible"' not in seen


def test_a_game_without_actions_shows_its_rolls_unfolded(as_user: AsUser, alice: User) -> None:
    client, gang = as_user(alice), make_gang(alice)
    Gang.objects.update(book_version=load(shipped(POINTS).changed(actions=()))[0])
    table = opened_alone(client, Gang.objects.get(pk=gang.pk))
    by = figures(table, 1)[0]
    address = reverse("campaigns:table-figure", args=[table.pk, by])
    page = client.get(address).content.decode()
    assert '<details class="panel mt-3" open>' in page and "Other rolls" not in page
    attacks = client.get(f"{address}?part=attacks").content.decode()
    assert f"?by={by}" in attacks and "/acts/" in attacks


def test_one_press_rolls_a_due_test_for_every_figure(as_user: AsUser, alice: User) -> None:
    client, gang = as_user(alice), make_gang(alice, "cran")
    table = opened_alone(client, gang)
    down = figures(table, 1)[:2]
    for figure in down:
        storage.push(table, alice, [pushed(taps.Began(figure=figure, state="down"))])
    storage.push(table, alice, [pushed(taps.TurnEnded())])
    address = reverse("campaigns:table-roll-for-all", args=[table.pk, "recovery"])
    page = client.get(table.get_absolute_url()).content.decode()
    assert f'formaction="{address}"' in page
    token = {"token": uuid.uuid4()}
    for _time in range(2):
        assert client.post(address, token)["Location"] == table.get_absolute_url()
    entries = storage.log_of(table)
    rolled = [(one.tap.by, one.act) for one in entries if isinstance(one.tap, taps.Rolled)]
    assert [by for by, _act in rolled] == down
    assert len({act for _by, act in rolled}) == 2
    assert [one.tap.who for one in entries if isinstance(one.tap, taps.Dealt)] == down
    nerve = reverse("campaigns:table-roll-for-all", args=[table.pk, "nerve"])
    assert client.post(nerve, token).status_code == 404


def test_roll_for_all_settles_only_its_own_alarm(
    as_user: AsUser, bob: User, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two alarms ask the same figures for the same roll."""
    # Attacks come first: on a busy machine their odds would use up the time.
    monkeypatch.setattr(offline, "LONGEST", 60.0)
    campaign = make_campaign(bob, "zombstone")
    table = opened(campaign, alice, make_player(campaign, alice), make_player(campaign, bob))
    start, client = people.start_of(table), as_user(alice)
    ranks = {one.key: one.figure.rank for one in start.figures if one.side == 1}
    star = next(key for key, rank in ranks.items() if rank == "vedette")
    others = [key for key, rank in ranks.items() if rank == "second_role"][:2]
    wounded = [taps.Counted(figure=key, track="barrel", by=-4) for key in others]
    told = [*wounded, taps.Out(figure=star, mark="hs")]
    storage.say(table, alice, uuid.uuid4(), told, act=uuid.uuid4(), after=0, turn=1)

    def due(alarm: str) -> set[object]:
        now = fold_table(Table.objects.get(pk=table.pk)).now
        return {one.who for one in now.due if one.alarm == alarm}

    assert due("wounded") == {*others} and due("star_out") > {*others}
    page = client.get(table.get_absolute_url()).content.decode()
    assert f"?by={others[0]}&amp;alarm=star_out" in page
    address = reverse("campaigns:table-roll-for-all", args=[table.pk, "star_out"])
    client.post(address, {"token": uuid.uuid4()})
    assert not due("star_out") and due("wounded") >= {*others}
    rolled = [one for one in log(table) if isinstance(one, taps.Rolled)]
    assert {one.alarm for one in rolled} == {"star_out"}
    assert {one.outcome for one in rolled if one.by in others} <= {"holds", "runs"}
    # Its form says which alarm it is for, and so does a phone without a network.
    form = reverse("campaigns:table-attempt", args=[table.pk, "guts"])
    query = {"by": others[0], "alarm": "wounded"}
    assert fields(client.get(form, query).content.decode())["alarm"] == "wounded"
    # An old page of the alarm that is settled by now settles no other.
    for stale in ({**query, "alarm": "star_out"}, {**query, "cause": str(uuid.uuid4())}):
        page = fields(client.get(form, stale).content.decode())
        assert page.items() >= stale.items()
    data = fields(client.get(form, {**query, "alarm": "star_out"}).content.decode())
    client.post(form, data | {"how": "throw"})
    assert due("wounded") >= {*others}
    assert client.get(form, {**query, "cause": "x" * 500, "alarm": "x"}).status_code == 200
    beforehand = reverse("campaigns:table-beforehand", args=[table.pk, others[0]])
    found = [
        tap.get("alarm")
        for one in client.get(beforehand).json()["attempts"]
        for end in one["ends"]
        for tap in end["taps"]
        if tap["kind"] == "rolled" and tap["roll"] == "guts"
    ]
    assert found and {*found} == {"wounded"}


def test_only_players_make_attempts(
    as_user: AsUser, table: Table, alice: User, charlie: User
) -> None:
    address, client = duel_address(table), as_user(charlie)
    assert client.get(address).status_code == 404
    assert client.post(address.partition("?")[0], {"how": "throw"}).status_code == 404
    figure = reverse("campaigns:table-figure", args=[table.pk, figures(table, 1)[0]])
    assert client.get(figure).status_code == 404
    assert client.post(figure, {"do": "move"}).status_code == 404
    dice = reverse("campaigns:table-dice", args=[table.pk, uuid.uuid4()])
    assert as_user(alice).get(dice).status_code == 404


def test_spectator_sees_the_dice_and_may_not_spend(
    as_user: AsUser, table: Table, campaign: Campaign, alice: User
) -> None:
    client, address = as_user(alice), duel_address(table)
    data = fields(client.get(address).content.decode()) | {"how": "throw"}
    dice = client.post(address.partition("?")[0], data)["Location"]
    watcher = Client()
    watcher.get(reverse("campaigns:watch", args=[campaign.watch_key]))
    assert watcher.get(dice).status_code == 200
    assert "/accounts/login/" in watcher.post(dice, {"spend": ""})["Location"]


@pytest.mark.long
def test_luck_is_spent_on_the_chosen_attack(as_user: AsUser, alice: User) -> None:
    """Typed dice of two shots that miss: a luck die for the second one rolls one die."""
    client = as_user(alice)
    address = reverse("campaigns:gang-play", args=[make_gang(alice).pk])
    own = make_gang(alice, name="Own").pk
    opens = client.post(address, {"token": "one", "own": own})["Location"]
    table = Table.objects.get(pk=opens.split("/")[-2])
    leader = next(one for one in people.start_of(table).figures if one.side == 1 and one.leads)
    made = Attempt(leader.key, "two_shots", figures(table, 2)[-1], "colt_pistol")
    asked = made.question(people.start_of(table), fold_table(table).now)
    dice = asked.names["by.rc"]
    assert isinstance(dice, int)
    missed = roll.play_faces(asked, ((1,) * dice, (1,) * dice))
    act, open_roll = uuid.uuid4(), roll.keep_dice(made, missed, thrown=False, is_open=True)
    storage.say(table, alice, uuid.uuid4(), [open_roll], act=act, after=0, turn=1)
    dice_address = reverse("campaigns:table-dice", args=[table.pk, act])
    page = client.get(dice_address).content.decode()
    assert all(f'value="luck_die_hit {number}"' in page for number in (1, 2))
    data = {**fields(page), "spend": "luck_die_hit 2"}
    assert "1D6" in client.post(dice_address, data).content.decode() and len(log(table)) == 1
    # A page of an older version does not say which attack: nothing is spent.
    assert client.post(dice_address, {**data, "spend": "luck_die_hit"}).status_code == 302
    assert len(log(table)) == 1
    assert client.post(dice_address, {**data, "dice": "1"}).status_code == 302
    paid, rolled = log(table)[1:]
    assert paid == taps.Counted(figure=leader.key, track="luck", by=-1)
    assert isinstance(rolled, taps.Rolled)
    assert (rolled.spent, rolled.spent_in) == (("luck_die_hit",), ((2,),))
    assert rolled.faces == ((1,) * dice, (1,) * (dice + 1))
    assert "Shot 2" in client.get(dice_address).content.decode()


def test_pages_make_few_queries_and_little_work(
    as_user: AsUser, table: Table, alice: User, django_assert_max_num_queries: Any
) -> None:
    client, address = as_user(alice), duel_address(table)
    figure = reverse("campaigns:table-figure", args=[table.pk, figures(table, 1)[0]])
    for page in (address, figure):
        client.get(page)
        with django_assert_max_num_queries(10):
            client.get(page)
        assert calls(lambda page=page: client.get(page)) < 60_000


@pytest.mark.long
def test_jammed_weapon_is_shown_and_cleared(as_user: AsUser, alice: User) -> None:
    """The figure's page and the attempt both say it and offer the action that clears it."""
    gang = make_gang(alice, "cran")
    table = storage.open_alone(
        [gang, make_gang(alice, "cran")], owner=alice, guest=None, token="jam"
    )
    client, jammed = as_user(alice), None
    for one in people.start_of(table).figures:
        guns = [key for key in one.figure.items if one.rules.book.item[key].group == "ranged"]
        if guns and one.side == 1:
            jammed = taps.Began(figure=one.key, item=guns[0], state="jammed")
            break
    assert jammed is not None and jammed.figure is not None
    page = reverse("campaigns:table-figure", args=[table.pk, jammed.figure])
    attempt = reverse("campaigns:table-attempt", args=[table.pk, "shot"])
    attempt = f"{attempt}?by={jammed.figure}&action=shoot"
    cure = f'name="do" value="clear {jammed.item}"'
    assert client.get(page).content.decode().count("Jammed") == 0
    storage.push(table, alice, [pushed(jammed)])
    for address in (page, attempt):
        shown = client.get(address).content.decode()
        assert cure in shown and "Jammed" in shown
    data = fields(client.get(attempt).content.decode()) | {"do": f"clear {jammed.item}"}
    answer = client.post(f"{page}?roll=shot", data)
    assert answer["Location"].startswith(
        reverse("campaigns:table-attempt", args=[table.pk, "shot"])
    )
    assert taps.Ended(figure=jammed.figure, item=jammed.item, state="jammed") in log(table)
    assert cure not in client.get(answer["Location"]).content.decode()


@pytest.mark.parametrize("on_the_attempt", [False, True])
def test_jammed_weapon_is_cleared_by_an_action_too_many(
    as_user: AsUser, alice: User, *, on_the_attempt: bool
) -> None:
    """The button on either page says what speaks against it, and clears the weapon all the same."""
    gang = make_gang(alice, "cran")
    table = storage.open_alone(
        [gang, make_gang(alice, "cran")], owner=alice, guest=None, token="jam"
    )
    client, book = as_user(alice), gang.book
    who, gun = next(
        (one.key, key)
        for one in people.start_of(table).figures
        for key in one.figure.items
        if book.item[key].group == "ranged"
    )
    jammed = taps.Began(figure=who, item=gun, state="jammed")
    acted = [taps.Did(figure=who, action="move")] * 2
    told = [*acted, jammed]
    storage.push(table, alice, [pushed(tap, n=n) for n, tap in enumerate(told, start=1)])
    page = reverse("campaigns:table-figure", args=[table.pk, who])
    attempt = reverse("campaigns:table-attempt", args=[table.pk, "shot"])
    asked = f"{attempt}?by={who}&action=shoot&again=third_action"
    button = re.compile(rf'name="do" value="clear {gun}"\s+formaction="([^"]+)"\s*>\s*([^<]+)')
    shown = client.get(asked if on_the_attempt else page).content.decode()
    found = button.search(shown)
    assert found is not None and "Act again" in found[2]
    client.post(urljoin(page, unescape(found[1])), fields(shown) | {"do": f"clear {gun}"})
    assert taps.Ended(figure=who, item=gun, state="jammed") in log(table)


# Pages of an ended turn.


def begin_turn(table: Table, turn: int) -> None:
    """Let another phone end the turn before this one."""
    device, after = uuid.uuid4(), storage.log_of(table)[-1:]
    last = after[0].seq if after else 0
    storage.say(
        table, None, device, [taps.TurnEnded()], act=uuid.uuid4(), after=last, turn=turn - 1
    )


def test_action_of_an_ended_turn_shows_the_figure_again(
    as_user: AsUser, table: Table, alice: User
) -> None:
    client, figure = as_user(alice), figures(table, 1)[0]
    address = reverse("campaigns:table-figure", args=[table.pk, figure])
    page = fields(client.get(address).content.decode())
    begin_turn(table, 2)
    answer = client.post(address, page | {"do": "move"}, follow=True)
    assert answer.redirect_chain == [(address, 302)] and len(log(table)) == 1
    text = answer.content.decode()
    assert "Turn 2 has begun" in text
    client.post(address, fields(text) | {"do": "move"})
    assert [one.turn for one in storage.log_of(table)] == [1, 2, 2]


def test_reminder_of_an_ended_turn_shows_its_page_again(
    as_user: AsUser, table: Table, alice: User
) -> None:
    """On a figure's page and on that of dice, which do not learn of a new turn by themselves."""
    client, figure = as_user(alice), figures(table, 1)[0]
    rolled, act = taps.Rolled(roll="jump", by=figure), uuid.uuid4()
    storage.say(table, alice, uuid.uuid4(), [rolled], act=act, after=0, turn=1)
    begin_turn(table, 2)
    done = {"taps": '[{"kind": "dealt", "roll": "jump", "who": 1}]', "turn": 1, "after": 1}
    address = reverse("campaigns:table-taps", args=[table.pk])
    for query, name in ((f"figure={figure}", figure), (f"act={act}", act)):
        kind = "figure" if name == figure else "dice"
        page = reverse(f"campaigns:table-{kind}", args=[table.pk, name])
        answer = client.post(f"{address}?{query}", done | {"token": query}, follow=True)
        assert answer.redirect_chain == [(page, 302)] and len(log(table)) == 2
        assert "Turn 2 has begun" in answer.content.decode()
    assert client.post(f"{address}?figure=/", done).status_code == 404


@pytest.mark.long
def test_attempt_of_an_ended_turn_is_shown_again_with_everything_entered(
    as_user: AsUser, table: Table, alice: User
) -> None:
    client, address = as_user(alice), duel_address(table)
    post = address.partition("?")[0]
    page = fields(client.get(address).content.decode())
    begin_turn(table, 2)
    wrong = client.post(post, page | {"how": "throw"})
    assert wrong.status_code == 422 and "Turn 2 has begun" in wrong.content.decode()
    [outcome, *_] = re.findall(r'name="outcome" value="(\w+)"', wrong.content.decode())
    said = client.post(post, page | {"how": "say", "outcome": outcome, "said": "*"})
    assert said.status_code == 422
    assert f'value="{outcome}" checked' in said.content.decode()
    typed = page | {"how": "tell", "lain": "", "decided": ""}
    boxes = client.post(post, typed).content.decode()
    number = boxes.count('name="dice"')
    assert number
    # The page with the boxes is of the new turn. Its dice are shown again when that has ended.
    more = fields(boxes) | {"how": "tell"}
    assert more["turn"] == "2"
    begin_turn(table, 3)
    again = client.post(post, more | {"dice": ["5"] * number})
    assert again.status_code == 422 and "Turn 3 has begun" in again.content.decode()
    assert again.content.decode().count('value="5"') >= number
    assert len(log(table)) == 2
    answer = client.post(post, fields(again.content.decode()) | {"how": "tell", "dice": "5"})
    assert answer.status_code in (200, 302, 422) and "has begun" not in answer.content.decode()
