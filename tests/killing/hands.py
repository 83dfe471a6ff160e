"""Giving orders to processes that may be killed, and hearing what they said until then."""

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
# What the processes call themselves, where the database is a server and knows.
NAME = "skirmish-killed"
PATIENCE = 120


@dataclass(frozen=True)
class Attempt:
    """What became of a process: what it had acknowledged, and whether it was killed."""

    killed: bool
    said: list[dict[str, Any]]

    @property
    def refused(self) -> str:
        """Why what it was told to do was refused; "" if it was not."""
        return next((said["refused"] for said in self.said if "refused" in said), "")


class Hands:
    """A warm process that lends others, on the database of this test."""

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
        """Have a process do ``act`` and, unless neither is given, have it killed: at its
        ``kill``-th sight of the database, or ``after`` so many seconds."""
        # Nobody else has the database open: whoever opens it next finds what the dead one left.
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
                # Nothing, or killed in the middle of a word: not said.
                continue
            if "ended" in heard:
                _await_rollback()
                return Attempt(heard["ended"] == "killed", said)
            if "broke" in heard:
                raise AssertionError(heard["broke"])
            said.append(heard)
        raise AssertionError("the warm process has ended")


def _await_rollback() -> None:
    """Wait until a server has noticed that the process is gone."""
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
