"""The messages of channels: nights, pairings, results, deaths, advances, waiting post-games."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256

import pytest
from django.utils import timezone

from accounts.http import public_url
from accounts.models import User
from campaigns.club.nights import schedule
from campaigns.club.planning import plans
from campaigns.models import Attendance, Campaign, Game, Side
from campaigns.postgames import drafts
from campaigns.season import freshness
from campaigns.season.freshness import CampaignState
from campaigns.season.loading import LoadedSeason
from common import background
from common.background import backlog_of, carry_out
from common.models import Job
from gangs.engine.entries import Died, Promoted, Renamed, Rose, TraitTaken
from gangs.ledger import writer
from gangs.models import Gang, StoredEntry
from gangs.text.formats import localize
from gangs.text.passages import Link, Passage, TextLine, Title, as_markdown, as_plain
from outbound.hooks import sending, storage, watching
from outbound.models import Delivery, Hook
from printing import queue
from printing.pictures import games as game_picture
from tests.outbound.fake_discord import FakeDiscord
from tests.outbound.hooks.conftest import SIGNED_URL, AddHook, look, run, wait
from tests.world.campaigns import (
    answered,
    confirmed,
    make_campaign,
    make_game,
    make_night,
    make_stage,
    reported,
    side_of,
)

pytestmark = pytest.mark.django_db


def texts(discord: FakeDiscord) -> list[str]:
    return [message["content"] for message in discord.messages.values()]


def only(hook: Hook, *kinds: str) -> None:
    """Let the channel get only these kinds, and forget what it has."""
    Hook.objects.filter(pk=hook.pk).update(kinds=list(kinds), seen="")


def play(campaign: Campaign, *sides: tuple[Gang, User]) -> Game:
    """Return a confirmed game of today, which the first side won."""
    (first, player), (second, other) = sides
    game = make_game(campaign, player, first, second, day=timezone.localdate())
    return confirmed(reported(game, player), other)


def commit(game: Game, gang: Gang, player: User) -> None:
    side = answered(side_of(game, gang))
    assert side.gang is not None
    drafts.commit(side, seen_draft=side.draft_version, seen_gang=side.gang.version, actor=player)


def append(gang: Gang, entry: object, actor: User) -> uuid.UUID:
    gang = Gang.objects.get(pk=gang.pk)
    batch = uuid.uuid4()
    writer.append(gang, [entry], expected_version=gang.version, actor=actor, batch=batch)  # type: ignore[list-item]
    return batch


def test_a_night_has_one_message_that_is_edited_as_it_fills(
    hook: Hook, discord: FakeDiscord, campaign: Campaign, hers: Gang, theirs: Gang, alice: User
) -> None:
    only(hook, "nights")
    night = make_night(campaign, place="The *old* mill @everyone")
    look()
    [text] = texts(discord)
    assert "The \\*old\\* mill @\u2060everyone" in text
    assert f"**No answer yet 2** · {hers.name} (alice), {theirs.name} (dora)" in text
    assert text.rstrip().endswith(f"{night.get_absolute_url()}>")
    schedule.answer(night, hers, Attendance.Answer.YES, actor=alice)
    look()
    [text] = texts(discord)
    assert f"**Going 1** · {hers.name} (alice)" in text
    # Nothing new, nothing sent.
    row = hook.deliveries.get(kind="nights")
    look()
    assert hook.deliveries.get(kind="nights").tried_at == row.tried_at


def test_answers_in_quick_succession_are_one_edit(
    hook: Hook, discord: FakeDiscord, campaign: Campaign, hers: Gang, alice: User
) -> None:
    only(hook, "nights")
    night = make_night(campaign)
    look()
    for choice in ("yes", "no", "maybe"):
        schedule.answer(night, hers, choice, actor=alice)
    watching.look_everywhere()
    assert Job.objects.waiting().count() == 1


def test_a_change_that_is_stored_while_the_message_is_sent_edits_that_message(
    hook: Hook,
    discord: FakeDiscord,
    campaign: Campaign,
    hers: Gang,
    alice: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    only(hook, "nights")
    night = make_night(campaign)
    watching.look_everywhere()
    schedule.answer(night, hers, Attendance.Answer.YES, actor=alice)

    def write_while_another_process_sends(text: Sequence[Passage]) -> str:
        # The look has read the row, but has not stored the new content yet.
        monkeypatch.setattr(watching, "as_plain", as_plain)
        run()
        assert "**No answer yet 1**" in texts(discord)[0]
        return as_plain(text)

    monkeypatch.setattr(watching, "as_plain", write_while_another_process_sends)
    look()
    [text] = texts(discord)
    assert "**Going 1**" in text


def test_a_night_that_is_called_off_gets_a_second_message(
    hook: Hook, discord: FakeDiscord, campaign: Campaign
) -> None:
    only(hook, "nights")
    night = make_night(campaign)
    look()
    schedule.cancel(night, expected_version=0)
    look()
    first, second = texts(discord)
    assert "called off" in first
    assert "called off" in second
    night.refresh_from_db()
    schedule.revive(night, expected_version=night.version)
    look()
    [text] = texts(discord)
    assert "called off" not in text


def test_the_message_of_a_deleted_night_is_deleted(
    hook: Hook, discord: FakeDiscord, campaign: Campaign
) -> None:
    only(hook, "nights")
    night = make_night(campaign)
    look()
    assert texts(discord)
    schedule.delete(night, expected_version=0)
    look()
    assert texts(discord) == []
    assert hook.deliveries.get(kind="nights").is_deleted


def test_a_message_that_somebody_deleted_in_the_channel_does_not_come_back(
    hook: Hook, discord: FakeDiscord, campaign: Campaign, hers: Gang, alice: User
) -> None:
    only(hook, "nights")
    night = make_night(campaign)
    look()
    discord.messages.clear()
    for choice in ("yes", "no"):
        schedule.answer(night, hers, choice, actor=alice)
        look()
    assert texts(discord) == []


def test_only_the_next_of_far_nights_has_a_message(
    hook: Hook, discord: FakeDiscord, campaign: Campaign
) -> None:
    only(hook, "nights")
    now = timezone.now()
    for days in (13, 20, 27):
        make_night(campaign, starts_at=now + timedelta(days=days))
    look()
    assert len(texts(discord)) == 1


def test_pairings_come_with_their_reasons_and_then_the_result(
    hook: Hook,
    discord: FakeDiscord,
    campaign: Campaign,
    hers: Gang,
    theirs: Gang,
    alice: User,
    bob: User,
    dora: User,
) -> None:
    night = make_night(campaign, starts_at=timezone.now() + timedelta(minutes=5))
    plans.plan_pairs(night, [(hers, theirs)], actor=bob, token=uuid.uuid4())
    only(hook, "pairings")
    look()
    [text] = texts(discord)
    assert f"**{hers.name} (alice) – {theirs.name} (dora)**" in text
    assert "never met before" in text
    game = night.games.get()
    confirmed(reported(game, alice), dora)
    look()
    [text] = texts(discord)
    assert "never met before" not in text
    assert f"{hers.name} (alice) won" in text


def test_an_open_round_of_a_league_has_a_message(
    hook: Hook, discord: FakeDiscord, campaign: Campaign, hers: Gang, theirs: Gang
) -> None:
    only(hook, "pairings")
    make_stage(campaign, hers, theirs)
    look()
    [text] = texts(discord)
    assert "Autumn · Round 1" in text
    assert hers.name in text


def test_a_round_of_a_knock_out_has_its_name_in_its_message(
    hook: Hook, discord: FakeDiscord, campaign: Campaign, hers: Gang, theirs: Gang
) -> None:
    only(hook, "pairings")
    make_stage(campaign, hers, theirs, stage_format="knock-out")
    look()
    [text] = texts(discord)
    assert "Autumn · Final" in text and "Round 1" not in text


def test_a_result_has_a_message_which_says_so_when_it_is_undone(
    hook: Hook,
    discord: FakeDiscord,
    campaign: Campaign,
    hers: Gang,
    theirs: Gang,
    alice: User,
    dora: User,
) -> None:
    only(hook, "results")
    game = play(campaign, (hers, alice), (theirs, dora))
    look()
    [text] = texts(discord)
    assert f"{hers.name} (alice) won" in text.replace("\\", "")
    Game.objects.filter(pk=game.pk).update(status=Game.Status.STRUCK, version=99)
    look()
    [text] = texts(discord)
    assert "This whole game is undone" in text


def test_a_look_that_read_older_states_overwrites_no_newer_message(
    hook: Hook,
    discord: FakeDiscord,
    campaign: Campaign,
    hers: Gang,
    theirs: Gang,
    alice: User,
    dora: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    only(hook, "results")
    game = play(campaign, (hers, alice), (theirs, dora))
    look()
    only(hook, "results")
    states_of, has_looked = watching.states_of, False

    def read_slowly(keys: Sequence[uuid.UUID]) -> dict[uuid.UUID, CampaignState]:
        nonlocal has_looked
        found = states_of(keys)
        loaded = {key: watching.load_season(key, found[key]) for key in keys}
        if not has_looked:
            # Meanwhile the game is undone, and another process tells the channel.
            has_looked = True
            Game.objects.filter(pk=game.pk).update(status=Game.Status.STRUCK, version=99)
            watching.look_everywhere()
            load = watching.load_season
            monkeypatch.setattr(
                watching,
                "load_season",
                lambda key, state: loaded[key] if state == found.get(key) else load(key, state),
            )
        return found

    monkeypatch.setattr(watching, "states_of", read_slowly)
    look()
    [message] = texts(discord)
    assert "This whole game is undone" in message


def test_a_result_has_its_picture(
    hook: Hook,
    discord: FakeDiscord,
    campaign: Campaign,
    hers: Gang,
    theirs: Gang,
    alice: User,
    dora: User,
) -> None:
    only(hook, "results")
    game = play(campaign, (hers, alice), (theirs, dora))
    look()
    [picture] = discord.pictures
    assert picture.startswith(b"\x89PNG")
    [message] = discord.messages.values()
    assert message["attachments"][0]["filename"] == "result.png"
    # A game that counts for nobody has no picture.
    Game.objects.filter(pk=game.pk).update(status=Game.Status.STRUCK, version=99)
    look()
    [message] = discord.messages.values()
    assert message["attachments"] == []


def test_a_result_whose_picture_cannot_be_drawn_is_sent_without_it(
    hook: Hook,
    discord: FakeDiscord,
    campaign: Campaign,
    hers: Gang,
    theirs: Gang,
    alice: User,
    dora: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*args: object) -> object:
        raise ValueError("no font")

    monkeypatch.setattr(game_picture, "for_message", fail)
    only(hook, "results")
    play(campaign, (hers, alice), (theirs, dora))
    look()
    assert len(texts(discord)) == 1
    assert discord.pictures == []


def test_a_result_just_before_a_change_of_the_settings_is_sent(
    hook: Hook,
    discord: FakeDiscord,
    campaign: Campaign,
    hers: Gang,
    theirs: Gang,
    alice: User,
    dora: User,
) -> None:
    only(hook, "results")
    look()
    hook.refresh_from_db()
    play(campaign, (hers, alice), (theirs, dora))
    kinds = ["results", "nights"]
    storage.change(hook, kinds=kinds, language="en", thread="", expected_version=hook.version)
    look()
    assert len(texts(discord)) == 1


def test_a_result_waits_for_its_picture_while_the_press_is_busy(
    hook: Hook,
    discord: FakeDiscord,
    campaign: Campaign,
    hers: Gang,
    theirs: Gang,
    alice: User,
    dora: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def is_busy(*args: object) -> object:
        raise queue.Waiting(9)

    only(hook, "results")
    play(campaign, (hers, alice), (theirs, dora))
    with monkeypatch.context() as patch:
        patch.setattr(game_picture, "for_message", is_busy)
        look()
        assert texts(discord) == []
    wait()
    assert len(texts(discord)) == len(discord.pictures) == 1


def test_a_result_is_sent_once_when_its_picture_outlasts_the_lease(
    hook: Hook,
    discord: FakeDiscord,
    campaign: Campaign,
    hers: Gang,
    theirs: Gang,
    alice: User,
    dora: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, draw = [0.0], game_picture.for_message
    monkeypatch.setattr(background, "monotonic", lambda: clock[0])

    def draw_late(game: Game, sides: Sequence[Side]) -> bytes:
        # The lease ends while the press is busy, and another process takes the job.
        monkeypatch.setattr(game_picture, "for_message", draw)
        Job.objects.update(next_at=timezone.now() - timedelta(seconds=1))
        run()
        clock[0] += sending.LANE.taken_for.total_seconds()
        return draw(game, sides)

    only(hook, "results")
    play(campaign, (hers, alice), (theirs, dora))
    monkeypatch.setattr(game_picture, "for_message", draw_late)
    look()
    assert len(texts(discord)) == len(discord.pictures) == 1


def test_a_reported_game_has_no_message_before_it_is_confirmed(
    hook: Hook, discord: FakeDiscord, campaign: Campaign, hers: Gang, theirs: Gang, alice: User
) -> None:
    only(hook, "results")
    reported(make_game(campaign, alice, hers, theirs, day=timezone.localdate()), alice)
    look()
    assert texts(discord) == []


def test_a_new_channel_gets_nothing_about_the_past(
    add_hook: AddHook,
    discord: FakeDiscord,
    campaign: Campaign,
    hers: Gang,
    theirs: Gang,
    alice: User,
    dora: User,
) -> None:
    game = play(campaign, (hers, alice), (theirs, dora))
    commit(game, hers, alice)
    member = Gang.objects.get(pk=hers.pk).roster.members[-1].id
    append(hers, Died(member=member), alice)
    make_stage(campaign, hers, theirs)
    make_night(campaign)
    hook = add_hook()
    run()
    look()
    kinds = set(hook.deliveries.values_list("kind", flat=True))
    assert kinds == {"hello", "nights"}


def test_a_kind_that_is_chosen_later_begins_with_the_news(
    hook: Hook,
    discord: FakeDiscord,
    campaign: Campaign,
    hers: Gang,
    theirs: Gang,
    alice: User,
    dora: User,
) -> None:
    only(hook, "deaths")
    play(campaign, (hers, alice), (theirs, dora))
    storage.change(hook, kinds=["results"], language="en", thread="", expected_version=0)
    look()
    assert texts(discord) == []


def test_deaths_and_advances_have_messages(
    hook: Hook,
    discord: FakeDiscord,
    campaign: Campaign,
    hers: Gang,
    theirs: Gang,
    alice: User,
    dora: User,
) -> None:
    only(hook, "deaths", "advances")
    game = play(campaign, (hers, alice), (theirs, dora))
    commit(game, hers, alice)
    gang = Gang.objects.get(pk=hers.pk)
    first, *_others, last = gang.roster.members
    trait = gang.book.traits[0].key
    append(hers, TraitTaken(member=first.id, trait=trait, advance=True), alice)
    batch = append(hers, Died(member=last.id), alice)
    look()
    found = {row.kind: row for row in hook.deliveries.exclude(kind="hello")}
    assert found.keys() == {"deaths", "advances"}
    death = discord.messages[found["deaths"].message]["content"]
    assert "died" in death
    assert f"/members/{last.id}/" in death
    advances = discord.messages[found["advances"].message]["content"]
    assert "gained" in advances
    # The death is taken back.
    gang.refresh_from_db()
    gang = Gang.objects.get(pk=hers.pk)
    writer.strike(gang, batch, expected_version=gang.version, actor=alice)
    look()
    assert found["deaths"].message not in discord.messages
    assert found["advances"].message in discord.messages


def keep(hook: Hook, kind: str, key: str, text: list[Passage], path: str) -> None:
    """Store a message that has arrived, as a channel has kept it for days."""
    url = f"{public_url()}{path}"
    passages = [*text, Link(url)]
    content = {
        "text": as_plain(passages),
        "markdown": as_markdown(passages),
        "url": url,
        "picture": "",
    }
    wanted = sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    now = timezone.now()
    Delivery.objects.create(
        hook=hook, kind=kind, key=key, wanted=wanted, message="1", is_waiting=False, sent_at=now
    )


def test_a_kept_channel_gets_no_death_and_no_advance_twice(
    hook: Hook,
    discord: FakeDiscord,
    campaign: Campaign,
    hers: Gang,
    theirs: Gang,
    alice: User,
    dora: User,
) -> None:
    """The keys and texts of messages are those of the channel's first days, letter for letter."""
    only(hook, "deaths", "advances")
    game = play(campaign, (hers, alice), (theirs, dora))
    commit(game, hers, alice)
    gang = Gang.objects.get(pk=hers.pk)
    first, *_others, last = gang.roster.members
    trait, risen = gang.book.traits[0], gang.book.characteristics[0]
    rank = next(row for row in gang.book.ranks if row.key != first.rank)
    before = first.name_or_rank(gang.book)
    append(hers, TraitTaken(member=first.id, trait=trait.key, advance=True), alice)
    append(hers, Rose(member=first.id, characteristic=risen.key, amount=-1), alice)
    append(hers, Promoted(member=first.id, rank=rank.key, advance=True), alice)
    batch = append(hers, Died(member=last.id), alice)
    number = StoredEntry.objects.get(batch=batch).number
    name, page = localize(before), f"/campaigns/{campaign.pk}/"
    # The other gang is a namesake, so the player tells them apart.
    shown = f"{hers.name} (alice)"
    advances = [
        Title(f"Advances: {shown}"),
        TextLine(f"{name} gained {localize(trait.name)}."),
        TextLine(f"{name}: {localize(risen.name)} −1 for good."),
        TextLine(f"{name} was promoted to {localize(rank.name)}."),
    ]
    key = f"advances:{hers.pk}:{timezone.localdate()}"
    keep(hook, "advances", key, advances, page)
    death = f"{localize(last.name_or_rank(gang.book))} ({shown}) died."
    career = f"{page}gangs/{hers.pk}/members/{last.id}/"
    key = f"died:{hers.pk}:{number}:{last.id}"
    keep(hook, "deaths", key, [TextLine("", strong=death)], career)
    before_look = list(hook.deliveries.order_by("pk").values())
    look()
    assert texts(discord) == []
    assert list(hook.deliveries.order_by("pk").values()) == before_look
    assert len(before_look) == 3


def test_waiting_postgames_are_listed_the_day_after(
    hook: Hook,
    discord: FakeDiscord,
    campaign: Campaign,
    hers: Gang,
    theirs: Gang,
    alice: User,
    dora: User,
) -> None:
    only(hook, "postgames")
    game = play(campaign, (hers, alice), (theirs, dora))
    look()
    assert texts(discord) == []
    yesterday = timezone.localdate() - timedelta(days=1)
    Game.objects.filter(pk=game.pk).update(played_on=yesterday, version=50)
    look()
    [text] = texts(discord)
    assert "alice" in text
    assert "dora" in text
    commit(Game.objects.get(pk=game.pk), hers, alice)
    look()
    [text] = texts(discord)
    assert "alice" not in text
    assert "dora" in text
    commit(Game.objects.get(pk=game.pk), theirs, dora)
    look()
    [text] = texts(discord)
    assert "Everybody has played theirs." in text


@pytest.mark.parametrize("values", [{"hidden_why": "Insults"}, {"archived_at": timezone.now()}])
def test_a_hidden_or_archived_campaign_sends_nothing(
    hook: Hook, discord: FakeDiscord, campaign: Campaign, values: dict[str, object]
) -> None:
    make_night(campaign)
    Campaign.objects.filter(pk=campaign.pk).update(**values)
    look()
    assert texts(discord) == []


def test_a_renamed_gang_has_its_new_name_in_the_messages(
    hook: Hook, discord: FakeDiscord, campaign: Campaign, hers: Gang, alice: User
) -> None:
    only(hook, "nights")
    make_night(campaign)
    look()
    append(hers, Renamed(name="Ghosts"), alice)
    look()
    [text] = texts(discord)
    assert "Ghosts" in text


def test_messages_are_in_the_language_of_the_channel(
    hook: Hook, discord: FakeDiscord, campaign: Campaign, hers: Gang
) -> None:
    Hook.objects.update(language="fr", kinds=["nights"])
    make_night(campaign)
    look()
    [text] = texts(discord)
    assert "Pas encore de réponse 1" in text.replace("\xa0", " ")


def add_channels(number: int, organiser: User) -> list[Hook]:
    """Return channels of as many new campaigns, in the order in which a look reads them."""
    hooks = [
        Hook.objects.create(
            campaign=make_campaign(organiser),
            by=organiser,
            kinds=["nights"],
            language="en",
            token=uuid.uuid4(),
        )
        for _number in range(number)
    ]
    return sorted(hooks, key=lambda one: str(one.campaign_id))


def test_a_look_without_news_makes_as_many_queries_for_many_campaigns(
    hook: Hook, discord: FakeDiscord, alice: User, django_assert_num_queries: object
) -> None:
    look()
    with django_assert_num_queries(17):  # type: ignore[operator]
        watching.look_everywhere()
    add_channels(5, alice)
    watching.look_everywhere()
    with django_assert_num_queries(17):  # type: ignore[operator]
        watching.look_everywhere()


@pytest.mark.parametrize("piece", [1, 4, 200])
def test_looks_take_turns_when_there_is_more_news_than_one_composes(
    alice: User, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    hooks = add_channels(5, alice)
    monkeypatch.setattr(watching, "PIECE", piece)
    monkeypatch.setattr(watching, "MOST_COMPOSED", 2)
    seen, backlogs = [], []
    for _look in range(4):
        # The first campaign has news at each look.
        make_night(hooks[0].campaign)
        Job.objects.filter(kind="news for channels").update(next_at=timezone.now())
        carry_out(watching.WATCHING)
        seen.append(Hook.objects.exclude(seen="").count())
        backlogs.append(backlog_of(Job.objects.get(kind="news for channels")))
    assert seen == [2, 4, 5, 5] and backlogs[:2] == [3, 3]


def test_state_read_for_many_campaigns_is_that_of_each(
    hook: Hook, discord: FakeDiscord, campaign: Campaign, hers: Gang, theirs: Gang, alice: User
) -> None:
    """A channel added by one way would send everything again after a look by the other."""
    make_night(campaign)
    make_game(campaign, alice, hers, theirs)
    other = make_campaign(alice)
    states = freshness.states_of([campaign.pk, other.pk])
    assert states.keys() == {campaign.pk, other.pk}
    for key, state in states.items():
        alone = freshness.state_of(key)
        assert alone is not None
        assert watching._lines(alone) == watching._lines(state)
        assert freshness.state_watched_by(state.watch_key) == alone


def test_new_day_is_only_looked_at_where_it_may_bring_something(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet, busy, later = add_channels(3, alice)
    make_night(busy.campaign, timezone.now() + timedelta(days=2))
    make_night(later.campaign, timezone.now() + timedelta(days=100))
    composed = []
    compare = watching._compare
    monkeypatch.setattr(
        watching, "_compare", lambda hook, *rest: (composed.append(hook), compare(hook, *rest))
    )
    watching.look_everywhere()
    assert len(composed) == 3
    composed.clear()
    tomorrow = timezone.now() + timedelta(days=1)
    monkeypatch.setattr(timezone, "now", lambda: tomorrow)
    watching.look_everywhere()
    assert composed == [busy]


def test_a_campaign_that_cannot_be_read_holds_up_no_other(
    hook: Hook, campaign: Campaign, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_campaign(alice)
    Hook.objects.create(
        campaign=other, by=alice, kinds=["nights"], language="en", token=uuid.uuid4()
    )
    broken, sound = (make_night(one) for one in sorted((campaign, other), key=lambda one: one.pk))
    load = watching.load_season

    def fail(campaign_id: uuid.UUID, state: CampaignState) -> LoadedSeason:
        assert campaign_id != broken.campaign_id
        return load(campaign_id, state)

    monkeypatch.setattr(watching, "load_season", fail)
    with pytest.raises(ExceptionGroup):
        watching.look_everywhere()
    assert Delivery.objects.filter(key=f"night:{sound.pk}").exists()


def test_another_program_gets_the_texts_as_json(add_hook: AddHook, campaign: Campaign) -> None:
    hook = add_hook(SIGNED_URL, kinds=["nights"])
    night = make_night(campaign, place="Mill")
    watching.look_everywhere()
    row = Delivery.objects.get(hook=hook, kind="nights")
    assert row.key == f"night:{night.pk}"
    assert "Mill" in row.content["text"]
    assert row.content["url"].endswith(night.get_absolute_url())
