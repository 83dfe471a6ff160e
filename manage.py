#!/usr/bin/env python
"""Django's command-line utility for Skirmish."""

import os
import sys


def main() -> None:
    """Run the management command named on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "skirmish.settings")
    # Nobody waits for a command as for a page: a migration may take as long as it needs.
    os.environ.setdefault("STATEMENT_TIMEOUT", "0")
    os.environ.setdefault("LOCK_TIMEOUT", "0")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
