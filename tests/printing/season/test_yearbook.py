"""The yearbook: its content, that nothing is clipped, and the page to wait on."""

from __future__ import annotations

import io
import re
import threading
import time
import uuid
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override
from PIL import Image

from accounts.models import User
from campaigns.club.nights import schedule
from campaigns.league.settling import settle_absence
from campaigns.models import Campaign, Fixture, Game, Membership, Side
from campaigns.season.standings.text import column_name
from gangs.engine import entries as kinds
from gangs.ledger import writer
from gangs.models import Gang
from gangs.pictures import decoder
from gangs.pictures import storage as pictures_storage
from printing import line, queue
from printing.paper.orders import STYLES, Order, Paper, Style
from printing.press import layout as press
from printing.press.jobs import Job
from printing.press.worker import Failed
from printing.season import yearbook as prints_yearbook
from printing.season.material import Material, material
from tests.campaigns.postgames.test_drafts import committed
from tests.printing.crowds import LONG, UNBROKEN
from tests.printing.kept_pages import same_picture
from tests.printing.reading import (
    fonts_of,
    fullness,
    is_tagged,
    language_of,
    pages_of,
    pictures_of,
    printed,
    sizes_of,
    squeezed,
    text_of,
    title_of,
    too_small,
    troubles,
)
from tests.printing.season.evenings import TALE, season
from tests.random_cases import in_pairs, one_soon
from tests.world.campaigns import (
    confirmed,
    make_campaign,
    make_game,
    make_player,
    make_stage,
    reported,
    side_of,
)
from tests.world.gangs import GOLD, POINTS, SLUGS, shipped
from typesetting.letters import LARGE, LARGE_LABEL, SMALLEST, SMALLEST_LABEL

pytestmark = pytest.mark.papers


def job(found: Material, language: str = "en", paper: Paper = "a4", style: Style = "ink") -> Job:
    order = Order(language, paper, style)
    with override(language):
        return prints_yearbook.print_job(prints_yearbook.html(found, order), order)


NAMES = ["The Crows", "The Otters", "The Herons"]


# Content ---------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("style", ["ink", "illustrated"])
@pytest.mark.parametrize("language", ["en", "fr"])
def test_yearbook_prints_everything(language: str, style: Style) -> None:
    book = shipped(GOLD)
    found = season(book, NAMES, 6)
    pdf = press.pdf(job(found, language, style=style))
    text = text_of(pdf)
    expected: list[object] = [
        found.loaded.campaign.name,
        book.title.translated(language),
        TALE,
        "The mill",
    ]
    for name in NAMES:
        expected += [name, f"Player of {name}", f"{name}’s first", f"{name} the Elder"]
    expected += [book.items[0].name.translated(language), book.traits[0].name.translated(language)]
    expected += [result.name.translated(language) for result in book.campaign.results[:1]]
    missing = [str(words) for words in expected if squeezed(words) not in text]
    assert not missing
    assert language_of(pdf) == language
    assert title_of(pdf).startswith("The burning of the mills")
    assert is_tagged(pdf)
    assert {name.split("-")[0] for name in fonts_of(pdf)} <= {"Fira", "Zilla"}


@pytest.mark.parametrize(("slug", "paper"), one_soon(in_pairs(SLUGS, ["a4", "letter"])))
def test_yearbook_is_not_clipped_in_any_game(slug: str, paper: Paper) -> None:
    found = season(shipped(slug), NAMES, 4)
    style: Style = "illustrated" if paper == "a4" else "ink"
    assert not troubles(job(found, "fr", paper, style), within="paper")


@pytest.mark.parametrize(("slug", "style"), one_soon(in_pairs(SLUGS, STYLES)))
def test_yearbook_is_legible(slug: str, style: Style, capsys: Any) -> None:
    """No letters are too small (large print has its own limit); the last page is not almost
    empty."""
    wanted = job(season(shipped(slug), NAMES, 6), "fr", style=style)
    plain = style == "accessible"
    limits = (LARGE, LARGE_LABEL) if plain else (SMALLEST, SMALLEST_LABEL)
    assert too_small(wanted, *limits) == []
    full = fullness(wanted)
    with capsys.disabled():
        print(f" {slug} {style}: the last page is {full:.0%} full", end="")
    assert full >= 0.15


@pytest.mark.long
def test_yearbook_stays_short() -> None:
    """Earlier versions took 11, 11 and 18 pages."""
    book = shipped(GOLD)
    many = [f"The {word} of the Rust Creek" for word in "ABCDEFGH"]
    lengths = [
        len(pages_of(printed(job(found, style="illustrated"))))
        for found in (season(book, NAMES, 3), season(book, NAMES, 6), season(book, many, 12))
    ]
    assert lengths == [6, 6, 9]


@pytest.mark.long
def test_yearbook_of_a_large_campaign_is_complete() -> None:
    """Forty gangs with the longest names, sixty nights, the longest tales: everything is printed,
    and nothing overlaps or leaves the paper."""
    names = [f"{number} {LONG}"[:80] for number in range(39)] + [UNBROKEN]
    tale = ("A very long evening, told at length. " * 60)[:1990] + " THE END."
    found = season(shipped(POINTS), names, 60, tale=tale, place="P" * 120)
    large = job(found, style="illustrated")
    assert not troubles(large, within="paper")
    text = text_of(printed(large))
    assert text.count("THEEND.") == len(found.tales)
    for name in names:
        # In the standings, and at the top of its own page.
        assert text.count(squeezed(name)) >= 2


@pytest.mark.long
def test_contents_list_the_right_pages() -> None:
    pages = pages_of(press.pdf(job(season(shipped(GOLD), NAMES, 12))))
    contents = pages[0]
    titles = ("The hero of the season", "Standings", "Who met whom", "Charts and records")
    for title in (*titles, "Chronicle", "The gangs", "Graveyard"):
        told = re.search(rf"^{title}[ .]*?(\d+)$", contents, re.M)
        assert told, contents
        number = int(told[1])
        assert title in pages[number - 1], (title, number)


@pytest.mark.parametrize(("paper", "size"), one_soon([("letter", (612, 792)), ("a4", (595, 842))]))
def test_yearbook_has_the_chosen_paper_size(paper: Paper, size: tuple[int, int]) -> None:
    assert set(sizes_of(press.pdf(job(season(shipped(GOLD), NAMES, 1), paper=paper)))) == {size}


def test_yearbook_before_the_first_game_has_no_charts() -> None:
    """An empty book reports that, and has no empty charts."""
    text = text_of(press.pdf(job(season(shipped(GOLD), NAMES, 0))))
    assert squeezed("Nobody has died yet.") in text
    assert "Charts" not in text


def test_ink_style_has_no_colour() -> None:
    html = job(season(shipped(GOLD), NAMES, 4)).html
    assert set(re.findall(r"#[0-9a-f]{6}\b", html)) <= {"#000000", "#666666", "#cccccc", "#ffffff"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("slug", "language", "style"), [(GOLD, "en", "ink"), (POINTS, "fr", "illustrated")]
)
def test_yearbook_looks_like_its_kept_picture(slug: str, language: str, style: Style) -> None:
    pdf = press.pdf(job(season(shipped(slug), NAMES, 6), language, style=style))
    same_picture(pdf, f"yearbook-{slug}-{style}-{language}")


# From the database -----------------------------------------------------------------------------


@pytest.fixture
def played(alice: User, bob: User) -> Campaign:
    """A campaign after a night with one game, its post-games played."""
    return campaign_of(bob, [alice, bob], 1)


def campaign_of(organiser: User, users: list[User], evenings: int) -> Campaign:
    campaign = make_campaign(organiser)
    playing = [make_player(campaign, user) for user in users]
    for evening in range(evenings):
        when = timezone.now() - timedelta(days=7 * (evening + 1))
        night = schedule.arrange(
            campaign, starts_at=when, place="Club", note="", token=uuid.uuid4()
        )
        for at in range(0, len(users), 2):
            day = date(2026, 1, 1) + timedelta(days=evening)
            game = make_game(campaign, users[at], *playing[at : at + 2], day=day)
            game = confirmed(reported(game, users[at]), users[at + 1])
            Game.objects.filter(pk=game.pk).update(night=night)
            for gang, user in zip(playing[at : at + 2], users[at : at + 2], strict=True):
                side = side_of(game, gang)
                committed(side, user)  # type: ignore[no-untyped-call]
                Side.objects.filter(pk=side.pk).update(tale=f"Tale of {gang.name}.")
    return Campaign.objects.get(pk=campaign.pk)


@pytest.mark.long
def test_yearbook_queries_do_not_grow(bob: User) -> None:
    # Django asks each process's database once.
    assert connection.features.supports_json_field
    counts = []
    for gangs, evenings in ((2, 1), (6, 2)):
        users = [User.objects.create_user(f"p{gangs}-{number}") for number in range(gangs)]
        campaign = campaign_of(bob, users, evenings)
        # Gangs and campaign have changed since their first state: both are read in full.
        Campaign.objects.filter(pk=campaign.pk).update(archived_at=timezone.now())
        for gang in Gang.objects.filter(memberships__campaign=campaign):
            writer.append(
                gang,
                [kinds.Renamed(name=f"{gang.name} II")],
                expected_version=gang.version,
                actor=bob,
            )
        campaign = Campaign.objects.get(pk=campaign.pk)
        with CaptureQueriesContext(connection) as queries:
            prints_yearbook.key(campaign, Order("en"))
            prints_yearbook.job(campaign, Order("en"))
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 20


def test_yearbook_names_the_leaders_of_each_stage(played: Campaign, bob: User) -> None:
    gangs = list(Gang.objects.filter(memberships__campaign=played))
    stage = make_stage(played, *gangs, stage_format="knock-out")
    before = prints_yearbook.key(played, Order("en"))
    assert 'id="league"' not in prints_yearbook.job(played, Order("en")).html
    fixture = Fixture.objects.get(round__stage=stage)
    settle_absence(fixture, gangs[0], actor=bob)
    book = prints_yearbook.job(played, Order("en")).html
    assert f"Won by {gangs[0].name}" in book and stage.name in book
    assert prints_yearbook.key(played, Order("en")) != before


@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_legend_of_the_standings_keeps_capitals(played: Campaign, language: str) -> None:
    """German nouns have them."""
    with override(language):
        name, meaning = column_name(played.book, "wins")
        assert f"{meaning}." in prints_yearbook.job(played, Order(language)).html
    assert meaning[0].isupper() and name != meaning


@pytest.mark.long
def test_key_changes_with_the_content(played: Campaign) -> None:
    """Every change of the book changes its key; answers for the next night do not."""

    def key(**wanted: Any) -> str:
        return prints_yearbook.key(Campaign.objects.get(pk=played.pk), Order("en", **wanted))

    keys = [key(), key(style="illustrated"), key(paper="letter")]
    side = Side.objects.filter(game__campaign=played).first()
    assert side is not None
    Side.objects.filter(pk=side.pk).update(tale="Another tale.")
    keys.append(key())
    night = played.nights.get()
    schedule.change(
        night, starts_at=night.starts_at, place="Elsewhere", note="", expected_version=night.version
    )
    keys.append(key())
    gang = Gang.objects.filter(memberships__campaign=played).first()
    assert gang is not None
    writer.append(gang, [kinds.Renamed(name="Other")], expected_version=gang.version, actor=None)
    keys.append(key())
    assert len(set(keys)) == len(keys)
    schedule.answer(night, Gang.objects.get(pk=gang.pk), "yes", actor=played.organisers[0])
    assert key() == keys[-1]


@pytest.mark.long
def test_yearbook_shows_a_gang_as_it_was_at_the_end(played: Campaign) -> None:
    """The later fate of a gang that has left is not part of the book."""
    membership = Membership.objects.select_related("gang").filter(campaign=played)[0]
    before = membership.gang.roster
    gone = before.members[0]
    Membership.objects.filter(pk=membership.pk).update(left_at=timezone.now())
    gang = membership.gang
    writer.append(
        gang, [kinds.Died(member=gone.id)], expected_version=gang.version, actor=gang.owner
    )
    found = material(Campaign.objects.get(pk=played.pk))
    assert gone.id in {member.id for member in found.rosters[str(membership.gang_id)].members}


@pytest.mark.long
def test_badges_are_printed_in_colour(played: Campaign, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    gang = Gang.objects.filter(memberships__campaign=played)[0]
    before = prints_yearbook.key(played, Order("en", style="illustrated"))
    photograph = io.BytesIO()
    Image.new("RGB", (300, 200), "teal").save(photograph, "JPEG")
    pictures_storage.keep(
        gang, None, pictures_storage.Decoded(decoder.decode_picture(photograph.getvalue()))
    )

    def ordered(style: Style) -> Job:
        return prints_yearbook.job(Campaign.objects.get(pk=played.pk), Order("en", style=style))

    in_colour = ordered("illustrated")
    assert not troubles(in_colour, within="paper")
    assert (pictures_of(in_colour), pictures_of(ordered("ink"))) == (1, 0)
    assert prints_yearbook.key(played, Order("en", style="illustrated")) != before


# In the browser --------------------------------------------------------------------------------


class Press:
    """A press that prints on command, and remembers its jobs."""

    def __init__(self) -> None:
        self.given: list[Job] = []
        self.free = threading.Event()
        self.fails = False

    def print(self, job: Job, _pictures: Any, told: Any) -> bytes:
        self.given.append(job)
        told(35)
        assert self.free.wait(120)
        if self.fails:
            raise Failed("no")
        return b"%PDF-book"

    def stop(self) -> None:
        """Do nothing: there is no process to end."""


@pytest.fixture
def slow_press(
    transactional_db: None, monkeypatch: Any, settings: Any, tmp_path: Any
) -> Iterator[Press]:
    """A queue of books whose press is busy until it is set free, and an empty shelf."""
    settings.PRINT_PATIENCE = 0.05
    settings.DATA_DIR = tmp_path
    made = Press()
    opened = queue._Queue(("book",), 60, made)  # type: ignore[arg-type]
    monkeypatch.setattr(queue, "_books", opened)
    yield made
    made.free.set()
    until(lambda: opened.thread is None)


def until(check: Any) -> None:
    limit = time.monotonic() + 120
    while not check():
        assert time.monotonic() < limit, "the condition never became true"
        time.sleep(0.02)


def address(campaign: Campaign) -> str:
    return reverse("campaigns:yearbook-pdf", args=[campaign.pk])


@pytest.mark.long
def test_campaign_page_links_to_the_yearbook(client: Client, alice: User, played: Campaign) -> None:
    client.force_login(alice)
    page = client.get(played.get_absolute_url()).content.decode()
    choose = reverse("campaigns:yearbook", args=[played.pk])
    assert f'href="{choose}"' in page
    form = client.get(choose).content.decode()
    assert f'action="{address(played)}"' in form
    assert 'value="letter"' in form
    assert 'value="illustrated"' in form
    assert 'value="accessible"' in form


def test_reader_waits_on_a_page(
    client: Client, alice: User, played: Campaign, slow_press: Press
) -> None:
    """It shows the print and its progress, reloads by itself, and links back."""
    client.force_login(alice)
    client.get(address(played))
    until(lambda: slow_press.given)
    response = client.get(address(played))
    page = response.content.decode()
    assert response.status_code == 202
    assert "Yearbook of The long winter" in page
    assert "35 pages are set" in page
    assert '<meta http-equiv="refresh"' in page
    assert f'href="{played.get_absolute_url()}"' in page
    # All other pages are answered meanwhile, also sheets, which have their own press.
    assert client.get(played.get_absolute_url()).status_code == 200
    slow_press.free.set()
    until(lambda: client.get(address(played)).status_code == 200)
    final = client.get(address(played))
    assert final["Content-Type"] == "application/pdf"
    again = client.get(address(played), headers={"If-None-Match": final["ETag"]})
    assert again.status_code == 304
    assert len(slow_press.given) == 1


def test_sheets_do_not_wait_behind_yearbooks(
    client: Client, alice: User, played: Campaign, slow_press: Press, settings: Any
) -> None:
    client.force_login(alice)
    assert client.get(address(played)).status_code == 202
    settings.PRINT_PATIENCE = 100
    gang = Gang.objects.filter(owner=alice).get()
    sheet = client.get(reverse("gangs:sheet-pdf", args=[gang.pk]))
    assert sheet.content.startswith(b"%PDF-")
    assert not line.is_empty(("book",))


def test_ten_simultaneous_requests_print_a_single_yearbook(
    slow_press: Press, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A single request draws it, and it is printed once."""
    drawn: list[int] = []
    told: list[str] = []

    def draw() -> Job:
        drawn.append(1)
        time.sleep(0.3)
        return Job("<html><body><p>book</p></body></html>")

    def ask() -> None:
        try:
            queue.ask("a" * 64, draw, "book")
        except queue.Waiting:
            told.append("waiting")
        finally:
            connections.close_all()

    threads = [threading.Thread(target=ask) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert told == ["waiting"] * 10
    slow_press.free.set()
    until(lambda: line.is_empty(("book",)))
    assert (len(drawn), len(slow_press.given)) == (1, 1)
    assert queue.ask("a" * 64, draw, "book") == b"%PDF-book"


@pytest.mark.long
def test_failed_yearbook_is_reported_to_all_readers(
    client: Client, alice: User, bob: User, played: Campaign, slow_press: Press
) -> None:
    """Repeated requests do not print it again and again."""
    slow_press.fails = True
    slow_press.free.set()
    for user in (alice, bob):
        client.force_login(user)
        client.get(address(played))
        until(lambda: line.is_empty(("book",)))
        until(lambda: client.get(address(played)).status_code == 500)
        page = client.get(address(played)).content.decode()
        assert "This cannot be printed" in page
        assert played.get_absolute_url() in page
        assert 'http-equiv="refresh"' not in page
    assert len(slow_press.given) == 1


def test_yearbook_that_cannot_be_drawn_blocks_no_other(slow_press: Press) -> None:
    def broken() -> Job:
        raise ValueError("no")

    for _time in range(2):
        with pytest.raises(ValueError, match="no"):
            queue.ask("b" * 64, broken, "book")


def test_strangers_do_not_find_the_yearbook(
    client: Client, charlie: User, played: Campaign
) -> None:
    client.force_login(charlie)
    for name in ("yearbook", "yearbook-pdf"):
        assert client.get(reverse(f"campaigns:{name}", args=[played.pk])).status_code == 404


def test_watch_link_gives_the_yearbook(client: Client, played: Campaign) -> None:
    client.get(reverse("campaigns:watch", args=[played.watch_key]))
    response = client.get(f"{address(played)}?paper=letter&style=illustrated")
    assert response.status_code == 200
    assert set(sizes_of(response.content)) == {(612, 792)}
    assert squeezed("Tale of") in text_of(response.content)
