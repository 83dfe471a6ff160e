"""Gunicorn's settings; it finds this file in the folder in which it is started.

The command line and GUNICORN_CMD_ARGS take precedence. ``WORKERS`` is the number of processes,
``THREADS`` the changes and prints that each answers at the same time; each has one more thread for
requests that only read.
"""

import os

from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker

wsgi_app = "skirmish.wsgi"
worker_class = "skirmish.worker.PatientWorker"
workers = int(os.environ.get("WORKERS") or 2)
threads = int(os.environ.get("THREADS") or 4)
# Seconds that a browser's or proxy's connection is kept open for its next request.
keepalive = 15
# Seconds without a sign of life after which a worker is killed, and seconds that its last requests
# have when it stops.
timeout = 60
graceful_timeout = 30
# Replace a worker after this many requests, so that its memory does not grow for long. A new one is
# a fork.
max_requests = 3000
max_requests_jitter = 300
# Load the application before forking, so that workers share its memory.
preload_app = os.environ.get("DEBUG", "").lower() not in {"1", "true", "yes", "on"}
reload = not preload_app
loglevel = "warning"
control_socket_disable = True


def when_ready(server: Arbiter) -> None:
    """Load everything workers need, and start the press they share."""
    if preload_app:
        from printing.queue import open_presses
        from skirmish.allocator import hold_back
        from skirmish.preloading import preload

        hold_back()
        preload()
        open_presses()


def pre_fork(server: Arbiter, worker: Worker) -> None:
    """Assign the worker a row of counters that no other worker uses."""
    from administration.monitoring.counting import free_row

    worker.row = free_row({other.row for other in server.WORKERS.values()})


def post_fork(server: Arbiter, worker: Worker) -> None:
    """Let the worker use its row of counters."""
    from administration.monitoring.counting import use_row

    use_row(worker.row)
