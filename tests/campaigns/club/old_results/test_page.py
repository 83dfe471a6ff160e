"""The import of old results: the page, the games that it makes, and its undoing."""

from __future__ import annotations

import html
import re
import uuid
from datetime import date
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from accounts.models import User
from campaigns.club.old_results import own_tables, storage
from campaigns.club.old_results.lines import Mapped, names_in, read_lines
from campaigns.club.old_results.reading import guess_columns
from campaigns.files import exporting
from campaigns.files.importing import write_campaign
from campaigns.files.reading import read_file
from campaigns.games import results
from campaigns.models import Campaign, Game, ResultsImport, Side
from campaigns.season.loading import load_season
from campaigns.statistics.standings import season_rows
from common.errors import Refusal
from gangs.ledger.storage import replay_roster
from gangs.models import Gang
from tests.world.campaigns import make_campaign, make_game, make_player, reported
from tests.world.gangs import GOLD, shipped

pytestmark = pytest.mark.django_db

TABLE = (
    "Date;Gang A;Gang B;Result;Note\r\n"
    "01/03/2025;Crows;Bears;3-1;Cold\r\n"
    "08/03/2025;Bears;Newts;2-2;\r\n"
    "15/03/1995;Crows;Strangers;defeat;\r\n"
)


class Page:
    """The page of a campaign's old results for an organiser: posts what its last form shows."""

    def __init__(self, client: Client, campaign: Campaign) -> None:
        self.client, self.address = client, f"/campaigns/{campaign.pk}/old-results/"
        self.fields: dict[str, Any] = {}
        self.page = ""

    def send(self, **changed: Any) -> HttpResponse:
        answer = self.client.post(self.address, {**self.fields, **changed})
        self.page = answer.content.decode()
        self.fields = {
            name: html.unescape(value)
            for name, value in re.findall(
                r'<input type="hidden" name="(token|mapped|title|seen)" value="([^"]*)"', self.page
            )
        }
        if text := re.search(
            r'<textarea name="text"[^>]*>\r?\n?(.*?)</textarea>', self.page, re.DOTALL
        ):
            self.fields["text"] = html.unescape(text[1])
        for select in re.findall(r"<select.*?</select>", self.page, re.DOTALL):
            name = re.search(r'name="([^"]+)"', select)
            chosen = re.search(r'<option value="([^"]*)" selected', select)
            assert name is not None
            self.fields[name[1]] = chosen[1] if chosen else ""
        if re.search(r'<input[^>]*name="headed"[^>]*checked', self.page):
            self.fields["headed"] = "on"
        return answer

    def label(self, text: str) -> str:
        """The name of the field with this label."""
        found = re.search(rf'<label class="form-label" for="id_([\w-]+)">{text}</label>', self.page)
        assert found is not None, text
        return found[1]


@pytest.fixture
def campaign(bob: User) -> Campaign:
    return make_campaign(bob, GOLD)


@pytest.fixture
def gangs(campaign: Campaign, alice: User, bob: User) -> list[Gang]:
    """Alice's gang is called Crows, as in the table; bob's is not called Bears."""
    made = [make_player(campaign, user) for user in (alice, bob)]
    Gang.objects.filter(pk=made[0].pk).update(name="Crows")
    return made


def explained(client: Client, campaign: Campaign, gangs: list[Gang], bob: User) -> Page:
    """The page with the table read, and every name explained."""
    client.force_login(bob)
    page = Page(client, campaign)
    assert page.send(text=TABLE, read="1").status_code == 200
    # The gang with the same name is proposed; nothing is decided by a name.
    assert page.fields[page.label("Crows")] == str(gangs[0].pk)
    assert page.page.count("Choose which gang “Bears” is.") == 2
    chosen = {page.label("Bears"): str(gangs[1].pk), page.label("Newts"): "new"}
    page.send(check="1", **chosen, **{page.label("Strangers"): "name"})
    assert "Import 3 games" in page.page and "finding-error" not in page.page
    return page


def test_imported_games_count_in_the_standings_and_have_no_postgame(
    client: Client, campaign: Campaign, gangs: list[Gang], bob: User
) -> None:
    page = explained(client, campaign, gangs, bob)
    assert not Game.objects.exists()
    before = [Gang.objects.get(pk=gang.pk).version for gang in gangs]
    fields = dict(page.fields)
    assert page.send(**{"import": "1"}).status_code == 302
    page.fields = fields
    # The second of two clicks.
    assert page.send(**{"import": "1"}).status_code == 302
    assert ResultsImport.objects.count() == 1 and Game.objects.count() == 3
    assert [Gang.objects.get(pk=gang.pk).version for gang in gangs] == before
    assert not Side.objects.undone().exists()
    newts = Gang.objects.get(name="Newts")
    assert newts.owner is None and newts.kept_at is not None and newts.share_key is None
    assert replay_roster(newts) == newts.roster and newts.roster.campaigns == (str(campaign.pk),)
    season = load_season(campaign.pk).season
    rows = {row.name: row for row in season_rows(season)}
    won = {name: (row.won, row.level, row.lost) for name, row in rows.items()}
    assert won["Crows"] == (1, 0, 1) and won["Newts"] == (0, 1, 0)
    assert won[gangs[1].name] == (0, 1, 1)
    game = Game.objects.get(note="Cold")
    text = client.get(game.get_absolute_url()).content.decode()
    assert "Crows won" in text and "postgame" not in text
    for path in ("", "chronicle/", "charts/", "records/", "seasons/"):
        assert client.get(f"{campaign.get_absolute_url()}{path}").status_code == 200


def test_same_table_twice_is_announced_and_imported_only_if_ticked(
    client: Client, campaign: Campaign, gangs: list[Gang], bob: User
) -> None:
    page = explained(client, campaign, gangs, bob)
    page.send(**{"import": "1"})
    again = Page(client, campaign)
    again.send(text=TABLE, read="1")
    names = {
        again.label("Bears"): str(gangs[1].pk),
        again.label("Newts"): str(Gang.objects.get(name="Newts").pk),
    }
    again.send(check="1", **names, **{again.label("Strangers"): "name"})
    assert "This table was imported before." in again.page
    # The game against somebody who is only a name here is known, too.
    assert again.page.count("These two have a game on this day already.") == 3
    assert again.send(**{"import": "1"}).status_code == 422
    assert Game.objects.count() == 3
    assert again.send(again="1", **{"import": "1"}).status_code == 302
    assert Game.objects.count() == 6


def test_rows_that_are_no_games_are_left_out_until_somebody_ticks_them(
    client: Client, campaign: Campaign, gangs: list[Gang], bob: User
) -> None:
    client.force_login(bob)
    page = Page(client, campaign)
    rows = "Crows;Bears;3-1", "bears;CROWS;1-3", "Crows;Free;3-0", ";;"
    text = "Date;A;B;Result\n" + "".join(f"01/03/2025;{row}\n" for row in rows)
    page.send(
        text=f"{text}\n;;;\nDate;A;B;Result\nTotal;;;12\n01/04/2025;Crows;Bears;win", read="1"
    )
    # Nobody is asked who "Free" is.
    assert "Who is who?" in page.page and ">Free<" not in page.page
    page.send(check="1", **{page.label("Bears"): str(gangs[1].pk)})
    for reason, count in (
        ("Row 2 already has this game.", 1),
        ("One side had a bye.", 1),
        ("This row does not name two sides.", 1),
        ("This row repeats the headings.", 1),
        ("This row adds up others.", 1),
        ("It is left out.", 5),
    ):
        assert page.page.count(reason) == count
    assert "5 rows are left out." in page.page and "2 empty rows are left out." in page.page
    assert "Import 2 games" in page.page
    keys = re.findall(r'name="count"\s+value="(\w+)"', page.page)
    ticked = {"count": keys[:2]}
    assert page.send(**ticked, **{"import": "1"}).status_code == 422
    assert "please check it again" in page.page and page.page.count("It counts all the same.") == 2
    assert not Game.objects.exists()
    page.send(check="1", **ticked, **{page.label("Free"): "name"})
    assert "Import 4 games" in page.page
    assert page.send(**ticked, **{"import": "1"}).status_code == 302
    assert Game.objects.count() == 4


def test_month_comes_first_if_the_first_clear_date_of_the_column_says_so(
    client: Client, campaign: Campaign, gangs: list[Gang], bob: User
) -> None:
    client.force_login(bob)
    page = Page(client, campaign)
    text = "A;B;Result;On\nCrows;Bears;win;1/3/2025\nCrows;Bears;win;2/13/2025\n"
    page.send(text=text, read="1")
    # The column of dates is chosen by hand.
    page.send(check="1", **{"column-date": "3"})
    page.send(check="1", **{page.label("Bears"): str(gangs[1].pk)})
    assert "as in this table (month first: 12/31/2025)" in page.page
    assert "3 Jan. 2025" in page.page and "13 Feb. 2025" in page.page
    page.send(check="1", order="day")
    assert "1 March 2025" in page.page and "“2/13/2025” is no date" in page.page


def test_names_of_other_spellings_are_one_gang_and_one_name(
    client: Client, campaign: Campaign, gangs: list[Gang], bob: User
) -> None:
    client.force_login(bob)
    for text in ("1.5.2025;Écorcheurs;Les Œufs;win\n2.5.2025;ecorcheurs;LES  OEUFS;2-2",):
        page = Page(client, campaign)
        page.send(text=text, read="1")
        page.send(check="1", **{page.label("Écorcheurs"): "new", page.label("Les Œufs"): "name"})
        assert page.send(**{"import": "1"}).status_code == 302
    page = Page(client, campaign)
    page.send(text="3.5.2025;ÉCORCHEURS;les oeufs;win", read="1")
    page.send(check="1", **{page.label("les oeufs"): "name"})
    assert page.send(**{"import": "1"}).status_code == 302
    assert Gang.objects.filter(name="Écorcheurs").count() == 1
    assert Gang.objects.count() == 3 and Game.objects.count() == 3
    assert {*Side.objects.values_list("name", flat=True)} == {"Écorcheurs", "Les Œufs"}


def test_reported_game_is_known_before_it_is_confirmed(
    client: Client, campaign: Campaign, gangs: list[Gang], alice: User, bob: User
) -> None:
    game = reported(make_game(campaign, alice, *gangs), alice)
    client.force_login(bob)
    page = Page(client, campaign)
    page.send(text=f"{game.played_on};Bears;Crows;win", read="1")
    page.send(check="1", **{page.label("Bears"): str(gangs[1].pk)})
    assert "These two have a game on this day already." in page.page


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("separator", ["comma", "semicolon"])
def test_table_of_games_that_the_site_wrote_comes_in_again(
    client: Client,
    campaign: Campaign,
    gangs: list[Gang],
    bob: User,
    language: str,
    separator: str,
) -> None:
    explained(client, campaign, gangs, bob).send(**{"import": "1"})
    # A gang of the same name, and a name that spreadsheets would run.
    Gang.objects.filter(pk=gangs[1].pk).update(name="=Crows")
    Side.objects.filter(gang=gangs[1]).update(name="Crows")
    Side.objects.filter(gang=None).update(name="=Strangers")
    query = {"lang": language, "separator": separator}
    address = f"/campaigns/feeds/{campaign.watch_key}/games.csv"
    content = client.get(address, query).content
    page = Page(client, campaign)
    page.send(file=SimpleUploadedFile("games.csv", content), read="1")
    newts = Gang.objects.get(name="Newts")
    chosen = {page.label("Newts"): str(newts.pk), page.label("=Strangers"): "name"}
    names = {user: page.label(rf"Crows \({user}\)") for user in ("alice", "bob")}
    assert page.fields[names["alice"]] == str(gangs[0].pk)
    page.send(check="1", **chosen, **{names["bob"]: str(gangs[1].pk)})
    assert page.page.count("These two have a game on this day already.") == 3
    assert "finding-error" not in page.page
    # In another campaign they come in as they were.
    other = make_campaign(bob, GOLD)
    page = Page(client, other)
    page.send(file=SimpleUploadedFile("games.csv", content), read="1")
    page.send(check="1", **dict.fromkeys(re.findall(r'name="(who-\w+)"', page.page), "new"))
    assert page.send(**{"import": "1"}).status_code == 302

    def told(of: Campaign) -> list[tuple[object, ...]]:
        games = Game.objects.filter(campaign=of).order_by("played_on")
        return [
            (game.played_on, *(side.side for side in game.sides.order_by("pk"))) for game in games
        ]

    assert told(other) == told(campaign) and len(told(other)) == 3


def test_unfought_games_and_games_of_three_are_left_out_of_the_sites_own_table() -> None:
    rows = (
        "1,2025-05-01,,Walk-over,Crows,alice,won",
        "2,2025-05-02,,Victory,Crows,alice,won",
        "1,2025-05-01,,Walk-over,Bears,bob,did not play",
        *(f"3,2025-05-03,,Victory,{name},x,{'lost' if name != 'A' else 'won'}" for name in "ABC"),
        "2,2025-05-02,,Victory,Bears,bob,lost",
    )
    heading = "Game,Day,Scenario,Result,Gang,Player,Won or lost,Stage,Round of the stage"
    grid = own_tables.read_table("\n".join([heading, *rows]))
    mapped = Mapped(guess_columns(grid, headed=True), names={"Crows": "new", "Bears": "new"})
    lines = read_lines(grid, mapped, shipped(GOLD), date(2026, 1, 1), {})
    assert [line.number for line in lines] == [2, 3, 5]
    assert [line.is_good for line in lines] == [False, True, False]
    assert lines[0].reason == "Nobody fought this game." and lines[0].may_count
    assert lines[2].reason.startswith("More than two sides met") and not lines[2].may_count
    assert names_in(grid, mapped) == ["Crows", "Bears"] and lines[1].note == "Victory"


def test_game_that_came_in_since_the_preview_is_not_counted_again(
    client: Client, campaign: Campaign, gangs: list[Gang], bob: User
) -> None:
    page = explained(client, campaign, gangs, bob)
    # Another organiser has looked the same table over, too.
    fields = {**page.fields, "token": str(uuid.uuid4())}
    page.send(**{"import": "1"})
    page.fields = fields
    assert page.send(**{"import": "1"}).status_code == 422
    assert Game.objects.count() == 3


def test_two_imports_at_the_same_time_write_no_game_twice(
    campaign: Campaign, gangs: list[Gang], bob: User
) -> None:
    grid = own_tables.read_table("Date;A;B;Result\n1.5.2025;Crows;Bears;3-1")
    names = {"Crows": str(gangs[0].pk), "Bears": str(gangs[1].pk)}
    mapped = Mapped(guess_columns(grid, headed=True), names=names)
    # Both have read the campaign's games before either writes.
    known = storage.known_games(campaign)
    lines = read_lines(grid, mapped, shipped(GOLD), date(2026, 1, 1), known)

    def write() -> None:
        storage.import_results(
            campaign,
            lines,
            names,
            known=known,
            title="",
            digest="x",
            actor=bob,
            token=uuid.uuid4(),
        )

    write()
    with pytest.raises(Refusal, match="results_changed"):
        write()
    assert Game.objects.count() == 1


def test_table_that_changed_since_the_preview_is_shown_again(
    client: Client, campaign: Campaign, gangs: list[Gang], bob: User
) -> None:
    page = explained(client, campaign, gangs, bob)
    answer = page.send(**{"import": "1"}, text=TABLE.replace("3-1", "1-3"))
    assert answer.status_code == 422 and "has changed since" in page.page
    assert not Game.objects.exists()


def test_undo_deletes_the_games_and_the_unused_gangs(
    client: Client, campaign: Campaign, gangs: list[Gang], bob: User
) -> None:
    explained(client, campaign, gangs, bob).send(**{"import": "1"})
    act = ResultsImport.objects.get()
    address = f"/campaigns/{campaign.pk}/old-results/{act.pk}/undo/"
    for words in ("Undone: 3 games.", "undone before"):
        assert words in client.post(address, follow=True).content.decode()
    assert not Game.objects.exists() and not Gang.objects.filter(name="Newts").exists()
    assert campaign.memberships.count() == 2


def test_undo_keeps_games_that_somebody_corrected_and_gangs_that_have_a_player(
    client: Client, campaign: Campaign, gangs: list[Gang], bob: User
) -> None:
    explained(client, campaign, gangs, bob).send(**{"import": "1"})
    act = ResultsImport.objects.get()
    address = f"/campaigns/{campaign.pk}/old-results/{act.pk}/undo/"
    game = Game.objects.get(note="Cold")
    account = results.account_of(game, list(game.sides.all()))
    account = account.model_copy(update={"note": "Colder"})
    results.decide(game, actor=bob, expected_version=game.version, account=account, why="Wrong")
    assert not Side.objects.undone().exists()
    assert "has corrected 1 of these games" in client.post(address, follow=True).content.decode()
    assert Game.objects.count() == 3
    game.refresh_from_db()
    results.withdraw(game, actor=bob, expected_version=game.version)
    Gang.objects.filter(name="Newts").update(owner=bob)
    client.post(address)
    assert not Game.objects.exists() and Gang.objects.filter(name="Newts").exists()


def test_file_with_mistakes_imports_only_its_good_rows(
    client: Client, campaign: Campaign, gangs: list[Gang], bob: User
) -> None:
    client.force_login(bob)
    page = Page(client, campaign)
    content = "Date;A;B;Résultat\n01/03/2025;Crows;Nobody;Égalité\nun jour;Crows;Nobody;1\n"
    page.send(file=SimpleUploadedFile("résultats.csv", content.encode("cp1252")), read="1")
    assert "“un jour” is no date that the site understands." in page.page
    page.send(check="1", **{page.label("Nobody"): "name"})
    assert "1 row has mistakes and is left out." in page.page and "Import 1 game" in page.page
    page.send(**{"import": "1"})
    (game,) = Game.objects.all()
    assert (game.brought_by and game.brought_by.title) == "résultats.csv"
    assert [side.name for side in game.sides.all()] == ["Crows", "Nobody"]


def test_campaign_file_carries_imports_and_their_games(
    client: Client, campaign: Campaign, gangs: list[Gang], bob: User
) -> None:
    explained(client, campaign, gangs, bob).send(**{"import": "1"})
    content = exporting.export_campaign(campaign)
    new = write_campaign(read_file(content), importer=bob, own_place=None, token=uuid.uuid4())
    act = new.results_imports.get()
    assert act.games.count() == 3
    assert not Side.objects.undone().filter(game__campaign=new).exists()
    assert exporting.export_campaign(new).count(b"brought_by") == 3


def test_gang_of_another_campaign_cannot_be_chosen(
    client: Client, campaign: Campaign, gangs: list[Gang], bob: User, charlie: User
) -> None:
    foreign = make_player(make_campaign(charlie, GOLD), charlie)
    client.force_login(bob)
    page = Page(client, campaign)
    page.send(text=TABLE, read="1")
    page.send(check="1", **{page.label("Bears"): str(foreign.pk)})
    assert page.page.count("Choose which gang “Bears” is.") == 2


def test_queries_do_not_grow_with_the_rows(
    client: Client,
    campaign: Campaign,
    gangs: list[Gang],
    bob: User,
    django_assert_max_num_queries: Any,
) -> None:
    client.force_login(bob)
    rows = "".join(f"{day:02}/03/2025;Crows;Bears;3-{day}\n" for day in range(1, 29))
    page = Page(client, campaign)
    page.send(text="Date;A;B;Score\n" + rows, read="1")
    page.send(check="1", **{page.label("Bears"): str(gangs[1].pk)})
    with django_assert_max_num_queries(45):
        assert page.send(**{"import": "1"}).status_code == 302
    assert Game.objects.count() == 28
