"""The servers that two sites need: a PostgreSQL, a server that speaks like S3, and the sites
themselves.
"""

from __future__ import annotations

import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from tests.swift_server import KEYS, Swift

ROOT = Path(__file__).parents[2]
BUCKET = "skirmish"
STARTS_WITHIN = 300
# Variables of this machine that a site may see. PYTHONPATH: where script/two-sites installs.
PASSED_ON = ("PATH", "HOME", "LANG", "PYTHONPATH")


def environment(**more: str) -> dict[str, str]:
    """Return the variables of a site that only this machine reaches, and ``more`` of them."""
    return {
        **{name: os.environ[name] for name in PASSED_ON if name in os.environ},
        "SECRET_KEY": "served-for-a-proof-" * 4,
        "HTTPS": "0",
        "SITE_URL": "http://127.0.0.1",
        "ALLOWED_HOSTS": "127.0.0.1",
        "PYTHONWARNINGS": "ignore",
        **more,
    }


def manage(given: dict[str, str], *arguments: str) -> str:
    """Run a command of the site; return its output. Raises CalledProcessError if it fails."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=given,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port


def await_port(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a process listens on the port. Raises RuntimeError if none does in time."""
    until = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise RuntimeError(f"nothing listens on port {port}")


class Postgres:
    """A PostgreSQL server that writes everything into a temporary folder."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="two-sites-postgres-"))
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda at: at.parent.name)
        binaries = found[-1] if found else Path(shutil.which("initdb") or "/").parent
        self.port = free_port()
        # PostgreSQL refuses to run as root.
        owner = pwd.getpwnam("postgres") if os.getuid() == 0 else None
        if owner:
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        data = self.folder / "data"
        options = {"cwd": self.folder, "user": owner.pw_uid if owner else None}
        subprocess.run(
            [binaries / "initdb", "-D", data, "-U", "skirmish", "-A", "trust", "-E", "UTF8"]
            + ["--locale=C", "--no-sync"],
            check=True,
            stdout=subprocess.DEVNULL,
            **options,  # type: ignore[call-overload]
        )
        settings = {"listen_addresses": "127.0.0.1", "max_connections": 200}
        settings |= {"unix_socket_directories": self.folder, "shared_buffers": "256MB"}
        self.process = subprocess.Popen(
            [binaries / "postgres", "-D", data, "-p", str(self.port)]
            + [part for name, value in settings.items() for part in ("-c", f"{name}={value}")],
            stderr=(self.folder / "log").open("wb"),
            **options,  # type: ignore[call-overload]
        )
        await_port(self.port, self.process)

    @property
    def address(self) -> str:
        """Return the server's address in the form of DATABASE_URL."""
        return f"postgres://skirmish@127.0.0.1:{self.port}/postgres"

    def stop(self) -> None:
        """Stop the server and delete its data."""
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class LimitStore:
    """A Valkey or Redis server without persistence, for the limits of all sites."""

    def __init__(self) -> None:
        program = shutil.which("valkey-server") or shutil.which("redis-server")
        if program is None:
            raise RuntimeError("there is neither valkey-server nor redis-server")
        port = free_port()
        self.folder = tempfile.mkdtemp(prefix="two-sites-limits-")
        self.process = subprocess.Popen(
            [
                program,
                "--port",
                str(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--dir",
                self.folder,
            ],
            stdout=subprocess.DEVNULL,
        )
        await_port(port, self.process)
        self.environment = {"CACHE_URL": f"redis://127.0.0.1:{port}/0"}

    def stop(self) -> None:
        """Stop the server."""
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Bucket:
    """A real object store that speaks S3, with one empty bucket."""

    def __init__(self) -> None:
        self.server = Swift()
        self.endpoint = self.server.endpoint
        self.environment = {"S3_BUCKET": BUCKET, "S3_ENDPOINT": self.endpoint, **KEYS}
        code = (
            "import boto3, os; boto3.client('s3', endpoint_url=os.environ['S3_ENDPOINT'])"
            ".create_bucket(Bucket=os.environ['S3_BUCKET'])"
        )
        subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | self.environment)

    def stop(self) -> None:
        """Stop the server and delete its data."""
        self.server.stop()


class Site:
    """A machine of the site: gunicorn as ``script/server`` starts it, in a separate folder."""

    def __init__(self, environment: dict[str, str], workers: int = 2, threads: int = 4) -> None:
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="served-site-"))
        # gunicorn.conf.py sets everything else.
        count = {"WORKERS": str(workers), "THREADS": str(threads)}
        self.environment = {"DATA_DIR": str(self.folder), **environment, **count}
        self.command = [sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{self.port}"]
        self.log = self.folder / "server.log"
        self.deaths = 0
        self.start()

    def start(self) -> None:
        """Start the site, for the first time or again."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                # A process group for the site: it can be killed as a whole, and nothing else with
                # it.
                start_new_session=True,
            )
        await_port(self.port, self.process)

    def workers(self) -> list[int]:
        """Return the worker processes: the master's forks, and no other programs that it may
        start.
        """
        master = self.process.pid
        children = Path(f"/proc/{master}/task/{master}/children").read_text().split()
        return [int(pid) for pid in children if _program(pid) == _program(master)]

    def kill_worker(self, dice: random.Random) -> bool:
        """SIGKILL a worker, which the master replaces; return whether there was one."""
        workers = self.workers()
        if not workers:
            return False
        with suppress(ProcessLookupError):
            os.kill(dice.choice(workers), signal.SIGKILL)
        self.deaths += 1
        return True

    def kill_all(self, dice: random.Random) -> None:
        """SIGKILL master and workers, and start them again after a moment."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.deaths += 1
        time.sleep(dice.uniform(0, 1))
        self.start()

    def kill(self, dice: random.Random) -> None:
        """Kill a worker, or everything."""
        if dice.random() >= 0.6 or not self.kill_worker(dice):
            self.kill_all(dice)

    def failures(self) -> list[str]:
        """Return the lines of the log that report an error."""
        lines = self.log.read_text(errors="replace").splitlines()
        return [line[:300] for line in lines if "Traceback" in line or "Error" in line]

    def stop(self) -> None:
        """Stop the site and delete its data."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(120)
        # The processes that it started are in its group.
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def _program(pid: int | str) -> bytes:
    """Return the command line of a process; "" if it has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""
