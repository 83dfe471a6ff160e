"""Giving orders to processes that may be killed, and collecting their output until then."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from django.db import connection

ROOT = Path(__file__).parents[2]
# The name of the processes' connections, if the database is a server that shows it.
NAME = "skirmish-killed"
PATIENCE = 120


@dataclass(frozen=True)
class Attempt:
    """The result of a process: its acknowledgements, and whether it was killed."""

    killed: bool
    said: list[dict[str, Any]]

    @property
    def refused(self) -> str:
        """Return why the act was refused; "" if it was not."""
        return next((said["refused"] for said in self.said if "refused" in said), "")


class Hands:
    """A warm process that forks others, on the database of this test."""

    def __init__(self) -> None:
        database = str(connection.settings_dict["NAME"])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.killing.warm", database],
            cwd=ROOT,
            env={**os.environ, "PGAPPNAME": NAME},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._process.communicate()

    def attempt(
        self,
        act: str,
        values: dict[str, Any],
        *,
        kill: int | None = None,
        after: float | None = None,
    ) -> Attempt:
        """Let a process do ``act`` and, unless neither is given, kill it: at its ``kill``-th access
        to the database, or ``after`` this many seconds.
        """
        # Nobody else has the database open: the next process to open it finds the state that the
        # dead process left.
        connection.close()
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        stdin.write(json.dumps({"act": act, "values": values, "kill": kill, "after": after}) + "\n")
        stdin.flush()
        said: list[dict[str, Any]] = []
        for line in stdout:
            try:
                heard = json.loads(line)
            except ValueError:
                # The line is empty, or the process was killed in the middle of it: nothing was
                # acknowledged.
                continue
            if "ended" in heard:
                _await_rollback()
                return Attempt(heard["ended"] == "killed", said)
            if "broke" in heard:
                raise AssertionError(heard["broke"])
            said.append(heard)
        raise AssertionError("the warm process has ended")


def _await_rollback() -> None:
    """Wait until a server has noticed that the process has ended."""
    if connection.vendor != "postgresql":
        return
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE application_name = %s AND datname = current_database()",
                [NAME],
            )
            if cursor.fetchone()[0] == 0:
                return
        time.sleep(0.002)
    raise AssertionError("the server still serves a process that is dead")
