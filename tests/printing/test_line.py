"""The line of prints that all machines share: each job is printed once, even if a press dies."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections
from django.test import Client
from django.utils import timezone

from accounts.models import User
from printing import line, queue
from printing.models import PrintJob
from printing.press.jobs import Job, pack_job, unpack_job
from printing.press.worker import Failed
from tests.printing.test_queue import Press, name, page, until
from tests.world.gangs import make_gang

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).parents[2]


def long_job() -> Job:
    """A job that takes long enough to be killed meanwhile."""
    words = "<p>word</p>" * 6000
    return Job(f"<html><head><title>Long</title></head><body>{words}</body></html>", ("fonts",))


@pytest.fixture(autouse=True)
def _short_waits(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path
    settings.PRINT_PATIENCE = 0.05
    monkeypatch.setattr(queue, "BEAT", 0.02)
    monkeypatch.setattr(queue, "LOOK_IDLE", 0.02)


class Site:
    """Several machines, each with its own press. A request goes to one of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
        self.monkeypatch = monkeypatch
        self.presses = [Press() for _ in range(count)]
        # The clock that measures the silence of a press.
        self.now = 0.0
        self.signs: dict[int, int] = {}
        self.queues = [
            queue._Queue(worker=press, clock=lambda: self.now)  # type: ignore[arg-type]
            for press in self.presses
        ]

    @contextmanager
    def asking(self, machine: int) -> Iterator[None]:
        with self.monkeypatch.context() as patch:
            patch.setattr(queue, "_sheets", self.queues[machine])
            yield

    def ask(self, machine: int, number: int) -> queue.Waiting:
        """Return a machine's answer to a request for a print."""
        with self.asking(machine), pytest.raises(queue.Waiting) as waiting:
            queue.ask(name(number), lambda: page(str(number)))
        return waiting.value

    def await_sign(self, machine: int, number: int) -> None:
        """Wait until a machine has seen the press's last sign of life, and a new one."""
        row, seen = line.find(name(number)), self.queues[machine].seen
        assert row is not None
        wanted = max(row.beats, self.signs.get(row.pk, -1) + 1)
        until(lambda: seen.get(row.pk, (-1, 0.0))[0] >= wanted)
        self.signs[row.pk] = seen[row.pk][0]

    def end(self) -> None:
        for press in self.presses:
            press.free.set()
        until(lambda: all(each.thread is None for each in self.queues))


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Two machines."""
    made = Site(monkeypatch, 2)
    yield made
    made.end()


def test_any_press_takes_the_next_job(site: Site) -> None:
    """Every machine also knows a job's place in the line."""
    assert site.ask(0, 1).before == 0
    until(lambda: site.presses[0].given)
    for number, before in ((2, 1), (3, 2)):
        assert site.ask(0, number).before == before
    assert site.ask(1, 3).before in {1, 2}
    until(lambda: site.presses[1].given)
    assert "<p>2</p>" in site.presses[1].given[0]
    site.queues[0].pages = 35
    until(lambda: site.ask(1, 1).pages == 35)
    site.presses[1].free.set()
    # A free press prints the jobs of other machines, too.
    until(lambda: line.find(name(3)) is None)
    assert len(site.presses[1].given) == 2
    with site.asking(0):
        assert queue.ask(name(3), lambda: pytest.fail("drawn again")).startswith(b"%PDF-")
    assert line.find(name(1)) is not None


@pytest.mark.long
def test_twenty_jobs_are_printed_once_each(site: Site) -> None:
    def ask(machine_queue: Any, number: int) -> None:
        try:
            queue._line_up(
                machine_queue,
                name(number),
                "sheet",
                lambda: page(str(number)),
                for_visitor=False,
            )
        finally:
            connections.close_all()

    threads = [
        threading.Thread(target=ask, args=(each, number))
        for number in range(20)
        for each in site.queues
    ]
    for thread in threads:
        thread.start()
    for press in site.presses:
        press.free.set()
    for thread in threads:
        thread.join(120)
    until(lambda: not PrintJob.objects.exists())
    given = [*site.presses[0].given, *site.presses[1].given]
    # A job requested by both may be in line again after it is printed: then it is on the shelf.
    assert len(given) == len(set(given)) == 20


def test_job_of_a_dead_press_is_taken_over(site: Site) -> None:
    """Nobody takes its job until it has given no sign of life for a long time."""
    site.presses[0].free.set()
    line.add(name(1), "sheet", page("mine"), for_visitor=False)
    row = line.take(("sheet",), "somebody else's", lambda _row: False)
    assert row is not None
    site.ask(0, 1)
    for _ in range(4):
        line.beat(row, 10)
        site.await_sign(0, 1)
        site.now += queue.DEAD * 0.9
        told = site.ask(0, 1)
        assert (told.before, told.pages) == (0, 10)
    assert site.presses[0].given == []
    site.now += queue.DEAD * 0.2
    until(lambda: site.presses[0].given)
    until(lambda: line.find(name(1)) is None)
    # A press that was only thought dead does no harm.
    line.finish(row)
    line.beat(row, 1)


def test_job_that_is_finished_while_it_is_taken_over_makes_room_for_the_next() -> None:
    """The press that only seemed to be dead finishes it just after the other has taken it."""
    line.add(name(1), "sheet", page("slow"), for_visitor=False)
    slow = line.take(("sheet",), "slow", lambda _row: False)
    assert slow is not None
    line.add(name(2), "sheet", page("next"), for_visitor=False)

    def finish_it(execute: Any, sql: str, *rest: Any) -> Any:
        answer = execute(sql, *rest)
        if sql.startswith("UPDATE") and line.find(name(1)) is not None:
            line.finish(slow)
        return answer

    with connection.execute_wrapper(finish_it):
        taken = line.take(("sheet",), "other", lambda _row: True)
    assert taken is not None and taken.key == name(2)


def test_living_press_keeps_its_job(site: Site) -> None:
    site.ask(0, 1)
    until(lambda: site.presses[0].given)
    site.ask(1, 1)
    for _ in range(4):
        site.await_sign(1, 1)
        site.now += queue.DEAD * 0.9
        site.ask(1, 1)
    assert site.presses[1].given == []


def test_job_that_kills_presses_is_given_up(site: Site) -> None:
    line.add(name(1), "sheet", page("poison"), for_visitor=False)
    for number in range(line.MOST_TRIES):
        assert line.take(("sheet",), f"dead {number}", lambda _row: True)
    site.presses[0].free.set()

    def given_up() -> bool:
        site.now += queue.DEAD
        try:
            queue.ask(name(1), lambda: pytest.fail("drawn again"))
        except queue.Waiting:
            return False
        except Failed:
            return True

    with site.asking(0):
        until(given_up)
    assert site.presses[0].given == []


@pytest.mark.long
def test_job_of_a_killed_process_is_printed_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After SIGKILL of a whole process of the site, another process prints the job."""
    database = str(connection.settings_dict["NAME"])
    command = [sys.executable, "-m", "tests.printing.doomed", database, str(tmp_path), name(1)]
    with subprocess.Popen(command, cwd=ROOT, env=dict(os.environ)) as doomed:
        until(lambda: PrintJob.objects.exclude(press="").exists())
        doomed.kill()
    row = line.find(name(1))
    assert row is not None and row.press
    monkeypatch.setattr(queue, "DEAD", 0.3)
    press = Press()
    press.free.set()
    taking_over = queue._Queue(worker=press)  # type: ignore[arg-type]
    monkeypatch.setattr(queue, "_sheets", taking_over)
    with pytest.raises(queue.Waiting):
        queue.ask(name(1), lambda: pytest.fail("drawn again"))
    until(lambda: line.find(name(1)) is None)
    assert press.given == [long_job().html]
    assert queue.ask(name(1), lambda: pytest.fail("drawn again")).startswith(b"%PDF-")
    until(lambda: taking_over.thread is None)


# Read-only databases -------------------------------------------------------------------------


@contextmanager
def read_only() -> Iterator[None]:
    """A database that can be read, but not written: its disk may be full."""
    sqlite = connection.vendor == "sqlite"
    shut, open_again = (
        ("PRAGMA query_only = 1", "PRAGMA query_only = 0")
        if sqlite
        else ("SET default_transaction_read_only = on", "SET default_transaction_read_only = off")
    )
    with connection.cursor() as cursor:
        cursor.execute(shut)
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(open_again)


@pytest.mark.long
def test_kept_print_is_served_when_the_database_is_read_only(
    client: Client, alice: User, settings: Any
) -> None:
    settings.PRINT_PATIENCE = 60
    client.force_login(alice)
    known, new = (f"/gangs/{make_gang(alice).pk}/sheet.pdf" for _ in range(2))
    wanted = client.get(known).content
    with read_only():
        assert client.get(known).content == wanted
        refused = client.get(new, headers={"accept": "text/html"})
    assert refused.status_code == 503
    assert int(refused["Retry-After"]) > 0
    assert "cannot store anything at the moment" in refused.content.decode()
    assert client.get(new).content.startswith(b"%PDF-")


# Reports about the line ----------------------------------------------------------------------


def test_oldest_waiting_returns_the_age_of_the_oldest_job() -> None:
    assert line.oldest_waiting() is None
    for number in (1, 2):
        line.add(name(number), "sheet", page("a"), for_visitor=False)
    PrintJob.objects.filter(key=name(1)).update(created_at=timezone.now() - timedelta(hours=1))
    oldest = line.oldest_waiting()
    assert oldest is not None
    assert timedelta(minutes=59) < oldest < timedelta(minutes=61)


def test_stale_jobs_are_deleted() -> None:
    for number in range(4):
        line.add(name(number), "sheet", page("a"), for_visitor=False)
    rows = PrintJob.objects.order_by("pk")
    failed, kept, old, _new = rows
    for row in (failed, kept):
        line.fail(row, "no")
    long_ago = timezone.now() - timedelta(days=2)
    rows.filter(pk=failed.pk).update(failed_at=long_ago)
    rows.filter(pk=old.pk).update(created_at=long_ago)
    assert line.clear_stale() == 2
    assert [row.key for row in rows.all()] == [name(1), name(3)]


def test_number_of_kept_failures_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "MOST_FAILURES", 2)
    for number in range(4):
        line.add(name(number), "sheet", page("a"), for_visitor=False)
        row = line.find(name(number))
        assert row is not None
        line.fail(row, "no")
    assert sorted(PrintJob.objects.values_list("key", flat=True)) == [name(2), name(3)]


def test_failure_is_forgotten_when_the_clock_is_set_back(site: Site) -> None:
    """A failure dated tomorrow is forgotten like yesterday's."""
    line.add(name(1), "sheet", page("a"), for_visitor=False)
    row = line.find(name(1))
    assert row is not None
    line.fail(row, "no")
    PrintJob.objects.update(failed_at=timezone.now() + timedelta(days=1))
    site.queues[0].remembers = 60
    assert site.ask(0, 1).before == 0


def test_unpacked_job_equals_the_packed_job() -> None:
    tries = ("p { top: 0 }",)
    job = Job("<p>ü</p>", ("fonts", "cards"), ("a.jpg", "b.jpg"), tries, (1.25,), "p {}")
    assert unpack_job(pack_job(job)) == job
