"""A process of the site that is killed while it prints.

python -m tests.printing.doomed DATABASE DATA_DIR KEY
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path


def main(database: str, folder: str, key: str) -> None:
    """Request a print that takes long, and wait to be killed."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django
    from django.conf import settings

    settings.DATABASES["default"]["NAME"] = database
    settings.DATA_DIR = Path(folder)
    settings.PRINT_PATIENCE = 0.01
    django.setup()
    from printing import queue
    from tests.printing.test_line import long_job

    try:
        queue.ask(key, long_job)
    except queue.Waiting:
        time.sleep(60)


if __name__ == "__main__":
    main(*sys.argv[1:])
