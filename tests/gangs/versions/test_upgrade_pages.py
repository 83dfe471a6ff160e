"""Versions of a gang's rules for its owner: pages, history, files, the replay."""

from __future__ import annotations

import json
import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db.models import ProtectedError
from django.test import Client

from accounts.models import User
from common.errors import Refusal
from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.errors import Misfit
from gangs.files.exporting import export_gang
from gangs.history.log import history_of
from gangs.ledger import writer
from gangs.models import Gang
from gangs.text.formats import version_name
from gangs.versions.affected import affected_gangs
from rules.book.model import Book
from rules.editor import store
from rules.editor.documents import write_overlay
from rules.editor.overlay import Overlay
from rules.library import load
from rules.models import BookVersion
from tests.gangs.builder.test_builder import Player
from tests.gangs.other_rules import other
from tests.world.gangs import GOLD, POINTS, make_gang, make_version, scene_of, shipped

KNIFE = "knife"


def newer(book: Book) -> Book:
    """The next edition: all prices are higher, and a new item can be bought."""
    items = book.model_dump(mode="json")["items"]
    sabre = {**items[0], "key": "new-sabre", "name": {"en": "Sabre", "fr": "Sabre"}, "price": 2}
    return other(book, 1, edition="next", items=[*items, sabre])


@pytest.fixture
def gang(alice: User) -> Gang:
    return make_gang(alice, GOLD)


@pytest.fixture
def out(gang: Gang) -> BookVersion:
    """A newer version, loaded after the gang was founded."""
    return load(newer(shipped(GOLD)))[0]


def go_over(gang: Gang, version: BookVersion) -> None:
    entry = kinds.Upgraded(digest=version.pk)
    writer.append(gang, [entry], expected_version=gang.version, actor=gang.owner)


def last_batch(gang: Gang) -> uuid.UUID:
    return gang.entries.order_by("-seq")[0].batch


# The ledger


def test_version_is_derived_from_the_entries(gang: Gang, out: BookVersion, alice: User) -> None:
    first, before = gang.book_version_id, gang.roster
    go_over(gang, out)
    gang.refresh_from_db()
    assert (gang.book_version_id, gang.founded_with_id) == (out.pk, first)
    assert gang.rating > 0 and writer.replay_roster(gang) == gang.roster
    act = writer.strike(gang, last_batch(gang), expected_version=gang.version, actor=alice)
    gang.refresh_from_db()
    assert gang.book_version_id == first and gang.roster == before
    writer.revise(gang, undoes=act, expected_version=gang.version)
    gang.refresh_from_db()
    assert gang.book_version_id == out.pk and gang.roster.book == out.pk
    call_command("replay")
    Gang.objects.filter(pk=gang.pk).update(book_version=first)
    with pytest.raises(CommandError):
        call_command("replay")


def test_striking_an_upgrade_lists_entries_of_the_newer_rules(
    gang: Gang, out: BookVersion, alice: User
) -> None:
    go_over(gang, out)
    batch = last_batch(gang)
    writer.append(
        gang, [kinds.Bought(item="new-sabre", paid=0)], expected_version=gang.version, actor=alice
    )
    with pytest.raises(writer.Leftovers):
        writer.strike(gang, batch, expected_version=gang.version, actor=alice)
    gang.refresh_from_db()
    act = writer.strike(gang, batch, expected_version=gang.version, actor=alice, with_misfits=True)
    assert gang.book_version_id == gang.founded_with_id and not gang.roster.stash
    # It has the name from its time, although the rules in force do not know it.
    assert any("Sabre" in line for one in history_of(gang).batches for line in one.sentences)
    writer.revise(gang, undoes=act, expected_version=gang.version)
    assert gang.roster.stash[0].key == "new-sabre"


def test_old_entries_are_described_by_the_rules_of_their_time(gang: Gang, alice: User) -> None:
    entries = actions.buy(scene_of(gang), None, KNIFE)
    writer.append(gang, entries, expected_version=gang.version, actor=alice)
    book = shipped(GOLD)
    name = book.item[KNIFE].name["en"]
    data = book.model_dump(mode="json")
    items = [row for row in data["items"] if row["key"] != KNIFE]
    go_over(gang, load(other(book, items=items, samples=[]))[0])
    assert not gang.roster.stash
    batches = history_of(gang).batches
    assert name in batches[0].sentences[0] and "No longer in the rules" in batches[0].sentences[0]
    assert name in batches[1].sentences[0]


def test_upgrade_refuses_the_rules_of_another_game(gang: Gang) -> None:
    with pytest.raises(Misfit, match="other_rules"):
        go_over(gang, make_version(POINTS))


@pytest.mark.parametrize("struck", [False, True])
def test_used_versions_are_kept(gang: Gang, out: BookVersion, alice: User, struck: bool) -> None:
    """Also a version that the gang no longer uses: its history needs it."""
    first = BookVersion.objects.get(pk=gang.founded_with_id)
    go_over(gang, out)
    if struck:
        writer.strike(gang, last_batch(gang), expected_version=gang.version, actor=alice)
    for version in (first, out):
        with pytest.raises(ProtectedError):
            version.delete()


# Pages


@pytest.fixture
def player(client: Client, alice: User, gang: Gang) -> Player:
    client.force_login(alice)
    return Player(client, gang)


def test_owner_is_notified_of_a_newer_version(player: Player) -> None:
    assert "A newer version" not in player.client.get(player.base).content.decode()
    version = load(newer(shipped(GOLD)))[0]
    page = player.client.get(player.base).content.decode()
    assert "A newer version" in page and f"{player.base}upgrade/" in page
    go_over(player.gang, version)
    assert "A newer version" not in player.client.get(player.base).content.decode()


def test_upgrade_shows_the_changes_before_it_is_confirmed(player: Player, out: BookVersion) -> None:
    page = player.client.get(player.base + "upgrade/").content.decode()
    assert "next" in page and "Switch to this version" in page
    member = player.gang.roster.members[0]
    assert (member.name or "") in page
    state = player.form_state()
    answer = player.press("upgrade/", state=state, book=out.pk)
    assert answer.status_code == 302 and player.roster().book == out.pk
    # The same form again changes nothing and is no error.
    assert player.press("upgrade/", state=state, book=out.pk).status_code == 302
    assert player.gang.entries.filter(kind="upgraded").count() == 1
    # Another version from the same old page is refused.
    stale = {**state, "token": "another"}
    assert player.press("upgrade/", state=stale, book=out.pk).status_code == 422
    # Undone by the button of the history.
    player.press(f"history/{last_batch(player.gang)}/")
    assert player.roster().book == ""


def test_upgrade_changes_nothing_when_the_page_is_stale(player: Player, out: BookVersion) -> None:
    state = player.form_state()
    player.press("about/", name="Elsewhere", notes="")
    answer = player.press("upgrade/", state=state, book=out.pk)
    assert answer.status_code == 409 and player.roster().book == ""


@pytest.mark.parametrize("digest", ["", "nonsense", "%00", "0" * 64])
def test_upgrade_refuses_a_missing_version(player: Player, digest: str) -> None:
    assert player.client.get(player.base + f"upgrade/?version={digest}").status_code == 200
    assert player.press("upgrade/", book=digest).status_code == 422


def test_upgrade_page_reports_that_there_is_no_other_version(player: Player) -> None:
    page = player.client.get(player.base + "upgrade/").content.decode()
    assert "There is no other version" in page and "Go over" not in page


def test_upgrade_page_does_not_offer_the_rules_of_another_game(player: Player) -> None:
    points = make_version(POINTS)
    assert player.press("upgrade/", book=points.pk).status_code == 422


def test_archived_gang_cannot_be_upgraded(player: Player, out: BookVersion) -> None:
    player.press("archive/")
    assert "archive" in player.client.get(player.base + "upgrade/").content.decode()
    player.gang.refresh_from_db()
    answer = player.press("upgrade/", book=out.pk)
    assert answer.status_code == 422 and player.roster().book == ""


def test_only_the_owner_upgrades_a_gang(
    gang: Gang, out: BookVersion, charlie: User, client: Client
) -> None:
    address = gang.get_absolute_url() + "upgrade/"
    assert client.get(address).status_code == 404
    client.force_login(charlie)
    assert client.get(address).status_code == 404
    assert client.post(address, {"book": out.pk}).status_code == 404


@pytest.mark.django_db
def test_visitor_upgrades_their_own_gang(client: Client) -> None:
    make_version(GOLD)
    sample = shipped(GOLD).samples[0].key
    client.post(f"/gangs/new/{GOLD}/", {"sample": sample, "token": "one"})
    visitor = Player(client, Gang.objects.get())
    out = load(newer(shipped(GOLD)))[0]
    assert visitor.press("upgrade/", book=out.pk).status_code == 302
    assert visitor.roster().book == out.pk


# Variants


def publish_variant(owner: User, name: str) -> BookVersion:
    variant = store.start_variant(owner, make_version(GOLD), name, token=uuid.uuid4())
    store.save(variant, write_overlay(Overlay()), expected_version=variant.draft_version)
    return store.publish(variant, expected_version=variant.draft_version)


@pytest.mark.long
def test_gang_switches_to_the_owners_variant_and_back(
    player: Player, alice: User, charlie: User, gang: Gang
) -> None:
    mine, others = publish_variant(alice, "Mine"), publish_variant(charlie, "Others")
    page = player.client.get(player.base + "upgrade/").content.decode()
    assert "Mine" in page and "Others" not in page
    assert player.press("upgrade/", book=mine.pk).status_code == 302
    assert player.roster().book == mine.pk
    # A newer rulebook is not a newer version of the variant.
    load(newer(shipped(GOLD)))
    assert "A newer version" not in player.client.get(player.base).content.decode()
    page = player.client.get(player.base + "upgrade/").content.decode()
    assert "the rulebook itself" in page
    # A link offers anybody's version: a campaign may require it.
    assert (
        "Others"
        in player.client.get(player.base + f"upgrade/?version={others.pk}").content.decode()
    )


def test_publishing_lists_the_affected_gangs_and_changes(
    gang: Gang, alice: User, charlie: User
) -> None:
    old = frozenset([gang.book_version_id])
    [one] = affected_gangs(old, other(shipped(GOLD), 2), alice)
    assert one.name == gang.name and any("→" in line for line in one.changes)
    assert not list(affected_gangs(old, shipped(GOLD), alice))
    assert not list(affected_gangs(old, other(shipped(GOLD), 2), charlie))
    assert not list(affected_gangs(frozenset(), other(shipped(GOLD), 2), alice))


# Files


def test_export_includes_all_versions(player: Player, out: BookVersion, alice: User) -> None:
    gang = player.gang
    go_over(gang, out)
    writer.append(
        gang, actions.buy(scene_of(gang), None, KNIFE), expected_version=gang.version, actor=alice
    )
    content = player.client.get(player.base + "export/").content
    file = SimpleUploadedFile("gang.json", content, content_type="application/json")
    assert player.client.post("/gangs/import/", {"file": file}).status_code == 302
    copy = Gang.objects.exclude(pk=gang.pk).get()
    assert copy.roster == gang.roster and copy.book_version_id == out.pk
    assert copy.founded_with_id == gang.founded_with_id
    assert export_gang(copy) == export_gang(gang)
    assert copy.entries.get(kind="upgraded").book_id == out.pk


@pytest.mark.parametrize("struck", [None, 0])
def test_import_names_the_game_when_a_version_is_missing(
    player: Player, struck: int | None
) -> None:
    data = json.loads(player.client.get(player.base + "export/").content)
    last = data["records"][-1]
    entry = {"kind": "upgraded", "digest": "0" * 64}
    data["records"].append({**last, "seq": last["seq"] + 1, "entry": entry, "struck": struck})
    file = SimpleUploadedFile("gang.json", json.dumps(data).encode())
    answer = player.client.post("/gangs/import/", {"file": file})
    assert answer.status_code == 422
    assert shipped(GOLD).name["en"] in answer.content.decode()
    assert Gang.objects.count() == 1


def test_import_checks_settings_by_the_rules_of_their_time(
    player: Player, out: BookVersion
) -> None:
    data = json.loads(player.client.get(player.base + "export/").content)
    last = data["records"][-1]
    for kind in ({"kind": "upgraded", "digest": out.pk}, {"kind": "settings", "settings": {}}):
        last = {**last, "seq": last["seq"] + 1, "entry": kind}
        data["records"].append(last)
    last["entry"]["settings"] = {"no-such": "thing"}
    file = SimpleUploadedFile("gang.json", json.dumps(data).encode())
    assert player.client.post("/gangs/import/", {"file": file}).status_code == 422


def test_import_refuses_a_file_with_only_upgrades(player: Player) -> None:
    data = json.loads(player.client.get(player.base + "export/").content)
    last = data["records"][-1]
    entry = {"kind": "upgraded", "digest": data["digest"]}
    for _ in range(1001):
        last = {**last, "seq": last["seq"] + 1, "entry": entry}
        data["records"].append(last)
    file = SimpleUploadedFile("gang.json", json.dumps(data).encode())
    assert player.client.post("/gangs/import/", {"file": file}).status_code == 422


def test_restore_of_an_upgrade_is_refused_when_the_gang_is_archived(
    gang: Gang, out: BookVersion, alice: User
) -> None:
    go_over(gang, out)
    act = writer.strike(gang, last_batch(gang), expected_version=gang.version, actor=alice)
    Gang.objects.filter(pk=gang.pk).update(archived_at=gang.created_at)
    gang.refresh_from_db()
    with pytest.raises(Refusal, match="archived"):
        writer.revise(gang, undoes=act, expected_version=gang.version)


def test_version_of_a_players_game_is_named_with_its_number() -> None:
    book = shipped(GOLD)
    assert version_name(book, None) == book.edition
    assert version_name(book, 2) == f"{book.edition}, version 2"
