"""The processor time of our pages, compared with the lowest cost that such pages can have
(floor.py).

    .venv/bin/python bench/pages.py [ROUNDS]

Both sites run here with one process each (asked.py). A user who is signed in requests one page at a
time, in turn; in every round each page's median is compared with that of the similar page on the
floor.
"""

from __future__ import annotations

import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import floor

ROOT = Path(__file__).resolve().parent.parent
SECRET = "csrfsecretcsrfsecretcsrfsecretcs"
EACH = 40
BUDGETS = {
    "reader's, after change": ("gang", 2.0),
    "reader's gang page": ("gang", 1.5),
    "owner's gang page": ("gang-fat", 1.0),
    "picker": ("gang-fat", 2.0),
    "change, with htmx": ("add", 6.0),
    "printed sheet, known": ("gang", 0.0),
}
# "Play this" shows a whole game: the milliseconds that 95 of 100 requests may take.
INTRODUCTION = "play this, "
MOST_MILLISECONDS = 20.0


def begin() -> None:
    """Make this process one of our site, with a database and the rulebooks."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "skirmish.settings"
    sys.path.insert(0, str(ROOT))
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("books", "load", verbosity=0, stdout=io.StringIO())


def signed_in(user: Any) -> str:
    """Return the key of a new session, in a process that has begun."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    assert session.session_key is not None
    return session.session_key


def found_gangs(version: Any, book: Any, owner: Any, count: int, members: int) -> list[Any]:
    """Found ``count`` gangs of ``members`` members with three items each, through the functions
    that a click reaches, in the process that has started."""
    from gangs.engine import actions
    from gangs.engine import entries as kinds
    from gangs.ledger import writer

    items = [item.key for item in book.items if not item.innate and item.columns]
    gangs = []
    for number in range(count):
        made: list[kinds.Entry] = actions.found(book, f"Gang {number}", {})
        for place in range(members):
            rank = book.ranks[min(place, len(book.ranks) - 1)]
            made.append(kinds.Recruited(rank=rank.key, name=f"Fighter {number}.{place}"))
            member = len(made)
            made += [
                kinds.Bought(item=items[(number + 3 * place + i) % len(items)], member=member)
                for i in range(3)
            ]
            made.append(kinds.Noted(member=member, text="Scarred at the pit."))
        gangs.append(writer.found(version, made, owner=owner))
    return gangs


def environment(data: Path, static: Path) -> dict[str, str]:
    """Return the settings of our site: the place of its data, and the files that it sends
    unchanged.
    """
    return {
        "PATH": os.environ["PATH"],
        "PYTHONWARNINGS": "ignore",
        "SECRET_KEY": SECRET * 2,
        "HTTPS": "0",
        "DATA_DIR": str(data),
        "STATIC_ROOT": str(static),
        "LOG_LEVEL": "ERROR",
    }


def import_game(owner: Any) -> str:
    """Publish a game made from the catalogues of an invented one; return its version's digest."""
    from rules.catalogues import apart
    from rules.editor import store
    from rules.editor.data import languages_of, name_game
    from tests.rules.catalogues.lists.games import ALL, files_of

    # The largest of them.
    files = max(map(files_of, ALL), key=lambda one: sum(len(content) for _name, content in one))
    data = apart.examine(files, None).imported.data
    named = name_game(data, "imported", "Imported", languages_of(data), "Bench")
    game = store.start_game(owner, named, token=uuid.uuid4())
    return str(store.publish(game, expected_version=game.version).pk)


def seed() -> None:
    """Fill our database like the floor's, with the functions that a click calls."""
    begin()
    from django.urls import reverse

    from accounts.models import User
    from campaigns.club.people import joining
    from rules.library import newest_books

    version, book = next(pair for pair in newest_books() if len(pair[1].characteristics) > 6)
    owner = User.objects.create_user("bench")
    gangs = found_gangs(version, book, owner, 40, 10)
    campaign = joining.start(
        name="Bench campaign",
        version=version,
        settings={},
        notes="",
        organiser=owner,
        token=uuid.uuid4(),
    )
    for gang in gangs[:8]:
        joining.join(campaign, gang, actor=owner, expected_version=gang.version)
    pages = {
        version.slug: reverse("rules:introduction", args=[version.slug])
        for version, _book in newest_books()
    }
    imported = import_game(owner)
    facts = {
        "introductions": pages
        | {"imported": reverse("rules:version-introduction", args=[imported])},
        "session": signed_in(owner),
        "gang": str(gangs[20].pk),
        "share": gangs[20].share_key,
        "member": 2,
        "rank": book.ranks[-1].key,
        "campaign": str(campaign.pk),
        "targets": {str(gang.pk): gang.version for gang in gangs[21:]},
        "shares": {str(gang.pk): gang.share_key for gang in gangs[21:]},
    }
    print(json.dumps(facts))


def run(*command: str, folder: Path, env: dict[str, str]) -> str:
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return done.stdout


@contextmanager
def asked(application: str, folder: Path, env: dict[str, str], session: str) -> Iterator[Reader]:
    """Start a site in a separate process, with a user signed in there."""
    # Without this folder, whose programs have the same names as modules of the sites.
    command = [sys.executable, "-P", str(ROOT / "bench" / "asked.py"), application]
    where = env | {"PYTHONPATH": str(folder)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=folder, env=where, **pipes) as process:  # type: ignore[call-overload]
        yield Reader(process, session)
        process.stdin.close()


class Reader:
    """A user who is signed in, and requests one page at a time."""

    def __init__(self, process: subprocess.Popen[str], session: str) -> None:
        self.process = process
        self.cookie = f"sessionid={session}; csrftoken={SECRET}"

    def answer(
        self, path: str, fields: dict[str, str] | None = None, **headers: str
    ) -> tuple[float, int, int, str]:
        """Return the processor time, status, bytes and ETag of one answer; with ``fields`` a form
        is sent.
        """
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent["Cookie"] = self.cookie
        method, body = "GET", ""
        if fields is not None:
            method, body = "POST", urlencode(fields | {"csrfmiddlewaretoken": SECRET})
        spent, status, size, tag, _packed = self._told(method, path, body, sent)
        return spent, status, size, tag

    def packed(self, path: str) -> tuple[float, int, int]:
        """Return the milliseconds, status and bytes of one compressed answer."""
        spent, status, _size, _tag, packed = self._told("GET", path, "", {"Cookie": self.cookie})
        return spent, status, packed

    def send(self, path: str, data: str) -> tuple[float, int, int]:
        """Return these figures for JSON that a script sends."""
        sent = {"Cookie": self.cookie, "Content-Type": "application/json", "X-CSRFToken": SECRET}
        spent, status, _size, _tag, packed = self._told("POST", path, data, sent)
        return spent, status, packed

    def _told(
        self, method: str, path: str, body: str, sent: dict[str, str]
    ) -> tuple[float, int, int, str, int]:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps([method, path, body, sent]) + "\n")
        self.process.stdin.flush()
        spent, status, size, tag, packed = json.loads(self.process.stdout.readline())
        return spent, status, size, tag, packed

    def ask(
        self, path: str, fields: dict[str, str] | None = None, **headers: str
    ) -> tuple[float, int, int]:
        """Return the milliseconds, status and bytes of one answer."""
        return self.answer(path, fields, **headers)[:3]


Ask = Callable[[], tuple[float, int, int]]


def asks(
    theirs: Reader, floor_facts: dict[str, Any], ours: Reader, facts: dict[str, Any]
) -> dict[str, Ask]:
    """Return the requests by name: the floor's pages first."""
    gang, number = f"/gangs/{facts['gang']}/", iter(range(10**9))
    versions: dict[str, int] = facts["targets"]
    floor_targets: list[int] = floor_facts["targets"]
    tag: dict[str, Any] = {"If_None_Match": ours_tag(ours, f"/s/{facts['share']}/sheet.pdf")}

    def add() -> tuple[float, int, int]:
        turn = next(number)
        target = floor_targets[turn % len(floor_targets)]
        return theirs.ask(f"/gang/{target}/add", {"name": f"New {turn}"})

    def change(**headers: str) -> tuple[float, int, int]:
        # Every gang in turn, so that each grows about as fast as the floor's gang.
        target = min(versions, key=versions.__getitem__)
        fields = {"rank": facts["rank"], "name": "New", "count": "1", "token": uuid.uuid4().hex}
        fields["version"] = str(versions[target])
        versions[target] += 1
        return ours.ask(f"/gangs/{target}/members/", fields, **headers)

    def newly_drawn() -> tuple[float, int, int]:
        target = min(versions, key=versions.__getitem__)
        change()
        return ours.ask(f"/s/{facts['shares'][target]}/")

    member = f"{gang}members/{facts['member']}/"
    return {
        "hello": lambda: theirs.ask("/hello"),
        "gang": lambda: theirs.ask(f"/gang/{floor_facts['gang']}"),
        "gang-fat": lambda: theirs.ask(f"/gang-fat/{floor_facts['gang']}"),
        "campaign": lambda: theirs.ask(f"/campaign/{floor_facts['campaign']}"),
        "add": add,
        "reader's, after change": newly_drawn,
        "reader's gang page": lambda: ours.ask(f"/s/{facts['share']}/"),
        "owner's gang page": lambda: ours.ask(gang),
        "fragment of a member": lambda: ours.ask(f"{member}?closed", HX_Request="true"),
        "campaign page": lambda: ours.ask(f"/campaigns/{facts['campaign']}/"),
        "picker": lambda: ours.ask(f"{member}items/"),
        "change": change,
        "change, with htmx": lambda: change(HX_Request="true"),
        "printed sheet, known": lambda: ours.ask(f"/s/{facts['share']}/sheet.pdf", **tag),
        **{
            INTRODUCTION + name: lambda path=path: ours.ask(path)  # type: ignore[misc]
            for name, path in facts["introductions"].items()
        },
    }


def ours_tag(ours: Reader, path: str) -> str:
    """Return the ETag of the sheet, which is printed for it."""
    return ours.answer(path)[3]


def measure(asked: dict[str, Ask], rounds: int) -> None:
    times: dict[str, list[float]] = {name: [] for name in asked}
    every: dict[str, list[float]] = {name: [] for name in asked}
    first = {name: ask()[0] for name, ask in asked.items()}
    last: dict[str, tuple[float, int, int]] = {}
    for name, ask in asked.items():
        for _ in range(2):
            last[name] = ask()
    for _ in range(rounds):
        for name, ask in asked.items():
            # Changes make the gangs grow: a few are enough.
            repeats = 8 if "change" in name or name == "add" else EACH
            taken = [ask()[0] for _ in range(repeats)]
            times[name].append(statistics.median(taken))
            every[name] += taken
    for name, row in times.items():
        _, status, size = last[name]
        line = f"{name:22s} {statistics.median(row):7.2f} ms  {status} {size:6d} bytes"
        if name in BUDGETS:
            like, budget = BUDGETS[name]
            ratios = [mine / other for mine, other in zip(row, times[like], strict=True)]
            line += f"   x {statistics.median(ratios):.2f} [{min(ratios):.2f}-{max(ratios):.2f}]"
            line += f" of {like}" + (f", at most {budget}" if budget else "")
        if name.startswith(INTRODUCTION):
            share = statistics.quantiles(every[name], n=20)[-1]
            line += (
                f"   95 % {share:.1f} ms, at most {MOST_MILLISECONDS:.0f}; first {first[name]:.0f}"
            )
        print(line)


def main(rounds: int) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        floor.write(folder / "floor")
        env = {"PATH": os.environ["PATH"], "PYTHONWARNINGS": "ignore"}
        ours = environment(folder / "ours", folder / "static")
        python = sys.executable
        told = run(python, "manage.py", "seed", folder=folder / "floor", env=env)
        run(python, "manage.py", "collectstatic", "--noinput", "-v0", folder=ROOT, env=ours)
        facts = json.loads(run(python, __file__, "seed", folder=ROOT, env=ours).splitlines()[-1])
        floor_facts = json.loads(told)
        there = asked("floor.wsgi", folder / "floor", env, floor_facts["session"])
        here = asked("skirmish.wsgi", ROOT, ours, facts["session"])
        theirs, mine = stack.enter_context(there), stack.enter_context(here)
        measure(asks(theirs, floor_facts, mine, facts), rounds)


if __name__ == "__main__":
    if sys.argv[1:] == ["seed"]:
        seed()
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
