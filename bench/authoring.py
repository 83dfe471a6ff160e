"""The cost of writing a rulebook of 600 rows: the checker, and the pages of the editor.

    .venv/bin/python bench/authoring.py [ROWS [GAME...]]

Every shipped rulebook (or those named) gets copies of its items and traits until it has ROWS rows
(default 600), in all tables together. Milliseconds of processor time: ``books check`` of its folder
in a new process, without the interpreter's start; then pages of the editor, with the process that
reads strangers' rulebooks: the whole game, a table and a row, first after a change, which has the
game checked, and again; and the change of a row.

With the name ``large``, or without names, also the largest rulebook that a stranger may write
(``tests.rules.large``): the same, and the requests of its players, with the kilobytes of the
answers: the form of a new gang, a recruit, the page of a gang of twelve, an open card, the pickers
of a member and of the stash, a purchase, the sheet, the import of the gang's file, the rules.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

from pages import ROOT, begin, environment

ROWS = 600
ROUNDS = 5
# How templates are rendered outside of tests, once known.
PLAIN: list[Any] = []
MEMBERS = 12
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
    """Return the milliseconds that some work takes. Templates are not watched meanwhile: the tests'
    client copies the context of each included one."""
    from django.template import Template

    with patch.object(Template, "_render", PLAIN[0]):
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
            assert answer.status_code == 302, answer.content

        found.setdefault("a change", []).append(measure(change))
    return found


def play(book: Any) -> dict[str, tuple[list[float], int]]:
    """Return the milliseconds and bytes of the pages that its players ask for."""
    from django.core.files.uploadedfile import SimpleUploadedFile
    from django.test import Client

    from accounts.models import User
    from gangs.engine import actions
    from gangs.engine import entries as kinds
    from gangs.files.exporting import export_gang
    from gangs.ledger import writer
    from gangs.models import Gang
    from printing.press import layout
    from printing.sheets import roster as papers
    from printing.sheets.roster import SheetOrder
    from rules.library import load
    from rules.models import BookVersion

    user = User.objects.create_user("player")
    load(book)
    version = BookVersion.objects.get(digest=book.digest)
    made: list[kinds.Entry] = actions.found(book, "The crowd", {})
    for rank in [row for row in book.ranks if not row.when][:MEMBERS]:
        made.append(kinds.Recruited(rank=rank.key, name=rank.name.first))
        member = len(made)
        made += [kinds.Bought(item=row.key, member=member) for row in book.items[:3]]
        made += [kinds.TraitTaken(member=member, trait=row.key) for row in book.traits[:2]]
    gang = writer.found(version, made, owner=user)
    base, file = gang.get_absolute_url(), export_gang(gang).encode()
    member, rank = gang.roster.members[1].id, gang.roster.members[-1].rank
    browser = Client()
    browser.force_login(user)
    found: dict[str, tuple[list[float], int]] = {}

    def ask(name: str, address: str, posted: dict[str, Any] | None = None) -> Any:
        answers = []

        def work() -> None:
            if posted is None:
                answers.append(browser.get(address))
            else:
                seen = {"version": str(Gang.objects.get(pk=gang.pk).version), **posted}
                answers.append(browser.post(address, seen, headers={"HX-Request": "true"}))

        took = measure(work)
        assert answers[0].status_code in (200, 302), (name, answers[0].content[:500])
        found.setdefault(name, ([], len(answers[0].content)))[0].append(took)
        return answers[0]

    def print_sheet() -> None:
        layout.lay_out(papers.job(Gang.objects.get(pk=gang.pk).view, SheetOrder(language="en")))

    for _round in range(ROUNDS):
        ask("a new gang's form", f"/gangs/new/{book.slug}/")
        ask("a recruit", f"{base}members/", {"rank": rank, "name": "", "count": "1"})
        ask("a gang, after a change", base)
        ask("a gang, again", base)
        ask("a gang with an open card", f"{base}?open={member}")
        picker = ask("a picker", f"{base}members/{member}/items/").content.decode()
        wanted = re.search(r'name="buy" value="(\S+?)"', picker)
        assert wanted is not None
        ask("a purchase", f"{base}members/{member}/items/", {"buy": wanted[1]})
        ask("the stash's picker", f"{base}stash/")
        ask("its sheet on the screen", f"{base}sheet/")
        upload = {"file": SimpleUploadedFile("gang.json", file)}
        ask("an import", "/gangs/import/", upload)
        ask("a chapter of the rules", f"/rules/{book.slug}/characters/")
        found.setdefault("a printed sheet", ([], 0))[0].append(measure(print_sheet))
    return found


def main(rows: int, names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        os.environ |= environment(Path(place) / "data", Path(place) / "static")
        (Path(place) / "data").mkdir()
        begin()
        from django.core.management import call_command

        call_command("collectstatic", verbosity=0, interactive=False)
        from django.template import Template
        from django.test.utils import setup_test_environment

        PLAIN.append(Template._render)
        # Answers keep the forms that they were made from.
        setup_test_environment(debug=False)
        from rules.library import newest_books
        from rules.loading.reader import RawBook, parse
        from tests.rules.large import large

        for _version, shipped in newest_books():
            if names and shipped.slug not in names:
                continue
            book = enlarge(shipped, rows)
            print(f"{book.slug}: {count_rows(shipped)} rows, with copies {count_rows(book)}")
            report(book, Path(place))
        if not names or "large" in names:
            book = parse(RawBook(large(), "large"))
            print(f"{book.slug}: {count_rows(book)} rows, {len(book.canonical().encode())} bytes")
            report(book, Path(place))
            for name, (took, size) in play(book).items():
                weight = f", {size / 1000:.0f} KB" if size else ""
                print(f"  {name}: {show(took)}{weight}")


def report(book: Any, place: Path) -> None:
    """Print what writing the rulebook costs."""
    print(f"  checked: {check(book, place / book.slug):.0f} ms")
    for name, took in edit(book).items():
        print(f"  {name}: {show(took)}")


def show(took: list[float]) -> str:
    """Return milliseconds of rounds in words."""
    return f"{median(took):.0f} ms [{min(took):.0f}-{max(took):.0f}]"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS, sys.argv[2:])
