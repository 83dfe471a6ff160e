"""The queue of prints: each press prints one job at a time, and nobody waits for long."""

from __future__ import annotations

import io
import itertools
import logging
import os
import pickle
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from pypdf import PdfReader

from accounts.models import User
from common.storages import DataFolder
from printing import cache as printing_cache
from printing import line, queue
from printing.models import PrintJob
from printing.pictures import drawing
from printing.pictures.gang_link import preview_of
from printing.press import layout as press
from printing.press import program, worker
from printing.press.jobs import NO_PICTURES, Job, picture_address
from printing.press.worker import Died, Failed, Worker
from printing.sheets import roster
from printing.sheets.roster import SheetOrder
from skirmish import settings as site_settings
from tests.world.campaigns import make_campaign
from tests.world.gangs import make_gang
from typesetting.scripts import FONTS

ROOT = Path(__file__).parents[2]
SLOW = "<html><head><title>Slow</title></head><body>" + "<p>word</p>" * 4000 + "</body></html>"
BROKEN = "<html><head><title>Broken</title></head><body><p>x</p></body></html>"


def page(text: str) -> Job:
    html = (
        f'<html lang="en"><head><title>{text}</title><style>body {{ font-family: "Fira Sans" }}'
        f"</style></head><body><p>{text}</p></body></html>"
    )
    return Job(html, styles=("fonts",))


def name(number: int) -> str:
    return f"{number:064x}"


class Press:
    """A press that prints on command, and remembers its jobs."""

    def __init__(self) -> None:
        self.given: list[str] = []
        self.free = threading.Event()

    def print(self, job: Job, pictures: Any = None, on_pages: Any = None) -> bytes:
        self.given.append(job.html)
        assert self.free.wait(120)
        if "Broken" in job.html:
            raise Failed("no")
        return b"%PDF-" + job.html.encode()

    def stop(self) -> None:
        """Do nothing: there is no process to end."""


@pytest.fixture(autouse=True)
def _empty_shelf(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


@pytest.fixture
def slow_press(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> Iterator[Press]:
    """A separate queue whose press is busy until it is set free."""
    settings.PRINT_PATIENCE = 0.05
    made = Press()
    opened = queue._Queue(worker=made)  # type: ignore[arg-type]
    monkeypatch.setattr(queue, "_sheets", opened)
    yield made
    made.free.set()
    # Jobs left in line must not reach the next test.
    until(lambda: opened.thread is None)


def until(check: Any) -> None:
    """Wait until a condition is true."""
    limit = time.monotonic() + 120
    while not check():
        assert time.monotonic() < limit, "the condition never became true"
        time.sleep(0.01)


@pytest.mark.django_db
def test_finished_print_is_kept_on_the_shelf() -> None:
    first = queue.ask(name(1), lambda: page("once"))
    assert PdfReader(io.BytesIO(first)).pages[0].extract_text() == "once"
    assert queue.ask(name(1), lambda: pytest.fail("drawn again")) == first


@pytest.mark.django_db
@pytest.mark.parametrize("spoiled", [b"", b"%PDF-1.7 half of it"])
def test_spoiled_print_is_printed_again(spoiled: bytes, tmp_path: Path) -> None:
    first = queue.ask(name(1), lambda: page("once"))
    [file] = (tmp_path / "prints").iterdir()
    whole = file.read_bytes()
    file.write_bytes(spoiled)
    assert queue.ask(name(1), lambda: page("once")) == first
    assert file.read_bytes() == whole
    changed = bytearray(whole)
    changed[300] ^= 1
    file.write_bytes(changed)
    assert printing_cache.read_print(name(1)) is None
    assert not file.exists()


def test_a_shelf_that_cannot_be_read_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_arguments: object) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(DataFolder, "read", broken)
    assert printing_cache.read_print(name(1)) is None


@pytest.mark.long
def test_equal_jobs_give_equal_bytes() -> None:
    assert press.pdf(page("same")) == press.pdf(page("same"))


def test_line_counts_the_jobs_ahead_and_keeps_equal_jobs_together(slow_press: Press) -> None:
    """Each request learns how many jobs are ahead; equal jobs are in line once."""
    told = []
    for number in (1, 2, 3, 2):
        with pytest.raises(queue.Waiting) as waiting:
            queue.ask(name(number), lambda: page("a"))
        told.append(waiting.value.before)
    assert told == [0, 1, 2, 1]
    slow_press.free.set()
    until(lambda: all(printing_cache.read_print(name(number)) for number in (1, 2, 3)))
    assert len(slow_press.given) == 3
    assert queue.ask(name(2), lambda: pytest.fail("drawn again")).startswith(b"%PDF-")


def test_line_length_is_limited(slow_press: Press, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "MOST_JOBS", 2)
    for number in (1, 2):
        with pytest.raises(queue.Waiting):
            queue.ask(name(number), lambda: page("a"))
    with pytest.raises(queue.Busy):
        queue.ask(name(3), lambda: pytest.fail("drawn for nothing"))


def test_visitors_leave_room_for_accounts(
    slow_press: Press, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line, "MOST_FOR_VISITORS", 1)
    with pytest.raises(queue.Waiting):
        queue.ask(name(1), lambda: page("a"), for_visitor=True)
    with pytest.raises(queue.Busy):
        queue.ask(name(2), lambda: pytest.fail("drawn for nothing"), for_visitor=True)
    with pytest.raises(queue.Waiting):
        queue.ask(name(2), lambda: page("a"))


def test_only_a_few_threads_wait(slow_press: Press, settings: Any) -> None:
    """Most threads stay free for pages during any number of requests."""
    settings.PRINT_PATIENCE = 600
    done: list[int] = []

    def ask(number: int) -> None:
        try:
            queue.ask(name(number), lambda: page("a"))
        except queue.Waiting:
            done.append(number)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    until(lambda: len(done) == 8 - queue.MOST_WAITING)
    slow_press.free.set()
    for thread in threads:
        thread.join(120)
    assert len(done) == 8 - queue.MOST_WAITING


def test_request_waits_less_than_a_second(
    slow_press: Press, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rendering counts, too: after a second, a page reports that the print is being made."""
    assert site_settings.PRINT_PATIENCE < 1
    settings.PRINT_PATIENCE = 5
    clock = itertools.count()
    rendered: list[int] = []

    def render() -> Job:
        rendered.extend(next(clock) for _second in range(5))
        return page("a")

    monkeypatch.setattr(queue, "monotonic", lambda: next(clock))
    with pytest.raises(queue.Waiting) as waiting:
        queue.ask(name(1), render)
    assert waiting.value.waited
    assert next(clock) - rendered[-1] <= 2, "the request waited again"


def picture(text: str) -> Job:
    return replace(page(text), width=300)


def test_pictures_are_taken_before_sheets_and_have_a_shelf(
    slow_press: Press, tmp_path: Path
) -> None:
    for number in (1, 2, 3):
        with pytest.raises(queue.Waiting):
            queue.ask(name(number), lambda number=number: page(f"sheet {number}"))  # type: ignore[misc]
    threads = [threading.Thread(target=_ask_for_picture, args=(number,)) for number in (4, 5)]
    for thread in threads:
        thread.start()
    until(lambda: PrintJob.objects.filter(kind="picture").count() == 2)
    slow_press.free.set()
    for thread in threads:
        thread.join(120)
    until(lambda: queue._sheets.thread is None)
    given = ["picture" if "picture" in html else "sheet" for html in slow_press.given]
    # The first sheet was at the press already.
    assert given == ["sheet", "picture", "picture", "sheet", "sheet"]
    assert {file.suffix for file in (tmp_path / "previews").iterdir()} == {".png"}
    assert {file.suffix for file in (tmp_path / "prints").iterdir()} == {".pdf"}


def _ask_for_picture(number: int) -> None:
    try:
        queue.ask(name(number), lambda: picture("picture"), "picture")
    finally:
        connections.close_all()


def test_picture_has_a_patience_of_its_own(slow_press: Press, settings: Any) -> None:
    assert site_settings.PICTURE_PATIENCE == 5
    settings.PRINT_PATIENCE, settings.PICTURE_PATIENCE = 600, 0.05
    with pytest.raises(queue.Waiting):
        queue.ask(name(1), lambda: picture("late"), "picture")


def test_message_waits_for_its_picture(
    slow_press: Press, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the patience of requests nor their number limits it."""
    settings.PICTURE_PATIENCE = 0.01
    monkeypatch.setattr(queue, "MOST_WAITING", 0)
    threading.Timer(0.3, slow_press.free.set).start()
    found = queue.ask(name(1), lambda: picture("sent"), "picture", in_background=True)
    assert b"sent" in found


def test_pictures_do_not_count_towards_the_prints_of_a_press(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(program, "MOST_PRINTS", 1)
    orders, taken = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with orders, taken:
        served = threading.Thread(target=_serve, args=(taken,))
        answers = []
        for number, job in enumerate((picture("a"), picture("b"), page("c"))):
            ours, theirs = socket.socketpair()
            with ours, theirs:
                socket.send_fds(orders, [b"1"], [theirs.fileno()])
                if not number:
                    served.start()
                with ours.makefile("rwb") as press_file:
                    pickle.load(press_file)
                    pickle.dump((job, {}, 60), press_file)
                    press_file.flush()
                    answers.append(pickle.load(press_file)[:4])
        served.join(60)
        assert not served.is_alive()
    assert answers == [b"\x89PNG", b"\x89PNG", b"%PDF"]


def _serve(taken: socket.socket) -> None:
    with pytest.MonkeyPatch.context() as patch:
        # Only a main thread has timers.
        patch.setattr(program, "_end_in", lambda _seconds: None)
        program.serve(taken, None)


@pytest.mark.long
def test_preview_is_drawn_before_the_sheets_in_line(
    transactional_db: None, alice: User, settings: Any
) -> None:
    settings.PRINT_PATIENCE = 0
    gangs = [make_gang(alice) for _number in range(5)]
    jobs = [roster.job(gang.view, SheetOrder("en")) for gang in gangs]
    for number, job in enumerate(jobs):
        with suppress(queue.Waiting):
            queue.ask(name(number), lambda job=job: job)  # type: ignore[misc]
    until(lambda: PrintJob.objects.filter(kind="sheet").exclude(press="").exists())
    queue.ask(name(9), lambda: drawing.job(preview_of(gangs[0])), "picture")
    # Only the sheet that was at the press came before it; the next may be ready by now.
    assert PrintJob.objects.filter(kind="sheet").count() >= 3
    until(lambda: queue._sheets.thread is None)


def test_failing_print_is_tried_only_twice(slow_press: Press, settings: Any) -> None:
    slow_press.free.set()
    settings.PRINT_PATIENCE = 30
    for _time in range(2):
        with pytest.raises(Failed):
            queue.ask(name(1), lambda: Job(BROKEN))
    assert len(slow_press.given) == 2
    assert queue.ask(name(2), lambda: page("fine"))


def test_press_that_ends_with_its_process_leaves_its_job_to_others(
    slow_press: Press, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server's process may be replaced while it prints."""
    with pytest.raises(queue.Waiting):
        queue.ask(name(1), lambda: Job(BROKEN))
    until(lambda: slow_press.given)
    monkeypatch.setattr(queue._closing, "is_set", lambda: True)
    slow_press.free.set()
    until(lambda: queue._sheets.thread is None)
    row = PrintJob.objects.get(key=name(1))
    assert row.failed_at is None
    row.delete()


@pytest.mark.long
def test_a_press_that_dies_is_replaced() -> None:
    one = worker.Worker()
    try:
        assert one.print(page("first")).startswith(b"%PDF-")
        one._process.kill()  # type: ignore[union-attr]
        one._process.wait()  # type: ignore[union-attr]
        assert one.print(page("second")).startswith(b"%PDF-")
    finally:
        one.stop()


LONG = Job(SLOW.replace("<p>word</p>" * 4000, "<p>word</p>" * 400))


def kill(one: Worker) -> None:
    """Kill a press as the system does when memory runs short, and see that it is dead."""
    assert one._process is not None
    one._process.kill()
    one._process.wait()


@pytest.mark.long
def test_print_tries_once_more_when_the_press_dies_in_the_middle() -> None:
    one, told = worker.Worker(), []

    def on_pages(pages: int) -> None:
        if pages and not any(told):
            kill(one)
        told.append(pages)

    try:
        assert one.print(LONG, on_pages=on_pages).startswith(b"%PDF-")
    finally:
        one.stop()
    # It began again: its progress is counted from zero.
    assert told[0] > 0 and told[1] == 0 and told[-1] >= told[0]


@pytest.mark.long
def test_print_gives_up_when_two_presses_die_one_after_the_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    one, killed = worker.Worker(), []

    def on_pages(pages: int) -> None:
        if pages:
            killed.append(pages)
            kill(one)

    try:
        with caplog.at_level(logging.WARNING), pytest.raises(Died):
            one.print(LONG, on_pages=on_pages)
        assert len(killed) == 2
        assert "another tries once more" in caplog.text
        assert one.print(page("after")).startswith(b"%PDF-")
    finally:
        one.stop()


@pytest.mark.long
def test_print_starts_no_other_press_when_the_site_ends() -> None:
    one = worker.Worker()
    with pytest.raises(Failed) as raised:
        one.print(LONG, on_pages=lambda pages: one.stop())
    assert not isinstance(raised.value, Died)
    assert one._process is None


@pytest.mark.long
def test_a_print_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    one = worker.Worker()
    try:
        one.print(page("warm"))
        monkeypatch.setattr(worker, "LONGEST_PRINT", 0.05)
        with pytest.raises(Failed):
            one.print(Job(SLOW))
        monkeypatch.undo()
        assert one.print(page("after")).startswith(b"%PDF-")
    finally:
        one.stop()


# One press for several processes -----------------------------------------------------------------


def send_job(orders: socket.socket, job: Job, longest: float = 60) -> socket.socket:
    """Send a job as a worker does, and return our end of the connection."""
    ours, theirs = socket.socketpair()
    with theirs:
        socket.send_fds(orders, [b"1"], [theirs.fileno()])
    ours.sendall(pickle.dumps((job, {}, longest)))
    return ours


def read_answer(connection: socket.socket) -> bytes | str:
    """Read what the press answers: first that it has begun."""
    with connection, connection.makefile("rb") as answers:
        assert pickle.load(answers) == 0
        answer: bytes | str = pickle.load(answers)
        return answer


def test_press_takes_jobs_in_turn_and_ends_with_the_site() -> None:
    orders, taken = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with taken:
        sent = [send_job(orders, job) for job in (page("a"), Job("<html>"), page("b"))]
        # A process that has ended no longer waits.
        send_job(orders, page("nobody's")).close()
        orders.close()
        program.serve(taken, None)
    answers = [read_answer(connection) for connection in sent]
    assert isinstance(answers[0], bytes) and isinstance(answers[2], bytes)
    assert isinstance(answers[1], str) and answers[1].startswith("ParseError")


def test_press_ends_after_many_prints_and_leaves_the_next_to_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(program, "MOST_PRINTS", 1)
    orders, taken = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with orders, taken:
        sent = [send_job(orders, page("a")), send_job(orders, page("b"))]
        program.serve(taken, None)
        assert isinstance(read_answer(sent[0]), bytes)
        program.serve(taken, None)
        assert isinstance(read_answer(sent[1]), bytes)


def test_press_ends_when_idle() -> None:
    orders, taken = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with orders, taken:
        program.serve(taken, 0.01)


@pytest.mark.long
def test_forked_processes_share_one_press() -> None:
    """They also share the next press after it has died; and it ends with them."""
    script = """
import os, signal, sys, time
import django
django.setup()
from printing.press.jobs import Job
from printing.press.worker import Worker

job = Job("<html><head><title>a</title></head><body><p>a</p></body></html>", ("fonts",))
one = Worker()
one.open(start=True)
first = one._process
children = []
for number in range(2):
    if not (pid := os.fork()):
        assert one.print(job)[:5] == b"%PDF-"
        assert one._process is first, "it has started a press of its own"
        os._exit(0)
    children.append(pid)
assert [os.waitpid(pid, 0)[1] for pid in children] == [0, 0]
first.kill()
first.wait()
if not (pid := os.fork()):
    assert one.print(job)[:5] == b"%PDF-"
    print(one._process.pid, flush=True)
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
before = one._process
assert one.print(job)[:5] == b"%PDF-"
assert one._process is before, "there is one already"
"""
    env = dict(os.environ) | {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    until(lambda: not Path(f"/proc/{int(ran.stdout)}").exists())


@pytest.mark.long
def test_press_ends_with_the_process_that_requested_the_print() -> None:
    """A killed process's print is stopped, so that the next print does not wait for it."""
    one = worker.Worker()
    try:
        one.print(page("warm"))
        first = one._process
        assert one._way is not None and first is not None
        with send_job(one._way.orders, Job(SLOW)) as asked, asked.makefile("rb") as answers:
            assert pickle.load(answers) == 0
            assert pickle.load(answers) > 0, "the job is being printed"
        assert first.wait(60)
        assert one.print(page("next")).startswith(b"%PDF-")
    finally:
        one.stop()


def test_presses_that_die_at_their_start_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "LOOK", 0.01)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    one = worker.Worker()
    try:
        with pytest.raises(Died):
            one.print(page("never"))
    finally:
        one.stop()


def test_press_fetches_only_files_of_the_print(tmp_path: Path) -> None:
    """Nothing from the web or other files of the machine; only pictures that come with the job."""
    secret = tmp_path / "secret.svg"
    secret.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    fetcher = press._press().fetcher
    press._press().pictures = {picture_address("a.jpg"): b"a picture"}
    assert fetcher.fetch(picture_address("a.jpg")).read() == b"a picture"
    for url in (
        secret.as_uri(),
        picture_address("b.jpg"),
        picture_address("../a.jpg"),
        f"{FONTS.as_uri()}/../print/sheet.css",
        "https://skirmish.example/a.png",
        "file:///etc/passwd",
    ):
        with pytest.raises(ValueError, match="Not a file of ours"):
            fetcher.fetch(url)
    press._press().pictures = NO_PICTURES
    with pytest.raises(ValueError, match="Not a file of ours"):
        fetcher.fetch(picture_address("a.jpg"))


# In the browser -------------------------------------------------------------------------------


def test_reader_waits_on_a_page(client: Any, alice: Any, slow_press: Press) -> None:
    client.force_login(alice)
    url = f"/gangs/{make_gang(alice).pk}/sheet.pdf"
    response = client.get(url, headers={"accept": "text/html,*/*;q=0.8"})
    assert response.status_code == 202
    # This request has waited, and so does the next: the reader gets the print when it is ready.
    assert '<meta http-equiv="refresh" content="0">' in response.content.decode()
    assert response["Cache-Control"] == "private, no-store"
    program = client.get(url, headers={"accept": "application/pdf"})
    assert (program.status_code, program["Retry-After"]) == (503, "1")
    slow_press.free.set()
    until(lambda: client.get(url).status_code == 200)


def test_page_reloads_after_a_second_when_no_request_waits(
    client: Any, alice: Any, slow_press: Press, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "MOST_WAITING", 0)
    client.force_login(alice)
    url = f"/gangs/{make_gang(alice).pk}/sheet.pdf"
    response = client.get(url, headers={"accept": "text/html,*/*;q=0.8"})
    assert '<meta http-equiv="refresh" content="1">' in response.content.decode()


def test_failed_print_is_reported(client: Any, alice: Any, slow_press: Press) -> None:
    client.force_login(alice)
    slow_press.free.set()
    gang = make_gang(alice, sample=None, name="Broken")
    url = f"/gangs/{gang.pk}/sheet.pdf"
    answers = []
    until(lambda: answers.append(client.get(url)) or answers[-1].status_code == 500)
    assert '<meta http-equiv="refresh"' not in answers[-1].content.decode()


@pytest.mark.long
@pytest.mark.parametrize(("address", "seconds"), [("gangs:sheet-pdf", "10"), ("yearbook", "60")])
def test_reader_is_asked_to_come_back_when_presses_die(
    client: Any, alice: Any, transactional_db: None, monkeypatch: Any, address: str, seconds: str
) -> None:
    """Every press is killed until there is an answer; then the next print succeeds."""
    ours = queue._Queue() if address == "gangs:sheet-pdf" else queue._book_queue()
    monkeypatch.setattr(queue, "_sheets" if "sheet" in ours.kinds else "_books", ours)
    client.force_login(alice)
    if address == "gangs:sheet-pdf":
        url = f"/gangs/{make_gang(alice).pk}/sheet.pdf"
    else:
        url = f"/campaigns/{make_campaign(alice).pk}/yearbook.pdf"
    answered = threading.Event()

    def kill_all() -> None:
        while not answered.wait(0.01):
            if (process := ours.worker._process) is not None:
                process.kill()

    killer = threading.Thread(target=kill_all)
    killer.start()
    try:
        answer = client.get(url)
    finally:
        answered.set()
        killer.join()
    assert (answer.status_code, answer["Retry-After"]) == (503, seconds)
    text = answer.content.decode()
    assert "Printing was interrupted twice" in text
    assert '<meta http-equiv="refresh"' not in text
    if "sheet" in ours.kinds:
        assert client.get(url).content.startswith(b"%PDF-")
    ours.worker.stop()
