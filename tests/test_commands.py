"""The commands that a site's owner types."""

from __future__ import annotations

import os
import subprocess
from datetime import timedelta
from io import BytesIO, StringIO
from pathlib import Path
from shutil import copytree
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from PIL import Image

from accounts.models import User
from campaigns.demo.club import TALES
from campaigns.models import Bargain, Campaign, Game, Side
from campaigns.season.loading import load_season
from campaigns.statistics.charts import figures
from gangs.engine import actions
from gangs.ledger import writer
from gangs.models import Gang
from gangs.pictures.storage import BADGE, LARGE, SMALL, content_of
from rules.library import load, newest_books, shipped_folders
from rules.loading.reader import read_folder
from rules.models import BookVersion

pytestmark = pytest.mark.django_db

BOOKS_COMMAND = "rules.management.commands.books"
NEVER = """
[[rolls]]
key = "trial"
name = { en = "Trial", fr = "Essai" }
source = "house"
steps = [{ sum = "n" }]
outcomes = [
    { key = "never", name = { en = "Never", fr = "Jamais" }, given = "n > 6" },
    { key = "always", name = { en = "Always", fr = "Toujours" } },
]
"""


def run_command(*command: str, **options: object) -> str:
    out = StringIO()
    call_command(*command, stdout=out, stderr=out, **options)
    return out.getvalue()


@pytest.mark.long
def test_books_load_stores_each_version_once() -> None:
    count = len(shipped_folders())
    assert run_command("books", "load").count("new version") == count
    assert run_command("books", "load").count("already stored") == count
    assert BookVersion.objects.count() == count


def test_books_check_prints_every_mistake_and_fails(tmp_path: Path) -> None:
    (tmp_path / "book.toml").write_text('slug = "other"\nname = 3\nodd = 1\n')
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("books", "check", tmp_path, stdout=out, stderr=out)
    text = out.getvalue()
    assert "odd, book.toml:3: unknown word “odd”" in text
    assert "ranks, book.toml: is missing" in text
    assert "slug, book.toml:1: must be the folder’s name" in text.replace("'", "’")
    assert BookVersion.objects.count() == 0


@pytest.mark.long
def test_books_check_computes_rolls_and_load_does_not(tmp_path: Path) -> None:
    folder = tmp_path / "moor-ghosts"
    copytree(Path(__file__).parent / "sixth" / "moor-ghosts", folder)
    with (folder / "dice.toml").open("a") as file:
        file.write(NEVER)
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("books", "check", folder, stdout=out, stderr=out)
    assert "the outcome “never” cannot happen with any rank, item or circumstance" in out.getvalue()
    assert "new version" in run_command("books", "load", folder)


def test_books_check_explains_that_a_folder_does_not_exist(tmp_path: Path) -> None:
    folder = tmp_path / "nowhere"
    out = StringIO()
    with pytest.raises(CommandError, match="1 of 1 rulebook has mistakes"):
        call_command("books", "check", folder, stdout=out, stderr=out)
    assert out.getvalue() == f"nowhere: {folder}: this folder does not exist\n"


@pytest.mark.parametrize(
    ("action", "function"),
    [("check", "rules.loading.examining._examine"), ("load", BOOKS_COMMAND + ".read_folder")],
)
def test_books_reports_a_fault_of_the_checker_for_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str, function: str
) -> None:
    """Other folders are still examined."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "book.toml").write_text('slug = "any"\n')

    def fail(*_given: object) -> None:
        raise KeyError("outcomes")

    monkeypatch.setattr(function, fail)
    out = StringIO()
    with pytest.raises(CommandError, match="2 of 2 rulebooks have mistakes"):
        call_command("books", action, tmp_path / "one", tmp_path / "two", stdout=out, stderr=out)
    lines = out.getvalue().splitlines()
    assert [line.partition(":")[0] for line in lines] == ["one", "two"]
    assert "KeyError in test_commands.py, line " in lines[0]


def test_books_fair_refuses_an_unknown_option_or_choice() -> None:
    folder = str(shipped_folders()[2])
    for under, words in (
        ("moon=full", "has no option “moon”"),
        ("play=dead", "does not allow “dead”"),
    ):
        with pytest.raises(CommandError, match=words):
            run_command("books", "fair", folder, under=[under], fights=1)


@pytest.mark.long
def test_books_check_checks_stored_rulebooks_when_no_folder_is_named() -> None:
    with pytest.raises(CommandError, match="No rulebook is stored here: name a folder"):
        run_command("books", "check")
    book = read_folder(shipped_folders()[0])
    load(book)
    assert run_command("books", "check").splitlines()[0] == f"{book.slug}: no mistake"
    version, _ = load(book.changed(money=None))
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("books", "check", stdout=out, stderr=out)
    assert (
        f"{book.slug}: budgets, {book.slug}: this needs money: add “money” to the rulebook"
        in out.getvalue()
    )


@pytest.mark.long
def test_books_remove_deletes_unused_rulebooks() -> None:
    book, other = map(read_folder, shipped_folders()[:2])
    load(book)
    load(book.changed(edition="another"))
    load(other)
    assert run_command("books", "remove", book.slug).splitlines() == [
        f"{book.slug}: removed (2 versions)",
        f"{book.slug} is part of the application: “books load DIR” stores it again",
    ]
    assert {version.slug for version in BookVersion.objects.all()} == {other.slug}
    with pytest.raises(CommandError, match="no such rulebook is stored here"):
        run_command("books", "remove", book.slug)


def test_books_remove_lists_users_of_a_rulebook_and_deletes_nothing() -> None:
    book = read_folder(shipped_folders()[0])
    version, _ = load(book)
    owner = User.objects.create_user("erin")
    gang = writer.found(version, actions.found(book, "The Last Ones", {}), owner=owner)
    load(book.changed(edition="another"))
    out = StringIO()
    with pytest.raises(CommandError, match=f"Still needed: {book.slug}"):
        call_command("books", "remove", book.slug, stdout=out, stderr=out)
    assert out.getvalue().splitlines() == [
        f"{book.slug}: needed by 1, nothing removed:",
        "  gang “The Last Ones”",
    ]
    assert BookVersion.objects.count() == 2
    gang.delete()
    assert "removed (2 versions)" in run_command("books", "remove", book.slug)


@pytest.mark.long
def test_script_books_checks_a_folder_without_a_key_and_a_database(tmp_path: Path) -> None:
    """Without a key and without a database; folders are relative to the current one."""
    folder = shipped_folders()[0]
    outside = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path / "var")}
    for name, status in ((folder.name, 0), ("nowhere", 1)):
        done = subprocess.run(
            [settings.BASE_DIR / "script" / "books", "check", name],
            cwd=folder.parent,
            env=outside,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stderr
        words = "no mistake" if status == 0 else "this folder does not exist"
        assert words in done.stdout + done.stderr
    assert [*(tmp_path / "var").rglob("*")] == [], "neither key nor database"


@pytest.mark.long
def test_books_load_keeps_older_versions() -> None:
    folder = shipped_folders()[0]
    old, _ = load(read_folder(folder))
    changed = read_folder(folder).changed(edition="another")
    new, created = load(changed)
    assert created and old.digest != new.digest
    assert [version.digest for version, _ in newest_books()] == [new.digest]
    assert not load(read_folder(folder))[1]
    assert [version.digest for version, _ in newest_books()] == [old.digest]


def test_loading_a_stored_rulebook_costs_one_query(monkeypatch: pytest.MonkeyPatch) -> None:
    book = read_folder(shipped_folders()[0])
    stored, created = load(book)
    assert created
    monkeypatch.setattr(type(book), "canonical", None)
    with CaptureQueriesContext(connection) as captured:
        assert load(book) == (stored, False)
    assert len(captured) == 1


@pytest.mark.long
def test_demo_creates_a_complete_club_only_once(client: Client) -> None:
    call_command("books", "load", stdout=StringIO())
    text = run_command("demo")
    books = len(shipped_folders())
    assert text.count("Demo login") == User.objects.count() == 4
    assert Gang.objects.count() == 4 * books
    assert Campaign.objects.count() == books
    for gang in Gang.objects.all():
        assert gang.roster.playing
    assert "all equal" in run_command("replay")
    before = list(Gang.objects.order_by("pk").values_list("pk", "version"))
    assert run_command("demo") == text and "://" not in text, "no address is known"
    assert list(Gang.objects.order_by("pk").values_list("pk", "version")) == before
    link = text.split("To watch without signing in: ")[1].split()[0]
    # The front page links there from the site's next start on.
    assert settings.DEMO_FILE.read_text() == urlsplit(link).path + "\n"
    page = client.get(urlsplit(link).path, follow=True)
    assert Campaign.objects.order_by("created_at")[0].name in page.content.decode()
    _has_something_of_everything()


def _has_something_of_everything() -> None:
    """Check that each campaign has three past nights and one to come, with their dates."""
    now = timezone.now()
    for campaign in Campaign.objects.all():
        *season, to_come = campaign.nights.order_by("starts_at")
        assert [night.games.count() for night in (*season, to_come)] == [2, 2, 2, 1]
        assert season[-1].starts_at < now < to_come.starts_at
        assert to_come.attendances.count() == 4
        assert Side.objects.done().filter(game__campaign=campaign).count() == 12
        planned = campaign.games.exclude(status=Game.Status.CONFIRMED)
        assert {game.night for game in planned} == {to_come}
        history = load_season(campaign.pk).season
        assert len(figures(history, "wins").columns) == 4
        joined = [gang.joined_at for gang in history.gangs]
        assert max(joined) < season[0].starts_at
        # A game's entries are dated to the day on which it was played.
        for gang in history.gangs:
            nights = [night.starts_at.date() for night in season]
            told = [
                abs(one.at.date() - day)
                for one, day in zip(gang.timeline.moments, nights, strict=True)
            ]
            assert max(told) <= timedelta(days=1)
    _everybody_has_something_else_to_tell()
    _most_have_pictures()
    assert Bargain.objects.filter(status=Bargain.Status.OPEN).exists()


def _everybody_has_something_else_to_tell() -> None:
    """Check that no two stories are the same."""
    tales = list(Side.objects.exclude(tale="").values_list("tale", flat=True))
    assert len(set(tales)) == len(tales) == 4 * Campaign.objects.count()
    assert not any("{" in tale for tale in tales)
    assert len({tale for group in TALES for told in group for tale in told}) == len(tales)
    assert Game.objects.exclude(note="").count() == Campaign.objects.count()


def _most_have_pictures() -> None:
    """Check that each gang has a badge and three different portraits, except the last player's,
    which show the drawn faces.
    """
    shown = []
    for gang in Gang.objects.select_related("owner"):
        most = 0 if str(gang.owner) == "dora" else 4
        assert len(gang.pictures) == most and (BADGE in gang.pictures) == bool(most)
        shown += gang.pictures.values()
        for name in gang.pictures.values():
            for side in (SMALL, LARGE):
                content = content_of(gang, name, side)
                assert content is not None
                assert Image.open(BytesIO(content)).size == (side, side)
    assert len(set(shown)) == len(shown)


@pytest.mark.long
def test_demo_leaves_the_dates_of_other_gangs_unchanged() -> None:
    version, _ = load(book := read_folder(shipped_folders()[0]))
    owner = User.objects.create_user("erin")
    gang = writer.found(version, actions.found(book, "Before", {}), owner=owner)
    when = gang.entries.values_list("at", flat=True)
    before = list(when.all())
    run_command("demo")
    assert list(when.all()) == before
