#!/usr/bin/env python
"""Django's command-line utility for Skirmish."""

import os
import sys

# Commands whose files others may read: they belong to the code, or a web server delivers them. The
# files of all other commands are private, since each of them may be the first to make the database.
OPEN = {"collectstatic", "compilemessages", "makemessages", "makemigrations"}


def main() -> None:
    """Run the management command named on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "skirmish.settings")
    # Nobody waits for a command as for a page, so a migration may take all the time it needs.
    os.environ.setdefault("STATEMENT_TIMEOUT", "0")
    os.environ.setdefault("LOCK_TIMEOUT", "0")
    if OPEN.isdisjoint(sys.argv[1:2]):
        os.umask(0o077)
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
