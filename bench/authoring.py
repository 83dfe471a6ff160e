"""The cost of writing a rulebook of 600 rows: the checker, and the pages of the editor.

    .venv/bin/python bench/authoring.py [ROWS [GAME...]]

Every shipped rulebook (or those named) gets copies of its items and traits until it has ROWS rows
(default 600), in all tables together. Milliseconds of processor time: ``books check`` of its folder
in a new process, without the interpreter's start; then pages of the editor, with the process that
reads strangers' rulebooks: the whole game, a table and a row, first after a change, which has the
game checked, and again; and the change of a row.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from pages import ROOT, begin, environment

ROWS = 600
ROUNDS = 5
CHECK = """
import sys, time
from pathlib import Path
from rules.loading.examining import examine
began = time.process_time()
found = examine(Path(sys.argv[1]))
assert not found.mistakes, found.mistakes
print(1000 * (time.process_time() - began))
"""


def count_rows(book: Any) -> int:
    """Return the number of rows in all tables."""
    from rules.editor.places import LISTS, take_apart

    written = take_apart(book)
    return sum(len(written.rows(table)) for table in LISTS)


def enlarge(book: Any, rows: int) -> Any:
    """Return the rulebook with copies of its items and traits."""
    missing = max(0, rows - count_rows(book))
    for name in ("items", "traits"):
        old = [row for row in getattr(book, name) if not getattr(row, "innate", False)]
        share = 0 if not old else missing if name == "traits" else missing * 2 // 3
        missing -= share
        copies = [
            old[place % len(old)].model_copy(update={"key": f"copy-{name}-{place}"})
            for place in range(share)
        ]
        book = book.changed(**{name: (*getattr(book, name), *copies)})
    return book


def check(book: Any, folder: Path) -> float:
    """Return the milliseconds that the checker takes for the rulebook's folder."""
    from rules.packages.writing import write_files

    folder.mkdir()
    for name, text in write_files(book).items():
        (folder / name).write_text(text, "utf-8")
    command = [sys.executable, "-c", CHECK, str(folder)]
    return float(subprocess.check_output(command, cwd=ROOT, text=True))


def spent() -> float:
    """Return the milliseconds that this process and the reader of strangers' books have taken."""
    from rules.loading import apart

    reader = apart._reader.process
    ticks = 0
    if reader is not None:
        words = Path(f"/proc/{reader.pid}/stat").read_text().rpartition(")")[2].split()
        # Its own time, and that of the processes that it has waited for.
        ticks = sum(map(int, words[11:15]))
    return 1000 * (time.process_time() + ticks / os.sysconf("SC_CLK_TCK"))


def measure(work: Callable[[], Any]) -> float:
    """Return the milliseconds that some work takes."""
    since = spent()
    work()
    return spent() - since


def edit(book: Any) -> dict[str, list[float]]:
    """Return the milliseconds of the editor's pages, the first and the second time."""
    from django.test import Client

    from accounts.models import User
    from rules.editor import store
    from rules.editor.data import start_from

    user = User.objects.create_user(f"author-{book.slug}")
    data = {**start_from(book), "slug": f"own-{book.slug}"}
    draft = store.start_game(user, data, token=uuid.uuid4())
    browser = Client()
    browser.force_login(user)
    item = book.items[0].key
    base = draft.get_absolute_url()
    pages = {
        "whole game": base,
        "a table": f"{base}tables/items/",
        "a row": f"{base}tables/items/{item}/",
    }
    found: dict[str, list[float]] = {}
    for _round in range(ROUNDS):
        for name, address in pages.items():
            for times in ("first", "again"):
                if times == "first":
                    draft.refresh_from_db()
                    text = json.loads(draft.data)
                    text["summary"] = {"en": uuid.uuid4().hex, "fr": uuid.uuid4().hex}
                    store.save_data(draft, text, expected_version=draft.version)

                def ask(address: str = address) -> None:
                    assert browser.get(address).status_code == 200

                found.setdefault(f"{name}, {times}", []).append(measure(ask))
        draft.refresh_from_db()
        form = browser.get(pages["a row"]).context["form"]
        posted = {"seen": str(draft.version)}
        for one in form.walk():
            for field in one.fields:
                value = one[field].value()
                if isinstance(value, list | tuple):
                    posted[one.add_prefix(field)] = [str(part) for part in value]
                elif value is not None and value is not False:
                    posted[one.add_prefix(field)] = str(value)
            posted |= {f"{one.add_prefix(name)}-sent": "1" for name in one.ticked}
            for part in one.parts.values():
                posted[f"{part.prefix}-count"] = str(part.count)
                if part.single and part.is_there:
                    posted[f"{part.prefix}-there"] = "1"
                for inner in () if part.single else part.forms:
                    posted[f"{inner.prefix}-is"] = inner.kind_key
                    posted[f"{inner.prefix}-was"] = inner.began_with
        posted["price"] = str(_round + 1)

        def change(posted: dict[str, Any] = posted) -> None:
            answer = browser.post(pages["a row"], posted)
            assert answer.status_code == 302, answer.context["form"].errors

        found.setdefault("a change", []).append(measure(change))
    return found


def main(rows: int, names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        os.environ |= environment(Path(place) / "data", Path(place) / "static")
        (Path(place) / "data").mkdir()
        begin()
        from django.core.management import call_command

        call_command("collectstatic", verbosity=0, interactive=False)
        from django.test.utils import setup_test_environment

        # Answers keep the forms that they were made from.
        setup_test_environment(debug=False)
        from rules.library import newest_books

        for _version, shipped in newest_books():
            if names and shipped.slug not in names:
                continue
            book = enlarge(shipped, rows)
            print(f"{book.slug}: {count_rows(shipped)} rows, with copies {count_rows(book)}")
            print(f"  checked: {check(book, Path(place) / book.slug):.0f} ms")
            for name, found in edit(book).items():
                print(f"  {name}: {median(found):.0f} ms [{min(found):.0f}-{max(found):.0f}]")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS, sys.argv[2:])
