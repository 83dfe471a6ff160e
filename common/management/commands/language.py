"""``manage.py language``: make the catalogue of a language or renew it, and say what is left."""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import django
from django.conf import settings
from django.conf.locale import LANG_INFO
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.management.commands import makemessages
from django.utils import timezone
from django.utils.translation import to_locale

from common.wording.catalogues import (
    TRIAL,
    TRIAL_PLURALS,
    Message,
    read_messages,
    translate_for_trial,
    write_messages,
)
from common.wording.texts import CODE_PATTERN

FILE = "LC_MESSAGES/django.po"
COMPLETE = "X-Complete: yes"
# As in English, for a language whose rule nobody here knows.
USUAL_PLURALS = "nplurals=2; plural=(n != 1);"
# The parts of the site by the folders of their files, in the order in which their texts are best
# translated. A text of several parts belongs to the first.
PARTS = {
    "pages around everything": ("accounts", "common", "skirmish", "guide", "templates"),
    "gangs": ("gangs",),
    "campaigns and the table": ("campaigns",),
    "paper and pictures": ("printing", "typesetting"),
    "rulebooks, their checker and editor": ("rules",),
    "programs and other servers": ("api", "outbound"),
    "administration": ("administration",),
}
FORMATS = "formats of dates and clocks"
HEADER = """\
Project-Id-Version: Skirmish
Report-Msgid-Bugs-To:
POT-Creation-Date: {day}
PO-Revision-Date: {day}
Last-Translator: Skirmish
Language-Team: {name}
Language: {locale}
MIME-Version: 1.0
Content-Type: text/plain; charset=UTF-8
Content-Transfer-Encoding: 8bit
Plural-Forms: {plurals}
"""


class Extraction(makemessages.Command):
    """Django's command, with all messages of the site in one folder, which need not be ours."""

    msgmerge_options = ["-q", "--backup=none", "--update", "--no-fuzzy-matching"]

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = str(folder)

    def find_files(self, root: str) -> list[Any]:
        """Return the files with messages."""
        found: list[Any] = super().find_files(root)
        for file in found:
            file.locale_dir = self.folder
        self.locale_paths = [self.folder]
        return found


class Command(BaseCommand):
    """Make, renew or check catalogues."""

    help = "Make the catalogue of a language, or renew it, and say what is left to translate."

    def add_arguments(self, parser: CommandParser) -> None:
        """Codes, or one of the other ways to use it."""
        parser.add_argument(
            "codes", nargs="*", help="such as es or pt-br; without any, all that exist"
        )
        parser.add_argument(
            "--check",
            action="store_true",
            help="write nothing; fail if a catalogue is wrong, or not as complete as it promises",
        )
        parser.add_argument(
            "--home", default=Path(settings.BASE_DIR) / "locale", type=Path, help="their folder"
        )
        parser.add_argument(
            "--trial",
            metavar="FOLDER",
            help="make a catalogue of a made-up language with longer words in this folder, for "
            "MORE_LANGUAGES",
        )

    def handle(
        self, *, codes: Sequence[str], check: bool, home: Path, trial: str | None, **options: Any
    ) -> None:
        """Extract all messages into a folder of their own, and work on the catalogues there."""
        locales = [to_locale(_valid(code)) for code in codes] or sorted(
            path.parent.name for path in home.glob("*/LC_MESSAGES")
        )
        with TemporaryDirectory() as work:
            if trial:
                self._make_trial(Path(work), Path(trial))
                return
            for locale in locales:
                (Path(work) / locale / FILE).parent.mkdir(parents=True)
                if (home / locale / FILE).exists():
                    (Path(work) / locale / FILE).write_bytes((home / locale / FILE).read_bytes())
                else:
                    self._begin(Path(work) / locale / FILE, locale)
            _extract(Path(work), locales)
            wrong = []
            for locale in locales:
                if check:
                    wrong += _find_mistakes(home / locale / FILE, Path(work) / locale / FILE)
                else:
                    _renew(Path(work) / locale / FILE, home / locale / FILE)
                self._say_what_is_left(locale, Path(work) / locale / FILE)
            if wrong:
                raise CommandError("\n".join(wrong))

    def _begin(self, target: Path, locale: str) -> None:
        """Write a catalogue without messages."""
        plurals = _plural_forms(locale, target.parent)
        if plurals is None:
            self.stderr.write(f"{locale}: set Plural-Forms in the header; they are English now.")
        target.write_text(write_messages([_header(locale, plurals or USUAL_PLURALS)]), "utf-8")

    def _make_trial(self, work: Path, folder: Path) -> None:
        """Write the trial language's catalogue into a folder, compiled."""
        target = work / TRIAL / FILE
        target.parent.mkdir(parents=True)
        target.write_text(write_messages([_header(TRIAL, TRIAL_PLURALS)]), "utf-8")
        _extract(work, [TRIAL])
        header, *messages = read_messages(target.read_text("utf-8"))
        filled = [header, *map(translate_for_trial, messages)]
        made = folder / TRIAL / FILE
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(write_messages(filled), "utf-8")
        _compile(made)
        self.stdout.write(f"Look at the site in it: MORE_LANGUAGES={folder} script/server")

    def _say_what_is_left(self, locale: str, merged: Path) -> None:
        """Print how many texts have a translation, and where the others are shown."""
        _header, *messages = read_messages(merged.read_text("utf-8"))
        left = Counter(_part(message) for message in messages if not message.is_translated)
        done = len(messages) - left.total()
        self.stdout.write(f"{locale}: {done} of {len(messages)} texts are translated")
        for part in (FORMATS, *PARTS):
            if left[part]:
                self.stdout.write(f"  {left[part]:5} left: {part}")


def _valid(code: str) -> str:
    if not re.fullmatch(CODE_PATTERN, code):
        raise CommandError(f"“{code}” is no code of a language: es, pt-br …")
    return code


def _header(locale: str, plurals: str) -> Message:
    known = LANG_INFO.get(locale.partition("_")[0], {})
    text = HEADER.format(
        day=timezone.now().strftime("%Y-%m-%d %H:%M%z"),
        name=known.get("name", locale),
        locale=locale,
        plurals=plurals,
    )
    return Message("", translations=(text,))


def _plural_forms(locale: str, empty: Path) -> str | None:
    """The rule of a language's plural forms as gettext knows it, or else Django; None if neither
    does."""
    blank = write_messages([_header(locale, "nplurals=INTEGER; plural=EXPRESSION;")])
    known = _run("msginit", "--no-translator", "-l", locale, "-i", "-", "-o", "-", given=blank)
    theirs = Path(django.__file__).parent / "conf/locale" / locale / FILE
    for text in (known, theirs.read_text("utf-8") if theirs.exists() else ""):
        found = re.search(r"Plural-Forms: (nplurals=\d.*?)\\n", text.replace('"\n"', ""))
        if found:
            return found[1]
    return None


def _extract(folder: Path, locales: Sequence[str]) -> None:
    """Merge the messages of the code and the templates into catalogues, with their places."""
    # Django's command reads the files below the folder in which it is started.
    with chdir(settings.BASE_DIR):
        call_command(
            Extraction(folder),
            locale=list(locales),
            add_location="file",
            no_obsolete=True,
            ignore_patterns=["var", "tests", "bench", "script"],
            verbosity=0,
        )


def _renew(merged: Path, target: Path) -> None:
    """Write a merged catalogue to its place, without the files of its messages, and compile it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(_run("msgattrib", "--no-location", str(merged)), "utf-8")
    _compile(target)


def _compile(catalogue: Path) -> None:
    _run("msgfmt", "--check", "-o", str(catalogue.with_suffix(".mo")), str(catalogue))


def _find_mistakes(catalogue: Path, merged: Path) -> list[str]:
    """Return the reasons why a catalogue cannot stay as it is."""
    found = []
    try:
        _run("msgfmt", "--check", "-o", os.devnull, str(catalogue))
    except CommandError as error:
        found.append(str(error))
    header, *messages = read_messages(catalogue.read_text("utf-8"))
    _header, *wanted = read_messages(merged.read_text("utf-8"))
    found += [f"{catalogue}: fuzzy: {one.english}" for one in messages if "fuzzy" in one.flags]
    if COMPLETE in header.translations[0]:
        known = {message.key for message in wanted}
        found += [f"{catalogue}: missing: {m.english}" for m in wanted if not m.is_translated]
        found += [f"{catalogue}: unused: {m.english}" for m in messages if m.key not in known]
    return found


def _part(message: Message) -> str:
    """The part of the site that shows a message."""
    if message.is_format:
        return FORMATS
    folders = set()
    for place in message.places:
        parts = Path(place).parts
        # The templates have the same folders as the code.
        folders.add(parts[1] if parts[0] == "templates" and len(parts) > 2 else parts[0])
    return next((name for name, of in PARTS.items() if folders.intersection(of)), [*PARTS][0])


def _run(*command: str, given: str = "") -> str:
    """Run one of gettext's programs, and return its output."""
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, check=True, timeout=120, encoding="utf-8"
        )
    except FileNotFoundError:
        raise CommandError(f"{command[0]} is missing: install gettext.") from None
    except subprocess.CalledProcessError as error:
        raise CommandError(error.stderr) from None
    return done.stdout
