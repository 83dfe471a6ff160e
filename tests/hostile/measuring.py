"""What runs inside the server's workers: a settings file of gunicorn.

Each answer tells which process gave it, how long that computed (which does not depend on what else
the machine does) and, if something failed, the traceback.
"""

from __future__ import annotations

import base64
import os
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from typing import Any

PROCESS, COMPUTED, FAILED = "X-Process", "X-Computed", "X-Failed"
LONGEST_TRACEBACK = 4000

_here = threading.local()


def post_worker_init(worker: Any) -> None:
    """Measure every request of this worker."""
    from django.core.signals import got_request_exception

    got_request_exception.connect(_remember)
    worker.wsgi = _measured(worker.wsgi)


def _remember(**_signal: object) -> None:
    _here.failure = traceback.format_exc()[-LONGEST_TRACEBACK:]


def _measured(application: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    def measured(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        _here.failure = ""
        begun = time.thread_time()

        def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            headers = [
                *headers,
                (PROCESS, str(os.getpid())),
                (COMPUTED, f"{time.thread_time() - begun:.4f}"),
            ]
            if _here.failure:
                headers.append((FAILED, base64.b64encode(_here.failure.encode()).decode()))
            return start_response(status, headers, *rest)

        return application(environ, start)

    return measured
