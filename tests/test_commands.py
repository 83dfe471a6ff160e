"""The commands that an owner of a site types."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from campaigns.models import Campaign, Game, Side
from gangs.findings import findings
from gangs.models import Gang
from rules.library import load, newest_books, shipped_folders
from rules.models import BookVersion
from rules.reading import read_folder

pytestmark = pytest.mark.django_db


def said(*command: str, **options: object) -> str:
    out = StringIO()
    call_command(*command, stdout=out, stderr=out, **options)
    return out.getvalue()


def test_books_load_once_and_again() -> None:
    count = len(shipped_folders())
    assert said("books", "load").count("new version") == count
    assert said("books", "load").count("already stored") == count
    assert BookVersion.objects.count() == count


def test_books_check_prints_every_mistake_and_fails(tmp_path: Path) -> None:
    (tmp_path / "book.toml").write_text('slug = "other"\nname = 3\nodd = 1\n')
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("books", "check", tmp_path, stdout=out, stderr=out)
    text = out.getvalue()
    assert "odd: is not a word of the vocabulary" in text and "ranks: is missing" in text
    assert "slug: must be the folder’s name" in text.replace("'", "’")
    assert BookVersion.objects.count() == 0


def test_an_older_version_stays_when_a_new_one_is_loaded() -> None:
    folder = shipped_folders()[0]
    old, _ = load(read_folder(folder))
    changed = read_folder(folder).changed(edition="another")
    new, created = load(changed)
    assert created and old.digest != new.digest
    assert [version.digest for version, _ in newest_books()] == [new.digest]
    assert not load(read_folder(folder))[1]
    assert [version.digest for version, _ in newest_books()] == [old.digest]


def test_the_demo_is_a_whole_club_night_and_is_played_in_once() -> None:
    call_command("books", "load", stdout=StringIO())
    text = said("demo")
    assert text.count("Demo login") == 2
    assert User.objects.count() == 2
    assert Gang.objects.count() == 2 * len(shipped_folders())
    assert Campaign.objects.count() == len(shipped_folders())
    assert {game.status for game in Game.objects.all()} == {Game.Status.CONFIRMED}
    assert Side.objects.done().count() == 2 * len(shipped_folders())
    for gang in Gang.objects.all():
        worst = findings(gang.book, gang.roster)
        assert gang.roster.playing or not [one for one in worst if one.severity == "error"]
    assert "all equal" in said("replay")
    before = list(Gang.objects.order_by("pk").values_list("pk", "version"))
    assert said("demo").count("Demo login") == 2
    assert list(Gang.objects.order_by("pk").values_list("pk", "version")) == before
