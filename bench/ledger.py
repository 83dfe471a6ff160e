"""Measure long histories and large files: replay, history page, undo, export and import.

.venv/bin/python bench/ledger.py [ENTRIES]

A ready-made gang plays until its ledger has ENTRIES entries (default 2,000). A campaign of copies
of it is exported, and imported by a separate process while this one writes to another gang every
few milliseconds. The longest wait is by the clock, everything else is processor time.
"""

from __future__ import annotations

import gc
import gzip
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pages import ROOT, begin, environment, run

ENTRIES = 2_000
# Megabytes of the imported files; a file may have 16.
SIZES = (5.5, 13)
ROUNDS = 7
# Seconds between two changes of the other player.
PAUSE = 0.005


def season(member_ids: list[int], book: Any, seq: int, number: int) -> list[Any]:
    """Return the entries of a game and its post-game; ``seq`` is the first one's number."""
    from gangs.engine import entries as kinds

    item = next(item.key for item in book.items if item.price and not item.innate)
    condition = next(row.key for row in book.conditions if not row.uncounted)
    award = next(iter(row.key for row in book.campaign.awards), None)
    result = book.campaign.results[0].key
    first, *_others = member_ids
    played = kinds.Played(
        game=f"game-{number}",
        title=f"Game {number}",
        result=result,
        side="winner",
        fielded=tuple(member_ids),
    )
    entries: list[Any] = [played]
    entries += [kinds.Learned(member=key, amount=1, award=award) for key in member_ids]
    entries += [
        kinds.Suffered(member=first, condition=condition, games=1),
        kinds.Earned(amount=30, why="result"),
        kinds.Named(member=first, name=f"Old Hand {number}"),
    ]
    bought = seq + len(entries)
    entries += [
        kinds.Bought(item=item, member=first, paid=10),
        kinds.Moved(item=bought, member=None),
        kinds.Discarded(item=bought),
        kinds.Noted(member=first, text="Scarred at the pit."),
    ]
    return entries


def found_gang(owner: Any, most: int) -> Any:
    """Make a gang that plays until its ledger has ``most`` entries."""
    from gangs.engine import actions
    from gangs.ledger import writer
    from rules.library import newest_books

    version, book = next(
        pair for pair in newest_books() if len(pair[1].characteristics) > 6 and pair[1].samples
    )
    gang = writer.found(version, actions.found_from_sample(book, book.samples[0]), owner=owner)
    for number in itertools.count():
        members = [member.id for member in gang.roster.members]
        entries = season(members, book, gang.last_seq + 1, number)[: most - gang.last_seq]
        if not entries:
            return gang
        writer.append(gang, entries, expected_version=gang.version, actor=owner)


def spent(act: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """Return the median processor milliseconds of several rounds."""
    found = []
    for _ in range(rounds):
        began = time.process_time()
        act()
        found.append((time.process_time() - began) * 1000)
    return statistics.median(found)


def browser(user: Any) -> Any:
    """Return a signed-in client of this process."""
    from django.test import Client

    client = Client(raise_request_exception=True)
    client.force_login(user)
    return client


def measure_gang(gang: Any, user: Any) -> None:
    """Print the figures of replay, history and undo in one long gang."""
    from django.urls import reverse

    from gangs.ledger.storage import replay_roster
    from gangs.ledger.timelines import replay_timeline

    for name, replay in (("roster", replay_roster), ("timeline", replay_timeline)):
        took = spent(lambda replay=replay: replay(gang))
        print(f"replay, {name}: {gang.last_seq / took * 1000:8.0f} entries a second")
    client = browser(user)
    page = reverse("gangs:history", args=[gang.pk])
    client.get(page)
    took = spent(lambda: client.get(page))
    size = len(gzip.compress(client.get(page).content, 6))
    print(f"history: {took:6.1f} ms, {size / 1000:.1f} KB compressed")
    undo = reverse("gangs:undo", args=[gang.pk])

    def take_back() -> float:
        from gangs.engine.entries import Named
        from gangs.ledger import writer

        gang.refresh_from_db()
        writer.append(
            gang,
            [Named(member=2, name=f"N{gang.version}")],
            expected_version=gang.version,
            actor=user,
        )
        began = time.process_time()
        answer = client.post(undo, {"version": gang.version}, headers={"HX-Request": "true"})
        assert answer.status_code == 200, answer.status_code
        return (time.process_time() - began) * 1000

    take_back()
    print(f"undo: {statistics.median(take_back() for _ in range(ROUNDS)):6.1f} ms")


def grown(act: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of ``act`` and the peak growth of memory in megabytes (Linux)."""
    gc.collect()
    # Reset the peak to the current memory.
    Path("/proc/self/clear_refs").write_text("5")
    before = _memory("VmRSS")
    found = act()
    return found, _memory("VmHWM") - before


def _memory(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024


def campaign_of(user: Any, gang: Any) -> Any:
    """Make a campaign with one gang."""
    from campaigns.club.people import joining

    campaign = joining.start(
        name="Bench season",
        version=gang.book_version,
        settings=gang.book.default_settings(),
        notes="",
        organiser=user,
        token=uuid.uuid4(),
    )
    joining.join(campaign, gang, actor=user, expected_version=gang.version)
    return campaign


def enlarge(content: bytes, megabytes: float) -> bytes:
    """Return a campaign's file, with as many copies of its gang as give it this size."""
    data = json.loads(content)
    [gang] = data["gangs"]
    size = len(json.dumps(gang, indent=1, ensure_ascii=False))
    shared = data["id"]["ref"]

    def renumber(value: Any, copy: int) -> Any:
        if isinstance(value, dict):
            if value.keys() == {"ref"} and value["ref"] != shared:
                return {"ref": value["ref"] + copy * 10_000}
            return {key: renumber(inner, copy) for key, inner in value.items()}
        if isinstance(value, list):
            return [renumber(inner, copy) for inner in value]
        return value

    copies = round((megabytes * 1e6 - (len(content) - size)) / (size * 1.1))
    data["gangs"] = [renumber(gang, copy) for copy in range(copies)]
    return json.dumps(data, indent=1, ensure_ascii=False).encode()


def bring_in(path: str) -> None:
    """Import a campaign in a separate process, and print its cost."""
    begin()
    from accounts.models import User
    from campaigns.files.importing import write_campaign
    from campaigns.files.reading import read_file
    from rules.library import newest_books

    newest_books()
    user = User.objects.get(username="bench")
    content = Path(path).read_bytes()
    began = time.process_time()
    _done, megabytes = grown(
        lambda: write_campaign(
            read_file(content), importer=user, own_place=None, token=uuid.uuid4()
        )
    )
    print(f"{time.process_time() - began:.1f} s, {megabytes:+.0f} MB")


def measure_files(user: Any, gang: Any, folder: Path) -> None:
    """Measure exports, and imports while somebody else plays."""
    from campaigns.files.exporting import export_campaign
    from campaigns.models import Campaign
    from gangs.engine.entries import Noted
    from gangs.ledger import writer

    gang.refresh_from_db()
    content = export_campaign(campaign_of(user, gang))
    other = found_gang(user, 60)
    for megabytes in SIZES:
        file = folder / "campaign.json"
        file.write_bytes(enlarge(content, megabytes))
        command = [sys.executable, __file__, "import", str(file)]
        waits = []
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            while process.poll() is None:
                began = time.monotonic()
                note: list[Any] = [Noted(text=str(began))]
                writer.append(other, note, expected_version=other.version, actor=user)
                waits.append((time.monotonic() - began) * 1000)
                time.sleep(PAUSE)
                if other.last_seq > 9_000:
                    other = found_gang(user, 60)
            assert process.returncode == 0
            took = process.stdout.read().strip() if process.stdout else ""
        size = file.stat().st_size / 1e6
        print(
            f"import of {size:.1f} MB: {took}; {len(waits)} changes beside it waited"
            f" {statistics.median(waits):.0f} ms, at most {max(waits):.0f}",
            flush=True,
        )
        campaign = Campaign.objects.order_by("-imported_at").first()
        assert campaign is not None
        found, more = grown(lambda campaign=campaign: export_campaign(campaign))
        print(f"export of {len(found) / 1e6:.1f} MB: {more:+.0f} MB", flush=True)


def main(most: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = environment(folder, folder / "static")
        os.environ.update(env)
        run(sys.executable, "manage.py", "collectstatic", "--noinput", "-v0", folder=ROOT, env=env)
        begin()
        from django.conf import settings

        from accounts.models import User

        settings.ALLOWED_HOSTS.append("testserver")
        user = User.objects.create_user("bench")
        gang = found_gang(user, most)
        measure_gang(gang, user)
        measure_files(user, gang, folder)


if __name__ == "__main__":
    if sys.argv[1:2] == ["import"]:
        bring_in(sys.argv[2])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else ENTRIES)
