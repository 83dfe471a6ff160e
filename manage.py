#!/usr/bin/env python
"""Django's command-line utility for Skirmish."""

import os
import sys

# Commands that write files for everybody. All others may write files with people's data, or at
# least make an empty database, which no other user of the machine may read.
PUBLIC = {"collectstatic", "compilemessages", "language", "makemessages", "makemigrations"}


def main() -> None:
    """Run the management command named on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "skirmish.settings")
    # Nobody waits for a command as for a page, so a migration may take all the time it needs.
    os.environ.setdefault("STATEMENT_TIMEOUT", "0")
    os.environ.setdefault("LOCK_TIMEOUT", "0")
    if not PUBLIC.intersection(sys.argv[1:2]) and sys.argv[1:3] != ["books", "schema"]:
        os.umask(0o077)
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
