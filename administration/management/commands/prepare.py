"""``manage.py prepare``: bring database, rulebooks and static files up to date before serving."""

from __future__ import annotations

import logging
import os
import shlex
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import IO, Any

import django
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from common.files import write_whole
from outbound.push.keys import load_key

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    """Do everything a start needs in one process: starting Python takes longer than most steps."""

    help = "Migrate, delete leftovers, and load the rulebooks of the site."
    # Checking all addresses takes as long as everything else; script/check does it.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options that only script/server uses."""
        parser.add_argument("--static", action="store_true", help="collect static files, if needed")
        parser.add_argument("--demo", action="store_true", help="create the demo, once")

    def handle(self, *, static: bool, demo: bool, **options: Any) -> None:
        """Run every step. The site must not start if collecting or migrating fails."""
        if static and not settings.DEBUG and is_outdated(settings.STATIC_ROOT):
            self.stdout.write("Collecting static files")
            collect_static()
        call_command("migrate", interactive=False, verbosity=0)
        keep_address()
        # Made at the first start, so that every backup contains it.
        load_key()
        with open(os.devnull, "w") as nowhere:
            self._attempt("tidy", stdout=nowhere)
        self._attempt("books", "load")
        # The demo stores its link for the front page, which then presents it.
        if demo and not settings.DEMO_FILE.exists():
            self._attempt("demo")
        # The demo has no administrator, since everybody knows its passwords.
        if not User.objects.filter(is_superuser=True).exists():
            self.stdout.write(
                f"The site has no administrator yet. Create one: {typed_command('createsuperuser')}"
            )

    def _attempt(self, *command: str, stdout: IO[str] | None = None) -> None:
        """Run a command; if it fails, go on without it."""
        try:
            call_command(*command, stdout=stdout or self.stdout, stderr=self.stderr)
        except CommandError as error:
            self.stderr.write(f"Continuing: {error}")
        except Exception:
            logger.exception("Continuing without: manage.py %s", " ".join(command))


def keep_address() -> None:
    """Keep SITE_URL for commands that are started without it; an empty one is forgotten."""
    address = os.environ.get("SITE_URL")
    if address is None:
        return
    try:
        if address:
            write_whole(settings.SITE_URL_FILE, f"{settings.SITE_URL}\n".encode())
        else:
            settings.SITE_URL_FILE.unlink(missing_ok=True)
    except OSError:
        logger.exception("Continuing without keeping SITE_URL")


def typed_command(name: str) -> str:
    """Return the line that runs a command of this site, which may have a data folder of its own.

    A site with a server for its database has a command of its own: docs/running.md shows it.
    """
    if os.environ.get("DATABASE_URL"):
        return f"manage.py {name}, with the variables of the site"
    folder = os.environ.get("DATA_DIR", "")
    is_usual = not folder or Path(folder).resolve() == (settings.BASE_DIR / "var").resolve()
    where = "" if is_usual else f"DATA_DIR={shlex.quote(folder)} "
    return f"{where}{shlex.quote(sys.executable)} manage.py {name}"


def collect_static() -> None:
    """Collect static files, readable by a web server that runs as another user."""
    mask = os.umask(0o022)
    try:
        call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    finally:
        os.umask(mask)


def is_outdated(collected: Path) -> bool:
    """Whether a file or a package has changed since the static files were collected."""
    try:
        then = (collected / "staticfiles.json").stat().st_mtime
    except FileNotFoundError:
        return True
    # Installing or removing a package changes the packages' folder.
    paths = [Path(django.__file__).parents[1]]
    for source in settings.STATICFILES_DIRS:
        folder = Path(str(source[1] if isinstance(source, tuple) else source))
        paths += [folder, *folder.rglob("*")]
    return any(path.stat().st_mtime > then for path in paths)
