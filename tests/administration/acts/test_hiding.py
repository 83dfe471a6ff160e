"""Administrators hide and rename; the author learns it, and one press undoes it."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Notice, User
from accounts.notices import describe as describe_notice
from administration.acts.views import describe
from administration.models import Act, HiddenText, PageReport
from campaigns.games import game_story
from campaigns.models import Campaign, Claim, Game, Side
from common.storages import store as file_store
from gangs.engine import entries as kinds
from gangs.files.data_export import files_of
from gangs.ledger import writer
from gangs.ledger.replay import prove
from gangs.models import Gang
from gangs.pictures import storage as pictures_storage
from gangs.pictures.storage import Decoded
from rules.editor import store
from rules.models import BookDraft, BookVersion
from tests.administration.acts.test_acts import WHY, address, send
from tests.world.campaigns import make_campaign, make_game, make_night, make_player, reported
from tests.world.gangs import make_gang, make_version

pytestmark = pytest.mark.django_db


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def press(client: Client, page: str, kind: str) -> Any:
    """Press the button that undoes an act, with the form that the page shows for it."""
    html = client.get(page).content.decode()
    found = re.search(
        rf'<form method="post" action="([^"]*/{kind}/[^"]*)">(.*?)</form>', html, re.S
    )
    assert found is not None, f"{page} has no button {kind}"
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', found[2]))
    return client.post(found[1], fields)


def page_of(subject: Any) -> str:
    return address(subject, "x").removesuffix("x/")


def told(user: User) -> list[str]:
    """Return the notices of a user as sentences, oldest first."""
    return [describe_notice(notice) for notice in Notice.objects.filter(user=user).order_by("pk")]


def test_hidden_gang_is_closed_to_strangers_until_one_press_shows_it(
    as_helper: Client, alice: User
) -> None:
    gang = make_gang(alice)
    sheet, hers = reverse("gangs:shared", args=[gang.share_key]), signed_in(alice)
    code = reverse("gangs:by-code", args=[gang.share_code])
    assert send(as_helper, gang, "hide").status_code == 302
    assert Client().get(sheet).status_code == Client().get(code).status_code == 404
    builder = hers.get(gang.get_absolute_url()).content.decode()
    assert "nobody can open its link" in builder and WHY in builder
    # Its owner cannot share it under another link.
    hers.post(reverse("gangs:sharing", args=[gang.pk]))
    assert Gang.objects.get().share_key == gang.share_key
    assert press(as_helper, page_of(gang), "show").status_code == 302
    assert Client().get(sheet).status_code == 200
    assert Client().get(code).status_code == 302
    first, second = told(alice)
    assert first == f"An administrator has hidden {gang.name}. Why: {WHY}"
    assert second == f"An administrator shows {gang.name} again."
    assert [describe(act) for act in Act.objects.all()] == [
        f"helper showed the gang {gang.name} again.",
        f"helper hid the gang {gang.name}.",
    ]


def test_hidden_gang_stays_in_its_campaign_without_a_link(
    as_helper: Client, alice: User, bob: User
) -> None:
    campaign = make_campaign(bob)
    gang = make_player(campaign, alice)
    shared = reverse("gangs:shared", args=[gang.share_key])
    organiser = signed_in(bob)
    assert shared in organiser.get(campaign.get_absolute_url()).content.decode()
    send(as_helper, gang, "hide")
    page = organiser.get(campaign.get_absolute_url()).content.decode()
    assert gang.name in page and shared not in page


def test_hidden_campaign_is_closed_to_all_links_but_not_to_its_people(
    as_helper: Client, alice: User, bob: User, charlie: User
) -> None:
    campaign = make_campaign(bob)
    game = make_game(campaign, bob, make_player(campaign, alice), make_player(campaign, bob))
    links = [
        reverse("campaigns:watch", args=[campaign.watch_key]),
        reverse("campaigns:watch-preview", args=[campaign.watch_key]),
        reverse("campaigns:feed", args=[campaign.watch_key]),
        reverse("campaigns:night-feed", args=[campaign.watch_key]),
        reverse("campaigns:join", args=[campaign.invite_key]),
    ]
    pages = [
        campaign.get_absolute_url(),
        reverse("campaigns:chronicle", args=[campaign.pk]),
        game.get_absolute_url(),
    ]
    spectator = signed_in(charlie)
    spectator.get(links[0])
    assert {spectator.get(page).status_code for page in pages} == {200}
    assert send(as_helper, campaign, "hide").status_code == 302
    assert {spectator.get(page).status_code for page in (*links, *pages)} == {404}
    assert {signed_in(alice).get(page).status_code for page in pages} == {200}
    assert press(as_helper, page_of(campaign), "show").status_code == 302
    assert {spectator.get(page).status_code for page in pages} == {200}
    assert [sentence.partition(" The long")[0] for sentence in told(bob)[-2:]] == [
        "An administrator has hidden",
        "An administrator shows",
    ]


@pytest.mark.long
def test_hidden_variant_is_closed_except_to_those_who_play_by_it(
    as_helper: Client, alice: User, bob: User
) -> None:
    variant = store.start_variant(alice, make_version(), "Rude rules", token=uuid.uuid4())
    state = store.publish(variant, expected_version=variant.draft_version)
    pages = [
        reverse("rules:version", args=[state.pk]),
        reverse("rules:version-search", args=[state.pk]),
        reverse("rules:version-package", args=[state.pk]),
        reverse("rules:version-reference", args=[state.pk]),
        reverse("rules:version-odds", args=[state.pk]),
        reverse("rules:version-introduction", args=[state.pk]),
    ]
    other = signed_in(bob)
    assert other.get(pages[0]).status_code == 200
    assert send(as_helper, variant, "hide").status_code == 302
    assert {other.get(page).status_code for page in pages} == {404}
    assert signed_in(alice).get(pages[0]).status_code == 200
    assert as_helper.get(pages[0]).status_code == 200
    assert store.find_offered(alice) == []
    gang = make_gang(bob)
    Gang.objects.filter(pk=gang.pk).update(book_version=state)
    assert other.get(pages[0]).status_code == 200
    assert press(as_helper, page_of(variant), "show").status_code == 302
    assert Client().get(pages[0]).status_code == 200
    assert [found.pk for found, _book in store.find_offered(alice)] == [state.pk]


def test_hidden_game_of_a_player_is_closed(as_helper: Client, alice: User, bob: User) -> None:
    draft = BookDraft.objects.create(owner=alice, slug="mine", data="{}")
    version = make_version()
    BookVersion.objects.filter(pk=version.pk).update(draft=draft, number=1)
    page = reverse("rules:version", args=[version.pk])
    BookDraft.objects.update(hidden_why=WHY)
    assert signed_in(bob).get(page).status_code == 404
    assert signed_in(alice).get(page).status_code == 200
    BookDraft.objects.update(hidden_why="")
    assert as_helper.get(page_of_draft(draft)).status_code == 200


def page_of_draft(draft: BookDraft) -> str:
    return reverse("administration:draft", args=[draft.pk])


def test_gang_and_member_are_renamed_and_get_their_names_back(
    as_helper: Client, alice: User, bob: User
) -> None:
    campaign = make_campaign(bob)
    gang = make_player(campaign, alice)
    other = make_player(campaign, bob)
    writer.append(other, [kinds.Renamed(name="Others")], expected_version=other.version, actor=bob)
    game = make_game(campaign, bob, gang, other)
    member = gang.roster.members[0]
    before, rude = gang.name, member.name
    assert send(as_helper, gang, "rename", name="Plain", part="").status_code == 302
    assert send(as_helper, gang, "rename", name="Jo", part=str(member.id)).status_code == 302
    gang = Gang.objects.get(pk=gang.pk)
    assert gang.name == "Plain" and gang.roster.member(member.id).name == "Jo"
    assert {side.name for side in Side.objects.filter(game=game, gang=gang)} == {"Plain"}
    assert Side.objects.filter(game=game).exclude(gang=gang).get().name == other.name
    assert before not in signed_in(bob).get(campaign.get_absolute_url()).content.decode()
    # One press after the other, the last renaming first.
    press(as_helper, page_of(gang), "rename-back")
    assert Gang.objects.get(pk=gang.pk).roster.member(member.id).name == rude
    press(as_helper, page_of(gang), "rename-back")
    gang = Gang.objects.get(pk=gang.pk)
    assert gang.name == before and Side.objects.get(game=game, gang=gang).name == before
    assert "rename-back" not in as_helper.get(page_of(gang)).content.decode()
    assert prove().different == ()
    said = [sentence for sentence in told(alice) if "renamed" in sentence]
    assert said[0] == f"An administrator has renamed {before} to Plain. Why: {WHY}"
    assert len(said) == 4


def test_renaming_is_not_undone_once_the_owner_has_chosen_another_name(
    as_helper: Client, alice: User
) -> None:
    gang = make_gang(alice)
    send(as_helper, gang, "rename", name="Plain")
    gang = Gang.objects.get()
    mine = [kinds.Renamed(name="My own choice")]
    writer.append(gang, mine, expected_version=gang.version, actor=alice)
    assert "rename-back" not in as_helper.get(page_of(gang)).content.decode()
    answer = send(as_helper, gang, "rename-back")
    assert answer.status_code == 409 and Gang.objects.get().name == "My own choice"
    assert send(as_helper, gang, "rename", name="").status_code == 422
    assert send(as_helper, gang, "rename", name="X", part="999").status_code == 422


def test_campaign_and_variant_are_renamed_and_get_their_names_back(
    as_helper: Client, alice: User, bob: User
) -> None:
    campaign = make_campaign(bob)
    variant = store.start_variant(alice, make_version(), "Rude rules", token=uuid.uuid4())
    for subject, owner in ((campaign, bob), (variant, alice)):
        model, before = type(subject), subject.name
        assert send(as_helper, subject, "rename", name="Plain").status_code == 302
        assert model._default_manager.get().name == "Plain"
        press(as_helper, page_of(subject), "rename-back")
        assert model._default_manager.get().name == before
        assert [notice.kind for notice in Notice.objects.filter(user=owner)] == ["renamed"] * 2


@pytest.mark.django_db(transaction=True)
def test_hidden_picture_is_served_to_nobody_and_comes_back(as_helper: Client, alice: User) -> None:
    gang = make_gang(alice)
    member = gang.roster.members[0].id
    for place, letter in ((None, b"b"), (member, b"m")):
        pictures_storage.keep(gang, place, Decoded((b"small" + letter, b"large" + letter)))
    badge = pictures_storage.name_of(gang, None)
    url = reverse("gangs:picture", args=[gang.pk, 96, badge])
    files, hers = sorted(file_store("pictures").written()), signed_in(alice)
    assert send(as_helper, gang, "hide-pictures", pictures=["badge"]).status_code == 302
    assert hers.get(url).status_code == 404
    judged = reverse("administration:picture", args=[gang.pk, badge])
    assert as_helper.get(judged).content == b"largeb"
    # Neither a cleaning nor a backup forgets it, and its owner can still download it.
    assert {name.partition("-")[0] for name in pictures_storage.file_names()} >= {badge}
    names = [file.path for file in files_of(alice)]
    assert any("hidden-pictures/badge" in name for name in names)
    assert sorted(file_store("pictures").written()) == files
    assert press(as_helper, page_of(gang), "show-pictures").status_code == 302
    assert hers.get(url).content == b"smallb"
    assert set(Gang.objects.get().pictures) == {"badge", str(member)}
    assert Gang.objects.get().hidden_pictures == {}
    assert len(told(alice)) == 2


@pytest.mark.django_db(transaction=True)
def test_hidden_picture_does_not_replace_a_newer_one(as_helper: Client, alice: User) -> None:
    gang = make_gang(alice)
    pictures_storage.keep(gang, None, Decoded((b"small1", b"large1")))
    old = pictures_storage.name_of(gang, None)
    send(as_helper, gang, "hide-pictures", pictures=["badge"])
    gang = Gang.objects.get()
    pictures_storage.keep(gang, None, Decoded((b"small2", b"large2")))
    new = pictures_storage.name_of(gang, None)
    press(as_helper, page_of(gang), "show-pictures")
    assert Gang.objects.get().pictures == {"badge": new}
    kept = {name.partition("-")[0] for name, _at in file_store("pictures").written()}
    assert kept == {new} and old != new
    send(as_helper, gang, "hide-pictures", pictures=["badge"])
    Gang.objects.get().delete()
    assert list(file_store("pictures").written()) == []


def test_notes_of_a_gang_disappear_from_its_past_and_come_back(
    as_helper: Client, alice: User
) -> None:
    gang = make_gang(alice)
    member = gang.roster.members[0].id
    notes = [
        kinds.Noted(text="rude words about bob"),
        kinds.Noted(member=member, text="a first word"),
        kinds.Noted(member=member, text="rude, too"),
    ]
    writer.append(gang, notes, expected_version=gang.version, actor=alice)
    gang = Gang.objects.get()
    page = as_helper.get(address(gang, "hide-texts")).content.decode()
    assert "rude words about bob" in page and "rude, too" in page
    assert send(as_helper, gang, "hide-texts", texts=["own", str(member)]).status_code == 302
    gang = Gang.objects.get()
    assert gang.roster.notes == gang.roster.member(member).notes == ""
    then = signed_in(alice).get(reverse("gangs:then", args=[gang.pk]), {"seq": gang.last_seq})
    assert "rude" not in then.content.decode()
    assert "rude words about bob" in as_helper.get(page_of(gang)).content.decode()
    assert press(as_helper, page_of(gang), "show-texts").status_code == 302
    gang = Gang.objects.get()
    assert gang.roster.notes == "rude words about bob"
    assert gang.roster.member(member).notes == "rude, too"
    assert not HiddenText.objects.exists() and prove().different == ()
    said = [sentence for sentence in told(alice) if "text about" in sentence]
    assert len(said) == 4 and WHY in said[0]


def told_game(alice: User, bob: User) -> Game:
    """A reported game with a note and a tale."""
    campaign = make_campaign(bob)
    game = make_game(campaign, bob, make_player(campaign, alice), make_player(campaign, bob))
    reported(game, alice)
    Game.objects.filter(pk=game.pk).update(note="a rude note", reported_by=alice)
    for claim in Claim.objects.filter(game=game):
        claim.data["account"]["note"] = "a rude note"
        claim.save()
    game = Game.objects.get(pk=game.pk)
    side = game.sides.get(gang__owner=alice)
    game_story.save_tale(side, "a rude tale", expected_version=game_story.fingerprint(""))
    return game


def test_note_and_tale_of_a_game_disappear_everywhere_and_come_back(
    as_helper: Client, alice: User, bob: User
) -> None:
    game = told_game(alice, bob)
    side = game.sides.get(gang__owner=alice)
    chronicle = reverse("campaigns:chronicle", args=[game.campaign.pk])
    pages = (game.get_absolute_url(), chronicle)
    organiser = signed_in(bob)
    assert "a rude tale" in organiser.get(pages[0]).content.decode()
    assert send(as_helper, game, "hide-texts", texts=["own", str(side.pk)]).status_code == 302
    for page in pages:
        assert "a rude" not in organiser.get(page).content.decode()
    exported = organiser.post(reverse("campaigns:export", args=[game.campaign.pk]))
    if exported.status_code == 405:
        exported = organiser.get(reverse("campaigns:export", args=[game.campaign.pk]))
    body = b"".join(exported) if exported.streaming else exported.content
    assert exported.status_code == 200 and b"a rude" not in body
    assert "a rude tale" in as_helper.get(page_of(game)).content.decode()
    assert press(as_helper, page_of(game), "show-texts").status_code == 302
    game = Game.objects.get(pk=game.pk)
    assert game.note == "a rude note" and game.sides.get(pk=side.pk).tale == "a rude tale"
    assert {row.data["account"]["note"] for row in game.claims.all()} == {"a rude note"}
    assert any(side.name in sentence and WHY in sentence for sentence in told(alice))


def test_hidden_tale_does_not_replace_a_newer_one(
    as_helper: Client, alice: User, bob: User
) -> None:
    game = told_game(alice, bob)
    side = game.sides.get(gang__owner=alice)
    send(as_helper, game, "hide-texts", texts=[str(side.pk)])
    side = Side.objects.get(pk=side.pk)
    game_story.save_tale(side, "a kinder one", expected_version=game_story.fingerprint(""))
    assert send(as_helper, game, "show-texts").status_code == 409
    assert Side.objects.get(pk=side.pk).tale == "a kinder one"
    assert HiddenText.objects.get().text == "a rude tale"


def test_notes_of_a_campaign_and_of_a_night_are_hidden(as_helper: Client, bob: User) -> None:
    campaign = make_campaign(bob)
    night = make_night(campaign)
    Campaign.objects.update(notes="a rude note")
    type(night).objects.update(note="another rude note")
    for subject, field in ((campaign, "notes"), (night, "note")):
        assert send(as_helper, subject, "hide-texts", texts=["own"]).status_code == 302
        subject.refresh_from_db()
        assert getattr(subject, field) == ""
        assert press(as_helper, page_of(subject), "show-texts").status_code == 302
        subject.refresh_from_db()
        assert "rude" in getattr(subject, field)
    assert Notice.objects.filter(user=bob, kind__startswith="text_").count() == 4


def test_author_downloads_a_hidden_text_with_their_data(
    as_helper: Client, alice: User, bob: User
) -> None:
    from administration.data_export import files_of as administration_files

    game = told_game(alice, bob)
    side = game.sides.get(gang__owner=alice)
    send(as_helper, game, "hide-texts", texts=[str(side.pk)])
    texts = {file.path: str(file.content) for file in administration_files(alice)}
    assert "a rude tale" in texts["hidden-texts.json"]
    assert "rude" not in str([file.content for file in administration_files(bob)])


def test_report_leads_to_acts_and_back(as_helper: Client, alice: User, bob: User) -> None:
    game = told_game(alice, bob)
    report = PageReport.objects.create(
        page=game.get_absolute_url(),
        title="The long winter",
        campaign=game.campaign,
        why="offensive",
        words="The tale is rude.",
    )
    here = reverse("administration:report", args=[report.pk])
    page = as_helper.get(here).content.decode()
    act = f"{address(game, 'hide-texts')}?report={report.pk}"
    assert act in page and f"{address(game.campaign, 'rename')}?report={report.pk}" in page
    side = game.sides.get(gang__owner=alice)
    fields = {"reason": WHY, "token": uuid.uuid4(), "texts": [str(side.pk)]}
    assert here in as_helper.get(act).content.decode()
    answer = as_helper.post(act, fields)
    assert answer.status_code == 302 and answer["Location"] == here
    assert press(as_helper, here, "show-texts")["Location"] == here


def test_blocked_player_reads_why_and_whom_to_ask(
    as_helper: Client, alice: User, settings: Any
) -> None:
    send(as_helper, alice, "block", reason="Three rude names in a week")
    form = {"login": "alice", "password": "correct horse battery"}
    answer = Client().post(reverse("account_login"), form)
    page = answer.content.decode()
    assert answer.status_code == 403
    assert "Three rude names in a week" in page and reverse("imprint") in page
    # Only their password shows it.
    wrong = Client().post(reverse("account_login"), {**form, "password": "a wrong password"})
    assert "Three rude names" not in wrong.content.decode()
    settings.CONTACT = "club@example.org"
    page = Client().post(reverse("account_login"), form).content.decode()
    assert 'href="mailto:club@example.org"' in page
    press(as_helper, reverse("administration:account", args=[alice.pk]), "unblock")
    assert Client().post(reverse("account_login"), form).status_code == 302
    alice.refresh_from_db()
    assert alice.blocked_why == ""


def test_campaign_page_lists_games_and_nights_with_texts(
    as_helper: Client, alice: User, bob: User
) -> None:
    game = told_game(alice, bob)
    quiet = make_game(game.campaign, bob, *Gang.objects.all())
    night = make_night(game.campaign, timezone.now())
    page = as_helper.get(page_of(game.campaign)).content.decode()
    assert page_of(game) in page and page_of(quiet) not in page and page_of(night) not in page
