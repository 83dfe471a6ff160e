"""A whole campaign as a file: exported, imported and exported again without a difference."""

from __future__ import annotations

import json
import uuid
from io import BytesIO
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from accounts.models import User
from campaigns.club.next_season.storage import set_previous
from campaigns.club.people import joining
from campaigns.demo import club
from campaigns.files import exporting, format, reading
from campaigns.files import importing as files_importing
from campaigns.models import Campaign, Game, Side, Table
from campaigns.postgames import drafts
from campaigns.table import people, storage, taps
from campaigns.table.fold import fold
from gangs.files import importing as gangs_importing
from gangs.files.format import BadFile
from gangs.ledger.replay import prove
from gangs.ledger.storage import replay_roster
from gangs.models import Gang, StoredEntry
from rules.bounds.limits import MOST_VERSIONS
from rules.models import BookVersion
from tests.campaigns.table.test_storage import pushed
from tests.killing.facts import rows
from tests.random_cases import one_soon
from tests.world.campaigns import (
    answered,
    confirmed,
    make_campaign,
    make_game,
    make_player,
    reported,
    side_of,
)
from tests.world.gangs import GOLD, make_version


def import_text(text: str, importer: User, own_name: str = "") -> Campaign:
    """Import a file's text; return the campaign."""
    file = reading.read_file(text.encode())
    names = file.names
    place = names.index(own_name) if own_name else None
    return files_importing.write_campaign(
        file, importer=importer, own_place=place, token=uuid.uuid4()
    )


def play_at_table(game: Game, *actors: User) -> None:
    """Play the game at a table: a member of each side goes out, and one of them comes back."""
    sides = list(game.sides.select_related("gang__owner"))
    table = storage.open_for(game, sides)
    figures = [one.key for one in people.start_of(table).figures]
    first, last = taps.Out(figure=figures[0], by=figures[-1]), taps.Out(figure=figures[-1])
    for number, actor in enumerate(actors):
        rows = [pushed(last if number else first), pushed(taps.TurnEnded())]
        wrong = taps.Struck(device=rows[0].device, device_seq=rows[0].n)
        storage.push(table, actor, [*rows, pushed(wrong)] if number else rows)


def play_campaign(bob: User, alice: User, dora: User) -> Campaign:
    """Return a campaign of two gangs: a game with both post-games done and one that is only
    reported, both played at tables.
    """
    campaign = make_campaign(bob)
    hers, theirs = make_player(campaign, alice), make_player(campaign, dora)
    game = make_game(campaign, alice, hers, theirs)
    play_at_table(game, alice, dora)
    game = confirmed(reported(game, alice), dora)
    for gang, owner in ((hers, alice), (theirs, dora)):
        side = answered(side_of(game, gang))
        version = Gang.objects.get(pk=gang.pk).version
        drafts.commit(side, seen_draft=side.draft_version, seen_gang=version, actor=owner)
    again = [Gang.objects.get(pk=gang.pk) for gang in (hers, theirs)]
    game = make_game(campaign, alice, *again)
    play_at_table(game, dora, alice)
    reported(game, alice)
    return Campaign.objects.get(pk=campaign.pk)


@pytest.fixture
def campaign(bob, alice, dora) -> Campaign:
    return play_campaign(bob, alice, dora)


@pytest.fixture(scope="module")
def exported(django_db_setup, django_db_blocker) -> bytes:
    """Return the file of such a campaign, which is not stored here: exported once for all forged
    files.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        names = ("bob", "alice", "dora")
        people = [User.objects.create_user(name, f"{name}@example.org") for name in names]
        file = exporting.export_campaign(play_campaign(*people))
        transaction.set_rollback(True)
    return file


@pytest.mark.long
def test_second_export_equals_the_first(campaign, bob):
    text = exporting.export_campaign(campaign).decode()
    arrived = import_text(text, bob, own_name="bob")
    assert arrived != campaign
    assert exporting.export_campaign(arrived).decode() == text
    first, second = (
        [
            (
                [person.member for person in people.people_of(table).values()],
                [one.tap for one in storage.log_of(table)],
                fold(people.start_of(table), storage.log_of(table)).sides,
            )
            for table in Table.objects.filter(game__campaign=one).order_by("created_at")
        ]
        for one in (campaign, arrived)
    )
    assert first == second and len(first) == 2
    for gang in Gang.objects.filter(memberships__campaign=arrived):
        assert replay_roster(gang) == gang.roster
        assert str(arrived.pk) in gang.roster.campaigns


@pytest.mark.parametrize("later_first", [False, True])
def test_imported_seasons_are_linked_again_in_any_order(campaign, bob, charlie, later_first):
    second = make_campaign(bob)
    set_previous(second, campaign)
    second.refresh_from_db()
    files = [exporting.export_campaign(row).decode() for row in (campaign, second)]
    assert str(campaign.pk) not in files[0] and '"previous_key"' not in files[0]
    order = (1, 0) if later_first else (0, 1)
    brought = {place: import_text(files[place], charlie) for place in order}
    first, later = (Campaign.objects.get(pk=brought[place].pk) for place in (0, 1))
    assert later.previous == first and first.previous is None
    # The campaigns of this site keep their own links, and another importer’s copy has none.
    second.refresh_from_db()
    assert second.previous == campaign
    assert import_text(files[1], bob).previous is None
    # A copy of a copy still belongs to the same chain.
    assert exporting.export_campaign(later).decode().count(str(second.season_key_of)) == 1


def test_file_says_who_played_a_gang_that_changed_hands(campaign, bob, alice, charlie):
    row = campaign.memberships.get(gang__owner=alice)
    joining.archive(campaign)
    Gang.objects.filter(pk=row.gang_id).update(owner=charlie)
    copy = import_text(
        exporting.export_campaign(Campaign.objects.get(pk=campaign.pk)).decode(), bob
    )
    players = [str(one.player) for one in copy.memberships.exclude(player=None)]
    assert players == ["alice"]


@pytest.mark.long
@pytest.mark.parametrize("slug", ["au-un-pour-un", "blackwater-gulch", "cran", "zombstone"])
def test_demo_campaigns_export_and_import(slug, db):
    make_version(slug)
    club.play_in("correct horse battery")
    campaign = Campaign.objects.get()
    text = exporting.export_campaign(campaign).decode()
    alice = User.objects.get(username="alice")
    arrived = import_text(text, alice, own_name="alice")
    assert exporting.export_campaign(arrived).decode() == text
    sides = Side.objects.done().filter(game__campaign=arrived)
    assert sides.count() == Side.objects.done().filter(game__campaign=campaign).count() > 0


def test_imported_people_cannot_sign_in(campaign, charlie):
    arrived = import_text(exporting.export_campaign(campaign).decode(), charlie)
    assert arrived.organisers[-1] == charlie
    others = User.objects.filter(participations__campaign=arrived).exclude(pk=charlie.pk)
    assert {str(other) for other in others} == {"alice", "bob", "dora"}
    for other in others:
        assert not other.is_active
        assert not other.has_usable_password()
        assert not other.email
    writers = StoredEntry.objects.filter(gang__memberships__campaign=arrived)
    assert not writers.filter(actor__username__in=["alice", "bob", "dora"]).exists()


@pytest.mark.long
def test_import_loads_a_missing_rulebook_from_the_file(campaign, bob, monkeypatch):
    text = exporting.export_campaign(campaign).decode()
    data = json.loads(text)
    digest = data["book"]
    version = BookVersion.objects.get(pk=digest)
    canonical = version.canonical
    # Like a site that never had this data.
    StoredEntry.objects.all().delete()
    Gang.objects.all().delete()
    Campaign.objects.all().delete()
    version.delete()
    arrived = import_text(text, bob, own_name="bob")
    admitted = BookVersion.objects.get(pk=digest)
    assert admitted.canonical == canonical
    assert arrived.book_version == admitted
    # The imported rulebook is not offered for new gangs.
    assert not BookVersion.objects.newest().filter(pk=digest).exists()
    assert exporting.export_campaign(arrived).decode() == text


@pytest.mark.long
def test_same_form_sent_twice_imports_one_campaign(campaign, bob):
    file = reading.read_file(exporting.export_campaign(campaign))
    token = uuid.uuid4()
    first = files_importing.write_campaign(file, importer=bob, own_place=None, token=token)
    assert files_importing.write_campaign(file, importer=bob, own_place=None, token=token) == first


def test_file_contains_no_key_of_the_site(campaign):
    text = exporting.export_campaign(campaign).decode()
    keys = [campaign.pk, *Game.objects.values_list("pk", flat=True)]
    keys += Gang.objects.values_list("pk", flat=True)
    keys += StoredEntry.objects.values_list("batch", flat=True)
    assert [key for key in keys if str(key) in text] == []
    assert campaign.invite_key not in text
    assert campaign.watch_key not in text
    assert "example.org" not in text


class TestBadFiles:
    """Forged files are refused with an explanation, and nothing is written."""

    @pytest.fixture
    def data(self, db, exported):
        make_version(GOLD)
        return json.loads(exported)

    def refused(self, data, bob) -> BadFile:
        before = (Campaign.objects.count(), Gang.objects.count(), User.objects.count())
        with pytest.raises(BadFile) as caught:
            import_text(json.dumps(data), bob)
        assert (Campaign.objects.count(), Gang.objects.count(), User.objects.count()) == before
        return caught.value

    def test_file_without_a_campaign_is_refused(self, data, bob):
        assert self.refused({"format": "skirmish-gang"}, bob).code == "foreign"
        assert self.refused({**data, "games": 3}, bob).code == "damaged"

    def test_too_deep_file_is_refused(self, data, bob):
        deep: object = 1
        for _ in range(100):
            deep = [deep]
        data["games"][0]["throws"] = [
            {"key": "x", "about": {"what": deep}, "roll": {}, "at": data["created_at"]}
        ]
        assert self.refused(data, bob).code == "too_many"

    def test_unknown_person_is_refused(self, data, bob):
        data["gangs"][0]["owner"] = 99
        assert self.refused(data, bob).detail == "people"

    def test_ledger_that_does_not_fold_is_refused(self, data, bob):
        records = data["gangs"][0]["ledger"]["records"]
        records[-1]["entry"] = {"kind": "died", "member": 999_999}
        assert self.refused(data, bob).code == "impossible"

    def test_gang_that_never_joined_is_refused(self, data, bob):
        for record in data["gangs"][0]["ledger"]["records"]:
            if record["entry"]["kind"] == "joined":
                record["entry"]["elsewhere"] = True
        assert self.refused(data, bob).detail == "joined"

    @pytest.mark.long
    def test_rulebook_with_a_wrong_digest_is_refused(self, data, bob):
        (digest,) = data["versions"]
        wrong = "0" * 64
        text = json.dumps(data).replace(digest, wrong)
        refused = self.refused(json.loads(text), bob)
        assert refused.code == "bad_version"

    def test_as_many_versions_as_documented_are_read(self, data, bob):
        texts = data["versions"]
        texts |= {f"{number:064x}": "{}" for number in range(MOST_VERSIONS - len(texts))}
        # The form of the file is right, and the first version is refused for its content.
        assert self.refused(data, bob).code == "bad_version"
        texts["f" * 64] = "{}"
        assert self.refused(data, bob).code == "damaged"

    @pytest.mark.parametrize(
        "place, value",
        one_soon(
            [
                (["sides", 0, "gang"], "x"),
                (["sides", 0, "number"], 2),
                (["sides", 0, "crew"], [["x", 1]]),
                (["taps", 1, "seq"], 1),
                (["taps", 1, "device_seq"], None),
            ]
        ),
    )
    def test_impossible_table_is_refused(self, data, bob, place, value):
        part = table = data["games"][0]["table"]
        for key in place[:-1]:
            part = part[key]
        part[place[-1]] = table["taps"][0]["device_seq"] if value is None else value
        assert self.refused(data, bob).code == "impossible"

    def test_unknown_table_option_is_refused(self, data, bob):
        wanted = data["games"][0]["table"]["settings"]
        first, *_rest = wanted
        data["games"][0]["table"]["settings"] = {**wanted, first: "\ud800", "no-such": "\ude00"}
        arrived = import_text(json.dumps(data), bob)
        table = Table.objects.filter(game__campaign=arrived).order_by("created_at")[0]
        assert table.settings == {**wanted, first: arrived.book.setting[first].default}

    def test_two_gangs_with_the_same_key_are_refused(self, data, bob):
        data["gangs"][1]["id"] = data["gangs"][0]["id"]
        assert self.refused(data, bob).detail == "gangs"

    @pytest.mark.parametrize("place", [("batches", 0), ("id",)])
    def test_invalid_key_is_refused(self, data, bob, place):
        *outer, last = "gangs", 0, *place
        inner = data
        for name in outer:
            inner = inner[name]
        inner[last] = "no-key"
        assert self.refused(data, bob).detail == "keys"

    def test_day_outside_the_calendar_is_refused(self, data, bob):
        data["games"][0]["played_on"] = "0999-12-31"
        assert self.refused(data, bob).code == "damaged"

    def test_claim_that_refers_to_a_later_claim_is_refused(self, data, bob):
        data["games"][0]["claims"][0]["data"]["taken"] = 0
        assert self.refused(data, bob).detail == "claims"

    def test_unknown_side_is_refused(self, data, bob):
        data["games"][0]["sides"][0]["gang"] = {"ref": 77_777}
        assert self.refused(data, bob).detail == "sides"


class TestPages:
    """Export and import in the browser."""

    @pytest.mark.long
    def test_campaign_is_exported_and_imported_on_the_pages(self, campaign, bob, client: Client):
        client.force_login(bob)
        file = client.get(f"/campaigns/{campaign.pk}/export/").content
        answer = client.post(
            "/campaigns/import/",
            {"file": BytesIO(file), "own_name": "Bob", "token": str(uuid.uuid4())},
            follow=True,
        )
        assert answer.status_code == 200
        assert Campaign.objects.count() == 2
        assert campaign.name in answer.content.decode()

    def test_unknown_name_is_explained(self, campaign, bob, client: Client):
        client.force_login(bob)
        file = exporting.export_campaign(campaign)
        data = {"file": BytesIO(file), "own_name": "nobody", "token": str(uuid.uuid4())}
        answer = client.post("/campaigns/import/", data)
        assert answer.status_code == 422
        assert "dora" in answer.content.decode()
        assert Campaign.objects.count() == 1


DIE = {"dice": "1d6", "faces": [3], "thrown_by": "app"}
AT = "2026-01-01T10:00:00Z"


@pytest.mark.parametrize(
    "values",
    one_soon(
        [
            {"throws": [{"key": "x", "roll": {**DIE, "faces": []}, "at": AT}]},
            {"throws": [{"key": "x", "roll": {**DIE, "faces": [7]}, "at": AT}]},
            {"throws": [{"key": "x", "roll": {**DIE, "dice": "d66", "faces": [3]}, "at": AT}]},
            {"throws": [{"key": "x", "roll": {**DIE, "dice": "rubbish"}, "at": AT}]},
            {"throws": [{"key": "x", "roll": DIE, "at": AT, "about": ["x"]}]},
            {"throws": [{"key": "x", "roll": DIE, "at": AT, "about": {"what": 1}}]},
            {"throws": [{"key": "x", "roll": DIE, "at": AT, "about": {"more": 1}}]},
            {"throws": [{"key": "roles", "roll": DIE, "at": AT, "about": {"roles": "x"}}]},
            {"scenario_roll": {**DIE, "faces": []}},
            {"note": "x" * 1_000_000},
            {"note": "x" * 2_001},
            {"struck_why": "x" * 301},
        ]
    ),
)
def test_impossible_values_of_a_game_are_refused(campaign, bob, values):
    data = json.loads(exporting.export_campaign(campaign))
    data["games"][0].update(values)
    games = Game.objects.count()
    with pytest.raises(BadFile):
        import_text(json.dumps(data), bob)
    assert Game.objects.count() == games


@pytest.mark.long
def test_keys_of_the_file_are_independent_of_the_site(campaign, bob):
    """Nothing on the site is overwritten or prevents the import."""
    data = json.loads(exporting.export_campaign(campaign))
    for record in (data, data["gangs"][0], data["games"][0]):
        kept, record["id"] = record["id"], str(campaign.pk)
        with pytest.raises(BadFile) as refused:
            import_text(json.dumps(data), bob)
        assert refused.value.detail == "keys"
        record["id"] = kept
    import_text(json.dumps(data), bob)


@pytest.mark.long
def test_unknown_campaign_option_is_refused(campaign, bob):
    for settings in ({"no-such": 1}, {**campaign.settings, "x": "y"}):
        data = {**json.loads(exporting.export_campaign(campaign)), "settings": settings}
        with pytest.raises(BadFile) as refused:
            import_text(json.dumps(data), bob)
        assert refused.value.detail == "settings"


@pytest.mark.long
@pytest.mark.parametrize("key", ["x", "", "6f1c2d34"])
def test_gangs_are_found_only_by_their_keys(campaign, bob, key):
    data = json.loads(exporting.export_campaign(campaign))
    ledger = data["gangs"][0]["ledger"]["records"]
    recruited = next(record for record in ledger if record["entry"]["kind"] == "recruited")
    hired = {"kind": "hired", "game": data["games"][0]["id"], "gang": key, "member": 1}
    entry = {**hired, "rank": recruited["entry"]["rank"]}
    ledger.append({**ledger[-1], "seq": len(ledger) + 1, "entry": entry})
    data["gangs"][0]["writers"].append(None)
    with pytest.raises(BadFile) as refused:
        import_text(json.dumps(data), bob)
    assert refused.value.detail == f"{len(ledger)}: keys"


def test_post_game_without_its_entries_is_refused(campaign, bob):
    data = json.loads(exporting.export_campaign(campaign))
    done = next(game for game in data["games"] if game["sides"][0]["batch"])
    done["sides"][0]["batch"] = done["sides"][1]["batch"]
    with pytest.raises(BadFile) as refused:
        import_text(json.dumps(data), bob)
    assert refused.value.detail == "batch"


def test_page_of_a_contradictory_post_game_leads_to_the_game(campaign, alice):
    """An older version accepted it; opening it leads back to the game, with an explanation."""
    side = Side.objects.done().filter(gang__owner=alice).get()
    side.batch = None
    side.save()
    client = Client()
    client.force_login(alice)
    for page in ("", "preview/"):
        address = f"{side.game.get_absolute_url()}postgame/{side.pk}/{page}"
        answer = client.get(address, follow=True)
        assert answer.redirect_chain[0][0] == side.game.get_absolute_url()
        assert "no longer fits the gang’s history" in answer.content.decode()


@pytest.mark.long
def test_nothing_is_seen_of_an_import_that_was_cut_off_and_all_of_it_is_cleared_away(
    campaign: Campaign, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = exporting.export_campaign(campaign).decode()
    before, gangs = rows(), Gang.objects.count()

    def die(*_given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(files_importing, "_show", die)
    with pytest.raises(KeyboardInterrupt):
        import_text(text, bob, "bob")
    assert list(Campaign.objects.all()) == [campaign] and Gang.objects.count() == gangs
    assert Campaign.everything.count() == 2 and prove().gangs == gangs
    long_ago = timezone.now() - gangs_importing.LONGEST
    Campaign.everything.exclude(arriving_at=None).update(arriving_at=long_ago)
    assert files_importing.tidy() == 1
    assert rows() == before


@pytest.mark.long
def test_two_imports_of_one_form_at_the_same_time_make_one_campaign(
    campaign: Campaign, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = reading.read_file(exporting.export_campaign(campaign))
    token = uuid.uuid4()
    show = files_importing._show

    def come_second(*given: Any) -> Campaign | None:
        monkeypatch.setattr(files_importing, "_show", show)
        again = reading.read_file(exporting.export_campaign(campaign))
        files_importing.write_campaign(again, importer=bob, own_place=None, token=token)
        return show(*given)

    monkeypatch.setattr(files_importing, "_show", come_second)
    found = files_importing.write_campaign(file, importer=bob, own_place=None, token=token)
    assert Campaign.everything.count() == 2 and found.token == token
    assert Gang.everything.filter(arriving_at=None).count() == Gang.everything.count()


def test_export_holds_one_game_in_memory(campaign: Campaign) -> None:
    """A game more costs no more at once: the file's lists are written element by element."""
    pieces = list(
        format.write_pieces({"format": "x", "games": iter([{"a": 1}, {"b": [2]}])}, keys=())
    )
    assert json.loads("".join(pieces)) == {"format": "x", "games": [{"a": 1}, {"b": [2]}]}
    assert sum("{" in piece for piece in pieces) == 3
    whole = exporting.export_campaign(campaign).decode()
    assert whole == json.dumps(json.loads(whole), ensure_ascii=False, indent=1, sort_keys=True)


def test_file_with_a_word_that_1_0_does_not_know_names_format_3(campaign: Campaign) -> None:
    class LaterNight(format.NightRecord):
        weather: str = ""

    LaterNight.__name__ = "NightRecord"
    export = exporting.Export(campaign)
    export.formats = {1}
    export.note_words(format.NightRecord.model_construct(id="0", starts_at=timezone.now()))
    assert export.formats == {1}
    export.note_words(LaterNight.model_construct(id="0", starts_at=timezone.now(), weather="rain"))
    assert export.formats == {1, 3}
