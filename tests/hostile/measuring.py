"""Measures requests inside the server's workers: a settings file of gunicorn, on top of the site's
own.

Each answer says how long its thread computed and how long it waited for a processor, which is the
fault of other programs; and, after a failure, it contains the traceback. A worker that receives the
signal ``TELL`` writes the stacks of its threads to the log. Requests to other sites are led to the
attack's own (``elsewhere``).
"""

from __future__ import annotations

import base64
import faulthandler
import os
import runpy
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

COMPUTED, DELAYED, FAILED = "X-Computed", "X-Delayed", "X-Failed"
LONGEST_TRACEBACK = 4000
# Gunicorn itself uses all signals with a name.
TELL = signal.SIGRTMIN + 1

_here = threading.local()

# Gunicorn reads only one file.
_own = Path("gunicorn.conf.py")
_settings = runpy.run_path(str(_own)) if _own.exists() else {}
globals().update({name: value for name, value in _settings.items() if not name.startswith("_")})


def post_worker_init(worker: Any) -> None:
    """Measure every request of this worker."""
    if "post_worker_init" in _settings:
        _settings["post_worker_init"](worker)
    from django.core.signals import got_request_exception

    got_request_exception.connect(_remember)
    faulthandler.register(TELL, all_threads=True)
    worker.wsgi = _measured(worker.wsgi)
    from tests.hostile import elsewhere

    if elsewhere.PORT in os.environ:
        elsewhere.divert()


def _remember(**_signal: object) -> None:
    _here.failure = traceback.format_exc()[-LONGEST_TRACEBACK:]


def _delayed() -> float:
    """Return the total seconds that this thread has waited for a processor."""
    with open("/proc/thread-self/schedstat") as file:
        return int(file.read().split()[1]) / 1e9


def _measured(application: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    def measured(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        _here.failure = ""
        begun, delayed = time.thread_time(), _delayed()

        def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            headers = [
                *headers,
                (COMPUTED, f"{time.thread_time() - begun:.4f}"),
                (DELAYED, f"{_delayed() - delayed:.4f}"),
            ]
            if _here.failure:
                headers.append((FAILED, base64.b64encode(_here.failure.encode()).decode()))
            return start_response(status, headers, *rest)

        return application(environ, start)

    return measured
