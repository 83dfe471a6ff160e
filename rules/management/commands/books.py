"""``manage.py books``: check rulebooks and prices, load them, remove some, write the schema."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from rules import hooks
from rules.book.model import Book
from rules.book.vocabulary import Settings
from rules.engine.duels import FEWEST_CLAIMED
from rules.engine.fairness import describe, fairness
from rules.library import (
    Kept,
    Loaded,
    Needed,
    load,
    load_release,
    remove,
    shipped_folders,
    site_folders,
)
from rules.loading.examining import Examined, checker_failed, examine, examine_data
from rules.loading.json_schema import as_text, file_schema
from rules.loading.reader import BadBook, Mistake, read_folder
from rules.models import BookVersion
from rules.words.po import BadTranslation, read_shipped
from rules.words.store import store_shipped
from rules.words.table import WordTable

# The most fights for each price: a thousand take about a second.
MOST_FIGHTS = 100_000
# The most rows to list that need a rulebook.
MOST_LISTED = 20


class Command(BaseCommand):
    """Check rulebooks, load or remove them, or write the schema that editors use."""

    help = (
        "check [DIR...]: print every mistake in rulebook folders (in the rulebooks stored here, if "
        "none is named), and notes about unused rows. load [DIR...]: store them, and make them the "
        "newest versions (if none is named: those in BOOKS, or all that come with the program, "
        "where this site has never had that version). remove SLUG...: delete rulebooks that "
        "nothing needs. fair DIR...: simulate fights, and compare ranks, weapons and traits with "
        "their price. schema [FILE]: write the JSON Schema of rulebook files (to docs/, if none "
        "is named)."
    )

    # Authors check files where no site has been set up yet, so no database is checked.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The action, and the folders, rulebooks or file for it."""
        parser.add_argument("action", choices=["check", "fair", "load", "remove", "schema"])
        parser.add_argument("names", nargs="*", metavar="DIR, SLUG or FILE")
        parser.add_argument(
            "--fights", type=int, default=FEWEST_CLAIMED, help="number of fights for each price"
        )
        parser.add_argument(
            "--under",
            action="append",
            default=[],
            metavar="OPTION=CHOICE",
            help="judge prices under another choice of an option; may be given several times",
        )
        parser.add_argument("--seed", type=int, default=1, help="equal seeds give equal fights")

    def handle(self, *, action: str, names: list[Any], **options: Any) -> None:
        """Take the action."""
        paths = [Path(name) for name in names]
        match action:
            case "check":
                examined = [examine(path, hooks.find_notes) for path in paths]
                self._check(examined if paths else self._examine_stored())
            case "load":
                if paths:
                    self._load(paths, load)
                else:
                    self._load(site_folders(), load_release)
            case "fair":
                self._fair(paths, options["fights"], options["seed"], options["under"])
            case "remove":
                self._remove(names)
            case "schema":
                self._write_schema(paths)

    def _examine_stored(self) -> Iterable[Examined]:
        """Examine the newest version of every rulebook of this site."""
        found = BookVersion.objects.newest().values_list("slug", "canonical")
        if not found:
            raise CommandError("No rulebook is stored here: name a folder.")
        return (
            examine_data(slug, json.loads(canonical), hooks.find_notes) for slug, canonical in found
        )

    def _check(self, examined: Iterable[Examined]) -> None:
        """Print every mistake and every note."""
        failed = count = 0
        for book in examined:
            count += 1
            failed += bool(book.mistakes)
            if not book.mistakes:
                self.stdout.write(f"{book.name}: no mistake")
            self._print(book.name, book.mistakes)
            for note in book.notes:
                self.stdout.write(f"{book.name}: note: {note}")
        self._fail(failed, count)

    def _print(self, name: str, mistakes: Iterable[Mistake]) -> None:
        for mistake in mistakes:
            self.stderr.write(f"{name}: {mistake}")

    def _fail(self, failed: int, count: int) -> None:
        if failed:
            are = "rulebook has" if count == 1 else "rulebooks have"
            raise CommandError(f"{failed} of {count} {are} mistakes")

    def _load(self, folders: list[Path], store: Callable[[Book], Loaded | Kept]) -> None:
        """Load the folders without mistakes; print every mistake of the others."""
        stored = frozenset(BookVersion.objects.values_list("digest", flat=True))
        books: list[Book] = []
        words: dict[str, dict[str, WordTable]] = {}
        for folder in folders:
            try:
                book = read_folder(folder, stored)
                words[book.slug] = read_shipped(folder)
                books.append(book)
                self.stdout.write(f"{folder.resolve().name}: no mistake")
            except BadBook as bad:
                self._print(folder.resolve().name, bad.mistakes)
            except BadTranslation as bad_words:
                self.stderr.write(f"{folder.resolve().name}: {bad_words}")
            except Exception as error:
                name = folder.resolve().name
                self._print(name, [checker_failed(name, error)])
        for book in books:
            stored_as = store(book)
            if isinstance(stored_as, Kept):
                state = stored_as.value
            else:
                state = "new version" if stored_as.is_new else "already stored"
                if BookVersion.objects.newest_digest(book.slug) != book.digest:
                    state += ", but another is pinned as the newest"
            self.stdout.write(f"{book.slug}: {book.digest[:12]} {state}")
            if stored_as is not Kept.REMOVED:
                for language, table in words[book.slug].items():
                    store_shipped(book.slug, language, table)
        self._fail(len(folders) - len(books), len(folders))

    def _fair(self, folders: list[Path], fights: int, seed: int, under: list[str]) -> None:
        """Simulate fights with all that a rulebook sells, and print its worth for its price."""
        if not folders:
            raise CommandError("Name the folder of a rulebook: books fair DIR")
        if not 1 <= fights <= MOST_FIGHTS:
            raise CommandError(f"--fights must be a number from 1 to {MOST_FIGHTS}")
        for folder in folders:
            try:
                book = read_folder(folder)
            except BadBook as bad:
                self._print(folder.resolve().name, bad.mistakes)
                raise CommandError("run “books check” for the mistakes") from None
            rules = book.under(book.default_settings() | _chosen(book, under))
            for line in describe(fairness(rules, fights, seed), book.slug):
                self.stdout.write(line)

    def _remove(self, slugs: list[str]) -> None:
        """Remove each rulebook, or list the rows that need it."""
        if not slugs:
            raise CommandError("Name the rulebook to remove: books remove SLUG")
        kept = []
        for slug in slugs:
            try:
                count = remove(slug)
            except Needed as needed:
                kept.append(slug)
                self.stderr.write(f"{slug}: needed by {len(needed.by)}, nothing removed:")
                for words in needed.by[:MOST_LISTED]:
                    self.stderr.write(f"  {words}")
                if (more := len(needed.by) - MOST_LISTED) > 0:
                    self.stderr.write(f"  and {more} more")
                continue
            if not count:
                raise CommandError(f"{slug}: no such rulebook is stored here")
            self.stdout.write(f"{slug}: removed ({count} version{'s' * (count != 1)})")
            if slug in {folder.name for folder in shipped_folders()}:
                self.stdout.write(
                    f"{slug} is part of the application: “books load DIR” stores it again"
                )
        if kept:
            raise CommandError(f"Still needed: {', '.join(kept)}")

    def _write_schema(self, paths: list[Path]) -> None:
        if len(paths) > 1:
            raise CommandError("The schema is one file: name at most one path.")
        path = paths[0] if paths else settings.BASE_DIR / "docs" / "rulebook.schema.json"
        path.write_text(as_text(file_schema()), "utf-8")
        self.stdout.write(f"{path}: written")


def _chosen(book: Book, under: list[str]) -> Settings:
    """The options that are given as "option=choice". Raises CommandError for unknown ones."""
    chosen: Settings = {}
    for given in under:
        key, _, value = given.partition("=")
        setting = book.setting.get(key)
        if setting is None:
            raise CommandError(f"{book.slug} has no option “{key}”: {', '.join(book.setting)}")
        number = setting.kind == "number" and value.lstrip("-").isdecimal()
        chosen[key] = int(value) if number else value
        if not setting.accepts(chosen[key]):
            raise CommandError(f"{book.slug}: the option “{key}” does not allow “{value}”")
    return chosen
